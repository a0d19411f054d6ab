// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The environment that every room is handed: counted memory, the error message, the
/// options, progress. It is the first member of the public context, so that rooms below
/// the API never see the context itself. One thread uses an environment at a time,
/// except for the allocator, which any thread may call, and for work that is divided
/// among threads: what fails there leaves its message in the slot of its thread.

#ifndef CAIRN_BASE_ENV_H
#define CAIRN_BASE_ENV_H

#include "base/options.h"
#include "base/pool.h"
#include "base/remains.h"
#include "base/thread_pool.h"
#include "base/thread_team.h"

#include <cairn/status.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAIRN_MAX_ORDER  16   ///< Modes of a tensor.
#define CAIRN_MAX_LEVELS 16   ///< Levels of an index map.
#define CAIRN_MESSAGE    1024 ///< Bytes of the longest message, with its end.

/// Bytes that there may be beside the memory limit: formats, functions while they are
/// made, pieces of a file that is read. All that grows with a matrix soon exceeds them.
#define CAIRN_MEMORY_ASIDE ((int64_t)8 << 20)

typedef int64_t cairn_coord; ///< A coordinate along one mode, global, 0-based.
typedef int64_t cairn_pos;   ///< A position in one level's storage on this rank.

/// Progress of long work: called with a fraction 0..1, or below 0 when it is unknown.
typedef void (*cairn_progress_fn)(void *user, const char *what, double fraction);

/// Words for people while work goes on; "WHAT: WHY", one line.
typedef void (*cairn_log_fn)(void *user, const char *message);

/// Who listens, and what may be told.
typedef struct cairn_env_log {
    cairn_progress_fn progress; ///< NULL: no progress.
    void             *progress_user;
    pthread_mutex_t   lock; ///< Of `tell`: one thread at a time calls it.
    cairn_log_fn      tell; ///< NULL: no log.
    void             *user;
    const char       *doing; ///< What ranks do together now: "reading a.mtx".
    char              text[160];
} cairn_env_log;

/// Where failures on one thread leave their message, while several work at once.
typedef struct cairn_message_slot {
    char                       message[CAIRN_MESSAGE]; ///< "": none failed.
    pthread_t                  thread;
    struct cairn_message_slot *older; ///< Another thread's, or this one's before.
} cairn_message_slot;

typedef struct cairn_env {
    char            message[CAIRN_MESSAGE]; ///< "WHAT: WHERE: WHY" of the last failure.
    cairn_options   options;
    bool            threads_given;  ///< options.threads was set; else it is a default.
    int64_t         memory_limit;   ///< Bytes that all that is live may take.
    int64_t         machine_memory; ///< Bytes of the machine.
    pthread_mutex_t slots;          ///< Lock of `message`, and of
    cairn_message_slot *slot; ///< the latest slot; NULL: `message` alone is there.
    _Atomic int64_t     live_blocks; ///< Blocks allocated and not freed.
    _Atomic int64_t     live_bytes;
    _Atomic int64_t     peak_bytes;
    _Atomic int64_t used_bytes; ///< As the limit sees them: blocks with their heads, in
                                ///< whole pages, and what cairn_memory_take() took.
    _Atomic int64_t   allowed;  ///< Allocations until one fails; < 0: none fails.
    _Atomic int64_t   allocated;   ///< Bytes of all blocks so far, those freed too.
    _Atomic int64_t   visited;     ///< Positions that cairn_visit() has counted.
    cairn_pool        pool;        ///< Blocks that are used again.
    cairn_thread_pool thread_pool; ///< Threads for short work,
    cairn_thread_team thread_team; ///< and for work that must not wait for one of them.
    cairn_remains     remains;     ///< What a signal would leave.
    cairn_env_log     log;
} cairn_env;

/// Prepare @p env: no message, default options, no memory limit, nothing allocated.
///
/// Local. Pairs with cairn_env_fini().
void cairn_env_init(cairn_env *env);

/// Release what the environment itself holds; blocks still live are the caller's leak.
///
/// Local.
void cairn_env_fini(cairn_env *env);

/// Record the message of a failure and return @p status, for `return cairn_fail(...)`.
///
/// Local. The function that decides a failure calls this once, with the exact cause in
/// the form "WHAT: WHERE: WHY" (no program name, no newline); callers above pass it up
/// with CAIRN_TRY. A longer message is cut.
cairn_status cairn_fail(cairn_env *env, cairn_status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/// Keep messages of this thread apart from those of others, from here on.
///
/// Pairs with cairn_message_slot_end(), on the same thread, the latest first.
void cairn_message_slot_begin(cairn_env *env, cairn_message_slot *slot);
void cairn_message_slot_end(cairn_env *env, cairn_message_slot *slot);

/// The message of the last failure on this thread. Valid until the next.
const char *cairn_message(cairn_env *env);

/// Allocate @p count elements of @p size bytes, 64-byte aligned, contents undefined.
///
/// Local. Blocks of 16 KB and more come from the pool (base/pool.h) and are used again,
/// from 2 MB on in huge pages. No page of a fresh block of 2 MB was touched: on a
/// machine of several memories a page lies near the thread that writes it first.
///
/// @param[out] block The block, never NULL on success (also for 0 bytes); freed with
///                   cairn_free(). Unchanged on failure.
/// @retval CAIRN_NO_MEMORY  The product overflows, the system has no more, or with the
///                          block there would be more than the limit and
///                          CAIRN_MEMORY_ASIDE: "memory: this rank, so far: needs N bytes,
///                          but the limit is L".
cairn_status cairn_alloc(cairn_env *env, int64_t count, size_t size, void **block);

/// As cairn_alloc(), filled with zero bytes (a fresh big block is so without writing).
cairn_status cairn_alloc_zero(cairn_env *env, int64_t count, size_t size, void **block);

/// Is a block just allocated fresh, so that every byte of it reads as 0?
bool cairn_alloc_is_zero(const void *block);

/// Grow or shrink a block to @p count elements of @p size bytes, keeping its content.
///
/// Local. @p block may point to NULL. Unchanged on failure.
cairn_status cairn_realloc(cairn_env *env, int64_t count, size_t size, void **block);

/// Hold a block once more: it stays until it was freed as often as it is held. Any
/// thread.
void cairn_hold(void *block);

/// Is a block held more than once?
bool cairn_is_shared(const void *block);

/// Does @p at point to a byte of the block?
bool cairn_alloc_has(const void *block, const void *at);

/// Free a block of cairn_alloc() if this was its last holder; NULL is accepted.
void cairn_free(cairn_env *env, void *block);

/// Copy a string, or its first @p length bytes, into a counted block.
cairn_status
cairn_strndup(cairn_env *env, const char *text, size_t length, char **copy);

/// Fail with CAIRN_NO_MEMORY if @p bytes, all that @p what needs, are more than the
/// limit: "memory: WHAT: needs N bytes, but the limit is L". Nothing is allocated.
cairn_status cairn_check_memory(cairn_env *env, const char *what, __int128 bytes);

/// The same of @p more bytes beside all that is in use: asked before memory is taken in
/// many steps, so that no time is lost with the first of them. Any thread.
///
/// @retval CAIRN_NO_MEMORY  They alone exceed the limit, or all exceed it and
///                          CAIRN_MEMORY_ASIDE.
cairn_status cairn_check_room(cairn_env *env, const char *what, __int128 more);

/// Count memory that is not of cairn_alloc(), a mapped window for instance, against the
/// limit. Any thread. Pairs with cairn_memory_give() of as many bytes.
///
/// @retval CAIRN_NO_MEMORY  As of cairn_check_room(); nothing was counted.
cairn_status cairn_memory_take(cairn_env *env, const char *what, int64_t bytes);
void         cairn_memory_give(cairn_env *env, int64_t bytes);

/// Count @p positions that a loop has looked at or will: entries, nodes, groups, places
/// of arrays. Once a loop, never in it. Nothing depends on it but tests, which hold the
/// counter to sizes, so that what grows faster than they do is seen. Any thread.
static inline void cairn_visit(cairn_env *env, int64_t positions)
{
    atomic_fetch_add_explicit(&env->visited, positions, memory_order_relaxed);
}

/// Seconds of a clock that only goes forward, from some moment on. Any thread.
double cairn_seconds(void);

/// Write to the log. Any thread.
void cairn_log(cairn_env *env, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/// Say what is being done from here on, for messages about waits.
void cairn_doing(cairn_env *env, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/// Report progress, if there is a function for that.
void cairn_progress(cairn_env *env, const char *what, double fraction);

/// Pass a failure up.
#define CAIRN_TRY(call)                    \
    do {                                   \
        const cairn_status try_ = (call);  \
        if (try_ != CAIRN_OK) return try_; \
    } while (0)

/// Pass a failure on to the clean-up at @p label, with the status in `status`.
#define CAIRN_GO(label, call)               \
    do {                                    \
        status = (call);                    \
        if (status != CAIRN_OK) goto label; \
    } while (0)

/// Decide a failure: unless @p cond, record the message and return @p code.
#define CAIRN_CHECK(cond, env, code, ...)                       \
    do {                                                        \
        if (!(cond)) return cairn_fail(env, code, __VA_ARGS__); \
    } while (0)

/// Allocate @p count elements of the type that @p pointer points to.
#define CAIRN_NEW(env, count, pointer) \
    cairn_alloc(env, count, sizeof **(pointer), (void **)(pointer))
#define CAIRN_NEW_ZERO(env, count, pointer) \
    cairn_alloc_zero(env, count, sizeof **(pointer), (void **)(pointer))

#endif
