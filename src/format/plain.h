// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Plain forms, of which the normal form of queries is made: over dimensions, queries and
/// floors only, since f%c = f - c*floor(f/c); in floor(f/c) factors and constant of f lie
/// in 0..c-1, and their greatest common divisor with c is 1. So equal functions are equal
/// forms more often.
///
/// Where 64 bits or the tables of an algebra do not suffice, the status says so.

#ifndef CAIRN_FORMAT_PLAIN_H
#define CAIRN_FORMAT_PLAIN_H

#include "base/arena.h"
#include "format/algebra.h"

/// The plain form of an expression.
/// @param[in] alias  [CAIRN_MAX_QUERIES] the query that each query is.
cairn_status cairn_plain_form(cairn_algebra    *algebra,
                              const int        *alias,
                              const cairn_expr *expr,
                              cairn_form       *form);

/// As @p form, with floors inside multiples taken out, and dimension k replaced by @p by[k]
/// times atom @p atom[k] (factor 0: by 0).
cairn_status cairn_plain_replace(cairn_algebra    *algebra,
                                 const int        *atom,
                                 const int64_t    *by,
                                 const cairn_form *form,
                                 cairn_form       *replaced);

/// An expression whose plain form differs from @p form by a constant at most.
cairn_status cairn_plain_expr(const cairn_algebra *algebra,
                              cairn_arena         *arena,
                              const cairn_form    *form,
                              const cairn_expr   **expr);

/// The order of atoms by what they are, not by their numbers: the simplest first.
int cairn_atom_compare(const cairn_algebra *algebra, int a, int b);

#endif
