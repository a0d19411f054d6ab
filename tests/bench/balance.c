// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How evenly rows go to banks: most entries of a core over their mean, counted, and the
/// time of the slowest core that follows, simulated, for rows dealt in turn (C2SR), to
/// the emptiest bank (CISR), and so the longest first (CISR-plus).
///
/// bench_balance [--model NAME] [--dtype f32|f64] [--tiny] [FILE...]
///
/// Source of the question: Liu et al., UniSparse, OOPSLA 2024, Figure 14.

#include "api/api.h"
#include "bench.h"
#include "devices/kinds.h"
#include "devices/pim/product.h"

#include <math.h>

enum { FORMATS = 3, SIZES = 2, MOST_FILES = 64 };

static const char *const names[FORMATS] = {"c2sr", "cisr", "cisr-plus"};
static const int64_t     sizes[SIZES]   = {1024, 2048};

/// Shared matrices with rows enough, the larger ones first.
static const char *const usual[] = {
    "cnr-2000",         "fb-Cornell5",       "gowalla-adj",
    "bundle1",          "p2p-Gnutella31",    "email-Enron",
    "wiki-Vote",        "facebook_combined", "as-caida",
    "amazon-book-test", "delaunay_n15",      "rgg_n_2_15_s0",
    "memplus",          "bcsstk16",          "nasa4704",
    "luxembourg_osm",   "cavity14",          "Groebner_id2003_aug",
};

/// A matrix, as far as no format can change it.
typedef struct {
    char    name[64];
    int64_t rows, entries, longest; ///< Entries of the fullest row.
} matrix;

/// What a format makes of a matrix on so many cores.
typedef struct {
    double balance; ///< Most entries of a core over the mean.
    double compute; ///< Seconds of the slowest core.
    double run;     ///< Seconds of a product: transfers and launch, too.
} outcome;

/// Sums of logarithms of ratios, for geometric means: [0] over all matrices, [1] over
/// those without a row that is more than a core's share.
typedef struct {
    double balance[2][3], compute[2][3];
    int    n[2];
} means;

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "bench_balance: %s: %s\n", what, why);
    exit(1);
}

/// A described device: the model with so many cores.
static void configure(cairn_context        *context,
                      const char           *model,
                      int64_t               cores,
                      cairn_pim_parameters *p)
{
    const cairn_device_model *found;
    cairn_device_config       config;

    if (cairn_config_model(&context->env, "--model", cairn_device_kind("pim"), model,
                           &found))
        stop(model, cairn_context_message(context));
    cairn_config_init(found, &config);
    if (cairn_config_set(&context->env, "bench_balance", "cores", (double)cores,
                         &config))
        stop("cores", cairn_context_message(context));
    *p = cairn_pim_parameters_of(&config);
}

static outcome measure(cairn_context        *context,
                       cairn_source         *source,
                       const char           *name,
                       cairn_dtype           dtype,
                       cairn_pim_parameters *p)
{
    static const cairn_product_options op     = CAIRN_PRODUCT_OPTIONS;
    cairn_format                      *format = NULL;
    cairn_tensor                      *tensor = NULL;
    cairn_pim_cost                     cost;
    char                               text[40];

    snprintf(text, sizeof text, "%s<%lld>", name, (long long)p->cores);
    if (cairn_format_create(context, text, &format)
        || cairn_tensor_create(source, format, dtype, &tensor))
        stop(text, cairn_context_message(context));
    const cairn_device      device = {.env = &context->env, .state = p};
    const cairn_device_work work = {.tensor = tensor->local, .op = &op, .alone = true};

    if (cairn_pim_cost_of(&device, &work, &cost))
        stop(text, cairn_context_message(context));
    const outcome found = {.balance = (double)cost.most * (double)p->cores
                                      / (double)cost.entries,
                           .compute = cost.compute,
                           .run     = cost.in + cost.launch + cost.compute + cost.out};

    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    return found;
}

/// Pairs in the order in which the paper has them: of, over.
static const int pair[3][2] = {
    {1, 0},
    {2, 1},
    {2, 0}
};

/// The least that any way to hand out whole rows can reach.
static double bound(const matrix *a, int64_t cores)
{
    const double share = (double)a->entries / (double)cores;

    return (double)a->longest > share ? (double)a->longest / share : 1;
}

static void add_to_means(means *m, int which, const outcome *o)
{
    for (int k = 0; k < 3; k++) {
        const outcome *of = &o[pair[k][0]], *over = &o[pair[k][1]];

        m->balance[which][k] += log(over->balance / of->balance);
        m->compute[which][k] += log(over->compute / of->compute);
    }
    m->n[which]++;
}

static void print_row(const matrix *a, int64_t cores, const outcome *o, means *m)
{
    printf("%-20s %7lld %8lld %5lld %7.2f %7.2f %7.2f %7.2f ", a->name,
           (long long)a->rows, (long long)a->entries, (long long)cores, o[0].balance,
           o[1].balance, o[2].balance, bound(a, cores));
    for (int k = 0; k < 3; k++)
        printf(" %6.2f", o[pair[k][1]].compute / o[pair[k][0]].compute);
    printf("  %8.1f %8.1f\n", 1e6 * o[2].compute, 1e6 * o[2].run);
    add_to_means(m, 0, o);
    if (bound(a, cores) == 1) add_to_means(m, 1, o);
}

static int64_t longest_row(const cairn_source *source)
{
    const cairn_entries *e       = &source->entries;
    int64_t              longest = 0, length = 0;

    for (cairn_pos n = 0; n < e->n; n++) {
        length = n > 0 && e->coord[0][n] == e->coord[0][n - 1] ? length + 1 : 1;
        if (length > longest) longest = length;
    }
    return longest;
}

static void measure_source(cairn_context *context,
                           cairn_source  *source,
                           const char    *name,
                           const char    *model,
                           cairn_dtype    dtype,
                           means         *mean)
{
    matrix a = {.rows    = source->shape.extent[0],
                .entries = source->entries.n,
                .longest = longest_row(source)};

    snprintf(a.name, sizeof a.name, "%s", name);
    for (int s = 0; s < SIZES; s++) {
        cairn_pim_parameters p;
        outcome              o[FORMATS];

        configure(context, model, sizes[s], &p);
        for (int f = 0; f < FORMATS; f++)
            o[f] = measure(context, source, names[f], dtype, &p);
        print_row(&a, sizes[s], o, &mean[s]);
    }
}

static void measure_file(cairn_context *context,
                         const char    *path,
                         const char    *model,
                         cairn_dtype    dtype,
                         means         *mean)
{
    const char   *slash  = strrchr(path, '/');
    cairn_source *source = NULL;
    char          name[64];

    if (cairn_source_read(context, path, CAIRN_BY_ROWS, &source))
        stop(path, cairn_context_message(context));
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : path);
    name[strcspn(name, ".")] = '\0';
    measure_source(context, source, name, model, dtype, mean);
    cairn_source_destroy(&source);
}

static void
measure_tiny(cairn_context *context, const char *model, cairn_dtype dtype, means *mean)
{
    const cairn_problem problem = {
        .size = sizeof(cairn_problem), .scale = 12, .edges = 30000, .seed = 1};
    cairn_source *source = NULL;

    if (cairn_source_generate(context, "rmat", &problem, &source))
        stop("rmat", cairn_context_message(context));
    measure_source(context, source, "rmat12", model, dtype, mean);
    cairn_source_destroy(&source);
}

static void
measure_usual(cairn_context *context, const char *model, cairn_dtype dtype, means *mean)
{
    char path[512];

    if (!CAIRN_TEST_DATA[0]) stop("CAIRN_TEST_DATA", "is not set: name files");
    for (size_t k = 0; k < sizeof usual / sizeof *usual; k++) {
        snprintf(path, sizeof path, "%s/matrices/%s.mtx.gz", CAIRN_TEST_DATA, usual[k]);
        measure_file(context, path, model, dtype, mean);
    }
}

static void print_means(const means *mean, int which, const char *title)
{
    static const char *const what[3]  = {"CISR over C2SR", "CISR-plus over CISR",
                                         "CISR-plus over C2SR"};
    static const double      paper[3] = {1.35, 1.14, 1.54};

    printf("\n%s: %d and %d\n%-20s  %13s  %21s  %5s\n%-20s  %6s %6s  %10s %10s\n",
           title, mean[0].n[which], mean[1].n[which], "geometric means", "most entries",
           "slowest core", "paper", "cores", "1024", "2048", "1024", "2048");
    for (int k = 0; k < 3; k++) {
        printf("%-20s ", what[k]);
        for (int s = 0; s < SIZES; s++)
            printf(" %6.2f", exp(mean[s].balance[which][k] / mean[s].n[which]));
        for (int s = 0; s < SIZES; s++)
            printf(" %10.2f", exp(mean[s].compute[which][k] / mean[s].n[which]));
        printf("  %5.2f\n", paper[k]);
    }
}

static void print_head(const char *model, cairn_dtype dtype)
{
    printf(
        "model %s, %s. max/avg: entries of the fullest core over the mean, counted; "
        "bound: of any\nway to hand out rows. Faster: the slowest core, simulated; us: "
        "cisr-plus, the slowest core\nand the whole product, simulated\n\n",
        model, dtype == CAIRN_F64 ? "f64" : "f32");
    printf("%-20s %7s %8s %5s %7s %7s %7s %7s  %6s %6s %6s  %8s %8s\n", "", "rows",
           "entries", "cores", "c2sr", "cisr", "cisr+", "bound", "i/c", "+/i", "+/c",
           "core us", "run us");
}

int main(int argc, char **argv)
{
    const char    *file[MOST_FILES], *model = "upmem";
    cairn_context *context     = NULL;
    cairn_dtype    dtype       = CAIRN_F32;
    means          mean[SIZES] = {0};
    int            files = 0, tiny = 0;

    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "--model") == 0 && k + 1 < argc)
            model = argv[++k];
        else if (strcmp(argv[k], "--dtype") == 0 && k + 1 < argc)
            dtype = strcmp(argv[++k], "f64") == 0 ? CAIRN_F64 : CAIRN_F32;
        else if (strcmp(argv[k], "--tiny") == 0)
            tiny = 1;
        else if (argv[k][0] != '-' && files < MOST_FILES)
            file[files++] = argv[k];
        else
            stop(argv[k], "is no option");
    if (cairn_context_create(&context)) stop("context", cairn_context_message(context));
    print_head(model, dtype);
    if (tiny)
        measure_tiny(context, model, dtype, mean);
    else if (!files)
        measure_usual(context, model, dtype, mean);
    for (int k = 0; k < files; k++)
        measure_file(context, file[k], model, dtype, mean);
    print_means(mean, 0, "all matrices");
    if (mean[0].n[1] > 0 && mean[1].n[1] > 0)
        print_means(mean, 1, "those without a row above a core's share");
    cairn_context_destroy(&context);
    return 0;
}
