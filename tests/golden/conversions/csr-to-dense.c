// member 0, append: Append entry, val, direct

/*
 * cairn_b42a4769183f147a: one phase of a conversion
 * convert: fill part, order 2, split 0 from d0:d d1:cp32u32n1 =+1e0+0/1 =+1e1+0/1
 *     check0 f64 exact to d0:d d1:d =+1e0+0/1 =+1e1+0/1 check0 f64 pads exact
 */

int64_t cairn_b42a4769183f147a(const cairn_kernel_part  *A,
                               cairn_kernel_part        *B,
                               const cairn_convert_args *op)
{
    const uint32_t *restrict const A1_ptr = A->level[1].ptr;
    const uint32_t *restrict const A1_idx = A->level[1].idx;
    const double *restrict const A_val    = A->val;
    double *restrict const B_val          = B->val;
    int64_t *restrict const facts         = op->facts;

    const int64_t begin   = op->begin;
    const int64_t end     = op->end;
    const int64_t A0_lo   = A->level[0].lo;
    const int64_t B0_lo   = B->level[0].lo;
    const int64_t B1_lo   = B->level[1].lo;
    const int64_t B1_size = B->level[1].size;

    int64_t entries = 0;
    int64_t first   = 1;

    /* dense */
    for (int64_t p0 = begin; p0 < end; p0++) {
        const int64_t s0         = A0_lo + p0;
        const int64_t B_val_base = (s0 - B0_lo) * B1_size;
        const int64_t p1_end     = A1_ptr[p0 + 1];

        /* nodes */
        for (int64_t p1 = A1_ptr[p0]; p1 < p1_end; p1++) {
            const int64_t s1 = A1_idx[p1];
            const double  v  = A_val[p1];

            B_val[B_val_base + (s1 - B1_lo)] = v;
            first                            = 0;
            entries++;
        }
    }
    facts[0] = entries;
    return 0;
}
