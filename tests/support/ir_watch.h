// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Functions of the loop IR interpreted in tests, held to the limits of their arrays and to
/// a number of steps.

#ifndef CAIRN_TESTS_IR_WATCH_H
#define CAIRN_TESTS_IR_WATCH_H

#include "ir_once.h"
#include "share/abi.h"

#include <criterion/criterion.h>

#include <string.h>

enum { IR_STEPS = 2000000 };

/// That it takes more steps than that: no failure, some functions do.
static const char ir_too_long[] = "too many steps";

/// Run a product's function. @return NULL, or what went wrong: ir_too_long, or a text
/// that is valid until the next run.
static inline const char *ir_watched(const cairn_ir_function *f,
                                     const cairn_kernel_part *part,
                                     const void              *args,
                                     cairn_ir_watch           watch,
                                     int64_t                 *status)
{
    static char message[CAIRN_MESSAGE];
    cairn_env   env;

    cairn_env_init(&env);
    watch.most_steps        = IR_STEPS;
    const cairn_status runs = ir_run_once(&env, f, part, NULL, args, &watch, status);

    strcpy(message, env.message);
    cr_assert_eq(env.live_blocks, 0, "the interpreter leaks");
    cairn_env_fini(&env);
    if (runs == CAIRN_OK) return NULL;
    return watch.steps > IR_STEPS ? ir_too_long : message;
}

#endif
