// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows on their way into messages and out of them. Internal to the halo.

#ifndef CAIRN_COMM_HALO_ROWS_H
#define CAIRN_COMM_HALO_ROWS_H

#include "comm/comm.h"

#include <string.h>

/// Copy a row. Those of one value are by far the most frequent ones.
static inline void cairn_halo_copy_row(char *to, const char *from, size_t bytes)
{
    if (bytes == sizeof(double))
        memcpy(to, from, sizeof(double));
    else
        memcpy(to, from, bytes);
}

/// The rows of one message.
typedef struct cairn_halo_message {
    const int64_t *row; ///< [n] Their numbers.
    int64_t        n;
    char          *value; ///< [n][bytes] Where they are written to.
    size_t         bytes; ///< Of a row.
} cairn_halo_message;

/// Where the rows of the k-th message of the next run are written to: where its receiver
/// reads them, or to @p value, where they are sent from.
static inline char *
cairn_halo_room(cairn_comm *comm, void *exchange, int k, char *value)
{
    char *const room = comm->ops->exchange_room(comm, exchange, k);

    return room ? room : value;
}

/// Write the rows.
///
/// @param[in] from  Where row @p first is, and behind it the following ones.
static inline void
cairn_halo_write(const cairn_halo_message *m, const char *from, int64_t first)
{
    char *to = m->value;

    for (int64_t i = 0; i < m->n; i++, to += m->bytes)
        cairn_halo_copy_row(to, from + (size_t)(m->row[i] - first) * m->bytes,
                            m->bytes);
}

#endif
