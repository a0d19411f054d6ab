// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The search among prebuilt kernels.

#include "emit/prebuilt.h"

#include <stdlib.h>
#include <string.h>

static int compare_key(const void *key, const void *row)
{
    return strcmp(key, cairn_prebuilt_at(&((const cairn_prebuilt *)row)->key));
}

void *cairn_prebuilt_find(const cairn_prebuilt *table,
                          int                   count,
                          const char           *key,
                          int                   vector_bytes)
{
    const cairn_prebuilt *row =
        count > 0 ? bsearch(key, table, (size_t)count, sizeof *table, compare_key)
                  : NULL;
    void *run = NULL;

    for (int k = 0; row && k < CAIRN_PREBUILT_LEVELS && 16 << k <= vector_bytes; k++)
        if (row->run[k]) run = cairn_prebuilt_at(&row->run[k]);
    return run;
}
