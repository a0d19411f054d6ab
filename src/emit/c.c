// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The loop IR as C: the function first, then what it needs before it.

#include "emit/c.h"

#include "emit/c_inside.h"

#include <string.h>

/// Names that are taken: the arguments, what a kernel may call, words of C.
static const char *const reserved[] = {
    "A",         "B",          "op",       "min",      "max",      "floor_div",
    "floor_mod", "stream_end", "bool",     "auto",     "break",    "case",
    "char",      "const",      "continue", "default",  "do",       "double",
    "else",      "enum",       "extern",   "float",    "for",      "goto",
    "if",        "inline",     "int",      "long",     "register", "restrict",
    "return",    "short",      "signed",   "sizeof",   "static",   "struct",
    "switch",    "typedef",    "union",    "unsigned", "void",     "volatile",
    "while",     "int8_t",     "int16_t",  "int32_t",  "int64_t",  "uint8_t",
    "uint16_t",  "uint32_t",   "uint64_t", NULL,
};

void cairn_c_init(cairn_c *c, cairn_env *env, cairn_c_dialect dialect)
{
    *c = (cairn_c){.env = env, .dialect = dialect};
    cairn_text_init(&c->text, env);
    cairn_text_init(&c->run, env);
    cairn_names_init(&c->names, env);
}

void cairn_c_fini(cairn_c *c)
{
    cairn_text_fini(&c->text);
    cairn_text_fini(&c->run);
    cairn_names_fini(&c->names);
}

void cairn_c_enter(cairn_c                 *c,
                   const cairn_ir_function *function,
                   const char *const       *reserved_names)
{
    c->f     = function;
    c->loops = 0;
    c->abis |= 1u << function->abi;
    c->in_order |= function->in_order;
    cairn_names_fini(&c->names);
    cairn_names_init(&c->names, c->env);
    for (const char *const *name = reserved_names; *name; name++)
        cairn_names_push(&c->names, NULL, *name);
}

/// `int64_t name(const cairn_kernel_part *A, const cairn_product_args *op)`, on one line
/// or with one parameter a line.
static void print_signature(cairn_c *c, const char *symbol)
{
    cairn_text *const out       = &c->text;
    const char *const arguments = cairn_c_arguments(c->f->abi);
    const bool        two       = cairn_c_parts(c->f->abi) > 1;
    const int         blanks    = (int)(sizeof "int64_t (" - 1 + strlen(symbol));
    const size_t length = (size_t)blanks + sizeof "const cairn_kernel_part *A, " - 1
                          + sizeof "const  *op)" - 1 + strlen(arguments);
    const int pad = (int)strlen(arguments) - (int)strlen("cairn_kernel_part");

    if (!two && length <= CAIRN_C_COLUMNS) {
        cairn_text_add(out, "int64_t %s(const cairn_kernel_part *A, const %s *op)\n",
                       symbol, arguments);
        return;
    }
    cairn_text_add(out, "int64_t %s(const cairn_kernel_part %*s*A,\n", symbol,
                   pad > 0 ? pad : 0, "");
    if (two)
        cairn_text_add(out, "%*scairn_kernel_part       %*s*B,\n", blanks, "",
                       pad > 0 ? pad : 0, "");
    cairn_text_add(out, "%*sconst %s *op)\n", blanks, "", arguments);
}

static bool is_return(const cairn_ir_stmt *s)
{
    while (s && s->next)
        s = s->next;
    return s && s->kind == CAIRN_IR_RETURN;
}

void cairn_c_body(cairn_c *c)
{
    cairn_c_block(c, c->f->body);
    if (!is_return(c->f->body) && c->dialect == CAIRN_C_HOST) cairn_c_leave(c, "0");
    cairn_c_flush(c);
    if (c->names.status != CAIRN_OK) c->text.status = c->names.status;
}

/// One function, into c->text.
static void
print_function(cairn_c *c, const cairn_ir_function *function, const char *symbol)
{
    cairn_c_enter(c, function, reserved);
    print_signature(c, symbol);
    cairn_text_add(&c->text, "{\n");
    c->indent = 4;
    cairn_c_locals(c);
    cairn_c_body(c);
    c->indent = 0;
    cairn_text_add(&c->text, "}\n");
}

cairn_status cairn_c_take(cairn_c *c, cairn_text *out, char **text)
{
    cairn_text_add(out, "%s", c->text.data ? c->text.data : "");
    if (c->text.status != CAIRN_OK) out->status = c->text.status;
    cairn_c_fini(c);
    return cairn_text_take(out, text);
}

cairn_status cairn_c_print(cairn_env               *env,
                           const cairn_ir_function *function,
                           const char              *symbol,
                           char                   **text)
{
    cairn_c    c;
    cairn_text out;

    cairn_c_init(&c, env, CAIRN_C_HOST);
    cairn_text_init(&out, env);
    print_function(&c, function, symbol);
    cairn_c_notes(function, &out);
    cairn_c_prelude(&c, &out);
    return cairn_c_take(&c, &out, text);
}

cairn_status cairn_c_print_all(cairn_env                      *env,
                               int                             count,
                               const cairn_ir_function *const *function,
                               char                          **text)
{
    cairn_c    c;
    cairn_text out;

    cairn_c_init(&c, env, CAIRN_C_HOST);
    cairn_text_init(&out, env);
    for (int k = 0; k < count; k++) {
        if (k > 0) cairn_text_add(&c.text, "\n");
        /* The notes of the only function open the file. */
        cairn_c_notes(function[k], count == 1 ? &out : &c.text);
        print_function(&c, function[k], function[k]->name);
    }
    cairn_c_prelude(&c, &out);
    return cairn_c_take(&c, &out, text);
}
