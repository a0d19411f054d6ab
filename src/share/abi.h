// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What generated functions are called with. Every one is `int64_t name(const
/// cairn_kernel_part *A, ARGUMENTS *op)` (a conversion has the part it fills, `B`,
/// between them); the arguments are one plain struct for each kind of operation, whose
/// fields are listed once, here: the list makes the C struct, the declarations that a
/// printed kernel carries, and the numbers by which the IR names a field.

#ifndef CAIRN_SHARE_ABI_H
#define CAIRN_SHARE_ABI_H

#include <cairn/kernel.h>

#include <stdint.h>

/// Calling conventions: name, struct of the arguments, number of parts.
#define CAIRN_ABI_MAP(X)              \
    X(PRODUCT, cairn_product_args, 1) \
    X(CONVERT, cairn_convert_args, 2) \
    X(GRID, cairn_grid_args, 1)       \
    X(GRID_CONVERT, cairn_grid_convert_args, 2)

typedef enum {
#define X(id, args, parts) CAIRN_ABI_##id,
    CAIRN_ABI_MAP(X)
#undef X
} cairn_abi;

/// Fields that all products begin with: C type, name, what it is. The dense operands are
/// row-major: entry (j,c) of X stands at x[j*x_stride + c] for a global j, entry (i,c) of
/// Y at y[(i - row_lo)*y_stride + c].
#define CAIRN_OPERANDS_MAP(X)                                               \
    X(const void *, x, "X, shifted so that the index is the global column") \
    X(void *, y, "Y, this rank's rows")                                     \
    X(int64_t, x_stride, "elements from row to row of X; 1 for a vector")   \
    X(int64_t, y_stride, "likewise of Y")                                   \
    X(int64_t, columns, "of X and Y; 1 for a vector")                       \
    X(int64_t, row_lo, "this rank's rows: row_lo <= i < row_end")           \
    X(int64_t, row_end, "")                                                 \
    X(int64_t, col_lo, "this rank's columns of A: col_lo <= j < col_end")   \
    X(int64_t, col_end, "")                                                 \
    X(double, alpha, "factor of A*X")

/// Fields of a product's arguments.
#define CAIRN_PRODUCT_MAP(X)                                                          \
    CAIRN_OPERANDS_MAP(X)                                                             \
    X(const int64_t *, share, "[shares + 1] where each thread's turns begin")         \
    X(int64_t, shares, "threads")                                                     \
    X(const int64_t *, cut, "[cuts] positions of whole cuts of long rows")            \
    X(int64_t, cuts, "how many")                                                      \
    X(int64_t, cutters, "threads that share them")                                    \
    X(void *, partial, "[position / 4096][columns] sums of whole cuts")               \
    X(const void *, first, "a thread's nodes under each parent: first")               \
    X(const void *, last, "<= p < last, of the type of the level's ptr")              \
    X(const uint16_t *, step, "[steps][2] or else from node to node")                 \
    X(int64_t, steps, "how many; 0: nodes stand under their parents")                 \
    X(int64_t, y_aligned, "1: Y begins at a multiple of 16 bytes")                    \
    X(const double *, sums, "Y's rows in f64, which are added to and rounded into Y") \
    X(double *, y_sum, "[share[shares] / leaf + shares] what rows of Y get, by leaf") \
    X(const uint8_t *, alike, "[rows] from each on so many have the same columns")

/// Fields of the arguments of a product as groups of items (lower/grid/grid.h). A launch does
/// the turns `from` to `to`, of what its function counts: lanes, tiles, pieces or long
/// lists.
#define CAIRN_GRID_MAP(X)                                                        \
    CAIRN_OPERANDS_MAP(X)                                                        \
    X(int64_t, from, "turns of this launch: from")                               \
    X(int64_t, to, "<= k < to")                                                  \
    X(const int64_t *, tile, "[tiles + 1] where each begins among the lists")    \
    X(const int64_t *, piece_at, "[pieces] nodes of each piece of a long list:") \
    X(const int64_t *, piece_end, "piece_at <= p < piece_end")                   \
    X(const int64_t *, piece_first, "[long lists + 1] pieces before each")       \
    X(const int64_t *, long_list, "[long lists] their numbers")                  \
    X(void *, partial, "[pieces][rows of a list] what pieces come to")           \
    X(uint32_t *, first, "[lists + 1] where lists begin that no ptr tells")      \
    X(uint32_t *, via, "[visits] first value of each visit of a row")            \
    X(int64_t *, at, "[visits] and the row of X it begins with")

/// Fields of a conversion's arguments. A conversion reads the part A, entries in
/// coordinates, or keys, and fills B; phases use what they need (lower/conversion/convert.h).
#define CAIRN_CONVERT_MAP(X)                                                           \
    X(int64_t, begin, "entries or turns of the outermost loop to visit: begin")        \
    X(int64_t, end, "<= k < end")                                                      \
    X(const int64_t *, coord0, "[entries] coordinates, by dimension")                  \
    X(const int64_t *, coord1, "")                                                     \
    X(const int64_t *, coord2, "")                                                     \
    X(const int64_t *, coord3, "")                                                     \
    X(const int64_t *, coord4, "")                                                     \
    X(const int64_t *, coord5, "")                                                     \
    X(const int64_t *, coord6, "")                                                     \
    X(const int64_t *, coord7, "")                                                     \
    X(const int64_t *, coord8, "")                                                     \
    X(const int64_t *, coord9, "")                                                     \
    X(const int64_t *, coord10, "")                                                    \
    X(const int64_t *, coord11, "")                                                    \
    X(const int64_t *, coord12, "")                                                    \
    X(const int64_t *, coord13, "")                                                    \
    X(const int64_t *, coord14, "")                                                    \
    X(const int64_t *, coord15, "")                                                    \
    X(const int64_t *, number0, "[entries] numbers, by query")                         \
    X(const int64_t *, number1, "")                                                    \
    X(const int64_t *, number2, "")                                                    \
    X(const int64_t *, number3, "")                                                    \
    X(const int64_t *, number4, "")                                                    \
    X(const int64_t *, number5, "")                                                    \
    X(const int64_t *, number6, "")                                                    \
    X(const int64_t *, number7, "")                                                    \
    X(const int64_t *, number8, "")                                                    \
    X(const int64_t *, number9, "")                                                    \
    X(const int64_t *, number10, "")                                                   \
    X(const int64_t *, number11, "")                                                   \
    X(const int64_t *, number12, "")                                                   \
    X(const int64_t *, number13, "")                                                   \
    X(const int64_t *, number14, "")                                                   \
    X(const int64_t *, number15, "")                                                   \
    X(const double *, value, "[entries] values")                                       \
    X(const int64_t *, box, "[2*order] this rank's positions: first and last")         \
    X(const int64_t *, outer,                                                          \
      "[levels of A] indices of the levels that number its bank")                      \
    X(const int64_t *, low, "[levels of B] smallest index,")                           \
    X(const int64_t *, shift, "and how its field lies in a key: up so many bits,")     \
    X(const int64_t *, mask, "so many ones")                                           \
    X(uint64_t *, key, "[entries] keys, in items with their values or alone,")         \
    X(uint64_t *, high, "[entries] upper words of long keys,")                         \
    X(double *, moved, "[entries] the values, as the keys lie")                        \
    X(int64_t, capacity, "entries that there is room for")                             \
    X(int64_t *, facts, "what was found, as the phase says")                           \
    X(int64_t *, nodes, "[levels of B] nodes counted")                                 \
    X(const int64_t *, length,                                                         \
      "[levels of B] parents of a level with a ptr; of a determined one indices")      \
    X(int64_t *, tuple, "[E+1][nodes of E] indices of every node of level E")          \
    X(uint32_t *, cursor, "[groups + 1] entries or nodes before each group")           \
    X(uint32_t *, slot, "[indices of level E] the node of each in the group at hand")  \
    X(uint32_t *, list, "[nodes of E] indices, from the least of the range, by group") \
    X(int64_t, slots, "of each thread")                                                \
    X(int64_t, zeros, "1: all values of B are 0")                                      \
    X(const int64_t *, offset, "[shares] where each thread\'s list begins")            \
    X(int64_t, groups, "combinations of the levels above the trimmed ones; buckets")   \
    X(int64_t, bucket, "bits of a key below its bucket")                               \
    X(const int64_t *, group_low,                                                      \
      "[expressions of a query's groupBy] smallest value,")                            \
    X(const int64_t *, group_size, "and how many there are")                           \
    X(uint32_t *, tally, "[groups, or those listed] values of a query")                \
    X(const uint8_t *, member_of, "[groups, or those listed] member of a hybrid")      \
    X(uint8_t *, member, "[entries, or values of A] member of the entry there")        \
    X(int64_t, which, "member whose entries are visited")                              \
    X(const uint32_t *, table,                                                         \
      "[queries][rows of the box] numbers of queries, by row")                         \
    X(int64_t, table_rows, "rows of the box")                                          \
    X(const uint32_t *, rank_of,                                                       \
      "[groups, or those listed] number of each in its line of groups")                \
    X(const uint32_t *, line_first, "[lines + 1] listed groups before each line")      \
    X(const uint32_t *, line_list, "[groups listed] values of the last expression")    \
    X(uint32_t *, line_slot, "[shares][line_slots] numbers in the line at hand")       \
    X(int64_t, line_slots, "values that the last expression has")                      \
    X(int64_t, cut, "numbers from here on are another member's")                       \
    X(const uint32_t *, order, "[rows, or lanes] rows as they are to be visited")      \
    X(const uint32_t *, first, "[rows of the box + 1] entries before each")            \
    X(uint32_t *, place, "[rows of the box] where the first entry of each goes")       \
    X(int64_t, lanes, "of a group: positions from a row's slot to its next")           \
    X(const int64_t *, delta,                                                          \
      "[banks][levels of B + 1] where a bank\'s idx and values begin, from the first " \
      "bank\'s on")                                                                    \
    X(const int64_t *, share, "[shares + 1] where each thread's turns begin")          \
    X(int64_t, shares, "threads")

/// Fields of the arguments of a conversion as groups of items
/// (lower/grid_conversion/grid_convert.h): those of all conversions, whose numbers are the
/// same, then its own.
#define CAIRN_GRID_CONVERT_MAP(X)                                                     \
    CAIRN_CONVERT_MAP(X)                                                              \
    X(uint32_t *, at, "[positions] position in A of each key")                        \
    X(uint64_t *, key_sorted, "[positions] keys, and")                                \
    X(uint32_t *, at_sorted, "[positions] positions, by one digit more")              \
    X(int64_t, digit, "bits of a key below that digit")                               \
    X(int64_t, dead, "the key of a position that is no entry: above all others")      \
    X(uint32_t *, added,                                                              \
      "[turns] numbers that are added up; of digits, by digit, "                      \
      "by group")                                                                     \
    X(uint32_t *, sum, "[groups] what those of each group come to; or all before it") \
    X(uint32_t *, number, "[depths][stride] nodes that begin before each entry")      \
    X(int64_t, stride, "positions of one depth")                                      \
    X(uint32_t *, seen, "[2] keys that are less than the one before; entries")

typedef struct cairn_product_args {
#define X(type, name, what) type name;
    CAIRN_PRODUCT_MAP(X)
#undef X
} cairn_product_args;

typedef struct cairn_grid_args {
#define X(type, name, what) type name;
    CAIRN_GRID_MAP(X)
#undef X
} cairn_grid_args;

typedef struct cairn_convert_args {
#define X(type, name, what) type name;
    CAIRN_CONVERT_MAP(X)
#undef X
} cairn_convert_args;

typedef struct cairn_grid_convert_args {
#define X(type, name, what) type name;
    CAIRN_GRID_CONVERT_MAP(X)
#undef X
} cairn_grid_convert_args;

/// Numbers of the fields, for CAIRN_IR_ARG.
typedef enum {
#define X(type, name, what) CAIRN_PRODUCT_##name,
    CAIRN_PRODUCT_MAP(X)
#undef X
} cairn_product_field;

typedef enum {
#define X(type, name, what) CAIRN_GRID_##name,
    CAIRN_GRID_MAP(X)
#undef X
} cairn_grid_field;

typedef enum {
#define X(type, name, what) CAIRN_CONVERT_##name,
    CAIRN_CONVERT_MAP(X)
#undef X
} cairn_convert_field;

typedef enum {
#define X(type, name, what) CAIRN_GRID_CONVERT_##name,
    CAIRN_GRID_CONVERT_MAP(X)
#undef X
} cairn_grid_convert_field;

/// A compiled function, by convention.
typedef int64_t (*cairn_product_fn)(const cairn_kernel_part  *A,
                                    const cairn_product_args *op);
typedef int64_t (*cairn_grid_fn)(const cairn_kernel_part *A, const cairn_grid_args *op);
typedef int64_t (*cairn_convert_fn)(const cairn_kernel_part  *A,
                                    cairn_kernel_part        *B,
                                    const cairn_convert_args *op);

#endif
