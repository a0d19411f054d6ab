// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Executing a path, rule by rule. Between two rules that all ranks run together a rank
/// may fail by itself; it then skips the rules of its own until they meet.

#include "convert/build_steps.h"
#include "convert/compiled.h"
#include "convert/members/assign_members.h"
#include "convert/numbers/compiled_blocks.h"
#include "convert/numbers/compiled_numbers.h"
#include "groups/decompose.h"
#include "tensor/walk.h"

#include <inttypes.h>

typedef struct {
    cairn_env          *env;
    const cairn_build  *build;
    const cairn_path   *path;
    cairn_member_build *m;
    cairn_table  part[CAIRN_MAX_MEMBERS]; ///< Those of a hybrid source's members.
    bool         assigned;                ///< The entries are in the members' tables.
    bool         lies;     ///< Several ranks: they may be assigned where they lie.
    bool         compiled; ///< Rules on maps are left out: entries stay coordinates.
    int          member;   ///< Of the rules that are running.
    cairn_table *table;    ///< What they work on.
} runner;

static cairn_status meet(const runner *r, cairn_status mine)
{
    const cairn_query_net *net = r->build->net;

    return net ? net->agree(net->user, mine) : mine;
}

/// Do several ranks look at the entries together?
static bool is_spread(const runner *r)
{
    return r->build->net && r->build->net->size > 1;
}

/// Where the entries are before the format's own members have them.
static cairn_table *common_table(runner *r)
{
    return r->build->format->hybrid ? &r->m[0].source.all : &r->m[0].table;
}

/// The entries of a tensor, as coordinates in order.
static cairn_status read_coordinates(runner *r)
{
    const cairn_build *build  = r->build;
    cairn_status       status = cairn_compiled_read(r->env, build, r->table);
    cairn_entries      read;

    if (status != CAIRN_NO_KERNEL || !cairn_compiled_may_fall_back(r->env))
        return status;
    cairn_entries_init(&read, build->shape.order);
    status = cairn_local_entries(build->from, &read);
    if (status == CAIRN_OK) status = cairn_entries_sort(r->env, &read);
    if (status == CAIRN_OK) cairn_table_take(r->table, &read);
    cairn_entries_fini(r->env, &read);
    return status;
}

/// Count what a member's numbers need; false: its queries have to be run after all, or it
/// needs coordinates. Collective; @p status: of this rank so far.
static cairn_status
count_numbers(const runner *r, int member, cairn_status status, bool *counted)
{
    cairn_member_build *m      = &r->m[member];
    const cairn_origin  origin = {.from    = m->source.direct ? r->build->from : NULL,
                                  .entries = &m->source.entries,
                                  .filter  = m->source.filter,
                                  .box     = r->build->box};

    return cairn_numbers_count(m, r->build, &origin, status, counted);
}

/// A byte for each entry says which member it is of.
static void filter_members(runner *r, const cairn_origin *origin)
{
    r->assigned = true;
    for (int k = 0; k < r->build->format->members; k++) {
        r->m[k].source.filter =
            cairn_members_filter(r->build, origin, r->m[0].source.member_of, k);
        r->m[k].source.filter.groups = r->m[0].source.groups;
    }
}

/// By way of coordinates after all.
static void forget_assignment(runner *r)
{
    for (int k = 0; k < r->build->format->members; k++) {
        r->m[k].source.filter = (cairn_filter){.member = NULL};
        r->m[k].source.direct = false;
        cairn_numbers_forget(&r->m[k]);
    }
    cairn_assign_forget(&r->m[0]);
    r->assigned = false;
}

/// Does no member need coordinates of the tensor to start from?
static cairn_status needs_none(const runner *r, bool *direct)
{
    *direct = true;
    for (int k = 0; k < r->build->format->members && *direct; k++)
        CAIRN_TRY(cairn_numbers_direct(&r->m[k], r->build, direct));
    return CAIRN_OK;
}

/// Assign the entries of a tensor where they lie, which no member needs as coordinates,
/// if that can be compiled. Collective.
static cairn_status assign_direct(runner *r)
{
    const cairn_build *build  = r->build;
    const cairn_origin origin = {.from = build->from, .box = build->box};
    bool               direct = true;
    const cairn_status status = cairn_assign_members(&r->m[0], build, &origin);

    if (status == CAIRN_NO_KERNEL) return CAIRN_OK;
    CAIRN_TRY(status);
    filter_members(r, &origin);
    for (int k = 0; k < build->format->members; k++)
        r->m[k].source.direct = true;
    for (int k = 0; k < build->format->members && direct; k++)
        CAIRN_TRY(count_numbers(r, k, CAIRN_OK, &direct));
    if (!direct) forget_assignment(r);
    return CAIRN_OK;
}

/// Start from the levels of a tensor, if the member's queries allow. What several ranks
/// count is counted when all have come to the member's queries.
static cairn_status start_direct(runner *r)
{
    cairn_member_build *m = &r->m[0];
    bool                counted;

    CAIRN_TRY(cairn_numbers_direct(m, r->build, &m->source.direct));
    if (!m->source.direct || is_spread(r)) return CAIRN_OK;
    CAIRN_TRY(count_numbers(r, 0, CAIRN_OK, &counted));
    if (counted) return CAIRN_OK;
    m->source.direct = false;
    return CAIRN_OK;
}

/// What the compiled way starts from: coordinates, where queries or thresholds have to
/// look at them or members meet; else the levels as they are.
static cairn_status load_compiled(runner *r)
{
    const cairn_build *build = r->build;

    if (!build->from) {
        cairn_table_from_entries(build->entries, r->table);
        return CAIRN_OK;
    }
    if (!build->from->format->hybrid && !build->format->hybrid)
        CAIRN_TRY(start_direct(r));
    if (!build->from->format->hybrid && build->format->hybrid) {
        CAIRN_TRY(needs_none(r, &r->lies));
        if (r->lies && is_spread(r)) return CAIRN_OK; /* where all ranks assign */
        if (r->lies) CAIRN_TRY(assign_direct(r));
    }
    return r->m[0].source.direct ? CAIRN_OK : read_coordinates(r);
}

static cairn_status load(runner *r)
{
    const cairn_build *build = r->build;

    r->table = common_table(r);
    if (r->compiled) return load_compiled(r);
    if (!build->from) {
        cairn_table_from_entries(build->entries, r->table);
        return CAIRN_OK;
    }
    if (build->from->format->hybrid) return CAIRN_OK;
    return cairn_table_from_tensor(build->from, 0, r->table);
}

/* ---- rules on members ---- */

static cairn_status start_member(runner *r, int member)
{
    if (r->compiled && !r->assigned) return CAIRN_OK;
    r->member = member;
    r->table  = r->assigned ? &r->m[member].table : &r->part[member];
    if (r->assigned) return CAIRN_OK;
    return cairn_table_from_tensor(r->build->from, member, r->table);
}

static cairn_status compose(runner *r)
{
    r->table  = common_table(r);
    r->member = 0;
    if (r->compiled) return CAIRN_OK;
    for (int k = 0; k < r->build->from->groups; k++) {
        CAIRN_TRY(cairn_table_join(r->table, &r->part[k]));
        cairn_table_fini(&r->part[k]);
    }
    return CAIRN_OK;
}

/// Copy each member's own rows.
static cairn_status assign(runner *r)
{
    for (int k = 0; k < r->build->format->members; k++)
        CAIRN_TRY(cairn_table_select(&r->m[0].source.all, r->m[0].source.member_of, k,
                                     &r->m[k].table));
    cairn_table_fini(&r->m[0].source.all);
    cairn_free(r->env, r->m[0].source.member_of);
    r->m[0].source.member_of = NULL;
    r->assigned              = true;
    return CAIRN_OK;
}

/// Compiled: members without queries leave the entries of the others out; only those
/// that have some get rows of their own, to look at.
static cairn_status assign_compiled(runner *r)
{
    const cairn_entries entries = cairn_table_entries(&r->m[0].source.all);
    const cairn_origin  origin  = {.entries = &entries, .box = r->build->box};

    cairn_status status = CAIRN_OK;

    filter_members(r, &origin);
    for (int k = 0; k < r->build->format->members; k++) {
        cairn_member_build *m = &r->m[k];
        bool                counted;

        m->source.entries = entries;
        status            = count_numbers(r, k, status, &counted);
        if (status == CAIRN_OK && !counted) cairn_numbers_drop(m);
        if (status == CAIRN_OK && m->encoding->queries > 0 && !cairn_numbers_known(m))
            status = cairn_build_read(r->m, k, r->build);
    }
    return status;
}

/// The passes of an assignment that looks at entries one by one.
static cairn_status note_interpreted(cairn_pass_list *passes)
{
    cairn_pass pass = {.method      = CAIRN_METHOD_ASSIGN,
                       .what        = CAIRN_PASS_COUNT,
                       .member      = -1,
                       .index       = passes->indices++,
                       .interpreted = true};

    CAIRN_TRY(cairn_pass_list_add(passes, &pass));
    pass.what = CAIRN_PASS_ASSIGN;
    return cairn_pass_list_add(passes, &pass);
}

/// Each entry is of the member whose rows its own is among.
static cairn_status find_members_by_rows(runner *r, const cairn_entries *entries)
{
    const cairn_coord *first = r->build->ranks.member_rows;

    CAIRN_TRY(CAIRN_NEW(r->env, entries->n, &r->m[0].source.member_of));
    for (cairn_pos k = 0; k < entries->n; k++) {
        int m = 0;

        while (entries->coord[0][k] >= first[m + 1])
            m++;
        r->m[0].source.member_of[k] = (uint8_t)m;
    }
    return r->compiled ? note_interpreted(&r->m[0].passes) : CAIRN_OK;
}

/// Which member every entry goes to, by functions or one by one.
static cairn_status find_members(runner *r)
{
    const cairn_build  *build   = r->build;
    const cairn_entries entries = cairn_table_entries(&r->m[0].source.all);
    const cairn_origin  origin  = {.entries = &entries, .box = build->box};

    if (build->ranks.member_rows) return meet(r, find_members_by_rows(r, &entries));
    if (r->compiled) {
        const cairn_status status = cairn_assign_members(&r->m[0], build, &origin);

        if (status != CAIRN_NO_KERNEL) return status;
    }
    cairn_status status = cairn_build_interpret(r->env, build, r->compiled, -1, 0);

    if (status == CAIRN_OK && r->compiled) status = note_interpreted(&r->m[0].passes);
    if (build->planned) return status;
    if (status == CAIRN_OK)
        status = CAIRN_NEW(r->env, entries.n, &r->m[0].source.member_of);
    CAIRN_TRY(meet(r, status));
    return cairn_decompose(r->env, build->format, &build->shape, build->box, &entries,
                           !r->compiled, build->net, r->m[0].source.member_of);
}

/// Several ranks assign the entries of a tensor where they lie, or read them.
static cairn_status assign_in_place(runner *r)
{
    bool direct = r->lies;

    if (!r->compiled || !is_spread(r)) return CAIRN_OK;
    CAIRN_TRY(cairn_build_all(r->build, CAIRN_OK, &direct));
    if (direct) CAIRN_TRY(assign_direct(r));
    if (r->assigned) return CAIRN_OK;
    return meet(r, r->lies ? read_coordinates(r) : CAIRN_OK);
}

static cairn_status decompose(runner *r)
{
    CAIRN_TRY(assign_in_place(r));
    if (r->assigned) return CAIRN_OK; /* where they lie */
    CAIRN_TRY(find_members(r));
    return meet(r, r->compiled ? assign_compiled(r) : assign(r));
}

/* ---- queries ---- */

/// The first query of a member: what its queries see stays as it is from here on.
static cairn_status begin_queries(runner *r)
{
    cairn_member_build *m = &r->m[r->member];

    if (m->set) return CAIRN_OK;
    cairn_table_lend(&m->table, &m->source.seen);
    m->source.entries = cairn_table_entries(&m->source.seen);
    return cairn_groups_begin(r->env, m->encoding, &r->build->shape, r->build->box,
                              &m->source.entries, !r->compiled, &m->set);
}

static cairn_status
append_numbers(runner *r, const cairn_rule *rule, const int64_t *number)
{
    const cairn_entries *e = &r->m[r->member].source.entries;

    cairn_visit(r->env, e->n);
    for (cairn_pos row = 0; row < e->n; row++)
        CAIRN_CHECK(number[row] != CAIRN_NO_NUMBER, r->env, CAIRN_BAD_QUERY,
                    "query: %s: the entry at (%" PRId64 ", %" PRId64
                    "%s) has no number",
                    rule->query ? rule->query : "of the map", e->coord[0][row],
                    e->order > 1 ? e->coord[1][row] : 0, e->order > 2 ? ", ..." : "");
    if (r->compiled) return CAIRN_OK;
    return cairn_table_append(r->table, number);
}

/// Coordinates of a tensor whose levels cannot be counted, on all ranks.
static cairn_status count_coordinates(runner *r, bool *counted)
{
    cairn_member_build *m      = &r->m[r->member];
    const cairn_status  status = m->source.direct ? read_coordinates(r) : CAIRN_OK;

    m->source.direct = false;
    CAIRN_TRY(meet(r, status));
    m->source.entries = cairn_table_entries(&m->table);
    return count_numbers(r, r->member, CAIRN_OK, counted);
}

/// Count before the first query what the member's numbers need; where that cannot be done,
/// its queries are run.
static cairn_status count_first(runner *r)
{
    cairn_member_build *m = &r->m[r->member];
    bool                counted;

    if (!m->source.direct) m->source.entries = cairn_table_entries(&m->table);
    CAIRN_TRY(count_numbers(r, r->member, CAIRN_OK, &counted));
    if (!counted && is_spread(r)) CAIRN_TRY(count_coordinates(r, &counted));
    if (!counted) cairn_numbers_drop(m);
    return CAIRN_OK;
}

static cairn_status query(runner *r, const cairn_rule *rule)
{
    cairn_member_build *m = &r->m[r->member];

    if (cairn_numbers_uncounted(m)) CAIRN_TRY(count_first(r));
    if (!(m->rows.interpreted >> rule->a & 1)) return CAIRN_OK;
    cairn_status status =
        cairn_build_interpret(r->env, r->build, r->compiled, r->member, rule->a);

    if (r->build->planned) return CAIRN_OK;
    if (status == CAIRN_OK) status = begin_queries(r);
    CAIRN_TRY(meet(r, status));
    CAIRN_TRY(cairn_groups_step(m->set, rule->a, r->build->net));
    if (!rule->appends) return CAIRN_OK;
    return meet(r, append_numbers(r, rule, cairn_groups_at_entries(m->set, rule->a)));
}

/* ---- one rule after the other ---- */

/// Rules that all ranks run together.
static bool is_collective(const cairn_rule *rule)
{
    switch (rule->kind) {
    case CAIRN_RULE_SUM:
    case CAIRN_RULE_ENUMERATE:
    case CAIRN_RULE_REORDER:
    case CAIRN_RULE_SCHEDULE:
    case CAIRN_RULE_DECOMPOSE: return true;
    default: return false;
    }
}

static cairn_status run_rule(runner *r, const cairn_rule *rule)
{
    switch (rule->kind) {
    case CAIRN_RULE_MEMBER: return start_member(r, rule->a);
    case CAIRN_RULE_COMPOSE: return compose(r);
    case CAIRN_RULE_DECOMPOSE: return decompose(r);
    case CAIRN_RULE_SUM:
    case CAIRN_RULE_ENUMERATE:
    case CAIRN_RULE_REORDER:
    case CAIRN_RULE_SCHEDULE: return query(r, rule);
    default: return r->compiled ? CAIRN_OK : cairn_table_run(r->table, rule);
    }
}

/// Members without queries: their coordinates are where the compiled way starts.
static void show_entries(const runner *r)
{
    for (int k = 0; k < r->build->format->members && r->compiled; k++)
        if (!r->m[k].set && !r->m[k].source.filter.member)
            r->m[k].source.entries = cairn_table_entries(&r->m[k].table);
}

static cairn_status run_all(runner *r)
{
    cairn_status status = load(r);

    for (int k = 0; k < r->path->rules; k++) {
        const cairn_rule *rule = &r->path->rule[k];

        if (is_collective(rule)) {
            CAIRN_TRY(meet(r, status));
            CAIRN_TRY(run_rule(r, rule));
        } else if (status == CAIRN_OK) {
            status = run_rule(r, rule);
        }
        cairn_progress(r->env, "convert", (double)(k + 1) / (r->path->rules + 1));
    }
    show_entries(r);
    return meet(r, status);
}

cairn_status cairn_path_run(cairn_env          *env,
                            const cairn_build  *build,
                            const cairn_path   *path,
                            bool                compiled,
                            cairn_member_build *members)
{
    runner r = {
        .env = env, .build = build, .path = path, .m = members, .compiled = compiled};
    const int parts = build->from ? build->from->groups : 0;

    for (int k = 0; k < parts; k++)
        cairn_table_init(env, &r.part[k]);

    const cairn_status status = run_all(&r);

    for (int k = 0; k < parts; k++)
        cairn_table_fini(&r.part[k]);
    return status;
}
