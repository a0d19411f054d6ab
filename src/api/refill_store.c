// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// New values of a solver's pattern, in the types that its members' are stored in. What is
/// stored beside the entries is padding, and 0. Members that are as wide as the tensor's type
/// get theirs by a plan's loops; in others each value is looked at.

#include "api/refill_move.h"
#include "api/solver_rows.h"
#include "tensor/value_storage.h"
#include "tensor/value_types.h"

#include <math.h>
#include <string.h>

/// What the new values of a member are like.
typedef struct {
    cairn_group           *group;
    const cairn_layout    *layout;
    bool                   fits;
    bool                   rounds; ///< The format asks for a type that may.
    int64_t                places; ///< That get one,
    int64_t                stored; ///< of so many.
    double                 first;  ///< One of them,
    bool                   alike;  ///< and all are equal.
    double                 error;
    cairn_value_dictionary dictionary;
} member;

static const double padding = 0;

/// One update.
typedef struct {
    cairn_tensor            *tensor;
    const cairn_refill_plan *plan;
    const void              *val;
    int                      members;
    member                   member[CAIRN_MAX_MEMBERS];
} update;

static bool is_same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/// Does the format ask for a type that rounds?
static bool rounds_values(const cairn_layout *layout)
{
    const cairn_val_type asked = layout->encoding->val;

    return !cairn_layout_is_wide(layout)
           && (asked == CAIRN_VAL_F16 || asked == CAIRN_VAL_BF16
               || asked == CAIRN_VAL_F32);
}

/// Does the type, to which the format lets values be rounded, have one near this?
static bool rounds(member *m, double value)
{
    const double near =
        cairn_value_nearest(m->layout->value_kind, m->layout->value_bits, value);

    if (isfinite(value) && !isfinite(near)) return false;
    if (isfinite(value) && value != 0)
        m->error = fmax(m->error, fabs((near - value) / value));
    return true;
}

static void look_at(member *m, double value)
{
    const cairn_layout *layout = m->layout;

    if (m->places++ == 0) m->first = value;
    switch (layout->value_kind) {
    case CAIRN_VALUE_ONE: m->alike = m->alike && is_same(value, m->first); break;
    case CAIRN_VALUE_CODE: cairn_value_dictionary_add(&m->dictionary, &value, 1); break;
    default:
        m->fits = m->fits
                  && (m->rounds ? rounds(m, value)
                                : cairn_value_is_of(layout->value_kind,
                                                    layout->value_bits, value));
    }
}

static void put(member *m, const cairn_kernel_part *view, cairn_pos at, double value)
{
    if (m->layout->value_kind != CAIRN_VALUE_ONE)
        cairn_values_store(&value, 1, &m->dictionary, view, at);
}

/// Look at the new values of narrow members, or store them.
static void go_through(update *u, bool stores)
{
    const cairn_local       *local = u->tensor->local;
    const cairn_refill_plan *plan  = u->plan;

    for (int64_t l = 0; l < plan->lists; l++) {
        const cairn_refill_list *list = &plan->list[l];
        const cairn_refill_run  *run  = list->run;
        const cairn_part        *part = &local->part[list->part];
        member                  *m    = &u->member[part->where.member];

        for (int64_t k = 0; k < list->items && !cairn_layout_is_wide(m->layout); k++) {
            if (k == run[1].item) run++;
            const double value =
                cairn_refill_value(plan, list, run, k, u->val, local->value_bits);

            if (stores)
                put(m, &part->view, cairn_refill_place(plan, list, run, k), value);
            else
                look_at(m, value);
        }
    }
}

static void begin(update *u)
{
    cairn_local *local = u->tensor->local;

    for (u->members = 0; u->members < local->groups; u->members++) {
        cairn_group *group = &local->group[u->members];
        member      *m     = &u->member[u->members];

        *m = (member){
            .group = group, .layout = group->layout, .fits = true, .alike = true};
        m->rounds = rounds_values(group->layout);
        cairn_value_dictionary_init(&m->dictionary, local->env);
        for (int64_t p = group->first; p < group->first + group->count; p++)
            m->stored += local->part[p].view.values;
        if (group->layout->value_kind == CAIRN_VALUE_CODE)
            m->dictionary.limit = 1 << group->layout->value_bits;
    }
}

/// All are equal still: all places have the same new value, and there is no padding that
/// has another.
static bool one_fits(const cairn_local *local, const member *m)
{
    if (m->places == 0) return true;
    const double now = cairn_value_get(&local->part[m->group->first].view, 0);

    return m->alike && (m->places == m->stored || is_same(m->first, now));
}

/// Is there room in a new dictionary, with padding?
static bool words_fit(member *m)
{
    if (m->places < m->stored) cairn_value_dictionary_add(&m->dictionary, &padding, 1);
    return !m->dictionary.full;
}

/// Widen members whose type does not hold the new values.
static cairn_status widen(update *u)
{
    cairn_local *local = u->tensor->local;

    for (int k = 0; k < u->members; k++) {
        member *m = &u->member[k];

        if (cairn_layout_is_wide(m->layout)) continue;
        if (m->layout->value_kind == CAIRN_VALUE_ONE && m->stored > 0)
            m->fits = one_fits(local, m);
        if (m->layout->value_kind == CAIRN_VALUE_CODE) m->fits = words_fit(m);
        if (m->fits) continue;
        CAIRN_TRY(cairn_group_widen(local, k));
        m->layout             = m->group->layout;
        m->group->value_error = 0;
    }
    return CAIRN_OK;
}

/// What narrow members have but once: the one value, the dictionary with padding's code.
static void store_common(const update *u, member *m)
{
    const cairn_part *part = &u->tensor->local->part[m->group->first];

    if (m->rounds && !cairn_layout_is_wide(m->layout)) m->group->value_error = m->error;
    if (m->group->count == 0 || m->places == 0) return;
    if (m->layout->value_kind == CAIRN_VALUE_CODE)
        cairn_value_dictionary_write(&m->dictionary, m->layout->value_bits,
                                     (double *)(uintptr_t)part->view.dictionary);
    for (int64_t k = 0; k < m->group->count; k++) {
        const cairn_kernel_part *view = &part[k].view;

        if (m->layout->value_kind == CAIRN_VALUE_ONE && view->values > 0)
            cairn_values_store(&m->first, 1, NULL, view, 0);
        if (m->layout->value_kind == CAIRN_VALUE_CODE && m->places < m->stored)
            for (cairn_pos v = 0; v < view->values; v++)
                cairn_values_store(&padding, 1, &m->dictionary, view, v);
    }
}

cairn_status cairn_refill_store(cairn_tensor *tensor, const void *val)
{
    update       u      = {.tensor = tensor, .plan = tensor->refill->plan, .val = val};
    const bool   narrow = cairn_local_is_narrow(tensor->local);
    cairn_status status = CAIRN_OK;

    begin(&u);
    if (narrow) {
        go_through(&u, false);
        status = widen(&u);
    }
    for (int k = 0; k < u.members && status == CAIRN_OK; k++)
        store_common(&u, &u.member[k]);
    if (status == CAIRN_OK) {
        cairn_refill_move(u.plan, tensor->local, val,
                          cairn_context_threads(tensor->context));
        if (narrow) go_through(&u, true);
    }
    for (int k = 0; k < u.members; k++)
        cairn_value_dictionary_fini(&u.member[k].dictionary);
    return status;
}
