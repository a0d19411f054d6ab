/*
 * y(i) += A(i,j)*x(j)
 * A: d0/16, dense; d1-d0, compressed; d0%16, dense
 * key: product.add double.double v64 h00000 +1*(+1*d0+0)/16+0.dense
 *     -1*d0+1*d1+0.compressed.p64.i32.n1 +1*(+1*d0+0)%16+0.dense d0=+16*e0+1*e2+0
 *     d1=+16*e0+1*e1+1*e2+0 f64 pads order.0.2/1 ocrx tile2.2 sum0 share3.0
 */

typedef __INT32_TYPE__  int32_t;
typedef __INT64_TYPE__  int64_t;
typedef __UINT8_TYPE__  uint8_t;
typedef __UINT16_TYPE__ uint16_t;

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

typedef double v8f64 __attribute__((vector_size(64), aligned(8), may_alias));

static inline v8f64 load_v8f64(const double *from)
{
    return *(const v8f64 *)from;
}

int64_t spmv(const cairn_kernel_part *A, const cairn_product_args *op)
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
                *(v8f64 *)(y + ib * 16 - row_lo) += s0;
                *(v8f64 *)(y + ib * 16 - row_lo + 8) += s1;
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
                    y[i - row_lo] += s;
                }
            }
        }
    }
    return 0;
}
