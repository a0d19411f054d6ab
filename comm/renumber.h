// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Renumbering: where ranks are to have rows that are not consecutive, every row gets a
/// place, and a rank owns consecutive places. What is stored is the matrix in the order of
/// places; its user sees rows in his own order, in which each rank has as many of them as
/// places.
///
/// The places of a rank's rows ascend with the rows. So what goes from one order to the other
/// is one message for each pair of ranks, in which rows ascend, and nothing says where they
/// belong.

#ifndef CAIRN_COMM_RENUMBER_H
#define CAIRN_COMM_RENUMBER_H

#include "comm/column_parts.h"

typedef struct cairn_renumbering {
    cairn_rows rows; ///< Of either order: rank r has first[r] .. first[r+1]-1.
    cairn_column_parts
        *parts; ///< NULL, or rows stand once for each part of the columns: then
                ///< `rows` are of places alone, and of the following is nothing.
    bool all;   ///< All dimensions that are as long as the first; else that alone.
    cairn_coord *place; ///< [own] Of this rank's rows in the user's order.
    int64_t *order; ///< [own] The same rows, counted from its first, by their places.
    int64_t *send;  ///< [ranks] Of them, so many have a place on each rank,
    int64_t *recv;  ///< [ranks] and so many rows of each rank have one on this.
} cairn_renumbering;

/// Are all dimensions of a tensor numbered as its rows are? Those of a square matrix.
bool cairn_renumbers_all(const cairn_shape *shape);

/// Who has which of the user's rows.
static inline const cairn_rows *cairn_renumbering_users(const cairn_renumbering *p)
{
    return p->parts ? &p->parts->user : &p->rows;
}

/// The shape of what is stored of a tensor of the user's shape.
static inline cairn_shape cairn_renumbering_stored(const cairn_renumbering *p,
                                                   const cairn_shape       *shape)
{
    cairn_shape stored = *shape;

    if (p->parts) stored.extent[0] *= p->parts->q;
    return stored;
}

/// Number rows by the ranks that are to have them, those of one rank as they come.
///
/// Collective.
///
/// @param[in]  rows   Any consecutive rows of each rank, and
/// @param[in]  owner  [own rows] which rank, 0 .. ranks-1, is to have them.
/// @param[in]  all    What becomes of other dimensions (cairn_renumbering.all).
/// @param[out] renumbering  Destroy with cairn_renumbering_destroy(). Unchanged on failure.
///
/// Cost: 16 bytes for a row of this rank, and for the time 24 more; messages of 16 bytes for a
/// row.
cairn_status cairn_renumbering_create(cairn_comm         *comm,
                                      const cairn_rows   *rows,
                                      const int64_t      *owner,
                                      bool                all,
                                      cairn_renumbering **renumbering);

/// Number rows that stand once for each of @p q parts of the columns, as
/// cairn_column_parts_create() has it.
///
/// Collective.
///
/// @param[out] renumbering  Its `rows` are those that are stored. Destroy with
///                          cairn_renumbering_destroy(). Unchanged on failure.
cairn_status cairn_renumbering_create_parts(cairn_comm         *comm,
                                            int                 p,
                                            int                 q,
                                            const cairn_shape  *shape,
                                            const cairn_coord  *row,
                                            cairn_renumbering **renumbering);

/// Number rows that stand once for each member of a hybrid, as cairn_member_parts_create()
/// has it.
///
/// Collective.
///
/// @param[out] renumbering  As cairn_renumbering_create_parts() has it.
cairn_status cairn_renumbering_create_members(cairn_comm         *comm,
                                              int                 members,
                                              const cairn_shape  *shape,
                                              const cairn_rows   *rows,
                                              const cairn_rows   *user,
                                              cairn_renumbering **renumbering);

void cairn_renumbering_destroy(cairn_env *env, cairn_renumbering **renumbering);

/// Give entries, anywhere and in the user's order, the coordinates of their places, move them
/// to the owners of these, and sort them.
///
/// Collective. On failure they are to be freed.
cairn_status cairn_renumbering_apply(cairn_comm              *comm,
                                     const cairn_renumbering *renumbering,
                                     cairn_entries           *entries);

/// Give entries, anywhere and in the user's order, the coordinates of their places, or the
/// other way round. They stay on their ranks, in the order in which they are.
///
/// Collective. On failure they are to be freed.
///
/// Cost: for each dimension that is numbered a sort, and a question and an answer of 8 bytes
/// for each of its coordinates that a rank has; to undo, 24 bytes for a row of this rank.
cairn_status cairn_renumbering_number(cairn_comm              *comm,
                                      const cairn_renumbering *renumbering,
                                      cairn_entries           *entries);
cairn_status cairn_renumbering_undo(cairn_comm              *comm,
                                    const cairn_renumbering *renumbering,
                                    cairn_entries           *entries);

/// Give entries, anywhere, other coordinates, on the ranks where they are.
///
/// Collective. On failure they are to be freed.
///
/// @param[in] rows   Who knows of which coordinates, and
/// @param[in] own    [own rows] what becomes of them.
/// @param[in] modes  Dimensions, from the first on, that are numbered so.
cairn_status cairn_entries_renumber(cairn_comm        *comm,
                                    const cairn_rows  *rows,
                                    const cairn_coord *own,
                                    int                modes,
                                    cairn_entries     *entries);

/// The user's rows that are at this rank's places.
///
/// Collective.
///
/// @param[out] row  [own rows] Ascending. Freed with cairn_free(). Unchanged on failure.
cairn_status cairn_renumbering_rows(cairn_comm              *comm,
                                    const cairn_renumbering *renumbering,
                                    cairn_coord            **row);

/// Bring the rows of a dense matrix from the user's order to that of places, or back.
///
/// Collective. Allocates nothing.
///
/// @param[in]  bytes   Of a row.
/// @param[in]  from    [own rows][bytes]
/// @param[out] to      The same; another array.
/// @param[in]  buffer  As much again.
/// @param[in]  counts  [2][ranks] Work space.
cairn_status cairn_renumbering_to_places(cairn_comm              *comm,
                                         const cairn_renumbering *renumbering,
                                         size_t                   bytes,
                                         const void              *from,
                                         void                    *to,
                                         void                    *buffer,
                                         int64_t                 *counts);
cairn_status cairn_renumbering_from_places(cairn_comm              *comm,
                                           const cairn_renumbering *renumbering,
                                           size_t                   bytes,
                                           const void              *from,
                                           void                    *to,
                                           void                    *buffer,
                                           int64_t                 *counts);

/// Values of rows that any ranks have.
///
/// Collective.
///
/// @param[in]  rows   Who has which.
/// @param[in]  bytes  Of a value.
/// @param[in]  own    [own rows] This rank's.
/// @param[in]  n      Rows that this rank asks for,
/// @param[in]  row    [n] ascending.
/// @param[out] value  [n] of them.
cairn_status cairn_rows_fetch(cairn_comm        *comm,
                              const cairn_rows  *rows,
                              size_t             bytes,
                              const void        *own,
                              int64_t            n,
                              const cairn_coord *row,
                              void              *value);

/// Which rank names each row.
///
/// Collective.
///
/// @param[in]  rows   Who has which.
/// @param[in]  row    [own rows] Rows that this rank names, any of all.
/// @param[out] owner  [own rows] Who named this rank's; -1: none did, so that some other row
///                    was named twice.
cairn_status cairn_rows_named(cairn_comm        *comm,
                              const cairn_rows  *rows,
                              const cairn_coord *row,
                              int64_t           *owner);

#endif
