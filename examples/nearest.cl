/* SPDX-License-Identifier: Apache-2.0 */
/* The application's own kernel: for each row of `distance`, the column of the smallest value and
 * that column's label. */
kernel void nearest(global const float *distance, global const uchar *label, int columns,
        global int *index, global int *predicted) {
    size_t row = get_global_id(0);
    global const float *d = distance + row * (size_t)columns;
    int best = 0;
    for (int i = 1; i < columns; i++)
        if (d[i] < d[best]) best = i;
    index[row] = best;
    predicted[row] = label[best];
}
