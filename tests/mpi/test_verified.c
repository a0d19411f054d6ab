// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The matrices of the shared data, of at most SEED_ENTRIES entries and more than
/// VERIFIED_ABOVE, in every format of the catalogue by every distribution: products next to
/// the independent sums of their entries. A line for each matrix says what was tried; the
/// last one counts all (verified.sh adds up those of 1 to 8 ranks).

#include "distributed.h"

TestSuite(verified, .init = up, .fini = down, .timeout = 36000);

enum { MOST_SAID = 32, SAID_TEXT = 64 };

typedef struct {
    long files, products, memory, other;
} counts;

static counts counted;

/// Every distribution of as many ranks: blocks of every shape among them.
static int list_distributions(const cairn_source *source, char said[][SAID_TEXT])
{
    static const char *const words[] = {"rows", "nnz", "cost", "(d0%ranks)",
                                        "(ranks-1-d0/7%ranks)"};
    cairn_source_info        info    = CAIRN_SOURCE_INFO;
    int                      n       = 0;

    cairn_source_describe(source, &info);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        snprintf(said[n++], SAID_TEXT, "%s", words[k]);
    snprintf(said[n++], SAID_TEXT, "(d0*ranks/%ld)", (long)info.extent[0]);
    if (info.extent[0] == info.extent[1]) snprintf(said[n++], SAID_TEXT, "graph");
    for (int q = 1; q <= size; q++)
        if (size % q == 0) snprintf(said[n++], SAID_TEXT, "blocks<%d,%d>", size / q, q);
    return n;
}

static cairn_status multiply(cairn_tensor *tensor, const cairn_source *source)
{
    cairn_plan  *plan = NULL;
    int64_t      first, end;
    double       rel, abs;
    cairn_status status = cairn_plan_create_spmv(tensor, &plan);

    if (status == CAIRN_OK) {
        cairn_plan_columns(plan, &first, &end);
        for (int64_t j = first; j < end; j++)
            cairn_plan_x(plan)[j - first] = x_at(j, 0);
        status = cairn_plan_run(plan, NULL, NULL);
    }
    if (status == CAIRN_OK) status = cairn_plan_verify(plan, source, &rel, &abs);
    cairn_plan_destroy(&plan);
    return status;
}

/// What may be refused: memory, what this version or this machine has not.
static bool may_refuse(cairn_status status)
{
    return status == CAIRN_NO_MEMORY || status == CAIRN_UNSUPPORTED
           || status == CAIRN_BAD_QUERY || status == CAIRN_OVERFLOW
           || status == CAIRN_ATTENTION;
}

static void verify_file(const char *name, const char *path)
{
    const counts  before = counted;
    const double  begin  = MPI_Wtime();
    cairn_source *source = NULL;
    char          said[MOST_SAID][SAID_TEXT];

    ON_ALL_RANKS(cairn_source_read(all, path, CAIRN_BY_NNZ, &source) == CAIRN_OK, "%s",
                 cairn_context_message(all));
    const int distributions = list_distributions(source, said);

    for (int f = 0; f < FORMATS; f++)
        for (int d = 0; d < distributions; d++) {
            cairn_tensor *tensor = NULL;
            cairn_status  status = store(source, formats[f], said[d], &tensor);

            if (status == CAIRN_OK) status = multiply(tensor, source);
            ON_ALL_RANKS(status == CAIRN_OK || may_refuse(status), "%s: %s @ %s: %s",
                         path, formats[f], said[d], cairn_context_message(all));
            counted.products += status == CAIRN_OK;
            counted.memory += status == CAIRN_NO_MEMORY;
            counted.other += status != CAIRN_OK && status != CAIRN_NO_MEMORY;
            cairn_tensor_destroy(&tensor);
        }
    counted.files++;
    cairn_source_destroy(&source);
    if (rank > 0) return;
    printf("%s: %ld products, %ld refused for memory, %ld otherwise, %.1f s\n", name,
           counted.products - before.products, counted.memory - before.memory,
           counted.other - before.other, MPI_Wtime() - begin);
    fflush(stdout);
}

/// Is it a matrix of real numbers, of the sizes that are asked for?
static bool is_meant(const char *const *field)
{
    const char *above   = getenv("VERIFIED_ABOVE");
    const long  entries = atol(field[5]);

    return strcmp(field[0], "name") && strcmp(field[8], "complex")
           && !strchr(field[2], 'x') && entries <= seed_entries(20000)
           && entries > (above ? atol(above) : 0);
}

Test(verified, all_matrices_in_all_formats_by_all_distributions)
{
    FILE  *list = fopen(CAIRN_TEST_DATA "/matrices/manifest.tsv", "r");
    char  *line = NULL, *rest, path[512];
    size_t room = 0;

    if (!on_all_ranks(list != NULL)) cr_skip_test("no test data");
    cairn_context_set_memory(all, (int64_t)256 << 20);
    while (getline(&line, &room, list) > 0) {
        const char *field[14];

        rest = line;
        for (int k = 0; k < 14; k++)
            field[k] = rest ? strsep(&rest, "\t\n") : "";
        if (!is_meant(field)) continue;
        snprintf(path, sizeof path, CAIRN_TEST_DATA "/matrices/%s", field[13]);
        verify_file(field[0], path);
    }
    free(line);
    fclose(list);
    if (rank == 0)
        printf("%ld products of %ld matrices verified on %d ranks; %ld refused for "
               "memory, %ld otherwise\n",
               counted.products, counted.files, size, counted.memory, counted.other);
    ON_ALL_RANKS(counted.files > 0 && counted.products > counted.other, "nothing");
}
