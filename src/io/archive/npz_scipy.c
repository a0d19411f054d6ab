// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A tensor's arrays as scipy.sparse.load_npz() looks for them.
///
/// Source: SciPy 1.10, scipy/sparse/_matrix_io.py, and the classes' constructors.

#include "io/archive/archive_tensor.h"

#include <stdio.h>
#include <string.h>

/* ---- which class ---- */

static bool is_dimension(const cairn_expr *e, int64_t dimension)
{
    return e->op == CAIRN_EXPR_DIM && e->value == dimension;
}

/// The b of d/b or d%b; 0: it is none.
static int64_t block_of(const cairn_expr *e, cairn_expr_op op, int64_t dimension)
{
    return e->op == op && is_dimension(e->a, dimension) ? e->b->value : 0;
}

/// (d0/p, d1/q, d0%p, d1%q) with whole blocks, compressed by rows of blocks?
static bool is_bsr(const cairn_local *tensor, const cairn_map *map)
{
    const cairn_kernel_part *view = &tensor->part[0].view;

    if (map->count != 4 || view->first != 1 || view->last != 1
        || view->level[0].kind != 0 || view->level[1].kind != 1)
        return false;
    const int64_t p = block_of(map->expr[0], CAIRN_EXPR_DIV, 0),
                  q = block_of(map->expr[1], CAIRN_EXPR_DIV, 1);

    return p > 0 && q > 0 && block_of(map->expr[2], CAIRN_EXPR_MOD, 0) == p
           && block_of(map->expr[3], CAIRN_EXPR_MOD, 1) == q
           && tensor->shape.extent[0] % p == 0 && tensor->shape.extent[1] % q == 0;
}

/// (d1-d0, d0) or (d1-d0, d1), whole diagonals?
static bool is_dia(const cairn_local *tensor, const cairn_map *map)
{
    const cairn_kernel_part *view = &tensor->part[0].view;
    const cairn_expr        *e    = map->expr[0];

    return map->count == 2 && view->first == 0 && view->last == 0
           && e->op == CAIRN_EXPR_SUB && is_dimension(e->a, 1) && is_dimension(e->b, 0)
           && map->expr[1]->op == CAIRN_EXPR_DIM && view->level[1].kind == 0;
}

const char *cairn_scipy_name(const cairn_local *tensor, const char *binsparse)
{
    static const char *const same[][2] = {
        {"CSR", "csr"},
        {"CSC", "csc"},
        {"COO", "coo"}
    };

    for (int k = 0; k < 3; k++)
        if (strcmp(binsparse, same[k][0]) == 0) return same[k][1];
    if (tensor->groups != 1 || tensor->parts != 1 || tensor->shape.order != 2)
        return NULL;
    const cairn_encoding *encoding = tensor->group[0].layout->encoding;

    if (encoding->queries > 0 || encoding->packs > 0) return NULL;
    if (is_bsr(tensor, &encoding->map)) return "bsr";
    return is_dia(tensor, &encoding->map) ? "dia" : NULL;
}

/* ---- arrays ---- */

static cairn_status
add(cairn_archive_list *list, const char *name, cairn_archive_out array)
{
    snprintf(array.name, sizeof array.name, "%s", name);
    return cairn_archive_list_add(list, &array);
}

/// Class and shape.
static cairn_status
add_words(const cairn_local *tensor, const char *name, cairn_archive_list *list)
{
    cairn_archive_out format = {
        .descr = "|S3", .elements = -1, .data = name, .bytes = 3};
    cairn_archive_out shape = {
        .descr = "<i8", .elements = 2, .data = tensor->shape.extent, .bytes = 16};

    CAIRN_TRY(add(list, "format", format));
    return add(list, "shape", shape);
}

/// Values that are all equal have no array of SciPy's: they are repeated.
static cairn_status
spread(const cairn_kernel_part *view, cairn_archive_list *list, cairn_archive_out *data)
{
    const int64_t width = view->val_bits / 8;
    char         *all;

    if (view->val_kind != CAIRN_VALUE_ONE) return CAIRN_OK;
    CAIRN_TRY(cairn_archive_list_block(list, view->values * width, (void **)&all));
    for (int64_t v = 0; v < view->values; v++)
        memcpy(all + v * width, view->val, (size_t)width);
    data->data     = all;
    data->elements = view->values;
    data->bytes    = view->values * width;
    return CAIRN_OK;
}

/// SciPy has element k of a diagonal in column k, of all diagonals alike.
static cairn_status add_diagonals(const cairn_local  *tensor,
                                  cairn_archive_out   data,
                                  cairn_archive_list *list)
{
    const cairn_kernel_part  *view  = &tensor->part[0].view;
    const cairn_kernel_level *level = &view->level[0];
    const cairn_encoding     *e     = tensor->group[0].layout->encoding;
    const int64_t rows = tensor->shape.extent[0], columns = tensor->shape.extent[1];
    const int64_t diagonals = level->nodes, width = view->val_bits / 8;
    char         *moved;

    CAIRN_TRY(add(list, "offsets", cairn_archive_of_idx(level)));
    if (e->map.expr[1]->value == 0) {
        CAIRN_TRY(cairn_archive_list_block(list, diagonals * columns * width,
                                           (void **)&moved));
        for (int64_t k = 0; k < diagonals; k++) {
            const int64_t offset = cairn_load_int(level->idx, k, level->idx_stride,
                                                  level->idx_bits, level->idx_signed);
            const int64_t from   = offset > 0 ? offset : 0,
                          to     = rows + offset < columns ? rows + offset : columns;

            if (from < to)
                memcpy(moved + (k * columns + from) * width,
                       (const char *)data.data + (k * rows + from - offset) * width,
                       (size_t)((to - from) * width));
        }
        data.data  = moved;
        data.bytes = diagonals * columns * width;
    }
    data.elements = diagonals;
    data.inner[0] = columns;
    return add(list, "data", data);
}

cairn_status
cairn_scipy_add(const cairn_local *tensor, const char *name, cairn_archive_list *list)
{
    const cairn_kernel_part *view = &tensor->part[0].view;
    cairn_archive_out        data = cairn_archive_of_values(view);

    CAIRN_TRY(add_words(tensor, name, list));
    CAIRN_TRY(spread(view, list, &data));
    if (strcmp(name, "dia") == 0) return add_diagonals(tensor, data, list);
    if (strcmp(name, "coo") == 0) {
        CAIRN_TRY(add(list, "row", cairn_archive_of_idx(&view->level[0])));
        CAIRN_TRY(add(list, "col", cairn_archive_of_idx(&view->level[1])));
        return add(list, "data", data);
    }
    CAIRN_TRY(add(list, "indptr", cairn_archive_of_ptr(&view->level[1])));
    CAIRN_TRY(add(list, "indices", cairn_archive_of_idx(&view->level[1])));
    if (strcmp(name, "bsr") == 0) {
        data.elements = view->level[1].nodes;
        data.inner[0] = view->level[2].size;
        data.inner[1] = view->level[3].size;
    }
    return add(list, "data", data);
}
