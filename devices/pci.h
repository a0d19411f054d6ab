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

/// Return "gpu", "fpga", "accelerator", "display" or "network"; NULL: of no interest.
///
/// Local. Source: PCI Code and ID Assignment Specification 1.15, section 1 (classes);
/// vendors as in the PCI ID repository (pci-ids.ucw.cz).
const char *cairn_pci_kind(const cairn_pci_card *card);

/// Return a vendor's short name, or NULL.
const char *cairn_pci_vendor(unsigned vendor);

#endif
