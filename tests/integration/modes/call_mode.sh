#!/bin/sh
# SPDX-License-Identifier: MIT
# call_mode.sh - programs with injected calls instead of sleds behave the same. Their traces have the same functions
# by name, the same numbers of calls, the same order and nesting: C++ with exceptions, several units and libraries,
# coroutines, deep tail recursion. With SPOOR_LONG, SQLite too.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
unset $(env | sed -n 's/^\(SPOOR_INSTRUMENTATION_[A-Z_]*\)=.*/\1/p')
LD_LIBRARY_PATH=${libspoor%/*}
export LD_LIBRARY_PATH

# tree TRACE - prints the call tree without times and without notes on how calls ended: injected calls log an exit for
# functions that an exception leaves.
tree()
{
	"$reader" replay "$1" 2> tree.err | sed '/^# process\|^# thread/d; s/^[ 0-9.]* [mun]*s \{0,1\}//; s/^ *//; s/  #.*//'
	[ ! -s tree.err ] || fail "spoor replay printed messages and must print none: $(cat tree.err)"
}

# both NAME STATUS COMMAND... - runs the programs in sled/ and in call/, and compares their traces.
both()
{
	both_name=$1 both_status=$2
	shift 2
	for mode in sled call; do
		cd $mode
		rm -rf t
		both_got=0
		SPOOR_RUNTIME_TRACE_PATH=t "$@" > out 2> err || both_got=$?
		[ "$both_got" = "$both_status" ] ||
			fail "$both_name, $mode: status $both_got instead of $both_status: $(tail -n 5 err)"
		tree t > tree
		"$reader" report --format=csv --no-demangle t | cut -d, -f1-3 | sort > calls
		cd ..
	done
	cmp sled/out call/out || fail "$both_name: the outputs differ (see above)"
	diff sled/calls call/calls > difference || fail "$both_name: the calls differ: $(head difference)"
	[ "$(wc -l < call/calls)" -gt 2 ] || fail "$both_name: the trace has no calls: $(cat call/calls)"
	! grep -q 'unknown#' call/tree || fail "$both_name: functions have no names: $(grep -m 3 unknown# call/tree)"
}

small_stack()
{
	(ulimit -s 512 && exec "$@")
}

mkdir sled call
for mode in sled call; do
	cd $mode
	cc="traced_cc -fspoor-mode=$mode -fspoor-runtime -I$top_srcdir/libspoor/include"
	cxx="traced_cxx -fspoor-mode=$mode -fspoor-runtime"
	$cxx -o throws "$victims/calls/throws.cc"
	$cxx -std=c++20 -o coroutines "$victims/threads/coroutines.cc"
	$cc -fPIC -shared -o libpart.so "$victims/calls/tail_part.c"
	$cc -o tails "$victims/calls/tails.c" -L. -lpart -Wl,-rpath,'$ORIGIN'
	cd ..
done

both exceptions 0 ./throws
cmp sled/tree call/tree || fail "exceptions: the call trees differ: $(diff sled/tree call/tree | head)"
# Deeper than the stack allows, unless tail calls are jumps.
both coroutines 0 small_stack ./coroutines
cmp sled/tree call/tree || fail "coroutines: the call trees differ: $(diff sled/tree call/tree | head)"
both "tail calls" 0 small_stack ./tails
cmp sled/tree call/tree || fail "tail calls: the call trees differ: $(diff sled/tree call/tree | head)"

# An excluded main still starts and ends the runtime.
cat > excluded.c <<'END'
__attribute__((noinline)) int called(int x) { __asm__ volatile(""); return x; }
__attribute__((xray_never_instrument)) int main(void) { return called(0); }
END
traced_cc -fspoor-mode=call -fspoor-runtime -o excluded excluded.c
nm -u excluded | grep -q _spoor_runtime_Deinitialize ||
	fail "an excluded main does not end the runtime: no _spoor_runtime_Deinitialize in $(nm -u excluded)"
SPOOR_RUNTIME_TRACE_PATH=t ./excluded
[ "$("$reader" report --format=csv t | cut -d, -f1,3 | tail -n +2)" = called,1 ] ||
	fail "an excluded main: the trace must have one call of called: $("$reader" report t)"

# Two units may have the same module ID: their functions stay distinct.
echo 'int first(int x) { return x + 1; }' > first.c
cat > second.c <<'END'
int first(int x);
__attribute__((noinline)) int second(int x) { __asm__ volatile(""); return x; }
int main(void) { for (int i = 0; i < 9; i++) second(i); return first(-1); }
END
SPOOR_INSTRUMENTATION_MODULE_ID=libtold.so traced_cc -fspoor-mode=call -fspoor-runtime -o told first.c second.c
SPOOR_RUNTIME_TRACE_PATH=told.trace ./told
equal "calls in units of one name" "$("$reader" report --format=csv told.trace | cut -d, -f1,3 | tail -n +2 | sort | xargs)" \
	"first,1 main,1 second,9"

# Units with the same content in two folders, however their paths are given: their functions stay distinct.
for folder in left right; do
	mkdir -p twin/$folder
	cat > twin/$folder/twin.c <<'END'
static __attribute__((noinline)) int twin(int x) { __asm__ volatile(""); return x; }
struct step { int (*run)(int); };
__attribute__((section("steps"), used)) static struct step step = { twin };
END
done
cmp twin/left/twin.c twin/right/twin.c
cat > twin/main.c <<'END'
extern struct step { int (*run)(int); } __start_steps[], __stop_steps[];
int main(void)
{
	int sum = 0;
	for (struct step *step = __start_steps; step != __stop_steps; step++)
		for (int i = 0; i < 5; i++)
			sum += step->run(i);
	return sum != 20;
}
END
for way in together inside absolute; do
	case $way in
	together) traced_cc -fspoor-mode=call -c twin/left/twin.c -o left.o && traced_cc -fspoor-mode=call -c twin/right/twin.c -o right.o ;;
	inside) for folder in left right; do (cd twin/$folder && traced_cc -fspoor-mode=call -c twin.c -o "$work/$folder.o"); done ;;
	absolute) for folder in left right; do traced_cc -fspoor-mode=call -c "$work/twin/$folder/twin.c" -o $folder.o; done ;;
	esac
	traced_cc -fspoor-mode=call -fspoor-runtime -o twins twin/main.c left.o right.o
	rm -rf twins.trace
	SPOOR_RUNTIME_TRACE_PATH=twins.trace ./twins
	equal "$way: calls in units of one content" "$("$reader" report --format=csv twins.trace | cut -d, -f1,3 | tail -n +2 | sort | xargs)" \
		"main,1 twin,5 twin,5"
done

# Functions that an ifunc resolver calls run before the runtime can be called, with each kind of linking; they are
# called again later.
cat > resolves.c <<'END'
static volatile int asked;
static __attribute__((noinline)) int deepest(int x) { asked++; return x; }
static __attribute__((noinline)) int have(int x) { return deepest(x) + 1; }
static int fast(int x) { return x + 1; }
static int slow(int x) { return x + 2; }
static int (*pick(void))(int) { return have(0) ? fast : slow; }
extern __typeof(have) known_as __attribute__((alias("have")));
static int (*pick_too(void))(int) { return known_as(0) ? fast : slow; }
int go(int) __attribute__((ifunc("pick")));
int go_too(int) __attribute__((ifunc("pick_too")));
int resolved(int x) { return go(x) + go_too(x) + have(-1); }
END
echo 'int resolved(int); int main(void) { int n = 0; for (int i = 0; i < 10; i++) n = resolved(0); return n != 2; }' > resolve.c
# The drivers link libspoor.a for their own machine only.
for mode in sled call order; do
	for bind in now lazy; do
		traced_cc -fspoor-mode=$mode -fspoor-runtime -fPIC -shared -Wl,-z,$bind -o libresolves.so resolves.c
		traced_cc -fspoor-mode=$mode -fspoor-runtime -Wl,-z,$bind -o resolve resolve.c -L. -lresolves -Wl,-rpath,"$work"
		traced_cc -fspoor-mode=$mode -fspoor-runtime -Wl,-z,$bind -pie -o resolve_one resolve.c resolves.c
		traced_cc -fspoor-mode=$mode -fspoor-runtime -static-pie -o resolve_static resolve.c resolves.c 2> static.err ||
			[ -n "$emulated" ] || [ ! -e "$top_builddir/libspoor/libspoor.a" ] ||
				fail "$mode: linking with -static-pie failed: $(cat static.err)"
		for program in resolve resolve_one resolve_static; do
			[ -e $program ] || continue
			for state in on off; do
				rm -rf resolved.trace
				SPOOR_RUNTIME_MODE=$([ $state = off ] && echo off || { [ $mode = order ] && echo order || echo log; }) \
					SPOOR_RUNTIME_TRACE_PATH=resolved.trace ./$program ||
						fail "$mode, $bind, $program, $state: the program ended with status" \
							"$?"
			done
		done
	done
done
traced_cc -fspoor-mode=call -fspoor-runtime -o resolve_one resolve.c resolves.c
rm -rf resolved.trace
SPOOR_RUNTIME_TRACE_PATH=resolved.trace ./resolve_one
equal "calls beside resolvers" "$("$reader" report --format=csv resolved.trace | cut -d, -f1,3 | tail -n +2 | sort | xargs)" \
	"fast,20 main,1 resolved,10"

# A program that starts asleep stays asleep until it enables tracing, and reads the correct state.
(
	SPOOR_INSTRUMENTATION_INITIALIZE_RUNTIME=false
	SPOOR_INSTRUMENTATION_ENABLE_RUNTIME=false
	export SPOOR_INSTRUMENTATION_INITIALIZE_RUNTIME SPOOR_INSTRUMENTATION_ENABLE_RUNTIME
	library awakes_early -fspoor-mode=call -fspoor-runtime -I"$top_srcdir/libspoor/include"
	traced_cc -fspoor-mode=call -fspoor-runtime -o awakes "$victims/modules/awakes.c" -I"$top_srcdir/libspoor/include" -L. \
		-lawakes_early -Wl,-rpath,"$work"
)
equal "asleep" "$(SPOOR_RUNTIME_TRACE_PATH=asleep ./awakes)" "initialized 0, enabled 0; then 1, 1"
"$reader" report --format=csv asleep | cut -d, -f1,3 | grep -q '^after,1$' ||
	fail "asleep: the trace has no call of after: $("$reader" report asleep)"
"$reader" report --format=csv asleep | cut -d, -f1 | grep -q 'early\|before' && fail "asleep: the trace has calls" \
	"from before tracing was enabled: $("$reader" report asleep)"
(
	library awakes_early -fspoor-mode=call -fspoor-runtime -I"$top_srcdir/libspoor/include"
	traced_cc -fspoor-mode=call -fspoor-runtime -o awakes "$victims/modules/awakes.c" -I"$top_srcdir/libspoor/include" -L. \
		-lawakes_early -Wl,-rpath,"$work"
)
equal "awake" "$(SPOOR_RUNTIME_TRACE_PATH=awake ./awakes)" "initialized 1, enabled 1; then 1, 1"
"$reader" report --format=csv awake | cut -d, -f1,3 | grep -q '^early,1$' ||
	fail "awake: the trace has no call of the constructor: $("$reader" report awake)"
# The environment overrides the program.
SPOOR_RUNTIME_MODE=off SPOOR_RUNTIME_TRACE_PATH=off call/throws > /dev/null
[ ! -e off ] || [ "$("$reader" report --format=csv off 2> /dev/null | wc -l)" -le 1 ] ||
	fail "a program in mode off was traced: $("$reader" report off)"

# Without a stub, functions have numbers instead of names.
build_once "$clang" -O2 -c -emit-llvm -o - "$victims/calls/tail_part.c" -I"$top_srcdir/libspoor/include" |
	"$SPOOR_OPT" --mode=call | "$clang" -O2 -x ir -fPIC -c - -o part.o
build_once "$clang" -O2 -o no_stub "$victims/calls/tails.c" part.o "$libspoor" -Wl,-rpath,"${libspoor%/*}" -I"$top_srcdir/libspoor/include"
SPOOR_RUNTIME_TRACE_PATH=no_stub.trace ./no_stub > /dev/null
"$reader" report no_stub.trace | grep -q 'unknown#[0-9a-f]\{8\}:[0-9]' ||
	fail "without a stub the report shows no function by number: $("$reader" report no_stub.trace)"

[ -n "${SPOOR_LONG-}" ] || exit 0
driver=$SPOOR_DRIVERS/spoor-cc
SQLITE_ROWS=200
. "$top_srcdir/tests/integration/support/real_program_builds.sh"
prepare_sqlite
for mode in sled call; do
	mkdir -p "$work/sqlite/$mode"
	(build_sqlite "$work/sqlite/$mode" "$driver" -O2 -g -fspoor-mode=$mode -fspoor-runtime)
done
cd "$work/sqlite"
workload()
{
	export SPOOR_RUNTIME_TRACE_PATH
	workload_sqlite
	cat output
}
both SQLite 0 workload
[ "$(wc -l < call/calls)" -gt 900 ] || fail "SQLite: the trace has only $(wc -l < call/calls) functions"
