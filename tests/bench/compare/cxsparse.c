// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// CXSparse, whose matrices are compressed columns: products by cs_gaxpy (y += A x, y
/// cleared before the clock starts), conversions by cs_transpose and cs_compress with the
/// roles of rows and columns exchanged, the columns of a row in the order of the
/// coordinates, or sorted by two transpositions. Compiled a second time beside the
/// library's own source, where that is at hand, with names of its own (CMakeLists.txt).

#include "compare.h"

#include <cs.h>

typedef struct {
    const compare_task *task;
    cs_di               given; ///< Over the task's arrays.
    cs_di              *a;     ///< Columns, or what a conversion made.
    bool                sorts;
} state;

static const char sorting[] = "cs_compress + cs_transpose twice";

static state *make_state(const compare_task *task)
{
    const compare_matrix *m = task->matrix;
    state                *s = compare_take(1, sizeof *s);

    *s       = (state){.task = task};
    s->given = (cs_di){.nzmax = m->nnz,
                       .m     = m->cols, /* of the transposed matrix */
                       .n     = m->rows,
                       .p     = m->ptr,
                       .i     = m->idx,
                       .x     = m->val,
                       .nz    = -1};
    if (task->operation == ROWS_TO_CSR || task->operation == COO_TO_CSR) {
        const bool any = task->operation == COO_TO_CSR;

        s->given.p  = any ? m->any.row : m->row;
        s->given.i  = any ? m->any.col : m->idx;
        s->given.x  = any ? m->any.val : m->val;
        s->given.nz = m->nnz;
    }
    return s;
}

static void *prepare(const compare_way *way, const compare_task *task)
{
    state *s;

    if (task->columns > 1) return NULL; /* there is cs_gaxpy for one vector alone */
    s        = make_state(task);
    s->sorts = strcmp(way->name, sorting) == 0;
    if (task->operation == PRODUCT) s->a = cs_di_transpose(&s->given, 1);
    return s;
}

/// Sort the columns of each row: transposing twice does.
static cs_di *sort_rows(cs_di *rows)
{
    cs_di *const columns = rows ? cs_di_transpose(rows, 1) : NULL;
    cs_di *const sorted  = columns ? cs_di_transpose(columns, 1) : NULL;

    cs_di_spfree(rows);
    cs_di_spfree(columns);
    return sorted;
}

static double run(void *given)
{
    state *const        s    = given;
    const compare_task *task = s->task;
    double              begin;

    if (task->operation == PRODUCT) {
        memset(task->y, 0, (size_t)task->matrix->rows * sizeof(double));
        begin = bench_seconds();
        return cs_di_gaxpy(s->a, task->x, task->y) ? bench_seconds() - begin : -1;
    }
    s->a  = cs_di_spfree(s->a);
    begin = compare_begin();
    s->a  = task->operation == CSR_TO_CSC ? cs_di_transpose(&s->given, 1)
                                          : cs_di_compress(&s->given);
    if (s->sorts) s->a = sort_rows(s->a);
    return s->a ? bench_seconds() - begin : -1;
}

static void result(void *given, compare_result *result)
{
    const state *const s       = given;
    const bool         columns = s->task->operation == CSR_TO_CSC;

    if (s->task->operation == PRODUCT) {
        memcpy(result->y, s->task->y, (size_t)s->task->matrix->rows * sizeof(double));
        return;
    }
    for (int k = 0; k < s->a->n; k++)
        for (int p = s->a->p[k]; p < s->a->p[k + 1]; p++)
            compare_see(result, columns ? s->a->i[p] : k, columns ? k : s->a->i[p],
                        s->a->x[p]);
}

static void destroy(void *given)
{
    state *s = given;

    cs_di_spfree(s->a);
    free(s);
}

static const compare_way ways[] = {
    {.name       = "cs_gaxpy (CSC)",
     .operations = BIT(PRODUCT),
     .dtypes     = BIT(CAIRN_F64),
     .prepare    = prepare,
     .run        = run,
     .result     = result,
     .destroy    = destroy},
    {.name       = "cs_transpose",
     .operations = BIT(CSR_TO_CSC),
     .dtypes     = BIT(CAIRN_F64),
     .prepare    = prepare,
     .run        = run,
     .result     = result,
     .destroy    = destroy},
    {.name       = "cs_compress",
     .operations = BIT(ROWS_TO_CSR) | BIT(COO_TO_CSR),
     .dtypes     = BIT(CAIRN_F64),
     .prepare    = prepare,
     .run        = run,
     .result     = result,
     .destroy    = destroy},
    {.name       = sorting,
     .operations = BIT(COO_TO_CSR),
     .dtypes     = BIT(CAIRN_F64),
     .prepare    = prepare,
     .run        = run,
     .result     = result,
     .destroy    = destroy},
};

static bool begin(int threads, char *version, int room)
{
    (void)threads; /* it has none */
    snprintf(version, (size_t)room, "%d.%d.%d", CS_VER, CS_SUBVER, CS_SUBSUB);
    return true;
}

#ifdef CXSPARSE_NATIVE
#    define PEER      compare_cxsparse_native
#    define PEER_NAME "CXSparse native"
#else
#    define PEER      compare_cxsparse
#    define PEER_NAME "CXSparse"
#endif

const compare_peer PEER = {.name  = PEER_NAME,
                           .begin = begin,
                           .ways  = ways,
                           .count = sizeof ways / sizeof *ways};
