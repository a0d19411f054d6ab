// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the fuzzers share: an environment with little memory that must end empty, and
/// checks that end the process, as both libFuzzer and the replay want it.
///
/// A fuzzer is one function from bytes to a verdict. It may use nothing but the bytes:
/// the same input must do the same again. Choices that are not part of the text, such as
/// where to cut it, are drawn from a hash of the bytes, so that any file is an input.

#ifndef CAIRN_TESTS_FUZZ_H
#define CAIRN_TESTS_FUZZ_H

#include "base/env.h"
#include "support/random_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The entry point, as libFuzzer calls it.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// End the process with a message unless @p cond.
#define FUZZ_CHECK(cond, ...)                                          \
    do {                                                               \
        if (!(cond)) {                                                 \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #cond); \
            fprintf(stderr, __VA_ARGS__);                              \
            fputc('\n', stderr);                                       \
            abort();                                                   \
        }                                                              \
    } while (0)

enum { FUZZ_MEMORY = 64 << 20 }; ///< Bytes that no input may make the library exceed.

static inline void fuzz_up(cairn_env *env)
{
    cairn_env_init(env);
    env->memory_limit    = FUZZ_MEMORY;
    env->options.threads = 1;
}

/// Nothing may be left, and never was there more than the limit.
static inline void fuzz_down(cairn_env *env)
{
    FUZZ_CHECK(env->live_blocks == 0, "%lld blocks left", (long long)env->live_blocks);
    FUZZ_CHECK(env->live_bytes == 0, "%lld bytes left", (long long)env->live_bytes);
    FUZZ_CHECK(env->peak_bytes <= FUZZ_MEMORY, "%lld bytes",
               (long long)env->peak_bytes);
    cairn_env_fini(env);
}

/// A failure of what was read has one printable line, and a status that says so. @return
/// whether it was none.
static inline bool fuzz_succeeded(const cairn_env *env, cairn_status status)
{
    if (status == CAIRN_OK) return true;
    FUZZ_CHECK(env->message[0], "no message for status %d", (int)status);
    for (const char *c = env->message; *c; c++)
        FUZZ_CHECK(*c >= ' ' && *c <= '~', "message: %s", env->message);
    FUZZ_CHECK(status != CAIRN_IO, "%s", env->message);
    return false;
}

/// How many threads an environment gets: 1 to 4, by the bytes.
static inline int fuzz_threads(uint64_t *state)
{
    return 1 + (int)(random_next(state) % 4);
}

/// A copy in a block of its own size, so that a read past the end is seen; free() it.
static inline char *fuzz_copy(const void *bytes, size_t size)
{
    char *copy = malloc(size + !size);

    FUZZ_CHECK(copy, "no memory for %zu bytes", size);
    if (size) memcpy(copy, bytes, size);
    return copy;
}

/// A state for random_next() that depends on all bytes (FNV-1a).
static inline uint64_t fuzz_hash(const uint8_t *data, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t k = 0; k < size; k++)
        hash = (hash ^ data[k]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
