// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Points on SimGrid's ranks. What a product does on each rank, in order, is taken from a
/// trace of as many ranks, crowded on the processors that there are: its bytes and messages
/// are exact, its times are not looked at. Work takes what an entry took at the base.

#include "cli/output/json.h"
#include "cli/output/save.h"
#include "cli/process/child.h"
#include "cli/scale/scale.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PRODUCTS "20" ///< That are simulated.

/// The events of one product on all ranks.
typedef struct product {
    const json_t *events; ///< Of the trace.
    int64_t       number; ///< Which of its products.
    double        bytes;  ///< Of all kernels.
    double        rate;   ///< Seconds of a byte.
} product;

static const char *text_of(const json_t *event, const char *name)
{
    const char *text = json_string_value(json_object_get(event, name));

    return text ? text : "";
}

static int64_t argument(const json_t *event, const char *name)
{
    return json_integer_value(json_object_get(json_object_get(event, "args"), name));
}

static bool is(const json_t *event, const char *category)
{
    return strcmp(text_of(event, "cat"), category) == 0;
}

/// The last product of a trace, and the bytes of its kernels.
static void find_product(product *p)
{
    size_t        k;
    const json_t *event;

    p->number = 0;
    json_array_foreach((json_t *)p->events, k,
                       event) if (is(event, "kernel")
                                  && argument(event, "iteration") > p->number)
        p->number = argument(event, "iteration");
    p->bytes      = 0;
    json_array_foreach((json_t *)p->events, k,
                       event) if (is(event, "kernel")
                                  && argument(event, "iteration") == p->number)
        p->bytes += (double)argument(event, "bytes");
}

/// Write one event as a step of its rank, and add up the rank's work.
/// @return false: it is one that a replay knows nothing of.
static bool put_step(FILE *file, const product *p, const json_t *event, double *work)
{
    const double bytes = (double)argument(event, "bytes");
    const bool   first = json_integer_value(json_object_get(event, "tid")) == 0;
    const char  *name  = text_of(event, "name");
    int          from;

    if (is(event, "message")) return true;
    if (!first) return false;
    if (is(event, "arrival") && sscanf(name, "rows of rank %d", &from) == 1) {
        fprintf(file, "receive %d %" PRId64 "\n", from, argument(event, "bytes"));
        return true;
    }
    if (is(event, "halo") && strcmp(name, "start") == 0) {
        fprintf(file, "start\n");
        return true;
    }
    if (!is(event, "kernel") && !is(event, "halo")) return bytes == 0;
    if (bytes == 0) return true;
    fprintf(file, "compute %.9g\n", bytes * p->rate);
    *work += is(event, "kernel") ? bytes * p->rate : 0;
    return true;
}

/// Write what a rank does. @return NULL, or the event that cannot be replayed.
static const json_t *
put_rank(FILE *file, const product *p, int rank, cli_scale_run *run, int ranks)
{
    size_t        k;
    const json_t *event;
    double        work = 0;

    fprintf(file, "rank %d\n", rank);
    json_array_foreach((json_t *)p->events, k, event)
    {
        if (strcmp(text_of(event, "ph"), "X") != 0
            || argument(event, "iteration") != p->number
            || json_integer_value(json_object_get(event, "pid")) != rank)
            continue;
        if (!put_step(file, p, event, &work)) return event;
    }
    run->mean += work / ranks;
    run->slowest = fmax(run->slowest, work);
    return NULL;
}

/// Write the record that the replay reads.
static cairn_status write_record(cli_scale       *study,
                                 cli_scale_point *point,
                                 const product   *p,
                                 const char      *path)
{
    cli_scale_run *const run     = &point->run[0];
    const json_t        *unknown = NULL;
    cli_save             save;

    *run = (cli_scale_run){.median = 0};
    CLI_TRY(cli_save_begin(study->job, path, &save));
    fprintf(save.file, "cairn-smpi 1 ranks %d\n", point->ranks);
    for (int r = 0; r < point->ranks && !unknown; r++)
        unknown = put_rank(save.file, p, r, run, point->ranks);
    if (unknown)
        snprintf(point->failed, sizeof point->failed,
                 "its product has steps that are not simulated: %s, %s",
                 text_of(unknown, "cat"), text_of(unknown, "name"));
    return cli_save_end(study->job, &save, CAIRN_OK);
}

/// Make the record of a point out of its trace.
static cairn_status make_record(cli_scale             *study,
                                cli_scale_point       *point,
                                const cli_scale_point *base,
                                const char            *path)
{
    char         file[PATH_MAX];
    json_error_t error;

    CLI_TRY(cli_scale_run_file(study, point, CLI_SCALE_RECORD, "trace", file));
    json_t *const trace  = json_load_file(file, 0, &error);
    product       p      = {.events = json_object_get(trace, "traceEvents")};
    cairn_status  status = CAIRN_OK;

    if (json_is_array(p.events)) find_product(&p);
    if (p.bytes > 0 && base->size.nnz > 0) {
        const double entry =
            base->verdict.seconds.mean * base->ranks / (double)base->size.nnz;

        p.rate = entry * (double)point->size.nnz / p.bytes;
        status = write_record(study, point, &p, path);
    } else {
        snprintf(point->failed, sizeof point->failed, "its trace has no kernels");
    }
    json_decref(trace);
    return status;
}

/// The replaying program, beside the command.
static cairn_status find_program(cli_scale *study, char path[PATH_MAX])
{
    static const char name[] = "cairn-smpi";
    const ssize_t     n      = readlink("/proc/self/exe", path, PATH_MAX - sizeof name);

    if (n > 0) {
        path[n] = '\0';
        strcpy(strrchr(path, '/') + 1, name);
        if (access(path, X_OK) == 0) return CAIRN_OK;
    }
    return cli_fail(
        study->job, CAIRN_UNSUPPORTED,
        "option: --simulate: no cairn-smpi beside the command: it was built "
        "where SimGrid's smpicc was not");
}

/// What the replay printed. @return NULL: nothing.
static json_t *read_result(const char *log)
{
    char         line[512];
    json_t      *result = NULL;
    json_error_t error;
    FILE *const  file = fopen(log, "r");

    while (file && !result && fgets(line, sizeof line, file))
        if (*line == '{') result = json_loads(line, 0, &error);
    if (file) fclose(file);
    return result;
}

/// Take the seconds, if the messages are those that the plan has counted.
static void take_result(cli_scale_point *point, const json_t *result, const char *log)
{
    cli_scale_run *const run = &point->run[0];

    run->median         = json_number_value(json_object_get(result, "seconds_median"));
    run->fastest        = json_number_value(json_object_get(result, "seconds_min"));
    const int64_t bytes = json_integer_value(json_object_get(result, "bytes"));

    if (!result || run->median <= 0)
        snprintf(point->failed, sizeof point->failed, "smpirun failed: %.300s says why",
                 log);
    else if (bytes != point->size.halo_bytes)
        snprintf(point->failed, sizeof point->failed,
                 "its steps have %" PRId64 " bytes of messages, the plan has %" PRId64
                 ": not simulated",
                 bytes, point->size.halo_bytes);
    else
        unlink(log);
}

/// Have SimGrid replay a record.
static cairn_status replay(cli_scale *study, cli_scale_point *point, const char *record)
{
    char          program[PATH_MAX], log[PATH_MAX], ranks[16];
    cli_child_end end;

    CLI_TRY(find_program(study, program));
    CLI_TRY(cli_scale_run_file(study, point, CLI_SCALE_RECORD, "log", log));
    snprintf(ranks, sizeof ranks, "%d", point->ranks);
    const char *const words[] = {"smpirun",
                                 "-np",
                                 ranks,
                                 "-platform",
                                 study->settings.platform,
                                 "--cfg=smpi/simulate-computation:no",
                                 "--log=root.thres:error",
                                 program,
                                 record,
                                 PRODUCTS,
                                 NULL};

    CLI_TRY(cli_child_run(study->job,
                          &(cli_child){.words  = (char *const *)words,
                                       .log    = log,
                                       .within = study->settings.within},
                          &end));
    if (end.missing)
        return cli_fail(study->job, CAIRN_IO,
                        "simulate: smpirun: not in PATH (SimGrid, libsimgrid-dev)");
    json_t *const result = end.late ? NULL : read_result(log);

    take_result(point, result, log);
    json_decref(result);
    return CAIRN_OK;
}

/// Have a trace and a report, from the folder or made now.
static cairn_status record(cli_scale *study, cli_scale_point *point)
{
    char trace[PATH_MAX];
    bool taken = false;

    CLI_TRY(cli_scale_run_file(study, point, CLI_SCALE_RECORD, "trace", trace));
    if (access(trace, R_OK) == 0)
        CLI_TRY(cli_scale_take(study, point, CLI_SCALE_RECORD, &taken));
    study->kept += taken;
    return taken ? CAIRN_OK : cli_scale_make(study, point, CLI_SCALE_RECORD);
}

cairn_status cli_scale_simulate(cli_scale *study, cli_scale_point *point)
{
    const cli_scale_point *const base = cli_scale_base(study, point);
    char                         path[PATH_MAX];

    if (!base) {
        snprintf(point->failed, sizeof point->failed,
                 "nothing was measured that has its speed");
        return CAIRN_OK;
    }
    CLI_TRY(cli_scale_run_file(study, point, CLI_SCALE_RECORD, "smpi", path));
    if (strcmp(study->settings.words[0], "solve") == 0) {
        CLI_TRY(cli_scale_skeleton(study, point, base, path));
    } else {
        CLI_TRY(record(study, point));
        if (!*point->failed) CLI_TRY(make_record(study, point, base, path));
    }
    if (!*point->failed) CLI_TRY(replay(study, point, path));
    if (*point->failed) point->runs = 0;
    return CAIRN_OK;
}
