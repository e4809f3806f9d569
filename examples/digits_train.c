/* SPDX-License-Identifier: Apache-2.0 */
/* Trains a net of two convolutions and two inner products on handwritten digits: forward,
 * backward and the update of the weights are primitives on the program's own command lists. The
 * first steps run on an immediate list; the others replay lists that the step was recorded in.
 * Started by mpirun, each process takes a device and a share of each batch, and MPI adds up their
 * gradients. digits_train --help lists the options. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lenet.h"
#include "options.h"
#include "plot.h"
#include "ranks.h"

enum { FILES = 4, EVALUATED = 256 /* images of a batch that is only classified */ };
static const double momentum = 0.9;

/* ---- options ---- */

typedef struct {
    double epochs, batch, seed, rate, vary, images, least, enough;
    int bf16, twice, files;
    const char *plot, *save, *losses;
    char *file[FILES];
    ranks_t ranks;
} options_t;

enum { NUMBERS = 8 };

static void list_numbers(options_t *o, number_t *numbers) {
    const number_t list[NUMBERS] = {
            {"--epochs", "how often all images are learned", &o->epochs, 1, 1000, 1},
            {"--batch", "images of a step", &o->batch, 1, 4096, 1},
            {"--seed", "of weights and the order of images", &o->seed, 0, 1e6, 1},
            {"--rate", "first learning rate", &o->rate, 0, 1, 0},
            {"--vary", "largest share by which images are bent and moved", &o->vary, 0, 0.5, 0},
            {"--images", "learn from so many of the images only", &o->images, 1, 1e7, 1},
            {"--least", "fail unless so many percent are right at last", &o->least, 0, 100, 0},
            {"--enough", "stop when so many percent are right", &o->enough, 0, 101, 0},
    };
    memcpy(numbers, list, sizeof list);
}

static void print_help(const number_t *numbers) {
    printf("usage: digits_train [OPTION]... [FILES]\n\n"
           "FILES: two of UCI's optical digits, or four of MNIST's; without them digits are drawn\n"
           "  --%-11s compute in bf16, with weights in f32 beside\n"
           "  --%-11s train two times, and compare the bits of the weights\n"
           "  --%-11s draw loss and accuracy as an SVG image\n"
           "  --%-11s write the weights to a file, for cnn_inference\n"
           "  --%-11s write the loss of each step to a file, a line a step\n",
            "bf16", "twice", "plot FILE", "save FILE", "loss FILE");
    numbers_print(numbers, NUMBERS);
}

static int refuse(const char *what, const char *why) {
    fprintf(stderr, "digits_train: %s %s\n", what, why);
    return 2;
}

/* An option with a file name; returns where it is kept, or NULL. */
static const char **named_file(options_t *o, const char *name) {
    if (!strcmp(name, "--plot")) return &o->plot;
    if (!strcmp(name, "--loss")) return &o->losses;
    return !strcmp(name, "--save") ? &o->save : NULL;
}

static int parse_option(options_t *o, const number_t *numbers, char **argv, int *i) {
    const char *name = argv[*i], *value = argv[*i + 1];
    const char **file = named_file(o, name);
    if (!strcmp(name, "--bf16")) return o->bf16 = 1, 0;
    if (!strcmp(name, "--twice")) return o->twice = 1, 0;
    ++*i;
    if (file) return (*file = value) ? 0 : 1 + refuse(name, "needs a file name");
    const char *why = numbers_set(numbers, NUMBERS, name, value);
    return why ? 1 + refuse(name, why) : 0;
}

/* Returns 0 to go on, or 1 more than the status to end with. */
static int parse(int argc, char **argv, options_t *o) {
    number_t numbers[NUMBERS];
    list_numbers(o, numbers);
    for (int i = 1; i < argc; i++) {
        int end = 0;
        if (!strcmp(argv[i], "--help")) {
            print_help(numbers);
            return 1;
        }
        if (!strncmp(argv[i], "--", 2)) end = parse_option(o, numbers, argv, &i);
        else if (o->files == FILES) end = 1 + refuse(argv[i], "is a file too many");
        else o->file[o->files++] = argv[i];
        if (end) return end;
    }
    return 0;
}

/* ---- a step ---- */

/* The part of a step up to the gradients, or the update of the weights. A single process has both
 * in one list. */
typedef struct {
    ze_command_list_handle_t list;
    dnnl_stream_t recorder;
    int from, to; /* primitives */
} half_t;

typedef struct {
    const options_t *options;
    const ranks_t *ranks;
    const digits_t *known, *asked;
    lenet_t lenet;
    net_t net;
    lenet_pass_t training, inference;
    int halves;
    half_t half[2];
    ze_command_queue_handle_t queue;
    ze_event_pool_handle_t pool;
    ze_event_handle_t ready[LAYERS]; /* signalled when the gradients of a layer are known */
    size_t *order;                   /* of the images in an epoch */
    int steps;                       /* of an epoch */
    float *loss;                     /* of all steps so far */
    double *accuracy;
    int done, epochs;  /* steps, epochs */
    double host_us[2]; /* to submit a step: directly, replayed */
    int submitted[2];  /* steps that were timed */
    double sum_us;     /* from the last gradients to the last sum, of all steps */
} trainer_t;

static void make_events(trainer_t *t) {
    const ze_event_pool_desc_t pool = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
            .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
            .count = LAYERS};
    CHECK_ZE(zeEventPoolCreate(t->net.app.context, &pool, 1, &t->net.app.device, &t->pool));
    for (uint32_t i = 0; i < LAYERS; i++) {
        const ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                .index = i,
                .signal = ZE_EVENT_SCOPE_FLAG_HOST};
        CHECK_ZE(zeEventCreate(t->pool, &event, &t->ready[i]));
    }
}

/* Appends half a step to a list. A barrier signals the event of each layer whose gradients are
 * known. */
static void append(const trainer_t *t, const half_t *half, dnnl_stream_t stream,
        ze_command_list_handle_t list, int in_order) {
    const lenet_pass_t *p = &t->training;
    for (int i = half->from; i < half->to; i++) {
        ze_event_handle_t event = NULL;
        lenet_run(p, stream, i, i + 1);
        for (int layer = 0; layer < LAYERS; layer++)
            if (p->known[layer] == i + 1) event = t->ready[layer];
        if (event || !in_order) CHECK_ZE(zeCommandListAppendBarrier(list, event, 0, NULL));
    }
}

static void record(trainer_t *t) {
    const int count = t->training.count, cut = t->training.update;
    t->halves = t->ranks->count > 1 ? 2 : 1;
    t->half[0].to = t->halves == 1 ? count : cut;
    t->half[1] = (half_t){.from = cut, .to = count};
    if (t->halves > 1) make_events(t);
    t->queue = app_queue(&t->net.app);
    for (half_t *half = t->half; half < t->half + t->halves; half++) {
        int in_order;
        half->list = app_regular_list(&t->net.app, &in_order);
        CHECK_DNNL(dnnl_ze_interop_stream_create(&half->recorder, t->net.engine, half->list, 0));
        append(t, half, half->recorder, half->list, in_order);
        CHECK_ZE(zeCommandListClose(half->list));
    }
}

/* Returns the microseconds that it takes. */
static double submit(trainer_t *t, half_t *half, int replay) {
    const double start = now_ms();
    if (replay) CHECK_ZE(zeCommandQueueExecuteCommandLists(t->queue, 1, &half->list, NULL));
    else append(t, half, t->net.stream, t->net.list, 1);
    return (now_ms() - start) * 1e3;
}

/* The gradients of the last layer are known first: while MPI adds them up, the device computes
 * those of the others. */
static void sum_gradients(trainer_t *t) {
    enum { LOOK_NS = 50000 }; /* how often MPI goes on while the host waits for the device */
    double start = 0;
    for (int i = LAYERS - 1; i >= 0; i--) {
        ze_result_t result;
        size_t begin;
        const size_t count = lenet_sums(&t->lenet, i, &begin);
        while ((result = zeEventHostSynchronize(t->ready[i], LOOK_NS)) == ZE_RESULT_NOT_READY)
            ranks_progress();
        CHECK_ZE(result);
        CHECK_ZE(zeEventHostReset(t->ready[i]));
        start = now_ms();
        ranks_begin_sum(t->ranks, t->training.sums + begin, count);
    }
    ranks_end_sums();
    t->sum_us += (now_ms() - start) * 1e3;
}

static void wait_for(trainer_t *t, int replay) {
    if (replay) CHECK_ZE(zeCommandQueueSynchronize(t->queue, UINT64_MAX));
    else net_wait(&t->net);
}

/* The first step makes what is made at first use. It is not timed, nor are steps between which
 * the way changes. */
static double run_step(trainer_t *t) {
    enum { DIRECT = 20 }; /* steps on the immediate list */
    const int replay = t->done >= DIRECT;
    const double host_us = submit(t, &t->half[0], replay);
    if (t->halves > 1) {
        sum_gradients(t);
        submit(t, &t->half[1], replay);
    }
    if (t->done > 0 && t->done != DIRECT) {
        t->host_us[replay] += host_us;
        t->submitted[replay]++;
    }
    wait_for(t, replay);
    return (double)*t->training.loss;
}

/* ---- epochs ---- */

static void shuffle(trainer_t *t, size_t count, int epoch) {
    const uint64_t seed = ((uint64_t)t->options->seed * 1000 + (uint64_t)epoch) << 24;
    for (size_t i = 0; i < count; i++) t->order[i] = i;
    for (size_t i = count; i > 1; i--) {
        const size_t j = random_index(seed + i, i), kept = t->order[i - 1];
        t->order[i - 1] = t->order[j];
        t->order[j] = kept;
    }
}

/* ---- images ---- */

static double random_in(uint64_t seed, double range) {
    enum { STEPS = 1 << 20 };
    return range * (2 * (double)random_index(seed, STEPS) / STEPS - 1);
}

/* The image between four pixels; outside it there is no ink. */
static double ink_at(const uint8_t *image, int side, double x, double y) {
    const int x0 = (int)floor(x), y0 = (int)floor(y);
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        const int px = x0 + i % 2, py = y0 + i / 2;
        const double share = (1 - fabs(x - px)) * (1 - fabs(y - py));
        if (px >= 0 && px < side && py >= 0 && py < side) sum += share * image[py * side + px];
    }
    return sum;
}

/* An image that is turned, slanted, stretched and moved a little, differently each time: so the net
 * learns what digits have in common. */
static void take_varied(const trainer_t *t, size_t index, size_t place) {
    const int side = (int)t->lenet.side;
    const uint8_t *from = t->known->image + index * t->known->pixels;
    const uint64_t seed =
            (((uint64_t)t->options->seed << 24) + (uint64_t)t->epochs) * t->known->count + index;
    const double most = t->options->vary, middle = (side - 1) / 2.,
                 a = 1 + random_in(seed * 8, most), b = random_in(seed * 8 + 1, most),
                 c = random_in(seed * 8 + 2, most), d = 1 + random_in(seed * 8 + 3, most),
                 x = random_in(seed * 8 + 4, most * side / 2),
                 y = random_in(seed * 8 + 5, most * side / 2);
    float *to = t->training.pixels + place * t->known->pixels;
    for (int i = 0; i < side * side; i++) {
        const double u = i % side - middle, v = i / side - middle;
        to[i] = (float)ink_at(from, side, a * u + b * v + x + middle, c * u + d * v + y + middle) /
                t->lenet.brightest;
    }
}

/* This process's share of the batch that begins with image `first`. The factor of the targets is
 * that of the whole batch: so the sum of all shares' gradients is the gradient of the batch. */
static void load_batch(trainer_t *t, size_t first) {
    const lenet_pass_t *p = &t->training;
    const size_t share = (size_t)p->batch, batch = (size_t)t->options->batch;
    first += ranks_first(t->ranks, batch);
    memset(p->targets, 0, share * DIGITS * sizeof(float));
    for (size_t i = 0; i < share; i++) {
        const size_t image = t->order[first + i];
        take_varied(t, image, i);
        p->targets[i * DIGITS + t->known->label[image]] = -1 / (float)batch;
    }
}

/* A cosine from the first rate to none. */
static double rate_at(const trainer_t *t) {
    const double part = t->done / (t->options->epochs * t->steps);
    return t->options->rate * (0.5 + 0.5 * cos(3.14159265358979 * part));
}

/* A terminal shows the progress in a line that is written over and over. mpirun gives each process
 * a terminal, but copies what is written there to somewhere else. */
static int shows_progress(const trainer_t *t) {
    return t->halves == 1 && isatty(STDOUT_FILENO);
}

static void print_progress(const trainer_t *t, double loss, double start) {
    if (!shows_progress(t)) return;
    const int all = (int)t->options->epochs * t->steps;
    const double seconds = (now_ms() - start) * 1e-3;
    printf("\rstep %d of %d, loss %.4f, %.0f s, %.0f s left   ", t->done, all, loss, seconds,
            seconds * (all - t->done) / t->done);
    fflush(stdout);
}

/* In percent, of the images held out; each process classifies a share of them. */
static double accuracy(trainer_t *t) {
    const size_t count = t->asked->count;
    float right = (float)lenet_right(
            &t->inference, t->asked, ranks_first(t->ranks, count), ranks_share(t->ranks, count));
    ranks_begin_sum(t->ranks, &right, 1);
    ranks_end_sums();
    return 100 * (double)right / (double)count;
}

static void run_epoch(trainer_t *t, double start) {
    double sum = 0;
    shuffle(t, (size_t)t->options->images, t->epochs);
    for (int s = 0; s < t->steps; s++) {
        load_batch(t, (size_t)s * (size_t)t->options->batch);
        *t->training.minus_rate = (float)-rate_at(t);
        const double loss = run_step(t);
        t->loss[t->done++] = (float)loss;
        sum += loss;
        print_progress(t, loss, start);
    }
    const double right = t->accuracy[t->epochs++] = accuracy(t);
    printf("%sepoch %2d: loss %.4f, %.2f %% of %zu digits held out, %.1f s\n",
            shows_progress(t) ? "\r\033[K" : "", t->epochs, sum / t->steps, right, t->asked->count,
            (now_ms() - start) * 1e-3);
    fflush(stdout);
}

/* ---- a training ---- */

static void trainer_open(trainer_t *t) {
    const options_t *o = t->options;
    const dnnl_data_type_t type = o->bf16 ? dnnl_bf16 : dnnl_f32;
    float *values = lenet_random(&t->lenet, (uint64_t)o->seed);
    const double start = now_ms();
    net_open_part(&t->net, 0, t->ranks->local, t->ranks->locals);
    dnnl_memory_t weights = lenet_array(&t->net, &t->lenet, values);
    free(values);
    lenet_training(&t->training, &t->net, &t->lenet,
            (dnnl_dim_t)ranks_share(t->ranks, (size_t)o->batch), type, weights, momentum,
            t->ranks->count > 1);
    lenet_inference(&t->inference, &t->net, &t->lenet, EVALUATED, type, weights);
    record(t);
    t->steps = (int)(o->images / o->batch);
    t->order = check_alloc(malloc((size_t)o->images * sizeof *t->order));
    t->loss = check_alloc(malloc((size_t)(o->epochs * t->steps) * sizeof *t->loss));
    t->accuracy = check_alloc(malloc((size_t)o->epochs * sizeof *t->accuracy));
    printf("%.0f images of %lldx%lld, %zu weights, %s; %d primitives a step, made in %.1f s on "
           "%s\n",
            o->images, (long long)t->lenet.side, (long long)t->lenet.side, t->lenet.elements,
            o->bf16 ? "bf16" : "f32", t->training.count, (now_ms() - start) * 1e-3,
            t->net.app.properties.name);
}

static void trainer_close(trainer_t *t) {
    for (int i = 0; i < t->halves; i++) {
        CHECK_ZE(zeCommandListDestroy(t->half[i].list));
        CHECK_DNNL(dnnl_stream_destroy(t->half[i].recorder));
    }
    CHECK_ZE(zeCommandQueueDestroy(t->queue));
    for (int i = 0; t->pool && i < LAYERS; i++) CHECK_ZE(zeEventDestroy(t->ready[i]));
    if (t->pool) CHECK_ZE(zeEventPoolDestroy(t->pool));
    net_close(&t->net);
    free(t->order);
    free(t->loss);
    free(t->accuracy);
}

static void print_host_time(const trainer_t *t) {
    if (t->halves > 1 || !t->submitted[0] || !t->submitted[1]) return;
    const double direct = t->host_us[0] / t->submitted[0], replay = t->host_us[1] / t->submitted[1];
    printf("the host takes %.1f us to submit a step call by call, %.1f us to replay it: %.1f us "
           "less\n",
            direct, replay, direct - replay);
}

static void print_sums(const trainer_t *t, const float *weights) {
    if (t->halves == 1) return;
    printf("%d processes add up %zu bytes a step; %.1f us of it pass after the last gradients; "
           "the weights of all processes %s\n",
            t->ranks->count, (t->lenet.elements + 1) * sizeof(float), t->sum_us / t->done,
            ranks_agree(t->ranks, weights, t->lenet.elements) ? "are equal" : "differ");
}

static int write_losses(const trainer_t *t, const char *path) {
    FILE *file = fopen(path, "w");
    int failed = !file;
    for (int i = 0; !failed && i < t->done; i++)
        failed = fprintf(file, "%.9g\n", (double)t->loss[i]) < 0;
    if (file) failed |= fclose(file) != 0;
    if (failed) fprintf(stderr, "%s: cannot be written\n", path);
    return failed;
}

/* The first process writes them. */
static int write_results(const trainer_t *t, const float *weights) {
    const options_t *o = t->options;
    char title[96];
    if (t->ranks->rank > 0) return 0;
    snprintf(title, sizeof title, "%.0f handwritten digits in %s, batches of %.0f: %.2f %% right",
            o->images, o->bf16 ? "bf16" : "f32", o->batch, t->accuracy[t->epochs - 1]);
    const course_t course = {title, t->done, t->epochs, t->loss, t->accuracy};
    int failed = o->plot && plot_course(&course, o->plot);
    failed |= o->save && lenet_save(&t->lenet, weights, o->save);
    failed |= o->losses && write_losses(t, o->losses);
    return failed;
}

/* Returns the weights, which the caller frees, or NULL after a message. */
static float *train(const options_t *o, const digits_t *known, const digits_t *asked) {
    trainer_t t = {.options = o, .ranks = &o->ranks, .known = known, .asked = asked};
    if (lenet_init(&t.lenet, known)) return NULL;
    trainer_open(&t);
    const double start = now_ms();
    do run_epoch(&t, start);
    while (t.epochs < (int)o->epochs && t.accuracy[t.epochs - 1] < o->enough);
    print_host_time(&t);
    float *weights = net_read(&t.net, t.training.weights);
    print_sums(&t, weights);
    const double right = t.accuracy[t.epochs - 1];
    int failed = write_results(&t, weights);
    if (right < o->least) {
        fprintf(stderr, "digits_train: %.2f %% are right at last, not %g %%\n", right, o->least);
        failed = 1;
    }
    trainer_close(&t);
    if (!failed) return weights;
    free(weights);
    return NULL;
}

static int train_twice(const options_t *o, const digits_t *known, const digits_t *asked) {
    float *first = train(o, known, asked), *second = first ? train(o, known, asked) : NULL;
    lenet_t l;
    int differ = 1;
    if (second && !lenet_init(&l, known))
        differ = memcmp(first, second, l.elements * sizeof *first) != 0;
    if (second) printf("the weights of both trainings %s\n", differ ? "differ" : "are equal");
    free(first);
    free(second);
    return differ;
}

static int run(options_t *o, const digits_t *known, const digits_t *asked) {
    o->images = fmin(o->images, (double)known->count);
    if (o->images < o->batch) return refuse("--batch", "is larger than the number of images");
    if (o->batch < o->ranks.count)
        return refuse("--batch", "is smaller than the number of processes");
    if (o->twice) return train_twice(o, known, asked);
    float *weights = train(o, known, asked);
    free(weights);
    return !weights;
}

int main(int argc, char **argv) {
    options_t o = {.epochs = 20,
            .batch = 64,
            .seed = 1,
            .rate = 0.05,
            .vary = 0.1,
            .images = 1e7,
            .least = 0,
            .enough = 101};
    const int end = parse(argc, argv, &o);
    if (end) return end - 1;
    digits_t known, asked;
    ranks_open(&o.ranks);
    /* The first process speaks for all. */
    if (o.ranks.rank > 0 && !freopen("/dev/null", "w", stdout)) return 1;
    if (digits_load(&known, &asked, o.files, o.file)) return 1;
    const int status = run(&o, &known, &asked);
    digits_free(&known);
    digits_free(&asked);
    ranks_close(&o.ranks);
    return status;
}
