// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Native files (.cairn) written by all ranks at once, one segment each, and read on any
/// number of ranks, each taking its share.

#ifndef CAIRN_COMM_NATIVE_H
#define CAIRN_COMM_NATIVE_H

#include "comm/native_file.h"
#include "comm/renumber.h"

/// Write what every rank stores of a tensor. The file appears whole or not at all.
///
/// Collective.
///
/// @param[in]  places  By which the rows are stored; NULL: by number.
/// @param[in]  text    The format's canonical text.
/// @param[out] bytes   Length of the file.
/// @retval CAIRN_IO  On some rank.
cairn_status cairn_native_write_file(cairn_comm              *comm,
                                     const char              *path,
                                     const cairn_local       *tensor,
                                     const cairn_renumbering *places,
                                     const char              *text,
                                     int64_t                 *bytes);

/// Is this a native file, by its first bytes? Local.
/// @retval CAIRN_IO  It cannot be opened.
cairn_status cairn_native_probe(cairn_env *env, const char *path, bool *native);

/// Read a native file back into entries, unsorted: those of an equal share of its values
/// on every rank, in the order of the file. Where its rows are by their places, entries get
/// the user's coordinates back.
///
/// Collective. A rank holds its entries and, at a time, a few megabytes of arrays.
///
/// @param[out] shape    Global, the user's.
/// @param[out] entries  Freed with cairn_entries_fini(). Unchanged on failure.
/// @param[out] text     NULL, or the canonical text of its format, freed with cairn_free().
/// @retval CAIRN_BAD_FILE  A wrong checksum, version or length, or contradictions.
cairn_status cairn_native_read_file(cairn_comm    *comm,
                                    const char    *path,
                                    cairn_shape   *shape,
                                    cairn_entries *entries,
                                    char         **text);

/// Take back this rank's own arrays of a file that as many ranks wrote: together they are
/// one tensor, its rows in rank order.
///
/// Local.
///
/// @param[out] tensor  NULL when the file has not one segment for each rank, or members that
///                     lie on other ranks than the whole. Destroy it before its @p
///                     format. Unchanged on failure.
/// @retval CAIRN_BAD_FILE  The arrays contradict themselves.
cairn_status cairn_native_take_own(cairn_native_file *file,
                                   cairn_local      **tensor,
                                   cairn_format     **format);

/// Give entries of a file whose rows are by their places the user's coordinates back.
///
/// Collective. On failure they are to be freed.
///
/// @retval CAIRN_BAD_FILE  What the file says of its places is no renumbering.
cairn_status cairn_native_undo_places(const cairn_native_file *file,
                                      cairn_entries           *entries);

/// Have entries of a segment, from number @p first on, the columns of its block? In a file
/// without blocks every column is allowed.
///
/// Local.
///
/// @retval CAIRN_BAD_FILE  They have not.
cairn_status cairn_native_check_columns(const cairn_native_file *file,
                                        int64_t                  segment,
                                        const cairn_entries     *entries,
                                        cairn_pos                first);

/// The same of the arrays of this rank's own segment.
///
/// Local.
cairn_status cairn_native_check_own_columns(const cairn_native_file *file,
                                            const cairn_local       *tensor);

/// Take back the places of a file's rows, on as many ranks as wrote it.
///
/// Collective.
///
/// @param[in]  said         What the file's format says of ranks.
/// @param[in]  rows         Of each rank, in the order of places.
/// @param[out] renumbering  Destroy with cairn_renumbering_destroy(). Unchanged on failure.
/// @retval CAIRN_BAD_FILE  As cairn_native_undo_places().
cairn_status cairn_native_take_places(const cairn_native_file  *file,
                                      const cairn_distribution *said,
                                      const cairn_rows         *rows,
                                      cairn_renumbering       **renumbering);

/// Rows of a file, consecutive, in ascending order.
typedef struct cairn_native_slices {
    bool           taken; ///< False: rows cannot be read alone; there is nothing.
    int64_t        count;
    cairn_local  **tensor; ///< [count]
    cairn_format **format; ///< [count] of the same text.
} cairn_native_slices;

/// Take back the arrays of a file that any number of ranks wrote. Where rows can be read
/// alone, the rows are cut so that each rank has about as many values; else a rank takes
/// whole segments, if all ranks get equally many.
///
/// Collective.
///
/// @param[in]  grain   Rows are cut at multiples of it only.
/// @param[out] slices  This rank's rows, behind those of the ranks before it; maybe none.
///                     Released with cairn_native_slices_fini(), also on failure.
/// @retval CAIRN_BAD_FILE  As cairn_native_read_file().
cairn_status cairn_native_take_slices(const cairn_native_file *file,
                                      cairn_coord              grain,
                                      cairn_native_slices     *slices);

void cairn_native_slices_fini(cairn_env *env, cairn_native_slices *slices);

#endif
