// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Statements in the interpreter, and what a run is given.

#include "ir/ir_run.h"

#include "ir/ir_code.h"
#include "share/abi.h"

#include <string.h>

/* ---- what it is given ---- */

static const cairn_kernel_part *part_of(const cairn_kernel_part *const parts[2],
                                        cairn_ir_field                 field)
{
    return parts[field.part == 1];
}

/// Where a field of the arguments stands.
static const char *argument(int abi, const void *args, int field)
{
    static const size_t product[] = {
#define X(type, name, what) offsetof(cairn_product_args, name),
        CAIRN_PRODUCT_MAP(X)
#undef X
    };
    static const size_t convert[] = {
#define X(type, name, what) offsetof(cairn_convert_args, name),
        CAIRN_CONVERT_MAP(X)
#undef X
    };
    static const size_t grid[] = {
#define X(type, name, what) offsetof(cairn_grid_args, name),
        CAIRN_GRID_MAP(X)
#undef X
    };
    static const size_t grid_convert[] = {
#define X(type, name, what) offsetof(cairn_grid_convert_args, name),
        CAIRN_GRID_CONVERT_MAP(X)
#undef X
    };
    static const size_t *const offset[] = {[CAIRN_ABI_PRODUCT]      = product,
                                           [CAIRN_ABI_CONVERT]      = convert,
                                           [CAIRN_ABI_GRID]         = grid,
                                           [CAIRN_ABI_GRID_CONVERT] = grid_convert};

    return (const char *)args + offset[abi][field];
}

static void *pointer(const cairn_kernel_part *part, cairn_ir_field field)
{
    switch (field.source) {
    case CAIRN_IR_LEVEL_PTR: return (void *)part->level[field.level].ptr;
    case CAIRN_IR_LEVEL_IDX: return (void *)part->level[field.level].idx;
    case CAIRN_IR_DICTIONARY: return (void *)part->dictionary;
    default: return part->val;
    }
}

static int64_t scalar(const cairn_kernel_part *part, cairn_ir_field field)
{
    switch (field.source) {
    case CAIRN_IR_LEVEL_LO: return part->level[field.level].lo;
    case CAIRN_IR_LEVEL_SIZE: return part->level[field.level].size;
    case CAIRN_IR_LEVEL_NODES: return part->level[field.level].nodes;
    case CAIRN_IR_LEVEL_HOLE: return part->level[field.level].hole;
    case CAIRN_IR_VALUES: return part->values;
    default: return part->bank;
    }
}

/// Put constants and parameters into their cells.
static void
give(cairn_ir_machine *m, const cairn_kernel_part *const parts[2], const void *args)
{
    for (const cairn_ir_given *g = m->code->given; g; g = g->next) {
        cairn_ir_cell *const           cell = m->cell + g->cell;
        const cairn_kernel_part *const part = part_of(parts, g->field);

        *cell = g->value;
        if (g->op != CAIRN_IR_PARAM) continue;
        if (g->field.source == CAIRN_IR_ARG) {
            memcpy(cell, argument(m->code->abi, args, g->field.level), sizeof *cell);
            if (g->type == CAIRN_IR_F32) cell->d = (float)cell->d;
        } else if (part) {
            cell->i = scalar(part, g->field);
        } else {
            cairn_ir_machine_fail(m, "it needs a part that it was not given", NULL);
        }
    }
}

/// Find where the arrays are, and their limits.
static void find_arrays(cairn_ir_machine              *m,
                        const cairn_kernel_part *const parts[2],
                        const void                    *args,
                        const cairn_ir_watch          *watch)
{
    for (const cairn_ir_code_array *a = m->code->array; a; a = a->next) {
        cairn_ir_span *const           span = &m->span[a->number];
        const cairn_kernel_part *const part = part_of(parts, a->field);

        *span = (cairn_ir_span){.base = NULL};
        if (a->length > 0) continue;
        if (a->field.source == CAIRN_IR_ARG)
            memcpy(&span->base, argument(m->code->abi, args, a->field.level),
                   sizeof span->base);
        else if (part)
            span->base = pointer(part, a->field);
        if (!span->base) continue;
        span->first = INT64_MIN;
        span->end   = INT64_MAX;
        if (!watch || !watch->length) continue;
        span->first = watch->first ? watch->first(watch->user, a->field) : 0;
        span->end   = watch->length(watch->user, a->field);
    }
}

/* ---- statements ---- */

static void run_block(cairn_ir_machine *m, const cairn_ir_action *block);

/// Set a variable; without a value to 0.
static void set(cairn_ir_machine *m, const cairn_ir_action *s)
{
    cairn_ir_cell *const cell = m->cell + s->cell;

    if (!s->a)
        memset(cell, 0, (size_t)s->lanes * sizeof *cell);
    else if (s->lanes == 1)
        *cell = cairn_ir_value(m, s->a);
    else
        memmove(cell, cairn_ir_lanes(m, s->a), (size_t)s->lanes * sizeof *cell);
}

/// An index that cannot be computed has closed all arrays.
static void store(cairn_ir_machine *m, const cairn_ir_action *s)
{
    const int64_t first = cairn_ir_value(m, s->a).i;

    if (s->lanes == 1) {
        cairn_ir_put(m, s->array, first, cairn_ir_value(m, s->b));
        return;
    }
    const cairn_ir_cell *const lane = cairn_ir_lanes(m, s->b);

    for (int n = 0; n < s->lanes; n++)
        cairn_ir_put(m, s->array, first + n, lane[n]);
}

/// The turn that is the @p k-th of @p n in an order: one that begins anywhere and takes
/// steps that have no divisor in common with n comes to each once.
static int64_t turn_at(uint64_t order, int64_t k, int64_t n)
{
    const uint64_t seed  = order * UINT64_C(0x9e3779b97f4a7c15);
    int64_t        steps = (int64_t)(seed >> 33) % n + 1, a, b;

    if (order == 0) return k;
    if (order == 1) return n - 1 - k;
    for (;; steps++) {
        for (a = n, b = steps; b > 0;) {
            const int64_t rest = a % b;

            a = b;
            b = rest;
        }
        if (a == 1) break;
    }
    return (int64_t)(((__int128)k * steps + (int64_t)(seed & INT32_MAX)) % n);
}

/// Turns of groups or of items, in the order that is asked for. Arrays that groups share
/// are filled with a value that is never stored, so that what is read before it is stored
/// is seen.
static void run_dealt(cairn_ir_machine *m, const cairn_ir_action *s)
{
    const int64_t        lo = cairn_ir_value(m, s->a).i, hi = cairn_ir_value(m, s->b).i;
    const int64_t        turns = hi > lo ? (hi - lo - 1) / s->step + 1 : 0;
    const cairn_ir_touch outer = m->now;

    for (int64_t k = 0; k < turns && !m->done; k++) {
        const int64_t turn = turn_at(m->watch ? m->watch->order : 0, k, turns);

        m->cell[s->cell].i = lo + turn * s->step;
        if (s->turns == CAIRN_TURNS_ITEMS) {
            m->now.item = turn;
        } else {
            m->now.group = outer.group < 0 ? turn : outer.group * turns + turn;
            m->now.phase++;
            memset(m->shared, 0xa5, (size_t)m->code->shared);
        }
        run_block(m, s->body);
    }
    m->now.group = outer.group;
    m->now.item  = outer.item;
    if (s->turns == CAIRN_TURNS_GROUPS) m->now.phase++;
}

static void run_for(cairn_ir_machine *m, const cairn_ir_action *s)
{
    if (s->turns == CAIRN_TURNS_GROUPS || s->turns == CAIRN_TURNS_ITEMS) {
        run_dealt(m, s);
        return;
    }
    const int64_t lo = cairn_ir_value(m, s->a).i, hi = cairn_ir_value(m, s->b).i;

    for (int64_t i = lo; i < hi && !m->done;) {
        m->cell[s->cell].i = i;
        run_block(m, s->body);
        if (__builtin_add_overflow(i, s->step, &i)) break;
    }
}

static void run_action(cairn_ir_machine *m, const cairn_ir_action *s)
{
    switch (s->kind) {
    case CAIRN_IR_DECLARE:
    case CAIRN_IR_ASSIGN: set(m, s); break;
    case CAIRN_IR_STORE: store(m, s); break;
    case CAIRN_IR_FOR: run_for(m, s); break;
    case CAIRN_IR_WHILE:
        while (cairn_ir_value(m, s->a).i && !m->done)
            run_block(m, s->body);
        break;
    case CAIRN_IR_IF:
        run_block(m, cairn_ir_value(m, s->a).i ? s->body : s->other);
        break;
    case CAIRN_IR_PREFETCH: cairn_ir_value(m, s->a); break;
    case CAIRN_IR_NOTE: break;
    case CAIRN_IR_SHARED:
        m->span[s->array->number] =
            (cairn_ir_span){m->shared + s->array->own, 0, s->array->length};
        break;
    case CAIRN_IR_BARRIER: m->now.phase++; break;
    case CAIRN_IR_ADD_INTEGER:
        cairn_ir_increase(m, s->array, cairn_ir_value(m, s->a).i,
                          cairn_ir_value(m, s->b).i);
        break;
    case CAIRN_IR_RETURN:
        m->result = cairn_ir_value(m, s->a).i;
        m->done   = true;
        break;
    }
}

static void run_block(cairn_ir_machine *m, const cairn_ir_action *block)
{
    for (const cairn_ir_action *s = block; s && !m->done; s = s->next) {
        if (m->steps++ >= m->most) cairn_ir_machine_fail(m, "too many steps", NULL);
        if (!m->done) run_action(m, s);
    }
}

/* ---- all ---- */

/// Run with cells and spans there.
static void run(cairn_ir_machine              *m,
                const cairn_kernel_part *const parts[2],
                const void                    *args,
                const cairn_ir_watch          *watch)
{
    m->most  = watch && watch->most_steps > 0 ? watch->most_steps : INT64_MAX;
    m->watch = watch;
    m->now   = (cairn_ir_touch){.group = -1, .item = -1};
    find_arrays(m, parts, args, watch);
    give(m, parts, args);
    run_block(m, m->code->body);
}

cairn_status cairn_ir_code_run(cairn_env               *env,
                               const cairn_ir_code     *code,
                               const cairn_kernel_part *from,
                               cairn_kernel_part       *to,
                               const void              *args,
                               cairn_ir_watch          *watch,
                               int64_t                 *result)
{
    const cairn_kernel_part *const parts[2] = {from, to};
    const int64_t                  cells = code->cells * (int64_t)sizeof(cairn_ir_cell);
    const int64_t    spans = code->arrays * (int64_t)sizeof(cairn_ir_span);
    cairn_ir_machine m     = {.env = env, .code = code};

    if (cairn_alloc(env, cells + spans + code->shared, 1, (void **)&m.cell)
        != CAIRN_OK) {
        *result = -1;
        return CAIRN_OK;
    }
    m.span   = (cairn_ir_span *)(m.cell + code->cells);
    m.shared = (char *)m.span + spans;
    run(&m, parts, args, watch);
    cairn_free(env, m.cell);
    if (watch) watch->steps = m.steps;
    CAIRN_CHECK(!m.why, env, CAIRN_BAD_ARGUMENT, "kernel: %s: %s%s%s", code->name,
                m.what ? m.what : "", m.what ? ": " : "", m.why);
    *result = m.result;
    return CAIRN_OK;
}
