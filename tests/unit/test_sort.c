// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Orderings and sorted entries, against an insertion sort.

#include "entries/entries.h"
#include "entries/sort_items.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

static cairn_env env;

static void up(void)
{
    cairn_env_init(&env);
}

static void down(void)
{
    cr_expect_eq(env.live_blocks, 0, "%ld blocks leaked", (long)env.live_blocks);
    cairn_env_fini(&env);
}

TestSuite(sort, .init = up, .fini = down, .timeout = 120);

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static int compare_rows(int keys, int64_t *const *key, cairn_pos a, cairn_pos b)
{
    for (int k = 0; k < keys; k++)
        if (key[k][a] != key[k][b]) return key[k][a] < key[k][b] ? -1 : 1;
    return 0;
}

/// Order rows of random keys whose k-th lies within range[k] of offset[k].
static void check_random(cairn_pos n, int keys, const uint64_t *range)
{
    int64_t   *key[4] = {NULL};
    cairn_pos *order  = calloc((size_t)n + 1, sizeof *order);
    bool      *seen   = calloc((size_t)n + 1, sizeof *seen);
    uint64_t   state  = 99 + (uint64_t)n;

    for (int k = 0; k < keys; k++) {
        key[k] = malloc(((size_t)n + 1) * sizeof *key[k]);
        for (cairn_pos p = 0; p < n; p++)
            key[k][p] =
                (int64_t)(range[k] ? next_random(&state) % range[k] - range[k] / 2
                                   : next_random(&state));
    }

    cr_assert_eq(cairn_sort_order(&env, n, keys, (const int64_t *const *)key, order),
                 CAIRN_OK);

    for (cairn_pos p = 0; p < n; p++) {
        cr_assert(order[p] >= 0 && order[p] < n && !seen[order[p]]);
        seen[order[p]] = true;
        if (p == 0) continue;
        const int c = compare_rows(keys, key, order[p - 1], order[p]);

        cr_assert(c < 0 || (c == 0 && order[p - 1] < order[p]), "n %ld position %ld",
                  (long)n, (long)p);
    }
    for (int k = 0; k < keys; k++)
        free(key[k]);
    free(order);
    free(seen);
}

Test(sort, orders_are_stable_permutations_for_any_ranges)
{
    static const struct {
        cairn_pos n;
        int       keys;
        uint64_t  range[4]; /* 0: all 64 bits */
    } cases[] = {
        {0,                            2, {5, 5}                                },
        {1,                            2, {5, 5}                                },
        {2,                            1, {2}                                   },
        {1000,                         1, {1}                                   },
        {1000,                         1, {0}                                   },
        {5000,                         2, {30, 40}                              },
        {5000,                         2, {UINT64_C(3000000000), 7}             },
        {5000,                         2, {0, 0}                                },
        {5000,                         3, {3, 0, 2}                             },
        {5000,                         4, {2, 3, 5, 7}                          },
        {20000,                        2, {UINT64_C(1) << 40, UINT64_C(1) << 40}},
        {20000,                        3, {1, 100000, 1}                        },
        {20000,                        2, {100000, 100000}                      },
 /* around what a handle has room for: few rows, 46 bits, 2^18 rows */
        {24,                           2, {50, 50}                              },
        {25,                           2, {50, 50}                              },
        {3000,                         2, {1 << 23, 1 << 23}                    },
        {3000,                         2, {1 << 23, 1 << 24}                    },
        {3000,                         2, {1 << 24, 1 << 24}                    },
        {70000,                        3, {9, 300, 70000}                       },
        {1 << CAIRN_HANDLE_BITS,       2, {40, 500}                             },
        {(1 << CAIRN_HANDLE_BITS) + 1, 2, {40, 500}                             },
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        check_random(cases[k].n, cases[k].keys, cases[k].range);
}

/// Sort items of random words below 2^bits; a load is where its item stood.
static void check_items(cairn_pos n, int bits, int split, uint64_t common)
{
    cairn_item *items   = calloc((size_t)n, sizeof *items), *given, *sorted;
    cairn_item *scratch = calloc((size_t)n, sizeof *items);
    uint64_t    state   = 77 + (uint64_t)n;

    given = calloc((size_t)n, sizeof *given);
    for (cairn_pos k = 0; k < n; k++)
        given[k] = items[k] =
            (cairn_item){next_random(&state) >> (64 - bits) & ~common, k};
    cr_assert_eq(cairn_sort_many(&env, (int)env.options.threads, n, bits, split, 0,
                                 items, scratch, &sorted),
                 CAIRN_OK);

    cr_assert(sorted == items || sorted == scratch);
    for (cairn_pos k = 0; k < n; k++) {
        const cairn_item *const s = &sorted[k];

        cr_assert(s->load >= 0 && s->load < n && given[s->load].word == s->word);
        if (k > 0)
            cr_assert(s[-1].word < s->word
                          || (s[-1].word == s->word && s[-1].load < s->load),
                      "n %ld bits %d item %ld", (long)n, bits, (long)k);
    }
    free(items);
    free(scratch);
    free(given);
}

Test(sort, items_are_sorted_stably_around_every_boundary)
{
    static const cairn_pos n[]     = {1,    2,    24,    25,    50,    100,   1000,
                                      8192, 8193, 32767, 32768, 32769, 150000};
    static const int       bits[]  = {1,  5,  14, 15, 16, 17, 32, 33,
                                      36, 37, 40, 46, 48, 49, 63, 64};
    static const int       split[] = {0, 1, 20, 40, 63};

    for (size_t k = 0; k < sizeof n / sizeof *n; k++)
        for (size_t b = 0; b < sizeof bits / sizeof *bits; b++)
            for (size_t c = 0; c < sizeof split / sizeof *split; c++)
                check_items(n[k], bits[b], split[c], 0);
    for (int threads = 1; threads <= 7; threads += 3) {
        env.options.threads = threads;
        check_items(50000, 63, 31, UINT64_C(0xff0f0000ffff0000));
        check_items(50000, 40, 20, UINT64_MAX);
        check_items(450000, 63, 31, UINT64_C(0xff0f0000ffff0000));
        check_items(450000, 40, 20, UINT64_MAX);
        check_items(450000, 3, 1, 0);
        check_items(450000, 64, 0, 0);
        check_items(450000, 45, 20, 0);
        check_items(262144, 40, 20, 0);
        check_items(262145, 40, 20, 0);
        /* two wide digits, of which all items share the upper, the lower, both */
        check_items(40000, 28, 14, UINT64_C(0x3fff) << 14);
        check_items(40000, 28, 14, UINT64_C(0x3fff));
        check_items(40000, 28, 14, UINT64_MAX);
        check_items(40000, 36, 14, UINT64_C(0xfff) << 12); /* the middle one of three */
    }
}

/// Fields of words, the lowest first, and how they come.
enum { RANDOM, ASCENDING, RUNS, TWO };

typedef struct {
    int fields, bits[4], how[4];
} word_order;

static uint64_t
field_of(const word_order *o, int f, cairn_pos k, cairn_pos n, uint64_t r)
{
    const uint64_t size = UINT64_C(1) << o->bits[f];

    if (o->how[f] == ASCENDING) return (uint64_t)k * size / (uint64_t)n;
    if (o->how[f] == RUNS) return (uint64_t)(k % 1000) * size / 1000;
    if (o->how[f] == TWO) return r % 2 * (size - 1);
    return r % size;
}

/// Sort words of fields but for the lowest @p settled, and hold the result against what
/// stability and order say.
static void check_fields(cairn_pos n, const word_order *o, int settled)
{
    cairn_item *items   = calloc((size_t)n, sizeof *items), *given, *sorted;
    cairn_item *scratch = calloc((size_t)n, sizeof *items);
    int64_t     begin[4];
    uint64_t    state = 5 + (uint64_t)n;
    int         bits  = 0, low;

    given = calloc((size_t)n, sizeof *given);
    for (int f = 0; f < o->fields; bits += o->bits[f++])
        begin[f] = bits;
    for (cairn_pos k = 0; k < n; k++) {
        items[k].load = k;
        for (int f = 0; f < o->fields; f++)
            items[k].word |= field_of(o, f, k, n, next_random(&state) >> 7) << begin[f];
        given[k] = items[k];
    }
    low = settled < o->fields ? (int)begin[settled] : bits;
    cr_assert_eq(cairn_sort_fields(&env, (int)env.options.threads, n, bits, o->fields,
                                   begin, (int)begin[o->fields / 2], low, items,
                                   scratch, &sorted),
                 CAIRN_OK);
    for (cairn_pos k = 0; k < n; k++) {
        const cairn_item *const s = &sorted[k];

        cr_assert(s->load >= 0 && s->load < n && given[s->load].word == s->word);
        given[s->load].load = -1; /* it is there once */
        if (k > 0)
            cr_assert(s[-1].word >> low < s->word >> low
                          || (s[-1].word >> low == s->word >> low
                              && (s[-1].load < s->load || s[-1].word < s->word)),
                      "n %ld bits %d low %d item %ld", (long)n, bits, low, (long)k);
    }
    for (cairn_pos k = 0; k < n; k++)
        cr_assert_eq(given[k].load, -1);
    free(items);
    free(scratch);
    free(given);
}

Test(sort, fields_that_ascend_are_used_and_order_is_as_ever)
{
    static const cairn_pos  n[]      = {1, 2, 30, 1000, 40000, 120000, 300000};
    static const word_order orders[] = {
        {3, {17, 4, 12},  {ASCENDING, RANDOM, RANDOM}      },
        {3, {12, 4, 17},  {RANDOM, RANDOM, ASCENDING}      },
        {3, {12, 4, 3},   {RANDOM, RANDOM, ASCENDING}      },
        {3, {17, 4, 17},  {ASCENDING, RANDOM, ASCENDING}   },
        {4, {9, 9, 9, 9}, {RANDOM, RUNS, ASCENDING, RANDOM}},
        {4, {9, 9, 9, 9}, {RUNS, RANDOM, ASCENDING, RUNS}  },
        {3, {40, 4, 17},  {RANDOM, ASCENDING, RANDOM}      },
        {3, {3, 4, 12},   {RANDOM, RANDOM, ASCENDING}      }, /* short runs, words */
        {3, {2, 1, 14},   {RANDOM, RANDOM, ASCENDING}      }, /* that are there twice, */
        {3, {13, 15, 14}, {RANDOM, RANDOM, ASCENDING}      }, /* of 31 bits and some */
        {3, {13, 17, 14}, {RANDOM, RANDOM, ASCENDING}      }, /* with no room for where */
        {3, {1, 28, 12},  {RANDOM, TWO, ASCENDING}         }, /* they stand, also so */
        {3, {1, 21, 41},  {ASCENDING, RANDOM, RUNS}        },
        {2, {20, 0},      {ASCENDING, RANDOM}              },
        {1, {30},         {RANDOM}                         },
    };

    for (int threads = 1; threads <= 4; threads += 3) {
        env.options.threads = threads;
        for (size_t k = 0; k < sizeof n / sizeof *n; k++)
            for (size_t o = 0; o < sizeof orders / sizeof *orders; o++)
                for (int settled = 0; settled <= orders[o].fields; settled++)
                    check_fields(n[k], &orders[o], settled);
    }
}

Test(sort, many_items_are_as_they_were_when_memory_is_short)
{
    enum { MANY = 250000 };
    cairn_item *const items = calloc(2 * MANY, sizeof *items);
    cairn_item       *sorted;

    for (cairn_pos k = 0; k < MANY; k++)
        items[k].word = (uint64_t)(MANY - k);
    env.allowed = 0;
    cr_assert_eq(cairn_sort_many(&env, 2, MANY, 63, 0, 0, items, items + MANY, &sorted),
                 CAIRN_NO_MEMORY);
    env.allowed = -1;
    for (cairn_pos k = 0; k < MANY; k++)
        cr_assert_eq(items[k].word, (uint64_t)(MANY - k));
    free(items);
}

Test(sort, extreme_keys_do_not_overflow)
{
    const int64_t        key[]  = {INT64_MAX, INT64_MIN, 0, -1, INT64_MIN, 1};
    const int64_t *const keys[] = {key};
    cairn_pos            order[6];

    cr_assert_eq(cairn_sort_order(&env, 6, 1, keys, order), CAIRN_OK);
    cr_assert_arr_eq(order, ((cairn_pos[]){1, 4, 3, 2, 5, 0}), sizeof order);
}

static void add(cairn_entries *entries, cairn_coord i, cairn_coord j, double value)
{
    cr_assert_eq(cairn_entries_add(&env, entries, (cairn_coord[]){i, j}, value),
                 CAIRN_OK);
}

Test(sort, duplicates_are_added_in_the_order_given)
{
    cairn_entries entries;

    cairn_entries_init(&entries, 2);
    add(&entries, 1, 1, 1e100);
    add(&entries, 0, 2, 5.0);
    add(&entries, 1, 1, 1.0);
    add(&entries, 1, 1, -1e100);
    add(&entries, 1, 0, 0.0);
    cr_assert_eq(cairn_entries_sort(&env, &entries), CAIRN_OK);

    cr_assert_eq(entries.n, 3);
    cr_expect(entries.coord[0][0] == 0 && entries.coord[1][0] == 2);
    cr_expect(entries.coord[0][1] == 1 && entries.coord[1][1] == 0);
    cr_expect(entries.coord[0][2] == 1 && entries.coord[1][2] == 1);
    cr_expect_eq(entries.value[0], 5.0);
    cr_expect_eq(entries.value[1], 0.0, "explicit zeros stay");
    cr_expect_eq(entries.value[2], 0.0, "(1e100 + 1) - 1e100 in this order");
    cairn_entries_fini(&env, &entries);
}

Test(sort, duplicates_of_sorted_entries_are_added_too)
{
    cairn_entries entries;

    cairn_entries_init(&entries, 2);
    for (int p = 0; p < 6; p++)
        add(&entries, p / 4, p / 2, 1.0);
    cr_assert_eq(cairn_entries_sort(&env, &entries), CAIRN_OK);
    cr_assert_eq(entries.n, 3);
    for (int p = 0; p < 3; p++)
        cr_expect_eq(entries.value[p], 2.0);
    cairn_entries_fini(&env, &entries);
}

/// One entry to be sorted, and its place in the order given.
typedef struct {
    cairn_coord coord[3];
    double      value;
    cairn_pos   place;
} row_entry;

/// For qsort, which is not stable: places decide what coordinates leave open.
static int compare_entries(const void *left, const void *right)
{
    const row_entry *a = left, *b = right;

    for (int k = 0; k < 3; k++)
        if (a->coord[k] != b->coord[k]) return a->coord[k] < b->coord[k] ? -1 : 1;
    return a->place < b->place ? -1 : 1;
}

static int compare_by_columns(const void *left, const void *right)
{
    const row_entry *a = left, *b = right;

    if (a->coord[1] != b->coord[1]) return a->coord[1] < b->coord[1] ? -1 : 1;
    if (a->coord[0] != b->coord[0]) return a->coord[0] < b->coord[0] ? -1 : 1;
    return a->place < b->place ? -1 : 1;
}

static bool same_coords(const row_entry *a, const row_entry *b)
{
    return a->coord[0] == b->coord[0] && a->coord[1] == b->coord[1]
           && a->coord[2] == b->coord[2];
}

/// Sort @p n rows by qsort and add duplicates one by one.
/// @param[out] rows  To be freed.
/// @return How many are left.
static cairn_pos expect_rows(cairn_pos n, const row_entry *given, row_entry **rows)
{
    row_entry *expected = malloc((size_t)n * sizeof *expected);
    cairn_pos  last     = 0;

    memcpy(expected, given, (size_t)n * sizeof *expected);
    qsort(expected, (size_t)n, sizeof *expected, compare_entries);
    for (cairn_pos p = 1; p < n; p++) {
        if (same_coords(&expected[last], &expected[p]))
            expected[last].value += expected[p].value;
        else
            expected[++last] = expected[p];
    }
    *rows = expected;
    return last + 1;
}

static void
check_rows(const cairn_entries *entries, cairn_pos n, const row_entry *expected)
{
    cr_assert_eq(entries->n, n);
    for (cairn_pos p = 0; p < n; p++) {
        for (int k = 0; k < entries->order; k++)
            cr_assert_eq(entries->coord[k][p], expected[p].coord[k], "entry %ld",
                         (long)p);
        cr_assert(memcmp(&entries->value[p], &expected[p].value, 8) == 0,
                  "entry %ld: %a, not %a", (long)p, entries->value[p],
                  expected[p].value);
    }
}

/// Rows as interleaved coordinates; to be freed.
static void flatten(cairn_pos        n,
                    int              order,
                    const row_entry *rows,
                    cairn_coord    **coord,
                    double         **value)
{
    *coord = malloc((size_t)(n * order) * sizeof **coord);
    *value = malloc((size_t)n * sizeof **value);
    for (cairn_pos p = 0; p < n; p++) {
        for (int k = 0; k < order; k++)
            (*coord)[p * order + k] = rows[p].coord[k];
        (*value)[p] = rows[p].value;
    }
}

static cairn_given
describe(cairn_pos n, int order, const cairn_coord *coord, const double *value)
{
    cairn_given given = {.order      = order,
                         .n          = n,
                         .stride     = order * (int64_t)sizeof *coord,
                         .bits       = 64,
                         .value      = value,
                         .apart      = sizeof *value,
                         .value_bits = 64};

    for (int k = 0; k < order; k++)
        given.coord[k] = coord + k;
    return given;
}

/// Take rows out of one array: within the extents, within ones that say little, with none.
static void check_taken(cairn_pos        n,
                        int              order,
                        const uint64_t  *extent,
                        const row_entry *rows,
                        cairn_pos        left,
                        const row_entry *expected)
{
    cairn_coord  *coord, tight[3], wide[3];
    double       *value;
    cairn_entries entries;

    flatten(n, order, rows, &coord, &value);
    for (int k = 0; k < order; k++) {
        tight[k] = (cairn_coord)extent[k];
        wide[k]  = INT64_C(1) << (k == 0 ? 38 : order == 3 ? 12 : 24);
        if (wide[k] < tight[k]) wide[k] = INT64_MAX / 4;
    }
    const cairn_coord *const extents[] = {tight, wide, NULL};

    for (int e = 0; e < 3; e++) {
        cairn_given given = describe(n, order, coord, value);

        given.extent = extents[e];
        cairn_entries_init(&entries, order);
        cr_assert_eq(cairn_entries_take(&env, &given, &entries), CAIRN_OK, "%s",
                     env.message);
        check_rows(&entries, left, expected);
        cairn_entries_fini(&env, &entries);
    }
    free(coord);
    free(value);
}

/// Sort @p n entries, with one thread and with three, and compare with sorting and adding
/// them one by one.
static void
check_entries(cairn_pos n, int order, const uint64_t *extent, const row_entry *given)
{
    row_entry      *expected;
    const cairn_pos left = expect_rows(n, given, &expected);
    cairn_entries   entries;

    for (int threads = 1; threads <= 3; threads += 2) {
        env.options.threads = threads;
        cairn_entries_init(&entries, order);
        for (cairn_pos p = 0; p < n; p++)
            cr_assert_eq(
                cairn_entries_add(&env, &entries, given[p].coord, given[p].value),
                CAIRN_OK);
        cr_assert_eq(cairn_entries_sort(&env, &entries), CAIRN_OK, "%s", env.message);
        check_rows(&entries, left, expected);
        cairn_entries_fini(&env, &entries);
        check_taken(n, order, extent, given, left, expected);
    }
    free(expected);
}

Test(sort, coordinates_in_arrays_of_their_own_are_taken)
{
    enum { N = 500 };
    static const cairn_coord extent[2] = {N, N};
    cairn_coord              i[N], j[N];
    cairn_given              given = {
                     .order = 2, .n = N, .coord = {i, j},
                             .stride = 8, .bits = 64, .extent = extent
    };
    cairn_entries entries;

    for (int p = 0; p < N; p++) { /* entry (d, d*7%N) twice, the last first */
        i[p] = (N - 1 - p) / 2;
        j[p] = i[p] * 7 % N;
    }
    cairn_entries_init(&entries, 2);

    cr_assert_eq(cairn_entries_take(&env, &given, &entries), CAIRN_OK);

    cr_assert_eq(entries.n, N / 2);
    for (int p = 0; p < N / 2; p++)
        cr_assert(entries.coord[0][p] == p && entries.coord[1][p] == p * 7 % N
                  && entries.value[p] == 2);
    cairn_entries_fini(&env, &entries);
}

/// How random coordinates lie within their extents.
enum { EVENLY, BY_COLUMNS, BY_ROWS, CROWDED };

Test(sort, random_entries_are_sorted_and_added_as_one_by_one)
{
    static const struct {
        cairn_pos n;
        int       order, how;
        uint64_t  extent[3];
    } cases[] = {
        {2,      2, EVENLY,     {2, 2}                                    },
        {500,    2, EVENLY,     {20, 30}                                  },
        {500,    2, BY_COLUMNS, {20, 30}                                  },
        {500,    2, BY_COLUMNS, {UINT64_C(1) << 40, 30}                   },
        {60000,  2, EVENLY,     {1000, 100}                               },
        {60000,  2, BY_COLUMNS, {1000, 100}                               },
        {60000,  2, BY_COLUMNS, {30000, 30000}                            },
        {200000, 2, EVENLY,     {40000, 40000}                            },
        {200000, 2, BY_COLUMNS, {40000, 40000}                            },
        {200000, 2, CROWDED,    {UINT64_C(1) << 30, UINT64_C(1) << 30}    },
        {200000, 2, EVENLY,     {UINT64_C(1) << 31, UINT64_C(1) << 32}    },
        {20000,  2, EVENLY,     {UINT64_C(1) << 60, UINT64_C(1) << 60}    },
        {20000,  1, EVENLY,     {3000}                                    },
        {20000,  1, EVENLY,     {UINT64_C(1) << 61}                       },
        {60000,  3, EVENLY,     {30, 40, 20}                              },
        {60000,  3, EVENLY,     {1, 1000, 1000}                           },
        {60000,  3, EVENLY,     {UINT64_C(1) << 30, 50, UINT64_C(1) << 50}},
        {500,    2, BY_ROWS,    {20, 30}                                  },
        {20,     2, EVENLY,     {1, 1}                                    },
        {8193,   2, EVENLY,     {3, 3}                                    },
        {40000,  1, EVENLY,     {1}                                       },
        {40000,  2, EVENLY,     {1, UINT64_C(1) << 40}                    },
        {300000, 2, EVENLY,     {1, UINT64_C(1) << 40}                    },
        {300000, 2, EVENLY,     {500, 500}                                },
        {300000, 2, BY_COLUMNS, {5000, 500}                               },
        {300000, 3, CROWDED,    {5000, 5000, 5000}                        },
        {450000, 2, EVENLY,     {7000, 300000}                            },
        {450000, 2, CROWDED,    {UINT64_C(1) << 31, UINT64_C(1) << 31}    },
    };
    uint64_t state = 4711;

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const cairn_pos n     = cases[c].n;
        row_entry      *given = calloc((size_t)n, sizeof *given);

        for (cairn_pos p = 0; p < n; p++) {
            for (int k = 0; k < cases[c].order; k++) {
                given[p].coord[k] =
                    (cairn_coord)(next_random(&state) % cases[c].extent[k]);
                if (cases[c].how == CROWDED && p > n / 100) given[p].coord[k] %= 300;
            }
            given[p].value = (double)(int64_t)next_random(&state) / 3e9;
            given[p].place = p;
        }
        if (cases[c].how == BY_COLUMNS)
            qsort(given, (size_t)n, sizeof *given, compare_by_columns);
        if (cases[c].how == BY_ROWS)
            qsort(given, (size_t)n, sizeof *given, compare_entries);
        check_entries(n, cases[c].order, cases[c].extent, given);
        free(given);
    }
}

Test(sort, what_lies_outside_is_told_and_nothing_taken)
{
    enum { N = 250000, BAD = N - 3 };
    const cairn_coord  extent[] = {1000, 2000};
    cairn_coord *const coord    = malloc(sizeof *coord * 2 * N);
    cairn_given        given    = describe(N, 2, coord, NULL);
    cairn_entries      entries;
    uint64_t           state = 5;

    given.extent = extent;
    for (int ordered = 0; ordered < 2; ordered++)
        for (int bad = 0; bad < 4; bad++) {
            for (cairn_pos p = 0; p < N; p++) {
                coord[2 * p] =
                    ordered ? p / 2000 : (cairn_coord)(next_random(&state) % 1000);
                coord[2 * p + 1] =
                    ordered ? p % 2000 : (cairn_coord)(next_random(&state) % 2000);
            }
            coord[2 * BAD + bad / 2] = bad % 2 ? -1 : extent[bad / 2];
            env.options.threads      = 1 + bad;
            cairn_entries_init(&entries, 2);
            cr_assert_eq(cairn_entries_take(&env, &given, &entries), CAIRN_BAD_COORD);
            cr_assert_eq(entries.n, 0);
            cr_assert(strstr(env.message,
                             bad / 2 ? "entry 249997: d1 = " : "entry 249997: d0 = "),
                      "%s", env.message);
            cr_assert_eq(cairn_entries_copy(&env, &given, &entries), CAIRN_BAD_COORD);
            cr_assert_eq(entries.n, 0);
            cairn_entries_fini(&env, &entries);
        }
    free(coord);
}

/// Take entries of every kind with the @p allowed-th allocation failing.
static cairn_status take_short_of_memory(int kind, int64_t allowed)
{
    cairn_coord   coord[120];
    cairn_entries entries;

    for (cairn_coord p = 0; p < 60; p++) {
        coord[2 * p]     = kind == 0 ? p : kind == 1 ? p % 7 : 60 - p;
        coord[2 * p + 1] = kind == 1 ? p / 7 : kind == 3 ? (p % 7) << 60 : p % 7;
    }
    const cairn_given given = describe(60, 2, coord, NULL);

    cairn_entries_init(&entries, 2);
    env.allowed               = allowed;
    const cairn_status status = cairn_entries_take(&env, &given, &entries);

    env.allowed = -1;
    cr_assert_eq(entries.n, status == CAIRN_OK ? 60 : 0);
    cairn_entries_fini(&env, &entries);
    return status;
}

Test(sort, taking_survives_every_failed_allocation)
{
    for (int kind = 0; kind < 4; kind++) {
        int64_t allowed = 0;

        while (take_short_of_memory(kind, allowed) != CAIRN_OK) {
            cr_assert_eq(env.live_blocks, 0, "kind %d", kind);
            cr_assert_lt(++allowed, 20);
        }
        cr_assert_geq(allowed, kind == 0 ? 3 : 5, "kind %d", kind);
    }
}

/// Entries of every way to sort, with the @p allowed-th allocation failing: what could
/// not be sorted is as it was.
static cairn_status sort_short_of_memory(int way, int64_t allowed)
{
    const cairn_coord far = way == 2 ? INT64_C(1) << 60 : 1;
    cairn_entries     entries;

    cairn_entries_init(&entries, 2);
    for (cairn_coord p = 0; p < 60; p++) {
        const cairn_coord shuffled[] = {60 - p, p % 7 * far},
                          columns[]  = {p % 7, p / 7};

        cr_assert_eq(
            cairn_entries_add(&env, &entries, way == 1 ? columns : shuffled, (double)p),
            CAIRN_OK);
    }
    env.allowed               = allowed;
    const cairn_status status = cairn_entries_sort(&env, &entries);

    env.allowed = -1;
    for (cairn_pos p = 0; p < 60 && status != CAIRN_OK; p++)
        cr_assert_eq(entries.value[p], (double)p);
    cr_assert_eq(entries.n, 60);
    cairn_entries_fini(&env, &entries);
    return status;
}

Test(sort, entries_are_unchanged_when_memory_is_short)
{
    for (int way = 0; way < 3; way++) {
        int64_t allowed = 0;

        while (sort_short_of_memory(way, allowed) != CAIRN_OK)
            cr_assert_lt(++allowed, 10);
        cr_assert_geq(allowed, 2, "way %d", way);
        cr_assert_eq(env.live_blocks, 0);
    }
}

/// Two entries swapped, or equal, where the pieces that threads look at may meet.
Test(sort, threads_see_all_that_is_out_of_order)
{
    enum { N = 400000, NEAR = 1 << 17 };

    for (cairn_pos at = NEAR - 2; at < N; at += at % NEAR == 3 ? NEAR - 5 : 1) {
        const bool    swapped = at % 2;
        cairn_entries entries;

        cairn_entries_init(&entries, 2);
        cr_assert_eq(cairn_entries_reserve(&env, &entries, N), CAIRN_OK);
        for (cairn_pos p = 0; p < N; p++) {
            const cairn_pos from =
                p + (swapped ? (p == at) - (p == at + 1) : -(p == at));

            entries.coord[0][p] = from / 7;
            entries.coord[1][p] = from % 7;
            entries.value[p]    = (double)from;
        }
        entries.n           = N;
        env.options.threads = 4;
        cr_assert_eq(cairn_entries_sort(&env, &entries), CAIRN_OK);
        cr_assert_eq(entries.n, swapped ? N : N - 1, "%ld", (long)at);
        for (cairn_pos p = 1; p < entries.n; p++)
            cr_assert_lt(7 * entries.coord[0][p - 1] + entries.coord[1][p - 1],
                         7 * entries.coord[0][p] + entries.coord[1][p], "%ld: %ld",
                         (long)at, (long)p);
        cairn_entries_fini(&env, &entries);
    }
}

Test(sort, no_entries_are_sorted)
{
    cairn_entries entries;

    cairn_entries_init(&entries, 3);
    cr_assert_eq(cairn_entries_sort(&env, &entries), CAIRN_OK);
    cr_assert_eq(
        cairn_entries_take(&env, &(cairn_given){.order = 3, .stride = 24, .bits = 64},
                           &entries),
        CAIRN_OK);
    cr_assert_eq(cairn_entries_permute(&env, &entries, NULL), CAIRN_OK);
    cr_assert_eq(entries.n, 0);
    cairn_entries_fini(&env, &entries);
}

Test(sort, entries_beyond_the_memory_limit_are_refused)
{
    cairn_entries entries;
    cairn_pos     n = 0;

    cairn_entries_init(&entries, 2);
    env.memory_limit = 1000 * cairn_entry_bytes(2);
    cr_assert_eq(cairn_entries_reserve(&env, &entries, 1001), CAIRN_NO_MEMORY);
    cr_assert_eq(cairn_entries_reserve(&env, &entries, INT64_MAX), CAIRN_NO_MEMORY);
    cr_assert_eq(env.live_blocks, 0);
    while (cairn_entries_add(&env, &entries, (cairn_coord[]){n, n}, 1.0) == CAIRN_OK)
        n++;
    cr_assert_eq(n, 1000, "growing uses the whole limit");
    cr_assert_eq(entries.n, 1000);
    cairn_entries_fini(&env, &entries);
}

/// Build and sort three entries with the @p allowed-th allocation failing.
static cairn_status build_and_sort(int64_t allowed)
{
    cairn_entries entries;
    cairn_status  status = CAIRN_OK;

    cairn_entries_init(&entries, 2);
    env.allowed = allowed;
    for (int p = 0; p < 3 && status == CAIRN_OK; p++)
        status = cairn_entries_add(&env, &entries, (cairn_coord[]){3 - p, p}, 1.0);
    if (status == CAIRN_OK) status = cairn_entries_sort(&env, &entries);
    env.allowed = -1;
    cairn_entries_fini(&env, &entries);
    return status;
}

Test(sort, survives_every_failed_allocation)
{
    int64_t allowed = 0;

    while (build_and_sort(allowed) != CAIRN_OK) {
        cr_assert_eq(env.live_blocks, 0, "leak after %ld blocks", (long)allowed);
        cr_assert_lt(allowed++, 1000);
    }
    cr_assert_geq(allowed, 6);
}
