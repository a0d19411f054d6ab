/*
 * y(i) += A(i,j)*x(j)
 * A: d1, dense; d0, compressed
 * key: product.add double.double v8 h00000 +1*d1+0.dense
 *     +1*d0+0.compressed.p64.u32.n1 d0=+1*e1+0 d1=+1*e0+0 f64 order.0.1 tile0.-1
 *     sum0 share0.0
 */

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

typedef long int64_t;
typedef uint uint32_t;

__kernel void spmv(__global const double *restrict x, int64_t x_first,
                   __global double *restrict y, __global const int64_t *restrict A1_ptr,
                   __global const uint32_t *restrict A1_idx,
                   __global const double *restrict A_val, int64_t row_lo,
                   int64_t A_values, int64_t A0_size, int64_t A0_lo)
{
    if (A_values == 0) return;

    /* d1, dense */
    for (int64_t pj = 0; pj < A0_size; pj++) {
        const int64_t j  = pj + A0_lo;
        const double  jx = x[j - x_first];

        /* d0, compressed */
        for (int64_t pi = A1_ptr[pj]; pi < A1_ptr[pj + 1]; pi++) {
            const int64_t i = A1_idx[pi];

            y[i - row_lo] += A_val[pi] * jx;
        }
    }
}
