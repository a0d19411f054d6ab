// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// More columns than 32 bits number, few of which have entries: stored in the formats of
/// the catalogue, converted, brought to other distributions, written, read and multiplied,
/// next to sums of the entries. Ranks keep no list of columns: what is stored stays within
/// 64 MB, and of X, of which a rank owns gigabytes, they touch what entries need. Blocks are
/// not multiplied, whose ranks touch all of their X.

#include "distributed.h"

TestSuite(far_columns, .init = up, .fini = down, .timeout = 900);

enum { ROWS = 40, FEW = 120 };

/// Is memory that is not touched none? Not with address sanitizer, which fills it; clang
/// says so in its own way.
#ifdef __SANITIZE_ADDRESS__
enum { UNTOUCHED_IS_FREE = 0 };
#elif defined __has_feature
#    if __has_feature(address_sanitizer)
enum { UNTOUCHED_IS_FREE = 0 };
#    else
enum { UNTOUCHED_IS_FREE = 1 };
#    endif
#else
enum { UNTOUCHED_IS_FREE = 1 };
#endif

static const int64_t columns = INT64_C(2200000000), stored = 64 << 20,
                     planned = INT64_C(40) << 30;

typedef struct {
    int64_t       coord[2 * FEW];
    double        value[FEW];
    cairn_source *source;
} far_matrix;

/// Entries near both ends, on both sides of 2^31, and anywhere.
static void draw_far(far_matrix *m)
{
    const int64_t extent[] = {ROWS, columns};
    const int64_t near[]   = {0, columns / 2, INT64_C(1) << 31, columns - 8};
    uint64_t      state    = 11;

    for (int k = 0; k < FEW; k++) {
        m->coord[2 * k] = k * ROWS / FEW;
        m->coord[2 * k + 1] =
            k % 3 == 2 ? columns / FEW * k + random_below(&state, 1 << 20)
                       : near[random_below(&state, 4)] - (k % 4 == 1) + k % 3;
        if (m->coord[2 * k + 1] < 0) m->coord[2 * k + 1] = 5;
        m->value[k] = (1 + random_below(&state, 900)) / 8.0;
    }
    cr_assert_eq(cairn_source_from_coords(all, 2, extent, rank == 0 ? FEW : 0, m->coord,
                                          m->value, CAIRN_BY_NNZ, &m->source),
                 CAIRN_OK);
}

static double x_far(int64_t j)
{
    return (double)(j % 1021 + 1) / 8;
}

/// Are the stored entries those of the matrix? Entries at one place are added up in both.
static bool has_far(const cairn_tensor *tensor, const far_matrix *m)
{
    cairn_source *source = NULL;
    double        sum[2] = {0, 0};

    if (cairn_source_from_tensor(tensor, &source) != CAIRN_OK) return false;
    for (cairn_pos k = 0; k < source->entries.n; k++)
        sum[0] += source->entries.value[k]
                  * (double)(source->entries.coord[0][k] * 1021
                             + source->entries.coord[1][k] % 100003);
    cairn_source_destroy(&source);
    MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int k = 0; k < FEW; k++)
        sum[1] += m->value[k]
                  * (double)(m->coord[2 * k] * 1021 + m->coord[2 * k + 1] % 100003);
    return sum[0] == sum[1];
}

/// Has the system refused memory, and not the context's limit? A system that promises no
/// more than it has refuses gigabytes also where few of them will be touched.
static bool is_systems_refusal(cairn_status status)
{
    return status == CAIRN_NO_MEMORY
           && strstr(cairn_context_message(all), "out of memory") != NULL;
}

/// Y = A X, exactly, unless the system refuses X on all ranks. The plan's X is written where
/// entries need it, and nowhere else.
static cairn_status multiply_far(cairn_tensor *tensor, const far_matrix *m, bool *right)
{
    cairn_plan *plan = NULL;
    int64_t     lo, hi, first, end;
    double      want[ROWS] = {0};

    cairn_context_set_memory(all, planned);
    cairn_status status = cairn_plan_create_spmv(tensor, &plan);

    if (on_all_ranks(is_systems_refusal(status))) {
        if (rank == 0) printf("no product: %s\n", cairn_context_message(all));
        status = CAIRN_OK;
    } else if (status == CAIRN_OK) {
        cairn_plan_columns(plan, &lo, &hi);
        cairn_plan_rows(plan, &first, &end);
        for (int k = 0; k < FEW; k++) {
            const int64_t j = m->coord[2 * k + 1];

            if (j >= lo && j < hi) cairn_plan_x(plan)[j - lo] = x_far(j);
            want[m->coord[2 * k]] += m->value[k] * x_far(j);
        }
        status = cairn_plan_run(plan, NULL, NULL);
        for (int64_t i = first; i < end; i++)
            *right = *right && cairn_plan_y(plan)[i - first] == want[i];
    }
    cairn_plan_destroy(&plan);
    cairn_context_set_memory(all, stored);
    return status;
}

/// What is refused: arrays as long as there are columns, which csc has, are above the limit.
static bool may_be_refused(cairn_status status)
{
    return status == CAIRN_NO_MEMORY || status == CAIRN_UNSUPPORTED
           || status == CAIRN_BAD_QUERY || status == CAIRN_OVERFLOW;
}

Test(far_columns, are_stored_and_converted_in_all_formats)
{
    far_matrix    m;
    cairn_tensor *csr  = NULL;
    int           held = 0;

    draw_far(&m);
    cairn_context_set_memory(all, stored);
    ON_ALL_RANKS(store(m.source, "csr", "rows", &csr) == CAIRN_OK, "%s",
                 cairn_context_message(all));
    for (int f = 0; f < FORMATS; f++) {
        cairn_tensor      *at_once = NULL, *made = NULL;
        const cairn_status status = store(m.source, formats[f], "nnz", &at_once);
        const cairn_status after  = convert(csr, formats[f], "nnz", &made);

        ON_ALL_RANKS(status == after && (status == CAIRN_OK || may_be_refused(status)),
                     "%s: %d, %d: %s", formats[f], (int)status, (int)after,
                     cairn_context_message(all));
        ON_ALL_RANKS(status != CAIRN_OK || (has_far(at_once, &m) && has_far(made, &m)),
                     "%s: entries", formats[f]);
        held += status == CAIRN_OK;
        cairn_tensor_destroy(&at_once);
        cairn_tensor_destroy(&made);
    }
    cr_expect_geq(held, FORMATS / 3, "%d formats", held);
    cairn_tensor_destroy(&csr);
    cairn_source_destroy(&m.source);
}

/// Is it the matrix, and, unless it has its X in a window, all of which is touched, does it
/// multiply as that? The tensor is forgotten.
static bool is_far(cairn_tensor **tensor, bool window, const far_matrix *m)
{
    bool       right = has_far(*tensor, m);
    const bool run =
        window || !UNTOUCHED_IS_FREE || multiply_far(*tensor, m, &right) == CAIRN_OK;

    cairn_tensor_destroy(tensor);
    return right && run;
}

Test(far_columns, go_to_other_distributions_and_through_files)
{
    static const char *const names[] = {"csr", "coo", "dcsr"};
    char                     blocks[32];
    far_matrix               m;

    snprintf(blocks, sizeof blocks, "blocks<1,%d>", size);
    const char *const said[] = {"rows", "(d0%ranks)", blocks, "nnz"};

    draw_far(&m);
    cairn_context_set_memory(all, stored);
    for (int f = 0; f < 3; f++)
        for (int d = 0; d < 4; d++) {
            cairn_tensor *from = NULL, *made = NULL;

            ON_ALL_RANKS(store(m.source, names[f], said[d], &from) == CAIRN_OK
                             && convert(from, names[f], said[(d + 1) % 4], &made)
                                    == CAIRN_OK,
                         "%s: %s", said[d], cairn_context_message(all));
            cairn_tensor_destroy(&from);
            ON_ALL_RANKS(cairn_tensor_write(made, native, NULL) == CAIRN_OK
                             && cairn_tensor_read(all, native, &from) == CAIRN_OK,
                         "%s: %s", said[d], cairn_context_message(all));
            ON_ALL_RANKS(has_far(from, &m)
                             && is_far(&made, said[(d + 1) % 4] == blocks, &m),
                         "%s @ %s to %s: %s", names[f], said[d], said[(d + 1) % 4],
                         cairn_context_message(all));
            cairn_tensor_destroy(&from);
        }
    cairn_source_destroy(&m.source);
}
