/*
 * y(i) = A(i,j)*x(j)
 * A: place/8, dense; slot, ragged; place%8, dense; d0, singleton; d1, singleton
 * key: product double.double v64 h00000 +1*(+1*q1.2+0)/8+0.dense
 *     +1*q2.1+0.ragged.p64.n1 +1*(+1*q1.2+0)%8+0.dense
 *     +1*d0+0.singleton.u32.by5.0.1 +1*d1+0.singleton.u32.by4.1.3 d0=+1*e3+0
 *     d1=+1*e4+0 f64 pads order.0.2.3/1.4 oc tile2.2 sum0 share3.0
 */

typedef __INT32_TYPE__  int32_t;
typedef __INT64_TYPE__  int64_t;
typedef __UINT8_TYPE__  uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-pre")
#endif

#define CAIRN_KERNEL_LEVELS 16

typedef struct cairn_kernel_level {
    int64_t     lo;
    int64_t     size;
    int64_t     nodes;
    const void *ptr;
    int64_t     ptr_length;
    const void *idx;
    int64_t     idx_length;
    int64_t     idx_stride;
    int64_t     hole;
    uint8_t     ptr_bits;
    uint8_t     idx_bits;
    uint8_t     idx_signed;
    uint8_t     kind;
} cairn_kernel_level;

typedef enum cairn_value_kind {
    CAIRN_VALUE_FLOAT,
    CAIRN_VALUE_INTEGER,
    CAIRN_VALUE_ONE,
    CAIRN_VALUE_CODE,
    CAIRN_VALUE_BFLOAT,
} cairn_value_kind;

typedef struct cairn_kernel_part {
    int64_t size;
    int32_t order, levels;
    int32_t first, last;
    int64_t bank;
    cairn_kernel_level level[CAIRN_KERNEL_LEVELS];
    void              *val;
    int64_t            values;
    int64_t            val_block;
    int64_t            val_stride;
    int32_t            val_bits;
    int32_t            val_kind;
    const void        *dictionary;
} cairn_kernel_part;

typedef struct cairn_product_args {
    const void     *x;
    void           *y;
    int64_t         x_stride, y_stride, columns, row_lo, row_end, col_lo;
    int64_t         col_end;
    double          alpha;
    const int64_t  *share;
    int64_t         shares;
    const int64_t  *cut;
    int64_t         cuts, cutters;
    void           *partial;
    const void     *first, *last;
    const uint16_t *step;
    int64_t         steps, y_aligned;
    const double   *sums;
    double         *y_sum;
    const uint8_t  *alike;
} cairn_product_args;

typedef uint32_t v2u32 __attribute__((vector_size(8), aligned(4), may_alias));
typedef uint32_t v4u32 __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint32_t v8u32 __attribute__((vector_size(32), aligned(4), may_alias));
typedef double   v8f64 __attribute__((vector_size(64), aligned(8), may_alias));

static inline int any_v2u32(v2u32 v)
{
    return (v[0] | v[1]) != 0;
}

static inline int any_v4u32(v4u32 v)
{
    const v2u32 *const half = (const v2u32 *)&v;

    return any_v2u32(half[0] | half[1]);
}

static inline int any_v8u32(v8u32 v)
{
#ifdef __AVX__
    typedef long long whole __attribute__((vector_size(32)));

    return !__builtin_ia32_ptestz256((whole)v, (whole)v);
#else
    const v4u32 *const half = (const v4u32 *)&v;

    return any_v4u32(half[0] | half[1]);
#endif
}

static inline int follow_v8u32(v8u32 v)
{
    const v8u32 differs = v ^ (v[0] + (v8u32){0, 1, 2, 3, 4, 5, 6, 7});

    return (v[0] < v[7]) & !any_v8u32(differs);
}

static inline v8f64 load_v8f64(const double *from)
{
    return *(const v8f64 *)from;
}

static inline v8f64 gather_v8f64_u32_upto(const double *from, const uint32_t *at,
                                          int64_t last)
{
    typedef uint64_t pairs __attribute__((vector_size(32)));

    const v8u32 p    = *(const v8u32 *)at;
    const v8u32 most = (v8u32){0} + (uint32_t)last;
    const v8u32 less = (v8u32)(p < most);
    const pairs pair = (pairs)((p & less) | (most & ~less));

    return (v8f64){from[(uint32_t)pair[0]], from[pair[0] >> 32],
                   from[(uint32_t)pair[1]], from[pair[1] >> 32],
                   from[(uint32_t)pair[2]], from[pair[2] >> 32],
                   from[(uint32_t)pair[3]], from[pair[3] >> 32]};
}

int64_t spmv(const cairn_kernel_part *A, const cairn_product_args *op)
{
    const double *restrict const x        = op->x;
    double *restrict const y              = op->y;
    const int64_t *restrict const share   = op->share;
    const int64_t *restrict const A1_ptr  = A->level[1].ptr;
    const uint32_t *restrict const A4_idx = A->level[4].idx;
    const double *restrict const A_val    = A->val;
    const uint32_t *restrict const A3_idx = A->level[3].idx;

    const int64_t row_lo   = op->row_lo;
    const int64_t row_end  = op->row_end;
    const int64_t A_values = A->values;
    const int64_t shares   = op->shares;
    const int64_t A4_size  = A->level[4].size;
    const int64_t A4_lo    = A->level[4].lo;
    const int64_t A3_hole  = A->level[3].hole;

    if (A_values == 0) {
        for (int64_t r = 0; r < row_end - row_lo; r++)
            y[r] = 0.0;
        return 0;
    }

    /* threads */
#pragma omp parallel for schedule(static, 1) num_threads((int)shares) if (shares > 1)
    for (int64_t t = 0; t < shares; t++) {
        const int64_t begin = share[t];
        const int64_t end   = share[t + 1];
        const int64_t limit = A4_lo + A4_size - 1;

        /* place/8, dense */
        for (int64_t pplaceb = begin; pplaceb < end; pplaceb++) {
            v8f64 s = {0};

            /* slot, ragged */
            for (int64_t pslot = A1_ptr[pplaceb]; pslot < A1_ptr[pplaceb + 1];
                 pslot++) {
                s += load_v8f64(A_val + pslot * 8)
                     * gather_v8f64_u32_upto(x, A4_idx + pslot * 8, limit);
            }
            if (A3_idx[pplaceb * 8 + 7] == (int64_t)A3_idx[pplaceb * 8] + 7
                && follow_v8u32(*(const v8u32 *)(A3_idx + pplaceb * 8))
                && A3_idx[pplaceb * 8 + 7] != A3_hole) {
                const int64_t i = A3_idx[pplaceb * 8];

                *(v8f64 *)(y + i - row_lo) = s;
            } else {
                const int64_t i = A3_idx[pplaceb * 8];

                if (i != A3_hole) y[i - row_lo] = s[0];

                const int64_t i_2 = A3_idx[pplaceb * 8 + 1];

                if (i_2 != A3_hole) y[i_2 - row_lo] = s[1];

                const int64_t i_3 = A3_idx[pplaceb * 8 + 2];

                if (i_3 != A3_hole) y[i_3 - row_lo] = s[2];

                const int64_t i_4 = A3_idx[pplaceb * 8 + 3];

                if (i_4 != A3_hole) y[i_4 - row_lo] = s[3];

                const int64_t i_5 = A3_idx[pplaceb * 8 + 4];

                if (i_5 != A3_hole) y[i_5 - row_lo] = s[4];

                const int64_t i_6 = A3_idx[pplaceb * 8 + 5];

                if (i_6 != A3_hole) y[i_6 - row_lo] = s[5];

                const int64_t i_7 = A3_idx[pplaceb * 8 + 6];

                if (i_7 != A3_hole) y[i_7 - row_lo] = s[6];

                const int64_t i_8 = A3_idx[pplaceb * 8 + 7];

                if (i_8 != A3_hole) y[i_8 - row_lo] = s[7];
            }
        }
    }
    return 0;
}
