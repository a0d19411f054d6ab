// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `cairn format` for people: text, table of levels, why; with a file arrays and costs.

#include "cli/arguments/values.h"
#include "cli/format/format_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MOST_PARTS 24 ///< Parts that are listed one by one.

/// The arrays that a level adds: "ptr1 idx1", "tuples0", "in tuples0", "-".
static void stores(const cli_format_view  *view,
                   int                     m,
                   int                     l,
                   const cairn_level_info *info,
                   char                    out[64])
{
    const int  k     = info->has_idx ? cli_format_pack_of(view, m, l) : -1;
    const int  first = k >= 0 ? view->storage[m].pack[k].first : 0;
    const bool lists = k >= 0 && view->storage[m].pack[k].lists && l == first + 1;
    int        n     = 0;

    if (info->has_ptr && !lists) n = snprintf(out, 64, "ptr%d", l);
    if (!info->has_idx)
        snprintf(out + n, 64 - (size_t)n, n ? "" : "-");
    else if (k < 0)
        snprintf(out + n, 64 - (size_t)n, "%sidx%d", n ? " " : "", l);
    else
        snprintf(out + n, 64 - (size_t)n, "%s%stuples%d", n ? " " : "",
                 l == first ? "" : "in ", first);
}

/// Number of the pack that holds the values; -1: they are an array.
static int pack_of_values(const cairn_storage_info *storage)
{
    for (int k = 0; k < storage->packs; k++)
        if (storage->pack[k].values) return k;
    return -1;
}

/// Widths of the columns that depend on the format.
typedef struct {
    int index, range, nodes;
} columns;

static void range_of(const cairn_level_info *info, char out[48])
{
    snprintf(out, 48, "-");
    if (info->sized && info->extent > 0)
        snprintf(out, 48, "%" PRId64 "..%" PRId64, info->lo,
                 info->lo + info->extent - 1);
}

static void nodes_of(const cairn_level_info *info, char out[24])
{
    snprintf(out, 24, "-");
    if (info->has_ptr || info->has_idx || info->nodes > 0)
        snprintf(out, 24, "%" PRId64, info->nodes);
}

static int wider(int width, size_t length)
{
    return (int)length > width ? (int)length : width;
}

static columns measure(const cairn_level_info *info, int levels)
{
    columns c = {.index = 5, .range = 5, .nodes = 5};

    for (int l = 0; l < levels; l++) {
        char range[48], nodes[24];

        range_of(&info[l], range);
        nodes_of(&info[l], nodes);
        c.index = wider(c.index, strlen(info[l].expr));
        c.range = wider(c.range, strlen(range));
        c.nodes = wider(c.nodes, strlen(nodes));
    }
    return c;
}

static void print_level(const cli_format_view  *view,
                        int                     m,
                        int                     l,
                        const cairn_level_info *info,
                        const columns          *c)
{
    char array[64], range[48], nodes[24];

    stores(view, m, l, info, array);
    range_of(info, range);
    nodes_of(info, nodes);
    printf("  %-5d  %-*s  %-10s  %-5s  %-4s", l, c->index, info->expr, info->kind,
           info->merged ? "yes" : "-", info->trimmed ? "yes" : "-");
    if (view->tensor) printf("  %*s  %*s", c->range, range, c->nodes, nodes);
    printf("  %s\n", array);
}

static void print_levels(const cli_format_view *view, int m)
{
    const cairn_level_info *info;
    const int               n = cli_format_view_levels(view, m, &info);
    const columns           c = measure(info, n);

    printf("\n  level  %-*s  kind        merge  trim", c.index, "index");
    if (view->tensor) printf("  %*s  %*s", c.range, "range", c.nodes, "nodes");
    printf("  stores\n");
    for (int l = 0; l < n; l++)
        print_level(view, m, l, &info[l], &c);
    if (pack_of_values(&view->storage[m]) < 0)
        printf("  %-*s  val\n",
               33 + c.index + (view->tensor ? 4 + c.range + c.nodes : 0), "values");
    putchar('\n');
}

/// What a hybrid's entries are grouped by, if it has no query of its own.
static void print_groups(const cli_format_view *view)
{
    const cairn_level_info *info;
    const int               n     = cli_format_view_levels(view, 0, &info);
    const char             *comma = "";
    int                     last  = n - 1;

    while (last > 0 && !info[last].has_idx)
        last--;
    printf("\ngroups: positions alike in (");
    for (int l = 0; l <= last; l++) {
        if (info[l].query >= 0) continue;
        printf("%s%s", comma, info[l].expr);
        comma = ", ";
    }
    printf(")\n");
}

static void print_rule(const cli_format_view *view)
{
    char *text;

    if (cairn_format_query(view->format, -1, 0, &text) != CAIRN_OK) {
        print_groups(view);
        return;
    }
    printf("\ngroups and their numbers: %s\n", text);
    cairn_text_free(view->job->context, &text);
}

static cairn_status print_members(const cli_format_view *view)
{
    const int members = cairn_format_members(view->format);

    if (members > 1) print_rule(view);
    for (int m = 0; m < members; m++) {
        if (members > 1)
            printf("\nmember %d  %s\n", m, cairn_format_member(view->format, m));
        print_levels(view, m);
        CLI_TRY(cli_format_explain(view, m));
        if (view->tensor) cli_format_arrays(view, m);
    }
    return CAIRN_OK;
}

static void print_elements(const cli_format_view *view, int64_t p, int k)
{
    cairn_array_info info = CAIRN_ARRAY_INFO;
    cli_paragraph    out;

    cli_format_view_array(view, p, k, &info);
    printf("    %-6s ", cli_format_array_name(info.kind, info.level).text);
    cli_paragraph_begin(&out, 11, 11);
    out.commas = true;
    cli_paragraph_text(&out, cli_format_view_elements(view, p, k));
    cli_paragraph_end(&out);
}

/// Where a part stands, on the axes that the tensor is split along.
static void print_where(const cairn_part_info *part)
{
    printf("part  member %d, rank %d", part->member, part->rank);
    if (part->share) printf(", share %d", part->share);
    if (part->bank >= 0) printf(", bank %" PRId64, part->bank);
    printf(": %s, %s\n", cli_word_entries(part->nnz).text,
           cli_word_bytes(part->bytes).text);
}

static cairn_status print_part(const cli_format_view *view, int64_t p)
{
    cairn_array_info info = CAIRN_ARRAY_INFO;

    print_where(&view->part[p]);
    if (!cli_given(view->job, CLI_ARRAYS)) return CAIRN_OK;
    for (int k = 0; cli_format_view_array(view, p, k, &info); k++)
        print_elements(view, p, k);
    return CAIRN_OK;
}

/// Many parts by their extremes.
static void sum_parts(const cli_format_view *view)
{
    int64_t least = view->part[0].nnz, most = 0;

    for (int64_t p = 0; p < view->parts; p++) {
        const int64_t nnz = view->part[p].nnz;

        if (nnz < least) least = nnz;
        if (nnz > most) most = nnz;
    }
    printf("parts  %" PRId64 ", of %" PRId64 " to %" PRId64
           " entries, %.3g on average\n",
           view->parts, least, most, (double)view->total.nnz / (double)view->parts);
}

/// One part is what was shown already, unless its elements are wanted.
static cairn_status print_parts(const cli_format_view *view)
{
    const bool arrays = cli_given(view->job, CLI_ARRAYS);

    if (view->parts == 0 || (view->parts == 1 && !arrays)) return CAIRN_OK;
    putchar('\n');
    if (view->parts > MOST_PARTS && !arrays) {
        sum_parts(view);
        return CAIRN_OK;
    }
    for (int64_t p = 0; p < view->parts; p++)
        CLI_TRY(print_part(view, p));
    return CAIRN_OK;
}

/// Does each row stand once for each part of the columns?
static bool are_blocks(const cli_format_view *view)
{
    const char *said = cairn_format_distribution(view->format, -1);

    return view->tensor && said && strncmp(said, "blocks", 6) == 0;
}

cairn_status cli_format_print(const cli_format_view *view)
{
    if (view->path) cli_format_path_print(view);
    if (view->path && !view->tensor) return CAIRN_OK;
    printf("%s\n", cairn_format_text(view->format));
    if (cairn_tensor_places(view->tensor) || are_blocks(view))
        printf(
            "rows are renumbered: the arrays are those of the matrix in the order of "
            "places\n");
    CLI_TRY(print_members(view));
    CLI_TRY(print_parts(view));
    if (view->tensor) cli_format_cost(view);
    return CAIRN_OK;
}
