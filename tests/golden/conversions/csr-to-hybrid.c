// assign: Count entry, index 0
// assign: Assign entry, index 0
// member 0, groups: Number run rank, ptr1
// member 0, groups: Move entry, idx1 val, direct
// member 1, append: Append entry, ptr1 idx1 val, direct

/*
 * cairn_a4c01f51361811a5: one phase of a conversion
 * convert: tally part, order 2, split 0, listed groups (d0/4) (d1-d0) case1
 *     0->0,1 else 0,0 from d0:d d1:cp32u32n1 =+1e0+0/1 =+1e1+0/1 check0 f64 exact
 */

int64_t cairn_a4c01f51361811a5(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const int64_t *restrict const share     = op->share;
    const int64_t *restrict const offset    = op->offset;
    const uint32_t *restrict const A1_ptr   = A->level[1].ptr;
    const int64_t *restrict const group_low = op->group_low;
    uint32_t *restrict const cursor         = op->cursor;
    const uint32_t *restrict const A1_idx   = A->level[1].idx;
    uint32_t *restrict const tally          = op->tally;
    uint32_t *restrict const slot           = op->slot;
    uint32_t *restrict const list           = op->list;
    int64_t *restrict const facts           = op->facts;

    const int64_t shares = op->shares;
    const int64_t A0_lo  = A->level[0].lo;
    const int64_t slots  = op->slots;

    /* threads */
#pragma omp parallel for schedule(static, 1) num_threads((int)shares) if (shares > 1)
    for (int64_t t = 0; t < shares; t++) {
        const int64_t begin         = share[t];
        const int64_t end           = share[t + 1];
        int64_t       nodes         = offset[t];
        int64_t       first_line    = -1;
        int64_t       line_now      = -1;
        int64_t       begin_of_line = nodes;

        /* dense */
        for (int64_t p0 = begin; p0 < end; p0++) {
            const int64_t s0        = A0_lo + p0;
            const int64_t row_begin = A1_ptr[p0];
            const int64_t row_end   = A1_ptr[p0 + 1];
            const int64_t e0        = s0 / 4;
            const int64_t line      = e0 - group_low[0];

            if (line != line_now) {
                if (first_line < 0) {
                    first_line = line;
                    line_now   = line - 1;
                }
                while (line_now < line) {
                    line_now++;
                    cursor[line_now] = (uint32_t)nodes;
                }
                begin_of_line = nodes;
            }

            /* nodes */
            for (int64_t p1 = row_begin; p1 < row_end; p1++) {
                const int64_t s1 = A1_idx[p1];
                const int64_t e1 = s0 * -1 + s1;
                const int64_t x  = e1 - group_low[1];

                if (slot[x + t * slots] <= begin_of_line) {
                    list[nodes]  = (uint32_t)x;
                    tally[nodes] = 0;
                    nodes++;
                    slot[x + t * slots] = (uint32_t)nodes;
                }

                const int64_t group = (int64_t)slot[x + t * slots] - 1;

                tally[group] = (uint32_t)((int64_t)tally[group] + 1);
            }
        }
        facts[t * 8 + 1] = nodes;
        facts[t * 8 + 2] = first_line;
        facts[t * 8 + 3] = line_now;
    }
    return 0;
}

/*
 * cairn_7adeed978992f335: one phase of a conversion
 * convert: deal part, order 2, split 0, listed groups (d0/4) (d1-d0) case1 0->0,1
 *     else 0,0 from d0:d d1:cp32u32n1 =+1e0+0/1 =+1e1+0/1 check0 f64 exact
 */

int64_t cairn_7adeed978992f335(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const int64_t *restrict const share     = op->share;
    const uint32_t *restrict const A1_ptr   = A->level[1].ptr;
    const int64_t *restrict const group_low = op->group_low;
    const uint32_t *restrict const cursor   = op->cursor;
    const uint8_t *restrict const member_of = op->member_of;
    const uint32_t *restrict const list     = op->list;
    uint32_t *restrict const slot           = op->slot;
    const uint32_t *restrict const A1_idx   = A->level[1].idx;
    uint8_t *restrict const member          = op->member;

    const int64_t shares = op->shares;
    const int64_t A0_lo  = A->level[0].lo;
    const int64_t slots  = op->slots;

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
            const int64_t e0        = s0 / 4;
            const int64_t line      = e0 - group_low[0];

            if (line != current) {
                current = line;

                const int64_t q_end = cursor[line + 1];

                /* groups of the line */
                for (int64_t q = cursor[line]; q < q_end; q++)
                    slot[list[q] + t * slots] = (uint32_t)member_of[q];
            }

            /* nodes */
            for (int64_t p1 = row_begin; p1 < row_end; p1++) {
                const int64_t s1 = A1_idx[p1];
                const int64_t e1 = s0 * -1 + s1;

                member[p1] = (uint8_t)slot[e1 - group_low[1] + t * slots];
            }
        }
    }
    return 0;
}

/*
 * cairn_8473952b5f96baee: one phase of a conversion
 * convert: place part, order 2, split 0, of one member from d0:d d1:cp32u32n1
 *     =+1e0+0/1 =+1e1+0/1 check0 f64 exact to (d0/4):d (d1-d0):cp32i32n1
 *     (d0%4):ds4 =+4e0+1e2+0/1 =+4e0+1e1+1e2+0/1 check0 f64 pads exact
 */

int64_t cairn_8473952b5f96baee(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const int64_t *restrict const share   = op->share;
    const uint32_t *restrict const A1_ptr = A->level[1].ptr;
    const uint32_t *restrict const cursor = op->cursor;
    const uint32_t *restrict const list   = op->list;
    const int64_t *restrict const low     = op->low;
    uint32_t *restrict const slot         = op->slot;
    int32_t *restrict const B1_idx        = (int32_t *)B->level[1].idx;
    double *restrict const B_val          = B->val;
    const uint32_t *restrict const A1_idx = A->level[1].idx;
    const uint8_t *restrict const member  = op->member;
    const double *restrict const A_val    = A->val;

    const int64_t shares = op->shares;
    const int64_t A0_lo  = A->level[0].lo;
    const int64_t B0_lo  = B->level[0].lo;
    const int64_t slots  = op->slots;
    const int64_t zeros  = op->zeros;
    const int64_t which  = op->which;

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
            const int64_t e0        = s0 / 4;
            const int64_t group     = e0 - B0_lo;

            if (group != current) {
                current = group;

                const int64_t q_end = cursor[group + 1];

                /* nodes of the group */
                for (int64_t q = cursor[group]; q < q_end; q++) {
                    const int64_t its = list[q];

                    slot[its + t * slots] = (uint32_t)q;
                    B1_idx[q]             = (int32_t)(its + low[1]);
                }
                if (zeros == 0) {
                    const int64_t h_end = (int64_t)cursor[group + 1] * 4;

                    /* no value yet */
                    for (int64_t h = (int64_t)cursor[group] * 4; h < h_end; h++)
                        B_val[h] = 0.0;
                }
            }

            const int64_t e2 = s0 % 4;

            /* nodes */
            for (int64_t p1 = row_begin; p1 < row_end; p1++) {
                const int64_t s1 = A1_idx[p1];

                if (member[p1] == which) {
                    const double  v    = A_val[p1];
                    const int64_t e1   = s0 * -1 + s1;
                    const int64_t x    = e1 - low[1];
                    const int64_t node = slot[x + t * slots];

                    B_val[node * 4 + e2] = v;
                }
            }
        }
    }
    return 0;
}

/*
 * cairn_ea668ba4568c17b1: one phase of a conversion
 * convert: fill part, order 2, split 0, nodes 2, of one member from d0:d
 *     d1:cp32u32n1 =+1e0+0/1 =+1e1+0/1 check0 f64 exact to d0:d d1:cp32u32n1
 *     =+1e0+0/1 =+1e1+0/1 check0 f64 exact
 */

int64_t cairn_ea668ba4568c17b1(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    uint32_t *restrict const B1_ptr       = (uint32_t *)B->level[1].ptr;
    const uint32_t *restrict const A1_ptr = A->level[1].ptr;
    const uint32_t *restrict const A1_idx = A->level[1].idx;
    const uint8_t *restrict const member  = op->member;
    const double *restrict const A_val    = A->val;
    uint32_t *restrict const B1_idx       = (uint32_t *)B->level[1].idx;
    double *restrict const B_val          = B->val;
    int64_t *restrict const facts         = op->facts;
    const int64_t *restrict const length  = op->length;

    const int64_t begin = op->begin;
    const int64_t end   = op->end;
    const int64_t A0_lo = A->level[0].lo;
    const int64_t which = op->which;
    const int64_t B0_lo = B->level[0].lo;

    int64_t total1 = 0;
    int64_t node1  = 0;
    int64_t row1   = 0;

    B1_ptr[0] = 0;

    int64_t entries = 0;
    int64_t first   = 1;

    /* dense */
    for (int64_t p0 = begin; p0 < end; p0++) {
        const int64_t s0     = A0_lo + p0;
        const int64_t p1_end = A1_ptr[p0 + 1];

        /* nodes */
        for (int64_t p1 = A1_ptr[p0]; p1 < p1_end; p1++) {
            const int64_t s1 = A1_idx[p1];

            if (member[p1] == which) {
                const double v = A_val[p1];

                while (row1 < s0 - B0_lo) {
                    row1++;
                    B1_ptr[row1] = (uint32_t)total1;
                }
                node1 = total1;
                total1++;
                B1_idx[node1] = (uint32_t)s1;
                B_val[node1]  = v;
                first         = 0;
                entries++;
            }
        }
    }
    while (row1 < length[1]) {
        row1++;
        B1_ptr[row1] = (uint32_t)total1;
    }
    facts[0] = entries;
    return 0;
}
