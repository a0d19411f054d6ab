// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A tensor's arrays in an archive that numpy opens, or any reader of HDF5, under the names
/// by which others look for them:
///
/// * those of binsparse (binsparse.h), where that has a format of these arrays;
/// * those of SciPy's scipy.sparse.load_npz(), where SciPy has a class for them: once more
///   for what binsparse has, too, since neither reader takes the other's names; not in HDF5,
///   which that function does not read;
/// * the text `cairn`, always: what the arrays are in the terms of docs/language.md, and
///   which member of the archive each of them is.

#ifndef CAIRN_IO_ARCHIVE_TENSOR_H
#define CAIRN_IO_ARCHIVE_TENSOR_H

#include "io/archive/archive.h"
#include "tensor/local.h"

/// Write a tensor's arrays.
///
/// Local. The file appears whole or not at all.
///
/// @param[in]  tensor  Of one rank, whole.
/// @param[out] bytes   Length of the file.
cairn_status
cairn_npz_write_tensor(const cairn_local *tensor, const char *path, int64_t *bytes);

/// As cairn_npz_write_tensor(), an HDF5 file.
/// @retval CAIRN_ATTENTION  The HDF5 library cannot be used here.
cairn_status
cairn_hdf5_write_tensor(const cairn_local *tensor, const char *path, int64_t *bytes);

/* ---- what the archive has of each reader ---- */

/// Name the format of binsparse that has a tensor's arrays. @return false: none does.
bool cairn_binsparse_name(const cairn_local *tensor, char format[8]);

/// Add a tensor's arrays as that format, and its text. Local.
cairn_status cairn_binsparse_add(const cairn_local  *tensor,
                                 const char         *format,
                                 cairn_archive_list *list);

/// Name the class of SciPy's that has a tensor's arrays: "csr", "csc", "coo", "bsr" or
/// "dia". NULL: none does.
///
/// @param[in] binsparse  The format of binsparse; "": none.
const char *cairn_scipy_name(const cairn_local *tensor, const char *binsparse);

/// Add a tensor's arrays as that class has them. Local.
///
/// @param[in] tensor  Its values are floating-point numbers, or all one.
cairn_status
cairn_scipy_add(const cairn_local *tensor, const char *name, cairn_archive_list *list);

/// Add the text `cairn`, and the arrays that the list has not yet. Local.
cairn_status cairn_own_add(const cairn_local *tensor, cairn_archive_list *list);

/* ---- arrays of a part as members, without a name; they must be arrays of their own ---- */

cairn_archive_out cairn_archive_of_ptr(const cairn_kernel_level *level);
cairn_archive_out cairn_archive_of_idx(const cairn_kernel_level *level);

/// Words of values, whatever they mean: floating-point numbers, integers, or unsigned words.
cairn_archive_out cairn_archive_of_values(const cairn_kernel_part *view);

#endif
