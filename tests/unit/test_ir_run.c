// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The interpreter of the loop IR: every kind of statement, the fields of both calling
/// conventions, limits that are watched, and memory that ends. What expressions are is
/// held to compilers by test_emit_c and test_passes_random.

#include "ir/ir_run.h"
#include "share/abi.h"
#include "support/ir_once.h"

#include <criterion/criterion.h>

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

enum { LENGTH = 32 };

static cairn_env env;
static cairn_ir ir, *const b = &ir;
static double             y[LENGTH];
static cairn_product_args args;
static cairn_kernel_part  part;

static void setup(void)
{
    cairn_env_init(&env);
    cairn_ir_begin(b, &env, "test", CAIRN_ABI_PRODUCT);
    args = (cairn_product_args){.y = y, .alpha = 0.5, .row_end = 7};
}

static void teardown(void)
{
    cairn_ir_abandon(b);
    cr_assert_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

TestSuite(ir_run, .init = setup, .fini = teardown);

static cairn_ir_x num(int64_t value)
{
    return cairn_ir_int(b, value);
}

static cairn_ir_array *argument(int field, cairn_ir_type type, const char *name)
{
    return cairn_ir_array_of(
        b, (cairn_ir_field){.source = CAIRN_IR_ARG, .level = field}, type, "%s", name);
}

static cairn_ir_array *result(void)
{
    return argument(CAIRN_PRODUCT_y, CAIRN_IR_F64, "y");
}

static void keep(int at, cairn_ir_x whole)
{
    cairn_ir_store(b, result(), num(at), cairn_ir_cast(b, CAIRN_IR_F64, whole));
}

static cairn_status run(cairn_kernel_part *to, cairn_ir_watch *watch, int64_t *status)
{
    cairn_ir_function *f = NULL;

    cr_assert_eq(cairn_ir_finish(b, &f), CAIRN_OK);
    const cairn_status done = ir_run_once(&env, f, &part, to, &args, watch, status);

    cairn_ir_destroy(&env, &f);
    return done;
}

/// Run what was built. @return what it returned.
static int64_t must_run(void)
{
    int64_t status = 99;

    cr_assert_eq(run(NULL, NULL, &status), CAIRN_OK, "%s", env.message);
    return status;
}

static void expect_failure(cairn_ir_watch *watch, const char *message)
{
    int64_t status = 99;

    cr_assert_eq(run(NULL, watch, &status), CAIRN_BAD_ARGUMENT);
    cr_expect_str_eq(env.message, message);
    cr_expect_eq(status, 99);
}

Test(ir_run, nothing_returns_0)
{
    cr_expect_eq(must_run(), 0);
}

Test(ir_run, variables_are_declared_and_assigned)
{
    cairn_ir_var *const v = cairn_ir_declare(b, num(3), "v");

    cairn_ir_assign(b, v, cairn_ir_mul_int(b, cairn_ir_use(b, v), 5));
    keep(0, cairn_ir_use(b, v));
    cairn_ir_return(b, cairn_ir_add_int(b, cairn_ir_use(b, v), 1));
    keep(0, num(0)); /* never */
    cr_expect_eq(must_run(), 16);
    cr_expect_eq(y[0], 15);
}

Test(ir_run, a_variable_without_a_value_is_0_at_every_turn)
{
    cairn_ir_stmt *const i = cairn_ir_for(b, num(0), num(3), 1, NULL, "i");
    cairn_ir_var *const  v = cairn_ir_declare(b, num(7), "v");

    i->body->a = NULL;
    cairn_ir_assign(b, v, cairn_ir_add_int(b, cairn_ir_use(b, v), 1));
    cairn_ir_store(b, result(), cairn_ir_loop_var(b, i),
                   cairn_ir_cast(b, CAIRN_IR_F64, cairn_ir_use(b, v)));
    cairn_ir_end(b);
    must_run();
    for (int k = 0; k < 3; k++)
        cr_expect_eq(y[k], 1);
}

Test(ir_run, loops_step_and_branch)
{
    cairn_ir_var *const  sum = cairn_ir_declare(b, num(0), "sum");
    cairn_ir_var *const  odd = cairn_ir_declare(b, num(0), "odd");
    cairn_ir_stmt *const i   = cairn_ir_for(b, num(-3), num(8), 2, NULL, "i");
    const cairn_ir_x     at  = cairn_ir_loop_var(b, i);

    i->turns = CAIRN_TURNS_THREADS;
    cairn_ir_if(b, cairn_ir_lt(b, at, num(2)));
    cairn_ir_assign(b, sum, cairn_ir_add(b, cairn_ir_use(b, sum), at));
    cairn_ir_else(b);
    cairn_ir_assign(b, odd, cairn_ir_add(b, cairn_ir_use(b, odd), at));
    cairn_ir_end(b);
    cairn_ir_end(b);
    cairn_ir_while(b, cairn_ir_lt(b, cairn_ir_use(b, sum), num(100)));
    cairn_ir_assign(b, sum, cairn_ir_add_int(b, cairn_ir_use(b, sum), 40));
    cairn_ir_end(b);
    keep(0, cairn_ir_use(b, sum));
    keep(1, cairn_ir_use(b, odd));
    must_run();
    cr_expect_eq(y[0], -3 - 1 + 1 + 3 * 40);
    cr_expect_eq(y[1], 3 + 5 + 7);
}

Test(ir_run, a_loop_ends_where_integers_do)
{
    cairn_ir_var *const turns = cairn_ir_declare(b, num(0), "turns");

    cairn_ir_for(b, num(INT64_MAX - 5), num(INT64_MAX), 4, NULL, "i");
    cairn_ir_assign(b, turns, cairn_ir_add_int(b, cairn_ir_use(b, turns), 1));
    cairn_ir_end(b);
    cairn_ir_return(b, cairn_ir_use(b, turns));
    cr_expect_eq(must_run(), 2);
}

Test(ir_run, returning_leaves_loops)
{
    cairn_ir_stmt *const i = cairn_ir_for(b, num(0), num(9), 1, NULL, "i");

    cairn_ir_if(b, cairn_ir_eq(b, cairn_ir_loop_var(b, i), num(2)));
    cairn_ir_return(b, cairn_ir_add_int(b, cairn_ir_loop_var(b, i), 5));
    cairn_ir_end(b);
    keep(3, cairn_ir_loop_var(b, i));
    cairn_ir_end(b);
    cr_expect_eq(must_run(), 7);
    cr_expect_eq(y[3], 1);
}

Test(ir_run, stores_narrow)
{
    uint8_t               bytes[2] = {0};
    int16_t               words[2] = {0};
    const cairn_ir_field  to_ptr   = {.source = CAIRN_IR_LEVEL_PTR, .part = 0};
    const cairn_ir_field  to_idx   = {.source = CAIRN_IR_LEVEL_IDX, .part = 0};
    cairn_ir_array *const small    = cairn_ir_array_of(b, to_ptr, CAIRN_IR_U8, "small");
    cairn_ir_array *const other = cairn_ir_array_of(b, to_idx, CAIRN_IR_I16, "other");

    part.level[0] = (cairn_kernel_level){.ptr = bytes, .idx = words};
    cairn_ir_store(b, small, num(1), num(258));
    cairn_ir_store(b, other, num(0), num(0x12345));
    keep(0, cairn_ir_load(b, small, num(0)));
    keep(1, cairn_ir_load(b, small, num(1)));
    keep(2, cairn_ir_load(b, other, num(0)));
    cairn_ir_prefetch(b, small, num(500), 64, 3, true);
    cairn_ir_note(b, "nothing happens here");
    must_run();
    cr_expect_eq(y[0], 0);
    cr_expect_eq(y[1], 2);
    cr_expect_eq(y[2], 0x2345);
}

Test(ir_run, vectors_have_any_number_of_lanes)
{
    cairn_ir_x    lanes = cairn_ir_splat(b, cairn_ir_real(b, CAIRN_IR_F64, 1.5), 128);
    cairn_ir_var *v     = cairn_ir_declare(b, lanes, "v");

    cairn_ir_assign(b, v, cairn_ir_add(b, cairn_ir_use(b, v), lanes));
    cairn_ir_store(b, result(), num(0), cairn_ir_lane_sum(b, cairn_ir_use(b, v)));
    cairn_ir_store(b, result(), num(1), cairn_ir_lane(b, cairn_ir_use(b, v), 127));
    cairn_ir_store(b, result(), num(2),
                   cairn_ir_load_lanes(b, result(), num(0), 2)); /* 2 and 3 */
    must_run();
    cr_expect_eq(y[0], 384);
    cr_expect_eq(y[1], 3);
    cr_expect_eq(y[2], 384);
    cr_expect_eq(y[3], 3);
}

Test(ir_run, lanes_follow_where_each_is_one_more)
{
    static const uint8_t  at[] = {6, 7, 8, 9, 253, 254, 255, 0, 3, 4, 4, 5, 9, 8, 7, 6};
    const cairn_ir_field  to_ptr = {.source = CAIRN_IR_LEVEL_PTR, .part = 0};
    cairn_ir_array *const array  = cairn_ir_array_of(b, to_ptr, CAIRN_IR_U8, "at");

    part.level[0] = (cairn_kernel_level){.ptr = at};
    for (int n = 0; n < 4; n++) {
        const cairn_ir_x v = cairn_ir_load_lanes(b, array, num(4 * n), 4);

        keep(n, cairn_ir_select(b, cairn_ir_follow(b, v), num(1), num(2)));
    }
    must_run();
    cr_expect_eq(y[0], 1);
    for (int n = 1; n < 4; n++)
        cr_expect_eq(y[n], 2, "%d", n);
}

Test(ir_run, lanes_are_ahead_where_each_is_so_much_more)
{
    static const uint8_t at[] = {6, 9, 3, 254, 7, 10, 4, 255, 8, 11, 5, 0, 8, 12, 6, 1};
    static const int64_t by[] = {1, 1, 1};
    const cairn_ir_field to_ptr = {.source = CAIRN_IR_LEVEL_PTR, .part = 0};
    cairn_ir_array *const array = cairn_ir_array_of(b, to_ptr, CAIRN_IR_U8, "at");

    part.level[0] = (cairn_kernel_level){.ptr = at};
    for (int n = 0; n < 3; n++) {
        const cairn_ir_x u = cairn_ir_load_lanes(b, array, num(4 * n), 4);
        const cairn_ir_x v = cairn_ir_load_lanes(b, array, num(4 * n + 4), 4);

        keep(n,
             cairn_ir_select(b, cairn_ir_ahead(b, v, u, num(by[n])), num(1), num(2)));
    }
    must_run();
    cr_expect_eq(y[0], 1);
    cr_expect_eq(y[1], 2, "255 is followed by 0");
    cr_expect_eq(y[2], 2, "8 by 8");
}

/// Column k of rows that are 6 apart, each of at least four.
Test(ir_run, columns_are_strides)
{
    enum { ROWS = 8, STEP = 6 };
    static double         at[ROWS * STEP];
    const cairn_ir_field  to_ptr = {.source = CAIRN_IR_LEVEL_PTR, .part = 0};
    cairn_ir_array *const array  = cairn_ir_array_of(b, to_ptr, CAIRN_IR_F64, "at");

    for (int n = 0; n < ROWS * STEP; n++)
        at[n] = n;
    part.level[0] = (cairn_kernel_level){.ptr = at};
    for (int k = 0; k < 4; k++)
        cairn_ir_store(b, result(), num(8 * k),
                       cairn_ir_column(b, array, num(1), num(STEP), ROWS, k));
    must_run();
    for (int k = 0; k < 4; k++)
        for (int n = 0; n < ROWS; n++)
            cr_expect_eq(y[8 * k + n], 1 + STEP * n + k, "column %d, row %d", k, n);
}

Test(ir_run, last_lanes_are_kept_and_others_are_zero_whatever_they_were)
{
    for (int count = 0; count <= 4; count++) {
        const cairn_ir_x big = cairn_ir_real(b, CAIRN_IR_F64, INFINITY);
        const cairn_ir_x v   = cairn_ir_last(b, cairn_ir_splat(b, big, 4), num(count));

        for (int n = 0; n < 4; n++)
            cairn_ir_store(b, result(), num(4 * count + n), cairn_ir_lane(b, v, n));
    }
    must_run();
    for (int count = 0; count <= 4; count++)
        for (int n = 0; n < 4; n++)
            cr_expect_eq(y[4 * count + n], n + count >= 4 ? INFINITY : 0);
}

Test(ir_run, thousands_of_variables)
{
    enum { MANY = 20000 };
    cairn_ir_var *first = NULL, *v = NULL;

    for (int k = 0; k < MANY; k++) {
        v = cairn_ir_declare(b, v ? cairn_ir_add_int(b, cairn_ir_use(b, v), 1) : num(0),
                             "v");
        if (!first) first = v;
    }
    keep(0, cairn_ir_use(b, v));
    keep(1, cairn_ir_use(b, first));
    must_run();
    cr_expect_eq(y[0], MANY - 1);
    cr_expect_eq(y[1], 0);
}

/* ---- what it is given ---- */

static cairn_ir_x field(cairn_ir_source source, int its_part, int level)
{
    const cairn_ir_field f = {.source = source, .part = its_part, .level = level};

    return cairn_ir_param(b, f, CAIRN_IR_I64, "field");
}

Test(ir_run, fields_of_a_part)
{
    static const uint16_t idx[]   = {1, 99, 2, 99, 60000, 99};
    static const int64_t  ptr[]   = {0, 3};
    static const float    value[] = {1.5F};

    part          = (cairn_kernel_part){.val = (void *)value, .values = 11, .bank = 12};
    part.level[2] = (cairn_kernel_level){
        .lo = -4, .size = 5, .nodes = 6, .hole = -7, .idx = idx, .ptr = ptr};
    cairn_ir_array *const i = cairn_ir_array_of(
        b, (cairn_ir_field){CAIRN_IR_LEVEL_IDX, 0, 2}, CAIRN_IR_U16, "idx");
    cairn_ir_array *const p = cairn_ir_array_of(
        b, (cairn_ir_field){CAIRN_IR_LEVEL_PTR, 0, 2}, CAIRN_IR_I64, "ptr");
    cairn_ir_array *const v =
        cairn_ir_array_of(b, (cairn_ir_field){CAIRN_IR_VAL, 0, 0}, CAIRN_IR_F32, "val");

    i->stride = 4;
    keep(0, field(CAIRN_IR_LEVEL_LO, 0, 2));
    keep(1, field(CAIRN_IR_LEVEL_SIZE, 0, 2));
    keep(2, field(CAIRN_IR_LEVEL_NODES, 0, 2));
    keep(3, field(CAIRN_IR_LEVEL_HOLE, 0, 2));
    keep(4, field(CAIRN_IR_VALUES, 0, 0));
    keep(5, field(CAIRN_IR_BANK, 0, 0));
    keep(6, field(CAIRN_IR_ARG, 0, CAIRN_PRODUCT_row_end));
    keep(7, cairn_ir_load(b, i, num(2)));
    keep(8, cairn_ir_load(b, p, num(1)));
    keep(9, cairn_ir_load(b, v, num(0)));
    cairn_ir_store(
        b, result(), num(10),
        cairn_ir_param(b, (cairn_ir_field){CAIRN_IR_ARG, 0, CAIRN_PRODUCT_alpha},
                       CAIRN_IR_F64, "alpha"));
    must_run();

    static const double expected[] = {-4, 5, 6, -7, 11, 12, 7, 60000, 3, 1.5, 0.5};

    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
        cr_expect_eq(y[k], expected[k], "field %zu is %g", k, y[k]);
}

Test(ir_run, a_conversion_has_two_parts_and_every_argument)
{
    static int64_t     word[CAIRN_CONVERT_shares + 1];
    cairn_convert_args given;
    cairn_kernel_part  to     = {.values = 5};
    cairn_ir_function *f      = NULL;
    int64_t            status = 0, expected = 5;

    cairn_ir_abandon(b);
    cairn_ir_begin(b, &env, "test", CAIRN_ABI_CONVERT);
    cairn_ir_var *const sum = cairn_ir_declare(b, field(CAIRN_IR_VALUES, 1, 0), "sum");

    cr_assert_eq(sizeof given, sizeof word);
    for (int k = 0; k <= CAIRN_CONVERT_shares; k++) {
        word[k] = (k + 1) * (k + 1);
        expected += word[k] * (k % 5);
        cairn_ir_assign(
            b, sum,
            cairn_ir_add(b, cairn_ir_use(b, sum),
                         cairn_ir_mul_int(b, field(CAIRN_IR_ARG, 0, k), k % 5)));
    }
    cairn_ir_return(b, cairn_ir_use(b, sum));
    memcpy(&given, word, sizeof given);
    cr_assert_eq(cairn_ir_finish(b, &f), CAIRN_OK);
    cr_expect_eq(ir_run_once(&env, f, NULL, &to, &given, NULL, &status), CAIRN_OK);
    cr_expect_eq(status, expected);
    cr_expect_eq(ir_run_once(&env, f, NULL, NULL, &given, NULL, &status),
                 CAIRN_BAD_ARGUMENT);
    cairn_ir_destroy(&env, &f);
}

/* ---- what it must not do ---- */

static int64_t all_of(void *user, cairn_ir_field f)
{
    (void)f;
    return *(const int64_t *)user;
}

static int64_t from_2(void *user, cairn_ir_field f)
{
    (void)user;
    (void)f;
    return 2;
}

Test(ir_run, limits_of_arrays_are_watched)
{
    int64_t        length = 4;
    cairn_ir_watch watch  = {.length = all_of, .user = &length};

    y[4] = 77;
    keep(3, num(1));
    keep(4, num(1));
    expect_failure(&watch, "kernel: test: y: a store outside its array");
    cr_expect_eq(y[3], 1);
    cr_expect_eq(y[4], 77);
    cr_expect_eq(watch.steps, 2);

    setup();
    watch.first = from_2;
    keep(2, num(5));
    keep(5, cairn_ir_cast(b, CAIRN_IR_I64, cairn_ir_load(b, result(), num(1))));
    expect_failure(&watch, "kernel: test: y: a load outside its array");
    cr_expect_eq(y[2], 5);
}

/// Of vectors, too, the one that is not chosen is not evaluated.
Test(ir_run, a_vector_is_chosen_without_the_other)
{
    int64_t          length = 4;
    cairn_ir_watch   watch  = {.length = all_of, .user = &length};
    const cairn_ir_x zero   = cairn_ir_use(b, cairn_ir_declare(b, num(0), "zero"));

    for (int k = 0; k < 2; k++)
        cairn_ir_store(b, result(), num(2 * k),
                       cairn_ir_select(
                           b, cairn_ir_eq(b, zero, num(k)),
                           cairn_ir_splat(b, cairn_ir_real(b, CAIRN_IR_F64, 5), 2),
                           cairn_ir_load_lanes(
                               b, result(), cairn_ir_add_int(b, zero, k ? 0 : 99), 2)));
    int64_t status = 99;

    cr_assert_eq(run(NULL, &watch, &status), CAIRN_OK, "%s", env.message);
    for (int k = 0; k < 4; k++)
        cr_expect_eq(y[k], 5);
}

/// Where an array begins counts, not where it happens to lie.
Test(ir_run, alignment_is_watched)
{
    int64_t        length = 20;
    cairn_ir_watch watch  = {.length = all_of, .first = from_2, .user = &length};

    for (int k = 0; k < 2; k++) {
        if (k > 0) setup();
        const cairn_ir_x q = cairn_ir_hinted(
            b, cairn_ir_load_lanes(b, result(), num(4 + k), 2), false, true);

        cairn_ir_store(b, result(), num(8), cairn_ir_lane(b, q, 0));
        if (k > 0) {
            expect_failure(&watch, "kernel: test: y: a load that is not aligned");
            continue;
        }
        int64_t status = 99;

        cr_assert_eq(run(NULL, &watch, &status), CAIRN_OK, "%s", env.message);
    }
}

Test(ir_run, divisions_by_nothing_and_of_less)
{
    cairn_ir_watch     watch = {0};
    const cairn_ir_x   none  = cairn_ir_use(b, cairn_ir_declare(b, num(0), "none"));
    static const char *text  = "kernel: test: a division by nothing";

    keep(0, cairn_ir_binary(b, CAIRN_IR_FLOOR_MOD, num(3), none));
    expect_failure(NULL, text);
    for (int watched = 0; watched < 2; watched++) {
        setup();
        const cairn_ir_x less = cairn_ir_use(b, cairn_ir_declare(b, num(-7), "less"));

        keep(0, cairn_ir_binary(b, CAIRN_IR_DIV, less, num(2)));
        if (watched)
            expect_failure(&watch, "kernel: test: a division of less than nothing");
        else
            must_run();
    }
    cr_expect_eq(y[0], -3);
}

Test(ir_run, steps_are_counted)
{
    cairn_ir_watch watch = {.most_steps = 100};

    cairn_ir_while(
        b, cairn_ir_eq(b, cairn_ir_use(b, cairn_ir_declare(b, num(0), "v")), num(0)));
    keep(0, num(1));
    cairn_ir_end(b);
    expect_failure(&watch, "kernel: test: too many steps");
    cr_expect_eq(watch.steps, 101);
}

Test(ir_run, what_is_out_of_sight_is_refused)
{
    cairn_ir_stmt *const i = cairn_ir_for(b, num(0), num(1), 1, NULL, "i");
    cairn_ir_var *const  v = cairn_ir_declare(b, num(1), "inner");

    (void)i;
    cairn_ir_end(b);
    keep(0, cairn_ir_use(b, v));
    expect_failure(NULL, "kernel: test: inner: is not in sight");
}

/* ---- memory, threads ---- */

/// A loop, and 5 to return.
static cairn_ir_function *build_a_loop(void)
{
    cairn_ir_function   *f   = NULL;
    cairn_ir_var *const  sum = cairn_ir_declare(b, num(0), "sum");
    cairn_ir_stmt *const i   = cairn_ir_for(b, num(0), num(900), 1, NULL, "i");

    cairn_ir_assign(b, sum,
                    cairn_ir_add(b, cairn_ir_use(b, sum), cairn_ir_loop_var(b, i)));
    cairn_ir_end(b);
    cairn_ir_if(b, cairn_ir_eq(b, cairn_ir_use(b, sum), num(900 * 899 / 2)));
    cairn_ir_return(b, num(5));
    cairn_ir_end(b);
    cr_assert_eq(cairn_ir_finish(b, &f), CAIRN_OK);
    return f;
}

Test(ir_run, without_memory_it_returns_minus_1)
{
    cairn_ir_function *f      = build_a_loop();
    const int64_t      live   = env.live_blocks;
    int64_t            status = 0, failed = 0;

    for (int64_t n = 0; status != 5; n++) {
        status      = 99;
        env.allowed = n;
        cr_assert_eq(ir_run_once(&env, f, &part, NULL, &args, NULL, &status), CAIRN_OK);
        env.allowed = -1;
        cr_assert(status == -1 || status == 5, "block %ld: %ld", (long)n, (long)status);
        cr_assert_eq(env.live_blocks, live, "leak after %ld blocks", (long)n);
        failed += status == -1;
    }
    cr_expect_gt(failed, 2);
    cairn_ir_destroy(&env, &f);
}

static void *run_often(void *code)
{
    intptr_t right = 0;

    for (int k = 0; k < 20; k++) {
        int64_t status = 0;

        right +=
            cairn_ir_code_run(&env, code, &part, NULL, &args, NULL, &status) == CAIRN_OK
            && status == 5;
    }
    return (void *)right;
}

Test(ir_run, threads_share_one_code)
{
    cairn_ir_function *f    = build_a_loop();
    cairn_ir_code     *code = NULL;
    pthread_t          thread[4];

    cr_assert_eq(cairn_ir_code_create(&env, f, &code), CAIRN_OK);
    cairn_ir_destroy(&env, &f);
    for (int t = 0; t < 4; t++)
        cr_assert_eq(pthread_create(&thread[t], NULL, run_often, code), 0);
    for (int t = 0; t < 4; t++) {
        void *right;

        cr_assert_eq(pthread_join(thread[t], &right), 0);
        cr_expect_eq((intptr_t)right, 20);
    }
    cairn_ir_code_destroy(&env, &code);
}
