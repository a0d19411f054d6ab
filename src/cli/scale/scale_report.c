// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A study as rows (points.csv), as an object (points.json, --json) and as a table.

#include "cli/arguments/values.h"
#include "cli/output/json.h"
#include "cli/output/save.h"
#include "cli/output/words.h"
#include "cli/scale/scale.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/// "measured", or "simulated": by models of devices, or by SimGrid.
static const char *clock_of(const cli_scale_point *point)
{
    return point->size.simulated || point->simgrid ? "simulated" : "measured";
}

static double gflops(const cli_scale_point *point)
{
    return 1e-9 * point->size.flops / point->verdict.seconds.median;
}

/// A text as CSV has it (RFC 4180): in quotes, its own twice.
static void put_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"') fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

/// A number; nothing for none.
static void put_number(FILE *file, double value)
{
    if (isfinite(value))
        fprintf(file, ",%.17g", value);
    else
        fputc(',', file);
}

static void put_numbers(FILE *file, const cli_scale_point *point)
{
    const cli_scale_size    *size = &point->size;
    const cli_scale_verdict *v    = &point->verdict;

    fprintf(file, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%d", size->rows, size->cols,
            size->nnz, point->runs);
    put_number(file, v->seconds.median);
    put_number(file, v->seconds.fastest);
    put_number(file, gflops(point));
    put_number(file, v->speedup);
    put_number(file, v->efficiency);
    fprintf(file, ",%" PRId64 ",%" PRId64 ",%" PRId64, size->halo, size->halo_bytes,
            size->bytes);
    put_number(file, v->imbalance);
    put_number(file, v->share.work);
    put_number(file, v->share.memory);
    put_number(file, v->share.imbalance);
    put_number(file, v->share.exchange);
    put_number(file, v->share.start);
}

static cairn_status write_csv(cli_scale *study)
{
    static const char heads[] =
        "clock,ranks,threads,devices,matrix,rows,cols,nnz,runs,seconds_median,seconds_"
        "min,"
        "gflops,speedup,efficiency,halo,halo_bytes,bytes_per_run,imbalance,"
        "seconds_work,seconds_memory,seconds_imbalance,seconds_exchange,seconds_start,"
        "limit,why,simulator,error\n";
    char     path[PATH_MAX];
    cli_save save;

    CLI_TRY(cli_scale_file(study, "points.csv", path));
    CLI_TRY(cli_save_begin(study->job, path, &save));
    fputs(heads, save.file);
    for (int k = 0; k < study->points; k++) {
        const cli_scale_point *point = &study->point[k];

        fprintf(save.file, "%s,%d,%d,", clock_of(point), point->ranks, point->threads);
        put_text(save.file, point->devices);
        fputc(',', save.file);
        put_text(save.file, point->matrix);
        if (point->runs > 0)
            put_numbers(save.file, point);
        else
            fprintf(save.file, ",,,,0,,,,,,,,,,,,,,");
        fprintf(save.file, ",%s,",
                point->runs > 0 ? cli_scale_limit_word(point->verdict.limit)
                                : "failed");
        put_text(save.file, point->runs > 0 ? point->verdict.sentence : point->failed);
        fputs(point->simgrid ? ",simgrid" : ",", save.file);
        put_number(save.file, point->simgrid && point->runs ? point->error : NAN);
        fputc('\n', save.file);
    }
    return cli_save_end(study->job, &save, CAIRN_OK);
}

/// Of each run its median, in the order in which they were made.
static json_t *medians(const cli_scale_point *point)
{
    json_t *list = json_array();

    for (int k = 0; k < point->runs && list; k++)
        if (json_array_append_new(list, json_real(point->run[k].median)) != 0) {
            json_decref(list);
            list = NULL;
        }
    return list;
}

/// What was run; what a point without runs has, too.
static json_t *place(const cli_scale *study, const cli_scale_point *point)
{
    return json_pack("{s:s, s:s?, s:o, s:i, s:i, s:o, s:o, s:b, s:i, s:o, s:o}",
                     "clock", clock_of(point), "simulator",
                     point->simgrid ? "simgrid" : NULL, "error",
                     cli_json_real(point->simgrid && point->runs ? point->error : NAN),
                     "ranks", point->ranks, "threads", point->threads, "devices",
                     *point->devices ? cli_json_text(point->devices) : json_null(),
                     "matrix", cli_json_text(point->matrix), "crowded",
                     (int)cli_scale_is_crowded(study, point), "runs", point->runs,
                     "seconds", medians(point), "failed",
                     *point->failed ? cli_json_text(point->failed) : json_null());
}

static json_t *result(const cli_scale_point *point)
{
    const cli_scale_size    *size = &point->size;
    const cli_scale_verdict *v    = &point->verdict;
    const cli_scale_shares  *s    = &v->share;

    return json_pack(
        "{s:I, s:I, s:I, s:f, s:f, s:o, s:o, s:o, s:I, s:I, s:I, s:o, s:f, s:f, s:f, "
        "s:f, s:f, s:s, s:s}",
        "rows", (json_int_t)size->rows, "cols", (json_int_t)size->cols, "nnz",
        (json_int_t)size->nnz, "seconds_median", v->seconds.median, "seconds_min",
        v->seconds.fastest, "gflops", cli_json_real(gflops(point)), "speedup",
        cli_json_real(v->speedup), "efficiency", cli_json_real(v->efficiency), "halo",
        (json_int_t)size->halo, "halo_bytes", (json_int_t)size->halo_bytes,
        "bytes_per_run", (json_int_t)size->bytes, "imbalance",
        cli_json_real(v->imbalance), "seconds_work", s->work, "seconds_memory",
        s->memory, "seconds_imbalance", s->imbalance, "seconds_exchange", s->exchange,
        "seconds_start", s->start, "limit", cli_scale_limit_word(v->limit), "why",
        v->sentence);
}

static json_t *points(const cli_scale *study)
{
    json_t *list   = json_array();
    bool    failed = !list;

    for (int k = 0; k < study->points && !failed; k++) {
        const cli_scale_point *point = &study->point[k];
        json_t                *one   = place(study, point);

        if (point->runs > 0) {
            json_t *more = result(point);

            failed |= json_object_update(one, more) != 0;
            json_decref(more);
        }
        failed |= json_array_append_new(list, one) != 0;
    }
    if (!failed) return list;
    json_decref(list);
    return NULL;
}

/// Of what the study is: "spmv", "solve cg".
static void name_operation(const cli_scale *study, char *text, size_t size)
{
    const char *const *word = study->settings.words;

    if (strcmp(word[0], "run") == 0) word++;
    text[0] = '\0';
    for (int k = 0; word[k]; k++)
        snprintf(text + strlen(text), size - strlen(text), "%s%s", k ? " " : "",
                 word[k]);
}

static json_t *object(const cli_scale *study)
{
    const cli_scale_settings *settings = &study->settings;
    char                      op[256];

    name_operation(study, op, sizeof op);
    return json_pack(
        "{s:s, s:o, s:s, s:o, s:o, s:i, s:i, s:o}", "op", op, "matrix",
        cli_json_text(settings->matrix), "scaling", settings->weak ? "weak" : "strong",
        "folder", cli_json_text(settings->folder), "processors",
        settings->processors ? json_integer(settings->processors) : json_null(),
        "runs_made", study->fresh, "runs_kept", study->kept, "points", points(study));
}

static cairn_status write_json(cli_scale *study, const json_t *all)
{
    char     path[PATH_MAX];
    cli_save save;

    CLI_TRY(cli_scale_file(study, "points.json", path));
    CLI_TRY(cli_save_begin(study->job, path, &save));
    const bool written =
        json_dumpf(all, save.file, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) == 0
        && fputc('\n', save.file) != EOF;

    return cli_save_end(study->job, &save,
                        written ? CAIRN_OK
                                : cli_fail(study->job, CAIRN_IO, "write: %s", path));
}

static void print_point(const cli_scale *study, const cli_scale_point *point)
{
    const cli_scale_verdict *v = &point->verdict;

    printf("  %5d%s  %7d  ", point->ranks,
           point->simgrid                       ? "~"
           : cli_scale_is_crowded(study, point) ? "*"
                                                : " ",
           point->threads);
    if (study->settings.devices.count > 1) printf("%-12s  ", point->devices);
    if (point->runs == 0) {
        printf("failed\n");
        return;
    }
    printf("%-14s  %-10s  %-10s  %7.2f  %9.0f %%  %-10s  %9.2f  %s\n",
           cli_word_entries(point->size.nnz).text,
           cli_word_seconds(v->seconds.median).text,
           cli_word_seconds(v->seconds.fastest).text, v->speedup, 100 * v->efficiency,
           cli_word_bytes(point->size.halo_bytes).text, v->imbalance,
           cli_scale_limit_word(v->limit));
}

/// Why each point takes what it does.
static void print_sentences(const cli_scale *study)
{
    putchar('\n');
    for (int k = 0; k < study->points; k++) {
        const cli_scale_point *point = &study->point[k];
        cli_paragraph          paragraph;

        const int column = printf("%d x %d ", point->ranks, point->threads);

        cli_paragraph_begin(&paragraph, column, 4);
        if (*point->devices) cli_paragraph_say(&paragraph, "on %s ", point->devices);
        if (point->simgrid) cli_paragraph_say(&paragraph, "simulated ");
        if (point->simgrid && point->runs > 0 && isfinite(point->error))
            cli_paragraph_say(&paragraph, "(%+.1f %% beside the measured time) ",
                              100 * point->error);
        if (point->runs > 0) {
            cli_paragraph_say(&paragraph, "%s",
                              cli_scale_limit_word(point->verdict.limit));
            cli_paragraph_say(&paragraph, ": %s%s", point->verdict.sentence,
                              point->size.simulated ? " (simulated devices)" : "");
        } else {
            cli_paragraph_say(&paragraph, "failed: ");
            cli_paragraph_text(&paragraph, point->failed);
        }
        cli_paragraph_end(&paragraph);
    }
}

static void print(const cli_scale *study)
{
    const cli_scale_settings *settings = &study->settings;
    char                      op[256];
    bool                      crowded = false;

    for (int k = 0; k < study->points; k++)
        crowded |= cli_scale_is_crowded(study, &study->point[k]);
    name_operation(study, op, sizeof op);
    printf("%s %s: %s scaling, %" PRId64 " run%s of each point, %d made now\n\n", op,
           settings->matrix, settings->weak ? "weak" : "strong", settings->repeat,
           settings->repeat == 1 ? "" : "s", study->fresh);
    printf("  ranks   threads  %smatrix          median      least       speedup   "
           "efficiency  halo        imbalance  limit\n",
           settings->devices.count > 1 ? "devices       " : "");
    for (int k = 0; k < study->points; k++)
        print_point(study, &study->point[k]);
    print_sentences(study);
    if (settings->platform)
        printf("\n~ simulated by SimGrid, by %s\n", settings->platform);
    if (crowded)
        printf("\n* more threads than the %d processors\n", settings->processors);
    printf("\nin %s: points.csv, points.json\n", settings->folder);
}

cairn_status cli_scale_report(cli_scale *study)
{
    json_t *const all = object(study);

    if (!all)
        return cli_fail(study->job, CAIRN_NO_MEMORY, "report: %s: out of memory",
                        study->settings.folder);
    cairn_status status = write_csv(study);

    if (status == CAIRN_OK) status = write_json(study, all);
    if (status == CAIRN_OK && cli_given(study->job, CLI_JSON))
        return cli_json_write(study->job, all);
    if (status == CAIRN_OK) print(study);
    json_decref(all);
    return status;
}
