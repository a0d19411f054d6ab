// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Collecting levels, parts and arrays from all ranks.

#include "cli/format/format_view.h"

#include "cli/arguments/values.h"
#include "cli/ranks/gather.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Numbers that stand for an array while it is gathered; a kind of 0 is no array.
enum {
    ARRAY_KIND,
    ARRAY_LEVEL,
    ARRAY_BITS,
    ARRAY_LENGTH,
    ARRAY_BYTES,
    ARRAY_STORED,
    ARRAY_ERROR,
    ARRAY_NUMBERS
};

/// Numbers that stand for a level's sizes on one rank.
enum { LEVEL_LO, LEVEL_BELOW, LEVEL_SIZE, LEVEL_NODES, LEVEL_NUMBERS };

/// Words that are gathered as their places in these lists.
static const char *const kinds[]  = {NULL, "ptr", "idx", "tuples", "val", "dict"};
static const char *const stored[] = {NULL, "f64",    "f32",   "iso", "i16",
                                     "i8", "dict16", "dict8", "f16", "bf16"};

enum {
    KINDS = sizeof kinds / sizeof kinds[0],
    TYPES = sizeof stored / sizeof stored[0]
};

static int first_level(const cli_format_view *view, int member)
{
    int first = 0;

    for (int m = 0; m < member; m++)
        first += cairn_format_levels(view->format, m);
    return first;
}

int cli_format_view_levels(const cli_format_view   *view,
                           int                      member,
                           const cairn_level_info **level)
{
    *level = view->level + first_level(view, member);
    return cairn_format_levels(view->format, member);
}

/// Every level as this rank knows it.
static cairn_status describe_levels(cli_format_view *view)
{
    cairn_level_info *info = view->level;

    for (int m = 0; m < cairn_format_members(view->format); m++)
        for (int l = 0; l < cairn_format_levels(view->format, m); l++, info++) {
            info->size = sizeof *info;
            CLI_TRY(view->tensor ? cairn_tensor_level(view->tensor, m, l, info)
                                 : cairn_format_level(view->format, m, l, info));
        }
    return CAIRN_OK;
}

/// A level spans the ranges of all ranks: from the lowest first index on.
static void add_rank(cairn_level_info *info, const double *numbers)
{
    const int64_t lo   = (int64_t)(numbers[LEVEL_LO] - numbers[LEVEL_BELOW]);
    const int64_t size = (int64_t)numbers[LEVEL_SIZE];

    info->nodes += (int64_t)numbers[LEVEL_NODES];
    if (size == 0) return;
    const int64_t first = info->extent && info->lo < lo ? info->lo : lo;
    const int64_t mine = info->lo + info->extent, end = lo + size;

    info->extent = (info->extent && mine > end ? mine : end) - first;
    info->lo     = first;
}

static cairn_status join_sizes(cli_format_view *view, double *mine)
{
    const int ranks = cairn_context_size(view->job->context);
    double   *all;

    for (int l = 0; l < view->levels; l++) {
        const cairn_level_info *info    = &view->level[l];
        double                 *numbers = mine + l * LEVEL_NUMBERS;

        numbers[LEVEL_LO]    = info->lo > 0 ? (double)info->lo : 0;
        numbers[LEVEL_BELOW] = info->lo < 0 ? -(double)info->lo : 0;
        numbers[LEVEL_SIZE]  = (double)info->extent;
        numbers[LEVEL_NODES] = (double)info->nodes;
    }
    const int64_t n = (int64_t)view->levels * LEVEL_NUMBERS;

    CLI_TRY(cli_gather(view->job, mine, n, &all));
    for (int l = 0; l < view->levels; l++)
        view->level[l].nodes = view->level[l].extent = 0;
    for (int r = 0; r < ranks; r++)
        for (int l = 0; l < view->levels; l++)
            add_rank(&view->level[l], all + r * n + l * LEVEL_NUMBERS);
    free(all);
    return CAIRN_OK;
}

/// Nodes of all ranks together, and the range that spans theirs.
static cairn_status join_levels(cli_format_view *view)
{
    double *mine;

    if (!view->tensor || cairn_context_size(view->job->context) == 1) return CAIRN_OK;
    CLI_TRY(cli_alloc_together(view->job, (int64_t)view->levels * LEVEL_NUMBERS,
                               sizeof *mine, &mine));
    const cairn_status status = join_sizes(view, mine);

    free(mine);
    return status;
}

/// The place of a word in one of the lists; 0: it is NULL, or there is none.
static int number_of(const char *const *words, int count, const char *word)
{
    int k = word ? count - 1 : 0;

    while (k > 0 && strcmp(words[k], word) != 0)
        k--;
    return k;
}

/// How many arrays the largest part of any rank has.
static cairn_status count_arrays(cli_format_view *view)
{
    cairn_array_info info = CAIRN_ARRAY_INFO;
    double           most = 0;

    for (int64_t p = 0; p < view->parts; p++) {
        int k = 0;

        if (view->part[p].local < 0) continue;
        while (cairn_tensor_array(view->tensor, view->part[p].local, k, &info)
               == CAIRN_OK)
            k++;
        if (k > most) most = k;
    }
    CLI_TRY(cli_max(view->job, &most));
    view->most_arrays = (int)most;
    return CAIRN_OK;
}

static double *array_numbers(const cli_format_view *view, int64_t part, int k)
{
    return view->array + (part * view->most_arrays + k) * ARRAY_NUMBERS;
}

/// Fill the numbers of this rank's arrays; those of other ranks stay 0.
static void describe_arrays(cli_format_view *view, int64_t part)
{
    const int64_t    local = view->part[part].local;
    cairn_array_info info  = CAIRN_ARRAY_INFO;

    for (int k = 0; k < view->most_arrays; k++) {
        double *numbers = array_numbers(view, part, k);

        if (cairn_tensor_array(view->tensor, local, k, &info) != CAIRN_OK) return;
        numbers[ARRAY_KIND]   = number_of(kinds, KINDS, info.kind);
        numbers[ARRAY_LEVEL]  = info.level + 1; /* Values have level -1. */
        numbers[ARRAY_BITS]   = info.bits;
        numbers[ARRAY_LENGTH] = (double)info.length;
        numbers[ARRAY_BYTES]  = (double)info.bytes;
        numbers[ARRAY_STORED] = number_of(stored, TYPES, info.stored);
        numbers[ARRAY_ERROR]  = info.error;
    }
}

static cairn_status collect_parts(cli_format_view *view)
{
    if (!view->tensor) return CAIRN_OK;
    CLI_TRY(cairn_tensor_parts(view->tensor, &view->parts, &view->part));
    CLI_TRY(count_arrays(view));
    const int64_t n = view->parts * view->most_arrays * ARRAY_NUMBERS;

    CLI_TRY(cli_alloc_together(view->job, n, sizeof *view->array, &view->array));
    for (int64_t p = 0; p < view->parts; p++)
        if (view->part[p].local >= 0) describe_arrays(view, p);
    return cli_max_all(view->job, view->array, n);
}

bool cli_format_view_array(const cli_format_view *view,
                           int64_t                part,
                           int                    k,
                           cairn_array_info      *info)
{
    if (k >= view->most_arrays) return false;
    const double *numbers = array_numbers(view, part, k);

    if (numbers[ARRAY_KIND] == 0) return false;
    *info = (cairn_array_info){
        .size   = sizeof(cairn_array_info),
        .kind   = kinds[(int)numbers[ARRAY_KIND]],
        .level  = (int)numbers[ARRAY_LEVEL] - 1,
        .bits   = (int)numbers[ARRAY_BITS],
        .length = (int64_t)numbers[ARRAY_LENGTH],
        .bytes  = (int64_t)numbers[ARRAY_BYTES],
        .stored = stored[(int)numbers[ARRAY_STORED]],
        .error  = numbers[ARRAY_ERROR],
    };
    return true;
}

cli_word cli_format_array_name(const char *kind, int level)
{
    cli_word word;

    if (level < 0)
        snprintf(word.text, sizeof word.text, "%s", kind);
    else
        snprintf(word.text, sizeof word.text, "%s%d", kind, level);
    return word;
}

int cli_format_pack_of(const cli_format_view *view, int member, int l)
{
    const cairn_storage_info *storage = &view->storage[member];

    for (int k = 0; k < storage->packs; k++)
        if (l >= storage->pack[k].first + storage->pack[k].lists
            && l <= storage->pack[k].last)
            return k;
    return -1;
}

const char *cli_format_view_elements(const cli_format_view *view, int64_t part, int k)
{
    return view->elements ? view->elements[part * view->most_arrays + k] : NULL;
}

/// Bring the elements of all ranks' arrays here.
static cairn_status collect_elements(cli_format_view *view)
{
    cairn_array_info info = CAIRN_ARRAY_INFO;

    if (!view->tensor || !cli_given(view->job, CLI_ARRAYS)) return CAIRN_OK;
    CLI_TRY(cli_alloc_together(view->job, view->parts * view->most_arrays,
                               sizeof *view->elements, &view->elements));
    for (int64_t p = 0; p < view->parts; p++)
        for (int k = 0; cli_format_view_array(view, p, k, &info); k++)
            CLI_TRY(cairn_tensor_part_text(view->tensor, &view->part[p], k,
                                           &view->elements[p * view->most_arrays + k]));
    return CAIRN_OK;
}

static void free_elements(cli_format_view *view)
{
    for (int64_t k = 0; view->elements && k < view->parts * view->most_arrays; k++)
        if (view->elements[k]) cairn_text_free(view->job->context, &view->elements[k]);
    free(view->elements);
    view->elements = NULL;
}

/// What the entries would take uncompressed by coordinates or, of a matrix, by rows.
static cairn_status compare(cli_format_view *view)
{
    static const char rows[] =
        "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)> }>";
    const int     order = cairn_format_order(view->format);
    cairn_format *other = NULL;
    char          entries[128];

    snprintf(entries, sizeof entries,
             "#encoding<{ idx_map<(d[%d])->(d[%d])>, mutation<trim(0,%d)> }>", order,
             order, order - 1);
    view->total.baseline = order == 2 ? "CSR" : "COO";
    cairn_status status =
        cairn_format_create(view->job->context, order == 2 ? rows : entries, &other);

    status = cli_agree(view->job, status);
    if (status == CAIRN_OK)
        status =
            cairn_tensor_bytes_as(view->tensor, other, &view->total.baseline_bytes);
    cairn_format_destroy(&other);
    return status;
}

static void add_parts(cli_format_view *view)
{
    for (int64_t p = 0; p < view->parts; p++) {
        view->total.nnz += view->part[p].nnz;
        view->total.bytes += view->part[p].bytes;
        view->total.values += view->part[p].values;
    }
}

/// What a member stores beside its levels; the same on every rank.
static cairn_status describe_storage(cli_format_view *view)
{
    for (int m = 0; m < cairn_format_members(view->format); m++) {
        view->storage[m].size = sizeof *view->storage;
        CLI_TRY(cairn_format_storage(view->format, m, &view->storage[m]));
    }
    return CAIRN_OK;
}

cairn_status cli_format_view_init(cli_job            *job,
                                  const cairn_format *format,
                                  const cairn_tensor *tensor,
                                  const cairn_path   *path,
                                  cli_format_view    *view)
{
    *view =
        (cli_format_view){.job = job, .format = format, .tensor = tensor, .path = path};

    const int members = cairn_format_members(format);

    view->levels = first_level(view, members);
    cairn_status status =
        cli_alloc_together(job, view->levels, sizeof *view->level, &view->level);

    if (status == CAIRN_OK)
        status =
            cli_alloc_together(job, members, sizeof *view->storage, &view->storage);
    if (status == CAIRN_OK) status = describe_levels(view);
    if (status == CAIRN_OK) status = describe_storage(view);
    if (status == CAIRN_OK) status = join_levels(view);
    if (status == CAIRN_OK) status = collect_parts(view);
    if (status == CAIRN_OK) status = collect_elements(view);
    if (status == CAIRN_OK) add_parts(view);
    if (status == CAIRN_OK && tensor) status = compare(view);
    if (status != CAIRN_OK) cli_format_view_fini(view);
    return status;
}

void cli_format_view_fini(cli_format_view *view)
{
    free_elements(view);
    if (view->part) cairn_parts_free(view->tensor, &view->part);
    free(view->array);
    free(view->level);
    free(view->storage);
    view->array   = NULL;
    view->level   = NULL;
    view->storage = NULL;
}
