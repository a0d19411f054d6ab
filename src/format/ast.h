// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The parse tree: what was written, parameters and names not yet resolved. Resolving
/// (resolve.h) turns it into the encodings of encoding.h. Nodes live in the arena of
/// their library; lists are linked by `next`, in the order of the text.

#ifndef CAIRN_FORMAT_AST_H
#define CAIRN_FORMAT_AST_H

#include "format/encoding.h"
#include "format/lex.h"

#define CAIRN_MAX_NESTING     64 ///< Brackets, signs and uses inside each other.
#define CAIRN_MAX_HEIGHT      128 ///< Height of an expression's tree (a+b+c+... is high).
#define CAIRN_MAX_PARAMS      16   ///< Parameters of one definition.
#define CAIRN_MAX_DEFINITIONS 4096 ///< Definitions of one library.

typedef struct cairn_library    cairn_library;
typedef struct cairn_definition cairn_definition;

typedef enum {
    CAIRN_NODE_INT,      ///< `value`
    CAIRN_NODE_DECIMAL,  ///< `decimal`; a NUM only.
    CAIRN_NODE_ID,       ///< `name`: a dimension, a parameter or a query.
    CAIRN_NODE_INDIRECT, ///< indirect(a, a->next, ...)
    CAIRN_NODE_DIMS,     ///< d[a]
    CAIRN_NODE_RANGE,    ///< a..b, or a alone (b NULL), in a merge.
    CAIRN_NODE_NEG,
    CAIRN_NODE_ADD,
    CAIRN_NODE_SUB,
    CAIRN_NODE_MUL,
    CAIRN_NODE_DIV,
    CAIRN_NODE_MOD,
} cairn_node_op;

/// An expression, a number, or a dimension of a list.
typedef struct cairn_node cairn_node;
struct cairn_node {
    cairn_node_op       op;
    cairn_text_position place;
    int                 height; ///< Of the tree, 1 for a leaf.
    int64_t             value;
    double              decimal;
    const char         *name;
    cairn_node         *a, *b;
    cairn_node         *next;
};

typedef struct cairn_map_node {
    cairn_text_position place;
    cairn_node         *dims;
    cairn_node         *exprs;
} cairn_map_node;

typedef enum {
    CAIRN_ACTION_TRIM,      ///< a, b
    CAIRN_ACTION_MERGE,     ///< levels
    CAIRN_ACTION_PACK,      ///< a, b, novalue
    CAIRN_ACTION_PARTITION, ///< a
    CAIRN_ACTION_VAL,       ///< val
    CAIRN_ACTION_PTR,       ///< a (NULL: all levels), bits
    CAIRN_ACTION_IDX,
} cairn_action_kind;

/// A mutation, a layout primitive or a width.
typedef struct cairn_action_node cairn_action_node;
struct cairn_action_node {
    cairn_action_kind   kind;
    cairn_text_position place;
    cairn_node         *a, *b;
    cairn_node         *levels;
    bool                novalue;
    int                 bits;
    int                 val; ///< A cairn_val_type.
    cairn_action_node  *next;
};

/// What follows `->` in a value map: a number, or a word (sumVal, none, a name).
typedef struct cairn_start_node {
    cairn_text_position place;
    cairn_node         *number;
    const char         *word;
} cairn_start_node;

typedef struct cairn_case_node cairn_case_node;
struct cairn_case_node {
    cairn_text_position place;
    const char         *var;
    cairn_relation      relation;
    cairn_node         *constant;
    cairn_start_node    start;
    cairn_case_node    *next;
};

/// Clauses, in the order of the canonical print.
typedef enum {
    CAIRN_CLAUSE_GROUP_BY,
    CAIRN_CLAUSE_TRAVERSE_BY,
    CAIRN_CLAUSE_WITH,
    CAIRN_CLAUSE_BUCKETS,
    CAIRN_CLAUSE_DISTANCE,
    CAIRN_CLAUSE_ASCEND,
    CAIRN_CLAUSE_DESCEND,
    CAIRN_CLAUSES,
} cairn_clause;

typedef struct cairn_query_node cairn_query_node;
struct cairn_query_node {
    cairn_text_position place;
    const char         *name; ///< NULL if it has none.
    cairn_query_func    func;
    cairn_node         *vars;  ///< ID nodes; NULL in #unisparse.sum<...> without one.
    unsigned            given; ///< Bit c: clause c was given,
    cairn_text_position where[CAIRN_CLAUSES]; ///< here.
    cairn_map_node     *group_by, *traverse_by, *distance_by;
    cairn_case_node    *cases;
    cairn_start_node    otherwise;
    cairn_node         *buckets, *distance;
    cairn_query_node   *next;
};

typedef struct cairn_encoding_node {
    cairn_text_position place;
    cairn_map_node     *map;
    cairn_action_node  *mutation, *layout, *bits;
    cairn_query_node   *queries;
} cairn_encoding_node;

typedef struct cairn_arg_node cairn_arg_node;

/// NAME<args>
typedef struct cairn_use_node {
    cairn_text_position place;
    const char         *name;
    cairn_arg_node     *args;
} cairn_use_node;

/// What follows '@'.
typedef struct cairn_distribution_node {
    cairn_text_position     place; ///< Of the '@'.
    cairn_distribution_kind kind;
    cairn_node             *a, *b; ///< Of a map the expression; of blocks p and q.
} cairn_distribution_node;

/// An encoding or a use.
typedef struct cairn_member_node cairn_member_node;
struct cairn_member_node {
    cairn_text_position      place;
    cairn_encoding_node     *encoding; ///< Or NULL:
    cairn_use_node          *use;
    cairn_distribution_node *distribution; ///< NULL: none of its own.
    cairn_member_node       *next;
};

/// A number or a member. A parameter alone is both: what it is bound to decides.
struct cairn_arg_node {
    cairn_node        *number; ///< Or NULL:
    cairn_member_node *member;
    cairn_arg_node    *next;
};

typedef struct cairn_hybrid_node {
    cairn_text_position  place;
    cairn_member_node   *members;
    cairn_query_node    *query;
    cairn_use_node      *query_use; ///< query = #NAME
    cairn_threshold_mode mode;
    cairn_node          *thresholds, *keep; ///< NULL: not given.
    cairn_text_position  thresholds_place, keep_place;
} cairn_hybrid_node;

/// The right-hand side of a definition; one of the pointers is set.
typedef struct cairn_body_node {
    cairn_encoding_node *encoding;
    cairn_hybrid_node   *hybrid;
    cairn_query_node    *query;
    cairn_use_node      *use;
} cairn_body_node;

typedef enum {
    CAIRN_PARAM_UNKNOWN, ///< Only handed on; what it is bound to decides.
    CAIRN_PARAM_NUMBER,
    CAIRN_PARAM_FORMAT,
} cairn_param_kind;

typedef struct cairn_param {
    const char         *name;
    cairn_text_position place;
    cairn_param_kind    kind;
    cairn_node         *standard; ///< Default, or NULL.
} cairn_param;

struct cairn_definition {
    const cairn_library *library; ///< Where its names are looked up.
    const char          *name;
    cairn_text_position  place;
    int                  params;
    cairn_param          param[CAIRN_MAX_PARAMS];
    cairn_body_node      body;
    const char          *text; ///< As written, from '#' on,
    size_t               text_length;
    const char          *note; ///< The last comment before it, without slashes,
    size_t               note_length;
    cairn_definition    *next;
};

#endif
