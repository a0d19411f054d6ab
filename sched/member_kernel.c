// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Kernels of members: requested, agreed on by the ranks, called.

#include "sched/member_kernel.h"

#include "sched/member_product.h"

#include <string.h>

static const cairn_group *group_of(const cairn_member *m)
{
    return &m->tensor->group[m->member];
}

static const cairn_part *part_of(const cairn_member *m, int64_t k)
{
    return &m->tensor->part[group_of(m)->first + k];
}

/// Entries of the member on this rank.
static int64_t entries_of(const cairn_member *m)
{
    int64_t entries = 0;

    for (int64_t k = 0; k < group_of(m)->count; k++)
        entries += part_of(m, k)->nnz;
    return entries;
}

/* 3,000 entries keep a thread busy for longer than it takes to wake it up. */
enum { LEAST_VALUES = 3000 };

/// Threads that the member's largest part has work for.
static int64_t useful_threads(const cairn_member *m)
{
    const int64_t all  = m->device->info.threads;
    int64_t       most = 0;

    for (int64_t k = 0; k < group_of(m)->count; k++)
        if (part_of(m, k)->view.values > most) most = part_of(m, k)->view.values;
    const __int128 useful = (__int128)most * m->op->columns / LEAST_VALUES;

    return useful < 1 ? 1 : useful < all ? (int64_t)useful : all;
}

/// Divide every part among the threads.
static cairn_status
divide(const cairn_member *m, const cairn_product *product, cairn_member_kernel *k)
{
    cairn_env        *env      = m->comm->env;
    const cairn_share division = cairn_product_share(group_of(m)->layout, product);
    const int         out      = product->transposed ? 1 : 0;
    const int64_t     rows     = m->tensor->box[out].hi - m->tensor->box[out].lo + 1;
    const int64_t     parts    = group_of(m)->count;

    k->threads = useful_threads(m);
    CAIRN_TRY(CAIRN_NEW_ZERO(env, parts, &k->shares));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, parts * (k->threads + 1), &k->share));
    for (int64_t p = 0; p < parts; p++)
        k->shares[p] =
            cairn_share_fill(&division, &part_of(m, p)->view, rows, (int)k->threads,
                             k->share + p * (k->threads + 1));
    return CAIRN_OK;
}

/// Ask the device's loader. Local.
static cairn_status load(const cairn_member *m, cairn_member_kernel *k)
{
    cairn_env          *env    = m->comm->env;
    const cairn_layout *layout = group_of(m)->layout;

    CAIRN_TRY(cairn_device_kernels(m->device, &k->loader));
    cairn_product product =
        cairn_product_choose(layout, m->op, m->member == 0, k->loader->vector_bytes);

    const bool follows =
        group_of(m)->count > 0
        && cairn_product_follows(layout, &product, &part_of(m, 0)->view);

    product.hints = cairn_member_hints(m->device->machine, layout, &product,
                                       entries_of(m), m->op->columns, follows);
    CAIRN_TRY(cairn_member_load(env, k->loader, layout, &product, &k->kernel));
    k->sets = !product.adds;
    k->wide = product.wide;
    return divide(m, &product, k);
}

/// What of a failure to get a kernel is a failure of the plan.
static bool is_fatal(const cairn_env *env, cairn_status status)
{
    return status == CAIRN_NO_MEMORY
           || (status != CAIRN_OK && env->options.kernels == CAIRN_KERNELS_COMPILED);
}

/// All ranks go the reference way, for the reason that rank @p root has.
static cairn_status give_up(const cairn_member *m, int root, cairn_member_kernel *k)
{
    cairn_env   *env    = m->comm->env;
    char        *why    = NULL;
    cairn_status status = CAIRN_OK;

    cairn_member_kernel_release(env, k);
    if (m->comm->rank == root)
        status = cairn_strndup(env, env->message, strlen(env->message), &why);
    CAIRN_TRY(cairn_comm_agree(m->comm, status));
    status = cairn_comm_share_text(m->comm, root, &why);
    if (env->options.kernels == CAIRN_KERNELS_REFERENCE) {
        cairn_free(env, why); /* not worth telling who asked for it */
        why = NULL;
    }
    k->why = why;
    return status;
}

cairn_status cairn_member_kernel_get(const cairn_member  *member,
                                     cairn_member_kernel *kernel)
{
    const cairn_member *m      = member;
    cairn_comm         *comm   = m->comm;
    const bool          asked  = comm->env->options.kernels == CAIRN_KERNELS_REFERENCE;
    cairn_member_kernel fresh  = {0};
    cairn_status        status = asked ? CAIRN_NO_KERNEL : load(m, &fresh);
    int64_t             refusing = status == CAIRN_OK ? comm->size : comm->rank;

    if (asked) cairn_fail(comm->env, status, "CAIRN_KERNELS: it says \"reference\"");
    cairn_status agreed =
        cairn_comm_agree(comm, is_fatal(comm->env, status) ? status : CAIRN_OK);

    if (agreed == CAIRN_OK)
        agreed = comm->ops->allreduce(comm, &refusing, 1, CAIRN_MIN);
    if (agreed == CAIRN_OK && refusing < comm->size)
        agreed = give_up(m, (int)refusing, &fresh);
    if (agreed == CAIRN_OK)
        *kernel = fresh;
    else
        cairn_member_kernel_release(comm->env, &fresh);
    return agreed;
}

void cairn_member_kernel_release(cairn_env *env, cairn_member_kernel *kernel)
{
    if (kernel->kernel.run)
        kernel->loader->release(kernel->loader->user, &kernel->kernel);
    cairn_free(env, kernel->shares);
    cairn_free(env, kernel->share);
    cairn_free(env, kernel->why);
    *kernel = (cairn_member_kernel){0};
}

bool cairn_member_kernel_lacks(const cairn_member_kernel *kernel)
{
    return kernel->kernel.run == NULL;
}

bool cairn_member_kernel_is_wide(const cairn_member_kernel *kernel)
{
    return cairn_member_kernel_lacks(kernel) || kernel->wide;
}

/// A pointer to rows that begin at @p first, moved so that the index is global.
static const void *shift(const void *rows, int64_t first, int64_t columns, int bits)
{
    return (const void *)((uintptr_t)rows - (uintptr_t)(first * columns * (bits / 8)));
}

cairn_status cairn_member_kernel_run(const cairn_member_kernel *kernel,
                                     const cairn_member        *member,
                                     const void                *x,
                                     void                      *y)
{
    const cairn_member    *m       = member;
    const cairn_product_fn run     = (cairn_product_fn)kernel->kernel.run;
    const cairn_interval  *box     = m->tensor->box;
    const int64_t          columns = m->op->columns;
    cairn_product_args     args    = {.x        = x,
                                      .y        = y,
                                      .x_stride = columns,
                                      .y_stride = columns,
                                      .columns  = columns,
                                      .row_lo   = box[0].lo,
                                      .row_end  = box[0].hi + 1,
                                      .col_lo   = box[1].lo,
                                      .col_end  = box[1].hi + 1,
                                      .alpha    = m->op->alpha};

    if (m->op->transposed) args.x = shift(x, box[0].lo, columns, m->tensor->value_bits);
    for (int64_t p = 0; p < group_of(m)->count; p++) {
        args.share  = kernel->share + p * (kernel->threads + 1);
        args.shares = kernel->shares[p];
        CAIRN_CHECK(run(&part_of(m, p)->view, &args) == 0, m->comm->env,
                    CAIRN_NO_MEMORY, "memory: a kernel: out of memory");
    }
    return CAIRN_OK;
}
