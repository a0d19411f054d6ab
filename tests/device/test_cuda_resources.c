// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What kernels of the catalogue take of a card, as NVRTC 13.0 compiles them, which needs
/// no card: registers of an item and bytes that a group shares, held to
/// tests/golden/cuda-resources.txt. Nothing may spill.
///
/// The numbers are those of one release, TEST_NVRTC, which deploy/nvrtc.sh gets: another
/// one hands out registers as it likes. Formats are those of tests/golden/list.txt.

#include "devices/cuda/nvrtc.h"
#include "devices/grid_hints.h"
#include "emit/cuda.h"
#include "format/language.h"
#include "format/layout.h"
#include "lower/grid/grid.h"
#include "lower/grid_conversion/grid_convert.h"
#include "lower/product/product_choice.h"
#include "support/golden.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    MOST_TEXTS = 512,
    MOST_LINE  = 256,
    TARGETS    = 2,
    WORKERS    = 2,
    DRIVER     = 13000,
    EXTENT     = 1000000,
    NARROW     = 1, /* of all hints: four terms in flight, 32 bits */
    ITEMS      = 128,
    REGISTERS =
        65536 ///< Of a multiprocessor, for all groups that a kernel is to have there.
};

/* TEST_SM in the environment names one of them (80), which alone is compiled for. */
static int target[TARGETS] = {80, 90};

/// A text, and what is said of it.
typedef struct {
    char  name[64]; ///< Format, type, and what else it is.
    char *key;      ///< Texts of one key are one.
    char *text;
    char *log[TARGETS];
    char  message[CAIRN_MESSAGE]; ///< Why it does not compile.
} text;

static struct {
    text        text[MOST_TEXTS];
    int         texts;
    atomic_int  next;
    cairn_nvrtc nvrtc[TARGETS];
    int         targets;
} all;

/// What is printed: how values are stored, and what is asked for.
typedef struct {
    const char *format;
    bool        narrow_values, transposed, hints;
    int64_t     columns;
} wanted;

static bool have(const char *key)
{
    for (int k = 0; k < all.texts; k++)
        if (strcmp(all.text[k].key, key) == 0) return true;
    return false;
}

static void print_grid(cairn_env           *env,
                       const cairn_layout  *layout,
                       const cairn_product *product,
                       const char          *name)
{
    text *const       t = &all.text[all.texts];
    cairn_grid_kernel grid;
    cairn_cuda_kernel kernel;
    char             *key;

    cr_assert_lt(all.texts, MOST_TEXTS);
    cr_assert_eq(cairn_grid_key(env, layout, product, &key), CAIRN_OK);
    if (!have(key)) {
        cr_assert_eq(cairn_grid_lower(env, layout, product, "k", &grid), CAIRN_OK);
        cr_assert_eq(cairn_cuda_print(env,
                                      (const cairn_ir_function *const *)grid.function,
                                      CAIRN_GRID_FUNCTIONS, &kernel),
                     CAIRN_OK);
        t->key  = strdup(key);
        t->text = strdup(kernel.text);
        snprintf(t->name, sizeof t->name, "%s", name);
        all.texts++;
        cairn_cuda_fini(env, &kernel);
        cairn_grid_kernel_fini(env, &grid);
    }
    cairn_free(env, key);
}

/// The text of functions that are not one product's; they are destroyed.
static void print_functions(cairn_env          *env,
                            const char         *name,
                            cairn_ir_function **function,
                            int                 functions)
{
    text *const       t = &all.text[all.texts++];
    cairn_cuda_kernel kernel;

    cr_assert_leq(all.texts, MOST_TEXTS);
    cr_assert_eq(cairn_cuda_print(env, (const cairn_ir_function *const *)function,
                                  functions, &kernel),
                 CAIRN_OK, "%s", env->message);
    t->key  = strdup(name);
    t->text = strdup(kernel.text);
    snprintf(t->name, sizeof t->name, "%s", name);
    cairn_cuda_fini(env, &kernel);
    cairn_grid_convert_discard(env, function, functions);
}

/// The only member of a format.
static cairn_format *parse(cairn_env *env, const char *text, cairn_layout **layout)
{
    static const int64_t extent[2] = {EXTENT, EXTENT};
    cairn_format        *format;

    cr_assert_eq(cairn_format_parse(env, NULL, text, "list.txt", &format), CAIRN_OK,
                 "%s", env->message);
    cr_assert_eq(
        cairn_layout_create(env, format->member[0], extent, NULL, NULL, 64, layout),
        CAIRN_OK, "%s", env->message);
    return format;
}

/// From coordinates, with the numbers that queries gave to entries.
static void print_schedule(cairn_env *env, const char *target)
{
    cairn_ir_function *function[CAIRN_GRID_CONVERT_FUNCTIONS];
    cairn_convert_spec spec = {.source = CAIRN_CONVERT_ENTRIES, .order = 2};
    cairn_layout      *to;
    cairn_format      *format = parse(env, target, &to);
    char               name[64];
    const char        *why;

    snprintf(name, sizeof name, "entries to %s", target);
    spec.to = to;
    cr_assert(cairn_grid_convert_can(&spec, &why), "%s: %s", name, why);
    cr_assert_eq(cairn_grid_convert_lower(env, &spec, "k", function), CAIRN_OK, "%s",
                 env->message);
    print_functions(env, name, function, CAIRN_GRID_CONVERT_FUNCTIONS);
    cairn_layout_destroy(env, &to);
    cairn_format_destroy(&format);
}

static void print_conversion(cairn_env *env, const char *source, const char *target)
{
    cairn_ir_function *function[CAIRN_GRID_CONVERT_FUNCTIONS];
    cairn_convert_spec spec = {.source = CAIRN_CONVERT_PART, .order = 2};
    cairn_layout      *from, *to;
    cairn_format *formats[2] = {parse(env, source, &from), parse(env, target, &to)};
    char          name[64];
    const char   *why;

    snprintf(name, sizeof name, "%s to %s", source, target);
    spec.from = from;
    spec.to   = to;
    if (to->level[to->last < 0 ? 0 : to->last].indirect) {
        const int          slot    = to->level[to->last].query;
        const cairn_query *numbers = &to->encoding->query[slot];

        if (numbers->arg == CAIRN_ARG_VALUE)
            spec.along = (cairn_convert_along_spec){
                .on = true, .query = slot, .row = 0, .col = 1};
        else /* of groups that are listed line by line */
            spec.blocks =
                (cairn_convert_group_spec){.query  = &to->encoding->query[numbers->arg],
                                           .number = slot,
                                           .listed = true};
        spec.omit.determined = spec.blocks.query;
    }
    for (int l = 0; l <= to->partition; l++) /* banks by numbers of rows */
        spec.tables.queries |= cairn_form_queries(to->algebra, &to->level[l].form);
    cr_assert(cairn_grid_convert_can(&spec, &why), "%s: %s", name, why);
    cr_assert_eq(cairn_grid_convert_lower(env, &spec, "k", function), CAIRN_OK, "%s",
                 env->message);
    print_functions(env, name, function, CAIRN_GRID_CONVERT_FUNCTIONS);
    cairn_layout_destroy(env, &to);
    cairn_layout_destroy(env, &from);
    cairn_format_destroy(&formats[1]);
    cairn_format_destroy(&formats[0]);
}

/// Conversions: those of keys alone, and both ways between CSR and others.
static void print_conversions(cairn_env *env)
{
    static const char *const others[] = {"coo",       "csc",      "dcsr", "bcsr<3,3>",
                                         "bcoo<4,4>", "bdia<64>", "dia"};
    cairn_ir_function       *function[CAIRN_GRID_KEYS_FUNCTIONS];

    cr_assert_eq(cairn_grid_keys_lower(env, "k", function), CAIRN_OK);
    print_functions(env, "keys", function, CAIRN_GRID_KEYS_FUNCTIONS);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        print_conversion(env, "csr", others[k]);
        print_conversion(env, others[k], "csr");
    }
    print_conversion(env, "ell", "csr");
    print_conversion(env, "sell<32>", "csr");
    print_conversion(env, "csr", "ell");
    print_conversion(env, "csr", "sell<32>");
    print_conversion(env, "csc", "sell<32>");
    print_conversion(env, "csr", "bell<4>");
    print_conversion(env, "c2sr<16>", "csr");
    print_conversion(env, "csr", "c2sr<16>");
    print_conversion(env, "csr", "cisr<16>");
    print_schedule(env, "serpens<128>");
}

/// The text of each member that has a grid.
static void print(cairn_env *env, const wanted *w)
{
    static const int64_t  extent[2] = {EXTENT, EXTENT};
    cairn_product_options op        = CAIRN_PRODUCT_OPTIONS;
    cairn_format         *format;
    char                  name[64];

    op.transposed = w->transposed;
    op.columns    = w->columns;
    snprintf(name, sizeof name, "%s %s%s%s%s", w->format,
             w->narrow_values ? "f32" : "f64", w->transposed ? " transposed" : "",
             w->columns > 1 ? " 32 columns" : "", w->hints ? " batch 4 narrow" : "");
    cr_assert_eq(cairn_format_parse(env, NULL, w->format, "list.txt", &format),
                 CAIRN_OK, "%s", env->message);
    for (int m = 0; m < format->members; m++) {
        cairn_layout *layout;

        cr_assert_eq(cairn_layout_create(env, format->member[m], extent, NULL, NULL,
                                         w->narrow_values ? 32 : 64, &layout),
                     CAIRN_OK, "%s", env->message);
        cairn_product product =
            cairn_product_choose(layout, &op, m == 0, format->members > 1, CAIRN_ITEMS);

        cairn_grid_hints hints[CAIRN_GRID_HINTS];

        cairn_grid_hints_all(&product, w->columns, false, hints);
        if (w->hints) product.grid_hints = hints[NARROW];
        product.grid_hints.banks = w->hints && layout->partition >= 0
                                   && cairn_product_rows_of(layout, &product).apart;
        if (cairn_grid_of(layout, &product).shape != CAIRN_GRID_NONE)
            print_grid(env, layout, &product, name);
        cairn_layout_destroy(env, &layout);
    }
    cairn_format_destroy(&format);
}

/// All that are asked of the formats of list.txt.
static void print_all(void)
{
    size_t      length;
    char *const list = scratch_read(CAIRN_SOURCE_DIR "/tests/golden/list.txt", &length);
    char       *rest = list, *line;
    char        format[MOST_LINE], more[MOST_LINE];
    int         found = 0;
    cairn_env   env;

    cairn_env_init(&env);
    while ((line = strsep(&rest, "\n"))) {
        if (sscanf(line, "spmv-%*s spmv --format %255s %255s", format, more) != 1)
            continue;
        found++;
        for (int k = 0; k < 8; k++)
            print(&env, &(wanted){.format        = format,
                                  .narrow_values = k & 1,
                                  .transposed    = k & 2,
                                  .hints         = k & 4,
                                  .columns       = 1});
        for (int k = 0; k < 4; k++)
            print(&env, &(wanted){.format        = format,
                                  .narrow_values = k & 1,
                                  .transposed    = k & 2,
                                  .hints         = true,
                                  .columns       = 32});
    }
    cr_assert_geq(found, 25, "%d formats", found);
    cr_assert_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
    free(list);
}

/* ---- compiling ---- */

/// What ptxas says of a text for a target; NULL: it does not compile.
static char *compile(text *t, const cairn_nvrtc *nvrtc)
{
    char        arch[64];
    const char *option[] = {arch, "--ptxas-options=-v",
#define X(flag) flag,
                            CAIRN_CUDA_OPTIONS_MAP(X)
#undef X
    };
    cairn_nvrtc_program program = NULL;
    size_t              length  = 0;

    cairn_nvrtc_target(nvrtc, arch, sizeof arch);
    if (nvrtc->nvrtcCreateProgram(&program, t->text, "k.cu", 0, NULL, NULL) != 0)
        return NULL;
    const cairn_nvrtc_result failed =
        nvrtc->nvrtcCompileProgram(program, sizeof option / sizeof *option, option);

    nvrtc->nvrtcGetProgramLogSize(program, &length);
    char *log = calloc(1, length + 1);

    nvrtc->nvrtcGetProgramLog(program, log);
    nvrtc->nvrtcDestroyProgram(&program);
    if (!failed) return log;
    snprintf(t->message, sizeof t->message, "%s", log);
    free(log);
    return NULL;
}

static void *work(void *none)
{
    for (int k; (k = atomic_fetch_add(&all.next, 1)) < all.texts * all.targets;)
        all.text[k / all.targets].log[k % all.targets] =
            compile(&all.text[k / all.targets], &all.nvrtc[k % all.targets]);
    return none;
}

static void compile_all(void)
{
    pthread_t worker[WORKERS];

    for (int k = 0; k < WORKERS; k++)
        cr_assert_eq(pthread_create(&worker[k], NULL, work, NULL), 0);
    for (int k = 0; k < WORKERS; k++)
        pthread_join(worker[k], NULL);
}

/* ---- what is said ---- */

/// The number before @p words, the first of them from @p at on; -1: there is none.
static int number_before(const char *at, const char *end, const char *words)
{
    const char *found = strstr(at, words);

    if (!found || found > end) return -1;
    while (found > at && (found[-1] == ' ' || (found[-1] >= '0' && found[-1] <= '9')))
        found--;
    return atoi(found);
}

/// The groups that a text says a multiprocessor shall hold of a function.
static int groups_of(const text *t, const char *name, int width)
{
    char word[64];

    snprintf(word, sizeof word, "enum { %.*s_groups = ", width, name);
    const char *const at = strstr(t->text, word);

    cr_assert(at != NULL, "%s: no %s", t->name, word);
    return atoi(at + strlen(word));
}

/// One line for each function of a text and a target.
static void tell(FILE *out, const text *t, int k)
{
    static const char word[] = "Compiling entry function '";
    const char       *log    = t->log[k];

    cr_assert(log != NULL, "%s, sm_%d: %s", t->name, target[k], t->message);
    cr_assert(strstr(log, word) != NULL, "%s: no kernel: %s", t->name, log);
    for (const char *at = log; (at = strstr(at, word));) {
        const char *const name  = at + strlen(word);
        const char       *end   = strstr(name, word);
        const int         width = (int)strcspn(name, "'");

        if (!end) end = name + strlen(name);
        const int registers = number_before(name, end, " registers");
        const int stack     = number_before(name, end, " bytes stack frame");
        const int stores    = number_before(name, end, " bytes spill stores");
        const int shared    = number_before(name, end, " bytes smem");

        cr_expect(stack == 0 && stores == 0, "%s, sm_%d, %.*s: it spills: %.*s",
                  t->name, target[k], width, name, (int)(end - name), name);
        cr_expect(registers > 0
                      && registers * ITEMS * groups_of(t, name, width) <= REGISTERS,
                  "%s, sm_%d, %.*s: %d registers", t->name, target[k], width, name,
                  registers);
        fprintf(out, "%-45s sm_%d %-7.*s %3d registers", t->name, target[k], width,
                name, registers);
        if (shared > 0) fprintf(out, " %5d shared", shared);
        fprintf(out, "\n");
        at = name;
    }
}

/// A compiler for each target.
static bool open_compilers(void)
{
    char why[256] = "";

    for (int k = 0; k < all.targets; k++) {
        const bool opened = cairn_nvrtc_open(TEST_NVRTC, DRIVER, target[k],
                                             &all.nvrtc[k], why, sizeof why);

        if (opened && all.nvrtc[k].major == 13 && all.nvrtc[k].minor == 0) continue;
        cr_expect(!getenv("CI"), "%s: it must be there where CI is set",
                  opened ? TEST_NVRTC : why);
        if (!getenv("CI"))
            fprintf(stderr, "test_cuda_resources: no NVRTC 13.0: %s\n",
                    opened ? TEST_NVRTC : why);
        return false;
    }
    return true;
}

/// For both generations, or the one that is named.
static bool open_nvrtc(void)
{
    const char *const one = getenv("TEST_SM");

    all.targets = one ? 1 : TARGETS;
    if (one) target[0] = atoi(one);
    return open_compilers();
}

/// Compile all texts, and hold what they take to a golden file, or to its lines of one
/// target.
static void compare(const char *golden)
{
    char  *said, word[16];
    size_t length;
    FILE  *out = open_memstream(&said, &length);

    snprintf(word, sizeof word, " sm_%d ", target[0]);
    compile_all();
    for (int n = 0; n < all.texts; n++)
        for (int k = 0; k < all.targets; k++)
            tell(out, &all.text[n], k);
    fclose(out);
    printf("%d texts for %d generations of cards\n", all.texts, all.targets);
    golden_expect_lines(golden, all.targets < TARGETS ? word : NULL, said);
    free(said);
    for (int n = 0; n < all.texts; n++) {
        free(all.text[n].key);
        free(all.text[n].text);
        for (int k = 0; k < all.targets; k++)
            free(all.text[n].log[k]);
    }
    for (int k = 0; k < all.targets; k++)
        cairn_nvrtc_close(&all.nvrtc[k]);
}

Test(cuda_resources, nothing_spills_and_registers_are_known, .timeout = 1800)
{
    if (!open_nvrtc()) return;
    print_all();
    compare("cuda-resources.txt");
}

Test(cuda_resources, of_conversions, .timeout = 600)
{
    cairn_env env;

    if (!open_nvrtc()) return;
    cairn_env_init(&env);
    print_conversions(&env);
    cr_assert_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
    compare("cuda-resources-convert.txt");
}

/// Newer cards: each shape's kernels, of a vector and of several.
Test(cuda_resources, of_newer_cards, .timeout = 600)
{
    static const wanted list[] = {
        {.format = "csr",       .columns = 1 },
        {.format = "sell<32>",  .columns = 1 },
        {.format = "csc",       .columns = 1 },
        {.format = "csr",       .columns = 32},
        {.format = "sell<32>",  .columns = 32},
        {.format = "bcsr<3,3>", .columns = 32}
    };
    cairn_env env;

    all.targets = TARGETS;
    target[0] = 100, target[1] = 120;
    if (!open_compilers()) return;
    cairn_env_init(&env);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int narrow = 0; narrow < 2; narrow++) {
            wanted w = list[k];

            w.narrow_values = narrow;
            w.hints         = true;
            print(&env, &w);
        }
    cr_assert_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
    compare("cuda-resources-newer.txt");
}
