// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sources and tensors. A *source* holds entries, coordinates and values, spread over
/// the ranks: what a file said, or what a program has. A *tensor* is a source stored in
/// a format; it keeps nothing but the format's arrays. Rows (indices of mode 0) belong
/// to ranks, consecutive rows to each.

#ifndef CAIRN_TENSOR_H
#define CAIRN_TENSOR_H

#include <cairn/format.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_ORDER 16 ///< Most modes of a tensor.

typedef struct cairn_source cairn_source;
typedef struct cairn_tensor cairn_tensor;

/// Element types.
typedef enum { CAIRN_F64, CAIRN_F32 } cairn_dtype;

/// How rows are divided among ranks.
typedef enum {
    CAIRN_BY_NNZ,  ///< Equal numbers of entries.
    CAIRN_BY_ROWS, ///< Equal numbers of rows.
} cairn_division;

/// What a callee may do with an array it is handed.
typedef enum {
    CAIRN_COPY,   ///< Copied before the call returns; the caller keeps the array.
    CAIRN_BORROW, ///< Used in place; the caller keeps it alive until destroy.
    CAIRN_TAKE,   ///< Used in place, and released when it is no longer needed.
} cairn_copy_mode;

/// Structure of a source.
typedef struct cairn_source_info {
    size_t      size; ///< sizeof(cairn_source_info); CAIRN_SOURCE_INFO sets it.
    int         order;
    int64_t     extent[CAIRN_ORDER];
    int64_t     nnz;      ///< Stored entries, mirror images included, duplicates added.
    const char *field;    ///< "real", "integer", "pattern", ...: the file's word.
    const char *symmetry; ///< "general", "symmetric", "skew-symmetric".
    int64_t     diagonals; ///< Non-empty diagonals; -1 for orders other than 2,
    int64_t     max_row;   ///< as are the following.
    int64_t     empty_rows;
    int64_t     bandwidth_lower, bandwidth_upper;
    double      read_seconds; ///< Measured: reading, moving to owners, sorting.
    const char *
        values; ///< What holds them all exactly: "iso", "i8", "i16", "f16", "bf16", "f32" or
                ///< "f64", of `val(TYPE)`; NULL: there are none.
    double value; ///< Of "iso" the value that all are; else 0.
    const char
        *distribution; ///< What a .cairn file's format says behind its @, as "graph";
                       ///< NULL: nothing. Lives as long as the source.
} cairn_source_info;

/// Nothing; its size is set.
// clang-format off
#define CAIRN_SOURCE_INFO \
    { sizeof(cairn_source_info), 0, {0}, 0, NULL, NULL, 0, 0, 0, 0, 0, 0.0, NULL, 0.0, NULL }
// clang-format on

/// Read a file: Matrix Market, FROSTT (.tns), Harwell-Boeing or Rutherford-Boeing, each as
/// it is or gzip, binsparse in .npz or HDF5, a sparse matrix of MATLAB's in a .mat file of
/// version 7.3, binary of PETSc, or .cairn; recognised by content, FROSTT by its name
/// (docs/files.md says how, and what is read of each). Files are read by all ranks at once,
/// but for Harwell-Boeing and the inflating of gzip, which rank 0 does; entries are moved to
/// the ranks that own their rows.
///
/// Collective.
///
/// @param[out] source  Destroy with cairn_source_destroy(). Unchanged on failure.
/// @retval CAIRN_IO           On some rank the file cannot be opened or read.
/// @retval CAIRN_BAD_FILE     Its content is wrong: file, line or offset, cause.
/// @retval CAIRN_UNSUPPORTED  Complex, hermitian, or something else in it that this version
///                            lacks.
/// @retval CAIRN_NO_MEMORY    It does not fit.
/// @retval CAIRN_BAD_ARGUMENT A pointer is NULL, no such division, or not the same one.
CAIRN_API cairn_status cairn_source_read(cairn_context *context,
                                         const char    *path,
                                         cairn_division division,
                                         cairn_source **source);

/// Make a source from coordinates; every rank gives some entries, of any rows.
/// Duplicates are added, those of lower ranks first.
///
/// Collective.
///
/// @param[in] order   Modes, 1..CAIRN_ORDER.
/// @param[in] extent  [order] global extents, the same on all ranks.
/// @param[in] coord   [nnz][order], row-major, 0-based; copied. NULL for no entries.
/// @param[in] value   [nnz]; copied. NULL: all 1.
/// @retval CAIRN_BAD_COORD     A coordinate is outside its extent.
/// @retval CAIRN_BAD_SHAPE     No tensor has such an order, or an extent is negative.
/// @retval CAIRN_BAD_ARGUMENT  @p nnz is negative, a pointer NULL, no such division; @p
///                             order, @p extent or @p division is not the same on all
///                             ranks.
CAIRN_API cairn_status cairn_source_from_coords(cairn_context *context,
                                                int            order,
                                                const int64_t *extent,
                                                int64_t        nnz,
                                                const int64_t *coord,
                                                const double  *value,
                                                cairn_division division,
                                                cairn_source **source);

/// Parameters of the test problems; each kind reads its own (see docs/generate.md).
typedef struct cairn_problem {
    size_t         size;         ///< sizeof(cairn_problem); CAIRN_PROBLEM sets it.
    int64_t        nx, ny, nz;   ///< stencil5, stencil7, stencil27
    int64_t        n, degree;    ///< banded, fem3, uniform, tridiag, mixed
    const int64_t *offsets;      ///< banded: [offset_count]
    int            offset_count; ///< 0 where offsets is NULL.
    int64_t        scale, edges; ///< rmat: 2^scale vertices
    int64_t        rows, cols;   ///< pruned
    double         density;      ///< pruned
    uint64_t       seed;
} cairn_problem;

/// All 0.
// clang-format off
#define CAIRN_PROBLEM \
    { sizeof(cairn_problem), 0, 0, 0, 0, 0, NULL, 0, 0, 0, 0, 0, 0.0, 0 }
// clang-format on

/// Make a test problem of @p kind ("stencil5", "rmat", ...). The same bytes on every
/// machine and any number of ranks.
///
/// Collective.
///
/// @retval CAIRN_BAD_OPTION  No such kind (the nearest is named), or bad parameters.
/// @retval CAIRN_BAD_ARGUMENT  The kind, a parameter that it reads, or the seed is not the
///                             same on all ranks.
CAIRN_API cairn_status cairn_source_generate(cairn_context       *context,
                                             const char          *kind,
                                             const cairn_problem *problem,
                                             cairn_source       **source);

/// The kinds of test problems, and what each is; NULL past the last.
CAIRN_API const char *cairn_problem_name(int k);
CAIRN_API const char *cairn_problem_help(int k);

CAIRN_API void cairn_source_destroy(cairn_source **source);

/// Describe the structure. Collective.
CAIRN_API cairn_status cairn_source_describe(const cairn_source *source,
                                             cairn_source_info  *info);

/// Count entries in a grid of cells, for a picture of a matrix: @p count is
/// [height][width], row-major, the whole matrix on every rank.
///
/// Collective. Matrices only (CAIRN_BAD_SHAPE); cells are 1 or more, and no more than the
/// machine's memory holds (CAIRN_BAD_ARGUMENT).
CAIRN_API cairn_status cairn_source_spy(const cairn_source *source,
                                        int                 width,
                                        int                 height,
                                        int64_t            *count);

/// Write a source: FROSTT where the name ends in .tns, a binary file of PETSc where it ends
/// in .petsc or .petsc64 (integers of 64 bits), Harwell-Boeing, column by column, where it
/// ends in .rua, .rsa, .pua, .psa (of that type) or .hb (as .rua), else Matrix Market
/// (coordinate real general; text has 17 digits); row by row, the same bytes on any number
/// of ranks. The file appears whole or not at all.
///
/// Collective.
///
/// @retval CAIRN_BAD_SHAPE     FROSTT: no entry; else: no matrix. Harwell-Boeing: an extent
///                             beyond 14 digits; .rsa, .psa: it is not square.
/// @retval CAIRN_BAD_ARGUMENT  .rsa, .psa: an entry is not its mirror image to the bit; .pua,
///                             .psa: a value is not 1.
CAIRN_API cairn_status cairn_source_write(const cairn_source *source, const char *path);

/// Store a source in a format.
///
/// Collective. Rank boundaries move to multiples of the format's grain, and the source's
/// entries with them; else the source is not changed, and may be destroyed. Values of a
/// source that was read from a file are stored as narrow as they are, bit for bit, and so
/// are those of others where the context says that 100 products or more will come, or @p
/// format was chosen for as many (cairn_format_auto()).
///
/// @param[out] tensor  Destroy with cairn_tensor_destroy(). Unchanged on failure.
/// @retval CAIRN_BAD_SHAPE  The format is for another order.
/// @retval CAIRN_BAD_ARGUMENT  The format or @p dtype is not the same on all ranks.
/// @retval CAIRN_NO_MEMORY  The arrays exceed the limit, and nothing was allocated for
///                          them; or what finding them takes does. The message has what
///                          was needed, and the limit.
/// @retval CAIRN_OVERFLOW   A width given in the format is too small.
/// @retval CAIRN_BAD_QUERY  A query of the format has no meaning on this tensor.
/// @retval CAIRN_NO_KERNEL  Under CAIRN_KERNELS=compiled: something would be interpreted; the
///                          message has member, query and reason.
CAIRN_API cairn_status cairn_tensor_create(cairn_source       *source,
                                           const cairn_format *format,
                                           cairn_dtype         dtype,
                                           cairn_tensor      **tensor);

/// How to store.
typedef struct cairn_store_options {
    size_t size; ///< sizeof(cairn_store_options); CAIRN_STORE_OPTIONS sets it.
    int64_t
        replays; ///< Products that will come, not negative; 0: as many as the context
                 ///< says (cairn_context_set_replays()). From 100 on values are stored
                 ///< as narrow as they are, whatever they come from.
} cairn_store_options;

/// Nothing is said.
// clang-format off
#define CAIRN_STORE_OPTIONS \
    { sizeof(cairn_store_options), 0 }
// clang-format on

/// The same as cairn_tensor_create(), for so many products.
///
/// @param[in] options  NULL: CAIRN_STORE_OPTIONS. A size or number that is none fails with
///                     CAIRN_BAD_ARGUMENT.
CAIRN_API cairn_status cairn_tensor_create_with(cairn_source              *source,
                                                const cairn_format        *format,
                                                cairn_dtype                dtype,
                                                const cairn_store_options *options,
                                                cairn_tensor             **tensor);

/// Where rows are, of a tensor whose format gives ranks rows that are not consecutive
/// (`csr @ (d0 % ranks)`): each row has a place, a rank has consecutive places, and the arrays
/// are those of the matrix in the order of places, its columns too where it is square. What
/// a plan calls rows and columns are still the user's, as many on each rank as it has places.
///
/// Local.
///
/// @return [rows of this rank] The places of the rows first .. end-1 of cairn_tensor_rows();
///         they live as long as the tensor. NULL: rows are where their numbers say, or in
///         parts (`csr @ blocks<2,2>`), which have no one place.
CAIRN_API const int64_t *cairn_tensor_places(const cairn_tensor *tensor);

/// A solver's own matrix: CSR rows first_row .. first_row+rows-1 on this rank.
///
/// Collective. With @p format NULL and CAIRN_BORROW nothing is copied: the tensor
/// is a CSR over the caller's arrays, whose values may be changed in place at any time.
/// With a format the entries are stored in it, and cairn_tensor_update() brings new
/// values. Ranks hold consecutive rows in rank order.
///
/// @param[in] global_rows, global_cols  Extents of the whole matrix.
/// @param[in] ptr  [rows+1] positions, ptr[0] = 0; ptr_bits is 32 or 64.
/// @param[in] idx  [ptr[rows]] global columns, 0-based; idx_bits is 32 or 64.
/// @param[in] val  [ptr[rows]] of @p dtype. It and @p idx may be NULL for no entries.
/// @retval CAIRN_BAD_SHAPE     Rows overlap, leave gaps or are not in rank order.
/// @retval CAIRN_BAD_COORD     A column is outside the matrix, or ptr descends.
/// @retval CAIRN_BAD_ARGUMENT  A pointer is NULL, no such width, type or mode, or
///                             CAIRN_TAKE (cairn_tensor_from_parts() takes arrays); @p
///                             dtype, @p mode or the format is not the same on all ranks.
CAIRN_API cairn_status cairn_tensor_from_csr(cairn_context      *context,
                                             int64_t             global_rows,
                                             int64_t             global_cols,
                                             int64_t             first_row,
                                             int64_t             rows,
                                             const void         *ptr,
                                             int                 ptr_bits,
                                             const void         *idx,
                                             int                 idx_bits,
                                             const void         *val,
                                             cairn_dtype         dtype,
                                             cairn_copy_mode     mode,
                                             const cairn_format *format,
                                             cairn_tensor      **tensor);

/// As cairn_tensor_from_csr(), by columns: column j's entries are ptr[j] <= k < ptr[j+1].
///
/// Collective. A matrix by columns is its transpose by rows. Ranks hold consecutive rows in
/// rank order here, too: each gives the entries of its own rows, in all columns.
///
/// @param[in] first_row, rows  Of this rank. On one rank 0 and @p global_rows.
/// @param[in] ptr  [global_cols+1] positions, ptr[0] = 0; ptr_bits is 32 or 64.
/// @param[in] idx  [ptr[global_cols]] global rows, 0-based, of this rank; idx_bits is 32 or
///                 64.
/// @param[in] val  [ptr[global_cols]] of @p dtype. It and @p idx may be NULL for no entries.
/// @retval CAIRN_BAD_SHAPE, CAIRN_BAD_ARGUMENT  As of cairn_tensor_from_csr().
/// @retval CAIRN_BAD_COORD  A row is not this rank's, or ptr descends.
CAIRN_API cairn_status cairn_tensor_from_csc(cairn_context      *context,
                                             int64_t             global_rows,
                                             int64_t             global_cols,
                                             int64_t             first_row,
                                             int64_t             rows,
                                             const void         *ptr,
                                             int                 ptr_bits,
                                             const void         *idx,
                                             int                 idx_bits,
                                             const void         *val,
                                             cairn_dtype         dtype,
                                             cairn_copy_mode     mode,
                                             const cairn_format *format,
                                             cairn_tensor      **tensor);

/// New values for the same pattern: @p val is as it was given to
/// cairn_tensor_from_csr() or cairn_tensor_from_csc(), or to cairn_tensor_from_coords() with
/// `updates`, entry for entry; values of the same coordinates are added in their order.
///
/// Local. Of rows and columns the first call plans where values go, for which the copy of
/// `ptr` and `idx` goes that was made with the tensor: on one rank by converting
/// the entries' numbers in the place of values, with the memory of another f64 tensor beside;
/// on several, or where entries are given twice or a query compares values, by a walk, which
/// takes ten times as long and 56 bytes an entry. What stays are 0 to 8 bytes an entry, as
/// the format has it (none where values stand in the caller's order; twice that from 2^32
/// entries on). Later calls take no memory,
/// write values alone, padding excepted, and run on the context's threads at about the speed
/// of a gather. Where values are stored narrow (`val(TYPE)`) all of them are looked at before
/// they are stored, which takes twice to three times as long, and more in a dictionary, where
/// each is looked up; a member whose type does not hold all new values gets wide ones on this
/// rank, and keeps them. Plans that have copies of values
/// (members divided among devices, devices with a memory of their own) get the new ones at
/// their next run. That goes for borrowed values, too: change them, and call this with the
/// same @p val, so that copies are renewed.
///
/// @param[in] val  [entries] of the tensor's type, one after the other.
/// @retval CAIRN_BAD_ARGUMENT  The tensor was made by none of these, nor around
///                             coordinates that are borrowed (cairn_tensor_from_coords());
///                             @p val is NULL, or not what is borrowed; a view of its
///                             arrays is out (cairn_tensor_part_get()).
/// @retval CAIRN_NO_MEMORY     For the plan, or wide values; values are what they were.
CAIRN_API cairn_status cairn_tensor_update(cairn_tensor *tensor, const void *val);

/// Store a tensor in another format: from any format to any other, packed, partitioned,
/// indirect and hybrid ones included. The path that cairn_path_create() plans says what is
/// done. It is executed rule by rule only where there are no compiled functions that do
/// the same in fewer passes, or few entries; cairn_tensor_route() says which it was.
///
/// Collective. Rank boundaries stay where they are if they are multiples of the new
/// format's grain; else rows are cut anew, by equal counts of entries, and those that go
/// to other ranks are sent (cairn_path_sent() of its path). Where a format pads, a stored
/// 0 looks like padding: it is kept only from layouts without. Arrays that would be the
/// same, byte for byte, may be in both; either can be destroyed.
///
/// @param[out] converted  Destroy with cairn_tensor_destroy(). Unchanged on failure.
///                        @p tensor is not changed; both are in memory for the moment.
/// @retval CAIRN_BAD_SHAPE, CAIRN_NO_MEMORY, CAIRN_OVERFLOW, CAIRN_BAD_QUERY,
///         CAIRN_NO_KERNEL  As cairn_tensor_create().
/// @retval CAIRN_BAD_ARGUMENT  The format is not the same on all ranks.
CAIRN_API cairn_status cairn_tensor_convert(const cairn_tensor *tensor,
                                            const cairn_format *format,
                                            cairn_tensor      **converted);

/// The same as cairn_tensor_convert(), for so many products: a tensor that borrows a
/// caller's arrays stays as it is, and what it is converted to has narrow values.
///
/// @param[in] options  NULL: CAIRN_STORE_OPTIONS. A size or number that is none fails with
///                     CAIRN_BAD_ARGUMENT.
CAIRN_API cairn_status cairn_tensor_convert_with(const cairn_tensor        *tensor,
                                                 const cairn_format        *format,
                                                 const cairn_store_options *options,
                                                 cairn_tensor             **converted);

/// Is this a .cairn file? Told by its first bytes.
///
/// Collective.
///
/// @retval CAIRN_IO  It cannot be opened.
CAIRN_API cairn_status cairn_file_is_native(cairn_context *context,
                                            const char    *path,
                                            bool          *native);

/// Read a .cairn file as the tensor that was written, in its format. On as many ranks as
/// wrote it every rank takes its own arrays; on others it is stored anew.
///
/// Collective.
///
/// @param[out] tensor  Destroy with cairn_tensor_destroy(). Unchanged on failure.
/// @retval CAIRN_BAD_FILE  It is no .cairn file, or damaged.
CAIRN_API cairn_status cairn_tensor_read(cairn_context *context,
                                         const char    *path,
                                         cairn_tensor **tensor);

/// The entries of a tensor as a source.
///
/// Collective.
///
/// @param[out] source  Destroy with cairn_source_destroy(). Unchanged on failure.
CAIRN_API cairn_status cairn_source_from_tensor(const cairn_tensor *tensor,
                                                cairn_source      **source);

/// Divide a source's rows among ranks as a tensor's are, which was converted since the
/// source was made, say: for cairn_plan_verify().
///
/// Collective.
///
/// @param[in,out] source  Of the tensor's context and extents. On failure its rows are as
///                        before, but where messages failed: then it has no entries.
/// @retval CAIRN_BAD_ARGUMENT  Their contexts differ.
/// @retval CAIRN_BAD_SHAPE     Their orders or extents differ.
/// @retval CAIRN_NO_MEMORY
CAIRN_API cairn_status cairn_source_divide_like(cairn_source       *source,
                                                const cairn_tensor *tensor);

/// Destroy a tensor. NULL is accepted. While a view of its arrays is out
/// (cairn_tensor_part_get()) nothing is done: @p tensor stays as it is, and the context's
/// message says so.
CAIRN_API void cairn_tensor_destroy(cairn_tensor **tensor);

/// The rules that say what storing the tensor meant: from the tensor's format that it was
/// converted from, or from coordinates if it was made of a source; if rows moved to other
/// ranks on the way and could not be cut in that format, from a list of rows. Where
/// cairn_tensor_route() is "reference" they were executed, unless
/// cairn_tensor_interpreted() says that only some were; else compiled functions did what
/// they say, in passes of their own. Lives as long as the tensor. NULL: its arrays were
/// given (by a caller, or a file).
CAIRN_API const cairn_path *cairn_tensor_path(const cairn_tensor *tensor);

/// How the tensor was stored on this rank: the passes of cairn_tensor_path(), one a line.
/// Lives as long as the tensor. NULL: its arrays were given, or there is no memory for the
/// text, which is made when it is first asked for.
CAIRN_API const char *cairn_tensor_how(const cairn_tensor *tensor);

/// How the tensor was stored on this rank: "compiled" or "prebuilt", by compiled functions
/// alone (some compiled now or found in the cache; all of them from the library);
/// "reference", if anything was interpreted. NULL: its arrays were given. Constant.
CAIRN_API const char *cairn_tensor_route(const cairn_tensor *tensor);

/// What was interpreted on this rank while compiled functions did the rest: the first query
/// or dealing out of entries that looked at coordinates one by one, and why. NULL: nothing;
/// or all was ("reference"). Lives as long as the tensor. Under CAIRN_KERNELS=compiled it
/// is a failure, CAIRN_NO_KERNEL, instead.
CAIRN_API const char *cairn_tensor_interpreted(const cairn_tensor *tensor);

/// Why the tensor was stored more slowly on this rank than by compiled functions alone:
/// such as would have been faster were not to be had (there is no compiler, or it failed);
/// else what cairn_tensor_interpreted() says. NULL: neither. Lives as long as the tensor.
CAIRN_API const char *cairn_tensor_why(const cairn_tensor *tensor);

/// The type of the tensor's values; CAIRN_F64 of NULL.
CAIRN_API cairn_dtype cairn_tensor_dtype(const cairn_tensor *tensor);

/// The tensor's format, which it holds.
CAIRN_API const cairn_format *cairn_tensor_format(const cairn_tensor *tensor);

/// The tensor's order and extents. Local.
///
/// @param[out] extent  [CAIRN_ORDER] global; 0 behind the order. May be NULL.
/// @return The order, the same on all ranks; 0 of NULL, whose extents are 0.
CAIRN_API int cairn_tensor_shape(const cairn_tensor *tensor, int64_t *extent);

/// Rows of this rank: first and one past the last. Either may be NULL.
CAIRN_API void
cairn_tensor_rows(const cairn_tensor *tensor, int64_t *first, int64_t *end);

/// Seconds that storing took on this rank, measured.
CAIRN_API double cairn_tensor_seconds(const cairn_tensor *tensor);

/// One part; all ranks' parts are listed everywhere.
typedef struct cairn_part_info {
    size_t  size; ///< sizeof(cairn_part_info); CAIRN_PART_INFO sets it.
    int     member, rank, share;
    int64_t bank;       ///< -1 without partition.
    int64_t nnz, bytes; ///< Entries stored; bytes of its arrays.
    int64_t local; ///< Number for cairn_tensor_array() when it is this rank's; else -1.
    int64_t values; ///< Values stored, padding included.
    union {
        int64_t
            shared; ///< Of the bytes, those of arrays that the tensor it was converted
                    ///< from has, too: a conversion does not copy what it need not.
        int64_t taken; ///< Deprecated name of it, for one version.
    };
    bool given; ///< Its arrays were handed over, or read from a file, and are not known
                ///< to be those that storing their entries would make (arrays.h).
    char stored[8]; ///< How its values are stored: "f64", "i8", "iso", ...
} cairn_part_info;

/// Nothing; its size is set.
// clang-format off
#define CAIRN_PART_INFO \
    { sizeof(cairn_part_info), 0, 0, 0, 0, 0, 0, 0, 0, {0}, false, {0} }
// clang-format on

/// List the parts of all ranks, by member, rank, share, bank.
///
/// Collective. @p parts is freed with cairn_parts_free().
/// @param[in] size  Of an element as the program knows it, which is what lies between two.
/// @retval CAIRN_BAD_ARGUMENT  A pointer is NULL, or the size is none.
CAIRN_API cairn_status cairn_tensor_parts_sized(const cairn_tensor *tensor,
                                                size_t              size,
                                                int64_t            *count,
                                                cairn_part_info   **parts);
/// The same, with elements as this header has them.
static inline cairn_status
cairn_tensor_parts(const cairn_tensor *tensor, int64_t *count, cairn_part_info **parts)
{
    return cairn_tensor_parts_sized(tensor, sizeof(cairn_part_info), count, parts);
}
CAIRN_API void cairn_parts_free(const cairn_tensor *tensor, cairn_part_info **parts);

/// One array of a part of this rank.
typedef struct cairn_array_info {
    size_t      size;   ///< sizeof(cairn_array_info); CAIRN_ARRAY_INFO sets it.
    int         level;  ///< -1 for values and their dictionary.
    const char *kind;   ///< "ptr", "idx", "val", "tuples", "dict".
    int         bits;   ///< Of one element; of one tuple, padding included, or INT_MAX.
    int64_t     length; ///< Elements.
    int64_t     bytes;  ///< With the ptr over its lists, for tuples in lists.
    const char *stored; ///< Of "val" a type of `val(TYPE)`, as "f64"; else NULL.
    double      error;  ///< Of "val" the largest relative one where val(f32) rounds.
} cairn_array_info;

/// Nothing; its size is set.
// clang-format off
#define CAIRN_ARRAY_INFO \
    { sizeof(cairn_array_info), 0, NULL, 0, 0, 0, NULL, 0.0 }
// clang-format on

/// Describe array @p k of local part @p part.
/// @retval CAIRN_BAD_ARGUMENT  Past the last.
CAIRN_API cairn_status cairn_tensor_array(const cairn_tensor *tensor,
                                          int64_t             part,
                                          int                 k,
                                          cairn_array_info   *info);

/// The elements of an array as JSON text: a list of numbers, of lists for tuples, of
/// lists of lists where there are lists. NaN and infinities are the words as strings.
/// Values are those of the tensor's type, one for each position, however they are stored.
/// @param[out] text  Freed with cairn_text_free().
CAIRN_API cairn_status cairn_tensor_array_text(const cairn_tensor *tensor,
                                               int64_t             part,
                                               int                 k,
                                               char              **text);

/// As cairn_tensor_array_text() for array @p k of a part of any rank, on every rank.
///
/// Collective.
///
/// @param[in]  part  From cairn_tensor_parts(), the same part on every rank.
/// @param[out] text  Freed with cairn_text_free(). Unchanged on failure.
CAIRN_API cairn_status cairn_tensor_part_text(const cairn_tensor    *tensor,
                                              const cairn_part_info *part,
                                              int                    k,
                                              char                 **text);

/// Describe a level of a member, with this rank's sizes.
CAIRN_API cairn_status cairn_tensor_level(const cairn_tensor *tensor,
                                          int                 member,
                                          int                 level,
                                          cairn_level_info   *info);

/// Bytes that the arrays of the same entries would take in another format, on all ranks
/// together: from its layout, without storing anything.
///
/// Collective. Only for formats whose arrays have one element an entry or a length that
/// the extents give, such as csr, csc, coo, dok.
///
/// @retval CAIRN_BAD_SHAPE    The format is for another order.
/// @retval CAIRN_UNSUPPORTED  The lengths of its arrays follow from the entries.
CAIRN_API cairn_status cairn_tensor_bytes_as(const cairn_tensor *tensor,
                                             const cairn_format *format,
                                             int64_t            *bytes);

/// Write a tensor: where the name has an ending of cairn_source_write()'s, `.mtx` included,
/// the arrays are walked and entries are written, as it does; `.npz` has the arrays of any
/// format, named as binsparse and SciPy have them where these know it, and a text that says
/// what they are (docs/files.md), `.h5` and `.hdf5` the same in HDF5; anything else is .cairn,
/// the arrays themselves. The file appears whole or not at all. Rows by their places
/// (cairn_tensor_places()) are the user's in files of entries, and stay by places in a
/// .cairn file, which has the places, too.
///
/// Collective.
///
/// @param[out] bytes  Bytes written; may be NULL.
/// @retval CAIRN_UNSUPPORTED  `.npz` and `.h5`: there are several ranks, or rows by their
///                            places, or more parts than an archive can count.
/// @retval CAIRN_ATTENTION    `.h5`: the HDF5 library cannot be used here.
CAIRN_API cairn_status cairn_tensor_write(const cairn_tensor *tensor,
                                          const char         *path,
                                          int64_t            *bytes);

/// Write a tensor's entries with the explicit zeros of the source that it was made from:
/// where a format pads, its arrays cannot tell a stored zero from padding.
///
/// Collective. The file appears whole or not at all.
///
/// @param[out] bytes  Bytes written; may be NULL.
CAIRN_API cairn_status cairn_tensor_write_text(const cairn_tensor *tensor,
                                               const cairn_source *source,
                                               const char         *path,
                                               int64_t            *bytes);

#ifdef __cplusplus
}
#endif

#endif
