#!/bin/sh
# SPDX-License-Identifier: MIT
# gcc_drivers.sh - spoor-gcc and its other names run GCC's compilers: all arguments that are not spoor's reach GCC
# unchanged, the additions are present if they have a use, and errors say what to do.
set -eu
. "$top_srcdir/tests/integration/support/gcc.sh"
work_folder gcc_drivers
use_newest_gcc

for file in a.c b.c d.S e.s f.h h.i p.x; do
	echo > $file
done
echo 'int f() { return 0; }' > c.cc
echo 'int main(void) { return 0; }' > a.c
for file in q.o r.o s.a v.so; do
	: > "$file"
done
echo '-O1 -fspoor-shared a.c -o response' > response.rsp
"$spoor_gcc" @response.rsp
names response | grep -qx main || fail "the words of a response file were not read"

# Before each list are the necessary additions: M the macro, P the plugin, S the stub.
cat > lists << 'END'
MPS gcc a.c -o program
MPS gcc a.c b.c -o program
MPS gcc a.c q.o s.a -lm -o program
MPS g++ c.cc -o program
MP gcc -c a.c
MP gcc -O2 -Wall -S a.c
MP gcc -c -x c p.x
MP gcc -c h.i
MP gcc -fsyntax-only a.c
M gcc -E a.c
M gcc -M a.c
MP gcc -MD -MF deps -c a.c
MP gcc -x c-header f.h -o f.gch
 gcc -c e.s
 gcc -E d.S
PS gcc q.o -o program
PS gcc -shared q.o -o v.so
PS gcc -static q.o
PS gcc -Wl,--gc-sections q.o
PS gcc -flto q.o
P gcc -r q.o r.o -o x.o
 gcc -dumpversion
 gcc -print-prog-name=ld
 gcc --version
MP gcc -dumpbase a.x -c a.c
END

# commands COMPILER ARGUMENT... - prints the commands that the compiler would run, without names of temporary files.
commands()
{
	"$@" -### 2>&1 | sed "s#${TMPDIR:-/tmp}/cc[A-Za-z0-9]*#/tmp/cc#g"
}

while read -r line; do
	case $line in
	gcc* | g++*) additions= rest=$line ;;
	*) additions=${line%% *} rest=${line#* } ;;
	esac
	compiler=${rest%% *} arguments=${rest#* }
	case $compiler in
	gcc) plain=$gcc driver=$spoor_gcc ;;
	*) plain=$gxx driver=$spoor_gxx ;;
	esac
	# shellcheck disable=SC2086
	commands "$plain" $arguments > wanted || :
	# shellcheck disable=SC2086
	commands "$driver" $arguments > got || :
	for addition in M:__SPOOR__=1 P:-fplugin= S:libspoor_dso.a; do
		case $additions in
		*"${addition%%:*}"*) grep -q -e "${addition#*:}" got || fail "$rest: there is no ${addition#*:}: $(cat got)" ;;
		*) ! grep -q -e "${addition#*:}" got || fail "$rest: there is a needless ${addition#*:} (see above)" ;;
		esac
	done
	# With -fno-spoor the driver adds nothing.
	# shellcheck disable=SC2086
	commands "$driver" -fno-spoor $arguments > got || :
	cmp wanted got || fail "$rest: -fno-spoor changes GCC's commands: $(diff wanted got)"
done < lists

# Three ways to the same driver.
"$spoor_gcc" -O1 a.c -o one
"$driver_c" --compiler=gcc -O1 a.c -o two
SPOOR_CC=$gcc "$driver_c" -O1 a.c -o three
cmp one two && cmp one three || fail "spoor-gcc, spoor-cc --compiler=gcc and SPOOR_CC make different programs (see above)"

# A precompiled header is usable with the plugin.
printf '#include <stdio.h>\nstatic inline int twice(int x) { return 2 * x; }\n' > pre.h
printf '#include "pre.h"\nint main(void) { return twice(2) != 4 || printf("pre\\n") != 4; }\n' > pre.c
"$spoor_gcc" -O1 pre.h -o pre.h.gch
"$spoor_gcc" -O1 -Winvalid-pch -Werror pre.c -o pre
./pre > out || fail "a program with a precompiled header ends with status $?"
names pre | grep -qx main || fail "a program with a precompiled header has no sleds: $(names pre)"

# The mode call needs no plugin.
"$spoor_gcc" -fspoor-mode=call -O1 a.c -o called
nm called | grep -q __cyg_profile_func_enter || fail "-fspoor-mode=call: the program has no calls"
! readelf -SW called | grep spoor_functions || fail "-fspoor-mode=call: the program has sleds"
if [ -z "$emulated" ]; then
	SPOOR_RUNTIME_TRACE_PATH=called.trace LD_PRELOAD=$libspoor ./called > out 2>&1 || :
	"$spoor" report --format=csv called.trace | grep -q '^main,[^,]*,1,' || fail "-fspoor-mode=call: main is not in the trace"
fi

# refused WORDS COMMAND... - checks that the command fails with these words.
refused()
{
	words=$1
	shift
	if "$@" > out 2> err; then
		fail "$*: succeeds"
	fi
	grep -q "$words" err || fail "$*: the message does not say '$words': $(cat err)"
}
refused 'unknown mode' "$spoor_gcc" -fspoor-mode=fast -c a.c
refused 'unknown option' "$spoor_gcc" -fspoor-nonsense -c a.c
refused 'unknown compiler: use clang or gcc' "$driver_c" --compiler=tcc -c a.c
refused 'is not GCC: name a GCC in SPOOR_GCC' env SPOOR_GCC="$clang" "$spoor_gcc" -c a.c
refused 'cannot run no-such-gcc: No such file' env SPOOR_GCC=no-such-gcc "$spoor_gcc" -c a.c
refused 'is this program itself: name a GCC' env SPOOR_GCC="$spoor_gcc" "$spoor_gcc" -c a.c
refused 'cannot run no-such-gnatmake: No such file' env SPOOR_GNATMAKE=no-such-gnatmake "$gcc_drivers/spoor-gnat" main.adb
refused 'is not gnatmake: name a gnatmake in SPOOR_GNATMAKE' env SPOOR_GNATMAKE="$gcc" "$gcc_drivers/spoor-gnat" main.adb
cat > gcc-8 << 'END'
#!/bin/sh
printf 'Target: x86_64-linux-gnu\nThread model: posix\ngcc version 8.3.0 (Old)\n' >&2
END
chmod +x gcc-8
refused 'cannot find the plugin for GCC 8 .*install the plugin headers.*gcc-8-plugin-dev.*-fspoor-mode=call' \
	env SPOOR_GCC="$PWD/gcc-8" "$spoor_gcc" -c a.c

# A plugin rejects the compiler of another version.
for major in $(all_gccs); do
	other=$top_builddir/pass/gcc/gcc-$major/.libs/libspoor_gcc.so
	if [ "$other" != "$gcc_plugin" ]; then
		refused 'spoor: this plugin was built for GCC' "$gcc" -fplugin="$other" -c a.c
	fi
done

# A target without tracing compiles, with one warning.
if [ "$SPOOR_ARCH" = x86_64 ]; then
	"$spoor_gcc" -m32 -S a.c -o a.32.s 2> err || fail "-m32: $(cat err)"
	grep -q 'spoor: warning: there is no tracing of i386' err || fail "-m32: there is no warning: $(cat err)"
	"$spoor_gcc" -mcmodel=large -c a.c 2> err
	grep -q 'no tracing of code of this size' err || fail "-mcmodel=large: there is no warning: $(cat err)"
fi
