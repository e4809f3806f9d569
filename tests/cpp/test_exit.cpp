/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that live as long as the process: their destructors run when drivers are shutting
 * down, and have to come to an end. */
#include "cpp_test.hpp"

#include <memory>

using namespace dnnl;

namespace {

// Made before the driver is loaded, destroyed after its own exit handlers ran.
std::unique_ptr<device> dev;
memory kept;
eltwise_forward relu;

void objects_are_left_to_the_exit() {
    dev.reset(new device);
    static const stream other(dev->eng); // destroyed before the ones above
    const memory::desc md({100}, dt::f32, tag::a);
    kept = make(dev->eng, md, numbers(100));
    relu = eltwise_forward::primitive_desc(
            dev->eng, prop_kind::forward_inference, algorithm::eltwise_abs, md, md);
    relu.execute(dev->strm, {{DNNL_ARG_SRC, kept}, {DNNL_ARG_DST, kept}});
    dev->strm.wait();
    std::vector<float> expected = numbers(100);
    for (float &x : expected) x = std::fabs(x);
    check_equal(read<float>(kept), expected);
    relu.execute(other, {{DNNL_ARG_SRC, kept}, {DNNL_ARG_DST, kept}}); // nobody waits for this
}

} // namespace

int main() {
    const CMUnitTest exits[] = {TEST(objects_are_left_to_the_exit)};
    return RUN_ON_DEVICE(exits);
}
