// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products on grids: the same bits as the processor's kernels, in every order of groups
/// and items, with nothing touched outside of arrays or by two; on the catalogue and on
/// random formats, for one column and several. All is interpreted.
///
/// The seed is printed; GRID_SEED=N runs case N alone.

#include "ir/passes.h"
#include "support/every_format.h"
#include "support/grid_case.h"
#include "support/ir_mutate.h"
#include "support/ir_once.h"
#include "support/ir_races.h"
#include "support/seed.h"

enum { USUAL_CASES = 120, ORDERS = 4, MOST_VALUES = 15000, MOST_LONG = 50000 };
enum { MOST_STEPS = 100000000 };

/// What the function's arrays are. Criterion runs one test a process.
static struct {
    const cairn_kernel_part *part;
    int64_t x_first, x_end, rows, share, cuts, partials, alike, visits, steps;
    bool    grid;                      ///< The function is a grid's,
    int64_t length[CAIRN_GRID_at + 1]; ///< whose arrays are so long.
} arrays;

static grid_count count;

/// Banks that may be done at the same time: who touched which element of Y.
static struct {
    int16_t *bank; ///< [elements of Y] a part's number + 1; 0: none so far. NULL: banks
                   ///< are not compared.
    int16_t at;    ///< The part at hand.
    int     cases, plain, regrouped; ///< Products; those of the matrix itself.
} apart;

static const char *touch(void *user, const cairn_ir_touch *t)
{
    const char *const why = races_touch(user, t);

    if (why || !apart.bank || !arrays.grid || t->group < 0
        || strcmp(t->array, "y") != 0)
        return why;
    if (apart.bank[t->at] && apart.bank[t->at] != apart.at)
        return "two banks that are said to be apart touch one row";
    apart.bank[t->at] = apart.at;
    return NULL;
}

/// Mistakes that are planted, and which of them nothing has found.
static struct {
    bool wanted; ///< In grids, when they have the right bits.
    int  planted[IR_MUTATIONS], found[IR_MUTATIONS];
} mistakes;

static int64_t first_of(void *user, cairn_ir_field field)
{
    const bool x = field.source == CAIRN_IR_ARG && field.level == (int)CAIRN_PRODUCT_x;

    (void)user;
    return x ? arrays.x_first : 0;
}

static int64_t length_of(void *user, cairn_ir_field field)
{
    (void)user;
    switch (field.source) {
    case CAIRN_IR_LEVEL_PTR: return arrays.part->level[field.level].ptr_length;
    case CAIRN_IR_LEVEL_IDX: return arrays.part->level[field.level].idx_length;
    case CAIRN_IR_VAL: return cairn_stored_values(arrays.part);
    case CAIRN_IR_DICTIONARY: return (int64_t)1 << arrays.part->val_bits;
    case CAIRN_IR_ARG:
        if (field.level == (int)CAIRN_PRODUCT_x) return arrays.x_end;
        if (field.level == (int)CAIRN_PRODUCT_y) return arrays.rows;
        if (arrays.grid) return arrays.length[field.level];
        if (field.level == (int)CAIRN_PRODUCT_cut) return arrays.cuts;
        if (field.level == (int)CAIRN_PRODUCT_partial) return arrays.partials;
        if (field.level == (int)CAIRN_PRODUCT_first) return arrays.visits;
        if (field.level == (int)CAIRN_PRODUCT_last) return arrays.visits;
        if (field.level == (int)CAIRN_PRODUCT_step) return 2 * arrays.steps;
        if (field.level == (int)CAIRN_PRODUCT_alike) return arrays.alike;
        return field.level == (int)CAIRN_PRODUCT_share ? arrays.share : 0;
    default: return 0;
    }
}

/// @return whether it ran to its end, and nothing forbidden was seen.
static bool run_to_end(product_case            *c,
                       const cairn_ir_function *f,
                       int64_t                  k,
                       const void              *args,
                       uint64_t                 order)
{
    static races   r; /* of the process, which runs one test */
    cairn_ir_watch watch  = {.length     = length_of,
                             .first      = first_of,
                             .touch      = touch,
                             .user       = &r,
                             .order      = order,
                             .most_steps = MOST_STEPS};
    int64_t        status = -1;

    if (!r.slot) races_open(&r);
    races_again(&r);
    return ir_run_once(&c->env, f, &c->local->part[k].view, NULL, args, &watch, &status)
               == CAIRN_OK
           && status == 0;
}

static void run(product_case            *c,
                const cairn_ir_function *f,
                int64_t                  k,
                const void              *args,
                uint64_t                 order)
{
    cr_assert(run_to_end(c, f, k, args, order), "seed %llu, order %d: %s\n%s",
              (unsigned long long)c->seed, (int)order, c->env.message, c->text);
}

/// The processor's kernel on one thread.
static void run_here(product_case *c, int v, int64_t k, product_operands *o)
{
    const cairn_layout *layout = c->local->group[c->local->part[k].where.member].layout;
    cairn_product_args  args   = product_case_args(c, v, o);
    cairn_product_kernel kernel;
    cairn_work_partition team;

    cr_assert_eq(
        cairn_product_lower(&c->env, layout, &c->product[v], "product", &kernel),
        CAIRN_OK);
    cr_assert_eq(cairn_work_partition_make(&c->env, &kernel.share,
                                           &c->local->part[k].view, o->rows, o->columns,
                                           1, &team),
                 CAIRN_OK);
    team.alike = product_case_alike(c, v, k, &c->local->part[k].view);
    cairn_work_partition_use(&team, &args);
    arrays.alike =
        team.alike ? c->local->part[k].view.level[layout->last].ptr_length - 1 : 0;
    arrays.share    = CAIRN_SHARE_FIELDS * team.shares + 1;
    arrays.visits   = team.visits;
    arrays.steps    = team.steps;
    arrays.cuts     = team.cuts;
    arrays.partials = team.cuts > 0 ? team.cut[team.cuts - 1] / CAIRN_CUT + 1 : 0;
    arrays.partials *= o->columns;
    run(c, kernel.function, k, &args, 0);
    cairn_work_partition_fini(&c->env, &team);
    cairn_ir_destroy(&c->env, &kernel.function);
}

/// How long the arrays of a division are.
static void note_lengths(const cairn_grid_tiles *tiles)
{
    cairn_grid_array_of array[CAIRN_GRID_ARRAYS];
    const int           n = cairn_grid_tiles_arrays(tiles, array);

    memset(arrays.length, 0, sizeof arrays.length);
    for (int k = 0; k < n; k++)
        arrays.length[array[k].field] =
            array[k].bytes
            / (array[k].field == CAIRN_GRID_first || array[k].field == CAIRN_GRID_via
                   ? 4
                   : 8);
}

/// The grid's functions, in one order. @return as run_to_end().
static bool run_grid(product_case            *c,
                     const cairn_grid_kernel *kernel,
                     const cairn_grid_tiles  *tiles,
                     const cairn_grid_args   *given,
                     int64_t                  k,
                     uint64_t                 order)
{
    cairn_grid_args args = *given;
    bool            well = true;

    arrays.grid = true;
    for (int r = 0; r < CAIRN_GRID_FUNCTIONS && well; r++) {
        if (!kernel->function[r] || tiles->turns[r] == 0) continue;
        cairn_grid_tiles_use(tiles, r, &args);
        well = run_to_end(c, kernel->function[r], k, &args, order);
    }
    arrays.grid = false;
    return well;
}

/// A grid, its division, and what it makes of which Y.
typedef struct {
    product_case            *c;
    const cairn_grid_kernel *kernel;
    const cairn_grid_tiles  *tiles;
    const cairn_grid_args   *given;
    int64_t                  k;
    product_operands        *o;
    const void              *before, *result;
} grid_run;

/// Is a mistake that was planted in a function seen: by the check, by what it touches, or
/// by its bits?
static bool is_seen(const grid_run *r, const cairn_ir_function *f)
{
    const size_t bytes = product_operands_bytes(r->o);

    if (cairn_ir_check(&r->c->env, f) != CAIRN_OK) return true;
    for (uint64_t order = 0; order < ORDERS; order++) {
        memcpy(r->o->y, r->before, bytes);
        if (!run_grid(r->c, r->kernel, r->tiles, r->given, r->k, order)
            || memcmp(r->o->y, r->result, bytes) != 0)
            return true;
    }
    return false;
}

/// Plant every mistake there is a place for, one at a time, in all functions that run.
static void plant_mistakes(const grid_run *r)
{
    for (int role = 0; role < CAIRN_GRID_FUNCTIONS; role++)
        for (int what = 0; what < IR_MUTATIONS; what++) {
            cairn_ir_function *const f = r->kernel->function[role];
            ir_mutant                m;

            if (!f || r->tiles->turns[role] == 0) continue;
            for (int n = 0; ir_mutate(&m, f, what, n); n++) {
                const bool seen = is_seen(r, f);

                ir_mutate_back(&m);
                mistakes.planted[what]++;
                mistakes.found[what] += seen;
                if (!seen && getenv("GRID_MISTAKES"))
                    printf("not seen: %s, place %d of function %d: %s\n",
                           ir_mutation_name[what], n, role, r->c->text);
            }
        }
}

/// The same product as a grid, in every order, from the same Y.
static void
compare_grid(product_case *c, int v, int64_t k, product_operands *o, const void *before)
{
    const cairn_layout *layout = c->local->group[c->local->part[k].where.member].layout;
    const size_t        bytes  = product_operands_bytes(o);
    const cairn_product_args args   = product_case_args(c, v, o);
    cairn_grid_args          given  = grid_args(&args);
    void *const              result = malloc(bytes + 1);
    cairn_grid_passes        passes = {.code = {NULL}};
    const cairn_grid_work    work   = {.layout  = layout,
                                       .product = &c->product[v],
                                       .part    = arrays.part,
                                       .args    = given,
                                       .passes  = &passes};
    cairn_grid_kernel        kernel;
    cairn_grid_tiles         tiles;

    memcpy(result, o->y, bytes);
    c->env.memory_limit = 1 << 30; /* lists of visits, beside a tensor that was small */
    cr_assert_eq(cairn_grid_lower(&c->env, layout, &c->product[v], "product", &kernel),
                 CAIRN_OK, "seed %llu: %s\n%s", (unsigned long long)c->seed,
                 c->env.message, c->text);
    cr_assert_eq(cairn_grid_tiles_make(&c->env, &work, &tiles), CAIRN_OK, "%s",
                 c->env.message);
    cairn_grid_passes_fini(&c->env, &passes);
    note_lengths(&tiles);
    count.pieces += (int)tiles.turns[CAIRN_GRID_LONG];
    given.partial = malloc(8 * (size_t)arrays.length[CAIRN_GRID_partial] + 1);
    for (uint64_t order = 0; order < ORDERS; order++) {
        memcpy(o->y, before, bytes);
        cr_assert(run_grid(c, &kernel, &tiles, &given, k, order),
                  "seed %llu, order %d: %s\n%s", (unsigned long long)c->seed,
                  (int)order, c->env.message, c->text);
        cr_assert(memcmp(o->y, result, bytes) == 0,
                  "seed %llu: variant %d, part %d, order %d, shape %d: other bits\n%s",
                  (unsigned long long)c->seed, v, (int)k, (int)order,
                  (int)kernel.grid.shape, c->text);
    }
    if (mistakes.wanted) {
        int16_t *const touched = apart.bank; /* by what has no mistakes */

        apart.bank = NULL;
        plant_mistakes(&(grid_run){c, &kernel, &tiles, &given, k, o, before, result});
        apart.bank = touched;
    }
    free(given.partial);
    free(result);
    cairn_grid_tiles_fini(&c->env, &tiles);
    cairn_grid_kernel_fini(&c->env, &kernel);
}

/// One part's product both ways, from the same Y.
static void compare(product_case *c, int v, int64_t k, product_operands *o)
{
    const cairn_layout *layout = c->local->group[c->local->part[k].where.member].layout;
    const size_t        bytes  = product_operands_bytes(o);
    const cairn_grid    grid   = cairn_grid_of(layout, &c->product[v]);
    void *const         before = malloc(bytes + 1);

    grid_count_note(&count, &c->product[v], &grid);
    memcpy(before, o->y, bytes);
    if (grid.shape != CAIRN_GRID_NONE) {
        run_here(c, v, k, o);
        compare_grid(c, v, k, o, before);
    }
    free(before);
}

/// Before part @p k: of a member whose banks are apart, remember who touches which row.
static void watch_banks(product_case *c, int v, int64_t k)
{
    const int                member = c->local->part[k].where.member;
    const cairn_group       *group  = &c->local->group[member];
    cairn_product           *p      = &c->product[v];
    const cairn_product_rows rows   = cairn_product_rows_of(group->layout, p);
    const cairn_grid         grid   = cairn_grid_of(group->layout, p);

    p->grid_hints.banks = group->layout->partition >= 0 && group->count > 1
                          && group->count < INT16_MAX && rows.apart;
    apart.at = (int16_t)(k - group->first + 1);
    if (k > group->first) return;
    free(apart.bank);
    apart.bank = NULL;
    if (!p->grid_hints.banks) return;
    apart.bank = calloc((size_t)arrays.rows + 1, sizeof *apart.bank);
    apart.cases++;
    apart.plain += !p->transposed;
    apart.regrouped += grid.shape == CAIRN_GRID_REGROUPED;
}

static void run_case(product_case *c)
{
    const int64_t most = c->wish.lengths ? MOST_LONG : MOST_VALUES;

    for (int v = 0; v < PRODUCT_VARIANTS; v++) {
        product_operands o;

        grid_case_draw(c, &c->product[v]);
        product_operands_make(c, &c->product[v], &o);
        product_operands_expect(c, &c->product[v], &o);
        arrays.x_first = c->box[!c->product[v].transposed].lo * o.x_stride;
        arrays.x_end   = arrays.x_first + o.cols * o.x_stride;
        arrays.rows    = o.rows * o.y_stride;
        for (int64_t k = 0; k < c->local->parts; k++) {
            arrays.part = &c->local->part[k].view;
            watch_banks(c, v, k);
            if (arrays.part->values > 0 && arrays.part->values * o.columns < most)
                compare(c, v, k, &o);
        }
        free(apart.bank);
        apart.bank = NULL;
        guarded_free(&o.memory);
        free(o.expected);
    }
    product_case_close(c);
}

Test(grid, formats_of_the_catalogue)
{
    static product_case c;

    for (int k = 0; k < FORMATS; k++)
        for (int turn = 0; turn < 3; turn++) {
            c              = (product_case){.seed  = (uint64_t)k,
                                            .state = (uint64_t)(k + 100 * turn)};
            c.wish.real    = turn != 2;
            c.wish.narrow  = turn == 2;
            c.wish.fixed   = true;
            c.wish.percent = turn == 0 ? 0 : 20 * turn;

            c.shape.extent[0] = 140 + 13 * turn;
            c.shape.extent[1] = 150;
            by_name(formats[k], c.text, sizeof c.text);
            if (product_case_open(&c)) run_case(&c);
        }
    grid_count_tell(&count);
    cr_expect_gt(count.shape[CAIRN_GRID_LANES], count.products / 8);
    cr_expect_gt(count.shape[CAIRN_GRID_LISTS], count.products / 8);
}

Test(grid, rows_longer_than_tiles)
{
    static product_case c;

    for (int k = 0; k < FORMATS + GRID_FORMATS; k++) {
        c = (product_case){
            .seed = (uint64_t)k, .state = (uint64_t)k, .wish.lengths = grid_lengths};
        c.wish.real       = true;
        c.wish.fixed      = true;
        c.shape.extent[0] = GRID_ROWS;
        c.shape.extent[1] = GRID_COLUMN;
        if (k < FORMATS)
            by_name(formats[k], c.text, sizeof c.text);
        else
            snprintf(c.text, sizeof c.text, "%s", grid_formats[k - FORMATS]);
        if (product_case_open(&c)) run_case(&c);
    }
    grid_count_tell(&count);
    cr_expect_gt(count.pieces, 100);
}

/// Formats in banks, and whether these are apart: of rows by remainder and by quotient, as
/// rows of lists, of lanes and regrouped; by numbers of rows; rows above which the bank
/// stands once more; and columns.
static const struct {
    const char *text;
    bool        apart;
} banked[] = {
    {"(d0%4,d0/4,d1)>, mutation<merge(0,1), trim(2,2)>",        true },
    {"(d0/9,d0%9,d1)>, mutation<merge(0,1), trim(2,2)>",        true },
    {"(d0%4,d0/4,d1)>",                                         true },
    {"(d0/9,d1,d0%9)>",                                         true },
    {"(d0%4,d1,d0/4)>, mutation<merge(0,1), trim(2,2)>",        true },
    {"(d0%4,d1-d0,d0)>, mutation<merge(0,1), trim(1,1)>",       false},
    {"(d0%4,d0,d1)>, mutation<merge(0,1), trim(2,2)>",          false},
    {"(d0%4,d0,d1)>, mutation<merge(0,1), trim(1,2)>",          true },
    {"(d0/9,d0,d1)>",                                           false},
    {"(d1/9,d0,d1%9)>, mutation<merge(0,1), trim(2,2)>",        false},
    {"((d0+d1)%4,d0,d1)>, mutation<merge(0,1), trim(2,2)>",     false},
    {"(d0/9,d1/9,d0%9,d1%9)>, mutation<merge(0,1), trim(1,1)>", true },
};

/// Banks that are said to be apart touch no row of each other's.
Test(grid, banks_apart)
{
    static product_case c;

    for (size_t k = 0; k < sizeof banked / sizeof *banked; k++) {
        const int before = apart.plain;

        c                 = (product_case){.seed = k, .state = k};
        c.wish.real       = true;
        c.wish.fixed      = true;
        c.shape.extent[0] = 36;
        c.shape.extent[1] = 31;
        snprintf(c.text, sizeof c.text,
                 "#encoding<{ idx_map<(d0,d1)->%s, layout<partition(0)> }>",
                 banked[k].text);
        cr_assert(product_case_open(&c), "%s", c.text);
        run_case(&c);
        cr_expect_eq(apart.plain > before, banked[k].apart, "%s", c.text);
    }
    cr_expect_gt(apart.regrouped, 0);
}

/// Of how many mistakes of a kind something must be seen, in percent; and why not of all.
static const struct {
    int         least;
    const char *why;
} seen_of[IR_MUTATIONS] = {
    [IR_MUTATE_BARRIER] = {100, ""                                                     },
    [IR_MUTATE_GUARD]   = {10,  "what is behind the last value may be stored, unread"  },
    [IR_MUTATE_FIRST]   = {95,  "what comes first adds 0"                              },
    [IR_MUTATE_FEWER]   = {65,  "the last of a batch are guarded one by one"           },
    [IR_MUTATE_MORE]    = {60,  "groups, items and terms beyond the end are guarded"   },
    [IR_MUTATE_STRIDE]  = {100, ""                                                     },
    [IR_MUTATE_STORED]  = {80,  "what is behind the last value is stored, but not read"},
    [IR_MUTATE_LOADED]  = {95,  "a turn of items that no tile of the matrix gets to"   },
};

static void run_with_mistakes(const char *text, uint64_t seed, const int *lengths)
{
    static product_case c;

    c           = (product_case){.seed = seed, .state = seed, .wish.lengths = lengths};
    c.wish.real = c.wish.fixed = true;
    c.wish.percent             = 75;
    c.shape.extent[0]          = lengths ? GRID_ROWS : 43;
    c.shape.extent[1]          = lengths ? GRID_COLUMN : 41;
    by_name(text, c.text, sizeof c.text);
    if (product_case_open(&c)) run_case(&c);
}

/// Mistakes in grids are found by the check, by the record of who touches what, or by bits.
/// GRID_MISTAKES=1 prints what is not seen.
Test(grid, mistakes_are_seen, .timeout = 900)
{
    mistakes.wanted = true;
    for (int k = 0; k < FORMATS; k++)
        run_with_mistakes(formats[k], 7, NULL);
    for (uint64_t seed = 1; count.pieces == 0 && seed < 9; seed++)
        run_with_mistakes("csr", seed, grid_lengths);
    cr_expect_gt(count.pieces, 0, "no long list was divided");
    for (int what = 0; what < IR_MUTATIONS; what++) {
        printf("%s: %d of %d seen\n", ir_mutation_name[what], mistakes.found[what],
               mistakes.planted[what]);
        cr_expect_gt(mistakes.planted[what], 0, "%s: nowhere", ir_mutation_name[what]);
        cr_expect(100 * mistakes.found[what]
                      >= seen_of[what].least * mistakes.planted[what],
                  "%s: %d of %d seen, not of: %s", ir_mutation_name[what],
                  mistakes.found[what], mistakes.planted[what], seen_of[what].why);
    }
}

Test(grid, random_formats, .timeout = 3600)
{
    static product_case c;
    const char         *given = getenv("GRID_SEED");
    uint64_t  seed  = given ? strtoull(given, NULL, 10) : seed_clock() * 1000003;
    const int cases = given ? 1 : seed_cases(USUAL_CASES);
    int       ran   = 0;

    printf("first seed %llu\n", (unsigned long long)seed);
    for (int k = 0; ran < cases && k < (given ? 1 : 4 * cases); k++) {
        c = (product_case){.seed = seed + (uint64_t)k, .state = seed + (uint64_t)k};
        c.wish.real   = k % 2;
        c.wish.narrow = k % 3 == 0;
        random_format(&c.state, 2, c.text, RANDOM_FORMAT);
        if (!product_case_open(&c)) continue;
        run_case(&c);
        ran++;
    }
    printf("%d tensors; of %d products banks are apart, %d of them regrouped\n", ran,
           apart.cases, apart.regrouped);
    grid_count_tell(&count);
    cr_assert(given || ran == cases, "only %d of %d cases", ran, cases);
    cr_expect(given || grid_count_suffices(&count));
}
