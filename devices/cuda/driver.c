// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Finding the driver, its cards, and names for what fails.

#include "devices/cuda/driver.h"

#include "devices/drivers.h"

#include <dlfcn.h>
#include <stdio.h>

/// The first function that the library lacks; NULL: it has all.
static const char *find_all(cairn_cuda_driver *driver)
{
#define X(name, arguments) \
    if (!cairn_driver_function(driver->library, #name, &driver->name)) return #name;
    CAIRN_CUDA_MAP(X)
#undef X
    return NULL;
}

/// Start it. @return false: it does not, and @p why says so.
static bool start(cairn_cuda_driver *driver, char *why, size_t size)
{
    const cairn_cuda_result error = driver->cuInit(0);

    if (error != CAIRN_CUDA_OK) {
        snprintf(why, size, "the driver does not start: %s",
                 cairn_cuda_error(driver, error));
        return false;
    }
    if (driver->cuDriverGetVersion(&driver->version) != CAIRN_CUDA_OK)
        driver->version = 0;
    if (driver->version >= CAIRN_CUDA_OLDEST_DRIVER) return true;
    snprintf(why, size, "the driver is one for CUDA %d.%d; this version needs 12.0",
             driver->version / 1000, driver->version % 1000 / 10);
    return false;
}

bool cairn_cuda_driver_open(cairn_cuda_driver *driver, char *why, size_t size)
{
    cairn_cuda_driver fresh = {.library = NULL};
    const char       *lacks;

    /* Threads of the driver's do not end before the process: it stays loaded. */
    fresh.library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!fresh.library) {
        snprintf(why, size, "no libcuda.so.1");
        return false;
    }
    lacks = find_all(&fresh);
    if (lacks) snprintf(why, size, "libcuda.so.1 lacks %s", lacks);
    if (lacks || !start(&fresh, why, size)) {
        dlclose(fresh.library);
        return false;
    }
    *driver = fresh;
    return true;
}

int cairn_cuda_number(const cairn_cuda_driver *driver,
                      cairn_cuda_card          card,
                      cairn_cuda_attribute     what)
{
    int value = 0;

    return driver->cuDeviceGetAttribute(&value, what, card) == CAIRN_CUDA_OK ? value
                                                                             : 0;
}

int cairn_cuda_capable(const cairn_cuda_driver *driver, cairn_cuda_card card)
{
    return 10 * cairn_cuda_number(driver, card, CAIRN_CUDA_MAJOR)
           + cairn_cuda_number(driver, card, CAIRN_CUDA_MINOR);
}

int cairn_cuda_cards(const cairn_cuda_driver *driver,
                     cairn_cuda_card          card[CAIRN_CUDA_CARDS])
{
    int all = 0, count = 0;

    if (driver->cuDeviceGetCount(&all) != CAIRN_CUDA_OK) return 0;
    for (int k = 0; k < all && count < CAIRN_CUDA_CARDS; k++) {
        if (driver->cuDeviceGet(&card[count], k) != CAIRN_CUDA_OK) continue;
        count += cairn_cuda_capable(driver, card[count]) >= CAIRN_CUDA_OLDEST_CAPABLE;
    }
    return count;
}

const char *cairn_cuda_error(const cairn_cuda_driver *driver, cairn_cuda_result error)
{
    const char *name = NULL;

    if (error == CAIRN_CUDA_GIVEN_UP) return "waited for in vain, and given up";
    if (driver->cuGetErrorName(error, &name) != CAIRN_CUDA_OK || !name)
        return "CUDA error";
    return name;
}

bool cairn_cuda_is_sticky(cairn_cuda_result error)
{
    static const short sticky[] = {214, 220, 226, 700, 702, 709, 710, 714,
                                   715, 716, 717, 718, 719, 721, 810, 999};

    for (size_t k = 0; k < sizeof sticky / sizeof *sticky; k++)
        if (error == (cairn_cuda_result)sticky[k]) return true;
    return error == CAIRN_CUDA_GIVEN_UP;
}

cairn_status cairn_cuda_status(cairn_cuda_result error)
{
    return error == CAIRN_CUDA_NO_MEMORY ? CAIRN_NO_MEMORY : CAIRN_NO_DEVICE;
}
