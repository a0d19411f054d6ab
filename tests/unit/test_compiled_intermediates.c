// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sources that do not come in an order that the target wants are brought into one before:
/// nothing is sorted then, and the arrays are those of the reference way. What would not
/// pay, or does not fit beside the source, is sorted as ever.

#include "convert/build.h"
#include "format/language.h"
#include "support/brutal.h"
#include "support/conversion.h"
#include "support/kernel_loader.h"
#include "support/names.h"
#include "support/random_format.h"

enum { ROWS = 97, COLS = 83, DEPTH = 41, PATTERNS = 7 };

static cairn_env   env;
static const char *refused; ///< Kernels whose keys begin so are not to be had.

static cairn_status
refusing_load(void *user, const cairn_kernel_request *request, cairn_kernel *kernel)
{
    if (refused && strncmp(request->key, refused, strlen(refused)) == 0)
        return cairn_fail(&env, CAIRN_NO_KERNEL, "refused by the test");
    return test_loader_load(user, request, kernel);
}

/* ---- entries ---- */

static uint64_t mix(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9;
    return x ^ x >> 32;
}

/// Does pattern @p p have an entry there?
static bool has(int p, int64_t i, int64_t j, int64_t k)
{
    const uint64_t at = mix((uint64_t)(i * 10007 + j * 101 + k));

    switch (p) {
    case 0: return at % 4 == 0;
    case 1: return i % 3 && j % 5 && at % 3 == 0; /* empty rows and columns */
    case 2: return i - j < 9 && j - i < 7 && at % 4;
    case 3: return i > ROWS / 2 && j < COLS / 2 && at % 2; /* a corner */
    case 4: return at % 40 == 0;                           /* far apart */
    case 5: return i == 40 || j == 3;
    default: return (i == 3 && j == 80) || (i == 90 && j == 5); /* hardly any */
    }
}

/// @p zeros: some values are 0, and stored.
static void draw(int order, int p, bool zeros, cairn_entries *entries)
{
    cairn_coord d[3];

    cairn_entries_init(entries, order);
    for (d[0] = 0; d[0] < ROWS; d[0]++)
        for (d[1] = 0; d[1] < COLS; d[1]++)
            for (d[2] = 0; d[2] < (order == 3 ? DEPTH : 1); d[2]++)
                if (has(p, d[0], d[1], d[2])
                    && (order == 2 || mix((uint64_t)d[2] * 7 + p) % 3 == 0))
                    cr_assert_eq(
                        cairn_entries_add(
                            &env, entries, d,
                            zeros && entries->n % 7 == 3
                                ? 0
                                : (double)((entries->n * 37 + d[0]) % 1013 + 1)),
                        CAIRN_OK);
}

/* ---- conversions ---- */

#define TREE(levels)                                                                  \
    "#encoding<{ idx_map<(d0,d1,d2)->(" levels ")>, mutation<merge(0,1), trim(0,2)> " \
    "}>"
#define LIST(levels) \
    "#encoding<{ idx_map<(d0,d1)->(" levels ")>, mutation<trim(0,1)> }>"

/// From NULL: from entries.
typedef struct {
    int         order;
    const char *from, *to;
} conversion;

static const conversion conversions[] = {
    {2, "dcsc",           "bcsr<3,3>"                },
    {2, "csc",            "bcsr<2,4>"                },
    {2, "csc",            "ell"                      },
    {2, "csc",            "sell<8>"                  },
    {2, "csc",            "sell-sigma<4,16>"         },
    {2, "csc",            "dcsr"                     },
    {2, "csc",            "coo"                      },
    {2, "csc",            "bdia<8>"                  },
    {2, "csc",            "cisr<4>"                  },
    {2, LIST("d1,d0"),    "bcsr<3,3>"                },
    {2, "csr",            "dcsc"                     },
    {2, "csr",            "bcsc<3,2>"                },
    {2, "bcsr<3,2>",      "bcsc<3,2>"                },
    {2, "csb<16,16>",     "bcsr<3,3>"                },
    {2, "csb<16,16>",     "bcsc<3,3>"                },
    {2, NULL,             "bcsc<2,2>"                },
    {2, NULL,             LIST("d1,d0")              },
    {2, "csc",            "hybrid<bcsr<2,2>,csr,0.5>"},
    {2, "csc",            "hybrid<ell,coo,0.5>"      },
    {3, TREE("d0,d1,d2"), TREE("d1,d0,d2")           },
    {3, TREE("d0,d1,d2"), TREE("d2,d0,d1")           },
    {3, TREE("d0,d1,d2"), TREE("d2,d1,d0")           },
    {3, TREE("d0,d1,d2"), TREE("d0,d2,d1")           },
    {3, TREE("d2,d1,d0"), TREE("d0,d1,d2")           },
    {3, NULL,             TREE("d2,d1,d0")           },
};

enum { CONVERSIONS = sizeof conversions / sizeof *conversions };

static cairn_build build_of(int order, const cairn_format *format, int bits)
{
    static const int64_t extent[] = {ROWS, COLS, DEPTH};
    cairn_build b = {.format = format, .shape = {.order = order}, .value_bits = bits};

    for (int k = 0; k < order; k++) {
        b.shape.extent[k] = extent[k];
        b.box[k]          = (cairn_interval){0, extent[k] - 1};
    }
    return b;
}

static cairn_local *build(const cairn_build *b)
{
    cairn_local *made = NULL;

    cr_assert_eq(cairn_local_build(&env, b, &made), CAIRN_OK, "%s", env.message);
    return made;
}

static bool went_by_way(const cairn_task_log *log)
{
    for (int k = 0; k < log->tasks; k++)
        if (strcmp(log->entry[k].task.label, "order") == 0) return true;
    return false;
}

/// One conversion while it is looked at.
typedef struct {
    const conversion *x;
    cairn_format     *from, *to;
    cairn_entries     entries;
    cairn_local      *source, *reference;
    cairn_build       build; ///< Compiled.
    cairn_task_log    log;
    cairn_path       *path; ///< With the program that ran.
    cairn_route       route;
    char              what[512];
} example;

static void set_up(example          *e,
                   const conversion *x,
                   int               p,
                   bool              zeros,
                   int               bits,
                   test_loader      *loader)
{
    *e = (example){.x = x, .to = parse_format(&env, x->to)};
    snprintf(e->what, sizeof e->what, "%s to %s, pattern %d, zeros %d, bits %d",
             x->from ? x->from : "entries", x->to, p, zeros, bits);
    draw(x->order, p, zeros, &e->entries);
    if (x->from) {
        e->from           = parse_format(&env, x->from);
        cairn_build first = build_of(x->order, e->from, 64);

        first.entries = &e->entries;
        e->source     = build(&first);
    }
    e->build              = build_of(x->order, e->to, bits);
    e->build.entries      = x->from ? NULL : &e->entries;
    e->build.from         = e->source;
    e->reference          = build(&e->build);
    e->build.loader       = &loader->loader;
    e->build.report.log   = &e->log;
    e->build.report.route = &e->route;

    e->build.report.executed = &e->path;
}

static void tear_down(example *e)
{
    cairn_path_destroy(&e->path);
    cairn_local_destroy(&e->source);
    cairn_local_destroy(&e->reference);
    cairn_entries_fini(&env, &e->entries);
    cairn_format_destroy(&e->from);
    cairn_format_destroy(&e->to);
}

static bool is_sort(const cairn_pass *pass)
{
    return pass->what == CAIRN_PASS_SORT;
}

/// Does it look for the nodes of each group?
static bool finds_nodes(const cairn_pass *pass)
{
    return strcmp(pass->method, "groups") == 0 && pass->what == CAIRN_PASS_COUNT;
}

/// Build, and hold the arrays against those of the reference way.
static void check(example *e)
{
    cairn_path_destroy(&e->path);
    cairn_local *made = build(&e->build);

    check_same(e->reference, made, e->what);
    cr_assert_eq(e->route, CAIRN_ROUTE_COMPILED, "%s: route %d", e->what, e->route);
    /* Whose arrays were taken over on the way is no more. */
    for (int k = 0; k < made->groups && went_by_way(&e->log); k++)
        cr_expect_eq(made->group[k].shared, 0, "%s", e->what);
    cairn_local_destroy(&made);
}

static test_loader *begin(int threads)
{
    cairn_env_init(&env);
    env.options.kernels = CAIRN_KERNELS_COMPILED;

    test_loader *loader = test_loader_create(&env, threads);

    loader->loader.load = refusing_load;
    return loader;
}

static void end(test_loader *loader)
{
    test_loader_destroy(loader);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

/// @return passes that look for the nodes of groups.
static int
check_by_way(const conversion *x, int p, bool zeros, int threads, test_loader *loader)
{
    int looked;

    example e;

    loader->loader.threads = threads;
    set_up(&e, x, p, zeros, p % 2 ? 32 : 64, loader);
    check(&e);
    if (p < PATTERNS - 2) {
        cr_expect(went_by_way(&e.log), "%s: straight", e.what);
        cr_expect_eq(count_passes(e.path, is_sort), 0, "%s: sorted", e.what);
    }
    looked = count_passes(e.path, finds_nodes);
    tear_down(&e);
    return looked;
}

Test(compiled_intermediates, nothing_is_sorted_and_arrays_are_the_same, .timeout = 600)
{
    test_loader *loader = begin(1);

    for (int k = 0; k < CONVERSIONS; k++)
        for (int p = 0; p < PATTERNS; p++)
            for (int more = 0; more < 4; more++)
                check_by_way(&conversions[k], p, more & 1, 1 + more / 2, loader);
    end(loader);
}

/// Blocks that have one entry each are not looked for among those of a row of blocks.
Test(compiled_intermediates,
     groups_of_nodes_that_entries_do_not_share_are_gathered,
     .timeout = 60)
{
    static const conversion x[] = {
        {2, "csc",       "bcsr<2,2>"},
        {2, NULL,        "bcsc<2,2>"},
        {2, "bcsr<2,2>", "bcsc<2,2>"}
    };
    test_loader *loader = begin(1);

    for (int k = 0; k < 3; k++)
        for (int p = 2; p <= 4; p += 2) {
            const int looked = check_by_way(&x[k], p, false, 1, loader);

            cr_expect_eq(looked, p == 2, "%s to %s, pattern %d: %d", x[k].from, x[k].to,
                         p, looked);
        }
    end(loader);
}

static void expect_sorted(const conversion *x, int p)
{
    test_loader *loader = begin(1);
    example      e;

    set_up(&e, x, p, false, 64, loader);
    check(&e);
    cr_expect_not(went_by_way(&e.log), "%s", e.what);
    cr_expect_gt(count_passes(e.path, is_sort), 0, "%s", e.what);
    tear_down(&e);
    end(loader);
}

Test(compiled_intermediates,
     where_rows_outnumber_entries_they_are_sorted,
     .timeout = 60)
{
    expect_sorted(&(conversion){2, "csc", "dcsr"}, PATTERNS - 1);
}

/// Slot by slot, nothing is known about columns.
Test(compiled_intermediates, sources_in_no_known_order_are_sorted, .timeout = 60)
{
    expect_sorted(&(conversion){2, "ell", "bcsc<3,2>"}, 0);
}

/// Arrays that a program lent may hold an entry twice.
Test(compiled_intermediates, borrowed_arrays_are_sorted, .timeout = 60)
{
    const conversion x      = {2, "csc", "bcsr<2,2>"};
    test_loader     *loader = begin(1);
    example          e;

    set_up(&e, &x, 0, false, 64, loader);
    void *const own          = e.source->group[0].block;
    e.source->group[0].block = NULL;
    check(&e);
    e.source->group[0].block = own;
    cr_expect_not(went_by_way(&e.log));
    cr_expect_gt(count_passes(e.path, is_sort), 0);
    tear_down(&e);
    end(loader);
}

Test(compiled_intermediates,
     what_does_not_fit_beside_the_source_is_sorted,
     .timeout = 60)
{
    const conversion x      = {2, "csc", "dcsr"};
    test_loader     *loader = begin(1);
    example          e;

    set_up(&e, &x, 0, false, 64, loader);
    e.build.held     = 1 << 20;
    env.memory_limit = e.build.held + e.reference->group[0].bytes;
    check(&e);
    cr_expect_not(went_by_way(&e.log), "the other order was kept");
    cr_expect_gt(count_passes(e.path, is_sort), 0);
    env.memory_limit *= 2;
    e.log.tasks = 0;
    check(&e);
    cr_expect(went_by_way(&e.log));
    cr_expect_eq(count_passes(e.path, is_sort), 0);
    tear_down(&e);
    end(loader);
}

/// A function that cannot be had, on the way there or from there on, is not missed.
Test(compiled_intermediates, without_functions_for_it_entries_are_sorted, .timeout = 60)
{
    static const char *const missing[] = {"convert: histogram", "convert: scatter",
                                          "convert: fill part"};
    const conversion         x         = {2, "csc", "dcsr"};
    test_loader             *loader    = begin(1);

    for (int k = 0; k < 3; k++) {
        example e;

        set_up(&e, &x, 0, false, 64, loader);
        refused = missing[k];
        check(&e);
        refused = NULL;
        cr_expect_not(went_by_way(&e.log), "without %s", missing[k]);
        cr_expect_gt(count_passes(e.path, is_sort), 0);
        tear_down(&e);
    }
    end(loader);
}

/// Build, and forget the result.
static cairn_status build_once(const cairn_build *b)
{
    cairn_local       *made   = NULL;
    const cairn_status status = cairn_local_build(&env, b, &made);

    cr_assert_eq(status == CAIRN_OK, made != NULL);
    cairn_local_destroy(&made);
    return status;
}

Test(compiled_intermediates, nothing_is_left_when_memory_runs_out, .timeout = 120)
{
    static const conversion x[] = {
        {2, "csc",            "bcsr<2,2>"                },
        {2, "csc",            "hybrid<bcsr<2,2>,csr,0.5>"},
        {3, TREE("d0,d1,d2"), TREE("d2,d1,d0")           }
    };
    test_loader *loader = begin(1);

    for (int k = 0; k < 3; k++) {
        example e;

        set_up(&e, &x[k], 4, false, 64, loader);
        CAIRN_BRUTAL(&env, (e.log.tasks = 0, build_once(&e.build)));
        cr_expect(went_by_way(&e.log), "%s", e.what);
        tear_down(&e);
    }
    end(loader);
}
