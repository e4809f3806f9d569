/* SPDX-License-Identifier: Apache-2.0 */
/* Text for programs that learn characters: files as indices of the bytes that occur in them. */
#include "text.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net.h"

enum { MAX_FILES = 256, MAX_PATH = 1024 };

typedef struct {
    unsigned char *bytes;
    size_t size;
} bytes_t;

static void end(const char *path) {
    fprintf(stderr, "%s: %s (--text names the files to learn from)\n", path, strerror(errno));
    exit(1);
}

static void append_file(bytes_t *b, const char *path) {
    enum { BLOCK = 1 << 16 };
    FILE *file = fopen(path, "rb");
    if (!file) end(path);
    for (size_t got = 1; got > 0; b->size += got) {
        b->bytes = check_alloc(realloc(b->bytes, b->size + BLOCK));
        got = fread(b->bytes + b->size, 1, BLOCK, file);
    }
    if (ferror(file)) end(path);
    fclose(file);
}

static int by_name(const void *a, const void *b) {
    return strcmp(a, b);
}

/* The pages of a folder in the order of their names, so that a seed means the same everywhere. */
static void append_pages(bytes_t *b, const char *folder) {
    static char paths[MAX_FILES][MAX_PATH];
    size_t count = 0;
    DIR *dir = opendir(folder);
    if (!dir) end(folder);
    for (struct dirent *entry; count < MAX_FILES && (entry = readdir(dir));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot && !strcmp(dot, ".md"))
            snprintf(paths[count++], MAX_PATH, "%s/%s", folder, entry->d_name);
    }
    closedir(dir);
    qsort(paths, count, sizeof paths[0], by_name);
    for (size_t i = 0; i < count; i++) append_file(b, paths[i]);
}

static void index_bytes(text_t *text, const bytes_t *b) {
    int index[256];
    for (int i = 0; i < 256; i++) {
        index[i] = text->vocabulary;
        if (!memchr(b->bytes, i, b->size)) continue;
        text->byte[text->vocabulary++] = (unsigned char)i;
    }
    text->size = b->size;
    text->character = check_alloc(malloc(b->size * sizeof *text->character));
    for (size_t i = 0; i < b->size; i++) text->character[i] = index[b->bytes[i]];
}

void text_read(text_t *text, char *const *files, int count, size_t least) {
    bytes_t b = {0};
    *text = (text_t){0};
    for (int i = 0; i < count; i++) append_file(&b, files[i]);
    if (count == 0) {
        append_file(&b, TEXT_FOLDER "/README.md");
        append_pages(&b, TEXT_FOLDER "/docs");
    }
    if (!b.bytes || b.size < least) {
        fprintf(stderr, "the text has %zu characters; this context needs at least %zu\n", b.size,
                least);
        exit(1);
    }
    index_bytes(text, &b);
    free(b.bytes);
}

void text_close(text_t *text) {
    free(text->character);
}

int text_choose(const float *log_shares, int count, double temperature, double at) {
    double shares[256], sum = 0, largest = -INFINITY;
    for (int i = 0; i < count; i++) largest = fmax(largest, (double)log_shares[i]);
    for (int i = 0; i < count; i++)
        sum += shares[i] = exp(((double)log_shares[i] - largest) / temperature);
    double left = sum * at;
    int i = 0;
    while (i + 1 < count && left >= shares[i]) left -= shares[i++];
    return i;
}
