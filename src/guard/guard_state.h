// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a check of products keeps (guard.h), and what its looks have in common: which columns
/// there are, the X of a run as a rank has it, what sums may differ by.

#ifndef CAIRN_GUARD_STATE_H
#define CAIRN_GUARD_STATE_H

#include "guard/guard_passes.h"
#include "plan/operands.h"

#include <cairn/plan.h>

/// Sums of one member's columns on this rank.
typedef struct cairn_guard_sums {
    double *w;    ///< [columns] 1'A
    double *size; ///< [columns] 1'|A|
} cairn_guard_sums;

/// Sums of the columns of all members together, of own ones or of those of other ranks, in
/// blocks of CAIRN_GUARD_BLOCK columns that begin at one whose sum is not 0, as few do of a
/// discrete Laplacian. Where many blocks are alike, as those of one of its faces, they are of
/// one kind, whose sums are kept once; blocks of no kind follow, with sums of their own.
typedef struct cairn_guard_columns {
    int64_t   columns;
    int64_t   blocks;
    uint32_t *at; ///< [blocks] From which column on, of each kind ascending. NULL: w is
                  ///< that of all columns, in order.
    int64_t  kinds;
    int64_t *first; ///< [kinds + 1] Which of the blocks is the first of each kind.
    double  *w;     ///< [kinds + blocks of no kind][CAIRN_GUARD_BLOCK], or [columns]
    double  *size;  ///< [stretches][sample] 1'|A| of the first columns of each.
} cairn_guard_columns;

enum { CAIRN_GUARD_OWN, CAIRN_GUARD_GHOSTS, CAIRN_GUARD_SIDES };

typedef struct cairn_guard {
    cairn_comm        *comm;
    const cairn_local *local; ///< What is multiplied.
    cairn_interval     rows;  ///< Of this rank.
    int64_t columns;          ///< Own ones first, then those of other ranks, ascending.
    int64_t own;
    int64_t longest; ///< Entries of a row, at most.
    int64_t updates; ///< Of the tensor's values that the sums have.
    int64_t closer;  ///< Checks that took the second look.
    int     members;
    cairn_guard_columns all[CAIRN_GUARD_SIDES];
    cairn_guard_sums    sums[CAIRN_MAX_MEMBERS]; ///< [members]
    cairn_guard_info    info;                    ///< Of this rank.
} cairn_guard;

/// Numbers that are worth waking threads for.
enum { CAIRN_GUARD_PARALLEL = 32768 };

/// Are X and Y f32?
bool cairn_guard_is_narrow(const cairn_guard *guard);

/// Columns of each stretch whose sizes are looked at first: of few columns all; of more whole
/// lines of the caches, one column in 64, and of many one in 256.
int64_t cairn_guard_sample(int64_t columns);

/// Are the sums of columns listed? No more than 2^32 columns of a rank are; of others all
/// checks take the second look.
bool cairn_guard_are_listed(const cairn_guard *guard);

/// The number of column @p j among those that this rank has. @return -1: it has not.
int64_t
cairn_guard_place(const cairn_guard *guard, const cairn_x_rows *rows, cairn_coord j);

/// Number @p k of a vector of the product's type.
double cairn_guard_value(const cairn_guard *guard, const void *values, int64_t k);

/// Values of X at the columns of this rank, in two pieces.
typedef struct cairn_guard_x {
    const cairn_guard *guard;
    const void        *own, *ghost;
} cairn_guard_x;

/// Those of a run whose X is @p x; what it fetched is there still.
cairn_guard_x cairn_guard_x_of(const cairn_guard    *guard,
                               const cairn_operands *operands,
                               const void           *x);

/// The value at the column of number @p k.
double cairn_guard_x_at(const cairn_guard_x *x, int64_t k);

/// What sums may differ by, of terms that have this size in all.
double cairn_guard_bound(const cairn_guard *guard, long double size);

#endif
