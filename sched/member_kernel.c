// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Kernels of members: requested of their devices, agreed on by the ranks.

#include "sched/member_kernel.h"

#include <string.h>

/// What of a failure to get a kernel is a failure of the plan.
static bool is_fatal(const cairn_env *env, cairn_status status)
{
    return status == CAIRN_NO_MEMORY || status == CAIRN_UNSUPPORTED
           || status == CAIRN_NO_DEVICE
           || (status != CAIRN_OK && env->options.kernels == CAIRN_KERNELS_COMPILED);
}

static void release_all(cairn_env *env, int count, const cairn_member_request *request)
{
    for (int k = 0; k < count; k++)
        cairn_member_kernel_release(env, request[k].kernel);
}

/// All ranks go the reference way, for the reason that rank @p root has.
static cairn_status
give_up(cairn_comm *comm, int root, int count, const cairn_member_request *request)
{
    cairn_env   *env    = comm->env;
    char        *why    = NULL;
    cairn_status status = CAIRN_OK;

    release_all(env, count, request);
    if (comm->rank == root)
        status = cairn_strndup(env, env->message, strlen(env->message), &why);
    CAIRN_TRY(cairn_comm_agree(comm, status));
    status = cairn_comm_share_text(comm, root, &why);
    if (env->options.kernels == CAIRN_KERNELS_REFERENCE) {
        cairn_free(env, why); /* not worth telling who asked for it */
        why = NULL;
    }
    request[0].kernel->why = why;
    return status;
}

/// Have the devices build, until one cannot.
static cairn_status build_all(int count, const cairn_member_request *request)
{
    for (int k = 0; k < count; k++)
        CAIRN_TRY(request[k].device->ops.build(request[k].device, request[k].work,
                                               &request[k].kernel->launch));
    return CAIRN_OK;
}

cairn_status cairn_member_kernels_get(cairn_comm                 *comm,
                                      int                         count,
                                      const cairn_member_request *request)
{
    const cairn_status status   = build_all(count, request);
    int64_t            refusing = status == CAIRN_OK ? comm->size : comm->rank;
    cairn_status       agreed =
        cairn_comm_agree(comm, is_fatal(comm->env, status) ? status : CAIRN_OK);

    if (agreed == CAIRN_OK)
        agreed = comm->ops->allreduce(comm, &refusing, 1, CAIRN_MIN);
    if (agreed == CAIRN_OK && refusing < comm->size)
        agreed = give_up(comm, (int)refusing, count, request);
    if (agreed != CAIRN_OK) release_all(comm->env, count, request);
    return agreed;
}

void cairn_member_kernel_release(cairn_env *env, cairn_member_kernel *kernel)
{
    if (kernel->launch.release) kernel->launch.release(&kernel->launch);
    cairn_free(env, kernel->why);
    *kernel = (cairn_member_kernel){0};
}

bool cairn_member_kernel_lacks(const cairn_member_kernel *kernel)
{
    return kernel->launch.run == NULL;
}

bool cairn_member_kernel_is_wide(const cairn_member_kernel *kernel)
{
    return cairn_member_kernel_lacks(kernel) || kernel->launch.wide;
}
