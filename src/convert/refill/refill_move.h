// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// New values to where a plan says, words of the tensor's type.

#ifndef CAIRN_CONVERT_REFILL_MOVE_H
#define CAIRN_CONVERT_REFILL_MOVE_H

#include "convert/refill/refill_plan.h"

/// Move new values into all members that are stored as wide as the tensor's type, and those
/// of which cairn_refill_converts() is true, whose type holds them; what goes to other
/// members stays. Nothing else of the tensor is written.
///
/// Local; on @p threads threads, where there are many values.
void cairn_refill_move(const cairn_refill_plan   *plan,
                       const cairn_local         *local,
                       const cairn_refill_values *val,
                       int                        threads);

/// Is each value of a narrow part converted on its way, without a look at the others?
bool cairn_refill_converts(const cairn_refill_plan *plan,
                           const cairn_kernel_part *view);

/// Items that are looked at together.
enum { CAIRN_REFILL_STRIP = 1024 };

/// The new values of items first .. first+n-1 of a list, as f64: each its own, or the sum of
/// those that go there in the caller's order, of which the first is taken as it is.
///
/// @param[in]  bits   Of @p val, 32 or 64.
/// @param[out] value  [n]
void cairn_refill_load(const cairn_refill_plan   *plan,
                       const cairn_refill_list   *list,
                       int64_t                    first,
                       int                        n,
                       const cairn_refill_values *val,
                       int                        bits,
                       double                    *value);

/// Put words where items first .. first+n-1 of a list are stored.
///
/// @param[in] words  [n] of the width of the values of @p view: 8, 16 or 32 bits; those of
///                   @p view lie side by side.
void cairn_refill_put(const cairn_refill_plan *plan,
                      const cairn_refill_list *list,
                      int64_t                  first,
                      int                      n,
                      const void              *words,
                      const cairn_kernel_part *view);

/// Called with items lo .. hi-1 of a list.
typedef void
cairn_refill_visit(void *user, const cairn_refill_list *list, int64_t lo, int64_t hi);

/// Visit all items, in equal shares on @p threads threads where there are many.
///
/// Local.
void cairn_refill_deal(const cairn_refill_plan *plan,
                       cairn_env               *env,
                       int                      threads,
                       cairn_refill_visit      *visit,
                       void                    *user);

#endif
