// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The source, divided among threads. No way depends on the division: the same arrays
/// come out for any number of threads. Internal to convert.

#ifndef CAIRN_CONVERT_COMPILED_SHARES_H
#define CAIRN_CONVERT_COMPILED_SHARES_H

#include "convert/compiled.h"

/// Divide the source into shares of about as many entries; one where it is small, or
/// cannot be divided. Sets `share`, `shares`, `offset`, `found`.
///
/// @param[in] groups  A group of the target (and a row whose entries are numbered) must
///                    be one thread's, and `offset` is needed: entries before each share.
/// @param[in] most    Shares at most.
cairn_status cairn_compiled_divide(cairn_compiled *c, bool groups, int64_t most);

#endif
