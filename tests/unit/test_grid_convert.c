// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Conversions as grids, interpreted: the processor stands for a card, and every function
/// runs with its groups and items in another order, while who touches what is recorded.
/// The arrays are the processor's, byte for byte.

#include "devices/grids.h"
#include "lower/grid_conversion/grid_convert.h"
#include "support/conversion.h"
#include "support/convert_by.h"
#include "support/every_format.h"
#include "support/ir_mutate.h"
#include "support/ir_races.h"
#include "support/seed.h"

enum { BLOCKS = 64 };

struct cairn_grid_program {
    cairn_env      *env;
    cairn_ir_code **code; ///< [functions]
    int             functions;
    int             blocks;
    void           *block[BLOCKS];
};

static cairn_context *context;
static races          record;
static uint64_t       order; ///< Of turns.
static long           starts;

/// A mistake for one function of every conversion that has it.
static struct {
    int  function; ///< -1: none is planted.
    bool never;    ///< A loop, or what a condition guards, is left out;
    int  what, n;  ///< or one of ir_mutate.h. The number among its kind.
    bool found;    ///< The function has so many.
} mistake = {.function = -1};

static cairn_ir_stmt *find_condition(cairn_ir_stmt *block, int *left)
{
    for (cairn_ir_stmt *s = block; s; s = s->next) {
        cairn_ir_stmt *found = s;

        if ((s->kind == CAIRN_IR_IF || s->kind == CAIRN_IR_WHILE) && (*left)-- == 0)
            return s;
        found = find_condition(s->body, left);
        if (!found) found = find_condition(s->other, left);
        if (found) return found;
    }
    return NULL;
}

static void
create_code(cairn_env *env, const cairn_ir_function *f, cairn_ir_code **code)
{
    cr_assert_eq(cairn_ir_code_create(env, f, code), CAIRN_OK, "%s", env->message);
}

static void create_mistaken(cairn_env *env, cairn_ir_function *f, cairn_ir_code **code)
{
    const cairn_ir_expr no   = ir_mutate_int(CAIRN_IR_BOOL, 0);
    int                 left = mistake.n;
    ir_mutant           m;

    if (mistake.never) {
        cairn_ir_stmt *const s   = find_condition(f->body, &left);
        const cairn_ir_x     was = s ? s->a : NULL;

        mistake.found = s != NULL;
        if (s) s->a = &no;
        create_code(env, f, code);
        if (s) s->a = was;
        return;
    }
    mistake.found = ir_mutate(&m, f, (ir_mutation)mistake.what, mistake.n);
    create_code(env, f, code);
    ir_mutate_back(&m);
}

static cairn_status open_code(cairn_device                   *device,
                              const char                     *key,
                              const cairn_ir_function *const *function,
                              int                             functions,
                              cairn_grid_program            **program)
{
    cairn_grid_program *p = calloc(1, sizeof *p);

    (void)key;
    p->env       = device->env;
    p->code      = calloc((size_t)functions, sizeof(cairn_ir_code *));
    p->functions = functions;
    for (int k = 0; k < functions; k++)
        if (function[k] && functions == CAIRN_GRID_CONVERT_FUNCTIONS
            && k == mistake.function)
            create_mistaken(p->env, (cairn_ir_function *)function[k], &p->code[k]);
        else if (function[k])
            create_code(p->env, function[k], &p->code[k]);
    *program = p;
    return CAIRN_OK;
}

static cairn_status
take(cairn_grid_program *p, int64_t bytes, const char *what, cairn_grid_address *at)
{
    void *const fresh = malloc((size_t)bytes + 1);

    (void)what;
    cr_assert_lt(p->blocks, BLOCKS);
    memset(fresh, 0xa5, (size_t)bytes + 1); /* anything */
    p->block[p->blocks++] = fresh;
    *at                   = (uintptr_t)fresh;
    return CAIRN_OK;
}

static void *here(cairn_grid_address at)
{
    return (void *)(uintptr_t)at;
}

static cairn_status
bring(cairn_grid_program *p, cairn_grid_address to, const void *from, int64_t bytes)
{
    (void)p;
    if (bytes > 0) memcpy(here(to), from, (size_t)bytes);
    return CAIRN_OK;
}

static cairn_status clear(cairn_grid_program *p, cairn_grid_address at, int64_t bytes)
{
    (void)p;
    memset(here(at), 0, (size_t)bytes);
    return CAIRN_OK;
}

static cairn_status
fetch(cairn_grid_program *p, void *to, cairn_grid_address from, int64_t bytes)
{
    (void)p;
    memcpy(to, here(from), (size_t)bytes);
    return CAIRN_OK;
}

/// Where the copy of an array is that has @p at.
static void *moved(const cairn_grid_part *its, const void *at)
{
    cairn_array array[CAIRN_MAX_ARRAYS];
    const int   arrays = cairn_part_arrays(its->part, array);

    for (int k = 0; k < arrays && at; k++) {
        const char *const begin = array[k].data;

        if ((const char *)at >= begin && (const char *)at < begin + array[k].bytes)
            return (char *)here(its->array[k]) + ((const char *)at - begin);
    }
    return NULL;
}

/// A part as it is seen there.
static cairn_kernel_part view_of(const cairn_grid_part *its)
{
    cairn_kernel_part view = its->part->view;

    for (int l = 0; l < view.levels; l++) {
        view.level[l].ptr = moved(its, view.level[l].ptr);
        view.level[l].idx = moved(its, view.level[l].idx);
    }
    view.val = moved(its, view.val);
    return view;
}

static cairn_status start(cairn_grid_program *p, const cairn_grid_call *call)
{
    const cairn_kernel_part from = view_of(&call->part[0]);
    cairn_kernel_part       to   = view_of(&call->part[1]);
    cairn_ir_watch watch  = {.touch = races_touch, .user = &record, .order = order++};
    int64_t        result = -1;

    races_again(&record);
    cr_assert(call->groups > 0 && p->code[call->function]);
    cr_assert_eq(cairn_ir_code_run(p->env, p->code[call->function], &from, &to,
                                   call->args, &watch, &result),
                 CAIRN_OK, "function %d: %s", call->function, p->env->message);
    cr_expect_eq(result, 0);
    starts++;
    return CAIRN_OK;
}

static void close_code(cairn_grid_program **program)
{
    cairn_grid_program *p = *program;

    for (int k = 0; k < p->functions; k++)
        if (p->code[k]) cairn_ir_code_destroy(p->env, &p->code[k]);
    while (p->blocks > 0)
        free(p->block[--p->blocks]);
    free(p->code);
    free(p);
    *program = NULL;
}

static const cairn_device_grids interpreted = {.open  = open_code,
                                               .take  = take,
                                               .send  = bring,
                                               .clear = clear,
                                               .start = start,
                                               .fetch = fetch,
                                               .close = close_code};

static void begin(void)
{
    cr_assert_eq(cairn_context_create(&context), CAIRN_OK);
    must_settle(context);
    context->devices->device[0].ops.grids = &interpreted;
    races_open(&record);
}

static void end(void)
{
    races_close(&record);
    cairn_context_destroy(&context);
}

TestSuite(grid_convert, .init = begin, .fini = end);

/// @return is there such a conversion?
static bool check_pair(cairn_tensor *from, const char *source, const char *target)
{
    const long    before = starts;
    cairn_tensor *made   = convert_by(from, target, "card");
    char          what[320];

    if (!made) return false;
    snprintf(what, sizeof what, "%s to %s, order %llu", source, target,
             (unsigned long long)order);
    cr_expect_geq(starts - before, 2, "%s", what);
    cairn_tensor *right = convert_by(from, target, "reference");

    cr_assert_not_null(right, "%s", what);
    check_same(made->local, right->local, what);
    cairn_tensor_destroy(&right);
    cairn_tensor_destroy(&made);
    return true;
}

/// Reasons why pairs do not go there, and how many lack the same.
typedef struct {
    char text[160];
    int  pairs;
} reason;

enum { REASONS = 32 };

/// Count the reason in the message of the refusal at hand.
static void add_reason(reason *list)
{
    const char *const after = strstr(context->env.message, "does not apply");
    const char *const why   = after ? strstr(after, ": ") : NULL;
    int               k     = 0;

    cr_assert(why, "%s", context->env.message);
    while (k < REASONS && list[k].pairs > 0 && strcmp(list[k].text, why + 2) != 0)
        k++;
    cr_assert_lt(k, REASONS);
    snprintf(list[k].text, sizeof list[k].text, "%s", why + 2);
    list[k].pairs++;
}

static int by_pairs(const void *a, const void *b)
{
    return ((const reason *)b)->pairs - ((const reason *)a)->pairs;
}

/// All pairs of the catalogue, of a small matrix.
Test(grid_convert, every_pair_in_any_order, .timeout = 900)
{
    static reason list[REASONS];
    uint64_t      state  = 71;
    cairn_source *source = random_source(context, &state, 23, 31);
    int           there  = 0;

    order = seed_clock();
    for (int a = 0; a < FORMATS; a++) {
        cairn_tensor *from =
            must_store(context, source, formats[a], a % 2 ? CAIRN_F64 : CAIRN_F32);

        for (int b = 0; b < FORMATS; b++) {
            const bool goes = check_pair(from, formats[a], formats[b]);

            there += goes;
            if (!goes) add_reason(list);
        }
        cairn_tensor_destroy(&from);
    }
    printf("%d of %d pairs\n", there, FORMATS * FORMATS);
    qsort(list, REASONS, sizeof *list, by_pairs);
    for (int k = 0; k < REASONS && list[k].pairs > 0; k++)
        printf("%4d lack: %s\n", list[k].pairs, list[k].text);
    cr_expect_eq(there, FORMATS * FORMATS);
    cairn_source_destroy(&source);
}

/// Numbers are added up in three steps, and keys sorted by more than one tile.
Test(grid_convert, more_than_one_tile, .timeout = 300)
{
    enum { ROWS = 700, COLUMNS = 900, ENTRIES = 9000 };
    static int64_t coord[2 * ENTRIES];
    static double  value[ENTRIES];
    const int64_t  extent[2] = {ROWS, COLUMNS};
    uint64_t       state     = 9;
    cairn_source  *source;

    order = seed_clock();
    for (int k = 0; k < ENTRIES; k++) {
        coord[2 * k]     = k % ROWS;
        coord[2 * k + 1] = (k / ROWS * 67 + random_below(&state, 60)) % COLUMNS;
        value[k]         = 1 + k % 13;
    }
    MUST(context, cairn_source_from_coords(context, 2, extent, ENTRIES, coord, value,
                                           CAIRN_BY_ROWS, &source));
    cairn_tensor *from = must_store(context, source, "csc", CAIRN_F64);

    cr_expect(check_pair(from, "csc", "csr"));
    cr_expect(check_pair(from, "csc", "bcsr<2,3>"));
    cairn_tensor_destroy(&from);
    cairn_source_destroy(&source);
}

/// Banks of every kind: that pad, with values in tuples, numbered by two levels, of rows that
/// a query numbers, and empty ones.
static const char *const banked[] = {
    "#encoding<{ idx_map<(d0,d1)->((d0)%2,(d0)/2,d1)>, layout<partition(0)> }>",
    "#encoding<{ idx_map<(d0,d1)->((d0)%3,(d0)/3,d1)>, mutation<merge(0), "
    "trim(1,1)>, layout<partition(0)> }>",
    "#encoding<{ idx_map<(d0,d1)->((d0)%2,(d0)/2,d1)>, mutation<merge(0), "
    "trim(1,2)>, layout<partition(0), pack(1,2)> }>",
    "#encoding<{ idx_map<(d0,d1)->((d0)%2,(d0)/2,d1)>, mutation<merge(0,1), "
    "trim(2,2)>, layout<partition(0), pack(1,2)> }>",
    "#encoding<{ idx_map<(d0,d1)->((d0)%2,(d0)/2,(d1)/2,(d1)%2)>, "
    "mutation<merge(0), trim(1,2)>, layout<partition(0), pack(1,2)> }>",
    "#encoding<{ idx_map<(d0,d1)->((d0)%2,(d1)%2,(d0)/2,(d1)/2)>, "
    "mutation<merge(0,1,2), "
    "trim(3,3)>, layout<partition(1)> }>",
    "#encoding<{ idx_map<(d0,d1)->((d0)%2,(d1)%3,(d0)/2,(d1)/3)>, "
    "mutation<merge(0,1,2), "
    "trim(2,3)>, layout<partition(1)> }>",
    "c2sr<5>",
    "cisr<4>",
    "cisr-plus<3>"};

/// Every part has its values behind those of the parts before, in an array or in tuples:
/// positions of a bank without an entry are seen by the bank's own values, and each value
/// goes with its own key. Into banks each is filled from its own entries.
Test(grid_convert, banks_of_every_kind, .timeout = 300)
{
    static const char *const to[] = {"csr", "csc", "dia", "ell"};
    enum { BANKED = sizeof banked / sizeof *banked, TO = sizeof to / sizeof *to };
    /* Banks of unlike patterns, the rows by turns. */
    static const int64_t coord[][2] = {
        {0, 0},
        {0, 3},
        {1, 1},
        {1, 2},
        {2, 3},
        {3, 0},
        {3, 4},
        {4, 2},
        {5, 5}
    };
    static const double value[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    enum { ENTRIES = sizeof value / sizeof *value };
    const int64_t extent[2] = {6, 6};
    cairn_source *source;

    order = seed_clock();
    MUST(context, cairn_source_from_coords(context, 2, extent, ENTRIES, *coord, value,
                                           CAIRN_BY_ROWS, &source));
    for (int a = 0; a < BANKED; a++) {
        cairn_tensor *tensor = must_store(context, source, banked[a], CAIRN_F64);

        cr_assert_gt(tensor->local->parts, 1);
        for (int b = 0; b < TO + BANKED; b++) {
            const char *const target = b < TO ? to[b] : banked[b - TO];

            cr_expect(check_pair(tensor, banked[a], target), "%s to %s: %s", banked[a],
                      target, context->env.message);
        }
        cairn_tensor_destroy(&tensor);
    }
    cairn_source_destroy(&source);
}

/* ---- mistakes ---- */

static bool has_same_arrays(const cairn_tensor *a, const cairn_tensor *b)
{
    cairn_array array[2][CAIRN_MAX_ARRAYS];
    const int   arrays = cairn_part_arrays(&a->local->part[0], array[0]);
    bool        same   = cairn_part_arrays(&b->local->part[0], array[1]) == arrays;

    for (int k = 0; k < arrays && same; k++)
        same = array[0][k].bytes == array[1][k].bytes
               && memcmp(array[0][k].data, array[1][k].data, (size_t)array[0][k].bytes)
                      == 0;
    return same;
}

/// @return how many mistakes of a kind are not seen. @param[out] planted  Of how many.
static int
count_unseen(cairn_tensor *from, const char *text, cairn_tensor *right, int *planted)
{
    int unseen = 0;

    for (mistake.n = 0;; mistake.n++) {
        cairn_tensor *made = convert_by(from, text, "card");

        cr_assert_not_null(made, "%s", context->env.message);
        if (mistake.found) (*planted)++;
        if (mistake.found && has_same_arrays(made, right)) {
            printf("%s, number %d: not seen\n",
                   mistake.never ? "a condition is false"
                                 : ir_mutation_name[mistake.what],
                   mistake.n);
            unseen++;
        }
        cairn_tensor_destroy(&made);
        if (!mistake.found) return unseen;
    }
}

/// Slots are padded as they should be, or it shows: the last lanes have no row. A row has as
/// many slots as another has columns, at most, and so no holes: one loop is never run. Nor is
/// it for lines of groups, of which each has as many slots.
Test(grid_convert, mistakes_in_padding, .timeout = 300)
{
    static const ir_mutation kinds[] = {IR_MUTATE_FIRST, IR_MUTATE_FEWER,
                                        IR_MUTATE_STRIDE};
    static const struct {
        const char *text;
        int         mistakes;
    } padded[] = {
        {"sell<4>", 11},
        {"bell<2>", 10}
    };
    uint64_t      state  = 77;
    cairn_source *source = random_source(context, &state, 301, 31);
    cairn_tensor *from   = must_store(context, source, "csr", CAIRN_F64);

    order            = seed_clock();
    mistake.function = CAIRN_GRID_CONVERT_PAD;
    for (size_t t = 0; t < sizeof padded / sizeof *padded; t++) {
        const char *const text    = padded[t].text;
        cairn_tensor     *right   = convert_by(from, text, "reference");
        int               planted = 0, unseen = 0;

        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            mistake.what = kinds[k];
            unseen += count_unseen(from, text, right, &planted);
        }
        cr_expect_eq(unseen, 0, "%s", text);
        mistake.never = true;
        unseen        = count_unseen(from, text, right, &planted);
        mistake.never = false;
        cr_expect_eq(unseen, 1, "%s", text);
        cr_expect_geq(planted, padded[t].mistakes, "%s: %d", text, planted);
        cairn_tensor_destroy(&right);
    }
    mistake.function = -1;
    cairn_tensor_destroy(&from);
    cairn_source_destroy(&source);
}
