// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Functions of keys, the same for all conversions. Numbers are added up, and keys sorted
/// by a digit, by tiles: a group has a tile, and an item of it a stretch of the tile.
/// Nothing waits for another group: what comes before a tile is added up between two
/// functions.

#include "lower/grid_conversion/grid_convert_steps.h"

#include <stdio.h>

enum {
    ITEMS  = CAIRN_GRID_CONVERT_ITEMS,
    EACH   = CAIRN_GRID_CONVERT_EACH,
    TILE   = CAIRN_GRID_CONVERT_TILE,
    DIGITS = CAIRN_GRID_CONVERT_DIGITS
};

static cairn_ir_x zero(cairn_convert *c)
{
    return cairn_ir_int(&c->ir, 0);
}

static cairn_ir_array *small_array(cairn_convert *c, int field, const char *name)
{
    return cairn_convert_small(c, field, name);
}

/// Open the loop of groups over all tiles. @return the one at hand.
static cairn_ir_x open_tiles(cairn_convert *c)
{
    cairn_ir        *b      = &c->ir;
    const cairn_ir_x all    = cairn_ir_add_int(b, cairn_grid_convert_end(c), TILE - 1);
    cairn_ir_stmt   *groups = cairn_ir_for(
          b, zero(c), cairn_ir_binary(b, CAIRN_IR_DIV, all, cairn_ir_int(b, TILE)), 1,
          "tiles", "g");

    groups->turns = CAIRN_TURNS_GROUPS;
    return cairn_ir_loop_var(b, groups);
}

/// Open the loop over the stretch of item @p t, in order. @return the turn at hand, which
/// is one there is.
static cairn_ir_x open_stretch(cairn_convert *c, cairn_ir_x g, cairn_ir_x t)
{
    cairn_ir        *b = &c->ir;
    const cairn_ir_x first =
        cairn_ir_add(b, cairn_ir_mul_int(b, g, TILE), cairn_ir_mul_int(b, t, EACH));
    const cairn_ir_x last =
        cairn_ir_min(b, cairn_ir_add_int(b, first, EACH), cairn_grid_convert_end(c));
    cairn_ir_stmt *loop = cairn_ir_for(b, first, last, 1, NULL, "p");

    return cairn_ir_loop_var(b, loop);
}

static cairn_ir_x every_item(cairn_convert *c, const char *name)
{
    return cairn_grid_convert_items(c, zero(c), cairn_ir_int(&c->ir, ITEMS), name);
}

/* ---- keys ---- */

/// Is the key an entry's?
static cairn_ir_x is_alive(cairn_convert *c, cairn_ir_x key)
{
    return cairn_ir_lt(&c->ir, key,
                       cairn_convert_scalar(c, CAIRN_GRID_CONVERT_dead, "dead"));
}

cairn_ir_x cairn_grid_convert_key_at(cairn_convert *c, cairn_ir_x p, const char *name)
{
    cairn_ir *b = &c->ir;

    return cairn_ir_use(
        b,
        cairn_ir_let(b, cairn_ir_load(b, cairn_grid_convert_keys(c), p), "%s", name));
}

/// Whether keys come in order; where entries end.
static void lower_order(cairn_convert *c)
{
    cairn_ir        *b    = &c->ir;
    cairn_ir_array  *seen = cairn_convert_small(c, CAIRN_GRID_CONVERT_seen, "seen");
    const cairn_ir_x end  = cairn_grid_convert_end(c);
    const cairn_ir_x p    = cairn_grid_convert_open(c, end, "p");
    const cairn_ir_x key  = cairn_grid_convert_key_at(c, p, "word");
    const cairn_ir_x next = cairn_ir_add_int(b, p, 1);
    cairn_ir_var    *last = cairn_ir_declare(
           b, cairn_convert_scalar(c, CAIRN_GRID_CONVERT_dead, "dead"), "after");

    cairn_ir_if(b, cairn_ir_lt(b, next, end));
    cairn_ir_assign(b, last, cairn_ir_load(b, cairn_grid_convert_keys(c), next));
    cairn_ir_end(b);
    cairn_ir_if(b, cairn_ir_lt(b, cairn_ir_use(b, last), key));
    cairn_ir_add_integer(b, seen, cairn_ir_int(b, 0), cairn_ir_int(b, 1));
    cairn_ir_else(b);
    cairn_ir_if(
        b, cairn_ir_and(
               b, is_alive(c, key),
               cairn_ir_le(b, cairn_convert_scalar(c, CAIRN_GRID_CONVERT_dead, "dead"),
                           cairn_ir_use(b, last))));
    cairn_ir_add_integer(b, seen, cairn_ir_int(b, 1), next);
    cairn_ir_end(b);
    cairn_ir_end(b);
    cairn_grid_convert_close(c);
}

/// Where the bits above differ from those of the entry before.
static void lower_heads(cairn_convert *c)
{
    cairn_ir        *b     = &c->ir;
    cairn_ir_array  *added = cairn_convert_small(c, CAIRN_GRID_CONVERT_added, "added");
    const cairn_ir_x end   = cairn_grid_convert_end(c);
    const cairn_ir_x digit = cairn_convert_scalar(c, CAIRN_GRID_CONVERT_digit, "digit");
    const cairn_ir_x p = cairn_grid_convert_open(c, cairn_ir_add_int(b, end, 1), "p");
    cairn_ir_var    *head = cairn_ir_declare(b, cairn_ir_int(b, 0), "head");

    cairn_ir_if(b, cairn_ir_lt(b, p, end));
    const cairn_ir_x key = cairn_grid_convert_key_at(c, p, "word");

    cairn_ir_if(b, is_alive(c, key));
    cairn_ir_assign(b, head, cairn_ir_int(b, 1));
    cairn_ir_if(b, cairn_ir_lt(b, cairn_ir_int(b, 0), p));
    const cairn_ir_x before =
        cairn_grid_convert_key_at(c, cairn_ir_add_int(b, p, -1), "before");

    cairn_ir_if(b,
                cairn_ir_eq(b, cairn_ir_binary(b, CAIRN_IR_SHIFT_RIGHT, key, digit),
                            cairn_ir_binary(b, CAIRN_IR_SHIFT_RIGHT, before, digit)));
    cairn_ir_assign(b, head, cairn_ir_int(b, 0));
    for (int k = 0; k < 4; k++)
        cairn_ir_end(b);
    cairn_ir_store(b, added, p, cairn_ir_use(b, head));
    cairn_grid_convert_close(c);
}

/* ---- digits ---- */

/// Where item @p t counts value @p d.
static cairn_ir_x slot_of(cairn_convert *c, cairn_ir_x d, cairn_ir_x t)
{
    return cairn_ir_add(&c->ir, cairn_ir_mul_int(&c->ir, d, ITEMS), t);
}

static cairn_ir_x digit_of(cairn_convert *c, cairn_ir_x key)
{
    cairn_ir *b = &c->ir;

    return cairn_ir_use(
        b, cairn_ir_let(b,
                        cairn_ir_binary(
                            b, CAIRN_IR_BITS_AND,
                            cairn_ir_binary(b, CAIRN_IR_SHIFT_RIGHT, key,
                                            cairn_convert_scalar(
                                                c, CAIRN_GRID_CONVERT_digit, "digit")),
                            cairn_ir_int(b, DIGITS - 1)),
                        "d"));
}

/// Every item counts the values of its stretch.
static cairn_ir_array *count_digits(cairn_convert *c, cairn_ir_x g)
{
    cairn_ir       *b = &c->ir;
    cairn_ir_array *counts =
        cairn_ir_shared(b, CAIRN_IR_U32, (int64_t)DIGITS * ITEMS, "counts");
    const cairn_ir_x t = every_item(c, "t");
    cairn_ir_stmt   *clear =
        cairn_ir_for(b, zero(c), cairn_ir_int(b, DIGITS), 1, NULL, "z");

    cairn_ir_store(b, counts, slot_of(c, cairn_ir_loop_var(b, clear), t), zero(c));
    cairn_ir_end(b);
    const cairn_ir_x p = open_stretch(c, g, t);
    const cairn_ir_x slot =
        slot_of(c, digit_of(c, cairn_grid_convert_key_at(c, p, "word")), t);

    cairn_ir_store(b, counts, slot,
                   cairn_ir_add_int(b, cairn_ir_load(b, counts, slot), 1));
    cairn_ir_end(b);
    cairn_ir_end(b);
    cairn_ir_barrier(b);
    return counts;
}

/// Where the counts of value @p d of a tile are, among those of all tiles.
static cairn_ir_x of_tile(cairn_convert *c, cairn_ir_x d, cairn_ir_x g)
{
    cairn_ir *b = &c->ir;

    return cairn_ir_add(
        b,
        cairn_ir_mul(b, d,
                     cairn_convert_scalar(c, CAIRN_GRID_CONVERT_groups, "groups")),
        g);
}

static void lower_count(cairn_convert *c)
{
    cairn_ir        *b      = &c->ir;
    const cairn_ir_x g      = open_tiles(c);
    cairn_ir_array  *counts = count_digits(c, g);
    const cairn_ir_x d =
        cairn_grid_convert_items(c, zero(c), cairn_ir_int(b, DIGITS), "v");
    cairn_ir_var  *sum = cairn_ir_declare(b, zero(c), "all");
    cairn_ir_stmt *loop =
        cairn_ir_for(b, zero(c), cairn_ir_int(b, ITEMS), 1, NULL, "k");

    cairn_ir_assign(
        b, sum,
        cairn_ir_add(
            b, cairn_ir_use(b, sum),
            cairn_ir_load(b, counts, slot_of(c, d, cairn_ir_loop_var(b, loop)))));
    cairn_ir_end(b);
    cairn_ir_store(b, small_array(c, CAIRN_GRID_CONVERT_added, "added"),
                   of_tile(c, d, g), cairn_ir_use(b, sum));
    cairn_ir_end(b);
    cairn_ir_barrier(b);
    cairn_ir_end(b);
}

/// What each item counted becomes @p sum and what all items before it counted; of one digit
/// where @p digit names it.
static void sums_before(cairn_convert    *c,
                        cairn_ir_array   *counts,
                        const cairn_ir_x *digit,
                        cairn_ir_var     *sum)
{
    cairn_ir      *b = &c->ir;
    cairn_ir_stmt *loop =
        cairn_ir_for(b, zero(c), cairn_ir_int(b, ITEMS), 1, NULL, "k");
    const cairn_ir_x k    = cairn_ir_loop_var(b, loop);
    const cairn_ir_x slot = digit ? slot_of(c, *digit, k) : k;
    const cairn_ir_x its =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_load(b, counts, slot), "its"));

    cairn_ir_store(b, counts, slot, cairn_ir_use(b, sum));
    cairn_ir_assign(b, sum, cairn_ir_add(b, cairn_ir_use(b, sum), its));
    cairn_ir_end(b);
}

/// Counts of each value become places, stretch after stretch.
static void place_digits(cairn_convert *c, cairn_ir_x g, cairn_ir_array *counts)
{
    cairn_ir        *b = &c->ir;
    const cairn_ir_x d =
        cairn_grid_convert_items(c, zero(c), cairn_ir_int(b, DIGITS), "v");
    cairn_ir_var *place = cairn_ir_declare(
        b,
        cairn_ir_load(b, small_array(c, CAIRN_GRID_CONVERT_added, "added"),
                      of_tile(c, d, g)),
        "place");

    sums_before(c, counts, &d, place);
    cairn_ir_end(b);
    cairn_ir_barrier(b);
}

static void lower_deal(cairn_convert *c)
{
    cairn_ir        *b      = &c->ir;
    const cairn_ir_x g      = open_tiles(c);
    cairn_ir_array  *counts = count_digits(c, g);

    place_digits(c, g, counts);
    const cairn_ir_x t    = every_item(c, "t");
    const cairn_ir_x p    = open_stretch(c, g, t);
    const cairn_ir_x word = cairn_grid_convert_key_at(c, p, "word");
    const cairn_ir_x slot = slot_of(c, digit_of(c, word), t);
    const cairn_ir_x to =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_load(b, counts, slot), "to"));
    cairn_ir_array *sorted =
        cairn_ir_array_of(b,
                          (cairn_ir_field){.source = CAIRN_IR_ARG,
                                           .level  = CAIRN_GRID_CONVERT_key_sorted},
                          CAIRN_IR_U64, "key_sorted");

    cairn_ir_store(b, counts, slot, cairn_ir_add_int(b, to, 1));
    cairn_ir_store(b, sorted, to, word);
    cairn_ir_store(b, small_array(c, CAIRN_GRID_CONVERT_at_sorted, "at_sorted"), to,
                   cairn_ir_load(b, small_array(c, CAIRN_GRID_CONVERT_at, "at"), p));
    cairn_ir_end(b);
    cairn_ir_end(b);
    cairn_ir_barrier(b);
    cairn_ir_end(b);
}

/* ---- sums ---- */

/// What the stretch of each item comes to.
static cairn_ir_array *sum_stretches(cairn_convert *c, cairn_ir_x g)
{
    cairn_ir        *b    = &c->ir;
    cairn_ir_array  *part = cairn_ir_shared(b, CAIRN_IR_U32, ITEMS, "stretch");
    const cairn_ir_x t    = every_item(c, "t");
    cairn_ir_var    *sum  = cairn_ir_declare(b, zero(c), "its");
    const cairn_ir_x p    = open_stretch(c, g, t);

    cairn_ir_assign(
        b, sum,
        cairn_ir_add(
            b, cairn_ir_use(b, sum),
            cairn_ir_load(b, small_array(c, CAIRN_GRID_CONVERT_added, "added"), p)));
    cairn_ir_end(b);
    cairn_ir_store(b, part, t, cairn_ir_use(b, sum));
    cairn_ir_end(b);
    cairn_ir_barrier(b);
    return part;
}

/// One item goes through what the stretches come to. @p sum: so far.
static void open_first_item(cairn_convert *c)
{
    cairn_grid_convert_items(c, zero(c), cairn_ir_int(&c->ir, 1), "one");
}

static void lower_sum(cairn_convert *c)
{
    cairn_ir        *b    = &c->ir;
    const cairn_ir_x g    = open_tiles(c);
    cairn_ir_array  *part = sum_stretches(c, g);

    open_first_item(c);
    cairn_ir_var  *sum = cairn_ir_declare(b, zero(c), "all");
    cairn_ir_stmt *loop =
        cairn_ir_for(b, zero(c), cairn_ir_int(b, ITEMS), 1, NULL, "k");

    cairn_ir_assign(b, sum,
                    cairn_ir_add(b, cairn_ir_use(b, sum),
                                 cairn_ir_load(b, part, cairn_ir_loop_var(b, loop))));
    cairn_ir_end(b);
    cairn_ir_store(b, small_array(c, CAIRN_GRID_CONVERT_sum, "sum"), g,
                   cairn_ir_use(b, sum));
    cairn_ir_end(b);
    cairn_ir_barrier(b);
    cairn_ir_end(b);
}

/// What stretches come to becomes what is before each.
static void begin_stretches(cairn_convert *c, cairn_ir_x g, cairn_ir_array *part)
{
    cairn_ir *b = &c->ir;

    open_first_item(c);
    cairn_ir_var *sum = cairn_ir_declare(
        b, cairn_ir_load(b, small_array(c, CAIRN_GRID_CONVERT_sum, "sum"), g), "all");

    sums_before(c, part, NULL, sum);
    cairn_ir_end(b);
    cairn_ir_barrier(b);
}

static void lower_spread(cairn_convert *c)
{
    cairn_ir        *b    = &c->ir;
    const cairn_ir_x g    = open_tiles(c);
    cairn_ir_array  *part = sum_stretches(c, g);

    begin_stretches(c, g, part);
    const cairn_ir_x t     = every_item(c, "t");
    cairn_ir_var    *sum   = cairn_ir_declare(b, cairn_ir_load(b, part, t), "before");
    const cairn_ir_x p     = open_stretch(c, g, t);
    cairn_ir_array  *added = small_array(c, CAIRN_GRID_CONVERT_added, "added");
    const cairn_ir_x its =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_load(b, added, p), "its"));

    cairn_ir_store(b, added, p, cairn_ir_use(b, sum));
    cairn_ir_assign(b, sum, cairn_ir_add(b, cairn_ir_use(b, sum), its));
    cairn_ir_end(b);
    cairn_ir_end(b);
    cairn_ir_barrier(b);
    cairn_ir_end(b);
}

/* ---- all of them ---- */

const char cairn_grid_keys_key[] = "grid of keys, 64 bits, digits of 4";

static const struct {
    const char *name;
    void (*build)(cairn_convert *c);
} functions[CAIRN_GRID_KEYS_FUNCTIONS] = {
    [CAIRN_GRID_KEYS_ORDER]  = {"order",  lower_order },
    [CAIRN_GRID_KEYS_COUNT]  = {"count",  lower_count },
    [CAIRN_GRID_KEYS_DEAL]   = {"deal",   lower_deal  },
    [CAIRN_GRID_KEYS_SUM]    = {"sum",    lower_sum   },
    [CAIRN_GRID_KEYS_SPREAD] = {"spread", lower_spread},
    [CAIRN_GRID_KEYS_HEADS]  = {"heads",  lower_heads },
};

static cairn_status
lower(cairn_env *env, const char *name, int which, cairn_ir_function **function)
{
    const cairn_convert_spec none = {.source = CAIRN_CONVERT_ENTRIES};
    char                     symbol[CAIRN_GRID_CONVERT_NAME];
    cairn_convert           *c;

    snprintf(symbol, sizeof symbol, "%s_%s", name, functions[which].name);
    CAIRN_TRY(cairn_convert_create(env, &none, symbol, CAIRN_ABI_GRID_CONVERT, &c));
    functions[which].build(c);
    return cairn_grid_convert_finish(env, &c, function);
}

cairn_status
cairn_grid_keys_lower(cairn_env *env, const char *name, cairn_ir_function **function)
{
    cairn_status status = CAIRN_OK;

    for (int k = 0; k < CAIRN_GRID_KEYS_FUNCTIONS; k++)
        function[k] = NULL;
    for (int k = 0; k < CAIRN_GRID_KEYS_FUNCTIONS && status == CAIRN_OK; k++)
        status = lower(env, name, k, &function[k]);
    if (status != CAIRN_OK)
        cairn_grid_convert_discard(env, function, CAIRN_GRID_KEYS_FUNCTIONS);
    return status;
}

int64_t cairn_grid_keys_groups(cairn_grid_keys_function function, int64_t turns)
{
    if (function == CAIRN_GRID_KEYS_ORDER || function == CAIRN_GRID_KEYS_HEADS)
        return cairn_grid_convert_groups(turns);
    return (turns + TILE - 1) / TILE;
}
