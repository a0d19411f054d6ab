// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ranges of a query's numbers, found from the ranges of levels that hold them: where a
/// level's index is the number plus a constant, its quotient or its remainder.

#include "api/arrays/from_parts.h"

#include <inttypes.h>
#include <string.h>

/* As far as index arithmetic goes, so that no size overflows. */
#define LEAST (INT64_MIN / 4)
#define MOST  (INT64_MAX / 2)

static cairn_interval meet(cairn_interval a, cairn_interval b)
{
    return (cairn_interval){a.lo > b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
}

/// The constant of `query q + constant`; false: the form is something else.
static bool is_number(const cairn_algebra *algebra, const cairn_form *form, int q)
{
    const cairn_atom *atom =
        form->terms == 1 ? &algebra->atom[form->term[0].atom] : NULL;

    return atom && form->term[0].factor == 1 && atom->kind == CAIRN_ATOM_QUERY
           && atom->number == q;
}

/// What the range of one level says of query @p q.
static void narrow_by(const cairn_layout       *layout,
                      int                       l,
                      const cairn_kernel_level *theirs,
                      int                       q,
                      cairn_interval           *span)
{
    const cairn_form *form  = &layout->level[l].form;
    const int         atom  = cairn_form_atom(form);
    cairn_interval    range = {theirs->lo, theirs->lo + theirs->size - 1};

    if (is_number(layout->algebra, form, q)) {
        range.lo -= form->constant;
        range.hi -= form->constant;
    } else {
        const cairn_atom *its = atom >= 0 ? &layout->algebra->atom[atom] : NULL;

        if (!its || its->kind < CAIRN_ATOM_DIV
            || !is_number(layout->algebra, &its->form, q))
            return;
        const int64_t b = its->divisor, c = its->form.constant;

        if (range.lo <= LEAST / b || range.hi >= MOST / b - 1) return;
        if (its->kind == CAIRN_ATOM_DIV) {
            range = (cairn_interval){range.lo * b - c, (range.hi + 1) * b - 1 - c};
        } else {
            const int64_t block = cairn_floor_div(span->lo + c, b);

            if (cairn_floor_div(span->hi + c, b) != block) return;
            range =
                (cairn_interval){block * b + range.lo - c, block * b + range.hi - c};
        }
    }
    *span = meet(*span, range);
}

/// The range by definition, narrowed by levels; first those that divide.
static cairn_status find_span(cairn_env               *env,
                              const cairn_layout      *layout,
                              const int64_t           *extent,
                              const cairn_kernel_part *theirs,
                              int                      q,
                              cairn_interval          *span)
{
    const cairn_interval all = {LEAST, MOST};
    bool                 known;

    CAIRN_TRY(cairn_query_range(env, layout->encoding, q, extent, span, &known));
    if (!known) *span = all;
    for (int turn = 0; turn < 2; turn++)
        for (int l = 0; l < layout->levels; l++) {
            const cairn_kernel_level *level = &theirs->level[l];

            if (level->size > 0 && level->size < MOST && level->lo > LEAST
                && level->lo < MOST)
                narrow_by(layout, l, level, q, span);
        }
    /* Gaps are nodes: their numbers are as many. */
    for (int l = layout->first; l <= layout->last && span->hi == MOST; l++)
        if (layout->level[l].gaps && layout->level[l].query == q)
            *span = (cairn_interval){0, theirs->level[l].nodes - 1};
    if (span->lo == LEAST || span->hi == MOST) *span = (cairn_interval){0, -1};
    return CAIRN_OK;
}

cairn_status cairn_handed_spans(const cairn_handed    *handed,
                                const cairn_encoding  *encoding,
                                const cairn_part_view *view,
                                cairn_interval        *span)
{
    cairn_env    *env    = &handed->context->env;
    cairn_layout *layout = NULL;

    memset(span, 0, CAIRN_MAX_QUERIES * sizeof *span);
    if (encoding->queries == 0) return CAIRN_OK;
    if (view->span) {
        CAIRN_CHECK(view->queries == encoding->queries, env, CAIRN_BAD_ARGUMENT,
                    CAIRN_FROM_PARTS ": member %d: has %d queries, but the format %d",
                    view->member, view->queries, encoding->queries);
        for (int q = 0; q < encoding->queries; q++) {
            span[q] = (cairn_interval){view->span[2 * q], view->span[2 * q + 1]};
            CAIRN_CHECK(span[q].lo >= LEAST && span[q].hi <= MOST, env,
                        CAIRN_BAD_ARGUMENT,
                        CAIRN_FROM_PARTS ": member %d: span[%d]: %" PRId64 "..%" PRId64
                                         " leaves the range of indices",
                        view->member, q, span[q].lo, span[q].hi);
        }
        return CAIRN_OK;
    }
    CAIRN_TRY(cairn_layout_create(env, encoding, NULL, NULL, NULL, 64, &layout));
    cairn_status status = CAIRN_OK;

    for (int q = 0; q < encoding->queries && status == CAIRN_OK; q++)
        status =
            find_span(env, layout, handed->shape.extent, view->arrays, q, &span[q]);
    cairn_layout_destroy(env, &layout);
    return status;
}
