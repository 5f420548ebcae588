#!/bin/sh
# SPDX-License-Identifier: MIT
# slot_choice.sh - patterns choose functions that call slots lead to, by library and name. A call of a traced function, a
# library call through a call slot, and one through a jump slot are one tree. A library with sleds records its own calls,
# and each call is counted once. Slots lead to their functions whenever recording is off.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
sources=$victims/library

# tree PART OPTION... - records handle -> part_read -> read, and compares the tree, which is on stdin.
tree()
{
	tree_part=$1
	shift
	cat > wanted
	"$spoor" record -q -o tree.trace "$@" ./tree > out 2> err || fail "$tree_part $*: tree fails: $(cat err)"
	[ "$(cat out)" = 51 ] || fail "$tree_part $*: tree prints $(cat out)"
	"$spoor" replay --no-pager tree.trace | sed -n 's/^ *[0-9.]* [nmu]*s  */ /; s/^  *//; /^#/d; /./p' > replay
	cmp -s wanted replay || fail "$tree_part $*: another tree than expected: $(diff wanted replay)"
}
three()
{
	for i in 1 2 3; do
		printf '%s\n' "$@"
	done
}
three 'handle() tree {' 'part_read() libpart.so {' 'read() libc.so.6;' '} part_read()' '} handle()' > whole
three 'handle() tree {' 'part_read() libpart.so;' '} handle()' > upper
three 'read() libc.so.6;' > lower

cc -O1 -fPIC -shared -Wl,-soname,libpart.so -o libpart.so "$sources/slot_part.c"
traced_cc -O1 -fspoor-calls='part_*,read' -o tree "$sources/slot_tree.c" -L. -lpart "-Wl,-rpath,$PWD"
# The library was not rebuilt: its call goes through a jump slot.
tree plain -f 'handle,part_*' < upper
tree plain -f 'handle,part_*' --library-calls 'libc*:read' < whole
tree plain -m 'libpart*,tree' -f '-main' < upper
three 'part_read() libpart.so;' | tree plain -m 'libpart*'
# Both ways chosen: once counted.
tree plain -f 'handle' --library-calls 'libc*:read,libpart*' < whole

# The library has call slots and no other traced function is chosen.
traced_cc -O1 -fspoor-calls=read -fPIC -shared -Wl,-soname,libpart.so -o libpart.so "$sources/slot_part.c"
tree slots -f 'handle,part_*,read' < whole
tree slots -f 'handle,part_*,read' --library-calls 'libc*:read' < whole
tree slots -m 'libc.so*' -f read < lower
tree slots -m 'tree,libpart.so' -f 'handle,part_*,read' < upper
# The library has sleds and no call slots: its sleds record part_read, a jump slot read.
traced_cc -O1 -fPIC -shared -Wl,-soname,libpart.so -o libpart.so "$sources/slot_part.c"
tree sleds -f 'handle,part_*' < upper
tree sleds -f 'handle,part_*' --library-calls '*:read,*:part_read' < whole

# Patterns that match nothing.
! "$spoor" record -q -o none.trace -m 'libc.so*' -f no_such ./tree > out 2> err || fail "a pattern without a match is accepted"
grep -q "matches 'no_such'" err || fail "the pattern is not named: $(cat err)"

# Counts.
"$spoor" record -q --mode count -o count.trace -f 'handle,part_*' ./tree > /dev/null 2> err || fail "counting fails: $(cat err)"
"$spoor" report --no-pager --format csv --columns function,library,calls count.trace | tr -d '"\r' > counts
for line in handle,tree,3 part_read,libpart.so,3; do
	grep -qx "$line" counts || fail "the counts have no line $line: $(cat counts)"
done

# Switched on and off by the program: slots lead to functions or wrappers.
cat > switches.c << 'END_OF_FILE'
#include <spoor.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct slot { void *slot, *function; int32_t wrapper, name; };
extern struct slot begin[] __asm__("__start_spoor_slots"), end[] __asm__("__stop_spoor_slots");
static void show(const char *when)
{
	for (struct slot *at = begin; at < end; at++)
		if (strcmp((char *)&at->name + at->name, "getppid") == 0)
			printf("%s %s\n", when, at->slot == at->function ? "function" :
			       at->slot == (char *)&at->wrapper + at->wrapper ? "wrapper" : "elsewhere");
}
int main(void)
{
	show("begin");
	getppid();
	spoor_disable();
	show("off");
	getppid();
	spoor_enable();
	show("on");
	getppid();
	spoor_functions_disable("libc*", "getppid");
	show("disabled");
	getppid();
	spoor_functions_enable("libc*", "getppid");
	show("enabled");
	getppid();
	return 0;
}
END_OF_FILE
traced_cc -O1 -fspoor-runtime -fspoor-calls=getppid -o switches switches.c
printf '%s\n' 'begin wrapper' 'off function' 'on wrapper' 'disabled function' 'enabled wrapper' > wanted
"$spoor" record -q -o switches.trace ./switches > out 2> err || fail "switches fails: $(cat err)"
cmp wanted out || fail "slots lead elsewhere than expected: $(diff wanted out)"
[ "$("$spoor" replay --no-pager switches.trace | grep -c 'getppid() libc.so.6;')" = 3 ] ||
	fail "not 3 calls of getppid: $("$spoor" replay --no-pager switches.trace)"

# The address of the function is the executable's own entry of its procedure linkage table, whose jump slot may lead to a
# stub: each call is counted once. A process that runs is recorded too, and then its slots lead to functions again.
cat > taken.c << 'END_OF_FILE'
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
struct slot { void *slot, *function; int32_t wrapper, name; };
extern struct slot begin[] __asm__("__start_spoor_slots");
static volatile sig_atomic_t ended;
static void end(int number) { ended = number; }
int main(int argc, char **argv)
{
	int (*volatile taken)(void) = (int (*)(void))getppid;
	(void)argv;
	signal(SIGTERM, end);
	do {
		getppid();
		if (argc > 1)
			usleep(500);
	} while (argc > 1 && !ended);
	printf("%d %s\n", taken() > 0, begin->slot == begin->function ? "function" : "wrapper");
	return 0;
}
END_OF_FILE
for linker in bfd gold lld; do
	traced_cc -O2 -fno-pie -no-pie "-fuse-ld=$linker" -fspoor-calls=getppid -o taken taken.c
	for choice in '' '--library-calls=libc*'; do
		# shellcheck disable=SC2086
		"$spoor" record -q -o taken.trace $choice ./taken > out 2> err || fail "$linker: taken fails: $(cat err)"
		[ "$(cat out)" = '1 wrapper' ] || fail "$linker: taken prints $(cat out)"
		[ "$("$spoor" replay --no-pager taken.trace | grep -c 'getppid() libc.so.6;')" = 1 ] ||
			fail "$linker $choice: not one call: $("$spoor" replay --no-pager taken.trace)"
	done
done
if [ -z "$emulated" ]; then
	./taken run > out &
	process=$!
	awaited 'taken to run' has_begun $process taken
	"$spoor" record -q -o attached.trace --pid $process --duration 300ms -f getppid > err 2>&1 || fail "attaching fails: $(cat err)"
	# Another recording follows other patterns: first by those for library calls alone, then by none.
	"$spoor" record -q -o again.trace --pid $process --duration 300ms -m taken --library-calls 'libc*:usleep,libc*:getppid' > err 2>&1 ||
		fail "attaching again fails: $(cat err)"
	"$spoor" report --no-pager --format csv --columns function,library again.trace | grep -q '^"*getppid' ||
		fail "library calls were not recorded: $("$spoor" report --no-pager again.trace)"
	"$spoor" record -q --allow-empty -o none.trace --pid $process --duration 200ms -m taken > err 2>&1 || fail "attaching fails: $(cat err)"
	! "$spoor" report --no-pager --format csv --columns function,library none.trace 2> /dev/null | grep -q '^"*getppid' ||
		fail "library calls were recorded: $("$spoor" report --no-pager none.trace)"
	kill $process
	wait $process
	[ "$(cat out)" = '1 function' ] || fail "after detaching taken prints $(cat out)"
	"$spoor" report --no-pager --format csv --columns function,library,calls attached.trace | tr -d '"\r' > counts
	[ "$(awk -F, '$1 == "getppid" && $2 == "libc.so.6" { n += $3 } END { print n + 0 }' counts)" -ge 1 ] ||
		fail "no call was recorded after attaching: $(cat counts)"
fi

# A module that dlopen loads, again and again, and another build of it at the same place.
cat > plugin.c << 'END_OF_FILE'
#include <unistd.h>
int plugin(void);
int plugin(void) { return getppid() > 0 && EXTRA; }
END_OF_FILE
for extra in 1 2; do
	traced_cc -O1 -fspoor-calls=getppid -fPIC -shared -DEXTRA="(getpid() > 0 && $extra)" -o plugin$extra.so plugin.c
done
cat > loads.c << 'END_OF_FILE'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 100; i++) {
		void *module = dlopen(i % 2 ? "./plugin1.so" : "./plugin2.so", RTLD_NOW);
		int (*plugin)(void) = module ? (int (*)(void))dlsym(module, "plugin") : NULL;
		sum += plugin ? plugin() : 1000;
		if (module)
			dlclose(module);
	}
	printf("%d\n", sum);
	return 0;
}
END_OF_FILE
traced_cc -O1 -o loads loads.c
"$spoor" record -q -o loads.trace ./loads > out 2> err || fail "loads fails: $(cat err)"
[ "$(cat out)" = 100 ] || fail "loads prints $(cat out)"
"$spoor" report --no-pager --format csv --columns function,library,calls loads.trace | tr -d '"\r' > counts
[ "$(awk -F, '$1 == "plugin" { n += $3 } END { print n + 0 }' counts)" = 100 ] || fail "plugin has other counts: $(cat counts)"
grep -qx 'getppid,libc.so.6,100' counts || fail "getppid has other counts: $(cat counts)"
