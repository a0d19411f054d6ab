// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Fast scanning of usual entry lines: "row column value", plain digits, no comment. A
/// scanner takes lines as long as they are usual and right, and stops before the first
/// one that is not; the careful parser (io/matrix_market/io_mtx.c) then reads that line, or
/// refuses it in its own words. So a scanner knows no messages, and what it takes is bit
/// for bit what the careful parser would have taken.
///
/// No byte outside the range is read: a scanner that loads many bytes at once stops where
/// they are not there any more, and leaves the last lines to the careful parser.

#ifndef CAIRN_IO_IO_SCAN_H
#define CAIRN_IO_IO_SCAN_H

#include "entries/entries.h"

/// What is scanned, by which rules, and where entries go.
typedef struct cairn_scan {
    const char    *p, *end; ///< Lines not yet taken: p stands at the begin of one.
    cairn_coord    rows, cols;
    bool           pattern; ///< Lines have no values; 1 is stored.
    bool           integer; ///< Values are integers of 64 bits.
    bool           mirror;  ///< Entries of a triangle: the mirror image follows each
    bool           skew;    ///< (negated, and nothing is on the diagonal).
    cairn_entries *entries; ///< Appended to; never grown here.
    int64_t        lines;   ///< Grows by the lines taken.
} cairn_scan;

/// One way to scan.
typedef struct cairn_scanner {
    const char *name;

    /// Whether this machine can run it.
    bool (*usable)(void);

    /// Take usual lines, @p most at most, while two entries fit into the arrays.
    /// Any thread.
    void (*run)(cairn_scan *scan, int64_t most);
} cairn_scanner;

extern const cairn_scanner cairn_scanner_words;  ///< 8 bytes at a time, any machine.
extern const cairn_scanner cairn_scanner_avx512; ///< A line at a time (AVX-512 VBMI2).

/// The fastest scanner that this machine can run.
const cairn_scanner *cairn_scanner_best(void);

#endif
