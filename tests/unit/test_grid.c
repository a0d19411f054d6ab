// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products on grids: the same bits as the processor's kernels, in every order of groups
/// and items, with nothing touched outside of arrays or by two; on the catalogue and on
/// random formats, for one column and several. All is interpreted.
///
/// The seed is printed; GRID_SEED=N runs case N alone.

#include "support/every_format.h"
#include "support/grid_case.h"
#include "support/ir_once.h"
#include "support/ir_races.h"
#include "support/seed.h"

enum { USUAL_CASES = 120, ORDERS = 4, MOST_VALUES = 15000, MOST_LONG = 50000 };

/// What the function's arrays are. Criterion runs one test a process.
static struct {
    const cairn_kernel_part *part;
    int64_t                  x_first, x_end, rows, share, cuts, partials, visits, steps;
    bool                     grid;                      ///< The function is a grid's,
    int64_t                  length[CAIRN_GRID_at + 1]; ///< whose arrays are so long.
} arrays;

static grid_count count;

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
        return field.level == (int)CAIRN_PRODUCT_share ? arrays.share : 0;
    default: return 0;
    }
}

static void run(product_case            *c,
                const cairn_ir_function *f,
                int64_t                  k,
                const void              *args,
                uint64_t                 order)
{
    static races   r; /* of the process, which runs one test */
    cairn_ir_watch watch  = {.length = length_of,
                             .first  = first_of,
                             .touch  = races_touch,
                             .user   = &r,
                             .order  = order};
    int64_t        status = -1;

    if (!r.slot) races_open(&r);
    races_again(&r);
    cr_assert_eq(
        ir_run_once(&c->env, f, &c->local->part[k].view, NULL, args, &watch, &status),
        CAIRN_OK, "seed %llu, order %d: %s\n%s", (unsigned long long)c->seed,
        (int)order, c->env.message, c->text);
    cr_assert_eq(status, 0);
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
    cairn_work_partition_use(&team, &args);
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

/// The grid's functions, in one order.
static void run_grid(product_case            *c,
                     const cairn_grid_kernel *kernel,
                     const cairn_grid_tiles  *tiles,
                     const cairn_grid_args   *given,
                     int64_t                  k,
                     uint64_t                 order)
{
    cairn_grid_args args = *given;

    arrays.grid = true;
    for (int r = 0; r < CAIRN_GRID_FUNCTIONS; r++) {
        if (!kernel->function[r] || tiles->turns[r] == 0) continue;
        cairn_grid_tiles_use(tiles, r, &args);
        run(c, kernel->function[r], k, &args, order);
    }
    arrays.grid = false;
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
    const cairn_grid_work    work   = {.layout  = layout,
                                       .product = &c->product[v],
                                       .part    = arrays.part,
                                       .args    = given};
    cairn_grid_kernel        kernel;
    cairn_grid_tiles         tiles;

    memcpy(result, o->y, bytes);
    cr_assert_eq(cairn_grid_lower(&c->env, layout, &c->product[v], "product", &kernel),
                 CAIRN_OK, "seed %llu: %s\n%s", (unsigned long long)c->seed,
                 c->env.message, c->text);
    cr_assert_eq(cairn_grid_tiles_make(&c->env, &work, &tiles), CAIRN_OK, "%s",
                 c->env.message);
    note_lengths(&tiles);
    count.pieces += (int)tiles.turns[CAIRN_GRID_LONG];
    given.partial = malloc(8 * (size_t)arrays.length[CAIRN_GRID_partial] + 1);
    for (uint64_t order = 0; order < ORDERS; order++) {
        memcpy(o->y, before, bytes);
        run_grid(c, &kernel, &tiles, &given, k, order);
        cr_assert(memcmp(o->y, result, bytes) == 0,
                  "seed %llu: variant %d, part %d, order %d, shape %d: other bits\n%s",
                  (unsigned long long)c->seed, v, (int)k, (int)order,
                  (int)kernel.grid.shape, c->text);
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

static void run_case(product_case *c)
{
    const int64_t most = c->lengths ? MOST_LONG : MOST_VALUES;

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
            if (arrays.part->values > 0 && arrays.part->values * o.columns < most)
                compare(c, v, k, &o);
        }
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
            c         = (product_case){.seed  = (uint64_t)k,
                                       .state = (uint64_t)(k + 100 * turn)};
            c.real    = turn != 2;
            c.narrow  = turn == 2;
            c.fixed   = true;
            c.percent = turn == 0 ? 0 : 20 * turn;

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
            .seed = (uint64_t)k, .state = (uint64_t)k, .lengths = grid_lengths};
        c.real            = true;
        c.fixed           = true;
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
        c.real   = k % 2;
        c.narrow = k % 3 == 0;
        random_format(&c.state, 2, c.text, RANDOM_FORMAT);
        if (!product_case_open(&c)) continue;
        run_case(&c);
        ran++;
    }
    printf("%d tensors\n", ran);
    grid_count_tell(&count);
    cr_assert(given || ran == cases, "only %d of %d cases", ran, cases);
    cr_expect(given || grid_count_suffices(&count));
}
