// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The canonical print: one line from which the same format is read again. Widths are
/// printed all-level ones first, then level by level, ptr before idx; packs ascending,
/// then partition.

#include "base/text.h"
#include "format/language.h"

#include <inttypes.h>
#include <math.h>

static const char *const func_names[]     = {"sum", "enum", "reorder", "schedule"};
static const char *const relation_names[] = {"eq", "ne", "gt", "ge", "lt", "le"};

/// Binding strength; brackets are printed where a weaker expression stands in a stronger.
enum { SUM = 1, PRODUCT, UNARY, PRIMARY };

static int strength(const cairn_expr *e)
{
    switch (e->op) {
    case CAIRN_EXPR_CONST: return e->value < 0 ? UNARY : PRIMARY;
    case CAIRN_EXPR_NEG: return UNARY;
    case CAIRN_EXPR_ADD:
    case CAIRN_EXPR_SUB: return SUM;
    case CAIRN_EXPR_MUL:
    case CAIRN_EXPR_DIV:
    case CAIRN_EXPR_MOD: return PRODUCT;
    default: return PRIMARY;
    }
}

static void
add_expr(cairn_text *text, const cairn_expr *e, const cairn_query *queries, int least);

static void add_list(cairn_text              *text,
                     const cairn_expr *const *list,
                     int                      count,
                     const cairn_query       *queries)
{
    cairn_text_add(text, "(");
    for (int k = 0; k < count; k++) {
        if (k > 0) cairn_text_add(text, ",");
        add_expr(text, list[k], queries, SUM);
    }
    cairn_text_add(text, ")");
}

/// All operators are left-associative: the right operand must bind more strongly.
static void add_binary(cairn_text        *text,
                       const cairn_expr  *e,
                       const cairn_query *queries,
                       const char        *mark)
{
    add_expr(text, e->a, queries, strength(e));
    cairn_text_add(text, "%s", mark);
    add_expr(text, e->b, queries, strength(e) + 1);
}

static void add_bare(cairn_text *text, const cairn_expr *e, const cairn_query *queries)
{
    switch (e->op) {
    case CAIRN_EXPR_CONST: cairn_text_add(text, "%" PRId64, e->value); break;
    case CAIRN_EXPR_DIM: cairn_text_add(text, "d%" PRId64, e->value); break;
    case CAIRN_EXPR_QUERY: cairn_text_add(text, "%s", queries[e->value].name); break;
    case CAIRN_EXPR_INDIRECT:
        cairn_text_add(text, "indirect");
        add_list(text, e->arg, e->args, queries);
        break;
    case CAIRN_EXPR_NEG:
        cairn_text_add(text, "-");
        add_expr(text, e->a, queries, UNARY);
        break;
    case CAIRN_EXPR_ADD: add_binary(text, e, queries, "+"); break;
    case CAIRN_EXPR_SUB: add_binary(text, e, queries, "-"); break;
    case CAIRN_EXPR_MUL: add_binary(text, e, queries, "*"); break;
    case CAIRN_EXPR_DIV: add_binary(text, e, queries, "/"); break;
    case CAIRN_EXPR_MOD: add_binary(text, e, queries, "%"); break;
    case CAIRN_EXPR_RANKS: cairn_text_add(text, "ranks"); break;
    }
}

static void
add_expr(cairn_text *text, const cairn_expr *e, const cairn_query *queries, int least)
{
    const bool brackets = strength(e) < least;

    if (brackets) cairn_text_add(text, "(");
    add_bare(text, e, queries);
    if (brackets) cairn_text_add(text, ")");
}

static void add_map(cairn_text *text, const cairn_map *map, const cairn_query *queries)
{
    cairn_text_add(text, "(");
    for (int k = 0; k < map->order; k++)
        cairn_text_add(text, k ? ",d%d" : "d%d", k);
    cairn_text_add(text, ")->");
    add_list(text, map->expr, map->count, queries);
}

static void add_start(cairn_text *text, const cairn_start *start)
{
    switch (start->kind) {
    case CAIRN_START_CONST: cairn_text_add(text, " -> %" PRId64, start->value); break;
    case CAIRN_START_QUERY: cairn_text_add(text, " -> %s", start->text); break;
    case CAIRN_START_NONE: cairn_text_add(text, " -> none"); break;
    }
}

static void add_with(cairn_text *text, const cairn_query *q)
{
    cairn_text_add(text, " with ");
    for (int k = 0; k < q->cases; k++) {
        const cairn_case *c = &q->when[k];

        cairn_text_add(text, "%s %s %" PRId64, c->text, relation_names[c->relation],
                       c->constant);
        add_start(text, &c->start);
        cairn_text_add(text, " | ");
    }
    cairn_text_add(text, "otherwise");
    add_start(text, &q->otherwise);
}

static void add_clause_map(cairn_text        *text,
                           const char        *word,
                           const cairn_map   *map,
                           const cairn_query *queries)
{
    cairn_text_add(text, " %s ", word);
    add_map(text, map, queries);
}

static void
add_query(cairn_text *text, const cairn_query *q, const cairn_query *queries)
{
    if (q->name) cairn_text_add(text, "%s = ", q->name);
    cairn_text_add(text, "%s(%s)", func_names[q->func], q->arg_text);
    if (q->group_by.count > 0) add_clause_map(text, "groupBy", &q->group_by, queries);
    if (q->traverse_by) add_clause_map(text, "traverseBy", q->traverse_by, queries);
    if (q->has_with) add_with(text, q);
    if (q->buckets > 0 && !q->shorthand)
        cairn_text_add(text, " buckets %" PRId64, q->buckets);
    if (q->distance > 0) cairn_text_add(text, " distance %" PRId64, q->distance);
    if (q->distance_by) add_clause_map(text, "by", q->distance_by, queries);
    if (q->descend) cairn_text_add(text, " descend");
}

/// Separator before the next item of a list.
static void add_comma(cairn_text *text, bool *first)
{
    if (!*first) cairn_text_add(text, ", ");
    *first = false;
}

static void add_mutation(cairn_text *text, const cairn_encoding *e)
{
    const char *comma = "";

    if (!e->merged && !e->trimmed) return;
    cairn_text_add(text, ", mutation<");
    if (e->merged) cairn_text_add(text, "merge(");
    for (int level = 0; level < e->map.count; level++) {
        if (!(e->merged & 1u << level)) continue;
        cairn_text_add(text, "%s%d", comma, level);
        comma = ",";
    }
    if (e->merged) cairn_text_add(text, e->trimmed ? "), " : ")");
    if (e->trimmed) cairn_text_add(text, "trim(%d,%d)", e->trim_first, e->trim_last);
    cairn_text_add(text, ">");
}

static void add_queries(cairn_text *text, const cairn_encoding *e)
{
    if (e->queries == 0) return;
    cairn_text_add(text, ", indirect<{ ");
    for (int q = 0; q < e->queries; q++) {
        if (q > 0) cairn_text_add(text, "; ");
        add_query(text, &e->query[q], e->query);
    }
    cairn_text_add(text, " }>");
}

static void add_layout(cairn_text *text, const cairn_encoding *e)
{
    bool first = true;

    static const char *const types[] = {
#define X(id, name, kind, bits) name,
        CAIRN_VAL_TYPE_MAP(X)
#undef X
    };

    if (e->packs == 0 && e->partition < 0 && !e->val) return;
    cairn_text_add(text, ", layout<");
    for (int k = 0; k < e->packs; k++) {
        add_comma(text, &first);
        cairn_text_add(text, "pack(%d,%d%s)", e->pack[k].first, e->pack[k].last,
                       e->pack[k].novalue ? ",novalue" : "");
    }
    if (e->partition >= 0) {
        add_comma(text, &first);
        cairn_text_add(text, "partition(%d)", e->partition);
    }
    if (e->val) {
        add_comma(text, &first);
        cairn_text_add(text, "val(%s)", types[e->val]);
    }
    cairn_text_add(text, ">");
}

/// One width; @p level < 0 is all levels.
static void
add_width(cairn_text *text, const char *array, int level, int bits, bool *first)
{
    if (bits == 0) return;
    cairn_text_add(text, "%s%s", *first ? ", bits<" : ", ", array);
    if (level >= 0) cairn_text_add(text, "(%d)", level);
    cairn_text_add(text, " = %d", bits);
    *first = false;
}

static void add_bits(cairn_text *text, const cairn_encoding *e)
{
    bool first = true;

    add_width(text, "ptr", -1, e->all_bits.ptr, &first);
    add_width(text, "idx", -1, e->all_bits.idx, &first);
    for (int level = 0; level < e->map.count; level++) {
        add_width(text, "ptr", level, e->bits[level].ptr, &first);
        add_width(text, "idx", level, e->bits[level].idx, &first);
    }
    if (!first) cairn_text_add(text, ">");
}

static void add_encoding(cairn_text *text, const cairn_encoding *e)
{
    cairn_text_add(text, "#encoding<{ idx_map<");
    add_map(text, &e->map, e->query);
    cairn_text_add(text, ">");
    add_mutation(text, e);
    add_queries(text, e);
    add_layout(text, e);
    add_bits(text, e);
    cairn_text_add(text, " }>");
}

/// A whole number beyond 64 bits is a decimal in the language: it has its `.0`.
static void add_numbers(cairn_text *text, const double *number, int count)
{
    const double beyond = 9223372036854775808.0;
    char         decimal[400];

    cairn_text_add(text, "[");
    for (int k = 0; k < count; k++) {
        cairn_print_decimal(decimal, number[k]);
        cairn_text_add(text, "%s%s%s", k ? ", " : "", decimal,
                       fabs(number[k]) >= beyond ? ".0" : "");
    }
    cairn_text_add(text, "]");
}

static bool keeps_all(const cairn_format *f)
{
    for (int k = 0; k < f->members - 1; k++)
        if (f->keep[k] != 1) return false;
    return true;
}

static void add_rule(cairn_text *text, const cairn_format *f)
{
    static const char *const modes[] = {"", "absolute ", "maximum "};

    if (f->query) {
        cairn_text_add(text, ", query = ");
        add_query(text, f->query, f->query);
    }
    if (f->members > 1) {
        cairn_text_add(text, ", %sthresholds = ", modes[f->mode]);
        add_numbers(text, f->threshold, f->members - 1);
    }
    if (keeps_all(f)) return;
    cairn_text_add(text, ", keep = ");
    add_numbers(text, f->keep, f->members - 1);
}

static void add_distribution(cairn_text *text, const cairn_distribution *d)
{
    static const char *const words[] = {"",      "rows",    "nnz", "cost",
                                        "graph", "blocks<", "("};

    cairn_text_add(text, "%s", words[d->kind]);
    if (!d->a) return;
    add_expr(text, d->a, NULL, SUM);
    if (d->b) {
        cairn_text_add(text, ",");
        add_expr(text, d->b, NULL, SUM);
    }
    cairn_text_add(text, d->b ? ">" : ")");
}

/// " @ nnz", where something was said.
static void add_said(cairn_text *text, const cairn_distribution *d)
{
    if (d->kind == CAIRN_DISTRIBUTION_UNSAID) return;
    cairn_text_add(text, " @ ");
    add_distribution(text, d);
}

static void add_hybrid(cairn_text *text, const cairn_format *f)
{
    cairn_text_add(text, "#hybrid<{ fmats = [");
    for (int k = 0; k < f->members; k++) {
        if (k > 0) cairn_text_add(text, ", ");
        add_encoding(text, f->member[k]);
        add_said(text, &f->member_distribution[k]);
    }
    cairn_text_add(text, "]");
    add_rule(text, f);
    cairn_text_add(text, " }>");
}

cairn_status cairn_format_print(cairn_env *env, const cairn_format *format, char **text)
{
    cairn_text out;

    cairn_text_init(&out, env);
    if (format->hybrid)
        add_hybrid(&out, format);
    else
        add_encoding(&out, format->member[0]);
    add_said(&out, &format->distribution);
    return cairn_text_take(&out, text);
}

cairn_status cairn_distribution_print(cairn_env                *env,
                                      const cairn_distribution *distribution,
                                      char                    **text)
{
    cairn_text out;

    cairn_text_init(&out, env);
    add_distribution(&out, distribution);
    return cairn_text_take(&out, text);
}

cairn_status
cairn_encoding_print(cairn_env *env, const cairn_encoding *encoding, char **text)
{
    cairn_text out;

    cairn_text_init(&out, env);
    add_encoding(&out, encoding);
    return cairn_text_take(&out, text);
}

cairn_status cairn_query_print(cairn_env         *env,
                               const cairn_query *query,
                               const cairn_query *queries,
                               char             **text)
{
    cairn_text out;

    cairn_text_init(&out, env);
    add_query(&out, query, queries);
    return cairn_text_take(&out, text);
}

cairn_status cairn_expr_print(cairn_env         *env,
                              const cairn_expr  *expr,
                              const cairn_query *queries,
                              char             **text)
{
    cairn_text out;

    cairn_text_init(&out, env);
    add_expr(&out, expr, queries, SUM);
    return cairn_text_take(&out, text);
}
