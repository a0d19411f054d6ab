// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The builder of the loop IR: what is folded while it is built, what is one and the same,
/// what happens when memory ends, and what the checker refuses.

#include "base/env.h"
#include "ir/ir_rewrite.h"
#include "ir/passes.h"
#include "share/abi.h"
#include "support/brutal.h"
#include "support/ir_random.h"

#include <criterion/criterion.h>

#include <string.h>

static cairn_env env;
static cairn_ir ir, *const b = &ir;

static void setup(void)
{
    cairn_env_init(&env);
    cairn_ir_begin(b, &env, "test", CAIRN_ABI_PRODUCT);
}

static void teardown(void)
{
    cairn_ir_abandon(b);
    cr_assert_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

TestSuite(ir, .init = setup, .fini = teardown);

static cairn_ir_x num(int64_t value)
{
    return cairn_ir_int(b, value);
}

/// A variable of unknown value.
static cairn_ir_x unknown(const char *name)
{
    return cairn_ir_use(b, cairn_ir_declare(b, num(0), "%s", name));
}

static void expect_int(cairn_ir_x x, int64_t value)
{
    cr_expect_eq(x->op, CAIRN_IR_INT, "is no constant, but operation %d", x->op);
    cr_expect_eq(x->integer, value, "%lld is not %lld", (long long)x->integer,
                 (long long)value);
}

Test(ir, constants_are_computed)
{
    static const struct {
        cairn_ir_op op;
        int64_t     x, y, result;
    } cases[] = {
        {CAIRN_IR_ADD,       3,  4,  7  },
        {CAIRN_IR_SUB,       3,  4,  -1 },
        {CAIRN_IR_MUL,       -3, 4,  -12},
        {CAIRN_IR_DIV,       9,  4,  2  },
        {CAIRN_IR_MOD,       9,  4,  1  },
        {CAIRN_IR_FLOOR_DIV, -1, 4,  -1 },
        {CAIRN_IR_FLOOR_DIV, -4, 4,  -1 },
        {CAIRN_IR_FLOOR_MOD, -1, 4,  3  },
        {CAIRN_IR_FLOOR_MOD, -4, 4,  0  },
        {CAIRN_IR_MIN,       2,  1,  1  },
        {CAIRN_IR_MAX,       2,  1,  2  },
        {CAIRN_IR_LT,        1,  2,  1  },
        {CAIRN_IR_LE,        2,  1,  0  },
        {CAIRN_IR_EQ,        2,  2,  1  },
        {CAIRN_IR_NE,        2,  2,  0  },
        {CAIRN_IR_BITS_AND,  12, 10, 8  },
        {CAIRN_IR_BITS_OR,   12, 10, 14 },
    };

    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        expect_int(cairn_ir_binary(b, cases[n].op, num(cases[n].x), num(cases[n].y)),
                   cases[n].result);
}

Test(ir, what_overflows_or_divides_by_nothing_stays)
{
    cr_expect_eq(cairn_ir_add(b, num(INT64_MAX), num(1))->op, CAIRN_IR_ADD);
    cr_expect_eq(cairn_ir_mul(b, num(INT64_MAX), num(2))->op, CAIRN_IR_MUL);
    cr_expect_eq(cairn_ir_binary(b, CAIRN_IR_DIV, num(1), num(0))->op, CAIRN_IR_DIV);
}

Test(ir, neutral_operands_vanish)
{
    const cairn_ir_x i = unknown("i");

    cr_expect_eq(cairn_ir_add_int(b, i, 0), i);
    cr_expect_eq(cairn_ir_add(b, num(0), i), i);
    cr_expect_eq(cairn_ir_sub(b, i, num(0)), i);
    cr_expect_eq(cairn_ir_mul_int(b, i, 1), i);
    cr_expect_eq(cairn_ir_mul(b, num(1), i), i);
    expect_int(cairn_ir_mul_int(b, i, 0), 0);
    expect_int(cairn_ir_sub(b, i, i), 0);
    cr_expect_eq(cairn_ir_binary(b, CAIRN_IR_DIV, i, num(1)), i);
    expect_int(cairn_ir_binary(b, CAIRN_IR_FLOOR_MOD, i, num(1)), 0);
    cr_expect_eq(cairn_ir_binary(b, CAIRN_IR_SHIFT_LEFT, i, num(0)), i);
    cr_expect_eq(cairn_ir_min(b, i, i), i);
}

Test(ir, constants_become_one)
{
    const cairn_ir_x i = unknown("i"), j = unknown("j");
    const cairn_ir_x i5 = cairn_ir_add_int(b, i, 5);

    cr_expect(cairn_ir_same(cairn_ir_add_int(b, i5, 2), cairn_ir_add_int(b, i, 7)));
    cr_expect_eq(cairn_ir_sub(b, i5, num(5)), i);
    cr_expect(cairn_ir_same(cairn_ir_mul_int(b, cairn_ir_mul_int(b, i, 4), 2),
                            cairn_ir_mul_int(b, i, 8)));
    cr_expect(cairn_ir_same(cairn_ir_mul_int(b, i5, 2),
                            cairn_ir_add_int(b, cairn_ir_mul_int(b, i, 2), 10)));
    cr_expect(cairn_ir_same(cairn_ir_add(b, i5, j),
                            cairn_ir_add_int(b, cairn_ir_add(b, i, j), 5)));
    expect_int(cairn_ir_sub(b, i5, cairn_ir_add_int(b, i, 3)), 2);
    cr_expect_eq(cairn_ir_max(b, i5, i), i5);
    expect_int(cairn_ir_lt(b, i, i5), 1);
    cr_expect(cairn_ir_same(cairn_ir_sub(b, num(0), cairn_ir_sub(b, i, j)),
                            cairn_ir_sub(b, j, i)));
    cr_expect(cairn_ir_same(cairn_ir_min(b, cairn_ir_min(b, i, num(7)), num(3)),
                            cairn_ir_min(b, i, num(3))));
}

Test(ir, quotients_of_multiples_are_seen)
{
    const cairn_ir_x i = unknown("i");
    const cairn_ir_x x = cairn_ir_add_int(b, cairn_ir_mul_int(b, i, 4), 3);
    const cairn_ir_x y = cairn_ir_add_int(b, cairn_ir_mul_int(b, i, 4), 4);

    cr_expect_eq(cairn_ir_binary(b, CAIRN_IR_DIV, x, num(4)), i);
    expect_int(cairn_ir_binary(b, CAIRN_IR_FLOOR_MOD, x, num(4)), 3);
    cr_expect_eq(cairn_ir_binary(b, CAIRN_IR_DIV, y, num(4))->op, CAIRN_IR_DIV);
}

Test(ir, conditions_that_are_known_vanish)
{
    const cairn_ir_x i   = unknown("i");
    const cairn_ir_x c   = cairn_ir_lt(b, i, num(3));
    const cairn_ir_x yes = cairn_ir_lt(b, num(0), num(1));
    const cairn_ir_x no  = cairn_ir_lt(b, num(1), num(0));

    cr_expect_eq(yes->type, CAIRN_IR_BOOL);
    cr_expect_eq(cairn_ir_and(b, yes, c), c);
    cr_expect_eq(cairn_ir_and(b, c, yes), c);
    cr_expect_eq(cairn_ir_and(b, no, c), no);
    cr_expect_eq(cairn_ir_or(b, no, c), c);
    cr_expect_eq(cairn_ir_or(b, yes, c), yes);
    cr_expect_eq(cairn_ir_and(b, c, no)->op, CAIRN_IR_AND); /* c may be a guard. */
    cr_expect_eq(cairn_ir_select(b, yes, i, num(3)), i);
}

Test(ir, floating_point_is_left_alone)
{
    const cairn_ir_x x =
        cairn_ir_use(b, cairn_ir_declare(b, cairn_ir_real(b, CAIRN_IR_F64, 1), "x"));
    const cairn_ir_x zero = cairn_ir_real(b, CAIRN_IR_F64, 0);

    cr_expect_eq(cairn_ir_add(b, x, zero)->op, CAIRN_IR_ADD); /* -0.0 + 0.0 is 0.0 */
    cr_expect_eq(cairn_ir_mul(b, x, cairn_ir_real(b, CAIRN_IR_F64, 1))->op,
                 CAIRN_IR_MUL);
    cr_expect_eq(cairn_ir_sub(b, x, x)->op, CAIRN_IR_SUB);
    cr_expect_eq(cairn_ir_real(b, CAIRN_IR_F32, 0.1)->real, (double)0.1f);
}

Test(ir, scalars_go_into_every_lane)
{
    cairn_ir_array *const a =
        cairn_ir_array_of(b, ir_field(CAIRN_IR_VAL, 0), CAIRN_IR_F64, "A_val");
    cairn_ir_array *const idx =
        cairn_ir_array_of(b, ir_field(CAIRN_IR_LEVEL_IDX, 0), CAIRN_IR_U16, "A0_idx");
    const cairn_ir_x v = cairn_ir_load_lanes(b, a, num(0), 8);
    const cairn_ir_x i = cairn_ir_load_lanes(b, idx, num(0), 8);
    const cairn_ir_x x = cairn_ir_mul(b, cairn_ir_real(b, CAIRN_IR_F64, 2), v);

    cr_expect_eq(x->lanes, 8);
    cr_expect_eq(x->a->op, CAIRN_IR_SPLAT);
    cr_expect_eq(i->type, CAIRN_IR_I64);
    cr_expect_eq(cairn_ir_add(b, i, num(0)), i);
    cr_expect_eq(cairn_ir_mul(b, i, num(1)), i);
    cr_expect_eq(cairn_ir_lane_sum(b, v)->lanes, 1);
    cr_expect_eq(cairn_ir_lane(b, cairn_ir_splat(b, num(3), 4), 2)->integer, 3);
}

Test(ir, a_field_is_one_array_and_one_parameter)
{
    const cairn_ir_field  f = ir_field(CAIRN_IR_LEVEL_PTR, 1);
    cairn_ir_array *const a = cairn_ir_array_of(b, f, CAIRN_IR_U32, "A%d_ptr", 1);
    const cairn_ir_x      p =
        cairn_ir_param(b, ir_field(CAIRN_IR_LEVEL_LO, 1), CAIRN_IR_I64, "lo");

    cr_expect_eq(cairn_ir_array_of(b, f, CAIRN_IR_U32, "other"), a);
    cr_expect_str_eq(a->name, "A1_ptr");
    cr_expect_eq(cairn_ir_param(b, ir_field(CAIRN_IR_LEVEL_LO, 1), CAIRN_IR_I64, "x"),
                 p);
    cr_expect_neq(cairn_ir_param(b, ir_field(CAIRN_IR_LEVEL_LO, 2), CAIRN_IR_I64, "x"),
                  p);
}

Test(ir, statements_nest_as_they_were_opened)
{
    cairn_ir_function   *f = NULL;
    cairn_ir_stmt *const s = cairn_ir_for(b, num(0), num(9), 1, "turns", "i");

    cairn_ir_if(b, cairn_ir_lt(b, cairn_ir_loop_var(b, s), num(3)));
    cairn_ir_note(b, "then");
    cairn_ir_else(b);
    cairn_ir_note(b, "else");
    cairn_ir_end(b);
    cairn_ir_end(b);
    cairn_ir_note(b, "behind");

    cr_assert_eq(cairn_ir_finish(b, &f), CAIRN_OK);
    cr_assert_eq(f->body, s);
    cr_expect_str_eq(s->body->body->note, "then");
    cr_expect_str_eq(s->body->other->note, "else");
    cr_expect_str_eq(s->next->note, "behind");
    cr_expect_null(s->next->next);
    cairn_ir_destroy(&env, &f);
}

Test(ir, nesting_has_a_limit)
{
    cairn_ir_function *f = NULL;

    for (int n = 0; n < 60; n++) {
        cairn_ir_stmt *const s = cairn_ir_for(b, num(0), num(9), 1, NULL, "i");

        s->simd = true; /* What is handed out after the failure may be set, too. */
        cairn_ir_let(b, cairn_ir_loop_var(b, s), "x");
    }
    for (int n = 0; n < 60; n++)
        cairn_ir_end(b);
    cr_assert_eq(cairn_ir_finish(b, &f), CAIRN_UNSUPPORTED);
    cr_expect_null(f);
    cr_expect(strstr(env.message, "deeper than 48"), "%s", env.message);
}

static cairn_status build_and_run_passes(cairn_env *e)
{
    cairn_ir           builder;
    cairn_ir_function *f = NULL;
    cairn_status       status;

    ir_build_random(&builder, e, 17);
    status = cairn_passes_finish(e, &builder, &f);
    cairn_ir_destroy(e, &f);
    return status;
}

Test(ir, survives_the_end_of_memory)
{
    CAIRN_BRUTAL(&env, build_and_run_passes(&env));
}

/// What is known of a load stays with it where its index is another.
Test(ir, hints_stay_with_loads)
{
    cairn_ir_array *const a =
        cairn_ir_array_of(b, ir_field(CAIRN_IR_VAL, 0), CAIRN_IR_F64, "A_val");
    cairn_ir_stmt *const s     = cairn_ir_for(b, num(0), num(9), 2, NULL, "i");
    const cairn_ir_x     plain = cairn_ir_load_lanes(b, a, cairn_ir_loop_var(b, s), 2);
    const cairn_ir_x     known = cairn_ir_hinted(b, plain, true, true);
    const cairn_ir_x     other = cairn_ir_substitute(b, known, s->var, num(4));

    cr_expect(!plain->once && !plain->aligned);
    cr_expect(known->once && known->aligned && cairn_ir_same(plain, known));
    cr_expect_eq(other->a->integer, 4);
    cr_expect(other->once && other->aligned);
    cr_expect_eq(cairn_ir_hinted(b, known, true, true), known);
    cairn_ir_end(b);
}

/* The checker. */

static void expect_refused(const char *why)
{
    cairn_ir_function *f = NULL;

    cr_assert_eq(cairn_ir_finish(b, &f), CAIRN_OK);
    cr_expect_eq(cairn_ir_check(&env, f), CAIRN_BAD_ARGUMENT);
    cr_expect(strstr(env.message, why), "%s", env.message);
    cairn_ir_destroy(&env, &f);
}

Test(ir, check_finds_variables_out_of_sight)
{
    cairn_ir_stmt *const s = cairn_ir_for(b, num(0), num(9), 1, NULL, "i");
    const cairn_ir_x     i = cairn_ir_loop_var(b, s);

    cairn_ir_end(b);
    cairn_ir_let(b, i, "late");
    expect_refused("i: is not in sight");
}

Test(ir, check_finds_bounds_that_change)
{
    cairn_ir_var *const n = cairn_ir_declare(b, num(9), "n");

    cairn_ir_for(b, num(0), cairn_ir_use(b, n), 1, NULL, "i");
    cairn_ir_assign(b, n, num(3));
    cairn_ir_end(b);
    expect_refused("i: its bound changes in the loop");
}

Test(ir, check_finds_loop_variables_that_are_assigned)
{
    cairn_ir_stmt *const s = cairn_ir_for(b, num(0), num(9), 1, NULL, "i");

    cairn_ir_assign(b, s->var, num(3));
    cairn_ir_end(b);
    expect_refused("i: is changed in its loop");
}

Test(ir, check_finds_stores_into_what_is_only_read)
{
    cairn_ir_array *const a =
        cairn_ir_array_of(b, ir_field(CAIRN_IR_VAL, 0), CAIRN_IR_F64, "A_val");

    cairn_ir_store(b, a, num(0), cairn_ir_real(b, CAIRN_IR_F64, 1));
    a->written = false;
    expect_refused("A_val: is stored to but not marked");
}

Test(ir, check_finds_fields_that_do_not_exist)
{
    cairn_ir_let(b, cairn_ir_param(b, ir_field(CAIRN_IR_ARG, 99), CAIRN_IR_I64, "far"),
                 "x");
    expect_refused("far: no such field");
}

Test(ir, check_finds_names_that_are_none)
{
    cairn_ir_let(b, num(1), "two words");
    expect_refused("two words: is no name");
}

Test(ir, check_finds_threads_inside_threads)
{
    cairn_ir_for(b, num(0), num(9), 1, NULL, "s")->turns = CAIRN_TURNS_THREADS;
    cairn_ir_for(b, num(0), num(9), 1, NULL, "t")->turns = CAIRN_TURNS_THREADS;
    cairn_ir_end(b);
    cairn_ir_end(b);
    expect_refused("t: threads inside threads");
}

Test(ir, check_finds_hints_that_cannot_be)
{
    static const struct {
        int         lanes;
        bool        once;
        int64_t     stride;
        const char *why;
    } all[] = {
        {4, false, 0,  "A_val: is aligned and no vector of 16 bytes"},
        {2, false, 24, "A_val: is aligned and no vector of 16 bytes"},
        {2, true,  0,  NULL                                         },
    };

    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        if (k > 0) cairn_ir_begin(b, &env, "test", CAIRN_ABI_PRODUCT);
        cairn_ir_array *const a =
            cairn_ir_array_of(b, ir_field(CAIRN_IR_VAL, 0), CAIRN_IR_F64, "A_val");

        a->stride = all[k].stride;
        cairn_ir_let(b,
                     cairn_ir_hinted(b, cairn_ir_load_lanes(b, a, num(0), all[k].lanes),
                                     all[k].once, true),
                     "q");
        if (all[k].why) {
            expect_refused(all[k].why);
        } else {
            cairn_ir_function *f = NULL;

            cr_assert_eq(cairn_ir_finish(b, &f), CAIRN_OK);
            cr_expect_eq(cairn_ir_check(&env, f), CAIRN_OK, "%s", env.message);
            cairn_ir_destroy(&env, &f);
        }
    }
}

Test(ir, check_finds_bounds_of_another_type)
{
    cairn_ir_for(b, num(0), num(9), 1, NULL, "i")->var->type = CAIRN_IR_I32;
    cairn_ir_end(b);
    expect_refused("i: its bounds have another type");
}
