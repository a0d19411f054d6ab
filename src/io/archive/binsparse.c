// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What an archive says of itself, and whether its arrays are that.

#include "io/archive/binsparse.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

/// A format of the specification, by what it stores.
typedef struct {
    const char *name;
    int         order, major;
    bool        ptr, idx0, idx1;
} row;

static const row rows[] = {
    {"CSR",   2, 0, true,  false, true },
    {"CSC",   2, 1, true,  false, true },
    {"DCSR",  2, 0, true,  true,  true },
    {"DCSC",  2, 1, true,  true,  true },
    {"COO",   2, 0, false, true,  true },
    {"COOR",  2, 0, false, true,  true },
    {"COOC",  2, 1, false, true,  true },
    {"DMAT",  2, 0, false, false, false},
    {"DMATR", 2, 0, false, false, false},
    {"DMATC", 2, 1, false, false, false},
    {"CVEC",  1, 0, false, true,  false},
    {"DVEC",  1, 0, false, false, false},
};

enum { ROWS = sizeof rows / sizeof *rows };

#define BROKEN(m, ...) cairn_archive_refuse((m)->archive, CAIRN_BAD_FILE, __VA_ARGS__)
#define LACKING(m, ...) \
    cairn_archive_refuse((m)->archive, CAIRN_UNSUPPORTED, __VA_ARGS__)

/* ---- the description ---- */

/// Read the text "binsparse". @param[out] root  Of the object of that name.
static cairn_status read_json(const cairn_binsparse *m, json_t **root)
{
    const cairn_archive *archive = m->archive;
    json_error_t         error;
    char                *text;

    CAIRN_TRY(archive->ops->text(archive, "binsparse", &text));
    if (!text && cairn_archive_find(archive, "cairn"))
        return LACKING(m, "it has a format of Cairn's alone, for readers of arrays: "
                          "a .cairn file is read");
    if (!text) return BROKEN(m, "it has no text \"binsparse\" that says what it is");
    *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    cairn_free(archive->env, text);
    if (!*root) return BROKEN(m, "binsparse: column %d: %s", error.column, error.text);
    return CAIRN_OK;
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static cairn_status read_shape(cairn_binsparse *m, const json_t *object, int order)
{
    const json_t *shape = json_object_get(object, "shape");

    if ((int)json_array_size(shape) != order)
        return BROKEN(m, "binsparse: shape: it is not of %d number%s", order,
                      order == 1 ? "" : "s");
    m->shape.order = order;
    for (int k = 0; k < order; k++) {
        const json_t *extent = json_array_get(shape, (size_t)k);

        m->shape.extent[k] = json_integer_value(extent);
        if (!json_is_integer(extent) || m->shape.extent[k] < 0
            || m->shape.extent[k] >= INT64_MAX / 4)
            return BROKEN(m, "binsparse: shape: extent %d is none", k);
    }
    return CAIRN_OK;
}

/// "symmetric_lower" and the like: which triangle is stored, and what its image is.
static cairn_status read_structure(cairn_binsparse *m, const json_t *object)
{
    static const char *const names[] = {"symmetric_lower", "symmetric_upper",
                                        "skew_symmetric_lower", "skew_symmetric_upper"};
    const char *const        text    = text_of(object, "structure");

    if (!json_object_get(object, "structure")) return CAIRN_OK;
    for (int k = 0; text && k < 4; k++)
        if (strcmp(text, names[k]) == 0) {
            m->symmetry = k < 2 ? CAIRN_SYM_SYMMETRIC : CAIRN_SYM_SKEW;
            m->upper    = k % 2;
            if (m->shape.order == 2 && m->shape.extent[0] == m->shape.extent[1])
                return CAIRN_OK;
            return BROKEN(m, "binsparse: structure: it is not square");
        }
    return LACKING(m, "binsparse: structure: %.40s", text ? text : "it is no text");
}

/* ---- the arrays ---- */

/// An array that the format has.
static cairn_status take(cairn_binsparse            *m,
                         const char                 *name,
                         bool                        index,
                         const cairn_archive_array **array)
{
    const cairn_archive_array *a = cairn_archive_find(m->archive, name);

    if (!a) return BROKEN(m, "%s: it is missing", name);
    if (a->dims > 2) return LACKING(m, "%s: it has three dimensions", name);
    if (a->dims > 1 && !(m->val == NULL && !index && !m->idx[0] && !m->idx[1]))
        return BROKEN(m, "%s: it has two dimensions", name);
    if (a->kind == 'c' || a->kind == 'U' || a->kind == 'S')
        return LACKING(m, "%s: complex values, or texts", name);
    if (index && (a->kind == 'f' || a->kind == 'b'))
        return BROKEN(m, "%s: its elements are no integers", name);
    if ((a->bits != 8 && a->bits != 16 && a->bits != 32 && a->bits != 64)
        || (a->kind == 'f' && a->bits == 8))
        return LACKING(m, "%s: elements of %d bits", name, a->bits);
    *array             = a;
    m->used[m->uses++] = a;
    return CAIRN_OK;
}

static cairn_status take_arrays(cairn_binsparse *m, const row *r)
{
    if (r->ptr) CAIRN_TRY(take(m, "pointers_to_1", true, &m->ptr));
    if (r->idx0) CAIRN_TRY(take(m, "indices_0", true, &m->idx[0]));
    if (r->idx1) CAIRN_TRY(take(m, "indices_1", true, &m->idx[1]));
    return take(m, "values", false, &m->val);
}

static cairn_status
expect(const cairn_binsparse *m, const cairn_archive_array *array, int64_t n)
{
    if (!array || array->elements == n) return CAIRN_OK;
    return BROKEN(m, "%s: it has %" PRId64 " elements, not %" PRId64, array->name,
                  array->elements, n);
}

/// Every array is as long as the numbers say, those at the ends of `ptr` included.
static cairn_status check_lengths(cairn_binsparse *m, int64_t declared)
{
    const int64_t lines =
        m->ptr && m->idx[0] ? m->idx[0]->elements : m->shape.extent[m->major];
    __int128 all = 1;

    for (int k = 0; k < m->shape.order; k++)
        all *= m->shape.extent[k];
    const bool full = !m->ptr && !m->idx[0] && !m->idx[1];

    if (full && all > INT64_MAX) return BROKEN(m, "binsparse: shape: too large");
    m->stored = full ? (int64_t)all : declared;
    if (declared != m->stored)
        return BROKEN(m, "binsparse: number_of_stored_values: it is not %" PRId64,
                      m->stored);
    if (m->ptr) CAIRN_TRY(expect(m, m->ptr, lines + 1));
    if (!m->ptr) CAIRN_TRY(expect(m, m->idx[0], m->stored));
    CAIRN_TRY(expect(m, m->idx[1], m->stored));
    if (full && m->iso && m->val->elements != m->stored)
        return LACKING(m, "values: one value for all positions of a dense format");
    if (m->iso && m->val->elements != 1 && m->val->elements != m->stored)
        return BROKEN(m, "values: they are not one");
    /* One row, or one column, lies in both orders. */
    if (m->val->by_columns != (m->val->dims == 2 && m->major == 1)
        && m->val->extent[0] > 1 && m->val->extent[1] > 1)
        return LACKING(m, "values: they lie in another order than the format says");
    return m->iso ? CAIRN_OK : expect(m, m->val, m->stored);
}

/// "iso[float64]": all are one.
static void read_iso(cairn_binsparse *m, const json_t *object)
{
    const char *type = text_of(json_object_get(object, "data_types"), "values");

    m->iso = type && strncmp(type, "iso[", 4) == 0;
}

static cairn_status read_object(cairn_binsparse *m, const json_t *object)
{
    const char *const version = text_of(object, "version");
    const char *const format  = text_of(object, "format");
    const json_t     *stored  = json_object_get(object, "number_of_stored_values");
    int               k       = 0;

    if (!version || !format)
        return BROKEN(m, "binsparse: it has no version, or no format");
    if (strcmp(version, "0.1") != 0 && strcmp(version, "0.1.0") != 0)
        return LACKING(m, "binsparse: version %.20s", version);
    while (k < ROWS && strcmp(format, rows[k].name) != 0)
        k++;
    if (k == ROWS) return LACKING(m, "binsparse: format %.40s", format);
    if (json_is_true(json_object_get(object, "fill")))
        return LACKING(m, "binsparse: fill: other values than 0 that are not stored");
    if (!json_is_integer(stored) || json_integer_value(stored) < 0)
        return BROKEN(m, "binsparse: number_of_stored_values: it is none");
    m->major = rows[k].major;
    CAIRN_TRY(read_shape(m, object, rows[k].order));
    CAIRN_TRY(read_structure(m, object));
    read_iso(m, object);
    CAIRN_TRY(take_arrays(m, &rows[k]));
    return check_lengths(m, json_integer_value(stored));
}

static cairn_status read_description(cairn_binsparse *m)
{
    json_t *root = NULL;

    CAIRN_TRY(read_json(m, &root));
    const json_t      *object = json_object_get(root, "binsparse");
    const cairn_status status =
        object ? read_object(m, object)
               : BROKEN(m, "binsparse: it has no object \"binsparse\"");

    json_decref(root);
    return status;
}

/* ---- MATLAB's ---- */

/// A sparse matrix of MATLAB's: compressed columns, of nothing else than pointers where
/// nothing is stored.
static cairn_status read_matlab(cairn_binsparse *m, int64_t rows)
{
    static const cairn_archive_array nothing = {
        .name = "data", .kind = 'f', .bits = 64};
    const cairn_archive *archive = m->archive;

    m->major = 1;
    CAIRN_TRY(take(m, "jc", true, &m->ptr));
    if (m->ptr->elements < 1) return BROKEN(m, "jc: it is empty");
    m->shape = (cairn_shape){
        .order = 2, .extent = {rows, m->ptr->elements - 1}
    };
    m->val = &nothing;
    if (cairn_archive_find(archive, "ir") || cairn_archive_find(archive, "data")) {
        CAIRN_TRY(take(m, "ir", true, &m->idx[1]));
        CAIRN_TRY(take(m, "data", false, &m->val));
    }
    m->stored = m->val->elements;
    return expect(m, m->idx[1], m->stored);
}

cairn_status cairn_binsparse_describe(cairn_archive *archive, cairn_binsparse *matrix)
{
    *matrix = (cairn_binsparse){.archive = archive, .symmetry = CAIRN_SYM_GENERAL};
    if (archive->matlab_rows >= 0) return read_matlab(matrix, archive->matlab_rows);
    return read_description(matrix);
}
