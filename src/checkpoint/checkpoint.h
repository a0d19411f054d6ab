// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Checkpoints: what an iterative method needs to go on, kept in a folder that all ranks
/// see. A *generation* is a state at one iteration: one file of each rank, its *share*, with
/// the rank's rows of every vector, and one *manifest* with all else, which is written last.
/// A generation without a manifest is none. The last two are kept (docs/checkpoints.md has
/// the bytes).
///
/// Writing waits for nothing. cairn_checkpoint_begin() copies the vectors; a thread, which
/// calls no MPI, writes them and syncs. How far each rank is travels with a reduction that
/// the iteration makes anyway:
///
///     cairn_checkpoint_open(comm, "folder", &state, from, &writer);
///     for (each iteration) {
///         if (due && cairn_checkpoint_idle(writer)) cairn_checkpoint_begin(writer, &state);
///         least = ... the iteration's reduction: the least cairn_checkpoint_progress()
///         cairn_checkpoint_advance(writer, least);
///     }
///     cairn_checkpoint_close(&writer);
///
/// Where only sums are at hand, add two counts instead: the ranks whose progress is
/// CAIRN_CHECKPOINT_PENDING, and those where it is CAIRN_CHECKPOINT_FAILED. The least is
/// PENDING if the first is not 0, else FAILED if the second is not, else WRITTEN.
///
/// This room knows no method: vectors and scalars have names, and bits.

#ifndef CAIRN_CHECKPOINT_CHECKPOINT_H
#define CAIRN_CHECKPOINT_CHECKPOINT_H

#include "comm/comm.h"

#include <cairn/tensor.h>

enum {
    CAIRN_CHECKPOINT_VECTORS = 16, ///< At most.
    CAIRN_CHECKPOINT_SCALARS = 64, ///< At most.
    CAIRN_CHECKPOINT_NAME    = 32, ///< Bytes of a name, with its end.
};

/// This rank's rows of a vector.
typedef struct cairn_checkpoint_vector {
    char        name[CAIRN_CHECKPOINT_NAME];
    cairn_dtype dtype;
    void       *value; ///< [end_row - first_row]; of a state that was looked at, NULL.
} cairn_checkpoint_vector;

/// A number of which every bit is kept: an f64's, or an integer.
typedef struct cairn_checkpoint_scalar {
    char     name[CAIRN_CHECKPOINT_NAME];
    uint64_t bits;
} cairn_checkpoint_scalar;

/// A state. All but the rows and the vectors' values is the same on all ranks.
typedef struct cairn_checkpoint {
    const char *method;          ///< "gmres:30".
    const char *format;          ///< The matrix's, with sizes.
    const char *plan;            ///< Text of the plan; "": none.
    cairn_dtype dtype;           ///< Of the matrix.
    int64_t     n;               ///< Rows of all ranks.
    int64_t  first_row, end_row; ///< This rank's; those of the ranks follow each other.
    uint64_t fingerprint[2];     ///< Of the matrix, the low half first.
    int64_t  iteration;
    int64_t  generation; ///< Of a state that was read: which, from 1 on.
    int      vectors, scalars;
    cairn_checkpoint_vector vector[CAIRN_CHECKPOINT_VECTORS];
    cairn_checkpoint_scalar scalar[CAIRN_CHECKPOINT_SCALARS];
    void                   *text; ///< Of a state that was read: where the texts lie.
} cairn_checkpoint;

/// Add a vector or a scalar to a state. Local.
///
/// @param[in] name   1 to 31 letters, which no other of the same kind has.
/// @param[in] value  [end_row - first_row] Stays the caller's.
/// @return false: the name is none, or there is no room for more. The state is unchanged.
bool cairn_checkpoint_add_vector(cairn_checkpoint *state,
                                 const char       *name,
                                 cairn_dtype       dtype,
                                 void             *value);
bool cairn_checkpoint_add_scalar(cairn_checkpoint *state,
                                 const char       *name,
                                 uint64_t          bits);

/// Which vector or scalar has the name; -1: none. Local.
int cairn_checkpoint_find_vector(const cairn_checkpoint *state, const char *name);
int cairn_checkpoint_find_scalar(const cairn_checkpoint *state, const char *name);

/* ---- writing ---- */

typedef struct cairn_checkpoint_writer cairn_checkpoint_writer;

/// How far this rank is with what was begun, or one step of it. The order is that of a
/// least over ranks.
typedef enum {
    CAIRN_CHECKPOINT_PENDING,
    CAIRN_CHECKPOINT_FAILED,
    CAIRN_CHECKPOINT_WRITTEN, ///< Also where nothing is to be done.
} cairn_checkpoint_progress_kind;

/// Begin to keep checkpoints in a folder, which is made where it is not there (but not
/// folders above it). What killed jobs left half-written there is removed.
///
/// Collective.
///
/// @param[in]  state   Rows and what is constant; the vectors are not looked at.
/// @param[in]  from    The generation of this folder that the job was restarted from: it is
///                     kept until two newer ones are complete. 0: none, or it was another
///                     folder's. All others are removed when two that are kept are there.
/// @param[out] writer  Pairs with cairn_checkpoint_close(). Unchanged on failure.
/// @retval CAIRN_BAD_ARGUMENT  The ranks' rows do not follow each other from 0 to n, or what
///                             is to be the same on all is not.
/// @retval CAIRN_IO  The folder cannot be made or used, some rank does not see it, or
///                   another job has it.
cairn_status cairn_checkpoint_open(cairn_comm               *comm,
                                   const char               *folder,
                                   const cairn_checkpoint   *state,
                                   int64_t                   from,
                                   cairn_checkpoint_writer **writer);

/// Is nothing under way, so that the next checkpoint may begin? Local, the same on all ranks.
bool cairn_checkpoint_idle(const cairn_checkpoint_writer *writer);

/// Begin to write a state.
///
/// Local, on every rank at the same iteration; nothing is under way. Waits for nothing but
/// the copy of the vectors. A failure, for want of memory for instance, is this rank's
/// progress, and then all ranks'.
///
/// @param[in] state  Rows as at cairn_checkpoint_open(). Not used any more on return.
///
/// Cost: one copy of the vectors in memory, whose room is kept until the end.
void cairn_checkpoint_begin(cairn_checkpoint_writer *writer,
                            const cairn_checkpoint  *state);

/// How far this rank is. Local, waits for nothing.
cairn_checkpoint_progress_kind
cairn_checkpoint_progress(const cairn_checkpoint_writer *writer);

/// Go on: when all shares are written, rank 0 begins with the manifest, and drops the
/// generation before last when that is written.
///
/// Collective only where @p least is CAIRN_CHECKPOINT_FAILED: then rank 0 logs why, once
/// until a checkpoint succeeds again, and nothing is left of this one.
///
/// @param[in] least  The least progress of the ranks, the same on all.
void cairn_checkpoint_advance(cairn_checkpoint_writer       *writer,
                              cairn_checkpoint_progress_kind least);

/// Wait until what was begun is complete, or has failed.
///
/// Collective.
///
/// @return The generation that was completed last; 0: none was.
int64_t cairn_checkpoint_finish(cairn_checkpoint_writer *writer);

/// Finish, and release all. NULL is accepted.
///
/// Collective.
void cairn_checkpoint_close(cairn_checkpoint_writer **writer);

/* ---- reading ---- */

/// Read the newest generation that is whole and belongs to this matrix. Of others rank 0
/// logs which file is refused, and why.
///
/// Collective. Any number of ranks, whatever number wrote. Each reads its own rows.
///
/// @param[in]  expected  n, dtype, fingerprint, method (NULL: any) and this rank's rows. NULL:
///                       all but the vectors' values is read, of what any matrix left; rows
///                       are 0 then.
/// @param[out] state     Released with cairn_checkpoint_fini(). Unchanged on failure.
/// @retval CAIRN_BAD_FILE  None can be used: "FILE: WHY" of the newest; or there is none.
/// @retval CAIRN_IO        The folder cannot be looked at; or none can be used, and the newest
///                         cannot be read at all.
/// @retval CAIRN_NO_MEMORY
///
/// Cost: a rank reads the blocks of 16,384 rows that have rows of its own.
cairn_status cairn_checkpoint_read(cairn_comm             *comm,
                                   const char             *folder,
                                   const cairn_checkpoint *expected,
                                   cairn_checkpoint       *state);

/// Release a state that was read. Local.
void cairn_checkpoint_fini(cairn_env *env, cairn_checkpoint *state);

#endif
