// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Grids over products: their functions, one after the other, and the loops of groups and
/// items that all of them have.

#include "lower/grid/grid.h"

#include "base/text.h"
#include "ir/ir_rewrite.h"
#include "ir/passes.h"
#include "lower/grid/grid_steps.h"

#include <stdio.h>

typedef void (*build_function)(cairn_grid_build *g);

static const build_function builds[][CAIRN_GRID_FUNCTIONS] = {
    [CAIRN_GRID_NONE]      = {NULL                         },
    [CAIRN_GRID_LANES]     = {                      cairn_grid_build_lanes                            },
    [CAIRN_GRID_LISTS]     = { cairn_grid_build_tiles,         cairn_grid_build_pieces,
                              cairn_grid_build_join},
    [CAIRN_GRID_REGROUPED] = {                              cairn_grid_build_visits, cairn_grid_build_long_visits},
};

/// Of several columns.
static const build_function builds_columns[][CAIRN_GRID_FUNCTIONS] = {
    [CAIRN_GRID_NONE]      = {NULL                          },
    [CAIRN_GRID_LANES]     = {cairn_grid_build_columns_lanes},
    [CAIRN_GRID_LISTS]     = {cairn_grid_build_columns_tiles,
                              cairn_grid_build_columns_pieces, cairn_grid_build_columns_join},
    [CAIRN_GRID_REGROUPED] = {cairn_grid_build_columns_visits},
};

/// What builds function @p role; NULL: there is none.
static build_function builder_of(const cairn_grid *grid, cairn_grid_role role)
{
    if (grid->listed) return role == CAIRN_GRID_MAIN ? cairn_grid_build_values : NULL;
    if (!grid->group) return builds[grid->shape][role];
    if (role != CAIRN_GRID_MAIN && !grid->cuts) return NULL;
    return builds_columns[grid->shape][role];
}

static const char *const suffixes[CAIRN_GRID_FUNCTIONS] = {"", "_long", "_join"};

int64_t cairn_grid_groups(const cairn_grid *grid,
                          cairn_grid_role   role,
                          int64_t           turns,
                          int64_t           columns)
{
    const int64_t items  = CAIRN_GRID_ITEMS;
    const int64_t span   = grid->group ? (int64_t)grid->group * grid->width : columns;
    const int64_t chunks = grid->group ? (columns + span - 1) / span : 1;
    int64_t       dealt  = grid->group ? grid->group : 1; /* items of a turn */

    if (role == CAIRN_GRID_LONG && grid->pieces > 1)
        return (turns + grid->pieces - 1) / grid->pieces;
    if (role == CAIRN_GRID_JOIN) dealt *= grid->high;
    if (role == CAIRN_GRID_JOIN
        || (role == CAIRN_GRID_MAIN
            && (grid->shape == CAIRN_GRID_LANES || grid->listed)))
        turns = (turns * dealt + items - 1) / items;
    return turns * chunks;
}

void cairn_grid_deal_columns(const cairn_product *product,
                             int64_t              columns,
                             cairn_grid_hints    *hints)
{
    enum { VECTOR_BYTES = 16, MOST_GROUP = 32 };

    hints->width = VECTOR_BYTES / cairn_ir_type_bytes(product->operand);
    hints->group = 1;
    while (columns % hints->width != 0)
        hints->width /= 2;
    while (hints->group < MOST_GROUP && (int64_t)hints->group * hints->width < columns)
        hints->group *= 2;
}

cairn_ir_x cairn_grid_number(cairn_ir *b, int field, const char *name)
{
    return cairn_product_arg(b, field, CAIRN_IR_I64, name);
}

cairn_ir_array *
cairn_grid_array(cairn_ir *b, int field, cairn_ir_type type, const char *name)
{
    return cairn_ir_array_of(
        b, (cairn_ir_field){.source = CAIRN_IR_ARG, .level = field}, type, "%s", name);
}

cairn_ir_x cairn_grid_open_groups(cairn_ir *b, const char *note, const char *name)
{
    cairn_ir_stmt *const groups =
        cairn_ir_for(b, cairn_grid_number(b, CAIRN_GRID_from, "from"),
                     cairn_grid_number(b, CAIRN_GRID_to, "to"), 1, note, "%s", name);

    groups->turns = CAIRN_TURNS_GROUPS;
    return cairn_ir_loop_var(b, groups);
}

cairn_ir_x cairn_grid_open_turns(cairn_ir   *b,
                                 cairn_ir_x  begin,
                                 cairn_ir_x  end,
                                 const char *note,
                                 const char *name)
{
    cairn_ir_stmt *const items = cairn_ir_for(b, begin, end, 1, note, "%s", name);

    items->turns = CAIRN_TURNS_ITEMS;
    return cairn_ir_loop_var(b, items);
}

cairn_ir_x
cairn_grid_open_items(cairn_ir *b, int64_t each, const char *note, const char *name)
{
    const cairn_ir_x items = cairn_ir_int(b, CAIRN_GRID_ITEMS);
    const cairn_ir_x begin =
        cairn_ir_mul_int(b, cairn_grid_number(b, CAIRN_GRID_from, "from"), each);
    const cairn_ir_x end =
        cairn_ir_mul_int(b, cairn_grid_number(b, CAIRN_GRID_to, "to"), each);
    const cairn_ir_x turns =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_sub(b, end, begin), "turns"));
    const cairn_ir_x     all = cairn_ir_add_int(b, turns, CAIRN_GRID_ITEMS - 1);
    cairn_ir_stmt *const groups =
        cairn_ir_for(b, cairn_ir_int(b, 0),
                     cairn_ir_binary(b, CAIRN_IR_DIV, all, items), 1, NULL, "g");
    const cairn_ir_x first = cairn_ir_mul(b, cairn_ir_loop_var(b, groups), items);
    const cairn_ir_x last =
        cairn_ir_min(b, cairn_ir_add_int(b, first, CAIRN_GRID_ITEMS), turns);

    groups->turns = CAIRN_TURNS_GROUPS;
    return cairn_ir_add(b, begin, cairn_grid_open_turns(b, first, last, note, name));
}

cairn_status cairn_grid_key(cairn_env           *env,
                            const cairn_layout  *layout,
                            const cairn_product *product,
                            char               **key)
{
    cairn_grid_plan plan;
    cairn_text      text;
    char           *of_product;

    cairn_grid_plan_make(layout, product, &plan);
    CAIRN_TRY(cairn_product_key(env, layout, &plan.product, &of_product));
    cairn_text_init(&text, env);
    const cairn_grid_hints *h = &plan.product.grid_hints;

    cairn_text_add(&text, "grid %d%s, batch %d%s%s%s%s, ", (int)plan.grid.shape,
                   plan.grid.listed ? " of values" : "", h->batch,
                   h->narrow ? ", narrow" : "", h->starts ? ", starts" : "",
                   h->early ? ", early" : "", h->banks ? ", banks" : "");
    cairn_text_add(&text, "staged %d, pieces %d, groups %d, ", h->staged, h->pieces,
                   h->groups);
    if (plan.grid.group)
        cairn_text_add(&text, "columns %d by %d, ", plan.grid.group, plan.grid.width);
    cairn_text_add(&text, "%s", of_product);
    cairn_free(env, of_product);
    return cairn_text_take(&text, key);
}

/// Is it loaded once, by items side by side? An index above the tiled level is that of
/// all its lanes, and where it is a diagonal's of all groups: not kept in L1 it would be
/// asked of one place of L2 by all multiprocessors, for each row of theirs.
static bool is_stream(const cairn_grid_plan *plan, cairn_ir_x x)
{
    if (x->op != CAIRN_IR_LOAD || x->a->op == CAIRN_IR_INT) return false;
    if (x->array->field.source == CAIRN_IR_VAL) return true;
    return x->array->field.source == CAIRN_IR_LEVEL_IDX
           && (plan->grid.shape != CAIRN_GRID_LANES
               || x->array->field.level > plan->plan.tile.level);
}

/// Values and indices that are many are read once, by items side by side.
static cairn_ir_x mark(cairn_ir *b, cairn_ir_x x, void *user)
{
    if (!is_stream(user, x) || x->once) return NULL;
    return cairn_ir_hinted(b, cairn_ir_rewrite_inside(b, x, mark, user), true,
                           x->aligned);
}

static cairn_status
mark_streams(cairn_env *env, const cairn_grid_plan *plan, cairn_ir_function *function)
{
    cairn_ir b;

    cairn_ir_edit(&b, env, function, &function->body);
    cairn_ir_rewrite_block(&b, function->body, mark, (void *)plan);
    return b.status;
}

/// Groups that a multiprocessor shall hold: what waits for memory is hidden by others, but
/// each has fewer registers then. With so many NVRTC 13.0 spills none for sm_80 and sm_90
/// (tests/golden/cuda-resources.txt). Rows of single values have few sums to keep, and wait
/// most: an H100 took 0.79 to 0.93 of the time with more than 7.
static int groups_of(const cairn_grid *grid, cairn_grid_role role, bool f64)
{
    enum { OF_A_VECTOR = 7, OF_COLUMNS = 5, OF_ROWS = 9, OF_F64_ROWS = 12 };

    if (grid->group || grid->listed) return OF_COLUMNS;
    if (grid->shape != CAIRN_GRID_LISTS || grid->by == CAIRN_GRID_BY_SIZE
        || grid->high > 1 || grid->block > 1 || role == CAIRN_GRID_JOIN)
        return OF_A_VECTOR;
    return f64 && role == CAIRN_GRID_MAIN ? OF_F64_ROWS : OF_ROWS;
}

enum { LONG_BATCH = 8 };

/// Finish a function, as its grid and its hints say.
static cairn_status finish(cairn_env             *env,
                           const cairn_grid_plan *plan,
                           cairn_grid_role        role,
                           cairn_ir              *b,
                           cairn_ir_function    **function)
{
    const cairn_grid_hints *hints = &plan->product.grid_hints;
    /* With several columns all items of a group read the same one, and the next one of
     * these after it, which L1 has. */
    const bool beside = !plan->grid.group
                        && (plan->grid.shape == CAIRN_GRID_LISTS || plan->grid.beside);
    /* A chain of a piece has many terms, whatever most rows have. */
    const int batch   = role == CAIRN_GRID_LONG && hints->batch > 0 && hints->staged > 0
                            ? LONG_BATCH
                            : hints->batch;
    bool      changed = false;
    cairn_ir_function *fresh;

    CAIRN_TRY(cairn_passes_finish(env, b, &fresh));
    cairn_status status = beside ? mark_streams(env, plan, fresh) : CAIRN_OK;

    if (status == CAIRN_OK)
        status = cairn_pass_batch(env, fresh, batch, hints->early, &changed);
    if (status == CAIRN_OK && hints->narrow)
        status = cairn_pass_narrow(env, fresh, &changed);
    fresh->banks = hints->banks;
    fresh->groups =
        hints->groups > 0
            ? hints->groups
            : groups_of(&plan->grid, role, plan->product.operand == CAIRN_IR_F64);
    if (status == CAIRN_OK)
        *function = fresh;
    else
        cairn_ir_destroy(env, &fresh);
    return status;
}

/// One function.
static cairn_status lower(cairn_env             *env,
                          const cairn_grid_plan *plan,
                          cairn_grid_role        role,
                          const char            *name,
                          cairn_ir_function    **function)
{
    cairn_text text;
    char      *symbol;
    cairn_ir   b;

    cairn_text_init(&text, env);
    cairn_text_add(&text, "%s%s", name, suffixes[role]);
    CAIRN_TRY(cairn_text_take(&text, &symbol));
    cairn_ir_begin(&b, env, symbol, CAIRN_ABI_GRID);
    cairn_free(env, symbol);
    cairn_grid_build g = {
        .e = {.b = &b, .p = &plan->plan},
          .p = plan
    };

    if (b.status == CAIRN_OK) {
        cairn_product_describe(&g.e);
        cairn_product_take_arguments(&g.e);
        builder_of(&plan->grid, role)(&g);
    }
    return finish(env, plan, role, &b, function);
}

cairn_status cairn_grid_lower(cairn_env           *env,
                              const cairn_layout  *layout,
                              const cairn_product *product,
                              const char          *name,
                              cairn_grid_kernel   *kernel)
{
    cairn_grid_kernel fresh = {.function = {NULL}};
    cairn_grid_plan   plan;
    cairn_status      status = CAIRN_OK;

    CAIRN_CHECK(layout->order == 2, env, CAIRN_BAD_SHAPE,
                "product: %s: the tensor has order %d, not 2", name, layout->order);
    cairn_grid_plan_make(layout, product, &plan);
    CAIRN_CHECK(plan.grid.shape != CAIRN_GRID_NONE, env, CAIRN_UNSUPPORTED,
                "product: %s: it has no grid", name);
    fresh.grid = plan.grid;
    for (cairn_grid_role r = 0; r < CAIRN_GRID_FUNCTIONS && status == CAIRN_OK; r++)
        if (builder_of(&plan.grid, r))
            status = lower(env, &plan, r, name, &fresh.function[r]);
    if (status == CAIRN_OK)
        *kernel = fresh;
    else
        cairn_grid_kernel_fini(env, &fresh);
    return status;
}

void cairn_grid_kernel_fini(cairn_env *env, cairn_grid_kernel *kernel)
{
    for (int r = 0; r < CAIRN_GRID_FUNCTIONS; r++)
        if (kernel->function[r]) cairn_ir_destroy(env, &kernel->function[r]);
    *kernel = (cairn_grid_kernel){.function = {NULL}};
}
