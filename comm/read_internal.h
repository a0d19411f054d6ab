// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the reader of plain files and that of gzip files share: the state of one
/// collective reading.

#ifndef CAIRN_COMM_READ_INTERNAL_H
#define CAIRN_COMM_READ_INTERNAL_H

#include "comm/read.h"
#include "comm/stream.h"

typedef struct cairn_reading {
    cairn_comm      *comm;
    const char      *path;
    size_t           piece; ///< Bytes read, or sent, at a time.
    cairn_stream     stream;
    cairn_mtx_header header;
    cairn_entries    entries; ///< This rank's.
    cairn_pos        found;   ///< Entry lines of this rank.
} cairn_reading;

/// Read the entry lines of a plain file. Collective.
cairn_status cairn_read_plain(cairn_reading *reading);

/// Read the entry lines of a gzip file; rank 0's stream stands after the header.
/// Collective.
cairn_status cairn_read_gzip(cairn_reading *reading);

/// Parse whole lines, and move @p place behind them.
cairn_status cairn_read_lines(cairn_reading   *reading,
                              const char      *begin,
                              const char      *end,
                              cairn_mtx_range *place);

#endif
