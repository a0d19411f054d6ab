// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Counting what formats would store.

#include "auto/pattern_statistics.h"

#include "share/alike_rows.h"

#include <math.h>
#include <string.h>

enum { LARGEST_SIDE = 4 };

const int cairn_block_side[CAIRN_BLOCKS_KINDS] = {2, 3, LARGEST_SIDE};

/* Rows that are sorted together, and the share of a stretch that makes it full. */
enum { WINDOW = 256, SORTED = 262144, FULL = CAIRN_STRETCH * 6 / 10 };

/* Entries that are looked at one by one before it gets halves; and of rows that are long,
   in the mean. */
enum { FEW = 32, LONG = 128 };

/* Elements of X in a cache line, and lines that a first cache holds, and a second one
   beside what streams through it. */
enum { LINE = CAIRN_LINE, NEAR_LINES = CAIRN_NEAR_LINES, FAR_LINES = CAIRN_FAR_LINES };

/// What the passes over rows work with.
typedef struct {
    const cairn_matrix_rows *from;
    const cairn_entries     *entries; ///< Its list; NULL: it has compressed rows.
    int64_t                  rows;
    int32_t                 *length; ///< [rows] Entries.
    uint8_t *reach;  ///< [rows] Bit of each kind of blocks, and of stretches,
                     ///< that overhangs the columns in this row.
    int32_t *number; ///< [longest row + 1] Rows of each length.
} row_pass;

/// Where the row that begins at @p k ends: one by one, then by steps that double, then by
/// halves, so that long rows are not read.
static cairn_pos row_end(const cairn_entries *entries, cairn_pos k)
{
    const cairn_coord *row  = entries->coord[0];
    const cairn_pos    near = k + FEW < entries->n ? k + FEW : entries->n;
    cairn_pos          lo = k, step = FEW;

    while (lo < near && row[lo] == row[k])
        lo++;
    if (lo < k + FEW) return lo;
    lo--;
    while (k + step < entries->n && row[k + step] == row[k]) {
        lo = k + step;
        step *= 2;
    }
    cairn_pos hi = k + step < entries->n ? k + step : entries->n;

    while (lo + 1 < hi) {
        const cairn_pos mid = lo + (hi - lo) / 2;

        if (row[mid] == row[k])
            lo = mid;
        else
            hi = mid;
    }
    return lo + 1;
}

/// The kinds that stick out where row @p i has its first entry in column @p lo, its last
/// one in @p hi. Kernels read a column behind blocks of 3.
static uint8_t
find_overhangs(const row_pass *p, cairn_coord i, cairn_coord lo, cairn_coord hi)
{
    const cairn_coord within = i % CAIRN_STRETCH;
    uint8_t           bits   = 0;

    for (int k = 0; k < CAIRN_BLOCKS_KINDS && hi + LARGEST_SIDE >= p->from->cols; k++) {
        const int side = cairn_block_side[k];

        bits |= (uint8_t)((hi / side * side + side + (side == 3) > p->from->cols) << k);
    }
    if (lo < within || hi + CAIRN_STRETCH - 1 - within >= p->from->cols)
        bits |= 1 << CAIRN_BLOCKS_KINDS;
    return bits;
}

/// Row @p i, which has entries begin .. end-1.
static void count_row(const row_pass *p,
                      cairn_coord     i,
                      cairn_pos       begin,
                      cairn_pos       end,
                      cairn_pattern  *s)
{
    const cairn_coord lo = cairn_matrix_col(p->from, begin),
                      hi = cairn_matrix_col(p->from, end - 1);

    p->length[i - p->from->first] = (int32_t)(end - begin);
    if (lo < CAIRN_STRETCH || hi + CAIRN_STRETCH > p->from->cols)
        p->reach[i - p->from->first] = find_overhangs(p, i, lo, hi);
    s->filled_rows++;
    if (end - begin > s->max_row) s->max_row = end - begin;
}

/// Ends of rows that are not long: each entry is looked at, without a branch that a
/// processor would have to guess. @return how many; @p end [CHUNK]
static int
find_ends(const cairn_coord *row, cairn_pos begin, cairn_pos last, cairn_pos *end)
{
    int n = 0;

    for (cairn_pos k = begin; k < last; k++) {
        end[n] = k + 1;
        n += row[k] != row[k + 1];
    }
    return n;
}

static void count_short_rows(const row_pass *p, cairn_pattern *s)
{
    enum { CHUNK = 1024 };

    const cairn_coord *row   = p->entries->coord[0];
    const cairn_pos    n     = p->entries->n;
    cairn_pos          begin = 0, end[CHUNK];

    for (cairn_pos k = 0; k < n - 1; k += CHUNK) {
        const cairn_pos last = k + CHUNK < n - 1 ? k + CHUNK : n - 1;
        const int       ends = find_ends(row, k, last, end);

        for (int e = 0; e < ends; e++) {
            count_row(p, row[begin], begin, end[e], s);
            begin = end[e];
        }
    }
    if (n > 0) count_row(p, row[begin], begin, n, s);
}

/// The same of lists, whose lengths are there to be read.
static void count_lists(const row_pass *p, cairn_pattern *s)
{
    cairn_pos begin = 0;

    for (int64_t i = 0; i < p->rows; i++) {
        const cairn_pos end = cairn_matrix_ptr(p->from, i + 1);

        if (end > begin) count_row(p, p->from->first + i, begin, end, s);
        begin = end;
    }
}

static void count_lengths(const row_pass *p, cairn_pattern *s)
{
    if (!p->entries)
        count_lists(p, s);
    else if (p->entries->n < LONG * p->rows)
        count_short_rows(p, s);
    else
        for (cairn_pos k = 0, end; k < p->entries->n; k = end) {
            end = row_end(p->entries, k);
            count_row(p, p->entries->coord[0][k], k, end, s);
        }
    for (int64_t i = 1; i < p->rows; i++)
        s->breaks += p->length[i] != p->length[i - 1];
}

/// Entries in bands of @p height rows of which one has the bit @p kind.
static int64_t count_edge(const row_pass *p, int height, int kind)
{
    int64_t sum = 0;

    for (int64_t i = 0; i < p->rows; i++) {
        if (!(p->reach[i] >> kind & 1)) continue;
        const int64_t band = i / height * height;
        const int64_t end  = band + height < p->rows ? band + height : p->rows;

        for (int64_t r = band; r < end; r++)
            sum += p->length[r];
        i = end - 1;
    }
    return sum;
}

/// Values of slices cut from rows as they stand.
static int64_t plain_slots(const row_pass *p, int64_t *breaks)
{
    int64_t slots  = 0;
    int32_t before = 0;

    for (int64_t i = 0; i < p->rows; i += CAIRN_SLICE) {
        int32_t most = 0;

        for (int64_t r = i; r < i + CAIRN_SLICE && r < p->rows; r++)
            most = p->length[r] > most ? p->length[r] : most;
        slots += (int64_t)CAIRN_SLICE * most;
        *breaks += most != before;
        before = most;
    }
    return slots;
}

/// Values of slices cut from rows first .. end-1, the longest first. A slice is as wide
/// as its first row, so what counts is how many slices begin at rows of a length.
static int64_t window_slots(const row_pass *p, int64_t first, int64_t end)
{
    int64_t slots = 0, at = 0;
    int32_t most = 0;

    for (int64_t i = first; i < end; i++) {
        p->number[p->length[i]]++;
        if (p->length[i] > most) most = p->length[i];
    }
    for (int32_t length = most; length >= 0; length--) {
        const int64_t next   = at + p->number[length];
        const int64_t begins = (next + CAIRN_SLICE - 1) / CAIRN_SLICE
                               - (at + CAIRN_SLICE - 1) / CAIRN_SLICE;

        slots += begins * CAIRN_SLICE * length;
        at                = next;
        p->number[length] = 0;
    }
    return slots;
}

static int64_t sorted_slots(const row_pass *p, int64_t window)
{
    int64_t slots = 0;

    for (int64_t i = 0; i < p->rows; i += window)
        slots += window_slots(p, i, i + window < p->rows ? i + window : p->rows);
    return slots;
}

/// Are rows or columns so many that no array shall be as long? Those that are made here
/// take up to 5 bytes for each, and the limit of memory holds for them too.
static bool
are_spread(const cairn_env *env, cairn_pos entries, int64_t rows, int64_t cols)
{
    const int64_t room = 64 * entries + (1 << 20);
    int64_t       most = room < INT32_MAX / 2 ? room : INT32_MAX / 2;

    if (most > env->memory_limit / 16) most = env->memory_limit / 16;
    return rows > most || cols > most || entries > INT32_MAX;
}

/// Rows of a matrix that has so many that no array shall be as long.
static void count_spread_rows(const cairn_matrix_rows *rows, cairn_pattern *s)
{
    for (cairn_pos k = 0, end; k < rows->n; k = end) {
        end = rows->entries
                  ? row_end(rows->entries, k)
                  : cairn_matrix_row_begin(rows, cairn_matrix_row_of(rows, k) + 1);
        s->filled_rows++;
        if (end - k > s->max_row) s->max_row = end - k;
    }
    s->spreads = true;
}

static cairn_status count_all_rows(cairn_env *env, row_pass *p, cairn_pattern *s)
{
    CAIRN_TRY(CAIRN_NEW_ZERO(env, p->rows, &p->length));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, p->rows, &p->reach));
    count_lengths(p, s);
    CAIRN_TRY(CAIRN_NEW_ZERO(env, s->max_row + 1, &p->number));
    s->slots[CAIRN_SLICES_PLAIN]  = plain_slots(p, &s->slice_breaks);
    s->slots[CAIRN_SLICES_WINDOW] = sorted_slots(p, WINDOW);
    s->slots[CAIRN_SLICES_SORTED] = sorted_slots(p, SORTED);
    for (int k = 0; k < CAIRN_BLOCKS_KINDS; k++)
        s->edge_blocks[k] = count_edge(p, cairn_block_side[k], k);
    s->edge_stretches = count_edge(p, CAIRN_STRETCH, CAIRN_BLOCKS_KINDS);
    return CAIRN_OK;
}

cairn_status cairn_pattern_count_rows(cairn_env               *env,
                                      const cairn_matrix_rows *rows,
                                      cairn_pattern           *structure)
{
    row_pass p = {
        .from = rows, .entries = rows->entries, .rows = rows->end - rows->first};
    cairn_pattern fresh  = {.entries = rows->n, .rows = p.rows, .cols = rows->cols};
    cairn_status  status = CAIRN_OK;

    if (are_spread(env, rows->n, p.rows, rows->cols))
        count_spread_rows(rows, &fresh);
    else
        status = count_all_rows(env, &p, &fresh);
    cairn_free(env, p.length);
    cairn_free(env, p.reach);
    cairn_free(env, p.number);
    if (status == CAIRN_OK) *structure = fresh;
    return status;
}

/* ---- blocks and stretches, of a sample ---- */

typedef struct {
    const cairn_entries *entries;
    int64_t              rows, cols;
    int32_t             *mark; ///< [rows + cols + 1]
} pass;

/// Time is counted in lines of X touched. A line that was not touched yet was by the run
/// before, as long ago as X has lines.
static void count_touches(const pass *p, cairn_pattern *s)
{
    const cairn_coord *col  = p->entries->coord[1];
    const int32_t      all  = (int32_t)(p->cols / LINE);
    cairn_coord        line = -1;
    int32_t            now  = 0;

    memset(p->mark, 0, (size_t)(p->cols / LINE + 1) * sizeof *p->mark);
    for (cairn_pos k = 0; k < p->entries->n; k++) {
        const bool again =
            col[k] / LINE == line; /* no branch: it could not be predicted */

        line = col[k] / LINE;
        now += !again;

        const int32_t since = now - p->mark[line];
        const int32_t ago   = p->mark[line] > 0 && since < all ? since : all;

        s->touches.near += !again & (ago > NEAR_LINES);
        s->touches.far += !again & (ago > FAR_LINES);
        p->mark[line] = now;
    }
}

/// Entries of rows that have the columns of the row before.
static void count_alike(const pass *p, cairn_pattern *s)
{
    const cairn_coord *row = p->entries->coord[0], *col = p->entries->coord[1];
    const cairn_pos    n      = p->entries->n;
    cairn_pos          before = 0; /* where the row before begins */

    for (cairn_pos begin = 0, end = 0; begin < n; before = begin, begin = end) {
        while (end < n && row[end] == row[begin])
            end++;
        const cairn_pos length = end - begin;

        if (length < CAIRN_ALIKE_LEAST || length > CAIRN_CUT || begin - before != length
            || row[begin] != row[before] + 1)
            continue;
        s->alike += memcmp(&col[before], &col[begin], (size_t)length * sizeof *col) == 0
                        ? length
                        : 0;
    }
}

/// Blocks of side x side with an entry; inlined, so that the division is by a constant.
static inline int64_t count_side(const pass *p, int side, int64_t *widest)
{
    const cairn_coord *row = p->entries->coord[0], *col = p->entries->coord[1];
    int64_t            blocks = 0, begin = 0;
    int32_t            before = 0;

    memset(p->mark, 0, (size_t)(p->cols / side + 1) * sizeof *p->mark);
    for (cairn_pos k = 0; k < p->entries->n; k++) {
        const int32_t at = (int32_t)((uint32_t)row[k] / (uint32_t)side) + 1;
        int32_t      *m  = &p->mark[(uint32_t)col[k] / (uint32_t)side];

        if (at != before) {
            *widest = blocks - begin > *widest ? blocks - begin : *widest;
            begin   = blocks;
            before  = at;
        }
        blocks += *m != at;
        *m = at;
    }
    *widest = blocks - begin > *widest ? blocks - begin : *widest;
    return blocks;
}

static void count_blocks(const pass *p, cairn_pattern *s)
{
    s->blocks[CAIRN_BLOCKS_2] = count_side(p, 2, &s->widest[CAIRN_BLOCKS_2]);
    s->blocks[CAIRN_BLOCKS_3] = count_side(p, 3, &s->widest[CAIRN_BLOCKS_3]);
    s->blocks[CAIRN_BLOCKS_4] = count_side(p, 4, &s->widest[CAIRN_BLOCKS_4]);
}

/// Count rows and slices of a band by the entries that full stretches leave to them.
/// @param[in,out] before  Entries left to the row before.
static void count_rest(const int32_t *left, int32_t *before, cairn_pattern *s)
{
    for (int i = 0; i < CAIRN_STRETCH; i += CAIRN_SLICE) {
        int32_t most = 0;

        for (int r = i; r < i + CAIRN_SLICE; r++) {
            s->stretch.rest_rows += left[r] > 0;
            s->stretch.rest_breaks += left[r] != *before;
            most    = left[r] > most ? left[r] : most;
            *before = left[r];
        }
        s->stretch.rest_slots += (int64_t)CAIRN_SLICE * most;
    }
}

/// Judge the stretches of one band of rows, which has the entries first .. end-1, and clear
/// their marks.
/// @param[out] left  [CAIRN_STRETCH] Entries of each row outside full stretches.
static void judge_stretches(const pass    *p,
                            cairn_pos      first,
                            cairn_pos      end,
                            int32_t       *left,
                            cairn_pattern *s)
{
    enum { IN_FULL = -1 }; /* of a full stretch that was counted */

    const cairn_coord *row = p->entries->coord[0], *col = p->entries->coord[1];
    const int64_t      before = s->stretch.full;

    memset(left, 0, CAIRN_STRETCH * sizeof *left);
    for (cairn_pos k = first; k < end; k++) {
        int32_t   *m      = &p->mark[col[k] - row[k] + p->rows - 1];
        const bool begins = *m > FULL; /* no branch: it could not be predicted */
        const bool full   = begins | (*m == IN_FULL);

        s->stretch.all += *m > 0;
        s->stretch.full += begins;
        s->stretch.entries += begins ? *m : 0;
        left[row[k] % CAIRN_STRETCH] += !full;
        *m = full ? IN_FULL : 0;
    }
    for (cairn_pos k = first; k < end && s->stretch.full > before; k++)
        p->mark[col[k] - row[k] + p->rows - 1] = 0;
}

static void count_stretches(const pass *p, cairn_pattern *s)
{
    const cairn_coord *row = p->entries->coord[0], *col = p->entries->coord[1];
    const cairn_pos    n     = p->entries->n;
    cairn_pos          first = 0;
    int32_t            left[CAIRN_STRETCH], before = 0;

    memset(p->mark, 0, (size_t)(p->rows + p->cols) * sizeof *p->mark);
    while (first < n) {
        const cairn_coord band = row[first] / CAIRN_STRETCH * CAIRN_STRETCH;
        cairn_pos         end  = first;

        for (; end < n && row[end] < band + CAIRN_STRETCH; end++)
            p->mark[col[end] - row[end] + p->rows - 1]++;
        judge_stretches(p, first, end, left, s);
        count_rest(left, &before, s);
        first = end;
    }
}

static int64_t divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/// Scale what the entries outside full stretches have, at least one slot each.
static void scale_rest(cairn_pattern *s, double times)
{
    const int64_t entries = s->entries - s->stretch.entries;

    s->stretch.rest_rows   = llround(times * (double)s->stretch.rest_rows);
    s->stretch.rest_breaks = llround(times * (double)s->stretch.rest_breaks);
    s->stretch.rest_slots  = llround(times * (double)s->stretch.rest_slots);
    if (s->stretch.rest_rows > s->rows) s->stretch.rest_rows = s->rows;
    if (s->stretch.rest_breaks > s->rows) s->stretch.rest_breaks = s->rows;
    if (s->stretch.rest_slots < entries) s->stretch.rest_slots = entries;
}

/// What was counted of a sample, for the whole.
static void scale(cairn_pattern *s, const cairn_entries *sample)
{
    const double times = sample->n > 0 ? (double)s->entries / (double)sample->n : 1;

    for (int k = 0; k < CAIRN_BLOCKS_KINDS; k++) {
        const int     side  = cairn_block_side[k];
        const int64_t least = (s->entries + side * side - 1) / (side * side);

        s->blocks[k] = llround(times * (double)s->blocks[k]);
        if (s->blocks[k] < least) s->blocks[k] = least; /* by rounding */
    }
    s->stretch.all = llround(times * (double)s->stretch.all);
    if (CAIRN_STRETCH * s->stretch.all < s->entries)
        s->stretch.all = s->entries / CAIRN_STRETCH + 1;
    s->stretch.full    = llround(times * (double)s->stretch.full);
    s->stretch.entries = llround(times * (double)s->stretch.entries);
    if (s->stretch.entries > s->entries) s->stretch.entries = s->entries;
    if (CAIRN_STRETCH * s->stretch.full < s->stretch.entries) /* by rounding */
        s->stretch.full = divide_up(s->stretch.entries, CAIRN_STRETCH);
    scale_rest(s, times);
    s->touches.near = llround(times * (double)s->touches.near);
    s->touches.far  = llround(times * (double)s->touches.far);
    s->alike        = llround(times * (double)s->alike);
}

cairn_status cairn_pattern_count_sample(cairn_env          *env,
                                        const cairn_sample *sample,
                                        cairn_pattern      *structure)
{
    pass p = {&sample->entries, sample->shape.extent[0], sample->shape.extent[1], NULL};

    if (structure->spreads || are_spread(env, p.entries->n, p.rows, p.cols))
        return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(env, p.rows + p.cols + 1, &p.mark));
    count_touches(&p, structure);
    count_alike(&p, structure);
    count_blocks(&p, structure);
    count_stretches(&p, structure);
    cairn_free(env, p.mark);
    scale(structure, p.entries);
    return CAIRN_OK;
}

/* ---- what was not counted ---- */

void cairn_pattern_assume_best(cairn_pattern *structure, bool rows_counted)
{
    cairn_pattern *s = structure;

    if (!rows_counted) {
        s->filled_rows = s->rows < s->entries ? s->rows : s->entries;
        s->max_row     = s->rows > 0 ? divide_up(s->entries, s->rows) : 0;
        for (int k = 0; k < CAIRN_SLICES_KINDS; k++)
            s->slots[k] = s->entries;
    }
    for (int k = 0; k < CAIRN_BLOCKS_KINDS; k++) {
        const int side = cairn_block_side[k];

        s->blocks[k] = divide_up(s->entries, side * side);
        s->widest[k] = divide_up(s->max_row, side);
    }
    s->stretch.all = s->stretch.full = divide_up(s->entries, CAIRN_STRETCH);
    s->stretch.entries               = s->entries;
    s->alike                         = s->entries;
}

void cairn_pattern_assume_worst(cairn_pattern *structure)
{
    cairn_pattern *s = structure;

    cairn_pattern_assume_best(s, false);
    s->max_row *= 2;
    s->breaks       = s->rows;
    s->slice_breaks = s->rows / CAIRN_SLICE;
    for (int k = 0; k < CAIRN_SLICES_KINDS; k++)
        s->slots[k] = 2 * s->entries;
    for (int k = 0; k < CAIRN_BLOCKS_KINDS; k++)
        s->blocks[k] = s->entries;
    s->stretch.all = s->entries;
    s->alike       = 0;
}

void cairn_pattern_drop_stretches(cairn_pattern *structure)
{
    structure->stretch.all = structure->stretch.full = structure->stretch.entries = 0;
}
