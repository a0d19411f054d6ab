// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the table of the door is made of. A *pass* is a run of this program in a process of
/// its own, with a number of threads and a set of values; a *cell* is what a pass told of
/// one operation on one matrix: the least medians of all peers, of Cairn with operands of
/// its own, and of Cairn as a user meets it.

#ifndef CAIRN_TESTS_BENCH_DOOR_H
#define CAIRN_TESTS_BENCH_DOOR_H

#include "compare.h"

enum { MOST_CELLS = 1024 };

/// Which matrices a pass has.
typedef struct {
    const char   *section; ///< Of bench_compare.
    compare_group group;
    bool          small; ///< Values of generated matrices.
    int           threads, columns;
} door_pass;

/// Times in seconds; NAN: there is none.
typedef struct {
    double own, lent; ///< With x, y or a tensor of its own; with a caller's.
} door_times;

typedef struct {
    const door_pass *pass;
    char             title[80], matrix[64];
    double           entries;
    bool             iso, larger;
    char             peer_name[96], csr_name[96], chosen[160], best_name[160];
    char             values[48]; ///< How what `auto` chose stores them, or " widened".
    double           peer, csr_peer; ///< The best of all, and of those with CSR.
    door_times       chosen_time, best, csr; ///< By `auto`, in any format, in CSR.
    double           borrowed; ///< CSR over the caller's arrays, with his x and y.
    double           fresh_peer, fresh; ///< Conversions with memory from the system.
    double           loose;             ///< The best peer's whose rows are in no order.
    double           bytes, csr_bytes;  ///< Moved by what counts, by CSR;
    double           read;              ///< and what can be read a second.
} door_cell;

/// All that the passes told.
typedef struct {
    door_cell cell[MOST_CELLS];
    int       count;
    bool      right; ///< All passes ended well.
} door_cells;

/// Print the matrices of a pass.
void door_print_pass(const door_cells *cells, const door_pass *pass);

/// Print the table of what is aimed at.
void door_print(const door_cells *cells);

#endif
