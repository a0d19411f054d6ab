// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the readers of plain files and of gzip files share: the state of one collective
/// reading, and the table of the kinds of files.
///
/// Any rank parses any lines of a kind, so the two ways of reading know a kind by its
/// table alone. What lines mean together is found when all of them were read.

#ifndef CAIRN_COMM_READ_INTERNAL_H
#define CAIRN_COMM_READ_INTERNAL_H

#include "comm/read.h"
#include "io/harwell_boeing/io_hb.h"
#include "io/matrix_market/io_tns.h"
#include "io/stream/stream.h"

typedef struct cairn_file_kind cairn_file_kind;

/// What the begin of the file says, the same on every rank.
typedef struct cairn_file_head {
    int       kind;     ///< Row of the table.
    int       order;    ///< Of the entries.
    size_t    bytes;    ///< Where the lines begin that are read by all.
    int64_t   lines;    ///< Lines before them.
    cairn_pos declared; ///< Entry lines; INT64_MAX: the file does not say.
    bool      numbered; ///< What a line means depends on how many are before it.
    union {
        cairn_mtx_header mtx;
        cairn_tns_header tns;
        cairn_hb_header  hb;
    };
} cairn_file_head;

typedef struct cairn_file_reading {
    cairn_comm            *comm;
    const char            *path;
    size_t                 chunk; ///< Bytes read, or sent, at a time.
    cairn_stream           stream;
    const cairn_file_kind *kind;
    cairn_file_head        head;
    cairn_entries          entries;                 ///< This rank's.
    cairn_hb_cards         cards;                   ///< This rank's (Harwell-Boeing).
    cairn_pos              found;                   ///< Entry lines of this rank.
    cairn_coord            extent[CAIRN_MAX_ORDER]; ///< Largest indices (`.tns`).
} cairn_file_reading;

/// A kind of file.
struct cairn_file_kind {
    const char *name;
    char        comment; ///< Lines that begin with it are no entries.

    /// Whether a file that begins with these bytes is of this kind. NULL: any may be.
    bool (*probe)(const char *begin, const char *end);

    /// Whether a name, without .gz, is of this kind; asked when no content is known.
    bool (*named)(const char *path, size_t length);

    /// Parse the begin of the file into `head`; @p more as in cairn_mtx_read_header().
    /// Rank 0 alone.
    cairn_status (*read_header)(cairn_file_reading *reading,
                                const char         *begin,
                                const char         *end,
                                bool               *more);

    /// Parse whole lines, append to `entries` or `cards`.
    cairn_status (*read_lines)(cairn_file_reading *reading,
                               const char         *begin,
                               const char         *end,
                               cairn_text_range   *place);

    /// See that nothing is missing; set shape and words of @p source. Collective.
    cairn_status (*finish)(cairn_file_reading *reading, cairn_text_file *source);
};

/// The table; ends with a row without name.
extern const cairn_file_kind cairn_file_kinds[];

/// Which kind a file is: by its first bytes, else by its name.
/// @return Row of the table, -1: neither says.
int cairn_file_kind_of(const char *path, const char *begin, const char *end);

/// Read the lines of a plain file. Collective.
cairn_status cairn_read_plain(cairn_file_reading *reading);

/// Read the lines of a gzip file; rank 0's stream stands after the header. Collective.
cairn_status cairn_read_gzip(cairn_file_reading *reading);

/// See that the column pointers that were read ascend, also from one rank's to the
/// next's. Collective.
cairn_status cairn_hb_check_pointers_of_all(cairn_file_reading *reading);

/// Make entries of the cards of all ranks, each equally many, in file order. The pointers
/// were checked, and nothing is missing. Collective.
cairn_status cairn_hb_join_cards(cairn_file_reading *reading);

/// Parse whole lines, and move @p place behind them.
cairn_status cairn_read_lines(cairn_file_reading *reading,
                              const char         *begin,
                              const char         *end,
                              cairn_text_range   *place);

#endif
