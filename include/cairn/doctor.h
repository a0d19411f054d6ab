// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What would go wrong here, before it does: how MPI was built and bound, whether kernels
/// can be compiled and kept, memory, drivers, clocks. Each diagnostic says what was
/// seen and, where that is needed, what to do.

#ifndef CAIRN_DOCTOR_H
#define CAIRN_DOCTOR_H

#include <cairn/context.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How much a diagnostic matters.
typedef enum {
    CAIRN_DIAGNOSTIC_OK,        ///< As it should be.
    CAIRN_DIAGNOSTIC_NOTE,      ///< Worth knowing; nothing is wrong.
    CAIRN_DIAGNOSTIC_ATTENTION, ///< Something will fail, or be far slower than it need be.
} cairn_diagnostic_level;

typedef struct cairn_diagnostic {
    size_t size;      ///< sizeof(cairn_diagnostic); CAIRN_DIAGNOSTIC sets it.
    char   what[24];  ///< Of what it is: "binding", "compiler", "cache", ...
    int    level;     ///< A cairn_diagnostic_level.
    char   ranks[64]; ///< "0", "2-3, 7": whose it is; "": of all.
    char   why[400];  ///< What was seen. One line.
    char   fix[400];  ///< What to do about it; "" where there is nothing to do.
} cairn_diagnostic;

/// Nothing; its size is set.
// clang-format off
#define CAIRN_DIAGNOSTIC \
    { sizeof(cairn_diagnostic), {0}, 0, {0}, {0}, {0} }
// clang-format on

/// Look at everything on every rank, and put alike diagnostics together.
///
/// Collective. Cost: half a second, for the compiler is tried and drivers are opened.
///
/// @param[out] count     Never 0.
/// @param[out] diagnostics  In the order of the checks; freed with cairn_diagnostics_free().
/// @param[in] size  Of an element as the program knows it, which is what lies between two.
/// @retval CAIRN_BAD_ARGUMENT  A pointer is NULL, or the size is none.
CAIRN_API cairn_status cairn_doctor_sized(cairn_context     *context,
                                          size_t             size,
                                          int               *count,
                                          cairn_diagnostic **diagnostics);
/// The same, with elements as this header has them.
static inline cairn_status
cairn_doctor(cairn_context *context, int *count, cairn_diagnostic **diagnostics)
{
    return cairn_doctor_sized(context, sizeof(cairn_diagnostic), count, diagnostics);
}
CAIRN_API void cairn_diagnostics_free(cairn_context     *context,
                                      cairn_diagnostic **diagnostics);

/// "ok", "note", "attention".
CAIRN_API const char *cairn_diagnostic_level_name(int level);

/// @name Deprecated
/// What diagnostics were called, for one version.
/// @{

#define CAIRN_FINDING_OK        CAIRN_DIAGNOSTIC_OK
#define CAIRN_FINDING_NOTE      CAIRN_DIAGNOSTIC_NOTE
#define CAIRN_FINDING_ATTENTION CAIRN_DIAGNOSTIC_ATTENTION

typedef cairn_diagnostic_level cairn_finding_level;
typedef cairn_diagnostic       cairn_finding;

/// Deprecated: cairn_diagnostics_free().
CAIRN_DEPRECATED("use cairn_diagnostics_free()")
static inline void cairn_findings_free(cairn_context *context, cairn_finding **findings)
{
    cairn_diagnostics_free(context, findings);
}

/// Deprecated: cairn_diagnostic_level_name().
CAIRN_DEPRECATED("use cairn_diagnostic_level_name()")
static inline const char *cairn_finding_level_name(int level)
{
    return cairn_diagnostic_level_name(level);
}

/// @}

#ifdef __cplusplus
}
#endif

#endif
