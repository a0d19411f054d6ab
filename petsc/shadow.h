// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a matrix of type `aijcairn` has beyond AIJ: a copy in a format of Cairn's, made at
/// the first product, given new values when the matrix has new ones, and made anew when its
/// pattern changes. Everything here is local to a process: of a matrix of several ranks
/// each rank's diagonal block has a shadow, and no two ranks need do the same.

#ifndef CAIRN_PETSC_SHADOW_H
#define CAIRN_PETSC_SHADOW_H

#include <cairn/cairn.h>

#include <petsc/private/matimpl.h>

#if !defined(PETSC_USE_REAL_DOUBLE) || defined(PETSC_USE_COMPLEX)
#    error "Cairn's values are real doubles: this PETSc's are not"
#endif

/// Products; TRANSPOSE and MULT_ADD are bits of those with vectors.
enum { MULT, MULT_ADD, TRANSPOSE, TRANSPOSE_ADD, DENSE, PRODUCTS };

enum { SEQ, MPI, KINDS };
enum { CONVERT, REFILL, RUN, RUN_PARENT, EVENTS };
enum { LEARNING = 4 }; ///< Refills of a copy that come before their time is believed.
enum { WIDTH = 8 };    ///< Columns of dense matrices that are multiplied at once.

/// Who computes a product.
typedef enum { UNDECIDED, CAIRNS, PARENTS } party;

/// How several ranks compute: each its block (shadow.c), all rows by one copy (whole.c), or
/// the faster of both.
enum { RANKS_BLOCKS, RANKS_WHOLE, RANKS_AUTO };

/// What the options of a matrix say.
typedef struct {
    PetscBool read;  ///< They were looked at, or come from another matrix.
    PetscBool whole; ///< They are those of the matrix whose block this one is.
    char      format[CAIRN_AUTO_TEXT], place[256];
    PetscInt  expected; ///< Products to come.
    PetscInt  ranks;    ///< How several ranks compute.
    PetscBool strict, view;
} settings;

/// What new values cost a matrix whose format was left open, and what they are for: products
/// by the copy since they came. Of pairs the first is of A x, the second of A' x.
typedef struct {
    double    ours[2], theirs[2]; ///< Seconds of a product, the least that were seen.
    double    refill;             ///< Seconds of a refill, likewise.
    PetscInt  measured;           ///< Refills; the first of a copy makes a plan.
    PetscInt  now[2];    ///< Products that were wanted since the values changed,
    PetscInt  before[2]; ///< and between that change and the one before it.
    PetscBool stale;     ///< The copy has the values of an earlier time.
    PetscBool resting;   ///< A refill would not pay: AIJ computes.
    PetscBool settled;   ///< Values are wide, or a copy with wide ones was tried.
} upkeep;

/// What of a matrix was seen when it was looked at.
typedef struct {
    PetscObjectState values, pattern;
    const PetscInt  *ptr, *idx; ///< AIJ's arrays; compared, not followed afterwards.
    PetscObjectState blocks;    ///< Of one of several ranks: of its blocks, and
    PetscObjectId    block[2];  ///< which they are.
} sight;

/// A matrix's `spptr`.
typedef struct {
    settings      set;
    cairn_tensor *tensor; ///< The copy; NULL: there is none.
    cairn_plan   *plan[PRODUCTS];
    party         by[PRODUCTS];
    PetscBool     looked; ///< What follows is of the matrix when it was looked at.
    sight         seen;
    PetscInt      rows, cols, nnz;
    PetscInt      runs, parents_runs, refills;
    upkeep        kept;
} shadow;

extern struct _MatOps shadow_parent[KINDS]; ///< AIJ's functions, as they were found.
extern PetscLogEvent  shadow_event[EVENTS];
extern int       shadow_threads; ///< Of copies; 0: as many as Cairn takes by itself.
extern PetscBool shadow_begun;   ///< shadow_begin() was called since PetscInitialize().

/// Before anything else, as often as one likes: is this the PETSc that the library was built
/// for? Then its events are registered, and its end. Local.
PetscErrorCode shadow_begin(void);

/// The shadow of a matrix, made where there is none: one whose header was merged
/// (MatHeaderMerge()) has lost it.
PetscErrorCode shadow_of(Mat A, shadow **s);

/// Read the options of A once, unless they came from another matrix.
PetscErrorCode shadow_settings(Mat A, settings *set);

/// Was the format left to Cairn?
PetscErrorCode shadow_is_open(const shadow *s, PetscBool *open);

/// Tell PetscInfo(), and with -mat_cairn_view standard output.
PetscErrorCode shadow_say(Mat A, const shadow *s, const char *text);

/// PETSc's number for what failed.
PetscErrorCode shadow_code(cairn_status status);

/// A format for rows that are stored, by what their matrix asks for (its place, how many
/// products are expected). Collective over the context of @p rows.
///
/// @param[out] format  cairn_format_destroy(). Unchanged on failure, which is as of
///                     cairn_source_from_tensor() and cairn_format_auto().
cairn_status shadow_choose(const shadow       *s,
                           const cairn_tensor *rows,
                           cairn_format      **format,
                           cairn_auto_info    *found);

/// A call of Cairn's failed. There is no copy then until the pattern changes, which is an
/// error with -mat_cairn_strict; and so is an option that is wrong in any case: no matrix
/// would make it right.
PetscErrorCode shadow_give_up(Mat A, shadow *s, cairn_status status);

/// Find who computes; where that is the copy, it has the matrix's values.
///
/// @param[in]  op    Of a product with vectors.
/// @param[in]  x, y  Of the product that is wanted, to try it; y is kept.
/// @param[out] plan  NULL where AIJ computes.
PetscErrorCode shadow_decide(Mat A, shadow *s, int op, Vec x, Vec y, cairn_plan **plan);

/// Make the plan of a product where there is none.
PetscErrorCode shadow_plan(Mat A, shadow *s, int op);

/// y = op(A) x, or y += op(A) x, by a plan of a copy.
///
/// @param[in]  op      Of a product with vectors.
/// @param[out] status  What cairn_plan_run() returned.
PetscErrorCode shadow_run(cairn_plan *plan, int op, Vec x, Vec y, cairn_status *status);

/// The seconds that products by the copy win.
double shadow_won(const upkeep *k, const PetscInt products[2]);

void           shadow_drop(shadow *s); ///< Without its copy and plans.
PetscErrorCode shadow_end(void);       ///< At PetscFinalize().

/// @name The functions of the type for matrices of one rank
/// @{
PetscErrorCode shadow_mult(Mat A, Vec x, Vec y);
PetscErrorCode shadow_mult_add(Mat A, Vec x, Vec add, Vec y);
PetscErrorCode shadow_transpose(Mat A, Vec x, Vec y);
PetscErrorCode shadow_transpose_add(Mat A, Vec x, Vec add, Vec y);
/// @}

#endif
