// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Gathers: elements of an array at positions that are stored one after the other, or
/// that are the lanes of a vector. Stored positions are loaded one by one, each into an
/// address: measured on Zen 5 (slices of eight rows, f64) this takes 0.55 to 0.9 of the
/// time of the gathering instruction, be x in the first cache or in the last, and 0.8 of
/// that of positions that were loaded as a vector and taken apart. Positions that were
/// computed are in a vector already: there the instruction is asked for by name; where it
/// is missing, lane by lane.

#include "emit/c_inside.h"

#include <string.h>

/// Instructions by element, lanes and index: what must be defined, and the name, which
/// of AVX2 clang has another. AVX-512 takes a mask of lanes, AVX2 a vector of signs.
static const struct {
    cairn_ir_type type;
    int           lanes;
    cairn_ir_type index;
    bool          avx512;
    const char   *gcc, *clang;
} gathers[] = {
    {CAIRN_IR_F64, 8,  CAIRN_IR_I64, true,  "gatherdiv8df",  NULL           },
    {CAIRN_IR_F64, 8,  CAIRN_IR_I32, true,  "gathersiv8df",  NULL           },
    {CAIRN_IR_F32, 8,  CAIRN_IR_I64, true,  "gatherdiv16sf", NULL           },
    {CAIRN_IR_F32, 16, CAIRN_IR_I32, true,  "gathersiv16sf", NULL           },
    {CAIRN_IR_F32, 8,  CAIRN_IR_I32, false, "gathersiv8sf",  "gatherd_ps256"},
    {CAIRN_IR_F64, 4,  CAIRN_IR_I64, false, "gatherdiv4df",  "gatherq_pd256"},
};

enum { GATHERS = sizeof gathers / sizeof *gathers };

/// The row of the table; -1: there is no such instruction.
static int find(cairn_ir_type type, int lanes, cairn_ir_type index)
{
    for (int n = 0; n < GATHERS; n++)
        if (gathers[n].type == type && gathers[n].lanes == lanes
            && gathers[n].index == index)
            return n;
    return -1;
}

/// One call of an instruction, all lanes of it. Positions are `long long` or `int`.
static void print_instruction(cairn_text *out, int n, const char *name)
{
    const int          lanes = gathers[n].lanes;
    const bool         wide  = gathers[n].index == CAIRN_IR_I64;
    const cairn_c_name v     = cairn_c_vector_name(gathers[n].type, lanes);
    const size_t       column =
        sizeof "    return ()__builtin_ia32_(" - 1 + strlen(v.text) + strlen(name);
    const char *const all = !gathers[n].avx512 ? "all"
                            : lanes == 16      ? "(unsigned short)-1"
                                               : "(unsigned char)-1";

    cairn_text_add(out,
                   "    typedef %s positions __attribute__((vector_size(%d)));\n\n",
                   wide ? "long long" : "int", lanes * (wide ? 8 : 4));
    if (!gathers[n].avx512)
        cairn_text_add(out, "    const %s all = (%s)((positions){0} - 1);\n\n", v.text,
                       v.text);
    cairn_text_add(out,
                   "    return (%s)__builtin_ia32_%s((%s){0}, from, (positions)at,\n",
                   v.text, name, v.text);
    cairn_text_add(out, "%*s%s, %d);\n", (int)column, "", all,
                   cairn_ir_type_bytes(gathers[n].type));
}

/// The instruction of row @p n, by the name that the compiler has for it.
static void print_instructions(cairn_text *out, int n)
{
    if (!gathers[n].clang) {
        cairn_text_add(out, "#ifdef __AVX512F__\n");
    } else {
        cairn_text_add(out, "#if defined __AVX2__ && defined __clang__\n");
        print_instruction(out, n, gathers[n].clang);
        cairn_text_add(out, "#elif defined __AVX2__\n");
    }
    print_instruction(out, n, gathers[n].gcc);
    cairn_text_add(out, "#else\n");
}

/// Lane by lane, four on a line.
static void print_lanes(cairn_text *out, const char *result, int lanes)
{
    const int column = 4 + (int)strlen(result) + (int)(sizeof "return (){" - 1);

    cairn_text_add(out, "    return (%s){", result);
    for (int n = 0; n < lanes; n++) {
        cairn_text_add(out, "from[at[%d]]%s", n, n + 1 < lanes ? "," : "};\n");
        if (n + 1 == lanes) break;
        if (n % 4 == 3)
            cairn_text_add(out, "\n%*s", column, "");
        else
            cairn_text_add(out, " ");
    }
}

/// Two gathers of 8 for one of 16, where a vector of 16 positions fills two registers.
static void print_halves(cairn_text *out, cairn_ir_type type, cairn_ir_type index)
{
    const cairn_c_name h = cairn_c_vector_name(type, 8);
    const cairn_c_name p = cairn_c_vector_name(index, 8);

    cairn_text_add(out,
                   "#if defined __AVX512F__ && (defined __clang__ || __GNUC__ >= 12)\n"
                   "    const %s *const half = (const %s *)&at;\n"
                   "    const %s low = gather_%s(from, half[0]);\n"
                   "    const %s high = gather_%s(from, half[1]);\n\n"
                   "    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, "
                   "7, 8, 9, 10,\n"
                   "                                   11, 12, 13, 14, 15);\n"
                   "#else\n",
                   p.text, p.text, h.text, h.text, h.text, h.text);
}

void cairn_c_print_gather(cairn_text   *out,
                          cairn_ir_type type,
                          int           lanes,
                          cairn_ir_type index)
{
    const bool         is_float = cairn_ir_type_is_float(type);
    const cairn_c_name v        = cairn_c_vector_name(type, lanes);
    const cairn_c_name at       = cairn_c_vector_name(index, lanes);
    const cairn_c_name result = is_float ? v : cairn_c_vector_name(CAIRN_IR_I64, lanes);
    const int          row    = find(type, lanes, index);
    const bool halves = type == CAIRN_IR_F32 && lanes == 16 && index == CAIRN_IR_I64;

    cairn_text_add(out, "\nstatic inline %s gather_%s%s(const %s *from, %s at)\n{\n",
                   result.text, v.text, index == CAIRN_IR_I32 ? "_i32" : "",
                   cairn_ir_type_text(type), at.text);
    if (row >= 0) print_instructions(out, row);
    if (halves) print_halves(out, type, index);
    print_lanes(out, result.text, lanes);
    if (row >= 0 || halves) cairn_text_add(out, "#endif\n");
    cairn_text_add(out, "}\n");
}

/// Bounded positions of 32 bits are bounded as a vector and taken apart two by two: of
/// slices of 16 rows, f32, on Zen 4, this takes 0.85 of the time of a comparison for each
/// where x is in the last cache, for more gathers are under way, and as long where x is in
/// the first.
static void print_pairs(cairn_text *out, cairn_ir_type index, int lanes)
{
    const cairn_c_name at = cairn_c_vector_name(index, lanes);
    const char *const  t  = index == CAIRN_IR_U32 ? "uint64_t" : "int64_t";

    cairn_text_add(out,
                   "    typedef %s pairs __attribute__((vector_size(%d)));\n\n"
                   "    const %s p    = *(const %s *)at;\n"
                   "    const %s most = (%s){0} + (%s)last;\n"
                   "    const %s less = (%s)(p < most);\n"
                   "    const pairs pair = (pairs)((p & less) | (most & ~less));\n\n",
                   t, 4 * lanes, at.text, at.text, at.text, at.text,
                   cairn_ir_type_text(index), at.text, at.text);
}

bool cairn_c_takes_pairs(cairn_ir_type index)
{
    return cairn_ir_type_bytes(index) == 4;
}

/// Elements at the positions stored from `at` on; with @p upto each at most `last`.
static void print_pick(const cairn_c *c,
                       cairn_text    *out,
                       cairn_ir_type  type,
                       int            lanes,
                       cairn_ir_type  index,
                       bool           upto)
{
    const cairn_c_name v     = cairn_c_vector_name(type, lanes);
    const bool         pairs = upto && cairn_c_takes_pairs(index);
    cairn_text         line;

    cairn_text_init(&line, c->env);
    cairn_text_add(&line,
                   "static inline %s gather_%s_%s%s(const %s *from, const %s *at",
                   v.text, v.text, cairn_c_short_name(index), upto ? "_upto" : "",
                   cairn_ir_type_text(type), cairn_ir_type_text(index));
    cairn_text_add(&line, "%s)", upto ? ", int64_t last" : "");
    cairn_text_add(out, "\n");
    if (line.data) cairn_c_wrap(out, line.data, 0);
    cairn_text_add(out, "{\n");
    if (line.status != CAIRN_OK) out->status = line.status;
    cairn_text_fini(&line);

    if (pairs) print_pairs(out, index, lanes);
    cairn_text_init(&line, c->env);
    cairn_text_add(&line, "return (%s){", v.text);
    for (int n = 0; n < lanes; n++)
        if (pairs && n % 2)
            cairn_text_add(&line, ", from[pair[%d] >> 32]", n / 2);
        else if (pairs)
            cairn_text_add(&line, "%sfrom[(%s)pair[%d]]", n ? ", " : "",
                           cairn_ir_type_text(index), n / 2);
        else
            cairn_text_add(&line, upto ? "%sfrom[min(at[%d], last)]" : "%sfrom[at[%d]]",
                           n ? ", " : "", n);
    cairn_text_add(&line, "};");
    if (line.data) cairn_c_wrap(out, line.data, 4);
    cairn_text_add(out, "}\n");
    if (line.status != CAIRN_OK) out->status = line.status;
    cairn_text_fini(&line);
}

void cairn_c_print_picks(const cairn_c *c, cairn_text *out)
{
    for (int type = 0; type < CAIRN_C_TYPES; type++)
        for (int log = 1; log < CAIRN_C_LANES; log++)
            for (int index = 0; index < CAIRN_C_TYPES; index++)
                for (int upto = 0; upto < 2; upto++)
                    if (c->picks[upto][type][log] >> index & 1)
                        print_pick(c, out, (cairn_ir_type)type, 1 << log,
                                   (cairn_ir_type)index, upto);
}
