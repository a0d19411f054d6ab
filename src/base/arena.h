// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// An arena: many small blocks that live and die together. Trees are built in one, so
/// that a failure half-way needs no walk to free what was made.

#ifndef CAIRN_BASE_ARENA_H
#define CAIRN_BASE_ARENA_H

#include "base/env.h"

typedef struct cairn_arena cairn_arena;

/// Create an empty arena.
///
/// Local. Pairs with cairn_arena_destroy().
cairn_status cairn_arena_create(cairn_env *env, cairn_arena **arena);

/// Free the arena and every block in it; NULL is accepted.
void cairn_arena_destroy(cairn_env *env, cairn_arena **arena);

/// Allocate @p count elements of @p size bytes, 16-byte aligned, filled with zero bytes.
///
/// Local. The block lives as long as the arena. Unchanged on failure.
/// @retval CAIRN_NO_MEMORY  The product overflows, or the system has no more.
cairn_status
cairn_arena_alloc(cairn_arena *arena, size_t count, size_t size, void **block);

/// Copy @p length bytes and add a NUL.
cairn_status cairn_arena_copy(cairn_arena *arena,
                              const char  *bytes,
                              size_t       length,
                              const char **copy);

/// Allocate @p count zeroed elements of the type that @p pointer points to.
#define CAIRN_ARENA_NEW(arena, count, pointer) \
    cairn_arena_alloc(arena, count, sizeof **(pointer), (void **)(pointer))

#endif
