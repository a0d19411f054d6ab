// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Bytes as a segment of a native file, put into a file with the right checksums, so
/// that what is behind them is reached; and as a whole file.

#include "comm/native.h"
#include "source.h"

static void read_file(const fuzz_file *file)
{
    cairn_shape   shape   = {0};
    cairn_entries entries = {0};
    cairn_comm   *comm;
    cairn_env     env;

    fuzz_up(&env);
    FUZZ_CHECK(cairn_comm_self(&env, &comm) == CAIRN_OK, "self");
    if (fuzz_succeeded(
            &env, cairn_native_read_file(comm, file->path, &shape, &entries, NULL))) {
        fuzz_check_entries(&shape, &entries);
        cairn_entries_fini(&env, &entries);
    }
    cairn_comm_destroy(&comm);
    fuzz_down(&env);
}

/// One segment as a file of its own; freed with free().
static char *wrap(const uint8_t *segment, size_t size, size_t *length)
{
    enum { BEGIN = 128 }; /* the prologue and one row, padded */
    cairn_native_row row = {BEGIN, (int64_t)size,
                            cairn_native_crc(0, segment, (int64_t)size)};
    char            *out = calloc(BEGIN + size, 1);

    memcpy(out + CAIRN_NATIVE_PROLOGUE, &row, sizeof row);
    memcpy(out + BEGIN, segment, size);
    *length = BEGIN + size;
    cairn_native_put_prologue(out, CAIRN_NATIVE_VERSION, 1, (int64_t)*length,
                              cairn_native_crc(0, &row, sizeof row));
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t    length;
    char     *wrapped = wrap(data, size, &length);
    fuzz_file file    = fuzz_open(wrapped, length);

    read_file(&file);
    fuzz_write(&file, data, size);
    read_file(&file);
    close(file.fd);
    free(wrapped);
    return 0;
}
