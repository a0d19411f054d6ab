// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The loop IR: what generated kernels are built as. A function is a tree of statements
/// (loops with bounds and attributes, conditions, stores, scalars) over
/// typed expressions. Lowerings build it with the calls below, passes (passes.h) rewrite
/// it, printers (emit/) turn it into C, CUDA or OpenCL. No text is ever assembled.
///
/// Types. All arithmetic on coordinates and positions is in 64-bit integers, or in 32-bit
/// ones where cairn_pass_narrow() made it so; narrower integers occur in arrays only, and
/// a load widens, or narrows. Floating-point arithmetic is done in
/// the type of its operands; a vector has a number of lanes, and what is done to it is
/// done to every lane. Nothing is reassociated or contracted by a printer: the order of a
/// sum is the order that the lowering built, so that bits are decided here.
///
/// Building. A builder is a cursor into a function: statements go where it stands, and
/// cairn_ir_for(), _if(), _while() stand it inside until cairn_ir_end(). Expressions are
/// values of the arena; they may be shared. A failed allocation is remembered and told
/// once, by cairn_ir_finish(), so that building needs no check after every piece.
///
/// Names. Variables and arrays bear the names that the reader of the kernel shall see; of
/// two that are in sight at one place and share a name the second is printed with a
/// number after it.

#ifndef CAIRN_IR_IR_H
#define CAIRN_IR_IR_H

#include "base/arena.h"

/// Scalar types: name, C text, bytes, is it floating point. F16 and BF16 are types of
/// memory alone, where their words are integers to C: loaded they are F32.
#define CAIRN_IR_TYPE_MAP(X)     \
    X(BOOL, "bool", 1, false)    \
    X(I8, "int8_t", 1, false)    \
    X(I16, "int16_t", 2, false)  \
    X(I32, "int32_t", 4, false)  \
    X(I64, "int64_t", 8, false)  \
    X(U8, "uint8_t", 1, false)   \
    X(U16, "uint16_t", 2, false) \
    X(U32, "uint32_t", 4, false) \
    X(U64, "uint64_t", 8, false) \
    X(F16, "uint16_t", 2, true)  \
    X(BF16, "uint16_t", 2, true) \
    X(F32, "float", 4, true)     \
    X(F64, "double", 8, true)

typedef enum {
#define X(id, text, bytes, is_float) CAIRN_IR_##id,
    CAIRN_IR_TYPE_MAP(X)
#undef X
} cairn_ir_type;

/// Expressions: name, number of operands (a, b, c).
///
/// INT, REAL: the constant `integer`, I64, or `real`, F32 or F64. VAR: variable `var`.
/// PARAM: scalar field `field` of what the function is given. LOAD: `array`[a]; with
/// lanes a[0], a[1], ... of consecutive elements. GATHER: `array`[a] for every lane of
/// a, a vector of I64 or I32. DIV, MOD: of integers a >= 0 and b > 0; FLOOR_DIV,
/// FLOOR_MOD: b > 0, rounding down. DIV also of floating point. MIN, MAX, BITS_..,
/// SHIFT_..: integers. SELECT: a ? b : c, a scalar; the one that is not chosen is not
/// evaluated, so that it may load what is not there. CAST: to this type, lane by lane.
/// SPLAT: every lane is the scalar a. LANE: lane `integer` of a. LANE_SUM: the sum of
/// all lanes, halves added until one is left. LAST: the last b lanes of a (floating
/// point), an integer 0 <= b <= lanes; the others 0. FOLLOW: whether each lane of a,
/// integers, is one more than the lane before it. AHEAD: whether each lane of a,
/// integers, is c >= 0 more than the lane of b; the type of these in memory holds c.
/// COLUMN: lane n is `array`[a + n*b + `integer`], floating point, of four that stand
/// there from a + n*b on, all of which may be read.
#define CAIRN_IR_OP_MAP(X) \
    X(INT, 0)              \
    X(REAL, 0)             \
    X(VAR, 0)              \
    X(PARAM, 0)            \
    X(LOAD, 1)             \
    X(GATHER, 1)           \
    X(ADD, 2)              \
    X(SUB, 2)              \
    X(MUL, 2)              \
    X(DIV, 2)              \
    X(MOD, 2)              \
    X(FLOOR_DIV, 2)        \
    X(FLOOR_MOD, 2)        \
    X(MIN, 2)              \
    X(MAX, 2)              \
    X(LT, 2)               \
    X(LE, 2)               \
    X(EQ, 2)               \
    X(NE, 2)               \
    X(AND, 2)              \
    X(OR, 2)               \
    X(BITS_AND, 2)         \
    X(BITS_OR, 2)          \
    X(SHIFT_LEFT, 2)       \
    X(SHIFT_RIGHT, 2)      \
    X(SELECT, 3)           \
    X(CAST, 1)             \
    X(SPLAT, 1)            \
    X(LANE, 1)             \
    X(LANE_SUM, 1)         \
    X(LAST, 2)             \
    X(FOLLOW, 1)           \
    X(AHEAD, 3)            \
    X(COLUMN, 2)

typedef enum {
#define X(id, operands) CAIRN_IR_##id,
    CAIRN_IR_OP_MAP(X)
#undef X
} cairn_ir_op;

/// Where an array or a scalar comes from. Kernels have a fixed set of arguments (see
/// kernel.h and share/abi.h); a field names one of them.
typedef enum {
    CAIRN_IR_LEVEL_PTR,   ///< ptr of level `level` of part `part`,
    CAIRN_IR_LEVEL_IDX,   ///< its idx,
    CAIRN_IR_LEVEL_LO,    ///< and scalars: smallest index,
    CAIRN_IR_LEVEL_SIZE,  ///< number of indices,
    CAIRN_IR_LEVEL_NODES, ///< stored nodes,
    CAIRN_IR_LEVEL_HOLE,  ///< the idx where there is no element.
    CAIRN_IR_VAL,         ///< Values of part `part`, as they are stored,
    CAIRN_IR_DICTIONARY,  ///< what they are numbers of,
    CAIRN_IR_VALUES,      ///< and how many.
    CAIRN_IR_BANK,        ///< Number of the part's bank.
    CAIRN_IR_ARG,         ///< Field `level` of the operation's arguments (share/abi.h).
    CAIRN_IR_GROUPS_OWN,  ///< Not given: an array that a SHARED declares.
} cairn_ir_source;

typedef struct cairn_ir_field {
    cairn_ir_source source;
    int             part;  ///< 0: the part; a conversion reads 0 and fills 1.
    int             level; ///< Level; of ARG the field's number.
} cairn_ir_field;

/// An array as the function sees it.
typedef struct cairn_ir_array {
    const char    *name;
    cairn_ir_type  type; ///< Of an element in memory.
    cairn_ir_field field;
    bool           written;
    int64_t        stride; ///< Bytes from element to element; 0: they are adjacent.
    int64_t        block;  ///< Elements that stand together in a stride; else 1.
    int64_t        length; ///< Elements of a SHARED; 0 of those that are given.
} cairn_ir_array;

typedef struct cairn_ir_var {
    const char   *name;
    cairn_ir_type type;
    int           lanes;    ///< 1: a scalar.
    bool          constant; ///< Assigned once, where it is declared.
} cairn_ir_var;

typedef struct cairn_ir_expr {
    cairn_ir_op                 op;
    cairn_ir_type               type;
    int                         lanes;
    const struct cairn_ir_expr *a, *b, *c;
    int64_t                     integer;
    double                      real;
    const cairn_ir_var         *var;
    const cairn_ir_array       *array;
    cairn_ir_field              field;
    const char                 *name; ///< PARAM: what the reader sees.
    bool once;    ///< LOAD: it is not read again: caches need not keep it.
    bool aligned; ///< LOAD: a vector of 16 bytes, which begins at a multiple of 16.
} cairn_ir_expr;

typedef enum {
    CAIRN_IR_DECLARE,  ///< var = a (a NULL: declared without a value).
    CAIRN_IR_ASSIGN,   ///< var = a.
    CAIRN_IR_STORE,    ///< array[a] = b; with lanes consecutive elements.
    CAIRN_IR_FOR,      ///< for (var = a; var < b; var += step) body.
    CAIRN_IR_WHILE,    ///< while (a) body.
    CAIRN_IR_IF,       ///< if (a) body else other.
    CAIRN_IR_PREFETCH, ///< Address of array[a] + bytes, which may lie outside.
    CAIRN_IR_NOTE,     ///< A comment on a line of its own, before what follows.
    CAIRN_IR_RETURN,   ///< Leave the function with status a (0: success).
    CAIRN_IR_SHARED,   ///< `array` begins here, with any values: each turn of the
                       ///< innermost GROUPS has one of its own, which its items share.
    CAIRN_IR_BARRIER,  ///< All items of the group have come to here, and see what the
                       ///< others have stored.
    CAIRN_IR_ADD_INTEGER, ///< array[a] += b of U32, as one step, beside others that do so.
} cairn_ir_kind;

/// Who does the turns of a FOR.
///
/// GROUPS are the blocks of a grid, ITEMS the threads of a block. There may be any number
/// of either, one for instance, and turns are dealt to them in any way; what is computed
/// does not depend on it, because (1) items reach every barrier: none stands under ITEMS,
/// and what is outside of ITEMS is done alike by all items of a group, so that nothing is
/// stored there; (2) nothing lives across barriers but in SHARED arrays: what is assigned
/// under ITEMS is declared there; (3) between two barriers a turn of ITEMS touches no
/// element that another writes, and groups never touch what another writes. A turn of
/// GROUPS that has SHARED arrays begins and ends with a barrier.
typedef enum {
    CAIRN_TURNS_SERIAL,
    CAIRN_TURNS_THREADS, ///< One turn a thread of the processor. The others go by ones.
    CAIRN_TURNS_GROUPS,  ///< At the function's top, or in another such.
    CAIRN_TURNS_ITEMS,   ///< In GROUPS.
} cairn_ir_turns;

/// What a PREFETCH asks for.
typedef struct cairn_ir_cache_hint {
    bool    write;    ///< To be written.
    int     locality; ///< 3 into L1, 2 into L2.
    int64_t bytes;    ///< Distance ahead.
} cairn_ir_cache_hint;

typedef struct cairn_ir_stmt {
    cairn_ir_kind         kind;
    struct cairn_ir_stmt *next; ///< In the block.
    cairn_ir_var         *var;
    cairn_ir_array       *array;
    const cairn_ir_expr  *a, *b;
    int64_t               step;
    struct cairn_ir_stmt *body, *other;
    const char           *note;   ///< NOTE; of a loop: its level and kind; or NULL.
    int                   unroll; ///< FOR: unroll so often; 0: as the compiler likes.
    cairn_ir_turns        turns;  ///< FOR.
    int                   axis;   ///< GROUPS: 0 or 1, of the grid.
    bool                  simd;   ///< FOR: turns are independent.
    bool                  stream; ///< STORE: past the caches; 64-byte aligned.
    cairn_ir_cache_hint   prefetch;
} cairn_ir_stmt;

#define CAIRN_IR_NOTES 8

/// A function: int64_t name(parts, arguments); 0 is success.
typedef struct cairn_ir_function {
    cairn_arena *arena;
    const char  *name;
    const char  *note[CAIRN_IR_NOTES]; ///< Opens the file: expression, formats, key.
    int          notes;
    int          abi;      ///< Which arguments it takes: cairn_abi of share/abi.h.
    bool         in_order; ///< A compiler shall leave instructions in this order.
    int groups; ///< Of 128 items, that a multiprocessor of a card shall hold at once at
                ///< least; 0: it has no say.
    bool
        banks; ///< A start of it on a card does several parts, which groups are dealt to.
    cairn_ir_stmt   *body;
    cairn_ir_array **array; ///< [arrays] in the order in which they were asked for.
    int              arrays, array_capacity;
    cairn_ir_expr  **param; ///< [params] scalars, likewise.
    int              params, param_capacity;
} cairn_ir_function;

#define CAIRN_IR_DEPTH 48 ///< Nested statements, at most.

typedef struct cairn_ir {
    cairn_env         *env;
    cairn_ir_function *function;
    cairn_ir_stmt    **tail[CAIRN_IR_DEPTH]; ///< Where the next statement goes.
    cairn_ir_stmt     *open[CAIRN_IR_DEPTH]; ///< Statement whose body is open.
    int                depth;
    cairn_status       status; ///< The first failure.
    /// What is handed out after a failure, so that callers may look at it and set it.
    cairn_ir_expr  spare_expr;
    cairn_ir_var   spare_var;
    cairn_ir_array spare_array;
    cairn_ir_stmt  spare_stmt;
} cairn_ir;

/// Short for operands in the calls below.
typedef const cairn_ir_expr *cairn_ir_x;

/* The function. */

/// Start a function of the calling convention @p abi. @p name is copied.
void cairn_ir_begin(cairn_ir *b, cairn_env *env, const char *name, int abi);

/// Add a line to the note that opens the file; formatted, copied.
void cairn_ir_describe(cairn_ir *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/// Finish: hand the function over, or tell the first failure (then nothing is left).
/// @param[out] function  Destroy with cairn_ir_destroy(). Unchanged on failure.
cairn_status cairn_ir_finish(cairn_ir *b, cairn_ir_function **function);

/// Give up a function that was begun; after cairn_ir_finish() nothing happens.
void cairn_ir_abandon(cairn_ir *b);

/// Go on building a finished function: statements go before what stands at @p place, a
/// `body`, `other` or `next` of it. For passes. Take b->status when done; the function
/// stays its owner's.
void cairn_ir_edit(cairn_ir          *b,
                   cairn_env         *env,
                   cairn_ir_function *function,
                   cairn_ir_stmt    **place);

void cairn_ir_destroy(cairn_env *env, cairn_ir_function **function);

/* What it is given. The same field asked for twice is one array or parameter. */

/// Array @p field of elements of @p type; adjacent elements. Formatted
/// name, copied (also below).
cairn_ir_array *cairn_ir_array_of(cairn_ir      *b,
                                  cairn_ir_field field,
                                  cairn_ir_type  type,
                                  const char    *name,
                                  ...) __attribute__((format(printf, 4, 5)));

/// Scalar @p field, I64 unless @p type says otherwise.
cairn_ir_x cairn_ir_param(cairn_ir      *b,
                          cairn_ir_field field,
                          cairn_ir_type  type,
                          const char    *name,
                          ...) __attribute__((format(printf, 4, 5)));

/* Expressions. Integer constants are folded; x+0, x*1, x*0 of integers vanish, constants
 * added or multiplied one after the other become one, (x*n + r)/n with 0 <= r < n becomes
 * x. Of a vector and a scalar of its type the scalar is put into every lane. */

cairn_ir_x cairn_ir_int(cairn_ir *b, int64_t value);
cairn_ir_x cairn_ir_real(cairn_ir *b, cairn_ir_type type, double value);
cairn_ir_x cairn_ir_use(cairn_ir *b, const cairn_ir_var *var);
cairn_ir_x cairn_ir_binary(cairn_ir *b, cairn_ir_op op, cairn_ir_x x, cairn_ir_x y);
cairn_ir_x
cairn_ir_select(cairn_ir *b, cairn_ir_x condition, cairn_ir_x x, cairn_ir_x y);
/// Element @p at, widened: integers to I64; floating point as stored.
cairn_ir_x cairn_ir_load(cairn_ir *b, const cairn_ir_array *array, cairn_ir_x at);
/// @p lanes consecutive elements from @p at on (no alignment needed); integers widen to
/// I64 lanes. One lane is cairn_ir_load().
cairn_ir_x
cairn_ir_load_lanes(cairn_ir *b, const cairn_ir_array *array, cairn_ir_x at, int lanes);
cairn_ir_x cairn_ir_gather(cairn_ir *b, const cairn_ir_array *array, cairn_ir_x at);
/// The load @p x, of which that is known (cairn_ir_expr). It loads the same.
cairn_ir_x cairn_ir_hinted(cairn_ir *b, cairn_ir_x x, bool once, bool aligned);
cairn_ir_x cairn_ir_cast(cairn_ir *b, cairn_ir_type type, cairn_ir_x x);
cairn_ir_x cairn_ir_splat(cairn_ir *b, cairn_ir_x x, int lanes);
cairn_ir_x cairn_ir_lane(cairn_ir *b, cairn_ir_x x, int lane);
cairn_ir_x cairn_ir_lane_sum(cairn_ir *b, cairn_ir_x x);
cairn_ir_x cairn_ir_last(cairn_ir *b, cairn_ir_x x, cairn_ir_x count);
cairn_ir_x cairn_ir_follow(cairn_ir *b, cairn_ir_x x);
cairn_ir_x cairn_ir_ahead(cairn_ir *b, cairn_ir_x x, cairn_ir_x y, cairn_ir_x by);
/// Column @p k, 0 to 3, of @p lanes rows (4 or 8) of four elements that begin at @p at and
/// are @p step apart. What is loaded for one column serves the others.
cairn_ir_x cairn_ir_column(cairn_ir             *b,
                           const cairn_ir_array *array,
                           cairn_ir_x            at,
                           cairn_ir_x            step,
                           int                   lanes,
                           int                   k);

/* Short forms of cairn_ir_binary(), and with a constant on the right. */
#define cairn_ir_add(b, x, y) cairn_ir_binary(b, CAIRN_IR_ADD, x, y)
#define cairn_ir_sub(b, x, y) cairn_ir_binary(b, CAIRN_IR_SUB, x, y)
#define cairn_ir_mul(b, x, y) cairn_ir_binary(b, CAIRN_IR_MUL, x, y)
#define cairn_ir_min(b, x, y) cairn_ir_binary(b, CAIRN_IR_MIN, x, y)
#define cairn_ir_max(b, x, y) cairn_ir_binary(b, CAIRN_IR_MAX, x, y)
#define cairn_ir_lt(b, x, y)  cairn_ir_binary(b, CAIRN_IR_LT, x, y)
#define cairn_ir_le(b, x, y)  cairn_ir_binary(b, CAIRN_IR_LE, x, y)
#define cairn_ir_eq(b, x, y)  cairn_ir_binary(b, CAIRN_IR_EQ, x, y)
#define cairn_ir_ne(b, x, y)  cairn_ir_binary(b, CAIRN_IR_NE, x, y)
#define cairn_ir_and(b, x, y) cairn_ir_binary(b, CAIRN_IR_AND, x, y)
#define cairn_ir_or(b, x, y)  cairn_ir_binary(b, CAIRN_IR_OR, x, y)
#define cairn_ir_add_int(b, x, k) \
    cairn_ir_binary(b, CAIRN_IR_ADD, x, cairn_ir_int(b, k))
#define cairn_ir_mul_int(b, x, k) \
    cairn_ir_binary(b, CAIRN_IR_MUL, x, cairn_ir_int(b, k))

/* Statements. */

/// Declare a constant with a value. @return the variable, to be used with cairn_ir_use().
const cairn_ir_var *cairn_ir_let(cairn_ir *b, cairn_ir_x value, const char *name, ...)
    __attribute__((format(printf, 3, 4)));
/// Declare a variable that will be assigned; it starts with @p value.
cairn_ir_var *cairn_ir_declare(cairn_ir *b, cairn_ir_x value, const char *name, ...)
    __attribute__((format(printf, 3, 4)));
void cairn_ir_assign(cairn_ir *b, cairn_ir_var *var, cairn_ir_x value);
/// array[at] = value, narrowed to the array's type; the lanes of a vector consecutively.
cairn_ir_stmt *
cairn_ir_store(cairn_ir *b, cairn_ir_array *array, cairn_ir_x at, cairn_ir_x value);
/// Open a loop over lo <= var < hi. @p note, or NULL: its level and kind, for readers.
/// The statement is given so that attributes can be set. Bounds are read before the
/// first turn: what they are made of must not change inside.
cairn_ir_stmt *cairn_ir_for(cairn_ir   *b,
                            cairn_ir_x  lo,
                            cairn_ir_x  hi,
                            int64_t     step,
                            const char *note,
                            const char *name,
                            ...) __attribute__((format(printf, 6, 7)));
/// The variable of a loop just opened.
#define cairn_ir_loop_var(b, stmt) cairn_ir_use(b, (stmt)->var)
void cairn_ir_while(cairn_ir *b, cairn_ir_x condition);
void cairn_ir_if(cairn_ir *b, cairn_ir_x condition);
/// Go on with the other branch of the innermost open `if`.
void cairn_ir_else(cairn_ir *b);
/// Close the innermost open statement.
void cairn_ir_end(cairn_ir *b);
void cairn_ir_prefetch(cairn_ir             *b,
                       const cairn_ir_array *array,
                       cairn_ir_x            at,
                       int64_t               bytes,
                       int                   locality,
                       bool                  write);
void cairn_ir_note(cairn_ir *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void cairn_ir_return(cairn_ir *b, cairn_ir_x status);

/// Open an array of the group's own, of @p length elements.
cairn_ir_array *
cairn_ir_shared(cairn_ir *b, cairn_ir_type type, int64_t length, const char *name, ...)
    __attribute__((format(printf, 4, 5)));
void cairn_ir_barrier(cairn_ir *b);
/// array[at] += value, of U32.
void cairn_ir_add_integer(cairn_ir       *b,
                          cairn_ir_array *array,
                          cairn_ir_x      at,
                          cairn_ir_x      value);

/// Bytes of SHARED arrays that a function may have.
#define CAIRN_IR_SHARED_BYTES 16384

/// Facts of a type.
const char *cairn_ir_type_text(cairn_ir_type type);
int         cairn_ir_type_bytes(cairn_ir_type type);
bool        cairn_ir_type_is_float(cairn_ir_type type);

/// Is it F16 or BF16?
bool cairn_ir_type_is_half(cairn_ir_type type);
int  cairn_ir_operands(cairn_ir_op op);

#endif
