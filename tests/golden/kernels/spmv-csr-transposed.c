/*
 * y(i) += A(j,i)*x(j)
 * A: d0, dense; d1, compressed
 * key: product.t.add double.double v64 h00000 +1*d0+0.dense
 *     +1*d1+0.compressed.p64.u32.n1 d0=+1*e0+0 d1=+1*e1+0 f64 order.0.1 tile0.-1
 *     sum0 share5.1
 */

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

int64_t spmv_transposed(const cairn_kernel_part *A, const cairn_product_args *op)
{
    const double *restrict const x        = op->x;
    double *restrict const y              = op->y;
    const int64_t *restrict const share   = op->share;
    const uint16_t *restrict const step   = op->step;
    const uint32_t *restrict const A1_idx = A->level[1].idx;
    const double *restrict const A_val    = A->val;
    const int64_t *restrict const first   = op->first;
    const int64_t *restrict const last    = op->last;

    const int64_t col_lo   = op->col_lo;
    const int64_t A_values = A->values;
    const int64_t shares   = op->shares;
    const int64_t steps    = op->steps;
    const int64_t A0_lo    = A->level[0].lo;

    if (A_values == 0) return 0;

    /* threads */
#pragma omp parallel for schedule(static, 1) num_threads((int)shares) if (shares > 1)
    for (int64_t t = 0; t < shares; t++) {
        const int64_t begin = share[t * 4];
        const int64_t end   = share[t * 4 + 1];
        const int64_t own   = share[t * 4 + 2];

        if (0 < steps) {
            int64_t q = own;
            int64_t p = share[t * 4 + 3];

            for (int64_t k = begin; k < end; k++) {
                q += step[k * 2];
                p += step[k * 2 + 1];

                const int64_t i = q + A0_lo;
                const int64_t j = A1_idx[p];

                y[j - col_lo] += A_val[p] * x[i];
            }
        } else {
            /* d0, dense */
            for (int64_t pi = begin; pi < end; pi++) {
                const int64_t i  = pi + A0_lo;
                const double  ix = x[i];

                /* d1, compressed */
                for (int64_t pj = first[own + pi]; pj < last[own + pi]; pj++) {
                    const int64_t j = A1_idx[pj];

                    y[j - col_lo] += A_val[pj] * ix;
                }
            }
        }
    }
    return 0;
}
