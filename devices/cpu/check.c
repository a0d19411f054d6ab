// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The compiler is tried on a kernel of two lines; the folder of kernels by a file.

#include "devices/cpu/check.h"

#include "devices/cpu/compile.h"
#include "devices/cpu/library.h"
#include "devices/cpu/machine.h"
#include "devices/cpu/process.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

/* Threads, since a compiler whose OpenMP runtime is not the process's fails on these. */
static const char trial[] = "long cairn_sample_run(long n)\n"
                            "{\n"
                            "    long sum = 0;\n"
                            "#pragma omp parallel for reduction(+ : sum)\n"
                            "    for (long k = 0; k < n; k++)\n"
                            "        sum += k;\n"
                            "    return sum;\n"
                            "}\n";

enum { LEAST_ROOM = 16 << 20 /* bytes; a kernel takes some 20,000 */ };

/// Compile, load and run the trial.
static cairn_status try_compiler(cairn_compiler *compiler)
{
    cairn_object object = {0};
    void        *handle = NULL, *symbol = NULL;
    long (*run)(long n);

    CAIRN_TRY(cairn_compile(compiler, "cairn_sample_run", trial, &object));
    cairn_status status = cairn_library_open(compiler->env, &object, "cairn_sample_run",
                                             &handle, &symbol);

    if (status == CAIRN_OK) {
        memcpy(&run, &symbol, sizeof run);
        if (run(1000) != 499500)
            status = cairn_fail(compiler->env, CAIRN_NO_KERNEL,
                                "compile: %s: what it makes computes wrongly",
                                compiler->path);
    }
    cairn_library_close(handle);
    cairn_object_free(compiler->env, &object);
    return status;
}

/// The first line of what the compiler says of itself; "" when it says nothing.
static void ask_version(const cairn_compiler *compiler, char *version, size_t size)
{
    const char *const changes[]   = {"LC_ALL=C", NULL};
    const char *const arguments[] = {compiler->path, "--version", NULL};
    const size_t      length      = cairn_environment(changes, NULL, 0);
    char            **list        = NULL;
    cairn_process     process     = {.arguments  = (char *const *)arguments,
                                     .time_limit = 10,
                                     .output     = version,
                                     .capacity   = size};

    version[0] = '\0';
    if (CAIRN_NEW(compiler->env, (int64_t)length, &list) != CAIRN_OK) return;
    cairn_environment(changes, list, length);
    process.environment = list;
    cairn_process_run(&process);
    if (process.end != CAIRN_PROCESS_EXITED || process.number != 0) version[0] = '\0';
    version[strcspn(version, "\n")] = '\0';
    cairn_free(compiler->env, list);
}

/// What it means that kernels cannot be compiled depends on what was asked for.
static void
complain(const cairn_compiler *compiler, cairn_diagnostics *findings, const char *why)
{
    static const char fix[] =
        "install gcc or clang, or name one that works in CAIRN_CC; until then kernels "
        "that are neither prebuilt nor in the cache run interpreted, many times slower";

    if (compiler->env->options.kernels == CAIRN_KERNELS_REFERENCE)
        cairn_diagnostics_note(findings, "compiler", "",
                               "%s; none is needed, for CAIRN_KERNELS=reference", why);
    else
        cairn_diagnostics_attention(findings, "compiler", fix, "%s", why);
}

static void check_compiler(cairn_env *env, cairn_diagnostics *findings)
{
    cairn_compiler compiler;
    char           version[120];

    cairn_compiler_init(env, &compiler);
    cairn_status status = try_compiler(&compiler);

    if (status == CAIRN_NO_KERNEL && compiler.path[0] && !compiler.broken[0]) {
        compiler.serial = true;
        status          = try_compiler(&compiler);
    }
    if (status == CAIRN_NO_MEMORY) findings->status = status;
    if (status != CAIRN_OK) {
        complain(&compiler, findings, env->message);
        return;
    }
    ask_version(&compiler, version, sizeof version);
    if (compiler.serial)
        cairn_diagnostics_note(
            findings, "compiler",
            "a compiler with the same OpenMP runtime as Cairn's, named in CAIRN_CC",
            "%s (%s) works, but its threads do not go with this process: kernels are "
            "compiled without",
            version, compiler.path);
    else if (cairn_compiler_is_foreign(&compiler))
        cairn_diagnostics_note(
            findings, "compiler",
            "a compiler that runs on the processor of this process, named in CAIRN_CC",
            "%s (%s) works, but takes another processor for its own: kernels are "
            "compiled with %s",
            version, compiler.path, compiler.march);
    else
        cairn_diagnostics_ok(findings, "compiler",
                             "%s (%s) works, with threads and vectors of %d bytes",
                             version, compiler.path, cairn_cpu_vector_bytes());
}

/// The folder is there and ours.
static void check_folder(const cairn_cache *cache, cairn_diagnostics *findings)
{
    cairn_cache_contents contents;
    struct statvfs       disk;

    if (!cairn_cache_is_writable(cache)) {
        cairn_diagnostics_attention(
            findings, "cache", "free the disk, or name another folder in CAIRN_CACHE",
            "%s: cannot be written to (%s): every process compiles its kernels anew",
            cache->path, strerror(errno));
        return;
    }
    cairn_cache_count(cache, &contents);
    if (fstatvfs(cache->folder, &disk) == 0
        && (double)disk.f_bavail * (double)disk.f_frsize < LEAST_ROOM)
        cairn_diagnostics_attention(
            findings, "cache", "free the disk, or name another folder in CAIRN_CACHE",
            "%s: less than 16 MiB are left on its disk", cache->path);
    cairn_diagnostics_ok(findings, "cache", "%s: %lld kernels, %.1f of %.0f MiB",
                         cache->path, (long long)contents.kernels,
                         (double)contents.bytes / (1 << 20),
                         (double)cache->limit / (1 << 20));
    if (contents.foreign > 0)
        cairn_diagnostics_note(findings, "cache", "",
                               "%lld of the kernels in %s are of other builds of Cairn "
                               "and of no use to this "
                               "one; the longest unused leave when the folder is full",
                               (long long)contents.foreign, cache->path);
}

static void check_cache(cairn_env *env, cairn_diagnostics *findings)
{
    cairn_cache cache;

    cairn_cache_open(env, &cache);
    if (cache.note[0])
        cairn_diagnostics_attention(findings, "cache",
                                    "name a folder that is yours alone in CAIRN_CACHE",
                                    "%s: every process compiles its kernels anew",
                                    cache.note + strlen("cache: "));
    else if (cache.folder < 0)
        cairn_diagnostics_note(
            findings, "cache", "name a folder in CAIRN_CACHE to keep them",
            "kernels are not kept (%s)",
            env->options.cache[0] ? "CAIRN_CACHE=none" : "nobody's home is known");
    else
        check_folder(&cache, findings);
    cairn_cache_close(&cache);
}

void cairn_cpu_check(const cairn_device *device, int ranks, cairn_diagnostics *findings)
{
    (void)ranks;
    check_compiler(device->env, findings);
    check_cache(device->env, findings);
}
