// member 0, row-slots: Count run, index 0
// member 0, row-slots: Number run rank, index 0
// member 0, row-slots: Offsets run, index 0, direct
// member 0, row-slots: Move run, index 0, idx2 val, tiled
// member 0, row-slots: Pad run, index 0, idx2 val, direct

/*
 * cairn_9dcb58e53243456e: one phase of a conversion
 * convert: lanes rows, order 2, split 0, queries 1 by d0 to q1:rn0t d0:d
 *     d1:su32by2n =+1e1+0/1 =+1e2+0/1 check0 f64 pads exact
 */

int64_t cairn_9dcb58e53243456e(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const int64_t *restrict const share = op->share;
    const int64_t *restrict const box   = op->box;
    uint32_t *restrict const list       = op->list;

    const int64_t shares = op->shares;
    const int64_t B1_lo  = B->level[1].lo;

    /* threads */
#pragma omp parallel for schedule(static, 1) num_threads((int)shares) if (shares > 1)
    for (int64_t t = 0; t < shares; t++) {
        const int64_t begin = share[t];
        const int64_t end   = share[t + 1];

        /* rows */
        for (int64_t k = begin; k < end; k++) {
            const int64_t d0 = k + box[0];

            list[k] = (uint32_t)(d0 - B1_lo);
        }
    }
    return 0;
}

/*
 * cairn_74719a3c3ba05681: one phase of a conversion
 * convert: stand part, order 2, split 0, ahead, columns d1, queries 1 by d0, d0
 *     in order from d0:d d1:cp32u32n1 =+1e0+0/1 =+1e1+0/1 check0 f64 exact to
 *     q1:rn0t d0:d d1:su32by2n =+1e1+0/1 =+1e2+0/1 check0 f64 pads exact
 */

static inline int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t cairn_74719a3c3ba05681(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const uint32_t *restrict const cursor = op->cursor;
    const uint32_t *restrict const order  = op->order;
    const uint32_t *restrict const A1_ptr = A->level[1].ptr;
    const uint32_t *restrict const A1_idx = A->level[1].idx;
    const double *restrict const A_val    = A->val;
    uint32_t *restrict const B2_idx       = (uint32_t *)B->level[2].idx;
    double *restrict const B_val          = B->val;
    const int64_t *restrict const box     = op->box;

    const int64_t begin   = op->begin;
    const int64_t end     = op->end;
    const int64_t lanes   = op->lanes;
    const int64_t B2_hole = B->level[2].hole;

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
                const int64_t row          = place - 1;
                const int64_t begin_of_row = A1_ptr[row];
                const int64_t row_end      = A1_ptr[row + 1];

                for (int64_t asked = begin_of_row; asked < row_end; asked += 16)
                    __builtin_prefetch(A1_idx + asked + 256, 0, 3);
                for (int64_t asked = begin_of_row; asked < row_end; asked += 8)
                    __builtin_prefetch(A_val + asked + 256, 0, 3);

                /* nodes */
                for (int64_t p1 = begin_of_row; p1 < row_end; p1++) {
                    const int64_t s1 = A1_idx[p1];
                    const double  v  = A_val[p1];

                    B2_idx[next] = (uint32_t)s1;
                    B_val[next]  = v;
                    next += lanes;
                }

                const int64_t end_of_row = next;
                int64_t       absent     = box[2];
                int64_t       met        = base;

                while (met < end_of_row && next < stop) {
                    const int64_t present = B2_idx[met];

                    while (absent < present && next < stop) {
                        B2_idx[next] = (uint32_t)absent;
                        B_val[next]  = 0.0;
                        next += lanes;
                        absent++;
                    }
                    absent = present + 1;
                    met += lanes;
                }
                while (absent < box[3] + 1 && next < stop) {
                    B2_idx[next] = (uint32_t)absent;
                    B_val[next]  = 0.0;
                    next += lanes;
                    absent++;
                }
                while (next < stop) {
                    B2_idx[next] = (uint32_t)B2_hole;
                    B_val[next]  = 0.0;
                    next += lanes;
                }
            } else {
                while (next < stop) {
                    B2_idx[next] = (uint32_t)B2_hole;
                    B_val[next]  = 0.0;
                    next += lanes;
                }
            }
        }
    }
    return 0;
}
