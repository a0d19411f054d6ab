// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The loop nest over what a part stores. A level becomes a loop over positions (dense:
/// all indices; compressed, ragged: the nodes under the parent) or, where a parent has
/// one node, a few loads (singleton, determined). The builder of a kernel enters levels
/// one by one, in the layout's order or, where positions are by arithmetic, in another,
/// and asks at any time for what is known: a level's index, a value's position, a
/// dimension. The nest is a plain value: a copy of it is another way on from there.
///
/// Redundant loops vanish: a level of one index is a constant, and remainders f%c have
/// c indices whatever the extents.
///
/// Source: the storage tree as in Chou, Kjolstad, Amarasinghe, Format Abstraction for
/// Sparse Tensor Algebra Compilers, OOPSLA 2018; guards and the inverse map as in
/// UniSparse, OOPSLA 2024, section 5.3.

#ifndef CAIRN_LOWER_NEST_H
#define CAIRN_LOWER_NEST_H

#include "format/layout.h"
#include "ir/ir.h"

#define CAIRN_NEST_NAME 16 ///< Bytes of a level's name, with its end.

typedef struct cairn_nest {
    cairn_ir           *b;
    const cairn_layout *layout;
    int                 part;                    ///< Of the kernel: 0 or 1.
    cairn_ir_x          index[CAIRN_MAX_LEVELS]; ///< Value of the level's expression;
                                                 ///< NULL: not entered, ragged,
                                                 ///< or never read.
    cairn_ir_x place[CAIRN_MAX_LEVELS];          ///< Of dense levels: index - lo.
    cairn_ir_x node[CAIRN_MAX_LEVELS];           ///< Of trimmed levels: the node.
    cairn_ir_x dim[CAIRN_MAX_ORDER];             ///< Dimensions asked for so far.
    cairn_ir_x lo[CAIRN_MAX_ORDER];  ///< Positions to be visited: lo <= d < end; set
    cairn_ir_x end[CAIRN_MAX_ORDER]; ///< by the user before cairn_nest_guard().
    bool       terse; ///< Write indices where they are used instead of declaring them.
    uint32_t   entered; ///< Levels.
    int        open;    ///< Statements to be closed.
} cairn_nest;

/// Stand at the root of part @p part: levels that partition took away have the bank's
/// indices.
void cairn_nest_begin(cairn_nest         *nest,
                      cairn_ir           *b,
                      const cairn_layout *layout,
                      int                 part);

/// Is the size of level @p l the same for every part that shares the kernel? Then its
/// smallest index is, too.
bool cairn_nest_constant(const cairn_layout *layout, int l, int64_t *lo, int64_t *size);

/// Does entering the level open a loop?
bool cairn_nest_loops(const cairn_layout *layout, int l);

/// Does a dimension or a check read the level's index?
bool cairn_nest_reads(const cairn_layout *layout, int l);

/// Number of indices of a dense level: a constant or a parameter.
cairn_ir_x cairn_nest_size(const cairn_nest *nest, int l);

/// Smallest index of a level, likewise.
cairn_ir_x cairn_nest_lo(const cairn_nest *nest, int l);

/// The index of determined level @p l where there is no element: one past its range.
cairn_ir_x cairn_nest_hole(const cairn_nest *nest, int l);

/// Positions over which the level's loop runs: places 0..size-1 of a dense level, nodes
/// of a trimmed one (node and node + 1 where a parent has one).
void cairn_nest_range(const cairn_nest *nest,
                      int               l,
                      cairn_ir_x       *begin,
                      cairn_ir_x       *end);

/// Stand at position @p at of the level's range, in a loop of the caller's.
void cairn_nest_stand(cairn_nest *nest, int l, cairn_ir_x at);

/// Enter a level: open its loop, or load the index that the levels above determine; a
/// hole is skipped (one more statement to close).
void cairn_nest_enter(cairn_nest *nest, int l);

/// Enter a level over part of its range.
cairn_ir_stmt *
cairn_nest_enter_range(cairn_nest *nest, int l, cairn_ir_x begin, cairn_ir_x end);

/// Position of a determined level's index.
cairn_ir_x cairn_nest_combination(const cairn_nest *nest, int l);

/// Node reached in level @p l: for dense levels position by arithmetic.
cairn_ir_x cairn_nest_node(const cairn_nest *nest, int l);

/// Position of the value below the last level.
cairn_ir_x cairn_nest_value(const cairn_nest *nest);

/// Sum of a combination over the indices of levels entered, not divided by `den`.
cairn_ir_x cairn_nest_sum(const cairn_nest *nest, const cairn_linear *linear);

/// Levels on which dimension @p k depends, those that determine its levels included.
uint32_t cairn_nest_levels_of(const cairn_layout *layout, int k);

/// Is dimension @p k inside the box at every position that is not a hole of the levels
/// in @p entered, whatever the data?
bool cairn_nest_inside(const cairn_layout *layout, int k, uint32_t entered);

/// Dimension @p k, declared under its name. Its levels must have been entered; where the
/// inverse divides, positions that leave a remainder are skipped.
cairn_ir_x cairn_nest_dim(cairn_nest *nest, int k);

/// Skip positions whose dimension @p k is outside lo..end.
void cairn_nest_guard(cairn_nest *nest, int k);

/// Skip tuples of which the inverse made a position that has another tuple; all
/// dimensions are known.
void cairn_nest_check(cairn_nest *nest);

/// Close statements until @p open are open.
void cairn_nest_leave(cairn_nest *nest, int open);

/// Arrays of the part.
cairn_ir_array *cairn_nest_idx(const cairn_nest *nest, int l);
cairn_ir_array *cairn_nest_ptr(const cairn_nest *nest, int l);
cairn_ir_array *cairn_nest_values(const cairn_nest *nest);

/// What values that are stored as CODE are numbers of.
cairn_ir_array *cairn_nest_dictionary(const cairn_nest *nest);

/// Name of a level in kernels: i, j for dimensions, ib and ir for quotient and
/// remainder, ...
void cairn_nest_name(const cairn_layout *layout, int l, char name[CAIRN_NEST_NAME]);

/// "d0/3, dense": what a reader is told about a level.
#define CAIRN_NEST_NOTE 160
void cairn_nest_note(const cairn_layout *layout, int l, char note[CAIRN_NEST_NOTE]);

/// A form as text of our own making: "d1-d0", "(d0/2)%3", "place/4". Cut at the end.
void cairn_nest_form(const cairn_layout *layout,
                     const cairn_form   *form,
                     char               *out,
                     size_t              size);

#endif
