// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numbers of the models. "Serpens" is its published source, "paper" arXiv 2111.12555.

#include "devices/fpga/models.h"

/* The clock counts up to channel_rate / 64 bytes. */
static const cairn_device_key a16[] = {
    {"channels", 16,    1,   1024, true,  "",   "of memory, 8 engines each; Serpens"},
    {"clock",    223e6, 1e6, 1e10, false, "Hz", "of the engines; paper"             },
#include "devices/fpga/serpens.def"
};

static const cairn_device_key a24[] = {
    {"channels", 24,    1,   1024, true,  "",   "of memory, 8 engines each; Serpens"},
    {"clock",    270e6, 1e6, 1e10, false, "Hz", "of the engines; paper"             },
#include "devices/fpga/serpens.def"
};

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
