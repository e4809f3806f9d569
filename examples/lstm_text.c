/* SPDX-License-Identifier: Apache-2.0 */
/* Trains an LSTM to continue text, character by character, on the documentation of this library,
 * lets it write, and reads on in int8: forward, backward and AdamW are primitives on a command list
 * of the program. lstm_text --help lists the options; lstm_text --check compares every gradient
 * and update of a tiny model with plain C. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lstm.h"
#include "options.h"
#include "text.h"
#include "text_train.h"

static const adamw_t adamw = {.beta1 = 0.9, .beta2 = 0.99, .epsilon = 1e-8, .decay = 0.02};

/* The loss of int8 is at most this many times the loss of f32. */
static const double most_int8 = 1.01;

/* ---- options ---- */

typedef struct {
    double steps, width, context, batch, seed, rate, sample, temperature, bound;
    int check, twice, files;
    char **file;
} options_t;

enum { NUMBERS = 9 };

static void list_numbers(options_t *o, number_t *numbers) {
    const number_t list[NUMBERS] = {
            {"--steps", "training steps", &o->steps, 1, 1e6, 1},
            {"--width", "channels of the state", &o->width, 1, 4096, 1},
            {"--context", "characters that a gradient goes back", &o->context, 1, 4096, 1},
            {"--batch", "sequences of a step", &o->batch, 1, 1024, 1},
            {"--seed", "of weights, sequences and samples", &o->seed, 0, 1e6, 1},
            {"--rate", "largest learning rate", &o->rate, 0, 1, 0},
            {"--sample", "characters to write at the end", &o->sample, 0, 1e6, 1},
            {"--temperature", "below 1, likely characters get likelier", &o->temperature, 0.01, 10,
                    0},
            {"--bound", "fail unless the loss on text held out ends below", &o->bound, 0, 100, 0},
    };
    memcpy(numbers, list, sizeof list);
}

static void print_help(const number_t *numbers) {
    printf("usage: lstm_text [--check] [--twice] [OPTION VALUE]... [--text FILE...]\n\n"
           "  --%-11s compare a tiny model with plain C; only the seed counts\n"
           "  --%-11s train twice and compare the bits of all weights\n"
           "  --%-11s learn from these files instead of %s/docs\n",
            "check", "twice", "text", TEXT_FOLDER);
    numbers_print(numbers, NUMBERS);
}

static int refuse(const char *what, const char *why) {
    fprintf(stderr, "lstm_text: %s %s\n", what, why);
    return 2;
}

/* The files after --text at index i. Returns the index of the last one. */
static int take_files(options_t *o, int argc, char **argv, int i) {
    o->file = &argv[i + 1];
    while (i + 1 < argc && strncmp(argv[i + 1], "--", 2) != 0) i++;
    o->files = (int)(&argv[i + 1] - o->file);
    return i;
}

/* Returns 0 to go on, or 1 more than the status to end with. */
static int parse(int argc, char **argv, options_t *o) {
    number_t numbers[NUMBERS];
    list_numbers(o, numbers);
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i];
        if (!strcmp(name, "--help")) return print_help(numbers), 1;
        if (!strcmp(name, "--check")) {
            o->check = 1;
        } else if (!strcmp(name, "--twice")) {
            o->twice = 1;
        } else if (!strcmp(name, "--text")) {
            i = take_files(o, argc, argv, i);
            if (o->files == 0) return 1 + refuse(name, "needs at least one file");
        } else {
            const char *why =
                    numbers_set(numbers, NUMBERS, name, i + 1 < argc ? argv[i + 1] : NULL);
            if (why) return 1 + refuse(name, why);
            i++;
        }
    }
    return 0;
}

/* ---- sequences ---- */

typedef struct {
    const options_t *options;
    text_t text;
    size_t kept; /* characters to learn from; those behind them are held out */
    model_t model;
    pass_t *pass, *reader, *writer; /* the reader's shape is that of the pass; the writer reads one
                                       character at a time */
    int *inputs, *targets;          /* steps x batch */
    size_t read;                    /* characters of each sequence, since it began */
    uint64_t numbers;               /* random numbers so far */
} trainer_t;

static double next_random(trainer_t *t) {
    const size_t range = 1 << 24;
    const uint64_t seed = (uint64_t)t->options->seed * 0x100000001u + ++t->numbers;
    return (double)random_index(seed, range) / (double)range;
}

/* The next characters of all sequences and those that follow, from `at` on. The text from `first`
 * to `end` is divided into sequences of equal length. */
static void take(trainer_t *t, size_t first, size_t end, size_t at) {
    const size_t batch = (size_t)t->options->batch, steps = (size_t)t->options->context;
    for (size_t n = 0; n < batch; n++) {
        const int *from = t->text.character + first + n * ((end - first) / batch) + at;
        for (size_t s = 0; s < steps; s++) {
            t->inputs[s * batch + n] = from[s];
            t->targets[s * batch + n] = from[s + 1];
        }
    }
}

/* Sequences go on where the last step left them, with the states that it left. At their ends they
 * begin anew, each time from a little further on, so that gradients go back from other places. */
static double train_step(void *model, double rate) {
    trainer_t *t = model;
    const options_t *o = t->options;
    const size_t length = t->kept / (size_t)o->batch, steps = (size_t)o->context;
    if (t->read + steps + 1 > length) {
        t->read = (size_t)(next_random(t) * fmin(o->context, (double)(length - steps)));
        pass_begin(t->pass);
    }
    take(t, 0, t->kept, t->read);
    t->read += steps;
    const double loss = pass_run(t->pass, t->inputs, t->targets);
    optimizer_run(&t->model.adam, rate);
    return loss;
}

/* The mean loss of the text held out. */
static double loss_of_reader(trainer_t *t, pass_t *reader) {
    const options_t *o = t->options;
    const size_t length = (t->text.size - t->kept) / (size_t)o->batch, steps = (size_t)o->context;
    double sum = 0;
    int count = 0;
    pass_begin(reader);
    for (size_t at = 0; at + steps + 1 <= length; at += steps, count++) {
        take(t, t->kept, t->text.size, at);
        sum += pass_run(reader, t->inputs, t->targets);
    }
    return sum / count;
}

static double held_out_loss(void *model) {
    trainer_t *t = model;
    return loss_of_reader(t, t->reader);
}

/* ---- writing ---- */

/* Begins after a line's end. The state is all that the model knows of what it wrote. */
static void write_text(void *model, int count) {
    trainer_t *t = model;
    const unsigned char *start = memchr(t->text.byte, '\n', (size_t)t->text.vocabulary);
    int last = start ? (int)(start - t->text.byte) : 0;
    pass_begin(t->writer);
    for (int i = 0; i < count; i++) {
        pass_run(t->writer, &last, &last);
        last = text_choose(pass_log_shares(t->writer, 0), t->text.vocabulary,
                t->options->temperature, next_random(t));
        putchar(t->text.byte[last]);
        fflush(stdout);
    }
    putchar('\n');
}

static void trainer_open(trainer_t *t, const options_t *o) {
    const size_t rows = (size_t)(o->context * o->batch);
    /* A tenth of the text is held out, and must have room for a step. */
    *t = (trainer_t){.options = o};
    text_read(&t->text, o->file, o->files, 10 * (rows + (size_t)o->batch) + 10);
    t->kept = t->text.size - t->text.size / 10;
    const lstm_t l = lstm_lay_out(t->text.vocabulary, (dnnl_dim_t)o->width);
    const dnnl_dim_t steps = (dnnl_dim_t)o->context, batch = (dnnl_dim_t)o->batch;
    float *weights = lstm_random(&l, (uint64_t)o->seed);
    const double start = now_ms();
    model_open(&t->model, &l, &adamw, weights);
    free(weights);
    t->pass = pass_create(&t->model, TRAINS, steps, batch);
    t->reader = pass_create(&t->model, READS, steps, batch);
    t->writer = pass_create(&t->model, READS, 1, 1);
    t->inputs = check_alloc(malloc(rows * sizeof(int)));
    t->targets = check_alloc(malloc(rows * sizeof(int)));
    printf("%zu characters, %d different ones; %zu weights; on %s, made in %.1f s\n", t->text.size,
            t->text.vocabulary, l.elements, t->model.net.app.properties.name,
            (now_ms() - start) * 1e-3);
}

static void trainer_close(trainer_t *t) {
    pass_destroy(t->pass);
    pass_destroy(t->reader);
    pass_destroy(t->writer);
    model_close(&t->model);
    text_close(&t->text);
    free(t->inputs);
    free(t->targets);
}

/* ---- the program ---- */

/* Reads the text held out with weights and states of 8 bits. */
static int compare_int8(trainer_t *t) {
    const options_t *o = t->options;
    pass_t *reader =
            pass_create(&t->model, READS_INT8, (dnnl_dim_t)o->context, (dnnl_dim_t)o->batch);
    const double loss = held_out_loss(t), int8 = loss_of_reader(t, reader);
    pass_destroy(reader);
    printf("on text held out: loss %.4f, in int8 %.4f (%+.2f %%)\n", loss, int8,
            (int8 / loss - 1) * 100);
    if (int8 <= most_int8 * loss) return 0;
    fprintf(stderr, "lstm_text: the loss in int8 is too large\n");
    return 1;
}

static text_training_t training_of(trainer_t *t) {
    const options_t *o = t->options;
    return (text_training_t){.steps = o->steps,
            .rate = o->rate,
            .last_rate = 0.01,
            .sample = o->sample,
            .bound = o->bound,
            .train_step = train_step,
            .held_out_loss = held_out_loss,
            .write_text = write_text,
            .model = t};
}

static int train_again(const options_t *o, const float *first) {
    trainer_t t;
    trainer_open(&t, o);
    const text_training_t training = training_of(&t);
    text_train(&training);
    float *second = net_read(&t.model.net, t.model.adam.weights);
    const int differ = memcmp(first, second, t.model.lstm.elements * sizeof *first) != 0;
    printf("the weights of both trainings %s\n", differ ? "differ" : "are equal");
    free(second);
    trainer_close(&t);
    return differ;
}

static int run(const options_t *o) {
    trainer_t t;
    trainer_open(&t, o);
    const text_training_t training = training_of(&t);
    const double loss = text_train(&training);
    text_write_sample(&training);
    int bad = compare_int8(&t);
    float *weights = net_read(&t.model.net, t.model.adam.weights);
    trainer_close(&t);
    bad |= text_check_loss(&training, "lstm_text", loss);
    if (o->twice) bad |= train_again(o, weights);
    free(weights);
    return bad;
}

int main(int argc, char **argv) {
    options_t o = {.steps = 3000,
            .width = 256,
            .context = 32,
            .batch = 16,
            .seed = 1,
            .rate = 6e-3,
            .sample = 500,
            .temperature = 0.7,
            .bound = 100};
    const int end = parse(argc, argv, &o);
    if (end) return end - 1;
    if (!o.check) return run(&o);
    const int bad = lstm_check((uint64_t)o.seed);
    if (bad) fprintf(stderr, "lstm_text: a result is wrong\n");
    return bad != 0;
}
