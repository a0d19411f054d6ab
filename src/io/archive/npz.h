// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Archives of arrays as numpy writes them: a zip of .npy files, stored and not deflated, so
/// that any elements of any array can be read alone. Nothing is allocated on the word of the
/// archive but its directory, of at most a megabyte.
///
/// Source: PKWARE's APPNOTE.TXT 6.3 (zip), with its 64-bit fields; numpy's NEP 1 (.npy).

#ifndef CAIRN_IO_NPZ_H
#define CAIRN_IO_NPZ_H

#include "io/archive/archive.h"

/// Does a file begin as archives do? Local.
/// @retval CAIRN_IO  It cannot be opened.
cairn_status cairn_npz_probe(cairn_env *env, const char *path, bool *is);

/// Open an archive and read what its arrays are.
///
/// Local. Pairs with cairn_archive_close(), also after a failure.
///
/// @param[in]  path     Outlives @p archive.
/// @param[out] archive  Its arrays' names are without ".npy".
/// @retval CAIRN_IO           It cannot be read.
/// @retval CAIRN_BAD_FILE     It is no archive of arrays, or is cut.
/// @retval CAIRN_UNSUPPORTED  An array is compressed, or of another byte order.
cairn_status cairn_npz_open(cairn_env *env, const char *path, cairn_archive *archive);

/// Read @p bytes from @p offset of the file on, which are in it. Local.
/// @retval CAIRN_IO
cairn_status
cairn_npz_read(const cairn_archive *archive, int64_t offset, void *out, int64_t bytes);

/// Write an archive into a file that is open; elements begin at multiples of 64 bytes.
///
/// Local.
///
/// @param[out] length  Of the file.
cairn_status
cairn_npz_write(cairn_file *file, const cairn_archive_list *list, int64_t *length);

#endif
