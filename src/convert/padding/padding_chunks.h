// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Padding as the compiled way does it: positions chunk by chunk, levels that follow by the
/// same steps together. Internal to convert.

#ifndef CAIRN_CONVERT_PADDING_CHUNKS_H
#define CAIRN_CONVERT_PADDING_CHUNKS_H

#include "convert/build_steps.h"

typedef struct cairn_padding cairn_padding;

/// As cairn_build_padding(), bank by bank.
///
/// @param[in,out] padding  Made for the first part, where it is NULL, and used for those
///                         that follow; destroy with cairn_padding_destroy().
cairn_status cairn_padding_fill(const cairn_member_build *m,
                                cairn_padding           **padding,
                                cairn_part               *part,
                                int64_t *const           *tuples);

void cairn_padding_destroy(cairn_env *env, cairn_padding **padding);

#endif
