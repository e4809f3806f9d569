/* SPDX-License-Identifier: Apache-2.0 */
/* The C++ interface as the compiler sees it: which objects can be made of what. Compiled in
 * every way that CMakeLists.txt lists, never run. */
#include <type_traits>

#include "dnnl_ze.hpp"

using namespace dnnl;

namespace {

using md = memory::desc;
using dims = memory::dims;
using dt = memory::data_type;
using pk = prop_kind;
using alg = algorithm;
using nf = normalization_flags;
using rd = rnn_direction;
using floats = std::vector<float>;
using blob = std::vector<uint8_t>;

template <typename T, typename... A> constexpr bool makes() {
    return std::is_constructible<T, A...>::value;
}

// A primitive descriptor takes these arguments, then attributes, then allow_empty, and nothing in
// between.
template <typename P, typename... A> constexpr bool takes() {
    using pd = typename P::primitive_desc;
    return makes<pd, const A &...>() && makes<pd, const A &..., const primitive_attr &>() &&
           makes<pd, const A &..., const primitive_attr &, bool>() &&
           !makes<pd, const A &..., const md *>();
}

// Handles are cheap to copy and move, and their destructors do not throw.
template <typename T> constexpr bool is_handle() {
    return std::is_copy_constructible<T>::value && std::is_copy_assignable<T>::value &&
           std::is_nothrow_move_constructible<T>::value &&
           std::is_nothrow_move_assignable<T>::value && std::is_nothrow_destructible<T>::value &&
           sizeof(T) == sizeof(std::shared_ptr<void>);
}

// What every primitive has.
template <typename P, typename base> constexpr bool is_primitive_of() {
    using pd = typename P::primitive_desc;
    return is_handle<P>() && is_handle<pd>() && std::is_base_of<primitive, P>::value &&
           std::is_base_of<base, pd>::value && makes<P>() && makes<pd>() &&
           std::is_convertible<const pd &, P>::value && makes<P, const pd &, const blob &>() &&
           std::is_convertible<dnnl_primitive_desc_t, pd>::value && !makes<P, int>();
}
template <typename P> constexpr bool is_primitive() {
    return is_primitive_of<P, primitive_desc>();
}
template <typename P> constexpr bool is_rnn() {
    return is_primitive_of<P, rnn_primitive_desc_base>();
}
template <typename P> using hint = typename P::primitive_desc;

static_assert(is_handle<engine>() && is_handle<stream>() && is_handle<memory>() &&
                      is_handle<md>() && is_handle<post_ops>() && is_handle<primitive_attr>() &&
                      is_handle<primitive>() && is_handle<primitive_desc>(),
        "handles");
static_assert(std::is_base_of<std::exception, error>::value &&
                      std::is_same<decltype(error::status), dnnl_status_t>::value &&
                      std::is_same<decltype(error::message), const char *>::value,
        "errors");
static_assert(makes<engine>() && makes<engine, engine::kind, size_t>() &&
                      makes<engine, dnnl_engine_t, bool>() &&
                      !std::is_convertible<dnnl_engine_t, engine>::value,
        "engines");
static_assert(makes<stream>() && makes<stream, const engine &>() &&
                      makes<stream, const engine &, stream::flags>() &&
                      !std::is_convertible<const engine &, stream>::value,
        "streams");
static_assert(makes<md>() && makes<md, dims, dt, memory::format_tag>() &&
                      makes<md, dims, dt, memory::format_tag, bool>() &&
                      makes<md, dims, dt, dims>() && makes<md, dims, dt, dims, bool>() &&
                      makes<md, blob>() && std::is_convertible<dnnl_memory_desc_t, md>::value,
        "memory descriptors");
static_assert(makes<memory>() && makes<memory, md, engine>() &&
                      makes<memory, md, engine, void *>() &&
                      makes<memory, md, engine, std::vector<void *>>() &&
                      makes<memory, md, float>() && makes<memory, md, int32_t>() &&
                      makes<memory, dnnl_memory_t>() && makes<memory, dnnl_memory_t, bool>(),
        "memory objects");
static_assert(std::is_same<memory::dim, int64_t>::value &&
                      std::is_same<dims, std::vector<int64_t>>::value,
        "dimensions");

// Enumerators of C++ and C have the same values, and their widths agree.
static_assert(
        static_cast<int>(memory::format_tag::undef) == dnnl_format_tag_undef &&
                static_cast<int>(memory::format_tag::any) == dnnl_format_tag_any &&
                static_cast<int>(memory::format_tag::nChw16c) == dnnl_aBcd16b &&
                static_cast<int>(memory::format_tag::gIOdhw2i8o16i2o) == dnnl_aBCdef2c8b16c2b &&
                static_cast<int>(memory::format_tag::format_tag_last) == dnnl_format_tag_last &&
                memory::format_tag::nhwc == memory::format_tag::acdb,
        "format tags");
static_assert(
        static_cast<int>(status::not_required) == dnnl_not_required &&
                static_cast<int>(primitive::kind::group_normalization) ==
                        dnnl_group_normalization &&
                static_cast<int>(query::exec_arg_md) == dnnl_query_exec_arg_md &&
                static_cast<int>(cpu_isa::avx10_2_ace) == dnnl_cpu_isa_avx10_2_ace &&
                static_cast<int>(memory::sparse_encoding::coo) == dnnl_coo &&
                static_cast<int>(memory::format_kind::host_scalar) == dnnl_format_kind_host_scalar,
        "enumerations");
static_assert(
        (nf::use_scale | nf::use_shift) != nf::use_scale &&
                (nf::use_scale & nf::use_shift) == nf::none &&
                (nf::use_scale ^ nf::use_scale) == nf::none &&
                (~nf::use_scale & nf::use_shift) == nf::use_shift &&
                (stream::flags::in_order | stream::flags::out_of_order) != stream::flags::in_order,
        "flags");
static_assert(
        std::is_same<decltype(fpmath_mode::tf32 == fpmath_mode::any), bool>::value &&
                std::is_same<decltype(convert_to_c(pk::forward)), dnnl_prop_kind_t>::value &&
                std::is_same<decltype(memory::convert_to_c(dt::f32)), dnnl_data_type_t>::value &&
                std::is_same<decltype(dnnl_f32 == dt::f32), bool>::value &&
                std::is_same<decltype(version()), const dnnl_version_t *>::value &&
                std::is_same<oneapi::dnnl::engine, engine>::value,
        "names");

// Primitives.
static_assert(is_primitive_of<reorder, primitive_desc_base>() &&
                      takes<reorder, engine, md, engine, md>() &&
                      takes<reorder, memory, memory>() && makes<reorder, memory, memory>() &&
                      makes<reorder, memory, memory, primitive_attr>(),
        "reorder");
static_assert(is_primitive_of<concat, primitive_desc_base>() &&
                      takes<concat, engine, md, int, std::vector<md>>() &&
                      takes<concat, engine, int, std::vector<md>>(),
        "concat");
static_assert(is_primitive_of<sum, primitive_desc_base>() &&
                      takes<sum, engine, md, floats, std::vector<md>>() &&
                      takes<sum, engine, floats, std::vector<md>>(),
        "sum");

template <typename fwd, typename bwd_data, typename bwd_weights> constexpr bool is_convolution() {
    return is_primitive<fwd>() && is_primitive<bwd_data>() && is_primitive<bwd_weights>() &&
           takes<fwd, engine, pk, alg, md, md, md, md, dims, dims, dims>() &&
           takes<fwd, engine, pk, alg, md, md, md, dims, dims, dims>() &&
           takes<fwd, engine, pk, alg, md, md, md, md, dims, dims, dims, dims>() &&
           takes<fwd, engine, pk, alg, md, md, md, dims, dims, dims, dims>() &&
           takes<bwd_data, engine, alg, md, md, md, dims, dims, dims, hint<fwd>>() &&
           takes<bwd_data, engine, alg, md, md, md, dims, dims, dims, dims, hint<fwd>>() &&
           takes<bwd_weights, engine, alg, md, md, md, md, dims, dims, dims, hint<fwd>>() &&
           takes<bwd_weights, engine, alg, md, md, md, dims, dims, dims, hint<fwd>>() &&
           takes<bwd_weights, engine, alg, md, md, md, md, dims, dims, dims, dims, hint<fwd>>() &&
           takes<bwd_weights, engine, alg, md, md, md, dims, dims, dims, dims, hint<fwd>>() &&
           !takes<bwd_data, engine, alg, md, md, md, dims, dims, dims, hint<matmul>>();
}
static_assert(is_convolution<convolution_forward, convolution_backward_data,
                      convolution_backward_weights>(),
        "convolution");
static_assert(is_convolution<deconvolution_forward, deconvolution_backward_data,
                      deconvolution_backward_weights>(),
        "deconvolution");
static_assert(
        !makes<convolution_forward, const hint<deconvolution_forward> &>(), "kinds are kept apart");

static_assert(
        is_primitive<lrn_forward>() && is_primitive<lrn_backward>() &&
                takes<lrn_forward, engine, pk, alg, md, md, memory::dim, float, float, float>() &&
                takes<lrn_backward, engine, alg, md, md, md, memory::dim, float, float, float,
                        hint<lrn_forward>>(),
        "lrn");
static_assert(
        is_primitive<eltwise_forward>() && is_primitive<eltwise_backward>() &&
                takes<eltwise_forward, engine, pk, alg, md, md>() &&
                takes<eltwise_forward, engine, pk, alg, md, md, float>() &&
                takes<eltwise_forward, engine, pk, alg, md, md, float, float>() &&
                takes<eltwise_backward, engine, alg, md, md, md, hint<eltwise_forward>>() &&
                takes<eltwise_backward, engine, alg, md, md, md, float, hint<eltwise_forward>>() &&
                takes<eltwise_backward, engine, alg, md, md, md, float, float,
                        hint<eltwise_forward>>(),
        "eltwise");
static_assert(
        is_primitive<softmax_forward>() && is_primitive<softmax_backward>() &&
                takes<softmax_forward, engine, pk, alg, md, md, int>() &&
                takes<softmax_backward, engine, alg, md, md, md, int, hint<softmax_forward>>(),
        "softmax");

static_assert(is_primitive<batch_normalization_forward>() &&
                      is_primitive<batch_normalization_backward>() &&
                      takes<batch_normalization_forward, engine, pk, md, md, float, nf>() &&
                      takes<batch_normalization_backward, engine, pk, md, md, md, float, nf,
                              hint<batch_normalization_forward>>(),
        "batch normalization");
static_assert(
        is_primitive<group_normalization_forward>() &&
                is_primitive<group_normalization_backward>() &&
                takes<group_normalization_forward, engine, pk, md, md, memory::dim, float, nf>() &&
                takes<group_normalization_backward, engine, pk, md, md, md, memory::dim, float, nf,
                        hint<group_normalization_forward>>(),
        "group normalization");
using ln = layer_normalization_forward;
using ln_bwd = layer_normalization_backward;
static_assert(is_primitive<ln>() && is_primitive<ln_bwd>() &&
                      takes<ln, engine, pk, md, md, md, float, nf>() &&
                      takes<ln, engine, pk, md, md, float, nf>() &&
                      takes<ln, engine, pk, md, md, md, dt, float, nf>() &&
                      takes<ln, engine, pk, md, md, dt, float, nf>() &&
                      takes<ln_bwd, engine, pk, md, md, md, md, float, nf, hint<ln>>() &&
                      takes<ln_bwd, engine, pk, md, md, md, float, nf, hint<ln>>() &&
                      takes<ln_bwd, engine, pk, md, md, md, md, dt, dt, float, nf, hint<ln>>() &&
                      takes<ln_bwd, engine, pk, md, md, md, dt, dt, float, nf, hint<ln>>(),
        "layer normalization");
static_assert(std::is_same<decltype(std::declval<hint<ln>>().get_flags()), nf>::value &&
                      std::is_same<decltype(std::declval<hint<ln>>().mean_desc()), md>::value,
        "queries of normalizations");

using ip = inner_product_forward;
static_assert(is_primitive<ip>() && takes<ip, engine, pk, md, md, md, md>() &&
                      takes<ip, engine, pk, md, md, md>() &&
                      is_primitive<inner_product_backward_data>() &&
                      takes<inner_product_backward_data, engine, md, md, md, hint<ip>>() &&
                      is_primitive<inner_product_backward_weights>() &&
                      takes<inner_product_backward_weights, engine, md, md, md, md, hint<ip>>() &&
                      takes<inner_product_backward_weights, engine, md, md, md, hint<ip>>(),
        "inner product");

static_assert(
        is_rnn<vanilla_rnn_forward>() && is_rnn<vanilla_rnn_backward>() &&
                takes<vanilla_rnn_forward, engine, pk, alg, rd, md, md, md, md, md, md, md>() &&
                takes<vanilla_rnn_forward, engine, pk, alg, rd, md, md, md, md, md, md, md,
                        float>() &&
                takes<vanilla_rnn_backward, engine, pk, alg, rd, md, md, md, md, md, md, md, md, md,
                        md, md, md, md, md, hint<vanilla_rnn_forward>>() &&
                takes<vanilla_rnn_backward, engine, pk, alg, rd, md, md, md, md, md, md, md, md, md,
                        md, md, md, md, md, float, hint<vanilla_rnn_forward>>(),
        "vanilla RNN");
static_assert(
        is_rnn<lstm_forward>() && is_rnn<lstm_backward>() &&
                takes<lstm_forward, engine, pk, rd, md, md, md, md, md, md, md, md, md, md, md>() &&
                takes<lstm_forward, engine, pk, rd, md, md, md, md, md, md, md, md, md, md>() &&
                takes<lstm_forward, engine, pk, rd, md, md, md, md, md, md, md, md, md>() &&
                takes<lstm_backward, engine, pk, rd, md, md, md, md, md, md, md, md, md, md, md, md,
                        md, md, md, md, md, md, md, md, md, md, hint<lstm_forward>>() &&
                takes<lstm_backward, engine, pk, rd, md, md, md, md, md, md, md, md, md, md, md, md,
                        md, md, md, md, md, md, md, md, hint<lstm_forward>>() &&
                takes<lstm_backward, engine, pk, rd, md, md, md, md, md, md, md, md, md, md, md, md,
                        md, md, md, md, md, md, hint<lstm_forward>>(),
        "LSTM");
template <typename fwd, typename bwd> constexpr bool is_gru() {
    return is_rnn<fwd>() && is_rnn<bwd>() &&
           takes<fwd, engine, pk, rd, md, md, md, md, md, md, md>() &&
           takes<bwd, engine, pk, rd, md, md, md, md, md, md, md, md, md, md, md, md, md, md,
                   hint<fwd>>();
}
template <typename fwd, typename bwd> constexpr bool is_augru() {
    return is_rnn<fwd>() && is_rnn<bwd>() &&
           takes<fwd, engine, pk, rd, md, md, md, md, md, md, md, md>() &&
           takes<bwd, engine, pk, rd, md, md, md, md, md, md, md, md, md, md, md, md, md, md, md,
                   md, hint<fwd>>() &&
           std::is_same<decltype(std::declval<hint<bwd>>().diff_attention_desc()), md>::value;
}
static_assert(
        is_gru<gru_forward, gru_backward>() && is_gru<lbr_gru_forward, lbr_gru_backward>(), "GRU");
static_assert(is_augru<augru_forward, augru_backward>() &&
                      is_augru<lbr_augru_forward, lbr_augru_backward>(),
        "AUGRU");

static_assert(is_primitive<shuffle_forward>() && is_primitive<shuffle_backward>() &&
                      takes<shuffle_forward, engine, pk, md, md, int, int>() &&
                      takes<shuffle_backward, engine, md, md, int, int, hint<shuffle_forward>>(),
        "shuffle");
static_assert(is_primitive<binary>() && takes<binary, engine, alg, md, md, md>() &&
                      takes<binary, engine, alg, md, md, md, md>(),
        "binary");
static_assert(is_primitive<matmul>() && takes<matmul, engine, md, md, md>() &&
                      takes<matmul, engine, md, md, md, md>() &&
                      std::is_same<decltype(std::declval<hint<matmul>>().bias_desc()), md>::value,
        "matmul");
static_assert(
        is_primitive<resampling_forward>() && is_primitive<resampling_backward>() &&
                takes<resampling_forward, engine, pk, alg, md, md>() &&
                takes<resampling_forward, engine, pk, alg, floats, md>() &&
                takes<resampling_forward, engine, pk, alg, floats, md, md>() &&
                takes<resampling_backward, engine, alg, md, md, hint<resampling_forward>>() &&
                takes<resampling_backward, engine, alg, floats, md, md, hint<resampling_forward>>(),
        "resampling");
static_assert(
        is_primitive<pooling_forward>() && is_primitive<pooling_backward>() &&
                takes<pooling_forward, engine, pk, alg, md, md, dims, dims, dims, dims, dims>() &&
                takes<pooling_backward, engine, alg, md, md, dims, dims, dims, dims, dims,
                        hint<pooling_forward>>(),
        "pooling");
static_assert(is_primitive<prelu_forward>() && is_primitive<prelu_backward>() &&
                      takes<prelu_forward, engine, pk, md, md, md>() &&
                      takes<prelu_backward, engine, md, md, md, md, md, hint<prelu_forward>>(),
        "prelu");
static_assert(is_primitive<reduction>() && takes<reduction, engine, alg, md, md, float, float>(),
        "reduction");

// Level Zero.
using ze_interop::execute;
using ze_interop::make_engine;
using ze_interop::make_memory;
using ze_interop::make_stream;
static_assert(
        std::is_same<decltype(make_engine(
                             ze_driver_handle_t(), ze_device_handle_t(), ze_context_handle_t())),
                engine>::value &&
                std::is_same<decltype(make_engine(ze_driver_handle_t(), ze_device_handle_t(),
                                     ze_context_handle_t(), blob())),
                        engine>::value &&
                std::is_same<decltype(make_stream(engine(), ze_command_list_handle_t())),
                        stream>::value &&
                std::is_same<decltype(make_stream(engine(), ze_command_list_handle_t(), true)),
                        stream>::value &&
                std::is_same<decltype(make_memory(md(), engine())), memory>::value &&
                std::is_same<decltype(make_memory(md(), engine(), std::vector<void *>())),
                        memory>::value &&
                std::is_same<decltype(make_memory(md(), engine(), static_cast<void *>(nullptr))),
                        memory>::value &&
                std::is_same<decltype(execute(primitive(), stream(), {{DNNL_ARG_SRC, memory()}})),
                        ze_event_handle_t>::value &&
                std::is_same<decltype(execute(primitive(), stream(), {}, {ze_event_handle_t()})),
                        ze_event_handle_t>::value &&
                std::is_same<decltype(ze_interop::get_list(stream())),
                        ze_command_list_handle_t>::value,
        "Level Zero");

#ifdef DNNL_EXPERIMENTAL_PROFILING
static_assert(static_cast<unsigned>(stream::flags::profiling) == dnnl_stream_profiling &&
                      std::is_same<decltype(get_profiling_data(
                                           std::declval<stream &>(), profiling_data_kind::time)),
                              std::vector<uint64_t>>::value,
        "profiling");
#endif
#if DNNL_EXPERIMENTAL_GROUPED_MEMORY
static_assert(std::is_same<decltype(md::grouped(dims(), dt::f32, 0, 1)), md>::value &&
                      static_cast<int>(memory::sparse_encoding::grouped) == dnnl_grouped,
        "grouped memory");
#endif

} // namespace

// Bodies of templates are compiled when they are used.
void instantiate(const engine &eng, const stream &strm, memory &mem, const md &d);
void instantiate(const engine &eng, const stream &strm, memory &mem, const md &d) {
    const dims s{1, 1}, z{0, 0};
    const convolution_forward::primitive_desc conv(
            eng, pk::forward, alg::convolution_direct, d, d, d, d, s, z, z, z);
    convolution_backward_data::primitive_desc(eng, alg::convolution_direct, d, d, d, s, z, z, conv)
            .get_strides();
    convolution_backward_weights::primitive_desc(
            eng, alg::convolution_direct, d, d, d, s, z, z, conv)
            .diff_bias_desc();
    batch_normalization_forward::primitive_desc(eng, pk::forward, d, d, 1e-5f, nf::none)
            .variance_desc();
    const gru_forward::primitive_desc gru(
            eng, pk::forward, rd::unidirectional_left2right, d, d, d, d, d, d, d);
    const lbr_augru_forward::primitive_desc augru(
            eng, pk::forward, rd::unidirectional_left2right, d, d, d, d, d, d, d, d);
    gru_backward::primitive_desc(eng, pk::backward, rd::unidirectional_left2right, d, d, d, d, d, d,
            d, d, d, d, d, d, d, d, gru)
            .diff_bias_desc();
    augru.attention_desc();
    mem = memory(d, 1.f);
    mem.set_host_scalar_value(mem.get_host_scalar_value<float>());
    mem.unmap_data(mem.map_data<float>());
    memory::validate_dims(s, 1);
    nf flags = nf::none;
    flags |= nf::use_scale;
    flags &= ~nf::use_scale;
    flags ^= nf::use_shift;
    reorder(mem, mem).execute(strm, mem, mem);
    matmul({eng, d, d, d}).execute(strm, {{DNNL_ARG_SRC, mem}});
}
