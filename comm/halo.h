// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The halo of a dense operand whose rows belong to ranks. A rank sees the operand as a
/// window of the whole global index range, at global positions; memory comes page by page
/// where something is touched. Owned rows lie there, and halo rows, which other ranks own;
/// every other row is 0 and never sent. The halo is exactly what stored entries need.
///
/// It goes one of two ways. An operand that is read (X) is fetched: owners send rows, users
/// receive them into their windows. One that is added to (the Y of a transposed product)
/// is summed: users send what they have, owners add it to their own, in rank order. Either
/// way there is one message for each pair of ranks that share something.

#ifndef CAIRN_COMM_HALO_H
#define CAIRN_COMM_HALO_H

#include "comm/distribute.h"

typedef struct cairn_halo cairn_halo;

/// Which way rows go.
typedef enum { CAIRN_HALO_FETCH, CAIRN_HALO_SUM } cairn_halo_way;

/// A row of the operand.
typedef struct cairn_halo_row {
    cairn_halo_way way;
    cairn_pos      columns;    ///< Values of a row.
    int            value_bits; ///< 32 or 64.
} cairn_halo_row;

/// Bytes that may be read before the window's first row and after its last: vectors
/// reach over the ends of what they are for.
#define CAIRN_HALO_MARGIN 65536

/// Prepare: set up the messages. There is no window yet.
///
/// Collective. @p owners must outlive the halo.
///
/// @param[in] owners  Which rank owns which rows of the operand.
/// @param[in] needs   [n] rows that this rank's stored entries use, in any order, repeats
///                    allowed; sorted in place.
/// @param[out] halo   Destroy with cairn_halo_destroy(). Unchanged on failure.
cairn_status cairn_halo_create(cairn_comm           *comm,
                               const cairn_rows     *owners,
                               const cairn_halo_row *row,
                               cairn_coord          *needs,
                               cairn_pos             n,
                               cairn_halo          **halo);

void cairn_halo_destroy(cairn_halo **halo);

/// Map the window. What is fetched goes there, too, from then on.
///
/// Local.
///
/// @param[in] owners  As given to cairn_halo_create().
/// @retval CAIRN_NO_MEMORY  What cairn_halo_window_bytes() says exceeds the limit; no page of
///                          it was touched.
cairn_status cairn_halo_map(cairn_halo *halo, const cairn_rows *owners);

/// Bytes that the window takes, or would take: owned rows, and the pages beside them that
/// a row of the halo lies in, however few of a page it needs.
int64_t cairn_halo_window_bytes(const cairn_halo *halo, const cairn_rows *owners);

/// The window: value c of row j is at (window) [j*columns + c], for all global j. NULL:
/// there is none.
void *cairn_halo_window(const cairn_halo *halo);

/// The rows of others that this rank uses, ascending, and, of those that are fetched, the
/// values that came last, [n][columns].
const cairn_coord *cairn_halo_needs(const cairn_halo *halo, cairn_pos *n);
const void        *cairn_halo_fetched(const cairn_halo *halo);

/// Rows that come from others and go to them in each exchange.
void cairn_halo_counts(const cairn_halo *halo, cairn_pos *received, cairn_pos *sent);

/// What one exchange is for this rank: messages that it sends and receives, and the bytes
/// of the direction that has more.
void cairn_halo_traffic(const cairn_halo *halo, int64_t *messages, int64_t *bytes);

/// Bytes that take memory: the window, if there is one, and what is sent and received.
int64_t cairn_halo_bytes(const cairn_halo *halo);

/// Fill the halo's rows, those that others own, with zeros: where a sum starts.
void cairn_halo_clear(cairn_halo *halo);

/// Fill them with NaN: where a sum failed, so that no owner takes it for one.
void cairn_halo_spoil(cairn_halo *halo);

/// Exchange. end() completes what begin() started; nothing is allocated.
///
/// @param[in] owned  Where the rows are that this rank owns and others fetch; NULL: in the
///                   window.
cairn_status cairn_halo_begin(cairn_halo *halo, const void *owned);
cairn_status cairn_halo_end(cairn_halo *halo);

/// The same in steps, for what is fetched, so that other work stands between them: pack,
/// start, progress as often as there is time, arrive for each rank that sends, finish. What
/// comes behind a start that failed, or was skipped, does nothing. Local, all of them, and
/// of one thread.
///
/// Copy the rows that go to others, as cairn_halo_begin() has them.
void cairn_halo_pack(cairn_halo *halo, const void *owned);

/// Let the messages go.
cairn_status cairn_halo_start(cairn_halo *halo);

/// Look who has come, and let the rest get on. Waits for nothing; nothing is copied.
cairn_status cairn_halo_progress(cairn_halo *halo);

/// Wait for source @p k, and copy its rows into the window, if there is one.
cairn_status cairn_halo_arrive(cairn_halo *halo, int k);

/// Wait for all that is under way: what was sent, too.
cairn_status cairn_halo_finish(cairn_halo *halo);

/// How many ranks send something to this one.
int cairn_halo_sources(const cairn_halo *halo);

/// A rank that sends, and its rows among cairn_halo_needs().
typedef struct cairn_halo_source {
    int       rank;
    cairn_pos first, end;
} cairn_halo_source;

cairn_halo_source cairn_halo_source_at(const cairn_halo *halo, int k);

/// Is something under way? Not when a run has ended.
bool cairn_halo_is_under_way(const cairn_halo *halo);

/// Rows that this rank has from other nodes in each exchange.
int64_t cairn_halo_between_nodes(const cairn_halo *halo);

/// In which way messages travel, and what was found out of the others. Local.
const cairn_exchange_trials *cairn_halo_trials(const cairn_halo *halo);

/// Look at the clock from now on, or no more, when messages start and when they are seen to
/// have come.
void cairn_halo_time(cairn_halo *halo, bool timed);

/// When the last messages started, and when that of source @p k was seen, in
/// cairn_seconds(); what did not happen is 0.
void cairn_halo_flight(const cairn_halo *halo, int k, double *begin, double *end);

#endif
