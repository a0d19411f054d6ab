// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Archives of arrays in HDF5 files: the datasets of a group, by the HDF5 library, which is
/// opened when it is first asked for. Its headers are needed to build this; without them, or
/// without the library, calls say so.
///
/// The group is the one that says what it has: by an attribute `binsparse`
/// (io/archive/binsparse.h), or by `MATLAB_sparse`, the rows of a sparse matrix of
/// MATLAB's, whose datasets are `jc`, `ir` and `data`, in .mat files of version 7.3 and in
/// what PETSc calls `hdf5_mat`.
///
/// Source: HDF5 File Format Specification 3.0 (its begin alone; the rest is the library's).

#ifndef CAIRN_IO_HDF5_H
#define CAIRN_IO_HDF5_H

#include "io/archive/archive.h"

/// Does a file begin as HDF5 files do, perhaps behind a block of its user's? Local.
/// @retval CAIRN_IO  It cannot be opened.
cairn_status cairn_hdf5_probe(cairn_env *env, const char *path, bool *is);

/// Open a file, find the group, and read what its datasets are.
///
/// Local. Pairs with cairn_archive_close(), also after a failure.
///
/// @param[in]  path     Outlives @p archive.
/// @param[out] archive  With a checksum of no array: the library looks at those of chunks.
/// @retval CAIRN_ATTENTION    The library cannot be used here.
/// @retval CAIRN_BAD_FILE     The library cannot read it, or no group says what it has.
/// @retval CAIRN_UNSUPPORTED  Several groups do; chunks of more than 64 MiB.
cairn_status cairn_hdf5_open(cairn_env *env, const char *path, cairn_archive *archive);

/// Write arrays into a file that has a name, in its root group: texts that say what the arrays
/// are to others as attributes, the text `cairn` as a dataset. The same bytes at any time.
///
/// Local.
///
/// @param[out] length  Of the file.
/// @retval CAIRN_ATTENTION  The library cannot be used here.
/// @retval CAIRN_IO
cairn_status
cairn_hdf5_write(cairn_file *file, const cairn_archive_list *list, int64_t *length);

#endif
