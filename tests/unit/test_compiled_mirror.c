// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Two dimensions exchanged: where the pattern is symmetric the mirrored entries are taken
/// as they stand, where it is not they are dealt out; the arrays are those of the
/// reference way.

#include "convert/build.h"
#include "format/language.h"
#include "support/conversion.h"
#include "support/kernel_loader.h"
#include "support/names.h"
#include "support/random_format.h"

enum { N = 40 };

static cairn_env env;

static bool is_mirrored(const cairn_pass *pass)
{
    return pass->what == CAIRN_PASS_MOVE && strcmp(pass->method, "mirror") == 0;
}

static bool is_dealt(const cairn_pass *pass)
{
    return pass->what == CAIRN_PASS_MOVE && strcmp(pass->method, "scatter") == 0;
}

/* ---- patterns ---- */

static bool band(int64_t i, int64_t j)
{
    return i - j <= 2 && j - i <= 2;
}

static bool random_symmetric(int64_t i, int64_t j)
{
    const int64_t a = i < j ? i : j, b = i < j ? j : i;

    return (a * a * 7 + b * 13 + a * b * 5) % 11 < 3;
}

/// Every third row and column is empty.
static bool with_empty_rows(int64_t i, int64_t j)
{
    return i % 3 && j % 3 && random_symmetric(i, j);
}

static bool dense_corner(int64_t i, int64_t j)
{
    return i < N / 2 && j < N / 2;
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

static bool last_entry_is_lone(int64_t i, int64_t j)
{
    return band(i, j) || (i == N - 1 && j == 0);
}

/// As many entries in each row as in the column of its number, but others.
static bool cycle(int64_t i, int64_t j)
{
    return j == (i + 1) % N;
}

static bool lower(int64_t i, int64_t j)
{
    return j <= i;
}

static bool upper(int64_t i, int64_t j)
{
    return i <= j;
}

/// Whatever a cursor finds is as if it were symmetric, though one runs past the end: only
/// where the cursors stand at last tells.
static bool past_the_end(int64_t i, int64_t j)
{
    return (i == 0 && (j == 1 || j == 2)) || (i == 1 && j == 0);
}

/* Rows long enough for one entry of each pair to be visited. */

static bool dense(int64_t i, int64_t j)
{
    return i > 3 && j > 3 && i < N - 2 && j < N - 2;
}

/// Entries (0, k) and (k, 0), and (0, k + 1) with no other side: the cursor of row k + 1,
/// which is empty, finds (k, 0), and has left its row when that is met.
static bool left_its_row(int64_t i, int64_t j)
{
    return dense(i, j) || (i == 0 && (j == 1 || j == 2)) || (i == 2 && j == 0);
}

/// ... and is behind the last entry.
static bool left_the_last_row(int64_t i, int64_t j)
{
    return dense(i, j) || (i == 0 && j >= N - 2) || (i == N - 2 && j == 0);
}

static bool lone_below(int64_t i, int64_t j)
{
    return everything(i, j) && !(i == N - 2 && j == N - 1);
}

static bool lone_above(int64_t i, int64_t j)
{
    return everything(i, j) && !(i == N - 1 && j == N - 2);
}

/// As many entries in each row as in the column of its number, but others.
static bool long_cycle(int64_t i, int64_t j)
{
    return (j - i + N) % N <= N / 2;
}

/// Few enough for a look at some entries to miss them all, or not.
static bool some_are_lone(int64_t i, int64_t j)
{
    return band(i, j) && !(i == j + 1 && i % 40 == 7);
}

static const struct {
    bool (*has)(int64_t i, int64_t j);
    bool        symmetric;
    const char *name;
} patterns[] = {
    {band,               true,  "band"              },
    {random_symmetric,   true,  "random"            },
    {with_empty_rows,    true,  "empty rows"        },
    {dense_corner,       true,  "dense corner"      },
    {everything,         true,  "everything"        },
    {nothing,            true,  "nothing"           },
    {last_entry_is_lone, false, "last entry is lone"},
    {cycle,              false, "cycle"             },
    {lower,              false, "lower"             },
    {upper,              false, "upper"             },
    {past_the_end,       false, "past the end"      },
    {dense,              true,  "dense"             },
    {left_its_row,       false, "left its row"      },
    {left_the_last_row,  false, "left the last row" },
    {lone_below,         false, "lone below"        },
    {lone_above,         false, "lone above"        },
    {long_cycle,         false, "long cycle"        },
    {some_are_lone,      false, "some are lone"     },
};

/* ---- conversions ---- */

/// Extents and the formats at both ends; the pattern is in dimensions a and b.
typedef struct {
    const char *from, *to;
    int         order, a, b;
    cairn_coord extent[3];
    bool        tried; ///< Mirroring is.
} exchange;

#define DENSE_3 "mutation<merge(0,1), trim(2,2)> }>"

static const exchange exchanges[] = {
    {"csr",                                                   "csc", 2, 0, 1, {N, N},     true },
    {"csc",                                                   "csr", 2, 0, 1, {N, N},     true },
    {"csr",                                                   "csc", 2, 0, 1, {N, N + 1}, false},
    {"dcsr",                                                  "csc", 2, 0, 1, {N, N},     false},
    {"#encoding<{ idx_map<(d0,d1,d2)->(d0,d1,d2)>, " DENSE_3,
     "#encoding<{ idx_map<(d0,d1,d2)->(d2,d1,d0)>, " DENSE_3,
     3,                                                                 0,
     2,                                                                       {N, 3, N},
     true                                                                                      },
    {"#encoding<{ idx_map<(d0,d1,d2)->(d0,d1,d2)>, " DENSE_3,
     "#encoding<{ idx_map<(d0,d1,d2)->(d1,d0,d2)>, " DENSE_3,
     3,                                                                 0,
     1,                                                                       {N, N, 3},
     true                                                                                      },
    {"#encoding<{ idx_map<(d0,d1,d2)->(d0,d1,d2)>, " DENSE_3,
     "#encoding<{ idx_map<(d0,d1,d2)->(d1,d2,d0)>, " DENSE_3,
     3,                                                                 0,
     1,                                                                       {N, N, N},
     false                                                                                     },
};

static void
draw(const exchange *x, bool (*has)(int64_t, int64_t), cairn_entries *entries)
{
    cairn_coord d[3];

    cairn_entries_init(entries, x->order);
    for (d[0] = 0; d[0] < x->extent[0]; d[0]++)
        for (d[1] = 0; d[1] < x->extent[1]; d[1]++)
            for (d[2] = 0; d[2] < (x->order == 3 ? x->extent[2] : 1); d[2]++)
                if (has(d[x->a], d[x->b])
                    && (x->order == 2 || (d[x->a] + d[x->b] + d[3 - x->a - x->b]) % 2))
                    cr_assert_eq(cairn_entries_add(&env, entries, d,
                                                   (double)(entries->n % 97 + 1)),
                                 CAIRN_OK);
}

static cairn_local *build(const exchange      *x,
                          const cairn_format  *format,
                          const cairn_entries *entries,
                          const cairn_local   *from,
                          int                  bits,
                          test_loader         *loader,
                          cairn_path         **path)
{
    cairn_shape  shape = {.order = x->order};
    cairn_local *made;

    memcpy(shape.extent, x->extent, sizeof x->extent);
    cairn_build b =
        whole_build(shape, bits, entries, from, loader ? &loader->loader : NULL);

    b.format          = format;
    b.report.executed = path;
    cr_assert_eq(cairn_local_build(&env, &b, &made), CAIRN_OK, "%s", env.message);
    return made;
}

static void check(const exchange *x, size_t p, int bits, test_loader *loader)
{
    cairn_format *const from = parse_format(&env, x->from), *const to = parse_format(
                                                                &env, x->to);
    cairn_entries entries;
    cairn_local  *source, *reference, *compiled;
    cairn_path   *path = NULL;

    draw(x, patterns[p].has, &entries);
    source    = build(x, from, &entries, NULL, bits, NULL, NULL);
    reference = build(x, to, &entries, source, bits, NULL, NULL);
    compiled  = build(x, to, &entries, source, bits, loader, &path);

    check_same(reference, compiled, patterns[p].name);
    cr_expect_eq(count_passes(path, is_mirrored), x->tried && patterns[p].symmetric,
                 "%s to %s, %s: mirrored or not", x->from, x->to, patterns[p].name);
    if (x->tried)
        cr_expect_eq(count_passes(path, is_dealt), !patterns[p].symmetric,
                     "%s: dealt out or not", patterns[p].name);
    cairn_path_destroy(&path);
    cairn_local_destroy(&compiled);
    cairn_local_destroy(&reference);
    cairn_local_destroy(&source);
    cairn_entries_fini(&env, &entries);
    cairn_format *f[] = {from, to};

    cairn_format_destroy(&f[0]);
    cairn_format_destroy(&f[1]);
}

Test(compiled_mirror,
     symmetric_patterns_are_mirrored_and_others_dealt_out,
     .timeout = 300)
{
    cairn_env_init(&env);
    env.options.kernels = CAIRN_KERNELS_COMPILED;

    test_loader *loader = test_loader_create(&env, 1);

    for (size_t k = 0; k < sizeof exchanges / sizeof *exchanges; k++)
        for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++)
            for (int bits = 32; bits <= 64; bits += 32)
                check(&exchanges[k], p, bits, loader);
    test_loader_destroy(loader);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

/// So many entries that some are looked for before any is mirrored.
Test(compiled_mirror, large_patterns_are_looked_at_first, .timeout = 300)
{
    static const exchange large = {
        "csr", "csc", 2, 0, 1, {5000, 5000},
             true
    };
    const size_t number = sizeof patterns / sizeof *patterns;

    cairn_env_init(&env);
    env.options.kernels = CAIRN_KERNELS_COMPILED;

    test_loader *loader = test_loader_create(&env, 1);

    for (size_t p = 0; p < number; p++)
        if (patterns[p].has == band || patterns[p].has == some_are_lone)
            check(&large, p, 64, loader);
    test_loader_destroy(loader);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}
