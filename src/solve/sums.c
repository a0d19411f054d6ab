// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Passes and their sums over ranks.

#include "solve/sums.h"

#include <omp.h>

#include <inttypes.h>
#include <string.h>

/// Numbers before a rank's sums.
enum { FAILED, WANTS, SAID, FLAGS = SAID + CAIRN_SUMS_SAID };

/// Fewer rows than these are not worth waking threads for.
enum { ROWS_OF_A_THREAD = 2048 };

static int64_t leaves_before(int64_t row)
{
    return (row + CAIRN_LEAF_ROWS - 1) / CAIRN_LEAF_ROWS;
}

static cairn_status
create_tree(cairn_env *env, const cairn_solve_rows *rows, int most, cairn_tree *tree)
{
    tree->leaves = leaves_before(rows->total);
    return cairn_alloc(env, (int64_t)CAIRN_TREE_NODES * (most > 0 ? most : 1),
                       sizeof *tree->sum, (void **)&tree->sum);
}

/// A pass where only nodes are wanted.
static void nothing(void *user, int64_t i, int64_t n, double *sum)
{
    (void)user, (void)i;
    for (int64_t k = 0; k < leaves_before(n); k++)
        sum[k] = 0;
}

/// Tell all ranks which nodes this one has: those of any pass.
static cairn_status share_nodes(cairn_row_sums *sums)
{
    cairn_comm          *comm = sums->comm;
    cairn_sums_exchange *x    = &sums->exchange;
    int64_t              widest;

    cairn_sums_pass(sums, nothing, NULL, 1);
    widest = sums->mine.nodes;
    CAIRN_TRY(comm->ops->allreduce(comm, &widest, 1, CAIRN_MAX));
    x->widest           = (int)widest;
    cairn_status status = CAIRN_NEW(comm->env, comm->size, &x->nodes);

    if (status == CAIRN_OK)
        status = CAIRN_NEW_ZERO(comm->env, comm->size * widest, &x->node);
    status = cairn_comm_agree(comm, status);
    if (status != CAIRN_OK) return status;
    CAIRN_TRY(comm->ops->allgather(comm, &sums->mine.nodes, sizeof(int), x->nodes));
    return comm->ops->allgather(comm, sums->mine.node,
                                widest * (int64_t)sizeof *x->node, x->node);
}

/// Room for what is exchanged.
static cairn_status prepare_exchange(cairn_row_sums *sums)
{
    cairn_comm          *comm = sums->comm;
    cairn_sums_exchange *x    = &sums->exchange;

    if (x->reproducible) CAIRN_TRY(share_nodes(sums));
    const int64_t each =
        FLAGS + (int64_t)(x->reproducible ? x->widest : 1) * sums->most;
    cairn_status status = CAIRN_NEW_ZERO(comm->env, each, &x->mine);

    if (status == CAIRN_OK && x->reproducible)
        status = CAIRN_NEW(comm->env, comm->size * each, &x->all);
    if (status == CAIRN_OK && x->reproducible)
        status = create_tree(comm->env, &sums->rows, sums->most, &x->whole);
    return cairn_comm_agree(comm, status);
}

static cairn_status check_cuts(const cairn_row_sums *sums)
{
    const cairn_solve_rows *rows = &sums->rows;
    const int64_t           end  = rows->first + rows->count;

    CAIRN_CHECK(rows->count == 0
                    || (rows->first % CAIRN_LEAF_ROWS == 0
                        && (end % CAIRN_LEAF_ROWS == 0 || end == rows->total)),
                sums->comm->env, CAIRN_BAD_ARGUMENT,
                "solve: reproducible: rank %d has rows %" PRId64 " to %" PRId64
                ": ranks have to begin at multiples of %d (cairn_format_align())",
                sums->comm->rank, rows->first, end - 1, CAIRN_LEAF_ROWS);
    return CAIRN_OK;
}

static cairn_status allocate(cairn_row_sums *sums)
{
    cairn_env *env = sums->comm->env;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, sums->threads, &sums->part));
    for (int t = 0; t < sums->threads; t++)
        CAIRN_TRY(create_tree(env, &sums->rows, sums->most, &sums->part[t]));
    CAIRN_TRY(create_tree(env, &sums->rows, sums->most, &sums->mine));
    return CAIRN_NEW_ZERO(env, sums->most, &sums->result);
}

cairn_status cairn_sums_create(cairn_comm             *comm,
                               const cairn_solve_rows *rows,
                               bool                    reproducible,
                               int                     most,
                               cairn_row_sums        **sums)
{
    const int64_t   useful  = rows->count / ROWS_OF_A_THREAD;
    const int       threads = comm->env->options.threads;
    cairn_row_sums *fresh   = NULL;
    cairn_status    status  = CAIRN_NEW_ZERO(comm->env, 1, &fresh);

    if (status == CAIRN_OK) {
        fresh->comm                  = comm;
        fresh->rows                  = *rows;
        fresh->most                  = most;
        fresh->exchange.reproducible = reproducible;
        fresh->threads = useful < 1 ? 1 : useful < threads ? (int)useful : threads;
        status         = reproducible ? check_cuts(fresh) : CAIRN_OK;
    }
    if (status == CAIRN_OK) status = allocate(fresh);
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK && comm->size > 1) status = prepare_exchange(fresh);
    if (status == CAIRN_OK)
        *sums = fresh;
    else
        cairn_sums_destroy(comm->env, &fresh);
    return status;
}

void cairn_sums_destroy(cairn_env *env, cairn_row_sums **sums)
{
    cairn_row_sums *s = *sums;

    if (!s) return;
    for (int t = 0; t < s->threads && s->part; t++)
        cairn_free(env, s->part[t].sum);
    cairn_free(env, s->part);
    cairn_free(env, s->mine.sum);
    cairn_free(env, s->result);
    cairn_free(env, s->exchange.nodes);
    cairn_free(env, s->exchange.node);
    cairn_free(env, s->exchange.mine);
    cairn_free(env, s->exchange.all);
    cairn_free(env, s->exchange.whole.sum);
    cairn_free(env, s);
    *sums = NULL;
}

/// The leaf behind those that are done together with leaf @p k. A leaf that this rank has
/// not all rows of is done alone.
static int64_t leaf_behind(const cairn_solve_rows *rows, int64_t k)
{
    if (k * CAIRN_LEAF_ROWS < rows->first) return k + 1;
    return (k / CAIRN_PASS_LEAVES + 1) * CAIRN_PASS_LEAVES;
}

/// One thread's leaves: an equal share of those that this rank has rows of.
static void pass_part(cairn_row_sums *sums, int thread, cairn_pass_fn *pass, void *user)
{
    const cairn_solve_rows *rows   = &sums->rows;
    const int64_t           end    = rows->first + rows->count;
    const int64_t           first  = rows->first / CAIRN_LEAF_ROWS;
    const int64_t           leaves = leaves_before(end) - first;
    const int64_t           last   = first + leaves * (thread + 1) / sums->threads;
    cairn_tree *const       tree   = &sums->part[thread];
    double *const           room = /* where the list, of 120 nodes at most, never is */
        tree->sum + (CAIRN_TREE_NODES - CAIRN_PASS_LEAVES) * tree->sums;
    int64_t behind;

    for (int64_t k = first + leaves * thread / sums->threads; k < last; k = behind) {
        behind = leaf_behind(rows, k);
        if (behind > last) behind = last;
        const int64_t from = k * CAIRN_LEAF_ROWS, to = behind * CAIRN_LEAF_ROWS;
        const int64_t i = from > rows->first ? from : rows->first;

        pass(user, i - rows->first, (to < end ? to : end) - i, room);
        if (tree->sums > 0) cairn_tree_push_leaves(tree, k, behind - k, room);
    }
}

void cairn_sums_pass(cairn_row_sums *sums, cairn_pass_fn *rows, void *user, int count)
{
    for (int t = 0; t < sums->threads; t++)
        cairn_tree_clear(&sums->part[t], count);
    cairn_tree_clear(&sums->mine, count);
    if (sums->rows.count == 0) return;
    if (sums->threads == 1) {
        pass_part(sums, 0, rows, user);
    } else {
#pragma omp parallel num_threads(sums->threads)
        for (int t = omp_get_thread_num(); t < sums->threads;
             t += omp_get_num_threads())
            pass_part(sums, t, rows, user);
    }
    for (int t = 0; t < sums->threads && count > 0; t++)
        cairn_tree_join(&sums->mine, &sums->part[t]);
}

cairn_status cairn_sums_begin(cairn_row_sums *sums)
{
    cairn_comm          *comm  = sums->comm;
    cairn_sums_exchange *x     = &sums->exchange;
    const int            count = sums->mine.sums;

    sums->count          = count;
    sums->notices.told   = sums->notices.failed;
    sums->notices.failed = CAIRN_OK;
    sums->reductions++;
    if (comm->size == 1) {
        memcpy(sums->notices.heard, sums->notices.says, sizeof sums->notices.heard);
        cairn_tree_fold(&sums->mine, sums->result);
        return CAIRN_OK;
    }
    x->mine[FAILED] = sums->notices.told != CAIRN_OK;
    x->mine[WANTS]  = sums->notices.wants;
    memcpy(x->mine + SAID, sums->notices.says, sizeof sums->notices.says);
    if (!x->reproducible) {
        cairn_tree_fold(&sums->mine, x->mine + FLAGS);
        return comm->collect->sum(comm, x->mine, FLAGS + count);
    }
    memcpy(x->mine + FLAGS, sums->mine.sum,
           (size_t)sums->mine.nodes * (size_t)count * sizeof(double));
    return comm->collect->gather(
        comm, x->mine, (FLAGS + (int64_t)x->widest * count) * (int64_t)sizeof(double),
        x->all);
}

/// Add up what all ranks have sent, from the left.
static void add_up(cairn_row_sums *sums)
{
    cairn_sums_exchange *x     = &sums->exchange;
    const int            count = sums->count;

    cairn_tree_clear(&x->whole, count);
    memset(x->mine, 0, FLAGS * sizeof *x->mine);
    for (int r = 0; r < sums->comm->size; r++) {
        const double *its = x->all + r * (FLAGS + (int64_t)x->widest * count);

        for (int k = 0; k < FLAGS; k++)
            x->mine[k] += its[k];
        for (int k = 0; k < x->nodes[r]; k++)
            cairn_tree_push(&x->whole, x->node[r * x->widest + k],
                            its + FLAGS + (int64_t)k * count);
    }
    cairn_tree_fold(&x->whole, sums->result);
}

cairn_status cairn_sums_end(cairn_row_sums *sums)
{
    cairn_comm                *comm = sums->comm;
    const cairn_sums_exchange *x    = &sums->exchange;
    bool                       some = sums->notices.told != CAIRN_OK;

    sums->notices.ends = sums->notices.wants;
    if (comm->size > 1) {
        CAIRN_TRY(comm->collect->end(comm));
        if (x->reproducible)
            add_up(sums);
        else
            memcpy(sums->result, x->mine + FLAGS, (size_t)sums->count * sizeof(double));
        some               = x->mine[FAILED] > 0;
        sums->notices.ends = x->mine[WANTS] > 0;
        memcpy(sums->notices.heard, x->mine + SAID, sizeof sums->notices.heard);
    }
    return some ? cairn_comm_agree(comm, sums->notices.told) : CAIRN_OK;
}

cairn_status
cairn_sums_of(cairn_row_sums *sums, cairn_pass_fn *rows, void *user, int count)
{
    cairn_sums_pass(sums, rows, user, count);
    CAIRN_TRY(cairn_sums_begin(sums));
    return cairn_sums_end(sums);
}
