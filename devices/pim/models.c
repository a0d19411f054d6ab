// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numbers of the models. Where a number comes from stands in its line: "PrIM" is
/// arXiv 2105.03814, measured on UPMEM at 350 MHz; "assumed" is nobody's.

#include "devices/pim/models.h"

/* PrIM gives operations per second of a core at 350 MHz with its pipeline full: as
   instructions of one operation they hold for any clock. */
#define INSTRUCTIONS(million_a_second) (350 / (million_a_second))

static const cairn_device_key upmem[] = {
    {"cores",              2048,               1,    1 << 20,   true,  "",             "cores, each with a bank"             },
    {"rank",               64,                 1,    1 << 20,   true,  "",             "cores that one transfer serves; PrIM"},
    {"ranks_at_once",      1,                  1,    1 << 20,   true,  "",
     "transfers that run side by side; PrIM: ranks take turns"                                                               },
    {"clock",              350e6,              1e6,  1e11,      false, "Hz",           "of a core; version 1B: 400e6"        },
    {"memory",             64 << 20,           1024, 1LL << 40, true,  "bytes",        "of one bank"                         },
    {"launch",             20e-6,              0,    1,         false, "s",
     "from the host's call until the cores run; assumed"                                                                     },
    {"in_one",             0.33e9,             1,    1e15,      false, "bytes/s",      "host to one core alone; PrIM"        },
    {"in_all",             6.68e9,             1,    1e15,      false, "bytes/s",
     "host to all cores of a rank, in sum; PrIM"                                                                             },
    {"out_one",            0.12e9,             1,    1e15,      false, "bytes/s",      "one core to the host; PrIM"          },
    {"out_all",            4.74e9,             1,    1e15,      false, "bytes/s",
     "all cores of a rank to the host, in sum; PrIM"                                                                         },
    {"broadcast_one",      0.33e9,             1,    1e15,      false, "bytes/s",
     "the same to one core; as in_one"                                                                                       },
    {"broadcast_all",      16.88e9,            1,    1e15,      false, "bytes/s",
     "the same to all cores of a rank, in sum; PrIM"                                                                         },
    {"threads",            16,                 1,    24,        true,  "",             "tasklets of a core; SparseP"         },
    {"interval",           11,                 1,    1000,      true,  "cycles",
     "from issue to issue of one tasklet; uPIMulator"                                                                        },
    {"entry_instructions", 25,                 0,    1e6,       false, "instructions",
     "around an entry; 20 to 30 by SparseP's code"                                                                           },
    {"row_instructions",   25,                 0,    1e6,       false, "instructions",
     "around a row of Y; assumed as around an entry"                                                                         },
    {"add_f32",            INSTRUCTIONS(4.91), 0,    1e6,       false, "instructions",
     "of an addition; PrIM: 4.91 million a second"                                                                           },
    {"add_f64",            INSTRUCTIONS(3.32), 0,    1e6,       false, "instructions",
     "of an addition; PrIM: 3.32"                                                                                            },
    {"multiply_f32",       INSTRUCTIONS(1.91), 0,    1e6,       false, "instructions",
     "of a product; PrIM: 1.91"                                                                                              },
    {"multiply_f64",       INSTRUCTIONS(0.53), 0,    1e6,       false, "instructions",
     "of a product; PrIM: 0.53"                                                                                              },
    {"read_latency",       77,                 0,    1e6,       false, "cycles",
     "of a read from the bank, beside its bytes; PrIM"                                                                       },
    {"write_latency",      61,                 0,    1e6,       false, "cycles",       "of a write; PrIM"                    },
    {"access_cycles",      8 * 350 / 72.6,     0,    1e6,       false, "cycles",
     "that 8 bytes keep the DMA engine busy; PrIM: 72.6 MB/s"                                                                },
    {"byte_cycles",        0.5,                0,    1e6,       false, "cycles",       "of each further byte; PrIM"          },
    {"stream_bytes",       256,                8,    2048,      true,  "bytes",
     "fetched at once when arrays are streamed; the kit allows 64 to 1024"                                                   },
    {NULL,                 0,                  0,    0,         false, NULL,           NULL                                  },
};

static const cairn_device_key bank_cores[] = {
    {"cores",        512,      1,    1 << 20,   true,  "",        "cores, each with a bank; assumed"},
    {"clock",        350e6,    1e6,  1e11,      false, "Hz",      "of a core; assumed"              },
    {"memory",       64 << 20, 1024, 1LL << 40, true,  "bytes",   "of one bank; assumed"            },
    {"launch",       20e-6,    0,    1,         false, "s",
     "from the host's call until the cores run; assumed"                                            },
    {"rate",         19.2e9,   1,    1e15,      false, "bytes/s",
     "between host and banks, in sum; assumed"                                                      },
    {"broadcast",    19.2e9,   1,    1e15,      false, "bytes/s",
     "the same to all banks, in sum; assumed"                                                       },
    {"entry_cycles", 12,       1e-3, 1e6,       false, "cycles",
     "of an entry and column, all told; assumed"                                                    },
    {NULL,           0,        0,    0,         false, NULL,      NULL                              },
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
    p->read_latency       = cairn_config_number(config, "read_latency");
    p->write_latency      = cairn_config_number(config, "write_latency");
    p->access_cycles      = cairn_config_number(config, "access_cycles");
    p->byte_cycles        = cairn_config_number(config, "byte_cycles");
    p->stream_bytes       = cairn_config_number(config, "stream_bytes");
    p->access_most        = 2048; /* of the hardware: 8 to 2048 bytes in steps of 8 */
}

cairn_pim_parameters cairn_pim_parameters_of(const cairn_device_config *config)
{
    cairn_pim_parameters p = {
        .cores  = cairn_config_count(config, "cores"),
        .clock  = cairn_config_number(config, "clock"),
        .memory = cairn_config_count(config, "memory"),
        .launch = cairn_config_number(config, "launch"),
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
