// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Blocks of entries, in each of which rows are marked where they begin; then the row of an
/// entry is a sum of marks, and no loop ends where a row does.

#include "convert/stores/marked_move.h"

#include <string.h>

enum { BLOCK = 1 << 12 }; ///< Entries, whose marks stay in the first cache.

/// A block and where it goes.
typedef struct {
    const void    *idx; ///< Of its entries, as are values and marks.
    const void    *val;
    const uint8_t *marks;
    int64_t        entries;
    uint32_t       row; ///< Of the first entry, before its mark is added.
    uint32_t      *cursor;
    void          *to_idx, *to_val;
} block;

/* The first entry is the lowest part of a word. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { HAS_FOURS = 1 };
#else
enum { HAS_FOURS = 0 };
#endif

#define MOVE(p, index, mark)                      \
    do {                                          \
        const uint32_t at = cursor[index];        \
                                                  \
        row += (mark);                            \
        cursor[index] = at + 1;                   \
        to_idx[at]    = (__typeof__(*to_idx))row; \
        to_val[at]    = val[p];                   \
    } while (0)

/// Indices of @p from bits and values of @p bits become indices of @p to bits.
#define MOVE_BLOCK(from, to, bits)                                            \
    static void move_##from##_##to##_##bits(const block *b)                   \
    {                                                                         \
        const uint##from##_t *const restrict idx = b->idx;                    \
        const uint##bits##_t *const restrict val = b->val;                    \
        const uint8_t *const restrict marks      = b->marks;                  \
        uint32_t *const restrict cursor          = b->cursor;                 \
        uint##to##_t *const restrict to_idx      = b->to_idx;                 \
        uint##bits##_t *const restrict to_val    = b->to_val;                 \
        uint32_t row                             = b->row;                    \
        int64_t  p                               = 0;                         \
                                                                              \
        for (; HAS_FOURS && p + 4 <= b->entries; p += 4) {                    \
            uint64_t pair[2] = {0, 0};                                        \
            uint32_t mark;                                                    \
                                                                              \
            memcpy(pair, idx + p, 4 * sizeof *idx);                           \
            memcpy(&mark, marks + p, sizeof mark);                            \
            if (from == 16) pair[1] = pair[0] >> 32;                          \
            MOVE(p, (uint##from##_t)pair[0], mark & 0xff);                    \
            MOVE(p + 1, (uint##from##_t)(pair[0] >> from), mark >> 8 & 0xff); \
            MOVE(p + 2, (uint##from##_t)pair[1], mark >> 16 & 0xff);          \
            MOVE(p + 3, (uint##from##_t)(pair[1] >> from), mark >> 24);       \
        }                                                                     \
        for (; p < b->entries; p++)                                           \
            MOVE(p, idx[p], marks[p]);                                        \
    }

MOVE_BLOCK(16, 16, 32)
MOVE_BLOCK(16, 16, 64)
MOVE_BLOCK(16, 32, 32)
MOVE_BLOCK(16, 32, 64)
MOVE_BLOCK(32, 16, 32)
MOVE_BLOCK(32, 16, 64)
MOVE_BLOCK(32, 32, 32)
MOVE_BLOCK(32, 32, 64)

typedef void (*move_block)(const block *b);

/// By the width of the source's indices, the target's, and values.
static const move_block moves[2][2][2] = {
    {{move_16_16_32, move_16_16_64}, {move_16_32_32, move_16_32_64}},
    {{move_32_16_32, move_32_16_64}, {move_32_32_32, move_32_32_64}},
};

/// All rows and where they go.
typedef struct {
    const cairn_compiled    *c;
    const cairn_kernel_part *from;
    const cairn_kernel_level
        *rows; ///< Of the source: its indices, and where rows begin.
    const cairn_kernel_part *to;
    move_block               move;
} moving;

static int64_t begin_of(const cairn_kernel_level *level, int64_t row)
{
    if (level->ptr_bits == 32) return ((const uint32_t *)level->ptr)[row];
    return cairn_load_int(level->ptr, row, level->ptr_bits / 8, level->ptr_bits, false);
}

/// Mark where rows behind @p *row begin among entries begin..end-1; that is the last of them
/// then. Where more begin at one than a mark can say, the block ends before.
/// @return where the block ends.
static int64_t mark_block(const cairn_kernel_level *rows,
                          int64_t                   all,
                          int64_t                   begin,
                          int64_t                   end,
                          uint8_t                  *marks,
                          int64_t                  *row)
{
    memset(marks, 0, (size_t)(end - begin));
    for (; *row + 1 < all; ++*row) {
        const int64_t at = begin_of(rows, *row + 1);

        if (at >= end) return end;
        if (marks[at - begin] == UINT8_MAX) return at;
        marks[at - begin]++;
    }
    return end;
}

static void move_range(void *user, int range)
{
    const moving *const              m    = user;
    const cairn_kernel_level *const  rows = m->rows;
    const cairn_thread_ranges *const r    = &m->c->ranges;
    const int64_t                    all  = r->cut[range + 1];
    const int64_t idx_bytes = rows->idx_bits / 8, val_bytes = m->to->val_bits / 8;
    int64_t       row = r->cut[range];
    uint8_t       marks[BLOCK];

    if (row >= all) return; /* there may be no ptr */
    const int64_t last = begin_of(rows, all);

    for (int64_t begin = begin_of(rows, row), end; begin < last; begin = end) {
        while (begin_of(rows, row + 1) <= begin)
            row++;
        const int64_t first = row;

        end = last - begin < BLOCK ? last : begin + BLOCK;
        end = mark_block(rows, all, begin, end, marks, &row);
        m->move(&(block){
            .idx     = (const char *)rows->idx + begin * idx_bytes,
            .val     = (const char *)m->from->val + begin * val_bytes,
            .marks   = marks,
            .entries = end - begin,
            .row     = (uint32_t)(m->from->level[0].lo + first),
            .cursor  = m->c->groups.begin + range * m->c->facts.groups,
            .to_idx  = (void *)(uintptr_t)m->to->level[1].idx,
            .to_val  = m->to->val,
        });
    }
}

/// Two levels, lines and lists below them; the lines are of dimension @p *line.
static bool are_lines(const cairn_layout *layout, int *line)
{
    const cairn_level *const lines = &layout->level[0], *const list = &layout->level[1];

    if (layout->order != 2 || layout->levels != 2 || layout->partition >= 0
        || layout->banks != 1 || layout->pads || layout->packs.count > 0
        || lines->trimmed || lines->determined.on || !list->trimmed || list->gaps
        || !list->arrays.has_ptr || !list->arrays.has_idx || list->arrays.idx_signed
        || (list->arrays.idx_bits != 16 && list->arrays.idx_bits != 32))
        return false;
    *line = cairn_form_dimension(&lines->form, 2);
    return *line >= 0 && cairn_form_dimension(&list->form, 2) == 1 - *line;
}

/// Is nothing between indices, nor between values, of 32 or 64 bits?
static bool lie_close(const cairn_kernel_part *part)
{
    return part->val_kind == CAIRN_VALUE_FLOAT
           && (part->val_bits == 32 || part->val_bits == 64) && part->val_block == 1
           && part->val_stride == part->val_bits / 8
           && part->level[1].idx_stride == part->level[1].idx_bits / 8;
}

bool cairn_marked_move_fits(const cairn_compiled *c, const cairn_part *to)
{
    const cairn_kernel_part *const from = cairn_compiled_source(c);
    int                            line, other;

    return from && !c->origin.filter.member && !c->stores.concurrent
           && cairn_origin_group(&c->origin)->count == 1
           && are_lines(cairn_origin_layout(&c->origin), &line)
           && are_lines(to->layout, &other) && line != other
           && to->view.level[0].lo == 0 && lie_close(from) && lie_close(&to->view)
           && from->val_bits == to->view.val_bits;
}

void cairn_marked_move(const cairn_compiled *c, const cairn_part *to)
{
    const cairn_kernel_part *const from = cairn_compiled_source(c);
    moving                         m    = {.c    = c,
                                           .from = from,
                                           .rows = &from->level[1],
                                           .to   = &to->view,
                                           .move = moves[from->level[1].idx_bits == 32]
                                                        [to->view.level[1].idx_bits == 32][from->val_bits == 64]};

    cairn_thread_ranges_each(c->m->env, &c->ranges, move_range, &m);
}
