// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Writing past the caches: memory that is written once, in whole lines, and not soon read,
/// need not be fetched before, and leaves in the caches what is there.

#ifndef CAIRN_BASE_STREAM_H
#define CAIRN_BASE_STREAM_H

#include <stddef.h>

/// Copy a table row by row, each of so many bytes, whole lines of @p to past the caches
/// where the machine can. The tables do not overlap. Others see it after
/// cairn_stream_end().
///
/// @param[in] to_stride, from_stride  Bytes from row to row.
void cairn_stream_rows(void       *to,
                       size_t      to_stride,
                       const void *from,
                       size_t      from_stride,
                       size_t      rows,
                       size_t      bytes);

/// The same, and clear the rows where they were, while they are in a cache.
void cairn_stream_rows_out(void  *to,
                           size_t to_stride,
                           void  *from,
                           size_t from_stride,
                           size_t rows,
                           size_t bytes);

/// What this thread wrote is in memory before what it writes from now on.
void cairn_stream_end(void);

#endif
