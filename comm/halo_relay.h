// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows that several ranks of one node need from a rank of another node go there once. The
/// lowest of these ranks has them sent, as it would without the others, and hands them on:
/// what is relayed is a second exchange, which begins on a rank when its own messages have
/// come. Rows that one rank of a node needs go straight to it. Internal to the halo.

#ifndef CAIRN_COMM_HALO_RELAY_H
#define CAIRN_COMM_HALO_RELAY_H

#include "comm/distribute.h"

typedef struct cairn_halo_relay cairn_halo_relay;

/// The rows of others that a rank needs, and where their values shall be.
typedef struct cairn_halo_wanted {
    cairn_pos          n;
    const cairn_coord *row;   ///< [n] Ascending, those of one owner together.
    const int64_t     *count; ///< [ranks] Of each owner's.
    char              *value; ///< [n][bytes]
    size_t             bytes; ///< Of a row.
} cairn_halo_wanted;

/// The rows that owners send to this rank, likewise. Valid as long as the relay.
typedef struct cairn_halo_direct {
    cairn_pos    n;
    cairn_coord *row;
    int64_t     *count;
    char        *value; ///< Where they arrive.
} cairn_halo_direct;

/// Find out who hands rows on to whom.
///
/// Collective, of ranks on more than one node.
///
/// @param[in]  wanted  What it points to outlives the relay.
/// @param[out] relay   NULL, on all ranks: nobody hands anything on. Else destroyed with
///                     cairn_halo_relay_destroy(). NULL on failure.
cairn_status cairn_halo_relay_create(cairn_comm              *comm,
                                     const cairn_halo_wanted *wanted,
                                     cairn_halo_relay       **relay);
void         cairn_halo_relay_destroy(cairn_halo_relay **relay);

const cairn_halo_direct *cairn_halo_relay_direct(const cairn_halo_relay *relay);

/// Bytes of its buffers.
int64_t cairn_halo_relay_bytes(const cairn_halo_relay *relay);

/// A run: begin when the messages of @p exchange, those that owners send, have started; look
/// as often as there is time; wait for the rows of the k-th rank that rows come from; end.
/// @p came becomes true of each of these ranks whose rows are all there.
void         cairn_halo_relay_begin(cairn_halo_relay *relay);
cairn_status cairn_halo_relay_look(cairn_halo_relay *relay, void *exchange, bool *came);
cairn_status cairn_halo_relay_await(cairn_halo_relay *relay, void *exchange, int k);
cairn_status cairn_halo_relay_end(cairn_halo_relay *relay, void *exchange);

#endif
