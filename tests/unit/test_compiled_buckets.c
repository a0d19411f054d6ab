// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Entries that go to groups far apart are scattered to buckets first: the
/// arrays are those of the reference way, for any number of threads. Those of a band are
/// scattered to their groups.

#include "convert/build.h"
#include "format/language.h"
#include "support/conversion.h"
#include "support/kernel_loader.h"
#include "support/names.h"
#include "support/random_format.h"

enum { ENTRIES = 220000 }; /* more than one thread is given */

static cairn_env env;

static bool goes_by_buckets(const cairn_pass *pass)
{
    return pass->what == CAIRN_PASS_MOVE && pass->stores == CAIRN_STORES_BUCKETED;
}

/* ---- entries ---- */

/// What is converted.
typedef struct {
    const char *from, *to; ///< from NULL: entries.
    int         value_bits;
    cairn_shape shape;
    bool        near; ///< Entries of a row stand in a band.
} example;

static const char to_last[] =
    "#encoding<{ idx_map<(d0,d1,d2)->(d2,d0,d1)>, mutation<merge(0), trim(1,2)> }>";
static const char from_first[] =
    "#encoding<{ idx_map<(d0,d1,d2)->(d0,d1,d2)>, mutation<merge(0), trim(1,2)> }>";
static const char shifted[] =
    "#encoding<{ idx_map<(d0,d1)->(d1-d0,d0)>, mutation<merge(0), trim(1,1)> }>";

static const example examples[] = {
    {"csr",      "csc",   64, {2, {5000, 70000}},    false},
    {"csr",      "csc",   32, {2, {40000, 900}},     false},
    {"dcsr",     "csc",   64, {2, {300000, 3000}},   false},
    {NULL,       "csc",   64, {2, {7000, 7000}},     false},
    {"csr",      shifted, 64, {2, {3000, 5000}},     false},
    {from_first, to_last, 64, {3, {2000, 50, 3000}}, false},
    {"csr",      "csc",   64, {2, {50000, 50000}},   true },
};

/// Sorted entries, each once: what follows one is a few cells on.
static void make_entries(const example *e, cairn_entries *entries)
{
    const int order = e->shape.order;
    double    cells = 1;
    uint64_t  state = 88172645463325252u;

    cairn_entries_init(entries, order);
    for (int k = 0; k < order; k++)
        cells *= (double)(e->near && k > 0 ? 5 : e->shape.extent[k]);
    const uint64_t step = (uint64_t)(2 * cells / ENTRIES);
    uint64_t       at   = 0;

    for (int n = 0; (double)at < cells; n++) {
        cairn_coord d[CAIRN_MAX_ORDER];
        uint64_t    rest = at;

        for (int k = order - 1; k >= 0; k--) {
            const uint64_t extent = e->near && k > 0 ? 5 : (uint64_t)e->shape.extent[k];

            d[k] = (cairn_coord)(rest % extent);
            rest /= extent;
        }
        if (e->near) d[1] = d[0] + d[1] < e->shape.extent[1] ? d[0] + d[1] : d[1];
        cr_assert_eq(cairn_entries_add(&env, entries, d, n + 0.5), CAIRN_OK);
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        at += 1 + state % (step > 1 ? step : 1);
    }
    cr_assert_eq(cairn_entries_sort(&env, entries), CAIRN_OK);
}

static void check_example(const example *e, int threads)
{
    cairn_entries entries;
    cairn_format *source_format = NULL, *format;
    cairn_local  *source        = NULL, *reference, *compiled;
    test_loader  *loader        = test_loader_create(&env, threads);
    cairn_path   *path          = NULL;
    cairn_build   build;

    make_entries(e, &entries);
    if (e->from)
        source =
            must_build(&env, whole_build(e->shape, e->value_bits, &entries, NULL, NULL),
                       e->from, &source_format);
    reference =
        must_build(&env, whole_build(e->shape, e->value_bits, &entries, source, NULL),
                   e->to, &format);
    cairn_format_destroy(&format);
    build = whole_build(e->shape, e->value_bits, &entries, source, &loader->loader);
    build.report.executed = &path;
    compiled              = must_build(&env, build, e->to, &format);

    check_same(reference, compiled, e->to);
    cr_expect_eq(count_passes(path, goes_by_buckets), e->near ? 0 : 1,
                 "%s to %s: by buckets or not", e->from ? e->from : "entries", e->to);
    cairn_path_destroy(&path);

    cairn_local_destroy(&reference);
    cairn_local_destroy(&compiled);
    cairn_local_destroy(&source);
    cairn_format_destroy(&format);
    cairn_format_destroy(&source_format);
    cairn_entries_fini(&env, &entries);
    test_loader_destroy(loader);
}

static void check_all(int threads)
{
    cairn_env_init(&env);
    env.options.kernels = CAIRN_KERNELS_COMPILED;
    for (size_t k = 0; k < sizeof examples / sizeof *examples; k++)
        check_example(&examples[k], threads);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

/// Columns ascend in every row.
static void check_rows(const cairn_part *part)
{
    const cairn_kernel_level *level = &part->view.level[1];
    int64_t                   wrong = 0, end = 0;

    for (int64_t i = 0; i + 1 < level->ptr_length; i++) {
        int64_t last = -1;

        for (; end < cairn_load_int(level->ptr, i + 1, level->ptr_bits / 8,
                                    level->ptr_bits, false);
             end++) {
            const int64_t j = cairn_load_int(level->idx, end, level->idx_bits / 8,
                                             level->idx_bits, level->idx_signed);

            wrong += j <= last;
            last = j;
        }
    }
    cr_expect_eq(wrong, 0);
    cr_expect_eq(end, part->nnz);
}

/// Give every cell of a matrix in DIA a value. @return cells.
static int64_t fill_diagonals(const cairn_part *part, const cairn_shape *shape)
{
    const cairn_kernel_part *view  = &part->view;
    const cairn_coord        rows  = shape->extent[0];
    int64_t                  cells = 0;

    for (cairn_pos v = 0; v < view->values; v++) {
        const cairn_coord j =
            v % rows
            + cairn_load_int(view->level[0].idx, v / rows, view->level[0].idx_bits / 8,
                             view->level[0].idx_bits, true);

        if (j < 0 || j >= shape->extent[1]) continue;
        cairn_value_set(view, v, (double)(v + 1));
        cells++;
    }
    return cells;
}

/// Diagonals have room where no entry was: a value that got there afterwards is an entry,
/// too, beyond those that the tensor was built with.
Test(compiled_buckets, values_in_padding_are_entries, .timeout = 120)
{
    const example e = {
        "dia", "csr", 64, {2, {400000, 400000}},
           true
    };
    cairn_entries entries;
    cairn_format *source_format, *format;
    cairn_local  *source, *compiled;
    cairn_path   *path = NULL;
    cairn_build   build;

    cairn_env_init(&env);
    env.options.kernels = CAIRN_KERNELS_COMPILED;
    test_loader *loader = test_loader_create(&env, 1);

    make_entries(&e, &entries);
    source = must_build(&env, whole_build(e.shape, e.value_bits, &entries, NULL, NULL),
                        e.from, &source_format);
    const int64_t cells = fill_diagonals(&source->part[0], &e.shape);

    cr_assert_gt(cells, source->part[0].nnz);
    build = whole_build(e.shape, e.value_bits, NULL, source, &loader->loader);
    build.report.executed = &path;
    compiled              = must_build(&env, build, e.to, &format);
    cr_expect_eq(count_passes(path, goes_by_buckets), 1);
    cairn_path_destroy(&path);
    cr_expect_eq(compiled->part[0].nnz, cells);
    check_rows(&compiled->part[0]);

    cairn_local_destroy(&compiled);
    cairn_local_destroy(&source);
    cairn_format_destroy(&format);
    cairn_format_destroy(&source_format);
    cairn_entries_fini(&env, &entries);
    test_loader_destroy(loader);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

Test(compiled_buckets, arrays_are_those_of_the_reference_way, .timeout = 120)
{
    check_all(1);
}

Test(compiled_buckets, threads_change_nothing, .timeout = 120)
{
    check_all(3);
}
