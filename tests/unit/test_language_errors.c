// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What is refused, with the place and the words of each message.

#include "support/language.h"

#include <stdio.h>

TestSuite(language_errors, .init = language_up, .fini = language_down);

/// What stands around the text of the next cases.
static const char *before = "", *after = "";

static void around(const char *first, const char *last)
{
    before = first;
    after  = last;
}

/// @p text is refused with "format: test:" and @p why.
static void wrong(const char *text, const char *why)
{
    char whole[2048], message[CAIRN_MESSAGE];

    snprintf(whole, sizeof whole, "%s%s%s", before, text, after);
    snprintf(message, sizeof message, "format: test:%s", why);
    refuses(whole, message);
}

Test(language_errors, names_and_arguments)
{
    around("", "");
    wrong("", "1:1: expected a format, found the end");
    wrong("bdia", "1:1: bdia needs 1 argument: b, as in 'bdia<2>'");
    wrong("bcsr<2>", "1:1: bcsr needs 2 arguments: r, c, as in 'bcsr<2,2>'");
    wrong("serpens",
          "1:1: serpens needs 1 argument: p (optional: w, d), as in 'serpens<2>'");
    wrong("hybrid", "1:1: hybrid needs 2 arguments: f, g (optional: t, cap), as in "
                    "'hybrid<coo,coo>'");
    wrong("serpens<1,2,3,4>", "1:1: serpens takes at most 3 arguments: p, w, d");
    wrong("csr<3>", "1:1: csr takes no arguments");
    wrong("\n  csrr", "2:3: there is no format called csrr; did you mean csr?");
    wrong("quite-another-name", "1:1: there is no format called quite-another-name");
    wrong("CSR", "1:1: there is no format called CSR");
    wrong("hybrid<csr,3>", "1:12: argument g of hybrid must be a format, not a number");
    wrong("bdia<csr>", "1:6: argument b of bdia must be a number, not a format");
    wrong("#hybrid<{fmats=[hybrid<csr,coo>]}>",
          "1:17: a member must be an encoding, not a hybrid");
    wrong("csr coo", "1:5: expected the end of the format, found 'coo'");
    wrong("bdia<3", "1:7: expected ',' or '>', found the end");
    wrong("bdia<>", "1:6: expected a number or a format, found '>'");
    wrong("bdia<3;>", "1:7: expected ',' or '>', found ';'");
    wrong("3", "1:1: expected a format, found '3'");
    wrong("#", "1:1: expected a format, found '#'");
    wrong("# csr", "1:1: expected a format, found '#'");
    wrong("sum(value)", "1:1: a query is not a format");
    wrong("cs\xc3\xa9r", "1:3: expected the end of the format, found '\\xc3'");
    wrong("csr \x01", "1:5: expected the end of the format, found '\\x01'");
    wrong("bdia<9223372036854775808>", "1:6: a number is beyond 64 bits");
    wrong("bdia<99999999999999999999>", "1:6: a number is beyond 64 bits");
    wrong("bdia<3*9223372036854775807>", "1:7: a constant is beyond 64 bits");
    wrong("bdia<3/(1-1)>", "1:7: a divisor is 0; it must be positive");
    wrong("bdia<3/0.5>", "1:8: expected an integer, found '0.5'");
    wrong("dense<n>", "1:7: there is no format called n");
}

Test(language_errors, distributions)
{
    static const char what[] = "expected rows, nnz, cost, graph, blocks<p,q> or '('";
    char              why[160];

    around("", "");
    snprintf(why, sizeof why, "1:6: %s, found the end", what);
    wrong("csr @", why);
    snprintf(why, sizeof why, "1:7: %s, found 'row'; did you mean rows?", what);
    wrong("csr @ row", why);
    snprintf(why, sizeof why, "1:7: %s, found '#rows'", what);
    wrong("csr @ #rows", why);
    snprintf(why, sizeof why, "2:2: %s, found '2'", what);
    wrong("csr @\n 2", why);
    wrong("csr @ nnz @ rows", "1:11: expected the end of the format, found '@'");
    wrong("csr @ rows, nnz", "1:11: expected the end of the format, found ','");
    wrong("@ rows", "1:1: expected a format, found '@'");
    wrong("csr @ (d0", "1:10: expected ')', found the end");
    wrong("csr @ ()", "1:8: expected an expression, found ')'");
    wrong("csr @ (0.5)", "1:8: expected an integer, found '0.5'");
    wrong("csr @ blocks", "1:13: expected '<', found the end");
    wrong("csr @ blocks<2>", "1:15: expected ',', found '>'");
    wrong("csr @ blocks<2,3,4>", "1:17: expected '>', found ','");
    wrong("csr @ blocks<2,1-1>", "1:17: q of blocks<p,q> is 0; it must be at least 1");
    wrong("csr @ blocks<-2,1>", "1:14: p of blocks<p,q> is -2; it must be at least 1");
    wrong("csr @ blocks<d0,1>", "1:14: d0 is no dimension, parameter or 'ranks'");
    wrong("csr @ (d0/2+d1)",
          "1:13: d1: a rank has whole rows; only d0 and ranks can stand here");
    wrong("csr @ (d2)",
          "1:8: d2 is no dimension, parameter or 'ranks'; did you mean d0?");
    wrong("csr @ (rank)",
          "1:8: rank is no dimension, parameter or 'ranks'; did you mean ranks?");
    wrong("csr @ (d0*d0)", "1:10: one side of '*' must be a constant");
    wrong("csr @ (7%d0)", "1:9: a divisor must be a constant");
    wrong("csr @ (d0/(2-2))", "1:10: a divisor is 0; it must be positive");
    wrong("csr @ (d[2])", "1:8: d[n] stands for a whole list, alone in its brackets");
    wrong("csr @ (indirect(d0))", "1:8: indirect: there is no query in this encoding");
    wrong("coo<ranks>", "1:5: there is no format called ranks");
    wrong("bdia<2 @ rows>", "1:8: expected ',' or '>', found '@'");
    wrong("#hybrid<{fmats=[csr @ rows @ nnz]}>",
          "1:28: expected ',' or ']', found '@'");
    wrong("sum(value) @ nnz", "1:1: a query is not a format");
    wrong("#encoding<{ idx_map<(d0)->(d0/ranks)> }>",
          "1:31: ranks is no dimension, parameter or query");
    define("#same<f> = f  #q = sum(value)  #asks<f> = #hybrid<{fmats=[csr,coo], "
           "query = #f}>");
    wrong("same<csr @ nnz> @ rows", "1:17: the format has a distribution already");
    wrong("asks<q @ nnz>", "1:8: a query has no distribution");
    refuses_library("#mine = csr @ nnz",
                    "format: defs:1:13: a definition has no distribution; it is said "
                    "where the format is used");
}

Test(language_errors, grammar_of_encodings)
{
    around("#encoding<{", "}>");
    wrong("", "1:12: expected idx_map, mutation, indirect, layout or bits, found '}'");
    wrong("layout<pack(0,0)>", "1:1: the encoding has no idx_map");
    wrong("idxmap<(a)->(a)>",
          "1:12: expected idx_map, mutation, indirect, layout or bits, "
          "found 'idxmap'; did you mean idx_map?");
    wrong("idx_map<(a)->(a)>, idx_map<(a)->(a)>", "1:31: idx_map is given twice");
    wrong("idx_map<(a)->(a)>, crdMap<(a)->(a)>", "1:31: idx_map is given twice");
    wrong("idx_map<(a)->(a)>, mutation<trim(0,0)>, mutation<merge(0)>",
          "1:52: mutation is given twice");
    wrong("idx_map<(a)->(a)> mutation<merge(0)>", "1:30: expected ',' or '}', found "
                                                  "'mutation'");
    wrong("idx_map = #unisparse.prim<(a)->(a)>",
          "1:22: expected #unisparse.map, found '#unisparse.prim'");
    wrong("idx_map<(a)>", "1:23: expected '->', found '>'");
    wrong("idx_map<(a)->a>", "1:25: expected '(', found 'a'");
    wrong("idx_map<(a->(a)>", "1:22: expected ',' or ')', found '->'");
    wrong("idx_map<(a)->(a>", "1:27: expected ',' or ')', found '>'");
    wrong("idx_map<(a)->(a,)>", "1:28: expected an expression, found ')'");
    wrong("idx_map<(a)->(a+)>", "1:28: expected an expression, found ')'");
    wrong("idx_map<(mod)->(a)>", "1:21: expected a dimension, found 'mod'");
    wrong("idx_map<(a)->(a)>, mutation<trom(0,0)>",
          "1:40: expected trim or merge, found 'trom'; did you mean trim?");
    wrong("idx_map<(a)->(a)>, mutation<trim(0)>", "1:46: expected ',', found ')'");
    wrong("idx_map<(a)->(a)>, mutation<merge(0...1)>",
          "1:49: expected an expression, found '.'");
    wrong("idx_map<(a)->(a)>, mutation<merge(0.1)>", "1:46: expected an integer, found "
                                                     "'0.1'");
    wrong("idx_map<(a)->(a)>, layout<pak(0,0)>",
          "1:38: expected pack, partition or val, found 'pak'; did you mean pack?");
    wrong("idx_map<(a)->(a)>, layout<pack(0,0,value)>", "1:47: expected novalue, found "
                                                        "'value'");
    wrong("idx_map<(a)->(a)>, layout<val>", "1:41: expected '(', found '>'");
    wrong("idx_map<(a)->(a)>, layout<val()>",
          "1:42: expected exact, iso, i8, i16, f16, bf16, f32, f64, dict8 or dict16, "
          "found ')'");
    wrong("idx_map<(a)->(a)>, layout<val(i9)>",
          "1:42: expected exact, iso, i8, i16, f16, bf16, f32, f64, dict8 or dict16, "
          "found 'i9'; "
          "did you mean i8?");
    wrong("idx_map<(a)->(a)>, layout<val(8)>",
          "1:42: expected exact, iso, i8, i16, f16, bf16, f32, f64, dict8 or dict16, "
          "found '8'");
    wrong("idx_map<(a)->(a)>, layout<val(i8,i16)>", "1:44: expected ')', found ','");
    wrong("idx_map<(a)->(a)>, bits<ptr=12>",
          "1:40: expected 8, 16, 32 or 64, found '12'");
    wrong("idx_map<(a)->(a)>, bits<val=8>", "1:36: expected ptr or idx, found 'val'");
    wrong("idx_map<(a)->(a)>, indirect<{ }>",
          "1:42: expected a query (sum, enum, reorder or schedule), found '}'");
    wrong("idx_map<(a)->(a)>, indirect<{ sum(value); }>",
          "1:54: expected a query (sum, enum, reorder or schedule), found '}'");
    wrong("idx_map<(a)->(a)>, indirect<{ sum }>", "1:46: expected '(', found '}'");
    wrong("idx_map<(a)->(a)>, indirect<{ sum(value) 3 }>",
          "1:53: expected a clause, ';' or '}', found '3'");
    wrong("idx_map<(a)->(a)>, indirect<{ sum(value) groupby (a)->() }>",
          "1:53: expected a query (sum, enum, reorder or schedule), found 'groupby'");
    wrong("idx_map<(a)->(a)>, indirect<{ sum(value) groupBy (a)->() groupBy (a)->() }>",
          "1:69: groupBy is given twice");
    wrong("idx_map<(a)->(a)>, indirect<{ sum(value) with value ne 0 -> 1 otherwise -> "
          "0 }>",
          "1:74: expected '|', found 'otherwise'");
    wrong("idx_map<(a)->(a)>, indirect<{ sum(value) with value is 0 -> 1 | otherwise "
          "-> 0 }>",
          "1:64: expected eq, ne, gt, ge, lt or le, found 'is'");
    wrong("idx_map<(a)->(a)>, indirect<{ sum(value) with otherwise -> | }>",
          "1:71: expected a number, sumVal, the name of a query or none, found '|'");
    wrong("idx_map<(a)->(a)>, indirect<{ with = sum(value) }>",
          "1:42: a query cannot be called with: the word has a meaning");
    wrong("idx_map<(a)->(a)>, indirect<{ d7 = sum(value) }>",
          "1:42: a query cannot be called d7: dimensions are");
    wrong("idx_map<(a)->(a)>, indirect<{ #unisparse.sum<groupBY (a)->()> }>",
          "1:65: expected ',', found '('");
    wrong("idx_map<(a)->(indirect())>, indirect<{ sum(value) }>",
          "1:34: indirect needs an expression in its brackets");
}

Test(language_errors, names_in_maps)
{
    around("#encoding<{ idx_map<", "> }>");
    wrong("()->()", "1:21: idx_map needs at least one dimension and one level");
    wrong("(a)->()", "1:21: idx_map needs at least one dimension and one level");
    wrong("(a,a)->(a)", "1:24: dimension a is also another dimension");
    wrong("(row,column)->(row,colunm)",
          "1:40: colunm is no dimension, parameter or query; did you mean column?");
    wrong("(d[17])->(d0)", "1:24: n of d[n] is 17; it must be within 0..16");
    wrong("(d[0-1])->(d0)", "1:25: n of d[n] is -1; it must be within 0..16");
    wrong("(d[2],a)->(a)", "1:22: d[n] stands for a whole list, alone in its brackets");
    wrong("(d[2])->(d[2],d0)",
          "1:30: d[n] stands for a whole list, alone in its brackets");
    wrong("(d[2])->(d[3])",
          "1:30: d2 is no dimension, parameter or query; did you mean d0?");
    wrong("(a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q)->(a)",
          "1:54: a map has more than 16 dimensions");
    wrong("(a)->(a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a)",
          "1:59: a map has more than 16 expressions");
    wrong("(a,b)->(a*b)", "1:30: one side of '*' must be a constant");
    wrong("(a,b)->(a/b)", "1:30: a divisor must be a constant");
    wrong("(a,b)->(a%0)", "1:30: a divisor is 0; it must be positive");
    wrong("(a,b)->(a/-2)", "1:30: a divisor is -2; it must be positive");
    wrong("(a,b)->(a+9223372036854775807+1*9223372036854775807*2)",
          "1:72: a constant is beyond 64 bits");
    wrong("(a,b)->(indirect(a),a)",
          "1:29: indirect: there is no query in this encoding");
}

Test(language_errors, levels)
{
    around("#encoding<{ idx_map<(a,b)->(a,b)>,     ", " }>");
    wrong("mutation<trim(0,2)>", "1:56: a level is 2; it must be within 0..1");
    wrong("mutation<trim(0-1,1)>", "1:55: a level is -1; it must be within 0..1");
    wrong("mutation<trim(1,0)>",
          "1:49: trim(1,0): the first level comes after the last");
    wrong("mutation<merge(2)>", "1:55: a level is 2; it must be within 0..1");
    wrong("mutation<merge(0..5)>", "1:58: a level is 5; it must be within 0..1");
    wrong("mutation<trim(0,1), trim(0,1)>",
          "1:60: a second trim; an encoding has one range of trimmed levels");
    wrong("mutation<trim(1,1)>", "1:49: trim(1,1) needs merge(0): without it level 0 "
                                 "has one node an entry, and no "
                                 "array could say which");
    wrong("mutation<merge(1), trim(1,1)>", "1:59: trim(1,1) needs merge(0): without it "
                                           "level 0 has one node an entry, and no "
                                           "array could say which");
    wrong("layout<pack(0,3)>", "1:54: a level is 3; it must be within 0..2");
    wrong("layout<pack(1,0)>", "1:47: pack(1,0): the first level comes after the last");
    wrong("layout<pack(0,2,novalue)>",
          "1:47: level 2 is the values, which novalue leaves "
          "out");
    wrong("layout<pack(0,1), pack(1,2)>",
          "1:58: pack(1,1) and pack(0,1) share a level");
    wrong("layout<partition(2)>", "1:57: a level is 2; it must be within 0..1");
    wrong("layout<partition(0), partition(0)>", "1:61: a second partition");
    wrong("layout<val(i8), partition(0)>",
          "1:47: val stands last in a layout, behind pack and partition");
    wrong("layout<val(i8), val(i8)>",
          "1:47: val stands last in a layout, behind pack and partition");
    wrong("mutation<merge(0), trim(1,1)>, layout<partition(1)>",
          "1:78: partition(1) needs levels 0..1 untrimmed, but level 1 is trimmed");
    wrong("bits<ptr(2)=8>", "1:49: a level is 2; it must be within 0..1");
    wrong("bits<ptr=8,ptr=8>", "1:51: a width of ptr is given twice");
    wrong("bits<idx(1)=8,idx(0+1)=8>", "1:54: a width of idx is given twice");
}

Test(language_errors, queries)
{
    around("#encoding<{ idx_map<(a,b)->(a,b)>,    indirect<{ ", " }> }>");
    wrong("reorder(value)",
          "1:50: reorder orders the groups of an earlier query; name one");
    wrong("schedule(value) buckets 2",
          "1:50: schedule hands out the groups of an earlier query; name one");
    wrong("sum(sumVal)", "1:54: sumVal means the last sum before, and there is none");
    wrong("schedule(a) buckets 2",
          "1:59: a means the last sum before, and there is none");
    wrong("sum(load); load = sum(value)",
          "1:54: query load comes later; only earlier ones can be used");
    wrong("x = sum(x)", "1:58: query x comes later; only earlier ones can be used");
    wrong("load = sum(value); sum(laod)",
          "1:73: there is no query laod; did you mean load?");
    wrong("x = sum(value); x = sum(value)", "1:66: query x is defined twice");
    wrong("a = sum(value)", "1:22: dimension a is also a query");
    wrong("x = sum(value); sum(value) groupBy (x,y)->(y)",
          "1:86: dimension x is also a query");
    wrong("x = sum(value); y = sum(value); sum(x,y)",
          "1:88: a query runs over one thing, not over x and y");
    wrong("sum(value) groupBy (a)->(a)",
          "1:69: the map has 1 dimensions, but the tensor has 2");
    wrong("sum(value) groupBy (a,b)->(x); x = sum(value)",
          "1:77: query x comes later; only earlier ones can be used");
    wrong("sum(value) groupBy (a,b)->(indirect(a))",
          "1:77: indirect: there is no query before this one");
    wrong("x = sum(value); sum(value) groupBy (a,b)->(x+a)",
          "1:94: an expression holds either dimensions or one query, not both");
    wrong("x = sum(value); y = sum(value); sum(value) groupBy (a,b)->(x+y)",
          "1:110: an expression holds either dimensions or one query, not two");
    wrong("x = sum(value); sum(value) groupBy (a,b)->(indirect(x))",
          "1:102: x is no dimension, parameter or query");
    wrong("sum(value) distance 3", "1:61: distance belongs to enum, not to sum");
    wrong("enum(value) buckets 3", "1:62: buckets belongs to schedule, not to enum");
    wrong("enum(value) descend", "1:62: descend belongs to reorder, not to enum");
    wrong("x = sum(value); reorder(x) ascend descend",
          "1:84: a reorder cannot both ascend and descend");
    wrong("x = sum(value); reorder(x) with otherwise -> 0",
          "1:77: with belongs to sum and enum, not to reorder");
    wrong("sum(value) with otherwise -> none",
          "1:79: none belongs to enum, not to sum");
    wrong("sum(value) with otherwise -> value",
          "1:79: '->' needs a number, sumVal, the name of a query or none, not value");
    wrong("x = sum(value); sum(x) with value ne 0 -> 1 | otherwise -> 0",
          "1:78: sum runs over the groups of x; a condition asks that, not value");
    wrong("enum(value) distance 0", "1:71: distance is 0; it must be at least 1");
    wrong("x = sum(value); schedule(x) buckets 0",
          "1:86: buckets is 0; it must be at least 1");
    wrong("x = sum(value); schedule(x)",
          "1:66: schedule needs buckets, or one dimension "
          "over a constant in traverseBy");
    wrong(
        "x = sum(value); schedule(x) traverseBy (a,b)->(a/2,b)",
        "1:66: schedule needs buckets, or one dimension over a constant in traverseBy");
    wrong("sum(value) with value ne b -> 1 | otherwise -> 0",
          "1:75: b is not a parameter");
}

Test(language_errors, hybrids)
{
    around("#hybrid<{ ", "}>");
    wrong("", "1:11: expected fmats, found '}'");
    wrong("fmats=[]", "1:18: expected a format, found ']'");
    wrong("fmats=[csr,dense<3>]",
          "1:22: the member has 3 dimensions, but the first has 2");
    wrong("fmats=[csr,#hybrid<{fmats=[csr]}>]",
          "1:22: a hybrid cannot stand here: members are encodings");
    wrong("fmats=[csr,coo], tresholds=[1]",
          "1:28: expected query, thresholds or keep, found 'tresholds'; did you mean "
          "thresholds?");
    wrong("fmats=[csr,coo], keep=[1], thresholds=[1]",
          "1:38: expected '}', found 'thresholds'");
    wrong("fmats=[csr,coo], thresholds=[1], thresholds=[1]",
          "1:44: expected keep, found 'thresholds'");
    wrong(
        "fmats=[csr,coo], thresholds=[1,0]",
        "1:28: wrong number of thresholds: 1 needed, one for each member but the last");
    wrong(
        "fmats=[csr,coo,csr], maximum thresholds=[1]",
        "1:32: wrong number of thresholds: 2 needed, one for each member but the last");
    wrong("fmats=[csr,coo,csr], thresholds=[0.25,0.5]",
          "1:49: thresholds must not ascend: 0.5 comes after 0.25");
    wrong("fmats=[ell,coo], keep=[0]",
          "1:34: keep is 0; it must be above 0 and at most 1");
    wrong("fmats=[ell,coo], keep=[1.5]",
          "1:34: keep is 1.5; it must be above 0 and at most 1");
    wrong("fmats=[csr,ell], keep=[0.5]",
          "1:34: keep is 0.5, but member 1 has no indirect level to cut");
    wrong("fmats=[ell,ell], keep=[1,1]",
          "1:28: too many keeps: at most 1, one for each member but the last");
    wrong("fmats=[csr,coo], query = enum(value)",
          "1:36: a hybrid's query must be a sum");
    wrong("fmats=[csr,coo], query = #csr", "1:36: csr is a format, not a query");
    wrong("fmats=[csr,coo], query = sum(x)", "1:40: there is no query x");
    wrong("fmats=[csr,coo], query = sum(value) groupBy (a)->(a)",
          "1:55: the map has 1 dimensions, but the tensor has 2");
    wrong("fmats=[csr,coo], thresholds=[1.]", "1:41: expected ',' or ']', found '.'");
}

Test(language_errors, definitions)
{
    refuses_library("csr",
                    "format: defs:1:1: expected a definition (#NAME = ...), found "
                    "'csr'");
    refuses_library("#a = csr\n#b = coo #a = coo",
                    "format: defs:2:10: #a is defined twice, first in line 1");
    refuses_library("#a<x,x> = csr", "format: defs:1:6: parameter x is given twice");
    refuses_library("#a<x,> = csr",
                    "format: defs:1:6: expected a parameter, found '>'");
    refuses_library("#a csr", "format: defs:1:4: expected '=', found 'csr'");
    refuses_library(
        "#a<f> = #hybrid<{ fmats = [f, csr], thresholds = [f] }>",
        "format: defs:1:51: parameter f is used as a number and as a format");
    refuses_library(
        "#a<f=1> = #hybrid<{ fmats = [f, csr] }>",
        "format: defs:1:30: parameter f is used as a number and as a format");
    refuses_library(
        "#a<b> = #encoding<{ idx_map<(i)->(i)>, indirect<{ b = sum(value) }> }>",
        "format: defs:1:51: a query cannot be called b: a parameter is");
    refuses_library(
        "#a<sumVal> = csr",
        "format: defs:1:4: a parameter cannot be called sumVal: the word has a "
        "meaning");
    refuses_library("#encoding<{ idx_map<(i)->(i)> }>",
                    "format: defs:1:11: expected a parameter, found '{'");
}

Test(language_errors, uses_of_definitions)
{
    define("#a = b\n#b = c\n#c = a\n#self<f> = self<f>\n#pick<f,g> = f\n#arg = "
           "pick<arg,csr>\n"
           "#num<n> = dense<n>\n#bad<n> = #encoding<{ idx_map<(n)->(n)> }>\n"
           "#q<n> = sum(value) groupBy (i,j)->(i/n)\n#h = #hybrid<{fmats=[csr,coo], "
           "query=#q}>\n#call<f> = #hybrid<{fmats=[f<3>]}>\n"
           "#band<b> = #encoding<{ idx_map<(i,j)->(i/b,i%b,j)> }>");
    refuses("a",
            "format: defs:3:6: a is defined by itself (in c, used at defs:2:6) (in b, "
            "used at defs:1:6) (in a, used at test:1:1)");
    refuses("self<csr>",
            "format: defs:4:12: self is defined by itself (in self, used at test:1:1)");
    refuses("arg",
            "format: defs:6:13: arg is defined by itself (in arg, used at test:1:1)");
    refuses("num<csr>",
            "format: defs:7:17: argument n of dense must be a number, not a "
            "format (in num, used at test:1:1)");
    refuses("bad<3>",
            "format: defs:8:32: dimension n is also a parameter (in bad, used at "
            "test:1:1)");
    refuses("h", "format: defs:10:38: q needs 1 argument: n, as in 'q<2>' (in h, used "
                 "at test:1:1)");
    refuses("q<2>", "format: test:1:1: a query is not a format");
    refuses("call<csr>",
            "format: defs:11:28: f is a parameter; it takes no arguments (in "
            "call, used at test:1:1)");
    refuses("#hybrid<{fmats=[q<2>,csr]}>",
            "format: test:1:17: a member must be an encoding, not a query");
    refuses(
        "band<0>",
        "format: defs:12:41: argument b of band is 0; a divisor must be positive (in "
        "band, used at test:1:1)");
    refuses("band<0.5>",
            "format: defs:12:42: parameter b is 0.5; an integer is needed (in "
            "band, used at test:1:1)");
}
