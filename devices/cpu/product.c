// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A product as a compiled kernel, called on every part of a member.

#include "devices/cpu/product.h"

#include "devices/cpu/company.h"
#include "devices/cpu/pieces.h"
#include "devices/product_kernel.h"
#include "devices/registry.h"
#include "share/alike_rows.h"
#include "tensor/value_storage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/// What a launch keeps.
typedef struct {
    cairn_env                 *env;
    cairn_device_work          work;
    cairn_kernel               kernel;
    cairn_kernel               spare;  ///< For when new values make narrow ones wider.
    const cairn_kernel_loader *loader; ///< That gave it.
    int64_t                    parts;
    cairn_work_partition      *partition; ///< [parts] which thread does what of each.
    cairn_cpu_pieces          *pieces;    ///< [parts] the same in pieces.
    int                        threads;   ///< That take them; 0: no part has any.
    double                    *y_sum;  ///< [y_sums] Sums of rows of Y, by leaf; NULL:
    int64_t                    y_sums; ///< none are wanted.
    int64_t       alike; ///< Rows whose neighbours were counted, a byte each.
    cairn_company company;
} cpu_product;

/* 3,000 entries keep a thread busy for longer than it takes to wake it up. */
enum { LEAST_VALUES = 3000 };

/// Threads there are for it.
static int64_t threads_of(const cairn_device *device, const cairn_device_work *work)
{
    return work->threads > 0 ? work->threads : device->info.threads;
}

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

/// Divide every part of several shares into pieces, too.
static cairn_status
divide_into_pieces(cpu_product *p, const cairn_share *share, int64_t rows)
{
    int64_t most = 0;

    for (int64_t k = 0; k < p->parts; k++) {
        CAIRN_TRY(cairn_cpu_pieces_make(p->env, share,
                                        &cairn_work_part(&p->work, k)->view, rows,
                                        &p->partition[k], &p->pieces[k]));
        if (p->pieces[k].pieces > 0 && p->partition[k].shares > most)
            most = p->partition[k].shares;
    }
    if (most > 1)
        p->threads = cairn_thread_team_prepare(&p->env->thread_team, (int)most);
    if (p->threads < most) p->threads = 0; /* the system has no more */
    return CAIRN_OK;
}

/// Count the rows of each part that are alike.
static cairn_status count_alike(cpu_product *p)
{
    const cairn_group *group = cairn_work_group(&p->work);

    for (int64_t k = 0; k < p->parts; k++) {
        const cairn_kernel_level *level =
            &cairn_work_part(&p->work, k)->view.level[group->layout->last];

        CAIRN_TRY(cairn_alike_rows_count(p->env, level, &p->partition[k].alike));
        p->alike += level->ptr_length - 1;
    }
    return CAIRN_OK;
}

/// Divide every part among the threads.
static cairn_status divide(cpu_product *p, const cairn_product *product, int64_t all)
{
    const cairn_group *group   = cairn_work_group(&p->work);
    const cairn_share  share   = cairn_product_share(group->layout, product);
    const int64_t      rows    = cairn_work_rows_out(&p->work);
    const int64_t      threads = useful_threads(&p->work, all);

    CAIRN_TRY(CAIRN_NEW_ZERO(p->env, group->count, &p->partition));
    CAIRN_TRY(CAIRN_NEW_ZERO(p->env, group->count, &p->pieces));
    for (p->parts = 0; p->parts < group->count; p->parts++)
        CAIRN_TRY(cairn_work_partition_make(
            p->env, &share, &cairn_work_part(&p->work, p->parts)->view, rows,
            p->work.op->columns, threads, &p->partition[p->parts]));
    if (product->hints.alike) CAIRN_TRY(count_alike(p));
    return p->work.free ? divide_into_pieces(p, &share, rows) : CAIRN_OK;
}

/// The kernel to be had, by what numbers say of the parts. @p layout: the work's, or the
/// same for wider values.
static cairn_product choose(const cairn_device        *device,
                            const cairn_device_work   *work,
                            const cairn_layout        *layout,
                            const cairn_kernel_loader *loader)
{
    if (work->as) work = work->as;
    cairn_product product = cairn_product_choose(layout, work->op, work->alone,
                                                 work->wide, loader->vector_bytes);

    cairn_product_seen seen = {.follows = false};

    if (work->rounds) cairn_product_round(layout, &product);
    if (cairn_work_group(work)->count > 0)
        seen = cairn_product_look(layout, &product, &cairn_work_part(work, 0)->view,
                                  useful_threads(work, threads_of(device, work)));
    seen.runs = seen.runs && cairn_group_is_ordered(cairn_work_group(work));
    product.hints =
        cairn_product_hints_here(device->machine, layout, &product,
                                 cairn_work_entries(work), work->op->columns, seen);
    return product;
}

/// May new values make the work's wider?
static bool may_widen(const cairn_device_work *work)
{
    return work->tensor->pattern.kept
           && !cairn_layout_is_wide(cairn_work_group(work)->layout);
}

/// The work's layout when they have.
static cairn_status
wide_layout(cairn_env *env, const cairn_device_work *work, cairn_layout **wide)
{
    const cairn_layout *layout = cairn_work_group(work)->layout;

    return cairn_layout_store(env, layout, CAIRN_VALUE_FLOAT,
                              layout->values.carrier_bits, wide);
}

/// Load what will be asked for when values have become wider: then no compiler is needed.
static cairn_status load_spare(const cairn_device *device, cpu_product *p)
{
    cairn_layout *wide;

    CAIRN_TRY(wide_layout(p->env, &p->work, &wide));
    const cairn_product product = choose(device, &p->work, wide, p->loader);
    const cairn_status  status =
        cairn_product_load(p->env, p->loader, wide, &product, &p->spare);

    cairn_layout_destroy(p->env, &wide);
    return status;
}

/* What compiling a product takes, which is 0.04 to 0.09 s with one column and 0.19 s with
   several (gcc 12, Zen 4), and bytes that a core reads in a second from memory. */
#define COMPILING 0.1
#define READING   1e10

/// Will the products that the program says will come save more time by narrow values than
/// a compiler takes? Without such a word: no.
static bool pays_to_compile(const cairn_env *env, const cairn_device_work *work)
{
    const cairn_layout *layout = cairn_work_group(work)->layout;
    const int stored = layout->values.kind == CAIRN_VALUE_ONE ? 0 : layout->values.bits;
    double    saved  = 0;

    for (int64_t k = 0; k < cairn_work_group(work)->count; k++)
        saved += (double)cairn_work_part(work, k)->view.values
                 * (layout->values.carrier_bits - stored) / 8;
    return (double)env->options.replays * saved > COMPILING * READING;
}

/// Are values narrow that the format does not ask to be, does their kernel have to be
/// compiled, which does not pay, and that of wide ones not, for which there is memory? Then
/// these are read: no product waits longer for its first run because of how its values are
/// stored.
static bool reads_wide(const cairn_device        *device,
                       const cairn_device_work   *work,
                       const cairn_kernel_loader *loader)
{
    cairn_env          *env    = device->env;
    const cairn_layout *layout = cairn_work_group(work)->layout;
    cairn_layout       *wide;

    if (!work->tensor->narrows || layout->encoding->val != CAIRN_VAL_UNSAID
        || cairn_layout_is_wide(layout) || pays_to_compile(env, work)
        || !cairn_member_may_widen(work->tensor, work->member)
        || wide_layout(env, work, &wide) != CAIRN_OK)
        return false;
    const cairn_product narrow = choose(device, work, layout, loader);
    const cairn_product other  = choose(device, work, wide, loader);
    const bool          reads  = !cairn_product_at_hand(env, loader, layout, &narrow)
                       && cairn_product_at_hand(env, loader, wide, &other);

    cairn_layout_destroy(env, &wide);
    return reads;
}

static cairn_status load(cairn_device *device, cpu_product *p, cairn_product *product)
{
    const cairn_layout *layout = cairn_work_group(&p->work)->layout;

    CAIRN_TRY(cairn_device_kernels(device, &p->loader));
    CAIRN_CHECK(!reads_wide(device, &p->work, p->loader), p->env, CAIRN_NO_KERNEL,
                "kernels: none for values as narrow as these are at hand");
    *product = choose(device, &p->work, layout, p->loader);
    CAIRN_TRY(cairn_product_load(p->env, p->loader, layout, product, &p->kernel));
    return may_widen(&p->work) ? load_spare(device, p) : CAIRN_OK;
}

/// What is compiled side by side: kernels of works, and those for their wider values.
typedef struct {
    int                 count;
    const cairn_layout *layout[2 * CAIRN_MAX_MEMBERS];
    cairn_product       product[2 * CAIRN_MAX_MEMBERS];
    int                 wides;
    cairn_layout       *wide[CAIRN_MAX_MEMBERS];
} wanted;

static void want(const cairn_device        *device,
                 const cairn_device_work   *work,
                 const cairn_layout        *layout,
                 const cairn_kernel_loader *loader,
                 wanted                    *w)
{
    w->layout[w->count]    = layout;
    w->product[w->count++] = choose(device, work, layout, loader);
}

void cairn_cpu_ahead(cairn_device *device, const cairn_device_work *work, int works)
{
    cairn_env                 *env = device->env;
    wanted                     w   = {.count = 0};
    const cairn_kernel_loader *loader;

    if (works > CAIRN_MAX_MEMBERS) works = CAIRN_MAX_MEMBERS;
    if (env->options.kernels == CAIRN_KERNELS_REFERENCE
        || cairn_device_kernels(device, &loader) != CAIRN_OK)
        return;
    for (int k = 0; k < works; k++) {
        if (reads_wide(device, &work[k], loader)) continue;
        want(device, &work[k], cairn_work_group(&work[k])->layout, loader, &w);
        if (!may_widen(&work[k])
            || wide_layout(env, &work[k], &w.wide[w.wides]) != CAIRN_OK)
            continue;
        want(device, &work[k], w.wide[w.wides++], loader, &w);
    }
    cairn_products_ahead(env, loader, w.layout, w.product, w.count);
    for (int k = 0; k < w.wides; k++)
        cairn_layout_destroy(env, &w.wide[k]);
}

/// One part: in pieces where that is @p wanted and it has any, else by shares.
static int64_t
run_part(cpu_product *p, int64_t k, bool wanted, const cairn_product_args *args)
{
    const cairn_product_fn         run    = (cairn_product_fn)p->kernel.run;
    const cairn_kernel_part *const view   = &cairn_work_part(&p->work, k)->view;
    int64_t                        status = 0;

    if (wanted && p->pieces[k].pieces > 0
        && cairn_cpu_pieces_run(&p->pieces[k], &p->env->thread_team,
                                (int)p->partition[k].shares, run, view, args, &status))
        return status;
    return run(view, args);
}

/// How the threads of this run share it.
static bool wants_pieces(const cpu_product *p)
{
    const int64_t way = p->env->options.team;

    return p->threads > 1
           && (way == CAIRN_TEAM_AUTO ? cairn_company_wants_pieces(&p->company)
                                      : way == CAIRN_TEAM_PIECES);
}

static cairn_status run(cairn_launch *launch, const void *x, void *y)
{
    cpu_product *p          = launch->state;
    const bool   wanted     = wants_pieces(p);
    const bool   chooses    = p->threads > 1 && p->env->options.team == CAIRN_TEAM_AUTO;
    const double begin      = chooses ? cairn_seconds() : 0;
    cairn_product_args args = cairn_work_arguments(&p->work, x, y);

    args.sums  = launch->sums;
    args.y_sum = p->y_sum;

    launch->y_sum.leaves = 0;
    if (p->y_sum) memset(p->y_sum, 0, (size_t)p->y_sums * sizeof *p->y_sum);
    for (int64_t k = 0; k < cairn_work_group(&p->work)->count; k++) {
        cairn_work_partition_use(&p->partition[k], &args);
        if (run_part(p, k, wanted, &args) == 0) continue;
        snprintf(launch->message, sizeof launch->message,
                 "memory: a kernel: out of memory");
        return CAIRN_NO_MEMORY;
    }
    launch->y_sum.leaf   = p->y_sum;
    launch->y_sum.leaves = p->y_sums;
    if (chooses) cairn_company_note(&p->company, cairn_seconds() - begin);
    launch->crowded = wants_pieces(p);
    return CAIRN_OK;
}

static void discard(cpu_product *p)
{
    if (p->kernel.run) p->loader->release(p->loader->user, &p->kernel);
    if (p->spare.run) p->loader->release(p->loader->user, &p->spare);
    for (int64_t k = 0; k < p->parts; k++)
        cairn_work_partition_fini(p->env, &p->partition[k]);
    for (int64_t k = 0; p->pieces && k < p->parts; k++)
        cairn_cpu_pieces_fini(p->env, &p->pieces[k]);
    cairn_free(p->env, p->y_sum);
    cairn_free(p->env, p->partition);
    cairn_free(p->env, p->pieces);
    cairn_free(p->env, p);
}

/// Make room for the sums of leaves, however threads share them.
static cairn_status make_leaves(cpu_product *p, const cairn_product *product)
{
    const cairn_share share =
        cairn_product_share(cairn_work_group(&p->work)->layout, product);
    const cairn_work_partition *partition = &p->partition[0];
    const int64_t               pieces    = p->pieces[0].pieces;
    const int64_t               shares    = partition->shares;

    p->y_sums =
        partition->share[shares] / share.leaf + (pieces > shares ? pieces : shares) + 1;
    return CAIRN_NEW_ZERO(p->env, p->y_sums, &p->y_sum);
}

static bool sum_y(cairn_launch *launch)
{
    cpu_product        *p      = launch->state;
    const cairn_layout *layout = cairn_work_group(&p->work)->layout;
    cairn_kernel        kernel;

    if (p->y_sum || p->parts != 1) return p->y_sum != NULL;
    cairn_product product = choose(launch->device, &p->work, layout, p->loader);

    if (!cairn_product_sum_y(layout, &product)
        || cairn_product_load(p->env, p->loader, layout, &product, &kernel) != CAIRN_OK)
        return false;
    if (make_leaves(p, &product) != CAIRN_OK) {
        p->loader->release(p->loader->user, &kernel);
        return false;
    }
    p->loader->release(p->loader->user, &p->kernel);
    p->kernel = kernel;
    return true;
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
    cpu_product  *p = NULL;
    cairn_product product;
    cairn_status  status;

    CAIRN_CHECK(device->env->options.kernels != CAIRN_KERNELS_REFERENCE, device->env,
                CAIRN_NO_KERNEL, "CAIRN_KERNELS: it says \"reference\"");
    CAIRN_TRY(CAIRN_NEW_ZERO(device->env, 1, &p));
    p->env  = device->env;
    p->work = *work;
    CAIRN_GO(discard, load(device, p, &product));
    CAIRN_GO(discard, divide(p, &product, threads_of(device, work)));
    *launch = (cairn_launch){.device  = device,
                             .bytes   = {.beside = p->alike},
                             .route   = p->kernel.route,
                             .sets    = !product.adds,
                             .wide    = product.wide && !product.rounds,
                             .rounds  = product.rounds,
                             .run     = run,
                             .y_sum   = {.make = sum_y},
                             .release = release,
                             .state   = p};
    if (p->alike > 0)
        snprintf(launch->note, sizeof launch->note,
                 "up to %d rows of the same columns side by side: %" PRId64
                 " bytes say which",
                 CAIRN_ALIKE_MOST, p->alike);
    return CAIRN_OK;

discard:
    discard(p);
    return status;
}
