// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Writing past the caches: memory that is written once, in whole lines, and not soon read,
/// need not be fetched before, and leaves in the caches what is there.

#ifndef CAIRN_BASE_STREAM_H
#define CAIRN_BASE_STREAM_H

#include <stddef.h>

/// Copy @p bytes, whole lines of @p to past the caches where the machine can. The ranges
/// do not overlap. Others see it after cairn_stream_end().
void cairn_stream_copy(void *to, const void *from, size_t bytes);

/// What this thread wrote is in memory before what it writes from now on.
void cairn_stream_end(void);

#endif
