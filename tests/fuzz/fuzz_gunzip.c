// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Bytes as a gzip file. Pieces of any size make the same text as one call; what is
/// accepted is what zlib's own reader finds in it.

#include "comm/stream.h"
#include "file.h"

enum { MOST = 1 << 20 }; ///< Inflated bytes that are looked at.

typedef struct {
    cairn_status status;
    size_t       length;
    char        *text; ///< [MOST]
} inflated;

static inflated inflate_in_pieces(const fuzz_file *file, uint64_t *state, size_t piece)
{
    inflated      got    = {.text = malloc(MOST)};
    cairn_gunzip *gunzip = NULL;
    cairn_env     env;

    fuzz_up(&env);
    got.status = cairn_gunzip_create(&env, file->path, file->fd, &gunzip);
    while (got.status == CAIRN_OK && got.length < MOST) {
        size_t room = 1 + random_next(state) % piece, n = 0;

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
    inflated  whole = inflate_in_pieces(&file, &state, MOST);
    inflated  cut   = inflate_in_pieces(&file, &state, 1 + random_next(&state) % 500);

    FUZZ_CHECK(whole.status == cut.status, "%d whole, %d in pieces", whole.status,
               cut.status);
    if (whole.status == CAIRN_OK) {
        FUZZ_CHECK(whole.length == cut.length
                       && memcmp(whole.text, cut.text, cut.length) == 0,
                   "%zu bytes whole, %zu in pieces", whole.length, cut.length);
        check_zlib(&file, &whole);
    }
    free(whole.text);
    free(cut.text);
    close(file.fd);
    return 0;
}
