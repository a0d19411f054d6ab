// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Candidates from text: what a line is, what is no line, files that are none, and the
/// text that comes with the library.

#include "auto/candidates.h"
#include "support/brutal.h"
#include "support/names.h"

#include <cairn/auto.h>

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static cairn_env env;

static void up(void)
{
    cairn_env_init(&env);
    env.memory_limit = INT64_C(1) << 30;
}

static void down(void)
{
    cr_expect_eq(env.live_blocks, 0, "%ld blocks leak", (long)env.live_blocks);
    cairn_env_fini(&env);
}

TestSuite(candidates, .init = up, .fini = down);

/* Formats without names, so that no catalogue matters. */
#define ROWS "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)> }>"
#define COLS "#encoding<{ idx_map<(d0,d1)->(d1,d0)>, mutation<merge(0), trim(1,1)> }>"

static const char sample[] = "# a comment\n"
                             "#\n"
                             "#1 is none either\n"
                             "\n" ROWS " : rows many one\n"
                             "  " COLS ": transposed\r\n"
                             "\t" ROWS;

Test(candidates, a_line_is_a_format_and_what_it_is_for)
{
    cairn_candidates c = {0};

    cr_assert_eq(cairn_candidates_parse(&env, sample, "f", &c), CAIRN_OK, "%s",
                 cairn_message(&env));
    cr_assert_eq(c.count, 3);
    cr_expect_eq(c.lines, 7);
    cr_expect_str_eq(c.list[0].text, ROWS);
    cr_expect_str_eq(c.list[0].estimator->name, "rows");
    cr_expect_eq(c.list[0].products, 1U << CAIRN_FOR_ONE | 1U << CAIRN_FOR_MANY);
    cr_expect_eq(c.list[0].leaf[CAIRN_FOR_ONE][0].kind, CAIRN_LEAF_RUN);
    cr_expect_eq(c.list[0].leaf[CAIRN_FOR_TRANSPOSED][0].kind, CAIRN_LEAF_SCATTER);
    cr_expect_str_eq(c.list[1].text, COLS);
    cr_expect_null(c.list[1].estimator);
    cr_expect_eq(c.list[1].products, 1U << CAIRN_FOR_TRANSPOSED);
    cr_expect_str_eq(c.list[2].text, ROWS);
    cr_expect_eq(c.list[2].products, (1U << CAIRN_FOR_KINDS) - 1);
    cairn_candidates_fini(&env, &c);
}

Test(candidates, what_prints_alike_is_counted_alike)
{
    cairn_candidates known = {0}, own = {0};

    cr_assert_eq(cairn_candidates_parse(&env, ROWS " : rows", "f", &known), CAIRN_OK);
    cr_assert_eq(cairn_candidates_parse(&env,
                                        "#encoding<{idx_map<(d0 , d1) -> (d0,d1)>,"
                                        " mutation<trim(1,1), merge(0)>}>\n" COLS,
                                        "f", &own),
                 CAIRN_OK, "%s", cairn_message(&env));
    cr_assert_eq(cairn_candidates_recognise(&env, &known, &own), CAIRN_OK);
    cr_expect_eq(own.list[0].estimator, known.list[0].estimator);
    cr_expect_eq(own.list[0].leaf[CAIRN_FOR_ONE][0].kind, CAIRN_LEAF_RUN);
    cr_expect_null(own.list[1].estimator);
    cairn_candidates_fini(&env, &known);
    cairn_candidates_fini(&env, &own);
}

Test(candidates, what_is_wrong_has_its_line_and_column)
{
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {ROWS "\n\n  " ROWS " x",
         "candidates: f:3:75: expected the end of the format, found 'x'"                                        },
        {"no-such-format",
         "candidates: f:1:1: there is no format called no-such-format"                                          },
        {"\n #encoding<{ idx_map<(d0,d1)->(d0)> }>",
         "candidates: f:2:2: the index map does not give back d1"                                               },
        {ROWS " : rows two",                               "candidates: f:1:80: 'two' is no product"            },
        {ROWS " : rows table",                             "candidates: f:1:80: 'table' is a second count"      },
        {ROWS " :",                                        "candidates: f:1:74: expected a product"             },
        {" : one",                                         "candidates: f:1:2: expected a format, found the end"},
        {"#encoding<{ idx_map<(d0,d1,d2)->(d0,d1,d2)> }>",
         "candidates: f:1:1: it is for tensors of order 3"                                                      },
        {ROWS "\n\x01\x02",                                "candidates: f:2:1: expected a format, found '\\x01'"},
        {"# none\n",                                       "candidates: f:2:1: there is no format"              },
        {"",                                               "candidates: f:1:1: there is no format"              },
    };

    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        cairn_candidates c = {.count = -1};

        cr_expect_neq(cairn_candidates_parse(&env, wrong[k].text, "f", &c), CAIRN_OK,
                      "%s", wrong[k].text);
        cr_expect(strncmp(cairn_message(&env), wrong[k].says, strlen(wrong[k].says))
                      == 0,
                  "%s, not %s", cairn_message(&env), wrong[k].says);
        cr_expect_eq(c.count, -1);
    }
}

/// @p n lines, or letters.
static char *repeat(const char *text, int n)
{
    const size_t length = strlen(text);
    char        *all    = malloc(n * length + 1);

    for (int k = 0; k < n; k++)
        memcpy(all + k * length, text, length);
    all[n * length] = '\0';
    return all;
}

Test(candidates, too_many_and_too_long_ones_are_refused)
{
    char *const      most = repeat(ROWS "\n", CAIRN_AUTO_CANDIDATES);
    char *const      more = repeat(ROWS "\n", CAIRN_AUTO_CANDIDATES + 1);
    char *const      word = repeat("x", CAIRN_AUTO_TEXT);
    cairn_candidates c    = {0};

    cr_expect_eq(cairn_candidates_parse(&env, most, "f", &c), CAIRN_OK);
    cairn_candidates_fini(&env, &c);
    cr_expect_eq(cairn_candidates_parse(&env, more, "f", &c), CAIRN_BAD_FORMAT);
    cr_expect(strstr(cairn_message(&env), "f:31:1: one format too many"), "%s",
              cairn_message(&env));
    cr_expect_eq(cairn_candidates_parse(&env, word, "f", &c), CAIRN_BAD_FORMAT);
    cr_expect(strstr(cairn_message(&env), "f:1:1: the format has 1024 letters"), "%s",
              cairn_message(&env));
    free(most);
    free(more);
    free(word);
}

Test(candidates, every_failed_allocation_is_survived)
{
    cairn_candidates c = {0};

    CAIRN_BRUTAL(&env, cairn_candidates_parse(&env, sample, "f", &c));
    CAIRN_BRUTAL(&env, cairn_candidates_recognise(&env, &c, &c));
    cairn_candidates_fini(&env, &c);
}

/// Write a file, and load it. @return the status.
static cairn_status load(const char *bytes, size_t length, char **text)
{
    char         path[] = "candidates-XXXXXX";
    const int    fd     = mkstemp(path);
    cairn_status status;

    cr_assert(fd >= 0 && write(fd, bytes, length) == (ssize_t)length);
    close(fd);
    status = cairn_candidates_load(&env, path, text);
    unlink(path);
    return status;
}

Test(candidates, a_file_is_read_whole_or_refused)
{
    char *text = NULL, *const large = repeat("# x\n", 300000);

    cr_expect_eq(load("a\nb", 3, &text), CAIRN_OK);
    cr_expect_str_eq(text, "a\nb");
    cairn_free(&env, text);
    text = NULL;
    cr_expect_eq(load("", 0, &text), CAIRN_OK);
    cr_expect_str_eq(text, "");
    cairn_free(&env, text);
    text = NULL;
    cr_expect_eq(load("a\nb\0c", 5, &text), CAIRN_BAD_SYNTAX);
    cr_expect(strstr(cairn_message(&env), ":2:2: a byte of 0"), "%s",
              cairn_message(&env));
    cr_expect_eq(load(large, 1200000, &text), CAIRN_BAD_SYNTAX);
    cr_expect_eq(cairn_candidates_load(&env, "/nonexistent", &text), CAIRN_IO);
    cr_expect_eq(cairn_candidates_load(&env, "/", &text), CAIRN_IO);
    cr_expect_null(text);
    free(large);
}

/// For every product there are some, all are formats, and all are counted without being
/// stored: nobody waits for those that come with the library.
Test(candidates, what_comes_with_the_library_can_be_used)
{
    cairn_candidates c                      = {0};
    int              count[CAIRN_FOR_KINDS] = {0};

    cr_assert_eq(cairn_candidates_parse(&env, cairn_candidates_text, "candidates", &c),
                 CAIRN_OK, "%s", cairn_message(&env));
    cr_expect_leq(c.count, CAIRN_AUTO_CANDIDATES);
    for (int k = 0; k < c.count; k++) {
        const char *text = c.list[k].text;

        cr_expect(c.list[k].estimator, "%s", text);
        cr_expect(text[0] == '#'
                      || strncmp(text, name_prefix(), strlen(name_prefix())) == 0,
                  "%s", text);
        for (int p = 0; p < CAIRN_FOR_KINDS; p++)
            count[p] += c.list[k].products >> p & 1;
    }
    for (int p = 0; p < CAIRN_FOR_KINDS; p++)
        cr_expect_geq(count[p], 5);
    cairn_candidates_fini(&env, &c);
}
