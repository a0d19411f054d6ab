// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The context of a suite's tests, which must end with nothing allocated. A suite names
/// both functions as its .init and .fini, or calls them from its own.

#ifndef CAIRN_TESTS_SUPPORT_SUITE_CONTEXT_H
#define CAIRN_TESTS_SUPPORT_SUITE_CONTEXT_H

#include "support/api.h"

static cairn_context *context;
static int64_t        blocks_before; ///< That the context has by itself.

static inline void context_up(void)
{
    blocks_before = must_start(&context);
}

static inline void context_down(void)
{
    must_end(&context, blocks_before);
}

#endif
