// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Structs of programs of other versions: an older one's are smaller, and read and filled as
/// far as they go; a newer one's are larger, and must be 0 behind what the library knows.
/// tests/check_sizes.sh looks for the name of every struct here.

#include "support/api.h"
#include "support/scratch.h"

#include <cairn/cairn.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Room for any of the structs, and more.
enum { MORE = 40, ROOM = 1 << 16, BEHIND = 0xa5 };

typedef union {
    size_t        size;
    unsigned char byte[ROOM];
    long double   aligned;
} room;

static cairn_context  *context;
static cairn_format   *format;
static cairn_source   *source;
static cairn_tensor   *tensor;
static cairn_plan     *plan;
static cairn_path     *path;
static cairn_part_view view = CAIRN_PART_VIEW; ///< Of the tensor's part.

static void up(void)
{
    static const int64_t extent[] = {3, 3};
    static const int64_t coord[]  = {0, 0, 1, 1, 2, 0};
    static const double  value[]  = {1, 2, 3};

    setenv("CAIRN_COSTS", "none", 1);
    setenv("CAIRN_THREADS", "1", 1);
    cr_assert_eq(cairn_context_create(&context), CAIRN_OK);
    format = must_format(context, "csr");
    MUST(context, cairn_source_from_coords(context, 2, extent, 3, coord, value,
                                           CAIRN_BY_NNZ, &source));
    MUST(context, cairn_tensor_create(source, format, CAIRN_F64, &tensor));
    MUST(context, cairn_plan_create_spmv(tensor, &plan));
    MUST(context, cairn_tensor_part_get(tensor, 0, &view));
    cairn_format *coo = must_format(context, "coo");

    MUST(context, cairn_path_create(context, format, coo, NULL, &path));
    cairn_format_destroy(&coo);
}

static void down(void)
{
    cairn_path_destroy(&path);
    cairn_plan_destroy(&plan);
    MUST(context, cairn_tensor_part_restore(tensor, &view));
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    cairn_format_destroy(&format);
    cairn_context_destroy(&context);
}

TestSuite(api_sizes, .init = up, .fini = down, .timeout = 300);

/// A call with a struct.
typedef cairn_status (*use)(void *given);

/// What a struct is, and who takes it.
typedef struct {
    const char *name;
    const void *initial; ///< [size] by its macro, with what the call needs.
    size_t      size;
    size_t      least;  ///< Bytes that the call cannot do without.
    bool        filled; ///< By the call; else read.
    bool        silent; ///< The call has no context to say why it refuses.
    use         call;
} row;

static void begin(const row *r, size_t size, int behind, room *given)
{
    memset(given, behind, sizeof *given);
    memcpy(given->byte, r->initial, size < r->size ? size : r->size);
    given->size = size;
}

static void expect_refused(const row *r, room *given, const char *why)
{
    char        words[128];
    static room before;

    snprintf(words, sizeof words, why, given->size, r->name);
    before = *given;
    cr_expect_eq(r->call(given), CAIRN_BAD_ARGUMENT, "%s of %zu bytes", r->name,
                 given->size);
    cr_expect(memcmp(&before, given, sizeof before) == 0, "%s: touched", r->name);
    cr_expect(r->silent || strstr(cairn_context_message(context), words), "%s: %s",
              r->name, cairn_context_message(context));
}

/// Sizes that are none, and one of a newer program that asks for what nobody knows.
static void refuse(const row *r)
{
    static const size_t none[] = {0, 3, sizeof(size_t) - 1, ((size_t)1 << 20) + 8,
                                  SIZE_MAX};
    static room         given;

    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        begin(r, r->size, 0, &given);
        given.size = none[k];
        expect_refused(r, &given, "->size: is %zu: set it to sizeof(%s), as CAIRN_");
    }
    for (size_t k = 0; k < MORE; k++) {
        begin(r, r->size + MORE, 0, &given);
        given.byte[r->size + k] = 1;
        expect_refused(r, &given, "->size: is %zu, and behind");
    }
}

/// All smaller structs, and a larger one with nothing in it.
static void accept(const row *r)
{
    static room whole, given;
    int         differ = 0;

    begin(r, r->size, BEHIND, &whole);
    cr_assert_eq(r->call(&whole), CAIRN_OK, "%s: %s", r->name,
                 cairn_context_message(context));
    for (size_t k = sizeof(size_t); k < r->size; k++)
        differ += whole.byte[k] != ((const unsigned char *)r->initial)[k];
    cr_expect_eq(r->filled, differ > 0, "%s: %d bytes filled", r->name, differ);
    for (size_t size = r->least; size < r->size; size += 4) {
        begin(r, size, BEHIND, &given);
        cr_assert_eq(r->call(&given), CAIRN_OK, "%s of %zu: %s", r->name, size,
                     cairn_context_message(context));
        cr_expect_eq(given.size, size);
        for (size_t k = size; k < sizeof given; k++)
            if (given.byte[k] != BEHIND)
                cr_assert_fail("%s of %zu: byte %zu is touched", r->name, size, k);
        if (r->filled && size >= 12) /* the first field, which no time is */
            cr_expect(memcmp(whole.byte + 8, given.byte + 8, 4) == 0, "%s of %zu",
                      r->name, size);
    }
    begin(r, r->size + MORE, 0, &given);
    cr_expect_eq(r->call(&given), CAIRN_OK, "%s: %s", r->name,
                 cairn_context_message(context));
    cr_expect_eq(given.size, r->size + MORE);
    for (size_t k = 0; k < MORE; k++)
        cr_expect_eq(given.byte[r->size + k], 0, "%s: behind", r->name);
}

/// The last argument is the initialiser, whose commas count.
#define HOLD(of, fills, quiet, function, ...)                               \
    do {                                                                    \
        const of  initial_ = __VA_ARGS__;                                   \
        const row row_     = {#of,   &initial_, sizeof(of), sizeof(size_t), \
                              fills, quiet,     function};                  \
                                                                            \
        accept(&row_);                                                      \
        refuse(&row_);                                                      \
    } while (0)

#define READ(of, function, ...)   HOLD(of, false, false, function, __VA_ARGS__)
#define FILLED(of, function, ...) HOLD(of, true, false, function, __VA_ARGS__)
#define SILENT(of, function, ...) HOLD(of, true, true, function, __VA_ARGS__)

/* ---- who takes them ---- */

static cairn_status check_product(void *given)
{
    return cairn_product_check(context, given, 2);
}

static cairn_status plan_with(void *given)
{
    cairn_plan        *made   = NULL;
    const cairn_status status = cairn_plan_create_with(tensor, given, &made);

    cairn_plan_destroy(&made);
    return status;
}

static cairn_status plan_product(void *given)
{
    cairn_plan        *made    = NULL;
    cairn_plan_options options = CAIRN_PLAN_OPTIONS;

    options.product           = given;
    const cairn_status status = cairn_plan_create_with(tensor, &options, &made);

    cairn_plan_destroy(&made);
    return status;
}

static cairn_status choose(const cairn_auto_options *options, cairn_auto_info *info)
{
    cairn_format      *found = NULL;
    const cairn_status status =
        cairn_format_auto(source, CAIRN_F64, NULL, options, &found, info);

    cairn_format_destroy(&found);
    return status;
}

static cairn_status choose_by(void *given)
{
    return choose(given, NULL);
}

static cairn_status store_by(void *given)
{
    cairn_format *format = NULL;
    cairn_tensor *stored = NULL;
    cairn_status  status = cairn_format_create(context, named("csr"), &format);

    if (status == CAIRN_OK)
        status = cairn_tensor_create_with(source, format, CAIRN_F64, given, &stored);
    cairn_tensor_destroy(&stored);
    cairn_format_destroy(&format);
    return status;
}

static cairn_status choose_and_tell(void *given)
{
    return choose(NULL, given);
}

static cairn_status generate(void *given)
{
    cairn_source      *made   = NULL;
    const cairn_status status = cairn_source_generate(context, "tridiag", given, &made);

    cairn_source_destroy(&made);
    return status;
}

static cairn_status print_kernels(void *given)
{
    char              *text   = NULL;
    const cairn_status status = cairn_kernels_text(context, format, NULL, given, &text);

    cairn_text_free(context, &text);
    return status;
}

static cairn_status print_part(void *given)
{
    char              *text   = NULL;
    const cairn_status status = cairn_tensor_part_text(tensor, given, 0, &text);

    cairn_text_free(context, &text);
    return status;
}

static cairn_status hand(const cairn_part_view     *part,
                         const cairn_parts_options *options)
{
    static const int64_t extent[] = {3, 3};
    cairn_tensor        *made     = NULL;
    const cairn_status   status   = cairn_tensor_from_parts(
            context, format, extent, CAIRN_F64, part, 1, options, &made);

    cairn_tensor_destroy(&made);
    return status;
}

static cairn_status hand_by(void *given)
{
    return hand(&view, given);
}

static cairn_status hand_view(void *given)
{
    return hand(given, NULL);
}

static cairn_status take_rows(void *given)
{
    cairn_tensor      *made = NULL;
    const cairn_status status =
        cairn_tensor_from_rows(context, given, CAIRN_COPY, format, &made);

    cairn_tensor_destroy(&made);
    return status;
}

static const int64_t   three_ptr[4];
static const cairn_csr three_rows = {.size        = sizeof(cairn_csr),
                                     .global_rows = 3,
                                     .global_cols = 3,
                                     .rows        = -1,
                                     .ptr         = three_ptr,
                                     .ptr_bits    = 64,
                                     .idx_bits    = 64};

static cairn_status take_blocks(void *given)
{
    cairn_tensor      *made   = NULL;
    const cairn_status status = cairn_tensor_from_blocks(
        context, &three_rows, &three_rows, given, format, &made);

    cairn_tensor_destroy(&made);
    return status;
}

static cairn_status take_coords(void *given)
{
    cairn_tensor      *made = NULL;
    const cairn_status status =
        cairn_tensor_from_coords(context, given, CAIRN_COPY, format, &made);

    cairn_tensor_destroy(&made);
    return status;
}

static cairn_status write_lines(void *given)
{
    return cairn_tensor_to_csr(tensor, given);
}

static cairn_status write_list(void *given)
{
    return cairn_tensor_to_coords(tensor, given);
}

static cairn_status hand_arrays(void *given)
{
    cairn_part_view part = CAIRN_PART_VIEW;

    part.arrays = given;
    return hand(&part, NULL);
}

static cairn_status look(void *given)
{
    cairn_part_view    own    = view;
    const cairn_status status = cairn_tensor_part_get(tensor, 0, given);

    /* an older struct may lack what the call needs to end the view */
    if (status == CAIRN_OK) MUST(context, cairn_tensor_part_restore(tensor, &own));
    return status;
}

static cairn_status describe_source(void *given)
{
    return cairn_source_describe(source, given);
}

static cairn_status describe_plan(void *given)
{
    return cairn_plan_describe(plan, given);
}

static double solution[3]; ///< Of no equations but 0 = 0.

static cairn_status tell_of_guard(void *given)
{
    cairn_plan  *made   = NULL;
    cairn_status status = cairn_plan_create_spmv(tensor, &made);

    if (status == CAIRN_OK) status = cairn_plan_guard(made);
    if (status == CAIRN_OK) status = cairn_plan_run(made, NULL, NULL);
    if (status == CAIRN_OK) status = cairn_plan_guard_info(made, given);
    cairn_plan_destroy(&made);
    return status;
}

static cairn_status solve_by(void *given)
{
    static const double b[3];

    return cairn_solve(plan, given, b, solution, NULL);
}

static cairn_status solve_and_keep(void *given)
{
    static const double b[3];
    cairn_solve_options options = CAIRN_SOLVE_OPTIONS;

    options.checkpoints = given;
    return cairn_solve(plan, &options, b, solution, NULL);
}

static cairn_status solve_beside(void *given)
{
    static const double b[3];
    cairn_solve_options options = CAIRN_SOLVE_OPTIONS;

    options.other = given;
    return cairn_solve(plan, &options, b, solution, NULL);
}

static cairn_status solve_and_tell_of_it(void *given)
{
    cairn_solve_switch other = CAIRN_SOLVE_SWITCH;

    other.info = given;
    return solve_beside(&other);
}

static cairn_status solve_and_tell(void *given)
{
    static const double b[3];

    return cairn_solve(plan, NULL, b, solution, given);
}

static cairn_status solve_from(void *given)
{
    static const double b[3];
    cairn_solve_options options = CAIRN_SOLVE_OPTIONS;

    options.method = "gmres:30";
    options.start  = given;
    return cairn_solve(plan, &options, b, solution, NULL);
}

static cairn_status describe_level(void *given)
{
    return cairn_format_level(format, 0, 1, given);
}

static cairn_status describe_stored_level(void *given)
{
    return cairn_tensor_level(tensor, 0, 1, given);
}

static cairn_status describe_storage(void *given)
{
    return cairn_format_storage(format, 0, given);
}

static cairn_status describe_array(void *given)
{
    return cairn_tensor_array(tensor, 0, 0, given);
}

static cairn_status number_of_model(void *given)
{
    return cairn_model_number_at(0, given) ? CAIRN_OK : CAIRN_BAD_ARGUMENT;
}

static cairn_status step_of_path(void *given)
{
    return cairn_path_get_step(path, 0, given) ? CAIRN_OK : CAIRN_BAD_ARGUMENT;
}

static cairn_status pass_of_path(void *given)
{
    return cairn_path_get_pass(path, 0, given) ? CAIRN_OK : CAIRN_BAD_ARGUMENT;
}

/// Of the first pass that has one.
static cairn_status alternative_of_path(void *given)
{
    for (int k = 0; k < cairn_path_passes(path); k++)
        if (cairn_path_pass(path, k).alternatives > 0)
            return cairn_path_get_alternative(path, k, 0, given) ? CAIRN_OK
                                                                 : CAIRN_BAD_ARGUMENT;
    return CAIRN_IO;
}

/// A machine of one device, in a file.
static const char *machine_file(void)
{
    static char       path[80];
    static const char text[] =
        "{\"name\": \"m\", \"devices\": [{\"name\": \"d\", \"bandwidth\": 1e9}]}";

    if (path[0]) return path;
    scratch_create(path);
    strcat(path, "/m.json");
    scratch_write(path, text, strlen(text));
    return path;
}

static cairn_status ask_by(void *given)
{
    cairn_whatif answer = CAIRN_WHATIF;

    return cairn_plan_whatif(plan, given, &answer);
}

static cairn_status ask_and_tell(void *given)
{
    cairn_whatif_options options = CAIRN_WHATIF_OPTIONS;

    options.machine = machine_file();
    return cairn_plan_whatif(plan, &options, given);
}

Test(api_sizes, what_programs_say)
{
    READ(cairn_product_options, check_product, CAIRN_PRODUCT_OPTIONS);
    READ(cairn_product_options, plan_product, CAIRN_PRODUCT_OPTIONS);
    READ(cairn_plan_options, plan_with, CAIRN_PLAN_OPTIONS);
    READ(cairn_solve_options, solve_by, CAIRN_SOLVE_OPTIONS);
    READ(cairn_solve_checkpoints, solve_and_keep, CAIRN_SOLVE_CHECKPOINTS);
    READ(cairn_solve_switch, solve_beside, CAIRN_SOLVE_SWITCH);
    READ(cairn_auto_options, choose_by, CAIRN_AUTO_OPTIONS);
    READ(cairn_store_options, store_by, CAIRN_STORE_OPTIONS);
    READ(cairn_kernel_target, print_kernels, CAIRN_KERNEL_TARGET);
    READ(cairn_part_info, print_part, CAIRN_PART_INFO);
    READ(cairn_parts_options, hand_by, CAIRN_PARTS_OPTIONS);
}

/// Structs of which a call needs something beyond the size.
static void
hold_from(const char *name, const void *initial, size_t size, size_t least, use call)
{
    const row r = {name, initial, size, least, false, false, call};

    accept(&r);
    refuse(&r);
}

/// Likewise, of which the call fills some.
static void
hold_filled(const char *name, const void *initial, size_t size, size_t least, use call)
{
    const row r = {name, initial, size, least, true, false, call};

    accept(&r);
    refuse(&r);
}

Test(api_sizes, problems_and_parts)
{
    const cairn_problem problem = {.size = sizeof(cairn_problem), .n = 5};

    hold_from("cairn_problem", &problem, sizeof problem,
              offsetof(cairn_problem, n) + sizeof problem.n, generate);
    const cairn_coords none = {
        .size     = sizeof(cairn_coords),
        .order    = 2,
        .extent   = {3, 3},
        .rows     = -1,
        .idx_bits = 64
    };
    static int64_t         ptr[10], row[10], col[10];
    static double          val[10];
    const cairn_compressed lines = {.size       = sizeof(cairn_compressed),
                                    .ptr        = ptr,
                                    .ptr_length = 10,
                                    .ptr_bits   = 64,
                                    .idx_bits   = 64,
                                    .idx        = col,
                                    .val        = val,
                                    .length     = 10};
    const cairn_coords_out list  = {
         .size     = sizeof(cairn_coords_out),
         .idx      = {row, col},
         .idx_bits = 64,
         .val      = val,
         .length   = 10
    };

    const cairn_column_map map = CAIRN_COLUMN_MAP;

    cairn_solve_state start = CAIRN_SOLVE_STATE;

    start.method    = "gmres:30";
    start.rows      = 3;
    start.whole     = true;
    start.vectors   = 1;
    start.scalars   = 1;
    start.vector[0] = (cairn_solve_vector){"x", solution};
    start.scalar[0] = (cairn_solve_scalar){"rr", 0};
    hold_from("cairn_solve_state", &start, sizeof start,
              offsetof(cairn_solve_state, scalar) + sizeof start.scalar[0], solve_from);
    cairn_whatif_options machine = CAIRN_WHATIF_OPTIONS;

    machine.machine = machine_file();
    hold_from("cairn_whatif_options", &machine, sizeof machine,
              offsetof(cairn_whatif_options, machine) + sizeof machine.machine, ask_by);
    hold_from("cairn_csr", &three_rows, sizeof three_rows,
              offsetof(cairn_csr, idx_bits) + sizeof three_rows.idx_bits, take_rows);
    hold_from("cairn_column_map", &map, sizeof map,
              offsetof(cairn_column_map, cols) + sizeof map.cols, take_blocks);
    hold_from("cairn_coords", &none, sizeof none,
              offsetof(cairn_coords, rows) + sizeof none.rows, take_coords);
    hold_filled("cairn_compressed", &lines, sizeof lines,
                offsetof(cairn_compressed, length) + sizeof lines.length, write_lines);
    hold_filled("cairn_coords_out", &list, sizeof list,
                offsetof(cairn_coords_out, length) + sizeof list.length, write_list);
    hold_from("cairn_part_view", &view, sizeof view,
              offsetof(cairn_part_view, arrays) + sizeof view.arrays, hand_view);
    hold_from("cairn_kernel_part", view.arrays, sizeof *view.arrays,
              offsetof(cairn_kernel_part, val) + sizeof view.arrays->val, hand_arrays);
}

Test(api_sizes, what_the_library_tells)
{
    FILLED(cairn_source_info, describe_source, CAIRN_SOURCE_INFO);
    FILLED(cairn_plan_info, describe_plan, CAIRN_PLAN_INFO);
    FILLED(cairn_guard_info, tell_of_guard, CAIRN_GUARD_INFO);
    FILLED(cairn_solve_info, solve_and_tell, CAIRN_SOLVE_INFO);
    FILLED(cairn_solve_switch_info, solve_and_tell_of_it, CAIRN_SOLVE_SWITCH_INFO);
    FILLED(cairn_whatif, ask_and_tell, CAIRN_WHATIF);
    FILLED(cairn_auto_info, choose_and_tell, CAIRN_AUTO_INFO);
    FILLED(cairn_level_info, describe_level, CAIRN_LEVEL_INFO);
    FILLED(cairn_level_info, describe_stored_level, CAIRN_LEVEL_INFO);
    FILLED(cairn_storage_info, describe_storage, CAIRN_STORAGE_INFO);
    FILLED(cairn_part_view, look, CAIRN_PART_VIEW);
    FILLED(cairn_array_info, describe_array, CAIRN_ARRAY_INFO);
    SILENT(cairn_model_number, number_of_model, CAIRN_MODEL_NUMBER);
    SILENT(cairn_path_step, step_of_path, CAIRN_PATH_STEP);
    SILENT(cairn_pass_info, pass_of_path, CAIRN_PASS_INFO);
    SILENT(cairn_pass_alternative, alternative_of_path, CAIRN_PASS_ALTERNATIVE);
}

/// Counts of kernels: filling the cache takes long, so that the door alone is tried, and a
/// format that is for no matrix.
static cairn_status warm(void *given)
{
    static const char         cube[] = "#encoding<{ idx_map<(d0,d1,d2)->(d0,d1,d2)>, "
                                       "mutation<merge(0,1), trim(0,2)> }>";
    const cairn_kernel_target target = CAIRN_KERNEL_TARGET;
    cairn_format             *none   = must_format(context, cube);
    const cairn_status        status =
        cairn_kernels_precompile(context, none, NULL, &target, given);

    cairn_format_destroy(&none);
    return status;
}

Test(api_sizes, counts_of_kernels)
{
    const cairn_kernel_counts counts = CAIRN_KERNEL_COUNTS;
    const row                 r      = {
                             .name    = "cairn_kernel_counts",
                             .initial = &counts,
                             .size    = sizeof counts,
                             .least   = sizeof(size_t),
                             .call    = warm,
    };
    room given;

    refuse(&r);
    begin(&r, sizeof counts - sizeof(int), BEHIND, &given);
    cr_expect_eq(warm(&given), CAIRN_BAD_SHAPE, "not its size");
}

/* ---- lists ---- */

typedef cairn_status (*list_use)(size_t size, int64_t *count, void **list);

static cairn_status list_parts(size_t size, int64_t *count, void **list)
{
    return cairn_tensor_parts_sized(tensor, size, count, (cairn_part_info **)list);
}

static cairn_status list_plan_parts(size_t size, int64_t *count, void **list)
{
    return cairn_plan_parts_sized(plan, size, count, (cairn_plan_part **)list);
}

/// Of calls that count in an int.
#define DEFINE_LIST(name, call, type)                                       \
    static cairn_status name(size_t size, int64_t *count, void **list)      \
    {                                                                       \
        int                n      = 0;                                      \
        const cairn_status status = call(context, size, &n, (type **)list); \
                                                                            \
        *count = n;                                                         \
        return status;                                                      \
    }

DEFINE_LIST(list_devices, cairn_devices_list_sized, cairn_device_info)
DEFINE_LIST(list_pieces, cairn_machine_list_sized, cairn_machine_piece)
DEFINE_LIST(list_models, cairn_devices_models_sized, cairn_cost_model_info)
DEFINE_LIST(list_diagnostics, cairn_doctor_sized, cairn_diagnostic)

/// All lists are freed alike.
static void free_list(void **list)
{
    cairn_machine_free(context, (cairn_machine_piece **)list);
}

/// Elements lie as far apart as the program says, and have what its struct has.
static void hold_list(const char *name, size_t size, list_use call)
{
    const size_t sizes[] = {size, sizeof(size_t), 16, size - 8, size + MORE};
    void        *whole   = NULL;
    int64_t      count   = 0;

    MUST(context, call(size, &count, &whole));
    cr_assert_gt(count, 0, "%s", name);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        void   *list = NULL;
        int64_t n    = 0;

        MUST(context, call(sizes[s], &n, &list));
        cr_assert_eq(n, count, "%s", name);
        for (int64_t k = 0; k < n; k++) {
            const unsigned char *one = (unsigned char *)list + (size_t)k * sizes[s];
            const unsigned char *all = (unsigned char *)whole + (size_t)k * size;
            size_t               own;

            memcpy(&own, one, sizeof own);
            cr_expect_eq(own, sizes[s], "%s of %zu: %zu", name, sizes[s], own);
            if (sizes[s] >= 12) cr_expect(memcmp(one + 8, all + 8, 4) == 0, "%s", name);
            for (size_t b = size; b < sizes[s]; b++)
                cr_expect_eq(one[b], 0, "%s: behind", name);
        }
        free_list(&list);
    }
    free_list(&whole);
}

Test(api_sizes, lists)
{
    hold_list("cairn_part_info", sizeof(cairn_part_info), list_parts);
    hold_list("cairn_plan_part", sizeof(cairn_plan_part), list_plan_parts);
    hold_list("cairn_device_info", sizeof(cairn_device_info), list_devices);
    hold_list("cairn_machine_piece", sizeof(cairn_machine_piece), list_pieces);
    hold_list("cairn_cost_model_info", sizeof(cairn_cost_model_info), list_models);
    hold_list("cairn_diagnostic", sizeof(cairn_diagnostic), list_diagnostics);
}
