// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Drafts: members as users placed them, divided where the user or a rule says so.

#include "place/placement_draft.h"

#include "cost/transfers.h"
#include "place/balance.h"
#include "rows/row_share.h"

#include <math.h>

static cairn_cost_guess
predict(const cairn_placing_question *q, int member, int device, bool counts)
{
    const cairn_device     *d       = &q->devices->device[device];
    const cairn_device_work product = {
        .tensor = q->tensor, .member = member, .op = q->op, .alone = member == 0};
    cairn_work       work;
    cairn_cost_guess guess;

    if (d->lost) return (cairn_cost_guess){.seconds = INFINITY};
    cairn_work_of_product(&product, member == 0, &work);
    const int64_t              memory  = (int64_t)(work.arrays + work.x + work.y);
    const cairn_device_request request = {.memory_bytes = counts ? memory : 0,
                                          .moved_bytes  = (int64_t)work.bytes,
                                          .work         = &product};

    cairn_cost_of_product(q->costs, d, q->ranks, &request, &work, &guess);
    return guess;
}

static void predict_all(cairn_placing_draft *d)
{
    const int n = d->question->devices->count;

    for (int m = 0; m < d->question->tensor->groups; m++)
        for (int k = 0; k < n; k++) {
            const cairn_cost_guess guess = predict(d->question, m, k, false);

            d->whole[m * n + k]      = predict(d->question, m, k, true).seconds;
            d->any_memory[m * n + k] = guess.seconds;
            d->beside[m * n + k]     = guess.beside;
        }
}

const double *cairn_placing_draft_seconds(const cairn_placing_draft *d, int member)
{
    return &d->any_memory[member * d->question->devices->count];
}

static cairn_status
add_task(cairn_env *env, cairn_placing_draft *d, const cairn_placing_task *task)
{
    CAIRN_CHECK(d->count < CAIRN_MAX_HOMES, env, CAIRN_BAD_OPTION,
                "place: more than %d members and shares of members on a rank",
                CAIRN_MAX_HOMES);
    d->task[d->count++] = *task;
    return CAIRN_OK;
}

cairn_status cairn_placing_draft_rows(cairn_env               *env,
                                      cairn_placing_draft     *d,
                                      int                      member,
                                      const cairn_row_weights *w,
                                      cairn_interval           rows,
                                      uint64_t                 affinity)
{
    const cairn_placing_task *before = d->count > 0 ? &d->task[d->count - 1] : NULL;
    const bool                first  = !before || before->member != member;
    const cairn_placing_task  task   = {
           .member   = member,
           .share    = first ? 0 : before->share + 1,
           .rows     = rows,
           .part     = cairn_row_weights_part(w, rows.lo, rows.hi + 1),
           .affinity = affinity};

    return rows.lo > rows.hi ? CAIRN_OK : add_task(env, d, &task);
}

cairn_status cairn_placing_draft_whole(cairn_env           *env,
                                       cairn_placing_draft *d,
                                       int                  member,
                                       uint64_t             affinity)
{
    const cairn_placing_task task = {.member   = member,
                                     .rows     = d->question->tensor->box[0],
                                     .part     = 1,
                                     .affinity = affinity};

    return add_task(env, d, &task);
}

/// What was lost in another plan's run is not there any more.
static cairn_status find_device(cairn_env                    *env,
                                const cairn_placing_question *q,
                                int                           member,
                                int                           share,
                                int                          *found)
{
    CAIRN_TRY(
        cairn_placement_find(env, q->placement, q->devices, member, share, found));
    if (*found >= 0 && q->devices->device[*found].lost)
        return cairn_fail(env, CAIRN_NO_DEVICE,
                          "device: %s: it failed in an earlier run, and is retired",
                          q->devices->device[*found].info.id);
    return CAIRN_OK;
}

/// Parts of a member for some devices: by their speeds. One whose speed is not known
/// counts like the mean of the others; where bits would follow the cuts, as they do
/// in a transposed product, all count alike.
static void find_parts(const cairn_placing_draft *d,
                       int                        member,
                       const int                 *device,
                       int                        shares,
                       double                    *part)
{
    const double *seconds = cairn_placing_draft_seconds(d, member);
    double        sum     = 0;
    int           known   = 0;

    for (int k = 0; k < shares; k++) {
        const double s =
            d->question->kept || d->question->op->transposed ? 0 : seconds[device[k]];

        part[k] = isfinite(s) && s > 0 ? 1 / s : 0;
        sum += part[k];
        known += part[k] > 0;
    }
    for (int k = 0; k < shares; k++) {
        const double each = known > 0 ? sum / known : 1;

        if (part[k] == 0) part[k] = each;
    }
}

/// Divide a member so that the shares have parts in the ratio of @p part.
static cairn_status divide(cairn_env               *env,
                           cairn_placing_draft     *d,
                           int                      member,
                           const cairn_row_weights *w,
                           const int               *device,
                           const double            *part,
                           int                      shares)
{
    const cairn_interval box   = d->question->tensor->box[0];
    cairn_coord          first = box.lo;
    double               all = 0, sum = 0;

    for (int k = 0; k < shares; k++)
        all += part[k];
    for (int k = 0; k < shares; k++) {
        sum += part[k];
        const cairn_coord cut =
            k + 1 < shares ? cairn_row_weights_cut(w, sum / all) : box.hi + 1;
        const cairn_coord end = cut > first ? cut : first;

        CAIRN_TRY(cairn_placing_draft_rows(env, d, member, w,
                                           (cairn_interval){first, end - 1},
                                           UINT64_C(1) << device[k]));
        first = end;
    }
    return CAIRN_OK;
}

/// May a device have a part of a member that is divided to be faster? The measured
/// processors, and what runs beside them with memory for all of it.
static bool may_share(const cairn_placing_draft *d, int member, int device)
{
    const cairn_device *it = &d->question->devices->device[device];
    const double seconds   = d->whole[member * d->question->devices->count + device];

    if (it->lost) return false;
    return cairn_device_is_host(it)
           || (it->ops.seat && it->info.clock == CAIRN_CLOCK_MEASURED
               && it->info.link.up > 0 && isfinite(seconds));
}

/// Seconds of copying one row of so many, in or out.
static double seconds_a_row(const cairn_placing_question *q,
                            const cairn_device           *device,
                            double                        in,
                            double                        out)
{
    const double          row  = (double)q->op->columns * q->tensor->value_bits / 8;
    const cairn_transfers rows = {.in = row * in, .out = row * out};

    if (in + out <= 0 || cairn_device_is_host(device)) return 0;
    return cairn_cost_of_transfers(q->costs, device, q->ranks, &rows) / (in + out);
}

/// What shares of a member take on a device.
static cairn_share_costs
find_costs(const cairn_placing_draft *d, int member, int device)
{
    const cairn_placing_question *q       = d->question;
    const cairn_device           *it      = &q->devices->device[device];
    const int                     at      = member * q->devices->count + device;
    const cairn_interval         *box     = q->tensor->box;
    const double                  rows    = (double)(box[0].hi - box[0].lo + 1);
    const double                  columns = (double)(box[1].hi - box[1].lo + 1);
    cairn_share_costs             costs = {.kernel = d->any_memory[at] - d->beside[at],
                                           .in     = seconds_a_row(q, it, columns, 0),
                                           .out    = seconds_a_row(q, it, 0, rows)};

    costs.start = fmax(0, d->beside[at] - costs.in * columns - costs.out * rows);
    return costs;
}

/// Divide a member among devices of which some copy: so that all end at once.
///
/// @param[in] each  Every device gets some rows.
static cairn_status divide_balanced(cairn_env               *env,
                                    cairn_placing_draft     *d,
                                    int                      member,
                                    const cairn_row_weights *w,
                                    const int               *device,
                                    int                      devices,
                                    bool                     each)
{
    cairn_share_costs   costs[CAIRN_MAX_SHARES];
    int                 end[CAIRN_MAX_SHARES];
    cairn_row_stretches stretches;

    CAIRN_TRY(cairn_row_stretches_find(w, true, &stretches));
    for (int k = 0; k < devices; k++)
        costs[k] = find_costs(d, member, device[k]);
    cairn_row_stretches_balance(&stretches, costs, devices, each, end);
    for (int k = 0; k < devices; k++) {
        const int            first = k > 0 ? end[k - 1] : 0;
        const cairn_interval rows  = {stretches.row[first], stretches.row[end[k]] - 1};

        if (first == end[k]) continue;
        CAIRN_TRY(cairn_placing_draft_rows(env, d, member, w, rows,
                                           UINT64_C(1) << device[k]));
        d->task[d->count - 1].seconds =
            cairn_row_stretches_seconds(&stretches, &costs[k], first, end[k]);
    }
    return CAIRN_OK;
}

/// May shares of these devices be made so that all end at once? One of them copies, all are
/// known, and no bits follow the cuts.
static bool
may_balance(const cairn_placing_draft *d, int member, const int *device, int devices)
{
    bool copies = false;

    if (d->question->kept || d->question->op->transposed) return false;
    for (int k = 0; k < devices; k++) {
        if (!may_share(d, member, device[k])) return false;
        copies |= !cairn_device_is_host(&d->question->devices->device[device[k]]);
    }
    return copies;
}

/// The rows that a file says; the reader has seen that they follow each other.
static cairn_status divide_as_given(cairn_env               *env,
                                    cairn_placing_draft     *d,
                                    int                      member,
                                    const cairn_row_weights *w,
                                    const int               *device)
{
    const cairn_place *place = &d->question->placement->member[member];

    for (int k = 0; k < place->shares; k++) {
        const cairn_place_share *s    = &place->share[k];
        const cairn_interval     rows = {s->first_row, s->first_row + s->rows - 1};

        CAIRN_TRY(cairn_placing_draft_rows(env, d, member, w, rows,
                                           UINT64_C(1) << device[k]));
    }
    return CAIRN_OK;
}

/// As the user has divided it.
static cairn_status
divide_as_placed(cairn_env *env, cairn_placing_draft *d, int member, const int *device)
{
    const cairn_place *place = &d->question->placement->member[member];
    double             part[CAIRN_MAX_SHARES];
    cairn_row_weights  w;

    if (d->question->tensor->box[0].lo > d->question->tensor->box[0].hi)
        return cairn_placing_draft_whole(env, d, member, UINT64_C(1) << device[0]);
    CAIRN_TRY(cairn_row_weights_init(d->question->tensor, member, &w));
    find_parts(d, member, device, place->shares, part);
    for (int k = 0; k < place->shares && place->share[0].fraction > 0; k++)
        part[k] = place->share[k].fraction;
    cairn_status status;

    if (place->share[0].rows >= 0)
        status = divide_as_given(env, d, member, &w, device);
    else if (place->share[0].fraction <= 0
             && may_balance(d, member, device, place->shares))
        status = divide_balanced(env, d, member, &w, device, place->shares, true);
    else
        status = divide(env, d, member, &w, device, part, place->shares);

    cairn_row_weights_fini(&w);
    return status;
}

static cairn_status
draft_member(cairn_env *env, cairn_placing_draft *d, int member, double *left)
{
    const cairn_place *place = &d->question->placement->member[member];
    int                device[CAIRN_MAX_SHARES];

    for (int k = 0; k < place->shares; k++)
        CAIRN_TRY(find_device(env, d->question, member, k, &device[k]));
    if (place->shares > 1) return divide_as_placed(env, d, member, device);
    if (place->shares == 0) device[0] = cairn_placing_draft_kept_from(d, member);
    if (device[0] < 0) return cairn_placing_draft_whole(env, d, member, 0);
    if (cairn_device_is_host(&d->question->devices->device[device[0]]))
        return cairn_placing_draft_whole(env, d, member, UINT64_C(1) << device[0]);
    return cairn_placing_draft_within(env, d, member, device[0], left);
}

cairn_status cairn_placing_draft_make(cairn_env *env, cairn_placing_draft *draft)
{
    const cairn_devices *devices = draft->question->devices;
    double               left[CAIRN_MAX_DEVICES];

    for (int k = 0; k < devices->count; k++)
        left[k] = (double)devices->device[k].info.memory_bytes;
    predict_all(draft);
    for (int m = 0; m < draft->question->tensor->groups; m++)
        CAIRN_TRY(draft_member(env, draft, m, left));
    return CAIRN_OK;
}

/// The devices that may share a member. @return how many.
static int find_sharers(const cairn_placing_draft *d, int member, int *device)
{
    int devices = 0;

    for (int k = 0; k < d->question->devices->count && devices < CAIRN_MAX_SHARES; k++)
        if (may_share(d, member, k)) device[devices++] = k;
    return devices;
}

static int first_host(const cairn_devices *devices)
{
    for (int k = 0; k < devices->count; k++)
        if (cairn_device_is_host(&devices->device[k]) && !devices->device[k].lost)
            return k;
    return -1;
}

/// The member that takes longest on device @p device.
static int longest(const cairn_placing_draft *d, int device)
{
    int member = 0;

    for (int m = 1; m < d->question->tensor->groups; m++)
        if (cairn_placing_draft_seconds(d, m)[device]
            > cairn_placing_draft_seconds(d, member)[device])
            member = m;
    return member;
}

/// Divide one member among devices, and leave the others whole.
static cairn_status
divide_one(cairn_placing_draft *d, int member, const int *device, int devices)
{
    cairn_env        *env      = d->question->tensor->env;
    const bool        balanced = may_balance(d, member, device, devices);
    double            part[CAIRN_MAX_SHARES];
    cairn_row_weights w;
    cairn_status      status = CAIRN_OK;

    CAIRN_TRY(cairn_row_weights_init(d->question->tensor, member, &w));
    find_parts(d, member, device, devices, part);
    d->count = 0;
    for (int m = 0; m < d->question->tensor->groups && status == CAIRN_OK; m++)
        if (m != member)
            status = cairn_placing_draft_whole(env, d, m, 0);
        else if (balanced)
            status = divide_balanced(env, d, m, &w, device, devices, false);
        else
            status = divide(env, d, m, &w, device, part, devices);
    cairn_row_weights_fini(&w);
    return status;
}

cairn_status cairn_placing_draft_divide(cairn_placing_draft *draft, bool *divides)
{
    const cairn_local *tensor = draft->question->tensor;
    const int          host   = first_host(draft->question->devices);
    int                device[CAIRN_MAX_SHARES];

    *divides = false;
    if (host < 0 || tensor->groups == 0 || tensor->box[0].lo >= tensor->box[0].hi)
        return CAIRN_OK;
    const int member  = longest(draft, host);
    const int devices = find_sharers(draft, member, device);

    /* Shares that are stored again take time and memory that were not granted. */
    if (devices < 2 || !cairn_row_positions_known(tensor, member)) return CAIRN_OK;
    CAIRN_TRY(divide_one(draft, member, device, devices));
    *divides = draft->count > tensor->groups;
    return CAIRN_OK;
}
