// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A function of the loop IR, prepared and run once.

#ifndef CAIRN_TESTS_IR_ONCE_H
#define CAIRN_TESTS_IR_ONCE_H

#include "ir/ir_run.h"

/// As cairn_ir_code_run(); without memory for the code the result is -1, too.
static inline cairn_status ir_run_once(cairn_env               *env,
                                       const cairn_ir_function *function,
                                       const cairn_kernel_part *from,
                                       cairn_kernel_part       *to,
                                       const void              *args,
                                       cairn_ir_watch          *watch,
                                       int64_t                 *result)
{
    cairn_ir_code *code;
    cairn_status   status = cairn_ir_code_create(env, function, &code);

    if (status == CAIRN_NO_MEMORY) *result = -1;
    if (status != CAIRN_OK) return status == CAIRN_NO_MEMORY ? CAIRN_OK : status;
    status = cairn_ir_code_run(env, code, from, to, args, watch, result);
    cairn_ir_code_destroy(env, &code);
    return status;
}

#endif
