// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The copy that products run by: when it is made, filled anew, tried and given up.

#include "shadow.h"

#include <petsctime.h>

struct _MatOps shadow_parent[KINDS];
PetscLogEvent  shadow_event[EVENTS];
int            shadow_threads;

static cairn_context *context; ///< Of this process alone, made for the first copy.
static PetscInt       copies;  ///< Tensors of it that there are.

/* --- options and messages --------------------------------------------------- */

PetscErrorCode shadow_of(Mat A, shadow **s)
{
    if (!A->spptr) {
        PetscCall(PetscNew(s));
        A->spptr = *s;
    }
    *s = A->spptr;
    return 0;
}

PetscErrorCode shadow_settings(Mat A, settings *set)
{
    if (set->read) return 0;
    PetscCall(PetscStrncpy(set->format, "auto", sizeof set->format));
    set->expected = 1000;
    PetscObjectOptionsBegin((PetscObject)A);
    PetscCall(PetscOptionsString("-mat_cairn_format", "Format, or auto", NULL,
                                 set->format, set->format, sizeof set->format, NULL));
    PetscCall(PetscOptionsString("-mat_cairn_place", "Devices, as cairn run --place",
                                 NULL, set->place, set->place, sizeof set->place,
                                 NULL));
    PetscCall(PetscOptionsInt("-mat_cairn_expected", "Products that will come", NULL,
                              set->expected, &set->expected, NULL));
    PetscCall(PetscOptionsBool("-mat_cairn_strict", "Having no copy is an error", NULL,
                               set->strict, &set->strict, NULL));
    PetscCall(PetscOptionsBool("-mat_cairn_view", "Say what was chosen, and why", NULL,
                               set->view, &set->view, NULL));
    PetscOptionsEnd();
    set->read = PETSC_TRUE;
    return 0;
}

PetscErrorCode shadow_is_open(const shadow *s, PetscBool *open)
{
    return PetscStrcmp(s->set.format, "auto", open);
}

PetscErrorCode shadow_say(Mat A, const shadow *s, const char *text)
{
    PetscMPIInt rank;

    PetscCall(PetscInfo(A, "cairn: %s\n", text));
    if (!s->set.view) return 0;
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscCall(PetscViewerASCIIPrintf(PETSC_VIEWER_STDOUT_SELF,
                                     "cairn: rank %d, %" PetscInt_FMT
                                     " x %" PetscInt_FMT ": %s\n",
                                     rank, s->rows, s->cols, text));
    return 0;
}

static PetscErrorCode say_copy(Mat A, const shadow *s, const cairn_auto_info *found)
{
    const double     wide  = sizeof(PetscInt);
    cairn_part_info *parts = NULL;
    int64_t          count = 0, bytes = 0;
    char             text[CAIRN_AUTO_TEXT + 1024];

    if (cairn_tensor_parts(s->tensor, &count, &parts) != CAIRN_OK) count = 0;
    for (int64_t k = 0; k < count; k++)
        bytes += parts[k].bytes;
    cairn_parts_free(s->tensor, &parts);
    PetscCall(PetscSNPrintf(
        text, sizeof text, "%s\n  AIJ has %.0f bytes, the copy %.0f\n  %s\n  %s",
        cairn_format_text(cairn_tensor_format(s->tensor)),
        s->nnz * (sizeof(PetscScalar) + wide) + (s->rows + 1) * wide, (double)bytes,
        found->why[0], found->why[1]));
    return shadow_say(A, s, text);
}

void shadow_drop(shadow *s)
{
    for (int op = 0; op < PRODUCTS; op++) {
        cairn_plan_destroy(&s->plan[op]);
        s->by[op] = UNDECIDED;
    }
    copies -= s->tensor != NULL;
    cairn_tensor_destroy(&s->tensor);
}

PetscErrorCode shadow_code(cairn_status status)
{
    if (status == CAIRN_NO_MEMORY) return PETSC_ERR_MEM;
    return cairn_status_failed_here(status) ? PETSC_ERR_LIB : PETSC_ERR_ARG_WRONG;
}

PetscErrorCode shadow_give_up(Mat A, shadow *s, cairn_status status)
{
    char text[512];

    PetscCall(PetscSNPrintf(text, sizeof text, "AIJ's product goes on: %s: %s",
                            cairn_status_text(status), cairn_context_message(context)));
    shadow_drop(s);
    PetscCheck(!s->set.strict && status != CAIRN_BAD_SYNTAX
                   && status != CAIRN_BAD_FORMAT && status != CAIRN_BAD_OPTION,
               PETSC_COMM_SELF, shadow_code(status), "cairn: %s",
               strchr(text, ':') + 2);
    return shadow_say(A, s, text);
}

/* --- the copy --------------------------------------------------------------- */

static cairn_status context_ready(void)
{
    static cairn_status made;

    if (context) return made;
    made = cairn_context_create(&context);
    if (made == CAIRN_OK && shadow_threads)
        made = cairn_context_set_threads(context, shadow_threads);
    return made;
}

PetscErrorCode shadow_end(void)
{
    if (!copies) cairn_context_destroy(&context);
    return 0;
}

static cairn_status store(const shadow       *s,
                          const PetscScalar  *values,
                          const cairn_format *format,
                          cairn_tensor      **tensor)
{
    const int bits = 8 * sizeof(PetscInt);

    return cairn_tensor_from_csr(context, s->rows, s->cols, 0, s->rows, s->ptr, bits,
                                 s->idx, bits, values, CAIRN_F64, CAIRN_BORROW, format,
                                 tensor);
}

static cairn_status choose(const shadow      *s,
                           const PetscScalar *values,
                           cairn_format     **format,
                           cairn_auto_info   *found)
{
    cairn_auto_options options = CAIRN_AUTO_OPTIONS;
    cairn_tensor      *lent    = NULL;
    cairn_source      *source  = NULL;
    cairn_status       status  = store(s, values, NULL, &lent);

    options.place   = s->set.place[0] ? s->set.place : NULL;
    options.replays = s->set.expected;
    if (status == CAIRN_OK) status = cairn_source_from_tensor(lent, &source);
    if (status == CAIRN_OK)
        status = cairn_format_auto(source, CAIRN_F64, NULL, &options, format, found);
    cairn_source_destroy(&source);
    cairn_tensor_destroy(&lent);
    return status;
}

/// A vector like y's own part: y may be of several ranks, of which one alone comes here.
static PetscErrorCode scratch_of(Vec y, Vec *scratch)
{
    PetscInt n;

    PetscCall(VecGetLocalSize(y, &n));
    return VecCreateSeq(PETSC_COMM_SELF, n, scratch);
}

/// Time AIJ's y = op(A) x; @p seconds becomes less where it is.
static PetscErrorCode time_parent(Mat A, int op, Vec x, Vec y, double *seconds)
{
    PetscLogDouble begin, end;

    PetscCall(PetscTime(&begin));
    PetscCall((op & TRANSPOSE ? shadow_parent[SEQ].multtranspose
                              : shadow_parent[SEQ].mult)(A, x, y));
    PetscCall(PetscTime(&end));
    *seconds = PetscMin(*seconds, end - begin);
    return 0;
}

/// Would a copy win back what it costs, if products take half the time? Choosing and
/// storing take some 60 of AIJ's products, and a millisecond of the smallest matrix.
static PetscErrorCode
does_pay(Mat A, const shadow *s, int op, Vec x, Vec y, PetscBool *pays)
{
    double seconds = PETSC_MAX_REAL;
    Vec    scratch;

    PetscCall(scratch_of(y, &scratch));
    for (int turn = 0; turn < 2; turn++)
        PetscCall(time_parent(A, op, x, scratch, &seconds));
    PetscCall(VecDestroy(&scratch));
    *pays = s->set.expected * seconds * 0.5 > 60 * seconds + 1e-3;
    if (!*pays)
        PetscCall(shadow_say(
            A, s, "AIJ's product: -mat_cairn_expected would not pay for a copy"));
    return 0;
}

/// @param[in] x, y  Of the product that is wanted; y is kept.
static PetscErrorCode convert(Mat A, shadow *s, int op, Vec x, Vec y)
{
    const PetscScalar *values;
    cairn_format      *format = NULL;
    cairn_auto_info    found  = CAIRN_AUTO_INFO;
    PetscBool          open, pays = PETSC_TRUE;

    PetscCall(shadow_is_open(s, &open));
    if (open) PetscCall(does_pay(A, s, op, x, y, &pays));
    if (!pays) return 0;
    PetscCall(PetscLogEventBegin(shadow_event[CONVERT], A, 0, 0, 0));
    PetscCall(MatSeqAIJGetArrayRead(A, &values));

    cairn_status status = context_ready();

    if (status == CAIRN_OK)
        status = cairn_context_set_replays(context, PetscMax(s->set.expected, 0));
    if (status == CAIRN_OK)
        status = open ? choose(s, values, &format, &found)
                      : cairn_format_create(context, s->set.format, &format);
    if (status == CAIRN_OK) status = store(s, values, format, &s->tensor);
    copies += s->tensor != NULL;
    cairn_format_destroy(&format);
    PetscCall(MatSeqAIJRestoreArrayRead(A, &values));
    PetscCall(PetscLogEventEnd(shadow_event[CONVERT], A, 0, 0, 0));
    return status == CAIRN_OK ? say_copy(A, s, &found) : shadow_give_up(A, s, status);
}

static PetscErrorCode refill(Mat A, shadow *s)
{
    const PetscScalar *values;

    PetscCall(PetscLogEventBegin(shadow_event[REFILL], A, 0, 0, 0));
    PetscCall(MatSeqAIJGetArrayRead(A, &values));

    const cairn_status status = cairn_tensor_update(s->tensor, values);

    PetscCall(MatSeqAIJRestoreArrayRead(A, &values));
    PetscCall(PetscLogEventEnd(shadow_event[REFILL], A, 0, 0, 0));
    s->refills++;
    return status == CAIRN_OK ? 0 : shadow_give_up(A, s, status);
}

/// Bring the copy up to date: nothing, new values, or all anew.
static PetscErrorCode look(Mat A, shadow *s, int op, Vec x, Vec y)
{
    const PetscObjectState values  = ((PetscObject)A)->state;
    const PetscBool        pattern = s->looked && s->pattern == A->nonzerostate;
    const PetscInt        *ptr, *idx;

    if (pattern && s->values == values) return 0;
    PetscCall(shadow_settings(A, &s->set));
    PetscCall(MatSeqAIJGetCSRAndMemType(A, &ptr, &idx, NULL, NULL));
    s->looked  = PETSC_TRUE;
    s->values  = values;
    s->pattern = A->nonzerostate;
    if (pattern && s->ptr == ptr && s->idx == idx && s->rows == A->rmap->n
        && s->cols == A->cmap->n)
        return s->tensor ? refill(A, s) : 0;
    shadow_drop(s);
    s->ptr  = ptr;
    s->idx  = idx;
    s->rows = A->rmap->n;
    s->cols = A->cmap->n;
    s->nnz  = s->rows ? ptr[s->rows] : 0;
    return s->cols && s->nnz ? convert(A, s, op, x, y) : 0;
}

/* --- products with vectors -------------------------------------------------- */

PetscErrorCode shadow_plan(Mat A, shadow *s, int op)
{
    cairn_product_options product = CAIRN_PRODUCT_OPTIONS;
    cairn_plan_options    options = CAIRN_PLAN_OPTIONS;

    if (s->plan[op]) return 0;
    product.transposed = op == TRANSPOSE || op == TRANSPOSE_ADD;
    product.beta       = op == MULT_ADD || op == TRANSPOSE_ADD;
    product.columns    = op == DENSE ? WIDTH : 1;
    options.product    = &product;
    options.place      = s->set.place[0] ? s->set.place : NULL;

    const cairn_status status =
        cairn_plan_create_with(s->tensor, &options, &s->plan[op]);

    return status == CAIRN_OK ? 0 : shadow_give_up(A, s, status);
}

/// y = op(A) x, or y += op(A) x, by the copy.
static PetscErrorCode run(cairn_plan *plan, int op, Vec x, Vec y, cairn_status *status)
{
    const PetscScalar *from;
    PetscScalar       *to;

    PetscCall(VecGetArrayRead(x, &from));
    PetscCall((op & MULT_ADD ? VecGetArray : VecGetArrayWrite)(y, &to));
    *status = cairn_plan_run(plan, from, to);
    PetscCall((op & MULT_ADD ? VecRestoreArray : VecRestoreArrayWrite)(y, &to));
    PetscCall(VecRestoreArrayRead(x, &from));
    return 0;
}

/// Let both compute op(A) x in turns, and keep the faster, where the format was left open.
static PetscErrorCode compete(Mat A, shadow *s, int op, Vec x, Vec y)
{
    double         ours = PETSC_MAX_REAL, theirs = PETSC_MAX_REAL;
    cairn_status   status = CAIRN_OK;
    PetscLogDouble begin, end;
    PetscBool      open;
    char           text[160];
    Vec            scratch;

    PetscCall(shadow_is_open(s, &open));
    s->by[op] = s->by[op | MULT_ADD] = CAIRNS;
    if (!open) return 0;
    PetscCall(shadow_plan(A, s, op));
    PetscCall(scratch_of(y, &scratch));
    for (int turn = 0; turn < 4 && s->tensor && status == CAIRN_OK; turn++) {
        PetscCall(time_parent(A, op, x, scratch, &theirs));
        PetscCall(PetscTime(&begin));
        PetscCall(run(s->plan[op], op, x, scratch, &status));
        PetscCall(PetscTime(&end));
        ours = PetscMin(ours, end - begin);
    }
    PetscCall(VecDestroy(&scratch));
    if (status != CAIRN_OK) PetscCall(shadow_give_up(A, s, status));
    if (!s->tensor) return 0;
    s->by[op] = s->by[op | MULT_ADD] = ours < theirs ? CAIRNS : PARENTS;
    PetscCall(PetscSNPrintf(text, sizeof text,
                            "%s takes %.2f us by the copy, %.2f by AIJ",
                            op & TRANSPOSE ? "A'x" : "Ax", 1e6 * ours, 1e6 * theirs));
    return shadow_say(A, s, text);
}

PetscErrorCode shadow_decide(Mat A, shadow *s, int op, Vec x, Vec y, cairn_plan **plan)
{
    *plan = NULL;
    PetscCall(look(A, s, op, x, y));
    if (s->tensor && s->by[op] == UNDECIDED)
        PetscCall(compete(A, s, op & TRANSPOSE, x, y));
    if (s->tensor && s->by[op] == CAIRNS) {
        PetscCall(shadow_plan(A, s, op));
        *plan = s->plan[op];
    }
    return 0;
}

/// y = op(A) x, or y = add + op(A) x.
static PetscErrorCode product(Mat A, int op, Vec x, Vec add, Vec y)
{
    PetscErrorCode (*const one)(Mat, Vec, Vec) =
        op == MULT ? shadow_parent[SEQ].mult : shadow_parent[SEQ].multtranspose;
    PetscErrorCode (*const two)(Mat, Vec, Vec, Vec) =
        op == MULT_ADD ? shadow_parent[SEQ].multadd
                       : shadow_parent[SEQ].multtransposeadd;
    cairn_status status = CAIRN_OK;
    cairn_plan  *plan;
    shadow      *s;

    PetscCall(shadow_of(A, &s));
    PetscCall(shadow_decide(A, s, op, x, y, &plan));
    if (plan) {
        PetscCall(PetscLogEventBegin(shadow_event[RUN], A, x, y, 0));
        if (add && add != y) PetscCall(VecCopy(add, y));
        PetscCall(run(plan, op, x, y, &status));
        PetscCall(PetscLogEventEnd(shadow_event[RUN], A, x, y, 0));
        PetscCall(PetscLogFlops(2.0 * s->nnz - (add ? 0 : s->rows)));
        s->runs++;
        if (status == CAIRN_OK) return 0;
        PetscCheck(!add || add != y, PETSC_COMM_SELF, shadow_code(status),
                   "cairn: what was added to is lost: %s",
                   cairn_context_message(context));
        PetscCall(shadow_give_up(A, s, status));
    }
    PetscCall(PetscLogEventBegin(shadow_event[RUN_PARENT], A, x, y, 0));
    PetscCall(add ? two(A, x, add, y) : one(A, x, y));
    PetscCall(PetscLogEventEnd(shadow_event[RUN_PARENT], A, x, y, 0));
    s->parents_runs++;
    return 0;
}

PetscErrorCode shadow_mult(Mat A, Vec x, Vec y)
{
    return product(A, MULT, x, NULL, y);
}

PetscErrorCode shadow_mult_add(Mat A, Vec x, Vec add, Vec y)
{
    return product(A, MULT_ADD, x, add, y);
}

PetscErrorCode shadow_transpose(Mat A, Vec x, Vec y)
{
    return product(A, TRANSPOSE, x, NULL, y);
}

PetscErrorCode shadow_transpose_add(Mat A, Vec x, Vec add, Vec y)
{
    return product(A, TRANSPOSE_ADD, x, add, y);
}
