// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products of cairn::TpetraOperator beside Tpetra's own: formats, factors, several columns,
/// transposed, new values, a rank without rows, and what is refused. Belos is the lesson's.

#include <cairn/mpi.h>
#include <cairn/tpetra.hpp>

#include <cstdio>
#include <string>
#include <Tpetra_Core.hpp>

using Matrix = Tpetra::CrsMatrix<double>;
using Vector = Tpetra::MultiVector<double>;
using Map    = Tpetra::Map<>;

static int wrong;

static void expect(bool right, const std::string &what)
{
    if (right) return;
    wrong = 1;
    std::fprintf(stderr, "wrong: %s\n", what.c_str());
}

/// Some entries in every row, not symmetric.
static Teuchos::RCP<Matrix> make(const Teuchos::RCP<const Map> &map)
{
    auto       a = Teuchos::rcp(new Matrix(map, 4));
    const auto n = static_cast<Map::global_ordinal_type>(map->getGlobalNumElements());

    for (std::size_t k = 0; k < map->getNodeNumElements(); k++) {
        const auto i = map->getGlobalElement(static_cast<int>(k));

        for (const auto j : {i, i - 1, i + 1, (7 * i + 3) % n})
            if (j >= 0 && j < n)
                a->insertGlobalValues(i, Teuchos::tuple(j),
                                      Teuchos::tuple(1.0 + 0.25 * ((3 * i + j) % 11)));
    }
    a->fillComplete();
    return a;
}

static void
products(const Matrix &a, const cairn::TpetraOperator<> &ours, const std::string &what)
{
    const double factors[][2] = {
        {1,   0   },
        {-1,  1   },
        {2,   -0.5},
        {0.5, 0   },
        {0,   2   },
        {0,   0   }
    };

    for (const auto mode : {Teuchos::NO_TRANS, Teuchos::TRANS})
        for (const auto &f : factors) {
            Vector x(a.getDomainMap(), 3), y(a.getRangeMap(), 3), z(a.getRangeMap(), 3);

            x.randomize();
            y.randomize();
            Tpetra::deep_copy(z, y);
            a.apply(x, y, mode, f[0], f[1]);
            ours.apply(x, z, mode, f[0], f[1]);
            z.update(-1, y, 1);
            Teuchos::Array<double> norms(3);
            z.normInf(norms());
            for (const double norm : norms)
                expect(norm < 1e-12,
                       what + (mode == Teuchos::TRANS ? ", transposed" : "")
                           + ", alpha " + std::to_string(f[0]));
        }
}

template <typename Call>
static void refused(cairn_status status, const char *what, const Call &call)
{
    try {
        call();
        expect(false, std::string("nothing was thrown: ") + what);
    } catch (const cairn::Error &why) {
        expect(why.status() == status, std::string(what) + ": " + why.what());
    }
}

static void all(cairn_context *context)
{
    using global = Map::global_ordinal_type;

    const auto comm = Tpetra::getDefaultComm();
    const int  rank = comm->getRank(), size = comm->getSize();
    const auto none = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
    // Unequal shares, and none on the last but one of three ranks and more.
    const std::size_t share = size > 2 && rank == size - 2 ? 0 : 20 + 5 * rank;
    const auto        map   = Teuchos::rcp(new Map(none, share, 0, comm));
    const auto        a     = make(map);

    for (const char *format : {static_cast<const char *>(nullptr), "csr", "sell<8>",
                               "hybrid<bdia<8>,csr,0.6>", "auto"}) {
        cairn::TpetraOperator<> ours(context, a, format);
        const std::string       what = format ? format : "rows";

        expect(ours.hasTransposeApply() && ours.getDomainMap()->isSameAs(*map), what);
        products(*a, ours, what);
        a->resumeFill();
        a->scale(1.5);
        a->fillComplete();
        ours.update();
        products(*a, ours, what + ", new values");
    }
    const auto wrapped = Teuchos::rcp(new Matrix(map, 1));

    refused(CAIRN_BAD_ARGUMENT, "not complete",
            [&] { cairn::TpetraOperator<>(context, wrapped); });
    refused(CAIRN_BAD_ARGUMENT, "no matrix",
            [&] { cairn::TpetraOperator<>(context, Teuchos::null); });
    refused(CAIRN_BAD_SYNTAX, "no format",
            [&] { cairn::TpetraOperator<>(context, a, "csr<"); });
    if (size > 1) {
        // Rows dealt out one by one.
        Teuchos::Array<global> mine;

        for (global i = rank; i < 30; i += size)
            mine.push_back(i);
        const auto dealt = make(Teuchos::rcp(new Map(30, mine(), 0, comm)));
        refused(CAIRN_BAD_SHAPE, "scattered rows",
                [&] { cairn::TpetraOperator<>(context, dealt); });
    }
}

int main(int argc, char **argv)
{
    Tpetra::ScopeGuard scope(&argc, &argv);
    cairn_context     *context = nullptr;

    if (cairn_context_create_mpi(MPI_COMM_WORLD, &context)) return 1;
    all(context);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (!wrong && cairn_context_rank(context) == 0) std::puts("as Tpetra");
    cairn_context_destroy(&context);
    return wrong;
}
