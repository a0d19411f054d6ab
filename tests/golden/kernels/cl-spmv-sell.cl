/*
 * y(i) = A(i,j)*x(j)
 * A: d0/8, dense; slot, ragged; d0%8, dense; d1, singleton
 * key: product double.double v8 h00000 +1*(+1*d0+0)/8+0.dense
 *     +1*q1.1+0.ragged.p64.n1 +1*(+1*d0+0)%8+0.dense
 *     +1*d1+0.singleton.u32.by4.1.3 d0=+8*e0+1*e2+0 d1=+1*e3+0 f64 pads
 *     order.0.2/1.3 ocr tile2.2 sum0 share3.0
 */

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

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

__kernel void spmv(__global const double *restrict x, int64_t x_first,
                   __global double *restrict y, __global const int64_t *restrict share,
                   __global const int64_t *restrict A1_ptr,
                   __global const uint32_t *restrict A3_idx,
                   __global const double *restrict A_val, int64_t row_lo,
                   int64_t row_end, int64_t shares, int64_t A0_lo, int64_t A3_size,
                   int64_t A3_lo)
{
    /* a turn for each work-item */
    const int64_t t = (int64_t)get_global_id(0);

    if (t >= shares) return;

    const int64_t begin = share[t];
    const int64_t end   = share[t + 1];
    const int64_t limit = A3_lo + A3_size - 1;

    /* d0/8, dense */
    for (int64_t pib = begin; pib < end; pib++) {
        const int64_t ib = pib + A0_lo;

        if (row_lo <= ib * 8 && ib * 8 + 7 < row_end) {
            double s0 = 0.0;
            double s1 = 0.0;
            double s2 = 0.0;
            double s3 = 0.0;
            double s4 = 0.0;
            double s5 = 0.0;
            double s6 = 0.0;
            double s7 = 0.0;

            /* slot, ragged */
            for (int64_t pslot = A1_ptr[pib]; pslot < A1_ptr[pib + 1]; pslot++) {
                const int64_t p = pslot * 8;

                s0 += A_val[p] * x[min_of(A3_idx[p], limit) - x_first];
                s1 += A_val[p + 1] * x[min_of(A3_idx[p + 1], limit) - x_first];
                s2 += A_val[p + 2] * x[min_of(A3_idx[p + 2], limit) - x_first];
                s3 += A_val[p + 3] * x[min_of(A3_idx[p + 3], limit) - x_first];
                s4 += A_val[p + 4] * x[min_of(A3_idx[p + 4], limit) - x_first];
                s5 += A_val[p + 5] * x[min_of(A3_idx[p + 5], limit) - x_first];
                s6 += A_val[p + 6] * x[min_of(A3_idx[p + 6], limit) - x_first];
                s7 += A_val[p + 7] * x[min_of(A3_idx[p + 7], limit) - x_first];
            }
            y[ib * 8 - row_lo]     = s0;
            y[ib * 8 - row_lo + 1] = s1;
            y[ib * 8 - row_lo + 2] = s2;
            y[ib * 8 - row_lo + 3] = s3;
            y[ib * 8 - row_lo + 4] = s4;
            y[ib * 8 - row_lo + 5] = s5;
            y[ib * 8 - row_lo + 6] = s6;
            y[ib * 8 - row_lo + 7] = s7;
        } else {
            const int64_t ir_begin = max_of(0, row_lo - ib * 8);
            const int64_t ir_end   = min_of(8, row_end - ib * 8);

            /* d0%8, dense */
            for (int64_t ir = ir_begin; ir < ir_end; ir++) {
                const int64_t i = ib * 8 + ir;
                double        s = 0.0;

                /* slot, ragged */
                for (int64_t pslot = A1_ptr[pib]; pslot < A1_ptr[pib + 1]; pslot++) {
                    s += A_val[pslot * 8 + ir]
                         * x[min_of(A3_idx[pslot * 8 + ir], limit) - x_first];
                }
                y[i - row_lo] = s;
            }
        }
    }
}
