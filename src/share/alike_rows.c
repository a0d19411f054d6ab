// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows that have the same columns: told by their arrays.

#include "share/alike_rows.h"

#include "tensor/local.h"

#include <assert.h>
#include <string.h>

static int64_t ptr_at(const cairn_kernel_level *level, int64_t q)
{
    return cairn_load_int(level->ptr, q, level->ptr_bits / 8, level->ptr_bits, false);
}

bool cairn_rows_are_alike(const cairn_kernel_level *level, int64_t q)
{
    const int64_t bytes = level->idx_bits / 8;
    const int64_t begin = ptr_at(level, q), next = ptr_at(level, q + 1);
    const int64_t length = next - begin;
    const char   *idx    = level->idx;

    assert(level->idx_stride == bytes);
    if (length < CAIRN_ALIKE_LEAST || length > CAIRN_CUT
        || ptr_at(level, q + 2) - next != length)
        return false;
    return memcmp(idx + begin * bytes, idx + next * bytes, (size_t)(length * bytes))
           == 0;
}

cairn_status
cairn_alike_rows_count(cairn_env *env, const cairn_kernel_level *level, uint8_t **alike)
{
    const int64_t rows = level->ptr_length - 1;
    uint8_t      *count;

    CAIRN_TRY(CAIRN_NEW(env, rows, &count));
    for (int64_t q = rows - 1; q >= 0; q--) {
        count[q] = 1;
        if (q == rows - 1 || !cairn_rows_are_alike(level, q)) continue;
        count[q] =
            count[q + 1] < CAIRN_ALIKE_MOST ? count[q + 1] + 1 : CAIRN_ALIKE_MOST;
    }
    *alike = count;
    return CAIRN_OK;
}
