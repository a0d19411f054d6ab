// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Collective arguments: those of a call that must be the same on all ranks, such as the
/// type of values, a format, the columns of a product. Ranks with different ones would take
/// different ways: one would wait for ever, or each would succeed with another result.
///
/// Comparing costs no message: the reduction by which ranks agree on a status carries the
/// least and the greatest hash of a rank's collective arguments. Only where the two differ
/// are the arguments themselves exchanged. A rank's own arguments are not compared: its
/// rows, entries, threads, devices, the names of files that it reads.

#ifndef CAIRN_COMM_COLLECTIVE_H
#define CAIRN_COMM_COLLECTIVE_H

#include "comm/comm.h"

/// Most arguments of a call, and bytes of what a message has of one.
enum { CAIRN_COLLECTIVE_MOST = 20, CAIRN_COLLECTIVE_TEXT = 128 };

typedef struct cairn_collective_item {
    char     what[16];                    ///< "dtype".
    char     text[CAIRN_COLLECTIVE_TEXT]; ///< Printed; the beginning of a longer one.
    uint64_t hash;                        ///< Of the whole.
} cairn_collective_item;

typedef struct cairn_collective {
    uint64_t              hash; ///< Of all texts, whole; 0: none.
    int                   count;
    cairn_collective_item item[CAIRN_COLLECTIVE_MOST];
} cairn_collective;

/// Add an argument. Local.
///
/// @param[in] text  Of any length; NULL is another text than any.
void cairn_collective_text(cairn_collective *arguments,
                           const char       *what,
                           const char       *text);
void cairn_collective_int(cairn_collective *arguments,
                          const char       *what,
                          int64_t           number);
void cairn_collective_real(cairn_collective *arguments,
                           const char       *what,
                           double            number);

/// Agree on a status as cairn_comm_agree() does, and compare collective arguments.
///
/// Collective. The same messages as cairn_comm_agree(), unless ranks disagree.
///
/// @param[in] arguments  NULL: none.
/// @retval CAIRN_BAD_ARGUMENT  No rank failed, and their arguments differ; the message
///                             has the first that does.
cairn_status cairn_comm_agree_on(cairn_comm             *comm,
                                 cairn_status            mine,
                                 const cairn_collective *arguments);

#endif
