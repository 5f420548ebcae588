/* SPDX-License-Identifier: MIT */
/*
 * serve.h - a page whose chunks are fetched when they are looked at: no size limits what it has.
 *
 * All that is served stands in one file without a name: the chunks as they were made, what
 * the page knows before, and the page. What the server answers is
 *   /TOKEN/                page
 *   /TOKEN/meta            what view_meta_put made, compressed
 *   /TOKEN/chunks/N,N...   the chunks of these numbers, one behind the other
 * and nothing else. The token is 128 random bits: who has not seen the address cannot ask.
 */
#ifndef SPOOR_TOOLS_VIEW_SERVE_H
#define SPOOR_TOOLS_VIEW_SERVE_H

#include "view/http_server.h"
#include "view/chunks.h"

#define VIEW_TOKEN_DIGITS 32u

struct view_served {
	/* To be set. */
	const char *port;		/* as on the command line; null: any that is free */

	struct http_server server;
	char token[VIEW_TOKEN_DIGITS + 1];
	struct output file;
	struct view_maker *maker;
	struct view_chunks chunks;
	struct http_piece page, meta;
};

/* Takes the port, and makes the file. Return: 0, or an enum spoor_exit, which has been said. */
int view_served_begin(struct view_served *served);

/* Of writing the file, so far. Return: 0 or a negative errno, which has been said. */
int view_served_error(const struct view_served *served);

/* After the last thread, before names go. Return: 0 or a negative errno, which has been said. */
int view_served_end(struct view *view);

/* Serves until a signal asks for the end. Return: an enum spoor_exit. */
int view_served_run(struct view_served *served);
void view_served_free(struct view_served *served);

/* In write_page.c: the page, which is small. */
void view_write_served_page(struct output *out, const struct view *view);

#endif
