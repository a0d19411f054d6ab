// member 0, scatter: Count entry, index 0
// member 0, scatter: Offsets run, index 0, ptr1, direct
// member 0, scatter: Move entry, index 0, idx1 val, direct

/*
 * cairn_4582c384f2c5132f: one phase of a conversion
 * convert: histogram part, order 2, split 0, nodes 2 from (d0/2):d
 *     (d1/2):cp32u32n1 (d0%2):ds2 (d1%2):ds2 =+2e0+1e2+0/1 =+2e1+1e3+0/1 check0
 *     f64 pads exact to d0:d d1:cp32u32n1 =+1e0+0/1 =+1e1+0/1 check0 f64 exact
 */

int64_t cairn_4582c384f2c5132f(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const int64_t *restrict const share   = op->share;
    const uint32_t *restrict const A1_ptr = A->level[1].ptr;
    const uint32_t *restrict const A1_idx = A->level[1].idx;
    const double *restrict const A_val    = A->val;
    const int64_t *restrict const box     = op->box;
    uint32_t *restrict const cursor       = op->cursor;

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
                const int64_t s1 = A1_idx[p1];

                /* dense */
                for (int64_t p2 = 0; p2 < 2; p2++) {
                    const int64_t n2          = p1 * 2 + p2;
                    const int64_t d0          = s0 * 2 + p2;
                    const int64_t group       = d0 - B0_lo;
                    const int64_t cursor_base = t * groups + group;

                    /* dense */
                    for (int64_t p3 = 0; p3 < 2; p3++) {
                        const int64_t n3 = n2 * 2 + p3;
                        const double  v  = A_val[n3];

                        if (v != 0.0) {
                            if (box[0] <= d0 && d0 <= box[1]) {
                                const int64_t d1 = s1 * 2 + p3;

                                if (box[2] <= d1 && d1 <= box[3]) {
                                    cursor[cursor_base] =
                                        (uint32_t)((int64_t)cursor[cursor_base] + 1);
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    return 0;
}

/*
 * cairn_0175acaf88426678: one phase of a conversion
 * convert: scatter part, order 2, split 0, ahead, nodes 2 from (d0/2):d
 *     (d1/2):cp32u32n1 (d0%2):ds2 (d1%2):ds2 =+2e0+1e2+0/1 =+2e1+1e3+0/1 check0
 *     f64 pads exact to d0:d d1:cp32u32n1 =+1e0+0/1 =+1e1+0/1 check0 f64 exact
 */

int64_t cairn_0175acaf88426678(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const int64_t *restrict const share   = op->share;
    const uint32_t *restrict const A1_ptr = A->level[1].ptr;
    const uint32_t *restrict const A1_idx = A->level[1].idx;
    const double *restrict const A_val    = A->val;
    const int64_t *restrict const box     = op->box;
    uint32_t *restrict const cursor       = op->cursor;
    uint32_t *restrict const B1_idx       = (uint32_t *)B->level[1].idx;
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
                const int64_t s1 = A1_idx[p1];

                /* dense */
                for (int64_t p2 = 0; p2 < 2; p2++) {
                    const int64_t n2          = p1 * 2 + p2;
                    const int64_t d0          = s0 * 2 + p2;
                    const int64_t group       = d0 - B0_lo;
                    const int64_t cursor_base = t * groups + group;

                    /* dense */
                    for (int64_t p3 = 0; p3 < 2; p3++) {
                        const int64_t n3 = n2 * 2 + p3;
                        const double  v  = A_val[n3];

                        if (v != 0.0) {
                            if (box[0] <= d0 && d0 <= box[1]) {
                                const int64_t d1 = s1 * 2 + p3;

                                if (box[2] <= d1 && d1 <= box[3]) {
                                    const int64_t at = cursor[cursor_base];

                                    cursor[cursor_base] = (uint32_t)(at + 1);
                                    __builtin_prefetch(B1_idx + at + 16, 1, 3);
                                    __builtin_prefetch(B_val + at + 8, 1, 3);
                                    B1_idx[at] = (uint32_t)d1;
                                    B_val[at]  = v;
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    return 0;
}
