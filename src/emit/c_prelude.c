// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What stands before a kernel: its notes, the types and the structs that it is called
/// with, and the small functions that it uses. The structs have one source
/// for all of their users: the part from cairn/kernel.h, as text
/// (deploy/cmake/CairnKernelText.cmake), the arguments from the lists of share/abi.h.

#include "emit/c_inside.h"

#include <stdio.h>
#include <string.h>

extern const char cairn_kernel_text[]; ///< Declarations of cairn/kernel.h.

typedef struct {
    const char *type, *name;
} argument;

static const argument product_arguments[] = {
#define X(type, name, what) {#type, #name},
    CAIRN_PRODUCT_MAP(X)
#undef X
};

static const argument convert_arguments[] = {
#define X(type, name, what) {#type, #name},
    CAIRN_CONVERT_MAP(X)
#undef X
};

static const argument grid_arguments[] = {
#define X(type, name, what) {#type, #name},
    CAIRN_GRID_MAP(X)
#undef X
};

static const argument grid_convert_arguments[] = {
#define X(type, name, what) {#type, #name},
    CAIRN_GRID_CONVERT_MAP(X)
#undef X
};

/// Calling conventions: the struct, its fields, the number of parts.
static const struct {
    const char     *name;
    const argument *field;
    int             fields, parts;
} conventions[] = {
    [CAIRN_ABI_PRODUCT]      = {"cairn_product_args",      product_arguments,
                                sizeof product_arguments / sizeof *product_arguments, 1},
    [CAIRN_ABI_CONVERT]      = {"cairn_convert_args",      convert_arguments,
                                sizeof convert_arguments / sizeof *convert_arguments, 2},
    [CAIRN_ABI_GRID]         = {"cairn_grid_args",         grid_arguments,
                                sizeof grid_arguments / sizeof *grid_arguments,       1},
    [CAIRN_ABI_GRID_CONVERT] = {"cairn_grid_convert_args", grid_convert_arguments,
                                sizeof grid_convert_arguments
                                    / sizeof *grid_convert_arguments,
                                2                                                      },
};

const char *cairn_c_arguments(int abi)
{
    return conventions[abi].name;
}

const char *cairn_c_argument(int abi, int field)
{
    return conventions[abi].field[field].name;
}

int cairn_c_parts(int abi)
{
    return conventions[abi].parts;
}

/// `typedef __INT64_TYPE__ int64_t;` of integer types.
static const char *const builtin_type[CAIRN_C_TYPES] = {
    [CAIRN_IR_BOOL] = "_Bool",          [CAIRN_IR_I8] = "__INT8_TYPE__",
    [CAIRN_IR_I16] = "__INT16_TYPE__",  [CAIRN_IR_I32] = "__INT32_TYPE__",
    [CAIRN_IR_I64] = "__INT64_TYPE__",  [CAIRN_IR_U8] = "__UINT8_TYPE__",
    [CAIRN_IR_U16] = "__UINT16_TYPE__", [CAIRN_IR_U32] = "__UINT32_TYPE__",
    [CAIRN_IR_U64] = "__UINT64_TYPE__",
};

/// Does C text name the type, as a word?
static bool names_type(const char *text, const char *type)
{
    const size_t length = strlen(type);

    for (const char *at = strstr(text, type); at; at = strstr(at + 1, type))
        if ((at == text || strchr(" (\n", at[-1])) && strchr(" *", at[length]))
            return true;
    return false;
}

/// Does a convention's struct have a field of the type?
static bool has_field(int abi, const char *type)
{
    for (int n = 0; n < conventions[abi].fields; n++) {
        char field[80];

        snprintf(field, sizeof field, "%s ", conventions[abi].field[n].type);
        if (names_type(field, type)) return true;
    }
    return false;
}

/// Does the struct of any convention at hand?
static bool any_field(const cairn_c *c, const char *type)
{
    for (size_t abi = 0; abi < sizeof conventions / sizeof *conventions; abi++)
        if (c->abis >> abi & 1 && has_field((int)abi, type)) return true;
    return false;
}

/// The types of the structs are used, too.
static void note_struct_types(cairn_c *c)
{
    for (int type = 0; type < CAIRN_C_TYPES; type++) {
        const char *const text = cairn_ir_type_text((cairn_ir_type)type);

        if (names_type(cairn_kernel_text, text) || any_field(c, text))
            c->types |= 1u << type;
    }
}

void cairn_c_typedefs(const cairn_c    *c,
                      const char *const builtin[CAIRN_C_TYPES],
                      cairn_text       *out)
{
    size_t widest = 0;

    for (int type = 0; type < CAIRN_C_TYPES; type++)
        if (c->types >> type & 1 && builtin[type] && strlen(builtin[type]) > widest)
            widest = strlen(builtin[type]);
    for (int type = 0; type < CAIRN_C_TYPES; type++)
        if (c->types >> type & 1 && builtin[type])
            cairn_text_add(out, "typedef %-*s %s;\n", (int)widest, builtin[type],
                           cairn_ir_type_text((cairn_ir_type)type));
}

/// Length of a type without the star that belongs to the name.
static int plain_type(const char *type, bool *star)
{
    const size_t length = strlen(type);

    *star = type[length - 1] == '*';
    return (int)(*star ? length - 2 : length);
}

/// The struct of arguments; fields of one type that follow each other share lines.
static void print_arguments(int abi, cairn_text *out)
{
    const int             fields = conventions[abi].fields;
    const argument *const field  = conventions[abi].field;
    int                   widest = 0;
    bool                  star;

    for (int n = 0; n < fields; n++) {
        const int length = plain_type(field[n].type, &star) + (star ? 1 : 0);

        if (length > widest) widest = length;
    }
    cairn_text_add(out, "\ntypedef struct %s {\n", cairn_c_arguments(abi));
    for (int n = 0; n < fields;) {
        const int length = plain_type(field[n].type, &star);
        int       column = 4 + widest + 1;
        const int first  = n;

        cairn_text_add(out, "    %.*s%*s", length, field[n].type,
                       widest - length + (star ? 0 : 1), "");
        do {
            cairn_text_add(out, "%s%s%s", n > first ? ", " : "", star ? "*" : "",
                           field[n].name);
            column += (int)strlen(field[n].name) + 4;
            n++;
        } while (n < fields && strcmp(field[n].type, field[first].type) == 0
                 && column + (int)strlen(field[n].name) + 4 < CAIRN_C_COLUMNS);
        cairn_text_add(out, ";\n");
    }
    cairn_text_add(out, "} %s;\n", cairn_c_arguments(abi));
}

/// Declarations and functions on scalars, by the bit that asks for them.
static const char *const calls[] = {
    [CAIRN_C_FLOOR_DIV] = "static inline int64_t floor_div(int64_t a, int64_t b)\n"
                          "{\n"
                          "    return a / b - (a % b < 0);\n"
                          "}\n",
    [CAIRN_C_FLOOR_MOD] = "static inline int64_t floor_mod(int64_t a, int64_t b)\n"
                          "{\n"
                          "    const int64_t rest = a % b;\n"
                          "\n"
                          "    return rest < 0 ? rest + b : rest;\n"
                          "}\n",
    [CAIRN_C_MIN]       = "static inline int64_t min(int64_t a, int64_t b)\n"
                          "{\n"
                          "    return a < b ? a : b;\n"
                          "}\n",
    [CAIRN_C_MAX]       = "static inline int64_t max(int64_t a, int64_t b)\n"
                          "{\n"
                          "    return a > b ? a : b;\n"
                          "}\n",
    [CAIRN_C_FENCE]     = "/* Stores past the caches are done before what follows. */\n"
                          "static inline void stream_end(void)\n"
                          "{\n"
                          "#ifdef __SSE__\n"
                          "    __builtin_ia32_sfence();\n"
                          "#endif\n"
                          "}\n",

    [CAIRN_C_FLOOR_DIV_I32] =
        "static inline int32_t floor_div_i32(int32_t a, int32_t b)\n"
        "{\n"
        "    return a / b - (a % b < 0);\n"
        "}\n",
    [CAIRN_C_FLOOR_MOD_I32] =
        "static inline int32_t floor_mod_i32(int32_t a, int32_t b)\n"
        "{\n"
        "    const int32_t rest = a % b;\n"
        "\n"
        "    return rest < 0 ? rest + b : rest;\n"
        "}\n",
    [CAIRN_C_MIN_I32] = "static inline int32_t min_i32(int32_t a, int32_t b)\n"
                        "{\n"
                        "    return a < b ? a : b;\n"
                        "}\n",
    [CAIRN_C_MAX_I32] = "static inline int32_t max_i32(int32_t a, int32_t b)\n"
                        "{\n"
                        "    return a > b ? a : b;\n"
                        "}\n",
    /* Without numbers below the normal ones, which devices may take for 0: those of f16
     * are read with the smallest normal one added, which is taken off again. */
    [CAIRN_C_F16]  = "static inline float f16_value(uint16_t word)\n"
                     "{\n"
                     "    const uint32_t size = word & 0x7fffu;\n"
                     "    union {\n"
                     "        uint32_t bits;\n"
                     "        float    value;\n"
                     "    } x;\n"
                     "\n"
                     "    x.bits = (size << 13) + (112u << 23);\n"
                     "    if (size > 0x7bffu) x.bits += 112u << 23;\n"
                     "    if (size > 0x7c00u) x.bits |= 1u << 22;\n"
                     "    if (size < 0x400u) {\n"
                     "        x.bits += 1u << 23;\n"
                     "        x.value -= 6.103515625e-05f;\n"
                     "    }\n"
                     "    x.bits |= (word & 0x8000u) << 16;\n"
                     "    return x.value;\n"
                     "}\n",
    [CAIRN_C_BF16] = "static inline float bf16_value(uint16_t word)\n"
                     "{\n"
                     "    union {\n"
                     "        uint32_t bits;\n"
                     "        float    value;\n"
                     "    } x;\n"
                     "\n"
                     "    x.bits = (uint32_t)word << 16;\n"
                     "    return x.value;\n"
                     "}\n",
};

/// Functions whose names OpenCL and CUDA have for others.
static const char *const device_calls[sizeof calls / sizeof *calls] = {
    [CAIRN_C_MIN] = "static inline int64_t min_of(int64_t a, int64_t b)\n"
                    "{\n"
                    "    return a < b ? a : b;\n"
                    "}\n",
    [CAIRN_C_MAX] = "static inline int64_t max_of(int64_t a, int64_t b)\n"
                    "{\n"
                    "    return a > b ? a : b;\n"
                    "}\n",
};

void cairn_c_print_calls(const cairn_c *c, cairn_text *out)
{
    const bool host = c->dialect == CAIRN_C_HOST;

    for (size_t n = 0; n < sizeof calls / sizeof *calls; n++)
        if (c->calls >> n & 1)
            cairn_text_add(out, "\n%s%s",
                           c->dialect == CAIRN_C_CUDA ? "__device__ " : "",
                           !host && device_calls[n] ? device_calls[n] : calls[n]);
}

void cairn_c_notes(const cairn_ir_function *f, cairn_text *out)
{
    if (f->notes == 0) return;
    cairn_text_add(out, "/*\n");
    for (int n = 0; n < f->notes; n++) {
        cairn_text_add(out, " * ");
        cairn_c_comment_text(out, f->note[n], 3, "\n *     ");
        cairn_text_add(out, "\n");
    }
    cairn_text_add(out, " */\n\n");
}

/* What gcc shall not do. Its partial redundancy elimination moves addresses of short loops'
   arrays to vector registers and back in every row where a kernel has one pointer more than
   there are registers: compressed rows that add f64 sums took 14.4 instead of 9.7 ms (gcc 12
   on a Zen 4, 7.5 million entries in 1.5 million rows). Without it no kernel was slower. Its
   scheduler is left out where a function asks for that. */
static void print_options(const cairn_c *c, cairn_text *out)
{
    cairn_text_add(out,
                   "\n#if defined(__GNUC__) && !defined(__clang__)\n"
                   "#pragma GCC optimize(\"no-tree-pre\"%s)\n"
                   "#endif\n",
                   c->in_order ? ", \"no-schedule-insns2\"" : "");
}

void cairn_c_prelude(cairn_c *c, cairn_text *out)
{
    note_struct_types(c);
    cairn_c_typedefs(c, builtin_type, out);
    print_options(c, out);
    cairn_text_add(out, "\n%s", cairn_kernel_text);
    for (int abi = 0; abi < (int)(sizeof conventions / sizeof *conventions); abi++)
        if (c->abis >> abi & 1) print_arguments(abi, out);
    cairn_c_print_calls(c, out);
    cairn_c_vectors(c, out);
    cairn_text_add(out, "\n");
}
