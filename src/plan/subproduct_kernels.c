// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The kernels of all pieces of a product. What devices compile ahead is compiled by other
/// programs, which a thread of ours waits for, while other devices build what they have.

#include "plan/subproduct.h"

/// What one device compiles ahead, on a thread of its own.
typedef struct {
    cairn_device      *device;
    int                works;
    cairn_device_work  work[CAIRN_MAX_HOMES];
    bool               beside; ///< There is such a thread.
    pthread_t          thread;
    cairn_message_slot voice;
} ahead;

static bool comes_ahead(const cairn_subproduct *piece)
{
    return piece->device->ops.ahead != NULL;
}

/// Gather works by device. @return devices.
static int gather(const cairn_subproduct *piece, int pieces, ahead *a)
{
    int devices = 0;

    for (int p = 0; p < pieces; p++) {
        int d = 0;

        if (!comes_ahead(&piece[p])) continue;
        while (d < devices && a[d].device != piece[p].device)
            d++;
        if (d == devices) a[devices++] = (ahead){.device = piece[p].device};
        a[d].work[a[d].works++] = piece[p].work;
    }
    return devices;
}

static void *get_ahead(void *given)
{
    ahead *const     a   = given;
    cairn_env *const env = a->device->env;

    cairn_message_slot_begin(env, &a->voice);
    a->device->ops.ahead(a->device, a->work, a->works);
    cairn_message_slot_end(env, &a->voice);
    return NULL;
}

/// Build the pieces that come ahead, or the others.
static void build(cairn_subproduct *piece, int pieces, bool which)
{
    for (int p = 0; p < pieces; p++)
        if (comes_ahead(&piece[p]) == which)
            cairn_member_kernel_build(piece[p].device, &piece[p].work,
                                      &piece[p].kernel);
}

static void build_all(cairn_subproduct *piece, int pieces)
{
    ahead     a[CAIRN_MAX_HOMES];
    const int devices = gather(piece, pieces, a);

    for (int d = 0; d < devices && pieces > 1; d++) {
        a[d].beside = a[d].works < pieces
                      && pthread_create(&a[d].thread, NULL, get_ahead, &a[d]) == 0;
        if (!a[d].beside) get_ahead(&a[d]);
    }
    build(piece, pieces, false);
    for (int d = 0; d < devices; d++)
        if (a[d].beside) pthread_join(a[d].thread, NULL);
    build(piece, pieces, true);
}

/// The reference way is the processor's, wherever the piece was to be.
static void stay_home(cairn_subproduct *piece)
{
    if (cairn_member_kernel_lacks(&piece->kernel)
        && !cairn_device_is_host(piece->device))
        piece->device = cairn_devices_host(piece->common->devices);
}

/// Agree on the kernels of one member's shares. Collective.
static cairn_status agree(cairn_subproduct *piece, int shares)
{
    cairn_member_kernel *kernel[CAIRN_MAX_HOMES];

    for (int k = 0; k < shares; k++)
        kernel[k] = &piece[k].kernel;
    CAIRN_TRY(cairn_member_kernels_agree(piece[0].common->comm, kernel, shares));
    for (int k = 0; k < shares; k++)
        stay_home(&piece[k]);
    return CAIRN_OK;
}

cairn_status cairn_subproducts_get_kernels(cairn_subproduct *piece, int pieces)
{
    build_all(piece, pieces);
    for (int p = 0, end; p < pieces; p = end) {
        for (end = p + 1; end < pieces; end++)
            if (piece[end].home.member != piece[p].home.member) break;
        CAIRN_TRY(agree(&piece[p], end - p));
    }
    return CAIRN_OK;
}
