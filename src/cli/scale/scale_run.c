// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One run of a point: the launcher, the command, and the report that it writes.

#include "cli/output/json.h"
#include "cli/process/child.h"
#include "cli/ranks/launcher.h"
#include "cli/scale/scale.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_WORDS 128
#define MOST_TEXT  65536 ///< Bytes of all words together.

/// The words of a program.
typedef struct command {
    char  *word[MOST_WORDS + 1]; ///< NULL ends.
    int    words;
    char   text[MOST_TEXT];
    size_t used;
    bool   full;
} command;

__attribute__((format(printf, 2, 3))) static void
add(command *c, const char *format, ...)
{
    va_list      arguments;
    const size_t room = sizeof c->text - c->used;

    va_start(arguments, format);
    const int n = vsnprintf(c->text + c->used, room, format, arguments);

    va_end(arguments);
    c->full |= n < 0 || (size_t)n >= room || c->words == MOST_WORDS;
    if (c->full) return;
    c->word[c->words++] = c->text + c->used;
    c->used += (size_t)n + 1;
}

/// The launcher as it was named, a word at every blank.
static void add_launcher(command *c, const char *launcher, int ranks)
{
    while (*launcher) {
        const size_t length = strcspn(launcher, " ");

        if (length > 0) add(c, "%.*s", (int)length, launcher);
        launcher += length + (launcher[length] == ' ');
    }
    add(c, "-n");
    add(c, "%d", ranks);
}

/// The command itself, which the runs are of.
static cairn_status add_program(cli_job *job, command *c)
{
    char          path[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);

    if (n <= 0) return cli_fail(job, CAIRN_IO, "start: /proc/self/exe: cannot be read");
    path[n] = '\0';
    add(c, "%s", path);
    return CAIRN_OK;
}

static cairn_status write_command(cli_scale             *study,
                                  const cli_scale_point *point,
                                  const char            *launcher,
                                  const char            *report,
                                  const char            *trace,
                                  command               *c)
{
    cli_job *job = study->job;

    *c = (command){.words = 0};
    add_launcher(c, launcher, point->ranks);
    CLI_TRY(add_program(job, c));
    for (int k = 0; study->settings.words[k]; k++)
        add(c, "%s", study->settings.words[k]);
    add(c, "--threads=%d", point->threads);
    if (*point->devices) add(c, "--devices=%s", point->devices);
    for (int k = 0; cli_scale_passed(k) != CLI_OPTIONS; k++) {
        const cli_option_id id   = cli_scale_passed(k);
        const cli_option   *row  = cli_option_row(id);
        const char         *text = cli_text(job, id);

        if (text) add(c, row->value ? "--%s=%s" : "--%s", row->name, text);
    }
    add(c, "--json=%s", report);
    if (trace) add(c, "--trace=%s", trace);
    add(c, "--");
    add(c, "%s", point->matrix);
    if (c->full)
        return cli_fail(job, CAIRN_BAD_OPTION, "option: --launcher: too many words");
    return CAIRN_OK;
}

/// Work of a rank: parts on one device take turns, devices work at the same time.
static double work_of(const json_t *parts, json_int_t rank)
{
    size_t        p, q;
    const json_t *part, *other;
    double        most = 0;

    json_array_foreach((json_t *)parts, p, part)
    {
        const char *device = json_string_value(json_object_get(part, "device"));
        double      sum    = 0;

        if (json_integer_value(json_object_get(part, "rank")) != rank) continue;
        json_array_foreach((json_t *)parts, q, other)
        {
            const char *its = json_string_value(json_object_get(other, "device"));

            if (json_integer_value(json_object_get(other, "rank")) == rank && device
                && its && strcmp(device, its) == 0)
                sum += json_number_value(json_object_get(other, "seconds"));
        }
        if (sum > most) most = sum;
    }
    return most;
}

static int64_t integer(const json_t *report, const char *name)
{
    return json_integer_value(json_object_get(report, name));
}

/// Numbers of a report. @return false: it is none of this point's.
static bool
read_report(const json_t *report, cli_scale_point *point, cli_scale_run *run)
{
    const json_t *const parts  = json_object_get(report, "parts");
    const json_t *const median = json_object_get(report, "seconds_median");
    const char *const   clock  = json_string_value(json_object_get(report, "clock"));

    *run = (cli_scale_run){
        .median  = json_number_value(median),
        .fastest = json_number_value(json_object_get(report, "seconds_min")),
    };
    if (integer(report, "ranks") != point->ranks || !json_is_number(median)
        || run->median <= 0 || !json_is_array(parts) || !clock)
        return false;
    for (int r = 0; r < point->ranks; r++) {
        const double work = work_of(parts, r);

        run->mean += work / point->ranks;
        if (work > run->slowest) run->slowest = work;
    }
    point->size = (cli_scale_size){
        .rows       = integer(report, "rows"),
        .cols       = integer(report, "cols"),
        .nnz        = integer(report, "nnz"),
        .halo       = integer(report, "halo"),
        .halo_bytes = integer(report, "halo_bytes"),
        .bytes      = integer(report, "bytes_per_run"),
        .flops =
            1e9 * run->median * json_number_value(json_object_get(report, "gflops")),
        .simulated = strcmp(clock, "simulated") == 0,
    };
    return true;
}

/// Did a solver end so? A product has no outcome.
static bool ended(const json_t *report, const char *outcome)
{
    const char *const its = json_string_value(json_object_get(report, "outcome"));

    return its && strcmp(its, outcome) == 0;
}

/// May its times be taken? A solver that was given so many iterations has done them.
static bool is_result(const json_t *report)
{
    return !json_object_get(report, "outcome") || ended(report, "converged")
           || ended(report, "limit");
}

/// Has a solver done all the iterations that it was given? Its status is 1 then.
static bool reached_limit(const char *path)
{
    json_error_t  error;
    json_t *const report = json_load_file(path, 0, &error);
    const bool    is     = ended(report, "limit");

    json_decref(report);
    return is;
}

cairn_status
cli_scale_take(cli_scale *study, cli_scale_point *point, int run, bool *taken)
{
    char         path[PATH_MAX];
    json_error_t error;

    CLI_TRY(cli_scale_run_file(study, point, run, "json", path));
    json_t *const report = json_load_file(path, 0, &error);

    *taken = report && is_result(report)
             && read_report(report, point, &point->run[point->runs]);
    if (*taken) point->runs++;
    json_decref(report);
    return CAIRN_OK;
}

/// The last line of a log, of the command's own if there is one.
static void last_words(const char *log, char *words, size_t size)
{
    static const char own[] = "cairn: ", warning[] = "cairn: warning: ";
    char             *line  = NULL;
    size_t            room  = 0;
    bool              found = false;
    FILE *const       file  = fopen(log, "r");

    words[0] = '\0';
    while (file && getline(&line, &room, file) > 0) {
        const bool is = strncmp(line, own, sizeof own - 1) == 0
                        && strncmp(line, warning, sizeof warning - 1) != 0;

        line[strcspn(line, "\n")] = '\0';
        if (*line == '\0' || (found && !is)) continue;
        snprintf(words, size, "%s", line + (is ? sizeof own - 1 : 0));
        found = is;
    }
    free(line);
    if (file) fclose(file);
}

/// Why a run has no report, or one that is not the point's.
static void explain(cli_scale_point     *point,
                    const cli_child_end *end,
                    const char          *log,
                    double               within)
{
    char words[300];

    last_words(log, words, sizeof words);
    point->wrong = !end->late && !end->signal && end->status == 2;
    if (end->late)
        snprintf(point->failed, sizeof point->failed,
                 "ended after %.3g s, which --within allows it", within);
    else if (end->signal)
        snprintf(point->failed, sizeof point->failed, "ended by signal %d%s%s",
                 end->signal, *words ? ": " : "", words);
    else if (end->status)
        snprintf(point->failed, sizeof point->failed, "%s%s(status %d)", words,
                 *words ? " " : "", end->status);
    else
        snprintf(point->failed, sizeof point->failed,
                 "its report is not one of %d ranks in seconds%s%s", point->ranks,
                 *words ? ": " : "", words);
}

/// Start it by the launcher that was named, else by the first that there is.
static cairn_status start(cli_scale             *study,
                          const cli_scale_point *point,
                          const char            *report,
                          const char            *trace,
                          const char            *log,
                          cli_child_end         *end)
{
    static const char *const standard[] = {"mpirun", "mpiexec", NULL};
    static command           c; /* too large for a stack */
    const char *const        named      = study->settings.launcher;
    const char *const        one[]      = {named, NULL};
    const int                processors = study->settings.processors;

    cli_launcher_prepare(processors > 0
                         && (int64_t)point->ranks * point->threads > processors);
    for (const char *const *l = named ? one : standard; *l; l++) {
        CLI_TRY(write_command(study, point, *l, report, trace, &c));
        CLI_TRY(cli_child_run(
            study->job,
            &(cli_child){.words = c.word, .log = log, .within = study->settings.within},
            end));
        if (!end->missing) return CAIRN_OK;
    }
    return cli_fail(study->job, CAIRN_IO, "launcher: %s: not in PATH (--launcher)",
                    named ? named : "mpirun, mpiexec");
}

cairn_status cli_scale_make(cli_scale *study, cli_scale_point *point, int run)
{
    char          report[PATH_MAX], trace[PATH_MAX], log[PATH_MAX];
    const bool    record = run == CLI_SCALE_RECORD;
    cli_child_end end;
    bool          taken = false;

    CLI_TRY(cli_scale_run_file(study, point, run, "json", report));
    CLI_TRY(cli_scale_run_file(study, point, run, "log", log));
    CLI_TRY(cli_scale_run_file(study, point, run, "trace", trace));
    unlink(report); /* one that could not be taken */
    CLI_TRY(start(study, point, report, record ? trace : NULL, log, &end));
    if (!end.late && end.signal == 0 && (end.status == 0 || reached_limit(report)))
        CLI_TRY(cli_scale_take(study, point, run, &taken));
    if (taken) {
        study->fresh++;
        unlink(log);
    } else {
        unlink(report);
        explain(point, &end, log, study->settings.within);
    }
    return CAIRN_OK;
}
