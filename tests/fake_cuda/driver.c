// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The driver's functions.

#include "fake.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INVALID        1
#define NO_DEVICE      100
#define BAD_DEVICE     101
#define NO_CONTEXT     201
#define NO_BINARY      209
#define BAD_IMAGE      200
#define NOT_FOUND      500
#define NO_PINNING     801
#define RECORDING      900 /* refused while a graph is recorded */
#define NO_RECORD      901
#define CAPTURED_EVENT 907
#define MOST_CARDS     8
#define CONTEXTS       64
#define FIRST_CARD     100 /* a handle is no number of a card's */

/// A card's primary context.
static struct {
    int retained;
} primary[MOST_CARDS];

/// Of this thread: those that are current, the last first asked.
static _Thread_local struct {
    void *context[CONTEXTS];
    int   depth;
} current;

int fake_here(void)
{
    const char *const context =
        current.depth > 0 ? current.context[current.depth - 1] : NULL;

    for (int k = 0; context && k < MOST_CARDS; k++)
        if (context == (const char *)&primary[k] && primary[k].retained > 0) return k;
    return -1;
}

#define FAKE_HERE(card)           \
    const int card = fake_here(); \
    if (card < 0) return NO_CONTEXT

static int card_of(cairn_cuda_card handle)
{
    const int k = handle - FIRST_CARD;

    return k >= 0 && k < fake.set.cards && k < MOST_CARDS ? k : -1;
}

/* The driver and its cards. */

FAKE_EXPORT cairn_cuda_result cuInit(unsigned flags)
{
    const char *const visible = getenv("CUDA_VISIBLE_DEVICES");

    FAKE_BEGIN(cuInit);
    if (flags != 0) return INVALID;
    return fake.set.cards == 0 || (visible && (!*visible || strcmp(visible, "-1") == 0))
               ? NO_DEVICE
               : CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuDriverGetVersion(int *version)
{
    FAKE_BEGIN(cuDriverGetVersion);
    *version = fake.set.version;
    return CAIRN_CUDA_OK;
}

static const struct {
    cairn_cuda_result code;
    const char       *name;
} errors[] = {
    {0,   "CUDA_SUCCESS"                         },
    {1,   "CUDA_ERROR_INVALID_VALUE"             },
    {2,   "CUDA_ERROR_OUT_OF_MEMORY"             },
    {100, "CUDA_ERROR_NO_DEVICE"                 },
    {101, "CUDA_ERROR_INVALID_DEVICE"            },
    {200, "CUDA_ERROR_INVALID_IMAGE"             },
    {201, "CUDA_ERROR_INVALID_CONTEXT"           },
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"         },
    {304, "CUDA_ERROR_OPERATING_SYSTEM"          },
    {500, "CUDA_ERROR_NOT_FOUND"                 },
    {600, "CUDA_ERROR_NOT_READY"                 },
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS"           },
    {719, "CUDA_ERROR_LAUNCH_FAILED"             },
    {801, "CUDA_ERROR_NOT_SUPPORTED"             },
    {802, "CUDA_ERROR_SYSTEM_NOT_READY"          },
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
    {904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED"   },
    {999, "CUDA_ERROR_UNKNOWN"                   },
};

FAKE_EXPORT cairn_cuda_result cuGetErrorName(cairn_cuda_result error, const char **name)
{
    FAKE_BEGIN(cuGetErrorName);
    *name = NULL;
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
        if (errors[k].code == error) *name = errors[k].name;
    return *name ? CAIRN_CUDA_OK : INVALID;
}

FAKE_EXPORT cairn_cuda_result cuDeviceGetCount(int *count)
{
    FAKE_BEGIN(cuDeviceGetCount);
    *count = fake.set.cards;
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuDeviceGet(cairn_cuda_card *card, int ordinal)
{
    FAKE_BEGIN(cuDeviceGet);
    if (ordinal < 0 || ordinal >= fake.set.cards) return BAD_DEVICE;
    *card = FIRST_CARD + ordinal;
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuDeviceGetName(char           *name,
                                              int             size,
                                              cairn_cuda_card card)
{
    FAKE_BEGIN(cuDeviceGetName);
    if (card_of(card) < 0) return BAD_DEVICE;
    snprintf(name, (size_t)size, "Fake card %d", card_of(card));
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuDeviceGetUuid_v2(cairn_cuda_uuid *uuid,
                                                 cairn_cuda_card  card)
{
    FAKE_BEGIN(cuDeviceGetUuid_v2);
    if (card_of(card) < 0) return BAD_DEVICE;
    memset(uuid, 'a' + card_of(card), sizeof *uuid);
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuDeviceTotalMem_v2(size_t *bytes, cairn_cuda_card card)
{
    FAKE_BEGIN(cuDeviceTotalMem_v2);
    if (card_of(card) < 0) return BAD_DEVICE;
    *bytes = fake.set.memory;
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuDeviceGetAttribute(int                 *value,
                                                   cairn_cuda_attribute what,
                                                   cairn_cuda_card      card)
{
    FAKE_BEGIN(cuDeviceGetAttribute);
    if (card_of(card) < 0) return BAD_DEVICE;
    *value = what == CAIRN_CUDA_CLOCK_KHZ      ? 1000000
             : what == CAIRN_CUDA_UNITS        ? 4
             : what == CAIRN_CUDA_MAJOR        ? fake.set.sm / 10
             : what == CAIRN_CUDA_MINOR        ? fake.set.sm % 10
             : (int)what == fake.set.attribute ? fake.set.value
                                               : 0;
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuDeviceGetPCIBusId(char           *address,
                                                  int             size,
                                                  cairn_cuda_card card);

FAKE_EXPORT cairn_cuda_result cuDeviceGetPCIBusId(char           *address,
                                                  int             size,
                                                  cairn_cuda_card card)
{
    FAKE_BEGIN(cuDeviceGetPCIBusId);
    if (card_of(card) < 0) return BAD_DEVICE;
    snprintf(address, (size_t)size, "FA%02X:00:00.0", card_of(card));
    return CAIRN_CUDA_OK;
}

/* Contexts. */

FAKE_EXPORT cairn_cuda_result cuDevicePrimaryCtxRetain(cairn_cuda_context *context,
                                                       cairn_cuda_card     card)
{
    FAKE_BEGIN(cuDevicePrimaryCtxRetain);
    const int k = card_of(card);

    if (k < 0) return BAD_DEVICE;
    primary[k].retained++;
    fake.alive++;
    *context = &primary[k];
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuDevicePrimaryCtxRelease_v2(cairn_cuda_card card)
{
    FAKE_BEGIN(cuDevicePrimaryCtxRelease_v2);
    const int k = card_of(card);

    if (k < 0 || primary[k].retained == 0) return NO_CONTEXT;
    primary[k].retained--;
    fake.alive--;
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuCtxPushCurrent_v2(cairn_cuda_context context)
{
    FAKE_BEGIN(cuCtxPushCurrent_v2);
    if (current.depth == CONTEXTS) fake_die("contexts are pushed, and not popped");
    current.context[current.depth++] = context;
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuCtxPopCurrent_v2(cairn_cuda_context *context)
{
    FAKE_BEGIN(cuCtxPopCurrent_v2);
    if (current.depth == 0) fake_die("a context is popped that was not pushed");
    *context = current.context[--current.depth];
    return CAIRN_CUDA_OK;
}

/// Contexts that this thread has pushed.
FAKE_EXPORT int fake_cuda_depth(void);
FAKE_EXPORT int fake_cuda_depth(void)
{
    return current.depth;
}

/* Memory. */

FAKE_EXPORT cairn_cuda_result cuMemGetInfo_v2(size_t *left, size_t *all)
{
    FAKE_BEGIN(cuMemGetInfo_v2);
    FAKE_HERE(card);
    *all  = fake.set.memory;
    *left = fake.set.memory - fake_memory_used(card);
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuMemAlloc_v2(cairn_cuda_pointer *at, size_t bytes)
{
    FAKE_BEGIN(cuMemAlloc_v2);
    FAKE_HERE(card);
    if (fake_stream_records()) return RECORDING;
    if (bytes == 0) return INVALID;
    if (!fake_memory_alloc(card, bytes, at)) return CAIRN_CUDA_NO_MEMORY;
    fake.alive++;
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuMemFree_v2(cairn_cuda_pointer at)
{
    FAKE_BEGIN(cuMemFree_v2);
    FAKE_HERE(card);
    (void)card;
    if (fake_stream_records()) return RECORDING;
    if (!fake_memory_free(at)) fake_die("memory is freed that was not allocated");
    fake.alive--;
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuMemHostRegister_v2(void    *at,
                                                   size_t   bytes,
                                                   unsigned flags)
{
    FAKE_BEGIN(cuMemHostRegister_v2);
    FAKE_HERE(card);
    (void)card;
    if (fake_stream_records()) return RECORDING;
    if (flags > 2 || bytes == 0) return INVALID;
    if (!fake.set.pins) return NO_PINNING;
    if (!fake_host_pin(at, bytes)) return 712;
    fake.alive++;
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuMemHostUnregister(void *at)
{
    FAKE_BEGIN(cuMemHostUnregister);
    FAKE_HERE(card);
    if (fake_stream_busy(card)) fake_die("memory is let go while work waits");
    if (!fake_host_unpin(at)) fake_die("memory is let go that was not pinned");
    fake.alive--;
    return CAIRN_CUDA_OK;
}

static cairn_cuda_pointer of_host(const void *at)
{
    return (cairn_cuda_pointer)(uintptr_t)at;
}

FAKE_EXPORT cairn_cuda_result cuMemcpyHtoDAsync_v2(cairn_cuda_pointer to,
                                                   const void        *from,
                                                   size_t             bytes,
                                                   cairn_cuda_stream  stream)
{
    FAKE_BEGIN(cuMemcpyHtoDAsync_v2);
    FAKE_HERE(card);
    if (!fake_memory_has(card, to, bytes)) return INVALID;
    if (fake_stream_records() && !fake_host_has(of_host(from), bytes)) return RECORDING;
    fake_stream_give(stream, &(fake_work){.kind  = FAKE_COPY_UP,
                                          .to    = to,
                                          .from  = of_host(from),
                                          .bytes = bytes});
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuMemcpyDtoHAsync_v2(void              *to,
                                                   cairn_cuda_pointer from,
                                                   size_t             bytes,
                                                   cairn_cuda_stream  stream)
{
    FAKE_BEGIN(cuMemcpyDtoHAsync_v2);
    FAKE_HERE(card);
    if (!fake_memory_has(card, from, bytes)) return INVALID;
    if (fake_stream_records() && !fake_host_has(of_host(to), bytes)) return RECORDING;
    fake_stream_give(stream, &(fake_work){.kind  = FAKE_COPY_DOWN,
                                          .to    = of_host(to),
                                          .from  = from,
                                          .bytes = bytes});
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuMemcpyDtoDAsync_v2(cairn_cuda_pointer to,
                                                   cairn_cuda_pointer from,
                                                   size_t             bytes,
                                                   cairn_cuda_stream  stream)
{
    FAKE_BEGIN(cuMemcpyDtoDAsync_v2);
    FAKE_HERE(card);
    if (!fake_memory_has(card, from, bytes) || !fake_memory_has(card, to, bytes))
        return INVALID;
    fake_stream_give(
        stream,
        &(fake_work){.kind = FAKE_COPY_INSIDE, .to = to, .from = from, .bytes = bytes});
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuMemsetD8Async(cairn_cuda_pointer to,
                                              unsigned char      value,
                                              size_t             bytes,
                                              cairn_cuda_stream  stream)
{
    FAKE_BEGIN(cuMemsetD8Async);
    FAKE_HERE(card);
    if (!fake_memory_has(card, to, bytes)) return INVALID;
    fake_stream_give(
        stream,
        &(fake_work){.kind = FAKE_SET, .to = to, .value = value, .bytes = bytes});
    return CAIRN_CUDA_OK;
}

/* Streams and events. */

FAKE_EXPORT cairn_cuda_result cuStreamCreate(cairn_cuda_stream *stream, unsigned flags)
{
    FAKE_BEGIN(cuStreamCreate);
    FAKE_HERE(card);
    if (flags > 1) return INVALID;
    *stream = fake_stream_make(card);
    fake.alive++;
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuStreamDestroy_v2(cairn_cuda_stream stream)
{
    FAKE_BEGIN(cuStreamDestroy_v2);
    FAKE_HERE(card);
    (void)card;
    fake_stream_free(stream);
    fake.alive--;
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuEventCreate(cairn_cuda_event *event, unsigned flags)
{
    FAKE_BEGIN(cuEventCreate);
    FAKE_HERE(card);
    (void)card;
    (void)flags;
    *event = calloc(1, sizeof(fake_event));
    fake.alive++;
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuEventDestroy_v2(cairn_cuda_event event)
{
    FAKE_BEGIN(cuEventDestroy_v2);
    FAKE_HERE(card);
    fake_event *const e = event;

    (void)card;
    if (e->recorded && !e->done) fake_die("an event is destroyed before it came");
    free(e);
    fake.alive--;
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuEventRecord(cairn_cuda_event  event,
                                            cairn_cuda_stream stream)
{
    FAKE_BEGIN(cuEventRecord);
    FAKE_HERE(card);
    if (fake_stream_card(stream) != card) return INVALID;
    fake_stream_mark(stream, event);
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuEventRecordWithFlags(cairn_cuda_event  event,
                                                     cairn_cuda_stream stream,
                                                     unsigned          flags)
{
    FAKE_BEGIN(cuEventRecordWithFlags);
    FAKE_HERE(card);
    if (flags != 1 || fake_stream_card(stream) != card) return INVALID;
    if (!fake_stream_records()) fake_die("an event of a graph is recorded in none");
    fake_stream_give(stream,
                     &(fake_work){.kind = FAKE_RECORD, .event = event, .silent = true});
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuStreamWaitEvent(cairn_cuda_stream stream,
                                                cairn_cuda_event  event,
                                                unsigned          flags)
{
    FAKE_BEGIN(cuStreamWaitEvent);
    FAKE_HERE(card);
    if (flags != 0 || fake_stream_card(stream) != card) return INVALID;
    return fake_stream_wait(stream, event);
}

FAKE_EXPORT cairn_cuda_result cuEventQuery(cairn_cuda_event event)
{
    FAKE_BEGIN(cuEventQuery);
    FAKE_HERE(card);
    const fake_event *const e = event;

    (void)card;
    if (e->recording) return CAPTURED_EVENT;
    fake_stream_advance();
    return !e->recorded || e->done ? CAIRN_CUDA_OK : CAIRN_CUDA_NOT_READY;
}

FAKE_EXPORT cairn_cuda_result cuEventElapsedTime(float           *ms,
                                                 cairn_cuda_event from,
                                                 cairn_cuda_event to)
{
    FAKE_BEGIN(cuEventElapsedTime);
    FAKE_HERE(card);
    const fake_event *const a = from, *const b = to;

    (void)card;
    if (!a->recorded || !b->recorded) return INVALID;
    if (!a->done || !b->done) return CAIRN_CUDA_NOT_READY;
    *ms = (float)((b->time - a->time) * 1e3);
    return CAIRN_CUDA_OK;
}

/* Graphs. */

FAKE_EXPORT cairn_cuda_result cuStreamBeginCapture_v2(cairn_cuda_stream  stream,
                                                      cairn_cuda_capture mode)
{
    FAKE_BEGIN(cuStreamBeginCapture_v2);
    FAKE_HERE(card);
    if (mode > 2 || fake_stream_card(stream) != card || !fake_stream_record(stream))
        return INVALID;
    return CAIRN_CUDA_OK;
}

/// What was recorded last, and is nobody's yet, and why there is none.
static fake_graph       *ended;
static cairn_cuda_result ended_so;

static void end_recording(cairn_cuda_stream stream)
{
    pthread_mutex_lock(&fake.lock);
    if (ended) fake_graph_free(ended);
    ended    = NULL;
    ended_so = NO_RECORD;
    if (fake.stays == CAIRN_CUDA_OK) ended_so = fake_stream_end(stream, &ended);
    pthread_mutex_unlock(&fake.lock);
}

/// Also where it fails the stream records no more.
FAKE_EXPORT cairn_cuda_result cuStreamEndCapture(cairn_cuda_stream stream,
                                                 cairn_cuda_graph *graph)
{
    end_recording(stream);
    FAKE_BEGIN(cuStreamEndCapture);
    FAKE_HERE(card);
    (void)card;
    if (ended_so != CAIRN_CUDA_OK) return ended_so;
    *graph = ended;
    ended  = NULL;
    fake.alive++;
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuGraphInstantiateWithFlags(cairn_cuda_graph_exec *exec,
                                                          cairn_cuda_graph       graph,
                                                          unsigned long long     flags)
{
    FAKE_BEGIN(cuGraphInstantiateWithFlags);
    FAKE_HERE(card);
    (void)card;
    if (flags != 0) return INVALID;
    fake.alive++;
    *exec = fake_graph_copy(graph, true);
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuGraphDestroy(cairn_cuda_graph graph)
{
    FAKE_BEGIN(cuGraphDestroy);
    FAKE_HERE(card);
    (void)card;
    fake_graph_free(graph);
    fake.alive--;
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuGraphExecDestroy(cairn_cuda_graph_exec exec)
{
    FAKE_BEGIN(cuGraphExecDestroy);
    FAKE_HERE(card);
    if (fake_stream_busy(card)) fake_die("a graph is destroyed while work waits");
    fake_graph_free(exec);
    fake.alive--;
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuGraphLaunch(cairn_cuda_graph_exec exec,
                                            cairn_cuda_stream     stream)
{
    FAKE_BEGIN(cuGraphLaunch);
    FAKE_HERE(card);
    if (fake_stream_card(stream) != card || fake_stream_records()) return INVALID;
    fake_stream_give_graph(stream, exec);
    return CAIRN_CUDA_OK;
}

/* Code. */

typedef struct module {
    void *library;
} module;

typedef struct function {
    fake_kernel kernel;
    size_t      bytes; ///< Of its arguments.
} function;

/// A shared object from memory. By a name that no other has: of two files of one name the
/// system takes the one that is loaded.
static void *open_object(const void *bytes, size_t length)
{
    const char *const base = getenv("TMPDIR");
    char              path[256];
    void             *library;

    snprintf(path, sizeof path, "%.200s/fake-cubin-XXXXXX",
             base && *base ? base : "/tmp");
    const int fd = mkstemp(path);

    if (fd < 0 || write(fd, bytes, length) != (ssize_t)length)
        fake_die("code cannot be written");
    close(fd);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    unlink(path);
    return library;
}

FAKE_EXPORT cairn_cuda_result cuModuleLoadData(cairn_cuda_module *loaded,
                                               const void        *image)
{
    FAKE_BEGIN(cuModuleLoadData);
    FAKE_HERE(card);
    const fake_cubin *const cubin = image;
    module                 *m;

    (void)card;
    if (fake_stream_records()) return RECORDING;
    if (memcmp(cubin->magic, FAKE_MAGIC, sizeof cubin->magic) != 0) return BAD_IMAGE;
    if (cubin->text
            ? cubin->target > fake.set.sm
            : cubin->target > fake.set.sm || cubin->target / 10 != fake.set.sm / 10)
        return NO_BINARY;
    m          = malloc(sizeof *m);
    m->library = open_object(cubin + 1, cubin->bytes);
    if (!m->library) fake_die(dlerror());
    fake.alive++;
    *loaded = m;
    return CAIRN_CUDA_OK;
}

FAKE_EXPORT cairn_cuda_result cuModuleUnload(cairn_cuda_module loaded)
{
    FAKE_BEGIN(cuModuleUnload);
    FAKE_HERE(card);
    module *const m = loaded;

    if (fake_stream_busy(card)) fake_die("code is unloaded while work waits");
    dlclose(m->library);
    free(m);
    fake.alive--;
    return CAIRN_CUDA_OK;
}

/// Functions go with their module: the compiler writes one of these beside each kernel.
FAKE_EXPORT cairn_cuda_result cuModuleGetFunction(cairn_cuda_entry *entry,
                                                  cairn_cuda_module loaded,
                                                  const char       *name)
{
    FAKE_BEGIN(cuModuleGetFunction);
    FAKE_HERE(card);
    const module *const m = loaded;
    char                about[256];

    (void)card;
    snprintf(about, sizeof about, "%s_function", name);
    *entry = dlsym(m->library, about);
    return *entry ? CAIRN_CUDA_OK : NOT_FOUND;
}

FAKE_EXPORT cairn_cuda_result cuLaunchKernel(cairn_cuda_entry  entry,
                                             unsigned          x,
                                             unsigned          y,
                                             unsigned          z,
                                             unsigned          items,
                                             unsigned          items_y,
                                             unsigned          items_z,
                                             unsigned          shared,
                                             cairn_cuda_stream stream,
                                             void            **arguments,
                                             void            **more)
{
    FAKE_BEGIN(cuLaunchKernel);
    FAKE_HERE(card);
    const function *const f = entry;
    void                 *copy;

    if (x == 0 || y == 0 || y > 65535 || z != 1 || items == 0 || items > 1024
        || items_y != 1 || items_z != 1 || shared != 0 || more
        || fake_stream_card(stream) != card)
        return INVALID;
    copy = malloc(f->bytes + 1);
    memcpy(copy, arguments[0], f->bytes);
    fake_stream_give(stream, &(fake_work){.kind       = FAKE_RUN,
                                          .kernel     = f->kernel,
                                          .args       = copy,
                                          .args_bytes = f->bytes,
                                          .x          = x,
                                          .y          = y,
                                          .items      = items});
    return CAIRN_CUDA_OK;
}
