// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A program of Trilinos: conjugate gradients of Belos over a Tpetra::CrsMatrix, and over
/// the same in diagonals, by Cairn. Build: mpicxx -std=c++17 -I/usr/include/trilinos
/// tpetra_cg.cpp $(pkg-config --cflags --libs cairn) -ltrilinos_tpetra -ltrilinos_belos
/// -ltrilinos_kokkoscore -ltrilinos_teuchoscore -ltrilinos_teuchoscomm
/// -ltrilinos_teuchosnumerics -ltrilinos_teuchosparameterlist

#include <cairn/mpi.h>
#include <cairn/tpetra.hpp>

#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <cstdio>
#include <Tpetra_Core.hpp>

using Matrix   = Tpetra::CrsMatrix<double>;
using Vector   = Tpetra::MultiVector<double>;
using Operator = Tpetra::Operator<double>;
using Map      = Tpetra::Map<>;

/// -u" + u / 10 in @p n points.
static Teuchos::RCP<Matrix> laplacian(const Teuchos::RCP<const Map> &map)
{
    auto       a    = Teuchos::rcp(new Matrix(map, 3));
    const auto last = map->getMaxAllGlobalIndex();

    for (auto i = map->getMinGlobalIndex(); i <= map->getMaxGlobalIndex(); i++)
        for (auto j = i > 0 ? i - 1 : 0; j <= last && j <= i + 1; j++)
            a->insertGlobalValues(i, Teuchos::tuple(j),
                                  Teuchos::tuple(i == j ? 2.1 : -1.0));
    a->fillComplete();
    return a;
}

/// Iterations for an x that is not known, or -1.
static int solve(const Teuchos::RCP<const Operator> &a)
{
    const auto x = Teuchos::rcp(new Vector(a->getDomainMap(), 1));
    const auto b = Teuchos::rcp(new Vector(a->getRangeMap(), 1));
    const auto problem =
        Teuchos::rcp(new Belos::LinearProblem<double, Vector, Operator>(a, x, b));
    const auto list = Teuchos::parameterList();

    b->putScalar(1);
    problem->setProblem();
    list->set("Convergence Tolerance", 1e-8);
    Belos::PseudoBlockCGSolMgr<double, Vector, Operator> cg(problem, list);

    return cg.solve() == Belos::Converged ? cg.getNumIters() : -1;
}

int main(int argc, char **argv)
{
    Tpetra::ScopeGuard scope(&argc, &argv);
    cairn_context     *context = nullptr;
    int                theirs = -1, ours = -2;

    if (cairn_context_create_mpi(MPI_COMM_WORLD, &context)) return 1;
    try {
        const auto map = Teuchos::rcp(new Map(1000, 0, Tpetra::getDefaultComm()));
        const auto a   = laplacian(map);

        theirs = solve(a);
        ours   = solve(Teuchos::rcp(new cairn::TpetraOperator<>(context, a, "dia")));
        if (map->getComm()->getRank() == 0)
            std::printf("%d iterations, as Tpetra's own %d\n", ours, theirs);
    } catch (const cairn::Error &why) {
        std::fprintf(stderr, "%s\n", why.what());
    }
    cairn_context_destroy(&context);
    return ours > 0 && ours == theirs ? 0 : 1;
}
