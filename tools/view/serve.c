/* SPDX-License-Identifier: MIT */
/* serve.c - spoor view --serve: serves a page whose chunks the browser fetches when it shows them. */
#include "view/serve.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/message.h"
#include "base/number_text.h"
#include "base/system/signals.h"
#include "view/thread_waits.h"

/* Returns 0, or an enum spoor_exit after a message. */
static int parse_port(const char *text, uint16_t *port)
{
	uint64_t number;

	if (!number_text_parse(text, 0, UINT16_MAX, &number))
		return message_usage("--port: '%s' is not a port: use a number up to 65535, or 0 for any free port",
				     text);
	*port = (uint16_t)number;
	return 0;
}

static int report_port_error(const struct view_served *served, int error)
{
	if (error == -EADDRINUSE)
		message("port %s is in use: use another --port, or leave out --port for any free port",
			served->port ? served->port : "0");
	else
		message("cannot listen on port %s of this machine: %s", served->port ? served->port : "0",
			strerror(-error));
	return SPOOR_EXIT_BAD_TRACE;
}

static int make_token(struct view_served *served)
{
	uint8_t bytes[VIEW_TOKEN_DIGITS / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes)) {
		message("cannot get random numbers for the address: %s", strerror(errno));
		return SPOOR_EXIT_BAD_TRACE;
	}
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(served->token + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

int view_served_begin(struct view_served *served)
{
	uint16_t port = 0;
	int status = served->port ? parse_port(served->port, &port) : 0, error;

	if (status)
		return status;
	error = http_server_open(&served->server, port);
	if (error)
		return report_port_error(served, error);
	status = make_token(served);
	if (status)
		return status;
	error = output_begin_temporary(&served->file);
	if (error) {
		message("cannot create a file in TMPDIR or /tmp: %s", strerror(-error));
		return SPOOR_EXIT_BAD_TRACE;
	}
	served->chunks.file = &served->file;
	served->maker = view_maker_begin(&served->chunks, 0, UINT64_MAX);
	return 0;
}

int view_served_error(const struct view_served *served)
{
	int error = served->file.error;

	if (error)
		message("cannot write the temporary file in TMPDIR or /tmp: %s", strerror(-error));
	return error;
}

static struct http_piece piece_from(const struct view_served *served, uint64_t begin)
{
	return (struct http_piece){ begin, served->file.written + served->file.used - begin };
}

int view_served_end(struct view *view)
{
	struct view_served *served = view->served;
	struct output *file = &served->file;
	struct view_bytes meta = { 0 };
	uint64_t begin = file->written + file->used;
	uint8_t *packed;
	size_t packed_bytes;

	view_waits_put(view->waits, view, &served->chunks);
	view_maker_end(served->maker);
	served->maker = NULL;
	view_meta_put(&meta, view, &served->chunks);
	packed = view_compress(meta.bytes, meta.count, VIEW_META_EFFORT, &packed_bytes);
	output_put(file, packed, packed_bytes);
	served->meta = piece_from(served, begin);
	begin += packed_bytes;
	view_write_served_page(file, view);
	served->page = piece_from(served, begin);
	output_flush(file);
	free(packed);
	free(meta.bytes);
	return view_served_error(served);
}

/* Compares in constant time, so that the time of an answer does not disclose a part of the token. */
static bool is_token(const struct view_served *served, const char *text)
{
	unsigned char different = 0;

	for (size_t i = 0; i < VIEW_TOKEN_DIGITS; i++)
		different |= (unsigned char)(text[i] ^ served->token[i]);
	return !different;
}

/* Parses chunk numbers, such as "12,13,40". Returns an HTTP status. */
static unsigned int answer_chunks(const struct view_served *served, const char *at, const char *end, struct http_answer *answer)
{
	for (;;) {
		size_t number = 0;
		const char *begin = at;

		while (at < end && *at >= '0' && *at <= '9' && number < served->chunks.count)
			number = 10 * number + (size_t)(*at++ - '0');
		if (at == begin || number >= served->chunks.count || answer->piece_count == HTTP_PIECES)
			return 404;
		answer->pieces[answer->piece_count++] =
			(struct http_piece){ served->chunks.list[number].offset, served->chunks.list[number].size };
		if (at == end)
			return 200;
		if (*at++ != ',')
			return 404;
	}
}

static unsigned int answer_request(void *context, const struct http_request *request, struct http_answer *answer)
{
	static const char chunks[] = "chunks/";
	const struct view_served *served = context;
	const char *at = request->path + 1 + VIEW_TOKEN_DIGITS, *end = request->path + request->path_length;

	if (request->path_length < 2 + VIEW_TOKEN_DIGITS || *at != '/' || !is_token(served, request->path + 1))
		return 404;
	at++;
	answer->type = "application/octet-stream";
	answer->piece_count = 1;
	if (at == end) {
		answer->type = "text/html; charset=utf-8";
		answer->pieces[0] = served->page;
		return 200;
	}
	if (end - at == 4 && memcmp(at, "meta", 4) == 0) {
		answer->pieces[0] = served->meta;
		return 200;
	}
	answer->piece_count = 0;
	if ((size_t)(end - at) < sizeof(chunks) || memcmp(at, chunks, sizeof(chunks) - 1) != 0)
		return 404;
	return answer_chunks(served, at + sizeof(chunks) - 1, end, answer);
}

int view_served_run(struct view_served *served)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	sigset_t ours, before;
	int signals, error;

	served->server.file = served->file.fd;
	served->server.answer = answer_request;
	served->server.context = served;
	error = http_server_listen(&served->server);
	if (error)
		return report_port_error(served, error);
	sigemptyset(&ours);
	signals_add(&ours, ends, sizeof(ends) / sizeof(*ends));
	sigprocmask(SIG_BLOCK, &ours, &before);
	signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
	error = signals < 0 ? -errno : 0;
	if (!error) {
		struct signalfd_siginfo taken;

		printf("http://%s:%u/%s/\n", served->server.address, (unsigned int)served->server.port, served->token);
		fflush(stdout);
		message("open this address in a browser on this machine; press Ctrl-C to end");
		error = http_server_run(&served->server, signals);
		/* Read the signal that ended the server, so that it does not end the process when unblocked. */
		while (read(signals, &taken, sizeof(taken)) == (ssize_t)sizeof(taken))
			;
		close(signals);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (error)
		message("the server failed: %s", strerror(-error));
	return error ? SPOOR_EXIT_BAD_TRACE : SPOOR_EXIT_GOOD;
}

void view_served_free(struct view_served *served)
{
	http_server_close(&served->server);
	if (served->maker)
		view_maker_end(served->maker);
	view_chunks_free(&served->chunks);
	if (served->file.buffer) {
		served->file.used = 0;
		output_end(&served->file);
	}
}
