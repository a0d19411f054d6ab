// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a card on the PCI bus is, from the numbers that every card tells: its class, and
/// who made it. Classes alone do not say: a server's console is a display as a GPU is,
/// and FPGA cards call themselves whatever their circuit is.

#ifndef CAIRN_DEVICES_PCI_H
#define CAIRN_DEVICES_PCI_H

/// The numbers of one card.
typedef struct cairn_pci_card {
    unsigned type;   ///< Base class and subclass: 0x0302 is a 3-D controller.
    unsigned vendor; ///< 0x10de is NVIDIA.
    unsigned device;
} cairn_pci_card;

/// Where a function of a card is on the bus. Functions of one slot are on one card.
typedef struct cairn_pci_place {
    unsigned domain, bus, slot, function;
} cairn_pci_place;

/// Return "gpu", "fpga", "accelerator", "display" or "network"; NULL: of no interest.
///
/// Local. Source: PCI Code and ID Assignment Specification 1.15, section 1 (classes);
/// vendors as in the PCI ID repository (pci-ids.ucw.cz).
const char *cairn_pci_kind(const cairn_pci_card *card);

/// Does a function stand for its card beside another one, so that the card is listed once?
/// Functions of one slot, maker and kind are one card: an Alveo has a function to manage
/// it and one for its users, display controllers have had one for each screen. Adapters'
/// functions are ports and stay what they are. Of a Xilinx card the last function counts:
/// its shells manage the card by function 0 and hand the last one to users (it is the one
/// that XRT and OpenCL name). Elsewhere function 0 is the device, and others are its parts.
///
/// Local. @return 0: @p other stands for it.
int cairn_pci_stands(const cairn_pci_card  *card,
                     const cairn_pci_place *at,
                     const cairn_pci_card  *other,
                     const cairn_pci_place *other_at);

/// Return a vendor's short name, or NULL.
const char *cairn_pci_vendor(unsigned vendor);

#endif
