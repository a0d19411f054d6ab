/*
 * y(i) = A(i,j)*x(j)
 * A: d1-d0, compressed; d0, dense
 * key: product double.double v64 h00000 -1*d0+1*d1+0.compressed.i32.n0
 *     +1*d0+0.dense d0=+1*e1+0 d1=+1*e0+1*e1+0 f64 pads order.1/0 ocx tile2.1
 *     sum0 share1.1
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
    const int32_t *restrict const A0_idx = A->level[0].idx;
    const double *restrict const A_val   = A->val;

    const int64_t row_lo   = op->row_lo;
    const int64_t col_lo   = op->col_lo;
    const int64_t col_end  = op->col_end;
    const int64_t shares   = op->shares;
    const int64_t A1_size  = A->level[1].size;
    const int64_t A0_nodes = A->level[0].nodes;
    const int64_t A1_lo    = A->level[1].lo;

    /* threads */
#pragma omp parallel for schedule(static, 1) num_threads((int)shares) if (shares > 1)
    for (int64_t t = 0; t < shares; t++) {
        const int64_t begin = share[t];
        const int64_t end   = share[t + 1];

        /* d0, dense */
        for (int64_t pi0 = begin; pi0 < end; pi0 += 128) {
            if (pi0 + 128 <= end
                && (A0_nodes == 0
                    || (col_lo <= A0_idx[0] + (A1_lo + pi0)
                        && A0_idx[A0_nodes - 1] + (A1_lo + pi0) + 127 < col_end))) {
                v8f64 s0  = {0};
                v8f64 s1  = {0};
                v8f64 s2  = {0};
                v8f64 s3  = {0};
                v8f64 s4  = {0};
                v8f64 s5  = {0};
                v8f64 s6  = {0};
                v8f64 s7  = {0};
                v8f64 s8  = {0};
                v8f64 s9  = {0};
                v8f64 s10 = {0};
                v8f64 s11 = {0};
                v8f64 s12 = {0};
                v8f64 s13 = {0};
                v8f64 s14 = {0};
                v8f64 s15 = {0};

                /* d1-d0, compressed */
                for (int64_t pd = 0; pd < A0_nodes; pd++) {
                    const int64_t d = A0_idx[pd];
                    const int64_t p = pd * A1_size + pi0;
                    const int64_t j = d + (pi0 + A1_lo);

                    s0 += load_v8f64(A_val + p) * load_v8f64(x + j);
                    s1 += load_v8f64(A_val + p + 8) * load_v8f64(x + j + 8);
                    s2 += load_v8f64(A_val + p + 16) * load_v8f64(x + j + 16);
                    s3 += load_v8f64(A_val + p + 24) * load_v8f64(x + j + 24);
                    s4 += load_v8f64(A_val + p + 32) * load_v8f64(x + j + 32);
                    s5 += load_v8f64(A_val + p + 40) * load_v8f64(x + j + 40);
                    s6 += load_v8f64(A_val + p + 48) * load_v8f64(x + j + 48);
                    s7 += load_v8f64(A_val + p + 56) * load_v8f64(x + j + 56);
                    s8 += load_v8f64(A_val + p + 64) * load_v8f64(x + j + 64);
                    s9 += load_v8f64(A_val + p + 72) * load_v8f64(x + j + 72);
                    s10 += load_v8f64(A_val + p + 80) * load_v8f64(x + j + 80);
                    s11 += load_v8f64(A_val + p + 88) * load_v8f64(x + j + 88);
                    s12 += load_v8f64(A_val + p + 96) * load_v8f64(x + j + 96);
                    s13 += load_v8f64(A_val + p + 104) * load_v8f64(x + j + 104);
                    s14 += load_v8f64(A_val + p + 112) * load_v8f64(x + j + 112);
                    s15 += load_v8f64(A_val + p + 120) * load_v8f64(x + j + 120);
                }
                *(v8f64 *)(y + pi0 + A1_lo - row_lo)       = s0;
                *(v8f64 *)(y + pi0 + A1_lo - row_lo + 8)   = s1;
                *(v8f64 *)(y + pi0 + A1_lo - row_lo + 16)  = s2;
                *(v8f64 *)(y + pi0 + A1_lo - row_lo + 24)  = s3;
                *(v8f64 *)(y + pi0 + A1_lo - row_lo + 32)  = s4;
                *(v8f64 *)(y + pi0 + A1_lo - row_lo + 40)  = s5;
                *(v8f64 *)(y + pi0 + A1_lo - row_lo + 48)  = s6;
                *(v8f64 *)(y + pi0 + A1_lo - row_lo + 56)  = s7;
                *(v8f64 *)(y + pi0 + A1_lo - row_lo + 64)  = s8;
                *(v8f64 *)(y + pi0 + A1_lo - row_lo + 72)  = s9;
                *(v8f64 *)(y + pi0 + A1_lo - row_lo + 80)  = s10;
                *(v8f64 *)(y + pi0 + A1_lo - row_lo + 88)  = s11;
                *(v8f64 *)(y + pi0 + A1_lo - row_lo + 96)  = s12;
                *(v8f64 *)(y + pi0 + A1_lo - row_lo + 104) = s13;
                *(v8f64 *)(y + pi0 + A1_lo - row_lo + 112) = s14;
                *(v8f64 *)(y + pi0 + A1_lo - row_lo + 120) = s15;
            } else {
                /* d0, dense */
                for (int64_t pi = pi0; pi < min(pi0 + 128, end); pi++) {
                    const int64_t i = pi + A1_lo;
                    double        s = 0.0;

                    /* d1-d0, compressed */
                    for (int64_t pd = 0; pd < A0_nodes; pd++) {
                        const int64_t d = A0_idx[pd];
                        const int64_t j = d + i;

                        if (col_lo <= j && j < col_end)
                            s += A_val[pd * A1_size + pi] * x[j];
                    }
                    y[i - row_lo] = s;
                }
            }
        }
    }
    return 0;
}
