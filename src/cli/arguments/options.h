// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arguments. One table names every option of the command; a verb lists those that it
/// takes. The table is the parser, the help text, and the source of "did you mean".
///
/// An option is `--name`, `--name VALUE` or `--name=VALUE`, read by getopt_long; names
/// are written in full, so that a name added later cannot change what an old script
/// means. An option is given once, and its value is not empty.
/// Options and operands may be mixed; `--` ends the options.

#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <cairn/status.h>

typedef struct cli_job cli_job; // job.h

/// Every option: id, name, its value's name (NULL: a flag), default in words, help.
#define CLI_OPTION_MAP(X)                                                            \
    X(HELP, "help", NULL, NULL, "show this text")                                    \
    X(MPI, "mpi", NULL, "under a launcher", "start MPI")                             \
    X(JSON, "json", "FILE", NULL,                                                    \
      "write one JSON object instead; - is standard output")                         \
    X(MEMORY, "memory", "BYTES", "half of what is available, per rank",              \
      "limit of all that a rank has in memory: 4000, 64M, 2Gi")                      \
    X(THREADS, "threads", "N", "OMP_NUM_THREADS or binding",                         \
      "threads of the CPU of a rank, up to 4 times the processors")                  \
    X(GIVE_UP, "give-up", "SECONDS", "0: never",                                     \
      "how long to wait for a rank or a device that does not answer")                \
    X(DTYPE, "dtype", "TYPE", "f64", "element type: f64 or f32")                     \
    X(SPY, "spy", "PNG", NULL, "draw the matrix")                                    \
    X(OUTPUT, "output", "OUT", NULL, "the file to write; also -o")                   \
    X(NX, "nx", "N", NULL, "grid points along x")                                    \
    X(NY, "ny", "N", NULL, "grid points along y")                                    \
    X(NZ, "nz", "N", NULL, "grid points along z")                                    \
    X(N, "n", "N", NULL, "rows and columns")                                         \
    X(OFFSETS, "offsets", "A,B,...", NULL, "diagonals, column minus row")            \
    X(DEGREE, "degree", "N", NULL, "entries in a row; of fem3 blocks")               \
    X(SCALE, "scale", "N", NULL, "2^N rows and columns")                             \
    X(EDGES, "edges", "N", NULL, "entries drawn")                                    \
    X(ROWS, "rows", "N", NULL, "rows")                                               \
    X(COLS, "cols", "N", NULL, "columns")                                            \
    X(DENSITY, "density", "D", NULL, "share of each row that is stored, 0 to 1")     \
    X(SEED, "seed", "N", "1", "where the random numbers start")                      \
    X(ARRAYS, "arrays", NULL, NULL, "with FILE, on one rank: the arrays' elements")  \
    X(PATH, "path", "SRC", NULL, "the rewrite rules that lead from SRC to SPEC")     \
    X(TO, "to", "SPEC", NULL, "the format to store it in; or auto")                  \
    X(FORMAT, "format", "SPEC", "csr", "storage of the sparse operand; or auto")     \
    X(SWITCH_TO, "switch-to", "SPEC", NULL,                                          \
      "store this format beside the iterations, and go on in the faster")            \
    X(CANDIDATES, "candidates", "FILE", "those that come with the library",          \
      "formats that auto chooses among, one a line")                                 \
    X(PLACE, "place", "LIST", "auto", "devices of members: auto, 0=cpu:0+cpu:1")     \
    X(DEVICES, "devices", "LIST", "the processor, and what --place names",           \
      "devices of this run: cpu:2,opencl, files, or all")                            \
    X(DISTRIBUTE, "distribute", "HOW", "as FILE says, else nnz",                     \
      "how rows go to ranks: rows, nnz, cost, graph, 2d")                            \
    X(K, "k", "N", "32", "columns of the dense operand (not with spmv)")             \
    X(TRANSPOSE, "transpose", NULL, NULL, "multiply by the transpose of the matrix") \
    X(ADD, "add", NULL, NULL, "add to what the result has: y += A x")                \
    X(TARGET, "target", "KIND", "c", "language to print: c, opencl or cuda")         \
    X(ARCH, "arch", "CARD", NULL, "with cuda: the card's generation, as sm_90")      \
    X(VECTOR, "vector", "BYTES", "this machine's",                                   \
      "of the widest vectors: 16, 32, 64")                                           \
    X(WARM, "warm", NULL, NULL, "compile into the cache of kernels, print nothing")  \
    X(ITERS, "iters", "N", "10", "timed runs")                                       \
    X(CHAIN, "chain", "N", NULL, "a run is N products, each y the next x")           \
    X(WARMUP, "warmup", "N", "2", "runs before them")                                \
    X(X, "x", "WHAT", "ramp", "ones, ramp, or a Matrix Market array file")           \
    X(OUT, "out", "FILE", NULL, "write the result, Matrix Market")                   \
    X(VERIFY, "verify", NULL, NULL, "compare with a sum over the file's entries")    \
    X(GUARD, "guard", NULL, NULL, "check every product by sums of columns")          \
    X(PLAN, "plan", "FILE", NULL, "place members as this file says")                 \
    X(PLAN_OUT, "plan-out", "FILE", NULL, "write where members are placed")          \
    X(TRACE, "trace", "FILE", NULL, "write when tasks ran, for ui.perfetto.dev")     \
    X(REPRODUCIBLE, "reproducible", NULL, NULL, "same bits wherever members are")    \
    X(TOL, "tol", "T", "1e-8", "end where |b - A x| is T |b|")                       \
    X(MAX_ITERATIONS, "max-iterations", "N", "10000", "end there whatever is left")  \
    X(PRECONDITION, "precondition", "M", "none", "none, jacobi, block-jacobi:B")     \
    X(RHS, "rhs", "WHAT", "ones", "b: ones, or a Matrix Market array file")          \
    X(PICTURE, "picture", "FILE", NULL, "draw the history, SVG")                     \
    X(CHECKPOINT, "checkpoint", "DIR", NULL, "keep states there to go on from")      \
    X(EVERY, "every", "N|Ts", "60s", "iterations, or seconds, between checkpoints")  \
    X(RESTART, "restart", "DIR", NULL, "go on from the newest checkpoint there")     \
    X(NUMBERS, "numbers", NULL, NULL, "what a file may say of simulated devices")    \
    X(MODELS, "models", NULL, NULL, "print the cost models")                         \
    X(RANKS, "ranks", "A,B,...", "1,2,4,... up to the processors",                   \
      "numbers of ranks, one after the other")                                       \
    X(STRONG, "strong", NULL, "unless --weak", "the same problem on all of them")    \
    X(WEAK, "weak", NULL, NULL, "a test problem that grows with the ranks")          \
    X(REPEAT, "repeat", "N", "3", "runs of each point, in turns with the others")    \
    X(WITHIN, "within", "SECONDS", "600", "end a run after that long; 0: never")     \
    X(FOLDER, "folder", "DIR", "scale", "where the study is kept, and goes on")      \
    X(LAUNCHER, "launcher", "COMMAND", "mpirun, else mpiexec",                       \
      "what starts ranks, given -n N and a program")                                 \
    X(SIMULATE, "simulate", "FILE", NULL,                                            \
      "add points on SimGrid's ranks; FILE is its platform, as cluster.xml")         \
    X(SIMULATED, "simulated-ranks", "A,B,...", "those of --ranks",                   \
      "numbers of ranks that are simulated")                                         \
    X(MACHINE, "machine", "FILE", NULL,                                              \
      "rates of another machine: its devices, and its messages")

typedef enum {
#define X(id, name, value, standard, help) CLI_##id,
    CLI_OPTION_MAP(X)
#undef X
        CLI_OPTIONS, ///< How many; ends a verb's list.
} cli_option_id;

typedef struct cli_option {
    const char *name;
    const char *value;    ///< Name of its value; NULL: a flag.
    const char *standard; ///< Default in words; NULL: none.
    const char *help;
} cli_option;

/// The table's row of an option.
const cli_option *cli_option_row(cli_option_id id);

#define CLI_OPERANDS 3 ///< Most operands of a verb.

/// The arguments after the verb.
typedef struct cli_arguments {
    const char *value[CLI_OPTIONS]; ///< NULL: not given; a flag's is "".
    const char *operand[CLI_OPERANDS];
    int         operands;
} cli_arguments;

/// Read the arguments after the verb into job->arguments.
///
/// @retval CAIRN_BAD_OPTION  An option is unknown (the nearest is named), given twice,
///                           lacks its value or must have none; operands are missing or
///                           too many.
cairn_status cli_arguments_read(cli_job *job, int count, char *const *words);

#endif
