// member 0, row-slots: Count run, index 0
// member 0, row-slots: Number run place, index 0
// member 0, row-slots: Number run rank, index 0
// member 0, row-slots: Offsets run, index 0, ptr1, direct
// member 0, row-slots: Move run, index 0, idx3 idx4 val, direct
// member 0, row-slots: Pad run, index 0, idx3 idx4 val, direct

/*
 * cairn_6077cc357124ebf5: one phase of a conversion
 * convert: lanes rows, order 2, split 0, queries 3 by d0 to (q1/4):d q2:rp32n1
 *     (q1%4):ds4 d0:su16by5 d1:su32by4n =+1e3+0/1 =+1e4+0/1 check0 f64 pads exact
 */

static inline int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static inline int64_t floor_mod(int64_t a, int64_t b)
{
    const int64_t rest = a % b;

    return rest < 0 ? rest + b : rest;
}

int64_t cairn_6077cc357124ebf5(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const int64_t *restrict const share  = op->share;
    const int64_t *restrict const box    = op->box;
    const uint32_t *restrict const table = op->table;
    uint32_t *restrict const list        = op->list;

    const int64_t shares = op->shares;
    const int64_t rows   = op->table_rows;
    const int64_t B0_lo  = B->level[0].lo;

    /* threads */
#pragma omp parallel for schedule(static, 1) num_threads((int)shares) if (shares > 1)
    for (int64_t t = 0; t < shares; t++) {
        const int64_t begin = share[t];
        const int64_t end   = share[t + 1];

        /* rows */
        for (int64_t k = begin; k < end; k++) {
            const int64_t d0 = k + box[0];
            const int64_t e0 = floor_div(table[rows + (d0 - box[0])], 4);
            const int64_t e2 = floor_mod(table[rows + (d0 - box[0])], 4);

            list[k] = (uint32_t)((e0 - B0_lo) * 4 + e2);
        }
    }
    return 0;
}

/*
 * cairn_782c879fa0b5d16d: one phase of a conversion
 * convert: stand part, order 2, split 0, columns d1, queries 3 by d0, d0 in order
 *     from d0:d d1:cp32u32n1 =+1e0+0/1 =+1e1+0/1 check0 f64 exact to (q1/4):d
 *     q2:rp32n1 (q1%4):ds4 d0:su16by5 d1:su32by4n =+1e3+0/1 =+1e4+0/1 check0 f64
 *     pads exact
 */

static inline int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static inline int64_t floor_mod(int64_t a, int64_t b)
{
    const int64_t rest = a % b;

    return rest < 0 ? rest + b : rest;
}

static inline int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t cairn_782c879fa0b5d16d(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const int64_t *restrict const share   = op->share;
    const uint32_t *restrict const cursor = op->cursor;
    const uint32_t *restrict const order  = op->order;
    const uint32_t *restrict const A1_ptr = A->level[1].ptr;
    const uint32_t *restrict const A1_idx = A->level[1].idx;
    const double *restrict const A_val    = A->val;
    uint32_t *restrict const B4_idx       = (uint32_t *)B->level[4].idx;
    double *restrict const B_val          = B->val;
    const int64_t *restrict const box     = op->box;
    const uint32_t *restrict const table  = op->table;
    uint16_t *restrict const B3_idx       = (uint16_t *)B->level[3].idx;

    const int64_t shares  = op->shares;
    const int64_t lanes   = op->lanes;
    const int64_t rows    = op->table_rows;
    const int64_t B0_lo   = B->level[0].lo;
    const int64_t B4_hole = B->level[4].hole;

    /* threads */
#pragma omp parallel for schedule(static, 1) num_threads((int)shares) if (shares > 1)
    for (int64_t t = 0; t < shares; t++) {
        const int64_t begin = share[t];
        const int64_t end   = share[t + 1];

        /* groups */
        for (int64_t g = begin / lanes; g < (end + lanes - 1) / lanes; g++) {
            const int64_t first_lane = g * lanes;
            const int64_t node       = cursor[g];
            const int64_t size       = (cursor[g + 1] - node) * lanes;
            const int64_t begins     = node * lanes - first_lane;

            /* lanes */
            for (int64_t k = max(begin, first_lane); k < min(end, first_lane + lanes);
                 k++) {
                const int64_t base  = begins + k;
                const int64_t stop  = base + size;
                int64_t       next  = base;
                const int64_t place = order[k];

                if (0 < place) {
                    const int64_t row    = place - 1;
                    const int64_t p1_end = A1_ptr[row + 1];

                    /* nodes */
                    for (int64_t p1 = A1_ptr[row]; p1 < p1_end; p1++) {
                        const int64_t s1 = A1_idx[p1];
                        const double  v  = A_val[p1];

                        B4_idx[next] = (uint32_t)s1;
                        B_val[next]  = v;
                        next += lanes;
                    }
                    B3_idx[(floor_div(table[rows + (row + box[0] - box[0])], 4) - B0_lo)
                           * 4
                           + floor_mod(table[rows + (row + box[0] - box[0])],
                                       4)] = (uint16_t)(row + box[0]);

                    const int64_t end_of_row = next;
                    int64_t       absent     = box[2];
                    int64_t       met        = base;

                    while (met < end_of_row && next < stop) {
                        const int64_t present = B4_idx[met];

                        while (absent < present && next < stop) {
                            B4_idx[next] = (uint32_t)absent;
                            B_val[next]  = 0.0;
                            next += lanes;
                            absent++;
                        }
                        absent = present + 1;
                        met += lanes;
                    }
                    while (absent < box[3] + 1 && next < stop) {
                        B4_idx[next] = (uint32_t)absent;
                        B_val[next]  = 0.0;
                        next += lanes;
                        absent++;
                    }
                    while (next < stop) {
                        B4_idx[next] = (uint32_t)B4_hole;
                        B_val[next]  = 0.0;
                        next += lanes;
                    }
                } else {
                    while (next < stop) {
                        B4_idx[next] = (uint32_t)B4_hole;
                        B_val[next]  = 0.0;
                        next += lanes;
                    }
                }
            }
        }
    }
    return 0;
}
