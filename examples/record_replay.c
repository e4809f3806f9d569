/* SPDX-License-Identifier: Apache-2.0 */
/* Records a small net into a regular command list, once, and runs the list a thousand times (or
 * as often as the argument says) on new data. Each result is the one that direct execution gave,
 * to the bit; what a run costs the host is one call instead of one for each primitive. Where the
 * device has mutable command lists, the same recording then runs with other buffers for input
 * and output, without copies. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dnnl_ze_recording.h"
#include "net.h"

enum { MAX_RUNS = 1000, CLASSES = 10, SIDE = 16, MAX_STEPS = 8, PIXELS = 3 * SIDE * SIDE };

typedef struct {
    step_t step[MAX_STEPS];
    int count;
    dnnl_memory_t last;     /* the result of the last step */
    float *pixels, *shares; /* input and output, which the host fills and reads */
} small_net_t;

static step_t *add_step(
        small_net_t *s, const char *name, dnnl_primitive_t primitive, dnnl_memory_t dst) {
    step_t *step = &s->step[s->count++];
    *step = (step_t){name, primitive, 2, {{DNNL_ARG_SRC, s->last}, {DNNL_ARG_DST, dst}}};
    s->last = dst;
    return step;
}

static void add_weights(
        net_t *net, step_t *step, dnnl_memory_desc_t plain, const_dnnl_memory_desc_t desc) {
    float *values;
    dnnl_memory_t host = net_host_memory(net, plain, &values);
    random_fill(values, desc_elements(plain), (uint64_t)desc_dims(plain)[0], -0.2f, 0.2f);
    step->args[step->nargs++] =
            (dnnl_exec_arg_t){DNNL_ARG_WEIGHTS, net_upload(net, host, desc, NULL, NULL)};
}

static void add_convolution(
        net_t *net, small_net_t *s, dnnl_dim_t in, dnnl_dim_t out, dnnl_dim_t side) {
    const dnnl_dims_t one = {1, 1}, none = {0, 0};
    dnnl_memory_desc_t weights = NET_DESC(net, dnnl_f32, dnnl_oihw, out, in, 3, 3);
    dnnl_post_ops_t relu = net_post_ops(net);
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_post_ops_append_eltwise(relu, dnnl_eltwise_relu, 0, 0));
    CHECK_DNNL(
            dnnl_convolution_forward_primitive_desc_create(&pd, net->engine, dnnl_forward_inference,
                    dnnl_convolution_direct, memory_desc(s->last), net_any(net, weights, dnnl_f32),
                    NULL, NET_DESC(net, dnnl_f32, dnnl_format_tag_any, 1, out, side, side), one,
                    none, one, one, net_attr(net, relu)));
    dnnl_primitive_t primitive = net_primitive(net, pd);
    step_t *step =
            add_step(s, "convolution", primitive, net_device_memory(net, chosen(pd, DNNL_ARG_DST)));
    add_weights(net, step, weights, chosen(pd, DNNL_ARG_WEIGHTS));
}

static void add_pooling(net_t *net, small_net_t *s) {
    const dnnl_dims_t two = {2, 2}, none = {0, 0};
    const dnnl_dim_t *from = desc_dims(memory_desc(s->last));
    dnnl_primitive_desc_t pd;
    CHECK_DNNL(dnnl_pooling_forward_primitive_desc_create(&pd, net->engine, dnnl_forward_inference,
            dnnl_pooling_max, memory_desc(s->last),
            NET_DESC(net, dnnl_f32, dnnl_format_tag_any, 1, from[1], from[2] / 2, from[3] / 2), two,
            two, none, none, none, NULL));
    dnnl_primitive_t primitive = net_primitive(net, pd);
    add_step(s, "pooling", primitive, net_device_memory(net, chosen(pd, DNNL_ARG_DST)));
}

static void build(net_t *net, small_net_t *s) {
    *s = (small_net_t){0};
    s->last =
            net_host_memory(net, NET_DESC(net, dnnl_f32, dnnl_nhwc, 1, 3, SIDE, SIDE), &s->pixels);
    add_convolution(net, s, 3, 16, SIDE);
    add_pooling(net, s);
    add_convolution(net, s, 16, 32, SIDE / 2);
    add_pooling(net, s);

    dnnl_primitive_desc_t pd;
    dnnl_memory_desc_t scores = NET_DESC(net, dnnl_f32, dnnl_nc, 1, CLASSES);
    dnnl_memory_desc_t weights =
            NET_DESC(net, dnnl_f32, dnnl_oihw, CLASSES, 32, SIDE / 4, SIDE / 4);
    CHECK_DNNL(dnnl_inner_product_forward_primitive_desc_create(&pd, net->engine,
            dnnl_forward_inference, memory_desc(s->last), net_any(net, weights, dnnl_f32), NULL,
            scores, NULL));
    step_t *step =
            add_step(s, "inner product", net_primitive(net, pd), net_device_memory(net, scores));
    add_weights(net, step, weights, chosen(pd, DNNL_ARG_WEIGHTS));

    CHECK_DNNL(dnnl_softmax_forward_primitive_desc_create(&pd, net->engine, dnnl_forward_inference,
            dnnl_softmax_accurate, scores, scores, 1, NULL));
    add_step(s, "softmax", net_primitive(net, pd), net_host_memory(net, scores, &s->shares));
    net_wait(net); /* for the weights */
}

/* The same call records or executes: the stream's list decides. */
static void run(const small_net_t *s, dnnl_stream_t stream) {
    for (int i = 0; i < s->count; i++)
        CHECK_DNNL(dnnl_primitive_execute(
                s->step[i].primitive, stream, s->step[i].nargs, s->step[i].args));
}

/* The list's descriptor in newer headers: ze_mutable_command_list_exp_desc_t. */
enum { MUTABLE_LIST = 0x00020016 };
typedef struct {
    ze_structure_type_t stype;
    const void *next;
    uint32_t flags;
} mutable_list_t;

/* Runs on two sets of input and output in turns; answers how many results differ. */
static int run_with_other_buffers(
        net_t *net, const small_net_t *s, int runs, const float expected[][CLASSES]) {
    const mutable_list_t is_mutable = {.stype = (ze_structure_type_t)MUTABLE_LIST};
    const ze_command_list_desc_t desc = {
            .stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, .pNext = &is_mutable};
    ze_command_list_handle_t list;
    dnnl_stream_t recorder;
    const ze_result_t result = zeCommandListCreate(net->app.context, net->app.device, &desc, &list);
    if (result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE) {
        printf("no mutable command lists\n");
        return 0;
    }
    CHECK_ZE(result);
    const dnnl_status_t status = dnnl_ze_recording_create(&recorder, net->engine, list, 0);
    if (status == dnnl_unimplemented) {
        printf("no mutable command lists whose kernels take other arguments\n");
        CHECK_ZE(zeCommandListDestroy(list));
        return 0;
    }
    CHECK_DNNL(status);
    run(s, recorder);
    CHECK_ZE(zeCommandListClose(list));

    float *pixels[] = {s->pixels, NULL}, *shares[] = {s->shares, NULL};
    const dnnl_memory_t input = s->step[0].args[0].memory;
    const const_dnnl_memory_t buffers[2][2] = {
            {input, s->last}, {net_host_memory(net, memory_desc(input), &pixels[1]),
                                      net_host_memory(net, memory_desc(s->last), &shares[1])}};
    ze_command_queue_handle_t queue = app_queue(&net->app);
    int wrong = 0;
    double host = 0;
    for (int i = 0; i < runs; i++) {
        const int set = i % 2;
        if (i > 0) {
            const double before = now_ms();
            CHECK_DNNL(dnnl_ze_recording_exchange(recorder, 2, buffers[!set], buffers[set]));
            CHECK_ZE(zeCommandListClose(list));
            host += now_ms() - before;
        }
        random_fill(pixels[set], PIXELS, (uint64_t)i, -1, 1);
        memset(pixels[!set], 0, PIXELS * sizeof(float));
        memset(shares[set], 0, CLASSES * sizeof(float));
        CHECK_ZE(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
        CHECK_ZE(zeCommandQueueSynchronize(queue, UINT64_MAX));
        wrong += memcmp(expected[i], shares[set], sizeof expected[i]) != 0;
    }
    printf("with other buffers: %.2f us of the host to exchange input and output, %d of %d results "
           "differ\n",
            host * 1e3 / (runs - 1), wrong, runs);
    CHECK_ZE(zeCommandListDestroy(list));
    CHECK_ZE(zeCommandQueueDestroy(queue));
    CHECK_DNNL(dnnl_stream_destroy(recorder));
    return wrong;
}

int main(int argc, char **argv) {
    const long wanted = argc > 1 ? strtol(argv[1], NULL, 10) : MAX_RUNS;
    const int runs = wanted > 1 && wanted < MAX_RUNS ? (int)wanted : MAX_RUNS;
    net_t net;
    small_net_t s;
    net_open(&net, 0);
    build(&net, &s);
    static float expected[MAX_RUNS][CLASSES];
    double host[2] = {0, 0}, total[2];

    /* Directly, on the immediate list. The first run is not counted: what is built at first use
     * is built there. */
    run(&s, net.stream);
    net_wait(&net);
    double start = now_ms();
    for (int i = 0; i < runs; i++) {
        random_fill(s.pixels, PIXELS, (uint64_t)i, -1, 1);
        const double before = now_ms();
        run(&s, net.stream);
        host[0] += now_ms() - before;
        net_wait(&net);
        memcpy(expected[i], s.shares, sizeof expected[i]);
    }
    total[0] = now_ms() - start;

    /* Recorded. Where the loader can tell what list it is (1.9), the library keeps the order of
     * the calls by itself; elsewhere it is an in-order list that does, or else the application's
     * own barriers. */
    int in_order;
    ze_command_list_handle_t list = app_regular_list(&net.app, &in_order);
    ze_command_queue_handle_t queue = app_queue(&net.app);
    dnnl_stream_t recorder;
    CHECK_DNNL(dnnl_ze_interop_stream_create(&recorder, net.engine, list, 0));
    for (int i = 0; i < s.count; i++) {
        CHECK_DNNL(dnnl_primitive_execute(
                s.step[i].primitive, recorder, s.step[i].nargs, s.step[i].args));
        if (!in_order) CHECK_ZE(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    }
    CHECK_ZE(zeCommandListClose(list));

    int wrong = 0, same = 0;
    start = now_ms();
    for (int i = 0; i < runs; i++) {
        random_fill(s.pixels, PIXELS, (uint64_t)i, -1, 1);
        const double before = now_ms();
        CHECK_ZE(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
        host[1] += now_ms() - before;
        CHECK_ZE(zeCommandQueueSynchronize(queue, UINT64_MAX));
        wrong += memcmp(expected[i], s.shares, sizeof expected[i]) != 0;
        same += i > 0 && !memcmp(expected[i], expected[i - 1], sizeof expected[i]);
    }
    total[1] = now_ms() - start;

    const char *how[] = {"direct", "replay"};
    printf("%d primitives, %d runs on %s\n", s.count, runs, net.app.properties.name);
    for (int i = 0; i < 2; i++)
        printf("%s: %.2f us of the host to submit a run, %.1f us from data to result\n", how[i],
                host[i] * 1e3 / runs, total[i] * 1e3 / runs);
    printf("%d of %d results differ from direct execution\n", wrong, runs);
    if (same)
        printf("%d results are those of the run before: the net does not see its input\n", same);

    wrong += run_with_other_buffers(&net, &s, runs, (const float(*)[CLASSES])expected);

    /* What was recorded uses the primitives, the memory and the stream: they go when the list
     * has run. */
    CHECK_ZE(zeCommandListDestroy(list));
    CHECK_ZE(zeCommandQueueDestroy(queue));
    CHECK_DNNL(dnnl_stream_destroy(recorder));
    net_close(&net);
    return wrong || same;
}
