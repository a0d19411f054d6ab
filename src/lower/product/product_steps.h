// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The steps of a product's lowering, shared by its files: what the kernel is given, the
/// sums at hand, and the steps that each file builds.
///
/// product.c enters the levels of the row; product_tile.c takes many rows at once and
/// tells whether all of a tile is inside; product_sum.c adds what is below a row;
/// product_chains.c is the loop over stored entries in four chains; product_alike.c are
/// rows that have the same columns, product_abreast.c rows whose columns go on by one,
/// product_beside.c long rows, product_empty.c rows without entries;
/// product_cuts.c the cuts of long rows that threads share, product_share.c the threads;
/// product_columns.c are the columns of X and Y; product_store.c joins sums to Y.

#ifndef CAIRN_LOWER_PRODUCT_STEPS_H
#define CAIRN_LOWER_PRODUCT_STEPS_H

#include "lower/product/product_plan.h"

enum {
    CAIRN_ROW_STRIPS = 18, ///< Of a tile: 127 rows are 15 vectors of 8, and 4, 2, 1.
    CAIRN_VECTORS    = 8,  ///< Of columns in one tile.
    CAIRN_EMPTY      = 8 ///< Rows that are looked at together, whether any has entries.
};

/// A strip of a tile: rows whose sums are the lanes of one vector.
typedef struct cairn_row_strip {
    int offset; ///< First row in the tile.
    int lanes;
    int used; ///< Lanes that are rows; the others hold no result.
} cairn_row_strip;

/// The sums of the rows and columns at hand.
typedef struct cairn_sums {
    int             strips;
    cairn_row_strip strip[CAIRN_ROW_STRIPS];
    int             chains;
    bool            packed;  ///< The chains are the lanes of one vector.
    int             vectors; ///< Of columns; 1 for a vector.
    cairn_ir_var   *sum[CAIRN_ROW_STRIPS][CAIRN_BLOCK][CAIRN_VECTORS];
    cairn_ir_var   *row;         ///< What the chains join: cuts of a long row; or NULL.
    cairn_ir_var   *first_chain; ///< Packed: what the first lane went on as; or NULL.
    bool            inside;      ///< All positions are: no guards.
    bool            single;      ///< One row, not a tile.
    cairn_ir_x      first;       ///< Place of the tile's first row; NULL without tile.
} cairn_sums;

/// Sums of Y's rows in a leaf, of those that are a vector's lanes in vectors.
typedef struct cairn_y_sums {
    cairn_ir_var *row;
    cairn_ir_var *vector[CAIRN_CHAINS]; ///< In turns, lest one waits for itself.
    int           lanes;                ///< Of a vector; 0: there is none.
    int           next;
} cairn_y_sums;

struct cairn_product_build;

/// What is other where groups of items do a product (lower/grid/grid.h).
typedef struct cairn_product_items {
    cairn_ir_x lane; ///< Place of the tiled level, or row; NULL: no tile.
    cairn_ir_array
              *staged; ///< Terms that have been multiplied, at cairn_product_slot()
    cairn_ir_x base;   ///< of their value's place behind this one; NULL: none are.
    cairn_ir_x visit;  ///< Or of their place among the visits, this being the one at
                       ///< hand; NULL: values' places.
    cairn_ir_x      chain;   ///< The one chain to be summed; NULL: all.
    cairn_ir_array *partial; ///< Sums of a row's pieces, to be joined: those at first,
    cairn_ir_x      first, end; ///< first + stride .. before end; NULL: none are.
    int64_t         stride;
    /// Called where the row is known, instead of all that is done there; NULL: not.
    void (*meet)(struct cairn_product_build *e, cairn_nest *nest);
} cairn_product_items;

/// Positions that are one thread's, or those of a leaf of them; NULLs: there are no shares.
typedef struct cairn_product_share_ends {
    cairn_ir_x    begin, end;
    cairn_ir_x    cursor, node; ///< SCATTER: third and fourth number of the share.
    cairn_y_sums *y_sums;       ///< Of the leaf at hand; NULL: none are wanted.
} cairn_product_share_ends;

/// Columns of X and Y that are done together.
typedef struct cairn_column_group {
    cairn_ir_x first; ///< NULL: X is a vector.
    int        lanes, vectors;
} cairn_column_group;

/// A product while it is built.
typedef struct cairn_product_build {
    cairn_ir                  *b;
    const cairn_product_plan  *p;
    cairn_ir_array            *x, *y;
    cairn_ir_x                 lo[2], end[2]; ///< Bounds of the dimensions.
    cairn_product_share_ends   share;         ///< Of this thread.
    cairn_ir_x                 run, run_end;  ///< Nodes of the run at hand; or NULL.
    cairn_column_group         columns;       ///< At hand.
    const cairn_product_items *items;         ///< Grids; or NULL.
    cairn_ir_x                 place; ///< Of a tile's row that is done alone; or NULL.
    int                        width; ///< Rows of a tile.
    cairn_ir_x                 x_value; ///< x[j], known early; or NULL.
    bool                       looped;  ///< The columns' loop stands outermost.
    bool                       rest;    ///< Whole cuts of the row have been dealt with.
} cairn_product_build;

/// What opens the file: the expression, the levels, the key.
void cairn_product_describe(cairn_product_build *e);

/// Operands and bounds.
void cairn_product_take_arguments(cairn_product_build *e);

/// Stand at the root of the part.
void cairn_product_begin(cairn_product_build *e, cairn_nest *nest);

/// Enter the levels from number @p at of the order on, and do all that is below.
void cairn_product_enter(cairn_product_build *e, cairn_nest *nest, int at);

/// The kernel's loops, on threads: whole cuts of long rows, then rows.
void cairn_product_threads(cairn_product_build *e, void *user);

/// Of the positions of level @p l, from @p begin to before @p end, those of the thread.
void cairn_product_own_range(cairn_product_build *e,
                             const cairn_nest    *nest,
                             int                  l,
                             cairn_ir_x          *begin,
                             cairn_ir_x          *end);

/// The tiled level's loop.
void cairn_product_tile(cairn_product_build *e, cairn_nest *nest, int at);

/// All of the row at hand, guards included.
void cairn_product_row(cairn_product_build *e, cairn_nest *nest);

/// The sums of the rows of @p shape, for all columns.
void cairn_product_group(cairn_product_build *e,
                         const cairn_nest    *nest,
                         const cairn_sums    *shape);

/// Add everything below the row, from number @p at of the order on.
void cairn_product_add(cairn_product_build *e, cairn_nest *nest, cairn_sums *s, int at);

/// Add the terms at the position at hand to chain @p chain.
void cairn_product_term(cairn_product_build *e,
                        const cairn_nest    *nest,
                        cairn_sums          *s,
                        int                  chain);

/// Add one loop over stored entries in four chains.
void cairn_product_chains(cairn_product_build *e, cairn_nest *nest, cairn_sums *s);

/// Stand at @p count rows next to each other, of the nodes from @p q on of level @p level,
/// where @p nest stands at the first: @p row and @p sums, [count] each, with sums declared.
void cairn_product_stand_rows(cairn_product_build *e,
                              const cairn_nest    *nest,
                              int                  level,
                              cairn_ir_x           q,
                              int                  count,
                              cairn_nest          *row,
                              cairn_sums          *sums);

/// Rows of the level that is entered as number @p at, of the nodes @p begin to before @p
/// end: those next to each other that have the same columns side by side.
void cairn_product_alike(cairn_product_build *e,
                         cairn_nest          *nest,
                         int                  at,
                         cairn_ir_x           begin,
                         cairn_ir_x           end);

/// Add the entries of @p count such rows to @p s[count], in four chains each. @p nest: the
/// first row, whose entries @p begin to before @p end are; at most CAIRN_CUT.
void cairn_product_chains_alike(cairn_product_build *e,
                                cairn_nest          *nest,
                                cairn_sums          *s,
                                int                  count,
                                cairn_ir_x           begin,
                                cairn_ir_x           end);

/// Rows of the level that is entered as number @p at of the order, at its places @p begin to
/// before @p end: those next to each other that are as long, with each column one further
/// on, as lanes of vectors; the others one by one.
void cairn_product_abreast(cairn_product_build *e,
                           cairn_nest          *nest,
                           int                  at,
                           cairn_ir_x           begin,
                           cairn_ir_x           end);

/// Rows of the level that is entered as number @p at, of the nodes @p begin to before @p
/// end: CAIRN_BESIDE at once, side by side.
void cairn_product_beside(cairn_product_build *e,
                          cairn_nest          *nest,
                          int                  at,
                          cairn_ir_x           begin,
                          cairn_ir_x           end);

/// Add the entries of such rows, which are @p nest[CAIRN_BESIDE], to @p s[CAIRN_BESIDE], in
/// four chains each.
void cairn_product_chains_beside(cairn_product_build *e,
                                 const cairn_nest    *nest,
                                 cairn_sums          *s);

/// Rows of the level that is entered as number @p at, of the nodes @p begin to before @p
/// end: CAIRN_EMPTY at once where none of them has entries, else one by one.
void cairn_product_empty(cairn_product_build *e,
                         cairn_nest          *nest,
                         int                  at,
                         cairn_ir_x           begin,
                         cairn_ir_x           end);

/// Add one whole cut, from node @p at on, in four chains.
void cairn_product_chains_cut(cairn_product_build *e,
                              cairn_nest          *nest,
                              cairn_sums          *s,
                              cairn_ir_x           at);

/// Of the nodes @p begin .. @p end - 1 of a row or a whole cut, which all are in one list
/// and whose first has a number that CAIRN_CHAINS divides, add those of chain @p chain to
/// the only sum of @p s. From node @p whole on all go to the first chain.
void cairn_product_one_chain(cairn_product_build *e,
                             cairn_nest          *nest,
                             cairn_sums          *s,
                             cairn_ir_x           begin,
                             cairn_ir_x           end,
                             cairn_ir_x           whole,
                             cairn_ir_x           chain);

/// The sum of a row's pieces, in order.
void cairn_product_join_pieces(cairn_product_build *e, cairn_sums *s);

/// Guard one position, outside tiles that are inside: what follows is done where it is one
/// of the part's.
void cairn_product_guard(cairn_product_build *e, cairn_nest *at);

/// Is what a visit of a row adds one value at most, with no loop below the row?
bool cairn_product_adds_one(const cairn_product_plan *p);

/// Is a visit left out whose only term is no position of the part? So it is where the term
/// joins Y itself, and where rows are met again and again: a -0 of Y stays, as it does
/// where entries are walked.
bool cairn_product_needs_term(const cairn_product_plan *p);

/// Let a row's total, that of all its terms, join Y at @p at, or become it.
void cairn_product_join_total(const cairn_product_build *e,
                              cairn_ir_x                 at,
                              cairn_ir_x                 total);

/// A row that is visited again and again: begin with what Y has of row number @p at of
/// this rank, let all of a visit's staged terms join it, store it. For those who never
/// leave Y narrower than sums. Of several columns a visit's total is the caller's.
cairn_ir_var *cairn_product_open_row(const cairn_product_build *e, cairn_ir_x at);
void          cairn_product_visit(cairn_product_build *e,
                                  const cairn_nest    *nest,
                                  cairn_ir_var        *sum);
void          cairn_product_join_visit(const cairn_product_build *e,
                                       cairn_ir_x                 total,
                                       cairn_ir_var              *sum);
void          cairn_product_close_row(const cairn_product_build *e,
                                      cairn_ir_x                 at,
                                      cairn_ir_var              *sum);

/// Decide on the chains of sums and declare them.
void cairn_product_declare(cairn_product_build *e, cairn_sums *s);

/// Whole cuts of long rows, by all threads, before the rows.
void cairn_product_cuts(cairn_product_build *e);

/// The sum of the whole cut that begins at node @p at, of the columns at hand of vector
/// @p vector.
cairn_ir_x cairn_product_partial(cairn_product_build *e, cairn_ir_x at, int vector);

/// Number of the first whole cut that begins at node @p begin or behind, to go on with in
/// cairn_product_pass_cuts(); NULL where runs are not searched for cuts, because they are
/// in many lists or have none.
cairn_ir_var *cairn_product_first_cut(cairn_product_build *e, cairn_ir_x begin);

/// At the first node of a run, @p q: pass its whole cuts, all of whose nodes are the
/// run's, and the node behind, which is, too.
void cairn_product_pass_cuts(cairn_product_build *e,
                             cairn_ir_var        *next,
                             cairn_ir_var        *q);

/// A row of several columns: what follows its whole cuts, and then their sums.
void cairn_product_rest(cairn_product_build *e, cairn_nest *nest, cairn_sums *s);

/// Join the sums to Y.
void cairn_product_store(cairn_product_build *e,
                         const cairn_nest    *nest,
                         const cairn_sums    *s);

/// A level of rows met once per entry: update Y in memory.
void cairn_product_point(cairn_product_build *e, cairn_nest *nest);

/// Go through the columns in tiles of vectors, for @p rows sums a column: @p body builds
/// one tile's code.
void cairn_product_columns(cairn_product_build *e,
                           int                  rows,
                           void (*body)(cairn_product_build *e, void *user),
                           void *user);

/// Fetch the values and indices of the loop at hand ahead, for the rows of @p s; levels
/// from number @p at of the order on have not been entered.
void cairn_product_fetch(cairn_product_build *e,
                         const cairn_nest    *nest,
                         const cairn_sums    *s,
                         int                  at);

/// Fetch the row of X some columns behind the last one of the row at hand.
void cairn_product_follow(cairn_product_build *e, const cairn_nest *nest);

/// The sum of the chains, in one fixed order.
cairn_ir_x cairn_product_total(const cairn_product_build *e,
                               const cairn_sums          *s,
                               int                        strip,
                               int                        vector);

/* Parts of expressions. */

/// The type of Y.
cairn_ir_type cairn_product_result(const cairn_product *product);

/// What sums join: Y, or the array beside it from which the product rounds.
cairn_ir_array *cairn_product_joined(const cairn_product_build *e);

/// Stand in the tile at the first row of a strip: indices of levels that differ between
/// lanes become vectors, their holes the largest index (whose value is 0).
void cairn_product_stand(const cairn_product_build *e,
                         cairn_nest                *nest,
                         const cairn_sums          *s,
                         int                        strip);

/// Where row @p j of X is, in the vector @p v of the columns at hand.
cairn_ir_x cairn_product_x_at(const cairn_product_build *e, cairn_ir_x j, int v);

/// An element or @p lanes of X or the values, as sums have them.
cairn_ir_x cairn_product_x(const cairn_product_build *e, cairn_ir_x j, int lanes);
cairn_ir_x
cairn_product_value(const cairn_product_build *e, const cairn_nest *nest, int lanes);

/// The same at position @p at.
cairn_ir_x cairn_product_value_at(const cairn_product_build *e,
                                  const cairn_nest          *nest,
                                  cairn_ir_x                 at,
                                  int                        lanes);

/// Where the term number @p at of those at hand stands in the group's array: a gap after
/// every 16, so that rows of 16 are not all in one bank of a card's memory.
cairn_ir_x cairn_product_slot(cairn_ir *b, cairn_ir_x at);

/// Have the terms been multiplied already?
static inline bool cairn_product_is_staged(const cairn_product_build *e)
{
    return e->items && e->items->staged;
}

/// Elements of the accumulating type in a vector of the target.
int cairn_product_lanes(const cairn_product *product);

/// Where the element of @p column is in row number @p row of this rank of Y, or of an
/// array that has as long rows.
cairn_ir_x
cairn_product_row_at(const cairn_product_build *e, cairn_ir_x row, cairn_ir_x column);

/// Where element (i, column) of Y is.
cairn_ir_x
cairn_product_y_at(const cairn_product_build *e, cairn_ir_x row, cairn_ir_x column);

/// A parameter of the arguments.
cairn_ir_x
cairn_product_arg(cairn_ir *b, int field, cairn_ir_type type, const char *name);

#endif
