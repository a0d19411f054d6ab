// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Leaving a function before its end. OpenMP does not let a thread leave its loop; a turn
/// that fails notes that, and the function returns behind the loop.

#include "emit/c_inside.h"

/// The variable by which turns of @p loop fail.
static const void *failed_of(const cairn_ir_stmt *loop)
{
    return &loop->turns;
}

void cairn_c_begin_failing(cairn_c *c, const cairn_ir_stmt *loop)
{
    cairn_c_blank(c);
    cairn_names_push(&c->names, failed_of(loop), "failed");
    cairn_c_print_line(c, "%s %s = 0", cairn_c_scalar(c, CAIRN_IR_I64),
                       cairn_names_of(&c->names, failed_of(loop)));
    c->loops++;
    cairn_c_blank(c);
}

void cairn_c_end_turn(cairn_c *c)
{
    cairn_text_add(&c->text, "%*sturn_end_%d:;\n", c->indent, "", c->loops);
}

void cairn_c_end_failing(cairn_c *c, const cairn_ir_stmt *loop)
{
    const char *const failed = cairn_names_of(&c->names, failed_of(loop));

    if (!cairn_c_streams(c->f->body)) {
        cairn_text_add(&c->text, "%*sif (%s) return %s;\n", c->indent, "", failed,
                       failed);
        return;
    }
    cairn_text_add(&c->text, "%*sif (%s) {\n", c->indent, "", failed);
    c->indent += 4;
    cairn_c_leave(c, failed);
    cairn_c_flush(c);
    c->indent -= 4;
    cairn_text_add(&c->text, "%*s}\n", c->indent, "");
}

/// Out of a turn.
static void leave_turn(cairn_c *c, const char *status)
{
    cairn_c_flush(c);
    cairn_text_add(&c->text, "#pragma omp atomic write\n");
    cairn_c_print_line(c, "%s = %s", cairn_names_of(&c->names, failed_of(c->parallel)),
                       status);
    cairn_c_print_line(c, "goto turn_end_%d", c->loops);
}

/// Out of the function.
static void leave_function(cairn_c *c, const char *status)
{
    if (cairn_c_streams(c->f->body)) {
        cairn_c_need_call(c, CAIRN_C_FENCE);
        cairn_c_print_line(c, "stream_end()");
    }
    if (c->dialect != CAIRN_C_HOST)
        cairn_c_print_line(c, "return");
    else
        cairn_c_print_line(c, "return %s", status);
}

void cairn_c_leave(cairn_c *c, const char *status)
{
    if (c->parallel && c->dialect == CAIRN_C_HOST)
        leave_turn(c, status);
    else
        leave_function(c, status);
}
