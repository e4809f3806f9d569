// SPDX-License-Identifier: Apache-2.0
// The fault-injecting driver: wraps the tables of another driver. The headers are those of the
// loader it runs on.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <level_zero/ze_ddi.h>

extern "C" {
#include "fault_driver.h"
}

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

// finds: hands out entry points, which are wrapped as well.
enum class role { plain, makes, ends, finds };

// ---- which call fails ----

std::mutex lock; // guards everything down to `lists`
long calls_left; // 0: none fails
bool failing, lasting;
ze_result_t injected = ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
auto &objects = *new std::set<const void *>; // outlives all callers
auto &lists = *new std::set<const void *>;   // those objects that are command lists

// A walk, see fault_driver.h.
struct calls_t {
    int seen, failed; // in this attempt, in all
};
auto &walked = *new std::map<const char *, calls_t>; // names are literals
bool attempting, ends_fail;
int ends_failed;
const char *failed_in_attempt;

uint32_t loader_minor; // of the version of the specification that the loader speaks
int log_file = -1;
bool log_calls;

void log_line(const char *what, const char *text) {
    char line[160];
    const int n = std::snprintf(line, sizeof line, "%s %s\n", what, text);
    if (log_file >= 0 && write(log_file, line, static_cast<size_t>(n)) != n) std::abort();
}

// What the library does without: information it has a substitute for, and cleaning up, which cannot
// be undone.
bool is_spared(const char *name) {
    static const char *const names[] = {"zeDriverGetExtensionProperties", "zeEventQueryStatus",
            "zeInitDrivers", "zeCommandListIsImmediate", "zeCommandListGetContextHandle",
            "zeCommandListGetDeviceHandle", "zeDriverGetProperties", "zeDeviceGetSubDevices",
            "zeDeviceCanAccessPeer", "zeModuleBuildLogGetString", "zeEventHostReset",
            "zeDriverGetExtensionFunctionAddress", "zeCommandListImmediateGetFlags"};
    for (const char *spared : names)
        if (!std::strcmp(name, spared)) return true;
    // Newer loaders put the drivers in order by what they ask of each, and do without the answer as
    // well.
    return loader_minor > 4 &&
           (!std::strcmp(name, "zeDeviceGet") || !std::strcmp(name, "zeDeviceGetProperties"));
}

bool fails_in_attempt(const char *name) {
    calls_t &calls = walked[name];
    if (failed_in_attempt || ++calls.seen <= calls.failed) return false;
    calls.failed++;
    failed_in_attempt = name;
    return true;
}

// ZE_RESULT_SUCCESS, or the result of a call that is to fail.
ze_result_t next_call(const char *name, role r) {
    const std::lock_guard<std::mutex> guard(lock);
    if (log_calls) log_line("call", name);
    const bool spared = r == role::ends || is_spared(name);
    if (ends_fail) {
        if (r != role::ends) return ZE_RESULT_SUCCESS;
        failed_in_attempt = name;
        ends_failed++;
        return injected;
    }
    if (attempting) return !spared && fails_in_attempt(name) ? injected : ZE_RESULT_SUCCESS;
    if (calls_left > 0 && --calls_left == 0) {
        failing = true;
        if (!log_calls) log_line(spared ? "spared" : "failed", name);
    }
    const bool fails = failing;
    failing = failing && lasting;
    return fails ? injected : ZE_RESULT_SUCCESS;
}

void made(const void *object, bool is_list) {
    const std::lock_guard<std::mutex> guard(lock);
    objects.insert(object);
    if (is_list) lists.insert(object);
}

// An object that is not there any more must never be ended: the other driver would not survive it.
void ended(const char *name, const void *object) {
    const std::lock_guard<std::mutex> guard(lock);
    lists.erase(object);
    if (objects.erase(object)) return;
    std::fprintf(stderr, "%s of %p, which does not exist\n", name, object);
    std::abort();
}

// ---- wrapping ----

template <typename Table> Table real; // what the other driver put into the loader's table

template <typename T> const void *object_of(T argument) {
    if constexpr (std::is_pointer_v<T>) return argument;
    else return nullptr;
}

void *wrapped_entry(const char *name, void *other);

// A lost device runs nothing any more, so the program may free memory that its commands use. The
// other driver goes on: its lists get a second each for what they have begun.
void finish_other_driver() {
    constexpr uint64_t second_ns = 1000000000;
    const ze_driver_dditable_t &of_driver = real<ze_driver_dditable_t>;
    uint32_t n = 1;
    ze_driver_handle_t driver;
    ze_result_t (*synchronize)(const void *list, uint64_t timeout_ns);
    void *entry; // old headers lack it in the table of lists
    if (of_driver.pfnGet(&n, &driver) != ZE_RESULT_SUCCESS || !n) return;
    if (of_driver.pfnGetExtensionFunctionAddress(driver, "zeCommandListHostSynchronize", &entry) !=
            ZE_RESULT_SUCCESS)
        return;
    std::memcpy(&synchronize, &entry, sizeof entry);
    const std::lock_guard<std::mutex> guard(lock);
    for (const void *list : lists) synchronize(list, second_ns);
    lists.clear();
}

template <auto Field, role Role, typename Entry> struct wrapper;

template <typename Table, typename... Args, ze_result_t (ZE_APICALL *Table::*Field)(Args...),
        role Role, typename Entry>
struct wrapper<Field, Role, Entry> {
    static ze_result_t ZE_APICALL call(Args... args) {
        const ze_result_t fault = next_call(Entry::name(), Role);
        if (fault != ZE_RESULT_SUCCESS && lasting) finish_other_driver();
        if (fault != ZE_RESULT_SUCCESS && Role != role::ends) return fault;
        const std::tuple<Args...> all(args...);
        if constexpr (Role == role::ends)
            ended(Entry::name(), object_of(std::get<sizeof...(Args) - 1>(all)));
        const ze_result_t result = (real<Table>.*Field)(args...);
        if constexpr (Role == role::makes) note_made(result, all);
        if constexpr (Role == role::finds)
            if (result == ZE_RESULT_SUCCESS) return wrap_found(std::get<1>(all), std::get<2>(all));
        return fault != ZE_RESULT_SUCCESS ? fault : result;
    }

    static ze_result_t wrap_found(const char *name, void **entry) {
        *entry = wrapped_entry(name, *entry);
        return *entry ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }

    // What is made comes out of the last argument; of a module, a log comes out as well, if it was
    // built or not.
    static void note_made(ze_result_t result, const std::tuple<Args...> &all) {
        constexpr size_t last = sizeof...(Args) - 1;
        constexpr bool module = std::is_same_v<std::tuple_element_t<last, std::tuple<Args...>>,
                ze_module_build_log_handle_t *>;
        constexpr bool is_list = std::is_same_v<std::tuple_element_t<last, std::tuple<Args...>>,
                ze_command_list_handle_t *>;
        if (module && std::get<last>(all) && *std::get<last>(all))
            made(*std::get<last>(all), false);
        if (result == ZE_RESULT_SUCCESS) made(*std::get<module ? last - 1 : last>(all), is_list);
    }
};

template <typename Table> using fill_t = ze_result_t (*)(ze_api_version_t, Table *);

} // namespace

extern "C" void *other_driver(const char *symbol) {
    static void *const library = [] {
        const char *path = std::getenv("ZE_FAULT_DRIVER");
        void *handle = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
        if (!handle) std::fprintf(stderr, "ZE_FAULT_DRIVER: %s\n", path ? dlerror() : "not set");
        return handle;
    }();
    return library ? dlsym(library, symbol) : nullptr;
}

namespace {

template <typename Table>
ze_result_t fill(const char *symbol, ze_api_version_t version, Table *table) {
    void *entry = other_driver(symbol);
    fill_t<Table> get;
    loader_minor = ZE_MINOR_VERSION(version);
    std::memcpy(&get, &entry, sizeof get);
    const ze_result_t result = get ? get(version, table) : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    if (result == ZE_RESULT_SUCCESS) real<Table> = *table;
    return result;
}

// Entries that these headers do not have yet are left out.
#define CALL(Role, Group, Name)                                                                    \
    [](auto *t) {                                                                                  \
        if constexpr (requires { t->pfn##Name; }) {                                                \
            struct entry {                                                                         \
                static const char *name() {                                                        \
                    return "ze" #Group #Name;                                                      \
                }                                                                                  \
            };                                                                                     \
            using table_t = std::remove_pointer_t<decltype(t)>;                                    \
            if (t->pfn##Name)                                                                      \
                t->pfn##Name = wrapper<&table_t::pfn##Name, role::Role, entry>::call;              \
        }                                                                                          \
    }

template <typename Table, typename... Calls> void wrap(Table *table, Calls... calls) {
    (calls(table), ...);
}

} // namespace

// ---- entry points that are handed out one by one, for loaders that are too old to have them ----

namespace {

struct group_size_t { // ze_group_size_t of newer headers
    uint32_t x, y, z;
};

struct found_t {
    ze_result_t(ZE_APICALL *pfnIsImmediate)(ze_command_list_handle_t, ze_bool_t *);
    ze_result_t(ZE_APICALL *pfnImmediateGetFlags)(
            ze_command_list_handle_t, ze_command_queue_flags_t *);
    ze_result_t(ZE_APICALL *pfnAppendLaunchKernelWithArguments)(ze_command_list_handle_t,
            ze_kernel_handle_t, ze_group_count_t, group_size_t, void **, const void *,
            ze_event_handle_t, uint32_t, ze_event_handle_t *);
};

// NULL for one that is not known here: what it does would go past this driver.
void *wrapped_entry(const char *name, void *other) {
    found_t table = {};
#define FOUND(Role, Group, Name)                                                                   \
    if (!std::strcmp(name, "ze" #Group #Name)) {                                                   \
        std::memcpy(&real<found_t>.pfn##Name, &other, sizeof other);                               \
        table.pfn##Name = real<found_t>.pfn##Name;                                                 \
        CALL(Role, Group, Name)(&table);                                                           \
        std::memcpy(&other, &table.pfn##Name, sizeof other);                                       \
        return other;                                                                              \
    }
    FOUND(plain, CommandList, IsImmediate)
    FOUND(plain, CommandList, ImmediateGetFlags)
    FOUND(plain, CommandList, AppendLaunchKernelWithArguments)
    return nullptr;
}

} // namespace

// ---- tables ----

#define TABLE(Group, type, ...)                                                                    \
    EXPORT ze_result_t zeGet##Group##ProcAddrTable(ze_api_version_t version, type *table) {        \
        const ze_result_t result = fill("zeGet" #Group "ProcAddrTable", version, table);           \
        if (result == ZE_RESULT_SUCCESS) wrap(table, __VA_ARGS__);                                 \
        return result;                                                                             \
    }

TABLE(Global, ze_global_dditable_t, CALL(plain, , Init), CALL(plain, , InitDrivers))

TABLE(Driver, ze_driver_dditable_t, CALL(plain, Driver, Get), CALL(plain, Driver, GetApiVersion),
        CALL(plain, Driver, GetProperties), CALL(plain, Driver, GetExtensionProperties),
        CALL(finds, Driver, GetExtensionFunctionAddress))

TABLE(Device, ze_device_dditable_t, CALL(plain, Device, Get), CALL(plain, Device, GetSubDevices),
        CALL(plain, Device, GetProperties), CALL(plain, Device, GetComputeProperties),
        CALL(plain, Device, GetModuleProperties),
        CALL(plain, Device, GetCommandQueueGroupProperties),
        CALL(plain, Device, GetMemoryProperties), CALL(plain, Device, GetMemoryAccessProperties),
        CALL(plain, Device, GetCacheProperties), CALL(plain, Device, GetP2PProperties),
        CALL(plain, Device, CanAccessPeer), CALL(plain, Device, GetStatus),
        CALL(plain, Device, GetGlobalTimestamps), CALL(plain, Device, GetRootDevice))

TABLE(Context, ze_context_dditable_t, CALL(makes, Context, Create), CALL(makes, Context, CreateEx),
        CALL(ends, Context, Destroy), CALL(plain, Context, GetStatus),
        CALL(plain, Context, MakeMemoryResident), CALL(plain, Context, EvictMemory))

TABLE(CommandQueue, ze_command_queue_dditable_t, CALL(makes, CommandQueue, Create),
        CALL(ends, CommandQueue, Destroy), CALL(plain, CommandQueue, ExecuteCommandLists),
        CALL(plain, CommandQueue, Synchronize))

TABLE(CommandList, ze_command_list_dditable_t, CALL(makes, CommandList, Create),
        CALL(makes, CommandList, CreateImmediate), CALL(ends, CommandList, Destroy),
        CALL(plain, CommandList, Close), CALL(plain, CommandList, Reset),
        CALL(plain, CommandList, AppendWriteGlobalTimestamp),
        CALL(plain, CommandList, AppendBarrier),
        CALL(plain, CommandList, AppendMemoryRangesBarrier),
        CALL(plain, CommandList, AppendMemoryCopy), CALL(plain, CommandList, AppendMemoryFill),
        CALL(plain, CommandList, AppendMemoryCopyRegion),
        CALL(plain, CommandList, AppendSignalEvent), CALL(plain, CommandList, AppendWaitOnEvents),
        CALL(plain, CommandList, AppendEventReset),
        CALL(plain, CommandList, AppendQueryKernelTimestamps),
        CALL(plain, CommandList, AppendLaunchKernel),
        CALL(plain, CommandList, AppendLaunchCooperativeKernel),
        CALL(plain, CommandList, AppendLaunchKernelIndirect),
        CALL(plain, CommandList, AppendLaunchKernelWithArguments),
        CALL(plain, CommandList, AppendLaunchKernelWithParameters),
        CALL(plain, CommandList, HostSynchronize), CALL(plain, CommandList, GetDeviceHandle),
        CALL(plain, CommandList, GetContextHandle), CALL(plain, CommandList, GetOrdinal),
        CALL(plain, CommandList, IsImmediate))

TABLE(Event, ze_event_dditable_t, CALL(makes, Event, Create), CALL(ends, Event, Destroy),
        CALL(plain, Event, HostSignal), CALL(plain, Event, HostSynchronize),
        CALL(plain, Event, QueryStatus), CALL(plain, Event, HostReset),
        CALL(plain, Event, QueryKernelTimestamp), CALL(makes, Event, CounterBasedCreate))

TABLE(EventPool, ze_event_pool_dditable_t, CALL(makes, EventPool, Create),
        CALL(ends, EventPool, Destroy))

TABLE(Fence, ze_fence_dditable_t, CALL(makes, Fence, Create), CALL(ends, Fence, Destroy),
        CALL(plain, Fence, HostSynchronize), CALL(plain, Fence, QueryStatus),
        CALL(plain, Fence, Reset))

TABLE(Kernel, ze_kernel_dditable_t, CALL(makes, Kernel, Create), CALL(ends, Kernel, Destroy),
        CALL(plain, Kernel, SetCacheConfig), CALL(plain, Kernel, SetGroupSize),
        CALL(plain, Kernel, SuggestGroupSize), CALL(plain, Kernel, SetArgumentValue),
        CALL(plain, Kernel, SetIndirectAccess), CALL(plain, Kernel, GetProperties),
        CALL(plain, Kernel, GetName))

TABLE(Mem, ze_mem_dditable_t, CALL(makes, Mem, AllocShared), CALL(makes, Mem, AllocDevice),
        CALL(makes, Mem, AllocHost), CALL(ends, Mem, Free), CALL(ends, Mem, FreeExt),
        CALL(plain, Mem, GetAllocProperties), CALL(plain, Mem, GetAddressRange))

TABLE(Module, ze_module_dditable_t, CALL(makes, Module, Create), CALL(ends, Module, Destroy),
        CALL(plain, Module, GetNativeBinary), CALL(plain, Module, GetKernelNames),
        CALL(plain, Module, GetProperties))

TABLE(ModuleBuildLog, ze_module_build_log_dditable_t, CALL(ends, ModuleBuildLog, Destroy),
        CALL(plain, ModuleBuildLog, GetString))

// ---- controls ----

namespace {

void begin_walk() {
    const std::lock_guard<std::mutex> guard(lock);
    walked.clear();
}

void attempt(ze_result_t result) {
    const std::lock_guard<std::mutex> guard(lock);
    for (auto &calls : walked) calls.second.seen = 0;
    injected = result;
    failed_in_attempt = nullptr;
    attempting = true;
}

const char *end_attempt() {
    const std::lock_guard<std::mutex> guard(lock);
    attempting = ends_fail = false;
    return failed_in_attempt;
}

void fail_ends(ze_result_t result) {
    const std::lock_guard<std::mutex> guard(lock);
    injected = result;
    failed_in_attempt = nullptr;
    ends_fail = true;
    ends_failed = 0;
}

int count_ends() {
    const std::lock_guard<std::mutex> guard(lock);
    return ends_failed;
}

long live() {
    const std::lock_guard<std::mutex> guard(lock);
    return static_cast<long>(objects.size());
}

const fault_control_t control = {begin_walk, attempt, end_attempt, fail_ends, count_ends, live};

long setting(const char *name, long otherwise) {
    const char *text = std::getenv(name);
    return text && *text ? std::strtol(text, nullptr, 0) : otherwise;
}

__attribute__((constructor)) void begin() {
    const char *path = std::getenv("ZE_FAULT_LOG");
    if (path) log_file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    calls_left = setting("ZE_FAULT_AT", 0);
    injected = static_cast<ze_result_t>(
            setting("ZE_FAULT_RESULT", ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY));
    lasting = setting("ZE_FAULT_LASTS", 0) != 0;
    log_calls = path && !calls_left;
}

__attribute__((destructor)) void end() {
    log_line("live", std::to_string(live()).c_str());
}

} // namespace

EXPORT const fault_control_t *fault_control(void) {
    return &control;
}
