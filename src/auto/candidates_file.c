// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The file of candidates that a user names.

#include "auto/candidates.h"
#include "format/lex.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static cairn_status cannot_read(cairn_env *env, const char *path, const char *why)
{
    char name[256];

    cairn_quote_origin(name, path);
    return cairn_fail(env, CAIRN_IO, "candidates: %s: cannot be read: %s", name, why);
}

/// Read what there is, up to one byte beyond the limit.
static cairn_status
read_all(cairn_env *env, const char *path, int fd, char *text, size_t *length)
{
    *length = 0;
    while (*length <= CAIRN_MAX_TEXT) {
        const ssize_t n = read(fd, text + *length, CAIRN_MAX_TEXT + 1 - *length);

        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return cannot_read(env, path, strerror(errno));
        if (n == 0) break;
        *length += (size_t)n;
    }
    return CAIRN_OK;
}

/// Is it text at all? Which text, is found when it is parsed.
static cairn_status
check_text(cairn_env *env, const char *path, const char *text, size_t length)
{
    const char *const zero   = memchr(text, '\0', length);
    const char       *line   = text;
    int               number = 1;
    char              name[256];

    cairn_quote_origin(name, path);
    CAIRN_CHECK(
        length <= CAIRN_MAX_TEXT, env, CAIRN_BAD_SYNTAX,
        "candidates: %s:1:1: more than %d bytes: too long for a list of formats", name,
        CAIRN_MAX_TEXT);
    if (!zero) return CAIRN_OK;
    for (const char *c = text; c < zero; c++)
        if (*c == '\n') number++, line = c + 1;
    return cairn_fail(env, CAIRN_BAD_SYNTAX,
                      "candidates: %s:%d:%d: a byte of 0: this is no text", name,
                      number, (int)(zero - line) + 1);
}

/// Not blocking: a pipe may never be written to. It is refused, as for matrices.
static cairn_status open_regular(cairn_env *env, const char *path, int *fd)
{
    struct stat about;

    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0) return cannot_read(env, path, strerror(errno));
    if (fstat(*fd, &about) == 0 && S_ISREG(about.st_mode)) return CAIRN_OK;
    close(*fd);
    return cannot_read(env, path, "it is not a regular file");
}

cairn_status cairn_candidates_load(cairn_env *env, const char *path, char **text)
{
    char        *bytes  = NULL;
    size_t       length = 0;
    cairn_status status;
    int          fd;

    CAIRN_TRY(open_regular(env, path, &fd));
    CAIRN_GO(done, cairn_alloc(env, CAIRN_MAX_TEXT + 2, 1, (void **)&bytes));
    CAIRN_GO(done, read_all(env, path, fd, bytes, &length));
    CAIRN_GO(done, check_text(env, path, bytes, length));
    CAIRN_GO(done, cairn_strndup(env, bytes, length, text));
done:
    cairn_free(env, bytes);
    close(fd);
    return status;
}
