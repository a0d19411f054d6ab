// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `cairn format --path`: the rewrite rules from another format to this one.

#include "cli/format/format_view.h"
#include "cli/output/json.h"
#include "cli/output/visits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

json_t *cli_format_path_work(const cli_format_view *view)
{
    json_t *list = json_array();

    for (int k = 0; k < cairn_path_steps(view->path) && list; k++) {
        const cairn_path_step step = cairn_path_at(view->path, k);

        if (json_array_append_new(
                list, json_pack("{s:s, s:f, s:f, s:i, s:f}", "rule", step.rule, "bytes",
                                step.bytes, "operations", step.operations, "passes",
                                step.passes, "memory", step.memory))
            != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

const cairn_path *cli_format_path_done(const cli_format_view *view)
{
    return view->tensor ? cairn_tensor_path(view->tensor) : view->path;
}

/// How an interpreted pass went: the class of its query, and what a query without one
/// looked at.
static void print_interpreted(const cairn_pass_info *pass)
{
    if (!pass->interpreted) return;
    printf(" (interpreted");
    if (pass->query_class) printf(", %s", pass->query_class);
    if (pass->query_class && strcmp(pass->query_class, "other") == 0)
        printf(", visits %" PRId64 " positions", pass->visits);
    printf(")");
}

/// What else would have done the passes of a method, once for each method and member.
static void print_alternatives(const cairn_path *path)
{
    for (int k = 0; k < cairn_path_passes(path); k++) {
        const cairn_pass_info pass = cairn_path_pass(path, k);
        const cairn_pass_info before =
            cairn_path_pass(path, k > 0 ? k - 1 : 0); /* of itself, the first */
        double bytes = 0;

        if (pass.alternatives == 0
            || (k > 0 && before.alternatives > 0 && before.member == pass.member
                && before.into == pass.into))
            continue;
        for (int j = k; j < cairn_path_passes(path); j++) {
            const cairn_pass_info next = cairn_path_pass(path, j);

            if (next.member == pass.member && next.into == pass.into)
                bytes += next.bytes;
        }
        printf("  %s: %.0f bytes an entry; other methods:", pass.method, bytes);
        for (int n = 0; n < pass.alternatives; n++) {
            const cairn_pass_alternative a = cairn_path_alternative(path, k, n);

            printf("%s %s %.0f (%s)", n ? "," : "", a.method, a.bytes,
                   cli_word_seconds(a.seconds).text);
        }
        printf("\n");
    }
}

/// What passes assume, and what goes on where that does not hold.
static void print_assumptions(const cairn_path *path)
{
    for (int k = 0; k < cairn_path_passes(path); k++) {
        char              otherwise[CAIRN_PASS_OTHERWISE];
        const char *const assumes = cairn_path_assumes(path, k, otherwise);

        if (assumes)
            printf("  %s: if %s; otherwise %s\n", cairn_path_pass(path, k).pass,
                   assumes, otherwise);
    }
}

/// One line a pass: what did it, what it did, and what it wrote.
static void print_program(const cairn_path *path)
{
    if (cairn_path_passes(path) == 0) return;
    printf("  %-6s  %-11s  %-8s  %-5s  %-8s  %5s  %-8s  %6s  %s\n", "member", "method",
           "pass", "unit", "rule", "index", "stores", "bytes", "arrays");
    for (int k = 0; k < cairn_path_passes(path); k++) {
        const cairn_pass_info pass = cairn_path_pass(path, k);
        char                  member[16], index[16];

        snprintf(member, sizeof member,
                 pass.into         ? "to %d"
                 : pass.member < 0 ? "all"
                                   : "%d",
                 pass.into ? pass.into : pass.member);
        snprintf(index, sizeof index, pass.index < 0 ? "-" : "%d", pass.index);
        printf("  %-6s  %-11s  %-8s  %-5s  %-8s  %5s  %-8s  %6.0f  %s", member,
               pass.method, pass.pass, pass.unit, pass.rule ? pass.rule : "-", index,
               pass.stores ? pass.stores : "-", pass.bytes,
               pass.arrays[0] ? pass.arrays : "-");
        if (cairn_path_device(path, k)) printf(", on %s", cairn_path_device(path, k));
        print_interpreted(&pass);
        printf("\n");
    }
    print_assumptions(path);
    print_alternatives(path);
    printf("\n");
}

static int widest_rule(const cairn_path *path)
{
    int width = 4;

    for (int k = 0; k < cairn_path_steps(path); k++) {
        const int length = (int)strlen(cairn_path_at(path, k).rule);

        if (length > width) width = length;
    }
    return width;
}

static void print_step(const cairn_path_step *step, int width)
{
    printf("  %-*s  %6.0f  %6.0f  %6.0f  %s\n", width, step->rule, step->bytes,
           step->operations, step->memory, step->sentence);
}

/// What the numbers mean, and their sum.
static void print_total(const cli_format_view *view, double bytes)
{
    cli_paragraph paragraph;
    double        next;
    const int     routes = cairn_path_routes(view->path, &next);

    cli_paragraph_begin(&paragraph, 0, 0);
    cli_paragraph_say(
        &paragraph,
        "Planned, for each stored entry: bytes read and written, "
        "operations, bytes held while the rule runs. In all %.0f bytes an "
        "entry",
        bytes);
    if (view->tensor)
        cli_paragraph_say(
            &paragraph, ", %s for the %" PRId64 " entries of this file",
            cli_word_bytes((int64_t)(bytes * (double)view->total.nnz)).text,
            view->total.nnz);
    cli_paragraph_say(&paragraph, "; reading the old arrays and filling the new ones "
                                  "are left out.");
    if (routes > 1)
        cli_paragraph_say(&paragraph,
                          " It is the best of %d routes: the next moves %.0f bytes an "
                          "entry.",
                          routes, next);
    cli_paragraph_end(&paragraph);
}

/// Whose rates chose the program, which without a file is the same on every machine.
static void print_rates(const cli_format_view *view)
{
    const char *const rates = cairn_path_rates(cli_format_path_done(view));

    if (!rates) return;
    if (strcmp(rates, "learned") == 0)
        printf("Chosen by rates measured on this machine (learned: `cairn devices\n"
               "--models` prints them; CAIRN_COST=shipped goes without).\n\n");
    else if (view->tensor)
        printf("Chosen by shipped rates: fewer than 10^6 entries, nothing measured on\n"
               "this machine, or CAIRN_COST=shipped.\n\n");
    else
        printf(
            "Chosen by shipped rates, for 10^6 entries in 10^3 rows. With a FILE the\n"
            "program is what ran there, by rates measured on this machine if any\n"
            "were.\n\n");
}

void cli_format_path_print(const cli_format_view *view)
{
    const int steps = cairn_path_steps(view->path), width = widest_rule(view->path);
    double    bytes = 0;

    for (int k = 0; k < steps; k++)
        printf("%s%s", k ? " " : "", cairn_path_at(view->path, k).rule);
    printf("%s\n\n", steps ? "" : "(nothing changes)");
    if (!steps) return;
    printf("  %-*s  %6s  %6s  %6s\n", width, "rule", "bytes", "ops", "memory");
    for (int k = 0; k < steps; k++) {
        const cairn_path_step step = cairn_path_at(view->path, k);

        print_step(&step, width);
        bytes += step.bytes;
    }
    printf("\n");
    print_total(view, bytes);
    printf("\n");
    print_program(cli_format_path_done(view));
    print_rates(view);
    cli_visits_print(cli_format_path_done(view));
}
