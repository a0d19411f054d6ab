// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Agreement of ranks: on a status, and on collective arguments.

#include "comm/collective.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/// FNV-1a, with the end of the text.
static uint64_t hash_text(uint64_t hash, const char *text)
{
    do
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    while (*text++);
    return hash;
}

void cairn_collective_text(cairn_collective *arguments,
                           const char       *what,
                           const char       *text)
{
    static const uint64_t  basis = UINT64_C(14695981039346656037);
    cairn_collective_item *item  = &arguments->item[arguments->count];

    if (arguments->count++ == 0) arguments->hash = basis;
    item->hash      = hash_text(hash_text(basis, what), text ? text : "\1");
    arguments->hash = (arguments->hash ^ item->hash) * UINT64_C(1099511628211);
    snprintf(item->what, sizeof item->what, "%s", what);
    snprintf(item->text, sizeof item->text, "%s", text ? text : "none");
    if (text && strlen(text) >= sizeof item->text)
        strcpy(item->text + sizeof item->text - sizeof " ...", " ...");
}

void cairn_collective_int(cairn_collective *arguments, const char *what, int64_t number)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRId64, number);
    cairn_collective_text(arguments, what, text);
}

void cairn_collective_real(cairn_collective *arguments, const char *what, double number)
{
    char text[32];

    snprintf(text, sizeof text, "%.17g", number);
    cairn_collective_text(arguments, what, text);
}

/// What the lowest failing rank says.
typedef struct {
    int64_t status;
    char    message[CAIRN_MESSAGE];
} verdict;

/// Whether a failure belongs to one rank's machine: what is wrong whatever the machine
/// (a file's content, an option) is reported without a rank, so that the message is the
/// same on any number of ranks.
static cairn_status
name_rank(cairn_comm *comm, cairn_status mine, const verdict *failed, int rank)
{
    const bool same = mine == (cairn_status)failed->status
                      && strcmp(comm->env->message, failed->message) == 0;
    int64_t alike = same;

    CAIRN_TRY(comm->ops->allreduce(comm, &alike, 1, CAIRN_MIN));
    if (!alike && cairn_status_failed_here((cairn_status)failed->status))
        return cairn_fail(comm->env, (cairn_status)failed->status, "rank %d: %s", rank,
                          failed->message);
    return cairn_fail(comm->env, (cairn_status)failed->status, "%s", failed->message);
}

static cairn_status broadcast_failure(cairn_comm *comm, cairn_status mine, int rank)
{
    verdict failed = {.status = mine};

    memcpy(failed.message, comm->env->message, sizeof failed.message);
    CAIRN_TRY(comm->ops->broadcast(comm, &failed, sizeof failed, rank));
    return name_rank(comm, mine, &failed, rank);
}

/// Fail with the first argument in which two ranks differ.
static cairn_status refuse(cairn_env              *env,
                           const cairn_collective *first,
                           const cairn_collective *other,
                           int                     rank)
{
    int k = 0;

    while (k < first->count && k < other->count
           && first->item[k].hash == other->item[k].hash)
        k++;
    const cairn_collective_item *a = &first->item[k], *b = &other->item[k];

    if (k == first->count || k == other->count || strcmp(a->what, b->what) != 0)
        return cairn_fail(env, CAIRN_BAD_ARGUMENT,
                          "call: ranks disagree: another on rank 0 than on rank %d",
                          rank);
    if (strcmp(a->text, b->text) == 0) /* they differ past what is printed */
        return cairn_fail(env, CAIRN_BAD_ARGUMENT,
                          "%s: ranks disagree: another on rank 0 than on rank %d",
                          a->what, rank);
    return cairn_fail(env, CAIRN_BAD_ARGUMENT,
                      "%s: ranks disagree: %s on rank 0, %s on rank %d", a->what,
                      a->text, b->text, rank);
}

/// Find the lowest rank whose arguments are not rank 0's, and fail on all ranks.
static cairn_status refuse_difference(cairn_comm *comm, const cairn_collective *mine)
{
    cairn_collective first = *mine, other = *mine;

    CAIRN_TRY(comm->ops->broadcast(comm, &first, sizeof first, 0));
    int64_t differs = first.hash == mine->hash ? comm->size : comm->rank;

    CAIRN_TRY(comm->ops->allreduce(comm, &differs, 1, CAIRN_MIN));
    CAIRN_TRY(comm->ops->broadcast(comm, &other, sizeof other, (int)differs));
    return refuse(comm->env, &first, &other, (int)differs);
}

cairn_status cairn_comm_agree_on(cairn_comm             *comm,
                                 cairn_status            mine,
                                 const cairn_collective *arguments)
{
    static const cairn_collective none = {0};

    if (comm->size == 1) return mine;
    if (!arguments) arguments = &none;
    /* The least of a number and of its negative are its least and its greatest. */
    const int64_t hash     = (int64_t)(arguments->hash >> 1);
    int64_t       least[3] = {mine == CAIRN_OK ? comm->size : comm->rank, hash, -hash};

    CAIRN_TRY(comm->ops->allreduce(comm, least, 3, CAIRN_MIN));
    if (least[0] < comm->size) return broadcast_failure(comm, mine, (int)least[0]);
    if (least[1] == -least[2]) return CAIRN_OK;
    return refuse_difference(comm, arguments);
}

cairn_status cairn_comm_agree(cairn_comm *comm, cairn_status mine)
{
    return cairn_comm_agree_on(comm, mine, NULL);
}
