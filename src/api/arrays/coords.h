// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lists of coordinates in a caller's arrays, as formats of the library say them: one list
/// an index, or the fields of one struct. Internal to api.

#ifndef CAIRN_API_COORDS_H
#define CAIRN_API_COORDS_H

#include "api/api.h"

/// How entries lie.
typedef struct cairn_coords_lie {
    int         order, bits, base;
    const void *idx[CAIRN_MAX_ORDER];
    int64_t     idx_stride;
    const void *val; ///< NULL: there are none.
    int64_t     val_stride;
    int         val_bits;
} cairn_coords_lie;

/// Strides that are 0 become those of arrays of their own. Refuse what no entries have:
/// widths, a base, strides (also such as no memory has room for) or addresses.
///
/// Local.
///
/// @param[in] call     For messages.
/// @param[in] entries  If there are none, pointers may be NULL; @p val may be in any case.
/// @retval CAIRN_BAD_ARGUMENT
cairn_status cairn_coords_check(cairn_env        *env,
                                const char       *call,
                                int64_t           entries,
                                cairn_coords_lie *lie);

/// The lists that formats can say.
typedef enum {
    CAIRN_COORDS_APART,    ///< An array for each mode, and the values.
    CAIRN_COORDS_TOGETHER, ///< The indices of an entry side by side; values apart.
    CAIRN_COORDS_WITH_VALUE, ///< Structs of the indices and the value, as C lays them out.
    CAIRN_COORDS_OTHERWISE, ///< None; or an address is no multiple of its element's width.
} cairn_coords_way;

cairn_coords_way cairn_coords_find(const cairn_coords_lie *lie);

/// The format of such a list.
///
/// Local.
///
/// @param[in]  way     Not OTHERWISE.
/// @param[in]  bits    Of an index; 0: as many as are needed.
/// @param[in]  base    What the first index of a mode is called.
/// @param[out] format  Destroy with cairn_format_destroy().
cairn_status cairn_coords_format(cairn_context   *context,
                                 cairn_coords_way way,
                                 int              order,
                                 int              bits,
                                 int              base,
                                 cairn_format   **format);

#endif
