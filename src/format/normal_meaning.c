// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What normal queries mean, for those who store by them.

#include "format/normal.h"

bool cairn_case_holds_of_others(const cairn_case *when)
{
    const int64_t k = when->constant;

    switch (when->relation) {
    case CAIRN_REL_EQ: return k == 0;
    case CAIRN_REL_NE: return k != 0;
    case CAIRN_REL_GT: return 0 > k;
    case CAIRN_REL_GE: return 0 >= k;
    case CAIRN_REL_LT: return 0 < k;
    case CAIRN_REL_LE: break;
    }
    return 0 <= k;
}

bool cairn_query_starts(const cairn_query  *query,
                        const cairn_start **stored,
                        const cairn_start **others,
                        bool               *apart)
{
    const cairn_case *when = &query->when[0];

    *others = &query->otherwise;
    *apart  = query->cases == 1;
    *stored = *apart ? &when->start : *others;
    return query->cases == 0
           || (*apart && when->var == query->arg && when->relation == CAIRN_REL_NE
               && when->constant == 0);
}

bool cairn_query_counts(const cairn_query *query, int64_t each)
{
    const cairn_start *stored, *others;
    bool               apart;

    return query->func == CAIRN_QUERY_SUM && query->arg == CAIRN_ARG_VALUE
           && cairn_query_starts(query, &stored, &others, &apart)
           && stored->kind == CAIRN_START_CONST && stored->value == each
           && others->kind == CAIRN_START_CONST && others->value == 0;
}

int cairn_query_dimension(const cairn_query *query)
{
    const cairn_map *map = &query->group_by;

    return map->count == 1 && map->expr[0]->op == CAIRN_EXPR_DIM
               ? (int)map->expr[0]->value
               : -1;
}

int cairn_query_line(const cairn_query *query)
{
    const cairn_map *map  = &query->group_by;
    uint32_t         open = (1U << map->order) - 1;

    if (query->traverse_by || query->distance || map->count != map->order - 1)
        return -1;
    for (int k = 0; k < map->count; k++) {
        if (map->expr[k]->op != CAIRN_EXPR_DIM) return -1;
        open &= ~(1U << map->expr[k]->value);
    }
    return __builtin_ctz(open);
}

int cairn_encoding_next_query(const cairn_encoding *encoding, int q)
{
    while (q < encoding->queries && encoding->idle >> q & 1)
        q++;
    return q;
}
