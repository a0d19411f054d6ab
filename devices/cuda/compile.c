// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Code for cards: its key on disk, and many kernels at once.

#include "devices/cuda/compile.h"

#include "base/text.h"
#include "emit/cuda.h"
#include "emit/kernel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { MOST_THREADS = 64 };

cairn_cuda_origin cairn_cuda_origin_of(const cairn_nvrtc *nvrtc)
{
    cairn_cuda_origin from = {.major = nvrtc->major, .minor = nvrtc->minor};

    cairn_nvrtc_target(nvrtc, from.target, sizeof from.target);
    return from;
}

cairn_status cairn_cuda_code_key(cairn_env               *env,
                                 const char              *key,
                                 const cairn_cuda_origin *from,
                                 char                   **whole)
{
    unsigned char id[CAIRN_BUILD_ID];
    const int     bytes = cairn_build_id(id);
    cairn_text    text;

    cairn_text_init(&text, env);
    cairn_text_add(&text, "kernel: %s\ntarget cuda\narch %s\nnvrtc %d.%d\nflags", key,
                   from->target, from->major, from->minor);
#define X(flag) cairn_text_add(&text, " %s", flag);
    CAIRN_CUDA_OPTIONS_MAP(X)
#undef X
    cairn_text_add(&text, "\nbuild: ");
    for (int k = 0; k < bytes; k++)
        cairn_text_add(&text, "%02x", id[k]);
    return cairn_text_take(&text, whole);
}

/// What threads share.
typedef struct {
    cairn_cuda_compiling *how;
    cairn_cuda_origin     from;
    cairn_cuda_wanted    *wanted; ///< [count]
    int                   count;
    atomic_int            next; ///< The first text that no thread has begun.
    pthread_mutex_t       lock; ///< Of the note.
} shop;

/// Look for a kernel in the cache. Where it has to be compiled, by whom holds its lock.
/// @param[out] left  Another process is at it, and is not waited for.
static cairn_status find(const shop        *s,
                         cairn_cache       *cache,
                         const char        *whole,
                         cairn_cuda_wanted *w,
                         cairn_cache_lock  *lock,
                         bool              *left)
{
    if (s->how->waits) return cairn_cache_find_or_lock(cache, whole, &w->object, lock);
    *left = !cairn_cache_try_lock(cache, whole, lock);
    /* Who held the lock before may have stored it. */
    return *left ? CAIRN_OK : cairn_cache_find(cache, whole, &w->object);
}

static void get(const shop *s, cairn_cache *cache, cairn_cuda_wanted *w)
{
    cairn_env       *env   = s->how->env;
    cairn_cache_lock lock  = {.fd = -1};
    char            *whole = NULL;
    bool             left  = false;
    char             symbol[CAIRN_KERNEL_SYMBOL];
    cairn_status     status;

    cairn_kernel_symbol(w->key, symbol);
    CAIRN_GO(done, cairn_cuda_code_key(env, w->key, &s->from, &whole));
    CAIRN_GO(done, find(s, cache, whole, w, &lock, &left));
    w->cached = w->object.bytes != NULL;
    if (w->cached || left) goto done;
    CAIRN_GO(done,
             cairn_nvrtc_compile(env, s->how->nvrtc, symbol, w->text, &w->object));
    cairn_cache_store(cache, whole, &w->object);

done:
    if (status != CAIRN_OK) {
        const char *const why = cairn_message(env);

        /* Without memory for the reason it is found again by who asks for the kernel. */
        (void)cairn_strndup(env, why, strlen(why), &w->why);
    }
    w->status = status;
    cairn_cache_unlock(&lock);
    cairn_free(env, whole);
}

/// Keep the first of the threads' notes.
static void keep_note(shop *s, const cairn_cache *cache)
{
    pthread_mutex_lock(&s->lock);
    if (!s->how->note[0])
        snprintf(s->how->note, sizeof s->how->note, "%s", cache->note);
    pthread_mutex_unlock(&s->lock);
}

/// What a thread does. Its cache is its own: they are made for one thread each.
static void *get_some(void *given)
{
    shop *const        s   = given;
    cairn_env *const   env = s->how->env;
    cairn_message_slot slot;
    cairn_cache        cache;
    int                k;

    cairn_message_slot_begin(env, &slot);
    cairn_cache_open(env, &cache);
    while ((k = atomic_fetch_add(&s->next, 1)) < s->count)
        get(s, &cache, &s->wanted[k]);
    keep_note(s, &cache);
    cairn_cache_close(&cache);
    cairn_message_slot_end(env, &slot);
    return NULL;
}

void cairn_cuda_compile_all(cairn_cuda_compiling *how,
                            cairn_cuda_wanted    *wanted,
                            int                   count)
{
    pthread_t thread[MOST_THREADS];
    int       threads = 0;
    shop      s       = {.how    = how,
                         .from   = cairn_cuda_origin_of(how->nvrtc),
                         .wanted = wanted,
                         .count  = count,
                         .lock   = PTHREAD_MUTEX_INITIALIZER};

    while (threads < count - 1 && threads < how->threads - 1 && threads < MOST_THREADS
           && pthread_create(&thread[threads], NULL, get_some, &s) == 0)
        threads++;
    get_some(&s);
    for (int k = 0; k < threads; k++)
        pthread_join(thread[k], NULL);
    pthread_mutex_destroy(&s.lock);
}
