// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A list, the same on all ranks, of what they made together. MPI waits for ranks inside of
/// making and freeing, and says nothing: so all ranks meet before, in a call whose wait is
/// reported.

#include "comm/mpi/node_memory.h"

#include <stdlib.h>

static void free_window(cairn_comm *comm, cairn_mpi_joint *joint)
{
    if (joint->window == MPI_WIN_NULL) return;
    MPI_Win_unlock_all(joint->window);
    MPI_Win_free(&joint->window);
    cairn_memory_give(comm->env, joint->bytes);
}

static void free_graph(cairn_mpi_joint *joint)
{
    if (joint->graph != MPI_COMM_NULL) MPI_Comm_free(&joint->graph);
}

/// Free those that every rank has left. Collective.
static cairn_status free_left(cairn_comm *comm)
{
    cairn_mpi_joint **list  = &cairn_mpi_state_of(comm)->joint;
    int64_t          *left  = NULL;
    int64_t           count = 0, k = 0;

    for (const cairn_mpi_joint *j = *list; j; j = j->next)
        count++;
    cairn_status status = CAIRN_NEW(comm->env, count, &left);

    for (const cairn_mpi_joint *j = *list; j && left; j = j->next)
        left[k++] = j->left;
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    CAIRN_GO(done, comm->ops->allreduce(comm, left, count, CAIRN_MIN));
    for (k = 0; k < count; k++) {
        cairn_mpi_joint *const joint = *list;

        if (left[k]) {
            *list = joint->next;
            free_window(comm, joint);
            free_graph(joint);
            free(joint);
        } else {
            list = &joint->next;
        }
    }
done:
    cairn_free(comm->env, left);
    return status;
}

cairn_status cairn_mpi_joint_create(cairn_comm *comm, cairn_mpi_joint **joint)
{
    cairn_mpi_state *state = cairn_mpi_state_of(comm);

    *joint = NULL;
    CAIRN_TRY(free_left(comm));
    *joint = calloc(1, sizeof **joint); /* which may last longer than the context */
    cairn_status status =
        *joint ? CAIRN_OK
               : cairn_fail(comm->env, CAIRN_NO_MEMORY, "memory: an exchange");

    status = cairn_comm_agree(comm, status);
    if (status != CAIRN_OK) {
        free(*joint);
        *joint = NULL;
        return status;
    }
    (*joint)->graph  = MPI_COMM_NULL;
    (*joint)->window = MPI_WIN_NULL;
    (*joint)->next   = state->joint;
    state->joint     = *joint;
    return CAIRN_OK;
}

/// Each part on pages of its own, near its rank.
static int allocate_shared(MPI_Comm node, int64_t bytes, char **mine, MPI_Win *window)
{
    MPI_Info info = MPI_INFO_NULL;
    int      error;

    if (MPI_Info_create(&info) == MPI_SUCCESS)
        MPI_Info_set(info, "alloc_shared_noncontig", "true");
    error =
        MPI_Win_allocate_shared((MPI_Aint)bytes, 1, info, node, (void *)mine, window);
    if (info != MPI_INFO_NULL) MPI_Info_free(&info);
    return error;
}

cairn_status
cairn_mpi_joint_share(cairn_comm *comm, cairn_mpi_joint *joint, int64_t bytes)
{
    const cairn_mpi_state *state = cairn_mpi_state_of(comm);
    cairn_status           status =
        cairn_memory_take(comm->env, "messages in shared memory", bytes);
    const bool taken  = status == CAIRN_OK;
    MPI_Win    window = MPI_WIN_NULL;
    char      *mine   = NULL;

    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK) {
        const int error = allocate_shared(state->node, bytes, &mine, &window);

        if (error == MPI_SUCCESS) {
            MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
            MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
        } else {
            window = MPI_WIN_NULL;
            status = cairn_mpi_fail(comm->env, "memory of a node", error);
        }
        status = cairn_comm_agree(comm, status);
    }
    /* A window that some ranks have is left to MPI: freeing it would wait for the others. */
    if (status != CAIRN_OK) {
        if (taken) cairn_memory_give(comm->env, bytes);
        return status;
    }
    joint->window = window;
    joint->mine   = mine;
    joint->bytes  = bytes;
    return CAIRN_OK;
}

cairn_status
cairn_mpi_joint_keep(cairn_comm *comm, cairn_mpi_joint *joint, bool window, bool graph)
{
    CAIRN_TRY(comm->ops->barrier(comm));
    if (!window) free_window(comm, joint);
    if (!graph) free_graph(joint);
    return CAIRN_OK;
}

int cairn_mpi_local_rank(const cairn_comm *comm, int rank)
{
    const cairn_mpi_state *state = cairn_mpi_state_of(comm);
    MPI_Group              all, node;
    int                    local = MPI_UNDEFINED;

    MPI_Comm_group(state->comm, &all);
    MPI_Comm_group(state->node, &node);
    MPI_Group_translate_ranks(all, 1, &rank, node, &local);
    MPI_Group_free(&node);
    MPI_Group_free(&all);
    return local == MPI_UNDEFINED ? -1 : local;
}

char *cairn_mpi_joint_of(const cairn_comm *comm, const cairn_mpi_joint *joint, int rank)
{
    const int local = cairn_mpi_local_rank(comm, rank);
    MPI_Aint  bytes = 0;
    int       unit  = 0;
    char     *at    = NULL;

    if (local < 0 || joint->window == MPI_WIN_NULL) return NULL;
    MPI_Win_shared_query(joint->window, local, &bytes, &unit, (void *)&at);
    return at;
}

void cairn_mpi_joint_leave(cairn_comm *comm, bool usable)
{
    cairn_mpi_joint **list = &cairn_mpi_state_of(comm)->joint;

    while (*list) {
        cairn_mpi_joint *const joint = *list;

        if (usable) free_graph(joint);
        if (joint->window != MPI_WIN_NULL) {
            if (usable) MPI_Win_unlock_all(joint->window);
            cairn_memory_give(comm->env, joint->bytes);
            list = &joint->next;
        } else {
            *list = joint->next;
            free(joint);
        }
    }
}

void cairn_mpi_joint_free(cairn_mpi_joint **list)
{
    while (*list) {
        cairn_mpi_joint *const joint = *list;

        *list = joint->next;
        MPI_Win_free(&joint->window);
        free(joint);
    }
}

void cairn_mpi_joint_forget(cairn_mpi_joint **list)
{
    while (*list) {
        cairn_mpi_joint *const joint = *list;

        *list = joint->next;
        free(joint);
    }
}
