/* SPDX-License-Identifier: Apache-2.0 */
/* Digits as strokes: each is a few polylines in the unit square, distorted, then rendered by
 * distance to the nearest segment. */
#include "draw_digits.h"

#include <math.h>

enum { MAX_POINTS = 64 };

typedef struct {
    float x, y;
    int lift; /* the pen is up on the way to this point */
} point_t;

typedef struct {
    point_t p[MAX_POINTS];
    int n;
} stroke_t;

static uint64_t next_random(uint64_t *state) { /* splitmix64 */
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static float uniform(uint64_t *state, float lo, float hi) {
    return lo + (hi - lo) * (float)(next_random(state) >> 40) * 0x1p-24f;
}

static void move_to(stroke_t *s, float x, float y) {
    s->p[s->n++] = (point_t){x, y, 1};
}
static void line_to(stroke_t *s, float x, float y) {
    s->p[s->n++] = (point_t){x, y, 0};
}

/* An elliptic arc from angle a to b in degrees: 0 points right, 90 points down. */
static void arc(stroke_t *s, float cx, float cy, float rx, float ry, float a, float b, int join) {
    enum { PIECES = 12 };
    for (int i = 0; i <= PIECES; i++) {
        float t = (a + (b - a) * (float)i / PIECES) * 3.14159265f / 180;
        s->p[s->n++] = (point_t){cx + rx * cosf(t), cy + ry * sinf(t), i == 0 && !join};
    }
}

static void digit_strokes(stroke_t *s, int digit, uint64_t *rnd) {
    s->n = 0;
    switch (digit) {
    case 0: arc(s, 0.5f, 0.5f, 0.3f, 0.42f, -90, 270, 0); break;
    case 1:
        move_to(s, 0.32f, 0.25f);
        line_to(s, 0.52f, 0.08f);
        line_to(s, 0.52f, 0.92f);
        if (uniform(rnd, 0, 1) < 0.3f) {
            move_to(s, 0.3f, 0.92f);
            line_to(s, 0.74f, 0.92f);
        }
        break;
    case 2:
        arc(s, 0.5f, 0.32f, 0.27f, 0.24f, -170, 40, 0);
        line_to(s, 0.22f, 0.92f);
        line_to(s, 0.8f, 0.9f);
        break;
    case 3:
        arc(s, 0.47f, 0.29f, 0.25f, 0.21f, -150, 90, 0);
        arc(s, 0.47f, 0.71f, 0.28f, 0.21f, -90, 150, 0);
        break;
    case 4:
        move_to(s, 0.58f, 0.08f);
        line_to(s, 0.2f, 0.62f);
        line_to(s, 0.82f, 0.62f);
        move_to(s, 0.64f, 0.34f);
        line_to(s, 0.62f, 0.94f);
        break;
    case 5:
        move_to(s, 0.76f, 0.1f);
        line_to(s, 0.32f, 0.1f);
        line_to(s, 0.28f, 0.46f);
        arc(s, 0.48f, 0.66f, 0.27f, 0.25f, -130, 140, 1);
        break;
    case 6:
        move_to(s, 0.66f, 0.08f);
        line_to(s, 0.36f, 0.42f);
        arc(s, 0.5f, 0.68f, 0.25f, 0.24f, -150, 210, 1);
        break;
    case 7:
        move_to(s, 0.22f, 0.1f);
        line_to(s, 0.8f, 0.1f);
        line_to(s, 0.42f, 0.92f);
        if (uniform(rnd, 0, 1) < 0.4f) {
            move_to(s, 0.36f, 0.5f);
            line_to(s, 0.74f, 0.5f);
        }
        break;
    case 8:
        arc(s, 0.5f, 0.29f, 0.21f, 0.2f, 90, 450, 0);
        arc(s, 0.5f, 0.71f, 0.26f, 0.22f, -90, 270, 0);
        break;
    default:
        arc(s, 0.5f, 0.32f, 0.24f, 0.23f, 0, 360, 0);
        line_to(s, 0.74f, 0.32f);
        line_to(s, 0.6f, 0.93f);
        break;
    }
}

static float distance_to_segment(float x, float y, point_t a, point_t b) {
    float dx = b.x - a.x, dy = b.y - a.y, length2 = dx * dx + dy * dy;
    float t = length2 > 0 ? ((x - a.x) * dx + (y - a.y) * dy) / length2 : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return hypotf(x - a.x - t * dx, y - a.y - t * dy);
}

static void draw(uint8_t *pixels, int size, int digit, uint64_t *rnd) {
    stroke_t s;
    digit_strokes(&s, digit, rnd);

    float slant = uniform(rnd, -0.25f, 0.35f), thickness = uniform(rnd, 0.04f, 0.09f);
    float scale_x = uniform(rnd, 0.65f, 0.95f), scale_y = uniform(rnd, 0.75f, 0.95f);
    float shift_x = uniform(rnd, -0.04f, 0.04f), shift_y = uniform(rnd, -0.04f, 0.04f);
    float phase = uniform(rnd, 0, 6.28f), wobble = uniform(rnd, 0, 0.03f);
    for (int i = 0; i < s.n; i++) {
        float x = s.p[i].x - 0.5f, y = s.p[i].y - 0.5f;
        x += wobble * sinf(9 * y + phase);
        y += wobble * sinf(7 * x + phase);
        s.p[i].x = 0.5f + shift_x + scale_x * (x - slant * y);
        s.p[i].y = 0.5f + shift_y + scale_y * y;
    }
    float soft = 1.0f / (float)size; /* one pixel of anti-aliasing */
    for (int row = 0; row < size; row++)
        for (int col = 0; col < size; col++) {
            float x = ((float)col + 0.5f) / (float)size, y = ((float)row + 0.5f) / (float)size,
                  nearest = 1;
            for (int i = 1; i < s.n; i++)
                if (!s.p[i].lift)
                    nearest = fminf(nearest, distance_to_segment(x, y, s.p[i - 1], s.p[i]));
            float ink = (thickness - nearest) / soft + 0.5f;
            ink = (ink < 0 ? 0 : ink > 1 ? 1 : ink) + uniform(rnd, -0.12f, 0.12f);
            pixels[row * size + col] = (uint8_t)(255 * (ink < 0 ? 0 : ink > 1 ? 1 : ink));
        }
}

void draw_digits(uint8_t *pixels, uint8_t *labels, size_t count, int size, uint64_t seed) {
    for (size_t i = 0; i < count; i++) {
        labels[i] = (uint8_t)(i % 10);
        draw(pixels + i * (size_t)(size * size), size, labels[i], &seed);
    }
}
