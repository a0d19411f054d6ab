// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The steps of a build, one member at a time. Internal to convert.

#ifndef CAIRN_CONVERT_BUILD_STEPS_H
#define CAIRN_CONVERT_BUILD_STEPS_H

#include "convert/build.h"
#include "groups/groups.h"
#include "phases/origin.h"
#include "rules/pass_list.h"
#include "rules/table.h"

/// Nodes and entries of one bank.
typedef struct cairn_bank {
    cairn_pos begin, end;              ///< Its entries, in sorted order.
    cairn_pos nodes[CAIRN_MAX_LEVELS]; ///< Of its trimmed levels.
} cairn_bank;

/// Queries that give every row a number (convert/numbers/compiled_rows.h), and those that
/// no function answers.
typedef struct cairn_numbered_rows {
    uint32_t       interpreted; ///< Bit q: query q is run on coordinates.
    bool           on;
    int            row;    ///< Dimension,
    int            count;  ///< and the sum over it.
    uint32_t       tables; ///< Bit q: query q gives every row a number,
    uint32_t       joint;  ///< and rows of several ranks were ordered together for it.
    bool           along;  ///< Entries are numbered along rows, too, in a lane each:
    int            slot;   ///< by this enum,
    int            col;    ///< along this dimension.
    int64_t        n;      ///< Rows of the box.
    uint32_t      *table;  ///< [queries][n]; NULL: not counted yet.
    cairn_interval span[CAIRN_MAX_QUERIES]; ///< Of each query's numbers.
} cairn_numbered_rows;

/// Groups that are numbered along lines (convert/numbers/compiled_blocks.h).
typedef struct cairn_blocks cairn_blocks;

/// What a member is built from, and which entries of that are its own.
typedef struct cairn_member_source {
    cairn_table   seen;      ///< The coordinates that its queries saw,
    cairn_entries entries;   ///< as entries; borrowed from `seen`.
    cairn_table   all;       ///< First member: all entries, where members are assigned
    uint8_t      *member_of; ///< by this, a byte for each entry; else both are empty.
    struct cairn_member_groups
        *groups; ///< First member: what `member_of` follows from, until
                 ///< nodes are counted; or NULL.
    bool direct; ///< Compiled: it starts from the levels of the tensor given.
    cairn_filter
        filter; ///< Compiled: it has these entries of all; borrowed from `member_of`.
} cairn_member_source;

/// One member while it is built.
typedef struct cairn_member_build {
    cairn_env            *env;
    int                   number; ///< Of the format's members.
    const cairn_encoding *encoding;
    cairn_table           table; ///< Its entries level by level; at the end in order.
    cairn_member_source   source;
    cairn_groups         *set;    ///< NULL: it has no queries.
    cairn_layout         *layout; ///< Moves into the tensor.
    cairn_bank           *bank;   ///< [layout->banks]
    cairn_part     *part;   ///< [layout->banks] into the tensor's list, once placed,
    cairn_group    *group;  ///< and its group.
    cairn_pass_list passes; ///< What ran before there was a layout: for the queries; of
                            ///< the first member, to assign entries, too.
    cairn_route         route; ///< How the functions came to be that read the entries.
    cairn_numbered_rows rows;  ///< Compiled: queries that number rows.
    cairn_blocks
        *blocks; ///< Compiled: groups, or entries, numbered along lines; or NULL.
    struct cairn_compiled *compiled; ///< NULL: it goes the reference way.
} cairn_member_build;

/// Where the entry just stepped to lies: node of every trimmed level, and which of them
/// it began.
typedef struct cairn_node_cursor {
    cairn_pos total[CAIRN_MAX_LEVELS]; ///< Nodes so far.
    cairn_pos node[CAIRN_MAX_LEVELS];
    /// Level with gaps: first node under this parent.
    cairn_pos base[CAIRN_MAX_LEVELS];
    uint32_t  fresh;    ///< Bit l: a new node at level l.
    int       changed;  ///< First level whose index differs from before.
    cairn_pos last_row; ///< Row stepped to before; -1: none.
} cairn_node_cursor;

/// Execute a path, rule by rule, into the members' tables.
///
/// Collective if the build has a net; failures are agreed on.
///
/// @param[in] compiled  Run queries and assign entries only: the members' `entries`,
///                      which are coordinates, go the compiled way from there; where
///                      nothing needs coordinates, `direct` is set instead.
cairn_status cairn_path_run(cairn_env          *env,
                            const cairn_build  *build,
                            const cairn_path   *path,
                            bool                compiled,
                            cairn_member_build *members);

/// Note that query @p query of a member is about to look at coordinates one by one or, with
/// @p member -1, the assignment of entries.
///
/// Local; the same on all ranks.
///
/// @retval CAIRN_NO_KERNEL  The build is pledged not to.
cairn_status cairn_build_interpret(cairn_env         *env,
                                   const cairn_build *build,
                                   bool               compiled,
                                   int                member,
                                   int                query);

/// Of a member that is direct, or filtered, get coordinates of its own into `entries`,
/// after all. @p number: which member.
cairn_status
cairn_build_read(cairn_member_build *members, int number, const cairn_build *build);

/// Fill the member's table from the coordinates in `entries` by the forms of its levels,
/// in order: for what turns out not to compile.
cairn_status cairn_build_remap(cairn_member_build *m);

/// Start a bank.
static inline void cairn_node_cursor_init(cairn_node_cursor *cursor)
{
    *cursor = (cairn_node_cursor){.last_row = -1};
}

/// Step to the entry in row @p row of the table.
void cairn_node_cursor_step(cairn_node_cursor        *cursor,
                            const cairn_member_build *m,
                            cairn_pos                 row);

/// Hold every index against its level's range; count banks and their nodes.
cairn_status cairn_build_count(cairn_member_build *m);

/// The failure of an index @p value of level @p l outside its range.
cairn_status cairn_build_out_of_range(cairn_member_build *m, int l, int64_t value);

/// Its message about values that f32 does not hold: value, limit.
#define CAIRN_BUILD_BEYOND_F32 \
    "format: f32: the value %g is beyond its range, which ends at %g"

/// Hold @p arrays bytes, and those that the build holds, against the limit.
/// @retval CAIRN_NO_MEMORY  They exceed it.
cairn_status
cairn_build_check_memory(cairn_env *env, const cairn_build *build, __int128 arrays);

/// Do the entries of banks follow each other, as counting leaves them? What assertions ask.
static inline bool cairn_banks_follow(const cairn_member_build *m)
{
    for (int64_t b = 0; b < m->layout->banks; b++)
        if (m->bank[b].begin > m->bank[b].end
            || m->bank[b].begin != (b ? m->bank[b - 1].end : 0))
            return false;
    return true;
}

/// Check the memory of all members' arrays, which are counted, and allocate them: parts of
/// @p tensor, which has no layouts yet.
///
/// @param[in]  m       [members]
/// @param[out] tensor  Also after a failure, once it was begun; cairn_local_destroy().
/// @retval CAIRN_NO_MEMORY  They exceed the limit: nothing was allocated.
cairn_status cairn_build_allocate(cairn_env          *env,
                                  const cairn_build  *build,
                                  int                 members,
                                  cairn_member_build *m,
                                  cairn_local       **tensor);

/// Do the ptrs of a placed part hold its nodes?
/// @retval CAIRN_OVERFLOW  One does not.
cairn_status cairn_build_check_widths(cairn_env *env, const cairn_kernel_part *view);

/// Fill the arrays of a placed part (its block is zero).
cairn_status
cairn_build_fill(const cairn_member_build *m, int64_t bank, cairn_part *part);

/// As cairn_build_fill(), and leave holes in determined levels where no entry is: `nnz`
/// is the caller's, and so are the widths, which hold.
void cairn_build_fill_stored(const cairn_member_build *m,
                             int64_t                   bank,
                             cairn_part               *part);

/// Fill all members' arrays, which are placed, side by side where that pays.
///
/// @param[in] m, group  [members]
/// @return of several failures the first member's.
cairn_status cairn_build_fill_members(cairn_env          *env,
                                      const cairn_build  *build,
                                      int                 members,
                                      cairn_member_build *m,
                                      const cairn_group  *group);

/// Note what began at @p begin and ends now, on the caller's thread.
///
/// @param[in] looks  It read the source.
void cairn_build_note(const cairn_build *build,
                      const char        *what,
                      int                member,
                      bool               looks,
                      double             begin);

/// Start a member, number @p number of the format's. Pairs with cairn_member_fini(), on
/// failure, too.
cairn_status cairn_member_init(cairn_env          *env,
                               const cairn_build  *build,
                               int                 number,
                               cairn_member_build *m);

/// Free what it has, but for what became the tensor's.
void cairn_member_fini(cairn_env *env, cairn_member_build *m);

/// Append the passes of members: those that are predicted, once methods are chosen; those
/// that ran, once all arrays are filled.
///
/// @param[in]     members  [count]
/// @param[in,out] program  Initialised.
cairn_status cairn_build_describe(const cairn_member_build *members,
                                  int                       count,
                                  cairn_pass_list          *program);

/// Fill the indices of determined levels where no entry is; @p tuples are the indices
/// of every node of level E, [last+1] arrays of [nodes].
cairn_status cairn_build_padding(const cairn_member_build *m,
                                 cairn_part               *part,
                                 int64_t *const           *tuples);

/// What a member is built from: its queries' normal form, or, the reference way being
/// asked for, the text's own.
///
/// Local.
cairn_status cairn_build_encoding(cairn_env             *env,
                                  const cairn_build     *build,
                                  int                    member,
                                  const cairn_encoding **encoding);

#endif
