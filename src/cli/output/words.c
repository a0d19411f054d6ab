// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numbers with units, and paragraphs.

#include "cli/output/words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

cli_word cli_word_seconds(double seconds)
{
    cli_word word;

    /* What rounds to a thousand is one of the next unit. */
    if (seconds < 999.5e-6)
        snprintf(word.text, sizeof word.text, "%.3g us", 1e6 * seconds);
    else if (seconds < 999.5e-3)
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

cli_word cli_word_percent(double share)
{
    const double percent = 100 * share;
    cli_word     word;

    if (percent > 0 && percent < 1)
        snprintf(word.text, sizeof word.text, "%.1g %%", percent);
    else
        snprintf(word.text, sizeof word.text, "%.0f %%", percent);
    return word;
}

void cli_paragraph_begin(cli_paragraph *paragraph, int column, int indent)
{
    *paragraph = (cli_paragraph){.indent = indent, .column = column, .start = column};
}

/// Print the word, on a new line if it does not fit.
static void end_word(cli_paragraph *p)
{
    const int length = (int)p->length;

    if (length == 0) return;
    if (p->column + p->blanks + length > CLI_COLUMNS && p->column > p->start) {
        printf("\n%*s", p->indent, "");
        p->column = p->start = p->indent;
        p->blanks            = 0;
    }
    printf("%*s%.*s", p->blanks, "", length, p->word);
    p->column += p->blanks + length;
    p->blanks = 0;
    p->length = 0;
}

void cli_paragraph_text(cli_paragraph *p, const char *text)
{
    for (; *text; text++) {
        if (*text == ' ' || *text == '\n') {
            end_word(p);
            if (p->column > p->start) p->blanks++;
            continue;
        }
        p->word[p->length++] = *text;
        if ((*text == ',' && p->commas) || p->length == sizeof p->word) end_word(p);
    }
}

void cli_paragraph_say(cli_paragraph *p, const char *format, ...)
{
    char    text[2048];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cli_paragraph_text(p, text);
}

void cli_paragraph_end(cli_paragraph *p)
{
    end_word(p);
    putchar('\n');
}
