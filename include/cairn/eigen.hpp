// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Matrices of Eigen, multiplied by Cairn. A cairn::EigenMatrix is made of an
/// Eigen::SparseMatrix: over its arrays, without a copy, or stored in any format. It is an
/// expression of Eigen's: `y = A * x`, `y += alpha * (A * x)`, A * B with a dense B, and
/// Eigen's iterative solvers take it as a matrix-free operator.
///
/// Header only, C++17; needs Eigen 3.3 or later and a libcairn to link with. Not included by
/// cairn.h. A failure is a cairn::Error, thrown. One thread at a time is in a context, and so
/// in the products of its matrices.

#ifndef CAIRN_EIGEN_HPP
#define CAIRN_EIGEN_HPP

#include <cairn/cairn.h>
#include <cairn/error.hpp>

#include <Eigen/SparseCore>
#include <memory>
#include <type_traits>

namespace cairn
{

template <typename Scalar> class EigenMatrix;

} // namespace cairn

namespace Eigen::internal
{
/// As a sparse matrix, so that products with it are those of sparse matrices.
template <typename Scalar>
struct traits<cairn::EigenMatrix<Scalar>>
    : public traits<Eigen::SparseMatrix<Scalar, Eigen::RowMajor>> {
};
} // namespace Eigen::internal

namespace cairn
{

/// A sparse matrix of Eigen's as Cairn has it. @p T is double or float.
///
/// It can be moved and not copied, and is destroyed before its context.
template <typename T> class EigenMatrix : public Eigen::EigenBase<EigenMatrix<T>>
{
    static_assert(std::is_same_v<T, double> || std::is_same_v<T, float>,
                  "values are double or float");

  public:
    using Scalar       = T;
    using RealScalar   = T;
    using StorageIndex = int;
    using Vector       = Eigen::Matrix<T, Eigen::Dynamic, 1>;
    enum {
        ColsAtCompileTime    = Eigen::Dynamic,
        MaxColsAtCompileTime = Eigen::Dynamic,
        IsRowMajor           = true
    };

    /// Make a matrix over the arrays of one by rows or by columns, or, with @p format, of
    /// its entries in that format.
    ///
    /// @param context  Of one rank; outlives this.
    /// @param matrix   Compressed; indices of 32 or 64 bits. Without a format it outlives
    ///                 this, and keeps its pattern; its values may be changed in place, and
    ///                 update() then says so.
    /// @param format   A text of the format language, "auto" excepted; NULL: none.
    /// @throws Error   As cairn_tensor_from_csr() and cairn_plan_create_spmv() fail; a
    ///                 matrix that is not compressed is CAIRN_BAD_ARGUMENT.
    template <int Options, typename Index>
    EigenMatrix(cairn_context                                *context,
                const Eigen::SparseMatrix<T, Options, Index> &matrix,
                const char                                   *format = nullptr)
        : context_(context)
    {
        if (!matrix.isCompressed())
            throw Error(CAIRN_BAD_ARGUMENT,
                        "EigenMatrix: the matrix is not compressed: call "
                        "makeCompressed()");
        cairn_format *made = nullptr;

        if (format) check(cairn_format_create(context, format, &made));
        const Format   held(made);
        constexpr int  bits   = 8 * static_cast<int>(sizeof(Index));
        constexpr auto dtype  = std::is_same_v<T, float> ? CAIRN_F32 : CAIRN_F64;
        const auto     mode   = format ? CAIRN_COPY : CAIRN_BORROW;
        const auto     create = Options & Eigen::RowMajorBit ? cairn_tensor_from_csr
                                                             : cairn_tensor_from_csc;
        cairn_tensor  *tensor = nullptr;
        cairn_plan    *plan   = nullptr;

        check(create(context, matrix.rows(), matrix.cols(), 0, matrix.rows(),
                     matrix.outerIndexPtr(), bits, matrix.innerIndexPtr(), bits,
                     matrix.valuePtr(), dtype, mode, made, &tensor));
        tensor_.reset(tensor);
        check(cairn_plan_create_spmv(tensor, &plan));
        plan_.reset(plan);
        rows_ = matrix.rows();
        cols_ = matrix.cols();
        nnz_  = matrix.nonZeros();
    }

    Eigen::Index rows() const
    {
        return rows_;
    }

    Eigen::Index cols() const
    {
        return cols_;
    }

    /// New values for the same pattern, in the order of the matrix that this was made of.
    ///
    /// @throws Error  The pattern has another number of entries; as cairn_tensor_update().
    template <int Options, typename Index>
    void update(const Eigen::SparseMatrix<T, Options, Index> &matrix)
    {
        if (matrix.rows() != rows_ || matrix.cols() != cols_ || !matrix.isCompressed()
            || matrix.nonZeros() != nnz_)
            throw Error(CAIRN_BAD_ARGUMENT, "EigenMatrix::update: another pattern");
        check(cairn_tensor_update(tensor_.get(), matrix.valuePtr()));
    }

    /// y = A x of dense matrices, column by column; neither is copied where the elements of
    /// a column stand side by side. @p y has its size, and overlaps no x.
    ///
    /// @throws Error  As cairn_plan_run() fails.
    template <typename X, typename Y>
    void multiply(const Eigen::MatrixBase<X> &x, Eigen::MatrixBase<Y> &y) const
    {
        eigen_assert(x.rows() == cols_ && y.rows() == rows_ && x.cols() == y.cols());
        for (Eigen::Index j = 0; j < x.cols(); j++) {
            const Eigen::Ref<const Vector> from(x.col(j));

            if constexpr ((Y::Flags & Eigen::DirectAccessBit) != 0) {
                auto to = y.col(j);

                if (to.innerStride() == 1) {
                    check(cairn_plan_run(plan_.get(), from.data(), to.data()));
                    continue;
                }
            }
            Vector to(rows_);

            check(cairn_plan_run(plan_.get(), from.data(), to.data()));
            y.col(j) = to;
        }
    }

    /// A product, made where it is assigned to: what it is assigned to overlaps no part of
    /// @p x, as with Eigen's noalias().
    template <typename Rhs>
    Eigen::Product<EigenMatrix, Rhs, Eigen::AliasFreeProduct>
    operator*(const Eigen::MatrixBase<Rhs> &x) const
    {
        return Eigen::Product<EigenMatrix, Rhs, Eigen::AliasFreeProduct>(*this,
                                                                         x.derived());
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

    EigenMatrix(EigenMatrix &&) = default;

    /// What this had goes first, its plan before its tensor.
    EigenMatrix &operator=(EigenMatrix &&other) noexcept
    {
        plan_    = std::move(other.plan_);
        tensor_  = std::move(other.tensor_);
        context_ = other.context_;
        rows_    = other.rows_;
        cols_    = other.cols_;
        nnz_     = other.nnz_;
        return *this;
    }

  private:
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
    using Format = std::unique_ptr<cairn_format, Destroy>;

    void check(cairn_status status) const
    {
        if (status) throw Error(status, cairn_context_message(context_));
    }

    cairn_context                         *context_;
    std::unique_ptr<cairn_tensor, Destroy> tensor_;
    std::unique_ptr<cairn_plan, Destroy>   plan_; ///< Destroyed before its tensor.
    Eigen::Index                           rows_ = 0, cols_ = 0, nnz_ = 0;
};

} // namespace cairn

namespace Eigen::internal
{
/// What Eigen calls for a product with dense vectors or matrices.
template <typename Scalar, typename Rhs, int Type>
struct generic_product_impl<cairn::EigenMatrix<Scalar>,
                            Rhs,
                            SparseShape,
                            DenseShape,
                            Type>
    : generic_product_impl_base<cairn::EigenMatrix<Scalar>,
                                Rhs,
                                generic_product_impl<cairn::EigenMatrix<Scalar>,
                                                     Rhs,
                                                     SparseShape,
                                                     DenseShape,
                                                     Type>> {
    template <typename Dest>
    static void evalTo(Dest &to, const cairn::EigenMatrix<Scalar> &matrix, const Rhs &x)
    {
        matrix.multiply(x, to);
    }

    template <typename Dest>
    static void scaleAndAddTo(Dest                             &to,
                              const cairn::EigenMatrix<Scalar> &matrix,
                              const Rhs                        &x,
                              const Scalar                     &alpha)
    {
        Matrix<Scalar, Dynamic, Dynamic> product(matrix.rows(), x.cols());

        matrix.multiply(x, product);
        to += alpha * product;
    }
};
} // namespace Eigen::internal

#endif
