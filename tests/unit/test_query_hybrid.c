// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which member of a hybrid gets which entry: docs/formats.md, section 6, on Figure 1a.

#include "../support/brutal.h"
#include "../support/query_fixture.h"
#include "groups/decompose.h"

TestSuite(query_hybrid, .init = up, .fini = down);

/// The members of the six entries, as digits, by groups and by definition.
static void expect_members(const char *text, const char *want)
{
    cairn_format *format  = parse(text);
    cairn_entries entries = figure_entries();

    for (int definition = 0; definition < 2; definition++) {
        uint8_t member[6] = {9, 9, 9, 9, 9, 9};
        char    got[7]    = "";

        cr_assert_eq(cairn_decompose(&env, format, &figure_shape, figure_box, &entries,
                                     definition, NULL, member),
                     CAIRN_OK, "%s: %s", text, env.message);
        for (int p = 0; p < 6; p++)
            got[p] = (char)('0' + member[p]);
        cr_expect_str_eq(got, want, "%s: %s, not %s", text, got, want);
    }
    cairn_entries_fini(&env, &entries);
    cairn_format_destroy(&format);
}

/* entries: (0,0) (1,1) (2,1) (2,2) (2,3) (4,3) */

Test(query_hybrid, a_single_format_gets_everything)
{
    expect_members("csr", "000000");
}

Test(query_hybrid, dense_diagonal_blocks)
{
    expect_members("hybrid<bdia<3>,csr,0.5>", "001011");
    expect_members("hybrid<bdia<3>,csr,0.3>", "000000");
}

Test(query_hybrid, blocks_and_their_width)
{
    expect_members("hybrid<bell<2>,coo,0.25,1>", "001001");
    expect_members("hybrid<bell<2>,coo,0,1>", "000000");
    expect_members("hybrid<bell<2>,coo,0,0.5>", "000110");
    expect_members("hybrid<bell<2>,coo,0.5,1>", "111111");
}

Test(query_hybrid, own_query_and_modes)
{
    expect_members("#hybrid<{ fmats = [csr, coo], query = sum(value) groupBy "
                   "(d0,d1)->(d0), absolute thresholds = [1] }>",
                   "110001");
}

Test(query_hybrid, maximum_divides_by_the_largest)
{
    expect_members("#hybrid<{ fmats = [csr, coo], query = sum(value) groupBy "
                   "(d0,d1)->(d0), maximum thresholds = [0.3] }>",
                   "000000");
    expect_members("#hybrid<{ fmats = [csr, coo], query = sum(value) groupBy "
                   "(d0,d1)->(d0), maximum thresholds = [0.5] }>",
                   "110001");
}

Test(query_hybrid, ell_keeps_part_of_its_width)
{
    expect_members("#hybrid<{ fmats = [ell, coo], query = sum(value) groupBy "
                   "(d0,d1)->(d0), absolute thresholds = [0], keep = [0.3] }>",
                   "000110");
    expect_members("#hybrid<{ fmats = [ell, ell, coo], query = sum(value) groupBy "
                   "(d0,d1)->(d0), absolute thresholds = [2, 0], keep = [0.5, 0.5] }>",
                   "110011");
}

Test(query_hybrid, first_member_without_index_needs_a_query)
{
    cairn_format *format = NULL;

    cr_expect_eq(cairn_format_parse(&env, NULL,
                                    named("#hybrid<{ fmats = [dense<2>, coo] }>"),
                                    "test", &format),
                 CAIRN_BAD_FORMAT);
    cr_expect_null(format);
    cr_expect_eq(env.live_blocks, 0);
}

Test(query_hybrid, survives_every_failed_allocation)
{
    cairn_format *format  = parse("hybrid<bell<2>,coo,0,0.5>");
    cairn_entries entries = figure_entries();
    uint8_t       member[6];

    for (int definition = 0; definition < 2; definition++)
        CAIRN_BRUTAL(&env, cairn_decompose(&env, format, &figure_shape, figure_box,
                                           &entries, definition, NULL, member));
    cairn_entries_fini(&env, &entries);
    cairn_format_destroy(&format);
}
