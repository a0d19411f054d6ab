// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What arithmetic knows of a query's groups: which positions a group has, and in which
/// order they come. Found from the forms alone, before any entry is seen.
///
/// The groupBy values of a group *fix* dimensions, *tie* one to another (a diagonal), or
/// leave them in an interval (floors) or on a residue (remainders); what is left is open.
///
/// * Box: every key reads digits of open dimensions, floor(d / a) % b, each divisor one of
///   a chain. The group is a product of intervals and residues, put in order by a mixed
///   radix: how many positions come before one, and the k-th one, are sums over digits.
/// * Line: one dimension is open, and keys are any expressions of it. They advance by
///   constants every so many positions (the *period*), so that each residue of the period
///   is a run in key order, and the group is a merge of these.
/// * Other: neither. If at least keys are so along one of several open dimensions, the
///   group is a merge of the runs of all its lines; else positions must be looked at.

#ifndef CAIRN_FORMAT_QUERY_CLASS_H
#define CAIRN_FORMAT_QUERY_CLASS_H

#include "format/algebra.h"

typedef enum {
    CAIRN_CLASS_LINE,
    CAIRN_CLASS_BOX,
    CAIRN_CLASS_OTHER,
} cairn_query_class;

enum {
    CAIRN_MAX_CUTS   = 8,                    ///< Digits of one dimension.
    CAIRN_MAX_KEYS   = 3 * CAIRN_MAX_LEVELS, ///< Forms that put a group in order.
    CAIRN_MAX_PERIOD = 4096,
    CAIRN_MAX_ROWS   = 1 << 20, ///< Lines of one group.
};

/// One groupBy value at work.
typedef struct cairn_group_step {
    enum {
        CAIRN_GROUP_FIX,  ///< dim follows from the value;
        CAIRN_GROUP_TIE,  ///< dim is base + slope * on;
        CAIRN_GROUP_SPAN, ///< dim lies in an interval;
        CAIRN_GROUP_DIGIT ///< digits of dim are those of the value.
    } what;
    int     f; ///< Which of the groupBy forms.
    int     dim;
    int     atom;      ///< SPAN, DIGIT: the floor, the remainder;
    int64_t factor;    ///< its factor in the form; else that of dim.
    int64_t slope;     ///< TIE: of `on`. SPAN: of dim in what is divided.
    int     on;        ///< TIE.
    int64_t low, high; ///< DIGIT: floor(dim / low) % (high / low).
} cairn_group_step;

/// A digit in the order of a group.
typedef struct cairn_group_key {
    int  dim, digit;
    bool down; ///< Large ones first.
} cairn_group_key;

/// The digits of one dimension: number i is floor(d / cut[i]) % (cut[i + 1] / cut[i]),
/// the last has no end.
typedef struct cairn_digits {
    int      cuts; ///< At least one, cut[0] == 1; each divides the next.
    int64_t  cut[CAIRN_MAX_CUTS];
    uint32_t zero; ///< Bit i: digit i is 0 in all elements.
} cairn_digits;

/// Which positions a group has.
typedef struct cairn_group_positions {
    int              steps;
    cairn_group_step step[CAIRN_MAX_LEVELS + 1];
    int              on[CAIRN_MAX_ORDER];    ///< Dimension k is base + slope[k] *
    int64_t          slope[CAIRN_MAX_ORDER]; ///< dimension on[k]; 0: fixed.
    uint32_t         open;                   ///< Bit k: dimension k is open.
    uint32_t         checks; ///< Bit f: no step sees to the value of form f.
} cairn_group_positions;

/// Positions in the order of digits.
typedef struct cairn_digit_keys {
    cairn_digits    of[CAIRN_MAX_ORDER]; ///< Of each dimension.
    int             keys, prefix;        ///< Digits by significance; the first
    cairn_group_key key[CAIRN_MAX_ORDER * CAIRN_MAX_CUTS]; ///< `prefix` are of the
                                                           ///< leading forms.
} cairn_digit_keys;

/// Positions as runs along one open dimension, those of the others each by themselves.
typedef struct cairn_run_keys {
    bool on;    ///< Keys are not digits: LINE, or OTHER with rows that are lines.
    int  along; ///< That dimension.
    int  keys;  ///< By significance:
    const cairn_form *form[CAIRN_MAX_KEYS];    ///< forms; or NULL,
    int               dim[CAIRN_MAX_KEYS];     ///< and dimensions.
    int64_t           period;                  ///< Positions after which all repeat.
    int64_t           advance[CAIRN_MAX_KEYS]; ///< Of each over a period; not all 0.
} cairn_run_keys;

typedef struct cairn_query_order {
    cairn_query_class     known; ///< Its class.
    const cairn_algebra  *algebra;
    int                   order;
    cairn_interval        global[CAIRN_MAX_ORDER];
    int                   groups;
    const cairn_form     *group; ///< [groups]
    cairn_group_positions positions;
    cairn_digit_keys      digits;
    cairn_run_keys        runs;
} cairn_query_order;

/// A list of forms, with the memory that it may use.
typedef struct cairn_forms {
    int               count;
    const cairn_form *form;
} cairn_forms;

/// Find the order of the groups of a query.
///
/// Local. Forms are borrowed. A form that uses queries' values is never arithmetic,
/// unless bit q of @p constant says that query q is one number for each group.
///
/// @param[in] group     Its groupBy forms.
/// @param[in] leading   Forms that order elements before all others (windows), or NULL.
/// @param[in] traverse  Its keys.
/// @param[in] ids       NULL: elements are positions, which come by dimension in the end;
///                      else they are the groups of these forms, at their first positions.
void cairn_query_order_find(const cairn_algebra  *algebra,
                            const cairn_interval *global,
                            const cairn_forms    *group,
                            const cairn_forms    *leading,
                            const cairn_forms    *traverse,
                            const cairn_forms    *ids,
                            uint32_t              constant,
                            cairn_query_order    *order);

/// "line", "box", "other".
const char *cairn_query_class_name(cairn_query_class known);

#endif
