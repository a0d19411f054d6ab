// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The formats that are chosen among: those that come with the library, and a file's.

#include "api/door.h"

#include <string.h>

cairn_status cairn_context_candidates(cairn_context *context)
{
    if (context->candidates.count > 0) return CAIRN_OK;
    return cairn_candidates_parse(&context->env, cairn_candidates_text,
                                  "candidates.txt", &context->candidates);
}

/// What rank 0 reads, checked. Local.
static cairn_status read_checked(cairn_env *env, const char *path, char **text)
{
    cairn_candidates checked = {0};

    CAIRN_TRY(cairn_candidates_load(env, path, text));
    const cairn_status status = cairn_candidates_parse(env, *text, path, &checked);

    if (status == CAIRN_OK) cairn_candidates_fini(env, &checked);
    return status;
}

cairn_status
cairn_candidates_read(cairn_context *context, const char *path, char **text)
{
    CAIRN_ENTER_TOGETHER(context, CAIRN_GIVEN(path), CAIRN_GIVEN(text));

    cairn_env   *env    = &context->env;
    cairn_comm  *comm   = context->comm;
    char        *bytes  = NULL;
    cairn_status status = CAIRN_OK;

    /* A rank that was not told what to read says so here, and not to a later question. */
    CAIRN_TRY(cairn_comm_agree(comm, CAIRN_OK));
    if (comm->rank == 0) status = read_checked(env, path, &bytes);
    int64_t length = bytes ? (int64_t)strlen(bytes) + 1 : 0;

    CAIRN_GO(done, cairn_comm_agree(comm, status));
    CAIRN_GO(done, comm->ops->broadcast(comm, &length, sizeof length, 0));
    if (comm->rank != 0) status = cairn_alloc(env, length, 1, (void **)&bytes);
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    CAIRN_GO(done, comm->ops->broadcast(comm, bytes, length, 0));
    *text = bytes;
    return CAIRN_OK;
done:
    cairn_free(env, bytes);
    return status;
}
