typedef __INT32_TYPE__  int32_t;
typedef __INT64_TYPE__  int64_t;
typedef __UINT8_TYPE__  uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-pre")
#endif

#define CAIRN_KERNEL_LEVELS 16

typedef struct cairn_kernel_level {
    int64_t     lo;
    int64_t     size;
    int64_t     nodes;
    const void *ptr;
    int64_t     ptr_length;
    const void *idx;
    int64_t     idx_length;
    int64_t     idx_stride;
    int64_t     hole;
    uint8_t     ptr_bits;
    uint8_t     idx_bits;
    uint8_t     idx_signed;
    uint8_t     kind;
} cairn_kernel_level;

typedef enum cairn_value_kind {
    CAIRN_VALUE_FLOAT,
    CAIRN_VALUE_INTEGER,
    CAIRN_VALUE_ONE,
    CAIRN_VALUE_CODE,
    CAIRN_VALUE_BFLOAT,
} cairn_value_kind;

typedef struct cairn_kernel_part {
    int64_t size;
    int32_t order, levels;
    int32_t first, last;
    int64_t bank;
    cairn_kernel_level level[CAIRN_KERNEL_LEVELS];
    void              *val;
    int64_t            values;
    int64_t            val_block;
    int64_t            val_stride;
    int32_t            val_bits;
    int32_t            val_kind;
    const void        *dictionary;
} cairn_kernel_part;

typedef struct cairn_product_args {
    const void     *x;
    void           *y;
    int64_t         x_stride, y_stride, columns, row_lo, row_end, col_lo;
    int64_t         col_end;
    double          alpha;
    const int64_t  *share;
    int64_t         shares;
    const int64_t  *cut;
    int64_t         cuts, cutters;
    void           *partial;
    const void     *first, *last;
    const uint16_t *step;
    int64_t         steps, y_aligned;
    const double   *sums;
    double         *y_sum;
    const uint8_t  *alike;
} cairn_product_args;

static inline int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

typedef double v4f64 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double v8f64 __attribute__((vector_size(64), aligned(8), may_alias));

static inline v4f64 load_v4f64(const double *from)
{
    return *(const v4f64 *)from;
}

static inline v8f64 load_v8f64(const double *from)
{
    return *(const v8f64 *)from;
}

static inline v4f64 gather_v4f64_u32(const double *from, const uint32_t *at)
{
    return (v4f64){from[at[0]], from[at[1]], from[at[2]], from[at[3]]};
}

/*
 * y(i) = A(i,j)*x(j)
 * A: d0/16, dense; d1-d0, compressed; d0%16, dense
 * key: product double.double v64 h00000 +1*(+1*d0+0)/16+0.dense
 *     -1*d0+1*d1+0.compressed.p64.i32.n1 +1*(+1*d0+0)%16+0.dense d0=+16*e0+1*e2+0
 *     d1=+16*e0+1*e1+1*e2+0 f64 pads order.0.2/1 ocrx tile2.2 sum0 share3.0
 */

int64_t spmv_0(const cairn_kernel_part *A, const cairn_product_args *op)
{
    const double *restrict const x       = op->x;
    double *restrict const y             = op->y;
    const int64_t *restrict const share  = op->share;
    const int64_t *restrict const A1_ptr = A->level[1].ptr;
    const int32_t *restrict const A1_idx = A->level[1].idx;
    const double *restrict const A_val   = A->val;

    const int64_t row_lo  = op->row_lo;
    const int64_t row_end = op->row_end;
    const int64_t col_lo  = op->col_lo;
    const int64_t col_end = op->col_end;
    const int64_t shares  = op->shares;
    const int64_t A0_lo   = A->level[0].lo;

    /* threads */
#pragma omp parallel for schedule(static, 1) num_threads((int)shares) if (shares > 1)
    for (int64_t t = 0; t < shares; t++) {
        const int64_t begin = share[t];
        const int64_t end   = share[t + 1];

        /* d0/16, dense */
        for (int64_t pib = begin; pib < end; pib++) {
            const int64_t ib = pib + A0_lo;

            if (row_lo <= ib * 16 && ib * 16 + 15 < row_end
                && (A1_ptr[pib] == A1_ptr[pib + 1]
                    || (col_lo <= ib * 16 + A1_idx[A1_ptr[pib]]
                        && ib * 16 + A1_idx[A1_ptr[pib + 1] - 1] + 15 < col_end))) {
                v8f64 s0 = {0};
                v8f64 s1 = {0};

                /* d1-d0, compressed */
                for (int64_t pd = A1_ptr[pib]; pd < A1_ptr[pib + 1]; pd++) {
                    const int64_t d = A1_idx[pd];
                    const int64_t p = pd * 16;
                    const int64_t j = ib * 16 + d;

                    s0 += load_v8f64(A_val + p) * load_v8f64(x + j);
                    s1 += load_v8f64(A_val + p + 8) * load_v8f64(x + j + 8);
                }
                *(v8f64 *)(y + ib * 16 - row_lo)     = s0;
                *(v8f64 *)(y + ib * 16 - row_lo + 8) = s1;
            } else {
                const int64_t ir_begin = max(0, row_lo - ib * 16);
                const int64_t ir_end   = min(16, row_end - ib * 16);

                /* d0%16, dense */
                for (int64_t ir = ir_begin; ir < ir_end; ir++) {
                    const int64_t i = ib * 16 + ir;
                    double        s = 0.0;

                    /* d1-d0, compressed */
                    for (int64_t pd = A1_ptr[pib]; pd < A1_ptr[pib + 1]; pd++) {
                        const int64_t d = A1_idx[pd];
                        const int64_t j = ib * 16 + d + ir;

                        if (col_lo <= j && j < col_end) s += A_val[pd * 16 + ir] * x[j];
                    }
                    y[i - row_lo] = s;
                }
            }
        }
    }
    return 0;
}

/*
 * y(i) += A(i,j)*x(j)
 * A: d0, dense; d1, compressed
 * key: product.add.sums double.double v64 h00000 +1*d0+0.dense
 *     +1*d1+0.compressed.p64.u32.n1 d0=+1*e0+0 d1=+1*e1+0 f64 order.0/1 oc
 *     tile0.-1 sum1 share3.0
 */

int64_t spmv_1(const cairn_kernel_part *A, const cairn_product_args *op)
{
    const double *restrict const x        = op->x;
    double *restrict const y              = op->y;
    const int64_t *restrict const cut     = op->cut;
    const uint32_t *restrict const A1_idx = A->level[1].idx;
    const double *restrict const A_val    = A->val;
    double *restrict const partial        = op->partial;
    const int64_t *restrict const share   = op->share;
    const int64_t *restrict const A1_ptr  = A->level[1].ptr;

    const int64_t row_lo  = op->row_lo;
    const int64_t cuts    = op->cuts;
    const int64_t cutters = op->cutters;
    const int64_t shares  = op->shares;
    const int64_t A0_lo   = A->level[0].lo;

    if (0 < cuts) {
        /* threads: whole cuts of long rows */
#pragma omp parallel for schedule(static, 1) \
    num_threads((int)cutters) if (cutters > 1)
        for (int64_t t = 0; t < cutters; t++) {
            for (int64_t k = cuts * t / cutters; k < cuts * (t + 1) / cutters; k++) {
                const int64_t at    = cut[k];
                v4f64         s     = {0};
                int64_t       p     = at;
                const int64_t p_end = at + 4096;

                while (p + 8 <= p_end) {
                    s += load_v4f64(A_val + p) * gather_v4f64_u32(x, A1_idx + p);
                    s += load_v4f64(A_val + p + 4)
                         * gather_v4f64_u32(x, A1_idx + p + 4);
                    p += 8;
                }
                partial[at / 4096] = s[0] + s[1] + (s[2] + s[3]);
            }
        }
    }

    /* threads */
#pragma omp parallel for schedule(static, 1) num_threads((int)shares) if (shares > 1)
    for (int64_t t = 0; t < shares; t++) {
        const int64_t begin = share[t];
        const int64_t end   = share[t + 1];
        int64_t       look  = end - begin;

        if ((A1_ptr[end] - A1_ptr[begin]) * 16 < end - begin) look = 8;

        /* d0, dense: rows without entries together */
        int64_t pi_first = begin;

        while (pi_first < end) {
            const int64_t pi_end = min(pi_first + look, end);

            if (A1_ptr[pi_first] == A1_ptr[pi_end]) {
                /* d0, dense */
                for (int64_t pi = pi_first; pi < pi_end; pi++) {
                    const int64_t i = pi + A0_lo;
                    v4f64         s = {0};

                    y[i - row_lo] += s[0] + s[1] + (s[2] + s[3]);
                }
            } else {
                /* d0, dense */
                for (int64_t pi = pi_first; pi < pi_end; pi++) {
                    const int64_t i = pi + A0_lo;

                    if (A1_ptr[pi] < A1_ptr[pi + 1]) {
                        v4f64 s = {0};

                        /* d1, compressed */
                        int64_t       pj    = A1_ptr[pi];
                        const int64_t j_end = A1_ptr[pi + 1];
                        double        row   = 0.0;

                        while (4096 < j_end - pj) {
                            row += partial[pj / 4096];
                            pj += 4096;
                        }
                        while (pj + 8 <= j_end) {
                            s += load_v4f64(A_val + pj)
                                 * gather_v4f64_u32(x, A1_idx + pj);
                            s += load_v4f64(A_val + pj + 4)
                                 * gather_v4f64_u32(x, A1_idx + pj + 4);
                            pj += 8;
                        }
                        if (pj + 4 <= j_end) {
                            s += load_v4f64(A_val + pj)
                                 * gather_v4f64_u32(x, A1_idx + pj);
                            pj += 4;
                        }

                        double s0 = s[0];

                        while (pj < j_end) {
                            s0 += A_val[pj] * x[A1_idx[pj]];
                            pj++;
                        }
                        y[i - row_lo] += row + (s0 + s[1] + (s[2] + s[3]));
                    }
                }
            }
            pi_first = pi_end;
        }
    }
    return 0;
}
