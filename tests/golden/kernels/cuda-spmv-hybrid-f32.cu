/* nvrtc --std=c++17 --fmad=false --ftz=false --prec-div=true --prec-sqrt=true */
typedef int          int32_t;
typedef long         int64_t;
typedef unsigned int uint32_t;
#ifndef __cplusplus
typedef _Bool bool;
#endif

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

__device__ static inline int64_t max_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

__device__ static inline int32_t ldg_i32(const int32_t *from)
{
#ifdef __CUDACC__
    return __ldg(from);
#else
    return *from;
#endif
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

__device__ static inline float ldg_f32(const float *from)
{
#ifdef __CUDACC__
    return __ldg(from);
#else
    return *from;
#endif
}

__device__ static inline float once_f32(const float *from)
{
#ifdef __CUDACC__
    float value;

    asm("ld.global.nc.L1::no_allocate.f32 %0, [%1];"
        : "=f"(value)
        : "l"(from));
    return (float)value;
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

/*
 * y(i) = A(i,j)*x(j)
 * A: d0/64, dense; d1-d0, compressed; d0%64, dense
 * key: product.wide float.double v8 h00000 +1*(+1*d0+0)/64+0.dense
 *     -1*d0+1*d1+0.compressed.p64.i32.n1 +1*(+1*d0+0)%64+0.dense d0=+64*e0+1*e2+0
 *     d1=+64*e0+1*e1+1*e2+0 f32 pads order.0.2/1 ocrx tile2.2 sum0 share3.0
 */

typedef struct spmv_0_args {
    const float *x;
    double *y;
    const int64_t *A1_ptr;
    const int32_t *A1_idx;
    const float *A_val;
    int64_t row_lo;
    int64_t row_end;
    int64_t col_lo;
    int64_t col_end;
    int64_t from;
    int64_t to;
    int64_t A0_lo;
} spmv_0_args;

enum { spmv_0_groups = 7 };

KERNEL(spmv_0)
{
    const float *const x        = op.x;
    double *const y             = op.y;
    const int64_t *const A1_ptr = op.A1_ptr;
    const int32_t *const A1_idx = op.A1_idx;
    const float *const A_val    = op.A_val;

    const int64_t row_lo  = op.row_lo;
    const int64_t row_end = op.row_end;
    const int64_t col_lo  = op.col_lo;
    const int64_t col_end = op.col_end;
    const int64_t from    = op.from;
    const int64_t to      = op.to;
    const int64_t A0_lo   = op.A0_lo;

    const int64_t turns = to - from;

    for (int64_t g = (int64_t)blockIdx.x; g < (turns + 127) / 128;
         g += (int64_t)gridDim.x) {
        /* a lane a row */
        for (int64_t q = g * 128 + (int64_t)threadIdx.x;
             q < min_of(g * 128 + 128, turns); q += (int64_t)ITEMS) {
            const int64_t place = (from + q) / 64;
            const int64_t ib    = place + A0_lo;
            const int64_t ir    = (from + q) % 64;
            const int64_t i     = ib * 64 + ir;

            if (row_lo <= i && i < row_end) {
                double s = 0.0;

                /* d1-d0, compressed */
                for (int64_t pd = ldg_i64(A1_ptr + place);
                     pd < ldg_i64(A1_ptr + place + 1); pd++) {
                    const int64_t d = ldg_i32(A1_idx + pd);
                    const int64_t j = ib * 64 + d + ir;

                    if (col_lo <= j && j < col_end) {
                        s += (double)once_f32(A_val + pd * 64 + ir)
                             * (double)ldg_f32(x + j);
                    }
                }
                y[i - row_lo] = s;
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

typedef struct spmv_1_args {
    const float *x;
    double *y;
    const int64_t *tile;
    const int64_t *A1_ptr;
    const uint32_t *A1_idx;
    const float *A_val;
    int64_t row_lo;
    int64_t to;
    int64_t from;
    int64_t A0_lo;
} spmv_1_args;

enum { spmv_1_groups = 9 };

KERNEL(spmv_1)
{
    const float *const x         = op.x;
    double *const y              = op.y;
    const int64_t *const tile    = op.tile;
    const int64_t *const A1_ptr  = op.A1_ptr;
    const uint32_t *const A1_idx = op.A1_idx;
    const float *const A_val     = op.A_val;

    const int64_t row_lo = op.row_lo;
    const int64_t to     = op.to;
    const int64_t from   = op.from;
    const int64_t A0_lo  = op.A0_lo;

    /* tiles of lists */
    for (int64_t g = from + (int64_t)blockIdx.x; g < to; g += (int64_t)gridDim.x) {
        __shared__ double staged[1088];
        const int64_t lists     = ldg_i64(tile + g);
        const int64_t lists_end = ldg_i64(tile + g + 1);
        const int64_t begin     = ldg_i64(A1_ptr + lists);
        const int64_t n         = ldg_i64(A1_ptr + lists_end) - begin;
        const bool    fits      = n <= 1024;
        const int64_t values    = fits ? n : 0;
        const int64_t rows_end  = fits ? lists_end : lists;

        /* products of values and x */
        for (int64_t t = (int64_t)threadIdx.x; t < 128; t += (int64_t)ITEMS) {
            for (int64_t u = t; u < values; u += 512) {
                const int64_t v    = min_of(u + 128, values - 1);
                const int64_t v_2  = min_of(u + 256, values - 1);
                const int64_t v_3  = min_of(u + 384, values - 1);
                const double  a    = (double)once_f32(A_val + begin + u);
                const double  a_2  = (double)once_f32(A_val + begin + v);
                const double  a_3  = (double)once_f32(A_val + begin + v_2);
                const double  a_4  = (double)once_f32(A_val + begin + v_3);
                const double  xj   = (double)ldg_f32(x + once_u32(A1_idx + begin + u));
                const double  xj_2 = (double)ldg_f32(x + once_u32(A1_idx + begin + v));
                const double xj_3 = (double)ldg_f32(x + once_u32(A1_idx + begin + v_2));
                const double xj_4 = (double)ldg_f32(x + once_u32(A1_idx + begin + v_3));

                staged[u + u / 16]               = a * xj;
                staged[u + (u + 128) / 16 + 128] = a_2 * xj_2;
                staged[u + (u + 256) / 16 + 256] = a_3 * xj_3;
                staged[u + (u + 384) / 16 + 384] = a_4 * xj_4;
            }
        }
        __syncthreads();

        /* rows */
        for (int64_t r = lists + (int64_t)threadIdx.x; r < rows_end;
             r += (int64_t)ITEMS) {
            const int64_t i = r + A0_lo;

            if (ldg_i64(A1_ptr + r) < ldg_i64(A1_ptr + r + 1)) {
                double sa = 0.0;
                double sb = 0.0;
                double sc = 0.0;
                double sd = 0.0;

                /* d1, compressed */
                int64_t       pj    = ldg_i64(A1_ptr + r);
                const int64_t j_end = ldg_i64(A1_ptr + r + 1);

                while (pj + 8 <= j_end) {
                    sa += staged[pj - begin + (pj - begin) / 16];
                    sb += staged[pj - begin + (pj - begin + 1) / 16 + 1];
                    sc += staged[pj - begin + (pj - begin + 2) / 16 + 2];
                    sd += staged[pj - begin + (pj - begin + 3) / 16 + 3];
                    sa += staged[pj - begin + (pj - begin + 4) / 16 + 4];
                    sb += staged[pj - begin + (pj - begin + 5) / 16 + 5];
                    sc += staged[pj - begin + (pj - begin + 6) / 16 + 6];
                    sd += staged[pj - begin + (pj - begin + 7) / 16 + 7];
                    pj += 8;
                }
                if (pj + 4 <= j_end) {
                    sa += staged[pj - begin + (pj - begin) / 16];
                    sb += staged[pj - begin + (pj - begin + 1) / 16 + 1];
                    sc += staged[pj - begin + (pj - begin + 2) / 16 + 2];
                    sd += staged[pj - begin + (pj - begin + 3) / 16 + 3];
                    pj += 4;
                }
                while (pj < j_end) {
                    sa += staged[pj - begin + (pj - begin) / 16];
                    pj++;
                }
                y[i - row_lo] += sa + sb + (sc + sd);
            }
        }
        __syncthreads();
    }
}

/*
 * y(i) += A(i,j)*x(j)
 * A: d0, dense; d1, compressed
 * key: product.add.sums.wide float.double v8 h00000 +1*d0+0.dense
 *     +1*d1+0.compressed.p64.u32.n1 d0=+1*e0+0 d1=+1*e1+0 f32 order.0/1 oc
 *     tile0.-1 sum1 share3.0
 */

typedef struct spmv_1_long_args {
    const float *x;
    const int64_t *piece_at;
    const int64_t *piece_end;
    const uint32_t *A1_idx;
    const float *A_val;
    double *partial;
    int64_t to;
    int64_t from;
} spmv_1_long_args;

enum { spmv_1_long_groups = 9 };

KERNEL(spmv_1_long)
{
    const float *const x           = op.x;
    const int64_t *const piece_at  = op.piece_at;
    const int64_t *const piece_end = op.piece_end;
    const uint32_t *const A1_idx   = op.A1_idx;
    const float *const A_val       = op.A_val;
    double *const partial          = op.partial;

    const int64_t to   = op.to;
    const int64_t from = op.from;

    /* pieces of long lists */
    for (int64_t g = from + (int64_t)blockIdx.x; g < to; g += (int64_t)gridDim.x) {
        __shared__ double staged[1088];
        __shared__ double chain[4];
        const int64_t begin = ldg_i64(piece_at + g);
        const int64_t end   = ldg_i64(piece_end + g);

        for (int64_t c = (int64_t)threadIdx.x; c < 4; c += (int64_t)ITEMS)
            chain[c] = 0.0;

        /* as many as are shared */
        for (int64_t p = 0; p < end - begin; p += 1024) {
            /* products of values and x */
            for (int64_t t = (int64_t)threadIdx.x; t < 128; t += (int64_t)ITEMS) {
                const int64_t v   = min_of(p + t, end - begin - 1);
                const int64_t v_2 = min_of(p + t + 128, end - begin - 1);
                const int64_t v_3 = min_of(p + t + 256, end - begin - 1);
                const int64_t v_4 = min_of(p + t + 384, end - begin - 1);
                const double  a   = (double)once_f32(A_val + begin + v);
                const double  a_2 = (double)once_f32(A_val + begin + v_2);
                const double  a_3 = (double)once_f32(A_val + begin + v_3);
                const double  a_4 = (double)once_f32(A_val + begin + v_4);
                const double  xj  = (double)ldg_f32(x + once_u32(A1_idx + begin + v));
                const double xj_2 = (double)ldg_f32(x + once_u32(A1_idx + begin + v_2));
                const double xj_3 = (double)ldg_f32(x + once_u32(A1_idx + begin + v_3));
                const double xj_4 = (double)ldg_f32(x + once_u32(A1_idx + begin + v_4));

                staged[t + t / 16]               = a * xj;
                staged[t + (t + 128) / 16 + 128] = a_2 * xj_2;
                staged[t + (t + 256) / 16 + 256] = a_3 * xj_3;
                staged[t + (t + 384) / 16 + 384] = a_4 * xj_4;

                const int64_t v_5 = min_of(p + t + 512, end - begin - 1);
                const int64_t v_6 = min_of(p + t + 640, end - begin - 1);
                const int64_t v_7 = min_of(p + t + 768, end - begin - 1);
                const int64_t v_8 = min_of(p + t + 896, end - begin - 1);
                const double  a_5 = (double)once_f32(A_val + begin + v_5);
                const double  a_6 = (double)once_f32(A_val + begin + v_6);
                const double  a_7 = (double)once_f32(A_val + begin + v_7);
                const double  a_8 = (double)once_f32(A_val + begin + v_8);
                const double xj_5 = (double)ldg_f32(x + once_u32(A1_idx + begin + v_5));
                const double xj_6 = (double)ldg_f32(x + once_u32(A1_idx + begin + v_6));
                const double xj_7 = (double)ldg_f32(x + once_u32(A1_idx + begin + v_7));
                const double xj_8 = (double)ldg_f32(x + once_u32(A1_idx + begin + v_8));

                staged[t + (t + 512) / 16 + 512] = a_5 * xj_5;
                staged[t + (t + 640) / 16 + 640] = a_6 * xj_6;
                staged[t + (t + 768) / 16 + 768] = a_7 * xj_7;
                staged[t + (t + 896) / 16 + 896] = a_8 * xj_8;
            }
            __syncthreads();

            /* chains */
            for (int64_t c = (int64_t)threadIdx.x; c < 4; c += (int64_t)ITEMS) {
                const int64_t stop = min_of(begin + p + 1024, end);
                double        s    = 0.0;

                s = chain[c];
                for (int64_t p_2 = begin + p + c % 4;
                     p_2 < min_of(stop, begin + (end - begin) / 4 * 4); p_2 += 4)
                    s += staged[p_2 - (begin + p) + (p_2 - (begin + p)) / 16];
                if (c % 4 == 0) {
                    for (int64_t p_2 = max_of(begin + p, begin + (end - begin) / 4 * 4);
                         p_2 < stop; p_2++)
                        s += staged[p_2 - (begin + p) + (p_2 - (begin + p)) / 16];
                }
                chain[c] = s;
            }
            __syncthreads();
        }
        for (int64_t r = (int64_t)threadIdx.x; r < 1; r += (int64_t)ITEMS) {
            double sa = 0.0;
            double sb = 0.0;
            double sc = 0.0;
            double sd = 0.0;

            sa             = chain[r * 4];
            sb             = chain[r * 4 + 1];
            sc             = chain[r * 4 + 2];
            sd             = chain[r * 4 + 3];
            partial[g + r] = sa + sb + (sc + sd);
        }
        __syncthreads();
    }
}

/*
 * y(i) += A(i,j)*x(j)
 * A: d0, dense; d1, compressed
 * key: product.add.sums.wide float.double v8 h00000 +1*d0+0.dense
 *     +1*d1+0.compressed.p64.u32.n1 d0=+1*e0+0 d1=+1*e1+0 f32 order.0/1 oc
 *     tile0.-1 sum1 share3.0
 */

typedef struct spmv_1_join_args {
    double *y;
    const int64_t *long_list;
    const double *partial;
    const int64_t *piece_first;
    const int64_t *A1_ptr;
    int64_t row_lo;
    int64_t from;
    int64_t to;
    int64_t A0_lo;
} spmv_1_join_args;

enum { spmv_1_join_groups = 7 };

KERNEL(spmv_1_join)
{
    double *const y                  = op.y;
    const int64_t *const long_list   = op.long_list;
    const double *const partial      = op.partial;
    const int64_t *const piece_first = op.piece_first;
    const int64_t *const A1_ptr      = op.A1_ptr;

    const int64_t row_lo = op.row_lo;
    const int64_t from   = op.from;
    const int64_t to     = op.to;
    const int64_t A0_lo  = op.A0_lo;

    const int64_t turns = to - from;

    for (int64_t g = (int64_t)blockIdx.x; g < (turns + 127) / 128;
         g += (int64_t)gridDim.x) {
        /* rows of long lists */
        for (int64_t z = g * 128 + (int64_t)threadIdx.x;
             z < min_of(g * 128 + 128, turns); z += (int64_t)ITEMS) {
            const int64_t long_row = from + z;
            const int64_t list     = ldg_i64(long_list + long_row);
            const int64_t i        = list + A0_lo;

            if (ldg_i64(A1_ptr + list) < ldg_i64(A1_ptr + list + 1)) {
                double s = 0.0;

                /* pieces */
                for (int64_t k = ldg_i64(piece_first + long_row);
                     k < ldg_i64(piece_first + long_row + 1); k++)
                    s += ldg_f64(partial + k);
                y[i - row_lo] += s;
            }
        }
    }
}
