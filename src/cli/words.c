// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numbers with units.

#include "words.h"

#include <inttypes.h>
#include <stdio.h>

cli_word cli_word_seconds(double seconds)
{
    cli_word word;

    if (seconds < 1e-3)
        snprintf(word.text, sizeof word.text, "%.3g us", 1e6 * seconds);
    else if (seconds < 1)
        snprintf(word.text, sizeof word.text, "%.3g ms", 1e3 * seconds);
    else
        snprintf(word.text, sizeof word.text, "%.2f s", seconds);
    return word;
}

cli_word cli_word_bytes(int64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    double                   value   = (double)bytes / 1024;
    int                      k       = 0;
    cli_word                 word;

    if (bytes < 10 * 1024) {
        snprintf(word.text, sizeof word.text, "%" PRId64 " byte%s", bytes,
                 bytes == 1 ? "" : "s");
        return word;
    }
    while (value >= 1024 && k < 3) {
        value /= 1024;
        k++;
    }
    snprintf(word.text, sizeof word.text, "%.1f %s", value, units[k]);
    return word;
}

cli_word cli_word_entries(int64_t entries)
{
    cli_word word;

    snprintf(word.text, sizeof word.text, "%" PRId64 " %s", entries,
             entries == 1 ? "entry" : "entries");
    return word;
}
