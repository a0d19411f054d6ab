// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the Serpens accelerator costs: a card whose memory channels feed engines, eight a
/// channel, one 64-bit word (an entry) to each in every cycle. The columns are cut into
/// windows whose part of X is kept on the chip; in each window an engine goes through its
/// list of entries and empty cycles, all lists as long as the longest. Pure functions of
/// the lists' lengths; no device, no environment.
///
///     T = ceil(M/16C) + sum over windows of (ceil(columns/16) + L) + ceil(M/16)
///
/// cycles: clearing Y, loading X's window 16 numbers a cycle, L cycles of entries, writing
/// Y. Latencies of the memory are not part of it. A channel gives no more than its
/// bandwidth: the clock counts up to bandwidth / 64 bytes.
///
/// Source: Song et al., Serpens, DAC 2022, arXiv 2111.12555, and its published source.

#ifndef CAIRN_DEVICES_FPGA_MODEL_H
#define CAIRN_DEVICES_FPGA_MODEL_H

#include <stdint.h>

#define CAIRN_FPGA_LANES 8 ///< Engines of a channel: 64-bit words of its 512 bits.

typedef struct cairn_fpga_parameters {
    int64_t channels;     ///< Of memory that hold the matrix.
    double  clock;        ///< Hz
    double  channel_rate; ///< Bytes per second of one channel.
    int64_t window;       ///< Columns whose part of X is kept on the chip.
    int64_t per_cycle;    ///< Numbers of X loaded, or of Y written, in a cycle.
    int64_t distance;     ///< Cycles from one entry of a pair of rows to the next.
    int64_t rows;         ///< Of Y that the chip can keep.
    int64_t memory;       ///< Bytes of the card.
    double  latency;      ///< Cycles that a window's first words are waited for.
    double  link;         ///< Bytes per second between host and card.
    double  launch;       ///< Seconds until the card runs.
} cairn_fpga_parameters;

/// A matrix as it lies on the card.
typedef struct cairn_fpga_matrix {
    int64_t        rows, cols; ///< M and K, of this rank's box.
    int64_t        entries;    ///< Padding not counted.
    int64_t        windows;
    const int64_t *length; ///< [windows] L: cycles, empty ones included.
} cairn_fpga_matrix;

/// How it goes.
typedef struct cairn_fpga_cost {
    int64_t cycles;  ///< T of one column, latencies not included.
    int64_t length;  ///< Of it the sum of all L.
    double  padding; ///< 8*C*length / entries, 1: no empty cycle; 0: no entries.
    double  clock;   ///< That counts, Hz.
    double  in, out, launch, compute; ///< Seconds of one run.
    double  upload; ///< Seconds to bring the matrix to the card, once.
    int64_t bytes;  ///< On the card, X and Y included.
} cairn_fpga_cost;

/// Engines of the card.
int64_t cairn_fpga_engines(const cairn_fpga_parameters *p);

/// The cost of a product with @p columns vectors, one after the other.
cairn_fpga_cost cairn_fpga_estimate(const cairn_fpga_parameters *p,
                                    const cairn_fpga_matrix     *matrix,
                                    int64_t                      columns);

#endif
