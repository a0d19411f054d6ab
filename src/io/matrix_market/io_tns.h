// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// FROSTT tensors, `.tns`: one line an entry, its indices (1-based) and its value. There
/// is no header: the number of modes is that of the first entry line, an extent is the
/// largest index of its mode. Lines that begin with '#' are comments. Duplicates are
/// kept (added when sorted); values are as in Matrix Market files, see io.h.
///
/// Source: Smith et al., FROSTT: The Formidable Repository of Open Sparse Tensors and
/// Tools, 2017, http://frostt.io/tensors/file-formats.html. Files that begin with their
/// dimensions (as other programs write them) are refused: their first line has another
/// number of modes.

#ifndef CAIRN_IO_IO_TNS_H
#define CAIRN_IO_IO_TNS_H

#include "io/io.h"

/// What stands before the first entry.
typedef struct cairn_tns_header {
    int     order; ///< Modes: numbers on the first entry line, less one.
    size_t  bytes; ///< Where the first entry line begins.
    int64_t lines; ///< Comments and blank lines before it.
} cairn_tns_header;

/// Find the first entry line and count its modes.
///
/// Local.
///
/// @param[in]  name    The file's name, for messages.
/// @param[in]  last    The buffer holds the whole file; false: more may follow.
/// @param[out] header  Unchanged unless CAIRN_OK and no more is needed.
/// @param[out] more    Set when the first entry line does not end within the buffer (and
///                     !last): call again with a longer one; the status is CAIRN_OK then.
/// @retval CAIRN_BAD_FILE     There is no entry, or its line has one number.
/// @retval CAIRN_UNSUPPORTED  More than CAIRN_MAX_ORDER modes.
cairn_status cairn_tns_read_header(cairn_env        *env,
                                   const char       *name,
                                   const char       *begin,
                                   const char       *end,
                                   bool              last,
                                   cairn_tns_header *header,
                                   bool             *more);

/// Parse whole lines and append their entries.
///
/// Local.
///
/// @param[in,out] range    Where the lines stand; `first` is not used.
/// @param[in,out] extent   [order] raised to the largest index that was read.
/// @param[in,out] entries  Of that order.
/// @retval CAIRN_BAD_FILE  A line that is no entry, or has another number of modes.
cairn_status cairn_tns_read_entries(cairn_env              *env,
                                    const char             *name,
                                    const cairn_tns_header *header,
                                    const char             *begin,
                                    const char             *end,
                                    cairn_text_range       *range,
                                    cairn_coord            *extent,
                                    cairn_entries          *entries);

#endif
