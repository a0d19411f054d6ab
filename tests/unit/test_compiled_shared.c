// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arrays that a conversion takes over from its source: which are, that the result is that
/// of the reference way, byte for byte, whoever of the two goes first, and that none is
/// where values will change, where entries are dropped, or where arrays were lent.

#include "convert/build.h"
#include "support/brutal.h"
#include "support/conversion.h"
#include "support/kernel_loader.h"

#include <pthread.h>

static cairn_env env;

/* ---- matrices ---- */

/// Rows, entries of each, and whether the pattern is symmetric.
typedef struct {
    int64_t rows, each;
    bool    symmetric;
} matrix;

static const matrix small = {60, 4, false}, band = {50, 5, true};
/// Every array of entries has a block of its own.
static const matrix big = {90000, 8, false}, big_band = {130001, 5, true};

/// Rows that are a multiple of 7 are empty, unless the pattern is symmetric.
static void draw(const matrix *x, int order, cairn_entries *entries)
{
    cairn_entries_init(entries, order);
    for (int64_t i = 0; i < x->rows; i++)
        for (int64_t k = 0; k < x->each; k++) {
            const int64_t     j    = x->symmetric
                                         ? i + k - x->each / 2
                                         : k * (x->rows / x->each) + i * 13 % 11 % x->rows;
            const cairn_coord d[3] = {i, order == 2 ? j : j / 3, j % 3};

            if (j < 0 || j >= x->rows || (!x->symmetric && i % 7 == 0)) continue;
            cr_assert_eq(cairn_entries_add(&env, entries, d, (double)(i + k) + 0.5),
                         CAIRN_OK);
        }
}

static cairn_build build_of(const matrix        *x,
                            const cairn_format  *format,
                            const cairn_entries *entries,
                            const cairn_local   *from,
                            int                  bits,
                            test_loader         *loader)
{
    cairn_shape shape = {
        .order = format->order, .extent = {x->rows, x->rows, 3}
    };
    cairn_build b =
        whole_build(shape, bits, entries, from, loader ? &loader->loader : NULL);

    b.format = format;
    return b;
}

static cairn_local *build(const matrix        *x,
                          const cairn_format  *format,
                          const cairn_entries *entries,
                          const cairn_local   *from,
                          int                  bits,
                          test_loader         *loader)
{
    const cairn_build b    = build_of(x, format, entries, from, bits, loader);
    cairn_local      *made = NULL;

    cr_assert_eq(cairn_local_build(&env, &b, &made), CAIRN_OK, "%s", env.message);
    return made;
}

/* ---- what is taken ---- */

enum { VALUES = 1 << CAIRN_MAX_LEVELS, PTR = 2 << CAIRN_MAX_LEVELS };

static bool has_idx(const cairn_local *t, const void *idx)
{
    for (int l = 0; l < t->part[0].view.levels && idx; l++)
        if (t->part[0].view.level[l].idx == idx) return true;
    return false;
}

static bool has_ptr(const cairn_local *t, const void *ptr)
{
    for (int l = 0; l < t->part[0].view.levels && ptr; l++)
        if (t->part[0].view.level[l].ptr == ptr) return true;
    return false;
}

/// Bit l: the idx of level l of @p a is one of @p b's.
static uint32_t in_common(const cairn_local *a, const cairn_local *b)
{
    const cairn_kernel_part *view  = &a->part[0].view;
    uint32_t                 found = view->val == b->part[0].view.val ? VALUES : 0;

    for (int l = 0; l < view->levels; l++) {
        if (has_idx(b, view->level[l].idx)) found |= 1U << l;
        if (has_ptr(b, view->level[l].ptr)) found |= PTR;
    }
    return found;
}

/// Bytes of arrays that both have.
static int64_t bytes_in_common(const cairn_local *a, const cairn_local *b)
{
    cairn_array x[CAIRN_MAX_ARRAYS], y[CAIRN_MAX_ARRAYS];
    const int   n     = cairn_part_arrays(&a->part[0], x);
    const int   m     = cairn_part_arrays(&b->part[0], y);
    int64_t     bytes = 0;

    for (int k = 0; k < n; k++)
        for (int j = 0; j < m; j++)
            if (x[k].bytes && x[k].data == y[j].data) bytes += x[k].bytes;
    return bytes;
}

typedef struct {
    const char *from, *to;
    int         order;
    const int   bits[2];
    uint32_t    taken;
} pair;

#define LEVELS(map, rest) "#encoding<{ idx_map<" map ">, mutation<" rest "> }>"
#define NARROW(map, rest) \
    "#encoding<{ idx_map<" map ">, mutation<" rest ">, bits<idx = 64> }>"
#define MATRIX     "(d0,d1)->(d0,d1)"
#define BY_COLUMNS "(d0,d1)->(d1,d0)"
#define CUBE       "(d0,d1,d2)->(d0,d1,d2)"
#define SHIFTED    "(d0,d1)->(d0,d1+5)"
#define IN_TUPLES \
    "#encoding<{ idx_map<" MATRIX ">, mutation<trim(0,1)>, layout<pack(0,1)> }>"

static const pair pairs[] = {
    {"coo",                   "csr",        2,          {64, 64},               VALUES | 2                              },
    {"coo",                   "csr",        2,          {32, 32},               VALUES | 2                              },
    {"coo",                   "csr",        2,          {64, 32},               2                                       },
    {"csr",                   "coo",        2,          {64, 64},               VALUES | 2                              },
    {"csr",                   "dcsr",       2,          {64, 64},               VALUES | 2                              },
    {"dcsr",                  "csr",        2,          {64, 64},               VALUES | 2                              },
    {"dcsr",                  "coo",        2,          {32, 64},               2                                       },
    {"csc",                   "dcsc",       2,          {64, 64},               VALUES | 2                              },
    {LEVELS(BY_COLUMNS,       "trim(0,1)"), "csc",      2,                      {64, 64},                                 VALUES | 2},
    {"coo",                       "coo",                               2,              {64, 64},     VALUES | 3                       },
    {"csr",                       "csr",                               2,              {64, 64},     VALUES | 2},
    {LEVELS(CUBE,                       "trim(0,2)"),
     LEVELS(CUBE, "merge(0), trim(1,2)"),
     3,                                                                                 {64, 64},
     VALUES | 6},
    {LEVELS(CUBE,               "merge(0,1), trim(0,2)"),
     LEVELS(CUBE,                                      "merge(0), trim(1,2)"),
     3,                                                    {64, 64},
     VALUES | 4},
    {LEVELS(CUBE, "merge(0), trim(1,2)"),
     LEVELS(CUBE,                                       "merge(0,1), trim(0,2)"),
     3,                                                                                                        {64, 64},
     VALUES | 4},
 /* Other indices, other widths, tuples. */
    {"coo", LEVELS(SHIFTED,                           "merge(0), trim(1,1)"),2,                                                                         {64, 64},  VALUES},
    {"coo",                       NARROW(MATRIX,                               "merge(0), trim(1,1)"),                           2, {64, 64},                                                                  VALUES},
    {IN_TUPLES,                 "csr",                             2,                                   {64, 64},                      0        },
 /* Another order; what pads may drop entries; some of them. */
    {"csr",               "csb<8,8>",                     2,                               {64, 64},                                             0},
    {"ell",               "csr",                          2,  {64, 64},0      },
    {"csr",               "bcsr<2,2>",                          2,      {64, 64},0  },
    {"csr",               "hybrid<bdia<16>,csr,0.6>",                          2,                                   {64, 64},                                                       0                                                               },
};

static const char *text_of(const pair *p, const matrix *x)
{
    static char text[400];

    snprintf(text, sizeof text, "%s to %s, %lld rows", p->from, p->to,
             (long long)x->rows);
    return text;
}

static void check_bytes(const cairn_local *made, const cairn_local *source)
{
    if (made->groups > 1) return;
    cr_expect_eq(made->group[0].shared, bytes_in_common(made, source));
}

/// Convert, @p first telling which of the two goes first.
static void check(const pair *p, const matrix *x, bool first, test_loader *loader)
{
    cairn_format *from = parse_format(&env, p->from), *to = parse_format(&env, p->to);
    cairn_entries entries;

    draw(x, p->order, &entries);
    cairn_local *source    = build(x, from, &entries, NULL, p->bits[0], NULL);
    cairn_local *again     = build(x, from, &entries, NULL, p->bits[0], NULL);
    cairn_local *reference = build(x, to, &entries, source, p->bits[1], NULL);
    cairn_local *made      = build(x, to, &entries, source, p->bits[1], loader);

    cr_expect_eq(in_common(made, source), p->taken, "%s: %x, not %x", text_of(p, x),
                 in_common(made, source), p->taken);
    cr_expect_eq(in_common(reference, source), 0);
    check_bytes(made, source);
    check_same(reference, made, text_of(p, x));
    if (first) {
        cairn_local_destroy(&made);
        check_same(again, source, text_of(p, x));
    }
    cairn_local_destroy(&source);
    if (made) check_same(reference, made, text_of(p, x));
    cairn_local_destroy(&made);
    cairn_local_destroy(&reference);
    cairn_local_destroy(&again);
    cairn_entries_fini(&env, &entries);
    cairn_format_destroy(&from);
    cairn_format_destroy(&to);
}

static test_loader *begin(int threads)
{
    cairn_env_init(&env);
    env.options.kernels = CAIRN_KERNELS_COMPILED;
    return test_loader_create(&env, threads);
}

static void end(test_loader *loader)
{
    test_loader_destroy(loader);
    cr_expect_eq(env.live_blocks, 0);
    cr_expect_eq(env.live_bytes, 0);
    cairn_env_fini(&env);
}

static void check_all(const matrix *x, int threads)
{
    static const matrix empty  = {30, 0, false};
    test_loader        *loader = begin(threads);

    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        for (int first = 0; first < 2; first++)
            check(&pairs[k], x, first, loader);
    const pair nothing = {
        "coo", "csr", 2, {64, 64},
           0
    };

    check(&nothing, &empty, true, loader);
    end(loader);
}

Test(compiled_shared, small_arrays, .timeout = 300)
{
    check_all(&small, 1);
}

Test(compiled_shared, big_arrays, .timeout = 300)
{
    check_all(&big, 1);
}

Test(compiled_shared, on_several_threads, .timeout = 300)
{
    check_all(&big, 3);
}

/* ---- mirrored ---- */

static void check_mirrored(const matrix *x)
{
    const uint32_t all = x->symmetric ? 2U | PTR : 0;
    const pair     p[] = {
            {"csr",                   "csc", 2,        {64, 64}, all},
            {     "csc",                  "csr",     2, {64, 32},      all   },
            { "csr", NARROW(BY_COLUMNS,     "merge(0), trim(1,1)"), 2,        {64, 64},    0}
    };
    test_loader *loader = begin(1);

    for (int k = 0; k < 3; k++)
        for (int first = 0; first < 2; first++)
            check(&p[k], x, first, loader);
    end(loader);
}

Test(compiled_shared, what_is_mirrored_has_the_indices_of_its_source, .timeout = 120)
{
    check_mirrored(&band);
    check_mirrored(&big_band);
}

Test(compiled_shared, what_is_not_symmetric_has_its_own, .timeout = 120)
{
    check_mirrored(&small);
    check_mirrored(&big);
}

/* ---- whose they are ---- */

/// A source, from which others are made.
typedef struct {
    const matrix *x;
    cairn_entries entries;
    cairn_format *coo, *csr;
    cairn_local  *source;
    test_loader  *loader;
} example;

static void set_up(example *e, const matrix *x)
{
    *e     = (example){.x = x, .loader = begin(1)};
    e->coo = parse_format(&env, "coo");
    e->csr = parse_format(&env, "csr");
    draw(x, 2, &e->entries);
    e->source = build(x, e->coo, &e->entries, NULL, 64, NULL);
}

static void tear_down(example *e)
{
    cairn_local_destroy(&e->source);
    cairn_entries_fini(&env, &e->entries);
    cairn_format_destroy(&e->coo);
    cairn_format_destroy(&e->csr);
    end(e->loader);
}

static void check_chain(const matrix *x)
{
    example e;

    set_up(&e, x);
    cairn_local *const again = build(x, e.coo, &e.entries, NULL, 64, NULL);
    cairn_local       *last  = build(x, e.coo, &e.entries, NULL, 64, NULL);

    for (int k = 1; k < 6; k++) {
        cairn_local *next = build(x, k % 2 ? e.csr : e.coo, NULL, last, 64, e.loader);

        cr_expect_neq(in_common(next, last), 0);
        cairn_local_destroy(&last);
        last = next;
    }
    cairn_local *back = build(x, e.coo, NULL, last, 64, e.loader);

    cairn_local_destroy(&last);
    check_same(again, back, "there and back");
    cairn_local_destroy(&back);
    cairn_local *held = again;

    cairn_local_destroy(&held);
    tear_down(&e);
}

Test(compiled_shared, through_a_chain_of_conversions)
{
    check_chain(&small);
    check_chain(&big);
}

/// What only the source had goes with it, if it is big.
Test(compiled_shared, nothing_is_kept_for_the_sake_of_other_arrays)
{
    example e;

    set_up(&e, &big);
    const cairn_kernel_level *level  = &e.source->part[0].view.level[0];
    const int64_t             before = env.live_bytes;
    const int64_t             rows   = level->idx_length * (level->idx_bits / 8);
    cairn_local              *made   = build(e.x, e.csr, NULL, e.source, 64, e.loader);
    const cairn_kernel_level *row    = &made->part[0].view.level[1];
    const int64_t             ptr    = row->ptr_length * (row->ptr_bits / 8);

    cr_expect_lt(env.live_bytes, before + ptr + (1 << 19));
    cairn_local_destroy(&e.source);
    cr_expect_lt(env.live_bytes, before + ptr + (1 << 19) - rows);
    cairn_local_destroy(&made);
    tear_down(&e);
}

/// Neither do others see its values change, nor does it see theirs.
Test(compiled_shared, values_that_change_are_not_in_common)
{
    example e;

    set_up(&e, &small);
    e.source->pattern.kept = true;
    cairn_local *made      = build(e.x, e.csr, NULL, e.source, 64, e.loader);

    cr_expect_eq(in_common(made, e.source), 2);
    cr_expect_eq(made->group[0].shared, bytes_in_common(made, e.source));
    for (cairn_pos v = 0; v < e.source->part[0].view.values; v++)
        cairn_value_set(&e.source->part[0].view, v, -1);
    for (cairn_pos v = 0; v < made->part[0].view.values; v++)
        cr_assert_geq(cairn_value_get(&made->part[0].view, v), 0);
    cairn_local_destroy(&made);
    tear_down(&e);
}

/// Arrays that a program lent may change, or go, at any time.
Test(compiled_shared, lent_arrays_are_copied)
{
    example e;

    set_up(&e, &small);
    void *const own          = e.source->group[0].block;
    e.source->group[0].block = NULL;
    cairn_local *made        = build(e.x, e.csr, NULL, e.source, 64, e.loader);
    e.source->group[0].block = own;

    cr_expect_eq(in_common(made, e.source), 0);
    cairn_local_destroy(&made);
    tear_down(&e);
}

/* ---- memory ---- */

static cairn_status build_once(const cairn_build *b)
{
    cairn_local       *made   = NULL;
    const cairn_status status = cairn_local_build(&env, b, &made);

    cairn_local_destroy(&made);
    return status;
}

static void check_failures(const matrix *x, const char *from, const char *to)
{
    example       e;
    cairn_format *a, *b;

    set_up(&e, x);
    a                        = parse_format(&env, from);
    b                        = parse_format(&env, to);
    cairn_local      *source = build(x, a, &e.entries, NULL, 64, NULL);
    const cairn_build way    = build_of(x, b, NULL, source, 64, e.loader);

    CAIRN_BRUTAL(&env, build_once(&way));
    cairn_local_destroy(&source);
    cairn_format_destroy(&a);
    cairn_format_destroy(&b);
    tear_down(&e);
}

Test(compiled_shared, nothing_is_left_when_memory_runs_out, .timeout = 120)
{
    check_failures(&big, "coo", "csr");
    check_failures(&big, "csr", "dcsr");
    check_failures(&big_band, "csr", "csc");
    check_failures(&band, "csr", "csc");
}

/// There is room for what has to be written, not for what is there.
Test(compiled_shared, arrays_in_common_need_no_memory)
{
    example e;

    set_up(&e, &big);
    cairn_build b    = build_of(e.x, e.csr, NULL, e.source, 64, e.loader);
    b.held           = env.used_bytes;
    env.memory_limit = b.held + (1 << 20);
    cr_expect_eq(build_once(&b), CAIRN_OK, "%s", env.message);
    e.source->pattern.kept = true;
    cr_expect_eq(build_once(&b), CAIRN_NO_MEMORY);
    env.memory_limit = INT64_MAX;
    tear_down(&e);
}

static void *hold_and_free(void *block)
{
    for (int k = 0; k < 20000; k++) {
        cairn_hold(block);
        cairn_free(&env, block);
    }
    cairn_free(&env, block);
    return NULL;
}

Test(compiled_shared, the_last_holder_frees_a_block)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    void     *block;

    cairn_env_init(&env);
    cr_assert_eq(cairn_alloc(&env, 100, 1, &block), CAIRN_OK);
    for (int t = 0; t < THREADS; t++) {
        cairn_hold(block);
        cr_assert_eq(pthread_create(&thread[t], NULL, hold_and_free, block), 0);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    cr_expect_eq(env.live_blocks, 1);
    cr_expect_eq(env.live_bytes, 100);
    cairn_free(&env, block);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}
