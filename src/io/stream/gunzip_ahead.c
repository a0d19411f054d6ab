// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Inflating the next chunk of a gzip file while this one is parsed, by a thread for each
/// chunk. Inflating takes much longer than parsing, so one thread ahead is enough. What
/// goes wrong ahead is reported when its chunk is asked for. With one thread chunks are cut in
/// the same places, so that of two failures the same one is reported.

#include "io/stream/stream.h"

#include <pthread.h>
#include <string.h>

struct cairn_ahead {
    cairn_env    *env;
    cairn_env     quiet;  ///< For messages of the thread: `env` has one at a time.
    cairn_gunzip *gunzip; ///< The thread's while it runs.
    pthread_t     thread;
    bool          started;      ///< The next chunk is being inflated.
    cairn_status  status;       ///< Of the last chunk,
    bool          last;         ///< behind which nothing follows.
    int64_t       offset;       ///< Compressed bytes before what follows it.
    int64_t       offset_taken; ///< The same of the chunk that was taken from last.
    size_t        begin, length, size; ///< Bytes [begin, length) are not yet taken.
    char          buffer[];            ///< [size]
};

cairn_status cairn_ahead_create(cairn_env    *env,
                                cairn_gunzip *gunzip,
                                size_t        size,
                                cairn_ahead **ahead)
{
    cairn_ahead *a = NULL;

    CAIRN_TRY(cairn_alloc(env, 1, sizeof *a + size, (void **)&a));
    memset(a, 0, sizeof *a);
    a->env    = env;
    a->gunzip = gunzip;
    a->size   = size;
    cairn_env_init(&a->quiet);
    cairn_gunzip_tell(gunzip, &a->quiet);
    *ahead = a;
    return CAIRN_OK;
}

static void *inflate_chunk(void *given)
{
    cairn_ahead *const a = given;

    a->begin = a->length = 0;
    a->status            = cairn_gunzip_read(a->gunzip, a->buffer, a->size, &a->length);
    a->last              = a->status != CAIRN_OK || a->length < a->size;
    a->offset            = cairn_gunzip_offset(a->gunzip);
    return NULL;
}

/// Without a thread the next chunk is inflated when it is asked for.
static void start(cairn_ahead *a)
{
    a->started = a->env->options.threads > 1
                 && pthread_create(&a->thread, NULL, inflate_chunk, a) == 0;
}

/// Whether all of the buffer was taken and more follows.
static bool hungry(const cairn_ahead *a)
{
    return a->begin == a->length && !a->last;
}

/// Have a chunk in the buffer, unless nothing follows.
static void finish(cairn_ahead *a)
{
    if (a->started)
        pthread_join(a->thread, NULL);
    else if (hungry(a))
        inflate_chunk(a);
    a->started = false;
}

void cairn_ahead_destroy(cairn_ahead *ahead)
{
    if (!ahead) return;
    if (ahead->started) pthread_join(ahead->thread, NULL);
    cairn_env_fini(&ahead->quiet);
    cairn_free(ahead->env, ahead);
}

cairn_status
cairn_ahead_read(cairn_ahead *ahead, char *out, size_t room, size_t *got, bool *ended)
{
    cairn_ahead *const a = ahead;

    finish(a);
    if (a->status != CAIRN_OK)
        return cairn_fail(a->env, a->status, "%s", a->quiet.message);

    const size_t left = a->length - a->begin, n = left < room ? left : room;

    memcpy(out, a->buffer + a->begin, n);
    a->begin += n;
    a->offset_taken = a->offset;
    *got            = n;
    *ended          = a->begin == a->length && a->last;
    if (hungry(a)) start(a);
    return CAIRN_OK;
}

int64_t cairn_ahead_offset(const cairn_ahead *ahead)
{
    return ahead->offset_taken;
}
