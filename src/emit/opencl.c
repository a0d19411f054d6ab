// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The loop IR as OpenCL C: what stands around the statements. A kernel's parameters are
/// the arrays and numbers that it uses, in the function's order.

#include "emit/opencl.h"

#include "emit/c_inside.h"
#include "emit/opencl_inside.h"

#include <stdio.h>

/// Names that are taken: words of OpenCL C, functions that a kernel may call.
static const char *const reserved[] = {
    "get_global_id",
    "get_group_id",
    "get_local_id",
    "get_num_groups",
    "get_local_size",
    "barrier",
    "atomic_add",
    "local",
    "floor_div",
    "floor_mod",
    "min_of",
    "max_of",
    "min",
    "max",
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "bool",
    "half",
    "uchar",
    "ushort",
    "uint",
    "ulong",
    "kernel",
    "global",
    "constant",
    "private",
    "generic",
    "read_only",
    "write_only",
    "pipe",
    "read_write",
    "uniform",
    "vec_step",
    "select",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "prefetch",
    "sign",
    "step",
    "any",
    "all",
    "mix",
    "dot",
    "cross",
    "distance",
    "length",
    NULL,
};

/// OpenCL fixes the sizes of its types.
static const char *const builtin_type[CAIRN_C_TYPES] = {
    [CAIRN_IR_I8] = "char",  [CAIRN_IR_I16] = "short", [CAIRN_IR_I32] = "int",
    [CAIRN_IR_I64] = "long", [CAIRN_IR_U8] = "uchar",  [CAIRN_IR_U16] = "ushort",
    [CAIRN_IR_U32] = "uint", [CAIRN_IR_U64] = "ulong",
};

/// Objects that the names of a second parameter for an array belong to.
static const void *tuples_of(const cairn_ir_array *array)
{
    return &array->stride;
}

static const void *at_of(const cairn_ir_array *array)
{
    return &array->block;
}

static const void *first_of(const cairn_ir_array *array)
{
    return &array->field;
}

/// X alone is indexed by global numbers, of which a device holds those of this rank.
static bool is_shifted(const cairn_ir_function *f, const cairn_ir_array *array)
{
    return f->abi != CAIRN_ABI_CONVERT && array->field.source == CAIRN_IR_ARG
           && array->field.level == CAIRN_PRODUCT_x;
}

const char *cairn_opencl_first(const cairn_c *c, const cairn_ir_array *array)
{
    return c->dialect == CAIRN_C_OPENCL && is_shifted(c->f, array)
               ? cairn_names_of(&c->names, first_of(array))
               : "";
}

/// What a function's parameters are made of, and their declarations.
typedef struct {
    cairn_c                *c;
    cairn_kernel_parameter *parameter; ///< Room for all; NULL: not asked for.
    int                     count;
    cairn_text              line; ///< Declarations, between commas.
} parameters;

static void add(parameters          *p,
                cairn_parameter_what what,
                cairn_ir_field       field,
                cairn_ir_type        type,
                bool                 written)
{
    if (p->parameter)
        p->parameter[p->count] = (cairn_kernel_parameter){
            .what = what, .field = field, .type = type, .written = written};
    if (p->count++ > 0) cairn_text_add(&p->line, ", ");
}

/// Bring @p object in sight as @p name with @p end behind it.
static const char *
push(cairn_c *c, const void *object, const char *name, const char *end)
{
    char text[CAIRN_NAME];

    snprintf(text, sizeof text, "%.30s%s", name, end);
    cairn_names_push(&c->names, object, text);
    return cairn_names_of(&c->names, object);
}

static void add_array(parameters *p, const cairn_ir_array *array)
{
    cairn_c *const             c      = p->c;
    const bool                 tuples = array->stride != 0;
    const cairn_parameter_what what =
        tuples ? CAIRN_PARAMETER_TUPLES : CAIRN_PARAMETER_ARRAY;
    const char *const name = push(c, array, array->name, "");

    add(p, what, array->field, array->type, array->written);
    cairn_text_add(&p->line, "__global %s%s *restrict %s",
                   array->written ? "" : "const ",
                   tuples ? "char" : cairn_c_scalar(c, array->type),
                   tuples ? push(c, tuples_of(array), array->name, "_tuples") : name);
    if (tuples) {
        add(p, CAIRN_PARAMETER_AT, array->field, CAIRN_IR_I64, false);
        cairn_text_add(&p->line, "%s %s", cairn_c_scalar(c, CAIRN_IR_I64),
                       push(c, at_of(array), array->name, "_at"));
    }
    if (is_shifted(c->f, array)) {
        add(p, CAIRN_PARAMETER_FIRST, array->field, CAIRN_IR_I64, false);
        cairn_text_add(&p->line, "%s %s", cairn_c_scalar(c, CAIRN_IR_I64),
                       push(c, first_of(array), array->name, "_first"));
    }
}

static void add_number(parameters *p, const cairn_ir_expr *param)
{
    cairn_names_push(&p->c->names, param, param->name);
    add(p, CAIRN_PARAMETER_NUMBER, param->field, param->type, false);
    cairn_text_add(&p->line, "%s %s", cairn_c_scalar(p->c, param->type),
                   cairn_names_of(&p->c->names, param));
}

static void add_all(parameters *p)
{
    const cairn_ir_function *const f = p->c->f;

    for (int n = 0; n < f->arrays; n++)
        if (cairn_c_uses(p->c, f->array[n])) add_array(p, f->array[n]);
    for (int n = 0; n < f->params; n++)
        if (cairn_c_uses(p->c, f->param[n])) add_number(p, f->param[n]);
}

/// Arrays in tuples, from where they begin.
static void print_tuples(cairn_c *c)
{
    for (int n = 0; n < c->f->arrays; n++) {
        const cairn_ir_array *const array = c->f->array[n];
        cairn_text                  line;

        if (!array->stride || !cairn_c_uses(c, array)) continue;
        cairn_text_init(&line, c->env);
        cairn_text_add(&line, "__global %schar *const %s \2= %s + %s",
                       array->written ? "" : "const ", cairn_names_of(&c->names, array),
                       cairn_names_of(&c->names, tuples_of(array)),
                       cairn_names_of(&c->names, at_of(array)));
        cairn_c_line(c, &line);
    }
    cairn_c_blank(c);
}

/// `__kernel void name(parameters)`; its parameters are in sight from here on.
static void print_signature(cairn_c *c, const char *symbol, cairn_opencl_kernel *kernel)
{
    parameters p = {.c = c, .parameter = kernel ? kernel->parameter : NULL};
    cairn_text head;

    cairn_text_init(&p.line, c->env);
    cairn_text_init(&head, c->env);
    add_all(&p);
    cairn_text_add(&head, "__kernel void %s(%s)", symbol,
                   p.line.data ? p.line.data : "");
    if (head.data) cairn_c_wrap(&c->text, head.data, 0);
    if (p.line.status != CAIRN_OK) c->text.status = p.line.status;
    if (head.status != CAIRN_OK) c->text.status = head.status;
    cairn_text_fini(&p.line);
    cairn_text_fini(&head);
    if (kernel) kernel->parameters = p.count;
}

/// One function, into c->text.
static void print_function(cairn_c                 *c,
                           const cairn_ir_function *function,
                           const char              *symbol,
                           cairn_opencl_kernel     *kernel)
{
    cairn_c_enter(c, function, reserved);
    print_signature(c, symbol, kernel);
    cairn_text_add(&c->text, "{\n");
    c->indent = 4;
    print_tuples(c);
    cairn_opencl_shared(c, function->body);
    cairn_c_body(c);
    c->indent = 0;
    cairn_text_add(&c->text, "}\n");
}

/// What stands before the functions.
static void print_prelude(const cairn_c *c, cairn_text *out)
{
    if (c->types >> CAIRN_IR_F64 & 1)
        cairn_text_add(out, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
    cairn_text_add(out, "#pragma OPENCL FP_CONTRACT OFF\n\n");
    cairn_c_typedefs(c, builtin_type, out);
    cairn_c_print_calls(c, out);
    cairn_text_add(out, "\n");
}

cairn_status cairn_opencl_print(cairn_env               *env,
                                const cairn_ir_function *function,
                                const char              *symbol,
                                cairn_opencl_kernel     *kernel)
{
    cairn_opencl_kernel fresh = {0};
    cairn_c             c;
    cairn_text          out;

    CAIRN_TRY(cairn_opencl_check(env, function, &fresh.items));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, 2 * function->arrays + function->params + 1,
                             &fresh.parameter));
    cairn_c_init(&c, env, CAIRN_C_OPENCL);
    cairn_text_init(&out, env);
    print_function(&c, function, symbol, &fresh);
    cairn_c_notes(function, &out);
    print_prelude(&c, &out);
    const cairn_status status = cairn_c_take(&c, &out, &fresh.text);

    if (status == CAIRN_OK)
        *kernel = fresh;
    else
        cairn_opencl_fini(env, &fresh);
    return status;
}

void cairn_opencl_fini(cairn_env *env, cairn_opencl_kernel *kernel)
{
    cairn_free(env, kernel->text);
    cairn_free(env, kernel->parameter);
    *kernel = (cairn_opencl_kernel){0};
}

cairn_status cairn_opencl_print_all(cairn_env                      *env,
                                    int                             count,
                                    const cairn_ir_function *const *function,
                                    char                          **text)
{
    cairn_c    c;
    cairn_text out;
    bool       items;

    for (int k = 0; k < count; k++)
        CAIRN_TRY(cairn_opencl_check(env, function[k], &items));
    cairn_c_init(&c, env, CAIRN_C_OPENCL);
    cairn_text_init(&out, env);
    for (int k = 0; k < count; k++) {
        if (k > 0) cairn_text_add(&c.text, "\n");
        /* The notes of the only function open the file. */
        cairn_c_notes(function[k], count == 1 ? &out : &c.text);
        print_function(&c, function[k], function[k]->name, NULL);
    }
    print_prelude(&c, &out);
    return cairn_c_take(&c, &out, text);
}
