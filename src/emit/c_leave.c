// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Leaving a function before its end: what was allocated is freed first. OpenMP does not
/// let a thread leave its loop; a turn that fails notes that, and the function returns
/// behind the loop.

#include "emit/c_inside.h"

#include <string.h>

/// The variable by which turns of @p loop fail.
static const void *failed_of(const cairn_ir_stmt *loop)
{
    return &loop->parallel;
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

    if (c->lives == 0 && !cairn_c_streams(c->f->body)) {
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
    if (c->dialect == CAIRN_C_OPENCL)
        cairn_c_print_line(c, "return");
    else
        cairn_c_print_line(c, "return %s", status);
}

/// May the status depend on an array that is freed first?
static bool is_plain(const char *status)
{
    return !strpbrk(status, "[*");
}

void cairn_c_leave(cairn_c *c, const char *status)
{
    const int  from  = c->parallel ? c->outer : 0;
    const bool ahead = c->lives > from && !is_plain(status);

    if (ahead) {
        cairn_names_push(&c->names, status, "status");
        cairn_c_print_line(c, "const %s \1%s \2= %s", cairn_c_scalar(c, CAIRN_IR_I64),
                           cairn_names_of(&c->names, status), status);
        cairn_c_blank(c);
    }
    for (int n = c->lives; n-- > from;)
        cairn_c_free_array(c, c->live[n]);

    const char *const value = ahead ? cairn_names_of(&c->names, status) : status;

    if (c->parallel && c->dialect == CAIRN_C_HOST)
        leave_turn(c, value);
    else
        leave_function(c, value);
    if (ahead) cairn_names_pop(&c->names, c->names.count - 1);
}

void cairn_c_fail_unless(cairn_c *c, const char *name)
{
    const int from = c->parallel ? c->outer : 0;

    cairn_c_blank(c);
    if (!c->parallel && c->lives == from && !cairn_c_streams(c->f->body)) {
        cairn_text_add(&c->text, "%*sif (!%s) return -1;\n", c->indent, "", name);
        return;
    }
    cairn_text_add(&c->text, "%*sif (!%s) {\n", c->indent, "", name);
    c->indent += 4;
    cairn_c_leave(c, "-1");
    cairn_c_flush(c);
    c->indent -= 4;
    cairn_text_add(&c->text, "%*s}\n", c->indent, "");
}
