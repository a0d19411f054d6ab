// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// cuSPARSE, opened by its name when the program runs; prototypes and numbers are ours, of
/// its generic interface in CUDA 12 and 13.

#ifndef CAIRN_TESTS_BENCH_CUSPARSE_H
#define CAIRN_TESTS_BENCH_CUSPARSE_H

#include "spmv.h"

/// Functions of its generic interface that are used: name, arguments.
#define CUSPARSE_MAP(X)                                                                \
    X(cusparseCreate, (void **))                                                       \
    X(cusparseDestroy, (void *))                                                       \
    X(cusparseGetVersion, (void *, int *))                                             \
    X(cusparseSetStream, (void *, void *))                                             \
    X(cusparseCreateCsr, (void **, int64_t, int64_t, int64_t, void *, void *, void *,  \
                          int, int, int, int))                                         \
    X(cusparseCreateCoo,                                                               \
      (void **, int64_t, int64_t, int64_t, void *, void *, void *, int, int, int))     \
    X(cusparseCreateSlicedEll, (void **, int64_t, int64_t, int64_t, int64_t, int64_t,  \
                                void *, void *, void *, int, int, int, int))           \
    X(cusparseCreateBsr, (void **, int64_t, int64_t, int64_t, int64_t, int64_t,        \
                          void *, void *, void *, int, int, int, int, int))            \
    X(cusparseDestroySpMat, (const void *))                                            \
    X(cusparseCreateDnVec, (void **, int64_t, void *, int))                            \
    X(cusparseDestroyDnVec, (const void *))                                            \
    X(cusparseSpMV_bufferSize, (void *, int, const void *, const void *, const void *, \
                                const void *, void *, int, int, size_t *))             \
    X(cusparseSpMV_preprocess, (void *, int, const void *, const void *, const void *, \
                                const void *, void *, int, int, void *))               \
    X(cusparseCreateBlockedEll,                                                        \
      (void **, int64_t, int64_t, int64_t, int64_t, void *, void *, int, int, int))    \
    X(cusparseCreateDnMat, (void **, int64_t, int64_t, int64_t, void *, int, int))     \
    X(cusparseDestroyDnMat, (const void *))                                            \
    X(cusparseSpMM_bufferSize,                                                         \
      (void *, int, int, const void *, const void *, const void *, const void *,       \
       void *, int, int, size_t *))                                                    \
    X(cusparseSpMM_preprocess, (void *, int, int, const void *, const void *,          \
                                const void *, const void *, void *, int, int, void *)) \
    X(cusparseSpMM, (void *, int, int, const void *, const void *, const void *,       \
                     const void *, void *, int, int, void *))                          \
    X(cusparseSpMV, (void *, int, const void *, const void *, const void *,            \
                     const void *, void *, int, int, void *))

enum {
    CUSPARSE_INDEX_32  = 2,
    CUSPARSE_FLOAT     = 0,
    CUSPARSE_DOUBLE    = 1,
    CUSPARSE_BY_ROWS   = 2, /* the order of values */
    CUSPARSE_FROM_ZERO = 0,
    CUSPARSE_PLAIN     = 0, /* not transposed */
    CUSPARSE_SLICE     = 32,
    CUSPARSE_ARRAYS    = 5,
};

/// The library, when it was opened.
typedef struct {
    void *library, *handle;
    int   version;
    bool  tried;
#define X(name, arguments) int(*name) arguments;
    CUSPARSE_MAP(X)
#undef X
} cusparse_library;

extern cusparse_library cusparse;

/// A product, on the card.
typedef struct {
    int64_t            columns; ///< Of X and Y, which are matrices; 0: vectors.
    cairn_device      *device;
    int                type, algorithm;
    cairn_cuda_pointer array[CUSPARSE_ARRAYS]; ///< ptr, idx, val, x, y,
    int64_t            bytes[CUSPARSE_ARRAYS];
    cairn_cuda_pointer buffer; ///< its own.
    size_t             buffered;
    void              *matrix, *x, *y;
} cusparse_product;

/// Open the library; a line says why it cannot be. @return Is it open?
bool cusparse_open(card *c);

/// Bring an array, or values in the element type, to the card.
bool cusparse_bring(cusparse_product *p, int k, const void *from, int64_t bytes);
bool cusparse_bring_values(cusparse_product *p, int k, const double *from, int64_t n);

/// Array @p k as the library has it.
static inline void *cusparse_at(const cusparse_product *p, int k)
{
    return (void *)(uintptr_t)p->array[k];
}

bool cusparse_make_csr(cusparse_product *p, const card_rows *a);
bool cusparse_make_coo(cusparse_product *p, const card_rows *a);

/// 1 and 0 in the element type.
const void *cusparse_one(const cusparse_product *p);
const void *cusparse_zero(const cusparse_product *p);

/// Give arrays and buffer back, and the product itself; with the card entered, and of a
/// contender, which is its state.
void cusparse_give_back(cusparse_product *p);
void cusparse_leave(void *state);

#endif
