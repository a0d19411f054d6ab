// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Choosing a format: the structure of a matrix is counted on a sample, a cost model says
/// what products would take in the formats of a table, and the best few are tried on the
/// sample.
///
/// The search is made to take less than 50 products in CSR, getting kernels not counted: a
/// small matrix is judged by the model alone. Nor does it take more than what it can win:
/// how many products come is known from `replays`, and where nothing that another format
/// could gain in so many pays for a look at the entries, the first format is chosen without
/// one. What is chosen depends on the machine, on what ran there before (CAIRN_COST) and,
/// through trials, on the moment; the result of a product does not, but for the order of
/// additions that a format has (plan.h).

#ifndef CAIRN_AUTO_H
#define CAIRN_AUTO_H

#include <cairn/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_AUTO_CANDIDATES 30   ///< Most formats that are thought of.
#define CAIRN_AUTO_TEXT       1024 ///< Bytes of the longest of their texts, with its end.

/// How to choose.
typedef struct cairn_auto_options {
    size_t      size;    ///< sizeof(cairn_auto_options); CAIRN_AUTO_OPTIONS sets it.
    const char *place;   ///< As in cairn_plan_options, for trials; NULL: "auto".
    int64_t     replays; ///< Products to come, not negative; 0: CAIRN_REPLAYS or 1,000.
    int tries; ///< Most formats that are tried; 0: as many as the time allows, below 0:
               ///< none, the model decides.
    const char
        *candidates;    ///< Text of formats to choose among, one a line; NULL: those
                        ///< that come with the library. The same on all ranks.
    const char *origin; ///< Name of that text in messages; NULL: "text".
} cairn_auto_options;

/// All defaults.
// clang-format off
#define CAIRN_AUTO_OPTIONS \
    { sizeof(cairn_auto_options), NULL, 0, 0, NULL, NULL }
// clang-format on

/// A format that was thought of. This struct stays as it is.
typedef struct cairn_auto_candidate {
    char format[CAIRN_AUTO_TEXT]; ///< As it was written.
    double
        predicted; ///< Seconds of a product, by the model and by what was measured of
                   ///< others; INFINITY: not for this, or not looked at.
    double tried;  ///< Seconds of a product by its trial, for the whole; 0: none.
} cairn_auto_candidate;

/// What was found.
typedef struct cairn_auto_info {
    size_t size;        ///< sizeof(cairn_auto_info); CAIRN_AUTO_INFO sets it.
    char   why[2][320]; ///< Two lines: what the format stores, and what it gains.
    double share;       ///< Of the entries, that were counted and tried on; 0: so few
                        ///< products come that nothing was looked at.
    double seconds;     ///< The search: sample, counting, trials but for kernels.
    double kernel_seconds; ///< Plans of the trials, and getting kernels.
    int    candidates;
    cairn_auto_candidate candidate[CAIRN_AUTO_CANDIDATES];
    char                 values
        [40]; ///< How members of the chosen format store values, as `val(TYPE)` has
              ///< it: "i8", or "f64, iso"; "": they were not looked at.
} cairn_auto_info;

/// Nothing; its size is set.
// clang-format off
#define CAIRN_AUTO_INFO \
    { sizeof(cairn_auto_info), {{0}}, 0.0, 0.0, 0.0, 0, {{{0}, 0.0, 0.0}}, {0} }
// clang-format on

/// Read a file of formats to choose among, and check each: for `candidates` of
/// cairn_auto_options.
///
/// A line is a format as users write it, a text or a name of the catalogue; the first is
/// what the others are compared with. Lines that begin with # and go on with no letter are
/// comments. Behind a colon words may say which products a format is offered for: one
/// (column), many, transposed; without any, all.
///
/// Collective: rank 0 reads, and all ranks get the text.
///
/// @param[out] text  Freed with cairn_text_free(). Unchanged on failure.
/// @retval CAIRN_BAD_SYNTAX, CAIRN_BAD_FORMAT  The message has FILE:LINE:COLUMN and what is
///                             wrong there: a format or a word, one for tensors that are no
///                             matrices, more than CAIRN_AUTO_CANDIDATES, none at all.
/// @retval CAIRN_IO  The file cannot be read.
/// @retval CAIRN_NO_MEMORY
CAIRN_API cairn_status cairn_candidates_read(cairn_context *context,
                                             const char    *path,
                                             char         **text);

/// Choose a format for products with a matrix.
///
/// Collective; the same format on all ranks: the one with most entries decides.
///
/// What is counted of values is what would be stored: as narrow as they are where the
/// source was read from a file, or 100 products or more are said to come (`replays`, or
/// cairn_context_set_replays()). In the latter case tensors that are stored in @p format have
/// narrow values, whatever they come from.
///
/// @param[in]  source   Not changed, but for being sorted if it was not.
/// @param[in]  product  NULL: y = A x.
/// @param[in]  options  NULL: all defaults.
/// @param[out] format   Destroy with cairn_format_destroy(). Unchanged on failure.
/// @param[out] info     The same on all ranks; may be NULL. Unchanged on failure.
/// @retval CAIRN_BAD_SHAPE     The tensor is no matrix.
/// @retval CAIRN_BAD_ARGUMENT  There are fewer columns than 1, or ranks were not asked the
///                             same; `place` is each rank's own.
/// @retval CAIRN_BAD_SYNTAX, CAIRN_BAD_FORMAT  As cairn_candidates_read() of `candidates`; or
///                             none of them is offered for the product.
/// @retval CAIRN_BAD_OPTION, CAIRN_NO_DEVICE  As cairn_plan_create_with() of
///                             `place`.
/// @retval CAIRN_NO_MEMORY
CAIRN_API cairn_status cairn_format_auto(cairn_source                *source,
                                         cairn_dtype                  dtype,
                                         const cairn_product_options *product,
                                         const cairn_auto_options    *options,
                                         cairn_format               **format,
                                         cairn_auto_info             *info);

/// Choose a format for products with a tensor that is stored already, or that borrows a
/// caller's arrays: one that pays for storing all of it once more, or none.
///
/// Collective; the same answer on all ranks. It goes by sizes first: where products are so
/// few that storing anew takes as long as all that another format could gain, nothing else
/// is looked at, and where they are some more, entries are looked at only if a fourth of what
/// the best matrix of that size would gain pays for the look. Compressed rows, a caller's
/// among them (cairn_tensor_from_csr() with CAIRN_BORROW), are looked at where they lie, in
/// whatever type their values are stored, and nothing is copied but a sample; the entries
/// of tensors in other formats are taken back first (24 bytes each for the time of the
/// call), and that for 100 products or more.
///
/// @param[in]  tensor   Not changed.
/// @param[in]  product  NULL: y = A x.
/// @param[in]  options  NULL: all defaults. The tensor's own format is the first candidate.
/// @param[out] format   For cairn_tensor_convert(). NULL: the tensor is best left as it is.
///                      Destroy with cairn_format_destroy(). Unchanged on failure.
/// @param[out] info     As of cairn_format_auto(); its first candidate is the tensor as it
///                      is, and `share` 0 where no entry was looked at. May be NULL, which
///                      saves filling it in. Unchanged on failure.
/// @return As cairn_format_auto().
CAIRN_API cairn_status cairn_tensor_auto(const cairn_tensor          *tensor,
                                         const cairn_product_options *product,
                                         const cairn_auto_options    *options,
                                         cairn_format               **format,
                                         cairn_auto_info             *info);

#ifdef __cplusplus
}
#endif

#endif
