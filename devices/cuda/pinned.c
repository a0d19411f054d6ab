// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Pages of the host's for a card, and arrays on their way to it. From memory that may be
/// paged out a driver copies by way of memory of its own, piece by piece; here there are
/// two pieces, one of which is filled while the other travels.

#include "devices/cuda/pinned.h"

#include "base/pool.h"
#include "devices/grids.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PIECE ((int64_t)4 << 20)

/// Huge ones where there is one of them at least: they are touched, and locked, one by one.
static int64_t whole_pages(int64_t bytes)
{
    const int64_t huge = (int64_t)CAIRN_POOL_MAPPED;
    const int64_t page = bytes < huge ? sysconf(_SC_PAGESIZE) : huge;

    return bytes > 0 ? (bytes + page - 1) / page * page : page;
}

/// @return NULL: the system has no more.
static char *map_pages(int64_t bytes)
{
    if (bytes >= (int64_t)CAIRN_POOL_MAPPED) return cairn_pool_map((size_t)bytes);
    char *const begin = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return begin == MAP_FAILED ? NULL : begin;
}

cairn_status
cairn_cuda_pin(cairn_device *device, int64_t bytes, cairn_cuda_pinned *memory)
{
    cairn_cuda_device *d     = cairn_cuda_of(device);
    cairn_cuda_pinned  fresh = {.bytes = whole_pages(bytes)};
    cairn_cuda_result  error = CAIRN_CUDA_OK;

    CAIRN_TRY(cairn_memory_take(device->env, device->info.id, fresh.bytes));
    fresh.begin = map_pages(fresh.bytes);
    if (!fresh.begin) {
        cairn_memory_give(device->env, fresh.bytes);
        return cairn_fail(device->env, CAIRN_NO_MEMORY,
                          "out of memory: %s: %lld bytes for copies", device->info.id,
                          (long long)fresh.bytes);
    }
    if (device->env->options.cuda_register == CAIRN_CUDA_REGISTER_AUTO)
        error =
            CAIRN_CUDA(d, cuMemHostRegister_v2, fresh.begin, (size_t)fresh.bytes, 0);
    fresh.locked = error == CAIRN_CUDA_OK
                   && device->env->options.cuda_register == CAIRN_CUDA_REGISTER_AUTO;
    *memory = fresh;
    if (!d->loss.lost) return CAIRN_OK; /* refused: they work all the same */
    cairn_cuda_unpin(device, memory);
    return cairn_cuda_fail(device, error, "memory for copies");
}

void cairn_cuda_unpin(cairn_device *device, cairn_cuda_pinned *memory)
{
    cairn_cuda_device *d = cairn_cuda_of(device);

    if (!memory->begin) return;
    cairn_memory_give(device->env, memory->bytes);
    if (!d->loss.lost && memory->locked)
        CAIRN_CUDA(d, cuMemHostUnregister, memory->begin);
    if (!d->loss.gone) munmap(memory->begin, (size_t)memory->bytes);
    *memory = (cairn_cuda_pinned){.begin = NULL};
}

void cairn_cuda_copy(const cairn_device *device,
                     void               *to,
                     const void         *from,
                     int64_t             bytes)
{
    enum { LEAST = 1 << 18, CHUNK = 1 << 16 }; /* bytes worth a team; of a turn */
    const int     threads = device->info.threads;
    const int64_t chunks  = (bytes + CHUNK - 1) / CHUNK;

#pragma omp parallel for schedule(static) \
    num_threads(threads) if (threads > 1 && bytes >= LEAST)
    for (int64_t k = 0; k < chunks; k++)
        memcpy((char *)to + k * CHUNK, (const char *)from + k * CHUNK,
               (size_t)(k + 1 < chunks ? CHUNK : bytes - k * CHUNK));
}

/// The link to what is pinned from there on.
static cairn_cuda_borrowed **find_borrowed(cairn_cuda_device *d, const char *at)
{
    cairn_cuda_borrowed **link = &d->borrowed;

    while (*link && (*link)->at != at)
        link = &(*link)->next;
    return link;
}

cairn_cuda_result cairn_cuda_borrow(cairn_device *device, const char *at, int64_t bytes)
{
    cairn_cuda_device   *d     = cairn_cuda_of(device);
    cairn_cuda_borrowed *found = *find_borrowed(d, at);

    if (found) {
        found->users += found->bytes == bytes;
        return found->bytes == bytes ? CAIRN_CUDA_OK : CAIRN_CUDA_INVALID;
    }
    if (CAIRN_NEW_ZERO(device->env, 1, &found) != CAIRN_OK) return CAIRN_CUDA_NO_MEMORY;
    const cairn_cuda_result error =
        CAIRN_CUDA(d, cuMemHostRegister_v2, (void *)(uintptr_t)at, (size_t)bytes, 0);

    if (error != CAIRN_CUDA_OK) {
        cairn_free(device->env, found);
        return error;
    }
    *found = (cairn_cuda_borrowed){
        .next = d->borrowed, .at = at, .bytes = bytes, .users = 1};
    d->borrowed = found;
    return CAIRN_CUDA_OK;
}

void cairn_cuda_give_back(cairn_device *device, const char *at)
{
    cairn_cuda_device    *d    = cairn_cuda_of(device);
    cairn_cuda_borrowed **link = find_borrowed(d, at), *left = *link;

    if (--left->users > 0) return;
    *link = left->next;
    if (!d->loss.lost) CAIRN_CUDA(d, cuMemHostUnregister, (void *)(uintptr_t)at);
    cairn_free(device->env, left);
}

cairn_status
cairn_cuda_ring_open(cairn_device *device, int64_t bytes, cairn_cuda_ring *ring)
{
    *ring = (cairn_cuda_ring){.device = device};
    for (int k = 0; k < 2; k++) {
        CAIRN_TRY(
            cairn_cuda_pin(device, bytes < PIECE ? bytes : PIECE, &ring->half[k]));
        CAIRN_TRY(cairn_cuda_event_make(device, false, &ring->event[k]));
    }
    return CAIRN_OK;
}

/// Wait until the half that is filled next is free.
static cairn_cuda_result await_half(cairn_cuda_ring *ring)
{
    return ring->sent < 2 ? CAIRN_CUDA_OK
                          : cairn_cuda_wait(ring->device, ring->event[ring->sent % 2]);
}

/// Send what the next half was filled with.
static cairn_cuda_result
send_half(cairn_cuda_ring *ring, cairn_cuda_pointer to, int64_t bytes)
{
    cairn_cuda_device      *d     = cairn_cuda_of(ring->device);
    const int               k     = (int)(ring->sent++ % 2);
    const cairn_cuda_result error = CAIRN_CUDA(
        d, cuMemcpyHtoDAsync_v2, to, ring->half[k].begin, (size_t)bytes, d->stream);

    if (error != CAIRN_CUDA_OK) return error;
    return CAIRN_CUDA(d, cuEventRecord, ring->event[k], d->stream);
}

/// One piece: wait until its half is free, fill it, send it.
static cairn_cuda_result send_piece(cairn_cuda_ring   *ring,
                                    cairn_cuda_pointer to,
                                    const void        *from,
                                    int64_t            bytes)
{
    const cairn_cuda_result error = await_half(ring);

    if (error != CAIRN_CUDA_OK) return error;
    cairn_cuda_copy(ring->device, ring->half[ring->sent % 2].begin, from, bytes);
    return send_half(ring, to, bytes);
}

void cairn_cuda_ring_send(cairn_cuda_ring   *ring,
                          cairn_cuda_pointer to,
                          const void        *from,
                          int64_t            bytes)
{
    const int64_t most = ring->half[0].bytes;
    int64_t       piece;

    for (int64_t done = 0; done < bytes && ring->error == CAIRN_CUDA_OK;
         done += piece) {
        piece       = bytes - done < most ? bytes - done : most;
        ring->error = send_piece(ring, to + (cairn_cuda_pointer)done,
                                 (const char *)from + done, piece);
    }
}

/// Send what is gathered.
static void send_gathered(cairn_cuda_ring *ring)
{
    if (ring->held > 0 && ring->error == CAIRN_CUDA_OK)
        ring->error = send_half(ring, ring->to, ring->held);
    ring->held = 0;
}

void cairn_cuda_ring_gather(cairn_cuda_ring   *ring,
                            cairn_cuda_pointer to,
                            const void        *from,
                            int64_t            bytes)
{
    const int64_t most = ring->half[0].bytes;
    const int64_t at   = ring->held > 0 ? (int64_t)(to - ring->to) : 0;

    if (at < ring->held || at - ring->held >= CAIRN_GRID_ALIGNED || at + bytes > most)
        send_gathered(ring);
    if (ring->held == 0) {
        if (bytes >= most || ring->error != CAIRN_CUDA_OK) {
            cairn_cuda_ring_send(ring, to, from, bytes);
            return;
        }
        ring->error = await_half(ring);
        if (ring->error != CAIRN_CUDA_OK) return;
        ring->to = to;
    }
    char *const   half  = ring->half[ring->sent % 2].begin;
    const int64_t begin = (int64_t)(to - ring->to);

    memset(half + ring->held, 0, (size_t)(begin - ring->held));
    cairn_cuda_copy(ring->device, half + begin, from, bytes);
    ring->held = begin + bytes;
}

/// Bytes of piece @p k of what comes; none behind the last.
static int64_t bytes_of_piece(const cairn_cuda_ring *ring, int64_t k)
{
    const int64_t most = ring->half[0].bytes, left = ring->coming.bytes - k * most;

    if (left <= 0) return 0;
    return left < most ? left : most;
}

/// Have the next piece come to its half, if there is one more.
static cairn_cuda_result ask_for_piece(cairn_cuda_ring *ring)
{
    cairn_cuda_device *d     = cairn_cuda_of(ring->device);
    cairn_cuda_coming *c     = &ring->coming;
    const int          k     = (int)(c->asked % 2);
    const int64_t      bytes = bytes_of_piece(ring, c->asked);

    if (bytes == 0) return CAIRN_CUDA_OK;
    cairn_cuda_result error =
        CAIRN_CUDA(d, cuMemcpyDtoHAsync_v2, ring->half[k].begin,
                   c->from + (cairn_cuda_pointer)(c->asked * ring->half[0].bytes),
                   (size_t)bytes, d->stream);

    c->asked++;
    /* The array's event comes before the half's: a wait for the half covers both. */
    if (error == CAIRN_CUDA_OK && c->last && bytes_of_piece(ring, c->asked) == 0)
        error = CAIRN_CUDA(d, cuEventRecord, c->last, d->stream);
    return error == CAIRN_CUDA_OK
               ? CAIRN_CUDA(d, cuEventRecord, ring->event[k], d->stream)
               : error;
}

/* What was sent from a half has left it before anything comes there: both are in one
   stream. */
void cairn_cuda_ring_ask(cairn_cuda_ring   *ring,
                         cairn_cuda_pointer from,
                         int64_t            bytes,
                         cairn_cuda_event   last)
{
    ring->coming = (cairn_cuda_coming){.from = from, .bytes = bytes, .last = last};
    for (int k = 0; k < 2 && ring->error == CAIRN_CUDA_OK; k++)
        ring->error = ask_for_piece(ring);
}

void cairn_cuda_ring_take(cairn_cuda_ring *ring, char *to)
{
    cairn_cuda_coming *c    = &ring->coming;
    const int64_t      most = ring->half[0].bytes;

    for (; c->taken < c->asked && ring->error == CAIRN_CUDA_OK; c->taken++) {
        const int k = (int)(c->taken % 2);

        ring->error = cairn_cuda_wait(ring->device, ring->event[k]);
        if (!to || ring->error != CAIRN_CUDA_OK) continue;
        cairn_cuda_copy(ring->device, to + c->taken * most, ring->half[k].begin,
                        bytes_of_piece(ring, c->taken));
        ring->error = ask_for_piece(ring);
    }
    ring->sent = 0;
}

cairn_status cairn_cuda_ring_close(cairn_cuda_ring *ring, cairn_status status)
{
    cairn_device *device = ring->device;

    if (status == CAIRN_OK) send_gathered(ring);
    if (ring->event[0])
        ring->error = cairn_cuda_settle(device, ring->event[0], ring->error);
    if (status == CAIRN_OK && ring->error != CAIRN_CUDA_OK)
        status = cairn_cuda_fail(device, ring->error, "arrays to it");
    for (int k = 0; k < 2; k++) {
        cairn_cuda_event_free(device, &ring->event[k]);
        cairn_cuda_unpin(device, &ring->half[k]);
    }
    return status;
}
