// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Cairn beside other libraries: products and conversions of generated and shared
/// matrices, all contenders in one process (SciPy in one beside it) and in interleaved
/// rounds, each result held against an independent one. A wrong result makes the program
/// fail. Reading files is bench_read's, which is started for it.
///
/// bench_compare [--section LIST] [--matrix LIST] [--peers LIST] [--dtype LIST]
///               [--formats 'F;F'] [--rounds N] [--columns N] [--threads N] [--data DIR]
///               [--quiet SECONDS] [--keep] [--tiny] [--json | --csv]
///               [--values full|small] [--pages huge|small] [--table door [--quick]]
///     --section  Of spmv,spmm,convert,read.
///     --matrix   Names of generated matrices, of files in DIR/matrices, or paths.
///     --peers    Names of peers; "none" for Cairn and the plain loops alone.
///     --formats  Formats of Cairn's for the products, instead of those of formats.c.
///     --columns  Of the dense operand of spmm (32; the shared graphs have 1000, too).
///     --quiet    Repeat turns that other processes disturbed, for at most so long a task.
///     --keep     Formats of Cairn's that are behind after two rounds stay in the race.
///     --values   Of generated matrices: 53 bits each (full), or as the generator has them.
///     --pages    Huge ones for all, or small ones for all.
///     --table    The one table of what is aimed at, from runs of this program (door.c);
///     --quick    few matrices of it, which takes two minutes.
///     --tiny     Small matrices: to see that it works.

#include "compare.h"

#include <omp.h>

#include <malloc.h>
#include <sys/mman.h>
#include <sys/prctl.h>

void compare_stop(const char *what, const char *why)
{
    fprintf(stderr, "bench_compare: %s: %s\n", what, why);
    exit(1);
}

void *compare_take(size_t count, size_t size)
{
    enum { HUGE_PAGE = 2 << 20 };
    const size_t bytes = count * size, page = bytes < HUGE_PAGE ? 64 : HUGE_PAGE;
    void *const  block = aligned_alloc(page, (bytes + page) / page * page);

    if (!block) compare_stop("memory", "not enough");
    if (page == HUGE_PAGE) madvise(block, bytes, MADV_HUGEPAGE);
    return block;
}

static compare_memory_kind memory; ///< What compare_memory() was told last.

const char *compare_memory_name(compare_memory_kind kind)
{
    static const char *const name[MEMORY_KINDS] = {
        [MEMORY_FRESH]   = "fresh memory",
        [MEMORY_SHIPPED] = "memory as shipped",
        [MEMORY_KEPT]    = "kept memory",
    };

    return name[kind];
}

/* What glibc ships adapts itself: a freed block of up to 32 MB, the most that it allows,
   raises the size from which blocks are mapped to its own, and what may lie free at the
   end of the heap to twice that. After one conversion it stands as the table says. Said
   outright, since Open MPI, which comes with PETSc, tells malloc to keep everything. */
void compare_memory(compare_memory_kind kind)
{
    static const struct {
        const char *variable;
        int         parameter, value[MEMORY_KINDS];
    } table[] = {
        {"MALLOC_MMAP_MAX_",       M_MMAP_MAX,       {65536, 65536, 0}            },
        {"MALLOC_MMAP_THRESHOLD_", M_MMAP_THRESHOLD, {1 << 18, 1 << 25, 1 << 25}  },
        {"MALLOC_TRIM_THRESHOLD_", M_TRIM_THRESHOLD, {1 << 18, 1 << 26, INT32_MAX}},
    };

    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        char text[16];

        snprintf(text, sizeof text, "%d", table[k].value[kind]);
        mallopt(table[k].parameter, table[k].value[kind]);
        setenv(table[k].variable, text, 1);
    }
    memory = kind;
}

double compare_begin(void)
{
    if (memory == MEMORY_FRESH) malloc_trim(0);
    return bench_seconds();
}

bool compare_in(const char *list, const char *name)
{
    const size_t length = strlen(name);

    if (!list) return true;
    for (const char *at = list; (at = strcasestr(at, name)); at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

static bool wants(const compare_settings *settings, const char *section)
{
    return compare_in(settings->sections, section);
}

/// Peers that are there: their versions are told, the others named.
static bool there[16];

static void begin_peers(const compare_settings *settings)
{
    const bool say = !settings->json && !settings->csv;
    char       version[64];

    if (say) printf("%d threads; Cairn %s", settings->threads, cairn_version());
    for (int k = 0; compare_peer_at(k); k++) {
        const compare_peer *peer = compare_peer_at(k);

        if (!peer->by_hand && !compare_in(settings->peers, peer->name)) continue;
        there[k] = peer->begin(settings->threads, version, sizeof version);
        if (say) printf(", %s %s", peer->name, there[k] ? version : "(does not run)");
    }
    if (say)
        printf("\nnot found when this was built: %s\nvector instructions of what was: "
               "%s\n",
               *COMPARE_ABSENT ? COMPARE_ABSENT : "none", COMPARE_VECTORS);
}

static void end_peers(void)
{
    for (int k = 0; compare_peer_at(k); k++)
        if (there[k] && compare_peer_at(k)->end) compare_peer_at(k)->end();
}

double compare_csr_bytes(const compare_task *t)
{
    const compare_matrix *m    = t->matrix;
    const double          size = t->dtype == CAIRN_F64 ? 8 : 4;

    return (size + 4) * m->nnz + 4.0 * m->rows
           + size * t->columns * ((double)m->rows + m->cols);
}

/// One way, unless it does not apply.
/// @return 1 if it is added.
static int add_way(const compare_task *task,
                   const compare_peer *peer,
                   const compare_way  *way,
                   compare_memory_kind kind,
                   compare_contender  *c)
{
    const bool product = task->operation == PRODUCT;

    if (!(way->operations & BIT(task->operation)) || !(way->dtypes & BIT(task->dtype)))
        return 0;
    compare_memory(kind);
    *c       = (compare_contender){.peer = peer, .way = way, .memory = kind};
    c->state = way->prepare(way, task);
    if (!c->state) return 0;
    snprintf(c->name, sizeof c->name, "%s%s%s", way->name, product ? "" : ", ",
             product ? "" : compare_memory_name(kind));
    if (product && peer->by_hand) c->bytes = compare_csr_bytes(task);
    return 1;
}

bool compare_wants_memory(const compare_task *task, compare_memory_kind kind)
{
    if (task->operation == PRODUCT) return kind == MEMORY_KEPT;
    return task->shipped == (kind == MEMORY_SHIPPED);
}

/// All ways of a peer.
static int add_peer(const compare_task *task,
                    const compare_peer *peer,
                    compare_contender  *list,
                    int                 room)
{
    int n = 0;

    for (int w = 0; w < peer->count; w++)
        for (int m = 0; m < MEMORY_KINDS && n < room; m++)
            if (compare_wants_memory(task, (compare_memory_kind)m))
                n += add_way(task, peer, &peer->ways[w], (compare_memory_kind)m,
                             &list[n]);
    return n;
}

/// All peers; conversions once for each place that memory comes from.
static int add_peers(const compare_task *task, compare_contender *list, int room)
{
    int n = 0;

    for (int k = 0; compare_peer_at(k); k++)
        if (there[k]) n += add_peer(task, compare_peer_at(k), list + n, room - n);
    return n;
}

/// Prepare all contenders, let them run, print, and clean up.
static bool compare(const compare_settings *settings, const compare_task *task)
{
    static compare_contender list[MOST_CONTENDERS];
    compare_bound            bound;
    int                      count = add_peers(task, list, MOST_CONTENDERS);
    bool                     right;

    if (task->operation == PRODUCT)
        count += compare_ours(task, settings, list + count, MOST_CONTENDERS - count);
    else
        count += compare_ours_convert(task, list + count, MOST_CONTENDERS - count);
    right = compare_rounds(task, settings, list, count, &bound);
    compare_print_task(settings, task, list, count, &bound);
    for (int k = 0; k < count; k++)
        list[k].way->destroy(list[k].state);
    return right;
}

/// The dense operand: ((j + 31*c) % 97 + 1) / 97.
static void *make_x(const compare_matrix *a, int columns, cairn_dtype dtype)
{
    const size_t size = dtype == CAIRN_F64 ? sizeof(double) : sizeof(float);
    void *const  x    = compare_take((size_t)a->cols * (size_t)columns, size);

    for (int64_t j = 0; j < a->cols; j++)
        for (int64_t c = 0; c < columns; c++) {
            const double value = (double)((j + 31 * c) % 97 + 1) / 97;

            if (dtype == CAIRN_F64)
                ((double *)x)[j * columns + c] = value;
            else
                ((float *)x)[j * columns + c] = (float)value;
        }
    return x;
}

/// What the product must be: the entries as they are in the element type, summed in f64.
static double *make_want(const compare_task *t)
{
    const compare_matrix *a = t->matrix;
    const int64_t         k = t->columns;
    double *const want      = compare_take((size_t)a->rows * (size_t)k, sizeof *want);

    memset(want, 0, (size_t)a->rows * (size_t)k * sizeof *want);
    for (int64_t i = 0; i < a->rows; i++)
        for (int32_t p = a->ptr[i]; p < a->ptr[i + 1]; p++)
            for (int64_t c = 0; c < k; c++) {
                const int64_t q = (int64_t)a->idx[p] * k + c;

                want[i * k + c] += t->dtype == CAIRN_F64
                                       ? a->val[p] * ((const double *)t->x)[q]
                                       : (double)a->val32[p] * ((const float *)t->x)[q];
            }
    return want;
}

static bool multiply(const compare_settings *settings,
                     const compare_matrix   *a,
                     cairn_dtype             dtype,
                     int                     columns)
{
    void *const   x = make_x(a, columns, dtype);
    void *const   y = compare_take((size_t)a->rows * (size_t)columns, sizeof(double));
    compare_task  task = {.operation = PRODUCT,
                          .matrix    = a,
                          .dtype     = dtype,
                          .columns   = columns,
                          .threads   = settings->threads,
                          .x         = x,
                          .y         = y};
    double *const want = make_want(&task);
    bool          right;

    task.want = want;
    right     = compare(settings, &task);
    free(x);
    free(y);
    free(want);
    return right;
}

/// Matrices that a conversion makes sense on; NULL: all.
static const char *const suitable[OPERATIONS] = {
    [ROWS_TO_DIA]  = "band15,band15_odd,fem3,fem3_odd",
    [CSR_TO_ELL]   = "band15,band15_odd,fem3,fem3_odd",
    [CSR_TO_BCSR]  = "fem3",
    [CSR_TO_SELL]  = "band15,fem3",
    [CSR_TO_BDIA]  = "s7_100,mixed",
    [ROWS_TO_BELL] = "fem3",
    [ROWS_TO_C2SR] = "band15,fem3",
    [ROWS_TO_CISR] = "band15,fem3",
    [DCSC_TO_BCSR] = "fem3",
    [CSB_TO_DIA]   = "band15",
    [CSR_TO_COO]   = "s7_100,fem3,rmat18",
};

/// What conversions are asked for by.
static const char *const conversions[OPERATIONS] = {
    [CSR_TO_CSC] = "csr-csc",     [ROWS_TO_CSR] = "rows-csr",
    [COO_TO_CSR] = "coo-csr",     [ROWS_TO_DIA] = "rows-dia",
    [CSR_TO_ELL] = "csr-ell",     [CSR_TO_BCSR] = "csr-bcsr",
    [CSR_TO_SELL] = "csr-sell",   [CSR_TO_BDIA] = "csr-bdia",
    [ROWS_TO_BELL] = "rows-bell", [ROWS_TO_C2SR] = "rows-c2sr",
    [ROWS_TO_CISR] = "rows-cisr", [DCSC_TO_BCSR] = "dcsc-bcsr",
    [CSB_TO_DIA] = "csb-dia",     [CSR_TO_COO] = "csr-coo",
};

static bool convert(const compare_settings *settings, const compare_matrix *a)
{
    bool right = true;

    for (int k = PRODUCT + 1; k < OPERATIONS; k++) {
        const compare_task task = {.operation = (compare_operation)k,
                                   .matrix    = a,
                                   .dtype     = CAIRN_F64,
                                   .columns   = 1,
                                   .threads   = settings->threads,
                                   .shipped   = settings->shipped};

        if (compare_in(settings->conversions, conversions[k])
            && compare_in(suitable[k], a->name))
            right = compare(settings, &task) && right;
    }
    return right;
}

/// Everything that is asked about one matrix.
static bool
visit(const compare_settings *settings, const char *name, compare_group group)
{
    const bool     graph = group == GRAPHS;
    compare_matrix a;
    bool           right = true;

    if (!compare_matrix_make(&a, name, settings)) return false;
    for (int k = 0; k < 2; k++) {
        const cairn_dtype dtype = k ? CAIRN_F32 : CAIRN_F64;

        if (!compare_in(settings->dtypes, k ? "f32" : "f64")) continue;
        if (wants(settings, "spmv") && !graph)
            right = multiply(settings, &a, dtype, 1) && right;
        if (wants(settings, "spmm") && (!k || settings->dtypes))
            right = multiply(settings, &a, dtype,
                             graph && !settings->tiny ? 1000 : settings->columns)
                    && right;
    }
    if (wants(settings, "convert")) right = convert(settings, &a) && right;
    compare_matrix_fini(&a);
    return right;
}

/// Is there a matrix of such a name, but for those of files?
static bool is_known(const char *name)
{
    for (int g = 0; g < GROUPS; g++)
        for (int k = 0; g != REAL && compare_matrix_name(k, (compare_group)g); k++)
            if (strcmp(compare_matrix_name(k, (compare_group)g), name) == 0)
                return true;
    return false;
}

/// Names that were asked for and are none of the known: files.
static bool visit_files(const compare_settings *settings)
{
    char *list = settings->matrices ? strdup(settings->matrices) : NULL, *next = list;
    char *name;
    bool  right = true;

    while (next && (name = strsep(&next, ",")))
        if (*name && !is_known(name)) right = visit(settings, name, REAL) && right;
    free(list);
    return right;
}

/// The generated ones, and the graphs; what fits no cache only where it is named.
static bool visit_all(const compare_settings *settings)
{
    bool right = true;

    for (int g = 0; g < GROUPS; g++) {
        if (g == REAL || (g == GRAPHS && (!*settings->data || settings->tiny)))
            continue;
        if (g == FAR && !settings->matrices) continue;
        for (int k = 0; compare_matrix_name(k, (compare_group)g); k++) {
            const char *name = compare_matrix_name(k, (compare_group)g);

            if (compare_in(settings->matrices, name))
                right = visit(settings, name, (compare_group)g) && right;
        }
    }
    return visit_files(settings) && right;
}

static bool read_files(const compare_settings *settings)
{
    char command[512];

    snprintf(command, sizeof command, BENCH_FOLDER "/bench_read --rounds %d%s%s",
             settings->rounds, settings->tiny ? " --n 300" : "",
             settings->json ? " --json" : "");
    fflush(stdout);
    return system(command) == 0;
}

static void understand(compare_settings *s, int argc, char **argv)
{
    const struct {
        const char  *name;
        const char **text;
        int         *number;
        bool        *flag;
    } options[] = {
        {"--section", &s->sections,    NULL,        NULL       },
        {"--convert", &s->conversions, NULL,        NULL       },
        {"--matrix",  &s->matrices,    NULL,        NULL       },
        {"--peers",   &s->peers,       NULL,        NULL       },
        {"--dtype",   &s->dtypes,      NULL,        NULL       },
        {"--formats", &s->formats,     NULL,        NULL       },
        {"--data",    &s->data,        NULL,        NULL       },
        {"--values",  &s->values,      NULL,        NULL       },
        {"--pages",   &s->pages,       NULL,        NULL       },
        {"--table",   &s->table,       NULL,        NULL       },
        {"--rounds",  NULL,            &s->rounds,  NULL       },
        {"--quiet",   NULL,            &s->quiet,   NULL       },
        {"--columns", NULL,            &s->columns, NULL       },
        {"--threads", NULL,            &s->threads, NULL       },
        {"--keep",    NULL,            NULL,        &s->keep   },
        {"--shipped", NULL,            NULL,        &s->shipped},
        {"--tiny",    NULL,            NULL,        &s->tiny   },
        {"--quick",   NULL,            NULL,        &s->quick  },
        {"--json",    NULL,            NULL,        &s->json   },
        {"--csv",     NULL,            NULL,        &s->csv    },
    };
    const size_t count = sizeof options / sizeof *options;

    for (int k = 1; k < argc; k++) {
        size_t o = 0;

        while (o < count && strcmp(options[o].name, argv[k]) != 0)
            o++;
        if (o == count || (!options[o].flag && k + 1 == argc))
            compare_stop("cannot be understood", argv[k]);
        if (options[o].flag)
            *options[o].flag = true;
        else if (options[o].text)
            *options[o].text = argv[++k];
        else
            *options[o].number = atoi(argv[++k]);
    }
    if (!s->rounds) s->rounds = !s->table ? 11 : s->quick ? 3 : 5;
    if (s->rounds < 1 || s->rounds > MOST_ROUNDS) compare_stop("--rounds", "1..101");
    if (s->threads < 1) compare_stop("--threads", "1 or more");
    if (s->columns < 2) compare_stop("--columns", "2 or more");
    if (strcmp(s->values, "full") != 0 && strcmp(s->values, "small") != 0)
        compare_stop("--values", "full or small");
    if (strcmp(s->pages, "huge") != 0 && strcmp(s->pages, "small") != 0)
        compare_stop("--pages", "huge or small");
    if (s->table && strcmp(s->table, "door") != 0) compare_stop("--table", "door");
}

/// Libraries read the number of threads, and glibc what pages it shall ask for, when they
/// are loaded: start again with it.
static void start_again(const compare_settings *settings, char **argv)
{
    char text[16];

    omp_set_num_threads(settings->threads);
    if (getenv("BENCH_COMPARE_STARTED")) {
        unsetenv("BENCH_COMPARE_STARTED");
        return;
    }
    snprintf(text, sizeof text, "%d", settings->threads);
    setenv("OPENBLAS_NUM_THREADS", text, 1);
    setenv("OMP_NUM_THREADS", text, 1);
    setenv("BENCH_COMPARE_STARTED", "1", 1);
    if (settings->pages[0] == 'h')
        setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 1);
    else {
        unsetenv("GLIBC_TUNABLES");
        prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    }
    execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
    compare_settings settings = {.threads = 1,
                                 .columns = 32,
                                 .data    = CAIRN_TEST_DATA,
                                 .values  = "full",
                                 .pages   = "huge"};
    bool             right    = true;

    understand(&settings, argc, argv);
    if (settings.table) return compare_door(&settings) ? 0 : 1;
    if (settings.shipped) compare_memory(MEMORY_SHIPPED);
    start_again(&settings, argv);
    /* Readers first: MPI, which a peer starts, would tell its children to join. */
    if (wants(&settings, "read") && !settings.json && !settings.csv)
        right = read_files(&settings);
    compare_print_begin(&settings);
    begin_peers(&settings);
    if (wants(&settings, "spmv") || wants(&settings, "spmm")
        || wants(&settings, "convert"))
        right = visit_all(&settings) && right;
    compare_print_end(&settings);
    end_peers();
    compare_bound_fini();
    if (!right) fprintf(stderr, "bench_compare: something was wrong, see above\n");
    return right ? 0 : 1;
}
