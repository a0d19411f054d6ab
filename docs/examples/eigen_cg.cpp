// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A program with Eigen's matrices and solvers: products by Cairn, over Eigen's own arrays
/// and in diagonals. Build: c++ -std=c++17 $(pkg-config --cflags --libs cairn eigen3)

#include <cairn/eigen.hpp>

#include <cstdio>
#include <Eigen/IterativeLinearSolvers>

using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

/// -u" in @p n points, 2 on the diagonal and -1 beside it.
static Rows laplacian(int n)
{
    Rows a(n, n);

    a.reserve(Eigen::VectorXi::Constant(n, 3));
    for (int i = 0; i < n; i++)
        for (int j = i > 0 ? i - 1 : 0; j < n && j <= i + 1; j++)
            a.insert(i, j) = i == j ? 2.0 : -1.0;
    a.makeCompressed();
    return a;
}

/// Conjugate gradients of Eigen's with Cairn's product, for an x that is known.
static double solve(cairn_context *context, const Rows &rows, const char *format)
{
    const cairn::EigenMatrix<double> a(context, rows, format);
    const Eigen::VectorXd            x = Eigen::VectorXd::LinSpaced(a.cols(), -1, 1);
    const Eigen::VectorXd            b = a * x;
    Eigen::ConjugateGradient<cairn::EigenMatrix<double>, Eigen::Lower | Eigen::Upper,
                             Eigen::IdentityPreconditioner>
        cg(a);

    cg.setTolerance(1e-12);
    const double error = (cg.solve(b) - x).norm() / x.norm();

    std::printf("%s: %d iterations\n", format ? format : "Eigen's own rows",
                static_cast<int>(cg.iterations()));
    return error;
}

int main()
{
    cairn_context *context = nullptr;
    double         error   = 1;

    if (cairn_context_create(&context)) return 1;
    try {
        const Rows rows = laplacian(200);

        error = solve(context, rows, nullptr) + solve(context, rows, "dia");
    } catch (const cairn::Error &why) {
        std::fprintf(stderr, "%s\n", why.what());
    }
    cairn_context_destroy(&context);
    return error < 1e-8 ? 0 : 1;
}
