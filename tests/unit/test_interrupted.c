// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Systems that do as little as they may: calls that are interrupted, that read or write
/// a few bytes, and that fail; files that change while they are read. (This program has
/// a pread, a pwrite and an fsync of its own, which the library is linked to.)

#include "api/api.h"
#include "io/stream/stream.h"
#include "support/storage.h"
#include "support/suite_context.h"

#include <errno.h>
#include <sys/syscall.h>

static long most;      ///< Bytes of one call; 0: as many as were asked for.
static long interrupt; ///< Every so many calls one is interrupted; 0: none.
static long writable;  ///< Bytes until the disk is full; < 0: it never is.
static bool damaged;   ///< The disk cannot be synced.
static long calls;

static bool interrupted(void)
{
    errno = EINTR;
    return interrupt > 0 && ++calls % interrupt == 0;
}

static size_t at_most(size_t bytes)
{
    return most > 0 && bytes > (size_t)most ? (size_t)most : bytes;
}

ssize_t pread(int fd, void *out, size_t bytes, off_t offset)
{
    if (interrupted()) return -1;
    return syscall(SYS_pread64, fd, out, at_most(bytes), offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset)
{
    if (interrupted()) return -1;
    length = at_most(length);
    if (writable >= 0) {
        errno = ENOSPC;
        if (writable == 0) return -1;
        if (length > (size_t)writable) length = (size_t)writable;
        writable -= (long)length;
    }
    return syscall(SYS_pwrite64, fd, bytes, length, offset);
}

int fsync(int fd)
{
    errno = EIO;
    return damaged ? -1 : (int)syscall(SYS_fsync, fd);
}

static char folder[64], path[80];

static void up(void)
{
    most = interrupt = 0;
    writable         = -1;
    context_up();
    scratch_create(folder);
    snprintf(path, sizeof path, "%s/a.mtx", folder);
}

static void down(void)
{
    unlink(path);
    cr_expect_eq(rmdir(folder), 0, "something is left in %s", folder);
    context_down();
}

TestSuite(interrupted, .init = up, .fini = down, .timeout = 240);

static void expect_entries(const char *name, int64_t nnz)
{
    cairn_source     *source = NULL;
    cairn_source_info info   = CAIRN_SOURCE_INFO;

    MUST(context, cairn_source_read(context, name, CAIRN_BY_NNZ, &source));
    MUST(context, cairn_source_describe(source, &info));
    cr_expect_eq(info.nnz, nnz);
    cairn_source_destroy(&source);
}

static cairn_tensor *stored(void)
{
    cairn_source *source;

    MUST(context, cairn_source_from_coords(context, 2, figure_extent, 6, figure_coord,
                                           figure_value, CAIRN_BY_ROWS, &source));
    cairn_tensor *tensor = must_store(context, source, "csr", CAIRN_F64);

    cairn_source_destroy(&source);
    return tensor;
}

Test(interrupted, files_are_whole_all_the_same)
{
    static const char *const endings[] = {"mtx", "cairn", "tns"};
    cairn_tensor            *tensor    = stored();

    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++)
        for (most = 1; most <= 7; most += 3)
            for (interrupt = 0; interrupt <= 3; interrupt += 3) {
                unlink(path);
                snprintf(path, sizeof path, "%s/a.%s", folder, endings[k]);
                MUST(context, cairn_tensor_write(tensor, path, NULL));
                expect_entries(path, 6);
            }
    cairn_tensor_destroy(&tensor);
}

Test(interrupted, gzip_is_read_all_the_same)
{
    static const char text[] =
        "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n3 2 5\n";

    strcat(path, ".gz");
    scratch_append_gzip(path, text, strlen(text));
    for (most = 1; most <= 7; most += 3)
        for (interrupt = 0; interrupt <= 3; interrupt += 3)
            expect_entries(path, 2);
}

/// Wherever the disk is full, nothing is left.
Test(interrupted, a_full_disk_keeps_nothing)
{
    static const char *const endings[] = {"mtx", "cairn", "tns"};
    cairn_tensor            *tensor    = stored();
    struct stat              about;

    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        snprintf(path, sizeof path, "%s/a.%s", folder, endings[k]);
        for (long room = 0;; room++) {
            int64_t bytes = -7;

            writable                  = room;
            const cairn_status status = cairn_tensor_write(tensor, path, &bytes);

            writable = -1;
            if (status == CAIRN_OK) break;
            cr_assert_eq(status, CAIRN_IO);
            cr_assert(strstr(cairn_context_message(context), "No space left"), "%s",
                      cairn_context_message(context));
            cr_assert_eq(bytes, -7);
            cr_assert_neq(stat(path, &about), 0, "left with room for %ld bytes", room);
        }
        unlink(path);
    }
    cairn_tensor_destroy(&tensor);
}

Test(interrupted, a_disk_that_cannot_sync_keeps_nothing)
{
    cairn_tensor *tensor = stored();
    struct stat   about;

    damaged = true;
    REFUSED(context, IO, "sync: ", cairn_tensor_write(tensor, path, NULL));
    cr_expect_neq(stat(path, &about), 0);
    damaged = false;
    cairn_tensor_destroy(&tensor);
}

/// Read all lines through a stream; between the first and the second the file changes.
static cairn_status read_changing(off_t length)
{
    cairn_env   *env = &context->env;
    cairn_stream stream;
    const char  *begin = NULL, *end = NULL;
    cairn_status status = cairn_stream_open(env, path, 64, &stream);

    if (status == CAIRN_OK) status = cairn_stream_lines(&stream, &begin, &end);
    cr_assert_eq(truncate(path, length), 0);
    while (status == CAIRN_OK && begin < end)
        status = cairn_stream_lines(&stream, &begin, &end);
    cairn_stream_close(&stream);
    return status;
}

Test(interrupted, a_file_that_is_cut_meanwhile_is_refused)
{
    char text[2048];

    for (size_t k = 0; k < sizeof text; k++)
        text[k] = k % 8 == 7 ? '\n' : '1';
    scratch_write(path, text, sizeof text);
    cr_expect_eq(read_changing(1000), CAIRN_IO);
    cr_expect(strstr(context->env.message, "became shorter"), "%s",
              context->env.message);
    scratch_write(path, text, sizeof text);
    cr_expect_eq(read_changing(sizeof text + 100), CAIRN_OK, "%s",
                 context->env.message);
}

Test(interrupted, a_gzip_file_that_is_cut_meanwhile_is_refused)
{
    static char text[1 << 20];
    uint64_t    state = 1;

    for (size_t k = 0; k < sizeof text; k++) {
        state   = state * UINT64_C(6364136223846793005) + 1;
        text[k] = k % 80 == 79 ? '\n' : (char)('0' + (state >> 60));
    }
    scratch_append_gzip(path, text, sizeof text);
    cr_expect_eq(read_changing(200000), CAIRN_BAD_FILE);
    cr_expect(strstr(context->env.message, "gzip: "), "%s", context->env.message);
}
