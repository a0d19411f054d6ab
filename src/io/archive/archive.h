// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Files of named arrays, whatever they are kept in: a zip of .npy files (npz.h), a group of
/// an HDF5 file (hdf5.h). Any elements of any array can be read alone.

#ifndef CAIRN_IO_ARCHIVE_H
#define CAIRN_IO_ARCHIVE_H

#include "base/file.h"

enum {
    CAIRN_ARCHIVE_ARRAYS = 32, ///< Most arrays of an archive.
    CAIRN_ARCHIVE_NAME   = 64, ///< Bytes of the longest name, with its end.
};

/// One array. Its bytes were not looked at yet.
typedef struct cairn_archive_array {
    char     name[CAIRN_ARCHIVE_NAME];
    char     kind;       ///< numpy's: i u f b c U S ...
    int      bits;       ///< Of one element.
    int      dims;       ///< 0 to 3; 3: three or more.
    int64_t  extent[2];  ///< The first two.
    bool     by_columns; ///< Of two dimensions the first runs fastest.
    int64_t  elements;
    int64_t  at; ///< Offset of the first element; in HDF5 the library's number of it.
    int64_t  member; ///< Offset of what the checksum is of,
    int64_t  bytes;  ///< and its length; 0: there is no checksum.
    uint32_t crc;
} cairn_archive_array;

typedef struct cairn_archive cairn_archive;

/// What archives of a kind can do.
typedef struct cairn_archive_ops {
    /// Read @p n elements from @p first on, which are in the array.
    /// @retval CAIRN_IO, CAIRN_BAD_FILE
    cairn_status (*read)(const cairn_archive       *archive,
                         const cairn_archive_array *array,
                         int64_t                    first,
                         int64_t                    n,
                         void                      *out);

    /// Get a text by its name; NULL: there is none. Freed with cairn_free().
    cairn_status (*text)(const cairn_archive *archive, const char *name, char **text);

    void (*close)(cairn_archive *archive);
} cairn_archive_ops;

/// All zero: not open.
struct cairn_archive {
    cairn_env               *env;
    const char              *name; ///< The file's, for messages.
    const cairn_archive_ops *ops;
    int                      fd;     ///< A zip's.
    int64_t                  length; ///< A zip's, in bytes.
    void                    *hdf5;   ///< What hdf5.c has of an HDF5 file.
    /// Rows of MATLAB's sparse matrix that the arrays are; -1: they say otherwise what they
    /// are, by the text "binsparse".
    int64_t             matlab_rows;
    int                 arrays;
    cairn_archive_array array[CAIRN_ARCHIVE_ARRAYS];
};

/// Close an archive, also after opening it failed.
void cairn_archive_close(cairn_archive *archive);

/// The array of a name; NULL: there is none.
const cairn_archive_array *cairn_archive_find(const cairn_archive *archive,
                                              const char          *name);

/// Enter an array, all zero but its name. Local.
/// @retval CAIRN_UNSUPPORTED  There are too many.
cairn_status cairn_archive_add(cairn_archive        *archive,
                               const char           *name,
                               cairn_archive_array **array);

/// Refuse the file: "read: FILE: WHY".
cairn_status __attribute__((format(printf, 3, 4)))
cairn_archive_refuse(const cairn_archive *archive,
                     cairn_status         status,
                     const char          *fmt,
                     ...);

/* ---- writing ---- */

/// One array that is written.
typedef struct cairn_archive_out {
    char    name[CAIRN_ARCHIVE_NAME];
    char    descr[24]; ///< numpy's, "<f8".
    int64_t elements;  ///< -1: one, of no dimension.
    int64_t inner[2];  ///< Extents of a second and third dimension; 0: there is none.
    const void *data;
    int64_t     bytes;
} cairn_archive_out;

/// Arrays of an archive that is to be written. All zero but `env`: none.
typedef struct cairn_archive_list {
    cairn_env         *env;
    int                arrays, capacity;
    cairn_archive_out *array; ///< [arrays]
    int                blocks;
    void             **block; ///< [blocks] Memory of arrays, freed with the list.
} cairn_archive_list;

void cairn_archive_list_fini(cairn_archive_list *list);

/// Add an array; its data outlive the list. Local.
/// @retval CAIRN_UNSUPPORTED  There are as many as a zip can count.
cairn_status cairn_archive_list_add(cairn_archive_list      *list,
                                    const cairn_archive_out *array);

/// Get memory that is zero, and the list's. Local.
cairn_status
cairn_archive_list_block(cairn_archive_list *list, int64_t bytes, void **block);

/// Add a text, as numpy has texts: 32 bits a character. Local.
/// @param[in] text  ASCII; copied.
cairn_status
cairn_archive_list_text(cairn_archive_list *list, const char *name, const char *text);

#endif
