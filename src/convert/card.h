// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A conversion on a card: the functions of lower/grid_conversion/grid_convert.h, one after
/// the other, on arrays of the source that are brought there, and the target's arrays
/// brought back. The host's arrays are the tensor's as always: a card that is lost costs
/// nothing but the time.
///
/// Memory of the card, for n positions of the source: its values, and the other arrays of
/// the largest of its parts, or coordinates; 24 bytes a position for keys and positions,
/// twice, 4 for each depth of the target's nodes, 1 for counts, and 1 for members of a
/// hybrid; the target's arrays, of banks the largest's. Where entries are numbered along
/// rows there are no nodes, but 4 bytes a row, a lane, a group, and for each query a row, as
/// there are where levels go by numbers of rows; where groups are along lines, 4 or 8 for
/// each of these; where queries number entries, 8 an entry for each, and no node.

#ifndef CAIRN_CONVERT_CARD_H
#define CAIRN_CONVERT_CARD_H

#include "convert/build.h"
#include "devices/device.h"
#include "phases/keys.h"

struct cairn_compiled;

/// A card that the conversions of one build may use; the caller of the build owns it.
typedef struct cairn_conversion_card {
    cairn_device *device; ///< With `grids`.
    bool failed; ///< It could not do what it was to do: it is not used again, and
    char why[CAIRN_MESSAGE]; ///< this is why.
} cairn_conversion_card;

/// One conversion, from its first pass to its end.
typedef struct cairn_card_work cairn_card_work;

/// Is a card to be used whatever it takes, by CAIRN_CONVERT? Not once it has failed.
bool cairn_card_is_asked_for(const cairn_build *build);

/// May a member be built there? @p why, constant, says why not.
bool cairn_card_can(const struct cairn_compiled *c, const char **why);

/// Bytes of its source's arrays that are on the card already, and are not sent.
int64_t cairn_card_has_source(const struct cairn_compiled *c);

/// How keys lie: the indices of all levels; of entries that are numbered along rows the row
/// and the column. @return false: they do not fit into 63 bits.
bool cairn_card_plan_keys(const struct cairn_compiled *c, cairn_key_fields *fields);

/// Passes. Failures of the card's are CAIRN_NO_DEVICE, and noted with it.

/// Bring the source there, make keys and sort them, if they do not come in order.
cairn_status cairn_card_sort(struct cairn_compiled *c);
/// Number nodes.
cairn_status cairn_card_count(struct cairn_compiled *c);
/// Pad slots of rows, or write the indices of slots of lines, with those of padding, once
/// they have been filled, and bring their arrays back.
cairn_status cairn_card_pad(struct cairn_compiled *c);
/// Fill the arrays of a part, and bring them back, but those that are padded first.
cairn_status cairn_card_fill(struct cairn_compiled *c, const cairn_part *part);

/// Let the arrays of a member that was filled there stay, for what reads @p tensor next.
void cairn_card_keep(struct cairn_compiled *c, cairn_local *tensor);

/// Give everything back; NULL is accepted.
void cairn_card_close(cairn_env *env, cairn_card_work **work);

#endif
