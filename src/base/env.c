// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Counted memory and messages.

#include "base/env.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/// What is known of a block, in the 64 bytes before it, so that freeing counts right.
typedef struct {
    size_t      bytes;
    size_t      total;   ///< Of the pool's block around it; 0: it is malloc's alone.
    bool        zero;    ///< Fresh pages, never written.
    _Atomic int holders; ///< That have to free it.
} block_head;

enum { HEAD = 64 };

/* The address sanitizer watches malloc's blocks, not ours: under it all are malloc's. */
#ifdef __SANITIZE_ADDRESS__
#    define POOLED(bytes) false
#else
#    define POOLED(bytes) ((bytes) >= CAIRN_POOL_FROM)
#endif

const char *cairn_status_text(cairn_status status)
{
    switch (status) {
#define X(name, value, exit, text) \
    case CAIRN_##name: return text;
        CAIRN_STATUS_MAP(X)
#undef X
    }
    return "unknown status";
}

int cairn_status_exit(cairn_status status)
{
    switch (status) {
#define X(name, value, exit, text) \
    case CAIRN_##name: return exit;
        CAIRN_STATUS_MAP(X)
#undef X
    }
    return 1;
}

void cairn_env_init(cairn_env *env)
{
    memset(env, 0, sizeof *env);
    env->allowed        = -1;
    env->memory_limit   = INT64_MAX;
    env->machine_memory = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    cairn_options_init(&env->options);
    cairn_pool_init(&env->pool);
    cairn_crew_init(&env->crew);
    pthread_mutex_init(&env->voices, NULL);
}

void cairn_env_fini(cairn_env *env)
{
    env->progress = NULL;
    cairn_crew_fini(&env->crew);
    cairn_pool_fini(&env->pool);
    pthread_mutex_destroy(&env->voices);
}

void cairn_voice_begin(cairn_env *env, cairn_voice *voice)
{
    voice->message[0] = '\0';
    voice->thread     = pthread_self();
    pthread_mutex_lock(&env->voices);
    voice->older = env->voice;
    env->voice   = voice;
    pthread_mutex_unlock(&env->voices);
}

void cairn_voice_end(cairn_env *env, cairn_voice *voice)
{
    cairn_voice **link = &env->voice;

    pthread_mutex_lock(&env->voices);
    while (*link != voice)
        link = &(*link)->older;
    *link = voice->older;
    pthread_mutex_unlock(&env->voices);
}

/// Where messages of this thread go. The lock is held.
static char *own_message(cairn_env *env)
{
    cairn_voice *voice = env->voice;

    while (voice && !pthread_equal(voice->thread, pthread_self()))
        voice = voice->older;
    return voice ? voice->message : env->message;
}

const char *cairn_message(cairn_env *env)
{
    pthread_mutex_lock(&env->voices);
    const char *const message = own_message(env);

    pthread_mutex_unlock(&env->voices);
    return message;
}

cairn_status cairn_fail(cairn_env *env, cairn_status status, const char *fmt, ...)
{
    char    text[CAIRN_MESSAGE];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt,
              args); /* text first: an argument may be the old message */
    va_end(args);
    pthread_mutex_lock(&env->voices);
    memcpy(own_message(env), text, sizeof text);
    pthread_mutex_unlock(&env->voices);
    return status;
}

static bool allocation_allowed(cairn_env *env)
{
    int64_t allowed = atomic_load(&env->allowed);

    while (allowed > 0
           && !atomic_compare_exchange_weak(&env->allowed, &allowed, allowed - 1)) {
    }
    return allowed != 0;
}

static void count_block(cairn_env *env, int64_t blocks, int64_t bytes)
{
    atomic_fetch_add(&env->live_blocks, blocks);

    const int64_t live = atomic_fetch_add(&env->live_bytes, bytes) + bytes;
    int64_t       peak = atomic_load(&env->peak_bytes);

    while (live > peak
           && !atomic_compare_exchange_weak(&env->peak_bytes, &peak, live)) {
    }
}

static cairn_status no_memory(cairn_env *env, int64_t count, size_t size)
{
    return cairn_fail(env, CAIRN_NO_MEMORY,
                      "out of memory: allocation of %" PRId64 " x %zu bytes failed",
                      count, size);
}

/// Get @p bytes with a head before them, from malloc or the pool.
static block_head *get_block(cairn_env *env, size_t bytes)
{
    block_head *head;
    size_t      total = 0;
    bool        zero  = false;

    if (POOLED(bytes))
        head = cairn_pool_take(&env->pool, bytes + HEAD, &total, &zero);
    else
        head = aligned_alloc(HEAD, (bytes + 2 * HEAD - 1) / HEAD * HEAD);
    if (!head) return NULL;
    head->bytes = bytes;
    head->total = total;
    head->zero  = zero;
    atomic_init(&head->holders, 1);
    return head;
}

cairn_status cairn_alloc(cairn_env *env, int64_t count, size_t size, void **block)
{
    size_t bytes, most;

    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes)
        || __builtin_add_overflow(bytes, 2 * CAIRN_POOL_MAPPED, &most)
        || most > (size_t)INT64_MAX || !allocation_allowed(env))
        return no_memory(env, count, size);

    block_head *head = get_block(env, bytes);

    if (!head) return no_memory(env, count, size);
    count_block(env, 1, (int64_t)bytes);
    atomic_fetch_add_explicit(&env->allocated, (int64_t)bytes, memory_order_relaxed);
    *block = (char *)head + HEAD;
    return CAIRN_OK;
}

static block_head *head_of(void *block)
{
    return (block_head *)((char *)block - HEAD);
}

cairn_status cairn_alloc_zero(cairn_env *env, int64_t count, size_t size, void **block)
{
    void *fresh;

    CAIRN_TRY(cairn_alloc(env, count, size, &fresh));
    if (!head_of(fresh)->zero) memset(fresh, 0, (size_t)count * size);
    *block = fresh;
    return CAIRN_OK;
}

bool cairn_alloc_is_zero(const void *block)
{
    return ((const block_head *)((const char *)block - HEAD))->zero;
}

void cairn_hold(void *block)
{
    atomic_fetch_add(&head_of(block)->holders, 1);
}

bool cairn_alloc_has(const void *block, const void *at)
{
    const block_head *head  = (const block_head *)((const char *)block - HEAD);
    const uintptr_t   begin = (uintptr_t)block, place = (uintptr_t)at;

    return place >= begin && place - begin < head->bytes;
}

cairn_status cairn_realloc(cairn_env *env, int64_t count, size_t size, void **block)
{
    void *fresh;

    CAIRN_TRY(cairn_alloc(env, count, size, &fresh));
    if (*block) {
        const size_t old = head_of(*block)->bytes, now = (size_t)count * size;

        memcpy(fresh, *block, old < now ? old : now);
        cairn_free(env, *block);
    }
    *block = fresh;
    return CAIRN_OK;
}

/// Bytes that the pool may keep: a quarter of what the environment, or the machine, has.
static int64_t keep_limit(const cairn_env *env)
{
    const int64_t most = env->machine_memory;

    return (env->memory_limit < most ? env->memory_limit : most) / 4;
}

void cairn_free(cairn_env *env, void *block)
{
    if (!block) return;
    block_head *head = head_of(block);

    if (atomic_fetch_sub(&head->holders, 1) > 1) return;
    count_block(env, -1, -(int64_t)head->bytes);
    if (head->total)
        cairn_pool_give(&env->pool, head, head->total, keep_limit(env));
    else
        free(head);
}

cairn_status cairn_strndup(cairn_env *env, const char *text, size_t length, char **copy)
{
    const size_t n = strnlen(text, length);
    char        *fresh;

    CAIRN_TRY(cairn_alloc(env, (int64_t)n + 1, 1, (void **)&fresh));
    memcpy(fresh, text, n);
    fresh[n] = '\0';
    *copy    = fresh;
    return CAIRN_OK;
}

/// A count of bytes as text, also beyond 64 bits.
static void print_bytes(char text[24], __int128 bytes)
{
    if (bytes >= (int64_t)1 << 56) /* where sizes saturate */
        snprintf(text, 24, "more than 2^56");
    else
        snprintf(text, 24, "%" PRId64, (int64_t)bytes);
}

cairn_status cairn_check_memory(cairn_env *env, const char *what, __int128 bytes)
{
    char needed[24];

    if (bytes <= env->memory_limit) return CAIRN_OK;
    print_bytes(needed, bytes);
    return cairn_fail(env, CAIRN_NO_MEMORY,
                      "memory: %s: needs %s bytes, but the limit is %" PRId64
                      " (--memory or CAIRN_MEMORY raises it)",
                      what, needed, env->memory_limit);
}

double cairn_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void cairn_progress(cairn_env *env, const char *what, double fraction)
{
    if (env->progress) env->progress(env->progress_user, what, fraction);
}
