// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Indices of determined levels where no entry is: the compiled way, which leaves out what
/// follows from a recipe (convert/padding/padding_plan.h) and takes positions group by group
/// (convert/padding/padding_chunks.h), fills what the reference way does, which leaves out
/// nothing. Random formats with levels that others determine, matrices whose extents are
/// multiples of nothing, rows of which ranks have a part; boxes whose groups are levels
/// above and below the numbers of their elements, on one to three threads.
///
/// PADDING_SEED=N in the environment runs case N alone.

#include "support/conversion.h"
#include "support/crash_note.h"
#include "support/seed.h"

#include <criterion/criterion.h>

enum {
    USUAL_CASES = 1500,
    USUAL_ROWS  = 500,     ///< Cases of formats whose rows have slots, by every method.
    USUAL_BOXES = 400,     ///< Cases of boxes,
    USUAL_BANKS = 200,     ///< and of those that lie in banks, some of one position.
    ROOM        = 1 << 20, ///< Bytes for a tensor and what stores it.
    MANY        = 64,      ///< Positions from which the compiled way looks at a recipe.
};

typedef enum { ANY, ROWS, BOXES, BANKS, TWICE } kind;

typedef struct {
    cairn_env     env;
    uint64_t      seed, state;
    kind          kind;
    cairn_shape   shape;
    cairn_entries entries;
    cairn_format *format;
    cairn_build   build;
    char          text[RANDOM_FORMAT];
} padded;

/// Few entries, so that most positions have none; of some rows alone, as a rank has them,
/// unless queries ask for all.
static void draw_matrix(padded *p)
{
    const int most    = p->kind == BOXES ? 150 : p->kind == BANKS ? 60 : 40;
    const int density = (p->kind == BOXES ? 1 : 2) + random_below(&p->state, 30);

    p->shape = (cairn_shape){
        2, {1 + random_below(&p->state, most), 1 + random_below(&p->state, most)}
    };
    if (p->kind == ROWS && random_chance(&p->state, 20))
        p->shape.extent[0] = 1 + random_below(&p->state, 7); /* no more than a digit */
    cairn_entries_init(&p->entries, 2);
    p->build = whole_build(p->shape, 64, &p->entries, NULL, NULL);
    if (!strstr(p->text, "indirect<{") && random_chance(&p->state, 30)) {
        p->build.box[0].lo = random_below(&p->state, (int)p->shape.extent[0]);
        p->build.box[0].hi =
            p->build.box[0].lo
            + random_below(&p->state, (int)(p->shape.extent[0] - p->build.box[0].lo));
    }
    for (cairn_coord i = p->build.box[0].lo; i <= p->build.box[0].hi; i++)
        for (cairn_coord j = 0; j < p->shape.extent[1]; j++)
            if (random_chance(&p->state, density))
                cr_assert_eq(cairn_entries_add(&p->env, &p->entries,
                                               (const cairn_coord[]){i, j}, 1 + j),
                             CAIRN_OK);
}

/// Positions of the largest determined level, of all banks together.
static int64_t padded_positions(const cairn_local *t)
{
    int64_t most = 0;

    for (int l = 0; t->parts > 0 && l < t->group[0].layout->levels; l++) {
        int64_t all = 0;

        if (!t->group[0].layout->level[l].determined.on) continue;
        for (int64_t k = 0; k < t->parts; k++)
            all += t->part[k].view.level[l].idx_length;
        most = all > most ? all : most;
    }
    return most;
}

/// Has one of several banks a single position of a determined level?
static bool has_lone_positions(const cairn_local *t)
{
    const cairn_layout *layout = t->group[0].layout;

    for (int64_t k = 0; k < t->parts && t->parts > 1; k++)
        for (int l = 0; l < layout->levels; l++)
            if (layout->level[l].determined.on
                && t->part[k].view.level[l].idx_length == 1)
                return true;
    return false;
}

static void compare(const padded *p, const cairn_local *a, const cairn_local *b)
{
    cr_assert_eq(a->parts, b->parts);
    for (int64_t k = 0; k < a->parts; k++) {
        cairn_array x[CAIRN_MAX_ARRAYS], y[CAIRN_MAX_ARRAYS];
        const int   arrays = cairn_part_arrays(&a->part[k], x);

        cr_assert_eq(arrays, cairn_part_arrays(&b->part[k], y));
        for (int n = 0; n < arrays; n++)
            cr_assert(x[n].bytes == y[n].bytes
                          && memcmp(x[n].data, y[n].data, (size_t)x[n].bytes) == 0,
                      "seed %llu: array %d of level %d differs\n%s",
                      (unsigned long long)p->seed, n, x[n].level, p->text);
    }
}

/// Methods that are taken in turn; NULL: the cheapest.
static const char *const method[] = {NULL, "groups", "row-slots", "sort"};
enum { METHODS = sizeof method / sizeof *method };

/// Store the compiled way, by each method that applies.
static void store_compiled(padded *p, const cairn_local *reference, int methods)
{
    for (int k = 0; k < methods; k++) {
        cairn_local *compiled = NULL;

        snprintf(p->env.options.convert, sizeof p->env.options.convert, "%s",
                 method[k] ? method[k] : "");
        const cairn_status status = cairn_local_build(&p->env, &p->build, &compiled);

        p->env.options.convert[0] = '\0';
        if (method[k] && status == CAIRN_BAD_OPTION) continue;
        cr_assert_eq(status, CAIRN_OK,
                     "seed %llu: %lld entries of %lld x %lld, by %s: %s\n%s",
                     (unsigned long long)p->seed, (long long)p->entries.n,
                     (long long)p->shape.extent[0], (long long)p->shape.extent[1],
                     method[k] ? method[k] : "the cheapest", p->env.message, p->text);
        compare(p, reference, compiled);
        cairn_local_destroy(&compiled);
    }
}

/// Store both ways. @return whether positions were padded that the compiled way plans for,
/// and, of banks, one alone in some of them.
static bool store(padded *p, int methods)
{
    const cairn_kernel_loader interpreter = {
        .interprets   = true,
        .vector_bytes = 32,
        .threads =
            p->kind == BOXES || p->kind == BANKS ? 1 + random_below(&p->state, 3) : 1};
    cairn_local *reference = NULL;
    bool         many      = false;

    p->build.format           = p->format;
    const cairn_status status = cairn_local_build(&p->env, &p->build, &reference);

    if (status == CAIRN_OK)
        many = padded_positions(reference) >= MANY
               && (p->kind != BANKS || has_lone_positions(reference));
    if (many) {
        p->env.memory_limit += 8 * ROOM; /* the other way has other needs */
        p->build.loader = &interpreter;
        store_compiled(p, reference, methods);
    }
    cairn_local_destroy(&reference);
    return many;
}

/// Put a number of levels in any order.
static void shuffle(padded *p, int levels, char level[][32])
{
    for (int l = levels - 1; l > 0; l--) {
        const int with = random_below(&p->state, l + 1);
        char      kept[32];

        memcpy(kept, level[l], sizeof kept);
        memcpy(level[l], level[with], sizeof kept);
        memcpy(level[with], kept, sizeof kept);
    }
}

/// Rows with slots: their numbers in digits or whole, some digits twice, or the columns'
/// blocks beside them; before, behind and around the slot.
static void draw_rows(padded *p)
{
    const int   a = 2 + random_below(&p->state, 6);
    const int   b = random_chance(&p->state, 30) ? a : 2 + random_below(&p->state, 6);
    const char *more[] = {"", "d0/%d", "d0%%%d", "d1/%d", "(d0+d1)/%d"};
    char        level[6][32];
    int         levels = 0, slot;

    if (random_chance(&p->state, 50)) {
        snprintf(level[levels++], 32, "d0");
    } else {
        snprintf(level[levels++], 32, "d0/%d", a);
        snprintf(level[levels++], 32, "d0%%%d", a);
    }
    const int extra = random_below(&p->state, (int)(sizeof more / sizeof *more));

    if (extra) snprintf(level[levels++], 32, more[extra], b);
    shuffle(p, levels, level);
    slot       = random_below(&p->state, levels + 1);
    p->text[0] = '\0';
    strcat(p->text, "#encoding<{ idx_map<(d0,d1)->(");
    for (int l = 0; l <= levels; l++) {
        if (l == slot) strcat(p->text, "slot,");
        if (l < levels) strcat(strcat(p->text, level[l]), ",");
    }
    snprintf(
        p->text + strlen(p->text), 512,
        "d1)>, mutation<merge(0%s%s%s), trim(%d,%d)>, indirect<{ count = sum(value) "
        "groupBy (d0,d1)->(d0); slot = enum(value) groupBy (d0,d1)->(d0) "
        "traverseBy (d0,d1)->(%sd1) with value eq 0 -> count | otherwise -> 0 }> }>",
        slot > 1 ? ",1" : "", slot > 2 ? ",2" : "", slot > 3 ? ",3" : "", slot, slot,
        random_chance(&p->state, 30) ? "-" : "");
}

/// Digits of both dimensions, some of which tell groups and some the order in them, in any
/// order, with the number of an element between them. Nodes of a number's level may be
/// merged, and elements without an entry have no number. Of banks, all levels above those
/// that are trimmed number them, so that many have a position or none.
static void draw_boxes(padded *p)
{
    const char *const group[] = {"d0/%d", "d1/%d", "d0%%%d", "d0/%d,d1/%d",
                                 "d0/%d,d1%%%d"};
    const char *const key[]   = {"-d0",        "d1%%%d",      "d0/%d", "-(d1/%d)",
                                 "d0%%%d,-d1", "d1/%d,d0/%d", "d1"};
    const char *const with[]  = {
         "value eq 0 -> count | otherwise -> 0", "value ne 0 -> 0 | otherwise -> count",
         "value eq 0 -> 0 | otherwise -> 0", "value eq 0 -> 3 | otherwise -> none",
         "value ne 0 -> 0 | otherwise -> none"};
    const bool banks = p->kind == BANKS;
    const int  a     = 2 + random_below(&p->state, banks ? 4 : 12);
    const int  b     = 2 + random_below(&p->state, banks ? 4 : 9);
    const int  c     = a * (1 + random_below(&p->state, 3));
    char       level[4][32], groups[64], keys[64], merged[32] = "", layout[32] = "";
    const int  slot =
        banks ? 1 + random_below(&p->state, 4) : random_below(&p->state, 5);
    const int begin =
        banks ? 1 + random_below(&p->state, slot) : random_below(&p->state, slot + 1);

    snprintf(level[0], 32, "d0/%d", a);
    snprintf(level[1], 32, "d0%%%d", a);
    snprintf(level[2], 32, "d1/%d", b);
    snprintf(level[3], 32, "d1%%%d", b);
    shuffle(p, 4, level);
    snprintf(groups, sizeof groups, group[random_below(&p->state, 5)],
             random_chance(&p->state, 50) ? a : c, b);
    snprintf(keys, sizeof keys, key[random_below(&p->state, 7)], b, a);
    const int more = begin + random_below(&p->state, slot - begin + 1);

    if (begin > 0) snprintf(merged, sizeof merged, "merge(%d), ", begin - 1);
    if (random_chance(&p->state, 50))
        snprintf(merged, sizeof merged, begin > 0 ? "merge(%d,%d), " : "merge(%d), ",
                 begin > 0 ? begin - 1 : more, more);
    if (banks || (begin > 0 && random_chance(&p->state, 20)))
        snprintf(layout, sizeof layout, ", layout<partition(%d)>",
                 banks ? begin - 1 : 0);
    snprintf(p->text, sizeof p->text, "#encoding<{ idx_map<(d0,d1)->(");
    for (int l = 0; l <= 4; l++) {
        if (l == slot) strcat(p->text, l == 4 ? "slot" : "slot,");
        if (l < 4) strcat(strcat(p->text, level[l]), l == 3 && slot < 4 ? "" : ",");
    }
    snprintf(p->text + strlen(p->text), 1024,
             ")>, mutation<%strim(%d,%d)>, indirect<{ count = sum(value) groupBy "
             "(d0,d1)->(%s); slot = enum(value) groupBy (d0,d1)->(%s) traverseBy "
             "(d0,d1)->(%s) with %s }>%s }>",
             merged, begin, slot, groups, groups, keys,
             with[random_below(&p->state, sizeof with / sizeof *with)], layout);
}

/// A level each for two spellings of one query, above and below what is trimmed.
static void draw_twice(padded *p)
{
    snprintf(p->text, sizeof p->text,
             "#encoding<{ idx_map<(d0,d1)->(d0/131,slot,d1/5,d0%%131,place,d1%%5%%3,"
             "second,d1%%5/3)>, mutation<merge(0,2,3,5,6,7), trim(3,4)>, indirect<{ "
             "load = sum(value) groupBy (d0,d1)->(d1); place = reorder(load) groupBy "
             "(d0,d1)->(d1/4); slot = enum(value) groupBy (d0,d1)->(d0) traverseBy "
             "(d0,d1)->(d1) with value ne 0 -> 0 | otherwise -> none; second = "
             "enum(value) groupBy (d0,d1)->(d0) traverseBy (d0,d1)->(d1) with value ne "
             "0 -> 0 | otherwise -> none }> }>");
}

static bool run_case(uint64_t seed, kind what)
{
    static padded p;
    bool          many = false;

    memset(&p, 0, sizeof p);
    cairn_env_init(&p.env);
    p.env.memory_limit    = ROOM;
    p.env.options.kernels = CAIRN_KERNELS_COMPILED;
    p.seed = p.state = seed;
    p.kind           = what;
    crash_note("seed %llu", (unsigned long long)seed);
    if (what == ROWS)
        draw_rows(&p);
    else if (what == BOXES || what == BANKS)
        draw_boxes(&p);
    else if (what == TWICE)
        draw_twice(&p);
    else
        random_encoding_of(&p.state, 2, random_chance(&p.state, 60), p.text,
                           RANDOM_FORMAT);
    draw_matrix(&p);
    if (cairn_format_parse(&p.env, NULL, p.text, "test", &p.format) == CAIRN_OK)
        many = store(&p, what == ROWS ? METHODS : 1);
    cairn_format_destroy(&p.format);
    cairn_entries_fini(&p.env, &p.entries);
    cr_assert_eq(p.env.live_blocks, 0, "seed %llu leaks\n%s", (unsigned long long)seed,
                 p.text);
    cairn_env_fini(&p.env);
    return many;
}

static void run_cases(kind what, int usual)
{
    const char *given = getenv("PADDING_SEED");
    uint64_t    seed  = given ? strtoull(given, NULL, 10) : seed_clock() * 1000081;
    const int   cases = given ? 1 : seed_cases(usual);
    int         ran   = 0;

    printf("first seed %llu\n", (unsigned long long)seed);
    for (int k = 0; k < 100 * cases && ran < cases; k++) {
        ran += run_case(seed + (uint64_t)k, what);
        if (given) return;
    }
    cr_expect_geq(ran, cases, "only %d of %d cases padded", ran, cases);
}

Test(padding, is_that_of_the_reference_way, .timeout = 3600)
{
    run_cases(ANY, USUAL_CASES);
}

Test(padding, of_rows_is_the_same_by_every_method, .timeout = 3600)
{
    run_cases(ROWS, USUAL_ROWS);
}

Test(padding, of_boxes_is_that_of_the_reference_way, .timeout = 3600)
{
    run_cases(BOXES, USUAL_BOXES);
}

Test(padding, of_banks_of_one_position_is_that_of_the_reference_way, .timeout = 3600)
{
    run_cases(BANKS, USUAL_BANKS);
}

/// Entries on a band of @p n rows and columns, stored both ways in a format in which they
/// alone have numbers, in groups of some columns.
///
/// @param[out] positions  Of the largest determined level.
/// @return how many were visited the compiled way.
static int64_t
store_entries_alone(int64_t n, const char *levels, const char *more, int64_t *positions)
{
    const cairn_kernel_loader interpreter = {
        .interprets = true, .vector_bytes = 32, .threads = 1};
    static padded p;
    cairn_local  *reference = NULL, *compiled = NULL;

    memset(&p, 0, sizeof p);
    cairn_env_init(&p.env);
    p.env.options.kernels = CAIRN_KERNELS_COMPILED;
    p.shape               = (cairn_shape){
                      2, {n, n}
    };
    cairn_entries_init(&p.entries, 2);
    for (cairn_coord k = 0; k < n; k++)
        cr_assert_eq(
            cairn_entries_add(&p.env, &p.entries, (const cairn_coord[]){k, k % 7}, 1),
            CAIRN_OK);
    snprintf(
        p.text, sizeof p.text,
        "#encoding<{ idx_map<(d0,d1)->(%s)>, indirect<{ slot = enum(value) groupBy "
        "(d0,d1)->(d1/4) traverseBy (d0,d1)->(d1,d0) with value ne 0 -> 0 | "
        "otherwise -> none }>, %s }>",
        levels, more);
    p.build = whole_build(p.shape, 64, &p.entries, NULL, NULL);
    cr_assert_eq(cairn_format_parse(&p.env, NULL, p.text, "test", &p.format), CAIRN_OK,
                 "%s", p.env.message);
    p.build.format = p.format;
    cr_assert_eq(cairn_local_build(&p.env, &p.build, &reference), CAIRN_OK);
    *positions = padded_positions(reference);

    p.build.loader = &interpreter;
    p.env.visited  = 0;
    cr_assert_eq(cairn_local_build(&p.env, &p.build, &compiled), CAIRN_OK);
    const int64_t visited = p.env.visited;

    compare(&p, reference, compiled);
    cairn_local_destroy(&reference);
    cairn_local_destroy(&compiled);
    cairn_format_destroy(&p.format);
    cairn_entries_fini(&p.env, &p.entries);
    cr_expect_eq(p.env.live_blocks, 0);
    cairn_env_fini(&p.env);
    return visited;
}

/// Numbers that entries alone have are not looked for where no entry is.
Test(padding, of_entries_alone_is_not_looked_for)
{
    const char *const mutation[] = {"mutation<merge(0), trim(0,0)>",
                                    "mutation<trim(0,0)>"};

    for (int k = 0; k < 2; k++) {
        int64_t       positions;
        const int64_t visited =
            store_entries_alone(200, "slot,d1/8,d1%8,d0", mutation[k], &positions);

        cr_expect_geq(positions, 100 * 200);
        cr_expect_lt(visited, positions, "%s: %lld of %lld", mutation[k],
                     (long long)visited, (long long)positions);
    }
}

/// A determined level may number banks, too: then each bank has an index of it, whether the
/// bank is that of the entry or not.
Test(padding, of_entries_alone_is_looked_for_in_other_banks)
{
    const char *const levels[] = {"d1/4,slot,d0,d1%4", "d1/4,slot,d0,d1",
                                  "d1/4,d0/3,slot,d0,d1%4"};
    int64_t           positions;

    for (int k = 0; k < 3; k++)
        store_entries_alone(9, levels[k],
                            k < 2 ? "layout<partition(2)>" : "layout<partition(1)>",
                            &positions);
}

Test(padding, of_a_query_spelt_twice_is_that_of_the_reference_way, .timeout = 3600)
{
    run_cases(TWICE, 100);
}
