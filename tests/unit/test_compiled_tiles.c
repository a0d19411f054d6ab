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

/// The memory that is used again is to be anything.
static void spoil(const cairn_part *part)
{
    cairn_array array[CAIRN_MAX_ARRAYS];
    const int   arrays = cairn_part_arrays(part, array);

    for (int k = 0; k < arrays; k++)
        memset(array[k].data, 0x5a, (size_t)array[k].bytes);
}

/// Twice: the second time in the memory of the first.
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
        cairn_compiled     c      = {.m = &m, .groups = {.n = cases[k].nodes}};

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

/// A table whose rows have so many bytes, from where its first row begins in a line.
enum { STREAM_ROWS = 3, STREAM_LONG = 330, STREAM_WIDE = 160, STREAM_APART = 17 };

static int byte_of(int row, int k)
{
    return (row * STREAM_LONG + k) % 100 + 1;
}

/// Send @p n bytes of all rows by pieces: @p first of them, then so many as @p piece says.
static void send_pieces(cairn_stream_table *t, int n, int first, int piece)
{
    for (int done = 0, next = first < n ? first : n; done < n; done += next) {
        if (done > 0) next = done + piece < n ? piece : n - done;
        for (int r = 0; r < STREAM_ROWS; r++)
            for (int k = 0; k < next; k++) {
                char *const at = t->tile + r * (int)t->tile_stride + k;

                if (t->clear && done > 0) cr_assert_eq(*at, 0);
                *at = (char)byte_of(r, done + k);
            }
        cairn_stream_send(t, (size_t)next);
    }
    cairn_stream_end(t);
}

/// What comes before the rows, between them and behind is not written.
static void check_rows(const char *to, int stride, int n)
{
    for (int k = -STREAM_APART; k < STREAM_ROWS * stride; k++) {
        const int row = k < 0 ? 0 : k / stride, its = k - row * stride;

        cr_assert_eq(to[k], its >= 0 && its < n ? byte_of(row, its) : -1);
    }
}

Test(stream, sends_rows_of_any_bytes_by_any_pieces_and_no_others, .timeout = 240)
{
    enum { STRIDE = STREAM_LONG + STREAM_APART, TILE_STRIDE = STREAM_WIDE + 64 };
    static const int         pieces[] = {1, 7, 24, 63, 64, 65, 128, STREAM_WIDE};
    static _Alignas(64) char tile[STREAM_ROWS * TILE_STRIDE + 64];
    static _Alignas(64) char to[64 + STREAM_APART + STREAM_ROWS * STRIDE];

    for (int at = 0; at < 64; at += at % 8 ? 1 : 3)
        for (int n = 0; n < STREAM_LONG; n += n < 130 ? 1 : 11)
            for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
                const int          first = pieces[(p + (size_t)(at + n)) % 8];
                cairn_stream_table t     = {.to          = to + STREAM_APART + at,
                                            .tile        = tile + 64,
                                            .to_stride   = STRIDE,
                                            .tile_stride = TILE_STRIDE,
                                            .rows        = STREAM_ROWS,
                                            .clear       = n % 2 == 1};

                memset(to, -1, sizeof to);
                send_pieces(&t, n, first, pieces[p]);
                check_rows(to + STREAM_APART + at, STRIDE, n);
            }
}

/// Bytes from anywhere in a line to anywhere in one, and no others.
Test(stream, copies_any_bytes_and_no_others)
{
    static _Alignas(64) char from[64 + STREAM_LONG], to[128 + STREAM_LONG];

    for (size_t k = 0; k < sizeof from; k++)
        from[k] = (char)byte_of(0, (int)k);
    for (int at = 0; at < 64; at++)
        for (int n = 0; n < STREAM_LONG - 64; n += n < 200 ? 1 : 11) {
            const int other = (at * 7 + n) % 64;

            memset(to, -1, sizeof to);
            cairn_stream_copy(to + 1 + at, from + other, (size_t)n);
            for (int k = 0; k < (int)sizeof to; k++) {
                const int its = k - 1 - at;

                cr_assert_eq(to[k], its >= 0 && its < n ? from[other + its] : -1);
            }
        }
}
