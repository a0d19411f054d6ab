// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Bytes as a gzip file. Chunks of any size make the same text as one call; what is
/// accepted is what zlib's own reader finds in it. A thread that inflates ahead changes
/// nothing.

#include "file.h"
#include "io/stream/stream.h"

enum { MOST = 1 << 20 }; ///< Inflated bytes that are looked at.

typedef struct {
    cairn_status status;
    size_t       length;
    char        *text; ///< [MOST]
} inflated;

static inflated inflate_in_chunks(const fuzz_file *file, uint64_t *state, size_t chunk)
{
    inflated      got    = {.text = malloc(MOST)};
    cairn_gunzip *gunzip = NULL;
    cairn_env     env;

    fuzz_up(&env);
    got.status = cairn_gunzip_create(&env, file->path, file->fd, &gunzip);
    while (got.status == CAIRN_OK && got.length < MOST) {
        size_t room = 1 + random_next(state) % chunk, n = 0;

        if (room > MOST - got.length) room = MOST - got.length;
        char *out = malloc(room);

        got.status = cairn_gunzip_read(gunzip, out, room, &n);
        if (got.status == CAIRN_OK) memcpy(got.text + got.length, out, n);
        if (got.status == CAIRN_OK) got.length += n;
        free(out);
        FUZZ_CHECK(n <= room, "%zu bytes in %zu", n, room);
        if (n < room) break;
    }
    fuzz_succeeded(&env, got.status);
    cairn_gunzip_destroy(gunzip);
    fuzz_down(&env);
    return got;
}

/// By a thread, or without one, ahead of chunks that are asked for.
static inflated inflate_ahead(const fuzz_file *file, uint64_t *state)
{
    inflated      got    = {.text = malloc(MOST)};
    cairn_gunzip *gunzip = NULL;
    cairn_ahead  *ahead  = NULL;
    bool          ended  = false;
    cairn_env     env;

    fuzz_up(&env);
    env.options.threads = fuzz_threads(state);
    got.status          = cairn_gunzip_create(&env, file->path, file->fd, &gunzip);
    if (got.status == CAIRN_OK)
        got.status =
            cairn_ahead_create(&env, gunzip, 256 + random_next(state) % 5000, &ahead);
    while (got.status == CAIRN_OK && got.length < MOST && !ended) {
        const size_t left = MOST - got.length, room = 1 + random_next(state) % 5000;
        size_t       n = 0;

        got.status = cairn_ahead_read(ahead, got.text + got.length,
                                      room < left ? room : left, &n, &ended);
        FUZZ_CHECK(n > 0 || ended || got.status != CAIRN_OK, "nothing, but no end");
        got.length += n;
    }
    fuzz_succeeded(&env, got.status);
    cairn_ahead_destroy(ahead);
    cairn_gunzip_destroy(gunzip);
    fuzz_down(&env);
    return got;
}

/// @param[in] whole  What there is, up to MOST bytes.
static void check_same(const inflated *whole, const inflated *other, const char *what)
{
    FUZZ_CHECK(whole->status == other->status, "%d whole, %d %s", whole->status,
               other->status, what);
    if (whole->status != CAIRN_OK) return;
    FUZZ_CHECK(whole->length == other->length
                   && memcmp(whole->text, other->text, other->length) == 0,
               "%zu bytes whole, %zu %s", whole->length, other->length, what);
}

static void check_zlib(const fuzz_file *file, const inflated *got)
{
    gzFile z    = gzopen(file->path, "rb");
    char  *text = malloc(MOST);

    FUZZ_CHECK(z && text, "gzopen");
    const int n = gzread(z, text, MOST);

    FUZZ_CHECK(n >= 0 && (size_t)n == got->length && memcmp(text, got->text, n) == 0,
               "zlib finds %d bytes, not %zu", n, got->length);
    gzclose(z);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || data[0] != 0x1f || data[1] != 0x8b) return 0;
    fuzz_file file  = fuzz_open(data, size);
    uint64_t  state = fuzz_hash(data, size);
    inflated  whole = inflate_in_chunks(&file, &state, MOST);
    inflated  cut   = inflate_in_chunks(&file, &state, 1 + random_next(&state) % 500);
    inflated  ahead = inflate_ahead(&file, &state);

    check_same(&whole, &cut, "in chunks");
    /* What is wrong behind MOST bytes may be in the chunk that was inflated ahead. */
    if (whole.length < MOST || ahead.status == CAIRN_OK)
        check_same(&whole, &ahead, "ahead");
    if (whole.status == CAIRN_OK) check_zlib(&file, &whole);
    free(whole.text);
    free(cut.text);
    free(ahead.text);
    close(file.fd);
    return 0;
}
