// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Binary files of PETSc, read: what is before the arrays, then ranges of them through
/// windows.

#include "io/petsc/io_petsc.h"

#include "io/stream/stream.h"
#include "io/text/io_refuse.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MATRIX = 1211216, ///< Class numbers of PETSc's objects in files.
    VECTOR = 1211214,
    SET    = 1211218, ///< Of indices.
    BAG    = 1211219,
    HEADER = 4,       ///< Integers before the arrays.
    WINDOW = 1 << 15, ///< Elements of an array in memory at a time.
};

static cairn_text_place at_byte(const cairn_petsc *file, int64_t offset)
{
    return (cairn_text_place){.env = file->env, .name = file->name, .offset = offset};
}

/* ---- bytes ---- */

/// A big-endian integer with a sign.
static int64_t load_int(const void *at, int bytes)
{
    uint64_t wide;
    uint32_t narrow;

    if (bytes == 8) {
        memcpy(&wide, at, sizeof wide);
        return (int64_t)__builtin_bswap64(wide);
    }
    memcpy(&narrow, at, sizeof narrow);
    return (int32_t)__builtin_bswap32(narrow);
}

static cairn_status
read_bytes(const cairn_petsc *file, int64_t offset, void *out, int64_t bytes)
{
    size_t got = 0;

    CAIRN_TRY(cairn_read_at(file->env, file->name, file->fd, out, (size_t)bytes, offset,
                            &got));
    CAIRN_CHECK((int64_t)got == bytes, file->env, CAIRN_IO,
                "read: %s: it became shorter while it was read", file->name);
    return CAIRN_OK;
}

/// Is this the number of an object that PETSc has in files?
static bool is_class(int64_t number)
{
    return number == MATRIX || number == VECTOR || number == SET || number == BAG;
}

/// Bytes of an integer of a file that begins so; 0: it is none of PETSc's.
static int width_of(const char magic[8])
{
    if (is_class(load_int(magic, 4))) return 4;
    return is_class(load_int(magic, 8)) ? 8 : 0;
}

cairn_status cairn_petsc_probe(cairn_env *env, const char *path, bool *is)
{
    char      magic[8] = "";
    size_t    got      = 0;
    const int fd       = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    CAIRN_CHECK(fd >= 0, env, CAIRN_IO, "read: %s: %s", path, strerror(errno));
    /* What cannot be read here, a pipe say, is another reader's to refuse. */
    const cairn_status status =
        cairn_read_at(env, path, fd, magic, sizeof magic, 0, &got);

    *is = status == CAIRN_OK && got >= 4 && width_of(magic) > 0;
    close(fd);
    return CAIRN_OK;
}

/* ---- what is before the arrays ---- */

/// Does the matrix end at @p offset: the file, or where another object begins?
static bool may_end_at(const cairn_petsc *file, __int128 offset)
{
    char magic[8];

    if (offset == file->length) return true;
    return offset + file->int_bytes <= file->length
           && read_bytes(file, (int64_t)offset, magic, file->int_bytes) == CAIRN_OK
           && is_class(load_int(magic, file->int_bytes));
}

/// Values are as wide as the file is long. One that is cut in the middle of its values is
/// as long as one of single precision, so that those cannot be read.
static cairn_status check_width(const cairn_petsc *file)
{
    static const struct {
        int         bytes;
        const char *what;
    } others[] = {
        {4,  "single precision, or the file is cut"      },
        {16, "complex numbers, or of quadruple precision"},
    };
    const int64_t at = file->values_at;

    if (may_end_at(file, at + (__int128)sizeof(double) * file->stored)) return CAIRN_OK;
    for (int k = 0; k < 2; k++)
        if (may_end_at(file, at + (__int128)others[k].bytes * file->stored))
            return cairn_refuse(at_byte(file, at), CAIRN_UNSUPPORTED,
                                "values of %d bytes: %s: not in this version",
                                others[k].bytes, others[k].what);
    return cairn_refuse(
        at_byte(file, file->length), CAIRN_BAD_FILE,
        "%" PRId64 " bytes are behind the indices, but %" PRId64
        " values of 8 bytes should be: the file is cut, or has something "
        "else behind the matrix",
        file->length - at, file->stored);
}

/// Where the arrays are, and whether the file is as long.
static cairn_status place_arrays(cairn_petsc *file, int64_t stored)
{
    const __int128 ints  = file->int_bytes;
    const __int128 begin = HEADER * ints;
    const __int128 rows  = file->dense ? 0 : file->shape.extent[0];
    const __int128 values =
        file->dense ? (__int128)file->shape.extent[0] * file->shape.extent[1] : stored;
    const __int128 end = begin + ints * (rows + (file->dense ? 0 : values));

    if (end > file->length || values > file->length)
        return cairn_refuse(at_byte(file, file->length), CAIRN_BAD_FILE,
                            "the file is cut: its header declares more rows or entries "
                            "than %" PRId64 " bytes hold",
                            file->length);
    file->stored     = (int64_t)values;
    file->lengths_at = (int64_t)begin;
    file->columns_at = (int64_t)(begin + ints * rows);
    file->values_at  = (int64_t)end;
    return check_width(file);
}

static cairn_status read_header(cairn_petsc *file)
{
    static const char *const names[] = {"class", "rows", "columns", "entries"};
    char                     bytes[HEADER * 8] = "";
    int64_t                  number[HEADER];
    size_t                   got = 0;

    CAIRN_TRY(
        cairn_read_at(file->env, file->name, file->fd, bytes, sizeof bytes, 0, &got));
    file->int_bytes = width_of(bytes);
    if (file->int_bytes == 0 || (int64_t)got < HEADER * file->int_bytes)
        return cairn_refuse(at_byte(file, (int64_t)got), CAIRN_BAD_FILE,
                            "the file ends within the header of a PETSc matrix");
    for (int k = 0; k < HEADER; k++) {
        number[k] = load_int(bytes + k * file->int_bytes, file->int_bytes);
        if (k == 0 && number[k] != MATRIX)
            return cairn_refuse(at_byte(file, 0), CAIRN_UNSUPPORTED,
                                "a PETSc file that begins with another object than a "
                                "matrix (class %" PRId64 ")",
                                number[k]);
        if (number[k] < (k == HEADER - 1 ? -1 : 0))
            return cairn_refuse(at_byte(file, (int64_t)k * file->int_bytes),
                                CAIRN_BAD_FILE, "%" PRId64 " %s", number[k], names[k]);
    }
    file->shape = (cairn_shape){
        .order = 2, .extent = {number[1], number[2]}
    };
    file->dense = number[3] == -1;
    return place_arrays(file, number[3]);
}

cairn_status cairn_petsc_open(cairn_env *env, const char *path, cairn_petsc *file)
{
    struct stat about;

    *file    = (cairn_petsc){.env = env, .name = path};
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    CAIRN_CHECK(file->fd >= 0 && fstat(file->fd, &about) == 0, env, CAIRN_IO,
                "read: %s: %s", path, strerror(errno));
    file->length = about.st_size;
    return read_header(file);
}

void cairn_petsc_close(cairn_petsc *file)
{
    if (file->fd >= 0) close(file->fd);
    file->fd = -1;
}

/* ---- the arrays ---- */

/// Elements of an array, from `first` on.
typedef struct {
    const cairn_petsc *file;
    int64_t            at;       ///< Of the array in the file,
    int64_t            elements; ///< its length, and bytes of an element.
    int                bytes;
    int64_t            first, n;
    char               window[WINDOW * 8];
} array;

/// Element @p k as a big-endian integer.
static cairn_status load(array *a, int64_t k, int64_t *value)
{
    if (k < a->first || k >= a->first + a->n) {
        const int64_t left = a->elements - k;

        a->first = k;
        a->n     = left < WINDOW ? left : WINDOW;
        CAIRN_TRY(
            read_bytes(a->file, a->at + k * a->bytes, a->window, a->n * a->bytes));
    }
    *value = load_int(a->window + (k - a->first) * a->bytes, a->bytes);
    return CAIRN_OK;
}

static cairn_status
create_array(const cairn_petsc *file, cairn_petsc_section section, array **a)
{
    CAIRN_TRY(CAIRN_NEW(file->env, 1, a));
    (*a)->file  = file;
    (*a)->n     = 0;
    (*a)->bytes = section == CAIRN_PETSC_VALUES ? (int)sizeof(double) : file->int_bytes;
    (*a)->elements =
        section == CAIRN_PETSC_LENGTHS ? file->shape.extent[0] : file->stored;
    (*a)->at = section == CAIRN_PETSC_LENGTHS   ? file->lengths_at
               : section == CAIRN_PETSC_COLUMNS ? file->columns_at
                                                : file->values_at;
    return CAIRN_OK;
}

cairn_status cairn_petsc_sum_lengths(const cairn_petsc *file,
                                     cairn_coord        first,
                                     cairn_coord        last,
                                     int64_t           *sum)
{
    array       *lengths;
    cairn_status status = CAIRN_OK;

    *sum = 0;
    if (file->dense || first >= last) return CAIRN_OK;
    CAIRN_TRY(create_array(file, CAIRN_PETSC_LENGTHS, &lengths));
    for (cairn_coord i = first; i < last && status == CAIRN_OK; i++) {
        int64_t length = 0;

        status = load(lengths, i, &length);
        if (status == CAIRN_OK && (length < 0 || length > file->stored))
            status = cairn_refuse(
                at_byte(file, lengths->at + i * lengths->bytes), CAIRN_BAD_FILE,
                "row %" PRId64 " has %" PRId64 " entries, of %" PRId64 " of the matrix",
                i, length, file->stored);
        *sum = length > file->stored - *sum ? file->stored + 1 : *sum + length;
    }
    cairn_free(file->env, lengths);
    return status;
}

cairn_status cairn_petsc_check_sum(const cairn_petsc *file, int64_t sum)
{
    if (file->dense || sum == file->stored) return CAIRN_OK;
    return cairn_refuse(at_byte(file, file->lengths_at), CAIRN_BAD_FILE,
                        "the rows have %s entries than the %" PRId64
                        " that the header declares",
                        sum < file->stored ? "fewer" : "more", file->stored);
}

/* ---- entries ---- */

/// A stretch that is read.
typedef struct {
    const cairn_petsc *file;
    array             *lengths, *columns, *values; ///< Dense: the last alone.
    cairn_coord        row;                        ///< Of the value at hand,
    int64_t            end;                        ///< and the first value behind it.
} reader;

/// Go to the row of value @p k, which is not before the last one's.
static cairn_status go_to_row(reader *r, int64_t k)
{
    int64_t length;

    while (k >= r->end) {
        CAIRN_CHECK(r->row + 1 < r->file->shape.extent[0], r->file->env, CAIRN_IO,
                    "read: %s: it changed while it was read", r->file->name);
        CAIRN_TRY(load(r->lengths, ++r->row, &length));
        r->end += length;
    }
    return CAIRN_OK;
}

static cairn_status find_coord(reader *r, int64_t k, cairn_coord d[2])
{
    const cairn_petsc *file = r->file;

    if (file->dense) {
        d[0] = k / file->shape.extent[1];
        d[1] = k % file->shape.extent[1];
        return CAIRN_OK;
    }
    CAIRN_TRY(go_to_row(r, k));
    CAIRN_TRY(load(r->columns, k, &d[1]));
    d[0] = r->row;
    if (d[1] >= 0 && d[1] < file->shape.extent[1]) return CAIRN_OK;
    return cairn_refuse(at_byte(file, file->columns_at + k * file->int_bytes),
                        CAIRN_BAD_FILE,
                        "row %" PRId64 ": column %" PRId64 " is not within 0..%" PRId64,
                        d[0], d[1], file->shape.extent[1] - 1);
}

static cairn_status
read_stretch(reader *r, const cairn_petsc_stretch *stretch, cairn_entries *entries)
{
    /* One before its row, so that the step into that row counts its length. */
    r->row = stretch->row - 1;
    r->end = stretch->begins;
    for (int64_t k = stretch->first; k < stretch->last; k++) {
        cairn_coord d[2];
        int64_t     bits;
        double      value;

        CAIRN_TRY(load(r->values, k, &bits));
        memcpy(&value, &bits, sizeof value);
        if (r->file->dense && value == 0) continue;
        CAIRN_TRY(find_coord(r, k, d));
        CAIRN_TRY(cairn_entries_add(r->file->env, entries, d, value));
    }
    return CAIRN_OK;
}

cairn_status cairn_petsc_entries(const cairn_petsc         *file,
                                 const cairn_petsc_stretch *stretch,
                                 cairn_entries             *entries)
{
    reader       r      = {.file = file};
    cairn_status status = CAIRN_OK;

    if (stretch->first >= stretch->last) return CAIRN_OK;
    if (!file->dense) status = create_array(file, CAIRN_PETSC_LENGTHS, &r.lengths);
    if (!file->dense && status == CAIRN_OK)
        status = create_array(file, CAIRN_PETSC_COLUMNS, &r.columns);
    if (status == CAIRN_OK) status = create_array(file, CAIRN_PETSC_VALUES, &r.values);
    if (status == CAIRN_OK) status = read_stretch(&r, stretch, entries);
    cairn_free(file->env, r.lengths);
    cairn_free(file->env, r.columns);
    cairn_free(file->env, r.values);
    return status;
}
