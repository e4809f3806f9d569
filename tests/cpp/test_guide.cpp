/* SPDX-License-Identifier: Apache-2.0 */
/* What the developer guide has programs do around primitives: layouts that travel with the data,
 * profiling, the primitive cache, a persistent cache, user scratchpads, several implementations,
 * lifetimes. */
#include "cpp_test.hpp"

#include <memory>

using namespace dnnl;

namespace {

const memory::desc matrix({32, 32}, dt::f32, tag::ab), any_matrix({32, 32}, dt::f32, tag::any);

// Only the first primitive chooses; the others take their source's layout, and reorders stand at
// both ends only where layouts differ.
void layouts_travel_with_the_data() {
    device dev;
    const std::vector<float> x = numbers(1024), w = numbers(1024, 1);
    memory user_src = make(dev.eng, matrix, x), user_weights = make(dev.eng, matrix, w),
           user_dst(matrix, dev.eng);

    const matmul::primitive_desc mm(dev.eng, any_matrix, any_matrix, any_matrix);
    const eltwise_forward::primitive_desc relu(dev.eng, prop_kind::forward_inference,
            algorithm::eltwise_relu, mm.dst_desc(), any_matrix);
    assert_true(relu.dst_desc() == mm.dst_desc());

    std::vector<memory> kept;
    const auto in_layout = [&](memory &mem, const memory::desc &md) {
        if (mem.get_desc() == md) return mem;
        memory other(md, dev.eng);
        reorder(mem, other).execute(dev.strm, mem, other);
        kept.push_back(other);
        return other;
    };
    memory src = in_layout(user_src, mm.src_desc()),
           weights = in_layout(user_weights, mm.weights_desc()), result(mm.dst_desc(), dev.eng);
    matmul(mm).execute(
            dev.strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, result}});
    eltwise_forward(relu).execute(dev.strm, {{DNNL_ARG_SRC, result}, {DNNL_ARG_DST, result}});
    if (result.get_desc() == matrix) user_dst = result;
    else reorder(result, user_dst).execute(dev.strm, result, user_dst);
    dev.strm.wait();

    std::vector<float> expected = product(x, w, 32, 32, 32);
    for (float &v : expected) v = v > 0 ? v : 0;
    check_near(read<float>(user_dst), expected, 1e-5f);
}

#ifdef DNNL_EXPERIMENTAL_PROFILING
void profiling_has_an_entry_for_each_execution() {
    const engine eng(engine::kind::gpu, 0);
    stream strm(eng, stream::flags::in_order | stream::flags::profiling);
    memory mem = make(eng, matrix, numbers(1024)), dst(matrix, eng);
    const matmul mm(matmul::primitive_desc(eng, matrix, matrix, matrix));
    reset_profiling(strm);
    assert_int_equal(get_profiling_data(strm, profiling_data_kind::time).size(), 0);
    for (int i = 0; i < 3; i++)
        mm.execute(strm, {{DNNL_ARG_SRC, mem}, {DNNL_ARG_WEIGHTS, mem}, {DNNL_ARG_DST, dst}});
    strm.wait();
    const std::vector<uint64_t> times = get_profiling_data(strm, profiling_data_kind::time);
    assert_int_equal(times.size(), 3);
    for (const uint64_t ns : times) assert_true(ns > 0 && ns < UINT64_C(60000000000));
    reset_profiling(strm);
    assert_int_equal(get_profiling_data(strm, profiling_data_kind::time).size(), 0);

    stream plain(eng);
    check_throws(dnnl_invalid_arguments, [&] { reset_profiling(plain); });
    check_throws(
            dnnl_invalid_arguments, [&] { get_profiling_data(plain, profiling_data_kind::time); });
}
#endif

void primitives_come_from_the_cache() {
    device dev;
    const int capacity = get_primitive_cache_capacity();
    set_primitive_cache_capacity(16);
    const matmul::primitive_desc pd(dev.eng, matrix, matrix, matrix);
    const matmul first(pd), second(matmul::primitive_desc(dev.eng, matrix, matrix, matrix));
    assert_true(first != second); // objects of their own, and both work
    set_primitive_cache_capacity(0);
    const matmul third(pd);
    memory src = make(dev.eng, matrix, numbers(1024)), dst(matrix, dev.eng);
    const std::vector<float> expected = product(numbers(1024), numbers(1024), 32, 32, 32);
    for (const matmul *mm : {&first, &second, &third}) {
        mm->execute(dev.strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, src}, {DNNL_ARG_DST, dst}});
        dev.strm.wait();
        check_near(read<float>(dst), expected, 1e-5f);
    }
    set_primitive_cache_capacity(capacity);
}

void primitives_come_from_blobs() {
    device dev;
    const int capacity = get_primitive_cache_capacity();
    set_primitive_cache_capacity(0);
    const matmul::primitive_desc pd(dev.eng, matrix, matrix, matrix);
    const matmul built(pd);
    const std::vector<uint8_t> id = pd.get_cache_blob_id(), blob = built.get_cache_blob();
    assert_true(!id.empty() && !blob.empty());
    assert_true(id == matmul::primitive_desc(dev.eng, matrix, matrix, matrix).get_cache_blob_id());
    primitive_attr attr;
    attr.set_scales_mask(DNNL_ARG_SRC, 0);
    assert_true(id !=
                matmul::primitive_desc(dev.eng, matrix, matrix, matrix, attr).get_cache_blob_id());

    const matmul loaded(pd, blob);
    memory src = make(dev.eng, matrix, numbers(1024)), dst(matrix, dev.eng);
    loaded.execute(dev.strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, src}, {DNNL_ARG_DST, dst}});
    dev.strm.wait();
    check_near(read<float>(dst), product(numbers(1024), numbers(1024), 32, 32, 32), 1e-5f);

    check_throws(dnnl_invalid_arguments, [&] { matmul(pd, std::vector<uint8_t>()); });
    std::vector<uint8_t> cut(blob.begin(), blob.end() - 1);
    check_throws(dnnl_invalid_arguments, [&] { matmul(pd, cut); });
    set_primitive_cache_capacity(capacity);
}

void the_user_provides_a_scratchpad() {
    device dev;
    primitive_attr attr;
    attr.set_scratchpad_mode(scratchpad_mode::user);
    const matmul::primitive_desc pd(dev.eng, matrix, matrix, matrix, attr);
    assert_true(pd.get_primitive_attr().get_scratchpad_mode() == scratchpad_mode::user);
    assert_true(pd.scratchpad_engine().get() == dev.eng.get());
    memory src = make(dev.eng, matrix, numbers(1024)), dst(matrix, dev.eng),
           scratchpad(pd.scratchpad_desc(), dev.eng);
    matmul(pd).execute(dev.strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, src}, {DNNL_ARG_DST, dst},
                                         {DNNL_ARG_SCRATCHPAD, scratchpad}});
    dev.strm.wait();
    check_near(read<float>(dst), product(numbers(1024), numbers(1024), 32, 32, 32), 1e-5f);
}

// Every implementation that a descriptor goes through gives the same result.
void implementations_are_interchangeable() {
    device dev;
    memory src = make(dev.eng, matrix, numbers(1024)), dst(matrix, dev.eng);
    const std::vector<float> expected = product(numbers(1024), numbers(1024), 32, 32, 32);
    matmul::primitive_desc pd(dev.eng, matrix, matrix, matrix);
    int count = 0;
    do {
        write(dst, std::vector<float>(1024));
        matmul(pd).execute(
                dev.strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, src}, {DNNL_ARG_DST, dst}});
        dev.strm.wait();
        check_near(read<float>(dst), expected, 1e-5f);
        count++;
    } while (pd.next_impl());
    assert_in_range(count, 1, 100);
}

// Whatever the order in which a program lets go of its objects.
void objects_outlive_what_they_were_made_of() {
    std::unique_ptr<engine> eng(new engine(engine::kind::gpu, 0));
    std::unique_ptr<stream> strm(new stream(*eng));
    assert_true(strm->get_engine().get_kind() == engine::kind::gpu);
    memory src = make(*eng, matrix, numbers(1024)), dst(matrix, *eng);
    matmul mm;
    {
        const matmul::primitive_desc pd(*eng, matrix, matrix, matrix);
        mm = matmul(pd);
    }
    eng.reset();
    mm.execute(*strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, src}, {DNNL_ARG_DST, dst}});
    strm->wait();
    strm.reset();
    check_near(read<float>(dst), product(numbers(1024), numbers(1024), 32, 32, 32), 1e-5f);
}

void nothing_to_do_is_done() {
    device dev;
    const memory::desc none({0, 32}, dt::f32, tag::ab);
    memory src(none, dev.eng), weights = make(dev.eng, matrix, numbers(1024)), dst(none, dev.eng);
    matmul(matmul::primitive_desc(dev.eng, none, matrix, none))
            .execute(dev.strm,
                    {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}});
    dev.strm.wait();
    assert_null(src.map_data());
}

} // namespace

int main() {
    const CMUnitTest guide[] = {
            TEST(layouts_travel_with_the_data),
#ifdef DNNL_EXPERIMENTAL_PROFILING
            TEST(profiling_has_an_entry_for_each_execution),
#endif
            TEST(primitives_come_from_the_cache),
            TEST(primitives_come_from_blobs),
            TEST(the_user_provides_a_scratchpad),
            TEST(implementations_are_interchangeable),
            TEST(objects_outlive_what_they_were_made_of),
            TEST(nothing_to_do_is_done),
    };
    return RUN_ON_DEVICE(guide);
}
