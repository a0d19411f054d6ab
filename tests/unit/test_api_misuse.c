// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Wrong arguments of every public function: each pointer NULL in turn, enumerations out
/// of range, sizes negative or enormous. A call that can fail does, in words that name the
/// argument, with its outputs as they were; others take NULL for nothing.

#include "support/misuse.h"

#include <cairn/cairn.h>

#include <limits.h>
#include <stdlib.h>

static cairn_format *csr, *cube;
static cairn_source *source;
static cairn_tensor *tensor, *single, *given;
static cairn_plan   *plan, *plan_f32;
static cairn_path   *path;

static const int64_t extent[2] = {3, 3};
static const int64_t coord[]   = {0, 0, 1, 1, 2, 0};
static const double  value[]   = {1, 2, 3};
static const int64_t ptr[]     = {0, 1, 2, 3};
static const int64_t idx[]     = {0, 1, 0};
static const double  x[]       = {1, 2, 3};

static const int odd[] = {-1, 9, 77, INT_MAX, INT_MIN};

enum { ODD = sizeof odd / sizeof *odd };

/// Both ways of saying "many": by themselves, and when multiplied.
static const int64_t many[] = {INT64_MAX, INT64_MAX / 8};

static void up(void)
{
    setenv("CAIRN_KERNELS", "reference", 1);
    setenv("CAIRN_COSTS", "none", 1);
    setenv("CAIRN_THREADS", "1", 1);
    cr_assert_eq(cairn_context_create(&misused), CAIRN_OK);
    MUST(misused, cairn_context_set_memory(misused, (int64_t)1 << 28));
    MUST(misused, cairn_format_create(misused, named("csr"), &csr));
    MUST(misused, cairn_format_create(misused,
                                      "#encoding<{ idx_map<(d0,d1,d2)->(d0,d1,d2)>, "
                                      "mutation<merge(0,1), trim(0,2)> }>",
                                      &cube));
    MUST(misused, cairn_source_from_coords(misused, 2, extent, 3, coord, value,
                                           CAIRN_BY_NNZ, &source));
    MUST(misused, cairn_tensor_create(source, csr, CAIRN_F64, &tensor));
    MUST(misused, cairn_tensor_create(source, csr, CAIRN_F32, &single));
    MUST(misused, cairn_tensor_from_csr(misused, 3, 3, 0, 3, ptr, 64, idx, 64, value,
                                        CAIRN_F64, CAIRN_COPY, csr, &given));
    MUST(misused, cairn_plan_create_spmv(tensor, &plan));
    MUST(misused, cairn_plan_create_spmv(single, &plan_f32));
    MUST(misused, cairn_path_create(misused, csr, csr, NULL, &path));
}

static void down(void)
{
    cr_expect_gt(misuses, 0);
    cairn_path_destroy(&path);
    cairn_plan_destroy(&plan_f32);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&given);
    cairn_tensor_destroy(&single);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    cairn_format_destroy(&cube);
    cairn_format_destroy(&csr);
    cairn_context_destroy(&misused);
}

TestSuite(misuse, .init = up, .fini = down, .timeout = 300);

static bool is(cairn_status status)
{
    return status == CAIRN_OK;
}

static bool told(const char *text, const char *expected)
{
    return expected ? text && strcmp(text, expected) == 0 : !text;
}

/// After a call that returns nothing.
#define DONE(call) ((call), true)

Test(misuse, contexts_are_made)
{
    SILENT(cairn_context_create, context, NULL);
    SILENT(cairn_context_create_world, context, NULL);
    SILENT(cairn_context_create_fortran, context, 0, NULL);
    for (int k = 0; k < ODD; k++) {
        cairn_context *none = NULL;

        ALLOWS(cairn_context_create_fortran, comm,
               cairn_context_create_fortran(odd[k], &none) < 0
                   && cairn_context_message(none)[0]);
    }
    ALLOWS(cairn_context_destroy, context, DONE(cairn_context_destroy(NULL)));
    ALLOWS(cairn_context_message, context, cairn_context_message(NULL) != NULL);
    ALLOWS(cairn_context_rank, context, cairn_context_rank(NULL) == 0);
    ALLOWS(cairn_context_size, context, cairn_context_size(NULL) == 1);
    ALLOWS(cairn_context_threads, context, cairn_context_threads(NULL) == 0);
}

/// What could not be created tells why, and does nothing else.
Test(misuse, contexts_that_failed_keep_their_message)
{
    cairn_context *failed = NULL;
    char           before[256];

    setenv("CAIRN_THREADS", "-7", 1);
    cr_assert_eq(cairn_context_create(&failed), CAIRN_BAD_OPTION);
    cr_expect(strstr(cairn_context_message(failed), "CAIRN_THREADS"));
    cairn_context_destroy(&failed);
    setenv("CAIRN_THREADS", "1", 1);
    setenv("CAIRN_MEMORY", "-5", 1);
    cr_assert_eq(cairn_context_create(&failed), CAIRN_BAD_OPTION);
    cr_expect(strstr(cairn_context_message(failed), "CAIRN_MEMORY"));
    cairn_context_destroy(&failed);
    unsetenv("CAIRN_MEMORY");

    cr_assert_lt(cairn_context_create_fortran(-1, &failed), 0);
    cr_assert_not_null(failed);
    snprintf(before, sizeof before, "%s", cairn_context_message(failed));
    cr_expect_gt(strlen(before), 0);
    cr_expect_eq(cairn_source_read(failed, "a.mtx", CAIRN_BY_NNZ, OUT(cairn_source *)),
                 CAIRN_BAD_ARGUMENT);
    cr_expect_eq(cairn_format_create(failed, named("csr"), OUT(cairn_format *)),
                 CAIRN_BAD_ARGUMENT);
    cr_expect_str_eq(cairn_context_message(failed), before);
    cairn_context_destroy(&failed);
    misuses++;
}

Test(misuse, contexts_are_set)
{
    int64_t bytes = 1, blocks = 1, peak = 1;
    double  number[2] = {1, 2};

    SILENT(cairn_context_set_memory, context, NULL, 1);
    REFUSES(cairn_context_set_memory, bytes, misused, -5);
    REFUSES(cairn_context_set_memory, bytes, misused, 0);
    REFUSES(cairn_context_set_memory, bytes, misused, INT64_MIN);
    ALLOWS(cairn_context_set_memory, bytes,
           is(cairn_context_set_memory(misused, INT64_MAX)));
    SILENT(cairn_context_set_threads, context, NULL, 1);
    REFUSES(cairn_context_set_threads, threads, misused, -7);
    REFUSES(cairn_context_set_threads, threads, misused, 0);
    REFUSES(cairn_context_set_threads, threads, misused, INT_MAX);
    REFUSES(cairn_context_set_threads, threads, misused, INT_MIN);
    SILENT(cairn_context_set_replays, context, NULL, 1);
    REFUSES(cairn_context_set_replays, replays, misused, -1);
    REFUSES(cairn_context_set_replays, replays, misused, INT64_MIN);
    ALLOWS(cairn_context_memory, context,
           DONE(cairn_context_memory(NULL, &bytes, &blocks, &peak)) && bytes == 0
               && blocks == 0 && peak == 0);
    ALLOWS(cairn_context_memory, bytes,
           DONE(cairn_context_memory(misused, NULL, &blocks, &peak)) && blocks > 1);
    ALLOWS(cairn_context_memory, blocks,
           DONE(cairn_context_memory(misused, &bytes, NULL, &peak)) && bytes > 1);
    ALLOWS(cairn_context_memory, peak,
           DONE(cairn_context_memory(misused, &bytes, &blocks, NULL)) && bytes > 1);
    ALLOWS(cairn_context_set_progress, context,
           DONE(cairn_context_set_progress(NULL, NULL, NULL)));
    ALLOWS(cairn_context_set_progress, progress,
           DONE(cairn_context_set_progress(misused, NULL, number)));
    ALLOWS(cairn_context_set_progress, user,
           DONE(cairn_context_set_progress(misused, NULL, NULL)));
    SILENT(cairn_context_set_convert, context, NULL, "");
    REFUSES(cairn_context_set_convert, method, misused, NULL);
    FAILS(cairn_context_set_convert, method, misused, "nothing");
    ALLOWS(cairn_context_convert, context, !cairn_context_convert(NULL));
    ALLOWS(cairn_context_abandon, context, DONE(cairn_context_abandon(NULL)));
    ALLOWS(cairn_context_set_log, context,
           DONE(cairn_context_set_log(NULL, NULL, NULL)));
    ALLOWS(cairn_context_set_log, log,
           DONE(cairn_context_set_log(misused, NULL, number)));
    ALLOWS(cairn_context_set_log, user,
           DONE(cairn_context_set_log(misused, NULL, NULL)));
    ALLOWS(cairn_context_set_patience, context,
           DONE(cairn_context_set_patience(NULL, 1, 1)));
    ALLOWS(cairn_context_set_patience, warn,
           DONE(cairn_context_set_patience(misused, -1, 0)));
    ALLOWS(cairn_context_set_patience, give_up,
           DONE(cairn_context_set_patience(misused, 0, -1)));
    ALLOWS(cairn_context_given_up, context, cairn_context_given_up(NULL) == -1);
    SILENT(cairn_context_write_file, context, NULL, "a.txt", "a", 1);
    REFUSES(cairn_context_write_file, path, misused, NULL, "a", 1);
    REFUSES(cairn_context_write_file, bytes, misused, "a.txt", NULL, 1);
    REFUSES(cairn_context_write_file, length, misused, "a.txt", "a", SIZE_MAX);
    FAILS(cairn_context_write_file, path, misused, "", "a", 1);
    SILENT(cairn_context_agree, context, NULL, CAIRN_OK);
    for (int k = 0; k < ODD; k++)
        if (odd[k] != -1)
            REFUSES(cairn_context_agree, mine, misused, (cairn_status)odd[k]);
    SILENT(cairn_context_max, context, NULL, number, 2);
    REFUSES(cairn_context_max, values, misused, NULL, 2);
    REFUSES(cairn_context_max, n, misused, number, -1);
    REFUSES(cairn_context_max, n, misused, number, INT_MIN);
    ALLOWS(cairn_context_max, n, is(cairn_context_max(misused, NULL, 0)));
}

Test(misuse, tables_have_ends)
{
    static const char *const names[] = {"abc", NULL};

    for (int k = 0; k < ODD; k++) {
        if (odd[k] == 9) continue; /* which some of them have */
        ALLOWS(cairn_option_name, k, !cairn_option_name(odd[k]));
        ALLOWS(cairn_option_default, k, !cairn_option_default(odd[k]));
        ALLOWS(cairn_option_help, k, !cairn_option_help(odd[k]));
        ALLOWS(cairn_device_kind_name, k, !cairn_device_kind_name(odd[k]));
        ALLOWS(cairn_problem_name, k, !cairn_problem_name(odd[k]));
        ALLOWS(cairn_problem_help, k, !cairn_problem_help(odd[k]));
        ALLOWS(cairn_catalogue_name, k,
               odd[k] == 77 || !cairn_catalogue_name(misused, odd[k]));
        ALLOWS(cairn_diagnostic_level_name, level,
               cairn_diagnostic_level_name(odd[k])[0] != '\0');
        ALLOWS(cairn_status_text, status,
               cairn_status_text((cairn_status)odd[k])[0] != '\0');
        ALLOWS(cairn_status_failed_here, status,
               cairn_status_failed_here((cairn_status)odd[k]));
        ALLOWS(cairn_model_number_at, k,
               odd[k] == 77
                   || (!cairn_model_number_at(odd[k], SIZED(cairn_model_number))
                       && !is_touched()));
    }
    ALLOWS(cairn_model_number_at, number, cairn_model_number_at(0, NULL) == 0);
    ALLOWS(cairn_catalogue_name, context, !cairn_catalogue_name(NULL, 0));
    ALLOWS(cairn_device_kind_what, kind, !cairn_device_kind_what(NULL));
    ALLOWS(cairn_nearest_name, word, !cairn_nearest_name(NULL, names));
    ALLOWS(cairn_nearest_name, names, !cairn_nearest_name("abc", NULL));
    ALLOWS(cairn_version, , cairn_version()[0] != '\0');
}

Test(misuse, devices)
{
    SILENT(cairn_devices_list, context, NULL, OUT(int), OTHER(cairn_device_info *));
    REFUSES(cairn_devices_list, count, misused, NULL, OUT(cairn_device_info *));
    REFUSES(cairn_devices_list, devices, misused, OUT(int), NULL);
    ALLOWS(cairn_devices_free, context,
           DONE(cairn_devices_free(NULL, OUT(cairn_device_info *))) && !is_touched());
    ALLOWS(cairn_devices_free, devices, DONE(cairn_devices_free(misused, NULL)));
    SILENT(cairn_devices_cores, context, NULL, OUT(int), OTHER(int));
    REFUSES(cairn_devices_cores, bound, misused, NULL, OUT(int));
    REFUSES(cairn_devices_cores, share, misused, OUT(int), NULL);
    SILENT(cairn_machine_list, context, NULL, OUT(int), OTHER(cairn_machine_piece *));
    REFUSES(cairn_machine_list, count, misused, NULL, OUT(cairn_machine_piece *));
    REFUSES(cairn_machine_list, pieces, misused, OUT(int), NULL);
    ALLOWS(cairn_machine_free, context,
           DONE(cairn_machine_free(NULL, OUT(cairn_machine_piece *))));
    ALLOWS(cairn_machine_free, pieces, DONE(cairn_machine_free(misused, NULL)));
    SILENT(cairn_devices_tree, context, NULL, OUT(char *));
    REFUSES(cairn_devices_tree, text, misused, NULL);
    SILENT(cairn_devices_models, context, NULL, OUT(int),
           OTHER(cairn_cost_model_info *));
    REFUSES(cairn_devices_models, count, misused, NULL, OUT(cairn_cost_model_info *));
    REFUSES(cairn_devices_models, models, misused, OUT(int), NULL);
    ALLOWS(cairn_devices_models_free, context,
           DONE(cairn_devices_models_free(NULL, OUT(cairn_cost_model_info *))));
    ALLOWS(cairn_devices_models_free, models,
           DONE(cairn_devices_models_free(misused, NULL)));
    SILENT(cairn_devices_models_file, context, NULL, OUT(char *), OTHER(char *));
    REFUSES(cairn_devices_models_file, file, misused, NULL, OUT(char *));
    REFUSES(cairn_devices_models_file, note, misused, OUT(char *), NULL);
    SILENT(cairn_devices_check, context, NULL, "cpu", NULL, 1);
    for (int k = 0; k < ODD; k++)
        if (odd[k] != 9)
            REFUSES(cairn_devices_check, members, misused, "cpu", NULL, odd[k]);
    ALLOWS(cairn_devices_check, place, is(cairn_devices_check(misused, NULL, NULL, 1)));
    ALLOWS(cairn_devices_check, devices,
           is(cairn_devices_check(misused, "cpu", NULL, 1)));
    SILENT(cairn_doctor, context, NULL, OUT(int), OTHER(cairn_diagnostic *));
    REFUSES(cairn_doctor, count, misused, NULL, OUT(cairn_diagnostic *));
    REFUSES(cairn_doctor, diagnostics, misused, OUT(int), NULL);
    ALLOWS(cairn_diagnostics_free, context,
           DONE(cairn_diagnostics_free(NULL, OUT(cairn_diagnostic *))));
    ALLOWS(cairn_diagnostics_free, diagnostics,
           DONE(cairn_diagnostics_free(misused, NULL)));
}

/// Elements of lists are as large as the caller says: at least a size, and no nonsense.
Test(misuse, sizes_of_elements)
{
    static const size_t wrong[] = {0, 7, SIZE_MAX, (size_t)1 << 40};

    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        FAILS(cairn_devices_list_sized, size, misused, wrong[k], OUT(int),
              OTHER(cairn_device_info *));
        FAILS(cairn_machine_list_sized, size, misused, wrong[k], OUT(int),
              OTHER(cairn_machine_piece *));
        FAILS(cairn_devices_models_sized, size, misused, wrong[k], OUT(int),
              OTHER(cairn_cost_model_info *));
        FAILS(cairn_doctor_sized, size, misused, wrong[k], OUT(int),
              OTHER(cairn_diagnostic *));
        FAILS(cairn_tensor_parts_sized, size, tensor, wrong[k], OUT(int64_t),
              OTHER(cairn_part_info *));
        FAILS(cairn_plan_parts_sized, size, plan, wrong[k], OUT(int64_t),
              OTHER(cairn_plan_part *));
    }
}

Test(misuse, formats)
{
    cairn_format *none = NULL;

    SILENT(cairn_format_create, context, NULL, "csr", OUT(cairn_format *));
    REFUSES(cairn_format_create, text, misused, NULL, OUT(cairn_format *));
    REFUSES(cairn_format_create, format, misused, named("csr"), NULL);
    FAILS(cairn_format_create, text, misused, "", OUT(cairn_format *));
    ALLOWS(cairn_format_destroy, format,
           DONE(cairn_format_destroy(NULL)) && DONE(cairn_format_destroy(&none)));
    SILENT(cairn_format_align, format, NULL, 64);
    REFUSES(cairn_format_align, rows, csr, -1);
    REFUSES(cairn_format_align, rows, csr, 0);
    REFUSES(cairn_format_align, rows, csr, (1 << 20) + 1);
    ALLOWS(cairn_format_text, format, told(cairn_format_text(NULL), NULL));
    ALLOWS(cairn_format_members, format, cairn_format_members(NULL) == 0);
    ALLOWS(cairn_format_order, format, cairn_format_order(NULL) == 0);
    ALLOWS(cairn_format_member, format, told(cairn_format_member(NULL, 0), NULL));
    ALLOWS(cairn_format_distribution, format,
           told(cairn_format_distribution(NULL, -1), NULL));
    ALLOWS(cairn_format_levels, format, cairn_format_levels(NULL, 0) == 0);
    for (int k = 0; k < ODD; k++) {
        ALLOWS(cairn_format_distribution, member,
               told(cairn_format_distribution(csr, odd[k]), NULL));
        ALLOWS(cairn_format_member, member,
               told(cairn_format_member(csr, odd[k]), NULL));
        ALLOWS(cairn_format_levels, member, cairn_format_levels(csr, odd[k]) == 0);
        FAILS(cairn_format_level, member, csr, odd[k], 0, SIZED(cairn_level_info));
        FAILS(cairn_format_level, level, csr, 0, odd[k], SIZED(cairn_level_info));
        FAILS(cairn_format_storage, member, csr, odd[k], SIZED(cairn_storage_info));
        FAILS(cairn_format_inverse, member, csr, odd[k], 0, OUT(char *));
        FAILS(cairn_format_inverse, mode, csr, 0, odd[k], OUT(char *));
        FAILS(cairn_format_query, member, csr, odd[k], 0, OUT(char *));
        FAILS(cairn_format_query, query, csr, 0, odd[k], OUT(char *));
        FAILS(cairn_format_query, query, csr, -1, odd[k], OUT(char *));
    }
    SILENT(cairn_format_level, format, NULL, 0, 0, SIZED(cairn_level_info));
    REFUSES(cairn_format_level, info, csr, 0, 0, NULL);
    SILENT(cairn_format_storage, format, NULL, 0, SIZED(cairn_storage_info));
    REFUSES(cairn_format_storage, info, csr, 0, NULL);
    SILENT(cairn_format_inverse, format, NULL, 0, 0, OUT(char *));
    REFUSES(cairn_format_inverse, text, csr, 0, 0, NULL);
    SILENT(cairn_format_query, format, NULL, 0, 0, OUT(char *));
    REFUSES(cairn_format_query, text, csr, 0, 0, NULL);
}

Test(misuse, catalogue_and_paths)
{
    cairn_path *none = NULL;

    SILENT(cairn_catalogue_definition, context, NULL, named("csr"), OUT(char *),
           OTHER(int));
    REFUSES(cairn_catalogue_definition, name, misused, NULL, OUT(char *), OTHER(int));
    REFUSES(cairn_catalogue_definition, text, misused, named("csr"), NULL, OUT(int));
    REFUSES(cairn_catalogue_definition, missing, misused, named("csr"), OUT(char *),
            NULL);
    SILENT(cairn_catalogue_note, context, NULL, named("csr"), OUT(char *));
    REFUSES(cairn_catalogue_note, name, misused, NULL, OUT(char *));
    REFUSES(cairn_catalogue_note, text, misused, named("csr"), NULL);
    SILENT(cairn_path_create, context, NULL, csr, csr, extent, OUT(cairn_path *));
    REFUSES(cairn_path_create, from, misused, NULL, csr, extent, OUT(cairn_path *));
    REFUSES(cairn_path_create, to, misused, csr, NULL, extent, OUT(cairn_path *));
    REFUSES(cairn_path_create, path, misused, csr, csr, extent, NULL);
    for (int k = 0; k < 2; k++) {
        int64_t wrong[2] = {3, 3};

        wrong[k] = -1;
        REFUSES(cairn_path_create, extent, misused, csr, csr, wrong, OUT(cairn_path *));
        wrong[k] = INT64_MAX;
        REFUSES(cairn_path_create, extent, misused, csr, csr, wrong, OUT(cairn_path *));
    }
    ALLOWS(cairn_path_create, extent,
           is(cairn_path_create(misused, csr, csr, NULL, OUT(cairn_path *))));
    ALLOWS(cairn_path_destroy, path,
           DONE(cairn_path_destroy(NULL)) && DONE(cairn_path_destroy(&none)));
    ALLOWS(cairn_path_steps, path, cairn_path_steps(NULL) == 0);
    ALLOWS(cairn_path_get_step, path,
           !cairn_path_get_step(NULL, 0, SIZED(cairn_path_step)) && !is_touched());
    ALLOWS(cairn_path_get_step, step, !cairn_path_get_step(path, 0, NULL));
    ALLOWS(cairn_path_get_pass, path,
           !cairn_path_get_pass(NULL, 0, SIZED(cairn_pass_info)) && !is_touched());
    ALLOWS(cairn_path_get_pass, info, !cairn_path_get_pass(path, 0, NULL));
    ALLOWS(cairn_path_get_alternative, path,
           !cairn_path_get_alternative(NULL, 0, 0, SIZED(cairn_pass_alternative))
               && !is_touched());
    ALLOWS(cairn_path_get_alternative, alternative,
           !cairn_path_get_alternative(path, 0, 0, NULL));
    for (int k = 0; k < ODD; k++) {
        if (odd[k] == 9) continue;
        ALLOWS(cairn_path_get_step, k,
               !cairn_path_get_step(path, odd[k], SIZED(cairn_path_step))
                   && !is_touched());
        ALLOWS(cairn_path_get_pass, k,
               !cairn_path_get_pass(path, odd[k], SIZED(cairn_pass_info))
                   && !is_touched());
        ALLOWS(
            cairn_path_get_alternative, k,
            !cairn_path_get_alternative(path, odd[k], 0, SIZED(cairn_pass_alternative))
                && !is_touched());
        ALLOWS(
            cairn_path_get_alternative, n,
            !cairn_path_get_alternative(path, 0, odd[k], SIZED(cairn_pass_alternative))
                && !is_touched());
    }
    ALLOWS(cairn_path_at, path, !cairn_path_at(NULL, 0).rule);
    for (int k = 0; k < ODD; k++)
        ALLOWS(cairn_path_at, k, !cairn_path_at(path, odd[k]).rule);
    ALLOWS(cairn_path_rates, path, !cairn_path_rates(NULL));
    ALLOWS(cairn_path_assumes, path, !cairn_path_assumes(NULL, 0, NULL));
    for (int k = 0; k < ODD; k++)
        ALLOWS(cairn_path_assumes, k, !cairn_path_assumes(path, odd[k], NULL));
    ALLOWS(cairn_path_device, path, !cairn_path_device(NULL, 0));
    for (int k = 0; k < ODD; k++)
        ALLOWS(cairn_path_device, k, !cairn_path_device(path, odd[k]));
    ALLOWS(cairn_path_assumes, otherwise, !cairn_path_assumes(path, 0, NULL));
    ALLOWS(cairn_path_passes, path, cairn_path_passes(NULL) == 0);
    ALLOWS(cairn_path_pass, path, !cairn_path_pass(NULL, 0).method);
    for (int k = 0; k < ODD; k++)
        ALLOWS(cairn_path_pass, k,
               (odd[k] > 0 && odd[k] < INT_MAX)
                   || !cairn_path_pass(path, odd[k]).method);
    ALLOWS(cairn_path_alternative, path, !cairn_path_alternative(NULL, 0, 0).method);
    for (int k = 0; k < ODD; k++) {
        ALLOWS(cairn_path_alternative, k,
               (odd[k] > 0 && odd[k] < INT_MAX)
                   || !cairn_path_alternative(path, odd[k], INT_MAX).method);
        ALLOWS(cairn_path_alternative, n,
               (odd[k] > 0 && odd[k] < INT_MAX)
                   || !cairn_path_alternative(path, 0, odd[k]).method || odd[k] == 0);
    }
    ALLOWS(cairn_path_routes, path, cairn_path_routes(NULL, OUT(double)) == 0);
    ALLOWS(cairn_path_routes, next_best, cairn_path_routes(path, NULL) > 0);
    ALLOWS(cairn_path_asked, path, cairn_path_asked(NULL) == 0);
    ALLOWS(cairn_path_sent, path,
           cairn_path_sent(NULL, OUT(int64_t), OUT(int64_t)) == 0);
    ALLOWS(cairn_path_sent, entries, cairn_path_sent(path, NULL, OUT(int64_t)) == 0);
    ALLOWS(cairn_path_sent, messages, cairn_path_sent(path, OUT(int64_t), NULL) == 0);
    ALLOWS(cairn_text_free, context,
           DONE(cairn_text_free(NULL, OUT(char *))) && !is_touched());
    ALLOWS(cairn_text_free, text, DONE(cairn_text_free(misused, NULL)));
}

Test(misuse, sources_are_read_and_generated)
{
    cairn_source       *none   = NULL;
    const cairn_problem good   = {.size = sizeof(cairn_problem), .n = 4, .degree = 2};
    const int64_t       offset = 0;

    SILENT(cairn_source_read, context, NULL, "a.mtx", CAIRN_BY_NNZ,
           OUT(cairn_source *));
    REFUSES(cairn_source_read, path, misused, NULL, CAIRN_BY_NNZ, OUT(cairn_source *));
    REFUSES(cairn_source_read, source, misused, "a.mtx", CAIRN_BY_NNZ, NULL);
    FAILS(cairn_source_read, path, misused, "", CAIRN_BY_NNZ, OUT(cairn_source *));
    for (int k = 0; k < ODD; k++)
        REFUSES(cairn_source_read, division, misused, "a.mtx", (cairn_division)odd[k],
                OUT(cairn_source *));
    SILENT(cairn_source_generate, context, NULL, "tridiag", &good, OUT(cairn_source *));
    REFUSES(cairn_source_generate, kind, misused, NULL, &good, OUT(cairn_source *));
    REFUSES(cairn_source_generate, problem, misused, "tridiag", NULL,
            OUT(cairn_source *));
    REFUSES(cairn_source_generate, source, misused, "tridiag", &good, NULL);
    for (int k = 0; k < ODD; k++) {
        if (odd[k] > 0 && odd[k] < INT_MAX) continue;
        const cairn_problem offsets = {.size         = sizeof(cairn_problem),
                                       .n            = 4,
                                       .offsets      = &offset,
                                       .offset_count = odd[k]};
        const cairn_problem nowhere = {
            .size = sizeof(cairn_problem), .n = 4, .offset_count = odd[k]};

        FAILS(cairn_source_generate, problem, misused, "banded", &offsets,
              OUT(cairn_source *));
        FAILS(cairn_source_generate, problem, misused, "banded", &nowhere,
              OUT(cairn_source *));
    }
    ALLOWS(cairn_source_destroy, source,
           DONE(cairn_source_destroy(NULL)) && DONE(cairn_source_destroy(&none)));
}

/// Sizes that no kind of problem can have.
Test(misuse, problems_have_sizes)
{
    const int64_t sizes[] = {-1, INT64_MIN, INT64_MAX, INT64_MAX / 2};

    for (int kind = 0; cairn_problem_name(kind); kind++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            const int64_t       n   = sizes[k];
            const cairn_problem all = {.size    = sizeof(cairn_problem),
                                       .nx      = n,
                                       .ny      = n,
                                       .nz      = n,
                                       .n       = n,
                                       .degree  = n,
                                       .scale   = n,
                                       .edges   = n,
                                       .rows    = n,
                                       .cols    = n,
                                       .density = k % 2 ? -1 : 2};

            FAILS(cairn_source_generate, problem, misused, cairn_problem_name(kind),
                  &all, OUT(cairn_source *));
        }
}

Test(misuse, sources_of_coordinates)
{
    const int64_t below[] = {-1, 3}, wide[] = {INT64_MAX, 3};

    SILENT(cairn_source_from_coords, context, NULL, 2, extent, 3, coord, value,
           CAIRN_BY_NNZ, OUT(cairn_source *));
    REFUSES(cairn_source_from_coords, extent, misused, 2, NULL, 3, coord, value,
            CAIRN_BY_NNZ, OUT(cairn_source *));
    REFUSES(cairn_source_from_coords, coord, misused, 2, extent, 3, NULL, value,
            CAIRN_BY_NNZ, OUT(cairn_source *));
    REFUSES(cairn_source_from_coords, source, misused, 2, extent, 3, coord, value,
            CAIRN_BY_NNZ, NULL);
    for (int k = 0; k < ODD; k++) {
        REFUSES(cairn_source_from_coords, division, misused, 2, extent, 3, coord, value,
                (cairn_division)odd[k], OUT(cairn_source *));
        if (odd[k] == 9) continue;
        FAILS(cairn_source_from_coords, order, misused, odd[k], extent, 3, coord, value,
              CAIRN_BY_NNZ, OUT(cairn_source *));
    }
    FAILS(cairn_source_from_coords, order, misused, 0, extent, 3, coord, value,
          CAIRN_BY_NNZ, OUT(cairn_source *));
    FAILS(cairn_source_from_coords, extent, misused, 2, below, 3, coord, value,
          CAIRN_BY_NNZ, OUT(cairn_source *));
    FAILS(cairn_source_from_coords, extent, misused, 2, wide, 3, coord, value,
          CAIRN_BY_NNZ, OUT(cairn_source *));
    FAILS(cairn_source_from_coords, nnz, misused, 2, extent, -1, coord, value,
          CAIRN_BY_NNZ, OUT(cairn_source *));
    FAILS(cairn_source_from_coords, nnz, misused, 2, extent, INT64_MIN, coord, value,
          CAIRN_BY_NNZ, OUT(cairn_source *));
    for (int k = 0; k < 2; k++)
        FAILS(cairn_source_from_coords, nnz, misused, 2, extent, many[k], coord, value,
              CAIRN_BY_NNZ, OUT(cairn_source *));
    ALLOWS(cairn_source_from_coords, value,
           is(cairn_source_from_coords(misused, 2, extent, 3, coord, NULL, CAIRN_BY_NNZ,
                                       OUT(cairn_source *))));
    ALLOWS(cairn_source_from_coords, coord,
           is(cairn_source_from_coords(misused, 2, extent, 0, NULL, NULL, CAIRN_BY_NNZ,
                                       OUT(cairn_source *))));
}

Test(misuse, sources_are_looked_at)
{
    SILENT(cairn_source_describe, source, NULL, SIZED(cairn_source_info));
    REFUSES(cairn_source_describe, info, source, NULL);
    SILENT(cairn_source_spy, source, NULL, 2, 2, OUT(int64_t));
    REFUSES(cairn_source_spy, count, source, 2, 2, NULL);
    for (int k = 0; k < ODD; k++) {
        if (odd[k] == 9 || odd[k] == 77) continue;
        FAILS(cairn_source_spy, width, source, odd[k], 2, OUT(int64_t));
        FAILS(cairn_source_spy, height, source, 2, odd[k], OUT(int64_t));
        FAILS(cairn_source_spy, height, source, odd[k], odd[k], OUT(int64_t));
    }
    FAILS(cairn_source_spy, width, source, 0, 2, OUT(int64_t));
    SILENT(cairn_source_write, source, NULL, "a.mtx");
    REFUSES(cairn_source_write, path, source, NULL);
    FAILS(cairn_source_write, path, source, "");
}

Test(misuse, tensors_are_made)
{
    cairn_tensor *none = NULL;

    REFUSES(cairn_tensor_create, source, NULL, csr, CAIRN_F64, OUT(cairn_tensor *));
    SILENT(cairn_tensor_create, source, NULL, NULL, CAIRN_F64, OUT(cairn_tensor *));
    REFUSES(cairn_tensor_create, format, source, NULL, CAIRN_F64, OUT(cairn_tensor *));
    REFUSES(cairn_tensor_create, tensor, source, csr, CAIRN_F64, NULL);
    FAILS(cairn_tensor_create, format, source, cube, CAIRN_F64, OUT(cairn_tensor *));
    for (int k = 0; k < ODD; k++)
        REFUSES(cairn_tensor_create, dtype, source, csr, (cairn_dtype)odd[k],
                OUT(cairn_tensor *));
    REFUSES(cairn_tensor_convert, tensor, NULL, csr, OUT(cairn_tensor *));
    SILENT(cairn_tensor_convert, tensor, NULL, NULL, OUT(cairn_tensor *));
    REFUSES(cairn_tensor_convert, format, tensor, NULL, OUT(cairn_tensor *));
    REFUSES(cairn_tensor_convert, converted, tensor, csr, NULL);
    FAILS(cairn_tensor_convert, format, tensor, cube, OUT(cairn_tensor *));
    SILENT(cairn_tensor_read, context, NULL, "a.cairn", OUT(cairn_tensor *));
    REFUSES(cairn_tensor_read, path, misused, NULL, OUT(cairn_tensor *));
    REFUSES(cairn_tensor_read, tensor, misused, "a.cairn", NULL);
    SILENT(cairn_file_is_native, context, NULL, "a.cairn", OUT(bool));
    REFUSES(cairn_file_is_native, path, misused, NULL, OUT(bool));
    REFUSES(cairn_file_is_native, native, misused, "a.cairn", NULL);
    SILENT(cairn_source_from_tensor, tensor, NULL, OUT(cairn_source *));
    REFUSES(cairn_source_from_tensor, source, tensor, NULL);
    SILENT(cairn_source_divide_like, source, NULL, tensor);
    REFUSES(cairn_source_divide_like, tensor, source, NULL);
    ALLOWS(cairn_tensor_destroy, tensor,
           DONE(cairn_tensor_destroy(NULL)) && DONE(cairn_tensor_destroy(&none)));
}

/// A call whose arguments are right, but for those that are named.
typedef struct {
    cairn_context      *context;
    int64_t             global_rows, global_cols, first_row, rows;
    const void         *ptr, *idx, *val;
    int                 ptr_bits, idx_bits;
    cairn_dtype         dtype;
    cairn_copy_mode     mode;
    const cairn_format *format;
    cairn_tensor      **tensor;
} from_csr;

static cairn_status cairn_tensor_from_csr_with(const from_csr *a)
{
    return cairn_tensor_from_csr(a->context, a->global_rows, a->global_cols,
                                 a->first_row, a->rows, a->ptr, a->ptr_bits, a->idx,
                                 a->idx_bits, a->val, a->dtype, a->mode, a->format,
                                 a->tensor);
}

#define CSR(changed)                                                           \
    ({                                                                         \
        from_csr call_ = {                                                     \
            misused, 3,  3,  0,         3,          ptr, idx,                  \
            value,   64, 64, CAIRN_F64, CAIRN_COPY, csr, OUT(cairn_tensor *)}; \
        call_.changed;                                                         \
        cairn_tensor_from_csr_with(&call_);                                    \
    })
#define CSR_NAMES(argument, changed)                                                \
    do {                                                                            \
        if (misuse_begins())                                                        \
            misuse_refused(CSR(changed), "cairn_tensor_from_csr: " #argument ": "); \
        misuse_judge("cairn_tensor_from_csr", #argument, #changed, __LINE__);       \
    } while (0)
#define CSR_FAILS(changed)                                             \
    do {                                                               \
        if (misuse_begins()) misuse_refused(CSR(changed), "");         \
        misuse_judge("cairn_tensor_from_csr", "", #changed, __LINE__); \
    } while (0)

Test(misuse, tensors_of_compressed_rows)
{
    static const int64_t none[4] = {0}, descends[] = {0, 2, 1, 3};
    static const int64_t late[] = {1, 1, 2, 3}, outside[] = {0, 3, -1};
    const int64_t        wrong[] = {-1, INT64_MIN, INT64_MAX};
    cairn_tensor       **out     = OUT(cairn_tensor *);

    SILENT(cairn_tensor_from_csr, context, NULL, 3, 3, 0, 3, ptr, 64, idx, 64, value,
           CAIRN_F64, CAIRN_COPY, csr, out);
    REFUSES(cairn_tensor_from_csr, ptr, misused, 3, 3, 0, 3, NULL, 64, idx, 64, value,
            CAIRN_F64, CAIRN_COPY, csr, out);
    REFUSES(cairn_tensor_from_csr, idx, misused, 3, 3, 0, 3, ptr, 64, NULL, 64, value,
            CAIRN_F64, CAIRN_COPY, csr, out);
    REFUSES(cairn_tensor_from_csr, val, misused, 3, 3, 0, 3, ptr, 64, idx, 64, NULL,
            CAIRN_F64, CAIRN_COPY, csr, out);
    REFUSES(cairn_tensor_from_csr, tensor, misused, 3, 3, 0, 3, ptr, 64, idx, 64, value,
            CAIRN_F64, CAIRN_COPY, csr, NULL);
    CSR_NAMES(val, val = NULL; call_.mode = CAIRN_BORROW; call_.format = NULL);
    for (int k = 0; k < ODD; k++) {
        REFUSES(cairn_tensor_from_csr, dtype, misused, 3, 3, 0, 3, ptr, 64, idx, 64,
                value, (cairn_dtype)odd[k], CAIRN_COPY, csr, out);
        REFUSES(cairn_tensor_from_csr, mode, misused, 3, 3, 0, 3, ptr, 64, idx, 64,
                value, CAIRN_F64, (cairn_copy_mode)odd[k], csr, out);
        FAILS(cairn_tensor_from_csr, ptr_bits, misused, 3, 3, 0, 3, ptr, odd[k], idx,
              64, value, CAIRN_F64, CAIRN_COPY, csr, out);
        FAILS(cairn_tensor_from_csr, idx_bits, misused, 3, 3, 0, 3, ptr, 64, idx,
              odd[k], value, CAIRN_F64, CAIRN_COPY, csr, out);
    }
    for (int k = 0; k < 3; k++) {
        FAILS(cairn_tensor_from_csr, global_rows, misused, wrong[k], 3, 0, 3, ptr, 64,
              idx, 64, value, CAIRN_F64, CAIRN_COPY, csr, out);
        FAILS(cairn_tensor_from_csr, global_cols, misused, 3, wrong[k], 0, 3, ptr, 64,
              idx, 64, value, CAIRN_F64, CAIRN_COPY, csr, out);
        FAILS(cairn_tensor_from_csr, first_row, misused, 3, 3, wrong[k], 3, ptr, 64,
              idx, 64, value, CAIRN_F64, CAIRN_COPY, csr, out);
        FAILS(cairn_tensor_from_csr, rows, misused, 3, 3, 0, wrong[k], ptr, 64, idx, 64,
              value, CAIRN_F64, CAIRN_COPY, csr, out);
    }
    CSR_FAILS(format = cube);
    CSR_FAILS(ptr = descends);
    CSR_FAILS(ptr = late);
    CSR_FAILS(idx = outside);
    ALLOWS(cairn_tensor_from_csr, format,
           is(cairn_tensor_from_csr(misused, 3, 3, 0, 3, ptr, 64, idx, 64, value,
                                    CAIRN_F64, CAIRN_COPY, NULL, out)));
    ALLOWS(cairn_tensor_from_csr, val,
           is(CSR(ptr = none; call_.idx = NULL; call_.val = NULL)));
    SILENT(cairn_tensor_update, tensor, NULL, value);
    REFUSES(cairn_tensor_update, val, given, NULL);
    FAILS(cairn_tensor_update, tensor, tensor, value);
}

/// A struct of three rows, but for what is changed.
#define ROWS_FAIL(changed)                                                          \
    do {                                                                            \
        cairn_csr rows_ = three;                                                    \
        rows_.changed;                                                              \
        if (misuse_begins())                                                        \
            misuse_refused(cairn_tensor_from_rows(misused, &rows_, CAIRN_COPY, csr, \
                                                  OUT(cairn_tensor *)),             \
                           "");                                                     \
        misuse_judge("cairn_tensor_from_rows", "", #changed, __LINE__);             \
        if (misuse_begins())                                                        \
            misuse_refused(cairn_tensor_from_blocks(misused, &three, &rows_, &map,  \
                                                    csr, OUT(cairn_tensor *)),      \
                           "");                                                     \
        misuse_judge("cairn_tensor_from_blocks", "", #changed, __LINE__);           \
    } while (0)

Test(misuse, tensors_of_rows_by_a_struct)
{
    static const int64_t wrong[] = {-1, INT64_MIN, INT64_MAX};
    cairn_csr            three = CAIRN_CSR, small = {.size = 1};
    cairn_column_map     map = CAIRN_COLUMN_MAP, no_map = {.size = 1};
    cairn_tensor       **out = OUT(cairn_tensor *);

    three.global_rows = three.global_cols = three.rows = 3;
    three.ptr                                          = ptr;
    three.idx                                          = idx;
    three.val                                          = value;
    map.cols = map.ghosts = 3;
    map.col               = idx;
    SILENT(cairn_tensor_from_rows, context, NULL, &three, CAIRN_COPY, csr, out);
    REFUSES(cairn_tensor_from_rows, rows, misused, NULL, CAIRN_COPY, csr, out);
    FAILS(cairn_tensor_from_rows, rows, misused, &small, CAIRN_COPY, csr, out);
    REFUSES(cairn_tensor_from_rows, tensor, misused, &three, CAIRN_COPY, csr, NULL);
    FAILS(cairn_tensor_from_rows, format, misused, &three, CAIRN_COPY, cube, out);
    ALLOWS(cairn_tensor_from_rows, format,
           is(cairn_tensor_from_rows(misused, &three, CAIRN_COPY, NULL, out)));
    FAILS(cairn_tensor_from_rows, mode, misused, &three, CAIRN_TAKE, csr, out);
    SILENT(cairn_tensor_from_blocks, context, NULL, &three, &three, &map, csr, out);
    REFUSES(cairn_tensor_from_blocks, local, misused, NULL, &three, &map, csr, out);
    REFUSES(cairn_tensor_from_blocks, ghost, misused, &three, NULL, &map, csr, out);
    REFUSES(cairn_tensor_from_blocks, map, misused, &three, &three, NULL, csr, out);
    FAILS(cairn_tensor_from_blocks, local, misused, &small, &three, &map, csr, out);
    FAILS(cairn_tensor_from_blocks, ghost, misused, &three, &small, &map, csr, out);
    FAILS(cairn_tensor_from_blocks, map, misused, &three, &three, &no_map, csr, out);
    REFUSES(cairn_tensor_from_blocks, tensor, misused, &three, &three, &map, csr, NULL);
    FAILS(cairn_tensor_from_blocks, format, misused, &three, &three, &map, cube, out);
    ALLOWS(cairn_tensor_from_blocks, format,
           is(cairn_tensor_from_blocks(misused, &three, &three, &map, NULL, out)));
    for (int k = 0; k < ODD; k++) {
        REFUSES(cairn_tensor_from_rows, mode, misused, &three, (cairn_copy_mode)odd[k],
                csr, out);
        ROWS_FAIL(dtype = (cairn_dtype)odd[k]);
        ROWS_FAIL(ptr_bits = odd[k]);
        ROWS_FAIL(idx_bits = odd[k]);
        ROWS_FAIL(val_kind = odd[k]);
        ROWS_FAIL(val_bits = odd[k]);
        ROWS_FAIL(base = odd[k]);
    }
    for (int k = 0; k < 3; k++) {
        ROWS_FAIL(global_rows = wrong[k]);
        ROWS_FAIL(global_cols = wrong[k]);
        ROWS_FAIL(first_row = wrong[k]);
        ROWS_FAIL(rows = wrong[k] == -1 ? -2 : wrong[k]);
    }
    ROWS_FAIL(ptr = NULL);
    ROWS_FAIL(idx = NULL);
    ROWS_FAIL(val = NULL);
    ROWS_FAIL(base = 1);
    ROWS_FAIL(dtype = CAIRN_F32; rows_.val_bits = 64);
    SILENT(cairn_tensor_update_blocks, tensor, NULL, value, value);
    FAILS(cairn_tensor_update_blocks, tensor, given, value, value);
}

Test(misuse, two_blocks)
{
    const int64_t    wrong[] = {-1, INT64_MIN, INT64_MAX};
    cairn_csr        three   = CAIRN_CSR;
    cairn_column_map map     = CAIRN_COLUMN_MAP;
    cairn_tensor    *blocks  = NULL;
    cairn_tensor   **out     = OUT(cairn_tensor *);

    three.global_rows = three.global_cols = three.rows = 3;
    three.ptr                                          = ptr;
    three.idx                                          = idx;
    three.val                                          = value;
    map.cols = map.ghosts = 3;
    map.col               = idx;
    for (int k = 0; k < 3; k++) {
        cairn_column_map first = map, cols = map, ghosts = map;

        first.first_col = wrong[k];
        cols.cols       = wrong[k];
        ghosts.ghosts   = wrong[k] == INT64_MAX ? -2 : wrong[k];
        FAILS(cairn_tensor_from_blocks, map, misused, &three, &three, &first, csr, out);
        FAILS(cairn_tensor_from_blocks, map, misused, &three, &three, &cols, csr, out);
        FAILS(cairn_tensor_from_blocks, map, misused, &three, &three, &ghosts, csr,
              out);
    }
    for (int k = 0; k < ODD; k++) {
        cairn_column_map bits = map, base = map;

        bits.bits = odd[k];
        base.base = odd[k];
        FAILS(cairn_tensor_from_blocks, map, misused, &three, &three, &bits, csr, out);
        FAILS(cairn_tensor_from_blocks, map, misused, &three, &three, &base, csr, out);
    }
    MUST(misused,
         cairn_tensor_from_blocks(misused, &three, &three, &map, csr, &blocks));
    REFUSES(cairn_tensor_update_blocks, local_val, blocks, NULL, value);
    REFUSES(cairn_tensor_update_blocks, ghost_val, blocks, value, NULL);
    FAILS(cairn_tensor_update, tensor, blocks, value);
    MUST(misused, cairn_tensor_update_blocks(blocks, value, value));
    cairn_tensor_destroy(&blocks);
}

Test(misuse, tensors_of_compressed_columns)
{
    static const int64_t wrong[] = {-1, INT64_MIN, INT64_MAX};
    cairn_tensor       **out     = OUT(cairn_tensor *);

    SILENT(cairn_tensor_from_csc, context, NULL, 3, 3, 0, 3, ptr, 64, idx, 64, value,
           CAIRN_F64, CAIRN_COPY, csr, out);
    REFUSES(cairn_tensor_from_csc, ptr, misused, 3, 3, 0, 3, NULL, 64, idx, 64, value,
            CAIRN_F64, CAIRN_COPY, csr, out);
    REFUSES(cairn_tensor_from_csc, idx, misused, 3, 3, 0, 3, ptr, 64, NULL, 64, value,
            CAIRN_F64, CAIRN_COPY, csr, out);
    REFUSES(cairn_tensor_from_csc, val, misused, 3, 3, 0, 3, ptr, 64, idx, 64, NULL,
            CAIRN_F64, CAIRN_COPY, csr, out);
    REFUSES(cairn_tensor_from_csc, tensor, misused, 3, 3, 0, 3, ptr, 64, idx, 64, value,
            CAIRN_F64, CAIRN_COPY, csr, NULL);
    for (int k = 0; k < ODD; k++) {
        REFUSES(cairn_tensor_from_csc, dtype, misused, 3, 3, 0, 3, ptr, 64, idx, 64,
                value, (cairn_dtype)odd[k], CAIRN_COPY, csr, out);
        REFUSES(cairn_tensor_from_csc, mode, misused, 3, 3, 0, 3, ptr, 64, idx, 64,
                value, CAIRN_F64, (cairn_copy_mode)odd[k], csr, out);
        FAILS(cairn_tensor_from_csc, ptr_bits, misused, 3, 3, 0, 3, ptr, odd[k], idx,
              64, value, CAIRN_F64, CAIRN_COPY, csr, out);
        FAILS(cairn_tensor_from_csc, idx_bits, misused, 3, 3, 0, 3, ptr, 64, idx,
              odd[k], value, CAIRN_F64, CAIRN_COPY, csr, out);
    }
    for (int k = 0; k < 3; k++) {
        FAILS(cairn_tensor_from_csc, global_rows, misused, wrong[k], 3, 0, 3, ptr, 64,
              idx, 64, value, CAIRN_F64, CAIRN_COPY, csr, out);
        FAILS(cairn_tensor_from_csc, global_cols, misused, 3, wrong[k], 0, 3, ptr, 64,
              idx, 64, value, CAIRN_F64, CAIRN_COPY, csr, out);
        FAILS(cairn_tensor_from_csc, first_row, misused, 3, 3, wrong[k], 3, ptr, 64,
              idx, 64, value, CAIRN_F64, CAIRN_COPY, csr, out);
        FAILS(cairn_tensor_from_csc, rows, misused, 3, 3, 0, wrong[k], ptr, 64, idx, 64,
              value, CAIRN_F64, CAIRN_COPY, csr, out);
    }
    FAILS(cairn_tensor_from_csc, format, misused, 3, 3, 0, 3, ptr, 64, idx, 64, value,
          CAIRN_F64, CAIRN_COPY, cube, out);
    ALLOWS(cairn_tensor_from_csc, format,
           is(cairn_tensor_from_csc(misused, 3, 3, 0, 3, ptr, 64, idx, 64, value,
                                    CAIRN_F64, CAIRN_COPY, NULL, out)));
}

/// A matrix of 3 x 3, three entries, but for what is changed.
#define COORDS(changed)                                            \
    ({                                                             \
        cairn_coords list_ = CAIRN_COORDS;                         \
        list_.extent[0] = list_.extent[1] = 3;                     \
        list_.entries                     = 3;                     \
        list_.idx[0] = list_.idx[1] = idx;                         \
        list_.val                   = value;                       \
        list_.changed;                                             \
        cairn_tensor_from_coords(misused, &list_, CAIRN_COPY, csr, \
                                 OUT(cairn_tensor *));             \
    })
#define COORDS_FAIL(changed)                                              \
    do {                                                                  \
        if (misuse_begins()) misuse_refused(COORDS(changed), "");         \
        misuse_judge("cairn_tensor_from_coords", "", #changed, __LINE__); \
    } while (0)

Test(misuse, tensors_of_coordinates)
{
    static const int64_t wrong[] = {-1, INT64_MIN, INT64_MAX};
    cairn_coords         good = CAIRN_COORDS, small = {.size = 1};
    cairn_coords         whole = CAIRN_COORDS;

    whole.extent[0] = whole.extent[1] = 3;
    whole.entries                     = 3;
    whole.idx[0] = whole.idx[1] = idx;
    whole.val                   = value;

    SILENT(cairn_tensor_from_coords, context, NULL, &good, CAIRN_COPY, csr,
           OUT(cairn_tensor *));
    REFUSES(cairn_tensor_from_coords, coords, misused, NULL, CAIRN_COPY, csr,
            OUT(cairn_tensor *));
    FAILS(cairn_tensor_from_coords, coords, misused, &small, CAIRN_COPY, csr,
          OUT(cairn_tensor *));
    REFUSES(cairn_tensor_from_coords, tensor, misused, &good, CAIRN_COPY, csr, NULL);
    FAILS(cairn_tensor_from_coords, format, misused, &good, CAIRN_COPY, cube,
          OUT(cairn_tensor *));
    ALLOWS(cairn_tensor_from_coords, format,
           is(cairn_tensor_from_coords(misused, &whole, CAIRN_COPY, NULL,
                                       OUT(cairn_tensor *))));
    for (int k = 0; k < ODD; k++) {
        REFUSES(cairn_tensor_from_coords, mode, misused, &good, (cairn_copy_mode)odd[k],
                csr, OUT(cairn_tensor *));
        COORDS_FAIL(dtype = (cairn_dtype)odd[k]);
        COORDS_FAIL(idx_bits = odd[k]);
        COORDS_FAIL(base = odd[k]);
        COORDS_FAIL(order = odd[k]);
    }
    for (int k = 0; k < 3; k++) {
        COORDS_FAIL(entries = wrong[k]);
        COORDS_FAIL(extent[1] = wrong[k]);
        COORDS_FAIL(first_row = wrong[k]);
        COORDS_FAIL(rows = wrong[k] == -1 ? -2 : wrong[k]);
        if (wrong[k] == INT64_MAX) continue;
        COORDS_FAIL(idx_stride = wrong[k]);
        COORDS_FAIL(val_stride = wrong[k]);
    }
    COORDS_FAIL(idx[1] = NULL);
    COORDS_FAIL(base = 1);
    COORDS_FAIL(idx_stride = 7);
}

Test(misuse, tensors_are_written_into_arrays)
{
    cairn_compressed lines = CAIRN_COMPRESSED, small = {.size = 1};
    cairn_coords_out list = CAIRN_COORDS_OUT, tiny = {.size = 1};

    ALLOWS(cairn_tensor_entries, tensor, cairn_tensor_entries(NULL) == 0);
    SILENT(cairn_tensor_to_csr, tensor, NULL, &lines);
    REFUSES(cairn_tensor_to_csr, arrays, tensor, NULL);
    FAILS(cairn_tensor_to_csr, arrays, tensor, &small);
    FAILS(cairn_tensor_to_csr, arrays, tensor, &lines);
    SILENT(cairn_tensor_to_csc, tensor, NULL, &lines);
    REFUSES(cairn_tensor_to_csc, arrays, tensor, NULL);
    FAILS(cairn_tensor_to_csc, arrays, tensor, &small);
    FAILS(cairn_tensor_to_csc, arrays, tensor, &lines);
    SILENT(cairn_tensor_to_coords, tensor, NULL, &list);
    REFUSES(cairn_tensor_to_coords, arrays, tensor, NULL);
    FAILS(cairn_tensor_to_coords, arrays, tensor, &tiny);
    FAILS(cairn_tensor_to_coords, arrays, tensor, &list);
    for (int k = 0; k < ODD; k++) {
        lines.base    = odd[k];
        list.idx_bits = odd[k];
        FAILS(cairn_tensor_to_csr, arrays, tensor, &lines);
        FAILS(cairn_tensor_to_coords, arrays, tensor, &list);
    }
}

/// Is refused because `odd[k]`, its dtype, is none.
#define NO_TYPE(function, ...)                                                     \
    do {                                                                           \
        char told_[80];                                                            \
        snprintf(told_, sizeof told_, #function ": dtype: %d is no type", odd[k]); \
        if (misuse_begins()) misuse_refused(function(__VA_ARGS__), told_);         \
        misuse_judge(#function, "dtype", #__VA_ARGS__, __LINE__);                  \
    } while (0)

/// One number of arrays that are right but for it: strides that lead beyond all memory,
/// lengths and types that are none.
Test(misuse, arrays_that_take_entries_have_sizes)
{
    int64_t                first[8], second[8];
    double                 values[8];
    const cairn_compressed lines = {.size       = sizeof(cairn_compressed),
                                    .ptr        = first,
                                    .ptr_length = 8,
                                    .ptr_bits   = 64,
                                    .idx_bits   = 64,
                                    .idx        = second,
                                    .val        = values,
                                    .length     = 8};
    const cairn_coords_out list  = {
         .size     = sizeof(cairn_coords_out),
         .idx      = {first, second},
         .idx_bits = 64,
         .val      = values,
         .length   = 8
    };

    for (int k = 0; k < ODD; k++) {
        cairn_compressed typed  = lines;
        cairn_coords_out listed = list;

        typed.dtype = listed.dtype = (cairn_dtype)odd[k];
        NO_TYPE(cairn_tensor_to_csr, tensor, &typed);
        NO_TYPE(cairn_tensor_to_csc, tensor, &typed);
        NO_TYPE(cairn_tensor_to_coords, tensor, &listed);
    }
    for (int k = 1; k <= 2; k++) {
        cairn_coords_out far = list, apart = list;

        far.idx_stride   = INT64_MAX / k;
        apart.val_stride = INT64_MAX / k;
        FAILS(cairn_tensor_to_coords, arrays, tensor, &far);
        FAILS(cairn_tensor_to_coords, arrays, tensor, &apart);
    }
}

Test(misuse, tensors_say_what_they_are)
{
    int64_t first = 7, end = 7, extent[CAIRN_ORDER] = {7, 7};

    ALLOWS(cairn_tensor_path, tensor, !cairn_tensor_path(NULL));
    ALLOWS(cairn_tensor_how, tensor, !cairn_tensor_how(NULL));
    ALLOWS(cairn_tensor_why, tensor, !cairn_tensor_why(NULL));
    ALLOWS(cairn_tensor_route, tensor, !cairn_tensor_route(NULL));
    ALLOWS(cairn_tensor_interpreted, tensor, !cairn_tensor_interpreted(NULL));
    ALLOWS(cairn_tensor_dtype, tensor, cairn_tensor_dtype(NULL) == CAIRN_F64);
    ALLOWS(cairn_tensor_format, tensor, !cairn_tensor_format(NULL));
    ALLOWS(cairn_tensor_places, tensor, !cairn_tensor_places(NULL));
    ALLOWS(cairn_tensor_rows, tensor,
           DONE(cairn_tensor_rows(NULL, &first, &end)) && first == 0 && end == 0);
    ALLOWS(cairn_tensor_rows, first,
           DONE(cairn_tensor_rows(tensor, NULL, &end)) && end == 3);
    ALLOWS(cairn_tensor_rows, end,
           DONE(cairn_tensor_rows(tensor, &first, NULL)) && first == 0);
    ALLOWS(cairn_tensor_shape, tensor,
           cairn_tensor_shape(NULL, extent) == 0 && extent[0] == 0 && extent[1] == 0);
    ALLOWS(cairn_tensor_shape, extent, cairn_tensor_shape(tensor, NULL) == 2);
    ALLOWS(cairn_tensor_seconds, tensor, cairn_tensor_seconds(NULL) == 0);
    SILENT(cairn_tensor_parts, tensor, NULL, OUT(int64_t), OTHER(cairn_part_info *));
    REFUSES(cairn_tensor_parts, count, tensor, NULL, OUT(cairn_part_info *));
    REFUSES(cairn_tensor_parts, parts, tensor, OUT(int64_t), NULL);
    ALLOWS(cairn_parts_free, tensor,
           DONE(cairn_parts_free(NULL, OUT(cairn_part_info *))) && !is_touched());
    ALLOWS(cairn_parts_free, parts, DONE(cairn_parts_free(tensor, NULL)));
    for (int k = 0; k < ODD; k++) {
        FAILS(cairn_tensor_array, part, tensor, odd[k], 0, SIZED(cairn_array_info));
        FAILS(cairn_tensor_array, k, tensor, 0, odd[k], SIZED(cairn_array_info));
        FAILS(cairn_tensor_array_text, part, tensor, odd[k], 0, OUT(char *));
        FAILS(cairn_tensor_array_text, k, tensor, 0, odd[k], OUT(char *));
        FAILS(cairn_tensor_level, member, tensor, odd[k], 0, SIZED(cairn_level_info));
        FAILS(cairn_tensor_level, level, tensor, 0, odd[k], SIZED(cairn_level_info));
    }
    FAILS(cairn_tensor_array, part, tensor, INT64_MAX, 0, SIZED(cairn_array_info));
    SILENT(cairn_tensor_array, tensor, NULL, 0, 0, SIZED(cairn_array_info));
    REFUSES(cairn_tensor_array, info, tensor, 0, 0, NULL);
    SILENT(cairn_tensor_array_text, tensor, NULL, 0, 0, OUT(char *));
    REFUSES(cairn_tensor_array_text, text, tensor, 0, 0, NULL);
    SILENT(cairn_tensor_level, tensor, NULL, 0, 0, SIZED(cairn_level_info));
    REFUSES(cairn_tensor_level, info, tensor, 0, 0, NULL);
}

Test(misuse, values_are_scaled)
{
    double   norm           = -7;
    uint64_t fingerprint[2] = {7, 7};

    SILENT(cairn_tensor_fingerprint, tensor, NULL, fingerprint);
    REFUSES(cairn_tensor_fingerprint, fingerprint, tensor, NULL);
    cr_expect(fingerprint[0] == 7 && fingerprint[1] == 7);
    SILENT(cairn_tensor_diagonal, tensor, NULL, &norm);
    REFUSES(cairn_tensor_diagonal, diagonal, tensor, NULL);
    SILENT(cairn_tensor_scale, tensor, NULL, value, value);
    ALLOWS(cairn_tensor_scale, left, is(cairn_tensor_scale(tensor, NULL, NULL)));
    ALLOWS(cairn_tensor_scale, right, is(cairn_tensor_scale(tensor, NULL, NULL)));
    SILENT(cairn_tensor_shift, tensor, NULL, 1);
    FAILS(cairn_tensor_shift, tensor, tensor, 1); /* row 2 has no diagonal */
    ALLOWS(cairn_tensor_shift, alpha, !is(cairn_tensor_shift(tensor, -1)));
    SILENT(cairn_tensor_norm, tensor, NULL, CAIRN_NORM_MAX, &norm);
    REFUSES(cairn_tensor_norm, norm, tensor, CAIRN_NORM_MAX, NULL);
    for (int k = 0; k < ODD; k++)
        REFUSES(cairn_tensor_norm, kind, tensor, (cairn_norm_kind)odd[k], &norm);
    cr_expect_eq(norm, -7);
}

Test(misuse, arrays_are_looked_at)
{
    cairn_part_view view = CAIRN_PART_VIEW, small = {.size = 1};

    SILENT(cairn_tensor_part_get, tensor, NULL, 0, &view);
    REFUSES(cairn_tensor_part_get, view, tensor, 0, NULL);
    FAILS(cairn_tensor_part_get, view, tensor, 0, &small);
    SILENT(cairn_tensor_part_restore, tensor, NULL, &view);
    REFUSES(cairn_tensor_part_restore, view, tensor, NULL);
    FAILS(cairn_tensor_part_restore, view, tensor, &small);
    FAILS(cairn_tensor_part_restore, view, tensor, &view);
    for (int k = 0; k < ODD; k++)
        REFUSES(cairn_tensor_part_get, part, tensor, odd[k], &view);
    REFUSES(cairn_tensor_part_get, part, tensor, INT64_MAX, &view);
}

Test(misuse, arrays_are_handed_over)
{
    static const cairn_kernel_part nothing = {.size = sizeof nothing};
    static const int64_t           wrong[] = {-1, INT64_MIN, INT64_MAX};
    cairn_part_view                part    = CAIRN_PART_VIEW;
    cairn_parts_options            options = CAIRN_PARTS_OPTIONS;

    part.arrays = &nothing;
    SILENT(cairn_tensor_from_parts, context, NULL, csr, extent, CAIRN_F64, &part, 1,
           NULL, OUT(cairn_tensor *));
    REFUSES(cairn_tensor_from_parts, format, misused, NULL, extent, CAIRN_F64, &part, 1,
            NULL, OUT(cairn_tensor *));
    REFUSES(cairn_tensor_from_parts, extent, misused, csr, NULL, CAIRN_F64, &part, 1,
            NULL, OUT(cairn_tensor *));
    REFUSES(cairn_tensor_from_parts, part, misused, csr, extent, CAIRN_F64, NULL, 1,
            NULL, OUT(cairn_tensor *));
    REFUSES(cairn_tensor_from_parts, tensor, misused, csr, extent, CAIRN_F64, &part, 1,
            NULL, NULL);
    FAILS(cairn_tensor_from_parts, part, misused, csr, extent, CAIRN_F64, &part, 1,
          NULL, OUT(cairn_tensor *));
    ALLOWS(cairn_tensor_from_parts, options, /* what is refused is the part */
           cairn_tensor_from_parts(misused, csr, extent, CAIRN_F64, &part, 1, NULL,
                                   OUT(cairn_tensor *))
                   < 0
               && !strstr(cairn_context_message(misused), "options"));
    for (int k = 0; k < ODD; k++) {
        options.mode = (cairn_copy_mode)odd[k];
        REFUSES(cairn_tensor_from_parts, dtype, misused, csr, extent,
                (cairn_dtype)odd[k], &part, 1, NULL, OUT(cairn_tensor *));
        FAILS(cairn_tensor_from_parts, options, misused, csr, extent, CAIRN_F64, &part,
              1, &options, OUT(cairn_tensor *));
    }
    options.mode = CAIRN_TAKE; /* without a function that releases */
    FAILS(cairn_tensor_from_parts, options, misused, csr, extent, CAIRN_F64, &part, 1,
          &options, OUT(cairn_tensor *));
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        const int64_t       huge[2] = {wrong[k], 3};
        cairn_parts_options rows    = CAIRN_PARTS_OPTIONS;

        if (wrong[k] < 0)
            REFUSES(cairn_tensor_from_parts, parts, misused, csr, extent, CAIRN_F64,
                    &part, wrong[k], NULL, OUT(cairn_tensor *));
        FAILS(cairn_tensor_from_parts, extent, misused, csr, huge, CAIRN_F64, &part, 1,
              NULL, OUT(cairn_tensor *));
        rows.first_row = wrong[k];
        FAILS(cairn_tensor_from_parts, options, misused, csr, extent, CAIRN_F64, &part,
              1, &rows, OUT(cairn_tensor *));
    }
}

Test(misuse, tensors_are_printed_and_written)
{
    const cairn_part_info good = {.size = sizeof(cairn_part_info), .local = 0};

    SILENT(cairn_tensor_part_text, tensor, NULL, &good, 0, OUT(char *));
    REFUSES(cairn_tensor_part_text, part, tensor, NULL, 0, OUT(char *));
    REFUSES(cairn_tensor_part_text, text, tensor, &good, 0, NULL);
    for (int k = 0; k < ODD; k++) {
        const cairn_part_info rank  = {.size = sizeof(cairn_part_info), .rank = odd[k]},
                              local = {.size  = sizeof(cairn_part_info),
                                       .local = odd[k]};

        FAILS(cairn_tensor_part_text, k, tensor, &good, odd[k], OUT(char *));
        FAILS(cairn_tensor_part_text, part, tensor, &rank, 0, OUT(char *));
        FAILS(cairn_tensor_part_text, part, tensor, &local, 0, OUT(char *));
    }
    REFUSES(cairn_tensor_bytes_as, tensor, NULL, csr, OUT(int64_t));
    REFUSES(cairn_tensor_bytes_as, format, tensor, NULL, OUT(int64_t));
    REFUSES(cairn_tensor_bytes_as, bytes, tensor, csr, NULL);
    FAILS(cairn_tensor_bytes_as, format, tensor, cube, OUT(int64_t));
    SILENT(cairn_tensor_write, tensor, NULL, "a.mtx", OUT(int64_t));
    REFUSES(cairn_tensor_write, path, tensor, NULL, OUT(int64_t));
    FAILS(cairn_tensor_write, path, tensor, "", OUT(int64_t));
    ALLOWS(cairn_tensor_write, bytes,
           is(cairn_tensor_write(tensor, "misuse.mtx", NULL))
               && remove("misuse.mtx") == 0);
    REFUSES(cairn_tensor_write_text, tensor, NULL, source, "a.mtx", OUT(int64_t));
    REFUSES(cairn_tensor_write_text, source, tensor, NULL, "a.mtx", OUT(int64_t));
    REFUSES(cairn_tensor_write_text, path, tensor, source, NULL, OUT(int64_t));
    ALLOWS(cairn_tensor_write_text, bytes,
           is(cairn_tensor_write_text(tensor, source, "misuse_text.mtx", NULL))
               && remove("misuse_text.mtx") == 0);
}

Test(misuse, products)
{
    static char notation[CAIRN_NOTATION];

    ALLOWS(cairn_product_notation, options,
           DONE(cairn_product_notation(NULL, notation)) && notation[0]);
    ALLOWS(cairn_product_notation, text, DONE(cairn_product_notation(NULL, NULL)));
    SILENT(cairn_product_check, context, NULL, NULL, 2);
    ALLOWS(cairn_product_check, options, is(cairn_product_check(misused, NULL, 2)));
    for (int k = 0; k < ODD; k++) {
        const cairn_product_options op = {sizeof(cairn_product_options), odd[k], 0, 1,
                                          0};

        FAILS(cairn_product_check, order, misused, NULL, odd[k]);
        if (odd[k] < 1) FAILS(cairn_product_check, options, misused, &op, 2);
        if (odd[k] < 1)
            FAILS(cairn_plan_create_product, product, tensor, &op, OUT(cairn_plan *));
    }
    for (int k = 0; k < 2; k++) {
        const cairn_product_options wide = {sizeof(cairn_product_options), many[k], 0,
                                            1, 0};
        const cairn_product_options back = {sizeof(cairn_product_options), many[k], 1,
                                            1, 0};

        FAILS(cairn_plan_create_product, product, tensor, &wide, OUT(cairn_plan *));
        FAILS(cairn_plan_create_product, product, tensor, &back, OUT(cairn_plan *));
    }
}

Test(misuse, tensors_are_made_for_many_products)
{
    const cairn_store_options few = {sizeof few, -1}, least = {sizeof least, INT64_MIN};

    REFUSES(cairn_tensor_create_with, source, NULL, csr, CAIRN_F64, NULL,
            OUT(cairn_tensor *));
    REFUSES(cairn_tensor_create_with, format, source, NULL, CAIRN_F64, NULL,
            OUT(cairn_tensor *));
    REFUSES(cairn_tensor_create_with, tensor, source, csr, CAIRN_F64, NULL, NULL);
    REFUSES(cairn_tensor_convert_with, tensor, NULL, csr, NULL, OUT(cairn_tensor *));
    REFUSES(cairn_tensor_convert_with, format, tensor, NULL, NULL, OUT(cairn_tensor *));
    REFUSES(cairn_tensor_convert_with, converted, tensor, csr, NULL, NULL);
    ALLOWS(cairn_tensor_create_with, options,
           is(cairn_tensor_create_with(source, csr, CAIRN_F64, NULL,
                                       OUT(cairn_tensor *))));
    ALLOWS(cairn_tensor_convert_with, options,
           is(cairn_tensor_convert_with(tensor, csr, NULL, OUT(cairn_tensor *))));
    for (int k = 0; k < ODD; k++)
        REFUSES(cairn_tensor_create_with, dtype, source, csr, (cairn_dtype)odd[k], NULL,
                OUT(cairn_tensor *));
    for (int k = 0; k < 2; k++) {
        const cairn_store_options *options = k ? &few : &least;

        FAILS(cairn_tensor_create_with, options, source, csr, CAIRN_F64, options,
              OUT(cairn_tensor *));
        FAILS(cairn_tensor_convert_with, options, tensor, csr, options,
              OUT(cairn_tensor *));
    }
}

Test(misuse, formats_are_chosen)
{
    const cairn_auto_options replays = {.size    = sizeof(cairn_auto_options),
                                        .replays = -1},
                             lowest  = {.size    = sizeof(cairn_auto_options),
                                        .replays = INT64_MIN};
    const cairn_auto_options place   = {.size  = sizeof(cairn_auto_options),
                                        .place = "nowhere"},
                             tries   = {.size  = sizeof(cairn_auto_options),
                                        .tries = INT_MIN};
    const cairn_auto_options text    = {.size       = sizeof(cairn_auto_options),
                                        .candidates = "csr\n\nbdia<"},
                             no      = {.size       = sizeof(cairn_auto_options),
                                        .candidates = ""};
    const cairn_product_options none = {sizeof(cairn_product_options), 0, 0, 1, 0};

    SILENT(cairn_format_auto, source, NULL, CAIRN_F64, NULL, NULL, OUT(cairn_format *),
           SIZED_OTHER(cairn_auto_info));
    REFUSES(cairn_format_auto, format, source, CAIRN_F64, NULL, NULL, NULL,
            SIZED(cairn_auto_info));
    for (int k = 0; k < ODD; k++)
        REFUSES(cairn_format_auto, dtype, source, (cairn_dtype)odd[k], NULL, NULL,
                OUT(cairn_format *), SIZED_OTHER(cairn_auto_info));
    FAILS(cairn_format_auto, product, source, CAIRN_F64, &none, NULL,
          OUT(cairn_format *), SIZED_OTHER(cairn_auto_info));
    FAILS(cairn_format_auto, options, source, CAIRN_F64, NULL, &replays,
          OUT(cairn_format *), SIZED_OTHER(cairn_auto_info));
    FAILS(cairn_format_auto, options, source, CAIRN_F64, NULL, &lowest,
          OUT(cairn_format *), SIZED_OTHER(cairn_auto_info));
    FAILS(cairn_format_auto, options, source, CAIRN_F64, NULL, &text,
          OUT(cairn_format *), SIZED_OTHER(cairn_auto_info));
    FAILS(cairn_format_auto, options, source, CAIRN_F64, NULL, &no, OUT(cairn_format *),
          SIZED_OTHER(cairn_auto_info));
    SILENT(cairn_tensor_auto, tensor, NULL, NULL, NULL, OUT(cairn_format *),
           SIZED_OTHER(cairn_auto_info));
    REFUSES(cairn_tensor_auto, format, tensor, NULL, NULL, NULL,
            SIZED(cairn_auto_info));
    FAILS(cairn_tensor_auto, product, tensor, &none, NULL, OUT(cairn_format *),
          SIZED_OTHER(cairn_auto_info));
    FAILS(cairn_tensor_auto, options, tensor, NULL, &replays, OUT(cairn_format *),
          SIZED_OTHER(cairn_auto_info));
    FAILS(cairn_tensor_auto, options, tensor, NULL, &text, OUT(cairn_format *),
          SIZED_OTHER(cairn_auto_info));
    ALLOWS(cairn_tensor_auto, options,
           is(cairn_tensor_auto(tensor, NULL, NULL, OUT(cairn_format *), NULL)));
    ALLOWS(cairn_tensor_auto, product,
           is(cairn_tensor_auto(tensor, NULL, &tries, OUT(cairn_format *), NULL)));
    ALLOWS(cairn_tensor_auto, info,
           is(cairn_tensor_auto(tensor, NULL, &tries, OUT(cairn_format *), NULL)));
    SILENT(cairn_candidates_read, context, NULL, "nowhere", OUT(char *));
    REFUSES(cairn_candidates_read, path, misused, NULL, OUT(char *));
    REFUSES(cairn_candidates_read, text, misused, "nowhere", NULL);
    FAILS(cairn_candidates_read, path, misused, "/nonexistent", OUT(char *));
    ALLOWS(cairn_format_auto, options,
           cairn_format_auto(source, CAIRN_F64, NULL, &place, OUT(cairn_format *), NULL)
               <= 0);
    ALLOWS(cairn_format_auto, options,
           is(cairn_format_auto(source, CAIRN_F64, NULL, NULL, OUT(cairn_format *),
                                NULL)));
    ALLOWS(cairn_format_auto, product,
           is(cairn_format_auto(source, CAIRN_F64, NULL, &tries, OUT(cairn_format *),
                                NULL)));
    ALLOWS(cairn_format_auto, info,
           is(cairn_format_auto(source, CAIRN_F64, NULL, &tries, OUT(cairn_format *),
                                NULL)));
}

Test(misuse, kernels)
{
    const cairn_kernel_target good = {
        .size = sizeof(cairn_kernel_target), .extent = {8, 8},
             .vector_bytes = 16
    };
    cairn_kernel_target cuda = good;

    cuda.language = CAIRN_KERNEL_CUDA;
    SILENT(cairn_kernels_text, context, NULL, csr, NULL, &good, OUT(char *));
    REFUSES(cairn_kernels_text, format, misused, NULL, NULL, &good, OUT(char *));
    REFUSES(cairn_kernels_text, target, misused, csr, NULL, NULL, OUT(char *));
    REFUSES(cairn_kernels_text, text, misused, csr, NULL, &good, NULL);
    ALLOWS(cairn_kernels_text, options,
           is(cairn_kernels_text(misused, csr, NULL, &good, OUT(char *))));
    ALLOWS(
        cairn_kernels_precompile, options, /* without a card nothing is compiled */
        cairn_kernels_precompile(misused, csr, NULL, &cuda, SIZED(cairn_kernel_counts))
            != CAIRN_BAD_ARGUMENT);
    SILENT(cairn_kernels_precompile, context, NULL, csr, NULL, &good,
           SIZED(cairn_kernel_counts));
    REFUSES(cairn_kernels_precompile, format, misused, NULL, NULL, &good,
            SIZED(cairn_kernel_counts));
    REFUSES(cairn_kernels_precompile, target, misused, csr, NULL, NULL,
            SIZED(cairn_kernel_counts));
    REFUSES(cairn_kernels_precompile, counts, misused, csr, NULL, &good, NULL);
    for (int k = 0; k < ODD; k++) {
        cairn_kernel_target         dtype = good, language = good, bytes = good;
        const cairn_product_options none = {sizeof(cairn_product_options),
                                            odd[k] < 1 ? odd[k] : 0, 0, 1, 0};

        dtype.dtype        = (cairn_dtype)odd[k];
        language.language  = (cairn_kernel_language)odd[k];
        bytes.vector_bytes = odd[k];
        REFUSES(cairn_kernels_text, target->dtype, misused, csr, NULL, &dtype,
                OUT(char *));
        REFUSES(cairn_kernels_text, target->language, misused, csr, NULL, &language,
                OUT(char *));
        FAILS(cairn_kernels_text, target, misused, csr, NULL, &bytes, OUT(char *));
        FAILS(cairn_kernels_text, options, misused, csr, &none, &good, OUT(char *));
        REFUSES(cairn_kernels_precompile, target->dtype, misused, csr, NULL, &dtype,
                SIZED(cairn_kernel_counts));
        REFUSES(cairn_kernels_precompile, target->language, misused, csr, NULL,
                &language, SIZED(cairn_kernel_counts));
        FAILS(cairn_kernels_precompile, options, misused, csr, &none, &good,
              SIZED(cairn_kernel_counts));
    }
    for (int k = 0; k < 2; k++) {
        cairn_kernel_target below = good, wide = good;

        below.extent[k] = -1;
        wide.extent[k]  = INT64_MAX;
        FAILS(cairn_kernels_text, target, misused, csr, NULL, &below, OUT(char *));
        FAILS(cairn_kernels_precompile, target, misused, csr, NULL, &below,
              SIZED(cairn_kernel_counts));
        FAILS(cairn_kernels_text, target, misused, csr, NULL, &wide, OUT(char *));
        FAILS(cairn_kernels_precompile, target, misused, csr, NULL, &wide,
              SIZED(cairn_kernel_counts));
    }
    for (int k = 0; k < 3; k++) {
        static const int    none[] = {-1, 69, 1000};
        cairn_kernel_target arch   = good;

        arch.language  = CAIRN_KERNEL_CUDA;
        arch.cuda_arch = none[k];
        FAILS(cairn_kernels_text, target, misused, csr, NULL, &arch, OUT(char *));
        FAILS(cairn_kernels_precompile, target, misused, csr, NULL, &arch,
              SIZED(cairn_kernel_counts));
    }
    FAILS(cairn_kernels_text, format, misused, cube, NULL, &good, OUT(char *));
}

Test(misuse, plans_are_made)
{
    const cairn_plan_options nowhere = {.size  = sizeof(cairn_plan_options),
                                        .place = "nowhere"};
    const cairn_plan_options file    = {.size = sizeof(cairn_plan_options), .plan = ""};
    const cairn_plan_options both    = {
           .size = sizeof(cairn_plan_options), .place = "cpu", .plan = "plan.json"};
    const cairn_product_options unset    = {.columns = 1, .alpha = 1};
    const cairn_plan_options    unsized  = {.place = "cpu"};
    const cairn_plan_options    of_unset = {.size    = sizeof(cairn_plan_options),
                                            .product = &unset};
    cairn_plan                 *none     = NULL;

    SILENT(cairn_plan_create_product, tensor, NULL, NULL, OUT(cairn_plan *));
    REFUSES(cairn_plan_create_product, plan, tensor, NULL, NULL);
    REFUSES(cairn_plan_create_product, product->size, tensor, &unset,
            OUT(cairn_plan *));
    ALLOWS(cairn_plan_create_product, product,
           is(cairn_plan_create_product(tensor, NULL, OUT(cairn_plan *))));
    SILENT(cairn_plan_create_spmv, tensor, NULL, OUT(cairn_plan *));
    REFUSES(cairn_plan_create_spmv, plan, tensor, NULL);
    SILENT(cairn_plan_create_with, tensor, NULL, NULL, OUT(cairn_plan *));
    REFUSES(cairn_plan_create_with, plan, tensor, NULL, NULL);
    REFUSES(cairn_plan_create_with, options->size, tensor, &unsized, OUT(cairn_plan *));
    REFUSES(cairn_plan_create_with, options->product->size, tensor, &of_unset,
            OUT(cairn_plan *));
    FAILS(cairn_plan_create_with, options, tensor, &nowhere, OUT(cairn_plan *));
    FAILS(cairn_plan_create_with, options, tensor, &file, OUT(cairn_plan *));
    FAILS(cairn_plan_create_with, options, tensor, &both, OUT(cairn_plan *));
    ALLOWS(cairn_plan_create_with, options,
           is(cairn_plan_create_with(tensor, NULL, OUT(cairn_plan *))));
    ALLOWS(cairn_plan_destroy, plan,
           DONE(cairn_plan_destroy(NULL)) && DONE(cairn_plan_destroy(&none)));
}

Test(misuse, plans_run)
{
    int64_t first = 7, end = 7;
    double  y[3];

    ALLOWS(cairn_plan_columns, plan,
           DONE(cairn_plan_columns(NULL, &first, &end)) && first == 0 && end == 0);
    ALLOWS(cairn_plan_columns, first,
           DONE(cairn_plan_columns(plan, NULL, &end)) && end == 3);
    ALLOWS(cairn_plan_columns, end,
           DONE(cairn_plan_columns(plan, &first, NULL)) && first == 0);
    ALLOWS(cairn_plan_rows, plan,
           DONE(cairn_plan_rows(NULL, &first, &end)) && first == 0 && end == 0);
    ALLOWS(cairn_plan_rows, first, DONE(cairn_plan_rows(plan, NULL, &end)) && end == 3);
    ALLOWS(cairn_plan_rows, end,
           DONE(cairn_plan_rows(plan, &first, NULL)) && first == 0);
    SILENT(cairn_plan_run, plan, NULL, x, OUT(double));
    ALLOWS(cairn_plan_run, x, is(cairn_plan_run(plan, NULL, y)));
    ALLOWS(cairn_plan_run, y, is(cairn_plan_run(plan, x, NULL)));
    SILENT(cairn_plan_guard, plan, NULL);
    SILENT(cairn_plan_guard_info, plan, NULL, SIZED(cairn_guard_info));
    REFUSES(cairn_plan_guard_info, info, plan, NULL);
    SILENT(cairn_plan_iterate, plan, NULL, 1);
    for (int k = 0; k < ODD; k++)
        if (odd[k] < 1) REFUSES(cairn_plan_iterate, n, plan, odd[k]);
    ALLOWS(cairn_plan_x, plan, !cairn_plan_x(NULL) && !cairn_plan_x(plan_f32));
    ALLOWS(cairn_plan_y, plan, !cairn_plan_y(NULL) && !cairn_plan_y(plan_f32));
    ALLOWS(cairn_plan_x_f32, plan, !cairn_plan_x_f32(NULL) && !cairn_plan_x_f32(plan));
    ALLOWS(cairn_plan_y_f32, plan, !cairn_plan_y_f32(NULL) && !cairn_plan_y_f32(plan));
    ALLOWS(cairn_plan_member_route, plan, !cairn_plan_member_route(NULL, 0));
    for (int k = 0; k < ODD; k++)
        ALLOWS(cairn_plan_member_route, member, !cairn_plan_member_route(plan, odd[k]));
    ALLOWS(cairn_plan_forget_times, plan, DONE(cairn_plan_forget_times(NULL)));
}

Test(misuse, plans_are_looked_at)
{
    SILENT(cairn_plan_describe, plan, NULL, SIZED(cairn_plan_info));
    REFUSES(cairn_plan_describe, info, plan, NULL);
    SILENT(cairn_plan_parts, plan, NULL, OUT(int64_t), OTHER(cairn_plan_part *));
    REFUSES(cairn_plan_parts, count, plan, NULL, OUT(cairn_plan_part *));
    REFUSES(cairn_plan_parts, parts, plan, OUT(int64_t), NULL);
    ALLOWS(cairn_plan_parts_free, plan,
           DONE(cairn_plan_parts_free(NULL, OUT(cairn_plan_part *))));
    ALLOWS(cairn_plan_parts_free, parts, DONE(cairn_plan_parts_free(plan, NULL)));
    SILENT(cairn_plan_record, plan, NULL, 0);
    REFUSES(cairn_plan_record, events, plan, -1);
    REFUSES(cairn_plan_record, events, plan, INT64_MIN);
    for (int k = 0; k < 2; k++)
        FAILS(cairn_plan_record, events, plan, many[k]);
    SILENT(cairn_plan_verify, plan, NULL, NULL, OUT(double), OTHER(double));
    REFUSES(cairn_plan_verify, plan, NULL, source, OUT(double), OTHER(double));
    REFUSES(cairn_plan_verify, source, plan, NULL, OUT(double), OTHER(double));
    REFUSES(cairn_plan_verify, rel_error, plan, source, NULL, OUT(double));
    REFUSES(cairn_plan_verify, abs_error, plan, source, OUT(double), NULL);
}

/// y = x, of three rows.
static cairn_status copy_three(void *user, const double *from, double *to)
{
    (void)user;
    memcpy(to, from, 3 * sizeof *to);
    return CAIRN_OK;
}

Test(misuse, other_machines)
{
    cairn_whatif_options none = CAIRN_WHATIF_OPTIONS, wrong = CAIRN_WHATIF_OPTIONS;

    wrong.machine = "nowhere.json";
    SILENT(cairn_plan_whatif, plan, NULL, &wrong, SIZED(cairn_whatif));
    REFUSES(cairn_plan_whatif, options, plan, NULL, SIZED(cairn_whatif));
    FAILS(cairn_plan_whatif, options, plan, &none, SIZED(cairn_whatif));
    FAILS(cairn_plan_whatif, options, plan, &wrong, SIZED(cairn_whatif));
    REFUSES(cairn_plan_whatif, answer, plan, &wrong, NULL);
}

Test(misuse, solvers)
{
    static const double        zero[3];
    static double              y[3];
    const cairn_solve_operator same = {copy_three, NULL}, none = {NULL, NULL};
    cairn_solve_options        wrong = CAIRN_SOLVE_OPTIONS;

    wrong.method = "sor";
    SILENT(cairn_solve_check, context, NULL, NULL);
    FAILS(cairn_solve_check, options, misused, &wrong);
    ALLOWS(cairn_solve_check, options, is(cairn_solve_check(misused, NULL)));
    SILENT(cairn_solve, plan, NULL, NULL, zero, y, SIZED(cairn_solve_info));
    FAILS(cairn_solve, options, plan, &wrong, zero, y, SIZED(cairn_solve_info));
    ALLOWS(cairn_solve, options, is(cairn_solve(plan, NULL, zero, y, NULL)));
    FAILS(cairn_solve, b, plan, NULL, NULL, y, SIZED(cairn_solve_info));
    FAILS(cairn_solve, x, plan, NULL, zero, NULL, SIZED(cairn_solve_info));
    ALLOWS(cairn_solve, info, is(cairn_solve(plan, NULL, zero, y, NULL)));
    SILENT(cairn_solve_with, context, NULL, 3, &same, NULL, zero, y,
           SIZED(cairn_solve_info));
    for (int k = 0; k < 2; k++)
        REFUSES(cairn_solve_with, rows, misused, k ? INT64_MIN : -1, &same, NULL, zero,
                y, SIZED(cairn_solve_info));
    REFUSES(cairn_solve_with, matrix, misused, 3, NULL, NULL, zero, y,
            SIZED(cairn_solve_info));
    FAILS(cairn_solve_with, matrix, misused, 3, &none, NULL, zero, y,
          SIZED(cairn_solve_info));
    FAILS(cairn_solve_with, options, misused, 3, &same, &wrong, zero, y,
          SIZED(cairn_solve_info));
    ALLOWS(cairn_solve_with, options,
           is(cairn_solve_with(misused, 3, &same, NULL, zero, y, NULL)));
    FAILS(cairn_solve_with, b, misused, 3, &same, NULL, NULL, y,
          SIZED(cairn_solve_info));
    FAILS(cairn_solve_with, x, misused, 3, &same, NULL, zero, NULL,
          SIZED(cairn_solve_info));
    ALLOWS(cairn_solve_with, info,
           is(cairn_solve_with(misused, 3, &same, NULL, zero, y, NULL)));
}

Test(misuse, plans_and_files)
{
    SILENT(cairn_plan_save, plan, NULL, "plan.json");
    REFUSES(cairn_plan_save, path, plan, NULL);
    FAILS(cairn_plan_save, path, plan, "");
    SILENT(cairn_plan_file_format, context, NULL, "plan.json", OUT(char *));
    REFUSES(cairn_plan_file_format, path, misused, NULL, OUT(char *));
    REFUSES(cairn_plan_file_format, text, misused, "plan.json", NULL);
    SILENT(cairn_plan_write_trace, plan, NULL, "trace.json");
    REFUSES(cairn_plan_write_trace, path, plan, NULL);
    FAILS(cairn_plan_write_trace, path, plan, "trace.json");
    SILENT(cairn_plan_read_x, plan, NULL, "x.mtx");
    REFUSES(cairn_plan_read_x, path, plan, NULL);
    FAILS(cairn_plan_read_x, path, plan, "");
    SILENT(cairn_plan_write_y, plan, NULL, "y.mtx");
    REFUSES(cairn_plan_write_y, path, plan, NULL);
    FAILS(cairn_plan_write_y, path, plan, "");
}
