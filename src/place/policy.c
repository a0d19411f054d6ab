// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The list of policies, and what is done around each of them: checks, memory, the
/// comparison with one device for all, and the answer.

#include "place/policy.h"

#include "place/policy_choice.h"

#include <math.h>
#include <string.h>

#define CAIRN_POLICY(name) extern const cairn_policy cairn_policy_##name;
#include "place/policy_list.def"
#undef CAIRN_POLICY

static const cairn_policy *const policies[] = {
#define CAIRN_POLICY(name) &cairn_policy_##name,
#include "place/policy_list.def"
#undef CAIRN_POLICY
};

enum { POLICIES = sizeof policies / sizeof policies[0] };

cairn_status
cairn_policy_find(cairn_env *env, const char *name, const cairn_policy **policy)
{
    const char *names[POLICIES + 1] = {NULL};

    for (int k = 0; k < POLICIES; k++) {
        names[k] = policies[k]->name;
        if (strcmp(name, names[k]) != 0) continue;
        *policy = policies[k];
        return CAIRN_OK;
    }
    const char *nearest = cairn_nearest(name, names);

    return cairn_fail(env, CAIRN_BAD_OPTION,
                      "option: CAIRN_POLICY: %.100s: no such policy%s%s%s", name,
                      nearest ? "; did you mean " : "", nearest ? nearest : "",
                      nearest ? "?" : " (cairn --options lists them)");
}

cairn_policy_time cairn_policy_evaluate(cairn_policy_net *net, int *device)
{
    const cairn_policy_problem *p    = net->problem;
    cairn_policy_time           last = {
                  {0, 0}
    };

    for (int t = 0; t < p->tasks; t++)
        net->only[t] = UINT64_C(1) << device[t];
    cairn_policy_rank(net, net->only);
    cairn_policy_begin(net);
    for (int k = 0; k < p->tasks; k++) {
        const int t = net->order[k];

        cairn_policy_put(net, device, t, device[t]);
        for (int c = 0; c < 2; c++)
            last.on[c] = fmax(last.on[c], net->done[t].on[c]);
    }
    return last;
}

/// One placing under way.
typedef struct {
    cairn_policy_net *net;
    uint64_t         *choice; ///< [tasks]
    int              *device; ///< [tasks] the best so far,
    int              *other;  ///< [tasks] what is compared with it.
} placing;

static void finish_placing(cairn_env *env, placing *p)
{
    cairn_free(env, p->choice);
    cairn_free(env, p->device);
    cairn_free(env, p->other);
    cairn_policy_net_destroy(&p->net);
}

static cairn_status
begin_placing(cairn_env *env, const cairn_policy_problem *problem, placing *p)
{
    CAIRN_TRY(CAIRN_NEW(env, problem->tasks, &p->choice));
    CAIRN_TRY(CAIRN_NEW(env, problem->tasks, &p->device));
    CAIRN_TRY(CAIRN_NEW(env, problem->tasks, &p->other));
    CAIRN_TRY(cairn_policy_choose(env, problem, p->choice));
    return cairn_policy_net_create(env, problem, &p->net);
}

/// Hold the placement against each device alone, which gets all that it may have.
/// @return the device; -1: none is better.
static int compare_with_one(placing *p)
{
    const cairn_policy_problem *problem = p->net->problem;
    cairn_policy_time           best    = cairn_policy_evaluate(p->net, p->device);
    int                         alone   = -1;

    for (int d = 0; d < problem->devices; d++) {
        for (int t = 0; t < problem->tasks; t++)
            p->other[t] = p->choice[t] >> d & 1 ? d : p->device[t];
        if (!cairn_policy_fits(problem, p->other)) continue;
        const cairn_policy_time time = cairn_policy_evaluate(p->net, p->other);

        if (!cairn_policy_is_better(problem, time, best)) continue;
        best = time, alone = d;
    }
    for (int t = 0; t < problem->tasks && alone >= 0; t++)
        if (p->choice[t] >> alone & 1) p->device[t] = alone;
    return alone;
}

/// What the last schedule says.
static void fill_answer(const placing *p, cairn_policy_answer *answer)
{
    const cairn_policy_problem *problem = p->net->problem;
    bool                        some[2] = {false, false};

    for (int t = 0; t < problem->tasks; t++) {
        const int    d = p->device[t], clock = problem->device[d].clock;
        const double end = p->net->done[t].on[clock];

        answer->device[t] = d;
        answer->start[t]  = p->net->start[t];
        answer->finish[d] = fmax(answer->finish[d], end);
        answer->memory[d] += problem->task[t].memory;
        some[clock] |= cairn_policy_seconds(problem, t, d) > 0;
    }
    answer->mixed = some[0] && some[1];
}

static cairn_status
run_policy(const cairn_policy *policy, placing *p, cairn_policy_answer *answer)
{
    const cairn_policy_problem *problem = p->net->problem;

    CAIRN_TRY(policy->place(p->net, p->choice, p->device));
    if (!cairn_policy_fits(problem, p->device))
        CAIRN_TRY(cairn_policy_pack(p->net, p->choice, p->device));
    CAIRN_TRY(CAIRN_NEW(p->net->env, problem->tasks, &answer->device));
    CAIRN_TRY(CAIRN_NEW(p->net->env, problem->tasks, &answer->start));
    answer->alone                = policy->guards ? compare_with_one(p) : -1;
    const cairn_policy_time time = cairn_policy_evaluate(p->net, p->device);

    memcpy(answer->makespan, time.on, sizeof time.on);
    fill_answer(p, answer);
    return CAIRN_OK;
}

cairn_status cairn_policy_place(cairn_env                  *env,
                                const cairn_policy         *policy,
                                const cairn_policy_problem *problem,
                                cairn_policy_answer        *answer)
{
    cairn_policy_answer fresh = {.alone = -1};
    placing             p     = {NULL, NULL, NULL, NULL};

    CAIRN_TRY(cairn_policy_check(env, problem));
    cairn_status status = begin_placing(env, problem, &p);

    if (status == CAIRN_OK) status = run_policy(policy, &p, &fresh);
    finish_placing(env, &p);
    if (status == CAIRN_OK)
        *answer = fresh;
    else
        cairn_policy_answer_fini(env, &fresh);
    return status;
}

void cairn_policy_answer_fini(cairn_env *env, cairn_policy_answer *answer)
{
    cairn_free(env, answer->device);
    cairn_free(env, answer->start);
    answer->device = NULL;
    answer->start  = NULL;
}
