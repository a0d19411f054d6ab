// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A CUDA device that is open: the card's primary context, its streams, what is on the card.
/// The context is made current for the time of a call alone, so that a program's own stays
/// what it was.

#ifndef CAIRN_DEVICES_CUDA_DEVICE_H
#define CAIRN_DEVICES_CUDA_DEVICE_H

#include "devices/cuda/driver.h"
#include "devices/cuda/nvrtc.h"
#include "devices/device.h"

typedef struct cairn_cuda_arrays   cairn_cuda_arrays;   // devices/cuda/arrays.h
typedef struct cairn_cuda_borrowed cairn_cuda_borrowed; // devices/cuda/pinned.h
typedef struct cairn_cuda_fresh    cairn_cuda_fresh;    // devices/cuda/program.h
typedef struct cairn_cuda_program  cairn_cuda_program;  // devices/cuda/program.h
typedef struct cairn_cuda_x        cairn_cuda_x;        // devices/cuda/operand.h

/// Where code comes from.
typedef struct cairn_cuda_code {
    cairn_nvrtc         nvrtc;    ///< No library: nothing is compiled,
    char                why[160]; ///< for this reason.
    cairn_cache         cache;
    cairn_cuda_program *first; ///< Loaded ones,
    cairn_cuda_fresh   *fresh; ///< and what was got ahead, and not asked for yet,
    int awaited; ///< which goes when so many more launches were built, or not.
} cairn_cuda_code;

/// What ended it.
typedef struct cairn_cuda_loss {
    bool lost; ///< Nothing is asked of its context any more, but to be released;
    bool gone; ///< nor that, for it may still be at work.
    char why[64];
} cairn_cuda_loss;

/// A second stream, for what may be done beside the first.
typedef struct cairn_cuda_beside {
    cairn_cuda_stream stream;
    cairn_cuda_event  from; ///< In the first, what it waits for;
    cairn_cuda_event  till; ///< in it, what the first waits for.
} cairn_cuda_beside;

/// A third one, for what comes down while more goes up.
typedef struct cairn_cuda_down {
    cairn_cuda_stream stream;
    cairn_cuda_event  till; ///< In it, what the first waits for.
} cairn_cuda_down;

typedef struct cairn_cuda_device {
    cairn_cuda_driver  driver;
    cairn_cuda_card    card;
    cairn_cuda_context context; ///< NULL: not retained.
    cairn_cuda_stream  stream;
    cairn_cuda_beside  beside;
    cairn_cuda_down    down;
    int                capable; ///< Compute capability, 90 for 9.0.
    int                units;
    int                users; ///< Devices of processes of this job that are this card.
    int64_t            used;  ///< Bytes that were allocated here.
    cairn_cuda_code    code;
    /// Give memory back that nobody uses, on a card that has nothing to do; @return bytes.
    /// NULL: there never was some.
    int64_t (*spare)(cairn_device *device);
    cairn_cuda_arrays   *arrays;   ///< Those on the card,
    cairn_cuda_x        *x;        ///< and Xs that launches share.
    cairn_cuda_borrowed *borrowed; ///< Memory of the library's that is pinned.
    cairn_cuda_loss      loss;
} cairn_cuda_device;

/// The state of an open device.
static inline cairn_cuda_device *cairn_cuda_of(const cairn_device *device)
{
    return device->state;
}

/// Make its context current, and the one before it again. Pairs; nothing is asked of the
/// driver in between unless the first says CAIRN_CUDA_OK. A device that is lost is not
/// entered.
cairn_cuda_result cairn_cuda_enter(cairn_cuda_device *d);
void              cairn_cuda_leave(cairn_cuda_device *d);

/// Pass a result on; one that stays loses the device.
cairn_cuda_result cairn_cuda_note(cairn_cuda_device *d, cairn_cuda_result error);

/// Call a function of the driver's, and note what it returns.
#define CAIRN_CUDA(d, name, ...) cairn_cuda_note(d, (d)->driver.name(__VA_ARGS__))

/// Fail by the environment's message: "device: cuda:0: WHAT: CUDA_ERROR_...", of memory
/// with what there is.
cairn_status
cairn_cuda_fail(cairn_device *device, cairn_cuda_result error, const char *what);

/// Allocate on the card, which is entered. 0 bytes are some.
///
/// @param[in]  what   For the message: "the arrays".
/// @param[out] begin  On 256 bytes; cairn_cuda_free(). Unchanged on failure.
/// @retval CAIRN_NO_MEMORY  It has less; the message says how much.
/// @retval CAIRN_NO_DEVICE  The device was lost.
cairn_status cairn_cuda_alloc(cairn_device       *device,
                              int64_t             bytes,
                              const char         *what,
                              cairn_cuda_pointer *begin);
void cairn_cuda_free(cairn_cuda_device *d, cairn_cuda_pointer *begin, int64_t bytes);

/// Wait until an event has come, which was recorded in the stream.
///
/// Any thread, one at a time. A wait that takes long is told of in the log; after
/// CAIRN_GIVE_UP the device is gone.
cairn_cuda_result cairn_cuda_wait(cairn_device *device, cairn_cuda_event event);

/// Let a stream wait for what another was given by now, by way of an event.
cairn_cuda_result cairn_cuda_follow(cairn_cuda_device *d,
                                    cairn_cuda_stream  behind,
                                    cairn_cuda_event   event,
                                    cairn_cuda_stream  before);

/// Let the second stream go on from where the first is; and let the first go on where both
/// are. The device is entered.
cairn_cuda_result cairn_cuda_fork(cairn_cuda_device *d);
cairn_cuda_result cairn_cuda_join(cairn_cuda_device *d);

/// Wait until all that the streams were given is done, also after the failure @p error, which
/// is passed on: what was enqueued reads and writes memory that its owner then frees. What
/// cannot be waited for is gone.
///
/// @param[in] event  Is recorded.
cairn_cuda_result cairn_cuda_settle(cairn_device     *device,
                                    cairn_cuda_event  event,
                                    cairn_cuda_result error);

/// Make an event, which tells times if it is @p timed. The device is entered.
cairn_status
     cairn_cuda_event_make(cairn_device *device, bool timed, cairn_cuda_event *event);
void cairn_cuda_event_free(cairn_device *device, cairn_cuda_event *event);

/* Slots of the device, as devices/device.h has them. */

cairn_status cairn_cuda_measure(cairn_device *device);
double cairn_cuda_cost(const cairn_device *device, const cairn_device_request *request);
void   cairn_cuda_check(const cairn_device *device,
                        int                 ranks,
                        cairn_diagnostics  *findings);
bool   cairn_cuda_can(const cairn_device *device, const cairn_device_request *request);
cairn_status cairn_cuda_build(cairn_device            *device,
                              const cairn_device_work *work,
                              cairn_launch            *launch);
void cairn_cuda_ahead(cairn_device *device, const cairn_device_work *work, int works);
cairn_status                    cairn_cuda_build_next(cairn_device            *device,
                                                      const cairn_device_work *work,
                                                      cairn_launch            *launch);
cairn_status                    cairn_cuda_precompile(cairn_env               *env,
                                                      int                      generation,
                                                      int                      threads,
                                                      const cairn_kernel_text *text,
                                                      int                      texts,
                                                      cairn_precompiled       *counts);
extern const cairn_device_grids cairn_cuda_grids;
cairn_status                    cairn_cuda_seat_of(cairn_device          *device,
                                                   cairn_launch *const   *launch,
                                                   const cairn_seat_loan *loan,
                                                   int                    launches,
                                                   cairn_seat            *seat);

#endif
