// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Kernels for cards, printed as CUDA text, compiled at once as C with
/// tests/fake_cuda/on_cpu.h, and run on this processor: by one item, or by many that take
/// turns.

#ifndef CAIRN_TESTS_SUPPORT_CUDA_BATCH_H
#define CAIRN_TESTS_SUPPORT_CUDA_BATCH_H

#include "devices/part_arguments.h"
#include "emit/cuda.h"
#include "lower/grid/grid.h"
#include "support/scratch.h"

#include <dlfcn.h>

enum { CUDA_BATCH_TEXTS = 2048, CUDA_BATCH_STRUCT = 1024 };

typedef struct {
    char              folder[64];
    int               texts;
    char             *key[CUDA_BATCH_TEXTS];    ///< malloc'ed, as all else.
    cairn_cuda_kernel kernel[CUDA_BATCH_TEXTS]; ///< Without text.
    void             *library;
} cuda_batch;

/// A compiled kernel: on_cpu.h.
typedef const char *(*cuda_batch_fn)(const void   *args,
                                     unsigned      x,
                                     unsigned      y,
                                     int           items,
                                     unsigned long seed);

static inline void cuda_batch_open(cuda_batch *batch)
{
    memset(batch, 0, sizeof *batch);
    scratch_create(batch->folder);
}

/// Number of the text of @p key; -1: it is not there yet.
static inline int cuda_batch_find(const cuda_batch *batch, const char *key)
{
    for (int k = 0; k < batch->texts; k++)
        if (strcmp(batch->key[k], key) == 0) return k;
    return -1;
}

/// What outlives the environment: names and parameters.
static inline cairn_cuda_kernel cuda_batch_copy(const cairn_cuda_kernel *from)
{
    cairn_cuda_kernel copy = {.functions = from->functions};

    copy.function = calloc((size_t)from->functions, sizeof *copy.function);
    for (int k = 0; k < from->functions; k++) {
        const size_t bytes =
            (size_t)from->function[k].parameters * sizeof *from->function[k].parameter;

        copy.function[k]           = from->function[k];
        copy.function[k].parameter = malloc(bytes + 1);
        if (bytes)
            memcpy(copy.function[k].parameter, from->function[k].parameter, bytes);
    }
    return copy;
}

/// Add @p text, which may be another than the kernel's own. @return its number.
static inline int cuda_batch_add(cuda_batch              *batch,
                                 const char              *key,
                                 const cairn_cuda_kernel *kernel,
                                 const char              *text)
{
    const int number = batch->texts++;
    char      path[96];

    cr_assert_lt(number, CUDA_BATCH_TEXTS);
    batch->key[number]    = strdup(key);
    batch->kernel[number] = cuda_batch_copy(kernel);
    snprintf(path, sizeof path, "%s/k%d.cu", batch->folder, number);
    scratch_write(path, text, strlen(text));
    return number;
}

/// Compile and load all, each a library of its own, so that names need not differ.
static inline void cuda_batch_build(const cuda_batch *batch)
{
    char command[640];

    snprintf(command, sizeof command,
             "cd %s && ls k*.cu | xargs -P 2 -n 8 sh -c 'for f; do cc -std=gnu11 -x c "
             "-O1 -ffp-contract=off -Wall -Wextra -Werror -Wno-unknown-pragmas "
             "-include %s/tests/fake_cuda/on_cpu.h -fPIC -shared -nostdlib -o "
             "${f%%.cu}.so $f || "
             "exit 255; done' cc",
             batch->folder, CAIRN_SOURCE_DIR);
    cr_assert_eq(system(command), 0, "texts in %s do not compile", batch->folder);
}

/// The kernel of function @p role of text @p number.
static inline cuda_batch_fn
cuda_batch_function(const cuda_batch *batch, int number, int role)
{
    const char *const name = batch->kernel[number].function[role].name;
    char              path[96];
    void             *library;
    cuda_batch_fn     function;

    snprintf(path, sizeof path, "%s/k%d.so", batch->folder, number);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    cr_assert(library != NULL, "%s", dlerror());
    *(void **)&function = dlsym(library, name);
    cr_assert(function != NULL, "%s: no %s", path, name);
    return function;
}

static inline void cuda_batch_close(cuda_batch *batch)
{
    char command[96];

    for (int k = 0; k < batch->texts; k++) {
        for (int f = 0; f < batch->kernel[k].functions; f++)
            free(batch->kernel[k].function[f].parameter);
        free(batch->kernel[k].function);
        free(batch->key[k]);
    }
    snprintf(command, sizeof command, "rm -rf %s", batch->folder);
    cr_expect_eq(system(command), 0);
}

/// The struct that a grid's kernel takes, for a part where it lies: addresses are the
/// host's.
static inline void cuda_batch_fill(const cairn_cuda_function  *function,
                                   const cairn_part_arguments *from,
                                   char                        bytes[CUDA_BATCH_STRUCT])
{
    static const size_t offset[] = {
#define X(type, name, what) offsetof(cairn_grid_args, name),
        CAIRN_GRID_MAP(X)
#undef X
    };

    cr_assert_leq(function->bytes, (int)CUDA_BATCH_STRUCT);
    memset(bytes, 0xff, CUDA_BATCH_STRUCT);
    for (int n = 0; n < function->parameters; n++) {
        const cairn_kernel_parameter *p = &function->parameter[n];
        const void                   *at;
        int64_t                       begin;

        if (p->what == CAIRN_PARAMETER_NUMBER) {
            const cairn_kernel_number number = cairn_part_arguments_number(from, p);

            memcpy(bytes + p->offset, &number.integer, number.bytes);
            continue;
        }
        cr_assert_eq((int)p->what, (int)CAIRN_PARAMETER_ARRAY);
        if (p->field.source == CAIRN_IR_ARG) {
            memcpy(&at, (const char *)from->args + offset[p->field.level], sizeof at);
        } else {
            const int k = cairn_part_arguments_array(from, p->field, &begin);

            at = k < 0 ? NULL : (const char *)from->array[k].data + begin;
        }
        memcpy(bytes + p->offset, &at, sizeof at);
    }
}

#endif
