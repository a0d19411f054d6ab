// member 0, sort: Sort entry, bucketed
// member 0, sort: Count entry, index 0
// member 0, sort: Append entry, index 0, idx1 val, direct

/*
 * cairn_aee8f59d5bd16c4f: one phase of a conversion
 * convert: pack part, order 2, split 0, nodes 2 from q1:rn0t d0:d d1:su32by2n
 *     =+1e1+0/1 =+1e2+0/1 check0 f64 pads exact to d0:d d1:cp32u32n1 =+1e0+0/1
 *     =+1e1+0/1 check0 f64 exact
 */

int64_t cairn_aee8f59d5bd16c4f(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const int64_t *restrict const low     = op->low;
    const int64_t *restrict const shift   = op->shift;
    const uint32_t *restrict const A2_idx = A->level[2].idx;
    const double *restrict const A_val    = A->val;
    char *restrict const key              = (char *)op->key;
    char *restrict const moved            = (char *)op->moved;
    int64_t *restrict const facts         = op->facts;

    const int64_t begin    = op->begin;
    const int64_t end      = op->end;
    const int64_t A1_size  = A->level[1].size;
    const int64_t A1_lo    = A->level[1].lo;
    const int64_t A2_hole  = A->level[2].hole;
    const int64_t capacity = op->capacity;

    int64_t       count    = 0;
    int64_t       unsorted = 0;
    int64_t       repeated = 0;
    const int64_t low0     = low[0];
    const int64_t shift0   = shift[0];
    const int64_t low1     = low[1];
    const int64_t shift1   = shift[1];
    int64_t       last     = -1;

    /* top nodes */
    for (int64_t p0 = begin; p0 < end; p0++) {
        /* dense */
        for (int64_t p1 = 0; p1 < A1_size; p1++) {
            const int64_t s1 = A1_lo + p1;
            const int64_t n1 = p0 * A1_size + p1;
            const int64_t s2 = A2_idx[n1];

            if (s2 != A2_hole) {
                const double v = A_val[n1];

                if (v != 0.0) {
                    if (count == capacity) return 1;

                    const int64_t word = ((s1 - low0) << shift0)
                                         | ((s2 - low1) << shift1);

                    unsorted = unsorted | (int64_t)(word < last);
                    repeated = repeated | (int64_t)(word == last);
                    *(uint64_t *)(key + 16 * count) = word;
                    last                            = word;
                    *(double *)(moved + 16 * count) = v;
                    count++;
                }
            }
        }
    }
    facts[0] = count;
    facts[1] = unsorted;
    facts[2] = repeated;
    return 0;
}

/*
 * cairn_1086dfe6f3fa4375: one phase of a conversion
 * convert: fill keys, order 2, split 0, nodes 2 to d0:d d1:cp32u32n1 =+1e0+0/1
 *     =+1e1+0/1 check0 f64 exact
 */

static inline int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t cairn_1086dfe6f3fa4375(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const int64_t *restrict const low    = op->low;
    const int64_t *restrict const shift  = op->shift;
    const int64_t *restrict const mask   = op->mask;
    uint32_t *restrict const B1_ptr      = (uint32_t *)B->level[1].ptr;
    const char *restrict const key       = (const char *)op->key;
    const char *restrict const moved     = (const char *)op->moved;
    uint32_t *restrict const B1_idx      = (uint32_t *)B->level[1].idx;
    double *restrict const B_val         = B->val;
    const int64_t *restrict const length = op->length;
    int64_t *restrict const facts        = op->facts;

    const int64_t begin = op->begin;
    const int64_t end   = op->end;
    const int64_t B0_lo = B->level[0].lo;

    const int64_t low0   = low[0];
    const int64_t shift0 = shift[0];
    const int64_t mask0  = mask[0];
    const int64_t low1   = low[1];
    const int64_t shift1 = shift[1];
    const int64_t mask1  = mask[1];

    B1_ptr[0] = 0;

    int64_t row1   = 0;
    int64_t above1 = -1;

    /* blocks */
    for (int64_t b = begin; b < end; b += 512) {
        const int64_t stop = min(b + 512, end);

        /* sorted keys */
        for (int64_t k = b; k < stop; k++) {
            const int64_t word    = (int64_t)*(const uint64_t *)(key + 16 * k);
            const int64_t e0      = low0 + ((word >> shift0) & mask0);
            const int64_t prefix0 = word >> shift0;

            if (prefix0 != above1) {
                above1 = prefix0;
                while (row1 < e0 - B0_lo) {
                    row1++;
                    B1_ptr[row1] = (uint32_t)(k - begin);
                }
            }
        }

        /* sorted keys */
        for (int64_t k = b; k < stop; k++) {
            const int64_t word = (int64_t)*(const uint64_t *)(key + 16 * k);
            const double  v    = *(const double *)(moved + 16 * k);
            const int64_t e1   = low1 + ((word >> shift1) & mask1);

            B1_idx[k - begin] = (uint32_t)e1;
            B_val[k - begin]  = v;
        }
    }
    while (row1 < length[1]) {
        row1++;
        B1_ptr[row1] = (uint32_t)(end - begin);
    }
    facts[0] = end - begin;
    return 0;
}
