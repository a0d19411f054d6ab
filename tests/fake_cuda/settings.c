// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Settings, counts of calls, and failures on request.

#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

fake_state fake = {.failure = {.call = -2}, .waits = -1, .cut = -1};

static const char *const names[FAKE_CALLS] = {
#define X(name, arguments) #name,
    CAIRN_CUDA_MAP(X)
#undef X
        "cuDeviceGetPCIBusId",
};

static int number_of(const char *name)
{
    for (int k = 0; k < FAKE_CALLS; k++)
        if (strcmp(names[k], name) == 0) return k;
    fake_die("FAKE_CUDA names a function that there is not");
}

/// "64M", "2G", "1000".
static size_t bytes_of(const char *text)
{
    char  *end;
    size_t bytes = strtoull(text, &end, 10);

    return bytes << (*end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0);
}

/// "cuMemAlloc_v2@3:719": the third call.
static void read_failure(const char *text)
{
    char name[64];
    long at   = 1;
    int  code = 999;

    if (sscanf(text, "%63[^@]@%ld:%d", name, &at, &code) < 2)
        fake_die("FAKE_CUDA: fail=NAME@N:CODE");
    fake.failure = (fake_failure){strcmp(name, "any") == 0 ? -1 : number_of(name),
                                  at - 1, (cairn_cuda_result)code};
}

static void read_word(const char *word)
{
    fake_settings *s     = &fake.set;
    const char    *value = strchr(word, '=');

    if (!value) fake_die("FAKE_CUDA: words are NAME=VALUE");
    value++;
    if (strncmp(word, "cards=", 6) == 0)
        s->cards = atoi(value);
    else if (strncmp(word, "memory=", 7) == 0)
        s->memory = bytes_of(value);
    else if (strncmp(word, "version=", 8) == 0)
        s->version = atoi(value);
    else if (strncmp(word, "sm=", 3) == 0)
        s->sm = atoi(value);
    else if (strncmp(word, "register=", 9) == 0)
        s->pins = strcmp(value, "no") != 0;
    else if (strncmp(word, "loss=", 5) == 0)
        s->apart = strcmp(value, "card") == 0;
    else if (strncmp(word, "delay=", 6) == 0)
        s->delay = atof(value);
    else if (strncmp(word, "seed=", 5) == 0)
        s->seed = strtoull(value, NULL, 10);
    else if (strncmp(word, "log=", 4) == 0)
        snprintf(s->log, sizeof s->log, "%s", value);
    else if (sscanf(word, "attribute=%d:%d", &s->attribute, &s->value) == 2)
        return;
    else if (strncmp(word, "fail=", 5) == 0)
        read_failure(value);
    else if (strncmp(word, "nvrtc=", 6) != 0
             && strncmp(word, "compile=", 8) != 0) /* the compiler's */
        fake_die("FAKE_CUDA has a word that is not known");
}

static void read_settings(void)
{
    const char *text = getenv("FAKE_CUDA");
    char        word[600];
    int         length;

    fake.read = true;
    fake.set  = (fake_settings){.cards   = 1,
                                .memory  = 1 << 28,
                                .version = 13000,
                                .sm      = 90,
                                .pins    = true,
                                .seed    = 1};
    for (; text && sscanf(text, " %599s%n", word, &length) == 1; text += length)
        read_word(word);
    fake.random = fake.set.seed;
}

unsigned fake_random(unsigned n)
{
    fake.random = fake.random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(fake.random >> 33) % n;
}

static void __attribute__((constructor)) prepare(void)
{
    pthread_mutexattr_t recursive;

    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&fake.lock, &recursive);
}

/// May it be asked of a context that is lost?
static bool is_allowed(fake_call call)
{
    return call == FAKE_cuGetErrorName || call == FAKE_cuDevicePrimaryCtxRelease_v2
           || call == FAKE_cuCtxPopCurrent_v2 || call < FAKE_cuDevicePrimaryCtxRetain;
}

static bool is_sticky(cairn_cuda_result code)
{
    return code == 214 || code == 220 || code == 226 || code == 999
           || (code >= 700 && code < 722 && code != 701 && code != 704 && code != 705
               && code != 708 && code != 712 && code != 713 && code != 720);
}

static bool fails(fake_call call)
{
    const int who = fake.failure.call;

    return (who == -1 || who == (int)call) && fake.failure.left-- == 0;
}

cairn_cuda_result fake_begin(fake_call call)
{
    pthread_mutex_lock(&fake.lock);
    if (!fake.read) read_settings();
    fake.calls[call]++;
    if (fake.stays != CAIRN_CUDA_OK && !is_allowed(call)
        && (fake.stays_with < 0 || fake.stays_with == fake_here())) {
        fake.late++;
        return fake.stays;
    }
    if (call == FAKE_cuGetErrorName || !fails(call)) return CAIRN_CUDA_OK;
    if (is_sticky(fake.failure.code) && call >= FAKE_cuDevicePrimaryCtxRetain) {
        fake.stays      = fake.failure.code;
        fake.stays_with = fake.set.apart ? fake_here() : -1;
        fake_stream_drop(fake.stays_with);
    }
    return fake.failure.code;
}

void fake_end(const int *unused)
{
    (void)unused;
    pthread_mutex_unlock(&fake.lock);
}

/* What tests find by name. */

FAKE_EXPORT void fake_cuda_fail(const char *name, long n, int code)
{
    pthread_mutex_lock(&fake.lock);
    fake.failure =
        (fake_failure){name ? number_of(name) : -1, n, (cairn_cuda_result)code};
    if (n < 0) fake.failure.call = -2;
    pthread_mutex_unlock(&fake.lock);
}

/// Has the failure come?
FAKE_EXPORT int fake_cuda_failed(void)
{
    return fake.failure.call != -2 && fake.failure.left < 0;
}

/// Calls of a function; NULL: of all.
FAKE_EXPORT long fake_cuda_calls(const char *name)
{
    long sum = 0;

    if (name) return fake.calls[number_of(name)];
    for (int k = 0; k < FAKE_CALLS; k++)
        sum += fake.calls[k];
    return sum;
}

FAKE_EXPORT int fake_cuda_alive(void)
{
    return fake.alive;
}

/// Calls that a lost context was asked for.
FAKE_EXPORT long fake_cuda_late(void)
{
    return fake.late;
}

/// From now on what a stream is given begins so much later.
FAKE_EXPORT void fake_cuda_delay(double seconds)
{
    fake.set.delay = seconds;
}

/// Bytes that were copied to cards.
FAKE_EXPORT size_t fake_cuda_up(void)
{
    return fake.up;
}

/// Bytes that were copied from cards.
FAKE_EXPORT size_t fake_cuda_down(void)
{
    return fake.down;
}

/// Bytes of the host's that are pinned.
FAKE_EXPORT size_t fake_cuda_pinned(void)
{
    return fake_host_pinned();
}

/// The n-th wait of a stream from now on is forgotten; below 0: none is.
FAKE_EXPORT void fake_cuda_forget(long n)
{
    fake.waits = n;
}

/// Graphs from now on are left without the n-th of what their work waits for; below 0: with
/// all. @return how much the last one's waited for.
FAKE_EXPORT int fake_cuda_cut(int n)
{
    fake.cut = n;
    return fake.needs;
}

/// Another order of what comes, from now on.
FAKE_EXPORT void fake_cuda_shuffle(unsigned seed)
{
    fake.random = seed;
}

/// Forget that anything was lost.
FAKE_EXPORT void fake_cuda_mend(void)
{
    fake.stays   = CAIRN_CUDA_OK;
    fake.late    = 0;
    fake.failure = (fake_failure){.call = -2};
}

static void __attribute__((destructor)) write_log(void)
{
    FILE *file = fake.read && fake.set.log[0] ? fopen(fake.set.log, "we") : NULL;

    if (!file) return;
    for (int k = 0; k < FAKE_CALLS; k++)
        if (fake.calls[k] > 0) fprintf(file, "%s %ld\n", names[k], fake.calls[k]);
    fprintf(file, "alive %d\nlate %ld\n", fake.alive, fake.late);
    fclose(file);
}
