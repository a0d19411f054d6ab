// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the comparison is made of. A *task* is an operation on a matrix: a product, or a
/// conversion. A *way* is how somebody does it: prepare, run, hand out the result, destroy.
/// A *peer* is a library with its ways, in a file of its own. A *contender* is a way on a
/// task, with the times that it took. Cairn's formats are contenders like the others.

#ifndef CAIRN_TESTS_BENCH_COMPARE_H
#define CAIRN_TESTS_BENCH_COMPARE_H

#include "../bench.h"

#include <cairn/cairn.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MOST_ROUNDS = 101, MOST_CONTENDERS = 64, MOST_ROWS = 4096 };

/// The operations. ROWS: entries in the order of rows; COO: in any order.
typedef enum {
    PRODUCT,
    CSR_TO_CSC,
    ROWS_TO_CSR,
    COO_TO_CSR,
    ROWS_TO_DIA,
    CSR_TO_ELL,
    CSR_TO_BCSR,
    CSR_TO_SELL,
    CSR_TO_BDIA,  ///< A hybrid: full diagonals in bands of 64 rows, the rest in CSR.
    ROWS_TO_BELL, ///< A hybrid: blocks in ELL, the rest in coordinates.
    ROWS_TO_C2SR,
    ROWS_TO_CISR,
    DCSC_TO_BCSR,
    CSB_TO_DIA, ///< By columns.
    CSR_TO_COO,
    OPERATIONS
} compare_operation;

#define BIT(k) (1u << (k))

/// A matrix as the peers take it. Explicit zeros are not there.
typedef struct {
    char     name[64];
    int32_t  rows, cols, nnz;
    int      block; ///< The size of its dense blocks; 1: it has none.
    bool     iso;   ///< All values are the same.
    int32_t *ptr;   ///< [rows+1]
    int32_t *idx;
    double  *val;
    float   *val32; ///< NULL where f32 is not asked for.
    int32_t *row;   ///< It and `any` are NULL where conversions are not asked for.
    struct {
        int32_t *row, *col;
        double  *val;
    } any; ///< The entries, shuffled.

    double        *weight; ///< [rows] sum of the absolute values.
    uint64_t       sum;    ///< Of all entries, as bench_sum_of().
    cairn_context *context;
    cairn_source  *source;
} compare_matrix;

typedef struct {
    compare_operation     operation;
    const compare_matrix *matrix;
    cairn_dtype           dtype;
    int                   columns; ///< Of the dense operand.
    int                   threads;
    bool                  shipped; ///< As compare_settings says.
    const void           *x;       ///< [cols][columns], row-major, of dtype.
    void                 *y;       ///< [rows][columns], lent to whoever has none.
    const double         *want;    ///< [rows][columns], what y must be.
} compare_task;

/// What a contender made: y for a product, entries for a conversion.
typedef struct {
    double  *y;       ///< [rows][columns], to be written; NULL for a conversion.
    int64_t  entries; ///< Seen, and the sum over them.
    uint64_t sum;
    int64_t  row, col; ///< Seen last.
    bool     loose;    ///< Somewhere in a row a column came behind a larger one.
} compare_result;

/// An entry (0-based) of what a conversion made; padding may be shown, too.
static inline void compare_see(compare_result *r, int64_t i, int64_t j, double value)
{
    if (value == 0) return;
    r->entries++;
    r->sum += bench_sum_of(i, j, value);
    r->loose |= i == r->row && j < r->col;
    r->row = i;
    r->col = j;
}

typedef struct compare_way compare_way;
struct compare_way {
    const char *name;
    unsigned    operations; ///< BIT() of each.
    unsigned    dtypes;     ///< BIT() of each.
    bool        csr;        ///< The matrix is in compressed rows.
    const char *type;       ///< Whatever distinguishes ways of one peer.
    int         number;

    /// Do what is not timed. NULL: it does not apply to this task.
    void *(*prepare)(const compare_way *way, const compare_task *task);
    /// Run once; the seconds it took. Below 0: it failed.
    double (*run)(void *state);
    /// After a run.
    void (*result)(void *state, compare_result *result);
    void (*destroy)(void *state);
};

typedef struct {
    const char *name;
    /// Set up for @p threads threads, and tell the version.
    /// @return Whether it is there.
    bool (*begin)(int threads, char *version, int room);
    void (*end)(void); ///< May be NULL.
    const compare_way *ways;
    int                count;
    bool               by_hand; ///< No library: a loop of ours to compare with.
} compare_peer;

/// The peers that were found when this was built; NULL past the last.
const compare_peer *compare_peer_at(int k);

/// Where the memory of a conversion comes from. It decides more than most conversions do:
/// clearing 4 KB pages takes longer than writing them.
typedef enum {
    MEMORY_FRESH,   ///< Every block of 256 KB or more from the system, and given back.
    MEMORY_SHIPPED, ///< As each library does it by itself: malloc keeps what is below
                    ///< 32 MB, Cairn's context keeps what it had.
    MEMORY_KEPT,    ///< Whatever was freed is kept, for all.
    MEMORY_KINDS,
} compare_memory_kind;

typedef struct {
    char                name[160];
    const compare_peer *peer; ///< NULL: Cairn.
    const compare_way  *way;
    void               *state;
    char                route[16]; ///< Cairn's.
    char values[48]; ///< Cairn's: how they are stored, and " widened" where its kernels
                     ///< read wide copies; "": not told.
    char chosen[160];           ///< The format that `auto` chose; "": it is another.
    bool lent;                  ///< Cairn's: with x and y, or from arrays, of a caller.
    bool borrowed;              ///< The matrix is a caller's compressed rows as well.
    compare_memory_kind memory; ///< Where a conversion's memory comes from.
    double              bytes;  ///< Moved by one run; 0: not known.
    double              seconds[MOST_ROUNDS];
    int                 samples;
    double              median;
    bool                retired; ///< Not in all rounds: others of Cairn's are faster.
    bool                wrong;   ///< It failed, or made something else.
    bool
        loose; ///< Compressed rows whose columns are in no order: less than is promised
               ///< by the others, and no peer of theirs.
} compare_contender;

/// What was measured beside the contenders.
typedef struct {
    double read, triad; ///< Bytes a second, medians, of arrays that fit no cache.
    double near;   ///< Reading as many bytes as the matrix has, again and again: what a
                   ///< matrix that fits a cache can be read at.
    double others; ///< Cores that other processes used meanwhile.
    int    again;  ///< Turns that were disturbed and done again.
} compare_bound;

typedef struct {
    int  rounds, threads, columns;
    int  quiet; ///< Seconds in which a task may repeat turns that others disturbed.
    bool tiny, json, csv;
    bool keep;    ///< All formats in all rounds.
    bool shipped; ///< Conversions in memory as shipped, instead of fresh and kept.
    const char *sections, *matrices, *peers, *dtypes; ///< Lists with commas; NULL: all.
    const char *conversions; ///< Likewise, as named in compare.c.
    const char *formats;     ///< Separated by ';'.
    const char *data;        ///< Folder of shared matrices; "": there is none.
    const char *values;      ///< Of generated matrices: "full", 53 bits; "small".
    const char *pages;       ///< "huge" for all who ask, and glibc asks; "small": none.
    const char *table;       ///< "door": that table alone; NULL: none.
    bool        quick;       ///< Of the table, what two minutes allow.
} compare_settings;

/// End the program with a message.
void compare_stop(const char *what, const char *why);

/// Whether @p name is in a list with commas; everything is in NULL.
bool compare_in(const char *list, const char *name);

/// What malloc does from now on with big blocks. Started programs do the same.
void compare_memory(compare_memory_kind kind);

/// Do contenders of a task run with such memory? As shipped they run alone: what malloc
/// was told to keep for others lies in its lists for good.
bool compare_wants_memory(const compare_task *task, compare_memory_kind kind);

/// "fresh memory", ...
const char *compare_memory_name(compare_memory_kind kind);

/// The clock, as a conversion begins. Fresh: what malloc was given back before, and holds
/// in its lists, has gone to the system by then.
double compare_begin(void);

/// Memory that ends the program if there is none; free(). 64-byte aligned, in huge pages
/// where it is large, as Cairn's own is.
void *compare_take(size_t count, size_t size);

// machine.c

/// Bytes of the largest cache of the machine; 0: not known.
size_t compare_last_cache(void);

/// Bytes of memory that are to be had now.
double compare_free_memory(void);

/// Say what processor, caches and pages there are; lines begin with @p begin.
void compare_print_machine(const compare_settings *settings);

/// Say how much of this process lies in huge pages.
void compare_print_pages(void);

// matrix.c

/// Groups of matrices: generated ones, small graphs for products with many columns, the
/// larger matrices among the shared ones (those with most entries first), and generated
/// ones that fit no cache.
typedef enum { MADE, GRAPHS, REAL, FAR, GROUPS } compare_group;

enum { LARGER = 12 }; ///< So many of REAL are "the larger ones".

/// The names of matrices of a group; NULL past the last.
const char *compare_matrix_name(int k, compare_group group);

/// Make (or read) a matrix.
/// @return false: a file that is not there.
bool compare_matrix_make(compare_matrix         *a,
                         const char             *name,
                         const compare_settings *settings);
void compare_matrix_fini(compare_matrix *a);

// bound.c

/// Measure once, with as many threads as the products have; @p bytes are those of the
/// matrix. Tiny: in a cache, to see that it works.
typedef struct {
    double read, triad, near; ///< Bytes a second, as compare_bound has them.
} compare_rates;
compare_rates compare_bound_run(bool tiny, int threads, double bytes);
void          compare_bound_fini(void);

// ours.c

/// Add Cairn's contenders for a task.
/// @return Their number.
int compare_ours(const compare_task     *task,
                 const compare_settings *settings,
                 compare_contender      *list,
                 int                     room);
int compare_ours_convert(const compare_task *task, compare_contender *list, int room);

/// The formats to try on a matrix, separated by ';'.
const char *compare_formats(const compare_matrix *a, cairn_dtype dtype, int columns);

/// Give back what the context keeps of freed memory.
void compare_forget(cairn_context *context);

/// Bytes that a product in compressed rows reads and writes at least.
double compare_csr_bytes(const compare_task *task);

// rounds.c

/// Let all contenders run in turn, and hold what they made against the task.
/// @return Whether all were right.
bool compare_rounds(const compare_task     *task,
                    const compare_settings *settings,
                    compare_contender      *list,
                    int                     count,
                    compare_bound          *bound);

// table.c

/// Start and end the output (the end has a summary), and tell a task's contenders.
void compare_print_begin(const compare_settings *settings);
void compare_print_task(const compare_settings *settings,
                        const compare_task     *task,
                        compare_contender      *list,
                        int                     count,
                        const compare_bound    *bound);
void compare_print_end(const compare_settings *settings);

// door.c

/// Run this program once for each pass of the table, and print the table.
/// @return Whether all passes ran, and all results were right.
bool compare_door(const compare_settings *settings);

#ifdef __cplusplus
}
#endif

#endif
