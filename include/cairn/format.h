// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Formats: how a tensor is stored, as a short text (docs/language.md).
///
///     csr                                        a name of the catalogue
///     bdia<64>                                   a name with arguments
///     #encoding<{ idx_map<(d0,d1)->(d1,d0)>, mutation<merge(0), trim(1,1)> }>
///     hybrid<bdia<64>,csr,0.6>                   dense diagonals, and the rest
///     my.formats:mine<4>                         a definition in a file
///     csr @ rows                                 each, and how its rows go to ranks

#ifndef CAIRN_FORMAT_H
#define CAIRN_FORMAT_H

#include <cairn/context.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cairn_format cairn_format;

/// Read a format's text and check it.
///
/// Local.
///
/// @param[out] format  Destroy with cairn_format_destroy(). Unchanged on failure.
/// @retval CAIRN_BAD_SYNTAX, CAIRN_BAD_FORMAT  The message has line, column and what was
///                                             expected.
/// @retval CAIRN_IO  The file of FILE:NAME cannot be read.
CAIRN_API cairn_status cairn_format_create(cairn_context *context,
                                           const char    *text,
                                           cairn_format **format);

CAIRN_API void cairn_format_destroy(cairn_format **format);

/// The canonical text: one line; two formats are equal when their texts are. Lives as
/// long as the format.
CAIRN_API const char *cairn_format_text(const cairn_format *format);

/// Number of members (1 for a format that is no hybrid), and modes of its tensors.
CAIRN_API int cairn_format_members(const cairn_format *format);
CAIRN_API int cairn_format_order(const cairn_format *format);

/// Canonical text of one member's encoding.
CAIRN_API const char *cairn_format_member(const cairn_format *format, int member);

/// What the text says of how rows go to ranks: what follows its `@`, as "nnz" or
/// "(d0/64)"; for @p member -1 the whole's, else what that member has of its own. NULL:
/// nothing is said, or there is no such member. Lives as long as the format.
CAIRN_API const char *cairn_format_distribution(const cairn_format *format, int member);

/// Have the rows of ranks begin at multiples of @p rows, where the library divides them:
/// beside what the format itself asks for, and where there are as many rows for each rank.
/// No part of the text, nor of files: of tensors that are made with this object from now on.
///
/// Local.
///
/// @param[in] rows  1 to 2^20; the same on all ranks. 1: as if it had not been called.
/// @retval CAIRN_BAD_ARGUMENT  @p format is NULL, or @p rows out of its range.
CAIRN_API cairn_status cairn_format_align(cairn_format *format, int64_t rows);

/// One level of a member, as its layout has it.
typedef struct cairn_level_info {
    size_t      size;       ///< sizeof(cairn_level_info); CAIRN_LEVEL_INFO sets it.
    const char *expr;       ///< "d1-d0"; lives as long as the format.
    const char *kind;       ///< "dense", "compressed", "singleton", "ragged".
    bool        sized;      ///< lo and extent are known (asked of a tensor).
    int64_t     lo, extent; ///< Smallest index, and number of indices of its range.
    int64_t     nodes; ///< On this rank, all banks: stored ones, or for complete levels
                       ///< those that exist by arithmetic; asked of a tensor.
    bool merged, trimmed;
    bool has_ptr, has_idx;
    int  depth; ///< Trimmed: its nodes are the distinct paths down to this level.
    int  query; ///< An indirect level's: its indices are this query's numbers; else -1.
    bool gaps;  ///< Numbered with `distance`: numbers that nothing has are nodes too.
    bool determined;   ///< Below the trim, and a function of the levels above: idx has
    uint32_t by;       ///< one entry per combination of these levels (bit L: level L),
    bool     per_node; ///< and per node of the last trimmed level.
    uint32_t modes;    ///< Bit k: its expression depends on dimension k.
    int      ptr_bits; ///< Widths; 0: not stored, or not known without a tensor.
    int      idx_bits; ///< An idx in a tuple too.
    bool     idx_signed;
    int64_t  global_lo;   ///< Range in the whole tensor, which decides idx_bits; asked
    int64_t  global_size; ///< of a tensor.
} cairn_level_info;

/// Nothing; its size is set.
// clang-format off
#define CAIRN_LEVEL_INFO \
    { sizeof(cairn_level_info), NULL, NULL, false, 0, 0, 0, false, false, false, false, 0, 0, false, false, 0, false, 0, 0, 0, false, 0, 0 }
// clang-format on

CAIRN_API int cairn_format_levels(const cairn_format *format, int member);

/// Describe a level of the format itself, without sizes.
///
/// @retval CAIRN_BAD_ARGUMENT  There is no such member or level.
CAIRN_API cairn_status cairn_format_level(const cairn_format *format,
                                          int                 member,
                                          int                 level,
                                          cairn_level_info   *info);

#define CAIRN_PACKS 16 ///< Most packs of a member.

/// What a member stores, beside its levels.
typedef struct cairn_storage_info {
    size_t size; ///< sizeof(cairn_storage_info); CAIRN_STORAGE_INFO sets it.
    int    trim_first, trim_last; ///< Trimmed levels; without a trim 16 and -1.
    int    partition; ///< Levels 0..partition number the banks; -1: there are none.
    bool   pads;      ///< Positions without an entry may have a value, 0.
    int    queries;   ///< Of the encoding.
    int    packs;     ///< Arrays of tuples, each for levels first..last:
    struct {
        int  first, last;
        bool lists;  ///< a list of tuples under every node of level `first`;
        bool values; ///< the value is the last field.
    } pack[CAIRN_PACKS];
    const char *mode; ///< What the threshold is compared with: "capacity", "absolute",
                      ///< "maximum"; NULL for the last member, which has none.
    double threshold; ///< A group goes here if it exceeds this.
    double keep;      ///< Share of the outermost indirect level that is kept; 1: all.
} cairn_storage_info;

/// Nothing; its size is set.
// clang-format off
#define CAIRN_STORAGE_INFO \
    { sizeof(cairn_storage_info), 0, 0, 0, false, 0, 0, {{0, 0, false, false}}, NULL, 0.0, 0.0 }
// clang-format on

/// Describe what a member stores.
///
/// @retval CAIRN_BAD_ARGUMENT  There is no such member.
CAIRN_API cairn_status cairn_format_storage(const cairn_format *format,
                                            int                 member,
                                            cairn_storage_info *info);

/// How dimension @p mode comes back from the indices along a path, as text: "3*e0+e2",
/// eL being the index at level L.
///
/// @param[out] text  Freed with cairn_text_free().
/// @retval CAIRN_BAD_ARGUMENT  There is no such member or dimension.
CAIRN_API cairn_status cairn_format_inverse(const cairn_format *format,
                                            int                 member,
                                            int                 mode,
                                            char              **text);

/// The text of a member's query, "count = sum(value) groupBy (d0,d1)->(d0)"; of the
/// hybrid's own for @p member -1.
///
/// @param[out] text  Freed with cairn_text_free().
/// @retval CAIRN_BAD_ARGUMENT  There is no such member or query.
CAIRN_API cairn_status cairn_format_query(const cairn_format *format,
                                          int                 member,
                                          int                 query,
                                          char              **text);

/// Names of the catalogue, in its order; NULL past the last. A name is valid until the
/// next call.
CAIRN_API const char *cairn_catalogue_name(cairn_context *context, int k);

/// The definition of a catalogue entry, parameters and all ("#bdia<b> = ...").
///
/// @param[out] text     Freed with cairn_text_free().
/// @param[out] missing  Parameters without a default: with more than 0 the bare name is
///                      no format.
/// @retval CAIRN_BAD_FORMAT  There is no such name.
CAIRN_API cairn_status cairn_catalogue_definition(cairn_context *context,
                                                  const char    *name,
                                                  char         **text,
                                                  int           *missing);

/// What a catalogue entry is, and what its parameters mean, in a sentence.
///
/// @param[out] text  Freed with cairn_text_free().
/// @retval CAIRN_BAD_FORMAT  There is no such name.
CAIRN_API cairn_status cairn_catalogue_note(cairn_context *context,
                                            const char    *name,
                                            char         **text);

/// How tensors get from one format to another: rewrite rules, in order.
typedef struct cairn_path cairn_path;

/// One rule of a path.
typedef struct cairn_path_step {
    size_t      size;       ///< sizeof(cairn_path_step); CAIRN_PATH_STEP sets it.
    const char *rule;       ///< "Skew(0,1,-1)"; lives as long as the path.
    const char *sentence;   ///< What it does, in a few constant words.
    double      bytes;      ///< Read and written, for each stored entry (planned).
    double      operations; ///< Likewise, on integers.
    int         passes;     ///< Over the entries.
    double      memory;     ///< Bytes for each entry, held while it runs.
} cairn_path_step;

/// Nothing; its size is set.
// clang-format off
#define CAIRN_PATH_STEP \
    { sizeof(cairn_path_step), NULL, NULL, 0.0, 0.0, 0, 0.0 }
// clang-format on

/// Plan the conversion from one format to another by rules: what cairn_tensor_convert()
/// does, whether it executes them one by one or has compiled functions that do the same
/// (cairn_tensor_route()). Of the routes that lead there it is the one that moves fewest bytes.
///
/// Local.
///
/// @param[in]  extent  [order] of the tensor; NULL: not known, 2^20 is assumed where the
///                     length of a sort key matters.
/// @param[out] path    Destroy with cairn_path_destroy(). Unchanged on failure.
/// @retval CAIRN_BAD_SHAPE   The formats are for different orders, or an extent is
///                           negative.
/// @retval CAIRN_BAD_FORMAT  One of them has no sound arrays.
///
/// Source: the rules of UniSparse, OOPSLA 2024, Table 2, and inverses where it has none;
/// docs/conversion.md explains each.
CAIRN_API cairn_status cairn_path_create(cairn_context      *context,
                                         const cairn_format *from,
                                         const cairn_format *to,
                                         const int64_t      *extent,
                                         cairn_path        **path);

CAIRN_API void cairn_path_destroy(cairn_path **path);

/// Number of rules (0: the formats store alike), and rule @p k; all zero but the size where
/// there is none. Local.
///
/// @param[in,out] step  Its size is set (CAIRN_PATH_STEP); gets the rest.
/// @return Whether there is one, the size of @p step is right, and there is memory for its
///         text, which is made when a rule is first asked for; else it is unchanged.
CAIRN_API int cairn_path_steps(const cairn_path *path);
CAIRN_API bool
cairn_path_get_step(const cairn_path *path, int k, cairn_path_step *step);
static inline cairn_path_step cairn_path_at(const cairn_path *path, int k)
{
    cairn_path_step step = CAIRN_PATH_STEP;

    cairn_path_get_step(path, k, &step);
    return step;
}

/// Routes that were compared.
///
/// @param[out] next_best  Bytes an entry that the next best route would move; 0 where
///                        there is only one. May be NULL.
CAIRN_API int cairn_path_routes(const cairn_path *path, double *next_best);

/// What ranks sent each other of rows that went to other ranks while a tensor was
/// converted: the pass Exchange of a tensor's path (docs/conversion.md). Local.
///
/// @param[out] entries   That have another rank now, of all ranks. May be NULL.
/// @param[out] messages  From one rank to another. May be NULL.
/// @return Bytes of all messages; 0: rows stayed where they were.
CAIRN_API int64_t cairn_path_sent(const cairn_path *path,
                                  int64_t          *entries,
                                  int64_t          *messages);

/// What ranks asked each other about places of rows while a tensor was converted from rows
/// by their places, or to them (cairn_tensor_places()). Local.
///
/// @return Bytes of all ranks' questions and answers, beside cairn_path_sent(); 0: rows are
///         by number before and after.
CAIRN_API int64_t cairn_path_asked(const cairn_path *path);

/// One pass of a program: how a conversion was done, where rules say what it means.
/// Names are constant texts.
typedef struct cairn_pass_info {
    size_t      size;   ///< sizeof(cairn_pass_info); CAIRN_PASS_INFO sets it.
    const char *method; ///< "append", "scatter", "row-slots", ...: docs/conversion.md.
    const char *pass;   ///< "Count", "Offsets", "Number", "Move", ...
    const char *unit;   ///< "entry", or "run": a row's entries at once.
    const char *rule; ///< Of Number: "rank", "place", "bucket", "distance"; else NULL.
    const char *stores; ///< "direct", "tiled", "bucketed"; NULL: none.
    char   arrays[256]; ///< Of the target, that it writes: "ptr1 idx1 val"; "": none.
    int    member;      ///< -1: all members, or an intermediate.
    int    into;        ///< 0: the target; k: the k-th intermediate.
    int    index; ///< Number of the group index that it makes or goes by; -1: none.
    bool   interpreted;      ///< Not by a compiled function.
    double bytes;            ///< Read and written, an entry, predicted.
    const char *query_class; ///< Of a query that is interpreted: "line", "box", "other"
                             ///< (docs/conversion.md); else NULL.
    int64_t visits;   ///< Of such a one: positions and groups that were looked at,
    int64_t entries;  ///< for so many entries of this rank.
    int alternatives; ///< Other methods that would have done: cairn_path_alternative().
} cairn_pass_info;

/// Nothing; its size is set.
// clang-format off
#define CAIRN_PASS_INFO \
    { sizeof(cairn_pass_info), NULL, NULL, NULL, NULL, NULL, {0}, 0, 0, 0, false, 0.0, NULL, 0, 0, 0 }
// clang-format on

/// Another method that would have done what a pass and its neighbours do.
typedef struct cairn_pass_alternative {
    size_t size; ///< sizeof(cairn_pass_alternative); CAIRN_PASS_ALTERNATIVE sets it.
    const char *method;  ///< Constant.
    double      bytes;   ///< Of its passes, read and written, an entry, predicted.
    double      seconds; ///< Predicted, of all entries on one thread.
} cairn_pass_alternative;

/// Nothing; its size is set.
// clang-format off
#define CAIRN_PASS_ALTERNATIVE \
    { sizeof(cairn_pass_alternative), NULL, 0.0, 0.0 }
// clang-format on

/// Whose rates chose the methods of a path's program, as a constant text: "learned", those
/// measured on this machine (conversions of 10^6 entries and more, unless CAIRN_COST says
/// shipped, once anything was measured); else "shipped", those that come with the library,
/// by which cairn_path_create() always plans. NULL: nothing was chosen, since an option
/// names the way (CAIRN_CONVERT, CAIRN_KERNELS=reference) or there is no program. Local.
CAIRN_API const char *cairn_path_rates(const cairn_path *path);

/// How many passes a path's program has: those that ran, of a tensor's path; of
/// cairn_path_create() those that are planned for 10^6 entries on one rank and one thread
/// (in 10^3 rows where the extents are not given), 0 where that is more than memory holds.
/// Pass @p k; all zero but the size where there is none. Local.
///
/// @param[in,out] info  Its size is set (CAIRN_PASS_INFO); gets the rest.
/// @return Whether there is one, and the size of @p info is right; else it is unchanged.
CAIRN_API int cairn_path_passes(const cairn_path *path);
CAIRN_API bool
cairn_path_get_pass(const cairn_path *path, int k, cairn_pass_info *info);
static inline cairn_pass_info cairn_path_pass(const cairn_path *path, int k)
{
    cairn_pass_info info = CAIRN_PASS_INFO;

    cairn_path_get_pass(path, k, &info);
    return info;
}

/// Alternative @p n of pass @p k; all zero but the size where there is none. Local.
///
/// @param[in,out] alternative  Its size is set (CAIRN_PASS_ALTERNATIVE); gets the rest.
/// @return Whether there is one, and its size is right; else it is unchanged.
CAIRN_API bool cairn_path_get_alternative(const cairn_path       *path,
                                          int                     k,
                                          int                     n,
                                          cairn_pass_alternative *alternative);
static inline cairn_pass_alternative
cairn_path_alternative(const cairn_path *path, int k, int n)
{
    cairn_pass_alternative alternative = CAIRN_PASS_ALTERNATIVE;

    cairn_path_get_alternative(path, k, n, &alternative);
    return alternative;
}

/// What pass @p k assumes of the entries, as a constant text: "the pattern is symmetric",
/// "the entries ascend, each once". Local.
///
/// @param[out] otherwise  [CAIRN_PASS_OTHERWISE] The passes that go on where that does not
///                        hold, by method: "scatter Count, Offsets, Move"; "": none do. May
///                        be NULL.
/// @return NULL: nothing, or there is no such pass; then @p otherwise is unchanged.
#define CAIRN_PASS_OTHERWISE 256
CAIRN_API const char *
cairn_path_assumes(const cairn_path *path, int k, char *otherwise);

/// The device on which pass @p k runs, or ran: "cuda:0" (docs/conversion.md#on-a-card).
/// Local.
///
/// @return Valid as long as the context; NULL: the processor, or there is no such pass.
CAIRN_API const char *cairn_path_device(const cairn_path *path, int k);

/// Free a text that a call handed out. NULL is accepted; without a context nothing is
/// freed.
CAIRN_API void cairn_text_free(cairn_context *context, char **text);

#ifdef __cplusplus
}
#endif

#endif
