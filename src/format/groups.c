// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How many positions a group has at most.

#include "format/group_table.h"
#include "format/layout.h"
#include "format/points.h"

#include <string.h>

/* 2^17 steps of the search are about 30 ms; beyond, bounds must do. */
enum { MAX_STEPS = 1 << 17, MAX_CORNERS = 6 };

static const int64_t far = (int64_t)1 << 40; /* an "unbounded" box reaches this far */

/// Count the points of the group of @p at, at most MAX_STEPS; dimensions outside
/// @p used are held fixed.
static int64_t count_group(const cairn_algebra  *algebra,
                           int                   forms,
                           const cairn_form     *form,
                           const cairn_interval *box,
                           uint32_t              used,
                           const int64_t        *at)
{
    cairn_points   points;
    cairn_interval narrow[CAIRN_MAX_ORDER];
    int64_t        target[CAIRN_MAX_LEVELS], d[CAIRN_MAX_ORDER], count = 0;

    for (int k = 0; k < algebra->order; k++)
        narrow[k] = used & 1U << k ? box[k] : (cairn_interval){at[k], at[k]};
    for (int f = 0; f < forms; f++)
        target[f] = cairn_form_value(algebra, &form[f], at, NULL);
    cairn_points_init(&points, algebra, forms, form, target, narrow);
    while (count < MAX_STEPS && cairn_points_next(&points, d))
        count++;
    return count;
}

/// size / step, rounded up.
static int64_t steps(int64_t size, int64_t step)
{
    return size / step + (size % step != 0);
}

/// A diagonal: one form a*di + b*dj (perhaps floored) over two dimensions. Points of one
/// line are steps of (b/g, -a/g) apart.
static bool diagonal(const cairn_algebra  *algebra,
                     const cairn_form     *form,
                     const cairn_interval *box,
                     int64_t              *count)
{
    const cairn_atom *atom  = form->terms ? &algebra->atom[form->term[0].atom] : NULL;
    int64_t           lines = 1, g, a, b;

    if (form->terms == 1 && atom->kind == CAIRN_ATOM_DIV) {
        lines = atom->divisor;
        form  = &atom->form;
    }
    if (form->terms != 2 || form->term[1].atom >= algebra->order) return false;
    a = form->term[0].factor < 0 ? -form->term[0].factor : form->term[0].factor;
    b = form->term[1].factor < 0 ? -form->term[1].factor : form->term[1].factor;
    g = cairn_gcd(a, b);
    const int64_t along_i = steps(cairn_interval_size(box[form->term[0].atom]), b / g);
    const int64_t along_j = steps(cairn_interval_size(box[form->term[1].atom]), a / g);

    *count = cairn_count_times(steps(lines, g), along_i < along_j ? along_i : along_j);
    return true;
}

/// Where dimension @p k stands in candidate @p which of four: both ends, both middles.
/// The longest diagonals, the fullest blocks and the fullest residues of a box go
/// through one of these.
static int64_t candidate(const cairn_interval *box, int k, uint32_t which)
{
    const int64_t half = (box[k].hi - box[k].lo) / 2;

    switch (which & 3) {
    case 0: return box[k].lo;
    case 1: return box[k].lo + half;
    case 2: return box[k].hi - half;
    default: return box[k].hi;
    }
}

/// The candidate point number @p number: two bits for each of the first dimensions of
/// @p used, the low end in all others.
static void candidate_point(const cairn_algebra  *algebra,
                            const cairn_interval *box,
                            uint32_t              used,
                            uint32_t              number,
                            int64_t              *at)
{
    for (int k = 0; k < algebra->order; k++) {
        const bool chosen = used >> k & 1;

        at[k] = chosen ? candidate(box, k, number) : box[k].lo;
        if (chosen) number >>= 2;
    }
}

static uint32_t candidates(uint32_t used)
{
    const int dims = __builtin_popcount(used);

    return 1U << 2 * (dims < 4 ? dims : 4);
}

/// Largest count over groups through the candidates, of the dimensions @p used, which
/// the given forms alone depend on.
static int64_t sample_groups(const cairn_algebra  *algebra,
                             int                   forms,
                             const cairn_form     *form,
                             const cairn_interval *box,
                             uint32_t              used)
{
    int64_t most = 0, at[CAIRN_MAX_ORDER];

    for (uint32_t c = 0; c < candidates(used) && most < MAX_STEPS; c++) {
        candidate_point(algebra, box, used, c, at);
        const int64_t count = count_group(algebra, forms, form, box, used, at);

        if (count > most) most = count;
    }
    return most;
}

/// Forms that depend on dimensions of @p used, gathered; @p used grows to all their
/// dimensions.
static int gather_component(const cairn_algebra *algebra,
                            int                  forms,
                            const cairn_form    *form,
                            uint32_t            *used,
                            cairn_form          *gathered)
{
    uint32_t before;
    int      n;

    do {
        before = *used;
        n      = 0;
        for (int f = 0; f < forms; f++) {
            const uint32_t dims = cairn_form_dims(algebra, &form[f]);

            if (!(dims & *used)) continue;
            *used |= dims;
            gathered[n++] = form[f];
        }
    } while (*used != before);
    return n;
}

/// Dimensions that no form ties together count by themselves: groups are products.
static cairn_status largest_in_component(cairn_env            *env,
                                         const cairn_algebra  *algebra,
                                         int                   forms,
                                         const cairn_form     *form,
                                         const cairn_interval *box,
                                         uint32_t              used,
                                         int64_t              *count)
{
    const int64_t      all = cairn_box_points(box, algebra->order, used);
    cairn_group_counts exact;

    *count = all;
    if (forms == 0) return CAIRN_OK;
    if (__builtin_popcount(used) > 1 && all <= CAIRN_TABLE_POSITIONS) {
        CAIRN_TRY(
            cairn_group_table(env, algebra, forms, form, 0, NULL, box, used, &exact));
        *count = exact.largest;
        return CAIRN_OK;
    }
    if (forms == 1 && diagonal(algebra, &form[0], box, count)) return CAIRN_OK;
    *count = sample_groups(algebra, forms, form, box, used);
    if (*count == MAX_STEPS) *count = all; /* too long to count: the box bounds it */
    return CAIRN_OK;
}

cairn_status cairn_group_largest(cairn_env            *env,
                                 const cairn_algebra  *algebra,
                                 int                   forms,
                                 const cairn_form     *form,
                                 const cairn_interval *box,
                                 int64_t              *positions)
{
    uint32_t     seen     = 0;
    cairn_form  *gathered = NULL;
    int64_t      product  = 1, count;
    cairn_status status   = CAIRN_OK;

    CAIRN_TRY(CAIRN_NEW(env, forms, &gathered));
    for (int k = 0; k < algebra->order && status == CAIRN_OK; k++) {
        uint32_t used = 1U << k;

        if (cairn_interval_size(box[k]) == 0) product = 0;
        if (seen & used || product == 0) continue;
        const int n = gather_component(algebra, forms, form, &used, gathered);

        status  = largest_in_component(env, algebra, n, gathered, box, used, &count);
        product = cairn_count_times(product, count);
        seen |= used;
    }
    cairn_free(env, gathered);
    if (status == CAIRN_OK) *positions = product;
    return status;
}

static bool
one_dim_each(const cairn_algebra *algebra, int forms, const cairn_form *form)
{
    for (int f = 0; f < forms; f++)
        if (__builtin_popcount(cairn_form_dims(algebra, &form[f])) > 1) return false;
    return true;
}

/// Is the group of @p form bounded in an unbounded box? Then how large at most, over
/// the groups through the first positions (groups repeat with the divisors' period).
static bool unbounded_capacity(const cairn_algebra *algebra,
                               int                  forms,
                               const cairn_form    *form,
                               int64_t             *positions)
{
    cairn_interval box[CAIRN_MAX_ORDER], narrow[CAIRN_MAX_ORDER];
    int64_t        at[CAIRN_MAX_ORDER] = {0}, reach = 1;

    for (int k = 0; k < algebra->order; k++)
        box[k] = narrow[k] = (cairn_interval){-far, far};
    for (int round = 0; round < 4; round++)
        for (int f = 0; f < forms; f++) {
            const int64_t v = cairn_form_value(algebra, &form[f], at, NULL);

            cairn_form_narrow(algebra, &form[f], (cairn_interval){v, v}, narrow);
        }
    for (int k = 0; k < algebra->order; k++)
        reach = cairn_count_times(reach, cairn_interval_size(narrow[k]));
    if (reach >= MAX_STEPS * 8) return false;
    *positions = 0;
    /* Blocks alone are all alike; skewed ones are tried from several phases. */
    const int phases = one_dim_each(algebra, forms, form) ? 1 : MAX_CORNERS;

    for (int corner = 0; corner < phases * phases; corner++) {
        for (int k = 0; k < algebra->order; k++)
            at[k] = k & 1 ? corner / phases : corner % phases;
        const int64_t count = count_group(algebra, forms, form, box, ~0U, at);

        if (count > *positions) *positions = count;
    }
    return true;
}

cairn_status cairn_group_capacity(cairn_env            *env,
                                  const cairn_algebra  *algebra,
                                  int                   forms,
                                  const cairn_form     *form,
                                  const cairn_interval *box,
                                  int64_t              *positions)
{
    if (unbounded_capacity(algebra, forms, form, positions)) return CAIRN_OK;
    return cairn_group_largest(env, algebra, forms, form, box, positions);
}
