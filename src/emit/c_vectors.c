// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Vector types and what C lacks for them: a scalar in every lane, the sum of all lanes,
/// gathers, stores past the caches. Each is a small function with the machine's own
/// instruction where the compiler has it, and plain C where not.

#include "emit/c_inside.h"

#include <stdio.h>
#include <string.h>

/// Length of the longest name of an element's type among the vectors used.
static int widest_element(const cairn_c *c)
{
    int widest = 0;

    for (int type = 0; type < CAIRN_C_TYPES; type++)
        for (int log = 1; log < CAIRN_C_LANES; log++) {
            const cairn_ir_type t = (cairn_ir_type)type;
            const int           n = (int)strlen(cairn_ir_type_text(t));

            if (cairn_c_needs(c, t, 1 << log, CAIRN_C_VECTOR) && n > widest) widest = n;
        }
    return widest;
}

/// Vectors may stand anywhere that an element may.
static void print_typedefs(const cairn_c *c, cairn_text *out)
{
    const int widest = widest_element(c);

    if (widest) cairn_text_add(out, "\n");
    for (int type = 0; type < CAIRN_C_TYPES; type++)
        for (int log = 1; log < CAIRN_C_LANES; log++) {
            const cairn_ir_type t     = (cairn_ir_type)type;
            const int           bytes = cairn_ir_type_bytes(t);

            if (!cairn_c_needs(c, t, 1 << log, CAIRN_C_VECTOR)) continue;
            cairn_text_add(out,
                           "typedef %-*s %s __attribute__((vector_size(%d), "
                           "aligned(%d), may_alias));\n",
                           widest, cairn_ir_type_text(t),
                           cairn_c_vector_name(t, 1 << log).text, bytes << log, bytes);
        }
}

/// `return (TYPE){x, x, ...};`
static void print_copies(cairn_text *out, const char *type, int lanes)
{
    cairn_text line;

    cairn_text_init(&line, out->env);
    cairn_text_add(&line, "return (%s){", type);
    for (int n = 0; n < lanes; n++)
        cairn_text_add(&line, "%sx", n ? ", " : "");
    cairn_text_add(&line, "};");
    if (line.data) cairn_c_wrap(out, line.data, 4);
    if (line.status != CAIRN_OK) out->status = line.status;
    cairn_text_fini(&line);
}

static void print_splat(cairn_text *out, cairn_ir_type type, int lanes)
{
    const cairn_c_name v = cairn_c_vector_name(type, lanes);

    cairn_text_add(out, "\nstatic inline %s splat_%s(%s x)\n{\n", v.text, v.text,
                   cairn_ir_type_text(type));
    print_copies(out, v.text, lanes);
    cairn_text_add(out, "}\n");
}

/// Lane by lane: gcc 12 makes one instruction of this, but of __builtin_convertvector
/// two, with halves taken apart and joined again (rows of stencils in f32: 1.2 times
/// slower).
static void print_widen(cairn_text *out, cairn_ir_type type, int lanes)
{
    const cairn_c_name v    = cairn_c_vector_name(type, lanes);
    const cairn_c_name wide = cairn_c_vector_name(CAIRN_IR_F64, lanes);
    cairn_text         line;

    cairn_text_add(out, "\nstatic inline %s widen_%s(%s v)\n{\n", wide.text, v.text,
                   v.text);
    cairn_text_init(&line, out->env);
    cairn_text_add(&line, "return (%s){", wide.text);
    for (int n = 0; n < lanes; n++)
        cairn_text_add(&line, "%sv[%d]", n ? ", " : "", n);
    cairn_text_add(&line, "};");
    if (line.data) cairn_c_wrap(out, line.data, 4);
    if (line.status != CAIRN_OK) out->status = line.status;
    cairn_text_fini(&line);
    cairn_text_add(out, "}\n");
}

/// Small integers as they stand in memory, widened: what gcc 12 has for it, by name, since
/// it makes a chain of scalar conversions of __builtin_convertvector (diagonals of 8-bit
/// values: 6 times the instructions; blocks of 2 by 2: 2.2 times the time).
static const struct {
    cairn_ir_type type;
    int           lanes;
    const char   *target;
    const char   *part; ///< What is read at once; NULL: 16 bytes.
    const char   *extend, *convert;
} widenings[] = {
    {CAIRN_IR_I8,  8, "__AVX512F__", "long long", "pmovsxbd256", "cvtdq2pd512_mask"},
    {CAIRN_IR_I8,  4, "__AVX2__",    "int",       "pmovsxbd128", "cvtdq2pd256"     },
    {CAIRN_IR_I8,  2, "__SSE4_1__",  "short",     "pmovsxbd128", "cvtdq2pd"        },
    {CAIRN_IR_I16, 8, "__AVX512F__", NULL,        "pmovsxwd256", "cvtdq2pd512_mask"},
    {CAIRN_IR_I16, 4, "__AVX2__",    "long long", "pmovsxwd128", "cvtdq2pd256"     },
    {CAIRN_IR_I16, 2, "__SSE4_1__",  "int",       "pmovsxwd128", "cvtdq2pd"        },
};

enum { WIDENINGS = sizeof widenings / sizeof *widenings };

static void print_widening(cairn_text *out, int n)
{
    const char *const  part  = widenings[n].part;
    const bool         mask  = widenings[n].lanes == 8;
    const char *const  small = widenings[n].type == CAIRN_IR_I8 ? "char" : "short";
    const cairn_c_name wide  = cairn_c_vector_name(CAIRN_IR_F64, widenings[n].lanes);

    cairn_text_add(out,
                   "#if defined %s && !defined __clang__\n"
                   "    typedef %s small __attribute__((vector_size(16)%s));\n",
                   widenings[n].target, small, part ? "" : ", aligned(1), may_alias");
    if (part)
        cairn_text_add(out,
                       "    typedef %s part __attribute__((aligned(1), may_alias));\n"
                       "    typedef %s parts __attribute__((vector_size(16)));\n\n"
                       "    const small read = (small)(parts){*(const part *)from};\n",
                       part, part);
    else
        cairn_text_add(out, "\n    const small read = *(const small *)from;\n");
    cairn_text_add(out,
                   "\n    return (%s)__builtin_ia32_%s(\n"
                   "        __builtin_ia32_%s(read)%s%s%s);\n"
                   "#else\n",
                   wide.text, widenings[n].convert, widenings[n].extend,
                   mask ? ", (" : "", mask ? wide.text : "",
                   mask ? "){0}, (unsigned char)-1" : "");
}

static void print_widen_small(cairn_text *out, cairn_ir_type type, int lanes)
{
    const cairn_c_name v    = cairn_c_vector_name(type, lanes);
    const cairn_c_name wide = cairn_c_vector_name(CAIRN_IR_F64, lanes);
    int                n    = 0;

    while (n < WIDENINGS && (widenings[n].type != type || widenings[n].lanes != lanes))
        n++;
    cairn_text_add(out, "\nstatic inline %s widen_%s(const %s *from)\n{\n", wide.text,
                   v.text, cairn_ir_type_text(type));
    if (n < WIDENINGS) print_widening(out, n);
    cairn_text_add(out, "    return __builtin_convertvector(*(const %s *)from, %s);\n",
                   v.text, wide.text);
    cairn_text_add(out, n < WIDENINGS ? "#endif\n}\n" : "}\n");
}

/// The last @p n lanes, the others 0 whatever they were: masks from a table, of which
/// @p n is the place.
static void print_last(cairn_text *out, cairn_ir_type type, int lanes)
{
    const cairn_ir_type bits = cairn_c_bits_type(type);
    const cairn_c_name  v    = cairn_c_vector_name(type, lanes);
    const cairn_c_name  mask = cairn_c_vector_name(bits, lanes);
    cairn_text          line;

    cairn_text_add(out, "\nstatic inline %s last_%s(%s v, int64_t n)\n{\n", v.text,
                   v.text, v.text);
    cairn_text_init(&line, out->env);
    cairn_text_add(&line, "static const %s keep[] = {", cairn_ir_type_text(bits));
    for (int n = 0; n < 2 * lanes; n++)
        cairn_text_add(&line, "%s%d", n ? ", " : "", n < lanes ? 0 : -1);
    cairn_text_add(&line, "};");
    if (line.data) cairn_c_wrap(out, line.data, 4);
    if (line.status != CAIRN_OK) out->status = line.status;
    cairn_text_fini(&line);
    cairn_text_add(out, "\n    return (%s)((%s)v & *(const %s *)(keep + n));\n}\n",
                   v.text, mask.text, mask.text);
}

/// Is any lane not 0? By halves, as sums are, until the machine says it of 32 bytes.
static void print_any(cairn_text *out, cairn_ir_type type, int lanes)
{
    const cairn_c_name v    = cairn_c_vector_name(type, lanes);
    const cairn_c_name h    = cairn_c_vector_name(type, lanes / 2);
    const bool         told = lanes * cairn_ir_type_bytes(type) == 32;

    cairn_text_add(out, "\nstatic inline int any_%s(%s v)\n{\n", v.text, v.text);
    if (told)
        cairn_text_add(
            out, "#ifdef __AVX__\n"
                 "    typedef long long whole __attribute__((vector_size(32)));\n\n"
                 "    return !__builtin_ia32_ptestz256((whole)v, (whole)v);\n"
                 "#else\n");
    if (lanes == 2)
        cairn_text_add(out, "    return (v[0] | v[1]) != 0;\n");
    else
        cairn_text_add(out,
                       "    const %s *const half = (const %s *)&v;\n\n"
                       "    return any_%s(half[0] | half[1]);\n",
                       h.text, h.text, h.text);
    cairn_text_add(out, told ? "#endif\n}\n" : "}\n");
}

/// All lanes are compared at once with what the first one says of them. Of numbers that
/// begin again at 0 the last is not the largest.
static void print_follow(cairn_text *out, cairn_ir_type type, int lanes)
{
    const cairn_c_name v = cairn_c_vector_name(type, lanes);
    cairn_text         line;

    cairn_text_add(out, "\nstatic inline int follow_%s(%s v)\n{\n", v.text, v.text);
    cairn_text_init(&line, out->env);
    cairn_text_add(&line, "const %s differs = v ^ (v[0] + (%s){", v.text, v.text);
    for (int n = 0; n < lanes; n++)
        cairn_text_add(&line, "%s%d", n ? ", " : "", n);
    cairn_text_add(&line, "});");
    if (line.data) cairn_c_wrap(out, line.data, 4);
    if (line.status != CAIRN_OK) out->status = line.status;
    cairn_text_fini(&line);
    cairn_text_add(out, "\n    return (v[0] < v[%d]) & !any_%s(differs);\n}\n",
                   lanes - 1, v.text);
}

/// Of numbers that begin again at 0 the one ahead is not the larger.
static void print_ahead(cairn_text *out, cairn_ir_type type, int lanes)
{
    const cairn_c_name v = cairn_c_vector_name(type, lanes);

    cairn_text_add(out,
                   "\nstatic inline int ahead_%s(%s a, %s b, %s by)\n{\n"
                   "    return !any_%s(((a - b) ^ by) | (%s)(a < b));\n}\n",
                   v.text, v.text, v.text, cairn_ir_type_text(type), v.text, v.text);
}

/// The lanes of one vector behind those of another, which may stay in memory: gcc 12 makes a
/// shuffle of two registers of it.
static void print_beside(cairn_text *out, cairn_ir_type type, int lanes)
{
    const cairn_c_name v     = cairn_c_vector_name(type, lanes);
    const cairn_c_name w     = cairn_c_vector_name(type, 2 * lanes);
    const bool         small = type == CAIRN_IR_F32;
    const char *const  text  = cairn_ir_type_text(type);

    cairn_text_add(
        out,
        "\n#if defined __clang__ || __GNUC__ >= 12\n"
        "static inline %s beside_%s(%s a, %s b)\n{\n"
        "#if defined %s && !defined __clang__\n"
        "    typedef %s half __attribute__((vector_size(%d)));\n"
        "    typedef %s whole __attribute__((vector_size(%d)));\n"
        "    const whole low = (whole)__builtin_shufflevector(a, (%s){0}, 0, "
        "1, 2, 3, 4,\n"
        "                                                    5, 6, 7);\n\n",
        w.text, v.text, v.text, v.text, small ? "__AVX__" : "__AVX512F__", text,
        small ? 16 : 32, text, small ? 32 : 64, v.text);
    cairn_text_add(
        out,
        small ? "    return (%s)__builtin_ia32_vinsertf128_ps256(low, (half)b, 1);\n"
              : "    return (%s)__builtin_ia32_insertf64x4_mask(low, (half)b, 1, low, "
                "(signed char)-1);\n",
        w.text);
    cairn_text_add(out, "#else\n"
                        "    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, "
                        "7);\n"
                        "#endif\n}\n#endif\n");
}

/// `NAME = k ... ? one shuffle of X and Y : another;` in whose each four lanes stand two of
/// X and two of Y: those at @p from and @p step behind, in turns or one pair behind the
/// other.
static void print_half_turn(cairn_text *out,
                            const char *name,
                            const char *of,
                            const char *test,
                            int         lanes,
                            const int   pattern[2][4])
{
    cairn_text line;

    cairn_text_init(&line, out->env);
    cairn_text_add(&line, "%s%s", name, test);
    for (int which = 0; which < 2; which++) {
        cairn_text_add(&line, " %c __builtin_shufflevector(%s", which ? ':' : '?', of);
        for (int n = 0; n < lanes; n++) {
            const int lane = pattern[which][n % 4];

            cairn_text_add(&line, ", %d", n / 4 * 4 + lane % 4 + lane / 4 * lanes);
        }
        cairn_text_add(&line, ")");
    }
    cairn_text_add(&line, ";");
    if (line.data) cairn_c_wrap(out, line.data, 4);
    if (line.status != CAIRN_OK) out->status = line.status;
    cairn_text_fini(&line);
}

/// Rows of four elements are loaded whole, and turned: four by four in pieces of 16 bytes of
/// f32, or of 32 of f64, so that no lane changes the piece until the last step. By shuffles,
/// since of a list of lanes gcc 12 makes loads of single ones.
static void print_column(cairn_text *out, cairn_ir_type type, int lanes)
{
    /* Lanes 0 to 3 of the first and 4 to 7 of the second, of each piece: by k / 2 and then
       by k % 2, or the other way round. */
    static const int next[2][4] = {
        {0, 4, 1, 5},
        {2, 6, 3, 7}
    };
    static const int other[2][4] = {
        {0, 4, 2, 6},
        {1, 5, 3, 7}
    };
    static const int pairs[2][4] = {
        {0, 1, 4, 5},
        {2, 3, 6, 7}
    };
    const bool         wide = type == CAIRN_IR_F64;
    const char *const  once = wide ? "k % 2 == 0" : "k < 2";
    const char *const  then = wide ? "k < 2" : "k % 2 == 0";
    const cairn_c_name v    = cairn_c_vector_name(type, lanes);
    const cairn_c_name h    = cairn_c_vector_name(type, 4);
    char               name[64];
    cairn_text         line;

    cairn_text_add(
        out, "\nstatic inline %s column_%s(const %s *from, int64_t step, int k)\n{\n",
        v.text, v.text, cairn_ir_type_text(type));
    cairn_text_add(out, "#if defined __clang__ || __GNUC__ >= 12\n");
    for (int n = 0; n < 4; n++) {
        cairn_text_init(&line, out->env);
        cairn_text_add(&line, "const %s %c = ", v.text, 'a' + n);
        if (lanes > 4)
            cairn_text_add(&line,
                           "beside_%s(load_%s(from + %d * step), "
                           "load_%s(from + %d * step));",
                           h.text, h.text, n, h.text, n + 4);
        else
            cairn_text_add(&line, "load_%s(from + %d * step);", h.text, n);
        if (line.data) cairn_c_wrap(out, line.data, 4);
        if (line.status != CAIRN_OK) out->status = line.status;
        cairn_text_fini(&line);
    }
    snprintf(name, sizeof name, "const %s ab = ", v.text);
    print_half_turn(out, name, "a, b", once, lanes, wide ? other : next);
    snprintf(name, sizeof name, "const %s cd = ", v.text);
    print_half_turn(out, name, "c, d", once, lanes, wide ? other : next);
    cairn_text_add(out, "\n");
    print_half_turn(out, "return ", "ab, cd", then, lanes, pairs);
    cairn_text_add(out, "#else\n");
    cairn_text_init(&line, out->env);
    cairn_text_add(&line, "return (%s){", v.text);
    for (int n = 0; n < lanes; n++)
        cairn_text_add(&line, "%sfrom[%d * step + k]", n ? ", " : "", n);
    cairn_text_add(&line, "};");
    if (line.data) cairn_c_wrap(out, line.data, 4);
    if (line.status != CAIRN_OK) out->status = line.status;
    cairn_text_fini(&line);
    cairn_text_add(out, "#endif\n}\n");
}

/// Halves are added until one lane is left: one order for every compiler.
static void print_sum(cairn_text *out, cairn_ir_type type, int lanes)
{
    const cairn_c_name v = cairn_c_vector_name(type, lanes);
    const cairn_c_name h = cairn_c_vector_name(type, lanes / 2);

    cairn_text_add(out, "\nstatic inline %s sum_%s(%s v)\n{\n",
                   cairn_ir_type_text(type), v.text, v.text);
    if (lanes == 2)
        cairn_text_add(out, "    return v[0] + v[1];\n}\n");
    else
        cairn_text_add(out,
                       "    const %s *const half = (const %s *)&v;\n\n"
                       "    return sum_%s(half[0] + half[1]);\n}\n",
                       h.text, h.text, h.text);
}

/// Integers are widened to 64 bits a lane.
static void print_load(cairn_text *out, cairn_ir_type type, int lanes)
{
    if (cairn_ir_type_is_half(type)) {
        cairn_c_print_halves(out, type, lanes);
        return;
    }
    const bool         widens = !cairn_ir_type_is_float(type) && type != CAIRN_IR_I64;
    const cairn_c_name v      = cairn_c_vector_name(type, lanes);
    const cairn_c_name result = widens ? cairn_c_vector_name(CAIRN_IR_I64, lanes) : v;

    cairn_text_add(out, "\nstatic inline %s load_%s(const %s *from)\n{\n", result.text,
                   v.text, cairn_ir_type_text(type));
    if (widens)
        cairn_text_add(
            out, "    return __builtin_convertvector(*(const %s *)from, %s);\n}\n",
            v.text, result.text);
    else
        cairn_text_add(out, "    return *(const %s *)from;\n}\n", v.text);
}

/// The smaller, or the larger, lane by lane; of integers.
static void print_choice(cairn_text *out, cairn_ir_type type, int lanes, bool smaller)
{
    const cairn_c_name name = cairn_c_vector_name(type, lanes);
    const char *const  v    = name.text;

    cairn_text_add(out,
                   "\nstatic inline %s %s_%s(%s a, %s b)\n{\n"
                   "    const %s first = (%s)(a %c b);\n\n"
                   "    return (a & first) | (b & ~first);\n}\n",
                   v, smaller ? "min" : "max", v, v, v, v, v, smaller ? '<' : '>');
}

/// The store of a vector past the caches: whole at a line's begin, else in pieces of 16
/// bytes, to which it is aligned at least.
static void print_stream(cairn_text *out, cairn_ir_type type, int lanes)
{
    const cairn_c_name v     = cairn_c_vector_name(type, lanes);
    const char *const  text  = cairn_ir_type_text(type);
    const char         kind  = type == CAIRN_IR_F64 ? 'd' : 's';
    const int          bytes = lanes * cairn_ir_type_bytes(type);
    const bool known = (bytes == 32 || bytes == 64) && cairn_ir_type_is_float(type);

    cairn_text_add(out, "\nstatic inline void stream_%s(%s *to, %s v)\n{\n", v.text,
                   text, v.text);
    if (known)
        cairn_text_add(
            out,
            "#ifdef %s\n"
            "    typedef %s whole __attribute__((vector_size(%d)));\n"
            "    typedef %s piece __attribute__((vector_size(16)));\n"
            "    const union { whole all; piece part[%d]; } value = {(whole)v};\n\n"
            "    if ((__UINTPTR_TYPE__)to %% %d == 0) {\n"
            "#ifdef __clang__\n"
            "        __builtin_nontemporal_store(value.all, (whole *)to);\n"
            "#else\n"
            "        __builtin_ia32_movntp%c%s(to, value.all);\n"
            "#endif\n"
            "        return;\n"
            "    }\n"
            "    for (int k = 0; k < %d; k++)\n"
            "#ifdef __clang__\n"
            "        __builtin_nontemporal_store(value.part[k], (piece *)to + k);\n"
            "#else\n"
            "        __builtin_ia32_movntp%c(to + %d * k, value.part[k]);\n"
            "#endif\n"
            "#else\n",
            bytes == 64 ? "__AVX512F__" : "__AVX__", text, bytes, text, bytes / 16,
            bytes, kind, bytes == 64 ? "512" : "256", bytes / 16, kind,
            16 / cairn_ir_type_bytes(type));
    cairn_text_add(out, "    *(%s *)to = v;\n", v.text);
    cairn_text_add(out, known ? "#endif\n}\n" : "}\n");
}

static void print_min(cairn_text *out, cairn_ir_type type, int lanes)
{
    const cairn_c_name v = cairn_c_vector_name(type, lanes);

    cairn_text_add(out,
                   "\nstatic inline %s min_%s(%s a, %s b)\n{\n"
                   "    const %s less = a < b;\n\n"
                   "    return (a & less) | (b & ~less);\n}\n",
                   v.text, v.text, v.text, v.text, v.text);
}

void cairn_c_vectors(const cairn_c *c, cairn_text *out)
{
    print_typedefs(c, out);
    for (int t = 0; t < CAIRN_C_TYPES; t++)
        for (int log = 1; log < CAIRN_C_LANES; log++) {
            const cairn_ir_type type  = (cairn_ir_type)t;
            const int           lanes = 1 << log;

            if (cairn_c_needs(c, type, lanes, CAIRN_C_LOAD))
                print_load(out, type, lanes);
            if (cairn_c_needs(c, type, lanes, CAIRN_C_VECTOR_MIN))
                print_choice(out, type, lanes, true);
            if (cairn_c_needs(c, type, lanes, CAIRN_C_VECTOR_MAX))
                print_choice(out, type, lanes, false);
            if (cairn_c_needs(c, type, lanes, CAIRN_C_SPLAT))
                print_splat(out, type, lanes);
            if (cairn_c_needs(c, type, lanes, CAIRN_C_LANE_SUM))
                print_sum(out, type, lanes);
            if (cairn_c_needs(c, type, lanes, CAIRN_C_LANES_MIN))
                print_min(out, type, lanes);
            if (cairn_c_needs(c, type, lanes, CAIRN_C_WIDEN))
                (type == CAIRN_IR_F32 ? print_widen : print_widen_small)(out, type,
                                                                         lanes);
            if (cairn_c_needs(c, type, lanes, CAIRN_C_ANY)) print_any(out, type, lanes);
            if (cairn_c_needs(c, type, lanes, CAIRN_C_FOLLOW))
                print_follow(out, type, lanes);
            if (cairn_c_needs(c, type, lanes, CAIRN_C_AHEAD))
                print_ahead(out, type, lanes);
            if (cairn_c_needs(c, type, lanes, CAIRN_C_BESIDE))
                print_beside(out, type, lanes);
            if (cairn_c_needs(c, type, lanes, CAIRN_C_COLUMN))
                print_column(out, type, lanes);
            if (cairn_c_needs(c, type, lanes, CAIRN_C_LAST))
                print_last(out, type, lanes);
            if (cairn_c_needs(c, type, lanes, CAIRN_C_STREAM))
                print_stream(out, type, lanes);
            if (cairn_c_needs(c, type, lanes, CAIRN_C_GATHER))
                cairn_c_print_gather(out, type, lanes, CAIRN_IR_I64);
            if (cairn_c_needs(c, type, lanes, CAIRN_C_GATHER_I32))
                cairn_c_print_gather(out, type, lanes, CAIRN_IR_I32);
        }
    cairn_c_print_picks(c, out);
}
