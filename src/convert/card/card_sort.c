// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The first pass on a card: the source and room are brought there, every position becomes
/// a key, and keys are sorted where they do not come in order.

#include "convert/card/card_steps.h"
#include "convert/numbers/compiled_blocks.h"

#include <assert.h>
#include <string.h>

enum {
    TILE   = CAIRN_GRID_CONVERT_TILE,
    DIGITS = CAIRN_GRID_CONVERT_DIGITS,
};

/// What the functions read that is no array of a part, as it lies on the card.
typedef struct {
    int64_t low[CAIRN_MAX_LEVELS], shift[CAIRN_MAX_LEVELS], mask[CAIRN_MAX_LEVELS];
    int64_t box[2 * CAIRN_MAX_ORDER], outer[CAIRN_MAX_LEVELS];
    int64_t group_low[CAIRN_MAX_LEVELS], group_size[CAIRN_MAX_LEVELS];
} constants;

static cairn_status take_keys(const cairn_compiled *c, cairn_card_work *w)
{
    const int64_t n     = w->source.positions;
    const int64_t tiles = (n + TILE - 1) / TILE;
    const int     depths =
        c->m->rows.along || c->m->blocks
                ? 0
                : __builtin_popcount(cairn_grid_convert_depths(c->m->layout));
    int64_t sums = tiles * DIGITS > n + 1 ? tiles * DIGITS : n + 1;

    if (cairn_grid_convert_has_gaps(c->m->layout) && sums <= c->facts.groups)
        sums = c->facts.groups + 1;
    for (int k = 0; k < 2; k++) {
        CAIRN_TRY(
            cairn_card_take(w, n * (int64_t)sizeof(uint64_t), "keys", &w->key[k]));
        CAIRN_TRY(
            cairn_card_take(w, n * (int64_t)sizeof(uint32_t), "positions", &w->at[k]));
    }
    CAIRN_TRY(cairn_card_take(w, tiles * DIGITS * (int64_t)sizeof(uint32_t), "counts",
                              &w->counts));
    CAIRN_TRY(cairn_card_take(w, depths * (n + 1) * (int64_t)sizeof(uint32_t),
                              "numbers", &w->number));
    for (int k = 0; k < CAIRN_CARD_SUMS; k++) {
        sums = (sums + TILE - 1) / TILE;
        CAIRN_TRY(
            cairn_card_take(w, sums * (int64_t)sizeof(uint32_t), "sums", &w->sum[k]));
    }
    return cairn_card_take(w, 2 * (int64_t)sizeof(uint32_t), "what was seen", &w->seen);
}

/// How keys lie, and where this rank's positions are.
static cairn_status send_constants(const cairn_compiled *c, cairn_card_work *w)
{
    const cairn_key_fields *fields = &c->keys.fields;
    constants               here   = {.low = {0}};
    cairn_grid_address      at;

    memcpy(here.low, fields->low, sizeof here.low);
    memcpy(here.shift, fields->shift, sizeof here.shift);
    memcpy(here.mask, fields->mask, sizeof here.mask);
    for (int k = 0; k < c->m->layout->order; k++) {
        here.box[2 * k]     = c->origin.box[k].lo;
        here.box[2 * k + 1] = c->origin.box[k].hi;
    }
    for (int f = 0; c->m->blocks && f < c->m->blocks->counter.forms; f++) {
        here.group_low[f]  = c->origin.groups.low[f];
        here.group_size[f] = c->origin.groups.size[f];
    }
    CAIRN_TRY(cairn_card_take(w, sizeof here, "constants", &at));
    CAIRN_TRY(w->grids->send(w->program, at, &here, sizeof here));
    w->args.low        = cairn_card_address(at + offsetof(constants, low));
    w->args.shift      = cairn_card_address(at + offsetof(constants, shift));
    w->args.mask       = cairn_card_address(at + offsetof(constants, mask));
    w->args.box        = cairn_card_address(at + offsetof(constants, box));
    w->source.outer    = at + offsetof(constants, outer);
    w->args.group_low  = cairn_card_address(at + offsetof(constants, group_low));
    w->args.group_size = cairn_card_address(at + offsetof(constants, group_size));
    return CAIRN_OK;
}

/// Numbers of groups along lines, and how they are found.
static cairn_status send_groups(const cairn_compiled *c, cairn_card_work *w)
{
    const cairn_line_index *x = c->origin.groups.index;
    cairn_grid_address      at;

    CAIRN_TRY(cairn_card_send_small(w, x->number, x->n, &at));
    w->args.rank_of = cairn_card_address(at);
    if (!x->listed) return CAIRN_OK;
    CAIRN_TRY(cairn_card_send_small(w, x->begin, x->lines + 1, &at));
    w->args.line_first = cairn_card_address(at);
    CAIRN_TRY(cairn_card_send_small(w, x->place, x->n, &at));
    w->args.line_list = cairn_card_address(at);
    return CAIRN_OK;
}

/// So many positions, of the part at hand or of coordinates, become keys, behind @p before.
static cairn_status pack(cairn_card_work *w, int64_t before, int64_t positions)
{
    const cairn_grid_address first = (cairn_grid_address)before;

    w->args.key   = cairn_card_address(w->key[0] + first * sizeof(uint64_t));
    w->args.at    = cairn_card_address(w->at[0] + first * sizeof(uint32_t));
    w->args.begin = before;
    w->args.end   = positions;
    if (w->source.members)
        w->args.member = cairn_card_address(w->source.members + first);
    return cairn_card_start(w, CAIRN_GRID_CONVERT_PACK, positions);
}

static cairn_status pack_parts(const cairn_compiled *c, cairn_card_work *w)
{
    int64_t before = 0;

    w->args.outer = cairn_card_address(w->source.outer);
    for (int64_t k = 0; before < w->source.positions; k++) {
        const int64_t      values = cairn_origin_view(&c->origin, k)->values;
        int64_t            outer[CAIRN_MAX_LEVELS] = {0};
        cairn_convert_args args                    = {.facts = NULL};

        if (values == 0) continue;
        CAIRN_TRY(cairn_card_send_part(c, w, k));
        cairn_origin_args(&c->origin, k, outer, &args);
        CAIRN_TRY(w->grids->send(w->program, w->source.outer, outer, sizeof outer));
        CAIRN_TRY(pack(w, before, values));
        before += values;
    }
    cairn_card_join_values(w);
    w->args.key = cairn_card_address(w->key[0]);
    w->args.at  = cairn_card_address(w->at[0]);
    return CAIRN_OK;
}

/// The card's functions, the source, and room.
static cairn_status prepare(cairn_compiled *c, cairn_card_work *w)
{
    CAIRN_TRY(cairn_card_open(c, w));
    c->program.route = CAIRN_ROUTE_COMPILED;
    w->part          = &c->empty;
    CAIRN_TRY(cairn_card_take_source(c, w));
    CAIRN_TRY(take_keys(c, w));
    CAIRN_TRY(send_constants(c, w));
    if (c->m->blocks) CAIRN_TRY(send_groups(c, w));
    if (!c->m->rows.along) CAIRN_TRY(cairn_card_send_table(c, w));
    w->args.dead   = (int64_t)1 << c->keys.fields.bits[0];
    w->args.seen   = cairn_card_address(w->seen);
    w->args.groups = (w->source.positions + TILE - 1) / TILE;
    w->args.stride = w->source.positions + 1;
    w->args.number = cairn_card_address(w->number);
    return c->origin.from ? pack_parts(c, w) : pack(w, 0, w->source.positions);
}

/// How many keys are less than the one before them; how many are entries, if none is.
static cairn_status look(cairn_card_work *w, uint32_t seen[2])
{
    CAIRN_TRY(w->grids->clear(w->program, w->seen, 2 * sizeof *seen));
    w->args.end = w->source.positions;
    CAIRN_TRY(cairn_card_start_keys(w, CAIRN_GRID_KEYS_ORDER, w->source.positions));
    return w->grids->fetch(w->program, seen, w->seen, 2 * sizeof *seen);
}

static void swap(cairn_grid_address pair[2])
{
    const cairn_grid_address first = pair[0];

    pair[0] = pair[1];
    pair[1] = first;
}

/// Put keys in order by one digit more, and their positions with them.
static cairn_status sort_by_digit(cairn_card_work *w, int64_t digit)
{
    const int64_t counts = w->args.groups * DIGITS;

    w->args.digit = digit;
    w->args.end   = w->source.positions;
    w->args.added = cairn_card_address(w->counts);
    CAIRN_TRY(cairn_card_start_keys(w, CAIRN_GRID_KEYS_COUNT, w->source.positions));
    CAIRN_TRY(cairn_card_add_up(w, w->counts, counts));
    w->args.end        = w->source.positions;
    w->args.added      = cairn_card_address(w->counts);
    w->args.key_sorted = cairn_card_address(w->key[1]);
    w->args.at_sorted  = cairn_card_address(w->at[1]);
    CAIRN_TRY(cairn_card_start_keys(w, CAIRN_GRID_KEYS_DEAL, w->source.positions));
    swap(w->key);
    swap(w->at);
    w->args.key = cairn_card_address(w->key[0]);
    w->args.at  = cairn_card_address(w->at[0]);
    return CAIRN_OK;
}

/// What is no entry goes behind all that are: the bit above all others counts.
static cairn_status sort(cairn_compiled *c, cairn_card_work *w)
{
    uint32_t seen[2];

    if (c->m->blocks) { /* each has its number, and the last array is filled by all */
        w->entries = w->source.positions;
        return CAIRN_OK;
    }
    CAIRN_TRY(look(w, seen));
    if (seen[0] > 0) {
        for (int64_t digit = 0; digit <= c->keys.fields.bits[0];
             digit += CAIRN_GRID_CONVERT_DIGIT)
            CAIRN_TRY(sort_by_digit(w, digit));
        CAIRN_TRY(look(w, seen));
    }
    CAIRN_CHECK(seen[0] == 0 && seen[1] <= w->source.positions, c->m->env,
                CAIRN_NO_DEVICE,
                "device: %s: it computes wrongly: keys are not in order",
                cairn_card_of(c)->device->info.id);
    w->entries = seen[1];
    CAIRN_CHECK(!c->m->rows.along || w->entries == c->m->bank[0].end, c->m->env,
                CAIRN_NO_DEVICE, "device: %s: it computes wrongly: entries are missing",
                cairn_card_of(c)->device->info.id);
    return CAIRN_OK;
}

cairn_status cairn_card_sort(cairn_compiled *c)
{
    cairn_card_work *w;

    CAIRN_TRY(CAIRN_NEW_ZERO(c->m->env, 1, &w));
    w->grids             = cairn_card_of(c)->device->ops.grids;
    c->program.card      = w;
    const bool   planned = cairn_card_plan_keys(c, &c->keys.fields);
    cairn_status status  = prepare(c, w);

    assert(planned); /* else the method does not apply */
    (void)planned;
    if (status == CAIRN_OK) status = sort(c, w);
    return cairn_card_note(c, status);
}
