// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Plans of the small matrix with members divided among devices: plans at places, runs
/// that are checked, lists of parts.

#ifndef CAIRN_TESTS_SUPPORT_SHARES_H
#define CAIRN_TESTS_SUPPORT_SHARES_H

#include "support/device_file.h"

static inline cairn_plan *
make_plan(cairn_tensor *tensor, const operands *o, const char *place)
{
    const cairn_plan_options options = {
        .size = sizeof(cairn_plan_options), .product = &o->op, .place = place};
    cairn_plan *plan = NULL;

    cr_assert_eq(cairn_plan_create_with(tensor, &options, &plan), CAIRN_OK, "%s: %s",
                 place, cairn_context_message(context));
    return plan;
}

static inline void run(cairn_plan *plan, operands *o, const char *text)
{
    const bool f32 = o->dtype == CAIRN_F32;

    fill(o);
    MUST(context, cairn_plan_run(plan, f32 ? (void *)o->x32 : (void *)o->x,
                                 f32 ? (void *)o->y32 : (void *)o->y));
    check(o, text);
}

/// The parts of a plan.
typedef struct {
    int64_t          count;
    cairn_plan_part *part;
} listing;

static inline listing list(const cairn_plan *plan)
{
    listing l;

    MUST(context, cairn_plan_parts(plan, &l.count, &l.part));
    return l;
}

#endif
