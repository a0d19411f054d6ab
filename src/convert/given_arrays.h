// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A caller's arrays before they are converted, as a program of its own: CHECK looks at them,
/// and assumes that the entries ascend, each once. Where they do, conversions read them
/// where they lie, or they are copied; otherwise SORT and COMBINE make entries of them. A look
/// at lists may wait until a conversion copies them (cairn_given_may_wait()).
/// These passes come first in the program of the tensor that is made.

#ifndef CAIRN_CONVERT_GIVEN_ARRAYS_H
#define CAIRN_CONVERT_GIVEN_ARRAYS_H

#include "convert/build.h"
#include "entries/entries_look.h"
#include "rules/pass_list.h"

/// Arrays, what is to become of them, and what was found.
typedef struct cairn_given_arrays {
    const cairn_given *lists; ///< Coordinates and values; NULL:
    cairn_local       *lent;  ///< a tensor over them, of one part.
    const cairn_coord *least,
        *most; ///< Of lists: [order] the coordinates that there may be.
    /// Report the first index that is out of range. @return CAIRN_BAD_COORD
    cairn_status (*refuse)(const void *user);
    const void *user;
    cairn_entries
        *entries; ///< NULL: what is not in order stays as it is; else gets it,
                  ///< sorted, each entry once,
    cairn_bucketed
        *bucketed; ///< or, if this is not NULL and functions may read them there,
                   ///< in buckets.
    bool copies;   ///< Entries in order are copied, too.
    bool waits;    ///< They are looked at while they are copied, block by block,
                   ///< by a build from a tensor over them, or before it reads
                   ///< them otherwise;
    bool             looked;  ///< and were.
    cairn_given_seen seen;    ///< Of all ranks, if there is a net and `entries`.
    cairn_pass_list  program; ///< The passes that ran,
    cairn_task_log   log;     ///< and when.
} cairn_given_arrays;

/// Run the program of a caller's arrays.
///
/// Collective if there is a net: a failure is everybody's, and where one rank's arrays are
/// not in order all ranks go on otherwise.
///
/// @param[in,out] given  Give back with cairn_given_arrays_fini(), on failure, too.
/// @param         mine   This rank's status so far.
/// @retval CAIRN_BAD_COORD  An index is out of range.
cairn_status cairn_given_arrays_run(cairn_env             *env,
                                    const cairn_query_net *net,
                                    cairn_given_arrays    *given,
                                    cairn_status           mine);

/// May a look wait until the entries are copied to a format? Its compressed rows are filled
/// without a function that has to trust in their order, and the first of them ascend. Then a
/// tensor over the lists, on one rank, can say so (cairn_local.waiting), and `waits`. Local.
bool cairn_given_may_wait(const cairn_given_arrays *given, const cairn_format *format);

/// Look at what waits, if it does.
///
/// @retval CAIRN_BAD_COORD  It is not in order: nothing may be read, and `seen` says so.
cairn_status cairn_given_look_now(const cairn_local *tensor);

/// Note what was seen while they were copied. @retval CAIRN_BAD_COORD Likewise.
cairn_status cairn_given_looked(cairn_env *env, cairn_given_arrays *given, bool once);

/// May functions read unsorted lists in buckets? Where few entries are looked for a compiler
/// is not worth it, and few formats are filled so. Local.
bool cairn_given_may_stay_bucketed(const cairn_env *env, const cairn_given *lists);

/// Put the passes before those that stored a tensor, and their times before its own.
///
/// Local.
cairn_status cairn_given_arrays_tell(const cairn_given_arrays *given,
                                     cairn_pass_list          *program,
                                     cairn_task_log           *log);

void cairn_given_arrays_fini(cairn_given_arrays *given);

#endif
