// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Texts of C compiled into shared objects in a test's own folder, and loaded.

#ifndef CAIRN_TESTS_COMPILE_H
#define CAIRN_TESTS_COMPILE_H

#include "support/scratch.h"

#include <dlfcn.h>
#include <stdbool.h>

/// Is there such a command?
static inline bool compile_has(const char *command)
{
    char line[128];

    snprintf(line, sizeof line, "command -v %s >/dev/null 2>&1", command);
    return system(line) == 0;
}

/// Compile @p text with @p compiler and @p flags and load what it defines as @p symbol.
static inline void *compile_load(const char *folder,
                                 const char *compiler,
                                 const char *flags,
                                 const char *text,
                                 const char *symbol)
{
    static int number;
    char       source[128], object[128], line[512];

    snprintf(source, sizeof source, "%s/k%d.c", folder, ++number);
    snprintf(object, sizeof object, "%s/k%d.so", folder, number);
    scratch_write(source, text, strlen(text));
    snprintf(line, sizeof line, "%s -std=gnu11 %s -fopenmp -shared -fPIC -o %s %s -lm",
             compiler, flags, object, source);
    cr_assert_eq(system(line), 0, "%s:\n%s", line, text);

    void *const library = dlopen(object, RTLD_NOW | RTLD_LOCAL);

    cr_assert_not_null(library, "%s", dlerror());

    void *const found = dlsym(library, symbol);

    cr_assert_not_null(found, "%s is not in the object", symbol);
    return found;
}

/// Remove the folder and what was compiled there.
static inline void compile_remove(const char *folder)
{
    char line[128];

    snprintf(line, sizeof line, "rm -r '%s'", folder);
    cr_assert_eq(system(line), 0);
}

#endif
