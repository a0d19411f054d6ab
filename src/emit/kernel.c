// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Symbols of kernels.

#include "emit/kernel.h"

#include <inttypes.h>
#include <stdio.h>

/// The 64-bit FNV-1a hash (Fowler, Noll, Vo; draft-eastlake-fnv): enough to name things,
/// since whoever finds one by its name compares the key.
static uint64_t mix(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    return hash;
}

void cairn_kernel_symbol(const char *key, char symbol[CAIRN_KERNEL_SYMBOL])
{
    snprintf(symbol, CAIRN_KERNEL_SYMBOL, "cairn_%016" PRIx64, mix(key));
}
