// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What all ranks of a collective call must have been told alike: the type of values, a
/// format, the columns of a product. Ranks that were told otherwise would go other ways,
/// and one would wait for ever, or each would succeed with something else.
///
/// Comparing costs no message: the reduction by which ranks agree on a status carries a
/// hash of what each was told, as its least and its greatest. What differs is looked for
/// when something does. What is each rank's own is not compared: its rows, entries,
/// threads, devices, the names of files that it reads.

#ifndef CAIRN_COMM_TOLD_H
#define CAIRN_COMM_TOLD_H

#include "comm/comm.h"

/// Most arguments of a call, and bytes of what a message has of one.
enum { CAIRN_TOLD = 20, CAIRN_TOLD_TEXT = 128 };

typedef struct cairn_told_item {
    char     what[16];              ///< "dtype".
    char     text[CAIRN_TOLD_TEXT]; ///< As it is told; the beginning of a longer one.
    uint64_t hash;                  ///< Of the whole.
} cairn_told_item;

typedef struct cairn_told {
    uint64_t        hash; ///< Of all texts, whole; 0: none.
    int             count;
    cairn_told_item item[CAIRN_TOLD];
} cairn_told;

/// Add an argument. Local.
///
/// @param[in] text  Of any length; NULL is another text than any.
void cairn_told_text(cairn_told *told, const char *what, const char *text);
void cairn_told_int(cairn_told *told, const char *what, int64_t number);
void cairn_told_real(cairn_told *told, const char *what, double number);

/// Agree on a status as cairn_comm_agree() does, and on what the ranks were told.
///
/// Collective. The same messages as cairn_comm_agree(), unless ranks disagree.
///
/// @param[in] told  NULL: nothing.
/// @retval CAIRN_BAD_ARGUMENT  No rank failed, and they were not told the same; the
///                             message has the first argument that differs.
cairn_status
cairn_comm_agree_on(cairn_comm *comm, cairn_status mine, const cairn_told *told);

#endif
