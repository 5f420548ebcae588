// SPDX-License-Identifier: MIT
// everything.cc - all that an export contains: calls that nest and recur, tail calls, calls that exceptions
// leave, threads with names, user events with numbers, strings and times. The argument is the number of
// steps in each of three threads; with a second argument, ten of the steps are not recorded.
#include <pthread.h>
#include <cstdint>
#include <cstdlib>
#include <spoor.h>

#define TRACED __attribute__((noinline))
#define KEEP __asm__ volatile("" : : : "memory")

enum { STEPS = 0x80000010, WORDS = 0x80000011, UNNAMED = 0x80000012 };
static bool pauses;
static int steps;

namespace shapes {
struct Shape {
	TRACED virtual int area(int side)
	{
		KEEP;
		return side * side;
	}
	virtual ~Shape() {}
};

template <typename T> TRACED T twice(T value)
{
	KEEP;
	return value + value;
}
}

TRACED int deeper(int depth)
{
	KEEP;
	return depth ? deeper(depth - 1) + 1 : 0;
}

TRACED int last(int value)
{
	KEEP;
	return value;
}

TRACED int jumps(int value)
{
	KEEP;
	return last(value + 1);
}

TRACED void throws(int i)
{
	if (i % 2)
		throw i;
	KEEP;
}

TRACED void passes(int i)
{
	throws(i);
	KEEP;
}

TRACED int catches(int i)
{
	try {
		passes(i);
	} catch (int caught) {
		return caught;
	}
	return 0;
}

TRACED int step(shapes::Shape *shape, int i)
{
	int sum = shape->area(i) + shapes::twice(i) + shapes::twice<long>(i) + deeper(i % 7) + jumps(i) + catches(i);

	spoor_log_event(STEPS, static_cast<uint64_t>(i) << 40, i);
	spoor_log_event(WORDS, spoor_intern_string(i % 3 ? "a \"word\", \\ and \xc3\xa4" : ""), i);
	spoor_log_event_at(1000000u + i, UNNAMED, UINT64_MAX, UINT32_MAX - i);
	return sum;
}

static void *run(void *name)
{
	shapes::Shape shape;

	spoor_name_thread(static_cast<const char *>(name));
	for (int i = 0; i < steps; i++) {
		if (pauses && i == 50)
			spoor_disable();
		step(&shape, i);
		if (pauses && i == 60)
			spoor_enable();
	}
	return nullptr;
}

int main(int argc, char **argv)
{
	char names[3][20] = { "first, \"one\"", "second", "third" };
	pthread_t threads[3];

	steps = atoi(argv[1]);
	pauses = argc > 2;
	spoor_name_event_type(STEPS, "steps", SPOOR_PAYLOAD_NUMBER);
	spoor_name_event_type(WORDS, "words", SPOOR_PAYLOAD_STRING);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], nullptr, run, names[i]);
	for (pthread_t thread : threads)
		pthread_join(thread, nullptr);
}
