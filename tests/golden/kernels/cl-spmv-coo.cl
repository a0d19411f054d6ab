/*
 * y(i) += A(i,j)*x(j)
 * A: d0, compressed; d1, singleton
 * key: product.add double.double v8 h00000 +1*d0+0.compressed.u32.n1
 *     +1*d1+0.singleton.u32.n1 d0=+1*e0+0 d1=+1*e1+0 f64 order.0/1 o tile0.-1
 *     sum1 share4.0
 */

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

typedef long int64_t;
typedef uint uint32_t;

__kernel void spmv(__global const double *restrict x, int64_t x_first,
                   __global double *restrict y, __global const int64_t *restrict share,
                   __global const uint32_t *restrict A0_idx,
                   __global const uint32_t *restrict A1_idx,
                   __global const double *restrict A_val, int64_t row_lo,
                   int64_t A_values, int64_t shares)
{
    if (A_values == 0) return;

    /* a turn for each work-item */
    const int64_t t = (int64_t)get_global_id(0);

    if (t >= shares) return;

    const int64_t begin = share[t];
    const int64_t end   = share[t + 1];

    /* d0, compressed: entries of a row follow each other */
    int64_t pi = begin;

    while (pi < end) {
        const int64_t i  = A0_idx[pi];
        int64_t       qi = pi + 1;

        while (qi < end && A0_idx[qi] == i)
            qi++;

        double  sa  = 0.0;
        double  sb  = 0.0;
        double  sc  = 0.0;
        double  sd  = 0.0;
        int64_t p   = pi;
        double  row = 0.0;

        while (4096 < qi - p) {
            const int64_t cut = p + 4096;

            while (p + 8 <= cut) {
                sa += A_val[p] * x[A1_idx[p] - x_first];
                sb += A_val[p + 1] * x[A1_idx[p + 1] - x_first];
                sc += A_val[p + 2] * x[A1_idx[p + 2] - x_first];
                sd += A_val[p + 3] * x[A1_idx[p + 3] - x_first];
                sa += A_val[p + 4] * x[A1_idx[p + 4] - x_first];
                sb += A_val[p + 5] * x[A1_idx[p + 5] - x_first];
                sc += A_val[p + 6] * x[A1_idx[p + 6] - x_first];
                sd += A_val[p + 7] * x[A1_idx[p + 7] - x_first];
                p += 8;
            }
            row += sa + sb + (sc + sd);
            sa = 0.0;
            sb = 0.0;
            sc = 0.0;
            sd = 0.0;
        }
        while (p + 8 <= qi) {
            sa += A_val[p] * x[A1_idx[p] - x_first];
            sb += A_val[p + 1] * x[A1_idx[p + 1] - x_first];
            sc += A_val[p + 2] * x[A1_idx[p + 2] - x_first];
            sd += A_val[p + 3] * x[A1_idx[p + 3] - x_first];
            sa += A_val[p + 4] * x[A1_idx[p + 4] - x_first];
            sb += A_val[p + 5] * x[A1_idx[p + 5] - x_first];
            sc += A_val[p + 6] * x[A1_idx[p + 6] - x_first];
            sd += A_val[p + 7] * x[A1_idx[p + 7] - x_first];
            p += 8;
        }
        if (p + 4 <= qi) {
            sa += A_val[p] * x[A1_idx[p] - x_first];
            sb += A_val[p + 1] * x[A1_idx[p + 1] - x_first];
            sc += A_val[p + 2] * x[A1_idx[p + 2] - x_first];
            sd += A_val[p + 3] * x[A1_idx[p + 3] - x_first];
            p += 4;
        }
        while (p < qi) {
            sa += A_val[p] * x[A1_idx[p] - x_first];
            p++;
        }
        y[i - row_lo] += row + (sa + sb + (sc + sd));
        pi = qi;
    }
}
