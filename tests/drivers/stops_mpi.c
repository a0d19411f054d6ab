// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A rank that stops inside of MPI's business: to be loaded before MPI (LD_PRELOAD). Calls
/// that ranks make together are counted; the one of the number STOP_CALL is not made: the
/// rank STOP_RANK sends itself SIGSTOP, and has left its process number in STOP_MARK before.
/// The names of all calls of a rank are lines of STOP_LIST.RANK, if that is set.

#include <mpi.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void leave_line(const char *path, const char *line)
{
    FILE *const file = fopen(path, "a");

    if (!file) abort();
    fprintf(file, "%s\n", line);
    fclose(file);
}

static void come_to(const char *call)
{
    static int        calls;
    const char *const rank = getenv("OMPI_COMM_WORLD_RANK");
    const char *const list = getenv("STOP_LIST"), *const at = getenv("STOP_CALL");
    const char *const who = getenv("STOP_RANK"), *const mark = getenv("STOP_MARK");
    char text[4096];

    calls++;
    if (!rank) return;
    snprintf(text, sizeof text, "%s.%s", list ? list : "", rank);
    if (list) leave_line(text, call);
    if (!at || !who || !mark || atoi(at) != calls || strcmp(who, rank) != 0) return;
    snprintf(text, sizeof text, "%ld", (long)getpid());
    leave_line(mark, text);
    raise(SIGSTOP);
}

#define STOPPING(name, arguments, ...) \
    int MPI_##name(__VA_ARGS__)        \
    {                                  \
        come_to(#name);                \
        return PMPI_##name arguments;  \
    }

STOPPING(Iallreduce,
         (mine, all, n, type, op, on, request),
         const void  *mine,
         void        *all,
         int          n,
         MPI_Datatype type,
         MPI_Op       op,
         MPI_Comm     on,
         MPI_Request *request)
STOPPING(Iallgather,
         (mine, n, type, all, m, of, on, request),
         const void  *mine,
         int          n,
         MPI_Datatype type,
         void        *all,
         int          m,
         MPI_Datatype of,
         MPI_Comm     on,
         MPI_Request *request)
STOPPING(Ibcast,
         (data, n, type, root, on, request),
         void        *data,
         int          n,
         MPI_Datatype type,
         int          root,
         MPI_Comm     on,
         MPI_Request *request)
STOPPING(Ibarrier, (on, request), MPI_Comm on, MPI_Request *request)
STOPPING(Comm_idup,
         (on, copy, request),
         MPI_Comm     on,
         MPI_Comm    *copy,
         MPI_Request *request)
STOPPING(Comm_split_type,
         (on, type, key, info, part),
         MPI_Comm  on,
         int       type,
         int       key,
         MPI_Info  info,
         MPI_Comm *part)
STOPPING(Dist_graph_create_adjacent,
         (on, n, from, by, m, to, at, info, reorder, graph),
         MPI_Comm  on,
         int       n,
         const int from[],
         const int by[],
         int       m,
         const int to[],
         const int at[],
         MPI_Info  info,
         int       reorder,
         MPI_Comm *graph)
STOPPING(Ialltoallw,
         (out, n, at, type, in, m, to, of, on, request),
         const void        *out,
         const int          n[],
         const int          at[],
         const MPI_Datatype type[],
         void              *in,
         const int          m[],
         const int          to[],
         const MPI_Datatype of[],
         MPI_Comm           on,
         MPI_Request       *request)
