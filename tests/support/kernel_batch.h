// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Many kernels, printed and compiled at once by the system's compiler, and loaded: several
/// a file, as those that come with the library are, since a third of what the compiler
/// takes for one is to start. Kernels of the same key are compiled once.

#ifndef CAIRN_TESTS_SUPPORT_KERNEL_BATCH_H
#define CAIRN_TESTS_SUPPORT_KERNEL_BATCH_H

#include "emit/c.h"
#include "support/scratch.h"

#include <dlfcn.h>

enum { BATCH_KERNELS = 4096, BATCH_FILE = 12 };

typedef struct {
    char       folder[64];
    int        kernels;
    char      *key[BATCH_KERNELS]; ///< malloc'ed.
    cairn_env *env[BATCH_KERNELS]; ///< Of the functions,
    cairn_ir_function
         *function[BATCH_KERNELS]; ///< which are the batch's until it is built.
    void *library;
} kernel_batch;

static inline void batch_open(kernel_batch *batch)
{
    memset(batch, 0, sizeof *batch);
    scratch_create(batch->folder);
}

/// Number of the kernel of @p key; -1: it is not there yet.
static inline int batch_find(const kernel_batch *batch, const char *key)
{
    for (int k = 0; k < batch->kernels; k++)
        if (strcmp(batch->key[k], key) == 0) return k;
    return -1;
}

/// Hand a function to the batch. @return its number.
static inline int batch_add(kernel_batch       *batch,
                            cairn_env          *env,
                            const char         *key,
                            cairn_ir_function **function)
{
    const int number = batch->kernels++;

    cr_assert_lt(number, BATCH_KERNELS);
    batch->key[number]      = strdup(key);
    batch->env[number]      = env;
    batch->function[number] = *function;
    *function               = NULL;
    return number;
}

/// Print the functions from number @p begin on that go into one file, and destroy them.
static inline void batch_print(kernel_batch *batch, int begin)
{
    const int n =
        batch->kernels - begin < BATCH_FILE ? batch->kernels - begin : BATCH_FILE;
    const cairn_ir_function *function[BATCH_FILE];
    char                     path[96], symbol[BATCH_FILE][32], *text;
    cairn_env               *env = batch->env[begin];

    for (int k = 0; k < n; k++) {
        snprintf(symbol[k], sizeof symbol[k], "kernel_%d", begin + k);
        batch->function[begin + k]->name = symbol[k];
        function[k]                      = batch->function[begin + k];
    }
    cr_assert_eq(cairn_c_print_all(env, n, function, &text), CAIRN_OK, "%s",
                 env->message);
    snprintf(path, sizeof path, "%s/k%d.c", batch->folder, begin);
    scratch_write(path, text, strlen(text));
    cairn_free(env, text);
    for (int k = begin; k < begin + n; k++)
        cairn_ir_destroy(batch->env[k], &batch->function[k]);
}

/// Compile and load all.
static inline void batch_build(kernel_batch *batch, const char *flags)
{
    char command[512];

    for (int k = 0; k < batch->kernels; k += BATCH_FILE)
        batch_print(batch, k);
    snprintf(
        command, sizeof command,
        "cd %s && ls k*.c | xargs -P 2 -n 1 sh -c 'for f; do cc -std=gnu11 -Wno-psabi "
        "%s "
        "-fPIC -ffp-contract=off -march=native -fopenmp -c $f || exit 255; done' cc && "
        "cc -shared -fopenmp -o all.so k*.o",
        batch->folder, flags);
    cr_assert_eq(system(command), 0, "kernels in %s do not compile", batch->folder);
    snprintf(command, sizeof command, "%s/all.so", batch->folder);
    /* For good: OpenMP, which it may bring, has threads that outlive it. */
    batch->library = dlopen(command, RTLD_NOW | RTLD_NODELETE);
    cr_assert(batch->library != NULL, "%s", dlerror());
}

static inline void *batch_symbol(const kernel_batch *batch, int number)
{
    char  symbol[32];
    void *at;

    snprintf(symbol, sizeof symbol, "kernel_%d", number);
    at = dlsym(batch->library, symbol);
    cr_assert(at != NULL, "%s", symbol);
    return at;
}

static inline void batch_close(kernel_batch *batch)
{
    char command[96];

    if (batch->library) dlclose(batch->library);
    for (int k = 0; k < batch->kernels; k++)
        free(batch->key[k]);
    snprintf(command, sizeof command, "rm -rf %s", batch->folder);
    cr_expect_eq(system(command), 0);
}

#endif
