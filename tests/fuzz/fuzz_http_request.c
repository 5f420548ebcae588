/* SPDX-License-Identifier: MIT */
/*
 * fuzz_http_request.c - reads any bytes as HTTP requests. Each request lies within the bytes, has the same result
 * if the bytes arrive in parts, and an invalid one gets a valid status.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "view/http_request.h"

static bool is_within(const char *at, size_t length, const char *bytes, size_t count)
{
	return at >= bytes && at <= bytes + count && length <= (size_t)(bytes + count - at);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	const char *bytes = (const char *)input;

	while (size) {
		struct http_request request, again;
		int length = http_request_parse(&request, bytes, size);

		if (length < 0 && length != -400 && length != -405 && length != -505)
			abort();
		if (length <= 0)
			return 0;
		if ((size_t)length > size || !request.path_length || *request.path != '/' || !request.host_length ||
		    !is_within(request.path, request.path_length, bytes, (size_t)length) ||
		    !is_within(request.host, request.host_length, bytes, (size_t)length) ||
		    memchr(request.path, ' ', request.path_length) || memchr(request.host, '\n', request.host_length))
			abort();
		/* Later bytes do not change the result, and one byte less is not enough. */
		if (http_request_parse(&again, bytes, (size_t)length) != length || again.path_length != request.path_length ||
		    http_request_parse(&again, bytes, (size_t)length - 1) != 0)
			abort();
		bytes += length;
		size -= (size_t)length;
	}
	return 0;
}
