/* SPDX-License-Identifier: Apache-2.0 */
/* Who owns what, in one page: the application makes Level Zero objects, the library wraps them
 * and destroys only what it made itself. */
#include <stdio.h>

#include "common.h"
#include "dnnl_ze.h"

enum { N = 1000 };

int main(void) {
    /* The application's own objects. The library stores these handles and never destroys them. */
    app_t app;
    app_open(&app);
    ze_command_list_handle_t list = app_immediate_list(&app);
    float *x = app_alloc_host(&app, N * sizeof(float));
    for (int i = 0; i < N; i++) x[i] = (float)(i - N / 2);

    /* Wrappers. An engine holds driver, device and context; a stream holds the list; a memory
     * holds the pointer. */
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_memory_desc_t md;
    dnnl_memory_t src, dst;
    CHECK_DNNL(dnnl_ze_interop_engine_create(&engine, app.driver, app.device, app.context));
    CHECK_DNNL(dnnl_ze_interop_stream_create(&stream, engine, list, 0));
    CHECK_DNNL(dnnl_memory_desc_create_with_tag(&md, 1, (dnnl_dims_t){N}, dnnl_f32, dnnl_a));
    CHECK_DNNL(dnnl_ze_interop_memory_create(&src, md, engine, 1, (void *[]){x}));
    /* With DNNL_MEMORY_ALLOCATE the library allocates device memory, owns it, and frees it with
     * the memory object. */
    CHECK_DNNL(
            dnnl_ze_interop_memory_create(&dst, md, engine, 1, (void *[]){DNNL_MEMORY_ALLOCATE}));

    /* A descriptor may go as soon as a primitive is made of it: objects keep what they need. */
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t relu;
    CHECK_DNNL(dnnl_eltwise_forward_primitive_desc_create(
            &pd, engine, dnnl_forward_inference, dnnl_eltwise_relu, md, md, 0, 0, NULL));
    CHECK_DNNL(dnnl_primitive_create(&relu, pd));
    CHECK_DNNL(dnnl_primitive_desc_destroy(pd));
    CHECK_DNNL(dnnl_memory_desc_destroy(md));

    /* The returned event belongs to the stream: valid until the stream is destroyed, and not to
     * be destroyed by the application. */
    dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
    ze_event_handle_t done;
    CHECK_DNNL(dnnl_ze_interop_primitive_execute(relu, stream, 2, args, 0, NULL, &done));
    CHECK_ZE(zeEventHostSynchronize(done, UINT64_MAX));

    /* Mapping shows device memory to the host; unmapping gives it back. */
    float *y;
    int wrong = 0;
    CHECK_DNNL(dnnl_memory_map_data(dst, (void **)&y));
    for (int i = 0; i < N; i++) wrong += y[i] != (x[i] > 0 ? x[i] : 0);
    CHECK_DNNL(dnnl_memory_unmap_data(dst, y));

    /* Library objects in any order, then the application's: list, memory, context. */
    CHECK_DNNL(dnnl_primitive_destroy(relu));
    CHECK_DNNL(dnnl_memory_destroy(src));
    CHECK_DNNL(dnnl_memory_destroy(dst));
    CHECK_DNNL(dnnl_stream_destroy(stream));
    CHECK_DNNL(dnnl_engine_destroy(engine));
    CHECK_ZE(zeCommandListDestroy(list));
    app_free(&app, x);
    app_close(&app);
    printf("%d of %d values wrong\n", wrong, N);
    return wrong != 0;
}
