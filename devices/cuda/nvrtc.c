// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Finding NVRTC, and compiling with it.

#include "devices/cuda/nvrtc.h"

#include "devices/drivers.h"
#include "emit/cuda.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { OLDEST_RELEASE = 12, NEWEST_RELEASE = 13, MOST_TARGETS = 64 };

static bool find_all(cairn_nvrtc *nvrtc)
{
#define X(name, result, arguments) \
    if (!cairn_driver_function(nvrtc->library, #name, &nvrtc->name)) return false;
    CAIRN_NVRTC_MAP(X)
#undef X
    return true;
}

/// What NVRTC opens by name alone is found beside it only if it is open before.
static void open_builtins(const char *path)
{
    static const char wanted[] = "libnvrtc-builtins.so.";
    const char *const slash    = strrchr(path, '/');
    char              folder[CAIRN_OPTION_PATH], file[CAIRN_OPTION_PATH + 256];

    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 2,
             slash ? path : "./");
    DIR *const     list = opendir(folder);
    struct dirent *entry;

    while (list && (entry = readdir(list))) {
        if (strncmp(entry->d_name, wanted, sizeof wanted - 1) != 0) continue;
        snprintf(file, sizeof file, "%s%s", folder, entry->d_name);
        dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    }
    if (list) closedir(list);
}

/// Choose what is compiled for: the card itself, else the newest before it. Code for a card
/// runs on later ones of its major version; beyond these the driver compiles.
/// @return false: the card is older than all that there is.
static bool choose_target(cairn_nvrtc *nvrtc, int capable)
{
    int target[MOST_TARGETS], targets = 0, best = 0;

    if (nvrtc->nvrtcGetNumSupportedArchs(&targets) != 0 || targets < 1
        || targets > MOST_TARGETS || nvrtc->nvrtcGetSupportedArchs(target) != 0)
        return false;
    for (int k = 0; k < targets; k++)
        if (target[k] <= capable && target[k] > best) best = target[k];
    nvrtc->target = best;
    nvrtc->text   = best / 10 != capable / 10;
    return best > 0;
}

/// Take one release. @return false: it will not do, and @p why says so.
static bool take(const char  *name,
                 int          driver,
                 int          capable,
                 cairn_nvrtc *nvrtc,
                 char        *why,
                 size_t       size)
{
    cairn_nvrtc fresh = {.library = dlopen(name, RTLD_NOW | RTLD_LOCAL)};

    if (!fresh.library) {
        snprintf(why, size, "no %s", name);
        return false;
    }
    if (!find_all(&fresh) || fresh.nvrtcVersion(&fresh.major, &fresh.minor) != 0)
        snprintf(why, size, "%s is no NVRTC of CUDA 12.0 or later", name);
    else if (driver > 0 && fresh.major > driver / 1000)
        snprintf(why, size, "NVRTC %d.%d is newer than the driver, one for CUDA %d.%d",
                 fresh.major, fresh.minor, driver / 1000, driver % 1000 / 10);
    else if (!choose_target(&fresh, capable))
        snprintf(why, size,
                 "NVRTC %d.%d compiles for no card as old as this, of compute "
                 "capability %d.%d; libnvrtc.so.%d may",
                 fresh.major, fresh.minor, capable / 10, capable % 10, fresh.major - 1);
    else {
        *nvrtc = fresh;
        return true;
    }
    dlclose(fresh.library);
    return false;
}

bool cairn_nvrtc_open(const char  *asked,
                      int          driver,
                      int          capable,
                      cairn_nvrtc *nvrtc,
                      char        *why,
                      size_t       size)
{
    const int newest = driver > 0 ? driver / 1000 : NEWEST_RELEASE;
    char      name[64];
    bool      told = false;

    if (strcmp(asked, "none") == 0) {
        snprintf(why, size, "CAIRN_NVRTC says 'none'");
        return false;
    }
    if (asked[0]) {
        open_builtins(asked);
        return take(asked, driver, capable, nvrtc, why, size);
    }
    for (int n = newest; n >= OLDEST_RELEASE; n--) {
        char other[160];

        snprintf(name, sizeof name, "libnvrtc.so.%d", n);
        if (take(name, driver, capable, nvrtc, told ? other : why,
                 told ? sizeof other : size))
            return true;
        /* What is wrong with one that is there says more than that another is not. */
        told = told || strncmp(why, "no ", 3) != 0;
    }
    if (!told) snprintf(why, size, "no libnvrtc.so.%d, nor an older one", newest);
    return false;
}

void cairn_nvrtc_close(cairn_nvrtc *nvrtc)
{
    if (nvrtc->library) dlclose(nvrtc->library);
    *nvrtc = (cairn_nvrtc){.library = NULL};
}

void cairn_nvrtc_target(const cairn_nvrtc *nvrtc, char *option, size_t size)
{
    snprintf(option, size, "--gpu-architecture=%s_%d", nvrtc->text ? "compute" : "sm",
             nvrtc->target);
}

/// What a failure of the compiler's is here.
static cairn_status status_of(cairn_nvrtc_result error)
{
    enum { OUT_OF_MEMORY = 1 };

    return error == OUT_OF_MEMORY ? CAIRN_NO_MEMORY : CAIRN_NO_KERNEL;
}

/// Fail with the first line of the compiler's that says something.
static cairn_status refuse(cairn_env          *env,
                           const cairn_nvrtc  *nvrtc,
                           cairn_nvrtc_program program,
                           const char         *symbol,
                           cairn_nvrtc_result  error)
{
    char  *log    = NULL;
    size_t length = 0;

    if (nvrtc->nvrtcGetProgramLogSize(program, &length) != 0) length = 0;
    CAIRN_TRY(CAIRN_NEW_ZERO(env, (int64_t)length + 1, &log));
    if (length > 0 && nvrtc->nvrtcGetProgramLog(program, log) != 0) log[0] = '\0';
    const char *const  text = log + strspn(log, " \t\r\n");
    const cairn_status status =
        cairn_fail(env, status_of(error), "compile: %s: %s%s%.*s", symbol,
                   nvrtc->nvrtcGetErrorString(error), *text ? ": " : "",
                   (int)strcspn(text, "\r\n"), text);

    cairn_free(env, log);
    return status;
}

/// Get what was made.
static cairn_status fetch(cairn_env          *env,
                          const cairn_nvrtc  *nvrtc,
                          cairn_nvrtc_program program,
                          const char         *symbol,
                          cairn_object       *object)
{
    cairn_object fresh  = {0};
    size_t       length = 0;

    cairn_nvrtc_result error = nvrtc->text ? nvrtc->nvrtcGetPTXSize(program, &length)
                                           : nvrtc->nvrtcGetCUBINSize(program, &length);

    CAIRN_CHECK(error == 0 && length > 0, env, status_of(error), "compile: %s: %s",
                symbol, nvrtc->nvrtcGetErrorString(error));
    fresh.length = (int64_t)length;
    CAIRN_TRY(CAIRN_NEW(env, fresh.length, &fresh.bytes));
    error = nvrtc->text ? nvrtc->nvrtcGetPTX(program, fresh.bytes)
                        : nvrtc->nvrtcGetCUBIN(program, fresh.bytes);
    if (error == 0) {
        *object = fresh;
        return CAIRN_OK;
    }
    cairn_object_free(env, &fresh);
    return cairn_fail(env, status_of(error), "compile: %s: %s", symbol,
                      nvrtc->nvrtcGetErrorString(error));
}

cairn_status cairn_nvrtc_compile(cairn_env         *env,
                                 const cairn_nvrtc *nvrtc,
                                 const char        *symbol,
                                 const char        *text,
                                 cairn_object      *object)
{
    char        target[64];
    const char *option[] = {target,
#define X(flag) flag,
                            CAIRN_CUDA_OPTIONS_MAP(X)
#undef X
    };
    cairn_nvrtc_program program = NULL;
    cairn_status        status;

    cairn_nvrtc_target(nvrtc, target, sizeof target);
    cairn_nvrtc_result error =
        nvrtc->nvrtcCreateProgram(&program, text, symbol, 0, NULL, NULL);

    CAIRN_CHECK(error == 0, env, status_of(error), "compile: %s: %s", symbol,
                nvrtc->nvrtcGetErrorString(error));
    error = nvrtc->nvrtcCompileProgram(program, sizeof option / sizeof *option, option);
    status = error != 0 ? refuse(env, nvrtc, program, symbol, error)
                        : fetch(env, nvrtc, program, symbol, object);
    nvrtc->nvrtcDestroyProgram(&program);
    return status;
}
