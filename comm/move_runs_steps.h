// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A move of rows by runs, in two steps: what goes is sent, and what is there then is put
/// together. Internal to comm.

#ifndef CAIRN_COMM_MOVE_RUNS_STEPS_H
#define CAIRN_COMM_MOVE_RUNS_STEPS_H

#include "comm/message_words.h"
#include "comm/move_runs.h"

enum { CAIRN_RUNS_STRIP = 1024 }; ///< Entries that pass through the stack at once.

/// What words a message has: one for each of these arrays, the same on all ranks.
enum {
    CAIRN_RUNS_ROWS,
    CAIRN_RUNS_COLUMNS,
    CAIRN_RUNS_VALUES,
    CAIRN_RUNS_ANY,
    CAIRN_RUNS_WORDS
};

typedef struct {
    cairn_comm              *comm;
    const cairn_kernel_part *view;  ///< The old rows,
    cairn_coord              first; ///< the user's number of their first, and
    int64_t                  rows;  ///< how many there are.
    const cairn_row_grid    *to;
    int64_t *cut; ///< [rows][q-1] Where the runs of a row begin but its first.
    int64_t *counts, *come_from; ///< [size] each: entries to a rank, and from.
    int64_t *begin; ///< [size+1] Where those of a rank begin of all that go.
    int64_t *send_bytes, *recv_bytes; ///< [size] each.
    char    *idx;     ///< Of what goes, rank by rank, in the width of the old rows,
    double  *value;   ///< its values,
    char    *message; ///< and both, with the rows, as they are sent.
    char    *arrived;
    int64_t  words[CAIRN_RUNS_WORDS]; ///< Of ANY: 1 if anything goes.
} cairn_runs;

static inline int64_t cairn_runs_ptr(const cairn_kernel_level *level, int64_t row)
{
    return cairn_load_int(level->ptr, row, level->ptr_bits / 8, level->ptr_bits, false);
}

/// Positions of a row's entries in a part of the columns.
typedef struct {
    int64_t begin, end;
} cairn_run;

static inline cairn_run cairn_run_of(const cairn_runs *m, int64_t row, int j)
{
    const int            cuts = m->to->q - 1;
    const int64_t *const cut  = m->cut + row * cuts;

    return (cairn_run){j == 0 ? cairn_runs_ptr(&m->view->level[1], row) : cut[j - 1],
                       j == cuts ? cairn_runs_ptr(&m->view->level[1], row + 1)
                                 : cut[j]};
}

/// Old rows that are in a row part.
static inline cairn_run cairn_runs_rows(const cairn_runs *m, int i)
{
    const cairn_coord lo = m->to->row[i] - m->first, hi = m->to->row[i + 1] - m->first;
    const cairn_run   rows = {lo > 0 ? lo : 0, hi < m->rows ? hi : m->rows};

    return rows.begin < rows.end ? rows : (cairn_run){0, 0};
}

static inline int64_t cairn_runs_index(const cairn_kernel_level *level, int64_t at)
{
    return cairn_load_int(level->idx, at, level->idx_stride, level->idx_bits, false);
}

static inline int64_t cairn_runs_entry_bytes(const cairn_runs *m)
{
    return cairn_word_bytes(m->words[CAIRN_RUNS_ROWS])
           + cairn_word_bytes(m->words[CAIRN_RUNS_COLUMNS])
           + cairn_word_bytes(m->words[CAIRN_RUNS_VALUES]);
}

/// Values as they are stored, as f64.
void cairn_runs_get_values(const cairn_kernel_part *view,
                           int64_t                  begin,
                           int64_t                  n,
                           double                  *value);

/// Indices in words of another width.
void cairn_runs_copy_words(cairn_word  had,
                           const char *from,
                           int64_t     n,
                           cairn_word  has,
                           char       *to);

/// Put together what has stayed and what has come, on the new rows.
///
/// Local.
///
/// @param[in]  own    The old rows.
/// @param[out] fresh  Destroy with cairn_local_destroy(), also after a failure.
cairn_status cairn_runs_join(const cairn_runs   *m,
                             const cairn_local  *own,
                             const cairn_format *list,
                             int64_t             held,
                             cairn_local       **fresh);

#endif
