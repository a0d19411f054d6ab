// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A machine that is not here, as rates in a file that a user writes: what its devices take
/// for work, and what messages take between ranks. Each rank has a device of its own, and
/// ranks fill the machine in the order of the file, host by host.
///
///     {"name": "two hosts of two", "host": 2,
///      "devices": [{"name": "card", "count": 4, "bandwidth": 2e12, "start": 5e-6}],
///      "near": {"latency": 2e-6, "bandwidth": 1e11},
///      "far": {"latency": 5e-6, "bandwidth": 2e10}}
///
/// docs/whatif.md has the fields.

#ifndef CAIRN_COST_RATED_MACHINE_H
#define CAIRN_COST_RATED_MACHINE_H

#include "cost/cost.h"

enum { CAIRN_RATED_DEVICES = 32, CAIRN_RATED_NAME = 64 };

/// Devices that are alike.
typedef struct cairn_rated_device {
    char             name[CAIRN_RATED_NAME];
    int64_t          count; ///< At least 1.
    cairn_cost_rates rates;
} cairn_rated_device;

/// Messages between two ranks.
typedef struct cairn_rated_link {
    double latency;  ///< Seconds of a message;
    double per_byte; ///< and of each of its bytes.
} cairn_rated_link;

typedef struct cairn_rated_machine {
    char               name[CAIRN_RATED_NAME];
    int                devices;
    cairn_rated_device device[CAIRN_RATED_DEVICES];
    int64_t            ranks;     ///< It has room for.
    int64_t            host;      ///< Ranks of a host.
    cairn_rated_link   near, far; ///< Inside a host, between hosts.
} cairn_rated_machine;

/// Read a file. Local.
///
/// @param[out] machine  Unchanged on failure.
/// @retval CAIRN_IO        It cannot be read.
/// @retval CAIRN_BAD_FILE  It is no JSON, or no such machine; the message has the line.
cairn_status cairn_rated_machine_read(cairn_env           *env,
                                      const char          *path,
                                      cairn_rated_machine *machine);

/// The device of a rank, 0 <= rank < machine->ranks.
const cairn_rated_device *cairn_rated_device_of(const cairn_rated_machine *machine,
                                                int64_t                    rank);

/// Seconds of a message between two ranks.
double cairn_rated_message(const cairn_rated_machine *machine,
                           int64_t                    from,
                           int64_t                    to,
                           double                     bytes);

/// Seconds of a sum of few numbers over the first @p ranks: as many messages, one after the
/// other, as doubling takes, those inside hosts first.
double cairn_rated_sum(const cairn_rated_machine *machine, int64_t ranks);

#endif
