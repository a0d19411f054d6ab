// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The halo of x. A rank sees x as a window of the whole global index range, at global
/// positions; memory comes page by page where something is touched. Owned entries lie
/// there, halo entries are received into it, every other entry is 0 and never sent.
/// The halo is exactly the columns of stored entries that other ranks own.

#ifndef CAIRN_COMM_HALO_H
#define CAIRN_COMM_HALO_H

#include "comm/distribute.h"

typedef struct cairn_halo cairn_halo;

/// Prepare: map the window and set up the messages.
///
/// Collective. @p owners must outlive the halo.
///
/// @param[in] owners   Which rank owns which entries of x.
/// @param[in] columns  [n] columns of this rank's stored entries, in any order, repeats
///                     allowed; sorted in place.
/// @param[out] halo    Destroy with cairn_halo_destroy(). Unchanged on failure.
cairn_status cairn_halo_create(cairn_comm       *comm,
                               const cairn_rows *owners,
                               cairn_coord      *columns,
                               cairn_pos         n,
                               cairn_halo      **halo);

void cairn_halo_destroy(cairn_halo **halo);

/// The window: entry j of x is window[j], for all global j.
double *cairn_halo_window(cairn_halo *halo);

/// Entries received from others, and sent to them, in each exchange.
void cairn_halo_counts(const cairn_halo *halo, cairn_pos *received, cairn_pos *sent);

/// Send owned entries where they are needed and receive this rank's halo. end()
/// completes what begin() started; nothing is allocated.
cairn_status cairn_halo_begin(cairn_halo *halo);
cairn_status cairn_halo_end(cairn_halo *halo);

#endif
