// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The system's compiler.

#include "devices/cpu/compile.h"

#include "devices/cpu/machine.h"
#include "devices/cpu/process.h"
#include "devices/cpu/scratch.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    TIME_LIMIT = 60, /* seconds; a kernel takes a tenth of one */
    ARGUMENTS  = 24,
    OUTPUT     = 8192, /* bytes; of a compiler's errors the first line is of use */
};

/* -nostdlib: the start files are not needed, malloc and memset are in the process, and
   the runtime is named by its file. One contraction setting for the vector body of a loop
   and its scalar ends: -ffp-contract=off, as in the library. */
static const char *const flags[] = {"-O3",
                                    "-falign-loops=64",
                                    "-ffp-contract=off",
                                    "-std=gnu11",
                                    "-fPIC",
                                    "-shared",
                                    "-nostdlib",
                                    "-pipe",
                                    "-Wl,--wrap=GOMP_parallel",
                                    NULL};

extern const char cairn_team_of_one_text[]; ///< src/base/team_of_one.c

static const char native[] = "-march=native";

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/// The file that the process has its OpenMP functions from. If it is none of the known
/// runtimes, they are part of the program, which a kernel finds by itself.
static void find_openmp(cairn_compiler *compiler)
{
    void *const function = dlsym(RTLD_DEFAULT, "omp_get_max_threads");
    Dl_info     about;

    if (!function || !dladdr(function, &about) || !about.dli_fname) return;
    if (strncmp(base_name(about.dli_fname), "lib", 3) != 0
        || !strstr(base_name(about.dli_fname), "omp")
        || strlen(about.dli_fname) >= sizeof compiler->openmp)
        return;
    strcpy(compiler->openmp, about.dli_fname);
}

/// The name of the compiler as the user knows it.
static const char *asked(const cairn_compiler *compiler)
{
    return compiler->env->options.cc[0] ? compiler->env->options.cc : "cc";
}

void cairn_compiler_init(cairn_env *env, cairn_compiler *compiler)
{
    *compiler = (cairn_compiler){.env = env, .march = native, .time_limit = TIME_LIMIT};
    if (!cairn_find_program(asked(compiler), compiler->path)) compiler->path[0] = '\0';
    find_openmp(compiler);
}

bool cairn_compiler_is_foreign(const cairn_compiler *compiler)
{
    return compiler->march != native;
}

void cairn_compiler_describe(const cairn_compiler *compiler, cairn_text *text)
{
    /* By its name alone: what it has compiled serves where it is not. */
    cairn_text_add(text, "compiler: %s\n", asked(compiler));
    cairn_text_add(text, "flags: -fopenmp %s", native);
    for (const char *const *flag = flags; *flag; flag++)
        cairn_text_add(text, " %s", *flag);
    cairn_text_add(text, "\nopenmp: %s\n", base_name(compiler->openmp));
}

struct cairn_compilation {
    cairn_compiler *compiler;
    cairn_scratch   scratch;
    char            source[CAIRN_OPTION_PATH], made[CAIRN_OPTION_PATH];
    char            printed[OUTPUT];
    const char     *arguments[ARGUMENTS];
    cairn_process   process;
};

/// The line that says what is wrong: the first with "error" in it, else the first.
/// @return its bytes; 0: the output is empty.
static int first_error(const char *output, const char **line)
{
    int best = 0;

    for (const char *c = output; *c;) {
        const int   length = (int)strcspn(c, "\n");
        const char *error  = strstr(c, "error");

        if (error && error < c + length) {
            *line = c;
            return length;
        }
        if (best == 0 && length > 0) *line = c, best = length;
        c += length + (c[length] == '\n');
    }
    return best;
}

/// Fail for what the compiler printed, on one line, without the temporary folder's name.
static cairn_status fail_printed(cairn_compiler      *compiler,
                                 const cairn_scratch *scratch,
                                 const cairn_process *process)
{
    const size_t folder = strlen(scratch->path);
    const char  *line   = "";
    int          length = first_error(process->output, &line);
    char         text[400];

    if (length > (int)folder && strncmp(line, scratch->path, folder) == 0)
        line += folder + 1, length -= (int)folder + 1;
    snprintf(text, sizeof text, "%.*s", length, line);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
    if (process->number == 0)
        return cairn_fail(compiler->env, CAIRN_NO_KERNEL,
                          "compile: %.200s: it made no shared object%s%s",
                          asked(compiler), text[0] ? ": " : "", text);
    return cairn_fail(compiler->env, CAIRN_NO_KERNEL,
                      "compile: %.200s: it ended with %d%s%s", asked(compiler),
                      process->number, text[0] ? ": " : "", text);
}

/// Fail, and keep the reason: it is not tried again.
static cairn_status fail_for_good(cairn_compiler *compiler, const char *why)
{
    snprintf(compiler->broken, sizeof compiler->broken,
             "compile: %.200s: %.200s (CAIRN_CC names another compiler)",
             asked(compiler), why);
    return cairn_fail(compiler->env, CAIRN_NO_KERNEL, "%s", compiler->broken);
}

/// What a run that made nothing comes to.
static cairn_status explain(cairn_compiler      *compiler,
                            const cairn_scratch *scratch,
                            const cairn_process *process)
{
    char why[64];

    switch (process->end) {
    case CAIRN_PROCESS_NOT_STARTED:
        return fail_for_good(compiler, strerror(process->number));
    case CAIRN_PROCESS_LATE:
        snprintf(why, sizeof why, "had not finished after %g s", compiler->time_limit);
        return fail_for_good(compiler, why);
    case CAIRN_PROCESS_KILLED:
        return cairn_fail(compiler->env, CAIRN_NO_KERNEL,
                          "compile: %.200s: it was killed by signal %d (%s)",
                          asked(compiler), process->number, strsignal(process->number));
    case CAIRN_PROCESS_EXITED: break;
    }
    return fail_printed(compiler, scratch, process);
}

/// The arguments, in @p list of ARGUMENTS.
static void list_arguments(cairn_compiler *compiler,
                           const char     *source,
                           const char     *object,
                           const char    **list)
{
    int n = 0;

    list[n++] = compiler->path;
    list[n++] = compiler->serial ? "-fopenmp-simd" : "-fopenmp";
    list[n++] = compiler->march;
    for (const char *const *flag = flags; *flag; flag++)
        list[n++] = *flag;
    list[n++] = "-o";
    list[n++] = object;
    list[n++] = source;
    if (compiler->openmp[0] && !compiler->serial) list[n++] = compiler->openmp;
    list[n] = NULL;
}

/// Start the compiler.
static cairn_status start(cairn_compilation *c)
{
    cairn_env        *env = c->compiler->env;
    char              folder[CAIRN_OPTION_PATH + 8];
    const char *const changes[] = {folder, "LC_ALL=C", NULL};
    char            **list      = NULL;

    snprintf(folder, sizeof folder, "TMPDIR=%s", c->scratch.path);
    const size_t length = cairn_environment(changes, NULL, 0);

    CAIRN_TRY(CAIRN_NEW(env, (int64_t)length, &list));
    cairn_environment(changes, list, length);
    c->process = (cairn_process){.arguments   = (char *const *)c->arguments,
                                 .environment = list,
                                 .time_limit  = c->compiler->time_limit,
                                 .cores       = c->compiler->cores,
                                 .output      = c->printed,
                                 .capacity    = sizeof c->printed,
                                 .remain      = c->scratch.remain};
    cairn_process_start(&c->process);
    c->process.environment = NULL;
    cairn_free(env, list);
    return CAIRN_OK;
}

/// Read what the compiler made; an object without bytes when it made nothing.
static cairn_status read_object(cairn_env *env, const char *path, cairn_object *object)
{
    const int    fd   = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    cairn_object read = {0};
    cairn_status status;
    struct stat  about;

    *object = read;
    if (fd < 0) return CAIRN_OK;
    status = CAIRN_OK;
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0
        || about.st_size > CAIRN_CACHE_LARGEST)
        goto close;
    CAIRN_GO(close, CAIRN_NEW(env, about.st_size, &read.bytes));
    while (read.length < about.st_size) {
        const ssize_t n = pread(fd, read.bytes + read.length,
                                (size_t)(about.st_size - read.length), read.length);

        if (n <= 0) break;
        read.length += n;
    }
    *object = read;

close:
    close(fd);
    return status;
}

/// Write the text, behind lines that refuse code for another processor, and what calls
/// loops of one thread; messages count lines from the text's first on.
static cairn_status
write_source(cairn_env *env, const char *path, bool serial, const char *source)
{
    cairn_text text;
    char      *whole = NULL;

    cairn_text_init(&text, env);
    cairn_cpu_refuse(&text);
    if (!serial) cairn_text_add(&text, "%s", cairn_team_of_one_text);
    cairn_text_add(&text, "#line 1\n%s", source);
    CAIRN_TRY(cairn_text_take(&text, &whole));
    const cairn_status status = cairn_scratch_write(env, path, whole, strlen(whole));

    cairn_free(env, whole);
    return status;
}

/// Start in a folder that is there.
static cairn_status start_in(cairn_compilation *c, const char *name, const char *source)
{
    cairn_env *env = c->compiler->env;
    char       word[64];

    snprintf(word, sizeof word, "%.50s.c", name);
    CAIRN_TRY(cairn_scratch_path(env, &c->scratch, word, c->source));
    CAIRN_TRY(cairn_scratch_path(env, &c->scratch, "object", c->made));
    CAIRN_TRY(write_source(env, c->source, c->compiler->serial, source));
    list_arguments(c->compiler, c->source, c->made, c->arguments);
    return start(c);
}

cairn_status cairn_compile_start(cairn_compiler     *compiler,
                                 const char         *name,
                                 const char         *source,
                                 cairn_compilation **compilation)
{
    cairn_env         *env = compiler->env;
    cairn_compilation *c   = NULL;

    if (compiler->broken[0])
        return cairn_fail(env, CAIRN_NO_KERNEL, "%s", compiler->broken);
    if (!compiler->path[0]) return fail_for_good(compiler, "there is no such command");
    CAIRN_TRY(CAIRN_NEW(env, 1, &c));
    c->compiler         = compiler;
    cairn_status status = cairn_scratch_make(env, &c->scratch);

    if (status == CAIRN_OK) {
        status = start_in(c, name, source);
        if (status != CAIRN_OK) cairn_scratch_remove(&c->scratch);
    }
    if (status == CAIRN_OK)
        *compilation = c;
    else
        cairn_free(env, c);
    /* Without a place for temporary files there is no compiler either. */
    return status == CAIRN_IO ? CAIRN_NO_KERNEL : status;
}

/// Wait for it. Where the compiler takes another processor for native, it compiles this
/// and all that follows for the level of this one.
static cairn_status finish_for_this_processor(cairn_compilation *c)
{
    cairn_compiler *compiler = c->compiler;

    cairn_process_finish(&c->process);
    if (c->process.end != CAIRN_PROCESS_EXITED || c->process.number == 0
        || !strstr(c->printed, CAIRN_CPU_REFUSED))
        return CAIRN_OK;
    compiler->march = cairn_cpu_level();
    list_arguments(compiler, c->source, c->made, c->arguments);
    CAIRN_TRY(start(c));
    cairn_process_finish(&c->process);
    return CAIRN_OK;
}

cairn_status cairn_compile_finish(cairn_compilation **compilation, cairn_object *object)
{
    cairn_compilation *c      = *compilation;
    cairn_env         *env    = c->compiler->env;
    cairn_object       read   = {0};
    cairn_status       status = finish_for_this_processor(c);

    if (status == CAIRN_OK && c->process.end == CAIRN_PROCESS_EXITED
        && c->process.number == 0)
        status = read_object(env, c->made, &read);
    if (status == CAIRN_OK && !read.bytes)
        status = explain(c->compiler, &c->scratch, &c->process);
    if (status == CAIRN_OK) *object = read;
    cairn_scratch_remove(&c->scratch);
    cairn_free(env, c);
    *compilation = NULL;
    return status;
}

cairn_status cairn_compile(cairn_compiler *compiler,
                           const char     *name,
                           const char     *source,
                           cairn_object   *object)
{
    cairn_compilation *compilation = NULL;

    CAIRN_TRY(cairn_compile_start(compiler, name, source, &compilation));
    return cairn_compile_finish(&compilation, object);
}
