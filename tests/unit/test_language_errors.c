// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What is refused, with the place and the words of each message.

#include "support/language.h"

#include <stdio.h>

TestSuite(language_errors, .init = language_up, .fini = language_down);

/// A text and what is said about it after "format: test:".
typedef struct {
    const char *text, *why;
} wrong;

static void refuse_all(const wrong *cases, size_t count, const char *before,
                       const char *after)
{
    char text[2048], message[CAIRN_MESSAGE];

    for (size_t k = 0; k < count; k++) {
        snprintf(text, sizeof text, "%s%s%s", before, cases[k].text, after);
        snprintf(message, sizeof message, "format: test:%s", cases[k].why);
        refuses(text, message);
    }
}

#define REFUSE_ALL(cases, before, after) \
    refuse_all(cases, sizeof cases / sizeof cases[0], before, after)

Test(language_errors, names_and_arguments)
{
    static const wrong cases[] = {
        {"", "1:1: expected a format, found the end"},
        {"bdia", "1:1: bdia needs 1 argument: b"},
        {"bcsr<2>", "1:1: bcsr needs 2 arguments: r, c"},
        {"serpens", "1:1: serpens needs 1 argument: p (optional: w, d)"},
        {"serpens<1,2,3,4>", "1:1: serpens takes at most 3 arguments: p, w, d"},
        {"csr<3>", "1:1: csr takes no arguments"},
        {"\n  csrr", "2:3: there is no format called csrr; did you mean csr?"},
        {"quite-another-name", "1:1: there is no format called quite-another-name"},
        {"CSR", "1:1: there is no format called CSR"},
        {"hybrid<csr,3>", "1:12: argument g of hybrid must be a format, not a number"},
        {"bdia<csr>", "1:6: argument b of bdia must be a number, not a format"},
        {"#hybrid<{fmats=[hybrid<csr,coo>]}>",
         "1:17: a member must be an encoding, not a hybrid"},
        {"csr coo", "1:5: expected the end of the format, found 'coo'"},
        {"bdia<3", "1:7: expected ',' or '>', found the end"},
        {"bdia<>", "1:6: expected a number or a format, found '>'"},
        {"bdia<3;>", "1:7: expected ',' or '>', found ';'"},
        {"3", "1:1: expected a format, found '3'"},
        {"#", "1:1: expected a format, found '#'"},
        {"# csr", "1:1: expected a format, found '#'"},
        {"sum(value)", "1:1: a query is not a format"},
        {"cs\xc3\xa9r", "1:3: expected the end of the format, found '\\xc3'"},
        {"csr \x01", "1:5: expected the end of the format, found '\\x01'"},
        {"bdia<9223372036854775808>", "1:6: a number is beyond 64 bits"},
        {"bdia<99999999999999999999>", "1:6: a number is beyond 64 bits"},
        {"bdia<3*9223372036854775807>", "1:7: a constant is beyond 64 bits"},
        {"bdia<3/(1-1)>", "1:7: a divisor is 0; it must be positive"},
        {"bdia<3/0.5>", "1:8: expected an integer, found '0.5'"},
        {"dense<n>", "1:7: there is no format called n"},
    };

    REFUSE_ALL(cases, "", "");
}

Test(language_errors, grammar_of_encodings)
{
    static const wrong cases[] = {
        {"", "1:12: expected idx_map, mutation, indirect, layout or bits, found '}'"},
        {"layout<pack(0,0)>", "1:1: the encoding has no idx_map"},
        {"idxmap<(a)->(a)>", "1:12: expected idx_map, mutation, indirect, layout or bits, "
                             "found 'idxmap'; did you mean idx_map?"},
        {"idx_map<(a)->(a)>, idx_map<(a)->(a)>", "1:31: idx_map is given twice"},
        {"idx_map<(a)->(a)>, crdMap<(a)->(a)>", "1:31: idx_map is given twice"},
        {"idx_map<(a)->(a)>, mutation<trim(0,0)>, mutation<merge(0)>",
         "1:52: mutation is given twice"},
        {"idx_map<(a)->(a)> mutation<merge(0)>", "1:30: expected ',' or '}', found "
                                                 "'mutation'"},
        {"idx_map = #unisparse.prim<(a)->(a)>",
         "1:22: expected #unisparse.map, found '#unisparse.prim'"},
        {"idx_map<(a)>", "1:23: expected '->', found '>'"},
        {"idx_map<(a)->a>", "1:25: expected '(', found 'a'"},
        {"idx_map<(a->(a)>", "1:22: expected ',' or ')', found '->'"},
        {"idx_map<(a)->(a>", "1:27: expected ',' or ')', found '>'"},
        {"idx_map<(a)->(a,)>", "1:28: expected an expression, found ')'"},
        {"idx_map<(a)->(a+)>", "1:28: expected an expression, found ')'"},
        {"idx_map<(mod)->(a)>", "1:21: expected a dimension, found 'mod'"},
        {"idx_map<(a)->(a)>, mutation<trom(0,0)>",
         "1:40: expected trim or merge, found 'trom'; did you mean trim?"},
        {"idx_map<(a)->(a)>, mutation<trim(0)>", "1:46: expected ',', found ')'"},
        {"idx_map<(a)->(a)>, mutation<merge(0...1)>",
         "1:49: expected an expression, found '.'"},
        {"idx_map<(a)->(a)>, mutation<merge(0.1)>", "1:46: expected an integer, found "
                                                    "'0.1'"},
        {"idx_map<(a)->(a)>, layout<pak(0,0)>",
         "1:38: expected pack or partition, found 'pak'; did you mean pack?"},
        {"idx_map<(a)->(a)>, layout<pack(0,0,value)>", "1:47: expected novalue, found "
                                                       "'value'"},
        {"idx_map<(a)->(a)>, bits<ptr=12>", "1:40: expected 8, 16, 32 or 64, found '12'"},
        {"idx_map<(a)->(a)>, bits<val=8>", "1:36: expected ptr or idx, found 'val'"},
        {"idx_map<(a)->(a)>, indirect<{ }>",
         "1:42: expected a query (sum, enum, reorder or schedule), found '}'"},
        {"idx_map<(a)->(a)>, indirect<{ sum(value); }>",
         "1:54: expected a query (sum, enum, reorder or schedule), found '}'"},
        {"idx_map<(a)->(a)>, indirect<{ sum }>", "1:46: expected '(', found '}'"},
        {"idx_map<(a)->(a)>, indirect<{ sum(value) 3 }>",
         "1:53: expected a clause, ';' or '}', found '3'"},
        {"idx_map<(a)->(a)>, indirect<{ sum(value) groupby (a)->() }>",
         "1:53: expected a query (sum, enum, reorder or schedule), found 'groupby'"},
        {"idx_map<(a)->(a)>, indirect<{ sum(value) groupBy (a)->() groupBy (a)->() }>",
         "1:69: groupBy is given twice"},
        {"idx_map<(a)->(a)>, indirect<{ sum(value) with value ne 0 -> 1 otherwise -> 0 }>",
         "1:74: expected '|', found 'otherwise'"},
        {"idx_map<(a)->(a)>, indirect<{ sum(value) with value is 0 -> 1 | otherwise -> 0 }>",
         "1:64: expected eq, ne, gt, ge, lt or le, found 'is'"},
        {"idx_map<(a)->(a)>, indirect<{ sum(value) with otherwise -> | }>",
         "1:71: expected a number, sumVal, the name of a query or none, found '|'"},
        {"idx_map<(a)->(a)>, indirect<{ with = sum(value) }>",
         "1:42: a query cannot be called with: the word has a meaning"},
        {"idx_map<(a)->(a)>, indirect<{ d7 = sum(value) }>",
         "1:42: a query cannot be called d7: dimensions are"},
        {"idx_map<(a)->(a)>, indirect<{ #unisparse.sum<groupBY (a)->()> }>",
         "1:65: expected ',', found '('"},
        {"idx_map<(a)->(indirect())>, indirect<{ sum(value) }>",
         "1:34: indirect needs an expression in its brackets"},
    };

    REFUSE_ALL(cases, "#encoding<{", "}>");
}

Test(language_errors, names_in_maps)
{
    static const wrong cases[] = {
        {"()->()", "1:21: idx_map needs at least one dimension and one level"},
        {"(a)->()", "1:21: idx_map needs at least one dimension and one level"},
        {"(a,a)->(a)", "1:24: dimension a is also another dimension"},
        {"(row,column)->(row,colunm)",
         "1:40: colunm is no dimension, parameter or query; did you mean column?"},
        {"(d[17])->(d0)", "1:24: n of d[n] is 17; it must be within 0..16"},
        {"(d[0-1])->(d0)", "1:25: n of d[n] is -1; it must be within 0..16"},
        {"(d[2],a)->(a)", "1:22: d[n] stands for a whole list, alone in its brackets"},
        {"(d[2])->(d[2],d0)", "1:30: d[n] stands for a whole list, alone in its brackets"},
        {"(d[2])->(d[3])", "1:30: d2 is no dimension, parameter or query; did you mean d0?"},
        {"(a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q)->(a)",
         "1:54: a map has more than 16 dimensions"},
        {"(a)->(a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a)",
         "1:59: a map has more than 16 expressions"},
        {"(a,b)->(a*b)", "1:30: one side of '*' must be a constant"},
        {"(a,b)->(a/b)", "1:30: a divisor must be a constant"},
        {"(a,b)->(a%0)", "1:30: a divisor is 0; it must be positive"},
        {"(a,b)->(a/-2)", "1:30: a divisor is -2; it must be positive"},
        {"(a,b)->(a+9223372036854775807+1*9223372036854775807*2)",
         "1:72: a constant is beyond 64 bits"},
        {"(a,b)->(indirect(a),a)", "1:29: indirect: there is no query in this encoding"},
    };

    REFUSE_ALL(cases, "#encoding<{ idx_map<", "> }>");
}

Test(language_errors, levels)
{
    static const wrong cases[] = {
        {"mutation<trim(0,2)>", "1:56: a level is 2; it must be within 0..1"},
        {"mutation<trim(0-1,1)>", "1:55: a level is -1; it must be within 0..1"},
        {"mutation<trim(1,0)>",
         "1:49: trim(1,0): the first level comes after the last"},
        {"mutation<merge(2)>", "1:55: a level is 2; it must be within 0..1"},
        {"mutation<merge(0..5)>", "1:58: a level is 5; it must be within 0..1"},
        {"mutation<trim(0,1), trim(0,1)>",
         "1:60: a second trim; an encoding has one range of trimmed levels"},
        {"mutation<trim(1,1)>",
         "1:49: trim(1,1) needs merge(0): without it level 0 has one node an entry, and no "
         "array could say which"},
        {"mutation<merge(1), trim(1,1)>",
         "1:59: trim(1,1) needs merge(0): without it level 0 has one node an entry, and no "
         "array could say which"},
        {"layout<pack(0,3)>", "1:54: a level is 3; it must be within 0..2"},
        {"layout<pack(1,0)>", "1:47: pack(1,0): the first level comes after the last"},
        {"layout<pack(0,2,novalue)>", "1:47: level 2 is the values, which novalue leaves "
                                      "out"},
        {"layout<pack(0,1), pack(1,2)>", "1:58: pack(1,1) and pack(0,1) share a level"},
        {"layout<partition(2)>", "1:57: a level is 2; it must be within 0..1"},
        {"layout<partition(0), partition(0)>", "1:61: a second partition"},
        {"mutation<merge(0), trim(1,1)>, layout<partition(1)>",
         "1:78: partition(1) needs levels 0..1 untrimmed, but level 1 is trimmed"},
        {"bits<ptr(2)=8>", "1:49: a level is 2; it must be within 0..1"},
        {"bits<ptr=8,ptr=8>", "1:51: a width of ptr is given twice"},
        {"bits<idx(1)=8,idx(0+1)=8>", "1:54: a width of idx is given twice"},
    };

    REFUSE_ALL(cases, "#encoding<{ idx_map<(a,b)->(a,b)>,     ", " }>");
}

Test(language_errors, queries)
{
    static const wrong cases[] = {
        {"reorder(value)",
         "1:50: reorder orders the groups of an earlier query; name one"},
        {"schedule(value) buckets 2",
         "1:50: schedule hands out the groups of an earlier query; name one"},
        {"sum(sumVal)", "1:54: sumVal means the last sum before, and there is none"},
        {"schedule(a) buckets 2", "1:59: a means the last sum before, and there is none"},
        {"sum(load); load = sum(value)",
         "1:54: query load comes later; only earlier ones can be used"},
        {"x = sum(x)", "1:58: query x comes later; only earlier ones can be used"},
        {"load = sum(value); sum(laod)",
         "1:73: there is no query laod; did you mean load?"},
        {"x = sum(value); x = sum(value)", "1:66: query x is defined twice"},
        {"a = sum(value)", "1:22: dimension a is also a query"},
        {"x = sum(value); sum(value) groupBy (x,y)->(y)",
         "1:86: dimension x is also a query"},
        {"x = sum(value); y = sum(value); sum(x,y)",
         "1:88: a query runs over one thing, not over x and y"},
        {"sum(value) groupBy (a)->(a)",
         "1:69: the map has 1 dimensions, but the tensor has 2"},
        {"sum(value) groupBy (a,b)->(x); x = sum(value)",
         "1:77: query x comes later; only earlier ones can be used"},
        {"sum(value) groupBy (a,b)->(indirect(a))",
         "1:77: indirect: there is no query before this one"},
        {"x = sum(value); sum(value) groupBy (a,b)->(x+a)",
         "1:94: an expression holds either dimensions or one query, not both"},
        {"x = sum(value); y = sum(value); sum(value) groupBy (a,b)->(x+y)",
         "1:110: an expression holds either dimensions or one query, not two"},
        {"x = sum(value); sum(value) groupBy (a,b)->(indirect(x))",
         "1:102: x is no dimension, parameter or query"},
        {"sum(value) distance 3", "1:61: distance belongs to enum, not to sum"},
        {"enum(value) buckets 3", "1:62: buckets belongs to schedule, not to enum"},
        {"enum(value) descend", "1:62: descend belongs to reorder, not to enum"},
        {"x = sum(value); reorder(x) ascend descend",
         "1:84: a reorder cannot both ascend and descend"},
        {"x = sum(value); reorder(x) with otherwise -> 0",
         "1:77: with belongs to sum and enum, not to reorder"},
        {"sum(value) with otherwise -> none",
         "1:79: none belongs to enum, not to sum"},
        {"sum(value) with otherwise -> value",
         "1:79: '->' needs a number, sumVal, the name of a query or none, not value"},
        {"x = sum(value); sum(x) with value ne 0 -> 1 | otherwise -> 0",
         "1:78: sum runs over the groups of x; a condition asks that, not value"},
        {"enum(value) distance 0", "1:71: distance is 0; it must be at least 1"},
        {"x = sum(value); schedule(x) buckets 0",
         "1:86: buckets is 0; it must be at least 1"},
        {"x = sum(value); schedule(x)", "1:66: schedule needs buckets, or one dimension "
                                        "over a constant in traverseBy"},
        {"x = sum(value); schedule(x) traverseBy (a,b)->(a/2,b)",
         "1:66: schedule needs buckets, or one dimension over a constant in traverseBy"},
        {"sum(value) with value ne b -> 1 | otherwise -> 0",
         "1:75: b is not a parameter"},
    };

    REFUSE_ALL(cases, "#encoding<{ idx_map<(a,b)->(a,b)>,    indirect<{ ", " }> }>");
}

Test(language_errors, hybrids)
{
    static const wrong cases[] = {
        {"", "1:11: expected fmats, found '}'"},
        {"fmats=[]", "1:18: expected a format, found ']'"},
        {"fmats=[csr,dense<3>]",
         "1:22: the member has 3 dimensions, but the first has 2"},
        {"fmats=[csr,#hybrid<{fmats=[csr]}>]",
         "1:22: a hybrid cannot stand here: members are encodings"},
        {"fmats=[csr,coo], tresholds=[1]",
         "1:28: expected query, thresholds or keep, found 'tresholds'; did you mean "
         "thresholds?"},
        {"fmats=[csr,coo], keep=[1], thresholds=[1]",
         "1:38: expected '}', found 'thresholds'"},
        {"fmats=[csr,coo], thresholds=[1], thresholds=[1]",
         "1:44: expected keep, found 'thresholds'"},
        {"fmats=[csr,coo], thresholds=[1,0]",
         "1:28: wrong number of thresholds: 1 needed, one for each member but the last"},
        {"fmats=[csr,coo,csr], maximum thresholds=[1]",
         "1:32: wrong number of thresholds: 2 needed, one for each member but the last"},
        {"fmats=[csr,coo,csr], thresholds=[0.25,0.5]",
         "1:49: thresholds must not ascend: 0.5 comes after 0.25"},
        {"fmats=[ell,coo], keep=[0]", "1:34: keep is 0; it must be above 0 and at most 1"},
        {"fmats=[ell,coo], keep=[1.5]",
         "1:34: keep is 1.5; it must be above 0 and at most 1"},
        {"fmats=[csr,ell], keep=[0.5]",
         "1:34: keep is 0.5, but member 1 has no indirect level to cut"},
        {"fmats=[ell,ell], keep=[1,1]",
         "1:28: too many keeps: at most 1, one for each member but the last"},
        {"fmats=[csr,coo], query = enum(value)", "1:36: a hybrid's query must be a sum"},
        {"fmats=[csr,coo], query = #csr", "1:36: csr is a format, not a query"},
        {"fmats=[csr,coo], query = sum(x)", "1:40: there is no query x"},
        {"fmats=[csr,coo], query = sum(value) groupBy (a)->(a)",
         "1:55: the map has 1 dimensions, but the tensor has 2"},
        {"fmats=[csr,coo], thresholds=[1.]", "1:41: expected ',' or ']', found '.'"},
    };

    REFUSE_ALL(cases, "#hybrid<{ ", "}>");
}

Test(language_errors, definitions)
{
    refuses_library("csr", "format: defs:1:1: expected a definition (#NAME = ...), found "
                           "'csr'");
    refuses_library("#a = csr\n#b = coo #a = coo",
                    "format: defs:2:10: #a is defined twice, first in line 1");
    refuses_library("#a<x,x> = csr", "format: defs:1:6: parameter x is given twice");
    refuses_library("#a<x,> = csr", "format: defs:1:6: expected a parameter, found '>'");
    refuses_library("#a csr", "format: defs:1:4: expected '=', found 'csr'");
    refuses_library("#a<f> = #hybrid<{ fmats = [f, csr], thresholds = [f] }>",
                    "format: defs:1:51: parameter f is used as a number and as a format");
    refuses_library("#a<f=1> = #hybrid<{ fmats = [f, csr] }>",
                    "format: defs:1:30: parameter f is used as a number and as a format");
    refuses_library("#a<b> = #encoding<{ idx_map<(i)->(i)>, indirect<{ b = sum(value) }> }>",
                    "format: defs:1:51: a query cannot be called b: a parameter is");
    refuses_library("#a<sumVal> = csr",
                    "format: defs:1:4: a parameter cannot be called sumVal: the word has a "
                    "meaning");
    refuses_library("#encoding<{ idx_map<(i)->(i)> }>",
                    "format: defs:1:11: expected a parameter, found '{'");
}

Test(language_errors, uses_of_definitions)
{
    define("#a = b\n#b = c\n#c = a\n#self<f> = self<f>\n#pick<f,g> = f\n#arg = pick<arg,csr>\n"
           "#num<n> = dense<n>\n#bad<n> = #encoding<{ idx_map<(n)->(n)> }>\n"
           "#q<n> = sum(value) groupBy (i,j)->(i/n)\n#h = #hybrid<{fmats=[csr,coo], "
           "query=#q}>\n#call<f> = #hybrid<{fmats=[f<3>]}>\n"
           "#band<b> = #encoding<{ idx_map<(i,j)->(i/b,i%b,j)> }>");
    refuses("a", "format: defs:3:6: a is defined by itself (in c, used at defs:2:6) (in b, "
                 "used at defs:1:6) (in a, used at test:1:1)");
    refuses("self<csr>",
            "format: defs:4:12: self is defined by itself (in self, used at test:1:1)");
    refuses("arg", "format: defs:6:13: arg is defined by itself (in arg, used at test:1:1)");
    refuses("num<csr>", "format: defs:7:17: argument n of dense must be a number, not a "
                        "format (in num, used at test:1:1)");
    refuses("bad<3>", "format: defs:8:32: dimension n is also a parameter (in bad, used at "
                      "test:1:1)");
    refuses("h", "format: defs:10:38: q needs 1 argument: n (in h, used at test:1:1)");
    refuses("q<2>", "format: test:1:1: a query is not a format");
    refuses("call<csr>", "format: defs:11:28: f is a parameter; it takes no arguments (in "
                         "call, used at test:1:1)");
    refuses("#hybrid<{fmats=[q<2>,csr]}>",
            "format: test:1:17: a member must be an encoding, not a query");
    refuses("band<0>", "format: defs:12:41: a divisor is 0; it must be positive (in band, "
                       "used at test:1:1)");
    refuses("band<0.5>", "format: defs:12:42: parameter b is 0.5; an integer is needed (in "
                         "band, used at test:1:1)");
}
