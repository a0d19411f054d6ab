// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The steps of layout inference, in the order in which cairn_layout_create() takes
/// them. Each fills in fields of the layout that the next ones read. Internal to format.

#ifndef CAIRN_FORMAT_LAYOUT_STEPS_H
#define CAIRN_FORMAT_LAYOUT_STEPS_H

#include "format/layout.h"

/// Inverse map: `dim`, `check`, `exact`.
/// @retval CAIRN_BAD_FORMAT  A digit's range is not covered by the extents.
cairn_status cairn_layout_invert(cairn_env *env, cairn_layout *layout);

/// Determined levels: `determined`, `by`, `per_node`, `recipe`.
cairn_status cairn_layout_determine(cairn_env *env, cairn_layout *layout);

/// Do any indices of @p levels, a bit each, stand for one position? They do not where a
/// level repeats what others say, or a floor stands without its remainder.
cairn_status cairn_layout_levels_agree(cairn_env    *env,
                                       cairn_layout *layout,
                                       uint32_t      levels,
                                       bool         *agree);

/// What `pads` is, once determined levels and gaps are known.
cairn_status cairn_layout_pads(cairn_env *env, cairn_layout *layout, bool *pads);

/// Packs: `arrays.tuple`, `values.tuple`; lists change `depth` and `has_ptr` of inner levels.
/// Twice: first the lists (they decide which arrays exist), then, with the widths known,
/// the fields' offsets.
cairn_status cairn_layout_pack_lists(cairn_env *env, cairn_layout *layout);
cairn_status cairn_layout_pack_fields(cairn_env *env, cairn_layout *layout);

/// Widths: `ptr_bits`, `idx_bits`, `idx_signed`.
/// @retval CAIRN_OVERFLOW  A width given by `bits` does not hold its range.
cairn_status cairn_layout_widths(cairn_env *env, cairn_layout *layout);

#endif
