// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Matrices of Trilinos, multiplied by Cairn. A cairn::TpetraOperator is a Tpetra::Operator,
/// made of a Tpetra::CrsMatrix and stored in any format: what takes operators, Belos among
/// it, takes this one; preconditioners are made of the matrix as before.
///
/// Header only, C++17; needs Tpetra and a libcairn to link with. Tried with Trilinos 13.2 on
/// processors. Not included by cairn.h. A failure is a cairn::Error, thrown on all ranks.

#ifndef CAIRN_TPETRA_HPP
#define CAIRN_TPETRA_HPP

#include <cairn/cairn.h>
#include <cairn/error.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <Teuchos_CommHelpers.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_MultiVector.hpp>
#include <Tpetra_Operator.hpp>
#include <type_traits>
#include <vector>

namespace cairn
{

/// A matrix of Tpetra's as Cairn has it. Scalars are double or float. It is destroyed before
/// its context.
template <typename Scalar       = double,
          typename LocalOrdinal = typename Tpetra::Operator<Scalar>::local_ordinal_type,
          typename GlobalOrdinal =
              typename Tpetra::Operator<Scalar, LocalOrdinal>::global_ordinal_type,
          typename Node =
              typename Tpetra::Operator<Scalar, LocalOrdinal, GlobalOrdinal>::node_type>
class TpetraOperator
    : public Tpetra::Operator<Scalar, LocalOrdinal, GlobalOrdinal, Node>
{
    static_assert(std::is_same_v<Scalar, double> || std::is_same_v<Scalar, float>,
                  "scalars are double or float");

  public:
    using Matrix = Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
    using Vector = Tpetra::MultiVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
    using Map    = Tpetra::Map<LocalOrdinal, GlobalOrdinal, Node>;

    /// Store a matrix.
    ///
    /// Collective.
    ///
    /// @param context  Of the matrix's ranks, in their order; outlives this.
    /// @param matrix   fillComplete. Its rows are consecutive, in rank order, and its row and
    ///                 range maps are one; of a square one the domain map, too.
    /// @param format   A text of the format language; "auto": what cairn_tensor_auto()
    ///                 chooses; nullptr: compressed rows.
    /// @throws Error   CAIRN_BAD_ARGUMENT: another context's ranks, or not fillComplete;
    ///                 CAIRN_BAD_SHAPE: other maps; else as cairn_tensor_from_rows(),
    ///                 cairn_tensor_auto() and cairn_plan_create_spmv().
    TpetraOperator(cairn_context                    *context,
                   const Teuchos::RCP<const Matrix> &matrix,
                   const char                       *format = nullptr)
        : context_(context), matrix_(matrix)
    {
        agree(look());
        const Map                &columns = *matrix->getColMap();
        const auto                local   = matrix->getLocalMatrixHost();
        const std::size_t         rows    = matrix->getNodeNumRows();
        const auto               &row_map = local.graph.row_map;
        const auto               &entries = local.graph.entries;
        const auto                base    = matrix->getIndexBase();
        std::vector<std::int64_t> ptr(rows + 1, 0), idx(entries.extent(0) + 1);

        for (std::size_t i = 0; i < rows; i++)
            ptr[i + 1] = static_cast<std::int64_t>(row_map(i + 1));
        for (std::size_t k = 0; k < entries.extent(0); k++)
            idx[k] = columns.getGlobalElement(entries(k)) - base;
        cairn_csr a = CAIRN_CSR;

        a.global_rows = static_cast<std::int64_t>(matrix->getGlobalNumRows());
        a.global_cols =
            static_cast<std::int64_t>(matrix->getDomainMap()->getGlobalNumElements());
        a.rows      = static_cast<std::int64_t>(rows);
        a.first_row = rows_before(a.rows);
        a.ptr       = ptr.data();
        a.idx       = idx.data();
        a.val       = local.values.data();
        a.dtype     = std::is_same_v<Scalar, float> ? CAIRN_F32 : CAIRN_F64;
        store(a, format);
        plan_ = product(false);
        agree(owns(plan_.get()) ? CAIRN_OK : CAIRN_BAD_SHAPE);
        work_.resize(std::max(rows, matrix->getDomainMap()->getNodeNumElements()) + 1);
    }

    /// New values of the matrix, whose pattern stays, at about the speed of a gather.
    ///
    /// @throws Error  As cairn_tensor_update().
    void update()
    {
        check(cairn_context_agree(
            context_, cairn_tensor_update(
                          tensor_.get(), matrix_->getLocalMatrixHost().values.data())));
    }

    Teuchos::RCP<const Map> getDomainMap() const override
    {
        return matrix_->getDomainMap();
    }

    Teuchos::RCP<const Map> getRangeMap() const override
    {
        return matrix_->getRangeMap();
    }

    bool hasTransposeApply() const override
    {
        return true;
    }

    /// Y = alpha op(A) X + beta Y, column by column, where X and Y lie. The first transposed
    /// product makes a plan.
    ///
    /// @throws Error  CAIRN_BAD_SHAPE: X or Y has another map, on this rank; ranks where they
    ///                fit wait. As cairn_plan_run() fails; Y is undefined then.
    void apply(const Vector    &X,
               Vector          &Y,
               Teuchos::ETransp mode  = Teuchos::NO_TRANS,
               Scalar           alpha = Teuchos::ScalarTraits<Scalar>::one(),
               Scalar beta = Teuchos::ScalarTraits<Scalar>::zero()) const override
    {
        const bool across = mode != Teuchos::NO_TRANS;

        if (X.getLocalLength() != local_length(across ? getRangeMap() : getDomainMap())
            || Y.getLocalLength()
                   != local_length(across ? getDomainMap() : getRangeMap()))
            throw Error(CAIRN_BAD_SHAPE,
                        "apply: X or Y has another map than the matrix");
        if (alpha == 0) {
            if (beta == 0)
                Y.putScalar(0);
            else
                Y.scale(beta);
            return;
        }
        if (across && !transposed_) transposed_ = product(true);
        cairn_plan *plan = across ? transposed_.get() : plan_.get();

        for (std::size_t j = 0; j < X.getNumVectors(); j++) {
            const auto x     = X.getVector(j);
            const auto y     = Y.getVectorNonConst(j);
            const auto xs    = x->getLocalViewHost(Tpetra::Access::ReadOnly);
            const auto ys    = y->getLocalViewHost(Tpetra::Access::ReadWrite);
            const bool alone = alpha == 1 && beta == 0;
            Scalar    *to    = alone && ys.extent(0) ? ys.data() : work_.data();

            // A rank without rows has no array; NULL would be the plan's own.
            check(cairn_plan_run(plan, xs.extent(0) ? xs.data() : work_.data(), to));
            if (alone) continue;
            for (std::size_t i = 0; i < ys.extent(0); i++)
                ys(i, 0) = beta == 0 ? alpha * to[i] : alpha * to[i] + beta * ys(i, 0);
        }
    }

    /// For all other calls; this still owns them.
    cairn_tensor *tensor() const
    {
        return tensor_.get();
    }

    cairn_plan *plan() const
    {
        return plan_.get();
    }

  private:
    static std::size_t local_length(const Teuchos::RCP<const Map> &map)
    {
        return map->getNodeNumElements();
    }

    struct Destroy {
        void operator()(cairn_tensor *tensor) const
        {
            cairn_tensor_destroy(&tensor);
        }
        void operator()(cairn_plan *plan) const
        {
            cairn_plan_destroy(&plan);
        }
        void operator()(cairn_format *format) const
        {
            cairn_format_destroy(&format);
        }
    };
    using Plan   = std::unique_ptr<cairn_plan, Destroy>;
    using Format = std::unique_ptr<cairn_format, Destroy>;

    void check(cairn_status status) const
    {
        if (status) throw Error(status, cairn_context_message(context_));
    }

    /// Where ranks may differ: all of them throw. The message is of a call of the library's.
    void agree(cairn_status mine) const
    {
        const cairn_status status = cairn_context_agree(context_, mine);

        if (status)
            throw Error(status, mine ? nullptr : cairn_context_message(context_));
    }

    /// What of a matrix can be seen to be wrong on this rank alone.
    cairn_status look() const
    {
        if (!context_ || matrix_.is_null() || !matrix_->isFillComplete())
            return CAIRN_BAD_ARGUMENT;
        if (matrix_->getComm()->getRank() != cairn_context_rank(context_)
            || matrix_->getComm()->getSize() != cairn_context_size(context_))
            return CAIRN_BAD_ARGUMENT;
        return matrix_->getRowMap()->isContiguous()
                       && matrix_->getDomainMap()->isContiguous()
                       && matrix_->getRowMap()->isSameAs(*matrix_->getRangeMap())
                   ? CAIRN_OK
                   : CAIRN_BAD_SHAPE;
    }

    /// Rows of the ranks before this one.
    std::int64_t rows_before(std::int64_t rows) const
    {
        std::int64_t until = rows;

        Teuchos::scan<int, std::int64_t>(*matrix_->getComm(), Teuchos::REDUCE_SUM, 1,
                                         &rows, &until);
        return until - rows;
    }

    void store(const cairn_csr &rows, const char *text)
    {
        const bool    choose = text && std::strcmp(text, "auto") == 0;
        cairn_format *made   = nullptr;
        cairn_tensor *tensor = nullptr;

        if (text && !choose) check(cairn_format_create(context_, text, &made));
        Format format(made);

        check(
            cairn_tensor_from_rows(context_, &rows, CAIRN_COPY, format.get(), &tensor));
        tensor_.reset(tensor);
        if (!choose) return;
        check(cairn_tensor_auto(tensor, nullptr, nullptr, &made, nullptr));
        format.reset(made);
        if (!made) return;
        check(cairn_tensor_from_rows(context_, &rows, CAIRN_COPY, made, &tensor));
        tensor_.reset(tensor);
    }

    Plan product(bool transpose) const
    {
        cairn_product_options options = CAIRN_PRODUCT_OPTIONS;
        cairn_plan           *plan    = nullptr;

        options.transposed = transpose;
        check(cairn_plan_create_product(tensor_.get(), &options, &plan));
        return Plan(plan);
    }

    /// Are rows and columns where the maps have them?
    bool owns(const cairn_plan *plan) const
    {
        std::int64_t first, end;

        cairn_plan_rows(plan, &first, &end);
        if (!same(*matrix_->getRangeMap(), first, end)) return false;
        cairn_plan_columns(plan, &first, &end);
        return same(*matrix_->getDomainMap(), first, end);
    }

    static bool same(const Map &map, std::int64_t first, std::int64_t end)
    {
        const auto n = static_cast<std::int64_t>(map.getNodeNumElements());

        return end - first == n
               && (n == 0 || map.getMinGlobalIndex() - map.getIndexBase() == first);
    }

    cairn_context                         *context_;
    Teuchos::RCP<const Matrix>             matrix_;
    std::unique_ptr<cairn_tensor, Destroy> tensor_;
    Plan                                   plan_; ///< Destroyed before its tensor.
    mutable Plan                           transposed_;
    mutable std::vector<Scalar> work_; ///< A x, where more than that is wanted.
};

} // namespace cairn

#endif
