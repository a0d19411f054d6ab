// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Records that travel: rows of integers go to the rank that answers for them, and one
/// integer comes back for each. Between two calls ranks may fail by themselves; each
/// call begins by agreeing on a status, so that a rank that failed meets the others
/// there, once, and nobody waits for it.

#ifndef CAIRN_GROUPS_EXCHANGE_H
#define CAIRN_GROUPS_EXCHANGE_H

#include "query/query.h"

/// Where ranks meet while they answer one query.
typedef struct cairn_meeting {
    cairn_env             *env;
    const cairn_query_net *net;    ///< NULL: there is one rank.
    bool                   agreed; ///< A failure is known to all ranks already.
} cairn_meeting;

typedef struct cairn_exchange {
    int      width;  ///< Integers of one record.
    int64_t  n;      ///< Records of this rank,
    int64_t *record; ///< [n][width]
    int     *to;     ///< [n] their destinations.
    int64_t  received;
    int64_t *in; ///< [received][width], in rank order, then in the order of sending.
    int64_t *counts, *in_counts; ///< [size] records to and from each rank.
} cairn_exchange;

/// Make room for @p n records; the caller fills `record` and `to`. Local.
cairn_status
cairn_exchange_init(cairn_meeting *m, cairn_exchange *travel, int width, int64_t n);

void cairn_exchange_fini(cairn_meeting *m, cairn_exchange *travel);

/// Agree on a status. Collective, like all below.
cairn_status cairn_exchange_meet(cairn_meeting *m, cairn_status mine);

/// Largest of a value over the ranks; @p mine is this rank's status so far.
cairn_status cairn_exchange_max(cairn_meeting *m, cairn_status mine, int64_t *value);

/// Send the records.
cairn_status
cairn_exchange_send(cairn_meeting *m, cairn_status mine, cairn_exchange *travel);

/// Send answer[k] back for in[k]; result[r] is the answer to record r.
cairn_status cairn_exchange_return(cairn_meeting  *m,
                                   cairn_status    mine,
                                   cairn_exchange *travel,
                                   const int64_t  *answer,
                                   int64_t        *result);

#endif
