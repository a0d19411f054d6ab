// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Native files (.cairn) written by all ranks at once, one segment each, and read on any
/// number of ranks, each taking some of the segments.

#ifndef CAIRN_COMM_NATIVE_H
#define CAIRN_COMM_NATIVE_H

#include "comm/comm.h"
#include "io/io_native.h"

/// Write what every rank stores of a tensor. The file appears whole or not at all.
///
/// Collective.
///
/// @param[in]  text   The format's canonical text.
/// @param[out] bytes  Length of the file.
/// @retval CAIRN_IO  On some rank.
cairn_status cairn_native_write_file(cairn_comm        *comm,
                                     const char        *path,
                                     const cairn_local *tensor,
                                     const char        *text,
                                     int64_t           *bytes);

/// Is this a native file, by its first bytes? Local.
/// @retval CAIRN_IO  It cannot be opened.
cairn_status cairn_native_probe(cairn_env *env, const char *path, bool *native);

/// Read a native file back into entries, unsorted, some on every rank.
///
/// Collective.
///
/// @param[out] shape    Global.
/// @param[out] entries  Freed with cairn_entries_fini(). Unchanged on failure.
/// @retval CAIRN_BAD_FILE  A wrong checksum, version or length, or contradictions.
cairn_status cairn_native_read_file(cairn_comm    *comm,
                                    const char    *path,
                                    cairn_shape   *shape,
                                    cairn_entries *entries);

/// Take back the arrays that a file's ranks wrote, each rank one segment: together they
/// are one tensor, its rows in rank order.
///
/// Collective.
///
/// @param[out] tensor  NULL when the file has not one segment for each rank. Destroy it
///                     before its @p format. Unchanged on failure.
/// @retval CAIRN_BAD_FILE  As cairn_native_read_file().
cairn_status cairn_native_take_file(cairn_comm    *comm,
                                    const char    *path,
                                    cairn_local  **tensor,
                                    cairn_format **format);

/// Segments of a file, consecutive, in ascending order of their rows.
typedef struct cairn_native_segments {
    int64_t        count;
    cairn_local  **tensor; ///< [count]
    cairn_format **format; ///< [count] of the same text.
} cairn_native_segments;

/// Take back the arrays of a file that any number of ranks wrote: this rank some segments
/// that follow each other, behind those of the ranks before; the first rank one at least.
///
/// Collective.
///
/// @param[out] segments  Released with cairn_native_segments_fini(), also on failure.
/// @retval CAIRN_BAD_FILE  As cairn_native_read_file().
cairn_status cairn_native_take_segments(cairn_comm            *comm,
                                        const char            *path,
                                        cairn_native_segments *segments);

void cairn_native_segments_fini(cairn_env *env, cairn_native_segments *segments);

/// The canonical text of the format in which a file's tensor is stored, and the bits of
/// its values.
///
/// Collective.
///
/// @param[out] text  Freed with cairn_free(). Unchanged on failure.
cairn_status cairn_native_read_origin(cairn_comm *comm,
                                      const char *path,
                                      char      **text,
                                      int        *value_bits);

#endif
