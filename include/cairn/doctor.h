// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What would go wrong here, before it does: how MPI was built and bound, whether kernels
/// can be compiled and kept, memory, drivers, clocks. Each finding says what was seen and,
/// where that is needed, what to do.

#ifndef CAIRN_DOCTOR_H
#define CAIRN_DOCTOR_H

#include <cairn/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How much a finding matters.
typedef enum {
    CAIRN_FINDING_OK,        ///< As it should be.
    CAIRN_FINDING_NOTE,      ///< Worth knowing; nothing is wrong.
    CAIRN_FINDING_ATTENTION, ///< Something will fail, or be far slower than it need be.
} cairn_finding_level;

typedef struct cairn_finding {
    char what[24];  ///< Of what it is: "binding", "compiler", "cache", ...
    int  level;     ///< A cairn_finding_level.
    char ranks[64]; ///< "0", "2-3, 7": whose it is; "": of all.
    char why[400];  ///< What was seen. One line.
    char fix[400];  ///< What to do about it; "" where there is nothing to do.
} cairn_finding;

/// Look at everything on every rank, and put alike findings together.
///
/// Collective. Cost: half a second, for the compiler is tried and drivers are opened.
///
/// @param[out] count     Never 0.
/// @param[out] findings  In the order of the checks; freed with cairn_findings_free().
CAIRN_API cairn_status cairn_doctor(cairn_context  *context,
                                    int            *count,
                                    cairn_finding **findings);
CAIRN_API void cairn_findings_free(cairn_context *context, cairn_finding **findings);

/// "ok", "note", "attention".
CAIRN_API const char *cairn_finding_level_name(int level);

#ifdef __cplusplus
}
#endif

#endif
