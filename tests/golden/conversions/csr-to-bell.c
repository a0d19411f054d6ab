// member 0, groups: Count run, index 0
// member 0, groups: Count run, index 1
// member 0, groups: Number run rank, index 1
// member 0, groups: Offsets run, index 1, direct
// member 0, groups: Move entry, index 1, idx2 val, direct
// member 0, groups: Pad run, index 1, idx2 val, direct

/*
 * cairn_d105db8558f53d93: one phase of a conversion
 * convert: tally part, order 2, split 0, listed groups (d0/2) (d1/2) case1 0->0,1
 *     else 0,0 from d0:d d1:cp32u32n1 =+1e0+0/1 =+1e1+0/1 check0 f64 exact
 */

int64_t cairn_d105db8558f53d93(const cairn_kernel_part  *A,
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
            const int64_t e0        = s0 / 2;
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
                const int64_t e1 = s1 / 2;
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
 * cairn_a34ee4391e255664: one phase of a conversion
 * convert: ranked part, order 2, split 0, query 2 by, listed groups (d0/2)
 *     (d1/2), lined from d0:d d1:cp32u32n1 =+1e0+0/1 =+1e1+0/1 check0 f64 exact
 *     to q2:rn0t (d0/2):d (d1/2):su32by2n (d0%2):ds2 (d1%2):ds2 =+2e1+1e3+0/1
 *     =+2e2+1e4+0/1 check0 f64 pads exact
 */

int64_t cairn_a34ee4391e255664(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const int64_t *restrict const share       = op->share;
    const uint32_t *restrict const A1_ptr     = A->level[1].ptr;
    const uint32_t *restrict const A1_idx     = A->level[1].idx;
    const double *restrict const A_val        = A->val;
    const int64_t *restrict const group_low   = op->group_low;
    const uint32_t *restrict const line_first = op->line_first;
    const uint32_t *restrict const line_list  = op->line_list;
    uint32_t *restrict const line_slot        = op->line_slot;
    const uint32_t *restrict const rank_of    = op->rank_of;
    const uint32_t *restrict const cursor     = op->cursor;
    double *restrict const B_val              = B->val;

    const int64_t shares     = op->shares;
    const int64_t A0_lo      = A->level[0].lo;
    const int64_t line_slots = op->line_slots;
    const int64_t B1_lo      = B->level[1].lo;
    const int64_t B1_size    = B->level[1].size;

    /* threads */
#pragma omp parallel for schedule(static, 1) num_threads((int)shares) if (shares > 1)
    for (int64_t t = 0; t < shares; t++) {
        const int64_t begin    = share[t];
        const int64_t end      = share[t + 1];
        int64_t       line_now = -1;

        /* dense */
        for (int64_t p0 = begin; p0 < end; p0++) {
            const int64_t s0     = A0_lo + p0;
            const int64_t e1     = s0 / 2;
            const int64_t e3     = s0 % 2;
            const int64_t p1_end = A1_ptr[p0 + 1];

            /* nodes */
            for (int64_t p1 = A1_ptr[p0]; p1 < p1_end; p1++) {
                const int64_t s1   = A1_idx[p1];
                const double  v    = A_val[p1];
                const int64_t line = e1 - group_low[0];

                if (line != line_now) {
                    line_now = line;

                    const int64_t q_end = line_first[line + 1];

                    /* groups of the line */
                    for (int64_t q = line_first[line]; q < q_end; q++)
                        line_slot[line_list[q] + t * line_slots] = (uint32_t)rank_of[q];
                }

                const int64_t number =
                    line_slot[s1 / 2 - group_low[1] + t * line_slots];
                const int64_t e4   = s1 % 2;
                const int64_t node = cursor[0] + number;

                B_val[((node * B1_size + (e1 - B1_lo)) * 2 + e3) * 2 + e4] = v;
            }
        }
    }
    return 0;
}
