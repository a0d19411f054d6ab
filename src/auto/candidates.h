// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Candidates: the formats that are thought of where one is to be chosen, lines of a text.
/// candidates.txt comes with the library; a user's own file is read by the same code.
/// Nothing in the code depends on which formats there are, and a better one is added by
/// naming it.

#ifndef CAIRN_AUTO_CANDIDATES_H
#define CAIRN_AUTO_CANDIDATES_H

#include "auto/leaf.h"
#include "auto/suggest.h"
#include "cost/work.h"
#include "format/language.h"

/// Products that candidates are offered for.
typedef enum {
    CAIRN_FOR_ONE,        ///< One column.
    CAIRN_FOR_MANY,       ///< Several.
    CAIRN_FOR_TRANSPOSED, ///< With the transpose.
    CAIRN_FOR_KINDS
} cairn_for;

typedef struct cairn_candidate {
    const char            *text; ///< As it is written.
    cairn_format          *format;
    const cairn_estimator *estimator; ///< NULL: what it stores is found by storing.
    unsigned               products;  ///< Bit k: it is offered for cairn_for k.
    cairn_leaf leaf[CAIRN_FOR_KINDS][CAIRN_COUNTED]; ///< Of members; with an estimator.
    cairn_val_type val[CAIRN_COUNTED]; ///< What members' texts say of values.
    char (*kinds)
        [CAIRN_FAMILY]; ///< [members] What families say of a member's layout with
                        ///< large extents; "": it is known when it is stored.
} cairn_candidate;

typedef struct cairn_candidates {
    cairn_candidate *list; ///< [count]
    int              count;
    int              lines; ///< Of the text.
    char            *text;  ///< What the candidates' texts point into.
} cairn_candidates;

/// The text of candidates.txt, as it stands there.
extern const char cairn_candidates_text[];

/// Read candidates (candidates.txt says what a line is).
///
/// Local.
///
/// @param[in]  origin      Name of the text in messages.
/// @param[out] candidates  Unchanged on failure. Freed with cairn_candidates_fini().
/// @retval CAIRN_BAD_SYNTAX, CAIRN_BAD_FORMAT  The message has ORIGIN:LINE:COLUMN and what
///                             is wrong there: with a format, a word, too many or too long
///                             lines, or that there is none.
cairn_status cairn_candidates_parse(cairn_env        *env,
                                    const char       *text,
                                    const char       *origin,
                                    cairn_candidates *candidates);

void cairn_candidates_fini(cairn_env *env, cairn_candidates *candidates);

/// Give those that print like one of @p known and have no estimator its estimator.
cairn_status cairn_candidates_recognise(cairn_env              *env,
                                        const cairn_candidates *known,
                                        cairn_candidates       *candidates);

/// Fail because none of them is for the product.
cairn_status cairn_candidates_none(cairn_env              *env,
                                   const cairn_candidates *candidates,
                                   const char             *origin);

/// What a candidate stores of a structure, where an estimator says it; else, and where it
/// is not for that, no members.
void cairn_candidate_count(const cairn_candidate       *candidate,
                           const cairn_pattern         *structure,
                           const cairn_product_options *op,
                           const cairn_value_widths    *values,
                           cairn_counts                *counts);

cairn_for cairn_for_of(const cairn_product_options *op);

/// Read a file's text.
///
/// Local.
///
/// @param[out] text  NUL-terminated; freed with cairn_free(). Unchanged on failure.
/// @retval CAIRN_IO          It cannot be read, or is no regular file.
/// @retval CAIRN_BAD_SYNTAX  It is too long, or has a byte of 0.
cairn_status cairn_candidates_load(cairn_env *env, const char *path, char **text);

#endif
