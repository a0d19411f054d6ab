// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The passes in their order, until nothing changes.

#include "ir/passes.h"

/// Bounds first: folding decides the conditions that they simplify, and drops indices
/// that are never read; then nested loops that can be one are merged, and invariants
/// hoisted.
static const cairn_pass passes[] = {cairn_pass_fold, cairn_pass_bounds, cairn_pass_fold,
                                    cairn_pass_flatten, cairn_pass_hoist};

/// Each round takes something out of a loop or drops it; nests are at most so deep.
enum { ROUNDS = 2 * CAIRN_IR_DEPTH };

/// One round of all passes.
static cairn_status run_all(cairn_env *env, cairn_ir_function *function, bool *changed)
{
    for (size_t n = 0; n < sizeof passes / sizeof *passes; n++) {
        CAIRN_TRY(passes[n](env, function, changed));
#ifndef NDEBUG
        CAIRN_TRY(cairn_ir_check(env, function));
#endif
    }
    return CAIRN_OK;
}

cairn_status cairn_passes_run(cairn_env *env, cairn_ir_function *function)
{
    bool changed = true;

    for (int round = 0; changed && round < ROUNDS; round++) {
        changed = false;
        CAIRN_TRY(run_all(env, function, &changed));
    }
    return CAIRN_OK;
}

cairn_status
cairn_passes_finish(cairn_env *env, cairn_ir *b, cairn_ir_function **function)
{
    cairn_ir_function *fresh;

    CAIRN_TRY(cairn_ir_finish(b, &fresh));

    const cairn_status status = cairn_passes_run(env, fresh);

    if (status == CAIRN_OK)
        *function = fresh;
    else
        cairn_ir_destroy(env, &fresh);
    return status;
}
