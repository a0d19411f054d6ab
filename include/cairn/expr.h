// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Operations: what a plan (plan.h) can be made for. There is one family, products of a
/// sparse matrix A with a dense operand of one or more columns,
///
///     y(i)   = alpha*A(i,j)*x(j)   + beta*y(i)       a vector, columns = 1
///     Y(i,k) = alpha*A(i,j)*X(j,k) + beta*Y(i,k)     `columns` of them
///     Y(j,k) = alpha*A(i,j)*X(i,k) + beta*Y(j,k)     transposed
///
/// for any format of A. With beta = 0 what Y held before is not read, so that it may be
/// anything, a NaN too.

#ifndef CAIRN_EXPR_H
#define CAIRN_EXPR_H

#include <cairn/context.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Which product. All ranks give the same.
typedef struct cairn_product_options {
    size_t  size;    ///< sizeof(cairn_product_options); CAIRN_PRODUCT_OPTIONS sets it.
    int64_t columns; ///< Of X and Y, at least 1.
    bool    transposed; ///< With the transpose of A.
    double  alpha;      ///< Factor of the product.
    double  beta;       ///< Factor of what Y held before; 0: Y is not read.
} cairn_product_options;

/// y = A x.
#define CAIRN_PRODUCT_OPTIONS                             \
    {                                                     \
        sizeof(cairn_product_options), 1, false, 1.0, 0.0 \
    }

/// Deprecated, here for one version: CAIRN_PRODUCT_OPTIONS.
#define CAIRN_PRODUCT_DEFAULTS CAIRN_PRODUCT_OPTIONS

/// Room for the text of any product.
#define CAIRN_NOTATION 64

/// Write a product in index notation, as `+=` without its beta: "y(i) += A(i,j)*x(j)".
///
/// Local.
///
/// @param[in]  options  NULL: y = A x.
/// @param[out] text     [CAIRN_NOTATION] "" where the size of @p options is wrong. NULL:
///                      nothing is written.
CAIRN_API void cairn_product_notation(const cairn_product_options *options, char *text);

/// Check a product's options.
///
/// Local.
///
/// @param[in] order  Of the tensor that shall be multiplied.
/// @retval CAIRN_BAD_SHAPE     The order is not 2.
/// @retval CAIRN_BAD_ARGUMENT  There are fewer columns than 1.
CAIRN_API cairn_status cairn_product_check(cairn_context               *context,
                                           const cairn_product_options *options,
                                           int                          order);

#ifdef __cplusplus
}
#endif

#endif
