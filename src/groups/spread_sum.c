// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sums over groups that cross ranks: what each rank has of a group is added up by one of
/// them. An element that is itself a group may be known to several ranks, and counts once.

#include "entries/entries.h"
#include "groups/spread.h"

#include <string.h>

/* A record: the group's values, sum and count of elements, what each of those without an
 * entry gives; then, where elements are groups, the values of the one that it is about. */
enum { AT_TOTAL, AT_COUNT, AT_REST, AT_ID };

static bool crosses(const cairn_group_query *s, int64_t g)
{
    return s->spread.crossing && s->spread.crossing[g];
}

/// What each of the group's elements without an entry gives.
static cairn_status rest_of(cairn_groups *set, int q, int64_t g, int64_t *rest)
{
    const cairn_group_query *s = &set->query[q];
    cairn_coord              d[CAIRN_MAX_ORDER];
    int                      arm;

    *rest = 0;
    if (s->rest.one) {
        if (s->rest.start.kind == CAIRN_START_CONST) *rest = s->rest.start.value;
        return CAIRN_OK;
    }
    CAIRN_TRY(cairn_groups_position(
        set, q, cairn_group_index_element(&s->index, s->index.begin[g]), d));
    CAIRN_TRY(cairn_groups_rest_of_none(set, q, d, &arm, rest));
    if (*rest == CAIRN_NO_NUMBER) *rest = 0;
    return CAIRN_OK;
}

static cairn_status pack_group(cairn_groups             *set,
                               int                       q,
                               const cairn_group_starts *starts,
                               int64_t                   g,
                               cairn_exchange           *travel,
                               int64_t                  *n)
{
    const cairn_group_query *s     = &set->query[q];
    const cairn_group_index *x     = &s->index;
    const int                width = s->forms.group.count, arg = s->query->arg;
    const int64_t            one = arg < 0 ? 1 : x->begin[g + 1] - x->begin[g];
    int64_t                  rest;

    CAIRN_TRY(rest_of(set, q, g, &rest));
    for (int64_t k = 0; k < one; k++, ++*n) {
        const int64_t p      = cairn_group_index_element(x, x->begin[g] + k);
        int64_t      *record = travel->record + *n * travel->width;

        memcpy(record, cairn_group_index_tuple(x, g), (size_t)width * sizeof *record);
        record[width + AT_TOTAL] =
            arg < 0 ? s->total[g] : cairn_group_starts_at(starts, p);
        record[width + AT_COUNT] = arg < 0 ? x->begin[g + 1] - x->begin[g] : 1;
        record[width + AT_REST]  = rest;
        if (record[width + AT_TOTAL] == CAIRN_NO_NUMBER) record[width + AT_TOTAL] = 0;
        if (arg >= 0)
            memcpy(record + width + AT_ID,
                   cairn_group_index_tuple(&set->query[arg].index, p),
                   (size_t)set->query[arg].forms.group.count * sizeof *record);
        travel->to[*n] = cairn_groups_rank_of(set, width, record);
    }
    return CAIRN_OK;
}

static cairn_status
pack(cairn_groups *set, int q, const cairn_group_starts *starts, cairn_exchange *travel)
{
    const cairn_group_query *s   = &set->query[q];
    const int                arg = s->query->arg;
    int64_t                  n   = 0;

    for (int64_t g = 0; g < s->index.groups; g++)
        if (crosses(s, g)) n += arg < 0 ? 1 : s->index.begin[g + 1] - s->index.begin[g];
    CAIRN_TRY(
        cairn_exchange_init(&set->meeting, travel,
                            s->forms.group.count + AT_ID
                                + (arg < 0 ? 0 : set->query[arg].forms.group.count),
                            n));
    n = 0;
    cairn_visit(set->env, s->index.groups + travel->n);
    for (int64_t g = 0; g < s->index.groups; g++)
        if (crosses(s, g)) CAIRN_TRY(pack_group(set, q, starts, g, travel, &n));
    return CAIRN_OK;
}

/// Add up the records begin .. end - 1 by their order, which are of one group.
static cairn_status add_up(cairn_groups              *set,
                           int                        q,
                           const cairn_group_records *in,
                           int64_t                    begin,
                           int64_t                    end,
                           int64_t                   *total)
{
    const cairn_group_query *s = &set->query[q];
    const int       width = s->forms.group.count, ids = in->width - width - AT_ID;
    int64_t         tuple[CAIRN_MAX_LEVELS], count    = 0, rest;
    cairn_group_box box;

    *total = 0;
    for (int64_t k = begin; k < end; k++) {
        const int64_t p = in->order[k];

        if (s->query->arg >= 0 && k > begin
            && cairn_group_records_agree(in, width + AT_ID, ids, p, in->order[k - 1]))
            continue;
        count += in->column[width + AT_COUNT][p];
        if (__builtin_add_overflow(*total, in->column[width + AT_TOTAL][p], total))
            return cairn_groups_sum_overflows(set, q);
    }
    rest = in->column[width + AT_REST][in->order[begin]];
    if (rest == 0) return CAIRN_OK;
    for (int f = 0; f < width; f++)
        tuple[f] = in->column[f][in->order[begin]];
    cairn_group_box_enter(&s->forms.order, tuple, &box);
    if (__builtin_mul_overflow(rest, box.size - count, &rest)
        || __builtin_add_overflow(*total, rest, total))
        return cairn_groups_sum_overflows(set, q);
    return CAIRN_OK;
}

static cairn_status
answer(cairn_groups *set, int q, const cairn_exchange *travel, int64_t **answers)
{
    const int           width = set->query[q].forms.group.count;
    int                 key[CAIRN_MAX_RECORD], keys = 0;
    cairn_group_records in = {.n = 0};
    cairn_status        status;
    int64_t             total = 0;

    for (int k = 0; k < travel->width; k++)
        if (k < width || k >= width + AT_ID) key[keys++] = k;
    CAIRN_GO(done, CAIRN_NEW(set->env, travel->received, answers));
    CAIRN_GO(done,
             cairn_group_records_take(set->env, travel, keys ? keys : 1,
                                      keys ? key : (int[]){width + AT_REST}, &in));
    cairn_visit(set->env, in.n);
    for (int64_t begin = 0, end; begin < in.n; begin = end) {
        end = begin + 1;
        while (
            end < in.n
            && cairn_group_records_agree(&in, 0, width, in.order[begin], in.order[end]))
            end++;
        CAIRN_GO(done, add_up(set, q, &in, begin, end, &total));
        for (int64_t k = begin; k < end; k++)
            (*answers)[in.order[k]] = total;
    }
    status = CAIRN_OK;
done:
    cairn_group_records_fini(set->env, &in);
    return status;
}

cairn_status
cairn_groups_share_sum(cairn_groups *set, int q, const cairn_group_starts *starts)
{
    cairn_group_query *s       = &set->query[q];
    cairn_exchange     travel  = {.n = 0};
    int64_t           *answers = NULL, *result = NULL, k = 0;
    cairn_status       status = pack(set, q, starts, &travel);

    CAIRN_GO(done, cairn_exchange_send(&set->meeting, status, &travel));
    status = answer(set, q, &travel, &answers);
    if (status == CAIRN_OK) status = CAIRN_NEW(set->env, travel.n, &result);
    CAIRN_GO(done,
             cairn_exchange_return(&set->meeting, status, &travel, answers, result));
    for (int64_t g = 0; g < s->index.groups; g++) {
        if (!crosses(s, g)) continue;
        s->total[g] = result[k];
        k += s->query->arg < 0 ? 1 : s->index.begin[g + 1] - s->index.begin[g];
    }
done:
    cairn_free(set->env, answers);
    cairn_free(set->env, result);
    cairn_exchange_fini(&set->meeting, &travel);
    return status;
}
