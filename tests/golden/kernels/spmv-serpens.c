/*
 * y(i) += A(i,j)*x(j)
 * A: d1/8192, dense; slot, ragged; (d0/2)%16, dense; d0/32, singleton; d0%2,
 *     singleton; d1%8192, singleton
 * key: product.add double.double v64 h00000 +1*(+1*d1+0)/8192+0.dense
 *     +1*q0.1+0.ragged.p64.n1.gaps +1*(+1*(+1*d0+0)/2+0)%16+0.dense
 *     +1*(+1*d0+0)/32+0.singleton.u16.by4.1.3
 *     +1*(+1*d0+0)%2+0.singleton.u8.by4.1.3
 *     +1*(+1*d1+0)%8192+0.singleton.u16.by4.1.3 d0=+2*e2+32*e3+1*e4+0
 *     d1=+8192*e0+1*e5+0 f64 order.0.1.2.3.4/5 x tile2.2 sum0 share1.2
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

static inline v8f64 gather_v8f64_u16_upto(const double *from, const uint16_t *at,
                                          int64_t last)
{
    return (v8f64){from[min(at[0], last)], from[min(at[1], last)],
                   from[min(at[2], last)], from[min(at[3], last)],
                   from[min(at[4], last)], from[min(at[5], last)],
                   from[min(at[6], last)], from[min(at[7], last)]};
}

int64_t spmv(const cairn_kernel_part *A, const cairn_product_args *op)
{
    const double *restrict const x        = op->x;
    double *restrict const y              = op->y;
    const int64_t *restrict const share   = op->share;
    const int64_t *restrict const A1_ptr  = A->level[1].ptr;
    const uint16_t *restrict const A5_idx = A->level[5].idx;
    const double *restrict const A_val    = A->val;
    const uint16_t *restrict const A3_idx = A->level[3].idx;
    const uint8_t *restrict const A4_idx  = A->level[4].idx;

    const int64_t row_lo   = op->row_lo;
    const int64_t col_lo   = op->col_lo;
    const int64_t col_end  = op->col_end;
    const int64_t A_values = A->values;
    const int64_t shares   = op->shares;
    const int64_t A0_size  = A->level[0].size;
    const int64_t A0_lo    = A->level[0].lo;
    const int64_t A3_hole  = A->level[3].hole;
    const int64_t A4_hole  = A->level[4].hole;
    const int64_t A5_hole  = A->level[5].hole;

    if (A_values == 0) return 0;

    /* threads */
#pragma omp parallel for schedule(static, 1) num_threads((int)shares) if (shares > 1)
    for (int64_t t = 0; t < shares; t++) {
        const int64_t begin = share[t];
        const int64_t end   = share[t + 1];

        /* d1/8192, dense */
        for (int64_t pjb = 0; pjb < A0_size; pjb++) {
            const int64_t jb    = pjb + A0_lo;
            const int64_t limit = jb * 8192 + 8191;

            /* slot, ragged */
            for (int64_t pslot = A1_ptr[pjb]; pslot < A1_ptr[pjb + 1]; pslot++) {
                /* (d0/2)%16, dense */
                for (int64_t pir0 = begin; pir0 < end; pir0 += 16) {
                    if (pir0 + 16 <= end && (col_lo <= jb * 8192 && limit < col_end)) {
                        v8f64         s0 = {0};
                        v8f64         s1 = {0};
                        const int64_t p  = pslot * 16 + pir0;

                        s0 += load_v8f64(A_val + p)
                              * gather_v8f64_u16_upto(x + jb * 8192, A5_idx + p, 8191);
                        s1 += load_v8f64(A_val + p + 8)
                              * gather_v8f64_u16_upto(x + jb * 8192, A5_idx + p + 8,
                                                      8191);

                        const int64_t ib = A3_idx[p];

                        if (ib != A3_hole) {
                            const int64_t ir = A4_idx[p];

                            if (ir != A4_hole)
                                y[pir0 * 2 + ib * 32 + ir - row_lo] += s0[0];
                        }

                        const int64_t ib_2 = A3_idx[p + 1];

                        if (ib_2 != A3_hole) {
                            const int64_t ir = A4_idx[p + 1];

                            if (ir != A4_hole)
                                y[pir0 * 2 + ib_2 * 32 + ir - row_lo + 2] += s0[1];
                        }

                        const int64_t ib_3 = A3_idx[p + 2];

                        if (ib_3 != A3_hole) {
                            const int64_t ir = A4_idx[p + 2];

                            if (ir != A4_hole)
                                y[pir0 * 2 + ib_3 * 32 + ir - row_lo + 4] += s0[2];
                        }

                        const int64_t ib_4 = A3_idx[p + 3];

                        if (ib_4 != A3_hole) {
                            const int64_t ir = A4_idx[p + 3];

                            if (ir != A4_hole)
                                y[pir0 * 2 + ib_4 * 32 + ir - row_lo + 6] += s0[3];
                        }

                        const int64_t ib_5 = A3_idx[p + 4];

                        if (ib_5 != A3_hole) {
                            const int64_t ir = A4_idx[p + 4];

                            if (ir != A4_hole)
                                y[pir0 * 2 + ib_5 * 32 + ir - row_lo + 8] += s0[4];
                        }

                        const int64_t ib_6 = A3_idx[p + 5];

                        if (ib_6 != A3_hole) {
                            const int64_t ir = A4_idx[p + 5];

                            if (ir != A4_hole)
                                y[pir0 * 2 + ib_6 * 32 + ir - row_lo + 10] += s0[5];
                        }

                        const int64_t ib_7 = A3_idx[p + 6];

                        if (ib_7 != A3_hole) {
                            const int64_t ir = A4_idx[p + 6];

                            if (ir != A4_hole)
                                y[pir0 * 2 + ib_7 * 32 + ir - row_lo + 12] += s0[6];
                        }

                        const int64_t ib_8 = A3_idx[p + 7];

                        if (ib_8 != A3_hole) {
                            const int64_t ir = A4_idx[p + 7];

                            if (ir != A4_hole)
                                y[pir0 * 2 + ib_8 * 32 + ir - row_lo + 14] += s0[7];
                        }

                        const int64_t ib_9 = A3_idx[p + 8];

                        if (ib_9 != A3_hole) {
                            const int64_t ir = A4_idx[p + 8];

                            if (ir != A4_hole)
                                y[pir0 * 2 + ib_9 * 32 + ir - row_lo + 16] += s1[0];
                        }

                        const int64_t ib_10 = A3_idx[p + 9];

                        if (ib_10 != A3_hole) {
                            const int64_t ir = A4_idx[p + 9];

                            if (ir != A4_hole)
                                y[pir0 * 2 + ib_10 * 32 + ir - row_lo + 18] += s1[1];
                        }

                        const int64_t ib_11 = A3_idx[p + 10];

                        if (ib_11 != A3_hole) {
                            const int64_t ir = A4_idx[p + 10];

                            if (ir != A4_hole)
                                y[pir0 * 2 + ib_11 * 32 + ir - row_lo + 20] += s1[2];
                        }

                        const int64_t ib_12 = A3_idx[p + 11];

                        if (ib_12 != A3_hole) {
                            const int64_t ir = A4_idx[p + 11];

                            if (ir != A4_hole)
                                y[pir0 * 2 + ib_12 * 32 + ir - row_lo + 22] += s1[3];
                        }

                        const int64_t ib_13 = A3_idx[p + 12];

                        if (ib_13 != A3_hole) {
                            const int64_t ir = A4_idx[p + 12];

                            if (ir != A4_hole)
                                y[pir0 * 2 + ib_13 * 32 + ir - row_lo + 24] += s1[4];
                        }

                        const int64_t ib_14 = A3_idx[p + 13];

                        if (ib_14 != A3_hole) {
                            const int64_t ir = A4_idx[p + 13];

                            if (ir != A4_hole)
                                y[pir0 * 2 + ib_14 * 32 + ir - row_lo + 26] += s1[5];
                        }

                        const int64_t ib_15 = A3_idx[p + 14];

                        if (ib_15 != A3_hole) {
                            const int64_t ir = A4_idx[p + 14];

                            if (ir != A4_hole)
                                y[pir0 * 2 + ib_15 * 32 + ir - row_lo + 28] += s1[6];
                        }

                        const int64_t ib_16 = A3_idx[p + 15];

                        if (ib_16 != A3_hole) {
                            const int64_t ir = A4_idx[p + 15];

                            if (ir != A4_hole)
                                y[pir0 * 2 + ib_16 * 32 + ir - row_lo + 30] += s1[7];
                        }
                    } else {
                        /* (d0/2)%16, dense */
                        for (int64_t ir = pir0; ir < min(pir0 + 16, end); ir++) {
                            const int64_t ib = A3_idx[pslot * 16 + ir];

                            if (ib != A3_hole) {
                                const int64_t ir_2 = A4_idx[pslot * 16 + ir];

                                if (ir_2 != A4_hole) {
                                    const int64_t i  = ir * 2 + ib * 32 + ir_2;
                                    const int64_t jr = A5_idx[pslot * 16 + ir];

                                    if (jr != A5_hole) {
                                        const int64_t j = jb * 8192 + jr;

                                        if (col_lo <= j && j < col_end) {
                                            double s = 0.0;

                                            s += A_val[pslot * 16 + ir]
                                                 * x[jb * 8192 + min(jr, 8191)];
                                            y[i - row_lo] += s;
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    return 0;
}
