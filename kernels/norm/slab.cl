/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalization in training where each mean is over many images: a work-group reads all that
 * a mean is taken over, and then once more for the results. It does several means in turn. The
 * second reading goes backwards, from what was read last and may still be in a cache. */
#include "io.h"
#include "norm_params.h"
#include "sg_pieces.h"

SPEC_GETTER(norm_flags, SPEC_NORM_FLAGS, 0)

/* Vectors of 4 that a work-item reads before it uses them. */
enum { AT_ONCE = 4 };

typedef struct {
    float count, mean, square; /* square: sum of squared distances from the mean */
} part_t;

static inline part_t join(part_t a, part_t b) {
    const float n = a.count + b.count, share = n > 0 ? b.count / n : 0, apart = b.mean - a.mean;
    const float square = a.square + b.square + apart * apart * a.count * share;
    return (part_t){n, fma(apart, share, a.mean), square};
}

static inline part_t across(part_t x, __local part_t *place) {
    const int item = get_local_id(0);
    place[item] = x;
    for (int n = SLAB_ITEMS / 2; n > 0; n /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < n) place[item] = join(place[item], place[item + n]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    x = place[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return x;
}

/* The position of a work-item among the vectors of a mean: image, and vector of the image. */
typedef struct {
    int images, vectors; /* of each */
    int image, vector;
} place_t;

static inline place_t first_place(const norm_params_t *p) {
    const int item = get_local_id(0);
    place_t x;
    x.images = p->nd.size[sg_loops() + 1];
    x.vectors = p->nd.size[sg_loops() + 2] / 4;
    x.image = item / x.vectors;
    x.vector = item - x.image * x.vectors;
    return x;
}
static inline void go_on(place_t *x, int images, int vectors) {
    x->vector += vectors;
    x->image += images;
    if (x->vector >= x->vectors) {
        x->vector -= x->vectors;
        x->image++;
    } else if (x->vector < 0) {
        x->vector += x->vectors;
        x->image--;
    }
}
static inline bool is_there(const place_t *x) {
    return x->image >= 0 && x->image < x->images;
}

static inline float4 read_4(gcptr_t src, long i, bool aligned) {
    __global const float *p = (__global const float *)src + i;
    if (aligned) return *(__global const float4 *)p;
    return (float4)(p[0], p[1], p[2], p[3]);
}
static inline void write_4(float4 x, gptr_t dst, long i, bool aligned) {
    __global float *p = (__global float *)dst + i;
    if (aligned) {
        *(__global float4 *)p = x;
        return;
    }
    p[0] = x.s0, p[1] = x.s1, p[2] = x.s2, p[3] = x.s3;
}

/* Of AT_ONCE vectors, the first n of which are there. */
static inline part_t part_of(const float4 *x, int n) {
    float4 sum = 0, square = 0;
    UNROLL_FOR (int i = 0; i < AT_ONCE; i++) sum += x[i];
    const float count = 4 * n, mean = n ? (sum.s0 + sum.s1 + (sum.s2 + sum.s3)) / count : 0;
    UNROLL_FOR (int i = 0; i < AT_ONCE; i++) {
        const float4 apart = i < n ? x[i] - mean : (float4)(0);
        square += apart * apart;
    }
    return (part_t){count, mean, square.s0 + square.s1 + (square.s2 + square.s3)};
}

__attribute__((reqd_work_group_size(SLAB_ITEMS, 1, 1))) __kernel void norm_slab(gcptr_t src,
        gptr_t dst, __global float *means, __global float *variances, __global const float *scale,
        __global const float *shift, __global float *parts, const norm_params_t p, PO_ARGS) {
    __local part_t places[SLAB_ITEMS];
    const po_ctx_t ctx = PO_CTX;
    (void)ctx, (void)parts, (void)po; /* there is no epilogue, and there are no parts */
    const int loops = sg_loops();
    const long src_image = p.nd.src_stride[loops + 1], dst_image = p.nd.dst_stride[loops + 1];
    const bool aligned = (((ulong)src | (ulong)dst) & 15) == 0;
    const place_t begin = first_place(&p);
    const int images = SLAB_ITEMS / begin.vectors, vectors = SLAB_ITEMS % begin.vectors;
    NO_UNROLL_FOR (uint row = get_group_id(0); row < (uint)p.nd.nrows; row += get_num_groups(0)) {
        const sg_row_t r = sg_row_number(&p.nd, row);
        const long from = sg_row_at(&r, p.nd.src_stride), to = sg_row_at(&r, p.nd.dst_stride);
        long stat_at = 0, weight_at = 0;
        EACH (d, loops, PAR_MAX_DIMS) {
            stat_at += (long)r.pos[d] * p.stat_stride[d];
            weight_at += (long)r.pos[d] * p.weight_stride[d];
        }
        place_t at = begin;
        part_t all; /* without an initialiser, which would be constant data */
        all.count = all.mean = all.square = 0;
        float4 x[AT_ONCE];
        NO_UNROLL_FOR (; is_there(&at);) {
            int n = 0;
            UNROLL_FOR (int i = 0; i < AT_ONCE; i++) {
                const bool there = is_there(&at);
                x[i] = there ? read_4(src, from + at.image * src_image + 4 * at.vector, aligned)
                             : (float4)(0);
                n += there;
                go_on(&at, images, vectors);
            }
            all = join(all, part_of(x, n));
        }
        all = across(all, places);
        const float variance = all.square / p.count;
        if ((norm_flags() & NORM_SAVE) && get_local_id(0) == 0) {
            means[stat_at] = all.mean;
            variances[stat_at] = variance;
        }
        float factor = 1 / sqrt(variance + p.epsilon);
        if (norm_flags() & NORM_SCALE) factor *= scale[weight_at];
        const float offset = norm_flags() & NORM_SHIFT ? shift[weight_at] : 0;
        NO_UNROLL_FOR (; at.image >= 0;) {
            place_t back = at;
            UNROLL_FOR (int i = 0; i < AT_ONCE; i++) {
                go_on(&back, -images, -vectors);
                if (is_there(&back))
                    x[i] = read_4(src, from + back.image * src_image + 4 * back.vector, aligned);
            }
            UNROLL_FOR (int i = 0; i < AT_ONCE; i++) {
                go_on(&at, -images, -vectors);
                if (is_there(&at))
                    write_4((x[i] - all.mean) * factor + offset, dst,
                            to + at.image * dst_image + 4 * at.vector, aligned);
            }
        }
    }
}
