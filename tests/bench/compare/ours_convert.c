// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Cairn's side of the conversions: cairn_tensor_convert() from one stored format to
/// another, and for coordinates in any order cairn_source_from_coords() with
/// cairn_tensor_create(). Once more with a caller's arrays, in every run: compressed rows
/// and coordinates are taken where they lie, coordinates handed over, too; and entries are
/// written into his compressed rows or columns. In fresh memory the context's is given back
/// before each; else it has kept what the conversion before left.

#include "api/api.h"
#include "compare.h"

#include <string.h>

/// Where a conversion's arrays come from.
typedef enum origin {
    STORED,   ///< A tensor of Cairn's own.
    HANDED,   ///< A caller's coordinates are copied in every run,
    BORROWED, ///< or his rows, or coordinates, taken where they lie.
    WRITTEN,  ///< A tensor of Cairn's own, and the target's are the caller's.
    ORIGINS,
} origin;

typedef struct {
    const compare_task *task;
    bool                fresh;
    origin              origin;
    cairn_context      *context;
    cairn_format       *from, *to;
    cairn_tensor       *given, *made;
    int64_t            *coord;  ///< [nnz][2], for coordinates that are handed over;
    bool                sorted; ///< by rows,
    bool                list;   ///< or lie apart.
    cairn_compressed    lines;  ///< That were written.
} state;

/// The formats on both sides. No library of Debian's makes those from BDIA to DIA by columns.
static const struct {
    const char *from, *to;
} pairs[OPERATIONS] = {
    [CSR_TO_CSC]   = {"csr",            "csc"                     },
    [ROWS_TO_CSR]  = {"coo",            "csr"                     },
    [COO_TO_CSR]   = {NULL,             "csr"                     },
    [ROWS_TO_DIA]  = {"coo",            "dia"                     },
    [CSR_TO_ELL]   = {"csr",            "ell"                     },
    [CSR_TO_BCSR]  = {"csr",            "bcsr<3,3>"               },
    [CSR_TO_SELL]  = {"csr",            "sell<8>"                 },
    [CSR_TO_BDIA]  = {"csr",            "hybrid<bdia<64>,csr,0.6>"},
    [ROWS_TO_BELL] = {"coo",            "hybrid<bell<3>,coo,0.5>" },
    [ROWS_TO_C2SR] = {"coo",            "c2sr<16>"                },
    [ROWS_TO_CISR] = {"coo",            "cisr<1024>"              },
    [DCSC_TO_BCSR] = {"dcsc",           "bcsr<3,3>"               },
    [CSB_TO_DIA]   = {"csb<4096,4096>", "dia-variant"             },
    [CSR_TO_COO]   = {"csr",            "coo"                     },
};

static void free_lines(state *s);

static void destroy(void *given)
{
    state *s = given;

    free_lines(s);
    cairn_tensor_destroy(&s->made);
    cairn_tensor_destroy(&s->given);
    cairn_format_destroy(&s->from);
    cairn_format_destroy(&s->to);
    cairn_context_destroy(&s->context);
    free(s->coord);
    free(s);
}

static void copy_coordinates(state *s, const int32_t *row, const int32_t *col)
{
    const compare_matrix *m = s->task->matrix;

    s->coord = compare_take(2 * (size_t)m->nnz, sizeof *s->coord);
    for (int32_t p = 0; p < m->nnz; p++) {
        s->coord[2 * p]     = row[p];
        s->coord[2 * p + 1] = col[p];
    }
}

static cairn_status build(state *s)
{
    const compare_matrix *m         = s->task->matrix;
    const int64_t         extent[2] = {m->rows, m->cols};
    cairn_source         *source    = NULL;
    cairn_status          status    = cairn_source_from_coords(
                    s->context, 2, extent, m->nnz, s->coord, s->sorted ? m->val : m->any.val,
                    CAIRN_BY_NNZ, &source);

    if (!status) status = cairn_tensor_create(source, s->to, CAIRN_F64, &s->made);
    cairn_source_destroy(&source);
    return status;
}

static cairn_status borrow_rows(const state *s, cairn_tensor **lent)
{
    const compare_matrix *m = s->task->matrix;

    return cairn_tensor_from_csr(s->context, m->rows, m->cols, 0, m->rows, m->ptr, 32,
                                 m->idx, 32, m->val, CAIRN_F64, CAIRN_BORROW, NULL,
                                 lent);
}

/// From a list of the caller's, two arrays of indices, by rows or in any order.
static cairn_status take_list(state *s)
{
    const compare_matrix *m    = s->task->matrix;
    cairn_coords          list = CAIRN_COORDS;

    list.extent[0] = m->rows;
    list.extent[1] = m->cols;
    list.entries   = m->nnz;
    list.idx[0]    = s->sorted ? m->row : m->any.row;
    list.idx[1]    = s->sorted ? m->idx : m->any.col;
    list.idx_bits  = 32;
    list.val       = s->sorted ? m->val : m->any.val;
    return cairn_tensor_from_coords(s->context, &list, CAIRN_BORROW, s->to, &s->made);
}

static cairn_status borrow(state *s)
{
    cairn_tensor *lent = NULL;

    if (s->list) return take_list(s);
    cairn_status status = borrow_rows(s, &lent);

    if (!status) status = cairn_tensor_convert(lent, s->to, &s->made);
    cairn_tensor_destroy(&lent);
    return status;
}

/* ---- out ---- */

static void free_lines(state *s)
{
    free(s->lines.ptr);
    free(s->lines.idx);
    free(s->lines.val);
    s->lines = (cairn_compressed)CAIRN_COMPRESSED;
}

static bool by_columns(const state *s)
{
    return !strcmp(pairs[s->task->operation].to, "csc");
}

/// Into compressed rows or columns of the caller's, which each run allocates.
static cairn_status write_lines(state *s)
{
    const compare_matrix *m     = s->task->matrix;
    const size_t          lines = (size_t)(by_columns(s) ? m->cols : m->rows);
    cairn_compressed     *a     = &s->lines;

    a->ptr        = compare_take(lines + 1, sizeof(int32_t));
    a->idx        = compare_take((size_t)m->nnz, sizeof(int32_t));
    a->val        = compare_take((size_t)m->nnz, sizeof(double));
    a->ptr_bits   = 32;
    a->idx_bits   = 32;
    a->ptr_length = (int64_t)lines + 1;
    a->length     = m->nnz;
    return by_columns(s) ? cairn_tensor_to_csc(s->given, a)
                         : cairn_tensor_to_csr(s->given, a);
}

static void see_lines(const state *s, compare_result *result)
{
    const compare_matrix *m     = s->task->matrix;
    const int32_t *const  ptr   = s->lines.ptr;
    const int32_t *const  idx   = s->lines.idx;
    const double *const   val   = s->lines.val;
    const bool            cols  = by_columns(s);
    const int32_t         lines = cols ? m->cols : m->rows;

    for (int32_t i = 0; i < lines; i++)
        for (int32_t k = ptr[i]; k < ptr[i + 1]; k++)
            compare_see(result, cols ? idx[k] : i, cols ? i : idx[k], val[k]);
}

static double run(void *given)
{
    state *const s = given;
    cairn_status status;
    double       begin;

    cairn_tensor_destroy(&s->made);
    free_lines(s);
    if (s->fresh) compare_forget(s->context);
    begin  = compare_begin();
    status = s->coord               ? build(s)
             : s->origin == WRITTEN ? write_lines(s)
             : s->given             ? cairn_tensor_convert(s->given, s->to, &s->made)
                                    : borrow(s);
    return status ? -1 : bench_seconds() - begin;
}

static void result(void *given, compare_result *result)
{
    state *const  s      = given;
    cairn_source *source = NULL;

    if (s->origin == WRITTEN) {
        see_lines(s, result);
        return;
    }
    if (cairn_source_from_tensor(s->made, &source)) return;

    const cairn_entries *e = &source->entries;

    for (cairn_pos p = 0; p < e->n; p++)
        compare_see(result, e->coord[0][p], e->coord[1][p], e->value[p]);
    cairn_source_destroy(&source);
}

static const compare_way way = {.name    = "Cairn",
                                .run     = run,
                                .result  = result,
                                .destroy = destroy};

/// Bytes that one conversion reads and writes at least; arrays that both tensors have in
/// common are neither read nor written.
static double count_bytes(const state *s)
{
    const double     n     = (double)s->task->matrix->nnz;
    double           bytes = s->coord               ? 24 * n
                             : s->origin == WRITTEN ? 12 * n + 4 * (double)s->task->matrix->rows
                             : s->origin != BORROWED ? 0
                             : s->list               ? 16 * n
                                       : 12 * n + 4 * (double)s->task->matrix->rows;
    cairn_part_info *parts = NULL;
    int64_t          count = 0;

    for (int k = 0; k < 2; k++) {
        const cairn_tensor *t = k ? s->made : s->given;

        if (!t || cairn_tensor_parts(t, &count, &parts)) continue;
        for (int64_t p = 0; p < count; p++)
            bytes += (double)(parts[p].bytes - (k ? 2 : 0) * parts[p].shared);
        cairn_parts_free(t, &parts);
    }
    return bytes;
}

/// Can the arrays come from there?
static bool applies(const compare_task *task, origin origin)
{
    const char *from = pairs[task->operation].from;

    switch (origin) {
    case STORED: return from != NULL;
    case HANDED: return !from || !strcmp(from, "coo");
    case WRITTEN:
        return from
               && (!strcmp(pairs[task->operation].to, "csr")
                   || !strcmp(pairs[task->operation].to, "csc"));
    default: return !from || !strcmp(from, "coo") || !strcmp(from, "csr");
    }
}

static cairn_status make_given(state *s)
{
    const compare_matrix *m         = s->task->matrix;
    const char           *from      = pairs[s->task->operation].from;
    const int64_t         extent[2] = {m->rows, m->cols};
    cairn_source         *source    = NULL;
    cairn_status          status    = CAIRN_OK;

    s->sorted = from != NULL;
    s->list   = !from || !strcmp(from, "coo");
    s->lines  = (cairn_compressed)CAIRN_COMPRESSED;
    if (s->origin == BORROWED) return CAIRN_OK;
    copy_coordinates(s, s->sorted ? m->row : m->any.row,
                     s->sorted ? m->idx : m->any.col);
    if (s->origin == HANDED) return CAIRN_OK;
    status = cairn_source_from_coords(s->context, 2, extent, m->nnz, s->coord, m->val,
                                      CAIRN_BY_NNZ, &source);
    if (!status) status = cairn_format_create(s->context, from, &s->from);
    if (!status) status = cairn_tensor_create(source, s->from, CAIRN_F64, &s->given);
    cairn_source_destroy(&source);
    free(s->coord);
    s->coord = NULL;
    return status;
}

static bool prepare(compare_contender  *c,
                    const compare_task *task,
                    compare_memory_kind kind,
                    origin              origin)
{
    static const char *const words[ORIGINS] = {
        "", ", caller's arrays copied", ", caller's arrays", ", into caller's arrays"};
    const char *to = pairs[task->operation].to;
    state      *s  = compare_take(1, sizeof *s);

    *s = (state){.task = task, .fresh = kind == MEMORY_FRESH, .origin = origin};
    if (cairn_context_create(&s->context))
        compare_stop("context", cairn_context_message(s->context));
    cairn_context_set_threads(s->context, task->threads);
    if (cairn_format_create(s->context, to, &s->to) || make_given(s) || run(s) < 0) {
        fprintf(stderr, "%s to %s: %s\n", task->matrix->name, to,
                cairn_context_message(s->context));
        destroy(s);
        return false;
    }
    *c = (compare_contender){.way    = &way,
                             .state  = s,
                             .memory = kind,
                             .lent   = origin == BORROWED,
                             .bytes  = count_bytes(s)};
    snprintf(c->name, sizeof c->name, "%s%s, %s", to, words[origin],
             compare_memory_name(kind));
    if (s->made && cairn_tensor_route(s->made))
        snprintf(c->route, sizeof c->route, "%s", cairn_tensor_route(s->made));
    return true;
}

int compare_ours_convert(const compare_task *task, compare_contender *list, int room)
{
    int n = 0;

    for (int k = 0; k < ORIGINS * MEMORY_KINDS && n < room; k++) {
        const compare_memory_kind kind = (compare_memory_kind)(k / ORIGINS);
        const origin              from = (origin)(k % ORIGINS);

        if (compare_wants_memory(task, kind) && applies(task, from)
            && prepare(&list[n], task, kind, from))
            n++;
    }
    return n;
}
