// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The compiled twin of a member's build: the same arrays, bit for bit, by functions that
/// are generated for the layouts at hand (lower/conversion/convert.h). It starts where the
/// queries have run: from coordinates with the numbers that queries gave, or straight from
/// the levels of another tensor, with numbers by row (convert/numbers/compiled_rows.h) or
/// without. Internal to convert.
///
/// Memory beside the arrays, from the reading of the source to the end of the build, for n
/// entries, by the method that was chosen (method.h): append none; scatter 4 bytes a group,
/// and where groups are far apart 16 an entry; rows 8 bytes a row, 4 a group; groups 4
/// bytes a group, an index of level E and a node, and half a megabyte a thread for tiles of
/// values; sort the keys, 16 bytes an entry (24 when its indices take more than 63 bits)
/// and as much again while they are sorted.

#ifndef CAIRN_CONVERT_COMPILED_H
#define CAIRN_CONVERT_COMPILED_H

#include "convert/build_steps.h"
#include "convert/facts.h"
#include "convert/member_program.h"
#include "convert/method.h"
#include "phases/line_index.h"

/// Rows of the source, and the order in which they are visited.
typedef struct cairn_row_order {
    int       levels;     ///< Of the target, that the row gives;
    int       known;      ///< the first through which the row is known.
    uint32_t *order;      ///< [rows] as they are visited.
    uint32_t *first;      ///< [rows + 1] where they begin,
    uint32_t *place;      ///< [rows] and where they go, if they are moved whole.
    uint32_t *marks;      ///< [entries] rows that begin at each, if they are marked.
    int64_t  *bank_first; ///< [banks + 1] turns before each bank,
    int64_t  *bank_rows;  ///< [banks][2] its rows that have entries; their entries.
} cairn_row_order;

/// Lanes: slots of rows, or of lines of groups, in the groups of the target.
typedef struct cairn_slot_lanes {
    uint32_t
        *lane; ///< The lane of every row; of lines, the line (from 1) of every lane.
    uint32_t *row_of;   ///< Which row (from 1) a lane has.
    bool      by_lanes; ///< They are filled lane by lane, rows being read in any order,
    bool      source_is_list; ///< from where they begin on.
} cairn_slot_lanes;

/// How entries leave.
typedef struct cairn_store_modes {
    int64_t tile;       ///< Positions of a tile of values; 0: none.
    bool    zeros;      ///< What is to be filled is zero.
    bool    bucketed;   ///< By way of buckets: entries are scattered.
    bool    concurrent; ///< Others are filled at the same time: no threads of its own.
} cairn_store_modes;

/// The method that was chosen.
typedef struct cairn_method_choice {
    const cairn_method *method;
    bool                known;        ///< Nodes are groups that were counted before.
    int                 alternatives; ///< Others that would have done,
    cairn_alternative   alternative[CAIRN_METHODS]; ///< and what they would take.
} cairn_method_choice;

/// One member while it is built the compiled way.
typedef struct cairn_compiled {
    cairn_member_build  *m;
    const cairn_build   *build;
    cairn_origin         origin;
    cairn_interval       range[CAIRN_MAX_LEVELS]; ///< Of every level's index.
    cairn_facts          facts;
    cairn_method_choice  choice;
    cairn_member_program program;
    cairn_program_step  *step;   ///< Of the pass that is prepared.
    cairn_thread_ranges  ranges; ///< Of the source; what each found in its first pass.
    cairn_part           empty;  ///< The ranges of levels, for counting.
    cairn_keys           keys;   ///< Of a program that sorts.
    cairn_line_index groups; ///< Of the target: lines are groups, and what stands on
                             ///< them are nodes, if they are listed. `begin` may be
                             ///< of each range, if the division says so.
    cairn_row_order     rows;
    cairn_slot_lanes    slots;
    cairn_store_modes   stores;
    cairn_shared_arrays shared; ///< Arrays of the source that the target has, too.
} cairn_compiled;

/// May what cannot be compiled go the reference way?
static inline bool cairn_compiled_may_fall_back(const cairn_env *env)
{
    return env->options.kernels != CAIRN_KERNELS_COMPILED && !env->options.convert[0];
}

/// Read all entries of the tensor to start from as coordinates, in order.
///
/// Local. @p table is empty, and stays so on failure.
/// @retval CAIRN_NO_KERNEL  It cannot be compiled.
cairn_status
cairn_compiled_read(cairn_env *env, const cairn_build *build, cairn_table *table);

/// Writes the passes that come before a member has a layout.
typedef cairn_status (*cairn_early_passes)(const cairn_compiled *c,
                                           cairn_pass_writer    *w);

/// Run the passes that come before there is a layout: those that count and number for
/// queries, and those that assign members.
///
/// Collective if the build has a net: @p status is this rank's so far, and a failure is
/// everybody's.
///
/// @param[in]     origin  The entries that are read.
/// @param[in,out] ran     Gets the passes that had something to do.
/// @retval CAIRN_NO_KERNEL  They cannot be compiled, on some rank.
cairn_status cairn_compiled_run_early(cairn_member_build *m,
                                      const cairn_build  *build,
                                      const cairn_origin *origin,
                                      cairn_early_passes  write,
                                      cairn_status        status,
                                      cairn_pass_list    *ran);

/// Count banks and their nodes, as cairn_build_count() does, once `layout` is there.
///
/// Local.
///
/// @param[out] compiled  For cairn_compiled_fill(); destroy with
///                       cairn_compiled_destroy(). Unchanged on failure.
/// @retval CAIRN_NO_KERNEL  It cannot be compiled: nothing was changed.
cairn_status cairn_compiled_count(cairn_member_build *m,
                                  const cairn_build  *build,
                                  cairn_compiled    **compiled);

/// Which arrays must be zero before they are filled: none, if filling writes every byte of
/// every array. Where positions are padded it does not, nor where tuples have bytes between
/// their fields.
cairn_clearing cairn_compiled_clears(const cairn_compiled *compiled);

/// Note whether the values to be filled, just allocated, read as zero: then zeros need not
/// be written.
void cairn_compiled_find_zeros(cairn_compiled *compiled);

/// Can it be filled while other members are? Not where it wants threads of its own: of
/// several ranges only those that write nothing in common.
bool cairn_compiled_fits_beside(const cairn_compiled *compiled);

/// Fill the arrays of a placed part, as cairn_build_fill() does; banks in order.
cairn_status
cairn_compiled_fill(cairn_compiled *compiled, int64_t bank, cairn_part *part);

void cairn_compiled_destroy(cairn_env *env, cairn_compiled **compiled);

/// Start the compiled build of a member whose `layout` is there.
///
/// @param[out] compiled  Destroy with cairn_compiled_destroy(). Unchanged on failure.
cairn_status cairn_compiled_create(cairn_member_build *m,
                                   const cairn_build  *build,
                                   cairn_compiled    **compiled);

/// Find the facts of the member, and choose the method whose passes take least. Loads
/// nothing.
///
/// Local.
/// @retval CAIRN_BAD_OPTION  The method that was asked for does not apply.
/// @retval CAIRN_NO_KERNEL   It cannot be compiled.
cairn_status cairn_compiled_choose(cairn_compiled *c);

/// Append the passes that build the member, as they are predicted once a method is chosen;
/// once the arrays are filled, as they ran.
cairn_status cairn_compiled_passes(const cairn_compiled *c, cairn_pass_list *program);

/* For methods and passes. */

/// The source's part that is read; NULL: entries.
static inline const cairn_kernel_part *cairn_compiled_source(const cairn_compiled *c)
{
    return cairn_origin_view(&c->origin, 0);
}

/// Can rows be read by themselves, in any order? @p source_is_list: from where they begin on.
bool cairn_rows_are_read(const cairn_compiled *c, bool *source_is_list);

/// [rows] Entries of each row, where a query counted them; else NULL.
static inline const uint32_t *cairn_compiled_counts(const cairn_compiled *c)
{
    const cairn_numbered_rows *rows = &c->m->rows;

    return rows->table ? rows->table + rows->count * rows->n : NULL;
}

/// Find where rows begin by their counts.
cairn_status cairn_rows_begin(cairn_compiled *c);

/// Can a target be filled from entries in buckets? (The method partitioned.)
bool cairn_buckets_fit(const cairn_bucketed *bucketed,
                       const cairn_layout   *to,
                       const cairn_facts    *facts);

/// Positions of each node that a tile of values is to have; 0: none is of use, or may be.
/// Nodes have been counted.
int64_t cairn_tiles_width(const cairn_compiled *c);

/// Fill @p to by tiles, of so many positions: every value is written.
cairn_status cairn_tiles_fill(const cairn_compiled    *c,
                              const cairn_kernel_part *to,
                              cairn_convert_args      *args);

/// Write the ptr of the last level, `cursor` having the begins of all groups: where that
/// level alone has one.
void cairn_compiled_write_last_ptr(const cairn_compiled    *c,
                                   const cairn_kernel_part *view);

/// Write the ptrs of a bank, `cursor` having the begins of all groups: where every entry
/// is a node.
void cairn_compiled_write_ptrs(const cairn_compiled    *c,
                               int64_t                  bank,
                               const cairn_kernel_part *view);

/// Entries before group @p g, by `cursor`; there may be one more group than there are.
int64_t cairn_compiled_begin_of(const cairn_compiled *c, int64_t g);

/// How far each bank's arrays lie from the first bank's.
///
/// @param[in]  all    Positions count the entries of all banks; else those of each.
/// @param[out] delta  [banks][levels + 1] elements, by level, then of values; freed with
///                    cairn_free(). NULL where there are no banks.
cairn_status
cairn_compiled_find_delta(const cairn_compiled *c, bool all, int64_t **delta);

/// The specification of a phase over the source.
cairn_convert_spec cairn_compiled_spec(const cairn_compiled *c,
                                       cairn_convert_phase   phase);

/// Run a phase over all parts of the source. @p args has what the phase needs beside.
/// `concurrent`: each range by a thread that is idle.
cairn_status cairn_compiled_run(const cairn_compiled *c,
                                const cairn_phase    *phase,
                                cairn_kernel_part    *to,
                                cairn_convert_args   *args);

#endif
