// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows that several ranks of one node need from a rank of another node go there once. The
/// lowest of these ranks has them sent, as it would without the others, and hands them on:
/// what is handed on is a second exchange, which begins on a rank when its own messages have
/// come. Rows that one rank of a node needs go straight to it. Internal to the halo.

#ifndef CAIRN_COMM_HALO_BY_NODE_H
#define CAIRN_COMM_HALO_BY_NODE_H

#include "comm/distribute.h"

typedef struct cairn_halo_by_node cairn_halo_by_node;

/// The rows of others that a rank needs, and where their values shall be.
typedef struct cairn_halo_wanted {
    cairn_pos          n;
    const cairn_coord *row;   ///< [n] Ascending, those of one owner together.
    const int64_t     *count; ///< [ranks] Of each owner's.
    char              *value; ///< [n][bytes]
    size_t             bytes; ///< Of a row.
} cairn_halo_wanted;

/// The rows that owners send to this rank, likewise. Valid as long as that which says so.
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
/// @param[in]  wanted  What it points to outlives what is made of it.
/// @param[out] by_node  NULL, on all ranks: no rank hands rows on. Else destroyed with
///                     cairn_halo_by_node_destroy(). NULL on failure.
cairn_status cairn_halo_by_node_create(cairn_comm              *comm,
                                       const cairn_halo_wanted *wanted,
                                       cairn_halo_by_node     **by_node);
void         cairn_halo_by_node_destroy(cairn_halo_by_node **by_node);

const cairn_halo_direct *cairn_halo_by_node_direct(const cairn_halo_by_node *by_node);

/// Bytes of its buffers.
int64_t cairn_halo_by_node_bytes(const cairn_halo_by_node *by_node);

/// A run: begin when the messages of @p exchange, those that owners send, have started; look
/// as often as there is time; wait for the rows of the k-th rank that rows come from; end.
/// @p came becomes true of each of these ranks whose rows are all there.
void cairn_halo_by_node_begin(cairn_halo_by_node *by_node);
cairn_status
cairn_halo_by_node_look(cairn_halo_by_node *by_node, void *exchange, bool *came);
cairn_status
cairn_halo_by_node_await(cairn_halo_by_node *by_node, void *exchange, int k);
cairn_status cairn_halo_by_node_end(cairn_halo_by_node *by_node, void *exchange);

#endif
