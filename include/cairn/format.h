// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Formats: how a tensor is stored, as a short text (docs/language.md).
///
///     csr                                        a name of the catalogue
///     bdia<64>                                   a name with arguments
///     #encoding<{ idx_map<(d0,d1)->(d1,d0)>, mutation<merge(0), trim(1,1)> }>
///     hybrid<bdia<64>,csr,0.6>                   dense diagonals, and the rest
///     my.formats:mine<4>                         a definition in a file

#ifndef CAIRN_FORMAT_H
#define CAIRN_FORMAT_H

#include <cairn/context.h>

#include <stdbool.h>
#include <stddef.h>

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

/// One level of a member, as its layout has it.
typedef struct cairn_level_info {
    const char *expr;  ///< "d1-d0"; lives as long as the format.
    const char *kind;  ///< "dense", "compressed", "singleton", "ragged".
    bool        sized; ///< lo and size are known (asked of a tensor).
    int64_t     lo, size;
    int64_t     nodes; ///< On this rank, all banks: stored ones, or for complete levels
                       ///< those that exist by arithmetic; asked of a tensor.
    bool merged, trimmed;
    bool has_ptr, has_idx;
} cairn_level_info;

CAIRN_API int cairn_format_levels(const cairn_format *format, int member);

/// Describe a level of the format itself, without sizes.
///
/// @retval CAIRN_BAD_ARGUMENT  There is no such member or level.
CAIRN_API cairn_status cairn_format_level(const cairn_format *format,
                                          int                 member,
                                          int                 level,
                                          cairn_level_info   *info);

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

/// Free a text that a call handed out.
CAIRN_API void cairn_text_free(cairn_context *context, char **text);

#ifdef __cplusplus
}
#endif

#endif
