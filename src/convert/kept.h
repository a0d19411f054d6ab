// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What conversions into a format have found out that the next one need not find again: the
/// path from another format, layouts, and what two maps prove about the order of entries.
/// All of it follows from formats and extents alone, so that it is right whatever entries,
/// options, threads, learned rates or functions there are: which method is taken is looked
/// at every time. Kept with the format that is the target, and freed with it; a few of each
/// kind, of which the one that was used longest ago makes room. Internal to convert, but for
/// cairn_kept_add().
///
/// A layout that numbers of queries have a part in is kept with what these numbers range
/// over, and is that of another build where they do so, too. Nothing is kept by a call that
/// fails.

#ifndef CAIRN_CONVERT_KEPT_H
#define CAIRN_CONVERT_KEPT_H

#include "convert/build.h"
#include "lower/conversion/convert_order.h"
#include "rules/path.h"

/// As cairn_path_plan(), from what the build starts from to its format.
///
/// @param[out] path  Destroy with cairn_path_destroy(). Unchanged on failure.
cairn_status
cairn_kept_path(cairn_env *env, const cairn_build *build, cairn_path **path);

/// As cairn_layout_create(), of an encoding of the build's format.
///
/// @param[in]  span    NULL: numbers of queries are not known.
/// @param[out] layout  Not to be changed. Destroy with
///                     cairn_layout_destroy(). Unchanged on failure.
cairn_status cairn_kept_layout(cairn_env            *env,
                               const cairn_build    *build,
                               const cairn_encoding *encoding,
                               const cairn_interval *span,
                               cairn_layout        **layout);

/* As the functions of lower/conversion/convert_order.h. */

cairn_status cairn_kept_facts(cairn_env           *env,
                              const cairn_format  *format,
                              const cairn_layout  *from,
                              const cairn_layout  *to,
                              cairn_convert_facts *facts);

cairn_status cairn_kept_sorted_within(cairn_env          *env,
                                      const cairn_format *format,
                                      const cairn_layout *from,
                                      const cairn_layout *to,
                                      int                 row,
                                      int                 begin,
                                      int                *sorted);

cairn_status cairn_kept_levels_to_sort(cairn_env          *env,
                                       const cairn_format *format,
                                       const cairn_layout *from,
                                       const cairn_layout *to,
                                       int                *levels);

cairn_status cairn_kept_known_through(cairn_env          *env,
                                      const cairn_format *format,
                                      const cairn_layout *to,
                                      int                 row,
                                      int                *level);

/// Keep what the build of a tensor has found, after all that its call could fail at.
///
/// Local. Cannot fail: what there is no memory for is not kept.
///
/// @param[in] from  What it was converted from; NULL: coordinates.
/// @param[in] path  That was executed.
void cairn_kept_add(const cairn_format *from,
                    const cairn_local  *tensor,
                    const cairn_path   *path);

#endif
