// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The loop IR interpreted, statement by statement as ir.h defines it: what runs where no
/// compiler is, and the oracle of passes (before and after) and printers (interpreted and
/// compiled). Some ten nanoseconds a statement, so that what is done to every entry takes
/// longer than a compiler is worth; the same bits.
///
/// A function is prepared once, into *code*: variables are numbered, and expressions are
/// trees of what has to be done. Code does not change while it runs, so that any number of
/// threads may run it, each on variables of its own. Loops that are `parallel` run turn
/// after turn; simd, unroll, streams and prefetches change nothing.

#ifndef CAIRN_IR_IR_RUN_H
#define CAIRN_IR_IR_RUN_H

#include "ir/ir.h"

#include <cairn/kernel.h>

/// A function, prepared.
typedef struct cairn_ir_code cairn_ir_code;

/// An element that is read or changed, and by whom.
typedef struct cairn_ir_touch {
    int64_t group; ///< Turn of GROUPS, counted through both axes; -1 outside.
    int64_t item;  ///< Turn of ITEMS, from 0; -1: outside, by all items of the group.
    int64_t phase; ///< Barriers and turns of groups so far.
    const char *array;
    bool        own; ///< It is the group's own.
    int64_t     at;
    enum { CAIRN_IR_READS, CAIRN_IR_CHANGES, CAIRN_IR_ADDS } how;
} cairn_ir_touch;

/// Limits that a run is held to, so that a function that computes too much is seen. DIV and MOD
/// of less than 0, which otherwise round towards 0 as compiled ones do (conversions
/// compute some before the guard that drops them), are failures.
typedef struct cairn_ir_watch {
    /// Where an array that the function is given ends, in elements (NULL: none does),
    int64_t (*length)(void *user, cairn_ir_field field);
    /// and where it begins (NULL: all at 0).
    int64_t (*first)(void *user, cairn_ir_field field);
    /// Is called before an element is touched (NULL: is not). @return NULL, or why the run
    /// has to end.
    const char *(*touch)(void *user, const cairn_ir_touch *touch);
    void    *user;
    uint64_t order; ///< Of turns of GROUPS and ITEMS: 0 ascending, 1 descending, else
                    ///< a seed of one of many others.
    int64_t most_steps; ///< Statements, at most; 0: any number.
    int64_t steps;      ///< Set by the run: statements that it came to.
} cairn_ir_watch;

/// Prepare a function, which may be destroyed after.
///
/// Local.
///
/// @param[out] code  Destroy with cairn_ir_code_destroy(). Unchanged on failure.
/// @retval CAIRN_BAD_ARGUMENT  It uses a variable or an array out of sight.
cairn_status cairn_ir_code_create(cairn_env               *env,
                                  const cairn_ir_function *function,
                                  cairn_ir_code          **code);

void cairn_ir_code_destroy(cairn_env *env, cairn_ir_code **code);

/// Run it. Any thread, if others do not write where it does.
///
/// @param[in]  from  Part 0; NULL if the function does not look at it, as with
/// @param      to    part 1, which a product has not.
/// @param[in]  args  cairn_product_args or cairn_convert_args, as the function's abi says.
/// @param      watch NULL: no limits.
/// @param[out] result  What it returned; -1 without memory, as of a compiled one.
///                     Unchanged on failure.
/// @retval CAIRN_BAD_ARGUMENT  It did what it must not: an element outside its array, a
///                             division by nothing, too many steps. The message says so.
cairn_status cairn_ir_code_run(cairn_env               *env,
                               const cairn_ir_code     *code,
                               const cairn_kernel_part *from,
                               cairn_kernel_part       *to,
                               const void              *args,
                               cairn_ir_watch          *watch,
                               int64_t                 *result);

#endif
