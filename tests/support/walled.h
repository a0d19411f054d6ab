// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Memory between two pages without access: code that reads or writes a byte before
/// or behind it is stopped at once.

#ifndef CAIRN_TESTS_SUPPORT_WALLED_H
#define CAIRN_TESTS_SUPPORT_WALLED_H

#include <criterion/criterion.h>

#include <sys/mman.h>

enum { WALLED_PAGE = 4096 };

typedef struct {
    char  *base;
    size_t pages;
} walled;

static inline walled wall(size_t bytes)
{
    walled w = {.pages = (bytes + WALLED_PAGE - 1) / WALLED_PAGE * WALLED_PAGE
                         + WALLED_PAGE};

    w.base = mmap(NULL, w.pages + 2 * WALLED_PAGE, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(w.base != MAP_FAILED);
    w.base += WALLED_PAGE;
    cr_assert_eq(mprotect(w.base, w.pages, PROT_READ | PROT_WRITE), 0);
    return w;
}

static inline void tear_down(walled *w)
{
    munmap(w->base - WALLED_PAGE, w->pages + 2 * WALLED_PAGE);
}

#endif
