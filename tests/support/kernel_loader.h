// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A loader of kernels for tests: it compiles with the system's compiler, quickly and
/// without optimisation, keeps what it loaded, and holds every later request of the same
/// key against the source that the first one gave. It can have kernels count the turns of
/// their loops.
///
/// TEST_KERNELS=FOLDER in the environment keeps what was compiled for other tests, named
/// after flags and source: under sanitizers nearly all kernels are those of the plain
/// build, since the compiler that is asked for them is not told of sanitizers.

#ifndef CAIRN_TESTS_SUPPORT_KERNEL_LOADER_H
#define CAIRN_TESTS_SUPPORT_KERNEL_LOADER_H

#include "emit/kernel.h"

#include <criterion/criterion.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef TEST_LOADER_FLAGS
#    define TEST_LOADER_FLAGS "-O0"
#endif

enum { TEST_LOADER_MOST = 1 << 14 };

typedef struct test_loaded {
    char *key, *source;
    void *handle, *run;
} test_loaded;

typedef struct test_loader {
    cairn_env          *env;
    cairn_kernel_loader loader;
    const char         *flags; ///< TEST_LOADER_FLAGS, unless the test says others.
    char                folder[64];
    int                 kernels;
    test_loaded         kernel[TEST_LOADER_MOST];
    int64_t            *turns; ///< Grows by the turns of all loops; NULL: none counts.
    long                requests;
    long                refuse; ///< Requests until one is refused; < 0: none is.
} test_loader;

static char *test_loader_source(test_loader *l, const cairn_kernel_request *request)
{
    char *source, *copy;

    if (request->source(l->env, request->user, &source) != CAIRN_OK) return NULL;
    copy = strdup(source);
    cairn_free(l->env, source);
    return copy;
}

/// Where the head of the loop that begins a line ends; NULL: no loop begins there.
static const char *test_loader_loop(const char *line)
{
    int depth = 0;

    line += strspn(line, " ");
    if (strncmp(line, "for (", 5) != 0 && strncmp(line, "while (", 7) != 0) return NULL;
    do {
        depth += (*line == '(') - (*line == ')');
        line++;
    } while (depth > 0 || line[-1] != ')');
    return line;
}

/// The source, with a count in the body of every loop, braces or none.
static void test_loader_write(const test_loader *l, const char *source, FILE *file)
{
    while (*source) {
        const char *head = l->turns ? test_loader_loop(source) : NULL;

        if (head) {
            const bool braces = strncmp(head, " {", 2) == 0;

            fprintf(file, "%.*s%s", (int)(head - source), source, braces ? " {" : "");
            fprintf(file,
                    braces ? " __atomic_fetch_add((long *)%p, 1, __ATOMIC_RELAXED);"
                           : " if (__atomic_fetch_add((long *)%p, 1, "
                             "__ATOMIC_RELAXED) >= 0)",
                    (void *)l->turns);
            source = head + (braces ? 2 : 0);
        }
        const char *end = strchr(source, '\n');
        const int   n   = end ? (int)(end + 1 - source) : (int)strlen(source);

        fprintf(file, "%.*s", n, source);
        source += n;
    }
}

static void test_loader_open(test_loaded *k, const char *path, const char *symbol)
{
    k->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    cr_assert_not_null(k->handle, "%s", dlerror());
    k->run = dlsym(k->handle, symbol);
    cr_assert_not_null(k->run, "%s", symbol);
}

static uint64_t test_loader_hash(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u; /* FNV-1a */
    return hash;
}

/// Where a kernel is kept for other tests. @return false: nowhere.
static bool test_loader_kept(const test_loader *l, const test_loaded *k, char path[512])
{
    const char    *folder = getenv("TEST_KERNELS");
    const uint64_t flags  = test_loader_hash(0xcbf29ce484222325u, l->flags);

    if (!folder || l->turns) return false;
    return snprintf(path, 512, "%s/%016llx-%zu.so", folder,
                    (unsigned long long)test_loader_hash(flags, k->source),
                    strlen(k->source))
           < 512;
}

static void test_loader_compile(test_loader *l, test_loaded *k)
{
    char       path[160], kept[512], command[640], symbol[CAIRN_KERNEL_SYMBOL];
    const bool keeps = test_loader_kept(l, k, kept);

    cairn_kernel_symbol(k->key, symbol);
    if (keeps && access(kept, R_OK) == 0) {
        test_loader_open(k, kept, symbol);
        return;
    }
    snprintf(path, sizeof path, "%s/%s.c", l->folder, symbol);
    FILE *file = fopen(path, "w");

    cr_assert_not_null(file);
    test_loader_write(l, k->source, file);
    fclose(file);
    snprintf(command, sizeof command,
             "cc %s -w -std=gnu11 -fopenmp -ffp-contract=off -shared -nostdlib "
             "-fPIC -o %s/%s.so %s",
             l->flags, l->folder, symbol, path);
    cr_assert_eq(system(command), 0, "%s\n%s", k->key, k->source);
    snprintf(path, sizeof path, "%s/%s.so", l->folder, symbol);
    test_loader_open(k, path, symbol);
    if (!keeps || rename(path, kept) != 0) unlink(path);
    snprintf(path, sizeof path, "%s/%s.c", l->folder, symbol);
    unlink(path);
}

static test_loaded *test_loader_find(test_loader                *l,
                                     const cairn_kernel_request *request)
{
    for (int k = 0; k < l->kernels; k++)
        if (strcmp(l->kernel[k].key, request->key) == 0) return &l->kernel[k];
    return NULL;
}

static cairn_status
test_loader_load(void *user, const cairn_kernel_request *request, cairn_kernel *kernel)
{
    test_loader *l     = user;
    test_loaded *found = test_loader_find(l, request);

    l->requests++;
    if (l->refuse == 0)
        return cairn_fail(l->env, CAIRN_NO_KERNEL, "kernel: cc: refused by the test");
    if (l->refuse > 0) l->refuse--;

    if (request->at_hand && !found)
        return cairn_fail(l->env, CAIRN_NO_KERNEL, "kernel: it is not at hand");

    char *source = test_loader_source(l, request);

    if (!source) return CAIRN_NO_MEMORY;
    if (found) {
        cr_assert_str_eq(source, found->source, "one key, two sources: %s",
                         request->key);
        free(source);
    } else {
        cr_assert_lt(l->kernels, TEST_LOADER_MOST);
        found         = &l->kernel[l->kernels++];
        found->key    = strdup(request->key);
        found->source = source;
        test_loader_compile(l, found);
    }
    *kernel = (cairn_kernel){.run = found->run, .route = CAIRN_ROUTE_COMPILED};
    return CAIRN_OK;
}

static void test_loader_release(void *user, cairn_kernel *kernel)
{
    (void)user;
    kernel->run = NULL;
}

/// A loader for @p env; destroy it with test_loader_destroy().
static inline test_loader *test_loader_create(cairn_env *env, int threads)
{
    test_loader *l = calloc(1, sizeof *l);

    cr_assert_not_null(l);
    l->env    = env;
    l->flags  = TEST_LOADER_FLAGS;
    l->refuse = -1;
    l->loader = (cairn_kernel_loader){.load         = test_loader_load,
                                      .release      = test_loader_release,
                                      .user         = l,
                                      .vector_bytes = 32,
                                      .threads      = threads};
    strcpy(l->folder, "/tmp/cairn-test-XXXXXX");
    cr_assert_not_null(mkdtemp(l->folder));
    return l;
}

static inline void test_loader_destroy(test_loader *l)
{
    for (int k = 0; k < l->kernels; k++) {
        dlclose(l->kernel[k].handle);
        free(l->kernel[k].key);
        free(l->kernel[k].source);
    }
    rmdir(l->folder);
    free(l);
}

#endif
