// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Short calls on the format language for tests: text in, canonical print or message out.

#ifndef CAIRN_TESTS_LANGUAGE_H
#define CAIRN_TESTS_LANGUAGE_H

#include "format/language.h"

#include <criterion/criterion.h>

#include <string.h>

static cairn_env env; ///< Of the running test.
static cairn_library
    *library; ///< Where names are looked up first; NULL: the catalogue.

static inline void language_up(void)
{
    cairn_env_init(&env);
}

static inline void language_down(void)
{
    cairn_library_destroy(&env, &library);
    cr_expect_eq(env.live_blocks, 0, "%ld blocks leak", (long)env.live_blocks);
    cairn_env_fini(&env);
}

/// Use the definitions in @p text from now on.
static inline void define(const char *text)
{
    cairn_library_destroy(&env, &library);
    cr_assert_eq(cairn_library_parse(&env, text, strlen(text), "defs", &library),
                 CAIRN_OK, "%s", env.message);
}

/// The canonical print of @p text, freed by the caller; it must be its own print.
static inline char *canonical(const char *text)
{
    cairn_format *format = NULL, *again = NULL;
    char         *first = NULL, *second = NULL;

    cr_assert_eq(cairn_format_parse(&env, library, text, "test", &format), CAIRN_OK,
                 "%s: %s", text, env.message);
    cr_assert_eq(cairn_format_print(&env, format, &first), CAIRN_OK);
    cr_assert_eq(cairn_format_parse(&env, NULL, first, "print", &again), CAIRN_OK,
                 "%s: %s", first, env.message);
    cr_assert_eq(cairn_format_print(&env, again, &second), CAIRN_OK);
    cr_expect_str_eq(second, first);
    cairn_free(&env, second);
    cairn_format_destroy(&again);
    cairn_format_destroy(&format);
    return first;
}

/// @p text prints as @p print.
static inline void prints(const char *text, const char *print)
{
    char *got = canonical(text);

    cr_expect_str_eq(got, print, "%s prints as\n%s\nnot as\n%s", text, got, print);
    cairn_free(&env, got);
}

/// @p text is refused with exactly @p message.
static inline void refuses(const char *text, const char *message)
{
    cairn_format      *format = NULL;
    const cairn_status status =
        cairn_format_parse(&env, library, text, "test", &format);

    cr_expect(status == CAIRN_BAD_SYNTAX || status == CAIRN_BAD_FORMAT, "%s: status %d",
              text, status);
    cr_expect_null(format);
    cr_expect_str_eq(env.message, message, "%s says\n%s\nnot\n%s", text, env.message,
                     message);
    cairn_format_destroy(&format);
}

/// The definitions in @p text are refused with exactly @p message.
static inline void refuses_library(const char *text, const char *message)
{
    cairn_library     *bad = NULL;
    const cairn_status status =
        cairn_library_parse(&env, text, strlen(text), "defs", &bad);

    cr_expect(status == CAIRN_BAD_SYNTAX || status == CAIRN_BAD_FORMAT, "%s: status %d",
              text, status);
    cr_expect_null(bad);
    cr_expect_str_eq(env.message, message, "%s says\n%s\nnot\n%s", text, env.message,
                     message);
    cairn_library_destroy(&env, &bad);
}

#endif
