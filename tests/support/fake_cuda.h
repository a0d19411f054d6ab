// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The driver that pretends (tests/fake_cuda), for tests that look at what it was asked or
/// let it fail: its functions are found by name, where it is what a process gets as
/// libcuda.so.1.

#ifndef CAIRN_TESTS_SUPPORT_FAKE_CUDA_H
#define CAIRN_TESTS_SUPPORT_FAKE_CUDA_H

#include <criterion/criterion.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct fake_cuda {
    /// The n-th call from now on of a function (NULL: of any) fails; below 0: none does.
    void (*fail)(const char *name, long n, int code);
    int (*failed)(void);             ///< It has failed.
    long (*calls)(const char *name); ///< NULL: of all functions.
    int (*alive)(void);              ///< What was made and not given back.
    long (*late)(void);              ///< Calls that a lost context was asked.
    void (*mend)(void);              ///< Nothing was lost.
    int (*depth)(void);              ///< Contexts that this thread has pushed.
    size_t (*up)(void);              ///< Bytes that were copied to cards,
    size_t (*down)(void);            ///< and from them.
    size_t (*pinned)(void);          ///< Bytes of the host's that are pinned.
    /// The n-th wait of a stream from now on is forgotten; below 0: none is.
    void (*forget)(long n);
    /// Graphs are left without the n-th of what their work waits for; below 0: with all.
    /// @return how much the last one's waited for.
    int (*cut)(int n);
    void (*shuffle)(unsigned seed); ///< Another order of what comes.
} fake_cuda;

/// Find it. @return false: there is another driver here, or none.
static inline bool fake_cuda_find(fake_cuda *fake)
{
    void *const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

    if (library) {
        *(void **)&fake->fail    = dlsym(library, "fake_cuda_fail");
        *(void **)&fake->failed  = dlsym(library, "fake_cuda_failed");
        *(void **)&fake->calls   = dlsym(library, "fake_cuda_calls");
        *(void **)&fake->alive   = dlsym(library, "fake_cuda_alive");
        *(void **)&fake->late    = dlsym(library, "fake_cuda_late");
        *(void **)&fake->mend    = dlsym(library, "fake_cuda_mend");
        *(void **)&fake->depth   = dlsym(library, "fake_cuda_depth");
        *(void **)&fake->up      = dlsym(library, "fake_cuda_up");
        *(void **)&fake->down    = dlsym(library, "fake_cuda_down");
        *(void **)&fake->pinned  = dlsym(library, "fake_cuda_pinned");
        *(void **)&fake->forget  = dlsym(library, "fake_cuda_forget");
        *(void **)&fake->cut     = dlsym(library, "fake_cuda_cut");
        *(void **)&fake->shuffle = dlsym(library, "fake_cuda_shuffle");
        if (fake->depth) return true;
    }
    fprintf(stderr, "the CUDA driver that pretends is not on the path: skipped\n");
    return false;
}

#endif
