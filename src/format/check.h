// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What is checked on an encoding's text alone, beyond grammar and arity: that the index
/// map can be inverted, and that each query's groups are functions of the groups of the
/// query it looks at. (What depends on sizes is checked with the layout.)

#ifndef CAIRN_FORMAT_CHECK_H
#define CAIRN_FORMAT_CHECK_H

#include "format/encoding.h"

/// Check an encoding.
///
/// Local.
///
/// @param[in] origin  Name of the source in messages.
/// @retval CAIRN_BAD_FORMAT  The direct levels do not give back every dimension (the
///                           dimension and the offending expression are named), or a
///                           query's groups are not functions of its argument's.
///
/// Source: UniSparse, OOPSLA 2024, section 4.1: pairs f/c, f%c recombine, and what
/// remains must have full column rank over the rationals.
cairn_status cairn_encoding_check(cairn_env            *env,
                                  const cairn_encoding *encoding,
                                  const char           *origin);

#endif
