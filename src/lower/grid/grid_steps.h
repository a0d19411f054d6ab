// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the files of grids share: what is decided before anything is built, and the loops
/// of groups and items.

#ifndef CAIRN_LOWER_GRID_STEPS_H
#define CAIRN_LOWER_GRID_STEPS_H

#include "lower/grid/grid.h"
#include "lower/product/product_steps.h"

/// What is decided. Points into itself: not to be copied.
typedef struct cairn_grid_plan {
    cairn_product      product; ///< As asked for, for items and without hints.
    cairn_product_plan plan;    ///< Its.
    cairn_grid         grid;
    int below; ///< LISTS: in the order, the first level behind the list's.
    int tall;  ///< Several columns: rows of a block that an item does at once.
} cairn_grid_plan;

void cairn_grid_plan_make(const cairn_layout  *layout,
                          const cairn_product *product,
                          cairn_grid_plan     *plan);

/// A function while it is built: cairn_grid_open() makes it.
typedef struct cairn_grid_build {
    cairn_product_build    e;
    const cairn_grid_plan *p;
} cairn_grid_build;

/// The functions, into a builder that has been begun, arguments taken.
void cairn_grid_build_lanes(cairn_grid_build *g);
void cairn_grid_build_tiles(cairn_grid_build *g);
void cairn_grid_build_pieces(cairn_grid_build *g);
void cairn_grid_build_join(cairn_grid_build *g);
void cairn_grid_build_visits(cairn_grid_build *g);
void cairn_grid_build_long_visits(cairn_grid_build *g);

/// The same for several columns.
void cairn_grid_build_columns_lanes(cairn_grid_build *g);
void cairn_grid_build_columns_tiles(cairn_grid_build *g);
void cairn_grid_build_columns_pieces(cairn_grid_build *g);
void cairn_grid_build_columns_join(cairn_grid_build *g);
void cairn_grid_build_columns_visits(cairn_grid_build *g);

/// Where each value is listed; of one column or several.
void cairn_grid_build_values(cairn_grid_build *g);

/// What lists the values of a row at hand, and what counts them.
void cairn_grid_count_values(cairn_product_build *e, cairn_nest *nest);
void cairn_grid_list_values(cairn_product_build *e, cairn_nest *nest);

/// Open and close loops over all turns of the launch, of groups and of their items, some
/// for each turn, that have its columns. @return the turn at hand.
cairn_ir_x
     cairn_grid_open_columns(cairn_grid_build *g, const char *note, const char *name);
void cairn_grid_close_columns(cairn_grid_build *g);

/// All that lane @p q does.
void cairn_grid_build_lane(cairn_grid_build *g, cairn_nest *nest, cairn_ir_x q);

/// First node of list @p q.
cairn_ir_x
cairn_grid_begin_of(cairn_grid_build *g, const cairn_nest *nest, cairn_ir_x q);

/// Stand at list @p q; of a run that is its first node.
void cairn_grid_stand_at_list(cairn_grid_build *g, cairn_nest *nest, cairn_ir_x q);

/// Stand at row @p r of a list; of several columns, at the first of those done at once.
void cairn_grid_stand_at_row(cairn_grid_build *g, cairn_nest *nest, cairn_ir_x r);

/// Add the nodes @p begin .. @p end - 1, and all below theirs, to the sums of @p s.
void cairn_grid_add_nodes(cairn_grid_build *g,
                          cairn_nest       *nest,
                          cairn_sums       *s,
                          cairn_ir_x        begin,
                          cairn_ir_x        end);

/// A word of an array of the arguments.
cairn_ir_x
cairn_grid_word(cairn_grid_build *g, int field, const char *array, cairn_ir_x at);

/// Is row @p j of X inside the box? NULL: always.
cairn_ir_x cairn_grid_is_inside(cairn_grid_build *g, cairn_ir_x j);

/// Visits before those of row @p q.
cairn_ir_x cairn_grid_first_visit(cairn_grid_build *g, cairn_ir_x q);

/// Values from one place of level @p l to its next; 0: they differ.
int64_t cairn_grid_stride(const cairn_product_plan *p, int l);

/// Open what is done for a row with visits @p begin .. @p end - 1, and close it. Where banks
/// are done together a row without visits is another's, and is left alone.
void cairn_grid_open_visited(cairn_grid_build *g, cairn_ir_x begin, cairn_ir_x end);
void cairn_grid_close_visited(cairn_grid_build *g);

/// Where the value number @p p of those from visit @p begin on is, and its row of X.
void cairn_grid_locate_visit(cairn_grid_build *g,
                             cairn_ir_x        begin,
                             cairn_ir_x        p,
                             cairn_ir_x       *j,
                             cairn_ir_x       *value);

/// A tile while it is built.
typedef struct cairn_grid_tile {
    cairn_ir_array *staged;
    cairn_ir_x      begin, values; ///< First node, or visit; how many values.
    cairn_ir_x      row, end;      ///< Rows, counted through those of all lists.
    cairn_ir_x      lists, lists_end;
} cairn_grid_tile;

/// Open the group of a tile. A list that is too long is alone in its tile and done in
/// pieces: then there are no values and no rows, and all barriers are met.
cairn_grid_tile
cairn_grid_open_tile(cairn_grid_build *g, const cairn_nest *nest, const char *note);

/// The group's array of terms that have been multiplied.
cairn_ir_array *cairn_grid_open_staged(cairn_grid_build *g);

/* Values that an item has in flight, and pieces that a group does, at most. */
enum { CAIRN_GRID_STAGED = 8, CAIRN_GRID_PIECES = 8 };

/// A few values: the node, or visit, that they are counted from; their numbers from there;
/// whether their rows of X are in the box (NULL: they are); values and elements of X.
typedef struct cairn_grid_batch {
    int        count;
    cairn_ir_x begin[CAIRN_GRID_STAGED], p[CAIRN_GRID_STAGED];
    cairn_ir_x inside[CAIRN_GRID_STAGED], a[CAIRN_GRID_STAGED], x[CAIRN_GRID_STAGED];
} cairn_grid_batch;

/// Load what a batch needs, indices first, then all values, then all of x: so many are in
/// flight at once.
void cairn_grid_load(cairn_grid_build *g, const cairn_nest *above, cairn_grid_batch *v);

/// The product of value and x number @p k.
cairn_ir_x cairn_grid_product(cairn_grid_build *g, const cairn_grid_batch *v, int k);

/// Multiply the @p n values from node, or visit, @p begin on, by all items: neighbours
/// load what lies side by side. The last turn loads the last value again where there are
/// no more.
void cairn_grid_stage(cairn_grid_build *g,
                      const cairn_nest *above,
                      cairn_ir_array   *staged,
                      cairn_ir_x        begin,
                      cairn_ir_x        n);

/// The same for the turns that are @p t's of CAIRN_GRID_ITEMS.
void cairn_grid_stage_turns(cairn_grid_build *g,
                            const cairn_nest *above,
                            cairn_ir_array   *staged,
                            cairn_ir_x        begin,
                            cairn_ir_x        n,
                            cairn_ir_x        t);

/// A number or an array of the arguments.
cairn_ir_x cairn_grid_number(cairn_ir *b, int field, const char *name);
cairn_ir_array *
cairn_grid_array(cairn_ir *b, int field, cairn_ir_type type, const char *name);

/// Open the loop of groups over the turns of the launch. @return the turn at hand.
cairn_ir_x cairn_grid_open_groups(cairn_ir *b, const char *note, const char *name);

/// Open loops of groups and of their items over @p each times as many turns, CAIRN_GRID_ITEMS
/// of them a group. @return the turn at hand, counted from `from`*@p each on.
cairn_ir_x
cairn_grid_open_items(cairn_ir *b, int64_t each, const char *note, const char *name);

/// Open the loop of a group's items over @p begin to @p end.
cairn_ir_x cairn_grid_open_turns(cairn_ir   *b,
                                 cairn_ir_x  begin,
                                 cairn_ir_x  end,
                                 const char *note,
                                 const char *name);

#endif
