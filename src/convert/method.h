// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Methods: how the entries of a member may go into its arrays. Every method gives the same
/// arrays; they differ in what must hold and in what they move. A method decides only
/// whether it applies, and which passes do it: its program (member_program.h). The
/// planner (plan.c) takes the one whose passes take least.
///
/// | method | needs | passes |
/// |---|---|---|
/// | partitioned | entries in buckets by lines, every entry a node of its line | one |
/// | share | as append, and all is the source's but where complete rows begin | that |
/// | append | the source comes in the order of the target | one or two |
/// | row-slots | rows were counted, each has a slot in a group | one, one over rows |
/// | rows | rows that can be read in any order give the first levels | one or two |
/// | groups | one trimmed level of few indices; or groups numbered along lines | two; one |
/// | scatter | every entry a node, groups with a ptr, order within each | two |
/// | sort | nothing | keys, and two |
/// | card | a card; queries may number entries or groups along lines | two or three, there |
///
/// The shape of this table is that of FFTW's solvers (Frigo and Johnson, The Design and
/// Implementation of FFTW3, Proc. IEEE 93(2), 2005, section IV). Internal to convert.

#ifndef CAIRN_CONVERT_METHOD_H
#define CAIRN_CONVERT_METHOD_H

#include "convert/member_program.h"

struct cairn_compiled;

typedef struct cairn_method {
    const char *name;  ///< As CAIRN_CONVERT has it; two methods may share one.
    const char *needs; ///< Why it does not apply, for the message.

    /// May it go? It may note in @p c what it found out, for its passes.
    cairn_status (*applies)(struct cairn_compiled *c, bool *may);
    /// Write its program.
    cairn_status (*passes)(const struct cairn_compiled *c, cairn_pass_writer *w);
} cairn_method;

extern const cairn_method cairn_method_partitioned, cairn_method_share,
    cairn_method_append, cairn_method_row_slots, cairn_method_rows, cairn_method_lines,
    cairn_method_whole_rows, cairn_method_scatter, cairn_method_groups,
    cairn_method_sort, cairn_method_card;

enum { CAIRN_METHODS = 11 };

/// All: of two that take the same time the first is taken.
extern const cairn_method *const cairn_methods[CAIRN_METHODS];

#define CAIRN_METHOD_REFERENCE "reference" ///< None of them: rule by rule.

/// Is @p word a method's name? "" is none.
///
/// @retval CAIRN_BAD_OPTION  It is none; the message has the nearest one.
cairn_status cairn_method_check(cairn_env *env, const char *word);

/// Does CAIRN_CONVERT let the method be taken? It does where it names none.
bool cairn_method_allowed(const cairn_env *env, const cairn_method *method);

#endif
