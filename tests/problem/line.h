/* SPDX-License-Identifier: Apache-2.0 */
/* A line of the verbose log, cut into its columns. */
#ifndef TESTS_PROBLEM_LINE_H
#define TESTS_PROBLEM_LINE_H

#include "core/memory_desc.h"
#include "core/strings_enum.h"

enum { LINE_LENGTH = 16384, LINE_MDS = 208 };

/* "src:f32:a:blocked:ab:64x1:f0" */
typedef struct {
    char name[24];
    dnnl_data_type_t dt; /* undef: the tensor is absent */
    bool any, offset;    /* flags a, and o or 0 */
    dnnl_format_kind_t kind;
    char tag[64]; /* empty: row-major; "*": strides are given at run time */
    char strides[96];
    md_extra_t extra;
    int mask;                   /* of a matmul's bias; -1: not given */
    int64_t nnz;                /* elements that a sparse tensor stores; -1: not given */
    int index_dt;               /* type of its indices; 0: not given */
    int group_dim, group_count; /* of a grouped tensor */
} md_text_t;

typedef struct {
    char text[LINE_LENGTH]; /* what the columns point into */
    const char *kind, *impl, *prop, *attr, *aux, *problem;
    int nmds;
    md_text_t md[LINE_MDS];
} line_t;

/* Whether the text describes a primitive that was created or executed; logs have other lines
 * too. */
bool line_is_problem(const char *text);
/* Answers NULL, or what is wrong with it. */
const char *line_parse(line_t *line, const char *text);
/* The tensor with this name; NULL: it is not there, or it is "undef". */
const md_text_t *line_md(const line_t *line, const char *name);
/* The value of "key:value" in the auxiliary column, or otherwise. Valid until the next call. */
const char *line_aux(const line_t *line, const char *key, const char *otherwise);

/* The enumerator with this name; false: there is none. */
bool name_find(enum_names_t names, const char *name, int *value);
/* A size: 64, 2^31, 2^24+1 or 2^31-1. */
int64_t size_parse(const char *text, char **end);
/* "2x3x*" up to an end of column; answers the number of dims, 0 if it is none. Run-time dims:
 * DNNL_RUNTIME_DIM_VAL. */
int dims_parse(const char *text, dnnl_dim_t *dims, const char **end);

/* The descriptor of a tensor of these dims. Answers NULL, or what is wrong. */
const char *md_make(md_t *md, const md_text_t *text, int ndims, const dnnl_dim_t *dims);

#endif
