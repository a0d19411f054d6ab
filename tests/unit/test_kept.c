// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a format keeps of conversions into it: whatever changes between two of them, the
/// second is done as in a context that has seen none, and gives the same arrays.

#include "api/api.h"
#include "cost/moves.h"
#include "support/api.h"
#include "support/brutal.h"
#include "support/conversion.h"
#include "support/seed.h"

enum { ENTRIES = 6000 }; /* functions are looked for from 4000 on */

static const int64_t extents[][2] = {
    {300, 200},
    {300, 200},
    {120, 310},
};

/// What may change from one conversion to the next.
typedef struct {
    int         matrix; ///< Of `extents`; the first two differ in their entries.
    const char *method;
    int         threads, kernels;
    cairn_dtype dtype;
} setting;

static void set_options(cairn_context *context, const setting *s)
{
    snprintf(context->env.options.convert, sizeof context->env.options.convert, "%s",
             s->method);
    context->env.options.kernels = s->kernels;
    cairn_context_set_threads(context, s->threads);
    must_settle(context); /* else few entries go the reference way */
}

static cairn_source *draw(cairn_context *context, int matrix)
{
    uint64_t      state  = 11 + (uint64_t)matrix;
    int64_t      *coord  = malloc(2 * ENTRIES * sizeof *coord);
    double       *value  = malloc(ENTRIES * sizeof *value);
    cairn_source *source = NULL;

    for (int k = 0; k < ENTRIES; k++) {
        coord[2 * k]     = random_below(&state, extents[matrix][0]);
        coord[2 * k + 1] = random_below(&state, extents[matrix][1]);
        value[k]         = random_chance(&state, 2) ? 0 : 1 + random_below(&state, 9);
    }
    MUST(context, cairn_source_from_coords(context, 2, extents[matrix], ENTRIES, coord,
                                           value, CAIRN_BY_NNZ, &source));
    free(coord);
    free(value);
    return source;
}

/// Where conversions are done, and the formats that they keep what they find in.
typedef struct {
    cairn_context *context;
    cairn_format  *from, *to;
    cairn_tensor  *made;
    cairn_status   status;
} place;

static void open_place(place *p, const char *from, const char *to)
{
    *p = (place){.status = CAIRN_OK};
    setenv("CAIRN_DEVICES", "cpu", 1); /* opened again and again */
    must_start(&p->context);
    p->from = must_format(p->context, from);
    p->to   = must_format(p->context, to);
}

static void close_place(place *p)
{
    cairn_tensor_destroy(&p->made);
    cairn_format_destroy(&p->from);
    cairn_format_destroy(&p->to);
    cairn_context_destroy(&p->context);
}

static void convert(place *p, const setting *s)
{
    const setting plain  = {.method = "", .threads = 1, .kernels = CAIRN_KERNELS_AUTO};
    cairn_tensor *tensor = NULL;

    cairn_tensor_destroy(&p->made);
    set_options(p->context, &plain);
    cairn_source *source = draw(p->context, s->matrix);

    MUST(p->context, cairn_tensor_create(source, p->from, s->dtype, &tensor));
    set_options(p->context, s);
    p->status = cairn_tensor_convert(tensor, p->to, &p->made);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

static void check_steps(const cairn_path *a, const cairn_path *b, const char *what)
{
    cr_assert_eq(cairn_path_steps(a), cairn_path_steps(b), "%s", what);
    for (int k = 0; k < cairn_path_steps(a); k++)
        cr_expect_str_eq(cairn_path_at(a, k).rule, cairn_path_at(b, k).rule, "%s",
                         what);
}

static void check_alike(const place *a, const place *b, const char *what)
{
    cr_assert_eq(a->status, b->status, "%s: %d, not %d", what, a->status, b->status);
    if (a->status != CAIRN_OK) {
        cr_expect_str_eq(cairn_context_message(a->context),
                         cairn_context_message(b->context));
        return;
    }
    cr_expect_str_eq(cairn_tensor_how(a->made), cairn_tensor_how(b->made), "%s:\n%s%s",
                     what, cairn_tensor_how(a->made), cairn_tensor_how(b->made));
    cr_expect_str_eq(cairn_tensor_route(a->made), cairn_tensor_route(b->made), "%s",
                     what);
    check_steps(cairn_tensor_path(a->made), cairn_tensor_path(b->made), what);
    check_same(a->made->local, b->made->local, what);
}

static const char *const pairs[][2] = {
    {"csr",                 "csc"                    },
    {"coo",                 "csr"                    },
    {"csc",                 "coo"                    },
    {"csr",                 "bcsr<2,2>"              },
    {"dcsc",                "ell"                    },
    {"csr",                 "sell-sigma<4,8>"        },
    {"csc",                 "hybrid<bdia<4>,csr,0.6>"},
    {"hybrid<dia,csr,0.4>", "csr"                    },
};

/// Settings that come again and again, in an order that repeats nothing at once.
static setting draw_setting(uint64_t *state)
{
    static const char *const methods[] = {"", "", "sort", "scatter", "rows", "groups"};
    const int64_t            way       = random_below(state, 6);

    return (setting){.matrix  = (int)random_below(state, 3),
                     .method  = methods[random_below(state, 6)],
                     .threads = 1 + (int)random_below(state, 3),
                     .kernels = way == 0 ? CAIRN_KERNELS_REFERENCE : CAIRN_KERNELS_AUTO,
                     .dtype   = random_chance(state, 30) ? CAIRN_F32 : CAIRN_F64};
}

/// Convert anew with settings that change, each time beside a context without a past.
static void check_pair(const char *from, const char *to, uint64_t seed)
{
    uint64_t state = seed;
    place    kept, fresh;
    char     what[256];

    open_place(&kept, from, to);
    for (int k = 0; k < 6; k++) {
        const setting s = draw_setting(&state);

        snprintf(what, sizeof what, "seed %llu: %s to %s, turn %d: matrix %d, '%s'",
                 (unsigned long long)seed, from, to, k, s.matrix, s.method);
        open_place(&fresh, from, to);
        convert(&kept, &s);
        convert(&fresh, &s);
        check_alike(&kept, &fresh, what);
        close_place(&fresh);
    }
    close_place(&kept);
}

Test(kept, whatever_changes_it_is_as_without_a_past, .timeout = 400)
{
    const char    *given = getenv("KEPT_SEED");
    const uint64_t first = given ? strtoull(given, NULL, 10) : 64 * seed_clock();

    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
        check_pair(pairs[p][0], pairs[p][1], first + p);
}

/* ---- rates ---- */

enum { ROWS = 350000 };

/// The same conversion of a million entries, by rates that were learned.
static char *by_rates(place *p, cairn_tensor *tensor, const cairn_move_rates *rates)
{
    static char how[8192];

    p->context->moves.rates = *rates;
    p->context->moves.asked = true;
    cairn_tensor_destroy(&p->made);
    MUST(p->context, cairn_tensor_convert(tensor, p->to, &p->made));
    snprintf(how, sizeof how, "%s", cairn_tensor_how(p->made));
    return how;
}

Test(kept, rates_that_are_learned_still_choose, .timeout = 240)
{
    const cairn_problem    problem = {.size = sizeof problem, .n = ROWS};
    const cairn_move_rates shipped = cairn_move_rates_shipped;
    const cairn_move_rates slow    = {shipped.in_order, 8 * shipped.scattered};
    cairn_source          *source  = NULL;
    cairn_tensor          *tensor  = NULL;
    place                  p;
    char                   first[8192], other[8192];

    open_place(&p, "csr", "csc");
    MUST(p.context, cairn_source_generate(p.context, "tridiag", &problem, &source));
    MUST(p.context, cairn_tensor_create(source, p.from, CAIRN_F64, &tensor));
    snprintf(first, sizeof first, "%s", by_rates(&p, tensor, &shipped));
    snprintf(other, sizeof other, "%s", by_rates(&p, tensor, &slow));
    cr_expect_str_neq(first, other);
    cr_expect_str_eq(first, by_rates(&p, tensor, &shipped));
    cr_expect_str_eq(other, by_rates(&p, tensor, &slow));
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    close_place(&p);
}

/* ---- functions ---- */

/// Neither is in the list of functions that come with the library.
static const char rare_from[] =
    "#encoding<{ idx_map<(d0,d1)->(d1 / 7, d0, d1 % 7)>, mutation<merge(0,1), "
    "trim(1,2)> }>";
static const char rare_to[] =
    "#encoding<{ idx_map<(d0,d1)->(d0 / 5, d1, d0 % 5)>, mutation<merge(0,1), "
    "trim(1,1)> }>";

/// Small conversions go the reference way until their functions are compiled, in the midst
/// of many; from then on they are done as in a context that finds those there.
Test(kept, functions_that_appear_are_used, .timeout = 400)
{
    const setting small = {.method = "", .threads = 1, .kernels = CAIRN_KERNELS_AUTO};
    place         kept, before, after;
    char          folder[64], command[96];
    int           turns = 0;

    scratch_create(folder);
    setenv("CAIRN_CACHE", folder, 1);
    open_place(&kept, rare_from, rare_to);
    open_place(&before, rare_from, rare_to);
    convert(&before, &small);
    for (bool compiled = false; !compiled && turns < 60; turns++) {
        convert(&kept, &small);
        compiled = strcmp(cairn_tensor_route(kept.made), "reference") != 0;
        if (!compiled) check_alike(&kept, &before, "before");
    }
    cr_expect_gt(turns, 3);
    cr_expect_lt(turns, 60, "never compiled");
    open_place(&after, rare_from, rare_to);
    convert(&after, &small);
    convert(&kept, &small);
    check_alike(&kept, &after, "after");
    close_place(&kept);
    close_place(&before);
    close_place(&after);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    cr_expect_eq(system(command), 0);
}

/* ---- memory ---- */

/// Bytes that a conversion allocates in all.
static int64_t
bytes_of(cairn_context *context, const cairn_tensor *from, cairn_format *to)
{
    const int64_t before = context->env.allocated;
    cairn_tensor *made   = NULL;

    MUST(context, cairn_tensor_convert(from, to, &made));
    cairn_tensor_destroy(&made);
    return context->env.allocated - before;
}

Test(kept, what_was_found_is_not_found_again)
{
    place p;

    open_place(&p, "coo", "csr");
    cairn_source *source = draw(p.context, 0);
    cairn_tensor *tensor = NULL;

    MUST(p.context, cairn_tensor_create(source, p.from, CAIRN_F64, &tensor));
    const int64_t first  = bytes_of(p.context, tensor, p.to);
    const int64_t second = bytes_of(p.context, tensor, p.to);
    const int64_t third  = bytes_of(p.context, tensor, p.to);

    cr_expect_lt(second, first / 2, "%ld, then %ld", (long)first, (long)second);
    cr_expect_lt(third, first / 4, "%ld, then %ld", (long)first, (long)third);
    cr_expect_eq(bytes_of(p.context, tensor, p.to), third);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    close_place(&p);
}

/// A source of few entries and so many columns.
static cairn_source *draw_columns(cairn_context *context, int64_t columns)
{
    const int64_t extent[] = {4, columns}, coord[] = {0, 1, 2, 0, 3, columns - 1};
    cairn_source *source = NULL;

    MUST(context, cairn_source_from_coords(context, 2, extent, 3, coord, NULL,
                                           CAIRN_BY_NNZ, &source));
    return source;
}

/// The layout that the next conversion makes, which is there as long as the format keeps it.
static const cairn_layout *
layout_of(cairn_context *context, const cairn_tensor *from, cairn_format *to)
{
    cairn_tensor       *made = NULL;
    const cairn_layout *layout;

    MUST(context, cairn_tensor_convert(from, to, &made));
    layout = made->local->group[0].layout;
    cairn_tensor_destroy(&made);
    return layout;
}

/// Numbers of queries have a part in it: of others it is another.
Test(kept, a_layout_with_queries_is_that_of_the_same_numbers)
{
    place         p;
    cairn_tensor *tensor[2] = {NULL, NULL};

    open_place(&p, "csr", "serpens<2,4,3>"); /* whose range only running tells */
    for (int k = 0; k < 2; k++) {
        cairn_source *source = k ? draw_columns(p.context, 200) : draw(p.context, 0);

        MUST(p.context, cairn_tensor_create(source, p.from, CAIRN_F64, &tensor[k]));
        cairn_source_destroy(&source);
    }
    const cairn_layout *first = layout_of(p.context, tensor[0], p.to);

    cr_expect_eq(layout_of(p.context, tensor[0], p.to), first);
    cr_expect_neq(layout_of(p.context, tensor[1], p.to), first);
    cr_expect_eq(layout_of(p.context, tensor[0], p.to), first);
    for (int k = 0; k < 2; k++)
        cairn_tensor_destroy(&tensor[k]);
    close_place(&p);
}

/// Blocks that are left once so many extents and formats were converted from.
static int64_t blocks_after(cairn_context *context, cairn_format *to, int n)
{
    for (int k = 0; k < n; k++) {
        cairn_source *source = draw_columns(context, 10 + k);
        cairn_tensor *tensor = NULL, *made = NULL;
        char          text[160];

        snprintf(text, sizeof text,
                 "#encoding<{ idx_map<(d0,d1)->(d0 / %d, d1, d0 %% %d)>, "
                 "mutation<merge(0,1), trim(1,1)> }>",
                 2 + k, 2 + k);
        cairn_format *from = must_format(context, text);

        MUST(context, cairn_tensor_create(source, from, CAIRN_F64, &tensor));
        for (int times = 0; times < 3; times++) {
            MUST(context, cairn_tensor_convert(tensor, to, &made));
            cairn_tensor_destroy(&made);
        }
        cairn_tensor_destroy(&tensor);
        cairn_format_destroy(&from);
        cairn_source_destroy(&source);
    }
    return live_blocks(context);
}

Test(kept, memory_is_bounded_and_goes_with_the_format)
{
    cairn_context *context;
    const int64_t  blocks = must_start(&context);
    cairn_format  *to     = must_format(context, "csr");
    const int64_t  few    = blocks_after(context, to, 8);

    cr_expect_eq(blocks_after(context, to, 30), few);
    cairn_format_destroy(&to);
    must_end(&context, blocks);
}

Test(kept, there_may_be_no_memory_for_it, .timeout = 240)
{
    cairn_context *context;
    const int64_t  blocks = must_start(&context);

    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        cairn_format *from   = must_format(context, pairs[p][0]);
        cairn_format *to     = must_format(context, pairs[p][1]);
        cairn_source *source = draw_columns(context, 9);
        cairn_tensor *tensor = NULL, *made = NULL;

        MUST(context, cairn_tensor_create(source, from, CAIRN_F64, &tensor));
        for (int times = 0; times < 3; times++) {
            CAIRN_BRUTAL_AND(&context->env, cairn_tensor_convert(tensor, to, &made),
                             !made);
            cairn_tensor_destroy(&made);
        }
        cairn_tensor_destroy(&tensor);
        cairn_source_destroy(&source);
        cairn_format_destroy(&from);
        cairn_format_destroy(&to);
    }
    must_end(&context, blocks);
}

/// The text is made when it is asked for: then there may be no memory, and later there is.
Test(kept, how_it_was_done_can_be_asked_again)
{
    place p;

    open_place(&p, "csr", "csc");
    convert(&p, &(setting){.method = "", .threads = 1, .kernels = CAIRN_KERNELS_AUTO});
    p.context->env.allowed = 0;
    cr_expect_null(cairn_tensor_how(p.made));
    p.context->env.allowed = -1;
    cr_expect_not_null(strstr(cairn_tensor_how(p.made), "member 0"));
    cairn_path_step step = {.size = sizeof step};

    p.context->env.allowed = 1;
    cr_expect_not(cairn_path_get_step(cairn_tensor_path(p.made), 0, &step));
    p.context->env.allowed = -1;
    cr_expect(cairn_path_get_step(cairn_tensor_path(p.made), 0, &step));
    close_place(&p);
}
