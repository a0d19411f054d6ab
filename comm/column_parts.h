// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Blocks of rows and columns on p * q ranks: rank i*q + j has the entries of row part i in
/// column part j. A row stands q times, once for each column part, so what ranks store is a
/// taller matrix, whose rows are consecutive on ranks: behind each other the rows of part 0
/// for column part 0, for column part 1, ... then those of part 1. Y of the user's matrix is
/// the sum of the rows that stand for one.
///
/// Members of a hybrid on other ranks than the whole are parts, too: a row stands once for
/// each member, and a rank has, behind each other, its rows of the first member, of the
/// second, ...

#ifndef CAIRN_COMM_COLUMN_PARTS_H
#define CAIRN_COMM_COLUMN_PARTS_H

#include "comm/distribute.h"
#include "format/encoding.h"

typedef struct cairn_column_parts {
    int          p, q;  ///< Row parts and column parts.
    cairn_shape  shape; ///< The user's; q times as many rows are stored.
    cairn_coord *row;   ///< [p+1] Where row parts begin,
    cairn_coord *col;   ///< [q+1] and column parts; behind `row` in one array.
    cairn_rows user; ///< Ranks' rows of Y: equally many; of one column part, its rows.
    cairn_coord
        *first; ///< NULL; else q counts members, and `p`, `row` and `col` are unset:
                ///< [q][ranks+1] where ranks' rows of each member begin,
    cairn_coord *place; ///< [q+1] and at which places this rank's; behind `first`.
    int          rank;  ///< This one.
} cairn_column_parts;

/// Read p and q of `blocks<p,q>`. Local.
///
/// @retval CAIRN_BAD_QUERY  One of them is no number above 0.
/// @retval CAIRN_ATTENTION  There are other than p * q ranks.
cairn_status cairn_column_parts_count(cairn_env                *env,
                                      const cairn_distribution *distribution,
                                      int                       ranks,
                                      int                      *p,
                                      int                      *q);

/// Number the rows that are stored of a matrix, columns cut in equal parts.
///
/// Collective.
///
/// @param[in]  p,q    Their product is the number of ranks.
/// @param[in]  shape  The user's, a matrix.
/// @param[in]  row    [ranks+1] Of which number q*i is where row part i begins.
/// @param[out] parts   Destroy with cairn_column_parts_destroy(). Unchanged on failure.
/// @param[out] stored  Ranks' stored rows, released with cairn_rows_fini(); likewise.
/// @retval CAIRN_UNSUPPORTED  More rows would be stored than are counted.
cairn_status cairn_column_parts_create(cairn_comm          *comm,
                                       int                  p,
                                       int                  q,
                                       const cairn_shape   *shape,
                                       const cairn_coord   *row,
                                       cairn_column_parts **parts,
                                       cairn_rows          *stored);

/// Number the rows that are stored of a matrix, once for each member of a hybrid.
///
/// Collective.
///
/// @param[in]  shape  The user's, a matrix.
/// @param[in]  rows   [members] Who has which rows of each,
/// @param[in]  user   and which of Y.
/// @param[out] parts, stored  As cairn_column_parts_create() has them.
/// @retval CAIRN_UNSUPPORTED  More rows would be stored than are counted.
cairn_status cairn_member_parts_create(cairn_comm          *comm,
                                       int                  members,
                                       const cairn_shape   *shape,
                                       const cairn_rows    *rows,
                                       const cairn_rows    *user,
                                       cairn_column_parts **parts,
                                       cairn_rows          *stored);

/// Give entries the stored rows of their members. Local.
///
/// @param[in] stored  Ranks' stored rows.
/// @param[in] member  [entries->n]
void cairn_member_parts_number(const cairn_column_parts *parts,
                               const cairn_rows         *stored,
                               const uint8_t            *member,
                               cairn_entries            *entries);

void cairn_column_parts_destroy(cairn_env *env, cairn_column_parts **parts);

/// Values that the buffer of sums holds, for each column of Y. Local.
int64_t cairn_column_parts_room(const cairn_column_parts *parts);

/// Give entries the stored rows for the user's, or the other way round. Local, and nothing is
/// asked of other ranks.
void cairn_column_parts_number(const cairn_column_parts *parts, cairn_entries *entries);
void cairn_column_parts_undo(const cairn_column_parts *parts, cairn_entries *entries);

/// The user's row of stored row @p place; of members one of this rank's.
cairn_coord cairn_column_parts_row(const cairn_column_parts *parts, cairn_coord place);

/// Sums of stored rows, which are values of a dense matrix. They are f64, and what they add up
/// to is rounded once, to Y.
typedef struct cairn_part_sums {
    cairn_pos columns;
    int       value_bits; ///< 32 or 64: of Y.
    double    beta;       ///< Times what was in Y; at 0 that is not read.
    double   *buffer;     ///< [cairn_column_parts_room()][columns]
    int64_t  *counts;     ///< [2][ranks]
} cairn_part_sums;

/// Y = beta*Y + the sums of the stored rows of all column parts, added in their order; those
/// of members as on one rank: to beta*Y, one after the other.
///
/// Collective. Allocates nothing. A rank sends each of its rows once.
///
/// @param[in]     from    [own stored rows][columns]
/// @param[in,out] to      [own rows of Y][columns]
cairn_status cairn_column_parts_sum(cairn_comm               *comm,
                                    const cairn_column_parts *parts,
                                    const cairn_part_sums    *sums,
                                    const double             *from,
                                    void                     *to);

#endif
