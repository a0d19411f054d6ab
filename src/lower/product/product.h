// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products of a stored matrix and dense operands, lowered for any layout of order 2:
/// Y = A*X, Y += alpha*A*X, and with the transpose of A. The loops follow from what the
/// layout's levels are, never from a format's name:
///
/// - the row is known above the stored entries: the row's sum is kept in registers, in
///   four chains; where entries of a row merely follow each other, their run is found;
/// - levels below the stored ones that number rows (diagonals, slots, slices, blocks) are
///   moved outwards, which is free because their positions are by arithmetic, and tiled by
///   vectors; one test a tile tells whether all its positions are inside;
/// - where a row is met often (columns stored above rows), Y is updated in memory.
///
/// Which bits. The order in which a row's terms are added depends on layout and types
/// alone: not on hints, vector width, threads, nor on where a tile begins. A member's sum
/// of a row begins at 0 and joins y(i) once at every visit of the row, multiplied by
/// alpha. y(i) is f64 wherever anything else joins it (`wide`), and rounded at the end.
/// Hence by default the result has the same bits for every placement and division of
/// members that meet each row of Y once (f32 too: one f64 Y, rounded once at the end);
/// members that meet rows more than once have them under `--reproducible`, which sums each
/// apart over fixed cuts at whatever it costs, printed; without it one placement always has
/// one result, so open places of such hybrids are fixed at the first plan, by a rule that
/// asks no clock, and kept.
/// Inside a sum: With vectors, a sum of one loop over stored entries has four chains (of eight
/// entries the first and the fifth, ...; the last up to three go to the first) and is cut
/// after every 4,096 stored entries; a sum over blocks of up to 8 columns has one chain a
/// column. All others, and all with many columns, are added one after the other; with
/// many columns a list of entries whose columns are stored is cut likewise. Padding
/// computes 0*x; a hole in a tile of rows does so with the last column.
///
/// The transpose of A: y is indexed by columns from col_lo on and x by the global row.

#ifndef CAIRN_LOWER_PRODUCT_H
#define CAIRN_LOWER_PRODUCT_H

#include "format/layout.h"
#include "ir/ir.h"
#include "share/share.h"

/// What may make a kernel faster and never changes its result. Say of a part what its
/// numbers say: cairn_product_hints_of().
typedef struct cairn_product_hints {
    bool stream;     ///< Fetch values and indices ahead: they are not near.
    bool scattered;  ///< x does not stay in L2: fetch far ahead, into L2 only.
    bool fetch_x;    ///< SpMM: fetch rows of X ahead into L2.
    bool bypass_y;   ///< SpMM: write Y past the caches, where it is 16-byte aligned and
                     ///< its rows are whole lines (y_aligned, y_stride).
    bool by_columns; ///< SpMM: go through A once for every tile of columns.
    bool follow_x; ///< SpMM: last columns of rows follow each other: fetch the row of X
                   ///< behind them.
    bool uneven;   ///< SpMV: rows next to each other are of different lengths: end
                   ///< them without a branch.
    bool runs;  ///< SpMV: columns often follow each other, eight in a row: look before
                ///< they are loaded one by one. Only of rows whose columns ascend.
    bool alike; ///< SpMV: rows next to each other often have the same columns: sum such
                ///< rows side by side, as `alike` of the arguments says.
    bool
        abreast; ///< SpMV: rows next to each other are often as long, and have each column
                 ///< one further on: look, and sum a vector's lanes of rows at once.
    bool beside; ///< SpMV: rows are long: sum four of them side by side, which meet the
                 ///< same lines of x about when the others do.
} cairn_product_hints;

/// The same of grids (lower/grid/grid.h), by what a launch's parts and vectors are:
/// cairn_grid_hints_of().
typedef struct cairn_grid_hints {
    int  batch;  ///< Terms of a row that an item has in flight; 0: one.
    bool narrow; ///< Integers of the launch fit in 32 bits.
    int  width;  ///< Several columns: those of an item, which divides them; 0: one,
    int  group;  ///< and items that a row's columns are dealt to; 0: one.
    int  staged; ///< A vector: values that an item multiplies at once; 0: four.
    int  pieces; ///< Pieces of long lists that a group does side by side; 0: one.
    int  groups; ///< Groups that a multiprocessor shall hold; 0: as many as usual.
    bool starts; ///< Items share where the lists of a tile begin.
    bool early;  ///< A value is loaded before it is known whether it counts.
    bool banks;  ///< One start does all banks, none of which has a row of another's
                 ///< (cairn_product_rows.apart).
} cairn_grid_hints;

/* Rows of a thread whose ends a processor learns when their product is repeated. Measured on
   Zen 5: with 8,879, 13,238 and 16,384 rows on each of two cores the loops of even rows take
   0.69, 0.90 and 0.72 of the time of the others (memplus, as-caida, delaunay_n15), with
   15,606 on one 1.02, and beyond 1.9 to 3.8 times as long; so do rows of two threads that
   share a core. On Zen 3: with 1,000 to 8,000 rows the others take 1.0 to 1.55 times as long
   (0.85 where rows have 40 entries), with 16,000 and 18,000 1.2, with 26,000 and more 0.68
   to 0.86. */
enum { CAIRN_LEARNED_ROWS = 16384 };

/* Entries of a row, in the mean, from which rows side by side pay, and how many these are.
   Measured on Zen 5, one thread, f32 and f64, random columns, lengths that vary by a quarter:
   rows of 200 and 400 entries take 0.79 to 2.5 of the time so, of 600 0.79 to 1.2, of 800 to
   3,300 0.51 to 1.06. */
enum { CAIRN_LONG_ROW = 750, CAIRN_BESIDE = 4 };

/// What a look at some rows of a part says.
typedef struct cairn_product_seen {
    bool
        follows; ///< The last stored column of a row nearly always stands a few columns
                 ///< at most behind that of the row before, as in bands and stencils.
    bool
        uneven; ///< The length of a row often says nothing of the next one's, and rows are
                ///< more than a processor learns.
    bool runs;  ///< Eight entries of a row often stand side by side.
    bool alike; ///< A row often has the columns of the one before; then it is neither
                ///< uneven nor abreast, nor are its runs looked for.
    bool
        abreast; ///< A row is most often as long as the one before, at least 4, and has its
                 ///< columns one further on.
    bool beside; ///< Rows are long, and none of the above but `follows`.
} cairn_product_seen;

typedef struct cairn_product {
    bool transposed;
    bool adds;     ///< Y += A*X; else Y = A*X: all rows of the box are written.
    bool has_sums; ///< Y has sums of other members in all rows, none of them -0:
                   ///< a row without entries is left as it is.
    bool scaled;   ///< alpha*A*X.
    bool wide;     ///< Y is of the type of sums, whatever the operands are.
    bool
        rounds; ///< What it adds to stands beside Y, in the type of sums (`sums` of the
    ///< arguments), and what comes of it is rounded into Y. Every row of the
    ///< box is met once.
    bool sums_y;  ///< It adds up what it adds to Y, or sets (`y_sum` of the arguments).
    int  columns; ///< 1: a vector; 0: as many as the arguments say.
    cairn_ir_type       operand;      ///< Of X, and of Y if not `wide`: F32 or F64.
    cairn_ir_type       accumulate;   ///< Of products and sums.
    int                 vector_bytes; ///< Of the target: 16, 32 or 64; or CAIRN_ITEMS.
    cairn_product_hints hints;
    cairn_grid_hints    grid_hints;
} cairn_product;

/* Instead of vectors: work-items, which have none and never meet: they share no row, and
   cannot add up what others have summed. */
enum { CAIRN_ITEMS = 8 };

typedef struct cairn_product_kernel {
    cairn_ir_function *function; ///< Destroy with cairn_ir_destroy().
    cairn_share        share;    ///< How to fill share[] of the arguments.
} cairn_product_kernel;

/// Lower a product.
///
/// Local.
///
/// @param[in]  name    Of the function.
/// @param[out] kernel  Unchanged on failure.
///
/// @retval CAIRN_BAD_SHAPE  The layout is not of order 2.
cairn_status cairn_product_lower(cairn_env            *env,
                                 const cairn_layout   *layout,
                                 const cairn_product  *product,
                                 const char           *name,
                                 cairn_product_kernel *kernel);

/// How a product's kernel meets the rows of Y.
typedef struct cairn_product_rows {
    bool once; ///< Each at most once. Else a Y narrower than the sums would be rounded
               ///< again and again: `wide` keeps the sums what they are.
    bool single; ///< Each at most once in all parts of a member: banks have no row in
                 ///< common either.
    bool
        apart; ///< What is done of one bank touches no row of another's, not even those
               ///< that it leaves as they are: banks may be done at the same time.
    bool all; ///< Each at least once; else Y = A*X begins by clearing Y, on one thread.
} cairn_product_rows;

cairn_product_rows cairn_product_rows_of(const cairn_layout  *layout,
                                         const cairn_product *product);

/// The division of a product's kernel without lowering it.
cairn_share cairn_product_share(const cairn_layout  *layout,
                                const cairn_product *product);

/// The key of a kernel: everything that its code depends on, in one line of our own
/// making. Extents are not in it, save in the widths that they make.
/// @param[out] key  Freed with cairn_free().
cairn_status cairn_product_key(cairn_env           *env,
                               const cairn_layout  *layout,
                               const cairn_product *product,
                               char               **key);

/// Look at some rows of a part; what has no effect on the product's kernel is not seen.
///
/// @param[in] threads  That share its rows: of few rows each, whose product is repeated, a
///                     processor learns where they end, and they are not uneven.
cairn_product_seen cairn_product_look(const cairn_layout      *layout,
                                      const cairn_product     *product,
                                      const cairn_kernel_part *part,
                                      int64_t                  threads);

/// Hints for a part of @p entries stored entries.
///
/// @param[in] columns  Of X and Y.
/// @param[in] l2, l3   Bytes of the caches.
cairn_product_hints cairn_product_hints_of(const cairn_layout  *layout,
                                           const cairn_product *product,
                                           int64_t              entries,
                                           int64_t              columns,
                                           cairn_product_seen   seen,
                                           int64_t              l2,
                                           int64_t              l3);

#endif
