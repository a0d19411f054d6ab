/* nvrtc --gpu-architecture=sm_90 --std=c++17 --fmad=false --ftz=false --prec-div=true --prec-sqrt=true */
/*
 * y(i) = A(i,j)*x(j)
 * A: d0/32, dense; slot, ragged; d0%32, dense; d1, singleton
 * key: product double.double v8 h00000 +1*(+1*d0+0)/32+0.dense
 *     +1*q1.1+0.ragged.p64.n1 +1*(+1*d0+0)%32+0.dense
 *     +1*d1+0.singleton.u32.by4.1.3 d0=+32*e0+1*e2+0 d1=+1*e3+0 f64 pads
 *     order.0.2/1.3 ocr tile2.2 sum0 share3.0
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

__device__ static inline int64_t ldg_i64(const int64_t *from)
{
#ifdef __CUDACC__
    return __ldg(from);
#else
    return *from;
#endif
}

__device__ static inline uint32_t once_u32(const uint32_t *from)
{
#ifdef __CUDACC__
    unsigned int value;

    asm("ld.global.nc.L1::no_allocate.u32 %0, [%1];"
        : "=r"(value)
        : "l"(from));
    return (uint32_t)value;
#else
    return *from;
#endif
}

__device__ static inline double ldg_f64(const double *from)
{
#ifdef __CUDACC__
    return __ldg(from);
#else
    return *from;
#endif
}

__device__ static inline double once_f64(const double *from)
{
#ifdef __CUDACC__
    double value;

    asm("ld.global.nc.L1::no_allocate.f64 %0, [%1];"
        : "=d"(value)
        : "l"(from));
    return (double)value;
#else
    return *from;
#endif
}

typedef struct spmv_args {
    const double *x;
    double *y;
    const int64_t *A1_ptr;
    const uint32_t *A3_idx;
    const double *A_val;
    int64_t row_lo;
    int64_t row_end;
    int64_t from;
    int64_t to;
    int64_t A0_lo;
    int64_t A3_size;
    int64_t A3_lo;
} spmv_args;

enum { spmv_groups = 7 };

KERNEL(spmv)
{
    const double *const x        = op.x;
    double *const y              = op.y;
    const int64_t *const A1_ptr  = op.A1_ptr;
    const uint32_t *const A3_idx = op.A3_idx;
    const double *const A_val    = op.A_val;

    const int64_t row_lo  = op.row_lo;
    const int64_t row_end = op.row_end;
    const int64_t from    = op.from;
    const int64_t to      = op.to;
    const int64_t A0_lo   = op.A0_lo;
    const int64_t A3_size = op.A3_size;
    const int64_t A3_lo   = op.A3_lo;

    const int64_t turns = to - from;

    for (int64_t g = (int64_t)blockIdx.x; g < (turns + 127) / 128;
         g += (int64_t)gridDim.x) {
        /* a lane a row */
        for (int64_t q = g * 128 + (int64_t)threadIdx.x;
             q < min_of(g * 128 + 128, turns); q += (int64_t)ITEMS) {
            const int64_t place = (from + q) / 32;
            const int64_t ib    = place + A0_lo;
            const int64_t ir    = (from + q) % 32;
            const int64_t i     = ib * 32 + ir;

            if (row_lo <= i && i < row_end) {
                double        s     = 0.0;
                const int64_t limit = A3_lo + A3_size - 1;

                /* slot, ragged */
                for (int64_t pslot = ldg_i64(A1_ptr + place);
                     pslot < ldg_i64(A1_ptr + place + 1); pslot++) {
                    s += once_f64(A_val + pslot * 32 + ir)
                         * ldg_f64(x
                                   + min_of(once_u32(A3_idx + pslot * 32 + ir), limit));
                }
                y[i - row_lo] = s;
            }
        }
    }
}
