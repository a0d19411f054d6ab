// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One copy of the rows of all ranks: when it is made, filled anew, and kept. Ranks that
/// measure agree on the largest time of any.

#include "whole.h"

#include <cairn/mpi.h>

#include <math.h>
#include <petsctime.h>
#include <stdlib.h>

enum { TURNS = 4 };    ///< Of a race.
enum { ENOUGH = 120 }; ///< Products that pay for a copy, however long each takes.

/// What a communicator has.
typedef struct {
    cairn_context *context;
    PetscInt       copies; ///< Tensors of it that there are.
} home;

static PetscMPIInt home_key = MPI_KEYVAL_INVALID;

/* --- contexts --------------------------------------------------------------- */

/// A program may end with matrices that it has not destroyed: then their context stays, too.
/// MPI calls this in PetscFinalize(), after PETSc has unloaded the plug-in, which therefore
/// is linked to stay (-z nodelete).
static int forget_home(MPI_Comm comm, int key, void *value, void *extra)
{
    home *its = value;

    (void)comm;
    (void)key;
    (void)extra;
    if (!its->copies) cairn_context_destroy(&its->context);
    free(its);
    return MPI_SUCCESS;
}

static PetscErrorCode find_home(Mat A, home **its)
{
    PetscMPIInt found = 0;

    *its = NULL;
    if (home_key == MPI_KEYVAL_INVALID) return 0;
    PetscCallMPI(
        MPI_Comm_get_attr(PetscObjectComm((PetscObject)A), home_key, its, &found));
    if (!found) *its = NULL;
    return 0;
}

/// At PetscFinalize(): homes that there still are go with their communicators all the same.
static PetscErrorCode forget_key(void)
{
    if (home_key != MPI_KEYVAL_INVALID) PetscCallMPI(MPI_Comm_free_keyval(&home_key));
    return 0;
}

static PetscErrorCode keep_home(Mat A, home *its)
{
    if (home_key == MPI_KEYVAL_INVALID) {
        PetscCallMPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_home,
                                            &home_key, NULL));
        PetscCall(PetscRegisterFinalize(forget_key));
    }
    PetscCallMPI(MPI_Comm_set_attr(PetscObjectComm((PetscObject)A), home_key, its));
    return 0;
}

/// The context of A's communicator, PETSc's own duplicate of the user's; it goes with it,
/// after the last of its matrices. Where there can be none, the blocks go on for good.
static PetscErrorCode context_of(Mat A, shadow *s, cairn_context **context)
{
    home        *its;
    cairn_status status;
    char         text[512];

    PetscCall(find_home(A, &its));
    *context = its ? its->context : NULL;
    if (its) return 0;
    status = cairn_context_create_mpi(PetscObjectComm((PetscObject)A), context);
    if (status == CAIRN_OK) {
        its    = calloc(1, sizeof *its);
        status = cairn_context_agree(*context, its ? CAIRN_OK : CAIRN_NO_MEMORY);
    }
    if (status == CAIRN_OK) {
        its->context = *context;
        return keep_home(A, its);
    }
    PetscCall(PetscSNPrintf(text, sizeof text, "blocks go on: %s",
                            cairn_context_message(*context)));
    free(its);
    cairn_context_destroy(context);
    s->set.ranks = RANKS_BLOCKS;
    PetscCheck(!s->set.strict, PETSC_COMM_SELF, shadow_code(status), "cairn: %s",
               strchr(text, ':') + 2);
    return shadow_say(A, s, text);
}

/* --- agreements ------------------------------------------------------------- */

static PetscErrorCode agree_on_largest(Mat A, int n, double *number)
{
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, number, n, MPI_DOUBLE, MPI_MAX,
                               PetscObjectComm((PetscObject)A)));
    return 0;
}

PetscErrorCode whole_drop(Mat A, shadow *s)
{
    home *its;

    PetscCall(find_home(A, &its));
    if (its) its->copies -= s->tensor != NULL;
    for (int op = 0; op < PRODUCTS; op++) {
        cairn_plan_destroy(&s->plan[op]);
        s->by[op] = UNDECIDED;
    }
    cairn_tensor_destroy(&s->tensor);
    s->kept = (upkeep){0};
    return 0;
}

/// Tell it once for all ranks.
static PetscErrorCode say(Mat A, const shadow *s, const char *text)
{
    PetscMPIInt rank;

    PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
    if (rank == 0) return shadow_say(A, s, text);
    return PetscInfo(A, "cairn: %s\n", text);
}

/// A collective call failed, on all ranks. The blocks' way goes on until the pattern
/// changes, which is an error where that way would be one, too.
static PetscErrorCode
give_up(Mat A, shadow *s, const cairn_context *context, cairn_status status)
{
    char text[512];

    PetscCall(PetscSNPrintf(text, sizeof text, "blocks go on: %s: %s",
                            cairn_status_text(status), cairn_context_message(context)));
    PetscCall(whole_drop(A, s));
    PetscCheck(!s->set.strict && status != CAIRN_BAD_SYNTAX
                   && status != CAIRN_BAD_FORMAT && status != CAIRN_BAD_OPTION,
               PETSC_COMM_SELF, shadow_code(status), "cairn: %s",
               strchr(text, ':') + 2);
    return say(A, s, text);
}

/* --- the copy --------------------------------------------------------------- */

PetscErrorCode whole_borrow(Mat A, blocks *b)
{
    const PetscInt *ghosts;

    PetscCall(MatMPIAIJGetSeqAIJ(A, &b->mat[0], &b->mat[1], &ghosts));
    for (int k = 0; k < 2; k++) {
        const PetscInt *ptr, *idx;

        PetscCall(MatSeqAIJGetCSRAndMemType(b->mat[k], &ptr, &idx, NULL, NULL));
        PetscCall(MatSeqAIJGetArrayRead(b->mat[k], &b->values[k]));
        b->rows[k]             = (cairn_csr)CAIRN_CSR;
        b->rows[k].global_rows = A->rmap->N;
        b->rows[k].global_cols = A->cmap->N;
        b->rows[k].first_row   = A->rmap->rstart;
        b->rows[k].rows        = A->rmap->n;
        b->rows[k].ptr         = ptr;
        b->rows[k].idx         = idx;
        b->rows[k].val         = b->values[k];
        b->rows[k].ptr_bits = b->rows[k].idx_bits = 8 * sizeof(PetscInt);
    }
    b->map           = (cairn_column_map)CAIRN_COLUMN_MAP;
    b->map.first_col = A->cmap->rstart;
    b->map.cols      = A->cmap->n;
    b->map.ghosts    = b->mat[1]->cmap->n;
    b->map.col       = ghosts;
    b->map.bits      = 8 * sizeof(PetscInt);
    return 0;
}

PetscErrorCode whole_restore(blocks *b)
{
    for (int k = 0; k < 2; k++)
        PetscCall(MatSeqAIJRestoreArrayRead(b->mat[k], &b->values[k]));
    return 0;
}

static cairn_status store(cairn_context      *context,
                          const blocks       *b,
                          const cairn_format *format,
                          cairn_tensor      **tensor)
{
    return cairn_tensor_from_blocks(context, &b->rows[0], &b->rows[1], &b->map, format,
                                    tensor);
}

static cairn_status choose(cairn_context   *context,
                           const shadow    *s,
                           const blocks    *b,
                           cairn_format   **format,
                           cairn_auto_info *found)
{
    cairn_tensor *rows   = NULL;
    cairn_status  status = store(context, b, NULL, &rows);

    if (status == CAIRN_OK) status = shadow_choose(s, rows, format, found);
    cairn_tensor_destroy(&rows);
    return status;
}

static PetscErrorCode convert(Mat A, shadow *s, cairn_context *context)
{
    cairn_auto_info found  = CAIRN_AUTO_INFO;
    cairn_format   *format = NULL;
    cairn_status    status;
    PetscBool       open;
    blocks          b;
    home           *its;
    char            text[CAIRN_AUTO_TEXT + 256];

    PetscCall(shadow_is_open(s, &open));
    PetscCall(PetscLogEventBegin(shadow_event[CONVERT], A, 0, 0, 0));
    PetscCall(whole_borrow(A, &b));
    for (int k = 0; k < 2 && A->rmap->n; k++)
        s->nnz += ((const PetscInt *)b.rows[k].ptr)[A->rmap->n];
    status = cairn_context_set_replays(context, PetscMax(s->set.expected, 0));
    if (status == CAIRN_OK && !open)
        status = cairn_format_create(context, s->set.format, &format);
    status = cairn_context_agree(context, status);
    if (status == CAIRN_OK && open) status = choose(context, s, &b, &format, &found);
    if (status == CAIRN_OK) status = store(context, &b, format, &s->tensor);
    cairn_format_destroy(&format);
    PetscCall(whole_restore(&b));
    PetscCall(PetscLogEventEnd(shadow_event[CONVERT], A, 0, 0, 0));
    PetscCall(find_home(A, &its));
    its->copies += s->tensor != NULL;
    if (status != CAIRN_OK) return give_up(A, s, context, status);
    PetscCall(PetscSNPrintf(text, sizeof text, "of all ranks: %s",
                            open ? cairn_format_text(cairn_tensor_format(s->tensor))
                                 : s->set.format));
    return say(A, s, text);
}

/// New values of this rank's, from where they lie.
static PetscErrorCode update(Mat A, shadow *s, cairn_status *status)
{
    blocks b;

    PetscCall(PetscLogEventBegin(shadow_event[REFILL], A, 0, 0, 0));
    PetscCall(whole_borrow(A, &b));
    *status = cairn_tensor_update_blocks(s->tensor, b.values[0], b.values[1]);
    PetscCall(whole_restore(&b));
    return PetscLogEventEnd(shadow_event[REFILL], A, 0, 0, 0);
}

/// On one rank, whose blocks were changed beside the matrix. The others cannot know, so that
/// a failure is this rank's alone (whole_run()).
static PetscErrorCode refill_alone(Mat A, shadow *s, cairn_status *status)
{
    if (s->kept.stale) return 0; // all ranks will bring theirs
    return update(A, s, status);
}

/// New values, which each rank brings by itself; then all hear at once how long that took
/// and whether all have them.
static PetscErrorCode refill(Mat A, shadow *s, cairn_context *context)
{
    upkeep        *k = &s->kept;
    PetscLogDouble begin, end;
    cairn_status   status;
    double         worst[2]; // seconds; 1: it failed

    PetscCall(PetscTime(&begin));
    PetscCall(update(A, s, &status));
    PetscCall(PetscTime(&end));
    worst[0] = end - begin;
    worst[1] = status != CAIRN_OK;
    PetscCall(agree_on_largest(A, 2, worst));
    k->refill = k->measured < 2 ? worst[0] : PetscMin(k->refill, worst[0]);
    k->measured++;
    k->stale = PETSC_FALSE;
    s->refills++;
    if (worst[1] == 0) return 0;
    return give_up(A, s, context, cairn_context_agree(context, status));
}

/* --- products --------------------------------------------------------------- */

/// By the blocks' copies, AIJ and PETSc's scatter.
static PetscErrorCode run_blocks(Mat A, int op, Vec x, Vec add, Vec y)
{
    const struct _MatOps *ops = &shadow_parent[MPI];

    if (op & MULT_ADD)
        return (op & TRANSPOSE ? ops->multtransposeadd : ops->multadd)(A, x, add, y);
    return (op & TRANSPOSE ? ops->multtranspose : ops->mult)(A, x, y);
}

PetscErrorCode whole_fits(Mat A, int op, const cairn_plan *plan, PetscBool *fits_all)
{
    const PetscLayout in  = op & TRANSPOSE ? A->rmap : A->cmap;
    const PetscLayout out = op & TRANSPOSE ? A->cmap : A->rmap;
    int64_t           first, end;
    PetscBool         mine;

    cairn_plan_columns(plan, &first, &end);
    mine = (PetscBool)(end - first == in->n && (!in->n || first == in->rstart));
    cairn_plan_rows(plan, &first, &end);
    mine =
        (PetscBool)(mine && end - first == out->n && (!out->n || first == out->rstart));
    PetscCallMPI(MPI_Allreduce(&mine, fits_all, 1, MPIU_BOOL, MPI_LAND,
                               PetscObjectComm((PetscObject)A)));
    return 0;
}

/// Make the plan of a product where there is none. Where its vectors lie otherwise than A's
/// the blocks compute.
static PetscErrorCode plan_ready(Mat A, shadow *s, cairn_context *context, int op)
{
    cairn_product_options product = CAIRN_PRODUCT_OPTIONS;
    cairn_plan_options    options = CAIRN_PLAN_OPTIONS;
    PetscBool             good;

    if (s->plan[op]) return 0;
    product.transposed = op & TRANSPOSE;
    product.beta       = (op & MULT_ADD) != 0;
    options.product    = &product;
    options.place      = s->set.place[0] ? s->set.place : NULL;

    const cairn_status status =
        cairn_plan_create_with(s->tensor, &options, &s->plan[op]);

    if (status != CAIRN_OK) return give_up(A, s, context, status);
    PetscCall(whole_fits(A, op, s->plan[op], &good));
    if (good) return 0;
    cairn_plan_destroy(&s->plan[op]);
    s->by[op] = PARENTS;
    return say(A, s, "blocks: X or Y is divided otherwise than the rows");
}

/// The least time of the blocks' product, the largest of any rank; the first, which makes
/// copies, is not counted.
static PetscErrorCode time_blocks(Mat A, int op, Vec x, Vec y, double *seconds)
{
    const MPI_Comm comm = PetscObjectComm((PetscObject)A);
    PetscLogDouble begin, end;
    Vec            scratch;

    PetscCall(VecDuplicate(y, &scratch));
    for (int turn = 0; turn < 3; turn++) {
        PetscCallMPI(MPI_Barrier(comm));
        PetscCall(PetscTime(&begin));
        PetscCall(run_blocks(A, op & TRANSPOSE, x, NULL, scratch));
        PetscCall(PetscTime(&end));
        if (turn) *seconds = PetscMin(*seconds, end - begin);
    }
    PetscCall(VecDestroy(&scratch));
    return agree_on_largest(A, 1, seconds);
}

/// Drop the copy of a rank's block, which is made again where it is wanted.
static PetscErrorCode drop_block(Mat A)
{
    Mat     block;
    shadow *s;

    PetscCall(MatMPIAIJGetSeqAIJ(A, &block, NULL, NULL));
    if (block->ops->mult != shadow_mult || !block->spptr) return 0;
    PetscCall(shadow_of(block, &s));
    shadow_drop(s);
    s->looked = PETSC_FALSE;
    return 0;
}

/// Both compute op(A) x in turns, and the faster is kept. A rank whose product fails goes on
/// with the others, which wait for it in each turn.
static PetscErrorCode
compete(Mat A, shadow *s, cairn_context *context, int op, Vec x, Vec y)
{
    const MPI_Comm comm    = PetscObjectComm((PetscObject)A);
    const int      way     = (op & TRANSPOSE) != 0;
    double         time[2] = {PETSC_MAX_REAL, PETSC_MAX_REAL}; // ours, the blocks'
    cairn_status   status  = CAIRN_OK;
    PetscLogDouble begin, middle, end;
    char           text[160];
    Vec            scratch;

    PetscCall(VecDuplicate(y, &scratch));
    for (int turn = 0; turn < TURNS; turn++) {
        cairn_status its;

        PetscCallMPI(MPI_Barrier(comm));
        PetscCall(PetscTime(&begin));
        PetscCall(
            shadow_run(s->plan[op & TRANSPOSE], op & TRANSPOSE, x, scratch, &its));
        if (status == CAIRN_OK) status = its;
        PetscCall(PetscTime(&middle));
        PetscCall(run_blocks(A, op & TRANSPOSE, x, NULL, scratch));
        PetscCall(PetscTime(&end));
        time[0] = PetscMin(time[0], middle - begin);
        time[1] = PetscMin(time[1], end - middle);
    }
    PetscCall(VecDestroy(&scratch));
    status = cairn_context_agree(context, status);
    if (status != CAIRN_OK) return give_up(A, s, context, status);
    PetscCall(agree_on_largest(A, 2, time));
    s->kept.ours[way]   = time[0];
    s->kept.theirs[way] = time[1];
    s->by[op] = s->by[op ^ MULT_ADD] = time[0] < time[1] ? CAIRNS : PARENTS;
    if (s->by[op] == CAIRNS) PetscCall(drop_block(A));
    PetscCall(PetscSNPrintf(text, sizeof text,
                            "%s takes %.2f us by the copy of all ranks, %.2f by blocks",
                            way ? "A'x" : "Ax", 1e6 * time[0], 1e6 * time[1]));
    return say(A, s, text);
}

PetscErrorCode whole_run(Mat           A,
                         cairn_plan   *plan,
                         int           op,
                         Vec           x,
                         Vec           y,
                         cairn_status  mine,
                         cairn_status *status)
{
    double      *own = cairn_plan_x(plan);
    PetscScalar *to;

    if (mine == CAIRN_OK) return shadow_run(plan, op, x, y, status);
    *status = mine;
    if (!(op & TRANSPOSE)) return shadow_run(plan, op, x, y, &mine);
    for (PetscInt i = 0; i < A->rmap->n; i++)
        own[i] = NAN;
    PetscCall(VecGetArray(y, &to));
    (void)cairn_plan_run(plan, NULL, to);
    return VecRestoreArray(y, &to);
}

/* --- new values, new patterns ----------------------------------------------- */

/// Could a copy of all ranks win back what it costs, as a block's has to?
static PetscErrorCode
does_pay(Mat A, const shadow *s, int op, Vec x, Vec y, PetscBool *pays)
{
    double seconds = PETSC_MAX_REAL;

    PetscCall(time_blocks(A, op, x, y, &seconds));
    *pays = s->set.expected * seconds * 0.5 > 60 * seconds + 1e-3;
    return *pays ? 0
                 : say(A, s, "blocks: products are too few for a copy of all ranks");
}

/// A new pattern, which all ranks see: the copy is made anew, if it may pay.
static PetscErrorCode
begin_pattern(Mat A, shadow *s, cairn_context *context, int op, Vec x, Vec y)
{
    PetscBool open, pays = PETSC_TRUE;

    PetscCall(whole_drop(A, s));
    s->rows = A->rmap->N;
    s->cols = A->cmap->N;
    s->nnz  = 0;
    if (!s->rows || !s->cols) return 0;
    PetscCall(shadow_is_open(s, &open));
    if (open && s->set.ranks == RANKS_AUTO)
        PetscCall(does_pay(A, s, op, x, y, &pays));
    else if (open) // the blocks are not to be stored for a clock's sake
        pays = (PetscBool)(s->set.expected > ENOUGH);
    return pays ? convert(A, s, context) : 0;
}

PetscErrorCode whole_states(Mat A, PetscObjectState *all, PetscObjectState *mine)
{
    PetscObjectState its[2];
    Mat              block[2];

    PetscCall(MatMPIAIJGetSeqAIJ(A, &block[0], &block[1], NULL));
    for (int k = 0; k < 2; k++)
        PetscCall(PetscObjectStateGet((PetscObject)block[k], &its[k]));
    *mine = its[0] + its[1];
    return PetscObjectStateGet((PetscObject)A, all);
}

/// See what has changed, and have the copy follow. Where the matrix has a new state each
/// rank looks whether its blocks are those of the copy, and all agree; where a block alone
/// has one, its rank alone has new values.
///
/// @param[out] mine  Of this rank's new values, where it alone has some.
static PetscErrorCode
look(Mat A, shadow *s, cairn_context *context, int op, Vec x, Vec y, cairn_status *mine)
{
    sight     now = s->seen;
    PetscBool other;
    Mat       block[2];

    PetscCall(whole_states(A, &now.values, &now.blocks));
    if (s->looked && now.values == s->seen.values && now.blocks == s->seen.blocks)
        return 0;
    if (s->looked && now.values == s->seen.values) {
        if (s->tensor) PetscCall(refill_alone(A, s, mine));
        if (*mine == CAIRN_OK) s->seen.blocks = now.blocks;
        return 0;
    }
    PetscCall(MatMPIAIJGetSeqAIJ(A, &block[0], &block[1], NULL));
    now.pattern = A->nonzerostate;
    for (int k = 0; k < 2; k++)
        PetscCall(PetscObjectGetId((PetscObject)block[k], &now.block[k]));
    other = (PetscBool)(!s->looked || now.pattern != s->seen.pattern
                        || now.block[0] != s->seen.block[0]
                        || now.block[1] != s->seen.block[1]);
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &other, 1, MPIU_BOOL, MPI_LOR,
                               PetscObjectComm((PetscObject)A)));
    s->looked = PETSC_TRUE;
    s->seen   = now;
    if (other) return begin_pattern(A, s, context, op, x, y);
    for (int way = 0; way < 2; way++) {
        s->kept.before[way] = s->kept.now[way];
        s->kept.now[way]    = 0;
    }
    s->kept.stale = PETSC_TRUE;
    return 0;
}

/// Bring new values to a stale copy, unless a refill takes longer than its products win, as
/// shadow.c does for a block's. Times are those that all ranks agreed on.
static PetscErrorCode bring(Mat A, shadow *s, cairn_context *context)
{
    upkeep   *k = &s->kept;
    PetscBool open;

    PetscCall(shadow_is_open(s, &open));
    k->resting =
        (PetscBool)(s->set.ranks == RANKS_AUTO && open && k->measured >= LEARNING
                    && shadow_won(k, k->before) < k->refill
                    && shadow_won(k, k->now) < k->refill);
    return k->resting ? 0 : refill(A, s, context);
}

/// Find who computes.
///
/// @param[out] plan  NULL where the blocks do.
/// @param[out] mine  Of new values that this rank alone has.
static PetscErrorCode
decide(Mat A, shadow *s, int op, Vec x, Vec y, cairn_plan **plan, cairn_status *mine)
{
    const int      way = (op & TRANSPOSE) != 0;
    cairn_context *context;

    *plan = NULL;
    *mine = CAIRN_OK;
    PetscCall(context_of(A, s, &context));
    if (!context) return 0;
    PetscCall(look(A, s, context, op, x, y, mine));
    if (s->tensor && s->by[op] == UNDECIDED) {
        PetscCall(plan_ready(A, s, context, op & TRANSPOSE));
        if (s->tensor && s->by[op & TRANSPOSE] == UNDECIDED
            && s->set.ranks == RANKS_AUTO)
            PetscCall(compete(A, s, context, op, x, y));
        if (s->by[op] == UNDECIDED)
            s->by[op] = s->by[op & TRANSPOSE] == PARENTS ? PARENTS : CAIRNS;
    }
    if (!s->tensor || s->by[op] != CAIRNS) return 0;
    s->kept.now[way]++;
    if (s->kept.stale) PetscCall(bring(A, s, context));
    if (s->tensor && !s->kept.stale) PetscCall(plan_ready(A, s, context, op));
    if (s->tensor && !s->kept.stale) *plan = s->plan[op];
    return 0;
}

PetscErrorCode whole_product(Mat A, int op, Vec x, Vec add, Vec y)
{
    cairn_status status, mine;
    cairn_plan  *plan;
    shadow      *s;
    home        *its;

    PetscCall(shadow_of(A, &s));
    PetscCall(decide(A, s, op, x, y, &plan, &mine));
    if (!plan) {
        s->parents_runs++;
        return run_blocks(A, op, x, add, y);
    }
    PetscCall(PetscLogEventBegin(shadow_event[RUN], A, x, y, 0));
    if (add && add != y) PetscCall(VecCopy(add, y));
    PetscCall(whole_run(A, plan, op, x, y, mine, &status));
    PetscCall(PetscLogFlops(2.0 * s->nnz));
    PetscCall(PetscLogEventEnd(shadow_event[RUN], A, x, y, 0));
    s->runs++;
    if (status == CAIRN_OK) return 0;
    /* This rank alone may have failed. The others go on by the copy, and would wait for it
     * if it dropped its part; it would wait for them if it turned to the blocks. */
    PetscCall(find_home(A, &its));
    SETERRQ(PETSC_COMM_SELF, shadow_code(status), "cairn: a product: %s: %s",
            cairn_status_text(status), cairn_context_message(its->context));
}
