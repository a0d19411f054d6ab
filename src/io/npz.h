// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Archives of arrays as numpy writes them: a zip of .npy files, stored and not deflated, so
/// that any elements of any array can be read alone. Nothing is allocated on the word of the
/// archive but its directory, of at most a megabyte.
///
/// Source: PKWARE's APPNOTE.TXT 6.3 (zip), with its 64-bit fields; numpy's NEP 1 (.npy).

#ifndef CAIRN_IO_NPZ_H
#define CAIRN_IO_NPZ_H

#include "base/file.h"

enum {
    CAIRN_NPZ_ARRAYS = 32, ///< Most arrays of an archive.
    CAIRN_NPZ_NAME   = 64, ///< Bytes of the longest name, with its end.
};

/// One array. Its bytes were not looked at yet.
typedef struct cairn_npy {
    char     name[CAIRN_NPZ_NAME]; ///< Without ".npy".
    char     kind;                 ///< numpy's: i u f b c U S ...
    int      bits;                 ///< Of one element.
    int      dims;                 ///< 0 to 3; 3: three or more.
    int64_t  extent[2];            ///< The first two.
    bool     by_columns;           ///< Of two dimensions the first runs fastest.
    int64_t  elements;
    int64_t  at;     ///< Offset of the first element in the file.
    int64_t  member; ///< Offset of the .npy, which the checksum is of,
    int64_t  bytes;  ///< and its length.
    uint32_t crc;
} cairn_npy;

typedef struct cairn_npz {
    cairn_env  *env;
    const char *name; ///< The file's, for messages.
    int         fd;   ///< -1: not open.
    int64_t     length;
    int         arrays;
    cairn_npy   array[CAIRN_NPZ_ARRAYS];
} cairn_npz;

/// Does a file begin as archives do? Local.
/// @retval CAIRN_IO  It cannot be opened.
cairn_status cairn_npz_probe(cairn_env *env, const char *path, bool *is);

/// Open an archive and read what its arrays are.
///
/// Local. Pairs with cairn_npz_close(), also after a failure.
///
/// @param[in]  path  Outlives @p npz.
/// @retval CAIRN_IO           It cannot be read.
/// @retval CAIRN_BAD_FILE     It is no archive of arrays, or is cut.
/// @retval CAIRN_UNSUPPORTED  An array is compressed, or of another byte order.
cairn_status cairn_npz_open(cairn_env *env, const char *path, cairn_npz *npz);
void         cairn_npz_close(cairn_npz *npz);

/// The array of a name; NULL: there is none.
const cairn_npy *cairn_npz_find(const cairn_npz *npz, const char *name);

/// Read @p bytes from @p offset on, which are in the file. Local.
/// @retval CAIRN_IO
cairn_status
cairn_npz_read(const cairn_npz *npz, int64_t offset, void *out, int64_t bytes);

/// Refuse the file: "read: FILE: WHY".
cairn_status __attribute__((format(printf, 3, 4)))
cairn_npz_refuse(const cairn_npz *npz, cairn_status status, const char *fmt, ...);

/* ---- writing ---- */

/// One array that is written.
typedef struct cairn_npy_out {
    char    name[CAIRN_NPZ_NAME];
    char    descr[24]; ///< numpy's, "<f8".
    int64_t elements;  ///< -1: one, of no dimension.
    int64_t inner[2];  ///< Extents of a second and third dimension; 0: there is none.
    const void *data;
    int64_t     bytes;
} cairn_npy_out;

/// Arrays of an archive that is to be written. All zero but `env`: none.
typedef struct cairn_npz_list {
    cairn_env     *env;
    int            arrays, capacity;
    cairn_npy_out *array; ///< [arrays]
    int            blocks;
    void         **block; ///< [blocks] Memory of arrays, freed with the list.
} cairn_npz_list;

void cairn_npz_list_fini(cairn_npz_list *list);

/// Add an array; its data outlive the list. Local.
/// @retval CAIRN_UNSUPPORTED  There are as many as a zip can count.
cairn_status cairn_npz_list_add(cairn_npz_list *list, const cairn_npy_out *array);

/// Get memory that is zero, and the list's. Local.
cairn_status cairn_npz_list_block(cairn_npz_list *list, int64_t bytes, void **block);

/// Add a text, as numpy has texts: 32 bits a character. Local.
/// @param[in] text  ASCII; copied.
cairn_status
cairn_npz_list_text(cairn_npz_list *list, const char *name, const char *text);

/// Write an archive into a file that is open; elements begin at multiples of 64 bytes.
///
/// Local.
///
/// @param[out] length  Of the file.
cairn_status
cairn_npz_write(cairn_file *file, const cairn_npz_list *list, int64_t *length);

#endif
