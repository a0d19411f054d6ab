/*
 * y(i) = A(i,j)*x(j)
 * A: d0, dense; d1, compressed
 * key: product double.double v8 h00000 +1*d0+0.dense
 *     +1*d1+0.compressed.p64.u32.n1.in0:16 d0=+1*e0+0 d1=+1*e1+0 f64.in0:16:1
 *     order.0/1 oc tile0.-1 sum1 share3.0
 */

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

typedef long int64_t;
typedef uint uint32_t;

__kernel void spmv(__global const double *restrict x, int64_t x_first,
                   __global double *restrict y, __global const int64_t *restrict share,
                   __global const int64_t *restrict A1_ptr,
                   __global const char *restrict A1_idx_tuples, int64_t A1_idx_at,
                   __global const char *restrict A_val_tuples, int64_t A_val_at,
                   int64_t row_lo, int64_t shares, int64_t A0_lo)
{
    __global const char *const A1_idx = A1_idx_tuples + A1_idx_at;
    __global const char *const A_val  = A_val_tuples + A_val_at;

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
                sa += *(__global const double *)(A_val + 16 * pj)
                      * x[*(__global const uint32_t *)(A1_idx + 16 * pj) - x_first];
                sb += *(__global const double *)(A_val + 16 * (pj + 1))
                      * x[*(__global const uint32_t *)(A1_idx + 16 * (pj + 1))
                          - x_first];
                sc += *(__global const double *)(A_val + 16 * (pj + 2))
                      * x[*(__global const uint32_t *)(A1_idx + 16 * (pj + 2))
                          - x_first];
                sd += *(__global const double *)(A_val + 16 * (pj + 3))
                      * x[*(__global const uint32_t *)(A1_idx + 16 * (pj + 3))
                          - x_first];
                sa += *(__global const double *)(A_val + 16 * (pj + 4))
                      * x[*(__global const uint32_t *)(A1_idx + 16 * (pj + 4))
                          - x_first];
                sb += *(__global const double *)(A_val + 16 * (pj + 5))
                      * x[*(__global const uint32_t *)(A1_idx + 16 * (pj + 5))
                          - x_first];
                sc += *(__global const double *)(A_val + 16 * (pj + 6))
                      * x[*(__global const uint32_t *)(A1_idx + 16 * (pj + 6))
                          - x_first];
                sd += *(__global const double *)(A_val + 16 * (pj + 7))
                      * x[*(__global const uint32_t *)(A1_idx + 16 * (pj + 7))
                          - x_first];
                pj += 8;
            }
            row += sa + sb + (sc + sd);
            sa = 0.0;
            sb = 0.0;
            sc = 0.0;
            sd = 0.0;
        }
        while (pj + 8 <= j_end) {
            sa += *(__global const double *)(A_val + 16 * pj)
                  * x[*(__global const uint32_t *)(A1_idx + 16 * pj) - x_first];
            sb += *(__global const double *)(A_val + 16 * (pj + 1))
                  * x[*(__global const uint32_t *)(A1_idx + 16 * (pj + 1)) - x_first];
            sc += *(__global const double *)(A_val + 16 * (pj + 2))
                  * x[*(__global const uint32_t *)(A1_idx + 16 * (pj + 2)) - x_first];
            sd += *(__global const double *)(A_val + 16 * (pj + 3))
                  * x[*(__global const uint32_t *)(A1_idx + 16 * (pj + 3)) - x_first];
            sa += *(__global const double *)(A_val + 16 * (pj + 4))
                  * x[*(__global const uint32_t *)(A1_idx + 16 * (pj + 4)) - x_first];
            sb += *(__global const double *)(A_val + 16 * (pj + 5))
                  * x[*(__global const uint32_t *)(A1_idx + 16 * (pj + 5)) - x_first];
            sc += *(__global const double *)(A_val + 16 * (pj + 6))
                  * x[*(__global const uint32_t *)(A1_idx + 16 * (pj + 6)) - x_first];
            sd += *(__global const double *)(A_val + 16 * (pj + 7))
                  * x[*(__global const uint32_t *)(A1_idx + 16 * (pj + 7)) - x_first];
            pj += 8;
        }
        if (pj + 4 <= j_end) {
            sa += *(__global const double *)(A_val + 16 * pj)
                  * x[*(__global const uint32_t *)(A1_idx + 16 * pj) - x_first];
            sb += *(__global const double *)(A_val + 16 * (pj + 1))
                  * x[*(__global const uint32_t *)(A1_idx + 16 * (pj + 1)) - x_first];
            sc += *(__global const double *)(A_val + 16 * (pj + 2))
                  * x[*(__global const uint32_t *)(A1_idx + 16 * (pj + 2)) - x_first];
            sd += *(__global const double *)(A_val + 16 * (pj + 3))
                  * x[*(__global const uint32_t *)(A1_idx + 16 * (pj + 3)) - x_first];
            pj += 4;
        }
        while (pj < j_end) {
            sa += *(__global const double *)(A_val + 16 * pj)
                  * x[*(__global const uint32_t *)(A1_idx + 16 * pj) - x_first];
            pj++;
        }
        y[i - row_lo] = row + (sa + sb + (sc + sd));
    }
}
