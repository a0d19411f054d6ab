// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A card's memory: pages of this process's that nobody may touch, each block with its end at
/// the end of a page, as far as alignment lets it be.

#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, ALIGNED = 256 };

typedef struct block {
    struct block *next;
    int           card;
    char         *begin; ///< Of the pages, a guard on either side.
    size_t        pages, bytes;
    char         *at;
} block;

static block *blocks;

static void protect(const block *b, int how)
{
    if (mprotect(b->begin + PAGE, b->pages * PAGE, how) != 0)
        fake_die("mprotect failed");
}

bool fake_memory_alloc(int card, size_t bytes, cairn_cuda_pointer *at)
{
    const size_t rounded = (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    block       *b;

    if (rounded < bytes || fake_memory_used(card) + rounded > fake.set.memory)
        return false;
    b        = malloc(sizeof *b);
    *b       = (block){.next  = blocks,
                       .card  = card,
                       .pages = (rounded + PAGE - 1) / PAGE,
                       .bytes = rounded};
    b->begin = mmap(NULL, (b->pages + 2) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
                    -1, 0);
    if (b->begin == MAP_FAILED) fake_die("no memory for a card's");
    b->at = b->begin + (b->pages + 1) * PAGE - rounded;
    protect(b, PROT_READ | PROT_WRITE);
    /* Nothing that anybody could take for his own; a number times it is none. */
    memset(b->begin + PAGE, 0xff, b->pages * PAGE);
    protect(b, PROT_NONE);
    blocks = b;
    *at    = (cairn_cuda_pointer)(uintptr_t)b->at;
    return true;
}

bool fake_memory_free(cairn_cuda_pointer at)
{
    for (block **link = &blocks; *link; link = &(*link)->next) {
        block *b = *link;

        if ((cairn_cuda_pointer)(uintptr_t)b->at != at) continue;
        if (fake_stream_busy(b->card)) fake_die("memory is freed while work waits");
        *link = b->next;
        munmap(b->begin, (b->pages + 2) * PAGE);
        free(b);
        return true;
    }
    return false;
}

size_t fake_memory_used(int card)
{
    size_t used = 0;

    for (const block *b = blocks; b; b = b->next)
        used += b->card == card ? b->bytes : 0;
    return used;
}

bool fake_memory_has(int card, cairn_cuda_pointer at, size_t bytes)
{
    for (const block *b = blocks; b; b = b->next) {
        const cairn_cuda_pointer begin = (cairn_cuda_pointer)(uintptr_t)b->at;

        if (b->card == card && at >= begin && at - begin <= b->bytes
            && bytes <= b->bytes - (at - begin))
            return true;
    }
    return false;
}

static void protect_all(int card, int how)
{
    for (const block *b = blocks; b; b = b->next)
        if (b->card == card) protect(b, how);
}

void fake_memory_open(int card)
{
    protect_all(card, PROT_READ | PROT_WRITE);
}

void fake_memory_close(int card)
{
    protect_all(card, PROT_NONE);
}

/// The pages of so many bytes of a block that an address lies in, if any.
static void protect_at(int card, cairn_cuda_pointer at, size_t bytes, int how)
{
    for (const block *b = blocks; b; b = b->next) {
        const cairn_cuda_pointer begin = (cairn_cuda_pointer)(uintptr_t)b->at;

        if (b->card != card || at < begin || at - begin >= b->bytes) continue;
        const size_t most = b->bytes - (size_t)(at - begin), before = at % PAGE;

        if (mprotect((char *)(uintptr_t)(at - before),
                     before + (bytes < most ? bytes : most), how)
            != 0)
            fake_die("mprotect failed");
    }
}

void fake_memory_open_at(int card, cairn_cuda_pointer at, size_t bytes)
{
    protect_at(card, at, bytes, PROT_READ | PROT_WRITE);
}

void fake_memory_close_at(int card, cairn_cuda_pointer at, size_t bytes)
{
    protect_at(card, at, bytes, PROT_NONE);
}

/* Pinned memory of the host's. */

typedef struct pinned {
    struct pinned *next;
    char          *at;
    size_t         bytes;
} pinned;

static pinned *pins;

static uintptr_t page_of(const void *at)
{
    return (uintptr_t)at / PAGE;
}

/// Mark the pages that are pinned, or no longer: others that are mapped there lack it.
static void mark(const pinned *p, int how)
{
    char *const  begin = p->at - (uintptr_t)p->at % PAGE;
    const size_t bytes = (size_t)(p->at + p->bytes - begin);

    if (madvise(begin, bytes, how) != 0) fake_die("madvise failed");
}

bool fake_host_pin(void *at, size_t bytes)
{
    pinned *p;

    /* Pages are pinned: two ranges share none. */
    for (p = pins; p; p = p->next)
        if (page_of(at) <= page_of(p->at + p->bytes - 1)
            && page_of(p->at) <= page_of((char *)at + bytes - 1))
            return false;
    p    = malloc(sizeof *p);
    *p   = (pinned){pins, at, bytes};
    pins = p;
    mark(p, MADV_DONTFORK);
    return true;
}

/// Has the mapping that @p at lies in that mark?
static bool is_marked(cairn_cuda_pointer at)
{
    FILE *const   maps = fopen("/proc/self/smaps", "r");
    char          line[512];
    unsigned long from, to;
    bool          here = false, marked = false;

    while (maps && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2) here = at >= from && at < to;
        if (here && strncmp(line, "VmFlags:", 8) == 0)
            marked = strstr(line, " dc") != NULL;
    }
    if (maps) fclose(maps);
    return marked;
}

bool fake_host_is_gone(cairn_cuda_pointer at, size_t bytes)
{
    return bytes > 0 && fake_host_has(at, bytes) && !is_marked(at);
}

bool fake_host_has(cairn_cuda_pointer at, size_t bytes)
{
    for (const pinned *p = pins; p; p = p->next) {
        const cairn_cuda_pointer begin = (cairn_cuda_pointer)(uintptr_t)p->at;

        if (at >= begin && at - begin <= p->bytes && bytes <= p->bytes - (at - begin))
            return true;
    }
    return false;
}

size_t fake_host_pinned(void)
{
    size_t bytes = 0;

    for (const pinned *p = pins; p; p = p->next)
        bytes += p->bytes;
    return bytes;
}

bool fake_host_unpin(void *at)
{
    for (pinned **link = &pins; *link; link = &(*link)->next) {
        pinned *p = *link;

        if (p->at != at) continue;
        *link = p->next;
        mark(p, MADV_DOFORK);
        free(p);
        return true;
    }
    return false;
}
