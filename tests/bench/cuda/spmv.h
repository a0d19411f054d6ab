// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Who takes part in the timing of products, Cairn's formats and cuSPARSE's ways.

#ifndef CAIRN_TESTS_BENCH_SPMV_H
#define CAIRN_TESTS_BENCH_SPMV_H

#include "lower/product/product.h"
#include "matrices.h"

/// A product of Cairn's.
typedef struct {
    const card_rows      *rows;
    cairn_dtype           dtype;
    cairn_product_options op;
    cairn_format         *format;
    cairn_tensor         *tensor;
    cairn_device_work     work;
    cairn_launch          launch;
} card_task;

typedef struct {
    const char *who;
    char        way[64];
    card_work   run;
    void (*leave)(void *state);
    void  *state;
    bool   right;
    double bytes;         ///< That a product reads and writes at least.
    double prepare;       ///< Seconds until it could run.
    double whole;         ///< Seconds from host to host; 0: not timed.
    double median, least; ///< Seconds of one product on the card.
    char   note[160];
} card_contender;

enum { CARD_CONTENDERS = 24 }; ///< Of one matrix and type, at most.

/// By what column c of X is that of a product with a vector: exactly, so that Y is, too.
static inline double card_scale(int64_t c)
{
    return (double)(1 << (c & 3));
}

/// Store a matrix in a format, `way`, or in the one that Cairn chooses where that is "auto",
/// build its product with so many columns on the card, and
/// hold it to the processor's bits. @return false: there is none, and a line says why.
bool card_add_format(card            *c,
                     cairn_source    *source,
                     const card_rows *a,
                     cairn_dtype      dtype,
                     int64_t          columns,
                     card_contender *new);

/// Write behind what a text has which hints a grid has that say something, each behind
/// @p between.
void card_say_hints(const cairn_grid_hints *hints,
                    const char             *between,
                    char                   *text,
                    size_t                  size);

/// Time all by turns, kernels alone.
void card_rounds(card *c, card_contender *list, int count);

/// Seconds of cuSPARSE's best; INFINITY where it has none.
double card_best_of_peers(const card_contender *list, int count);

/// cuSPARSE's ways for a matrix: every algorithm of its header for compressed rows and
/// coordinates, slices of 32 rows, and blocks where @p block is above 1. Its own
/// preprocessing, buffers and descriptors are made before.
///
/// @return How many there are; 0 where it is not installed.
int card_cusparse(card            *c,
                  const card_rows *a,
                  int              block,
                  cairn_dtype      dtype,
                  card_contender  *list,
                  int              room);

/// Likewise for @p columns columns, X and Y row by row: compressed rows, coordinates, and,
/// where all blocks are full, blocked ELL.
int card_cusparse_columns(card            *c,
                          const card_rows *a,
                          int              block,
                          cairn_dtype      dtype,
                          int64_t          columns,
                          card_contender  *list,
                          int              room);

#endif
