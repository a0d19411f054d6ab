// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Encodings and formats as values: what the format language says, with parameters
/// substituted and names resolved, and nothing else. An encoding knows no sizes.
///
/// Source: Liu et al., UniSparse: An Intermediate Language for General Sparse Format
/// Customization, OOPSLA 2024, sections 3 and 4; the additions (parameters, query
/// names, widths, hybrids' `keep`) are Cairn's.
///
/// All nodes of a format live in one arena and are constant once parsed.

#ifndef CAIRN_FORMAT_ENCODING_H
#define CAIRN_FORMAT_ENCODING_H

#include "base/env.h"
#include "format/text_position.h"

#include <cairn/kernel.h>

#define CAIRN_MAX_QUERIES 16 ///< Queries of one encoding.
#define CAIRN_MAX_CASES   16 ///< Conditions of one value map, `otherwise` not counted.
#define CAIRN_MAX_MEMBERS 16 ///< Members of one hybrid.

/// Operators of expressions.
typedef enum {
    CAIRN_EXPR_CONST, ///< `value`.
    CAIRN_EXPR_DIM,   ///< Dimension number `value`.
    CAIRN_EXPR_QUERY, ///< The value of query number `value`, by its name.
    CAIRN_EXPR_INDIRECT, ///< indirect(arg...): the value of the last query, number `value`.
    CAIRN_EXPR_NEG,      ///< -a
    CAIRN_EXPR_ADD,      ///< a + b
    CAIRN_EXPR_SUB,      ///< a - b
    CAIRN_EXPR_MUL,      ///< a * b, one of them constant
    CAIRN_EXPR_DIV,      ///< floor(a / b), b a positive constant
    CAIRN_EXPR_MOD,      ///< a - b * floor(a / b)
    CAIRN_EXPR_RANKS, ///< The number of ranks; of distributions alone.
} cairn_expr_op;

/// An expression of a map; a tree, as written (constants folded).
typedef struct cairn_expr cairn_expr;
struct cairn_expr {
    cairn_expr_op       op;
    int64_t             value;
    const cairn_expr   *a, *b;
    int                 args;                 ///< INDIRECT: number of arguments,
    const cairn_expr   *arg[CAIRN_MAX_ORDER]; ///< which are kept for the print only.
    cairn_text_position place;
};

/// An index map (d0, ..., d(order-1)) -> (expr[0], ..., expr[count-1]).
typedef struct cairn_map {
    int               order;
    int               count;
    const cairn_expr *expr[CAIRN_MAX_LEVELS];
} cairn_map;

typedef enum {
    CAIRN_QUERY_SUM,
    CAIRN_QUERY_ENUM,
    CAIRN_QUERY_REORDER,
    CAIRN_QUERY_SCHEDULE,
} cairn_query_func;

typedef enum {
    CAIRN_REL_EQ,
    CAIRN_REL_NE,
    CAIRN_REL_GT,
    CAIRN_REL_GE,
    CAIRN_REL_LT,
    CAIRN_REL_LE,
} cairn_relation;

/// Does @p a stand in the relation to @p b?
static inline bool cairn_relation_holds(int64_t a, cairn_relation relation, int64_t b)
{
    switch (relation) {
    case CAIRN_REL_EQ: return a == b;
    case CAIRN_REL_NE: return a != b;
    case CAIRN_REL_GT: return a > b;
    case CAIRN_REL_GE: return a >= b;
    case CAIRN_REL_LT: return a < b;
    case CAIRN_REL_LE: return a <= b;
    }
    return false;
}

/// What a query's argument, a condition or a start value refers to.
enum {
    CAIRN_ARG_VALUE = -1, ///< The value at a position of the index box.
};

/// The right-hand side of `->` in a value map.
typedef struct cairn_start {
    enum { CAIRN_START_CONST, CAIRN_START_QUERY, CAIRN_START_NONE } kind;
    int64_t     value; ///< CONST: the number. QUERY: the number of the query.
    const char *text;  ///< QUERY: as written ("sumVal" or the name), for the print.
} cairn_start;

/// One `var REL CONST -> start`.
typedef struct cairn_case {
    int            var;  ///< CAIRN_ARG_VALUE or the number of an earlier query.
    const char    *text; ///< As written, for the print ("value", never "val").
    cairn_relation relation;
    int64_t        constant;
    cairn_start    start;
} cairn_case;

/// One query. Clauses that were not given hold their defaults; `traverse_by` NULL is
/// the id order. A shorthand's bucket count is in `buckets`, with `shorthand` set; its
/// traverse_by, (d0/2), is kept for the print: the groups are handed out in the order of
/// the dimension itself, d0, and not of its quotient.
typedef struct cairn_query {
    const char         *name; ///< NULL if it has none.
    cairn_query_func    func;
    int                 arg; ///< CAIRN_ARG_VALUE or the number of an earlier query.
    const char         *arg_text; ///< As written ("value", "sumVal", "d0", a name).
    cairn_map           group_by; ///< count 0: one group.
    const cairn_map    *traverse_by;
    bool                has_with;
    int                 cases;
    cairn_case          when[CAIRN_MAX_CASES];
    cairn_start         otherwise;
    int64_t             buckets;     ///< 0: none.
    bool                shorthand;   ///< `buckets` comes from traverse_by (d0/2): 2.
    int64_t             distance;    ///< 0: none.
    const cairn_map    *distance_by; ///< NULL: one key for all.
    bool                descend;
    cairn_text_position place;
} cairn_query;

/// pack(first,last): levels first..last as one array of tuples.
typedef struct cairn_pack {
    int  first, last; ///< last <= levels-1: pack(S,m) is stored as pack(S,m-1).
    bool novalue;
} cairn_pack;

/// Widths given by hand; 0: not given.
typedef struct cairn_widths {
    uint8_t ptr, idx;
} cairn_widths;

/// How values are stored, as the text says.
#define CAIRN_VAL_TYPE_MAP(X)                                            \
    X(UNSAID, "", CAIRN_VALUE_FLOAT, 0)                                  \
    X(EXACT, "exact", CAIRN_VALUE_FLOAT, 0) /* the narrowest of these */ \
    X(ISO, "iso", CAIRN_VALUE_ONE, 0)       /* 0: the tensor's */        \
    X(I8, "i8", CAIRN_VALUE_INTEGER, 8)                                  \
    X(I16, "i16", CAIRN_VALUE_INTEGER, 16)                               \
    X(F16, "f16", CAIRN_VALUE_FLOAT, 16)                                 \
    X(BF16, "bf16", CAIRN_VALUE_BFLOAT, 16)                              \
    X(F32, "f32", CAIRN_VALUE_FLOAT, 32)                                 \
    X(F64, "f64", CAIRN_VALUE_FLOAT, 64)                                 \
    X(DICT8, "dict8", CAIRN_VALUE_CODE, 8)                               \
    X(DICT16, "dict16", CAIRN_VALUE_CODE, 16)

typedef enum {
#define X(id, text, kind, bits) CAIRN_VAL_##id,
    CAIRN_VAL_TYPE_MAP(X)
#undef X
        CAIRN_VAL_TYPES
} cairn_val_type;

/// One encoding: index map, mutations, queries, layout primitives, widths.
typedef struct cairn_encoding {
    cairn_map      map;
    bool           trimmed;    ///< A trim was given;
    int            trim_first; ///< S, else levels (so that no level is in [S,E]),
    int            trim_last;  ///< E, else -1.
    uint32_t       merged;     ///< Bit L: merge of level L was given.
    int            queries;
    cairn_query    query[CAIRN_MAX_QUERIES];
    int            packs;
    cairn_pack     pack[CAIRN_MAX_LEVELS];
    int            partition;              ///< L of partition(L), or -1.
    cairn_widths   bits[CAIRN_MAX_LEVELS]; ///< 0: by the rules.
    cairn_widths   all_bits;               ///< bits<ptr = w>, bits<idx = w>.
    cairn_val_type val;                    ///< val(TYPE), or UNSAID.
    const struct cairn_encoding
            *written; ///< Of a normal form (normal.h): the text's own.
    uint32_t idle;    ///< Of a normal form: bit q says that query q is not used.
    uint64_t number;  ///< No other encoding of the process has it; 0: none was given.
} cairn_encoding;

typedef enum {
    CAIRN_THRESHOLD_CAPACITY,
    CAIRN_THRESHOLD_ABSOLUTE,
    CAIRN_THRESHOLD_MAXIMUM,
} cairn_threshold_mode;

/// How a tensor's rows go to ranks.
typedef enum {
    CAIRN_DISTRIBUTION_UNSAID, ///< As the run does it.
    CAIRN_DISTRIBUTION_ROWS,   ///< Equal numbers of rows,
    CAIRN_DISTRIBUTION_NNZ,    ///< of entries,
    CAIRN_DISTRIBUTION_COST,   ///< shares by what ranks' devices take for them.
    CAIRN_DISTRIBUTION_GRAPH,  ///< By a partition of the matrix's graph.
    CAIRN_DISTRIBUTION_BLOCKS, ///< blocks<a,b>: a by b blocks of rows and columns.
    CAIRN_DISTRIBUTION_MAP,    ///< (a): the rank of row d0.
} cairn_distribution_kind;

/// What a text says about that. It is in no kernel's key and no layout.
typedef struct cairn_distribution {
    cairn_distribution_kind kind;
    const cairn_expr       *a, *b; ///< Over d0 and the number of ranks; or NULL.
} cairn_distribution;

struct cairn_kept;

/// What a format has beside what its text says.
typedef struct cairn_format_life {
    int      others; ///< That hold it, too.
    uint64_t number; ///< No other format of the process has it.
    bool
        narrows; ///< It was chosen for many products: its tensors narrow values of which
                 ///< its text says nothing.
    int64_t align; ///< Ranks begin at multiples of so many rows, too; 0: of any.
    struct cairn_kept
        *kept; ///< What rooms above found out about it; NULL: nothing yet.
    void (*forget)(cairn_env *env, struct cairn_kept *kept); ///< Frees that.
} cairn_format_life;

/// The canonical texts of a format.
typedef struct cairn_format_texts {
    const char  *whole;
    const char  *member[CAIRN_MAX_MEMBERS];       ///< Each member's encoding,
    const char **level[CAIRN_MAX_MEMBERS];        ///< and each level's expression.
    const char  *whole_distribution;              ///< "nnz"; NULL: the run's.
    const char  *distribution[CAIRN_MAX_MEMBERS]; ///< NULL: the whole's.
} cairn_format_texts;

/// A format: one encoding (members == 1, not hybrid), or members and the rule between.
typedef struct cairn_format {
    bool                  hybrid;
    int                   order; ///< Modes of the tensors it stores.
    int                   members;
    const cairn_encoding *member[CAIRN_MAX_MEMBERS];
    const cairn_query
        *query; ///< The hybrid's own query; NULL: the first member's blocks.
    const cairn_encoding
                      *normal[CAIRN_MAX_MEMBERS]; ///< Members' normal forms (normal.h),
    const cairn_query *normal_query;              ///< and the query's.
    cairn_threshold_mode mode;
    double               threshold[CAIRN_MAX_MEMBERS]; ///< [members-1], descending.
    double               keep[CAIRN_MAX_MEMBERS];      ///< [members-1], each in (0,1].
    cairn_distribution   distribution;                 ///< Of the whole,
    cairn_distribution   member_distribution[CAIRN_MAX_MEMBERS]; ///< and members' own.
    cairn_env           *env;
    cairn_format_life    life;
    struct cairn_arena  *arena; ///< Owns everything above, and the texts below,
    cairn_format_texts   print; ///< which the API prints once.
} cairn_format;

/// Number of levels of an encoding.
static inline int cairn_encoding_levels(const cairn_encoding *e)
{
    return e->map.count;
}

/// True if @p expr is about a query rather than dimensions (an *indirect* level).
bool cairn_expr_is_indirect(const cairn_expr *expr);

#endif
