/*
 * y(i) += A(i,j)*x(j)
 * A: d1, dense; d0, compressed
 * key: product.add double.double v8 h00000 +1*d1+0.dense
 *     +1*d0+0.compressed.p64.u32.n1 d0=+1*e1+0 d1=+1*e0+0 f64 order.0.1 tile0.-1
 *     sum0 share5.1
 */

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

typedef long   int64_t;
typedef ushort uint16_t;
typedef uint   uint32_t;

__kernel void spmv(__global const double *restrict x, int64_t x_first,
                   __global double *restrict y, __global const int64_t *restrict share,
                   __global const uint16_t *restrict step_2,
                   __global const uint32_t *restrict A1_idx,
                   __global const double *restrict A_val,
                   __global const int64_t *restrict first,
                   __global const int64_t *restrict last, int64_t row_lo,
                   int64_t A_values, int64_t shares, int64_t steps, int64_t A0_lo)
{
    if (A_values == 0) return;

    /* a turn for each work-item */
    const int64_t t = (int64_t)get_global_id(0);

    if (t >= shares) return;

    const int64_t begin = share[t * 4];
    const int64_t end   = share[t * 4 + 1];
    const int64_t own   = share[t * 4 + 2];

    if (0 < steps) {
        int64_t q = own;
        int64_t p = share[t * 4 + 3];

        for (int64_t k = begin; k < end; k++) {
            q += step_2[k * 2];
            p += step_2[k * 2 + 1];

            const int64_t j = q + A0_lo;
            const int64_t i = A1_idx[p];

            y[i - row_lo] += A_val[p] * x[j - x_first];
        }
    } else {
        /* d1, dense */
        for (int64_t pj = begin; pj < end; pj++) {
            const int64_t j  = pj + A0_lo;
            const double  jx = x[j - x_first];

            /* d0, compressed */
            for (int64_t pi = first[own + pj]; pi < last[own + pj]; pi++) {
                const int64_t i = A1_idx[pi];

                y[i - row_lo] += A_val[pi] * jx;
            }
        }
    }
}
