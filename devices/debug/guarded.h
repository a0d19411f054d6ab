// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Guarded memory: blocks between two stretches of poison, which no code may change,
/// and a member's arrays copied into such blocks one by one, so that a kernel that
/// writes past the end of any of them is found.

#ifndef CAIRN_DEVICES_DEBUG_GUARDED_H
#define CAIRN_DEVICES_DEBUG_GUARDED_H

#include "devices/product.h"

/* As a double it is a NaN, as an index -1: who uses it does not stay unnoticed. */
#define CAIRN_POISON 0xFF

typedef struct cairn_guarded {
    unsigned char *block; ///< Guard, bytes, guard.
    unsigned char *data;  ///< The bytes, 64-byte aligned.
    int64_t        bytes;
} cairn_guarded;

/// Allocate @p bytes, poisoned, between guards.
///
/// Local. Freed with cairn_guarded_fini(), also after a failure.
cairn_status cairn_guarded_init(cairn_env *env, int64_t bytes, cairn_guarded *guarded);

void cairn_guarded_fini(cairn_env *env, cairn_guarded *guarded);

/// Is the poison on both sides still there?
bool cairn_guarded_is_whole(const cairn_guarded *guarded);

/// A tensor whose parts of one member are copies in guarded blocks.
typedef struct cairn_guarded_member {
    cairn_local    tensor; ///< As the original, but for the member's parts.
    cairn_part    *part;   ///< [parts of the tensor]
    cairn_guarded *array;  ///< [arrays] of the member.
    int64_t        arrays;
} cairn_guarded_member;

/// Copy. The original must outlive the copy.
///
/// Local. Freed with cairn_guarded_member_fini(), also after a failure.
cairn_status cairn_guarded_member_init(cairn_env               *env,
                                       const cairn_device_work *work,
                                       cairn_guarded_member    *copy);

void cairn_guarded_member_fini(cairn_env *env, cairn_guarded_member *copy);

bool cairn_guarded_member_is_whole(const cairn_guarded_member *copy);

#endif
