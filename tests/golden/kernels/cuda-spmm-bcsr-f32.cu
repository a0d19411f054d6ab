/* nvrtc --std=c++17 --fmad=false --ftz=false --prec-div=true --prec-sqrt=true */
/*
 * Y(i,c) = A(i,j)*X(j,c)
 * A: d0/4, dense; d1/4, compressed; d0%4, dense; d1%4, dense
 * key: product.k float.double v8 h00000 +1*(+1*d0+0)/4+0.dense
 *     +1*(+1*d1+0)/4+0.compressed.p64.u32.n1 +1*(+1*d0+0)%4+0.dense
 *     +1*(+1*d1+0)%4+0.dense d0=+4*e0+1*e2+0 d1=+4*e1+1*e3+0 f32 pads
 *     order.0.2/1.3 ocrx tile1.2 sum0 share3.0
 */

typedef long         int64_t;
typedef unsigned int uint32_t;

#ifndef ITEMS
#define ITEMS 128
#endif
#ifdef __CUDACC__
#define KERNEL(name) \
    extern "C" __global__ void __launch_bounds__(ITEMS, name##_groups) \
        name(const name##_args op)
#endif

__device__ static inline int64_t min_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

__device__ static inline int64_t max_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

__device__ static inline int64_t ldg_i64(const int64_t *from)
{
#ifdef __CUDACC__
    return __ldg(from);
#else
    return *from;
#endif
}

__device__ static inline uint32_t ldg_u32(const uint32_t *from)
{
#ifdef __CUDACC__
    return __ldg(from);
#else
    return *from;
#endif
}

__device__ static inline float ldg_f32(const float *from)
{
#ifdef __CUDACC__
    return __ldg(from);
#else
    return *from;
#endif
}

typedef struct spmm_args {
    const float *x;
    float *y;
    const int64_t *tile;
    const int64_t *A1_ptr;
    const uint32_t *A1_idx;
    const float *A_val;
    int64_t row_lo;
    int64_t row_end;
    int64_t col_lo;
    int64_t col_end;
    int64_t from;
    int64_t to;
    int64_t columns;
    int64_t A0_lo;
    int64_t x_stride;
    int64_t y_stride;
} spmm_args;

enum { spmm_groups = 5 };

KERNEL(spmm)
{
    const float *const x         = op.x;
    float *const y               = op.y;
    const int64_t *const tile    = op.tile;
    const int64_t *const A1_ptr  = op.A1_ptr;
    const uint32_t *const A1_idx = op.A1_idx;
    const float *const A_val     = op.A_val;

    const int64_t row_lo   = op.row_lo;
    const int64_t row_end  = op.row_end;
    const int64_t col_lo   = op.col_lo;
    const int64_t col_end  = op.col_end;
    const int64_t from     = op.from;
    const int64_t to       = op.to;
    const int64_t columns  = op.columns;
    const int64_t A0_lo    = op.A0_lo;
    const int64_t x_stride = op.x_stride;
    const int64_t y_stride = op.y_stride;

    const int64_t turns = to - from;

    /* tiles of lists */
    for (int64_t g = (int64_t)blockIdx.x; g < turns * ((columns + 31) / 32);
         g += (int64_t)gridDim.x) {
        const int64_t turn       = g % turns;
        const int64_t columns_at = g / turns * 32;
        const int64_t lists      = ldg_i64(tile + from + turn);
        const int64_t lists_end  = ldg_i64(tile + from + turn + 1);

        /* rows */
        for (int64_t t = lists * 8 + (int64_t)threadIdx.x; t < lists_end * 8;
             t += (int64_t)ITEMS) {
            const int64_t c = columns_at + t % 8 * 4;

            if (c < columns) {
                const int64_t z  = t / 8;
                const int64_t ib = z + A0_lo;

                if (row_lo <= ib * 4 && ib * 4 + 3 < row_end
                    && (ldg_i64(A1_ptr + z) == ldg_i64(A1_ptr + z + 1)
                        || (col_lo <= (int64_t)ldg_u32(A1_idx + ldg_i64(A1_ptr + z)) * 4
                            && (int64_t)ldg_u32(A1_idx + ldg_i64(A1_ptr + z + 1) - 1)
                            * 4
                            + 3 < col_end))) {
                    double s0_0 = 0.0;
                    double s0_1 = 0.0;
                    double s0_2 = 0.0;
                    double s0_3 = 0.0;
                    double s1_0 = 0.0;
                    double s1_1 = 0.0;
                    double s1_2 = 0.0;
                    double s1_3 = 0.0;
                    double s2_0 = 0.0;
                    double s2_1 = 0.0;
                    double s2_2 = 0.0;
                    double s2_3 = 0.0;
                    double s3_0 = 0.0;
                    double s3_1 = 0.0;
                    double s3_2 = 0.0;
                    double s3_3 = 0.0;

                    /* d1/4, compressed */
                    for (int64_t pjb = ldg_i64(A1_ptr + z);
                         pjb < ldg_i64(A1_ptr + z + 1); pjb++) {
                        const int64_t jb = ldg_u32(A1_idx + pjb);

                        /* d1%4, dense */
                        for (int64_t jr = 0; jr < 4; jr++) {
                            const double x0 =
                                (double)ldg_f32(x + (jb * 4 + jr) * x_stride + c);
                            const double x1 =
                                (double)ldg_f32(x + (jb * 4 + jr) * x_stride + c + 1);
                            const double x2 =
                                (double)ldg_f32(x + (jb * 4 + jr) * x_stride + c + 2);
                            const double x3 =
                                (double)ldg_f32(x + (jb * 4 + jr) * x_stride + c + 3);
                            const double a = (double)ldg_f32(A_val + pjb * 16 + jr);

                            s0_0 += a * x0;
                            s0_1 += a * x1;
                            s0_2 += a * x2;
                            s0_3 += a * x3;

                            const double a_2 =
                                (double)ldg_f32(A_val + pjb * 16 + jr + 4);

                            s1_0 += a_2 * x0;
                            s1_1 += a_2 * x1;
                            s1_2 += a_2 * x2;
                            s1_3 += a_2 * x3;

                            const double a_3 =
                                (double)ldg_f32(A_val + pjb * 16 + jr + 8);

                            s2_0 += a_3 * x0;
                            s2_1 += a_3 * x1;
                            s2_2 += a_3 * x2;
                            s2_3 += a_3 * x3;

                            const double a_4 =
                                (double)ldg_f32(A_val + pjb * 16 + jr + 12);

                            s3_0 += a_4 * x0;
                            s3_1 += a_4 * x1;
                            s3_2 += a_4 * x2;
                            s3_3 += a_4 * x3;
                        }
                    }

                    const int64_t i = ib * 4;

                    y[(i - row_lo) * y_stride + c]     = (float)s0_0;
                    y[(i - row_lo) * y_stride + c + 1] = (float)s0_1;
                    y[(i - row_lo) * y_stride + c + 2] = (float)s0_2;
                    y[(i - row_lo) * y_stride + c + 3] = (float)s0_3;

                    const int64_t i_2 = i + 1;

                    y[(i_2 - row_lo) * y_stride + c]     = (float)s1_0;
                    y[(i_2 - row_lo) * y_stride + c + 1] = (float)s1_1;
                    y[(i_2 - row_lo) * y_stride + c + 2] = (float)s1_2;
                    y[(i_2 - row_lo) * y_stride + c + 3] = (float)s1_3;

                    const int64_t i_3 = i + 2;

                    y[(i_3 - row_lo) * y_stride + c]     = (float)s2_0;
                    y[(i_3 - row_lo) * y_stride + c + 1] = (float)s2_1;
                    y[(i_3 - row_lo) * y_stride + c + 2] = (float)s2_2;
                    y[(i_3 - row_lo) * y_stride + c + 3] = (float)s2_3;

                    const int64_t i_4 = i + 3;

                    y[(i_4 - row_lo) * y_stride + c]     = (float)s3_0;
                    y[(i_4 - row_lo) * y_stride + c + 1] = (float)s3_1;
                    y[(i_4 - row_lo) * y_stride + c + 2] = (float)s3_2;
                    y[(i_4 - row_lo) * y_stride + c + 3] = (float)s3_3;
                } else {
                    const int64_t ir_begin = max_of(0, row_lo - ib * 4);
                    const int64_t ir_end   = min_of(4, row_end - ib * 4);

                    /* d0%4, dense */
                    for (int64_t ir = ir_begin; ir < ir_end; ir++) {
                        const int64_t i   = ib * 4 + ir;
                        double        s_0 = 0.0;
                        double        s_1 = 0.0;
                        double        s_2 = 0.0;
                        double        s_3 = 0.0;

                        /* d1/4, compressed */
                        for (int64_t pjb = ldg_i64(A1_ptr + z);
                             pjb < ldg_i64(A1_ptr + z + 1); pjb++) {
                            const int64_t jb         = ldg_u32(A1_idx + pjb);
                            const int64_t jr_begin   = max_of(0, col_lo - jb * 4);
                            const int64_t jr_end     = min_of(4, col_end - jb * 4);
                            const int64_t A_val_base = (pjb * 4 + ir) * 4;

                            /* d1%4, dense */
                            for (int64_t jr = jr_begin; jr < jr_end; jr++) {
                                const int64_t j = jb * 4 + jr;
                                const double a =
                                    (double)ldg_f32(A_val + A_val_base + jr);

                                s_0 += a * (double)ldg_f32(x + j * x_stride + c);
                                s_1 += a * (double)ldg_f32(x + j * x_stride + c + 1);
                                s_2 += a * (double)ldg_f32(x + j * x_stride + c + 2);
                                s_3 += a * (double)ldg_f32(x + j * x_stride + c + 3);
                            }
                        }
                        y[(i - row_lo) * y_stride + c]     = (float)s_0;
                        y[(i - row_lo) * y_stride + c + 1] = (float)s_1;
                        y[(i - row_lo) * y_stride + c + 2] = (float)s_2;
                        y[(i - row_lo) * y_stride + c + 3] = (float)s_3;
                    }
                }
            }
        }
    }
}
