// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Wrong arguments on one rank: every call that all ranks make together fails on all of
/// them, in the same words, and the next one works. Nobody waits.

#include "api.h"
#include "mpi_suite.h"

#include <cairn/mpi.h>

static cairn_context *context;
static int64_t        blocks_before;
static cairn_format  *csr;
static cairn_source  *source;
static cairn_tensor  *tensor;
static cairn_plan    *plan;

static void misuse_up(void)
{
    const cairn_problem grid = {.size = sizeof(cairn_problem), .nx = 8, .ny = 8};

    mpi_up();
    if (cairn_context_create_mpi(MPI_COMM_WORLD, &context) != CAIRN_OK) abort();
    blocks_before = must_settle(context);
    if (cairn_format_create(context, "csr", &csr) != CAIRN_OK
        || cairn_source_generate(context, "stencil5", &grid, &source) != CAIRN_OK
        || cairn_tensor_create(source, csr, CAIRN_F64, &tensor) != CAIRN_OK
        || cairn_plan_create_spmv(tensor, &plan) != CAIRN_OK)
        abort();
}

static void misuse_down(void)
{
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    cairn_format_destroy(&csr);
    must_end(&context, blocks_before);
    mpi_down();
}

TestSuite(misuse, .init = misuse_up, .fini = misuse_down, .timeout = 500);

/// A file that can be opened, so that no other rank fails first.
#define THERE "/proc/self/exe"

/// On the last rank NULL, or another wrong value.
#define IF_LAST(wrong, right) (rank == size - 1 ? (wrong) : (right))
#define GIVEN(pointer)        IF_LAST(NULL, pointer)

/// Fails on all ranks in the words of the last; then a call of all ranks works.
#define REFUSED_BY_ALL(words, call)                                            \
    do {                                                                       \
        const cairn_status s_       = (call);                                  \
        const char        *message_ = cairn_context_message(context);          \
                                                                               \
        ON_ALL_RANKS(s_ == CAIRN_BAD_ARGUMENT && strcmp(message_, words) == 0, \
                     "%s: rank %d has %d: %s", #call, rank, s_, message_);     \
        const cairn_status next_ = cairn_context_agree(context, CAIRN_OK);     \
        ON_ALL_RANKS(next_ == CAIRN_OK, "after %s: %d: %s", #call, next_,      \
                     cairn_context_message(context));                          \
    } while (0)

Test(misuse, sources_on_one_rank)
{
    const int64_t       extent[2] = {4, 4}, coord[2] = {0, 0};
    const double        value[1] = {1};
    const cairn_problem grid     = {.size = sizeof(cairn_problem), .nx = 8, .ny = 8};
    cairn_source       *out      = NULL;
    cairn_source_info   info     = CAIRN_SOURCE_INFO;
    int64_t             count[4];

    REFUSED_BY_ALL("cairn_source_read: path: is NULL",
                   cairn_source_read(context, GIVEN("a.mtx"), CAIRN_BY_NNZ, &out));
    REFUSED_BY_ALL("cairn_source_read: division: 77 is none of its values",
                   cairn_source_read(context, "a.mtx",
                                     (cairn_division)IF_LAST(77, CAIRN_BY_NNZ), &out));
    REFUSED_BY_ALL("cairn_source_read: source: is NULL",
                   cairn_source_read(context, "a.mtx", CAIRN_BY_NNZ, GIVEN(&out)));
    REFUSED_BY_ALL("cairn_source_from_coords: coord: is NULL",
                   cairn_source_from_coords(context, 2, extent, 1, GIVEN(coord), value,
                                            CAIRN_BY_NNZ, &out));
    REFUSED_BY_ALL("cairn_source_from_coords: extent: is NULL",
                   cairn_source_from_coords(context, 2, GIVEN(extent), 1, coord, value,
                                            CAIRN_BY_NNZ, &out));
    REFUSED_BY_ALL("cairn_source_generate: kind: is NULL",
                   cairn_source_generate(context, GIVEN("stencil5"), &grid, &out));
    REFUSED_BY_ALL("cairn_source_generate: problem: is NULL",
                   cairn_source_generate(context, "stencil5", GIVEN(&grid), &out));
    REFUSED_BY_ALL("cairn_source_describe: info: is NULL",
                   cairn_source_describe(source, GIVEN(&info)));
    REFUSED_BY_ALL("cairn_source_spy: count: is NULL",
                   cairn_source_spy(source, 2, 2, GIVEN(count)));
    REFUSED_BY_ALL("cairn_source_write: path: is NULL",
                   cairn_source_write(source, GIVEN("a.mtx")));
    ON_ALL_RANKS(!out, "an output was written");
}

Test(misuse, tensors_on_one_rank)
{
    const int64_t    ptr[3] = {0, 1, 2}, idx[2] = {0, 1};
    const double     val[2] = {1, 2};
    const int64_t    first = 2 * rank, all = 2 * size;
    cairn_tensor    *out    = NULL;
    cairn_source    *back   = NULL;
    cairn_part_info *parts  = NULL;
    char            *text   = NULL;
    int64_t          number = 0;
    bool             native = false;

    REFUSED_BY_ALL("cairn_tensor_create: format: is NULL",
                   cairn_tensor_create(source, GIVEN(csr), CAIRN_F64, &out));
    REFUSED_BY_ALL("cairn_tensor_create: source: is NULL",
                   cairn_tensor_create(GIVEN(source), csr, CAIRN_F64, &out));
    REFUSED_BY_ALL(
        "cairn_tensor_create: dtype: 9 is none of its values",
        cairn_tensor_create(source, csr, (cairn_dtype)IF_LAST(9, CAIRN_F64), &out));
    REFUSED_BY_ALL("cairn_tensor_from_csr: val: is NULL",
                   cairn_tensor_from_csr(context, all, all, first, 2, ptr, 64, idx, 64,
                                         GIVEN(val), CAIRN_F64, CAIRN_COPY, csr, &out));
    REFUSED_BY_ALL("cairn_tensor_from_csr: ptr: is NULL",
                   cairn_tensor_from_csr(context, all, all, first, 2, GIVEN(ptr), 64,
                                         idx, 64, val, CAIRN_F64, CAIRN_BORROW, NULL,
                                         &out));
    REFUSED_BY_ALL("cairn_tensor_from_csr: mode: 9 is none of its values",
                   cairn_tensor_from_csr(
                       context, all, all, first, 2, ptr, 64, idx, 64, val, CAIRN_F64,
                       (cairn_copy_mode)IF_LAST(9, CAIRN_COPY), NULL, &out));
    REFUSED_BY_ALL("cairn_tensor_convert: format: is NULL",
                   cairn_tensor_convert(tensor, GIVEN(csr), &out));
    REFUSED_BY_ALL("cairn_tensor_convert: converted: is NULL",
                   cairn_tensor_convert(tensor, csr, GIVEN(&out)));
    REFUSED_BY_ALL("cairn_tensor_read: path: is NULL",
                   cairn_tensor_read(context, GIVEN(THERE), &out));
    REFUSED_BY_ALL("cairn_file_is_native: native: is NULL",
                   cairn_file_is_native(context, THERE, GIVEN(&native)));
    REFUSED_BY_ALL("cairn_source_from_tensor: source: is NULL",
                   cairn_source_from_tensor(tensor, GIVEN(&back)));
    REFUSED_BY_ALL("cairn_tensor_parts: count: is NULL",
                   cairn_tensor_parts(tensor, GIVEN(&number), &parts));
    REFUSED_BY_ALL("cairn_tensor_bytes_as: format: is NULL",
                   cairn_tensor_bytes_as(tensor, GIVEN(csr), &number));
    REFUSED_BY_ALL("cairn_tensor_write: path: is NULL",
                   cairn_tensor_write(tensor, GIVEN("a.cairn"), NULL));
    REFUSED_BY_ALL("cairn_tensor_write: path: is NULL",
                   cairn_tensor_write(tensor, GIVEN("a.mtx"), NULL));
    REFUSED_BY_ALL("cairn_tensor_write_text: source: is NULL",
                   cairn_tensor_write_text(tensor, GIVEN(source), "a.mtx", NULL));
    const cairn_part_info part = {
        .size = sizeof(cairn_part_info), .rank = 0, .local = rank == 0 ? 0 : -1};

    REFUSED_BY_ALL("cairn_tensor_part_text: part: is NULL",
                   cairn_tensor_part_text(tensor, GIVEN(&part), 0, &text));
    ON_ALL_RANKS(!out && !back && !parts && !text, "an output was written");
}

Test(misuse, rows_on_one_rank)
{
    const int32_t    ptr[3] = {0, 1, 2}, idx[2] = {0, 1}, none[3] = {0, 0, 0};
    const double     val[2] = {1, 2};
    cairn_csr        rows = CAIRN_CSR, ghost = CAIRN_CSR, small = CAIRN_CSR;
    cairn_column_map map = CAIRN_COLUMN_MAP, no_map = CAIRN_COLUMN_MAP;
    cairn_tensor    *out = NULL;

    rows.global_rows = rows.global_cols = 2 * size;
    rows.first_row                      = 2 * rank;
    rows.rows                           = 2;
    rows.ptr                            = ptr;
    rows.idx                            = idx;
    rows.val                            = val;
    rows.ptr_bits = rows.idx_bits = 32;
    ghost                         = rows;
    ghost.ptr                     = none;
    ghost.idx = ghost.val = NULL;
    small.size            = 3;
    no_map.size           = 3;
    map.first_col         = 2 * rank;
    map.cols              = 2;
    REFUSED_BY_ALL(
        "cairn_tensor_from_rows: rows: is NULL",
        cairn_tensor_from_rows(context, GIVEN(&rows), CAIRN_COPY, csr, &out));
    REFUSED_BY_ALL(
        "cairn_tensor_from_rows: tensor: is NULL",
        cairn_tensor_from_rows(context, &rows, CAIRN_COPY, csr, GIVEN(&out)));
    REFUSED_BY_ALL("cairn_tensor_from_rows: mode: 9 is none of its values",
                   cairn_tensor_from_rows(context, &rows,
                                          (cairn_copy_mode)IF_LAST(9, CAIRN_COPY), csr,
                                          &out));
    REFUSED_BY_ALL(
        "cairn_tensor_from_rows: rows->size: is 3: set it to "
        "sizeof(cairn_csr), as CAIRN_CSR does",
        cairn_tensor_from_rows(context, IF_LAST(&small, &rows), CAIRN_COPY, csr, &out));
    REFUSED_BY_ALL("cairn_tensor_from_rows: rows->release: is NULL",
                   cairn_tensor_from_rows(context, &rows,
                                          IF_LAST(CAIRN_TAKE, CAIRN_COPY), csr, &out));
    REFUSED_BY_ALL(
        "cairn_tensor_from_blocks: local: is NULL",
        cairn_tensor_from_blocks(context, GIVEN(&rows), &ghost, &map, csr, &out));
    REFUSED_BY_ALL(
        "cairn_tensor_from_blocks: ghost: is NULL",
        cairn_tensor_from_blocks(context, &rows, GIVEN(&ghost), &map, csr, &out));
    REFUSED_BY_ALL(
        "cairn_tensor_from_blocks: map: is NULL",
        cairn_tensor_from_blocks(context, &rows, &ghost, GIVEN(&map), csr, &out));
    REFUSED_BY_ALL(
        "cairn_tensor_from_blocks: tensor: is NULL",
        cairn_tensor_from_blocks(context, &rows, &ghost, &map, csr, GIVEN(&out)));
    REFUSED_BY_ALL("cairn_tensor_from_blocks: map->size: is 3: set it to "
                   "sizeof(cairn_column_map), as CAIRN_COLUMN_MAP does",
                   cairn_tensor_from_blocks(context, &rows, &ghost,
                                            IF_LAST(&no_map, &map), csr, &out));
    ON_ALL_RANKS(!out, "an output was written");
    ON_ALL_RANKS(cairn_tensor_from_blocks(context, &rows, &ghost, &map, csr, &out)
                     == CAIRN_OK,
                 "%s", cairn_context_message(context));
    cairn_tensor_destroy(&out);
}

Test(misuse, plans_on_one_rank)
{
    char            *out_text = NULL;
    cairn_plan      *out      = NULL;
    cairn_plan_part *parts    = NULL;
    cairn_format    *format   = NULL;
    int64_t          count    = 0;
    double           rel = 7, abs_error = 7;
    cairn_plan_info  info = CAIRN_PLAN_INFO;

    REFUSED_BY_ALL("cairn_plan_create_with: plan: is NULL",
                   cairn_plan_create_with(tensor, NULL, GIVEN(&out)));
    REFUSED_BY_ALL("cairn_plan_create_spmv: plan: is NULL",
                   cairn_plan_create_spmv(tensor, GIVEN(&out)));
    REFUSED_BY_ALL("cairn_plan_describe: info: is NULL",
                   cairn_plan_describe(plan, GIVEN(&info)));
    REFUSED_BY_ALL("cairn_plan_parts: parts: is NULL",
                   cairn_plan_parts(plan, &count, GIVEN(&parts)));
    REFUSED_BY_ALL("cairn_plan_save: path: is NULL",
                   cairn_plan_save(plan, GIVEN("plan.json")));
    REFUSED_BY_ALL("cairn_plan_record: events: -1 is less than 0",
                   cairn_plan_record(plan, IF_LAST(-1, 16)));
    ON_ALL_RANKS(cairn_plan_record(plan, 16) == CAIRN_OK, "%s",
                 cairn_context_message(context));
    REFUSED_BY_ALL("cairn_plan_write_trace: path: is NULL",
                   cairn_plan_write_trace(plan, GIVEN("trace.json")));
    REFUSED_BY_ALL("cairn_plan_verify: source: is NULL",
                   cairn_plan_verify(plan, GIVEN(source), &rel, &abs_error));
    REFUSED_BY_ALL("cairn_plan_verify: rel_error: is NULL",
                   cairn_plan_verify(plan, source, GIVEN(&rel), &abs_error));
    REFUSED_BY_ALL("cairn_plan_read_x: path: is NULL",
                   cairn_plan_read_x(plan, GIVEN(THERE)));
    REFUSED_BY_ALL("cairn_plan_write_y: path: is NULL",
                   cairn_plan_write_y(plan, GIVEN("y.mtx")));
    REFUSED_BY_ALL(
        "cairn_format_auto: format: is NULL",
        cairn_format_auto(source, CAIRN_F64, NULL, NULL, GIVEN(&format), NULL));
    REFUSED_BY_ALL("cairn_candidates_read: path: is NULL",
                   cairn_candidates_read(context, GIVEN("nowhere"), &out_text));
    ON_ALL_RANKS(!out && !parts && !format && !out_text && rel == 7 && abs_error == 7,
                 "an output was written");
}

Test(misuse, contexts_on_one_rank)
{
    cairn_device_info *devices  = NULL;
    cairn_diagnostic  *findings = NULL;
    double             value[1] = {1};
    int                count    = 0;

    REFUSED_BY_ALL("cairn_context_agree: mine: 9 is more than 0",
                   cairn_context_agree(context, (cairn_status)IF_LAST(9, CAIRN_OK)));
    REFUSED_BY_ALL("cairn_context_max: values: is NULL",
                   cairn_context_max(context, GIVEN(value), 1));
    REFUSED_BY_ALL("cairn_context_max: n: -1 is less than 0",
                   cairn_context_max(context, value, IF_LAST(-1, 1)));
    REFUSED_BY_ALL("cairn_devices_list: devices: is NULL",
                   cairn_devices_list(context, &count, GIVEN(&devices)));
    REFUSED_BY_ALL("cairn_doctor: diagnostics: is NULL",
                   cairn_doctor(context, &count, GIVEN(&findings)));
    ON_ALL_RANKS(!devices && !findings, "an output was written");
}

/// A caller's communicator is not touched where there is nowhere to put a context.
Test(misuse, contexts_need_a_place)
{
    ON_ALL_RANKS(cairn_context_create_mpi(MPI_COMM_WORLD, NULL) == CAIRN_BAD_ARGUMENT,
                 "a context was made without a place for it");
}
