/* SPDX-License-Identifier: MIT */
/*
 * serve.h - spoor view --serve: serves a page whose chunks the browser fetches when it shows them. So
 * the size of a trace is not limited.
 *
 * One unlinked temporary file has all served data: the chunks, the page's other data, and the
 * page. The server answers these paths only:
 *   /TOKEN/                the page
 *   /TOKEN/meta            the output of view_meta_put, compressed
 *   /TOKEN/chunks/N,N...   the chunks with these numbers, one after the other
 * The token is 128 random bits, so that only clients that know the address get an answer.
 */
#ifndef SPOOR_TOOLS_VIEW_SERVE_H
#define SPOOR_TOOLS_VIEW_SERVE_H

#include "view/http_server.h"
#include "view/chunks.h"

#define VIEW_TOKEN_DIGITS 32u

struct view_served {
	/* Set by the caller: */
	const char *port;		/* --port; NULL: any free port */

	struct http_server server;
	char token[VIEW_TOKEN_DIGITS + 1];
	struct output file;
	struct view_maker *maker;
	struct view_chunks chunks;
	struct http_piece page, meta;
};

/* Binds the port and creates the file. Returns 0, or an enum spoor_exit after a message. */
int view_served_begin(struct view_served *served);

/* Returns the error of writing the file so far: 0, or a negative errno after a message. */
int view_served_error(const struct view_served *served);

/* Completes the file after the last thread, while names exist. Returns 0, or a negative errno after a message. */
int view_served_end(struct view *view);

/* Serves until a signal ends it. Returns an enum spoor_exit. */
int view_served_run(struct view_served *served);
void view_served_free(struct view_served *served);

/* In write_page.c: writes the page without data. */
void view_write_served_page(struct output *out, const struct view *view);

#endif
