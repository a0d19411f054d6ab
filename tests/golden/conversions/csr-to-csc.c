// member 0, scatter: Count entry, index 0
// member 0, scatter: Offsets run, index 0, ptr1, direct
// member 0, scatter: Move entry, index 0, idx1 val, direct

/*
 * cairn_108e1bd37be7fa31: one phase of a conversion
 * convert: histogram part, order 2, split 0, nodes 2 from d0:d d1:cp32u32n1
 *     =+1e0+0/1 =+1e1+0/1 check0 f64 exact to d1:d d0:cp32u16n1 =+1e1+0/1
 *     =+1e0+0/1 check0 f64 exact
 */

int64_t cairn_108e1bd37be7fa31(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const int64_t *restrict const share   = op->share;
    const uint32_t *restrict const A1_ptr = A->level[1].ptr;
    const uint32_t *restrict const A1_idx = A->level[1].idx;
    uint32_t *restrict const cursor       = op->cursor;

    const int64_t shares = op->shares;
    const int64_t B0_lo  = B->level[0].lo;
    const int64_t groups = op->groups;

    /* threads */
#pragma omp parallel for schedule(static, 1) num_threads((int)shares) if (shares > 1)
    for (int64_t t = 0; t < shares; t++) {
        const int64_t begin = share[t];
        const int64_t end   = share[t + 1];

        if (begin < end) {
            const int64_t p1_end = A1_ptr[end];

            /* nodes */
#pragma GCC unroll 4
            for (int64_t p1 = A1_ptr[begin]; p1 < p1_end; p1++) {
                const int64_t s1    = A1_idx[p1];
                const int64_t group = s1 - B0_lo;

                cursor[t * groups + group] =
                    (uint32_t)((int64_t)cursor[t * groups + group] + 1);
            }
        }
    }
    return 0;
}

/*
 * cairn_5e9333e9a9b4a748: one phase of a conversion
 * convert: scatter part, order 2, split 0, ahead, nodes 2 from d0:d d1:cp32u32n1
 *     =+1e0+0/1 =+1e1+0/1 check0 f64 exact to d1:d d0:cp32u16n1 =+1e1+0/1
 *     =+1e0+0/1 check0 f64 exact
 */

int64_t cairn_5e9333e9a9b4a748(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const int64_t *restrict const share   = op->share;
    const uint32_t *restrict const A1_ptr = A->level[1].ptr;
    const uint32_t *restrict const A1_idx = A->level[1].idx;
    const double *restrict const A_val    = A->val;
    uint32_t *restrict const cursor       = op->cursor;
    uint16_t *restrict const B1_idx       = (uint16_t *)B->level[1].idx;
    double *restrict const B_val          = B->val;

    const int64_t shares = op->shares;
    const int64_t A0_lo  = A->level[0].lo;
    const int64_t B0_lo  = B->level[0].lo;
    const int64_t groups = op->groups;

    /* threads */
#pragma omp parallel for schedule(static, 1) num_threads((int)shares) if (shares > 1)
    for (int64_t t = 0; t < shares; t++) {
        const int64_t begin = share[t];
        const int64_t end   = share[t + 1];

        /* dense */
        for (int64_t p0 = begin; p0 < end; p0++) {
            const int64_t s0     = A0_lo + p0;
            const int64_t p1_end = A1_ptr[p0 + 1];

            /* nodes */
            for (int64_t p1 = A1_ptr[p0]; p1 < p1_end; p1++) {
                const int64_t s1    = A1_idx[p1];
                const double  v     = A_val[p1];
                const int64_t group = s1 - B0_lo;
                const int64_t at    = cursor[t * groups + group];

                cursor[t * groups + group] = (uint32_t)(at + 1);
                __builtin_prefetch(B1_idx + at + 32, 1, 3);
                __builtin_prefetch(B_val + at + 8, 1, 3);
                B1_idx[at] = (uint16_t)s0;
                B_val[at]  = v;
            }
        }
    }
    return 0;
}
