/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl::graph: logical tensors, operations, graphs, partitions, and their execution. */
#include "cpp_test.hpp"

#include "dnnl_graph.hpp"

using namespace dnnl;
using namespace dnnl::graph;
using lt = dnnl::graph::logical_tensor;

namespace {

const lt::data_type f32 = lt::data_type::f32;

void test_logical_tensors() {
    const lt strided(1, f32, {2, 3}, lt::layout_type::strided, lt::property_type::constant);
    assert_int_equal(strided.get_id(), 1);
    assert_true(strided.get_dims() == lt::dims({2, 3}));
    assert_true(strided.get_strides() == lt::dims({3, 1}));
    assert_true(strided.get_data_type() == f32);
    assert_true(strided.get_property_type() == lt::property_type::constant);
    assert_int_equal(strided.get_mem_size(), 24);

    const lt turned(1, f32, {2, 3}, lt::dims({1, 2}), lt::property_type::constant);
    assert_true(turned.get_strides() == lt::dims({1, 2}));
    assert_true(turned.is_equal(lt(turned.data)));
    assert_false(turned.is_equal(strided));

    const lt scalar(2, f32, lt::dims(), lt::layout_type::strided);
    assert_int_equal(scalar.get_mem_size(), 4);
    check_throws(dnnl_invalid_arguments, [] { lt(3, f32).get_dims(); });
    check_throws(dnnl_invalid_arguments, [] { lt(3, f32, 2, lt::layout_type::any).get_strides(); });
    check_throws(dnnl_invalid_arguments, [&] { strided.get_layout_id(); });
    check_throws(dnnl_invalid_arguments, [] { lt(3, f32, lt::dims({2}), lt::dims({1, 1})); });
}

void test_graph_of_two() {
    const lt src(0, f32, {2, 4}, lt::layout_type::strided);
    const lt weights(1, f32, {4, 3}, lt::layout_type::strided);
    const lt product(2, f32, 2, lt::layout_type::strided);
    const lt dst(3, f32, lt::layout_type::any);
    dnnl::graph::graph g(engine::kind::gpu, fpmath_mode::strict);
    g.set_fpmath_mode(fpmath_mode::bf16, true);
    fpmath_mode mode = fpmath_mode::any;
    bool apply_to_int = false;
    g.get_fpmath_mode(mode, apply_to_int);
    assert_true(mode == fpmath_mode::bf16 && apply_to_int);

    op matmul(10, op::kind::MatMul, {src, weights}, {product}, "product");
    matmul.set_attr<bool>(op::attr::transpose_b, false);
    op relu(11, op::kind::LeakyReLU, "relu");
    relu.add_input(product);
    relu.add_output(dst);
    assert_true(g.add_op(relu, false) == dnnl::graph::status::invalid_graph_op);
    check_throws(dnnl_invalid_graph_op, [&] { g.add_op(relu); });
    relu.set_attr<float>(op::attr::alpha, .5f);
    assert_true(g.add_op(matmul) == dnnl::graph::status::success);
    assert_true(g.add_op(relu) == dnnl::graph::status::success);
    assert_false(g.is_finalized());
    const std::vector<partition> parts = g.get_partitions(partition::policy::debug);
    assert_true(g.is_finalized());
    size_t ops = 0;
    for (const partition &p : parts) {
        ops += p.get_ops_num();
        assert_int_equal(p.get_ops().size(), p.get_ops_num());
        assert_true(p.is_supported());
        assert_true(p.get_engine_kind() == engine::kind::gpu);
    }
    assert_int_equal(ops, 2);
    assert_int_equal(parts.front().get_input_ports().size(), 2);
    assert_int_equal(parts.front().get_input_ports()[1].get_id(), 1);
    assert_int_equal(parts.back().get_output_ports()[0].get_id(), 3);
}

void test_execution() {
    const engine eng = make_engine_with_allocator(engine::kind::gpu, 0, allocator());
    stream strm(eng);
    const lt src(0, f32, {2, 3}, lt::layout_type::strided);
    const lt dst(1, f32, lt::layout_type::any);
    op softmax(1, op::kind::SoftMax, {src}, {dst});
    softmax.set_attr<int64_t>(op::attr::axis, -1);
    const partition part(softmax, engine::kind::gpu);
    const compiled_partition compiled = part.compile({src}, {dst}, eng);
    const lt found = compiled.query_logical_tensor(1);
    assert_true(found.get_dims() == lt::dims({2, 3}));
    assert_int_equal(compiled.get_inplace_ports().size(), 1);
    assert_int_equal(compiled.get_inplace_ports()[0].first, 0);
    assert_int_equal(compiled.get_inplace_ports()[0].second, 1);

    const memory from({{2, 3}, dt::f32, tag::ab}, eng), to({{2, 3}, dt::f32, tag::ab}, eng);
    const tensor in(src, eng, from.get_data_handle());
    tensor out(found, eng);
    assert_non_null(out.get_data_handle());
    out.set_data_handle(to.get_data_handle());
    assert_ptr_equal(out.get_data_handle(), to.get_data_handle());
    assert_true(out.get_logical_tensor().is_equal(found));
    float *mapped = from.map_data<float>();
    std::fill(mapped, mapped + 6, 1.f);
    from.unmap_data(mapped);
    compiled.execute(strm, {in}, {out});
    const lt scratch = compiled.get_scratchpad_logical_tensor();
    if (scratch.get_mem_size()) compiled.execute(strm, {in}, {out}, tensor(scratch, eng));
    else compiled.execute(strm, {in}, {out}, tensor());
    strm.wait();
    mapped = to.map_data<float>();
    for (int i = 0; i < 6; i++) assert_true(std::fabs(mapped[i] - 1.f / 3) < 1e-6f);
    to.unmap_data(mapped);
}

void test_scalars_and_lists() {
    const lt value(0, f32, lt::dims(), lt::layout_type::strided, lt::property_type::host_scalar);
    float seven = 7;
    const tensor scalar = tensor::make_scalar_tensor(value, &seven);
    assert_null(scalar.get_data_handle());
    assert_true(scalar.get_logical_tensor().is_equal(value));

    op pool(1, op::kind::MaxPool, "pool");
    pool.set_attr<std::vector<int64_t>>(op::attr::kernel, {2, 2})
            .set_attr<std::string>(op::attr::data_format, "NCX");
    check_throws(dnnl_invalid_arguments,
            [&] { pool.set_attr<std::vector<float>>(op::attr::kernel, {1.f}); });
}

void test_caches() {
    const int capacity = get_compiled_partition_cache_capacity();
    set_compiled_partition_cache_capacity(5);
    assert_int_equal(get_compiled_partition_cache_capacity(), 5);
    set_compiled_partition_cache_capacity(capacity);
    set_constant_tensor_cache_capacity(engine::kind::gpu, 3);
    assert_int_equal(get_constant_tensor_cache_capacity(engine::kind::gpu), 3);
    set_constant_tensor_cache(0);
    assert_int_equal(get_constant_tensor_cache(), 0);
}

} // namespace

static void test_dumps() {
    using mode = dnnl::graph::graph_dump_mode;
    mode both = mode::graph | mode::subgraph;
    assert_true(dnnl::graph::set_dump_mode(both) == dnnl::graph::status::success);
    both ^= mode::graph;
    assert_true(both == mode::subgraph && (both & mode::graph) == mode::none);
    assert_true(dnnl::graph::set_dump_mode(mode::none) == dnnl::graph::status::success);
    assert_true(dnnl::graph::set_dump_mode(static_cast<mode>(4)) ==
                dnnl::graph::status::invalid_arguments);
    assert_true((std::is_same<dnnl::graph::engine, dnnl::engine>::value));
}

int main() {
    const struct CMUnitTest tests[] = {
            TEST(test_logical_tensors),
            TEST(test_graph_of_two),
            TEST(test_execution),
            TEST(test_scalars_and_lists),
            TEST(test_caches),
            TEST(test_dumps),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
