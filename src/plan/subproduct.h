// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Subproducts: what one device computes of a product on one rank, a member of the matrix
/// or a share of one (rows/row_share.h). A subproduct has a kernel on that device; its
/// sums go into its rows of Y, or into a Y of its own, which
/// is added after the subproducts before it. A subproduct whose device fails is
/// computed again on the processor, from X, which is unchanged; the device is
/// retired, and the subproduct stays where it is from then on.

#ifndef CAIRN_PLAN_SUBPRODUCT_H
#define CAIRN_PLAN_SUBPRODUCT_H

#include "devices/registry.h"
#include "devices/seat.h"
#include "expr/reference.h"
#include "place/member_kernel.h"
#include "place/placement.h"
#include "plan/operands.h"
#include "plan/row_pieces.h"
#include "rows/row_share.h"

/* Runs whose times a subproduct keeps: more would not change the median. */
enum { CAIRN_SUBPRODUCT_RECENT = 128 };

typedef struct cairn_plan_seat cairn_plan_seat; // plan/seats.h

/// What the subproducts of one plan share.
typedef struct cairn_subproducts_common {
    cairn_comm        *comm;
    cairn_devices     *devices;
    const cairn_local *tensor;
    cairn_operands    *operands;
    const void *x; ///< Rows of X that were brought here (cut_sums.h), this rank's
                   ///< sums being sent away; NULL: all is in the operands.
    bool wide;     ///< Sums of f32 stay in f64, beside a Y that nothing is done to.
} cairn_subproducts_common;

/// A device that failed, and how; "": none did.
typedef struct cairn_subproduct_loss {
    char device[24];
    char why[256];
} cairn_subproduct_loss;

/// What a run took, in its device's clock.
typedef struct cairn_subproduct_run {
    double             seconds;
    cairn_launch_times times; ///< Of these; all 0: not told apart.
} cairn_subproduct_run;

/// What is known of its runs.
typedef struct cairn_subproduct_runs {
    cairn_status         status;   ///< Of the last one,
    double               modelled; ///< and seconds by the model of a simulated device.
    int64_t              count;    ///< Since its times were forgotten.
    cairn_subproduct_run recent[CAIRN_SUBPRODUCT_RECENT]; ///< In a ring.
} cairn_subproduct_runs;

/// A Y of its own, where its sums go if they do not go to its rows of Y.
typedef struct cairn_subproduct_own {
    bool    none;   ///< There are no sums: it stores nothing, and is not run.
    bool    apart;  ///< It is there in order to be reproducible.
    bool    wanted; ///< Its sums go there:
    double *y;      ///< [rows][columns]
} cairn_subproduct_own;

/// Its tasks in traces.
typedef struct cairn_subproduct_labels {
    char compute[64], collect[48];
} cairn_subproduct_labels;

/// Where it runs with others.
typedef struct cairn_subproduct_seat {
    cairn_plan_seat *among;   ///< NULL: it runs by itself.
    int              place;   ///< There,
    bool             taken;   ///< with the launch that it has.
    bool             chained; ///< Some of its runs were of a chain, and copied nothing.
} cairn_subproduct_seat;

typedef struct cairn_subproduct {
    const cairn_subproducts_common *common;
    cairn_member_home               home; ///< Which member, share and rows.
    cairn_device                   *device;
    int queue; ///< The queue that computes it, also after its device was lost.
    cairn_row_share         stored;   ///< Of a divided member; else empty.
    int64_t                 restored; ///< Of the tensor's members, when this was made.
    cairn_device_work       work;     ///< On the share, or on the tensor.
    cairn_product_options   op;       ///< The plan's; of a Y of its own, beta is 0.
    cairn_member_kernel     kernel;
    cairn_reference        *reference; ///< NULL: it has a kernel.
    cairn_subproduct_own    own;
    cairn_subproduct_runs   runs;
    cairn_subproduct_labels label;
    cairn_subproduct_loss   lost;
    cairn_row_pieces pieces; ///< What of its rows reads a caller's X where it lies.
    cairn_subproduct_seat seat;
} cairn_subproduct;

/// How a subproduct is to be prepared.
typedef struct cairn_subproduct_options {
    cairn_member_home home;
    bool              divided; ///< It is a share.
    int     threads; ///< Of the host's that it may use; 0: as many as the device has.
    bool    own;     ///< Its sums go to a Y of its own.
    bool    free;    ///< No thread is bound to cores.
    int64_t held;    ///< Bytes that count against the limit beside a share.
} cairn_subproduct_options;

/// Prepare a subproduct, all but its kernel. Local.
///
/// @param[out] subproduct  Release with cairn_subproduct_fini(), also after a failure.
/// @retval CAIRN_NO_MEMORY  The arrays of a share exceed the limit.
cairn_status cairn_subproduct_init(const cairn_subproducts_common *common,
                                   const cairn_subproduct_options *options,
                                   const cairn_product_options    *op,
                                   cairn_subproduct               *subproduct);

/// Get the kernels of all subproducts: those of the processor are compiled side by
/// side, and meanwhile other devices build theirs.
///
/// Collective.
///
/// @param[in,out] subproduct  [subproducts] Without a kernel it moves to the processor.
/// @retval  As of cairn_member_kernels_agree(), for the first member that has it.
cairn_status cairn_subproducts_get_kernels(cairn_subproduct *subproduct,
                                           int               subproducts);

void cairn_subproduct_fini(cairn_subproduct *subproduct);

/// Has it nothing to add, so that it is not run?
bool cairn_subproduct_is_idle(const cairn_subproduct *subproduct);

/// Does it write or add to rows of Y that @p other does?
bool cairn_subproduct_meets(const cairn_subproduct *subproduct,
                            const cairn_subproduct *other);

/// Bytes of its own Y; 0 without.
int64_t cairn_subproduct_own_bytes(const cairn_subproduct *subproduct);

/// Allocate what a run needs: its own Y, what the reference way keeps. Local.
cairn_status cairn_subproduct_allocate(cairn_subproduct *subproduct);

/// How its rows are cut; the product is not transposed.
cairn_row_pieces_of cairn_subproduct_pieces_of(const cairn_subproduct *subproduct);

/// Cut its rows by whose X they read (row_pieces.h), if that is possible.
///
/// Local. Its kernel, if it has one, and its operands are there.
///
/// @return bytes of the buffers that let it do without a window; -1: it needs one.
int64_t cairn_subproduct_cut(cairn_subproduct *subproduct);

/// Go on with what was cut: @p compact: there is no window. Local. On failure it is whole.
cairn_status cairn_subproduct_build_pieces(cairn_subproduct *subproduct, bool compact);

/// Can it be run with an X apart from the window?
bool cairn_subproduct_reads_parted(const cairn_subproduct *subproduct);

/// Cut again what was cut, after the kernel was made again; what cannot be is whole, and the
/// window is there. Local.
cairn_status cairn_subproduct_cut_again(cairn_subproduct *subproduct);

/// Copy, of an X apart from the window, what its rows read there and this rank owns. Local.
void cairn_subproduct_fill_window(const cairn_subproduct *subproduct);

/// Does it need the host's thread after it: to add its Y, or in case its device fails?
bool cairn_subproduct_is_collected(const cairn_subproduct *subproduct);

/// Does it set all rows of Y, so that nothing need be done to them before?
bool cairn_subproduct_sets(const cairn_subproduct *subproduct);

/// Tasks (sched/graph.h) with a cairn_subproduct as argument. Computing runs on the
/// thread of the device's queue and fails only where no task collects; collecting runs
/// on the host's, and computes again what failed.
cairn_status cairn_subproduct_compute(void *subproduct);
cairn_status cairn_subproduct_collect(void *subproduct);

enum { CAIRN_ALL_PIECES = -1 };

/// A stretch of its rows, or all of them, as a task.
typedef struct cairn_subproduct_step {
    cairn_subproduct *subproduct;
    int               piece;  ///< Or CAIRN_ALL_PIECES.
    bool              begins; ///< It is the first of its subproduct in a run,
    bool              ends;   ///< or the last; or both.
    bool        small; ///< The last step computes all rows, where X is not parted.
    const bool *from;  ///< [sources of the halo] Whose rows of X it reads; NULL:
                       ///< perhaps all.
    char label[80];
} cairn_subproduct_step;

/// A task with a cairn_subproduct_step as argument; as cairn_subproduct_compute().
cairn_status cairn_subproduct_step_run(void *step);

cairn_interval cairn_subproduct_step_rows(const cairn_subproduct_step *step);

/// Its part, by rows, of cairn_subproduct_bytes().
int64_t cairn_subproduct_step_bytes(const cairn_subproduct_step *step);

/// Write its label.
void cairn_subproduct_step_name(cairn_subproduct_step *step);

/// Where its sums are made, from its first row on: rows of the accumulator, or its own Y,
/// which is made 0 where it begins @p anew and its launch adds.
void *cairn_subproduct_begin_sums(cairn_subproduct *subproduct, bool anew);

/// Bytes of a value there.
size_t cairn_subproduct_sum_size(const cairn_subproduct *subproduct);
/// The plan's own X as its launch reads it; NULL where that does not stay in one place, or
/// is not all of it.
const void *cairn_subproduct_own_x(const cairn_subproduct *subproduct);

/// The plan's own Y, or the subproduct's, as its launch writes it in most runs, where that
/// stays in one place.
cairn_seat_landing cairn_subproduct_own_y(const cairn_subproduct *subproduct);

/// Y as its launch writes it, where its sums are made.
void *cairn_subproduct_y(const cairn_subproduct *subproduct);

/// X as its launch reads it, in a run whose X is not parted.
const void *cairn_subproduct_x(const cairn_subproduct *subproduct);

/// Keep what became of a run, and what it took by the wall's clock.
void cairn_subproduct_ran(cairn_subproduct *subproduct,
                          cairn_status      status,
                          double            seconds);

/// Bring the values of the tensor, which have changed, to its share and its device; one
/// that does not take them is retired. Local; between runs.
///
/// @param[out] again  Set where its pieces were cut again; else unchanged.
cairn_status cairn_subproduct_renew(cairn_subproduct *subproduct, bool *again);

/// Leave a device that was lost in another subproduct's run. Local; between runs.
cairn_status cairn_subproduct_leave_lost(cairn_subproduct *subproduct);

/// Bytes that one run moves beside X and Y: its arrays, and twice its own Y.
int64_t cairn_subproduct_bytes(const cairn_subproduct *subproduct);

/// Bytes that adding its own Y moves: that is read, Y is read and written; 0 without one.
int64_t cairn_subproduct_added_bytes(const cairn_subproduct *subproduct);

/// Is its device's clock simulated?
bool cairn_subproduct_models(const cairn_subproduct *subproduct);

/// Median seconds of its recent runs, in its device's clock; 0 before the first.
double cairn_subproduct_median(const cairn_subproduct *subproduct);

/// Likewise of what is told apart, each by itself.
cairn_launch_times cairn_subproduct_median_times(const cairn_subproduct *subproduct);

#endif
