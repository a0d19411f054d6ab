// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What is known when some forms are: the linear algebra of index maps. A *knowledge*
/// starts with variables (values of levels, say), each the value of a form. Everything
/// in the rational span of those forms is known, as a linear combination of variables;
/// since f%c is written f - c*floor(f/c), a pair f/c, f%c gives back f by itself, however
/// nested. Closing adds what follows by a step that is not linear: floor(f/c) and f%c of
/// a known f, and the element that an enum or reorder query finds for a known number and
/// group.
///
/// The inverse of an index map, the test that one query's groups are functions of
/// another's, and the levels that the levels above determine are three uses of it.
///
/// Source: the two-step injectivity check follows UniSparse, OOPSLA 2024, section 4.1;
/// the knowledge and its steps are ours.

#ifndef CAIRN_FORMAT_KNOWN_H
#define CAIRN_FORMAT_KNOWN_H

#include "format/algebra.h"

#define CAIRN_MAX_VARS    96 ///< Variables of one knowledge, steps' results included.
#define CAIRN_KNOWN_STEPS 48

/// (sum num[k] * variable var[k] + constant) / den, exact: a value at which the division
/// leaves a remainder does not exist.
typedef struct cairn_linear {
    int     terms;
    int     var[CAIRN_MAX_LEVELS];
    int64_t num[CAIRN_MAX_LEVELS];
    int64_t constant, den;
} cairn_linear;

/// One step that is not linear; its results are new variables from `var` on.
typedef struct cairn_step {
    enum { CAIRN_STEP_FLOOR, CAIRN_STEP_MOD, CAIRN_STEP_QUERY } kind;
    int          var;     ///< First result.
    cairn_linear in;      ///< FLOOR, MOD: the dividend. QUERY: the number.
    int64_t      divisor; ///< FLOOR, MOD.
    int query; ///< QUERY: which. Its results are the dimensions of the position
               ///< found or, for a query over groups of an earlier one, the
               ///< earlier query's groupBy expressions there.
    int          groups; ///< QUERY: values of its groupBy expressions.
    cairn_linear group[CAIRN_MAX_LEVELS];
} cairn_step;

typedef struct cairn_known cairn_known;

/// Create an empty knowledge over the atoms of @p algebra (which may grow: remainders
/// bring their floors). Destroy with cairn_known_destroy().
cairn_status
cairn_known_create(cairn_env *env, cairn_algebra *algebra, cairn_known **known);

void cairn_known_destroy(cairn_env *env, cairn_known **known);

/// Add a variable whose value is that of @p form.
/// @param[out] var    Its number; may be NULL.
/// @param[out] fresh  False when the form was in the span already; may be NULL.
cairn_status
cairn_known_add(cairn_known *known, const cairn_form *form, int *var, bool *fresh);

/// Leave out one variable number: the next cairn_known_add() gets the one after it.
void cairn_known_skip(cairn_known *known);

/// Add that @p form has the value @p value everywhere.
cairn_status
cairn_known_add_constant(cairn_known *known, const cairn_form *form, int64_t value);

/// Is @p form known, and how? @p out may be NULL.
cairn_status cairn_known_solve(cairn_known      *known,
                               const cairn_form *form,
                               bool             *is_known,
                               cairn_linear     *out);

/// Add everything that follows by steps. @p queries (NULL: none) may be used: then the
/// forms of their maps enter the algebra.
cairn_status
cairn_known_close(cairn_known *known, const cairn_query *queries, int count);

/// The steps that were added, in order; borrowed.
const cairn_step *cairn_known_steps(const cairn_known *known, int *count);

/// Value of a combination, or false when the division leaves a remainder.
static inline bool
cairn_linear_value(const cairn_linear *linear, const int64_t *vars, int64_t *value)
{
    int64_t sum = linear->constant;

    for (int k = 0; k < linear->terms; k++)
        sum += linear->num[k] * vars[linear->var[k]];
    if (linear->den != 1) {
        if (sum % linear->den != 0) return false;
        sum /= linear->den;
    }
    *value = sum;
    return true;
}

#endif
