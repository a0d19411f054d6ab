// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `cairn format --json`.

#include "format_view.h"
#include "json.h"

#include <string.h>

/// Append, or make the whole list NULL: one failure is the failure of all.
static json_t *append(json_t *list, json_t *item)
{
    if (list && json_array_append_new(list, item) == 0) return list;
    json_decref(list);
    return NULL;
}

static json_t *known(bool is_known, int64_t value)
{
    return is_known ? json_integer(value) : json_null();
}

static json_t *
level_object(const cli_format_view *view, const cairn_level_info *info, int level)
{
    return json_pack(
        "{s:i, s:s, s:s, s:o, s:o, s:o, s:b, s:b, s:b, s:b}", "level", level, "expr",
        info->expr, "kind", info->kind, "lo", known(info->sized, info->lo), "size",
        known(info->sized, info->extent), "nodes",
        known(view->tensor != NULL, info->nodes), "merged", info->merged, "trimmed",
        info->trimmed, "ptr", info->has_ptr, "idx", info->has_idx);
}

static json_t *members(const cli_format_view *view)
{
    json_t *list = json_array();

    for (int m = 0; m < cairn_format_members(view->format); m++) {
        const cairn_level_info *info;
        const int               n      = cli_format_view_levels(view, m, &info);
        json_t                 *levels = json_array();

        for (int l = 0; l < n; l++)
            levels = append(levels, level_object(view, &info[l], l));
        list = append(list, json_pack("{s:s, s:o}", "encoding",
                                      cairn_format_member(view->format, m), "levels",
                                      levels));
    }
    return list;
}

/// What all parts take together, and what the baseline would.
static json_t *totals(const cli_format_view *view)
{
    return json_pack(
        "{s:I, s:I, s:I, s:{s:s, s:I}}", "nnz", (json_int_t)view->total.nnz, "values",
        (json_int_t)view->total.values, "bytes", (json_int_t)view->total.bytes,
        "baseline", "format", view->total.baseline, "bytes",
        (json_int_t)view->total.baseline_bytes);
}

/// Add the elements to an array's object if they are to be shown.
static cairn_status
add_elements(const cli_format_view *view, int64_t part, int k, json_t *array)
{
    const char *text = cli_format_view_elements(view, part, k);

    if (!text) return CAIRN_OK;
    json_t *values = json_loads(text, JSON_DECODE_ANY, NULL);

    if (json_object_set_new(array, "values", values) == 0) return CAIRN_OK;
    return cli_fail(view->job, CAIRN_NO_MEMORY, "format: --arrays: out of memory");
}

static cairn_status arrays(const cli_format_view *view, int64_t part, json_t *list)
{
    cairn_array_info info = CAIRN_ARRAY_INFO;

    for (int k = 0; cli_format_view_array(view, part, k, &info); k++) {
        json_t *array =
            json_pack("{s:i, s:s, s:i, s:I, s:I}", "level", info.level, "kind",
                      info.kind, "bits", info.bits, "length", (json_int_t)info.length,
                      "bytes", (json_int_t)info.bytes);
        if (info.stored) json_object_set_new(array, "val", json_string(info.stored));
        if (info.error > 0)
            json_object_set_new(array, "val_error", json_real(info.error));
        const cairn_status status = add_elements(view, part, k, array);

        json_array_append_new(list, array);
        CLI_TRY(status);
    }
    return CAIRN_OK;
}

static cairn_status parts(const cli_format_view *view, json_t *list)
{
    for (int64_t p = 0; p < view->parts; p++) {
        json_t *part = cli_json_part(&view->part[p]);

        if (!part || json_object_set_new(part, "arrays", json_array()) != 0
            || json_array_append(list, part) != 0) {
            json_decref(part);
            return cli_fail(view->job, CAIRN_NO_MEMORY,
                            "format: report: out of memory");
        }
        json_decref(part);
        CLI_TRY(arrays(view, p, json_object_get(part, "arrays")));
    }
    return CAIRN_OK;
}

cairn_status cli_format_json(const cli_format_view *view)
{
    json_t *object = json_pack("{s:s, s:o}", "format", cairn_format_text(view->format),
                               "members", members(view));

    if (object && view->path
        && json_object_update_new(
               object,
               json_pack("{s:o, s:o, s:s?, s:o}", "path", cli_json_path(view->path),
                         "work", cli_format_path_work(view), "rates",
                         cairn_path_rates(cli_format_path_done(view)), "program",
                         cli_json_program(cli_format_path_done(view))))
               != 0) {
        json_decref(object);
        object = NULL;
    }
    if (object && view->tensor) {
        json_t            *list   = json_array();
        const cairn_status status = parts(view, list);

        if (status != CAIRN_OK) {
            json_decref(list);
            json_decref(object);
            return status;
        }
        if (json_object_set_new(object, "parts", list) != 0
            || json_object_update_new(object, totals(view)) != 0) {
            json_decref(object);
            object = NULL;
        }
    }
    return cli_json_write(view->job, object);
}
