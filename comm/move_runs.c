// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Runs of rows on their way to the parts of the columns that they are in.

#include "comm/move_runs_steps.h"

#include <assert.h>
#include <string.h>

enum { CHUNK = 64 }; ///< Bytes of a run that are copied at once.

/* ---- which tensors ---- */

static bool lists_columns(const cairn_layout *layout)
{
    const cairn_level *row = &layout->level[0], *column = &layout->level[1];

    return layout->order == 2 && layout->levels == 2 && layout->partition < 0
           && !layout->pads && layout->values.tuple < 0 && layout->first == 1
           && layout->last == 1 && !row->indirect
           && cairn_form_dimension(&row->form, 2) == 0 && !column->indirect
           && !column->gaps && !column->determined.on && column->arrays.tuple < 0
           && column->arrays.has_ptr && column->arrays.has_idx
           && cairn_form_dimension(&column->form, 2) == 1;
}

cairn_status
cairn_runs_fit(const cairn_local *tensor, const cairn_encoding *list, bool *fit)
{
    const cairn_group  *group  = &tensor->group[0];
    const cairn_layout *layout = group->layout;
    cairn_layout       *wanted = NULL;
    bool                fits =
        tensor->groups == 1 && group->count == 1 && cairn_group_is_ordered(group)
        && lists_columns(layout) && layout->level[0].range.lo == tensor->box[0].lo
        && layout->level[0].range.hi == tensor->box[0].hi
        && cairn_parts_fit(&tensor->part[group->first], 1)
        && tensor->part[group->first].view.values == tensor->part[group->first].nnz;

    if (fits) {
        CAIRN_TRY(cairn_layout_create(tensor->env, list, layout->extent, tensor->box,
                                      NULL, tensor->value_bits, &wanted));
        fits =
            lists_columns(wanted)
            && wanted->level[1].arrays.idx_bits == layout->level[1].arrays.idx_bits
            && wanted->level[1].arrays.idx_signed == layout->level[1].arrays.idx_signed;
        cairn_layout_destroy(tensor->env, &wanted);
    }
    *fit = fits;
    return CAIRN_OK;
}

/* ---- where rows go ---- */

/// The part of a row of the grid.
static int part_of(const cairn_row_grid *to, cairn_coord row)
{
    int low = 0, high = to->p - 1;

    while (low < high) {
        const int middle = low + (high - low) / 2;

        if (to->row[middle + 1] <= row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/// Do the numbers of the rows ascend?
static bool rows_ascend(const cairn_runs *m)
{
    for (int64_t k = 1; k < m->its->n && m->its->row; k++)
        if (m->its->row[k] <= m->its->row[k - 1]) return false;
    return true;
}

/// Find the rows of each part: as they come, or counted, each with those of its part.
///
/// @param held  Bytes that there are already.
static cairn_status deal_rows(cairn_runs *m, int64_t held)
{
    cairn_env *const env   = m->comm->env;
    const int64_t    n     = m->its->n;
    int64_t *const   begin = m->dealt.begin;
    int              part  = 0;

    if (rows_ascend(m)) {
        for (int64_t k = 0; k < n; k++)
            for (; cairn_runs_number(m, k) >= m->to->row[part + 1]; part++)
                begin[part + 1] = k;
        for (; part < m->to->p; part++)
            begin[part + 1] = n;
        return CAIRN_OK;
    }
    assert(m->to->q == 1);
    CAIRN_TRY(cairn_check_memory(env, "rows that are dealt to ranks",
                                 held + n * (int64_t)sizeof *m->dealt.order));
    CAIRN_TRY(CAIRN_NEW(env, n, &m->dealt.order));
    for (int64_t k = 0; k < n; k++)
        begin[part_of(m->to, m->its->row[k]) + 1]++;
    for (int i = 0; i < m->to->p; i++)
        begin[i + 1] += begin[i];
    for (int64_t k = 0; k < n; k++)
        m->dealt.order[begin[part_of(m->to, m->its->row[k])]++] = k;
    for (int i = m->to->p; i > 0; i--)
        begin[i] = begin[i - 1];
    begin[0] = 0;
    return CAIRN_OK;
}

/* ---- where runs begin ---- */

/// The first of the indices lo .. hi-1, which ascend, that is not below @p column; hi: none.
/// The first and the last index are compared before the search: most rows are not cut.
#define FIRST_FROM(type)                                                      \
    static int64_t first_from_##type(const type *idx, int64_t lo, int64_t hi, \
                                     cairn_coord column)                      \
    {                                                                         \
        if (lo == hi || (cairn_coord)idx[lo] >= column) return lo;            \
        if ((cairn_coord)idx[hi - 1] < column) return hi;                     \
        for (int64_t n = hi - lo, half; n > 1; n -= half) {                   \
            half = n / 2;                                                     \
            lo += (cairn_coord)idx[lo + half - 1] < column ? half : 0;        \
        }                                                                     \
        return lo + ((cairn_coord)idx[lo] < column);                          \
    }

FIRST_FROM(uint8_t)
FIRST_FROM(uint16_t)
FIRST_FROM(uint32_t)
FIRST_FROM(int64_t)

static int64_t
first_from(const cairn_kernel_level *level, int64_t lo, int64_t hi, cairn_coord column)
{
    switch (level->idx_bits) {
    case 8: return first_from_uint8_t(level->idx, lo, hi, column);
    case 16: return first_from_uint16_t(level->idx, lo, hi, column);
    case 32: return first_from_uint32_t(level->idx, lo, hi, column);
    default: return first_from_int64_t(level->idx, lo, hi, column);
    }
}

/// As what the run of an old row in a part is stored.
static cairn_coord stored_row(const cairn_runs *m, int i, int j, int64_t row)
{
    return cairn_row_grid_first(m->to, i * m->to->q + j) + cairn_runs_number(m, row)
           - m->to->row[i];
}

/// Cut the rows, and count what goes to each rank; what stays is counted with it.
static void cut_rows(cairn_runs *m)
{
    const cairn_kernel_level *level    = &m->view->level[1];
    const int                 q        = m->to->q;
    cairn_coord               most_row = 0, most_column = 0, longest = 0;

    for (int i = 0; i < m->to->p; i++) {
        const cairn_run rows = cairn_runs_rows(m, i);

        for (int64_t n = rows.begin; n < rows.end; n++) {
            const int64_t k = cairn_runs_row(m, n), end = cairn_runs_ptr(level, k + 1);
            int64_t       at = cairn_runs_ptr(level, k);

            for (int j = 0; j < q; j++) {
                const int     r = i * q + j;
                const int64_t next =
                    j == q - 1 ? end : first_from(level, at, end, m->to->col[j + 1]);

                if (j < q - 1) m->cut[k * (q - 1) + j] = next;
                m->counts[r].entries += next - at;
                m->counts[r].runs += next > at;
                if (next > at && r != m->comm->rank) {
                    const cairn_coord row    = stored_row(m, i, j, k);
                    const cairn_coord column = cairn_runs_index(level, next - 1);

                    most_row    = row > most_row ? row : most_row;
                    most_column = column > most_column ? column : most_column;
                    longest     = next - at > longest ? next - at : longest;
                }
                at = next;
            }
        }
    }
    m->words[CAIRN_RUNS_ROWS]    = cairn_word_of_coord(most_row);
    m->words[CAIRN_RUNS_COLUMNS] = cairn_word_of_coord(most_column);
    m->words[CAIRN_RUNS_LENGTHS] = cairn_word_of_coord(longest);
}

/* ---- what goes ---- */

/// What goes of a row, as which row it is stored there, and by which rank.
typedef void (*send_run)(cairn_runs *m, int r, cairn_coord row, cairn_run its);

static inline void for_each_sent(cairn_runs *m, send_run send)
{
    for (int i = 0; i < m->to->p; i++) {
        const cairn_run rows = cairn_runs_rows(m, i);

        for (int j = 0; j < m->to->q; j++) {
            const int r = i * m->to->q + j;

            if (m->counts[r].entries == 0) continue;
            for (int64_t n = rows.begin; n < rows.end; n++) {
                const int64_t   k   = cairn_runs_row(m, n);
                const cairn_run its = cairn_run_of(m, k, j);

                if (its.begin < its.end) send(m, r, stored_row(m, i, j, k), its);
            }
        }
    }
}

/// Copy a short run, in chunks, behind which @p to has room for one more. @p rest  Bytes from
/// @p from on that there are.
static void copy_run(const char *from, int64_t rest, int64_t bytes, char *to)
{
    if (rest < bytes + CHUNK)
        memcpy(to, from, (size_t)bytes);
    else
        for (int64_t k = 0; k < bytes; k += CHUNK)
            memcpy(to + k, from + k, CHUNK);
}

static void gather_run(cairn_runs *m, int r, cairn_coord row, cairn_run its)
{
    const cairn_kernel_part *view  = m->view;
    const int64_t            width = view->level[1].idx_bits / 8;
    const int64_t            n = its.end - its.begin, rest = view->values - its.begin;
    double *const            value = m->value + m->begin[r];

    (void)row;
    copy_run((const char *)view->level[1].idx + its.begin * width, rest * width,
             n * width, m->idx + m->begin[r] * width);
    if (view->val_kind == CAIRN_VALUE_FLOAT && view->val_bits == 64)
        copy_run((const char *)((const double *)view->val + its.begin),
                 rest * (int64_t)sizeof *value, n * (int64_t)sizeof *value,
                 (char *)value);
    else
        cairn_runs_get_values(view, its.begin, n, value);
    m->begin[r] += n;
}

/// Write the rows of a run; `send_bytes` says where.
static void put_rows(cairn_runs *m, int r, cairn_coord row, cairn_run its)
{
    const cairn_word word = (cairn_word)m->words[CAIRN_RUNS_ROWS];
    const int64_t    n    = its.end - its.begin;

    cairn_words_put_coord(word, row, n, m->message + m->send_bytes[r]);
    m->send_bytes[r] += n * cairn_word_bytes(word);
}

/// Write the row and the length of a run; those of all runs are in two arrays.
static void put_run(cairn_runs *m, int r, cairn_coord row, cairn_run its)
{
    const cairn_word word       = (cairn_word)m->words[CAIRN_RUNS_ROWS];
    const cairn_word its_length = (cairn_word)m->words[CAIRN_RUNS_LENGTHS];
    const int64_t    k          = m->recv_bytes[r]++;
    char *const      at         = m->message + m->send_bytes[r];

    cairn_word_put_coord(word, row, at + k * cairn_word_bytes(word));
    cairn_word_put_coord(its_length, its.end - its.begin,
                         at + m->counts[r].runs * cairn_word_bytes(word)
                             + k * cairn_word_bytes(its_length));
}

/// Write all messages: of each its rows, then its columns, then its values.
static void write_messages(cairn_runs *m)
{
    const cairn_word native = cairn_word_of_bits(m->view->level[1].idx_bits);
    char            *to     = m->message;

    for (int r = 0; r < m->comm->size; r++) {
        m->send_bytes[r] = to - m->message;
        m->recv_bytes[r] = 0;
        to += cairn_runs_bytes(m, m->counts[r]);
    }
    for_each_sent(m, m->words[CAIRN_RUNS_LENGTHS] < 0 ? put_rows : put_run);
    to = m->message;
    for (int r = 0; r < m->comm->size; r++) {
        const int64_t n = m->counts[r].entries;

        to += cairn_runs_row_bytes(m, m->counts[r]);
        cairn_runs_copy_words(native, m->idx + m->begin[r] * cairn_word_bytes(native),
                              n, (cairn_word)m->words[CAIRN_RUNS_COLUMNS], to);
        to += n * cairn_word_bytes(m->words[CAIRN_RUNS_COLUMNS]);
        to = cairn_words_put_values((cairn_word)m->words[CAIRN_RUNS_VALUES],
                                    m->value + m->begin[r], n, to);
        m->send_bytes[r] = cairn_runs_bytes(m, m->counts[r]);
        m->recv_bytes[r] = cairn_runs_bytes(m, m->come_from[r]);
    }
}

/// Of all messages of a rank, or to it.
static int64_t sum_of_bytes(const cairn_runs *m, const cairn_runs_count *count)
{
    int64_t sum = 0;

    for (int r = 0; r < m->comm->size; r++)
        sum += cairn_runs_bytes(m, count[r]);
    return sum;
}

/// Of where rows go, and are cut.
static int64_t cut_bytes(const cairn_runs *m)
{
    const int64_t words = m->to->q - 1 + (m->dealt.order ? 1 : 0);

    return m->its->n * words * (int64_t)sizeof *m->cut;
}

/// Of an entry that goes, before it is written into a message.
static int64_t gathered_bytes(const cairn_runs *m)
{
    return m->view->level[1].idx_bits / 8 + (int64_t)sizeof *m->value;
}

/// Cut the rows, and copy what goes.
static cairn_status gather(cairn_runs *m, int64_t held)
{
    cairn_env *const env  = m->comm->env;
    const int64_t    size = m->comm->size, width = gathered_bytes(m);
    int64_t         *words = NULL;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 2 * size, &m->counts));
    m->come_from = m->counts + size;
    CAIRN_TRY(CAIRN_NEW_ZERO(env, 4 * size + 2, &words));
    m->send_bytes  = words;
    m->recv_bytes  = m->send_bytes + size;
    m->begin       = m->recv_bytes + size;
    m->dealt.begin = m->begin + size + 1;
    CAIRN_TRY(deal_rows(m, held));
    held += cut_bytes(m);
    CAIRN_TRY(cairn_check_memory(env, "rows that are cut at columns", held));
    CAIRN_TRY(CAIRN_NEW(env, m->its->n * (m->to->q - 1), &m->cut));
    cut_rows(m);
    cairn_visit(env, m->its->n);
    m->counts[m->comm->rank] = (cairn_runs_count){0, 0};
    for (int r = 0; r < size; r++)
        m->begin[r + 1] = m->begin[r] + m->counts[r].entries;
    const int64_t go = m->begin[size];

    CAIRN_TRY(
        cairn_check_memory(env, "rows that change their rank", held + go * width));
    CAIRN_TRY(
        CAIRN_NEW(env, go * (width - (int64_t)sizeof *m->value) + CHUNK, &m->idx));
    CAIRN_TRY(CAIRN_NEW(env, go + CHUNK / (int64_t)sizeof *m->value, &m->value));
    for_each_sent(m, gather_run);
    for (int r = 0; r < size; r++)
        m->begin[r] -= m->counts[r].entries;
    m->words[CAIRN_RUNS_VALUES] = cairn_word_of_values(CAIRN_WORD_8, m->value, go);
    m->words[CAIRN_RUNS_ANY]    = go > 0;
    return CAIRN_OK;
}

/// Room for both sides of the exchange, beside what is gathered.
static cairn_status make_room(cairn_runs *m, int64_t held)
{
    cairn_env *const env  = m->comm->env;
    const int64_t    go   = sum_of_bytes(m, m->counts);
    const int64_t    come = sum_of_bytes(m, m->come_from);

    held += cut_bytes(m) + m->begin[m->comm->size] * gathered_bytes(m);
    CAIRN_TRY(cairn_check_memory(env, "rows that change their rank", held + go + come));
    CAIRN_TRY(CAIRN_NEW(env, go + CAIRN_WORDS_MORE * (int64_t)sizeof(cairn_coord),
                        &m->message));
    return CAIRN_NEW(env, come, &m->arrived);
}

/// Count what goes on all ranks, and choose how messages have their rows: in fewer bytes.
static cairn_status count_sent(cairn_runs *m, cairn_entries_sent *sent)
{
    cairn_comm *const comm   = m->comm;
    int64_t           its[3] = {m->begin[comm->size], 0, 0}, length;

    for (int r = 0; r < comm->size; r++) {
        m->send_bytes[r] = m->recv_bytes[r] = (int64_t)sizeof *m->counts;
        its[1] += m->counts[r].runs;
        its[2] += m->counts[r].runs > 0;
    }
    CAIRN_TRY(comm->ops->alltoallv(comm, m->counts, m->send_bytes, m->come_from,
                                   m->recv_bytes));
    CAIRN_TRY(comm->ops->allreduce(comm, its, 3, CAIRN_SUM));
    const cairn_runs_count all     = {its[0], its[1]};
    const int64_t          by_runs = cairn_runs_row_bytes(m, all);

    length                       = m->words[CAIRN_RUNS_LENGTHS];
    m->words[CAIRN_RUNS_LENGTHS] = -1;
    if (by_runs < cairn_runs_row_bytes(m, all)) m->words[CAIRN_RUNS_LENGTHS] = length;
    *sent = (cairn_entries_sent){
        all.entries, cairn_runs_bytes(m, all) + its[2] * (int64_t)sizeof *m->counts,
        its[2]};
    return CAIRN_OK;
}

static cairn_status exchange(cairn_runs *m, int64_t held, cairn_entries_sent *sent)
{
    cairn_comm *const comm = m->comm;

    CAIRN_TRY(count_sent(m, sent));
    CAIRN_TRY(cairn_comm_agree(comm, make_room(m, held)));
    write_messages(m);
    cairn_free(comm->env, m->idx);
    cairn_free(comm->env, m->value);
    m->idx                    = NULL;
    m->value                  = NULL;
    const cairn_status status = comm->ops->alltoallv(comm, m->message, m->send_bytes,
                                                     m->arrived, m->recv_bytes);
    cairn_free(comm->env, m->message);
    m->message = NULL;
    return status;
}

/* ---- all ---- */

static void release(cairn_runs *m)
{
    cairn_env *const env = m->comm->env;

    cairn_free(env, m->arrived);
    cairn_free(env, m->message);
    cairn_free(env, m->value);
    cairn_free(env, m->idx);
    cairn_free(env, m->cut);
    cairn_free(env, m->dealt.order);
    cairn_free(env, m->send_bytes);
    cairn_free(env, m->counts);
}

cairn_status cairn_runs_move(cairn_comm              *comm,
                             const cairn_local       *own,
                             const cairn_moving_rows *rows,
                             const cairn_row_grid    *to,
                             const cairn_format      *list,
                             int64_t                  held,
                             cairn_local            **fresh,
                             cairn_entries_sent      *sent)
{
    cairn_local *local = NULL;
    cairn_status status;
    cairn_runs   m = {
          .comm = comm,
          .view = &own->part[own->group[0].first].view,
          .its  = rows,
          .to   = to,
    };

    *sent = (cairn_entries_sent){0};
    CAIRN_GO(done, cairn_comm_agree(comm, gather(&m, held)));
    CAIRN_GO(done, comm->ops->allreduce(comm, m.words, CAIRN_RUNS_WORDS, CAIRN_MAX));
    if (m.words[CAIRN_RUNS_ANY]) CAIRN_GO(done, exchange(&m, held, sent));
    held += cut_bytes(&m) + sum_of_bytes(&m, m.come_from);
    status = cairn_runs_join(&m, own, list, held, &local);
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    *fresh = local;
    local  = NULL;
done:
    release(&m);
    cairn_local_destroy(&local);
    return status;
}
