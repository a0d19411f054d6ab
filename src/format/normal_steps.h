// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The steps of finding a normal form, one file each. Internal to normal.c.

#ifndef CAIRN_FORMAT_NORMAL_STEPS_H
#define CAIRN_FORMAT_NORMAL_STEPS_H

#include "format/normal.h"
#include "format/space.h"

#define CAIRN_NORMAL_KEYS CAIRN_SPACE_ROWS ///< Forms of one map, at most.

/// A list of forms.
typedef struct cairn_form_list {
    int        n;
    cairn_form form[CAIRN_NORMAL_KEYS];
} cairn_form_list;

/// An encoding while its normal form is found. Queries before the one at hand are done.
typedef struct cairn_normal {
    cairn_env            *env;
    cairn_arena          *arena;
    const cairn_encoding *written;
    cairn_encoding       *made;
    cairn_algebra        *algebra;                  ///< Of plain forms.
    int                   alias[CAIRN_MAX_QUERIES]; ///< The query that each is.
    int64_t unit[CAIRN_MAX_QUERIES]; ///< The text's numbers are so many times
                                     ///< the normal form's.
    uint32_t         counts;         ///< Sums whose numbers are never below 0.
    uint32_t         visible;        ///< Queries whose numbers themselves matter.
    cairn_form_list *list;           ///< Scratch, [4]
    cairn_space     *space;          ///< Scratch, [3]
} cairn_normal;

/// The value map of query @p q of `made`, which has the text's: classes that nothing falls
/// in go, conditions and their order become canonical.
cairn_status cairn_normal_with(cairn_normal *n, int q);

/// The maps of query @p q of `made`.
cairn_status cairn_normal_maps(cairn_normal *n, int q);

/// The groups that a map makes, in canonical words, if their order does not matter.
cairn_status
cairn_normal_groups(cairn_normal *n, const cairn_map *map, cairn_map *made);

/// Are two maps of `made` the same, expression by expression?
cairn_status cairn_normal_same_map(cairn_normal    *n,
                                   const cairn_map *a,
                                   const cairn_map *b,
                                   bool            *same);

#endif
