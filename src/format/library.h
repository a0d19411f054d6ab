// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Inside of a library: its definitions, as parsed, and the text they came from.

#ifndef CAIRN_FORMAT_LIBRARY_H
#define CAIRN_FORMAT_LIBRARY_H

#include "base/arena.h"
#include "format/ast.h"
#include "format/language.h"

struct cairn_library {
    cairn_arena      *arena; ///< Owns everything below, and the library itself.
    const char       *origin;
    int               size;
    cairn_definition *definitions;
};

/// The definition called @p name, or NULL.
const cairn_definition *cairn_library_find(const cairn_library *library,
                                           const char          *name);

#endif
