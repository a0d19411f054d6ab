// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Options that come from CAIRN_* variables. One table is parser, default, help text
/// (`cairn --options`) and documentation (docs/options.md). getenv appears here only, so
/// that what else the library wants of its surroundings is asked here, too.

#ifndef CAIRN_BASE_OPTIONS_H
#define CAIRN_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Every option: field, type (bytes, count, text, store: a path or "none", way, seconds),
/// variable without CAIRN_, default, what it does.
#define CAIRN_OPTION_MAP(X)                                                          \
    X(memory, BYTES, "MEMORY", "half of what is available, per rank",                \
      "Limit in bytes, per rank, of all that is in memory at once.")                 \
    X(threads, THREADS, "THREADS", "OMP_NUM_THREADS, or the rank's binding",         \
      "Threads of the CPU device of a rank.")                                        \
    X(devices, TEXT, "DEVICES", "cpu",                                               \
      "Devices that exist for a run, as --devices writes them.")                     \
    X(topology, TEXT, "TOPOLOGY", "this machine",                                    \
      "hwloc XML file, or synthetic description, to discover instead.")              \
    X(kernels, WAY, "KERNELS", "auto",                                               \
      "How work runs: compiled, reference, or auto: compiled where it can be.")      \
    X(team, TEAM, "TEAM", "auto",                                                    \
      "How threads share a product: shares, pieces, or auto: what is faster.")       \
    X(convert, TEXT, "CONVERT", "the cheapest",                                      \
      "Method of all conversions, as `cairn format --path` names it.")               \
    X(cc, TEXT, "CC", "cc",                                                          \
      "Compiler of kernels, gcc or clang: a name or a path, no arguments.")          \
    X(cache, STORE, "CACHE", "$XDG_CACHE_HOME/cairn or ~/.cache/cairn",              \
      "Folder of compiled kernels; none: they are not kept.")                        \
    X(cache_size, BYTES, "CACHE_SIZE", "256Mi",                                      \
      "Bytes beyond which the longest unused kernels leave that folder.")            \
    X(dump_kernels, TEXT, "DUMP_KERNELS", "nowhere",                                 \
      "Folder into which the sources of kernels are written.")                       \
    X(opencl_bin, TEXT, "OPENCL_BIN", "nowhere",                                     \
      "Folder of OpenCL kernels built ahead, for devices that compile none.")        \
    X(opencl_lowering, LOWERING, "OPENCL_LOWERING", "auto",                          \
      "OpenCL kernels: turns of threads, a grid of lanes, or auto: by the device.")  \
    X(nvrtc, STORE, "NVRTC", "libnvrtc.so of the driver's version, or an older one", \
      "CUDA's compiler of kernels, a library's path; none: what is cached alone.")   \
    X(cuda_register, REGISTER, "CUDA_REGISTER", "auto",                              \
      "Memory for copies to CUDA devices is pinned: auto: if it can be, or never.")  \
    X(costs, STORE, "COSTS", "costs-HOST.json beside the compiled kernels",          \
      "File of measured costs; none: they are not kept.")                            \
    X(cost, RATES, "COST", "learned",                                                \
      "Rates of costs: learned from what was measured, or shipped alone.")           \
    X(replays, COUNT, "REPLAYS", "1000",                                             \
      "Replays of a plan that ways to run are weighed for, from 1 to 10^15.")        \
    X(halo, HALO, "HALO", "auto",                                                    \
      "How rows of x travel: persistent, anew, collective, shared, auto: tried.")    \
    X(policy, TEXT, "POLICY", "heft",                                                \
      "How members that no --place names get devices: fixed, greedy or heft.")       \
    X(wait_warn, SECONDS, "WAIT_WARN", "60",                                         \
      "Seconds after which a wait tells whom it is for; 0: it never does.")          \
    X(give_up, SECONDS, "GIVE_UP", "0",                                              \
      "Seconds after which a wait for a rank or a device ends; 0: it does not.")

#define CAIRN_OPTION_PATH 1024 ///< Bytes of the longest path, with its end.

/// How conversions and operations run.
typedef enum {
    CAIRN_KERNELS_AUTO,      ///< Compiled where possible, else the reference way.
    CAIRN_KERNELS_COMPILED,  ///< What cannot be compiled fails.
    CAIRN_KERNELS_REFERENCE, ///< Interpreted; nothing is compiled or loaded.
} cairn_kernels_way;

/// What OpenCL kernels are lowered to.
typedef enum {
    CAIRN_OPENCL_AUTO,  ///< A grid where a product has one, but on processors.
    CAIRN_OPENCL_TURNS, ///< An item does what a thread would.
    CAIRN_OPENCL_GRID,  ///< A grid where a product has one.
} cairn_opencl_lowering;

/// Whether memory that a CUDA device copies from and to is kept where it is.
typedef enum {
    CAIRN_CUDA_REGISTER_AUTO, ///< Where the system lets it be.
    CAIRN_CUDA_REGISTER_NEVER,
} cairn_cuda_register_way;

/// How threads share a product (devices/cpu/company.h).
typedef enum {
    CAIRN_TEAM_AUTO,   ///< Whatever is faster at the time.
    CAIRN_TEAM_SHARES, ///< Each has a share, and all meet at the end.
    CAIRN_TEAM_PIECES, ///< Who is done takes over pieces of who is late.
} cairn_team_way;

/// How messages between neighbours travel (comm/mpi/exchange.h).
typedef enum {
    CAIRN_EXCHANGE_AUTO,       ///< Whatever took least in the first runs.
    CAIRN_EXCHANGE_PERSISTENT, ///< By requests that are made once,
    CAIRN_EXCHANGE_ANEW,       ///< or in every run;
    CAIRN_EXCHANGE_COLLECTIVE, ///< by one collective call of neighbours;
    CAIRN_EXCHANGE_SHARED,     ///< inside a node through memory that its ranks share.
    CAIRN_EXCHANGE_WAYS,
} cairn_exchange_way;

/// What costs are predicted with.
typedef enum {
    CAIRN_RATES_LEARNED, ///< What was measured here, and before that what is shipped.
    CAIRN_RATES_SHIPPED, ///< What comes with the library, whatever was measured.
} cairn_rates_way;

/// A time.
typedef struct cairn_option_seconds {
    double seconds;
    bool   set; ///< It was set; else `seconds` is 0.
} cairn_option_seconds;

typedef struct cairn_options {
    int64_t              memory;                          ///< Bytes; 0 = default.
    int64_t              threads;                         ///< 0 = default.
    char                 devices[CAIRN_OPTION_PATH];      ///< "" = default.
    char                 topology[CAIRN_OPTION_PATH];     ///< "" = default.
    int64_t              kernels;                         ///< A cairn_kernels_way.
    int64_t              team;                            ///< A cairn_team_way.
    char                 convert[CAIRN_OPTION_PATH];      ///< "" = default.
    char                 cc[CAIRN_OPTION_PATH];           ///< "" = default.
    char                 cache[CAIRN_OPTION_PATH];        ///< "" = default.
    int64_t              cache_size;                      ///< Bytes; 0 = default.
    char                 dump_kernels[CAIRN_OPTION_PATH]; ///< "" = nowhere.
    char                 opencl_bin[CAIRN_OPTION_PATH];   ///< "" = nowhere.
    int64_t              opencl_lowering;                 ///< A cairn_opencl_lowering.
    char                 nvrtc[CAIRN_OPTION_PATH];        ///< "" = default.
    int64_t              cuda_register;             ///< A cairn_cuda_register_way.
    char                 costs[CAIRN_OPTION_PATH];  ///< "" = default.
    int64_t              cost;                      ///< A cairn_rates_way.
    int64_t              replays;                   ///< 0 = default.
    int64_t              halo;                      ///< A cairn_exchange_way.
    char                 policy[CAIRN_OPTION_PATH]; ///< "" = default.
    cairn_option_seconds wait_warn; ///< Until a wait is told of; 0 = never.
    cairn_option_seconds give_up;   ///< Until it is given up; 0 = never.
} cairn_options;

/// The word for a way: "persistent"; "auto".
const char *cairn_exchange_way_name(cairn_exchange_way way);

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

/// Print the folder of the kernel cache: CAIRN_CACHE, else what the XDG Base Directory
/// Specification says, with "cairn" behind it.
///
/// @param[out] folder  CAIRN_OPTION_PATH bytes; undefined when false.
/// @return false: there is none, for it is "none", too long, or no home folder is known.
bool cairn_options_cache(const cairn_options *options, char *folder);

/// Find the file of a command along PATH; a name with a slash is that file. Folders of
/// PATH that are not absolute are passed over: what runs shall not depend on where one
/// stands.
///
/// @param[out] path  CAIRN_OPTION_PATH bytes; undefined when false.
/// @return false: there is no such file, or none that may be executed.
bool cairn_find_program(const char *name, char *path);

/// As cairn_find_program(). @return 0; ENOENT: there is no such file; EACCES: there is,
/// but it may not be executed; or another errno.
int cairn_locate_program(const char *name, char *path);

/// The most threads that a rank may have: 4 times the processors of the machine. Each has
/// a stack, and where one cannot be had the OpenMP runtime ends the process.
int64_t cairn_threads_most(void);

/// Does OMP_NUM_THREADS say how many threads each process has?
bool cairn_threads_are_set(void);

/// Return a variable that another program reads, where it is set to something, else NULL:
/// for advice about it ("OMPI_MCA_pml").
const char *cairn_foreign_variable(const char *name);

/// Return where temporary files belong: $TMPDIR, else "/tmp".
const char *cairn_temporary_folder(void);

/// List the environment for a child process: this process's, with changes.
///
/// @param[in]  changes   "NAME=VALUE" each, NULL-terminated; instead of what the process
///                       has under these names.
/// @param[out] list      NULL-terminated, of the process's own strings and @p changes;
///                       filled if @p capacity suffices.
/// @return The capacity that it needs, the NULL included.
size_t cairn_environment(const char *const *changes, char **list, size_t capacity);

/// Parse seconds: a decimal number from 0 to 10^9. @return 0, or -1 when it is none.
int cairn_parse_seconds(const char *text, double *seconds);

/// Parse a number of bytes: digits with an optional k, M, G, T (powers of 1000) or
/// Ki, Mi, Gi, Ti. @return 0, or -1 when it is not one or beyond 64 bits.
int cairn_parse_bytes(const char *text, int64_t *bytes);

/// Return the name among @p names (NULL-terminated) nearest to @p word by edit
/// distance, or NULL when none is near (more than half of the word differs).
const char *cairn_nearest(const char *word, const char *const *names);

#endif
