// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The native file, .cairn: the arrays themselves. A prologue of 64 bytes, a table with
/// one row per segment, and one segment for each rank that wrote. A segment describes
/// itself: the format's canonical text, extents, the rank's box, element width, and for
/// every part its bank and node counts; lengths and widths of the arrays follow from
/// these. All numbers are little-endian, 64 bits; arrays begin at multiples of 64 bytes.
///
///     prologue  "\x89CAIRN\r\n", version, segments, length of the file, CRC-32 of the
///               table, zeros, CRC-32 of the 56 bytes before
///     table     per segment: offset, length, CRC-32
///     segment   version, order, value bits, rank, members, extents[order],
///               (lo, hi)[order] of the box, length of the text, the text padded to 8;
///               per member: queries, (lo, hi)[queries], from version 3 on kind and bits
///               of a value as it is stored, banks, per bank: nnz, nodes[levels]; padded
///               to 64; then the arrays of all parts in order, a dictionary behind the
///               values of the first bank; from version 5 on the user's row at each place of
///               the box
///
/// A segment has version 6 where members lie on other ranks than the whole, so that a row is
/// stored once for each, 5 where rows are by their places, 4 where values are stored as f16
/// or bf16, 3 where they are stored otherwise than as wide as the type, else 2, and says no
/// more than is needed; a file has the highest version of its segments.
/// Version 1 differs in one thing: below the last trimmed level, a level whose expression
/// is one value whatever the sizes (f%1) has an idx of one element there. It is read.
///
/// Checksums find damage; what a segment says is checked again all the same, so that no
/// file makes a reader reach outside it.

#ifndef CAIRN_IO_IO_NATIVE_H
#define CAIRN_IO_IO_NATIVE_H

#include "tensor/local.h"

#define CAIRN_NATIVE_MAGIC \
    "\x89"                 \
    "CAIRN\r\n"
#define CAIRN_NATIVE_VERSION  6  ///< Of rows that are stored once for each member;
#define CAIRN_NATIVE_PLACES   5  ///< version of rows by their places;
#define CAIRN_NATIVE_WIDE     2  ///< Version whose values are all as wide as the type,
#define CAIRN_NATIVE_NARROW   3  ///< one that has neither f16 nor bf16,
#define CAIRN_NATIVE_HALF     4  ///< and one that may have them, of rows by number.
#define CAIRN_NATIVE_OLDEST   1  ///< Version that is read.
#define CAIRN_NATIVE_PROLOGUE 64 ///< Bytes.
#define CAIRN_NATIVE_ROW      24 ///< Bytes of one row of the table.

/// One row of the table.
typedef struct cairn_native_row {
    int64_t offset, length, crc;
} cairn_native_row;

/// Write a segment's description (everything before its arrays), padded to 64 bytes.
///
/// @param[in]  text    The canonical text of the tensor's format.
/// @param[in]  rows  As the user's rows follow the arrays: CAIRN_NATIVE_PLACES,
///                   CAIRN_NATIVE_VERSION; 0: they do not.
/// @param[out] head  Freed with cairn_free(); @p bytes long.
cairn_status cairn_native_describe(const cairn_local *tensor,
                                   const char        *text,
                                   int64_t            rows,
                                   char             **head,
                                   int64_t           *bytes);

/// Is it f16 or bf16, which version 4 brought?
bool cairn_native_is_half(int64_t kind, int64_t bits);

/// The version of a tensor's segment, @p rows as above.
int64_t cairn_native_version(const cairn_local *tensor, int64_t rows);

/// Bytes that an array takes in a segment: its own @p bytes, padded to 64.
int64_t cairn_native_padded(int64_t bytes);

/// Write and read the prologue and one row of the table.
void         cairn_native_put_prologue(char    *out,
                                       int64_t  version,
                                       int64_t  segments,
                                       int64_t  length,
                                       uint32_t table_crc);
cairn_status cairn_native_get_prologue(cairn_env  *env,
                                       const char *name,
                                       const char *in,
                                       int64_t     file_length,
                                       int64_t    *segments,
                                       uint32_t   *table_crc);

/// CRC-32 (zlib's) of @p length bytes, going on from @p crc (0 at first).
uint32_t cairn_native_crc(uint32_t crc, const void *bytes, int64_t length);

/// CRC-32 of bytes whose CRC-32 is @p crc, and @p length more, whose own is @p next.
uint32_t cairn_native_crc_join(uint32_t crc, uint32_t next, int64_t length);

#endif
