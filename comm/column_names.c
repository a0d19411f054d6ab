// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A table of columns, and questions about them.

#include "comm/column_names.h"

#include "comm/message_words.h"
#include "comm/renumber.h"
#include "tensor/local.h"

enum {
    FIRST_BITS = 10,
    STRIP      = 1024 ///< Columns that are read at once.
};

static int64_t places_of(const cairn_column_names *names)
{
    return (int64_t)1 << names->bits;
}

int64_t cairn_column_names_bytes(const cairn_column_names *names)
{
    return places_of(names) * (int64_t)sizeof *names->at;
}

void cairn_column_names_destroy(cairn_env *env, cairn_column_names **names)
{
    if (!*names) return;
    cairn_free(env, (*names)->at);
    cairn_free(env, *names);
    *names = NULL;
}

/// Twice as many places, or the first ones.
static cairn_status grow(cairn_env *env, int64_t held, cairn_column_names *names)
{
    cairn_column_names more = {0, names->at ? names->bits + 1 : FIRST_BITS, NULL};

    if (names->at) held += cairn_column_names_bytes(names);
    CAIRN_TRY(cairn_check_memory(env, "columns of rows that change their rank",
                                 held + cairn_column_names_bytes(&more)));
    CAIRN_TRY(CAIRN_NEW(env, places_of(&more), &more.at));
    for (int64_t k = 0; k < places_of(&more); k++)
        more.at[k].column = -1;
    for (int64_t k = 0; names->at && k < places_of(names); k++)
        if (names->at[k].column >= 0)
            more.at[cairn_column_place(&more, names->at[k].column)] = names->at[k];
    more.n = names->n;
    cairn_free(env, names->at);
    *names = more;
    return CAIRN_OK;
}

cairn_status cairn_column_names_create(cairn_env               *env,
                                       const cairn_kernel_part *view,
                                       int64_t                  held,
                                       cairn_column_names     **names)
{
    const cairn_kernel_level *level = &view->level[1];
    const cairn_word          word  = cairn_word_of_bits(level->idx_bits);
    cairn_column_names       *fresh = NULL;
    cairn_coord               strip[STRIP];
    cairn_status              status;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &fresh));
    CAIRN_GO(done, grow(env, held, fresh));
    for (int64_t p = 0, n; p < view->values; p += n) {
        n = view->values - p < STRIP ? view->values - p : STRIP;
        cairn_words_get_coords(
            word, (const char *)level->idx + p * cairn_word_bytes(word), n, strip);
        for (int64_t k = 0; k < n; k++) {
            cairn_column_name *at = &fresh->at[cairn_column_place(fresh, strip[k])];

            if (at->column == strip[k]) continue;
            *at = (cairn_column_name){strip[k], strip[k]};
            if (++fresh->n > places_of(fresh) / 2)
                CAIRN_GO(done, grow(env, held, fresh));
        }
    }
    cairn_visit(env, view->values);
    *names = fresh;
    fresh  = NULL;
done:
    cairn_column_names_destroy(env, &fresh);
    return status;
}

/// Names, in the order of the table and in their own, and what was answered.
typedef struct {
    cairn_coord *name, *asked, *answer; ///< [n] each.
    cairn_pos   *order;                 ///< [n] Of the names.
} questions;

static cairn_status ask(cairn_env *env, const cairn_column_names *names, questions *q)
{
    const cairn_coord *key;
    int64_t            n = 0;

    CAIRN_TRY(CAIRN_NEW(env, names->n, &q->name));
    CAIRN_TRY(CAIRN_NEW(env, names->n, &q->asked));
    CAIRN_TRY(CAIRN_NEW(env, names->n, &q->answer));
    CAIRN_TRY(CAIRN_NEW(env, names->n, &q->order));
    for (int64_t k = 0; k < places_of(names); k++)
        if (names->at[k].column >= 0) q->name[n++] = names->at[k].name;
    key = q->name;
    CAIRN_TRY(cairn_sort_order(env, n, 1, &key, q->order));
    for (int64_t k = 0; k < n; k++)
        q->asked[k] = q->name[q->order[k]];
    return CAIRN_OK;
}

cairn_status cairn_column_names_fetch(cairn_comm         *comm,
                                      const cairn_rows   *rows,
                                      const cairn_coord  *own,
                                      cairn_column_names *names)
{
    cairn_env   *env = comm->env;
    questions    q   = {NULL, NULL, NULL, NULL};
    int64_t      n   = 0;
    cairn_status status;

    CAIRN_GO(done, cairn_comm_agree(comm, ask(env, names, &q)));
    CAIRN_GO(done, cairn_rows_fetch(comm, rows, sizeof *own, own, names->n, q.asked,
                                    q.answer));
    for (int64_t k = 0; k < names->n; k++)
        q.name[q.order[k]] = q.answer[k];
    for (int64_t k = 0; k < places_of(names); k++)
        if (names->at[k].column >= 0) names->at[k].name = q.name[n++];
done:
    cairn_free(env, q.order);
    cairn_free(env, q.answer);
    cairn_free(env, q.asked);
    cairn_free(env, q.name);
    return status;
}
