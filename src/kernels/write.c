// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The files that cairn-gen writes: functions, and the table by which they are found.

#include "base/text.h"
#include "emit/c.h"
#include "kernels/gen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The symbol of a kernel's function in the files of one width: what is compiled for each
/// has one for each.
static void
symbol_of(const gen_kernel *k, int width, char symbol[2 * CAIRN_KERNEL_SYMBOL])
{
    cairn_kernel_symbol(k->written->key, symbol);
    if (k->width == GEN_ANY_WIDTH) sprintf(symbol + strlen(symbol), "_%d", 16 << width);
}

static bool stands_in(const gen_kernel *k, int width)
{
    return k->width == width || k->width == GEN_ANY_WIDTH;
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const gen_kernel *)a)->key, ((const gen_kernel *)b)->key);
}

/// By what makes two kernels one function; equal ones stay in the order of their keys.
static int by_text(const void *a, const void *b)
{
    const gen_kernel *const x = *(const gen_kernel *const *)a;
    const gen_kernel *const y = *(const gen_kernel *const *)b;

    if (x->width != y->width) return x->width < y->width ? -1 : 1;
    const int order = strcmp(x->text, y->text);

    return order != 0 ? order : (x > y) - (x < y);
}

/// Find the kernels whose functions are written: of those with the same text the first.
/// Notes say of which format and operation a function is, and have no part in it.
static cairn_status share_functions(generator *g)
{
    gen_kernel **order;

    for (int k = 0; k < g->kernels; k++) {
        cairn_ir_function *const f     = g->kernel[k].function;
        const int                notes = f->notes;

        f->notes = 0;
        const cairn_status status =
            cairn_c_print(&g->env, f, "kernel", &g->kernel[k].text);

        f->notes = notes;
        if (status != CAIRN_OK) return status;
    }
    CAIRN_TRY(CAIRN_NEW(&g->env, g->kernels, &order));
    for (int k = 0; k < g->kernels; k++)
        order[k] = &g->kernel[k];
    qsort(order, (size_t)g->kernels, sizeof *order, by_text);
    for (int k = 0; k < g->kernels; k++) {
        const bool same = k > 0 && order[k]->width == order[k - 1]->width
                          && strcmp(order[k]->text, order[k - 1]->text) == 0;

        order[k]->written = same ? order[k - 1]->written : order[k];
    }
    cairn_free(&g->env, order);
    return CAIRN_OK;
}

/// Does the file hold just this text?
static bool holds(const char *path, const char *text)
{
    FILE *file = fopen(path, "r");
    char  part[4096];
    bool  same = file != NULL;

    for (size_t n; same && (n = fread(part, 1, sizeof part, file)) > 0; text += n)
        same = strncmp(part, text, n) == 0;
    if (file) fclose(file);
    return same && *text == '\0';
}

/// Write text, unless the file holds it already: then nothing needs to be compiled anew.
static cairn_status write_file(generator *g, const char *path, const char *text)
{
    if (holds(path, text)) return CAIRN_OK;

    FILE *file = fopen(path, "w");

    CAIRN_CHECK(file, &g->env, CAIRN_IO, "cairn-gen: %s: %s", path, strerror(errno));
    const bool written = fputs(text, file) >= 0;

    CAIRN_CHECK(fclose(file) == 0 && written, &g->env, CAIRN_IO, "cairn-gen: %s: %s",
                path, strerror(errno));
    return CAIRN_OK;
}

/// The functions of one width whose number leaves @p shard, as one file.
static cairn_status
write_shard(generator *g, const char *folder, int width, int shard, int shards)
{
    const cairn_ir_function **function;
    char(*symbol)[2 * CAIRN_KERNEL_SYMBOL];
    char         path[4096];
    char        *text;
    int          n = 0, seen = 0;
    cairn_status status;

    CAIRN_TRY(CAIRN_NEW(&g->env, g->kernels, &function));
    CAIRN_GO(function, CAIRN_NEW(&g->env, g->kernels, &symbol));
    for (int k = 0; k < g->kernels; k++) {
        if (g->kernel[k].written != &g->kernel[k] || !stands_in(&g->kernel[k], width))
            continue;
        if (seen++ % shards != shard) continue;
        symbol_of(&g->kernel[k], width, symbol[n]);
        g->kernel[k].function->name = symbol[n];
        function[n++]               = g->kernel[k].function;
    }
    snprintf(path, sizeof path, "%s/vectors%d_%d.c", folder, 16 << width, shard);
    CAIRN_GO(symbol, cairn_c_print_all(&g->env, n, function, &text));
    status = write_file(g, path, text);
    cairn_free(&g->env, text);
symbol:
    cairn_free(&g->env, symbol);
function:
    cairn_free(&g->env, function);
    return status;
}

/// A row of the table, and behind the name `.Lkey<k>` its key.
static void print_row(const generator *g, cairn_text *text, int k)
{
    char symbol[2 * CAIRN_KERNEL_SYMBOL];

    cairn_text_add(text, "    \".long .Lkey%d - .\\n\"\n", k);
    for (int w = 0; w < CAIRN_PREBUILT_LEVELS; w++) {
        symbol_of(&g->kernel[k], w, symbol);
        if (stands_in(&g->kernel[k], w) && 16 << w <= g->widest)
            cairn_text_add(text, "    \".long %s - .\\n\"\n", symbol);
        else
            cairn_text_add(text, "    \".long 0\\n\"\n");
    }
}

/// C has no constant for the distance of two objects: the rows are the assembler's.
static cairn_status write_table(generator *g, const char *folder)
{
    cairn_text text;
    char       path[4096];
    char      *taken;

    cairn_text_init(&text, &g->env);
    cairn_text_add(&text, "/* Written by cairn-gen from prebuilt.txt; edit that. */\n"
                          "#include \"emit/prebuilt.h\"\n\n"
                          "__asm__(\n"
                          "    \".pushsection .rodata\\n\"\n"
                          "    \".balign 4\\n\"\n"
                          "    \"cairn_prebuilt_rows:\\n\"\n");
    for (int k = 0; k < g->kernels; k++)
        print_row(g, &text, k);
    for (int k = 0; k < g->kernels; k++)
        cairn_text_add(&text, "    \".Lkey%d: .asciz \\\"%s\\\"\\n\"\n", k,
                       g->kernel[k].key);
    cairn_text_add(
        &text,
        "    \".popsection\\n\");\n\n"
        "extern const cairn_prebuilt cairn_prebuilt_rows[]\n"
        "    __attribute__((visibility(\"hidden\")));\n\n"
        "const cairn_prebuilt *const cairn_prebuilt_table = cairn_prebuilt_rows;\n"
        "const int cairn_prebuilt_count = %d;\n",
        g->kernels);
    CAIRN_TRY(cairn_text_take(&text, &taken));
    snprintf(path, sizeof path, "%s/table.c", folder);
    const cairn_status status = write_file(g, path, taken);

    cairn_free(&g->env, taken);
    return status;
}

cairn_status gen_write(generator *g, const char *folder, int shards)
{
    qsort(g->kernel, (size_t)g->kernels, sizeof *g->kernel, by_key);
    CAIRN_TRY(share_functions(g));
    for (int width = 0; 16 << width <= g->widest; width++)
        for (int shard = 0; shard < shards; shard++)
            CAIRN_TRY(write_shard(g, folder, width, shard, shards));
    return write_table(g, folder);
}
