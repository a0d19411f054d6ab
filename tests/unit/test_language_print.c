// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What is read and how it prints. The expected prints are derived by hand from the rules
/// of the canonical form.

#include "support/language.h"

#include <stdio.h>

TestSuite(language_print, .init = language_up, .fini = language_down);

#define CSR "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)> }>"
#define COO "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<trim(0,1)> }>"
#define BDIA3                                                                         \
    "#encoding<{ idx_map<(d0,d1)->(d0/3,d1-d0,d0%3)>, mutation<merge(0), trim(1,1)> " \
    "}>"
#define ELL                                                                           \
    "#encoding<{ idx_map<(d0,d1)->(indirect(d1),d0,d1)>, mutation<merge(0), "         \
    "trim(0,0)>, "                                                                    \
    "indirect<{ sum(value) groupBy (d0,d1)->(d0); enum(value) groupBy (d0,d1)->(d0) " \
    "traverseBy (d0,d1)->(d1) with value eq 0 -> sumVal | otherwise -> 0 }> }>"
#define CISR(argument, clauses)                                                 \
    "#encoding<{ idx_map<(d0,d1)->(indirect(d0),d0,d1)>, mutation<merge(0,1), " \
    "trim(1,2)>, "                                                              \
    "indirect<{ sum(value) groupBy (d0,d1)->(d0); schedule(" argument           \
    ") traverseBy " clauses " }>, layout<partition(0)> }>"

Test(language_print, direct_formats)
{
    prints("dense<1>", "#encoding<{ idx_map<(d0)->(d0)> }>");
    prints("dense<3>", "#encoding<{ idx_map<(d0,d1,d2)->(d0,d1,d2)> }>");
    prints("coo", COO);
    prints("coo<1+1>", COO);
    prints("coo<3>",
           "#encoding<{ idx_map<(d0,d1,d2)->(d0,d1,d2)>, mutation<trim(0,2)> }>");
    prints("csf<1>", "#encoding<{ idx_map<(d0)->(d0)>, mutation<trim(0,0)> }>");
    prints("csf<3>",
           "#encoding<{ idx_map<(d0,d1,d2)->(d0,d1,d2)>, mutation<merge(0,1), "
           "trim(0,2)> }>");
    prints("csr", CSR);
    prints("#csr", CSR);
    prints(" \n#csr // rows\n", CSR);
    prints("dok", "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<trim(0,1)>, "
                  "layout<pack(0,1)> }>");
    prints("dia-variant",
           "#encoding<{ idx_map<(d0,d1)->(d1-d0,d1)>, mutation<merge(0), "
           "trim(0,0)> }>");
    prints("bdia<3>", BDIA3);
    prints("csb<2,3>", "#encoding<{ idx_map<(d0,d1)->(d0/2,d1/3,d0%2,d1%3)>, "
                       "mutation<merge(1), trim(2,3)> }>");
    prints("c2sr<2>",
           "#encoding<{ idx_map<(d0,d1)->(d0%2,d0/2,d1)>, mutation<merge(0,1), "
           "trim(2,2)>, layout<partition(0)> }>");
}

Test(language_print, indirect_formats)
{
    prints("ell", ELL);
    prints("sell-sigma<2,4>",
           "#encoding<{ idx_map<(d0,d1)->(place/2,slot,place%2,d0,d1)>, "
           "mutation<merge(0), "
           "trim(1,1)>, indirect<{ count = sum(value) groupBy (d0,d1)->(d0); place = "
           "reorder(count) groupBy (d0,d1)->(d0/4) descend; slot = enum(value) groupBy "
           "(d0,d1)->(d0) traverseBy (d0,d1)->(d1) with value eq 0 -> count | "
           "otherwise -> "
           "0 }> }>");
    prints("cisr-plus<2>",
           "#encoding<{ idx_map<(d0,d1)->(bucket,place,d0,d1)>, mutation<merge(0,2), "
           "trim(1,3)>, indirect<{ load = sum(value) groupBy (d0,d1)->(d0); place = "
           "reorder(load) descend; bucket = schedule(load) traverseBy (d0,d1)->(place) "
           "buckets 2 }>, layout<partition(0)> }>");
    prints("serpens<2,4,2>",
           "#encoding<{ idx_map<(d0,d1)->(d1/4,cycle,d0/2%2,d0/2/2,d0%2,d1%4)>, "
           "mutation<merge(0), trim(1,1)>, indirect<{ cycle = enum(value) groupBy "
           "(d0,d1)->(d1/4,d0/2%2) traverseBy (d0,d1)->(d1,d0) with value ne 0 -> 0 | "
           "otherwise -> none distance 2 by (d0,d1)->(d0/2) }> }>");
    prints(
        "bell<2>",
        "#encoding<{ idx_map<(d0,d1)->(slot,d0/2,d1/2,d0%2,d1%2)>, mutation<merge(0), "
        "trim(0,0)>, indirect<{ block = sum(value) groupBy (d0,d1)->(d0/2,d1/2); width "
        "= sum(block) groupBy (d0,d1)->(d0/2); slot = enum(block) groupBy "
        "(d0,d1)->(d0/2) traverseBy (d0,d1)->(d1/2) with block eq 0 -> width | "
        "otherwise -> 0 }> }>");
}

Test(language_print, hybrids)
{
    prints("hybrid<bdia<3>,csr>",
           "#hybrid<{ fmats = [" BDIA3 ", " CSR "], thresholds = [0.5] }>");
    prints("hybrid<bdia<3>, #encoding<{ idx_map<(i,j)->(i,j)>, mutation<trim(0,1)> }>, "
           "0.60>",
           "#hybrid<{ fmats = [" BDIA3 ", " COO "], thresholds = [0.6] }>");
    prints("hybrid<ell,coo,0,0.5>",
           "#hybrid<{ fmats = [" ELL ", " COO "], thresholds = [0], keep = [0.5] }>");
    prints("#unisparse.hybrid<{fmats=[csr]}>", "#hybrid<{ fmats = [" CSR "] }>");
    prints(
        "#hybrid<{ fmats=[#csr,coo,csr], capacity thresholds=[0.5,0.5], keep=[1,1] }>",
        "#hybrid<{ fmats = [" CSR ", " COO ", " CSR "], thresholds = [0.5, 0.5] }>");
    prints("#hybrid<{ fmats=[ell,ell,csr], keep=[0.25] }>",
           "#hybrid<{ fmats = [" ELL ", " ELL ", " CSR
           "], thresholds = [0.5, 0.5], keep = "
           "[0.25, 1] }>");
    prints(
        "#hybrid<{ fmats=[csr,coo], query = n = sum(value) groupBy (r,c)->(r) with "
        "value "
        "gt -3 -> 2 | otherwise -> -1, absolute thresholds=[3] }>",
        "#hybrid<{ fmats = [" CSR ", " COO "], query = n = sum(value) groupBy "
        "(d0,d1)->(d0) with value gt -3 -> 2 | otherwise -> -1, absolute thresholds = "
        "[3] }>");
    prints("#hybrid<{ fmats=[csr,coo], query = #unisparse.sum<>, maximum "
           "thresholds=[1] }>",
           "#hybrid<{ fmats = [" CSR ", " COO
           "], query = sum(value), maximum thresholds = "
           "[1] }>");
}

Test(language_print, distributions)
{
    prints("csr @ rows", CSR " @ rows");
    prints("#csr@nnz", CSR " @ nnz");
    prints("csr @ cost // by what devices take", CSR " @ cost");
    prints("coo@graph", COO " @ graph");
    prints("coo @ blocks<1+1, 3>", COO " @ blocks<2,3>");
    prints("coo @ blocks<ranks/(1*2),2>", COO " @ blocks<ranks/2,2>");
    prints("bdia<3> @ (d0/64 % ranks)", BDIA3 " @ (d0/64%ranks)");
    prints("coo @ ( ( d0 - (d0-2*3) ) * ranks )", COO " @ ((d0-(d0-6))*ranks)");
    prints("#encoding<{ idx_map<(i,j)->(i,j)>, mutation<trim(0,1)> }> @ (d0/(ranks-1))",
           COO " @ (d0/(ranks-1))");
    prints("hybrid<bdia<3> @ rows,csr> @ nnz",
           "#hybrid<{ fmats = [" BDIA3 " @ rows, " CSR
           "], thresholds = [0.5] }> @ nnz");
    prints("#hybrid<{ fmats=[csr @ (ranks - 1), coo @ graph] }>",
           "#hybrid<{ fmats = [" CSR " @ (ranks-1), " COO
           " @ graph], thresholds = [0.5] }>");
    define("#two<f,b> = #hybrid<{ fmats = [f, coo @ (d0/b)] }>  #same<f> = f\n"
           "#of<f> = two<f @ rows, 8>  #b<ranks> = coo<ranks>");
    prints("two<csr @ nnz, 7> @ (d0)", "#hybrid<{ fmats = [" CSR " @ nnz, " COO
                                       " @ (d0/7)], thresholds = [0.5] }> @ (d0)");
    prints("of<csr>", "#hybrid<{ fmats = [" CSR " @ rows, " COO
                      " @ (d0/8)], thresholds = [0.5] }>");
    prints("same<csr @ rows>", CSR " @ rows");
    prints("same<csr> @ rows", CSR " @ rows");
    prints("same<hybrid<csr,coo> @ nnz>",
           "#hybrid<{ fmats = [" CSR ", " COO "], thresholds = [0.5] }> @ nnz");
    prints("b<2> @ (ranks-1)", COO " @ (ranks-1)");
}

/// Write an index map of one level around an expression over (d0,d1), and its print.
static void prints_level(const char *expr, const char *print)
{
    char text[256], expected[256];

    snprintf(text, sizeof text, "#encoding<{ idx_map<(d0,d1)->(d0,d1,%s)> }>", expr);
    snprintf(expected, sizeof expected, "#encoding<{ idx_map<(d0,d1)->(d0,d1,%s)> }>",
             print);
    prints(text, expected);
}

Test(language_print, expressions_keep_their_form)
{
    prints_level("d0/2/3", "d0/2/3");
    prints_level("d0/(2*3)", "d0/6");
    prints_level("(d0/2)/3", "d0/2/3");
    prints_level("d0 - (d1 - 1)", "d0-(d1-1)");
    prints_level("(d0-d1)-1", "d0-d1-1");
    prints_level("d0+(d1+1)", "d0+(d1+1)");
    prints_level("2*3+d0", "6+d0");
    prints_level("d0*-2", "d0*-2");
    prints_level("-(d0*2)", "-(d0*2)");
    prints_level("-d0*2", "-d0*2");
    prints_level("- -d0", "--d0");
    prints_level("d0--2", "d0--2");
    prints_level("(d0+d1)%4", "(d0+d1)%4");
    prints_level("d0+d1%4", "d0+d1%4");
    prints_level("4*(d0/4)", "4*(d0/4)");
    prints_level("d0 floordiv 2 mod 3", "d0/2%3");
    prints_level("d1 minus d0", "d1-d0");
    prints_level("minus d0", "-d0");
    prints_level("d0+(-7)/2", "d0+-4");
    prints_level("d0+(0-7)%2", "d0+1");
}

Test(language_print, other_spellings)
{
    prints("#unisparse.encoding<{ idx_map = #unisparse.map<(i,j)->(i,j)>, mutation = "
           "#unisparse.prim<fuse(0), trim(1,1)> }>",
           CSR);
    prints(
        "#encoding<{ compressMap = #unisparse.compress<fuse(0), trim(1,1)>, crdMap = "
        "#unisparse.crd<(i,j)->(i,j)> }>",
        CSR);
    prints(
        "#encoding<{ crdMap<(i,j)->(indirect(j),i,j)>, compressMap<fuse(0),trim(0,0)>, "
        "indirectFunc = #unisparse.indirect<{ #unisparse.sum<groupBy (i,j)->(i), with "
        "val "
        "ne 0 -> 1 | otherwise -> 0>, #unisparse.enumerate<value, groupBy (i,j)->(i) "
        "traverseBy (i,j)->(j), with val eq 0 -> sumVal | otherwise -> 0> }> }>",
        ELL);
    prints("#encoding<{ idx_map<(d0,d1)->(indirect(d1),d0,d1)>, mutation<merge(0), "
           "trim(0,0)>, indirect<{ sum(val) groupBy (d0,d1)->(d0)\n enumerate(val) "
           "traverseBy "
           "(d0,d1)->(d1) with value eq 0 -> sumVal | otherwise -> 0 groupBy "
           "(d0,d1)->(d0) "
           "}> }>",
           ELL);
    prints("#encoding<{ idx_map<(d[2])->(d[2])>, mutation<merge(0), merge(0..0-1), "
           "trim(1,1)> }>",
           CSR);
    prints("#encoding<{ idx_map<(d[3])->(d[3])>, mutation<trim(2,2), merge(1), "
           "merge(0) > }>",
           "#encoding<{ idx_map<(d0,d1,d2)->(d0,d1,d2)>, mutation<merge(0,1), "
           "trim(2,2)> }>");
}

Test(language_print, layout_and_widths_are_sorted)
{
    prints(
        "#encoding<{ idx_map<(d[4])->(d[4])>, mutation<merge(0), trim(1,3)>, "
        "layout<partition(0), pack(3,4), pack(1,2,novalue)>, bits<idx(2)=8, ptr(1)=64, "
        "idx=16, ptr=32, idx(1)=32> }>",
        "#encoding<{ idx_map<(d0,d1,d2,d3)->(d0,d1,d2,d3)>, mutation<merge(0), "
        "trim(1,3)>, layout<pack(1,2,novalue), pack(3,3), partition(0)>, bits<ptr = "
        "32, "
        "idx = 16, ptr(1) = 64, idx(1) = 32, idx(2) = 8> }>");
}

Test(language_print, types_of_values_stand_last)
{
    static const char *const types[] = {"exact", "iso", "i8",  "i16",   "f16",
                                        "bf16",  "f32", "f64", "dict8", "dict16"};

    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        char text[256], print[256];

        snprintf(text, sizeof text,
                 "#encoding<{ bits<idx=16>, layout<partition(0), pack(1,1,novalue), "
                 "val ( %s )>, idx_map<(i,j)->(i,j)> }>",
                 types[k]);
        snprintf(print, sizeof print,
                 "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, layout<pack(1,1,novalue), "
                 "partition(0), val(%s)>, bits<idx = 16> }>",
                 types[k]);
        prints(text, print);
    }
    prints("#encoding<{ idx_map<(i,j)->(i,j)>, layout<val(i8)> }>",
           "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, layout<val(i8)> }>");
}

/// Each member of a hybrid has a type of its own.
Test(language_print, members_have_types_of_their_own)
{
    define(
        "#mine = #encoding<{ idx_map<(i,j)->(j-i,i)>, mutation<merge(0), trim(0,0)>, "
        "layout<val(i8)> }>\n#rest = #encoding<{ idx_map<(i,j)->(i,j)>, "
        "mutation<trim(0,1)>, layout<val(exact)> }>");
    char *text = canonical("#hybrid<{ fmats = [mine, rest, csr], thresholds = [0.5, "
                           "0] }>");
    const char *const i8 = strstr(text, "layout<val(i8)>");

    cr_expect(i8 && strstr(i8, "layout<val(exact)>"), "%s", text);
    cr_expect_null(strstr(i8 + strlen("layout<val"), "val(i8)"), "%s", text);
    cairn_free(&env, text);
}

/// The queries of an encoding of CSR, whose map does not use them.
static void prints_queries(const char *queries, const char *print)
{
    char text[1024], expected[1024];

    snprintf(text, sizeof text,
             "#encoding<{ idx_map<(i,j)->(i,j)>, indirect<{ %s }> }>", queries);
    snprintf(expected, sizeof expected,
             "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, indirect<{ %s }> }>", print);
    prints(text, expected);
}

Test(language_print, defaults_are_dropped)
{
    prints_queries("sum(value) groupBy (a,b)->() traverseBy (a,b)->(a,b)",
                   "sum(value)");
    prints_queries("sum(value) with value ne 0 -> 2-1 | otherwise -> 1-1",
                   "sum(value)");
    prints_queries("a=sum(value); sum(a) with a ne 0 -> 1 | otherwise -> 0",
                   "a = sum(value); sum(a)");
    prints_queries("a=sum(value) sum(a) with sumVal ne 0 -> 1 | otherwise -> 0",
                   "a = sum(value); sum(a)");
    prints_queries("sum(value) with value ne 0 -> 1 | otherwise -> 1",
                   "sum(value) with value ne 0 -> 1 | otherwise -> 1");
    prints_queries("enum(value) with otherwise -> 0 traverseBy (i,j)->(i,j)",
                   "enum(value)");
    prints_queries("enum(value) distance 3 by (i,j)->()", "enum(value) distance 3");
    prints_queries("enum(value) traverseBy (i,j)->(j,i)",
                   "enum(value) traverseBy (d0,d1)->(d1,d0)");
    prints_queries("sum(value), reorder(sumVal) ascend", "sum(value); reorder(sumVal)");
    prints_queries("sum(value) groupBy (i,j)->(i), schedule(i) traverseBy (i,j)->(i/4)",
                   "sum(value) groupBy (d0,d1)->(d0); schedule(d0) traverseBy "
                   "(d0,d1)->(d0/4)");
    prints_queries("sum(value) groupBy (i,j)->(j), schedule(j) buckets 4 traverseBy "
                   "(i,j)->(j/4)",
                   "sum(value) groupBy (d0,d1)->(d1); schedule(d1) traverseBy "
                   "(d0,d1)->(d1/4) buckets 4");
    prints_queries(
        "sum(value) with value gt 0-9223372036854775807-1 -> - 9223372036854775808 "
        "| otherwise -> 9223372036854775807",
        "sum(value) with value gt -9223372036854775808 -> -9223372036854775808 | "
        "otherwise -> 9223372036854775807");
    prints_queries(
        "enum(value) with value bt 2 -> 1 | val be 1 -> none | otherwise -> 9",
        "enum(value) with value gt 2 -> 1 | value ge 1 -> none | otherwise -> 9");
}

/// Parse and return the encoding; the format must be destroyed.
static const cairn_encoding *parsed(const char *text, cairn_format **format)
{
    *format = NULL;
    cr_assert_eq(cairn_format_parse(&env, NULL, text, "test", format), CAIRN_OK, "%s",
                 env.message);
    return (*format)->member[0];
}

Test(language_print, values_of_an_encoding)
{
    cairn_format         *format;
    const cairn_encoding *e = parsed("cisr<3>", &format);

    cr_expect_eq(e->queries, 2);
    cr_expect_eq(e->query[0].arg, CAIRN_ARG_VALUE);
    cr_expect_not(e->query[0].has_with);
    cr_expect_eq(e->query[0].cases, 1);
    cr_expect_eq(e->query[0].when[0].relation, CAIRN_REL_NE);
    cr_expect_eq(e->query[0].when[0].start.value, 1);
    cr_expect_eq(e->query[1].arg, 0);
    cr_expect_eq(e->query[1].buckets, 3);
    cr_expect_not(e->query[1].shorthand);
    cr_expect_eq(e->partition, 0);
    cr_expect_eq(e->merged, 3);
    cr_expect(cairn_expr_is_indirect(e->map.expr[0]));
    cr_expect_not(cairn_expr_is_indirect(e->map.expr[1]));
    cairn_format_destroy(&format);

    e = parsed("dense<2>", &format);
    cr_expect_not(e->trimmed);
    cr_expect_eq(e->trim_first, 2);
    cr_expect_eq(e->trim_last, -1);
    cr_expect_eq(e->partition, -1);
    cairn_format_destroy(&format);
}

Test(language_print, a_shorthand_gives_the_buckets)
{
    cairn_format         *format;
    const cairn_encoding *e = parsed(CISR("d0", "(d0,d1)->(d0/2)"), &format);

    cr_expect_eq(e->query[1].buckets, 2);
    cr_expect(e->query[1].shorthand);
    cr_expect_eq(e->query[1].arg, 0);
    cairn_format_destroy(&format);
}

Test(language_print, single_pieces)
{
    cairn_format         *format;
    const cairn_encoding *e = parsed("sell<4>", &format);
    char                 *text;

    cr_assert_eq(cairn_expr_print(&env, e->map.expr[2], e->query, &text), CAIRN_OK);
    cr_expect_str_eq(text, "d0%4");
    cairn_free(&env, text);
    cr_assert_eq(cairn_expr_print(&env, e->map.expr[1], e->query, &text), CAIRN_OK);
    cr_expect_str_eq(text, "slot");
    cairn_free(&env, text);
    cr_assert_eq(cairn_query_print(&env, &e->query[0], e->query, &text), CAIRN_OK);
    cr_expect_str_eq(text, "count = sum(value) groupBy (d0,d1)->(d0)");
    cairn_free(&env, text);
    cairn_format_destroy(&format);
    cr_assert_eq(cairn_encoding_print(&env, parsed("csr", &format), &text), CAIRN_OK);
    cr_expect_str_eq(text, CSR);
    cairn_free(&env, text);
    cairn_format_destroy(&format);
}
