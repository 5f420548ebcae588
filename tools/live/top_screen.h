/* SPDX-License-Identifier: MIT */
/*
 * top_screen.h - shows a screen that is rewritten regularly, and reads keys meanwhile.
 *
 * Restores the terminal however the program ends, except by SIGKILL, and while the program is stopped.
 */
#ifndef SPOOR_TOOLS_TOP_SCREEN_H
#define SPOOR_TOOLS_TOP_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The results of a wait. */
enum top_news {
	TOP_TIME = -1,		/* the time has come */
	TOP_SIZE = -2,		/* the screen has another size, or must be rewritten */
	TOP_SIGNAL = -3,	/* a signal that ends the program; top_screen_end handles it */
	/* 0 and above: a key */
};

/* Returns whether the output is a terminal. */
bool top_screen_is_there(void);

/* @on_screen: false only handles signals, for a caller that writes one text after another. Returns 0 or a
 * negative errno. */
int top_screen_begin(bool on_screen);

/* Waits until @until_ns of CLOCK_MONOTONIC. Returns an enum top_news. */
int top_screen_wait(int64_t until_ns);

/* Shows the beginning of a text, as many lines and columns as fit. Returns 0 or a negative errno. */
int top_screen_show(const char *text, size_t bytes);

/* Restores the terminal. Ends the program if a signal that ends it has arrived, except SIGINT. */
void top_screen_end(void);

#endif
