// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One block for all arrays of a member, each of which begins at 256 bytes.

#include "devices/cuda/arrays.h"

#include "devices/cuda/pinned.h"
#include "devices/grids.h"

#include <assert.h>
#include <stddef.h>

enum { ALIGNED = CAIRN_GRID_ALIGNED };

static cairn_part *part_of(const cairn_cuda_arrays *a, int64_t k)
{
    return &a->tensor->part[a->tensor->group[a->member].first + k];
}

static int64_t count_of(const cairn_cuda_arrays *a)
{
    return a->tensor->group[a->member].count;
}

/// Banks have one dictionary: it is sent with the first.
static bool is_again(const cairn_cuda_arrays *a, int64_t part, const cairn_array *array)
{
    return part > 0 && array->kind == CAIRN_ARRAY_DICTIONARY
           && array->data == part_of(a, part - 1)->view.dictionary;
}

/// Lay them out: numbers, then places and bytes.
static cairn_status lay_out(cairn_env *env, cairn_cuda_arrays *a)
{
    cairn_array array[CAIRN_MAX_ARRAYS];
    int64_t     dictionary = 0, n = 0;

    CAIRN_TRY(CAIRN_NEW(env, count_of(a) + 1, &a->first));
    for (int64_t p = 0; p < count_of(a); p++) {
        a->first[p] = n;
        n += cairn_part_arrays(part_of(a, p), array);
    }
    a->first[count_of(a)] = n;
    CAIRN_TRY(CAIRN_NEW(env, n, &a->offset));
    for (int64_t p = 0; p < count_of(a); p++) {
        const int arrays = cairn_part_arrays(part_of(a, p), array);

        for (int k = 0; k < arrays; k++) {
            int64_t *const offset = &a->offset[a->first[p] + k];

            *offset = is_again(a, p, &array[k]) ? dictionary : a->bytes;
            if (array[k].kind == CAIRN_ARRAY_DICTIONARY) dictionary = *offset;
            if (*offset == a->bytes)
                a->bytes += (array[k].bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
        }
    }
    return CAIRN_OK;
}

/// Arrays that change when values do: those in tuples stand beside indices.
static bool has_values(const cairn_array *array)
{
    return array->kind == CAIRN_ARRAY_VAL || array->kind == CAIRN_ARRAY_TUPLES
           || array->kind == CAIRN_ARRAY_DICTIONARY;
}

/// Send all arrays, or those with values.
static cairn_status send(cairn_device *device, cairn_cuda_arrays *a, bool all)
{
    cairn_array     array[CAIRN_MAX_ARRAYS];
    cairn_cuda_ring ring;

    if (a->bytes == 0) return CAIRN_OK;
    const cairn_status status = cairn_cuda_ring_open(device, a->bytes, &ring);

    for (int64_t p = 0; p < count_of(a) && status == CAIRN_OK; p++) {
        const int arrays = cairn_part_arrays(part_of(a, p), array);

        for (int k = 0; k < arrays; k++)
            if ((all || has_values(&array[k])) && !is_again(a, p, &array[k]))
                cairn_cuda_ring_send(&ring, cairn_cuda_array(a, p, k), array[k].data,
                                     array[k].bytes);
    }
    return cairn_cuda_ring_close(&ring, status);
}

static void discard(cairn_device *device, cairn_cuda_arrays *a)
{
    cairn_cuda_free(cairn_cuda_of(device), &a->base, a->bytes);
    cairn_free(device->env, a->offset);
    cairn_free(device->env, a->first);
    cairn_free(device->env, a);
}

/// Described, and without memory of the card's.
static cairn_status describe(cairn_device       *device,
                             const cairn_local  *tensor,
                             int                 member,
                             cairn_cuda_arrays **arrays)
{
    cairn_cuda_arrays *fresh = NULL;

    CAIRN_TRY(CAIRN_NEW_ZERO(device->env, 1, &fresh));
    fresh->device             = device;
    fresh->tensor             = tensor;
    fresh->member             = member;
    fresh->updates            = tensor->updates;
    fresh->restored           = tensor->group[member].restored;
    const cairn_status status = lay_out(device->env, fresh);

    if (status == CAIRN_OK)
        *arrays = fresh;
    else
        discard(device, fresh);
    return status;
}

static void link_in(cairn_cuda_arrays *a)
{
    cairn_cuda_device *d = cairn_cuda_of(a->device);

    a->next   = d->arrays;
    d->arrays = a;
}

/// Out of the lists, and free.
static void take_out(cairn_cuda_arrays *a)
{
    cairn_cuda_arrays **link = &cairn_cuda_of(a->device)->arrays;

    assert(a->users == 0);
    while (*link != a)
        link = &(*link)->next;
    *link = a->next;
    if (a->kept) {
        cairn_local_copy **copy = &a->kept->copies;

        while (*copy != &a->copy)
            copy = &(*copy)->next;
        *copy = a->copy.next;
    }
    discard(a->device, a);
}

static cairn_status
make(cairn_device *device, const cairn_device_work *work, cairn_cuda_arrays **arrays)
{
    cairn_cuda_arrays *fresh = NULL;
    cairn_status       status;

    CAIRN_TRY(describe(device, work->tensor, work->member, &fresh));
    CAIRN_GO(discard, cairn_cuda_alloc(device, fresh->bytes, "arrays", &fresh->base));
    CAIRN_GO(discard, send(device, fresh, true));
    link_in(fresh);
    *arrays = fresh;
    return CAIRN_OK;

discard:
    discard(device, fresh);
    return status;
}

/* ---- those that stay ---- */

/// Their tensor goes.
static void go_with_tensor(cairn_local_copy *copy)
{
    cairn_cuda_arrays *const a =
        (cairn_cuda_arrays *)(void *)((char *)copy - offsetof(cairn_cuda_arrays, copy));
    cairn_cuda_device *const d       = cairn_cuda_of(a->device);
    const bool               entered = cairn_cuda_enter(d) == CAIRN_CUDA_OK;

    a->kept = NULL; /* it has left that list */
    take_out(a);
    if (entered) cairn_cuda_leave(d);
}

/// The oldest arrays that were kept and have no user: new ones are linked in at the front.
static cairn_cuda_arrays *find_unused(const cairn_cuda_device *d)
{
    cairn_cuda_arrays *oldest = NULL;

    for (cairn_cuda_arrays *a = d->arrays; a; a = a->next)
        if (a->kept && a->users == 0) oldest = a;
    return oldest;
}

int64_t cairn_cuda_arrays_drop(cairn_device *device)
{
    int64_t bytes = 0;

    for (cairn_cuda_arrays *a; (a = find_unused(cairn_cuda_of(device)));) {
        bytes += a->bytes;
        take_out(a);
    }
    return bytes;
}

/// Let old ones go until @p bytes more are at most what may stay. @return whether they are.
static bool make_room(cairn_device *device, int64_t bytes)
{
    const cairn_cuda_device *d    = cairn_cuda_of(device);
    int64_t                  stay = 0;
    cairn_cuda_arrays       *a;

    for (a = d->arrays; a; a = a->next)
        stay += a->kept ? a->bytes : 0;
    while (stay + bytes > device->info.memory_bytes / 4 && (a = find_unused(d))) {
        stay -= a->bytes;
        take_out(a);
    }
    return stay + bytes <= device->info.memory_bytes / 4;
}

bool cairn_cuda_arrays_keep(cairn_device      *device,
                            cairn_local       *tensor,
                            int                member,
                            cairn_cuda_pointer block,
                            int64_t            bytes)
{
    cairn_cuda_arrays *a;

    if (!make_room(device, bytes) || describe(device, tensor, member, &a) != CAIRN_OK)
        return false;
    assert(a->bytes == bytes);
    a->base                      = block;
    a->kept                      = tensor;
    a->copy                      = (cairn_local_copy){tensor->copies, go_with_tensor};
    tensor->copies               = &a->copy;
    cairn_cuda_of(device)->spare = cairn_cuda_arrays_drop;
    link_in(a);
    return true;
}

cairn_cuda_arrays *cairn_cuda_arrays_find(const cairn_device *device,
                                          const cairn_local  *tensor,
                                          int                 member)
{
    cairn_cuda_arrays *a = cairn_cuda_of(device)->arrays;

    while (a
           && (a->tensor != tensor || a->member != member
               || a->restored != tensor->group[member].restored))
        a = a->next;
    return a;
}

cairn_status cairn_cuda_arrays_renew(cairn_device *device, cairn_cuda_arrays *arrays)
{
    if (arrays->updates == arrays->tensor->updates) return CAIRN_OK;
    CAIRN_TRY(send(device, arrays, false));
    arrays->updates = arrays->tensor->updates;
    return CAIRN_OK;
}

cairn_status cairn_cuda_arrays_get(cairn_device            *device,
                                   const cairn_device_work *work,
                                   cairn_cuda_arrays      **arrays)
{
    cairn_cuda_arrays *a = cairn_cuda_arrays_find(device, work->tensor, work->member);

    if (a)
        CAIRN_TRY(cairn_cuda_arrays_renew(device, a));
    else
        CAIRN_TRY(make(device, work, &a));
    a->users++;
    *arrays = a;
    return CAIRN_OK;
}

void cairn_cuda_arrays_leave(cairn_device *device, cairn_cuda_arrays **arrays)
{
    cairn_cuda_arrays *const a = *arrays;

    (void)device;
    *arrays = NULL;
    if (a && --a->users == 0 && !a->kept) take_out(a);
}
