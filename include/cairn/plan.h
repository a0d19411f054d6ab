// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Plans: an operation (expr.h) on a tensor, prepared once and replayed many times.
/// Preparing finds the halo, gets the kernels, sets up the messages and allocates; a
/// replay allocates nothing, but where it has to renew copies of values or to do without
/// a device (cairn_plan_run()).
///
/// Y = alpha*op(A)*X + beta*Y, op(A) being A or its transpose. Rows of op(A) and of Y
/// belong to ranks, and so do columns of op(A), which are the rows of X: what is a row of
/// A is where that row is, what is a column of A is spread like the rows if A is square,
/// else evenly. X and Y are row-major, [owned rows][columns], in the tensor's element
/// type.
///
/// Bits: a row of Y is one f64 accumulator. It begins as beta*Y; members join it in order,
/// each with its own sum of the row, which begins at 0 and is over entries in storage
/// order (after every 4,096 stored entries of a row a new partial sum begins, in members
/// that do not pad); an f32 Y is rounded once, when all are in. So a result has the same
/// bits on any number of ranks and threads, for every format in which a row's order does
/// not depend on a schedule. A compiled kernel may add in another order, also fixed and the
/// same on any number of ranks and threads; a plan's members are compiled on all ranks or
/// on none. Each column of Y has the bits that it would have among any other columns on
/// the reference way. A transposed product is summed over ranks, own part first, then by
/// rank: its bits are the same on every run with the same ranks, and with `reproducible`
/// on any number of them.
///
/// By default the result has the same bits for every placement and division of members
/// that meet each row of Y once (f32 too: one f64 Y, rounded once at the end); members that
/// meet rows more than once have them under `reproducible`, which sums each apart over
/// fixed cuts at whatever it costs, printed; without it one placement always has one
/// result, so open places of such hybrids are fixed at the first plan, by a rule that asks
/// no clock, and kept. (Printed: cairn_plan_info.apart.) Rows are met more than once where
/// columns are stored above them, or coordinates in any order; by most transposed products;
/// and by every transposed product that is divided, for its shares have all rows. What
/// meets rows more than once adds term by term to what members before it have left, unless
/// it is computed apart.
///
/// Padded formats compute 0*x: an Inf in X at an unstored position reaches Y.

#ifndef CAIRN_PLAN_H
#define CAIRN_PLAN_H

#include <cairn/expr.h>
#include <cairn/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cairn_plan cairn_plan;

/// What a plan is made for, and how. Places are each rank's own; all else is the same on
/// all ranks.
typedef struct cairn_plan_options {
    size_t size; ///< sizeof(cairn_plan_options); CAIRN_PLAN_OPTIONS sets it.
    const cairn_product_options *product; ///< What is computed; NULL: y = A x.
    const char *place; ///< Which device computes which member of the format, as --place
                       ///< takes it: "auto" (NULL), "cpu", "0=cpu:0,1=opencl". Devices
                       ///< joined by + divide a member's rows: "cpu:0+cpu:1" by their
                       ///< predicted speeds, "cpu:0*0.6+opencl*0.4" by entries.
    const char *plan; ///< A file of cairn_plan_save() that says so instead; NULL: none.
    bool reproducible; ///< The same bits for every placement, division and number of
                       ///< threads, also of members that meet rows more than once.
                       ///< Those have Ys of their own, and a transposed product has one
                       ///< for each of up to eight fixed cuts of a member; of members
                       ///< that are named devices, each cut goes to the one that has
                       ///< its first row. Members that are left open are all computed
                       ///< on the processor's first device.
    bool
        permuted; ///< X and Y are by the places of a tensor that has its rows by places
                  ///< (cairn_tensor_places()), and no run brings them there and back.
} cairn_plan_options;

/// y = A x, places open.
#define CAIRN_PLAN_OPTIONS                                         \
    {                                                              \
        sizeof(cairn_plan_options), NULL, NULL, NULL, false, false \
    }

/// Prepare what the options say. Members run on different devices at the same time; the
/// devices are those of CAIRN_DEVICES, or of cairn_devices_check(), or else the processor
/// and what `place` or `plan` names.
///
/// Collective. The tensor must outlive the plan. X and Y are zero. A device that fails in a
/// run (an error, a process that dies) is retired, and its part is computed again on the
/// processor: the run succeeds, and cairn_plan_describe() tells.
///
/// @param[in]  options  Not looked at after the call. NULL: CAIRN_PLAN_OPTIONS.
/// @param[out] plan     Destroy with cairn_plan_destroy(). Unchanged on failure.
/// @retval CAIRN_BAD_SHAPE     The tensor is no matrix.
/// @retval CAIRN_BAD_ARGUMENT  There are fewer columns than 1; a struct's size is wrong; or
///                             product and `reproducible` are not the same on all ranks.
/// @retval CAIRN_BAD_OPTION    `place` is malformed, or names members that are not there;
///                             or there is `plan`, too.
/// @retval CAIRN_BAD_FILE      `plan` is no plan, or one for another matrix or product.
/// @retval CAIRN_NO_DEVICE     There is no such device.
/// @retval CAIRN_UNSUPPORTED   A device cannot compute a member that was given to it.
/// @retval CAIRN_NO_MEMORY     The dense operands exceed the limit, or what devices store.
/// @retval CAIRN_NO_KERNEL     CAIRN_KERNELS is "compiled", and some kernel cannot be.
CAIRN_API cairn_status cairn_plan_create_with(cairn_tensor             *tensor,
                                              const cairn_plan_options *options,
                                              cairn_plan              **plan);

/// The same of a product, all else as it is by default.
///
/// @param[in]  product  NULL: y = A x.
CAIRN_API cairn_status cairn_plan_create_product(cairn_tensor                *tensor,
                                                 const cairn_product_options *product,
                                                 cairn_plan                 **plan);

/// The same of y = A x.
CAIRN_API cairn_status cairn_plan_create_spmv(cairn_tensor *tensor, cairn_plan **plan);

CAIRN_API void cairn_plan_destroy(cairn_plan **plan);

/// The columns of op(A) whose X this rank owns, and the rows whose Y: first and one past
/// the last. Either may be NULL.
CAIRN_API void cairn_plan_columns(const cairn_plan *plan, int64_t *first, int64_t *end);
CAIRN_API void cairn_plan_rows(const cairn_plan *plan, int64_t *first, int64_t *end);

/// Run once.
///
/// Collective. Allocates nothing, with two exceptions: the first run after
/// cairn_tensor_update() of a plan that has copies of values (shares that were stored again,
/// devices with memory of their own), and a run in which a device is retired. Where all
/// places were left open, bits do not follow from them (see above), and the policy chose
/// several devices, the plan keeps two ways to run, these and one device alone: after 32
/// runs, and then after twice as many again and again, eleven runs compare them, of which
/// six go the way that is not in use, and the faster is used from then on
/// (cairn_plan_info.placement, .trials, .switches). Not while cairn_plan_record() records,
/// and no more when a device has failed.
///
/// A caller's X and Y are used where they lie, at any address that the element type may
/// have; no byte beside them is touched. On several ranks that goes for rows of A whose
/// columns this rank owns, in stretches of a sixteenth of its rows and more; what other
/// rows read of X is copied beside the rows of other ranks, and all of X is for a format
/// whose first level does not follow the rows (docs/limits.md). X is copied, too, where it
/// overlaps @p y, and where @p y is NULL. Y is copied where it overlaps what is read, and
/// of a transposed product, once, on several ranks. Devices with a memory of their own
/// copy what they need, as always. Where a caller's are used nothing is kept of them: the
/// plan's own X and Y are undefined after a run that was given both.
///
/// @param[in]  x  [owned columns of op(A)][columns] of the tensor's element type, as
///                doubles or floats; read during the call. NULL: the plan's own, as
///                cairn_plan_x() was filled, or as a run with an @p x and no @p y left it.
/// @param[in,out] y  [owned rows of op(A)][columns]; read if beta is not 0, then filled.
///                After a failure it is undefined. A failure may be this rank's alone:
///                others then have NaN where its sums would reach them, of a transposed
///                product, or its rows, where a format has them elsewhere than Y (`csr @
///                (d0%ranks)`, `csr @ blocks<p,q>`). NULL: it stays inside the plan, see
///                cairn_plan_y().
/// @retval CAIRN_COMM          Communication failed.
/// @retval CAIRN_BAD_ARGUMENT  @p plan is NULL.
/// @retval CAIRN_NOT_VERIFIED  Of a plan with a guard, on the rank that it names: arrays are
///                             not what they were.
/// @retval CAIRN_NO_MEMORY     In one of the exceptions.
CAIRN_API cairn_status cairn_plan_run(cairn_plan *plan, const void *x, void *y);

/// Run @p n times, each Y the next X: Y = (alpha A)^n X, of the plan's own X and Y.
///
/// Collective. Allocates nothing, with the exceptions of cairn_plan_run(). Afterwards
/// cairn_plan_y() is the last Y and cairn_plan_x() what that was computed from, at the
/// addresses that they had; after a failure both are undefined, and on other ranks what it
/// reaches is NaN, as of cairn_plan_run(). The bits are those of @p n
/// runs with Y copied to X in between. On one rank nothing is copied: X and Y take turns,
/// and are exchanged once at the end where @p n is even; where all of the product is one
/// part on a card both stay there, and are copied when the last product is done.
///
/// @param[in] n  At least 1; the same on all ranks.
/// @retval CAIRN_BAD_ARGUMENT  @p n is less; the matrix is not square; the product is
///                             transposed; or its beta is not 0.
/// @return Else as cairn_plan_run().
CAIRN_API cairn_status cairn_plan_iterate(cairn_plan *plan, int64_t n);

/// The plan's own X and Y, to be filled and read in place, of an f64 tensor; NULL for an
/// f32 one. Runs with NULL have them.
CAIRN_API double *cairn_plan_x(cairn_plan *plan);
CAIRN_API double *cairn_plan_y(const cairn_plan *plan);

/// Likewise of an f32 tensor; NULL for an f64 one.
CAIRN_API float *cairn_plan_x_f32(cairn_plan *plan);
CAIRN_API float *cairn_plan_y_f32(const cairn_plan *plan);

/// The ways in which rows that other ranks have can travel (docs/plans.md), and what an
/// exchange took in each, inside calls, in seconds: of the fastest run on this rank, and when
/// ranks have agreed on a way the slowest rank's; 0: not tried.
typedef struct cairn_halo_ways {
    const char *now; ///< Of the last run: "persistent", "anew", "collective", "shared";
                     ///< NULL: there is one process.
    bool        decided; ///< It stays.
    double      persistent, anew, collective, shared;
    const char *without; ///< Why one of them cannot be had; NULL: nothing was missed.
    int64_t     between; ///< Rows that go from one node to another in a run, all ranks.
} cairn_halo_ways;

/// What a plan moves and took. It has more fields than other structs because it is public and
/// grows at its end: a field that moved into a part would change its place, and a program
/// that was compiled before would read another (docs/policies.md, versions and the ABI).
typedef struct cairn_plan_info {
    size_t  size;          ///< sizeof(cairn_plan_info); CAIRN_PLAN_INFO sets it.
    double  seconds;       ///< Preparing, measured.
    int64_t bytes_per_run; ///< Arrays read, X and Y, halo received and sent, vectors
                           ///< brought to places and back; all ranks.
    int64_t     halo;      ///< Rows of X (transposed of Y) from other ranks, all ranks.
    const char *route;  ///< Of the slowest member: "reference", "compiled", "prebuilt".
    const char *why;    ///< Why a member goes the reference way; NULL: none does.
    const char *device; ///< Of the first member on this rank: "cpu:0".
    const char *placement; ///< Who gave members their devices, and what was tried: by
                           ///< the time of the last run.
    const char *clock;     ///< "measured", "simulated", or "mixed" if parts differ.
    double
        simulated; ///< Seconds that one run takes by the models of simulated devices:
                   ///< those of the slowest, and the exchange of the halo. 0 without.
    double
        exchange; ///< Of these, the exchange: by the devices' network (docs/simulators.md).
    double measured; ///< Seconds of a run in parts and additions that are measured: the
                     ///< slowest queue's median; all there is where clocks are mixed.
    int  retired;    ///< Parts whose device failed, all ranks together.
    int  trials;     ///< Times that runs were given to another placement, to compare;
    int  switches;   ///< and that it was faster, and stayed.
    bool reproducible; ///< As cairn_plan_options says.
    int  apart;        ///< Sums made apart for that alone, all ranks together: each is
                       ///< written, read and added in every run;
    int64_t         apart_bytes; ///< and bytes that their Ys take.
    cairn_halo_ways ways;        ///< Of the halo's messages.
} cairn_plan_info;

/// Nothing; its size is set.
// clang-format off
#define CAIRN_PLAN_INFO \
    { sizeof(cairn_plan_info), 0.0, 0, 0, NULL, NULL, NULL, NULL, NULL, 0.0, 0.0, 0.0, 0, 0, 0, false, 0, 0, {NULL, false, 0.0, 0.0, 0.0, 0.0, NULL, 0} }
// clang-format on

/// Describe a plan. Its texts live as long as the plan.
///
/// Collective.
CAIRN_API cairn_status cairn_plan_describe(const cairn_plan *plan,
                                           cairn_plan_info  *info);

/// What a part's time on its device is made of, in seconds. All are 0 where the device
/// cannot tell them apart; of parts that run together on one, the X that they share counts
/// with the first.
typedef struct cairn_device_seconds {
    double in;     ///< X to the device.
    double kernel; ///< Its kernels.
    double out;    ///< Y back.
} cairn_device_seconds;

/// What one device does in a plan: a member of the format on one rank, or a share of it.
typedef struct cairn_plan_part {
    size_t  size; ///< sizeof(cairn_plan_part); CAIRN_PLAN_PART sets it.
    int     member, rank;
    int     share; ///< Of a divided member, from 0.
    int64_t first_row,
        rows;           ///< Of the rank's rows; fewer than all of a divided member.
    int64_t nnz, bytes; ///< Entries stored; bytes of the arrays. Zeros that are stored
                        ///< where the format pads count with a member's last share.
    char   device[32];  ///< "cpu:0".
    char   clock[16];   ///< "measured" or "simulated".
    char   route[16];   ///< "reference", "compiled" or "prebuilt".
    double seconds; ///< Median of the runs since cairn_plan_forget_times(), of the last
                    ///< 128 at most; 0 before the first.
    char note[320]; ///< What the device says of it, what happened; "": nothing.

    cairn_device_seconds on_device; ///< Likewise, by the device's clock.

    /// How its values are stored: "f64", "i8", "iso", ... The note tells where the device
    /// reads a wider copy.
    char values[8];
} cairn_plan_part;

/// Nothing; its size is set.
// clang-format off
#define CAIRN_PLAN_PART \
    { sizeof(cairn_plan_part), 0, 0, 0, 0, 0, 0, 0, {0}, {0}, {0}, 0.0, {0}, {0.0, 0.0, 0.0}, {0} }
// clang-format on

/// List the parts of all ranks, by member, then rank, then share.
///
/// Collective. @p parts is freed with cairn_plan_parts_free().
/// @param[in] size  Of an element as the program knows it, which is what lies between two.
/// @retval CAIRN_BAD_ARGUMENT  A pointer is NULL, or the size is none.
CAIRN_API cairn_status cairn_plan_parts_sized(const cairn_plan *plan,
                                              size_t            size,
                                              int64_t          *count,
                                              cairn_plan_part **parts);
/// The same, with elements as this header has them.
static inline cairn_status
cairn_plan_parts(const cairn_plan *plan, int64_t *count, cairn_plan_part **parts)
{
    return cairn_plan_parts_sized(plan, sizeof(cairn_plan_part), count, parts);
}
CAIRN_API void cairn_plan_parts_free(const cairn_plan *plan, cairn_plan_part **parts);

/// The way that a member goes on this rank: "reference", "compiled" or "prebuilt"; NULL
/// past the last. Local.
CAIRN_API const char *cairn_plan_member_route(const cairn_plan *plan, int member);

/// Begin anew with the times of parts, after runs that are not to count. Local.
CAIRN_API void cairn_plan_forget_times(cairn_plan *plan);

/// Write what was decided as JSON that people read and edit: which device computes which
/// member on which rank, with the seconds that were predicted, and for which matrix and
/// product. Read back by cairn_plan_options.plan, on as many ranks.
///
/// Collective. The file is written whole or not at all.
///
/// @retval CAIRN_IO  It cannot be written.
CAIRN_API cairn_status cairn_plan_save(const cairn_plan *plan, const char *path);

/// The format that a file of cairn_plan_save() is for.
///
/// Local.
///
/// @param[out] text  Freed with cairn_text_free(). Unchanged on failure.
/// @retval CAIRN_IO        It cannot be read.
/// @retval CAIRN_BAD_FILE  It is no plan.
CAIRN_API cairn_status cairn_plan_file_format(cairn_context *context,
                                              const char    *path,
                                              char         **text);

/// Record when the tasks of runs begin and end, from now on: kernels on their devices,
/// additions, messages of several ranks, for cairn_plan_write_trace(). Costs 22 ns a
/// task. How the tensor was stored comes first: what was dealt out, counted and filled,
/// by which thread.
///
/// Collective. Once for a plan.
///
/// @param[in] events  The last so many of each rank are kept, 56 bytes each; 0: 65,536.
/// @retval CAIRN_BAD_ARGUMENT  It records already, or @p events is negative.
CAIRN_API cairn_status cairn_plan_record(cairn_plan *plan, int64_t events);

/// Write what was recorded as a Chrome trace (JSON), which https://ui.perfetto.dev opens: a
/// rank is a process, a device a thread. Times that a model says are on tracks of their
/// own, and so are messages, from their start to when they were seen to have come.
///
/// Collective. The file is written whole or not at all.
///
/// @retval CAIRN_BAD_ARGUMENT  Nothing was recorded.
/// @retval CAIRN_IO            It cannot be written.
CAIRN_API cairn_status cairn_plan_write_trace(const cairn_plan *plan, const char *path);

/// Check every run of a plan of y = A x from now on. By each rank, and for each member, the
/// sums of columns w = 1'A and 1'|A| are kept, 16 bytes a member and column that its rows
/// meet; after each cairn_plan_run() the sum of y stands against w.x, by rounding's bound
/// (docs/plans.md). Where they do not agree this rank finds out which of its members has
/// other sums of columns than it had, and the run fails; or else the rows of y that are
/// wrong, which it computes again, as the log says. An entry that lands in another row (a
/// bit of ptr, or of a row's index) moves no sum and is not found. A solver's products are
/// checked like any others.
///
/// Collective. Sums are made again where the tensor has got new values.
///
/// @retval CAIRN_UNSUPPORTED  The plan is for another product, or its rows are by places.
/// @retval CAIRN_NO_MEMORY
CAIRN_API cairn_status cairn_plan_guard(cairn_plan *plan);

/// What checks found.
typedef struct cairn_guard_info {
    size_t  size;    ///< sizeof(cairn_guard_info); CAIRN_GUARD_INFO sets it.
    int64_t checked; ///< Runs, of each rank one, all ranks together;
    int64_t
        unchecked; ///< those whose x has numbers that are not finite, or sums to none.
    int64_t found; ///< Of those checked, whose sums did not agree,
    int64_t rows;  ///< and rows that were computed again.
    double  seconds; ///< That checks took this rank.
} cairn_guard_info;

/// Nothing; its size is set.
// clang-format off
#define CAIRN_GUARD_INFO \
    { sizeof(cairn_guard_info), 0, 0, 0, 0, 0.0 }
// clang-format on

/// Collective. Of a plan without a guard all is 0.
CAIRN_API cairn_status cairn_plan_guard_info(const cairn_plan *plan,
                                             cairn_guard_info *info);

/// Hold the Y of the last run against an independent sum over a source's entries in long
/// double, with its X. Sums of alpha*op(A)*X are compared, so beta must be 0. A caller's X
/// and Y, which the run used where they lie, are read there again, and are the plan's own
/// from then on: they must still be there, as the run left them.
///
/// Collective.
///
/// @param[in]  source     The matrix as read; its rows divided like the tensor's.
/// @param[out] rel_error  max over i, k of |Y_ik - R_ik| / sum_j |alpha a_ij X_jk|, i and
///                        j rows and columns of op(A) (0/0 = 0).
/// @param[out] abs_error  max |Y_ik - R_ik|. Both are set on CAIRN_NOT_VERIFIED too.
/// @retval CAIRN_NOT_VERIFIED  rel_error is above 1e-12 (f64) or 1e-5 (f32), or a NaN
///                             stands against none.
/// @retval CAIRN_BAD_ARGUMENT  beta is not 0; the source is not of this matrix.
CAIRN_API cairn_status cairn_plan_verify(cairn_plan         *plan,
                                         const cairn_source *source,
                                         double             *rel_error,
                                         double             *abs_error);

/// Fill the plan's X from a Matrix Market array file with as many rows as op(A) has
/// columns.
///
/// Collective.
CAIRN_API cairn_status cairn_plan_read_x(cairn_plan *plan, const char *path);

/// Write the Y of the last run as Matrix Market (array real general, 17 digits; the same
/// bytes on any number of ranks). A caller's is read where it lies, as by
/// cairn_plan_verify().
///
/// Collective.
CAIRN_API cairn_status cairn_plan_write_y(const cairn_plan *plan, const char *path);

/// @name Deprecated
/// The calls that cairn_plan_create_with(), _product() and _spmv() have taken the place of,
/// for one version. Programs that define CAIRN_WARN_DEPRECATED are warned of their use.
/// Sizes of options need not be set here.
/// @{

/// Deprecated: cairn_plan_create_with(), whose options have the product.
CAIRN_DEPRECATED("use cairn_plan_create_with()")
static inline cairn_status cairn_plan_create(cairn_tensor                *tensor,
                                             const cairn_product_options *product,
                                             const cairn_plan_options    *options,
                                             cairn_plan                 **plan)
{
    cairn_product_options op  = CAIRN_PRODUCT_OPTIONS;
    cairn_plan_options    all = CAIRN_PLAN_OPTIONS;

    if (product) op = *product;
    if (options) all = *options;
    op.size     = sizeof op;
    all.size    = sizeof all;
    all.product = &op;
    return cairn_plan_create_with(tensor, &all, plan);
}

/// Deprecated: cairn_plan_create_product().
CAIRN_DEPRECATED("use cairn_plan_create_product()")
static inline cairn_status cairn_plan_product(cairn_tensor                *tensor,
                                              const cairn_product_options *options,
                                              cairn_plan                 **plan)
{
    cairn_product_options op = CAIRN_PRODUCT_OPTIONS;

    if (options) op = *options;
    op.size = sizeof op;
    return cairn_plan_create_product(tensor, &op, plan);
}

/// Deprecated: cairn_plan_create_spmv().
CAIRN_DEPRECATED("use cairn_plan_create_spmv()")
static inline cairn_status cairn_plan_spmv(cairn_tensor *tensor, cairn_plan **plan)
{
    return cairn_plan_create_spmv(tensor, plan);
}

/// @}

#ifdef __cplusplus
}
#endif

#endif
