// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The bounds: reading the bytes, 4 MB at a time, and nothing else; or counting their
/// newlines besides.
#include "../bench.h"

enum { PIECE = 4 << 20 };

int main(int argc, char **argv)
{
    FILE   *file  = argc > 2 ? fopen(argv[1], "rb") : NULL;
    char   *piece = malloc(PIECE);
    int64_t lines = 0;

    if (!file || !piece) return 1;
    setvbuf(file, NULL, _IONBF, 0);

    const double begin = bench_seconds();

    for (size_t got; (got = fread(piece, 1, PIECE, file)) > 0;) {
        if (strcmp(argv[2], "newlines") != 0) continue;
        for (size_t k = 0; k < got; k++)
            lines += piece[k] == '\n';
    }
    bench_report(bench_seconds() - begin, lines, 0);
    free(piece);
    fclose(file);
    return 0;
}
