// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a native file's arrays say beside what its segment says of them.

#ifndef CAIRN_IO_IO_NATIVE_CHECK_H
#define CAIRN_IO_IO_NATIVE_CHECK_H

#include "tensor/local.h"

#include <stdbool.h>

/// May a part that says that it holds @c nnz entries hold @p entries? (Where it pads, stored
/// zeros are seen as padding: then at most so many, and as many values.)
static inline bool cairn_native_holds(const cairn_part *part, cairn_pos entries)
{
    return entries == part->nnz
           || (entries < part->nnz && part->layout->pads
               && part->nnz <= part->view.values);
}

/// Walk all positions of one member, whose arrays have been copied: each part must hold
/// the entries that it says. (Where it pads, stored zeros are seen as padding: then at
/// most so many, and as many values.) The member's group is `unsorted` from now on unless it
/// is seen to hold each entry once, in the order of its levels up to the first whose index
/// is no function of the coordinates; and nothing else.
///
/// Local. Up to 8 bytes a value, and 512 KB, for each dimension, while it walks.
///
/// @param[out] holds  Every part holds what it says.
/// @return CAIRN_OK also when one does not; a failed allocation.
cairn_status
cairn_native_check(cairn_env *env, cairn_local *tensor, int member, bool *holds);

#endif
