// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Coordinates to CSR: Cairn's reference way (a source is sorted, then stored in a format
/// that is data) against counting sorts written for the purpose, on the same arrays, one
/// thread, fresh memory for all, in interleaved rounds. The arrays must come out alike.
///
/// bench_convert [--rounds N] [--n N] [--json]

#include "api/api.h"
#include "bench.h"

#include <inttypes.h>

enum { MOST_ROUNDS = 101 };

/// Compressed rows, as the hand-written way makes them.
typedef struct {
    int32_t *ptr, *idx;
    double  *val;
} csr;

/// What is timed.
enum { SORT, STORE, HAND, STEPS };

typedef struct {
    const char *name;
    bool        shuffled;
    double      seconds[STEPS][MOST_ROUNDS];
} input;

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "bench_convert: %s: %s\n", what, why);
    exit(1);
}

static void *take(size_t count, size_t size)
{
    void *block = malloc(count * size + 1);

    if (!block) stop("memory", "not enough");
    return block;
}

/// Starts of rows (or columns) from the coordinates.
static int32_t *count(int64_t extent, int64_t nnz, const int64_t *coord)
{
    int32_t *start = take((size_t)extent + 1, sizeof *start);

    memset(start, 0, (size_t)(extent + 1) * sizeof *start);
    for (int64_t p = 0; p < nnz; p++)
        start[coord[p] + 1]++;
    for (int64_t k = 0; k < extent; k++)
        start[k + 1] += start[k];
    return start;
}

/// Rows in order: starts and copies.
static csr store_sorted(const cairn_shape *shape, const cairn_entries *e)
{
    const size_t n = (size_t)e->n;
    csr a = {count(shape->extent[0], e->n, e->coord[0]), take(n, sizeof *a.idx),
             take(n, sizeof *a.val)};

    for (int64_t p = 0; p < e->n; p++)
        a.idx[p] = (int32_t)e->coord[1][p];
    memcpy(a.val, e->value, n * sizeof *a.val);
    return a;
}

/// Any order: to columns, then to rows, which come out sorted.
static csr store_shuffled(const cairn_shape *shape, const cairn_entries *e)
{
    const size_t n    = (size_t)e->n;
    int32_t     *next = count(shape->extent[1], e->n, e->coord[1]);
    int32_t     *row = take(n, sizeof *row), *col = take(n, sizeof *col);
    double      *val = take(n, sizeof *val);

    for (int64_t p = 0; p < e->n; p++) {
        const int32_t to = next[e->coord[1][p]]++;

        row[to] = (int32_t)e->coord[0][p];
        col[to] = (int32_t)e->coord[1][p];
        val[to] = e->value[p];
    }
    free(next);

    csr a = {count(shape->extent[0], e->n, e->coord[0]), take(n, sizeof *a.idx),
             take(n, sizeof *a.val)};

    next = take((size_t)shape->extent[0], sizeof *next);
    memcpy(next, a.ptr, (size_t)shape->extent[0] * sizeof *next);
    for (size_t p = 0; p < n; p++) {
        const int32_t to = next[row[p]]++;

        a.idx[to] = col[p];
        a.val[to] = val[p];
    }
    free(next);
    free(row);
    free(col);
    free(val);
    return a;
}

static void copy_entries(cairn_env *env, const cairn_entries *from, cairn_entries *to)
{
    cairn_entries_init(to, 2);
    if (cairn_entries_reserve(env, to, from->n) != CAIRN_OK)
        stop("memory", env->message);
    for (int k = 0; k < 2; k++)
        memcpy(to->coord[k], from->coord[k], 8 * (size_t)from->n);
    memcpy(to->value, from->value, 8 * (size_t)from->n);
    to->n = from->n;
}

static void shuffle(cairn_entries *e)
{
    uint64_t state = 1;

    for (cairn_pos p = e->n - 1; p > 0; p--) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);

        const cairn_pos q = (cairn_pos)((state >> 11) % (uint64_t)(p + 1));

        for (int k = 0; k < 3; k++) {
            int64_t *const array = k < 2 ? e->coord[k] : (int64_t *)(void *)e->value;
            const int64_t  swap  = array[p];

            array[p] = array[q];
            array[q] = swap;
        }
    }
}

static int64_t load_index(const cairn_array *array, int64_t k)
{
    return cairn_load_int(array->data, k, array->bits / 8, array->bits,
                          array->is_signed);
}

/// Whether Cairn's arrays hold what the hand-written ones do.
static void compare(const cairn_tensor *tensor, const csr *hand)
{
    cairn_array array[CAIRN_MAX_ARRAYS];
    const int   n = cairn_part_arrays(&tensor->local->part[0], array);

    for (int k = 0; k < n; k++) {
        const bool ptr = array[k].kind == CAIRN_ARRAY_PTR;

        if (array[k].kind == CAIRN_ARRAY_VAL) {
            if (memcmp(array[k].data, hand->val, (size_t)array[k].bytes) != 0)
                stop("values", "differ");
            continue;
        }
        for (int64_t p = 0; p < array[k].length; p++)
            if (load_index(&array[k], p) != (ptr ? hand->ptr : hand->idx)[p])
                stop(ptr ? "ptr" : "idx", "differs");
    }
}

/// One round: the entries of @p given sorted and stored by Cairn, and by hand.
static void run(cairn_source        *source,
                const cairn_entries *given,
                const cairn_format  *format,
                int                  round,
                input               *in)
{
    cairn_env *const env    = &source->context->env;
    cairn_tensor    *tensor = NULL;
    double           t[4];

    cairn_entries_fini(env, &source->entries);
    copy_entries(env, given, &source->entries);
    t[0] = bench_seconds();
    if (cairn_entries_sort(env, &source->entries) != CAIRN_OK)
        stop("sort", env->message);
    t[1] = bench_seconds();
    if (cairn_tensor_create(source, format, CAIRN_F64, &tensor) != CAIRN_OK)
        stop("create", env->message);
    t[2] = bench_seconds();

    const csr hand = in->shuffled ? store_shuffled(&source->shape, given)
                                  : store_sorted(&source->shape, given);

    t[3] = bench_seconds();
    for (int k = 0; k < STEPS; k++)
        in->seconds[k][round] = t[k + 1] - t[k];
    compare(tensor, &hand);
    cairn_tensor_destroy(&tensor);
    free(hand.ptr);
    free(hand.idx);
    free(hand.val);
}

static void print(input *in, int rounds, int64_t nnz, bool json, bool first)
{
    double m[STEPS];

    for (int k = 0; k < STEPS; k++)
        m[k] = 1e3 * bench_median(in->seconds[k], rounds);
    if (json)
        printf("%s\n  {\"input\": \"%s\", \"entries\": %" PRId64 ", \"sort_ms\": %.3f, "
               "\"store_ms\": %.3f, \"hand_ms\": %.3f, \"ratio\": %.3f}",
               first ? "" : ",", in->name, nnz, m[SORT], m[STORE], m[HAND],
               (m[SORT] + m[STORE]) / m[HAND]);
    else
        printf("%-10s %10.1f %10.1f %10.1f %8.2f\n", in->name, m[SORT], m[STORE],
               m[HAND], (m[SORT] + m[STORE]) / m[HAND]);
}

static void read_settings(int argc, char **argv, int *rounds, long *n, bool *json)
{
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--json") == 0)
            *json = true;
        else if (strcmp(argv[k], "--rounds") == 0 && k + 1 < argc)
            *rounds = atoi(argv[++k]);
        else if (strcmp(argv[k], "--n") == 0 && k + 1 < argc)
            *n = atol(argv[++k]);
        else
            stop("cannot be understood", argv[k]);
    }
    if (*rounds < 1 || *rounds > MOST_ROUNDS) stop("rounds", "1..101");
}

int main(int argc, char **argv)
{
    static input inputs[] = {
        {.name = "row-sorted"},
        { .name = "shuffled",    .shuffled = true}
    };
    int            rounds  = 7;
    long           n       = 60000;
    bool           json    = false;
    cairn_context *context = NULL;
    cairn_source  *source  = NULL;
    cairn_format  *format  = NULL;
    cairn_entries  given[2];

    read_settings(argc, argv, &rounds, &n, &json);

    const cairn_problem problem = {.size = sizeof(cairn_problem), .n = n, .degree = 18};

    if (cairn_context_create(&context) != CAIRN_OK)
        stop("context", cairn_context_message(context));
    if (cairn_source_generate(context, "fem3", &problem, &source) != CAIRN_OK
        || cairn_format_create(context, "csr", &format) != CAIRN_OK)
        stop("fem3", cairn_context_message(context));
    for (int k = 0; k < 2; k++)
        copy_entries(&context->env, &source->entries, &given[k]);
    shuffle(&given[1]);
    for (int round = 0; round < rounds; round++)
        for (int k = 0; k < 2; k++)
            run(source, &given[k], format, round, &inputs[k]);
    if (json)
        printf("[");
    else {
        bench_print_machine(BENCH_SOURCE, rounds);
        printf("fem3, %" PRId64 " entries to CSR, f64, medians\n"
               "%-10s %10s %10s %10s %8s\n",
               given[0].n, "input", "sort ms", "store ms", "hand ms", "ratio");
    }
    for (int k = 0; k < 2; k++)
        print(&inputs[k], rounds, given[0].n, json, k == 0);
    if (json) printf("\n]\n");
    for (int k = 0; k < 2; k++)
        cairn_entries_fini(&context->env, &given[k]);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    cairn_context_destroy(&context);
    return 0;
}
