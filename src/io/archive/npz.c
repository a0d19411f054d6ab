// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Archives of arrays, read: the directory at the end of the file, then the head of each
/// array. What the archive says is held to the file's length before it is used.

#include "io/archive/npz.h"

#include "io/stream/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    END       = 22,      ///< Bytes of the directory's end, without its comment.
    LOCATOR   = 20,      ///< Of what says where the 64-bit end is, before it.
    END_64    = 56,      ///< Of that, at least.
    ROW       = 46,      ///< Of a row of the directory, without name and extra.
    LOCAL     = 30,      ///< Of the head of a member, likewise.
    DIRECTORY = 1 << 20, ///< Most bytes of a directory that is read.
    COMMENT   = 65535,
    HEAD      = 4096,    ///< Most bytes of an array's head.
    EXTRA_64  = 1,       ///< The extra field of 64-bit numbers.
    TEXT      = 1 << 20, ///< Most bytes of a text.
};

/* ---- bytes ---- */

static uint64_t number(const unsigned char *at, int bytes)
{
    uint64_t value = 0;

    while (bytes-- > 0)
        value = value << 8 | at[bytes];
    return value;
}

cairn_status
cairn_npz_read(const cairn_archive *archive, int64_t offset, void *out, int64_t bytes)
{
    size_t got = 0;

    CAIRN_TRY(cairn_read_at(archive->env, archive->name, archive->fd, out,
                            (size_t)bytes, offset, &got));
    CAIRN_CHECK((int64_t)got == bytes, archive->env, CAIRN_IO,
                "read: %s: it became shorter while it was read", archive->name);
    return CAIRN_OK;
}

/// Are so many bytes in the file from there on?
static bool is_inside(const cairn_archive *archive, uint64_t offset, uint64_t bytes)
{
    return offset <= (uint64_t)archive->length
           && bytes <= (uint64_t)archive->length - offset;
}

/* ---- the directory ---- */

typedef struct {
    uint64_t rows, bytes, offset;
} directory;

/// Read the 64-bit end of a directory, if there is one before @p end.
static cairn_status read_end_64(const cairn_archive *archive, int64_t end, directory *d)
{
    unsigned char at[END_64];

    if (end < LOCATOR) return CAIRN_OK;
    CAIRN_TRY(cairn_npz_read(archive, end - LOCATOR, at, LOCATOR));
    if (number(at, 4) != 0x07064b50) return CAIRN_OK;
    const uint64_t offset = number(at + 8, 8);

    if (!is_inside(archive, offset, END_64))
        return cairn_archive_refuse(archive, CAIRN_BAD_FILE,
                                    "its directory's end is not in it");
    CAIRN_TRY(cairn_npz_read(archive, (int64_t)offset, at, END_64));
    if (number(at, 4) != 0x06064b50)
        return cairn_archive_refuse(archive, CAIRN_BAD_FILE,
                                    "its directory has no end");
    *d = (directory){number(at + 32, 8), number(at + 40, 8), number(at + 48, 8)};
    return CAIRN_OK;
}

/// Find the end of the directory, which a comment of the archive may follow.
static cairn_status find_directory(const cairn_archive *archive, directory *d)
{
    const int64_t most =
        archive->length < END + COMMENT ? archive->length : END + COMMENT;
    unsigned char *tail;
    int64_t        at = most - END;

    CAIRN_TRY(CAIRN_NEW(archive->env, most, &tail));
    cairn_status status = cairn_npz_read(archive, archive->length - most, tail, most);

    while (status == CAIRN_OK && at >= 0
           && (number(tail + at, 4) != 0x06054b50
               || (int64_t)number(tail + at + 20, 2) != most - END - at))
        at--;
    if (status == CAIRN_OK && at < 0)
        status = cairn_archive_refuse(archive, CAIRN_BAD_FILE,
                                      "it has no directory: the archive is cut");
    if (status == CAIRN_OK) {
        *d     = (directory){number(tail + at + 10, 2), number(tail + at + 12, 4),
                             number(tail + at + 16, 4)};
        status = read_end_64(archive, archive->length - most + at, d);
    }
    cairn_free(archive->env, tail);
    return status;
}

/// Where a row's 32 bits are too few, its extra field has the numbers, those alone.
static bool widen(const unsigned char *extra, uint64_t length, uint64_t *const wide[3])
{
    while (length >= 4) {
        const uint64_t       bytes = number(extra + 2, 2);
        const unsigned char *at    = extra + 4;

        if (bytes > length - 4) return false;
        for (int k = 0; number(extra, 2) == EXTRA_64 && k < 3; k++)
            if (*wide[k] == UINT32_MAX) {
                if (extra + 4 + bytes - at < 8) return false;
                *wide[k] = number(at, 8);
                at += 8;
            }
        extra += 4 + bytes;
        length -= 4 + bytes;
    }
    return true;
}

/* ---- an array ---- */

/// The text behind a key of an array's head, up to its value. NULL: there is none.
static const char *find_key(const char *head, const char *key)
{
    const char *at = strstr(head, key);

    if (!at) return NULL;
    at += strlen(key);
    while (*at == ' ' || *at == ':')
        at++;
    return at;
}

/// "<f8": byte order, kind and bytes; of texts their characters.
static cairn_status
read_descr(const cairn_archive *archive, const char *descr, cairn_archive_array *array)
{
    char *end;

    if (!descr || descr[0] != '\'')
        return cairn_archive_refuse(archive, CAIRN_UNSUPPORTED,
                                    "%s: its elements are no plain numbers",
                                    array->name);
    const char order = descr[1];

    array->kind      = descr[2];
    const long bytes = strtol(descr + 3, &end, 10);

    if (*end != '\'' || bytes < 0 || bytes > DIRECTORY || !array->kind
        || !strchr("iufbcUS", array->kind))
        return cairn_archive_refuse(archive, CAIRN_UNSUPPORTED,
                                    "%s: elements of type %.8s", array->name, descr);
    if (order == '>' && bytes > 1)
        return cairn_archive_refuse(archive, CAIRN_UNSUPPORTED, "%s: it is big-endian",
                                    array->name);
    array->bits = (int)bytes * (array->kind == 'U' ? 32 : 8);
    return CAIRN_OK;
}

/// "(5, 4)", "(5,)" or "()".
static cairn_status
read_shape(const cairn_archive *archive, const char *at, cairn_archive_array *array)
{
    array->elements = 1;
    if (at && *at == '(')
        for (at++; *at >= '0' && *at <= '9' && array->dims < 3; array->dims++) {
            char *end;

            errno                = 0;
            const long long many = strtoll(at, &end, 10);

            if (errno
                || __builtin_mul_overflow(array->elements, many, &array->elements))
                break;
            if (array->dims < 2) array->extent[array->dims] = many;
            for (at = end; *at == ',' || *at == ' '; at++)
                ;
        }
    if (!at || *at != ')')
        return cairn_archive_refuse(archive, CAIRN_BAD_FILE, "%s: its shape is none",
                                    array->name);
    return CAIRN_OK;
}

/// Read the head of a .npy, which begins at `member`.
static cairn_status read_head(const cairn_archive *archive, cairn_archive_array *array)
{
    unsigned char begin[12];
    char          text[HEAD + 1];
    int64_t       bytes = 0;

    if (array->bytes >= 12)
        CAIRN_TRY(cairn_npz_read(archive, array->member, begin, 12));
    const bool is = array->bytes >= 12 && memcmp(begin, "\x93NUMPY", 6) == 0
                    && begin[6] >= 1 && begin[6] <= 3;
    const int64_t first = is && begin[6] == 1 ? 10 : 12;

    if (is) bytes = (int64_t)number(begin + 8, is && begin[6] == 1 ? 2 : 4);
    if (!is || bytes > HEAD || bytes > array->bytes - first)
        return cairn_archive_refuse(archive, CAIRN_BAD_FILE, "%s: it is no .npy",
                                    array->name);
    CAIRN_TRY(cairn_npz_read(archive, array->member + first, text, bytes));
    text[bytes] = '\0';
    CAIRN_TRY(read_descr(archive, find_key(text, "'descr'"), array));
    CAIRN_TRY(read_shape(archive, find_key(text, "'shape'"), array));
    const char *const order = find_key(text, "'fortran_order'");

    array->by_columns  = order && order[0] == 'T' && array->dims == 2;
    array->at          = array->member + first + bytes;
    const int64_t have = array->bytes - first - bytes;
    int64_t       due;

    if (__builtin_mul_overflow(array->elements, array->bits / 8, &due) || due != have)
        return cairn_archive_refuse(
            archive, CAIRN_BAD_FILE,
            "%s: it has %lld bytes, not as many as its shape says", array->name,
            (long long)have);
    return CAIRN_OK;
}

/// Read where a member of the archive is, from its row in the directory, and what it is.
static cairn_status read_member(cairn_archive *archive, const unsigned char *row)
{
    const uint64_t name  = number(row + 28, 2);
    uint64_t       bytes = number(row + 24, 4), packed = number(row + 20, 4),
             offset = number(row + 42, 4);
    unsigned char        local[LOCAL];
    char                 title[CAIRN_ARCHIVE_NAME] = "";
    cairn_archive_array *array;

    if (name < 5 || name >= CAIRN_ARCHIVE_NAME
        || memcmp(row + ROW + name - 4, ".npy", 4) != 0)
        return CAIRN_OK; /* no array that anybody asks for */
    memcpy(title, row + ROW, name - 4);
    CAIRN_TRY(cairn_archive_add(archive, title, &array));
    array->crc = (uint32_t)number(row + 16, 4);
    if (!widen(row + ROW + name, number(row + 30, 2),
               (uint64_t *const[]){&bytes, &packed, &offset})
        || !is_inside(archive, offset, LOCAL))
        return cairn_archive_refuse(archive, CAIRN_BAD_FILE,
                                    "%s: it is not in the archive", array->name);
    if (number(row + 10, 2) != 0 || bytes != packed || (number(row + 8, 2) & 1))
        return cairn_archive_refuse(archive, CAIRN_UNSUPPORTED,
                                    "%s: it is compressed: store it (numpy.savez)",
                                    array->name);
    CAIRN_TRY(cairn_npz_read(archive, (int64_t)offset, local, LOCAL));
    offset += LOCAL + number(local + 26, 2) + number(local + 28, 2);
    if (number(local, 4) != 0x04034b50 || !is_inside(archive, offset, bytes))
        return cairn_archive_refuse(archive, CAIRN_BAD_FILE,
                                    "%s: it is not in the archive", array->name);
    array->member = (int64_t)offset;
    array->bytes  = (int64_t)bytes;
    return read_head(archive, array);
}

static cairn_status
read_rows(cairn_archive *archive, const directory *d, const unsigned char *at)
{
    uint64_t left = d->bytes;

    for (uint64_t k = 0; k < d->rows; k++) {
        const uint64_t bytes =
            left < ROW
                ? 0
                : ROW + number(at + 28, 2) + number(at + 30, 2) + number(at + 32, 2);

        if (bytes == 0 || bytes > left || number(at, 4) != 0x02014b50)
            return cairn_archive_refuse(archive, CAIRN_BAD_FILE,
                                        "row %llu of its directory",
                                        (unsigned long long)k);
        CAIRN_TRY(read_member(archive, at));
        at += bytes;
        left -= bytes;
    }
    return CAIRN_OK;
}

/* ---- the archive ---- */

static cairn_status read_elements(const cairn_archive       *archive,
                                  const cairn_archive_array *array,
                                  int64_t                    first,
                                  int64_t                    n,
                                  void                      *out)
{
    const int64_t bytes = array->bits / 8;

    return cairn_npz_read(archive, array->at + first * bytes, out, n * bytes);
}

/// Characters of numpy's texts, which are bytes or 32 bits each, as bytes with an end.
static void narrow(char *text, int64_t bytes, char kind)
{
    const int64_t n = kind == 'U' ? bytes / 4 : bytes;

    for (int64_t k = 0; k < n && kind == 'U'; k++)
        text[k] =
            text[4 * k + 1] || text[4 * k + 2] || text[4 * k + 3] ? '?' : text[4 * k];
    text[n] = '\0';
}

static cairn_status
read_text(const cairn_archive *archive, const char *name, char **text)
{
    const cairn_archive_array *array = cairn_archive_find(archive, name);

    *text = NULL;
    if (!array || (array->kind != 'U' && array->kind != 'S') || array->elements != 1)
        return CAIRN_OK;
    const int64_t bytes = array->bits / 8;

    if (bytes > TEXT)
        return cairn_archive_refuse(archive, CAIRN_UNSUPPORTED, "%s: it is too long",
                                    name);
    CAIRN_TRY(CAIRN_NEW(archive->env, bytes + 1, text));
    const cairn_status status = cairn_npz_read(archive, array->at, *text, bytes);

    if (status == CAIRN_OK) {
        narrow(*text, bytes, array->kind);
    } else {
        cairn_free(archive->env, *text);
        *text = NULL;
    }
    return status;
}

static void close_zip(cairn_archive *archive)
{
    close(archive->fd);
}

cairn_status cairn_npz_probe(cairn_env *env, const char *path, bool *is)
{
    char      magic[4] = "";
    size_t    got      = 0;
    const int fd       = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    CAIRN_CHECK(fd >= 0, env, CAIRN_IO, "read: %s: %s", path, strerror(errno));
    /* What cannot be read here, a pipe say, is no archive: other readers say what it is. */
    const cairn_status status =
        cairn_read_at(env, path, fd, magic, sizeof magic, 0, &got);

    *is = status == CAIRN_OK && got == sizeof magic
          && (memcmp(magic, "PK\3\4", 4) == 0 || memcmp(magic, "PK\5\6", 4) == 0);
    close(fd);
    return CAIRN_OK;
}

static const cairn_archive_ops ops = {read_elements, read_text, close_zip};

cairn_status cairn_npz_open(cairn_env *env, const char *path, cairn_archive *archive)
{
    struct stat    about;
    directory      d = {0};
    unsigned char *rows;

    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    *archive = (cairn_archive){.env = env, .name = path, .matlab_rows = -1};
    CAIRN_CHECK(fd >= 0, env, CAIRN_IO, "read: %s: %s", path, strerror(errno));
    archive->fd  = fd;
    archive->ops = &ops;
    CAIRN_CHECK(fstat(fd, &about) == 0, env, CAIRN_IO, "read: %s: %s", path,
                strerror(errno));
    archive->length = about.st_size;
    if (archive->length < END)
        return cairn_archive_refuse(archive, CAIRN_BAD_FILE,
                                    "it is shorter than any archive");
    CAIRN_TRY(find_directory(archive, &d));
    if (!is_inside(archive, d.offset, d.bytes))
        return cairn_archive_refuse(archive, CAIRN_BAD_FILE,
                                    "its directory is not in it");
    if (d.bytes > DIRECTORY)
        return cairn_archive_refuse(archive, CAIRN_UNSUPPORTED,
                                    "its directory is too long");
    CAIRN_TRY(CAIRN_NEW(env, (int64_t)d.bytes, &rows));
    cairn_status status =
        cairn_npz_read(archive, (int64_t)d.offset, rows, (int64_t)d.bytes);

    if (status == CAIRN_OK) status = read_rows(archive, &d, rows);
    cairn_free(env, rows);
    return status;
}
