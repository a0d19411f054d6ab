// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Shared objects in memory.

#include "devices/cpu/library.h"

#include "devices/cpu/scratch.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MFD_EXEC
#    define MFD_EXEC 0x10u /* Linux 6.3: it is meant to be executed. */
#endif

/// The header that objects of this machine have: this program's own is one.
static const ElfW(Ehdr) * own_header(void)
{
    extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

    return &__ehdr_start;
}

static bool is_part_whole(const ElfW(Phdr) * part, uint64_t length)
{
    return part->p_type != PT_LOAD
           || (part->p_filesz <= length && part->p_offset <= length - part->p_filesz
               && part->p_filesz <= part->p_memsz);
}

bool cairn_library_is_whole(const cairn_object *object)
{
    const uint64_t length = (uint64_t)object->length;
    ElfW(Ehdr) head;
    ElfW(Phdr) part;
    bool whole = true;

    if (length < sizeof head) return false;
    memcpy(&head, object->bytes, sizeof head);
    if (memcmp(head.e_ident, own_header()->e_ident, EI_OSABI) != 0
        || head.e_type != ET_DYN || head.e_machine != own_header()->e_machine
        || head.e_phentsize != sizeof part || head.e_phnum == 0 || head.e_phoff > length
        || head.e_phnum * sizeof part > length - head.e_phoff)
        return false;
    for (int k = 0; k < head.e_phnum; k++) {
        memcpy(&part, object->bytes + head.e_phoff + k * sizeof part, sizeof part);
        whole &= is_part_whole(&part, length);
    }
    return whole;
}

static bool write_bytes(int fd, const cairn_object *object)
{
    for (int64_t done = 0; done < object->length;) {
        const ssize_t n =
            write(fd, object->bytes + done, (size_t)(object->length - done));

        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += n;
    }
    return true;
}

/// An anonymous file with the bytes. @return -1: the system allows none that may run.
static int anonymous_file(const cairn_object *object, const char *symbol)
{
    int fd = memfd_create(symbol, MFD_CLOEXEC | MFD_EXEC);

    if (fd < 0 && errno == EINVAL) fd = memfd_create(symbol, MFD_CLOEXEC);
    if (fd < 0 || write_bytes(fd, object)) return fd;
    close(fd);
    return -1;
}

/// Load from a descriptor, and close it. The loader knows libraries by their path, and
/// would hand out an older one that was loaded from the same number: a number whose path
/// no library has is taken.
static void *load_descriptor(int fd)
{
    char  path[40];
    void *handle;

    for (;;) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        void *const older = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);

        if (!older) break;
        dlclose(older);
        const int next = fcntl(fd, F_DUPFD_CLOEXEC, fd + 1);

        close(fd);
        if (next < 0) return NULL;
        fd = next;
    }
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    close(fd);
    return handle;
}

/// Load from a file of our own, where anonymous ones may not run.
static cairn_status
load_file(cairn_env *env, const cairn_object *object, const char *symbol, void **handle)
{
    char          path[CAIRN_OPTION_PATH];
    cairn_scratch scratch;
    cairn_status  status;

    CAIRN_TRY(cairn_scratch_make(env, &scratch));
    CAIRN_GO(remove, cairn_scratch_path(env, &scratch, symbol, path));
    CAIRN_GO(remove,
             cairn_scratch_write(env, path, object->bytes, (size_t)object->length));
    *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);

remove:
    cairn_scratch_remove(&scratch);
    return status;
}

/// Load the object; without success @p why, of @p size bytes, gets the reason.
static void *load(cairn_env          *env,
                  const cairn_object *object,
                  const char         *symbol,
                  char               *why,
                  size_t              size)
{
    const int fd     = anonymous_file(object, symbol);
    void     *handle = NULL;

    dlerror();
    if (fd >= 0) handle = load_descriptor(fd);
    if (handle) return handle;
    const char *error = fd >= 0 ? dlerror() : NULL;

    snprintf(why, size, "%s", error ? error : "there are no anonymous files that run");
    load_file(env, object, symbol, &handle);
    return handle;
}

cairn_status cairn_library_open(cairn_env          *env,
                                const cairn_object *object,
                                const char         *symbol,
                                void              **handle,
                                void              **run)
{
    char why[400];

    CAIRN_CHECK(cairn_library_is_whole(object), env, CAIRN_NO_KERNEL,
                "load: %s: it is no whole shared object of this machine", symbol);
    void *const loaded = load(env, object, symbol, why, sizeof why);

    CAIRN_CHECK(loaded, env, CAIRN_NO_KERNEL, "load: %s: %s", symbol, why);
    void *const function = dlsym(loaded, symbol);

    if (!function) {
        dlclose(loaded);
        return cairn_fail(env, CAIRN_NO_KERNEL, "load: %s: it has no such function",
                          symbol);
    }
    *handle = loaded;
    *run    = function;
    return CAIRN_OK;
}

void cairn_library_close(void *handle)
{
    if (handle) dlclose(handle);
}
