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

/// One line, without blanks at its end. Range and nodes are known with a file only.
static void
print_level(const cli_format_view *view, const cairn_level_info *info, int level)
{
    printf("  %-5d  %-14s  %-10s  %-5s  %-4s", level, info->expr, info->kind,
           info->merged ? "yes" : "-", info->trimmed ? "yes" : "-");
    if (!view->tensor) {
        printf("  %s\n", arrays_of(info));
        return;
    }
    char range[48] = "-", nodes[24] = "-";

    if (info->sized && info->size > 0)
        snprintf(range, sizeof range, "%" PRId64 "..%" PRId64, info->lo,
                 info->lo + info->size - 1);
    if (info->has_ptr || info->has_idx || info->nodes > 0)
        snprintf(nodes, sizeof nodes, "%" PRId64, info->nodes);
    printf("  %-7s  %-16s  %s\n", arrays_of(info), range, nodes);
}

static void print_members(const cli_format_view *view)
{
    const int members = cairn_format_members(view->format);

    for (int m = 0; m < members; m++) {
        const cairn_level_info *info;
        const int               n = cli_format_view_levels(view, m, &info);

        if (members > 1)
            printf("\nmember %d  %s\n", m, cairn_format_member(view->format, m));
        printf("  level  index           kind        merge  trim  arrays%s\n",
               view->tensor ? "   range             nodes" : "");
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
    printf(": %s, %s\n", cli_word_entries(part->nnz).text,
           cli_word_bytes(part->bytes).text);
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
