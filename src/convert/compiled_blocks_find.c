// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Recognising queries that number groups along lines.

#include "convert/compiled_blocks.h"
#include "format/normal.h"

static bool is_constant(const cairn_start *start, int64_t value)
{
    return start->kind == CAIRN_START_CONST && start->value == value;
}

/* ---- expressions ---- */

/// Is a form a dimension, or its quotient?
static bool is_quotient(const cairn_algebra *algebra,
                        const cairn_form    *form,
                        int                 *dim,
                        int64_t             *divisor)
{
    const cairn_atom *atom;

    if (form->terms != 1 || form->constant || form->term[0].factor != 1) return false;
    atom     = &algebra->atom[form->term[0].atom];
    *divisor = 1;
    if (atom->kind == CAIRN_ATOM_DIV) {
        if (!is_quotient(algebra, &atom->form, dim, divisor) || *divisor != 1)
            return false;
        *divisor = atom->divisor;
        return true;
    }
    *dim = atom->number;
    return atom->kind == CAIRN_ATOM_DIM;
}

/// Queries while they are looked at.
typedef struct {
    const cairn_encoding *encoding;
    cairn_algebra        *algebra;
    cairn_blocks         *b;
    cairn_form            form[CAIRN_MAX_LEVELS]; ///< Of the sum's groupBy.
    uint32_t              taken;                  ///< Those that `b` has.
} finder;

/// All expressions quotients, each of a dimension of its own.
static cairn_status read_groups(finder *f, bool *fits)
{
    const cairn_map *map  = &f->encoding->query[f->b->sum].group_by;
    uint32_t         dims = 0;

    for (int g = 0; g < map->count && *fits; g++) {
        int     dim;
        int64_t divisor;

        CAIRN_TRY(cairn_form_of(f->algebra, map->expr[g], &f->form[g]));
        *fits =
            is_quotient(f->algebra, &f->form[g], &dim, &divisor) && !(dims >> dim & 1);
        if (*fits) dims |= 1U << dim;
    }
    return CAIRN_OK;
}

/// The next of our expressions is number @p g of the sum's.
static void take(finder *f, int g)
{
    const cairn_query *sum = &f->encoding->query[f->b->sum];
    cairn_blocks      *b   = f->b;
    const int          k   = b->forms++;

    (void)is_quotient(f->algebra, &f->form[g], &b->form[k].dim, &b->form[k].divisor);
    b->form[k].given          = g;
    b->query.group_by.expr[k] = sum->group_by.expr[g];
    f->taken |= 1U << g;
}

/// Which of the sum's expressions this is; -1: none.
static cairn_status find_expr(finder *f, const cairn_expr *expr, int *g)
{
    cairn_form form;

    CAIRN_TRY(cairn_form_of(f->algebra, expr, &form));
    *g = f->encoding->query[f->b->sum].group_by.count - 1;
    while (*g >= 0 && !cairn_form_equal(&form, &f->form[*g]))
        --*g;
    return CAIRN_OK;
}

/// Lines first, in the order of the enum's groupBy; then what it traverses; then the rest
/// in the order of the sum's, by which it goes where the traversal says nothing.
static cairn_status order_groups(finder *f, bool *fits)
{
    const cairn_query *slot = &f->encoding->query[f->b->slot];
    const int          all  = f->encoding->query[f->b->sum].group_by.count;
    int                g;

    for (int k = 0; k < slot->group_by.count && *fits; k++) {
        CAIRN_TRY(find_expr(f, slot->group_by.expr[k], &g));
        *fits = g >= 0 && !(f->taken >> g & 1);
        if (*fits) take(f, g);
    }
    f->b->outer = f->b->forms;
    for (int k = 0; slot->traverse_by && k < slot->traverse_by->count && *fits; k++) {
        CAIRN_TRY(find_expr(f, slot->traverse_by->expr[k], &g));
        *fits = g >= 0;
        if (*fits && !(f->taken >> g & 1)) take(f, g);
    }
    for (g = 0; g < all && *fits; g++)
        if (!(f->taken >> g & 1)) take(f, g);
    f->b->row = f->b->outer - 1;
    while (f->b->row >= 0 && f->b->form[f->b->row].dim != 0)
        f->b->row--;
    *fits = *fits && f->b->outer < f->b->forms;
    return CAIRN_OK;
}

/// Does another query have the enum's lines?
static cairn_status has_lines(finder *f, const cairn_map *map, bool *same)
{
    uint32_t lines = 0;
    int      g;

    *same = map->count == f->b->outer;
    for (int k = 0; k < map->count && *same; k++) {
        CAIRN_TRY(find_expr(f, map->expr[k], &g));
        *same = g >= 0 && !(lines >> g & 1);
        if (*same) lines |= 1U << g;
    }
    for (int k = 0; k < f->b->outer && *same; k++)
        *same = lines >> f->b->form[k].given & 1;
    return CAIRN_OK;
}

/* ---- queries ---- */

/// An enum of the sum's groups that numbers those with entries from 0, apart from others.
/// Every entry adds to the sum, so that groups with entries are those whose sum is not 0.
static bool is_slot(finder *f)
{
    const cairn_query *slot = &f->encoding->query[f->b->slot];
    const cairn_start *some, *none;
    bool               apart;

    if (slot->func != CAIRN_QUERY_ENUM || slot->arg != f->b->sum || slot->distance
        || !cairn_query_starts(slot, &some, &none, &apart) || !apart
        || !is_constant(some, 0))
        return false;
    f->b->width = none->kind == CAIRN_START_QUERY ? (int)none->value : -1;
    return none->kind != CAIRN_START_CONST;
}

/// A sum that counts the groups with entries of every line.
static cairn_status is_width(finder *f, bool *fits)
{
    const cairn_query *width = &f->encoding->query[f->b->width];
    const cairn_start *some, *none;
    bool               apart;

    *fits = width->func == CAIRN_QUERY_SUM && width->arg == f->b->sum
            && cairn_query_starts(width, &some, &none, &apart) && is_constant(some, 1)
            && is_constant(none, 0);
    return *fits ? has_lines(f, &width->group_by, fits) : CAIRN_OK;
}

/// Does the map use no number but the slot's?
static cairn_status uses_slot_only(finder *f, bool *fits)
{
    const cairn_map *map = &f->encoding->map;

    for (int l = 0; l < map->count && *fits; l++) {
        cairn_form form;

        CAIRN_TRY(cairn_form_of(f->algebra, map->expr[l], &form));
        *fits = (cairn_form_queries(f->algebra, &form) & ~(1U << f->b->slot)) == 0;
    }
    return CAIRN_OK;
}

/// The enum, and how many queries are asked for.
static int find_slot(const cairn_encoding *e, int *asked)
{
    int slot = -1;

    *asked = 0;
    for (int q = cairn_encoding_next_query(e, 0); q < e->queries;
         q     = cairn_encoding_next_query(e, q + 1)) {
        ++*asked;
        if (e->query[q].func == CAIRN_QUERY_ENUM) slot = q;
    }
    return slot;
}

static cairn_status look(finder *f, bool *fits)
{
    const cairn_encoding *e = f->encoding;
    cairn_blocks         *b = f->b;
    int                   asked;

    b->slot = find_slot(e, &asked);
    b->sum  = b->slot >= 0 ? e->query[b->slot].arg : -1;
    *fits   = b->sum >= 0;
    if (!*fits) return CAIRN_OK;

    const cairn_query *sum = &e->query[b->sum];

    b->query = *sum;
    *fits    = sum->func == CAIRN_QUERY_SUM && sum->arg == CAIRN_ARG_VALUE
            && cairn_sum_counts_each(sum) && is_slot(f)
            && asked == (b->width >= 0 ? 3 : 2);
    if (*fits) CAIRN_TRY(read_groups(f, fits));
    if (*fits) CAIRN_TRY(order_groups(f, fits));
    if (*fits && b->width >= 0) CAIRN_TRY(is_width(f, fits));
    if (*fits) CAIRN_TRY(uses_slot_only(f, fits));
    return CAIRN_OK;
}

/// Are all positions of the dimensions from @p first on this rank's?
static bool has_all(const cairn_build *build, int first)
{
    for (int k = first; k < build->shape.order; k++)
        if (build->box[k].lo != 0 || build->box[k].hi != build->shape.extent[k] - 1)
            return false;
    return true;
}

bool cairn_blocks_has_all(const cairn_build *build)
{
    return has_all(build, 0);
}

cairn_status cairn_blocks_find(cairn_member_build *m, const cairn_build *build)
{
    finder       f    = {.encoding = m->encoding};
    bool         fits = false;
    cairn_status status;

    if (!has_all(build, build->net != NULL) || m->encoding->queries < 2)
        return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(m->env, 1, &f.algebra));
    cairn_algebra_init(f.algebra, m->env, build->shape.order);
    CAIRN_GO(done, CAIRN_NEW_ZERO(m->env, 1, &f.b));
    status = look(&f, &fits);
done:
    cairn_free(m->env, f.algebra);
    if (status == CAIRN_OK && fits) {
        m->blocks = f.b;
        return CAIRN_OK;
    }
    cairn_free(m->env, f.b);
    return status;
}
