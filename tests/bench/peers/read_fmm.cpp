// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One reading by fast_matrix_market's C++, with some threads, to arrays of coordinates.
#include "../bench.h"

#include <fast_matrix_market/fast_matrix_market.hpp>
#include <fstream>
#include <vector>

int main(int argc, char **argv)
{
    if (argc < 3) return 2;

    std::vector<int32_t> row, col;
    std::vector<double>  val;
    int64_t              rows = 0, cols = 0;
    uint64_t             sum  = 0;
    const double         begin = bench_seconds();

    std::ifstream                    file(argv[2]);
    fast_matrix_market::read_options options;

    options.num_threads     = atoi(argv[1]);
    options.parallel_ok     = options.num_threads > 1;
    options.generalize_symmetry = true;
    fast_matrix_market::read_matrix_market_triplet(file, rows, cols, row, col, val,
                                                   options);

    const double seconds = bench_seconds() - begin;

    for (size_t p = 0; p < val.size(); p++)
        sum += bench_sum_of(row[p], col[p], val[p]);
    bench_report(seconds, static_cast<int64_t>(val.size()), sum);
    return 0;
}
