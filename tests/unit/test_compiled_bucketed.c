// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sources of coordinates in any order stay in buckets until somebody wants them sorted;
/// formats that can be filled from there, repeats added up, have the arrays that the
/// reference way makes of sorted entries. DEALT_SEED=N in the environment runs case N alone.

#include "api/api.h"
#include "support/api.h"
#include "support/crash_note.h"

enum { CASES = 60, FORMATS = 6 };

static const char *const formats[FORMATS] = {
    "csr",
    "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)>, "
    "bits<ptr(1)=64, idx(1)=64> }>",
    "csc",
    "coo",
    "bcsr<2,2>",
    "dcsr",
};

/// One random matrix.
typedef struct {
    uint64_t state;
    int64_t  extent[2], n;
    bool     twice; ///< Entries may be there twice.
    int64_t *coord;
    double  *value;
} example;

static uint64_t draw(example *e)
{
    e->state ^= e->state << 13;
    e->state ^= e->state >> 7;
    e->state ^= e->state << 17;
    return e->state;
}

static void swap(example *e, int64_t a, int64_t b)
{
    for (int k = 0; k < 2; k++) {
        const int64_t c = e->coord[2 * a + k];

        e->coord[2 * a + k] = e->coord[2 * b + k];
        e->coord[2 * b + k] = c;
    }
}

/// Rows of any length: of most cases few, of others one that has nearly everything.
static void make(example *e, uint64_t seed)
{
    static const int64_t sizes[] = {1, 7, 300, 5000, 70000, 400000};
    const int64_t        most = sizes[seed % 6], skew = 1 + (int64_t)(seed / 6 % 4);

    e->state     = seed * 0x9e3779b97f4a7c15 + 1;
    e->extent[0] = 1 + (int64_t)(draw(e) % (uint64_t)(most < 1000 ? 2 * most : most));
    e->extent[1] = 1 + (int64_t)(draw(e) % (uint64_t)(seed % 5 ? 4000 : 10 * most));
    e->twice     = seed % 3 == 2;
    e->coord     = malloc((size_t)most * 2 * sizeof *e->coord);
    e->value     = malloc((size_t)most * sizeof *e->value);
    e->n         = 0;
    for (int64_t k = 0; k < most; k++) {
        const int64_t cells = e->extent[0] * e->extent[1];
        uint64_t      at    = draw(e) % (uint64_t)cells;

        for (int64_t s = 1; s < skew; s++) {
            const uint64_t other = draw(e) % (uint64_t)cells;

            at = other < at ? other : at;
        }
        if (skew > 2) at = at % (uint64_t)(cells / (1 << (k % 12)) + 1);
        if (!e->twice)
            at = (uint64_t)(k * (cells / most))
                 + (at % (uint64_t)(cells / most + 1)) * (cells >= most);
        if (!e->twice && (int64_t)at >= cells) break;
        e->coord[2 * e->n]     = (int64_t)at / e->extent[1];
        e->coord[2 * e->n + 1] = (int64_t)at % e->extent[1];
        e->n++;
    }
    for (int64_t k = e->n - 1; k > 0; k--)
        swap(e, k, (int64_t)(draw(e) % (uint64_t)(k + 1)));
    for (int64_t k = 0; k < e->n; k++)
        e->value[k] = (double)(int64_t)draw(e) / 3e17;
}

static void free_example(example *e)
{
    free(e->coord);
    free(e->value);
}

static cairn_source *must_give(cairn_context *context, const example *e)
{
    cairn_source *source = NULL;

    MUST(context, cairn_source_from_coords(context, 2, e->extent, e->n, e->coord,
                                           e->value, CAIRN_BY_NNZ, &source));
    return source;
}

static cairn_tensor *
must_keep(cairn_context *context, cairn_source *source, const char *text, cairn_dtype t)
{
    cairn_format *format = must_format(context, text);
    cairn_tensor *tensor = NULL;

    MUST(context, cairn_tensor_create(source, format, t, &tensor));
    cairn_format_destroy(&format);
    return tensor;
}

static void check_same(const cairn_tensor *a, const cairn_tensor *b, const char *text)
{
    cairn_array x[CAIRN_MAX_ARRAYS], y[CAIRN_MAX_ARRAYS];
    const int   arrays = cairn_part_arrays(&a->local->part[0], x);

    cr_assert_eq(arrays, cairn_part_arrays(&b->local->part[0], y));
    cr_expect_eq(a->local->part[0].nnz, b->local->part[0].nnz);
    for (int k = 0; k < arrays; k++)
        cr_assert(x[k].bytes == y[k].bytes
                      && memcmp(x[k].data, y[k].data, (size_t)x[k].bytes) == 0,
                  "%s: array %d differs", text, k);
}

static cairn_context *must_context(const char *kernels, int threads)
{
    cairn_context *context;

    setenv("CAIRN_KERNELS", kernels, 1);
    cr_assert_eq(cairn_context_create(&context), CAIRN_OK);
    unsetenv("CAIRN_KERNELS");
    cairn_context_set_threads(context, threads);
    return context;
}

/// @return Whether the source was still in buckets afterwards.
static bool check_format(cairn_context *context,
                         cairn_source  *reference,
                         const example *e,
                         const char    *text,
                         cairn_dtype    dtype)
{
    cairn_source *source   = must_give(context, e);
    cairn_tensor *given    = must_keep(reference->context, reference, text, dtype);
    cairn_tensor *made     = must_keep(context, source, text, dtype);
    const bool    bucketed = source->unsorted && source->unsorted->bucketed.n > 0;

    check_same(given, made, text);
    cairn_tensor_destroy(&made);
    made = must_keep(context, source, text, dtype); /* the same source again */
    check_same(given, made, text);
    cairn_tensor_destroy(&made);
    cairn_tensor_destroy(&given);
    cairn_source_destroy(&source);
    return bucketed;
}

/// What is asked of a source sorts it.
static void
check_described(cairn_context *context, cairn_source *reference, const example *e)
{
    cairn_source     *source = must_give(context, e);
    cairn_source_info a = CAIRN_SOURCE_INFO, b = CAIRN_SOURCE_INFO;

    MUST(context, cairn_source_describe(source, &a));
    MUST(reference->context, cairn_source_describe(reference, &b));
    cr_expect_eq(a.nnz, b.nnz);
    cr_expect_eq(a.max_row, b.max_row);
    cr_expect(!source->unsorted || source->unsorted->bucketed.n == 0);
    cairn_source_destroy(&source);
}

/// The entries in lists of a caller, as programs have them.
typedef struct {
    const char *name;
    int         idx_bits, base;
    int64_t     idx_stride; ///< 0: a list for each mode; else the fields of a struct,
    bool        beside;     ///< the value among them.
    cairn_dtype dtype;
} lists;

static const lists shapes[] = {
    {"32 bits",             32, 0, 0,  false, CAIRN_F64},
    {"32 bits, one-based",  32, 1, 0,  false, CAIRN_F64},
    {"64 bits",             64, 0, 0,  false, CAIRN_F64},
    {"64 bits, one-based",  64, 1, 0,  false, CAIRN_F64},
    {"32 bits, f32",        32, 0, 0,  false, CAIRN_F32},
    {"pairs of 64 bits",    64, 0, 16, false, CAIRN_F64},
    {"structs of 24 bytes", 64, 1, 24, true,  CAIRN_F64},
    {"structs of 12 bytes", 32, 0, 12, true,  CAIRN_F32},
};

enum { SHAPES = sizeof shapes / sizeof *shapes, ROOM = 24 };

static void put(void *to, int bits, int64_t number)
{
    const int32_t narrow = (int32_t)number;

    memcpy(to, bits == 32 ? (const void *)&narrow : &number, (size_t)bits / 8);
}

/// Take the entries from lists, which are gone when it returns.
static cairn_tensor *must_take(cairn_context *context, const example *e, const lists *l)
{
    const int     width = l->idx_bits / 8, value = l->dtype == CAIRN_F32 ? 4 : 8;
    const int64_t n = e->n, apart = l->idx_stride ? l->idx_stride : width;
    char *const   room   = malloc((size_t)n * (2 * ROOM) + 1);
    char *const   second = l->idx_stride ? room + width : room + n * width;
    char *const   values = l->beside ? room + 2 * width : room + n * ROOM;
    cairn_coords  coords = CAIRN_COORDS;
    cairn_format *format = must_format(context, "csr");
    cairn_tensor *tensor = NULL;

    for (int64_t p = 0; p < n; p++) {
        const float narrow = (float)e->value[p];

        put(room + p * apart, l->idx_bits, e->coord[2 * p] + l->base);
        put(second + p * apart, l->idx_bits, e->coord[2 * p + 1] + l->base);
        memcpy(values + p * (l->beside ? apart : value),
               value == 4 ? (const void *)&narrow : &e->value[p], (size_t)value);
    }
    coords.extent[0]  = e->extent[0];
    coords.extent[1]  = e->extent[1];
    coords.entries    = n;
    coords.idx[0]     = room;
    coords.idx[1]     = second;
    coords.idx_bits   = l->idx_bits;
    coords.idx_stride = l->idx_stride;
    coords.base       = l->base;
    coords.val        = values;
    coords.val_stride = l->beside ? apart : 0;
    coords.dtype      = l->dtype;
    MUST(context,
         cairn_tensor_from_coords(context, &coords, CAIRN_COPY, format, &tensor));
    cairn_format_destroy(&format);
    free(room);
    return tensor;
}

/// f32 values are added as f64, once they were rounded.
static void round_values(example *e, cairn_dtype dtype)
{
    for (int64_t p = 0; p < e->n && dtype == CAIRN_F32; p++)
        e->value[p] = (double)(float)e->value[p];
}

Test(compiled_bucketed,
     lists_of_a_caller_give_the_arrays_of_sorted_entries,
     .timeout = 300)
{
    cairn_context *reference = must_context("reference", 1);

    for (int threads = 1; threads <= 2; threads++) {
        cairn_context *context = must_context("compiled", threads);

        for (uint64_t seed = 1; seed <= 4 * SHAPES; seed++) {
            const lists  *l = &shapes[(seed + seed / SHAPES) % SHAPES];
            example       e;
            cairn_source *sorted;
            cairn_tensor *given, *made;

            if (seed % 6 == 5) continue; /* more than are ordered by columns */
            crash_note("seed %llu, %d threads, %s", (unsigned long long)seed, threads,
                       l->name);
            make(&e, seed);
            round_values(&e, l->dtype);
            sorted = must_give(reference, &e);
            given  = must_keep(reference, sorted, "csr", l->dtype);
            made   = must_take(context, &e, l);
            check_same(given, made, l->name);
            if (made->local->part[0].nnz < e.n && e.n > 7) /* and says so */
                cr_expect(strstr(cairn_tensor_how(made), "Combine"), "%s",
                          cairn_tensor_how(made));
            cairn_tensor_destroy(&made);
            cairn_tensor_destroy(&given);
            cairn_source_destroy(&sorted);
            free_example(&e);
        }
        cairn_context_destroy(&context);
    }
    cairn_context_destroy(&reference);
}

/// As many entries as are put into buckets, in cells so few that their words have fewer bits
/// than the buckets' numbers: the last buckets are empty, and begin behind all words.
Test(compiled_bucketed, repeats_of_few_cells_are_added_up, .timeout = 300)
{
    static const struct {
        int64_t rows, columns, used; ///< Rows, columns, and rows that have entries.
    } shapes[] = {
        {16,      1,       16},
        {31,      1,       31},
        {2,       1,       2 },
        {4,       8,       4 },
        {1000000, 1000000, 5 }
    };
    cairn_context *reference = must_context("reference", 1);

    for (int threads = 1; threads <= 2; threads++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            cairn_context *context = must_context("compiled", threads);
            cairn_source  *sorted;
            example        e = {
                       .state  = k + 1,
                       .extent = {shapes[k].rows, shapes[k].columns},
                       .n      = 300000,
                       .twice  = true
            };

            crash_note("shape %d, %d threads", (int)k, threads);
            e.coord = malloc((size_t)e.n * 2 * sizeof *e.coord);
            e.value = malloc((size_t)e.n * sizeof *e.value);
            for (int64_t n = 0; n < e.n; n++) {
                e.coord[2 * n]     = (int64_t)(draw(&e) % (uint64_t)shapes[k].used);
                e.coord[2 * n + 1] = shapes[k].columns / 2;
                e.value[n]         = (double)(int64_t)draw(&e) / 3e17;
            }
            sorted = must_give(reference, &e);
            check_format(context, sorted, &e, "csr", CAIRN_F64);
            check_format(context, sorted, &e, "coo", CAIRN_F64);
            cairn_source_destroy(&sorted);
            free_example(&e);
            cairn_context_destroy(&context);
        }
    cairn_context_destroy(&reference);
}

Test(compiled_bucketed, buckets_give_the_arrays_of_sorted_entries, .timeout = 300)
{
    const char    *only      = getenv("DEALT_SEED");
    cairn_context *reference = must_context("reference", 1);
    int            bucketed = 0, unsorted = 0;

    for (int threads = 1; threads <= 3; threads++) {
        cairn_context *context = must_context("compiled", threads);

        for (uint64_t seed = 1; seed <= CASES; seed++) {
            example       e;
            cairn_source *sorted;

            if (only && strtoull(only, NULL, 10) != seed) continue;
            if (!only && seed % 3 != (uint64_t)threads % 3 && seed % 6 > 3) continue;
            crash_note("seed %llu, %d threads", (unsigned long long)seed, threads);
            make(&e, seed);
            sorted = must_give(reference, &e);
            cr_expect(!sorted->unsorted);
            bucketed += check_format(context, sorted, &e, formats[0], CAIRN_F64);
            unsorted += e.n > 7;
            check_format(context, sorted, &e, formats[seed % FORMATS],
                         seed % 4 ? CAIRN_F64 : CAIRN_F32);
            check_described(context, sorted, &e);
            cairn_source_destroy(&sorted);
            free_example(&e);
        }
        cairn_context_destroy(&context);
    }
    cairn_context_destroy(&reference);
    cr_expect(only || (unsorted > 20 && bucketed >= unsorted * 9 / 10), "%d of %d",
              bucketed, unsorted);
}
