// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Runs of rows on their way to the parts of the columns that they are in.

#include "comm/move_runs.h"

#include "base/offsets.h"
#include "comm/message_words.h"

#include <assert.h>
#include <string.h>

enum {
    STRIP = 1024, ///< Entries of a message that are read at once.
    CHUNK = 64    ///< Bytes of a run that are copied at once.
};

/// What words a message has: one for each of these arrays, the same on all ranks.
enum { ROWS, COLUMNS, VALUES, ANY, WORDS };

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
    int64_t  words[WORDS]; ///< ANY: 1 if anything goes.
} runs;

/* ---- which tensors ---- */

static bool lists_columns(const cairn_layout *layout)
{
    const cairn_level *row = &layout->level[0], *column = &layout->level[1];

    return layout->order == 2 && layout->levels == 2 && layout->partition < 0
           && !layout->pads && layout->value_tuple < 0 && layout->first == 1
           && layout->last == 1 && !row->indirect
           && cairn_form_dimension(&row->form, 2) == 0 && !column->indirect
           && !column->gaps && !column->determined && column->tuple < 0
           && column->has_ptr && column->has_idx
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
        fits = lists_columns(wanted)
               && wanted->level[1].idx_bits == layout->level[1].idx_bits
               && wanted->level[1].idx_signed == layout->level[1].idx_signed;
        cairn_layout_destroy(tensor->env, &wanted);
    }
    *fit = fits;
    return CAIRN_OK;
}

/* ---- where runs begin ---- */

/// The first of the indices lo .. hi-1, which ascend, that is not below @p column; rows in
/// which all are on one side are told by their ends.
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

static int64_t load_ptr(const cairn_kernel_level *level, int64_t row)
{
    return cairn_load_int(level->ptr, row, level->ptr_bits / 8, level->ptr_bits, false);
}

/// Positions of a row's entries in a part of the columns.
typedef struct {
    int64_t begin, end;
} run;

static run run_of(const runs *m, int64_t row, int j)
{
    const int            cuts = m->to->q - 1;
    const int64_t *const cut  = m->cut + row * cuts;

    return (run){j == 0 ? load_ptr(&m->view->level[1], row) : cut[j - 1],
                 j == cuts ? load_ptr(&m->view->level[1], row + 1) : cut[j]};
}

/// Old rows that are in a row part.
static run rows_in(const runs *m, int i)
{
    const cairn_coord lo = m->to->row[i] - m->first, hi = m->to->row[i + 1] - m->first;
    const run         rows = {lo > 0 ? lo : 0, hi < m->rows ? hi : m->rows};

    return rows.begin < rows.end ? rows : (run){0, 0};
}

/// As what the run of an old row in a part is stored.
static cairn_coord stored_row(const runs *m, int i, int j, int64_t row)
{
    return cairn_row_grid_first(m->to, i * m->to->q + j) + m->first + row
           - m->to->row[i];
}

static int64_t index_at(const cairn_kernel_level *level, int64_t at)
{
    return cairn_load_int(level->idx, at, level->idx_stride, level->idx_bits, false);
}

/// Cut the rows, and count what goes to each rank; what stays is counted with it.
static void cut_rows(runs *m)
{
    const cairn_kernel_level *level    = &m->view->level[1];
    const int                 q        = m->to->q;
    cairn_coord               most_row = 0, most_column = 0;

    for (int i = 0; i < m->to->p; i++) {
        const run rows = rows_in(m, i);

        for (int64_t k = rows.begin; k < rows.end; k++) {
            const int64_t end = load_ptr(level, k + 1);
            int64_t       at  = load_ptr(level, k);

            for (int j = 0; j < q; j++) {
                const int     r = i * q + j;
                const int64_t next =
                    j == q - 1 ? end : first_from(level, at, end, m->to->col[j + 1]);

                if (j < q - 1) m->cut[k * (q - 1) + j] = next;
                m->counts[r] += next - at;
                if (next > at && r != m->comm->rank) {
                    const cairn_coord row    = stored_row(m, i, j, k);
                    const cairn_coord column = index_at(level, next - 1);

                    most_row    = row > most_row ? row : most_row;
                    most_column = column > most_column ? column : most_column;
                }
                at = next;
            }
        }
    }
    m->words[ROWS]    = cairn_word_of_coord(most_row);
    m->words[COLUMNS] = cairn_word_of_coord(most_column);
}

/* ---- what goes ---- */

static void
get_values(const cairn_kernel_part *view, int64_t begin, int64_t n, double *value)
{
    if (view->val_kind == CAIRN_VALUE_FLOAT && view->val_bits == 64)
        memcpy(value, (const double *)view->val + begin, (size_t)n * sizeof *value);
    else
        for (int64_t k = 0; k < n; k++)
            value[k] = cairn_value_get(view, begin + k);
}

/// What goes of a row, as which row it is stored there, and by which rank.
typedef void (*send_run)(runs *m, int r, cairn_coord row, run its);

static inline void for_each_sent(runs *m, send_run send)
{
    for (int i = 0; i < m->to->p; i++) {
        const run rows = rows_in(m, i);

        for (int j = 0; j < m->to->q; j++) {
            const int         r     = i * m->to->q + j;
            const cairn_coord first = stored_row(m, i, j, 0);

            if (m->counts[r] == 0) continue;
            for (int64_t k = rows.begin; k < rows.end; k++) {
                const run its = run_of(m, k, j);

                if (its.begin < its.end) send(m, r, first + k, its);
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

static void gather_run(runs *m, int r, cairn_coord row, run its)
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
        get_values(view, its.begin, n, value);
    m->begin[r] += n;
}

/// Write the rows of a run; `send_bytes` says where.
static void put_rows(runs *m, int r, cairn_coord row, run its)
{
    const cairn_word word = (cairn_word)m->words[ROWS];
    const int64_t    n    = its.end - its.begin;

    cairn_words_put_coord(word, row, n, m->message + m->send_bytes[r]);
    m->send_bytes[r] += n * cairn_word_bytes(word);
}

static int64_t entry_bytes(const runs *m)
{
    return cairn_word_bytes(m->words[ROWS]) + cairn_word_bytes(m->words[COLUMNS])
           + cairn_word_bytes(m->words[VALUES]);
}

/// The word that an index has in arrays.
static cairn_word word_of_bits(int bits)
{
    return bits == 8    ? CAIRN_WORD_8
           : bits == 16 ? CAIRN_WORD_16
           : bits == 32 ? CAIRN_WORD_32
                        : CAIRN_WORD_64;
}

/// Indices in words of another width.
static void
copy_words(cairn_word had, const char *from, int64_t n, cairn_word has, char *to)
{
    cairn_coord strip[STRIP];

    if (had == has) {
        memcpy(to, from, (size_t)(n * cairn_word_bytes(had)));
        return;
    }
    for (int64_t k = 0, here; k < n; k += here) {
        here = n - k < STRIP ? n - k : STRIP;
        cairn_words_get_coords(had, from + k * cairn_word_bytes(had), here, strip);
        to = cairn_words_put_coords(has, strip, here, to);
    }
}

/// Write all messages: of each its rows, then its columns, then its values.
static void write_messages(runs *m)
{
    const cairn_word native = word_of_bits(m->view->level[1].idx_bits);

    for (int r = 0; r < m->comm->size; r++)
        m->send_bytes[r] = m->begin[r] * entry_bytes(m);
    for_each_sent(m, put_rows);
    for (int r = 0; r < m->comm->size; r++) {
        const int64_t n  = m->counts[r];
        char *const   to = m->message + m->send_bytes[r];

        copy_words(native, m->idx + m->begin[r] * cairn_word_bytes(native), n,
                   (cairn_word)m->words[COLUMNS], to);
        cairn_words_put_values((cairn_word)m->words[VALUES], m->value + m->begin[r], n,
                               to + n * cairn_word_bytes(m->words[COLUMNS]));
        m->send_bytes[r] = n * entry_bytes(m);
        m->recv_bytes[r] = m->come_from[r] * entry_bytes(m);
    }
}

static int64_t sum_of(const int64_t *number, int n)
{
    int64_t sum = 0;

    for (int k = 0; k < n; k++)
        sum += number[k];
    return sum;
}

/// Cut the rows, and copy what goes.
static cairn_status gather(runs *m, int64_t held)
{
    cairn_env *const env  = m->comm->env;
    const int64_t    size = m->comm->size, cuts = m->to->q - 1;
    const int64_t    width = m->view->level[1].idx_bits / 8 + (int64_t)sizeof *m->value;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 5 * size + 1, &m->counts));
    m->come_from  = m->counts + size;
    m->send_bytes = m->come_from + size;
    m->recv_bytes = m->send_bytes + size;
    m->begin      = m->recv_bytes + size;
    held += m->rows * cuts * (int64_t)sizeof *m->cut;
    CAIRN_TRY(cairn_check_memory(env, "rows that are cut at columns", held));
    CAIRN_TRY(CAIRN_NEW(env, m->rows * cuts, &m->cut));
    cut_rows(m);
    cairn_visit(env, m->rows);
    m->counts[m->comm->rank] = 0;
    const int64_t go         = sum_of(m->counts, m->comm->size);

    CAIRN_TRY(
        cairn_check_memory(env, "rows that change their rank", held + go * width));
    CAIRN_TRY(
        CAIRN_NEW(env, go * (width - (int64_t)sizeof *m->value) + CHUNK, &m->idx));
    CAIRN_TRY(CAIRN_NEW(env, go + CHUNK / (int64_t)sizeof *m->value, &m->value));
    for (int r = 0; r < m->comm->size; r++)
        m->begin[r + 1] = m->begin[r] + m->counts[r];
    for_each_sent(m, gather_run);
    for (int r = 0; r < m->comm->size; r++)
        m->begin[r] -= m->counts[r];
    m->words[VALUES] = cairn_word_of_values(CAIRN_WORD_8, m->value, go);
    m->words[ANY]    = go > 0;
    return CAIRN_OK;
}

/// Exchange what goes, and count it on all ranks.
static cairn_status exchange(runs *m, cairn_entries_sent *sent)
{
    cairn_comm *const comm   = m->comm;
    int64_t           its[2] = {sum_of(m->counts, comm->size), 0};
    cairn_status      status;

    for (int r = 0; r < comm->size; r++) {
        m->send_bytes[r] = m->recv_bytes[r] = 8;
        its[1] += m->counts[r] > 0;
    }
    CAIRN_TRY(comm->ops->alltoallv(comm, m->counts, m->send_bytes, m->come_from,
                                   m->recv_bytes));
    CAIRN_TRY(comm->ops->allreduce(comm, its, 2, CAIRN_SUM));
    *sent  = (cairn_entries_sent){its[0], its[0] * entry_bytes(m) + its[1] * 8, its[1]};
    status = CAIRN_NEW(comm->env,
                       m->begin[comm->size] * entry_bytes(m)
                           + CAIRN_WORDS_MORE * (int64_t)sizeof(cairn_coord),
                       &m->message);
    if (status == CAIRN_OK)
        status = CAIRN_NEW(comm->env, sum_of(m->come_from, comm->size) * entry_bytes(m),
                           &m->arrived);
    CAIRN_TRY(cairn_comm_agree(comm, status));
    write_messages(m);
    cairn_free(comm->env, m->idx);
    cairn_free(comm->env, m->value);
    m->idx   = NULL;
    m->value = NULL;
    status   = comm->ops->alltoallv(comm, m->message, m->send_bytes, m->arrived,
                                    m->recv_bytes);
    cairn_free(comm->env, m->message);
    m->message = NULL;
    return status;
}

/* ---- what is there then ---- */

/// Rows of this rank that stay, as the new rows count them from 0.
static int64_t new_row(const runs *m, int64_t row)
{
    return m->first + row - m->to->row[m->comm->rank / m->to->q];
}

/// Rows of a message's entries, so many at once, and where the entries of each end.
typedef struct {
    int         n, rows;
    int         end[STRIP];
    cairn_coord row[STRIP];
} strip;

/// Those from entry @p k on of @p n.
static void read_rows(const runs *m, const char *at, int64_t n, int64_t k, strip *s)
{
    const cairn_word word = (cairn_word)m->words[ROWS];
    const int        last = (int)(n - k < STRIP ? n - k : STRIP) - 1;

    cairn_words_get_coords(word, at + k * cairn_word_bytes(word), last + 1, s->row);
    s->n    = last + 1;
    s->rows = 0;
    for (int e = 0; e < last; e++) { /* no branch: rows end anywhere */
        s->end[s->rows] = e + 1;
        s->rows += s->row[e] != s->row[e + 1];
    }
    s->end[s->rows++] = last + 1;
}

static void count_new(const runs *m, cairn_coord first, int64_t *count)
{
    const int   me = m->comm->rank, j = me % m->to->q;
    const run   stay = rows_in(m, me / m->to->q);
    const char *at   = m->arrived;
    strip       s;

    for (int64_t k = stay.begin; k < stay.end; k++) {
        const run its = run_of(m, k, j);

        count[new_row(m, k)] = its.end - its.begin;
    }
    for (int r = 0; r < m->comm->size; r++) {
        for (int64_t k = 0; k < m->come_from[r]; k += s.n) {
            read_rows(m, at, m->come_from[r], k, &s);
            for (int e = 0, n = 0; e < s.rows; n = s.end[e++])
                count[s.row[n] - first] += s.end[e] - n;
        }
        at += m->come_from[r] * entry_bytes(m);
    }
}

/// Entries that lie together, before and after.
typedef struct {
    int64_t from, to, n;
} stretch;

static void copy_stretch(const runs *m, const stretch *s, cairn_kernel_part *to)
{
    const cairn_kernel_level *level = &m->view->level[1];
    const int64_t             width = level->idx_bits / 8;
    double                    value[STRIP];

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
        here = s->n - k < STRIP ? s->n - k : STRIP;
        get_values(m->view, s->from + k, here, value);
        cairn_words_put_values(word_of_bits(to->val_bits), value, here,
                               cairn_value_at(to, s->to + k));
    }
}

/// Copy what stays, as far as it lies together at once.
static void copy_stays(const runs *m, int64_t *next, cairn_kernel_part *to)
{
    const int me = m->comm->rank, j = me % m->to->q;
    const run stay = rows_in(m, me / m->to->q);
    stretch   s    = {0, 0, 0};

    for (int64_t k = stay.begin; k < stay.end; k++) {
        const run      its = run_of(m, k, j);
        int64_t *const at  = &next[new_row(m, k)];

        if (its.begin != s.from + s.n || *at != s.to + s.n) {
            copy_stretch(m, &s, to);
            s = (stretch){its.begin, *at, 0};
        }
        s.n += its.end - its.begin;
        *at += its.end - its.begin;
    }
    copy_stretch(m, &s, to);
}

/// Copy entries of a message of @p n to places that lie together.
static void put_entries(const runs        *m,
                        const char        *at,
                        int64_t            n,
                        const stretch     *s,
                        cairn_kernel_part *to)
{
    const cairn_word columns = (cairn_word)m->words[COLUMNS];
    const cairn_word values  = (cairn_word)m->words[VALUES];
    const cairn_word index   = word_of_bits(to->level[1].idx_bits);
    const char      *value   = at + n * cairn_word_bytes(m->words[ROWS]);
    double           wide[STRIP];

    if (s->n == 0) return;
    copy_words(columns, value + s->from * cairn_word_bytes(columns), s->n, index,
               (char *)to->level[1].idx + s->to * cairn_word_bytes(index));
    value += n * cairn_word_bytes(columns) + s->from * cairn_word_bytes(values);
    if (to->val_bits == 64) {
        cairn_words_get_values(values, value, s->n, (double *)to->val + s->to);
        return;
    }
    for (int64_t k = 0, here; k < s->n; k += here) {
        here = s->n - k < STRIP ? s->n - k : STRIP;
        cairn_words_get_values(values, value + k * cairn_word_bytes(values), here,
                               wide);
        cairn_words_put_values(word_of_bits(to->val_bits), wide, here,
                               cairn_value_at(to, s->to + k));
    }
}

static void copy_arrived(const runs        *m,
                         const char        *at,
                         int64_t            entries,
                         cairn_coord        first,
                         int64_t           *next,
                         cairn_kernel_part *to)
{
    stretch its = {0, 0, 0};
    strip   s;

    for (int64_t k = 0; k < entries; k += s.n) {
        read_rows(m, at, entries, k, &s);
        for (int e = 0, n = 0; e < s.rows; n = s.end[e++]) {
            int64_t *const row = &next[s.row[n] - first];

            if (*row != its.to + its.n) {
                put_entries(m, at, entries, &its, to);
                its = (stretch){k + n, *row, 0};
            }
            its.n += s.end[e] - n;
            *row += s.end[e] - n;
        }
    }
    put_entries(m, at, entries, &its, to);
}

/// Lower ranks have lower columns of a row, so that rows are complete and in order when all
/// have been copied, rank by rank.
static void
copy_all(const runs *m, cairn_coord first, int64_t *next, cairn_kernel_part *to)
{
    const char *at = m->arrived;

    for (int r = 0; r < m->comm->size; r++) {
        if (r == m->comm->rank) copy_stays(m, next, to);
        copy_arrived(m, at, m->come_from[r], first, next, to);
        at += m->come_from[r] * entry_bytes(m);
    }
}

/// The tensor on the new rows, without arrays.
static cairn_status create_local(const runs         *m,
                                 const cairn_local  *own,
                                 const cairn_format *list,
                                 cairn_local       **fresh)
{
    const int         rank = m->comm->rank;
    const cairn_coord lo   = cairn_row_grid_first(m->to, rank);
    const int         i    = rank / m->to->q;
    cairn_local      *local;

    CAIRN_TRY(CAIRN_NEW_ZERO(own->env, 1, fresh));
    local                  = *fresh;
    local->env             = own->env;
    local->shape           = own->shape;
    local->shape.extent[0] = m->to->q * m->to->row[m->to->p];
    local->format          = list;
    local->value_bits      = own->value_bits;
    local->groups          = 1;
    local->box[0] = (cairn_interval){lo, lo + m->to->row[i + 1] - m->to->row[i] - 1};
    local->box[1] = (cairn_interval){0, local->shape.extent[1] - 1};
    CAIRN_TRY(cairn_layout_create(own->env, list->member[0], local->shape.extent,
                                  local->box, NULL, own->value_bits,
                                  &local->group[0].layout));
    local->group[0].count = 1;
    CAIRN_TRY(CAIRN_NEW_ZERO(own->env, 1, &local->part));
    local->parts         = 1;
    local->part[0].where = (cairn_where){.rank = rank};
    return CAIRN_OK;
}

/// Do the columns of each row ascend? What an assertion asks.
static inline bool columns_ascend(const cairn_kernel_part *view)
{
    const cairn_kernel_level *level = &view->level[1];

    for (int64_t k = 0; k + 1 < level->ptr_length; k++)
        for (int64_t p = load_ptr(level, k); p + 1 < load_ptr(level, k + 1); p++)
            if (index_at(level, p) >= index_at(level, p + 1)) return false;
    return true;
}

/// Put together what has stayed and what has come.
static cairn_status join(const runs *m, int64_t held, cairn_local *fresh)
{
    cairn_env *const  env                     = m->comm->env;
    const cairn_coord first                   = fresh->box[0].lo;
    const int64_t     rows                    = fresh->box[0].hi + 1 - first;
    cairn_part *const part                    = &fresh->part[0];
    cairn_pos         nodes[CAIRN_MAX_LEVELS] = {0};
    int64_t          *next = NULL, offset = 0, bytes = 0;
    cairn_status      status;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, rows + 1, &next));
    count_new(m, first, next);
    part->nnz = nodes[1] = cairn_offsets(rows + 1, 0, next);
    cairn_part_place(fresh->group[0].layout, nodes, NULL, &offset, &bytes, part);
    CAIRN_GO(done, cairn_check_memory(env, "rows from other ranks", held + bytes));
    CAIRN_GO(done, cairn_group_alloc(env, &fresh->group[0], fresh->group[0].layout,
                                     nodes, CAIRN_CLEAR_NONE, NULL, part));
    const cairn_kernel_level *const level = &part->view.level[1];

    for (int64_t k = 0; k <= rows; k++)
        cairn_store_int((void *)level->ptr, k, level->ptr_bits / 8, level->ptr_bits,
                        next[k]);
    copy_all(m, first, next, &part->view);
    cairn_visit(env, nodes[1]);
    assert(columns_ascend(&part->view));
    fresh->group[0].checked = true; /* what it was made of is in order */
done:
    cairn_free(env, next);
    return status;
}

static void release(runs *m)
{
    cairn_env *const env = m->comm->env;

    cairn_free(env, m->arrived);
    cairn_free(env, m->message);
    cairn_free(env, m->value);
    cairn_free(env, m->idx);
    cairn_free(env, m->cut);
    cairn_free(env, m->counts);
}

cairn_status cairn_runs_move(cairn_comm           *comm,
                             const cairn_local    *own,
                             cairn_coord           first,
                             const cairn_row_grid *to,
                             const cairn_format   *list,
                             int64_t               held,
                             cairn_local         **fresh,
                             cairn_entries_sent   *sent)
{
    cairn_local *local = NULL;
    cairn_status status;
    runs         m = {
                .comm  = comm,
                .view  = &own->part[own->group[0].first].view,
                .first = first,
                .rows  = own->box[0].hi + 1 - own->box[0].lo,
                .to    = to,
    };

    *sent = (cairn_entries_sent){0};
    CAIRN_GO(done, cairn_comm_agree(comm, gather(&m, held)));
    CAIRN_GO(done, comm->ops->allreduce(comm, m.words, WORDS, CAIRN_MAX));
    if (m.words[ANY]) CAIRN_GO(done, exchange(&m, sent));
    status = create_local(&m, own, list, &local);
    if (status == CAIRN_OK) status = join(&m, held, local);
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    *fresh = local;
    local  = NULL;
done:
    release(&m);
    cairn_local_destroy(&local);
    return status;
}
