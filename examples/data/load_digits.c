/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of IDX and comma-separated digits; zlib's gz functions read plain and compressed files
 * alike. */
#include "load_digits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "draw_digits.h"

enum { MAX_IMAGES = 10 * 1000 * 1000, MAX_PIXELS = 1 << 16 };

static int fail(digits_t *digits, const char *path, const char *what) {
    fprintf(stderr, "%s: %s\n", path, what);
    digits_free(digits);
    return -1;
}

void digits_free(digits_t *digits) {
    free(digits->image);
    free(digits->label);
    *digits = (digits_t){0};
}

static int allocate(digits_t *digits, size_t count, size_t pixels) {
    *digits = (digits_t){.count = count,
            .pixels = pixels,
            .image = malloc(count * pixels),
            .label = malloc(count)};
    return digits->image && digits->label ? 0 : -1;
}

/* Parses "3,0,16,...,7" into values; returns how many there are, -1 if one is no number of
 * 0..255. */
static int parse_line(char *line, uint8_t *values, int max) {
    int n = 0;
    for (char *at = line; *at && *at != '\n' && *at != '\r';) {
        char *end;
        long v = strtol(at, &end, 10);
        if (end == at || v < 0 || v > 255 || n == max) return -1;
        values[n++] = (uint8_t)v;
        at = *end == ',' ? end + 1 : end;
        if (*end != ',' && *end != '\n' && *end != '\r' && *end != '\0') return -1;
    }
    return n;
}

int digits_load_text(digits_t *out, const char *path) {
    *out = (digits_t){0};
    gzFile file = gzopen(path, "rb");
    if (!file) return fail(out, path, "cannot be opened");

    static char line[8 * MAX_PIXELS];
    static uint8_t values[MAX_PIXELS + 1];
    const char *error = NULL;
    size_t capacity = 0;
    while (!error && gzgets(file, line, sizeof(line))) {
        int n = parse_line(line, values, MAX_PIXELS + 1);
        if (n == 0) continue;
        if (n < 2 || (out->count && (size_t)n != out->pixels + 1) || values[n - 1] > 9) {
            error = "a line is not a list of pixels of 0..255 and a digit";
            break;
        }
        out->pixels = (size_t)n - 1;
        if (out->count == capacity) {
            capacity = capacity ? 2 * capacity : 1024;
            uint8_t *image = realloc(out->image, capacity * out->pixels);
            if (image) out->image = image;
            uint8_t *label = realloc(out->label, capacity);
            if (label) out->label = label;
            if (!image || !label) {
                error = "out of memory";
                break;
            }
        }
        memcpy(out->image + out->count * out->pixels, values, out->pixels);
        out->label[out->count++] = values[n - 1];
    }
    gzclose(file);
    if (!error && out->count == 0) error = "holds no digits";
    return error ? fail(out, path, error) : 0;
}

static uint32_t big_endian(const uint8_t b[4]) {
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* Reads an IDX header of 8-bit data with `ndims` dims. */
static int read_idx_header(gzFile file, int ndims, uint32_t *dims) {
    uint8_t word[4];
    if (gzread(file, word, 4) != 4 || big_endian(word) != 0x800u + (uint32_t)ndims) return -1;
    for (int d = 0; d < ndims; d++) {
        if (gzread(file, word, 4) != 4) return -1;
        dims[d] = big_endian(word);
    }
    return 0;
}

static int read_all(gzFile file, uint8_t *to, size_t size) {
    for (size_t done = 0; done < size;) {
        size_t piece = size - done < (1u << 30) ? size - done : (1u << 30);
        int n = gzread(file, to + done, (unsigned)piece);
        if (n <= 0) return -1;
        done += (size_t)n;
    }
    return 0;
}

int digits_load_idx(digits_t *out, const char *images_path, const char *labels_path) {
    *out = (digits_t){0};
    const char *error = NULL, *where = images_path;
    uint32_t dims[3], count;
    gzFile images = gzopen(images_path, "rb"), labels = gzopen(labels_path, "rb");
    if (!images) error = "cannot be opened";
    else if (read_idx_header(images, 3, dims)) error = "is not an IDX file of images";
    else if (!dims[0] || dims[0] > MAX_IMAGES || !dims[1] || !dims[2] ||
             (uint64_t)dims[1] * dims[2] > MAX_PIXELS)
        error = "has no or too many images or pixels";
    else if (allocate(out, dims[0], (size_t)dims[1] * dims[2])) error = "out of memory";
    else if (read_all(images, out->image, out->count * out->pixels)) error = "is cut short";
    if (!error) {
        where = labels_path;
        if (!labels) error = "cannot be opened";
        else if (read_idx_header(labels, 1, &count)) error = "is not an IDX file of labels";
        else if (count != out->count) error = "does not have one label for each image";
        else if (read_all(labels, out->label, out->count)) error = "is cut short";
        for (size_t i = 0; !error && i < out->count; i++)
            if (out->label[i] > 9) error = "has a label that is not a digit";
    }
    if (images) gzclose(images);
    if (labels) gzclose(labels);
    return error ? fail(out, where, error) : 0;
}

int digits_draw(digits_t *out, size_t count, int size, uint64_t seed) {
    if (allocate(out, count, (size_t)(size * size)))
        return fail(out, "drawn digits", "out of memory");
    draw_digits(out->image, out->label, count, size, seed);
    return 0;
}

int digits_load(digits_t *known, digits_t *asked, int nfiles, char **files) {
    *known = *asked = (digits_t){0};
    int failed = -1;
    if (nfiles == 0) failed = digits_draw(known, 4000, 20, 1) || digits_draw(asked, 1000, 20, 2);
    else if (nfiles == 2)
        failed = digits_load_text(known, files[0]) || digits_load_text(asked, files[1]);
    else if (nfiles == 4)
        failed = digits_load_idx(known, files[0], files[1]) ||
                 digits_load_idx(asked, files[2], files[3]);
    else
        fprintf(stderr,
                "digits come from no file (then the program draws them), from two of UCI's optical "
                "digits "
                "(KNOWN ASKED), or from four of MNIST's (IMAGES LABELS, twice); all may be gzip\n");
    if (!failed && known->pixels != asked->pixels) {
        fprintf(stderr, "the two sets have images of different sizes\n");
        failed = -1;
    }
    if (failed) {
        digits_free(known);
        digits_free(asked);
    }
    return failed ? -1 : 0;
}
