// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a format's text says of how rows go to ranks: they go there, with the arrays and the
/// bits that they have otherwise; conversions and files keep to it, and send what changes
/// its rank and nothing else; what cannot be done is refused by all ranks alike.

#include "auto/row_rates.h"
#include "distributed.h"

enum { ROWS = 67, COLS = 40, PAIRS = 120 };

TestSuite(distribution, .init = up, .fini = down, .timeout = 800);

/// Rows of which the last third have most entries: equal counts are no equal rows.
static cairn_source *draw(cairn_context *context, cairn_division division)
{
    uint64_t      state    = 11;
    int64_t       extent[] = {ROWS, COLS}, n = 0;
    int64_t       coord[ROWS * COLS * 2];
    double        value[ROWS * COLS];
    cairn_source *source = NULL;

    for (int64_t i = 0; i < ROWS && context->comm->rank == 0; i++)
        for (int64_t j = 0; j < COLS; j++) {
            if (!random_chance(&state, i > 44 || i - j == 1 ? 60 : 6)) continue;
            coord[2 * n]     = i;
            coord[2 * n + 1] = j;
            value[n++]       = 1 + random_below(&state, 900) / 8.0;
        }
    cairn_source_from_coords(context, 2, extent, n, coord, value, division, &source);
    return source;
}

/// Distributions, and the rank of a row by each; -1: by the run's own cut.
static const char *const words[] = {"rows",          "nnz",
                                    "(d0*ranks/67)", "(ranks-1-(66-d0)/40)",
                                    "(ranks/2)",     "((d0+7)*ranks/80)",
                                    "cost"};

enum { WORDS = sizeof words / sizeof *words, COST = WORDS - 1 };

static int64_t owner(int word, int64_t row, int64_t ranks)
{
    switch (word) {
    case 2: return row * ranks / 67;
    case 3: return ranks - 1 - (66 - row) / 40;
    case 4: return ranks / 2;
    default: return (row + 7) * ranks / 80;
    }
}

/// (ranks-1-(66-d0)/40) names two ranks.
static bool possible(int word, int ranks)
{
    return word != 3 || ranks > 1;
}

/// Does each row lie where an expression says?
static bool lies_there(const cairn_tensor *tensor, int word)
{
    bool good = true;

    for (int64_t row = 0; row < ROWS; row++)
        good = good && cairn_rows_owner(&tensor->rows, row) == owner(word, row, size);
    return good;
}

/// What rows before each row are thought to take, of ranks with as many threads.
static void
add_up_costs(const cairn_format *format, const cairn_source *source, double *before)
{
    cairn_row_rates rates;
    double          entries[ROWS] = {0};

    cr_assert_eq(cairn_row_rates_of(&all->env, format, &rates), CAIRN_OK);
    for (cairn_pos k = 0; k < source->entries.n; k++)
        entries[source->entries.coord[0][k]]++;
    MPI_Allreduce(MPI_IN_PLACE, entries, ROWS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    before[0] = 0;
    for (int64_t row = 0; row < ROWS; row++)
        before[row + 1] = before[row] + rates.row + rates.entry * entries[row];
}

/// Does each boundary lie within half a grain's cost of an equal share, the same on all ranks?
static bool costs_alike(const cairn_tensor *tensor, const cairn_source *source)
{
    const int64_t *first = tensor->rows.first,
                  grain  = cairn_format_grain(tensor->format);
    const int64_t step   = size * grain <= ROWS ? grain : 1;
    int64_t       same[MOST];
    double        before[ROWS + 1];
    bool          good;

    add_up_costs(tensor->format, source, before);
    memcpy(same, first, ((size_t)size + 1) * sizeof *same);
    MPI_Bcast(same, size + 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    good = memcmp(same, first, ((size_t)size + 1) * sizeof *same) == 0;
    for (int r = 1; r < size; r++) {
        const double  far  = fabs(before[first[r]] - before[ROWS] * r / size);
        const int64_t low  = first[r] < step ? 0 : first[r] - step;
        const int64_t high = first[r] + step > ROWS ? ROWS : first[r] + step;

        for (int64_t row = low; row <= high; row += step)
            good = good
                   && far <= fabs(before[row] - before[ROWS] * r / size)
                                 + 1e-6 * before[ROWS];
    }
    return good;
}

/// Y = A X, and whether it is the independent sum.
static bool multiplies(cairn_tensor *tensor, const cairn_source *source, double *y)
{
    cairn_plan *plan = NULL;
    int64_t     first, end, x_first, x_end;
    double      rel, abs;
    bool        good = cairn_plan_create_spmv(tensor, &plan) == CAIRN_OK;

    if (!good) return false;
    cairn_plan_columns(plan, &x_first, &x_end);
    for (int64_t j = x_first; j < x_end; j++)
        cairn_plan_x(plan)[j - x_first] = (double)(j % 97 + 1) / 97;
    good = cairn_plan_run(plan, NULL, NULL) == CAIRN_OK;
    good = good && cairn_plan_verify(plan, source, &rel, &abs) == CAIRN_OK;
    cairn_plan_rows(plan, &first, &end);
    memset(y, 0, ROWS * sizeof *y);
    if (good) memcpy(y + first, cairn_plan_y(plan), (size_t)(end - first) * sizeof *y);
    MPI_Allreduce(MPI_IN_PLACE, y, ROWS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    cairn_plan_destroy(&plan);
    return good;
}

/// Where buckets and cycles are one rank's, a row's order is too.
static bool goes_by_ranks(const char *name)
{
    return strstr(name, "cisr") || strstr(name, "serpens");
}

static void check_format(int f, const double *bits)
{
    cairn_source *source[] = {draw(all, CAIRN_BY_NNZ), draw(all, CAIRN_BY_ROWS)};

    for (int w = 0; w < WORDS; w++) {
        cairn_tensor *said = NULL, *run = NULL;
        const int     its = w == 0; /* the source that is divided so without a word */
        double        y[ROWS];

        if (!possible(w, size)) continue;
        ON_ALL_RANKS(store(source[!its], formats[f], words[w], &said) == CAIRN_OK,
                     "%s @ %s: %s", formats[f], words[w], cairn_context_message(all));
        cr_expect_str_eq(cairn_format_distribution(said->format, -1), words[w]);
        ON_ALL_RANKS(multiplies(said, source[!its], y), "%s @ %s: %s", formats[f],
                     words[w], cairn_context_message(all));
        cr_expect(goes_by_ranks(formats[f]) || memcmp(y, bits, sizeof y) == 0,
                  "%s @ %s: other bits", formats[f], words[w]);
        if (w < 2) {
            ON_ALL_RANKS(store(source[its], formats[f], "", &run) == CAIRN_OK, "%s",
                         cairn_context_message(all));
            cr_expect_null(cairn_format_distribution(run->format, -1));
            cr_expect(same_rows(said, run), "%s @ %s", formats[f], words[w]);
            check_same(run->local, said->local, formats[f]);
        } else if (w == COST) {
            cr_expect(costs_alike(said, source[!its]), "%s @ cost", formats[f]);
        } else {
            cr_expect(lies_there(said, w), "%s @ %s", formats[f], words[w]);
        }
        cairn_tensor_destroy(&run);
        cairn_tensor_destroy(&said);
    }
    cairn_source_destroy(&source[0]);
    cairn_source_destroy(&source[1]);
}

Test(distribution, rows_go_where_the_text_says)
{
    for (int f = 0; f < FORMATS; f++) {
        cairn_source *source = draw(all, CAIRN_BY_NNZ);
        cairn_tensor *tensor = NULL;
        double        bits[ROWS];

        ON_ALL_RANKS(store(source, formats[f], "", &tensor) == CAIRN_OK
                         && multiplies(tensor, source, bits),
                     "%s: %s", formats[f], cairn_context_message(all));
        cairn_tensor_destroy(&tensor);
        cairn_source_destroy(&source);
        check_format(f, bits);
    }
}

/// Entries of this rank that have another in @p to.
static int64_t count_moving(const cairn_source *source,
                            const cairn_tensor *from,
                            const cairn_tensor *to)
{
    int64_t n = 0;

    for (cairn_pos k = 0; k < source->entries.n; k++)
        n += cairn_rows_owner(&from->rows, source->entries.coord[0][k])
             != cairn_rows_owner(&to->rows, source->entries.coord[0][k]);
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return n;
}

/// From one format and distribution to another: the arrays of a tensor that is stored so at
/// once, and no entry sent that stays, nor any twice.
static void check_pair(uint64_t *state, cairn_source *source)
{
    const char *const f    = formats[random_below(state, FORMATS)];
    const char *const g    = formats[random_below(state, FORMATS)];
    const int         v    = random_below(state, WORDS + 1) - 1;
    const int         w    = random_below(state, WORDS);
    cairn_tensor     *from = NULL, *made = NULL, *want = NULL;
    int64_t           entries, messages, bytes;

    if ((v >= 0 && !possible(v, size)) || !possible(w, size)) return;
    ON_ALL_RANKS(store(source, f, v < 0 ? "" : words[v], &from) == CAIRN_OK
                     && store(source, g, words[w], &want) == CAIRN_OK
                     && convert(from, g, words[w], &made) == CAIRN_OK,
                 "%s @ %s to %s @ %s: %s", f, v < 0 ? "" : words[v], g, words[w],
                 cairn_context_message(all));
    cr_expect(same_rows(made, want), "%s @ %s to %s @ %s: other rows", f,
              v < 0 ? "" : words[v], g, words[w]);
    cr_expect_str_eq(cairn_format_text(made->format), cairn_format_text(want->format));
    check_same(want->local, made->local, g);
    bytes = cairn_path_sent(made->how.path, &entries, &messages);
    cr_expect_eq(entries, count_moving(source, from, made), "%s @ %s to %s @ %s: %ld",
                 f, v < 0 ? "" : words[v], g, words[w], (long)entries);
    /* rows and columns of 8 bits, and the value */
    cr_expect(bytes <= entries * (1 + 1 + 8) + 64 * messages
                  && (bytes > 0) == (entries > 0),
              "%s @ %s to %s @ %s: %ld bytes for %ld", f, v < 0 ? "" : words[v], g,
              words[w], (long)bytes, (long)entries);
    cairn_tensor_destroy(&made);
    cairn_tensor_destroy(&want);
    cairn_tensor_destroy(&from);
}

/// Rows take time, too, where a format has a place for each; of two ranks the one with twice
/// the threads gets twice the work, and it gets it again.
Test(distribution, costs_are_of_rows_entries_and_threads)
{
    cairn_source *source = draw(all, CAIRN_BY_NNZ);
    cairn_tensor *nnz = NULL, *alike = NULL, *cost = NULL, *again = NULL, *ell = NULL;
    double        before[ROWS + 1], speeds = 0, share = 0;

    ON_ALL_RANKS(store(source, "csr", "nnz", &nnz) == CAIRN_OK
                     && store(source, "csr", "cost", &alike) == CAIRN_OK
                     && store(source, "ell", "cost", &ell) == CAIRN_OK
                     && cairn_context_set_threads(all, 1 + rank) == CAIRN_OK
                     && store(source, "csr", "cost", &cost) == CAIRN_OK
                     && store(source, "csr", "cost", &again) == CAIRN_OK,
                 "%s", cairn_context_message(all));
    cr_expect(size == 1 || !same_rows(nnz, alike), "entries alone were counted");
    cr_expect(size == 1 || !same_rows(cost, alike), "threads were not counted");
    cr_expect(same_rows(cost, again));
    for (int r = 0; r < size; r++)
        cr_expect_eq(ell->rows.first[r], (ROWS * r + size / 2) / size,
                     "rows of as many slots each are not cut equally");
    add_up_costs(cost->format, source, before);
    for (int r = 0; r < size; r++)
        speeds += 1 + r;
    for (int r = 1; r < size; r++) {
        share += r / speeds;
        const double far = before[cost->rows.first[r]] - before[ROWS] * share;

        cr_expect_lt(fabs(far), before[ROWS] / 20, "rank %d begins %g too late", r,
                     far);
    }
    cairn_context_set_threads(all, 1);
    cairn_tensor_destroy(&nnz);
    cairn_tensor_destroy(&alike);
    cairn_tensor_destroy(&cost);
    cairn_tensor_destroy(&again);
    cairn_tensor_destroy(&ell);
    cairn_source_destroy(&source);
}

/// Devices of models alone, without the processor: a rank's rows are as the memory of the
/// fastest is, by what a file says of it.
Test(distribution, costs_are_of_simulated_devices)
{
    cairn_source *source = draw(all, CAIRN_BY_NNZ);
    cairn_tensor *tensor = NULL;
    double        before[ROWS + 1];
    char          path[100], list[110];

    snprintf(path, sizeof path, "%s/%d.json", folder, rank);
    snprintf(list, sizeof list, "fpga,%s", path);
    FILE *file = fopen(path, "w");

    cr_assert_not_null(file);
    fprintf(file, "{\"kind\": \"fpga\", \"channel_rate\": %de12}\n", 1 + rank);
    fclose(file);
    ON_ALL_RANKS(cairn_devices_check(all, NULL, list, 0) == CAIRN_OK
                     && store(source, "csr", "cost", &tensor) == CAIRN_OK,
                 "%s", cairn_context_message(all));
    add_up_costs(tensor->format, source, before);
    for (int r = 1; r < size; r++) {
        const double share = r * (r + 1.0) / (size * (size + 1.0));
        const double far   = before[tensor->rows.first[r]] - before[ROWS] * share;

        cr_expect_lt(fabs(far), before[ROWS] / 20, "rank %d begins %g too late", r,
                     far);
    }
    remove(path);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

Test(distribution, conversions_send_what_changes_its_rank)
{
    uint64_t      state  = seed_clock();
    cairn_source *source = draw(all, CAIRN_BY_NNZ);

    MPI_Bcast(&state, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    for (int k = 0; k < seed_cases(PAIRS); k++)
        check_pair(&state, source);
    cairn_source_destroy(&source);
}

/// A file of @p writers ranks, read on all: its text, and rows as it says for these ranks.
static void check_file(int writers, const char *name, int w)
{
    cairn_source *source = draw(all, CAIRN_BY_NNZ);
    cairn_tensor *read = NULL, *want = NULL;
    int           code = CAIRN_OK;

    if (some[writers]) {
        cairn_source *own    = draw(some[writers], CAIRN_BY_ROWS);
        cairn_tensor *tensor = NULL;

        code = store(own, name, words[w], &tensor);
        if (code == CAIRN_OK) code = cairn_tensor_write(tensor, native, NULL);
        cairn_tensor_destroy(&tensor);
        cairn_source_destroy(&own);
    }
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    ON_ALL_RANKS(code == CAIRN_OK && store(source, name, words[w], &want) == CAIRN_OK
                     && cairn_tensor_read(all, native, &read) == CAIRN_OK,
                 "%s @ %s of %d ranks: %s", name, words[w], writers,
                 cairn_context_message(all));
    cr_expect_str_eq(cairn_format_text(read->format), cairn_format_text(want->format));
    cr_expect(same_rows(read, want), "%s @ %s of %d ranks", name, words[w], writers);
    cairn_tensor_destroy(&read);
    cairn_tensor_destroy(&want);
    cairn_source_destroy(&source);
}

Test(distribution, files_keep_it)
{
    static const char *const names[] = {"csr", "bdia<3>", "ell",
                                        "hybrid<bdia<2>,csr,0.5>"};

    for (int n = 1; n <= size; n++)
        for (int w = 0; w < WORDS; w++)
            for (int f = 0; f < 4 && possible(w, n) && possible(w, size); f++)
                check_file(n, names[f], w);
}

static void
refused(const char *name, const char *what, cairn_status why, const char *says)
{
    cairn_source *source = draw(all, CAIRN_BY_NNZ);
    cairn_tensor *plain = NULL, *tensor = NULL;
    const int64_t first = source->rows.first[rank];

    ON_ALL_RANKS(store(source, name, what, &tensor) == why && !tensor
                     && strstr(cairn_context_message(all), says),
                 "%s @ %s: %s", name, what, cairn_context_message(all));
    cr_expect_eq(source->rows.first[rank], first, "the source has moved");
    ON_ALL_RANKS(store(source, "csr", "", &plain) == CAIRN_OK
                     && convert(plain, name, what, &tensor) == why && !tensor
                     && strstr(cairn_context_message(all), says),
                 "%s @ %s: %s", name, what, cairn_context_message(all));
    cairn_tensor_destroy(&plain);
    cairn_source_destroy(&source);
}

Test(distribution, what_cannot_be_done_is_refused_by_all)
{
    refused("csr", "(d0/5)", CAIRN_BAD_QUERY, "row 66 goes to rank 13, but there");
    refused("csr", "(d0%5-1)", CAIRN_BAD_QUERY, "row 0 goes to rank -1, but there");
    refused("csr", "(d0/(ranks-9))", CAIRN_BAD_QUERY, "row 0 has no rank");
    refused("csr", "blocks<2,ranks>", CAIRN_ATTENTION, "is for 2 times");
}

/// Members that say what the whole says, too.
Test(distribution, members_may_say_the_same)
{
    cairn_source *source = draw(all, CAIRN_BY_NNZ);
    cairn_tensor *a = NULL, *b = NULL, *c = NULL;
    const char   *plain = "hybrid<bdia<2>,csr,0.5>";

    ON_ALL_RANKS(store(source, "hybrid<bdia<2> @ nnz,csr @ nnz,0.5>", "", &a)
                         == CAIRN_OK
                     && store(source, plain, "", &b) == CAIRN_OK
                     && store(source, "hybrid<bdia<2> @ (d0*ranks/67),csr,0.5>",
                              "(d0*ranks/67)", &c)
                            == CAIRN_OK,
                 "%s", cairn_context_message(all));
    cr_expect(same_rows(a, b));
    check_same(b->local, a->local, plain);
    cr_expect_str_eq(cairn_format_distribution(c->format, 0), "(d0*ranks/67)");
    cr_expect_null(cairn_format_distribution(c->format, 1));
    cr_expect_null(cairn_format_distribution(c->format, 2));
    cairn_tensor_destroy(&a);
    cairn_tensor_destroy(&b);
    cairn_tensor_destroy(&c);
    cairn_source_destroy(&source);
}

/// Rows that a caller divided stay; a text that would move them is refused.
Test(distribution, callers_rows_stay)
{
    const int64_t ptr[] = {0, 1, 2}, idx[] = {0, 1};
    const double  val[]  = {1, 2};
    cairn_tensor *tensor = NULL;
    cairn_format *format = NULL;
    ON_ALL_RANKS(make_format(all, "coo", "rows", &format) == CAIRN_OK, "%s",
                 cairn_context_message(all));
    ON_ALL_RANKS(cairn_tensor_from_csr(all, 2 * size, 2 * size, 2 * rank, 2, ptr, 64,
                                       idx, 64, val, CAIRN_F64, CAIRN_COPY, format,
                                       &tensor)
                     == (size == 1 ? CAIRN_OK : CAIRN_UNSUPPORTED),
                 "%s", cairn_context_message(all));
    cr_expect(size == 1 || strstr(cairn_context_message(all), "stay with their ranks"));
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
}
