/* SPDX-License-Identifier: Apache-2.0 */
/* What dnnl_sycl.h and dnnl_graph_sycl.h are made of: the SYCL objects of engines, streams and
 * memory objects. Programs include those, not this file. */
#ifndef ONEAPI_DNNL_DNNL_SYCL_LAYER_HPP
#define ONEAPI_DNNL_DNNL_SYCL_LAYER_HPP

#include <sycl/sycl.hpp>

#include <sycl/ext/oneapi/backend/level_zero.hpp>

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_graph_ocl.h"
#include "oneapi/dnnl/dnnl_graph_ze.h"
#include "oneapi/dnnl/dnnl_ocl.h"
#include "oneapi/dnnl/dnnl_sycl_types.h"
#include "oneapi/dnnl/dnnl_ze.h"
#include "oneapi/dnnl/dnnl_ze_layer.h"

namespace dnnl {

// Each object of the library owns the SYCL objects that belong to it (dnnl_ze_layer.h), so that
// they live and end with it. Nothing is global.
//
// One rule orders everything. An execution has three parts: find native events of all that the
// queue or the program wants done before; submit the primitive between these and an event of its
// own; submit an empty command to the SYCL queue that waits for this event. So SYCL knows the
// primitive by a command of its own, and orders everything by it: later commands, host tasks, other
// queues, queue::wait(). Which command list the primitive is on does not matter.
namespace sycl_layer {

using bytes_t = ::sycl::buffer<uint8_t, 1>;
using accessor_t = ::sycl::accessor<uint8_t, 1, ::sycl::access_mode::read_write>;

constexpr ::sycl::backend level_zero = ::sycl::backend::ext_oneapi_level_zero;
constexpr ::sycl::backend opencl = ::sycl::backend::opencl;
constexpr auto keep = ::sycl::ext::oneapi::level_zero::ownership::keep;

// Programs may have parts that were built with different SYCL libraries: their objects differ.
#ifdef __LIBSYCL_MAJOR_VERSION
#define DNNL_SYCL_LAYER_TEXT(number) #number
#define DNNL_SYCL_LAYER_NAME(number) "SYCL " DNNL_SYCL_LAYER_TEXT(number)
constexpr const char *layer_name = DNNL_SYCL_LAYER_NAME(__LIBSYCL_MAJOR_VERSION);
#undef DNNL_SYCL_LAYER_NAME
#undef DNNL_SYCL_LAYER_TEXT
#else
constexpr const char *layer_name = "SYCL";
#endif

// ---- errors ----

// A status whose reason is in the log.
struct failure {
    dnnl_status_t status;
};

inline void check(dnnl_status_t status) {
    if (status != dnnl_success) throw failure{status};
}

[[noreturn]] inline void refuse(dnnl_status_t status, const char *sentence) {
    throw failure{dnnl_ze_layer_report(status, sentence)};
}

inline void check_pointer(const void *pointer, const char *sentence) {
    if (!pointer) refuse(dnnl_invalid_arguments, sentence);
}

// Calls a function, and turns what it throws into a status.
template <typename F> dnnl_status_t guarded(F function) {
    try {
        function();
        return dnnl_success;
    } catch (const failure &reason) {
        return reason.status;
    } catch (const ::sycl::exception &reason) {
        const bool memory = reason.code() == ::sycl::errc::memory_allocation;
        return dnnl_ze_layer_report(
                memory ? dnnl_out_of_memory : dnnl_runtime_error, reason.what());
    } catch (const std::bad_alloc &) {
        return dnnl_ze_layer_report(dnnl_out_of_memory, "no memory for objects of SYCL");
    } catch (const std::exception &reason) {
        return dnnl_ze_layer_report(dnnl_runtime_error, reason.what());
    }
}

template <typename T> void destroy(void *data) {
    delete static_cast<T *>(data);
}

// Attaches data to an object, unless another thread was faster. Returns the data of the object.
template <typename T, typename H>
T &attach(dnnl_status_t (*function)(H, const dnnl_ze_layer_t *, void *, void **), H object,
        const dnnl_ze_layer_t &layer, std::unique_ptr<T> data) {
    void *attached = nullptr;
    check(function(object, &layer, data.get(), &attached));
    if (attached == data.get()) (void)data.release();
    return *static_cast<T *>(attached);
}

inline dnnl_ze_layer_t new_layer(void (*destroy_data)(void *)) {
    dnnl_ze_layer_t layer{};
    layer.name = layer_name;
    layer.destroy = destroy_data;
    return layer;
}

// ---- engines ----

struct engine_data {
    ::sycl::device device;
    ::sycl::context context;
};

inline bool is_opencl(dnnl_engine_t engine) {
    int answer = 0;
    check(dnnl_ze_layer_is_opencl(engine, &answer));
    return answer != 0;
}

inline void create_native_engine(
        dnnl_engine_t *engine, const ::sycl::device &device, const ::sycl::context &context) {
    if (device.get_backend() == level_zero) {
        check(dnnl_ze_interop_engine_create(engine,
                ::sycl::get_native<level_zero>(device.get_platform()),
                ::sycl::get_native<level_zero>(device), ::sycl::get_native<level_zero>(context)));
        return;
    }
    if (device.get_backend() != opencl)
        refuse(dnnl_unimplemented, "SYCL devices are those of Level Zero and OpenCL");
    const cl_context native = ::sycl::get_native<opencl>(context);
    const dnnl_status_t status =
            dnnl_ocl_interop_engine_create(engine, ::sycl::get_native<opencl>(device), native);
    dnnl_ze_layer_release(dnnl_ze_layer_context, native);
    check(status);
}

inline void create_engine(
        dnnl_engine_t *engine, const ::sycl::device &device, const ::sycl::context &context) {
    dnnl_engine_t made = nullptr;
    if (device.get_backend() != context.get_backend())
        refuse(dnnl_invalid_arguments, "the SYCL context is not one of the SYCL device");
    create_native_engine(&made, device, context);
    dnnl_ze_layer_t layer = new_layer(destroy<engine_data>);
    layer.has_pointers = 1;
    const dnnl_status_t status = guarded([&] {
        attach(dnnl_ze_layer_attach_engine, made, layer,
                std::unique_ptr<engine_data>(new engine_data{device, context}));
    });
    if (status != dnnl_success) dnnl_engine_destroy(made);
    check(status);
    *engine = made;
}

inline std::unique_ptr<engine_data> wrap_native_engine(dnnl_engine_t engine) {
    if (is_opencl(engine)) {
        cl_device_id device = nullptr;
        cl_context context = nullptr;
        check(dnnl_ocl_interop_get_device(engine, &device));
        check(dnnl_ocl_interop_engine_get_context(engine, &context));
        return std::unique_ptr<engine_data>(new engine_data{
                ::sycl::make_device<opencl>(device), ::sycl::make_context<opencl>(context)});
    }
    ze_device_handle_t handle = nullptr;
    ze_context_handle_t context = nullptr;
    check(dnnl_ze_interop_engine_get_device(engine, &handle));
    check(dnnl_ze_interop_engine_get_context(engine, &context));
    const ::sycl::device device = ::sycl::make_device<level_zero>(handle);
    return std::unique_ptr<engine_data>(
            new engine_data{device, ::sycl::make_context<level_zero>({context, {device}, keep})});
}

// The SYCL objects of any engine.
inline engine_data &data_of(dnnl_engine_t engine) {
    void *data = nullptr;
    check(dnnl_ze_layer_get_engine(engine, layer_name, &data));
    if (data) return *static_cast<engine_data *>(data);
    return attach(dnnl_ze_layer_attach_engine, engine, new_layer(destroy<engine_data>),
            wrap_native_engine(engine));
}

// ---- memory objects ----

class memory_data {
  public:
    memory_data(const bytes_t &buffer, size_t size) : buffer_(buffer), size_(size) {}

    const bytes_t *buffer() const { return buffer_ ? &*buffer_ : nullptr; }

    void set(const bytes_t *buffer) {
        if (!buffer) buffer_.reset();
        else if (buffer->byte_size() < size_)
            refuse(dnnl_invalid_arguments, "the SYCL buffer is smaller than the memory descriptor");
        else buffer_ = *buffer;
    }

    // A host accessor keeps the buffer from the device, so that there is one at a time.
    void *map() {
        const std::lock_guard<std::mutex> guard(lock_);
        if (!buffer_) return nullptr;
        if (!nmapped_) mapped_.emplace(*buffer_);
        nmapped_++;
        return &(*mapped_)[0];
    }

    void unmap() {
        const std::lock_guard<std::mutex> guard(lock_);
        if (!nmapped_) refuse(dnnl_invalid_arguments, "the memory object is not mapped");
        if (!--nmapped_) mapped_.reset();
    }

  private:
    std::optional<bytes_t> buffer_;
    size_t size_;     // bytes of the descriptor
    std::mutex lock_; // guards:
    std::optional<::sycl::host_accessor<uint8_t, 1>> mapped_;
    int nmapped_ = 0;
};

inline memory_data *data_of(const_dnnl_memory_t memory) {
    void *data = nullptr;
    check(dnnl_ze_layer_get_memory(memory, layer_name, &data));
    return static_cast<memory_data *>(data);
}

inline dnnl_ze_layer_t memory_layer() {
    dnnl_ze_layer_t layer = new_layer(destroy<memory_data>);
    layer.get_handle = [](void *data, void **handle) {
        *handle = const_cast<bytes_t *>(static_cast<memory_data *>(data)->buffer());
        return dnnl_success;
    };
    layer.set_handle = [](void *data, void *handle) {
        return guarded([&] {
            static_cast<memory_data *>(data)->set(static_cast<const bytes_t *>(handle));
        });
    };
    layer.map = [](void *data, void **mapped) {
        return guarded([&] { *mapped = static_cast<memory_data *>(data)->map(); });
    };
    layer.unmap = [](void *data, void *) {
        return guarded([&] { static_cast<memory_data *>(data)->unmap(); });
    };
    return layer;
}

inline size_t memory_size(const_dnnl_memory_t memory) {
    const_dnnl_memory_desc_t desc = nullptr;
    check(dnnl_memory_get_memory_desc(memory, &desc));
    return dnnl_memory_desc_get_size(desc);
}

// Gives a memory object a buffer in place of its pointer or its former buffer. NULL: a new buffer.
inline void set_buffer(dnnl_memory_t memory, const bytes_t *buffer) {
    memory_data *data = data_of(memory);
    const size_t size = memory_size(memory);
    if (!data)
        data = &attach(dnnl_ze_layer_attach_memory, memory, memory_layer(),
                std::make_unique<memory_data>(bytes_t(::sycl::range<1>(size ? size : 1)), size));
    if (buffer) data->set(buffer);
}

inline void create_usm_memory(dnnl_memory_t *memory, const_dnnl_memory_desc_t desc,
        dnnl_engine_t engine, int nhandles, void **handles) {
    check(is_opencl(engine)
                    ? dnnl_ocl_interop_memory_create_v2(
                              memory, desc, engine, dnnl_ocl_interop_usm, nhandles, handles)
                    : dnnl_ze_interop_memory_create(memory, desc, engine, nhandles, handles));
}

inline void create_memory(dnnl_memory_t *memory, const_dnnl_memory_desc_t desc,
        dnnl_engine_t engine, dnnl_sycl_interop_memory_kind_t kind, int nhandles, void **handles) {
    check_pointer(memory, "the place of the memory object is NULL");
    check_pointer(engine, "the engine is NULL");
    check_pointer(handles, "the handles are NULL");
    if (kind == dnnl_sycl_interop_usm) {
        create_usm_memory(memory, desc, engine, nhandles, handles);
        return;
    }
    if (kind != dnnl_sycl_interop_buffer)
        refuse(dnnl_invalid_arguments, "this is not a kind of SYCL memory");
    if (nhandles != 1)
        refuse(dnnl_unimplemented, "memory objects of several SYCL buffers are not supported");
    void *none = DNNL_MEMORY_NONE;
    dnnl_memory_t made = nullptr;
    create_usm_memory(&made, desc, engine, 1, &none);
    const dnnl_status_t status = guarded([&] {
        set_buffer(made, nullptr);
        if (handles[0] == DNNL_MEMORY_NONE) data_of(made)->set(nullptr);
        else if (handles[0] != DNNL_MEMORY_ALLOCATE)
            set_buffer(made, static_cast<const bytes_t *>(handles[0]));
    });
    if (status != dnnl_success) dnnl_memory_destroy(made);
    check(status);
    *memory = made;
}

// ---- arguments that outlive the call ----

// A primitive and its arguments, for an execution that begins later than the call. Where the
// argument has a buffer, the pointer or the object of OpenCL comes from an accessor.
class kept_call {
  public:
    kept_call(const_dnnl_primitive_t primitive, int nargs, const dnnl_exec_arg_t *args) {
        const_dnnl_primitive_desc_t desc = nullptr;
        dnnl_primitive_t made = nullptr;
        check(dnnl_primitive_get_primitive_desc(primitive, &desc));
        check(dnnl_primitive_create(&made, desc)); // from the cache
        primitive_.reset(made);
        for (int i = 0; i < nargs; i++) {
            const memory_data *data = args[i].memory ? data_of(args[i].memory) : nullptr;
            if (data && !data->buffer())
                refuse(dnnl_invalid_arguments, "a memory object has no SYCL buffer");
            if (data) buffers_.push_back({args_.size(), *data->buffer()});
            if (args[i].memory) memories_.emplace_back(copy(args[i].memory, data != nullptr));
            args_.push_back({args[i].arg, args[i].memory ? memories_.back().get() : nullptr});
        }
    }

    std::vector<accessor_t> access(::sycl::handler &handler) {
        std::vector<accessor_t> list;
        for (auto &[index, buffer] : buffers_) list.emplace_back(buffer, handler);
        return list;
    }

    // Executes, with events that it returns in the form of dnnl_ze_layer_return_event().
    void *run(dnnl_stream_t stream, bool on_opencl, const ::sycl::interop_handle &handle,
            const std::vector<accessor_t> &accessors) {
        for (size_t i = 0; i < accessors.size(); i++) {
            const dnnl_memory_t memory = args_[buffers_[i].first].memory;
            if (on_opencl) set_cl(memory, handle.get_native_mem<opencl>(accessors[i]));
            else
                check(dnnl_memory_set_data_handle(
                        memory, handle.get_native_mem<level_zero>(accessors[i])));
        }
        void *event = nullptr;
        const int nargs = static_cast<int>(args_.size());
        check(on_opencl ? dnnl_ocl_interop_primitive_execute(primitive_.get(), stream, nargs,
                                  args_.data(), nullptr, 0, reinterpret_cast<cl_event *>(&event))
                        : dnnl_ze_interop_primitive_execute(primitive_.get(), stream, nargs,
                                  args_.data(), 0, nullptr,
                                  reinterpret_cast<ze_event_handle_t *>(&event)));
        return event;
    }

  private:
    static void set_cl(dnnl_memory_t memory, const std::vector<cl_mem> &buffers) {
        if (buffers.size() != 1) refuse(dnnl_runtime_error, "SYCL has no OpenCL buffer");
        // SYCL has not retained it, unlike other native objects.
        check(dnnl_ocl_interop_memory_set_mem_object(memory, buffers[0]));
    }

    static dnnl_memory_t copy(const_dnnl_memory_t memory, bool has_buffer) {
        const_dnnl_memory_desc_t desc = nullptr;
        dnnl_engine_t engine = nullptr;
        dnnl_memory_t made = nullptr;
        check(dnnl_memory_get_memory_desc(memory, &desc));
        check(dnnl_memory_get_engine(memory, &engine));
        if (!engine) {
            double value = 0; // room for any type
            check(dnnl_memory_get_host_scalar_value(memory, &value));
            check(dnnl_memory_create_host_scalar(&made, desc, &value));
            return made;
        }
        int nhandles = 1;
        check(dnnl_memory_desc_query_v2(desc, dnnl_query_num_handles_s32, 0, &nhandles));
        if (nhandles < 1) nhandles = 1;
        std::vector<void *> handles(static_cast<size_t>(nhandles), DNNL_MEMORY_NONE);
        for (int i = 0; i < nhandles && !has_buffer; i++)
            check(dnnl_memory_get_data_handle_v2(memory, &handles[static_cast<size_t>(i)], i));
        if (!is_opencl(engine)) {
            check(dnnl_ze_interop_memory_create(&made, desc, engine, nhandles, handles.data()));
            return made;
        }
        dnnl_ocl_interop_memory_kind_t kind = dnnl_ocl_interop_buffer;
        if (!has_buffer) check(dnnl_ocl_interop_memory_get_memory_kind(memory, &kind));
        check(dnnl_ocl_interop_memory_create_v2(
                &made, desc, engine, kind, nhandles, handles.data()));
        return made;
    }

    struct deleter {
        void operator()(dnnl_memory_t memory) const { dnnl_memory_destroy(memory); }
        void operator()(dnnl_primitive_t primitive) const { dnnl_primitive_destroy(primitive); }
    };

    std::unique_ptr<dnnl_primitive, deleter> primitive_;
    std::vector<std::unique_ptr<dnnl_memory, deleter>> memories_;
    std::vector<dnnl_exec_arg_t> args_;
    std::vector<std::pair<size_t, bytes_t>> buffers_; // with the numbers of their arguments
};

// ---- streams ----

class stream_data {
  public:
    stream_data(dnnl_stream_t stream, const ::sycl::queue &queue, bool on_opencl)
        : stream_(stream), queue_(queue), on_opencl_(on_opencl), in_order_(queue.is_in_order()) {}

    stream_data(const stream_data &) = delete;
    stream_data &operator=(const stream_data &) = delete;

    // The stream ends after this, and host tasks use it.
    ~stream_data() {
        try {
            queue_.wait();
        } catch (...) {
        }
        for (const submitted &each : submitted_) dnnl_ze_layer_return_event(stream_, each.event);
    }

    ::sycl::queue &queue() { return queue_; }
    dnnl_stream_t stream() const { return stream_; }
    bool on_opencl() const { return on_opencl_; }

    void wait() {
        queue_.wait_and_throw();
        const std::lock_guard<std::mutex> guard(lock_);
        collect();
    }

    ::sycl::event execute(const_dnnl_primitive_t primitive, int nargs, const dnnl_exec_arg_t *args,
            const std::vector<::sycl::event> &deps) {
        bool has_buffers = false;
        check_pointer(primitive, "the primitive is NULL");
        if (nargs && !args) refuse(dnnl_invalid_arguments, "the arguments are NULL");
        for (int i = 0; i < nargs; i++)
            if (args[i].memory && data_of(args[i].memory)) has_buffers = true;
        check_not_recording();
        const std::lock_guard<std::mutex> guard(lock_);
        collect();
        if (has_buffers) return execute_later(primitive, nargs, args, deps);
        const std::vector<::sycl::event> before = find_before(deps);
        if (!are_native(before)) return execute_later(primitive, nargs, args, deps);
        return submit(before, [&](int n, void *const *events, void **event) {
            return on_opencl_ ? dnnl_ocl_interop_primitive_execute(primitive, stream_, nargs, args,
                                        reinterpret_cast<const cl_event *>(events), n,
                                        reinterpret_cast<cl_event *>(event))
                              : dnnl_ze_interop_primitive_execute(primitive, stream_, nargs, args,
                                        n, reinterpret_cast<const ze_event_handle_t *>(events),
                                        reinterpret_cast<ze_event_handle_t *>(event));
        });
    }

    // Executes what has pointers only. It waits for host tasks that have to be done before.
    // function(number of events, events, event to return)
    template <typename F>
    ::sycl::event execute_with(const std::vector<::sycl::event> &deps, F function) {
        check_not_recording();
        const std::lock_guard<std::mutex> guard(lock_);
        collect();
        std::vector<::sycl::event> before = find_before(deps);
        if (!are_native(before)) {
            for (::sycl::event &each : before) each.wait();
            before.clear();
        }
        return submit(before, function);
    }

    // A SYCL event that is complete when a native one is. The native one stays the caller's.
    ::sycl::event wrap(void *event) {
        const ::sycl::event native = make_event(event);
        return queue_.submit([&](::sycl::handler &handler) {
            handler.depends_on(native);
            handler.memcpy(nullptr, nullptr, 0);
        });
    }

  private:
    struct submitted {
        void *event; // the native one, of the primitive
        ::sycl::event done;
        std::vector<::sycl::event> before; // SYCL uses their native events again once they are gone
    };

    ::sycl::event make_event(void *event) const {
        if (on_opencl_)
            return ::sycl::make_event<opencl>({static_cast<cl_event>(event)}, queue_.get_context());
        return ::sycl::make_event<level_zero>(
                {static_cast<ze_event_handle_t>(event), keep}, queue_.get_context());
    }

    void check_not_recording() const {
        using state = ::sycl::ext::oneapi::experimental::queue_state;
        if (queue_.ext_oneapi_get_state() == state::recording)
            refuse(dnnl_unimplemented, "primitives cannot be recorded into SYCL graphs");
    }

    static bool is_complete(const ::sycl::event &event) {
        return event.get_info<::sycl::info::event::command_execution_status>() ==
               ::sycl::info::event_command_status::complete;
    }

    // Host tasks, and commands that wait for one, have no native event (yet).
    static bool has_native(const ::sycl::event &event) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
        return event.get_info<::sycl::info::event::reference_count>() != 0;
#pragma GCC diagnostic pop
    }

    static bool are_native(const std::vector<::sycl::event> &events) {
        for (const ::sycl::event &event : events)
            if (!has_native(event)) return false;
        return true;
    }

    // Events of this queue that stand for all that has to be done before.
    std::vector<::sycl::event> find_before(const std::vector<::sycl::event> &deps) {
        std::vector<::sycl::event> before;
        if (!deps.empty()) {
            // They may be of any queue or context: SYCL knows how to wait for them.
            before.push_back(queue_.submit([&](::sycl::handler &handler) {
                handler.depends_on(deps);
                handler.memcpy(nullptr, nullptr, 0);
            }));
        } else if (in_order_) {
            const std::optional<::sycl::event> last = queue_.ext_oneapi_get_last_event();
            if (last) before.push_back(*last);
        }
        if (!before.empty() && is_complete(before[0])) before.clear();
        return before;
    }

    void *native_of(const ::sycl::event &event) const {
        if (!on_opencl_) return ::sycl::get_native<level_zero>(event);
        const std::vector<cl_event> list = ::sycl::get_native<opencl>(event);
        return list.empty() ? nullptr : list[0];
    }

    template <typename F>
    ::sycl::event submit(const std::vector<::sycl::event> &before, F function) {
        std::vector<void *> events;
        for (const ::sycl::event &each : before)
            if (void *native = native_of(each)) events.push_back(native);
        submitted made{nullptr, ::sycl::event(), before};
        const dnnl_status_t status =
                function(static_cast<int>(events.size()), events.data(), &made.event);
        if (on_opencl_)
            for (void *each : events) dnnl_ze_layer_release(dnnl_ze_layer_event, each);
        check(status);
        made.done = wrap(made.event);
        submitted_.push_back(std::move(made));
        return submitted_.back().done;
    }

    // SYCL hands buffers out to host tasks only, and knows when that of a host task is done.
    ::sycl::event execute_later(const_dnnl_primitive_t primitive, int nargs,
            const dnnl_exec_arg_t *args, const std::vector<::sycl::event> &deps) {
        const std::shared_ptr<kept_call> call = std::make_shared<kept_call>(primitive, nargs, args);
        return queue_.submit([&](::sycl::handler &handler) {
            const std::vector<accessor_t> accessors = call->access(handler);
            handler.depends_on(deps);
            handler.host_task([this, call, accessors](const ::sycl::interop_handle &handle) {
                void *event = nullptr;
                const dnnl_status_t status = guarded([&] {
                    event = call->run(stream_, on_opencl_, handle, accessors);
                    make_event(event).wait();
                });
                dnnl_ze_layer_return_event(stream_, event);
                if (status != dnnl_success)
                    throw ::sycl::exception(::sycl::make_error_code(::sycl::errc::runtime),
                            "a primitive with SYCL buffers failed: the verbose log has the reason");
            });
        });
    }

    void collect() {
        while (!submitted_.empty() && is_complete(submitted_.front().done)) {
            dnnl_ze_layer_return_event(stream_, submitted_.front().event);
            submitted_.pop_front();
        }
    }

    const dnnl_stream_t stream_; // it owns this
    ::sycl::queue queue_;
    const bool on_opencl_, in_order_;
    std::mutex lock_; // guards what follows, and the three parts of an execution
    std::deque<submitted> submitted_;
};

// The stream whose call of this thread may free memory; null: none.
inline stream_data *&current_stream() {
    static thread_local stream_data *current = nullptr;
    return current;
}

inline ::sycl::event execute_partition(stream_data &data,
        const_dnnl_graph_compiled_partition_t partition, size_t num_inputs,
        const const_dnnl_graph_tensor_t *inputs, size_t num_outputs,
        const const_dnnl_graph_tensor_t *outputs, const_dnnl_graph_tensor_t scratchpad,
        const std::vector<::sycl::event> &deps) {
    auto *in = const_cast<const_dnnl_graph_tensor_t *>(inputs);
    auto *out = const_cast<const_dnnl_graph_tensor_t *>(outputs);
    return data.execute_with(deps, [&](int n, void *const *events, void **event) {
        stream_data *const before = std::exchange(current_stream(), &data);
        const dnnl_status_t status =
                data.on_opencl()
                        ? dnnl_graph_ocl_interop_compiled_partition_execute_v2(partition,
                                  data.stream(), num_inputs, in, num_outputs, out, scratchpad,
                                  reinterpret_cast<const cl_event *>(events), n,
                                  reinterpret_cast<cl_event *>(event))
                        : dnnl_graph_ze_interop_compiled_partition_execute_v2(partition,
                                  data.stream(), num_inputs, in, num_outputs, out, scratchpad,
                                  reinterpret_cast<const ze_event_handle_t *>(events), n,
                                  reinterpret_cast<ze_event_handle_t *>(event));
        current_stream() = before;
        return status;
    });
}

inline dnnl_ze_layer_t stream_layer() {
    dnnl_ze_layer_t layer = new_layer(destroy<stream_data>);
    layer.execute = [](void *data, const_dnnl_primitive_t primitive, int nargs,
                            const dnnl_exec_arg_t *args) {
        return guarded(
                [&] { static_cast<stream_data *>(data)->execute(primitive, nargs, args, {}); });
    };
    layer.execute_partition = [](void *data, const_dnnl_graph_compiled_partition_t partition,
                                      size_t num_inputs, const const_dnnl_graph_tensor_t *inputs,
                                      size_t num_outputs, const const_dnnl_graph_tensor_t *outputs,
                                      const_dnnl_graph_tensor_t scratchpad) {
        return guarded([&] {
            execute_partition(*static_cast<stream_data *>(data), partition, num_inputs, inputs,
                    num_outputs, outputs, scratchpad, {});
        });
    };
    layer.wait = [](void *data) {
        return guarded([&] { static_cast<stream_data *>(data)->wait(); });
    };
    return layer;
}

inline stream_data &attach_queue(dnnl_stream_t stream, const ::sycl::queue &queue, bool on_opencl) {
    return attach(dnnl_ze_layer_attach_stream, stream, stream_layer(),
            std::make_unique<stream_data>(stream, queue, on_opencl));
}

// The queue's own command list where that is immediate and in-order, else a list of the library.
inline void create_ze_stream(
        dnnl_stream_t *stream, dnnl_engine_t engine, const ::sycl::queue &queue) {
    const bool profiles = queue.has_property<::sycl::property::queue::enable_profiling>();
    const auto native = ::sycl::get_native<level_zero>(queue);
    const auto *list = std::get_if<ze_command_list_handle_t>(&native);
    int is_in_order = 0;
    if (list && queue.is_in_order())
        check(dnnl_ze_layer_list_is_in_order(engine, *list, &is_in_order));
    if (is_in_order) {
        check(dnnl_ze_interop_stream_create(stream, engine, *list, profiles));
        return;
    }
    unsigned flags = queue.is_in_order() ? dnnl_stream_in_order : dnnl_stream_out_of_order;
    if (profiles) flags |= 4; // dnnl_stream_profiling, which not all programs declare
    check(dnnl_stream_create(stream, engine, flags));
}

inline void create_cl_stream(
        dnnl_stream_t *stream, dnnl_engine_t engine, const ::sycl::queue &queue) {
    const cl_command_queue native = ::sycl::get_native<opencl>(queue);
    const dnnl_status_t status = dnnl_ocl_interop_stream_create(stream, engine, native);
    dnnl_ze_layer_release(dnnl_ze_layer_queue, native);
    check(status);
}

inline void create_stream(dnnl_stream_t *stream, dnnl_engine_t engine, const ::sycl::queue &queue) {
    const engine_data &data = data_of(engine);
    const bool on_opencl = is_opencl(engine);
    dnnl_stream_t made = nullptr;
    if (queue.get_device() != data.device || queue.get_context() != data.context)
        refuse(dnnl_invalid_arguments,
                "the SYCL queue is of another device or context than the engine");
    if (on_opencl) create_cl_stream(&made, engine, queue);
    else create_ze_stream(&made, engine, queue);
    const dnnl_status_t status = guarded([&] { attach_queue(made, queue, on_opencl); });
    if (status != dnnl_success) dnnl_stream_destroy(made);
    check(status);
    *stream = made;
}

// The SYCL objects of any stream. One that was made without a SYCL queue gets an in-order one.
inline stream_data &data_of(dnnl_stream_t stream) {
    void *data = nullptr;
    dnnl_engine_t engine = nullptr;
    check(dnnl_ze_layer_get_stream(stream, layer_name, &data));
    if (data) return *static_cast<stream_data *>(data);
    check(dnnl_stream_get_engine(stream, &engine));
    const engine_data &objects = data_of(engine);
    check(dnnl_stream_wait(stream)); // the new queue does not know this work
    return attach_queue(stream,
            ::sycl::queue(objects.context, objects.device, ::sycl::property::queue::in_order()),
            is_opencl(engine));
}

} // namespace sycl_layer
} // namespace dnnl

#endif
