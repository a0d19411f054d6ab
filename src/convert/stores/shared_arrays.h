// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arrays that are taken over from the source, not copied, or copied whole: where entries
/// come in the order of the target, all of them are kept, and both have a node for each,
/// indices of the same form are the same, byte for byte, and so are values. Two tensors have
/// arrays that are taken over, and neither writes to them (tensor/local.h). Internal to
/// convert.

#ifndef CAIRN_CONVERT_SHARED_ARRAYS_H
#define CAIRN_CONVERT_SHARED_ARRAYS_H

#include "convert/compiled.h"

/// Find what can be taken of a source that comes in the order of the target: indices and
/// values. Of one that may be mirrored see cairn_shared_arrays_mirror().
void cairn_shared_arrays_find(cairn_compiled *c);

/// The level of the source whose idx has the index of each entry that level @p l of the
/// target would have, in any width; NULL: none has.
const cairn_kernel_level *cairn_shared_arrays_like(const cairn_compiled *c, int l);

/// After cairn_shared_arrays_find(): are all indices and values of the target those of the
/// source, one behind the other, so that what it cannot take is copied whole? Of no
/// entries there are none.
bool cairn_shared_arrays_are_all(const cairn_compiled *c);

/// Bit l: the idx of level l is taken.
uint32_t cairn_shared_arrays_levels(const cairn_compiled *c);

/// Would the idx of the last level, and the ptr above it, be those of the source, if the
/// pattern is symmetric? Of what may be mirrored.
bool cairn_shared_arrays_fits_mirror(const cairn_compiled *c);

/// Let @p part have them, in place of arrays of its own, which were not written.
void cairn_shared_arrays_mirror(const cairn_compiled *c, cairn_part *part);

#endif
