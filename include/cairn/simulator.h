// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// External simulators: programs that compute products for Cairn, and say how long the
/// machine that they stand for would take. Cairn starts one for every product that it
/// prepares, and talks to it over a socket; arrays and operands lie in a segment of shared
/// memory, which both see. docs/simulators.md tells how a run names the program.
///
/// The program is started with the socket as descriptor 3 (SOCK_SEQPACKET: a message
/// arrives whole or not at all) and the segment as descriptor 4. It answers every message
/// with exactly one of the same kind and the same number, within the time limit, and ends
/// when it is told to quit or the socket is closed. First comes HELLO, without a segment's
/// content; then BUILD, once; then RUN, as often as the product is computed, and HELLO after
/// each: what comes before its answer was too much. What it prints goes to standard error.
///
/// A number tells which message an answer is for. Numbers follow no order: copy them. A
/// program that answers twice, unasked, with another number, or with a message that is not
/// one whole cairn_simulator_message, is lost: Y would be taken before it is there.
///
/// Both ends are on one machine: integers and doubles are as they lie in memory.

#ifndef CAIRN_SIMULATOR_H
#define CAIRN_SIMULATOR_H

#include <cairn/kernel.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_SIMULATOR_MAGIC   0x4d495343 ///< "CSIM" on little-endian machines.
#define CAIRN_SIMULATOR_VERSION 4          ///< Of messages and segment.
#define CAIRN_SIMULATOR_SOCKET  3          ///< Descriptors of the program.
#define CAIRN_SIMULATOR_SEGMENT 4

/// Kinds of messages.
enum {
    CAIRN_SIMULATOR_HELLO = 1, ///< Who are you? The answer: `text`, `simulated`.
    CAIRN_SIMULATOR_BUILD = 2, ///< The segment holds a product. The answer: `status`,
    ///< seconds of one run if they are known, `text`: a note.
    CAIRN_SIMULATOR_RUN = 3,  ///< X is there, and Y as it was: add to it. The answer:
                              ///< `status`, seconds.
    CAIRN_SIMULATOR_QUIT = 4, ///< No answer: end.
};

/// How it went.
enum {
    CAIRN_SIMULATOR_OK = 0,
    CAIRN_SIMULATOR_UNSUPPORTED =
        1,                         ///< BUILD: it cannot do such a product; `text`: why.
    CAIRN_SIMULATOR_NO_MEMORY = 2, ///< BUILD: it does not fit; `text`: what is missing.
    CAIRN_SIMULATOR_FAILED    = 3, ///< The machine is lost; `text`: how.
};

/// A message, in either direction. What its kind does not name is 0.
typedef struct cairn_simulator_message {
    uint32_t magic, version;
    uint32_t kind, status;
    uint32_t simulated;        ///< 1: seconds are modelled; 0: measured.
    uint32_t number;           ///< Of the message; the answer has the same.
    double   in, compute, out; ///< Seconds: X to the machine, the product, Y back; each
                               ///< at least 0 and below 1e9, or the answer is none.
    char text[128];            ///< Ended by NUL; one line.
} cairn_simulator_message;

/// A part of the matrix. Offsets are bytes from the segment's begin, 0: no array. A walk
/// begins at level `begin`, with node 0; the position that it reaches with the indices e
/// is d[k] = constant[k] + sum of factor[l][k]*e[l]; those outside the segment's ranges
/// are overhang and to be left out.
typedef struct cairn_simulator_part {
    cairn_kernel_part view; ///< Its pointers are NULL; see cairn_simulator_view().
    int64_t           ptr[CAIRN_KERNEL_LEVELS], idx[CAIRN_KERNEL_LEVELS], val;
    int64_t           entries; ///< Stored, padding not counted.
    int64_t           begin;
    int64_t           factor[CAIRN_KERNEL_LEVELS][2], constant[2];
} cairn_simulator_part;

/// The begin of the segment.
///     Y(i,c) += alpha * A(i,j) * X(j,c)     and transposed:  Y(j,c) += ... * X(i,c)
typedef struct cairn_simulator_segment {
    uint32_t magic, version;
    int64_t  bytes;           ///< Of the segment.
    int64_t  row_lo, row_end; ///< Positions that are stored: row_lo <= i < row_end,
    int64_t  col_lo, col_end; ///< col_lo <= j < col_end.
    int64_t  columns;         ///< Of X and Y, row-major.
    int64_t  transposed;      ///< 0 or 1.
    double   alpha;
    int64_t  value_bits; ///< 32 or 64: of A and X. Y is f64: sums are made there.
    int64_t  x, y;       ///< Offsets. X(j,c) is x[(j - col_lo)*columns + c], Y(i,c) is
        ///< y[(i - row_lo)*columns + c]; transposed the other way round.
    int64_t parts, part; ///< How many, offset of [parts] cairn_simulator_part.
} cairn_simulator_segment;

/// Part @p k as kernels see it, with pointers into the mapped segment.
static inline cairn_kernel_part
cairn_simulator_view(const cairn_simulator_segment *segment, int64_t k)
{
    const char                 *base = (const char *)segment;
    const cairn_simulator_part *part =
        (const cairn_simulator_part *)(const void *)(base + segment->part) + k;
    cairn_kernel_part view = part->view;

    for (int l = 0; l < view.levels; l++) {
        view.level[l].ptr = part->ptr[l] ? base + part->ptr[l] : (const char *)0;
        view.level[l].idx = part->idx[l] ? base + part->idx[l] : (const char *)0;
    }
    view.val = part->val ? (void *)(uintptr_t)(base + part->val) : (void *)0;
    return view;
}

#ifdef __cplusplus
}
#endif

#endif
