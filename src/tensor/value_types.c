// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Values are looked at in strips that stay in the first cache; a type that has failed is
/// not tried again, so that values which need all their bits cost a look at a few strips.

#include "tensor/value_types.h"

#include "base/wide.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    STRIP       = 1024,
    SMALL_WORDS = 256, /* a dictionary begins with room for an 8-bit one */
    LARGE_WORDS = 65536,
};

static uint64_t bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* ---- dictionaries ---- */

void cairn_value_dictionary_init(cairn_value_dictionary *dictionary, cairn_env *env)
{
    *dictionary = (cairn_value_dictionary){.env = env, .limit = LARGE_WORDS};
}

void cairn_value_dictionary_fini(cairn_value_dictionary *dictionary)
{
    cairn_free(dictionary->env, dictionary->word);
    cairn_free(dictionary->env, dictionary->slot);
}

/// The slot that has these bits, or is free for them.
static int64_t slot_of(const cairn_value_dictionary *d, uint64_t bits)
{
    int64_t at = (int64_t)((bits * 0x9E3779B97F4A7C15ULL) >> 40) & (d->slots - 1);

    while (d->slot[at] >= 0 && d->word[d->slot[at]] != bits)
        at = (at + 1) & (d->slots - 1);
    return at;
}

static int room_of(const cairn_value_dictionary *d)
{
    return d->slots / 4 < d->limit ? (int)(d->slots / 4) : d->limit;
}

/// Room for more; without memory it is full.
static void grow(cairn_value_dictionary *d)
{
    const int room = d->slots == 0 ? SMALL_WORDS : LARGE_WORDS;

    d->full = d->count >= d->limit;
    if (d->full) return;
    cairn_free(d->env, d->slot);
    d->slot  = NULL;
    d->slots = 4 * (int64_t)room;
    d->full =
        cairn_realloc(d->env, room, sizeof *d->word, (void **)&d->word) != CAIRN_OK
        || CAIRN_NEW(d->env, d->slots, &d->slot) != CAIRN_OK;
    if (d->full) {
        d->starved = true;
        d->slots   = 0;
        return;
    }
    memset(d->slot, 0xff, (size_t)d->slots * sizeof *d->slot);
    for (int w = 0; w < d->count; w++)
        d->slot[slot_of(d, d->word[w])] = w;
}

void cairn_value_dictionary_add(cairn_value_dictionary *d, const double *value, int n)
{
    for (int k = 0; k < n && !d->full;) {
        const uint64_t bits = bits_of(value[k]);
        const int64_t  at   = d->slots > 0 ? slot_of(d, bits) : -1;

        if (at < 0 || (d->slot[at] < 0 && d->count == room_of(d))) {
            grow(d);
            continue;
        }
        if (d->slot[at] < 0) {
            d->slot[at]         = d->count;
            d->word[d->count++] = bits;
        }
        k++;
    }
}

void cairn_value_dictionary_write(const cairn_value_dictionary *dictionary,
                                  int                           bits,
                                  double                       *word)
{
    memset(word, 0, sizeof *word << bits);
    if (dictionary->count > 0)
        memcpy(word, dictionary->word, (size_t)dictionary->count * sizeof *word);
}

/* ---- looking ---- */

void cairn_value_look_begin(cairn_value_look          *look,
                            int                        carrier_bits,
                            const cairn_value_storage *asked,
                            cairn_value_dictionary    *dictionary)
{
    *look = (cairn_value_look){.carrier_bits  = carrier_bits,
                               .one           = true,
                               .integer       = true,
                               .floats.half   = !dictionary->full,
                               .floats.brain  = !dictionary->full,
                               .floats.single = carrier_bits == 64,
                               .low           = INT32_MAX,
                               .high          = INT32_MIN,
                               .dictionary    = dictionary,
                               .named         = asked != NULL};
    if (asked) {
        look->asked       = *asked;
        dictionary->limit = asked->bits == 8 ? SMALL_WORDS : LARGE_WORDS;
        if (asked->kind != CAIRN_VALUE_CODE) dictionary->full = true;
    }
}

/* The loops have no branch, so that compilers make vectors of them. */

CAIRN_WIDE bool cairn_values_are_equal(const double *value, int n, double to)
{
    const uint64_t bits   = bits_of(to);
    uint64_t       differ = 0;

    for (int k = 0; k < n; k++)
        differ |= bits_of(value[k]) ^ bits;
    return differ == 0;
}

/// Are all integers of 16 bits, and within which range? 1.5 * 2^52 with one of them added
/// has it in its lower bits; less 1.5 * 2^52 it is the same number again, with the same
/// bits unless it was -0. Whatever else is added leads out of the range, or to another
/// number.
CAIRN_WIDE static bool
find_range(const double *value, int n, int32_t *low, int32_t *high)
{
    const double   shift = 6755399441055744.0;
    const uint64_t zero  = bits_of(shift);
    int32_t        least = INT32_MAX, most = INT32_MIN;
    uint64_t       wrong = 0;

    for (int k = 0; k < n; k++) {
        const double   sum = value[k] + shift;
        const uint64_t i   = bits_of(sum) - zero;
        const int32_t  its = (int32_t)(uint32_t)i;

        wrong |= (bits_of(value[k]) ^ bits_of(sum - shift)) | (i + 32768) >> 16;
        least = its < least ? its : least;
        most  = its > most ? its : most;
    }
    *low  = least;
    *high = most;
    return wrong == 0;
}

/// Are all integers of 16 bits? Those that are become part of the range.
static bool all_integers(cairn_value_look *look, const double *value, int n)
{
    int32_t low, high;

    if (!find_range(value, n, &low, &high)) return false;
    if (low < look->low) look->low = low;
    if (high > look->high) look->high = high;
    return true;
}

CAIRN_WIDE static bool all_single(const double *value, int n)
{
    uint64_t differ = 0;

    for (int k = 0; k < n; k++)
        differ |= bits_of(value[k]) ^ bits_of((double)(float)value[k]);
    return differ == 0;
}

double cairn_value_nearest(cairn_value_kind kind, int bits, double value)
{
    if (kind == CAIRN_VALUE_BFLOAT)
        return cairn_bf16_widened(cairn_bf16_nearest(value));
    if (bits == 16) return cairn_f16_widened(cairn_f16_nearest(value));
    return bits == 32 ? (double)(float)value : value;
}

/// Are all zeros or normal numbers of a type of 16 bits, with no more fraction?
CAIRN_WIDE static bool all_usual(bool half, const double *value, int n)
{
    const uint64_t rest  = (UINT64_C(1) << (half ? 42 : 45)) - 1;
    const uint64_t least = (uint64_t)(1023 - (half ? 14 : 126)) << 52;
    const uint64_t size  = (uint64_t)(half ? 30 : 254) << 52;
    uint64_t       wrong = 0;

    for (int k = 0; k < n; k++) {
        const uint64_t bits = bits_of(value[k]) << 1 >> 1;

        wrong |= (bits & rest) | (uint64_t)(bits > 0 && bits - least >= size);
    }
    return wrong == 0;
}

/// Are all of a type of 16 bits? Most are usual; only where there are others is each
/// looked at.
static bool all_short(cairn_value_kind kind, const double *value, int n)
{
    if (all_usual(kind == CAIRN_VALUE_FLOAT, value, n)) return true;
    for (int k = 0; k < n; k++)
        if (!cairn_value_is_of(kind, 16, value[k])) return false;
    return true;
}

bool cairn_value_is_of(cairn_value_kind kind, int bits, double value)
{
    if (kind == CAIRN_VALUE_FLOAT || kind == CAIRN_VALUE_BFLOAT)
        return bits_of(value) == bits_of(cairn_value_nearest(kind, bits, value));
    const double most = bits == 8 ? INT8_MAX : INT16_MAX;

    return value >= -most - 1 && value <= most
           && bits_of(value) == bits_of((double)(int32_t)value);
}

bool cairn_values_are_of(cairn_value_kind kind, int bits, const double *value, int n)
{
    int32_t low, high;

    if (kind == CAIRN_VALUE_INTEGER)
        return n == 0
               || (find_range(value, n, &low, &high)
                   && (bits == 16 || (low >= INT8_MIN && high <= INT8_MAX)));
    if (bits == 16) return all_short(kind, value, n);
    return bits == 64 || all_single(value, n);
}

bool cairn_values_round(cairn_value_kind kind,
                        int              bits,
                        const double    *value,
                        int              n,
                        double          *error)
{
    double near[STRIP], most = *error;
    bool   holds = true;

    for (int begin = 0; begin < n; begin += STRIP) {
        const double *v = value + begin;
        const int     m = n - begin < STRIP ? n - begin : STRIP;

        for (int k = 0; k < m; k++)
            near[k] = cairn_value_nearest(kind, bits, v[k]);
        for (int k = 0; k < m; k++) {
            const bool   finite = fabs(v[k]) <= DBL_MAX;
            const double off = finite && v[k] != 0 ? fabs((near[k] - v[k]) / v[k]) : 0;

            holds &= !finite || fabs(near[k]) <= DBL_MAX;
            most = off > most ? off : most;
        }
    }
    if (holds) *error = most;
    return holds;
}

/// Does the type that was asked for hold these values, perhaps rounded?
static bool holds(cairn_value_look *look, const double *value, int n)
{
    const cairn_value_storage *asked = &look->asked;

    switch (asked->kind) {
    case CAIRN_VALUE_ONE: return cairn_values_are_equal(value, n, look->first);
    case CAIRN_VALUE_INTEGER:
        return cairn_values_are_of(asked->kind, asked->bits, value, n);
    case CAIRN_VALUE_CODE: return !look->dictionary->full;
    default:
        return cairn_values_round(asked->kind, asked->bits, value, n, &look->error);
    }
}

static void look_for_asked(cairn_value_look *look, const double *value, int n)
{
    if (look->asked.kind == CAIRN_VALUE_CODE)
        cairn_value_dictionary_add(look->dictionary, value, n);
    if (holds(look, value, n)) return;
    while (holds(look, value, 1))
        value++;
    look->refuses = true;
    look->refused = *value;
}

static void look_for_narrowest(cairn_value_look *look, const double *value, int n)
{
    if (look->words) {
        cairn_value_dictionary_add(look->dictionary, value, n);
        return;
    }
    look->one          = look->one && cairn_values_are_equal(value, n, look->first);
    look->integer      = look->integer && all_integers(look, value, n);
    look->floats.half  = look->floats.half && all_short(CAIRN_VALUE_FLOAT, value, n);
    look->floats.brain = look->floats.brain && all_short(CAIRN_VALUE_BFLOAT, value, n);
    if (!look->integer) /* which are singles */
        look->floats.single = look->floats.single && all_single(value, n);
}

/// Is there a type left that may hold them?
static bool goes_on(const cairn_value_look *look)
{
    if (look->named) return !look->refuses;
    if (look->words) return !look->dictionary->full;
    return look->one || look->integer || look->floats.half || look->floats.brain
           || look->floats.single;
}

/// Widened, a signalling NaN of an f32 is another, a quiet one: no other type holds it.
static bool is_signalling(const float *value)
{
    uint32_t bits;

    memcpy(&bits, value, sizeof bits);
    return (bits & 0x7fc00000u) == 0x7f800000u && (bits & 0x003fffffu) != 0;
}

static void refuse_all(cairn_value_look *look)
{
    look->one = look->integer = look->floats.half = look->floats.brain =
        look->floats.single                       = false;
    look->dictionary->full                        = true;
    look->refuses                                 = true;
    look->refused                                 = NAN;
}

static void widen_strip(cairn_value_look *look, const float *value, int n, double *wide)
{
    bool signalling = false;

    for (int i = 0; i < n; i++) {
        wide[i] = value[i];
        signalling |= is_signalling(&value[i]);
    }
    if (signalling) refuse_all(look);
}

static void look_at_strip(cairn_value_look *look, const double *value, int n)
{
    if (!look->seen) look->first = value[0];
    look->seen = true;
    (look->named ? look_for_asked : look_for_narrowest)(look, value, n);
}

void cairn_value_look_at(cairn_value_look *look, const void *values, int64_t n)
{
    double strip[STRIP];

    for (int64_t k = 0; k < n && goes_on(look); k += STRIP) {
        const int     m     = n - k < STRIP ? (int)(n - k) : STRIP;
        const double *value = (const double *)values + k;

        if (look->carrier_bits == 32) {
            widen_strip(look, (const float *)values + k, m, strip);
            value = strip;
        }
        look_at_strip(look, value, m);
    }
}

bool cairn_value_look_again(cairn_value_look *look)
{
    if (look->named || look->words || !look->seen || look->one || look->integer)
        return false;
    return look->words = true;
}

bool cairn_value_look_holds(const cairn_value_look *look)
{
    return !look->refuses;
}

/// Do codes of so many bits take less, with their dictionary, than so many bits a value?
static bool is_less(int64_t values, int code_bits, int bits)
{
    return values / 8 * (bits - code_bits) > (int64_t)sizeof(double) << code_bits;
}

cairn_value_storage cairn_value_look_narrowest(const cairn_value_look *look,
                                               int64_t                 values)
{
    const cairn_value_dictionary *d        = look->dictionary;
    const bool                    is_short = look->floats.half || look->floats.brain;
    const int rest = is_short ? 16 : look->floats.single ? 32 : look->carrier_bits;
    const cairn_value_storage wide = {CAIRN_VALUE_FLOAT, look->carrier_bits, 0};

    if (!look->seen) return wide;
    if (look->one) return (cairn_value_storage){CAIRN_VALUE_ONE, look->carrier_bits, 0};
    if (look->integer)
        return (cairn_value_storage){
            CAIRN_VALUE_INTEGER,
            look->low >= INT8_MIN && look->high <= INT8_MAX ? 8 : 16, 0};
    if (!d->full && d->count <= SMALL_WORDS && is_less(values, 8, rest))
        return (cairn_value_storage){CAIRN_VALUE_CODE, 8, 0};
    if (is_short)
        return (cairn_value_storage){
            look->floats.half ? CAIRN_VALUE_FLOAT : CAIRN_VALUE_BFLOAT, 16, 0};
    if (look->floats.single) return (cairn_value_storage){CAIRN_VALUE_FLOAT, 32, 0};
    if (!d->full && is_less(values, 16, rest))
        return (cairn_value_storage){CAIRN_VALUE_CODE, 16, 0};
    return wide;
}

/* ---- moving ---- */

CAIRN_WIDE void cairn_values_store(const double                 *value,
                                   int                           n,
                                   const cairn_value_dictionary *dictionary,
                                   const cairn_kernel_part      *to,
                                   int64_t                       begin)
{
    /* A byte may be any object's, `to` among them: what is written has to be said. */
    int8_t *restrict const bytes = (int8_t *)to->val + begin;

    if (to->val_kind == CAIRN_VALUE_INTEGER && to->val_bits == 8)
        for (int k = 0; k < n; k++)
            bytes[k] = (int8_t)value[k];
    else if (to->val_kind == CAIRN_VALUE_INTEGER)
        for (int k = 0; k < n; k++)
            ((int16_t *)to->val)[begin + k] = (int16_t)value[k];
    else if (to->val_kind == CAIRN_VALUE_CODE && to->val_bits == 8)
        for (int k = 0; k < n; k++)
            ((uint8_t *)to->val)[begin + k] =
                (uint8_t)dictionary->slot[slot_of(dictionary, bits_of(value[k]))];
    else if (to->val_kind == CAIRN_VALUE_CODE)
        for (int k = 0; k < n; k++)
            ((uint16_t *)to->val)[begin + k] =
                (uint16_t)dictionary->slot[slot_of(dictionary, bits_of(value[k]))];
    else if (to->val_kind == CAIRN_VALUE_BFLOAT)
        for (int k = 0; k < n; k++)
            ((uint16_t *)to->val)[begin + k] = cairn_bf16_nearest(value[k]);
    else if (to->val_bits == 16)
        for (int k = 0; k < n; k++)
            ((uint16_t *)to->val)[begin + k] = cairn_f16_nearest(value[k]);
    else if (to->val_bits == 32)
        for (int k = 0; k < n; k++)
            ((float *)to->val)[begin + k] = (float)value[k];
    else
        memcpy((double *)to->val + begin, value, (size_t)n * sizeof *value);
}

/// Read [n] values from place @p begin on, widened.
static void
load_strip(const cairn_kernel_part *from, int64_t begin, int n, double strip[STRIP])
{
    const bool one   = from->val_kind == CAIRN_VALUE_ONE;
    const bool apart = from->val_block != 1 || one;

    if (one) strip[0] = cairn_value_get(from, begin);
    if (one)
        for (int i = 1; i < n; i++)
            strip[i] = strip[0];
    else if (!apart && from->val_kind == CAIRN_VALUE_FLOAT && from->val_bits == 64)
        memcpy(strip, (const double *)from->val + begin, (size_t)n * sizeof *strip);
    else if (!apart && from->val_kind == CAIRN_VALUE_INTEGER && from->val_bits == 8)
        for (int i = 0; i < n; i++)
            strip[i] = ((const int8_t *)from->val)[begin + i];
    else if (!apart && from->val_kind == CAIRN_VALUE_INTEGER)
        for (int i = 0; i < n; i++)
            strip[i] = ((const int16_t *)from->val)[begin + i];
    else if (!apart && from->val_kind == CAIRN_VALUE_FLOAT && from->val_bits == 32)
        for (int i = 0; i < n; i++)
            strip[i] = ((const float *)from->val)[begin + i];
    else
        for (int i = 0; i < n; i++)
            strip[i] = cairn_value_get(from, begin + i);
}

void cairn_value_look_at_part(cairn_value_look *look, const cairn_kernel_part *view)
{
    const bool wide =
        view->val_kind == CAIRN_VALUE_FLOAT && view->val_bits == look->carrier_bits;
    const int64_t n =
        view->val_kind == CAIRN_VALUE_ONE && view->values > 0 ? 1 : view->values;
    double strip[STRIP];

    if (wide) {
        cairn_value_look_at(look, view->val, n);
        return;
    }
    for (int64_t k = 0; k < n && goes_on(look); k += STRIP) {
        const int m = n - k < STRIP ? (int)(n - k) : STRIP;

        load_strip(view, k, m, strip);
        look_at_strip(look, strip, m);
    }
}

void cairn_values_move(const cairn_kernel_part      *from,
                       const cairn_value_dictionary *dictionary,
                       const cairn_kernel_part      *to)
{
    const int64_t values = cairn_stored_values(to);
    double        strip[STRIP];

    for (int64_t k = 0; k < values; k += STRIP) {
        const int n = values - k < STRIP ? (int)(values - k) : STRIP;

        load_strip(from, k, n, strip);
        cairn_values_store(strip, n, dictionary, to, k);
    }
}
