// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The compiled way of conversions where something is in its way: no kernel, no memory,
/// arrays that a caller brought, indices that take more than a word, limits.

#include "convert/build.h"
#include "format/language.h"
#include "support/brutal.h"
#include "support/conversion.h"
#include "support/kernel_loader.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

typedef struct {
    cairn_env     env;
    test_loader  *loader;
    cairn_shape   shape;
    cairn_entries entries;
} edge;

static void init(edge *x, cairn_coord rows, cairn_coord cols)
{
    *x = (edge){
        .shape = {2, {rows, cols}}
    };
    cairn_env_init(&x->env);
    x->loader              = test_loader_create(&x->env, 2);
    x->env.options.kernels = CAIRN_KERNELS_COMPILED;
    cairn_entries_init(&x->entries, 2);
}

static void fini(edge *x)
{
    cairn_entries_fini(&x->env, &x->entries);
    test_loader_destroy(x->loader);
    cr_assert_eq(x->env.live_blocks, 0, "%lld blocks leak",
                 (long long)x->env.live_blocks);
    cairn_env_fini(&x->env);
}

static void add(edge *x, cairn_coord i, cairn_coord j, double value)
{
    const cairn_coord d[2] = {i, j};

    cr_assert_eq(cairn_entries_add(&x->env, &x->entries, d, value), CAIRN_OK);
}

/// Some entries of a banded matrix.
static void add_band(edge *x)
{
    for (cairn_coord i = 0; i < x->shape.extent[0]; i++)
        for (cairn_coord j = i - 2; j <= i + 3; j++)
            if (j >= 0 && j < x->shape.extent[1] && (i * 7 + j * 3) % 4)
                add(x, i, j, (double)(1 + i * 31 + j));
}

static cairn_status build(edge               *x,
                          const cairn_format *format,
                          const cairn_local  *from,
                          bool                compiled,
                          cairn_route        *route,
                          cairn_local       **out)
{
    cairn_build b = whole_build(x->shape, 64, &x->entries, from,
                                compiled ? &x->loader->loader : NULL);

    b.format       = format;
    b.report.route = route;
    return cairn_local_build(&x->env, &b, out);
}

static cairn_format *parse(edge *x, const char *text)
{
    cairn_format *format;

    cr_assert_eq(cairn_format_parse(&x->env, NULL, named(text), "test", &format),
                 CAIRN_OK, "%s", x->env.message);
    return format;
}

/// Both ways give the same; the compiled one is taken as @p route.
static void
check_convert(edge *x, const cairn_local *from, const char *to, cairn_route route)
{
    cairn_format *format    = parse(x, to);
    cairn_local  *reference = NULL, *compiled = NULL;
    cairn_route   taken = CAIRN_ROUTE_PREBUILT;

    cr_assert_eq(build(x, format, from, false, NULL, &reference), CAIRN_OK, "%s",
                 x->env.message);
    cr_assert_eq(build(x, format, from, true, &taken, &compiled), CAIRN_OK, "%s",
                 x->env.message);
    cr_expect_eq(taken, route, "%s: route %d", to, taken);
    check_same(reference, compiled, to);
    cairn_local_destroy(&reference);
    cairn_local_destroy(&compiled);
    cairn_format_destroy(&format);
}

/* ---- no kernel ---- */

/// Every request in turn is refused: the arrays are the same, by the reference way.
static void check_refusals(edge *x, const char *from_text, const char *to)
{
    cairn_format *from_format = parse(x, from_text), *format = parse(x, to);
    cairn_local  *from = NULL, *reference = NULL;
    int           fallen = 0;

    cr_assert_eq(build(x, from_format, NULL, false, NULL, &from), CAIRN_OK);
    cr_assert_eq(build(x, format, from, false, NULL, &reference), CAIRN_OK);
    x->env.options.kernels = CAIRN_KERNELS_COMPILED;
    for (long k = 0; k < 12; k++) {
        cairn_local *refused = NULL;
        cairn_route  route;

        x->loader->refuse         = k;
        x->env.options.kernels    = CAIRN_KERNELS_COMPILED;
        const cairn_status strict = build(x, format, from, true, &route, &refused);

        cairn_local_destroy(&refused);
        x->loader->refuse      = k;
        x->env.options.kernels = CAIRN_KERNELS_AUTO;
        cr_assert_eq(build(x, format, from, true, &route, &refused), CAIRN_OK, "%s",
                     x->env.message);
        check_same(reference, refused, to);
        fallen += strict == CAIRN_NO_KERNEL;
        cairn_local_destroy(&refused);
    }
    x->loader->refuse = -1;
    cr_expect_gt(fallen, 0, "%s: nothing was refused", to);
    cairn_local_destroy(&from);
    cairn_local_destroy(&reference);
    cairn_format_destroy(&from_format);
    cairn_format_destroy(&format);
}

Test(compiled_convert_edges, what_is_refused_falls_back, .timeout = 600)
{
    static const char *const pair[][2] = {
        {"csr",                     "csc"                                },
        {"csr",                     "ell"                                },
        {"csc",                     "sell<4>"                            },
        {"dia",                     "sell-sigma<2,4>"                    },
        {"hybrid<bdia<4>,csr,0.5>", "bell<2>"                            },
        {"bcsr<2,2>",               "hybrid<bdia<4>,csr,0.5>"            },
        {"csr",                     "sell<4>"                            },
        {"csr",                     "hybrid<bdia<4>,csr,0.5>"            },
        {"csr",                     "sell-sigma<2,4>"                    },
        {"coo",                     "cisr<3>"                            },
        {"csc",                     "cisr-plus<3>"                       },
        {"csc",                     "bell<2>"                            },
        {"csr",                     "hybrid<bell<2>,coo,0.3,0.5>"        },
        {"coo",                     "hybrid<sell<4>,csr,0.1,0.5>"        },
        {"csr",                     "hybrid<bdia<4>,sell-sigma<2,4>,0.5>"},
    };
    edge x;

    init(&x, 400, 380);
    add_band(&x);
    for (size_t k = 0; k < sizeof pair / sizeof *pair; k++)
        check_refusals(&x, pair[k][0], pair[k][1]);
    fini(&x);
}

/* ---- no memory ---- */

static cairn_status
build_once(edge *x, const cairn_format *format, const cairn_local *from)
{
    cairn_local       *out    = NULL;
    const cairn_status status = build(x, format, from, true, NULL, &out);

    cr_assert_eq(status == CAIRN_OK, out != NULL);
    cairn_local_destroy(&out);
    return status;
}

typedef struct {
    char from[64], to[64];
} one_pair;

ParameterizedTestParameters(compiled_convert_edges, every_allocation_may_fail)
{
    static one_pair cases[] = {
        {"csr",                     "dcsr"                               },
        {"csr",                     "csc"                                },
        {"csr",                     "bcsr<2,2>"                          },
        {"csc",                     "ell"                                },
        {"csr",                     "sell<2>"                            },
        {"dia",                     "sell-sigma<2,4>"                    },
        {"hybrid<bdia<4>,csr,0.5>", "c2sr<2>"                            },
        {"bcsr<2,2>",               "hybrid<bdia<4>,csr,0.5>"            },
        {"csr",                     "hybrid<bdia<4>,csr,0.5>"            },
        {"csr",                     "sell-sigma<2,4>"                    },
        {"coo",                     "cisr<3>"                            },
        {"csc",                     "cisr-plus<3>"                       },
        {"csc",                     "bell<2>"                            },
        {"csr",                     "hybrid<bell<2>,coo,0.3,0.5>"        },
        {"coo",                     "hybrid<sell<4>,csr,0.1,0.5>"        },
        {"csr",                     "hybrid<bdia<4>,sell-sigma<2,4>,0.5>"},
    };

    return cr_make_param_array(one_pair, cases, sizeof cases / sizeof *cases);
}

ParameterizedTest(one_pair *c, compiled_convert_edges, every_allocation_may_fail)
{
    edge          x;
    cairn_format *from_format, *format;
    cairn_local  *from = NULL;

    init(&x, 9, 8);
    add_band(&x);
    from_format = parse(&x, c->from);
    format      = parse(&x, c->to);
    cr_assert_eq(build(&x, from_format, NULL, false, NULL, &from), CAIRN_OK);
    cr_assert_eq(build_once(&x, format, from), CAIRN_OK, "%s", x.env.message);
    CAIRN_BRUTAL(&x.env, build_once(&x, format, from));
    cairn_local_destroy(&from);
    cairn_format_destroy(&from_format);
    cairn_format_destroy(&format);
    fini(&x);
}

Test(compiled_convert_edges, limit_holds_before_anything_is_allocated)
{
    edge          x;
    cairn_format *format;
    cairn_local  *out = NULL;

    init(&x, 1 << 20, 1 << 20);
    for (cairn_coord i = 0; i < 64; i++)
        add(&x, i * 16000, (i * 7919 * 131) % (1 << 20), 1);
    x.env.memory_limit = 64 << 20;
    format             = parse(&x, "dia");
    cr_expect_eq(build(&x, format, NULL, true, NULL, &out), CAIRN_NO_MEMORY);
    cr_expect(strstr(x.env.message, "but the limit is 67108864"), "%s", x.env.message);
    cr_expect_null(out);
    cairn_format_destroy(&format);
    fini(&x);
}

/* ---- arrays of a caller's ---- */

/// Rows in any order, with an entry twice: as cairn_tensor_from_csr() borrows them.
Test(compiled_convert_edges, borrowed_rows_are_sorted_and_added_up)
{
    static const char *const to[]  = {"csc",     "coo", "csr",     "bcsr<2,2>",
                                      "sell<2>", "dia", "dense<2>"};
    static const uint32_t    ptr[] = {0, 4, 4, 7};
    static const uint8_t     idx[] = {2, 0, 2, 1, 3, 3, 0};
    static const double      val[] = {1e16, 2, 1, -1e16, 5, 0.25, 7};
    edge                     x;
    cairn_format            *format;
    cairn_local             *from = NULL;

    init(&x, 3, 4);
    for (int k = 0; k < 7; k++)
        add(&x, k < 4 ? 0 : 2, k, 1); /* room for seven; the arrays are replaced */
    for (int k = 0; k < 7; k++)
        x.entries.coord[1][k] = k % 4;
    x.entries.n           = 7;
    format                = parse(&x, "csr");
    x.entries.coord[1][4] = 0, x.entries.coord[1][5] = 1, x.entries.coord[1][6] = 2;
    cr_assert_eq(build(&x, format, NULL, false, NULL, &from), CAIRN_OK);
    cr_assert_eq(from->part[0].view.level[1].ptr_bits, 32);
    cr_assert_eq(from->part[0].view.level[1].idx_bits, 8);
    cairn_free(&x.env, from->group[0].block);
    from->group[0].block            = NULL;
    from->part[0].view.level[1].ptr = ptr;
    from->part[0].view.level[1].idx = idx;
    from->part[0].view.val          = (void *)val;
    for (size_t k = 0; k < sizeof to / sizeof *to; k++)
        check_convert(&x, from, to[k], CAIRN_ROUTE_COMPILED);
    cairn_local_destroy(&from);
    cairn_format_destroy(&format);
    fini(&x);
}

/* ---- more than a word ---- */

Test(compiled_convert_edges, indices_of_two_words)
{
    const cairn_coord far = (cairn_coord)1 << 40;
    edge              x;

    init(&x, far, far);
    for (cairn_coord i = 0; i < 500; i++)
        add(&x, i * (far / 512), (i * 1000003 * 7919) % far, (double)i);
    check_convert(&x, NULL,
                  "#encoding<{ idx_map<(d0,d1)->(d1,d0)>, mutation<trim(0,1)> }>",
                  CAIRN_ROUTE_COMPILED);
    check_convert(&x, NULL,
                  "#encoding<{ idx_map<(d0,d1)->(d1/64,d0/8,d1%64,d0%8)>, "
                  "mutation<merge(0,1), trim(0,3)> }>",
                  CAIRN_ROUTE_COMPILED);
    fini(&x);
}

/* ---- divisions of 32 bits ---- */

#define ALL ((cairn_coord)1 << 31)
#define TOP (ALL - (1 << 20)) /* CAIRN_IR_NARROW */

/// Has a kernel been compiled that divides in 32 bits?
static bool divides_narrowly(const edge *x)
{
    for (int k = 0; k < x->loader->kernels; k++)
        if (strstr(x->loader->kernel[k].key, "divided narrowly")) return true;
    return false;
}

/// The corners of the matrix, what lies next to them, and some entries between, sorted as
/// a source's are.
static void add_corners(edge *x)
{
    const cairn_coord rows = x->shape.extent[0], cols = x->shape.extent[1];

    for (cairn_coord k = 0; k < 12; k++) {
        add(x, k, cols - 1 - k, (double)(1 + k));
        add(x, rows - 1 - k, k, (double)(20 + k));
        add(x, rows - 1 - k, cols - 1 - k, (double)(40 + k));
        add(x, rows / 13 * (k + 1), cols / 17 * (k + 1), (double)(60 + k));
    }
    cr_assert_eq(cairn_entries_sort(&x->env, &x->entries), CAIRN_OK);
}

/// Divisions are done in 32 bits where the form that is divided stays within
/// CAIRN_IR_NARROW, which is below 2^31, for all coordinates, and in 64 bits from there
/// on: on either side the entries at the corners have the indices of the reference way.
Test(compiled_convert_edges, divisions_near_32_bits, .timeout = 600)
{
    static const struct {
        const char *idx_map;
        int         levels;
        cairn_coord extent[2];
        bool        narrow;
    } cases[] = {
        {"d0/3,d1/5,d0%3,d1%5",            4, {1000, 900},        true },
        {"d0/3,d1/5,d0%3,d1%5",            4, {TOP, 900},         true },
        {"d0/3,d1/5,d0%3,d1%5",            4, {TOP + 1, 900},     true },
        {"d0/3,d1/5,d0%3,d1%5",            4, {TOP + 2, 900},     false},
        {"d0/3,d1/5,d0%3,d1%5",            4, {900, TOP + 1},     true },
        {"d0/3,d1/5,d0%3,d1%5",            4, {900, TOP + 2},     false},
        {"d0/3,d1/5,d0%3,d1%5",            4, {ALL - 1, 900},     false},
        {"d0/3,d1/5,d0%3,d1%5",            4, {ALL, 900},         false},
        {"d0/3,d1/5,d0%3,d1%5",            4, {900, ALL + 1},     false},
        {"d0/3,d1/5,d0%3,d1%5",            4, {2 * ALL + 1, 900}, false},
        {"(d1-d0)/64,d0,(d1-d0)%64",       3, {TOP + 1, 900},     true },
        {"(d1-d0)/64,d0,(d1-d0)%64",       3, {TOP + 2, 900},     false},
        {"(d1-d0)/64,d0,(d1-d0)%64",       3, {ALL + 1, 900},     false},
        {"(d1-d0)/64,d0,(d1-d0)%64",       3, {900, ALL + 1},     false},
        {"(d0+d1)/7,d0,(d0+d1)%7",         3, {TOP - 898, 900},   true },
        {"(d0+d1)/7,d0,(d0+d1)%7",         3, {TOP - 897, 900},   false},
        {"d0/2146435072,d1,d0%2146435072", 3, {TOP + 1, 900},     true },
        {"d0/2146435073,d1,d0%2146435073", 3, {900, 900},         false},
        {"d0/2147483648,d1,d0%2147483648", 3, {ALL + 900, 900},   false},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[256];
        edge x;

        snprintf(text, sizeof text,
                 "#encoding<{ idx_map<(d0,d1)->(%s)>, mutation<trim(0,%d)> }>",
                 cases[k].idx_map, cases[k].levels - 1);
        init(&x, cases[k].extent[0], cases[k].extent[1]);
        add_corners(&x);
        check_convert(&x, NULL, text, CAIRN_ROUTE_COMPILED);
        cr_expect_eq(divides_narrowly(&x), cases[k].narrow, "%s of %lld x %lld", text,
                     (long long)cases[k].extent[0], (long long)cases[k].extent[1]);
        fini(&x);
    }
}

/// Has a kernel been compiled that divides numbers none of which is negative?
static bool divides_counts(const edge *x)
{
    for (int k = 0; k < x->loader->kernels; k++)
        if (strstr(x->loader->kernel[k].key, "divided narrowly, counts")) return true;
    return false;
}

/// Numbers of queries are divided in 32 bits where what is divided stays within
/// CAIRN_IR_NARROW for all that the query gave, and without rounding down where none is
/// negative; in 64 bits beyond, where 32 would give other indices, and where they are only
/// shifted.
Test(compiled_convert_edges, divided_numbers_near_32_bits, .timeout = 600)
{
    static const struct {
        const char *first;        ///< Levels of the number.
        int64_t     large, small; ///< Numbers of rows: of those with values beyond 40.
        bool        narrow, counts;
    } cases[] = {
        {"n/3,n%3",                   1000,              1,       true,  true },
        {"n/3,n%3",                   TOP,               1,       true,  true },
        {"n/3,n%3",                   TOP + 1,           1,       false, false},
        {"n/3,n%3",                   1,                 TOP,     true,  true },
        {"n/3,n%3",                   1,                 TOP + 1, false, false},
        {"n/3,n%3",                   -TOP,              1,       true,  false},
        {"n/3,n%3",                   -TOP - 1,          1,       false, false},
        {"n/3,n%3",                   -1,                TOP,     true,  false},
        {"n/3,n%3",                   ALL + 7,           5,       false, false},
        {"n/3,n%3",                   -ALL - 7,          5,       false, false},
        {"n/3,n%3",                   2 * ALL + 4,       -5,      false, false},
        {"(2*n+5)/7,(2*n+5)%7",       (TOP - 5) / 2,     1,       true,  true },
        {"(2*n+5)/7,(2*n+5)%7",       (TOP - 5) / 2 + 1, 1,       false, false},
        {"(9-2*n)/7,(9-2*n)%7",       (TOP + 9) / 2,     1,       true,  true },
        {"(9-2*n)/7,(9-2*n)%7",       (TOP + 9) / 2 + 1, 1,       false, false},
        {"n/2146435072,n%2146435072", TOP,               -TOP,    true,  false},
        {"n/2146435073,n%2146435073", 1000,              1,       false, false},
        {"n/9/5,n/9%5,n%9",           TOP,               -TOP,    true,  false},
        {"n/4,n%4",                   1000,              1,       false, false},
        {"n/12/2,n/12%2,n%12",        TOP,               1,       true,  true },
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[512];
        edge x;

        snprintf(text, sizeof text,
                 "#encoding<{ idx_map<(d0,d1)->(%s,d0,d1)>, mutation<trim(0,3)>, "
                 "indirect<{ n = sum(value) groupBy (d0,d1)->(d0,d1) "
                 "with value gt 40 -> %lld | value ne 0 -> %lld | otherwise -> 0 }> }>",
                 cases[k].first, (long long)cases[k].large, (long long)cases[k].small);
        init(&x, 1000, 900);
        add_corners(&x);
        check_convert(&x, NULL, text, CAIRN_ROUTE_COMPILED);
        cr_expect_eq(divides_narrowly(&x), cases[k].narrow, "%s: narrowly", text);
        cr_expect_eq(divides_counts(&x), cases[k].counts, "%s: counts", text);
        fini(&x);
    }
}

/* ---- sizes ---- */

/// Small builds do not pay for a compiler, but use what it made before; large ones do.
Test(compiled_convert_edges, auto_compiles_what_is_worth_it)
{
    edge x;

    init(&x, 400, 380);
    add_band(&x);
    x.env.options.kernels = CAIRN_KERNELS_AUTO;
    check_convert(&x, NULL, "csc", CAIRN_ROUTE_REFERENCE);
    cr_expect_eq(x.loader->requests, 0);
    fini(&x);

    init(&x, 60000, 60000);
    add_band(&x);
    x.env.options.kernels = CAIRN_KERNELS_AUTO;

    const cairn_pos all = x.entries.n;

    x.entries.n = 10000;
    check_convert(&x, NULL, "csc", CAIRN_ROUTE_REFERENCE);
    cr_expect_gt(x.loader->requests, 0);
    cr_expect_eq(x.loader->kernels, 0);
    x.entries.n = all;
    check_convert(&x, NULL, "csc", CAIRN_ROUTE_COMPILED);
    cr_expect_gt(x.loader->kernels, 0);
    fini(&x);
}

/* ---- threads ---- */

/// Enough entries to be divided; rows of any length, and some empty.
static void add_many(edge *x)
{
    for (cairn_coord i = 0; i < x->shape.extent[0]; i++) {
        const cairn_coord step = 1 + (i * 37) % 11;

        if (i % 13 == 5) continue;
        for (cairn_coord j = (i * 7) % 50; j < x->shape.extent[1]; j += 20 * step)
            add(x, i, j, (double)(1 + i * 3 + j));
    }
}

/// The same arrays for any number of threads.
Test(compiled_convert_edges, threads_change_nothing, .timeout = 600)
{
    static const char *const pair[][2] = {
        {"",        "csr"                     },
        {"",        "csc"                     },
        {"",        "dia"                     },
        {"",        "ell"                     },
        {"",        "sell<8>"                 },
        {"",        "bcsr<3,2>"               },
        {"",        "c2sr<4>"                 },
        {"csr",     "csc"                     },
        {"csr",     "dia"                     },
        {"csr",     "ell"                     },
        {"csr",     "sell<8>"                 },
        {"csr",     "bcsr<3,2>"               },
        {"csr",     "bdia<16>"                },
        {"csr",     "csb<8,8>"                },
        {"csc",     "csr"                     },
        {"dcsr",    "bcsr<2,2>"               },
        {"csc",     "bcsc<2,2>"               },
        {"dia",     "csr"                     },
        {"sell<8>", "ell"                     },
        {"c2sr<4>", "csc"                     },
        {"csr",     "hybrid<bdia<16>,csr,0.3>"},
        {"",        "hybrid<bdia<16>,csr,0.3>"},
        {"csr",     "sell-sigma<8,64>"        },
        {"coo",     "cisr<8>"                 },
        {"csc",     "bcsr<3,2>"               },
        {"dcsc",    "bcsr<2,2>"               },
    };
    edge x;

    init(&x, 9000, 3000);
    add_many(&x);
    cr_assert_gt(x.entries.n, 200000, "%lld entries are not divided",
                 (long long)x.entries.n);
    for (size_t k = 0; k < sizeof pair / sizeof *pair; k++) {
        cairn_local  *from   = NULL;
        cairn_format *format = NULL;

        if (pair[k][0][0]) {
            format = parse(&x, pair[k][0]);
            cr_assert_eq(build(&x, format, NULL, false, NULL, &from), CAIRN_OK);
        }
        for (int threads = 1; threads <= 7; threads += 3) {
            x.loader->loader.threads = threads;
            check_convert(&x, from, pair[k][1], CAIRN_ROUTE_COMPILED);
        }
        cairn_local_destroy(&from);
        if (format) cairn_format_destroy(&format);
    }
    fini(&x);
}

/* ---- nothing ---- */

/// Tensors without rows, columns or entries: no bank, no group, no slot.
Test(compiled_convert_edges, nothing_is_converted, .timeout = 600)
{
    static const char *const to[] = {"coo",
                                     "csr",
                                     "csc",
                                     "dia",
                                     "bcsr<2,3>",
                                     "csb<4,4>",
                                     "c2sr<2>",
                                     "ell",
                                     "sell<4>",
                                     "bdia<4>",
                                     "cisr<3>",
                                     "dense<2>",
                                     "sell-sigma<4,8>",
                                     "bell<2>",
                                     "cisr-plus<3>",
                                     "hybrid<bdia<4>,csr,0.5>",
                                     "hybrid<bdia<4>,sell-sigma<4,8>,0.5>"};
    /* The second has a bank a row: none at all where there are no rows. */
    static const char *const sources[] = {
        "csr", "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, "
               "mutation<merge(0), trim(1,1)>, layout<partition(0)> }>"};
    static const cairn_coord extent[][2] = {
        {0, 0},
        {0, 5},
        {5, 0},
        {5, 4}
    };

    for (size_t s = 0; s < 2 * (sizeof extent / sizeof *extent); s++) {
        edge          x;
        cairn_format *format;
        cairn_local  *from = NULL;

        init(&x, extent[s / 2][0], extent[s / 2][1]);
        format = parse(&x, sources[s % 2]);
        cr_assert_eq(build(&x, format, NULL, false, NULL, &from), CAIRN_OK);
        for (size_t k = 0; k < sizeof to / sizeof *to; k++) {
            check_convert(&x, NULL, to[k], CAIRN_ROUTE_COMPILED);
            check_convert(&x, from, to[k], CAIRN_ROUTE_COMPILED);
        }
        cairn_local_destroy(&from);
        cairn_format_destroy(&format);
        fini(&x);
    }
}

/// Counts by group would be as large as what exceeds the limit.
Test(compiled_convert_edges, what_exceeds_the_limit_is_not_counted)
{
    enum { COLS = 30000000, LIMIT = 10000000 };
    edge          x;
    cairn_format *format;
    cairn_local  *made = NULL;

    init(&x, 10, COLS);
    for (cairn_coord i = 0; i < 10; i++)
        add(&x, i, i * (COLS / 10), 1);
    x.env.memory_limit = LIMIT;
    format             = parse(&x, "csc");
    cr_expect_eq(build(&x, format, NULL, true, NULL, &made), CAIRN_NO_MEMORY);
    cr_expect_not_null(strstr(x.env.message, "memory: this rank: needs 12000"), "%s",
                       x.env.message);
    cr_expect_not_null(strstr(x.env.message, "for arrays"), "%s", x.env.message);
    cr_expect_lt(x.env.peak_bytes, LIMIT);
    cr_expect_null(made);
    cairn_format_destroy(&format);
    fini(&x);
}
