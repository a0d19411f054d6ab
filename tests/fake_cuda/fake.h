// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// CUDA's driver and compiler for machines without a card: libraries of the names and
/// functions that devices/cuda opens. Nothing of the product knows that they are not the
/// real ones. They are stricter than those:
///
/// - memory of a card is inaccessible, but while a copy or a kernel runs, and ends where
///   its block does: who touches it from the host, or beyond its end, is ended;
/// - a stream does nothing before somebody waits, and then what it was given, a few steps
///   at each question, several streams in any order that their events allow: who forgets
///   to wait reads what was there before;
/// - what an event that a graph records says is the last run's, until it is recorded again;
/// - while a graph is recorded nothing is allocated, loaded or pinned, and only memory that
///   is pinned is copied; what of a graph is not after each other is done in any order;
/// - nothing may be freed while a stream has work to do;
/// - any call can fail, with any code, and those that stay on a real card stay.
///
/// Settings are words of the variable FAKE_CUDA, `cards=2 memory=64M`; tests also set them
/// while they run, by functions that they find in the library by name.

#ifndef CAIRN_TESTS_FAKE_CUDA_H
#define CAIRN_TESTS_FAKE_CUDA_H

#include "devices/cuda/driver.h"

#include <pthread.h>

#define FAKE_EXPORT __attribute__((visibility("default")))

/// What the variable says.
typedef struct fake_settings {
    int      cards;   ///< cards=1
    size_t   memory;  ///< memory=64M, of each card.
    int      version; ///< version=13000, of the driver.
    int      sm;      ///< sm=90
    bool     pins;    ///< register=no: memory cannot be pinned.
    double   delay;   ///< delay=2: seconds before what a stream is given is begun.
    uint64_t seed;    ///< seed=1, of orders.
    bool apart; ///< loss=card: a failure that stays stays with the context's card, and
                ///< is not the process's.
    int  attribute, value; ///< attribute=20:3, what cards say of one.
    char log[512];         ///< log=FILE: who was called how often, written at the end.
} fake_settings;

/// A code for the n-th call of a function, or of all.
typedef struct fake_failure {
    int               call; ///< Number of the function; -1: any; -2: none fails.
    long              left; ///< Calls until then.
    cairn_cuda_result code;
} fake_failure;

/// The functions by number, and one more that reports ask.
typedef enum {
#define X(name, arguments) FAKE_##name,
    CAIRN_CUDA_MAP(X)
#undef X
        FAKE_cuDeviceGetPCIBusId,
    FAKE_CALLS
} fake_call;

/// All that there is, under one lock.
typedef struct fake_state {
    pthread_mutex_t   lock;
    bool              read; ///< The variable was.
    fake_settings     set;
    fake_failure      failure;
    cairn_cuda_result stays;      ///< The failure that stays,
    int               stays_with; ///< of this card; -1: of all.
    long              calls[FAKE_CALLS];
    long              late; ///< Calls that a lost context was asked.
    long   waits;           ///< Of streams, until one that is forgotten; below 0: none.
    size_t up, down;        ///< Bytes that were copied to cards, and from them.
    int    cut; ///< Number of the need that graphs are left without; below 0: none.
    int needs; ///< Of the last graph: those without which something may come too early.
    int alive; ///< Things that were made and not given back.
    uint64_t random;
} fake_state;

extern fake_state fake;

/// The card of the thread's current context; -1: there is none.
int fake_here(void);

/// Begin a call: count it, and find out whether it fails. The lock is held then.
cairn_cuda_result fake_begin(fake_call call);
void              fake_end(const int *unused);

/// A function's first lines.
#define FAKE_BEGIN(name)                                                          \
    const int __attribute__((cleanup(fake_end))) held_ = 0;                       \
    const cairn_cuda_result refused_                   = fake_begin(FAKE_##name); \
    (void)held_;                                                                  \
    if (refused_ != CAIRN_CUDA_OK) return refused_

/// A number below @p n, of the seed's.
unsigned fake_random(unsigned n);

/// End the process, and say why: a misuse that a real driver may forgive.
void fake_die(const char *why) __attribute__((noreturn));

/* Memory of cards. memory.c */

bool   fake_memory_alloc(int card, size_t bytes, cairn_cuda_pointer *at);
bool   fake_memory_free(cairn_cuda_pointer at);
size_t fake_memory_used(int card);
/// Are all of these bytes in one block of the card's?
bool fake_memory_has(int card, cairn_cuda_pointer at, size_t bytes);
/// Make a card's memory accessible, and inaccessible again.
void fake_memory_open(int card);
void fake_memory_close(int card);

/// Of a card's memory the pages alone of so many bytes of the block that holds an address;
/// none: nothing.
void   fake_memory_open_at(int card, cairn_cuda_pointer at, size_t bytes);
void   fake_memory_close_at(int card, cairn_cuda_pointer at, size_t bytes);
bool   fake_host_pin(void *at, size_t bytes);
bool   fake_host_unpin(void *at);
size_t fake_host_pinned(void); ///< Bytes that are.
/// Are all of these bytes pinned?
bool fake_host_has(cairn_cuda_pointer at, size_t bytes);
/// Was it pinned, and are other pages mapped there by now? A card writes to those that it
/// knows.
bool fake_host_is_gone(cairn_cuda_pointer at, size_t bytes);

/* Streams and events. stream.c */

typedef struct fake_stream fake_stream;
typedef struct fake_graph  fake_graph;

enum { FAKE_NEEDS = 8 };

/// What was recorded last in a stream: what comes next is after these nodes of the graph.
typedef struct fake_tail {
    int count, node[FAKE_NEEDS];
} fake_tail;

typedef struct fake_event {
    bool          recorded, done;
    unsigned long turn;      ///< Of the last time that it was recorded;
    unsigned long come;      ///< of the last that came.
    double        time;      ///< Seconds, when it came.
    unsigned long recording; ///< It is in a graph, of this number, after
    fake_tail     tail;      ///< these; 0: in none.
} fake_event;

typedef const char *(*fake_kernel)(const void   *args,
                                   unsigned      x,
                                   unsigned      y,
                                   int           items,
                                   unsigned long seed);

/// One thing that a stream is to do.
typedef struct fake_work {
    enum {
        FAKE_COPY_UP,
        FAKE_COPY_DOWN,
        FAKE_COPY_INSIDE,
        FAKE_SET,
        FAKE_RECORD,
        FAKE_WAIT, ///< Until the event's `turn` has come.
        FAKE_RUN
    } kind;
    cairn_cuda_pointer to, from; ///< Of the card, or addresses of the host's.
    size_t             bytes;
    unsigned char      value;
    fake_event        *event;
    unsigned long      turn;
    fake_kernel        kernel;
    void              *args; ///< Freed when it is done.
    unsigned           x, y, items;
    size_t             args_bytes;
    bool silent; ///< A record of a graph: until it is done, the last one's.
} fake_work;

fake_stream *fake_stream_make(int card);
void         fake_stream_free(fake_stream *stream);
int          fake_stream_card(const fake_stream *stream);
void         fake_stream_give(fake_stream *stream, const fake_work *work);
/// From now on what the stream is given is recorded.
bool fake_stream_record(fake_stream *stream);
/// And no more, nor of the streams that joined it; @p graph is NULL after a failure.
cairn_cuda_result fake_stream_end(fake_stream *stream, fake_graph **graph);
/// Is what any stream is given recorded?
bool fake_stream_records(void);
/// The event comes when what the stream was given is done; the stream waits for it.
void              fake_stream_mark(fake_stream *stream, fake_event *event);
cairn_cuda_result fake_stream_wait(fake_stream *stream, fake_event *event);
/// Give a stream all of a graph.
void fake_stream_give_graph(fake_stream *stream, const fake_graph *graph);
/// Has any stream of the card work to do?
bool fake_stream_busy(int card);
/// A card's context is lost (-1: all are): nothing of what waits there is done any more.
void fake_stream_drop(int card);
/// Somebody waits: do a little.
void fake_stream_advance(void);

/* Graphs: things to be done, each after some others. graph.c */

fake_graph *fake_graph_make(void);
void        fake_graph_add(fake_graph *graph, const fake_work *work, fake_tail *tail);
/// Is all of one before something of the other?
bool fake_graph_joins(const fake_graph *graph, const fake_tail *a, const fake_tail *b);
/// Another, to be done by itself; with @p cut without the need that a test wants left out.
fake_graph *fake_graph_copy(const fake_graph *graph, bool cut);
/// How much of it is not done.
unsigned fake_graph_left(const fake_graph *graph);
/// Take something that can be done, any; @return false: all is done.
bool fake_graph_take(fake_graph *graph, fake_work *work);
void fake_graph_free(fake_graph *graph);

/* Kernels: what fake NVRTC makes. nvrtc.c writes it, driver.c loads it. */

/// How a cubin begins; a shared object follows.
typedef struct fake_cubin {
    char     magic[8]; ///< FAKE_MAGIC
    int      target;   ///< 90
    int      text;     ///< 1: PTX, for this target and later ones.
    uint64_t bytes;    ///< Of the shared object.
} fake_cubin;

#define FAKE_MAGIC "FAKECUB"

#endif
