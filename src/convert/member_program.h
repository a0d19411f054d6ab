// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The program of one member: its passes, in the order in which they run, each with what it
/// does and with the functions that it calls. A method (method.h) writes it; one loop runs
/// it (run.c). Printed it is the list of passes (rules/pass_list.h); where a pass found out
/// more than could be predicted, such as how stores left, it says so there. Internal to
/// convert.

#ifndef CAIRN_CONVERT_MEMBER_PROGRAM_H
#define CAIRN_CONVERT_MEMBER_PROGRAM_H

#include "phases/phase.h"
#include "rules/pass_list.h"
#include "tensor/local.h"

struct cairn_compiled;

/// A pass whose turn it is to write arrays.
typedef struct cairn_pass_call {
    cairn_pass         *pass;
    int64_t             bank; ///< Banks come in order.
    cairn_convert_args *args; ///< The pass's own: `facts`, `length`, `low` and `tuple`.
    cairn_part         *part; ///< Of the bank.
    int64_t *const     *tuple;
} cairn_pass_call;

/// What a pass does: both parts may be missing.
typedef struct cairn_pass_work {
    /// Before there are arrays: count, exchange, assign members, find where groups begin,
    /// number, sort.
    cairn_status (*prepare)(struct cairn_compiled *c);
    /// Write arrays of a bank.
    cairn_status (*write)(struct cairn_compiled *c, const cairn_pass_call *call);
    bool together; ///< All ranks run `prepare` at the same time, none having failed.
} cairn_pass_work;

/// A pass of a program, beside its line in the list.
typedef struct cairn_program_step {
    const cairn_pass_work *work;
    int                    query; ///< Whose numbers they are, of passes that have one.
    bool idle; ///< It ran, and there was nothing to do: it is not printed.
    bool
        broken; ///< Its work sets it where what the pass assumes does not hold: then the
                ///< program goes on otherwise, as if the pass had written nothing.
} cairn_program_step;

/// A function that a pass calls.
typedef struct cairn_pass_function {
    cairn_convert_spec spec;
    bool               optional; ///< What cannot be had is done without.
    bool               alone;    ///< Of use to one thread only.
    cairn_phase        phase;    ///< Once it is loaded.
} cairn_pass_function;

/// How the source is divided among threads.
typedef struct cairn_source_division {
    bool
        groups; ///< What lies in one group, or is numbered in one row, is one thread's.
    bool    nodes;   ///< Each range writes nodes of its own,
    bool    cursors; ///< or where cursors of its own stand, one for each group.
    bool    rows;    ///< Rows are divided, once they are counted.
    int64_t most;    ///< Shares at most.
} cairn_source_division;

enum {
    CAIRN_PROGRAM_PASSES    = 2 * CAIRN_MAX_QUERIES + 1, ///< Of a member, at most,
    CAIRN_PROGRAM_FUNCTIONS = 7,                         ///< and functions.
};

typedef struct cairn_member_program {
    cairn_pass_list     list; ///< As it is printed; indices of groups count from 0.
    cairn_program_step  step[CAIRN_PROGRAM_PASSES];
    cairn_program_step  otherwise[CAIRN_PROGRAM_PASSES]; ///< Of the list's `otherwise`.
    int                 functions;
    cairn_pass_function function[CAIRN_PROGRAM_FUNCTIONS];
    cairn_source_division   division;
    bool                    pads;   ///< A pass pads,
    bool                    tuples; ///< by the indices of every node of level E:
    int64_t                *tuple;  ///< [tuple_room] room for those of a bank, or NULL.
    int64_t                 tuple_room;
    struct cairn_padding   *padding; ///< What pads, once it does; or NULL.
    struct cairn_card_work *card;    ///< What runs on a card, once it does; or NULL.
    cairn_route             route;   ///< COMPILED if any function was.
} cairn_member_program;

/// While a program is written: what bytes follow from.
typedef struct cairn_pass_writer {
    cairn_member_program *program;
    int assuming;      ///< -1; or the pass for which what goes on otherwise is written.
    cairn_pass pass;   ///< Method, member and index of the next one.
    double     read;   ///< Bytes of the source read for an entry of the member,
    double     values; ///< those of values among them: all entries are read.
    double     written; ///< Bytes of an entry in the target.
    double     groups;  ///< Groups for each entry,
    double     rows;    ///< and rows.
    uint64_t   arrays;  ///< Of the target,
    uint64_t   ptrs;    ///< its ptr among them.
} cairn_pass_writer;

/// The pass that was written last.
cairn_pass *cairn_pass_written(const cairn_pass_writer *w);

/// Start a program, forgetting the one before, whose functions are not loaded.
cairn_pass_writer cairn_passes_begin(struct cairn_compiled *c);

/// Start the program of what comes before there is a layout, of which no bytes are
/// predicted. Its passes are the member's, of no method yet, unless `pass` says others.
cairn_pass_writer cairn_passes_begin_early(struct cairn_compiled *c);

/// Pass @p k assumes something: where that does not hold, the passes that are written from
/// now on take the place of it and of all behind it.
///
/// @param[in] what    Constant: "the pattern is symmetric".
/// @param[in] method  Of the passes that follow.
void cairn_passes_otherwise(cairn_pass_writer *w,
                            int                k,
                            const char        *what,
                            const char        *method);

/// What the pass that is prepared or written assumes does not hold.
void cairn_pass_break(struct cairn_compiled *c);

/// The program goes on with what pass @p k has for that.
///
/// @param[out] next  The first pass that goes on.
cairn_status cairn_passes_go_on(cairn_member_program *program, int k, int *next);

/// Append a pass; its functions follow.
cairn_status cairn_passes_add(cairn_pass_writer     *w,
                              cairn_pass_kind        what,
                              cairn_pass_unit        unit,
                              uint64_t               arrays,
                              cairn_pass_stores      stores,
                              double                 bytes,
                              const cairn_pass_work *work);

/// Entries are counted by what stands above the values; or rows by where they begin. A
/// group index begins.
cairn_status cairn_passes_count(cairn_pass_writer     *w,
                                cairn_pass_unit        unit,
                                const cairn_pass_work *work);

/// Counts become begins.
cairn_status cairn_passes_offsets(cairn_pass_writer *w, const cairn_pass_work *work);

/// Groups, rows or entries get numbers.
cairn_status cairn_passes_number(cairn_pass_writer     *w,
                                 cairn_pass_unit        unit,
                                 cairn_number_rule      rule,
                                 uint64_t               arrays,
                                 const cairn_pass_work *work);

/// The entries themselves: written lines are read before, unless they go by whole lines.
/// @p what: MOVE; or APPEND, which writes where groups begin as it goes.
cairn_status cairn_passes_move(cairn_pass_writer     *w,
                               cairn_pass_kind        what,
                               cairn_pass_unit        unit,
                               cairn_pass_stores      stores,
                               const cairn_pass_work *work);

/// Arrays are had in common with the source.
cairn_status cairn_passes_share(cairn_pass_writer *w, uint64_t arrays);

/// Ranks exchange what the next pass needs of all.
cairn_status cairn_passes_exchange(cairn_pass_writer *w, const cairn_pass_work *work);

/// Entries are assigned to members.
cairn_status cairn_passes_assign(cairn_pass_writer *w, const cairn_pass_work *work);

/// The last pass is about a query.
void cairn_passes_set_query(cairn_pass_writer *w, int query);

/// Positions without an entry are written.
cairn_status cairn_passes_pad(cairn_pass_writer *w, const cairn_pass_work *work);

/// The last pass calls a function. Set `optional` and `alone` of what is returned.
cairn_pass_function *cairn_passes_call(cairn_pass_writer        *w,
                                       const cairn_convert_spec *spec);

/// Note how stores leave after all.
void cairn_pass_set_stores(const struct cairn_compiled *c,
                           cairn_pass                  *pass,
                           cairn_pass_stores            stores);

/// Load the functions that are to be called.
///
/// Local.
/// @retval CAIRN_NO_KERNEL  One cannot be had.
cairn_status cairn_passes_load(struct cairn_compiled *c);

/// Specifications of functions, from several programs.
typedef struct cairn_kernel_requests {
    int                specs;
    cairn_convert_spec spec[CAIRN_PROGRAM_FUNCTIONS * CAIRN_MAX_MEMBERS];
} cairn_kernel_requests;

/// Append those that the program may call.
void cairn_passes_request(const struct cairn_compiled *c,
                          cairn_kernel_requests       *requests);

/// The function of a phase, if it is loaded; else NULL. SCATTER: what reads the source.
const cairn_phase *cairn_pass_phase(const struct cairn_compiled *c,
                                    cairn_convert_phase          phase);

/// Likewise, of keys.
const cairn_phase *cairn_pass_keys_phase(const struct cairn_compiled *c,
                                         cairn_convert_phase          phase);

/// Likewise, of marked rows (convert/stores/compiled_marks.h).
const cairn_phase *cairn_pass_marked_phase(const struct cairn_compiled *c,
                                           cairn_convert_phase          phase);

void cairn_passes_fini(cairn_member_program *program);

#endif
