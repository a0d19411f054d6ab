// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the command says of itself, from its tables: verbs, options, variables, words
/// that operands may be. A writer gives it a form: lines for a terminal (help.c) or a
/// manual page (man.c). So that the two cannot differ, no text stands in either.

#ifndef CLI_PAGES_H
#define CLI_PAGES_H

#include "cli/arguments/job.h"

/// How the pieces of a page are written.
typedef struct cli_writer {
    void (*paragraph)(const char *text);
    void (*row)(const char *term, const char *text); ///< Of a list of terms.
    void (*example)(const char *command, const char *meaning);
} cli_writer;

/// What Cairn is, in a paragraph; what a format is; what statuses mean.
void cli_page_cairn(const cli_writer *writer);
void cli_page_formats(const cli_writer *writer);
void cli_page_statuses(const cli_writer *writer);

/// The verbs, and a first path through them.
void cli_page_verbs(const cli_writer *writer);
void cli_page_path(const cli_writer *writer);

/// The kinds of files that a FILE may be.
void cli_page_files(const cli_writer *writer);

/// What is asked before a verb: --version and the like.
void cli_page_questions(const cli_writer *writer);

/// The CAIRN_* variables.
void cli_page_variables(const cli_writer *writer);

/// A verb: its description, the words of its first operand, options, JSON, examples.
void cli_page_about(const cli_writer *writer, const cli_verb *verb);
void cli_page_words(const cli_writer *writer, const cli_verb *verb);
void cli_page_options(const cli_writer *writer, const cli_verb *verb);
void cli_page_json(const cli_writer *writer, const cli_verb *verb);
void cli_page_examples(const cli_writer *writer, const cli_verb *verb);

#endif
