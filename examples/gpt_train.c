/* SPDX-License-Identifier: Apache-2.0 */
/* Trains a transformer to continue text, character by character, on the documentation of this
 * library, and lets it write: forward, backward and AdamW are primitives on a command list of the
 * program. gpt_train --help lists the options; gpt_train --check compares every gradient and
 * update of a tiny model with plain C. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpt.h"
#include "options.h"
#include "text.h"
#include "text_train.h"

static const adamw_t adamw = {.beta1 = 0.9, .beta2 = 0.99, .epsilon = 1e-8, .decay = 0.1};

/* Below 1, likely characters are chosen more often than the model says. */
static const double temperature = 0.7;

enum { HELD_OUT_BATCHES = 4 };

/* ---- options ---- */

typedef struct {
    double steps, layers, width, heads, context, batch, seed, rate, sample, bound;
    int check, files;
    char **file;
} options_t;

enum { NUMBERS = 10 };

static void list_numbers(options_t *o, number_t *numbers) {
    const number_t list[NUMBERS] = {
            {"--steps", "training steps", &o->steps, 1, 1e6, 1},
            {"--layers", "layers of the model", &o->layers, 1, MAX_LAYERS, 1},
            {"--width", "elements of a character's vector", &o->width, 1, 4096, 1},
            {"--heads", "heads of attention; they divide the width", &o->heads, 1, 256, 1},
            {"--context", "characters that the model sees", &o->context, 2, 4096, 1},
            {"--batch", "sequences of a step", &o->batch, 1, 1024, 1},
            {"--seed", "of weights, batches and samples", &o->seed, 0, 1e6, 1},
            {"--rate", "largest learning rate", &o->rate, 0, 1, 0},
            {"--sample", "characters to write at the end", &o->sample, 0, 1e6, 1},
            {"--bound", "fail unless the loss on text held out ends below", &o->bound, 0, 100, 0},
    };
    memcpy(numbers, list, sizeof list);
}

static void print_help(const number_t *numbers) {
    printf("usage: gpt_train [--check] [OPTION VALUE]... [--text FILE...]\n\n"
           "  --%-11s compare a tiny model with plain C; only the seed counts\n"
           "  --%-11s learn from these files instead of %s/docs\n",
            "check", "text", TEXT_FOLDER);
    numbers_print(numbers, NUMBERS);
}

static int refuse(const char *what, const char *why) {
    fprintf(stderr, "gpt_train: %s %s\n", what, why);
    return 2;
}

/* Returns 0 to go on, or 1 more than the status to end with. */
static int parse(int argc, char **argv, options_t *o) {
    number_t numbers[NUMBERS];
    list_numbers(o, numbers);
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i];
        if (!strcmp(name, "--help")) {
            print_help(numbers);
            return 1;
        }
        if (!strcmp(name, "--check")) {
            o->check = 1;
        } else if (!strcmp(name, "--text")) {
            o->file = &argv[i + 1];
            while (i + 1 < argc && strncmp(argv[i + 1], "--", 2) != 0) i++;
            o->files = (int)(&argv[i + 1] - o->file);
            if (o->files == 0) return 1 + refuse(name, "needs at least one file");
        } else {
            const char *why =
                    numbers_set(numbers, NUMBERS, name, i + 1 < argc ? argv[i + 1] : NULL);
            if (why) return 1 + refuse(name, why);
            i++;
        }
    }
    return fmod(o->width, o->heads) != 0 ? 1 + refuse("--heads", "does not divide --width") : 0;
}

/* ---- batches ---- */

typedef struct {
    const options_t *options;
    text_t text;
    size_t kept; /* characters to learn from; those behind them are held out */
    model_t model;
    pass_t *pass, *writer; /* the writer has a batch of one, and no backward */
    int *inputs, *targets;
    uint64_t numbers; /* random numbers so far */
} trainer_t;

static size_t next_random(trainer_t *t, size_t bound) {
    return random_index((uint64_t)t->options->seed * 0x100000001u + ++t->numbers, bound);
}

/* A sequence of a batch, and the same shifted by one. */
static void take(trainer_t *t, size_t sequence, size_t start) {
    const size_t tokens = (size_t)t->model.gpt.s.tokens;
    const int *from = t->text.character + start;
    memcpy(t->inputs + sequence * tokens, from, tokens * sizeof *from);
    memcpy(t->targets + sequence * tokens, from + 1, tokens * sizeof *from);
}

static double train_step(void *model, double rate) {
    trainer_t *t = model;
    const block_sizes_t *s = &t->model.gpt.s;
    for (size_t i = 0; i < (size_t)s->batch; i++)
        take(t, i, next_random(t, t->kept - (size_t)s->tokens));
    const double loss = pass_gradients(t->pass, t->inputs, t->targets);
    optimizer_run(&t->model.adam, rate);
    return loss;
}

/* The mean loss of sequences that are spread evenly over the text held out. */
static double held_out_loss(void *model) {
    trainer_t *t = model;
    const block_sizes_t *s = &t->model.gpt.s;
    const size_t count = HELD_OUT_BATCHES * (size_t)s->batch,
                 room = t->text.size - t->kept - (size_t)s->tokens - 1;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        take(t, i % (size_t)s->batch, t->kept + room * i / count);
        if ((i + 1) % (size_t)s->batch == 0) sum += pass_loss(t->pass, t->inputs, t->targets);
    }
    return sum / HELD_OUT_BATCHES;
}

/* ---- writing ---- */

/* Begins after a line's end. The model sees as many characters as its context has; mask and
 * targets do not matter for what is behind the last one. */
static void write_text(void *model, int count) {
    trainer_t *t = model;
    const int tokens = (int)t->model.gpt.s.tokens;
    int *seen = check_alloc(calloc((size_t)tokens, sizeof *seen)), length = 1;
    const unsigned char *start = memchr(t->text.byte, '\n', (size_t)t->text.vocabulary);
    if (start) seen[0] = (int)(start - t->text.byte);
    for (int i = 0; i < count; i++) {
        pass_loss(t->writer, seen, seen);
        const double at = (double)next_random(t, 1 << 24) / (1 << 24);
        const int next = text_choose(
                pass_log_shares(t->writer, length - 1), t->text.vocabulary, temperature, at);
        putchar(t->text.byte[next]);
        fflush(stdout);
        if (length == tokens) memmove(seen, seen + 1, (size_t)--length * sizeof *seen);
        seen[length++] = next;
    }
    putchar('\n');
    free(seen);
}

/* ---- the program ---- */

static gpt_t model_of(const options_t *o, int vocabulary) {
    /* A gated part has three matrices; 8/3 of the width makes it as large as two of 4. */
    gpt_t g = {.layers = (dnnl_dim_t)o->layers,
            .vocabulary = vocabulary,
            .s = {.batch = (dnnl_dim_t)o->batch,
                    .tokens = (dnnl_dim_t)o->context,
                    .heads = (dnnl_dim_t)o->heads,
                    .head = (dnnl_dim_t)(o->width / o->heads),
                    .hidden = ((dnnl_dim_t)(o->width * 8 / 3) + 15) / 16 * 16}};
    complete_sizes(&g.s);
    gpt_lay_out(&g);
    return g;
}

static void trainer_open(trainer_t *t, const options_t *o) {
    /* A tenth of the text is held out, and must have room for a sequence. */
    *t = (trainer_t){.options = o};
    text_read(&t->text, o->file, o->files, 10 * ((size_t)o->context + 2));
    t->kept = t->text.size - t->text.size / 10;
    const gpt_t g = model_of(o, t->text.vocabulary);
    float *weights = gpt_random(&g, (uint64_t)o->seed, 0);
    const double start = now_ms();
    model_open(&t->model, &g, &adamw, weights);
    free(weights);
    t->pass = pass_create(&t->model, g.s.batch, 1);
    t->writer = pass_create(&t->model, 1, 0);
    t->inputs = check_alloc(malloc((size_t)g.s.rows * sizeof(int)));
    t->targets = check_alloc(malloc((size_t)g.s.rows * sizeof(int)));
    printf("%zu characters, %d different ones; %zu weights, layers: %.0f; on %s, made in %.1f s\n",
            t->text.size, t->text.vocabulary, g.elements, o->layers,
            t->model.net.app.properties.name, (now_ms() - start) * 1e-3);
}

static void trainer_close(trainer_t *t) {
    pass_destroy(t->pass);
    pass_destroy(t->writer);
    model_close(&t->model);
    text_close(&t->text);
    free(t->inputs);
    free(t->targets);
}

int main(int argc, char **argv) {
    options_t o = {.steps = 1000,
            .layers = 3,
            .width = 96,
            .heads = 4,
            .context = 64,
            .batch = 16,
            .seed = 1,
            .rate = 5e-3,
            .sample = 500,
            .bound = 100};
    const int end = parse(argc, argv, &o);
    if (end) return end - 1;
    if (o.check) {
        const int bad = gpt_check((uint64_t)o.seed);
        if (bad) fprintf(stderr, "gpt_train: a result is wrong\n");
        return bad != 0;
    }
    trainer_t t;
    trainer_open(&t, &o);
    const text_training_t training = {.steps = o.steps,
            .rate = o.rate,
            .last_rate = 0.1,
            .sample = o.sample,
            .bound = o.bound,
            .train_step = train_step,
            .held_out_loss = held_out_loss,
            .write_text = write_text,
            .model = &t};
    const double loss = text_train(&training);
    text_write_sample(&training);
    trainer_close(&t);
    return text_check_loss(&training, "gpt_train", loss);
}
