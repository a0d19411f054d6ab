// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Statements in C.

#include "emit/c_inside.h"
#include "ir/ir_walk.h"

#include <string.h>

static void print_declare(cairn_c *c, const cairn_ir_stmt *s)
{
    const cairn_ir_var *const var = s->var;
    cairn_text                line;

    cairn_text_init(&line, c->env);
    cairn_text_add(&line, "%s%s \1", var->constant ? "const " : "",
                   cairn_c_type(c, var->type, var->lanes).text);

    cairn_text value;

    cairn_text_init(&value, c->env);
    if (s->a && s->a->op == CAIRN_IR_SPLAT && s->a->a->op == CAIRN_IR_REAL
        && s->a->a->real == 0 && !__builtin_signbit(s->a->a->real))
        cairn_text_add(&value, "{0}");
    else if (s->a)
        cairn_c_expr(c, &value, s->a, CAIRN_C_CONDITIONAL);
    cairn_names_push(&c->names, var, var->name); /* Its value does not see it. */
    cairn_text_add(&line, "%s", cairn_names_of(&c->names, var));
    if (value.data) cairn_text_add(&line, " \2= %s", value.data);
    if (value.status != CAIRN_OK) line.status = value.status;
    cairn_text_fini(&value);
    cairn_c_line(c, &line);
}

/// The operator of `x OP= y` where the value is x OP y; NULL: another form.
static const char *updates(cairn_ir_x value, bool first_is_target)
{
    if (!first_is_target) return NULL;
    switch (value->op) {
    case CAIRN_IR_ADD: return "+=";
    case CAIRN_IR_SUB: return "-=";
    case CAIRN_IR_MUL: return "*=";
    default: return NULL;
    }
}

/// ` = value`, ` += y`; @p update: the operator of the second form, or NULL.
static void
print_value(cairn_c *c, cairn_text *line, cairn_ir_x value, const char *update)
{
    cairn_ir_x x = update ? value->b : value;

    if (update && x->op == CAIRN_IR_SPLAT) x = x->a;
    if (update && !cairn_ir_type_is_float(value->type) && x->op == CAIRN_IR_INT
        && value->op == CAIRN_IR_ADD && x->integer < 0 && x->integer > INT64_MIN) {
        cairn_text_add(line, " -= %lld", -(long long)x->integer);
        return;
    }
    if (update)
        cairn_text_add(line, " %s ", update);
    else
        cairn_text_add(line, " \2= ");
    if (value->lanes > 1 && x->lanes == 1)
        cairn_c_wide(c, line, x, CAIRN_C_CONDITIONAL);
    else
        cairn_c_expr(c, line, x, CAIRN_C_CONDITIONAL);
}

static void print_assign(cairn_c *c, const cairn_ir_stmt *s)
{
    const cairn_ir_x v    = s->a;
    const bool       self = cairn_ir_operands(v->op) == 2 && v->a->op == CAIRN_IR_VAR
                      && v->a->var == s->var;
    const char *const update = updates(v, self);
    cairn_text        line;

    cairn_text_init(&line, c->env);
    cairn_text_add(&line, "%s", cairn_names_of(&c->names, s->var));
    if (update && v->op == CAIRN_IR_ADD && !cairn_ir_type_is_float(v->type)
        && v->b->op == CAIRN_IR_INT && v->b->integer == 1)
        cairn_text_add(&line, "++");
    else
        print_value(c, &line, v, update);
    cairn_c_line(c, &line);
}

/// Is @p x the element, or the elements, that a store writes, in their own type?
static bool is_target(const cairn_ir_stmt *s, cairn_ir_x x)
{
    return x->op == CAIRN_IR_LOAD && x->array == s->array && x->lanes == s->b->lanes
           && x->type == x->array->type && cairn_ir_same(x->a, s->a);
}

/// The value of a store as the array holds it.
static void print_stored(cairn_c *c, cairn_text *line, const cairn_ir_stmt *s)
{
    const cairn_ir_type type = s->array->type;
    const bool narrow = cairn_ir_type_bytes(type) < cairn_ir_type_bytes(s->b->type);

    cairn_text_add(line, " \2= ");
    if (narrow && s->b->lanes > 1) {
        cairn_text_add(line, "__builtin_convertvector(");
        cairn_c_expr(c, line, s->b, CAIRN_C_CONDITIONAL);
        cairn_text_add(line, ", %s)", cairn_c_type(c, type, s->b->lanes).text);
    } else if (narrow && s->b->op != CAIRN_IR_INT) {
        cairn_text_add(line, "(%s)", cairn_c_scalar(c, type));
        cairn_c_expr(c, line, s->b, CAIRN_C_UNARY);
    } else {
        cairn_c_expr(c, line, s->b, CAIRN_C_CONDITIONAL);
    }
}

/// stream_v8f64(y + i, value)
static void print_stream(cairn_c *c, cairn_text *line, const cairn_ir_stmt *s)
{
    cairn_c_need(c, s->b->type, s->b->lanes, CAIRN_C_STREAM);
    cairn_text_add(line, "stream_%s(",
                   cairn_c_vector_name(s->b->type, s->b->lanes).text);
    cairn_c_address(c, line, s->array, s->a);
    cairn_text_add(line, ", ");
    cairn_c_expr(c, line, s->b, CAIRN_C_CONDITIONAL);
    cairn_text_add(line, ")");
}

/// The lanes of a vector one by one, into an array with gaps.
static void print_lanes(cairn_c *c, const cairn_ir_stmt *s)
{
    const cairn_ir_var lanes = {
        .name = "lanes", .type = s->b->type, .lanes = s->b->lanes, .constant = true};
    const cairn_ir_stmt declare = {
        .kind = CAIRN_IR_DECLARE, .var = (cairn_ir_var *)&lanes, .a = s->b};
    const cairn_ir_expr vector = {
        .op = CAIRN_IR_VAR, .type = s->b->type, .lanes = s->b->lanes, .var = &lanes};

    print_declare(c, &declare);
    for (int n = 0; n < lanes.lanes; n++) {
        const cairn_ir_expr offset = {
            .op = CAIRN_IR_INT, .type = CAIRN_IR_I64, .lanes = 1, .integer = n};
        const cairn_ir_expr at    = {.op    = CAIRN_IR_ADD,
                                     .type  = CAIRN_IR_I64,
                                     .lanes = 1,
                                     .a     = s->a,
                                     .b     = &offset};
        const cairn_ir_expr value = {.op      = CAIRN_IR_LANE,
                                     .type    = lanes.type,
                                     .lanes   = 1,
                                     .a       = &vector,
                                     .integer = n};
        const cairn_ir_stmt one   = {.kind  = CAIRN_IR_STORE,
                                     .array = s->array,
                                     .a     = n ? &at : s->a,
                                     .b     = &value};
        cairn_text          line;

        cairn_text_init(&line, c->env);
        cairn_c_place(c, &line, one.array, one.a, one.array->type, 1);
        print_stored(c, &line, &one);
        cairn_c_line(c, &line);
    }
    cairn_names_pop(&c->names, c->names.count - 1);
}

static void print_store(cairn_c *c, const cairn_ir_stmt *s)
{
    const bool        self = cairn_ir_operands(s->b->op) == 2 && is_target(s, s->b->a);
    const char *const update = updates(s->b, self);
    cairn_text        line;

    cairn_text_init(&line, c->env);
    if (s->b->lanes > 1 && s->array->stride) {
        print_lanes(c, s);
    } else if (s->stream && s->b->lanes > 1 && s->array->type == s->b->type) {
        print_stream(c, &line, s);
    } else {
        cairn_c_place(c, &line, s->array, s->a, s->array->type, s->b->lanes);
        if (update)
            print_value(c, &line, s->b, update);
        else
            print_stored(c, &line, s);
    }
    cairn_c_line(c, &line);
}

static void print_prefetch(cairn_c *c, const cairn_ir_stmt *s)
{
    const int     bytes = cairn_ir_type_bytes(s->array->type);
    const int64_t ahead =
        s->array->stride ? s->prefetch.bytes : s->prefetch.bytes / bytes;
    cairn_text line;

    if (c->dialect != CAIRN_C_HOST) return; /* Cards hide latency otherwise. */
    cairn_text_init(&line, c->env);
    cairn_text_add(&line, "__builtin_prefetch(");
    cairn_c_address(c, &line, s->array, s->a);
    if (ahead) cairn_text_add(&line, " + %lld", (long long)ahead);
    cairn_text_add(&line, ", %d, %d)", s->prefetch.write, s->prefetch.locality);
    cairn_c_line(c, &line);
}

static void print_return(cairn_c *c, const cairn_ir_stmt *s)
{
    cairn_text status;

    cairn_text_init(&status, c->env);
    cairn_c_expr(c, &status, s->a, CAIRN_C_CONDITIONAL);
    cairn_c_leave(c, status.data ? status.data : "-1");
    if (status.status != CAIRN_OK) c->text.status = status.status;
    cairn_text_fini(&status);
}

static void print_note(cairn_c *c, const cairn_ir_stmt *s)
{
    cairn_c_blank(c);
    cairn_c_comment(c, s->note);
}

static void print_one(cairn_c *c, const cairn_ir_stmt *s)
{
    switch (s->kind) {
    case CAIRN_IR_DECLARE: print_declare(c, s); break;
    case CAIRN_IR_ASSIGN: print_assign(c, s); break;
    case CAIRN_IR_STORE: print_store(c, s); break;
    case CAIRN_IR_FOR: cairn_c_for(c, s); break;
    case CAIRN_IR_WHILE: cairn_c_while(c, s); break;
    case CAIRN_IR_IF: cairn_c_if(c, s); break;
    case CAIRN_IR_PREFETCH: print_prefetch(c, s); break;
    case CAIRN_IR_NOTE: print_note(c, s); break;
    case CAIRN_IR_RETURN: print_return(c, s); break;
    case CAIRN_IR_SHARED: cairn_c_shared(c, s); break;
    case CAIRN_IR_BARRIER: cairn_c_barrier(c); break;
    case CAIRN_IR_ADD_INTEGER: cairn_c_add_integer(c, s); break;
    }
}

static bool declares(const cairn_ir_stmt *s)
{
    return s->kind == CAIRN_IR_DECLARE || s->kind == CAIRN_IR_SHARED;
}

/// Declarations stand apart from what is done.
static bool is_apart(const cairn_ir_stmt *before, const cairn_ir_stmt *after)
{
    if (before->kind == CAIRN_IR_NOTE || after->kind == CAIRN_IR_NOTE) return false;
    return declares(before) != declares(after);
}

void cairn_c_block(cairn_c *c, const cairn_ir_stmt *block)
{
    const int            names = c->names.count;
    const cairn_ir_stmt *last  = NULL;

    for (const cairn_ir_stmt *s = block; s; last = s, s = s->next) {
        if (last && is_apart(last, s)) cairn_c_blank(c);
        print_one(c, s);
    }
    cairn_c_flush(c);
    cairn_names_pop(&c->names, names);
}
