// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `cairn format` for people.

#include "format_view.h"
#include "words.h"

#include <inttypes.h>
#include <stdio.h>

static const char *arrays_of(const cairn_level_info *info)
{
    if (info->has_ptr && info->has_idx) return "ptr idx";
    return info->has_ptr ? "ptr" : info->has_idx ? "idx" : "-";
}

static void
print_level(const cli_format_view *view, const cairn_level_info *info, int level)
{
    char range[48] = "", nodes[24] = "";

    if (info->sized)
        snprintf(range, sizeof range, "%" PRId64 "..%" PRId64, info->lo,
                 info->lo + info->size - 1);
    if (view->tensor) snprintf(nodes, sizeof nodes, "%" PRId64, info->nodes);
    printf("  %-5d  %-12s  %-10s  %-7s  %-6s  %-7s  %-14s  %s\n", level, info->expr,
           info->kind, arrays_of(info), info->merged ? "merged" : "",
           info->trimmed ? "trimmed" : "", range, nodes);
}

static void print_members(const cli_format_view *view)
{
    const int members = cairn_format_members(view->format);

    for (int m = 0; m < members; m++) {
        const cairn_level_info *info;
        const int               n = cli_format_view_levels(view, m, &info);

        if (members > 1)
            printf("\nmember %d  %s\n", m, cairn_format_member(view->format, m));
        printf("  level  index         kind        arrays%s\n",
               view->tensor ? "                     range           nodes" : "");
        for (int l = 0; l < n; l++)
            print_level(view, &info[l], l);
    }
}

static void print_array(const cairn_array_info *info, const char *elements)
{
    char name[32];

    if (info->level < 0)
        snprintf(name, sizeof name, "%s", info->kind);
    else
        snprintf(name, sizeof name, "%s%d", info->kind, info->level);
    printf("  %-8s %3d bits x %-12" PRId64 " %s\n", name, info->bits, info->length,
           cli_word_bytes(info->bytes).text);
    if (elements) printf("           %s\n", elements);
}

static void print_part(const cairn_part_info *part)
{
    printf("\npart  member %d, rank %d", part->member, part->rank);
    if (part->share) printf(", share %d", part->share);
    if (part->bank >= 0) printf(", bank %" PRId64, part->bank);
    printf(": %" PRId64 " entries, %s\n", part->nnz, cli_word_bytes(part->bytes).text);
}

static cairn_status print_parts(const cli_format_view *view)
{
    cairn_array_info info;

    for (int64_t p = 0; p < view->parts; p++) {
        print_part(&view->part[p]);
        for (int k = 0; cli_format_view_array(view, p, k, &info); k++) {
            char *elements;

            CLI_TRY(cli_format_view_elements(view, p, k, &elements));
            print_array(&info, elements);
            cairn_text_free(view->job->context, &elements);
        }
    }
    return CAIRN_OK;
}

cairn_status cli_format_print(const cli_format_view *view)
{
    printf("%s\n", cairn_format_text(view->format));
    print_members(view);
    return print_parts(view);
}
