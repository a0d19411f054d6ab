// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Counting what formats would store.

#include "sched/structure.h"

#include <string.h>

const int cairn_block_side[CAIRN_BLOCKS_KINDS] = {2, 3, 4};

/* Rows that are sorted together, and the share of a stretch that makes it full. */
enum { WINDOW = 256, FULL = CAIRN_STRETCH * 6 / 10 };

/// What the passes work with, over one sample.
typedef struct {
    const cairn_entries *entries;
    int64_t              rows, cols;
    int32_t             *length; ///< [rows] Entries.
    int32_t             *number; ///< [longest row + 1] Rows of each length.
    int32_t             *mark;   ///< [rows + cols]
} pass;

/// Lengths of rows; entries whose X is not where the one before left off.
static void count_rows(const pass *p, cairn_structure *s)
{
    const cairn_coord *row = p->entries->coord[0], *col = p->entries->coord[1];

    for (cairn_pos k = 0; k < p->entries->n; k++) {
        const int64_t step = k > 0 ? col[k] - col[k - 1] : 0;

        p->length[row[k]]++;
        s->jumps += step > 8 || step < -8;
    }
    for (int64_t i = 0; i < p->rows; i++) {
        s->filled_rows += p->length[i] > 0;
        if (p->length[i] > s->max_row) s->max_row = p->length[i];
        s->breaks += i > 0 && p->length[i] != p->length[i - 1];
    }
}

/// Values of slices cut from rows as they stand.
static int64_t plain_slots(const pass *p, int64_t *breaks)
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
static int64_t window_slots(const pass *p, int64_t first, int64_t end)
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

static void count_slots(const pass *p, cairn_structure *s)
{
    s->slots[CAIRN_SLICES_PLAIN]  = plain_slots(p, &s->slice_breaks);
    s->slots[CAIRN_SLICES_SORTED] = window_slots(p, 0, p->rows);
    for (int64_t i = 0; i < p->rows; i += WINDOW)
        s->slots[CAIRN_SLICES_WINDOW] +=
            window_slots(p, i, i + WINDOW < p->rows ? i + WINDOW : p->rows);
}

/// Blocks of side x side with an entry; inlined, so that the division is by a constant.
static inline int64_t count_side(const pass *p, int side)
{
    const cairn_coord *row = p->entries->coord[0], *col = p->entries->coord[1];
    int64_t            blocks = 0;

    memset(p->mark, 0, (size_t)(p->cols / side + 1) * sizeof *p->mark);
    for (cairn_pos k = 0; k < p->entries->n; k++) {
        const int32_t at = (int32_t)((uint32_t)row[k] / (uint32_t)side) + 1;
        int32_t      *m  = &p->mark[(uint32_t)col[k] / (uint32_t)side];

        blocks += *m != at;
        *m = at;
    }
    return blocks;
}

static void count_blocks(const pass *p, cairn_structure *s)
{
    s->blocks[CAIRN_BLOCKS_2] = count_side(p, 2);
    s->blocks[CAIRN_BLOCKS_3] = count_side(p, 3);
    s->blocks[CAIRN_BLOCKS_4] = count_side(p, 4);
}

/// Take the entries first .. end-1, all of one band of rows, from the marks again, and
/// judge the stretches that they began.
static void
judge_stretches(const pass *p, cairn_pos first, cairn_pos end, cairn_structure *s)
{
    const cairn_coord *row = p->entries->coord[0], *col = p->entries->coord[1];

    for (cairn_pos k = first; k < end; k++) {
        int32_t *m = &p->mark[col[k] - row[k] + p->rows - 1];

        if (*m == 0) continue;
        s->stretches++;
        if (*m > FULL) s->full_stretches++, s->full_entries += *m;
        *m = 0;
    }
}

static void count_stretches(const pass *p, cairn_structure *s)
{
    const cairn_coord *row = p->entries->coord[0], *col = p->entries->coord[1];
    const cairn_pos    n     = p->entries->n;
    cairn_pos          first = 0;

    memset(p->mark, 0, (size_t)(p->rows + p->cols) * sizeof *p->mark);
    while (first < n) {
        const cairn_coord band = row[first] / CAIRN_STRETCH * CAIRN_STRETCH;
        cairn_pos         end  = first;

        for (; end < n && row[end] < band + CAIRN_STRETCH; end++)
            p->mark[col[end] - row[end] + p->rows - 1]++;
        judge_stretches(p, first, end, s);
        first = end;
    }
}

/// Rows of a matrix that has so many that no array shall be as long.
static void count_spread_rows(const cairn_entries *entries, cairn_structure *s)
{
    int64_t length = 0;

    for (cairn_pos k = 0; k < entries->n; k++) {
        const bool begins = k == 0 || entries->coord[0][k] != entries->coord[0][k - 1];

        length = begins ? 1 : length + 1;
        s->filled_rows += begins;
        if (length > s->max_row) s->max_row = length;
    }
    s->spreads = true;
}

static cairn_status count_all(cairn_env *env, pass *p, cairn_structure *s)
{
    CAIRN_TRY(CAIRN_NEW_ZERO(env, p->rows, &p->length));
    count_rows(p, s);
    CAIRN_TRY(CAIRN_NEW_ZERO(env, s->max_row + 1, &p->number));
    count_slots(p, s);
    CAIRN_TRY(CAIRN_NEW(env, p->rows + p->cols + 1, &p->mark));
    count_blocks(p, s);
    count_stretches(p, s);
    return CAIRN_OK;
}

cairn_status cairn_structure_count(cairn_env           *env,
                                   const cairn_entries *entries,
                                   int64_t              rows,
                                   int64_t              cols,
                                   cairn_structure     *structure)
{
    const int64_t   most   = 64 * entries->n + (1 << 20);
    pass            p      = {.entries = entries, .rows = rows, .cols = cols};
    cairn_structure fresh  = {.entries = entries->n, .rows = rows, .cols = cols};
    cairn_status    status = CAIRN_OK;

    if (rows > most || cols > most || rows > INT32_MAX / 2 || cols > INT32_MAX / 2
        || entries->n > INT32_MAX)
        count_spread_rows(entries, &fresh);
    else
        status = count_all(env, &p, &fresh);
    cairn_free(env, p.length);
    cairn_free(env, p.number);
    cairn_free(env, p.mark);
    if (status == CAIRN_OK) *structure = fresh;
    return status;
}
