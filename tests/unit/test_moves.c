// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What moving a byte takes in conversions: shipped, scaled, learned; and which method that
/// makes the cheapest. Nothing is timed.

#include "api/api.h"
#include "cost/moves.h"
#include "support/api.h"

#include <math.h>
#include <time.h>

static const cairn_cost_device processor = {
    "cpu: test",
    CAIRN_CLOCK_MEASURED,
    {1e-6, 1e-10, 0}
};

typedef struct {
    cairn_env       env;
    cairn_costs     costs;
    cairn_pass_list program;
} shop;

static void open_shop(shop *s)
{
    cairn_env_init(&s->env);
    cairn_costs_init(&s->env, NULL, &s->costs);
    cairn_pass_list_init(&s->program, &s->env);
}

static void close_shop(shop *s)
{
    cairn_pass_list_fini(&s->program);
    cairn_costs_fini(&s->costs);
    cr_expect_eq(s->env.live_blocks, 0);
    cairn_env_fini(&s->env);
}

static void
add(shop *s, cairn_pass_kind what, cairn_pass_unit unit, double bytes, bool interpreted)
{
    const cairn_pass pass = {.method = "any",
                             .what   = what,
                             .unit   = unit,
                             .index  = -1,
                             .stores = what == CAIRN_PASS_MOVE ? CAIRN_STORES_DIRECT
                                                               : CAIRN_STORES_NONE,
                             .bytes  = bytes,
                             .interpreted = interpreted};

    cr_assert_eq(cairn_pass_list_add(&s->program, &pass), CAIRN_OK);
}

/// Conversions of some sizes took @p factor times what shipped rates say.
static void took(shop *s, double factor, int n)
{
    const cairn_move_rates *shipped = &cairn_move_rates_shipped;

    for (int k = 0; k < n; k++) {
        const int64_t     entries = 1000000 << k % 4;
        cairn_alternative its;

        cairn_pass_list_predict(&s->program, NULL, entries, &its);
        cairn_cost_observe_moves(&s->costs, &processor, &s->program, shipped, entries,
                                 factor * its.shipped);
    }
}

static cairn_move_rates rates_of(shop *s)
{
    cairn_move_rates rates;

    cairn_cost_moves(&s->costs, &processor, &rates);
    return rates;
}

static bool is_measured(shop *s)
{
    cairn_move_rates rates;

    return cairn_cost_moves(&s->costs, &processor, &rates);
}

Test(moves, rates_are_those_that_are_shipped_until_something_ran)
{
    shop s;

    open_shop(&s);
    cr_expect_eq(rates_of(&s).in_order, cairn_move_rates_shipped.in_order);
    cr_expect_eq(rates_of(&s).scattered, cairn_move_rates_shipped.scattered);
    cr_expect_not(is_measured(&s));
    s.costs.memory      = cairn_memory_shipped;
    s.costs.memory_when = time(NULL);
    cr_expect(is_measured(&s));
    cr_expect_eq(rates_of(&s).in_order, cairn_move_rates_shipped.in_order);
    s.costs.memory.byte *= 2;
    cr_expect_float_eq(rates_of(&s).in_order / cairn_move_rates_shipped.in_order, 2,
                       1e-9);
    cr_expect_float_eq(rates_of(&s).scattered / cairn_move_rates_shipped.scattered, 2,
                       1e-9);
    close_shop(&s);
}

/// Where a pass assumes something, what is predicted is what goes on if it does not hold; and
/// that takes the place of the pass, if it wrote arrays, and of those behind it.
Test(moves, assumptions_break_into_what_goes_on)
{
    const cairn_pass count = {.method = "any", .what = CAIRN_PASS_COUNT, .bytes = 5},
                     move  = {.method = "any", .what = CAIRN_PASS_MOVE, .bytes = 30},
                     check = {.method  = "any",
                              .what    = CAIRN_PASS_CHECK,
                              .assumes = {.what = "they ascend"},
                              .bytes   = 4};
    cairn_alternative its;
    char              text[100];
    shop              s;
    int               next;

    open_shop(&s);
    cr_assert_eq(cairn_pass_list_add(&s.program, &check), CAIRN_OK);
    add(&s, CAIRN_PASS_APPEND, CAIRN_UNIT_ENTRY, 7, false);
    cr_assert_eq(cairn_pass_list_add_otherwise(&s.program, 0, &count), CAIRN_OK);
    cr_assert_eq(cairn_pass_list_add_otherwise(&s.program, 0, &move), CAIRN_OK);
    cairn_pass_list_predict(&s.program, NULL, 10, &its);
    cr_expect_eq(its.bytes, 4 + 5 + 30);
    cr_expect_eq(cairn_pass_list_bytes(&s.program).in_order, 4 + 7);
    cairn_pass_otherwise_print(&s.program, &s.program.pass[0], text, sizeof text);
    cr_expect_str_eq(text, "any Count, Move");
    cr_assert_eq(cairn_pass_list_go_on(&s.program, 0, &next), CAIRN_OK);
    cr_expect_eq(next, 1, "a look stays");
    cr_assert_eq(s.program.passes, 3);
    cr_expect_eq(s.program.pass[2].what, CAIRN_PASS_MOVE);
    cairn_pass_list_clear(&s.program);
    cr_assert_eq(cairn_pass_list_add(&s.program, &check), CAIRN_OK);
    s.program.pass[0].arrays = CAIRN_PASS_VAL;
    cr_assert_eq(cairn_pass_list_add_otherwise(&s.program, 0, &move), CAIRN_OK);
    cairn_pass_list_predict(&s.program, NULL, 10, &its);
    cr_expect_eq(its.bytes, 30, "what was written is written again");
    cr_assert_eq(cairn_pass_list_go_on(&s.program, 0, &next), CAIRN_OK);
    cr_expect_eq(next, 0);
    cr_expect_eq(s.program.passes, 1);
    cr_expect_eq(s.program.pass[0].what, CAIRN_PASS_MOVE);
    close_shop(&s);
}

Test(moves, what_ran_is_learned_of_each_kind)
{
    shop s;

    open_shop(&s);
    add(&s, CAIRN_PASS_COUNT, CAIRN_UNIT_ENTRY, 4, false);
    add(&s, CAIRN_PASS_MOVE, CAIRN_UNIT_RUN, 24, false);
    took(&s, 3, 24);
    cr_expect(is_measured(&s));
    cr_expect_float_eq(rates_of(&s).in_order / cairn_move_rates_shipped.in_order, 3,
                       0.4);
    cr_expect_eq(rates_of(&s).scattered, cairn_move_rates_shipped.scattered);

    /* With a scattered move it is that which took longer. */
    add(&s, CAIRN_PASS_MOVE, CAIRN_UNIT_ENTRY, 28, false);
    took(&s, 3, 24);
    cr_expect_gt(rates_of(&s).scattered, 3.5 * cairn_move_rates_shipped.scattered);
    close_shop(&s);
}

Test(moves, one_conversion_more_changes_nothing)
{
    shop s;

    open_shop(&s);
    add(&s, CAIRN_PASS_MOVE, CAIRN_UNIT_RUN, 24, false);
    took(&s, 2.1, 24);
    const cairn_move_rates before = rates_of(&s);

    took(&s, 2.3, 1);
    cr_expect_eq(rates_of(&s).in_order, before.in_order);
    took(&s, 100, 1);
    cr_expect_eq(rates_of(&s).in_order, before.in_order);
    close_shop(&s);
}

Test(moves, no_rate_is_beyond_eight_times_what_is_shipped)
{
    shop s;

    open_shop(&s);
    add(&s, CAIRN_PASS_MOVE, CAIRN_UNIT_RUN, 24, false);
    took(&s, 1e6, 24);
    cr_expect_float_eq(rates_of(&s).in_order / cairn_move_rates_shipped.in_order, 8,
                       1e-9);
    close_shop(&s);
}

Test(moves, what_is_no_moving_is_not_learned)
{
    static const cairn_pass_kind others[] = {CAIRN_PASS_SORT, CAIRN_PASS_NUMBER,
                                             CAIRN_PASS_ASSIGN, CAIRN_PASS_EXCHANGE,
                                             CAIRN_PASS_RULES};

    for (size_t k = 0; k <= sizeof others / sizeof *others; k++) {
        shop s;

        open_shop(&s);
        add(&s, CAIRN_PASS_MOVE, CAIRN_UNIT_RUN, 24, false);
        if (k < sizeof others / sizeof *others)
            add(&s, others[k], CAIRN_UNIT_ENTRY, 8, false);
        else
            add(&s, CAIRN_PASS_MOVE, CAIRN_UNIT_RUN, 8, true);
        took(&s, 3, 24);
        cr_expect_eq(s.costs.models, 0, "%s",
                     k < 5 ? cairn_pass_name(others[k]) : "interpreted");
        close_shop(&s);
    }
}

Test(moves, nothing_is_learned_where_only_shipped_rates_count)
{
    shop s;

    open_shop(&s);
    s.env.options.cost = CAIRN_RATES_SHIPPED;
    add(&s, CAIRN_PASS_MOVE, CAIRN_UNIT_RUN, 24, false);
    took(&s, 3, 24);
    cr_expect_eq(rates_of(&s).in_order, cairn_move_rates_shipped.in_order);
    close_shop(&s);
}

/* ---- conversions ---- */

enum { ROWS = 350000 };

/// How a matrix of a million entries is converted; @p rates are those of its context.
static char *convert(const cairn_move_rates *rates, const char *from, const char *to)
{
    static char         how[8192];
    const cairn_problem p       = {.size = sizeof(cairn_problem), .n = ROWS};
    cairn_context      *context = NULL;
    cairn_source       *source  = NULL;
    cairn_tensor       *tensor = NULL, *converted = NULL;
    cairn_format       *format;

    must_start(&context);
    context->moves.rates = *rates;
    context->moves.asked = true;
    MUST(context, cairn_source_generate(context, "tridiag", &p, &source));
    tensor = must_store(context, source, from, CAIRN_F64);
    format = must_format(context, to);
    MUST(context, cairn_tensor_convert(tensor, format, &converted));
    snprintf(how, sizeof how, "%s", cairn_tensor_how(converted));
    cairn_format_destroy(&format);
    cairn_tensor_destroy(&converted);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    cairn_context_destroy(&context);
    return how;
}

Test(moves, learned_rates_change_a_method_and_a_little_does_not, .timeout = 240)
{
    const cairn_move_rates *shipped = &cairn_move_rates_shipped;
    const cairn_move_rates  little  = {shipped->in_order, 1.1 * shipped->scattered};
    const cairn_move_rates  much    = {shipped->in_order, 8 * shipped->scattered};
    char                    first[8192];

    snprintf(first, sizeof first, "%s", convert(&(cairn_move_rates){0}, "csr", "csc"));
    cr_expect_str_eq(convert(shipped, "csr", "csc"), first);
    cr_expect_str_eq(convert(&little, "csr", "csc"), first);
    cr_expect_str_neq(convert(&much, "csr", "csc"), first, "%s", first);
}

/// A context that was told how fast its machine is converts by that; it learns for those
/// after it, and not for itself.
Test(moves, a_context_s_choice_stays, .timeout = 240)
{
    const cairn_problem p       = {.size = sizeof(cairn_problem), .n = ROWS};
    cairn_context      *context = NULL;
    cairn_source       *source  = NULL;
    char                folder[64], command[128];

    scratch_create(folder);
    must_start(&context);
    context->env.options.cost = CAIRN_RATES_LEARNED;
    snprintf(context->env.options.costs, sizeof context->env.options.costs,
             "%s/costs.json", folder);
    MUST(context, cairn_source_generate(context, "tridiag", &p, &source));
    for (int k = 0; k < 4; k++) {
        cairn_tensor *tensor = must_store(context, source, "csr", CAIRN_F64);

        cairn_tensor_destroy(&tensor);
        cr_expect(context->moves.asked && context->moves.rates.in_order == 0,
                  "by shipped rates, as when it first asked");
    }
    cr_assert(context->costs);
    cr_expect_eq(context->costs->models, 1);
    cr_expect_str_eq(context->costs->model[0].family, "convert in order");
    cr_expect_eq(context->costs->model[0].count, 4);
    cairn_source_destroy(&source);
    cairn_context_destroy(&context);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    cr_expect_eq(system(command), 0);
}
