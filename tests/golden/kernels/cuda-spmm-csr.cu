/* nvrtc --std=c++17 --fmad=false --ftz=false --prec-div=true --prec-sqrt=true */
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

__device__ static inline uint32_t ldg_u32(const uint32_t *from)
{
#ifdef __CUDACC__
    return __ldg(from);
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
 * Y(i,c) = A(i,j)*X(j,c)
 * A: d0, dense; d1, compressed
 * key: product.k double.double v8 h00000 +1*d0+0.dense
 *     +1*d1+0.compressed.p64.u32.n1 d0=+1*e0+0 d1=+1*e1+0 f64 order.0/1 oc
 *     tile0.-1 sum0 share3.0
 */

typedef struct spmm_args {
    const double *x;
    double *y;
    const int64_t *tile;
    const int64_t *A1_ptr;
    const uint32_t *A1_idx;
    const double *A_val;
    int64_t row_lo;
    int64_t from;
    int64_t to;
    int64_t columns;
    int64_t A0_lo;
    int64_t x_stride;
    int64_t y_stride;
} spmm_args;

enum { spmm_groups = 5 };

KERNEL(spmm)
{
    const double *const x        = op.x;
    double *const y              = op.y;
    const int64_t *const tile    = op.tile;
    const int64_t *const A1_ptr  = op.A1_ptr;
    const uint32_t *const A1_idx = op.A1_idx;
    const double *const A_val    = op.A_val;

    const int64_t row_lo   = op.row_lo;
    const int64_t from     = op.from;
    const int64_t to       = op.to;
    const int64_t columns  = op.columns;
    const int64_t A0_lo    = op.A0_lo;
    const int64_t x_stride = op.x_stride;
    const int64_t y_stride = op.y_stride;

    const int64_t turns = to - from;

    /* tiles of lists */
    for (int64_t g = (int64_t)blockIdx.x; g < turns * ((columns + 31) / 32);
         g += (int64_t)gridDim.x) {
        const int64_t turn       = g % turns;
        const int64_t columns_at = g / turns * 32;
        const int64_t lists      = ldg_i64(tile + from + turn);
        const int64_t lists_end  = ldg_i64(tile + from + turn + 1);
        const int64_t end        = ldg_i64(A1_ptr + lists_end) - ldg_i64(A1_ptr + lists)
                                   <= 4096
                                      ? lists_end : lists;

        /* rows */
        for (int64_t t = lists * 16 + (int64_t)threadIdx.x; t < end * 16;
             t += (int64_t)ITEMS) {
            const int64_t c = columns_at + t % 16 * 2;

            if (c < columns) {
                const int64_t z   = t / 16;
                const int64_t i   = z + A0_lo;
                double        s_0 = 0.0;
                double        s_1 = 0.0;

                /* d1, compressed */
                for (int64_t pj = ldg_i64(A1_ptr + z); pj < ldg_i64(A1_ptr + z + 1);
                     pj++) {
                    const int64_t j = ldg_u32(A1_idx + pj);
                    const double  a = ldg_f64(A_val + pj);

                    s_0 += a * ldg_f64(x + j * x_stride + c);
                    s_1 += a * ldg_f64(x + j * x_stride + c + 1);
                }
                y[(i - row_lo) * y_stride + c]     = s_0;
                y[(i - row_lo) * y_stride + c + 1] = s_1;
            }
        }
    }
}

/*
 * Y(i,c) = A(i,j)*X(j,c)
 * A: d0, dense; d1, compressed
 * key: product.k double.double v8 h00000 +1*d0+0.dense
 *     +1*d1+0.compressed.p64.u32.n1 d0=+1*e0+0 d1=+1*e1+0 f64 order.0/1 oc
 *     tile0.-1 sum0 share3.0
 */

typedef struct spmm_long_args {
    const double *x;
    const int64_t *piece_at;
    const int64_t *piece_end;
    const uint32_t *A1_idx;
    const double *A_val;
    double *partial;
    int64_t from;
    int64_t to;
    int64_t columns;
    int64_t x_stride;
    int64_t y_stride;
} spmm_long_args;

enum { spmm_long_groups = 5 };

KERNEL(spmm_long)
{
    const double *const x          = op.x;
    const int64_t *const piece_at  = op.piece_at;
    const int64_t *const piece_end = op.piece_end;
    const uint32_t *const A1_idx   = op.A1_idx;
    const double *const A_val      = op.A_val;
    double *const partial          = op.partial;

    const int64_t from     = op.from;
    const int64_t to       = op.to;
    const int64_t columns  = op.columns;
    const int64_t x_stride = op.x_stride;
    const int64_t y_stride = op.y_stride;

    const int64_t turns = to - from;

    /* pieces of long lists */
    for (int64_t g = (int64_t)blockIdx.x; g < turns * ((columns + 31) / 32);
         g += (int64_t)gridDim.x) {
        const int64_t turn       = g % turns;
        const int64_t columns_at = g / turns * 32;
        const int64_t piece      = from + turn;
        const int64_t begin      = ldg_i64(piece_at + piece);
        const int64_t end        = ldg_i64(piece_end + piece);

        /* columns */
        for (int64_t t = (int64_t)threadIdx.x; t < 16; t += (int64_t)ITEMS) {
            const int64_t c = columns_at + t % 16 * 2;

            if (c < columns) {
                double s_0 = 0.0;
                double s_1 = 0.0;

                /* d1, compressed */
                for (int64_t pj = begin; pj < end; pj++) {
                    const int64_t j = ldg_u32(A1_idx + pj);
                    const double  a = ldg_f64(A_val + pj);

                    s_0 += a * ldg_f64(x + j * x_stride + c);
                    s_1 += a * ldg_f64(x + j * x_stride + c + 1);
                }
                partial[piece * y_stride + c]     = s_0;
                partial[piece * y_stride + c + 1] = s_1;
            }
        }
    }
}

/*
 * Y(i,c) = A(i,j)*X(j,c)
 * A: d0, dense; d1, compressed
 * key: product.k double.double v8 h00000 +1*d0+0.dense
 *     +1*d1+0.compressed.p64.u32.n1 d0=+1*e0+0 d1=+1*e1+0 f64 order.0/1 oc
 *     tile0.-1 sum0 share3.0
 */

typedef struct spmm_join_args {
    double *y;
    const int64_t *long_list;
    const double *partial;
    const int64_t *piece_first;
    int64_t row_lo;
    int64_t from;
    int64_t to;
    int64_t columns;
    int64_t A0_lo;
    int64_t y_stride;
} spmm_join_args;

enum { spmm_join_groups = 5 };

KERNEL(spmm_join)
{
    double *const y                  = op.y;
    const int64_t *const long_list   = op.long_list;
    const double *const partial      = op.partial;
    const int64_t *const piece_first = op.piece_first;

    const int64_t row_lo   = op.row_lo;
    const int64_t from     = op.from;
    const int64_t to       = op.to;
    const int64_t columns  = op.columns;
    const int64_t A0_lo    = op.A0_lo;
    const int64_t y_stride = op.y_stride;

    const int64_t turns  = to - from;
    const int64_t all    = turns * 16;
    const int64_t blocks = (all + 127) / 128;

    /* long lists */
    for (int64_t g = (int64_t)blockIdx.x; g < blocks * ((columns + 31) / 32);
         g += (int64_t)gridDim.x) {
        const int64_t turn       = g % blocks;
        const int64_t columns_at = g / blocks * 32;

        for (int64_t t = turn * 128 + (int64_t)threadIdx.x;
             t < min_of(turn * 128 + 128, all); t += (int64_t)ITEMS) {
            const int64_t c = columns_at + t % 16 * 2;

            if (c < columns) {
                const int64_t long_row = from + t / 16;
                const int64_t list     = ldg_i64(long_list + long_row);
                const int64_t i        = list + A0_lo;
                double        s_0      = 0.0;
                double        s_1      = 0.0;

                /* pieces */
                for (int64_t k = ldg_i64(piece_first + long_row);
                     k < ldg_i64(piece_first + long_row + 1); k++) {
                    s_0 += ldg_f64(partial + k * y_stride + c);
                    s_1 += ldg_f64(partial + k * y_stride + c + 1);
                }
                y[(i - row_lo) * y_stride + c]     = s_0;
                y[(i - row_lo) * y_stride + c + 1] = s_1;
            }
        }
    }
}
