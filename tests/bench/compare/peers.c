// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The peers that were found when this was built: COMPARE_PEERS is X(petsc) X(eigen) ...

#include "compare.h"

#define X(name) extern const compare_peer compare_##name;
COMPARE_PEERS
#undef X

static const compare_peer *const peers[] = {
#define X(name) &compare_##name,
    COMPARE_PEERS
#undef X
};

const compare_peer *compare_peer_at(int k)
{
    return k < (int)(sizeof peers / sizeof *peers) ? peers[k] : NULL;
}
