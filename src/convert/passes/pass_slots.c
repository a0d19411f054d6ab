// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Slots of rows: each row has a *lane*, in a group that has as many nodes as its longest
/// row has entries. Where an entry goes follows from its row and its number.

#include "convert/passes.h"

/* Positions are 32 bits wide. */
#define MOST ((int64_t)UINT32_MAX - 1)

int64_t cairn_slots_lanes(const cairn_layout *to)
{
    int64_t lanes = 1;

    for (int l = to->last + 1; l < to->levels - 1; l++)
        if (!to->level[l].determined.on) lanes *= to->level[l].size;
    return lanes;
}

cairn_convert_spec cairn_slots_lanes_spec(const cairn_compiled *c)
{
    cairn_convert_spec lanes = cairn_compiled_spec(c, CAIRN_CONVERT_LANES);

    lanes.source      = CAIRN_CONVERT_ROWS;
    lanes.from        = NULL;
    lanes.members.one = lanes.along.on = false;
    return lanes;
}

/* ---- where they begin ---- */

/// Which lane every row has, and the other way round.
static cairn_status find_lanes(cairn_compiled *c, int64_t all)
{
    cairn_env *const   env      = c->m->env;
    const int64_t      rows     = c->m->rows.n;
    int64_t            share[2] = {0, rows};
    cairn_convert_args args     = {.share = share, .shares = 1};

    CAIRN_TRY(CAIRN_NEW(env, rows, &c->slots.lane));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, all, &c->slots.row_of));
    args.box        = &c->origin.box[0].lo;
    args.table      = c->origin.table;
    args.table_rows = rows;
    args.list       = c->slots.lane;
    CAIRN_TRY(cairn_phase_run(env, cairn_pass_phase(c, CAIRN_CONVERT_LANES), NULL,
                              &c->empty.view, &args));
    for (int64_t i = 0; i < rows; i++) {
        /* Two rows in one place: the reference way says so. */
        CAIRN_CHECK(c->slots.lane[i] < all && c->slots.row_of[c->slots.lane[i]] == 0,
                    env, CAIRN_NO_KERNEL, "convert: rows without lanes of their own");
        c->slots.row_of[c->slots.lane[i]] = (uint32_t)(i + 1);
    }
    return CAIRN_OK;
}

/// Entries of the row in a lane.
static uint32_t entries_in(const cairn_compiled *c, int64_t lane)
{
    const uint32_t row = c->slots.row_of[lane];

    return row ? cairn_compiled_counts(c)[row - 1] : 0;
}

/// The most entries of any row.
static uint32_t most_entries(const cairn_compiled *c)
{
    const uint32_t *count = cairn_compiled_counts(c);
    uint32_t        most  = 0;

    for (int64_t i = 0; i < c->m->rows.n; i++)
        most = count[i] > most ? count[i] : most;
    return most;
}

/// A group is as wide as its longest row: where there is one, rows are read in order.
static cairn_status begin_groups(cairn_compiled *c, int64_t lanes)
{
    if (c->facts.groups != 1) return cairn_slots_begin_groups(c, lanes, entries_in);
    c->groups.begin[0] = 0;
    c->groups.begin[1] = most_entries(c);
    c->groups.n        = c->groups.begin[1];
    return CAIRN_OK;
}

static int64_t entries_of(const cairn_compiled *c)
{
    const uint32_t *count = cairn_compiled_counts(c);
    int64_t         n     = 0;

    for (int64_t i = 0; i < c->m->rows.n; i++)
        n += count[i];
    return n;
}

/// What is too large needs no list of its lanes first: some group is as wide as the row
/// with most entries.
static cairn_status check_lanes(const cairn_compiled *c, int64_t all)
{
    const cairn_layout *to                      = c->m->layout;
    cairn_pos           nodes[CAIRN_MAX_LEVELS] = {0};
    int64_t             offset = 0, bytes = 0;
    cairn_part          part = {0};

    nodes[to->first] = most_entries(c);
    cairn_part_place(to, nodes, NULL, &offset, &bytes, &part);
    CAIRN_TRY(cairn_build_check_memory(c->m->env, c->build, bytes));
    return cairn_check_memory(c->m->env, "the list of lanes",
                              (__int128)all * (int64_t)sizeof *c->slots.row_of);
}

static cairn_status begin_slots(cairn_compiled *c)
{
    cairn_env *const env   = c->m->env;
    const int64_t    lanes = cairn_slots_lanes(c->m->layout);
    const __int128   all   = (__int128)lanes * c->facts.groups;
    cairn_bank      *bank  = &c->m->bank[0];

    bank->end = entries_of(c);
    CAIRN_CHECK(all <= MOST && bank->end <= MOST && c->m->rows.n <= MOST, env,
                CAIRN_NO_KERNEL, "convert: more lanes than 32 bits number");
    CAIRN_TRY(check_lanes(c, (int64_t)all));
    if (c->slots.by_lanes && c->slots.source_is_list) CAIRN_TRY(cairn_rows_begin(c));
    CAIRN_TRY(CAIRN_NEW(env, c->facts.groups + 1, &c->groups.begin));
    CAIRN_TRY(find_lanes(c, (int64_t)all));
    CAIRN_TRY(begin_groups(c, lanes));
    bank->nodes[c->m->layout->first] = c->groups.n;
    return CAIRN_OK;
}

const cairn_pass_work cairn_offsets_of_slots = {.prepare = begin_slots,
                                                .write   = cairn_pass_write_last_ptr};

/* ---- padding ---- */

/// Behind the entries of a row stand the columns that it lacks; where there is no row,
/// holes.
static void pad_group(const cairn_compiled *c, const cairn_part *part, int64_t g)
{
    const cairn_layout       *to    = c->m->layout;
    const cairn_kernel_level *idx   = &part->view.level[to->levels - 1];
    const cairn_interval      cols  = to->box[c->m->rows.col];
    const int64_t             lanes = cairn_slots_lanes(to), node = c->groups.begin[g];
    const int idx_bytes = idx->idx_bits / 8, val_bytes = part->view.val_bits / 8;
    cairn_padded_lane row = {.idx = (char *)idx->idx + node * lanes * idx_bytes,
                             .val = (char *)part->view.val + node * lanes * val_bytes,
                             .stride   = lanes,
                             .slots    = c->groups.begin[g + 1] - node,
                             .hole     = idx->hole,
                             .free     = cols.lo,
                             .idx_bits = idx->idx_bits,
                             .val_bits = part->view.val_bits};

    for (int64_t k = g * lanes; k < (g + 1) * lanes; k++) {
        row.count =
            c->slots.row_of[k] ? cairn_compiled_counts(c)[c->slots.row_of[k] - 1] : 0;
        row.end = c->slots.row_of[k] ? cols.hi + 1 : cols.lo;
        cairn_pad_lane(&row);
        row.idx += idx_bytes;
        row.val += val_bytes;
    }
}

/// Lanes that were filled one after the other have their padding.
static cairn_status pad_slots(cairn_compiled *c, const cairn_pass_call *call)
{
    if (c->slots.by_lanes) return CAIRN_OK;
#pragma omp parallel for schedule(static) \
    num_threads((int)c->ranges.n) if (c->ranges.n > 1)
    for (int64_t g = 0; g < c->facts.groups; g++)
        pad_group(c, call->part, g);
    return CAIRN_OK;
}

const cairn_pass_work cairn_pad_slots = {.write = pad_slots};

/* ---- what the row determines ---- */

/// Row-major position of a lane's indices in the array of determined level @p l.
static int64_t position_by(const cairn_layout *to, int l, const int64_t *e)
{
    int64_t at = 0;

    for (int k = 0; k < l; k++)
        if (to->level[l].determined.by >> k & 1)
            at = at * to->level[k].size + (e[k] - to->level[k].range.lo);
    return at;
}

/// Rows without entries have their place, too.
static void write_empty_rows(const cairn_compiled *c, const cairn_part *part, int l)
{
    const cairn_layout       *to                 = c->m->layout;
    const cairn_kernel_level *level              = &part->view.level[l];
    const int64_t             low                = to->box[c->m->rows.row].lo;
    int64_t                   d[CAIRN_MAX_ORDER] = {0}, number[CAIRN_MAX_QUERIES] = {0};
    int64_t                   e[CAIRN_MAX_LEVELS] = {0};

    for (int64_t i = 0; i < c->m->rows.n; i++) {
        if (cairn_compiled_counts(c)[i]) continue;
        d[c->m->rows.row] = low + i;
        for (int q = 0; c->m->rows.tables >> q; q++)
            if (c->m->rows.tables >> q & 1)
                number[q] = c->m->rows.table[q * c->m->rows.n + i];
        for (int k = 0; k <= l; k++)
            if (k == l || to->level[l].determined.by >> k & 1)
                e[k] = cairn_form_value(to->algebra, &to->level[k].form, d, number);
        cairn_store_int((void *)level->idx, position_by(to, l, e), level->idx_bits / 8,
                        level->idx_bits, e[l]);
    }
}

void cairn_slots_write_determined(const cairn_compiled *c, const cairn_part *part)
{
    const cairn_layout *to = c->m->layout;

    if (c->slots.by_lanes && c->m->rows.n == c->facts.groups * cairn_slots_lanes(to))
        return;
    for (int l = 0; l < to->levels - 1; l++) {
        const cairn_kernel_level *level = &part->view.level[l];

        if (!to->level[l].determined.on) continue;
        for (int64_t k = 0; k < level->idx_length; k++)
            cairn_store_int((void *)level->idx, k, level->idx_bits / 8, level->idx_bits,
                            level->hole);
        if (!c->slots.by_lanes) write_empty_rows(c, part, l);
    }
}
