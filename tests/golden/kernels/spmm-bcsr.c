/*
 * Y(i,c) = A(i,j)*X(j,c)
 * A: d0/3, dense; d1/3, compressed; d0%3, dense; d1%3, dense
 * key: product.k double.double v64 h00000 +1*(+1*d0+0)/3+0.dense
 *     +1*(+1*d1+0)/3+0.compressed.p64.u32.n1 +1*(+1*d0+0)%3+0.dense
 *     +1*(+1*d1+0)%3+0.dense d0=+3*e0+1*e2+0 d1=+3*e1+1*e3+0 f64 pads
 *     order.0.2/1.3 ocrx tile1.2 sum0 share3.0
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

static inline v8f64 splat_v8f64(double x)
{
    return (v8f64){x, x, x, x, x, x, x, x};
}

int64_t spmm(const cairn_kernel_part *A, const cairn_product_args *op)
{
    const double *restrict const x        = op->x;
    double *restrict const y              = op->y;
    const int64_t *restrict const share   = op->share;
    const int64_t *restrict const A1_ptr  = A->level[1].ptr;
    const uint32_t *restrict const A1_idx = A->level[1].idx;
    const double *restrict const A_val    = A->val;

    const int64_t row_lo   = op->row_lo;
    const int64_t row_end  = op->row_end;
    const int64_t col_lo   = op->col_lo;
    const int64_t col_end  = op->col_end;
    const int64_t shares   = op->shares;
    const int64_t A0_lo    = A->level[0].lo;
    const int64_t columns  = op->columns;
    const int64_t x_stride = op->x_stride;
    const int64_t y_stride = op->y_stride;

    /* threads */
#pragma omp parallel for schedule(static, 1) num_threads((int)shares) if (shares > 1)
    for (int64_t t = 0; t < shares; t++) {
        const int64_t begin  = share[t];
        const int64_t end    = share[t + 1];
        const int64_t half   = columns - columns % 32;
        const int64_t even   = columns - (columns - half) % 8;
        const int64_t wide   = columns - columns % 64;
        const int64_t half_2 = columns - (columns - wide) % 32;
        const int64_t even_2 = columns - (columns - half_2) % 8;

        /* d0/3, dense */
        for (int64_t pib = begin; pib < end; pib++) {
            const int64_t ib = pib + A0_lo;

            if (row_lo <= ib * 3 && ib * 3 + 2 < row_end
                && (A1_ptr[pib] == A1_ptr[pib + 1]
                    || (col_lo <= (int64_t)A1_idx[A1_ptr[pib]] * 3
                        && (int64_t)A1_idx[A1_ptr[pib + 1] - 1] * 3 + 2 < col_end))) {
                const int64_t i        = ib * 3;
                const int64_t i_2      = i + 1;
                const int64_t i_3      = i + 2;
                const int64_t y_base   = (i - row_lo) * y_stride;
                const int64_t y_base_2 = (i_2 - row_lo) * y_stride;
                const int64_t y_base_3 = (i_3 - row_lo) * y_stride;

                /* columns */
                for (int64_t c = 0; c < half; c += 32) {
                    v8f64 s0_0 = {0};
                    v8f64 s0_1 = {0};
                    v8f64 s0_2 = {0};
                    v8f64 s0_3 = {0};
                    v8f64 s1_0 = {0};
                    v8f64 s1_1 = {0};
                    v8f64 s1_2 = {0};
                    v8f64 s1_3 = {0};
                    v8f64 s2_0 = {0};
                    v8f64 s2_1 = {0};
                    v8f64 s2_2 = {0};
                    v8f64 s2_3 = {0};

                    /* d1/3, compressed */
                    for (int64_t pjb = A1_ptr[pib]; pjb < A1_ptr[pib + 1]; pjb++) {
                        const int64_t jb = A1_idx[pjb];

                        /* d1%3, dense */
                        for (int64_t jr = 0; jr < 3; jr++) {
                            const v8f64 x0 =
                                load_v8f64(x + (jb * 3 + jr) * x_stride + c);
                            const v8f64 x1 =
                                load_v8f64(x + (jb * 3 + jr) * x_stride + c + 8);
                            const v8f64 x2 =
                                load_v8f64(x + (jb * 3 + jr) * x_stride + c + 16);
                            const v8f64 x3 =
                                load_v8f64(x + (jb * 3 + jr) * x_stride + c + 24);
                            const v8f64 a = splat_v8f64(A_val[pjb * 9 + jr]);

                            s0_0 += a * x0;
                            s0_1 += a * x1;
                            s0_2 += a * x2;
                            s0_3 += a * x3;

                            const v8f64 a_2 = splat_v8f64(A_val[pjb * 9 + jr + 3]);

                            s1_0 += a_2 * x0;
                            s1_1 += a_2 * x1;
                            s1_2 += a_2 * x2;
                            s1_3 += a_2 * x3;

                            const v8f64 a_3 = splat_v8f64(A_val[pjb * 9 + jr + 6]);

                            s2_0 += a_3 * x0;
                            s2_1 += a_3 * x1;
                            s2_2 += a_3 * x2;
                            s2_3 += a_3 * x3;
                        }
                    }
                    *(v8f64 *)(y + y_base + c)        = s0_0;
                    *(v8f64 *)(y + y_base + c + 8)    = s0_1;
                    *(v8f64 *)(y + y_base + c + 16)   = s0_2;
                    *(v8f64 *)(y + y_base + c + 24)   = s0_3;
                    *(v8f64 *)(y + y_base_2 + c)      = s1_0;
                    *(v8f64 *)(y + y_base_2 + c + 8)  = s1_1;
                    *(v8f64 *)(y + y_base_2 + c + 16) = s1_2;
                    *(v8f64 *)(y + y_base_2 + c + 24) = s1_3;
                    *(v8f64 *)(y + y_base_3 + c)      = s2_0;
                    *(v8f64 *)(y + y_base_3 + c + 8)  = s2_1;
                    *(v8f64 *)(y + y_base_3 + c + 16) = s2_2;
                    *(v8f64 *)(y + y_base_3 + c + 24) = s2_3;
                }

                const int64_t y_base_4 = (i - row_lo + 1) * y_stride;
                const int64_t y_base_5 = (i - row_lo + 2) * y_stride;

                /* columns */
                for (int64_t c = half; c < even; c += 8) {
                    v8f64 s0 = {0};
                    v8f64 s1 = {0};
                    v8f64 s2 = {0};

                    /* d1/3, compressed */
                    for (int64_t pjb = A1_ptr[pib]; pjb < A1_ptr[pib + 1]; pjb++) {
                        const int64_t jb = A1_idx[pjb];

                        /* d1%3, dense */
                        for (int64_t jr = 0; jr < 3; jr++) {
                            const v8f64 x0 =
                                load_v8f64(x + (jb * 3 + jr) * x_stride + c);
                            const v8f64 a = splat_v8f64(A_val[pjb * 9 + jr]);

                            s0 += a * x0;

                            const v8f64 a_2 = splat_v8f64(A_val[pjb * 9 + jr + 3]);

                            s1 += a_2 * x0;

                            const v8f64 a_3 = splat_v8f64(A_val[pjb * 9 + jr + 6]);

                            s2 += a_3 * x0;
                        }
                    }
                    *(v8f64 *)(y + y_base + c)   = s0;
                    *(v8f64 *)(y + y_base_4 + c) = s1;
                    *(v8f64 *)(y + y_base_5 + c) = s2;
                }

                /* columns */
                for (int64_t c = even; c < columns; c++) {
                    double s0 = 0.0;
                    double s1 = 0.0;
                    double s2 = 0.0;

                    /* d1/3, compressed */
                    for (int64_t pjb = A1_ptr[pib]; pjb < A1_ptr[pib + 1]; pjb++) {
                        const int64_t jb = A1_idx[pjb];

                        /* d1%3, dense */
                        for (int64_t jr = 0; jr < 3; jr++) {
                            const double x0 = x[(jb * 3 + jr) * x_stride + c];

                            s0 += A_val[pjb * 9 + jr] * x0;
                            s1 += A_val[pjb * 9 + jr + 3] * x0;
                            s2 += A_val[pjb * 9 + jr + 6] * x0;
                        }
                    }
                    y[y_base + c]   = s0;
                    y[y_base_4 + c] = s1;
                    y[y_base_5 + c] = s2;
                }
            } else {
                const int64_t ir_begin = max(0, row_lo - ib * 3);
                const int64_t ir_end   = min(3, row_end - ib * 3);

                /* d0%3, dense */
                for (int64_t ir = ir_begin; ir < ir_end; ir++) {
                    const int64_t i      = ib * 3 + ir;
                    const int64_t y_base = (i - row_lo) * y_stride;

                    /* columns */
                    for (int64_t c = 0; c < wide; c += 64) {
                        v8f64 s_0 = {0};
                        v8f64 s_1 = {0};
                        v8f64 s_2 = {0};
                        v8f64 s_3 = {0};
                        v8f64 s_4 = {0};
                        v8f64 s_5 = {0};
                        v8f64 s_6 = {0};
                        v8f64 s_7 = {0};

                        /* d1/3, compressed */
                        for (int64_t pjb = A1_ptr[pib]; pjb < A1_ptr[pib + 1]; pjb++) {
                            const int64_t jb         = A1_idx[pjb];
                            const int64_t jr_begin   = max(0, col_lo - jb * 3);
                            const int64_t jr_end     = min(3, col_end - jb * 3);
                            const int64_t A_val_base = (pjb * 3 + ir) * 3;

                            /* d1%3, dense */
                            for (int64_t jr = jr_begin; jr < jr_end; jr++) {
                                const int64_t j = jb * 3 + jr;
                                const v8f64   a = splat_v8f64(A_val[A_val_base + jr]);

                                s_0 += a * load_v8f64(x + j * x_stride + c);
                                s_1 += a * load_v8f64(x + j * x_stride + c + 8);
                                s_2 += a * load_v8f64(x + j * x_stride + c + 16);
                                s_3 += a * load_v8f64(x + j * x_stride + c + 24);
                                s_4 += a * load_v8f64(x + j * x_stride + c + 32);
                                s_5 += a * load_v8f64(x + j * x_stride + c + 40);
                                s_6 += a * load_v8f64(x + j * x_stride + c + 48);
                                s_7 += a * load_v8f64(x + j * x_stride + c + 56);
                            }
                        }
                        *(v8f64 *)(y + y_base + c)      = s_0;
                        *(v8f64 *)(y + y_base + c + 8)  = s_1;
                        *(v8f64 *)(y + y_base + c + 16) = s_2;
                        *(v8f64 *)(y + y_base + c + 24) = s_3;
                        *(v8f64 *)(y + y_base + c + 32) = s_4;
                        *(v8f64 *)(y + y_base + c + 40) = s_5;
                        *(v8f64 *)(y + y_base + c + 48) = s_6;
                        *(v8f64 *)(y + y_base + c + 56) = s_7;
                    }

                    /* columns */
                    for (int64_t c = wide; c < half_2; c += 32) {
                        v8f64 s_0 = {0};
                        v8f64 s_1 = {0};
                        v8f64 s_2 = {0};
                        v8f64 s_3 = {0};

                        /* d1/3, compressed */
                        for (int64_t pjb = A1_ptr[pib]; pjb < A1_ptr[pib + 1]; pjb++) {
                            const int64_t jb         = A1_idx[pjb];
                            const int64_t jr_begin   = max(0, col_lo - jb * 3);
                            const int64_t jr_end     = min(3, col_end - jb * 3);
                            const int64_t A_val_base = (pjb * 3 + ir) * 3;

                            /* d1%3, dense */
                            for (int64_t jr = jr_begin; jr < jr_end; jr++) {
                                const int64_t j = jb * 3 + jr;
                                const v8f64   a = splat_v8f64(A_val[A_val_base + jr]);

                                s_0 += a * load_v8f64(x + j * x_stride + c);
                                s_1 += a * load_v8f64(x + j * x_stride + c + 8);
                                s_2 += a * load_v8f64(x + j * x_stride + c + 16);
                                s_3 += a * load_v8f64(x + j * x_stride + c + 24);
                            }
                        }
                        *(v8f64 *)(y + y_base + c)      = s_0;
                        *(v8f64 *)(y + y_base + c + 8)  = s_1;
                        *(v8f64 *)(y + y_base + c + 16) = s_2;
                        *(v8f64 *)(y + y_base + c + 24) = s_3;
                    }

                    /* columns */
                    for (int64_t c = half_2; c < even_2; c += 8) {
                        v8f64 s = {0};

                        /* d1/3, compressed */
                        for (int64_t pjb = A1_ptr[pib]; pjb < A1_ptr[pib + 1]; pjb++) {
                            const int64_t jb         = A1_idx[pjb];
                            const int64_t jr_begin   = max(0, col_lo - jb * 3);
                            const int64_t jr_end     = min(3, col_end - jb * 3);
                            const int64_t A_val_base = (pjb * 3 + ir) * 3;

                            /* d1%3, dense */
                            for (int64_t jr = jr_begin; jr < jr_end; jr++) {
                                const int64_t j = jb * 3 + jr;
                                const v8f64   a = splat_v8f64(A_val[A_val_base + jr]);

                                s += a * load_v8f64(x + j * x_stride + c);
                            }
                        }
                        *(v8f64 *)(y + y_base + c) = s;
                    }

                    /* columns */
                    for (int64_t c = even_2; c < columns; c++) {
                        double s = 0.0;

                        /* d1/3, compressed */
                        for (int64_t pjb = A1_ptr[pib]; pjb < A1_ptr[pib + 1]; pjb++) {
                            const int64_t jb         = A1_idx[pjb];
                            const int64_t jr_begin   = max(0, col_lo - jb * 3);
                            const int64_t jr_end     = min(3, col_end - jb * 3);
                            const int64_t A_val_base = (pjb * 3 + ir) * 3;

                            /* d1%3, dense */
                            for (int64_t jr = jr_begin; jr < jr_end; jr++) {
                                const int64_t j = jb * 3 + jr;

                                s += A_val[A_val_base + jr] * x[j * x_stride + c];
                            }
                        }
                        y[y_base + c] = s;
                    }
                }
            }
        }
    }
    return 0;
}
