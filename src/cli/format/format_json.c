// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `cairn format --json`.

#include "cli/format/format_view.h"
#include "cli/output/json.h"

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
        list =
            append(list, json_pack("{s:s, s:s?, s:o}", "encoding",
                                   cairn_format_member(view->format, m), "distribution",
                                   cairn_format_distribution(view->format, m), "levels",
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

/// The arrays of a part, without their elements.
static json_t *arrays(const cli_format_view *view, int64_t part)
{
    json_t          *list = json_array();
    cairn_array_info info = CAIRN_ARRAY_INFO;

    for (int k = 0; cli_format_view_array(view, part, k, &info); k++) {
        json_t *array =
            json_pack("{s:i, s:s, s:i, s:I, s:I}", "level", info.level, "kind",
                      info.kind, "bits", info.bits, "length", (json_int_t)info.length,
                      "bytes", (json_int_t)info.bytes);
        if (info.stored) json_object_set_new(array, "val", json_string(info.stored));
        if (info.error > 0)
            json_object_set_new(array, "val_error", json_real(info.error));
        list = append(list, array);
    }
    return list;
}

static json_t *parts(const cli_format_view *view)
{
    json_t *list = json_array();

    for (int64_t p = 0; p < view->parts; p++)
        list =
            append(list, json_pack("{s:o, s:o}", "part", cli_json_part(&view->part[p]),
                                   "arrays", arrays(view, p)));
    return list;
}

/// What stands before the parts.
static json_t *head(const cli_format_view *view)
{
    json_t *object = json_pack(
        "{s:s, s:s?, s:o}", "format", cairn_format_text(view->format), "distribution",
        cairn_format_distribution(view->format, -1), "members", members(view));

    if (!object || !view->path) return object;
    if (json_object_update_new(
            object,
            json_pack("{s:o, s:o, s:s?, s:o}", "path", cli_json_path(view->path),
                      "work", cli_format_path_work(view), "rates",
                      cairn_path_rates(cli_format_path_done(view)), "program",
                      cli_json_program(cli_format_path_done(view))))
        == 0)
        return object;
    json_decref(object);
    return NULL;
}

/// What is printed, but for elements: these are text already, as many as the tensor has,
/// and go to the file as they are.
typedef struct report {
    const cli_format_view *view;
    json_t                *head, *parts, *totals; ///< The last two NULL without tensor.
} report;

/// Print a list of numbers, a blank after each comma as everywhere.
static void print_elements(const char *text, FILE *file)
{
    while (*text) {
        const size_t length = strcspn(text, ",");

        fwrite(text, 1, length, file);
        text += length;
        if (*text++ == '\0') return;
        fputs(", ", file);
    }
}

static bool print_part(const report *r, int64_t p, FILE *file)
{
    const json_t *const part   = json_array_get(r->parts, (size_t)p);
    const json_t *const arrays = json_object_get(part, "arrays");
    bool                whole;

    fputs(p ? ", {" : "{", file);
    whole = cli_json_embed(json_object_get(part, "part"), file);
    fputs(", \"arrays\": [", file);
    for (size_t k = 0; k < json_array_size(arrays) && whole; k++) {
        const char *text = cli_format_view_elements(r->view, p, (int)k);

        fputs(k ? ", {" : "{", file);
        whole = cli_json_embed(json_array_get(arrays, k), file);
        if (text) {
            fputs(", \"values\": ", file);
            print_elements(text, file);
        }
        fputs("}", file);
    }
    fputs("]}", file);
    return whole;
}

static bool print(const void *user, FILE *file)
{
    const report *r = user;

    fputs("{", file);
    bool whole = cli_json_embed(r->head, file);

    if (r->parts) {
        fputs(", \"parts\": [", file);
        for (int64_t p = 0; p < r->view->parts && whole; p++)
            whole = print_part(r, p, file);
        fputs("], ", file);
        whole = whole && cli_json_embed(r->totals, file);
    }
    fputs("}", file);
    return whole && !ferror(file);
}

cairn_status cli_format_json(const cli_format_view *view)
{
    report r = {.view = view, .head = head(view)};

    if (view->tensor) {
        r.parts  = parts(view);
        r.totals = totals(view);
    }
    const bool         there = r.head && (!view->tensor || (r.parts && r.totals));
    const cairn_status status =
        there ? cli_json_print(view->job, print, &r)
              : cli_fail(view->job, CAIRN_NO_MEMORY, "format: report: out of memory");

    json_decref(r.head);
    json_decref(r.parts);
    json_decref(r.totals);
    return status;
}
