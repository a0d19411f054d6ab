// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The source, divided among threads. No way depends on the division: the same arrays
/// come out for any number of threads.

#ifndef CAIRN_PHASES_THREAD_RANGES_H
#define CAIRN_PHASES_THREAD_RANGES_H

#include "phases/origin.h"

/// Entries from which threads pay.
enum {
    /* Measured, with threads of OpenMP. */
    CAIRN_RANGES_WORTH = 200000,
    /* Where entries are counted by group and then dealt out, which takes 1.2 ns each: 40 us
     * for each of two threads, of which one may have to be woken. A guess. */
    CAIRN_RANGES_DEALT = 1 << 16,
};

/// Which part of the source each range visits, and what was found there.
typedef struct cairn_thread_ranges {
    int64_t n;    ///< Threads.
    bool    few;  ///< Entries are fewer than CAIRN_RANGES_WORTH: nobody is waited for
                  ///< (base/thread_team.h). Nothing may be written but by range.
    int64_t *cut; ///< [n + 1] turns of the source that each has,
    int64_t *offset; ///< [n] entries before them,
    int64_t *found;  ///< [n][CAIRN_CONVERT_FACTS] facts.
} cairn_thread_ranges;

/// What must be one thread's: entries that agree in some forms over dimensions.
typedef struct cairn_lines {
    const cairn_algebra *algebra;
    int                  forms;
    const cairn_form    *form[CAIRN_MAX_LEVELS];
    uint32_t             dims; ///< Other dimensions that identify lines; cuts need not.
} cairn_lines;

/// Divide the source into ranges of about as many entries; one where it is small, or
/// cannot be divided.
///
/// @param[in]  lines    NULL: cuts may lie anywhere. Else `offset` is filled, too.
/// @param[in]  threads  Shares at most; less than 1 is 1.
/// @param[in]  worth    Entries from which there are several: one of those above.
/// @param[out] ranges   Zero; give back with cairn_thread_ranges_fini(), on failure, too.
cairn_status cairn_thread_ranges_divide(cairn_env           *env,
                                        const cairn_origin  *origin,
                                        const cairn_lines   *lines,
                                        int64_t              threads,
                                        cairn_pos            worth,
                                        cairn_thread_ranges *ranges);

void cairn_thread_ranges_fini(cairn_env *env, cairn_thread_ranges *ranges);

/// Run a phase over all parts of the source. @p args has what the phase needs beside; each
/// of its `facts` is the greatest that a part has told.
cairn_status cairn_thread_ranges_run(cairn_env                 *env,
                                     const cairn_thread_ranges *ranges,
                                     const cairn_origin        *origin,
                                     const cairn_phase         *phase,
                                     cairn_kernel_part         *to,
                                     cairn_convert_args        *args);

/// Call @p task once for each range, on threads that suit how many entries there are.
void cairn_thread_ranges_each(cairn_env                 *env,
                              const cairn_thread_ranges *ranges,
                              void (*task)(void *user, int range),
                              void *user);

/// As cairn_thread_ranges_run() for a source of several ranges, each of them a task: where
/// they are `few` of the environment's team; else threads of the team of OpenMP that is at
/// work, which other tasks have left idle, help. Nothing may be written but by range.
///
/// @param[in] cursors  Of each range in `cursor`, one after the other; 0: all have one.
cairn_status cairn_thread_ranges_spread(cairn_env                 *env,
                                        const cairn_thread_ranges *ranges,
                                        const cairn_origin        *origin,
                                        const cairn_phase         *phase,
                                        cairn_kernel_part         *to,
                                        const cairn_convert_args  *args,
                                        int64_t                    cursors);

#endif
