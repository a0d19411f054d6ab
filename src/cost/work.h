// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Work: what is to be done, as numbers that no device has a part in. Cost (cost.h) is
/// work times rates, and rates are measured for a *family* of work: things that run the
/// same code on the same kinds of arrays, and differ in how much there is. A family is
/// written from the kinds of the layout's levels, the widths of its arrays, element type,
/// columns and direction; never from the name of a format, so that what was measured with
/// one format holds for any other that stores the same.

#ifndef CAIRN_COST_WORK_H
#define CAIRN_COST_WORK_H

#include "devices/product.h"

#define CAIRN_FAMILY 192 ///< Bytes of the longest family, with its end.

typedef struct cairn_work {
    char   family[CAIRN_FAMILY];
    double bytes;   ///< That must move if all is read and written once.
    double entries; ///< Stored, padding not counted; 0 where nothing has entries.
    /* What the above is made of. */
    double arrays; ///< Bytes of arrays read once.
    double x, y;   ///< Bytes of X touched; of Y written, and read where it adds.
    double flops;  ///< Useful.
    double padded; ///< Flops on all that is stored, padding included.
    double rows;   ///< Of Y on this rank.
} cairn_work;

/// The product of a member on this rank.
///
/// Local. O(levels + parts): arrays are not looked into. Of X are touched at most as many
/// rows as there are entries, and as the rank's box has.
///
/// @param[in]  sets  The kernel sets Y; else it adds to it.
void cairn_work_of_product(const cairn_device_work *product,
                           bool                     sets,
                           cairn_work              *work);

/// The family of a member's product, by its layout alone.
///
/// Local. @param[in] layout  With extents; NULL: nothing is said of arrays.
void cairn_work_family(const cairn_layout          *layout,
                       const cairn_product_options *op,
                       int                          value_bits,
                       char                         family[CAIRN_FAMILY]);

/// Say the same with what a layout is like, without one: what cairn_work_kinds() has said.
void cairn_work_family_of_kinds(const char                  *kinds,
                                const cairn_product_options *op,
                                int                          value_bits,
                                char                         family[CAIRN_FAMILY]);

/// Say of a family what follows from the layout: kinds of levels, widths of arrays.
void cairn_work_kinds(const cairn_layout *layout, char kinds[CAIRN_FAMILY]);

/// Say the same of values that are not as wide as the type; of others nothing is said.
///
/// @param[in]     bits   Of a value as it is stored.
/// @param[in,out] kinds  Of cairn_work_kinds() of a layout with wide ones.
void cairn_work_say_values(cairn_value_kind kind,
                           int              bits,
                           int              carrier_bits,
                           char             kinds[CAIRN_FAMILY]);

/// Are two families the same but for widths of indices, and sizes that go with an extent? So
/// families of a format differ from one matrix to another.
///
/// @param[in] any  Said of a layout with large extents.
bool cairn_work_is_kin(const char *any, const char *family);

#endif
