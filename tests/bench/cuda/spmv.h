// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Who takes part in the timing of products, Cairn's formats and cuSPARSE's ways.

#ifndef CAIRN_TESTS_BENCH_SPMV_H
#define CAIRN_TESTS_BENCH_SPMV_H

#include "card.h"

/// A matrix in compressed rows, and what its product is.
typedef struct {
    int32_t  rows, cols, nnz;
    int32_t *ptr, *idx;
    double  *val;
    double  *want, *sum; ///< [rows] y, and the sum of its terms' absolute values.
} card_rows;

/// A product of Cairn's.
typedef struct {
    const card_rows  *rows;
    cairn_dtype       dtype;
    cairn_format     *format;
    cairn_tensor     *tensor;
    cairn_device_work work;
    cairn_launch      launch;
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
    char   note[64];
} card_contender;

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

#endif
