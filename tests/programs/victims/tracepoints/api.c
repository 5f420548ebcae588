/* SPDX-License-Identifier: MIT */
/*
 * api.c - a program without sleds that calls the functions of spoor.h.
 *
 *   storm N K       N threads with K events each, and a handler that logs too. Prints
 *                   how many events the handlers logged.
 *   names           types, strings and a thread with names; events with given times
 *   strings N       interns N strings, each twice
 *   flush N K       N threads log K events and wait. main flushes all, and copies the trace
 *                   to "flushed" without its pool; then K more events. Prints the
 *                   kernel's ID of each thread.
 *   clear N K       the same with a clear instead of the flush
 *   then            flushes with callbacks, several at a time, also after deinitialising
 *   turns N         deinitialises and initialises N times, with 100000 events in between.
 *                   Prints the KiB of memory after one turn, and at the end.
 *   fork            a child logs, and gives its thread a new name
 *   files AGE       lists the trace's files, and deletes those with that age
 *   configuration   all keys with their values
 *   refusals        calls that must fail
 *   states          the results of spoor_is_*, step by step
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "spoor.h"

#define TYPE 0x80000100u
#define HANDLER_TYPE 0x80000200u

static long count;
static pthread_barrier_t barrier;
static uint64_t handled;
static pid_t ids_of_threads[64];

static void check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "api: %s\n", what);
	exit(1);
}

static void on_signal(int signal)
{
	int saved = errno;

	(void)signal;
	errno = 4711;
	uint64_t number = __atomic_add_fetch(&handled, 1, __ATOMIC_RELAXED);
	if (spoor_log_event(HANDLER_TYPE, number, (uint32_t)number) != 0 || errno != 4711)
		abort();
	errno = saved;
}

static void log_many(uintptr_t thread, uint64_t begin)
{
	for (uint64_t i = begin; i < begin + (uint64_t)count; i++) {
		errno = 4712;
		check(spoor_log_event(TYPE + (uint32_t)thread, ~(i << 32 | thread), ~(uint32_t)i) == 0, "an event was lost");
		check(errno == 4712, "spoor_log_event changed errno");
	}
}

static void *storm(void *argument)
{
	log_many((uintptr_t)argument, 0);
	return NULL;
}

static void *twice(void *argument)
{
	ids_of_threads[(uintptr_t)argument] = gettid();
	log_many((uintptr_t)argument, 0);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	log_many((uintptr_t)argument, (uint64_t)count);
	return NULL;
}

static void threads(int number, void *(*run)(void *), void (*between)(void))
{
	pthread_t ids[64];

	pthread_barrier_init(&barrier, NULL, (unsigned int)number + 1);
	for (int i = 0; i < number; i++)
		check(pthread_create(&ids[i], NULL, run, (void *)(uintptr_t)i) == 0, "no thread");
	if (between) {
		pthread_barrier_wait(&barrier);
		between();
		pthread_barrier_wait(&barrier);
	}
	for (int i = 0; i < number; i++) {
		pthread_join(ids[i], NULL);
		if (between)
			printf("%d %d\n", i, ids_of_threads[i]);
	}
}

static void flush_and_copy(void)
{
	char path[4096], command[9000];

	errno = 4713;
	check(spoor_flush(-1) == 0, "spoor_flush failed");
	/* All threads are idle, so there is nothing more to write. */
	check(spoor_flush(-1) == 0, "the second spoor_flush failed");
	check(errno == 4713, "spoor_flush changed errno");
	check(spoor_configuration_get("trace_path", path, sizeof(path)) > 0, "no trace path was returned");
	snprintf(command, sizeof(command), "cp -r '%s' flushed && rm -f flushed/*/pool.spoor", path);
	unsetenv("LD_PRELOAD");
	check(system(command) == 0, "no copy");
}

static void clear(void)
{
	check(spoor_clear() == 0, "spoor_clear failed");
}

static int flushed_with[8];

static void flushed(int error, void *context)
{
	check(error == 0, "the flush failed");
	check(gettid() != getpid(), "the callback ran in the thread that requested the flush");
	__atomic_fetch_add((int *)context, 1, __ATOMIC_RELEASE);
}

/* Each callback must run once. */
static void then(void)
{
	for (int i = 0; i < 8; i++) {
		spoor_log_event(TYPE, 1, 1);
		check(spoor_flush_then(flushed, &flushed_with[i]) == 0, "no flush");
	}
	for (int i = 0; i < 8; i++) {
		while (__atomic_load_n(&flushed_with[i], __ATOMIC_ACQUIRE) == 0)
			usleep(1000);
	}
	usleep(20000);
	for (int i = 0; i < 8; i++)
		check(flushed_with[i] == 1, "a callback did not run once");
}

static long resident_kib(void)
{
	long resident = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	check(file && fscanf(file, "%*d %ld", &resident) == 1, "no statm");
	fclose(file);
	return resident * 4;
}

static void turns(int number)
{
	long first = 0;

	count = 100000;
	for (int i = 0; i < number; i++) {
		check(spoor_initialize() == 0 && spoor_enable() == 0, "spoor_initialize or spoor_enable failed");
		log_many(0, (uint64_t)i * (uint64_t)count);
		check(spoor_deinitialize() == 0, "spoor_deinitialize failed");
		check(spoor_log_event(TYPE, 0, 0) == -ESHUTDOWN, "an event was accepted after spoor_deinitialize");
		check(spoor_enable() == -ESHUTDOWN, "spoor_enable succeeded after spoor_deinitialize");
		if (i == 0)
			first = resident_kib();
	}
	printf("%ld %ld\n", first, resident_kib());
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void names(void)
{
	uint64_t hello = spoor_intern_string("hello, \"wörld\""), again = spoor_intern_string("hello, \"wörld\"");
	uint64_t before = now_ns();

	check(hello && hello == again, "the same string has two IDs");
	check(spoor_name_event_type(TYPE, "first name", SPOOR_PAYLOAD_NUMBER) == 0, "no name");
	check(spoor_name_event_type(TYPE, "greeting, <1>", SPOOR_PAYLOAD_STRING) == 0, "a second name was rejected");
	check(spoor_name_event_type(TYPE + 1, "span", SPOOR_PAYLOAD_NUMBER) == 0, "no name");
	check(spoor_name_thread("a name of more than fifteen bytes") == 0, "the thread's name was rejected");
	check(spoor_log_event(TYPE, hello, 1) == 0, "lost");
	check(spoor_log_event(TYPE, spoor_intern_string("second"), 2) == 0, "lost");
	check(spoor_log_event_at(before - 1000000, TYPE + 1, UINT64_MAX, UINT32_MAX) == 0, "lost");
	check(spoor_log_event_at(before + 3600000000000, TYPE + 1, 0, 0) == 0, "lost");
	check(spoor_log_event(TYPE + 2, 1ull << 63, 0) == 0, "lost");
	printf("%llu %llu\n", (unsigned long long)before, (unsigned long long)now_ns());
}

static void strings(int number)
{
	uint64_t *ids = calloc((size_t)number, sizeof(*ids));
	char text[64];

	check(ids != NULL && spoor_log_event(TYPE, 0, 0) == 0, "there is no memory, or no trace");
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < number; i++) {
			snprintf(text, sizeof(text), "string %d", i);
			uint64_t id = spoor_intern_string(text);

			check(id != 0 && (round == 0 || id == ids[i]), "the ID of a string has changed");
			ids[i] = id;
		}
	}
	free(ids);
}

static void found(const char *path, uint64_t bytes, int64_t modified_s, void *context)
{
	check(modified_s > 1000000000 && (strstr(path, "pool") || bytes), "a file has no time, or is empty");
	++*(long *)context;
}

static void files(const char *age)
{
	uint64_t bytes = 1;
	long calls = 0, listed = spoor_trace_files(found, &calls), deleted;

	check(listed == calls, "the list of files has another length");
	deleted = spoor_trace_files_delete((uint64_t)atoll(age), &bytes);
	printf("%ld %ld %s\n", listed, deleted, bytes ? "some" : "none");
}

static void configuration(void)
{
	const char *name;
	char value[5000];

	for (unsigned int i = 0; (name = spoor_configuration_name(i)); i++) {
		long length = spoor_configuration_get(name, value, sizeof(value));

		check(length == (long)strlen(value), "another length");
		printf("%s=%s\n", name, value);
	}
	check(spoor_configuration_get("trace_path", value, 3) > 3 && strlen(value) == 2, "not cut");
	check(spoor_configuration_get("trace_path", NULL, 0) > 3, "no length");
	check(spoor_configuration_get("zork", value, 3) == -ENOENT, "an unknown key was accepted");
	check(spoor_configuration_get(NULL, value, 3) == -EINVAL, "no key");
}

static void refusals(void)
{
	static char long_name[4097];

	memset(long_name, 'x', 4096);
	check(spoor_log_event(0x7fffffff, 0, 0) == -EINVAL, "a type of spoor itself was accepted");
	check(spoor_log_event(SPOOR_USER_TYPE_FIRST, 0, 0) == 0, "the first user type was rejected");
	check(spoor_log_event_at(0, TYPE, 0, 0) == -EINVAL, "no time");
	check(spoor_log_event_at(1ull << 60, TYPE, 0, 0) == -EINVAL, "an invalid time was accepted");
	check(spoor_name_event_type(1, "x", 0) == -EINVAL, "a name for a type of spoor itself was accepted");
	check(spoor_name_event_type(TYPE, "x", 2) == -EINVAL, "an invalid kind of payload was accepted");
	check(spoor_name_event_type(TYPE, NULL, 0) == -EINVAL, "no name");
	check(spoor_name_event_type(TYPE, long_name, 0) == -EINVAL, "a name that is too long was accepted");
	check(spoor_name_thread(long_name) == -EINVAL, "a thread's name that is too long was accepted");
	check(spoor_name_thread(NULL) == -EINVAL, "no thread's name");
	check(spoor_intern_string(long_name) == 0, "a string that is too long was accepted");
	check(spoor_intern_string(NULL) == 0, "no string");
	check(spoor_intern_string(long_name + 1) != 0, "the longest possible string was rejected");
	check(spoor_flush_then(NULL, NULL) == -EINVAL, "no callback");
	check(spoor_trace_files(NULL, NULL) == -EINVAL, "a missing callback was accepted");
	check(spoor_set_handler(NULL, 4) == -EINVAL, "unknown flags");
}

static void say_states(const char *when)
{
	printf("%s: %d%d%d %d\n", when, spoor_is_initialized(), spoor_is_enabled(), spoor_is_stub(),
	       spoor_log_event(TYPE, 0, 0));
}

static void states(void)
{
	say_states("start");
	spoor_disable();
	say_states("disabled");
	_spoor_runtime_Enable();
	say_states("enabled");
	_spoor_runtime_Deinitialize();
	say_states("deinitialised");
	_spoor_runtime_Initialize();
	say_states("initialised");
	_spoor_runtime_Enable();
	_spoor_runtime_LogFunctionEntry(0x1122334455667788);
	_spoor_runtime_LogFunctionExit(0x1122334455667788);
	check(spoor_log_function_entry(7) == 0 && spoor_log_function_exit(7) == 0, "calls");
	_spoor_runtime_Disable();
	say_states("disabled");
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };
	const char *what = argc > 1 ? argv[1] : "";
	int number = argc > 2 ? atoi(argv[2]) : 0;

	count = argc > 3 ? atol(argv[3]) : 0;
	if (strcmp(what, "storm") == 0) {
		sigaction(SIGALRM, &action, NULL);
		setitimer(ITIMER_REAL, &often, NULL);
		threads(number, storm, NULL);
		setitimer(ITIMER_REAL, &never, NULL);
		printf("%llu\n", (unsigned long long)handled);
	} else if (strcmp(what, "names") == 0) {
		names();
	} else if (strcmp(what, "strings") == 0) {
		strings(number);
	} else if (strcmp(what, "flush") == 0) {
		threads(number, twice, flush_and_copy);
	} else if (strcmp(what, "clear") == 0) {
		threads(number, twice, clear);
	} else if (strcmp(what, "then") == 0) {
		then();
		memset(flushed_with, 0, sizeof(flushed_with));
		check(spoor_deinitialize() == 0, "spoor_deinitialize failed");
		then();
	} else if (strcmp(what, "turns") == 0) {
		turns(number);
	} else if (strcmp(what, "fork") == 0) {
		names();
		fflush(stdout);
		if (fork() == 0) {
			check(spoor_name_thread("child") == 0, "no thread's name");
			spoor_log_event(TYPE, spoor_intern_string("hello, \"wörld\""), 3);
			exit(0);
		}
		wait(NULL);
	} else if (strcmp(what, "files") == 0) {
		files(argv[2]);
	} else if (strcmp(what, "configuration") == 0) {
		configuration();
	} else if (strcmp(what, "refusals") == 0) {
		refusals();
	} else if (strcmp(what, "states") == 0) {
		states();
	} else {
		return 2;
	}
	return 0;
}
