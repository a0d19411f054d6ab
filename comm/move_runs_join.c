// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What is there when runs of rows have come: a list of the new rows.

#include "base/offsets.h"
#include "comm/move_runs_steps.h"

#include <assert.h>
#include <string.h>

enum {
    PIECE       = 16384, ///< Entries that are worth a thread's beginning.
    MOST_PIECES = 64
};

void cairn_runs_get_values(const cairn_kernel_part *view,
                           int64_t                  begin,
                           int64_t                  n,
                           double                  *value)
{
    if (view->val_kind == CAIRN_VALUE_FLOAT && view->val_bits == 64)
        memcpy(value, (const double *)view->val + begin, (size_t)n * sizeof *value);
    else
        for (int64_t k = 0; k < n; k++)
            value[k] = cairn_value_get(view, begin + k);
}

void cairn_runs_copy_words(cairn_word  had,
                           const char *from,
                           int64_t     n,
                           cairn_word  has,
                           char       *to)
{
    cairn_coord strip[CAIRN_RUNS_STRIP];

    if (had == has) {
        memcpy(to, from, (size_t)(n * cairn_word_bytes(had)));
        return;
    }
    for (int64_t k = 0, here; k < n; k += here) {
        here = n - k < CAIRN_RUNS_STRIP ? n - k : CAIRN_RUNS_STRIP;
        cairn_words_get_coords(had, from + k * cairn_word_bytes(had), here, strip);
        to = cairn_words_put_coords(has, strip, here, to);
    }
}

/// Rows of this rank that stay, as the new rows count them from 0.
static int64_t new_row(const cairn_runs *m, int64_t row)
{
    return cairn_runs_number(m, row) - m->to->row[m->comm->rank / m->to->q];
}

/// Rows of a message, so many at once: of entries, or of runs.
typedef struct {
    const char *at;   ///< The message,
    int64_t     n;    ///< how many rows it has, of entries or of runs,
    int64_t     next; ///< and the first of these that was not read;
    int64_t     from; ///< the entry that the strip begins with,
    int         rows; ///< and what it has: rows, and behind which entry each ends.
    int64_t     end[CAIRN_RUNS_STRIP];
    cairn_coord row[CAIRN_RUNS_STRIP];
} strip;

static void open_message(const cairn_runs *m, const char *at, int r, strip *s)
{
    const cairn_runs_count came = m->come_from[r];

    s->at   = at;
    s->n    = m->words[CAIRN_RUNS_LENGTHS] < 0 ? came.entries : came.runs;
    s->next = s->from = 0;
    s->rows           = 0;
}

/// Rows that stand with every entry, and where those of each end.
static void join_rows(strip *s, int n)
{
    s->rows = 0;
    for (int e = 0; e < n - 1; e++) { /* no branch: rows end anywhere */
        s->row[s->rows] = s->row[e];
        s->end[s->rows] = s->from + e + 1;
        s->rows += s->row[e] != s->row[e + 1];
    }
    s->row[s->rows]   = s->row[n - 1];
    s->end[s->rows++] = s->from + n;
}

/// Read the next ones. @return False: there are none.
static bool read_rows(const cairn_runs *m, strip *s)
{
    const cairn_word word  = (cairn_word)m->words[CAIRN_RUNS_ROWS];
    const int64_t    bytes = cairn_word_bytes(word), left = s->n - s->next;
    const int        n      = (int)(left < CAIRN_RUNS_STRIP ? left : CAIRN_RUNS_STRIP);
    const int64_t    length = m->words[CAIRN_RUNS_LENGTHS];

    if (n == 0) return false;
    if (s->rows > 0) s->from = s->end[s->rows - 1];
    cairn_words_get_coords(word, s->at + s->next * bytes, n, s->row);
    if (length < 0) {
        join_rows(s, n);
    } else {
        cairn_words_get_coords(
            (cairn_word)length,
            s->at + s->n * bytes + s->next * cairn_word_bytes(length), n, s->end);
        for (int e = 0; e < n; e++)
            s->end[e] += e == 0 ? s->from : s->end[e - 1];
        s->rows = n;
    }
    s->next += n;
    return true;
}

static void count_new(const cairn_runs *m, cairn_coord first, int64_t *count)
{
    const int       me = m->comm->rank, j = me % m->to->q;
    const cairn_run stay = cairn_runs_rows(m, me / m->to->q);
    const char     *at   = m->arrived;
    strip           s;

    for (int64_t n = stay.begin; n < stay.end; n++) {
        const int64_t   k   = cairn_runs_row(m, n);
        const cairn_run its = cairn_run_of(m, k, j);

        count[new_row(m, k)] = its.end - its.begin;
    }
    for (int r = 0; r < m->comm->size; r++) {
        open_message(m, at, r, &s);
        while (read_rows(m, &s)) {
            int64_t n = s.from;

            for (int e = 0; e < s.rows; n = s.end[e++])
                count[s.row[e] - first] += s.end[e] - n;
        }
        at += cairn_runs_bytes(m, m->come_from[r]);
    }
}

/// Entries that lie together, before and after.
typedef struct {
    int64_t from, to, n;
} stretch;

static void copy_stretch(const cairn_runs *m, const stretch *s, cairn_kernel_part *to)
{
    const cairn_kernel_level *level = &m->view->level[1];
    const int64_t             width = level->idx_bits / 8;
    double                    value[CAIRN_RUNS_STRIP];

    if (s->n == 0) return;
    memcpy((char *)to->level[1].idx + s->to * width,
           (const char *)level->idx + s->from * width, (size_t)(s->n * width));
    if (m->view->val_kind == CAIRN_VALUE_FLOAT && m->view->val_bits == to->val_bits) {
        const int64_t bytes = to->val_bits / 8;

        memcpy((char *)to->val + s->to * bytes,
               (const char *)m->view->val + s->from * bytes, (size_t)(s->n * bytes));
        return;
    }
    for (int64_t k = 0, here; k < s->n; k += here) {
        here = s->n - k < CAIRN_RUNS_STRIP ? s->n - k : CAIRN_RUNS_STRIP;
        cairn_runs_get_values(m->view, s->from + k, here, value);
        cairn_words_put_values(cairn_word_of_bits(to->val_bits), value, here,
                               cairn_value_at(to, s->to + k));
    }
}

/// What stays, for several threads.
typedef struct {
    const cairn_runs  *m;
    int64_t           *next;
    cairn_kernel_part *to;
    int                pieces;
} stays;

/// Copy what stays of some of the rows, as far as it lies together at once.
static void copy_some(void *user, int piece)
{
    const stays *const      all = user;
    const cairn_runs *const m   = all->m;
    const int               me = m->comm->rank, j = me % m->to->q;
    const cairn_run         stay = cairn_runs_rows(m, me / m->to->q);
    const int64_t           rows = stay.end - stay.begin;
    const int64_t           end =
        stay.begin + (int64_t)((__int128)rows * (piece + 1) / all->pieces);
    stretch s = {0, 0, 0};

    for (int64_t n = stay.begin + (int64_t)((__int128)rows * piece / all->pieces);
         n < end; n++) {
        const int64_t   k   = cairn_runs_row(m, n);
        const cairn_run its = cairn_run_of(m, k, j);
        int64_t *const  at  = &all->next[new_row(m, k)];

        if (its.begin != s.from + s.n || *at != s.to + s.n) {
            copy_stretch(m, &s, all->to);
            s = (stretch){its.begin, *at, 0};
        }
        s.n += its.end - its.begin;
        *at += its.end - its.begin;
    }
    copy_stretch(m, &s, all->to);
}

static void copy_stays(const cairn_runs *m, int64_t *next, cairn_kernel_part *to)
{
    cairn_env *const env     = m->comm->env;
    const int        threads = (int)env->options.threads;
    const int64_t    wanted  = to->values / PIECE + 1;
    stays            all     = {m, next, to, 1};

    if (threads > 1) all.pieces = wanted < MOST_PIECES ? (int)wanted : MOST_PIECES;
    cairn_thread_pool_run(&env->thread_pool, threads, copy_some, &all, all.pieces);
}

/// Copy entries of a message of @p n to places that lie together. @p at  Its columns.
static void put_entries(const cairn_runs  *m,
                        const char        *at,
                        int64_t            n,
                        const stretch     *s,
                        cairn_kernel_part *to)
{
    const cairn_word columns = (cairn_word)m->words[CAIRN_RUNS_COLUMNS];
    const cairn_word values  = (cairn_word)m->words[CAIRN_RUNS_VALUES];
    const cairn_word index   = cairn_word_of_bits(to->level[1].idx_bits);
    double           wide[CAIRN_RUNS_STRIP];

    if (s->n == 0) return;
    cairn_runs_copy_words(columns, at + s->from * cairn_word_bytes(columns), s->n,
                          index,
                          (char *)to->level[1].idx + s->to * cairn_word_bytes(index));
    at += n * cairn_word_bytes(columns) + s->from * cairn_word_bytes(values);
    if (to->val_bits == 64) {
        cairn_words_get_values(values, at, s->n, (double *)to->val + s->to);
        return;
    }
    for (int64_t k = 0, here; k < s->n; k += here) {
        here = s->n - k < CAIRN_RUNS_STRIP ? s->n - k : CAIRN_RUNS_STRIP;
        cairn_words_get_values(values, at + k * cairn_word_bytes(values), here, wide);
        cairn_words_put_values(cairn_word_of_bits(to->val_bits), wide, here,
                               cairn_value_at(to, s->to + k));
    }
}

static void copy_arrived(const cairn_runs  *m,
                         const char        *at,
                         int                r,
                         cairn_coord        first,
                         int64_t           *next,
                         cairn_kernel_part *to)
{
    const int64_t     entries = m->come_from[r].entries;
    const char *const columns = at + cairn_runs_row_bytes(m, m->come_from[r]);
    stretch           its     = {0, 0, 0};
    strip             s;

    open_message(m, at, r, &s);
    while (read_rows(m, &s)) {
        int64_t n = s.from;

        for (int e = 0; e < s.rows; n = s.end[e++]) {
            int64_t *const row = &next[s.row[e] - first];

            if (*row != its.to + its.n) {
                put_entries(m, columns, entries, &its, to);
                its = (stretch){n, *row, 0};
            }
            its.n += s.end[e] - n;
            *row += s.end[e] - n;
        }
    }
    put_entries(m, columns, entries, &its, to);
}

/// Lower ranks have lower columns of a row, so that rows are complete and in order when all
/// have been copied, rank by rank.
static void
copy_all(const cairn_runs *m, cairn_coord first, int64_t *next, cairn_kernel_part *to)
{
    const char *at = m->arrived;

    for (int r = 0; r < m->comm->size; r++) {
        if (r == m->comm->rank) copy_stays(m, next, to);
        copy_arrived(m, at, r, first, next, to);
        at += cairn_runs_bytes(m, m->come_from[r]);
    }
}

/// Do the columns of each row ascend? What an assertion asks.
static inline bool columns_ascend(const cairn_kernel_part *view)
{
    const cairn_kernel_level *level = &view->level[1];

    for (int64_t k = 0; k + 1 < level->ptr_length; k++)
        for (int64_t p = cairn_runs_ptr(level, k); p + 1 < cairn_runs_ptr(level, k + 1);
             p++)
            if (cairn_runs_index(level, p) >= cairn_runs_index(level, p + 1))
                return false;
    return true;
}

/// Put together what has stayed and what has come.
static cairn_status fill_local(const cairn_runs *m, int64_t held, cairn_local *fresh)
{
    cairn_env *const   env   = m->comm->env;
    const cairn_coord  first = fresh->box[0].lo;
    const int64_t      rows  = fresh->box[0].hi + 1 - first;
    cairn_kernel_part *view  = &fresh->part[0].view;
    int64_t           *next  = NULL;
    cairn_status       status;

    held += (rows + 1) * (int64_t)sizeof *next;
    CAIRN_TRY(cairn_check_memory(env, "rows from other ranks", held));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, rows + 1, &next));
    count_new(m, first, next);
    cairn_offsets(rows + 1, 0, next);
    CAIRN_GO(done, cairn_runs_alloc_list(fresh, next, held));
    copy_all(m, first, next, view);
    cairn_visit(env, view->values);
    if (m->its->mixed) CAIRN_GO(done, cairn_runs_order(env, view, NULL, held, view));
    assert(columns_ascend(view));
    fresh->group[0].checked = true; /* what it was made of is in order */
done:
    cairn_free(env, next);
    return status;
}

cairn_status cairn_runs_join(const cairn_runs   *m,
                             const cairn_local  *own,
                             const cairn_format *list,
                             int64_t             held,
                             cairn_local       **fresh)
{
    const int            rank = m->comm->rank, i = rank / m->to->q;
    const cairn_coord    lo   = cairn_row_grid_first(m->to, rank);
    const cairn_interval rows = {lo, lo + m->to->row[i + 1] - m->to->row[i] - 1};

    CAIRN_TRY(cairn_runs_create_list(own, list, m->to->q * m->to->row[m->to->p], rows,
                                     rank, fresh));
    return fill_local(m, held, *fresh);
}
