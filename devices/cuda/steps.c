// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Steps of a launch: a function, its groups, and what it is given.

#include "devices/cuda/making.h"
#include "devices/part_arguments.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

enum { ALIGNED = 256 };

/// Groups of one start; more take turns.
#define MOST_GROUPS ((int64_t)1 << 30)

typedef cairn_cuda_making making;

static int64_t aligned(int64_t bytes)
{
    return (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
}

static const cairn_part *part_of(const making *m, int64_t k)
{
    return cairn_work_part(&m->p->work, k);
}

/// An address on the card, as arguments have it.
static void *address(cairn_cuda_pointer at)
{
    return (void *)(uintptr_t)at;
}

cairn_cuda_vectors cairn_cuda_vectors_of(const cairn_cuda_product *p)
{
    const cairn_cuda_operand *x = &p->x->on;

    return (cairn_cuda_vectors){x->at - (cairn_cuda_pointer)x->begin, p->y.at};
}

static cairn_grid_args operation(const cairn_cuda_product *p, cairn_cuda_vectors at)
{
    const cairn_product_args a =
        cairn_work_arguments(&p->work, address(at.x), address(at.y));

    return (cairn_grid_args){
#define X(type, name, what) .name = a.name,
        CAIRN_OPERANDS_MAP(X)
#undef X
    };
}

cairn_grid_args cairn_cuda_arguments_of(const cairn_cuda_product *p)
{
    return operation(p, cairn_cuda_vectors_of(p));
}

static void write_address(const cairn_cuda_step *step, int at, const void *address)
{
    if (at >= 0) memcpy((char *)step->arguments + at, &address, sizeof address);
}

void cairn_cuda_point(const cairn_cuda_product *p, cairn_cuda_vectors at)
{
    const cairn_grid_args args = operation(p, at);

    for (int64_t k = 0; k < p->steps + p->stages.count; k++) {
        write_address(&p->step[k], p->step[k].x_at, args.x);
        write_address(&p->step[k], p->step[k].y_at, args.y);
    }
}

/* The block. */

/// The order in which functions are started: lists that are long are done beside the
/// others, and joined.
static const cairn_grid_role order[] = {CAIRN_GRID_LONG, CAIRN_GRID_MAIN,
                                        CAIRN_GRID_JOIN};

/// Where on the card the arrays of the first part's division are.
static cairn_cuda_pointer divisions_at(const cairn_cuda_product *p)
{
    return p->y.at + (cairn_cuda_pointer)aligned(p->y.bytes);
}

static cairn_cuda_pointer
behind_division(const making *m, int64_t k, cairn_cuda_pointer at)
{
    cairn_grid_array_of array[CAIRN_GRID_ARRAYS];
    const int           arrays = cairn_grid_tiles_arrays(&m->tiles[k], array);

    for (int n = 0; n < arrays; n++)
        at += (cairn_cuda_pointer)aligned(array[n].bytes);
    return at;
}

/// Where those of all parts end.
static cairn_cuda_pointer behind_divisions(const making *m)
{
    cairn_cuda_pointer at = divisions_at(m->p);

    for (int64_t k = 0; k < m->parts; k++)
        at = behind_division(m, k, at);
    return at;
}

/// Are functions of part @p k of this role started?
static bool is_started(const making *m, int64_t k, cairn_grid_role role)
{
    return m->entry[role] && m->tiles[k].turns[role] > 0;
}

/// Where a function's start that does several banks says what they are.
typedef struct {
    int64_t banks, groups_at, bytes; ///< Groups before each from this byte on.
} table_shape;

static table_shape table_of(const making *m, cairn_grid_role role)
{
    table_shape t = {.banks = 0};

    for (int64_t k = 0; k < m->parts; k++)
        t.banks += is_started(m, k, role);
    t.groups_at = t.banks * m->kernel.function[role].bytes;
    t.bytes     = m->joined && t.banks > 0
                      ? t.groups_at + (t.banks + 1) * (int64_t)sizeof(uint32_t)
                      : 0;
    return t;
}

int64_t cairn_cuda_steps_bytes(const making *m)
{
    int64_t bytes = (int64_t)behind_divisions(m) - (int64_t)m->p->y.at;

    for (int r = 0; r < CAIRN_GRID_FUNCTIONS; r++)
        bytes += aligned(table_of(m, r).bytes);
    return bytes;
}

/* Arguments. */

static const size_t field_at[] = {
#define X(type, name, what) offsetof(cairn_grid_args, name),
    CAIRN_GRID_MAP(X)
#undef X
};

/// Where the arrays of part @p k's division are, from @p at on.
static void
use_arrays(const making *m, int64_t k, cairn_cuda_pointer at, cairn_grid_args *args)
{
    cairn_grid_array_of array[CAIRN_GRID_ARRAYS];
    const int           arrays = cairn_grid_tiles_arrays(&m->tiles[k], array);

    for (int n = 0; n < arrays; n++) {
        void *const here = address(at);

        memcpy((char *)args + field_at[array[n].field], &here, sizeof here);
        at += (cairn_cuda_pointer)aligned(array[n].bytes);
    }
}

/// Is it an array of the arguments, this one?
static bool is_field(const cairn_kernel_parameter *parameter, cairn_grid_field field)
{
    return parameter->what != CAIRN_PARAMETER_NUMBER
           && parameter->field.source == CAIRN_IR_ARG
           && parameter->field.level == (int)field;
}

/// One field of the struct that a function is given.
static void write_argument(const making                 *m,
                           int64_t                       part,
                           const cairn_part_arguments   *from,
                           const cairn_kernel_parameter *parameter,
                           char                         *arguments)
{
    cairn_cuda_pointer at = 0;
    int64_t            begin;

    if (parameter->what == CAIRN_PARAMETER_NUMBER) {
        const cairn_kernel_number number = cairn_part_arguments_number(from, parameter);

        memcpy(arguments + parameter->offset, &number.integer, number.bytes);
        return;
    }
    if (parameter->field.source == CAIRN_IR_ARG) {
        memcpy(&at, (const char *)from->args + field_at[parameter->field.level],
               sizeof(void *));
    } else {
        const int k = cairn_part_arguments_array(from, parameter->field, &begin);

        if (k >= 0)
            at = cairn_cuda_array(m->p->arrays, part, k) + (cairn_cuda_pointer)begin;
    }
    memcpy(arguments + parameter->offset, &at, sizeof at);
}

/// Groups of a function that does so many turns.
static int64_t
groups_of(const making *m, cairn_grid_role role, const cairn_grid_args *args)
{
    const int64_t groups = cairn_grid_groups(&m->grid, role, args->to - args->from,
                                             m->p->work.op->columns);

    return groups < MOST_GROUPS ? groups : MOST_GROUPS;
}

/// The struct of function @p role for part @p k, of the turns that @p args say.
static void write_arguments(const making          *m,
                            int64_t                k,
                            cairn_grid_role        role,
                            const cairn_grid_args *args,
                            char                  *bytes)
{
    const cairn_cuda_function *function = &m->kernel.function[role];
    cairn_part_arguments       from;

    cairn_part_arguments_init(&from, part_of(m, k), CAIRN_ABI_GRID, args);
    for (int n = 0; n < function->parameters; n++)
        write_argument(m, k, &from, &function->parameter[n], bytes);
}

/// The start of function @p role for part @p k, of the turns that @p args say.
static cairn_status make_step(making                *m,
                              int64_t                k,
                              cairn_grid_role        role,
                              const cairn_grid_args *args,
                              cairn_cuda_step       *made)
{
    const cairn_cuda_function *function = &m->kernel.function[role];
    cairn_cuda_step            step     = {.function = m->entry[role],
                                           .groups   = (unsigned)groups_of(m, role, args),
                                           .beside   = role == CAIRN_GRID_LONG
                                                     && is_started(m, k, CAIRN_GRID_MAIN),
                                           .x_at = -1,
                                           .y_at = -1};
    char                      *bytes    = NULL;

    CAIRN_TRY(CAIRN_NEW_ZERO(m->p->device->env, function->bytes + 1, &bytes));
    write_arguments(m, k, role, args, bytes);
    for (int n = 0; n < function->parameters; n++) {
        const cairn_kernel_parameter *parameter = &function->parameter[n];

        if (is_field(parameter, CAIRN_GRID_x)) step.x_at = parameter->offset;
        if (is_field(parameter, CAIRN_GRID_y)) step.y_at = parameter->offset;
    }
    step.arguments = bytes;
    *made          = step;
    return CAIRN_OK;
}

/// The arguments of function @p role for part @p k, whose division is at @p at.
static cairn_grid_args
args_of(const making *m, int64_t k, cairn_grid_role role, cairn_cuda_pointer at)
{
    cairn_grid_args args = cairn_cuda_arguments_of(m->p);

    cairn_grid_tiles_use(&m->tiles[k], role, &args);
    use_arrays(m, k, at, &args);
    return args;
}

/// All starts, part by part.
static cairn_status add_steps(making *m)
{
    cairn_cuda_product *p  = m->p;
    cairn_cuda_pointer  at = divisions_at(p);

    for (int64_t k = 0; k < m->parts; k++) {
        for (int r = 0; r < CAIRN_GRID_FUNCTIONS; r++) {
            if (!is_started(m, k, order[r])) continue;
            const cairn_grid_args args = args_of(m, k, order[r], at);

            CAIRN_TRY(make_step(m, k, order[r], &args, &p->step[p->steps]));
            p->steps++;
        }
        at = behind_division(m, k, at);
    }
    return CAIRN_OK;
}

/// Fill the table of function @p role: the arguments of each bank, and the groups before
/// it. @return The groups of all banks.
static int64_t fill_table(making *m, cairn_grid_role role, const table_shape *t)
{
    const int          bytes  = m->kernel.function[role].bytes;
    char *const        table  = m->table[role];
    uint32_t *const    before = (uint32_t *)(void *)(table + t->groups_at);
    cairn_cuda_pointer at     = divisions_at(m->p);
    int64_t            groups = 0, n = 0;

    for (int64_t k = 0; k < m->parts; k++) {
        if (is_started(m, k, role)) {
            const cairn_grid_args args = args_of(m, k, role, at);
            const int64_t         own  = groups_of(m, role, &args),
                          most         = MOST_GROUPS / t->banks;

            write_arguments(m, k, role, &args, table + n * bytes);
            before[n++] = (uint32_t)groups;
            groups += own < most ? own : most; /* the others are turns of these */
        }
        at = behind_division(m, k, at);
    }
    before[n] = (uint32_t)groups;
    return groups;
}

/// The start of function @p role for all banks, whose table is at @p at.
static cairn_status make_joined_step(making            *m,
                                     cairn_grid_role    role,
                                     const table_shape *t,
                                     cairn_cuda_pointer at)
{
    cairn_env        *env  = m->p->device->env;
    cairn_cuda_step  *step = &m->p->step[m->p->steps];
    cairn_cuda_banks *told = NULL;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, t->bytes, &m->table[role]));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &told));
    *told = (cairn_cuda_banks){.bank  = at,
                               .group = at + (cairn_cuda_pointer)t->groups_at,
                               .banks = (uint64_t)t->banks};
    *step = (cairn_cuda_step){.function = m->entry[role],
                              .groups   = (unsigned)fill_table(m, role, t),
                              .beside   = role == CAIRN_GRID_LONG
                                        && table_of(m, CAIRN_GRID_MAIN).banks > 0,
                              .arguments = told,
                              .x_at      = offsetof(cairn_cuda_banks, x),
                              .y_at      = offsetof(cairn_cuda_banks, y)};
    m->p->steps++;
    return CAIRN_OK;
}

/// All starts, each of which does all banks.
static cairn_status add_joined_steps(making *m)
{
    cairn_cuda_pointer at = behind_divisions(m);

    for (int r = 0; r < CAIRN_GRID_FUNCTIONS; r++) {
        const table_shape t = table_of(m, order[r]);

        if (t.bytes > 0) CAIRN_TRY(make_joined_step(m, order[r], &t, at));
        at += (cairn_cuda_pointer)aligned(t.bytes);
    }
    return CAIRN_OK;
}

/// The starts of stages, where the product has some: of the turns of its only step.
static cairn_status add_stages(making *m)
{
    cairn_cuda_product *p    = m->p;
    cairn_grid_args     args = cairn_cuda_arguments_of(p);
    cairn_cuda_stages   found;

    if (p->steps != 1 || m->parts != 1 || p->keeps || p->clears) return CAIRN_OK;
    assert(cairn_work_rows_out(&p->work) > 0); /* there is a step */
    CAIRN_TRY(cairn_cuda_stages_find(p->device, &p->work, &m->grid, &m->tiles[0],
                                     p->y.bytes / cairn_work_rows_out(&p->work),
                                     &found));
    cairn_grid_tiles_use(&m->tiles[0], CAIRN_GRID_MAIN, &args);
    use_arrays(m, 0, divisions_at(p), &args);
    for (int k = 0; k < found.count; k++) {
        args.from = k > 0 ? found.stage[k - 1].turn : 0;
        args.to   = found.stage[k].turn;
        CAIRN_TRY(make_step(m, 0, CAIRN_GRID_MAIN, &args, &p->step[p->steps + k]));
        p->stages.stage[k] = found.stage[k];
        p->stages.count    = k + 1;
    }
    return cairn_cuda_stages_open(p->device, &p->stages);
}

cairn_status cairn_cuda_steps_make(making *m)
{
    CAIRN_TRY(CAIRN_NEW_ZERO(m->p->device->env,
                             m->parts * CAIRN_GRID_FUNCTIONS + CAIRN_CUDA_STAGES,
                             &m->p->step));
    if (m->joined) return add_joined_steps(m);
    CAIRN_TRY(add_steps(m));
    return add_stages(m);
}

cairn_status cairn_cuda_steps_bring(const making *m)
{
    cairn_cuda_product *p  = m->p;
    cairn_cuda_pointer  at = divisions_at(p);
    cairn_grid_array_of array[CAIRN_GRID_ARRAYS];
    cairn_cuda_ring     ring;

    if (at == p->y.at + (cairn_cuda_pointer)p->bytes) return CAIRN_OK;
    const cairn_status status = cairn_cuda_ring_open(p->device, p->bytes, &ring);

    for (int64_t k = 0; k < m->parts && status == CAIRN_OK; k++) {
        const int arrays = cairn_grid_tiles_arrays(&m->tiles[k], array);

        for (int n = 0; n < arrays; n++) {
            if (array[n].data)
                cairn_cuda_ring_gather(&ring, at, array[n].data, array[n].bytes);
            at += (cairn_cuda_pointer)aligned(array[n].bytes);
        }
    }
    for (int r = 0; r < CAIRN_GRID_FUNCTIONS && status == CAIRN_OK; r++) {
        const table_shape t = table_of(m, order[r]);

        if (t.bytes > 0) cairn_cuda_ring_gather(&ring, at, m->table[order[r]], t.bytes);
        at += (cairn_cuda_pointer)aligned(t.bytes);
    }
    return cairn_cuda_ring_close(&ring, status);
}
