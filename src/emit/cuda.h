// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The loop IR as text for CUDA cards, in what CUDA C++ and C11 have in common: functions
/// with groups and items (ir/ir.h, CAIRN_TURNS_GROUPS) become kernels whose blocks and threads
/// take the turns. No other function has a kernel. The statements are those of the printer
/// for C (c.h).
///
/// A kernel has one parameter, a struct by value, NAME_args: the arrays, as addresses, and
/// the numbers that the function uses, in its order (kernel_parameter.h). A kernel is right
/// with any number of blocks, and of ITEMS threads, a macro, which says how many a block
/// has: 128 where nothing else defines it.
///
/// As C the text is compiled with a header that says what __shared__, threadIdx and the
/// like are; so its very words run where no card is.

#ifndef CAIRN_EMIT_CUDA_H
#define CAIRN_EMIT_CUDA_H

#include "emit/kernel_parameter.h"
#include "emit/names.h"

/// With what NVRTC compiles the text, besides the architecture: sums are not contracted,
/// and nothing is less exact than on the processor.
#define CAIRN_CUDA_OPTIONS_MAP(X) \
    X("--std=c++17")              \
    X("--fmad=false")             \
    X("--ftz=false")              \
    X("--prec-div=true")          \
    X("--prec-sqrt=true")

/// What a kernel is given whose function does several banks (ir.h, `banks`): its struct of
/// arrays and numbers, NAME_bank, is there for each bank, and the start has the groups of
/// all, a bank's behind those of the one before. X and Y are those of all banks.
typedef struct cairn_cuda_banks {
    uint64_t bank;  ///< Where the structs are, [banks] of cairn_cuda_function.bytes,
    uint64_t group; ///< and [banks + 1] of 32 bits, the groups before each.
    uint64_t x, y;
    uint64_t banks;
} cairn_cuda_banks;

/// One kernel of a text.
typedef struct cairn_cuda_function {
    char                    name[CAIRN_NAME]; ///< The function's; "": there is none.
    cairn_kernel_parameter *parameter;        ///< [parameters] fields of the struct.
    int                     parameters;
    int                     bytes; ///< Of the struct; of a bank's.
} cairn_cuda_function;

typedef struct cairn_cuda_kernel {
    char                *text;     ///< NUL-terminated.
    cairn_cuda_function *function; ///< [functions] as they were asked for.
    int                  functions;
} cairn_cuda_kernel;

/// Print functions as one text; each becomes the kernel of its name.
///
/// Local. Floating-point operations stay in the order of the IR.
///
/// @param[in]  function  [count], names all different; NULL: nothing is printed for it.
/// @param[out] kernel    Release with cairn_cuda_fini(). Unchanged on failure.
/// @retval CAIRN_UNSUPPORTED  A function has no groups, or vectors.
cairn_status cairn_cuda_print(cairn_env                      *env,
                              const cairn_ir_function *const *function,
                              int                             count,
                              cairn_cuda_kernel              *kernel);

void cairn_cuda_fini(cairn_env *env, cairn_cuda_kernel *kernel);

#endif
