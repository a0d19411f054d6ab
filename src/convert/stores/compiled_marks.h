// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Short rows of different lengths, gone through as one list. A loop over the entries of
/// each row ends where it is hard to foresee, and each wrong guess takes as long as moving
/// several entries. Where it is marked how many rows begin at an entry, the row is a sum,
/// and there is one loop over all. Internal to convert.

#ifndef CAIRN_CONVERT_COMPILED_MARKS_H
#define CAIRN_CONVERT_COMPILED_MARKS_H

#include "convert/compiled.h"

/// Append a function that goes through marked rows to a program whose rows are short enough.
/// @param[in] spec  That of the function that goes through them row by row.
/// @return it; or NULL.
cairn_pass_function *cairn_marks_call(const cairn_compiled     *c,
                                      cairn_pass_writer        *w,
                                      const cairn_convert_spec *spec);

/// Would that phase go by marks? Where it has a function for them, and rows are not mostly
/// as long as the next.
bool cairn_marks_pay(const cairn_compiled *c, cairn_convert_phase phase);

/// The function of @p phase that goes through marked rows, once they are marked: if there
/// is one, and they are of different lengths. Marks stay until the build ends.
/// @param[out] marked  NULL: rows are to be gone through one by one.
cairn_status cairn_marks_make(cairn_compiled     *c,
                              cairn_convert_phase phase,
                              const cairn_phase **marked);

#endif
