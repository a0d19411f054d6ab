// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// PAD: positions that no entry has, lane by lane, or node by node where entries were put
/// by a pass that knows of none.

#include "convert/padding/padding_chunks.h"
#include "convert/passes.h"

/// Behind what a lane has the indices that it lacks.
#define DEFINE_PAD(bits)                                                        \
    static void pad_##bits(const cairn_padded_lane *a)                          \
    {                                                                           \
        uint##bits##_t *const idx = (uint##bits##_t *)a->idx;                   \
        int64_t               met = 0, x = a->free;                             \
                                                                                \
        for (int64_t s = 0; s < a->count && a->list; s++)                       \
            idx[s * a->stride] = (uint##bits##_t)a->list[s];                    \
        for (int64_t s = a->count; s < a->slots; s++) {                         \
            while (met < a->count && idx[met * a->stride] == (uint##bits##_t)x) \
                met++, x++;                                                     \
            idx[s * a->stride] = (uint##bits##_t)(x < a->end ? x++ : a->hole);  \
        }                                                                       \
    }

DEFINE_PAD(8)
DEFINE_PAD(16)
DEFINE_PAD(32)
DEFINE_PAD(64)

void cairn_pad_lane(const cairn_padded_lane *a)
{
    switch (a->idx_bits) {
    case 8: pad_8(a); break;
    case 16: pad_16(a); break;
    case 32: pad_32(a); break;
    default: pad_64(a); break;
    }
    for (int64_t s = a->count; s < a->slots && a->val_bits == 64; s++)
        ((double *)a->val)[s * a->stride] = 0;
    for (int64_t s = a->count; s < a->slots && a->val_bits == 32; s++)
        ((float *)a->val)[s * a->stride] = 0;
    for (int64_t s = a->count; s < a->slots && a->val_bits == 16; s++)
        ((int16_t *)a->val)[s * a->stride] = 0;
    for (int64_t s = a->count; s < a->slots && a->val_bits == 8; s++)
        ((int8_t *)a->val)[s * a->stride] = 0;
}

static cairn_status pad_nodes(cairn_compiled *c, const cairn_pass_call *call)
{
    return cairn_padding_fill(c->m, &c->program.padding, call->part, call->tuple);
}

const cairn_pass_work cairn_pad_nodes = {.write = pad_nodes};
