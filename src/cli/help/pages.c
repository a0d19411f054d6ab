// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Pages, piece by piece, from the tables of verbs, options and variables.

#include "cli/help/pages.h"

#include "cli/arguments/verbs.h"
#include "cli/help/questions.h"

#include <stdio.h>
#include <string.h>

#define MOST_PARAGRAPH 2048
#define MOST_TERM      128
#define MOST_TEXT      512

void cli_page_cairn(const cli_writer *writer)
{
    writer->paragraph(
        "Cairn stores sparse tensors in formats that are written as short texts, and "
        "computes with them on one process or many. Every verb runs under mpirun as it "
        "runs alone, with the same results.");
}

void cli_page_formats(const cli_writer *writer)
{
    writer->paragraph(
        "A format is a name (csr, coo, ell), a name with arguments (bdia<64>, "
        "hybrid<bdia<64>,csr,0.6>), a definition in full (#encoding<{ ... }>), or "
        "FILE:NAME, a definition in a file. In a shell, quote what has < or #.");
}

void cli_page_statuses(const cli_writer *writer)
{
    writer->row("0", "Done, and verified where that was asked.");
    writer->row("1",
                "Right, but it failed here: a file that cannot be read or written, "
                "memory, a device, communication, a result that is not verified.");
    writer->row("2",
                "Wrong whatever the machine: an option, a format, the content of a "
                "file.");
    writer->paragraph("On 1 and 2 one line on standard error says what, where and why, "
                      "and no file is left half-written.");
}

void cli_page_verbs(const cli_writer *writer)
{
    const cli_verb *verb;
    char            term[MOST_TERM];

    for (int k = 0; (verb = cli_verb_at(k)); k++) {
        snprintf(term, sizeof term, "%s %s", verb->name, verb->operands);
        writer->row(term, verb->summary);
    }
}

void cli_page_path(const cli_writer *writer)
{
    static const cli_example path[] = {
        {"cairn generate stencil5 --nx 100 --ny 100 -o grid.mtx",
         "a matrix to play with"                                                                 },
        {"cairn info grid.mtx --spy grid.png",                    "its structure, and a picture" },
        {"cairn format 'bdia<64>'",                               "what a format stores, and why"},
        {"cairn format 'bdia<64>' grid.mtx",                      "its bytes here, beside CSR's" },
        {"cairn run spmv grid.mtx --format 'bdia<64>' --verify",
         "y = A x, timed, checked"                                                               },
        {"mpirun -n 4 cairn run spmv grid.mtx --out y.mtx",       "the same on four ranks"       },
        {"cairn convert grid.mtx --to 'bdia<64>' -o grid.cairn",
         "its arrays, kept in a file"                                                            },
    };

    for (size_t k = 0; k < sizeof path / sizeof path[0]; k++)
        writer->example(path[k].command, path[k].meaning);
}

void cli_page_files(const cli_writer *writer)
{
    writer->row("Matrix Market",
                "coordinate or array: by its first line, else the name's ending .mtx");
    writer->row("FROSTT tensor", "order 1 to 16: by the ending .tns");
    writer->row("Harwell-Boeing, Rutherford-Boeing",
                "by its cards, else the ending: .hb, .rb, or a matrix type (.rua, "
                ".psa, ...)");
    writer->row(
        "binsparse",
        "arrays in an archive of numpy's, .npz, or in HDF5: by its first bytes");
    writer->row("MATLAB",
                "a sparse matrix in a .mat file of version 7.3, or in PETSc's "
                "HDF5 of that kind: by its first bytes");
    writer->row("PETSc", "a matrix in a binary file: by its first bytes");
    writer->row("native", "a format's arrays as cairn convert writes them: .cairn");
    writer->paragraph("Text may be gzip, whatever its name. A FILE that is none of "
                      "these is refused.");
}

void cli_page_questions(const cli_writer *writer)
{
    for (int k = 0; cli_question_at(k); k++)
        writer->row(cli_question_at(k)->usage, cli_question_at(k)->help);
}

void cli_page_variables(const cli_writer *writer)
{
    char text[MOST_TEXT];

    for (int k = 0; cairn_option_name(k); k++) {
        snprintf(text, sizeof text, "%s [%s]", cairn_option_help(k),
                 cairn_option_default(k));
        writer->row(cairn_option_name(k), text);
    }
}

void cli_page_about(const cli_writer *writer, const cli_verb *verb)
{
    char        paragraph[MOST_PARAGRAPH];
    const char *text = verb->about;

    while (*text) {
        const char  *end    = strstr(text, "\n\n");
        const size_t length = end ? (size_t)(end - text) : strlen(text);

        snprintf(paragraph, sizeof paragraph, "%.*s", (int)length, text);
        writer->paragraph(paragraph);
        text += length + (end ? strlen("\n\n") : 0);
    }
}

void cli_page_words(const cli_writer *writer, const cli_verb *verb)
{
    cli_word_row word;
    char         term[MOST_TERM];

    for (int k = 0; verb->word && verb->word(k, &word); k++) {
        snprintf(term, sizeof term, "%s%s%s", word.name, *word.options ? " " : "",
                 word.options);
        writer->row(term, word.help);
    }
}

static void write_option(const cli_writer *writer, cli_option_id id)
{
    const cli_option *option = cli_option_row(id);
    char              term[MOST_TERM], text[MOST_TEXT];

    snprintf(term, sizeof term, "--%s%s%s", option->name, option->value ? " " : "",
             option->value ? option->value : "");
    if (option->standard)
        snprintf(text, sizeof text, "%s [%s]", option->help, option->standard);
    else
        snprintf(text, sizeof text, "%s", option->help);
    writer->row(term, text);
}

void cli_page_options(const cli_writer *writer, const cli_verb *verb)
{
    cli_option_id id;

    for (int k = 0; (id = cli_verb_option(verb, k)) != CLI_OPTIONS; k++)
        write_option(writer, id);
}

void cli_page_json(const cli_writer *writer, const cli_verb *verb)
{
    writer->paragraph(verb->json);
}

void cli_page_examples(const cli_writer *writer, const cli_verb *verb)
{
    for (const cli_example *e = verb->examples; e->command; e++)
        writer->example(e->command, e->meaning);
}
