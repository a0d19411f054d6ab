// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All queries of an encoding at once.

#ifndef CAIRN_TESTS_QUERY_RUN_H
#define CAIRN_TESTS_QUERY_RUN_H

#include "query/query.h"

/// cairn_query_begin(), and cairn_query_step() for each. @p set is unchanged on failure.
static inline cairn_status run_queries(cairn_env             *env,
                                       const cairn_encoding  *encoding,
                                       const cairn_shape     *shape,
                                       const cairn_interval  *box,
                                       const cairn_entries   *entries,
                                       const cairn_query_net *net,
                                       cairn_query_set      **set)
{
    cairn_query_set *made = NULL;
    cairn_status status = cairn_query_begin(env, encoding, shape, box, entries, &made);

    if (net && net->size > 1) status = net->agree(net->user, status);
    for (int q = 0; q < encoding->queries && status == CAIRN_OK; q++)
        status = cairn_query_step(made, q, net);
    if (status == CAIRN_OK)
        *set = made;
    else
        cairn_query_set_destroy(env, &made);
    return status;
}

#endif
