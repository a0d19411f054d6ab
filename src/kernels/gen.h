// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The inside of cairn-gen: the kernels found so far, and who finds them.

#ifndef CAIRN_KERNELS_GEN_H
#define CAIRN_KERNELS_GEN_H

#include "emit/kernel.h"
#include "emit/prebuilt.h"
#include "format/layout.h"

enum {
    GEN_KERNELS   = 1 << 14,
    GEN_WORDS     = 64,
    GEN_EXTENTS   = 7,  ///< Of products;
    GEN_CONVERTED = 12, ///< of conversions, and behind GEN_EXTENTS of "+idx8".
    GEN_ANY_WIDTH = -1
};

/// Extents that make the widths: idx of 16 and of 32 bits, ptr of 32 and of 64, idx of 32
/// bits both where a core's L2 holds x and where it does not; of conversions and of
/// products that say so, which small matrices do not wait for a compiler to make, idx of 8
/// bits, too. Matrices of other extents with these widths share the kernels.
extern const int64_t gen_extent[GEN_CONVERTED][2];

typedef struct gen_kernel {
    char              *key;
    cairn_ir_function *function;
    int width;  ///< For vectors of 16 << width bytes; GEN_ANY_WIDTH: compiled for each.
    char *text; ///< The function as C, under a name that all have, without its notes.
    const struct gen_kernel
        *written; ///< Whose function is this one's too: the first with
                  ///< the same text for the same vectors.
} gen_kernel;

typedef struct generator {
    cairn_env   env;
    gen_kernel *kernel; ///< [kernels]
    int         kernels;
    int         line;   ///< Of the list, for messages.
    int         widest; ///< Bytes of the widest vectors.
} generator;

/// Is there a kernel of this key?
bool gen_has(const generator *g, const char *key);

/// Add a kernel; key and function are the generator's from now on, also on failure.
cairn_status gen_add(generator *g, char *key, cairn_ir_function *function, int width);

/// Bits of ptr and idx of arrays as callers have them, whatever the extents: compressed rows
/// "rows32" and "rows64", compressed columns "cols32", "cols64", lists of coordinates
/// "list32", "list64". 0 for any other name.
int gen_callers_bits(const char *name);

/// Parse a format of the list: "rows64", or what the language knows.
cairn_status gen_format(generator *g, const char *name, cairn_format **format);

/// The product named @p operation ("spmv+add") on @p format.
cairn_status gen_product(generator *g, const char *operation, const char *format);

/// The conversion @p pair: "FROM->TO"; FROM "entries" are coordinates that were
/// read, "coords" few that came in any order. Arrays of "rows32" and so on are a
/// caller's: no tensor can have them in common.
cairn_status gen_conversion(generator *g, const char *pair);

/// Write everything to @p folder.
cairn_status gen_write(generator *g, const char *folder, int shards);

#endif
