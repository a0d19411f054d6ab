// member 0, append: Share run, idx1 val
// member 0, append: Count entry, index 0
// member 0, append: Append entry, index 0, idx0 ptr1, direct

/*
 * cairn_c5d79dfcbc552b3f: one phase of a conversion
 * convert: count part, order 2, split 0, nodes 2 from d0:d d1:cp32u32n1 =+1e0+0/1
 *     =+1e1+0/1 check0 f64 exact to d0:cu16n0t d1:cp32u32n1 =+1e0+0/1 =+1e1+0/1
 *     check0 f64 exact
 */

int64_t cairn_c5d79dfcbc552b3f(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const uint32_t *restrict const A1_ptr = A->level[1].ptr;
    int64_t *restrict const nodes         = op->nodes;
    int64_t *restrict const facts         = op->facts;

    const int64_t begin = op->begin;
    const int64_t end   = op->end;
    const int64_t A0_lo = A->level[0].lo;

    int64_t total0  = 0;
    int64_t total1  = 0;
    int64_t last0   = -1;
    int64_t entries = 0;
    int64_t first   = 1;

    /* dense */
    for (int64_t p0 = begin; p0 < end; p0++) {
        const int64_t s0 = A0_lo + p0;

        /* nodes */
        for (int64_t p1 = A1_ptr[p0]; p1 < A1_ptr[p0 + 1]; p1++) {
            const bool changed0 = first != 0 || s0 != last0;

            if (changed0) total0++;
            total1++;
            last0 = s0;
            first = 0;
            entries++;
        }
    }
    nodes[0] = total0;
    nodes[1] = total1;
    facts[0] = entries;
    return 0;
}

/*
 * cairn_f85140ec06c2ad98: one phase of a conversion
 * convert: fill part, order 2, split 0, nodes 2, idx 2 there, values there from
 *     d0:d d1:cp32u32n1 =+1e0+0/1 =+1e1+0/1 check0 f64 exact to d0:cu16n0t
 *     d1:cp32u32n1 =+1e0+0/1 =+1e1+0/1 check0 f64 exact
 */

int64_t cairn_f85140ec06c2ad98(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    uint32_t *restrict const B1_ptr       = (uint32_t *)B->level[1].ptr;
    const uint32_t *restrict const A1_ptr = A->level[1].ptr;
    uint16_t *restrict const B0_idx       = (uint16_t *)B->level[0].idx;
    int64_t *restrict const facts         = op->facts;
    const int64_t *restrict const length  = op->length;

    const int64_t begin = op->begin;
    const int64_t end   = op->end;
    const int64_t A0_lo = A->level[0].lo;

    int64_t total0 = 0;
    int64_t node0  = 0;
    int64_t total1 = 0;
    int64_t node1  = 0;
    int64_t row1   = 0;

    B1_ptr[0] = 0;

    int64_t last0   = -1;
    int64_t entries = 0;
    int64_t first   = 1;

    /* dense */
    for (int64_t p0 = begin; p0 < end; p0++) {
        const int64_t s0     = A0_lo + p0;
        const int64_t p1_end = A1_ptr[p0 + 1];

        /* nodes */
        for (int64_t p1 = A1_ptr[p0]; p1 < p1_end; p1++) {
            const bool changed0 = first != 0 || s0 != last0;

            if (changed0) {
                node0 = total0;
                total0++;
                B0_idx[node0] = (uint16_t)s0;
            }
            while (row1 < node0) {
                row1++;
                B1_ptr[row1] = (uint32_t)total1;
            }
            node1 = total1;
            total1++;
            last0 = s0;
            first = 0;
            entries++;
        }
    }
    while (row1 < length[1]) {
        row1++;
        B1_ptr[row1] = (uint32_t)total1;
    }
    facts[0] = entries;
    return 0;
}
