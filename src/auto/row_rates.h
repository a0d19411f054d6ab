// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What rows of a matrix take in a product, before any is stored: a row itself, and each of
/// its entries. The rates that come with the library say it (rates.h), by how a format's
/// loops go, and nothing that was measured has a part in it: the same format has the same
/// rates at any time.

#ifndef CAIRN_AUTO_ROW_RATES_H
#define CAIRN_AUTO_ROW_RATES_H

#include "base/env.h"
#include "format/encoding.h"

/* Bytes of an entry in lists: a value, and the index of its column. */
enum { CAIRN_LISTED_ENTRY = 12 };

/// Seconds of one thread in y = A x. Not both are 0.
typedef struct cairn_row_rates {
    double row;   ///< 0 where a format has no place for a row without entries.
    double entry; ///< 0 where each row has as many places, whatever its entries.
} cairn_row_rates;

/// What rows take in a format: of a hybrid the mean over its members, since what each gets
/// is not known yet. Blocks are thought to be full. A member whose layout is known only when
/// it is stored, and one of another order than 2, is thought to go as lists of rows.
///
/// Local.
/// @retval CAIRN_NO_MEMORY
cairn_status
cairn_row_rates_of(cairn_env *env, const cairn_format *format, cairn_row_rates *rates);

#endif
