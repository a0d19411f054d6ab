// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// PAD: positions that no entry has, where entries were put by a pass that knows of none.

#include "convert/passes.h"

static cairn_status pad_nodes(cairn_compiled *c, const cairn_pass_call *call)
{
    return cairn_build_padding(c->m, call->part, call->tuple);
}

const cairn_pass_work cairn_pad_nodes = {.write = pad_nodes};
