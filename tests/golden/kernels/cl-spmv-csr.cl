/*
 * y(i) = A(i,j)*x(j)
 * A: d0, dense; d1, compressed
 * key: product double.double v8 h00000 +1*d0+0.dense
 *     +1*d1+0.compressed.p64.u32.n1 d0=+1*e0+0 d1=+1*e1+0 f64 order.0/1 oc
 *     tile0.-1 sum1 share3.0
 */

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

typedef long int64_t;
typedef uint uint32_t;

__kernel void spmv(__global const double *restrict x, int64_t x_first,
                   __global double *restrict y, __global const int64_t *restrict share,
                   __global const int64_t *restrict A1_ptr,
                   __global const uint32_t *restrict A1_idx,
                   __global const double *restrict A_val, int64_t row_lo,
                   int64_t shares, int64_t A0_lo)
{
    /* a turn for each work-item */
    const int64_t t = (int64_t)get_global_id(0);

    if (t >= shares) return;

    const int64_t begin = share[t];
    const int64_t end   = share[t + 1];

    /* d0, dense */
    for (int64_t pi = begin; pi < end; pi++) {
        const int64_t i  = pi + A0_lo;
        double        sa = 0.0;
        double        sb = 0.0;
        double        sc = 0.0;
        double        sd = 0.0;

        /* d1, compressed */
        int64_t       pj    = A1_ptr[pi];
        const int64_t j_end = A1_ptr[pi + 1];
        double        row   = 0.0;

        while (4096 < j_end - pj) {
            const int64_t cut = pj + 4096;

            while (pj + 8 <= cut) {
                sa += A_val[pj] * x[A1_idx[pj] - x_first];
                sb += A_val[pj + 1] * x[A1_idx[pj + 1] - x_first];
                sc += A_val[pj + 2] * x[A1_idx[pj + 2] - x_first];
                sd += A_val[pj + 3] * x[A1_idx[pj + 3] - x_first];
                sa += A_val[pj + 4] * x[A1_idx[pj + 4] - x_first];
                sb += A_val[pj + 5] * x[A1_idx[pj + 5] - x_first];
                sc += A_val[pj + 6] * x[A1_idx[pj + 6] - x_first];
                sd += A_val[pj + 7] * x[A1_idx[pj + 7] - x_first];
                pj += 8;
            }
            row += sa + sb + (sc + sd);
            sa = 0.0;
            sb = 0.0;
            sc = 0.0;
            sd = 0.0;
        }
        while (pj + 8 <= j_end) {
            sa += A_val[pj] * x[A1_idx[pj] - x_first];
            sb += A_val[pj + 1] * x[A1_idx[pj + 1] - x_first];
            sc += A_val[pj + 2] * x[A1_idx[pj + 2] - x_first];
            sd += A_val[pj + 3] * x[A1_idx[pj + 3] - x_first];
            sa += A_val[pj + 4] * x[A1_idx[pj + 4] - x_first];
            sb += A_val[pj + 5] * x[A1_idx[pj + 5] - x_first];
            sc += A_val[pj + 6] * x[A1_idx[pj + 6] - x_first];
            sd += A_val[pj + 7] * x[A1_idx[pj + 7] - x_first];
            pj += 8;
        }
        if (pj + 4 <= j_end) {
            sa += A_val[pj] * x[A1_idx[pj] - x_first];
            sb += A_val[pj + 1] * x[A1_idx[pj + 1] - x_first];
            sc += A_val[pj + 2] * x[A1_idx[pj + 2] - x_first];
            sd += A_val[pj + 3] * x[A1_idx[pj + 3] - x_first];
            pj += 4;
        }
        while (pj < j_end) {
            sa += A_val[pj] * x[A1_idx[pj] - x_first];
            pj++;
        }
        y[i - row_lo] = row + (sa + sb + (sc + sd));
    }
}
