/* SPDX-License-Identifier: Apache-2.0 */
/* C++: errors, handles, engines, streams, and how the other C++ headers call the C API. */
#ifndef ONEAPI_DNNL_DNNL_COMMON_HPP
#define ONEAPI_DNNL_DNNL_COMMON_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>
#include <vector>

/* Not used here. Programs find their declarations through oneDNN's header, so through this one
 * too. */
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>
#include <unordered_map>

#include "oneapi/dnnl/dnnl_common.h"

/// 1 if failures throw dnnl::error; 0 if they print a line and stop the program, as they do where
/// the compiler has exceptions off. Define it before the first include to choose.
#ifndef DNNL_ENABLE_EXCEPTIONS
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS) || defined(_CPPUNWIND)
#define DNNL_ENABLE_EXCEPTIONS 1
#else
#define DNNL_ENABLE_EXCEPTIONS 0
#endif
#endif

/// Reports a failure the way DNNL_ENABLE_EXCEPTIONS says.
#if DNNL_ENABLE_EXCEPTIONS
#define DNNL_THROW_ERROR(status, msg) throw ::dnnl::error(status, msg)
#else
#include <cstdio>
#define DNNL_THROW_ERROR(status, msg) ::dnnl::detail::stop(status, msg)
#endif

namespace dnnl {

/// What a failed call throws.
struct error : public std::exception {
    dnnl_status_t status; ///< What the C function answered.
    const char *message;  ///< What was tried: a string literal.

    /// @param astatus Status.
    /// @param amessage Message; not copied.
    error(dnnl_status_t astatus, const char *amessage) : status(astatus), message(amessage) {}

    const char *what() const noexcept override { return message; }

    /// Throws unless the status is ::dnnl_success.
    static void wrap_c_api(dnnl_status_t status, const char *message);
};

namespace detail {
#if !DNNL_ENABLE_EXCEPTIONS
[[noreturn]] inline void stop(dnnl_status_t status, const char *message) {
    std::fprintf(stderr, "dnnl: %s (status %d)\n", message, static_cast<int>(status));
    std::abort();
}
#endif
} // namespace detail

inline void error::wrap_c_api(dnnl_status_t status, const char *message) {
    if (status != dnnl_success) DNNL_THROW_ERROR(status, message);
}

/// How a handle of the C API is destroyed: `static dnnl_status_t destructor(T)`.
template <typename T> struct handle_traits {};

/// A reference-counted object of the C API. Copies share the object, which is destroyed with the
/// last of them; copying and moving cost as much as with a std::shared_ptr, and nothing is thrown
/// when it is destroyed.
///
/// @tparam T Handle of the C API.
/// @tparam traits How it is destroyed.
template <typename T, typename traits = handle_traits<T>> struct handle {
    /// Refers to nothing.
    handle() = default;

    /// Refers to an object of the C API; see reset().
    explicit handle(T object, bool weak = false) { reset(object, weak); }

    /// Refers to another object.
    ///
    /// @param object Object.
    /// @param weak false: the object is destroyed with the last copy of this handle. true: it
    ///     never is, and has to live as long as it is used.
    void reset(T object, bool weak = false) {
        data_.reset(object, weak ? leave : traits::destructor);
    }

    /// Returns the object.
    ///
    /// @param allow_empty true: nullptr if there is none. false: an error if there is none.
    T get(bool allow_empty = false) const {
        T object = data_.get();
        if (!allow_empty && !object)
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "the object is empty");
        return object;
    }

    /// Returns the object, or nullptr.
    explicit operator T() const { return get(true); }

    /// Whether there is an object.
    explicit operator bool() const { return get(true) != nullptr; }

    /// Whether two handles refer to the same object.
    bool operator==(const handle &other) const { return data_ == other.data_; }
    bool operator!=(const handle &other) const { return !(*this == other); }

  private:
    static dnnl_status_t leave(T) { return dnnl_success; }

    std::shared_ptr<typename std::remove_pointer<T>::type> data_;
};

// How these headers call C functions: arguments are turned into what the function takes, its status
// into an error. Not for programs.
namespace detail {
template <typename C, typename T>
typename std::enable_if<std::is_scalar<T>::value, C>::type c_arg(T value) {
    return static_cast<C>(value); // also enumerations of C++ into those of C
}

template <typename C, typename T, typename traits> C c_arg(const handle<T, traits> &object) {
    return object.get();
}

template <typename C, typename T> C c_arg(const std::vector<T> &values) {
    return values.empty() ? nullptr : values.data();
}

template <typename... P, typename... A>
void call(const char *message, dnnl_status_t (*function)(P...), const A &...args) {
    error::wrap_c_api(function(c_arg<P>(args)...), message);
}

// The last argument of the function is where its result goes.
template <typename R, typename... P, typename... A>
R get(const char *message, dnnl_status_t (*function)(P...), const A &...args) {
    R result{};
    call(message, function, args..., &result);
    return result;
}

// The first argument of the function is where the new object goes. nullptr if it fails and may.
template <typename H, typename... P, typename... A>
H create(const char *message, bool allow_empty, dnnl_status_t (*function)(H *, P...),
        const A &...args) {
    H object = nullptr;
    const dnnl_status_t status = function(&object, c_arg<P>(args)...);
    if (status == dnnl_success) return object;
    if (!allow_empty) DNNL_THROW_ERROR(status, message);
    return nullptr;
}

// Bytes from a function that is asked for their number first.
template <typename... P, typename... A>
std::vector<uint8_t> get_blob(
        const char *message, dnnl_status_t (*function)(P...), const A &...args) {
    size_t size = 0;
    call(message, function, args..., &size, nullptr);
    std::vector<uint8_t> blob(size);
    call(message, function, args..., &size, blob.data());
    return blob;
}

template <typename T, dnnl_status_t (*destroy)(T)> struct destroyed_by {
    static dnnl_status_t destructor(T object) { return destroy(object); }
};

// Enumerations that are sets of flags.
template <typename E> struct is_flags : std::false_type {};
template <typename E> using flags_of = typename std::enable_if<is_flags<E>::value, E>::type;
} // namespace detail

/// @name Operators of the enumerations that are sets of flags
/// @{
template <typename E> constexpr detail::flags_of<E> operator|(E a, E b) {
    return static_cast<E>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
template <typename E> constexpr detail::flags_of<E> operator&(E a, E b) {
    return static_cast<E>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}
template <typename E> constexpr detail::flags_of<E> operator^(E a, E b) {
    return static_cast<E>(static_cast<unsigned>(a) ^ static_cast<unsigned>(b));
}
template <typename E> constexpr detail::flags_of<E> operator~(E a) {
    return static_cast<E>(~static_cast<unsigned>(a));
}
template <typename E> detail::flags_of<E> &operator|=(E &a, E b) {
    return a = a | b;
}
template <typename E> detail::flags_of<E> &operator&=(E &a, E b) {
    return a = a & b;
}
template <typename E> detail::flags_of<E> &operator^=(E &a, E b) {
    return a = a ^ b;
}
/// @}

template <>
struct handle_traits<dnnl_engine_t> : detail::destroyed_by<dnnl_engine_t, dnnl_engine_destroy> {};
template <>
struct handle_traits<dnnl_stream_t> : detail::destroyed_by<dnnl_stream_t, dnnl_stream_destroy> {};

/// An engine: a device with its driver and a context. See dnnl_engine_create().
struct engine : public handle<dnnl_engine_t> {
    using handle::handle;

    /// Kind of an engine. This library has engines of kind gpu only.
    enum class kind {
        any = dnnl_any_engine,
        cpu = dnnl_cpu,
        gpu = dnnl_gpu,
    };

    /// An empty engine.
    engine() = default;

    /// Creates an engine on a device of the library's choice; dnnl::ze_interop::make_engine() takes
    /// a given one.
    ///
    /// @param akind Kind.
    /// @param index Number of the device, less than get_count(akind).
    engine(kind akind, size_t index)
        : handle(detail::create(
                  "could not create an engine", false, dnnl_engine_create, akind, index)) {}

    /// Returns the number of devices.
    static size_t get_count(kind akind) {
        return dnnl_engine_get_count(static_cast<dnnl_engine_kind_t>(akind));
    }

    kind get_kind() const {
        return static_cast<kind>(detail::get<dnnl_engine_kind_t>(
                "could not get the kind of an engine", dnnl_engine_get_kind, *this));
    }
};

/// A stream: a queue of primitive executions on an engine. See dnnl_stream_create().
struct stream : public handle<dnnl_stream_t> {
    using handle::handle;

    /// Properties of a stream, combined with `|`.
    enum class flags : unsigned {
        in_order = dnnl_stream_in_order,
        out_of_order = dnnl_stream_out_of_order,
        default_flags = dnnl_stream_default_flags,
#ifdef DNNL_EXPERIMENTAL_PROFILING
        profiling = dnnl_stream_profiling,
#endif
    };

    /// An empty stream.
    stream() = default;

    /// Creates a stream on a command list of the library; dnnl::ze_interop::make_stream() takes a
    /// given one.
    explicit stream(const engine &aengine, flags aflags = flags::default_flags)
        : handle(detail::create(
                  "could not create a stream", false, dnnl_stream_create, aengine, aflags)) {}

    /// Returns the engine, which has to outlive what is returned.
    engine get_engine() const {
        return engine(detail::get<dnnl_engine_t>("could not get the engine of a stream",
                              dnnl_stream_get_engine, *this),
                true);
    }

    /// Waits until everything submitted is done.
    stream &wait() {
        detail::call("could not wait for a stream", dnnl_stream_wait, *this);
        return *this;
    }
};

namespace detail {
template <> struct is_flags<stream::flags> : std::true_type {};
} // namespace detail

/// Which narrower floating-point types may stand in for f32; see ::dnnl_fpmath_mode_t.
enum class fpmath_mode {
    strict = dnnl_fpmath_mode_strict,
    bf16 = dnnl_fpmath_mode_bf16,
    f16 = dnnl_fpmath_mode_f16,
    tf32 = dnnl_fpmath_mode_tf32,
    any = dnnl_fpmath_mode_any,
};

/// Which type partial sums may be kept in; see ::dnnl_accumulation_mode_t.
enum class accumulation_mode {
    strict = dnnl_accumulation_mode_strict,
    relaxed = dnnl_accumulation_mode_relaxed,
    any = dnnl_accumulation_mode_any,
    s32 = dnnl_accumulation_mode_s32,
    f32 = dnnl_accumulation_mode_f32,
    f16 = dnnl_accumulation_mode_f16,
};

/// @name Enumerators of the C API
/// @{
#define DNNL_TO_C(type, c_type)                                                                    \
    inline c_type convert_to_c(type v) {                                                           \
        return static_cast<c_type>(v);                                                             \
    }
DNNL_TO_C(engine::kind, dnnl_engine_kind_t)
DNNL_TO_C(fpmath_mode, dnnl_fpmath_mode_t)
DNNL_TO_C(accumulation_mode, dnnl_accumulation_mode_t)
#undef DNNL_TO_C
/// @}

} // namespace dnnl

#endif
