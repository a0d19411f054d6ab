/*
 * Y(i,c) = A(i,j)*X(j,c)
 * A: d0, dense; d1, compressed
 * key: product.k double.double v8 h00000 +1*d0+0.dense
 *     +1*d1+0.compressed.p64.u32.n1 d0=+1*e0+0 d1=+1*e1+0 f64 order.0/1 oc
 *     tile0.-1 sum0 share3.0
 */

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

typedef long int64_t;
typedef uint uint32_t;

__kernel void spmm(__global const double *restrict x, int64_t x_first,
                   __global double *restrict y, __global const int64_t *restrict share,
                   __global const int64_t *restrict A1_ptr,
                   __global const uint32_t *restrict A1_idx,
                   __global const double *restrict A_val, int64_t row_lo,
                   int64_t shares, int64_t A0_lo, int64_t columns, int64_t x_stride,
                   int64_t y_stride)
{
    /* a turn for each work-item */
    const int64_t t = (int64_t)get_global_id(0);

    if (t >= shares) return;

    const int64_t begin  = share[t];
    const int64_t end    = share[t + 1];
    const int64_t wide   = columns - columns % 8;
    const int64_t half_2 = columns - (columns - wide) % 4;

    /* d0, dense */
    for (int64_t pi = begin; pi < end; pi++) {
        const int64_t i      = pi + A0_lo;
        const int64_t y_base = (i - row_lo) * y_stride;

        /* columns */
        for (int64_t c = 0; c < wide; c += 8) {
            double s_0 = 0.0;
            double s_1 = 0.0;
            double s_2 = 0.0;
            double s_3 = 0.0;
            double s_4 = 0.0;
            double s_5 = 0.0;
            double s_6 = 0.0;
            double s_7 = 0.0;

            /* d1, compressed */
            for (int64_t pj = A1_ptr[pi]; pj < A1_ptr[pi + 1]; pj++) {
                const int64_t j = A1_idx[pj];
                const double  a = A_val[pj];

                s_0 += a * x[j * x_stride + c - x_first];
                s_1 += a * x[j * x_stride + c + 1 - x_first];
                s_2 += a * x[j * x_stride + c + 2 - x_first];
                s_3 += a * x[j * x_stride + c + 3 - x_first];
                s_4 += a * x[j * x_stride + c + 4 - x_first];
                s_5 += a * x[j * x_stride + c + 5 - x_first];
                s_6 += a * x[j * x_stride + c + 6 - x_first];
                s_7 += a * x[j * x_stride + c + 7 - x_first];
            }
            y[y_base + c]     = s_0;
            y[y_base + c + 1] = s_1;
            y[y_base + c + 2] = s_2;
            y[y_base + c + 3] = s_3;
            y[y_base + c + 4] = s_4;
            y[y_base + c + 5] = s_5;
            y[y_base + c + 6] = s_6;
            y[y_base + c + 7] = s_7;
        }

        /* columns */
        for (int64_t c = wide; c < half_2; c += 4) {
            double s_0 = 0.0;
            double s_1 = 0.0;
            double s_2 = 0.0;
            double s_3 = 0.0;

            /* d1, compressed */
            for (int64_t pj = A1_ptr[pi]; pj < A1_ptr[pi + 1]; pj++) {
                const int64_t j = A1_idx[pj];
                const double  a = A_val[pj];

                s_0 += a * x[j * x_stride + c - x_first];
                s_1 += a * x[j * x_stride + c + 1 - x_first];
                s_2 += a * x[j * x_stride + c + 2 - x_first];
                s_3 += a * x[j * x_stride + c + 3 - x_first];
            }
            y[y_base + c]     = s_0;
            y[y_base + c + 1] = s_1;
            y[y_base + c + 2] = s_2;
            y[y_base + c + 3] = s_3;
        }

        /* columns */
        for (int64_t c = half_2; c < columns; c++) {
            double s = 0.0;

            /* d1, compressed */
            for (int64_t pj = A1_ptr[pi]; pj < A1_ptr[pi + 1]; pj++) {
                const int64_t j = A1_idx[pj];

                s += A_val[pj] * x[j * x_stride + c - x_first];
            }
            y[y_base + c] = s;
        }
    }
}
