// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// New values of a solver's pattern, in the types that its members' are stored in. What is
/// stored beside the entries is padding, and 0. Members that are as wide as the tensor's type
/// get theirs by a plan's loops; those of others are looked at in strips, all of them
/// before one is stored: where wider ones have no room, all are what they were.

#include "convert/refill/refill_store.h"

#include "convert/refill/refill_move.h"
#include "tensor/value_storage.h"
#include "tensor/value_types.h"

#include <stdatomic.h>
#include <string.h>

/// What the new values of a member are like. Several threads look at them.
typedef struct {
    cairn_group           *group;
    const cairn_layout    *layout;
    bool                   rounds; ///< The format asks for a type that may.
    int64_t                places; ///< That get a value,
    int64_t                stored; ///< of so many.
    double                 first;  ///< One of them.
    _Atomic bool           fits;   ///< The type holds them; of ONE: all are equal.
    _Atomic double         error;  ///< The largest relative one.
    cairn_value_dictionary dictionary;
} member;

static const double padding = 0;

/// One update.
typedef struct {
    cairn_local               *local;
    const cairn_refill_plan   *plan;
    const cairn_refill_values *val;
    bool   plain; ///< Each value goes to one place of the one member.
    int    members;
    member member[CAIRN_MAX_MEMBERS];
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

/// The member of a list; NULL: it is as wide as the type.
static member *narrow_member(update *u, const cairn_refill_list *list)
{
    member *m = &u->member[u->local->part[list->part].where.member];

    return cairn_layout_is_wide(m->layout) ? NULL : m;
}

static void raise_error(member *m, double error)
{
    double most = m->error;

    while (error > most && !atomic_compare_exchange_weak(&m->error, &most, error)) {
    }
}

/// Look at new values.
static void look_at(member *m, const double *value, int n)
{
    const cairn_value_kind kind  = m->layout->values.kind;
    const int              bits  = m->layout->values.bits;
    double                 error = 0;

    if (kind == CAIRN_VALUE_CODE) {
        cairn_value_dictionary_add(&m->dictionary, value, n);
    } else if (kind == CAIRN_VALUE_ONE) {
        if (!cairn_values_are_equal(value, n, m->first)) m->fits = false;
    } else if (m->rounds) {
        if (!cairn_values_round(kind, bits, value, n, &error)) m->fits = false;
        raise_error(m, error);
    } else if (!cairn_values_are_of(kind, bits, value, n)) {
        m->fits = false;
    }
}

/// Store them as words, and put these where they belong.
static void store(const update            *u,
                  const member            *m,
                  const cairn_refill_list *list,
                  int64_t                  first,
                  int                      n,
                  const double            *value)
{
    const cairn_kernel_part *view  = &u->local->part[list->part].view;
    cairn_kernel_part        strip = *view;
    double                   words[CAIRN_REFILL_STRIP / 2]; /* 32 bits at most */

    strip.val = words;
    cairn_values_store(value, n, &m->dictionary, &strip, 0);
    cairn_refill_put(u->plan, list, first, n, words, view);
}

/// Values to look at: those of a plain update in the caller's order, whichever places they
/// go to. @param[out] value  [n] room for them.
static const double *load(const update            *u,
                          const cairn_refill_list *list,
                          int64_t                  first,
                          int                      n,
                          double                  *value)
{
    const int     bits = u->local->value_bits;
    const int64_t at   = list->first + first - (list->array ? u->plan->split : 0);
    const void   *val  = u->val->array[list->array];

    if (!u->plain) {
        cairn_refill_load(u->plan, list, first, n, u->val, bits, value);
        return value;
    }
    if (bits == 64) return (const double *)val + at;
    for (int k = 0; k < n; k++)
        value[k] = ((const float *)val)[at + k];
    return value;
}

/// Look at items of a narrow member, unless its type is known not to hold them, or store
/// them.
static void go_through(const update            *u,
                       member                  *m,
                       const cairn_refill_list *list,
                       int64_t                  lo,
                       int64_t                  hi,
                       bool                     stores)
{
    double value[CAIRN_REFILL_STRIP];

    for (; lo < hi && m->fits; lo += CAIRN_REFILL_STRIP) {
        const int n =
            hi - lo < CAIRN_REFILL_STRIP ? (int)(hi - lo) : CAIRN_REFILL_STRIP;

        if (stores) {
            cairn_refill_load(u->plan, list, lo, n, u->val, u->local->value_bits,
                              value);
            store(u, m, list, lo, n, value);
        } else {
            look_at(m, load(u, list, lo, n, value), n);
        }
    }
}

static void
look_at_items(void *user, const cairn_refill_list *list, int64_t lo, int64_t hi)
{
    member *m = narrow_member(user, list);

    if (m && m->layout->values.kind != CAIRN_VALUE_CODE)
        go_through(user, m, list, lo, hi, false);
}

static void
store_items(void *user, const cairn_refill_list *list, int64_t lo, int64_t hi)
{
    const update            *u    = user;
    member                  *m    = narrow_member(user, list);
    const cairn_kernel_part *view = &u->local->part[list->part].view;

    if (m && m->layout->values.kind != CAIRN_VALUE_ONE
        && !cairn_refill_converts(u->plan, view))
        go_through(user, m, list, lo, hi, true);
}

/// Look at all new values of narrow members: words in their order, others by threads.
static void look(update *u, int threads)
{
    const cairn_refill_plan *plan = u->plan;

    for (int64_t l = 0; l < plan->lists; l++) {
        const cairn_refill_list *list = &plan->list[l];
        member                  *m    = narrow_member(u, list);

        if (m && m->layout->values.kind == CAIRN_VALUE_CODE)
            go_through(u, m, list, 0, list->items, false);
    }
    cairn_refill_deal(plan, u->local->env, threads, look_at_items, u);
}

static void begin(update *u)
{
    cairn_local *local = u->local;

    u->plain = local->groups == 1 && !u->plan->begin;
    for (u->members = 0; u->members < local->groups; u->members++) {
        cairn_group *group = &local->group[u->members];
        member      *m     = &u->member[u->members];

        *m        = (member){.group = group, .layout = group->layout, .fits = true};
        m->rounds = rounds_values(group->layout);
        cairn_value_dictionary_init(&m->dictionary, local->env);
        for (int64_t p = group->first; p < group->first + group->count; p++)
            m->stored += local->part[p].view.values;
        if (group->layout->values.kind == CAIRN_VALUE_CODE)
            m->dictionary.limit = 1 << group->layout->values.bits;
    }
    for (int64_t l = 0; l < u->plan->lists; l++) {
        const cairn_refill_list *list = &u->plan->list[l];
        member                  *m = &u->member[local->part[list->part].where.member];

        if (m->places == 0)
            cairn_refill_load(u->plan, list, 0, 1, u->val, local->value_bits,
                              &m->first);
        m->places += list->items;
    }
}

/// All are equal still: all places have the same new value, and there is no padding that
/// has another.
static bool one_fits(const cairn_local *local, const member *m)
{
    if (m->places == 0) return true;
    const double now = cairn_value_get(&local->part[m->group->first].view, 0);

    return m->fits && (m->places == m->stored || is_same(m->first, now));
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
    cairn_local *local = u->local;

    for (int k = 0; k < u->members; k++) {
        member *m = &u->member[k];

        if (cairn_layout_is_wide(m->layout)) continue;
        if (m->layout->values.kind == CAIRN_VALUE_ONE && m->stored > 0)
            m->fits = one_fits(local, m);
        if (m->layout->values.kind == CAIRN_VALUE_CODE) m->fits = words_fit(m);
        if (m->fits) continue;
        CAIRN_TRY(cairn_group_widen(local, k));
        m->layout             = m->group->layout;
        m->group->value_error = 0;
    }
    return CAIRN_OK;
}

/// Store padding everywhere, as its word.
static void pad(const member *m, const cairn_kernel_part *view)
{
    cairn_kernel_part one  = *view;
    uint16_t          word = 0;

    one.val = &word;
    cairn_values_store(&padding, 1, &m->dictionary, &one, 0);
    if (view->val_bits == 8) word = *(const uint8_t *)&word;
    for (cairn_pos v = 0; v < view->values; v++)
        if (view->val_bits == 8)
            ((uint8_t *)view->val)[v] = (uint8_t)word;
        else
            ((uint16_t *)view->val)[v] = word;
}

/// What narrow members have but once: the one value, the dictionary with padding's code.
static void store_common(const update *u, member *m)
{
    const cairn_part *part = &u->local->part[m->group->first];

    if (m->rounds && !cairn_layout_is_wide(m->layout)) m->group->value_error = m->error;
    if (m->group->count == 0 || m->places == 0) return;
    if (m->layout->values.kind == CAIRN_VALUE_CODE)
        cairn_value_dictionary_write(&m->dictionary, m->layout->values.bits,
                                     (double *)(uintptr_t)part->view.dictionary);
    for (int64_t k = 0; k < m->group->count; k++) {
        const cairn_kernel_part *view = &part[k].view;

        if (m->layout->values.kind == CAIRN_VALUE_ONE && view->values > 0)
            cairn_values_store(&m->first, 1, NULL, view, 0);
        if (m->layout->values.kind == CAIRN_VALUE_CODE && m->places < m->stored)
            pad(m, view);
    }
}

cairn_status cairn_refill_store(cairn_local               *local,
                                const cairn_refill_plan   *plan,
                                const cairn_refill_values *val,
                                int                        threads)
{
    update       u      = {.local = local, .plan = plan, .val = val};
    const bool   narrow = cairn_local_is_narrow(local);
    cairn_status status = CAIRN_OK;

    begin(&u);
    if (narrow) {
        look(&u, threads);
        status = widen(&u);
    }
    for (int k = 0; k < u.members && status == CAIRN_OK; k++)
        store_common(&u, &u.member[k]);
    if (status == CAIRN_OK) {
        cairn_refill_move(u.plan, local, val, threads);
        if (narrow) cairn_refill_deal(u.plan, local->env, threads, store_items, &u);
    }
    for (int k = 0; k < u.members; k++)
        cairn_value_dictionary_fini(&u.member[k].dictionary);
    return status;
}
