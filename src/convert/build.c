// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Building a tensor: run the path, infer layouts, count, allocate, fill; and again where
/// another way is left.

#include "convert/build.h"

#include "convert/build_steps.h"
#include "convert/card.h"
#include "convert/compiled.h"
#include "convert/given_arrays.h"
#include "convert/intermediates/intermediates.h"
#include "convert/kept.h"
#include "convert/members/assign_members.h"
#include "convert/numbers/compiled_blocks.h"
#include "convert/numbers/compiled_numbers.h"
#include "convert/value_words.h"
#include "tensor/value_storage.h"

#include <assert.h>
#include <string.h>

typedef struct {
    cairn_env          *env;
    const cairn_build  *build;
    int                 members;
    cairn_member_build *m; ///< [members]
    cairn_local        *tensor;
    cairn_path         *path;     ///< That was executed.
    bool                compiled; ///< Members go the compiled way where they can.
    cairn_route         route;
    bool                straight; ///< Not by way of another order;
    cairn_intermediates way;      ///< else this.
} builder;

static cairn_status agree(const builder *b, cairn_status mine)
{
    const cairn_query_net *net = b->build->net;

    return net ? net->agree(net->user, mine) : mine;
}

cairn_status cairn_build_all(const cairn_build *build, cairn_status mine, bool *holds)
{
    enum { YES, NO, FAILED };
    const cairn_query_net *net   = build->net;
    int64_t                worst = mine != CAIRN_OK ? FAILED : *holds ? YES : NO;

    if (!net) return mine;
    CAIRN_TRY(net->max(net->user, &worst));
    if (worst == FAILED) return net->agree(net->user, mine);
    *holds = worst == YES;
    return CAIRN_OK;
}

cairn_status cairn_build_all_compiled(const cairn_build *build, cairn_status mine)
{
    bool compiled = mine != CAIRN_NO_KERNEL;

    CAIRN_TRY(cairn_build_all(build, compiled ? mine : CAIRN_OK, &compiled));
    return compiled ? CAIRN_OK : CAIRN_NO_KERNEL;
}

/// What this rank's queries gave.
static cairn_status create_layout(const builder *b, cairn_member_build *m)
{
    cairn_interval span[CAIRN_MAX_QUERIES] = {{0}};

    assert(!m->layout);
    for (int q = 0; q < m->encoding->queries; q++)
        span[q] = cairn_numbers_span(m, q);
    return cairn_kept_layout(b->env, b->build, m->encoding, span, &m->layout);
}

/// Coordinates of a member whose queries were to be left out.
static cairn_status prepare_queries(const builder *b, cairn_member_build *m)
{
    const int number = (int)(m - b->m);

    for (int q = 0; q < m->encoding->queries; q++)
        if (m->rows.interpreted >> q & 1)
            CAIRN_TRY(cairn_build_interpret(b->env, b->build, b->compiled, number, q));
    return cairn_build_read(b->m, number, b->build);
}

/// The reference way after all, for queries that were to be left out. Collective.
static cairn_status run_queries(const builder *b, cairn_member_build *m)
{
    cairn_compiled_destroy(b->env, &m->compiled);
    cairn_free(b->env, m->bank);
    m->bank = NULL;
    cairn_groups_destroy(b->env, &m->set);
    cairn_numbers_drop(m);
    CAIRN_TRY(agree(b, prepare_queries(b, m)));
    cairn_layout_destroy(b->env, &m->layout);
    CAIRN_TRY(agree(b, cairn_groups_begin(b->env, m->encoding, &b->build->shape,
                                          b->build->box, &m->source.entries,
                                          !b->compiled, &m->set)));
    for (int q = 0; q < m->encoding->queries; q++)
        if (m->rows.interpreted >> q & 1)
            CAIRN_TRY(cairn_groups_step(m->set, q, b->build->net));
    return create_layout(b, m);
}

/// Count nodes of a member that has numbers without having run queries. What cannot be
/// compiled on one rank has its queries run on all. Collective.
static cairn_status
count_numbered(builder *b, cairn_member_build *m, cairn_status status)
{
    if (status == CAIRN_OK) status = cairn_compiled_count(m, b->build, &m->compiled);
    status = cairn_build_all_compiled(b->build, status);
    if (status != CAIRN_NO_KERNEL) return status;
    CAIRN_TRY(run_queries(b, m));
    return cairn_compiled_count(m, b->build, &m->compiled);
}

/// Count the compiled way; what cannot be compiled goes the reference way from its
/// coordinates, unless that is forbidden. A member with numbers is counted by all ranks
/// together, those that have failed before, by @p status, among them.
static cairn_status
count_compiled(builder *b, cairn_member_build *m, cairn_status status)
{
    const int number = (int)(m - b->m);

    const bool only = b->build->bucketed || b->build->duty == CAIRN_BUILD_STRICT
                      || b->build->duty == CAIRN_BUILD_WORDS;

    if (only || !cairn_numbers_any(m)) {
        if (status == CAIRN_OK)
            status = cairn_compiled_count(m, b->build, &m->compiled);
        if (only || b->way.last) return status; /* straight, then, or another way */
    } else {
        status = count_numbered(b, m, status);
    }
    if (status != CAIRN_NO_KERNEL || !cairn_compiled_may_fall_back(b->env))
        return status;
    CAIRN_TRY(cairn_given_look_now(b->build->from));
    CAIRN_TRY(cairn_build_read(b->m, number, b->build));
    CAIRN_TRY(cairn_build_remap(m));
    return cairn_build_count(m);
}

/// What the path left in the member's table becomes counts of nodes.
/// @p status: of this rank so far.
static cairn_status count_nodes(builder *b, int member, cairn_status status)
{
    cairn_member_build *m     = &b->m[member];
    const double        begin = cairn_seconds();

    if (b->compiled)
        status = count_compiled(b, m, status);
    else if (status == CAIRN_OK)
        status = cairn_build_count(m);
    cairn_build_note(b->build, "count", member, true, begin);
    return status;
}

/// One word for all members: the least that any of them got.
static void join_routes(builder *b)
{
    b->route = CAIRN_ROUTE_REFERENCE;
    if (!b->compiled || b->build->loader->interprets) return;
    b->route = b->way.last ? b->way.route : CAIRN_ROUTE_PREBUILT;
    for (int k = 0; k < b->members; k++) {
        if (!b->m[k].compiled) {
            b->route = CAIRN_ROUTE_REFERENCE;
            return;
        }
        if (b->m[k].compiled->program.route > b->route)
            b->route = b->m[k].compiled->program.route;
        if (b->m[k].route > b->route) b->route = b->m[k].route;
    }
}

/// Append what the program of a member may call. A failure comes again when the
/// functions are loaded, and is reported then.
static void request_functions(cairn_member_build    *m,
                              const cairn_build     *build,
                              cairn_kernel_requests *requests)
{
    cairn_compiled *c;

    if (cairn_compiled_create(m, build, &c) != CAIRN_OK) return;
    if (cairn_compiled_choose(c) == CAIRN_OK) cairn_passes_request(c, requests);
    cairn_compiled_destroy(m->env, &c);
}

/// Have the compilers of all members' functions run at the same time.
static void get_functions(const builder *b)
{
    const cairn_kernel_loader *loader   = b->build->loader;
    const double               begin    = cairn_seconds();
    cairn_kernel_requests     *requests = NULL;

    if (!b->compiled || !loader->ahead || loader->interprets
        || cairn_build_worth(b->env, b->build) != CAIRN_BUILD_COMPILED
        || CAIRN_NEW(b->env, 1, &requests) != CAIRN_OK)
        return;
    requests->specs = 0;
    for (int k = 0; k < b->members; k++)
        request_functions(&b->m[k], b->build, requests);
    cairn_phases_ahead(b->env, loader, requests->spec, requests->specs);
    cairn_free(b->env, requests);
    cairn_build_note(b->build, "compile", -1, false, begin);
}

static cairn_status infer_layouts(builder *b)
{
    cairn_status status = CAIRN_OK;

    for (int k = 0; k < b->members && status == CAIRN_OK; k++)
        status = create_layout(b, &b->m[k]);
    if (status == CAIRN_OK) get_functions(b);
    for (int k = 0; k < b->members; k++)
        status = count_nodes(b, k, status);
    CAIRN_TRY(status);
    cairn_member_groups_destroy(b->env, &b->m[0].source.groups);
    join_routes(b);
    return CAIRN_OK;
}

static cairn_status fill_tensor(builder *b)
{
    assert(!b->tensor);
    CAIRN_TRY(cairn_build_allocate(b->env, b->build, b->members, b->m, &b->tensor));
    CAIRN_TRY(
        cairn_build_fill_members(b->env, b->build, b->members, b->m, b->tensor->group));
    cairn_pass_list_fini(&b->path->program);
    if (b->way.last)
        CAIRN_TRY(cairn_pass_list_append(&b->path->program, &b->way.program, 0));
    CAIRN_TRY(cairn_build_describe(b->m, b->members, &b->path->program));
    for (int k = 0; k < b->members; k++) { /* the layouts are the tensor's now */
        b->tensor->group[k].layout = b->m[k].layout;
        if (b->m[k].compiled) cairn_card_keep(b->m[k].compiled, b->tensor);
        b->m[k].layout = NULL;
    }
    return CAIRN_OK;
}

static cairn_status make_members(builder *b)
{
    CAIRN_TRY(CAIRN_NEW_ZERO(b->env, b->members, &b->m));
    for (int k = 0; k < b->members; k++)
        CAIRN_TRY(cairn_member_init(b->env, b->build, k, &b->m[k]));
    return CAIRN_OK;
}

/// Members whose queries need not be run.
static cairn_status find_numbers(builder *b)
{
    cairn_status status = CAIRN_OK;

    for (int k = 0; k < b->members && status == CAIRN_OK; k++)
        status = cairn_numbers_find(&b->m[k], b->build);
    return b->build->net ? cairn_numbers_agree(b->m, b->members, b->build, status)
                         : status;
}

/// Buckets need no path: what fills from them does so in one step, or not at all.
static cairn_status start_bucketed(builder *b)
{
    CAIRN_CHECK(b->compiled && b->members == 1 && b->m[0].encoding->queries == 0,
                b->env, CAIRN_NO_KERNEL, "convert: entries in buckets, and no kernels");
    b->m[0].source.entries =
        (cairn_entries){.order = b->build->bucketed->order, .n = b->build->bucketed->n};
    return CAIRN_OK;
}

/// Bring the entries to where members can be built from.
static cairn_status start(builder *b)
{
    const bool buckets = b->build->bucketed;

    if (b->compiled && !buckets) CAIRN_TRY(find_numbers(b));
    if (b->compiled && !b->straight && !b->build->ranks.member_rows)
        cairn_intermediates_go(b->env, b->build, b->m, &b->way);
    if (b->way.last) b->build = &b->way.onward;
    if (b->build->bucketed) return start_bucketed(b);
    if (b->compiled && buckets) CAIRN_TRY(find_numbers(b));
    return cairn_path_run(b->env, b->build, b->path, b->compiled, b->m);
}

static cairn_status run(builder *b)
{
    const cairn_build *build = b->build;
    const double       begin = cairn_seconds();
    cairn_status       status;

    status = cairn_check_memory(b->env, "this rank", build->held);
    if (status == CAIRN_OK) status = make_members(b);
    if (status == CAIRN_OK) status = cairn_kept_path(b->env, build, &b->path);
    b->compiled =
        build->loader && cairn_build_worth(b->env, build) != CAIRN_BUILD_REFERENCE;
    if (build->from
        && build->from->waiting) { /* which no other order is found in yet */
        b->straight = true;
        if (status == CAIRN_OK && !b->compiled)
            status = cairn_given_look_now(build->from);
    }
    status = cairn_build_all(build, status, &b->compiled);
    if (status == CAIRN_OK) status = start(b);
    cairn_build_note(build, "deal", -1, true, begin);
    CAIRN_TRY(status);
    CAIRN_TRY(agree(b, infer_layouts(b)));
    return agree(b, fill_tensor(b));
}

/// Is there to be another attempt, without another order before, for which there may be
/// memory and functions? On all ranks, if one came by such.
static bool has_to_repeat(builder *b, cairn_status status)
{
    bool straight = !b->way.last;

    if (status != CAIRN_NO_MEMORY && status != CAIRN_NO_KERNEL
        && status != CAIRN_BAD_OPTION)
        return false;
    if (status == CAIRN_NO_KERNEL && b->build->duty == CAIRN_BUILD_WORDS) return false;
    if (cairn_build_all(b->build, CAIRN_OK, &straight) != CAIRN_OK || straight)
        return false;
    return b->straight = true;
}

/// Forget all but what was built.
static void clean_up(builder *b)
{
    for (int k = 0; k < b->members && b->m; k++)
        cairn_member_fini(b->env, &b->m[k]);
    cairn_free(b->env, b->m);
    cairn_intermediates_fini(b->env, &b->way);
    b->m = NULL;
}

static cairn_status run_again(builder *b, const cairn_build *build, int interpreted)
{
    clean_up(b);
    cairn_local_destroy(&b->tensor);
    cairn_path_destroy(&b->path);
    *b = (builder){
        .env = b->env, .build = build, .members = b->members, .straight = b->straight};
    if (build->report.interpreted) *build->report.interpreted = interpreted;
    if (build->report.why_interpreted) build->report.why_interpreted[0] = '\0';
    if (build->report.log) build->report.log->tasks = 0;
    return run(b);
}

static cairn_status
build_wide(cairn_env *env, const cairn_build *build, cairn_local **tensor)
{
    const int interpreted = build->report.interpreted ? *build->report.interpreted : 0;
    builder   b = {.env = env, .build = build, .members = build->format->members};
    cairn_status status;

    if (build->report.why_interpreted) build->report.why_interpreted[0] = '\0';
    status = run(&b);
    while (has_to_repeat(&b, status))
        status = run_again(&b, build, interpreted);
    if (b.way.last && b.tensor) /* whose arrays were taken over is no more */
        for (int k = 0; k < b.tensor->groups; k++)
            b.tensor->group[k].shared = 0;
    clean_up(&b);
    if (status == CAIRN_OK && build->report.route) *build->report.route = b.route;
    if (status == CAIRN_OK && build->report.executed) {
        *build->report.executed = b.path;
        b.path                  = NULL;
    }
    cairn_path_destroy(&b.path);
    if (status == CAIRN_OK)
        *tensor = b.tensor;
    else
        cairn_local_destroy(&b.tensor);
    return status;
}

/// Asks another loader for functions that are at hand.
static cairn_status
load_at_hand(void *user, const cairn_kernel_request *request, cairn_kernel *kernel)
{
    const cairn_kernel_loader *const loader = user;
    cairn_kernel_request             wanted = *request;

    wanted.at_hand = wanted.spare = true;
    return loader->load(loader->user, &wanted, kernel);
}

static void release_other(void *user, cairn_kernel *kernel)
{
    const cairn_kernel_loader *const loader = user;

    loader->release(loader->user, kernel);
}

/// Build from words that stand for the source's values.
///
/// @retval CAIRN_NO_KERNEL  A function for them is not at hand.
static cairn_status build_of_words(cairn_env               *env,
                                   const cairn_build       *build,
                                   const cairn_value_words *words,
                                   cairn_local            **built)
{
    cairn_kernel_loader loader = *build->loader;
    cairn_build         own    = *build;
    cairn_status        status;

    loader.load    = load_at_hand;
    loader.release = release_other;
    loader.ahead   = NULL;
    loader.user    = (void *)build->loader;
    own.from       = words->tensor;
    own.value_bits = words->tensor->value_bits;
    own.duty       = CAIRN_BUILD_WORDS;
    if (!loader.interprets) own.loader = &loader;
    CAIRN_TRY(build_wide(env, &own, built));
    status = cairn_value_words_restore(words, build->value_bits, *built);
    if (status != CAIRN_OK) cairn_local_destroy(built);
    return status;
}

/// Values taken over from a widened copy, which is destroyed, are in common with no tensor.
static void own_values(cairn_local *built, const cairn_local *copy)
{
    for (int k = 0; k < built->groups; k++) {
        cairn_group             *group = &built->group[k];
        const cairn_kernel_part *view  = &built->part[group->first].view;

        for (int g = 0; g < copy->groups && group->shared > 0; g++)
            if (cairn_group_block(&copy->group[g], view->val))
                group->shared -= view->values * (view->val_bits / 8);
    }
}

/// Move values as wide as they are stored. @retval CAIRN_NO_KERNEL  They must be widened.
static cairn_status
build_narrow(cairn_env *env, const cairn_build *build, cairn_local **tensor)
{
    cairn_value_words words;
    cairn_local      *built = NULL;
    cairn_status      status;

    CAIRN_TRY(cairn_value_words_create(build, &words));
    status =
        words.tensor ? build_of_words(env, build, &words, &built) : CAIRN_NO_KERNEL;
    if (status == CAIRN_OK && words.own) own_values(built, words.tensor);
    if (status == CAIRN_OK) *tensor = built;
    cairn_value_words_destroy(&words);
    return status;
}

/// Move values as wide as the tensor's type: of a source that is narrower they are widened
/// first, and those of the result narrowed at the end.
static cairn_status build_widened(cairn_env         *env,
                                  const cairn_build *build,
                                  bool               narrow,
                                  cairn_local      **tensor)
{
    const cairn_query_net *net    = build->net;
    cairn_build            own    = *build;
    cairn_local           *source = NULL, *built = NULL;
    cairn_status           status = CAIRN_OK;

    if (narrow) status = cairn_local_widened(build->from, &source);
    if (source) own.from = source;
    if (net) status = net->agree(net->user, status);
    if (status == CAIRN_OK) status = build_wide(env, &own, &built);
    if (status == CAIRN_OK && source) own_values(built, source);
    if (status == CAIRN_OK && !build->planned) {
        status = cairn_local_store_values(built);
        if (net) status = net->agree(net->user, status);
    }
    cairn_local_destroy(&source);
    if (status == CAIRN_OK)
        *tensor = built;
    else
        cairn_local_destroy(&built);
    return status;
}

cairn_status
cairn_local_build(cairn_env *env, const cairn_build *build, cairn_local **tensor)
{
    const bool narrow =
        build->from && !build->planned && cairn_local_is_narrow(build->from);
    const int interpreted = build->report.interpreted ? *build->report.interpreted : 0;
    cairn_status status   = CAIRN_NO_KERNEL;

    if (narrow) status = build_narrow(env, build, tensor);
    if (status != CAIRN_NO_KERNEL) return status;
    if (build->report.interpreted) *build->report.interpreted = interpreted;
    if (narrow && build->report.log) build->report.log->tasks = 0;
    return build_widened(env, build, narrow, tensor);
}
