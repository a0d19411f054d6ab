// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The models: their tables, and what is read from them.

#include "devices/pim/models.h"

/* PrIM gives operations per second of a core at 350 MHz with its pipeline full: as
   instructions of one operation they hold for any clock. */
#define INSTRUCTIONS(million_a_second) (350 / (million_a_second))

static const cairn_device_key upmem[] = {
#include "devices/pim/upmem.def"
};

static const cairn_device_key bank_cores[] = {
#include "devices/pim/bank_cores.def"
};

const cairn_device_model cairn_pim_models[] = {
    {"upmem",      "UPMEM's DIMMs: 350 MHz, arithmetic in software",         upmem},
    {"bank-cores", "a RISC-V core at every bank of DDR, after Devic et al.",
     bank_cores                                                                   },
    {NULL,         NULL,                                                     NULL },
};

static cairn_pim_link
link_of(const cairn_device_config *config, const char *one, const char *all)
{
    const cairn_pim_link link = {cairn_config_number(config, one),
                                 cairn_config_number(config, all)};

    /* A user may have said that one core is faster than all. */
    return link.one < link.all ? link : (cairn_pim_link){link.all, link.all};
}

static void read_core(const cairn_device_config *config, cairn_pim_parameters *p)
{
    p->threads            = cairn_config_count(config, "threads");
    p->interval           = cairn_config_number(config, "interval");
    p->entry_instructions = cairn_config_number(config, "entry_instructions");
    p->row_instructions   = cairn_config_number(config, "row_instructions");
    p->add[0]             = cairn_config_number(config, "add_f32");
    p->add[1]             = cairn_config_number(config, "add_f64");
    p->multiply[0]        = cairn_config_number(config, "multiply_f32");
    p->multiply[1]        = cairn_config_number(config, "multiply_f64");
    p->widen              = (cairn_pim_widening){
                     .integer = {cairn_config_number(config, "integer_f32"),
                                 cairn_config_number(config, "integer_f64")},
                     .half    = cairn_config_number(config, "f16_f32"),
                     .bfloat  = cairn_config_number(config, "bf16_f32"),
                     .single  = cairn_config_number(config, "f32_f64"),
                     .code    = cairn_config_number(config, "dictionary_word"),
                     .room    = cairn_config_number(config, "dictionary_bytes"),
    };
    p->access.read_latency  = cairn_config_number(config, "read_latency");
    p->access.write_latency = cairn_config_number(config, "write_latency");
    p->access.cycles        = cairn_config_number(config, "access_cycles");
    p->access.byte_cycles   = cairn_config_number(config, "byte_cycles");
    p->stream_bytes         = cairn_config_number(config, "stream_bytes");
    p->access_most          = 2048; /* of the hardware: 8 to 2048 bytes in steps of 8 */
}

cairn_pim_parameters cairn_pim_parameters_of(const cairn_device_config *config)
{
    cairn_pim_parameters p = {
        .cores  = cairn_config_count(config, "cores"),
        .clock  = cairn_config_number(config, "clock"),
        .memory = cairn_config_count(config, "memory"),
        .launch = cairn_config_number(config, "launch"),
        .merge  = cairn_config_number(config, "merge"),
    };

    if (cairn_config_has(config, "entry_cycles")) {
        p.group          = p.cores;
        p.groups_at_once = 1;
        p.entry_cycles   = cairn_config_number(config, "entry_cycles");
        p.in = p.out = link_of(config, "rate", "rate");
        p.broadcast  = link_of(config, "broadcast", "broadcast");
        return p;
    }
    p.group          = cairn_config_count(config, "rank");
    p.groups_at_once = cairn_config_count(config, "ranks_at_once");
    p.in             = link_of(config, "in_one", "in_all");
    p.out            = link_of(config, "out_one", "out_all");
    p.broadcast      = link_of(config, "broadcast_one", "broadcast_all");
    read_core(config, &p);
    return p;
}
