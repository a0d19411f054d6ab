// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Suggestions: formats that may suit a matrix, and what a product in each would take,
/// told from the structure (structure.h) before anything is stored. The formats are lines
/// of a text (candidates.txt), each with the name of a model, which says what is stored of
/// a structure, and rates for that. Nothing in the code depends on them, and whoever knows
/// a better format names it.
///
/// Rates are seconds of one thread, fitted once to many matrices on one machine. They
/// rank formats; which of the first ones is best here, tries tell.

#ifndef CAIRN_AUTO_SUGGEST_H
#define CAIRN_AUTO_SUGGEST_H

#include "auto/structure.h"
#include "base/env.h"

#include <cairn/expr.h>

/// What a product in a format works through.
typedef struct cairn_suggest_work {
    double rows;  ///< Rows, slices or rows of blocks that begin.
    double units; ///< Blocks or stretches that begin.
    double turns; ///< Rows or slices that differ from the one before: there a processor
                  ///< guesses wrong.
    double strewn; ///< Rows of Y that stand where other threads write, too.
    double values; ///< Values multiplied, padding included, but for those of a hybrid's
                   ///< stretches.
    double stored; ///< Values, all of them.
    double edge;   ///< Of these, those of rows of blocks or stretches that stick out.
    double widest; ///< Values of the slice or row of blocks that has most, at most: one
                   ///< thread works through them.
    double bytes;  ///< Of the arrays.
} cairn_suggest_work;

/// Products that have rates of their own.
typedef enum {
    CAIRN_SUGGEST_ONE,        ///< One column.
    CAIRN_SUGGEST_MANY,       ///< Several: rates are for each.
    CAIRN_SUGGEST_TRANSPOSED, ///< With the transpose.
} cairn_suggest_kind;

/// What a format stores of a structure.
typedef struct cairn_suggest_model {
    const char *name; ///< As candidates.txt has it.
    /// What it stores of a structure; less than the entries: it is not for that.
    void (*work)(const cairn_structure *structure,
                 double                 value_bytes,
                 cairn_suggest_work    *work);
    /// Say what of the structure speaks for it, as a part of a sentence.
    void (*say)(const cairn_structure *structure, char *out, size_t size);
} cairn_suggest_model;

/// A suggestion.
typedef struct cairn_suggestion {
    const char                *format;
    const cairn_suggest_model *model;
    double launch, team; ///< Seconds of a product, and more with several threads.
    double row, unit, turn, value; ///< Seconds for each of the work,
    double byte;                   ///< each byte beyond the caches,
    double near, far;   ///< each touch of X beyond the first, the second cache,
    double lead;        ///< each value by which the widest exceeds a thread's share,
    double edge, strew; ///< each value where something sticks out, each strewn row.
    double convert;     ///< Seconds an entry to store it.
} cairn_suggestion;

/// The suggestions for a product; the first is the one to compare with.
typedef struct cairn_suggestions {
    cairn_suggestion *list; ///< [count]
    int               count;
    char             *text; ///< What the formats' texts point into.
} cairn_suggestions;

/// The text of candidates.txt, as it stands there.
extern const char cairn_candidates_text[];

/// Read suggestions for a product: one format a line, as users write it. Lines that begin
/// with # (and go on with no letter, as #encoding does) are comments. Behind a colon there
/// is what candidates.txt has there; a format without is one of which no model knows
/// anything, for any product.
///
/// Local.
///
/// @param[in]  origin       Name of the text in messages.
/// @param[out] suggestions  Unchanged on failure. Freed with cairn_suggestions_fini().
/// @retval CAIRN_BAD_FORMAT  A line is not like that, a format is too long, or there is
///                           none for the product. Whether formats mean anything is found
///                           when they are used.
cairn_status cairn_suggestions_read(cairn_env                   *env,
                                    const char                  *text,
                                    const char                  *origin,
                                    const cairn_product_options *op,
                                    cairn_suggestions           *suggestions);

void cairn_suggestions_fini(cairn_env *env, cairn_suggestions *suggestions);

/// The model called @p name; NULL: there is none.
const cairn_suggest_model *cairn_suggest_model_find(const char *name);

/// Seconds that a product takes in a format, and seconds to store it.
///
/// @param[out] product    INFINITY: the format is not for this structure, or has no model.
void cairn_suggestion_predict(const cairn_suggestion      *suggestion,
                              const cairn_structure       *structure,
                              const cairn_product_options *op,
                              int                          value_bits,
                              int                          threads,
                              double                      *product,
                              double                      *convert);

#endif
