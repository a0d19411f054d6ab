/*
 * y(i) = A(i,j)*x(j)
 * A: d0/16, dense; d1-d0, compressed; d0%16, dense
 * key: product double.double v8 h00000 +1*(+1*d0+0)/16+0.dense
 *     -1*d0+1*d1+0.compressed.p64.i32.n1 +1*(+1*d0+0)%16+0.dense d0=+16*e0+1*e2+0
 *     d1=+16*e0+1*e1+1*e2+0 f64 pads order.0.2/1 ocrx tile2.2 sum0 share3.0
 */

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

typedef int  int32_t;
typedef long int64_t;

static inline int64_t min_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t max_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

__kernel void spmv(__global const double *restrict x, int64_t x_first,
                   __global double *restrict y, __global const int64_t *restrict share,
                   __global const int64_t *restrict A1_ptr,
                   __global const int32_t *restrict A1_idx,
                   __global const double *restrict A_val, int64_t row_lo,
                   int64_t row_end, int64_t col_lo, int64_t col_end, int64_t shares,
                   int64_t A0_lo)
{
    /* a turn for each work-item */
    const int64_t t = (int64_t)get_global_id(0);

    if (t >= shares) return;

    const int64_t begin = share[t];
    const int64_t end   = share[t + 1];

    /* d0/16, dense */
    for (int64_t pib = begin; pib < end; pib++) {
        const int64_t ib      = pib + A0_lo;
        const int64_t limit   = row_lo - ib * 16;
        const int64_t limit_2 = row_end - ib * 16;

        /* d0%16, dense */
        for (int64_t pir0 = 0; pir0 < 16; pir0 += 8) {
            if (pir0 + 8 <= 16
                && (row_lo <= ib * 16 + pir0 && ib * 16 + pir0 + 7 < row_end
                    && (A1_ptr[pib] == A1_ptr[pib + 1]
                        || (col_lo <= ib * 16 + A1_idx[A1_ptr[pib]] + pir0
                            && ib * 16 + A1_idx[A1_ptr[pib + 1] - 1] + pir0 + 7
                            < col_end)))) {
                double s0 = 0.0;
                double s1 = 0.0;
                double s2 = 0.0;
                double s3 = 0.0;
                double s4 = 0.0;
                double s5 = 0.0;
                double s6 = 0.0;
                double s7 = 0.0;

                /* d1-d0, compressed */
                for (int64_t pd = A1_ptr[pib]; pd < A1_ptr[pib + 1]; pd++) {
                    const int64_t d = A1_idx[pd];
                    const int64_t p = pd * 16 + pir0;
                    const int64_t j = ib * 16 + d + pir0;

                    s0 += A_val[p] * x[j - x_first];
                    s1 += A_val[p + 1] * x[j + 1 - x_first];
                    s2 += A_val[p + 2] * x[j + 2 - x_first];
                    s3 += A_val[p + 3] * x[j + 3 - x_first];
                    s4 += A_val[p + 4] * x[j + 4 - x_first];
                    s5 += A_val[p + 5] * x[j + 5 - x_first];
                    s6 += A_val[p + 6] * x[j + 6 - x_first];
                    s7 += A_val[p + 7] * x[j + 7 - x_first];
                }
                y[ib * 16 + pir0 - row_lo]     = s0;
                y[ib * 16 + pir0 - row_lo + 1] = s1;
                y[ib * 16 + pir0 - row_lo + 2] = s2;
                y[ib * 16 + pir0 - row_lo + 3] = s3;
                y[ib * 16 + pir0 - row_lo + 4] = s4;
                y[ib * 16 + pir0 - row_lo + 5] = s5;
                y[ib * 16 + pir0 - row_lo + 6] = s6;
                y[ib * 16 + pir0 - row_lo + 7] = s7;
            } else {
                const int64_t ir_begin = max_of(pir0, limit);
                const int64_t ir_end   = min_of(min_of(pir0 + 8, 16), limit_2);

                /* d0%16, dense */
                for (int64_t ir = ir_begin; ir < ir_end; ir++) {
                    const int64_t i = ib * 16 + ir;
                    double        s = 0.0;

                    /* d1-d0, compressed */
                    for (int64_t pd = A1_ptr[pib]; pd < A1_ptr[pib + 1]; pd++) {
                        const int64_t d = A1_idx[pd];
                        const int64_t j = ib * 16 + d + ir;

                        if (col_lo <= j && j < col_end)
                            s += A_val[pd * 16 + ir] * x[j - x_first];
                    }
                    y[i - row_lo] = s;
                }
            }
        }
    }
}
