// member 0, groups: Count entry, index 0
// member 0, groups: Number run rank, index 0, ptr1
// member 0, groups: Move entry, index 0, idx1 val, direct

/*
 * cairn_8c2e481d51f12035: one phase of a conversion
 * convert: mark part, order 2, split 0 from d0:d d1:cp32u32n1 =+1e0+0/1 =+1e1+0/1
 *     check0 f64 exact to (d0/2):d (d1/2):cp32u32n1 (d0%2):ds2 (d1%2):ds2
 *     =+2e0+1e2+0/1 =+2e1+1e3+0/1 check0 f64 pads exact
 */

int64_t cairn_8c2e481d51f12035(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const int64_t *restrict const share   = op->share;
    const int64_t *restrict const offset  = op->offset;
    const uint32_t *restrict const A1_ptr = A->level[1].ptr;
    uint32_t *restrict const cursor       = op->cursor;
    const uint32_t *restrict const A1_idx = A->level[1].idx;
    const int64_t *restrict const low     = op->low;
    uint32_t *restrict const slot         = op->slot;
    uint32_t *restrict const list         = op->list;
    int64_t *restrict const facts         = op->facts;

    const int64_t shares = op->shares;
    const int64_t A0_lo  = A->level[0].lo;
    const int64_t B0_lo  = B->level[0].lo;
    const int64_t slots  = op->slots;

    /* threads */
#pragma omp parallel for schedule(static, 1) num_threads((int)shares) if (shares > 1)
    for (int64_t t = 0; t < shares; t++) {
        const int64_t begin          = share[t];
        const int64_t end            = share[t + 1];
        int64_t       nodes          = offset[t];
        int64_t       first_group    = -1;
        int64_t       group_now      = -1;
        int64_t       begin_of_group = nodes;
        int64_t       entries        = 0;
        int64_t       length         = 0;

        /* dense */
        for (int64_t p0 = begin; p0 < end; p0++) {
            const int64_t s0        = A0_lo + p0;
            const int64_t row_begin = A1_ptr[p0];
            const int64_t row_end   = A1_ptr[p0 + 1];
            const int64_t e0        = s0 / 2;
            const int64_t group     = e0 - B0_lo;

            if (group != group_now) length = 0;
            if (group != group_now) {
                if (first_group < 0) {
                    first_group = group;
                    group_now   = group - 1;
                }
                while (group_now < group) {
                    group_now++;
                    cursor[group_now] = (uint32_t)nodes;
                }
                begin_of_group = nodes;
            }

            const int64_t count   = row_end - row_begin;
            int64_t       differs = 1;

            if (0 < count && count == length) {
                differs = (int64_t)A1_idx[row_begin] - A1_idx[row_begin - count];
                if (differs == 0) {
                    /* like the row before */
                    for (int64_t p = row_begin; p < row_end; p++)
                        differs = differs | ((int64_t)A1_idx[p] - A1_idx[p - count]);
                }
            }
            length = count;
            entries += count;
            if (differs != 0) {
                int64_t p1 = row_begin;

                while (p1 < row_end) {
                    const int64_t s1 = A1_idx[p1];
                    const int64_t e1 = s1 / 2;
                    const int64_t x  = e1 - low[1];

                    if (slot[x + t * slots] <= begin_of_group) {
                        list[nodes] = (uint32_t)x;
                        nodes++;
                        slot[x + t * slots] = (uint32_t)nodes;
                    }

                    const int64_t e3 = s1 % 2;

                    if (e3 == 0 && (p1 + 1 < row_end && A1_idx[p1 + 1] == s1 + 1)) {
                        p1 += 2;
                    } else {
                        p1++;
                    }
                }
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
 * cairn_e81dba27220b895b: one phase of a conversion
 * convert: place part, order 2, split 0 from d0:d d1:cp32u32n1 =+1e0+0/1
 *     =+1e1+0/1 check0 f64 exact to (d0/2):d (d1/2):cp32u32n1 (d0%2):ds2
 *     (d1%2):ds2 =+2e0+1e2+0/1 =+2e1+1e3+0/1 check0 f64 pads exact
 */

int64_t cairn_e81dba27220b895b(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const int64_t *restrict const share   = op->share;
    const uint32_t *restrict const A1_ptr = A->level[1].ptr;
    const uint32_t *restrict const cursor = op->cursor;
    const uint32_t *restrict const list   = op->list;
    const int64_t *restrict const low     = op->low;
    uint32_t *restrict const slot         = op->slot;
    uint32_t *restrict const B1_idx       = (uint32_t *)B->level[1].idx;
    double *restrict const B_val          = B->val;
    const double *restrict const A_val    = A->val;
    const uint32_t *restrict const A1_idx = A->level[1].idx;

    const int64_t shares = op->shares;
    const int64_t A0_lo  = A->level[0].lo;
    const int64_t B0_lo  = B->level[0].lo;
    const int64_t slots  = op->slots;
    const int64_t zeros  = op->zeros;

    /* threads */
#pragma omp parallel for schedule(static, 1) num_threads((int)shares) if (shares > 1)
    for (int64_t t = 0; t < shares; t++) {
        const int64_t begin   = share[t];
        const int64_t end     = share[t + 1];
        int64_t       current = -1;

        /* dense */
        for (int64_t p0 = begin; p0 < end; p0++) {
            const int64_t s0        = A0_lo + p0;
            const int64_t row_begin = A1_ptr[p0];
            const int64_t row_end   = A1_ptr[p0 + 1];
            const int64_t e0        = s0 / 2;
            const int64_t group     = e0 - B0_lo;

            if (group != current) {
                current = group;

                const int64_t q_end = cursor[group + 1];

                /* nodes of the group */
                for (int64_t q = cursor[group]; q < q_end; q++) {
                    const int64_t its = list[q];

                    slot[its + t * slots] = (uint32_t)q;
                    B1_idx[q]             = (uint32_t)(its + low[1]);
                }
                if (zeros == 0) {
                    const int64_t h_end = (int64_t)cursor[group + 1] * 4;

                    /* no value yet */
                    for (int64_t h = (int64_t)cursor[group] * 4; h < h_end; h++)
                        B_val[h] = 0.0;
                }
            }

            const int64_t nodes     = cursor[group];
            const int64_t nodes_end = cursor[group + 1];
            const int64_t lacks     = (nodes_end - nodes) * 2 - (row_end - row_begin);
            const int64_t e2        = s0 % 2;

            if (lacks == 0) {
                /* a full row */
                for (int64_t q = nodes; q < nodes_end; q++) {
                    const int64_t B_val_base = (q * 2 + e2) * 2;
                    const int64_t A_val_base = row_begin + (q - nodes) * 2;

                    for (int64_t k = 0; k < 2; k++)
                        B_val[B_val_base + k] = A_val[A_val_base + k];
                }
            }
            if (lacks != 0) {
                int64_t p1 = row_begin;

                while (p1 < row_end) {
                    const int64_t s1   = A1_idx[p1];
                    const int64_t e1   = s1 / 2;
                    const int64_t e3   = s1 % 2;
                    const int64_t x    = e1 - low[1];
                    const int64_t node = slot[x + t * slots];

                    if (e3 == 0 && (p1 + 1 < row_end && A1_idx[p1 + 1] == s1 + 1)) {
                        const int64_t B_val_base = (node * 2 + e2) * 2;

                        /* a run that is whole */
                        for (int64_t k = 0; k < 2; k++)
                            B_val[B_val_base + k] = A_val[p1 + k];
                        p1 += 2;
                    } else {
                        B_val[(node * 2 + e2) * 2 + e3] = A_val[p1];
                        p1++;
                    }
                }
            }
        }
    }
    return 0;
}
