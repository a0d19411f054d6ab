// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Hybrids whose members lie on other ranks than the whole: each member's entries are where
/// its own text says, Y is the whole's, with the bits of one rank; conversions lead there and
/// back, native files keep them; what needs whole rows refuses them.

#include "comm/renumber.h"
#include "distributed.h"
#include "native_file.h"
#include "place/member_kernel.h"

TestSuite(members_elsewhere, .init = up, .fini = down, .timeout = 800);

/// The whole's rows, and the second member's.
static const char home[] = "(d0*ranks/53)", away[] = "((d0+7)*ranks/80)";

static const char *const members[][2] = {
    {"bdia<2>",   "csr"    },
    {"bell<2>",   "coo"    },
    {"dia",       "dcsr"   },
    {"csr",       "csc"    },
    {"bcsr<2,3>", "sell<2>"},
    {"bdia<3>",   "ell"    },
};

enum { PAIRS = sizeof members / sizeof *members };

/// "hybrid<f @ v,g @ w,0.5>"; nothing behind a member where it is "".
static const char *
hybrid_into(char text[400], const char *f, const char *v, const char *g, const char *w)
{
    snprintf(text, 400, "hybrid<%s%s%s,%s%s%s,0.5>", f, v[0] ? " @ " : "", v, g,
             w[0] ? " @ " : "", w);
    return text;
}

static const char *hybrid(const char *f, const char *v, const char *g, const char *w)
{
    static char text[400];

    return hybrid_into(text, f, v, g, w);
}

/// Y = A X + beta Y of a plan, whose terms are no round numbers; own rows into @p y.
static bool run(cairn_tensor *tensor, int64_t columns, double beta, double *y)
{
    cairn_product_options op      = CAIRN_PRODUCT_OPTIONS;
    cairn_plan_options    options = CAIRN_PLAN_OPTIONS;
    cairn_plan           *plan    = NULL;
    int64_t               lo, hi, first, end;
    bool                  good;

    op.columns      = columns;
    op.beta         = beta;
    options.product = &op;
    memset(y, 0, SIDE * 3 * sizeof *y);
    if (cairn_plan_create_with(tensor, &options, &plan) != CAIRN_OK) return false;
    cairn_plan_columns(plan, &lo, &hi);
    cairn_plan_rows(plan, &first, &end);
    double *const x64 = cairn_plan_x(plan), *const y64 = cairn_plan_y(plan);
    float *const x32 = cairn_plan_x_f32(plan), *const y32 = cairn_plan_y_f32(plan);

    for (int64_t k = 0; k < (hi - lo) * columns; k++) {
        const double value = x_at(lo + k / columns, k % columns) / 3;

        if (x64) x64[k] = value;
        if (x32) x32[k] = (float)value;
    }
    for (int64_t k = 0; k < (end - first) * columns; k++) {
        if (y64) y64[k] = (double)(first * columns + k) / 7;
        if (y32) y32[k] = (float)(first * columns + k) / 7;
    }
    good = cairn_plan_run(plan, NULL, NULL) == CAIRN_OK;
    for (int64_t k = 0; k < (end - first) * columns && good; k++)
        y[first * columns + k] = y64 ? y64[k] : y32[k];
    cairn_plan_destroy(&plan);
    return good;
}

static int compared; ///< Products that were held to a hybrid without @.

/// Has a hybrid without @ the bits that it has with it: does each member meet each row once?
static bool meets_once(const cairn_tensor *tensor, const cairn_product_options *op)
{
    return cairn_member_meets_once(tensor->local, 0, op)
           && cairn_member_meets_once(tensor->local, 1, op);
}

/// The same on all ranks and on one alone, bit for bit, and where members meet rows once also
/// without @ on one; near to the sums of entries.
static bool multiplies(cairn_tensor *tensor,
                       cairn_tensor *alone,
                       cairn_tensor *whole,
                       const known  *m)
{
    static const int64_t columns[] = {1, 3, 1, 3};
    const bool           f32       = tensor->local->value_bits == 32;
    bool                 good      = true;

    for (int k = 0; k < 4 && good; k++) {
        const int64_t               c    = columns[k];
        const double                beta = k < 2 ? k * 0.5 : 3 - k;
        const cairn_product_options op   = {sizeof op, c, false, 1, beta};
        double                      y[SIDE * 3], one[SIDE * 3];

        good = on_all_ranks(run(tensor, c, beta, y));
        MPI_Allreduce(MPI_IN_PLACE, y, SIDE * 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (good && alone)
            good = run(alone, c, beta, one)
                   && memcmp(y, one, (size_t)(SIDE * c) * sizeof *y) == 0;
        if (good && whole && meets_once(whole, &op) && ++compared)
            good = run(whole, c, beta, one)
                   && memcmp(y, one, (size_t)(SIDE * c) * sizeof *y) == 0;
        for (int64_t n = 0; n < SIDE * c && good; n++) {
            double want = beta * (double)n / 7;

            for (int64_t j = 0; j < m->cols; j++)
                want += m->a[n / c][j] * (x_at(j, n % c) / 3);
            good = fabs(y[n] - want) <= (f32 ? 1e-6 : 1e-12) * want;
        }
    }
    return good;
}

/// Are entries of member @p which, and of it alone, on the ranks that an expression says?
static bool lies_at(const cairn_tensor *tensor, int which, bool is_away)
{
    const cairn_group *group = &tensor->local->group[which];
    cairn_local        one   = *tensor->local;
    cairn_entries      e;
    bool               good;

    one.groups   = 1;
    one.group[0] = *group;
    cairn_entries_init(&e, 2);
    good = cairn_local_entries(&one, &e) == CAIRN_OK;
    for (cairn_pos k = 0; k < e.n && good; k++) {
        const int64_t row =
            cairn_column_parts_row(tensor->places->parts, e.coord[0][k]);

        good = (is_away ? (row + 7) * size / 80 : row * size / 53) == rank;
    }
    cairn_entries_fini(tensor->local->env, &e);
    return good;
}

/// The entries of the matrix, each once, on the ranks of @p source; it goes.
static bool is_known(cairn_source *source, const known *m)
{
    int64_t n = 0, want = 0;
    bool    good = true;

    for (cairn_pos k = 0; source && k < source->entries.n; k++) {
        const cairn_entries *e = &source->entries;

        good = good && e->value[k] == m->a[e->coord[0][k]][e->coord[1][k]];
        n += e->value[k] != 0;
    }
    cairn_source_destroy(&source);
    for (int64_t i = 0; i < SIDE; i++)
        for (int64_t j = 0; j < m->cols; j++)
            want += m->a[i][j] != 0;
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return good && n == want;
}

/// @p tensor is NULL on ranks that it is not on.
static bool has_entries(const cairn_tensor *tensor, const known *m)
{
    cairn_source *source = NULL;
    const bool good = !tensor || cairn_source_from_tensor(tensor, &source) == CAIRN_OK;

    return is_known(source, m) && good;
}

static void members_lie(cairn_dtype type)
{
    static const cairn_kernels_way ways[] = {
        CAIRN_KERNELS_AUTO, CAIRN_KERNELS_REFERENCE, CAIRN_KERNELS_COMPILED};
    char  other[400];
    known m, own;

    compared = 0;

    for (int k = 0; k < PAIRS; k += type == CAIRN_F32 ? 2 : 1) { /* kernels take long */
        all->env.options.kernels = ways[k % 3];
        const char *const text   = hybrid(members[k][0], "", members[k][1], away);
        const char *const without =
            hybrid_into(other, members[k][0], "", members[k][1], "");
        cairn_tensor *alone = NULL, *tensor = NULL, *plain = NULL, *whole = NULL;

        draw_known(all, &m, k % 2 ? 31 : SIDE);
        if (some[1]) {
            some[1]->env.options.kernels = ways[k % 3];
            draw_known(some[1], &own, m.cols);
            cr_assert(store_as(own.source, text, home, type, &alone) == CAIRN_OK
                          && store_as(own.source, without, "", type, &whole)
                                 == CAIRN_OK,
                      "%s", cairn_context_message(some[1]));
            cairn_source_destroy(&own.source);
        }
        ON_ALL_RANKS(store_as(m.source, text, home, type, &tensor) == CAIRN_OK
                         && store_as(m.source, without, home, type, &plain) == CAIRN_OK,
                     "%s: %s", text, cairn_context_message(all));
        int64_t a[2], b[2];

        cairn_tensor_rows(tensor, &a[0], &a[1]);
        cairn_tensor_rows(plain, &b[0], &b[1]);
        cr_expect(a[0] == b[0] && a[1] == b[1], "%s: rows of Y", text);
        ON_ALL_RANKS(lies_at(tensor, 0, false) && lies_at(tensor, 1, true), "%s", text);
        ON_ALL_RANKS(has_entries(tensor, &m), "%s: entries", text);
        ON_ALL_RANKS(multiplies(tensor, alone, whole, &m), "%s: %s", text,
                     cairn_context_message(all));
        cairn_tensor_destroy(&alone);
        cairn_tensor_destroy(&whole);
        cairn_tensor_destroy(&plain);
        cairn_tensor_destroy(&tensor);
        cairn_source_destroy(&m.source);
    }
    cr_expect(!some[1] || compared >= 8, "%d compared", compared);
    all->env.options.kernels = CAIRN_KERNELS_AUTO;
    if (some[1]) some[1]->env.options.kernels = CAIRN_KERNELS_AUTO;
}

Test(members_elsewhere, members_lie_where_they_say)
{
    members_lie(CAIRN_F64);
}

/// Whose sums stay in f64 until all members' are added.
Test(members_elsewhere, singles_are_rounded_once)
{
    members_lie(CAIRN_F32);
}

/// Each member by its own counts of entries, rows or costs; as many as the same tensor on one
/// distribution stores of each.
Test(members_elsewhere, counts_are_of_the_members_entries)
{
    static const char *const said[][3] = {
        {"rows", "nnz",  "rows"},
        {"nnz",  "rows", "cost"},
        {"",     "cost", "rows"},
    };
    known m;

    draw_known(all, &m, SIDE);
    for (int k = 0; k < 3; k++) {
        const char   *text   = hybrid("bdia<2>", said[k][1], "csr", said[k][2]);
        cairn_tensor *tensor = NULL, *plain = NULL;
        int64_t       n[4] = {0};

        ON_ALL_RANKS(store(m.source, text, said[k][0], &tensor) == CAIRN_OK,
                     "%s @ %s: %s", text, said[k][0], cairn_context_message(all));
        ON_ALL_RANKS(has_entries(tensor, &m) && multiplies(tensor, NULL, NULL, &m),
                     "%s @ %s: %s", text, said[k][0], cairn_context_message(all));
        ON_ALL_RANKS(store(m.source, "hybrid<bdia<2>,csr,0.5>", "nnz", &plain)
                         == CAIRN_OK,
                     "%s", cairn_context_message(all));
        for (int g = 0; g < 2; g++) {
            n[g]     = tensor->local->part[tensor->local->group[g].first].nnz;
            n[2 + g] = plain->local->part[plain->local->group[g].first].nnz;
        }
        MPI_Allreduce(MPI_IN_PLACE, n, 4, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
        if (strcmp(said[k][0], "nnz") == 0)
            cr_expect(n[0] == n[2] && n[1] == n[3], "%ld and %ld, not %ld and %ld",
                      (long)n[0], (long)n[1], (long)n[2], (long)n[3]);
        cairn_tensor_destroy(&plain);
        cairn_tensor_destroy(&tensor);
    }
    cairn_source_destroy(&m.source);
}

Test(members_elsewhere, conversions_lead_there_and_back)
{
    const char *const text = hybrid("bdia<2>", "", "csr", away);
    cairn_tensor *from = NULL, *there = NULL, *want = NULL, *back = NULL, *csr = NULL;
    known         m;

    draw_known(all, &m, SIDE);
    ON_ALL_RANKS(store(m.source, "ell", "(d0%ranks)", &from) == CAIRN_OK
                     && convert(from, text, home, &there) == CAIRN_OK
                     && store(m.source, text, home, &want) == CAIRN_OK
                     && convert(there, "csr", "nnz", &back) == CAIRN_OK
                     && store(m.source, "csr", "nnz", &csr) == CAIRN_OK,
                 "%s", cairn_context_message(all));
    cr_expect(same_rows(there, want) && same_rows(back, csr));
    check_same(want->local, there->local, text);
    check_same(csr->local, back->local, "csr");
    ON_ALL_RANKS(multiplies(there, NULL, NULL, &m), "%s", cairn_context_message(all));
    cairn_tensor_destroy(&from);
    cairn_tensor_destroy(&there);
    cairn_tensor_destroy(&want);
    cairn_tensor_destroy(&back);
    cairn_tensor_destroy(&csr);
    cairn_source_destroy(&m.source);
}

/// Read on the first @p n ranks, as entries and as a tensor, which on all ranks is the one
/// that was written: entries at their places, and the bits of its product.
static void read_there(int n, cairn_tensor *written, bool apart, const known *m)
{
    cairn_source *source = NULL;
    cairn_tensor *tensor = NULL;
    bool          good   = true;

    if (some[n])
        good = cairn_source_read(some[n], native, CAIRN_BY_NNZ, &source) == CAIRN_OK
               && cairn_tensor_read(some[n], native, &tensor) == CAIRN_OK;
    ON_ALL_RANKS(good, "on %d: %s", n, some[n] ? cairn_context_message(some[n]) : "");
    ON_ALL_RANKS(is_known(source, m) && has_entries(tensor, m), "on %d: entries", n);
    if (n == size) {
        double y[SIDE * 3], other[SIDE * 3];

        ON_ALL_RANKS(!apart || (lies_at(tensor, 0, false) && lies_at(tensor, 1, true)),
                     "places");
        ON_ALL_RANKS(run(written, 3, 0.5, y) && run(tensor, 3, 0.5, other)
                         && memcmp(y, other, sizeof y) == 0,
                     "bits");
        ON_ALL_RANKS(strcmp(cairn_format_text(written->format),
                            cairn_format_text(tensor->format))
                         == 0,
                     "%s", cairn_format_text(tensor->format));
    }
    cairn_tensor_destroy(&tensor);
}

/// The last row of the first segment says that it is another.
static void forge_rows(void)
{
    static native_file file;
    int64_t            row;

    native_file_load(native, &file);
    const cairn_native_row first = native_file_row(&file, 0);
    char                  *at    = file.bytes + first.offset + first.length;

    do { /* what is 0 may be padding */
        at -= 8;
        memcpy(&row, at, 8);
    } while (row == 0);
    row = row > 1 ? row - 1 : row + 1;
    memcpy(at, &row, 8);
    native_file_store(native, &file);
}

Test(members_elsewhere, files_keep_them)
{
    known m;

    for (int k = 0; k < PAIRS; k++) {
        const cairn_dtype type  = k % 3 == 2 ? CAIRN_F32 : CAIRN_F64;
        const bool        apart = k % 2 == 0; /* by expressions, or by what they hold */
        cairn_tensor     *tensor = NULL;

        draw_known(all, &m, k % 2 ? 31 : SIDE);
        ON_ALL_RANKS(store_as(m.source,
                              hybrid(members[k][0], apart ? "" : "rows", members[k][1],
                                     apart ? away : "nnz"),
                              apart ? home : "rows", type, &tensor)
                             == CAIRN_OK
                         && cairn_tensor_write(tensor, native, NULL) == CAIRN_OK,
                     "%s", cairn_context_message(all));
        cairn_source_destroy(&m.source);
        for (int n = 1; n <= size; n++)
            read_there(n, tensor, apart, &m);
        cairn_tensor_destroy(&tensor);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (size == 1) return; /* where all distributions are one */
    if (rank == 0) forge_rows();
    MPI_Barrier(MPI_COMM_WORLD);
    for (int n = 1; n <= size; n++) {
        cairn_source *source = NULL;
        cairn_status  status = CAIRN_BAD_FILE;

        if (some[n]) status = cairn_source_read(some[n], native, CAIRN_BY_NNZ, &source);
        ON_ALL_RANKS(
            status == CAIRN_BAD_FILE
                && (!some[n] || strstr(cairn_context_message(some[n]), native)),
            "on %d: %d: %s", n, (int)status,
            some[n] ? cairn_context_message(some[n]) : "");
    }
}

static void refused(cairn_status status, const char *says)
{
    ON_ALL_RANKS(status == CAIRN_UNSUPPORTED
                     && strstr(cairn_context_message(all), says),
                 "%d: %s", (int)status, cairn_context_message(all));
}

Test(members_elsewhere, what_cannot_be_done_is_refused)
{
    cairn_product_options op      = CAIRN_PRODUCT_OPTIONS;
    cairn_plan_options    options = CAIRN_PLAN_OPTIONS;
    cairn_tensor         *tensor = NULL, *none = NULL;
    cairn_plan           *plan = NULL;
    double                norm;
    known                 m;

    draw_known(all, &m, SIDE);
    refused(store(m.source, "hybrid<bdia<2>,csr @ graph,0.5>", home, &none),
            "not in this version");
    if (size > 1)
        refused(
            store(m.source, "hybrid<bdia<2>,csr @ rows,0.5>", "(ranks-1-d0/27)", &none),
            "consecutive rows here");
    ON_ALL_RANKS(store(m.source, hybrid("bdia<2>", "", "csr", away), home, &tensor)
                     == CAIRN_OK,
                 "%s", cairn_context_message(all));
    refused(cairn_tensor_norm(tensor, CAIRN_NORM_INFINITY, &norm), "@ of members");
    options.product = &op;
    op.transposed   = true;
    refused(cairn_plan_create_with(tensor, &options, &plan), "@ of members");
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&m.source);
}
