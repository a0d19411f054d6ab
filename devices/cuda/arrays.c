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
    CAIRN_TRY(CAIRN_NEW(env, n, &a->length));
    for (int64_t p = 0; p < count_of(a); p++) {
        const int arrays = cairn_part_arrays(part_of(a, p), array);

        for (int k = 0; k < arrays; k++) {
            int64_t *const offset = &a->offset[a->first[p] + k];

            a->length[a->first[p] + k] = array[k].bytes;
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

/// Has @p there array @p k of a part as it is now? Indices are constant.
static bool
is_there(const cairn_cuda_arrays *there, int64_t part, int k, const cairn_array *array)
{
    const cairn_group *group = &there->tensor->group[there->member];
    const int64_t      n     = there->first[part] + k;

    return n < there->first[part + 1] && there->length[n] == array->bytes
           && (!has_values(array)
               || (there->restored == group->restored
                   && there->updates == there->tensor->updates));
}

/// Send arrays, but for those that are @p there already, laid out alike; NULL: none is.
static cairn_status
send(cairn_device *device, cairn_cuda_arrays *a, const cairn_cuda_arrays *there)
{
    cairn_array     array[CAIRN_MAX_ARRAYS];
    cairn_cuda_ring ring;

    if (a->bytes == 0) return CAIRN_OK;
    const cairn_status status = cairn_cuda_ring_open(device, a->bytes, &ring);

    for (int64_t p = 0; p < count_of(a) && status == CAIRN_OK; p++) {
        const int arrays = cairn_part_arrays(part_of(a, p), array);

        for (int k = 0; k < arrays; k++)
            if (!(there && is_there(there, p, k, &array[k]))
                && !is_again(a, p, &array[k]))
                cairn_cuda_ring_gather(&ring, cairn_cuda_array(a, p, k), array[k].data,
                                       array[k].bytes);
    }
    return cairn_cuda_ring_close(&ring, status);
}

static void discard(cairn_device *device, cairn_cuda_arrays *a)
{
    cairn_cuda_free(cairn_cuda_of(device), &a->base, a->bytes);
    cairn_free(device->env, a->length);
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
    CAIRN_GO(discard, send(device, fresh, NULL));
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

/* ---- those that are there ---- */

/// Are the member's arrays as many and as long as when they were described, and their values
/// of the same type?
static bool is_as_described(const cairn_cuda_arrays *a)
{
    bool same = a->restored == a->tensor->group[a->member].restored;

    for (int64_t p = 0; p < count_of(a) && same; p++) {
        cairn_array   array[CAIRN_MAX_ARRAYS];
        const int     arrays = cairn_part_arrays(part_of(a, p), array);
        const int64_t before = a->first[p];

        same = a->first[p + 1] - before == arrays;
        for (int k = 0; k < arrays && same; k++)
            same = a->length[before + k] == array[k].bytes;
    }
    return same;
}

/// Those that launches read stay as they are described.
static bool is_usable(const cairn_cuda_arrays *a)
{
    return is_as_described(a) || (a->users == 0 && count_of(a) == 1);
}

cairn_cuda_arrays *cairn_cuda_arrays_find(const cairn_device *device,
                                          const cairn_local  *tensor,
                                          int                 member)
{
    cairn_cuda_arrays *found = NULL;

    for (cairn_cuda_arrays *a = cairn_cuda_of(device)->arrays; a; a = a->next) {
        const bool own = a->tensor == tensor;

        if ((!own && a->tensor != tensor->beside) || a->member != member
            || !is_usable(a))
            continue;
        if (own) return a;
        if (!found) found = a;
    }
    return found;
}

/// Is array @p k of a part that of the tensor for which they were made? @param[out] own  It.
static bool
is_common(const cairn_cuda_arrays *a, const cairn_part *part, int k, cairn_array *own)
{
    cairn_array wanted[CAIRN_MAX_ARRAYS], all[CAIRN_MAX_ARRAYS];

    if (k >= cairn_part_arrays(part_of(a, 0), all)
        || k >= cairn_part_arrays(part, wanted))
        return false;
    *own = all[k];
    return own->data == wanted[k].data && own->bytes == wanted[k].bytes;
}

bool cairn_cuda_arrays_have(const cairn_cuda_arrays *arrays,
                            const cairn_part        *part,
                            int                      k)
{
    cairn_array own;

    return is_common(arrays, part, k, &own) && is_there(arrays, 0, k, &own);
}

bool cairn_cuda_arrays_have_values(const cairn_cuda_arrays *arrays,
                                   const cairn_part        *part)
{
    bool        common = false;
    cairn_array own;

    for (int k = 0; k < CAIRN_MAX_ARRAYS && !common; k++)
        common = is_common(arrays, part, k, &own) && has_values(&own);
    return common;
}

cairn_status cairn_cuda_arrays_renew(cairn_device *device, cairn_cuda_arrays *arrays)
{
    if (arrays->updates == arrays->tensor->updates) return CAIRN_OK;
    CAIRN_TRY(send(device, arrays, arrays));
    arrays->updates = arrays->tensor->updates;
    return CAIRN_OK;
}

/// Move what is there to the begin of a larger block.
static cairn_status
move(cairn_device *device, const cairn_cuda_arrays *from, cairn_cuda_arrays *to)
{
    cairn_cuda_device *d = cairn_cuda_of(device);

    CAIRN_TRY(cairn_cuda_alloc(device, to->bytes, "arrays", &to->base));
    const cairn_cuda_result error = CAIRN_CUDA(
        d, cuMemcpyDtoDAsync_v2, to->base, from->base, (size_t)from->bytes, d->stream);

    return error == CAIRN_CUDA_OK ? CAIRN_OK
                                  : cairn_cuda_fail(device, error, "arrays on it");
}

/// Lay arrays out as they are now: indices where they were, and behind them values, which
/// are sent. They have one user, who asks for it.
static cairn_status lay_out_again(cairn_device *device, cairn_cuda_arrays *a)
{
    cairn_cuda_arrays *fresh = NULL, before = *a;

    CAIRN_TRY(describe(device, a->tensor, a->member, &fresh));
    const bool   larger = fresh->bytes > a->bytes;
    cairn_status status = larger ? move(device, a, fresh) : CAIRN_OK;

    if (!larger) {
        fresh->base  = a->base;
        fresh->bytes = a->bytes;
    }
    if (status == CAIRN_OK) status = send(device, fresh, a);
    if (status == CAIRN_OK) {
        a->first = fresh->first, a->offset = fresh->offset, a->length = fresh->length;
        a->base = fresh->base, a->bytes = fresh->bytes;
        a->updates = fresh->updates, a->restored = fresh->restored;
        fresh->first = before.first, fresh->offset = before.offset;
        fresh->length = before.length;
        fresh->base = before.base, fresh->bytes = before.bytes;
    }
    if (!larger) fresh->base = 0;
    discard(device, fresh);
    return status;
}

cairn_status
cairn_cuda_arrays_use(cairn_device *device, cairn_cuda_arrays *arrays, bool values)
{
    const bool   same   = !values || is_as_described(arrays);
    cairn_status status = CAIRN_OK;

    arrays->users++; /* what is used is not dropped where memory is short */
    if (values)
        status = same ? cairn_cuda_arrays_renew(device, arrays)
                      : lay_out_again(device, arrays);
    if (status == CAIRN_OK) return CAIRN_OK;
    arrays->users--;
    if (!same) take_out(arrays);
    return status;
}

cairn_status cairn_cuda_arrays_get(cairn_device            *device,
                                   const cairn_device_work *work,
                                   cairn_cuda_arrays      **arrays)
{
    cairn_cuda_arrays *a = cairn_cuda_arrays_find(device, work->tensor, work->member);

    if (a && a->tensor == work->tensor) {
        CAIRN_TRY(cairn_cuda_arrays_use(device, a, true));
    } else {
        CAIRN_TRY(make(device, work, &a));
        a->users++;
    }
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
