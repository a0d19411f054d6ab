// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Cut what there is at the new rows, send what goes, and put together what is there then.

#include "rows/row_exchange.h"

#include "rows/row_message.h"
#include "rows/row_share.h"

#include <string.h>

/// Rows of one tensor that get, or keep, one rank.
typedef struct {
    int               to;
    cairn_row_share   share;
    cairn_row_stretch stretch;
} row_cut;

typedef struct {
    cairn_env             *env;
    const cairn_query_net *net;
    const cairn_local     *like; ///< For format and extents.
    const cairn_layout    *layout;
    cairn_interval         rows;  ///< The new ones of this rank.
    int                    count; ///< Tensors that it has them in before.
    int                    cuts;
    row_cut               *cut;         ///< [cuts] by rows.
    int64_t               *bytes, *got; ///< [size] to and from each rank.
    char                  *send, *received;
    int                    stretches;
    cairn_row_stretch     *stretch; ///< [stretches] of the new rows, in their order.
    cairn_entries_sent     sent;
} exchange;

bool cairn_rows_exchangeable(const cairn_local *tensor)
{
    return cairn_row_stretch_fits(tensor);
}

/* ---- what goes ---- */

static cairn_status cut_rows(exchange                 *x,
                             const cairn_local *const *own,
                             int                       count,
                             const cairn_coord        *first,
                             int64_t                   held)
{
    CAIRN_TRY(CAIRN_NEW_ZERO(x->env, x->net->size + count, &x->cut));
    for (int k = 0; k < count; k++)
        for (int r = 0; r < x->net->size; r++) {
            const cairn_interval all  = own[k]->box[0];
            const cairn_interval rows = {all.lo > first[r] ? all.lo : first[r],
                                         all.hi < first[r + 1] ? all.hi
                                                               : first[r + 1] - 1};
            row_cut *cut = &x->cut[x->cuts];

            if (rows.lo > rows.hi) continue;
            x->cuts++;
            cut->to = r;
            CAIRN_TRY(cairn_row_share_init(
                own[k], 0, rows, 0, CAIRN_SHARE_LENT_IF_POSSIBLE, held, &cut->share));
            held += cut->share.bytes;
            cut->stretch = cairn_row_stretch_of(&cut->share.local->part[0]);
        }
    return CAIRN_OK;
}

/// Count what goes to each rank.
static int64_t count_bytes(exchange *x)
{
    int64_t total = 0;

    for (int k = 0; k < x->cuts; k++) {
        const row_cut *cut = &x->cut[k];
        const int64_t  its = cairn_row_stretch_bytes(x->layout, &cut->stretch);

        if (cut->to == x->net->rank) continue;
        x->sent.messages += x->bytes[cut->to] == 0;
        x->sent.entries += cut->stretch.values;
        x->bytes[cut->to] += its;
        total += its;
    }
    return x->sent.bytes = total;
}

/// Write all messages, ranks ascending as rows do.
static cairn_status pack(exchange *x, int64_t held)
{
    const int64_t bytes = count_bytes(x);
    char         *at;

    CAIRN_TRY(cairn_check_memory(x->env, "rows that change their rank", held + bytes));
    CAIRN_TRY(CAIRN_NEW(x->env, bytes, &x->send));
    at = x->send;
    for (int k = 0; k < x->cuts; k++) {
        if (x->cut[k].to == x->net->rank) continue;
        at = cairn_row_stretch_pack(x->layout, &x->cut[k].stretch, at);
        cairn_row_share_fini(&x->cut[k].share);
    }
    return CAIRN_OK;
}

static cairn_status prepare(exchange                 *x,
                            const cairn_local *const *own,
                            int                       count,
                            const cairn_coord        *first,
                            int64_t                   held)
{
    CAIRN_TRY(CAIRN_NEW_ZERO(x->env, 2 * (int64_t)x->net->size, &x->bytes));
    x->got = x->bytes + x->net->size;
    CAIRN_TRY(cut_rows(x, own, count, first, held));
    return pack(x, held);
}

/* ---- what is there then ---- */

/// Note the new rows in their order. @param[out] list  NULL: they are counted.
static int note_stretches(const exchange *x, cairn_row_stretch *list)
{
    const char       *at = x->received;
    int               n  = 0;
    cairn_row_stretch its;

    for (int r = 0; r < x->net->size; r++) {
        for (const char *const end = at + x->got[r]; at < end; n++) {
            at = cairn_row_stretch_unpack(x->layout, at, &its);
            if (list) list[n] = its;
        }
        for (int k = 0; r == x->net->rank && k < x->cuts; k++) {
            if (x->cut[k].to != r) continue;
            if (list) list[n] = x->cut[k].stretch;
            n++;
        }
    }
    return n;
}

/// The tensor on the new rows, without arrays.
static cairn_status create_local(const exchange *x, cairn_local **fresh)
{
    const cairn_layout *like = x->layout;
    cairn_local        *local;

    CAIRN_TRY(CAIRN_NEW_ZERO(x->env, 1, fresh));
    local               = *fresh;
    local->env          = x->env;
    local->shape        = x->like->shape;
    local->format       = x->like->format;
    local->value_bits   = x->like->value_bits;
    local->pattern.kept = x->like->pattern.kept;
    local->groups       = 1;
    memcpy(local->box, x->like->box, sizeof local->box);
    local->box[0] = x->rows;
    CAIRN_TRY(cairn_layout_create(x->env, like->encoding, like->extent, local->box,
                                  like->given.span, like->values.carrier_bits,
                                  &local->group[0].layout));
    local->group[0].count = 1;
    CAIRN_TRY(CAIRN_NEW_ZERO(x->env, 1, &local->part));
    local->parts         = 1;
    local->part[0].where = (cairn_where){.rank = x->net->rank};
    return CAIRN_OK;
}

static int64_t arrays_bytes(const cairn_layout *layout, const cairn_pos *nodes)
{
    cairn_part part   = {.where = {0}};
    int64_t    offset = 0, bytes = 0;

    cairn_part_place(layout, nodes, NULL, &offset, &bytes, &part);
    return bytes;
}

/// Copy all stretches to arrays of their own.
static cairn_status join(const exchange *x, int64_t held, cairn_local *fresh)
{
    const cairn_layout *layout                  = fresh->group[0].layout;
    cairn_part         *part                    = &fresh->part[0];
    cairn_pos           nodes[CAIRN_MAX_LEVELS] = {0}, at[CAIRN_MAX_LEVELS] = {0};
    cairn_pos           values = 0;

    for (int k = 0; k < x->stretches; k++)
        for (int l = 0; l < layout->levels; l++)
            nodes[l] += layout->level[l].trimmed ? x->stretch[k].nodes[l] : 0;
    CAIRN_TRY(cairn_check_memory(x->env, "rows from other ranks",
                                 held + arrays_bytes(layout, nodes)));
    CAIRN_TRY(cairn_group_alloc(x->env, &fresh->group[0], layout, nodes,
                                x->stretches == 0 ? CAIRN_CLEAR_ALL : CAIRN_CLEAR_NONE,
                                NULL, part));
    for (int k = 0; k < x->stretches; k++)
        cairn_row_stretch_copy(layout, &x->stretch[k], &part->view, at, &values);
    part->nnz = values;
    return CAIRN_OK;
}

static bool is_whole(const row_cut *cut)
{
    const cairn_interval all = cut->share.tensor->box[0], rows = cut->share.rows;

    return all.lo == rows.lo && all.hi == rows.hi;
}

/// Rows that were all there before are lent, if they are fewer now; others are put
/// together.
static cairn_status make(exchange *x, int64_t held, cairn_local **fresh)
{
    x->stretches = note_stretches(x, NULL);
    CAIRN_TRY(CAIRN_NEW(x->env, x->stretches, &x->stretch));
    note_stretches(x, x->stretch);
    for (int k = 0; k < x->cuts && x->stretches == 1; k++) {
        row_cut *const cut = &x->cut[k];

        if (cut->to != x->net->rank) continue;
        if (x->count == 1 && is_whole(cut)) return CAIRN_OK;
        *fresh           = cut->share.local;
        cut->share.local = NULL;
        return CAIRN_OK;
    }
    CAIRN_TRY(create_local(x, fresh));
    return join(x, held, *fresh);
}

static void release(exchange *x)
{
    for (int k = 0; k < x->cuts; k++)
        cairn_row_share_fini(&x->cut[k].share);
    cairn_free(x->env, x->cut);
    cairn_free(x->env, x->stretch);
    cairn_free(x->env, x->bytes);
    cairn_free(x->env, x->send);
    cairn_free(x->env, x->received);
}

/// Tell all ranks what all have sent.
static cairn_status add_up(exchange *x)
{
    CAIRN_TRY(x->net->sum(x->net->user, &x->sent.entries));
    CAIRN_TRY(x->net->sum(x->net->user, &x->sent.bytes));
    return x->net->sum(x->net->user, &x->sent.messages);
}

cairn_status cairn_rows_exchange(cairn_env                *env,
                                 const cairn_local *const *own,
                                 int                       count,
                                 const cairn_coord        *first,
                                 const cairn_query_net    *net,
                                 int64_t                   held,
                                 cairn_local             **fresh,
                                 cairn_entries_sent       *sent)
{
    cairn_local *local = NULL;
    cairn_status status;
    exchange     x = {
            .env    = env,
            .net    = net,
            .like   = own[0],
            .layout = own[0]->group[0].layout,
            .rows   = {first[net->rank], first[net->rank + 1] - 1},
            .count  = count
    };

    status = prepare(&x, own, count, first, held);
    CAIRN_GO(done, net->agree(net->user, status));
    CAIRN_GO(done,
             net->exchange(net->user, x.send, x.bytes, 1, (void **)&x.received, x.got));
    cairn_free(env, x.send);
    x.send = NULL;
    status = make(&x, held, &local);
    CAIRN_GO(done, net->agree(net->user, status));
    status = add_up(&x);
done:
    release(&x);
    if (status == CAIRN_OK) {
        if (local) local->group[0].checked = true; /* what it was made of is in order */
        *fresh = local;
        *sent  = x.sent;
    } else {
        cairn_local_destroy(&local);
    }
    return status;
}
