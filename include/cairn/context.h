// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A context: where errors are told, memory is counted, and which ranks work together.
/// Everything else in Cairn belongs to one context; two contexts in a process do not
/// see each other. One thread at a time uses a context. The library prints nothing and
/// never ends the process.

#ifndef CAIRN_CONTEXT_H
#define CAIRN_CONTEXT_H

#include <cairn/status.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cairn_context cairn_context;

/// Create a context of this process alone. MPI is neither needed nor touched.
///
/// Local.
///
/// @param[out] context  Destroy with cairn_context_destroy(), also after a failure: then
///                      it exists to tell the message, and nothing else may be done with
///                      it. NULL only where there was no memory for it.
/// @retval CAIRN_BAD_OPTION    A CAIRN_* variable is unknown or its value wrong.
/// @retval CAIRN_BAD_ARGUMENT  @p context is NULL: then nothing is created, here and in
///                             the other two, and MPI is not touched.
CAIRN_API cairn_status cairn_context_create(cairn_context **context);

/// Create a context over an MPI communicator, given by its Fortran handle
/// (MPI_Comm_c2f(comm), or simply `comm` from Fortran; C programs may include
/// <cairn/mpi.h> for cairn_context_create_mpi()). The communicator is duplicated.
///
/// Collective on it. MPI must have been started.
///
/// @param[out] context  As of cairn_context_create(). Destroy before MPI_Finalize.
/// @retval CAIRN_UNSUPPORTED   The library was built without MPI.
/// @retval CAIRN_BAD_ARGUMENT  It is MPI_COMM_NULL.
/// @retval CAIRN_COMM          MPI does not run, or reported an error.
CAIRN_API cairn_status cairn_context_create_fortran(int comm, cairn_context **context);

/// Create a context over all ranks of the job, starting MPI if it is not; then
/// destroying the context ends MPI too. For programs, not for libraries.
///
/// Collective on the job.
///
/// @param[out] context  As of cairn_context_create().
/// @retval CAIRN_UNSUPPORTED  The library was built without MPI.
/// @retval CAIRN_COMM         MPI cannot be started, has ended, or reported an error.
CAIRN_API cairn_status cairn_context_create_world(cairn_context **context);

/// Destroy a context; everything made with it must be gone. NULL is accepted.
///
/// Waits for no other rank, so contexts may end in another order on each; but the context
/// that has started MPI ends it, with all ranks.
CAIRN_API void cairn_context_destroy(cairn_context **context);

/// "WHAT: WHERE: WHY" of the last failure; "" when there was none; of NULL that there was
/// no memory. Valid until the next call with this context.
CAIRN_API const char *cairn_context_message(const cairn_context *context);

/// This rank, and how many there are; of NULL 0 and 1.
CAIRN_API int cairn_context_rank(const cairn_context *context);
CAIRN_API int cairn_context_size(const cairn_context *context);

/// Limit the bytes that this rank has in memory for all that belongs to the context:
/// arrays, entries, dense operands (of a window every page that is touched), what reading,
/// storing and planning work with, and blocks that are kept to be used again. What would
/// exceed it fails with CAIRN_NO_MEMORY. Beside it there are at most 8 MiB, for formats,
/// kernels and pieces of files, and what devices have in memories of their own. The default
/// is CAIRN_MEMORY, else half of what the machine has available, divided by the ranks of
/// the node.
///
/// Local.
///
/// @param[in] bytes  1 or more.
/// @retval CAIRN_BAD_ARGUMENT  It is not; the limit stays.
CAIRN_API cairn_status cairn_context_set_memory(cairn_context *context, int64_t bytes);

/// Have every member of later conversions go by @p method, as a pass of
/// cairn_path_pass() names it ("append", "scatter", ..., "reference"); "": by the cheapest
/// one, the default unless CAIRN_CONVERT says otherwise. For tests and comparisons: a
/// conversion to which the method does not apply fails with CAIRN_BAD_OPTION.
///
/// Local; the same on all ranks.
///
/// @retval CAIRN_BAD_OPTION    No such method: the nearest is named.
/// @retval CAIRN_BAD_ARGUMENT  @p method is NULL.
CAIRN_API cairn_status cairn_context_set_convert(cairn_context *context,
                                                 const char    *method);

/// What cairn_context_set_convert() or CAIRN_CONVERT said; "": nothing. The context's.
CAIRN_API const char *cairn_context_convert(const cairn_context *context);

#define CAIRN_THREADS_MOST 4096 ///< Most threads of a rank.

/// Use @p threads threads of the CPU on this rank; before plans are made. The
/// default is CAIRN_THREADS, else OMP_NUM_THREADS, else the cores that the process may use,
/// divided by the ranks of the node where these share its cores unbound. CAIRN_THREADS of
/// more than 4 times the machine's processors is refused, OMP_NUM_THREADS cut there.
/// Threads never change the bits of a result.
///
/// Local.
///
/// @param[in] threads  1 to CAIRN_THREADS_MOST.
/// @retval CAIRN_BAD_ARGUMENT  It is not; the number stays.
CAIRN_API cairn_status cairn_context_set_threads(cairn_context *context, int threads);
CAIRN_API int          cairn_context_threads(const cairn_context *context);

/// Say how many products will come with each tensor that is stored from now on. From 100
/// on the values of those that are made from a program's arrays are looked at once, and
/// stored as narrow as they are, bit for bit, where the format says nothing of them
/// (`val(TYPE)`); and `auto` weighs searching and storing by it. Calls that have a `replays`
/// of their own go by that. The default is CAIRN_REPLAYS, else nothing is said: values stay
/// as wide as they are.
///
/// Local; the same on all ranks.
///
/// @param[in] replays  0: nothing is said.
/// @retval CAIRN_BAD_ARGUMENT  It is negative; the number stays.
CAIRN_API cairn_status cairn_context_set_replays(cairn_context *context,
                                                 int64_t        replays);

/// Bytes and blocks allocated now, and the most bytes so far; each may be NULL.
CAIRN_API void cairn_context_memory(const cairn_context *context,
                                    int64_t             *bytes,
                                    int64_t             *blocks,
                                    int64_t             *peak);

/// Be told of long work (NULL: no more): @p what, and a fraction 0..1 (below 0: unknown).
CAIRN_API void cairn_context_set_progress(cairn_context *context,
                                          void (*progress)(void       *user,
                                                           const char *what,
                                                           double      fraction),
                                          void *user);

/// Remove what the process would leave behind if it ended now: files under temporary
/// names, folders of compilers at work, these compilers, and simulators of external
/// devices.
///
/// Local; on any thread, and in handlers of signals, whatever they have interrupted. Cairn
/// itself handles no signals: a program that does calls this, and then ends. It may do
/// nothing else with the context, nor destroy it. What one rank alone writes has no name
/// until it is complete (where the file system has such files) and needs no call; what
/// several ranks write is rank 0's to remove.
CAIRN_API void cairn_context_abandon(cairn_context *context);

/// Write a file, whole or not at all: what was called @p path before stays until all of
/// the new one is on the disk. What a link points to is replaced, not the link; the
/// permissions of an older file stay.
///
/// Local.
///
/// @param[in] bytes  [length] Its content.
/// @retval CAIRN_IO  It cannot be written, or @p path is there and no regular file.
CAIRN_API cairn_status cairn_context_write_file(cairn_context *context,
                                                const char    *path,
                                                const void    *bytes,
                                                size_t         length);

/// Be told what people should know while work goes on, "WHAT: WHY", one line: so far,
/// who is waited for when a wait takes long. Of the ranks that wait the lowest is told.
/// Waits while a context is made, which has no log yet, are told on standard error.
///
/// @param[in] log  Any thread of the library calls it, one at a time; it may not call the
///                 library. NULL: nothing is logged.
CAIRN_API void cairn_context_set_log(cairn_context *context,
                                     void (*log)(void *user, const char *message),
                                     void *user);

/// How long waits may take: for other ranks, for a device's queue. The defaults are
/// CAIRN_WAIT_WARN and CAIRN_GIVE_UP.
///
/// A wait for a device that is given up loses the device (a plan computes its part on the
/// processor). A wait for ranks that is given up fails with CAIRN_COMM, whose message says
/// who was waited for, and so does every other rank that waits. The context is of no use
/// then: every collective call fails at once, cairn_context_destroy() leaves MPI running,
/// and since MPI may still write to arrays that were under way, the program should end:
/// MPI_Abort(), or exit() without MPI_Finalize(), which would wait again.
///
/// @param[in] warn     Seconds after which a wait is told of (cairn_context_set_log()), and
///                     again after twice the time; 0: never; below 0: as it was.
/// @param[in] give_up  Seconds after which it ends; 0: never, the default; below 0: as it
///                     was. Longer than any rank computes between two waits, and the same
///                     on all, or ranks are given up that are at work.
CAIRN_API void
cairn_context_set_patience(cairn_context *context, double warn, double give_up);

/// After a wait for ranks was given up the lowest rank that waited, too: it may tell what
/// the others would. -1: none was given up. Local.
CAIRN_API int cairn_context_given_up(const cairn_context *context);

/// Every rank passes its own status and gets the same one: that of the lowest rank that
/// failed, with its message.
///
/// Collective.
///
/// @retval CAIRN_BAD_ARGUMENT  Some rank passed a number that is no status.
CAIRN_API cairn_status cairn_context_agree(cairn_context *context, cairn_status mine);

/// Replace each of @p n values by the largest over all ranks. No rank returns before
/// all have called, so it serves as a barrier too.
///
/// Collective. @p n is the same on every rank, and not negative; @p values may be NULL for
/// none (CAIRN_BAD_ARGUMENT otherwise).
CAIRN_API cairn_status cairn_context_max(cairn_context *context, double *values, int n);

/// Variable @p k of the CAIRN_* variables, from 0 on: name, default, meaning; NULL past
/// the last.
CAIRN_API const char *cairn_option_name(int k);
CAIRN_API const char *cairn_option_default(int k);
CAIRN_API const char *cairn_option_help(int k);

/// The version, "0.1.0".
CAIRN_API const char *cairn_version(void);

/// The name among @p names (NULL-terminated) nearest to @p word, or NULL: for messages
/// that suggest the fix.
CAIRN_API const char *cairn_nearest_name(const char *word, const char *const *names);

#ifdef __cplusplus
}
#endif

#endif
