// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What processing in memory costs: cores that each have a bank of memory, and a host
/// that moves everything between them. Pure functions of what lies in the banks; no
/// device, no environment.
///
/// A core's time is the longest of three: its pipeline, which issues one instruction a
/// cycle if there are threads enough (a thread may issue again after `interval` cycles);
/// its DMA engine, which serves one access at a time; and its slowest thread, which waits
/// for each of its accesses. Arithmetic is what the pipeline is told to count for it,
/// since such cores compute floating point in software; so is the widening of values that
/// are stored narrower than the type, once an entry. Every entry costs a fetch of X's
/// row, every row of Y a read and a write; the bank's arrays are streamed once. A dictionary
/// of values is kept beside the core where it fits; else each entry fetches its word.
///
/// The host sends to the cores of a group (a rank of 64, for UPMEM) at once, the same
/// number of bytes to each, so that all get as much as the one that needs most; fewer
/// cores in a group are served more slowly, between the rates of one and of all.
///
/// Source: for UPMEM, Gomez-Luna et al., Benchmarking a New Paradigm (PrIM), IEEE Access
/// 2022, arXiv 2105.03814, and Giannoula et al., SparseP, SIGMETRICS 2022: their numbers
/// are the defaults of upmem.def. For other cores, Devic et al., To PIM or Not, ISCA 2022:
/// launch + in/rate + entries*cycles/(cores*clock) + out/rate is this model's result where
/// the banks are equally full.

#ifndef CAIRN_DEVICES_PIM_MODEL_H
#define CAIRN_DEVICES_PIM_MODEL_H

#include <cairn/kernel.h>

#include <stdbool.h>
#include <stdint.h>

/// One direction between host and cores.
typedef struct cairn_pim_link {
    double one; ///< Bytes per second to one core alone,
    double all; ///< and in sum to all cores of a group; at least `one`.
} cairn_pim_link;

/// Instructions that make a value of the type from what is stored.
typedef struct cairn_pim_widening {
    double integer[2]; ///< From i8 and i16 to f32, f64,
    double half;       ///< f16 to f32,
    double bfloat;     ///< bf16 to f32,
    double single;     ///< f32 to f64;
    double code;       ///< a word of a dictionary beside the core.
    double room;       ///< Bytes of the largest dictionary that fits there.
} cairn_pim_widening;

/// Cycles of an access to a bank by its core.
typedef struct cairn_pim_access {
    double read_latency, write_latency; ///< Beside its bytes.
    double cycles;                      ///< That one of 8 bytes keeps the engine busy.
    double byte_cycles;                 ///< Of each further byte.
} cairn_pim_access;

typedef struct cairn_pim_parameters {
    int64_t cores;
    int64_t group;          ///< Cores that one transfer serves.
    int64_t groups_at_once; ///< Transfers that run side by side.
    double  clock;          ///< Hz
    int64_t memory;         ///< Bytes of one bank.
    double  launch;         ///< Seconds until the cores run.

    cairn_pim_link in, out, broadcast;
    double         merge; ///< Bytes per second at which the host adds partial Ys.

    double
        entry_cycles; ///< Above 0: an entry and column takes so many cycles, all told,
                      ///< and the rest of this struct is not looked at.
    int64_t            threads;  ///< Of a core.
    double             interval; ///< Cycles from issue to issue of one thread.
    cairn_pim_widening widen;
    double             entry_instructions;  ///< Of the loop around an entry,
    double             row_instructions;    ///< around a row of Y,
    double             add[2], multiply[2]; ///< of one operation: f32, f64.
    cairn_pim_access   access;
    double             stream_bytes; ///< Fetched at once when arrays are streamed.
    double             access_most;  ///< Bytes of one access at most.
} cairn_pim_parameters;

/// What lies in a bank, and what it needs of X and Y.
typedef struct cairn_pim_bank {
    int64_t entries; ///< Stored, padding not counted.
    int64_t
        visited;    ///< Positions inside the matrix that its core visits: with padding.
    int64_t rows;   ///< Different rows of Y that they add to.
    int64_t merged; ///< Rows that the host reads and writes to add these rows of Y to
                    ///< those of the banks before: 3 where one other has the row (two
                    ///< are read, the sum is written), 1 where several have.
    int64_t bytes;  ///< Of the bank's arrays.
    int64_t x_lo, x_hi; ///< Rows of X from the first to the last that they read; none:
                        ///< x_lo > x_hi.
} cairn_pim_bank;

/// What values are.
typedef struct cairn_pim_values {
    int              bits;        ///< Of the type, X and Y: 32 or 64.
    cairn_value_kind kind;        ///< As they are stored: this,
    int              stored_bits; ///< so wide.
} cairn_pim_values;

/// A product, as far as its cost goes.
typedef struct cairn_pim_product {
    int64_t          banks;
    int64_t          rows_in; ///< Of X.
    int64_t          columns; ///< Of X and Y.
    cairn_pim_values values;
} cairn_pim_product;

/// How it goes.
typedef struct cairn_pim_cost {
    double in, out, launch, compute; ///< Seconds of one run,
    double merge;     ///< and of the host that adds Ys of banks that share rows.
    double upload;    ///< Seconds to fill the banks, once.
    bool   broadcast; ///< All of X goes to all cores; else the rows between the first
                      ///< and the last that a core reads.
    int64_t rounds;   ///< Times that the cores are started.
    int64_t needed;   ///< Bytes in the fullest core's bank, X and Y included.
    int64_t bytes;    ///< In all banks.
    int64_t merge_bytes;   ///< That the host reads and writes of partial Ys in a run.
    int64_t entries, most; ///< Stored: in all, in the fullest bank.
    double  slowest;       ///< Cycles of the slowest core of all rounds, added up.
} cairn_pim_cost;

/// Instructions that a value takes until it is of the type; 0 where it is stored so, and
/// where one value stands for all.
double cairn_pim_widening_of(const cairn_pim_parameters *p, cairn_pim_values values);

/// Is its word fetched from the bank for each entry?
bool cairn_pim_fetches_words(const cairn_pim_parameters *p, cairn_pim_values values);

/// Cycles of one core for what lies in a bank.
double cairn_pim_cycles(const cairn_pim_parameters *p,
                        const cairn_pim_bank       *bank,
                        int64_t                     columns,
                        cairn_pim_values            values);

/// Bytes per second at which @p cores of a group are served, in sum: `one` for one, `all`
/// for a whole group, a power of their number between.
double cairn_pim_rate(const cairn_pim_parameters *p,
                      const cairn_pim_link       *link,
                      int64_t                     cores);

/// The cost of a product. Bank k is on core k % cores, in round k / cores; X is sent once
/// and Y fetched once, however many rounds there are.
///
/// @param[in] bank  [banks]
/// @param[in] core  [min(banks, cores)] room.
/// @return  `needed` above p->memory if the banks are too small: then X is sent so that
///          least is needed.
cairn_pim_cost cairn_pim_estimate(const cairn_pim_parameters *p,
                                  const cairn_pim_product    *product,
                                  const cairn_pim_bank       *bank,
                                  cairn_pim_bank             *core);

/// Bytes per second at which all cores read their banks.
double cairn_pim_bandwidth(const cairn_pim_parameters *p);

#endif
