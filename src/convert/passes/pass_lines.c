// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Slots of lines of groups: each line has a *lane*, in a group of the layout that has as
/// many nodes as its fullest line has groups. Which group is a lane's n-th is known, so its
/// index is written line by line, that of padding too; where a value goes follows from its
/// entry's lane and number.

#include "convert/numbers/compiled_blocks.h"
#include "convert/passes.h"

/* Positions are 32 bits wide. */
#define MOST ((int64_t)UINT32_MAX - 1)

int cairn_lines_index_level(const cairn_layout *to)
{
    int l = to->last + 1;

    while (l < to->levels && !to->level[l].determined.on)
        l++;
    return l;
}

bool cairn_lines_are_exact(const cairn_compiled *c)
{
    const cairn_layout *from = cairn_origin_layout(&c->origin);

    return c->origin.filter.member || !from || !from->pads;
}

/* ---- lanes ---- */

/* Combinations of the complete levels above the index. */
int64_t cairn_lines_lanes(const cairn_layout *to)
{
    int64_t lanes = 1;

    for (int l = to->last + 1; l < cairn_lines_index_level(to); l++)
        lanes *= to->level[l].size;
    return lanes;
}

/// The next combination of the complete levels above the index, the last fastest.
static void advance(const cairn_layout *to, int64_t *e)
{
    for (int l = cairn_lines_index_level(to) - 1; l >= 0; l--) {
        if (l == to->last) continue;
        if (e[l]++ < to->level[l].range.hi) return;
        e[l] = to->level[l].range.lo;
    }
}

/// One more than the number of the line in a lane; 0: there is none.
static uint32_t line_at(const cairn_blocks *b, const cairn_step *step, const int64_t *e)
{
    int64_t at = 0, value;

    for (int f = 0; f < b->outer; f++) {
        if (!cairn_linear_value(&step->group[f], e, &value)) return 0;
        value -= b->form[f].low;
        if (value < 0 || value >= b->form[f].size) return 0;
        at = at * b->form[f].size + value;
    }
    return (uint32_t)(at + 1);
}

static void find_lines(cairn_compiled *c, int64_t all)
{
    const cairn_layout *to = c->m->layout;
    const cairn_step   *step =
        to->level[cairn_lines_index_level(to)].determined.recipe.step;
    int64_t e[CAIRN_MAX_LEVELS] = {0};

    for (int l = 0; l < to->levels; l++)
        e[l] = to->level[l].range.lo;
    for (int64_t lane = 0; lane < all; lane++) {
        c->slots.lane[lane] = line_at(c->m->blocks, step, e);
        advance(to, e);
    }
}

static int64_t count_of(const cairn_blocks *b, uint32_t line)
{
    return line ? cairn_line_index_groups(&b->along, line - 1) : 0;
}

/// Groups of the line in a lane.
static uint32_t groups_in(const cairn_compiled *c, int64_t lane)
{
    return (uint32_t)count_of(c->m->blocks, c->slots.lane[lane]);
}

static cairn_status begin_lines(cairn_compiled *c)
{
    cairn_env *const    env  = c->m->env;
    const cairn_layout *to   = c->m->layout;
    cairn_bank         *bank = &c->m->bank[0];
    const __int128      all  = (__int128)cairn_lines_lanes(to) * c->facts.groups;

    CAIRN_CHECK(all <= MOST, env, CAIRN_NO_KERNEL,
                "convert: more lanes than 32 bits number");
    bank->end = cairn_lines_are_exact(c) ? c->facts.entries : c->m->blocks->added;
    CAIRN_TRY(CAIRN_NEW(env, c->facts.groups + 1, &c->groups.begin));
    CAIRN_TRY(CAIRN_NEW(env, (int64_t)all, &c->slots.lane));
    find_lines(c, (int64_t)all);
    CAIRN_TRY(cairn_slots_begin_groups(c, cairn_lines_lanes(to), groups_in));
    bank->nodes[to->last] = c->groups.n;
    return CAIRN_OK;
}

const cairn_pass_work cairn_offsets_of_lines = {.prepare = begin_lines,
                                                .write   = cairn_pass_write_last_ptr};

/* ---- indices ---- */

static void write_lane(const cairn_compiled     *c,
                       const cairn_kernel_level *level,
                       int64_t                   g,
                       int64_t                   lanes,
                       int64_t                   k)
{
    const cairn_blocks *b    = c->m->blocks;
    const int64_t       node = c->groups.begin[g];
    const uint32_t      line = c->slots.lane[g * lanes + k];

    cairn_pad_lane(&(cairn_padded_lane){
        .list     = line ? b->along.place + b->along.begin[line - 1] : NULL,
        .idx      = (char *)level->idx + (node * lanes + k) * (level->idx_bits / 8),
        .stride   = lanes,
        .count    = count_of(b, line),
        .slots    = c->groups.begin[g + 1] - node,
        .hole     = level->hole,
        .free     = line && b->width >= 0 ? 0 : b->along.places,
        .end      = b->along.places,
        .idx_bits = level->idx_bits});
}

static cairn_status write_lanes(cairn_compiled *c, const cairn_pass_call *call)
{
    const cairn_layout       *to = c->m->layout;
    const cairn_kernel_level *level =
        &call->part->view.level[cairn_lines_index_level(to)];
    const int64_t lanes = cairn_lines_lanes(to), all = lanes * c->facts.groups;
    const int     threads = (int)c->ranges.n;

#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int64_t k = 0; k < all; k++)
        write_lane(c, level, k / lanes, lanes, k % lanes);
    return CAIRN_OK;
}

const cairn_pass_work cairn_pad_lines = {.write = write_lanes};
