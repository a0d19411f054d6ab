// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Members that do not fit the memory of a device: a share that does stays there.

#include "place/placement_draft.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static int first_host(const cairn_devices *devices)
{
    for (int k = 0; k < devices->count; k++)
        if (cairn_device_is_host(&devices->device[k])) return k;
    return -1;
}

/// Bytes of arrays that every share may have as the member has them: each ptr, and indices
/// that depend on no node.
static int64_t undivided_bytes(const cairn_local *tensor, int member)
{
    const cairn_group *group = &tensor->group[member];
    int64_t            bytes = 0;

    for (int64_t k = 0; k < group->count; k++) {
        const cairn_part *part = &tensor->part[group->first + k];

        for (int l = 0; l < group->layout->levels; l++) {
            const cairn_level        *info  = &group->layout->level[l];
            const cairn_kernel_level *level = &part->view.level[l];

            bytes += level->ptr_length * (level->ptr_bits / 8);
            if (info->determined.on && !info->determined.per_node)
                bytes += level->idx_length * level->idx_stride;
        }
    }
    return bytes;
}

/// Bytes of a member's arrays on a device, which may read values as wide as the type alone.
static double array_bytes(const cairn_local *tensor, int member)
{
    const cairn_group *group = &tensor->group[member];
    int64_t            bytes = group->bytes;

    for (int64_t k = 0; k < group->count; k++) {
        const cairn_kernel_part *view = &tensor->part[group->first + k].view;

        if (group->layout->values.tuple < 0)
            bytes += view->values * (tensor->value_bits / 8)
                     - cairn_stored_values(view) * (view->val_bits / 8);
    }
    return (double)bytes;
}

/// Bytes, at most, that @p rows rows of a member, with @p part of what it stores, take on
/// a device with X and Y.
static double
bytes_there(const cairn_placing_draft *d, int member, double part, int64_t rows)
{
    const cairn_placing_question *q      = d->question;
    const cairn_interval          column = q->tensor->box[1];
    const double                  ptrs   = (double)undivided_bytes(q->tensor, member);
    const double                  arrays = array_bytes(q->tensor, member);

    return ptrs + (arrays - ptrs) * part
           + (double)sizeof(double) * (double)q->op->columns
                 * (double)(rows + column.hi - column.lo + 1);
}

/// The last row before which everything fits in @p left bytes.
static cairn_coord last_that_fits(const cairn_placing_draft *d,
                                  int                        member,
                                  const cairn_row_weights   *w,
                                  double                     left)
{
    int64_t lo = 0, hi = w->rows;

    while (lo < hi) {
        const int64_t mid  = hi - (hi - lo) / 2;
        const double  part = cairn_row_weights_part(w, w->first, w->first + mid);

        if (bytes_there(d, member, part, mid) <= left)
            lo = mid;
        else
            hi = mid - 1;
    }
    return cairn_row_weights_floor(w, w->first + lo);
}

/// Leave on a device what its memory holds, and give the rest to the processor. Where
/// nothing fits, the device says so itself.
static cairn_status divide_by_memory(cairn_env               *env,
                                     cairn_placing_draft     *d,
                                     int                      member,
                                     const cairn_row_weights *w,
                                     int                      device,
                                     double                   left)
{
    const cairn_devices *devices = d->question->devices;
    const int            host    = first_host(devices);
    const cairn_coord    end     = last_that_fits(d, member, w, left);
    const cairn_interval box     = d->question->tensor->box[0];
    const cairn_interval there = {box.lo, end - 1}, rest = {end, box.hi};

    if (end == box.lo || host < 0)
        return cairn_placing_draft_whole(env, d, member, UINT64_C(1) << device);
    CAIRN_TRY(
        cairn_placing_draft_rows(env, d, member, w, there, UINT64_C(1) << device));
    CAIRN_TRY(cairn_placing_draft_rows(env, d, member, w, rest, UINT64_C(1) << host));
    snprintf(d->note, sizeof d->note,
             "member %d does not fit %s: rows %" PRId64 " to %" PRId64
             " are there, the rest on %s",
             member, devices->device[device].info.id, box.lo, end - 1,
             devices->device[host].info.id);
    return CAIRN_OK;
}

cairn_status cairn_placing_draft_within(cairn_env           *env,
                                        cairn_placing_draft *d,
                                        int                  member,
                                        int                  device,
                                        double              *left)
{
    const cairn_interval box   = d->question->tensor->box[0];
    const double         bytes = bytes_there(d, member, 1, box.hi - box.lo + 1);
    const double         had   = left[device];
    cairn_row_weights    w;

    left[device] = had > bytes ? had - bytes : 0;
    if (bytes <= had)
        return cairn_placing_draft_whole(env, d, member, UINT64_C(1) << device);
    CAIRN_TRY(cairn_row_weights_init(d->question->tensor, member, &w));
    const cairn_status status = divide_by_memory(env, d, member, &w, device, had);

    cairn_row_weights_fini(&w);
    return status;
}

int cairn_placing_draft_kept_from(const cairn_placing_draft *d, int member)
{
    const cairn_devices *devices = d->question->devices;
    const double        *seconds = cairn_placing_draft_seconds(d, member);
    int                  best    = -1;

    for (int k = 0; k < devices->count; k++)
        if (devices->device[k].info.clock == CAIRN_CLOCK_MEASURED
            && (best < 0 || seconds[k] < seconds[best]))
            best = k;
    if (d->question->kept || best < 0
        || !isinf(d->whole[member * devices->count + best]))
        return -1;
    return isinf(seconds[best]) ? -1 : best;
}
