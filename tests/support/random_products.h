// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products by formats that are drawn, through the public interface, one after the other.
/// The first seed is printed; PROPERTY_SEED=N in the environment runs case N alone.

#ifndef CAIRN_TESTS_SUPPORT_RANDOM_PRODUCTS_H
#define CAIRN_TESTS_SUPPORT_RANDOM_PRODUCTS_H

#include "api.h"
#include "seed.h"

#include <stdio.h>

/// One case. @return false: what was drawn is no storage, and has been refused.
typedef bool random_product(cairn_context *context, uint64_t seed);

/// Run @p cases of them; those that are refused are drawn again, three in four at most.
static inline void random_products(random_product *run_case, int cases)
{
    const char    *one   = getenv("PROPERTY_SEED");
    const uint64_t first = seed_clock() * 1000003;
    int            ran   = 0;
    cairn_context *context;
    const int64_t  blocks = must_start(&context);

    printf("first seed %llu\n", (unsigned long long)first);
    cairn_context_set_memory(context, 16 << 20);
    if (one)
        run_case(context, strtoull(one, NULL, 10));
    else
        for (int k = 0; k < 4 * cases && ran < cases; k++)
            ran += run_case(context, first + (uint64_t)k);
    cr_assert(one || ran == cases, "only %d of %d cases ran", ran, cases);
    must_end(&context, blocks);
}

#endif
