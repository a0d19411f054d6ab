// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Launches that run together, or one alone: what a run starts, and what became of it.

#ifndef CAIRN_DEVICES_CUDA_SEAT_H
#define CAIRN_DEVICES_CUDA_SEAT_H

#include "devices/cuda/operand.h"
#include "devices/seat.h"

typedef struct cairn_cuda_product cairn_cuda_product; // devices/cuda/product.h

/// What chains of products need (chain.c), made when the first is asked for.
typedef struct cairn_cuda_chain {
    bool               can;   ///< Y is as long as X, and of its type.
    bool               ready; ///< What follows was made.
    bool               own;   ///< The product's X has not all rows, so that this
    cairn_cuda_operand x;     ///< has memory of its own on the card,
    cairn_cuda_pinned  host;  ///< and here for its way, which a long X wants, too.
    cairn_cuda_graph_exec
        turn[2]; ///< From X to Y, and from Y to X; NULL: step by step.
} cairn_cuda_chain;

/// Host memory that is pinned where it lies, and the first product that reads it.
typedef struct cairn_cuda_lent {
    const char *at;
    int         product;
} cairn_cuda_lent;

enum { CAIRN_CUDA_LANDED = 8 }; ///< Pieces of a Y that is copied on.

/// Where a product's Y of most runs lies: whole pages of it are pinned there, and come
/// straight from the card. A run with a caller's X and Y does not need what lies there:
/// the caller's Y comes there first, all of it while the processor is at work, and is copied
/// to the caller piece by piece.
typedef struct cairn_cuda_landing {
    char       *y;          ///< NULL: there is none.
    int64_t     begin, end; ///< Bytes of it that are such pages,
    const char *block;      ///< of memory that is pinned from here on.
    bool        now;        ///< The run at hand has that Y,
    bool        on;         ///< or has one that it is copied on to.
    cairn_cuda_event
        piece[CAIRN_CUDA_LANDED]; ///< Pieces have come. The last is NULL: no Y
                                  ///< is copied on.
} cairn_cuda_landing;

/// All of it.
typedef struct cairn_cuda_loan {
    cairn_cuda_lent      *lent; ///< Xs, [count], room for one a product.
    int                   count;
    cairn_cuda_landing   *landing; ///< Ys, [products]; NULL: none is lent.
    cairn_cuda_result     refused; ///< Why some X is not lent; OK: nothing was refused.
    cairn_cuda_graph_exec graph;   ///< Of a run whose X it is; NULL: no X is lent.
    cairn_cuda_graph_exec
        staged; ///< Of one whose Y is lent, too, in stages (stages.h);
                ///< NULL: there are none.
} cairn_cuda_loan;

/// A moment by both clocks.
typedef struct cairn_cuda_moment {
    double           host; ///< In cairn_seconds(); 0: there was none yet.
    cairn_cuda_event card;
} cairn_cuda_moment;

typedef struct cairn_cuda_seat {
    cairn_device         *device;
    cairn_cuda_product  **product; ///< [products] In the order in which they run.
    int                   products;
    cairn_cuda_event      done;     ///< What is the same in every run is.
    cairn_cuda_graph_exec graph;    ///< Of that; NULL: started one after the other.
    cairn_cuda_result     no_graph; ///< Why; OK: memory is not pinned.
    cairn_cuda_loan       loan;
    bool                  lending;  ///< The run at hand has the X that is lent,
    bool                  staged;   ///< and the Y, and is one in stages.
    bool                  recorded; ///< Nothing is started: it becomes a graph.
    bool                  came;     ///< `done` was waited for.
    cairn_cuda_moment     begun;    ///< The first thing of the run at hand.
    cairn_cuda_result     error;    ///< The first of the run at hand,
    const char           *where;    ///< and what met it.
    cairn_cuda_chain      chain;
} cairn_cuda_seat;

/// Make the event, and record what a run starts as one graph if @p graph is set. The device
/// is entered, and everything has run once. What the driver refuses to record is started
/// one after the other.
///
/// @param[in,out] seat  With its products; cairn_cuda_seat_close(), also after a failure.
/// @retval CAIRN_NO_MEMORY, CAIRN_NO_DEVICE
cairn_status cairn_cuda_seat_open(cairn_cuda_seat *seat, bool graph);

/// Take what the host lends: Xs and Ys that stay where they are. What the driver refuses to
/// pin is copied as any other. After cairn_cuda_seat_open(), with room for the loan.
cairn_status cairn_cuda_seat_lend(cairn_cuda_seat *seat, const cairn_seat_loan *loan);

/// Give it back, on a card that is entered or lost.
void cairn_cuda_seat_return(cairn_cuda_seat *seat);

/// Take the Y of product @p k, if it was lent, away from a card that was given up, and
/// may still write to its pages: others stand there from now on, and those that the card
/// knows stay its own.
void cairn_cuda_seat_withdraw(cairn_cuda_seat *seat, int k);

/// Enqueue the way back of bytes @p bytes of the Y of product @p k, which was lent: whole
/// pages to where they belong, what shares pages with others to pinned memory.
void cairn_cuda_seat_land(cairn_cuda_seat  *seat,
                          int               k,
                          cairn_interval    bytes,
                          cairn_cuda_stream stream);

/// Begin a run with these vectors: what of them is lent?
void cairn_cuda_seat_meet(cairn_cuda_seat *seat, const void *const *x, void *const *y);

/// Enqueue the way back of a Y that lands; wait for it, and take what is not where it
/// belongs. @p y NULL: only wait.
void cairn_cuda_seat_land_all(cairn_cuda_seat *seat, int k);
void cairn_cuda_seat_take_landed(cairn_cuda_seat *seat, int k, char *y);

/// Where Y of product @p k comes to in the run at hand; NULL: to pinned memory of its own.
const cairn_cuda_landing *cairn_cuda_seat_landing(const cairn_cuda_seat *seat, int k);

/// The device is entered, or lost.
void cairn_cuda_seat_close(cairn_cuda_seat *seat);

/// As the functions of cairn_seat.
void cairn_cuda_seat_start(cairn_cuda_seat *seat, const void *const *x, void *const *y);
void cairn_cuda_seat_finish(cairn_cuda_seat    *seat,
                            int                 k,
                            void               *y,
                            cairn_launch_times *times);

void cairn_cuda_seat_chain(cairn_cuda_seat    *seat,
                           int64_t             n,
                           void               *x,
                           void               *y,
                           cairn_launch_times *times);

/// As the function of cairn_seat, on a card that is entered.
void cairn_cuda_seat_bars(const cairn_cuda_seat *seat,
                          int                    k,
                          cairn_seat_bar         bar[CAIRN_SEAT_BARS]);

/// What product @p k took in the last run.
void cairn_cuda_seat_times(const cairn_cuda_seat *seat,
                           int                    k,
                           cairn_launch_times    *times);

/// Find out whether its one product can be chained; and give back what chains took, of a
/// card that is entered or lost.
void cairn_cuda_chain_open(cairn_cuda_seat *seat);
void cairn_cuda_chain_close(cairn_cuda_seat *seat);

/// Prepare chains on a card that is entered. @return false: there is no room for them.
bool cairn_cuda_chain_prepare(cairn_cuda_seat *seat);

/* What a run is made of: after a failure, which the seat keeps, nothing is enqueued. */

/// Is product @p k the first that reads its X?
bool cairn_cuda_seat_brings(const cairn_cuda_seat *seat, int k);

/// Enqueue the part of a run that is the same in all, or in all whose X is @p lent.
void cairn_cuda_seat_same(cairn_cuda_seat *seat, int lent);

/// Keep the first failure, and where it was met.
void cairn_cuda_seat_note(cairn_cuda_seat  *seat,
                          cairn_cuda_result error,
                          const char       *where);

/// Note when all before it is done in the first stream, or in another.
void cairn_cuda_seat_mark(cairn_cuda_seat *seat, cairn_cuda_event event);
void cairn_cuda_seat_mark_in(cairn_cuda_seat  *seat,
                             cairn_cuda_event  event,
                             cairn_cuda_stream stream);

/// Copy an operand to the card, piece by piece, by way of pinned memory.
void cairn_cuda_seat_up(cairn_cuda_seat          *seat,
                        const cairn_cuda_operand *operand,
                        const char               *from,
                        const char               *where);

/// Enqueue the way of an operand from the card to pinned memory.
void cairn_cuda_seat_down(cairn_cuda_seat          *seat,
                          const cairn_cuda_operand *operand,
                          const cairn_cuda_pinned  *to);

/// Enqueue the first pieces of the way back of a vector as long as the Y of product @p k,
/// which is several pieces; and take all of them. @p to NULL: only wait.
void cairn_cuda_seat_ask(cairn_cuda_seat *seat, int k, cairn_cuda_pointer from);
void cairn_cuda_seat_take(cairn_cuda_seat *seat, int k, char *to);

/// The first thing of a run begins, at that event, if nothing did before.
void cairn_cuda_seat_begin(cairn_cuda_seat *seat, cairn_cuda_event first);

/// Wait for an event of the run.
void cairn_cuda_seat_wait(cairn_cuda_seat *seat, cairn_cuda_event event);

/// After a failure, wait until whatever was begun is over.
void cairn_cuda_seat_settle(cairn_cuda_seat *seat);

/// Seconds of the card's clock; 0: it does not say.
double cairn_cuda_seat_seconds(const cairn_cuda_seat *seat,
                               cairn_cuda_event       from,
                               cairn_cuda_event       to);

/// Record what @p enqueue enqueues as a graph. @return why there is none; the seat keeps no
/// failure of it.
cairn_cuda_result cairn_cuda_seat_record(cairn_cuda_seat *seat,
                                         void (*enqueue)(cairn_cuda_seat *, int which),
                                         int                    which,
                                         cairn_cuda_graph_exec *graph);

/// What became of the run at hand, and why it failed.
cairn_status cairn_cuda_seat_status(const cairn_cuda_seat *seat, char message[256]);

#endif
