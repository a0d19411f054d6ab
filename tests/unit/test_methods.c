// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Methods of conversions: what the planner says would have done instead does, with the
/// same arrays; and the plan without entries names the methods that run with them.

#include "convert/build_plan.h"
#include "convert/method.h"
#include "rules/path.h"
#include "support/conversion.h"
#include "support/every_format.h"
#include "support/random_tensor.h"

#include <criterion/parameterized.h>

/// What a conversion starts from; NULL: entries.
static const char *const sources[] = {NULL, "coo", "csr", "csc", "bcsr<2,2>"};

enum {
    ROWS    = 61,
    COLS    = 47,
    ENTRIES = 500,
};

typedef struct {
    cairn_env           env;
    cairn_kernel_loader loader;
    cairn_entries       entries;
    cairn_shape         shape;
} bench;

static void open_bench(bench *b)
{
    *b = (bench){
        .loader = {.interprets = true, .vector_bytes = 32, .threads = 1},
        .shape  = {.order = 2,                  .extent = {ROWS, COLS}                          }
    };
    cairn_env_init(&b->env);
    b->env.options.kernels = CAIRN_KERNELS_COMPILED;
    cairn_entries_init(&b->entries, 2);
    cr_assert_eq(cairn_entries_reserve(&b->env, &b->entries, ENTRIES), CAIRN_OK);
    for (int k = 0; k < ENTRIES; k++) {
        const int p = k * 5 + k * k % 5; /* no position twice, rows of unlike lengths */

        cr_assert_eq(cairn_entries_add(&b->env, &b->entries,
                                       (cairn_coord[]){p / COLS, p % COLS}, k + 1),
                     CAIRN_OK);
    }
}

static void close_bench(bench *b)
{
    cairn_entries_fini(&b->env, &b->entries);
    cr_expect_eq(b->env.live_blocks, 0, "%ld blocks leak", (long)b->env.live_blocks);
    cairn_env_fini(&b->env);
}

/// The method that moved a member's entries, of the target; NULL: there is none.
static const char *method_of(const cairn_pass_list *program, int member)
{
    const char *method = NULL;

    for (int k = 0; k < program->passes; k++)
        if (program->pass[k].into == 0 && program->pass[k].member == member)
            method = program->pass[k].method;
    return method;
}

/// Build by one method; what it made is what was made before.
static void check_forced(bench             *b,
                         cairn_build        build,
                         const char        *name,
                         const char        *method,
                         const cairn_local *want)
{
    cairn_path  *path   = NULL;
    cairn_local *forced = NULL;
    const char  *ran;

    snprintf(b->env.options.convert, sizeof b->env.options.convert, "%s", method);
    build.report.executed = &path;
    cr_assert_eq(cairn_local_build(&b->env, &build, &forced), CAIRN_OK, "%s by %s: %s",
                 name, method, b->env.message);
    b->env.options.convert[0] = '\0';
    ran                       = method_of(&path->program, 0);
    cr_expect(strcmp(ran, method) == 0
                  || (strcmp(method, "scatter") == 0 && strcmp(ran, "mirror") == 0),
              "%s by %s: it was %s", name, method, ran);
    check_same(forced, want, name);
    cairn_local_destroy(&forced);
    cairn_path_destroy(&path);
}

static int check_alternatives(bench             *b,
                              const cairn_build *build,
                              const char        *name,
                              const cairn_path  *path,
                              const cairn_local *want)
{
    const cairn_pass_list *program = &path->program;
    int                    checked = 0;

    for (int k = 0; k < program->passes; k++) {
        const cairn_pass *pass = &program->pass[k];

        if (pass->into > 0 || pass->member != 0
            || (k > 0
                && program->pass[k - 1].alternatives.first == pass->alternatives.first))
            continue;
        for (int a = 0; a < pass->alternatives.count; a++, checked++)
            check_forced(b, *build, name,
                         program->alternative[pass->alternatives.first + a].method,
                         want);
    }
    return checked;
}

/// One target from all sources.
static int check_target(bench *b, const char *name)
{
    int checked = 0;

    for (size_t s = 0; s < sizeof sources / sizeof *sources; s++) {
        cairn_format *from_format = NULL, *format = parse_format(&b->env, name);
        cairn_local  *from = NULL, *made = NULL;
        cairn_path   *path  = NULL;
        cairn_build   build = whole_build(b->shape, 64, &b->entries, NULL, &b->loader);

        if (sources[s]) {
            from  = must_build(&b->env, build, sources[s], &from_format);
            build = whole_build(b->shape, 64, NULL, from, &b->loader);
        }
        build.format          = format;
        build.report.executed = &path;
        cr_assert_eq(cairn_local_build(&b->env, &build, &made), CAIRN_OK, "%s: %s",
                     name, b->env.message);
        build.report.executed = NULL;
        if (format->members == 1)
            checked += check_alternatives(b, &build, name, path, made);
        cairn_path_destroy(&path);
        cairn_local_destroy(&made);
        cairn_local_destroy(&from);
        cairn_format_destroy(&format);
        cairn_format_destroy(&from_format);
    }
    return checked;
}

Test(methods, alternatives_do_the_same, .timeout = 240)
{
    bench b;
    int   checked = 0;

    open_bench(&b);
    for (int t = 0; t < FORMATS; t++)
        checked += check_target(&b, formats[t]);
    cr_expect_gt(checked, 60, "only %d alternatives", checked);
    close_bench(&b);
}

/// Plans need no entries, give every member a method, and say what else would do.
Test(methods, plans_name_methods)
{
    bench b;

    open_bench(&b);
    b.env.options.kernels = CAIRN_KERNELS_AUTO;
    for (int t = 0; t < FORMATS; t++)
        for (size_t s = 0; s < sizeof sources / sizeof *sources; s++) {
            cairn_format   *from = sources[s] ? parse_format(&b.env, sources[s]) : NULL;
            cairn_format   *to   = parse_format(&b.env, formats[t]);
            cairn_pass_list program;

            cairn_pass_list_init(&program, &b.env);
            cr_assert_eq(cairn_build_plan(&b.env, from, to, NULL, NULL, &program),
                         CAIRN_OK, "%s: %s", formats[t], b.env.message);
            for (int m = 0; m < to->members; m++)
                cr_expect(method_of(&program, m), "%s: member %d goes no way",
                          formats[t], m);
            for (int k = 0; k < program.passes; k++)
                cr_expect(program.pass[k].bytes >= 0);
            cairn_pass_list_fini(&program);
            cairn_format_destroy(&to);
            cairn_format_destroy(&from);
        }
    close_bench(&b);
}

/// Where a method is asked for, a plan refuses what a conversion would.
Test(methods, plans_refuse_what_does_not_apply)
{
    bench           b;
    cairn_format   *from, *to;
    cairn_pass_list program;

    open_bench(&b);
    from = parse_format(&b.env, "csr");
    to   = parse_format(&b.env, "csc");
    cairn_pass_list_init(&program, &b.env);
    strcpy(b.env.options.convert, "append");
    cr_expect_eq(cairn_build_plan(&b.env, from, to, NULL, NULL, &program),
                 CAIRN_BAD_OPTION);
    cr_expect(strstr(b.env.message, "member 0"), "%s", b.env.message);
    strcpy(b.env.options.convert, "sort");
    cr_expect_eq(cairn_build_plan(&b.env, from, to, NULL, NULL, &program), CAIRN_OK);
    cr_expect_str_eq(method_of(&program, 0), "sort");
    cairn_pass_list_fini(&program);
    cairn_format_destroy(&to);
    cairn_format_destroy(&from);
    close_bench(&b);
}

/// A member of few entries is read from all, whatever the method: what its method does for
/// every group it has to be charged for, too.
Test(methods, few_entries_of_many_are_appended)
{
    bench         b;
    cairn_format *csr  = NULL, *hybrid;
    cairn_path   *path = NULL;
    cairn_local  *from, *made = NULL;

    open_bench(&b);
    b.shape = (cairn_shape){
        .order = 2, .extent = {400, 400}
    };
    cairn_entries_fini(&b.env, &b.entries);
    cairn_entries_init(&b.entries, 2);
    for (int i = 0; i < 400; i++)
        for (int j = i; j < 400 && j < i + 4; j++)
            if (j < i + 3 || i % 100 == 7) /* three diagonals and four entries */
                cr_assert_eq(
                    cairn_entries_add(&b.env, &b.entries, (cairn_coord[]){i, j}, 1 + i),
                    CAIRN_OK);
    hybrid = parse_format(&b.env, "hybrid<bdia<8>,csr,0.5>");
    from   = must_build(&b.env, whole_build(b.shape, 64, &b.entries, NULL, &b.loader),
                        "csr", &csr);
    cairn_build build     = whole_build(b.shape, 64, NULL, from, &b.loader);
    build.format          = hybrid;
    build.report.executed = &path;
    cr_assert_eq(cairn_local_build(&b.env, &build, &made), CAIRN_OK, "%s",
                 b.env.message);
    cr_expect_str_eq(method_of(&path->program, 0), "groups");
    cr_expect_str_eq(method_of(&path->program, 1), "append");
    cairn_path_destroy(&path);
    cairn_local_destroy(&made);
    cairn_local_destroy(&from);
    cairn_format_destroy(&hybrid);
    cairn_format_destroy(&csr);
    close_bench(&b);
}

/// Entries come in the order of numbers, too: by these they are appended, or scattered to
/// groups, but not where groups would be dozens for each entry.
Test(methods, numbers_that_ascend_are_not_sorted)
{
    static const char count[] =
        "count = sum(value) groupBy (d0,d1)->(d0); slot = enum(value) groupBy "
        "(d0,d1)->(d0) with value eq 0 -> count | otherwise -> 0";
    static const char block[] =
        "block = sum(value) groupBy (d0,d1)->(d0/4,d1/4); width = sum(block) groupBy "
        "(d0,d1)->(d0/4); slot = enum(block) groupBy (d0,d1)->(d0/4) traverseBy "
        "(d0,d1)->(d1/4) with block eq 0 -> width | otherwise -> 0";
    static const char load[] =
        "load = sum(value) groupBy (d0,d1)->(d0); place = reorder(load)";
    const struct {
        const char *map, *mutation, *queries, *method;
    } cases[] = {
        {"d0,d1,slot",         "merge(0,1), trim(0,2)",   count, "append" },
        {"d0,slot,d1",         "merge(0,1), trim(0,2)",   count, "append" },
        {"d0,d1,slot",         "merge(0), trim(0,2)",     block, "append" },
        {"d1,d0,slot",         "merge(0), trim(1,2)",     count, "scatter"},
        {"d1,d0,slot",         "merge(0), trim(1,2)",     block, "scatter"},
        {"d1,d0/2,d0,slot",    "merge(0,1), trim(2,3)",   count, "scatter"},
        {"d1,d0,d0%5,slot",    "merge(0,1,2), trim(3,3)", count, "sort"   },
        {"d1,-slot,d0",        "merge(0), trim(1,2)",     count, "sort"   },
        {"place,d0%5,d1,d0/5", "merge(0,1), trim(2,3)",   load,  "rows"   },
    };
    bench b;

    open_bench(&b);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        cairn_path  *path = NULL;
        cairn_local *made = NULL, *want = NULL;
        cairn_build  build = whole_build(b.shape, 64, &b.entries, NULL, &b.loader);
        char         text[512];

        snprintf(
            text, sizeof text,
            "#encoding<{ idx_map<(d0,d1)->(%s)>, mutation<%s>, indirect<{ %s }> }>",
            cases[k].map, cases[k].mutation, cases[k].queries);
        cairn_format *format = parse_format(&b.env, text);

        build.format          = format;
        build.report.executed = &path;
        cr_assert_eq(cairn_local_build(&b.env, &build, &made), CAIRN_OK, "%s: %s", text,
                     b.env.message);
        cr_expect_str_eq(method_of(&path->program, 0), cases[k].method, "%s: %s", text,
                         method_of(&path->program, 0));
        build.report.executed = NULL;
        build.loader          = NULL; /* the reference way */
        cr_assert_eq(cairn_local_build(&b.env, &build, &want), CAIRN_OK);
        check_same(made, want, text);
        cairn_path_destroy(&path);
        cairn_local_destroy(&made);
        cairn_local_destroy(&want);
        cairn_format_destroy(&format);
    }
    close_bench(&b);
}
