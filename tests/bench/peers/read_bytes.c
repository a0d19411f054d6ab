// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The bounds: reading the bytes, 4 MB at a time, and nothing else; or counting their
/// newlines besides.
#include "../bench.h"

enum { CHUNK = 4 << 20 };

int main(int argc, char **argv)
{
    FILE   *file  = argc > 2 ? fopen(argv[1], "rb") : NULL;
    char   *chunk = malloc(CHUNK);
    int64_t lines = 0;

    if (!file || !chunk) return 1;
    setvbuf(file, NULL, _IONBF, 0);

    const double begin = bench_seconds();

    for (size_t got; (got = fread(chunk, 1, CHUNK, file)) > 0;) {
        if (strcmp(argv[2], "newlines") != 0) continue;
        for (size_t k = 0; k < got; k++)
            lines += chunk[k] == '\n';
    }
    bench_report(bench_seconds() - begin, lines, 0);
    free(chunk);
    fclose(file);
    return 0;
}
