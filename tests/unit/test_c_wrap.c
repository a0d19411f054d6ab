// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Long lines, broken: put together again they are what was given, whatever parentheses,
/// commas and operators stand in them (WRAP_SEED repeats a case).

#include "emit/c_inside.h"
#include "support/random_format.h"
#include "support/seed.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 4096 };

static const char *const operators[] = {" + ",  " - ", " * ",  " / ", " % ",  " && ",
                                        " || ", " < ", " == ", " & ", " << ", ", "};

/// Append an expression of at most @p depth parentheses within each other.
static void draw(uint64_t *state, int depth, char *line)
{
    const int count = 1 + (int)(random_next(state) % 4);

    for (int n = 0; n < count && strlen(line) < LONGEST / 2; n++) {
        if (n > 0) strcat(line, operators[random_next(state) % 12]);
        if (depth > 0 && random_next(state) % 2) {
            strcat(line, random_next(state) % 2 ? "floor_mod(" : "(");
            draw(state, depth - 1, line);
            strcat(line, ")");
        } else {
            const int most   = random_next(state) % 2 ? 60 : 3;
            const int length = 1 + (int)(random_next(state) % (uint64_t)most);

            sprintf(line + strlen(line), "%.*s", length,
                    "a_name_that_may_be_long_as_many_are_that_passes_put_together_of");
        }
    }
}

/// Each line end and the blanks around a line were one blank.
static void join(char *text)
{
    char *to = text;

    text += strspn(text, " ");
    while (*text) {
        const bool end = *text == '\n';

        *to++ = end ? ' ' : *text;
        text += end ? 1 + strspn(text + 1, " ") : 1;
    }
    to[-1] = '\0'; /* the last line's end */
}

/// Break @p line at @p indent, and hold what comes to it. @p seed is where it came from.
static void check(cairn_env *env, const char *line, int indent, uint64_t seed)
{
    cairn_text text;
    char      *broken = NULL;

    cairn_text_init(&text, env);
    cairn_c_wrap(&text, line, indent);
    cr_assert_eq(cairn_text_take(&text, &broken), CAIRN_OK);
    join(broken);
    cr_assert_str_eq(broken, line, "indent %d, WRAP_SEED=%llu", indent,
                     (unsigned long long)seed);
    cairn_free(env, broken);
}

Test(c_wrap, broken_lines_are_the_line)
{
    const char *const given = getenv("WRAP_SEED");
    const uint64_t first = given ? strtoull(given, NULL, 10) : seed_clock() * 1000003;
    const int      cases = given ? 1 : seed_cases(2500);
    cairn_env      env;

    cairn_env_init(&env);
    printf("first seed %llu\n", (unsigned long long)first);
    for (int k = 0; k < cases; k++) {
        uint64_t state         = first + (uint64_t)k;
        char     line[LONGEST] = "sum = ";

        draw(&state, 1 + (int)(random_next(&state) % 7), line);
        strcat(line, ";");
        for (int indent = 0; indent <= 60; indent += 4)
            check(&env, line, indent, first + (uint64_t)k);
    }
    cr_assert_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

/// The `&` binds loosest behind the `+`, and follows a name of one letter: there no line
/// begins.
Test(c_wrap, where_a_line_must_break_is_passed)
{
    cairn_env env;

    cairn_env_init(&env);
    for (int indent = 0; indent <= 60; indent++)
        check(&env,
              "*(v8f64 *)(y + 14) = gather_v8f64_i32(A_val, __builtin_convertvector("
              "load_v8u32(A0_ptr + floor_mod(max(size_2 + 5, 6 & size), 41)) "
              "& (int64_t)31, v8i32));",
              indent, 0);
    cairn_env_fini(&env);
}
