// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// For tests of what conversions ask for: functions are interpreted, and the key of each is
/// noted when it is lowered, by whatever thread. Link with
/// -Wl,--wrap=cairn_convert_lower.

#ifndef CAIRN_TESTS_ASKED_FUNCTIONS_H
#define CAIRN_TESTS_ASKED_FUNCTIONS_H

#include "convert/function_list.h"
#include "lower/conversion/convert.h"

#include <criterion/criterion.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ASKED = 256 };

/// Keys of the functions that were lowered since `noting` was set.
static struct {
    bool            noting;
    int             count;
    char           *key[MOST_ASKED];
    pthread_mutex_t lock;
} asked = {.lock = PTHREAD_MUTEX_INITIALIZER};

cairn_status __real_cairn_convert_lower(cairn_env                *env,
                                        const cairn_convert_spec *spec,
                                        const char               *name,
                                        cairn_ir_function       **function);
cairn_status __wrap_cairn_convert_lower(cairn_env                *env,
                                        const cairn_convert_spec *spec,
                                        const char               *name,
                                        cairn_ir_function       **function);

static bool is_asked(const char *key)
{
    for (int k = 0; k < asked.count; k++)
        if (strcmp(asked.key[k], key) == 0) return true;
    return false;
}

cairn_status __wrap_cairn_convert_lower(cairn_env                *env,
                                        const cairn_convert_spec *spec,
                                        const char               *name,
                                        cairn_ir_function       **function)
{
    char *key;

    if (asked.noting) {
        cr_assert_eq(cairn_convert_key(env, spec, &key), CAIRN_OK);
        pthread_mutex_lock(&asked.lock);
        if (!is_asked(key)) {
            cr_assert_lt(asked.count, MOST_ASKED);
            asked.key[asked.count++] = strdup(key);
        }
        pthread_mutex_unlock(&asked.lock);
        cairn_free(env, key);
    }
    return __real_cairn_convert_lower(env, spec, name, function);
}

static void forget_asked(void)
{
    while (asked.count > 0)
        free(asked.key[--asked.count]);
}

/// Is a function on a list?
static inline bool is_listed(const cairn_function_list *list, const char *key)
{
    for (int k = 0; k < list->count; k++)
        if (strcmp(list->function[k].key, key) == 0) return true;
    return false;
}

static const cairn_kernel_loader interpreting = {.interprets   = true,
                                                 .vector_bytes = 32,
                                                 .threads      = 1};

/// Is all that was asked for?
static inline void expect_all_listed(const cairn_function_list *list, const char *what)
{
    for (int k = 0; k < asked.count; k++)
        cr_expect(is_listed(list, asked.key[k]), "%s: not listed: %s", what,
                  asked.key[k]);
}

#endif
