// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The kernels of all subproducts of a product. What devices compile ahead is compiled
/// by other programs, for which a thread of this process waits, while other devices build
/// their kernels.

#include "plan/subproduct.h"

/// What one device compiles ahead, on a thread of its own.
typedef struct {
    cairn_device      *device;
    int                works;
    cairn_device_work  work[CAIRN_MAX_HOMES];
    bool               beside; ///< There is such a thread.
    pthread_t          thread;
    cairn_message_slot slot;
} ahead;

static bool comes_ahead(const cairn_subproduct *subproduct)
{
    return subproduct->device->ops.ahead != NULL;
}

/// Gather works by device. @return devices.
static int gather(const cairn_subproduct *subproduct, int subproducts, ahead *a)
{
    int devices = 0;

    for (int p = 0; p < subproducts; p++) {
        int d = 0;

        if (!comes_ahead(&subproduct[p])) continue;
        while (d < devices && a[d].device != subproduct[p].device)
            d++;
        if (d == devices) a[devices++] = (ahead){.device = subproduct[p].device};
        a[d].work[a[d].works++] = subproduct[p].work;
    }
    return devices;
}

static void *get_ahead(void *given)
{
    ahead *const     a   = given;
    cairn_env *const env = a->device->env;

    cairn_message_slot_begin(env, &a->slot);
    a->device->ops.ahead(a->device, a->work, a->works);
    cairn_message_slot_end(env, &a->slot);
    return NULL;
}

/// Build the subproducts that come ahead, or the others.
static void build(cairn_subproduct *subproduct, int subproducts, bool which)
{
    for (int p = 0; p < subproducts; p++)
        if (comes_ahead(&subproduct[p]) == which)
            cairn_member_kernel_build(subproduct[p].device, &subproduct[p].work,
                                      &subproduct[p].kernel);
}

/// Without memory for that nothing is got ahead, and each kernel when it is built.
static void build_all(cairn_subproduct *subproduct, int subproducts)
{
    cairn_env *env     = subproduct->common->comm->env;
    ahead     *a       = NULL; /* 13 KB a device: not for the stack */
    int        devices = 0;

    if (subproducts > 1 && CAIRN_NEW(env, subproducts, &a) == CAIRN_OK)
        devices = gather(subproduct, subproducts, a);
    for (int d = 0; d < devices; d++) {
        a[d].beside = a[d].works < subproducts
                      && pthread_create(&a[d].thread, NULL, get_ahead, &a[d]) == 0;
        if (!a[d].beside) get_ahead(&a[d]);
    }
    build(subproduct, subproducts, false);
    for (int d = 0; d < devices; d++)
        if (a[d].beside) pthread_join(a[d].thread, NULL);
    build(subproduct, subproducts, true);
    cairn_free(env, a);
}

/// The reference way is the processor's, wherever the subproduct was to be.
static void stay_home(cairn_subproduct *subproduct)
{
    if (cairn_member_kernel_lacks(&subproduct->kernel)
        && !cairn_device_is_host(subproduct->device))
        subproduct->device = cairn_devices_host(subproduct->common->devices);
}

/// Agree on the kernels of one member's shares. Collective.
static cairn_status agree(cairn_subproduct *subproduct, int shares)
{
    cairn_member_kernel *kernel[CAIRN_MAX_HOMES];

    for (int k = 0; k < shares; k++)
        kernel[k] = &subproduct[k].kernel;
    CAIRN_TRY(cairn_member_kernels_agree(subproduct[0].common->comm, kernel, shares));
    for (int k = 0; k < shares; k++)
        stay_home(&subproduct[k]);
    return CAIRN_OK;
}

cairn_status cairn_subproducts_get_kernels(cairn_subproduct *subproduct,
                                           int               subproducts)
{
    build_all(subproduct, subproducts);
    for (int p = 0, end; p < subproducts; p = end) {
        for (end = p + 1; end < subproducts; end++)
            if (subproduct[end].home.member != subproduct[p].home.member) break;
        CAIRN_TRY(agree(&subproduct[p], end - p));
    }
    return CAIRN_OK;
}
