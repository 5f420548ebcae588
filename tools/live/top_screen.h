/* SPDX-License-Identifier: MIT */
/*
 * top_screen.h - a screen that is written anew, and the keys that are pressed meanwhile.
 *
 * The terminal is as it was again however the program ends, but for SIGKILL; and while it is stopped.
 */
#ifndef SPOOR_TOOLS_TOP_SCREEN_H
#define SPOOR_TOOLS_TOP_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What was waited for. */
enum top_news {
	TOP_TIME = -1,		/* it is over */
	TOP_SIZE = -2,		/* the screen has another size, or is to be written anew */
	TOP_SIGNAL = -3,	/* one that ends programs; top_screen_end knows which */
	/* From 0 on: a key. */
};

/* Whether there is a terminal to write to. */
bool top_screen_is_there(void);

/* @on_screen: else signals alone are taken, for who writes one text behind another. Return: 0 or a negative errno. */
int top_screen_begin(bool on_screen);

/* Waits until @until_ns of CLOCK_MONOTONIC. Return: enum top_news. */
int top_screen_wait(int64_t until_ns);

/* Shows a text from its beginning, as many lines and columns of it as there is room for. Return: 0 or a negative errno. */
int top_screen_show(const char *text, size_t bytes);

/* As it was before. Ends the program where one of the signals that end it was taken, but for SIGINT. */
void top_screen_end(void);

#endif
