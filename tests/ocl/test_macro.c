/* SPDX-License-Identifier: Apache-2.0 */
/* A program whose source asks for the runtime, as those for an OpenCL build of oneDNN do. It is
 * compiled with -DDNNL_GPU_RUNTIME=DNNL_RUNTIME_OCL and run with ONEDNN_GPU_RUNTIME=ocl. */
#include "app.h"

#if DNNL_GPU_RUNTIME != DNNL_RUNTIME_OCL || DNNL_CPU_RUNTIME != DNNL_RUNTIME_NONE
#error "the headers have changed what the program asks for"
#endif

#include <stdlib.h>

enum { N = 100 };

/* Everything comes from the library's own functions, and is asked for its OpenCL objects. */
static void relu_on_the_library_s_objects(void **state) {
    (void)state;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_memory_t memory;
    cl_command_queue queue;
    cl_mem buffer;
    float values[N];
    const dnnl_dim_t dims[] = {N};
    dnnl_memory_desc_t md = new_md(1, dims);
    for (int i = 0; i < N; i++) values[i] = (float)(i - 40);

    assert_ok(dnnl_engine_create(&engine, dnnl_gpu, 0));
    assert_ok(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    assert_ok(dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_ALLOCATE));
    assert_ok(dnnl_ocl_interop_stream_get_command_queue(stream, &queue));
    assert_ok(dnnl_ocl_interop_memory_get_mem_object(memory, &buffer));
    assert_cl(
            clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));

    app.engine = engine;
    dnnl_primitive_t relu = new_relu(md);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, memory}, {DNNL_ARG_DST, memory}};
    assert_ok(dnnl_primitive_execute(relu, stream, 2, args));
    assert_ok(dnnl_stream_wait(stream));
    assert_cl(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    for (int i = 0; i < N; i++) assert_float_equal(values[i], i > 40 ? i - 40 : 0, 0);

    assert_ok(dnnl_primitive_destroy(relu));
    assert_ok(dnnl_memory_destroy(memory));
    assert_ok(dnnl_memory_desc_destroy(md));
    assert_ok(dnnl_stream_destroy(stream));
    assert_ok(dnnl_engine_destroy(engine));
}

int main(void) {
    setenv("ONEDNN_GPU_RUNTIME", "ocl", 1);
    if (!find_devices(true, &app.device, 1)) {
        puts("no OpenCL device here supports SPIR-V");
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(relu_on_the_library_s_objects)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
