// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arrays that end where memory ends: what reads or writes behind them is stopped at
/// once. For vectors, what stands before them is poisoned.

#ifndef CAIRN_TESTS_SUPPORT_GUARDED_H
#define CAIRN_TESTS_SUPPORT_GUARDED_H

#include "tensor/local.h"

#include <criterion/criterion.h>

#include <string.h>
#include <sys/mman.h>

enum { GUARDED_PAGE = 4096, GUARDED_BLOCKS = 3 * CAIRN_MAX_LEVELS + 8 };

typedef struct {
    void  *base[GUARDED_BLOCKS];
    size_t bytes[GUARDED_BLOCKS];
    int    blocks;
} guarded;

/// @p bytes whose last one is the last before a page that cannot be touched.
static inline void *guarded_alloc(guarded *g, size_t bytes)
{
    const size_t pages = (bytes + GUARDED_PAGE - 1) / GUARDED_PAGE * GUARDED_PAGE;
    char        *base  = mmap(NULL, pages + GUARDED_PAGE, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    cr_assert(base != MAP_FAILED);
    cr_assert_eq(mprotect(base + pages, GUARDED_PAGE, PROT_NONE), 0);
    cr_assert_lt(g->blocks, GUARDED_BLOCKS);
    g->base[g->blocks]    = base;
    g->bytes[g->blocks++] = pages + GUARDED_PAGE;
    memset(base, 0xff, pages); /* NaN */
    return base + pages - bytes;
}

static inline void guarded_free(guarded *g)
{
    for (int k = 0; k < g->blocks; k++)
        munmap(g->base[k], g->bytes[k]);
    g->blocks = 0;
}

static inline const void *
guarded_moved(const void *at, const cairn_array *array, const char *copy)
{
    const char *begin = array->data;

    if (!at || (const char *)at < begin || (const char *)at > begin + array->bytes)
        return NULL;
    if ((const char *)at == begin + array->bytes && array->bytes) return NULL;
    return copy + ((const char *)at - begin);
}

/// A part's view with copies of all its arrays.
static inline cairn_kernel_part guarded_part(guarded *g, const cairn_part *part)
{
    cairn_kernel_part view = part->view;
    cairn_array       array[CAIRN_MAX_ARRAYS];
    const int         arrays = cairn_part_arrays(part, array);

    for (int a = 0; a < arrays; a++) {
        char *copy = guarded_alloc(g, (size_t)array[a].bytes);

        if (array[a].bytes == 0) continue;
        memcpy(copy, array[a].data, (size_t)array[a].bytes);
        for (int l = 0; l < view.levels; l++) {
            const void *ptr = guarded_moved(part->view.level[l].ptr, &array[a], copy);
            const void *idx = guarded_moved(part->view.level[l].idx, &array[a], copy);

            if (ptr) view.level[l].ptr = ptr;
            if (idx) view.level[l].idx = idx;
        }
        const void *val = guarded_moved(part->view.val, &array[a], copy);

        if (val) view.val = (void *)val;
    }
    if (view.dictionary) {
        const size_t bytes = sizeof(double) << view.val_bits;

        view.dictionary = memcpy(guarded_alloc(g, bytes), view.dictionary, bytes);
    }
    return view;
}

#endif
