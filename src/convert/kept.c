// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Short lists, each of which is looked through: what is found moves to the front.

#include "convert/kept.h"

#include <string.h>

enum { PATHS = 2, LAYOUTS = 4, PROOFS = 12 };

/// A path, by what leads to it.
typedef struct {
    uint64_t   from; ///< The format's number; 0: coordinates.
    int64_t    extent[CAIRN_MAX_ORDER];
    cairn_path path; ///< `rules`, `rule`, `work` and what was counted.
} kept_path;

typedef enum { NONE, FACTS, SORTED_WITHIN, LEVELS_TO_SORT, KNOWN_THROUGH } question;

/// What is asked, of which encodings.
typedef struct {
    question what;
    uint64_t from; ///< The encoding's number; 0: coordinates.
    uint64_t to;
    int      row, begin;
} proof_key;

typedef struct {
    proof_key           key;
    cairn_convert_facts facts; ///< Of the others `sorted` is the answer.
} proof;

typedef struct cairn_kept {
    int           paths, layouts;
    kept_path     path[PATHS];     ///< [paths]
    cairn_layout *layout[LAYOUTS]; ///< [layouts]
    proof         proof[PROOFS];
} cairn_kept;

/// Formats are constant but for the number of their holders, and this.
static cairn_format_life *life_of(const cairn_format *format)
{
    return &((cairn_format *)format)->life;
}

/// Move element @p k of a list to its front.
static void to_front(void *list, size_t size, int k)
{
    char  own[sizeof(kept_path)];
    char *first = list;

    if (k == 0) return;
    memcpy(own, first + (size_t)k * size, size);
    memmove(first + size, first, (size_t)k * size);
    memcpy(first, own, size);
}

/// Make room at the front of a list. @return how many it then has.
static int push(void *list, size_t size, int length, int most)
{
    const int kept = length < most ? length : most - 1;

    memmove((char *)list + size, list, (size_t)kept * size);
    return kept + 1;
}

/* ---- freeing ---- */

static void drop_path(cairn_env *env, kept_path *kept)
{
    cairn_free(env, kept->path.rule);
    cairn_free(env, kept->path.work);
}

static void forget(cairn_env *env, cairn_kept *kept)
{
    for (int k = 0; k < kept->paths; k++)
        drop_path(env, &kept->path[k]);
    for (int k = 0; k < kept->layouts; k++)
        cairn_layout_destroy(env, &kept->layout[k]);
    cairn_free(env, kept);
}

/// What paths and layouts are kept by.
typedef struct {
    const cairn_format   *from, *to; ///< `from` is NULL: coordinates.
    const int64_t        *extent;
    const cairn_interval *box;
    int                   order, value_bits;
} target;

static target target_of(const cairn_build *build)
{
    return (target){.from       = build->from ? build->from->format : NULL,
                    .to         = build->format,
                    .extent     = build->shape.extent,
                    .box        = build->box,
                    .order      = build->shape.order,
                    .value_bits = build->value_bits};
}

static bool same_extents(const target *t, const int64_t *extent)
{
    return memcmp(t->extent, extent, (size_t)t->order * sizeof *extent) == 0;
}

/* ---- paths ---- */

static bool find_path(cairn_kept *kept, const target *t)
{
    const uint64_t from = t->from ? t->from->life.number : 0;

    for (int k = 0; kept && k < kept->paths; k++)
        if (kept->path[k].from == from && same_extents(t, kept->path[k].extent)) {
            to_front(kept->path, sizeof *kept->path, k);
            return true;
        }
    return false;
}

/// Hold the rules of a path for another one.
static void share_rules(const cairn_path *path, cairn_path *other)
{
    *other = (cairn_path){.env      = path->env,
                          .rules    = path->rules,
                          .capacity = path->capacity,
                          .rule     = path->rule,
                          .work     = path->work,
                          .total    = path->total,
                          .sorted   = path->sorted,
                          .routes   = path->routes,
                          .others   = path->others};
    cairn_pass_list_init(&other->program, path->env);
    if (path->rule) cairn_hold(path->rule);
    if (path->work) cairn_hold(path->work);
}

cairn_status
cairn_kept_path(cairn_env *env, const cairn_build *build, cairn_path **path)
{
    const target      t    = target_of(build);
    cairn_kept *const kept = life_of(t.to)->kept;
    cairn_path       *fresh;

    if (!find_path(kept, &t)) return cairn_path_plan(env, t.from, t.to, t.extent, path);
    CAIRN_TRY(CAIRN_NEW(env, 1, &fresh));
    share_rules(&kept->path[0].path, fresh);
    *path = fresh;
    return CAIRN_OK;
}

static void
add_path(cairn_env *env, cairn_kept *kept, const target *t, const cairn_path *path)
{
    if (find_path(kept, t)) return;
    if (kept->paths == PATHS) drop_path(env, &kept->path[PATHS - 1]);
    kept->paths   = push(kept->path, sizeof *kept->path, kept->paths, PATHS);
    kept->path[0] = (kept_path){.from = t->from ? t->from->life.number : 0};
    memcpy(kept->path[0].extent, t->extent, (size_t)t->order * sizeof *t->extent);
    share_rules(path, &kept->path[0].path);
}

/* ---- layouts ---- */

/// Is it one of the format's, which outlives it?
static bool belongs(const cairn_format *format, const cairn_layout *to)
{
    for (int k = 0; k < format->members; k++)
        if (to->encoding == format->member[k] || to->encoding == format->normal[k])
            return true;
    return false;
}

/// Does it follow from the text, the extents and the numbers of queries alone? Values that
/// are narrower than the type follow from the values.
static bool is_plain(const cairn_format *format, const cairn_layout *layout)
{
    return cairn_layout_is_wide(layout) && !layout->given.constants
           && belongs(format, layout);
}

/// @p span: [queries] what these gave; NULL: they are not known.
static bool is_layout(const cairn_layout   *layout,
                      const target         *t,
                      const cairn_encoding *encoding,
                      const cairn_interval *span)
{
    const size_t spans = (size_t)encoding->queries * sizeof *span;

    return layout->encoding == encoding && layout->values.bits == t->value_bits
           && same_extents(t, layout->extent)
           && memcmp(layout->box, t->box, (size_t)t->order * sizeof *t->box) == 0
           && (spans == 0
               || (span && layout->given.spans
                   && memcmp(layout->given.span, span, spans) == 0));
}

static bool find_layout(cairn_kept           *kept,
                        const target         *t,
                        const cairn_encoding *encoding,
                        const cairn_interval *span)
{
    for (int k = 0; kept && k < kept->layouts; k++)
        if (is_layout(kept->layout[k], t, encoding, span)) {
            to_front(kept->layout, sizeof *kept->layout, k);
            return true;
        }
    return false;
}

cairn_status cairn_kept_layout(cairn_env            *env,
                               const cairn_build    *build,
                               const cairn_encoding *encoding,
                               const cairn_interval *span,
                               cairn_layout        **layout)
{
    const target      t    = target_of(build);
    cairn_kept *const kept = life_of(t.to)->kept;

    if (!find_layout(kept, &t, encoding, span))
        return cairn_layout_create(env, encoding, t.extent, t.box, span, t.value_bits,
                                   layout);
    *layout = cairn_layout_hold(kept->layout[0]);
    return CAIRN_OK;
}

static void add_layout(cairn_env          *env,
                       cairn_kept         *kept,
                       const target       *t,
                       const cairn_layout *layout)
{
    if (!is_plain(t->to, layout)
        || find_layout(kept, t, layout->encoding, layout->given.span))
        return;
    if (kept->layouts == LAYOUTS) cairn_layout_destroy(env, &kept->layout[LAYOUTS - 1]);
    kept->layouts   = push(kept->layout, sizeof *kept->layout, kept->layouts, LAYOUTS);
    kept->layout[0] = cairn_layout_hold(layout);
}

/* ---- proofs ---- */

static uint64_t number_of(const cairn_layout *layout)
{
    return layout ? layout->encoding->number : 0;
}

/// Where answers about a source and a target of the format are; NULL: they are not kept.
static cairn_kept *
list_of(const cairn_format *format, const cairn_layout *from, const cairn_layout *to)
{
    if (!belongs(format, to) || number_of(to) == 0 || (from && number_of(from) == 0))
        return NULL;
    return life_of(format)->kept;
}

/// The answer, if it is there.
static const cairn_convert_facts *find_proof(cairn_kept *kept, const proof_key *key)
{
    for (int k = 0; kept && k < PROOFS; k++) {
        const proof_key *its = &kept->proof[k].key;

        if (its->what != key->what || its->from != key->from || its->to != key->to
            || its->row != key->row || its->begin != key->begin)
            continue;
        to_front(kept->proof, sizeof *kept->proof, k);
        return &kept->proof[0].facts;
    }
    return NULL;
}

static void
add_proof(cairn_kept *kept, const proof_key *key, const cairn_convert_facts *facts)
{
    if (!kept) return;
    push(kept->proof, sizeof *kept->proof, PROOFS, PROOFS);
    kept->proof[0] = (proof){*key, *facts};
}

cairn_status cairn_kept_facts(cairn_env           *env,
                              const cairn_format  *format,
                              const cairn_layout  *from,
                              const cairn_layout  *to,
                              cairn_convert_facts *facts)
{
    cairn_kept *const kept = list_of(format, from, to);
    const proof_key   key  = {FACTS, number_of(from), number_of(to), 0, 0};
    const cairn_convert_facts *const known = find_proof(kept, &key);

    if (known) {
        *facts = *known;
        return CAIRN_OK;
    }
    CAIRN_TRY(cairn_convert_facts_find(env, from, to, facts));
    add_proof(kept, &key, facts);
    return CAIRN_OK;
}

cairn_status cairn_kept_sorted_within(cairn_env          *env,
                                      const cairn_format *format,
                                      const cairn_layout *from,
                                      const cairn_layout *to,
                                      int                 row,
                                      int                 begin,
                                      int                *sorted)
{
    cairn_kept *const kept = list_of(format, from, to);
    const proof_key   key = {SORTED_WITHIN, number_of(from), number_of(to), row, begin};
    const cairn_convert_facts *const known = find_proof(kept, &key);
    cairn_convert_facts              found = {0};

    if (!known)
        CAIRN_TRY(
            cairn_convert_sorted_within(env, from, to, row, begin, &found.sorted));
    if (!known) add_proof(kept, &key, &found);
    *sorted = known ? known->sorted : found.sorted;
    return CAIRN_OK;
}

cairn_status cairn_kept_levels_to_sort(cairn_env          *env,
                                       const cairn_format *format,
                                       const cairn_layout *from,
                                       const cairn_layout *to,
                                       int                *levels)
{
    cairn_kept *const kept = list_of(format, from, to);
    const proof_key   key  = {LEVELS_TO_SORT, number_of(from), number_of(to), 0, 0};
    const cairn_convert_facts *const known = find_proof(kept, &key);
    cairn_convert_facts              found = {0};

    if (!known) CAIRN_TRY(cairn_convert_levels_to_sort(env, from, to, &found.sorted));
    if (!known) add_proof(kept, &key, &found);
    *levels = known ? known->sorted : found.sorted;
    return CAIRN_OK;
}

cairn_status cairn_kept_known_through(cairn_env          *env,
                                      const cairn_format *format,
                                      const cairn_layout *to,
                                      int                 row,
                                      int                *level)
{
    cairn_kept *const                kept  = list_of(format, NULL, to);
    const proof_key                  key   = {KNOWN_THROUGH, 0, number_of(to), row, 0};
    const cairn_convert_facts *const known = find_proof(kept, &key);
    cairn_convert_facts              found = {0};

    if (!known) CAIRN_TRY(cairn_convert_known_through(env, to, row, &found.sorted));
    if (!known) add_proof(kept, &key, &found);
    *level = known ? known->sorted : found.sorted;
    return CAIRN_OK;
}

/* ---- all ---- */

void cairn_kept_add(const cairn_format *from,
                    const cairn_local  *tensor,
                    const cairn_path   *path)
{
    const target             t    = {.from       = from,
                                     .to         = tensor->format,
                                     .extent     = tensor->shape.extent,
                                     .box        = tensor->box,
                                     .order      = tensor->shape.order,
                                     .value_bits = tensor->value_bits};
    cairn_format_life *const life = life_of(t.to);

    if (!life->kept && CAIRN_NEW_ZERO(tensor->env, 1, &life->kept) != CAIRN_OK) return;
    life->forget = forget;
    add_path(tensor->env, life->kept, &t, path);
    for (int g = 0; g < tensor->groups; g++)
        add_layout(tensor->env, life->kept, &t, tensor->group[g].layout);
}
