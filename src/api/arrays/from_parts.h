// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Making a tensor around a caller's arrays, in steps: what the caller's structs say
/// (from_parts_read.c), which ranges the numbers of queries have (from_parts_span.c), which
/// parts are `given` (from_parts_given.c). Internal to api.

#ifndef CAIRN_API_FROM_PARTS_H
#define CAIRN_API_FROM_PARTS_H

#include "api/api.h"
#include "tensor/check.h"

#define CAIRN_FROM_PARTS "cairn_tensor_from_parts" ///< Begins all messages.

/// What the caller handed over.
typedef struct cairn_handed {
    cairn_context             *context;
    const cairn_format        *format;
    cairn_shape                shape;
    cairn_interval             box[CAIRN_MAX_ORDER];
    cairn_dtype                dtype;
    const cairn_part_view     *given; ///< The first of the caller's structs.
    int64_t                    parts;
    cairn_part_view           *part;   ///< [parts] and as this version knows them,
    cairn_kernel_part         *arrays; ///< [parts] which their `arrays` point to.
    const cairn_parts_options *options;
} cairn_handed;

/// Refuse arrays for a fault.
cairn_status cairn_handed_refuse(const cairn_handed *handed, const cairn_fault *fault);

/// The first part handed over for @p member, and @p bank of it; bank -1: any. NULL: none.
const cairn_part_view *
cairn_handed_find(const cairn_handed *handed, int member, int64_t bank);

/// The format with the widths that the caller's arrays have.
///
/// Local.
///
/// @param[out] format  Destroyed with cairn_format_destroy(). Unchanged on failure.
cairn_status cairn_handed_format(const cairn_handed *handed, cairn_format **format);

/// What the numbers of a member's queries range over on this rank: as the caller says, or
/// as the ranges of its levels do.
///
/// Local.
///
/// @param[out] span  [queries]
cairn_status cairn_handed_spans(const cairn_handed    *handed,
                                const cairn_encoding  *encoding,
                                const cairn_part_view *view,
                                cairn_interval        *span);

/// Let a member's layout store values as a caller's first part of it says.
///
/// Local.
///
/// @param[in,out] layout  As wide as the type; replaced where that is not how.
cairn_status cairn_handed_storage(const cairn_handed    *handed,
                                  const cairn_part_view *view,
                                  cairn_layout         **layout);

/// Point a part at the caller's arrays, if its struct is what the layout says.
///
/// Local.
///
/// @param[in,out] part   `where` is set; gets layout and view.
/// @param[out]    nodes  [CAIRN_MAX_LEVELS] of its levels.
/// @param[in,out] bytes  Grows by the bytes of its arrays.
/// @return false: @p fault is set.
bool cairn_handed_point(const cairn_part_view *view,
                        const cairn_layout    *layout,
                        cairn_part            *part,
                        cairn_pos             *nodes,
                        int64_t               *bytes,
                        cairn_fault           *fault);

/// Refuse arrays of this rank that do not hold what they must, part by part; count the
/// entries that the caller did not.
///
/// Local.
cairn_status cairn_handed_check(const cairn_handed *handed, cairn_local *local);

/// Mark the parts that are not known to be what storing their entries would make, and
/// refuse entries that are stored twice.
///
/// Collective.
cairn_status cairn_handed_mark(const cairn_handed *handed, cairn_tensor *tensor);

#endif
