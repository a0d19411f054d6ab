// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The public interface in one process: contexts, sources, what a tensor says of itself,
/// and what is refused, with which words.

#include "support/storage.h"
#include "support/suite_context.h"

#include <string.h>

TestSuite(api, .init = context_up, .fini = context_down);

static cairn_source *figure(void)
{
    cairn_source *source = NULL;

    MUST(context, cairn_source_from_coords(context, 2, figure_extent, 6, figure_coord,
                                           figure_value, CAIRN_BY_ROWS, &source));
    return source;
}

Test(api, contexts_do_not_see_each_other)
{
    cairn_context *other;
    cairn_format  *format = NULL;
    cairn_source  *source = figure();

    cr_assert_eq(cairn_context_create(&other), CAIRN_OK);
    REFUSED(context, BAD_FORMAT, "cssr",
            cairn_format_create(context, named("cssr"), &format));
    cairn_context_set_memory(other, 1);

    cr_expect_str_eq(cairn_context_message(other), "");
    cr_expect_lt(live_bytes(other), 1000); /* the communicator of one */
    cairn_tensor *tensor = must_store(context, source, "csr", CAIRN_F64);

    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    cairn_context_destroy(&other);
    cr_expect_null(other);
    cr_expect_eq(cairn_context_rank(context), 0);
    cr_expect_eq(cairn_context_size(context), 1);
}

Test(api, nothing_is_destroyed_with_null)
{
    cairn_context *none   = NULL;
    cairn_source  *source = NULL;
    cairn_format  *format = NULL;
    cairn_tensor  *tensor = NULL;
    cairn_plan    *plan   = NULL;

    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    cairn_context_destroy(&none);
}

Test(api, a_format_lives_as_long_as_a_tensor_in_it)
{
    cairn_context *other;
    cairn_format  *format = NULL, *coo = NULL;
    cairn_tensor  *tensor = NULL, *converted = NULL, *foreign = NULL;
    cairn_source  *source = figure();

    MUST(context, cairn_format_create(context, named("csr"), &format));
    MUST(context, cairn_format_create(context, named("coo"), &coo));
    MUST(context, cairn_tensor_create(source, coo, CAIRN_F64, &tensor));
    MUST(context, cairn_tensor_convert(tensor, format, &converted));
    cr_expect_eq(cairn_tensor_format(converted), format, "no copy");
    cairn_format_destroy(&format);
    cairn_format_destroy(&coo);
    cr_expect_null(format);
    cr_expect(strstr(cairn_format_text(cairn_tensor_format(converted)), "idx_map"));
    cairn_tensor_destroy(&tensor);
    cr_expect(strstr(cairn_format_text(cairn_tensor_format(converted)), "idx_map"));

    cr_assert_eq(cairn_context_create(&other), CAIRN_OK);
    cr_assert_eq(cairn_format_create(other, named("dcsr"), &format), CAIRN_OK);
    MUST(context, cairn_tensor_convert(converted, format, &foreign));
    cr_expect_neq(cairn_tensor_format(foreign), format, "another context's");
    cairn_format_destroy(&format);
    cairn_context_destroy(&other);
    cr_expect(strstr(cairn_format_text(cairn_tensor_format(foreign)), "idx_map"));
    cairn_tensor_destroy(&foreign);
    cairn_tensor_destroy(&converted);
    cairn_source_destroy(&source);
}

Test(api, duplicates_are_added)
{
    const int64_t extent[2] = {3, 3}, coord[] = {2, 2, 0, 1, 2, 2, 0, 1, 2, 2};
    const double  value[] = {1, 0.5, 2, -0.5, 4};
    static char   text[256];
    cairn_source *source;

    MUST(context, cairn_source_from_coords(context, 2, extent, 5, coord, value,
                                           CAIRN_BY_NNZ, &source));
    cairn_tensor *tensor = must_store(context, source, "coo", CAIRN_F64);

    arrays_text(context, tensor, text, sizeof text);

    /* What adds up to 0 stays stored. */
    cr_expect_str_eq(text, "idx0=[0,2] idx1=[1,2] val=[0,7]");
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

Test(api, entries_without_values_are_ones)
{
    static char   text[256];
    cairn_source *source;

    MUST(context, cairn_source_from_coords(context, 2, figure_extent, 6, figure_coord,
                                           NULL, CAIRN_BY_ROWS, &source));
    cairn_tensor *tensor = must_store(context, source, "csr", CAIRN_F64);

    arrays_text(context, tensor, text, sizeof text);

    cr_expect(strstr(text, "val=[1,1,1,1,1,1]"), "%s", text);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

Test(api, order_3_is_stored_but_not_multiplied)
{
    const int64_t extent[3] = {2, 3, 4}, coord[] = {1, 2, 3, 0, 0, 0, 0, 0, 2, 1, 0, 1};
    const double  value[] = {4, 1, 2, 3};
    static char   text[256];
    cairn_source *source;
    cairn_plan   *plan = NULL;

    MUST(context, cairn_source_from_coords(context, 3, extent, 4, coord, value,
                                           CAIRN_BY_ROWS, &source));
    cairn_tensor *tensor = must_store(context, source, "csf<3>", CAIRN_F64);

    arrays_text(context, tensor, text, sizeof text);

    cr_expect_str_eq(text, "idx0=[0,1] ptr1=[0,1,3] idx1=[0,0,2] ptr2=[0,2,3,4] "
                           "idx2=[0,2,1,3] val=[1,2,3,4]");
    REFUSED(context, BAD_SHAPE, "order is 3", cairn_plan_create_spmv(tensor, &plan));
    REFUSED(context, BAD_SHAPE, "order 3 is no matrix",
            cairn_tensor_write(tensor, "/tmp/never.mtx", NULL));
    cr_expect_null(plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

Test(api, an_order_3_tensor_comes_back_from_its_file)
{
    const int64_t extent[3] = {2, 3, 4}, coord[] = {1, 2, 3, 0, 0, 0, 0, 0, 2, 1, 0, 1};
    const double  value[] = {4, 1, 2, 3};
    static char   text[256], again[256];
    char          folder[64], path[80];
    cairn_source *source, *back = NULL;

    scratch_create(folder);
    snprintf(path, sizeof path, "%s/t.cairn", folder);
    MUST(context, cairn_source_from_coords(context, 3, extent, 4, coord, value,
                                           CAIRN_BY_ROWS, &source));
    cairn_tensor *tensor = must_store(context, source, "csf<3>", CAIRN_F64);

    MUST(context, cairn_tensor_write(tensor, path, NULL));
    MUST(context, cairn_source_read(context, path, CAIRN_BY_ROWS, &back));
    cairn_tensor *stored = must_store(context, back, "csf<3>", CAIRN_F64);

    arrays_text(context, tensor, text, sizeof text);
    arrays_text(context, stored, again, sizeof again);
    cr_expect_str_eq(again, text);
    cairn_tensor_destroy(&stored);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&back);
    cairn_source_destroy(&source);
    remove(path);
    rmdir(folder);
}

Test(api, a_tensor_says_its_shape_and_divides_sources_of_it)
{
    static const int64_t wide[] = {5, 5};
    cairn_context       *other;
    cairn_source        *source = figure(), *wider = NULL, *foreign = NULL;
    cairn_tensor        *tensor = must_store(context, source, "coo", CAIRN_F64);
    int64_t              extent[CAIRN_ORDER];

    memset(extent, 7, sizeof extent);
    cr_expect_eq(cairn_tensor_shape(tensor, extent), 2);
    cr_expect(extent[0] == figure_extent[0] && extent[1] == figure_extent[1]
              && extent[2] == 0 && extent[CAIRN_ORDER - 1] == 0);
    MUST(context, cairn_source_divide_like(source, tensor));
    MUST(context, cairn_source_from_coords(context, 2, wide, 6, figure_coord,
                                           figure_value, CAIRN_BY_ROWS, &wider));
    REFUSED(context, BAD_SHAPE, "other extents",
            cairn_source_divide_like(wider, tensor));
    cr_assert_eq(cairn_context_create(&other), CAIRN_OK);
    MUST(other, cairn_source_from_coords(other, 2, figure_extent, 6, figure_coord,
                                         figure_value, CAIRN_BY_ROWS, &foreign));
    REFUSED(other, BAD_ARGUMENT, "its context",
            cairn_source_divide_like(foreign, tensor));
    cairn_source_destroy(&foreign);
    cairn_context_destroy(&other);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&wider);
    cairn_source_destroy(&source);
}

Test(api, wrong_coordinates_are_refused)
{
    const int64_t extent[2] = {3, 3}, high[] = {0, 0, 1, 3}, low[] = {0, -1};
    const int64_t negative[2] = {3, -1};
    cairn_source *source      = NULL;

    REFUSED(context, BAD_COORD, "entry 1: d1 = 3 is outside 0..2",
            cairn_source_from_coords(context, 2, extent, 2, high, NULL, CAIRN_BY_ROWS,
                                     &source));
    REFUSED(context, BAD_COORD, "d1 = -1",
            cairn_source_from_coords(context, 2, extent, 1, low, NULL, CAIRN_BY_ROWS,
                                     &source));
    REFUSED(context, BAD_SHAPE, "order 0",
            cairn_source_from_coords(context, 0, extent, 0, low, NULL, CAIRN_BY_ROWS,
                                     &source));
    REFUSED(context, BAD_SHAPE, "order 17",
            cairn_source_from_coords(context, 17, extent, 0, low, NULL, CAIRN_BY_ROWS,
                                     &source));
    REFUSED(context, BAD_SHAPE, "extent 1 is -1",
            cairn_source_from_coords(context, 2, negative, 0, low, NULL, CAIRN_BY_ROWS,
                                     &source));
    cr_expect_null(source);
}

Test(api, wrong_names_are_refused_with_the_nearest)
{
    const cairn_problem size   = {.size = sizeof(cairn_problem), .nx = 2, .ny = 2};
    cairn_source       *source = NULL;
    cairn_format       *format = NULL;
    char               *text   = NULL;
    int                 missing;

    REFUSED(context, BAD_OPTION, "stencil5",
            cairn_source_generate(context, "stencil6", &size, &source));
    REFUSED(context, BAD_FORMAT, "bcsr",
            cairn_format_create(context, named("bcsrr<2,2>"), &format));
    REFUSED(context, BAD_FORMAT, "argument",
            cairn_format_create(context, named("bdia"), &format));
    REFUSED(context, BAD_SYNTAX, "expected",
            cairn_format_create(context, named("csr<"), &format));
    REFUSED(context, BAD_FORMAT, "nosuch",
            cairn_catalogue_definition(context, "nosuch", &text, &missing));
    REFUSED(context, BAD_FORMAT, "nosuch",
            cairn_catalogue_note(context, "nosuch", &text));
    REFUSED(context, IO, "nosuch.mtx",
            cairn_source_read(context, "/nosuch/nosuch.mtx", CAIRN_BY_NNZ, &source));
    cr_expect(!source && !format && !text);
}

Test(api, a_format_of_another_order_is_refused)
{
    cairn_source *source = figure();
    cairn_format *format = must_format(context, "csf<3>");
    cairn_tensor *tensor = NULL;

    REFUSED(context, BAD_SHAPE, "order 3",
            cairn_tensor_create(source, format, CAIRN_F64, &tensor));
    cr_expect_null(tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
}

Test(api, what_a_format_gives_for_widths_must_do)
{
    const int64_t extent[2] = {1, 1000}, coord[] = {0, 999};
    cairn_source *source;
    cairn_format *format =
        must_format(context, "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, "
                             "mutation<merge(0), trim(1,1)>, bits<idx = 8> }>");
    cairn_tensor *tensor = NULL;

    MUST(context, cairn_source_from_coords(context, 2, extent, 1, coord, NULL,
                                           CAIRN_BY_ROWS, &source));
    REFUSED(context, OVERFLOW, "8",
            cairn_tensor_create(source, format, CAIRN_F64, &tensor));
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
}

Test(api, missing_parts_arrays_and_levels_are_refused)
{
    cairn_source    *source = figure();
    cairn_tensor    *tensor = must_store(context, source, "csr", CAIRN_F64);
    cairn_array_info array  = CAIRN_ARRAY_INFO;
    cairn_level_info level  = CAIRN_LEVEL_INFO;
    char            *text   = NULL;

    cr_expect_eq(cairn_tensor_array(tensor, 0, 3, &array), CAIRN_BAD_ARGUMENT);
    cr_expect_eq(cairn_tensor_array(tensor, 0, -1, &array), CAIRN_BAD_ARGUMENT);
    cr_expect_eq(cairn_tensor_array(tensor, 1, 0, &array), CAIRN_BAD_ARGUMENT);
    cr_expect_eq(cairn_tensor_array(tensor, -1, 0, &array), CAIRN_BAD_ARGUMENT);
    cr_expect_eq(cairn_tensor_array_text(tensor, 0, 3, &text), CAIRN_BAD_ARGUMENT);
    cr_expect_eq(cairn_tensor_level(tensor, 0, 2, &level), CAIRN_BAD_ARGUMENT);
    cr_expect_eq(cairn_tensor_level(tensor, 1, 0, &level), CAIRN_BAD_ARGUMENT);
    cr_expect_eq(cairn_format_level(cairn_tensor_format(tensor), 0, -1, &level),
                 CAIRN_BAD_ARGUMENT);
    cr_expect_null(cairn_format_member(cairn_tensor_format(tensor), 1));
    cr_expect_eq(cairn_tensor_update(tensor, figure_value), CAIRN_BAD_ARGUMENT);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

Test(api, levels_and_arrays_describe_the_storage)
{
    cairn_source    *source = figure();
    cairn_tensor    *tensor = must_store(context, source, "bdia<3>", CAIRN_F64);
    cairn_level_info level  = CAIRN_LEVEL_INFO;
    cairn_array_info array  = CAIRN_ARRAY_INFO;

    MUST(context, cairn_tensor_level(tensor, 0, 1, &level));
    cr_expect_str_eq(level.expr, "d1-d0");
    cr_expect_str_eq(level.kind, "compressed");
    cr_expect(level.sized && level.lo == -4 && level.extent == 8 && level.nodes == 4);
    cr_expect(level.trimmed && level.has_ptr && level.has_idx);
    MUST(context, cairn_format_level(cairn_tensor_format(tensor), 0, 1, &level));
    cr_expect(!level.sized && level.has_ptr);

    MUST(context, cairn_tensor_array(tensor, 0, 2, &array));
    cr_expect(array.level == -1 && array.bits == 64 && array.length == 12);
    cr_expect_str_eq(array.kind, "val");
    cr_expect_eq(array.bytes, 96);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

Test(api, parts_list_members_and_banks)
{
    cairn_source *source = figure();
    cairn_tensor *hybrid =
        must_store(context, source, "hybrid<c2sr<2>,csr>", CAIRN_F64);
    cairn_part_info *parts;
    int64_t          count;

    MUST(context, cairn_tensor_parts(hybrid, &count, &parts));
    cr_assert_eq(count, 3);
    cr_expect(parts[0].member == 0 && parts[0].bank == 0 && parts[1].bank == 1);
    cr_expect(parts[2].member == 1 && parts[2].bank == -1);
    cr_expect_eq(parts[0].nnz + parts[1].nnz + parts[2].nnz, 6);
    for (int k = 0; k < 3; k++) {
        cairn_array_info array = CAIRN_ARRAY_INFO;
        int64_t          bytes = 0;

        cr_expect_eq(parts[k].local, k);
        for (int a = 0; cairn_tensor_array(hybrid, k, a, &array) == CAIRN_OK; a++)
            bytes += array.bytes;
        cr_expect_eq(parts[k].bytes, bytes);
    }
    cairn_parts_free(hybrid, &parts);
    cairn_tensor_destroy(&hybrid);
    cairn_source_destroy(&source);
}

Test(api, a_format_too_large_is_refused_before_it_is_allocated)
{
    /* An anti-diagonal: every entry has a diagonal of its own. */
    enum { N = 2000 };
    static int64_t coord[2 * N];
    const int64_t  extent[2] = {N, N};
    cairn_source  *source;
    cairn_format  *dia    = must_format(context, "dia");
    cairn_tensor  *tensor = NULL;
    int64_t        bytes, blocks, before, peak;

    for (int64_t k = 0; k < N; k++) {
        coord[2 * k]     = k;
        coord[2 * k + 1] = N - 1 - k;
    }
    MUST(context, cairn_source_from_coords(context, 2, extent, N, coord, NULL,
                                           CAIRN_BY_ROWS, &source));
    cairn_context_memory(context, &bytes, &blocks, &before);
    cairn_context_set_memory(context, 1000000);
    REFUSED(context, NO_MEMORY, "limit is 1000000",
            cairn_tensor_create(source, dia, CAIRN_F64, &tensor));
    cr_expect(strstr(cairn_context_message(context), "needs 32"), "%s",
              cairn_context_message(context)); /* 2000 * 2000 * 8 bytes, and a little */
    cairn_context_memory(context, &bytes, &blocks, &peak);
    cr_expect_lt(peak, before + 1000000);
    cr_expect_null(tensor);

    tensor = must_store(context, source, "csr", CAIRN_F64); /* 40 kB fit */
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&dia);
    cairn_source_destroy(&source);
}

Test(api, single_precision_rounds_once)
{
    const int64_t extent[2] = {1, 3}, coord[] = {0, 0, 0, 1, 0, 2};
    const double  value[] = {0.1, 1e8, 0.25};
    const float   x[]     = {3, 1, 1};
    float         y       = -1;
    double        rel, abs;
    cairn_source *source;
    cairn_plan   *plan;

    MUST(context, cairn_source_from_coords(context, 2, extent, 3, coord, value,
                                           CAIRN_BY_ROWS, &source));
    cairn_tensor *tensor = must_store(context, source, "csr", CAIRN_F32);

    MUST(context, cairn_plan_create_spmv(tensor, &plan));
    MUST(context, cairn_plan_run(plan, x, &y));

    /* The sum is kept in double; the result is rounded when it is handed out. */
    cr_expect_eq(y, (float)((double)0.1f * 3 + 1e8 + 0.25));
    MUST(context, cairn_plan_verify(plan, source, &rel, &abs));
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

Test(api, a_wrong_result_is_not_verified)
{
    cairn_source *source = figure(), *other;
    cairn_tensor *tensor = must_store(context, source, "csr", CAIRN_F64);
    double        value[6], rel = 0, abs = 0;
    cairn_plan   *plan;

    memcpy(value, figure_value, sizeof value);
    value[3] += 1e-9;
    MUST(context, cairn_source_from_coords(context, 2, figure_extent, 6, figure_coord,
                                           value, CAIRN_BY_ROWS, &other));
    MUST(context, cairn_plan_create_spmv(tensor, &plan));
    for (int j = 0; j < 4; j++)
        cairn_plan_x(plan)[j] = 1;
    MUST(context, cairn_plan_run(plan, NULL, NULL));

    MUST(context, cairn_plan_verify(plan, source, &rel, &abs));
    cr_expect_eq(rel, 0);
    REFUSED(context, NOT_VERIFIED, "1e-12", cairn_plan_verify(plan, other, &rel, &abs));
    cr_expect(rel > 1e-12 && abs > 0.9e-9);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&other);
    cairn_source_destroy(&source);
}

Test(api, a_replay_allocates_nothing)
{
    const cairn_problem size = {
        .size = sizeof(cairn_problem), .n = 500, .degree = 5, .seed = 3};
    cairn_source *source;
    cairn_plan   *plan;
    double        x[500] = {1}, y[500];
    int64_t       bytes, blocks, peak, after;

    MUST(context, cairn_source_generate(context, "mixed", &size, &source));
    cairn_tensor *tensor =
        must_store(context, source, "hybrid<bdia<16>,csr>", CAIRN_F64);

    MUST(context, cairn_plan_create_spmv(tensor, &plan));
    cairn_context_memory(context, &bytes, &blocks, &peak);
    cairn_context_set_memory(context, 1);
    for (int k = 0; k < 5; k++)
        MUST(context, cairn_plan_run(plan, x, y));
    cr_expect_eq(live_bytes(context), bytes);
    cairn_context_memory(context, &bytes, &blocks, &after);
    cr_expect_eq(after, peak);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

Test(api, structure_and_picture_of_the_figure)
{
    cairn_source     *source   = figure();
    cairn_source_info info     = CAIRN_SOURCE_INFO;
    int64_t           count[4] = {-1, -1, -1, -1};

    MUST(context, cairn_source_describe(source, &info));
    cr_expect(info.order == 2 && info.extent[0] == 5 && info.extent[1] == 4);
    cr_expect(info.nnz == 6 && info.diagonals == 3 && info.max_row == 3);
    cr_expect(info.empty_rows == 1 && info.bandwidth_lower == 1);
    cr_expect_eq(info.bandwidth_upper, 1);
    MUST(context, cairn_source_spy(source, 2, 2, count));
    cr_expect_eq(count[0] + count[1] + count[2] + count[3], 6);
    cairn_source_destroy(&source);
}

Test(api, the_catalogue_lists_and_defines_itself)
{
    const char *name;
    int         names = 0;

    for (; (name = cairn_catalogue_name(context, names)); names++) {
        char spec[128], copy[128];

        snprintf(copy, sizeof copy, "%s", name);
        sample_use(context, copy, spec, sizeof spec);
        cairn_format *format = must_format(context, spec);
        cairn_format *again  = must_format(context, cairn_format_text(format));

        cr_expect_str_eq(cairn_format_text(again), cairn_format_text(format));
        cairn_format_destroy(&again);
        cairn_format_destroy(&format);
    }
    cr_expect_gt(names, 20);
    cr_expect_null(cairn_catalogue_name(context, -1));
}
