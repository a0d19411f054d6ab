// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Kernels as CUDA text: the very text that a card would be given, compiled as C and run
/// here by one item and by 128 that take turns, in blocks in any order and of any number,
/// has the bits of the processor's kernels; formats of the catalogue and random ones. What
/// a text without one of its barriers does is seen.
///
/// The seed is printed; CUDA_TEXT_SEED=N runs case N alone.

#include "ir/passes.h"
#include "support/cuda_batch.h"
#include "support/every_format.h"
#include "support/grid_case.h"
#include "support/seed.h"

enum { USUAL_CASES = 40, BATCH = 40, MOST_VALUES = 50000, MOST_LONG = 200000 };

/* ---- products ---- */

/// Texts of a case: [0] as is, [1] adds; -1: there is no grid.
typedef struct {
    product_case here;
    int          text[PRODUCT_VARIANTS][CAIRN_MAX_MEMBERS][2];
} text_case;

static grid_count count;

/// What member @p m, or another part of it, is asked for.
static cairn_product asked(const text_case *c, int v, bool adds)
{
    cairn_product product = c->here.product[v];

    product.adds |= adds;
    return product;
}

/// Print a variant's grid for one member; the same key is the same text.
static int print_grid(text_case *c, cuda_batch *batch, int v, int member, bool adds)
{
    product_case       *here    = &c->here;
    const cairn_layout *layout  = here->local->group[member].layout;
    const cairn_product product = asked(c, v, adds);
    const cairn_grid    grid    = cairn_grid_of(layout, &product);
    cairn_grid_kernel   lowered;
    cairn_cuda_kernel   kernel;
    char               *key;

    grid_count_note(&count, &product, &grid);
    if (grid.shape == CAIRN_GRID_NONE) return -1;
    cr_assert_eq(cairn_grid_key(&here->env, layout, &product, &key), CAIRN_OK);
    int number = cuda_batch_find(batch, key);

    if (number < 0) {
        cr_assert_eq(cairn_grid_lower(&here->env, layout, &product, "grid", &lowered),
                     CAIRN_OK, "seed %llu: %s\n%s", (unsigned long long)here->seed,
                     here->env.message, here->text);
        cr_assert_eq(cairn_cuda_print(
                         &here->env, (const cairn_ir_function *const *)lowered.function,
                         CAIRN_GRID_FUNCTIONS, &kernel),
                     CAIRN_OK, "%s", here->env.message);
        number = cuda_batch_add(batch, key, &kernel, kernel.text);
        cairn_cuda_fini(&here->env, &kernel);
        cairn_grid_kernel_fini(&here->env, &lowered);
    }
    cairn_free(&here->env, key);
    return number;
}

/// All kernels of a case, the processor's and the grids'.
static void lower_case(text_case *c, kernel_batch *processor, cuda_batch *batch)
{
    product_case *here = &c->here;

    for (int v = 0; v < PRODUCT_VARIANTS; v++) {
        grid_case_draw(here, &here->product[v]);
        product_case_kernels(here, processor, v);
        for (int64_t k = 0; k < here->local->parts; k++) {
            const int m = here->local->part[k].where.member;

            c->text[v][m][k > 0] = print_grid(c, batch, v, m, k > 0);
        }
    }
}

/// One product of a part by a grid.
typedef struct {
    const cuda_batch *batch;
    int               number; ///< Of its text.
    cairn_grid        grid;
    cairn_grid_tiles  tiles;
    cairn_part        part; ///< Its arrays end where memory ends.
    bool              adds;
    cairn_grid_args   args;
    uint64_t          seed;
} grid_run;

/// One of its functions, on at most @p blocks blocks of @p items.
static void
run_role(const grid_run *r, cairn_grid_role role, unsigned blocks, int items)
{
    const cairn_cuda_function *function = &r->batch->kernel[r->number].function[role];
    const int64_t              turns    = r->tiles.turns[role];
    const int64_t   most = cairn_grid_groups(&r->grid, role, turns, r->args.columns);
    cairn_grid_args args = r->args;
    cairn_part_arguments from;
    char                 bytes[CUDA_BATCH_STRUCT];

    if (!function->name[0] || turns == 0) return;
    cairn_grid_tiles_use(&r->tiles, role, &args);
    cairn_part_arguments_init(&from, &r->part, CAIRN_ABI_GRID, &args);
    cuda_batch_fill(function, &from, bytes);
    const char *const broken = cuda_batch_function(r->batch, r->number, role)(
        bytes, most < blocks ? (unsigned)most : blocks, 1, items, r->seed);

    cr_assert(broken == NULL, "seed %llu: %s/k%d.cu: %s", (unsigned long long)r->seed,
              r->batch->folder, r->number, broken);
}

/// The product by its grid, every way, from the same Y, which is to become @p result.
static void run_grid(const grid_run         *r,
                     const text_case        *c,
                     const product_operands *o,
                     const void             *before,
                     const void             *result)
{
    static const struct {
        unsigned blocks;
        int      items;
    } ways[] = {
        {1,    1  },
        {1000, 1  },
        {1000, 128},
        {3,    128},
        {2,    32 },
        {1,    7  }
    };
    const size_t bytes = product_operands_bytes(o);

    for (size_t n = 0; n < sizeof ways / sizeof *ways; n++) {
        memcpy(o->y, before, bytes);
        crash_note("seed %llu, text %s/k%d.cu, %d items", (unsigned long long)r->seed,
                   r->batch->folder, r->number, ways[n].items);
        for (int role = 0; role < CAIRN_GRID_FUNCTIONS; role++)
            run_role(r, role, ways[n].blocks, ways[n].items);
        cr_assert(memcmp(o->y, result, bytes) == 0,
                  "seed %llu: %u blocks of %d items: other bits\n%s\n%s/k%d.cu",
                  (unsigned long long)r->seed, ways[n].blocks, ways[n].items,
                  c->here.text, r->batch->folder, r->number);
    }
}

/// Division of a part for a grid, and arrays of the right size.
static void run_divided(text_case              *c,
                        grid_run               *r,
                        int                     v,
                        const product_operands *o,
                        void *const             y[2])
{
    product_case            *here    = &c->here;
    const cairn_product      product = asked(c, v, r->adds);
    const cairn_product_args args    = product_case_args(here, v, o);
    guarded                  memory  = {.blocks = 0};
    cairn_grid_array_of      array[CAIRN_GRID_ARRAYS];
    const cairn_layout      *layout = here->local->group[r->part.where.member].layout;

    r->args                      = grid_args(&args);
    r->grid                      = cairn_grid_of(layout, &product);
    r->part.view                 = guarded_part(&memory, &r->part);
    cairn_grid_passes     passes = {.code = {NULL}};
    const cairn_grid_work work   = {.layout  = layout,
                                    .product = &product,
                                    .part    = &r->part.view,
                                    .args    = r->args,
                                    .passes  = &passes};

    cr_assert_eq(cairn_grid_tiles_make(&here->env, &work, &r->tiles), CAIRN_OK, "%s",
                 here->env.message);
    cairn_grid_passes_fini(&here->env, &passes);
    count.pieces += (int)r->tiles.turns[CAIRN_GRID_LONG];
    const int arrays = cairn_grid_tiles_arrays(&r->tiles, array);

    for (int k = 0; k < arrays; k++)
        if (array[k].field == CAIRN_GRID_partial)
            r->args.partial = guarded_alloc(&memory, (size_t)array[k].bytes);
    run_grid(r, c, o, y[0], y[1]);
    cairn_grid_tiles_fini(&here->env, &r->tiles);
    guarded_free(&memory);
}

/// One part's product both ways, from the same Y, which it leaves with the product.
static void compare(text_case          *c,
                    const kernel_batch *processor,
                    const cuda_batch   *batch,
                    int                 v,
                    int64_t             k,
                    product_operands   *o)
{
    product_case *here   = &c->here;
    const int     member = here->local->part[k].where.member;
    const size_t  bytes  = product_operands_bytes(o);
    void *const   y[2]   = {malloc(bytes + 1), malloc(bytes + 1)};
    grid_run      r      = {.batch  = batch,
                            .number = c->text[v][member][k > 0],
                            .part   = here->local->part[k],
                            .adds   = k > 0,
                            .seed   = here->seed};

    memcpy(y[0], o->y, bytes);
    product_case_run_part(here, processor, v, k, o, 1);
    memcpy(y[1], o->y, bytes);
    if (r.number >= 0) run_divided(c, &r, v, o, y);
    memcpy(o->y, y[1], bytes);
    free(y[0]);
    free(y[1]);
}

static void
run_case(text_case *c, const kernel_batch *processor, const cuda_batch *batch, int v)
{
    product_case    *here = &c->here;
    product_operands o;

    product_operands_make(here, &here->product[v], &o);
    product_operands_expect(here, &here->product[v], &o);
    for (int64_t k = 0; k < here->local->parts; k++) {
        const int64_t values = here->local->part[k].view.values;

        /* What has no values is not launched. */
        if (values > 0
            && values * o.columns < (here->wish.lengths ? MOST_LONG : MOST_VALUES))
            compare(c, processor, batch, v, k, &o);
    }
    guarded_free(&o.memory);
    free(o.expected);
}

static void run_cases(text_case *cases, int n)
{
    static kernel_batch processor;
    static cuda_batch   batch;

    batch_open(&processor);
    cuda_batch_open(&batch);
    for (int k = 0; k < n; k++)
        lower_case(&cases[k], &processor, &batch);
    batch_build(&processor, "-O0");
    cuda_batch_build(&batch);
    for (int k = 0; k < n; k++)
        for (int v = 0; v < PRODUCT_VARIANTS; v++)
            run_case(&cases[k], &processor, &batch, v);
    printf("%d tensors, %d texts\n", n, batch.texts);
    grid_count_tell(&count);
    batch_close(&processor);
    cuda_batch_close(&batch);
    for (int k = 0; k < n; k++)
        product_case_close(&cases[k].here);
}

static text_case cases[2 * FORMATS];

Test(cuda_text, formats_of_the_catalogue, .timeout = 900)
{
    int n = 0;

    for (int k = 0; k < FORMATS; k++)
        for (int turn = 0; turn < 2; turn++) {
            product_case *c = &cases[n].here;

            *c              = (product_case){.seed  = (uint64_t)k,
                                             .state = (uint64_t)(k + 100 * turn)};
            c->wish.real    = turn == 0;
            c->wish.narrow  = turn == 1;
            c->wish.fixed   = true;
            c->wish.percent = 20 * turn;

            c->shape.extent[0] = 140 + 133 * turn;
            c->shape.extent[1] = 150;
            by_name(formats[k], c->text, sizeof c->text);
            n += product_case_open(c);
        }
    run_cases(cases, n);
    cr_expect_gt(count.shape[CAIRN_GRID_LANES], count.products / 8);
    cr_expect_gt(count.shape[CAIRN_GRID_LISTS], count.products / 8);
}

Test(cuda_text, rows_longer_than_tiles, .timeout = 900)
{
    int n = 0;

    for (int k = 0; k < FORMATS; k++) {
        product_case *c = &cases[n].here;

        *c = (product_case){
            .seed = (uint64_t)k, .state = (uint64_t)k, .wish.lengths = grid_lengths};
        c->wish.real       = true;
        c->wish.fixed      = true;
        c->shape.extent[0] = GRID_ROWS;
        c->shape.extent[1] = GRID_COLUMN;
        by_name(formats[k], c->text, sizeof c->text);
        n += product_case_open(c);
    }
    run_cases(cases, n);
    cr_expect_gt(count.pieces, 100);
}

/// Rows that are met again and again, some of them without a block: values are taken a
/// block at a time, those of such a row, too.
Test(cuda_text, rows_without_blocks, .timeout = 300)
{
    int n = 0;

    for (int k = 0; k < 8; k++) {
        product_case *c = &cases[n].here;

        *c                 = (product_case){.seed         = (uint64_t)k,
                                            .state        = (uint64_t)k,
                                            .wish.fixed   = true,
                                            .wish.percent = 5};
        c->wish.real       = true;
        c->shape.extent[0] = 11;
        c->shape.extent[1] = 40 + 7 * k;
        snprintf(c->text, sizeof c->text,
                 "#encoding<{ idx_map<(d0,d1)->(d1/14,d0,d1/7%%2,d1%%7)>, "
                 "mutation<merge(1,3), trim(2,2)> }>");
        n += product_case_open(c);
    }
    cr_assert_eq(n, 8);
    run_cases(cases, n);
}

Test(cuda_text, random_formats, .timeout = 3600)
{
    const char *given = getenv("CUDA_TEXT_SEED");
    uint64_t    seed  = given ? strtoull(given, NULL, 10) : seed_clock() * 1000003;
    const int   all   = given ? 1 : seed_cases(USUAL_CASES);

    printf("first seed %llu\n", (unsigned long long)seed);
    for (int ran = 0; ran < all;) {
        const int want = all - ran < BATCH ? all - ran : BATCH;
        int       n    = 0;

        for (int k = 0; n < want && k < 8 * want; k++, seed++) {
            product_case *c = &cases[n].here;

            *c             = (product_case){.seed = seed, .state = seed};
            c->wish.real   = seed % 2;
            c->wish.narrow = seed % 3 == 0;
            random_format(&c->state, 2, c->text, RANDOM_FORMAT);
            n += product_case_open(c);
        }
        cr_assert(n == want || given, "only %d cases", n);
        run_cases(cases, n);
        ran += want;
    }
    cr_expect(given || grid_count_suffices(&count));
}

/* ---- barriers ---- */

enum { GROUPS = 24, LANES = 128 };

/// Each group turns round what it has of x: through an array that its items share.
static cairn_ir_function *turn_round(cairn_env *env)
{
    const cairn_ir_field from = {.source = CAIRN_IR_ARG, .level = CAIRN_PRODUCT_x};
    const cairn_ir_field to   = {.source = CAIRN_IR_ARG, .level = CAIRN_PRODUCT_y};
    cairn_ir_function   *f    = NULL;
    cairn_ir ir, *const b = &ir;

    cairn_ir_begin(b, env, "turn_round", CAIRN_ABI_PRODUCT);
    cairn_ir_array *const x = cairn_ir_array_of(b, from, CAIRN_IR_F64, "x");
    cairn_ir_array *const y = cairn_ir_array_of(b, to, CAIRN_IR_F64, "y");
    cairn_ir_stmt *const  groups =
        cairn_ir_for(b, cairn_ir_int(b, 0), cairn_ir_int(b, GROUPS), 1, NULL, "g");
    const cairn_ir_x first = cairn_ir_mul_int(b, cairn_ir_loop_var(b, groups), LANES);
    cairn_ir_array *const own = cairn_ir_shared(b, CAIRN_IR_F64, LANES, "own");
    cairn_ir_stmt        *items =
        cairn_ir_for(b, cairn_ir_int(b, 0), cairn_ir_int(b, LANES), 1, NULL, "t");
    cairn_ir_x t = cairn_ir_loop_var(b, items);

    groups->turns = CAIRN_TURNS_GROUPS;
    items->turns  = CAIRN_TURNS_ITEMS;
    cairn_ir_store(b, own, t, cairn_ir_load(b, x, cairn_ir_add(b, first, t)));
    cairn_ir_end(b);
    cairn_ir_barrier(b);
    items = cairn_ir_for(b, cairn_ir_int(b, 0), cairn_ir_int(b, LANES), 1, NULL, "t");
    t     = cairn_ir_loop_var(b, items);
    items->turns = CAIRN_TURNS_ITEMS;
    cairn_ir_store(
        b, y, cairn_ir_add(b, first, t),
        cairn_ir_load(b, own, cairn_ir_sub(b, cairn_ir_int(b, LANES - 1), t)));
    cairn_ir_end(b);
    cairn_ir_end(b);
    cr_assert_eq(cairn_ir_finish(b, &f), CAIRN_OK, "%s", env->message);
    cr_assert_eq(cairn_ir_check(env, f), CAIRN_OK, "%s", env->message);
    return f;
}

/// Does it turn round, on few blocks of @p items, whatever the order?
static bool turns_round(const cuda_batch *batch, int number, int items)
{
    static double x[GROUPS * LANES], y[GROUPS * LANES];
    const struct {
        const double *x;
        double       *y;
    } args                    = {x, y};
    const cuda_batch_fn run   = cuda_batch_function(batch, number, 0);
    bool                right = true;

    for (int k = 0; k < GROUPS * LANES; k++)
        x[k] = 1 + k;
    for (unsigned long seed = 0; seed < 6; seed++) {
        memset(y, 0, sizeof y);
        right = right && run(&args, 1 + (unsigned)seed, 1, items, seed) == NULL;
        for (int k = 0; k < GROUPS * LANES; k++)
            right = right && y[k] == x[k / LANES * LANES + LANES - 1 - k % LANES];
    }
    return right;
}

/// A copy of @p text without its @p n'th line that has @p words; NULL: there are not so
/// many.
static char *without_line(const char *text, const char *words, int n)
{
    const char *at = strstr(text, words);

    for (; at && n > 0; n--)
        at = strstr(at + 1, words);
    if (!at) return NULL;

    char        *copy  = strdup(text);
    const size_t begin = (size_t)(at - text);

    memset(copy + begin, ' ', strcspn(at, "\n"));
    return copy;
}

Test(cuda_text, a_barrier_that_is_missing_shows)
{
    static cuda_batch batch;
    cairn_env         env;
    cairn_cuda_kernel kernel;
    char             *less;
    int               barriers = 0;

    cairn_env_init(&env);
    cairn_ir_function *f = turn_round(&env);

    cr_assert_eq(
        cairn_cuda_print(&env, (const cairn_ir_function *const *)&f, 1, &kernel),
        CAIRN_OK);
    cuda_batch_open(&batch);
    cuda_batch_add(&batch, "", &kernel, kernel.text);
    while ((less = without_line(kernel.text, "__syncthreads", barriers))) {
        cuda_batch_add(&batch, "", &kernel, less);
        free(less);
        barriers++;
    }
    cr_expect_eq(barriers, 2, "between, and where the next group's turn begins");
    cuda_batch_build(&batch);
    for (int items = 1; items <= 128; items *= 2)
        cr_expect(turns_round(&batch, 0, items), "%d items", items);
    for (int k = 1; k <= barriers; k++) {
        cr_expect_not(turns_round(&batch, k, 128), "%s/k%d.cu", batch.folder, k);
        cr_expect(turns_round(&batch, k, 1), "one item needs no barrier");
    }
    cuda_batch_close(&batch);
    cairn_cuda_fini(&env, &kernel);
    cairn_ir_destroy(&env, &f);
    cr_assert_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

/// A copy of @p text whose @p n'th @p words are others; NULL: there are not so many.
static char *with_others(const char *text, const char *words, const char *others, int n)
{
    const char *at = strstr(text, words);

    for (; at && n > 0; n--)
        at = strstr(at + 1, words);
    if (!at) return NULL;

    char *const copy = malloc(strlen(text) + strlen(others) + 1);

    sprintf(copy, "%.*s%s%s", (int)(at - text), text, others, at + strlen(words));
    return copy;
}

/// How turns are dealt to groups and items, in the text: each mistake shows with some number
/// of items.
Test(cuda_text, turns_that_are_dealt_wrong_show)
{
    static const char *const mistakes[][2] = {
        {"+= (int64_t)ITEMS",     "+= 2 * (int64_t)ITEMS"    },
        {"+= (int64_t)gridDim.x", "+= 2 * (int64_t)gridDim.x"},
        {"(int64_t)threadIdx.x;", "(int64_t)threadIdx.x + 1;"},
        {"(int64_t)blockIdx.x;",  "(int64_t)blockIdx.x + 1;" },
        {"t < 128",               "t < 127"                  },
    };
    enum { KINDS = sizeof mistakes / sizeof *mistakes };
    static cuda_batch batch;
    cairn_env         env;
    cairn_cuda_kernel kernel;
    char             *wrong;
    int               planted = 0;

    cairn_env_init(&env);
    cairn_ir_function *f = turn_round(&env);

    cr_assert_eq(
        cairn_cuda_print(&env, (const cairn_ir_function *const *)&f, 1, &kernel),
        CAIRN_OK);
    cuda_batch_open(&batch);
    for (int k = 0; k < KINDS; k++) {
        int n = 0;

        for (; (wrong = with_others(kernel.text, mistakes[k][0], mistakes[k][1], n));
             n++) {
            cuda_batch_add(&batch, "", &kernel, wrong);
            free(wrong);
        }
        cr_expect_geq(n, 1, "no %s in\n%s", mistakes[k][0], kernel.text);
        planted += n;
    }
    cuda_batch_build(&batch);
    for (int k = 0; k < planted; k++)
        cr_expect_not(turns_round(&batch, k, 1) && turns_round(&batch, k, 32)
                          && turns_round(&batch, k, 128),
                      "%s/k%d.cu", batch.folder, k);
    cr_expect_geq(planted, 8);
    cuda_batch_close(&batch);
    cairn_cuda_fini(&env, &kernel);
    cairn_ir_destroy(&env, &f);
    cr_assert_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

/// An item that leaves out a barrier is not waited for for ever.
Test(cuda_text, a_barrier_that_some_do_not_reach_shows)
{
    static cuda_batch   batch;
    cairn_cuda_function function = {.name = "uneven"};
    cairn_cuda_kernel   kernel   = {.function = &function, .functions = 1};

    cuda_batch_open(&batch);
    cuda_batch_add(&batch, "", &kernel,
                   "typedef struct uneven_args {\n    int *x;\n} uneven_args;\n\n"
                   "KERNEL(uneven)\n{\n"
                   "    if (threadIdx.x < 5) __syncthreads();\n"
                   "    op.x[threadIdx.x] = 1;\n}\n");
    cuda_batch_build(&batch);

    int               x[128] = {0};
    int *const        args   = x;
    const char *const broken =
        cuda_batch_function(&batch, 0, 0)(&args, 1, 1, 128, seed_clock());

    cr_assert(broken != NULL);
    cr_expect(strstr(broken, "barriers") != NULL, "%s", broken);
    cuda_batch_close(&batch);
}

/* ---- what is refused, and what fails ---- */

/// A block of threads looks up its bank by its number on the first axis alone.
Test(cuda_text, banks_have_groups_of_the_first_axis)
{
    for (int axis = 0; axis < 2; axis++) {
        cairn_env          env;
        cairn_ir           ir;
        cairn_ir_function *f;
        cairn_cuda_kernel  kernel = {.functions = -7};

        cairn_env_init(&env);
        cairn_ir_begin(&ir, &env, "dealt", CAIRN_ABI_GRID);
        cairn_ir_stmt *const loop =
            cairn_ir_for(&ir, cairn_ir_int(&ir, 0), cairn_ir_int(&ir, 9), 1, NULL, "g");

        loop->turns = CAIRN_TURNS_GROUPS;
        loop->axis  = axis;
        cairn_ir_end(&ir);
        cr_assert_eq(cairn_ir_finish(&ir, &f), CAIRN_OK);
        f->banks = true;
        cr_expect_eq(
            cairn_cuda_print(&env, (const cairn_ir_function *const *)&f, 1, &kernel),
            axis == 0 ? CAIRN_OK : CAIRN_UNSUPPORTED);
        if (axis == 0)
            cairn_cuda_fini(&env, &kernel);
        else
            cr_expect_str_eq(env.message,
                             "cuda: dealt: banks have groups of the first axis alone");
        cairn_ir_destroy(&env, &f);
        cr_assert_eq(env.live_blocks, 0);
        cairn_env_fini(&env);
    }
}

Test(cuda_text, a_function_without_groups_has_no_kernel)
{
    cairn_env          env;
    cairn_ir           ir;
    cairn_ir_function *f;
    cairn_cuda_kernel  kernel = {.functions = -7};

    cairn_env_init(&env);
    cairn_ir_begin(&ir, &env, "nothing", CAIRN_ABI_PRODUCT);
    cr_assert_eq(cairn_ir_finish(&ir, &f), CAIRN_OK);
    cr_expect_eq(
        cairn_cuda_print(&env, (const cairn_ir_function *const *)&f, 1, &kernel),
        CAIRN_UNSUPPORTED);
    cr_expect_str_eq(
        env.message,
        "cuda: nothing: it has no groups, which blocks of threads could do");
    cr_expect_eq(kernel.functions, -7);
    cairn_ir_destroy(&env, &f);
    cr_assert_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}
