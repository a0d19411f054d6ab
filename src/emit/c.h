// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The loop IR as C: C11 with the vector types of gcc and clang and OpenMP pragmas, in
/// the form of our own sources. The text stands alone: it carries the declarations that
/// it needs and includes nothing, so that compiling it needs no installed header and
/// takes little longer than starting the compiler. What the machine may lack (gathers,
/// stores past the caches) stands under #ifdef with plain C beside it.

#ifndef CAIRN_EMIT_C_H
#define CAIRN_EMIT_C_H

#include "ir/ir.h"

/// Print @p function as a file that defines @p symbol.
///
/// Local. Floating-point operations stay in the order of the IR; the text must be
/// compiled with -ffp-contract=off to have the bits of the reference way.
///
/// @param[out] text  NUL-terminated; cairn_free(). Unchanged on failure.
cairn_status cairn_c_print(cairn_env               *env,
                           const cairn_ir_function *function,
                           const char              *symbol,
                           char                   **text);

/// Print several functions as one file; each defines the symbol that is its name.
///
/// Local.
///
/// @param[in]  function  [count], names all different.
/// @param[out] text      NUL-terminated; cairn_free(). Unchanged on failure.
cairn_status cairn_c_print_all(cairn_env                      *env,
                               int                             count,
                               const cairn_ir_function *const *function,
                               char                          **text);

#endif
