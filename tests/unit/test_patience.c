// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// When a wait is told of, and when it ends; seconds as options.

#include "base/patience.h"

#include <criterion/criterion.h>

TestSuite(patience, .timeout = 20);

static cairn_patience begin(double tell, double give_up)
{
    cairn_env env;

    cairn_env_init(&env);
    env.options.wait_warn = (cairn_option_seconds){.seconds = tell, .set = tell >= 0};
    env.options.give_up   = (cairn_option_seconds){.seconds = give_up};
    const cairn_patience patience = cairn_patience_begin(&env);

    cairn_env_fini(&env);
    return patience;
}

Test(patience, tells_after_growing_times)
{
    cairn_patience p = begin(-1, 0);

    cr_expect_eq(cairn_patience_due(&p), 60);
    cr_expect_eq(cairn_patience_turn(&p, 59.9), CAIRN_WAIT_ON);
    cr_expect_eq(cairn_patience_turn(&p, 60), CAIRN_WAIT_TELL);
    cr_expect_eq(p.reached, 60);
    cr_expect_eq(cairn_patience_turn(&p, 61), CAIRN_WAIT_ON);
    cr_expect_eq(cairn_patience_due(&p), 120);
    cr_expect_eq(cairn_patience_turn(&p, 500), CAIRN_WAIT_TELL, "late, and told once");
    cr_expect_eq(p.reached, 480);
    cr_expect_eq(cairn_patience_turn(&p, 959), CAIRN_WAIT_ON);
}

Test(patience, ends_where_that_was_asked_for)
{
    cairn_patience p = begin(1, 3), never = begin(0, 0), silent = begin(0, 2);

    cr_expect_eq(cairn_patience_turn(&p, 1), CAIRN_WAIT_TELL);
    cr_expect_eq(cairn_patience_turn(&p, 2), CAIRN_WAIT_TELL);
    cr_expect_eq(cairn_patience_due(&p), 3);
    cr_expect_eq(cairn_patience_turn(&p, 3), CAIRN_WAIT_GIVE_UP);
    cr_expect_eq(p.reached, 3);
    cr_expect_eq(cairn_patience_due(&never), 0);
    cr_expect_eq(cairn_patience_turn(&never, 1e9), CAIRN_WAIT_ON);
    cr_expect_eq(cairn_patience_turn(&silent, 1.9), CAIRN_WAIT_ON);
    cr_expect_eq(cairn_patience_turn(&silent, 2.1), CAIRN_WAIT_GIVE_UP);
}

/// As after SIGSTOP and SIGCONT: nobody else was late in that time.
Test(patience, a_process_that_was_stopped_has_not_waited)
{
    cairn_patience p = begin(1, 3);

    p.begin -= 100;
    p.seen -= 100;
    const double waited = cairn_patience_waited(&p); /* once: it looks at the clock */

    cr_expect_float_eq(waited, 1, 1e-6);
    p.begin -= 5; /* in which it looked again and again */
    cr_expect_geq(cairn_patience_waited(&p), 6 - 1e-6);
}

Test(patience, seconds_are_decimal_numbers)
{
    static const char *const wrong[] = {"",   "-1",  "1e3",   "soon",      ".5",
                                        "1s", "nan", "1.2.3", "2000000000"};
    double                   seconds = 7;

    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        cr_expect_neq(cairn_parse_seconds(wrong[k], &seconds), 0, "%s", wrong[k]);
    cr_expect_eq(seconds, 7);
    cr_expect_eq(cairn_parse_seconds("0", &seconds), 0);
    cr_expect_eq(seconds, 0);
    cr_expect_eq(cairn_parse_seconds("90.25", &seconds), 0);
    cr_expect_float_eq(seconds, 90.25, 1e-12);
}
