// assign: Count entry, index 0
// assign: Assign entry, index 0
// member 0, assign: Count run, index 1
// member 0, assign: Number run place, index 1
// member 0, assign: Number run rank, index 1
// member 0, assign: Assign entry, index 1
// member 0, row-slots: Count run, index 2
// member 0, row-slots: Number run place, index 2
// member 0, row-slots: Number run rank, index 2
// member 0, row-slots: Offsets run, index 2, ptr1, direct
// member 0, row-slots: Move run, index 2, idx3 idx4 val, direct
// member 0, row-slots: Pad run, index 2, idx3 idx4 val, direct
// member 1, append: Append entry, ptr1 idx1 val, direct

/*
 * cairn_110c1084a72d071d: one phase of a conversion
 * convert: tally part, order 2, split 0, listed groups d0 d1 case1 0->0,1 else
 *     0,0 from d0:d d1:cp32u32n1 =+1e0+0/1 =+1e1+0/1 check0 f64 exact
 */

int64_t cairn_110c1084a72d071d(const cairn_kernel_part  *A,
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
            const int64_t line      = s0 - group_low[0];

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
                const int64_t x  = s1 - group_low[1];

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
 * cairn_ebadbab5d28bf20d: one phase of a conversion
 * convert: deal part, order 2, split 0, listed groups d0 d1 case1 0->0,1 else 0,0
 *     from d0:d d1:cp32u32n1 =+1e0+0/1 =+1e1+0/1 check0 f64 exact
 */

int64_t cairn_ebadbab5d28bf20d(const cairn_kernel_part  *A,
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
            const int64_t line      = s0 - group_low[0];

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

                member[p1] = (uint8_t)slot[s1 - group_low[1] + t * slots];
            }
        }
    }
    return 0;
}

/*
 * cairn_8fc9cc41c2b0772b: one phase of a conversion
 * convert: tally part, order 2, split 0, of one member, dense groups d0 case1
 *     0->0,1 else 0,0 from d0:d d1:cp32u32n1 =+1e0+0/1 =+1e1+0/1 check0 f64 exact
 */

int64_t cairn_8fc9cc41c2b0772b(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const int64_t *restrict const share     = op->share;
    const uint32_t *restrict const A1_ptr   = A->level[1].ptr;
    const uint8_t *restrict const member    = op->member;
    const int64_t *restrict const group_low = op->group_low;
    uint32_t *restrict const tally          = op->tally;

    const int64_t shares = op->shares;
    const int64_t A0_lo  = A->level[0].lo;
    const int64_t which  = op->which;
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
                if (member[p1] == which) {
                    const int64_t group = s0 - group_low[0];

                    tally[t * groups + group] =
                        (uint32_t)((int64_t)tally[t * groups + group] + 1);
                }
            }
        }
    }
    return 0;
}

/*
 * cairn_132042232197943c: one phase of a conversion
 * convert: cut part, order 2, split 0, query 2 counts along d0, queries 3 by d0,
 *     at (q1/4), of one member from d0:d d1:cp32u32n1 =+1e0+0/1 =+1e1+0/1 check0
 *     f64 exact
 */

static inline int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static inline int64_t max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t cairn_132042232197943c(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const int64_t *restrict const share   = op->share;
    const uint32_t *restrict const A1_ptr = A->level[1].ptr;
    uint8_t *restrict const member        = op->member;
    const int64_t *restrict const box     = op->box;
    const uint32_t *restrict const table  = op->table;
    int64_t *restrict const facts         = op->facts;

    const int64_t shares = op->shares;
    const int64_t A0_lo  = A->level[0].lo;
    const int64_t which  = op->which;
    const int64_t rows   = op->table_rows;
    const int64_t cut    = op->cut;

    /* threads */
#pragma omp parallel for schedule(static, 1) num_threads((int)shares) if (shares > 1)
    for (int64_t t = 0; t < shares; t++) {
        const int64_t begin    = share[t];
        const int64_t end      = share[t + 1];
        int64_t       largest  = -1;
        int64_t       rank     = 0;
        int64_t       rank_row = -1;

        /* dense */
        for (int64_t p0 = begin; p0 < end; p0++) {
            const int64_t s0     = A0_lo + p0;
            const int64_t p1_end = A1_ptr[p0 + 1];

            /* nodes */
            for (int64_t p1 = A1_ptr[p0]; p1 < p1_end; p1++) {
                if (member[p1] == which) {
                    if (s0 != rank_row) {
                        rank_row = s0;
                        rank     = 0;
                    } else {
                        rank++;
                    }

                    const int64_t e0 = floor_div(table[rows + (s0 - box[0])], 4);

                    largest = max(largest, e0);
                    if (cut <= e0) member[p1] = (uint8_t)(which + 1);
                }
            }
        }
        facts[t * 8] = largest;
    }
    return 0;
}

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
 * cairn_dfbd8ef5ef206864: one phase of a conversion
 * convert: stand part, order 2, split 0, columns d1, queries 3 by d0, d0 in
 *     order, of one member from d0:d d1:cp32u32n1 =+1e0+0/1 =+1e1+0/1 check0 f64
 *     exact to (q1/4):d q2:rp32n1 (q1%4):ds4 d0:su16by5 d1:su32by4n =+1e3+0/1
 *     =+1e4+0/1 check0 f64 pads exact
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

int64_t cairn_dfbd8ef5ef206864(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const int64_t *restrict const share   = op->share;
    const uint32_t *restrict const cursor = op->cursor;
    const uint32_t *restrict const order  = op->order;
    const uint32_t *restrict const A1_ptr = A->level[1].ptr;
    const uint32_t *restrict const A1_idx = A->level[1].idx;
    const uint8_t *restrict const member  = op->member;
    const double *restrict const A_val    = A->val;
    uint32_t *restrict const B4_idx       = (uint32_t *)B->level[4].idx;
    double *restrict const B_val          = B->val;
    const int64_t *restrict const box     = op->box;
    const uint32_t *restrict const table  = op->table;
    uint16_t *restrict const B3_idx       = (uint16_t *)B->level[3].idx;

    const int64_t shares  = op->shares;
    const int64_t lanes   = op->lanes;
    const int64_t which   = op->which;
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

                        if (member[p1] == which) {
                            const double v = A_val[p1];

                            B4_idx[next] = (uint32_t)s1;
                            B_val[next]  = v;
                            next += lanes;
                        }
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
