// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Homes: which device computes which member on this rank, or which rows of it. Devices
/// are asked, through their cost models (cost/cost.h), how long each member takes; a policy
/// (policy.h) decides, within what the user said. A member is divided among devices where
/// the user says so, where a device has memory for a part of it alone, and where several
/// processors are thought to be faster together than any of them.

#ifndef CAIRN_PLACE_PLACEMENT_H
#define CAIRN_PLACE_PLACEMENT_H

#include "comm/distribute.h"
#include "cost/cost.h"
#include "devices/place.h"
#include "place/policy.h"

/* Members and shares of members on one rank. */
enum { CAIRN_MAX_HOMES = 64 };

/// One device's share of a member; all of it, if it has but one.
typedef struct cairn_member_home {
    int            member, share;
    int            device;  ///< Number in the list of devices.
    cairn_interval rows;    ///< Of this rank's box.
    double         seconds; ///< Predicted, by the device's clock.
} cairn_member_home;

/* Fixed cuts of a member, so many if there are no more than eight members; else so that
   all have placing. */
enum { CAIRN_MEMBER_HOME_CUTS = 8 };

/// Where the rows of a matrix are cut for sums that follow from it alone.
typedef struct cairn_row_cuts {
    int count; ///< Pieces; 0: it is not cut.
    cairn_coord
        row[CAIRN_MEMBER_HOME_CUTS + 1]; ///< [count + 1] Where they begin; the end.
    const cairn_rows
        *rows; ///< Who has their rows, where that are several ranks; or NULL.
} cairn_row_cuts;

typedef struct cairn_placing {
    int               count;
    cairn_member_home home[CAIRN_MAX_HOMES]; ///< [count] By member, then share.
    double            makespan[2]; ///< Of all, by cairn_clock; never to be added.
    char              policy[16];  ///< Who decided.
    int               open;        ///< Members that the user left open.
    bool              kept; ///< Bits would follow places: open ones follow a rule.
    bool           wide; ///< Sums are to stay in f64: others are added, then rounded.
    bool           reproducible; ///< What meets rows more than once is summed apart,
    cairn_row_cuts cuts;         ///< and a transposed product so.
    char note[128]; ///< Which member did not fit where it was to go; "": all fit.
} cairn_placing;

/// Shares of a member: 1 if it is not divided.
int cairn_placing_shares(const cairn_placing *placing, int member);

/// Is more than one device in use, and all of them measured? Then a clock can tell whether
/// that pays.
bool cairn_placing_are_spread(const cairn_placing *placing,
                              const cairn_devices *devices);

/// Are measured devices in use, and others than a processor among them?
bool cairn_placing_are_elsewhere(const cairn_placing *placing,
                                 const cairn_devices *devices);

/// Do two placings have the same rows of members on the same devices?
bool cairn_placing_are_same(const cairn_placing *one, const cairn_placing *other);

/// Put all members, undivided, on the processor's first device. What was predicted of those
/// that move, and of all together, is 0 then: not known.
///
/// @param[in,out] placing  Unchanged if it is not among the devices.
/// @return whether it is.
bool cairn_placing_gather(const cairn_devices *devices,
                          const cairn_local   *tensor,
                          cairn_placing       *placing);

/// Cut the rows of a matrix by its extents and its format alone: into pieces of as many
/// rows, but for the grain.
///
/// Local.
///
/// @param[in]  members  Of the format.
/// @param[in]  grain    Rows that the format does not divide, at least 1.
/// @param[out] cuts     Without `rows`.
void cairn_row_cuts_find(cairn_coord     rows,
                         int             members,
                         int64_t         grain,
                         cairn_row_cuts *cuts);

/// For a product whose bits shall follow from the matrix alone: divide every member at
/// fixed rows, and leave each piece on the device that has its first row. Who divides a
/// transposed product's rows divides sums. This rank's rows begin and end at cuts.
///
/// Local.
void cairn_placing_cut(const cairn_local    *tensor,
                       const cairn_row_cuts *cuts,
                       cairn_placing        *placing);

/// What devices are chosen for.
typedef struct cairn_placing_question {
    const cairn_devices         *devices;
    const cairn_placement       *placement; ///< What the user said.
    const cairn_local           *tensor;
    const cairn_product_options *op;
    cairn_costs                 *costs;
    const cairn_policy          *policy;
    int                          ranks;   ///< Of the job on this node.
    bool                         divides; ///< Open members may be divided to be faster.
    cairn_placing
        *beaten; ///< Of what the policy says of whole members, and one divided,
                 ///< that which was thought to be slower; no homes: there is
                 ///< none. NULL: not asked for.
    bool kept;   ///< Set by cairn_placing_choose(): no times decide.
} cairn_placing_question;

/// Would another placement change the last bits of the product? Where a member meets a
/// row more than once and finds something in Y, it adds there term by term, or, apart,
/// as one sum.
bool cairn_placing_change_bits(const cairn_local           *tensor,
                               const cairn_product_options *op);

/// Give every member a device, or several. Where that changes bits, what is left open goes
/// by a rule, the policy `fixed` and equal parts, and not by times, which are others
/// tomorrow: one placement has one result. One that is simulated gets what the user named
/// it for; the rest only where there is no other device.
///
/// Local.
///
/// @param[out] placing  Unchanged on failure.
/// @retval CAIRN_NO_DEVICE    A device that the user named is not here.
/// @retval CAIRN_UNSUPPORTED  No device that a member may go to can compute it.
/// @retval CAIRN_NO_MEMORY    The members do not fit, with needed and limit.
/// @retval CAIRN_BAD_OPTION   More than CAIRN_MAX_HOMES shares.
cairn_status cairn_placing_choose(cairn_env                    *env,
                                  const cairn_placing_question *question,
                                  cairn_placing                *placing);

#endif
