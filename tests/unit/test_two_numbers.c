// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Formats whose levels have two numbers of an entry, or one twice. Indices at which they
/// mean two entries are padding: read back, every entry is there once and nothing else.

#include "support/api.h"
#include "support/storage.h"

#include <criterion/parameterized.h>

typedef struct {
    char levels[64], trim[24], queries[400];
} numbered;

#define SLOT                                         \
    "slot = enum(value) groupBy (d0,d1)->(d0) with " \
    "value ne 0 -> 0 | otherwise -> none"
#define OVER                                       \
    "over = enum(value) groupBy (d0,d1)->() with " \
    "value ne 0 -> 0 | otherwise -> none; "
#define BUCKET                                  \
    "load = sum(value) groupBy (d0,d1)->(d0); " \
    "bucket = schedule(load) traverseBy (d0,d1)->(d0) buckets 2; "

#define PLACE "load = sum(value) groupBy (d0,d1)->(d0); place = reorder(load); "
#define PAIRS                                                \
    PLACE "slot = enum(value) groupBy (d0,d1)->(d0/2) with " \
          "value ne 0 -> 0 | otherwise -> none"
#define PLACES                                                  \
    PLACE "slot = enum(value) groupBy (d0,d1)->(place/2) with " \
          "value ne 0 -> 0 | otherwise -> none"

ParameterizedTestParameters(two_numbers, read_back)
{
    static numbered cases[] = {
        {"d0,over,slot,d1",            "merge(0), trim(0,1)", OVER SLOT  },
        {"d0,slot,over,d1",            "merge(0), trim(0,1)", OVER SLOT  },
        {"d0/2,over,slot,d0%2,d1",     "trim(0,1)",           OVER SLOT  },
        {"d0,over/2,over%2,slot,d1",   "trim(0,1)",           OVER SLOT  },
        {"d0,bucket,slot,d1",          "trim(0,0)",           BUCKET SLOT},
        {"bucket,d0/2,slot,d0%2,d1",   "trim(0,2)",           BUCKET SLOT},
        {"d0,slot/2,slot%2,slot%3,d1", "trim(0,1)",           SLOT       },
        {"d0,slot%3,slot/2,slot%2,d1", "trim(0,0)",           SLOT       },
        {"place,slot,d0,d1",           "trim(0,0)",           PAIRS      },
        {"place/2,slot,place%2,d0,d1", "merge(0), trim(0,1)", PAIRS      },
        {"place,slot,d0,d1",           "trim(0,0)",           PLACES     },
        {"place/2,slot,place%2,d0,d1", "merge(0), trim(1,1)", PLACES     },
        {"place/2,slot,place%2,d0,d1", "merge(0), trim(0,1)", PLACE SLOT },
        {"d0,slot,d1",                 "trim(0,0)",           SLOT       },
        {"d0,slot/2,slot%2,d1",        "trim(0,1)",           SLOT       },
    };

    return cr_make_param_array(numbered, cases, sizeof cases / sizeof *cases);
}

ParameterizedTest(numbered *c, two_numbers, read_back)
{
    cairn_context *context;
    cairn_source  *source;
    cairn_format  *format, *coo;
    cairn_tensor  *tensor, *back;
    char           text[600], arrays[400];
    const int64_t  blocks = must_start(&context);

    snprintf(text, sizeof text,
             "#encoding<{ idx_map<(d0,d1)->(%s)>, mutation<%s>, indirect<{ %s }> }>",
             c->levels, c->trim, c->queries);
    MUST(context, cairn_source_from_coords(context, 2, figure_extent, 6, figure_coord,
                                           figure_value, CAIRN_BY_ROWS, &source));
    MUST(context, cairn_format_create(context, text, &format));
    MUST(context, cairn_format_create(context, named("coo"), &coo));
    MUST(context, cairn_tensor_create(source, format, CAIRN_F64, &tensor));
    MUST(context, cairn_tensor_convert(tensor, coo, &back));
    arrays_text(context, back, arrays, sizeof arrays);
    cr_expect_str_eq(arrays, "idx0=[0,1,2,2,2,4] idx1=[0,1,1,2,3,3] val=[1,2,3,4,5,6]",
                     "%s\n%s", text, arrays);
    cairn_tensor_destroy(&back);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&coo);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    must_end(&context, blocks);
}
