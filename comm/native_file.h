// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A native file that all ranks read: opened once, its bytes held to their checksums and
/// its segments to each other. Then a rank reads what is its share, whatever segments that
/// is in. No rank reads more of the arrays than that, nor holds more.

#ifndef CAIRN_COMM_NATIVE_FILE_H
#define CAIRN_COMM_NATIVE_FILE_H

#include "comm/comm.h"
#include "io/native/io_native_segment.h"

/// What one segment says of itself.
typedef struct cairn_native_facts {
    int64_t        segment;
    cairn_shape    shape;
    cairn_interval rows;
    uint32_t       format; ///< Checksum of the text.
    int            value_bits;
    cairn_pos      values;  ///< Padding included.
    bool           divides; ///< Rows can be read alone (cairn_native_rows_divide()).
    bool           places;  ///< Rows are by their places,
    bool           blocks;  ///< and in blocks,
    bool           members; ///< or once for each member, which lie on other ranks;
    int across; ///< so often a row is stored: for each column part, or member; else once.
} cairn_native_facts;

typedef struct cairn_native_file {
    cairn_comm           *comm;
    const char           *path; ///< The caller's.
    int                   fd;
    int64_t               length, segments;
    cairn_native_row     *table; ///< [segments]
    cairn_native_facts   *fact;  ///< [segments] The same on all ranks.
    int64_t               owns;  ///< Segments that this rank has described:
    cairn_native_segment *own; ///< [owns] its rank's, and every size-th from there on.
} cairn_native_file;

/// Open a file, and see that nothing of it is damaged.
///
/// Collective. Pairs with cairn_native_file_close().
///
/// @param[out] file  Closed on failure.
/// @retval CAIRN_BAD_FILE  A wrong checksum, version or length, or contradictions.
///
/// Cost: a rank reads its share of the bytes, a chunk at a time.
cairn_status
cairn_native_file_open(cairn_comm *comm, const char *path, cairn_native_file *file);

/// Local.
void cairn_native_file_close(cairn_native_file *file);

/// The shape of the tensor, of which a row may be stored several times.
cairn_shape cairn_native_file_shape(const cairn_native_file *file);

/// Of a file of blocks: the user's row at a place of segment @p s, and the columns of its
/// entries. Local.
cairn_coord
cairn_native_file_row(const cairn_native_file *file, int64_t s, cairn_coord place);
cairn_interval cairn_native_file_columns(const cairn_native_file *file, int64_t s);

/// Describe segment @p s.
///
/// Local. Close with cairn_native_segment_close(), before the file.
cairn_status cairn_native_file_segment(const cairn_native_file *file,
                                       int64_t                  s,
                                       cairn_native_segment    *segment);

/// The canonical text of the format.
///
/// Collective.
///
/// @param[out] text  Freed with cairn_free(). Unchanged on failure.
cairn_status cairn_native_file_text(const cairn_native_file *file, char **text);

#endif
