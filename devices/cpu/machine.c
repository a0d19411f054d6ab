// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The processor as code sees it, from /proc/cpuinfo.

#include "devices/cpu/machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#if defined(__x86_64__)
#    include <cpuid.h>
#endif

/* Lines of /proc/cpuinfo that say what the processor is (x86, Arm, Power, RISC-V). Others
   say how it is doing, or which of many it is. */
static const char *const telling[] = {"vendor_id",
                                      "cpu family",
                                      "model",
                                      "model name",
                                      "stepping",
                                      "flags",
                                      "Features",
                                      "CPU part",
                                      "cpu",
                                      "isa",
                                      "CPU architecture",
                                      "CPU variant",
                                      "CPU implementer"};

static bool is_telling(const char *line)
{
    size_t length = strcspn(line, ":\n");

    while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t'))
        length--;
    for (size_t k = 0; k < sizeof telling / sizeof telling[0]; k++)
        if (strlen(telling[k]) == length && strncmp(telling[k], line, length) == 0)
            return true;
    return false;
}

/// Add the values of the first processor's lines. Its end is an empty line; reading on
/// would take milliseconds where there are hundreds.
static void add_cpuinfo(cairn_text *text, FILE *file)
{
    char line[8192]; /* flags are about 2000 letters */

    while (fgets(line, sizeof line, file) && line[0] != '\n') {
        const char *colon = strchr(line, ':');

        if (!colon || !is_telling(line)) continue;
        cairn_text_add(text, "%.*s;", (int)strcspn(colon + 1, "\n"), colon + 1);
    }
}

void cairn_cpu_describe(cairn_text *text)
{
    FILE          *file = fopen("/proc/cpuinfo", "re");
    struct utsname about;

    cairn_text_add(text, "cpu: %s vectors of %d;",
                   uname(&about) == 0 ? about.machine : "", cairn_cpu_vector_bytes());
    if (file) {
        add_cpuinfo(text, file);
        fclose(file);
    }
    cairn_text_add(text, "\n");
}

#if defined(__x86_64__)
/// What a level of the x86-64 psABI ("x86-64-v3") asks for and that compilers' own
/// question does not know everywhere: F16C, MOVBE, LZCNT.
static bool has_rest_of_v3(void)
{
    unsigned a, b, c, d;

    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_F16C) || !(c & bit_MOVBE))
        return false;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & 1 << 5);
}
#endif

int cairn_cpu_vector_bytes(void)
{
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")
        || !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2")
        || !has_rest_of_v3())
        return 16;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
        && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq")
        && __builtin_cpu_supports("avx512vl"))
        return 64;
    return 32;
#else
    return 16;
#endif
}
