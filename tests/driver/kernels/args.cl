/* SPDX-License-Identifier: Apache-2.0 */
/* One kernel for each kind of argument; each writes down what it was given. */

kernel void scalars(global long *out, char c, uchar uc, short s, ushort us, int i, uint ui, long l,
        ulong ul, global float *fout, float f) {
    out[0] = c;
    out[1] = uc;
    out[2] = s;
    out[3] = us;
    out[4] = i;
    out[5] = ui;
    out[6] = l;
    out[7] = (long)ul;
    fout[0] = f;
}

kernel void vectors(global int *out, char2 a, short4 b, int3 c, float4 d, int16 e) {
    out[0] = a.x + 2 * a.y;
    out[1] = b.x + 2 * b.y + 4 * b.z + 8 * b.w;
    out[2] = c.x + 2 * c.y + 4 * c.z;
    out[3] = (int)(d.x + 2 * d.y + 4 * d.z + 8 * d.w);
    out[4] = e.s0 + e.s7 + e.sf;
}

typedef struct {
    int a;
    long b;
    float c[3];
    uchar d[5];
} record_t;

kernel void structure(global long *out, record_t r, int after) {
    out[0] = r.a;
    out[1] = r.b;
    out[2] = (long)(r.c[0] + 10 * r.c[1] + 100 * r.c[2]);
    out[3] = r.d[0] + r.d[4];
    out[4] = after;
}

/* Two local arrays of the caller's sizes: were they to overlap, the sum would be wrong. */
kernel void local_memory(global uint *out, local uint *a, local uint *b, uint n) {
    uint i = get_local_id(0);
    if (i < n) {
        a[i] = i + 1;
        b[i] = 1000 * (i + 1);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0) {
        uint sum = 0;
        for (uint j = 0; j < n; j++) sum += a[j] + b[j];
        out[get_group_id(0)] = sum;
    }
}

kernel void null_pointer(global uint *out, global const uint *maybe, constant uint *table) {
    out[0] = maybe ? maybe[0] : 77;
    out[1] = table ? table[1] : 88;
}

/* Asks for bytes that may be anywhere, before and after a store. */
kernel void ask_ahead(global uint *out, ulong offset) {
    prefetch((global const char *)out + offset, 1);
    out[get_global_id(0)] = 1 + get_global_id(0);
    prefetch((global const char *)out + offset, 1);
}
