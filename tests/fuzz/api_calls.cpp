/* SPDX-License-Identifier: Apache-2.0 */
/* Calls every function of the interface many times, in random order, with random arguments of
 * the right types: objects that earlier calls made, NULL, and values in and out of range.
 * Whatever the answers, nothing crashes or leaks (the sanitizers look on), every enumerator that
 * comes back is one of the documented statuses, and each function has refused something or
 * succeeded at least once. With WITH_OPENCL the functions of dnnl_ocl.h and dnnl_graph_ocl.h are
 * among them, and objects of both runtimes meet.
 *
 * Usage: api_calls [calls [seed]] */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "dnnl.h"
#include "dnnl_debug.h"
#include "dnnl_ze.h"
#include "draw.hpp"
#ifdef WITH_OPENCL
#include "dnnl_graph_ocl.h"
#include "dnnl_ocl.h"
#endif

static std::mt19937_64 rng;
uint64_t below(uint64_t n) {
    return rng() % n;
}

namespace {

/* Level Zero objects are the application's to get right: they are good or NULL. */
struct {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_command_list_handle_t list;
} app;

template <class T> struct pool_t {
    static std::vector<T *> objects;
    static T *pick() {
        if (objects.empty() || below(16) == 0) return nullptr;
        return objects[below(objects.size())];
    }
};
template <class T> std::vector<T *> pool_t<T>::objects;

enum { SCRATCH = 4096, ARRAY = 16 };
alignas(64) unsigned char scratch[8][SCRATCH];
int scratch_used;
std::string called; /* name of the function that arguments are made for */

bool is(const char *part) {
    return called.find(part) != std::string::npos;
}

int64_t some_dim(int d) {
    static const int64_t first[] = {1, 2, 3, 5, 8, 17}, later[] = {1, 1, 1, 2};
    if (below(24) == 0) return odd_dim();
    return d < 3 ? one_of(first) : one_of(later);
}

void *some_handle() {
    void *const handles[] = {nullptr, DNNL_MEMORY_NONE, DNNL_MEMORY_ALLOCATE};
    return handles[below(3)];
}

/* Arguments: plain values, and what this program has made. */
template <class T, class = void> struct pick {
    static T get() { return draw<T>::get(); }
};
template <class T> struct pick<T, typename std::enable_if<std::is_integral<T>::value>::type> {
    static T get() {
        if (is("qparams")) return (T)((int)below(20) - 2); /* as many floats as there are */
        if (std::is_same<T, dnnl_dim_t>::value && !is("gemm")) return (T)some_dim(0);
        if (sizeof(T) == 8) return (T)below(SCRATCH + 1);
        return (T)((int)below(14) - 1);
    }
};
template <> struct pick<const char *> {
    static const char *get() { return below(4) ? "N" : nullptr; }
};

/* Pointers to plain data: an own piece of memory with random contents. */
template <class T> T *some_data() {
    if (below(16) == 0) return nullptr;
    unsigned char *at = scratch[scratch_used++ % 8];
    typedef typename std::remove_const<T>::type value_t;
    for (int i = 0; i < 32; i++) {
        value_t v =
                (value_t)(std::is_same<value_t, int64_t>::value ? some_dim(i) : (int64_t)below(9));
        memcpy(at + i * sizeof v, &v, sizeof v);
    }
    return (T *)at;
}
template <class T>
struct pick<T *,
        typename std::enable_if<std::is_arithmetic<T>::value || std::is_enum<T>::value>::type> {
    static T *get() { return some_data<T>(); }
};
template <> struct pick<void *> {
    static void *get() {
        const bool memory = (is("handle") || is("memory_create")) && !is("scalar");
        return memory ? some_handle() : (void *)some_data<uint8_t>();
    }
};
template <> struct pick<const void *> {
    static const void *get() { return some_data<const uint8_t>(); }
};

/* Objects, alone and in arrays that the function reads or writes. */
template <class T> struct pick<T *, typename std::enable_if<std::is_class<T>::value>::type> {
    static T *get() { return pool_t<typename std::remove_const<T>::type>::pick(); }
};
template <> struct pick<const dnnl_exec_arg_t *> {
    static const dnnl_exec_arg_t *get() {
        static dnnl_exec_arg_t args[ARRAY];
        static const int ids[] = {
                DNNL_ARG_SRC, DNNL_ARG_SRC_1, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST, 77};
        for (dnnl_exec_arg_t &a : args) a = {ids[below(6)], pool_t<dnnl_memory>::pick()};
        return below(8) ? args : nullptr;
    }
};
template <class T> struct pick<T **> {
    static T **get() {
        static T *array[ARRAY];
        for (T *&a : array) a = pick<T *>::get();
        return below(16) ? array : nullptr;
    }
};
template <class T> struct pick<T *const *> {
    static T *const *get() { return pick<T **>::get(); }
};
template <> struct pick<void **> {
    static void **get() {
        static void *array[ARRAY];
        for (void *&a : array) a = some_handle();
        return below(16) ? array : nullptr;
    }
};
template <> struct pick<const void **> {
    static const void **get() { return (const void **)pick<void **>::get(); }
};
template <> struct pick<const float **> {
    static const float **get() {
        static const float *out;
        return &out;
    }
};

#define ZE_OBJECT(type, value)                                                                     \
    template <> struct pick<type> {                                                                \
        static type get() {                                                                        \
            return below(8) ? value : nullptr;                                                     \
        }                                                                                          \
    };
ZE_OBJECT(ze_driver_handle_t, app.driver)
ZE_OBJECT(ze_device_handle_t, app.device)
ZE_OBJECT(ze_context_handle_t, app.context)
ZE_OBJECT(ze_command_list_handle_t, app.list)
template <> struct pick<ze_event_handle_t> {
    static ze_event_handle_t get() { return nullptr; }
};
template <> struct pick<ze_event_handle_t *> {
    static ze_event_handle_t *get() {
        static ze_event_handle_t event;
        return &event;
    }
};
template <> struct pick<const ze_event_handle_t *> {
    static const ze_event_handle_t *get() { return nullptr; }
};

#ifdef WITH_OPENCL
/* OpenCL's objects are the application's as well: those of its pools, or NULL. */
template <class R, class... A> struct pick<R (*)(A...)> {
    typedef R (*function_t)(A...);
    static function_t get() { return nullptr; }
};
template <> struct pick<cl_event *> {
    static cl_event *get() {
        static cl_event event; /* of the last call that returned one */
        if (event) {
            clWaitForEvents(1, &event);
            clReleaseEvent(event);
        }
        event = nullptr;
        return below(4) ? &event : nullptr;
    }
};
template <> struct pick<const cl_event *> {
    static const cl_event *get() {
        static cl_event deps[ARRAY];
        for (cl_event &event : deps) event = pool_t<_cl_event>::pick();
        return below(4) ? deps : nullptr;
    }
};

cl_device_id find_device() {
    cl_platform_id platforms[8];
    cl_uint nplatforms = 0, ndevices = 0;
    clGetPlatformIDs(8, platforms, &nplatforms);
    for (cl_uint i = 0; i < nplatforms && i < 8; i++) {
        cl_device_id device;
        char version[256] = "";
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, &ndevices)) continue;
        clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, sizeof version - 1, version, nullptr);
        if (strstr(version, "SPIR-V")) return device;
    }
    return nullptr;
}

bool open_opencl() {
    const size_t sizes[] = {64, 4096, 1 << 20};
    const cl_device_id device = find_device();
    if (!device) return false;
    const cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
    if (!context) return false;
    const cl_event event = clCreateUserEvent(context, nullptr);
    clSetUserEventStatus(event, CL_COMPLETE);
    pool_t<_cl_device_id>::objects = {device};
    pool_t<_cl_context>::objects = {context};
    pool_t<_cl_event>::objects = {event};
    const cl_command_queue_properties out_of_order = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    for (int i = 0; i < 2; i++)
        pool_t<_cl_command_queue>::objects.push_back(
                clCreateCommandQueue(context, device, i ? out_of_order : 0, nullptr));
    for (size_t size : sizes)
        pool_t<_cl_mem>::objects.push_back(
                clCreateBuffer(context, CL_MEM_READ_WRITE, size, nullptr, nullptr));
    return true;
}

void close_opencl() {
    pick<cl_event *>::get();
    for (cl_mem buffer : pool_t<_cl_mem>::objects) clReleaseMemObject(buffer);
    for (cl_command_queue queue : pool_t<_cl_command_queue>::objects) clReleaseCommandQueue(queue);
    for (cl_event event : pool_t<_cl_event>::objects) clReleaseEvent(event);
    for (cl_context context : pool_t<_cl_context>::objects) clReleaseContext(context);
}
#else
bool open_opencl() {
    return true;
}
void close_opencl() {}
#endif

/* What a call made belongs to the pool; what it destroyed leaves it. */
template <class A> void keep(A, bool) {}
template <class T> typename std::enable_if<std::is_class<T>::value>::type keep_object(T *object) {
    if (object) pool_t<T>::objects.push_back(object);
}
#define KEEPS(object)                                                                              \
    void keep(object **out, bool made) {                                                           \
        if (made && out) keep_object(*out);                                                        \
    }
KEEPS(dnnl_engine)
KEEPS(dnnl_stream)
KEEPS(dnnl_memory_desc)
KEEPS(dnnl_memory)
KEEPS(dnnl_primitive_desc)
KEEPS(dnnl_primitive)
KEEPS(dnnl_primitive_attr)
KEEPS(dnnl_post_ops)
#ifdef WITH_OPENCL
KEEPS(dnnl_graph_allocator)
#endif

template <class A> void forget(A) {}
template <class T> void forget(T *object) {
    auto &objects = pool_t<typename std::remove_const<T>::type>::objects;
    for (size_t i = 0; i < objects.size(); i++)
        if (objects[i] == object) {
            objects.erase(objects.begin() + (long)i);
            return;
        }
}
template <> void forget(void *) {}
template <> void forget(const void *) {}
template <> void forget(const char *) {}

struct count_t {
    long accepted, refused;
};
std::map<std::string, count_t> counts;
long bad_answers;

template <class R> void judge(const char *name, R) {
    counts[name].accepted++;
}
template <> void judge(const char *name, dnnl_status_t status) {
    (status == dnnl_success ? counts[name].accepted : counts[name].refused)++;
    if ((int)status < 0 || (int)status > (int)dnnl_not_required) {
        fprintf(stderr, "%s answered %d\n", name, (int)status);
        bad_answers++;
    }
}
bool succeeded(dnnl_status_t status) {
    return status == dnnl_success;
}
template <class R> bool succeeded(R) {
    return true;
}

template <class R, class... A> R invoke(const char *name, R (*f)(A...), A... a) {
    R answer = f(a...);
    judge(name, answer);
    const bool made = succeeded(answer) && (is("create") || is("make_engine") || is("clone") ||
                                                   is("reshape") || is("permute"));
    int unused[] = {0, (keep(a, made), 0)..., (int)made};
    (void)unused;
    if (is("destroy") && succeeded(answer)) {
        int unused2[] = {0, (forget(a), 0)...};
        (void)unused2;
    }
    return answer;
}
template <class R, class... A> void call(const char *name, R (*f)(A...)) {
    called = name;
    invoke(name, f, pick<A>::get()...);
}

typedef void (*caller_t)();
struct entry_t {
    const char *name;
    caller_t caller;
};
#define F(ret, name, params) {#name, [] { call(#name, name); }},
const entry_t entries[] = {
#include "../abi/functions.def"
#ifdef WITH_OPENCL
#include "../abi/ocl_functions.def"
#endif
};
#undef F

#ifdef WITH_OPENCL
dnnl_stream_t own_stream(dnnl_engine_t engine) {
    dnnl_stream_t stream = nullptr;
    dnnl_ocl_interop_stream_create(&stream, engine, pool_t<_cl_command_queue>::pick());
    return stream;
}

/* Arguments that fit together are rarely drawn: a small primitive on an engine of the pool, with
 * memory of any kind or none, on a stream of its own or any other, with any events. All of it is
 * destroyed while it may run. */
void execute_somewhere() {
    static const char name[] = "dnnl_ocl_interop_primitive_execute";
    const dnnl_engine_t engine = pool_t<dnnl_engine>::pick();
    const dnnl_dims_t dims = {16};
    dnnl_memory_desc_t md = nullptr;
    dnnl_primitive_desc_t pd = nullptr;
    dnnl_primitive_t relu = nullptr;
    dnnl_memory_t memory[2] = {};
    dnnl_memory_desc_create_with_tag(&md, 1, dims, dnnl_f32, dnnl_a);
    dnnl_eltwise_forward_primitive_desc_create(
            &pd, engine, dnnl_forward_inference, dnnl_eltwise_relu, md, md, 0, 0, nullptr);
    if (pd) dnnl_primitive_create(&relu, pd);
    for (dnnl_memory_t &m : memory)
        dnnl_ocl_interop_memory_create(&m, md, engine,
                below(2) ? dnnl_ocl_interop_usm : dnnl_ocl_interop_buffer,
                below(8) ? DNNL_MEMORY_ALLOCATE : DNNL_MEMORY_NONE);
    const bool is_own = below(4) != 0;
    const dnnl_stream_t stream = is_own ? own_stream(engine) : pool_t<dnnl_stream>::pick();
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, memory[0]}, {DNNL_ARG_DST, memory[1]}};
    const int ndeps = (int)below(4);
    cl_event deps[ARRAY];
    for (cl_event &event : deps) event = pool_t<_cl_event>::objects[0];
    called = name;
    judge(name, dnnl_ocl_interop_primitive_execute(relu, stream, 2, args, ndeps ? deps : nullptr,
                        ndeps, pick<cl_event *>::get()));
    if (relu) dnnl_primitive_destroy(relu);
    for (dnnl_memory_t m : memory)
        if (m) dnnl_memory_destroy(m);
    if (is_own && stream) dnnl_stream_destroy(stream);
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_desc_destroy(md);
}
#else
void execute_somewhere() {}
#endif

enum { FUNCTIONS = sizeof(entries) / sizeof(entries[0]) };

/* Making a primitive can mean compiling a kernel, and verbose lines are not what this looks at. */
bool skip(const std::string &name) {
    if (name == "dnnl_set_verbose" || name == "dnnl_set_jit_dump") return true;
    if (name == "dnnl_primitive_create" || name == "dnnl_primitive_create_from_cache_blob")
        return below(8) != 0;
    if (name.find("destroy") != std::string::npos) return below(3) != 0;
    return false;
}

bool open_app() {
    uint32_t one = 1;
    if (zeInit(0) || zeDriverGet(&one, &app.driver) || one == 0) return false;
    one = 1;
    if (zeDeviceGet(app.driver, &one, &app.device) || one == 0) return false;
    ze_context_desc_t context = {};
    context.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC;
    ze_command_queue_desc_t queue = {};
    queue.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    return !zeContextCreate(app.driver, &context, &app.context) &&
           !zeCommandListCreateImmediate(app.context, app.device, &queue, &app.list);
}

template <class T> void destroy_all(dnnl_status_t (*destroy)(T *)) {
    for (T *object : pool_t<T>::objects) destroy(object);
    pool_t<T>::objects.clear();
}

} // namespace

int main(int argc, char **argv) {
    const long calls = argc > 1 ? atol(argv[1]) : 100000;
    const unsigned long long seed = argc > 2 ? strtoull(argv[2], nullptr, 10) : 1;
    printf("%ld calls, seed %llu\n", calls, seed);
    rng.seed(seed);
    if (!open_app()) {
        printf("no Level Zero device\n");
        return 77;
    }
    if (!open_opencl()) {
        printf("no OpenCL device here supports SPIR-V\n");
        return 77;
    }
    dnnl_set_verbose(0);
    for (long i = 0; i < calls; i++) {
        const entry_t &e = entries[below(FUNCTIONS)];
        if (!skip(e.name)) e.caller();
        if (below(100) == 0) execute_somewhere();
    }
    dnnl_set_verbose(1);

    destroy_all<dnnl_primitive>(dnnl_primitive_destroy);
    destroy_all<dnnl_primitive_desc>(dnnl_primitive_desc_destroy);
    destroy_all<dnnl_memory>(dnnl_memory_destroy);
    destroy_all<dnnl_memory_desc>(dnnl_memory_desc_destroy);
    destroy_all<dnnl_primitive_attr>(dnnl_primitive_attr_destroy);
    destroy_all<dnnl_post_ops>(dnnl_post_ops_destroy);
    destroy_all<dnnl_stream>(dnnl_stream_destroy);
    destroy_all<dnnl_engine>(dnnl_engine_destroy);
#ifdef WITH_OPENCL
    destroy_all<dnnl_graph_allocator>(dnnl_graph_allocator_destroy);
#endif
    close_opencl();
    zeCommandListDestroy(app.list);
    zeContextDestroy(app.context);

    long never = 0, accepted = 0, refused = 0;
    for (const entry_t &e : entries) {
        const count_t &c = counts[e.name];
        accepted += c.accepted;
        refused += c.refused;
        if (c.accepted + c.refused == 0 && strcmp(e.name, "dnnl_set_verbose") &&
                strcmp(e.name, "dnnl_set_jit_dump")) {
            fprintf(stderr, "%s was never called\n", e.name);
            never++;
        }
    }
    printf("%ld accepted, %ld refused, %ld answers out of range\n", accepted, refused, bad_answers);
    return never || bad_answers || accepted == 0 || refused == 0;
}
