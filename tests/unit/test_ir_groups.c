// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Groups and items in the loop IR: a function of them has one result in every order, as
/// C too; what could have two is seen, by the check where it can be, else by the record of
/// who touches what.

#include "emit/c.h"
#include "ir/ir_run.h"
#include "ir/passes.h"
#include "share/abi.h"
#include "support/compile.h"
#include "support/ir_once.h"
#include "support/ir_races.h"

#include <criterion/criterion.h>

enum { ROWS = 150, TILE = 64, ORDERS = 24, MOST = 9 };

static cairn_env env;
static cairn_ir ir, *const b = &ir;
static double             x[ROWS * MOST], y[ROWS], expected[ROWS];
static uint32_t           ptr[ROWS + 1], count[MOST + 1];
static int64_t            tile[ROWS + 1];
static cairn_product_args args;
static cairn_kernel_part  part;
static char               folder[64];

/// Which part of a function is left out, so that it is wrong.
typedef enum {
    WHOLE,
    NO_BARRIER, ///< Between what is staged and what is summed.
    OTHERS_ROW, ///< An item writes the row of its neighbour, too.
    SAME_ROWS,  ///< Groups share a row.
    NOT_STAGED, ///< Half of what is summed is not staged.
} fault;

/// Rows of 0 to MOST terms, and tiles of at most TILE of them.
static void setup(void)
{
    int tiles = 0;

    cairn_env_init(&env);
    cairn_ir_begin(b, &env, "test_function", CAIRN_ABI_PRODUCT);
    memset(count, 0, sizeof count);
    for (int i = 0; i < ROWS; i++) {
        const uint32_t n = (uint32_t)(i * 7 % (MOST + 1));

        ptr[i + 1] = ptr[i] + n;
        if (i == 0 || ptr[i + 1] - ptr[tile[tiles]] > TILE)
            tile[i == 0 ? 0 : ++tiles] = i;
        expected[i] = 0;
        for (uint32_t p = ptr[i]; p < ptr[i + 1]; p++)
            expected[i] += x[p] = 1 / (1.0 + p);
    }
    tile[++tiles] = ROWS;
    part          = (cairn_kernel_part){
                 .levels = 2, .level = {{.size = ROWS}, {.ptr = ptr}}
    };
    args = (cairn_product_args){
        .x = x, .y = y, .share = tile, .shares = tiles, .row_end = ROWS};
    scratch_create(folder);
}

static void teardown(void)
{
    cairn_ir_abandon(b);
    cr_assert_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
    compile_remove(folder);
}

TestSuite(ir_groups, .init = setup, .fini = teardown);

static cairn_ir_x num(int64_t value)
{
    return cairn_ir_int(b, value);
}

static cairn_ir_array *argument(int field, cairn_ir_type type, const char *name)
{
    return cairn_ir_array_of(
        b, (cairn_ir_field){.source = CAIRN_IR_ARG, .level = field}, type, "%s", name);
}

static cairn_ir_x number(int field, const char *name)
{
    return cairn_ir_param(b, (cairn_ir_field){.source = CAIRN_IR_ARG, .level = field},
                          CAIRN_IR_I64, "%s", name);
}

static cairn_ir_stmt *
dealt(cairn_ir_turns turns, cairn_ir_x lo, cairn_ir_x hi, const char *name)
{
    cairn_ir_stmt *const loop = cairn_ir_for(b, lo, hi, 1, NULL, "%s", name);

    loop->turns = turns;
    return loop;
}

static cairn_ir_x at_ptr(cairn_ir_x row)
{
    return cairn_ir_load(b,
                         cairn_ir_array_of(b,
                                           (cairn_ir_field){CAIRN_IR_LEVEL_PTR, 0, 1},
                                           CAIRN_IR_U32, "A1_ptr"),
                         row);
}

static cairn_ir_x let(cairn_ir_x value, const char *name)
{
    return cairn_ir_use(b, cairn_ir_let(b, value, "%s", name));
}

/// Stage a tile's terms, then sum its rows: what kernels of compressed rows do.
static void build_tile(cairn_ir_x g, fault wrong)
{
    cairn_ir_array *const terms =
        cairn_ir_shared(b, CAIRN_IR_F64, TILE + MOST, "terms");
    cairn_ir_array *const to    = argument(CAIRN_PRODUCT_y, CAIRN_IR_F64, "y");
    cairn_ir_array *const tiles = argument(CAIRN_PRODUCT_share, CAIRN_IR_I64, "tile");
    const cairn_ir_x      i0    = let(cairn_ir_load(b, tiles, g), "i0");
    const cairn_ir_x      more  = num(wrong == SAME_ROWS ? 1 : 0);
    const cairn_ir_x      i1    = let(
                cairn_ir_min(
                    b,
                    cairn_ir_add(b, cairn_ir_load(b, tiles, cairn_ir_add_int(b, g, 1)), more),
                    num(ROWS)),
                "i1");
    const cairn_ir_x p0 = let(at_ptr(i0), "p0");
    cairn_ir_x       n  = let(cairn_ir_sub(b, at_ptr(i1), p0), "n");

    if (wrong == NOT_STAGED) n = cairn_ir_binary(b, CAIRN_IR_DIV, n, num(2));
    cairn_ir_stmt *const stage = dealt(CAIRN_TURNS_ITEMS, num(0), n, "t");
    const cairn_ir_x     t     = cairn_ir_loop_var(b, stage);

    cairn_ir_store(b, terms, t,
                   cairn_ir_load(b, argument(CAIRN_PRODUCT_x, CAIRN_IR_F64, "x"),
                                 cairn_ir_add(b, p0, t)));
    cairn_ir_end(b);
    if (wrong != NO_BARRIER) cairn_ir_barrier(b);

    cairn_ir_stmt *const rows = dealt(CAIRN_TURNS_ITEMS, i0, i1, "i");
    const cairn_ir_x     i    = cairn_ir_loop_var(b, rows);
    cairn_ir_var *const  sum =
        cairn_ir_declare(b, cairn_ir_real(b, CAIRN_IR_F64, 0), "sum");
    cairn_ir_stmt *const loop = cairn_ir_for(
        b, cairn_ir_sub(b, at_ptr(i), p0),
        cairn_ir_sub(b, at_ptr(cairn_ir_add_int(b, i, 1)), p0), 1, NULL, "p");

    cairn_ir_assign(b, sum,
                    cairn_ir_add(b, cairn_ir_use(b, sum),
                                 cairn_ir_load(b, terms, cairn_ir_loop_var(b, loop))));
    cairn_ir_end(b);
    cairn_ir_store(b, to, i, cairn_ir_use(b, sum));
    if (wrong == OTHERS_ROW) cairn_ir_store(b, to, i0, cairn_ir_use(b, sum));
    cairn_ir_end(b);
}

static cairn_ir_function *tiles_of(fault wrong)
{
    cairn_ir_function   *f = NULL;
    cairn_ir_stmt *const groups =
        dealt(CAIRN_TURNS_GROUPS, num(0), number(CAIRN_PRODUCT_shares, "tiles"), "g");

    build_tile(cairn_ir_loop_var(b, groups), wrong);
    cairn_ir_end(b);
    cr_assert_eq(cairn_ir_finish(b, &f), CAIRN_OK, "%s", env.message);
    cr_assert_eq(cairn_ir_check(&env, f), CAIRN_OK, "%s", env.message);
    return f;
}

/// Interpret it in one order. @return whether no rule was broken.
static bool runs_in(const cairn_ir_function *f, uint64_t order)
{
    races          r;
    cairn_ir_watch watch  = {.touch = races_touch, .user = &r, .order = order};
    int64_t        status = 99;

    races_open(&r);
    memset(y, 0xff, sizeof y);
    const bool right =
        ir_run_once(&env, f, &part, NULL, &args, &watch, &status) == CAIRN_OK;

    races_close(&r);
    cr_assert(!right || status == 0);
    return right;
}

Test(ir_groups, tiles_have_one_result_in_every_order)
{
    cairn_ir_function *f = tiles_of(WHOLE);

    for (int after = 0; after < 2; after++) {
        for (uint64_t order = 0; order < ORDERS; order++) {
            cr_assert(runs_in(f, order), "order %d: %s", (int)order, env.message);
            cr_assert_arr_eq(y, expected, sizeof y);
        }
        cr_assert_eq(cairn_passes_run(&env, f), CAIRN_OK, "%s", env.message);
    }
    cairn_ir_destroy(&env, &f);
}

Test(ir_groups, as_c_they_are_loops)
{
    cairn_ir_function *f = tiles_of(WHOLE);
    char              *text;

    cr_assert_eq(cairn_c_print(&env, f, "test_function", &text), CAIRN_OK);
    const cairn_product_fn run = (cairn_product_fn)compile_load(
        folder, "gcc", "-O2 -ffp-contract=off -Wall -Wextra -Werror -Wno-unused", text,
        "test_function");

    cairn_free(&env, text);
    memset(y, 0xff, sizeof y);
    cr_assert_eq(run(&part, &args), 0);
    cr_assert_arr_eq(y, expected, sizeof y);
    cairn_ir_destroy(&env, &f);
}

/// What is said of a wrong function in some order; "" where no order shows anything.
static const char *found_in(fault wrong)
{
    static char message[CAIRN_MESSAGE];

    cairn_ir_begin(b, &env, "test_function", CAIRN_ABI_PRODUCT);
    cairn_ir_function *f = tiles_of(wrong);

    message[0] = '\0';
    for (uint64_t order = 0; order < ORDERS && !message[0]; order++)
        if (!runs_in(f, order)) snprintf(message, sizeof message, "%s", env.message);
    cairn_ir_destroy(&env, &f);
    return message;
}

Test(ir_groups, breaches_are_found)
{
    static const struct {
        fault       wrong;
        const char *why;
    } all[] = {
        {NO_BARRIER, "terms: an item reads what another one wrote"      },
        {OTHERS_ROW, "y: two items write one element"                   },
        {SAME_ROWS,  "y: a group touches what another one wrote"        },
        {NOT_STAGED, "terms: what is shared is read, and was not stored"},
    };

    cairn_ir_abandon(b);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        const char *const found = found_in(all[k].wrong);

        cr_expect(strstr(found, all[k].why) != NULL, "%s: found is: %s", all[k].why,
                  found);
    }
}

/// Two rounds over one shared array: the second must not begin before the first is done.
static cairn_ir_function *rounds(bool barrier)
{
    cairn_ir_function    *f      = NULL;
    cairn_ir_array *const to     = argument(CAIRN_PRODUCT_y, CAIRN_IR_F64, "y");
    cairn_ir_stmt *const  groups = dealt(CAIRN_TURNS_GROUPS, num(0), num(3), "g");
    const cairn_ir_x      g      = cairn_ir_loop_var(b, groups);
    cairn_ir_array *const own    = cairn_ir_shared(b, CAIRN_IR_F64, 8, "own");
    cairn_ir_stmt *const  round  = cairn_ir_for(b, num(0), num(2), 1, NULL, "round");
    const cairn_ir_x      r      = cairn_ir_loop_var(b, round);
    cairn_ir_stmt        *items  = dealt(CAIRN_TURNS_ITEMS, num(0), num(8), "t");
    cairn_ir_x            t      = cairn_ir_loop_var(b, items);

    cairn_ir_store(
        b, own, t,
        cairn_ir_cast(b, CAIRN_IR_F64, cairn_ir_add(b, t, cairn_ir_mul_int(b, r, 10))));
    cairn_ir_end(b);
    cairn_ir_barrier(b);
    items = dealt(CAIRN_TURNS_ITEMS, num(0), num(8), "t");
    t     = cairn_ir_loop_var(b, items);
    cairn_ir_store(b, to,
                   cairn_ir_add(b, cairn_ir_mul_int(b, g, 16),
                                cairn_ir_add(b, cairn_ir_mul_int(b, r, 8), t)),
                   cairn_ir_load(b, own, cairn_ir_sub(b, num(7), t)));
    cairn_ir_end(b);
    if (barrier) cairn_ir_barrier(b);
    cairn_ir_end(b);
    cairn_ir_end(b);
    cr_assert_eq(cairn_ir_finish(b, &f), CAIRN_OK);
    cr_assert_eq(cairn_ir_check(&env, f), CAIRN_OK, "%s", env.message);
    return f;
}

Test(ir_groups, barriers_stand_between_rounds)
{
    cairn_ir_function *f = rounds(true);

    for (uint64_t order = 0; order < ORDERS; order++) {
        cr_assert(runs_in(f, order), "%s", env.message);
        for (int k = 0; k < 48; k++)
            cr_assert_eq(y[k], 7 - k % 8 + k / 8 % 2 * 10);
    }
    cairn_ir_destroy(&env, &f);
    cairn_ir_begin(b, &env, "test_function", CAIRN_ABI_PRODUCT);
    f = rounds(false);
    cr_assert_not(runs_in(f, 0));
    cr_assert(strstr(env.message, "an item writes what another one read"), "%s",
              env.message);
    cairn_ir_destroy(&env, &f);
}

/// Groups and items count into one array together.
Test(ir_groups, integers_are_added_by_all)
{
    cairn_ir_function    *f  = NULL;
    cairn_ir_array *const to = cairn_ir_array_of(
        b, (cairn_ir_field){CAIRN_IR_LEVEL_IDX, 0, 0}, CAIRN_IR_U32, "count");
    cairn_ir_stmt *const groups = dealt(CAIRN_TURNS_GROUPS, num(0), num(5), "g");
    cairn_ir_stmt *const items  = dealt(CAIRN_TURNS_ITEMS, num(0), num(20), "t");

    (void)groups;
    cairn_ir_add_integer(
        b, to, cairn_ir_binary(b, CAIRN_IR_MOD, cairn_ir_loop_var(b, items), num(3)),
        num(2));
    cairn_ir_end(b);
    cairn_ir_end(b);
    cr_assert_eq(cairn_ir_finish(b, &f), CAIRN_OK);
    cr_assert_eq(cairn_ir_check(&env, f), CAIRN_OK, "%s", env.message);
    part.level[0].idx = count;
    cr_assert(runs_in(f, 5), "%s", env.message);
    cr_assert_eq(count[0], 70);
    cr_assert_eq(count[1], 70);
    cr_assert_eq(count[2], 60);
    cairn_ir_destroy(&env, &f);
}

/* ---- what the check refuses ---- */

static void expect_refused(const char *why)
{
    cairn_ir_function *f = NULL;

    cr_assert_eq(cairn_ir_finish(b, &f), CAIRN_OK);
    cr_assert_eq(cairn_ir_check(&env, f), CAIRN_BAD_ARGUMENT, "%s is not seen", why);
    cr_assert(strstr(env.message, why) != NULL, "%s", env.message);
    cairn_ir_destroy(&env, &f);
}

static void end_all(int open)
{
    while (open-- > 0)
        cairn_ir_end(b);
}

static void store_y(cairn_ir_x at)
{
    cairn_ir_store(b, argument(CAIRN_PRODUCT_y, CAIRN_IR_F64, "y"), at,
                   cairn_ir_real(b, CAIRN_IR_F64, 1));
}

Test(ir_groups, items_are_in_groups)
{
    dealt(CAIRN_TURNS_ITEMS, num(0), num(9), "t");
    end_all(1);
    expect_refused("t: items outside of groups");
}

Test(ir_groups, turns_are_dealt_by_ones)
{
    dealt(CAIRN_TURNS_GROUPS, num(0), num(9), "g");
    dealt(CAIRN_TURNS_ITEMS, num(0), num(9), "t")->step = 2;
    end_all(2);
    expect_refused("t: is dealt, and not by ones");
}

Test(ir_groups, items_are_not_in_items)
{
    dealt(CAIRN_TURNS_GROUPS, num(0), num(9), "g");
    dealt(CAIRN_TURNS_ITEMS, num(0), num(9), "s");
    dealt(CAIRN_TURNS_ITEMS, num(0), num(9), "t");
    end_all(3);
    expect_refused("t: items inside items");
}

Test(ir_groups, groups_are_at_the_top)
{
    cairn_ir_for(b, num(0), num(9), 1, NULL, "i");
    dealt(CAIRN_TURNS_GROUPS, num(0), num(9), "g");
    end_all(2);
    expect_refused("g: groups are at the top, or in groups");
}

Test(ir_groups, groups_have_two_axes)
{
    for (int k = 0; k < 3; k++)
        dealt(CAIRN_TURNS_GROUPS, num(0), num(9), "g")->axis = k % 2;
    end_all(3);
    expect_refused("g: groups are at the top, or in groups");
}

Test(ir_groups, no_threads_are_beside_groups)
{
    dealt(CAIRN_TURNS_THREADS, num(0), num(9), "s");
    end_all(1);
    dealt(CAIRN_TURNS_GROUPS, num(0), num(9), "g");
    end_all(1);
    expect_refused("s: threads beside groups");
}

Test(ir_groups, barriers_are_reached_by_all)
{
    dealt(CAIRN_TURNS_GROUPS, num(0), num(9), "g");
    dealt(CAIRN_TURNS_ITEMS, num(0), num(9), "t");
    cairn_ir_barrier(b);
    end_all(2);
    expect_refused("a barrier: is not reached by all items of a group");
}

/// A function whose barrier stands in a condition of what items have stored: of the value
/// itself, or of a variable that a loop has handed on, with a barrier before that or not.
static void build_condition(bool handed_on, bool barrier)
{
    cairn_ir_stmt *const  groups = dealt(CAIRN_TURNS_GROUPS, num(0), num(3), "g");
    cairn_ir_array *const own    = cairn_ir_shared(b, CAIRN_IR_F64, 8, "own");
    cairn_ir_var *const   handed =
        cairn_ir_declare(b, cairn_ir_real(b, CAIRN_IR_F64, 0), "handed");

    (void)groups;
    if (handed_on) cairn_ir_for(b, num(0), num(2), 1, NULL, "round");
    cairn_ir_if(b, cairn_ir_lt(b, cairn_ir_real(b, CAIRN_IR_F64, 1),
                               handed_on ? cairn_ir_use(b, handed)
                                         : cairn_ir_real(b, CAIRN_IR_F64, 2)));
    if (handed_on) cairn_ir_barrier(b);
    cairn_ir_end(b);
    cairn_ir_stmt *const items = dealt(CAIRN_TURNS_ITEMS, num(0), num(8), "t");

    cairn_ir_store(b, own, cairn_ir_loop_var(b, items),
                   cairn_ir_real(b, CAIRN_IR_F64, 1));
    cairn_ir_end(b);
    if (barrier) cairn_ir_barrier(b);
    if (handed_on) {
        cairn_ir_assign(b, handed, cairn_ir_load(b, own, num(0)));
    } else {
        cairn_ir_if(b, cairn_ir_lt(b, cairn_ir_real(b, CAIRN_IR_F64, 0),
                                   cairn_ir_load(b, own, num(0))));
        cairn_ir_barrier(b);
        cairn_ir_end(b);
    }
    if (handed_on) cairn_ir_end(b);
    cairn_ir_end(b);
}

Test(ir_groups, barriers_stand_in_what_all_items_agree_on)
{
    for (int handed_on = 0; handed_on < 2; handed_on++) {
        cairn_ir_function *f = NULL;

        build_condition(handed_on, true);
        cr_assert_eq(cairn_ir_finish(b, &f), CAIRN_OK, "%s", env.message);
        cr_expect_eq(cairn_ir_check(&env, f), CAIRN_OK, "%s", env.message);
        cairn_ir_destroy(&env, &f);
        cairn_ir_begin(b, &env, "test_function", CAIRN_ABI_PRODUCT);
        build_condition(handed_on, false);
        expect_refused("a barrier: items may disagree on what it stands in");
        cairn_ir_begin(b, &env, "test_function", CAIRN_ABI_PRODUCT);
    }
    cairn_ir_abandon(b);
}

Test(ir_groups, all_items_do_not_store)
{
    cairn_ir_stmt *const g = dealt(CAIRN_TURNS_GROUPS, num(0), num(9), "g");

    store_y(cairn_ir_loop_var(b, g));
    end_all(1);
    expect_refused("y: is stored to by all items");
}

Test(ir_groups, nothing_lives_on_but_what_is_shared)
{
    dealt(CAIRN_TURNS_GROUPS, num(0), num(9), "g");
    cairn_ir_var *const s = cairn_ir_declare(b, num(0), "s");

    dealt(CAIRN_TURNS_ITEMS, num(0), num(9), "t");
    cairn_ir_assign(b, s, num(1));
    end_all(2);
    expect_refused("s: is assigned by items and declared outside");
}

Test(ir_groups, what_is_shared_is_at_a_turns_begin_and_small)
{
    dealt(CAIRN_TURNS_GROUPS, num(0), num(9), "g");
    dealt(CAIRN_TURNS_ITEMS, num(0), num(9), "t");
    cairn_ir_shared(b, CAIRN_IR_F64, 8, "own");
    end_all(2);
    expect_refused("own: is shared, and not where a turn of groups begins");
    cairn_ir_begin(b, &env, "test_function", CAIRN_ABI_PRODUCT);
    dealt(CAIRN_TURNS_GROUPS, num(0), num(9), "g");
    cairn_ir_shared(b, CAIRN_IR_F64, 2048, "own");
    cairn_ir_shared(b, CAIRN_IR_U8, 1, "more");
    end_all(1);
    expect_refused("more: there is no room for it among what groups share");
}

Test(ir_groups, what_is_shared_is_in_sight_in_its_turn_alone)
{
    dealt(CAIRN_TURNS_GROUPS, num(0), num(9), "g");
    cairn_ir_array *const own = cairn_ir_shared(b, CAIRN_IR_F64, 8, "own");

    end_all(1);
    dealt(CAIRN_TURNS_GROUPS, num(0), num(9), "h");
    dealt(CAIRN_TURNS_ITEMS, num(0), num(8), "t");
    cairn_ir_store(b, own, num(0), cairn_ir_real(b, CAIRN_IR_F64, 1));
    end_all(2);
    expect_refused("own: is no array of the function");
}

Test(ir_groups, only_counts_are_added_to)
{
    dealt(CAIRN_TURNS_GROUPS, num(0), num(9), "g");
    dealt(CAIRN_TURNS_ITEMS, num(0), num(9), "t");
    cairn_ir_add_integer(b, argument(CAIRN_PRODUCT_step, CAIRN_IR_U16, "step"), num(0),
                         num(1));
    end_all(2);
    expect_refused("step: is added to and not of U32");
}

Test(ir_groups, groups_do_not_leave)
{
    dealt(CAIRN_TURNS_GROUPS, num(0), num(9), "g");
    cairn_ir_return(b, num(1));
    end_all(1);
    expect_refused("test_function: is left by a group");
}
