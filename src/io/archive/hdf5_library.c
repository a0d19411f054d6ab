// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Opening the HDF5 library, and calls of it one thread at a time.

#ifdef CAIRN_WITH_HDF5

#    include "io/archive/hdf5_library.h"

#    include <dlfcn.h>
#    include <pthread.h>
#    include <stdio.h>

static pthread_mutex_t    one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static cairn_hdf5_library library;
static H5E_auto2_t        print; ///< What the program has errors printed by.
static void              *print_data;
static char               why[200];

static cairn_status missing(cairn_env *env, const char *what)
{
    return cairn_fail(env, CAIRN_ATTENTION, "hdf5: the library cannot be used here: %s",
                      what);
}

/// Find all that is called. It stays open: what others have of it must not be unmapped. Where
/// nobody else has it, it does nothing at the process's end: it would complain there of
/// files that were damaged, and nothing is left open.
static cairn_status open_library(cairn_env *env)
{
    const int          flags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
    const bool         ours  = !dlopen(CAIRN_HDF5_SONAME, flags | RTLD_NOLOAD);
    cairn_hdf5_library fresh = {.handle = dlopen(CAIRN_HDF5_SONAME, flags)};
    unsigned           major = 0, minor = 0, release = 0;

    if (!fresh.handle) return missing(env, dlerror());
#    define X(function)                                             \
        *(void **)&fresh.function = dlsym(fresh.handle, #function); \
        if (!fresh.function) return missing(env, "it has no " #function);
    CAIRN_HDF5_FUNCTIONS(X)
#    undef X
    if (ours) fresh.H5dont_atexit();
    if (fresh.H5open() < 0) return missing(env, "it does not begin");
    fresh.H5get_libversion(&major, &minor, &release);
    if (major != H5_VERS_MAJOR || minor != H5_VERS_MINOR)
        return missing(env, "it is of another version than this was built for");
#    define X(name)                                                     \
        const hid_t *const at_##name = dlsym(fresh.handle, #name "_g"); \
        if (!at_##name) return missing(env, "it has no " #name "_g");   \
        fresh.number_of_##name = *at_##name;
    CAIRN_HDF5_NUMBERS(X)
#    undef X
    library = fresh;
    return CAIRN_OK;
}

cairn_status cairn_hdf5_enter(cairn_env *env, const cairn_hdf5_library **out)
{
    pthread_mutex_lock(&one_at_a_time);
    const cairn_status status = library.handle ? CAIRN_OK : open_library(env);

    if (status != CAIRN_OK) {
        pthread_mutex_unlock(&one_at_a_time);
        return status;
    }
    library.H5Eget_auto2(H5E_DEFAULT, &print, &print_data);
    library.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    *out = &library;
    return CAIRN_OK;
}

void cairn_hdf5_leave(void)
{
    library.H5Eset_auto2(H5E_DEFAULT, print, print_data);
    pthread_mutex_unlock(&one_at_a_time);
}

/// The innermost failure is the first that is met on the way up.
static herr_t keep_first(unsigned n, const H5E_error2_t *error, void *client)
{
    (void)client;
    if (n == 0 && error->desc) snprintf(why, sizeof why, "%s", error->desc);
    return 0;
}

const char *cairn_hdf5_why(const cairn_hdf5_library *lib)
{
    snprintf(why, sizeof why, "the library says no more");
    lib->H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, NULL);
    return why;
}

#endif
