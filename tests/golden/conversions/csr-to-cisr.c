// member 0, rows: Count run, index 0
// member 0, rows: Number run bucket, index 0
// member 0, rows: Count run, index 1
// member 0, rows: Number run place, index 1
// member 0, rows: Offsets run, index 1, ptr2, direct
// member 0, rows: Move run, index 1, idx1 idx2 val, direct

/*
 * cairn_4aa53714c7e8bbd7: one phase of a conversion
 * convert: fill rows, order 2, split 0, queries 3 by d0, d0 in order, 2 levels by
 *     d0 to q1:d d0:cu16n1t d1:cp32u32n2 bank0 =+1e1+0/1 =+1e2+0/1 check0 f64
 *     exact
 */

int64_t cairn_4aa53714c7e8bbd7(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    uint32_t *restrict const B2_ptr      = (uint32_t *)B->level[2].ptr;
    const uint32_t *restrict const order = op->order;
    const uint32_t *restrict const first = op->first;
    const int64_t *restrict const box    = op->box;
    const uint32_t *restrict const table = op->table;
    uint16_t *restrict const B1_idx      = (uint16_t *)B->level[1].idx;
    uint32_t *restrict const place       = op->place;
    int64_t *restrict const facts        = op->facts;
    const int64_t *restrict const length = op->length;

    const int64_t end   = op->end;
    const int64_t begin = op->begin;
    const int64_t rows  = op->table_rows;

    int64_t total1 = 0;
    int64_t node1  = 0;
    int64_t total2 = 0;
    int64_t node2  = 0;
    int64_t row2   = 0;

    B2_ptr[0] = 0;

    int64_t last0   = -1;
    int64_t last1   = -1;
    int64_t entries = 0;
    int64_t first_2 = 1;

    /* rows in order */
    for (int64_t r = begin; r < end; r++) {
        const int64_t row   = order[r];
        const int64_t count = (int64_t)first[row + 1] - first[row];

        if (count != 0) {
            const int64_t d0       = row + box[0];
            const int64_t e0       = table[rows + (d0 - box[0])];
            const bool    changed0 = first_2 != 0 || e0 != last0;
            const bool    changed1 = changed0 || d0 != last1;

            if (changed1) {
                node1 = total1;
                total1++;
                B1_idx[node1] = (uint16_t)d0;
            }
            while (row2 < node1) {
                row2++;
                B2_ptr[row2] = (uint32_t)total2;
            }
            node2 = total2;
            total2 += count;
            place[row] = (uint32_t)node2;
            last0      = e0;
            last1      = d0;
            first_2    = 0;
            entries += count;
        }
    }
    while (row2 < length[2]) {
        row2++;
        B2_ptr[row2] = (uint32_t)total2;
    }
    facts[0] = entries;
    return 0;
}

/*
 * cairn_52d54d082f657606: one phase of a conversion
 * convert: move part, order 2, split 0, queries 3 by d0, 2 levels by d0 from d0:d
 *     d1:cp32u32n1 =+1e0+0/1 =+1e1+0/1 check0 f64 exact to q1:d d0:cu16n1t
 *     d1:cp32u32n2 bank0 =+1e1+0/1 =+1e2+0/1 check0 f64 exact
 */

int64_t cairn_52d54d082f657606(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const int64_t *restrict const share   = op->share;
    const int64_t *restrict const box     = op->box;
    const uint32_t *restrict const first  = op->first;
    const uint32_t *restrict const place  = op->place;
    const uint32_t *restrict const table  = op->table;
    const int64_t *restrict const delta   = op->delta;
    const uint32_t *restrict const A1_idx = A->level[1].idx;
    uint32_t *restrict const B2_idx       = (uint32_t *)B->level[2].idx;
    const double *restrict const A_val    = A->val;
    double *restrict const B_val          = B->val;

    const int64_t shares = op->shares;
    const int64_t rows   = op->table_rows;
    const int64_t B0_lo  = B->level[0].lo;

    /* threads */
#pragma omp parallel for schedule(static, 1) num_threads((int)shares) if (shares > 1)
    for (int64_t t = 0; t < shares; t++) {
        const int64_t begin = share[t];
        const int64_t end   = share[t + 1];

        /* rows */
        for (int64_t r = begin; r < end; r++) {
            const int64_t d0     = r + box[0];
            const int64_t lo     = first[r];
            const int64_t hi     = first[r + 1];
            const int64_t shift  = place[r] - lo;
            const int64_t e0     = table[rows + (d0 - box[0])];
            const int64_t bank   = e0 - B0_lo;
            const int64_t shift2 = shift + delta[bank * 4 + 2];
            const int64_t shift3 = shift + delta[bank * 4 + 3];

            /* entries */
            for (int64_t p = lo; p < hi; p++) {
                B2_idx[shift2 + p] = (uint32_t)A1_idx[p];
                B_val[shift3 + p]  = A_val[p];
            }
        }
    }
    return 0;
}
