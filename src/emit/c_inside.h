// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The inside of the C printer, shared by its files. The function's text is printed
/// first and notes what it needs; then the declarations of just that are put before it.

#ifndef CAIRN_EMIT_C_INSIDE_H
#define CAIRN_EMIT_C_INSIDE_H

#include "base/text.h"
#include "emit/names.h"
#include "ir/ir.h"
#include "share/abi.h"

#define CAIRN_C_COLUMNS 88

/// How tightly operators of C bind, loosest first.
typedef enum {
    CAIRN_C_COMMA,
    CAIRN_C_CONDITIONAL,
    CAIRN_C_OR,
    CAIRN_C_AND,
    CAIRN_C_BITS_OR,
    CAIRN_C_BITS_AND,
    CAIRN_C_EQUAL,
    CAIRN_C_LESS,
    CAIRN_C_SHIFT,
    CAIRN_C_SUM,
    CAIRN_C_PRODUCT,
    CAIRN_C_UNARY,
    CAIRN_C_POSTFIX,
} cairn_c_binding;

/// Functions that the text may call, one bit each in `calls`.
typedef enum {
    CAIRN_C_FLOOR_DIV,
    CAIRN_C_FLOOR_MOD,
    CAIRN_C_MIN,
    CAIRN_C_MAX,
    CAIRN_C_FENCE,
    CAIRN_C_FLOOR_DIV_I32,
    CAIRN_C_FLOOR_MOD_I32,
    CAIRN_C_MIN_I32,
    CAIRN_C_MAX_I32,
    CAIRN_C_F16,
    CAIRN_C_BF16,
} cairn_c_call;

/// What is done with vectors of a type and number of lanes, one bit each in `vectors`.
typedef enum {
    CAIRN_C_VECTOR,     ///< The type is named.
    CAIRN_C_SPLAT,      ///< splat_v8f64(x)
    CAIRN_C_LANE_SUM,   ///< sum_v8f64(v)
    CAIRN_C_STREAM,     ///< stream_v8f64(to, v)
    CAIRN_C_GATHER,     ///< gather_v8f64(from, at), `at` of I64
    CAIRN_C_GATHER_I32, ///< gather_v8f64_i32(from, at)
    CAIRN_C_LOAD,       ///< load_v8u32(from): 64 bits a lane; load_v8f16(from): f32
    CAIRN_C_VECTOR_MIN, ///< min_v8i64(a, b)
    CAIRN_C_VECTOR_MAX, ///< max_v8i64(a, b)
    CAIRN_C_LANES_MIN,  ///< min_v8i64(a, b)
    CAIRN_C_WIDEN,      ///< widen_v8f32(v), widen_v8i8(from): of f64
    CAIRN_C_LAST,       ///< last_v8f64(v, n): 0 but for n lanes
    CAIRN_C_ANY,        ///< any_v8i64(v): is any lane not 0?
    CAIRN_C_FOLLOW,     ///< follow_v8i64(v): is each lane one more than the one before?
    CAIRN_C_AHEAD,  ///< ahead_v8i64(a, b, by): is each lane of a `by` more than b's?
    CAIRN_C_BESIDE, ///< beside_v4f32(a, b): the lanes of both
    CAIRN_C_COLUMN, ///< column_v8f32(from, step, k): of rows of four elements
    CAIRN_C_LDG,    ///< ldg_f64(from): of an array that is not written
    CAIRN_C_ONCE,   ///< once_f64(from): likewise, of what is read once
} cairn_c_use;

enum { CAIRN_C_TYPES = CAIRN_IR_F64 + 1, CAIRN_C_LANES = 8 }; ///< 1 .. 128 lanes.

/// Which C the text is.
typedef enum {
    CAIRN_C_HOST,   ///< C11 of gcc and clang, with OpenMP.
    CAIRN_C_OPENCL, ///< OpenCL C: opencl.c.
    CAIRN_C_CUDA,   ///< What CUDA C++ and C11 have in common: cuda.c.
} cairn_c_dialect;

typedef struct cairn_c {
    cairn_env               *env;
    cairn_c_dialect          dialect;
    const cairn_ir_function *f;
    cairn_text               text; ///< Of the function, as far as it is printed.
    cairn_text               run;  ///< Lines that may still be aligned; see c_lines.c.
    cairn_symbols            names;
    bool                     in_order; ///< Some function's instructions stay in order.
    unsigned                 abis;     ///< Calling conventions of the functions, and
    unsigned                 types;    ///< scalar types named, one bit each.
    unsigned                 calls;
    unsigned                 vectors[CAIRN_C_TYPES][CAIRN_C_LANES];
    /// Elements at stored positions, [1] with a last one: a bit for each index type.
    unsigned    picks[2][CAIRN_C_TYPES][CAIRN_C_LANES];
    int         indent;   ///< Blanks before a line.
    const void *parallel; ///< The loop whose turns are printed; or NULL.
    int         loops;    ///< Loops of threads so far.
} cairn_c;

/* What a kernel for cards that does several banks calls the number of a group among those of
   its bank, and how many these are. */
#define CAIRN_C_GROUP_OF_BANK  "block"
#define CAIRN_C_GROUPS_OF_BANK "blocks"

/* Beginning and end. c.c */

void cairn_c_init(cairn_c *c, cairn_env *env, cairn_c_dialect dialect);
void cairn_c_fini(cairn_c *c);
/// Stand at the begin of a function; what those before it need stays noted.
/// @param[in] reserved  Names that are taken; NULL ends them.
void cairn_c_enter(cairn_c                 *c,
                   const cairn_ir_function *function,
                   const char *const       *reserved);
/// Print the function's statements, and leave it at the end.
void cairn_c_body(cairn_c *c);

/// Append the functions to @p out, which has what they need, and hand the whole over.
/// Finishes @p c and @p out.
/// @param[out] text  Freed with cairn_free().
cairn_status cairn_c_take(cairn_c *c, cairn_text *out, char **text);

/* Names of types; noted as needed. c_types.c */

const char *cairn_c_scalar(cairn_c *c, cairn_ir_type type);

/// The name of a vector type: "v8f64"; of one lane the scalar's.
typedef struct cairn_c_name {
    char text[24];
} cairn_c_name;
cairn_c_name cairn_c_type(cairn_c *c, cairn_ir_type type, int lanes);
cairn_c_name cairn_c_vector_name(cairn_ir_type type, int lanes);
/// The type's part of it: "f64".
const char *cairn_c_short_name(cairn_ir_type type);

/// Note a use, and what it is made of.
void cairn_c_need(cairn_c *c, cairn_ir_type type, int lanes, cairn_c_use use);

/// The integer type of as many bits as an element of floating point has.
cairn_ir_type cairn_c_bits_type(cairn_ir_type type);

bool cairn_c_needs(const cairn_c *c, cairn_ir_type type, int lanes, cairn_c_use use);
void cairn_c_need_call(cairn_c *c, cairn_c_call call);

/* Expressions. c_expr.c, c_memory.c */

/// Append @p x to @p out, in parentheses if it binds less tightly than @p binding.
void cairn_c_expr(cairn_c *c, cairn_text *out, cairn_ir_x x, cairn_c_binding binding);
/// As cairn_c_expr(), of 64 bits in C, too: an element of a narrow array is cast, and so
/// is what is computed in 32 bits.
void cairn_c_wide(cairn_c *c, cairn_text *out, cairn_ir_x x, cairn_c_binding binding);
/// Is the C text of @p x narrower than the 64 bits of its type?
bool cairn_c_narrow(cairn_ir_x x);
/// Is a load printed with a cast? Unsigned elements would make C compute without a sign,
/// and wide ones in 64 bits.
bool cairn_c_casts(cairn_ir_x x);
/// How tightly the text of @p x binds.
cairn_c_binding cairn_c_bind(cairn_ir_x x);

void cairn_c_load(cairn_c *c, cairn_text *out, cairn_ir_x x);
void cairn_c_gather(cairn_c *c, cairn_text *out, cairn_ir_x x);
/// The place of @p lanes elements from @p at on, read as @p type, as what may be
/// assigned to.
void cairn_c_place(cairn_c              *c,
                   cairn_text           *out,
                   const cairn_ir_array *array,
                   cairn_ir_x            at,
                   cairn_ir_type         type,
                   int                   lanes);
/// The address of element @p at, in a sum: `x + 8 * i`.
void cairn_c_address(cairn_c              *c,
                     cairn_text           *out,
                     const cairn_ir_array *array,
                     cairn_ir_x            at);

/* Lines. c_lines.c */

/// Add one statement's line, without its blanks and its end. In a line's text '\1' stands
/// before a declared name and '\2' before the `=` that follows: of neighbouring lines
/// they are put below each other. @p line is freed.
void cairn_c_line(cairn_c *c, cairn_text *line);
void cairn_c_print_line(cairn_c *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/// Write lines that wait for their neighbours.
void cairn_c_flush(cairn_c *c);
/// One blank line between thoughts.
void cairn_c_blank(cairn_c *c);
/// A comment on lines of its own.
void cairn_c_comment(cairn_c *c, const char *note);
/// Words of a comment from column @p column on; @p fresh starts another line of it.
void cairn_c_comment_text(cairn_text *out,
                          const char *note,
                          int         column,
                          const char *fresh);

/* Statements and what stands around them. c_stmt.c, c_nest.c, c_leave.c,
 * c_memory.c */

void cairn_c_block(cairn_c *c, const cairn_ir_stmt *block);
void cairn_c_for(cairn_c *c, const cairn_ir_stmt *loop);
void cairn_c_while(cairn_c *c, const cairn_ir_stmt *loop);
void cairn_c_if(cairn_c *c, const cairn_ir_stmt *stmt);
/// Are there stores past the caches in the block?
bool cairn_c_streams(const cairn_ir_stmt *block);
/// Leave the function with the status that @p status computes; out of a loop of threads:
/// leave the turn, and the function after the loop.
void cairn_c_leave(cairn_c *c, const char *status);
/// Before a loop whose turns may fail, at the end of a turn, and after the loop.
void cairn_c_begin_failing(cairn_c *c, const cairn_ir_stmt *loop);
void cairn_c_end_turn(cairn_c *c);
void cairn_c_end_failing(cairn_c *c, const cairn_ir_stmt *loop);
/// The arrays and parameters that the function uses, as local constants.
void cairn_c_locals(cairn_c *c);
/// Does the function use the array, or the parameter?
bool cairn_c_uses(const cairn_c *c, const void *object);

/// The comment that opens a function, or the file of one; what could end it is not in it.
void cairn_c_notes(const cairn_ir_function *f, cairn_text *out);
/// All else that stands before the functions. c_prelude.c, c_vectors.c
void cairn_c_prelude(cairn_c *c, cairn_text *out);
void cairn_c_vectors(const cairn_c *c, cairn_text *out);
void cairn_c_print_picks(const cairn_c *c, cairn_text *out);

/// Are bounded positions of this type bounded as a vector, not one by one?
bool cairn_c_takes_pairs(cairn_ir_type index);
/// load_v8f16(), load_v8bf16(): c_halves.c
void cairn_c_print_halves(cairn_text *out, cairn_ir_type type, int lanes);
void cairn_c_print_gather(cairn_text   *out,
                          cairn_ir_type type,
                          int           lanes,
                          cairn_ir_type index);
/// Types as typedefs: what stands for each in the dialect; NULL: nothing has to.
void cairn_c_typedefs(const cairn_c    *c,
                      const char *const builtin[CAIRN_C_TYPES],
                      cairn_text       *out);
/// Those of the functions that `calls` asks for, by their text.
void cairn_c_print_calls(const cairn_c *c, cairn_text *out);

/* Grids: what groups and items do. c_grid.c */

/// Is it a loop of groups or items, whose turns are dealt out by their numbers?
bool cairn_c_is_dealt(const cairn_c *c, const cairn_ir_stmt *loop);
/// Of such a loop, by ones: what is added to where it begins, and from turn to turn.
const char *cairn_c_dealt_begin(const cairn_c *c, const cairn_ir_stmt *loop);
const char *cairn_c_dealt_step(const cairn_c *c, const cairn_ir_stmt *loop);
/// The barrier at the end of a turn of groups whose arrays the next turn has, too; NULL:
/// it needs none, or has one.
const char *cairn_c_last_barrier(const cairn_c *c, const cairn_ir_stmt *loop);
void        cairn_c_barrier(cairn_c *c);
void        cairn_c_add_integer(cairn_c *c, const cairn_ir_stmt *s);
/// An array that the group's items share, where it is declared.
void cairn_c_shared(cairn_c *c, const cairn_ir_stmt *s);

/* What OpenCL says otherwise. opencl.c, opencl_items.c */

/// A loop of threads: its turn is the work-item's.
void cairn_opencl_items(cairn_c *c, const cairn_ir_stmt *loop);
/// The arrays that groups share, which are declared at the kernel's begin.
void cairn_opencl_shared(cairn_c *c, const cairn_ir_stmt *block);
/// The name of the parameter that says how many elements lie before an array's first one;
/// "": none do.
const char *cairn_opencl_first(const cairn_c *c, const cairn_ir_array *array);

/* What CUDA says otherwise. cuda.c */

/// Does nobody write the array while the kernel runs?
bool cairn_cuda_is_constant(const cairn_ir_array *array);

/// Number of parts that a calling convention takes.
int cairn_c_parts(int abi);
/// Name of the struct of arguments of a calling convention, and of its fields.
const char *cairn_c_arguments(int abi);
const char *cairn_c_argument(int abi, int field);

/// Append one logical line with blanks before it and its end, broken where it is too
/// long. c_wrap.c
void cairn_c_wrap(cairn_text *out, const char *line, int indent);

#endif
