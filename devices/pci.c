// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Cards by class, vendor and, where these do not suffice, device.

#include "devices/pci.h"

#include <stddef.h>
#include <string.h>

/// Base classes.
enum { NETWORK = 0x02, DISPLAY = 0x03, PROCESSING_ACCELERATOR = 0x12 };

enum {
    AMD     = 0x1002,
    NVIDIA  = 0x10de,
    XILINX  = 0x10ee,
    ALTERA  = 0x1172,
    AMAZON  = 0x1d0f,
    INTEL   = 0x8086,
    SILICOM = 0x1c2c,
};

static const struct {
    unsigned    id;
    const char *name;
} vendors[] = {
    {AMD,     "AMD"     },
    {NVIDIA,  "NVIDIA"  },
    {XILINX,  "Xilinx"  },
    {ALTERA,  "Altera"  },
    {AMAZON,  "Amazon"  },
    {INTEL,   "Intel"   },
    {SILICOM, "Silicom" },
    {0x14e4,  "Broadcom"},
    {0x15b3,  "Mellanox"},
    {0x1a03,  "ASPEED"  },
    {0x1af4,  "virtio"  },
    {0x1da3,  "Habana"  },
    {0x102b,  "Matrox"  },
};

/* FPGA cards of vendors who make other things too, with any class. Source: the ids of the
   Linux driver for FPGA device feature lists. */
static const struct {
    unsigned vendor, device;
} fpgas[] = {
    {INTEL,   0x09c4}, // Arria 10 GX
    {INTEL,   0x0b2b}, // D5005
    {INTEL,   0x0b30}, // N3000
    {INTEL,   0xbcce}, // device feature list
    {SILICOM, 0x1000}, // N5010
    {SILICOM, 0x1001},
};

static int is_known_fpga(const cairn_pci_card *card)
{
    for (size_t k = 0; k < sizeof fpgas / sizeof fpgas[0]; k++)
        if (fpgas[k].vendor == card->vendor && fpgas[k].device == card->device)
            return 1;
    return 0;
}

static int is_fpga(const cairn_pci_card *card)
{
    const unsigned base = card->type >> 8;

    /* Its circuits have any class, but network adapters of the name are just that. */
    if (card->vendor == XILINX) return base != NETWORK;
    if (card->vendor == ALTERA || card->vendor == INTEL || card->vendor == AMAZON)
        if (base == PROCESSING_ACCELERATOR) return 1;
    return is_known_fpga(card);
}

const char *cairn_pci_kind(const cairn_pci_card *card)
{
    const unsigned base = card->type >> 8;

    if (is_fpga(card)) return "fpga";
    if (base == PROCESSING_ACCELERATOR) return "accelerator";
    if (base == NETWORK) return "network";
    if (base != DISPLAY) return NULL;
    return card->vendor == NVIDIA || card->vendor == AMD || card->vendor == INTEL
               ? "gpu"
               : "display";
}

static int is_same_card(const cairn_pci_card  *card,
                        const cairn_pci_place *at,
                        const cairn_pci_card  *other,
                        const cairn_pci_place *other_at)
{
    const char *kind = cairn_pci_kind(card), *its = cairn_pci_kind(other);

    return at->domain == other_at->domain && at->bus == other_at->bus
           && at->slot == other_at->slot && card->vendor == other->vendor && kind && its
           && strcmp(kind, its) == 0 && strcmp(kind, "network") != 0;
}

int cairn_pci_stands(const cairn_pci_card  *card,
                     const cairn_pci_place *at,
                     const cairn_pci_card  *other,
                     const cairn_pci_place *other_at)
{
    if (!is_same_card(card, at, other, other_at)) return 1;
    return card->vendor == XILINX ? at->function >= other_at->function
                                  : at->function <= other_at->function;
}

const char *cairn_pci_vendor(unsigned vendor)
{
    for (size_t k = 0; k < sizeof vendors / sizeof vendors[0]; k++)
        if (vendors[k].id == vendor) return vendors[k].name;
    return NULL;
}
