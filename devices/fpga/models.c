// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numbers of the models. "Serpens" is its published source, "paper" arXiv 2111.12555.

#include "devices/fpga/models.h"

/* What the two builds share; channels and clock differ. */
#define SERPENS(CHANNELS, CLOCK)                                                        \
    {                                                                                   \
        {"channels",                                                                    \
         CHANNELS,                                                                      \
         1,                                                                             \
         1024,                                                                          \
         true,                                                                          \
         "",                                                                            \
         "memory channels for the matrix, eight engines each; Serpens"},                \
            {"clock",                                                                   \
             CLOCK,                                                                     \
             1e6,                                                                       \
             1e10,                                                                      \
             false,                                                                     \
             "Hz",                                                                      \
             "of the engines; paper. It counts up to channel_rate / 64 bytes"},         \
            {"channel_rate",       14.4e9, 1e3, 1e15, false, "bytes/s",                 \
             "of a channel of HBM"},                                                    \
            {"window",                                                                  \
             8192,                                                                      \
             1,                                                                         \
             1 << 30,                                                                   \
             true,                                                                      \
             "",                                                                        \
             "columns whose part of X is on the chip; Serpens"},                        \
            {"per_cycle",                                                               \
             16,                                                                        \
             1,                                                                         \
             1 << 20,                                                                   \
             true,                                                                      \
             "",                                                                        \
             "numbers of X or Y that a channel moves in a cycle; Serpens"},             \
            {"distance",                                                                \
             10,                                                                        \
             1,                                                                         \
             1 << 20,                                                                   \
             true,                                                                      \
             "cycles",                                                                  \
             "between entries of a pair of rows, at least; Serpens"},                   \
            {"rows",                                                                    \
             3145728,                                                                   \
             1,                                                                         \
             1LL << 40,                                                                 \
             true,                                                                      \
             "",                                                                        \
             "of Y that the chip keeps; Serpens"},                                      \
            {"memory", 8LL << 30, 1024, 1LL << 50, true, "bytes", "of the card: HBM2"}, \
            {"latency",                                                                 \
             0,                                                                         \
             0,                                                                         \
             1e6,                                                                       \
             false,                                                                     \
             "cycles",                                                                  \
             "that a window's first words are waited for; about 100 on the card"},      \
            {"link", 12e9, 1, 1e15, false, "bytes/s", "host to card: PCIe 3.0 x16"},    \
            {"launch",                                                                  \
             50e-6,                                                                     \
             0,                                                                         \
             1,                                                                         \
             false,                                                                     \
             "s",                                                                       \
             "until the card runs; XRT: 10 to 100 us"},                                 \
            {NULL, 0, 0, 0, false, NULL, NULL},                                         \
    }

static const cairn_device_key a16[] = SERPENS(16, 223e6);
static const cairn_device_key a24[] = SERPENS(24, 270e6);

const cairn_device_model cairn_fpga_models[] = {
    {"serpens-a16", "Serpens on an Alveo U280, 16 channels: 128 engines", a16 },
    {"serpens-a24", "Serpens on an Alveo U280, 24 channels: 192 engines", a24 },
    {NULL,          NULL,                                                 NULL},
};

cairn_fpga_parameters cairn_fpga_parameters_of(const cairn_device_config *config)
{
    return (cairn_fpga_parameters){
        .channels     = cairn_config_count(config, "channels"),
        .clock        = cairn_config_number(config, "clock"),
        .channel_rate = cairn_config_number(config, "channel_rate"),
        .window       = cairn_config_count(config, "window"),
        .per_cycle    = cairn_config_count(config, "per_cycle"),
        .distance     = cairn_config_count(config, "distance"),
        .rows         = cairn_config_count(config, "rows"),
        .memory       = cairn_config_count(config, "memory"),
        .latency      = cairn_config_number(config, "latency"),
        .link         = cairn_config_number(config, "link"),
        .launch       = cairn_config_number(config, "launch"),
    };
}
