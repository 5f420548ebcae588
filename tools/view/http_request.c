/* SPDX-License-Identifier: MIT */
/* http_request.c - parses the requests of a browser. */
#include "view/http_request.h"

#include <string.h>
#include <strings.h>

struct text {
	const char *at, *end;
};

static bool is_token(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
	       (byte && strchr("!#$%&'*+-.^_`|~", byte));
}

/* Skips a token. Returns its length. */
static size_t skip_token(struct text *text)
{
	const char *begin = text->at;

	while (text->at < text->end && is_token(*text->at))
		text->at++;
	return (size_t)(text->at - begin);
}

static bool skip_char(struct text *text, char byte)
{
	if (text->at == text->end || *text->at != byte)
		return false;
	text->at++;
	return true;
}

static bool equals_ignoring_case(const char *at, size_t length, const char *text)
{
	return length == strlen(text) && strncasecmp(at, text, length) == 0;
}

/* Parses method, path and version. Returns 0, or a negative HTTP status. */
static int read_first_line(struct http_request *request, struct text line)
{
	const char *method = line.at;
	size_t length = skip_token(&line);

	if (!length || !skip_char(&line, ' '))
		return -400;
	request->path = line.at;
	while (line.at < line.end && *line.at > ' ' && *line.at < 127 && *line.at != '#')
		line.at++;
	request->path_length = (size_t)(line.at - request->path);
	if (!skip_char(&line, ' ') || line.end - line.at != 8 || memcmp(line.at, "HTTP/", 5) != 0 || line.at[6] != '.')
		return -400;
	if (line.at[5] != '1' || (line.at[7] != '0' && line.at[7] != '1'))
		return -505;
	request->closes = line.at[7] == '0';
	if (length == 4 && memcmp(method, "HEAD", 4) == 0)
		request->head_only = true;
	else if (length != 3 || memcmp(method, "GET", 3) != 0)
		return -405;
	/* Absolute addresses (for proxies) and the asterisk (of OPTIONS) are rejected. */
	return request->path_length && *request->path == '/' ? 0 : -400;
}

/* Tells if a list of tokens contains this one. */
static bool has_token(struct text list, const char *token)
{
	while (list.at < list.end) {
		const char *at = list.at;
		size_t length = skip_token(&list);

		if (length ? equals_ignoring_case(at, length, token) : (list.at++, false))
			return true;
	}
	return false;
}

/* Parses one header field. Returns 0, or a negative HTTP status. */
static int read_field(struct http_request *request, struct text line)
{
	const char *name = line.at;
	size_t length = skip_token(&line), value_length;

	if (!length || !skip_char(&line, ':'))
		return -400;
	while (line.at < line.end && (*line.at == ' ' || *line.at == '\t'))
		line.at++;
	while (line.end > line.at && (line.end[-1] == ' ' || line.end[-1] == '\t'))
		line.end--;
	for (const char *at = line.at; at < line.end; at++)
		if (((unsigned char)*at < ' ' && *at != '\t') || *at == 127)
			return -400;
	value_length = (size_t)(line.end - line.at);
	if (equals_ignoring_case(name, length, "host")) {
		if (request->host)
			return -400;
		request->host = line.at;
		request->host_length = value_length;
	} else if (equals_ignoring_case(name, length, "transfer-encoding") ||
		   (equals_ignoring_case(name, length, "content-length") && !(value_length == 1 && *line.at == '0'))) {
		return -400;
	} else if (equals_ignoring_case(name, length, "connection") && has_token(line, "close")) {
		request->closes = true;
	}
	return 0;
}

int http_request_parse(struct http_request *request, const char *bytes, size_t count)
{
	const char *end = memmem(bytes, count, "\r\n\r\n", 4), *at = bytes;
	int status = 0;

	*request = (struct http_request){ 0 };
	if (!end)
		return 0;
	/* Each line ends with CRLF, the last one's CR is at `end`. */
	for (bool first = true; !status && at <= end; first = false) {
		const char *line_end = memmem(at, (size_t)(end + 2 - at), "\r\n", 2);
		struct text line = { at, line_end };

		status = first ? read_first_line(request, line) : read_field(request, line);
		at = line_end + 2;
	}
	if (!status && (!request->host || !request->host_length))
		status = -400;
	return status ? status : (int)(end + 4 - bytes);
}
