// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Test problems, made row range by row range: any rank makes its own rows, and the
/// same entries come out for any cutting, on every machine. Nothing is random but what
/// SplitMix64 gives for a seed and an index, and all arithmetic is on integers or exact.
///
/// random(seed, i) is output i, from 0, of SplitMix64 started with `seed`, and
/// random(seed, i, j) = random(random(seed, i), j). Of a problem's seed, random(seed, 0)
/// is the key P of the pattern and random(seed, 1) the key V of the values. The value
/// v(i,j) of a random entry is k/1024 for one of the 2,046 integers k from -1023 to 1023
/// without 0, number random(V, i, j) % 2046 of them: never 0, short to print.
///
/// | kind | rows, cols | entries |
/// |---|---|---|
/// | stencil5 | nx*ny | grid point x + nx*y and its neighbours: 4, and -1 for each |
/// | stencil7 | nx*ny*nz | likewise in x + nx*(y + ny*z): 6 and -1 |
/// | stencil27 | nx*ny*nz | all 26 points around: 26 and -1 |
/// | tridiag | n | 2, and -1 beside it |
/// | banded | n | K other offsets: -1 on each, max(K,1) on offset 0 if it is given |
/// | uniform | n | in row i `degree` distinct columns, all sets alike likely: v(i,j) |
/// | pruned | rows, cols | as uniform with floor(cols*density + 1/2) in each row |
/// | mixed | n | tridiag, and where it has nothing, `degree` random columns: v(i,j) |
/// | rmat | 2^scale | `edges` draws, repeated ones once: v(i,j) |
/// | fem3 | n | 3x3 blocks, symmetric, diagonally dominant |
///
/// uniform picks the columns of row i by Floyd's algorithm: for t = 0 .. degree-1, with
/// j = n-degree+t, it takes random(P, i, t) % (j+1), or j if that was taken before.
/// rmat: edge e goes down `scale` levels; random(P, e, level) % 100 below 57, 76, 95,
/// 100 is upper left, upper right, lower left, lower right, high bits first.
/// fem3: nodes p < q, at most 4*degree apart, are joined when
/// random(P, p, q) % (8*degree) < degree-1, so that a node has about `degree` blocks
/// with its own. Entry (i,j) with i < j is -(1 + random(V, i, j) % 128) / 128, its mirror
/// image the same; a diagonal entry is 1 plus the sizes of all others in its row.
///
/// Source: R-MAT: Chakrabarti, Zhan, Faloutsos, SDM 2004, with a, b, c, d = 0.57, 0.19,
/// 0.19, 0.05. SplitMix64: Steele, Lea, Flood, OOPSLA 2014, DOI 10.1145/2660193.2660195.
/// Floyd's sampling: Bentley, Floyd, CACM 30(9), 1987, DOI 10.1145/30401.315746.

#ifndef CAIRN_IO_GENERATE_H
#define CAIRN_IO_GENERATE_H

#include "entries/entries.h"

#define CAIRN_MAX_OFFSETS 256  ///< Offsets of a banded problem.
#define CAIRN_NOT_GIVEN   (-1) ///< A parameter that was not set.

/// Every kind: name, the parameters that it needs, what it is.
#define CAIRN_GENERATOR_MAP(X)                                                     \
    X(stencil5, "nx ny", "5-point Laplacian of a grid")                            \
    X(stencil7, "nx ny nz", "7-point Laplacian of a grid")                         \
    X(stencil27, "nx ny nz", "27-point Laplacian of a grid")                       \
    X(banded, "n offsets", "full diagonals at the offsets given")                  \
    X(fem3, "n degree", "3x3 blocks, symmetric, about degree of them in a row")    \
    X(rmat, "scale edges", "R-MAT graph of 2^scale vertices")                      \
    X(uniform, "n degree", "degree random columns in every row")                   \
    X(tridiag, "n", "tridiagonal, 2 and -1")                                       \
    X(pruned, "rows cols density", "a share of the columns, random, in every row") \
    X(mixed, "n degree", "tridiagonal, and degree random columns in every row")

typedef enum {
#define X(name, parameters, summary) CAIRN_GENERATOR_##name,
    CAIRN_GENERATOR_MAP(X)
#undef X
} cairn_generator_kind;

/// Which problem, and how large. Only the parameters of its kind are read.
typedef struct cairn_generator {
    cairn_generator_kind kind;
    uint64_t             seed;
    int64_t              nx, ny, nz;   ///< Grid points, 1 or more.
    int64_t              n;            ///< Rows and columns; of fem3 a multiple of 3.
    int64_t              degree;       ///< 0 to n; of fem3 blocks, 1 to 2^20.
    int64_t              rows, cols;   ///< 1 or more.
    int64_t              scale;        ///< 1 to 40.
    int64_t              edges;        ///< 0 to 2^40.
    double               density;      ///< 0 to 1.
    int                  offsets;      ///< 1 to CAIRN_MAX_OFFSETS, or not given.
    int64_t offset[CAIRN_MAX_OFFSETS]; ///< Column minus row, ascending, distinct.
} cairn_generator;

/// A kind in words, for help texts.
typedef struct cairn_generator_row {
    const char *name;       ///< "stencil5".
    const char *parameters; ///< "nx ny".
    const char *summary;    ///< "5-point Laplacian of a grid".
} cairn_generator_row;

/// Return the kinds, in the order of cairn_generator_kind; @p count gets their number.
const cairn_generator_row *cairn_generator_rows(int *count);

/// Start a problem of the kind called @p name, seed 1, no parameter given.
///
/// @retval CAIRN_BAD_OPTION  There is no such kind (the nearest is named).
cairn_status
cairn_generator_init(cairn_env *env, const char *name, cairn_generator *problem);

/// Set the offsets of a banded problem, column minus row, in any order.
///
/// @retval CAIRN_BAD_OPTION  None, too many, one twice, one beyond 2^60.
cairn_status cairn_generator_set_offsets(cairn_env       *env,
                                         const int64_t   *offset,
                                         int              count,
                                         cairn_generator *problem);

/// Check the parameters and say what the matrix's extents are.
///
/// @param[out] shape  Unchanged on failure.
/// @retval CAIRN_BAD_OPTION  A parameter is missing or out of its range.
cairn_status cairn_generator_shape(cairn_env             *env,
                                   const cairn_generator *problem,
                                   cairn_shape           *shape);

/// Make rows @p first .. @p last-1.
///
/// Local. Cost: time O(entries made), of fem3 O(rows * degree), of rmat O(edges * scale)
/// for any range; memory the entries made (of rmat before repeated ones are dropped).
///
/// @param[in,out] entries  Of order 2 and without entries; gets them sorted, without
///                         duplicates. Unchanged on failure.
/// @retval CAIRN_BAD_OPTION  As cairn_generator_shape().
/// @retval CAIRN_NO_MEMORY   Nothing of what exceeds the limit is allocated.
cairn_status cairn_generator_run(cairn_env             *env,
                                 const cairn_generator *problem,
                                 cairn_coord            first,
                                 cairn_coord            last,
                                 cairn_entries         *entries);

/// Output @p index of SplitMix64 started with @p seed.
uint64_t cairn_random(uint64_t seed, uint64_t index);

#endif
