// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Plans on a card of the driver that pretends (tests/fake_cuda): a context with the
/// processor and a card, matrices, plans at places.

#ifndef CAIRN_TESTS_SUPPORT_CARD_PLANS_H
#define CAIRN_TESTS_SUPPORT_CARD_PLANS_H

#include "devices/cuda/device.h"
#include "support/device_work.h"
#include "support/fake_cuda.h"

static fake_cuda      fake;
static cairn_context *context;

/// Begin with settings of the driver's. @return false: it is not here.
static inline bool begin(const char *settings)
{
    setenv("FAKE_CUDA", settings, 1);
    if (!fake_cuda_find(&fake)) return false;
    cr_assert_eq(cairn_context_create(&context), CAIRN_OK);
    snprintf(context->env.options.devices, sizeof context->env.options.devices,
             "cpu,cuda");
    must_settle(context);
    return true;
}

#define BEGIN(settings) \
    if (!begin(settings)) cr_skip_test("the pretended driver is not here")

/// Nothing is left on the card.
static inline void end(void)
{
    cairn_context_destroy(&context);
    cr_expect_eq(fake.alive(), 0, "%d things left", fake.alive());
    cr_expect_eq(fake.depth(), 0, "the context of a thread is another");
}

/// Has the pretended card room for a tensor's values, and time for its plans? Positions may be
/// millions, few of them entries, and the driver guards all of their pages at every call;
/// banks may be ten thousands, each with a kernel's start of its own, which takes the driver
/// a third of a millisecond (an item is a stack of its own there).
static inline bool fits_on_card(const cairn_tensor *tensor)
{
    enum { MOST = 1 << 21, MOST_STARTS = 1 << 12 };
    int64_t values = 0, starts = 0;

    for (int64_t p = 0; p < tensor->local->parts; p++) {
        values += tensor->local->part[p].view.values;
        starts += tensor->local->part[p].view.values > 0;
    }
    return values <= MOST && starts <= MOST_STARTS;
}

/// Entries while they are collected.
typedef struct {
    int64_t rows, columns, n;
    int64_t coord[2 * 40000];
    double  value[40000];
} entries;

static inline void put(entries *e, int64_t i, int64_t j)
{
    e->coord[2 * e->n]     = i;
    e->coord[2 * e->n + 1] = j;
    e->value[e->n]         = 1 + (double)(e->n % 61) / 7;
    e->n++;
}

static inline cairn_source *source_of(const entries *e)
{
    const int64_t extent[2] = {e->rows, e->columns};
    cairn_source *source;

    MUST(context, cairn_source_from_coords(context, 2, extent, e->n, e->coord, e->value,
                                           CAIRN_BY_ROWS, &source));
    return source;
}

static inline cairn_plan *
plan_of(cairn_tensor *tensor, const char *place, const cairn_product_options *op)
{
    const cairn_plan_options options = {
        .size = sizeof options, .product = op, .place = place, .reproducible = true};
    cairn_plan *plan = NULL;

    MUST(context, cairn_plan_create_with(tensor, &options, &plan));
    return plan;
}

/// The card as it was before it failed.
static inline void mend(void)
{
    cairn_device *card = &context->devices->device[1];

    fake.mend();
    card->lost                = false;
    cairn_cuda_of(card)->loss = (cairn_cuda_loss){.lost = false};
}

#endif
