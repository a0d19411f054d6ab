// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// By way of other orders. Where the source does not come in an order that some compiled
/// way to the target wants, its entries would be packed and sorted, or read as
/// coordinates. Cheaper than that is to bring them into such an order first, by ways that
/// need none: an *intermediate* is a tensor whose first levels are complete and whose others
/// follow as the target wants them (for two dimensions: compressed rows, or columns). What
/// scatters entries by their row leaves each row in the order in which they came, so that
/// any order of the dimensions is reached by moving one after the other to the front, as
/// radix sort does from the last digit up: one for two dimensions, mostly one or two for
/// three. The members of a hybrid share the last intermediate, and so do their queries.
///
/// What is moved decides, in bytes an entry, e(L) being those of an entry in L; a byte that
/// is written counts twice, since its line is read first:
///
/// | way | bytes |
/// |---|---|
/// | SORT | e(source), 32 to pack, 112 to sort, 48 to look for repeats, to count, to fill |
/// | an intermediate S after F | 2 e(F), 2 e(S), 32 for each of its groups; 48 by way of buckets |
/// | the target from the last intermediate S | 2 e(S) |
///
/// Sorting scatters items to buckets that are then sorted in cache, whatever the bits of the
/// key are. Filling the target's own arrays costs the same either way, and is left out.
/// Whether an intermediate will go by way of buckets (convert/stores/compiled_buckets.h) is
/// not known before: it counts where it may. So one intermediate pays (a third to two
/// thirds of SORT, measured on matrices and on tensors of order 3), two where entries are
/// few.
///
/// Memory: one intermediate, two while the second of several is made; their bytes count against
/// the limit. Internal to convert.

#ifndef CAIRN_CONVERT_INTERMEDIATES_H
#define CAIRN_CONVERT_INTERMEDIATES_H

#include "convert/build_steps.h"
#include "rules/pass_list.h"

/// A tensor in between.
typedef struct cairn_intermediate {
    cairn_format *format;
    cairn_layout *layout;
} cairn_intermediate;

typedef struct cairn_intermediates {
    int                count; ///< 0: the source is as good.
    cairn_intermediate intermediate[CAIRN_MAX_ORDER + 1];
    cairn_local       *last;    ///< The last intermediate, once it is made.
    cairn_build        onward;  ///< The build from there.
    cairn_route        route;   ///< Of the functions that made it, the least.
    cairn_pass_list    program; ///< What made the intermediates.
} cairn_intermediates;

/// Make a build start from another order, if that pays and succeeds: then `last` is there.
///
/// Local. Never on several ranks, from hybrids or sources that may hold an entry twice, nor
/// where a compiler would not pay.
///
/// @param[in]     members  Of the build; which kind their queries are of is known, except
///                         from buckets.
/// @param[in,out] way      Zero; give back with cairn_intermediates_fini() after the build.
void cairn_intermediates_go(cairn_env                *env,
                            const cairn_build        *build,
                            const cairn_member_build *members,
                            cairn_intermediates      *way);

void cairn_intermediates_fini(cairn_env *env, cairn_intermediates *way);

/* For intermediates.c, and for intermediates_find.c. */

/// Find intermediates after which fewer members need a sort, and that are worth it.
///
/// @param[in,out] way  On failure it may have some.
cairn_status cairn_intermediates_find(cairn_env                *env,
                                      const cairn_build        *build,
                                      const cairn_member_build *members,
                                      cairn_intermediates      *way);

/// Is less moved by way of its intermediates? @p source: NULL for coordinates. (From buckets
/// always: else they are sorted, and then no way is shorter.)
bool cairn_intermediates_pays(const cairn_build         *build,
                              const cairn_layout        *source,
                              cairn_pos                  entries,
                              const cairn_intermediates *way);

void cairn_intermediate_fini(cairn_env *env, cairn_intermediate *intermediate);

#endif
