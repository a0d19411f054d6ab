// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A product as a compiled kernel, called on every part of a member.

#include "devices/cpu/product.h"

#include "devices/product_kernel.h"
#include "devices/registry.h"
#include "share/work_partition.h"

#include <stdio.h>

/// What a launch keeps.
typedef struct {
    cairn_env                 *env;
    cairn_device_work          work;
    cairn_kernel               kernel;
    const cairn_kernel_loader *loader; ///< That gave it.
    int64_t                    parts;
    cairn_work_partition      *partition; ///< [parts] which thread does what of each.
} cpu_product;

/* 3,000 entries keep a thread busy for longer than it takes to wake it up. */
enum { LEAST_VALUES = 3000 };

/// Threads that the member's largest part has work for.
static int64_t useful_threads(const cairn_device_work *work, int64_t all)
{
    int64_t most = 0;

    for (int64_t k = 0; k < cairn_work_group(work)->count; k++) {
        const int64_t values = cairn_work_part(work, k)->view.values;

        if (values > most) most = values;
    }
    const __int128 useful = (__int128)most * work->op->columns / LEAST_VALUES;

    return useful < 1 ? 1 : useful < all ? (int64_t)useful : all;
}

/// Divide every part among the threads.
static cairn_status divide(cpu_product *p, const cairn_product *product, int64_t all)
{
    const cairn_group *group   = cairn_work_group(&p->work);
    const cairn_share  share   = cairn_product_share(group->layout, product);
    const int64_t      rows    = cairn_work_rows_out(&p->work);
    const int64_t      threads = useful_threads(&p->work, all);

    CAIRN_TRY(CAIRN_NEW_ZERO(p->env, group->count, &p->partition));
    for (p->parts = 0; p->parts < group->count; p->parts++)
        CAIRN_TRY(cairn_work_partition_make(
            p->env, &share, &cairn_work_part(&p->work, p->parts)->view, rows,
            p->work.op->columns, threads, &p->partition[p->parts]));
    return CAIRN_OK;
}

/// The kernel to be had, by what numbers say of the parts.
static cairn_product choose(const cairn_device        *device,
                            const cairn_device_work   *work,
                            const cairn_kernel_loader *loader)
{
    const cairn_layout *layout  = cairn_work_group(work)->layout;
    cairn_product       product = cairn_product_choose(layout, work->op, work->alone,
                                                       work->wide, loader->vector_bytes);

    cairn_product_seen seen = {.follows = false};

    if (cairn_work_group(work)->count > 0)
        seen = cairn_product_look(layout, &product, &cairn_work_part(work, 0)->view);
    product.hints =
        cairn_product_hints_here(device->machine, layout, &product,
                                 cairn_work_entries(work), work->op->columns, seen);
    return product;
}

static cairn_status load(cairn_device *device, cpu_product *p, cairn_product *product)
{
    CAIRN_TRY(cairn_device_kernels(device, &p->loader));
    *product = choose(device, &p->work, p->loader);
    return cairn_product_load(p->env, p->loader, cairn_work_group(&p->work)->layout,
                              product, &p->kernel);
}

void cairn_cpu_ahead(cairn_device *device, const cairn_device_work *work, int works)
{
    const cairn_layout        *layout[CAIRN_MAX_MEMBERS];
    cairn_product              product[CAIRN_MAX_MEMBERS];
    const cairn_kernel_loader *loader;

    if (works > CAIRN_MAX_MEMBERS) works = CAIRN_MAX_MEMBERS;
    if (device->env->options.kernels == CAIRN_KERNELS_REFERENCE
        || cairn_device_kernels(device, &loader) != CAIRN_OK)
        return;
    for (int k = 0; k < works; k++) {
        layout[k]  = cairn_work_group(&work[k])->layout;
        product[k] = choose(device, &work[k], loader);
    }
    cairn_products_ahead(device->env, loader, layout, product, works);
}

static cairn_status run(cairn_launch *launch, const void *x, void *y)
{
    const cpu_product     *p    = launch->state;
    const cairn_product_fn run  = (cairn_product_fn)p->kernel.run;
    cairn_product_args     args = cairn_work_arguments(&p->work, x, y);

    for (int64_t k = 0; k < cairn_work_group(&p->work)->count; k++) {
        cairn_work_partition_use(&p->partition[k], &args);
        if (run(&cairn_work_part(&p->work, k)->view, &args) == 0) continue;
        snprintf(launch->message, sizeof launch->message,
                 "memory: a kernel: out of memory");
        return CAIRN_NO_MEMORY;
    }
    return CAIRN_OK;
}

static void discard(cpu_product *p)
{
    if (p->kernel.run) p->loader->release(p->loader->user, &p->kernel);
    for (int64_t k = 0; k < p->parts; k++)
        cairn_work_partition_fini(p->env, &p->partition[k]);
    cairn_free(p->env, p->partition);
    cairn_free(p->env, p);
}

static void release(cairn_launch *launch)
{
    discard(launch->state);
    *launch = (cairn_launch){0};
}

cairn_status cairn_cpu_build(cairn_device            *device,
                             const cairn_device_work *work,
                             cairn_launch            *launch)
{
    const int64_t threads = work->threads > 0 ? work->threads : device->info.threads;
    cpu_product  *p       = NULL;
    cairn_product product;
    cairn_status  status;

    CAIRN_CHECK(device->env->options.kernels != CAIRN_KERNELS_REFERENCE, device->env,
                CAIRN_NO_KERNEL, "CAIRN_KERNELS: it says \"reference\"");
    CAIRN_TRY(CAIRN_NEW_ZERO(device->env, 1, &p));
    p->env  = device->env;
    p->work = *work;
    CAIRN_GO(discard, load(device, p, &product));
    CAIRN_GO(discard, divide(p, &product, threads));
    *launch = (cairn_launch){.device  = device,
                             .route   = p->kernel.route,
                             .sets    = !product.adds,
                             .wide    = product.wide,
                             .run     = run,
                             .release = release,
                             .state   = p};
    return CAIRN_OK;

discard:
    discard(p);
    return status;
}
