// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Small kernels for tests of what compiles, keeps and loads them, and a description of
/// what the process holds, so that a test can say that nothing is left.

#ifndef CAIRN_TESTS_KERNEL_SOURCES_H
#define CAIRN_TESTS_KERNEL_SOURCES_H

#include "base/env.h"
#include "emit/kernel.h"

#include <criterion/criterion.h>

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/// A function long NAME(long n): the sum of factor * t over threads t < n, in parallel.
/// Its loop needs the OpenMP runtime, as kernels do.
typedef struct made_kernel {
    char key[64];
    long factor;
    int  printed; ///< How often its source was asked for.
} made_kernel;

typedef long (*made_fn)(long n);

static inline cairn_status print_made(cairn_env *env, void *user, char **source)
{
    made_kernel *made = user;
    char         symbol[CAIRN_KERNEL_SYMBOL], text[600];

    made->printed++;
    cairn_kernel_symbol(made->key, symbol);
    snprintf(text, sizeof text,
             "long %s(long n)\n"
             "{\n"
             "    long sum = 0;\n"
             "\n"
             "#pragma omp parallel for num_threads(n) reduction(+ : sum)\n"
             "    for (long t = 0; t < n; t++)\n"
             "        sum += %ld * t;\n"
             "    return sum;\n"
             "}\n",
             symbol, made->factor);
    return cairn_strndup(env, text, strlen(text), source);
}

static inline made_kernel make_kernel(long factor)
{
    made_kernel made = {.factor = factor};

    snprintf(made.key, sizeof made.key, "test: times %ld", factor);
    return made;
}

static inline cairn_kernel_request request_of(made_kernel *made)
{
    return (cairn_kernel_request){.key = made->key, .source = print_made, .user = made};
}

static inline int count_entries(const char *path)
{
    DIR *folder = opendir(path);
    int  n      = 0;

    cr_assert(folder != NULL, "%s cannot be read", path);
    for (const struct dirent *entry; (entry = readdir(folder));)
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(folder);
    return n;
}

/// Open descriptors of this process (one of them is the look itself).
static inline int count_descriptors(void)
{
    return count_entries("/proc/self/fd");
}

/// Children of this process, zombies included, as the kernel lists them.
static inline bool has_children(void)
{
    char  path[64], line[64] = "";
    FILE *file;

    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    file = fopen(path, "re");
    cr_assert(file != NULL, "%s cannot be read", path);
    const bool some = fgets(line, sizeof line, file) != NULL;

    fclose(file);
    return some;
}

#endif
