// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Eigen: row-major sparse matrices mapped over the given arrays, times vectors and
/// row-major dense matrices; conversions by assignment and setFromTriplets.

#include "compare.h"

#include <Eigen/Sparse>
#include <memory>
#include <vector>

using Eigen::Dynamic;
using Eigen::Map;

namespace
{

template <typename T> using by_rows    = Eigen::SparseMatrix<T, Eigen::RowMajor, int>;
template <typename T> using by_columns = Eigen::SparseMatrix<T, Eigen::ColMajor, int>;
template <typename T> using dense = Eigen::Matrix<T, Dynamic, Dynamic, Eigen::RowMajor>;
template <typename T> using column = Eigen::Matrix<T, Dynamic, 1>;

template <typename T> Map<const by_rows<T>> wrap(const compare_matrix *m, const T *val)
{
    return Map<const by_rows<T>>(m->rows, m->cols, m->nnz, m->ptr, m->idx, val);
}

template <typename T> void multiply(const compare_task *t, const T *val)
{
    const compare_matrix *m = t->matrix;
    const auto            a = wrap(m, val);
    const T              *x = static_cast<const T *>(t->x);
    T                    *y = static_cast<T *>(t->y);

    if (t->columns == 1)
        Map<column<T>>(y, m->rows).noalias() = a * Map<const column<T>>(x, m->cols);
    else
        Map<dense<T>>(y, m->rows, t->columns).noalias() =
            a * Map<const dense<T>>(x, m->cols, t->columns);
}

void *prepare_product(const compare_way *, const compare_task *task)
{
    return const_cast<compare_task *>(task);
}

double run_product(void *state)
{
    const compare_task *task  = static_cast<compare_task *>(state);
    const double        begin = bench_seconds();

    if (task->dtype == CAIRN_F64)
        multiply(task, task->matrix->val);
    else
        multiply(task, task->matrix->val32);
    return bench_seconds() - begin;
}

void copy_product(void *state, compare_result *result)
{
    const compare_task *t = static_cast<compare_task *>(state);
    const int64_t       n = static_cast<int64_t>(t->matrix->rows) * t->columns;

    for (int64_t k = 0; k < n; k++)
        result->y[k] = t->dtype == CAIRN_F64 ? static_cast<const double *>(t->y)[k]
                                             : static_cast<const float *>(t->y)[k];
}

void keep(void *)
{
}

struct conversion {
    const compare_task                      *task;
    std::vector<Eigen::Triplet<double, int>> entries;
    std::unique_ptr<by_columns<double>>      columns;
    std::unique_ptr<by_rows<double>>         rows;
};

void *prepare_conversion(const compare_way *, const compare_task *task)
{
    const compare_matrix *m   = task->matrix;
    const bool            any = task->operation == COO_TO_CSR;
    auto                 *s   = new conversion{task, {}, {}, {}};

    if (task->operation == CSR_TO_CSC) return s;
    s->entries.reserve(static_cast<size_t>(m->nnz));
    for (int32_t p = 0; p < m->nnz; p++)
        s->entries.emplace_back(any ? m->any.row[p] : m->row[p],
                                any ? m->any.col[p] : m->idx[p],
                                any ? m->any.val[p] : m->val[p]);
    return s;
}

double run_conversion(void *state)
{
    auto                 *s = static_cast<conversion *>(state);
    const compare_matrix *m = s->task->matrix;

    s->columns.reset();
    s->rows.reset();

    const double begin = compare_begin();

    if (s->task->operation == CSR_TO_CSC)
        s->columns = std::make_unique<by_columns<double>>(wrap(m, m->val));
    else {
        s->rows = std::make_unique<by_rows<double>>(m->rows, m->cols);
        s->rows->setFromTriplets(s->entries.begin(), s->entries.end());
    }
    return bench_seconds() - begin;
}

template <typename M> void show(const M &made, compare_result *result)
{
    for (int k = 0; k < made.outerSize(); k++)
        for (typename M::InnerIterator e(made, k); e; ++e)
            compare_see(result, e.row(), e.col(), e.value());
}

void show_conversion(void *state, compare_result *result)
{
    auto *s = static_cast<conversion *>(state);

    if (s->columns)
        show(*s->columns, result);
    else
        show(*s->rows, result);
}

void destroy_conversion(void *state)
{
    delete static_cast<conversion *>(state);
}

const compare_way ways[] = {
    {"row-major SparseMatrix", BIT(PRODUCT),                       BIT(CAIRN_F64) | BIT(CAIRN_F32), true,
     nullptr,                                                                                                       0, prepare_product,    run_product,    copy_product,    keep              },
    {"assignment",             BIT(CSR_TO_CSC),                    BIT(CAIRN_F64),                  false, nullptr, 0,
     prepare_conversion,                                                                                                                   run_conversion, show_conversion, destroy_conversion},
    {"setFromTriplets",        BIT(ROWS_TO_CSR) | BIT(COO_TO_CSR), BIT(CAIRN_F64),                  false,
     nullptr,                                                                                                       0, prepare_conversion, run_conversion, show_conversion,
     destroy_conversion                                                                                                                                                                       },
};

bool begin(int threads, char *version, int room)
{
    Eigen::setNbThreads(threads);
    snprintf(version, static_cast<size_t>(room), "%d.%d.%d", EIGEN_WORLD_VERSION,
             EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
    return true;
}

} // namespace

extern "C" const compare_peer compare_eigen = {
    "Eigen", begin, nullptr, ways, sizeof ways / sizeof *ways, false};
