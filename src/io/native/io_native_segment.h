// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A segment of a native file as its readers see it: what it says of itself, and where its
/// arrays are. None of them is read before it is asked for, and of each only the elements
/// that are: a segment may be larger than a rank's memory.

#ifndef CAIRN_IO_IO_NATIVE_SEGMENT_H
#define CAIRN_IO_IO_NATIVE_SEGMENT_H

#include "io/native/io_native.h"

struct cairn_format;

/// Where the bytes of a segment are.
typedef struct cairn_native_bytes {
    const char *name;   ///< The file, for messages.
    const char *memory; ///< [length] The segment; NULL: it is in a file,
    int         fd;     ///< this one,
    int64_t     offset; ///< and begins at this byte.
    int64_t     length;
} cairn_native_bytes;

typedef struct cairn_native_segment {
    cairn_env           *env;
    cairn_native_bytes   bytes;
    cairn_local         *tensor; ///< Its parts have lengths, and no arrays.
    struct cairn_format *format;
    int64_t              version;
    cairn_pos           *nodes;  ///< [parts][CAIRN_MAX_LEVELS]
    int64_t             *begin;  ///< [parts] At which byte a part's arrays begin.
    cairn_pos            values; ///< Of all parts, padding included.
    cairn_layout        *stored[CAIRN_MAX_MEMBERS]; ///< Version 1: as it lays them out.
    int64_t places; ///< At which byte the user's rows begin; 0: rows are by number.
} cairn_native_segment;

/// Read a segment's description.
///
/// Local. Memory goes with the description. Close with cairn_native_segment_close().
///
/// @param[in]  bytes    The name, the memory and the file outlive the segment.
/// @param[out] segment  Closed on failure.
/// @retval CAIRN_BAD_FILE  It contradicts itself, or is not as long as its arrays.
cairn_status cairn_native_segment_open(cairn_env                *env,
                                       const cairn_native_bytes *bytes,
                                       cairn_native_segment     *segment);

void cairn_native_segment_close(cairn_native_segment *segment);

/// Refuse a segment: CAIRN_BAD_FILE, "read: NAME: WHY".
cairn_status cairn_native_broken(const cairn_native_segment *segment, const char *why);

/// Read @p bytes from byte @p at of the segment on.
/// @retval CAIRN_BAD_FILE  It has not as many.
cairn_status cairn_native_fetch(const cairn_native_segment *segment,
                                void                       *out,
                                int64_t                     bytes,
                                int64_t                     at);

/// Read which of the user's rows are at places @p first .. @p first + @p n - 1 of a segment
/// whose rows are by their places; all of them are its box's.
///
/// Local.
///
/// @param[out] row  [n] Rows of the tensor, ascending; of members each one's are.
/// @retval CAIRN_BAD_FILE  They are not.
cairn_status cairn_native_read_rows(const cairn_native_segment *segment,
                                    cairn_coord                 first,
                                    int64_t                     n,
                                    cairn_coord                *row);

/// List the arrays of part @p number, each once, as cairn_part_own_arrays() does.
///
/// @param[out] array  [CAIRN_MAX_ARRAYS] Without data where the part has none.
/// @param[out] at     [CAIRN_MAX_ARRAYS + 1] At which byte each begins; behind the last
///                    where the next part's begin.
/// @return their number.
int cairn_native_part_arrays(const cairn_native_segment *segment,
                             int64_t                     number,
                             cairn_array                *array,
                             int64_t                    *at);

/// Entries of a part of which not all values were read.
typedef struct cairn_native_split {
    int64_t   part;
    cairn_pos found;  ///< Entries among the values that were read.
    cairn_pos nnz;    ///< Entries that the part says it has.
    cairn_pos values; ///< Where it pads, its values; else -1.
} cairn_native_split;

/// What is left to be held against what other readers found: parts that are read by more
/// than one.
typedef struct cairn_native_tally {
    int                splits;
    cairn_native_split split[2];
} cairn_native_tally;

/// Add the entries of values @p first .. @p end - 1 of a segment to others, in the order of
/// its parts and values. Of a segment without values, all that it has (0, 0).
///
/// Local. In memory are the entries, and at a time a window of the arrays.
///
/// @param[in]     room     Bytes of a window.
/// @param[in,out] entries  Initialised.
/// @param[out]    tally    Parts of which it has not seen all values.
/// @retval CAIRN_BAD_FILE   What it has read contradicts itself, or the description.
/// @retval CAIRN_NO_MEMORY  Before any entry is added, where they are too many.
cairn_status cairn_native_read_entries(const cairn_native_segment *segment,
                                       cairn_pos                   first,
                                       cairn_pos                   end,
                                       int64_t                     room,
                                       cairn_entries              *entries,
                                       cairn_native_tally         *tally);

/// Can the arrays of some rows be read alone?
///
/// Local.
bool cairn_native_rows_divide(const cairn_native_segment *segment);

/// Values that a segment whose rows divide has of the rows before @p row, padding included;
/// @p row is one of its box, or the one behind.
///
/// Local. Reads a few elements of the file.
cairn_status cairn_native_values_before(const cairn_native_segment *segment,
                                        cairn_coord                 row,
                                        cairn_pos                  *values);

/// Can the rows of a segment and of the one behind it be read as one tensor's?
///
/// Local. Rows of both divide, and they are of one format.
bool cairn_native_rows_join(const cairn_native_segment *segment,
                            const cairn_native_segment *next);

/// Read some rows of segments whose rows divide, as a tensor of these rows.
///
/// Local. In memory is nothing but the arrays of these rows.
///
/// @param[in]  segment  [count] one behind the other; if several, they join.
/// @param[in]  rows     Of their boxes, some of each; no block of rows of the format is cut.
/// @param[out] tensor   Destroy before the first segment's format. Its parts are said to be
///                      rank 0's. NULL: the arrays are not such that rows can be read alone.
///                      Unchanged on failure.
/// @param[out] split    [count][CAIRN_MAX_MEMBERS] what was found of each segment's parts.
/// @retval CAIRN_BAD_FILE  What was read contradicts itself, or the description.
cairn_status cairn_native_load_rows(const cairn_native_segment *segment,
                                    int64_t                     count,
                                    cairn_interval              rows,
                                    cairn_local               **tensor,
                                    cairn_native_split         *split);

/// Are the arrays of a part sound, and is its dictionary?
///
/// @retval CAIRN_BAD_FILE  They are not.
cairn_status cairn_native_check_sound(const cairn_native_segment *segment,
                                      const cairn_part           *part);

/// Read a whole segment as the tensor that was written.
///
/// Local.
///
/// @param[out] tensor  Destroy before its @p format, both by the caller. Its parts are
///                     said to be rank 0's. The segment has neither from then on, and is
///                     to be closed. Unchanged on failure.
/// @retval CAIRN_BAD_FILE  The arrays contradict themselves, or the description.
cairn_status cairn_native_load(cairn_native_segment *segment,
                               cairn_local         **tensor,
                               struct cairn_format **format);

#endif
