// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One reading by Eigen: loadMarket of its unsupported part, to a compressed matrix.
#include "../bench.h"

#include <unsupported/Eigen/SparseExtra>

int main(int argc, char **argv)
{
    if (argc < 2) return 2;

    Eigen::SparseMatrix<double> matrix;
    const double                begin = bench_seconds();

    if (!Eigen::loadMarket(matrix, argv[1])) return 1;

    const double seconds = bench_seconds() - begin;
    uint64_t     sum     = 0;

    for (int k = 0; k < matrix.outerSize(); k++)
        for (Eigen::SparseMatrix<double>::InnerIterator it(matrix, k); it; ++it)
            sum += bench_sum_of(it.row(), it.col(), it.value());
    bench_report(seconds, matrix.nonZeros(), sum);
    return 0;
}
