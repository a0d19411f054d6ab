// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// New values into formats whose values are stored narrow, beside wide ones, and beside a
/// loop by hand that gathers the caller's values in the order in which the format stores
/// them: nanoseconds an entry, the least of all rounds, in turns. Of the refill of wide
/// values also its bytes, in those of the gather, and its time, in the gather's. Bytes are
/// values that are read, and lines of memory that get one, which are fetched and written
/// back, padding with them; positions and numbers are left out, on either side.
///
/// bench_refill [--rounds N] [--rows N] [--threads N] [--gaps] [FORMAT...]
///
/// With --gaps one of the diagonals lacks every third entry.

#include "bench.h"

#include <cairn/cairn.h>

enum { BAND = 7, TYPES = 5, MOST_FORMATS = 20, LINE = 64 };

static const char *const type_names[TYPES] = {"f64", "iso", "i8", "i16", "f32"};

/// A caller's rows: BAND diagonals, those at the edges cut off.
typedef struct {
    int64_t  rows, n;
    bool     gaps; ///< One diagonal lacks every third entry.
    int64_t *ptr;
    int32_t *idx;
    double  *val[TYPES];
} matrix;

static cairn_context *context;

static void must(cairn_status status)
{
    if (status == CAIRN_OK) return;
    fprintf(stderr, "bench_refill: %s\n", cairn_context_message(context));
    exit(1);
}

static void *take(int64_t n, size_t width)
{
    void *const block = malloc((size_t)n * width);

    if (!block) exit(1);
    return block;
}

/// Values that the type holds, and no narrower one.
static double value_of(int type, int64_t k)
{
    const double of[TYPES] = {1 + (double)k / 3, 2.5, (double)(k % 200) - 100,
                              (double)(k % 999) - 500, (double)(k % 4001) / 4096};

    return of[type];
}

static void make(matrix *a)
{
    static const int64_t offset[BAND] = {-4000, -63, -1, 0, 1, 63, 4000};

    a->ptr = take(a->rows + 1, sizeof *a->ptr);
    a->idx = take(a->rows * BAND, sizeof *a->idx);
    for (int64_t i = 0; i < a->rows; i++) {
        a->ptr[i] = a->n;
        for (int t = 0; t < BAND; t++)
            if (i + offset[t] >= 0 && i + offset[t] < a->rows
                && !(a->gaps && t == 5 && i % 3 == 0))
                a->idx[a->n++] = (int32_t)(i + offset[t]);
    }
    a->ptr[a->rows] = a->n;
    for (int type = 0; type < TYPES; type++) {
        a->val[type] = take(a->n, sizeof(double));
        for (int64_t k = 0; k < a->n; k++)
            a->val[type][k] = value_of(type, k);
    }
}

static cairn_tensor *store(const matrix *a, int type, const char *text)
{
    cairn_format *format;
    cairn_tensor *tensor;

    must(cairn_context_set_replays(context, type > 0 ? 1000 : 1));
    must(cairn_format_create(context, text, &format));
    must(cairn_tensor_from_csr(context, a->rows, a->rows, 0, a->rows, a->ptr, 64,
                               a->idx, 32, a->val[type], CAIRN_F64, CAIRN_COPY, format,
                               &tensor));
    cairn_format_destroy(&format);
    must(cairn_tensor_update(tensor, a->val[type])); /* which plans where they go */
    return tensor;
}

/// Whose values stand one behind the other in the format: the entries' numbers, stored.
/// @return How many lines of memory have one of them.
static int64_t find_order(const matrix *a, const char *text, int32_t *from)
{
    double       *number = take(a->n, sizeof *number);
    cairn_format *format;
    cairn_tensor *tensor;
    int64_t       count = 0, lines = 0;
    uintptr_t     last = 0;

    for (int64_t k = 0; k < a->n; k++)
        number[k] = (double)(k + 1);
    must(cairn_context_set_replays(context, 1));
    must(cairn_format_create(context, text, &format));
    must(cairn_tensor_from_csr(context, a->rows, a->rows, 0, a->rows, a->ptr, 64,
                               a->idx, 32, number, CAIRN_F64, CAIRN_COPY, format,
                               &tensor));
    cairn_format_destroy(&format);
    for (int64_t part = 0;; part++) {
        cairn_part_view view = CAIRN_PART_VIEW;

        if (cairn_tensor_part_get(tensor, part, &view) != CAIRN_OK) break;
        const cairn_kernel_part *arrays = view.arrays;

        for (int64_t v = 0; v < arrays->values; v++) {
            const double *const at =
                (const double *)((const char *)arrays->val
                                 + v / arrays->val_block * arrays->val_stride
                                 + v % arrays->val_block * 8);

            if (*at == 0 || count == a->n) continue;
            from[count++] = (int32_t)*at - 1;
            lines += (uintptr_t)at / LINE != last;
            last = (uintptr_t)at / LINE;
        }
        must(cairn_tensor_part_restore(tensor, &view));
    }
    cairn_tensor_destroy(&tensor);
    free(number);
    if (count == a->n) return lines;
    fprintf(stderr, "bench_refill: %s: %lld of %lld entries are stored\n", text,
            (long long)count, (long long)a->n);
    exit(1);
}

/// What a refill has to do at least where values are stored once each.
static void gather(const matrix  *a,
                   const int32_t *from,
                   const double  *val,
                   double        *out,
                   int            threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t k = 0; k < a->n; k++)
        out[k] = val[from[k]];
}

static void measure(const matrix *a, const char *text, int rounds, int threads)
{
    int32_t *const from = take(a->n, sizeof *from);
    double *const  out  = take(a->n, sizeof *out);
    cairn_tensor  *tensor[TYPES];
    double         least[TYPES], by_hand = 1e30;
    const double   lines = (double)find_order(a, text, from);

    for (int type = 0; type < TYPES; type++) {
        tensor[type] = store(a, type, text);
        least[type]  = 1e30;
    }
    for (int r = 0; r < rounds; r++) {
        double begin = bench_seconds(), taken;

        gather(a, from, a->val[0], out, threads);
        taken = bench_seconds() - begin;
        if (taken < by_hand) by_hand = taken;
        for (int type = 0; type < TYPES; type++) {
            begin = bench_seconds();
            must(cairn_tensor_update(tensor[type], a->val[type]));
            taken = bench_seconds() - begin;
            if (taken < least[type]) least[type] = taken;
        }
    }
    printf("%-12s  gather %5.2f  bytes %4.2f  ratio %4.2f", text,
           1e9 * by_hand / (double)a->n,
           (2 * LINE * lines / (double)a->n + 8) / (8 + 2 * 8), least[0] / by_hand);
    for (int type = 0; type < TYPES; type++) {
        cairn_array_info info = CAIRN_ARRAY_INFO;
        int              k    = 0;

        while (cairn_tensor_array(tensor[type], 0, k, &info) == CAIRN_OK
               && strcmp(info.kind, "val") != 0)
            k++;
        printf("  %4s %5.2f", info.stored ? info.stored : type_names[type],
               1e9 * least[type] / (double)a->n);
        cairn_tensor_destroy(&tensor[type]);
    }
    printf("\n");
    free(from);
    free(out);
}

int main(int argc, char **argv)
{
    const char *formats[MOST_FORMATS] = {"csr",     "csc",       "ell",     "dia",
                                         "sell<8>", "bcsr<2,2>", "bdia<64>"};
    int         count = 7, given = 0, rounds = 11, threads = 1;
    matrix      a = {.rows = 200000};

    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "--rounds") == 0 && k + 1 < argc)
            rounds = atoi(argv[++k]);
        else if (strcmp(argv[k], "--rows") == 0 && k + 1 < argc)
            a.rows = atoll(argv[++k]);
        else if (strcmp(argv[k], "--threads") == 0 && k + 1 < argc)
            threads = atoi(argv[++k]);
        else if (strcmp(argv[k], "--gaps") == 0)
            a.gaps = true;
        else if (given < MOST_FORMATS)
            formats[given++] = argv[k];
    if (given > 0) count = given;
    must(cairn_context_create(&context));
    must(cairn_context_set_threads(context, threads));
    make(&a);
    printf("nanoseconds an entry, %lld entries, %d threads\n", (long long)a.n, threads);
    for (int k = 0; k < count; k++)
        measure(&a, formats[k], rounds, threads);
    cairn_context_destroy(&context);
    return 0;
}
