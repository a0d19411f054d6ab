// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// An arena as a list of chunks, the newest first.

#include "base/arena.h"

#include <string.h>

typedef struct chunk chunk;
struct chunk {
    chunk *older;
    size_t used, size; ///< Bytes of `data`.
    _Alignas(16) char data[];
};

struct cairn_arena {
    cairn_env *env;
    chunk     *newest; ///< NULL while empty.
};

enum { ALIGN = 16, CHUNK = 16 << 10 };

cairn_status cairn_arena_create(cairn_env *env, cairn_arena **arena)
{
    cairn_arena *fresh;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &fresh));
    fresh->env = env;
    *arena     = fresh;
    return CAIRN_OK;
}

void cairn_arena_destroy(cairn_env *env, cairn_arena **arena)
{
    if (!*arena) return;
    for (chunk *c = (*arena)->newest, *older; c; c = older) {
        older = c->older;
        cairn_free(env, c);
    }
    cairn_free(env, *arena);
    *arena = NULL;
}

/// Put a chunk with room for @p bytes in front.
static cairn_status grow(cairn_arena *arena, size_t bytes)
{
    const size_t size = bytes > CHUNK ? bytes : CHUNK;
    chunk       *fresh;

    CAIRN_TRY(
        cairn_alloc(arena->env, (int64_t)(sizeof *fresh + size), 1, (void **)&fresh));
    *fresh        = (chunk){.older = arena->newest, .size = size};
    arena->newest = fresh;
    return CAIRN_OK;
}

cairn_status
cairn_arena_alloc(cairn_arena *arena, size_t count, size_t size, void **block)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes) || bytes > (size_t)INT64_MAX / 2)
        return cairn_fail(arena->env, CAIRN_NO_MEMORY,
                          "out of memory: allocation of %zu x %zu bytes failed", count,
                          size);
    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (!arena->newest || arena->newest->size - arena->newest->used < bytes)
        CAIRN_TRY(grow(arena, bytes));

    chunk *const c = arena->newest;

    *block = memset(c->data + c->used, 0, bytes);
    c->used += bytes;
    return CAIRN_OK;
}

cairn_status cairn_arena_copy(cairn_arena *arena,
                              const char  *bytes,
                              size_t       length,
                              const char **copy)
{
    char *fresh;

    CAIRN_TRY(cairn_arena_alloc(arena, length + 1, 1, (void **)&fresh));
    if (length) memcpy(fresh, bytes, length);
    *copy = fresh;
    return CAIRN_OK;
}
