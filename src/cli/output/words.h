// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Units for people: "1.5 ms", "34.2 KiB"; and paragraphs of a terminal's width.

#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A short text, returned by value so that several fit into one printf.
typedef struct cli_word {
    char text[32];
} cli_word;

cli_word cli_word_seconds(double seconds);
cli_word cli_word_bytes(int64_t bytes);
cli_word cli_word_entries(int64_t entries);

/// A share as people say it: "0.05 %", "62 %".
cli_word cli_word_percent(double share);

#define CLI_COLUMNS 88 ///< Lines are no longer, unless one word is.

/// A paragraph on standard output, whose lines end between words.
typedef struct cli_paragraph {
    int    indent; ///< Blanks before every line but the first.
    int    column; ///< Where the next character goes.
    int    start;  ///< Where this line's words begin.
    bool   commas; ///< Lines may end behind commas, too: for lists of numbers.
    int    blanks; ///< Before the next word.
    size_t length; ///< Of the word so far.
    char   word[512];
} cli_paragraph;

/// Begin; @p column characters of the first line are there already.
void cli_paragraph_begin(cli_paragraph *paragraph, int column, int indent);

/// Add text; blanks divide words, and what is said in two calls can be one word.
__attribute__((format(printf, 2, 3))) void
cli_paragraph_say(cli_paragraph *paragraph, const char *format, ...);

/// Add text of any length.
void cli_paragraph_text(cli_paragraph *paragraph, const char *text);

/// End the paragraph and its line.
void cli_paragraph_end(cli_paragraph *paragraph);

#endif
