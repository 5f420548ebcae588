/* SPDX-License-Identifier: MIT */
/*
 * http_request.h - what a browser asks for: the strict part of HTTP/1.1 (RFC 9112) that a
 * server without bodies, proxies and old clients needs.
 */
#ifndef SPOOR_TOOLS_HTTP_REQUEST_H
#define SPOOR_TOOLS_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#define HTTP_REQUEST_BYTES 8192u	/* with all its fields */

struct http_request {
	bool head_only;			/* HEAD; else GET */
	bool closes;			/* no other request follows */
	const char *path;		/* begins with '/'; visible ASCII without '#', undecoded */
	size_t path_length;
	const char *host;		/* as it was sent */
	size_t host_length;
};

/*
 * http_request_parse - the request that @bytes begin with. Its strings stay in @bytes.
 *
 * Return: its length (> 0); 0 where more bytes are needed; or the negative status to answer with:
 *   -400   no request, an ambiguous one, or one with a body
 *   -405   a method other than GET and HEAD
 *   -505   a version other than HTTP/1.0 and HTTP/1.1
 */
int http_request_parse(struct http_request *request, const char *bytes, size_t count);

#endif
