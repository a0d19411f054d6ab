// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What `cairn format` shows: a format's levels and, with a file, the parts of all
/// ranks with their arrays. The view is collected on all ranks; rank 0 prints it, as JSON
/// (format_json.c) or for people (format_print.c: tables; format_explain.c: why levels
/// store what they store; format_cost.c: bytes, beside those of CSR). Elements of arrays
/// come along only if they are asked for.

#ifndef CLI_FORMAT_VIEW_H
#define CLI_FORMAT_VIEW_H

#include "cli/arguments/job.h"
#include "cli/output/json.h"
#include "cli/output/words.h"

/// What all parts take together, and what the baseline would.
typedef struct cli_format_total {
    int64_t     nnz, bytes, values;
    const char *baseline;       ///< What bytes are compared with: "CSR" or "COO",
    int64_t     baseline_bytes; ///< which would take so many; 0: not known.
} cli_format_total;

typedef struct cli_format_view {
    cli_job            *job;
    const cairn_format *format;
    const cairn_tensor *tensor; ///< NULL: no file was given.
    const cairn_path   *path;   ///< From --path's format; NULL: it was not given.

    cairn_level_info   *level;   ///< Of all members, one after the other.
    int                 levels;  ///< Of all members.
    cairn_storage_info *storage; ///< [members]
    cairn_part_info    *part;    ///< Of all ranks; NULL without tensor.
    int64_t             parts;
    double             *array;       ///< [parts][most_arrays][numbers of an array]
    int                 most_arrays; ///< Of any part.
    char              **elements;    ///< [parts][most_arrays] with --arrays; else NULL.
    cli_format_total    total;
} cli_format_view;

/// Collect what there is to show. Collective. Pairs with cli_format_view_fini().
cairn_status cli_format_view_init(cli_job            *job,
                                  const cairn_format *format,
                                  const cairn_tensor *tensor,
                                  const cairn_path   *path,
                                  cli_format_view    *view);

void cli_format_view_fini(cli_format_view *view);

/// The levels of a member: their number, and the first.
int cli_format_view_levels(const cli_format_view   *view,
                           int                      member,
                           const cairn_level_info **level);

/// Array @p k of part @p part; false past its last.
bool cli_format_view_array(const cli_format_view *view,
                           int64_t                part,
                           int                    k,
                           cairn_array_info      *info);

/// The elements of an array, as JSON text; NULL: they are not asked for. The view's.
const char *cli_format_view_elements(const cli_format_view *view, int64_t part, int k);

/// "tuples0", "ptr1", "val".
cli_word cli_format_array_name(const char *kind, int level);

/// The number of the pack that holds the idx of level @p l; -1: none.
int cli_format_pack_of(const cli_format_view *view, int member, int l);

/// Say why a member's levels store what they store, and how coordinates come back.
cairn_status cli_format_explain(const cli_format_view *view, int member);

/// Print the arrays of a member, of all ranks and banks together, with their widths.
void cli_format_arrays(const cli_format_view *view, int member);

/// Print bytes, padding, and what to make of them.
void cli_format_cost(const cli_format_view *view);

/// What each rule of the view's path costs; NULL: out of memory.
json_t *cli_format_path_work(const cli_format_view *view);

/// Print the view's path: all rules on one line, then one by one. Rank 0.
void cli_format_path_print(const cli_format_view *view);

/// The path whose passes are shown: that of the tensor, if there is one.
const cairn_path *cli_format_path_done(const cli_format_view *view);

/// Write the JSON object. Rank 0.
cairn_status cli_format_json(const cli_format_view *view);

/// Print the tables. Rank 0.
cairn_status cli_format_print(const cli_format_view *view);

#endif
