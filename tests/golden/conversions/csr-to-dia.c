// member 0, groups: Count entry, index 0
// member 0, groups: Number run rank, index 0
// member 0, groups: Move entry, index 0, idx0 val, direct

/*
 * cairn_c86f7de6e30fc94d: one phase of a conversion
 * convert: mark part, order 2, split 0 from d0:d d1:cp32u32n1 =+1e0+0/1 =+1e1+0/1
 *     check0 f64 exact to (d1-d0):ci32n0t d0:d =+1e1+0/1 =+1e0+1e1+0/1 check0 f64
 *     pads exact
 */

int64_t cairn_c86f7de6e30fc94d(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const int64_t *restrict const share   = op->share;
    const int64_t *restrict const offset  = op->offset;
    const uint32_t *restrict const A1_ptr = A->level[1].ptr;
    const uint32_t *restrict const A1_idx = A->level[1].idx;
    const int64_t *restrict const low     = op->low;
    uint32_t *restrict const slot         = op->slot;
    int64_t *restrict const facts         = op->facts;

    const int64_t shares = op->shares;
    const int64_t A0_lo  = A->level[0].lo;
    const int64_t slots  = op->slots;

    /* threads */
#pragma omp parallel for schedule(static, 1) num_threads((int)shares) if (shares > 1)
    for (int64_t t = 0; t < shares; t++) {
        const int64_t begin       = share[t];
        const int64_t end         = share[t + 1];
        int64_t       nodes       = offset[t];
        int64_t       first_group = -1;
        int64_t       group_now   = -1;
        int64_t       entries     = 0;

        /* dense */
        for (int64_t p0 = begin; p0 < end; p0++) {
            const int64_t s0     = A0_lo + p0;
            const int64_t p1_end = A1_ptr[p0 + 1];

            /* nodes */
            for (int64_t p1 = A1_ptr[p0]; p1 < p1_end; p1++) {
                const int64_t s1 = A1_idx[p1];
                const int64_t e0 = s0 * -1 + s1;
                const int64_t x  = e0 - low[0];

                slot[x + t * slots] = 1;
                entries++;
            }
        }
        facts[t * 8]     = entries;
        facts[t * 8 + 1] = nodes;
        facts[t * 8 + 2] = first_group;
        facts[t * 8 + 3] = group_now;
    }
    return 0;
}

/*
 * cairn_f9b496ec4360b59b: one phase of a conversion
 * convert: place part, order 2, split 0 from d0:d d1:cp32u32n1 =+1e0+0/1
 *     =+1e1+0/1 check0 f64 exact to (d1-d0):ci32n0t d0:d =+1e1+0/1 =+1e0+1e1+0/1
 *     check0 f64 pads exact
 */

int64_t cairn_f9b496ec4360b59b(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const uint32_t *restrict const cursor = op->cursor;
    const uint32_t *restrict const list   = op->list;
    const int64_t *restrict const low     = op->low;
    uint32_t *restrict const slot         = op->slot;
    int32_t *restrict const B0_idx        = (int32_t *)B->level[0].idx;
    const int64_t *restrict const share   = op->share;
    const uint32_t *restrict const A1_ptr = A->level[1].ptr;
    const uint32_t *restrict const A1_idx = A->level[1].idx;
    const double *restrict const A_val    = A->val;
    double *restrict const B_val          = B->val;

    const int64_t shares  = op->shares;
    const int64_t A0_lo   = A->level[0].lo;
    const int64_t B1_lo   = B->level[1].lo;
    const int64_t B1_size = B->level[1].size;

    const int64_t q_end = cursor[1];

    /* nodes of the group */
    for (int64_t q = cursor[0]; q < q_end; q++) {
        const int64_t its = list[q];

        slot[its] = (uint32_t)q;
        B0_idx[q] = (int32_t)(its + low[0]);
    }

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
                const int64_t s1   = A1_idx[p1];
                const double  v    = A_val[p1];
                const int64_t e0   = s0 * -1 + s1;
                const int64_t x    = e0 - low[0];
                const int64_t node = slot[x];

                B_val[node * B1_size + (s0 - B1_lo)] = v;
            }
        }
    }
    return 0;
}
