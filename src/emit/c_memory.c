// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arrays in C: the local pointers, elements by index or by bytes, several at once, and
/// arrays of the function's own.

#include "emit/c_inside.h"
#include "ir/ir_walk.h"

#include <string.h>

/// Bytes from the start of a strided array to element @p at: tuples before, and then
/// elements inside one.
static void
print_bytes(cairn_c *c, cairn_text *out, const cairn_ir_array *array, cairn_ir_x at)
{
    const long long stride = (long long)array->stride;

    cairn_text_add(out, "%lld * ", stride);
    if (array->block <= 1) {
        cairn_c_wide(c, out, at, CAIRN_C_UNARY);
        return;
    }
    cairn_text_add(out, "(");
    cairn_c_wide(c, out, at, CAIRN_C_PRODUCT);
    cairn_text_add(out, " / %lld) + %d * (", (long long)array->block,
                   cairn_ir_type_bytes(array->type));
    cairn_c_wide(c, out, at, CAIRN_C_PRODUCT);
    cairn_text_add(out, " %% %lld)", (long long)array->block);
}

void cairn_c_address(cairn_c              *c,
                     cairn_text           *out,
                     const cairn_ir_array *array,
                     cairn_ir_x            at)
{
    cairn_text_add(out, "%s", cairn_names_of(&c->names, array));
    if (at->op == CAIRN_IR_INT && at->integer == 0) return;
    cairn_text_add(out, " + ");
    if (array->stride)
        print_bytes(c, out, array, at);
    else
        cairn_c_expr(c, out, at, CAIRN_C_SUM);
}

static bool at_start(cairn_ir_x at)
{
    return at->op == CAIRN_IR_INT && at->integer == 0;
}

void cairn_c_place(cairn_c              *c,
                   cairn_text           *out,
                   const cairn_ir_array *array,
                   cairn_ir_x            at,
                   cairn_ir_type         type,
                   int                   lanes)
{
    const char *const first = cairn_opencl_first(c, array);

    if (lanes == 1 && !array->stride) {
        cairn_text_add(out, "%s[", cairn_names_of(&c->names, array));
        cairn_c_expr(c, out, at, first[0] ? CAIRN_C_SUM : CAIRN_C_COMMA);
        cairn_text_add(out, first[0] ? " - %s]" : "]", first);
        return;
    }
    cairn_text_add(out, "*(%s%s%s *)%s",
                   c->dialect == CAIRN_C_OPENCL ? "__global " : "",
                   array->written ? "" : "const ", cairn_c_type(c, type, lanes).text,
                   at_start(at) ? "" : "(");
    cairn_c_address(c, out, array, at);
    if (!at_start(at)) cairn_text_add(out, ")");
}

/// Consecutive elements of a strided array: each for itself.
static void print_each(cairn_c *c, cairn_text *out, cairn_ir_x x)
{
    cairn_text_add(out, "(%s){", cairn_c_type(c, x->type, x->lanes).text);
    for (int lane = 0; lane < x->lanes; lane++) {
        const cairn_ir_expr offset = {
            .op = CAIRN_IR_INT, .type = CAIRN_IR_I64, .lanes = 1, .integer = lane};
        const cairn_ir_expr at = {.op    = CAIRN_IR_ADD,
                                  .type  = CAIRN_IR_I64,
                                  .lanes = 1,
                                  .a     = x->a,
                                  .b     = &offset};

        if (lane) cairn_text_add(out, ", ");
        cairn_c_place(c, out, x->array, lane ? &at : x->a, x->array->type, 1);
    }
    cairn_text_add(out, "}");
}

/// `ldg_f64(x + j)`: by the cache of what does not change; `once_f64(A_val + p)`: not kept
/// there.
static void print_ldg(cairn_c *c, cairn_text *out, cairn_ir_x x)
{
    const cairn_ir_type memory = x->array->type;

    cairn_c_need(c, memory, 1, x->once ? CAIRN_C_ONCE : CAIRN_C_LDG);
    cairn_text_add(out, "%s_%s(", x->once ? "once" : "ldg", cairn_c_short_name(memory));
    if (x->array->stride)
        cairn_text_add(out, "(const %s *)%s", cairn_c_scalar(c, memory),
                       at_start(x->a) ? "" : "(");
    cairn_c_address(c, out, x->array, x->a);
    if (x->array->stride && !at_start(x->a)) cairn_text_add(out, ")");
    cairn_text_add(out, ")");
}

/// `f16_value(`: a word as the f32 that it is.
static void print_half(cairn_c *c, cairn_text *out, cairn_ir_type memory)
{
    cairn_c_need_call(c, memory == CAIRN_IR_F16 ? CAIRN_C_F16 : CAIRN_C_BF16);
    cairn_c_scalar(c, CAIRN_IR_U32);
    cairn_c_scalar(c, CAIRN_IR_F32);
    cairn_text_add(out, "%s_value(", cairn_c_short_name(memory));
}

void cairn_c_load(cairn_c *c, cairn_text *out, cairn_ir_x x)
{
    const cairn_ir_type memory = x->array->type;

    if (x->lanes > 1 && x->array->stride) {
        print_each(c, out, x);
    } else if (x->lanes > 1) {
        cairn_c_need(c, memory, x->lanes, CAIRN_C_LOAD);
        cairn_text_add(out, "load_%s(", cairn_c_vector_name(memory, x->lanes).text);
        cairn_c_address(c, out, x->array, x->a);
        cairn_text_add(out, ")");
    } else {
        const bool half = cairn_ir_type_is_half(memory);

        if (half) print_half(c, out, memory);
        if (cairn_c_casts(x)) cairn_text_add(out, "(%s)", cairn_c_scalar(c, x->type));
        if (c->dialect == CAIRN_C_CUDA && cairn_cuda_is_constant(x->array))
            print_ldg(c, out, x);
        else
            cairn_c_place(c, out, x->array, x->a, memory, 1);
        if (half) cairn_text_add(out, ")");
    }
}

/// Positions that lie one after the other in memory: `array` from `at` on, each at most
/// `last`, all moved by `base`.
typedef struct {
    const cairn_ir_array *array;
    cairn_ir_x            at, last, base; ///< `last`, `base`: or NULL.
} stored_positions;

/// Are the positions stored ones?
static bool are_stored(cairn_ir_x x, stored_positions *p)
{
    *p = (stored_positions){.array = NULL};
    if (x->op == CAIRN_IR_ADD && x->a->op == CAIRN_IR_SPLAT) {
        p->base = x->a->a;
        x       = x->b;
    } else if (x->op == CAIRN_IR_ADD && x->b->op == CAIRN_IR_SPLAT) {
        p->base = x->b->a;
        x       = x->a;
    }
    if (x->op == CAIRN_IR_MIN && x->b->op == CAIRN_IR_SPLAT) {
        p->last = x->b->a;
        x       = x->a;
    }
    p->array = x->array;
    p->at    = x->a;
    return x->op == CAIRN_IR_LOAD && !x->array->stride;
}

/// Elements at stored positions: `gather_v8f64_u32(x, A1_idx + p)`.
static void
print_pick(cairn_c *c, cairn_text *out, cairn_ir_x x, const stored_positions *p)
{
    const cairn_ir_type type = x->array->type;

    cairn_c_need(c, type, x->lanes, CAIRN_C_VECTOR);
    cairn_c_scalar(c, p->array->type);
    if (p->last && cairn_c_takes_pairs(p->array->type)) {
        cairn_c_need(c, p->array->type, x->lanes, CAIRN_C_VECTOR);
        cairn_c_scalar(c, CAIRN_IR_U64);
    } else if (p->last) {
        cairn_c_need_call(c, CAIRN_C_MIN);
    }
    c->picks[p->last != NULL][type][__builtin_ctz((unsigned)x->lanes)] |=
        1u << p->array->type;
    cairn_text_add(out, "gather_%s_%s%s(%s", cairn_c_vector_name(type, x->lanes).text,
                   cairn_c_short_name(p->array->type), p->last ? "_upto" : "",
                   cairn_names_of(&c->names, x->array));
    if (p->base) {
        cairn_text_add(out, " + ");
        cairn_c_wide(c, out, p->base, CAIRN_C_SUM);
    }
    cairn_text_add(out, ", ");
    cairn_c_address(c, out, p->array, p->at);
    if (p->last) {
        cairn_text_add(out, ", ");
        cairn_c_expr(c, out, p->last, CAIRN_C_CONDITIONAL);
    }
    cairn_text_add(out, ")");
}

void cairn_c_gather(cairn_c *c, cairn_text *out, cairn_ir_x x)
{
    stored_positions  stored;
    const bool        narrow = x->a->type == CAIRN_IR_I32;
    const cairn_c_use use    = narrow ? CAIRN_C_GATHER_I32 : CAIRN_C_GATHER;

    if (cairn_ir_type_is_float(x->array->type) && !x->array->stride
        && are_stored(x->a, &stored)) {
        print_pick(c, out, x, &stored);
        return;
    }
    cairn_c_need(c, x->array->type, x->lanes, use);
    cairn_text_add(out, "gather_%s%s(%s, ",
                   cairn_c_vector_name(x->array->type, x->lanes).text,
                   narrow ? "_i32" : "", cairn_names_of(&c->names, x->array));
    cairn_c_expr(c, out, x->a, CAIRN_C_CONDITIONAL);
    cairn_text_add(out, ")");
}

/// C text of a field's owner and name: "A->level[1].ptr", "op->x".
static void print_field(cairn_text *out, int abi, cairn_ir_field field)
{
    static const char *const member[] = {
        [CAIRN_IR_LEVEL_PTR] = "ptr",     [CAIRN_IR_LEVEL_IDX] = "idx",
        [CAIRN_IR_LEVEL_LO] = "lo",       [CAIRN_IR_LEVEL_SIZE] = "size",
        [CAIRN_IR_LEVEL_NODES] = "nodes", [CAIRN_IR_LEVEL_HOLE] = "hole",
        [CAIRN_IR_VAL] = "val",           [CAIRN_IR_DICTIONARY] = "dictionary",
        [CAIRN_IR_VALUES] = "values",     [CAIRN_IR_BANK] = "bank",
    };
    const char part = field.part ? 'B' : 'A';

    if (field.source == CAIRN_IR_ARG)
        cairn_text_add(out, "op->%s", cairn_c_argument(abi, field.level));
    else if (field.source >= CAIRN_IR_VAL)
        cairn_text_add(out, "%c->%s", part, member[field.source]);
    else
        cairn_text_add(out, "%c->level[%d].%s", part, field.level,
                       member[field.source]);
}

/// `const uint32_t *restrict const A1_ptr = A->level[1].ptr`
static void print_array(cairn_c *c, const cairn_ir_array *array)
{
    const cairn_ir_source source = array->field.source;
    const char *const type  = array->stride ? "char" : cairn_c_scalar(c, array->type);
    const char *const keeps = array->written ? "" : "const ";
    /* The part's own arrays of structure are const to all but a conversion; arguments have
       a type, also those whose elements lie in items. */
    const bool cast =
        (array->stride && source == CAIRN_IR_ARG)
        || (array->written
            && (source == CAIRN_IR_LEVEL_PTR || source == CAIRN_IR_LEVEL_IDX));
    cairn_text line;

    cairn_text_init(&line, c->env);
    cairn_text_add(&line, "%s%s *restrict const %s \2= ", keeps, type,
                   cairn_names_of(&c->names, array));
    if (cast) cairn_text_add(&line, "(%s%s *)", keeps, type);
    print_field(&line, c->f->abi, array->field);
    cairn_c_line(c, &line);
}

static void print_param(cairn_c *c, const cairn_ir_expr *param)
{
    cairn_text line;

    cairn_text_init(&line, c->env);
    cairn_text_add(&line, "const %s \1%s \2= ", cairn_c_scalar(c, param->type),
                   cairn_names_of(&c->names, param));
    if (param->type != CAIRN_IR_I64 && param->type != CAIRN_IR_F64)
        cairn_text_add(&line, "(%s)", cairn_c_scalar(c, param->type));
    print_field(&line, c->f->abi, param->field);
    cairn_c_line(c, &line);
}

static bool expr_has(cairn_ir_x x, void *object)
{
    return x == object || (x->array && x->array == object);
}

static bool stmt_has(const cairn_ir_stmt *stmt, void *object)
{
    return stmt->array && stmt->array == object;
}

bool cairn_c_uses(const cairn_c *c, const void *object)
{
    return cairn_ir_any_stmt(c->f->body, stmt_has, (void *)object)
           || cairn_ir_any_expr(c->f->body, expr_has, (void *)object);
}

void cairn_c_locals(cairn_c *c)
{
    const cairn_ir_function *const f = c->f;

    for (int n = 0; n < f->arrays; n++) {
        if (!cairn_c_uses(c, f->array[n])) continue;
        cairn_names_push(&c->names, f->array[n], f->array[n]->name);
        print_array(c, f->array[n]);
    }
    cairn_c_blank(c);
    for (int n = 0; n < f->params; n++) {
        if (!cairn_c_uses(c, f->param[n])) continue;
        cairn_names_push(&c->names, f->param[n], f->param[n]->name);
        print_param(c, f->param[n]);
    }
    cairn_c_blank(c);
}
