// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Why a format stores what it stores, in sentences. All of them follow from the layout:
/// kinds, trim, merges, packs, queries; no format is known by its name.

#include "cli/format/format_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// One member while it is explained.
typedef struct {
    const cli_format_view    *view;
    const cairn_storage_info *storage;
    const cairn_level_info   *level;
    int                       member, order, levels;
    cli_paragraph             out;
} subject;

#define SAY(...) cli_paragraph_say(&s->out, __VA_ARGS__)

/// Begin a paragraph; its first word is the label.
static void begin(subject *s)
{
    printf("  ");
    cli_paragraph_begin(&s->out, 2, 11);
}

/// What dimension @p k counts; those of other orders have no names.
static const char *dimension(const subject *s, int k)
{
    return s->order != 2 ? "index" : k == 0 ? "row" : "column";
}

/// The operator of "d0/3" or "d0%3", '=' for "d0", 0 for anything else.
static char split(const char *expr, int *k, int64_t *c)
{
    char *end;

    if (expr[0] != 'd') return 0;
    *k = (int)strtol(expr + 1, &end, 10);
    if (end == expr + 1) return 0;
    if (!*end) return '=';
    const char op = *end;

    if (op != '/' && op != '%') return 0;
    *c = strtoll(end + 1, &end, 10);
    return *end ? 0 : op;
}

/// What the index at a level is, where that has a word.
static void say_meaning(subject *s, const cairn_level_info *info)
{
    const char *expr = info->expr;
    int64_t     c    = 0;
    int         k    = 0;
    const char  op   = split(expr, &k, &c);

    if (info->query >= 0)
        SAY("a number that query %d gives. ", info->query);
    else if (op == '=')
        SAY("the %s%s. ", dimension(s, k), s->order != 2 ? " itself" : "");
    else if (op == '/')
        SAY("the group of %" PRId64 " %s. ", c,
            s->order != 2 ? "indices"
            : k == 0      ? "rows"
                          : "columns");
    else if (op == '%')
        SAY("the %s modulo %" PRId64 ". ", dimension(s, k), c);
    else if (strcmp(expr, "d1-d0") == 0 || strcmp(expr, "d0-d1") == 0)
        SAY("the diagonal. ");
    else if (strcmp(expr, "d0+d1") == 0 || strcmp(expr, "d1+d0") == 0)
        SAY("the antidiagonal. ");
}

/// "levels 0, 2 and 3" of a mask.
static void say_levels(subject *s, uint32_t mask)
{
    int left = __builtin_popcount(mask);

    SAY(left == 1 ? "level " : "levels ");
    for (int l = 0; l < s->levels; l++) {
        if (!(mask >> l & 1)) continue;
        SAY("%d%s", l, --left > 1 ? ", " : left == 1 ? " and " : "");
    }
}

/// The path down to level @p l: "e0", "(e0,e1)".
static void say_path(subject *s, int l)
{
    if (l > 0) SAY("(");
    for (int k = 0; k <= l; k++)
        SAY(k ? ",e%d" : "e%d", k);
    if (l > 0) SAY(")");
}

/// Complete levels below the trim that the values run over.
static uint32_t free_below(const subject *s)
{
    uint32_t mask = 0;

    for (int l = s->storage->trim_last + 1; l < s->levels; l++)
        if (!s->level[l].determined && l > s->storage->partition) mask |= 1U << l;
    return mask;
}

static void say_trim(subject *s)
{
    SAY("trim(%d,%d)", s->storage->trim_first, s->storage->trim_last);
}

/// "all 3 indices", "all indices" where their number is not known.
static void say_all(subject *s, const cairn_level_info *info)
{
    if (s->view->tensor && info->sized)
        SAY("all %" PRId64 " indices", info->extent);
    else
        SAY("all indices");
}

static void say_complete(subject *s, int l)
{
    if (l <= s->storage->partition) {
        SAY("Partition: each index is a bank with arrays of its own.");
        return;
    }
    SAY("Dense: ");
    if (s->storage->trim_last < 0) {
        SAY("without a trim ");
        say_all(s, &s->level[l]);
        SAY(" exist, entry or not;");
    } else if (l < s->storage->trim_first) {
        SAY("above ");
        say_trim(s);
        SAY(" ");
        say_all(s, &s->level[l]);
        SAY(" exist, with entries or not;");
    } else {
        SAY("below ");
        say_trim(s);
        SAY(" ");
        say_all(s, &s->level[l]);
        SAY(" exist under every node, entry or not;");
    }
    SAY(" positions by arithmetic, nothing stored.");
}

/// A level below the trim that is found rather than free.
static void say_determined(subject *s, int l)
{
    const cairn_level_info *info = &s->level[l];
    const uint32_t          by   = info->by;

    SAY("Singleton: ");
    if (info->per_node)
        SAY("the levels above tell");
    else
        say_levels(s, by);
    if (!info->per_node) SAY(__builtin_popcount(by) == 1 ? " tells" : " tell");
    SAY(" which it is. idx%d keeps the answer, one for ", l);
    if (info->per_node) SAY("each node of level %d", s->storage->trim_last);
    if (info->per_node && by) SAY(" and ");
    if (by) SAY("each index of ");
    if (by) say_levels(s, by);
    SAY("; where nothing stands there it is a hole, one past the range, and the value "
        "0.");
}

/// What is kept of a trimmed level, and how many nodes that makes.
static void say_nodes(subject *s, int l)
{
    const cairn_level_info *info = &s->level[l];

    SAY("%c%s: ", info->kind[0] - 'a' + 'A', info->kind + 1);
    say_trim(s);
    SAY(" covers it; ");
    if (info->depth == l) {
        SAY("a node for each ");
        say_path(s, l);
        SAY(" with an entry. ");
    } else {
        SAY("not merged, it has as many nodes as level %d. ", info->depth);
    }
}

static void say_ptr(subject *s, int l)
{
    const int up = l - 1;

    if (s->level[l].has_ptr) {
        SAY("ptr%d, because level %d above is merged, one node for each ", l, up);
        say_path(s, up);
        SAY(": under its node p are nodes ptr%d[p] to ptr%d[p+1]-1.", l, l);
    } else if (up == s->storage->partition) {
        SAY("No ptr: the topmost level of a %s would have [0, nodes].",
            s->storage->partition < 0 ? "tree" : "bank's tree");
    } else {
        SAY("No ptr, because level %d is not merged: each of its nodes has one child.",
            up);
    }
}

/// A level inside the trim whose nodes stand in the tuples of pack @p k, or own lists.
static void say_packed(subject *s, int l, int k)
{
    const int first = s->storage->pack[k].first;

    SAY("Its index is a field of tuples%d", first);
    if (s->storage->pack[k].lists)
        SAY(", of which each node of level %d has a list", first);
    SAY(". ");
    if (l == first) say_ptr(s, l);
}

static void say_trimmed(subject *s, int l)
{
    const cairn_level_info *info = &s->level[l];
    const int               pack = cli_format_pack_of(s->view, s->member, l);

    say_nodes(s, l);
    if (pack >= 0 && info->has_idx) {
        say_packed(s, l, pack);
        return;
    }
    if (info->has_idx)
        SAY("idx%d holds their indices. ", l);
    else
        SAY("No idx: a node's place is its number. ");
    if (info->gaps) SAY("Numbers that nothing has keep their places, as holes. ");
    say_ptr(s, l);
}

static void explain_level(subject *s, int l)
{
    const cairn_level_info *info = &s->level[l];

    begin(s);
    SAY("level %d: ", l);
    cli_paragraph_text(&s->out, info->expr);
    SAY(", ");
    say_meaning(s, info);
    if (info->determined)
        say_determined(s, l);
    else if (info->trimmed)
        say_trimmed(s, l);
    else
        say_complete(s, l);
    cli_paragraph_end(&s->out);
}

/// Number of the pack that holds the values; -1: they are an array.
static int pack_of_values(const subject *s)
{
    for (int k = 0; k < s->storage->packs; k++)
        if (s->storage->pack[k].values) return k;
    return -1;
}

static bool has_holes(const subject *s)
{
    for (int l = 0; l < s->levels; l++)
        if (s->level[l].determined || s->level[l].gaps) return true;
    return false;
}

static void explain_values(subject *s)
{
    const uint32_t below = free_below(s);
    const int      last = s->storage->trim_last, pack = pack_of_values(s);

    begin(s);
    SAY("values:  ");
    SAY(below && last < 0 ? "one for each index of " : "one for ");
    if (last >= 0) SAY("each node of level %d", last);
    if (below && last >= 0) SAY(" and each index of ");
    if (below) say_levels(s, below);
    if (!below && last < 0) SAY("each bank");
    if (pack >= 0) SAY(", the last field of tuples%d", s->storage->pack[pack].first);
    SAY(". ");
    if (s->storage->pads)
        SAY("Positions without an entry hold 0: padding.");
    else if (has_holes(s))
        SAY("At holes they are 0: padding, which is skipped.");
    else
        SAY("Every value is an entry's: no padding.");
    cli_paragraph_end(&s->out);
}

/// A plain "eL" never leaves the tensor; a combination can.
static bool is_plain(const char *text)
{
    return text[0] == 'e' && strspn(text + 1, "0123456789") == strlen(text + 1);
}

static cairn_status explain_inverse(subject *s)
{
    bool  overhang = false;
    char *text;

    begin(s);
    SAY("back:    ");
    for (int k = 0; k < s->order; k++) {
        CLI_TRY(cairn_format_inverse(s->view->format, s->member, k, &text));
        SAY("d%d = ", k);
        cli_paragraph_text(&s->out, text);
        SAY("%s", k + 1 < s->order ? ", " : "");
        overhang |= !is_plain(text);
        cairn_text_free(s->view->job->context, &text);
    }
    SAY(", eL being the index at level L.");
    if (overhang && s->storage->pads)
        SAY(" Positions for which that lies outside the tensor are overhang: they hold "
            "0, and nothing reads x there.");
    cli_paragraph_end(&s->out);
    return CAIRN_OK;
}

/// What a query does, by the word it begins with.
static const char *function_of(const char *text)
{
    static const char *const words[][2] = {
        {"sum(",      "adds up, for each group"                    },
        {"enum(",     "numbers the elements of each group"         },
        {"reorder(",  "sorts groups by their number; gives places" },
        {"schedule(", "hands groups to buckets, the emptiest first"},
    };

    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (strstr(text, words[k][0])) return words[k][1];
    return "";
}

static cairn_status explain_query(subject *s, int member, int q)
{
    char *text;

    CLI_TRY(cairn_format_query(s->view->format, member, q, &text));
    begin(s);
    if (member < 0)
        SAY("rule: ");
    else
        SAY("query %d: ", q);
    SAY("%s: ", function_of(text));
    cli_paragraph_text(&s->out, text);
    cli_paragraph_end(&s->out);
    cairn_text_free(s->view->job->context, &text);
    return CAIRN_OK;
}

/// Which entries a hybrid's member gets.
static void explain_rule(subject *s)
{
    const cairn_storage_info *storage = s->storage;

    begin(s);
    SAY("entries: ");
    if (!storage->mode)
        SAY("all that no member before takes.");
    else if (strcmp(storage->mode, "absolute") == 0)
        SAY("of groups whose number is above %g.", storage->threshold);
    else if (strcmp(storage->mode, "maximum") == 0)
        SAY("of groups whose number is above %g of the largest.", storage->threshold);
    else
        SAY("of groups with entries at more than %g of their positions.",
            storage->threshold);
    if (storage->keep < 1)
        SAY(" Only %g of its slots are kept; entries beyond go on.", storage->keep);
    cli_paragraph_end(&s->out);
}

cairn_status cli_format_explain(const cli_format_view *view, int member)
{
    subject s = {.view    = view,
                 .storage = &view->storage[member],
                 .member  = member,
                 .order   = cairn_format_order(view->format)};

    s.levels = cli_format_view_levels(view, member, &s.level);
    if (cairn_format_members(view->format) > 1) explain_rule(&s);
    for (int l = 0; l < s.levels; l++)
        explain_level(&s, l);
    explain_values(&s);
    CLI_TRY(explain_inverse(&s));
    for (int q = 0; q < s.storage->queries; q++)
        CLI_TRY(explain_query(&s, member, q));
    return CAIRN_OK;
}
