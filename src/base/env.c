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
#define X(name, value, text) \
    case CAIRN_##name: return text;
        CAIRN_STATUS_MAP(X)
#undef X
    }
    return "unknown status";
}

bool cairn_status_failed_here(cairn_status status)
{
    switch (status) {
    case CAIRN_OK:
    case CAIRN_BAD_SHAPE:
    case CAIRN_BAD_COORD:
    case CAIRN_UNSUPPORTED:
    case CAIRN_BAD_SYNTAX:
    case CAIRN_BAD_FORMAT:
    case CAIRN_BAD_FILE:
    case CAIRN_BAD_OPTION:
    case CAIRN_OVERFLOW:
    case CAIRN_BAD_QUERY:
    case CAIRN_BAD_ARGUMENT: return false;
    case CAIRN_NO_MEMORY:
    case CAIRN_COMM:
    case CAIRN_IO:
    case CAIRN_NOT_VERIFIED:
    case CAIRN_NOT_CONVERGED:
    case CAIRN_NO_DEVICE:
    case CAIRN_NO_KERNEL:
    case CAIRN_ATTENTION: return true;
    }
    return true;
}

void cairn_env_init(cairn_env *env)
{
    memset(env, 0, sizeof *env);
    env->allowed        = -1;
    env->memory_limit   = INT64_MAX;
    env->machine_memory = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    cairn_options_init(&env->options);
    cairn_pool_init(&env->pool);
    cairn_thread_pool_init(&env->thread_pool);
    cairn_thread_team_init(&env->thread_team);
    pthread_mutex_init(&env->slots, NULL);
    pthread_mutex_init(&env->log.lock, NULL);
    env->log.doing = "starting";
}

void cairn_env_fini(cairn_env *env)
{
    env->log.progress = NULL;
    cairn_thread_team_fini(&env->thread_team);
    cairn_thread_pool_fini(&env->thread_pool);
    cairn_pool_fini(&env->pool);
    pthread_mutex_destroy(&env->slots);
    pthread_mutex_destroy(&env->log.lock);
}

void cairn_message_slot_begin(cairn_env *env, cairn_message_slot *slot)
{
    slot->message[0] = '\0';
    slot->thread     = pthread_self();
    pthread_mutex_lock(&env->slots);
    slot->older = env->slot;
    env->slot   = slot;
    pthread_mutex_unlock(&env->slots);
}

void cairn_message_slot_end(cairn_env *env, cairn_message_slot *slot)
{
    cairn_message_slot **link = &env->slot;

    pthread_mutex_lock(&env->slots);
    while (*link != slot)
        link = &(*link)->older;
    *link = slot->older;
    pthread_mutex_unlock(&env->slots);
}

/// Where messages of this thread go. The lock is held.
static char *own_message(cairn_env *env)
{
    cairn_message_slot *slot = env->slot;

    while (slot && !pthread_equal(slot->thread, pthread_self()))
        slot = slot->older;
    return slot ? slot->message : env->message;
}

const char *cairn_message(cairn_env *env)
{
    pthread_mutex_lock(&env->slots);
    const char *const message = own_message(env);

    pthread_mutex_unlock(&env->slots);
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
    pthread_mutex_lock(&env->slots);
    memcpy(own_message(env), text, sizeof text);
    pthread_mutex_unlock(&env->slots);
    return status;
}

void cairn_log(cairn_env *env, const char *fmt, ...)
{
    char    text[CAIRN_MESSAGE];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    pthread_mutex_lock(&env->log.lock);
    if (env->log.tell) env->log.tell(env->log.user, text);
    pthread_mutex_unlock(&env->log.lock);
}

void cairn_doing(cairn_env *env, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(env->log.text, sizeof env->log.text, fmt, args);
    va_end(args);
    env->log.doing = env->log.text;
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

/// A count of bytes as text, also beyond 64 bits.
static void print_bytes(char text[24], __int128 bytes)
{
    if (bytes >= (int64_t)1 << 56) /* where sizes saturate */
        snprintf(text, 24, "more than 2^56");
    else
        snprintf(text, 24, "%" PRId64, (int64_t)bytes);
}

static cairn_status beyond_limit(cairn_env *env, const char *what, __int128 bytes)
{
    char needed[24];

    print_bytes(needed, bytes);
    return cairn_fail(env, CAIRN_NO_MEMORY,
                      "memory: %s: needs %s bytes, but the limit is %" PRId64
                      " (--memory or CAIRN_MEMORY raises it)",
                      what, needed, env->memory_limit);
}

/// Bytes that may still be taken, if no more than the limit and what may be beside it are
/// in use; below 0 where the limit was lowered since.
static int64_t room(cairn_env *env)
{
    const int64_t limit = env->memory_limit > 0 ? env->memory_limit : 0;
    const int64_t most =
        limit < INT64_MAX - CAIRN_MEMORY_ASIDE ? limit + CAIRN_MEMORY_ASIDE : INT64_MAX;

    return most - atomic_load(&env->used_bytes);
}

static bool take(cairn_env *env, size_t bytes)
{
    if ((int64_t)bytes > room(env)) return false; /* adding it might not be possible */
    atomic_fetch_add(&env->used_bytes, (int64_t)bytes);
    if (room(env) >= 0) return true;
    cairn_memory_give(env, (int64_t)bytes);
    return false;
}

void cairn_memory_give(cairn_env *env, int64_t bytes)
{
    atomic_fetch_sub(&env->used_bytes, bytes);
}

/// What a block of malloc's takes with its head: malloc puts a few words before it and
/// loses about as much to its alignment.
static size_t small_size(size_t bytes)
{
    return (bytes + HEAD - 1) / HEAD * HEAD + 2 * HEAD;
}

static size_t size_of(size_t bytes, bool tight)
{
    return POOLED(bytes) ? cairn_pool_size(bytes + HEAD, tight) : small_size(bytes);
}

/// Get a block whose @p size bytes were taken.
static block_head *get_block(cairn_env *env, size_t bytes, size_t size)
{
    block_head *head;
    size_t      total = 0;
    bool        zero  = false;

    if (POOLED(bytes)) {
        head = cairn_pool_take(&env->pool, size, room(env), &total, &zero);
        if (head) atomic_fetch_add(&env->used_bytes, (int64_t)total - (int64_t)size);
    } else {
        cairn_pool_trim(&env->pool, room(env));
        head = aligned_alloc(HEAD, size - HEAD);
    }
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

    size_t total = size_of(bytes, false);

    if (!take(env, total)) {
        total = size_of(bytes, true);
        if (!take(env, total))
            return beyond_limit(env, "this rank, so far",
                                (__int128)atomic_load(&env->used_bytes) + total);
    }
    block_head *head = get_block(env, bytes, total);

    if (!head) {
        cairn_memory_give(env, (int64_t)total);
        return no_memory(env, count, size);
    }
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

bool cairn_is_shared(const void *block)
{
    const block_head *head = (const block_head *)((const char *)block - HEAD);

    return atomic_load(&head->holders) > 1;
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

/* Bytes that no machine misses. */
#define KEPT_ALWAYS ((int64_t)64 << 20)

/// Bytes that the pool may keep: a quarter of what the environment, or the machine, has;
/// of little all, which is given back where it is asked for.
static int64_t keep_limit(const cairn_env *env)
{
    const int64_t most = env->memory_limit < env->machine_memory ? env->memory_limit
                                                                 : env->machine_memory;

    if (most < KEPT_ALWAYS) return most;
    return most / 4 > KEPT_ALWAYS ? most / 4 : KEPT_ALWAYS;
}

void cairn_free(cairn_env *env, void *block)
{
    if (!block) return;
    block_head *head = head_of(block);

    if (atomic_fetch_sub(&head->holders, 1) > 1) return;
    count_block(env, -1, -(int64_t)head->bytes);
    cairn_memory_give(env,
                      (int64_t)(head->total ? head->total : small_size(head->bytes)));
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

cairn_status cairn_check_memory(cairn_env *env, const char *what, __int128 bytes)
{
    return bytes <= env->memory_limit ? CAIRN_OK : beyond_limit(env, what, bytes);
}

cairn_status cairn_check_room(cairn_env *env, const char *what, __int128 more)
{
    CAIRN_TRY(cairn_check_memory(env, what, more));
    if (more <= room(env)) return CAIRN_OK;
    return beyond_limit(env, what, atomic_load(&env->used_bytes) + more);
}

cairn_status cairn_memory_take(cairn_env *env, const char *what, int64_t bytes)
{
    CAIRN_TRY(cairn_check_room(env, what, bytes));
    atomic_fetch_add(&env->used_bytes, bytes);
    cairn_pool_trim(&env->pool, room(env));
    return CAIRN_OK;
}

double cairn_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void cairn_progress(cairn_env *env, const char *what, double fraction)
{
    if (env->log.progress) env->log.progress(env->log.progress_user, what, fraction);
}
