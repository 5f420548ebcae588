/* SPDX-License-Identifier: MIT */
/*
 * library_values.c - calls library functions with arguments and results of all kinds, and prints each call as replay shows it.
 * No sleds. -fno-builtin leaves the calls in the program.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <netdb.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static char lines[65536];
static size_t used;

/* Keeps a line until the end: printing is a library call too. vsnprintf has no choice in the test. */
static void expect(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void expect(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	used += (size_t)vsnprintf(lines + used, sizeof(lines) - used, format, arguments);
	va_end(arguments);
}

static void files(void)
{
	static const char path[] = "/dev/null";
	const char *volatile none = NULL;
	char *name = malloc(100), buffer[16] = "";
	int file, pair[2];
	ssize_t got;
	off_t at;

	expect("malloc(size=100) = %p\n", (void *)name);
	expect("strcpy(dest=%p, src=\"/dev/zero\") = %p\n", (void *)name, (void *)strcpy(name, "/dev/zero"));
	file = open(path, O_WRONLY | O_APPEND);
	expect("open(path=\"/dev/null\", flags=0x%x) = %d\n", O_WRONLY | O_APPEND, file);
	got = write(file, "abc", 3);
	expect("write(fd=%d, buf=%p, count=3) = %zd\n", file, (void *)"abc", got);
	at = lseek(file, -5000000000, SEEK_END);
	expect("lseek(fd=%d, offset=-5000000000, whence=2) = %lld\n", file, (long long)at);
	close(file);
	expect("close(fd=%d) = 0\n", file);
	/* Text on the heap. */
	file = open(name, O_RDONLY);
	expect("open(path=\"/dev/zero\", flags=0x0) = %d\n", file);
	got = read(file, buffer, sizeof(buffer));
	expect("read(fd=%d, buf=%p, count=16) = 16\n", file, (void *)buffer);
	got = read(-1, NULL, (size_t)-1);
	expect("read(fd=-1, buf=0x0, count=18446744073709551615) = %zd\n", got);
	file = open(none, 0);
	expect("open(path=NULL, flags=0x0) = %d\n", file);
	file = open((const char *)16, 0);
	expect("open(path=<unreadable 0x10>, flags=0x0) = %d\n", file);
	file = pipe(pair);
	expect("pipe(pipedes=%p) = %d\n", (void *)pair, file);
	free(name);
	expect("free(ptr=%p)\n", (void *)name);
}

static void numbers(void)
{
	double root = sqrt(2.25), half = ldexp(1.5, -2);
	float least = fminf(2.5f, -0.5f);
	char host[64], service[16], *end, *text;
	struct sockaddr none = { 0 };
	struct re_pattern_buffer pattern = { 0 };
	const char *error;
	long number = strtol("-42x", &end, 10);
	int result;

	expect("sqrt(x=2.25) = %g\nldexp(x=1.5, exponent=-2) = %g\n", root, half);
	expect("fminf(x=2.5, y=-0.5) = %g\n", (double)least);
	expect("strtol(nptr=\"-42x\", endptr=%p, base=10) = %ld\n", (void *)&end, number);
#if __LDBL_MANT_DIG__ == 64
	expect("powl(x=1.5, y=2) = %Lg\n", powl(1.5L, 2.0L));
#endif
	/* The last argument is on the stack on x86-64, as are some of the format. */
	result = getnameinfo(&none, 7, host, sizeof(host), service, sizeof(service), 0x77);
	expect("getnameinfo(sa=%p, salen=7, host=%p, hostlen=64, serv=%p, servlen=16, flags=0x77) = %d\n", (void *)&none, (void *)host,
	       (void *)service, result);
	/* And on AArch64. */
	error = re_compile_pattern("bc", 2, &pattern);
	expect("re_compile_pattern(pattern=\"bc\", length=2, buffer=%p) = %s\n", (void *)&pattern, error ? error : "NULL");
	result = re_search_2(&pattern, "ab", 2, "cd", 2, 0, 4, NULL, 4);
	expect("re_search_2(buffer=%p, string1=\"ab\", length1=2, string2=\"cd\", length2=2, start=0, range=4, regs=0x0, stop=4) = %d\n",
	       (void *)&pattern, result);
	result = snprintf(host, sizeof(host), "%d %d %d %s %g", 1, 2, 3, "four", 5.5);
	expect("snprintf(s=%p, maxlen=64, format=\"%%d %%d %%d %%s %%g\") = %d\n", (void *)host, result);
	text = getenv("LIBRARY_VALUES");
	expect("getenv(name=\"LIBRARY_VALUES\") = \"%s\"\n", text);
	expect("umask(mask=18) = %u\n", umask(022));
}

/* Calls within a call. */
static int compared;

static int compare(const void *left, const void *right)
{
	compared++;
	return abs(*(const int *)left) - *(const int *)right;
}

static void nested(void)
{
	int pair[2] = { 2, -1 };

	expect("qsort(base=%p, nmemb=2, size=4, compar=%p)\n", (void *)pair, (void *)compare);
	qsort(pair, 2, sizeof(*pair), compare);
	expect("abs(x=2) = 2\n");
	if (compared != 1)
		expect("qsort compared %d times\n", compared);
}

int main(void)
{
	files();
	numbers();
	nested();
	return fputs(lines, stdout) < 0;
}
