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
    CAIRN_RUNS_LENGTHS,
    CAIRN_RUNS_COLUMNS,
    CAIRN_RUNS_VALUES,
    CAIRN_RUNS_ANY,
    CAIRN_RUNS_WORDS
};

/// What goes from one rank to another.
typedef struct {
    int64_t entries, runs;
} cairn_runs_count;

/// Old rows by the parts that they are in.
typedef struct {
    int64_t *begin; ///< [p+1] Where those of a part begin,
    int64_t *order; ///< [rows] in this order; NULL: in their own.
} cairn_dealt_rows;

typedef struct {
    cairn_comm              *comm;
    const cairn_kernel_part *view; ///< The old rows,
    const cairn_moving_rows *its;  ///< and which they are.
    const cairn_row_grid    *to;
    cairn_dealt_rows         dealt;
    int64_t          *cut; ///< [rows][q-1] Where the runs of a row begin but its first.
    cairn_runs_count *counts, *come_from; ///< [size] each: to a rank, and from.
    int64_t *begin; ///< [size+1] Where those of a rank begin of all entries that go.
    int64_t *send_bytes, *recv_bytes; ///< [size] each.
    char    *idx;     ///< Of what goes, rank by rank, in the width of the old rows,
    double  *value;   ///< its values,
    char    *message; ///< and both, with the rows, as they are sent.
    char    *arrived;
    int64_t  words[CAIRN_RUNS_WORDS]; ///< Of ANY: 1 if anything goes. Of LENGTHS: -1: a
        ///< message has the row of each entry; else that of
        ///< each run, and how many entries it has.
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

/// Old rows that are in a row part, by cairn_runs_row().
static inline cairn_run cairn_runs_rows(const cairn_runs *m, int i)
{
    return (cairn_run){m->dealt.begin[i], m->dealt.begin[i + 1]};
}

/// The old row that comes @p k-th.
static inline int64_t cairn_runs_row(const cairn_runs *m, int64_t k)
{
    return m->dealt.order ? m->dealt.order[k] : k;
}

/// Which row of the grid an old row is.
static inline cairn_coord cairn_runs_number(const cairn_runs *m, int64_t row)
{
    return m->its->row ? m->its->row[row] : m->its->first + row;
}

static inline int64_t cairn_runs_index(const cairn_kernel_level *level, int64_t at)
{
    return cairn_load_int(level->idx, at, level->idx_stride, level->idx_bits, false);
}

/// Of the rows in a message.
static inline int64_t cairn_runs_row_bytes(const cairn_runs *m, cairn_runs_count count)
{
    const int64_t row = cairn_word_bytes(m->words[CAIRN_RUNS_ROWS]);

    if (m->words[CAIRN_RUNS_LENGTHS] < 0) return count.entries * row;
    return count.runs * (row + cairn_word_bytes(m->words[CAIRN_RUNS_LENGTHS]));
}

/// Of a message.
static inline int64_t cairn_runs_bytes(const cairn_runs *m, cairn_runs_count count)
{
    return cairn_runs_row_bytes(m, count)
           + count.entries
                 * (cairn_word_bytes(m->words[CAIRN_RUNS_COLUMNS])
                    + cairn_word_bytes(m->words[CAIRN_RUNS_VALUES]));
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

/// A list of rows, without arrays.
///
/// Local.
///
/// @param[in]  extent  Of the new rows of all ranks,
/// @param[in]  rows    and which of them are this rank's.
/// @param[out] fresh   Destroy with cairn_local_destroy(), also after a failure.
cairn_status cairn_runs_create_list(const cairn_local  *own,
                                    const cairn_format *list,
                                    cairn_coord         extent,
                                    cairn_interval      rows,
                                    int                 rank,
                                    cairn_local       **fresh);

/// Arrays for the rows of a list that begin at [rows+1] @p begin; pointers are written. Local.
cairn_status
cairn_runs_alloc_list(cairn_local *fresh, const int64_t *begin, int64_t held);

/// Put the entries of each row in the order of their columns, or of the names of these: what
/// is in @p from comes to @p to, which may be the same arrays. Local.
///
/// @param[in] names  NULL: their columns.
cairn_status cairn_runs_order(cairn_env                *env,
                              const cairn_kernel_part  *from,
                              const cairn_column_names *names,
                              int64_t                   held,
                              cairn_kernel_part        *to);

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
