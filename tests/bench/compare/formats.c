// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which formats are tried on which matrix. Somebody who knows the matrix would try these;
/// the comparison reports the best, and csr always. Texts with brackets are formats that
/// no catalogue has: blocks of 3 x 3 whose columns stand together, and columns in windows
/// that fit the first cache, rows compressed in each.

#include "compare.h"

#define BLOCKS_BY_COLUMNS                                  \
    "#encoding<{ idx_map<(d0,d1)->(d0/3,d1/3,d1%3,d0%3)>," \
    " mutation<merge(0,1), trim(1,1)> }>"
#define WINDOWS(w)                                            \
    "#encoding<{ idx_map<(d0,d1)->(d1/" #w ",d0,d1%" #w ")>," \
    " mutation<merge(0,1), trim(2,2)> }>"

/// Formats for f64 and f32: vectors of 64 bytes hold 8 and 16.
static const struct {
    const char *matrix, *formats[2];
} known[] = {
    {"s5_1000",
     {"csr;dia;bdia<64>;dia-variant;sell<8>", "csr;dia;bdia<64>;bdia<128>;sell<16>"}   },
    {"s7_100",
     {"csr;dia;bdia<64>;dia-variant;sell<8>", "csr;dia;bdia<64>;bdia<128>;sell<16>"}   },
    {"s27_64",  {"csr;dia;bdia<64>;sell<8>", "csr;dia;bdia<64>;bdia<128>;sell<16>"}    },
    {"band15",  {"csr;dia;bdia<64>;sell<8>;ell", "csr;dia;bdia<64>;bdia<128>;sell<16>"}},
    {"fem3",
     {"csr;bcsr<3,3>;" BLOCKS_BY_COLUMNS ";sell<8>",
      "csr;bcsr<3,3>;" BLOCKS_BY_COLUMNS}                                              },
    {"rmat18",
     {"csr;sell-sigma<8,262144>;sell-sigma<8,4096>;csb<4096,4096>",
      "csr;sell-sigma<16,262144>;sell-sigma<16,4096>"}                                 },
    {"rand16",
     {"csr;sell<8>;sell-sigma<8,256>;ell", "csr;sell<16>;sell-sigma<16,256>"}          },
    {"pruned",
     {"csr;" WINDOWS(2048) ";" WINDOWS(4096) ";sell<8>;csc",
      "csr;" WINDOWS(2048) ";" WINDOWS(4096) ";sell<16>;csc"}                          },
    {"mixed",
     {"csr;hybrid<dia,sell-sigma<8,1024>,0.6>;hybrid<bdia<64>,sell-sigma<8,1024>,0.6>;"
      "hybrid<dia,csr,0.6>;sell-sigma<8,256>",
      "csr;hybrid<dia,sell-sigma<16,1024>,0.6>;hybrid<dia,csr,0.6>;sell-sigma<16,"
      "256>"}                                                                          },
};

/// Several columns: rows of the operand are the traffic, and diagonals buy nothing.
static const struct {
    const char *matrix, *formats;
} wide[] = {
    {"s5_1000", "csr;bdia<64>;dia-variant"                            },
    {"s7_100",  "csr;bdia<64>;dia-variant"                            },
    {"fem3",    "csr;bcsr<3,3>;" BLOCKS_BY_COLUMNS                    },
    {"pruned",  "csr;" WINDOWS(128) ";" WINDOWS(256) ";" WINDOWS(1024)},
    {"rand16",  "csr;" WINDOWS(16384)                                 },
};

const char *compare_formats(const compare_matrix *a, cairn_dtype dtype, int columns)
{
    if (columns > 1) {
        for (size_t k = 0; k < sizeof wide / sizeof *wide; k++)
            if (strcmp(wide[k].matrix, a->name) == 0) return wide[k].formats;
        return "csr";
    }
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(known[k].matrix, a->name) == 0)
            return known[k].formats[dtype == CAIRN_F32];
    return dtype == CAIRN_F64 ? "csr;sell<8>;sell-sigma<8,1024>"
                              : "csr;sell<16>;sell-sigma<16,1024>";
}
