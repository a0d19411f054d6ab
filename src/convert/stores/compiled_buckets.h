// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Scattering by way of buckets: where entries that follow each other go to groups far
/// apart, each store misses the cache. So entries, as keys with their values, are scattered to
/// a few hundred buckets of groups first, whose ends stay in cache; then those of a bucket,
/// whose groups lie in cache together, to their groups. Two passes, and 16 bytes an entry
/// between them. Internal to convert.

#ifndef CAIRN_CONVERT_COMPILED_BUCKETS_H
#define CAIRN_CONVERT_COMPILED_BUCKETS_H

#include "convert/compiled.h"

/// If entries may be scattered to buckets, have the last pass call what that takes: where one
/// complete level numbers the groups, keys are one word, and there are entries enough.
void cairn_buckets_call(const cairn_compiled *c, cairn_pass_writer *w);

/// Do entries that follow each other go to groups far apart? Found from some of the source.
///
/// @param[out] scattered  `cursor` was used, and has nothing. False where functions are
///                        missing.
cairn_status cairn_buckets_ask(const cairn_compiled *c, bool *scattered);

/// Fill a part. `cursor` has where the entries of each group begin, those of each thread
/// one behind the other.
cairn_status cairn_buckets_fill(cairn_compiled *c, cairn_part *part);

#endif
