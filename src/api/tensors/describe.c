// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The structure of a source, over all ranks.

#include "api/door.h"
#include "comm/collective.h"
#include "tensor/statistics.h"
#include "tensor/value_types.h"

#include <math.h>
#include <string.h>

/// Count distinct diagonals over all ranks: each diagonal goes to one rank, that of its
/// remainder, and is counted there.
static cairn_status
count_diagonals(cairn_comm *comm, const cairn_statistics *s, int64_t *count)
{
    cairn_env   *env  = comm->env;
    int64_t     *send = NULL, *counts = NULL, *at = NULL, *recv = NULL, n = 0;
    cairn_status status = CAIRN_NEW(env, s->diagonals, &send);

    if (status == CAIRN_OK) status = CAIRN_NEW_ZERO(env, 2 * comm->size, &counts);
    if (status == CAIRN_OK) status = CAIRN_NEW_ZERO(env, comm->size + 1, &at);
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    for (int64_t k = 0; k < s->diagonals; k++)
        counts[cairn_floor_mod(s->diagonal[k], comm->size)]++;
    for (int r = 0; r < comm->size; r++)
        at[r + 1] = at[r] + counts[r];
    for (int64_t k = 0; k < s->diagonals; k++)
        send[at[cairn_floor_mod(s->diagonal[k], comm->size)]++] = s->diagonal[k];
    CAIRN_GO(done, cairn_comm_exchange(comm, send, counts, sizeof *send, (void **)&recv,
                                       counts + comm->size));
    for (int r = 0; r < comm->size; r++)
        n += counts[comm->size + r];
    *count = cairn_distinct(recv, n);
    status = comm->ops->allreduce(comm, count, 1, CAIRN_SUM);
done:
    cairn_free(env, send);
    cairn_free(env, counts);
    cairn_free(env, at);
    cairn_free(env, recv);
    return status;
}

static cairn_status
combine(const cairn_source *source, const cairn_statistics *s, cairn_source_info *info)
{
    cairn_comm *comm   = source->context->comm;
    int64_t     sum[2] = {s->nnz, s->filled_rows};
    int64_t     max[3] = {s->max_row, s->bandwidth_lower, s->bandwidth_upper};

    CAIRN_TRY(comm->ops->allreduce(comm, sum, 2, CAIRN_SUM));
    CAIRN_TRY(comm->ops->allreduce(comm, max, 3, CAIRN_MAX));
    info->nnz       = sum[0];
    info->diagonals = info->max_row = info->empty_rows = -1;
    info->bandwidth_lower = info->bandwidth_upper = -1;
    if (source->shape.order != 2) return CAIRN_OK;
    info->max_row         = max[0];
    info->empty_rows      = source->shape.extent[0] - sum[1];
    info->bandwidth_lower = max[1];
    info->bandwidth_upper = max[2];
    return count_diagonals(comm, s, &info->diagonals);
}

/// Which type holds the values of all ranks: each looks at its own.
static cairn_status describe_values(const cairn_source *source, cairn_source_info *info)
{
    enum {
        NOT_ONE,
        NOT_INTEGER,
        NOT_HALF,
        NOT_BRAIN,
        NOT_SINGLE,
        BELOW,
        HIGH,
        FIRST,
        FIRST_DOWN,
        NUMBERS
    };
    cairn_comm            *comm = source->context->comm;
    cairn_value_dictionary none = {.full = true};
    int64_t                most[NUMBERS];
    cairn_value_look       look;

    cairn_value_look_begin(&look, 64, NULL, &none);
    cairn_value_look_at(&look, source->entries.value, source->entries.n);
    for (int k = 0; k < NUMBERS; k++)
        most[k] = INT64_MIN; /* a rank without values says nothing */
    if (look.seen) {
        int64_t bits;

        memcpy(&bits, &look.first, sizeof bits);
        most[NOT_ONE]     = !look.one;
        most[NOT_INTEGER] = !look.integer;
        most[NOT_HALF]    = !look.floats.half;
        most[NOT_BRAIN]   = !look.floats.brain;
        most[NOT_SINGLE]  = !look.floats.single;
        most[BELOW]       = -(int64_t)look.low;
        most[HIGH]        = look.high;
        most[FIRST]       = bits;
        most[FIRST_DOWN]  = ~bits;
    }
    CAIRN_TRY(comm->ops->allreduce(comm, most, NUMBERS, CAIRN_MAX));
    info->values = NULL;
    info->value  = 0;
    if (most[NOT_ONE] == INT64_MIN) return CAIRN_OK;
    if (most[NOT_ONE] == 0 && most[FIRST] == ~most[FIRST_DOWN]) {
        info->values = "iso";
        memcpy(&info->value, &most[FIRST], sizeof info->value);
    } else if (most[NOT_INTEGER] == 0) {
        info->values =
            most[BELOW] <= -(int64_t)INT8_MIN && most[HIGH] <= INT8_MAX ? "i8" : "i16";
    } else {
        info->values = most[NOT_HALF] == 0     ? "f16"
                       : most[NOT_BRAIN] == 0  ? "bf16"
                       : most[NOT_SINGLE] == 0 ? "f32"
                                               : "f64";
    }
    return CAIRN_OK;
}

cairn_status cairn_source_describe(const cairn_source *source, cairn_source_info *info)
{
    CAIRN_ENTER_TOGETHER(CAIRN_CONTEXT_OF(source), CAIRN_GIVEN(info),
                         CAIRN_SIZED(info, cairn_source_info));
    cairn_doing(&source->context->env, "looking at a matrix");

    cairn_env        *env = &source->context->env;
    cairn_statistics  s   = {0};
    cairn_source_info all = {.order        = source->shape.order,
                             .field        = source->field,
                             .symmetry     = source->symmetry,
                             .read_seconds = source->seconds,
                             .distribution = source->distribution};

    cairn_status status = cairn_source_sort(source);

    if (status == CAIRN_OK) status = cairn_statistics_count(env, &source->entries, &s);
    status = cairn_comm_agree(source->context->comm, status);

    for (int k = 0; k < all.order; k++)
        all.extent[k] = source->shape.extent[k];
    if (status == CAIRN_OK) status = combine(source, &s, &all);
    if (status == CAIRN_OK) status = describe_values(source, &all);
    if (status == CAIRN_OK)
        status = cairn_context_max(source->context, &all.read_seconds, 1);
    if (status == CAIRN_OK) CAIRN_WRITE(info, all);
    cairn_statistics_fini(env, &s);
    return status;
}

/// Is there a picture to be made of sorted entries?
static cairn_status check_spy(const cairn_source *source, int width, int height)
{
    cairn_env *env = &source->context->env;

    CAIRN_CHECK(source->shape.order == 2, env, CAIRN_BAD_SHAPE,
                "spy: order %d: only matrices have a picture", source->shape.order);
    CAIRN_CHECK(width >= 1 && height >= 1, env, CAIRN_BAD_ARGUMENT,
                "spy: %d x %d cells", width, height);
    CAIRN_CHECK((int64_t)width * height
                    <= env->machine_memory / (int64_t)sizeof(int64_t),
                env, CAIRN_BAD_ARGUMENT, "spy: %d x %d cells: no memory holds as many",
                width, height);
    return cairn_source_sort(source);
}

cairn_status
cairn_source_spy(const cairn_source *source, int width, int height, int64_t *count)
{
    CAIRN_ENTER_TOGETHER(CAIRN_CONTEXT_OF(source), CAIRN_GIVEN(count));

    cairn_comm          *comm = source->context->comm;
    const cairn_entries *e    = &source->entries;

    cairn_collective arguments = {0};

    cairn_collective_int(&arguments, "width", width);
    cairn_collective_int(&arguments, "height", height);
    CAIRN_TRY(cairn_comm_agree_on(comm, check_spy(source, width, height), &arguments));
    for (int64_t k = 0; k < (int64_t)width * height; k++)
        count[k] = 0;
    for (cairn_pos k = 0; k < e->n; k++) {
        const int64_t row =
            (int64_t)((__int128)e->coord[0][k] * height / source->shape.extent[0]);
        const int64_t col =
            (int64_t)((__int128)e->coord[1][k] * width / source->shape.extent[1]);

        count[row * width + col]++;
    }
    return comm->ops->allreduce(comm, count, (int64_t)width * height, CAIRN_SUM);
}
