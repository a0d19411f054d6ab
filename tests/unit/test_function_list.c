// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A conversion asks for no function that its program does not list, and nothing is listed
/// that it does not ask for: every pair of formats of the catalogue, and random ones.
/// Functions are interpreted here; each is noted when it is lowered.

#include "support/asked_functions.h"
#include "support/conversion.h"
#include "support/every_format.h"
#include "support/random_tensor.h"
#include "support/seed.h"

/* ---- what is listed ---- */

/// Is all that is listed asked for?
static bool is_exact(const cairn_function_list *list)
{
    for (int k = 0; k < list->count; k++)
        if (!is_asked(list->function[k].key)) return false;
    return true;
}

/// List what is asked for if entries are near to each other, or far apart.
static void
list_one(cairn_function_list *list, const cairn_build *build, cairn_plan_sample sample)
{
    const cairn_status status =
        cairn_function_list_add(list, build->from ? build->from->format : NULL,
                                build->format, &sample, &interpreting);

    cr_expect(status == CAIRN_OK, "%s", list->env->message);
}

/// How the source of a build is, as the list is told.
static cairn_plan_sample sample_of(const cairn_build *build)
{
    const cairn_local *from   = build->from;
    cairn_plan_sample  sample = {.extent     = build->shape.extent,
                                 .entries    = cairn_build_entries(build),
                                 .value_bits = build->value_bits};

    if (from && from->pattern.kept) sample.state = CAIRN_SAMPLE_PATTERN;
    if (from && from->group[0].unsorted) sample.state = CAIRN_SAMPLE_UNSORTED;
    return sample;
}

/// Hold what @p build asked for against the lists for entries that are near to each other,
/// and far apart, which is seen when they are looked at: it is one of these.
static void check(cairn_env *env, const cairn_build *build, const char *what)
{
    cairn_plan_sample   sample = sample_of(build);
    cairn_function_list list[2];

    for (int apart = 0; apart < 2; apart++) {
        sample.apart = apart;
        cairn_function_list_init(&list[apart], env);
        list_one(&list[apart], build, sample);
    }
    cr_expect(is_exact(&list[0]) || is_exact(&list[1]), "%s: more is listed", what);
    list_one(&list[0], build, sample);
    expect_all_listed(&list[0], what);
    for (int apart = 0; apart < 2; apart++)
        cairn_function_list_fini(&list[apart]);
}

/// Likewise for hybrids, whose members get as many entries as their groups have: what the
/// list has of all such numbers is more than one conversion asks for.
static void check_hybrid(cairn_env *env, const cairn_build *build, const char *what)
{
    static const int64_t members[] = {0, 1, 2, 4, 8, 16, 32, 64, INT64_MAX};
    cairn_plan_sample    sample    = sample_of(build);
    cairn_function_list  list;

    cairn_function_list_init(&list, env);
    for (size_t k = 0; k < sizeof members / sizeof *members; k++) {
        sample.members = members[k];
        list_one(&list, build, sample);
    }
    expect_all_listed(&list, what);
    cairn_function_list_fini(&list);
}

/// @return it could be done.
static bool convert(cairn_env *env, const cairn_build *build, const char *what)
{
    cairn_local *made = NULL;

    asked.noting              = true;
    const cairn_status status = cairn_local_build(env, build, &made);

    asked.noting = false;
    if (status == CAIRN_OK)
        (build->format->hybrid ? check_hybrid : check)(env, build, what);
    forget_asked();
    cairn_local_destroy(&made);
    return status == CAIRN_OK;
}

/* ---- the catalogue ---- */

/// Entries (i, j): scattered, in a band, or in blocks.
static void
draw(cairn_env *env, int pattern, cairn_shape *shape, cairn_entries *entries)
{
    *shape = (cairn_shape){
        .order = 2, .extent = {60, 48}
    };
    cairn_entries_init(entries, 2);
    for (int64_t i = 0; i < shape->extent[0]; i++)
        for (int64_t j = 0; j < shape->extent[1]; j++) {
            const bool has = pattern == 0   ? (7 * i + 13 * j) % 31 == 0
                             : pattern == 1 ? i - j < 3 && j - i < 4
                                            : (i / 6 + j / 6) % 3 == 0;

            if (has)
                cr_assert_eq(cairn_entries_add(env, entries, (cairn_coord[]){i, j},
                                               (double)(1 + i + j)),
                             CAIRN_OK);
        }
}

/// From a tensor, or from coordinates, to all formats.
static void convert_to_all(cairn_env           *env,
                           cairn_shape          shape,
                           const cairn_entries *entries,
                           const cairn_local   *source,
                           const char          *from)
{
    for (int k = 0; k < FORMATS; k++) {
        cairn_build   build = whole_build(shape, 64, entries, source, &interpreting);
        cairn_format *to    = parse_format(env, formats[k]);
        char          what[128];

        build.format = to;
        snprintf(what, sizeof what, "%s to %s, %d entries", from, formats[k],
                 (int)entries->n);
        cr_expect(convert(env, &build, what), "%s: %s", what, env->message);
        cairn_format_destroy(&to);
    }
}

static void convert_from_all(cairn_env *env, int pattern)
{
    cairn_entries entries;
    cairn_shape   shape;

    draw(env, pattern, &shape, &entries);
    convert_to_all(env, shape, &entries, NULL, "coordinates");
    for (int k = 0; k < FORMATS; k++) {
        cairn_format *from;
        cairn_local  *source = must_build(
             env, whole_build(shape, 64, &entries, NULL, NULL), formats[k], &from);

        convert_to_all(env, shape, &entries, source, formats[k]);
        source->pattern.kept = true;
        if (pattern == 1) convert_to_all(env, shape, &entries, source, formats[k]);
        source->group[0].unsorted = true;
        if (pattern == 2) convert_to_all(env, shape, &entries, source, formats[k]);
        cairn_local_destroy(&source);
        cairn_format_destroy(&from);
    }
    cairn_entries_fini(env, &entries);
}

Test(function_list, every_pair_of_the_catalogue, .timeout = 600)
{
    cairn_env env;

    cairn_env_init(&env);
    env.options.kernels = CAIRN_KERNELS_COMPILED;
    for (int pattern = 0; pattern < 3; pattern++)
        convert_from_all(&env, pattern);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

/* ---- keys in order ---- */

/// Functions that the method sort lists for a format, of which the key begins with @p key.
static int count_listed(cairn_env *env, const char *text, const char *key)
{
    static const int64_t    extent[] = {60, 48};
    const cairn_plan_sample sample   = {
          .extent = extent, .entries = 1000, .value_bits = 64};
    cairn_format       *format = parse_format(env, text);
    cairn_function_list list;
    int                 listed = 0;

    cairn_function_list_init(&list, env);
    cr_expect_eq(cairn_function_list_add(&list, NULL, format, &sample, &interpreting),
                 CAIRN_OK, "%s: %s", text, env->message);
    cr_expect_gt(list.count, 1);
    for (int k = 0; k < list.count; k++)
        listed += strncmp(list.function[k].key, key, strlen(key)) == 0;
    cairn_function_list_fini(&list);
    cairn_format_destroy(&format);
    return listed;
}

Test(function_list, keys_are_counted_only_where_they_share_nodes)
{
    static const char count[] = "convert: count keys";
    cairn_env         env;

    cairn_env_init(&env);
    env.options.kernels = CAIRN_KERNELS_COMPILED;
    snprintf(env.options.convert, sizeof env.options.convert, "sort");
    cr_expect_eq(count_listed(&env, "dcsc", count), 1);
    cr_expect_eq(
        count_listed(&env,
                     "#encoding<{ idx_map<(d0,d1)->(d1-d0,d0)>, mutation<trim(0,1)> }>",
                     count),
        0);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

/* ---- random ones ---- */

/// A random format's text as a format; NULL: it is refused.
static cairn_format *draw_format(cairn_env *env, uint64_t *state, int order, char *text)
{
    cairn_format *format = NULL;

    random_format(state, order, text, RANDOM_FORMAT);
    return cairn_format_parse(env, NULL, text, "test", &format) == CAIRN_OK ? format
                                                                            : NULL;
}

/// How long a tuple is over levels that queries number is not known before these ran, and
/// tuples of another length have other functions.
static bool is_sized_by_queries(const char *text)
{
    return strstr(text, "pack(") && strstr(text, "indirect<");
}

/// @return both formats can store the tensor.
static bool run_case(cairn_env *env, uint64_t seed)
{
    static char from_text[RANDOM_FORMAT], to_text[RANDOM_FORMAT],
        what[2 * RANDOM_FORMAT + 64];
    uint64_t      state = seed;
    cairn_shape   shape;
    cairn_entries entries;
    bool          done = false;

    random_tensor(env, &state, &shape, &entries);
    cairn_format *from   = draw_format(env, &state, shape.order, from_text);
    cairn_format *to     = draw_format(env, &state, shape.order, to_text);
    cairn_local  *source = NULL;
    cairn_build   build  = whole_build(shape, 64, &entries, NULL, NULL);

    snprintf(what, sizeof what, "seed %llu: %s to %s", (unsigned long long)seed,
             from_text, to_text);
    build.format = from;
    if (from && random_chance(&state, 70)) cairn_local_build(env, &build, &source);
    build.format  = to;
    build.from    = source;
    build.loader  = &interpreting;
    build.entries = source ? NULL : &entries;
    if (to && !is_sized_by_queries(to_text)
        && !(source && is_sized_by_queries(from_text)))
        done = convert(env, &build, what);
    cairn_local_destroy(&source);
    if (from) cairn_format_destroy(&from);
    if (to) cairn_format_destroy(&to);
    cairn_entries_fini(env, &entries);
    return done;
}

Test(function_list, random_pairs, .timeout = 600)
{
    const char    *one   = getenv("PROPERTY_SEED");
    const uint64_t first = seed_clock() * 1000003;
    const int      cases = seed_cases(400);
    int            done  = 0;
    cairn_env      env;

    printf("first seed %llu\n", (unsigned long long)first);
    cairn_env_init(&env);
    env.options.kernels = CAIRN_KERNELS_COMPILED;
    if (one) run_case(&env, strtoull(one, NULL, 10));
    for (int k = 0; k < cases && !one; k++)
        done += run_case(&env, first + (uint64_t)k);
    cr_expect(one || done > cases / 3 || !seed_whole(), "only %d of %d cases", done,
              cases);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

/// What is listed for many entries takes no memory for them.
Test(function_list, takes_no_memory_for_entries)
{
    const int64_t           extent[] = {1 << 23, 1 << 23};
    const cairn_plan_sample sample   = {
          .extent = extent, .entries = (cairn_pos)1 << 26, .value_bits = 64};
    cairn_function_list list;
    cairn_env           env;

    cairn_env_init(&env);
    env.options.kernels = CAIRN_KERNELS_COMPILED;
    env.memory_limit    = 4 << 20;
    cairn_format *from = parse_format(&env, "csr"), *to = parse_format(&env, "csc");

    cairn_function_list_init(&list, &env);
    cr_expect_eq(cairn_function_list_add(&list, from, to, &sample, &interpreting),
                 CAIRN_OK, "%s", env.message);
    cr_expect_gt(list.count, 1);
    cairn_function_list_fini(&list);
    cairn_format_destroy(&to);
    cairn_format_destroy(&from);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}
