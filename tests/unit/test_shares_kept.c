// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Shares over time: plans in files have their rows, values that change reach them, and
/// allocations that fail leave nothing behind.

#include "support/brutal.h"
#include "support/shares.h"

TestSuite(shares_kept, .init = up, .fini = down);

/// A plan in a file has the rows of its shares, and they are held to the matrix.
Test(shares_kept, plans_in_files_keep_their_rows)
{
    static operands          o      = {.op = CAIRN_PRODUCT_OPTIONS};
    const cairn_plan_options loaded = {.size = sizeof(cairn_plan_options),
                                       .plan = file};
    cairn_source            *source = make_source(context);
    cairn_plan              *again;

    use_devices("cpu:2");
    cairn_tensor *tensor = must_store(context, source, "bcsr<2,3>", CAIRN_F64);
    cairn_plan   *plan   = make_plan(tensor, &o, "cpu:0*0.3+cpu:1*0.7");

    MUST(context, cairn_plan_save(plan, file));
    MUST(context, cairn_plan_create_with(tensor, &loaded, &again));
    listing a = list(plan), b = list(again);

    cr_assert_eq(a.count, 2);
    cr_assert_eq(b.count, 2);
    for (int k = 0; k < 2; k++) {
        cr_expect_str_eq(a.part[k].device, b.part[k].device);
        cr_expect_eq(a.part[k].first_row, b.part[k].first_row);
        cr_expect_eq(a.part[k].rows, b.part[k].rows);
    }
    run(again, &o, "loaded");
    cairn_plan_parts_free(plan, &a.part);
    cairn_plan_parts_free(again, &b.part);
    cairn_plan_destroy(&plan);
    cairn_plan_destroy(&again);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

/// A solver's rows: the small matrix with values that change.
typedef struct {
    int64_t ptr[ROWS + 1], idx[ROWS * COLS];
    double  val[ROWS * COLS];
} solver_rows;

static void take_rows(solver_rows *a)
{
    a->ptr[0] = 0;
    for (int i = 0; i < ROWS; i++) {
        a->ptr[i + 1] = a->ptr[i];
        for (int j = 0; j < COLS; j++)
            if (dense[i][j] != 0) {
                a->idx[a->ptr[i + 1]]   = j;
                a->val[a->ptr[i + 1]++] = dense[i][j];
            }
    }
}

/// Some of them to 0, which is a value like any other.
static void change_values(solver_rows *a, int turn)
{
    for (int i = 0; i < ROWS; i++)
        for (int64_t k = a->ptr[i]; k < a->ptr[i + 1]; k++)
            dense[i][a->idx[k]] = a->val[k] = (double)((7 * k + turn) % 5 - 2);
}

/// New values reach every share before the next run, also on a device with copies.
static void follow_updates(const char *name, const char *place)
{
    static operands    o = {.op = CAIRN_PRODUCT_OPTIONS};
    static solver_rows a;
    cairn_source      *source = make_source(context); /* fills the dense copy */
    cairn_format      *format = name ? must_format(context, name) : NULL;
    cairn_tensor      *tensor;

    take_rows(&a);
    MUST(context, cairn_tensor_from_csr(
                      context, ROWS, COLS, 0, ROWS, a.ptr, 64, a.idx, 64, a.val,
                      CAIRN_F64, name ? CAIRN_COPY : CAIRN_BORROW, format, &tensor));
    cairn_plan *plan = make_plan(tensor, &o, place);

    run(plan, &o, "first values");
    for (int turn = 0; turn < 3; turn++) {
        change_values(&a, turn);
        MUST(context, cairn_tensor_update(tensor, a.val));
        run(plan, &o, place);
    }
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
}

Test(shares_kept, new_values_reach_shares)
{
    static const char *const names[] = {
        NULL, "csr", "ell", "sell-sigma<4,8>", "csc", "lil", "hybrid<bdia<4>,csr,0.6>"};
    static const char *const places[] = {"cpu:0+cpu:1", "debug", "cpu:1+debug"};

    use_devices("cpu:2,debug");
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (size_t p = 0; p < sizeof places / sizeof *places; p++)
            follow_updates(names[n], places[p]);
}

/// Every allocation of a divided plan fails once; so does that of a renewal, after which
/// the next run has the values.
Test(shares_kept, failing_allocations_leave_nothing)
{
    static const char *const names[] = {"csr", "csc", "ell"};
    static operands          o       = {.op = CAIRN_PRODUCT_OPTIONS};
    const cairn_plan_options options = {.size  = sizeof(cairn_plan_options),
                                        .place = "cpu:0+cpu:1"};
    cairn_source            *source  = make_source(context);
    cairn_env               *env     = &context->env;

    use_devices("cpu:2");
    env->options.kernels = CAIRN_KERNELS_REFERENCE;
    for (int k = 0; k < 3; k++) {
        cairn_tensor *tensor = must_store(context, source, names[k], CAIRN_F64);
        cairn_plan   *plan   = make_plan(tensor, &o, options.place);

        cairn_plan_destroy(&plan); /* the context keeps what it reads once */
        CAIRN_BRUTAL(env, cairn_plan_create_with(tensor, &options, &plan));
        run(plan, &o, names[k]);
        tensor->local->updates++;
        CAIRN_BRUTAL(env, cairn_plan_run(plan, NULL, NULL));
        run(plan, &o, names[k]);
        cairn_plan_destroy(&plan);
        cairn_tensor_destroy(&tensor);
    }
    cairn_source_destroy(&source);
}

/// A device fails when there is no memory to take its share over: that run says so, the
/// next one that has memory is right, and the device's own failure is what is told.
Test(shares_kept, shares_are_taken_over_when_memory_is_there)
{
    static operands o      = {.op = CAIRN_PRODUCT_OPTIONS};
    cairn_source   *source = make_source(context);
    cairn_env      *env    = &context->env;
    int             failed = 0;

    use_debug("cpu:2", ", \"fail_run\": 1", NULL);
    cairn_tensor *tensor = must_store(context, source, "csr", CAIRN_F64);
    cairn_plan   *plan   = make_plan(tensor, &o, "debug*0.5+cpu:1*0.5");

    env->options.kernels = CAIRN_KERNELS_REFERENCE; /* which needs memory */
    for (cairn_status status = CAIRN_NO_MEMORY; status != CAIRN_OK; failed++) {
        env->allowed = failed;
        status       = cairn_plan_run(plan, NULL, NULL);
        env->allowed = -1;
        cr_assert(status == CAIRN_OK || status == CAIRN_NO_MEMORY, "%s", env->message);
        cr_assert_lt(failed, 100, "never succeeds");
    }
    cr_expect_gt(failed, 1, "nothing needed memory");
    run(plan, &o, "taken over");
    listing l = list(plan);

    cr_expect_str_eq(l.part[0].device, "cpu:0");
    cr_expect(strstr(l.part[0].note, "debug:0 failed and was retired"), "%s",
              l.part[0].note);
    cr_expect(!strstr(l.part[0].note, "another part"), "%s", l.part[0].note);
    cairn_plan_parts_free(plan, &l.part);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}
