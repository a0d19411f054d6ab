// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Cairn's side of the conversions: cairn_tensor_convert() from one stored format to
/// another, and for coordinates in any order cairn_source_from_coords() with
/// cairn_tensor_create(). Once more with a caller's arrays: compressed rows are borrowed,
/// coordinates by rows handed over, in every run. In fresh memory the context's is given
/// back before each; else it has kept what the conversion before left.

#include "api/api.h"
#include "compare.h"

#include <string.h>

typedef struct {
    const compare_task *task;
    bool                fresh;
    bool                lent; ///< A caller's arrays are taken in every run.
    cairn_context      *context;
    cairn_format       *from, *to;
    cairn_tensor       *given, *made;
    int64_t            *coord; ///< [nnz][2], for coordinates in any order.
} state;

/// The formats on both sides. No library of Debian's makes the last six.
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
};

static void destroy(void *given)
{
    state *s = given;

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
    cairn_status          status =
        cairn_source_from_coords(s->context, 2, extent, m->nnz, s->coord,
                                 s->lent ? m->val : m->any.val, CAIRN_BY_NNZ, &source);

    if (!status) status = cairn_tensor_create(source, s->to, CAIRN_F64, &s->made);
    cairn_source_destroy(&source);
    return status;
}

static cairn_status borrow(state *s)
{
    const compare_matrix *m    = s->task->matrix;
    cairn_tensor         *lent = NULL;
    cairn_status          status =
        cairn_tensor_from_csr(s->context, m->rows, m->cols, 0, m->rows, m->ptr, 32,
                              m->idx, 32, m->val, CAIRN_F64, CAIRN_BORROW, NULL, &lent);

    if (!status) status = cairn_tensor_convert(lent, s->to, &s->made);
    cairn_tensor_destroy(&lent);
    return status;
}

static double run(void *given)
{
    state *const s = given;
    cairn_status status;
    double       begin;

    cairn_tensor_destroy(&s->made);
    if (s->fresh) compare_forget(s->context);
    begin  = compare_begin();
    status = s->coord  ? build(s)
             : s->lent ? borrow(s)
                       : cairn_tensor_convert(s->given, s->to, &s->made);
    return status ? -1 : bench_seconds() - begin;
}

static void result(void *given, compare_result *result)
{
    state *const  s      = given;
    cairn_source *source = NULL;

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
    double           bytes = s->coord  ? 24 * n
                             : s->lent ? 12 * n + 4 * (double)s->task->matrix->rows
                                       : 0;
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

/// Does a caller hand over coordinates by rows; or else compressed rows?
static bool takes_coordinates(const compare_task *task)
{
    const char *from = pairs[task->operation].from;

    return from && !strcmp(from, "coo");
}

static bool takes_rows(const compare_task *task)
{
    const char *from = pairs[task->operation].from;

    return from && !strcmp(from, "csr");
}

static cairn_status make_given(state *s)
{
    const compare_matrix *m         = s->task->matrix;
    const int64_t         extent[2] = {m->rows, m->cols};
    cairn_source         *source    = NULL;
    cairn_status          status;

    if (s->lent) {
        if (takes_coordinates(s->task)) copy_coordinates(s, m->row, m->idx);
        return CAIRN_OK;
    }
    copy_coordinates(s, m->any.row, m->any.col);
    if (!pairs[s->task->operation].from) return CAIRN_OK;
    status = cairn_source_from_coords(s->context, 2, extent, m->nnz, s->coord,
                                      m->any.val, CAIRN_BY_NNZ, &source);
    if (!status)
        status =
            cairn_format_create(s->context, pairs[s->task->operation].from, &s->from);
    if (!status) status = cairn_tensor_create(source, s->from, CAIRN_F64, &s->given);
    cairn_source_destroy(&source);
    free(s->coord);
    s->coord = NULL;
    return status;
}

static bool prepare(compare_contender  *c,
                    const compare_task *task,
                    compare_memory_kind kind,
                    bool                lent)
{
    const char *to = pairs[task->operation].to;
    state      *s  = compare_take(1, sizeof *s);

    *s = (state){.task = task, .fresh = kind == MEMORY_FRESH, .lent = lent};
    if (cairn_context_create(&s->context)) compare_stop("context", "cannot be created");
    cairn_context_set_threads(s->context, task->threads);
    if (cairn_format_create(s->context, to, &s->to) || make_given(s) || run(s) < 0) {
        fprintf(stderr, "%s to %s: %s\n", task->matrix->name, to,
                cairn_context_message(s->context));
        destroy(s);
        return false;
    }
    *c = (compare_contender){
        .way = &way, .state = s, .memory = kind, .bytes = count_bytes(s)};
    snprintf(c->name, sizeof c->name, "%s%s, %s", to, lent ? ", caller's arrays" : "",
             compare_memory_name(kind));
    return true;
}

int compare_ours_convert(const compare_task *task, compare_contender *list, int room)
{
    const bool lends = takes_rows(task) || takes_coordinates(task);
    int        n     = 0;

    for (int k = 0; k < 2 * MEMORY_KINDS && n < room; k++) {
        const compare_memory_kind kind = (compare_memory_kind)(k / 2);
        const bool                lent = k % 2 == 1;

        if (compare_wants_memory(task, kind) && (!lent || lends)
            && prepare(&list[n], task, kind, lent))
            n++;
    }
    return n;
}
