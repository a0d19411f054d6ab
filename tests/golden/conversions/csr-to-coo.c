// member 0, append: Share run, idx1 val
// member 0, append: Append entry, idx0, direct

/*
 * cairn_8596e0ba76d9d8f1: one phase of a conversion
 * convert: fill part, order 2, split 0, nodes 3, idx 2 there, values there from
 *     d0:d d1:cp32u32n1 =+1e0+0/1 =+1e1+0/1 check0 f64 exact to d0:cu16n1t
 *     d1:su32n1 =+1e0+0/1 =+1e1+0/1 check0 f64 exact
 */

int64_t cairn_8596e0ba76d9d8f1(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const uint32_t *restrict const A1_ptr = A->level[1].ptr;
    uint16_t *restrict const B0_idx       = (uint16_t *)B->level[0].idx;
    int64_t *restrict const facts         = op->facts;

    const int64_t begin = op->begin;
    const int64_t end   = op->end;
    const int64_t A0_lo = A->level[0].lo;

    int64_t total0  = 0;
    int64_t node0   = 0;
    int64_t total1  = 0;
    int64_t node1   = 0;
    int64_t entries = 0;
    int64_t first   = 1;

    /* dense */
    for (int64_t p0 = begin; p0 < end; p0++) {
        const int64_t s0     = A0_lo + p0;
        const int64_t p1_end = A1_ptr[p0 + 1];

        /* nodes */
        for (int64_t p1 = A1_ptr[p0]; p1 < p1_end; p1++) {
            node0 = total0;
            total0++;
            B0_idx[node0] = (uint16_t)s0;
            node1         = total1;
            total1++;
            first = 0;
            entries++;
        }
    }
    facts[0] = entries;
    return 0;
}
