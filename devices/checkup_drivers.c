// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Drivers that are missing or do not start, and cards that nothing offers.

#include "devices/checkup.h"

#include <stdio.h>
#include <string.h>

/// The first platform's name; "" without one.
static const char *first_platform(const cairn_drivers *drivers)
{
    for (int k = 0; k < drivers->count; k++)
        if (strcmp(drivers->device[k].driver, "opencl") == 0)
            return drivers->device[k].platform;
    return "";
}

static void check_opencl(const cairn_drivers *drivers, cairn_diagnostics *findings)
{
    static const char   fix[]    = "install a driver: the maker's for a GPU, or "
                                   "pocl-opencl-icd for the processor";
    const cairn_driver *opencl   = &drivers->opencl;
    const char         *platform = first_platform(drivers);

    if (opencl->devices > 0)
        cairn_diagnostics_ok(findings, "opencl", "%d driver%s, %d device%s: %s%s",
                             opencl->platforms, opencl->platforms == 1 ? "" : "s",
                             opencl->devices, opencl->devices == 1 ? "" : "s", platform,
                             strcmp(platform, "Portable Computing Language") == 0
                                 ? ", which is the processor: for trials, not for speed"
                                 : "");
    else if (opencl->platforms > 0)
        cairn_diagnostics_note(findings, "opencl", "",
                               "%d driver%s, none of which has a device",
                               opencl->platforms, opencl->platforms == 1 ? "" : "s");
    else
        cairn_diagnostics_note(findings, "opencl", fix, "nothing to run on: %s",
                               opencl->why);
}

/// How many cards of a kind and maker are there? @p vendor begins their names. On a
/// machine that is only described there are none to be driven.
static int
count_cards(const cairn_machine *survey, const char *kind, const char *vendor)
{
    int n = 0;

    for (int k = 0; survey->here && k < survey->nodes; k++)
        n += strcmp(survey->node[k].kind, kind) == 0
             && strncmp(survey->node[k].name, vendor, strlen(vendor)) == 0;
    return n;
}

enum { NO_CARD = 100 }; ///< CUDA_ERROR_NO_DEVICE.

/// A driver that starts, or would if it had a card, and shows none. @return Is it so?
static bool
check_hidden(const cairn_driver *cuda, int cards, cairn_diagnostics *findings)
{
    static const char fix[] =
        "unset CUDA_VISIBLE_DEVICES, or name cards that are there";
    const bool none = cuda->failed == NO_CARD || (cuda->found && cuda->devices == 0);

    if (!none || !cairn_foreign_variable("CUDA_VISIBLE_DEVICES")) return false;
    if (cards > 0)
        cairn_diagnostics_attention(findings, "cuda", fix, "%d NVIDIA GPU%s, but %s",
                                    cards, cards == 1 ? "" : "s", cuda->why);
    else
        cairn_diagnostics_note(findings, "cuda", fix, "%s", cuda->why);
    return true;
}

static void check_cuda(const cairn_drivers *drivers,
                       const cairn_machine *survey,
                       cairn_diagnostics   *findings)
{
    static const char   fix[] = "install NVIDIA's driver of this kernel, and look at "
                                "what nvidia-smi says";
    const cairn_driver *cuda  = &drivers->cuda;
    const int           cards = count_cards(survey, "gpu", "NVIDIA");

    if (check_hidden(cuda, cards, findings)) return;
    /* One that came with other packages finds no card where there is none. */
    if ((cuda->found && cuda->why[0]) || (cuda->failed && cuda->failed != NO_CARD))
        cairn_diagnostics_attention(findings, "cuda", fix, "%s", cuda->why);
    else if (cuda->found)
        cairn_diagnostics_ok(findings, "cuda", "driver for CUDA %s, %d device%s",
                             cuda->version, cuda->devices,
                             cuda->devices == 1 ? "" : "s");
    else if (cards > 0)
        cairn_diagnostics_attention(findings, "cuda", fix, "%d NVIDIA GPU%s, but %s",
                                    cards, cards == 1 ? "" : "s", cuda->why);
    else
        cairn_diagnostics_ok(findings, "cuda", "none, and no NVIDIA GPU (%s)",
                             cuda->why);
}

/// Is the next node a driver's device at this card?
static bool is_offered(const cairn_machine *survey, int k)
{
    return k + 1 < survey->nodes && survey->node[k + 1].depth > survey->node[k].depth;
}

/// Has the process cores near to a NUMA domain of the tree? Where none is listed all are.
static bool is_bound_near(const cairn_machine *survey, int domain)
{
    if (survey->domains == 0) return true;
    for (int d = 0; d < survey->domains; d++)
        if (survey->domain[d].index == domain || survey->domain[d].index < 0)
            return true;
    return false;
}

/// A card that every copy has to cross the processors' link for.
static void check_near(const cairn_machine *survey, int k, cairn_diagnostics *findings)
{
    const cairn_machine_node *card = &survey->node[k];

    if (card->domain < 0 || !is_offered(survey, k)
        || is_bound_near(survey, card->domain))
        return;
    cairn_diagnostics_note(findings, "cards",
                           "bind the process near it: mpirun --map-by numa, or numactl "
                           "--cpunodebind",
                           "%s %d (%s, %s) is near numa %d, where this process has no "
                           "core: copies to and from it are slower",
                           card->kind, card->index, card->name, card->pci,
                           card->domain);
}

static void check_card(const cairn_machine *survey, int k, cairn_diagnostics *findings)
{
    const cairn_machine_node *card = &survey->node[k];

    if (strcmp(card->kind, "gpu") == 0) check_near(survey, k, findings);
    if (strcmp(card->kind, "gpu") == 0 && !is_offered(survey, k)
        && strncmp(card->name, "NVIDIA", 6) != 0)
        cairn_diagnostics_note(findings, "cards", "install its maker's OpenCL driver",
                               "gpu %d (%s, %s): no driver offers it", card->index,
                               card->name, card->pci);
    if (strcmp(card->kind, "fpga") == 0 || strcmp(card->kind, "accelerator") == 0)
        cairn_diagnostics_note(
            findings, "cards", "",
            "%s %d (%s, %s) is there, but this version runs nothing on it", card->kind,
            card->index, card->name, card->pci);
}

void cairn_checkup_drivers(const cairn_drivers *drivers,
                           const cairn_machine *survey,
                           cairn_diagnostics   *findings)
{
    check_opencl(drivers, findings);
    check_cuda(drivers, survey, findings);
    for (int k = 0; survey->here && k < survey->nodes; k++)
        check_card(survey, k, findings);
}
