// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows that stand in lanes: filled lane by lane wherever rows can be read by themselves,
/// in tiles where lanes are many, once though a zero is stored; the arrays are those of the
/// reference way.

#include "convert/build.h"
#include "format/language.h"
#include "rules/path.h"
#include "support/conversion.h"
#include "support/kernel_loader.h"
#include "support/names.h"
#include "support/random_format.h"

#include <string.h>

static cairn_env env;

/// How lanes of the target were filled, as the program of the build says.
typedef struct {
    int runs;  ///< Passes that moved a row's entries at once, to the row's lane,
    int tiled; ///< of which so many by tiles.
} lanes_moved;

static lanes_moved find_lanes_moved(const cairn_pass_list *program)
{
    lanes_moved found = {0};

    for (int k = 0; k < program->passes; k++) {
        const cairn_pass *pass = &program->pass[k];

        if (pass->into > 0 || strcmp(pass->method, "row-slots") != 0
            || pass->what != CAIRN_PASS_MOVE || pass->unit != CAIRN_UNIT_RUN)
            continue;
        found.runs++;
        found.tiled += pass->stores == CAIRN_STORES_TILED;
    }
    return found;
}

/* ---- matrices ---- */

/// A kind of matrix: extents, and which entries it has.
typedef struct {
    const char *name;
    cairn_coord rows, cols;
    bool (*has)(int64_t i, int64_t j);
} matrix;

static uint64_t hash(int64_t i, int64_t j)
{
    uint64_t x =
        (uint64_t)i * 0x9e3779b97f4a7c15ULL + (uint64_t)j * 0xc2b2ae3d27d4eb4fULL;

    x ^= x >> 29;
    return x * 0xbf58476d1ce4e5b9ULL >> 33;
}

static bool a_third(int64_t i, int64_t j)
{
    return hash(i, j) % 3 == 0;
}

/// Rows without entries, at both ends, too; rows of the first columns, which are also the
/// first that padding takes.
static bool with_gaps(int64_t i, int64_t j)
{
    return i % 4 == 1 ? j < i : i % 4 == 2 && hash(i, j) % 5 == 0;
}

static bool everything(int64_t i, int64_t j)
{
    (void)i, (void)j;
    return true;
}

static bool nothing(int64_t i, int64_t j)
{
    (void)i, (void)j;
    return false;
}

/// One row is full: there are no columns left to pad it with, and all others are padded.
static bool full_row(int64_t i, int64_t j)
{
    return i == 5 || i == j;
}

static bool few(int64_t i, int64_t j)
{
    return hash(i, j) % 997 == 0;
}

static bool band(int64_t i, int64_t j)
{
    return j >= i - 4 && j <= i + 9 && hash(i, j) % 7;
}

static bool wide_band(int64_t i, int64_t j)
{
    return j >= i - 300 && j <= i + 450 && hash(i, j) % 2;
}

static bool widest_band(int64_t i, int64_t j)
{
    return j >= i - 500 && j <= i + 700 && hash(i, j) % 2;
}

static bool seventh_full(int64_t i, int64_t j)
{
    return i == 7 || i == j;
}

static const matrix small[] = {
    {"one",         1,   1,     everything},
    {"a third",     37,  29,    a_third   },
    {"gaps",        41,  60,    with_gaps },
    {"everything",  9,   6,     everything},
    {"nothing",     9,   6,     nothing   },
    {"full row",    19,  23,    full_row  },
    {"a full byte", 12,  256,   full_row  },
    {"long rows",   6,   700,   a_third   },
    {"wide",        7,   70000, few       },
    {"tall",        900, 3,     a_third   },
};

/* 1.2 MB of values and more: tiles, of fewer lanes where slots are many; of the last, in
 * f64, too many. */
static const matrix large[] = {
    {"band",        20011, 20000, band       },
    {"wide band",   1100,  1400,  wide_band  },
    {"widest band", 1100,  1400,  widest_band},
};

static void draw(const matrix *x, cairn_entries *entries)
{
    cairn_coord d[2];

    cairn_entries_init(entries, 2);
    for (d[0] = 0; d[0] < x->rows; d[0]++)
        for (d[1] = x->has == band && d[0] > 9 ? d[0] - 9 : 0;
             d[1] < x->cols && !(x->has == band && d[1] > d[0] + 9); d[1]++)
            if (x->has(d[0], d[1]))
                cr_assert_eq(
                    cairn_entries_add(&env, entries, d, (double)(hash(d[1], d[0]) | 1)),
                    CAIRN_OK);
}

/* ---- conversions ---- */

static cairn_local *build(const matrix        *x,
                          const cairn_format  *format,
                          const cairn_entries *entries,
                          const cairn_local   *from,
                          int                  bits,
                          test_loader         *loader,
                          lanes_moved         *moved)
{
    const cairn_shape shape = {
        2, {x->rows, x->cols}
    };
    cairn_build b =
        whole_build(shape, bits, entries, from, loader ? &loader->loader : NULL);
    cairn_route  route = CAIRN_ROUTE_REFERENCE;
    cairn_path  *path  = NULL;
    cairn_local *made;

    b.format          = format;
    b.report.route    = &route;
    b.report.executed = &path;
    cr_assert_eq(cairn_local_build(&env, &b, &made), CAIRN_OK, "%s", env.message);
    if (loader) cr_expect_eq(route, CAIRN_ROUTE_COMPILED);
    if (moved) *moved = find_lanes_moved(&path->program);
    cairn_path_destroy(&path);
    return made;
}

/// Blocks that are used again have something in them.
static void soil_memory(void)
{
    void *block[2];

    for (int k = 0; k < 2; k++) {
        cr_assert_eq(cairn_alloc(&env, 6 << 20, 1, &block[k]), CAIRN_OK);
        memset(block[k], 0xab, 6 << 20);
    }
    for (int k = 0; k < 2; k++)
        cairn_free(&env, block[k]);
}

/// The compiled way gives what the reference way gives. @p from: "" is entries.
///
/// @return how it filled lanes.
static lanes_moved check(const matrix        *x,
                         const cairn_entries *entries,
                         const char          *from,
                         const char          *to,
                         int                  bits,
                         test_loader         *loader)
{
    cairn_format *source_format = from[0] ? parse_format(&env, from) : NULL,
                 *format        = parse_format(&env, to);
    cairn_local *source         = NULL, *reference, *compiled;
    lanes_moved  moved;
    char         name[300];

    snprintf(name, sizeof name, "%s from %s to %.200s, f%d", x->name, from, to, bits);
    if (from[0]) source = build(x, source_format, entries, NULL, bits, NULL, NULL);
    reference = build(x, format, entries, source, bits, NULL, NULL);
    soil_memory();
    compiled = build(x, format, entries, source, bits, loader, &moved);
    check_same(reference, compiled, name);
    cairn_local_destroy(&compiled);
    cairn_local_destroy(&reference);
    cairn_local_destroy(&source);
    cairn_format_destroy(&source_format);
    cairn_format_destroy(&format);
    return moved;
}

#define SLOTS                                                                 \
    "indirect<{ n = sum(value) groupBy (d0,d1)->(d0) with value ne 0 -> 1 | " \
    "otherwise -> 0; slot = enum(value) groupBy (d0,d1)->(d0) traverseBy "    \
    "(d0,d1)->(d1) with value eq 0 -> n | otherwise -> 0 }> }>"

static const char *const targets[] = {
    "ell",
    "sell<3>",
    "sell<8>",
    "sell<640>",
    "sell-sigma<2,6>",
    "sell-sigma<8,64>",
    /* Groups of rows that are far apart; rows that hang over, in one group. */
    "#encoding<{ idx_map<(d0,d1)->(d0%4,slot,d0/4,d1)>, mutation<merge(0), "
    "trim(1,1)>, " SLOTS,
    "#encoding<{ idx_map<(d0,d1)->(slot,d0/7,d0%7,d1)>, mutation<merge(0), "
    "trim(0,0)>, " SLOTS,
};

/// Sources, and whether their rows can be read by themselves.
static const struct {
    const char *name;
    bool        by_rows;
} sources[] = {
    {"csr",       true },
    {"",          true },
    {"coo",       true },
    {"dok",       true },
    {"dense<2>",  true },
    {"dcsr",      false},
    {"csc",       true },
    {"dia",       true },
    {"bcsr<2,3>", true },
    {"sell<4>",   true },
};

static void start(test_loader **loader, int threads)
{
    cairn_env_init(&env);
    env.options.kernels = CAIRN_KERNELS_COMPILED;
    *loader             = test_loader_create(&env, threads);
}

static void stop(test_loader *loader)
{
    test_loader_destroy(loader);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

Test(compiled_lanes, rows_stand_as_in_the_reference, .timeout = 900)
{
    test_loader *loader;

    start(&loader, 1);
    for (size_t m = 0; m < sizeof small / sizeof *small; m++) {
        cairn_entries entries;

        draw(&small[m], &entries);
        for (size_t s = 0; s < sizeof sources / sizeof *sources; s++)
            for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
                const lanes_moved moved = check(&small[m], &entries, sources[s].name,
                                                targets[t], m % 2 ? 32 : 64, loader);

                if (entries.n <= 1) continue; /* then nodes are entries */
                cr_expect_eq(moved.runs, sources[s].by_rows ? 1 : 0,
                             "%s, from %s to %s: %d times", small[m].name,
                             sources[s].name, targets[t], moved.runs);
            }
        cairn_entries_fini(&env, &entries);
    }
    stop(loader);
}

Test(compiled_lanes, many_lanes_go_by_tiles, .timeout = 900)
{
    static const char *const to[] = {"ell", "sell<640>", "sell-sigma<1024,2048>"};
    static const int to_tiles[]   = {1, 0, 1}; /* 640 values of 4 bytes lie near */
    test_loader     *loader;

    start(&loader, 1);
    for (size_t m = 0; m < sizeof large / sizeof *large; m++) {
        cairn_entries entries;

        draw(&large[m], &entries);
        for (int threads = 1; threads <= 4; threads += 3)
            for (size_t t = 0; t < sizeof to / sizeof *to; t++) {
                loader->loader.threads = threads;
                const lanes_moved moved =
                    check(&large[m], &entries, "csr", to[t], t == 1 ? 32 : 64, loader);

                cr_expect_eq(moved.runs, 1, "%s to %s", large[m].name, to[t]);
                cr_expect_eq(moved.tiled, to_tiles[t], "%s to %s: %d by tiles",
                             large[m].name, to[t], moved.tiled);
            }
        cairn_entries_fini(&env, &entries);
    }
    stop(loader);
}

/// So many slots that not even what lies between those of a tile has room in one, where
/// lines hold many columns: 16 bits each.
Test(compiled_lanes, too_many_slots_for_a_tile_of_narrow_columns, .timeout = 600)
{
    static const matrix      full = {"a full row of many", 520, 3000, seventh_full};
    static const char *const to =
        "#encoding<{ idx_map<(d0,d1)->(slot,d0,d1)>, mutation<merge(0), trim(0,0)>, "
        "indirect<{ n = sum(value) groupBy (d0,d1)->(d0) with value ne 0 -> 1 | "
        "otherwise -> 0; slot = enum(value) groupBy (d0,d1)->(d0) traverseBy "
        "(d0,d1)->(d1) with value eq 0 -> n | otherwise -> 0 }>, bits<idx = 16> }>";
    cairn_entries entries;
    test_loader  *loader;

    start(&loader, 1);
    draw(&full, &entries);
    const lanes_moved moved = check(&full, &entries, "csr", to, 64, loader);

    cr_expect_eq(moved.tiled, 1);
    cairn_entries_fini(&env, &entries);
    stop(loader);
}

/// A stored zero is an entry: its row is filled like others, and once.
Test(compiled_lanes, zeros_stand_like_others, .timeout = 600)
{
    static const char *const to[]   = {"ell", "sell<3>", "sell-sigma<2,6>"};
    static const char *const from[] = {"csr", "coo", "", "csc"};
    const matrix             x      = {"zeros", 23, 31, a_third};
    test_loader             *loader;
    cairn_entries            entries;

    start(&loader, 1);
    draw(&x, &entries);
    const cairn_pos at[] = {0, 7, entries.n / 2, entries.n - 1};

    for (size_t z = 0; z < sizeof at / sizeof *at; z++) {
        const double before = entries.value[at[z]];

        entries.value[at[z]] = z % 2 ? -0.0 : 0.0;
        for (size_t t = 0; t < sizeof to / sizeof *to; t++) {
            for (size_t f = 0; f < sizeof from / sizeof *from; f++) {
                const lanes_moved moved =
                    check(&x, &entries, from[f], to[t], z % 2 ? 32 : 64, loader);

                cr_expect_eq(moved.runs, 1, "%s to %s", from[f], to[t]);
            }
            cr_expect_eq(check(&x, &entries, "dcsr", to[t], 64, loader).runs, 0);
            cr_expect_eq(check(&x, &entries, "bcsr<2,3>", to[t], 64, loader).runs, 1);
        }
        entries.value[at[z]] = before;
    }
    cairn_entries_fini(&env, &entries);
    stop(loader);
}
