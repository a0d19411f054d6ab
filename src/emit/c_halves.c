// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Vectors of f16 and bf16 as they are loaded: the machine's own instruction where the
/// compiler has it, and integers where not, with the same bits.

#include "emit/c_inside.h"

/// Loads of f16 that are one instruction, of gcc: lanes, what asks for it, what is read at
/// once.
static const struct {
    int         lanes;
    const char *part;
    const char *convert;
} loads[] = {
    {4, "long long", "vcvtph2ps"   },
    {8, NULL,        "vcvtph2ps256"},
};

enum { LOADS = sizeof loads / sizeof *loads };

static void print_instruction(cairn_text *out, int n, const char *result)
{
    const char *const part = loads[n].part;

    cairn_text_add(out,
                   "#if defined __F16C__ && !defined __clang__\n"
                   "    typedef short words __attribute__((vector_size(16)%s));\n",
                   part ? "" : ", aligned(1), may_alias");
    if (part)
        cairn_text_add(out,
                       "    typedef %s part __attribute__((aligned(1), may_alias));\n"
                       "    typedef %s parts __attribute__((vector_size(16)));\n\n"
                       "    const words read = (words)(parts){*(const part *)from};\n",
                       part, part);
    else
        cairn_text_add(out, "\n    const words read = *(const words *)from;\n");
    cairn_text_add(out, "\n    return (%s)__builtin_ia32_%s(read);\n#else\n", result,
                   loads[n].convert);
}

/* Numbers below the normal ones are read with the smallest normal one added, which is
 * taken off again; infinities and NaNs have the exponent of an f32's. */
static void print_integers(cairn_text *out, const char *words, const char *wide)
{
    cairn_text_add(
        out,
        "    const %s word = __builtin_convertvector(*(const %s *)from, %s);\n"
        "    const %s size = word & 0x7fffu;\n"
        "    const %s last = (%s)(size > 0x7bffu) & 112u << 23;\n"
        "    const %s tiny = (%s)(size < 0x400u);\n",
        wide, words, wide, wide, wide, wide, wide, wide);
}

void cairn_c_print_halves(cairn_text *out, cairn_ir_type type, int lanes)
{
    const cairn_c_name words = cairn_c_vector_name(type, lanes);
    const cairn_c_name wide  = cairn_c_vector_name(CAIRN_IR_U32, lanes);
    const cairn_c_name v     = cairn_c_vector_name(CAIRN_IR_F32, lanes);
    int                n     = 0;

    cairn_text_add(out, "\nstatic inline %s load_%s(const uint16_t *from)\n{\n", v.text,
                   words.text);
    if (type == CAIRN_IR_BF16) {
        cairn_text_add(out,
                       "    const %s word = __builtin_convertvector(*(const %s *)from, "
                       "%s);\n\n"
                       "    return (%s)(word << 16);\n}\n",
                       wide.text, words.text, wide.text, v.text);
        return;
    }
    while (n < LOADS && loads[n].lanes != lanes)
        n++;
    if (n < LOADS) print_instruction(out, n, v.text);
    print_integers(out, words.text, wide.text);
    cairn_text_add(out,
                   "    const %s bits = (size << 13) + (112u << 23) + last + (tiny & "
                   "1u << 23);\n"
                   "    const %s value = (%s)bits - (%s)(tiny & 0x38800000u);\n\n"
                   "    return (%s)((%s)value | (word & 0x8000u) << 16);\n",
                   wide.text, v.text, v.text, v.text, v.text, wide.text);
    cairn_text_add(out, n < LOADS ? "#endif\n}\n" : "}\n");
}
