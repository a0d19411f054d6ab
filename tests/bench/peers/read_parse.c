// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Parsing alone, of a file that is in memory, into arrays that were written before: by
/// the scanner named on the command line, the careful parser taking what it leaves. Exits
/// with 77 where the machine cannot run it.
#include "../bench.h"
#include "io/matrix_market/io_mtx.h"

static char *load(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    long  bytes;
    char *text;

    if (!file || fseek(file, 0, SEEK_END) != 0 || (bytes = ftell(file)) < 0) exit(1);
    rewind(file);
    text = malloc((size_t)bytes);
    if (!text || fread(text, 1, (size_t)bytes, file) != (size_t)bytes) exit(1);
    fclose(file);
    *length = (size_t)bytes;
    return text;
}

static const cairn_scanner *choose(const char *name)
{
    if (strcmp(name, "words") == 0) return &cairn_scanner_words;
    return strcmp(name, "avx512") == 0 ? &cairn_scanner_avx512 : NULL;
}

int main(int argc, char **argv)
{
    cairn_env        env;
    cairn_mtx_header header;
    cairn_entries    entries;
    cairn_text_range range = {.first_line = 1};
    size_t           length;
    bool             more;
    uint64_t         sum = 0;

    if (argc < 3) return 2;

    char *const                text    = load(argv[1], &length);
    const cairn_scanner *const scanner = choose(argv[2]);

    if (scanner && !scanner->usable()) return 77;
    cairn_env_init(&env);
    cairn_entries_init(&entries, 2);
    if (cairn_mtx_read_header(&env, argv[1], text, text + length, true, &header, &more)
            != CAIRN_OK
        || cairn_entries_reserve(&env, &entries, 2 * header.entries + 2) != CAIRN_OK)
        return 1;
    for (int k = 0; k < 2; k++)
        memset(entries.coord[k], 0, 8 * (size_t)entries.capacity);
    memset(entries.value, 0, 8 * (size_t)entries.capacity);

    const cairn_mtx_way way   = {.env     = &env,
                                 .name    = argv[1],
                                 .header  = &header,
                                 .scanner = scanner,
                                 .threads = 1};
    const double        begin = bench_seconds();

    if (cairn_mtx_read_lines(&way, text + header.bytes, text + length, &range, &entries)
        != CAIRN_OK)
        return 1;

    const double seconds = bench_seconds() - begin;

    for (cairn_pos p = 0; p < entries.n; p++)
        sum += bench_sum_of(entries.coord[0][p], entries.coord[1][p], entries.value[p]);
    bench_report(seconds, entries.n, sum);
    cairn_entries_fini(&env, &entries);
    cairn_env_fini(&env);
    free(text);
    return 0;
}
