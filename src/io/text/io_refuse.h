// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How the readers of this room say what is wrong in a text: "read: NAME: WHERE: WHY",
/// where WHERE is a line, "line 7: column 3" of a card, or "byte 1234" where lines are
/// not numbered.

#ifndef CAIRN_IO_IO_REFUSE_H
#define CAIRN_IO_IO_REFUSE_H

#include "io/io.h"

/// What is refused.
typedef struct cairn_text_place {
    cairn_env  *env;
    const char *name;   ///< The file's.
    int64_t     line;   ///< 1-based; 0: unknown, `offset` is told.
    int64_t     column; ///< 1-based; 0: all of the line.
    int64_t     offset; ///< Byte of the (inflated) file with which the line begins.
} cairn_text_place;

/// The place of a line in a range of lines.
///
/// @param[in] lines  Lines of the range before it.
/// @param[in] bytes  Bytes of the range before it.
cairn_text_place cairn_place_in(cairn_env              *env,
                                const char             *name,
                                const cairn_text_range *range,
                                int64_t                 lines,
                                int64_t                 bytes);

/// Say why; at most 255 bytes of it.
/// @return @p status
cairn_status __attribute__((format(printf, 3, 4)))
cairn_refuse(cairn_text_place at, cairn_status status, const char *fmt, ...);

/// Refuse the token [begin, end), a @p what, for which parsing an integer gave @p error.
/// @return CAIRN_BAD_FILE
cairn_status cairn_refuse_integer(cairn_text_place at,
                                  const char      *what,
                                  const char      *begin,
                                  const char      *end,
                                  int              error);

/// Refuse the value [begin, end), for which parsing a double gave @p error.
/// @return CAIRN_BAD_FILE
cairn_status
cairn_refuse_double(cairn_text_place at, const char *begin, const char *end, int error);

/// Whether a file of this symmetry may store an entry at (i, j): in the lower triangle,
/// without the diagonal where signs change.
static inline bool
cairn_may_store(cairn_symmetry symmetry, cairn_coord i, cairn_coord j)
{
    return symmetry == CAIRN_SYM_GENERAL || i > j
           || (i == j && symmetry != CAIRN_SYM_SKEW);
}

/// Refuse an entry that may not be stored.
///
/// @param[in] word  The symmetry's.
/// @return CAIRN_BAD_FILE
cairn_status
cairn_refuse_entry(cairn_text_place at, const char *word, cairn_coord i, cairn_coord j);

#endif
