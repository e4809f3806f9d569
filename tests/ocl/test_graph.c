/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs on OpenCL: execution between events, allocators of the program, scratchpads, engines from
 * a blob. The partition is a batch norm in bf16, which runs in several steps with a scratchpad. */
#include "app.h"
#include "dnnl_graph_ocl.h"
#include "dnnl_graph_ze.h"

enum { INPUTS = 5, TENSORS = 7, PIXELS = 6, CHANNELS = 16, FIRST_OUT = INPUTS };

/* ---- an allocator ---- */

static struct {
    int live, given, with_event;
    bool fails;
} counts;

/* Functions of cl_intel_unified_shared_memory, or NULL. */
static void *intel_function(const char *name) {
    static char extensions[1 << 16];
    cl_platform_id platform;
    assert_cl(clGetDeviceInfo(
            app.device, CL_DEVICE_EXTENSIONS, sizeof extensions - 1, extensions, NULL));
    assert_cl(clGetDeviceInfo(
            app.device, CL_DEVICE_PLATFORM, sizeof platform, (void *)&platform, NULL));
    return strstr(extensions, "cl_intel_unified_shared_memory")
                   ? clGetExtensionFunctionAddressForPlatform(platform, name)
                   : NULL;
}

static void *give(size_t size, size_t alignment, cl_device_id device, cl_context context) {
    void *(*usm)(cl_context, cl_device_id, const void *, size_t, cl_uint, cl_int *);
    *(void **)&usm = intel_function("clDeviceMemAllocINTEL");
    assert_int_equal(alignment, 0);
    assert_true(size > 0);
    assert_ptr_equal(device, app.device);
    if (counts.fails) return NULL;
    void *ptr = usm ? usm(context, device, NULL, size, 64, NULL)
                    : clSVMAlloc(context, CL_MEM_READ_WRITE, size, 64);
    counts.live += ptr != NULL;
    counts.given += ptr != NULL;
    return ptr;
}

static void take_back(void *ptr, cl_device_id device, cl_context context, cl_event event) {
    cl_int (*usm)(cl_context, void *);
    *(void **)&usm = intel_function("clMemFreeINTEL");
    assert_non_null(ptr);
    assert_ptr_equal(device, app.device);
    if (event) {
        assert_cl(clWaitForEvents(1, &event));
        counts.with_event++;
    }
    if (usm) assert_cl(usm(context, ptr));
    else clSVMFree(context, ptr);
    counts.live--;
}

static dnnl_engine_t counted_engine(void) {
    dnnl_graph_allocator_t allocator;
    dnnl_engine_t engine;
    counts.given = counts.with_event = 0;
    assert_ok(dnnl_graph_ocl_interop_allocator_create(&allocator, give, take_back));
    assert_ok(dnnl_graph_ocl_interop_make_engine_with_allocator(
            &engine, app.device, app.context, allocator));
    assert_ok(dnnl_graph_allocator_destroy(allocator));
    return engine;
}

/* ---- a batch norm: out = in * scale ---- */

typedef struct {
    dnnl_engine_t engine;
    dnnl_graph_partition_t part;
    dnnl_graph_compiled_partition_t cp;
    dnnl_graph_logical_tensor_t lts[TENSORS];
    dnnl_memory_t memory[TENSORS];
    dnnl_graph_tensor_t tensors[TENSORS]; /* inputs, and two of the shape of the output */
} norm_t;

static bool is_image(int i) {
    return i == 0 || i >= FIRST_OUT;
}

static int elements(int i) {
    return is_image(i) ? PIXELS * CHANNELS : CHANNELS;
}

static uint16_t bf16(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)(bits >> 16);
}

/* Input 1 is the scale; the others are 0, 0, and a variance of 1. */
static float value_of(int i, int k, float scale) {
    if (i == 0) return (float)(1 + k % 7);
    return i == 1 ? scale : i == 4 ? 1.f : 0.f;
}

static void fill_tensor(norm_t *norm, int i, float scale) {
    uint16_t *mapped;
    assert_ok(dnnl_memory_map_data(norm->memory[i], (void **)&mapped));
    for (int k = 0; k < elements(i); k++) mapped[k] = bf16(value_of(i, k, scale));
    assert_ok(dnnl_memory_unmap_data(norm->memory[i], mapped));
}

static void check_tensor(const norm_t *norm, int i, float factor) {
    uint16_t *mapped;
    assert_ok(dnnl_memory_map_data(norm->memory[i], (void **)&mapped));
    for (int k = 0; k < elements(i); k++)
        assert_int_equal(mapped[k], bf16((float)(1 + k % 7) * factor));
    assert_ok(dnnl_memory_unmap_data(norm->memory[i], mapped));
}

static void make_tensor(norm_t *norm, int i) {
    const dnnl_dims_t image = {1, PIXELS, CHANNELS}, vector = {CHANNELS};
    dnnl_memory_desc_t md;
    void *ptr;
    assert_ok(dnnl_graph_logical_tensor_init_with_dims(&norm->lts[i], (size_t)i, dnnl_bf16,
            is_image(i) ? 3 : 1, is_image(i) ? image : vector, dnnl_graph_layout_type_strided,
            dnnl_graph_tensor_property_variable));
    assert_ok(dnnl_memory_desc_create_with_tag(&md, is_image(i) ? 3 : 1,
            is_image(i) ? image : vector, dnnl_bf16, is_image(i) ? dnnl_abc : dnnl_a));
    assert_ok(dnnl_ocl_interop_memory_create(
            &norm->memory[i], md, app.engine, dnnl_ocl_interop_usm, DNNL_MEMORY_ALLOCATE));
    assert_ok(dnnl_memory_get_data_handle(norm->memory[i], &ptr));
    assert_ok(dnnl_graph_tensor_create(&norm->tensors[i], &norm->lts[i], norm->engine, ptr));
    assert_ok(dnnl_memory_desc_destroy(md));
    fill_tensor(norm, i, 2);
}

static dnnl_status_t compile(norm_t *norm) {
    const float epsilon = 1e-6f;
    const dnnl_graph_logical_tensor_t *in[INPUTS], *out[] = {&norm->lts[FIRST_OUT]};
    dnnl_graph_op_t op;
    assert_ok(dnnl_graph_op_create(&op, 1, dnnl_graph_op_batch_norm_inference, "norm"));
    assert_ok(dnnl_graph_op_set_attr_f32(op, dnnl_graph_op_attr_epsilon, &epsilon, 1));
    for (int i = 0; i < INPUTS; i++) {
        in[i] = &norm->lts[i];
        assert_ok(dnnl_graph_op_add_input(op, in[i]));
    }
    assert_ok(dnnl_graph_op_add_output(op, out[0]));
    assert_ok(dnnl_graph_partition_create_with_op(&norm->part, op, dnnl_gpu));
    assert_ok(dnnl_graph_op_destroy(op));
    assert_ok(dnnl_graph_compiled_partition_create(&norm->cp, norm->part));
    return dnnl_graph_partition_compile(norm->part, norm->cp, INPUTS, in, 1, out, norm->engine);
}

static void end_norm(norm_t *norm) {
    for (int i = 0; i < TENSORS; i++) {
        assert_ok(dnnl_graph_tensor_destroy(norm->tensors[i]));
        assert_ok(dnnl_memory_destroy(norm->memory[i]));
    }
    assert_ok(dnnl_graph_compiled_partition_destroy(norm->cp));
    assert_ok(dnnl_graph_partition_destroy(norm->part));
}

/* A device that runs portable kernels only may have none for it. */
static norm_t new_norm(dnnl_engine_t engine) {
    norm_t norm = {.engine = engine};
    for (int i = 0; i < TENSORS; i++) make_tensor(&norm, i);
    const dnnl_status_t status = compile(&norm);
    if (status == dnnl_unimplemented) {
        end_norm(&norm);
        skip();
    }
    assert_ok(status);
    return norm;
}

/* From tensor `from` to tensor `to`. */
static dnnl_status_t run(const norm_t *norm, dnnl_stream_t stream, int from, int to,
        dnnl_graph_tensor_t scratchpad, const cl_event *dep, cl_event *event) {
    const_dnnl_graph_tensor_t in[INPUTS], out[] = {norm->tensors[to]};
    for (int i = 0; i < INPUTS; i++) in[i] = norm->tensors[i ? i : from];
    return dnnl_graph_ocl_interop_compiled_partition_execute_v2(
            norm->cp, stream, INPUTS, in, 1, out, scratchpad, dep, dep != NULL, event);
}

/* ---- tests ---- */

/* Two executions that wait for a gate and for each other, with scratchpads of the library. */
static void check_order(norm_t *norm, cl_command_queue queue) {
    dnnl_stream_t stream;
    cl_event gate = clCreateUserEvent(app.context, NULL), first = NULL, second = NULL;
    cl_int state;
    assert_non_null(gate);
    assert_ok(dnnl_ocl_interop_stream_create(&stream, norm->engine, queue));
    assert_ok(run(norm, stream, 0, FIRST_OUT, NULL, &gate, &first));
    assert_ok(run(norm, stream, FIRST_OUT, FIRST_OUT + 1, NULL, &first, &second));
    assert_cl(
            clGetEventInfo(second, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    assert_true(state > CL_COMPLETE);
    assert_cl(clSetUserEventStatus(gate, CL_COMPLETE));
    assert_cl(clWaitForEvents(1, &second));
    check_tensor(norm, FIRST_OUT, 2);
    check_tensor(norm, FIRST_OUT + 1, 4);
    assert_cl(clReleaseEvent(gate));
    assert_cl(clReleaseEvent(first));
    assert_cl(clReleaseEvent(second));
    assert_ok(dnnl_stream_destroy(stream));
}

static void executions_wait_for_events(void **state) {
    (void)state;
    const cl_command_queue_properties orders[] = {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE};
    for (size_t i = 0; i < COUNT_OF(orders); i++) {
        norm_t norm = new_norm(app.engine);
        cl_command_queue queue = new_queue(orders[i]);
        check_order(&norm, queue);
        assert_cl(clReleaseCommandQueue(queue));
        end_norm(&norm);
    }
}

static void memory_comes_from_the_allocator(void **state) {
    (void)state;
    dnnl_engine_t engine = counted_engine();
    norm_t norm = new_norm(engine);
    dnnl_graph_tensor_t own;
    dnnl_stream_t stream;
    assert_ok(dnnl_graph_tensor_create(&own, &norm.lts[0], engine, DNNL_MEMORY_ALLOCATE));
    assert_int_equal(counts.live, 1);
    assert_ok(dnnl_ocl_interop_stream_create(&stream, engine, app.queue));
    assert_ok(run(&norm, stream, 0, FIRST_OUT, NULL, NULL, NULL));
    assert_int_equal(counts.given, 2);
    assert_int_equal(counts.with_event, 1);
    assert_int_equal(counts.live, 1);
    assert_ok(dnnl_stream_wait(stream));
    check_tensor(&norm, FIRST_OUT, 2);
    counts.fails = true;
    assert_status(run(&norm, stream, 0, FIRST_OUT, NULL, NULL, NULL), out_of_memory);
    counts.fails = false;
    assert_ok(dnnl_graph_tensor_destroy(own));
    assert_ok(dnnl_stream_destroy(stream));
    end_norm(&norm);
    assert_ok(dnnl_engine_destroy(engine));
    assert_int_equal(counts.live, 0);
}

static void scratchpad_of_the_program(void **state) {
    (void)state;
    dnnl_engine_t engine = counted_engine();
    norm_t norm = new_norm(engine);
    dnnl_graph_logical_tensor_t lt;
    dnnl_graph_tensor_t scratchpad;
    dnnl_stream_t stream;
    assert_ok(dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(norm.cp, &lt));
    assert_true(lt.dims[0] > 0);
    assert_ok(dnnl_graph_tensor_create(&scratchpad, &lt, engine, DNNL_MEMORY_ALLOCATE));
    assert_ok(dnnl_ocl_interop_stream_create(&stream, engine, app.queue));
    assert_ok(run(&norm, stream, 0, FIRST_OUT, scratchpad, NULL, NULL));
    assert_ok(dnnl_stream_wait(stream));
    assert_int_equal(counts.given, 1);
    check_tensor(&norm, FIRST_OUT, 2);
    assert_ok(dnnl_stream_destroy(stream));
    assert_ok(dnnl_graph_tensor_destroy(scratchpad));
    end_norm(&norm);
    assert_ok(dnnl_engine_destroy(engine));
    assert_int_equal(counts.live, 0);
}

static void engines_come_from_a_blob(void **state) {
    (void)state;
    static uint8_t blob[1 << 16];
    dnnl_graph_allocator_t allocator;
    dnnl_engine_t engine = NULL;
    dnnl_graph_tensor_t tensor;
    dnnl_graph_logical_tensor_t lt;
    const dnnl_dims_t dims = {CHANNELS};
    size_t size;
    assert_ok(dnnl_ocl_interop_engine_get_cache_blob(app.engine, &size, NULL));
    assert_true(size <= sizeof blob);
    assert_ok(dnnl_ocl_interop_engine_get_cache_blob(app.engine, &size, blob));
    assert_ok(dnnl_graph_ocl_interop_allocator_create(&allocator, give, take_back));
    assert_ok(dnnl_graph_ocl_interop_make_engine_from_cache_blob_with_allocator(
            &engine, app.device, app.context, allocator, size, blob));
    assert_ok(dnnl_graph_logical_tensor_init_with_dims(&lt, 0, dnnl_f32, 1, dims,
            dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_variable));
    assert_ok(dnnl_graph_tensor_create(&tensor, &lt, engine, DNNL_MEMORY_ALLOCATE));
    assert_int_equal(counts.live, 1);
    assert_ok(dnnl_graph_tensor_destroy(tensor));
    assert_int_equal(counts.live, 0);
    assert_ok(dnnl_engine_destroy(engine));
    blob[size / 2] ^= 1;
    assert_status(dnnl_graph_ocl_interop_make_engine_from_cache_blob_with_allocator(
                          &engine, app.device, app.context, allocator, size, blob),
            invalid_arguments);
    assert_ok(dnnl_graph_allocator_destroy(allocator));
}

static void *give_ze(
        size_t size, size_t alignment, ze_device_handle_t device, ze_context_handle_t context) {
    (void)size, (void)alignment, (void)device, (void)context;
    return NULL;
}

static void take_ze(void *ptr, ze_device_handle_t device, ze_context_handle_t context,
        ze_event_handle_t event) {
    (void)ptr, (void)device, (void)context, (void)event;
}

/* Where the first engine is one of Level Zero, it does not take an allocator of OpenCL. */
static void check_engine_by_index(const_dnnl_graph_allocator_t allocator) {
    dnnl_engine_t engine;
    cl_device_id device;
    if (dnnl_engine_create(&engine, dnnl_gpu, 0) != dnnl_success) return;
    const bool is_ocl = dnnl_ocl_interop_get_device(engine, &device) == dnnl_success;
    assert_ok(dnnl_engine_destroy(engine));
    if (!is_ocl)
        assert_status(dnnl_graph_make_engine_with_allocator(&engine, dnnl_gpu, 0, allocator),
                unimplemented);
}

static void runtimes_do_not_mix(void **state) {
    (void)state;
    dnnl_graph_allocator_t ours, others;
    dnnl_engine_t engine = NULL;
    dnnl_stream_t stream;
    norm_t norm = new_norm(app.engine);
    const_dnnl_graph_tensor_t in[INPUTS], out[] = {norm.tensors[FIRST_OUT]};
    for (int i = 0; i < INPUTS; i++) in[i] = norm.tensors[i];
    assert_ok(dnnl_graph_ocl_interop_allocator_create(&ours, give, take_back));
    assert_ok(dnnl_graph_ze_interop_allocator_create(&others, give_ze, take_ze));
    assert_status(dnnl_graph_ocl_interop_make_engine_with_allocator(
                          &engine, app.device, app.context, others),
            unimplemented);
    assert_ok(dnnl_ocl_interop_stream_create(&stream, app.engine, app.queue));
    assert_status(dnnl_graph_ze_interop_compiled_partition_execute(
                          norm.cp, stream, INPUTS, in, 1, out, NULL, 0, NULL),
            invalid_arguments);
    assert_ok(dnnl_graph_ocl_interop_compiled_partition_execute(
            norm.cp, stream, INPUTS, in, 1, out, NULL, 0, NULL));
    assert_ok(dnnl_stream_wait(stream));
    assert_ok(dnnl_stream_destroy(stream));
    end_norm(&norm);
    check_engine_by_index(ours);
    assert_ok(dnnl_graph_allocator_destroy(ours));
    assert_ok(dnnl_graph_allocator_destroy(others));
}

static void null_arguments(void **state) {
    (void)state;
    dnnl_engine_t engine = NULL;
    dnnl_graph_allocator_t allocator;
    assert_status(
            dnnl_graph_ocl_interop_allocator_create(NULL, give, take_back), invalid_arguments);
    assert_ok(dnnl_graph_ocl_interop_allocator_create(&allocator, NULL, NULL));
    assert_status(dnnl_graph_ocl_interop_make_engine_with_allocator(
                          &engine, app.device, app.context, NULL),
            invalid_arguments);
    assert_status(dnnl_graph_ocl_interop_make_engine_with_allocator(
                          &engine, NULL, app.context, allocator),
            invalid_arguments);
    assert_status(dnnl_graph_ocl_interop_compiled_partition_execute(
                          NULL, NULL, 0, NULL, 0, NULL, NULL, 0, NULL),
            invalid_arguments);
    assert_ok(dnnl_graph_allocator_destroy(allocator));
    assert_null(engine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(executions_wait_for_events),
            cmocka_unit_test(memory_comes_from_the_allocator),
            cmocka_unit_test(scratchpad_of_the_program),
            cmocka_unit_test(engines_come_from_a_blob),
            cmocka_unit_test(runtimes_do_not_mix),
            cmocka_unit_test(null_arguments),
    };
    return cmocka_run_group_tests(tests, open_app, close_app);
}
