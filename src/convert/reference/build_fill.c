// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Filling a part's arrays from its entries in order.

#include "convert/build_steps.h"
#include "lower/conversion/convert.h"

#include <inttypes.h>
#include <string.h>

/// One bank while it is filled.
typedef struct {
    const cairn_member_build *m;
    const cairn_layout       *layout;
    cairn_kernel_part        *view;
    cairn_node_cursor         cursor;
    int64_t *tuple[CAIRN_MAX_LEVELS]; ///< Indices of every node of level E.
} filler;

/// Parent node of level @p l for the current entry.
static cairn_pos parent_of(const filler *f, int l, cairn_pos row)
{
    cairn_pos parent = 0;

    if (l > f->layout->first) return f->cursor.node[l - 1];
    for (int k = f->layout->partition + 1; k < l; k++)
        parent = parent * f->layout->level[k].size
                 + (f->m->table.column[k][row] - f->layout->level[k].range.lo);
    return parent;
}

static void fill_nodes(filler *f, cairn_pos row)
{
    for (int l = f->layout->first; l <= f->layout->last; l++) {
        const cairn_kernel_level *level = &f->view->level[l];

        if (!(f->cursor.fresh >> l & 1)) continue;
        if (level->ptr_bits) /* the end of the parent's children so far */
            cairn_store_int((void *)level->ptr, parent_of(f, l, row) + 1,
                            level->ptr_bits / 8, level->ptr_bits, f->cursor.total[l]);
        if (level->idx_bits)
            cairn_store_int((void *)level->idx, f->cursor.node[l], level->idx_stride,
                            level->idx_bits, f->m->table.column[l][row]);
    }
}

/// Note the indices of the nodes of level E that this entry began, gaps before it too.
static void note_tuple(filler *f, cairn_pos row, cairn_pos total_before)
{
    const int          last  = f->layout->last;
    const cairn_level *level = &f->layout->level[last];
    const cairn_pos    node  = f->cursor.node[last];
    const cairn_pos    begin = level->gaps ? total_before : node;

    if (begin < node) cairn_visit(f->m->env, node - begin);
    for (cairn_pos p = begin; p <= node; p++) {
        for (int l = 0; l < last; l++)
            f->tuple[l][p] = f->m->table.column[l][row];
        f->tuple[last][p] = f->m->table.column[last][row] - (node - p);
    }
}

/// Position of an index of a determined level that is stored per combination.
static cairn_pos combination_of(const filler *f, int l, cairn_pos row)
{
    cairn_pos p = 0;

    for (int k = f->layout->partition + 1; k < l; k++)
        if (f->layout->level[l].determined.by >> k & 1)
            p = p * f->layout->level[k].size
                + (f->m->table.column[k][row] - f->layout->level[k].range.lo);
    return p;
}

/// Levels below E: the value's position, and the indices of determined levels.
static cairn_pos fill_below(filler *f, cairn_pos row)
{
    const cairn_layout *layout = f->layout;
    cairn_pos           p      = layout->last >= 0 ? f->cursor.node[layout->last] : 0;

    for (int l = layout->last + 1; l < layout->levels; l++) {
        const cairn_level        *info  = &layout->level[l];
        const cairn_kernel_level *level = &f->view->level[l];

        if (l <= layout->partition) continue;
        if (info->determined.on)
            cairn_store_int((void *)level->idx,
                            info->determined.per_node ? p : combination_of(f, l, row),
                            level->idx_stride, level->idx_bits,
                            f->m->table.column[l][row]);
        else
            p = p * info->size + (f->m->table.column[l][row] - info->range.lo);
    }
    return p;
}

static void fill_holes(const filler *f)
{
    for (int l = f->layout->last + 1; l < f->layout->levels; l++) {
        const cairn_kernel_level *level = &f->view->level[l];

        if (f->layout->level[l].determined.on)
            cairn_visit(f->m->env, level->idx_length);
        for (cairn_pos p = 0;
             f->layout->level[l].determined.on && p < level->idx_length; p++)
            cairn_store_int((void *)level->idx, p, level->idx_stride, level->idx_bits,
                            level->hole);
    }
}

/// Ends of parents without children are those of the parent before.
static void fill_ends(const filler *f)
{
    for (int l = f->layout->first; l <= f->layout->last; l++) {
        const cairn_kernel_level *level = &f->view->level[l];
        const int                 bits  = level->ptr_bits;
        int64_t                   end   = 0;

        cairn_visit(f->m->env, level->ptr_length);
        for (cairn_pos p = 1; p < level->ptr_length; p++) {
            const int64_t own = cairn_load_int(level->ptr, p, bits / 8, bits, false);

            if (own > end) end = own;
            cairn_store_int((void *)level->ptr, p, bits / 8, bits, end);
        }
    }
}

cairn_status cairn_build_check_widths(cairn_env *env, const cairn_kernel_part *view)
{
    for (int l = view->first; l <= view->last; l++) {
        const cairn_kernel_level *level = &view->level[l];

        CAIRN_CHECK(!level->ptr_bits || level->ptr_bits == 64
                        || level->nodes < (int64_t)1 << level->ptr_bits,
                    env, CAIRN_OVERFLOW,
                    "format: bits: ptr(%d) = %d is too small for %" PRId64 " nodes", l,
                    level->ptr_bits, level->nodes);
    }
    return CAIRN_OK;
}

static void fill_entries(filler *f, const cairn_bank *bank, bool tuples)
{
    const int last = f->layout->last;

    cairn_node_cursor_init(&f->cursor);
    cairn_visit(f->m->env, bank->end - bank->begin);
    for (cairn_pos row = bank->begin; row < bank->end; row++) {
        const cairn_pos before = last >= 0 ? f->cursor.total[last] : 0;

        cairn_node_cursor_step(&f->cursor, f->m, row);
        fill_nodes(f, row);
        if (tuples && f->cursor.fresh >> last & 1) note_tuple(f, row, before);
        cairn_value_set(f->view, fill_below(f, row), f->m->table.value[row]);
    }
}

static void fill_arrays(filler *f, const cairn_bank *bank, bool tuples)
{
    fill_holes(f);
    fill_entries(f, bank, tuples);
    fill_ends(f);
}

void cairn_build_fill_stored(const cairn_member_build *m,
                             int64_t                   bank,
                             cairn_part               *part)
{
    filler f = {.m = m, .layout = m->layout, .view = &part->view};

    fill_arrays(&f, &m->bank[bank], false);
}

cairn_status
cairn_build_fill(const cairn_member_build *m, int64_t bank, cairn_part *part)
{
    filler       f      = {.m = m, .layout = m->layout, .view = &part->view};
    const bool   tuples = cairn_convert_needs_tuples(m->layout);
    cairn_status status = CAIRN_OK;

    part->nnz = m->bank[bank].end - m->bank[bank].begin;
    CAIRN_TRY(cairn_build_check_widths(m->env, f.view));
    for (int l = 0; l <= m->layout->last && tuples; l++)
        CAIRN_GO(done,
                 CAIRN_NEW(m->env, m->bank[bank].nodes[m->layout->last], &f.tuple[l]));
    fill_arrays(&f, &m->bank[bank], tuples);
    status = cairn_build_padding(m, part, f.tuple);
done:
    for (int l = 0; l < CAIRN_MAX_LEVELS; l++)
        cairn_free(m->env, f.tuple[l]);
    return status;
}
