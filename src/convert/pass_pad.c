// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// PAD: positions that no entry has, where entries were put by a pass that knows of none.

#include "convert/compiled_rank.h"
#include "convert/passes.h"

/// The fewest and the most entries of a row, over all threads.
static cairn_status find_spans(cairn_compiled *c)
{
    int64_t fewest = INT64_MAX, most = 0;

    for (int64_t t = 0; t < c->shares.n; t++) {
        const int64_t *its = c->shares.found + t * CAIRN_CONVERT_FACTS;

        if (its[5] > 0 && its[4] < fewest) fewest = its[4];
        if (its[5] > most) most = its[5];
    }
    cairn_rank_set_spans(c->m, fewest, most);
    return CAIRN_OK;
}

static cairn_status pad_numbered(cairn_compiled *c, const cairn_pass_call *call)
{
    cairn_rank_pad(c->m, c->origin.counts, (int)c->shares.n, call->part);
    return CAIRN_OK;
}

const cairn_pass_work cairn_pad_numbered = {.prepare = find_spans,
                                            .write   = pad_numbered};

static cairn_status pad_nodes(cairn_compiled *c, const cairn_pass_call *call)
{
    return cairn_build_padding(c->m, call->part, call->tuple);
}

const cairn_pass_work cairn_pad_nodes = {.write = pad_nodes};
