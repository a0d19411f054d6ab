// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One file written by all ranks: it appears under its name when it is complete; after
/// a failure on any rank nothing of it is left.

#ifndef CAIRN_COMM_OUTPUT_H
#define CAIRN_COMM_OUTPUT_H

#include "base/file.h"
#include "comm/comm.h"

/// Rank 0 creates the file, the others open it. On one machine it has no name until it is
/// complete, where the file system has such files and all ranks can reach it; else a
/// temporary one.
///
/// Collective. Pairs with cairn_output_finish(), also after a failure.
///
/// @param[out] file  With `env` set and `fd` -1 before.
cairn_status cairn_output_open(cairn_comm *comm, const char *path, cairn_file *file);

/// All have written, or some have failed: rank 0 keeps or removes the file.
///
/// Collective.
///
/// @param[in] status  This rank's.
/// @return the status of all.
cairn_status
cairn_output_finish(cairn_comm *comm, cairn_status status, cairn_file *file);

#endif
