/* SPDX-License-Identifier: MIT */
/*
 * backtraces.cc - takes a backtrace at every instruction of a traced call: in sleds,
 * thunks, trampolines, the slow path, a thread's first event, and handlers.
 *
 *   backtraces log|saving|bare|any [MILLISECONDS]	logs events, or calls a handler of that class
 *
 * A machine that cannot step interrupts each thread for MILLISECONDS of processor time, 1,000 by default.
 *
 * The program is built twice: with LIBUNWIND it uses libunwind; without it, it uses the C++
 * runtime, and also throws exceptions through traced frames. The first slice of a new thread
 * has 512 words; the steps begin a few events before its end.
 */
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef LIBUNWIND
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#else
#include <stdexcept>
#include <unwind.h>
#endif

#include MACHINE_HEADER
#include "format/registration.h"
#include "spoor.h"

#define TRACED __attribute__((noinline))
#define UNTRACED __attribute__((noinline, no_instrument_function))
#define EVENTS_OF_FIRST_SLICE 512
#define EVENTS_OF_A_CALL 4

extern "C" int spoor_set_handler(spoor_handler *handler, unsigned int flags) __attribute__((weak));

/* This program's stub. Each of its trampolines takes less than NEAR_BYTES. */
extern "C" struct spoor_dso spoor_dso_self __attribute__((visibility("hidden")));
#define NEAR_BYTES 64

static uintptr_t libspoor_begin, libspoor_end;	/* the text of libspoor.so */
static unsigned long steps_inside, longest_inside, failures;
static volatile uint64_t sink;
static clock_t thread_time = CLOCKS_PER_SEC;	/* of a thread that steps by chance */

/* A function that each backtrace must pass; and the last frame, apart from those that start the thread. */
struct landmark {
	uintptr_t begin, end;
};
static landmark caller, outermost, silent;

extern "C" {
TRACED void reached(int value)
{
	sink += static_cast<uint64_t>(value);
	__asm__ volatile("");
}

/* Logs an entry, a tail call, an entry, and an exit. */
TRACED void traced(int value)
{
	__asm__ volatile("");
	__attribute__((musttail)) return reached(value + 1);
}
}

struct walk {
	bool caller, outermost;
	int frames;
};

UNTRACED static void met(walk *walk, uintptr_t address)
{
	walk->caller |= address - caller.begin < caller.end - caller.begin;
	walk->outermost |= address - outermost.begin < outermost.end - outermost.begin;
	walk->frames++;
}

#ifdef LIBUNWIND
UNTRACED static bool unwind(walk *walk)
{
	unw_context_t context;
	unw_cursor_t cursor;
	unw_word_t address;
	int more;

	if (unw_getcontext(&context) || unw_init_local(&cursor, &context))
		return false;
	while ((more = unw_step(&cursor)) > 0 && walk->frames < 100) {
		unw_get_reg(&cursor, UNW_REG_IP, &address);
		met(walk, address);
	}
	return more == 0;
}
#else
UNTRACED static _Unwind_Reason_Code each_frame(_Unwind_Context *context, void *walk)
{
	met(static_cast<struct walk *>(walk), _Unwind_GetIP(context));
	return static_cast<struct walk *>(walk)->frames < 100 ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

UNTRACED static bool unwind(walk *walk)
{
	return _Unwind_Backtrace(each_frame, walk) == _URC_END_OF_STACK;
}
#endif

UNTRACED static bool lies_in(uintptr_t address, const void *near)
{
	return address - reinterpret_cast<uintptr_t>(near) < NEAR_BYTES;
}

UNTRACED static bool in_trampoline(uintptr_t address)
{
	const spoor_near *near = spoor_dso_self.near;

	for (int i = 0; near && i < 2; i++)
		if (lies_in(address, near->bare[i]) || lies_in(address, near->saving[i]))
			return true;
	return address - libspoor_begin < libspoor_end - libspoor_begin;
}

UNTRACED static void trapped(int number, siginfo_t *info, void *context)
{
	static unsigned long inside;
	uintptr_t address = machine_program_counter(static_cast<ucontext_t *>(context));
	walk walk = {};
	bool ended;

	(void)number;
	(void)info;
	inside = in_trampoline(address) ? inside + 1 : 0;
	steps_inside += inside != 0;
	longest_inside = inside > longest_inside ? inside : longest_inside;
	/* Functions of this test, which push the flags and have no unwind information for that. */
	if (address - silent.begin < silent.end - silent.begin)
		return;
#ifdef LIBUNWIND
	if (machine_hides_return_address(address))
		return;
#endif
	ended = unwind(&walk);
	if (walk.caller && walk.outermost && ended)
		return;
	if (failures++ < 10) {
		Dl_info found = {};

		dladdr(reinterpret_cast<void *>(address), &found);
		fprintf(stderr, "%s+0x%lx: %d frames%s%s%s\n", found.dli_fname ? found.dli_fname : "?",
			static_cast<unsigned long>(address - reinterpret_cast<uintptr_t>(found.dli_fbase)), walk.frames,
			walk.caller ? "" : ", not the caller", walk.outermost ? "" : ", not the outermost function",
			ended ? "" : ", not the end");
	}
}

extern "C" UNTRACED void set_trap_flag(bool on)
{
	machine_steps(on);
}

/* This function has a frame, which no optimisation removes. */
extern "C" UNTRACED void calls_stepped(int calls)
{
	set_trap_flag(true);
	/* Runs for longer by chance. */
	clock_t end = clock() + thread_time;

	for (int i = 0; MACHINE_STEPS_EACH ? i < calls : clock() < end; i++)
		for (int j = 0; j < (MACHINE_STEPS_EACH ? 1 : 100); j++)
			traced(i);
	set_trap_flag(false);
	__asm__ volatile("");
}

extern "C" UNTRACED void calls_plain(int calls)
{
	for (int i = 0; i < calls; i++)
		traced(i);
	__asm__ volatile("");
}

static jmp_buf back;
extern "C" TRACED void jumper()
{
	sink++;
	longjmp(back, 1);
}

/* One event: an entry without an exit. */
extern "C" UNTRACED void entered_only()
{
	if (setjmp(back) == 0)
		jumper();
}

/* @first: number of events before the steps */
extern "C" UNTRACED void *thread_body(void *first)
{
	intptr_t events = reinterpret_cast<intptr_t>(first);

	/* An odd number, so that each kind of event is once the first in a slice. */
	if (events % 2)
		entered_only();
	if (events % EVENTS_OF_A_CALL >= 2)
		reached(0);
	calls_plain(static_cast<int>(events / EVENTS_OF_A_CALL));
	calls_stepped(4);
	__asm__ volatile("");
	return nullptr;
}

UNTRACED static void in_thread(intptr_t first)
{
	pthread_t thread;

	if (pthread_create(&thread, nullptr, thread_body, reinterpret_cast<void *>(first)) ||
	    pthread_join(thread, nullptr))
		abort();
}

UNTRACED static landmark landmark_of(const char *name)
{
	void *address = dlsym(RTLD_DEFAULT, name);
	Dl_info info;
	const ElfW(Sym) *symbol = nullptr;

	if (!address || !dladdr1(address, &info, reinterpret_cast<void **>(const_cast<ElfW(Sym) **>(&symbol)),
				 RTLD_DL_SYMENT) || !symbol) {
		fprintf(stderr, "cannot find %s\n", name);
		exit(1);
	}
	return { reinterpret_cast<uintptr_t>(address), reinterpret_cast<uintptr_t>(address) + symbol->st_size };
}

UNTRACED static int find_libspoor(dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	if (!strstr(info->dlpi_name, "libspoor.so"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
			libspoor_begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
			libspoor_end = libspoor_begin + info->dlpi_phdr[i].p_memsz;
		}
	}
	return 1;
}

/* This handler has a frame between the trampoline and the functions that it calls. */
UNTRACED static void handler(uint64_t function_id, int event)
{
	sink += function_id + static_cast<uint64_t>(event);
	__asm__ volatile("");
}

/* This handler saves registers itself and calls no function. */
UNTRACED SPOOR_SAVES_REGISTERS static void handler_saves(uint64_t function_id, int event)
{
	sink += function_id + static_cast<uint64_t>(event);
}

#ifndef LIBUNWIND
/* Frames that an exception unwinds are traced like others. */
struct guard {
	TRACED ~guard()
	{
		sink++;
	}
};

TRACED static void thrower(int depth)
{
	guard here;

	if (depth == 0)
		throw std::runtime_error("thrown");
	thrower(depth - 1);
}

UNTRACED static int count_caught(int count)
{
	int caught = 0;

	for (int i = 0; i < count; i++) {
		try {
			thrower(i % 20);
		} catch (const std::runtime_error &error) {
			caught += strcmp(error.what(), "thrown") == 0;
		}
	}
	return caught;
}
#endif

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "log";
	struct sigaction action = {};
	/* The first unwinding allocates, binds symbols and fills caches, so it runs before the steps. */
	walk once = {};
	bool logs = strcmp(mode, "log") == 0;

	if (!spoor_set_handler || !dl_iterate_phdr(find_libspoor, nullptr)) {
		fprintf(stderr, "libspoor.so is not loaded\n");
		return 1;
	}
	if (argc > 2)
		thread_time = atol(argv[2]) * (CLOCKS_PER_SEC / 1000);
	caller = landmark_of("calls_stepped");
	outermost = landmark_of("thread_body");
	silent = landmark_of("set_trap_flag");
	unwind(&once);
	if (strcmp(mode, "saving") == 0)
		spoor_set_handler(reinterpret_cast<spoor_handler *>(handler_saves), SPOOR_HANDLER_SAVES_REGISTERS);
	else if (!logs)
		spoor_set_handler(handler, strcmp(mode, "bare") == 0 ? SPOOR_HANDLER_GENERAL_REGISTERS_ONLY : 0);
	action.sa_sigaction = trapped;
	action.sa_flags = SA_SIGINFO;
	sigaction(MACHINE_STEPS_SIGNAL, &action, nullptr);
	in_thread(0);	/* including the thread's first event */
	for (int before_end = 8; logs && before_end < 12; before_end++)
		in_thread(EVENTS_OF_FIRST_SLICE - before_end);
	if (steps_inside < (MACHINE_STEPS_EACH ? 200 : 50) || (MACHINE_STEPS_EACH && logs && longest_inside < 200)) {
		fprintf(stderr, "only %lu steps in trampolines, at most %lu in a row\n", steps_inside, longest_inside);
		failures++;
	}
#ifndef LIBUNWIND
	/* An emulator that looks for signals before each instruction is slow. */
	int thrown = MACHINE_STEPS_EACH ? 10000 : 100;

	if (count_caught(thrown) != thrown) {
		fprintf(stderr, "exceptions did not arrive\n");
		failures++;
	}
#endif
	printf("%s: %lu steps in trampolines, at most %lu in a row, %lu failures\n", mode, steps_inside, longest_inside,
	       failures);
	return failures ? 1 : 0;
}
