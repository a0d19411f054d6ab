// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One block for all arrays of a member, each of which begins at 256 bytes.

#include "devices/cuda/arrays.h"

#include "devices/cuda/pinned.h"

enum { ALIGNED = 256 };

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

static cairn_status
make(cairn_device *device, const cairn_device_work *work, cairn_cuda_arrays **arrays)
{
    cairn_cuda_device *d     = cairn_cuda_of(device);
    cairn_cuda_arrays *fresh = NULL;
    cairn_status       status;

    CAIRN_TRY(CAIRN_NEW_ZERO(device->env, 1, &fresh));
    fresh->tensor   = work->tensor;
    fresh->member   = work->member;
    fresh->updates  = work->tensor->updates;
    fresh->restored = cairn_work_group(work)->restored;
    CAIRN_GO(discard, lay_out(device->env, fresh));
    CAIRN_GO(discard, cairn_cuda_alloc(device, fresh->bytes, "arrays", &fresh->base));
    CAIRN_GO(discard, send(device, fresh, true));
    fresh->next = d->arrays;
    d->arrays   = fresh;
    *arrays     = fresh;
    return CAIRN_OK;

discard:
    discard(device, fresh);
    return status;
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
    cairn_cuda_arrays *a = cairn_cuda_of(device)->arrays;

    while (a
           && (a->tensor != work->tensor || a->member != work->member
               || a->restored != cairn_work_group(work)->restored))
        a = a->next;
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
    cairn_cuda_arrays **link = &cairn_cuda_of(device)->arrays, *a = *arrays;

    *arrays = NULL;
    if (!a || --a->users > 0) return;
    while (*link != a)
        link = &(*link)->next;
    *link = a->next;
    discard(device, a);
}
