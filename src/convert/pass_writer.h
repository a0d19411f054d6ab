// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Passes of one member, as methods write them down: what is common to all of them, and
/// the bytes that follow from source and target. Internal to convert.

#ifndef CAIRN_CONVERT_PASS_WRITER_H
#define CAIRN_CONVERT_PASS_WRITER_H

#include "rules/pass_list.h"

typedef struct cairn_pass_writer {
    cairn_pass_list *program;
    cairn_pass       pass;    ///< Method, member and index of the next one.
    double           read;    ///< Bytes of the source read for an entry of the member,
    double           values;  ///< those of values among them: all entries are read.
    double           written; ///< Bytes of an entry in the target.
    double           groups;  ///< Groups for each entry,
    double           rows;    ///< and rows.
    uint64_t         arrays;  ///< Of the target,
    uint64_t         ptrs;    ///< its ptr among them.
} cairn_pass_writer;

cairn_status cairn_passes_add(cairn_pass_writer *w,
                              cairn_pass_kind    what,
                              cairn_pass_unit    unit,
                              uint64_t           arrays,
                              cairn_pass_stores  stores,
                              double             bytes);

/// Entries are counted by what stands above the values; or rows by where they begin. A
/// group index begins.
cairn_status cairn_passes_count(cairn_pass_writer *w, cairn_pass_unit unit);

/// Counts become begins.
cairn_status cairn_passes_offsets(cairn_pass_writer *w);

/// Groups, rows or entries get numbers.
cairn_status cairn_passes_number(cairn_pass_writer *w,
                                 cairn_pass_unit    unit,
                                 cairn_number_rule  rule,
                                 uint64_t           arrays);

/// The entries themselves: written lines are read before, unless they go by whole lines.
/// @p what: MOVE; or APPEND, which writes where groups begin as it goes.
cairn_status cairn_passes_move(cairn_pass_writer *w,
                               cairn_pass_kind    what,
                               cairn_pass_unit    unit,
                               cairn_pass_stores  stores);

/// Arrays are had in common with the source.
cairn_status cairn_passes_share(cairn_pass_writer *w, uint64_t arrays);

/// Positions without an entry are written.
cairn_status cairn_passes_pad(cairn_pass_writer *w);

#endif
