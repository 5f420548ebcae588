#!/bin/sh
# SPDX-License-Identifier: MIT
# call_mode.sh - with calls in the place of sleds, programs do what they did, and
# their traces have the same functions, by name, as often called, in the same
# order and nested alike: C++ with exceptions, several units and libraries,
# coroutines, deep tail recursion. With SPOOR_LONG, SQLite too.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
unset $(env | sed -n 's/^\(SPOOR_INSTRUMENTATION_[A-Z_]*\)=.*/\1/p')
spoor=$top_builddir/tools/spoor
LD_LIBRARY_PATH=${libspoor%/*}
export LD_LIBRARY_PATH

# tree TRACE - the call tree without times, and without what is said of how calls ended:
# calls log the end of what an exception leaves.
tree()
{
	"$spoor" replay "$1" 2> tree.err | sed '/^# process\|^# thread/d; s/^[ 0-9.]* [mun]*s \{0,1\}//; s/^ *//; s/  #.*//'
	[ ! -s tree.err ] || fail "replay: $(cat tree.err)"
}

# both NAME STATUS COMMAND... - runs what lies in sled/ and in call/; the traces agree.
both()
{
	both_name=$1 both_status=$2
	shift 2
	for mode in sled call; do
		cd $mode
		rm -rf t
		both_got=0
		SPOOR_RUNTIME_TRACE_PATH=t "$@" > out 2> err || both_got=$?
		[ "$both_got" = "$both_status" ] || fail "$both_name, $mode: status $both_got: $(tail -n 5 err)"
		tree t > tree
		"$spoor" report --format=csv --no-demangle t | cut -d, -f1-3 | sort > calls
		cd ..
	done
	cmp sled/out call/out || fail "$both_name: another output"
	diff sled/calls call/calls > difference || fail "$both_name: other calls: $(head difference)"
	[ "$(wc -l < call/calls)" -gt 2 ] || fail "$both_name: nothing was traced"
	! grep -q 'unknown#' call/tree || fail "$both_name: $(grep -m 3 unknown# call/tree)"
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
cmp sled/tree call/tree || fail "exceptions: another tree: $(diff sled/tree call/tree | head)"
# Deeper than the stack would be, if calls that are jumps were none.
both coroutines 0 small_stack ./coroutines
cmp sled/tree call/tree || fail "coroutines: another tree: $(diff sled/tree call/tree | head)"
both "tail calls" 0 small_stack ./tails
cmp sled/tree call/tree || fail "tail calls: another tree: $(diff sled/tree call/tree | head)"

# Where main is excluded, it still begins and ends the runtime.
cat > excluded.c <<'END'
__attribute__((noinline)) int called(int x) { __asm__ volatile(""); return x; }
__attribute__((xray_never_instrument)) int main(void) { return called(0); }
END
traced_cc -fspoor-mode=call -fspoor-runtime -o excluded excluded.c
nm -u excluded | grep -q _spoor_runtime_Deinitialize || fail "a main that is excluded does not end the runtime"
SPOOR_RUNTIME_TRACE_PATH=t ./excluded
[ "$("$spoor" report --format=csv t | cut -d, -f1,3 | tail -n +2)" = called,1 ] || fail "excluded: $("$spoor" report t)"

# All units may be called by the library's name: their functions are told apart.
echo 'int first(int x) { return x + 1; }' > first.c
cat > second.c <<'END'
int first(int x);
__attribute__((noinline)) int second(int x) { __asm__ volatile(""); return x; }
int main(void) { for (int i = 0; i < 9; i++) second(i); return first(-1); }
END
SPOOR_INSTRUMENTATION_MODULE_ID=libtold.so traced_cc -fspoor-mode=call -fspoor-runtime -o told first.c second.c
SPOOR_RUNTIME_TRACE_PATH=told.trace ./told
equal "calls in units of one name" "$("$spoor" report --format=csv told.trace | cut -d, -f1,3 | tail -n +2 | sort | xargs)" \
	"first,1 main,1 second,9"

# Units with one content in two folders, by any way of naming them: their functions are told apart.
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
	equal "$way: calls in units of one content" "$("$spoor" report --format=csv twins.trace | cut -d, -f1,3 | tail -n +2 | sort | xargs)" \
		"main,1 twin,5 twin,5"
done

# What an ifunc resolver calls runs before the runtime can be called, however it is linked; and is called later, too.
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
for mode in sled call order; do
	for bind in now lazy; do
		traced_cc -fspoor-mode=$mode -fspoor-runtime -fPIC -shared -Wl,-z,$bind -o libresolves.so resolves.c
		traced_cc -fspoor-mode=$mode -fspoor-runtime -Wl,-z,$bind -o resolve resolve.c -L. -lresolves -Wl,-rpath,"$work"
		traced_cc -fspoor-mode=$mode -fspoor-runtime -Wl,-z,$bind -pie -o resolve_one resolve.c resolves.c
		traced_cc -fspoor-mode=$mode -fspoor-runtime -static-pie -o resolve_static resolve.c resolves.c 2> static.err ||
			[ ! -e "$top_builddir/libspoor/libspoor.a" ] || fail "$mode: static-pie: $(cat static.err)"
		for program in resolve resolve_one resolve_static; do
			[ -e $program ] || continue
			for state in on off; do
				rm -rf resolved.trace
				SPOOR_RUNTIME_MODE=$([ $state = off ] && echo off || { [ $mode = order ] && echo order || echo log; }) \
					SPOOR_RUNTIME_TRACE_PATH=resolved.trace ./$program || fail "$mode, $bind, $program, $state: status $?"
			done
		done
	done
done
traced_cc -fspoor-mode=call -fspoor-runtime -o resolve_one resolve.c resolves.c
rm -rf resolved.trace
SPOOR_RUNTIME_TRACE_PATH=resolved.trace ./resolve_one
equal "calls beside resolvers" "$("$spoor" report --format=csv resolved.trace | cut -d, -f1,3 | tail -n +2 | sort | xargs)" \
	"fast,20 main,1 resolved,10"

# What starts asleep stays so until the program says otherwise; and it says whether it is awake.
(
	SPOOR_INSTRUMENTATION_INITIALIZE_RUNTIME=false
	SPOOR_INSTRUMENTATION_ENABLE_RUNTIME=false
	export SPOOR_INSTRUMENTATION_INITIALIZE_RUNTIME SPOOR_INSTRUMENTATION_ENABLE_RUNTIME
	library awakes_early -fspoor-mode=call -fspoor-runtime -I"$top_srcdir/libspoor/include"
	traced_cc -fspoor-mode=call -fspoor-runtime -o awakes "$victims/modules/awakes.c" -I"$top_srcdir/libspoor/include" -L. \
		-lawakes_early -Wl,-rpath,"$work"
)
equal "asleep" "$(SPOOR_RUNTIME_TRACE_PATH=asleep ./awakes)" "initialized 0, enabled 0; then 1, 1"
"$spoor" report --format=csv asleep | cut -d, -f1,3 | grep -q '^after,1$' || fail "asleep: $("$spoor" report asleep)"
"$spoor" report --format=csv asleep | cut -d, -f1 | grep -q 'early\|before' && fail "asleep: it was traced"
(
	library awakes_early -fspoor-mode=call -fspoor-runtime -I"$top_srcdir/libspoor/include"
	traced_cc -fspoor-mode=call -fspoor-runtime -o awakes "$victims/modules/awakes.c" -I"$top_srcdir/libspoor/include" -L. \
		-lawakes_early -Wl,-rpath,"$work"
)
equal "awake" "$(SPOOR_RUNTIME_TRACE_PATH=awake ./awakes)" "initialized 1, enabled 1; then 1, 1"
"$spoor" report --format=csv awake | cut -d, -f1,3 | grep -q '^early,1$' || fail "a constructor is not traced"
# The user has the last word.
SPOOR_RUNTIME_MODE=off SPOOR_RUNTIME_TRACE_PATH=off call/throws > /dev/null
[ ! -e off ] || [ "$("$spoor" report --format=csv off 2> /dev/null | wc -l)" -le 1 ] || fail "it is traced in mode off"

# Without a stub functions are shown by number; with a runtime that does nothing, nothing is.
build_once "$clang" -O2 -c -emit-llvm -o - "$victims/calls/tail_part.c" -I"$top_srcdir/libspoor/include" |
	"$SPOOR_OPT" --mode=call | "$clang" -O2 -x ir -fPIC -c - -o part.o
build_once "$clang" -O2 -o no_stub "$victims/calls/tails.c" part.o "$libspoor" -Wl,-rpath,"${libspoor%/*}" -I"$top_srcdir/libspoor/include"
SPOOR_RUNTIME_TRACE_PATH=no_stub.trace ./no_stub > /dev/null
"$spoor" report no_stub.trace | grep -q 'unknown#[0-9a-f]\{8\}:[0-9]' || fail "no stub: $("$spoor" report no_stub.trace)"

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
[ "$(wc -l < call/calls)" -gt 900 ] || fail "SQLite: only $(wc -l < call/calls) functions"
