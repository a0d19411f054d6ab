// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The way of entries that are all nodes and come in order within each group: they are
/// counted by group, and dealt out.

#include "convert/compiled.h"

enum {
    CACHED = 1 << 20, ///< Bytes of output that stay in a core's cache anyhow.
};

static cairn_status load(cairn_compiled *c)
{
    const cairn_convert_spec count = cairn_compiled_spec(c, CAIRN_CONVERT_HISTOGRAM);
    cairn_convert_spec       fill  = cairn_compiled_spec(c, CAIRN_CONVERT_SCATTER);

    fill.ahead = c->facts.entries * (4 + c->build->value_bits / 8) > CACHED;
    CAIRN_TRY(cairn_compiled_load(c, &count, &c->count));
    return cairn_compiled_load(c, &fill, &c->fill);
}

/// From counts to begins: the threads' entries of a group follow each other. The first
/// thread's begins are the groups'; there is one more.
static void add_up(uint32_t *cursor, int64_t groups, int64_t threads)
{
    uint32_t before = 0;

    for (int64_t g = 0; g < groups; g++)
        for (int64_t t = 0; t < threads; t++) {
            const uint32_t here = cursor[t * groups + g];

            cursor[t * groups + g] = before;
            before += here;
        }
    cursor[threads * groups] = before;
}

/// Entries before group @p g; there may be one more group than there are.
static int64_t begin_of(const cairn_compiled *c, int64_t g)
{
    return c->cursor[g < c->facts.groups ? g : c->shares.n * c->facts.groups];
}

static cairn_status count(cairn_compiled *c)
{
    const cairn_layout *to     = c->m->layout;
    const int64_t       groups = c->facts.groups, each = groups / to->banks;
    cairn_convert_args  args = {.groups = groups};

    /* A histogram for each thread must not outgrow the entries. */
    CAIRN_TRY(cairn_compiled_divide(c, false, 1 + 4 * c->facts.entries / (groups + 1)));
    CAIRN_TRY(CAIRN_NEW_ZERO(c->m->env, c->shares.n * groups + 1, &c->cursor));
    args.cursor = c->cursor;
    args.facts  = c->shares.found;
    CAIRN_TRY(cairn_compiled_run(c, &c->count, &c->empty.view, &args));
    add_up(c->cursor, groups, c->shares.n);
    for (int64_t b = 0; b < to->banks; b++) {
        cairn_bank *bank = &c->m->bank[b];

        bank->begin = begin_of(c, b * each);
        bank->end   = begin_of(c, (b + 1) * each);
        for (int l = to->first; l <= to->last; l++)
            bank->nodes[l] = bank->end - bank->begin;
    }
    return CAIRN_OK;
}

/// Write the ptr of a bank from the begins of its groups.
static void
write_ptr(const cairn_compiled *c, int64_t bank, const cairn_kernel_level *level)
{
    const int64_t   each  = c->facts.groups / c->m->layout->banks;
    const uint32_t *begin = c->cursor + bank * each;

    if (!level->ptr_bits) return;
    if (level->ptr_bits == 32) {
        uint32_t *const ptr = (uint32_t *)level->ptr;

        for (int64_t g = 0; g < each; g++)
            ptr[g] = begin[g] - begin[0];
        ptr[each] = (uint32_t)(c->m->bank[bank].end - c->m->bank[bank].begin);
        return;
    }
    for (int64_t g = 0; g <= each; g++)
        cairn_store_int((void *)level->ptr, g, level->ptr_bits / 8, level->ptr_bits,
                        begin_of(c, bank * each + g) - c->m->bank[bank].begin);
}

/// Below the groups every node has one child: where there is a ptr, it counts up.
static void write_lower_ptrs(const cairn_layout *to, const cairn_kernel_part *view)
{
    for (int l = to->first + 1; l <= to->last; l++) {
        const cairn_kernel_level *level = &view->level[l];

        for (int64_t k = 0; level->ptr_bits && k < level->ptr_length; k++)
            cairn_store_int((void *)level->ptr, k, level->ptr_bits / 8, level->ptr_bits,
                            k);
    }
}

/// Elements from one array to another of the same block.
static int64_t distance(const void *to, const void *from, int bits)
{
    return ((const char *)to - (const char *)from) / (bits / 8);
}

/// Where a bank's arrays begin, for positions that count all banks' entries.
static void set_delta(const cairn_compiled *c, int64_t bank, int64_t *delta)
{
    const cairn_layout      *to    = c->m->layout;
    const cairn_kernel_part *first = &c->m->part[0].view, *its = &c->m->part[bank].view;
    const cairn_pos          begin = c->m->bank[bank].begin;

    for (int l = 0; l < to->levels; l++)
        if (its->level[l].idx_bits)
            delta[l] =
                distance(its->level[l].idx, first->level[l].idx, its->level[l].idx_bits)
                - begin;
    delta[to->levels] = distance(its->val, first->val, its->val_bits) - begin;
}

static cairn_status
deal(const cairn_compiled *c, cairn_convert_args *args, cairn_kernel_part *first)
{
    const cairn_layout *to    = c->m->layout;
    int64_t            *delta = NULL;

    if (to->partition >= 0)
        CAIRN_TRY(CAIRN_NEW_ZERO(c->m->env, to->banks * (to->levels + 1), &delta));
    for (int64_t b = 0; b < to->banks; b++) {
        write_ptr(c, b, &c->m->part[b].view.level[to->first]);
        write_lower_ptrs(to, &c->m->part[b].view);
        if (delta) set_delta(c, b, delta + b * (to->levels + 1));
    }
    args->delta  = delta;
    args->cursor = c->cursor;
    args->groups = c->facts.groups;

    const cairn_status status = cairn_compiled_run(c, &c->fill, first, args);

    cairn_free(c->m->env, delta);
    return status;
}

/// The first bank's turn is all banks' turn.
static cairn_status
fill(const cairn_compiled *c, int64_t bank, cairn_convert_args *args, cairn_part *part)
{
    return bank == 0 ? deal(c, args, &part->view) : CAIRN_OK;
}

const cairn_way cairn_way_scatter = {load, count, fill};
