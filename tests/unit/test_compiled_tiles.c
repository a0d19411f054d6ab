// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Diagonals that are filled by tiles: in memory that was used before, the reference's
/// arrays, for any number of threads, types of values and kinds of rows.

#include "base/stream.h"
#include "convert/compiled.h"
#include "format/language.h"
#include "support/conversion.h"
#include "support/kernel_loader.h"
#include "support/names.h"
#include "support/random_format.h"

enum { ROWS = 70001, COLS = 69000, DIAGONALS = 61 }; /* values of 16 MB and more */

/// Few of the diagonals in each row; none in the first rows, the last, and some between.
static void add_entries(cairn_env *env, cairn_entries *entries)
{
    uint64_t state = 5;

    cairn_entries_init(entries, 2);
    for (cairn_coord i = 300; i < ROWS - 2000; i++)
        for (int k = random_below(&state, 5); k < DIAGONALS && i / 1000 % 9 != 4;
             k += 1 + random_below(&state, 20)) {
            const cairn_coord j = i + 17 * (k - DIAGONALS / 2);

            if (j >= 0 && j < COLS)
                cr_assert_eq(cairn_entries_add(env, entries, (cairn_coord[]){i, j},
                                               (double)(k + 1)),
                             CAIRN_OK);
        }
    cr_assert_gt(entries->n, 200000); /* more than one thread is given */
}

static const cairn_shape shape = {
    2,
    {ROWS, COLS}
};

/// Twice: the second time in the memory of the first.
/// The memory that is used again is to be anything.
static void spoil(const cairn_part *part)
{
    cairn_array array[CAIRN_MAX_ARRAYS];
    const int   arrays = cairn_part_arrays(part, array);

    for (int k = 0; k < arrays; k++)
        memset(array[k].data, 0x5a, (size_t)array[k].bytes);
}

static void compare(cairn_env           *env,
                    const char          *name,
                    int                  bits,
                    const cairn_entries *entries,
                    const cairn_local   *from)
{
    cairn_format *format, *again;
    cairn_local  *reference, *compiled;

    reference =
        must_build(env, whole_build(shape, bits, entries, from, NULL), name, &format);
    for (int threads = 1; threads <= 3; threads += 2) {
        test_loader *loader = test_loader_create(env, threads);

        for (int turn = 0; turn < 2; turn++) {
            compiled = must_build(
                env, whole_build(shape, bits, entries, from, &loader->loader), name,
                &again);
            check_same(reference, compiled, name);
            spoil(&compiled->part[0]);
            cairn_local_destroy(&compiled);
            cairn_format_destroy(&again);
        }
        test_loader_destroy(loader);
    }
    cairn_local_destroy(&reference);
    cairn_format_destroy(&format);
}

Test(compiled_tiles, diagonals_are_those_of_the_reference, .timeout = 240)
{
    static const char *const from[] = {"csr", "coo", "csc"};
    static cairn_env         env;
    cairn_entries            entries;

    cairn_env_init(&env);
    env.options.kernels = CAIRN_KERNELS_COMPILED;
    add_entries(&env, &entries);
    compare(&env, "dia", 64, &entries, NULL);
    for (size_t f = 0; f < sizeof from / sizeof *from; f++) {
        cairn_format *format;
        cairn_local  *source;

        source = must_build(&env, whole_build(shape, 64, &entries, NULL, NULL), from[f],
                            &format);
        compare(&env, f == 2 ? "dia-variant" : "dia", f == 1 ? 32 : 64, NULL, source);
        cairn_local_destroy(&source);
        cairn_format_destroy(&format);
    }
    cairn_entries_fini(&env, &entries);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

typedef struct {
    const char *from, *to;
    cairn_pos   nodes;
    bool        tiles;
} expected;

Test(compiled_tiles, are_taken_for_many_nodes_in_the_order_of_their_line, .timeout = 60)
{
    static const expected cases[] = {
        {"csr",        "dia",         61,     true },
        {"coo",        "dia",         61,     true },
        {NULL,         "dia",         61,     true },
        {"csc",        "dia-variant", 61,     true },
        {"csr",        "dia",         8,      false}, /* few */
        {"csr",        "dia",         100000, false}, /* a tile of no width */
        {"csc",        "dia",         61,     false}, /* by columns */
        {"csb<64,64>", "dia",         61,     false}, /* rows in no order */
        {"csr",        "csr",         61,     false},
    };
    static cairn_env env;
    cairn_entries    entries;

    cairn_env_init(&env);
    add_entries(&env, &entries);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        cairn_format      *from   = NULL, *to;
        cairn_local       *source = NULL, *target;
        cairn_member_build m      = {.layout = NULL};
        cairn_compiled     c      = {.m = &m, .nodes = cases[k].nodes};

        if (cases[k].from)
            source = must_build(&env, whole_build(shape, 64, &entries, NULL, NULL),
                                cases[k].from, &from);
        target          = must_build(&env, whole_build(shape, 64, &entries, NULL, NULL),
                                     cases[k].to, &to);
        m.layout        = target->group[0].layout;
        c.origin.from   = source;
        const int64_t w = cairn_tiles_width(&c);

        cr_expect_eq(w > 0, cases[k].tiles, "%s to %s: %lld", cases[k].from,
                     cases[k].to, (long long)w);
        cr_expect_eq(w % 8, 0);
        cairn_local_destroy(&source);
        cairn_local_destroy(&target);
        cairn_format_destroy(&from);
        cairn_format_destroy(&to);
    }
    cairn_entries_fini(&env, &entries);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

Test(stream, copies_rows_of_any_bytes_and_no_others)
{
    enum { ROWS_OF = 3, MOST = 300, TO = MOST + 75, FROM = MOST + 9 };
    static char from[ROWS_OF * FROM + 64], to[ROWS_OF * TO + 64];

    for (int at = 0; at < 64; at += 5)
        for (int n = 0; n < MOST; n += 7) {
            const bool out = n % 2 == 1;

            for (size_t k = 0; k < sizeof from; k++)
                from[k] = (char)(k % 100 + 1);
            memset(to, -1, sizeof to);
            if (out)
                cairn_stream_rows_out(to + at, TO, from + 3, FROM, ROWS_OF, (size_t)n);
            else
                cairn_stream_rows(to + at, TO, from + 3, FROM, ROWS_OF, (size_t)n);
            cairn_stream_end();
            for (int k = 0; k < (int)sizeof to; k++) {
                const int  row = k < at ? 0 : (k - at) / TO, its = k - at - row * TO;
                const bool copied = row < ROWS_OF && its >= 0 && its < n;

                cr_assert_eq(to[k], copied ? (row * FROM + 3 + its) % 100 + 1 : -1);
            }
            for (int k = 0; k < (int)sizeof from; k++) {
                const int  row = k < 3 ? 0 : (k - 3) / FROM, its = k - 3 - row * FROM;
                const bool left = out && row < ROWS_OF && its >= 0 && its < n;

                cr_assert_eq(from[k], left ? 0 : k % 100 + 1);
            }
        }
}
