// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Help texts, from the tables of verbs, options and variables.

#include "help.h"

#include "verbs.h"

#include <stdio.h>
#include <string.h>

static const char head[] =
    "Cairn stores sparse tensors in formats that are written as short texts, and "
    "computes\n"
    "with them on one process or many.\n"
    "\n"
    "usage: cairn VERB ... [options]      cairn VERB --help\n"
    "       cairn --version               cairn --options (the CAIRN_* variables)\n"
    "\n"
    "verbs:\n";

static const char tail[] =
    "\n"
    "a worked example:\n"
    "  cairn generate stencil5 --nx 100 --ny 100 -o grid.mtx   a matrix to play with\n"
    "  cairn info grid.mtx --spy grid.png                      its structure, a "
    "picture\n"
    "  cairn format 'bdia<64>'                                 what a format stores\n"
    "  cairn format 'bdia<64>' grid.mtx                        and how many bytes "
    "here\n"
    "  cairn run spmv grid.mtx --format 'bdia<64>' --verify    y = A x, timed, "
    "checked\n"
    "  mpirun -n 4 cairn run spmv grid.mtx --out y.mtx         the same on four ranks\n"
    "\n"
    "A format is a name (csr, coo, ell), a name with arguments (bdia<64>,\n"
    "hybrid<bdia<64>,csr,0.6>), a definition in full (#encoding<{ ... }>), or "
    "FILE:NAME.\n"
    "Exit status: 0 done; 1 right, but it failed here (a file, memory, not verified);\n"
    "2 wrong whatever the machine. Then one line says what, where and why.\n";

void cli_help(void)
{
    const cli_verb *verb;

    fputs(head, stdout);
    for (int k = 0; (verb = cli_verb_at(k)); k++)
        printf("  %-9s %-22s %s\n", verb->name, verb->operands, verb->summary);
    fputs(tail, stdout);
}

static void print_option(cli_option_id id)
{
    const cli_option *option = cli_option_row(id);
    char              name[64];

    snprintf(name, sizeof name, "--%s%s%s", option->name, option->value ? " " : "",
             option->value ? option->value : "");
    printf("  %-20s %s", name, option->help);
    if (option->standard) printf(" [%s]", option->standard);
    putchar('\n');
}

void cli_help_verb(const cli_verb *verb)
{
    cli_option_id id;

    printf("usage: cairn %s%s%s [options]\n\n%s.\n\noptions [default]:\n", verb->name,
           *verb->operands ? " " : "", verb->operands, verb->summary);
    for (int k = 0; (id = cli_verb_option(verb, k)) != CLI_OPTIONS; k++)
        print_option(id);
    printf("\n%s", verb->about);
}

void cli_help_variables(void)
{
    for (int k = 0; cairn_option_name(k); k++)
        printf("%-16s %s [%s]\n", cairn_option_name(k), cairn_option_help(k),
               cairn_option_default(k));
}
