// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// OpenCL devices: products of every format of the catalogue with the processor's bits,
/// and what happens when OpenCL, its compiler or the device fails. Where there is no
/// device of OpenCL's, all but the tests of that are skipped.

#include "api/api.h"
#include "devices/opencl/buffers.h"
#include "devices/opencl/product.h"
#include "devices/opencl/program.h"
#include "devices/registry.h"
#include "support/api.h"
#include "support/brutal.h"

#include <math.h>

/// Is there a device? Says so if not.
static bool has_device(void)
{
    cairn_opencl_handle handle[CAIRN_OPENCL_DEVICES];
    cairn_opencl_driver driver;
    int                 count = 0;

    if (cairn_opencl_driver_open(&driver)) {
        count = cairn_opencl_devices(&driver, handle);
        cairn_opencl_driver_close(&driver);
    }
    if (count == 0) fprintf(stderr, "test_opencl: no OpenCL device here: skipped\n");
    return count > 0;
}

/* ---- Products ---- */

enum { ROWS = 61, COLS = 53, MOST = 5 };

/// A matrix with an empty row, a long one, a band and scattered entries.
static cairn_source *make_source(cairn_context *context)
{
    static int64_t coord[2 * ROWS * COLS];
    static double  value[ROWS * COLS];
    const int64_t  extent[2] = {ROWS, COLS};
    cairn_source  *source;
    int64_t        n = 0;

    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++) {
            if (i != 7 && (i == 11 || (abs(i - j) > 2 && (i * 5 + j * 3) % 17 != 0)))
                continue;
            coord[2 * n]     = i;
            coord[2 * n + 1] = j;
            value[n++]       = (float)(0.25 + (i * 31 + j * 17) % 23 / 7.0);
        }
    MUST(context, cairn_source_from_coords(context, 2, extent, n, coord, value,
                                           CAIRN_BY_ROWS, &source));
    return source;
}

/// Two contexts at once: one of the processor, one of OpenCL devices.
typedef struct {
    cairn_context *context[2];
    cairn_source  *source[2];
    int64_t        blocks[2];
} both;

static void open_both(both *b)
{
    for (int d = 0; d < 2; d++) {
        cr_assert_eq(cairn_context_create(&b->context[d]), CAIRN_OK);
        snprintf(b->context[d]->env.options.devices,
                 sizeof b->context[d]->env.options.devices, "%s", d ? "opencl" : "cpu");
        b->blocks[d] = must_settle(b->context[d]);
        b->source[d] = make_source(b->context[d]);
    }
}

static void close_both(both *b)
{
    for (int d = 0; d < 2; d++) {
        cairn_source_destroy(&b->source[d]);
        must_end(&b->context[d], b->blocks[d]);
    }
}

/// Y of two runs. @return Members of the format.
static int multiply(const both                  *b,
                    int                          d,
                    const char                  *text,
                    cairn_dtype                  dtype,
                    const cairn_product_options *op,
                    void                        *y)
{
    const bool    f32 = dtype == CAIRN_F32;
    static double x[ROWS * MOST];
    static float  x32[ROWS * MOST];
    cairn_tensor *tensor = must_store(b->context[d], b->source[d], text, dtype);
    cairn_plan   *plan;

    for (int n = 0; n < ROWS * MOST; n++)
        x[n] = x32[n] = (float)ramp(n);
    memset(y, 0, sizeof x); /* also where it is f32 */
    /* Storing may interpret a query, products may not be interpreted. */
    b->context[d]->env.options.kernels = CAIRN_KERNELS_COMPILED;
    MUST(b->context[d], cairn_plan_create_product(tensor, op, &plan));
    b->context[d]->env.options.kernels = CAIRN_KERNELS_AUTO;
    for (int again = 0; again < 2; again++)
        MUST(b->context[d], cairn_plan_run(plan, f32 ? (void *)x32 : (void *)x, y));
    const int members = tensor->local->groups;

    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    return members;
}

/// Members on a device of their own are summed there and then added, so that a row of
/// several has other roundings.
static void
check_close(cairn_dtype dtype, const void *y, const void *right, const char *text)
{
    for (int n = 0; n < ROWS * MOST; n++) {
        const bool   f32 = dtype == CAIRN_F32;
        const double a   = f32 ? (double)((const float *)y)[n] : ((const double *)y)[n];
        const double b =
            f32 ? (double)((const float *)right)[n] : ((const double *)right)[n];

        cr_expect_float_eq(a, b, (f32 ? 1e-6 : 1e-14) * fabs(b), "%s: Y(%d) = %.17g",
                           text, n, a);
    }
}

/// The processor's bits, for every format of the catalogue.
static void check_catalogue(cairn_dtype dtype, const cairn_product_options *op)
{
    static double y[2][ROWS * MOST];
    both          b;
    const char   *name;
    int           formats = 0;

    if (!has_device()) cr_skip_test("no OpenCL device");
    open_both(&b);
    for (int k = 0; (name = cairn_catalogue_name(b.context[0], k)); k++) {
        char text[64], copy[64];

        snprintf(copy, sizeof copy, "%s", name);
        sample_use(b.context[0], copy, text, sizeof text);
        const int members = multiply(&b, 0, text, dtype, op, y[0]);

        multiply(&b, 1, text, dtype, op, y[1]);
        if (members > 1)
            check_close(dtype, y[1], y[0], text);
        else
            cr_expect_eq(memcmp(y[0], y[1], sizeof y[0]), 0, "%s: bits differ", text);
        formats++;
    }
    cr_expect_gt(formats, 20);
    close_both(&b);
}

Test(opencl, a_vector)
{
    check_catalogue(CAIRN_F64,
                    &(cairn_product_options){.size    = sizeof(cairn_product_options),
                                             .columns = 1,
                                             .alpha   = 1});
}

Test(opencl, a_vector_of_f32)
{
    check_catalogue(CAIRN_F32,
                    &(cairn_product_options){.size    = sizeof(cairn_product_options),
                                             .columns = 1,
                                             .alpha   = 1});
}

Test(opencl, several_columns)
{
    check_catalogue(CAIRN_F64,
                    &(cairn_product_options){.size    = sizeof(cairn_product_options),
                                             .columns = MOST,
                                             .alpha   = 1});
}

Test(opencl, the_transpose_scaled)
{
    check_catalogue(CAIRN_F64,
                    &(cairn_product_options){.size    = sizeof(cairn_product_options),
                                             .columns = 1,
                                             .transposed = 1,
                                             .alpha      = -1.5});
}

/* ---- One device, and what may go wrong ---- */

/// A device that is open, and a stored matrix.
typedef struct {
    cairn_context *context;
    cairn_source  *source;
    cairn_tensor  *tensor;
    cairn_device  *device;
    int64_t        blocks;
} fixture;

static const cairn_product_options plain = CAIRN_PRODUCT_OPTIONS;

static void open_fixture(fixture *f)
{
    cr_assert_eq(cairn_context_create(&f->context), CAIRN_OK);
    snprintf(f->context->env.options.devices, sizeof f->context->env.options.devices,
             "opencl");
    f->blocks = must_settle(f->context);
    f->device = &f->context->devices->device[0];
    f->source = make_source(f->context);
    f->tensor = must_store(f->context, f->source, "csr", CAIRN_F64);
}

static void close_fixture(fixture *f)
{
    cairn_tensor_destroy(&f->tensor);
    cairn_source_destroy(&f->source);
    must_end(&f->context, f->blocks);
}

static cairn_device_work work_of(const fixture *f)
{
    return (cairn_device_work){.tensor = f->tensor->local, .op = &plain, .alone = true};
}

/// What is alive of OpenCL's, and the number of calls until one fails; below 0: none does.
static struct {
    int                 alive, left;
    cl_int              error;
    cairn_opencl_driver real;
} spy;

static bool fails(void)
{
    return spy.left >= 0 && spy.left-- == 0;
}

/// @p call unless it is its turn to fail.
#define COUNTED(call) (fails() ? spy.error : (call))
#define MADE(call)                                \
    if (fails()) return *error = spy.error, NULL; \
    spy.alive++;                                  \
    return (call)
#define GONE(call) (spy.alive--, (call))

static cl_mem create_buffer(cl_context   context,
                            cl_mem_flags flags,
                            size_t       size,
                            void        *host,
                            cl_int      *error)
{
    MADE(spy.real.CreateBuffer(context, flags, size, host, error));
}

static cl_int release_buffer(cl_mem buffer)
{
    return GONE(spy.real.ReleaseMemObject(buffer));
}

static cl_program create_program(cl_context    context,
                                 cl_uint       count,
                                 const char  **text,
                                 const size_t *lengths,
                                 cl_int       *error)
{
    MADE(spy.real.CreateProgramWithSource(context, count, text, lengths, error));
}

static cl_int release_program(cl_program program)
{
    return GONE(spy.real.ReleaseProgram(program));
}

static cl_int build_program(cl_program          program,
                            cl_uint             count,
                            const cl_device_id *devices,
                            const char         *options,
                            void (*told)(cl_program, void *),
                            void *user)
{
    return COUNTED(spy.real.BuildProgram(program, count, devices, options, told, user));
}

static cl_kernel create_kernel(cl_program program, const char *name, cl_int *error)
{
    MADE(spy.real.CreateKernel(program, name, error));
}

static cl_int release_kernel(cl_kernel kernel)
{
    return GONE(spy.real.ReleaseKernel(kernel));
}

static cl_int set_argument(cl_kernel kernel, cl_uint n, size_t size, const void *value)
{
    return COUNTED(spy.real.SetKernelArg(kernel, n, size, value));
}

/// An event is alive, too.
static cl_int counted_event(cl_int error, const cl_event *event)
{
    spy.alive += event && error == CL_SUCCESS;
    return error;
}

/// Nobody lets go of a command that still reads or writes memory of the host's.
static cl_int release_event(cl_event event)
{
    cl_int state = CL_QUEUED;

    spy.real.GetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state,
                          &state, NULL);
    cr_expect_leq(state, CL_COMPLETE, "a command goes on that is not waited for");
    return GONE(spy.real.ReleaseEvent(event));
}

static cl_int write_buffer(cl_command_queue queue,
                           cl_mem           buffer,
                           cl_bool          block,
                           size_t           offset,
                           size_t           size,
                           const void      *from,
                           cl_uint          waits,
                           const cl_event  *wait,
                           cl_event        *event)
{
    return counted_event(
        COUNTED(spy.real.EnqueueWriteBuffer(queue, buffer, block, offset, size, from,
                                            waits, wait, event)),
        event);
}

static cl_int read_buffer(cl_command_queue queue,
                          cl_mem           buffer,
                          cl_bool          block,
                          size_t           offset,
                          size_t           size,
                          void            *to,
                          cl_uint          waits,
                          const cl_event  *wait,
                          cl_event        *event)
{
    return counted_event(
        COUNTED(spy.real.EnqueueReadBuffer(queue, buffer, block, offset, size, to,
                                           waits, wait, event)),
        event);
}

static cl_int copy_buffer(cl_command_queue queue,
                          cl_mem           from,
                          cl_mem           to,
                          size_t           offset_from,
                          size_t           offset_to,
                          size_t           size,
                          cl_uint          waits,
                          const cl_event  *wait,
                          cl_event        *event)
{
    return counted_event(
        COUNTED(spy.real.EnqueueCopyBuffer(queue, from, to, offset_from, offset_to,
                                           size, waits, wait, event)),
        event);
}

static cl_int start_kernel(cl_command_queue queue,
                           cl_kernel        kernel,
                           cl_uint          dimensions,
                           const size_t    *offset,
                           const size_t    *global,
                           const size_t    *local,
                           cl_uint          waits,
                           const cl_event  *wait,
                           cl_event        *event)
{
    return counted_event(
        COUNTED(spy.real.EnqueueNDRangeKernel(queue, kernel, dimensions, offset, global,
                                              local, waits, wait, event)),
        event);
}

/// A wait begins with it.
static cl_int flush(cl_command_queue queue)
{
    const cl_int error = spy.real.Flush(queue);

    return COUNTED(error);
}

/// Look over the shoulder of everything that is made, and may fail.
static void spy_on(cairn_device *device)
{
    cairn_opencl_driver *driver = &cairn_opencl_of(device)->driver;

    spy.real                        = *driver;
    spy.left                        = -1;
    spy.alive                       = 0;
    driver->CreateBuffer            = create_buffer;
    driver->ReleaseMemObject        = release_buffer;
    driver->CreateProgramWithSource = create_program;
    driver->ReleaseProgram          = release_program;
    driver->BuildProgram            = build_program;
    driver->CreateKernel            = create_kernel;
    driver->ReleaseKernel           = release_kernel;
    driver->SetKernelArg            = set_argument;
    driver->EnqueueWriteBuffer      = write_buffer;
    driver->EnqueueReadBuffer       = read_buffer;
    driver->EnqueueCopyBuffer       = copy_buffer;
    driver->EnqueueNDRangeKernel    = start_kernel;
    driver->Flush                   = flush;
    driver->ReleaseEvent            = release_event;
}

/// Every call of OpenCL's fails once while a launch is made: it is not made, nothing is
/// left, and the message names the device and the error.
Test(opencl_fails, while_a_launch_is_made)
{
    fixture f;
    int     calls = 0;

    if (!has_device()) cr_skip_test("no OpenCL device");
    open_fixture(&f);
    spy_on(f.device);
    const cairn_device_work work = work_of(&f);

    spy.error = CL_OUT_OF_RESOURCES;
    for (;; calls++) {
        const int64_t blocks = f.context->env.live_blocks;
        cairn_launch  launch = {0};

        spy.left                  = calls;
        const cairn_status status = cairn_opencl_build(f.device, &work, &launch);
        const bool         failed = spy.left < 0;

        spy.left = -1;
        if (status == CAIRN_OK) {
            cr_expect_not(failed, "call %d failed, and the build did not", calls);
            launch.release(&launch);
        } else {
            cr_expect_null(launch.run);
            cr_expect(strstr(f.context->env.message, "opencl:0"), "%s",
                      f.context->env.message);
        }
        cr_expect_eq(spy.alive, 0, "call %d: %d objects left", calls, spy.alive);
        cr_expect_eq(f.context->env.live_blocks, blocks, "call %d", calls);
        if (!failed) break;
    }
    cr_expect_gt(calls, 15);
    cairn_opencl_of(f.device)->driver = spy.real;
    close_fixture(&f);
}

/// The same while the rates are measured: they are unknown then, and nothing reads the
/// block, which is gone.
Test(opencl_fails, while_rates_are_measured)
{
    fixture f;
    int     calls = 0;

    if (!has_device()) cr_skip_test("no OpenCL device");
    open_fixture(&f);
    spy_on(f.device);
    spy.error = CL_OUT_OF_RESOURCES;
    for (;; calls++) {
        const int64_t blocks = f.context->env.live_blocks;

        f.device->info.bandwidth = 0;
        spy.left                 = calls;
        MUST(f.context, f.device->ops.measure(f.device));
        cr_expect_eq(spy.alive, 0, "call %d: %d objects left", calls, spy.alive);
        cr_expect_eq(f.context->env.live_blocks, blocks, "call %d", calls);
        if (spy.left >= 0) break;
        cr_expect_eq(f.device->info.bandwidth, 0, "call %d", calls);
    }
    cr_expect_eq(calls, 7); /* two buffers, four copies, the wait */
    cr_expect_gt(f.device->info.bandwidth, 0);
    cairn_opencl_of(f.device)->driver = spy.real;
    close_fixture(&f);
}

/// The same while it runs: the launch says how, and runs again.
Test(opencl_fails, while_a_launch_runs)
{
    static double     x[COLS], y[ROWS], again[ROWS];
    fixture           f;
    cairn_launch      launch = {0};
    cairn_device_work work;
    int               calls = 0;

    if (!has_device()) cr_skip_test("no OpenCL device");
    open_fixture(&f);
    work = work_of(&f);
    MUST(f.context, cairn_opencl_build(f.device, &work, &launch));
    spy_on(f.device);
    for (int j = 0; j < COLS; j++)
        x[j] = ramp(j);
    cr_assert_eq(launch.run(&launch, x, y), CAIRN_OK, "%s", launch.message);
    cr_expect_gt(launch.times.compute, 0);
    cr_expect_gt(launch.bytes.own, 0);
    cr_expect(launch.sets && !launch.wide);
    cr_expect_str_eq(launch.note, "");
    spy.error = CL_DEVICE_NOT_AVAILABLE;
    for (;; calls++) {
        spy.left = calls;
        if (launch.run(&launch, x, again) == CAIRN_OK) break;
        cr_expect(strstr(launch.message, "opencl:0"), "%s", launch.message);
        cr_expect(strstr(launch.message, "CL_DEVICE_NOT_AVAILABLE"), "%s",
                  launch.message);
    }
    cr_expect_eq(calls, 4); /* in, kernel, out, wait */
    spy.left = -1;
    memset(again, 0, sizeof again);
    cr_assert_eq(launch.run(&launch, x, again), CAIRN_OK, "%s", launch.message);
    cr_expect_eq(memcmp(y, again, sizeof y), 0);
    cr_expect_eq(spy.alive, 0, "%d events left", spy.alive);
    cairn_opencl_of(f.device)->driver = spy.real;
    launch.release(&launch);
    close_fixture(&f);
}

Test(opencl_fails, without_memory_of_ours)
{
    fixture      f;
    cairn_launch launch = {0};

    if (!has_device()) cr_skip_test("no OpenCL device");
    open_fixture(&f);
    spy_on(f.device);
    const cairn_device_work work = work_of(&f);

    CAIRN_BRUTAL_AND(&f.context->env, cairn_opencl_build(f.device, &work, &launch),
                     spy.alive == 0);
    launch.release(&launch);
    cr_expect_eq(spy.alive, 0);
    cairn_opencl_of(f.device)->driver = spy.real;
    close_fixture(&f);
}

Test(opencl_fails, with_the_first_line_of_what_the_compiler_says)
{
    const cairn_opencl_kernel wrong = {.text = "__kernel void k(int a) { b = a; }\n"};
    fixture                   f;
    cl_program                program = NULL;
    cairn_route               route;

    if (!has_device()) cr_skip_test("no OpenCL device");
    open_fixture(&f);
    REFUSED(f.context, NO_KERNEL, "opencl:0: k: CL_BUILD_PROGRAM_FAILURE: ",
            cairn_opencl_program(f.device, &wrong, "k", &program, &route));
    cr_expect_null(program);
    cr_expect_null(strchr(f.context->env.message, '\n'));
    close_fixture(&f);
}

Test(opencl_fails, for_more_memory_than_the_device_has)
{
    fixture              f;
    cairn_opencl_device *d;
    cairn_launch         launch = {0};
    cl_mem               buffer = NULL;

    if (!has_device()) cr_skip_test("no OpenCL device");
    open_fixture(&f);
    d                         = cairn_opencl_of(f.device);
    cairn_opencl_buffers list = {.device = f.device};

    REFUSED(f.context, NO_MEMORY, "at once",
            cairn_opencl_buffer(&list, INT64_MAX, NULL, &buffer));
    cr_expect_null(buffer);
    MUST(f.context, cairn_opencl_buffer(&list, 0, NULL, &buffer));
    cairn_opencl_buffers_fini(&list);
    d->most_bytes                = 100;
    const cairn_device_work work = work_of(&f);

    REFUSED(f.context, NO_MEMORY, "an array of",
            cairn_opencl_build(f.device, &work, &launch));
    d->most_bytes = d->memory = 1000;
    REFUSED(f.context, NO_MEMORY, "beside",
            cairn_opencl_build(f.device, &work, &launch));
    cr_expect_null(launch.run);
    d->doubles = false;
    REFUSED(f.context, UNSUPPORTED, "f64",
            cairn_opencl_build(f.device, &work, &launch));
    close_fixture(&f);
}

/// The program of a launch, written as somebody would who builds it ahead.
static void write_binary(const cairn_launch *launch, const char *path)
{
    const cairn_opencl_product *p    = launch->state;
    const cairn_opencl_driver  *cl   = &cairn_opencl_of(p->device)->driver;
    size_t                      size = 0;
    FILE                       *file = fopen(path, "wb");

    cl->GetProgramInfo(p->code->program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size,
                       NULL);
    unsigned char *bytes = malloc(size);

    cr_assert(size > 0 && bytes && file);
    cl->GetProgramInfo(p->code->program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes,
                       NULL);
    cr_assert_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
    free(bytes);
}

Test(opencl, programs_built_ahead)
{
    static double     x[COLS], y[2][ROWS];
    char              path[CAIRN_OPTION_PATH + 64], symbol[64] = "";
    fixture           f;
    cairn_launch      launch = {0};
    cairn_device_work work;
    cairn_env        *env;

    if (!has_device()) cr_skip_test("no OpenCL device");
    open_fixture(&f);
    work = work_of(&f);
    env  = &f.context->env;
    for (int j = 0; j < COLS; j++)
        x[j] = ramp(j);
    char folder[64];

    scratch_create(folder);

    snprintf(env->options.dump_kernels, sizeof env->options.dump_kernels, "%s", folder);
    MUST(f.context, cairn_opencl_build(f.device, &work, &launch));
    cr_expect_eq(launch.route, CAIRN_ROUTE_COMPILED);
    cr_expect_eq(launch.run(&launch, x, y[0]), CAIRN_OK);
    sscanf(strstr(((cairn_opencl_product *)launch.state)->code->kernel.text, "cairn_"),
           "%[a-z0-9_]", symbol);
    snprintf(path, sizeof path, "%s/%s.clbin", folder, symbol);
    write_binary(&launch, path);
    launch.release(&launch);

    /* A device that compiles nothing needs it. */
    cairn_opencl_of(f.device)->compiles = false;
    REFUSED(f.context, NO_KERNEL, ".clbin",
            cairn_opencl_build(f.device, &work, &launch));
    snprintf(env->options.opencl_bin, sizeof env->options.opencl_bin, "%s", folder);
    MUST(f.context, cairn_opencl_build(f.device, &work, &launch));
    cr_expect_eq(launch.route, CAIRN_ROUTE_PREBUILT);
    cr_expect_eq(launch.run(&launch, x, y[1]), CAIRN_OK);
    cr_expect_eq(memcmp(y[0], y[1], sizeof y[0]), 0);
    launch.release(&launch);

    /* It may be anything. */
    FILE *file = fopen(path, "wb");

    cr_assert(file && fputs("no program", file) >= 0 && fclose(file) == 0);
    REFUSED(f.context, NO_KERNEL, "opencl:0",
            cairn_opencl_build(f.device, &work, &launch));
    remove(path);
    snprintf(path, sizeof path, "%s/%s.cl", folder, symbol);
    cr_expect_eq(remove(path), 0, "%s was not written", path);
    cr_expect_eq(rmdir(folder), 0, "%s is not empty", folder);
    close_fixture(&f);
}

/* ---- Which devices there are ---- */

static cairn_status open_list(cairn_context *context, const char *list)
{
    return cairn_devices_check(context, NULL, list, 1);
}

/// PoCL makes as many devices as it is told to.
Test(opencl_devices, two_on_a_platform)
{
    cairn_context *context;
    cairn_tensor  *tensor;

    setenv("POCL_DEVICES", "pthread pthread", 1); /* read when it is loaded */
    if (!has_device()) cr_skip_test("no OpenCL device");
    const int64_t blocks = must_start(&context);

    cr_expect_eq(context->devices->count, 1, "OpenCL was not asked for");
    if (open_list(context, "opencl:2") != CAIRN_OK) {
        cairn_context_destroy(&context);
        cr_skip_test("this platform has one device");
    }
    cr_expect_eq(context->devices->count, 2);
    cr_expect_str_eq(context->devices->device[1].info.id, "opencl:1");
    cr_expect_str_neq(context->devices->device[1].info.driver, "");
    cairn_source *source = make_source(context);

    tensor                       = must_store(context, source, "csr", CAIRN_F64);
    const cairn_device_work work = {
        .tensor = tensor->local, .op = &plain, .alone = true};
    cairn_launch  launch[2] = {{0}, {0}};
    static double x[COLS], y[2][ROWS];

    for (int d = 0; d < 2; d++)
        MUST(context,
             cairn_opencl_build(&context->devices->device[d], &work, &launch[d]));
    for (int j = 0; j < COLS; j++)
        x[j] = ramp(j);
    for (int d = 0; d < 2; d++)
        cr_expect_eq(launch[d].run(&launch[d], x, y[d]), CAIRN_OK);
    cr_expect_eq(memcmp(y[0], y[1], sizeof y[0]), 0);
    for (int d = 0; d < 2; d++)
        launch[d].release(&launch[d]);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    REFUSED(context, NO_DEVICE, "opencl:2", open_list(context, "opencl:9"));
    must_end(&context, blocks);
}

Test(opencl_devices, are_opened_when_a_placement_names_them)
{
    cairn_context *context;

    if (!has_device()) cr_skip_test("no OpenCL device");
    must_start(&context);
    MUST(context, cairn_devices_check(context, "0=cpu,1=opencl", NULL, 2));
    cr_expect_eq(context->devices->count, 2);
    cr_expect_str_eq(context->devices->device[0].info.kind, "cpu");
    cairn_context_destroy(&context);
}

/// Everything else works where no platform is.
Test(opencl_devices, none_without_a_platform)
{
    cairn_context *context;

    setenv("OCL_ICD_VENDORS", "/no/such/folder", 1);
    must_start(&context);
    REFUSED(context, NO_DEVICE, "no opencl device", open_list(context, "opencl"));
    REFUSED(context, NO_DEVICE, "opencl:0", open_list(context, "cpu,opencl:1"));
    MUST(context, open_list(context, "all"));
    MUST(context, open_list(context, "cpu"));
    cairn_context_destroy(&context);
}
