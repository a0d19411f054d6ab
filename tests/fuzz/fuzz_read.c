// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Bytes as a file of a kind that its content shows, else as a tensor: the same whether
/// it is read at once or in small chunks, by one thread or several, plain or gzip in two
/// members.

#include "comm/read.h"
#include "file.h"

typedef struct {
    cairn_env       env;
    cairn_comm     *comm;
    cairn_status    status;
    cairn_text_file file;
    bool            gzip; ///< The bytes were gzip as they came.
} reading;

static char link_name[] = "/tmp/cairn-fuzz-0123456789.tns";

static void remove_link(void)
{
    unlink(link_name);
}

/// A name by which the file is known as a tensor.
static const char *name_it(const fuzz_file *file)
{
    static int named;

    if (!named++) atexit(remove_link);
    snprintf(link_name, sizeof link_name, "/tmp/cairn-fuzz-%d.tns", (int)getpid());
    unlink(link_name);
    FUZZ_CHECK(symlink(file->path, link_name) == 0, "%s", link_name);
    return link_name;
}

static reading *read_it(const char *name, size_t chunk, int threads)
{
    reading *r = calloc(1, sizeof *r);

    fuzz_up(&r->env);
    r->env.options.threads = threads;
    FUZZ_CHECK(cairn_comm_self(&r->env, &r->comm) == CAIRN_OK, "self");
    r->status = cairn_read_text_in_chunks(r->comm, name, chunk, &r->file);
    fuzz_succeeded(&r->env, r->status);
    return r;
}

static void finish(reading *r)
{
    if (r->status == CAIRN_OK) cairn_text_file_fini(&r->env, &r->file);
    cairn_comm_destroy(&r->comm);
    fuzz_down(&r->env);
    free(r);
}

static void compare(const reading *a, const reading *b, const char *what)
{
    const cairn_entries *x = &a->file.entries, *y = &b->file.entries;
    const size_t         bytes = (size_t)x->n * 8;

    /* Of two things that are wrong with a gzip file, either may be found first. */
    FUZZ_CHECK((a->status == b->status || (a->gzip && a->status && b->status))
                   && (a->gzip || strcmp(a->env.message, b->env.message) == 0),
               "%d: %s; %s %d: %s", a->status, a->env.message, what, b->status,
               b->env.message);
    if (a->status != CAIRN_OK) return;
    FUZZ_CHECK(memcmp(&a->file.shape, &b->file.shape, sizeof a->file.shape) == 0,
               "%s: shape", what);
    FUZZ_CHECK(strcmp(a->file.field, b->file.field) == 0
                   && strcmp(a->file.symmetry, b->file.symmetry) == 0,
               "%s: words", what);
    FUZZ_CHECK(x->n == y->n, "%s: entries", what);
    for (int d = 0; d < x->order && bytes; d++)
        FUZZ_CHECK(memcmp(x->coord[d], y->coord[d], bytes) == 0, "%s: mode %d", what,
                   d);
    if (bytes) FUZZ_CHECK(memcmp(x->value, y->value, bytes) == 0, "%s: values", what);
}

/// The same file in chunks. Not in tiny ones where a thread inflates each.
static reading *read_chunks(const char *name, uint64_t *state)
{
    const int threads = fuzz_threads(state);

    return read_it(name, (threads > 1 ? 64 : 1) + random_next(state) % 300, threads);
}

/// The same bytes, compressed.
static void check_gzip(const reading *whole,
                       fuzz_file     *file,
                       const uint8_t *data,
                       size_t         size,
                       uint64_t       state)
{
    size_t length;
    char  *zipped = fuzz_gzip(data, size, random_next(&state) % (size + 1), &length);

    fuzz_write(file, zipped, length);
    reading *unzipped = read_chunks(name_it(file), &state);

    compare(whole, unzipped, "gzip");
    finish(unzipped);
    free(zipped);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t  state = fuzz_hash(data, size);
    fuzz_file file  = fuzz_open(data, size);
    reading  *whole = read_it(name_it(&file), 1 << 16, 1);
    reading  *cut   = read_chunks(link_name, &state);

    whole->gzip = size >= 2 && data[0] == 0x1f && data[1] == 0x8b;
    compare(whole, cut, "in chunks");
    finish(cut);
    if (!whole->gzip) check_gzip(whole, &file, data, size, state);
    finish(whole);
    close(file.fd);
    return 0;
}
