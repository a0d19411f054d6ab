// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The copy that products run by: when it is made, filled anew, tried and given up.

#include "shadow.h"

#include <petsctime.h>

struct _MatOps shadow_parent[KINDS];
PetscLogEvent  shadow_event[EVENTS];
int            shadow_threads;
PetscBool      shadow_begun;

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
        text, sizeof text, "%s\n  AIJ has %.0f bytes, the copy %.0f",
        found->why[0][0] ? cairn_format_text(cairn_tensor_format(s->tensor))
                         : s->set.format,
        s->nnz * (sizeof(PetscScalar) + wide) + (s->rows + 1) * wide, (double)bytes));
    for (int line = 0; line < 2 && found->why[line][0]; line++) {
        PetscCall(PetscStrlcat(text, "\n  ", sizeof text));
        PetscCall(PetscStrlcat(text, found->why[line], sizeof text));
    }
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
    s->kept = (upkeep){0};
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
    shadow_begun = PETSC_FALSE;
    return 0;
}

static cairn_status store(const shadow       *s,
                          const PetscScalar  *values,
                          const cairn_format *format,
                          cairn_tensor      **tensor)
{
    const int bits = 8 * sizeof(PetscInt);

    return cairn_tensor_from_csr(context, s->rows, s->cols, 0, s->rows, s->seen.ptr,
                                 bits, s->seen.idx, bits, values, CAIRN_F64,
                                 CAIRN_BORROW, format, tensor);
}

cairn_status shadow_choose(const shadow       *s,
                           const cairn_tensor *rows,
                           cairn_format      **format,
                           cairn_auto_info    *found)
{
    cairn_auto_options options = CAIRN_AUTO_OPTIONS;
    cairn_source      *source  = NULL;
    cairn_status       status  = cairn_source_from_tensor(rows, &source);

    options.place   = s->set.place[0] ? s->set.place : NULL;
    options.replays = s->set.expected;
    if (status == CAIRN_OK)
        status = cairn_format_auto(source, CAIRN_F64, NULL, &options, format, found);
    cairn_source_destroy(&source);
    return status;
}

static cairn_status choose(const shadow      *s,
                           const PetscScalar *values,
                           cairn_format     **format,
                           cairn_auto_info   *found)
{
    cairn_tensor *lent   = NULL;
    cairn_status  status = store(s, values, NULL, &lent);

    if (status == CAIRN_OK) status = shadow_choose(s, lent, format, found);
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

/// New values for a copy. The clock is read around the event: it is what a product pays.
static PetscErrorCode
update(Mat A, cairn_tensor *tensor, cairn_status *status, double *seconds)
{
    const PetscScalar *values;
    PetscLogDouble     begin, end;

    PetscCall(PetscTime(&begin));
    PetscCall(PetscLogEventBegin(shadow_event[REFILL], A, 0, 0, 0));
    PetscCall(MatSeqAIJGetArrayRead(A, &values));
    *status = cairn_tensor_update(tensor, values);
    PetscCall(MatSeqAIJRestoreArrayRead(A, &values));
    PetscCall(PetscLogEventEnd(shadow_event[REFILL], A, 0, 0, 0));
    PetscCall(PetscTime(&end));
    *seconds = end - begin;
    return 0;
}

static PetscErrorCode refill(Mat A, shadow *s)
{
    upkeep      *k = &s->kept;
    cairn_status status;
    double       seconds;

    PetscCall(update(A, s->tensor, &status, &seconds));
    k->refill = k->measured < 2 ? seconds : PetscMin(k->refill, seconds);
    k->measured++;
    k->stale = PETSC_FALSE;
    s->refills++;
    return status == CAIRN_OK ? 0 : shadow_give_up(A, s, status);
}

/// See what has changed. A new pattern makes the copy anew; new values leave it stale.
static PetscErrorCode look(Mat A, shadow *s, int op, Vec x, Vec y)
{
    const PetscObjectState values  = ((PetscObject)A)->state;
    const PetscBool        pattern = s->looked && s->seen.pattern == A->nonzerostate;
    const PetscInt        *ptr, *idx;

    if (pattern && s->seen.values == values) return 0;
    PetscCall(shadow_settings(A, &s->set));
    PetscCall(MatSeqAIJGetCSRAndMemType(A, &ptr, &idx, NULL, NULL));
    s->looked       = PETSC_TRUE;
    s->seen.values  = values;
    s->seen.pattern = A->nonzerostate;
    if (pattern && s->seen.ptr == ptr && s->seen.idx == idx && s->rows == A->rmap->n
        && s->cols == A->cmap->n) {
        for (int way = 0; way < 2; way++) {
            s->kept.before[way] = s->kept.now[way];
            s->kept.now[way]    = 0;
        }
        s->kept.stale = PETSC_TRUE;
        return 0;
    }
    shadow_drop(s);
    s->seen.ptr = ptr;
    s->seen.idx = idx;
    s->rows     = A->rmap->n;
    s->cols     = A->cmap->n;
    s->nnz      = s->rows ? ptr[s->rows] : 0;
    return s->cols && s->nnz ? convert(A, s, op, x, y) : 0;
}

/* --- products with vectors -------------------------------------------------- */

static cairn_status
plan_of(const shadow *s, cairn_tensor *tensor, int op, cairn_plan **plan)
{
    cairn_product_options product = CAIRN_PRODUCT_OPTIONS;
    cairn_plan_options    options = CAIRN_PLAN_OPTIONS;

    product.transposed = op == TRANSPOSE || op == TRANSPOSE_ADD;
    product.beta       = op == MULT_ADD || op == TRANSPOSE_ADD;
    product.columns    = op == DENSE ? WIDTH : 1;
    options.product    = &product;
    options.place      = s->set.place[0] ? s->set.place : NULL;
    return cairn_plan_create_with(tensor, &options, plan);
}

PetscErrorCode shadow_plan(Mat A, shadow *s, int op)
{
    if (s->plan[op]) return 0;

    const cairn_status status = plan_of(s, s->tensor, op, &s->plan[op]);

    return status == CAIRN_OK ? 0 : shadow_give_up(A, s, status);
}

PetscErrorCode shadow_run(cairn_plan *plan, int op, Vec x, Vec y, cairn_status *status)
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

/// Let AIJ and a plan of a copy compute op(A) x in turns; the least times of each.
static PetscErrorCode race(Mat           A,
                           cairn_plan   *plan,
                           int           op,
                           Vec           x,
                           Vec           y,
                           cairn_status *status,
                           double       *ours,
                           double       *theirs)
{
    PetscLogDouble begin, end;
    Vec            scratch;

    *ours = *theirs = PETSC_MAX_REAL;
    *status         = CAIRN_OK;
    PetscCall(scratch_of(y, &scratch));
    for (int turn = 0; turn < 4 && *status == CAIRN_OK; turn++) {
        PetscCall(time_parent(A, op, x, scratch, theirs));
        PetscCall(PetscTime(&begin));
        PetscCall(shadow_run(plan, op, x, scratch, status));
        PetscCall(PetscTime(&end));
        *ours = PetscMin(*ours, end - begin);
    }
    return VecDestroy(&scratch);
}

/// Both compute op(A) x, and the faster is kept, where the format was left open.
static PetscErrorCode compete(Mat A, shadow *s, int op, Vec x, Vec y)
{
    double      *ours   = &s->kept.ours[op == TRANSPOSE];
    double      *theirs = &s->kept.theirs[op == TRANSPOSE];
    cairn_status status;
    PetscBool    open;
    char         text[160];

    PetscCall(shadow_is_open(s, &open));
    s->by[op] = s->by[op | MULT_ADD] = CAIRNS;
    if (!open) return 0;
    PetscCall(shadow_plan(A, s, op));
    if (!s->tensor) return 0;
    PetscCall(race(A, s->plan[op], op, x, y, &status, ours, theirs));
    if (status != CAIRN_OK) return shadow_give_up(A, s, status);
    s->by[op] = s->by[op | MULT_ADD] = *ours < *theirs ? CAIRNS : PARENTS;
    PetscCall(PetscSNPrintf(text, sizeof text,
                            "%s takes %.2f us by the copy, %.2f by AIJ",
                            op & TRANSPOSE ? "A'x" : "Ax", 1e6 * *ours, 1e6 * *theirs));
    return shadow_say(A, s, text);
}

/* --- new values ------------------------------------------------------------- */

double shadow_won(const upkeep *k, const PetscInt products[2])
{
    return products[0] * (k->theirs[0] - k->ours[0])
           + products[1] * (k->theirs[1] - k->ours[1]);
}

/// Could the copy be worth making again with wide values? Of narrow ones each is looked at
/// in a refill, ten times as long as it takes to move it. Storing and trying take some 60
/// of AIJ's products, as does_pay() has it.
static PetscBool is_wide_worth_a_try(shadow *s)
{
    upkeep          *k        = &s->kept;
    const PetscInt   products = k->before[0] + k->before[1];
    const double     spent    = k->before[0] * k->ours[0] + k->before[1] * k->ours[1];
    const double     all    = k->before[0] * k->theirs[0] + k->before[1] * k->theirs[1];
    const PetscInt   left   = s->set.expected - s->runs - s->parents_runs;
    cairn_part_info *parts  = NULL;
    int64_t          count  = 0;
    PetscBool        narrow = PETSC_FALSE;

    if (k->settled || 4 * k->refill < spent || left * k->refill < 60 * all
        || products == 0)
        return PETSC_FALSE;
    if (cairn_tensor_parts(s->tensor, &count, &parts) != CAIRN_OK) count = 0;
    for (int64_t p = 0; p < count; p++)
        if (strcmp(parts[p].stored, "f64") != 0) narrow = PETSC_TRUE;
    cairn_parts_free(s->tensor, &parts);
    k->settled = !narrow;
    return narrow;
}

/// Make the copy again with values as wide as AIJ's, and keep the one by which op(A) x and
/// refills together take less. Where it cannot be made the first goes on. The format is made
/// anew of its text: what `auto` gave asks for narrow values.
static PetscErrorCode try_wide(Mat A, shadow *s, int op, Vec x, Vec y)
{
    const int          way = (op & TRANSPOSE) != 0;
    const PetscScalar *values;
    const upkeep       old    = s->kept;
    upkeep             fresh  = {.refill = PETSC_MAX_REAL, .settled = PETSC_TRUE};
    cairn_format      *format = NULL;
    cairn_tensor      *wide   = NULL;
    cairn_plan        *plan   = NULL;
    cairn_status       status;
    double             seconds;
    char               text[256];

    s->kept.settled = PETSC_TRUE;
    PetscCall(PetscLogEventBegin(shadow_event[CONVERT], A, 0, 0, 0));
    PetscCall(MatSeqAIJGetArrayRead(A, &values));
    status = cairn_context_set_replays(context, 1);
    if (status == CAIRN_OK)
        status = cairn_format_create(
            context, cairn_format_text(cairn_tensor_format(s->tensor)), &format);
    if (status == CAIRN_OK) status = store(s, values, format, &wide);
    cairn_format_destroy(&format);
    PetscCall(MatSeqAIJRestoreArrayRead(A, &values));
    PetscCall(PetscLogEventEnd(shadow_event[CONVERT], A, 0, 0, 0));
    for (; fresh.measured < LEARNING && status == CAIRN_OK; fresh.measured++) {
        PetscCall(update(A, wide, &status, &seconds));
        fresh.refill = PetscMin(fresh.refill, seconds);
    }
    op &= TRANSPOSE;
    if (status == CAIRN_OK) status = plan_of(s, wide, op, &plan);
    if (status == CAIRN_OK)
        PetscCall(
            race(A, plan, op, x, y, &status, &fresh.ours[way], &fresh.theirs[way]));

    const PetscInt n = old.before[0] + old.before[1];

    if (status == CAIRN_OK && fresh.ours[way] < fresh.theirs[way]
        && n * fresh.ours[way] + fresh.refill < n * old.ours[way] + old.refill) {
        PetscCall(PetscArraycpy(fresh.before, old.before, 2));
        fresh.now[way] = old.now[way];
        shadow_drop(s);
        copies++;
        s->tensor   = wide;
        s->plan[op] = plan;
        s->by[op] = s->by[op | MULT_ADD] = CAIRNS;
        s->kept                          = fresh;
        PetscCall(PetscSNPrintf(text, sizeof text,
                                "values as wide as AIJ's: a refill takes %.2f us, "
                                "not %.2f, %s %.2f, not %.2f",
                                1e6 * fresh.refill, 1e6 * old.refill,
                                way ? "A'x" : "Ax", 1e6 * fresh.ours[way],
                                1e6 * old.ours[way]));
        return shadow_say(A, s, text);
    }
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&wide);
    return 0;
}

/// Bring new values to a stale copy, unless a refill takes longer than products win: as
/// many as came with the values before, and those that came with these by now. So a copy
/// that rests takes up again where values stay.
static PetscErrorCode bring(Mat A, shadow *s, int op, Vec x, Vec y)
{
    upkeep   *k = &s->kept;
    PetscBool open;
    char      text[160];

    PetscCall(shadow_is_open(s, &open));
    if (!open || k->measured < LEARNING) return refill(A, s);
    if (is_wide_worth_a_try(s)) PetscCall(try_wide(A, s, op, x, y));
    if (!k->stale) return 0;
    if (shadow_won(k, k->before) >= k->refill || shadow_won(k, k->now) >= k->refill) {
        k->resting = PETSC_FALSE;
        return refill(A, s);
    }
    if (k->resting) return 0;
    k->resting = PETSC_TRUE;
    PetscCall(PetscSNPrintf(text, sizeof text,
                            "AIJ's product while values change so often: a refill "
                            "takes %.2f us, and products win %.2f",
                            1e6 * k->refill, 1e6 * shadow_won(k, k->before)));
    return shadow_say(A, s, text);
}

PetscErrorCode shadow_decide(Mat A, shadow *s, int op, Vec x, Vec y, cairn_plan **plan)
{
    *plan = NULL;
    PetscCall(look(A, s, op, x, y));
    if (s->tensor && s->by[op] == UNDECIDED)
        PetscCall(compete(A, s, op & TRANSPOSE, x, y));
    if (!s->tensor || s->by[op] != CAIRNS) return 0;
    s->kept.now[(op & TRANSPOSE) != 0]++;
    if (s->kept.stale) PetscCall(bring(A, s, op, x, y));
    if (!s->tensor || s->kept.stale) return 0;
    PetscCall(shadow_plan(A, s, op));
    *plan = s->plan[op];
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

    // A rank without rows or columns has nothing to compute: AIJ's function returns at once,
    // and the call counts neither as AIJ's product nor as the copy's.
    if (!A->rmap->n || !A->cmap->n) return add ? two(A, x, add, y) : one(A, x, y);
    PetscCall(shadow_of(A, &s));
    PetscCall(shadow_decide(A, s, op, x, y, &plan));
    if (plan) {
        PetscCall(PetscLogEventBegin(shadow_event[RUN], A, x, y, 0));
        if (add && add != y) PetscCall(VecCopy(add, y));
        PetscCall(shadow_run(plan, op, x, y, &status));
        PetscCall(PetscLogFlops(2.0 * s->nnz - (add ? 0 : s->rows)));
        PetscCall(PetscLogEventEnd(shadow_event[RUN], A, x, y, 0));
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
