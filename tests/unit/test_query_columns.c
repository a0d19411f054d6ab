// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Forms over chunks of elements against the same at one element after the other, with
/// extents beyond 32 bits, remainders of negative numbers, and chunks that are not full.

#include "../support/query_fixture.h"
#include "query/columns.h"

#include <criterion/parameterized.h>

TestSuite(query_columns, .init = up, .fini = down);

enum { ENTRIES = 2 * CAIRN_CHUNK + 77 };

static uint64_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/// Sorted entries over the whole range of both dimensions, some of them neighbours.
static cairn_entries draw_entries(const cairn_shape *shape)
{
    const uint64_t size  = (uint64_t)shape->extent[1];
    uint64_t       state = 5;
    cairn_entries  entries;

    cairn_entries_init(&entries, 2);
    for (int p = 0; p < ENTRIES; p++) {
        const uint64_t    any   = draw(&state) << 31 | draw(&state);
        const cairn_coord at[2] = {
            shape->extent[0] / ENTRIES * (p / 3),
            (cairn_coord)(p % 2 ? size - 1 - any % (size / 9) : any % size)};

        cr_assert_eq(cairn_entries_add(&env, &entries, at, (double)(any % 7)),
                     CAIRN_OK);
    }
    cr_assert_eq(cairn_entries_sort(&env, &entries), CAIRN_OK);
    return entries;
}

/// The map under test is that of the last query, an enum over positions or groups.
static void expect_columns(cairn_query_set *set, int q, const char *text)
{
    const cairn_query_map *map = &set->state[q].traverse;
    const cairn_elements  *all = &set->state[q].elements;
    const int64_t          n   = all->n;
    cairn_reader           reader;
    cairn_element          element;
    const int64_t         *values;
    int64_t                buffer[CAIRN_CHUNK], want;

    for (int f = 0; f < map->count; f++) {
        cairn_reader_init(set, all, map, f, &reader);
        cr_expect(reader.fast, "%s: form %d is read element by element", text, f);
        for (int64_t p = 0; p < n; p += CAIRN_CHUNK) {
            const int chunk = (int)(n - p < CAIRN_CHUNK ? n - p : CAIRN_CHUNK);

            cr_assert_eq(cairn_reader_read(&reader, p, chunk, buffer, &values),
                         CAIRN_OK);
            for (int k = 0; k < chunk; k++) {
                cairn_element_get(set, all, p + k, &element);
                cr_assert_eq(cairn_query_form(set, map, f, &element, &want), CAIRN_OK);
                cr_assert_eq(values[k], want, "%s: form %d at %ld is %ld, not %ld",
                             text, f, (long)(p + k), (long)values[k], (long)want);
            }
        }
    }
}

static struct form_case {
    cairn_coord rows, cols;
    char        over[160]; ///< What the enum runs over: value, or a sum's name.
    char        by[200];   ///< Its traverseBy.
} cases[] = {
    {5000,             7000,             "value", "d1,d0/3,d0/4,d1%7,d1%8,d0*3-2*d1"        },
    {5000,             7000,             "value", "(d1-d0)/3,(d1-d0)/4,(d1-d0)%5,(d1-d0)%16"},
    {5000,             7000,             "value", "count,count*2+1,(3-count)%4,count%3"     },
    {5000,             7000,             "value", "some,some*2+1,some/3,(some+1)%4"         },
    {(int64_t)1 << 40, (int64_t)1 << 41, "value",
     "d0/3,d1/1024,d0%1000003,d1%4096,d1-d0"                                                },
    {(int64_t)1 << 40, (int64_t)1 << 41, "value",
     "d0/8589934592,d1%8589934591,(d1-d0)/7"                                                },
    {(int64_t)1 << 60, (int64_t)1 << 60, "value", "d0/3,d1%3,d1-d0,(d0-d1)%64,-d1/5"        },
    {5000,             7000,             "count", "d0,d0/3,d0%4,d1,count,count/2,3-count"   },
    {5000,             7000,             "block", "d0/5,d0/10,d1/7,block,wide,(3-wide)%3"   },
};

ParameterizedTestParameters(query_columns, agree_with_single_elements)
{
    return cr_make_param_array(struct form_case, cases, sizeof cases / sizeof *cases);
}

ParameterizedTest(struct form_case *c,
                  query_columns,
                  agree_with_single_elements,
                  .init = up,
                  .fini = down)
{
    const cairn_shape shape = {
        2, {c->rows, c->cols}
    };
    const cairn_interval box[2] = {
        {0, c->rows - 1},
        {0, c->cols - 1}
    };
    cairn_entries    entries = draw_entries(&shape);
    cairn_query_set *set     = NULL;
    char             text[1000];
    cairn_format    *format;

    snprintf(text, sizeof text,
             "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, indirect<{"
             "count = sum(value) groupBy (d0,d1)->(d0) with value ne 0 -> 1 | "
             "otherwise -> 0;"
             "block = sum(value) groupBy (d0,d1)->(d0/5,d1/7) with value gt 2 -> 3 | "
             "otherwise -> 0;"
             "wide = sum(block) groupBy (d0,d1)->(d0/5) with block ne 0 -> 1 | "
             "otherwise -> 0;"
             "some = enum(value) groupBy (d0,d1)->(d0) traverseBy (d0,d1)->(d1) "
             "with value gt 3 -> 0 | otherwise -> none;"
             "e = enum(%s) groupBy (d0,d1)->(d0/10) traverseBy (d0,d1)->(%s)"
             " with %s ne 0 -> 0 | otherwise -> none }> }>",
             c->over, c->by, c->over);
    format = parse(text);
    cr_assert_eq(
        cairn_query_run(&env, format->member[0], &shape, box, &entries, NULL, &set),
        CAIRN_OK, "%s: %s", text, env.message);

    expect_columns(set, 4, c->by);

    cairn_query_set_destroy(&env, &set);
    cairn_entries_fini(&env, &entries);
    cairn_format_destroy(&format);
}
