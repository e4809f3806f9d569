// SPDX-License-Identifier: Apache-2.0
// The same as test_macro.c in C++: compiled with -DDNNL_GPU_RUNTIME=DNNL_RUNTIME_OCL.
#define CL_TARGET_OPENCL_VERSION 300
#include "../cpp/cpp_test.hpp"

#if DNNL_GPU_RUNTIME != DNNL_RUNTIME_OCL || DNNL_CPU_RUNTIME != DNNL_RUNTIME_NONE
#error "the headers have changed what the program asks for"
#endif

#include "dnnl_ocl.hpp"

extern "C" {
#include "app.h"
}

namespace {

enum { N = 100 };

void relu_on_the_library_s_objects(void **) {
    using namespace dnnl;
    const engine eng(engine::kind::gpu, 0);
    stream strm(eng);
    const memory::desc md({N}, memory::data_type::f32, memory::format_tag::a);
    const memory mem(md, eng);
    cl_command_queue queue = ocl_interop::get_command_queue(strm);
    cl_mem buffer = ocl_interop::get_mem_object(mem);
    float values[N];
    for (int i = 0; i < N; i++) values[i] = static_cast<float>(i - 40);
    assert_cl(clEnqueueWriteBuffer(
            queue, buffer, CL_TRUE, 0, sizeof values, values, 0, nullptr, nullptr));

    const eltwise_forward::primitive_desc pd(
            eng, prop_kind::forward_inference, algorithm::eltwise_relu, md, md, 0.f);
    const eltwise_forward relu(pd);
    cl_event done = ocl_interop::execute(relu, strm, {{DNNL_ARG_SRC, mem}, {DNNL_ARG_DST, mem}});
    assert_cl(clEnqueueReadBuffer(
            queue, buffer, CL_TRUE, 0, sizeof values, values, 1, &done, nullptr));
    assert_cl(clReleaseEvent(done));
    for (int i = 0; i < N; i++) assert_float_equal(values[i], i > 40 ? i - 40 : 0, 0);
}

} // namespace

int main() {
    setenv("ONEDNN_GPU_RUNTIME", "ocl", 1);
    if (!find_devices(true, &app.device, 1)) {
        std::puts("no OpenCL device here supports SPIR-V");
        return 77;
    }
    const CMUnitTest tests[] = {cmocka_unit_test(relu_on_the_library_s_objects)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
