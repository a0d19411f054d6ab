// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A caller's coordinates: however they lie and in whatever order they stand, what is made
/// of them is what is made of a copy; not one byte beside them is read, and none of theirs
/// is written.

#include "api/api.h"
#include "support/arrays.h"
#include "support/every_format.h"
#include "support/random_format.h"
#include "support/seed.h"
#include "support/suite_context.h"
#include "support/walled.h"

enum { MOST = 400, ORDERS = 3 };

TestSuite(coords, .init = context_up, .fini = context_down, .timeout = 600);

/* ---- lists ---- */

typedef enum { APART, TOGETHER, WITH_VALUE, LOOSELY, MISALIGNED, WAYS } way;

/// A list as a caller has it, each array in memory that ends where it does, or begins so.
typedef struct {
    int          order;
    int64_t      extent[ORDERS], n;
    int64_t      coord[MOST * ORDERS]; ///< From 0 on.
    double       value[MOST];
    bool         valued;
    cairn_coords given;
    walled       memory[ORDERS + 1];
    int          arrays;
} list;

static int before(const list *l, int64_t p, int64_t q)
{
    for (int k = 0; k < l->order; k++) {
        const int64_t a = l->coord[p * l->order + k], b = l->coord[q * l->order + k];

        if (a != b) return a < b ? -1 : 1;
    }
    return 0;
}

static void exchange(list *l, int64_t p, int64_t q)
{
    for (int k = 0; k < l->order; k++) {
        const int64_t d = l->coord[p * l->order + k];

        l->coord[p * l->order + k] = l->coord[q * l->order + k];
        l->coord[q * l->order + k] = d;
    }
    const double v = l->value[p];

    l->value[p] = l->value[q];
    l->value[q] = v;
}

/// Insertion, stable. @p once: repeats go.
static void sort(list *l, bool once)
{
    for (int64_t p = 1; p < l->n; p++)
        for (int64_t q = p; q > 0 && before(l, q, q - 1) < 0; q--)
            exchange(l, q, q - 1);
    for (int64_t p = 1; once && p < l->n;)
        if (before(l, p, p - 1) == 0) {
            for (int64_t q = p; q + 1 < l->n; q++)
                exchange(l, q, q + 1);
            l->n--;
        } else {
            p++;
        }
}

static void draw(uint64_t *state, list *l)
{
    const int state_of_order = random_below(state, 4);
    const int most           = random_chance(state, 30) ? 20 : MOST;

    l->order = 1 + random_below(state, ORDERS);
    if (random_chance(state, 40)) l->order = 2;
    for (int k = 0; k < l->order; k++)
        l->extent[k] = 1 + random_below(state, random_chance(state, 20) ? 300 : 25);
    l->n = random_chance(state, 8) ? 0 : random_below(state, most);
    for (int64_t p = 0; p < l->n; p++) {
        for (int k = 0; k < l->order; k++)
            l->coord[p * l->order + k] = random_below(state, (int)l->extent[k]);
        l->value[p] = (double)(1 + random_below(state, 63)) / 8;
    }
    l->valued = random_chance(state, 85);
    for (int64_t p = 0; p < l->n && !l->valued; p++)
        l->value[p] = 1;
    /* In no order; by rows, with repeats; by everything; and so but for one. */
    if (state_of_order > 0) sort(l, state_of_order > 1);
    if (state_of_order == 3 && l->n > 1)
        exchange(l, random_below(state, (int)l->n), random_below(state, (int)l->n));
}

static void store(char *at, int bits, int64_t number)
{
    const int32_t narrow = (int32_t)number;

    if (bits == 32)
        memcpy(at, &narrow, sizeof narrow);
    else
        memcpy(at, &number, sizeof number);
}

static void store_value(char *at, cairn_dtype dtype, double value)
{
    const float narrow = (float)value;

    if (dtype == CAIRN_F32)
        memcpy(at, &narrow, sizeof narrow);
    else
        memcpy(at, &value, sizeof value);
}

/// Memory of so many bytes that ends at a wall, or begins at one.
static char *room(list *l, int64_t bytes, bool at_end)
{
    walled *w = &l->memory[l->arrays++];

    cr_assert_leq(l->arrays, ORDERS + 1);
    *w = wall((size_t)bytes);
    return w->base + (at_end ? w->pages - (size_t)bytes : 0);
}

/// Lay a list out.
static void
lay_out(list *l, way how, int bits, int base, cairn_dtype dtype, bool at_end)
{
    const int64_t idx = bits / 8, val = dtype == CAIRN_F32 ? 4 : 8;
    const int64_t gap    = how == LOOSELY || how == MISALIGNED ? idx : 0;
    const int64_t off    = how == MISALIGNED ? 3 : 0;
    int64_t       fields = l->order * idx, stride = idx + gap, val_stride = val;
    char         *at[ORDERS], *values = NULL;

    l->arrays = 0;
    if (how == TOGETHER || how == WITH_VALUE) stride = fields;
    if (how == WITH_VALUE) {
        const int64_t widest = idx > val ? idx : val;

        fields     = (fields + val - 1) / val * val;
        stride     = (fields + val + widest - 1) / widest * widest;
        val_stride = stride;
    }
    if (how == LOOSELY) val_stride = 2 * val;
    if (how == TOGETHER || how == WITH_VALUE) {
        const int64_t last = how == WITH_VALUE ? stride : fields;

        at[0] = room(l, l->n > 0 ? (l->n - 1) * stride + last : 0, at_end);
        for (int k = 1; k < l->order; k++)
            at[k] = at[0] + k * idx;
        if (how == WITH_VALUE) values = at[0] + fields;
    } else {
        for (int k = 0; k < l->order; k++)
            at[k] =
                room(l, l->n > 0 ? (l->n - 1) * stride + idx + off : off, at_end) + off;
    }
    if (!values && l->valued)
        values = room(l, l->n > 0 ? (l->n - 1) * val_stride + val : 0, at_end);
    l->given = (cairn_coords)CAIRN_COORDS;
    for (int64_t p = 0; p < l->n; p++) {
        for (int k = 0; k < l->order; k++)
            /* Of what is out of range the sum may wrap. */
            store(at[k] + p * stride, bits,
                  (int64_t)((uint64_t)l->coord[p * l->order + k] + (uint64_t)base));
        if (values) store_value(values + p * val_stride, dtype, l->value[p]);
    }
    l->given.order      = l->order;
    l->given.entries    = l->n;
    l->given.idx_bits   = bits;
    l->given.idx_stride = stride == idx ? 0 : stride;
    l->given.base       = base;
    l->given.val        = l->valued ? values : NULL;
    l->given.val_stride = val_stride == val ? 0 : val_stride;
    l->given.dtype      = dtype;
    for (int k = 0; k < l->order; k++) {
        l->given.extent[k] = l->extent[k];
        l->given.idx[k]    = at[k];
    }
    for (int k = 0; k < l->arrays; k++)
        cr_assert_eq(mprotect(l->memory[k].base, l->memory[k].pages, PROT_READ), 0);
}

static void give_back(list *l)
{
    while (l->arrays > 0)
        tear_down(&l->memory[--l->arrays]);
}

/* ---- what is made of them ---- */

static const char *const cubes[] = {
    "#encoding<{ idx_map<(d0,d1,d2)->(d0,d1,d2)>, mutation<trim(0,2)> }>",
    "#encoding<{ idx_map<(d0,d1,d2)->(d2,d0,d1)>, mutation<merge(0,1), trim(1,2)> }>",
    "#encoding<{ idx_map<(d0,d1,d2)->(d0,d1,d2)>, mutation<merge(0,1), trim(0,2)> }>"};
static const char *const rows[] = {
    "#encoding<{ idx_map<(d0)->(d0)>, mutation<trim(0,0)> }>",
    "#encoding<{ idx_map<(d0)->(d0)> }>",
    "#encoding<{ idx_map<(d0)->(d0 / 4,d0 % 4)>, mutation<trim(0,0)> }>"};

static const char *draw_text(uint64_t *state, int order)
{
    return order == 2   ? formats[random_below(state, FORMATS)]
           : order == 1 ? rows[random_below(state, 3)]
                        : cubes[random_below(state, 3)];
}

/// By way of a copy of 64-bit coordinates from 0 on.
static cairn_tensor *make_copied(const list *l, const char *text, cairn_dtype dtype)
{
    cairn_source *source;
    cairn_tensor *tensor;

    MUST(context, cairn_source_from_coords(context, l->order, l->extent, l->n, l->coord,
                                           l->value, CAIRN_BY_NNZ, &source));
    tensor = must_store(context, source, text, dtype);
    cairn_source_destroy(&source);
    return tensor;
}

static void
expect_same(cairn_tensor *a, cairn_tensor *b, const char *what, uint64_t seed)
{
    static parts_seen seen, other;

    parts_get(context, a, &seen);
    parts_get(context, b, &other);
    cr_expect(parts_same(&seen, &other), "seed %llu: %s", (unsigned long long)seed,
              what);
    parts_restore(context, a, &seen);
    parts_restore(context, b, &other);
}

/// Borrowed as they are, and converted from there; or refused, unless they ascend.
static void check_borrowed(list *l, way how, const char *text, uint64_t seed)
{
    cairn_tensor      *lent = NULL, *made;
    bool               once = true;
    const cairn_status status =
        cairn_tensor_from_coords(context, &l->given, CAIRN_BORROW, NULL, &lent);

    for (int64_t p = 1; p < l->n; p++)
        once = once && before(l, p - 1, p) < 0;
    if (!once || (l->n > 0 && (!l->valued || how == MISALIGNED))) {
        cr_expect_eq(status, CAIRN_BAD_ARGUMENT, "seed %llu", (unsigned long long)seed);
        return;
    }
    if (status
        != CAIRN_OK) { /* what lies loosely may be one of the others all the same */
        cr_expect_eq(how, LOOSELY, "seed %llu: %s", (unsigned long long)seed,
                     cairn_context_message(context));
        return;
    }
    cairn_format *format = must_format(context, text);
    cairn_tensor *copied = make_copied(l, text, l->given.dtype);

    MUST(context, cairn_tensor_convert(lent, format, &made));
    expect_same(copied, made, "borrowed", seed);
    if (l->order == 2 && l->n > 0) {
        double *y = must_multiply(context, lent), *z = must_multiply(context, copied);

        for (int64_t i = 0; i < l->extent[0]; i++)
            cr_assert_float_eq(y[i], z[i], l->given.dtype == CAIRN_F32 ? 1e-3 : 1e-11,
                               "seed %llu", (unsigned long long)seed);
        free(y);
        free(z);
    }
    cairn_tensor_destroy(&made);
    cairn_tensor_destroy(&copied);
    cairn_tensor_destroy(&lent);
    cairn_format_destroy(&format);
}

static void check_case(uint64_t seed)
{
    static list       l;
    uint64_t          state = seed;
    const way         how   = (way)random_below(&state, WAYS);
    const int         bits  = random_chance(&state, 50) ? 32 : 64;
    const int         base  = random_below(&state, 2);
    const cairn_dtype dtype = random_chance(&state, 70) ? CAIRN_F64 : CAIRN_F32;
    const bool        end   = random_chance(&state, 50);

    draw(&state, &l);
    const char *const text = draw_text(&state, l.order);

    lay_out(&l, how, bits, base, dtype, end);
    cairn_format *format = must_format(context, text);
    cairn_tensor *made, *copied = make_copied(&l, text, dtype);

    cr_assert_eq(
        cairn_tensor_from_coords(context, &l.given,
                                 random_chance(&state, 50) ? CAIRN_COPY : CAIRN_BORROW,
                                 format, &made),
        CAIRN_OK, "seed %llu: %s", (unsigned long long)seed,
        cairn_context_message(context));
    expect_same(copied, made, text, seed);
    cairn_tensor_destroy(&made);
    cairn_tensor_destroy(&copied);
    MUST(context, cairn_tensor_from_coords(context, &l.given, CAIRN_COPY, NULL, &made));
    cr_expect_leq(cairn_tensor_entries(made), l.n);
    cairn_tensor_destroy(&made);
    cairn_format_destroy(&format);
    check_borrowed(&l, how, text, seed);
    give_back(&l);
}

static void check_cases(const char *kernels, int cases)
{
    const uint64_t first = seed_clock() * 1000003;

    printf("first seed %llu\n", (unsigned long long)first);
    context->env.options.kernels =
        strcmp(kernels, "auto") == 0 ? CAIRN_KERNELS_AUTO : CAIRN_KERNELS_REFERENCE;
    for (uint64_t seed = first; seed < first + (uint64_t)seed_cases(cases); seed++)
        check_case(seed);
    context->env.options.kernels = CAIRN_KERNELS_AUTO;
}

Test(coords, of_all_kinds_make_what_a_copy_makes)
{
    check_cases("auto", 400);
}

Test(coords, by_the_reference_way_too)
{
    check_cases("reference", 100);
}

/* ---- what is refused ---- */

/// One coordinate of one entry is another.
static void check_outside(uint64_t seed)
{
    static list   l;
    uint64_t      state = seed;
    const int     bits  = random_chance(&state, 50) ? 32 : 64;
    const int     base  = random_below(&state, 2);
    const way     how   = (way)random_below(&state, WAYS);
    cairn_tensor *made  = NULL;
    char          words[96];

    do
        draw(&state, &l);
    while (l.n == 0);
    const int     p = random_below(&state, (int)l.n), k = random_below(&state, l.order);
    const int64_t low     = bits == 32 ? INT32_MIN : INT64_MIN;
    const int64_t top     = bits == 32 ? INT32_MAX : INT64_MAX;
    const int64_t wrong[] = {-1 + base, l.extent[k] + base, low,        low + 1, top,
                             top - 1,   low / 2 - 17,       top / 2 + 5};
    const int64_t d       = wrong[random_below(&state, 8)];

    l.coord[p * l.order + k] = (int64_t)((uint64_t)d - (uint64_t)base);
    lay_out(&l, how, bits, base, CAIRN_F64, true);
    snprintf(words, sizeof words, "entry %d: d%d = %" PRId64 " is outside %d..%" PRId64,
             p, k, d, base, l.extent[k] - 1 + base);
    cr_expect_eq(cairn_tensor_from_coords(context, &l.given, CAIRN_COPY, NULL, &made),
                 CAIRN_BAD_COORD, "seed %llu", (unsigned long long)seed);
    cr_expect(strstr(cairn_context_message(context), words), "seed %llu: no '%s' in %s",
              (unsigned long long)seed, words, cairn_context_message(context));
    cr_expect_null(made);
    give_back(&l);
}

/// What CHECK finds in lists chooses how the program goes on.
Test(coords, programs_begin_with_the_check_of_the_lists)
{
    static const struct {
        int64_t     row[4], col[4];
        const char *passes;
    } cases[] = {
        {{0, 0, 1, 2}, {1, 2, 0, 3}, "Check"             },
        {{0, 2, 1, 0}, {1, 3, 0, 2}, "Check Sort"        },
        {{0, 0, 1, 1}, {1, 2, 3, 3}, "Check Combine"     },
        {{1, 0, 1, 2}, {3, 2, 3, 0}, "Check Sort Combine"},
    };
    static const double val[] = {1, 2, 3, 4};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        cairn_coords  given      = CAIRN_COORDS;
        cairn_format *format     = must_format(context, "csr");
        cairn_tensor *tensor     = NULL;
        char          looks[100] = "";

        given.order     = 2;
        given.extent[0] = 3;
        given.extent[1] = 4;
        given.rows      = 3;
        given.entries   = 4;
        given.idx[0]    = cases[k].row;
        given.idx[1]    = cases[k].col;
        given.idx_bits  = 64;
        given.val       = val;
        MUST(context,
             cairn_tensor_from_coords(context, &given, CAIRN_COPY, format, &tensor));
        for (int p = 0; p < cairn_path_passes(cairn_tensor_path(tensor)); p++) {
            const cairn_pass_info pass = cairn_path_pass(cairn_tensor_path(tensor), p);

            if (strcmp(pass.method, "arrays") != 0) break;
            strcat(strcat(looks, p ? " " : ""), pass.pass);
        }
        cr_expect_str_eq(looks, cases[k].passes);
        cairn_tensor_destroy(&tensor);
        cairn_format_destroy(&format);
    }
}

Test(coords, out_of_range_are_named)
{
    const uint64_t first = seed_clock() * 1000003;

    printf("first seed %llu\n", (unsigned long long)first);
    for (uint64_t seed = first; seed < first + (uint64_t)seed_cases(400); seed++)
        check_outside(seed);
}

Test(coords, what_32_bits_cannot_name_is_not_taken_for_something_else)
{
    static const int32_t i[] = {0, 1}, j[] = {5, -1};
    static const double  v[]  = {1, 2};
    cairn_tensor        *made = NULL;
    cairn_coords         c    = CAIRN_COORDS;

    c.extent[0] = 2;
    c.extent[1] = (int64_t)1 << 33; /* of which column 2^32 - 1 is one */
    c.entries   = 2;
    c.idx[0]    = i;
    c.idx[1]    = j;
    c.idx_bits  = 32;
    c.val       = v;
    REFUSED(context, BAD_COORD, "entry 1: d1 = -1 is outside",
            cairn_tensor_from_coords(context, &c, CAIRN_COPY, NULL, &made));
    c.entries = 1;
    REFUSED(context, BAD_ARGUMENT, "more than 32 bits",
            cairn_tensor_from_coords(context, &c, CAIRN_BORROW, NULL, &made));
    MUST(context, cairn_tensor_from_coords(context, &c, CAIRN_COPY, NULL, &made));
    cairn_tensor_destroy(&made);
}

Test(coords, borrowed_ones_say_what_is_wrong_with_them)
{
    static const int64_t i[] = {0, 1, 1}, j[] = {0, 1, 1};
    static const double  v[]  = {1, 2, 3};
    cairn_tensor        *made = NULL;
    cairn_coords         c    = CAIRN_COORDS;

    c.extent[0] = c.extent[1] = 2;
    c.entries                 = 3;
    c.idx[0]                  = i;
    c.idx[1]                  = j;
    c.val                     = v;
    REFUSED(context, BAD_ARGUMENT, "must ascend",
            cairn_tensor_from_coords(context, &c, CAIRN_BORROW, NULL, &made));
    c.entries = 2;
    c.val     = NULL;
    REFUSED(context, BAD_ARGUMENT, "val: is NULL",
            cairn_tensor_from_coords(context, &c, CAIRN_BORROW, NULL, &made));
    c.val = (const char *)v + 4;
    REFUSED(context, BAD_ARGUMENT, "multiples of their elements' widths",
            cairn_tensor_from_coords(context, &c, CAIRN_BORROW, NULL, &made));
    c.val       = v;
    c.first_row = 1;
    REFUSED(context, BAD_ARGUMENT, "first_row",
            cairn_tensor_from_coords(context, &c, CAIRN_BORROW, NULL, &made));
    cr_expect_null(made);
}

/* ---- nothing is copied ---- */

enum { SIDE = 700, EACH = 600, MANY = SIDE * EACH };

static int32_t many_i[MANY], many_j[MANY];
static double  many_v[MANY];

/// Bytes that a call allocates, beside the arrays of what it makes.
static int64_t bytes_beside(cairn_coords *c, cairn_copy_mode mode, const char *text)
{
    cairn_format    *format = text ? must_format(context, text) : NULL;
    const int64_t    before = context->env.allocated;
    cairn_tensor    *made;
    cairn_part_info *parts;
    int64_t          count, bytes = 0;

    MUST(context, cairn_tensor_from_coords(context, c, mode, format, &made));
    const int64_t after = context->env.allocated;

    MUST(context, cairn_tensor_parts(made, &count, &parts));
    for (int64_t p = 0; p < count && mode != CAIRN_BORROW; p++)
        bytes += parts[p].bytes;
    cairn_parts_free(made, &parts);
    cairn_tensor_destroy(&made);
    cairn_format_destroy(&format);
    return after - before - bytes;
}

Test(coords, that_ascend_are_not_copied)
{
    cairn_coords c = CAIRN_COORDS;

    for (int p = 0; p < MANY; p++) {
        many_i[p] = p / EACH;
        many_j[p] = p % EACH + p / EACH % (SIDE - EACH);
        many_v[p] = 1 + p % 9;
    }
    c.extent[0] = c.extent[1] = SIDE;
    c.entries                 = MANY;
    c.idx[0]                  = many_i;
    c.idx[1]                  = many_j;
    c.idx_bits                = 32;
    c.val                     = many_v;
    bytes_beside(&c, CAIRN_COPY, "csr"); /* which may have compiled something */
    bytes_beside(&c, CAIRN_COPY, NULL);
    cr_expect_lt(bytes_beside(&c, CAIRN_BORROW, NULL), 8 * MANY);
    cr_expect_lt(bytes_beside(&c, CAIRN_COPY, "csr"), 8 * MANY);
    cr_expect_lt(bytes_beside(&c, CAIRN_COPY, NULL), 8 * MANY);
    many_j[MANY - 1]--; /* twice: the copy takes 16 bytes an entry or more */
    cr_expect_gt(bytes_beside(&c, CAIRN_COPY, "csr"), 16 * MANY);
}

/* ---- by rows to compressed rows ---- */

enum { LINES = 300000 };

static int32_t row_of[LINES], col_of[LINES];
static double  value_of[LINES];

/// Rows are empty or have entries, up to so many of each kind in turn, at random.
///
/// @param[out] rows  That there are.
/// @return the entries, at most @p most.
static int64_t
draw_rows(uint64_t *state, int64_t most, int empty, int full, int64_t *rows)
{
    int64_t n = 0, i = random_below(state, empty + 1);

    while (n < most) {
        const int its = 1 + random_below(state, full);

        for (int k = 0; k < its && n < most; k++, n++) {
            row_of[n]   = (int32_t)i;
            col_of[n]   = 3 * k;
            value_of[n] = 1 + (double)(n % 1000) / 8;
        }
        i += 1 + (random_chance(state, 30) ? random_below(state, empty + 1) : 0);
    }
    *rows = i + random_below(state, empty + 1);
    return n;
}

/// Each row begins where the first entry is that is not before it, and all else stands
/// where it stood.
static void
expect_rows(const cairn_tensor *made, int64_t n, int64_t rows, uint64_t seed)
{
    const cairn_kernel_part  *view  = &made->local->part[0].view;
    const cairn_kernel_level *level = &view->level[1];

    for (int64_t i = 0, p = 0; i <= rows; i++) {
        while (p < n && row_of[p] < i)
            p++;
        cr_assert_eq(
            cairn_load_int(level->ptr, i, level->ptr_bits / 8, level->ptr_bits, false),
            p, "seed %llu: row %lld", (unsigned long long)seed, (long long)i);
    }
    for (int64_t p = 0; p < n; p++) {
        cr_assert_eq(
            cairn_load_int(level->idx, p, level->idx_bits / 8, level->idx_bits, false),
            col_of[p], "seed %llu: entry %lld", (unsigned long long)seed, (long long)p);
        cr_assert_eq(cairn_value_get(view, p), value_of[p]);
    }
}

/// Rows with entries and without in all mixtures, few and so many that threads share them;
/// the arrays are not visited entry by entry, but copied.
Test(coords, by_rows_are_copied_to_compressed_rows)
{
    const uint64_t first  = seed_clock() * 1000003;
    cairn_format  *format = must_format(context, "csr");

    for (uint64_t seed = first; seed < first + (uint64_t)seed_cases(60); seed++) {
        uint64_t      state = seed;
        const bool    many  = seed % 30 == 0;
        const int64_t most  = many ? LINES : 1 + random_below(&state, 900);
        const int     empty = random_below(&state, 2) * random_below(&state, 60);
        cairn_coords  given = CAIRN_COORDS;
        int64_t       rows;
        cairn_tensor *made;

        given.entries =
            draw_rows(&state, most, empty, 1 + random_below(&state, 20), &rows);
        given.extent[0] = rows;
        given.extent[1] = random_chance(&state, 50) ? 100 : 70000;
        given.idx[0]    = row_of;
        given.idx[1]    = col_of;
        given.idx_bits  = 32;
        given.val       = value_of;
        MUST(context, cairn_context_set_threads(context, many ? 3 : 1));
        MUST(context,
             cairn_tensor_from_coords(context, &given, CAIRN_COPY, format, &made));
        expect_rows(made, given.entries, rows, seed);
        if (many)
            cr_expect(strstr(cairn_tensor_how(made), "share: Append"), "%s",
                      cairn_tensor_how(made));
        cairn_tensor_destroy(&made);
    }
    cairn_format_destroy(&format);
}

enum {
    FIRST = 5000
}; /* entries whose order says that the others are looked at later */

/// Draw rows that are more than that.
static cairn_coords draw_many(uint64_t *state, int64_t *rows)
{
    const int64_t most =
        random_chance(state, 30) ? LINES : FIRST + 1000 + random_below(state, 9000);
    cairn_coords given = CAIRN_COORDS;

    given.entries   = draw_rows(state, most, random_below(state, 9), 20, rows);
    given.extent[0] = *rows;
    given.extent[1] = random_chance(state, 50) ? 100 : 70000;
    given.idx[0]    = row_of;
    given.idx[1]    = col_of;
    given.idx_bits  = 32;
    given.val       = value_of;
    return given;
}

/// Entry @p p is out of range, and named.
static void expect_outside(uint64_t           *state,
                           const cairn_coords *given,
                           int64_t             p,
                           const cairn_format *format,
                           uint64_t            seed)
{
    const int      k     = random_below(state, 2);
    int32_t *const its   = k == 0 ? row_of : col_of;
    const int32_t  far[] = {-1, (int32_t)given->extent[k], INT32_MAX, INT32_MIN};
    cairn_tensor  *made  = NULL;
    char           words[64];

    its[p] = far[random_below(state, 4)];
    snprintf(words, sizeof words, "entry %lld: d%d = %d is outside", (long long)p, k,
             its[p]);
    cr_assert_eq(cairn_tensor_from_coords(context, given, CAIRN_COPY, format, &made),
                 CAIRN_BAD_COORD, "seed %llu", (unsigned long long)seed);
    cr_assert(strstr(cairn_context_message(context), words), "seed %llu: no '%s' in %s",
              (unsigned long long)seed, words, cairn_context_message(context));
    cr_assert_null(made);
}

static void exchange_lines(int64_t p)
{
    const int32_t row = row_of[p], col = col_of[p];
    const double  value = value_of[p];

    row_of[p]       = row_of[p + 1];
    col_of[p]       = col_of[p + 1];
    value_of[p]     = value_of[p + 1];
    row_of[p + 1]   = row;
    col_of[p + 1]   = col;
    value_of[p + 1] = value;
}

/// Entry @p p stands behind the next, or where that stands.
static void spoil(int64_t p, bool twice)
{
    if (twice) {
        row_of[p] = row_of[p + 1];
        col_of[p] = col_of[p + 1];
    } else {
        exchange_lines(p);
    }
}

/// Was a list looked at before anything was made of it?
static bool was_looked_at_before(const cairn_tensor *made)
{
    const cairn_task_log *log = &made->how.log;

    for (int k = 0; k < log->tasks; k++)
        if (strcmp(log->entry[k].task.label, "check") == 0) return true;
    return false;
}

/// The status of a list that is wrong in this way among its first entries, by which it is
/// looked at before. It is right again.
static cairn_status status_of_early(uint64_t           *state,
                                    const cairn_coords *given,
                                    bool                twice,
                                    const cairn_format *format)
{
    const int     p   = random_below(state, 4000);
    const int32_t row = row_of[p], col = col_of[p];
    cairn_tensor *made = NULL;

    spoil(p, twice);
    const cairn_status status =
        cairn_tensor_from_coords(context, given, CAIRN_COPY, format, &made);

    if (status == CAIRN_OK) cr_assert(was_looked_at_before(made));
    cairn_tensor_destroy(&made);
    if (twice) {
        row_of[p] = row;
        col_of[p] = col;
    } else {
        exchange_lines(p);
    }
    return status;
}

/// Entry @p p is wrong, which has the status that it has further up; is there memory, and
/// does the way apply, the list is mended: entries that are there twice are added.
static void expect_mended(cairn_coords       *given,
                          int64_t             p,
                          bool                twice,
                          cairn_status        expected,
                          const cairn_format *format,
                          uint64_t            seed)
{
    const size_t  left = (size_t)(given->entries - p - 1);
    cairn_tensor *made = NULL;

    spoil(p, twice);
    cr_assert_eq(cairn_tensor_from_coords(context, given, CAIRN_COPY, format, &made),
                 expected, "seed %llu: not status %d: %s", (unsigned long long)seed,
                 expected, cairn_context_message(context));
    cr_assert_eq(made != NULL, expected == CAIRN_OK);
    if (!made) return;
    if (twice) {
        value_of[p + 1] += value_of[p];
        memmove(row_of + p, row_of + p + 1, left * sizeof *row_of);
        memmove(col_of + p, col_of + p + 1, left * sizeof *col_of);
        memmove(value_of + p, value_of + p + 1, left * sizeof *value_of);
        given->entries--;
    } else {
        exchange_lines(p);
    }
    cr_assert_eq(made->local->part[0].nnz, given->entries, "seed %llu",
                 (unsigned long long)seed);
    expect_rows(made, given->entries, given->extent[0], seed);
    cairn_tensor_destroy(&made);
}

/// Nothing is wrong, and nobody looks before; two of the ways do not lead from a list that
/// ascends to compressed rows.
static void
expect_copied(const cairn_coords *given, const cairn_format *format, uint64_t seed)
{
    const char *const way  = context->env.options.convert;
    cairn_tensor     *made = NULL;

    if (strcmp(way, "partitioned") == 0 || strcmp(way, "row-slots") == 0) {
        REFUSED(context, BAD_OPTION, "does not apply",
                cairn_tensor_from_coords(context, given, CAIRN_COPY, format, &made));
        return;
    }
    MUST(context, cairn_tensor_from_coords(context, given, CAIRN_COPY, format, &made));
    cr_assert(!was_looked_at_before(made), "seed %llu: %s", (unsigned long long)seed,
              cairn_tensor_how(made));
    expect_rows(made, given->entries, given->extent[0], seed);
    cairn_tensor_destroy(&made);
}

/// Compressed rows that are copied to, and such that are filled in another way, by which the
/// list is looked at before.
static const char *const lines[] = {
    "csr",
    "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)>, "
    "bits<ptr(1) = 64, idx(1) = 32> }>",
    "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)>, "
    "bits<idx = 64> }>"};

/// Ways, often any.
static void ask_for_a_way(uint64_t *state)
{
    static const char *const ways[] = {
        "", "", "", "append", "sort", "reference", "partitioned", "row-slots"};

    snprintf(context->env.options.convert, sizeof context->env.options.convert, "%s",
             ways[random_below(state, 8)]);
}

/// Where a way is asked for, memory for about what a list is mended in, 37 bytes an entry, and
/// less than what is needed to copy one as it lies, 53: such a copy may fail before the list
/// was looked at. Other ways, and what they need, go by the functions there are by then; and
/// whether much memory is there, which is more than a limit leaves beside it, by what else is.
static int64_t draw_limit(uint64_t *state, const cairn_coords *given)
{
    return context->env.options.convert[0] && given->entries < LINES
                   && random_chance(state, 70)
               ? given->entries * (20 + random_below(state, 41))
               : INT64_MAX;
}

/// The first of a list's entries ascend, so that it is looked at while it is copied; and one
/// behind them is out of range, or stands behind the next, or is there twice; or none is.
Test(coords, that_are_wrong_behind_the_first_ones_are_seen_while_they_are_copied)
{
    const uint64_t first = seed_clock() * 1000003;

    for (uint64_t seed = first; seed < first + (uint64_t)seed_cases(40); seed++) {
        uint64_t      state  = seed;
        cairn_format *format = must_format(context, lines[random_below(&state, 3)]);
        int64_t       rows;
        cairn_coords  given = draw_many(&state, &rows);
        const int64_t p = FIRST + random_below(&state, (int)given.entries - FIRST - 1);

        MUST(context, cairn_context_set_threads(context, 1 + random_below(&state, 3)));
        ask_for_a_way(&state);
        const int64_t limit = draw_limit(&state, &given);

        if (random_chance(&state, 20)) {
            expect_copied(&given, format, seed);
        } else if (random_chance(&state, 40)) {
            context->env.memory_limit = limit;
            expect_outside(&state, &given, p, format, seed);
        } else {
            const bool twice = random_chance(&state, 50);

            context->env.memory_limit = limit;
            const cairn_status early  = status_of_early(&state, &given, twice, format);

            expect_mended(&given, p, twice, early, format, seed);
        }
        context->env.memory_limit       = INT64_MAX;
        context->env.options.convert[0] = '\0';
        cairn_format_destroy(&format);
    }
}

Test(coords, borrowed_values_may_change)
{
    static const int64_t i[] = {0, 1, 1}, j[] = {0, 0, 1};
    double               v[] = {1, 2, 3}, other[3];
    cairn_tensor        *made;
    cairn_coords         c = CAIRN_COORDS;

    c.extent[0] = c.extent[1] = 2;
    c.entries                 = 3;
    c.idx[0]                  = i;
    c.idx[1]                  = j;
    c.val                     = v;
    MUST(context, cairn_tensor_from_coords(context, &c, CAIRN_BORROW, NULL, &made));
    v[2] = 5;
    MUST(context, cairn_tensor_update(made, v));
    REFUSED(context, BAD_ARGUMENT, "in place", cairn_tensor_update(made, other));
    double *y = must_multiply(context, made);

    cr_expect_float_eq(y[1], 2 * ramp(0) + 5 * ramp(1), 1e-14);
    free(y);
    cairn_tensor_destroy(&made);
}

/* ---- columns ---- */

Test(coords, by_columns_make_what_a_copy_makes)
{
    for (int k = 0; k < 2 * FORMATS; k++) {
        static list   l;
        uint64_t      state    = seed_clock() * 1000003 + (uint64_t)k;
        int64_t       ptr[301] = {0}, idx[MOST];
        int32_t       ptr32[301], idx32[MOST];
        double        val[MOST];
        int64_t       n    = 0;
        const char   *text = formats[k / 2];
        cairn_tensor *made, *lent, *converted;

        do
            draw(&state, &l);
        while (l.order != 2);
        sort(&l, k % 2);
        for (int64_t j = 0; j < l.extent[1]; j++) {
            for (int64_t p = 0; p < l.n; p++)
                if (l.coord[2 * p + 1] == j) {
                    idx[n]   = l.coord[2 * p];
                    val[n++] = l.value[p];
                }
            ptr[j + 1] = n;
        }
        for (int p = 0; p < 301; p++)
            ptr32[p] = (int32_t)ptr[p];
        for (int64_t p = 0; p < n; p++)
            idx32[p] = (int32_t)idx[p];
        const bool    wide   = random_chance(&state, 50);
        cairn_format *format = must_format(context, text);
        cairn_tensor *copied = make_copied(&l, text, CAIRN_F64);

        cr_assert_eq(
            cairn_tensor_from_csc(context, l.extent[0], l.extent[1], 0, l.extent[0],
                                  wide ? (void *)ptr : ptr32, wide ? 64 : 32,
                                  wide ? (void *)idx : idx32, wide ? 64 : 32, val,
                                  CAIRN_F64, CAIRN_COPY, format, &made),
            CAIRN_OK, "case %d, %s: %s", k, text, cairn_context_message(context));
        expect_same(copied, made, text, state);
        for (int64_t p = 0; p < n; p++)
            val[p] *= 2;
        MUST(context, cairn_tensor_update(made, val));
        double *y = must_multiply(context, made), *z = must_multiply(context, copied);

        for (int64_t i = 0; i < l.extent[0]; i++)
            cr_expect_float_eq(y[i], 2 * z[i], 1e-11, "%s", text);
        free(y);
        free(z);
        for (int64_t p = 0; p < n; p++)
            val[p] /= 2;
        MUST(context,
             cairn_tensor_from_csc(context, l.extent[0], l.extent[1], 0, l.extent[0],
                                   wide ? (void *)ptr : ptr32, wide ? 64 : 32,
                                   wide ? (void *)idx : idx32, wide ? 64 : 32, val,
                                   CAIRN_F64, CAIRN_BORROW, NULL, &lent));
        MUST(context, cairn_tensor_convert(lent, format, &converted));
        expect_same(copied, converted, text, state);
        cairn_tensor_destroy(&converted);
        cairn_tensor_destroy(&lent);
        cairn_tensor_destroy(&made);
        cairn_tensor_destroy(&copied);
        cairn_format_destroy(&format);
    }
}

Test(coords, columns_say_what_is_wrong_with_them)
{
    static const int64_t ptr[] = {0, 1, 2}, idx[] = {0, 2}, late[] = {1, 1, 2};
    static const int64_t falls[] = {0, 2, 1};
    static const double  val[]   = {1, 2};
    cairn_tensor        *made    = NULL;

    REFUSED(context, BAD_COORD, "csc: entry 1: row 2 is not within 0..1",
            cairn_tensor_from_csc(context, 2, 2, 0, 2, ptr, 64, idx, 64, val, CAIRN_F64,
                                  CAIRN_COPY, NULL, &made));
    REFUSED(context, BAD_COORD, "csc: ptr[0] is 1",
            cairn_tensor_from_csc(context, 3, 2, 0, 3, late, 64, idx, 64, val,
                                  CAIRN_F64, CAIRN_COPY, NULL, &made));
    REFUSED(context, BAD_COORD, "csc: ptr descends after column 1",
            cairn_tensor_from_csc(context, 3, 2, 0, 3, falls, 64, idx, 64, val,
                                  CAIRN_F64, CAIRN_COPY, NULL, &made));
    cr_expect_null(made);
}
