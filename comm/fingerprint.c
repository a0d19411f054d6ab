// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Hashes of entries, visited or taken out, and their sum over ranks.

#include "comm/fingerprint.h"

#include "base/mix.h"
#include "tensor/visit_values.h"

#include <string.h>

typedef unsigned __int128 sum128;

/// One entry, whose coordinates are in arrays of their own, at @p k.
static sum128 hash_entry(int order, cairn_coord *const *coord, int64_t k, double value)
{
    uint64_t low = CAIRN_MIX_LOW, high = CAIRN_MIX_HIGH, bits;

    memcpy(&bits, &value, sizeof bits);
    for (int d = 0; d <= order; d++) {
        const uint64_t word = d < order ? (uint64_t)coord[d][k] : bits;

        low  = cairn_mix(low ^ word);
        high = cairn_mix(high ^ word);
    }
    return (sum128)high << 64 | low;
}

typedef struct {
    int    order;
    sum128 sum;
} summing;

static cairn_status add(void *user, const cairn_part *part, const cairn_batch *batch)
{
    summing     *s = user;
    cairn_coord *coord[CAIRN_MAX_ORDER];

    for (int d = 0; d < s->order; d++)
        coord[d] = (cairn_coord *)batch->coord[d];
    for (int k = 0; k < batch->n; k++) {
        const double value = cairn_value_get(&part->view, batch->value[k]);

        if (value != 0) s->sum += hash_entry(s->order, coord, k, value);
    }
    return CAIRN_OK;
}

/// Of a tensor whose rows are by places, or in parts: its entries are taken out, and get the
/// user's coordinates back.
///
/// Collective.
static cairn_status add_renumbered(cairn_comm              *comm,
                                   const cairn_local       *tensor,
                                   const cairn_renumbering *places,
                                   summing                 *s)
{
    cairn_entries entries;
    cairn_status  status;

    cairn_entries_init(&entries, s->order);
    CAIRN_GO(done, cairn_comm_agree(comm, cairn_local_entries(tensor, &entries)));
    CAIRN_GO(done, cairn_renumbering_undo(comm, places, &entries));
    for (cairn_pos k = 0; k < entries.n; k++)
        if (entries.value[k] != 0)
            s->sum += hash_entry(s->order, entries.coord, k, entries.value[k]);
done:
    cairn_entries_fini(comm->env, &entries);
    return status;
}

/// Add the ranks' sums, 32 bits at a time, so that no carry is lost.
///
/// Collective.
static cairn_status join(cairn_comm *comm, sum128 *sum)
{
    int64_t limb[4];

    for (int k = 0; k < 4; k++)
        limb[k] = (int64_t)(uint32_t)(*sum >> 32 * k);
    CAIRN_TRY(comm->ops->allreduce(comm, limb, 4, CAIRN_SUM));
    *sum = 0;
    for (int k = 0; k < 4; k++)
        *sum += (sum128)(uint64_t)limb[k] << 32 * k;
    return CAIRN_OK;
}

cairn_status cairn_comm_fingerprint(cairn_comm              *comm,
                                    const cairn_local       *tensor,
                                    const cairn_renumbering *places,
                                    uint64_t                 fingerprint[2])
{
    summing      s      = {.order = tensor->shape.order};
    cairn_visits visits = {.local = tensor};
    cairn_status status = places ? CAIRN_OK : cairn_visits_init(&visits, tensor);

    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK)
        status = places ? add_renumbered(comm, tensor, places, &s)
                        : cairn_visits_run(&visits, add, &s);
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK) status = join(comm, &s.sum);
    if (status == CAIRN_OK) {
        fingerprint[0] = (uint64_t)s.sum;
        fingerprint[1] = (uint64_t)(s.sum >> 64);
    }
    cairn_visits_fini(&visits);
    return status;
}
