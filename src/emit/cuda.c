// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Kernels for CUDA: the struct of parameters, then the function; before them the types,
/// which NVRTC has no header for, and the few functions that a kernel calls.

#include "emit/cuda.h"

#include "emit/c_inside.h"
#include "ir/ir_walk.h"

#include <stdio.h>
#include <string.h>

/// What a kernel of banks says of its own.
#define BANK   "bank"
#define NUMBER "bank_number"
#define FIND   "find_bank"
#define BLOCK  CAIRN_C_GROUP_OF_BANK
#define BLOCKS CAIRN_C_GROUPS_OF_BANK

/// Names that are taken: what the text says of its own, words of C, C++ and CUDA. The first
/// ones are where a kernel does several banks.
enum { OF_BANKS = 5 };
static const char *const reserved[] = {
    BANK,        NUMBER,     FIND,        BLOCK,       BLOCKS,         "op",
    "ITEMS",     "KERNEL",   "min_of",    "max_of",    "floor_div",    "floor_mod",
    "threadIdx", "blockIdx", "blockDim",  "gridDim",   "warpSize",     "atomicAdd",
    "alignas",   "alignof",  "and",       "asm",       "auto",         "bitand",
    "bitor",     "bool",     "break",     "case",      "catch",        "char",
    "class",     "compl",    "const",     "constexpr", "continue",     "decltype",
    "default",   "delete",   "do",        "double",    "dynamic_cast", "else",
    "enum",      "explicit", "export",    "extern",    "false",        "float",
    "for",       "friend",   "goto",      "if",        "inline",       "int",
    "long",      "mutable",  "namespace", "new",       "noexcept",     "not",
    "nullptr",   "operator", "or",        "private",   "protected",    "public",
    "register",  "restrict", "return",    "short",     "signed",       "sizeof",
    "static",    "struct",   "switch",    "template",  "this",         "throw",
    "true",      "try",      "typedef",   "typeid",    "typename",     "union",
    "unsigned",  "using",    "virtual",   "void",      "volatile",     "wchar_t",
    "while",     "xor",      "int8_t",    "int16_t",   "int32_t",      "int64_t",
    "uint8_t",   "uint16_t", "uint32_t",  "uint64_t",  NULL,
};

/// The types as the compilers of cards and of this system have them.
static const char *const builtin_type[CAIRN_C_TYPES] = {
    [CAIRN_IR_I8] = "signed char",   [CAIRN_IR_I16] = "short",
    [CAIRN_IR_I32] = "int",          [CAIRN_IR_I64] = "long",
    [CAIRN_IR_U8] = "unsigned char", [CAIRN_IR_U16] = "unsigned short",
    [CAIRN_IR_U32] = "unsigned int", [CAIRN_IR_U64] = "unsigned long",
};

bool cairn_cuda_is_constant(const cairn_ir_array *array)
{
    return !array->written && array->length == 0;
}

/* Which functions have kernels. */

static bool is_groups(const cairn_ir_stmt *stmt, void *user)
{
    (void)user;
    return stmt->kind == CAIRN_IR_FOR && stmt->turns == CAIRN_TURNS_GROUPS;
}

/// Groups of the grid's second axis, which no bank has of its own.
static bool is_second_axis(const cairn_ir_stmt *stmt, void *user)
{
    return is_groups(stmt, user) && stmt->axis != 0;
}

static bool has_lanes(cairn_ir_x x, void *user)
{
    (void)user;
    return x->lanes > 1;
}

static cairn_status check(cairn_env *env, const cairn_ir_function *f)
{
    CAIRN_CHECK(cairn_ir_any_stmt(f->body, is_groups, NULL), env, CAIRN_UNSUPPORTED,
                "cuda: %s: it has no groups, which blocks of threads could do",
                f->name);
    CAIRN_CHECK(!f->banks || f->abi == CAIRN_ABI_GRID, env, CAIRN_UNSUPPORTED,
                "cuda: %s: banks of what is no product", f->name);
    CAIRN_CHECK(!f->banks || !cairn_ir_any_stmt(f->body, is_second_axis, NULL), env,
                CAIRN_UNSUPPORTED,
                "cuda: %s: banks have groups of the first axis alone", f->name);
    CAIRN_CHECK(!cairn_ir_any_expr(f->body, has_lanes, NULL), env, CAIRN_UNSUPPORTED,
                "cuda: %s: it has vectors, which threads make", f->name);
    return CAIRN_OK;
}

/* The struct of parameters. */

static void add(cairn_cuda_function *k, cairn_kernel_parameter p, int bytes)
{
    p.offset                      = (k->bytes + bytes - 1) / bytes * bytes;
    k->parameter[k->parameters++] = p;
    k->bytes                      = p.offset + bytes;
}

static void add_array(cairn_c *c, cairn_cuda_function *k, const cairn_ir_array *array)
{
    cairn_names_push(&c->names, array, array->name);
    add(k,
        (cairn_kernel_parameter){.what    = CAIRN_PARAMETER_ARRAY,
                                 .field   = array->field,
                                 .type    = array->type,
                                 .written = array->written},
        (int)sizeof(void *));
    cairn_text_add(&c->text, "    %s%s *%s;\n", array->written ? "" : "const ",
                   array->stride ? "char" : cairn_c_scalar(c, array->type),
                   cairn_names_of(&c->names, array));
}

static void add_number(cairn_c *c, cairn_cuda_function *k, const cairn_ir_expr *param)
{
    cairn_names_push(&c->names, param, param->name);
    add(k,
        (cairn_kernel_parameter){
            .what = CAIRN_PARAMETER_NUMBER, .field = param->field, .type = param->type},
        cairn_ir_type_bytes(param->type));
    cairn_text_add(&c->text, "    %s %s;\n", cairn_c_scalar(c, param->type),
                   cairn_names_of(&c->names, param));
}

/// The array of the operation's arguments @p field; NULL: it is not used.
static const cairn_ir_array *find_operand(const cairn_c *c, int field)
{
    for (int n = 0; n < c->f->arrays; n++) {
        const cairn_ir_array *const array = c->f->array[n];

        if (array->field.source == CAIRN_IR_ARG && array->field.level == field
            && cairn_c_uses(c, array))
            return array;
    }
    return NULL;
}

/// X or Y, which all banks have: a field of cairn_cuda_banks.
static void print_operand(cairn_c *c, int field, const char *name)
{
    const cairn_ir_array *const array = find_operand(c, field);

    cairn_text_add(&c->text, "    %s%s *%s;\n", array && array->written ? "" : "const ",
                   array ? cairn_c_scalar(c, array->type) : "void", name);
}

/// What the kernel is given where a start does several banks: cairn_cuda_banks.
static void print_banks(cairn_c *c)
{
    const char *const name = c->f->name;

    cairn_text_add(&c->text,
                   "typedef struct %s_args {\n    const %s_bank *bank;\n"
                   "    const unsigned int *group;\n",
                   name, name);
    print_operand(c, CAIRN_GRID_x, "x");
    print_operand(c, CAIRN_GRID_y, "y");
    cairn_text_add(&c->text, "    unsigned long banks;\n} %s_args;\n\n", name);
}

/// The struct; what it has is in sight from here on.
static void print_struct(cairn_c *c, cairn_cuda_function *k)
{
    const cairn_ir_function *const f    = c->f;
    const char *const              what = f->banks ? "bank" : "args";

    cairn_text_add(&c->text, "typedef struct %s_%s {\n", f->name, what);
    for (int n = 0; n < f->arrays; n++)
        if (cairn_c_uses(c, f->array[n])) add_array(c, k, f->array[n]);
    for (int n = 0; n < f->params; n++)
        if (cairn_c_uses(c, f->param[n])) add_number(c, k, f->param[n]);
    cairn_text_add(&c->text, "} %s_%s;\n\n", f->name, what);
    if (f->banks) print_banks(c);
    cairn_text_add(&c->text, "enum { %s_groups = %d };\n\n", f->name,
                   f->groups > 0 ? f->groups : 1);
    k->bytes = (k->bytes + 7) / 8 * 8;
}

/* The function. */

/// The bank of the group at hand, and its number among the groups of that.
static void print_bank(cairn_c *c)
{
    cairn_c_print_line(c, "const unsigned int " NUMBER " \2= " FIND
                          "(op.group, op.banks, blockIdx.x)");
    cairn_c_print_line(c, "const %s_bank *const " BANK " \2= op.bank + " NUMBER,
                       c->f->name);
    cairn_c_print_line(c, "const unsigned int " BLOCK
                          " \2= blockIdx.x - op.group[" NUMBER "]");
    cairn_c_print_line(c, "const unsigned int " BLOCKS " \2= op.group[" NUMBER
                          " + 1] - op.group[" NUMBER "]");
    cairn_c_blank(c);
}

/// Where the kernel finds an array: X and Y are the same in all banks.
static const char *place_of(const cairn_c *c, const cairn_ir_array *array)
{
    if (!c->f->banks || array == find_operand(c, CAIRN_GRID_x)
        || array == find_operand(c, CAIRN_GRID_y))
        return "op.";
    return BANK "->";
}

/// `const uint32_t *const A1_ptr = op.A1_ptr;`
static void print_locals(cairn_c *c)
{
    const cairn_ir_function *const f = c->f;

    for (int n = 0; n < f->arrays; n++) {
        const cairn_ir_array *const array = f->array[n];
        const char *const           name  = cairn_names_of(&c->names, array);

        if (cairn_c_uses(c, array))
            cairn_c_print_line(c, "%s%s *const %s \2= %s%s",
                               array->written ? "" : "const ",
                               array->stride ? "char" : cairn_c_scalar(c, array->type),
                               name, place_of(c, array), name);
    }
    cairn_c_blank(c);
    for (int n = 0; n < f->params; n++) {
        const char *const name = cairn_names_of(&c->names, f->param[n]);

        if (cairn_c_uses(c, f->param[n]))
            cairn_c_print_line(c, "const %s \1%s \2= %s%s",
                               cairn_c_scalar(c, f->param[n]->type), name,
                               f->banks ? BANK "->" : "op.", name);
    }
    cairn_c_blank(c);
}

/// One function, into c->text.
static void
print_function(cairn_c *c, const cairn_ir_function *function, cairn_cuda_function *k)
{
    snprintf(k->name, sizeof k->name, "%s", function->name);
    cairn_c_enter(c, function, reserved + (function->banks ? 0 : OF_BANKS));
    print_struct(c, k);
    cairn_text_add(&c->text, "KERNEL(%s)\n{\n", function->name);
    c->indent = 4;
    if (function->banks) print_bank(c);
    print_locals(c);
    cairn_c_body(c);
    c->indent = 0;
    cairn_text_add(&c->text, "}\n");
}

/* What stands before the functions. */

static const char opening[] = "#ifndef ITEMS\n"
                              "#define ITEMS 128\n"
                              "#endif\n"
                              "#ifdef __CUDACC__\n"
                              "#define KERNEL(name) \\\n"
                              "    extern \"C\" __global__ void "
                              "__launch_bounds__(ITEMS, name##_groups) \\\n"
                              "        name(const name##_args op)\n"
                              "#endif\n";

/// How PTX loads a type: its name there, the kind of register, and what that is in C, where
/// there is none of 8 bits.
static const struct {
    const char *name, *kind, *held;
} ptx[CAIRN_C_TYPES] = {
    [CAIRN_IR_I8]   = {"s8",  "h", "short"         },
    [CAIRN_IR_U8]   = {"u8",  "h", "unsigned short"},
    [CAIRN_IR_I16]  = {"s16", "h", "short"         },
    [CAIRN_IR_U16]  = {"u16", "h", "unsigned short"},
    [CAIRN_IR_F16]  = {"u16", "h", "unsigned short"},
    [CAIRN_IR_BF16] = {"u16", "h", "unsigned short"},
    [CAIRN_IR_I32]  = {"s32", "r", "int"           },
    [CAIRN_IR_U32]  = {"u32", "r", "unsigned int"  },
    [CAIRN_IR_I64]  = {"s64", "l", "long"          },
    [CAIRN_IR_U64]  = {"u64", "l", "unsigned long" },
    [CAIRN_IR_F32]  = {"f32", "f", "float"         },
    [CAIRN_IR_F64]  = {"f64", "d", "double"        },
};

static void print_load(cairn_text *out, cairn_ir_type type, const char *prefix)
{
    const char *const text = cairn_ir_type_text(type);

    cairn_text_add(out,
                   "\n__device__ static inline %s %s_%s(const %s *from)\n{\n"
                   "#ifdef __CUDACC__\n",
                   text, prefix, cairn_c_short_name(type), text);
}

static const char end_of_load[] = "#else\n"
                                  "    return *from;\n"
                                  "#endif\n}\n";

/// Loads from arrays that no kernel writes meanwhile: kept in L1, or not kept there.
static void print_loads(const cairn_c *c, cairn_text *out)
{
    for (int t = 0; t < CAIRN_C_TYPES; t++) {
        const cairn_ir_type type = (cairn_ir_type)t;

        if (cairn_c_needs(c, type, 1, CAIRN_C_LDG)) {
            print_load(out, type, "ldg");
            cairn_text_add(out, "    return __ldg(from);\n%s", end_of_load);
        }
        if (!cairn_c_needs(c, type, 1, CAIRN_C_ONCE)) continue;
        print_load(out, type, "once");
        cairn_text_add(out,
                       "    %s value;\n\n"
                       "    asm(\"ld.global.nc.L1::no_allocate.%s %%0, [%%1];\"\n"
                       "        : \"=%s\"(value)\n"
                       "        : \"l\"(from));\n"
                       "    return (%s)value;\n%s",
                       ptx[t].held, ptx[t].name, ptx[t].kind, cairn_ir_type_text(type),
                       end_of_load);
    }
}

/// The last bank whose groups begin at @p block or before: the only one that has it.
static const char find_bank[] =
    "\n__device__ static inline unsigned int " FIND "(const unsigned int *group,\n"
    "                                              unsigned long banks,\n"
    "                                              unsigned int block)\n"
    "{\n"
    "    unsigned int low = 0, high = (unsigned int)banks;\n\n"
    "    while (high - low > 1) {\n"
    "        const unsigned int middle = low + (high - low) / 2;\n\n"
    "        if (group[middle] <= block)\n"
    "            low = middle;\n"
    "        else\n"
    "            high = middle;\n"
    "    }\n"
    "    return low;\n"
    "}\n";

static void print_prelude(const cairn_c *c, bool banks, cairn_text *out)
{
    cairn_c_typedefs(c, builtin_type, out);
    if (c->types >> CAIRN_IR_BOOL & 1)
        cairn_text_add(out, "#ifndef __cplusplus\ntypedef _Bool bool;\n#endif\n");
    cairn_text_add(out, "\n%s", opening);
    cairn_c_print_calls(c, out);
    print_loads(c, out);
    if (banks) cairn_text_add(out, "%s", find_bank);
    cairn_text_add(out, "\n");
}

static cairn_status print_all(cairn_env                      *env,
                              const cairn_ir_function *const *function,
                              cairn_cuda_kernel              *kernel)
{
    cairn_c    c;
    cairn_text out;
    int        printed = 0, all = 0;
    bool       banks = false;

    for (int k = 0; k < kernel->functions; k++) {
        all += function[k] != NULL;
        banks = banks || (function[k] && function[k]->banks);
    }
    cairn_c_init(&c, env, CAIRN_C_CUDA);
    cairn_text_init(&out, env);
    for (int k = 0; k < kernel->functions; k++) {
        if (!function[k]) continue;
        if (printed++ > 0) cairn_text_add(&c.text, "\n");
        /* The notes of the only function open the file. */
        cairn_c_notes(function[k], all == 1 ? &out : &c.text);
        print_function(&c, function[k], &kernel->function[k]);
    }
    print_prelude(&c, banks, &out);
    return cairn_c_take(&c, &out, &kernel->text);
}

static cairn_status make_room(cairn_env                      *env,
                              const cairn_ir_function *const *function,
                              cairn_cuda_kernel              *kernel)
{
    for (int k = 0; k < kernel->functions; k++) {
        if (!function[k]) continue;
        CAIRN_TRY(check(env, function[k]));
        CAIRN_TRY(CAIRN_NEW_ZERO(env, function[k]->arrays + function[k]->params + 1,
                                 &kernel->function[k].parameter));
    }
    return CAIRN_OK;
}

cairn_status cairn_cuda_print(cairn_env                      *env,
                              const cairn_ir_function *const *function,
                              int                             count,
                              cairn_cuda_kernel              *kernel)
{
    cairn_cuda_kernel fresh = {.functions = count};

    CAIRN_TRY(CAIRN_NEW_ZERO(env, count, &fresh.function));
    cairn_status status = make_room(env, function, &fresh);

    if (status == CAIRN_OK) status = print_all(env, function, &fresh);
    if (status == CAIRN_OK)
        *kernel = fresh;
    else
        cairn_cuda_fini(env, &fresh);
    return status;
}

void cairn_cuda_fini(cairn_env *env, cairn_cuda_kernel *kernel)
{
    for (int k = 0; kernel->function && k < kernel->functions; k++)
        cairn_free(env, kernel->function[k].parameter);
    cairn_free(env, kernel->function);
    cairn_free(env, kernel->text);
    *kernel = (cairn_cuda_kernel){0};
}
