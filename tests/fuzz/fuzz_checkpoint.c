// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Bytes as a manifest of a checkpoint and as a share, as they are and with the checksums
/// right, so that what is behind them is reached.

#include "checkpoint/manifest.h"
#include "checkpoint/share.h"
#include "file.h"
#include "io/native/io_native.h"

enum { FIRST = 3, END = 3 + CAIRN_SHARE_BLOCK + 40 }; ///< Rows of the share.

/// What is understood is written as the same bytes.
static void read_manifest(const char *bytes, size_t size)
{
    char          *copy = fuzz_copy(bytes, size);
    cairn_manifest manifest;
    cairn_env      env;

    fuzz_up(&env);
    if (fuzz_succeeded(
            &env, cairn_manifest_decode(&env, "a", copy, (int64_t)size, &manifest))) {
        cairn_text text;

        cairn_text_init(&text, &env);
        cairn_manifest_encode(&manifest, &text);
        FUZZ_CHECK(text.status == CAIRN_OK && text.length == size, "%zu bytes of %zu",
                   text.length, size);
        for (int k = 0; k < manifest.state.vectors; k++)
            FUZZ_CHECK(cairn_checkpoint_find_vector(&manifest.state,
                                                    manifest.state.vector[k].name)
                           == k,
                       "vector %d", k);
        for (int s = 0; s < manifest.shares; s++)
            FUZZ_CHECK(manifest.bound[s] <= manifest.bound[s + 1], "share %d", s);
        cairn_text_fini(&text);
        cairn_manifest_fini(&env, &manifest);
    }
    free(copy);
    fuzz_down(&env);
}

/// A manifest whose length and checksum are right.
static void read_sealed_manifest(const uint8_t *data, size_t size)
{
    char *bytes = fuzz_copy(data, size);

    if (size >= 24) {
        const int64_t  length  = (int64_t)size;
        const uint32_t version = CAIRN_MANIFEST_VERSION;

        memcpy(bytes, "CAIRNCKM", 8);
        memcpy(bytes + 8, &version, 4);
        memcpy(bytes + 16, &length, 8);
        const uint32_t crc = cairn_native_crc(0, bytes + 16, length - 16);

        memcpy(bytes + 12, &crc, 4);
    }
    read_manifest(bytes, size);
    free(bytes);
}

/// Read some rows of a share; those that are read are within the file.
static void
read_share(const uint8_t *data, size_t size, uint64_t *random, bool as_expected)
{
    static double    value[3][END - FIRST];
    cairn_checkpoint state = {.first_row = FIRST, .end_row = END, .generation = 5};
    cairn_share_head head;
    cairn_env        env;
    const int64_t    from = FIRST + random_below(random, END - FIRST);
    const int64_t    to   = from + random_below(random, (int)(END - from) + 1);

    cairn_checkpoint_add_vector(&state, "x", CAIRN_F64, value[0]);
    cairn_checkpoint_add_vector(&state, "y", CAIRN_F32, value[1]);
    cairn_checkpoint_add_vector(&state, "z", CAIRN_F64, value[2]);
    cairn_share_expect(&state, 9, 1, FIRST, END, &head);
    char *bytes = calloc(1, (size_t)head.length);

    FUZZ_CHECK(bytes, "no memory");
    if (as_expected) memcpy(bytes, &head, sizeof head);
    /* What comes from the bytes lies in the head and the table, or in the values. */
    const size_t at   = as_expected ? 12 + (size_t)random_below(random, 300) : 0;
    const size_t most = (size_t)head.length - at;
    const size_t n    = size < most ? size : most;

    if (n) memcpy(bytes + at, data, n);
    if (as_expected) {
        const int64_t  checked = head.length - cairn_share_value_bytes(&head) - 16;
        const uint32_t crc     = cairn_native_crc(0, bytes + 16, checked);

        memcpy(bytes + 12, &crc, 4);
    }
    fuzz_file file = fuzz_open(bytes, as_expected ? (size_t)head.length : n);

    fuzz_up(&env);
    fuzz_succeeded(&env, cairn_share_read(&env, file.path, &head, from, to, &state));
    fuzz_down(&env);
    close(file.fd);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t random = fuzz_hash(data, size);

    read_manifest((const char *)data, size);
    read_sealed_manifest(data, size);
    read_share(data, size, &random, false);
    read_share(data, size, &random, true);
    return 0;
}
