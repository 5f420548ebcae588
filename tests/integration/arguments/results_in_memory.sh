#!/bin/sh
# SPDX-License-Identifier: MIT
# results_in_memory.sh - a result in memory has the address that the program itself knows, where objects of C++17 are
# constructed at the caller's place: in recursion, in threads and signal handlers, after exceptions and longjmp, and in
# tail calls. A call whose entry was not recorded has no address.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
. "$top_srcdir/tests/integration/support/gcc.sh"
spoor=$top_builddir/tools/spoor

cat > results.cc << 'END'
#include <dlfcn.h>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <pthread.h>
#include <string>
#include <sys/time.h>
#define FAR __attribute__((noinline))
#define KEEP(x) __asm__ volatile("" : : "r"(&(x)) : "memory")
/* What the program knows: where the results of functions are. */
static struct { const char *name; const void *at; } known[1 << 16];
static int count;
FAR static void know(const char *name, const void *at) { known[__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED)] = { name, at }; }
/* spoor_enable or spoor_disable of the runtime. */
static void change(const char *function) { ((long (*)())dlsym(RTLD_DEFAULT, function))(); }
template <int size> struct object {
	long numbers[size];
	/* Without the assembly, the call is a tail call on AArch64. */
	object(const char *name, long n) { numbers[0] = n; know(name, this); KEEP(numbers); }
	object(const object &) = delete;
	~object() { KEEP(numbers); }
};
using small = object<5>;
using large = object<200>;
struct plain { long a[4]; };
static jmp_buf back;
static long handled = 1000000;

extern "C" {
FAR small f_small(long n) { return small("f_small", n); }
FAR large f_large(long n) { KEEP(n); return large("f_large", n); }
FAR plain f_plain(long n) { plain result = { { n } }; know("f_plain", &result); KEEP(result); return result; }
FAR std::string f_text(long n) { KEEP(n); return std::string("the text of a call"); }
FAR small f_deep(long n)
{
	if (n % 1000 == 0)
		return small("f_deep", n);
	small inner = f_deep(n - 1);
	KEEP(inner);
	return small("f_deep", n);
}
FAR small f_throws(long n)
{
	small other = f_small(n + 500);
	KEEP(other);
	if (n & 1)
		throw n;
	return small("f_throws", n);
}
FAR small f_jumps(long n)
{
	if (n & 1)
		longjmp(back, 1);
	return small("f_jumps", n);
}
#ifdef __clang__
FAR plain f_tail(long n) { [[clang::musttail]] return f_plain(n); }
#else
FAR plain f_tail(long n) { return f_plain(n); }
#endif
/* The entry of the call with 2 is not recorded, because the functions are asleep. The one with 1 had the same frame. */
#ifdef __aarch64__
static const char woken[] = "f_slept an unknown address";
#else
static const char woken[] = "f_slept";
#endif
FAR small f_slept(long n)
{
	if (n == 1)
		longjmp(back, 1);
	if (n == 2)
		change("spoor_enable");
	return small(n == 2 ? woken : "f_slept", n);
}
FAR small f_handled(long n) { return small("f_handled", n); }
}
static void on_signal(int) { small result = f_handled(__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED)); KEEP(result); }
FAR static void calls(long n)
{
	plain p = f_plain(n);
	KEEP(p);
	small s = f_small(n);
	large l = f_large(n);
	std::string text = f_text(n);
	know("f_text", &text);
	KEEP(s);
	KEEP(l);
	try {
		small t = f_throws(n);
		KEEP(t);
	} catch (long) {
	}
	if (n % 10 == 0) {
		plain tail = f_tail(n + 700);
		KEEP(tail);
	}
}
FAR static void jumps(volatile long n)
{
	if (!setjmp(back)) {
		small s = f_jumps(n);
		KEEP(s);
	}
}
FAR static void slept(volatile long n)
{
	if (!setjmp(back)) {
		small s = f_slept(n);
		KEEP(s);
	}
}
static void *thread(void *first)
{
	for (long n = (long)first; n < (long)first + 100; n++)
		calls(n);
	small s = f_deep((long)first + 200);
	KEEP(s);
	return nullptr;
}
int main()
{
	struct itimerval timer = { { 0, 2000 }, { 0, 2000 } }, off = {};
	pthread_t threads[3];
	std::signal(SIGALRM, on_signal);
	setitimer(ITIMER_REAL, &timer, nullptr);
	for (long i = 0; i < 3; i++)
		pthread_create(&threads[i], nullptr, thread, (void *)((i + 1) * 1000));
	thread(nullptr);
	for (long n = 0; n < 20; n++)
		jumps(n);
	for (pthread_t one : threads)
		pthread_join(one, nullptr);
	setitimer(ITIMER_REAL, &off, nullptr);
	slept(0);
	slept(1);
	change("spoor_disable");
	slept(2);
	slept(3);
	for (int i = 0; i < count; i++)
		if (known[i].name == woken && woken[7])
			std::puts(woken);
		else
			std::printf("%s %p\n", known[i].name, known[i].at);
}
END

# compared PROGRAM [KEY=VALUE...] - compares what the program knows with its trace.
compared()
{
	name=$1
	shift
	(export SPOOR_RUNTIME_FUNCTIONS='f_*' SPOOR_RUNTIME_RETVAL='f_*(:p)' "$@"
		traced results.trace "./$name" > printed 2> said) || fail "$name: status $?: $(cat said)"
	silent said
	sort printed > wanted
	[ "$(wc -l < wanted)" -gt 2000 ] || fail "$name: the program knows only $(wc -l < wanted) results"
	"$spoor" export --format=json --flat -o results.json results.trace
	sed -n 's/^.*"function":"\(f_[a-z]*\)".*"result":.*<in memory at \(an unknown address\|0x[0-9a-f]*\)>.*$/\1 \2/p' results.json |
		grep -v '^f_tail ' | sort > shown
	# On AArch64, frames of different stacks may share the place of a note, so single addresses may be missing.
	grep -x 'f_slept .*' wanted > wanted_slept
	grep -x 'f_slept .*' shown | cmp -s wanted_slept - || fail "$name $*: f_slept has $(grep f_slept shown)"
	grep -vx 'f_slept .*' wanted > wanted_others
	grep -v 'unknown address' shown | grep -vx 'f_slept .*' > known
	missing=$(comm -23 wanted_others known | wc -l)
	[ -z "$(comm -13 wanted_others known)" ] && [ "$(wc -l < shown)" = "$(wc -l < wanted)" ] &&
		[ "$missing" -le $(($(wc -l < wanted) / 10)) ] || fail "$name $*: $(diff wanted shown | head -n 20)"
	[ "$SPOOR_ARCH" = aarch64 ] || [ "$missing" = 0 ] || fail "$name $*: $missing addresses are missing"
}

for level in -O0 -O2 -O3; do
	traced_cxx -std=c++17 -Wno-return-type-c-linkage $level -o "results$level" results.cc -pthread
	compared "results$level" SPOOR_RUNTIME_ARGS=
done
compared results-O2 SPOOR_RUNTIME_ARGS='f_*'
for version in 14 19; do
	command -v "clang-$version" > /dev/null || continue
	SPOOR_CC=clang-$version "$SPOOR_DRIVERS/spoor-cc" -std=c++17 -O2 -w -fuse-ld=lld -o "results.$version" results.cc \
		-pthread -lstdc++ 2> said || {
		grep -q 'cannot find the plugin' said && continue
		fail "clang-$version: $(cat said)"
	}
	compared "results.$version" SPOOR_RUNTIME_ARGS=
done
"$SPOOR_DRIVERS/spoor-c++" -std=c++17 -O2 -flto -fuse-ld=lld -w -Wl,--export-dynamic \
	-o results.lto results.cc -pthread 2> said && compared results.lto SPOOR_RUNTIME_ARGS= ||
	echo "results_in_memory: no link by lld, so -flto is not tested: $(head -n 1 said)" >&2
for version in $(all_gccs); do
	use_gcc "$version"
	for level in -O0 -O2; do
		"$spoor_gxx" -std=c++17 $level -w -o results.gcc results.cc -pthread
		compared results.gcc SPOOR_RUNTIME_ARGS=
	done
done

# The contents of results at the end of a page of the stack, which spoor reads itself: an emulator reads no other memory
# for it.
cat > contents.cc << 'END'
#include <alloca.h>
#include <cstdint>
#include <string>
#define FAR __attribute__((noinline))
#define KEEP(x) __asm__ volatile("" : : "r"(&(x)) : "memory")
struct pair { long a; double b; int c[4]; };
struct numbers { int all[150]; };
FAR pair f_pair(int n) { pair result = { n, n / 2.0, { 1, -n, 3, 4 } }; KEEP(result); return result; }
FAR numbers f_numbers(int n)
{
	numbers result;
	for (int i = 0; i < 150; i++)
		result.all[i] = i * n;
	KEEP(result);
	return result;
}
FAR std::string f_text(int n) { std::string result = n & 1 ? "odd" : "not odd"; KEEP(result); return result; }
FAR void calls(int n)
{
	pair p = f_pair(n);
	KEEP(p);
	std::string text = f_text(n);
	KEEP(text);
}
FAR void call_numbers(int n) { numbers all = f_numbers(n); KEEP(all); }
/* Calls at a place of the stack page. */
FAR void call(void (*function)(int), int n)
{
	char *room = (char *)alloca(16);
	room = (char *)alloca(16 + (((uintptr_t)room - 3600) & 4095));
	KEEP(*room);
	function(n);
	KEEP(*room);
}
int main()
{
	for (int n = 1; n < 4; n++) {
		call(calls, n);
		call(call_numbers, n);
	}
}
END
for n in 1 2 3; do
	case $n in 1) half=0.5 text=odd ;; 2) half=1 text='not odd' ;; *) half=1.5 text=odd ;; esac
	echo "f_pair(n=$n) = {a=$n, b=$half, c=[1, -$n, 3, 4]}"
	echo "f_text(n=$n) = \"$text\""
	echo "f_numbers(n=$n) = {all=[$(seq -s ', ' 0 "$n" $((n * 15))), ...]}"
done > wanted
for level in -O0 -O1 -O2; do
	traced_cxx -std=c++17 -Wno-return-type-c-linkage $level -o "contents$level" contents.cc
	SPOOR_RUNTIME_FUNCTIONS='f_*' SPOOR_RUNTIME_ARGS='f_*' SPOOR_RUNTIME_RETVAL='f_*' traced contents.trace "./contents$level" 2> said ||
		fail "contents $level: status $?: $(cat said)"
	silent said
	"$spoor" replay --no-pager contents.trace | sed -n 's/^.* \(f_[a-z]*(.*) = .*\) contents.*;$/\1/p' > shown
	cmp -s wanted shown || fail "contents $level: $(diff wanted shown)"
done
