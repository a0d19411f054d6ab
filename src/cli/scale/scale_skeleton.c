// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A step of CG on ranks that are not there, counted instead of recorded: the matrix is read
/// once, by this process, its rows are cut as the library cuts them, and what each rank needs
/// of others follows from its columns. So there may be thousands of ranks. A test holds the
/// counts to those of plans on as many real ones.

#include "cli/output/save.h"
#include "cli/run/run.h"
#include "cli/scale/scale.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The matrix, and what is found of one rank after the other.
typedef struct skeleton {
    cairn_compressed lines; ///< The arrays that follow.
    int64_t          rows;
    int64_t         *ptr;
    int32_t         *idx;
    double          *val;
    int64_t         *first; ///< [ranks + 1] Rows of each rank.
    int             *seen;  ///< [rows] The last rank that needed the column, from 1 on.
    int64_t *needed;        ///< [ranks] Columns of each other rank that this one needs.
    int     *giver;         ///< [ranks] Those of which it needs any, ascending.
    int      givers;
    int64_t  halo; ///< Columns from others, of all ranks.
    int      ranks;
} skeleton;

/// Seconds at the base: of an entry in a product, and of a row in a step's vectors.
typedef struct rates {
    double entry, row;
} rates;

/// Of the seconds that a step of CG spends on vectors, the parts before the first sum over
/// ranks, between the two, and behind them: by the vectors that the passes read and write
/// (docs/whatif.md), 2, 3 and 5, of which the latter two read the diagonal, too, where that
/// preconditions.
static void divide_vectors(const cli_job *job, double part[3])
{
    const char *const m      = cli_text(job, CLI_PRECONDITION);
    const double      jacobi = m && strcmp(m, "jacobi") == 0 ? 1 : 0;
    const double      all    = 10 + 2 * jacobi;

    part[0] = 2 / all;
    part[1] = (3 + jacobi) / all;
    part[2] = (5 + jacobi) / all;
}

/// Why steps of this are not counted; NULL: they are.
static const char *find_fault(const cli_scale *study)
{
    const cli_job *const job    = study->job;
    const char *const    m      = cli_text(job, CLI_PRECONDITION);
    const char *const    format = cli_text(job, CLI_FORMAT);
    const char *const    usual  = cli_option_row(CLI_FORMAT)->standard;

    if (strcmp(study->settings.words[1], "cg") != 0)
        return "of the solvers, steps of cg alone are simulated";
    if (m && strcmp(m, "none") != 0 && strcmp(m, "jacobi") != 0)
        return "of the preconditioners, none and jacobi alone are simulated";
    if ((format && strcmp(format, usual) != 0) || cli_given(job, CLI_DISTRIBUTE)
        || cli_given(job, CLI_REPRODUCIBLE) || *study->settings.devices.text[0])
        return "a solver's steps are simulated in the default format, on one device a "
               "rank, rows by their entries, and not with --reproducible";
    return NULL;
}

/// Allocate and fill what the matrix is.
static cairn_status take_matrix(cli_job *job, cli_run *run, skeleton *s)
{
    const int64_t entries = cairn_tensor_entries(run->tensor);

    s->rows   = run->matrix.extent[0];
    s->ptr    = calloc((size_t)s->rows + 1, sizeof *s->ptr);
    s->idx    = calloc((size_t)entries + 1, sizeof *s->idx);
    s->val    = calloc((size_t)entries + 1, sizeof *s->val);
    s->seen   = calloc((size_t)s->rows + 1, sizeof *s->seen);
    s->first  = calloc((size_t)s->ranks + 1, sizeof *s->first);
    s->needed = calloc((size_t)s->ranks, sizeof *s->needed);
    s->giver  = calloc((size_t)s->ranks, sizeof *s->giver);
    if (!s->ptr || !s->idx || !s->val || !s->seen || !s->first || !s->needed
        || !s->giver)
        return cli_fail(job, CAIRN_NO_MEMORY, "memory: simulate: the matrix's rows");
    s->lines            = (cairn_compressed)CAIRN_COMPRESSED;
    s->lines.ptr        = s->ptr;
    s->lines.ptr_length = s->rows + 1;
    s->lines.idx        = s->idx;
    s->lines.idx_bits   = 32;
    s->lines.val        = s->val;
    s->lines.length     = entries;
    return cairn_tensor_to_csr(run->tensor, &s->lines);
}

static cairn_status
read_matrix(cli_scale *study, const cli_scale_point *point, skeleton *s)
{
    cli_job *const job = study->job;
    cli_run run = {.job = job, .matrix = CAIRN_SOURCE_INFO, .moved = CAIRN_PLAN_INFO};

    run.settings         = cli_run_settings_standard(job);
    run.settings.op      = "solve";
    run.settings.file    = point->matrix;
    run.settings.columns = 1;
    run.product          = (cairn_product_options){
                 .size = sizeof(cairn_product_options), .columns = 1, .alpha = 1};
    cairn_status status = cli_run_settings_common(job, &run.settings);

    if (status == CAIRN_OK) status = cli_run_load(&run);
    if (status == CAIRN_OK) status = take_matrix(job, &run, s);
    cli_run_release(&run);
    return status;
}

/// Equal numbers of entries, each boundary at the nearest row: of two that are as near, the
/// later one.
static void cut_rows(skeleton *s)
{
    const int64_t all = s->ptr[s->rows], ranks = s->ranks;

    s->first[ranks] = s->rows;
    for (int64_t b = 1; b < ranks; b++) {
        const int64_t goal = all / ranks * b + all % ranks * b / ranks;
        int64_t       low = 0, high = s->rows;

        while (low < high) {
            const int64_t middle = low + (high - low) / 2;

            if (s->ptr[middle] >= goal)
                high = middle;
            else
                low = middle + 1;
        }
        const int64_t before = low > 0 ? low - 1 : 0;

        s->first[b] = goal - s->ptr[before] < s->ptr[low] - goal ? before : low;
    }
}

/// The last rank whose first row is not after a row.
static int owner_of(const skeleton *s, int64_t row)
{
    int low = 0, high = s->ranks - 1;

    while (low < high) {
        const int middle = low + (high - low + 1) / 2;

        if (s->first[middle] <= row)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static int by_number(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

/// Find what a rank needs of each other one. @return entries of its rows that need nothing.
static int64_t look_at(skeleton *s, int rank)
{
    const int64_t first = s->first[rank], end = s->first[rank + 1];
    int64_t       inside = 0;

    /* Not all ranks are gone through: there may be a million, and few are neighbours. */
    for (int k = 0; k < s->givers; k++)
        s->needed[s->giver[k]] = 0;
    s->givers = 0;
    for (int64_t i = first; i < end; i++) {
        bool needs = false;

        for (int64_t k = s->ptr[i]; k < s->ptr[i + 1]; k++) {
            const int32_t j = s->idx[k];

            if (j >= first && j < end) continue;
            needs = true;
            if (s->seen[j] == rank + 1) continue;
            const int from = owner_of(s, j);

            s->seen[j] = rank + 1;
            if (s->needed[from]++ == 0) s->giver[s->givers++] = from;
            s->halo++;
        }
        if (!needs) inside += s->ptr[i + 1] - s->ptr[i];
    }
    qsort(s->giver, (size_t)s->givers, sizeof *s->giver, by_number);
    return inside;
}

/// Write a step of a rank. A sum over ranks takes nine of the solver's own numbers along
/// (solve/sums.h): whether a rank has failed or wants to end, three of its checkpoint, and
/// four of what is made beside the iterations.
static void put_rank(FILE          *file,
                     skeleton      *s,
                     int            rank,
                     const rates   *at,
                     const double   part[3],
                     cli_scale_run *run)
{
    const int64_t rows    = s->first[rank + 1] - s->first[rank];
    const int64_t entries = s->ptr[s->first[rank + 1]] - s->ptr[s->first[rank]];
    const int64_t inside  = look_at(s, rank);
    const double  vectors = at->row * (double)rows;
    const double  work    = at->entry * (double)entries;

    fprintf(file, "rank %d\nstart\ncompute %.9g\n", rank, at->entry * (double)inside);
    for (int k = 0; k < s->givers; k++)
        fprintf(file, "receive %d %" PRId64 "\n", s->giver[k],
                s->needed[s->giver[k]] * (int64_t)sizeof(double));
    fprintf(file, "compute %.9g\n",
            at->entry * (double)(entries - inside) + part[0] * vectors);
    fprintf(file, "sum %d\ncompute %.9g\nsum %d\ncompute %.9g\n", 10 * 8,
            part[1] * vectors, 11 * 8, part[2] * vectors);
    run->mean += work / s->ranks;
    run->slowest = fmax(run->slowest, work);
}

static cairn_status write_record(cli_scale             *study,
                                 cli_scale_point       *point,
                                 const cli_scale_point *base,
                                 skeleton              *s,
                                 const char            *path)
{
    const cli_scale_run *its = &base->verdict.seconds;
    const rates at = {.entry = its->mean * base->ranks / (double)base->size.nnz,
                      .row   = fmax(0, its->median - its->slowest) * base->ranks
                             / (double)base->size.rows};
    double      part[3];
    cli_save    save;

    divide_vectors(study->job, part);
    point->run[0] = (cli_scale_run){.median = 0};
    CLI_TRY(cli_save_begin(study->job, path, &save));
    fprintf(save.file, "cairn-smpi 1 ranks %d\n", s->ranks);
    for (int r = 0; r < s->ranks; r++)
        put_rank(save.file, s, r, &at, part, &point->run[0]);
    CLI_TRY(cli_save_end(study->job, &save, CAIRN_OK));
    const int64_t nnz = s->ptr[s->rows];

    point->runs = 1;
    point->size = (cli_scale_size){
        .rows       = s->rows,
        .cols       = s->rows,
        .nnz        = nnz,
        .halo       = s->halo,
        .halo_bytes = s->halo * (int64_t)sizeof(double),
        .flops      = base->size.flops * (double)nnz / (double)base->size.nnz,
    };
    return CAIRN_OK;
}

cairn_status cli_scale_skeleton(cli_scale             *study,
                                cli_scale_point       *point,
                                const cli_scale_point *base,
                                const char            *path)
{
    skeleton          s     = {.ranks = point->ranks};
    const char *const fault = find_fault(study);

    if (fault || base->size.nnz == 0) {
        snprintf(point->failed, sizeof point->failed, "%s",
                 fault ? fault : "the base has no entries");
        return CAIRN_OK;
    }
    cairn_status status = read_matrix(study, point, &s);

    if (status == CAIRN_OK) {
        cut_rows(&s);
        status = write_record(study, point, base, &s, path);
    }
    free(s.ptr);
    free(s.idx);
    free(s.val);
    free(s.seen);
    free(s.first);
    free(s.needed);
    free(s.giver);
    return status;
}
