/*
 * y(i) = A(i,j)*x(j)
 * A: d0/8, dense; slot, ragged; d0%8, dense; d1, singleton
 * key: product double.double v64 h00000 +1*(+1*d0+0)/8+0.dense
 *     +1*q1.1+0.ragged.p64.n1 +1*(+1*d0+0)%8+0.dense
 *     +1*d1+0.singleton.u32.by4.1.3 d0=+8*e0+1*e2+0 d1=+1*e3+0 f64 pads
 *     order.0.2/1.3 ocr tile2.2 sum0 share3.0
 */

typedef __INT32_TYPE__  int32_t;
typedef __INT64_TYPE__  int64_t;
typedef __UINT8_TYPE__  uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;

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

typedef uint32_t v8u32 __attribute__((vector_size(32), aligned(4), may_alias));
typedef double   v8f64 __attribute__((vector_size(64), aligned(8), may_alias));

static inline v8f64 load_v8f64(const double *from)
{
    return *(const v8f64 *)from;
}

static inline v8f64 gather_v8f64_u32_upto(const double *from, const uint32_t *at,
                                          int64_t last)
{
    typedef uint64_t pairs __attribute__((vector_size(32)));

    const v8u32 p    = *(const v8u32 *)at;
    const v8u32 most = (v8u32){0} + (uint32_t)last;
    const v8u32 less = (v8u32)(p < most);
    const pairs pair = (pairs)((p & less) | (most & ~less));

    return (v8f64){from[(uint32_t)pair[0]], from[pair[0] >> 32],
                   from[(uint32_t)pair[1]], from[pair[1] >> 32],
                   from[(uint32_t)pair[2]], from[pair[2] >> 32],
                   from[(uint32_t)pair[3]], from[pair[3] >> 32]};
}

int64_t spmv(const cairn_kernel_part *A, const cairn_product_args *op)
{
    const double *restrict const x        = op->x;
    double *restrict const y              = op->y;
    const int64_t *restrict const share   = op->share;
    const int64_t *restrict const A1_ptr  = A->level[1].ptr;
    const uint32_t *restrict const A3_idx = A->level[3].idx;
    const double *restrict const A_val    = A->val;

    const int64_t row_lo  = op->row_lo;
    const int64_t row_end = op->row_end;
    const int64_t shares  = op->shares;
    const int64_t A0_lo   = A->level[0].lo;
    const int64_t A3_size = A->level[3].size;
    const int64_t A3_lo   = A->level[3].lo;

    /* threads */
#pragma omp parallel for schedule(static, 1) num_threads((int)shares) if (shares > 1)
    for (int64_t t = 0; t < shares; t++) {
        const int64_t begin = share[t];
        const int64_t end   = share[t + 1];
        const int64_t limit = A3_lo + A3_size - 1;

        /* d0/8, dense */
        for (int64_t pib = begin; pib < end; pib++) {
            const int64_t ib = pib + A0_lo;

            if (row_lo <= ib * 8 && ib * 8 + 7 < row_end) {
                v8f64 s = {0};

                /* slot, ragged */
                for (int64_t pslot = A1_ptr[pib]; pslot < A1_ptr[pib + 1]; pslot++) {
                    s += load_v8f64(A_val + pslot * 8)
                         * gather_v8f64_u32_upto(x, A3_idx + pslot * 8, limit);
                }
                *(v8f64 *)(y + ib * 8 - row_lo) = s;
            } else {
                const int64_t ir_begin = max(0, row_lo - ib * 8);
                const int64_t ir_end   = min(8, row_end - ib * 8);

                /* d0%8, dense */
                for (int64_t ir = ir_begin; ir < ir_end; ir++) {
                    const int64_t i = ib * 8 + ir;
                    double        s = 0.0;

                    /* slot, ragged */
                    for (int64_t pslot = A1_ptr[pib]; pslot < A1_ptr[pib + 1];
                         pslot++) {
                        s += A_val[pslot * 8 + ir]
                             * x[min(A3_idx[pslot * 8 + ir], limit)];
                    }
                    y[i - row_lo] = s;
                }
            }
        }
    }
    return 0;
}
