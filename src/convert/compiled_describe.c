// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The passes of a member that was built the compiled way, once its arrays are filled:
/// then it is known which of its ways' choices were made.

#include "convert/compiled.h"
#include "rules/pass_list.h"

/// What passes are made of.
typedef struct {
    const cairn_compiled *c;
    cairn_pass_list      *program;
    cairn_pass            pass;          ///< Method and member of all of them.
    double                read, written; ///< Bytes of an entry in source and target.
    uint64_t              arrays;        ///< Of the target,
    uint64_t              ptrs;          ///< its ptr among them.
} describer;

static cairn_status add(describer        *d,
                        cairn_pass_kind   what,
                        cairn_pass_unit   unit,
                        uint64_t          arrays,
                        cairn_pass_stores stores,
                        double            bytes)
{
    cairn_pass pass = d->pass;

    pass.what   = what;
    pass.unit   = unit;
    pass.arrays = arrays;
    pass.stores = stores;
    pass.bytes  = bytes;
    return cairn_pass_list_add(d->program, &pass);
}

/// Entries are counted by what stands above the values.
static cairn_status add_count(describer *d, cairn_pass_unit unit)
{
    const double values = d->c->build->value_bits / 8;

    d->pass.index = d->program->indices++;
    return add(d, CAIRN_PASS_COUNT, unit, 0, CAIRN_STORES_NONE,
               unit == CAIRN_UNIT_RUN ? 0 : d->read - values);
}

static cairn_status add_offsets(describer *d)
{
    return add(d, CAIRN_PASS_OFFSETS, CAIRN_UNIT_RUN, d->ptrs, CAIRN_STORES_DIRECT, 0);
}

/// The entries themselves: written lines are read before, unless they go by whole lines.
static cairn_status add_move(describer        *d,
                             cairn_pass_kind   what,
                             cairn_pass_unit   unit,
                             cairn_pass_stores stores)
{
    const double times = stores == CAIRN_STORES_DIRECT ? 2 : 1;

    return add(d, what, unit, d->arrays & ~d->ptrs, stores,
               d->read + times * d->written);
}

static cairn_status add_pad(describer *d)
{
    return add(d, CAIRN_PASS_PAD, CAIRN_UNIT_RUN, d->arrays & ~d->ptrs,
               CAIRN_STORES_DIRECT, 0);
}

static cairn_status append(describer *d)
{
    const cairn_taken *taken  = &d->c->taken;
    uint64_t           shared = taken->val ? CAIRN_PASS_VAL : 0;

    for (int l = 0; l < d->c->m->layout->levels; l++)
        if (taken->idx[l]) shared |= CAIRN_PASS_IDX(l);
    if (shared)
        CAIRN_TRY(
            add(d, CAIRN_PASS_SHARE, CAIRN_UNIT_RUN, shared, CAIRN_STORES_NONE, 0));
    if (d->c->count.loader) CAIRN_TRY(add_count(d, CAIRN_UNIT_ENTRY));
    return add(d, CAIRN_PASS_APPEND, CAIRN_UNIT_ENTRY, d->arrays & ~shared,
               CAIRN_STORES_DIRECT, d->read + (shared ? 0 : 2 * d->written));
}

static cairn_status share(describer *d)
{
    CAIRN_TRY(add_offsets(d));
    return add(d, CAIRN_PASS_SHARE, CAIRN_UNIT_RUN, d->arrays & ~d->ptrs,
               CAIRN_STORES_NONE, 0);
}

/// A mirrored entry is found where the cursor of its group stands: nothing is counted.
static cairn_status mirror(describer *d)
{
    const int      E      = d->c->m->layout->last;
    const uint64_t shared = CAIRN_PASS_PTR(E) | CAIRN_PASS_IDX(E);

    d->pass.method = "mirror";
    if (d->c->m->group->taken > 0)
        CAIRN_TRY(
            add(d, CAIRN_PASS_SHARE, CAIRN_UNIT_RUN, shared, CAIRN_STORES_NONE, 0));
    else
        CAIRN_TRY(add_offsets(d));
    return add(d, CAIRN_PASS_MOVE, CAIRN_UNIT_ENTRY,
               d->c->m->group->taken > 0 ? CAIRN_PASS_VAL : d->arrays & ~d->ptrs,
               CAIRN_STORES_DIRECT, d->read + 2 * d->written);
}

static cairn_status scatter(describer *d)
{
    if (cairn_way_scatter_mirrored(d->c)) return mirror(d);
    CAIRN_TRY(add_count(d, CAIRN_UNIT_ENTRY));
    CAIRN_TRY(add_offsets(d));
    return add_move(d, CAIRN_PASS_MOVE, CAIRN_UNIT_ENTRY,
                    d->c->scattered ? CAIRN_STORES_BUCKETED : CAIRN_STORES_DIRECT);
}

static cairn_status rows(describer *d)
{
    CAIRN_TRY(add_count(d, d->c->move.loader ? CAIRN_UNIT_RUN : CAIRN_UNIT_ENTRY));
    CAIRN_TRY(add_offsets(d));
    return add_move(d, CAIRN_PASS_MOVE, CAIRN_UNIT_RUN, CAIRN_STORES_DIRECT);
}

static cairn_status row_slots(describer *d)
{
    CAIRN_TRY(add_offsets(d));
    CAIRN_TRY(add_move(
        d, CAIRN_PASS_MOVE, d->c->stands ? CAIRN_UNIT_RUN : CAIRN_UNIT_ENTRY,
        cairn_way_lanes_is_tiled(d->c) ? CAIRN_STORES_TILED : CAIRN_STORES_DIRECT));
    return add_pad(d);
}

/// Nodes of each group are listed, numbered, and get their entries' values.
static cairn_status groups(describer *d)
{
    const bool tiled = d->c->tile && !d->c->zeros;

    if (!d->c->known) CAIRN_TRY(add_count(d, CAIRN_UNIT_ENTRY));
    CAIRN_TRY(add(d, CAIRN_PASS_NUMBER, CAIRN_UNIT_RUN, d->ptrs, CAIRN_STORES_NONE, 0));
    d->program->pass[d->program->passes - 1].rule = CAIRN_NUMBER_RANK;
    return add_move(d, CAIRN_PASS_MOVE, CAIRN_UNIT_ENTRY,
                    tiled ? CAIRN_STORES_TILED : CAIRN_STORES_DIRECT);
}

/// Groups that were numbered before.
static cairn_status lines(describer *d)
{
    CAIRN_TRY(add_offsets(d));
    CAIRN_TRY(add_move(d, CAIRN_PASS_MOVE, CAIRN_UNIT_ENTRY, CAIRN_STORES_DIRECT));
    return add_pad(d);
}

static cairn_status partitioned(describer *d)
{
    CAIRN_TRY(add_count(d, CAIRN_UNIT_ENTRY));
    CAIRN_TRY(add_offsets(d));
    return add_move(d, CAIRN_PASS_APPEND, CAIRN_UNIT_ENTRY, CAIRN_STORES_BUCKETED);
}

/// Items are packed, dealt to buckets that are sorted in cache, looked at and appended.
static cairn_status sort(describer *d)
{
    CAIRN_TRY(add(d, CAIRN_PASS_SORT, CAIRN_UNIT_ENTRY, 0, CAIRN_STORES_BUCKETED,
                  d->read + 32 + 112));
    d->read = 16;
    CAIRN_TRY(add_count(d, CAIRN_UNIT_ENTRY));
    return add_move(d, CAIRN_PASS_APPEND, CAIRN_UNIT_ENTRY, CAIRN_STORES_DIRECT);
}

static cairn_status (*const describe[])(describer *) = {
    [CAIRN_STRATEGY_APPEND] = append,     [CAIRN_STRATEGY_SCATTER] = scatter,
    [CAIRN_STRATEGY_SLOTS] = groups,      [CAIRN_STRATEGY_SORT] = sort,
    [CAIRN_STRATEGY_LANES] = row_slots,   [CAIRN_STRATEGY_ROWS] = rows,
    [CAIRN_STRATEGY_DEALT] = partitioned, [CAIRN_STRATEGY_LINES] = lines,
    [CAIRN_STRATEGY_WHOLE] = rows,        [CAIRN_STRATEGY_TAKE] = share,
};

/// Numbers along rows are given, and what they pad is written, by ways that know of none.
static bool is_numbered_beside(const cairn_compiled *c)
{
    return c->m->ranked && !c->m->laned;
}

/// Does some level need indices where there is no entry?
static bool pads_beside(const cairn_compiled *c)
{
    return is_numbered_beside(c)
           || (!c->m->ranked && c->strategy != CAIRN_STRATEGY_LINES
               && cairn_convert_needs_tuples(c->m->layout));
}

cairn_status cairn_compiled_describe(const cairn_compiled *c, cairn_pass_list *program)
{
    const cairn_layout *to = c->m->layout;
    const cairn_layout *from =
        c->origin.from ? c->origin.from->group[c->origin.member].layout : NULL;
    describer d = {
        .c       = c,
        .program = program,
        .pass    = {.method = cairn_strategy_name(c->strategy),
                    .member = c->m->number,
                    .index  = cairn_pass_list_last_index(program, c->m->number)},
        .read    = (double)cairn_pass_entry_bytes(from, to->order),
        .written = (double)cairn_pass_entry_bytes(to, to->order),
        .arrays  = cairn_pass_arrays(to),
    };

    for (int l = 0; l < to->levels; l++)
        d.ptrs |= d.arrays & CAIRN_PASS_PTR(l);
    if (is_numbered_beside(c)) {
        CAIRN_TRY(
            add(&d, CAIRN_PASS_NUMBER, CAIRN_UNIT_ENTRY, 0, CAIRN_STORES_NONE, 0));
        program->pass[program->passes - 1].rule = CAIRN_NUMBER_RANK;
    }
    CAIRN_TRY(describe[c->strategy](&d));
    return pads_beside(c) ? add_pad(&d) : CAIRN_OK;
}
