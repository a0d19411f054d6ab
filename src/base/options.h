// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Options that come from CAIRN_* variables. One table is parser, default, help text
/// (`cairn --options`) and documentation (docs/options.md). getenv appears here only.

#ifndef CAIRN_BASE_OPTIONS_H
#define CAIRN_BASE_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

/// Every option: field, type (bytes, count, text), variable without CAIRN_, default,
/// what it does.
#define CAIRN_OPTION_MAP(X)                                                    \
    X(memory, BYTES, "MEMORY", "half of what is available, per rank",          \
      "Limit in bytes, per rank, of arrays, entries read and dense operands.") \
    X(threads, COUNT, "THREADS", "the rank's binding",                         \
      "Threads of the CPU device of a rank.")                                  \
    X(devices, TEXT, "DEVICES", "all",                                         \
      "Devices that exist for a run, as --devices writes them.")               \
    X(topology, TEXT, "TOPOLOGY", "this machine",                              \
      "hwloc XML file, or synthetic description, to discover instead.")

typedef struct cairn_options {
    int64_t memory;         ///< Bytes; 0 = default.
    int64_t threads;        ///< 0 = default.
    char    devices[256];   ///< "" = default.
    char    topology[1024]; ///< "" = default.
} cairn_options;

/// Set every option to its default.
void cairn_options_init(cairn_options *options);

/// Read all CAIRN_* variables of the process into @p options.
///
/// Local.
///
/// @param[out] why  At least 512 bytes; on failure one line that names the variable and,
///                  for an unknown one, the nearest known name.
/// @return 0, or -1 when a variable is unknown or its value wrong.
int cairn_options_read(cairn_options *options, char *why, size_t why_size);

/// One row of the table, for help texts.
typedef struct cairn_option_row {
    const char *variable; ///< "CAIRN_MEMORY".
    const char *standard; ///< Default, as words.
    const char *help;
} cairn_option_row;

/// Return the table's rows; @p count gets their number.
const cairn_option_row *cairn_options_rows(int *count);

/// Parse a number of bytes: digits with an optional k, M, G, T (powers of 1000) or
/// Ki, Mi, Gi, Ti. @return 0, or -1 when it is not one or beyond 64 bits.
int cairn_parse_bytes(const char *text, int64_t *bytes);

/// Return the name among @p names (NULL-terminated) nearest to @p word by edit
/// distance, or NULL when none is near (more than half of the word differs).
const char *cairn_nearest(const char *word, const char *const *names);

#endif
