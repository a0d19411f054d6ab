// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products of cairn::EigenMatrix beside Eigen's own: every storage of a matrix, every shape
/// of the dense operands, new values, and what is refused.

#include <cairn/eigen.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

static std::mt19937 draw(static_cast<unsigned>(
    std::getenv("SEED_CLOCK") ? std::atoi(std::getenv("SEED_CLOCK")) : 1));
static int          failures;

static void expect(bool right, const std::string &what)
{
    if (right) return;
    failures++;
    std::fprintf(stderr, "FAILED: %s\n", what.c_str());
}

template <typename Sparse> static Sparse random_matrix(int rows, int cols, int entries)
{
    using T = typename Sparse::Scalar;
    std::vector<Eigen::Triplet<T, typename Sparse::StorageIndex>> list;
    Sparse                                                        a(rows, cols);

    for (int k = 0; rows > 0 && cols > 0 && k < entries; k++)
        list.emplace_back(static_cast<int>(draw() % static_cast<unsigned>(rows)),
                          static_cast<int>(draw() % static_cast<unsigned>(cols)),
                          static_cast<T>(static_cast<int>(draw() % 2001) - 1000) / 64);
    a.setFromTriplets(list.begin(), list.end());
    a.makeCompressed();
    return a;
}

/// Sums are in another order, so that rounding differs.
template <typename A, typename B> static bool near(const A &a, const B &b)
{
    using T = typename A::Scalar;
    return a.rows() == b.rows() && a.cols() == b.cols()
           && (a.size() == 0
               || (a - b).cwiseAbs().maxCoeff()
                      <= 1000 * std::numeric_limits<T>::epsilon()
                             * (1 + b.cwiseAbs().maxCoeff()));
}

template <typename Sparse>
static void products(cairn_context *context, const char *format, int rows, int cols)
{
    using T      = typename Sparse::Scalar;
    using Dense  = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
    using ByRows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

    const std::string what = std::string(format ? format : "borrowed") + " "
                             + std::to_string(rows) + " x " + std::to_string(cols);
    Sparse                s = random_matrix<Sparse>(rows, cols, 3 * rows);
    cairn::EigenMatrix<T> first(context, s, format);
    cairn::EigenMatrix<T> moved(std::move(first)), a(context, s, format);

    a = std::move(moved);
    const Dense           b = Dense::Random(cols, 3);
    const ByRows          r = b;
    const Vector          x = Vector::Random(cols);
    Vector                y = a * x;

    expect(near(y, s * x), what + ": y = A x");
    y = a * (2 * x + b.col(1));
    expect(near(y, s * (2 * x + b.col(1))), what + ": x is an expression");
    y += T(0.5) * (a * x);
    expect(near(y, s * (2 * x + b.col(1)) + T(0.5) * (s * x)), what + ": y += A x");
    const Dense c = a * b;
    expect(near(c, s * b), what + ": by columns");
    ByRows d = a * r;
    expect(near(d, s * r), what + ": by rows");
    Dense wide                = Dense::Zero(rows + 2, 6);
    wide.block(1, 2, rows, 3) = a * b;
    expect(near(wide.block(1, 2, rows, 3), s * b) && wide.row(0).isZero()
               && wide.row(rows + 1).isZero() && wide.leftCols(2).isZero(),
           what + ": into a block");

    s.coeffs() *= T(3);
    a.update(s);
    y = a * x;
    expect(near(y, s * x), what + ": new values");
}

template <typename Sparse> static void storages(cairn_context *context)
{
    for (const char *format :
         {static_cast<const char *>(nullptr), "csr", "ell", "hybrid<bdia<4>,csr,0.6>"})
        for (const auto &[rows, cols] :
             {std::pair(40, 40), std::pair(17, 33), std::pair(33, 5), std::pair(1, 1)})
            products<Sparse>(context, format, rows, cols);
}

/// Values of a matrix that was borrowed are seen without a copy.
static void borrowed(cairn_context *context)
{
    using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;

    Sparse                           s = random_matrix<Sparse>(30, 30, 99);
    const cairn::EigenMatrix<double> a(context, s);
    const Eigen::VectorXd            x = Eigen::VectorXd::Random(30);

    s.coeffs() *= -2;
    expect(near(Eigen::VectorXd(a * x), s * x), "values change in place");
}

template <typename Call>
static void refused(cairn_status status, const char *words, const Call &call)
{
    try {
        call();
        expect(false, std::string("nothing was thrown: ") + words);
    } catch (const cairn::Error &why) {
        expect(why.status() == status
                   && std::string(why.what()).find(words) != std::string::npos,
               std::string(words) + ", but: " + why.what());
    }
}

static void refusals(cairn_context *context)
{
    using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;

    Sparse                     s = random_matrix<Sparse>(30, 30, 99), loose(4, 4);
    cairn::EigenMatrix<double> a(context, s, "csr");

    loose.reserve(Eigen::VectorXi::Constant(4, 2));
    loose.insert(1, 1) = 1;
    refused(CAIRN_BAD_ARGUMENT, "makeCompressed",
            [&] { cairn::EigenMatrix<double>(context, loose); });
    refused(CAIRN_BAD_SYNTAX, "expected a number",
            [&] { cairn::EigenMatrix<double>(context, s, "crs<"); });
    refused(CAIRN_BAD_ARGUMENT, "another pattern",
            [&] { a.update(random_matrix<Sparse>(30, 30, 9)); });
    s.innerIndexPtr()[0] = 99;
    refused(CAIRN_BAD_COORD, "99", [&] { cairn::EigenMatrix<double>(context, s); });
}

int main()
{
    cairn_context *context = nullptr;

    if (cairn_context_create(&context)) return 1;
    storages<Eigen::SparseMatrix<double, Eigen::RowMajor>>(context);
    storages<Eigen::SparseMatrix<double>>(context);
    storages<Eigen::SparseMatrix<float, Eigen::RowMajor, std::int64_t>>(context);
    borrowed(context);
    refusals(context);
    cairn_context_destroy(&context);
    if (!failures) std::puts("ok");
    return failures > 0;
}
