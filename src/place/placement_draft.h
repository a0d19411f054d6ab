// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What is to get a device: members and shares of members, before a policy gives those that
/// are open their devices. Internal to placement.

#ifndef CAIRN_PLACE_PLACEMENT_DRAFT_H
#define CAIRN_PLACE_PLACEMENT_DRAFT_H

#include "place/divide.h"
#include "place/placement.h"

/// A member, or a share of one.
typedef struct cairn_placing_task {
    int            member, share;
    cairn_interval rows;
    double         part;     ///< Of what the member stores.
    uint64_t       affinity; ///< Devices to which it may go; 0: any.
    double
        seconds; ///< Predicted on the only one of these; 0: by its part of the whole.
} cairn_placing_task;

typedef struct cairn_placing_draft {
    const cairn_placing_question *question;
    int                           count;
    cairn_placing_task            task[CAIRN_MAX_HOMES];
    char                          note[128];

    /// Seconds of each whole member on each device, [members][devices]; INFINITY: it
    /// cannot, by its memory or at all,
    double whole[CAIRN_MAX_MEMBERS * CAIRN_MAX_DEVICES];
    /// and if memory did not count,
    double any_memory[CAIRN_MAX_MEMBERS * CAIRN_MAX_DEVICES];
    /// of which so much does not follow from what is stored (cairn_cost_guess.beside).
    double beside[CAIRN_MAX_MEMBERS * CAIRN_MAX_DEVICES];
} cairn_placing_draft;

/// Draft what the user said, and what memories allow.
///
/// Local.
///
/// @param[in,out] draft  `question` is set.
/// @retval CAIRN_NO_DEVICE   A device that the user named is not here, or lost.
/// @retval CAIRN_BAD_OPTION  More than CAIRN_MAX_HOMES shares.
cairn_status cairn_placing_draft_make(cairn_env *env, cairn_placing_draft *draft);

/// Seconds of member @p member, whole, on each device, if memory did not count.
const double *cairn_placing_draft_seconds(const cairn_placing_draft *draft, int member);

/// Add a whole member that may go to the devices @p affinity.
cairn_status cairn_placing_draft_whole(cairn_env           *env,
                                       cairn_placing_draft *draft,
                                       int                  member,
                                       uint64_t             affinity);

/// Add rows @p rows of a member as its next share, unless there are none.
cairn_status cairn_placing_draft_rows(cairn_env               *env,
                                      cairn_placing_draft     *draft,
                                      int                      member,
                                      const cairn_row_weights *weights,
                                      cairn_interval           rows,
                                      uint64_t                 affinity);

/// Add a member on a device with a memory of its own, or the share that fits there and the
/// rest on the processor.
///
/// @param[in,out] left  [devices] Bytes.
cairn_status cairn_placing_draft_within(cairn_env           *env,
                                        cairn_placing_draft *draft,
                                        int                  member,
                                        int                  device,
                                        double              *left);

/// The measured device that would compute an open member soonest, if nothing but its
/// memory keeps it from that; else -1.
int cairn_placing_draft_kept_from(const cairn_placing_draft *draft, int member);

/// Of a draft whose members are all open and whole, divide the one that takes longest
/// among the measured processors, and devices beside them that run while these do
/// (devices/seat.h) and have memory for the whole. Processors get parts by their speeds;
/// where another device has a part, its start and what it copies count (balance.h).
///
/// @param[out] divides  Whether there are several, rows enough, and arrays that can be
///                      lent, so that a trial costs neither time nor memory.
cairn_status cairn_placing_draft_divide(cairn_placing_draft *draft, bool *divides);

#endif
