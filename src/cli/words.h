// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Units for people: "1.5 ms", "34.2 KiB".

#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include <stdint.h>

/// A short text, returned by value so that several fit into one printf.
typedef struct cli_word {
    char text[32];
} cli_word;

cli_word cli_word_seconds(double seconds);
cli_word cli_word_bytes(int64_t bytes);
cli_word cli_word_entries(int64_t entries);

#endif
