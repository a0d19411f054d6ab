// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The objects behind the public handles. Internal to the API.

#ifndef CAIRN_API_API_H
#define CAIRN_API_API_H

#include "auto/candidates.h"
#include "base/env.h"
#include "comm/comm.h"
#include "comm/distribute.h"
#include "convert/build.h"
#include "cost/cost_file.h"
#include "devices/place.h"
#include "devices/registry.h"
#include "format/language.h"
#include "plan/autotune.h"
#include "rules/path.h"
#include "tensor/local.h"

#include <cairn/cairn.h>

/// A function that small builds asked for and did not find, and how many entries went the
/// reference way therefore.
typedef struct {
    char      symbol[CAIRN_KERNEL_SYMBOL];
    cairn_pos entries;
} cairn_missed_kernel;

/// Several, the one that was missed last first.
typedef struct {
    cairn_missed_kernel list[64];
} cairn_missed;

/// The format of a caller's lists, and the layout that such lists had last.
typedef struct {
    uint64_t      key; ///< What lists; 0: none.
    cairn_format *format;
    cairn_layout *layout; ///< Or NULL.
} cairn_lent_format;

/// Those that came, the latest first.
typedef struct {
    cairn_lent_format list[8];
} cairn_lent_formats;

/// Measured rates that choose conversions, the same on all ranks.
typedef struct cairn_context_moves {
    cairn_move_rates rates; ///< 0: the shipped ones choose.
    bool             asked; ///< They were looked up.
} cairn_context_moves;

/// Contexts of one program, a thread each.
typedef struct cairn_context_company {
    _Atomic(cairn_context *) beside;  ///< Of a second thread, while there is one.
    bool                     relayed; ///< It is that: comm is a relay (comm/relay.h).
} cairn_context_company;

struct cairn_context {
    cairn_env        env; ///< First member: rooms below see only this.
    cairn_comm      *comm;
    bool             started_mpi;
    cairn_devices   *devices;                   ///< Opened when first needed,
    char             listed[CAIRN_OPTION_PATH]; ///< by this list; "": the option's.
    cairn_costs     *costs;      ///< What was measured on them; NULL until they are.
    int              plans;      ///< Alive: they use the devices.
    cairn_pos        small;      ///< Entries of small builds that did without devices,
    cairn_missed     missed;     ///< and without functions.
    cairn_candidates candidates; ///< That come with the library; none until needed.
    cairn_lent_formats
        lent; ///< Made once, for what conversions find out about formats is
              ///< known of these alone (convert/kept.h).
    char                  name[256]; ///< Handed out by cairn_catalogue_name().
    cairn_context_moves   moves;
    cairn_context_company company;
};

/// Entries that came in no order and stay in buckets until a call needs them sorted.
typedef struct cairn_unsorted {
    cairn_bucketed bucketed; ///< Empty once they are.
    cairn_entries *entries;  ///< Where they go: the source's.
} cairn_unsorted;

struct cairn_source {
    cairn_context *context;
    cairn_shape    shape;
    cairn_division division;
    cairn_rows     rows;
    cairn_entries  entries; ///< Of this rank's rows, sorted, without duplicates; empty
                            ///< before cairn_source_sort().
    cairn_unsorted *unsorted; ///< NULL: there never were any.
    char            field[16], symmetry[16];
    char           *distribution; ///< What its file's format says; NULL: nothing.
    double          seconds;
    bool narrows; ///< Read from a file: its tensors do (cairn_local_narrow()).
};

/// What a caller's arrays are given back to; NULLs: nothing.
typedef struct cairn_release {
    void (*array)(void *user, void *array);
    void *user;
} cairn_release;

/// How a tensor's arrays were filled, for callers who ask.
typedef struct cairn_storing {
    cairn_route route;
    char interpreted[CAIRN_MESSAGE]; ///< Of cairn_tensor_interpreted(); "": NULL.
    cairn_path    *path; ///< The rules that stored it; NULL: its arrays were given.
    cairn_task_log log;  ///< When it was stored.
    char           why[CAIRN_MESSAGE]; ///< What cairn_tensor_why() says; "": NULL.
} cairn_storing;

struct cairn_tensor {
    cairn_context            *context;
    cairn_format             *format;
    cairn_local              *local;
    cairn_rows                rows;
    cairn_dtype               dtype;
    double                    seconds;
    int64_t                   held; ///< Bytes of the source while both were alive.
    cairn_storing             how;
    struct cairn_refill      *refill;  ///< New values (refill_pattern.h); NULL: none.
    int64_t                   views;   ///< Of its arrays that are out.
    cairn_release             release; ///< Of arrays that were taken over.
    struct cairn_renumbering *places; ///< It has rows by their places; NULL: by number.
};

struct cairn_plan {
    cairn_tensor       *tensor;
    cairn_replay       *replay; ///< The way in use;
    cairn_placing       homes;  ///< its homes.
    cairn_autotune      adapt;  ///< The other way, if one is kept;
    cairn_placing       other;  ///< its homes.
    cairn_placing       third;  ///< Another way to be tried once; no homes: none.
    char                placement[400]; ///< Who placed the members, and what was tried:
    size_t              made; ///< so many letters of it when the plan was made.
    double              seconds;
    cairn_tensor       *cut; ///< The tensor, divided for sums at fixed cuts; or NULL.
    int64_t             updates; ///< Of the tensor's values that `cut` has.
    struct cairn_guard *guard;   ///< Checks of its runs (guard/guard.h); NULL: none.
    struct cairn_permuted
        *permuted; ///< Vectors in the user's order (plans/permuted.h); NULL: the
                   ///< replay's are.
};

/// The format of a caller's compressed lines; one object for all that are alike, while the
/// context has room for them.
///
/// Local. @param[out] format  With its texts; destroy with cairn_format_destroy().
cairn_status cairn_lent_lines(cairn_context *context,
                              bool           by_columns,
                              int            ptr_bits,
                              int            idx_bits,
                              cairn_format **format);

/// Likewise of anything: what was kept by that key, which is not 0. NULL: nothing.
cairn_format *cairn_lent_find(cairn_context *context, uint64_t key);

/// Keep it; another that came long ago goes.
void cairn_lent_keep(cairn_context *context, uint64_t key, const cairn_format *format);

/// As cairn_layout_create() of a lent format's first member; held once more where the lists
/// before had the same.
cairn_status cairn_lent_layout(cairn_context        *context,
                               const cairn_format   *format,
                               const int64_t        *extent,
                               const cairn_interval *box,
                               int                   value_bits,
                               cairn_layout        **layout);

/// Forget all of them. Local.
void cairn_context_forget_lent(cairn_context *context);

/// "reference", "prebuilt" or "compiled".
const char *cairn_route_name(cairn_route route);

/// Bytes in memory beside a plan's operands. Local.
int64_t cairn_plan_held(const cairn_tensor *tensor);

/// Several devices are not always faster than one: where several were not asked
/// for, all members on the processor's first device are tried against them, the
/// faster way is used, and the other kept (plan/autotune.h). Where there is no room for
/// two, nothing is tried.
///
/// Collective. The plan is fresh, and its replay is made.
cairn_status cairn_plan_try_ways(cairn_plan *plan);

/// Do so many products come that a look at a caller's values pays? @p replays may be 0:
/// then the context's option says it, and where that is not set they do not.
bool cairn_many_products(const cairn_context *context, int64_t replays);

/// Narrow the values of a tensor from a caller's arrays if many products come, or its
/// format was chosen for many. Local.
cairn_status cairn_tensor_narrow_for_many(cairn_tensor *tensor, int64_t replays);

/// Run once, the way in use or the other; `placement` says what came of trials.
///
/// Collective. Allocates nothing.
cairn_status cairn_plan_run_ways(cairn_plan *plan);

/// Store a tensor once more, divided among ranks at cuts of its rows.
///
/// Collective.
///
/// @param[out] cut  Destroy with cairn_tensor_destroy(). Unchanged on failure.
cairn_status cairn_plan_cut_tensor(const cairn_tensor   *tensor,
                                   const cairn_row_cuts *cuts,
                                   cairn_tensor        **cut);

/// Bring new values of its tensor to what a plan has divided, which stores all of it again.
///
/// Collective, where there is such a thing.
cairn_status cairn_plan_renew_cut(cairn_plan *plan);

/// Let the context's cost models learn from the runs of all ways. Local.
void cairn_plan_observe(const cairn_plan *plan);

/// Read where a file of cairn_plan_save() has this rank's members computed.
///
/// Local.
///
/// @param[out] placement  Unchanged on failure.
/// @retval CAIRN_BAD_FILE  It is no plan, or not for this tensor and product.
cairn_status cairn_plan_read_places(const cairn_tensor          *tensor,
                                    const cairn_product_options *op,
                                    const char                  *path,
                                    cairn_placement             *placement);

/// A context for a second thread of each rank, with the first one's options, devices and
/// what is left of its memory; its communicator is a relay (comm/relay.h), and it tells
/// nobody anything, until it is given a log.
///
/// Local. One at a time, which a signal finds (cairn_context_abandon()).
///
/// @param[out] beside  Destroy with cairn_context_destroy_beside(), when the thread has left.
///                     Unchanged on failure.
cairn_status cairn_context_create_beside(cairn_context *of, cairn_context **beside);
void         cairn_context_destroy_beside(cairn_context *of, cairn_context **beside);

/// Open the context's devices (option DEVICES), unless they are.
cairn_status cairn_context_devices(cairn_context *context);

/// Open the kinds that a placement names, unless a list of devices was given. Local.
///
/// @param[in] where  What named them, for messages.
cairn_status cairn_context_open_named(cairn_context         *context,
                                      const char            *where,
                                      const cairn_placement *placement);

/// The cost models of the context's devices, read when first needed. Local.
cairn_status cairn_context_costs(cairn_context *context, cairn_costs **costs);

/// Read the candidates that come with the library, unless they are read. Local.
cairn_status cairn_context_candidates(cairn_context *context);

/// Keep what was measured, and forget it. Local.
void cairn_context_forget_costs(cairn_context *context);

/// A device's loader, which keeps why a function was not to be had, and compiles for a
/// small build what small builds have missed often enough.
typedef struct {
    cairn_kernel_loader        loader; ///< To be handed down.
    const cairn_kernel_loader *device;
    cairn_env                 *env;
    char                      *why; ///< [CAIRN_MESSAGE]; stays as it is if all were.
    cairn_missed              *missed;
    cairn_pos                  entries;   ///< Of the build.
    bool                       compiling; ///< It is small, but has paid for a compiler.
    double                     seconds;   ///< That getting functions took.
} cairn_build_loader;

/// Give a build the loader that it shall use: NULL where it goes the reference way.
///
/// Local. Opens the devices where compiled phases pay, be it in this build or in those
/// that the context has had before.
///
/// @param[out] own  Lives as long as the build.
/// @param[out] why  [CAIRN_MESSAGE] Why what only a compiler can make was not to be had;
///                  unchanged if it was.
/// @retval CAIRN_NO_KERNEL  Only the compiled way is allowed, and no device has kernels.
cairn_status cairn_context_loader(cairn_context      *context,
                                  cairn_build        *build,
                                  cairn_build_loader *own,
                                  char               *why);

/// Whose rates choose the methods of a build: "learned" where it goes by those measured
/// on this machine, else "shipped"; NULL where an option names the way.
///
/// @param[in] build  NULL: one that is only planned.
const char *cairn_context_rates(const cairn_context *context, const cairn_build *build);

/// Build a prepared tensor's arrays: judge, choose by which rates, find a loader,
/// build, and learn from it.
///
/// Collective.
///
/// @param[in,out] build  All but the loader and where to tell what was done.
cairn_status
cairn_context_build(cairn_context *context, cairn_build *build, cairn_tensor *tensor);

/// As cairn_context_max(), unless some rank has failed (@p mine).
cairn_status
cairn_context_max_if(cairn_context *context, cairn_status mine, double *values, int n);

/// The table of queries' exchanges over a communicator.
cairn_query_net cairn_net_of(cairn_comm *comm);

/// Hold a format of this context, or make a copy of another's, by its canonical text.
cairn_status cairn_format_copy(cairn_context      *context,
                               const cairn_format *format,
                               cairn_format      **copy);

/// Print a format's texts once, into its arena.
cairn_status cairn_format_keep_texts(cairn_env *env, cairn_format *format);

/// Start an empty source: real, general, no shape. Local.
cairn_status
cairn_source_create(cairn_context *context, int order, cairn_source **source);

/// Rows per grain of a format: of its members' maps and queries, and its own query.
int64_t cairn_format_grain(const cairn_format *format);

/// Rows to be cut, by entries where they lie as coordinates or by counts of them.
typedef struct cairn_to_cut {
    cairn_coord             extent;
    const cairn_entries    *entries; ///< Of this rank, anywhere; or NULL,
    const cairn_row_counts *counts;  ///< and these.
} cairn_to_cut;

/// Cut rows where their text leaves that to counts: so that ranks have as many entries each,
/// or, `@ cost`, are thought to take as long; at multiples of the format's grain.
///
/// Collective. Opens the context's devices for `cost` on several ranks.
///
/// @param[in] format  NULL: none yet.
/// @retval CAIRN_NO_DEVICE, CAIRN_BAD_OPTION  Devices that are listed cannot be opened.
cairn_status cairn_format_cut_rows(cairn_context      *context,
                                   const cairn_format *format,
                                   const cairn_to_cut *what,
                                   cairn_rows         *rows);

/// Divide a source's rows anew, as a format says or else as the source was asked to,
/// boundaries at multiples of the format's grain, and move entries.
///
/// Collective. @param[in] format  NULL: none yet.
/// @param[out] scattered  As cairn_rows_by_text() has it; the source is as it was then.
/// @retval CAIRN_BAD_QUERY, CAIRN_UNSUPPORTED  As cairn_rows_by_text() has it.
cairn_status
cairn_source_divide(cairn_source *source, const cairn_format *format, bool *scattered);

/// As cairn_tensor_create_beside(), where the format scatters rows: stored by places, while
/// the source has as many consecutive rows of its own on each rank.
cairn_status cairn_tensor_create_scattered(cairn_source       *source,
                                           const cairn_format *format,
                                           cairn_dtype         dtype,
                                           int64_t             held,
                                           cairn_tensor      **tensor);

/// The shape that the user's tensor has: of what is stored, but for rows that stand there
/// several times.
cairn_shape cairn_tensor_users_shape(const cairn_tensor *tensor);

/// Who has which of the user's rows.
const cairn_rows *cairn_tensor_users_rows(const cairn_tensor *tensor);

/// Refuse a tensor of which a row is on several ranks, in parts. Local.
/// @retval CAIRN_UNSUPPORTED
cairn_status cairn_check_whole_rows(const cairn_tensor *tensor, const char *call);

/// Before a run that is to be checked, and the check behind it. Local.
/// @param[in]     x  [own rows of X] As the run has read it; @param[in,out] y  [own rows]
/// @retval CAIRN_NOT_VERIFIED  As of cairn_guard_check().
void         cairn_plan_guard_begin(const cairn_plan *plan);
cairn_status cairn_plan_guard_end(const cairn_plan *plan, const void *x, void *y);

/// Refuse a plan for another product than y = A x of one column. Local.
///
/// @param[in] call     What the line begins with: "guard: plan".
/// @param[in] refusal  The status then.
cairn_status cairn_check_plain_product(const cairn_plan *plan,
                                       const char       *call,
                                       cairn_status      refusal);

/// Refuse a tensor that is no matrix. Local.
/// @retval CAIRN_BAD_SHAPE
cairn_status cairn_check_matrix(const cairn_tensor *tensor, const char *call);

/// Refuse a tensor that has rows by places, where their own order is needed. Local.
/// @retval CAIRN_UNSUPPORTED
cairn_status cairn_check_own_order(const cairn_tensor *tensor, const char *call);

/// What the whole says of ranks: the format, or else what the source was asked to. Local.
cairn_distribution cairn_source_said(const cairn_source *source,
                                     const cairn_format *format);

/// Has a member of a hybrid other rows on ranks than the whole? Local.
bool cairn_format_has_elsewhere(const cairn_comm         *comm,
                                const cairn_format       *format,
                                const cairn_distribution *whole);

/// The entries of a source, once more. Local.
///
/// @param[out] copy  To be destroyed also on failure.
cairn_status cairn_source_copy_entries(const cairn_source *source, cairn_source **copy);

/// A handle for what a source becomes, with its rows; no arrays. Local.
///
/// @param[out] tensor  On failure what it has is freed with it.
cairn_status cairn_tensor_prepare_from(const cairn_source *source,
                                       const cairn_format *format,
                                       cairn_dtype         dtype,
                                       cairn_tensor      **tensor);

/// As cairn_tensor_create_beside(), where members lie elsewhere; the source has the whole's
/// rows then.
///
/// @retval CAIRN_UNSUPPORTED  The whole's rows or a member's are not consecutive.
cairn_status cairn_tensor_create_elsewhere(cairn_source       *source,
                                           const cairn_format *format,
                                           cairn_dtype         dtype,
                                           int64_t             held,
                                           cairn_tensor      **tensor);

/// Convert to a format whose members lie elsewhere, by way of entries. Collective.
///
/// @param[in,out] to  Prepared; replaced.
cairn_status cairn_tensor_convert_elsewhere(const cairn_tensor *tensor,
                                            cairn_tensor      **to);

/// Refuse members that say a distribution that is not the @p whole's. Local.
/// @retval CAIRN_UNSUPPORTED
cairn_status cairn_format_check_members(cairn_comm               *comm,
                                        const cairn_format       *format,
                                        const cairn_distribution *whole);

/// Refuse a format that says how rows go to ranks, where a caller's rows stay. Local.
/// @retval CAIRN_UNSUPPORTED
cairn_status cairn_check_callers_rows(cairn_comm *comm, const cairn_format *format);

/// Make `entries` of a source that may be unsorted, before looking at them.
///
/// Local.
/// @retval CAIRN_NO_MEMORY
cairn_status cairn_source_sort(const cairn_source *source);

/// Bring a fresh source into order: division, owners, sorting. Its entries are anywhere
/// and in file order. Collective.
cairn_status cairn_source_settle(cairn_source *source, cairn_division division);

/// Store entries; everything but the timing. What the tensor's `held` has already is
/// counted as well. Collective.
///
/// @param bucketed  NULL, or the entries in buckets; then @p entries has their number alone.
/// @retval CAIRN_NO_KERNEL  From buckets: they have to be sorted first, or, where they say
///                          so, repeats have to be added up.
cairn_status cairn_tensor_build(cairn_tensor        *tensor,
                                const cairn_shape   *shape,
                                const cairn_entries *entries,
                                cairn_bucketed      *bucketed);

/// A handle for what a tensor becomes in another format, its rows where they are; no arrays.
///
/// Local. @param[out] fresh  On failure what it has is freed with it.
cairn_status cairn_tensor_prepare(const cairn_tensor *tensor,
                                  const cairn_format *format,
                                  cairn_tensor      **fresh);

/// Fill @p to, which is prepared. Collective.
///
/// @param[in] into  NULL, or where its arrays are to be, a caller's.
cairn_status cairn_tensor_convert_in_place(const cairn_tensor *tensor,
                                           const cairn_arrays *into,
                                           cairn_tensor       *to);

/// Convert where the rows that ranks have do not suit the format's grain: some change
/// their rank.
///
/// Collective.
///
/// @param[in,out] to  Prepared. Replaced or filled; on failure it is still to be destroyed.
cairn_status cairn_tensor_convert_moving(const cairn_tensor *tensor, cairn_tensor **to);

/// This rank's entries as a source, not yet in order. Local.
///
/// @param[out] source  To be destroyed also on failure.
cairn_status cairn_tensor_take_entries(const cairn_tensor *tensor,
                                       cairn_source      **source);

/// Bytes of the arrays of what a rank stores; and of its entries, level by level, as rules
/// work on them.
int64_t cairn_local_array_bytes(const cairn_local *local);
int64_t cairn_local_table_bytes(const cairn_local *local);

/// Rows that the caller divided: ranks tell each other theirs, which must follow each
/// other without gaps, and the extents, which must be the same.
///
/// Collective.
///
/// @param[in]  call   For messages.
/// @param[in]  first  This rank's first row, and
/// @param[in]  count  how many it has.
/// @param[out] rows   Released with cairn_rows_fini(), also on failure.
/// @retval CAIRN_BAD_SHAPE  They do not, or are not.
cairn_status cairn_rows_given(cairn_comm        *comm,
                              const char        *call,
                              const cairn_shape *shape,
                              int64_t            first,
                              int64_t            count,
                              cairn_rows        *rows);

/// Refuse what would change or free arrays of which a view is out. Local.
///
/// @param[in] call  For the message.
/// @retval CAIRN_BAD_ARGUMENT
cairn_status cairn_tensor_check_views(const cairn_tensor *tensor, const char *call);

/// A format must be for tensors of a shape's order. Local.
/// @retval CAIRN_BAD_SHAPE
cairn_status
cairn_check_order(cairn_env *env, const cairn_format *format, const cairn_shape *shape);

/// As cairn_tensor_create() while @p held bytes of arrays are in memory besides.
cairn_status cairn_tensor_create_beside(cairn_source       *source,
                                        const cairn_format *format,
                                        cairn_dtype         dtype,
                                        int64_t             held,
                                        cairn_tensor      **tensor);

/// The same of a source whose entries are where they belong; ranks have agreed on the rest.
cairn_status cairn_tensor_create_divided(cairn_source       *source,
                                         const cairn_format *format,
                                         cairn_dtype         dtype,
                                         int64_t             held,
                                         cairn_tensor      **tensor);

#endif
