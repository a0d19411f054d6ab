// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Walking the banks.

#include "devices/pim/banks.h"

#include "tensor/walk.h"

/// A look at one bank after the other.
typedef struct {
    int         in, out; ///< Dimensions that index X and Y.
    cairn_coord first;   ///< Of the rows of Y.
    int64_t     number;  ///< Of the bank, from 1,
    int64_t    *seen;    ///< [rows of Y] and of the last one that has the row,
                         ///< negative where others have it, too; 0: none has.
    cairn_pim_bank *bank;
} look;

/// A bank meets a row of Y.
static void meet(look *l, cairn_coord row)
{
    int64_t *seen = &l->seen[row];

    if (*seen == l->number || *seen == -l->number) return;
    l->bank->rows++;
    if (*seen == 0) {
        *seen = l->number;
        return;
    }
    l->bank->merged += *seen > 0 ? 3 : 1;
    *seen = -l->number;
}

static cairn_status
look_at(void *user, const cairn_part *part, const cairn_batch *batch)
{
    look           *l    = user;
    cairn_pim_bank *bank = l->bank;

    (void)part;
    bank->visited += batch->n;
    for (int n = 0; n < batch->n; n++) {
        const cairn_coord x   = batch->coord[l->in][n];
        const cairn_coord row = batch->coord[l->out][n] - l->first;

        if (bank->x_lo > bank->x_hi)
            bank->x_lo = bank->x_hi = x;
        else if (x < bank->x_lo)
            bank->x_lo = x;
        else if (x > bank->x_hi)
            bank->x_hi = x;
        meet(l, row);
    }
    return CAIRN_OK;
}

static int64_t bytes_of(const cairn_part *part)
{
    cairn_array array[CAIRN_MAX_ARRAYS];
    int64_t     bytes = 0;

    for (int k = cairn_part_arrays(part, array) - 1; k >= 0; k--)
        bytes += array[k].bytes;
    return bytes;
}

static cairn_status look_at_all(const cairn_device_work *work,
                                cairn_walker            *walker,
                                look                    *l,
                                cairn_pim_bank          *bank)
{
    for (int64_t k = 0; k < cairn_work_group(work)->count; k++) {
        const cairn_part *part = cairn_work_part(work, k);

        bank[k] = (cairn_pim_bank){
            .entries = part->nnz, .bytes = bytes_of(part), .x_lo = 0, .x_hi = -1};
        l->bank   = &bank[k];
        l->number = k + 1;
        CAIRN_TRY(cairn_walk(walker, part, look_at, l));
    }
    return CAIRN_OK;
}

cairn_status
cairn_pim_banks(cairn_env *env, const cairn_device_work *work, cairn_pim_bank **bank)
{
    const cairn_group *group  = cairn_work_group(work);
    const int          out    = work->op->transposed ? 1 : 0;
    cairn_pim_bank    *fresh  = NULL;
    cairn_walker      *walker = NULL;
    look         l = {.in = 1 - out, .out = out, .first = work->tensor->box[out].lo};
    cairn_status status;

    CAIRN_TRY(CAIRN_NEW(env, group->count, &fresh));
    CAIRN_GO(fresh, CAIRN_NEW_ZERO(env, cairn_work_rows_out(work), &l.seen));
    CAIRN_GO(seen, cairn_walker_create(env, group->layout, &walker));
    CAIRN_GO(walker, look_at_all(work, walker, &l, fresh));
    *bank = fresh;
    fresh = NULL;

walker:
    cairn_walker_destroy(env, &walker);
seen:
    cairn_free(env, l.seen);
fresh:
    cairn_free(env, fresh);
    return status;
}
