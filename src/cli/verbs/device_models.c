// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Cost models, for people and as JSON.

#include "cli/verbs/device_models.h"

#include "cli/arguments/values.h"
#include "cli/output/json.h"
#include "cli/output/words.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    cairn_cost_model_info *model; ///< [models]
    int                    models;
    char                  *file, *note;
} view;

/// A number that a model has, else null.
static json_t *real_or_null(double value, int there)
{
    return there ? cli_json_real(value) : json_null();
}

static json_t *describe(const cairn_cost_model_info *m)
{
    const int modelled = strcmp(m->clock, "simulated") == 0;

    return json_pack(
        "{s:s, s:o, s:s, s:o, s:o, s:o, s:I, s:o, s:o}", "device", m->device, "family",
        m->family[0] ? cli_json_text(m->family) : json_null(), "clock", m->clock,
        "launch", real_or_null(m->launch, !modelled), "per_byte",
        real_or_null(m->per_byte, !modelled), "per_entry",
        real_or_null(m->per_entry, !modelled), "count", (json_int_t)m->count, "spread",
        cli_json_real(m->spread), "age", real_or_null(m->age, m->age >= 0));
}

static json_t *object(const view *v)
{
    json_t *list = json_array();

    for (int k = 0; k < v->models; k++)
        if (json_array_append_new(list, describe(&v->model[k])) != 0) {
            json_decref(list);
            return NULL;
        }
    return json_pack("{s:o, s:o, s:o}", "models", list, "file",
                     v->file[0] ? cli_json_text(v->file) : json_null(), "note",
                     v->note[0] ? cli_json_text(v->note) : json_null());
}

static void print_model(const cairn_cost_model_info *m)
{
    if (!m->family[0]) printf("%s\n", m->device);
    if (strcmp(m->clock, "simulated") == 0) {
        printf("  simulated: it says itself what runs take\n");
        return;
    }
    printf("  %10s + %10.4g s/GB", cli_word_seconds(m->launch).text, 1e9 * m->per_byte);
    if (m->per_entry > 0) printf(" + %.3g ns an entry", 1e9 * m->per_entry);
    if (m->count == 0)
        printf("  what is not measured (a guess)\n");
    else
        printf("  %s: %lld measured, +-%.0f %%, %.1f days ago\n", m->family,
               (long long)m->count, 100 * m->spread, m->age / 86400);
}

static void print(const view *v)
{
    const char *device = "";

    for (int k = 0; k < v->models; k++) {
        /* A device that is not here today has no guess to head its models. */
        if (v->model[k].family[0] && strcmp(device, v->model[k].device) != 0)
            printf("%s\n", v->model[k].device);
        device = v->model[k].device;
        print_model(&v->model[k]);
    }
    if (v->note[0])
        printf("%s\n", v->note);
    else
        printf("kept in %s\n", v->file[0] ? v->file : "no file");
}

static cairn_status report(cli_job *job, const view *v)
{
    if (cli_given(job, CLI_JSON)) return cli_json_write(job, object(v));
    print(v);
    return CAIRN_OK;
}

cairn_status cli_device_models(cli_job *job)
{
    view v = {.models = 0};

    CLI_TRY(cairn_devices_models(job->context, &v.models, &v.model));
    cairn_status status = cairn_devices_models_file(job->context, &v.file, &v.note);

    if (status == CAIRN_OK) {
        status = report(job, &v);
        cairn_text_free(job->context, &v.file);
        cairn_text_free(job->context, &v.note);
    }
    cairn_devices_models_free(job->context, &v.model);
    return status;
}
