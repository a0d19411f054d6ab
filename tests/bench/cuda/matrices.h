// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Matrices of the sections: how each is made, and its compressed rows with what a product
/// of them is.

#ifndef CAIRN_TESTS_BENCH_MATRICES_H
#define CAIRN_TESTS_BENCH_MATRICES_H

#include "card.h"

/// Full size, and as small as the tests want it; formats separated by ';'.
typedef struct {
    const char   *name, *kind; ///< `kind` NULL: a file of the shared folder.
    int           block;
    const char   *formats;
    cairn_problem size[2];
} card_recipe;

/// Those that say most stand first.
extern const card_recipe card_recipes[];
extern const int         card_recipes_count;

/// A matrix in compressed rows, and what its product is.
typedef struct {
    int32_t  rows, cols, nnz;
    int32_t *ptr, *idx;
    double  *val;
    double  *want, *sum; ///< [rows] y, and the sum of its terms' absolute values.
} card_rows;

/// Make a matrix, with values that are all different.
cairn_status card_source(card *c, const card_recipe *r, cairn_source **source);

/// Compressed rows of a source's entries, which are sorted; and free them.
void card_rows_take(const cairn_source *source, card_rows *a);
void card_rows_leave(card_rows *a);

/// Is a matrix among those that are asked for?
bool card_wants(const card_settings *settings, const char *name);

#endif
