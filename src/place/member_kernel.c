// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Kernels of members: requested of their devices, agreed on by the ranks.

#include "place/member_kernel.h"

#include "lower/product/product_choice.h"
#include "tensor/value_storage.h"

#include <stdio.h>
#include <string.h>

/// What of a failure to get a kernel is a failure of the plan.
static bool is_fatal(const cairn_env *env, cairn_status status)
{
    return status == CAIRN_NO_MEMORY || status == CAIRN_UNSUPPORTED
           || status == CAIRN_NO_DEVICE
           || (status != CAIRN_OK && env->options.kernels == CAIRN_KERNELS_COMPILED);
}

/// All ranks go the reference way, for the reason that rank @p root has: that of kernel
/// @p which.
static cairn_status give_up(cairn_comm                 *comm,
                            int                         root,
                            cairn_member_kernel *const *kernel,
                            int                         count,
                            int                         which)
{
    cairn_env *env = comm->env;
    char      *why = kernel[which]->why;

    kernel[which]->why = NULL;
    for (int k = 0; k < count; k++)
        cairn_member_kernel_release(env, kernel[k]);
    if (comm->rank != root) {
        cairn_free(env, why);
        why = NULL;
    }
    const cairn_status status = cairn_comm_share_text(comm, root, &why);

    if (env->options.kernels == CAIRN_KERNELS_REFERENCE) {
        cairn_free(env, why); /* not worth telling who asked for it */
        why = NULL;
    }
    kernel[0]->why = why;
    return status;
}

/// May a failure be that the device, or what comes with the library where no compiler is,
/// does not read values as narrow as the work's?
static bool is_for_width(const cairn_device_work *work, cairn_status status)
{
    return (status == CAIRN_NO_KERNEL || status == CAIRN_UNSUPPORTED)
           && !cairn_layout_is_wide(cairn_work_group(work)->layout)
           && work->tensor->env->options.kernels != CAIRN_KERNELS_REFERENCE;
}

/// Build it on a copy of the values as wide as the type.
static cairn_status build_widened(cairn_device            *device,
                                  const cairn_device_work *work,
                                  cairn_member_kernel     *kernel)
{
    cairn_device_work wide = *work;
    cairn_local      *copy;
    cairn_status      status;

    CAIRN_TRY(cairn_member_widened(work->tensor, work->member, &copy));
    wide.tensor = copy;
    status      = device->ops.build(device, &wide, &kernel->launch);
    if (status != CAIRN_OK) {
        cairn_local_destroy(&copy);
        return status;
    }
    kernel->wide     = copy;
    char *const note = kernel->launch.note;

    snprintf(note + strlen(note), sizeof kernel->launch.note - strlen(note),
             "%svalues widened to f%d", note[0] ? "; " : "", work->tensor->value_bits);
    return CAIRN_OK;
}

void cairn_member_kernel_build(cairn_device            *device,
                               const cairn_device_work *work,
                               cairn_member_kernel     *kernel)
{
    cairn_env *env = device->env;

    *kernel        = (cairn_member_kernel){0};
    kernel->status = device->ops.build(device, work, &kernel->launch);
    if (is_for_width(work, kernel->status))
        kernel->status = build_widened(device, work, kernel);
    if (kernel->status == CAIRN_OK) return;
    const char        *why  = cairn_message(env);
    const cairn_status kept = cairn_strndup(env, why, strlen(why), &kernel->why);

    if (kept != CAIRN_OK) kernel->status = kept;
}

/// The first that could not be built; 0 if all could.
static int first_refused(cairn_member_kernel *const *kernel, int count)
{
    for (int k = 0; k < count; k++)
        if (kernel[k]->status != CAIRN_OK) return k;
    return 0;
}

cairn_status cairn_member_kernels_agree(cairn_comm                 *comm,
                                        cairn_member_kernel *const *kernel,
                                        int                         count)
{
    cairn_env         *env      = comm->env;
    const int          which    = first_refused(kernel, count);
    const cairn_status status   = kernel[which]->status;
    int64_t            refusing = status == CAIRN_OK ? comm->size : comm->rank;
    cairn_status       mine     = CAIRN_OK;

    if (is_fatal(env, status))
        mine = cairn_fail(env, status, "%s",
                          kernel[which]->why ? kernel[which]->why
                                             : cairn_status_text(status));
    CAIRN_TRY(cairn_comm_agree(comm, mine));
    CAIRN_TRY(comm->ops->allreduce(comm, &refusing, 1, CAIRN_MIN));
    return refusing < comm->size ? give_up(comm, (int)refusing, kernel, count, which)
                                 : CAIRN_OK;
}

void cairn_member_kernel_release(cairn_env *env, cairn_member_kernel *kernel)
{
    if (kernel->launch.release) kernel->launch.release(&kernel->launch);
    cairn_local_destroy(&kernel->wide);
    cairn_free(env, kernel->why);
    *kernel = (cairn_member_kernel){0};
}

bool cairn_member_kernel_lacks(const cairn_member_kernel *kernel)
{
    return kernel->launch.run == NULL;
}

/// How the product of a member meets rows, whatever the target.
static cairn_product_rows
rows_of(const cairn_local *tensor, int member, const cairn_product_options *op)
{
    const cairn_layout *layout = tensor->group[member].layout;
    const cairn_product product =
        cairn_product_choose(layout, op, true, true, CAIRN_ITEMS);

    return cairn_product_rows_of(layout, &product);
}

bool cairn_member_meets_once(const cairn_local           *tensor,
                             int                          member,
                             const cairn_product_options *op)
{
    return rows_of(tensor, member, op).single;
}

bool cairn_member_meets_all(const cairn_local           *tensor,
                            int                          member,
                            const cairn_product_options *op)
{
    const cairn_group *group = &tensor->group[member];

    /* A kernel returns at once from a part without values. */
    for (int64_t k = group->first; k < group->first + group->count; k++)
        if (tensor->part[k].view.values == 0) return false;
    return group->count > 0 && rows_of(tensor, member, op).all;
}
