// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Candidates from text: what a line is, what is no line, and the text that comes with the
/// library.

#include "auto/suggest.h"
#include "format/language.h"
#include "support/brutal.h"
#include "support/names.h"

#include <cairn/auto.h>

#include <criterion/criterion.h>

#include <math.h>

static cairn_env env;

static const cairn_product_options one    = {.columns = 1, .alpha = 1};
static const cairn_product_options many   = {.columns = 8, .alpha = 1};
static const cairn_product_options turned = {.columns = 1, .transposed = 1, .alpha = 1};

#define RATES "1 2 3 4 5 6 7 8 9 10 11 12 13"

static void up(void)
{
    cairn_env_init(&env);
}

static void down(void)
{
    cr_expect_eq(env.live_blocks, 0, "%ld blocks leak", (long)env.live_blocks);
    cairn_env_fini(&env);
}

TestSuite(suggest_read, .init = up, .fini = down);

static const char sample[] = "# a comment\n"
                             "#\n"
                             "\n"
                             "a<1,2> : one rows " RATES "\n"
                             "  b:many table " RATES "\r\n"
                             "#encoding<{ x }> : one stretch " RATES "\n"
                             "c\n"
                             "d : transposed lines " RATES;

Test(suggest_read, a_line_is_a_format_and_its_model)
{
    cairn_suggestions s = {0};

    cr_assert_eq(cairn_suggestions_read(&env, sample, "f", &one, &s), CAIRN_OK, "%s",
                 env.message);
    cr_assert_eq(s.count, 3);
    cr_expect_str_eq(s.list[0].format, "a<1,2>");
    cr_expect_str_eq(s.list[0].model->name, "rows");
    cr_expect(s.list[0].launch == 1 && s.list[0].value == 6 && s.list[0].convert == 13);
    cr_expect_str_eq(s.list[1].format, "#encoding<{ x }>");
    cr_expect_str_eq(s.list[2].format, "c");
    cairn_suggestions_fini(&env, &s);

    cr_assert_eq(cairn_suggestions_read(&env, sample, "f", &many, &s), CAIRN_OK);
    cr_assert_eq(s.count, 2);
    cr_expect_str_eq(s.list[0].format, "b");
    cairn_suggestions_fini(&env, &s);

    cr_assert_eq(cairn_suggestions_read(&env, sample, "f", &turned, &s), CAIRN_OK);
    cr_assert_eq(s.count, 2);
    cr_expect_str_eq(s.list[1].format, "d");
    cairn_suggestions_fini(&env, &s);
}

Test(suggest_read, nothing_is_predicted_without_a_model)
{
    const cairn_structure structure = {.rows = 10, .cols = 10, .entries = 30};
    cairn_suggestions     s         = {0};
    double                product = 0, convert = 0;

    cr_assert_eq(cairn_suggestions_read(&env, "c", "f", &one, &s), CAIRN_OK);
    cairn_suggestion_predict(s.list, &structure, &one, 64, 1, &product, &convert);
    cr_expect(isinf(product) && isinf(convert));
    cairn_suggestions_fini(&env, &s);
}

Test(suggest_read, wrong_lines_are_told_by_their_number)
{
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"a : one rows " RATES "\nb : two rows " RATES,
         "candidates: f:2: 'two' is not"                                                                    },
        {"a : one heaps " RATES,                        "candidates: f:1: there is no model called 'heaps'" },
        {"a : one rows 1 2 3",                          "f:1: number 4 of 13: missing"                      },
        {"a : one rows " RATES " 14",                   "f:1: there are more than 13 rates"                 },
        {"a : one rows 1 2 -3 4 5 6 7 8 9 10 11 12 13", "f:1: number 3 of 13: -3"                           },
        {"a : one rows 1 2 x 4 5 6 7 8 9 10 11 12 13",  "f:1: number 3 of 13: x"                            },
        {" : one rows " RATES,                          "f:1: the format has 0 letters"                     },
        {"a :",                                         "f:1: '' is not one, many or transposed"            },
        {"# none\n",                                    "candidates: f: there is no format for this product"},
        {"",                                            "candidates: f: there is no format for this product"},
    };

    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        cairn_suggestions s = {.count = -1};

        cr_expect_eq(cairn_suggestions_read(&env, wrong[k].text, "f", &one, &s),
                     CAIRN_BAD_FORMAT, "%s", wrong[k].text);
        cr_expect(strstr(env.message, wrong[k].says), "%s, not %s", env.message,
                  wrong[k].says);
        cr_expect_eq(s.count, -1);
    }
}

Test(suggest_read, every_failed_allocation_is_survived)
{
    cairn_suggestions s = {0};

    CAIRN_BRUTAL(&env, cairn_suggestions_read(&env, sample, "f", &one, &s));
    cairn_suggestions_fini(&env, &s);
}

/// For every product there are some, with models, and all of them are formats.
Test(suggest_read, what_comes_with_the_library_can_be_used)
{
    const cairn_product_options *const ops[] = {&one, &many, &turned};

    for (int k = 0; k < 3; k++) {
        cairn_suggestions s = {0};

        cr_assert_eq(cairn_suggestions_read(&env, cairn_candidates_text, "candidates",
                                            ops[k], &s),
                     CAIRN_OK, "%s", env.message);
        cr_expect(s.count >= 5 && s.count <= CAIRN_AUTO_CANDIDATES, "%d", s.count);
        for (int c = 0; c < s.count; c++) {
            cairn_format *format = NULL;

            cr_expect_eq(
                cairn_format_parse(&env, NULL, s.list[c].format, "test", &format),
                CAIRN_OK, "%s", env.message);
            cr_expect_neq(s.list[c].model, cairn_suggest_model_find("unknown"));
            cr_expect(
                s.list[c].format[0] == '#'
                    || strncmp(s.list[c].format, name_prefix(), strlen(name_prefix()))
                           == 0,
                "%s", s.list[c].format);
            cairn_format_destroy(&format);
        }
        cairn_suggestions_fini(&env, &s);
    }
}
