// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How the entry lines of Matrix Market files are read: by which scanner, in how many
/// slices. cairn_mtx_read_entries() (io.h) chooses; tests choose otherwise and compare.
/// Entries, messages and line numbers depend on neither.

#ifndef CAIRN_IO_IO_MTX_H
#define CAIRN_IO_IO_MTX_H

#include "io/io.h"
#include "io/text/io_scan.h"

typedef struct cairn_mtx_way {
    cairn_env              *env;
    const char             *name; ///< The file's, for messages.
    const cairn_mtx_header *header;
    const cairn_scanner *scanner; ///< For usual lines; NULL: the careful parser alone.
    int                  threads; ///< At most, for slices.
} cairn_mtx_way;

/// As cairn_mtx_read_entries(), in this thread.
cairn_status cairn_mtx_read_lines(const cairn_mtx_way *way,
                                  const char          *begin,
                                  const char          *end,
                                  cairn_text_range    *range,
                                  cairn_entries       *entries);

/// As cairn_mtx_read_entries(), in @p slices slices of whole lines: all are counted, then
/// it is known where the entries of each go, and all are parsed. Threads take slices one
/// by one, and sleep when there are no more. What is wrong somewhere, or might not fit
/// the memory limit, is read again in this thread, which then says so, or finds that it
/// fits.
cairn_status cairn_mtx_read_slices(const cairn_mtx_way *way,
                                   int                  slices,
                                   const char          *begin,
                                   const char          *end,
                                   cairn_text_range    *range,
                                   cairn_entries       *entries);

/// Count the lines of a range: its newlines, and a last line that lacks one.
int64_t cairn_mtx_line_count(const char *begin, const char *end);

#endif
