// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// cairn-gen LIST FOLDER SHARDS WIDEST: write the kernels of a list as C, SHARDS files for
/// every width of vectors up to WIDEST bytes (FOLDER/vectors16_0.c ...), and table.c, by
/// which they are found. The same key twice is one kernel: formats of other extents often
/// share their code. Other keys whose code has the same text share one function.

#include "kernels/gen.h"

#include "format/language.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 512 };

const int64_t gen_extent[GEN_CONVERTED][2] = {
    {30000,   30000  },
    {60000,   60000  },
    {1 << 20, 30000  },
    {1 << 20, 1 << 20},
    {1000,    1 << 20},
    {100000,  100000 },
    {60000,   100000 },
    {200,     200    },
    {30000,   200    },
    {200,     30000  },
    {500,     500    },
    {200,     500    },
};

bool gen_has(const generator *g, const char *key)
{
    for (int k = 0; k < g->kernels; k++)
        if (strcmp(g->kernel[k].key, key) == 0) return true;
    return false;
}

cairn_status gen_add(generator *g, char *key, cairn_ir_function *function, int width)
{
    if (g->kernels == GEN_KERNELS) {
        cairn_ir_destroy(&g->env, &function);
        cairn_free(&g->env, key);
        return cairn_fail(&g->env, CAIRN_OVERFLOW, "cairn-gen: more than %d kernels",
                          GEN_KERNELS);
    }
    g->kernel[g->kernels++] =
        (gen_kernel){.key = key, .function = function, .width = width};
    return CAIRN_OK;
}

int gen_callers_bits(const char *name)
{
    static const char *const lists[] = {"rows", "cols", "list"};

    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        if (strncmp(name, lists[k], 4) != 0) continue;
        if (strcmp(name + 4, "32") == 0) return 32;
        if (strcmp(name + 4, "64") == 0) return 64;
    }
    return 0;
}

cairn_status gen_format(generator *g, const char *name, cairn_format **format)
{
    const int bits = gen_callers_bits(name);

    if (!bits) return cairn_format_parse(&g->env, NULL, name, "prebuilt.txt", format);
    switch (name[0]) {
    case 'r': return cairn_format_compressed_rows(&g->env, bits, bits, format);
    case 'c': return cairn_format_compressed_columns(&g->env, bits, bits, format);
    default: return cairn_format_coordinates(&g->env, bits, format);
    }
}

/// A line: operations, ":", formats; or "convert" and pairs.
static cairn_status add_line(generator *g, char *line)
{
    char *word[GEN_WORDS], *rest = NULL;
    int   words = 0, colon = 0;

    line[strcspn(line, "#\n")] = '\0';
    for (char *w = strtok_r(line, " ", &rest); w && words < GEN_WORDS;
         w       = strtok_r(NULL, " ", &rest))
        if (strcmp(w, ":") == 0)
            colon = words;
        else
            word[words++] = w;
    if (words > 0 && strcmp(word[0], "convert") == 0) {
        for (int k = 1; k < words; k++)
            CAIRN_TRY(gen_conversion(g, word[k]));
        return CAIRN_OK;
    }
    CAIRN_CHECK(words == 0 || colon > 0, &g->env, CAIRN_BAD_ARGUMENT,
                "prebuilt.txt: line %d: it has no ':'", g->line);
    for (int o = 0; o < colon; o++)
        for (int f = colon; f < words; f++)
            CAIRN_TRY(gen_product(g, word[o], word[f]));
    return CAIRN_OK;
}

static cairn_status read_list(generator *g, const char *path)
{
    char         line[LINE];
    FILE        *file   = fopen(path, "r");
    cairn_status status = CAIRN_OK;

    CAIRN_CHECK(file, &g->env, CAIRN_IO, "cairn-gen: %s: %s", path, strerror(errno));
    while (status == CAIRN_OK && fgets(line, sizeof line, file)) {
        g->line++;
        status = add_line(g, line);
    }
    fclose(file);
    return status;
}

static void destroy_kernels(generator *g)
{
    for (int k = 0; k < g->kernels; k++) {
        cairn_ir_destroy(&g->env, &g->kernel[k].function);
        cairn_free(&g->env, g->kernel[k].text);
        cairn_free(&g->env, g->kernel[k].key);
    }
    cairn_free(&g->env, g->kernel);
}

int main(int argc, char **argv)
{
    generator g = {.kernels = 0};

    if (argc != 5 || atoi(argv[3]) < 1 || atoi(argv[4]) < 16 || atoi(argv[4]) > 64) {
        fputs("usage: cairn-gen LIST FOLDER SHARDS WIDEST\n", stderr);
        return 2;
    }
    g.widest = atoi(argv[4]);
    cairn_env_init(&g.env);
    cairn_status status = CAIRN_NEW(&g.env, GEN_KERNELS, &g.kernel);

    if (status == CAIRN_OK) status = read_list(&g, argv[1]);
    if (status == CAIRN_OK) status = gen_write(&g, argv[2], atoi(argv[3]));
    if (status != CAIRN_OK) fprintf(stderr, "cairn-gen: %s\n", g.env.message);
    destroy_kernels(&g);
    cairn_env_fini(&g.env);
    return status == CAIRN_OK ? 0 : 1;
}
