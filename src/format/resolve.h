// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// From the parse tree to encodings: parameters are bound, names looked up, constants
/// folded, defaults filled in, and everything that the text alone can get wrong is
/// checked.
///
/// Work is bounded: a format may use at most CAIRN_MAX_USES definitions and hold at most
/// CAIRN_MAX_STEPS names, numbers and operators, all definitions together, so that no chain
/// of definitions can grow without limit.

#ifndef CAIRN_FORMAT_RESOLVE_H
#define CAIRN_FORMAT_RESOLVE_H

#include "format/library.h"

#define CAIRN_MAX_USES  1024      ///< Definitions instantiated for one format.
#define CAIRN_MAX_STEPS (1 << 18) ///< Nodes of expressions resolved for one format.

/// What a format's instantiation shares.
typedef struct cairn_resolver {
    cairn_env     *env;
    cairn_arena   *arena;     ///< Of the format.
    cairn_library *catalogue; ///< Parsed when a name is first looked for in it.
    int            uses;      ///< Definitions instantiated so far.
    int            depth;     ///< Of uses inside each other.
    int            steps;     ///< Nodes of expressions resolved so far.
} cairn_resolver;

/// A NUM: an integer, or a decimal that is not one by its spelling.
typedef struct cairn_number {
    bool    whole;
    int64_t integer;
    double  real; ///< Also for an integer.
} cairn_number;

typedef struct cairn_scope cairn_scope;

/// What a body means: one of the three.
typedef struct cairn_meaning {
    const cairn_encoding   *encoding;
    const cairn_format     *hybrid;
    const cairn_query_node *query;        ///< Resolved where it is used,
    const cairn_scope      *scope;        ///< in this scope.
    cairn_distribution      distribution; ///< What was said of it with '@'.
} cairn_meaning;

/// What a parameter is bound to.
typedef struct cairn_binding {
    bool          is_number;
    cairn_number  number;
    cairn_meaning format;
} cairn_binding;

/// Where names are looked up.
struct cairn_scope {
    cairn_resolver         *resolver;
    const cairn_library    *library;    ///< First; NULL: only the catalogue.
    const char             *origin;     ///< Of the text, for messages.
    const cairn_definition *definition; ///< Whose body is resolved; NULL: none.
    const cairn_scope      *user;       ///< The scope that used it.
    cairn_binding           binding[CAIRN_MAX_PARAMS];
};

/// The names that an expression may use besides parameters.
typedef struct cairn_names {
    const cairn_scope      *scope;
    int                     order;
    const char             *dim[CAIRN_MAX_ORDER];
    int                     queries; ///< That may be used: the first so many of
    const cairn_query      *query;
    const cairn_query_node *later; ///< Those that come after them.
    bool ranks; ///< `ranks` is a constant here: their number, bound later.
} cairn_names;

/// Fail at a place of the scope's text.
cairn_status
cairn_fail_in(const cairn_scope *scope, cairn_text_position place, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/// Resolve a body, a member (an encoding or a use of one), a use.
cairn_status cairn_resolve_body(const cairn_scope     *scope,
                                const cairn_body_node *body,
                                cairn_meaning         *meaning);
cairn_status cairn_resolve_use(const cairn_scope    *scope,
                               const cairn_use_node *use,
                               cairn_meaning        *meaning);
cairn_status cairn_resolve_member(const cairn_scope       *scope,
                                  const cairn_member_node *member,
                                  cairn_meaning           *meaning);

cairn_status cairn_resolve_encoding(const cairn_scope         *scope,
                                    const cairn_encoding_node *node,
                                    const cairn_encoding     **encoding);
cairn_status cairn_resolve_hybrid(const cairn_scope       *scope,
                                  const cairn_hybrid_node *node,
                                  const cairn_format     **format);

/// Resolve what is behind an '@', of tensors of @p order dimensions.
cairn_status cairn_resolve_distribution(const cairn_scope             *scope,
                                        const cairn_distribution_node *node,
                                        int                            order,
                                        cairn_distribution            *distribution);

/// The same of a format that may have a distribution already, which is an error.
cairn_status cairn_resolve_distributed(const cairn_scope             *scope,
                                       const cairn_distribution_node *node,
                                       cairn_meaning                 *meaning);

/// Resolve one query.
///
/// @param[in] names  Dimensions of the index map, and the queries before this one.
cairn_status cairn_resolve_query(const cairn_names      *names,
                                 const cairn_query_node *node,
                                 cairn_query            *query);

/// The dimensions of a map's left-hand side, into @p names.
cairn_status cairn_resolve_dims(cairn_names *names, const cairn_map_node *node);

/// The expressions of a map's right-hand side; the dimensions are in @p names.
cairn_status cairn_resolve_exprs(const cairn_names    *names,
                                 const cairn_map_node *node,
                                 cairn_map            *map);

/// One expression.
cairn_status cairn_resolve_expr(const cairn_names *names,
                                const cairn_node  *node,
                                const cairn_expr **expr);

/// CONST
cairn_status
cairn_resolve_const(const cairn_scope *scope, const cairn_node *node, int64_t *value);

/// CONST, within @p lo..@p hi; @p what names it in the message.
cairn_status cairn_resolve_range(const cairn_scope *scope,
                                 const cairn_node  *node,
                                 const char        *what,
                                 int64_t            lo,
                                 int64_t            hi,
                                 int64_t           *value);

/// NUM
cairn_status cairn_resolve_number(const cairn_scope *scope,
                                  const cairn_node  *node,
                                  cairn_number      *number);

/// Number of the parameter called @p name, or -1.
int cairn_scope_param(const cairn_scope *scope, const char *name);

/// Number of the query called @p name among the first @p queries, or -1.
int cairn_query_find(const cairn_query *query, int queries, const char *name);

/// "d0", "d1", ...: what d[n] stands for, and what dimensions are called in prints.
extern const char *const cairn_dim_names[CAIRN_MAX_ORDER];

/// Number of the dimension called @p name, or -1.
int cairn_dim_find(const cairn_names *names, const char *name);

/// True if some node of the list has that name.
bool cairn_query_node_find(const cairn_query_node *list, const char *name);

/// Write the name among @p words (NULL-terminated) nearest to @p name as
/// "; did you mean NAME?", or "".
void cairn_did_you_mean(char out[96], const char *name, const char *const *words);

#endif
