// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Phases of conversions as functions that can be called: their requests to the loader,
/// and the calls. Where the loader says so they are interpreted instead.

#ifndef CAIRN_PHASES_PHASE_H
#define CAIRN_PHASES_PHASE_H

#include "emit/kernel.h"
#include "ir/ir_run.h"
#include "lower/conversion/convert.h"

/// One loaded phase.
typedef struct cairn_phase {
    const cairn_kernel_loader *loader;      ///< NULL: nothing is loaded.
    cairn_kernel               kernel;      ///< REFERENCE, without a function, if it is
    cairn_ir_code             *interpreted; ///< interpreted. NULL: it is a kernel.
    cairn_env                 *env;         ///< That loaded it.
} cairn_phase;

/// Get the function of a phase.
///
/// Local.
///
/// @param[out] phase  Give back with cairn_phase_release(). Unchanged on failure.
/// @param[in]  at_hand  Only if nothing has to be compiled.
/// @retval CAIRN_NO_KERNEL  It cannot be compiled here, or must not; never if the loader
///                            interprets.
cairn_status cairn_phase_load(cairn_env                 *env,
                              const cairn_kernel_loader *loader,
                              const cairn_convert_spec  *spec,
                              bool                       at_hand,
                              cairn_phase               *phase);

/// Have the loader get a function that a planned build would call, and give it back.
/// Nothing happens if it loads none. Local.
/// @retval CAIRN_NO_KERNEL  As cairn_phase_load().
cairn_status cairn_phase_request(cairn_env                 *env,
                                 const cairn_kernel_loader *loader,
                                 const cairn_convert_spec  *spec);

/// Get functions that cairn_phase_load() will be asked for, side by side, if several have
/// to be compiled. Nothing happens if the loader interprets. Local. Cannot fail:
/// cairn_phase_load() reports failures.
void cairn_phases_ahead(cairn_env                 *env,
                        const cairn_kernel_loader *loader,
                        const cairn_convert_spec  *spec,
                        int                        specs);

void cairn_phase_release(cairn_phase *phase);

/// Run a phase. Any thread, if others do not write where it does.
/// @retval CAIRN_NO_MEMORY     It found none for arrays of its own.
/// @retval CAIRN_BAD_ARGUMENT  The part holds more entries than there is room for; or,
///                             interpreted, the phase did what it must not.
cairn_status cairn_phase_run(cairn_env                *env,
                             const cairn_phase        *phase,
                             const cairn_kernel_part  *from,
                             cairn_kernel_part        *to,
                             const cairn_convert_args *args);

/// Run a phase, and leave it to another thread to say what went wrong: to the one that
/// hands the result to cairn_phase_check().
int64_t cairn_phase_call(const cairn_phase        *phase,
                         const cairn_kernel_part  *from,
                         cairn_kernel_part        *to,
                         const cairn_convert_args *args);

/// The failure of cairn_phase_run() that a result stands for.
cairn_status cairn_phase_check(cairn_env *env, int64_t result);

#endif
