// member 0, groups: Count run, index 0
// member 0, groups: Count run, index 1
// member 0, groups: Number run rank, index 1
// member 0, groups: Offsets run, index 1, direct
// member 0, groups: Move entry, index 1, idx2 val, direct
// member 0, groups: Pad run, index 1, idx2 val, direct

/*
 * cairn_c83ab21a96378847: one phase of a conversion
 * convert: ranked part, order 2, split 0, query 2 by, dense groups, lined from
 *     d0:d d1:cp32u32n1 =+1e0+0/1 =+1e1+0/1 check0 f64 exact to q2:rn0t (d0/2):d
 *     (d1/2):su32by2n (d0%2):ds2 (d1%2):ds2 =+2e1+1e3+0/1 =+2e2+1e4+0/1 check0
 *     f64 pads exact
 */

int64_t cairn_c83ab21a96378847(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const int64_t *restrict const share    = op->share;
    const uint32_t *restrict const A1_ptr  = A->level[1].ptr;
    const uint32_t *restrict const A1_idx  = A->level[1].idx;
    const double *restrict const A_val     = A->val;
    const uint32_t *restrict const rank_of = op->rank_of;
    const uint32_t *restrict const cursor  = op->cursor;
    double *restrict const B_val           = B->val;

    const int64_t shares  = op->shares;
    const int64_t A0_lo   = A->level[0].lo;
    const int64_t B1_lo   = B->level[1].lo;
    const int64_t B1_size = B->level[1].size;

    /* threads */
#pragma omp parallel for schedule(static, 1) num_threads((int)shares) if (shares > 1)
    for (int64_t t = 0; t < shares; t++) {
        const int64_t begin = share[t];
        const int64_t end   = share[t + 1];

        /* dense */
        for (int64_t p0 = begin; p0 < end; p0++) {
            const int64_t s0     = A0_lo + p0;
            const int64_t e1     = s0 / 2;
            const int64_t e3     = s0 % 2;
            const int64_t p1_end = A1_ptr[p0 + 1];

            /* nodes */
            for (int64_t p1 = A1_ptr[p0]; p1 < p1_end; p1++) {
                const int64_t s1     = A1_idx[p1];
                const double  v      = A_val[p1];
                const int64_t number = rank_of[0];
                const int64_t e4     = s1 % 2;
                const int64_t node   = cursor[0] + number;

                B_val[((node * B1_size + (e1 - B1_lo)) * 2 + e3) * 2 + e4] = v;
            }
        }
    }
    return 0;
}
