// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What moving entries between ranks took: of entries one by one (comm/move_entries.h) and
/// of rows whole (rows/row_exchange.h). A conversion's path keeps it (rules/path.h).

#ifndef CAIRN_ENTRIES_ENTRIES_SENT_H
#define CAIRN_ENTRIES_ENTRIES_SENT_H

#include <stdint.h>

/// What the ranks of a job have sent each other, all together.
typedef struct cairn_entries_sent {
    int64_t entries;  ///< That have another rank now.
    int64_t bytes;    ///< Of all messages, and of what says how much each has.
    int64_t messages; ///< Pairs of ranks of which one has sent entries to the other.
} cairn_entries_sent;

#endif
