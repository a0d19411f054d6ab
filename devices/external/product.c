// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A product of a program: X into the segment, a message, and Y out of it.

#include "devices/external/product.h"

#include "devices/config.h"

#include <stdio.h>
#include <string.h>

/// What a launch keeps.
typedef struct {
    cairn_env             *env;
    cairn_device_work      work;
    cairn_external_segment segment;
    cairn_external_child   child;
    int64_t                x, y; ///< Offsets: the program may write over its own.
} external_product;

cairn_status cairn_external_meet(const cairn_device      *device,
                                 int                      segment,
                                 cairn_external_child    *child,
                                 cairn_simulator_message *hello)
{
    const double limit = cairn_config_number(device->config, "limit");
    char         why[160];

    CAIRN_TRY(cairn_external_start(device->env, device->info.id,
                                   device->config->command, segment, limit, child));
    *hello = (cairn_simulator_message){.kind = CAIRN_SIMULATOR_HELLO};
    CAIRN_CHECK(cairn_external_ask(child, hello, why, sizeof why), device->env,
                CAIRN_NO_DEVICE, "device: %s: %s", device->info.id, why);
    return CAIRN_OK;
}

static size_t x_size(const external_product *p)
{
    return (size_t)(cairn_work_rows_in(&p->work) * p->work.op->columns
                    * (p->work.tensor->value_bits / 8));
}

static size_t y_size(const external_product *p)
{
    return (size_t)(cairn_work_rows_out(&p->work) * p->work.op->columns)
           * sizeof(double);
}

/// Where X begins for this rank: at the box, in a transposed product at its rows.
static const char *first_x(const external_product *p, const void *x)
{
    const int64_t lo = p->work.op->transposed ? 0 : p->work.tensor->box[1].lo;

    return (const char *)x
           + lo * p->work.op->columns * (p->work.tensor->value_bits / 8);
}

/// Seconds that an answer tells.
static cairn_launch_times times_of(const cairn_simulator_message *answer)
{
    return (cairn_launch_times){
        .in = answer->in, .compute = answer->compute, .out = answer->out};
}

static cairn_status lose(cairn_launch *launch, const char *why)
{
    snprintf(launch->message, sizeof launch->message, "device: %s: %s",
             launch->device->info.id, why);
    return CAIRN_NO_DEVICE;
}

/// Compute, then ask for something that every program answers at once: one that answered
/// early, or twice, is found out before its Y is used.
static bool compute(external_product *p, cairn_simulator_message *answer, char why[160])
{
    cairn_simulator_message after = {.kind = CAIRN_SIMULATOR_HELLO};

    *answer = (cairn_simulator_message){.kind = CAIRN_SIMULATOR_RUN};
    if (!cairn_external_ask(&p->child, answer, why, 160)) return false;
    return answer->status != CAIRN_SIMULATOR_OK
           || cairn_external_ask(&p->child, &after, why, 160);
}

static cairn_status run(cairn_launch *launch, const void *x, void *y)
{
    external_product       *p    = launch->state;
    char                   *base = (char *)p->segment.at;
    cairn_simulator_message message;
    char                    why[160];

    memcpy(base + p->x, first_x(p, x), x_size(p));
    if (launch->sets)
        memset(base + p->y, 0, y_size(p));
    else
        memcpy(base + p->y, y, y_size(p));
    if (!compute(p, &message, why)) return lose(launch, why);
    if (message.status != CAIRN_SIMULATOR_OK)
        return lose(launch, message.text[0] ? message.text : "its program failed");
    memcpy(y, base + p->y, y_size(p));
    launch->times = times_of(&message);
    return CAIRN_OK;
}

static void discard(external_product *p)
{
    cairn_external_end(&p->child);
    cairn_external_segment_fini(&p->segment);
    cairn_free(p->env, p);
}

static void release(cairn_launch *launch)
{
    discard(launch->state);
    *launch = (cairn_launch){0};
}

/// Show it the product, and hear what it thinks.
static cairn_status
show(const cairn_device *device, external_product *p, cairn_simulator_message *answer)
{
    static const cairn_status statuses[] = {CAIRN_OK, CAIRN_UNSUPPORTED,
                                            CAIRN_NO_MEMORY, CAIRN_NO_DEVICE};
    char                      why[160];

    *answer = (cairn_simulator_message){.kind = CAIRN_SIMULATOR_BUILD};
    CAIRN_CHECK(cairn_external_ask(&p->child, answer, why, sizeof why), p->env,
                CAIRN_NO_DEVICE, "device: %s: %s", device->info.id, why);
    CAIRN_CHECK(answer->status == CAIRN_SIMULATOR_OK, p->env, statuses[answer->status],
                "device: %s: its program: %s", device->info.id,
                answer->text[0] ? answer->text : "no reason given");
    return CAIRN_OK;
}

static cairn_status
make(const cairn_device *device, external_product *p, cairn_simulator_message *answer)
{
    CAIRN_TRY(
        cairn_external_segment_init(p->env, device->info.id, &p->work, &p->segment));
    p->x = p->segment.at->x;
    p->y = p->segment.at->y;
    CAIRN_TRY(cairn_external_meet(device, p->segment.fd, &p->child, answer));
    return show(device, p, answer);
}

cairn_status cairn_external_build(cairn_device            *device,
                                  const cairn_device_work *work,
                                  cairn_launch            *launch)
{
    cairn_simulator_message answer;
    external_product       *p = NULL;
    cairn_status            status;

    CAIRN_CHECK(cairn_external_tells(work), device->env, CAIRN_UNSUPPORTED,
                "device: %s: member %d: its coordinates are no sums over its levels",
                device->info.id, cairn_work_number(work));
    /* Programs know `value_bits` of X alone: refused, the member is asked for again with
     * wide values (place/member_kernel.h). */
    CAIRN_CHECK(cairn_layout_is_wide(cairn_work_group(work)->layout), device->env,
                CAIRN_UNSUPPORTED, "device: %s: member %d: its values are narrow",
                device->info.id, cairn_work_number(work));
    CAIRN_TRY(CAIRN_NEW_ZERO(device->env, 1, &p));
    p->env          = device->env;
    p->work         = *work;
    p->segment.fd   = -1;
    p->child.socket = -1;
    CAIRN_GO(discard, make(device, p, &answer));
    *launch = (cairn_launch){.device  = device,
                             .route   = CAIRN_ROUTE_PREBUILT,
                             .sets    = work->alone,
                             .wide    = true,
                             .bytes   = {.own = p->segment.bytes},
                             .run     = run,
                             .release = release,
                             .times   = times_of(&answer),
                             .state   = p};
    snprintf(launch->note, sizeof launch->note, "%s", answer.text);
    return CAIRN_OK;

discard:
    discard(p);
    return status;
}
