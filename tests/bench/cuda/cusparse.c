// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// cuSPARSE's products with a vector, and what those with several have of them.

#include "cusparse.h"

#include <dlfcn.h>
#include <math.h>

typedef enum { CSR, COO, SELL, BSR } layout;

static const struct {
    const char *name;
    layout      layout;
    int         algorithm;
} ways[] = {
    {"csr default", CSR,  0},
    {"csr alg1",    CSR,  2},
    {"csr alg2",    CSR,  3},
    {"coo alg1",    COO,  1},
    {"coo alg2",    COO,  4},
    {"sell<32>",    SELL, 5},
    {"bsr",         BSR,  6},
};

cusparse_library cusparse;

bool cusparse_open(card *c)
{
    static const char *const names[] = {"libcusparse.so.12", "libcusparse.so.13",
                                        "libcusparse.so"};

    if (cusparse.tried) return cusparse.handle;
    cusparse.tried = true;
    for (size_t k = 0; k < sizeof names / sizeof *names && !cusparse.library; k++)
        cusparse.library = c->pretends ? NULL : dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
    if (!cusparse.library) {
        printf("# cuSPARSE is left out: %s\n", c->pretends ? "no card" : dlerror());
        return false;
    }
#define X(name, arguments)                                      \
    *(void **)&cusparse.name = dlsym(cusparse.library, #name);  \
    if (!cusparse.name) {                                       \
        printf("# cuSPARSE is left out: it lacks %s\n", #name); \
        return false;                                           \
    }
    CUSPARSE_MAP(X)
#undef X
    if (cusparse.cusparseCreate(&cusparse.handle) != 0) {
        printf("# cuSPARSE is left out: it does not begin\n");
        cusparse.handle = NULL;
        return false;
    }
    cusparse.cusparseGetVersion(cusparse.handle, &cusparse.version);
    cusparse.cusparseSetStream(cusparse.handle, card_of(c)->stream);
    printf("# cuSPARSE %d\n", cusparse.version);
    return true;
}

/* ---- Arrays ---- */

bool cusparse_bring(cusparse_product *p, int k, const void *from, int64_t bytes)
{
    cairn_cuda_ring ring;

    if (cairn_cuda_alloc(p->device, bytes, "cuSPARSE's arrays", &p->array[k])
        != CAIRN_OK)
        return false;
    p->bytes[k]               = bytes;
    const cairn_status status = cairn_cuda_ring_open(p->device, bytes, &ring);

    if (status == CAIRN_OK) cairn_cuda_ring_send(&ring, p->array[k], from, bytes);
    return cairn_cuda_ring_close(&ring, status) == CAIRN_OK;
}

/// Values and X have the element type.
bool cusparse_bring_values(cusparse_product *p, int k, const double *from, int64_t n)
{
    if (p->type == CUSPARSE_DOUBLE) return cusparse_bring(p, k, from, 8 * n);
    float *const narrow = card_take((size_t)n, sizeof *narrow);

    for (int64_t i = 0; i < n; i++)
        narrow[i] = (float)from[i];
    const bool done = cusparse_bring(p, k, narrow, 4 * n);

    free(narrow);
    return done;
}

bool cusparse_make_csr(cusparse_product *p, const card_rows *a)
{
    return cusparse_bring(p, 0, a->ptr, 4 * ((int64_t)a->rows + 1))
           && cusparse_bring(p, 1, a->idx, 4 * (int64_t)a->nnz)
           && cusparse_bring_values(p, 2, a->val, a->nnz)
           && cusparse.cusparseCreateCsr(&p->matrix, a->rows, a->cols, a->nnz,
                                         cusparse_at(p, 0), cusparse_at(p, 1),
                                         cusparse_at(p, 2), CUSPARSE_INDEX_32,
                                         CUSPARSE_INDEX_32, CUSPARSE_FROM_ZERO, p->type)
                  == 0;
}

bool cusparse_make_coo(cusparse_product *p, const card_rows *a)
{
    int32_t *const row = card_take((size_t)a->nnz, sizeof *row);

    for (int32_t i = 0; i < a->rows; i++)
        for (int32_t q = a->ptr[i]; q < a->ptr[i + 1]; q++)
            row[q] = i;
    const bool done = cusparse_bring(p, 0, row, 4 * (int64_t)a->nnz)
                      && cusparse_bring(p, 1, a->idx, 4 * (int64_t)a->nnz)
                      && cusparse_bring_values(p, 2, a->val, a->nnz)
                      && cusparse.cusparseCreateCoo(
                             &p->matrix, a->rows, a->cols, a->nnz, cusparse_at(p, 0),
                             cusparse_at(p, 1), cusparse_at(p, 2), CUSPARSE_INDEX_32,
                             CUSPARSE_FROM_ZERO, p->type)
                             == 0;

    free(row);
    return done;
}

/// Slices of 32 rows, slot by slot; what is padded has column -1.
static bool make_sell(cusparse_product *p, const card_rows *a)
{
    const int32_t  slices = (a->rows + CUSPARSE_SLICE - 1) / CUSPARSE_SLICE;
    int32_t *const from   = card_take((size_t)slices + 1, sizeof *from);
    int64_t        room   = 0;

    for (int32_t s = 0; s < slices; s++) {
        int32_t most = 0;

        for (int32_t i = s * CUSPARSE_SLICE;
             i < (s + 1) * CUSPARSE_SLICE && i < a->rows; i++)
            if (a->ptr[i + 1] - a->ptr[i] > most) most = a->ptr[i + 1] - a->ptr[i];
        from[s] = (int32_t)room;
        room += (int64_t)most * CUSPARSE_SLICE;
    }
    from[slices] = (int32_t)room;
    /* What padding makes of a matrix with a few long rows is not timed. */
    if (room > 3 * (int64_t)a->nnz || room > INT32_MAX) {
        free(from);
        return false;
    }
    int32_t *const idx = card_take((size_t)room, sizeof *idx);
    double *const  val = card_take((size_t)room, sizeof *val);

    memset(idx, 0xff, (size_t)room * sizeof *idx);
    for (int32_t i = 0; i < a->rows; i++)
        for (int32_t q = a->ptr[i]; q < a->ptr[i + 1]; q++) {
            const int64_t place = from[i / CUSPARSE_SLICE]
                                  + (int64_t)(q - a->ptr[i]) * CUSPARSE_SLICE
                                  + i % CUSPARSE_SLICE;

            idx[place] = a->idx[q];
            val[place] = a->val[q];
        }
    const bool done =
        cusparse_bring(p, 0, from, 4 * ((int64_t)slices + 1))
        && cusparse_bring(p, 1, idx, 4 * room) && cusparse_bring_values(p, 2, val, room)
        && cusparse.cusparseCreateSlicedEll(
               &p->matrix, a->rows, a->cols, a->nnz, room, CUSPARSE_SLICE,
               cusparse_at(p, 0), cusparse_at(p, 1), cusparse_at(p, 2),
               CUSPARSE_INDEX_32, CUSPARSE_INDEX_32, CUSPARSE_FROM_ZERO, p->type)
               == 0;

    free(from);
    free(idx);
    free(val);
    return done;
}

/// Blocks of @p b x b, all of which are full. @return false: they are not.
static bool make_bsr(cusparse_product *p, const card_rows *a, int b)
{
    const int32_t rows = a->rows / b, blocks = a->nnz / (b * b);

    if (a->rows % b || a->cols % b || a->nnz % (b * b)) return false;
    int32_t *const ptr  = card_take((size_t)rows + 1, sizeof *ptr);
    int32_t *const idx  = card_take((size_t)blocks, sizeof *idx);
    double *const  val  = card_take((size_t)a->nnz, sizeof *val);
    bool           full = true;
    int32_t        n    = 0;

    for (int32_t r = 0; r < rows && full; r++) {
        const int32_t wide = a->ptr[r * b + 1] - a->ptr[r * b];

        full = wide % b == 0 && a->ptr[(r + 1) * b] - a->ptr[r * b] == wide * b;
        for (int32_t k = 0; k < wide / b && full; k++, n++) {
            idx[n] = a->idx[a->ptr[r * b] + k * b] / b;
            for (int l = 0; l < b; l++)
                for (int m = 0; m < b; m++) {
                    const int32_t q = a->ptr[r * b + l] + k * b + m;

                    full = full && a->idx[q] == idx[n] * b + m;
                    val[((int64_t)n * b + l) * b + m] = a->val[q];
                }
        }
        ptr[r + 1] = n;
    }
    const bool done =
        full && cusparse_bring(p, 0, ptr, 4 * ((int64_t)rows + 1))
        && cusparse_bring(p, 1, idx, 4 * (int64_t)blocks)
        && cusparse_bring_values(p, 2, val, a->nnz)
        && cusparse.cusparseCreateBsr(
               &p->matrix, rows, a->cols / b, blocks, b, b, cusparse_at(p, 0),
               cusparse_at(p, 1), cusparse_at(p, 2), CUSPARSE_INDEX_32,
               CUSPARSE_INDEX_32, CUSPARSE_FROM_ZERO, p->type, CUSPARSE_BY_ROWS)
               == 0;

    free(ptr);
    free(idx);
    free(val);
    return done;
}

static bool make_matrix(cusparse_product *p, const card_rows *a, layout way, int block)
{
    switch (way) {
    case CSR: return cusparse_make_csr(p, a);
    case COO: return cusparse_make_coo(p, a);
    case SELL: return make_sell(p, a);
    default: return make_bsr(p, a, block);
    }
}

/* ---- Products ---- */

static const double one = 1, zero = 0;
static const float  one_f32 = 1, zero_f32 = 0;

const void *cusparse_one(const cusparse_product *p)
{
    return p->type == CUSPARSE_DOUBLE ? (const void *)&one : (const void *)&one_f32;
}

const void *cusparse_zero(const cusparse_product *p)
{
    return p->type == CUSPARSE_DOUBLE ? (const void *)&zero : (const void *)&zero_f32;
}

static cairn_cuda_result run(void *state, cairn_cuda_device *d)
{
    const cusparse_product *p = state;

    (void)d;
    return cusparse.cusparseSpMV(cusparse.handle, CUSPARSE_PLAIN, cusparse_one(p),
                                 p->matrix, p->x, cusparse_zero(p), p->y, p->type,
                                 p->algorithm, (void *)(uintptr_t)p->buffer)
                   == 0
               ? CAIRN_CUDA_OK
               : CAIRN_CUDA_INVALID;
}

static bool prepare(cusparse_product *p, const card_rows *a)
{
    double *const x = card_take((size_t)a->cols, sizeof *x);
    bool          done;

    for (int64_t j = 0; j < a->cols; j++)
        x[j] = card_x(j);
    done =
        cusparse_bring_values(p, 3, x, a->cols)
        && cusparse_bring_values(p, 4, a->want, a->rows)
        && cusparse.cusparseCreateDnVec(&p->x, a->cols, cusparse_at(p, 3), p->type) == 0
        && cusparse.cusparseCreateDnVec(&p->y, a->rows, cusparse_at(p, 4), p->type) == 0
        && cusparse.cusparseSpMV_bufferSize(
               cusparse.handle, CUSPARSE_PLAIN, cusparse_one(p), p->matrix, p->x,
               cusparse_zero(p), p->y, p->type, p->algorithm, &p->buffered)
               == 0
        && cairn_cuda_alloc(p->device, (int64_t)p->buffered, "cuSPARSE's buffer",
                            &p->buffer)
               == CAIRN_OK
        && cusparse.cusparseSpMV_preprocess(cusparse.handle, CUSPARSE_PLAIN,
                                            cusparse_one(p), p->matrix, p->x,
                                            cusparse_zero(p), p->y, p->type,
                                            p->algorithm, (void *)(uintptr_t)p->buffer)
               == 0;
    free(x);
    return done;
}

/// Is Y what it must be? It was filled with the right one, and is cleared before.
static bool verify(const cusparse_product *p, const card_rows *a)
{
    cairn_cuda_device *d    = cairn_cuda_of(p->device);
    const double       room = p->type == CUSPARSE_DOUBLE ? 1e-12 : 1e-5;
    cairn_cuda_pinned  host = {.begin = NULL};
    cairn_cuda_event   done = NULL;
    bool               right;

    if (cairn_cuda_pin(p->device, p->bytes[4], &host) != CAIRN_OK) return false;
    cairn_cuda_result error = CAIRN_CUDA(d, cuEventCreate, &done, 2);

    if (error == CAIRN_CUDA_OK)
        error = CAIRN_CUDA(d, cuMemsetD8Async, p->array[4], 0xff, (size_t)p->bytes[4],
                           d->stream);
    if (error == CAIRN_CUDA_OK) error = run((void *)p, d);
    if (error == CAIRN_CUDA_OK)
        error = CAIRN_CUDA(d, cuMemcpyDtoHAsync_v2, host.begin, p->array[4],
                           (size_t)p->bytes[4], d->stream);
    right = cairn_cuda_settle(p->device, done, error) == CAIRN_CUDA_OK;
    for (int32_t i = 0; i < a->rows && right; i++) {
        const double y = p->type == CUSPARSE_DOUBLE
                             ? ((const double *)(const void *)host.begin)[i]
                             : (double)((const float *)(const void *)host.begin)[i];

        right = fabs(y - a->want[i]) <= room * a->sum[i];
    }
    cairn_cuda_event_free(p->device, &done);
    cairn_cuda_unpin(p->device, &host);
    return right;
}

void cusparse_give_back(cusparse_product *p)
{
    cairn_cuda_device *d = cairn_cuda_of(p->device);

    if (p->matrix) cusparse.cusparseDestroySpMat(p->matrix);
    for (int k = 0; k < 2; k++) {
        const void *const operand = k ? p->y : p->x;

        if (operand && p->columns > 0)
            cusparse.cusparseDestroyDnMat(operand);
        else if (operand)
            cusparse.cusparseDestroyDnVec(operand);
    }
    for (int k = 0; k < CUSPARSE_ARRAYS; k++)
        cairn_cuda_free(d, &p->array[k], p->bytes[k]);
    cairn_cuda_free(d, &p->buffer, (int64_t)p->buffered);
    free(p);
}

void cusparse_leave(void *state)
{
    cairn_cuda_device *d = cairn_cuda_of(((cusparse_product *)state)->device);

    if (cairn_cuda_enter(d) != CAIRN_CUDA_OK) return;
    cusparse_give_back(state);
    cairn_cuda_leave(d);
}

/// @return false: it does not do it.
static bool add(card            *c,
                const card_rows *a,
                int              block,
                cairn_dtype      dtype,
                size_t           k,
                card_contender *new)
{
    cusparse_product *p     = card_take(1, sizeof *p);
    const double      begin = bench_seconds();

    *p = (cusparse_product){.device = c->device,
                            .type =
                                dtype == CAIRN_F64 ? CUSPARSE_DOUBLE : CUSPARSE_FLOAT,
                            .algorithm = ways[k].algorithm};
    if (!make_matrix(p, a, ways[k].layout, block) || !prepare(p, a)) {
        printf("# cuSPARSE does not do %s\n", ways[k].name);
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

int card_cusparse(card            *c,
                  const card_rows *a,
                  int              block,
                  cairn_dtype      dtype,
                  card_contender  *list,
                  int              room)
{
    int count = 0;

    if (cairn_cuda_enter(card_of(c)) != CAIRN_CUDA_OK) return 0;
    for (size_t k = 0; cusparse_open(c) && k < sizeof ways / sizeof *ways; k++)
        if (count < room && (ways[k].layout != BSR || block > 1))
            count += add(c, a, block, dtype, k, &list[count]);
    cairn_cuda_leave(card_of(c));
    return count;
}
