/* SPDX-License-Identifier: MIT */
/* test_http_request.c - reads the requests of a browser, and rejects ambiguous ones. */
#include "view/http_request.h"

#include <string.h>

#include "tests/unit/support/unit.h"

#define HOST "Host: 127.0.0.1:8000\r\n"

static int parse(struct http_request *request, const char *text)
{
	return http_request_parse(request, text, strlen(text));
}

static bool is(const char *at, size_t length, const char *text)
{
	return length == strlen(text) && memcmp(at, text, length) == 0;
}

START_TEST(a_request_is_read_up_to_its_end)
{
	static const char two[] = "GET /a/b?c HTTP/1.1\r\nhOsT:\t127.0.0.1:8000 \r\nX:\r\n\r\nHEAD / HTTP/1.1\r\n" HOST "\r\n";
	struct http_request request;
	int length = parse(&request, two);

	ck_assert_int_eq(length, (int)(strstr(two, "HEAD") - two));
	ck_assert(is(request.path, request.path_length, "/a/b?c"));
	ck_assert(is(request.host, request.host_length, "127.0.0.1:8000"));
	ck_assert(!request.head_only && !request.closes);
	ck_assert_int_eq(parse(&request, two + length), (int)strlen(two + length));
	ck_assert(request.head_only && is(request.path, request.path_length, "/"));
}
END_TEST

START_TEST(a_part_of_a_request_needs_more_bytes)
{
	static const char whole[] = "GET / HTTP/1.1\r\n" HOST "\r\n";
	struct http_request request;

	for (size_t count = 0; count < strlen(whole); count++)
		ck_assert_int_eq(http_request_parse(&request, whole, count), 0);
	ck_assert_int_eq(parse(&request, whole), (int)strlen(whole));
}
END_TEST

START_TEST(a_connection_ends_if_requested_and_after_HTTP_1_0)
{
	struct http_request request;

	ck_assert_int_gt(parse(&request, "GET / HTTP/1.1\r\n" HOST "Connection: keep-alive, Close\r\n\r\n"), 0);
	ck_assert(request.closes);
	ck_assert_int_gt(parse(&request, "GET / HTTP/1.1\r\n" HOST "Connection: closed, keep-alive\r\n\r\n"), 0);
	ck_assert(!request.closes);
	ck_assert_int_gt(parse(&request, "GET / HTTP/1.0\r\n" HOST "\r\n"), 0);
	ck_assert(request.closes);
}
END_TEST

START_TEST(other_methods_and_versions_are_rejected)
{
	struct http_request request;

	ck_assert_int_eq(parse(&request, "POST / HTTP/1.1\r\n" HOST "\r\n"), -405);
	ck_assert_int_eq(parse(&request, "get / HTTP/1.1\r\n" HOST "\r\n"), -405);
	ck_assert_int_eq(parse(&request, "GETT / HTTP/1.1\r\n" HOST "\r\n"), -405);
	ck_assert_int_eq(parse(&request, "OPTIONS * HTTP/1.1\r\n" HOST "\r\n"), -405);
	ck_assert_int_eq(parse(&request, "GET / HTTP/2.0\r\n" HOST "\r\n"), -505);
	ck_assert_int_eq(parse(&request, "GET / HTTP/1.2\r\n" HOST "\r\n"), -505);
}
END_TEST

START_TEST(malformed_and_ambiguous_requests_are_rejected)
{
	static const char *const wrong[] = {
		"\r\n\r\n",
		"GET / HTTP/1.1\r\n\r\n",	/* no host */
		"GET / HTTP/1.1\r\nHost:\r\n\r\n",
		"GET / HTTP/1.1\r\n" HOST HOST "\r\n",
		"GET  / HTTP/1.1\r\n" HOST "\r\n",
		"GET / HTTP/1.1 \r\n" HOST "\r\n",
		"GET /\r\n" HOST "\r\n",
		"GET / http/1.1\r\n" HOST "\r\n",
		"GET /a b HTTP/1.1\r\n" HOST "\r\n",
		"GET /\xff HTTP/1.1\r\n" HOST "\r\n",
		"GET /#a HTTP/1.1\r\n" HOST "\r\n",
		"GET http://127.0.0.1:8000/ HTTP/1.1\r\n" HOST "\r\n",
		"GET * HTTP/1.1\r\n" HOST "\r\n",
		" GET / HTTP/1.1\r\n" HOST "\r\n",
		"GET / HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello",
		"GET / HTTP/1.1\r\n" HOST "Content-Length: 00\r\n\r\n",
		"GET / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"GET / HTTP/1.1\r\n" HOST "X : y\r\n\r\n",
		"GET / HTTP/1.1\r\n" HOST ": y\r\n\r\n",
		"GET / HTTP/1.1\r\n" HOST "X: y\r\n folded\r\n\r\n",
		"GET / HTTP/1.1\r\n" HOST "X: y\nZ: y\r\n\r\n",
		"GET / HTTP/1.1\r\n" HOST "X: y\rZ: y\r\n\r\n",
		"GET / HTTP/1.1\n" HOST "\r\n",
		"GET / HTTP/1.1\r\n" HOST "X\r\n\r\n",
	};
	static const char zero[] = "GET / HTTP/1.1\r\n" HOST "X: \0\r\n\r\n";
	struct http_request request;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		ck_assert_msg(parse(&request, wrong[i]) == -400, "%s: %d", wrong[i], parse(&request, wrong[i]));
	ck_assert_int_eq(http_request_parse(&request, zero, sizeof(zero) - 1), -400);
	ck_assert_int_gt(parse(&request, "GET / HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n"), 0);
}
END_TEST

UNIT_MAIN("http_request", a_request_is_read_up_to_its_end, a_part_of_a_request_needs_more_bytes,
	  a_connection_ends_if_requested_and_after_HTTP_1_0, other_methods_and_versions_are_rejected,
	  malformed_and_ambiguous_requests_are_rejected)
