// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lesson 7: read the arrays of a format that one has never seen. What its levels say of
/// themselves is enough to walk from the top down to the values. This program draws the
/// way: a row of boxes for each level, each box above its children.
///
///     example_07_draw [FORMAT]        csr if nothing is said

#include <cairn/cairn.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 16, LENGTH = 64, COLUMNS = 32, TEXT = 24 };

/* The matrix of docs/formats.md:  1 . . .
 *                                 . 2 . .
 *                                 . 3 4 5
 *                                 . . . .
 *                                 . . . 6  */
static const int64_t extent[2] = {5, 4};
static const int64_t coord[12] = {0, 0, 1, 1, 2, 1, 2, 2, 2, 3, 4, 3};
static const double  value[6]  = {1, 2, 3, 4, 5, 6};

/// Elements of an array; length -1 where the format has no such array.
typedef struct {
    int    length;
    double at[LENGTH];
} array;

/// A part: levels root .. levels-1 with their arrays, and the values.
typedef struct {
    int              root, levels;
    cairn_level_info info[LEVELS];
    array            ptr[LEVELS], idx[LEVELS], val;
} part;

/// Row r is level root + r, the last row the values. A box goes on to the right until
/// another begins or nothing is there.
typedef struct {
    int  rows, columns, width, values;
    bool there[LEVELS + 1][COLUMNS], begins[LEVELS + 1][COLUMNS];
    char text[LEVELS + 1][COLUMNS][TEXT];
} picture;

/// Read "[0,1,2]".
static cairn_status read_array(const char *text, array *a)
{
    char *end;

    for (a->length = 0; *text && text[1] && text[1] != ']'; text = end) {
        if (a->length == LENGTH) return CAIRN_UNSUPPORTED;
        a->at[a->length++] = strtod(text + 1, &end);
    }
    return CAIRN_OK;
}

/// Print the arrays of local part @p number, and keep them. Tuples hold several levels'
/// indices at once and cannot be kept: then @p tuples is set.
static cairn_status load(cairn_context      *context,
                         const cairn_tensor *tensor,
                         int64_t             number,
                         part               *p,
                         bool               *tuples)
{
    cairn_status     status = CAIRN_OK;
    cairn_array_info info   = CAIRN_ARRAY_INFO;
    char            *text, name[TEXT];

    for (int l = 0; l < LEVELS; l++)
        p->ptr[l].length = p->idx[l].length = -1;
    for (int k = 0; !status && !cairn_tensor_array(tensor, number, k, &info); k++) {
        array *a = info.kind[0] == 'p'   ? &p->ptr[info.level]
                   : info.kind[0] == 'i' ? &p->idx[info.level]
                                         : &p->val;

        status = cairn_tensor_array_text(tensor, number, k, &text);
        if (status) break;
        snprintf(name, sizeof name, info.level < 0 ? "%s" : "%s%d", info.kind,
                 info.level);
        printf("  %-7s %s\n", name, text);
        if (!strcmp(info.kind, "tuples"))
            *tuples = true;
        else
            status = read_array(text, a);
        cairn_text_free(context, &text);
    }
    return status;
}

/// The children of node @p p of the level above (of the whole part at the root): nodes
/// *first .. *end-1. This is all that one has to know of the kinds of levels.
static bool children(const part *t, int level, int p, int *first, int *end)
{
    const cairn_level_info *info = &t->info[level];
    const array            *ptr = &t->ptr[level], *idx = &t->idx[level];

    if (!strcmp(info->kind, "dense")) { /* every index, by arithmetic */
        *first = p * (int)info->extent;
        *end   = *first + (int)info->extent;
    } else if (ptr->length >= 0) { /* where ptr says */
        *first = (int)ptr->at[p];
        *end   = (int)ptr->at[p + 1];
    } else if (!strcmp(info->kind, "singleton")) { /* one child, of the same number */
        *first = p;
        *end   = p + 1;
    } else { /* all of them: the top's ptr is [0, nodes] and not stored */
        *first = 0;
        *end   = idx->length >= 0 ? idx->length : (int)info->nodes;
    }
    return idx->length < 0 || *end <= idx->length;
}

/// What stands in the box of node @p q, child number @p k of its parent.
static void label(const part *t, int level, int q, int k, char *text)
{
    const cairn_level_info *info = &t->info[level];
    const array            *idx  = &t->idx[level];
    const int64_t index = idx->length >= 0 ? (int64_t)idx->at[q] : info->lo + k;

    if (index >= info->lo + info->extent)
        snprintf(text, TEXT, "x"); /* a hole: no position of the tensor */
    else
        snprintf(text, TEXT, "%" PRId64, index);
}

/// Draw the nodes under node @p p of the level above, from the next free column on.
static cairn_status walk(const part *t, int level, int p, picture *out)
{
    const int row = level - t->root;
    int       first, end;

    if (level == t->levels) {
        if (out->columns == COLUMNS || p >= t->val.length) return CAIRN_UNSUPPORTED;
        out->there[row][out->columns] = out->begins[row][out->columns] = true;
        snprintf(out->text[row][out->columns], TEXT, t->val.at[p] == 0 ? "." : "%g",
                 t->val.at[p]);
        out->columns++;
        out->values++;
        return CAIRN_OK;
    }
    if (!children(t, level, p, &first, &end)) return CAIRN_UNSUPPORTED;
    for (int q = first; q < end; q++) {
        const int column = out->columns;

        if (column == COLUMNS) return CAIRN_UNSUPPORTED;
        label(t, level, q, q - first, out->text[row][column]);
        out->begins[row][column] = true;

        const cairn_status status = walk(t, level + 1, q, out);

        if (status) return status;
        if (out->columns == column) out->columns++; /* no children: an empty place */
        for (int c = column; c < out->columns; c++)
            out->there[row][c] = true;
    }
    return CAIRN_OK;
}

/// Is there a box in this place, and an upright line before it?
static bool is_there(const picture *p, int row, int c)
{
    return row >= 0 && row < p->rows && c >= 0 && c < p->columns && p->there[row][c];
}
static bool is_edge(const picture *p, int row, int c)
{
    return is_there(p, row, c) ? p->begins[row][c] : is_there(p, row, c - 1);
}

/// One past the last place where a row has something.
static int row_end(const picture *p, int row)
{
    int end = p->columns;

    while (end > 0 && !is_there(p, row, end - 1))
        end--;
    return end;
}

/// The line above a row: at each corner, which of the four ways go on from it?
static void draw_line(const picture *p, int row)
{
    static const char *const corner[16] = {" ", "╵", "╷", "│", "╴", "┘", "┐", "┤",
                                           "╶", "└", "┌", "├", "─", "┴", "┬", "┼"};
    const int                above = row_end(p, row - 1), below = row_end(p, row);
    const int                end = above > below ? above : below;

    for (int c = 0; c <= end; c++) {
        const bool left  = is_there(p, row - 1, c - 1) || is_there(p, row, c - 1);
        const bool right = is_there(p, row - 1, c) || is_there(p, row, c);

        fputs(corner[is_edge(p, row - 1, c) + 2 * is_edge(p, row, c) + 4 * left
                     + 8 * right],
              stdout);
        for (int k = 0; c < end && k < p->width; k++)
            fputs(right ? "─" : " ", stdout);
    }
}

/// The boxes of a row. Returns how many places are left free behind them.
static int draw_row(const picture *p, int row)
{
    const int end = row_end(p, row);

    for (int c = 0, next; c < end; c = next) {
        for (next = c + 1; next < end && !is_edge(p, row, next); next++)
            ;
        const char *text  = p->text[row][c];
        const int   width = (next - c) * (p->width + 1) - 1;
        const int   pad   = (width - (int)strlen(text)) / 2;

        fputs(is_edge(p, row, c) ? "│" : " ", stdout);
        printf("%*s%-*s", pad, "", width - pad, text);
    }
    fputs("│", stdout);
    return p->columns - end;
}

/// The picture, with each level's expression before it and its arrays behind it.
static void draw(const part *t, picture *p)
{
    size_t widest = 3;

    for (int l = t->root; l < t->levels; l++)
        if (strlen(t->info[l].expr) > widest) widest = strlen(t->info[l].expr);
    for (int row = 0; row < p->rows; row++)
        for (int c = 0; c < p->columns; c++)
            if ((int)strlen(p->text[row][c]) + 2 > p->width)
                p->width = (int)strlen(p->text[row][c]) + 2;

    for (int row = 0; row <= p->rows; row++) {
        const int l = t->root + row;

        printf("  %*s ", (int)widest, "");
        draw_line(p, row);
        printf("\n");
        if (row == p->rows) break;
        printf("  %-*s ", (int)widest, l < t->levels ? t->info[l].expr : "val");

        const int free_places = draw_row(p, row);

        if (l < t->levels)
            printf("%*s  %s", free_places * (p->width + 1), "", t->info[l].kind);
        if (l < t->levels && t->ptr[l].length >= 0) printf(" ptr%d", l);
        if (l < t->levels && t->idx[l].length >= 0) printf(" idx%d", l);
        printf("\n");
    }
}

/// Draw one part of member @p member: a bank's tree begins below the levels that
/// partition() took out.
static cairn_status show_part(cairn_context         *context,
                              const cairn_tensor    *tensor,
                              const cairn_part_info *which)
{
    const cairn_format *format = cairn_tensor_format(tensor);
    const char         *banks =
        strstr(cairn_format_member(format, which->member), "partition(");
    part        *t      = calloc(1, sizeof *t);
    picture     *p      = calloc(1, sizeof *p);
    bool         tuples = false;
    cairn_status status = t && p ? CAIRN_OK : CAIRN_NO_MEMORY;

    if (!status) {
        t->levels = cairn_format_levels(format, which->member);
        t->root   = banks ? atoi(banks + strlen("partition(")) + 1 : 0;
        p->rows   = t->levels - t->root + 1;
        p->width  = 3;
        status    = load(context, tensor, which->local, t, &tuples);
    }
    for (int l = 0; !status && l < t->levels; l++) {
        t->info[l].size = sizeof t->info[l];
        status          = cairn_tensor_level(tensor, which->member, l, &t->info[l]);
    }
    if (!status && !tuples) {
        status = walk(t, t->root, 0, p);
        if (!status && p->values != t->val.length) status = CAIRN_NOT_VERIFIED;
        if (!status && p->columns > 0) draw(t, p);
    }
    free(p);
    free(t);
    return status;
}

static cairn_status show(cairn_context *context, const cairn_tensor *tensor)
{
    cairn_part_info *parts  = NULL;
    int64_t          count  = 0;
    cairn_status     status = cairn_tensor_parts(tensor, &count, &parts);

    for (int64_t k = 0; k < count && !status; k++) {
        if (parts[k].bank >= 0)
            printf("bank %" PRId64 "\n", parts[k].bank);
        else if (count > 1)
            printf("member %d\n", parts[k].member);
        status = show_part(context, tensor, &parts[k]);
    }
    cairn_parts_free(tensor, &parts);
    return status;
}

int main(int argc, char **argv)
{
    cairn_context *context = NULL;
    cairn_source  *source  = NULL;
    cairn_format  *format  = NULL;
    cairn_tensor  *tensor  = NULL;
    cairn_status   status  = cairn_context_create(&context);

    if (!status)
        status = cairn_format_create(context, argc > 1 ? argv[1] : "csr", &format);
    if (!status)
        status = cairn_source_from_coords(context, 2, extent, 6, coord, value,
                                          CAIRN_BY_ROWS, &source);
    if (!status) status = cairn_tensor_create(source, format, CAIRN_F64, &tensor);
    if (status && context)
        fprintf(stderr, "%s\n", cairn_context_message(context));
    else if (!status) {
        status = show(context, tensor);
        if (status) fprintf(stderr, "this program cannot draw that format\n");
    }

    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    cairn_format_destroy(&format);
    cairn_context_destroy(&context);
    return status != CAIRN_OK;
}
