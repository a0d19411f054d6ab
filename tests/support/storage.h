// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Building small tensors in any format, and reading their arrays as text.

#ifndef CAIRN_TESTS_SUPPORT_STORAGE_H
#define CAIRN_TESTS_SUPPORT_STORAGE_H

#include <cairn/cairn.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/// Figure 1a of the UniSparse paper.
static const int64_t figure_extent[2] = {5, 4};
static const int64_t figure_coord[12] = {0, 0, 1, 1, 2, 1, 2, 2, 2, 3, 4, 3};
static const double  figure_value[6]  = {1, 2, 3, 4, 5, 6};

/// Append formatted text to @p out of @p size bytes.
#define APPEND(out, size, ...) \
    snprintf((out) + strlen(out), (size)-strlen(out), __VA_ARGS__)

/// All arrays of a tensor, "ptr1=[0,1] idx1=[0] val=[1]", parts separated by " | ".
static inline void
arrays_text(cairn_context *context, const cairn_tensor *tensor, char *out, size_t size)
{
    cairn_part_info *parts;
    int64_t          count;

    out[0] = '\0';
    if (cairn_tensor_parts(tensor, &count, &parts) != CAIRN_OK) return;
    for (int64_t p = 0; p < count; p++) {
        cairn_array_info info = CAIRN_ARRAY_INFO;
        char            *text;

        if (p) APPEND(out, size, " | ");
        for (int k = 0;
             cairn_tensor_array(tensor, parts[p].local, k, &info) == CAIRN_OK; k++) {
            if (cairn_tensor_array_text(tensor, parts[p].local, k, &text) != CAIRN_OK)
                break;
            if (info.level < 0)
                APPEND(out, size, "%s%s=%s", k ? " " : "", info.kind, text);
            else
                APPEND(out, size, "%s%s%d=%s", k ? " " : "", info.kind, info.level,
                       text);
            cairn_text_free(context, &text);
        }
    }
    cairn_parts_free(tensor, &parts);
}

#endif
