// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What passes do, one file a kind, below passes/: a method names the work of each of its
/// passes. Internal to convert.
///
/// | file | works |
/// |---|---|
/// | pass_count.c | entries by group, nodes, lists of nodes, rows |
/// | pass_offsets.c | begins of groups: of entries, or of rows |
/// | pass_slots.c | where the slots of rows begin, and their padding |
/// | pass_lines.c | where the slots of lines begin, and their indices |
/// | pass_number.c | rows by an order, nodes of a group |
/// | pass_check.c | a caller's arrays: looked at, sorted, combined |
/// | pass_sort.c | keys, sorted and combined |
/// | pass_buckets.c | entries one behind the other, by buckets |
/// | pass_move.c, pass_mirror.c | entries, or rows whole, to where they belong; one behind the other |
/// | pass_copy.c | arrays whole; lists that wait for it are looked at |
/// | pass_pad.c | positions without an entry |

#ifndef CAIRN_CONVERT_PASSES_H
#define CAIRN_CONVERT_PASSES_H

#include "convert/compiled.h"

extern const cairn_pass_work
    /* COUNT */
    cairn_count_nodes,  ///< Nodes of entries that come in the order of the target;
    cairn_count_keys,   ///< of keys,
    cairn_count_groups, ///< Entries of each group.
    cairn_count_lists,  ///< Which indices each group has.
    cairn_count_rows,   ///< Where each row begins in the source.
    /* OFFSETS */
    cairn_offsets_of_groups,     ///< After cairn_count_groups.
    cairn_offsets_of_row_groups, ///< Rows go to groups as they come.
    cairn_offsets_of_rows,       ///< Nodes of each bank of ordered rows.
    cairn_offsets_of_slots,      ///< Each row has a slot in a group.
    cairn_offsets_of_lines,      ///< So has each line of groups.
    cairn_offsets_of_source,     ///< The source's rows are the groups.
    cairn_offsets_of_buckets,    ///< Begins are found bucket by bucket.
    /* NUMBER, SORT */
    cairn_number_rows,  ///< Rows are put in the order of the first levels.
    cairn_number_lists, ///< Nodes are put in order, group by group.
    cairn_sort_keys,
    /* COMBINE */
    cairn_combine_keys, ///< Equal keys, which stand side by side.
    /* APPEND, MOVE */
    cairn_append_entries,   ///< In the order of the source,
    cairn_append_rows,      ///< of rows as they were put in order,
    cairn_append_keys,      ///< of keys,
    cairn_append_buckets,   ///< of buckets;
    cairn_append_arrays,    ///< arrays whole, as the source has them.
    cairn_move_entries,     ///< To where the cursors of their groups stand.
    cairn_move_rows,        ///< Whole, to their groups.
    cairn_move_rows_banked, ///< Whole, behind each other in each bank.
    cairn_move_to_slots,    ///< Of their rows,
    cairn_move_to_lines,    ///< of their lines,
    cairn_move_to_nodes,    ///< to the nodes of their indices.
    cairn_move_mirrored,    ///< From where the mirrored entries are, whose
    cairn_offsets_mirrored, ///< groups begin where the target's do.
    /* PAD */
    cairn_pad_slots, cairn_pad_lines, cairn_pad_nodes;

/* ---- what several of them do ---- */

/// Write the ptr of the last level: the part of a pass that cairn_compiled_write_last_ptr()
/// is all of.
cairn_status cairn_pass_write_last_ptr(cairn_compiled *c, const cairn_pass_call *call);

/// Bytes for an entry that counting groups moves beyond what appending moves: the count of
/// each group is cleared, added to, and becomes a begin. Where complete levels
/// have numbers there may be dozens of groups for an entry. Formats without queries are not
/// charged, but go by what was measured of them.
static inline double cairn_pass_group_bytes(const cairn_compiled    *c,
                                            const cairn_pass_writer *w)
{
    return c->m->encoding->queries > 0 ? 16 * w->groups : 0;
}

/// May entries be taken from where the mirrored ones are, if all have one? (The method
/// scatter, which goes on otherwise.)
bool cairn_mirror_fits(const cairn_compiled *c);

/// May they, have some that are looked for one each, and would that spare the indices?
bool cairn_mirror_spares(const cairn_compiled *c);

/// Is one entry of each pair visited then? (cairn_convert_row_spec)
bool cairn_mirror_is_halved(const cairn_compiled *c);

/// Are a caller's arrays looked at by cairn_append_arrays, which then finds where rows begin,
/// too? So they are if they wait for it, all of them are copied, and a ptr has 32 bits.
bool cairn_append_arrays_looks(const cairn_compiled *c);

/// Every entry is a node, of one bank.
void cairn_nodes_are_entries(cairn_compiled *c);

/// Banks of groups that follow each other, all nodes being entries: `cursor` has where
/// groups begin.
void cairn_groups_set_banks(cairn_compiled *c);

/// Lanes of a group: combinations of the complete levels that a row alone gives.
int64_t cairn_slots_lanes(const cairn_layout *to);

/// Where the slots of groups begin: a group is as wide as its fullest lane. @p entries: of
/// a lane; called for each, and so compiled into the loop.
/// @retval CAIRN_NO_KERNEL  More than 32 bits number.
static inline cairn_status
cairn_slots_begin_groups(cairn_compiled *c,
                         int64_t         lanes,
                         uint32_t (*entries)(const cairn_compiled *c, int64_t lane))
{
    uint32_t *const cursor = c->groups.begin;
    const int64_t   groups = c->facts.groups, ranges = c->ranges.n;
    int64_t         nodes = 0;

#pragma omp parallel for schedule(static) num_threads((int)ranges) if (ranges > 1)
    for (int64_t g = 0; g < groups; g++) {
        uint32_t width = 0;

        for (int64_t k = g * lanes; k < (g + 1) * lanes; k++) {
            const uint32_t its = entries(c, k);

            width = its > width ? its : width;
        }
        cursor[g] = width;
    }
    for (int64_t g = 0; g < groups; g++)
        nodes += cursor[g];
    CAIRN_CHECK(nodes < UINT32_MAX, c->m->env, CAIRN_NO_KERNEL,
                "convert: more nodes than 32 bits number");
    cairn_begin_groups(cursor, groups);
    c->groups.n = nodes;
    return CAIRN_OK;
}

/// The function that cairn_offsets_of_slots calls.
cairn_convert_spec cairn_slots_lanes_spec(const cairn_compiled *c);

/// The level that stores which group a number means; and are the source's entries as many
/// as it says, which those of one that pads need not be? Lanes of a group, each with a line.
int     cairn_lines_index_level(const cairn_layout *to);
bool    cairn_lines_are_exact(const cairn_compiled *c);
int64_t cairn_lines_lanes(const cairn_layout *to);

/// Do groups that are numbered along lines have a slot each, and is all else known?
bool cairn_lines_fit(const cairn_compiled *c);

/// Before and after the entries of a part went to their slots.
void cairn_slots_write_determined(const cairn_compiled *c, const cairn_part *part);

/// Make room for lists of the nodes of all groups; @p most as of the index.
cairn_status cairn_lists_create(cairn_compiled *c, cairn_pos most);

/// Run a phase over the rows of a bank, in their order.
cairn_status cairn_rows_run_bank(const cairn_compiled *c,
                                 const cairn_phase    *phase,
                                 int64_t               bank,
                                 cairn_kernel_part    *to,
                                 cairn_convert_args   *args);

/// One lane in the arrays: its slots are @c stride positions apart.
typedef struct cairn_padded_lane {
    char           *idx, *val; ///< Of slot 0.
    const uint32_t *list;      ///< [count] indices to be written; NULL: they are there.
    int64_t         stride;
    int64_t         count, slots; ///< That have something; all.
    int64_t hole, free, end;      ///< Others have the indices free <= x < end that it
                                  ///< lacks, in order, as far as there are any.
    int idx_bits, val_bits;       ///< 0: it has no values of its own.
} cairn_padded_lane;

/// Write the indices of a lane, if they are given, and its padding.
void cairn_pad_lane(const cairn_padded_lane *lane);

/// May entries be counted and moved by rows? (The method rows.)
bool cairn_rows_count_all(const cairn_compiled *c);
bool cairn_rows_are_counted(const cairn_compiled *c);

#endif
