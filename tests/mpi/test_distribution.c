// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a format's text says of how rows go to ranks: they go there, with the arrays and the
/// bits that they have otherwise; conversions and files keep to it, and send what changes
/// its rank and nothing else; what cannot be done is refused by all ranks alike.

#include "api/api.h"
#include "conversion.h"
#include "every_format.h"
#include "mpi_suite.h"
#include "seed.h"
#include "tensor/walk.h"

#include <cairn/cairn.h>
#include <cairn/mpi.h>

#include <math.h>

enum { MOST = 5, ROWS = 67, COLS = 40, TEXT = RANDOM_FORMAT + 80, PAIRS = 120 };

static cairn_context *some[MOST]; ///< [n] Over the first n ranks, on these.
static cairn_context *all;
static char           folder[64], native[100];

static void up(void)
{
    mpi_up();
    for (int n = 1; n <= size && n < MOST; n++) {
        MPI_Comm group;

        MPI_Comm_split(MPI_COMM_WORLD, rank < n ? 0 : MPI_UNDEFINED, rank, &group);
        if (group == MPI_COMM_NULL) continue;
        if (cairn_context_create_mpi(group, &some[n]) != CAIRN_OK) abort();
        MPI_Comm_free(&group);
    }
    all = some[size];
    shared_scratch(folder);
    snprintf(native, sizeof native, "%s/a.cairn", folder);
}

static void down(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        remove(native);
        cr_expect_eq(rmdir(folder), 0, "something is left in %s", folder);
    }
    for (int n = 1; n <= size; n++)
        cairn_context_destroy(&some[n]);
    mpi_down();
}

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

/// "FORMAT @ WHAT", or FORMAT where @p what is "".
static cairn_status make_format(cairn_context *context,
                                const char    *name,
                                const char    *what,
                                cairn_format **format)
{
    char text[TEXT];

    by_name(name, text, RANDOM_FORMAT);
    if (what[0]) {
        strcat(text, " @ ");
        strcat(text, what);
    }
    return cairn_format_create(context, text, format);
}

static cairn_status store_as(cairn_source  *source,
                             const char    *name,
                             const char    *what,
                             cairn_dtype    dtype,
                             cairn_tensor **tensor)
{
    cairn_format *format = NULL;
    cairn_status  status = make_format(source->context, name, what, &format);

    if (status == CAIRN_OK) status = cairn_tensor_create(source, format, dtype, tensor);
    cairn_format_destroy(&format);
    return status;
}

static cairn_status
store(cairn_source *source, const char *name, const char *what, cairn_tensor **tensor)
{
    return store_as(source, name, what, CAIRN_F64, tensor);
}

static cairn_status convert(const cairn_tensor *from,
                            const char         *name,
                            const char         *what,
                            cairn_tensor      **tensor)
{
    cairn_format *format = NULL;
    cairn_status  status = make_format(from->context, name, what, &format);

    if (status == CAIRN_OK) status = cairn_tensor_convert(from, format, tensor);
    cairn_format_destroy(&format);
    return status;
}

/// Distributions, and the rank of a row by each; -1: by the run's own cut.
static const char *const words[] = {"rows",          "nnz",
                                    "(d0*ranks/67)", "(ranks-1-(66-d0)/40)",
                                    "(ranks/2)",     "((d0+7)*ranks/80)"};

enum { WORDS = sizeof words / sizeof *words };

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

static bool same_rows(const cairn_tensor *a, const cairn_tensor *b)
{
    return memcmp(a->rows.first, b->rows.first,
                  (size_t)(a->rows.size + 1) * sizeof *a->rows.first)
           == 0;
}

/// Does each row lie where an expression says?
static bool lies_there(const cairn_tensor *tensor, int word)
{
    bool good = true;

    for (int64_t row = 0; row < ROWS; row++)
        good = good && cairn_rows_owner(&tensor->rows, row) == owner(word, row, size);
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
    bytes = cairn_path_sent(made->path, &entries, &messages);
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
    static const char later[] = "not in this version";

    refused("csr", "(d0/5)", CAIRN_BAD_QUERY, "row 66 goes to rank 13, but there");
    refused("csr", "(d0%5-1)", CAIRN_BAD_QUERY, "row 0 goes to rank -1, but there");
    refused("csr", "(d0/(ranks-9))", CAIRN_BAD_QUERY, "row 0 has no rank");
    refused("csr", "cost", CAIRN_UNSUPPORTED, later);
    refused("csr", "blocks<1,ranks>", CAIRN_UNSUPPORTED, later);
    if (size > 1) {
        refused("hybrid<csr @ rows,coo>", "nnz", CAIRN_UNSUPPORTED,
                "member 1 has @ rows, and the whole another");
        refused("hybrid<csr,coo @ (d0*ranks/67)>", "(d0*ranks/68)", CAIRN_UNSUPPORTED,
                "member 2 has @ (d0*ranks/67), and the whole another");
    }
}

/* ---- rows that are not consecutive ---- */

enum { SIDE = 53 };

/// Distributions of these, and the rank of a row.
static const char *const scatters[] = {"(d0%ranks)", "(ranks-1-d0*ranks/53)",
                                       "(d0/3*5%7%ranks)"};

enum { SCATTERS = sizeof scatters / sizeof *scatters };

static int64_t scattered(int word, int64_t row)
{
    return word == 0   ? row % size
           : word == 1 ? size - 1 - row * size / 53
                       : row / 3 * 5 % 7 % size;
}

/// A matrix with SIDE rows, as rank 0 gives it and as all know it.
typedef struct {
    int64_t       cols;
    double        a[SIDE][SIDE];
    cairn_source *source;
} known;

static void draw_known(known *m, int64_t cols)
{
    uint64_t      state    = 3;
    const int64_t extent[] = {SIDE, cols};
    int64_t       coord[SIDE * SIDE * 2], n = 0;
    double        value[SIDE * SIDE];

    memset(m, 0, sizeof *m);
    m->cols = cols;
    for (int64_t i = 0; i < SIDE; i++)
        for (int64_t j = 0; j < cols; j++)
            if (random_chance(&state, i % 9 == 4 ? 70 : 8)) {
                m->a[i][j]       = 1 + random_below(&state, 900) / 8.0;
                coord[2 * n]     = i;
                coord[2 * n + 1] = j;
                value[n++]       = m->a[i][j];
            }
    cr_assert_eq(cairn_source_from_coords(all, 2, extent, rank == 0 ? n : 0, coord,
                                          value, CAIRN_BY_NNZ, &m->source),
                 CAIRN_OK);
}

/// Where all rows are: their own order, if they have no places.
static void gather_places(const cairn_tensor *tensor, int64_t *place)
{
    const int64_t  first = tensor->rows.first[rank], end = tensor->rows.first[rank + 1];
    const int64_t *own = cairn_tensor_places(tensor);

    memset(place, 0, SIDE * sizeof *place);
    for (int64_t i = first; i < end; i++)
        place[i] = own ? own[i - first] : i;
    MPI_Allreduce(MPI_IN_PLACE, place, SIDE, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}

/// The places of all rows, one after the other: each once, on the rank that is asked for.
static bool find_places(const cairn_tensor *tensor, int word, int64_t *place)
{
    int64_t before[MOST] = {0};
    bool    good         = true;

    gather_places(tensor, place);
    for (int64_t i = 0; i < SIDE; i++) {
        const int64_t r = scattered(word, i);

        good = good && place[i] == tensor->rows.first[r] + before[r]++;
    }
    for (int r = 0; r < size; r++)
        good = good && tensor->rows.first[r] + before[r] == tensor->rows.first[r + 1];
    return good;
}

/// Are the stored entries those of the matrix in the order of places?
static bool
stores_places(const cairn_tensor *tensor, const known *m, const int64_t *place)
{
    double        b[SIDE][SIDE];
    cairn_entries e;
    int64_t       n = 0, want = 0;
    bool          good;

    memset(b, 0, sizeof b);
    for (int64_t i = 0; i < SIDE; i++)
        for (int64_t j = 0; j < m->cols; j++) {
            b[place[i]][m->cols == SIDE ? place[j] : j] = m->a[i][j];
            want +=
                m->a[i][j] != 0 && cairn_rows_owner(&tensor->rows, place[i]) == rank;
        }
    cairn_entries_init(&e, 2);
    good = cairn_local_entries(tensor->local, &e) == CAIRN_OK;
    for (cairn_pos k = 0; k < e.n && good; k++) {
        good = e.value[k] == b[e.coord[0][k]][e.coord[1][k]];
        n += e.value[k] != 0;
    }
    cairn_entries_fini(tensor->local->env, &e);
    return good && n == want;
}

/// One way to multiply.
typedef struct {
    bool    transposed, permuted, theirs;
    int64_t columns;
    double  beta;
} way;

static double x_at(int64_t j, int64_t c)
{
    return (double)((j + 31 * c) % 97 + 1) / 97;
}

/// op(A) X + beta Y, where Y is 1 + row.
static double expected(const known *m, const way *w, int64_t i, int64_t c)
{
    const int64_t inner = w->transposed ? SIDE : m->cols;
    double        sum   = w->beta * (double)(1 + i);

    for (int64_t j = 0; j < inner; j++)
        sum += (w->transposed ? m->a[j][i] : m->a[i][j]) * x_at(j, c);
    return sum;
}

/// Row @p i, counted as the plan counts it, as the matrix does.
static int64_t row_of(const way *w, bool moved, const int64_t *index, int64_t i)
{
    return w->permuted && moved ? index[i] : i;
}

static bool
check_way(cairn_tensor *tensor, const known *m, const way *w, const int64_t *index)
{
    cairn_product_options op      = CAIRN_PRODUCT_OPTIONS;
    cairn_plan_options    options = CAIRN_PLAN_OPTIONS;
    cairn_plan           *plan    = NULL;
    const bool            square  = m->cols == SIDE;
    const bool            x_moves = square || w->transposed;
    const bool            y_moves = square || !w->transposed;
    double                x[SIDE * 3], y[SIDE * 3], rel, abs;
    int64_t               lo, hi, first, end;
    bool                  good;

    op.columns       = w->columns;
    op.transposed    = w->transposed;
    op.beta          = w->beta;
    options.product  = &op;
    options.permuted = w->permuted;
    if (cairn_plan_create_with(tensor, &options, &plan) != CAIRN_OK) return false;
    cairn_plan_columns(plan, &lo, &hi);
    cairn_plan_rows(plan, &first, &end);
    double *const to = w->theirs ? x : cairn_plan_x(plan);
    double *const of = w->theirs ? y : cairn_plan_y(plan);

    for (int64_t j = lo; j < hi; j++)
        for (int64_t c = 0; c < w->columns; c++)
            to[(j - lo) * w->columns + c] = x_at(row_of(w, x_moves, index, j), c);
    for (int64_t i = first; i < end; i++)
        for (int64_t c = 0; c < w->columns; c++)
            of[(i - first) * w->columns + c] =
                (double)(1 + row_of(w, y_moves, index, i));
    good = cairn_plan_run(plan, w->theirs ? x : NULL, w->theirs ? y : NULL) == CAIRN_OK;
    for (int64_t i = first; i < end && good; i++)
        for (int64_t c = 0; c < w->columns; c++) {
            const double want = expected(m, w, row_of(w, y_moves, index, i), c);

            good =
                good && fabs(of[(i - first) * w->columns + c] - want) <= 1e-12 * want;
        }
    if (w->beta == 0) {
        const cairn_status status = cairn_plan_verify(plan, m->source, &rel, &abs);

        good = good && status == (w->permuted ? CAIRN_BAD_ARGUMENT : CAIRN_OK);
    }
    cairn_plan_destroy(&plan);
    return on_all_ranks(good);
}

/// A fourth of the ways; those of the next formats are the others.
static void check_scattered(const known *m, const char *name, int word, int from)
{
    cairn_tensor *tensor = NULL;
    int64_t       place[SIDE], index[SIDE];

    ON_ALL_RANKS(store(m->source, name, scatters[word], &tensor) == CAIRN_OK,
                 "%s @ %s: %s", name, scatters[word], cairn_context_message(all));
    ON_ALL_RANKS(find_places(tensor, word, place), "%s @ %s: places", name,
                 scatters[word]);
    ON_ALL_RANKS(stores_places(tensor, m, place), "%s @ %s: entries", name,
                 scatters[word]);
    for (int64_t i = 0; i < SIDE; i++)
        index[place[i]] = i;
    for (int k = from % 4; k < 16; k += 4) {
        const way w = {.transposed = k / 4 & 1,
                       .permuted   = k / 4 & 2,
                       .theirs     = k & 1,
                       .columns    = k & 1 ? 3 : 1,
                       .beta       = k & 2 ? 0.5 : 0};

        ON_ALL_RANKS(check_way(tensor, m, &w, index), "%s @ %s, way %d: %s", name,
                     scatters[word], k, cairn_context_message(all));
    }
    cairn_tensor_destroy(&tensor);
}

/// Any format, square and not, with all that a plan can be asked for: a fourth of the formats
/// in a run.
Test(distribution, scattered_rows_are_multiplied)
{
    uint64_t state = seed_clock();
    known    m;

    MPI_Bcast(&state, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    for (int f = random_below(&state, 4); f < FORMATS && size > 1; f += 4) {
        draw_known(&m, random_below(&state, 2) ? SIDE : 31);
        check_scattered(&m, formats[f], random_below(&state, SCATTERS),
                        random_below(&state, 4));
        cairn_source_destroy(&m.source);
    }
}

/// A chain brings its vectors back; f32; and what a run moves is counted.
Test(distribution, scattered_chains)
{
    known              m;
    cairn_tensor      *tensor = NULL;
    cairn_format      *format = NULL;
    cairn_plan        *plan = NULL, *plain = NULL;
    cairn_plan_options options = CAIRN_PLAN_OPTIONS;
    cairn_plan_info    its = CAIRN_PLAN_INFO, other = CAIRN_PLAN_INFO;
    double             rel, abs;
    int64_t            lo, hi;

    if (size == 1) return;
    draw_known(&m, SIDE);
    ON_ALL_RANKS(make_format(all, "bdia<4>", scatters[2], &format) == CAIRN_OK
                     && cairn_tensor_create(m.source, format, CAIRN_F32, &tensor)
                            == CAIRN_OK
                     && cairn_plan_create_spmv(tensor, &plan) == CAIRN_OK,
                 "%s", cairn_context_message(all));
    cairn_plan_columns(plan, &lo, &hi);
    for (int64_t j = lo; j < hi; j++)
        cairn_plan_x_f32(plan)[j - lo] = (float)x_at(j, 0);
    ON_ALL_RANKS(cairn_plan_iterate(plan, 4) == CAIRN_OK
                     && cairn_plan_verify(plan, m.source, &rel, &abs) == CAIRN_OK,
                 "%s", cairn_context_message(all));
    options.permuted = true;
    ON_ALL_RANKS(cairn_plan_create_with(tensor, &options, &plain) == CAIRN_OK
                     && cairn_plan_describe(plan, &its) == CAIRN_OK
                     && cairn_plan_describe(plain, &other) == CAIRN_OK,
                 "%s", cairn_context_message(all));
    cr_expect_eq(its.bytes_per_run - other.bytes_per_run, 2 * 2 * SIDE * 4);
    cairn_plan_destroy(&plain);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&m.source);
}

static bool says_not_here(cairn_status status)
{
    return on_all_ranks(
        status == CAIRN_UNSUPPORTED
        && strstr(cairn_context_message(all),
                  "its rows are renumbered, @ (d0%ranks): not in this"));
}

/// What needs rows in their own order.
Test(distribution, scattered_rows_go_nowhere_else)
{
    known              m;
    cairn_tensor      *tensor  = NULL;
    cairn_plan        *plan    = NULL;
    cairn_plan_options options = CAIRN_PLAN_OPTIONS;
    cairn_compressed   out     = CAIRN_COMPRESSED;
    int64_t            ptr[SIDE + 1], idx[SIDE * SIDE];
    double             val[SIDE * SIDE];

    if (size == 1) return;
    draw_known(&m, SIDE);
    ON_ALL_RANKS(store(m.source, "csr", scatters[0], &tensor) == CAIRN_OK, "%s",
                 cairn_context_message(all));
    options.reproducible = true;
    out.ptr              = ptr;
    out.ptr_length       = SIDE + 1;
    out.length           = SIDE * SIDE;
    out.idx              = idx;
    out.val              = val;
    cr_expect(says_not_here(cairn_plan_create_with(tensor, &options, &plan)));
    cr_expect(says_not_here(cairn_tensor_write(tensor, native, NULL)));
    cr_expect(says_not_here(cairn_tensor_write_text(tensor, m.source, native, NULL)));
    cr_expect(says_not_here(cairn_tensor_to_csr(tensor, &out)));
    cr_expect_null(plan);
    cairn_tensor_destroy(&tensor);
    ON_ALL_RANKS(store(m.source, "csr", "", &tensor) == CAIRN_OK, "%s",
                 cairn_context_message(all));
    cr_expect_null(cairn_tensor_places(tensor));
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&m.source);
}

/// A conversion between rows by places and consecutive ones.
typedef struct {
    const char *from, *from_said; ///< Formats, and distributions,
    const char *to, *to_said;
    int         word; ///< of which this is the second one's number; -1: it has none.
    cairn_dtype dtype;
} pair;

/// Entries that one has on another rank than the other.
static int64_t
count_moved(const known *m, const cairn_tensor *from, const cairn_tensor *to)
{
    int64_t a[SIDE], b[SIDE], moved = 0;

    gather_places(from, a);
    gather_places(to, b);
    for (int64_t i = 0; i < SIDE; i++)
        for (int64_t j = 0; j < m->cols; j++)
            moved += m->a[i][j] != 0
                     && cairn_rows_owner(&from->rows, a[i])
                            != cairn_rows_owner(&to->rows, b[i]);
    return moved;
}

/// Each entry is sent that changes its rank, once, and takes no more than it has to.
static void
check_sent(const known *m, const cairn_tensor *from, const cairn_tensor *made)
{
    int64_t       entries, messages;
    const int64_t bytes = cairn_path_sent(made->path, &entries, &messages);
    const int64_t moved = count_moved(m, from, made);

    cr_expect_eq(entries, moved, "%ld sent, %ld move", (long)entries, (long)moved);
    /* rows and columns of 8 bits, and eighths below 114, which are f32 */
    cr_expect(bytes <= entries * (1 + 1 + 4) + 64 * messages, "%ld bytes for %ld",
              (long)bytes, (long)entries);
    cr_expect_eq(bytes > 0, moved > 0);
}

/// The arrays of what is stored so at once, and the entries that it was made of.
static void check_conversion(const known *m, const pair *p)
{
    cairn_tensor *from = NULL, *made = NULL, *want = NULL;
    cairn_source *back = NULL;
    int64_t       place[SIDE];

    ON_ALL_RANKS(store_as(m->source, p->from, p->from_said, p->dtype, &from) == CAIRN_OK
                     && convert(from, p->to, p->to_said, &made) == CAIRN_OK
                     && cairn_source_from_tensor(made, &back) == CAIRN_OK
                     && store_as(m->source, p->to, p->to_said, p->dtype, &want)
                            == CAIRN_OK,
                 "%s @ %s to %s @ %s: %s", p->from, p->from_said, p->to, p->to_said,
                 cairn_context_message(all));
    cr_expect(same_rows(made, want), "%s @ %s to %s @ %s: other rows", p->from,
              p->from_said, p->to, p->to_said);
    check_same(want->local, made->local, p->to);
    if (p->word >= 0)
        ON_ALL_RANKS(find_places(made, p->word, place) && stores_places(made, m, place),
                     "%s @ %s to %s @ %s", p->from, p->from_said, p->to, p->to_said);
    for (cairn_pos k = 0; k < back->entries.n; k++)
        cr_expect_eq(back->entries.value[k],
                     m->a[back->entries.coord[0][k]][back->entries.coord[1][k]]);
    check_sent(m, from, made);
    cairn_source_destroy(&back);
    cairn_tensor_destroy(&from);
    cairn_tensor_destroy(&made);
    cairn_tensor_destroy(&want);
}

/// Both element types, by kernels and without.
Test(distribution, scattered_rows_are_converted)
{
    uint64_t state = seed_clock();
    known    m;

    MPI_Bcast(&state, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    for (int k = 0; k < seed_cases(16) && size > 1; k++) {
        const int  v = random_below(&state, SCATTERS + 1) - 1;
        const int  w = random_below(&state, SCATTERS + (v >= 0)) - (v >= 0);
        const pair p = {formats[random_below(&state, FORMATS)],
                        v < 0 ? "rows" : scatters[v],
                        formats[random_below(&state, FORMATS)],
                        w < 0 ? "nnz" : scatters[w],
                        w,
                        k % 2 ? CAIRN_F32 : CAIRN_F64};

        all->env.options.kernels =
            k % 4 == 2 ? CAIRN_KERNELS_REFERENCE : CAIRN_KERNELS_AUTO;
        draw_known(&m, random_below(&state, 2) ? SIDE : 31);
        check_conversion(&m, &p);
        cairn_source_destroy(&m.source);
    }
    all->env.options.kernels = CAIRN_KERNELS_AUTO;
}

/// Where there is PT-Scotch; the_graph_keeps_neighbours_together has it that there is not.
Test(distribution, rows_by_the_graph_are_converted)
{
    const pair pairs[] = {
        {"csr",       "rows",  "bdia<3>",              "graph",     -1, CAIRN_F64},
        {"ell",       "graph", "hybrid<dia,dcsr,0.3>", scatters[2], 2,  CAIRN_F64},
        {"bcsr<2,3>", "graph", "csc",                  "nnz",       -1, CAIRN_F32},
    };
    cairn_tensor *tensor = NULL;
    known         m;

    if (size == 1) return;
    draw_known(&m, SIDE);
    const cairn_status status = store(m.source, "csr", "graph", &tensor);

    for (int k = 0; k < 3 && status != CAIRN_ATTENTION; k++)
        check_conversion(&m, &pairs[k]);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&m.source);
}

/* ---- by the graph ---- */

enum { GRID = 24, NODES = GRID * GRID };

/// A five-point stencil whose rows are numbered at random: by number, ranks need almost all
/// of X; by the grid, what is along a few lines.
static cairn_source *draw_shuffled(void)
{
    static int64_t coord[NODES * 5 * 2];
    static double  value[NODES * 5];
    int64_t        name[NODES], n = 0;
    const int64_t  extent[] = {NODES, NODES};
    uint64_t       state    = 5;
    cairn_source  *source   = NULL;

    for (int k = 0; k < NODES; k++) {
        const int j = random_below(&state, k + 1);

        name[k] = name[j];
        name[j] = k;
    }
    for (int i = 0; i < GRID && rank == 0; i++)
        for (int j = 0; j < GRID; j++)
            for (int k = 0; k < 5; k++) {
                const int a = i + (k == 1) - (k == 2), b = j + (k == 3) - (k == 4);

                if (a < 0 || b < 0 || a == GRID || b == GRID) continue;
                coord[2 * n]     = name[i * GRID + j];
                coord[2 * n + 1] = name[a * GRID + b];
                value[n++]       = k == 0 ? 4 : -1;
            }
    cairn_source_from_coords(all, 2, extent, n, coord, value, CAIRN_BY_NNZ, &source);
    return source;
}

/// Rows of X from other ranks, in a product that is right.
static bool find_halo(cairn_tensor *tensor, const cairn_source *source, int64_t *halo)
{
    cairn_plan     *plan = NULL;
    cairn_plan_info info = CAIRN_PLAN_INFO;
    int64_t         lo, hi;
    double          rel, abs;
    bool            good = cairn_plan_create_spmv(tensor, &plan) == CAIRN_OK;

    if (!good) return false;
    cairn_plan_columns(plan, &lo, &hi);
    for (int64_t j = lo; j < hi; j++)
        cairn_plan_x(plan)[j - lo] = x_at(j, 0);
    good = cairn_plan_run(plan, NULL, NULL) == CAIRN_OK
           && cairn_plan_verify(plan, source, &rel, &abs) == CAIRN_OK
           && cairn_plan_describe(plan, &info) == CAIRN_OK;
    *halo = info.halo;
    cairn_plan_destroy(&plan);
    return on_all_ranks(good);
}

Test(distribution, the_graph_keeps_neighbours_together)
{
    cairn_source      *source = draw_shuffled();
    cairn_tensor      *plain = NULL, *graph = NULL, *again = NULL;
    int64_t            before = 0, halo = 0, own, most;
    const cairn_status status = store(source, "csr", "nnz", &plain);

    ON_ALL_RANKS(status == CAIRN_OK && find_halo(plain, source, &before), "%s",
                 cairn_context_message(all));
    const cairn_status made = store(source, "csr", "graph", &graph);

    if (made == CAIRN_ATTENTION) { /* without the library: never another distribution */
        cr_expect(strstr(cairn_context_message(all), "PT-Scotch cannot be used here"));
    } else {
        ON_ALL_RANKS(made == CAIRN_OK && find_halo(graph, source, &halo)
                         && store(source, "csr", "graph", &again) == CAIRN_OK,
                     "%s", cairn_context_message(all));
        cr_expect(halo <= before / 3, "%ld rows of X travel, %ld by number", (long)halo,
                  (long)before);
        own = most = graph->local->part[0].nnz;
        MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
        cr_expect(most * size <= 1.25 * 5 * NODES, "%ld entries on a rank", (long)most);
        cr_expect(same_rows(graph, again)
                      && memcmp(cairn_tensor_places(graph), cairn_tensor_places(again),
                                (size_t)(graph->rows.first[rank + 1]
                                         - graph->rows.first[rank])
                                    * sizeof own)
                             == 0,
                  "another run, another partition");
    }
    cairn_tensor_destroy(&plain);
    cairn_tensor_destroy(&graph);
    cairn_tensor_destroy(&again);
    cairn_source_destroy(&source);
    source = draw(all, CAIRN_BY_NNZ);
    ON_ALL_RANKS(store(source, "csr", "graph", &graph) == CAIRN_BAD_SHAPE
                     && strstr(cairn_context_message(all), "the matrix is not square"),
                 "%s", cairn_context_message(all));
    cairn_source_destroy(&source);
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
