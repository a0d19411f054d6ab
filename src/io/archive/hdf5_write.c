// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// HDF5 files, written: plain datasets of the root group, without times.

#include "io/archive/hdf5.h"

#ifndef CAIRN_WITH_HDF5

cairn_status
cairn_hdf5_write(cairn_file *file, const cairn_archive_list *list, int64_t *length)
{
    (void)list, (void)length;
    return cairn_fail(file->env, CAIRN_ATTENTION,
                      "hdf5: %s: this was built without HDF5", file->path);
}

#else

#    include "io/archive/hdf5_library.h"

#    include <errno.h>
#    include <string.h>
#    include <sys/stat.h>

enum { TRUNCATE = 2 }; ///< H5F_ACC_TRUNC, which is a call in the header.

/// A file that is being written.
typedef struct {
    const cairn_hdf5_library *lib;
    cairn_file               *file;
    hid_t                     id;
    hid_t                     untimed; ///< Properties of datasets.
} output;

static cairn_status failed(const output *o, const char *name)
{
    return cairn_fail(o->file->env, CAIRN_IO, "write: %s: %s: %s", o->file->path, name,
                      errno ? strerror(errno) : cairn_hdf5_why(o->lib));
}

/// Floating-point numbers of 16 bits, of which the library has no type before 1.14.4.
static hid_t half_type(const cairn_hdf5_library *lib)
{
    const hid_t type = lib->H5Tcopy(lib->number_of_H5T_IEEE_F32LE);

    lib->H5Tset_fields(type, 15, 10, 5, 0, 10);
    lib->H5Tset_ebias(type, 15);
    lib->H5Tset_size(type, 2);
    return type;
}

/// The type of numpy's letter and bytes; of a text its bytes.
static hid_t type_of(const cairn_hdf5_library *lib, const cairn_archive_out *array)
{
    const hid_t types[3][4] = {
        {lib->number_of_H5T_STD_I8LE, lib->number_of_H5T_STD_I16LE,
         lib->number_of_H5T_STD_I32LE,                                                             lib->number_of_H5T_STD_I64LE },
        {lib->number_of_H5T_STD_U8LE, lib->number_of_H5T_STD_U16LE,
         lib->number_of_H5T_STD_U32LE,                                                             lib->number_of_H5T_STD_U64LE },
        {-1,                          -1,                           lib->number_of_H5T_IEEE_F32LE, lib->number_of_H5T_IEEE_F64LE},
    };
    const char letter = array->descr[1], bytes = array->descr[2];
    const int  power = bytes == '1' ? 0 : bytes == '2' ? 1 : bytes == '4' ? 2 : 3;

    if (letter == 'U') {
        const hid_t  type = lib->H5Tcopy(lib->number_of_H5T_C_S1);
        const size_t n    = (size_t)array->bytes / 4;

        lib->H5Tset_size(type, n > 0 ? n : 1);
        return type;
    }
    if (letter == 'f' && power == 1) return half_type(lib);
    return lib->H5Tcopy(types[letter == 'i' ? 0 : letter == 'u' ? 1 : 2][power]);
}

static hid_t space_of(const cairn_hdf5_library *lib, const cairn_archive_out *array)
{
    hsize_t extent[3];
    int     dims = 1;

    if (array->elements < 0) return lib->H5Screate(H5S_SCALAR);
    extent[0] = (hsize_t)array->elements;
    for (int k = 0; k < 2 && array->inner[k] > 0; k++)
        extent[dims++] = (hsize_t)array->inner[k];
    return lib->H5Screate_simple(dims, extent, NULL);
}

/// What says to others what the arrays are is an attribute, where they look for it. The text
/// `cairn` may be longer than the 64 KiB that an attribute has room for.
static cairn_status
write_array(const output *o, const cairn_archive_out *array, const void *data)
{
    const cairn_hdf5_library *lib   = o->lib;
    const hid_t               type  = type_of(lib, array);
    const hid_t               space = space_of(lib, array);
    bool                      done;

    errno = 0;
    if (array->descr[1] == 'U' && strcmp(array->name, "cairn") != 0) {
        const hid_t id =
            lib->H5Acreate2(o->id, array->name, type, space, H5P_DEFAULT, H5P_DEFAULT);

        done = id >= 0 && lib->H5Awrite(id, type, data) >= 0;
        if (id >= 0) done = lib->H5Aclose(id) >= 0 && done;
    } else {
        const hid_t id = lib->H5Dcreate2(o->id, array->name, type, space, H5P_DEFAULT,
                                         o->untimed, H5P_DEFAULT);

        done =
            id >= 0
            && (array->bytes == 0
                || lib->H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
        if (id >= 0) done = lib->H5Dclose(id) >= 0 && done;
    }
    const cairn_status status = done ? CAIRN_OK : failed(o, array->name);

    lib->H5Sclose(space);
    lib->H5Tclose(type);
    return status;
}

/// numpy has 32 bits a character, HDF5 bytes.
static cairn_status write_text(const output *o, const cairn_archive_out *array)
{
    const int64_t   n    = array->bytes / 4;
    const uint32_t *wide = array->data;
    char           *text = NULL;
    cairn_status    status;

    CAIRN_TRY(CAIRN_NEW_ZERO(o->file->env, n + 1, &text));
    for (int64_t k = 0; k < n; k++)
        text[k] = (char)wide[k];
    status = write_array(o, array, text);
    cairn_free(o->file->env, text);
    return status;
}

static cairn_status write_all(output *o, const cairn_archive_list *list)
{
    cairn_status status = CAIRN_OK;

    errno = 0;
    if (o->id < 0) return failed(o, "it cannot be created");
    o->untimed = o->lib->H5Pcreate(o->lib->number_of_H5P_CLS_DATASET_CREATE_ID);
    o->lib->H5Pset_obj_track_times(o->untimed, false);
    for (int k = 0; k < list->arrays && status == CAIRN_OK; k++)
        status = list->array[k].descr[1] == 'U'
                     ? write_text(o, &list->array[k])
                     : write_array(o, &list->array[k], list->array[k].data);
    o->lib->H5Pclose(o->untimed);
    errno = 0;
    if (o->lib->H5Fclose(o->id) < 0 && status == CAIRN_OK)
        status = failed(o, "its end");
    return status;
}

cairn_status
cairn_hdf5_write(cairn_file *file, const cairn_archive_list *list, int64_t *length)
{
    output         o = {.file = file};
    cairn_file_way way;
    struct stat    about;

    CAIRN_TRY(cairn_file_way_to(file, &way));
    CAIRN_TRY(cairn_hdf5_enter(list->env, &o.lib));
    o.id = o.lib->H5Fcreate(way.name, TRUNCATE, H5P_DEFAULT, H5P_DEFAULT);
    const cairn_status status = write_all(&o, list);

    cairn_hdf5_leave();
    CAIRN_TRY(status);
    CAIRN_CHECK(fstat(file->fd, &about) == 0, list->env, CAIRN_IO, "write: %s: %s",
                file->path, strerror(errno));
    *length = about.st_size;
    return CAIRN_OK;
}

#endif
