/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of programs that learn to continue text: the learning rate, reports and samples. */
#ifndef EXAMPLES_TEXT_TRAIN_H
#define EXAMPLES_TEXT_TRAIN_H

typedef struct {
    double steps;
    double rate;      /* the largest learning rate, after a twentieth of the steps */
    double last_rate; /* the one at the end, as a part of the largest */
    double sample;    /* characters to write at the end; 0: no samples */
    double bound;     /* the loss on text held out has to end below it */

    /* What the program does with its model. */
    double (*train_step)(void *model, double rate); /* returns the loss of the step */
    double (*held_out_loss)(void *model);
    void (*write_text)(void *model, int count); /* prints so many characters */
    void *model;
} text_training_t;

/* Trains, reports ten times, and lets the model write twice on the way. Returns the loss at the end
 * on text held out. */
double text_train(const text_training_t *training);

/* Lets the model write `sample` characters. */
void text_write_sample(const text_training_t *training);

/* Returns 0 if the loss ends below the bound; otherwise says so, and returns 1. */
int text_check_loss(const text_training_t *training, const char *program, double loss);

#endif
