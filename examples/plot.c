/* SPDX-License-Identifier: Apache-2.0 */
/* Loss on a logarithmic axis at the left, accuracy at the right, epochs below. All lengths are in
 * pixels. */
#include "plot.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 760, HEIGHT = 420, LEFT = 70, RIGHT = 70, TOP = 60, BOTTOM = 60 };
static const char loss_color[] = "#2563a8", accuracy_color[] = "#d1621b";

typedef struct {
    FILE *file;
    const course_t *course;
    double low, high; /* powers of ten: ends of the axis of the loss */
    double least;     /* percent: the accuracy at the lower end */
} plot_t;

static double x_of(const plot_t *p, double epoch) {
    return LEFT + (WIDTH - LEFT - RIGHT) * epoch / p->course->epochs;
}

static double y_of(double share) {
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share;
}

static double loss_y(const plot_t *p, double loss) {
    return y_of((log10(fmax(loss, 1e-12)) - p->low) / (p->high - p->low));
}

static double accuracy_y(const plot_t *p, double percent) {
    return y_of((percent - p->least) / (100 - p->least));
}

static void text(const plot_t *p, double x, double y, const char *anchor, const char *color,
        int size, const char *words) {
    fprintf(p->file,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\" "
            "font-size=\"%d\">%s</text>\n",
            x, y, anchor, color, size, words);
}

/* The ends of the axes: whole powers of ten, and a multiple of ten percent. */
static void find_ends(plot_t *p) {
    const course_t *c = p->course;
    double smallest = INFINITY, largest = 0;
    for (int i = 0; i < c->steps; i++) {
        smallest = fmin(smallest, (double)c->loss[i]);
        largest = fmax(largest, (double)c->loss[i]);
    }
    p->low = fmax(floor(log10(fmax(smallest, 1e-4))), -4);
    p->high = fmax(ceil(log10(fmax(largest, 1e-3))), p->low + 1);
    p->least = 90;
    for (int i = 0; i < c->epochs; i++) p->least = fmin(p->least, floor(c->accuracy[i] / 10) * 10);
}

static void draw_axes(const plot_t *p) {
    char words[32];
    for (int e = (int)p->low; e <= (int)p->high; e++) {
        const double y = loss_y(p, pow(10, e));
        fprintf(p->file, "<path d=\"M%d %.1fH%d\" stroke=\"#dddddd\"/>\n", LEFT, y, WIDTH - RIGHT);
        snprintf(words, sizeof words, "%g", pow(10, e));
        text(p, LEFT - 8, y + 4, "end", loss_color, 12, words);
    }
    const double range = 100 - p->least, distance = range > 20 ? 10 : 2;
    for (double percent = p->least; percent <= 100; percent += distance) {
        snprintf(words, sizeof words, "%g %%", percent);
        text(p, WIDTH - RIGHT + 8, accuracy_y(p, percent) + 4, "start", accuracy_color, 12, words);
    }
    const int apart = (p->course->epochs + 9) / 10;
    for (int e = 0; e <= p->course->epochs; e += apart) {
        const double x = x_of(p, e);
        fprintf(p->file, "<path d=\"M%.1f %.1fv5\" stroke=\"#555555\"/>\n", x, y_of(0));
        snprintf(words, sizeof words, "%d", e);
        text(p, x, y_of(0) + 20, "middle", "#333333", 12, words);
    }
    fprintf(p->file, "<path d=\"M%d %.1fH%d\" stroke=\"#555555\"/>\n", LEFT, y_of(0),
            WIDTH - RIGHT);
    text(p, WIDTH / 2., HEIGHT - 18, "middle", "#333333", 13, "epoch");
    text(p, WIDTH / 2., 28, "middle", "#111111", 16, p->course->title);
    text(p, LEFT - 8, TOP - 14, "start", loss_color, 13, "loss of a batch, and its mean");
    text(p, WIDTH - RIGHT + 8, TOP - 14, "end", accuracy_color, 13, "accuracy on digits held out");
}

/* The mean of the losses around each step, of a twentieth of all. */
static void draw_loss(const plot_t *p, int around, const char *style) {
    const course_t *c = p->course;
    fprintf(p->file, "<polyline fill=\"none\" stroke=\"%s\" %s points=\"", loss_color, style);
    for (int i = 0; i < c->steps; i++) {
        double sum = 0;
        int count = 0;
        for (int j = i - around; j <= i + around; j++)
            if (j >= 0 && j < c->steps) sum += (double)c->loss[j], count++;
        fprintf(p->file, "%.1f,%.1f ", x_of(p, (i + 0.5) * c->epochs / c->steps),
                loss_y(p, sum / count));
    }
    fprintf(p->file, "\"/>\n");
}

static void draw_accuracy(const plot_t *p) {
    const course_t *c = p->course;
    fprintf(p->file, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"",
            accuracy_color);
    for (int i = 0; i < c->epochs; i++)
        fprintf(p->file, "%.1f,%.1f ", x_of(p, i + 1), accuracy_y(p, c->accuracy[i]));
    fprintf(p->file, "\"/>\n");
    for (int i = 0; i < c->epochs; i++)
        fprintf(p->file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", x_of(p, i + 1),
                accuracy_y(p, c->accuracy[i]), accuracy_color);
}

int plot_course(const course_t *course, const char *path) {
    plot_t p = {.file = fopen(path, "w"), .course = course};
    if (!p.file) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return -1;
    }
    find_ends(&p);
    fprintf(p.file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    draw_axes(&p);
    draw_loss(&p, 0, "stroke-opacity=\"0.3\"");
    draw_loss(&p, 1 + course->steps / 40, "stroke-width=\"2\"");
    draw_accuracy(&p);
    fprintf(p.file, "</svg>\n");
    if (fclose(p.file) == 0) return 0;
    fprintf(stderr, "%s: cannot be written\n", path);
    return -1;
}
