// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The words among which options choose: parsers, help and completion read these.

#include "cli/arguments/values.h"

#define WORDS(...)        \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }

const cli_choices cli_dtypes = {"element type", WORDS("f64", "f32"),
                                WORDS("c64", "c32", "c128", "f16", "bf16")};

const cli_choices cli_distributions = {
    "distribution", WORDS("nnz", "rows", "graph", "cost", "2d"), NULL};

const cli_choices cli_operations = {
    "operation", WORDS("spmv", "spmm"),
    WORDS("spgemm", "spadd", "sddmm", "mttkrp", "ttm", "ttv")};

const cli_choices cli_studies = {
    "operation", WORDS("spmv", "spmm", "solve"),
    WORDS("spgemm", "spadd", "sddmm", "mttkrp", "ttm", "ttv")};

const cli_choices cli_targets = {"target", WORDS("c", "opencl", "cuda"), NULL};

const cli_choices cli_xs = {"operand", WORDS("ones", "ramp"), NULL};
