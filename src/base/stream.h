// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Writing past the caches: memory that is written once, in whole lines, and not soon read,
/// need not be fetched before, and leaves in the caches what is there.
///
/// A table of few long rows is made some bytes of every row at a time, in a *tile* that
/// stays in the cache. Each row begins somewhere in a line of memory, so what a tile has of
/// it ends somewhere in one: that rest is carried to in front of the row's next bytes, and
/// only the first and the last line of a row are written in part.

#ifndef CAIRN_BASE_STREAM_H
#define CAIRN_BASE_STREAM_H

#include <stdbool.h>
#include <stddef.h>

/// Bytes of a line.
enum { CAIRN_STREAM_LINE = 64 };

/// Where rows go, and the tile that they come from. The tile's rows need not begin lines;
/// they go faster if they do.
typedef struct {
    char  *to;          ///< Where the first row's next byte goes.
    char  *tile;        ///< The first row's; a line's bytes before each row are used.
    size_t to_stride;   ///< Bytes from row to row where they go,
    size_t tile_stride; ///< and in the tile.
    size_t rows;
    size_t carried; ///< Bytes before the tile's rows that are theirs: 0 at first.
    bool   clear;   ///< What left the tile is zero there.
} cairn_stream_table;

/// Send so many bytes of every row from where the tile's rows begin, which are free then for
/// those that come behind them. Others see what was sent after cairn_stream_end().
void cairn_stream_send(cairn_stream_table *t, size_t bytes);

/// Send what is carried. What this thread sent is in memory before what it writes from now
/// on.
void cairn_stream_end(cairn_stream_table *t);

/// Copy bytes so; areas must not overlap. They are in memory, for other threads, too, before
/// what this thread writes from now on.
void cairn_stream_copy(void *to, const void *from, size_t bytes);

#endif
