// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// HDF5 files, read. What a file says of sizes is held to what is stored before it is used.

#include "io/archive/hdf5.h"

#include "io/stream/stream.h"
#include "tensor/local.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum {
    BLOCKS = 4
}; ///< Lengths of a user's block that are looked behind: 0, 512, 1024, ...

cairn_status cairn_hdf5_probe(cairn_env *env, const char *path, bool *is)
{
    static const char magic[8] = "\x89HDF\r\n\x1a\n";
    const int         fd       = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    CAIRN_CHECK(fd >= 0, env, CAIRN_IO, "read: %s: %s", path, strerror(errno));
    *is = false;
    for (int k = 0; k < BLOCKS && !*is; k++) {
        const int64_t at       = k == 0 ? 0 : (int64_t)256 << k;
        char          begin[8] = "";
        size_t        got      = 0;

        /* What cannot be read here, a pipe say, is none: other readers say what it is. */
        *is = cairn_read_at(env, path, fd, begin, sizeof begin, at, &got) == CAIRN_OK
              && got == sizeof begin && memcmp(begin, magic, sizeof magic) == 0;
    }
    close(fd);
    return CAIRN_OK;
}

#ifndef CAIRN_WITH_HDF5

cairn_status cairn_hdf5_open(cairn_env *env, const char *path, cairn_archive *archive)
{
    *archive = (cairn_archive){.env = env, .name = path};
    return cairn_fail(env, CAIRN_ATTENTION,
                      "hdf5: %s: it is an HDF5 file: this was built without HDF5",
                      path);
}

#else

#    include "io/archive/hdf5_library.h"

enum {
    READ_ONLY = 0,        ///< H5F_ACC_RDONLY, which is a call in the header.
    TEXT      = 1 << 20,  ///< Most bytes of a text.
    CHUNK     = 64 << 20, ///< Most bytes of a chunk, which is in memory whole.
    PACKED    = 1100, ///< Times as many bytes as are stored; deflate's most is 1032.
};

/// What is open of a file.
typedef struct {
    hid_t file, group;
} opened;

#    define BROKEN(a, ...)  cairn_archive_refuse(a, CAIRN_BAD_FILE, __VA_ARGS__)
#    define LACKING(a, ...) cairn_archive_refuse(a, CAIRN_UNSUPPORTED, __VA_ARGS__)

/* ---- attributes ---- */

static bool has_attribute(const cairn_hdf5_library *lib, hid_t object, const char *name)
{
    return lib->H5Aexists(object, name) > 0;
}

/// A whole number. @return  -1: the attribute is none.
static int64_t
read_number(const cairn_hdf5_library *lib, hid_t object, const char *name)
{
    const hid_t attribute = lib->H5Aopen(object, name, H5P_DEFAULT);
    const hid_t type      = lib->H5Aget_type(attribute);
    const hid_t native    = lib->H5Tget_native_type(type, H5T_DIR_DEFAULT);
    const hid_t space     = lib->H5Aget_space(attribute);
    const int   bytes     = (int)lib->H5Tget_size(native);
    char        room[8]   = "";
    int64_t     value     = -1;

    if (lib->H5Tget_class(type) == H5T_INTEGER && bytes >= 1 && bytes <= 8
        && lib->H5Sget_simple_extent_npoints(space) == 1
        && lib->H5Aread(attribute, native, room) >= 0)
        value = cairn_load_int(room, 0, bytes, 8 * bytes,
                               lib->H5Tget_sign(native) == H5T_SGN_2);
    lib->H5Sclose(space);
    lib->H5Tclose(native);
    lib->H5Tclose(type);
    lib->H5Aclose(attribute);
    return value;
}

/// Read a text of an attribute that is one, of fixed length or not.
static cairn_status copy_text(const cairn_archive      *archive,
                              const cairn_hdf5_library *lib,
                              hid_t                     attribute,
                              hid_t                     type,
                              char                    **text)
{
    const bool   variable = lib->H5Tis_variable_str(type) > 0;
    const size_t bytes    = variable ? sizeof(char *) : lib->H5Tget_size(type);
    char        *its      = NULL;
    cairn_status status   = CAIRN_OK;

    if (bytes > TEXT) return LACKING(archive, "binsparse: it is too long");
    CAIRN_TRY(CAIRN_NEW_ZERO(archive->env, (int64_t)bytes + 1, text));
    if (lib->H5Aread(attribute, type, variable ? (void *)&its : *text) < 0)
        status = BROKEN(archive, "binsparse: %s", cairn_hdf5_why(lib));
    if (variable) {
        const size_t n = status == CAIRN_OK && its ? strlen(its) : 0;

        cairn_free(archive->env, *text);
        *text = NULL;
        if (n > TEXT) status = LACKING(archive, "binsparse: it is too long");
        if (status == CAIRN_OK)
            status = CAIRN_NEW_ZERO(archive->env, (int64_t)n + 1, text);
        if (status == CAIRN_OK) memcpy(*text, its ? its : "", n);
        lib->H5free_memory(its);
    }
    if (status != CAIRN_OK) {
        cairn_free(archive->env, *text);
        *text = NULL;
    }
    return status;
}

static cairn_status
read_text(const cairn_archive *archive, const char *name, char **text)
{
    const opened             *o = archive->hdf5;
    const cairn_hdf5_library *lib;
    cairn_status              status = CAIRN_OK;

    *text = NULL;
    CAIRN_TRY(cairn_hdf5_enter(archive->env, &lib));
    if (has_attribute(lib, o->group, name)) {
        const hid_t attribute = lib->H5Aopen(o->group, name, H5P_DEFAULT);
        const hid_t type      = lib->H5Aget_type(attribute);
        const hid_t space     = lib->H5Aget_space(attribute);

        if (lib->H5Tget_class(type) == H5T_STRING
            && lib->H5Sget_simple_extent_npoints(space) == 1)
            status = copy_text(archive, lib, attribute, type, text);
        lib->H5Sclose(space);
        lib->H5Tclose(type);
        lib->H5Aclose(attribute);
    }
    cairn_hdf5_leave();
    return status;
}

/* ---- datasets ---- */

/// numpy's letter for elements of a type as the library gives them.
static char kind_of(const cairn_hdf5_library *lib, hid_t type)
{
    switch (lib->H5Tget_class(type)) {
    case H5T_INTEGER: return lib->H5Tget_sign(type) == H5T_SGN_2 ? 'i' : 'u';
    case H5T_FLOAT: return 'f';
    case H5T_ENUM: return lib->H5Tget_size(type) == 1 ? 'b' : 'S';
    case H5T_COMPOUND: return 'c';
    default: return 'S';
    }
}

static cairn_status read_shape(const cairn_archive      *archive,
                               const cairn_hdf5_library *lib,
                               hid_t                     dataset,
                               cairn_archive_array      *array)
{
    const hid_t   space = lib->H5Dget_space(dataset);
    const int     dims  = lib->H5Sget_simple_extent_ndims(space);
    const int64_t n     = lib->H5Sget_simple_extent_npoints(space);
    hsize_t       extent[H5S_MAX_RANK];

    if (dims > 0) lib->H5Sget_simple_extent_dims(space, extent, NULL);
    lib->H5Sclose(space);
    if (dims < 0 || n < 0) return BROKEN(archive, "%s: its shape is none", array->name);
    array->dims     = dims < 3 ? dims : 3;
    array->elements = n;
    for (int k = 0; k < dims && k < 2; k++)
        array->extent[k] = (int64_t)extent[k];
    return CAIRN_OK;
}

/// Are the elements in the file, in pieces that memory has room for?
static cairn_status check_stored(const cairn_archive       *archive,
                                 const cairn_hdf5_library  *lib,
                                 hid_t                      dataset,
                                 const cairn_archive_array *array)
{
    const hid_t   list   = lib->H5Dget_create_plist(dataset);
    const int64_t stored = (int64_t)lib->H5Dget_storage_size(dataset);
    const bool    chunks = lib->H5Pget_layout(list) == H5D_CHUNKED;
    hsize_t       extent[H5S_MAX_RANK];
    __int128      chunk = array->bits / 8;
    const int     dims  = chunks ? lib->H5Pget_chunk(list, H5S_MAX_RANK, extent) : 0;

    for (int k = 0; k < dims; k++)
        chunk *= (__int128)extent[k] < CHUNK ? (__int128)extent[k] : CHUNK + 1;
    lib->H5Pclose(list);
    if (chunk > CHUNK)
        return LACKING(archive, "%s: its chunks are of more than 64 MiB", array->name);
    if ((__int128)array->elements * (array->bits / 8)
        > (__int128)stored * (chunks ? PACKED : 1))
        return BROKEN(archive,
                      "%s: it is of %lld elements, of which %lld bytes are stored",
                      array->name, (long long)array->elements, (long long)stored);
    return CAIRN_OK;
}

static cairn_status enter_dataset(cairn_archive            *archive,
                                  const cairn_hdf5_library *lib,
                                  hid_t                     dataset,
                                  cairn_archive_array      *array)
{
    const hid_t type   = lib->H5Dget_type(dataset);
    const hid_t native = lib->H5Tget_native_type(type, H5T_DIR_DEFAULT);

    array->at   = dataset;
    array->kind = native < 0 ? 'S' : kind_of(lib, native);
    array->bits = native < 0 ? 0 : 8 * (int)lib->H5Tget_size(native);
    if (native >= 0) lib->H5Tclose(native);
    lib->H5Tclose(type);
    CAIRN_TRY(read_shape(archive, lib, dataset, array));
    if (array->kind == 'S' || array->kind == 'c')
        return CAIRN_OK; /* refused if asked for */
    return check_stored(archive, lib, dataset, array);
}

/// The name of an object of a group. @return false: it is too long for any that is asked for.
static bool name_of(const cairn_hdf5_library *lib,
                    hid_t                     group,
                    hsize_t                   number,
                    char                      name[CAIRN_ARCHIVE_NAME])
{
    const ssize_t n =
        lib->H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, number, name,
                                CAIRN_ARCHIVE_NAME, H5P_DEFAULT);

    return n > 0 && n < CAIRN_ARCHIVE_NAME;
}

static cairn_status
list_datasets(cairn_archive *archive, const cairn_hdf5_library *lib, hid_t group)
{
    H5G_info_t about = {.nlinks = 0};
    char       name[CAIRN_ARCHIVE_NAME];

    lib->H5Gget_info(group, &about);
    for (hsize_t k = 0; k < about.nlinks; k++) {
        cairn_archive_array *array;

        if (!name_of(lib, group, k, name)) continue;
        const hid_t object = lib->H5Oopen(group, name, H5P_DEFAULT);

        if (object < 0) continue;
        if (lib->H5Iget_type(object) != H5I_DATASET) {
            lib->H5Oclose(object);
            continue;
        }
        cairn_status status = cairn_archive_add(archive, name, &array);

        if (status == CAIRN_OK)
            status = enter_dataset(archive, lib, object, array);
        else
            lib->H5Oclose(object);
        CAIRN_TRY(status);
    }
    return CAIRN_OK;
}

/* ---- which group ---- */

static bool says_what_it_has(const cairn_hdf5_library *lib, hid_t group)
{
    return has_attribute(lib, group, "binsparse")
           || has_attribute(lib, group, "MATLAB_sparse");
}

/// Find the group: the root, if it says what it has or has arrays of Cairn's alone, or the
/// only one in it that says so.
static cairn_status
find_group(cairn_archive *archive, const cairn_hdf5_library *lib, opened *o)
{
    H5G_info_t about = {.nlinks = 0};
    char       name[CAIRN_ARCHIVE_NAME], first[CAIRN_ARCHIVE_NAME] = "";

    const hid_t root = lib->H5Oopen(o->file, "/", H5P_DEFAULT);

    if (root < 0) return BROKEN(archive, "%s", cairn_hdf5_why(lib));
    o->group = root;
    if (says_what_it_has(lib, root) || lib->H5Lexists(root, "cairn", H5P_DEFAULT) > 0)
        return CAIRN_OK;
    lib->H5Gget_info(root, &about);
    for (hsize_t k = 0; k < about.nlinks; k++) {
        if (!name_of(lib, root, k, name)) continue;
        const hid_t object = lib->H5Oopen(root, name, H5P_DEFAULT);

        if (object < 0) continue;
        if (lib->H5Iget_type(object) != H5I_GROUP || !says_what_it_has(lib, object)) {
            lib->H5Oclose(object);
            continue;
        }
        if (first[0]) {
            lib->H5Oclose(object);
            lib->H5Oclose(root);
            return LACKING(archive, "it has several matrices: %s, %s", first, name);
        }
        strcpy(first, name);
        o->group = object;
    }
    if (!first[0])
        return BROKEN(archive, "it has no group with an attribute \"binsparse\" or "
                               "\"MATLAB_sparse\", which says what its datasets are");
    lib->H5Oclose(root);
    return CAIRN_OK;
}

/* ---- elements ---- */

/// Select elements of a dataset of one or two dimensions, in the order in which they lie.
static bool select_range(const cairn_hdf5_library  *lib,
                         hid_t                      space,
                         const cairn_archive_array *array,
                         int64_t                    first,
                         int64_t                    n)
{
    const int64_t across = array->dims == 2 ? array->extent[1] : 1;

    if (array->dims == 0) return true;
    if (lib->H5Sselect_none(space) < 0) return false;
    while (n > 0) {
        const int64_t row = first / across, at = first % across;
        const int64_t whole   = at == 0 ? n / across : 0;
        const int64_t rest    = across - at < n ? across - at : n;
        const int64_t take    = whole > 0 ? whole * across : rest;
        const hsize_t start[] = {(hsize_t)row, (hsize_t)at};
        const hsize_t count[] = {whole > 0 ? (hsize_t)whole : 1,
                                 whole > 0 ? (hsize_t)across : (hsize_t)rest};

        if (lib->H5Sselect_hyperslab(space, H5S_SELECT_OR, start, NULL, count, NULL)
            < 0)
            return false;
        first += take;
        n -= take;
    }
    return true;
}

static cairn_status read_elements(const cairn_archive       *archive,
                                  const cairn_archive_array *array,
                                  int64_t                    first,
                                  int64_t                    n,
                                  void                      *out)
{
    const cairn_hdf5_library *lib;
    const hsize_t             many   = (hsize_t)n;
    cairn_status              status = CAIRN_OK;

    CAIRN_TRY(cairn_hdf5_enter(archive->env, &lib));
    const hid_t type   = lib->H5Dget_type(array->at);
    const hid_t native = lib->H5Tget_native_type(type, H5T_DIR_DEFAULT);
    const hid_t space  = lib->H5Dget_space(array->at);
    const hid_t memory = lib->H5Screate_simple(1, &many, NULL);

    if (!select_range(lib, space, array, first, n)
        || lib->H5Dread(array->at, native, memory, space, H5P_DEFAULT, out) < 0)
        status = BROKEN(archive, "%s: %s", array->name, cairn_hdf5_why(lib));
    lib->H5Sclose(memory);
    lib->H5Sclose(space);
    lib->H5Tclose(native);
    lib->H5Tclose(type);
    cairn_hdf5_leave();
    return status;
}

/* ---- the file ---- */

static void close_file(cairn_archive *archive)
{
    opened                   *o = archive->hdf5;
    const cairn_hdf5_library *lib;

    if (o && cairn_hdf5_enter(archive->env, &lib) == CAIRN_OK) {
        for (int k = 0; k < archive->arrays; k++)
            if (archive->array[k].at > 0) lib->H5Dclose(archive->array[k].at);
        if (o->group > 0) lib->H5Oclose(o->group);
        if (o->file > 0) lib->H5Fclose(o->file);
        cairn_hdf5_leave();
    }
    cairn_free(archive->env, o);
    archive->hdf5 = NULL;
}

static const cairn_archive_ops ops = {read_elements, read_text, close_file};

static cairn_status
open_file(cairn_archive *archive, const cairn_hdf5_library *lib, opened *o)
{
    o->file = lib->H5Fopen(archive->name, READ_ONLY, H5P_DEFAULT);
    if (o->file < 0) return BROKEN(archive, "%s", cairn_hdf5_why(lib));
    CAIRN_TRY(find_group(archive, lib, o));
    if (!has_attribute(lib, o->group, "binsparse")
        && has_attribute(lib, o->group, "MATLAB_sparse")) {
        archive->matlab_rows = read_number(lib, o->group, "MATLAB_sparse");
        if (archive->matlab_rows < 0)
            return BROKEN(archive, "MATLAB_sparse: it is no number of rows");
    }
    return list_datasets(archive, lib, o->group);
}

cairn_status cairn_hdf5_open(cairn_env *env, const char *path, cairn_archive *archive)
{
    const cairn_hdf5_library *lib;
    opened                   *o;

    *archive = (cairn_archive){.env = env, .name = path, .matlab_rows = -1};
    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &o));
    archive->hdf5 = o;
    archive->ops  = &ops;
    CAIRN_TRY(cairn_hdf5_enter(env, &lib));
    const cairn_status status = open_file(archive, lib, o);

    cairn_hdf5_leave();
    return status;
}

#endif
