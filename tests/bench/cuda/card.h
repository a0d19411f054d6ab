// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What runs on a card, by `../cuda.sh`: facts, bits, times. Products are asked of the
/// device directly, so that their kernels alone can be timed; whatever is compared with the
/// processor is compared bit by bit. Every line is written as soon as it is known, for the
/// machine may be taken away at any moment.

#ifndef CAIRN_TESTS_BENCH_CARD_H
#define CAIRN_TESTS_BENCH_CARD_H

#include "../bench.h"
#include "api/api.h"
#include "devices/cuda/product.h"

typedef struct {
    double      seconds;       ///< After which nothing new is begun.
    int         share, shares; ///< Of the cases of `bits`, for one process of several.
    int         rounds;
    int         threads; ///< Of the host; 0: as many as it has.
    bool        tiny;
    const char *matrices; ///< Names with commas; NULL: all.
    const char *data;     ///< Folder of shared matrices; NULL: there is none.
} card_settings;

/// A card that is open, with a processor beside it.
typedef struct {
    cairn_context *context;
    cairn_devices *devices;
    cairn_device  *host, *device;
    bool           pretends; ///< The driver is tests/fake_cuda: its times say nothing.
    double         begin;    ///< When the program began.
    const card_settings *settings;
} card;

/// Open the first card; ends the program where there is none.
void card_open(const card_settings *settings, card *c);
void card_close(card *c);

/// Open a processor and a card for another context; closed with cairn_devices_close().
void card_devices(card *c, cairn_context *context, cairn_devices **devices);

/// Has the time passed in which something new may be begun?
bool card_is_over(const card *c);

static inline cairn_cuda_device *card_of(const card *c)
{
    return cairn_cuda_of(c->device);
}

/// End the program with a message.
void card_stop(const char *what, const char *why);

/// Memory that ends the program if there is none; free().
void *card_take(size_t count, size_t size);

/// Enqueue something in the device's stream. @return the first failure.
typedef cairn_cuda_result (*card_work)(void *state, cairn_cuda_device *d);

/// Seconds of @p times in a row, by the card's clock; below 0: it failed.
double card_time(card *c, card_work work, void *state, int times);

/// Kernels of a launch of the device's, without copies: a card_work whose state is the
/// launch's.
cairn_cuda_result card_kernels(void *product, cairn_cuda_device *d);

/// An x(j) whose products are not exact, so that an order of additions shows in the bits.
static inline double card_x(int64_t j)
{
    return 1 + (double)(j % 1009) / 1013 - (double)(j % 3) / 3;
}

/// A name of the catalogue with arguments: 4 where none is the default.
void card_format_of(card *c, const char *name, char *text, size_t size);

/// A context that lists @p devices, beside the one whose devices are asked directly. It is
/// the caller's to destroy.
void card_open_listed(const card *c, const char *devices, card *listed);

/* The sections. @return Whether all was as it must be. */

/// Needs no card.
bool card_doctor(void);

bool card_facts(card *c);
bool card_bits(card *c);
bool card_trap(card *c);
bool card_small(card *c);
bool card_spmv(card *c);
bool card_spmm(card *c);
bool card_hybrid(card *c);
bool card_convert(card *c);
bool card_tune(card *c);

#endif
