// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Archives of arrays read by all ranks at once, each an equal share of what is stored.

#ifndef CAIRN_COMM_NPZ_H
#define CAIRN_COMM_NPZ_H

#include "comm/read.h"

/// Read a binsparse archive (io/archive/binsparse.h). All bytes of its arrays are held to their
/// checksums, a share by each rank.
///
/// Collective. On failure every rank returns the same status and message.
///
/// @param[out] source  Entries, unsorted, freed with cairn_text_file_fini(). Unchanged on
///                     failure.
/// @retval CAIRN_IO, CAIRN_BAD_FILE, CAIRN_UNSUPPORTED, CAIRN_NO_MEMORY
cairn_status
cairn_npz_read_file(cairn_comm *comm, const char *path, cairn_text_file *source);

/// Read a matrix from an HDF5 file (io/archive/hdf5.h). Every rank opens the file by
/// itself; what checksums chunks have, the library looks at.
///
/// Collective, as above.
///
/// @retval CAIRN_ATTENTION  The HDF5 library cannot be used here.
cairn_status
cairn_hdf5_read_file(cairn_comm *comm, const char *path, cairn_text_file *source);

#endif
