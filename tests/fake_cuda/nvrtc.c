// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// CUDA's compiler: what it makes is a shared object of the processor's, by cc and on_cpu.h.
/// FAKE_CUDA="nvrtc=12.4" is its version, else 13.0; it knows cards from 7.5 on;
/// "compile=1" has every text fail with that code.

#include "devices/cuda/nvrtc.h"

#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OK = 0, MEMORY = 1, INVALID = 3, COMPILATION = 6, INTERNAL = 11 };

typedef struct program {
    char  *text;
    char  *log;
    char  *made; ///< A fake_cubin and what follows.
    size_t bytes;
    int    target;
    bool   ptx;
} program;

static _Atomic long compiled; ///< Programs so far.

static const int targets[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

enum { TARGETS = sizeof targets / sizeof *targets };

FAKE_EXPORT long fake_nvrtc_compiled(void);
FAKE_EXPORT long fake_nvrtc_compiled(void)
{
    return compiled;
}

/// Where a word of the settings begins; NULL: it is not there.
static const char *setting(const char *name)
{
    const char *const set = getenv("FAKE_CUDA");

    return set ? strstr(set, name) : NULL;
}

FAKE_EXPORT cairn_nvrtc_result nvrtcVersion(int *major, int *minor)
{
    const char *const word = setting("nvrtc=");

    *major = 13;
    *minor = 0;
    if (word) sscanf(word, "nvrtc=%d.%d", major, minor);
    return OK;
}

FAKE_EXPORT const char *nvrtcGetErrorString(cairn_nvrtc_result error)
{
    return error == COMPILATION ? "NVRTC_ERROR_COMPILATION"
           : error == INVALID   ? "NVRTC_ERROR_INVALID_INPUT"
           : error == MEMORY    ? "NVRTC_ERROR_OUT_OF_MEMORY"
           : error == INTERNAL  ? "NVRTC_ERROR_INTERNAL_ERROR"
                                : "NVRTC_ERROR unknown";
}

FAKE_EXPORT cairn_nvrtc_result nvrtcGetNumSupportedArchs(int *count)
{
    *count = TARGETS;
    return OK;
}

FAKE_EXPORT cairn_nvrtc_result nvrtcGetSupportedArchs(int *target)
{
    memcpy(target, targets, sizeof targets);
    return OK;
}

FAKE_EXPORT cairn_nvrtc_result nvrtcCreateProgram(cairn_nvrtc_program *made,
                                                  const char          *text,
                                                  const char          *name,
                                                  int                  headers,
                                                  const char *const   *header,
                                                  const char *const   *header_name)
{
    program *p = calloc(1, sizeof *p);

    (void)name, (void)header, (void)header_name;
    if (headers != 0) fake_die("no headers are expected");
    p->text = strdup(text);
    *made   = p;
    return OK;
}

FAKE_EXPORT cairn_nvrtc_result nvrtcDestroyProgram(cairn_nvrtc_program *made)
{
    program *p = *made;

    free(p->text);
    free(p->log);
    free(p->made);
    free(p);
    *made = NULL;
    return OK;
}

static char *read_all(const char *path, size_t before, size_t *length)
{
    FILE       *file = fopen(path, "rbe");
    struct stat about;
    char       *bytes;

    if (!file || fstat(fileno(file), &about) != 0) fake_die("a file cannot be read");
    *length = before + (size_t)about.st_size;
    bytes   = calloc(1, *length + 1);
    if (fread(bytes + before, 1, (size_t)about.st_size, file) != (size_t)about.st_size)
        fake_die("a file cannot be read");
    fclose(file);
    return bytes;
}

/// The text, and behind it what the driver finds each kernel by.
static void write_text(const program *p, const char *path)
{
    static const char word[] = "\nKERNEL(";
    FILE             *file   = fopen(path, "we");

    if (!file) fake_die("no folder for the compiler's files");
    fputs(p->text, file);
    for (const char *at = p->text; (at = strstr(at, word)); at++) {
        const char *const name   = at + strlen(word);
        const int         length = (int)strcspn(name, ")");

        fprintf(file,
                "\nconst struct { const char *(*run)(const void *, unsigned, unsigned, "
                "int, unsigned long); unsigned long bytes; } %.*s_function = {%.*s, "
                "sizeof(%.*s_args)};\n",
                length, name, length, name, length, name);
    }
    fclose(file);
}

static bool read_options(program *p, int options, const char *const *option)
{
    static const char sm[]      = "--gpu-architecture=sm_";
    static const char compute[] = "--gpu-architecture=compute_";
    bool              exact     = false;

    for (int k = 0; k < options; k++) {
        if (strncmp(option[k], sm, sizeof sm - 1) == 0)
            p->target = atoi(option[k] + sizeof sm - 1);
        if (strncmp(option[k], compute, sizeof compute - 1) == 0) {
            p->target = atoi(option[k] + sizeof compute - 1);
            p->ptx    = true;
        }
        exact |= strcmp(option[k], "--fmad=false") == 0;
    }
    for (int k = 0; k < TARGETS; k++)
        if (targets[k] == p->target) return exact;
    return false;
}

FAKE_EXPORT cairn_nvrtc_result nvrtcCompileProgram(cairn_nvrtc_program made,
                                                   int                 options,
                                                   const char *const  *option)
{
    program *const    p    = made;
    const char *const base = getenv("TMPDIR"), *const word = setting("compile=");
    char   folder[256], text[300], object[300], log[300], line[2048];
    size_t length;

    if (!read_options(p, options, option)) return INVALID;
    if (word) return (cairn_nvrtc_result)atoi(word + strlen("compile="));
    snprintf(folder, sizeof folder, "%.200s/fake-nvrtc-XXXXXX",
             base && *base ? base : "/tmp");
    if (!mkdtemp(folder)) fake_die("no folder for the compiler's files");
    snprintf(text, sizeof text, "%s/kernel.c", folder);
    snprintf(object, sizeof object, "%s/kernel.so", folder);
    snprintf(log, sizeof log, "%s/log", folder);
    write_text(p, text);
    snprintf(line, sizeof line,
             "cc -std=gnu11 -O0 -ffp-contract=off -w -fPIC -shared -nostdlib -include "
             "'%s' -o '%s' "
             "'%s' >'%s' 2>&1",
             FAKE_CUDA_ON_CPU, object, text, log);
    const int failed = system(line);

    p->log = read_all(log, 0, &length);
    if (!failed) {
        p->made = read_all(object, sizeof(fake_cubin), &p->bytes);

        fake_cubin *const head = (fake_cubin *)p->made;

        memcpy(head->magic, FAKE_MAGIC, sizeof head->magic);
        head->target = p->target;
        head->text   = p->ptx;
        head->bytes  = p->bytes - sizeof *head;
        compiled++;
    }
    unlink(text);
    unlink(object);
    unlink(log);
    rmdir(folder);
    return failed ? COMPILATION : OK;
}

FAKE_EXPORT cairn_nvrtc_result nvrtcGetProgramLogSize(cairn_nvrtc_program made,
                                                      size_t             *bytes)
{
    const program *const p = made;

    *bytes = strlen(p->log ? p->log : "") + 1;
    return OK;
}

FAKE_EXPORT cairn_nvrtc_result nvrtcGetProgramLog(cairn_nvrtc_program made, char *log)
{
    const program *const p = made;

    strcpy(log, p->log ? p->log : "");
    return OK;
}

FAKE_EXPORT cairn_nvrtc_result nvrtcGetCUBINSize(cairn_nvrtc_program made,
                                                 size_t             *bytes)
{
    const program *const p = made;

    *bytes = p->ptx ? 0 : p->bytes;
    return OK;
}

FAKE_EXPORT cairn_nvrtc_result nvrtcGetCUBIN(cairn_nvrtc_program made, char *cubin)
{
    const program *const p = made;

    memcpy(cubin, p->made, p->bytes);
    return OK;
}

FAKE_EXPORT cairn_nvrtc_result nvrtcGetPTXSize(cairn_nvrtc_program made, size_t *bytes)
{
    const program *const p = made;

    *bytes = p->bytes;
    return OK;
}

FAKE_EXPORT cairn_nvrtc_result nvrtcGetPTX(cairn_nvrtc_program made, char *ptx)
{
    const program *const p = made;

    memcpy(ptx, p->made, p->bytes);
    return OK;
}
