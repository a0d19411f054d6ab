#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

typedef int  int32_t;
typedef long int64_t;
typedef uint uint32_t;

static inline int64_t min_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t max_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/*
 * y(i) = A(i,j)*x(j)
 * A: d0/16, dense; d1-d0, compressed; d0%16, dense
 * key: product.wide float.double v8 h00000 +1*(+1*d0+0)/16+0.dense
 *     -1*d0+1*d1+0.compressed.p64.i32.n1 +1*(+1*d0+0)%16+0.dense d0=+16*e0+1*e2+0
 *     d1=+16*e0+1*e1+1*e2+0 f32 pads order.0.2/1 ocrx tile2.2 sum0 share3.0
 */

__kernel void spmv_0(__global const float *restrict x, int64_t x_first,
                     __global double *restrict y,
                     __global const int64_t *restrict share,
                     __global const int64_t *restrict A1_ptr,
                     __global const int32_t *restrict A1_idx,
                     __global const float *restrict A_val, int64_t row_lo,
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

                    s0 += (double)A_val[p] * (double)x[j - x_first];
                    s1 += (double)A_val[p + 1] * (double)x[j + 1 - x_first];
                    s2 += (double)A_val[p + 2] * (double)x[j + 2 - x_first];
                    s3 += (double)A_val[p + 3] * (double)x[j + 3 - x_first];
                    s4 += (double)A_val[p + 4] * (double)x[j + 4 - x_first];
                    s5 += (double)A_val[p + 5] * (double)x[j + 5 - x_first];
                    s6 += (double)A_val[p + 6] * (double)x[j + 6 - x_first];
                    s7 += (double)A_val[p + 7] * (double)x[j + 7 - x_first];
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
                            s += (double)A_val[pd * 16 + ir] * (double)x[j - x_first];
                    }
                    y[i - row_lo] = s;
                }
            }
        }
    }
}

/*
 * y(i) += A(i,j)*x(j)
 * A: d0, dense; d1, compressed
 * key: product.add.sums.wide float.double v8 h00000 +1*d0+0.dense
 *     +1*d1+0.compressed.p64.u32.n1 d0=+1*e0+0 d1=+1*e1+0 f32 order.0/1 oc
 *     tile0.-1 sum1 share3.0
 */

__kernel void spmv_1(__global const float *restrict x, int64_t x_first,
                     __global double *restrict y,
                     __global const int64_t *restrict share,
                     __global const int64_t *restrict A1_ptr,
                     __global const uint32_t *restrict A1_idx,
                     __global const float *restrict A_val, int64_t row_lo,
                     int64_t shares, int64_t A0_lo)
{
    /* a turn for each work-item */
    const int64_t t = (int64_t)get_global_id(0);

    if (t >= shares) return;

    const int64_t begin = share[t];
    const int64_t end   = share[t + 1];

    /* d0, dense */
    for (int64_t pi = begin; pi < end; pi++) {
        const int64_t i = pi + A0_lo;

        if (A1_ptr[pi] < A1_ptr[pi + 1]) {
            double sa = 0.0;
            double sb = 0.0;
            double sc = 0.0;
            double sd = 0.0;

            /* d1, compressed */
            int64_t       pj    = A1_ptr[pi];
            const int64_t j_end = A1_ptr[pi + 1];
            double        row   = 0.0;

            while (4096 < j_end - pj) {
                const int64_t cut = pj + 4096;

                while (pj + 8 <= cut) {
                    sa += (double)A_val[pj] * (double)x[A1_idx[pj] - x_first];
                    sb += (double)A_val[pj + 1] * (double)x[A1_idx[pj + 1] - x_first];
                    sc += (double)A_val[pj + 2] * (double)x[A1_idx[pj + 2] - x_first];
                    sd += (double)A_val[pj + 3] * (double)x[A1_idx[pj + 3] - x_first];
                    sa += (double)A_val[pj + 4] * (double)x[A1_idx[pj + 4] - x_first];
                    sb += (double)A_val[pj + 5] * (double)x[A1_idx[pj + 5] - x_first];
                    sc += (double)A_val[pj + 6] * (double)x[A1_idx[pj + 6] - x_first];
                    sd += (double)A_val[pj + 7] * (double)x[A1_idx[pj + 7] - x_first];
                    pj += 8;
                }
                row += sa + sb + (sc + sd);
                sa = 0.0;
                sb = 0.0;
                sc = 0.0;
                sd = 0.0;
            }
            while (pj + 8 <= j_end) {
                sa += (double)A_val[pj] * (double)x[A1_idx[pj] - x_first];
                sb += (double)A_val[pj + 1] * (double)x[A1_idx[pj + 1] - x_first];
                sc += (double)A_val[pj + 2] * (double)x[A1_idx[pj + 2] - x_first];
                sd += (double)A_val[pj + 3] * (double)x[A1_idx[pj + 3] - x_first];
                sa += (double)A_val[pj + 4] * (double)x[A1_idx[pj + 4] - x_first];
                sb += (double)A_val[pj + 5] * (double)x[A1_idx[pj + 5] - x_first];
                sc += (double)A_val[pj + 6] * (double)x[A1_idx[pj + 6] - x_first];
                sd += (double)A_val[pj + 7] * (double)x[A1_idx[pj + 7] - x_first];
                pj += 8;
            }
            if (pj + 4 <= j_end) {
                sa += (double)A_val[pj] * (double)x[A1_idx[pj] - x_first];
                sb += (double)A_val[pj + 1] * (double)x[A1_idx[pj + 1] - x_first];
                sc += (double)A_val[pj + 2] * (double)x[A1_idx[pj + 2] - x_first];
                sd += (double)A_val[pj + 3] * (double)x[A1_idx[pj + 3] - x_first];
                pj += 4;
            }
            while (pj < j_end) {
                sa += (double)A_val[pj] * (double)x[A1_idx[pj] - x_first];
                pj++;
            }
            y[i - row_lo] += row + (sa + sb + (sc + sd));
        }
    }
}
