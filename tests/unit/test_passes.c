// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What each pass makes of the code that it is for: printed before and after, in
/// tests/golden/passes. That results stay the same: test_passes_random.c.

#include "base/env.h"
#include "base/text.h"
#include "emit/c.h"
#include "ir/passes.h"
#include "support/brutal.h"
#include "support/golden.h"
#include "support/ir_random.h"

#include <criterion/criterion.h>

#include <string.h>

static cairn_env env;
static cairn_ir ir, *const b = &ir;
static cairn_ir_array *ptr, *idx, *val, *x, *y;
static cairn_ir_x      rows, columns;

static void setup(void)
{
    cairn_env_init(&env);
    cairn_ir_begin(b, &env, "test", CAIRN_ABI_PRODUCT);
    ptr = cairn_ir_array_of(b, ir_field(CAIRN_IR_LEVEL_PTR, 1), CAIRN_IR_U32, "A1_ptr");
    idx = cairn_ir_array_of(b, ir_field(CAIRN_IR_LEVEL_IDX, 1), CAIRN_IR_U32, "A1_idx");
    val = cairn_ir_array_of(b, ir_field(CAIRN_IR_VAL, 0), CAIRN_IR_F64, "A_val");
    x   = cairn_ir_array_of(b, ir_field(CAIRN_IR_ARG, CAIRN_PRODUCT_x), CAIRN_IR_F64,
                            "x");
    y   = cairn_ir_array_of(b, ir_field(CAIRN_IR_ARG, CAIRN_PRODUCT_y), CAIRN_IR_F64,
                            "y");
    rows = cairn_ir_param(b, ir_field(CAIRN_IR_LEVEL_SIZE, 0), CAIRN_IR_I64, "rows");
    columns =
        cairn_ir_param(b, ir_field(CAIRN_IR_LEVEL_SIZE, 1), CAIRN_IR_I64, "columns");
}

static void teardown(void)
{
    cairn_ir_abandon(b);
    cr_assert_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

TestSuite(passes, .init = setup, .fini = teardown);

static cairn_ir_x num(int64_t value)
{
    return cairn_ir_int(b, value);
}

/// Append the function's own lines.
static void add_text(cairn_text *text, const char *title, const cairn_ir_function *f)
{
    char *whole = NULL;

    cr_assert_eq(cairn_c_print(&env, f, "f", &whole), CAIRN_OK);
    cairn_text_add(text, "/* %s */\n%s", title, strstr(whole, "int64_t f("));
    cairn_free(&env, whole);
}

/// Print, run @p pass until it changes nothing (NULL: all passes), print again.
static void expect(const char *name, cairn_pass pass)
{
    cairn_ir_function *f       = NULL;
    bool               changed = true;
    cairn_text         text;
    char              *whole = NULL;

    cr_assert_eq(cairn_ir_finish(b, &f), CAIRN_OK);
    cr_assert_eq(cairn_ir_check(&env, f), CAIRN_OK, "%s", env.message);
    cairn_text_init(&text, &env);
    add_text(&text, "before", f);
    if (!pass) cr_assert_eq(cairn_passes_run(&env, f), CAIRN_OK, "%s", env.message);
    for (int round = 0; pass && changed; round++) {
        changed = false;
        cr_assert_eq(pass(&env, f, &changed), CAIRN_OK);
        cr_assert_lt(round, 20, "never at rest");
    }
    cr_assert_eq(cairn_ir_check(&env, f), CAIRN_OK, "%s", env.message);
    cairn_text_add(&text, "\n");
    add_text(&text, "after", f);
    cr_assert_eq(cairn_text_take(&text, &whole), CAIRN_OK);
    golden_expect(name, whole);
    cairn_free(&env, whole);
    cairn_ir_destroy(&env, &f);
}

static cairn_ir_x within(cairn_ir_x lo, cairn_ir_x i, cairn_ir_x hi)
{
    return cairn_ir_and(b, cairn_ir_le(b, lo, i), cairn_ir_lt(b, i, hi));
}

/// y[at] += val[p] * x[j]
static void add_product(cairn_ir_x at, cairn_ir_x p, cairn_ir_x j)
{
    cairn_ir_store(b, y, at,
                   cairn_ir_add(b, cairn_ir_load(b, y, at),
                                cairn_ir_mul(b, cairn_ir_load(b, val, p),
                                             cairn_ir_load(b, x, j))));
}

/// A diagonal: all rows, of which some meet a column.
Test(passes, bounds_of_a_diagonal)
{
    cairn_ir_stmt *const d =
        cairn_ir_for(b, num(0), num(5), 1, "d1-d0, compressed", "d");
    const cairn_ir_x offset = cairn_ir_use(
        b, cairn_ir_let(b, cairn_ir_load(b, idx, cairn_ir_loop_var(b, d)), "offset"));
    cairn_ir_stmt *const i  = cairn_ir_for(b, num(0), rows, 1, "d0, dense", "i");
    const cairn_ir_x     iv = cairn_ir_loop_var(b, i);
    const cairn_ir_x     j =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_add(b, iv, offset), "j"));

    cairn_ir_if(b, within(num(0), j, columns));
    add_product(iv, cairn_ir_add(b, cairn_ir_mul(b, cairn_ir_loop_var(b, d), rows), iv),
                j);
    for (int n = 0; n < 3; n++)
        cairn_ir_end(b);
    expect("passes/bounds_diagonal.c.txt", cairn_pass_bounds);
}

/// A block at the edge: a multiple of the variable, and a part that no bound says.
Test(passes, bounds_by_multiples_and_what_stays)
{
    cairn_ir_stmt *const i  = cairn_ir_for(b, num(0), rows, 1, NULL, "i");
    const cairn_ir_x     iv = cairn_ir_loop_var(b, i);
    const cairn_ir_x     at = cairn_ir_add_int(b, cairn_ir_mul_int(b, iv, 4), 3);

    cairn_ir_if(b, cairn_ir_and(b, within(num(0), at, columns),
                                cairn_ir_ne(b, cairn_ir_load(b, idx, iv), num(7))));
    add_product(iv, iv, at);
    cairn_ir_end(b);
    cairn_ir_end(b);
    expect("passes/bounds_multiple.c.txt", cairn_pass_bounds);
}

/// Loops that do more than what stands under the condition keep their bounds, and so do
/// those whose bound would be read from an array, and those of threads.
Test(passes, bounds_that_must_not_change)
{
    cairn_ir_stmt *i = cairn_ir_for(b, num(0), rows, 1, "does more", "i");
    cairn_ir_if(b, cairn_ir_lt(b, cairn_ir_loop_var(b, i), columns));
    add_product(cairn_ir_loop_var(b, i), num(0), num(0));
    cairn_ir_end(b);
    cairn_ir_store(b, y, cairn_ir_loop_var(b, i), cairn_ir_real(b, CAIRN_IR_F64, 0));
    cairn_ir_end(b);

    i = cairn_ir_for(b, num(0), rows, 1, "would load", "i");
    cairn_ir_if(b,
                cairn_ir_lt(b, cairn_ir_loop_var(b, i), cairn_ir_load(b, ptr, num(1))));
    add_product(cairn_ir_loop_var(b, i), num(0), num(0));
    cairn_ir_end(b);
    cairn_ir_end(b);

    i        = cairn_ir_for(b, num(0), rows, 1, "threads", "i");
    i->turns = CAIRN_TURNS_THREADS;
    cairn_ir_if(b, cairn_ir_lt(b, cairn_ir_loop_var(b, i), columns));
    add_product(cairn_ir_loop_var(b, i), num(0), num(0));
    cairn_ir_end(b);
    cairn_ir_end(b);
    expect("passes/bounds_kept.c.txt", cairn_pass_bounds);
}

/// A block of 3 x 2: what depends on the block alone, and on the row alone.
Test(passes, hoist_out_of_a_block)
{
    cairn_ir_stmt *const p  = cairn_ir_for(b, cairn_ir_load(b, ptr, num(0)),
                                           cairn_ir_load(b, ptr, num(1)), 1, NULL, "p");
    const cairn_ir_x     pv = cairn_ir_loop_var(b, p);
    cairn_ir_stmt *const r  = cairn_ir_for(b, num(0), num(3), 1, NULL, "r");
    const cairn_ir_x     rv = cairn_ir_loop_var(b, r);
    cairn_ir_stmt *const s  = cairn_ir_for(b, num(0), num(2), 1, NULL, "s");
    const cairn_ir_x     sv = cairn_ir_loop_var(b, s);
    const cairn_ir_x     base =
        cairn_ir_add(b, cairn_ir_mul_int(b, pv, 6), cairn_ir_mul_int(b, rv, 2));

    add_product(rv, cairn_ir_add(b, base, sv),
                cairn_ir_add(b, cairn_ir_mul_int(b, cairn_ir_load(b, idx, pv), 2), sv));
    for (int n = 0; n < 3; n++)
        cairn_ir_end(b);
    expect("passes/hoist_block.c.txt", cairn_pass_hoist);
}

/// A load moves only out of a loop that surely runs and always does it.
Test(passes, hoist_leaves_loads_that_may_not_be_done)
{
    cairn_ir_stmt *s = cairn_ir_for(b, num(0), rows, 1, "may have no turn", "i");
    add_product(cairn_ir_loop_var(b, s), num(0), cairn_ir_load(b, idx, columns));
    cairn_ir_end(b);

    s = cairn_ir_for(b, num(0), num(4), 1, "may not come to it", "i");
    cairn_ir_if(b, cairn_ir_lt(b, cairn_ir_loop_var(b, s), rows));
    add_product(cairn_ir_loop_var(b, s), num(0), cairn_ir_load(b, idx, columns));
    cairn_ir_end(b);
    cairn_ir_end(b);

    s = cairn_ir_for(b, num(0), num(4), 1, "reads what it writes", "i");
    add_product(cairn_ir_loop_var(b, s), num(0), num(0));
    cairn_ir_store(b, y, cairn_ir_loop_var(b, s), cairn_ir_load(b, y, columns));
    cairn_ir_end(b);
    expect("passes/hoist_kept.c.txt", cairn_pass_hoist);
}

/// A limit that is loaded goes before a loop that stores, and stays where none does.
Test(passes, limits_before_loops_that_store)
{
    const cairn_ir_x     end = cairn_ir_load(b, ptr, num(1));
    cairn_ir_stmt       *i   = cairn_ir_for(b, num(0), rows, 1, "all rows", "i");
    const cairn_ir_x     iv  = cairn_ir_loop_var(b, i);
    cairn_ir_stmt *const p =
        cairn_ir_for(b, cairn_ir_load(b, ptr, iv),
                     cairn_ir_load(b, ptr, cairn_ir_add_int(b, iv, 1)), 1, NULL, "p");

    add_product(iv, cairn_ir_loop_var(b, p), num(0));
    cairn_ir_end(b);
    cairn_ir_end(b);

    cairn_ir_var *const most = cairn_ir_declare(b, num(0), "most");
    i                        = cairn_ir_for(b, num(0), end, 1, "stores nothing", "i");
    cairn_ir_assign(b, most, cairn_ir_loop_var(b, i));
    cairn_ir_end(b);

    i        = cairn_ir_for(b, num(0), end, 1, "threads", "i");
    i->turns = CAIRN_TURNS_THREADS;
    add_product(cairn_ir_loop_var(b, i), num(0), cairn_ir_use(b, most));
    cairn_ir_end(b);
    expect("passes/limits.c.txt", cairn_pass_limits);
}

/// A loop over the children of each parent that adds 1 where they say.
static void open_children(const char *note, cairn_ir_x *parent, cairn_ir_x *child)
{
    cairn_ir_stmt *loop = cairn_ir_for(b, num(0), rows, 1, note, "i");

    *parent = cairn_ir_loop_var(b, loop);
    loop    = cairn_ir_for(b, cairn_ir_load(b, ptr, *parent),
                           cairn_ir_load(b, ptr, cairn_ir_add_int(b, *parent, 1)), 1, NULL,
                           "p");
    *child  = cairn_ir_loop_var(b, loop);
}

Test(passes, flatten_goes_through_all_children_at_once)
{
    cairn_ir_x i, p;

    open_children("not asked whose", &i, &p);
    cairn_ir_store(b, y, cairn_ir_load(b, idx, p), cairn_ir_real(b, CAIRN_IR_F64, 1));
    cairn_ir_end(b);
    cairn_ir_end(b);
    expect("passes/flatten.c.txt", cairn_pass_flatten);
}

Test(passes, flatten_leaves_what_parents_matter_to)
{
    cairn_ir_x i, p;

    open_children("the parent's", &i, &p);
    cairn_ir_store(b, y, i, cairn_ir_load(b, val, p));
    cairn_ir_end(b);
    cairn_ir_end(b);

    open_children("something after every parent", &i, &p);
    cairn_ir_store(b, y, cairn_ir_load(b, idx, p), cairn_ir_real(b, CAIRN_IR_F64, 1));
    cairn_ir_end(b);
    cairn_ir_store(b, y, num(0), cairn_ir_real(b, CAIRN_IR_F64, 0));
    cairn_ir_end(b);

    cairn_ir_stmt *const loop = cairn_ir_for(b, num(0), rows, 1, "from another", "i");

    i = cairn_ir_loop_var(b, loop);
    cairn_ir_stmt *const inner =
        cairn_ir_for(b, cairn_ir_load(b, ptr, i),
                     cairn_ir_load(b, ptr, cairn_ir_add_int(b, i, 2)), 1, NULL, "p");

    cairn_ir_store(b, y, cairn_ir_load(b, idx, cairn_ir_loop_var(b, inner)),
                   cairn_ir_real(b, CAIRN_IR_F64, 1));
    cairn_ir_end(b);
    cairn_ir_end(b);
    expect("passes/flatten_kept.c.txt", cairn_pass_flatten);
}

Test(passes, fold_decides_what_is_known)
{
    const cairn_ir_x two = cairn_ir_use(b, cairn_ir_let(b, num(2), "two"));
    const cairn_ir_x again =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_mul(b, rows, columns), "size"));
    cairn_ir_stmt *s;

    cairn_ir_let(b, cairn_ir_load(b, idx, num(0)), "unread");
    cairn_ir_if(b, cairn_ir_lt(b, two, num(3)));
    cairn_ir_note(b, "two is less than three");
    cairn_ir_else(b);
    cairn_ir_store(b, y, num(0), cairn_ir_real(b, CAIRN_IR_F64, 1));
    cairn_ir_end(b);

    s = cairn_ir_for(b, two, num(3), 1, "one turn", "i");
    add_product(cairn_ir_loop_var(b, s), again, cairn_ir_mul(b, rows, columns));
    cairn_ir_end(b);
    s = cairn_ir_for(b, rows, cairn_ir_add_int(b, rows, 1), 1, "one turn, too", "k");
    add_product(cairn_ir_loop_var(b, s), again, num(0));
    cairn_ir_end(b);
    s = cairn_ir_for(b, num(3), two, 1, "no turn", "i");
    add_product(cairn_ir_loop_var(b, s), num(0), num(0));
    cairn_ir_end(b);
    cairn_ir_for(b, num(0), rows, 1, "nothing in it", "i");
    cairn_ir_end(b);
    expect("passes/fold.c.txt", cairn_pass_fold);
}

/// A value that is assigned in between is not carried past that.
Test(passes, fold_leaves_what_changes)
{
    cairn_ir_var *const n = cairn_ir_declare(b, num(1), "n");
    const cairn_ir_x old  = cairn_ir_use(b, cairn_ir_let(b, cairn_ir_use(b, n), "old"));
    const cairn_ir_x twice = cairn_ir_use(
        b, cairn_ir_let(b, cairn_ir_mul_int(b, cairn_ir_use(b, n), 2), "twice"));

    cairn_ir_assign(b, n, num(5));
    add_product(old, twice, cairn_ir_mul_int(b, cairn_ir_use(b, n), 2));
    expect("passes/fold_kept.c.txt", cairn_pass_fold);
}

/// All passes on blocks of 4 x 4 that may stick out of the matrix.
Test(passes, all_on_blocks_at_the_edge)
{
    cairn_ir_stmt *const i =
        cairn_ir_for(b, num(0), cairn_ir_load(b, ptr, num(0)), 1, "d0/4, dense", "ib");
    const cairn_ir_x     ib = cairn_ir_loop_var(b, i);
    cairn_ir_stmt *const p  = cairn_ir_for(
         b, cairn_ir_load(b, ptr, ib), cairn_ir_load(b, ptr, cairn_ir_add_int(b, ib, 1)),
         1, "d1/4, compressed", "p");
    const cairn_ir_x     pv  = cairn_ir_loop_var(b, p);
    cairn_ir_stmt *const r   = cairn_ir_for(b, num(0), num(4), 1, "d0%4, dense", "ir");
    const cairn_ir_x     row = cairn_ir_use(
            b, cairn_ir_let(
                   b, cairn_ir_add(b, cairn_ir_mul_int(b, ib, 4), cairn_ir_loop_var(b, r)),
                   "i"));

    cairn_ir_if(b, cairn_ir_lt(b, row, rows));
    cairn_ir_stmt *const c = cairn_ir_for(b, num(0), num(4), 1, "d1%4, dense", "jr");
    const cairn_ir_x     column = cairn_ir_use(
            b,
            cairn_ir_let(b,
                         cairn_ir_add(b, cairn_ir_mul_int(b, cairn_ir_load(b, idx, pv), 4),
                                      cairn_ir_loop_var(b, c)),
                         "j"));
    const cairn_ir_x at = cairn_ir_add(
        b,
        cairn_ir_mul_int(
            b, cairn_ir_add(b, cairn_ir_mul_int(b, pv, 4), cairn_ir_loop_var(b, r)), 4),
        cairn_ir_loop_var(b, c));

    cairn_ir_if(b, cairn_ir_lt(b, column, columns));
    add_product(row, at, column);
    for (int n = 0; n < 6; n++)
        cairn_ir_end(b);
    expect("passes/all_blocks.c.txt", NULL);
}

static cairn_status build_and_run(void)
{
    cairn_ir           builder;
    cairn_ir_function *f = NULL;
    cairn_status       status;

    ir_build_random(&builder, &env, 23);
    status = cairn_passes_finish(&env, &builder, &f);
    cairn_ir_destroy(&env, &f);
    return status;
}

Test(passes, survive_the_end_of_memory)
{
    cairn_ir_abandon(b);
    CAIRN_BRUTAL(&env, build_and_run());
}
