// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Few entries, by columns and then by rows.

#include "entries/entries_columns.h"

#include "base/offsets.h"
#include "base/wide.h"
#include "entries/entries_look.h"

#include <stdatomic.h>
#include <string.h>

enum {
    MOST = 200000, ///< Entries; more are sorted faster in buckets (8.6 ns an entry, and
                   ///< of 300,000 here 11.6, bench_compare --convert coo-csr, Zen 4).
    EACH  = 4,     ///< Counters that an entry pays for,
    FREE  = 1024,  ///< beside these.
    SHARE = 25000, ///< Entries worth a thread: some 40 us,
    CHUNK = 4096,  ///< and those that one takes at a time: some 5 us.
    RUN   = 8,     ///< Numbers of rows written at once.
    FOUR  = 4,     ///< Entries made items at once.
    LOOKS = 32,    ///< Places at which repeats are looked for,
    NEAR  = 8,     ///< and items that are compared there, each with each.
};

bool cairn_columns_fit(const cairn_given *given)
{
    const int64_t most = EACH * given->n + FREE;

    return given->order == 2 && given->extent && given->n <= MOST
           && given->extent[0] <= most && given->extent[1] <= most;
}

/* ---- from both ends ---- */

/// Entries that two threads go through, one from the first on, one from the last back, a
/// chunk at a time: where they meet is not said before. A thread that has to be woken may
/// come when the other is done, and costs no more than the waking.
typedef struct {
    cairn_pos   n;
    _Atomic int taken; ///< Chunks of both; the last one may be short.
} ends;

static void begin_ends(ends *e, cairn_pos n)
{
    e->n = n;
    atomic_init(&e->taken, 0);
}

/// Take the next chunk of one end.
///
/// @param[in,out] have  Entries that this end has taken; 0 before. Only the last chunk of
///                      all is short, so that both ends stand at multiples of CHUNK before.
/// @return How many entries behind these; 0: none is left.
static cairn_pos take_chunk(ends *e, cairn_pos *have)
{
    const cairn_pos before = (cairn_pos)CHUNK * atomic_fetch_add(&e->taken, 1);
    const cairn_pos some   = e->n - before < CHUNK ? e->n - before : CHUNK;

    if (some <= 0) return 0;
    *have += some;
    return some;
}

/* Loops are inlined for the widths, distances and bases that programs have. */
#define INLINE static inline __attribute__((always_inline))

#define OF_SHAPE(g, loop, ...)                               \
    ((g)->bits == 32 && (g)->stride == 4 && (g)->base == 0   \
         ? loop(g, 4, 32, 0, __VA_ARGS__)                    \
     : (g)->bits == 32 && (g)->stride == 4 && (g)->base == 1 \
         ? loop(g, 4, 32, 1, __VA_ARGS__)                    \
     : (g)->bits == 64 && (g)->stride == 8 && (g)->base == 0 \
         ? loop(g, 8, 64, 0, __VA_ARGS__)                    \
         : loop(g, (g)->stride, (g)->bits, (g)->base, __VA_ARGS__))

/* ---- by column ---- */

/// A coordinate that is in range, which has less than 32 bits.
INLINE uint32_t
load_inside(const void *first, cairn_pos p, int64_t stride, int bits, cairn_coord base)
{
    const char *const at = (const char *)first + p * stride;
    uint64_t          wide;
    uint32_t          narrow;

    if (bits == 32) {
        memcpy(&narrow, at, sizeof narrow);
        return narrow - (uint32_t)base;
    }
    memcpy(&wide, at, sizeof wide);
    return (uint32_t)(wide - (uint64_t)base);
}

/// Count the entries at each coordinate of mode @p k.
INLINE void count(const cairn_given *given,
                  int64_t            stride,
                  int                bits,
                  cairn_coord        base,
                  int                k,
                  uint32_t          *counted)
{
    const void *const coord = given->coord[k];
    const cairn_pos   n     = given->n;

#pragma GCC unroll 4
    for (cairn_pos p = 0; p < n; p++)
        counted[load_inside(coord, p, stride, bits, base)]++;
}

/* An item as a vector is stored far away by one instruction, not by three. gcc has what
   makes them from version 12 on. */
#if (defined __clang__ || __GNUC__ >= 12) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { HAS_FOURS = 1 };

typedef uint32_t words __attribute__((vector_size(sizeof(cairn_column_item))));
typedef double   halves __attribute__((vector_size(sizeof(cairn_column_item))));

/// Make items of FOUR entries from @p p on, with coordinates of 32 bits side by side.
INLINE void
make_items(const cairn_given *given, uint32_t base, cairn_pos p, halves item[FOUR])
{
    words  i, j;
    halves v, w;

    memcpy(&i, (const char *)given->coord[0] + p * 4, sizeof i);
    memcpy(&j, (const char *)given->coord[1] + p * 4, sizeof j);
    memcpy(&v, (const double *)given->value + p, sizeof v);
    memcpy(&w, (const double *)given->value + p + 2, sizeof w);
    i -= base;
    j -= base;
    const halves low  = (halves)__builtin_shufflevector(i, j, 0, 4, 1, 5);
    const halves high = (halves)__builtin_shufflevector(i, j, 2, 6, 3, 7);

    item[0] = __builtin_shufflevector(low, v, 0, 2);
    item[1] = __builtin_shufflevector(low, v, 1, 3);
    item[2] = __builtin_shufflevector(high, w, 0, 2);
    item[3] = __builtin_shufflevector(high, w, 1, 3);
}

/// As move(), of arrays of 32 bits and of f64: as many of its entries as make FOURs.
/// @return The first that is left.
INLINE cairn_pos move_fours(const cairn_given *given,
                            cairn_coord        base,
                            bool               back,
                            cairn_pos          begin,
                            cairn_pos          end,
                            uint32_t          *next,
                            cairn_column_item *to)
{
    const cairn_given own = *given; /* which no store changes */
    const cairn_pos   all = end - (end - begin) % FOUR;
    halves            item[FOUR];

    for (cairn_pos k = begin; k < all; k += FOUR) {
        const cairn_pos p = back ? own.n - FOUR - k : k;

        make_items(&own, (uint32_t)base, p, item);
#    pragma GCC unroll 4
        for (int q = 0; q < FOUR; q++) {
            const int      its = back ? FOUR - 1 - q : q;
            const uint32_t j   = load_inside(own.coord[1], p + its, 4, 32, base);
            const uint32_t at  = back ? --next[j] : next[j]++;

            memcpy(&to[at], &item[its], sizeof *to);
        }
    }
    return all;
}
#else
enum { HAS_FOURS = 0 };

INLINE cairn_pos move_fours(const cairn_given *given,
                            cairn_coord        base,
                            bool               back,
                            cairn_pos          begin,
                            cairn_pos          end,
                            uint32_t          *next,
                            cairn_column_item *to)
{
    (void)given, (void)base, (void)back, (void)end, (void)next, (void)to;
    return begin;
}
#endif

/// Move entries begin..end-1 to where their columns begin, or as many, counted from the
/// last one back, to where they end.
/// @param plain  The values are an array of f64; a constant.
INLINE void move(const cairn_given *given,
                 int64_t            stride,
                 int                bits,
                 cairn_coord        base,
                 bool               plain,
                 bool               back,
                 cairn_pos          begin,
                 cairn_pos          end,
                 uint32_t          *next,
                 cairn_column_item *to)
{
    const cairn_given   own   = *given; /* which no store changes */
    const double *const from  = own.value;
    const bool          fours = HAS_FOURS && plain && bits == 32 && stride == 4;

    for (cairn_pos k = fours ? move_fours(given, base, back, begin, end, next, to)
                             : begin;
         k < end; k++) {
        const cairn_pos p  = back ? own.n - 1 - k : k;
        const uint32_t  i  = load_inside(own.coord[0], p, stride, bits, base);
        const uint32_t  j  = load_inside(own.coord[1], p, stride, bits, base);
        const uint32_t  at = back ? --next[j] : next[j]++;

        to[at] = (cairn_column_item){(uint64_t)j << 32 | i,
                                     plain ? from[p] : cairn_given_value(&own, p)};
    }
}

/// While entries are ordered.
typedef struct {
    const cairn_given *given;
    cairn_columns     *to;
    uint32_t *next[2]; ///< [columns + 1] where each begins; and for a second thread
                       ///< where it ends.
    int64_t cols;
    ends    ends;
} ordering;

static void count_mode(const ordering *o, int k)
{
    const cairn_columns *to    = o->to;
    const int64_t        lines = k == 0 ? to->rows : o->cols;
    uint32_t *const      line  = k == 0 ? to->line : o->next[0];

    memset(line, 0, (size_t)(lines + 1) * sizeof *line);
    OF_SHAPE(o->given, count, k, line);
    cairn_offsets_small(lines + 1, 0, line);
}

/// A second thread counts rows meanwhile.
static void count_columns(void *user, int thread)
{
    count_mode(user, 1 - thread);
}

/// Move what one end has.
static void move_end(void *user, int back)
{
    ordering                *o     = user;
    cairn_column_item *const to    = o->to->item;
    const cairn_given *const given = o->given;
    const bool               plain = given->value && given->value_bits == 64
                       && given->apart == sizeof(double)
                       && (uintptr_t)given->value % sizeof(double) == 0;
    cairn_pos end = 0, some;

    while ((some = take_chunk(&o->ends, &end)) > 0) {
        const cairn_pos begin = end - some;

        if (plain && !back)
            OF_SHAPE(given, move, true, false, begin, end, o->next[0], to);
        else if (plain)
            OF_SHAPE(given, move, true, true, begin, end, o->next[1], to);
        else
            move(given, given->stride, given->bits, given->base, false, back, begin,
                 end, o->next[back], to);
    }
}

/* ---- repeats, by column ---- */

/// Do a few items, from here and there, say that others are there twice?
static bool seem_to_repeat(const cairn_columns *columns)
{
    const cairn_pos last   = columns->n - NEAR;
    bool            repeat = false;

    for (int k = 0; k < LOOKS && last >= 0 && !repeat; k++) {
        const cairn_column_item *const item = columns->item + last * k / LOOKS;

        for (int a = 1; a < NEAR; a++)
            for (int b = 0; b < a; b++)
                repeat |= item[a].place == item[b].place;
    }
    return repeat;
}

/// While repeats are added up.
typedef struct {
    cairn_columns *columns;
    uint64_t
        *seen[2]; ///< [rows] of each thread, whose columns are its own: the column in
                  ///< which a row was met last, above 32 bits of the item's number.
    cairn_pos cut[3];  ///< A thread's items, from one to the next.
    cairn_pos left[2]; ///< Of each.
} combining;

/// One of two words; arithmetic is not made a branch of.
/// @param second  All bits, or none.
INLINE uint64_t choose(uint64_t second, uint64_t a, uint64_t b)
{
    return a ^ ((a ^ b) & second);
}

/// Items of a column whose row was met in it before go where that one went. There is no
/// branch, for which of them do is hard to foresee; and values move as words, for sums alone
/// may change what is not a number.
static void combine_half(void *user, int half)
{
    combining *const         c    = user;
    cairn_column_item *const item = c->columns->item;
    uint64_t *const          seen = c->seen[half];
    const cairn_pos          end  = c->cut[half + 1];
    uint64_t                 at   = (uint64_t)c->cut[half];

    memset(seen, -1, (size_t)c->columns->rows * sizeof *seen);
    for (cairn_pos q = c->cut[half]; q < end; q++) {
        const uint64_t place = item[q].place;
        const uint64_t last  = seen[(uint32_t)place];
        const uint64_t again = (uint64_t)((int64_t)(((last ^ place) >> 32) - 1) >> 63);
        const uint64_t its   = choose(again, (place >> 32 << 32) | at, last);
        cairn_column_item *const to  = &item[(uint32_t)its];
        const double             sum = to->value + item[q].value;
        uint64_t                 value, more;

        memcpy(&value, &item[q].value, sizeof value);
        memcpy(&more, &sum, sizeof more);
        value                 = choose(again, value, more);
        seen[(uint32_t)place] = its;
        to->place             = place;
        memcpy(&to->value, &value, sizeof value);
        at += 1 + again;
    }
    c->left[half] = (cairn_pos)at - c->cut[half];
}

cairn_status cairn_columns_combine(cairn_env *env, cairn_columns *columns)
{
    const int64_t            rows = columns->rows;
    const cairn_pos          n    = columns->n;
    cairn_column_item *const item = columns->item;
    uint32_t *const          line = columns->line;
    combining                c    = {
                          .columns = columns, .cut = {0, n / columns->threads, n}
    };

    CAIRN_TRY(CAIRN_NEW(env, rows * columns->threads, &c.seen[0]));
    c.seen[1] = c.seen[0] + rows;
    while (c.cut[1] < n && item[c.cut[1]].place >> 32 == item[c.cut[1] - 1].place >> 32)
        c.cut[1]++;
    cairn_thread_team_do(&env->thread_team, columns->threads, combine_half, &c,
                         columns->threads);
    cairn_free(env, c.seen[0]);
    memmove(item + c.left[0], item + c.cut[1], (size_t)c.left[1] * sizeof *item);
    columns->n    = c.left[0] + c.left[1];
    columns->once = true;
    memset(line, 0, (size_t)(rows + 1) * sizeof *line);
    for (cairn_pos q = 0; q < columns->n; q++)
        line[(uint32_t)item[q].place]++;
    cairn_offsets_small(rows + 1, 0, line);
    return CAIRN_OK;
}

/* ---- in order ---- */

static cairn_status
order_columns(cairn_env *env, const cairn_given *given, cairn_columns *to)
{
    const int64_t cols = given->extent[1];
    ordering      o    = {.given = given, .to = to, .cols = cols};
    cairn_status  status;

    CAIRN_GO(done, CAIRN_NEW(env, to->rows + 1, &to->line));
    CAIRN_GO(done, CAIRN_NEW(env, to->n, &to->item));
    CAIRN_GO(done, CAIRN_NEW(env, (cols + 1) * to->threads, &o.next[0]));
    o.next[1] = o.next[0] + cols + 1;
    cairn_thread_team_do(&env->thread_team, to->threads, count_columns, &o,
                         to->threads);
    if (to->threads > 1)
        memcpy(o.next[1], o.next[0] + 1, (size_t)cols * sizeof **o.next);
    begin_ends(&o.ends, to->n);
    cairn_thread_team_do(&env->thread_team, to->threads, move_end, &o, to->threads);
    if (seem_to_repeat(to))
        status = cairn_columns_combine(env, to);
    else if (to->threads == 1)
        count_mode(&o, 0);
done:
    cairn_free(env, o.next[0]);
    return status;
}

cairn_status cairn_columns_order(cairn_env         *env,
                                 const cairn_given *given,
                                 bool              *inside,
                                 cairn_columns     *columns)
{
    const cairn_coord least[2] = {0, 0};
    const cairn_coord most[2]  = {given->extent[0] - 1, given->extent[1] - 1};
    cairn_given_seen  seen     = {.inside = true};

    *columns = (cairn_columns){.n = given->n, .rows = given->extent[0], .threads = 1};
    if (env->options.threads > 1 && given->n >= 2 * SHARE) columns->threads = 2;
    if (!given->unsorted) cairn_given_look(env, given, least, most, &seen);
    *inside = seen.inside;
    return seen.inside ? order_columns(env, given, columns) : CAIRN_OK;
}

void cairn_columns_fini(cairn_env *env, cairn_columns *columns)
{
    cairn_free(env, columns->item);
    cairn_free(env, columns->line);
    *columns = (cairn_columns){.rows = 0};
}

/* ---- by row ---- */

/// Arrays to fill.
typedef struct {
    const cairn_columns *columns;
    int                  idx_bits;
    void                *idx;
    double              *value;
    uint32_t            *next[2]; ///< [rows] as those of columns when they are ordered.
    ends                 ends;
} placing;

INLINE void store(void *idx, int bits, cairn_pos at, cairn_coord j)
{
    switch (bits) {
    case 8: ((uint8_t *)idx)[at] = (uint8_t)j; break;
    case 16: ((uint16_t *)idx)[at] = (uint16_t)j; break;
    case 32: ((uint32_t *)idx)[at] = (uint32_t)j; break;
    default: ((int64_t *)idx)[at] = j; break;
    }
}

/// Place entries begin..end-1 by column, or as many, counted from the last one back.
INLINE void
place(const placing *to, int idx_bits, bool back, cairn_pos begin, cairn_pos end)
{
    const cairn_column_item *const item  = to->columns->item;
    const cairn_pos                n     = to->columns->n;
    uint32_t *const                next  = to->next[back];
    void *const                    idx   = to->idx;
    double *const                  value = to->value;

#pragma GCC unroll 4
    for (cairn_pos q = begin; q < end; q++) {
        const cairn_column_item *const its = &item[back ? n - 1 - q : q];
        const uint32_t                 row = (uint32_t)its->place;
        const uint32_t                 at  = back ? --next[row] : next[row]++;

        store(idx, idx_bits, at, (cairn_coord)(its->place >> 32));
        value[at] = its->value;
    }
}

/// Calls with constants.
INLINE void
place_of(const placing *p, int idx_bits, bool back, cairn_pos begin, cairn_pos end)
{
    if (back)
        place(p, idx_bits, true, begin, end);
    else
        place(p, idx_bits, false, begin, end);
}

static void place_end(void *user, int back)
{
    placing  *p   = user;
    cairn_pos end = 0, some;

    while ((some = take_chunk(&p->ends, &end)) > 0)
        switch (p->idx_bits) {
        case 8: place_of(p, 8, back, end - some, end); break;
        case 16: place_of(p, 16, back, end - some, end); break;
        case 32: place_of(p, 32, back, end - some, end); break;
        default: place_of(p, 64, back, end - some, end); break;
        }
}

cairn_status cairn_columns_place(cairn_env           *env,
                                 const cairn_columns *columns,
                                 int                  idx_bits,
                                 void                *idx,
                                 double              *value)
{
    const int64_t rows  = columns->rows;
    const size_t  bytes = (size_t)rows * sizeof *columns->line;
    placing p = {.columns = columns, .idx_bits = idx_bits, .idx = idx, .value = value};

    CAIRN_TRY(CAIRN_NEW(env, rows * columns->threads, &p.next[0]));
    p.next[1] = p.next[0] + rows;
    memcpy(p.next[0], columns->line, bytes);
    if (columns->threads > 1) memcpy(p.next[1], columns->line + 1, bytes);
    begin_ends(&p.ends, columns->n);
    cairn_thread_team_do(&env->thread_team, columns->threads, place_end, &p,
                         columns->threads);
    cairn_free(env, p.next[0]);
    return CAIRN_OK;
}

/* ---- repeats ---- */

INLINE cairn_coord load(const void *idx, int bits, cairn_pos at)
{
    switch (bits) {
    case 8: return ((const uint8_t *)idx)[at];
    case 16: return ((const uint16_t *)idx)[at];
    case 32: return ((const uint32_t *)idx)[at];
    default: return ((const int64_t *)idx)[at];
    }
}

/// Neighbours that are alike, of one row or not.
#define COUNT_ALIKE(type)                                                           \
    CAIRN_WIDE static cairn_pos alike_##type(cairn_pos n, const type *restrict idx) \
    {                                                                               \
        cairn_pos all = 0;                                                          \
                                                                                    \
        for (cairn_pos p = 1; p < n;) {                                             \
            const cairn_pos end   = n - p > 128 ? p + 128 : n;                      \
            type            alike = 0;                                              \
                                                                                    \
            for (; p < end; p++)                                                    \
                alike = (type)(alike + (idx[p] == idx[p - 1]));                     \
            all += alike;                                                           \
        }                                                                           \
        return all;                                                                 \
    }

COUNT_ALIKE(uint8_t)
COUNT_ALIKE(uint16_t)
COUNT_ALIKE(uint32_t)
COUNT_ALIKE(uint64_t)

/// Those of one row are what is left without those where a row begins.
bool cairn_columns_repeat(const cairn_columns *columns, int idx_bits, const void *idx)
{
    const cairn_pos       n     = columns->n;
    const uint32_t *const line  = columns->line;
    cairn_pos             alike = idx_bits == 8    ? alike_uint8_t(n, idx)
                                  : idx_bits == 16 ? alike_uint16_t(n, idx)
                                  : idx_bits == 32 ? alike_uint32_t(n, idx)
                                                   : alike_uint64_t(n, idx);

    for (int64_t r = 0; r < columns->rows && alike > 0; r++) {
        const uint32_t at = line[r];

        if (at > 0 && at < line[r + 1])
            alike -= load(idx, idx_bits, at) == load(idx, idx_bits, at - 1);
    }
    return alike > 0;
}

/* ---- entries ---- */

/// Write the rows' numbers, in order. Most rows are short, and their ends are hard to
/// foresee: RUN numbers are written at once, of which the next rows replace those that
/// are not the row's.
static void write_rows(int64_t rows, const uint32_t *begin, cairn_entries *entries)
{
    cairn_coord *const row = entries->coord[0];
    const cairn_pos    n   = entries->n;

    for (int64_t r = 0; r < rows; r++) {
        cairn_pos p = begin[r];

        for (; p + RUN <= n && p < begin[r + 1]; p += RUN)
            for (int k = 0; k < RUN; k++)
                row[p + k] = r;
        for (; p < begin[r + 1]; p++)
            row[p] = r;
    }
}

cairn_status
cairn_columns_sort(cairn_env *env, const cairn_columns *columns, cairn_entries *entries)
{
    CAIRN_TRY(cairn_columns_place(env, columns, 64, entries->coord[1], entries->value));
    entries->n = columns->n;
    write_rows(columns->rows, columns->line, entries);
    if (cairn_columns_repeat(columns, 64, entries->coord[1]))
        cairn_entries_add_duplicates(entries);
    return CAIRN_OK;
}
