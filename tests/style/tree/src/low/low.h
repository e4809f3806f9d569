/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOW_H
#define LOW_H

int low(int x);
int elsewhere(int x); /* high/high.c */

#endif
