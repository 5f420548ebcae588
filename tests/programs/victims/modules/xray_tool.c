// SPDX-License-Identifier: MIT
/*
 * xray_tool.c - a tool that was written for XRay: it uses LLVM's <xray/xray_interface.h> and
 * nothing of spoor. It prints the same with either runtime.
 *
 *   xray_tool LIBRARY          numbers, names, and calls of all functions
 *   xray_tool LIBRARY spoor    also the calls that make XRay crash
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <xray/xray_interface.h>

#define TRACED __attribute__((noinline, xray_always_instrument, visibility("default")))
#define UNTRACED __attribute__((noinline, xray_never_instrument))
#define KEEP __asm__ volatile("" : : : "memory")
#define OBJECTS 3
#define FUNCTIONS 64

static unsigned long counts[OBJECTS][FUNCTIONS][3], strange;

UNTRACED static void handler(int32_t packed, enum XRayEntryType kind)
{
	uint32_t object = (uint32_t)packed >> 24, function = (uint32_t)packed & 0xffffff;

	if (object >= OBJECTS || function >= FUNCTIONS || kind > 2)
		__atomic_fetch_add(&strange, 1, __ATOMIC_RELAXED);
	else
		__atomic_fetch_add(&counts[object][function][kind], 1, __ATOMIC_RELAXED);
}

UNTRACED static void arg1(int32_t packed, enum XRayEntryType kind, uint64_t argument)
{
	(void)packed, (void)kind, (void)argument;
}

UNTRACED static void typed_event(size_t type, const void *payload, size_t bytes)
{
	(void)type, (void)payload, (void)bytes;
}

int leaf(int a);
int before_leaf(int a);
int around(int n);
double sums(double a, double b);
int never_called(int a);

TRACED int leaf(int a)
{
	KEEP;
	return a + 1;
}

TRACED int never_called(int a)
{
	KEEP;
	return leaf(a) * leaf(a + 1);
}

/* Leaves by a tail call. */
TRACED int before_leaf(int a)
{
	KEEP;
	return leaf(a + 1);
}

TRACED double sums(double a, double b)
{
	KEEP;
	return a + b;
}

/* Has two exits. */
TRACED int around(int n)
{
	int sum = 0;

	if (n < 0)
		return -1;
	for (int i = 0; i < n; i++)
		sum += before_leaf(i) + (sums(i, 1) == i + 1);
	return sum;
}

UNTRACED static void *work(void *sum)
{
	int (*plug_in)(int) = (int (*)(int))dlsym(sum, "plug_in_sum");

	if (around(1000) != 502500 || around(-1) != -1 || (plug_in && plug_in(10) != 45))
		strange++;
	return NULL;
}

UNTRACED static void run(const char *what, void *library)
{
	pthread_t threads[2];

	memset(counts, 0, sizeof(counts));
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, library);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int object = 0; object < OBJECTS; object++) {
		for (int function = 0; function < FUNCTIONS; function++) {
			unsigned long *of = counts[object][function];

			if (of[0] || of[1] || of[2])
				printf("%s: %d.%d entries %lu exits %lu tails %lu\n", what, object, function, of[0], of[1],
				       of[2]);
		}
	}
}

UNTRACED static const char *name(uintptr_t address)
{
	Dl_info info;

	return address && dladdr((void *)address, &info) && info.dli_saddr == (void *)address ? info.dli_sname : "-";
}

UNTRACED int main(int argc, char **argv)
{
	void *library = dlopen(argv[1], RTLD_NOW);
	int32_t objects, number = 0;

	if (argc < 2 || !library)
		return 2;
	__xray_init();
	objects = (int32_t)__xray_num_objects();
	printf("objects %d, functions %zu\n", objects, __xray_max_function_id());
	for (int32_t object = 0; object < objects; object++) {
		int32_t last = (int32_t)__xray_max_function_id_in_object(object);

		for (int32_t i = 0; i <= last + 1; i++) {
			const char *called = i ? name(__xray_function_address_in_object(i, object)) : "-";

			printf("%d.%d %s %s\n", object, i, called,
			       i ? name(__xray_function_address(__xray_pack_id(i, object))) : "-");
			if (strcmp(called, "leaf") == 0)
				number = i;
		}
	}
	printf("packed %x %d %d\n", (unsigned int)__xray_pack_id(0x1234567, 0x189),
	       __xray_unpack_function_id(__xray_pack_id(77, 200)), __xray_unpack_object_id(__xray_pack_id(77, 200)));

	run("dormant", library);
	printf("handler %d\n", __xray_set_handler(handler));
	run("dormant still", library);
	printf("patched %d\n", __xray_patch());
	run("patched", library);
	printf("removed %d\n", __xray_remove_handler());
	run("removed", library);
	printf("handler %d\n", __xray_set_handler(handler));
	printf("unpatched %d\n", __xray_unpatch_object(1));
	run("without the library", library);
	printf("unpatched %d\n", __xray_unpatch());
	run("unpatched", library);
	printf("one %d\n", __xray_patch_function(number));
	run("one", library);
	printf("one less %d, the library %d\n", __xray_unpatch_function_in_object(number, 0), __xray_patch_object(1));
	run("the library", library);
	printf("one of the library %d\n", __xray_unpatch_function(__xray_pack_id(1, 1)));
	run("less of the library", library);
	printf("wrong %d %d %d %d %d\n", __xray_patch_function(0), __xray_patch_function(9999),
	       __xray_patch_function_in_object(1, 100), __xray_patch_object(100), __xray_unpatch_object(-1));
	printf("wrong %zu %zu %zu\n", (size_t)__xray_function_address(9999),
	       (size_t)__xray_function_address_in_object(1, 100), __xray_max_function_id_in_object(100));
	printf("strange %lu\n", strange);
	if (argc < 3)
		return 0;

	printf("refused %d %d %d %d\n", __xray_set_handler_arg1(arg1), __xray_set_customevent_handler(NULL),
	       __xray_set_typedevent_handler(typed_event),
	       __xray_register_event_type("mine"));
	dlclose(library);
	printf("closed %zu %zu %d %d\n", (size_t)__xray_function_address(__xray_pack_id(1, 1)),
	       __xray_max_function_id_in_object(1), __xray_patch_object(1), __xray_patch());
	for (int i = 0; i < 600; i++) {
		library = dlopen(argv[1], RTLD_NOW);
		if (!library || __xray_patch() != SUCCESS || !__xray_function_address(__xray_pack_id(1, 1)))
			strange++;
		dlclose(library);
	}
	library = dlopen(argv[1], RTLD_NOW);
	printf("opened again: objects %zu, %s\n", __xray_num_objects(), name(__xray_function_address(__xray_pack_id(1, 1))));
	__xray_unpatch();
	__xray_patch_object(1);
	run("opened again", library);
	printf("strange %lu\n", strange);
	return 0;
}
