// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The HDF5 library, opened at run time. For the files of io/archive/hdf5.h alone.
///
/// It is one for the process: a program that uses it too must find it as it left it. So calls
/// are made between cairn_hdf5_enter() and cairn_hdf5_leave(), one thread at a time, with
/// its printing of errors off in between.

#ifndef CAIRN_IO_HDF5_LIBRARY_H
#define CAIRN_IO_HDF5_LIBRARY_H

#include "base/env.h"

#include <hdf5.h>

/* Functions of the library, by their names. */
#define CAIRN_HDF5_FUNCTIONS(X)     \
    X(H5dont_atexit)                \
    X(H5open)                       \
    X(H5get_libversion)             \
    X(H5free_memory)                \
    X(H5Eget_auto2)                 \
    X(H5Eset_auto2)                 \
    X(H5Ewalk2)                     \
    X(H5Fopen)                      \
    X(H5Fcreate)                    \
    X(H5Fclose)                     \
    X(H5Gget_info)                  \
    X(H5Lget_name_by_idx)           \
    X(H5Lexists)                    \
    X(H5Oopen)                      \
    X(H5Oclose)                     \
    X(H5Iget_type)                  \
    X(H5Aexists)                    \
    X(H5Aopen)                      \
    X(H5Acreate2)                   \
    X(H5Aget_type)                  \
    X(H5Aget_space)                 \
    X(H5Aread)                      \
    X(H5Awrite)                     \
    X(H5Aclose)                     \
    X(H5Tget_class)                 \
    X(H5Tget_size)                  \
    X(H5Tget_sign)                  \
    X(H5Tget_native_type)           \
    X(H5Tis_variable_str)           \
    X(H5Tcopy)                      \
    X(H5Tset_size)                  \
    X(H5Tset_fields)                \
    X(H5Tset_ebias)                 \
    X(H5Tclose)                     \
    X(H5Screate)                    \
    X(H5Screate_simple)             \
    X(H5Sget_simple_extent_ndims)   \
    X(H5Sget_simple_extent_dims)    \
    X(H5Sget_simple_extent_npoints) \
    X(H5Sselect_none)               \
    X(H5Sselect_hyperslab)          \
    X(H5Sclose)                     \
    X(H5Dcreate2)                   \
    X(H5Dget_space)                 \
    X(H5Dget_type)                  \
    X(H5Dget_storage_size)          \
    X(H5Dget_create_plist)          \
    X(H5Dread)                      \
    X(H5Dwrite)                     \
    X(H5Dclose)                     \
    X(H5Pcreate)                    \
    X(H5Pget_layout)                \
    X(H5Pget_chunk)                 \
    X(H5Pset_obj_track_times)       \
    X(H5Pclose)

/* The library's numbers of types and classes, by their names without "_g". */
#define CAIRN_HDF5_NUMBERS(X) \
    X(H5T_C_S1)               \
    X(H5T_IEEE_F32LE)         \
    X(H5T_IEEE_F64LE)         \
    X(H5T_STD_I8LE)           \
    X(H5T_STD_I16LE)          \
    X(H5T_STD_I32LE)          \
    X(H5T_STD_I64LE)          \
    X(H5T_STD_U8LE)           \
    X(H5T_STD_U16LE)          \
    X(H5T_STD_U32LE)          \
    X(H5T_STD_U64LE)          \
    X(H5P_CLS_DATASET_CREATE_ID)

typedef struct cairn_hdf5_library {
    void *handle; ///< NULL: not open.
#define X(name) __typeof__(&name) name;
    CAIRN_HDF5_FUNCTIONS(X)
#undef X
#define X(name) hid_t number_of_##name;
    CAIRN_HDF5_NUMBERS(X)
#undef X
} cairn_hdf5_library;

/// Open the library if it is not open yet, and begin calls. Other threads wait.
///
/// Local. Pairs with cairn_hdf5_leave() where it succeeds.
///
/// @retval CAIRN_ATTENTION  It is not there, or of another version than the headers were.
cairn_status cairn_hdf5_enter(cairn_env *env, const cairn_hdf5_library **library);
void         cairn_hdf5_leave(void);

/// What the library says of the call that failed last: words that last until the next call.
const char *cairn_hdf5_why(const cairn_hdf5_library *library);

#endif
