/* SPDX-License-Identifier: Apache-2.0 */
/* Mutable command lists: recorded kernels take other arguments and group counts between runs. */
#include "ze_test.h"

/* Declarations that older headers lack. */
typedef struct {
    ze_structure_type_t stype;
    const void *next;
    uint32_t flags;
} desc_t;
typedef struct {
    ze_structure_type_t stype;
    void *next;
    uint32_t list_flags, command_flags;
} properties_t;
typedef struct {
    ze_structure_type_t stype;
    const void *next;
    uint64_t id;
    uint32_t index;
    size_t size;
    const void *value;
} argument_t;
typedef struct {
    ze_structure_type_t stype;
    const void *next;
    uint64_t id;
    const ze_group_count_t *groups;
} groups_t;
enum {
    STYPE_PROPERTIES = 0x00020015,
    STYPE_LIST,
    STYPE_ID,
    STYPE_COMMANDS,
    STYPE_ARGUMENT,
    STYPE_GROUPS
};
enum { ARGUMENTS = 1, GROUPS = 2 };
#define STYPE(name) .stype = (ze_structure_type_t)STYPE_##name

typedef ze_result_t (*next_id_t)(void *, const desc_t *, uint64_t *);
typedef ze_result_t (*update_t)(void *, const desc_t *);
static next_id_t next_id;
static update_t update;
static bool raw_next, raw_update;
static ze_module_handle_t module;
static ze_kernel_handle_t set;
static ze_command_list_handle_t list;
static ze_command_queue_handle_t q;
enum { N = 8 };
static uint32_t *x, *y;

static int setup_group(void **state) {
    (void)state;
    next_id = (next_id_t)newer_function("zeCommandListGetNextCommandIdExp", &raw_next);
    update = (update_t)newer_function("zeCommandListUpdateMutableCommandsExp", &raw_update);
    module = load_module("basic");
    set = get_kernel(module, "set"); /* x[global id] = value */
    x = usm(USM_SHARED, N * sizeof *x);
    y = usm(USM_SHARED, N * sizeof *y);
    q = queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    return 0;
}

static int teardown_group(void **state) {
    (void)state;
    usm_free(x);
    usm_free(y);
    return zeCommandQueueDestroy(q) || zeKernelDestroy(set) || zeModuleDestroy(module);
}

static int setup(void **state) {
    (void)state;
    const desc_t mutable_desc = {STYPE(LIST)};
    const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
            .pNext = &mutable_desc,
            .commandQueueGroupOrdinal = zt.ordinal};
    memset(x, 0, N * sizeof *x);
    memset(y, 0, N * sizeof *y);
    return zeCommandListCreate(zt.context, zt.device, &desc, &list) != ZE_RESULT_SUCCESS;
}

static int teardown(void **state) {
    (void)state;
    return zeCommandListDestroy(list) != ZE_RESULT_SUCCESS;
}

static void need(uint32_t flags) {
    properties_t more = {STYPE(PROPERTIES)};
    ze_device_properties_t properties = {
            .stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, .pNext = &more};
    assert_ok(zeDeviceGetProperties(zt.device, &properties));
    skip_unless(next_id && update && (more.command_flags & flags) == flags,
            "the device has no such lists");
}

static ze_result_t number(ze_command_list_handle_t of, uint64_t *id) {
    const desc_t desc = {STYPE(ID), .flags = ARGUMENTS};
    return next_id(raw_next ? raw_handle(ZEL_HANDLE_COMMAND_LIST, of) : of, &desc, id);
}

static ze_result_t update_with(const void *chain) {
    const desc_t desc = {STYPE(COMMANDS), .next = chain};
    return update(raw_update ? raw_handle(ZEL_HANDLE_COMMAND_LIST, list) : list, &desc);
}

/* set(to, value), between barriers. */
static uint64_t record(uint32_t *to, uint32_t value) {
    uint64_t id = 0;
    assert_ok(number(list, &id));
    set_pointer(set, 0, to);
    set_value(set, 1, uint32_t, value);
    launch(list, set, 1, NULL, 0, NULL);
    assert_ok(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    return id;
}

static void run(void) {
    assert_ok(zeCommandListClose(list));
    assert_ok(zeCommandQueueExecuteCommandLists(q, 1, &list, NULL));
    assert_ok(zeCommandQueueSynchronize(q, NEVER));
}

static void kernels_take_other_arguments(void **state) {
    (void)state;
    need(ARGUMENTS);
    const uint64_t first = record(x, 1), second = record(x + 1, 2);
    run();
    assert_true(x[0] == 1 && x[1] == 2 && y[0] == 0 && y[1] == 0);
    for (uint32_t turn = 0; turn < 100; turn++) {
        uint32_t *to[] = {turn % 2 ? x : y, turn % 2 ? y + 1 : x + 1}, value = turn + 10;
        const argument_t two = {STYPE(ARGUMENT), NULL, first, 1, sizeof value, &value};
        const argument_t one = {STYPE(ARGUMENT), &two, second, 0, sizeof(void *), &to[1]};
        const argument_t zero = {STYPE(ARGUMENT), &one, first, 0, sizeof(void *), &to[0]};
        memset(x, 0, 2 * sizeof *x);
        memset(y, 0, 2 * sizeof *y);
        assert_ok(update_with(&zero));
        run();
        assert_int_equal(to[0][0], value);
        assert_int_equal(to[1][0], 2);
        assert_int_equal(x[0] + x[1] + y[0] + y[1], value + 2);
    }
}

static void kernels_run_more_groups(void **state) {
    (void)state;
    need(GROUPS);
    const ze_group_count_t groups = {N, 1, 1};
    const uint64_t id = record(x, 7);
    run();
    assert_true(x[0] == 7 && x[1] == 0);
    const groups_t more = {STYPE(GROUPS), NULL, id, &groups};
    assert_ok(update_with(&more));
    run();
    for (int i = 0; i < N; i++) assert_int_equal(x[i], 7);
}

static void bad_changes_change_nothing(void **state) {
    (void)state;
    need(ARGUMENTS);
    skip_unless_checked();
    uint64_t id, none;
    ze_command_list_handle_t plain = regular_list();
    assert_refused(number(plain, &none));
    assert_ok(zeCommandListDestroy(plain));
    id = record(x, 3);
    assert_ok(zeCommandListClose(list));
    assert_refused(number(list, &none));
    const argument_t good = {STYPE(ARGUMENT), NULL, id, 0, sizeof(void *), &y};
    const argument_t bad[] = {{STYPE(ARGUMENT), &good, id + 1, 0, sizeof(void *), &y},
            {STYPE(ARGUMENT), &good, 0, 0, sizeof(void *), &y},
            {STYPE(ARGUMENT), &good, id, 2, sizeof(void *), &y},
            {STYPE(ARGUMENT), &good, id, 0, 4, &y}, {STYPE(ARGUMENT), &good, id, 1, 4, NULL},
            {.stype = (ze_structure_type_t)STYPE_PROPERTIES, .next = &good}};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_refused(update_with(&bad[i]));
        const argument_t behind = {STYPE(ARGUMENT), &bad[i], id, 0, sizeof(void *), &y};
        assert_refused(update_with(&behind));
    }
    run();
    assert_true(x[0] == 3 && y[0] == 0);
    /* What was changed is not run before it is closed again; a list that was reset knows no
     * numbers. */
    assert_ok(update_with(&good));
    assert_refused(zeCommandQueueExecuteCommandLists(q, 1, &list, NULL));
    run();
    assert_int_equal(y[0], 3);
    assert_ok(zeCommandListReset(list));
    assert_refused(update_with(&good));
}

#define TEST_WITH_LIST(function) {#function, function, setup, teardown, NULL}

int main(void) {
    const struct CMUnitTest lists[] = {TEST_WITH_LIST(kernels_take_other_arguments),
            TEST_WITH_LIST(kernels_run_more_groups), TEST_WITH_LIST(bad_changes_change_nothing)};
    return RUN_TESTS_WITH(lists, setup_group, teardown_group);
}
