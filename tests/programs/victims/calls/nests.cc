/* SPDX-License-Identifier: MIT */
/*
 * nests.cc - threads that wait deep inside calls. Each prints its open calls on stdout as
 * "nest TID OUTERMOST,...,INNERMOST". The program obeys lines of stdin:
 *
 *   go       all threads return, throw, jump or end, each in a different way; then answers
 *   idle     calls a leaf
 *   late     starts a thread, which calls a leaf, and waits for its end
 *   wait     starts a thread that waits deep inside calls like the others
 *   NAME     calls that function of libspoor.so
 *
 * Each line is answered.
 *
 * usage: nests THREADS [aside | busy] - aside: all threads run on other stacks; busy: all threads call
 * without a pause
 */
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE extern "C" __attribute__((noinline))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int generation;
static sem_t waiting;
volatile unsigned long sum;
static __thread const char *nest;
static __thread int repeated;	/* how many more of these calls follow */
static __thread jmp_buf place;
static __thread ucontext_t home, other;

NOINLINE void leaf()
{
	sum = sum + 1;
}

NOINLINE void waits()
{
	std::string line = "nest " + std::to_string(gettid()) + " " + nest;

	for (int i = 0; i < repeated; i++)
		line += ",repeats";
	line += ",waits\n";
	if (write(1, line.data(), line.size()) < 0)
		abort();
	pthread_mutex_lock(&mutex);
	sem_post(&waiting);
	for (int seen = generation; generation == seen;)
		pthread_cond_wait(&condition, &mutex);
	pthread_mutex_unlock(&mutex);
}

NOINLINE void third()
{
	waits();
	leaf();
}

NOINLINE void second()
{
	third();
	leaf();
}

NOINLINE void first()
{
	second();
	leaf();
}

NOINLINE void repeats(int times)
{
	if (times > 1)
		repeats(times - 1);
	else
		waits();
	leaf();
}

NOINLINE void recurses(int times)
{
	repeated = times;
	repeats(times);
	leaf();
}

NOINLINE void throws()
{
	waits();
	throw 1;
}

NOINLINE void catches()
{
	try {
		throws();
	} catch (int) {
		leaf();
	}
	leaf();
}

NOINLINE void jumps()
{
	waits();
	longjmp(place, 1);
}

NOINLINE void lands()
{
	if (setjmp(place) == 0)
		jumps();
	leaf();
}

/* Called by a function of libc, which has no sleds. */
NOINLINE int compares(const void *, const void *)
{
	waits();
	leaf();
	return 0;
}

NOINLINE void sorts()
{
	int numbers[] = { 1, 2 };

	qsort(numbers, 2, sizeof(numbers[0]), compares);
	leaf();
}

NOINLINE void handles(int)
{
	waits();
	leaf();
}

NOINLINE void is_interrupted()
{
	pthread_kill(pthread_self(), SIGUSR1);
	leaf();
}

NOINLINE void ends()
{
	waits();
	pthread_exit(nullptr);
}

NOINLINE void is_jumped_to()
{
	leaf();
}

/* Ends with a tail call. */
NOINLINE void jumps_on()
{
	waits();
	is_jumped_to();
}

/* Switches to another stack, and back. */
NOINLINE void waits_aside()
{
	waits();
	leaf();
	swapcontext(&other, &home);
}

NOINLINE void switches()
{
	static __thread char stack[65536];

	getcontext(&other);
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = sizeof(stack);
	other.uc_link = &home;
	makecontext(&other, waits_aside, 0);
	swapcontext(&home, &other);
	leaf();
}

static volatile bool stops;

NOINLINE void climbs(int height);

/* Leaves by a jump. */
NOINLINE void hops(int height)
{
	leaf();
	climbs(height);
}

NOINLINE void falls(int height)
{
	leaf();
	if (height % 2)
		throw height;
}

NOINLINE void climbs(int height)
{
	if (height == 0)
		return leaf();
	try {
		falls(height);
	} catch (int) {
		leaf();
	}
	climbs(height - 1);
	hops(height - 1);
}

NOINLINE void *is_busy(void *)
{
	sem_post(&waiting);
	while (!stops)
		climbs(6);
	return nullptr;
}

static const char *const nests[] = {
	"runs,first,second,third", "runs,recurses", "runs,catches,throws", "runs,lands,jumps", "runs,sorts,compares",
	"runs,is_interrupted,handles", "runs,ends", "runs,jumps_on", "waits_aside",
};
enum { ASIDE = 8 };

NOINLINE void *runs(void *argument)
{
	int number = static_cast<int>(reinterpret_cast<long>(argument)), kind = number < 0 ? +ASIDE : number % ASIDE;

	nest = nests[kind];
	switch (kind) {
	case 0:
		first();
		break;
	case 1:
		recurses(number);
		break;
	case 2:
		catches();
		break;
	case 3:
		lands();
		break;
	case 4:
		sorts();
		break;
	case 5:
		is_interrupted();
		break;
	case 6:
		ends();
		break;
	case 7:
		jumps_on();
		break;
	default:
		switches();
	}
	leaf();
	return nullptr;
}

NOINLINE void *comes_late(void *)
{
	leaf();
	return nullptr;
}

static pthread_t begin(void *(*function)(void *), long argument)
{
	pthread_t thread;

	if (pthread_create(&thread, nullptr, function, reinterpret_cast<void *>(argument)) != 0)
		abort();
	return thread;
}

NOINLINE void returns_all(const std::vector<pthread_t> &threads)
{
	pthread_mutex_lock(&mutex);
	generation++;
	stops = true;
	pthread_mutex_unlock(&mutex);
	pthread_cond_broadcast(&condition);
	for (pthread_t thread : threads)
		pthread_join(thread, nullptr);
}

/* Calls the function of libspoor.so with this name, if libspoor.so is loaded. */
static void call_spoor(const char *name)
{
	long (*function)() = reinterpret_cast<long (*)()>(dlsym(RTLD_DEFAULT, name));

	if (function)
		function();
}

NOINLINE void obeys(std::vector<pthread_t> &threads)
{
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (strcmp(line, "go") == 0) {
			returns_all(threads);
			threads.clear();
		} else if (strcmp(line, "idle") == 0) {
			leaf();
		} else if (strcmp(line, "late") == 0) {
			pthread_join(begin(comes_late, 0), nullptr);
		} else if (strcmp(line, "wait") == 0) {
			threads.push_back(begin(runs, 0));
			sem_wait(&waiting);
		} else {
			call_spoor(line);
		}
		printf("did %s\n", line);
	}
}

int main(int count, char **arguments)
{
	std::vector<pthread_t> threads;
	struct sigaction action = {};

	action.sa_handler = handles;
	sigaction(SIGUSR1, &action, nullptr);
	setvbuf(stdout, nullptr, _IOLBF, 0);
	for (int i = 0; i < atoi(arguments[1]); i++)
		threads.push_back(count > 2 && strcmp(arguments[2], "busy") == 0 ? begin(is_busy, 0)
										 : begin(runs, count > 2 ? -1 : i));
	for (size_t i = 0; i < threads.size(); i++)
		sem_wait(&waiting);
	printf("nest %d main,obeys\ndid begin\n", static_cast<int>(getpid()));
	obeys(threads);
	return 3;
}
