// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The inside of the interpreter, shared by its files: prepared functions, and what a run
/// of one has.
///
/// All values of a run lie in one row of cells: of variables, of what the function is
/// given (constants, too), and of vectors on their way. A scalar has one cell, a vector one
/// for each lane.

#ifndef CAIRN_IR_IR_CODE_H
#define CAIRN_IR_IR_CODE_H

#include "ir/ir_run.h"

/// A number: floating point if its expression's type is.
typedef union cairn_ir_cell {
    int64_t i;
    double  d;
} cairn_ir_cell;

typedef struct cairn_ir_code_array {
    struct cairn_ir_code_array *next;
    const char                 *name;
    cairn_ir_type               type;
    cairn_ir_field              field;
    int64_t                     stride; ///< Bytes from block to block of elements,
    int64_t                     block;  ///< of so many each;
    int64_t                     bytes;  ///< and of an element.
    int64_t                     length; ///< Of a group's own: elements; else 0.
    int64_t                     own;    ///< Where it begins among what a group shares.
    int                         number;
} cairn_ir_code_array;

/// An expression. Constants and parameters are cells, as variables are: VAR.
typedef struct cairn_ir_node {
    cairn_ir_op                 op;
    cairn_ir_type               type;
    int                         lanes;
    bool                        of_real; ///< Operand a is floating point.
    bool                        aligned; ///< LOAD.
    int64_t                     cell;    ///< VAR: its first; else where lanes are put.
    int64_t                     lane;    ///< LANE.
    const cairn_ir_code_array  *array;
    const struct cairn_ir_node *a, *b, *c;
} cairn_ir_node;

/// A constant, or a scalar of what the function is given: put into its cell first.
typedef struct cairn_ir_given {
    struct cairn_ir_given *next;
    int64_t                cell;
    cairn_ir_op            op; ///< INT, REAL or PARAM.
    cairn_ir_type          type;
    cairn_ir_field         field;
    cairn_ir_cell          value;
} cairn_ir_given;

/// A statement.
typedef struct cairn_ir_action {
    cairn_ir_kind              kind;
    struct cairn_ir_action    *next, *body, *other;
    int64_t                    cell; ///< Of the variable.
    int                        lanes;
    int64_t                    step;
    cairn_ir_turns             turns;
    const cairn_ir_code_array *array;
    const cairn_ir_node       *a, *b;
} cairn_ir_action;

struct cairn_ir_code {
    cairn_arena         *arena;
    const char          *name;
    int                  abi;
    int64_t              cells;
    int64_t              shared; ///< Bytes of groups' own arrays.
    int                  arrays;
    cairn_ir_code_array *array;
    cairn_ir_given      *given;
    cairn_ir_action     *body;
};

/// An array of a run: elements first <= n < end may be touched.
typedef struct cairn_ir_span {
    char   *base;
    int64_t first, end;
} cairn_ir_span;

typedef struct cairn_ir_machine {
    cairn_env            *env;
    const cairn_ir_code  *code;
    cairn_ir_cell        *cell;   ///< [cells]
    cairn_ir_span        *span;   ///< [arrays]
    char                 *shared; ///< [code->shared] of the group at hand.
    int64_t               steps, most;
    const cairn_ir_watch *watch; ///< NULL: there are no limits.
    cairn_ir_touch        now;   ///< Who is at work: group, item, phase.
    bool                  done;  ///< It has returned,
    int64_t               result;
    const char           *why;  ///< or done what it must not,
    const char           *what; ///< with this array; NULL: with none.
} cairn_ir_machine;

/// Stop the run, for a reason. Nothing is touched any more: all arrays end.
void cairn_ir_machine_fail(cairn_ir_machine *m, const char *why, const char *what);

/// The value of a scalar.
cairn_ir_cell cairn_ir_value(cairn_ir_machine *m, const cairn_ir_node *x);

/// The value of a vector: [lanes], valid until the expression is evaluated again.
const cairn_ir_cell *cairn_ir_lanes(cairn_ir_machine *m, const cairn_ir_node *x);

/// Load an element, widened.
cairn_ir_cell
cairn_ir_get(cairn_ir_machine *m, const cairn_ir_code_array *array, int64_t at);

/// Add to an element of U32.
void cairn_ir_increase(cairn_ir_machine          *m,
                       const cairn_ir_code_array *array,
                       int64_t                    at,
                       int64_t                    by);

/// Store an element, narrowed to the array's type.
void cairn_ir_put(cairn_ir_machine          *m,
                  const cairn_ir_code_array *array,
                  int64_t                    at,
                  cairn_ir_cell              value);

#endif
