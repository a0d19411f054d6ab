// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// cuSPARSE's products with several columns, X and Y row by row.

#include "cusparse.h"

#include <math.h>

typedef enum { CSR, COO, BLOCKED_ELL } layout;

/* Its default for compressed rows took what algorithm 2 takes on an H100, and `csr alg1`,
   `coo alg1` and `coo alg2` 2 to 11 times the best: the seconds of a card are left to
   others. */
static const struct {
    const char *name;
    layout      layout;
    int         algorithm;
} ways[] = {
    {"csr alg2",    CSR,         6 },
    {"csr alg3",    CSR,         12},
    {"coo alg4",    COO,         5 },
    {"blocked ell", BLOCKED_ELL, 13},
};

/// Blocks of a row of blocks, all of which are full. @return the most; 0: they are not.
static int32_t most_blocks(const card_rows *a, int b)
{
    int32_t most = 0;

    if (a->rows % b || a->cols % b) return 0;
    for (int32_t i = 0; i < a->rows; i++) {
        const int32_t first = a->ptr[i / b * b], here = a->ptr[i];
        const int32_t length = a->ptr[i + 1] - here;

        if (length % b || length != a->ptr[i / b * b + 1] - first) return 0;
        for (int32_t q = 0; q < length; q++)
            if (a->idx[here + q] != a->idx[first + q / b * b] + q % b
                || (q % b == 0 && a->idx[here + q] % b))
                return 0;
        if (length / b > most) most = length / b;
    }
    return most;
}

/// Every row of blocks has as many, by column -1 where there are none.
static bool make_blocked_ell(cusparse_product *p, const card_rows *a, int b)
{
    const int64_t most = b > 1 ? most_blocks(a, b) : 0, wide = most * b;

    if (most == 0 || wide * a->rows > 3 * (int64_t)a->nnz) return false;
    int32_t *const idx = card_take((size_t)(a->rows / b * most), sizeof *idx);
    double *const  val = card_take((size_t)(a->rows * wide), sizeof *val);

    memset(idx, 0xff, (size_t)(a->rows / b * most) * sizeof *idx);
    for (int32_t i = 0; i < a->rows; i++)
        for (int32_t q = a->ptr[i]; q < a->ptr[i + 1]; q++) {
            const int64_t k = q - a->ptr[i];

            if (i % b == 0 && k % b == 0) idx[i / b * most + k / b] = a->idx[q] / b;
            val[i * wide + k] = a->val[q];
        }
    const bool done =
        cusparse_bring(p, 1, idx, 4 * (a->rows / b * most))
        && cusparse_bring_values(p, 2, val, a->rows * wide)
        && cusparse.cusparseCreateBlockedEll(
               &p->matrix, a->rows, a->cols, b, wide, cusparse_at(p, 1),
               cusparse_at(p, 2), CUSPARSE_INDEX_32, CUSPARSE_FROM_ZERO, p->type)
               == 0;

    free(idx);
    free(val);
    return done;
}

static bool make_matrix(cusparse_product *p, const card_rows *a, layout way, int block)
{
    switch (way) {
    case CSR: return cusparse_make_csr(p, a);
    case COO: return cusparse_make_coo(p, a);
    default: return make_blocked_ell(p, a, block);
    }
}

static cairn_cuda_result run(void *state, cairn_cuda_device *d)
{
    const cusparse_product *p = state;

    (void)d;
    return cusparse.cusparseSpMM(cusparse.handle, CUSPARSE_PLAIN, CUSPARSE_PLAIN,
                                 cusparse_one(p), p->matrix, p->x, cusparse_zero(p),
                                 p->y, p->type, p->algorithm,
                                 (void *)(uintptr_t)p->buffer)
                   == 0
               ? CAIRN_CUDA_OK
               : CAIRN_CUDA_INVALID;
}

/// X and Y on the card; Y is anything.
static bool bring_operands(cusparse_product *p, const card_rows *a)
{
    const int64_t n = p->columns, wide = a->cols * n, high = a->rows * n;
    double *const x = card_take((size_t)(wide > high ? wide : high), sizeof *x);

    for (int64_t k = 0; k < wide; k++)
        x[k] = card_x(k / n) * card_scale(k % n);
    const bool done =
        cusparse_bring_values(p, 3, x, wide) && cusparse_bring_values(p, 4, x, high)
        && cusparse.cusparseCreateDnMat(&p->x, a->cols, n, n, cusparse_at(p, 3),
                                        p->type, CUSPARSE_BY_ROWS)
               == 0
        && cusparse.cusparseCreateDnMat(&p->y, a->rows, n, n, cusparse_at(p, 4),
                                        p->type, CUSPARSE_BY_ROWS)
               == 0;

    free(x);
    return done;
}

static bool prepare(cusparse_product *p, const card_rows *a)
{
    return bring_operands(p, a)
           && cusparse.cusparseSpMM_bufferSize(cusparse.handle, CUSPARSE_PLAIN,
                                               CUSPARSE_PLAIN, cusparse_one(p),
                                               p->matrix, p->x, cusparse_zero(p), p->y,
                                               p->type, p->algorithm, &p->buffered)
                  == 0
           && cairn_cuda_alloc(p->device, (int64_t)p->buffered, "cuSPARSE's buffer",
                               &p->buffer)
                  == CAIRN_OK
           && cusparse.cusparseSpMM_preprocess(
                  cusparse.handle, CUSPARSE_PLAIN, CUSPARSE_PLAIN, cusparse_one(p),
                  p->matrix, p->x, cusparse_zero(p), p->y, p->type, p->algorithm,
                  (void *)(uintptr_t)p->buffer)
                  == 0;
}

/// Is Y what it must be? It is no number before.
static bool verify(cusparse_product *p, const card_rows *a)
{
    cairn_cuda_device *d    = cairn_cuda_of(p->device);
    const bool         wide = p->type == CUSPARSE_DOUBLE;
    const double       room = wide ? 1e-12 : 1e-5;
    cairn_cuda_pinned  host = {.begin = NULL};
    cairn_cuda_event   done = NULL;

    if (cairn_cuda_pin(p->device, p->bytes[4], &host) != CAIRN_OK) return false;
    cairn_cuda_result error = CAIRN_CUDA(d, cuEventCreate, &done, 2);

    if (error == CAIRN_CUDA_OK)
        error = CAIRN_CUDA(d, cuMemsetD8Async, p->array[4], 0xff, (size_t)p->bytes[4],
                           d->stream);
    if (error == CAIRN_CUDA_OK) error = run(p, d);
    if (error == CAIRN_CUDA_OK)
        error = CAIRN_CUDA(d, cuMemcpyDtoHAsync_v2, host.begin, p->array[4],
                           (size_t)p->bytes[4], d->stream);
    bool right = cairn_cuda_settle(p->device, done, error) == CAIRN_CUDA_OK;

    for (int64_t k = 0; k < a->rows * p->columns && right; k++) {
        const double  y     = wide ? ((const double *)(const void *)host.begin)[k]
                                   : (double)((const float *)(const void *)host.begin)[k];
        const int64_t i     = k / p->columns;
        const double  scale = card_scale(k % p->columns);

        right = fabs(y - a->want[i] * scale) <= room * a->sum[i] * scale;
    }
    cairn_cuda_event_free(p->device, &done);
    cairn_cuda_unpin(p->device, &host);
    return right;
}

/// @return false: it does not do it.
static bool add(card            *c,
                const card_rows *a,
                int              block,
                int              type,
                int64_t          columns,
                size_t           k,
                card_contender *new)
{
    cusparse_product *p     = card_take(1, sizeof *p);
    const double      begin = bench_seconds();

    *p = (cusparse_product){.columns   = columns,
                            .device    = c->device,
                            .type      = type,
                            .algorithm = ways[k].algorithm};
    if (!make_matrix(p, a, ways[k].layout, block) || !prepare(p, a)) {
        printf("# cuSPARSE does not do %s for %d columns\n", ways[k].name,
               (int)columns);
        cusparse_give_back(p);
        return false;
    }
    *new = (card_contender){.who     = "cuSPARSE",
                            .run     = run,
                            .leave   = cusparse_leave,
                            .state   = p,
                            .prepare = bench_seconds() - begin,
                            .right   = verify(p, a)};
    snprintf(new->way, sizeof new->way, "%s", ways[k].name);
    for (int n = 0; n < CUSPARSE_ARRAYS; n++)
        new->bytes += (double)p->bytes[n];
    return true;
}

int card_cusparse_columns(card            *c,
                          const card_rows *a,
                          int              block,
                          cairn_dtype      dtype,
                          int64_t          columns,
                          card_contender  *list,
                          int              room)
{
    const int type  = dtype == CAIRN_F64 ? CUSPARSE_DOUBLE : CUSPARSE_FLOAT;
    int       count = 0;

    if (cairn_cuda_enter(card_of(c)) != CAIRN_CUDA_OK) return 0;
    for (size_t k = 0; cusparse_open(c) && k < sizeof ways / sizeof *ways; k++)
        if (count < room && (ways[k].layout != BLOCKED_ELL || block > 1))
            count += add(c, a, block, type, columns, k, &list[count]);
    cairn_cuda_leave(card_of(c));
    return count;
}
