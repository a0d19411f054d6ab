// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Values as narrow as they are. A tensor is built with its values as wide as its type,
/// f32 or f64; then those of a member whose format says `val(TYPE)` are stored again, as
/// all equal, as small integers, as f32 or as numbers of a dictionary. Indices stay where
/// they are. Widened, such values are the same, bit for bit (-0 and the payload of a NaN
/// among them); only `val(f32)` of an f64 tensor may round.
///
/// What is stored how is decided for a member on a rank: all its parts have one layout.
/// Values that are fields of tuples stay as wide as the type, unless another width was
/// asked for by name, which fails then.

#ifndef CAIRN_TENSOR_VALUE_STORAGE_H
#define CAIRN_TENSOR_VALUE_STORAGE_H

#include "tensor/local.h"
#include "tensor/value_types.h"

/// Its name in the language: "f64", "i8", "iso", ...
const char *cairn_value_storage_name(cairn_value_kind kind, int bits);

/// The type that a text names which has values stored so.
cairn_val_type cairn_val_type_of(cairn_value_kind kind, int bits);

/// What a text asks for by name. @return false: for nothing, or for the narrowest.
///
/// @param[out] storage  Unchanged then.
bool cairn_val_type_is_named(cairn_val_type       type,
                             int                  carrier_bits,
                             cairn_value_storage *storage);

/// A layout's values as its text asks for by name; as they are where it names no type, or
/// where they are fields of tuples.
///
/// Local.
///
/// @param[in]  layout  As wide as the type; created, and destroyed where another takes its
///                     place.
cairn_status cairn_layout_store_named(cairn_env *env, cairn_layout **layout);

/// May a member whose text says @p type have its values stored so, its tensor's being of
/// @p carrier_bits? As wide as the type always: values may have come that are not of the
/// type asked for. Where no type is asked for, in any that changes none.
bool cairn_value_storage_fits(cairn_val_type type,
                              int            carrier_bits,
                              int64_t        kind,
                              int64_t        bits);

/// Are the words of a part's dictionary, if it has one, values of the tensor's type?
bool cairn_dictionary_fits(const cairn_kernel_part *view, int carrier_bits);

/// Is any member's layout other than FLOAT of the type's width?
bool cairn_local_is_narrow(const cairn_local *tensor);

/// Store each member's values as its format says.
///
/// Local.
///
/// @param[out] tensor  Members that say nothing stay as they are. On failure members may
///                     have been stored already; the tensor is sound.
/// @retval CAIRN_OVERFLOW   A value is not of the type asked for by name: the message has
///                          member, value and type.
/// @retval CAIRN_NO_MEMORY  Old and new values of one member are held at the same time.
cairn_status cairn_local_store_values(cairn_local *tensor);

/// Store the values of members whose format says nothing in the narrowest type that holds
/// them, but for those with a dictionary, which products do not gain by.
///
/// Local. Values move into a smaller block where there is memory for it and one to free,
/// else they stay in the block that they are in; so nothing is refused that was stored.
///
/// @param[in,out] tensor  `narrows` is set.
/// @retval CAIRN_NO_MEMORY  For a layout.
cairn_status cairn_local_narrow(cairn_local *tensor);

/// Store the values of a member, which are narrow and whose format says nothing of them, in
/// the narrowest type again: what a conversion has moved may have more zeros than before, or
/// fewer.
///
/// Local.
cairn_status cairn_group_narrow_again(cairn_local *tensor, int member);

/// Store the values of a member by another layout of its arrays.
///
/// Local.
///
/// @param[in] dictionary  Of codes; else NULL.
/// @param[in] layout      Taken over on success.
/// @retval CAIRN_NO_MEMORY  Old and new values are held at the same time.
cairn_status cairn_group_store(cairn_local                  *tensor,
                               cairn_group                  *group,
                               const cairn_value_dictionary *dictionary,
                               cairn_layout                 *layout);

/// In what all entries of a tensor would be stored so in a format without padding.
cairn_value_storage cairn_local_narrowest(const cairn_local *tensor);

/// The same tensor with its values as wide as its type, its other arrays held, too.
///
/// Local.
///
/// @param[in]  tensor  Outlives @p wide.
/// @param[out] wide    Destroy with cairn_local_destroy(). Unchanged on failure.
cairn_status cairn_local_widened(const cairn_local *tensor, cairn_local **wide);

/// The same tensor once more: all arrays are borrowed, and held.
///
/// Local.
///
/// @param[out] other  Destroy with cairn_local_destroy(). Unchanged on failure.
cairn_status cairn_local_beside(const cairn_local *tensor, cairn_local **other);

/// Is there memory for a member's values as wide as the type, and vectors beside them?
bool cairn_member_may_widen(const cairn_local *tensor, int member);

/// The same, but only one member's values are widened: the others' are borrowed, too.
cairn_status
cairn_member_widened(const cairn_local *tensor, int member, cairn_local **wide);

/// Give one member values as wide as the tensor's type, in place of its own.
///
/// Local. Pointers to its values and its layout are no more.
cairn_status cairn_group_widen(cairn_local *tensor, int member);

#endif
