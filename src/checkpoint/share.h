// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A share of a checkpoint: one rank's rows of all vectors. Numbers are little-endian.
///
///     0    "CAIRNCKS"
///     8    u32 version, u32 CRC-32 of what follows before the values
///     16   i64 length of the file, u64 run, i64 generation, iteration
///     48   i64 first row, row behind the last, rows of a block (16,384)
///     72   u32 number of the share, vectors
///     80   u32 bits[16] of each vector's type; 0: there is none
///     144  u32 CRC-32 of each block of the first vector, of the second ...
///          values of the first vector, of the second ...
///
/// Blocks have checksums of their own, so that a rank which needs some rows reads no more than
/// the blocks that have them.

#ifndef CAIRN_CHECKPOINT_SHARE_H
#define CAIRN_CHECKPOINT_SHARE_H

#include "checkpoint/checkpoint.h"

enum {
    CAIRN_SHARE_VERSION = 1,
    CAIRN_SHARE_BLOCK   = 16384, ///< Rows: 128 KiB of f64.
};

/// How a share begins; as a manifest makes expect it, but for what is @p crc here.
typedef struct cairn_share_head {
    char     magic[8];
    uint32_t version, crc;
    int64_t  length;
    uint64_t run;
    int64_t  generation, iteration, first_row, end_row, block;
    uint32_t share, vectors;
    uint32_t bits[CAIRN_CHECKPOINT_VECTORS];
} cairn_share_head;

/// The head of the share that has these rows of a state; its checksum is not set. Local.
void cairn_share_expect(const cairn_checkpoint *state,
                        uint64_t                run,
                        int                     share,
                        int64_t                 first_row,
                        int64_t                 end_row,
                        cairn_share_head       *head);

/// Bytes of all values, in the order of the file. Local.
int64_t cairn_share_value_bytes(const cairn_share_head *head);

/// Write a share: whole, synced and named, or not at all. Local.
///
/// @param[in] values  cairn_share_value_bytes() of them.
/// @retval CAIRN_IO
cairn_status cairn_share_write(cairn_env              *env,
                               const char             *path,
                               const cairn_share_head *head,
                               const char             *values);

/// Read rows of a share. Local.
///
/// @param[in]     expected  What its head must be.
/// @param[in]     from,to   Rows; the share has them.
/// @param[in,out] state     Those rows of its vectors are filled; they have first_row on.
/// @retval CAIRN_BAD_FILE  "PATH: WHY".
/// @retval CAIRN_IO
cairn_status cairn_share_read(cairn_env              *env,
                              const char             *path,
                              const cairn_share_head *expected,
                              int64_t                 from,
                              int64_t                 to,
                              const cairn_checkpoint *state);

#endif
