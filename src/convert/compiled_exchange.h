// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What ranks tell each other while compiled functions count: the keys of rows that are
/// ordered together, the counts of groups that cross ranks. Each rank has counted its own
/// entries; after the exchange all passes go on as on one. Internal to convert.
///
/// All calls are collective, and take this rank's status so far: a failure is everybody's.

#ifndef CAIRN_CONVERT_COMPILED_EXCHANGE_H
#define CAIRN_CONVERT_COMPILED_EXCHANGE_H

#include "convert/build.h"
#include "format/algebra.h"

/// Does no value of a form stand on both sides of where a rank's @p rows begin? So it is
/// of quotients of rows that begin with a multiple of the divisor. Local.
bool cairn_exchange_spares(const cairn_algebra *algebra,
                           const cairn_form    *form,
                           cairn_interval       rows);

/// Find the places of this rank's rows among those of all ranks, which are ordered by one
/// of them.
///
/// @param[in]  key    [keys] columns of [n], by which rows are ordered; rows that are equal
///                    in all stay as they are numbered.
/// @param[out] place  [n]
///
/// Memory: 8 bytes a row and key; on one rank, of all rows and twice.
cairn_status cairn_exchange_places(cairn_env            *env,
                                   const cairn_build    *build,
                                   cairn_status          mine,
                                   int64_t               n,
                                   int                   keys,
                                   const int64_t *const *key,
                                   uint32_t             *place);

/// A group and what this rank has counted of it.
typedef struct cairn_group_count {
    int64_t group; ///< Its number, the same on all ranks.
    int64_t count;
    int64_t before; ///< Of it, what the ranks before this one have.
} cairn_group_count;

/// Add up the counts of groups over all ranks. Each group is added by one rank, that of
/// the range of numbers that it is in.
///
/// @param[in]     groups  Numbers that there are: 0 .. groups-1.
/// @param[in,out] count   [n] groups of this rank, each once; then with the counts of all,
///                        which 32 bits hold.
///
/// Memory: 32 bytes a group, and 56 for each that this rank is told of.
cairn_status cairn_exchange_counts(cairn_env         *env,
                                   const cairn_build *build,
                                   cairn_status       mine,
                                   int64_t            groups,
                                   int64_t            n,
                                   cairn_group_count *count);

/// A group on a line, and its number there.
typedef struct cairn_group_place {
    int64_t line, place;    ///< Numbers that are the same on all ranks.
    int64_t number, groups; ///< Groups of the line before it, and of all.
} cairn_group_place;

/// Number the groups of lines that several ranks have; the same group may be of several.
/// Each line's are numbered by one rank, that of the range of lines that it is in.
///
/// @param[in]     lines  Lines that there are: 0 .. lines-1.
/// @param[in,out] at     [n] groups of this rank, by line and place; then with numbers.
/// @retval CAIRN_NO_KERNEL  A rank is told of more groups than 32 bits number.
///
/// Memory: 24 bytes a group, and 60 for each that this rank is told of.
cairn_status cairn_exchange_numbers(cairn_env         *env,
                                    const cairn_build *build,
                                    cairn_status       mine,
                                    int64_t            lines,
                                    int64_t            n,
                                    cairn_group_place *at);

#endif
