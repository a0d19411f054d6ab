// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Manual pages in the man macros.

#include "cli/help/man.h"

#include "cli/arguments/values.h"
#include "cli/arguments/verbs.h"
#include "cli/help/pages.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MOST_PAGES 32
#define FILL       60 ///< Characters of a line of input, before escapes.

/// Print a character such that it is neither a request nor an escape. Hyphens are those
/// of options.
static void print_character(char c, bool first)
{
    static const struct {
        char        c;
        const char *escape;
    } escapes[] = {
        {'\\', "\\e"  },
        {'-',  "\\-"  },
        {'^',  "\\(ha"},
        {'~',  "\\(ti"},
        {'`',  "\\(ga"},
        {'\'', "\\(aq"},
    };

    if (first && c == '.') fputs("\\&", stdout);
    for (size_t k = 0; k < sizeof escapes / sizeof escapes[0]; k++)
        if (escapes[k].c == c) {
            fputs(escapes[k].escape, stdout);
            return;
        }
    putchar(c);
}

static void print_words(const char *text, size_t length)
{
    for (size_t k = 0; k < length; k++)
        print_character(text[k], k == 0);
}

/// A line of input that stands alone.
static void print_line(const char *text)
{
    print_words(text, strlen(text));
    putchar('\n');
}

/// Running text: its lines are filled when it is read, so that they may end anywhere.
static void print_filled(const char *text)
{
    size_t column = 0;

    while (*text) {
        const size_t word = strcspn(text, " \n");

        if (column && column + word > FILL) {
            putchar('\n');
            column = 0;
        }
        if (column) putchar(' ');
        print_words(text, word);
        column += word + 1;
        text += word;
        text += strspn(text, " \n");
    }
    putchar('\n');
}

static void section(const char *title)
{
    printf(".SH \"%s\"\n", title);
}

/// Also right behind a section's title, where it is nothing.
static void begin_paragraph(void)
{
    printf(".PP\n");
}

static void paragraph(const char *text)
{
    begin_paragraph();
    print_filled(text);
}

/// The first word is what one types, the others stand for something.
static void row(const char *term, const char *text)
{
    const size_t word = strcspn(term, " ");

    printf(".TP\n\\fB");
    print_words(term, word);
    printf("\\fR");
    if (term[word]) printf(" \\fI");
    if (term[word]) print_words(term + word + 1, strlen(term + word + 1));
    printf(term[word] ? "\\fR\n" : "\n");
    print_filled(text);
}

static void example(const char *command, const char *meaning)
{
    begin_paragraph();
    print_words(meaning, strlen(meaning));
    printf(":\n.RS\n.nf\n");
    print_line(command);
    printf(".fi\n.RE\n");
}

static const cli_writer writer = {paragraph, row, example};

/// The title line and NAME; names are "cairn" or "cairn-VERB". Lines are not adjusted:
/// from groff 1.23 on it is the string AD that says so for what comes after headings.
static void begin(const char *name, int number, const char *summary)
{
    printf(".\\\" Written by cairn --man, from the tables of its --help.\n"
           ".ds AD l\n.TH \"");
    for (const char *c = name; *c; c++)
        putchar(toupper((unsigned char)*c));
    printf("\" %d \"\" \"cairn %s\" \"Cairn\"\n", number, cairn_version());
    printf(".nh\n.ad l\n");
    section("NAME");
    print_words(name, strlen(name));
    printf(" \\- %c", tolower((unsigned char)*summary));
    print_line(summary + 1);
}

static void synopsis(const char *verb, const char *operands)
{
    begin_paragraph();
    printf("\\fBcairn");
    if (*verb) printf(" %s", verb);
    printf("\\fR");
    if (*operands) putchar(' ');
    print_words(operands, strlen(operands));
    printf(" [\\fIoptions\\fR]\n");
}

static void end(void)
{
    section("EXIT STATUS");
    cli_page_statuses(&writer);
    section("ENVIRONMENT");
    cli_page_variables(&writer);
}

/// All other pages but @p self.
static void see_also(const char *self)
{
    const cli_verb *verb;

    section("SEE ALSO");
    if (strcmp(self, "cairn") != 0) printf(".BR cairn (1),\n");
    for (int k = 0; (verb = cli_verb_at(k)); k++)
        if (strcmp(self, verb->name) != 0) printf(".BR cairn\\-%s (1),\n", verb->name);
    printf(".BR cairn\\-%s (%s)\n", strcmp(self, "formats") ? "formats" : "format",
           strcmp(self, "formats") ? "7" : "1");
}

static cairn_status man_cairn(void)
{
    begin("cairn", 1, "sparse tensors in formats that are written as short texts");
    section("SYNOPSIS");
    synopsis("", "VERB ...");
    section("DESCRIPTION");
    cli_page_cairn(&writer);
    cli_page_formats(&writer);
    section("VERBS");
    cli_page_verbs(&writer);
    section("OPTIONS");
    paragraph("Options belong to a verb and stand after it. Instead of a verb:");
    cli_page_questions(&writer);
    section("EXAMPLES");
    cli_page_path(&writer);
    end();
    see_also("cairn");
    return CAIRN_OK;
}

static cairn_status man_verb(const cli_verb *verb)
{
    char name[64];

    snprintf(name, sizeof name, "cairn-%s", verb->name);
    begin(name, 1, verb->summary);
    section("SYNOPSIS");
    synopsis(verb->name, verb->operands);
    section("DESCRIPTION");
    cli_page_about(&writer, verb);
    if (verb->word) begin_paragraph();
    if (verb->word) printf("%s is one of:\n", verb->words);
    cli_page_words(&writer, verb);
    section("OPTIONS");
    paragraph("Defaults stand in brackets.");
    cli_page_options(&writer, verb);
    if (strstr(verb->operands, "FILE")) {
        section("FILES");
        cli_page_files(&writer);
    }
    section("JSON");
    cli_page_json(&writer, verb);
    section("EXAMPLES");
    cli_page_examples(&writer, verb);
    end();
    see_also(verb->name);
    return CAIRN_OK;
}

/// The catalogue, one definition after the other.
static cairn_status print_catalogue(cli_job *job)
{
    const char *name;

    for (int k = 0; (name = cairn_catalogue_name(job->context, k)); k++) {
        char known[64], *text = NULL, *note = NULL;
        int  missing;

        snprintf(known, sizeof known, "%s", name);
        CLI_TRY(cairn_catalogue_note(job->context, known, &note));
        row(known, note);
        cairn_text_free(job->context, &note);
        CLI_TRY(cairn_catalogue_definition(job->context, known, &text, &missing));
        printf(".br\n");
        print_filled(text);
        cairn_text_free(job->context, &text);
    }
    return CAIRN_OK;
}

static cairn_status man_formats(cli_job *job)
{
    begin("cairn-formats", 7, "the formats that Cairn knows by name");
    section("DESCRIPTION");
    cli_page_formats(&writer);
    paragraph(
        "The definitions below are all that the names mean. cairn format NAME "
        "explains one: its levels, which arrays exist, and why; with a file, what "
        "they take. One with parameters wants as many arguments: bdia<64>.");
    section("CATALOGUE");
    CLI_TRY(cairn_context_create(&job->context));
    CLI_TRY(print_catalogue(job));
    see_also("formats");
    return CAIRN_OK;
}

cairn_status cli_man(cli_job *job, const char *page)
{
    const char *names[MOST_PAGES] = {"cairn", "formats"};
    int         which = 0, count = 2;

    for (int k = 0; cli_verb_at(k) && count + 1 < MOST_PAGES; k++)
        names[count++] = cli_verb_at(k)->name;
    if (page)
        CLI_TRY(cli_choose(job, "--man", page, &(cli_choices){"page", names, NULL},
                           &which));
    if (which == 0) return man_cairn();
    return which == 1 ? man_formats(job) : man_verb(cli_verb_at(which - 2));
}
