// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Text that is broken, deep, long or hostile, and memory that runs out: never a crash,
/// never a leak, always one line of message.

#include "support/brutal.h"
#include "support/language.h"

#include <stdio.h>
#include <stdlib.h>

TestSuite(language_robust, .init = language_up, .fini = language_down);

/// Parse a library, and if it is one, instantiate its last definition; whatever happens,
/// nothing stays and a failure has a message of one line of ASCII.
static bool survives(const char *text, size_t length)
{
    cairn_library *parsed = NULL;
    cairn_format  *format = NULL;
    const int64_t  live   = env.live_blocks;
    cairn_status   status;

    env.message[0] = '\0';
    status         = cairn_library_parse(&env, text, length, "fuzz", &parsed);
    if (status == CAIRN_OK && cairn_library_size(parsed) > 0)
        status = cairn_format_parse(
            &env, parsed, cairn_library_name(parsed, cairn_library_size(parsed) - 1),
            "fuzz", &format);
    cairn_format_destroy(&format);
    cairn_library_destroy(&env, &parsed);
    cr_assert_eq(env.live_blocks, live, "leak with %.*s", (int)length, text);
    for (const char *c = env.message; status != CAIRN_OK && *c; c++)
        cr_assert(*c >= ' ' && *c < 0x7f, "message: %s", env.message);
    cr_assert(status == CAIRN_OK || env.message[0] != '\0');
    return status == CAIRN_OK;
}

/// Every definition of the catalogue with its parameters substituted, as one text each.
static char *entry_text(cairn_library *catalogue, int k)
{
    static const char *const args[] = {"", "<3>", "<2,4>", "<ell,csr>"};
    char                     spec[128];

    for (int a = 0; a < 4; a++) {
        cairn_format *format = NULL;
        char         *text, *definition;

        snprintf(spec, sizeof spec, "%s%s", cairn_library_name(catalogue, k), args[a]);
        if (cairn_format_parse(&env, NULL, spec, "test", &format) != CAIRN_OK) continue;
        cr_assert_eq(cairn_format_print(&env, format, &text), CAIRN_OK);
        cairn_format_destroy(&format);
        definition = calloc(1, strlen(text) + 8);
        sprintf(definition, "#x = %s", text);
        cairn_free(&env, text);
        return definition;
    }
    cr_assert_fail("no arguments fit %s", cairn_library_name(catalogue, k));
    return NULL;
}

/// Call @p visit with every entry's text.
static void for_each_entry(void (*visit)(char *text, size_t length))
{
    cr_assert_eq(cairn_library_catalogue(&env, &library), CAIRN_OK);
    for (int k = 0; k < cairn_library_size(library); k++) {
        char *text = entry_text(library, k);

        visit(text, strlen(text));
        free(text);
    }
}

static void cut_everywhere(char *text, size_t length)
{
    cr_expect(survives(text, length), "%s", env.message);
    for (size_t n = 0; n < length; n++) {
        /* A copy of its own, so that a read behind the end is seen. */
        char *copy = malloc(n + 1);

        memcpy(copy, text, n);
        survives(copy, n);
        free(copy);
    }
}

Test(language_robust, every_truncation)
{
    for_each_entry(cut_everywhere);
}

static void change_everywhere(char *text, size_t length)
{
    static const char bytes[] = {'\0', '(', ')', '<', '>', '{', '}', ',', ';', '-',
                                 '.',  '#', '0', '9', 'd', 'z', ' ', '/', '%', '\xff'};

    for (size_t n = 0; n < length; n++) {
        const char old = text[n];

        for (size_t k = 0; k < sizeof bytes; k++) {
            text[n] = bytes[k];
            survives(text, length);
        }
        text[n] = old;
    }
}

Test(language_robust, every_changed_byte)
{
    for_each_entry(change_everywhere);
}

/// @p count times @p unit between @p before and @p after.
static char *
repeated(const char *before, const char *unit, size_t count, const char *after)
{
    const size_t size = strlen(unit);
    char        *text = malloc(strlen(before) + size * count + strlen(after) + 1);
    char        *at   = stpcpy(text, before);

    for (size_t k = 0; k < count; k++)
        at = stpcpy(at, unit);
    strcpy(at, after);
    return text;
}

static void survives_repeated(const char *before,
                              const char *unit,
                              size_t      count,
                              const char *after,
                              bool        fine)
{
    char *text = repeated(before, unit, count, after);

    cr_expect_eq(survives(text, strlen(text)), fine, "%s %s x %zu %s: %s", before, unit,
                 count, after, env.message);
    free(text);
}

Test(language_robust, deep_and_long_texts)
{
    const char *map = "#x = #encoding<{ idx_map<(i,j)->(i,";

    survives_repeated("#x = ", "(", 900000, "", false);
    survives_repeated("#x = ", "(", 10000000, "", false);
    survives_repeated(map, "(", 200000, "", false);
    survives_repeated(map, "-", 200000, "j)> }>", false);
    survives_repeated(map, "-", 60, "j)> }>", true);
    survives_repeated(map, "(", 60, "j", false);
    survives_repeated(map, "d[", 200000, "", false);
    survives_repeated(map, "indirect(", 200000, "", false);
    survives_repeated(map, "1+", 200000, "j)> }>", false);
    survives_repeated(map, "1+", 100, "j)> }>", true);
    survives_repeated(map, "j,", 200000, "j)> }>", false);
    survives_repeated("#x = ", "a<", 200000, "", false);
    survives_repeated("#x = ", "#a<", 200000, "", false);
    survives_repeated("#x = #hybrid<{ fmats = [", "csr,", 200000, "csr] }>", false);
    survives_repeated("#x = #encoding<{ idx_map<(i)->(i)>, mutation<merge(", "0,",
                      50000, "0)> }>", true);
    survives_repeated("#x = #encoding<{ idx_map<(i)->(i)>, indirect<{ ", "sum(value) ",
                      50000, "}> }>", false);
    survives_repeated("#x = #encoding<{ idx_map<(i)->(i)>, indirect<{ sum(", "val,",
                      200000, "val) }> }>", false);
    survives_repeated("", "#a", 300000, "=csr", false);
    survives_repeated("", "//", 400000, "", true);
    survives_repeated("#", "a", 900000, " = csr", true);
    survives_repeated("#x = dense<", "1", 900000, ">", false);
    survives_repeated("#x = #hybrid<{ fmats = [csr,csr], thresholds = [0.", "1", 900000,
                      "] }>", false);
}

/// `pick` doubles the uses each time: 2^25 of them in a few lines.
Test(language_robust, doubling_ends)
{
    char  text[4096];
    char *at = text + sprintf(text, "#pick<f,g> = f\n#a0 = csr\n");

    for (int k = 1; k <= 25; k++)
        at += sprintf(at, "#a%d = pick<a%d,a%d>\n", k, k - 1, k - 1);
    define(text);
    cairn_format *format = NULL;

    cr_expect_eq(cairn_format_parse(&env, library, "a25", "test", &format),
                 CAIRN_BAD_FORMAT);
    cr_expect_not_null(strstr(env.message, "a format uses more than 1024 definitions"),
                       "%s", env.message);
}

/// Many uses of one large definition, each cheap to write.
Test(language_robust, steps_are_counted)
{
    char *wide = repeated("#big = #encoding<{ idx_map<(i)->(i)>, mutation<merge(", "0,",
                          9000, "0)> }>\n#pick<f,g> = f\n#x = pick<big,big>");
    cairn_format *format = NULL;

    define(wide);
    free(wide);
    prints("pick<pick<x,x>,pick<x,x>>",
           "#encoding<{ idx_map<(d0)->(d0)>, mutation<merge(0)> "
           "}>");
    cr_expect_eq(cairn_format_parse(&env, library, "pick<pick<pick<x,x>,pick<x,x>>,x>",
                                    "test", &format),
                 CAIRN_BAD_FORMAT);
    cr_expect_not_null(strstr(env.message, "a format holds more than 262144"), "%s",
                       env.message);
}

Test(language_robust, a_text_beyond_the_limit)
{
    cairn_library *parsed = NULL;
    char          *text   = repeated("", " ", (1 << 20) + 1, "");

    cr_expect_eq(cairn_library_parse(&env, text, (1 << 20) + 1, "big", &parsed),
                 CAIRN_BAD_SYNTAX);
    cr_expect_str_eq(
        env.message,
        "format: big:1:1: the text has 1048577 bytes; at most 1048576 are read");
    cr_expect_eq(cairn_library_parse(&env, text, 1 << 20, "big", &parsed), CAIRN_OK);
    cr_expect_eq(cairn_library_size(parsed), 0);
    cairn_library_destroy(&env, &parsed);
    free(text);
}

Test(language_robust, memory_that_runs_out)
{
    static const char defs[] =
        "#near<f> = #hybrid<{ fmats = [bell<2>, f], query = #q }>\n"
        "#q = sum(value) groupBy (i,j)->(i)\n";
    cairn_format  *format = NULL;
    cairn_library *parsed = NULL;
    char          *text   = NULL;
    int            missing;

    CAIRN_BRUTAL(&env, cairn_library_parse(&env, defs, strlen(defs), "defs", &parsed));
    CAIRN_BRUTAL(&env,
                 cairn_format_parse(&env, parsed, "near<serpens<4>>", "test", &format));
    CAIRN_BRUTAL(&env, cairn_format_print(&env, format, &text));
    cairn_free(&env, text);
    CAIRN_BRUTAL(&env, cairn_library_definition(&env, parsed, "near", &text, &missing));
    cairn_free(&env, text);
    CAIRN_BRUTAL(&env, cairn_library_note(&env, parsed, "near", &text));
    cairn_free(&env, text);
    cairn_format_destroy(&format);
    cairn_library_destroy(&env, &parsed);
    CAIRN_BRUTAL(&env, cairn_library_catalogue(&env, &parsed));
    cairn_library_destroy(&env, &parsed);
}
