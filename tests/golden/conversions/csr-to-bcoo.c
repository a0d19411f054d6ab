// member 0, sort: Sort entry, bucketed
// member 0, sort: Count entry, index 0
// member 0, sort: Append entry, index 0, idx0 idx1 val, direct

/*
 * cairn_f0e4749ebc96ae2e: one phase of a conversion
 * convert: pack part, order 2, split 0 from d0:d d1:cp32u32n1 =+1e0+0/1 =+1e1+0/1
 *     check0 f64 exact to (d0/2):cu16n1t (d1/2):su32n1 (d0%2):ds2 (d1%2):ds2
 *     =+2e0+1e2+0/1 =+2e1+1e3+0/1 check0 f64 pads exact
 */

int64_t cairn_f0e4749ebc96ae2e(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const int64_t *restrict const low     = op->low;
    const int64_t *restrict const shift   = op->shift;
    const uint32_t *restrict const A1_ptr = A->level[1].ptr;
    const uint32_t *restrict const A1_idx = A->level[1].idx;
    const double *restrict const A_val    = A->val;
    char *restrict const key              = (char *)op->key;
    char *restrict const moved            = (char *)op->moved;
    int64_t *restrict const facts         = op->facts;

    const int64_t begin = op->begin;
    const int64_t end   = op->end;
    const int64_t A0_lo = A->level[0].lo;

    int64_t       count    = 0;
    int64_t       unsorted = 0;
    int64_t       repeated = 0;
    const int64_t low0     = low[0];
    const int64_t shift0   = shift[0];
    const int64_t low1     = low[1];
    const int64_t shift1   = shift[1];
    const int64_t low2     = low[2];
    const int64_t shift2   = shift[2];
    const int64_t low3     = low[3];
    const int64_t shift3   = shift[3];
    int64_t       last     = -1;

    /* dense */
    for (int64_t p0 = begin; p0 < end; p0++) {
        const int64_t s0          = A0_lo + p0;
        const int64_t e0          = s0 / 2;
        const int64_t e2          = s0 % 2;
        const int64_t word_base   = (e0 - low0) << shift0;
        const int64_t word_base_2 = (e2 - low2) << shift2;
        const int64_t p1_end      = A1_ptr[p0 + 1];

        /* nodes */
        for (int64_t p1 = A1_ptr[p0]; p1 < p1_end; p1++) {
            const int64_t s1   = A1_idx[p1];
            const double  v    = A_val[p1];
            const int64_t e1   = s1 / 2;
            const int64_t e3   = s1 % 2;
            const int64_t word = word_base | ((e1 - low1) << shift1) | word_base_2
                                 | ((e3 - low3) << shift3);

            unsorted                        = unsorted | (int64_t)(word < last);
            repeated                        = repeated | (int64_t)(word == last);
            *(uint64_t *)(key + 16 * count) = word;
            last                            = word;
            *(double *)(moved + 16 * count) = v;
            count++;
        }
    }
    facts[0] = count;
    facts[1] = unsorted;
    facts[2] = repeated;
    return 0;
}

/*
 * cairn_9ee2bed7f5b873dd: one phase of a conversion
 * convert: count keys, order 2, split 0 to (d0/2):cu16n1t (d1/2):su32n1
 *     (d0%2):ds2 (d1%2):ds2 =+2e0+1e2+0/1 =+2e1+1e3+0/1 check0 f64 pads exact
 */

static inline int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t cairn_9ee2bed7f5b873dd(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const char *restrict const key      = (const char *)op->key;
    const int64_t *restrict const shift = op->shift;
    int64_t *restrict const nodes       = op->nodes;
    int64_t *restrict const facts       = op->facts;

    const int64_t begin = op->begin;
    const int64_t end   = op->end;

    const int64_t entries = end - begin;
    const int64_t shift1  = shift[1];
    int64_t       total0  = min(entries, 1);

    /* sorted keys */
    for (int64_t k = begin + 1; k < end; k++) {
        const int64_t last = (int64_t)*(const uint64_t *)(key + 16 * (k - 1));
        const int64_t word = (int64_t)*(const uint64_t *)(key + 16 * k);

        total0 += (int64_t)(word >> shift1 != last >> shift1);
    }
    nodes[0] = total0;
    nodes[1] = total0;
    facts[0] = entries;
    return 0;
}

/*
 * cairn_4cc7c7015f742c97: one phase of a conversion
 * convert: fill keys, order 2, split 0 to (d0/2):cu16n1t (d1/2):su32n1 (d0%2):ds2
 *     (d1%2):ds2 =+2e0+1e2+0/1 =+2e1+1e3+0/1 check0 f64 pads exact
 */

static inline int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t cairn_4cc7c7015f742c97(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const int64_t *restrict const low   = op->low;
    const int64_t *restrict const shift = op->shift;
    const int64_t *restrict const mask  = op->mask;
    char *restrict const key            = (char *)op->key;
    const char *restrict const moved    = (const char *)op->moved;
    double *restrict const B_val        = B->val;
    uint16_t *restrict const B0_idx     = (uint16_t *)B->level[0].idx;
    uint32_t *restrict const B1_idx     = (uint32_t *)B->level[1].idx;
    int64_t *restrict const facts       = op->facts;

    const int64_t begin = op->begin;
    const int64_t end   = op->end;

    const int64_t low0   = low[0];
    const int64_t shift0 = shift[0];
    const int64_t mask0  = mask[0];
    const int64_t low1   = low[1];
    const int64_t shift1 = shift[1];
    const int64_t mask1  = mask[1];
    const int64_t low2   = low[2];
    const int64_t shift2 = shift[2];
    const int64_t mask2  = mask[2];
    const int64_t low3   = low[3];
    const int64_t shift3 = shift[3];
    const int64_t mask3  = mask[3];
    int64_t       last0  = -1;
    int64_t       node0  = -1;

    /* blocks */
    for (int64_t b = begin; b < end; b += 512) {
        const int64_t stop   = min(b + 512, end);
        const int64_t fresh0 = node0 + 1;

        /* sorted keys */
        for (int64_t k = b; k < stop; k++) {
            const int64_t word    = (int64_t)*(uint64_t *)(key + 16 * k);
            const double  v       = *(const double *)(moved + 16 * k);
            const int64_t e2      = low2 + ((word >> shift2) & mask2);
            const int64_t e3      = low3 + ((word >> shift3) & mask3);
            const int64_t prefix1 = word >> shift1;

            node0 += (int64_t)(prefix1 != last0);
            last0                                     = prefix1;
            *(uint64_t *)(key + 16 * (begin + node0)) = word;
            B_val[(node0 * 2 + e2) * 2 + e3]          = v;
        }

        /* nodes */
        for (int64_t n = fresh0; n < node0 + 1; n++) {
            const int64_t word = (int64_t)*(uint64_t *)(key + 16 * (begin + n));
            const int64_t e0   = low0 + ((word >> shift0) & mask0);
            const int64_t e1   = low1 + ((word >> shift1) & mask1);

            B0_idx[n] = (uint16_t)e0;
            B1_idx[n] = (uint32_t)e1;
        }
    }
    facts[0] = end - begin;
    return 0;
}
