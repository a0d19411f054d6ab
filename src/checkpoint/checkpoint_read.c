// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Reading checkpoints. Rank 0 reads manifests, every rank the rows that are its own; all
/// take the same generation, or none.

#include "checkpoint/generations.h"
#include "checkpoint/manifest.h"
#include "checkpoint/share.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// All bytes of a file, which may be no regular one, or be cut meanwhile.
static cairn_status
read_file(cairn_env *env, const char *path, char **bytes, int64_t *length)
{
    const int    fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat  about;
    cairn_status status = CAIRN_OK;

    if (fd < 0 || fstat(fd, &about) != 0) {
        status = cairn_fail(env, CAIRN_IO, "%s: %s", path, strerror(errno));
        goto done;
    }
    if (!S_ISREG(about.st_mode) || about.st_size > CAIRN_MANIFEST_LONGEST) {
        status =
            cairn_fail(env, CAIRN_BAD_FILE, "%s: is no manifest of a checkpoint", path);
        goto done;
    }
    CAIRN_GO(done, cairn_alloc(env, about.st_size, 1, (void **)bytes));
    *length = 0;
    while (*length < about.st_size) {
        const ssize_t n =
            pread(fd, *bytes + *length, (size_t)(about.st_size - *length), *length);

        if (n < 0 && errno == EINTR) continue;
        if (n < 0) status = cairn_fail(env, CAIRN_IO, "%s: %s", path, strerror(errno));
        if (n <= 0) break;
        *length += n;
    }
done:
    if (fd >= 0) close(fd);
    return status;
}

/// Have every rank understand a manifest.
///
/// Collective.
static cairn_status
share_manifest(cairn_comm *comm, const char *path, cairn_manifest *manifest)
{
    cairn_env   *env    = comm->env;
    char        *bytes  = NULL;
    int64_t      length = 0;
    cairn_status status =
        comm->rank == 0 ? read_file(env, path, &bytes, &length) : CAIRN_OK;

    CAIRN_GO(done, cairn_comm_agree(comm, status));
    CAIRN_GO(done, comm->ops->broadcast(comm, &length, sizeof length, 0));
    if (comm->rank > 0) status = cairn_alloc(env, length, 1, (void **)&bytes);
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    CAIRN_GO(done, comm->ops->broadcast(comm, bytes, length, 0));
    status = cairn_manifest_decode(env, path, bytes, length, manifest);
    const cairn_status agreed = cairn_comm_agree(comm, status);

    if (status == CAIRN_OK && agreed != CAIRN_OK) cairn_manifest_fini(env, manifest);
    status = agreed;
done:
    cairn_free(env, bytes);
    return status;
}

/// Does it belong to what is expected? The same on all ranks.
static cairn_status check_expected(cairn_env              *env,
                                   const char             *path,
                                   const cairn_checkpoint *is,
                                   const cairn_checkpoint *e)
{
    CAIRN_CHECK(is->n == e->n, env, CAIRN_BAD_FILE,
                "%s: is of a matrix of %" PRId64 " rows, and this one has %" PRId64,
                path, is->n, e->n);
    CAIRN_CHECK(is->dtype == e->dtype, env, CAIRN_BAD_FILE,
                "%s: is of values in f%" PRIu32 ", and these are f%" PRIu32, path,
                cairn_checkpoint_bits(is->dtype), cairn_checkpoint_bits(e->dtype));
    CAIRN_CHECK(is->fingerprint[0] == e->fingerprint[0]
                    && is->fingerprint[1] == e->fingerprint[1],
                env, CAIRN_BAD_FILE,
                "%s: is of another matrix: fingerprint %016" PRIx64 "%016" PRIx64
                ", and this one has %016" PRIx64 "%016" PRIx64,
                path, is->fingerprint[1], is->fingerprint[0], e->fingerprint[1],
                e->fingerprint[0]);
    CAIRN_CHECK(!e->method || strcmp(is->method, e->method) == 0, env, CAIRN_BAD_FILE,
                "%s: is of the method %.100s, and not %.100s", path, is->method,
                e->method);
    return CAIRN_OK;
}

/// Read this rank's rows from the shares that have them. Local.
static cairn_status read_own_rows(cairn_env            *env,
                                  const char           *folder,
                                  const cairn_manifest *m,
                                  cairn_checkpoint     *s)
{
    char             path[CAIRN_GENERATION_PATH];
    cairn_share_head head;

    for (int v = 0; v < s->vectors; v++)
        CAIRN_TRY(cairn_alloc(env, s->end_row - s->first_row,
                              cairn_checkpoint_bits(s->vector[v].dtype) / 8,
                              &s->vector[v].value));
    for (int k = 0; k < m->shares; k++) {
        const int64_t begin = m->bound[k], end = m->bound[k + 1];
        const int64_t from = begin > s->first_row ? begin : s->first_row;
        const int64_t to   = end < s->end_row ? end : s->end_row;

        if (from >= to) continue;
        cairn_generation_path(path, folder, s->generation, k);
        cairn_share_expect(s, m->run, k, begin, end, &head);
        CAIRN_TRY(cairn_share_read(env, path, &head, from, to, s));
    }
    return CAIRN_OK;
}

/// Read one generation, or refuse it on all ranks.
///
/// Collective.
static cairn_status read_generation(cairn_comm             *comm,
                                    const char             *folder,
                                    int64_t                 generation,
                                    const cairn_checkpoint *expected,
                                    cairn_checkpoint       *state)
{
    cairn_env     *env = comm->env;
    char           path[CAIRN_GENERATION_PATH];
    cairn_manifest m      = {0};
    cairn_status   status = CAIRN_OK;

    cairn_generation_path(path, folder, generation, CAIRN_MANIFEST);
    CAIRN_TRY(share_manifest(comm, path, &m));
    if (m.state.generation != generation)
        status = cairn_fail(env, CAIRN_BAD_FILE, "%s: is of generation %" PRId64, path,
                            m.state.generation);
    if (expected && status == CAIRN_OK)
        status = check_expected(env, path, &m.state, expected);
    if (expected && status == CAIRN_OK) {
        m.state.first_row = expected->first_row;
        m.state.end_row   = expected->end_row;
        status            = read_own_rows(env, folder, &m, &m.state);
    }
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK) {
        *state       = m.state;
        m.state.text = NULL;
        for (int v = 0; v < m.state.vectors; v++)
            m.state.vector[v].value = NULL;
    }
    cairn_manifest_fini(env, &m);
    return status;
}

/// The generations that there are, by rank 0's eyes.
///
/// Collective.
static cairn_status
list(cairn_comm *comm, const char *folder, int64_t *generation, int *count)
{
    int64_t      newest;
    cairn_status status = CAIRN_OK;

    *count = 0;
    if (strlen(folder) > CAIRN_GENERATION_PATH - 128)
        status = cairn_fail(comm->env, CAIRN_BAD_ARGUMENT,
                            "checkpoint: %.40s...: the name is too long", folder);
    else if (comm->rank == 0)
        status = cairn_generations_list(comm->env, folder, generation, count, &newest);
    CAIRN_TRY(cairn_comm_agree(comm, status));
    CAIRN_TRY(comm->ops->broadcast(comm, count, sizeof *count, 0));
    return comm->ops->broadcast(comm, generation,
                                CAIRN_GENERATION_MOST * (int64_t)sizeof *generation, 0);
}

cairn_status cairn_checkpoint_read(cairn_comm             *comm,
                                   const char             *folder,
                                   const cairn_checkpoint *expected,
                                   cairn_checkpoint       *state)
{
    cairn_env   *env                               = comm->env;
    int64_t      generation[CAIRN_GENERATION_MOST] = {0};
    int          count;
    cairn_status first = CAIRN_OK;
    char         why[CAIRN_MESSAGE];

    CAIRN_TRY(list(comm, folder, generation, &count));
    CAIRN_CHECK(count > 0, env, CAIRN_BAD_FILE, "%s: there is no checkpoint", folder);
    for (int k = 0; k < count; k++) {
        const cairn_status status =
            read_generation(comm, folder, generation[k], expected, state);

        if (status == CAIRN_OK || status == CAIRN_NO_MEMORY || comm->lost)
            return status;
        if (k == 0) {
            first = status;
            memcpy(why, env->message, sizeof why);
        }
        if (comm->rank == 0 && k + 1 < count)
            cairn_log(env, "checkpoint: %s; an older one is tried", env->message);
    }
    return cairn_fail(env, first, "%s%s", why,
                      count > 1 ? "; nor can an older one be used" : "");
}

void cairn_checkpoint_fini(cairn_env *env, cairn_checkpoint *state)
{
    for (int v = 0; v < state->vectors; v++)
        cairn_free(env, state->vector[v].value);
    cairn_free(env, state->text);
    *state = (cairn_checkpoint){0};
}
