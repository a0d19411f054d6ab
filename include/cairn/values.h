// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What solvers ask of a matrix's values beside products: the diagonal, rows and columns
/// scaled, a multiple of the identity added, norms, fingerprints. A tensor may have any
/// format, hybrids and narrow values among them: its positions are visited as its levels
/// say, and nothing is converted. Padding stays 0 and is never an entry. In a format that
/// pads, an entry whose value is 0 looks like padding, and is taken for it.
///
/// Values that are changed in place are the tensor's own from then on: other tensors of which
/// a conversion left the same array in common keep what they have. Plans go on, and those
/// that have copies of values (on devices, say) get the new ones at their next run.

#ifndef CAIRN_VALUES_H
#define CAIRN_VALUES_H

#include <cairn/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Read the diagonal of a matrix, a(i,i) of each row i of this rank.
///
/// Local.
///
/// @param[out] diagonal  [rows of cairn_tensor_rows()] of the tensor's type; 0 where there is
///                       no entry, and in rows below the last column. Unchanged on failure.
/// @retval CAIRN_BAD_SHAPE     It is no matrix.
/// @retval CAIRN_BAD_ARGUMENT  A pointer is NULL.
/// @retval CAIRN_UNSUPPORTED   Rows are by their places (cairn_tensor_places()).
/// @retval CAIRN_NO_MEMORY     A few kilobytes.
///
/// Cost: one visit of all positions, on one thread.
CAIRN_API cairn_status cairn_tensor_diagonal(const cairn_tensor *tensor,
                                             void               *diagonal);

/// Scale the rows and columns of a matrix in place: a(i,j) becomes (left(i) a(i,j)) right(j),
/// rounded to the tensor's type after each product. The bits are the same in all formats and
/// on any number of ranks.
///
/// Collective. Members whose values are stored narrower than the tensor's type get wide ones,
/// and keep them. cairn_tensor_update() later brings values as they are given, unscaled.
///
/// @param[in] left   [rows of cairn_tensor_rows()] of the tensor's type; NULL: all 1.
/// @param[in] right  This rank's, of the tensor's type: where the matrix is square, of the
///                   columns with the numbers of its rows; else [columns], all of them, the
///                   same on all ranks. NULL: all 1, and then on all ranks.
/// @retval CAIRN_BAD_SHAPE     It is no matrix.
/// @retval CAIRN_BAD_ARGUMENT  @p tensor is NULL; its values are a caller's, borrowed or taken
///                             over, or a view of its arrays is out (cairn_tensor_part_get());
///                             @p right is NULL on some ranks only.
/// @retval CAIRN_UNSUPPORTED   Rows are by their places (cairn_tensor_places()).
/// @retval CAIRN_NO_MEMORY     For what is below. No value is changed on any failure.
///
/// Cost: one visit of all positions, on one thread; where @p right is given and the matrix
/// square, 8 bytes a column of the whole matrix on each rank for the time of the call; where
/// values are narrow, or in common with another tensor, a new array of them.
CAIRN_API cairn_status cairn_tensor_scale(cairn_tensor *tensor,
                                          const void   *left,
                                          const void   *right);

/// Add a multiple of the identity to a square matrix in place: a(i,i) becomes a(i,i) + alpha,
/// in the tensor's type.
///
/// Collective. Every row must have an entry on the diagonal. Storage otherwise as of
/// cairn_tensor_scale(). Where a format pads, an entry that becomes 0 is padding from then
/// on.
///
/// @retval CAIRN_BAD_SHAPE     It is no square matrix.
/// @retval CAIRN_BAD_ARGUMENT  Some row has no entry on the diagonal: the message has the
///                             first such, and what to do; or as of cairn_tensor_scale().
/// @retval CAIRN_UNSUPPORTED, CAIRN_NO_MEMORY  As of cairn_tensor_scale(); a byte a row.
///                             No value is changed on any failure.
///
/// Cost: two visits of all positions, on one thread.
CAIRN_API cairn_status cairn_tensor_shift(cairn_tensor *tensor, double alpha);

/// Norms of tensors.
typedef enum {
    CAIRN_NORM_FROBENIUS, ///< Root of the sum of all squares; of any order.
    CAIRN_NORM_INFINITY,  ///< Largest sum of a row's absolute values; of matrices.
    CAIRN_NORM_MAX,       ///< Largest absolute value; of any order.
} cairn_norm_kind;

/// Compute a norm.
///
/// Collective. The bits are the same in all formats, for any order of the entries, and on any
/// number of ranks: sums are of integers. With M the largest absolute value, and e its
/// exponent, each term (|a| 2^-e, or the square of that, rounded to f64) is cut off at 2^-80
/// and added exactly; the sum is rounded once. So of fewer than 2^25 terms the error is
/// within 2^-51 of the norm, whatever the range of the values: no square overflows, nor is
/// lost. With an infinity the norm is infinite, with a NaN a NaN.
///
/// An entry that a caller's or a file's arrays have twice counts as two.
///
/// @param[out] norm  The same on all ranks. Unchanged on failure.
/// @retval CAIRN_BAD_SHAPE     CAIRN_NORM_INFINITY of something that is no matrix.
/// @retval CAIRN_BAD_ARGUMENT  A pointer is NULL, there is no such norm, or it is not the same
///                             one on all ranks.
/// @retval CAIRN_NO_MEMORY     16 bytes a row for CAIRN_NORM_INFINITY, else a few kilobytes.
///
/// Cost: two visits of all positions on one thread, one for CAIRN_NORM_MAX; two reductions.
CAIRN_API cairn_status cairn_tensor_norm(const cairn_tensor *tensor,
                                         cairn_norm_kind     kind,
                                         double             *norm);

/// Compute a number that tells matrices apart: the sum, modulo 2^128, of a hash of
/// (i, j, bits of a) over all entries that are not 0, of any order likewise. It has i and j as
/// the user numbers them, and a in f64, whatever the tensor's type.
///
/// Collective. The same in all formats, for any order of the entries, on any number of ranks,
/// wherever rows are, and on any machine. Two matrices that differ have the same one with a
/// chance of 2^-128, unless somebody means them to. Extents are not part of it.
///
/// An entry that a caller's or a file's arrays have twice counts as two.
///
/// @param[out] fingerprint  [2] The low half, and the high one; the same on all ranks; 0 of no
///                          entries. Unchanged on failure.
/// @retval CAIRN_BAD_ARGUMENT  A pointer is NULL.
/// @retval CAIRN_NO_MEMORY     A few kilobytes; where rows are by their places
///                             (cairn_tensor_places()) or in parts, the entries once more.
///
/// Cost: one visit of all positions on one thread; one reduction.
CAIRN_API cairn_status cairn_tensor_fingerprint(const cairn_tensor *tensor,
                                                uint64_t            fingerprint[2]);

#ifdef __cplusplus
}
#endif

#endif
