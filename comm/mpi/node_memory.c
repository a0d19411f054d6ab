// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Memory that the ranks of a node share.

#include "comm/mpi/node_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    NAME    = 48, ///< Bytes of a name.
    RETRIES = 8,  ///< Of an allocation that signals have interrupted.
};

/// The name of the part of the rank that is @p local on its node.
static void print_name(const cairn_node_memory *m, int local, char text[NAME])
{
    snprintf(text, NAME, "/cairn-%016" PRIx64 "-%d", (uint64_t)m->name, local);
}

static cairn_status fail(cairn_env *env, const char *name, int error)
{
    return cairn_fail(env, CAIRN_COMM, "MPI: memory of a node: /dev/shm%s: %s", name,
                      strerror(error));
}

/// A number that no other job has, from the first rank. Collective.
static cairn_status agree_on_name(cairn_comm *comm, cairn_node_memory *m)
{
    int64_t number = 0;

    if (comm->rank == 0 && getrandom(&number, sizeof number, 0) != sizeof number)
        number = (int64_t)getpid();
    m->name = number & INT64_MAX;
    return comm->ops->allreduce(comm, &m->name, 1, CAIRN_MAX);
}

/// Map all of an open file, which is closed.
static int map(int file, int64_t bytes, int protection, cairn_node_part *part)
{
    void *const at    = mmap(NULL, (size_t)bytes, protection, MAP_SHARED, file, 0);
    const int   error = at == MAP_FAILED ? errno : 0;

    close(file);
    if (error == 0) *part = (cairn_node_part){at, bytes};
    return error;
}

/// Make this rank's part. Its pages are there afterwards, near this rank: memory that the
/// system cannot give is an error here, where writing it would end the process.
static cairn_status make_part(cairn_env *env, int64_t bytes, cairn_node_memory *m)
{
    char name[NAME];
    int  error;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, m->ranks, &m->part));
    if (bytes == 0) return CAIRN_OK;
    print_name(m, m->own, name);
    const int file = shm_open(name, O_CREAT | O_EXCL | O_RDWR, S_IRUSR | S_IWUSR);

    if (file < 0) return fail(env, name, errno);
    m->named = true;
    error    = posix_fallocate(file, 0, bytes);
    for (int k = 0; k < RETRIES && error == EINTR; k++)
        error = posix_fallocate(file, 0, bytes);
    if (error == 0)
        error = map(file, bytes, PROT_READ | PROT_WRITE, &m->part[m->own]);
    else
        close(file);
    return error == 0 ? CAIRN_OK : fail(env, name, error);
}

cairn_status
cairn_node_memory_create(cairn_comm *comm, int64_t bytes, cairn_node_memory *memory)
{
    cairn_node_memory m      = {.ranks = comm->local_size, .own = comm->local_rank};
    cairn_status      status = agree_on_name(comm, &m);

    if (status != CAIRN_OK) return status;
    status           = cairn_memory_take(comm->env, "messages in shared memory", bytes);
    const bool taken = status == CAIRN_OK;

    if (taken) status = make_part(comm->env, bytes, &m);
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK) {
        *memory = m;
        return CAIRN_OK;
    }
    if (taken && !(m.part && m.part[m.own].at)) cairn_memory_give(comm->env, bytes);
    cairn_node_memory_destroy(comm->env, &m);
    return status;
}

cairn_status
cairn_node_memory_find(cairn_comm *comm, cairn_node_memory *memory, int rank, char **at)
{
    const int        local = cairn_mpi_local_rank(comm, rank);
    cairn_node_part *part  = &memory->part[local];
    struct stat      about;
    char             name[NAME];
    int              error = 0;

    print_name(memory, local, name);
    if (!part->at) {
        const int file = shm_open(name, O_RDONLY, 0);

        if (file < 0 || fstat(file, &about) != 0) {
            error = errno;
            if (file >= 0) close(file);
        } else {
            error = map(file, about.st_size, PROT_READ, part);
        }
    }
    if (error != 0) return fail(comm->env, name, error);
    *at = part->at;
    return CAIRN_OK;
}

void cairn_node_memory_hide(cairn_node_memory *memory)
{
    char name[NAME];

    if (!memory->named) return;
    print_name(memory, memory->own, name);
    shm_unlink(name);
    memory->named = false;
}

void cairn_node_memory_destroy(cairn_env *env, cairn_node_memory *memory)
{
    cairn_node_memory_hide(memory);
    for (int r = 0; r < memory->ranks && memory->part; r++) {
        if (!memory->part[r].at) continue;
        munmap(memory->part[r].at, (size_t)memory->part[r].bytes);
        if (r == memory->own) cairn_memory_give(env, memory->part[r].bytes);
    }
    cairn_free(env, memory->part);
    *memory = (cairn_node_memory){.part = NULL};
}

int cairn_mpi_local_rank(const cairn_comm *comm, int rank)
{
    return cairn_mpi_state_of(comm)->local[rank];
}
