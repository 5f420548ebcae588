#!/bin/sh
# SPDX-License-Identifier: MIT
# pkg_config.sh - plain clang with the flags of the installed pkg-config files makes the same as the drivers: code
# that is dormant by itself, and traced with libspoor.so.
set -eu
work=$top_builddir/tests/work/pkg_config
rm -rf "$work"
mkdir -p "$work/stage"
cd "$work"
make -s -C "$top_builddir" install DESTDIR="$work/stage" > install.log 2>&1

for document in README.md LICENSE CHANGELOG.md doc/tutorial.md doc/compatibility.md doc/count_calls.c examples/demo/Makefile; do
	[ -n "$(find stage -path "*/doc/spoor/$document")" ] || { echo "pkg_config: $document is not installed" >&2; exit 1; }
done
file=$(find stage -name spoor-instrumentation.pc)
prefix=$(sed -n 's/^prefix=//p' "$file")
PKG_CONFIG_PATH=$work/$(dirname "$file")
export PKG_CONFIG_PATH
flags() {
	pkg-config --define-variable=prefix="$work/stage$prefix" "$@"
}

cat > library.c <<'C'
int twice(int x) { return 2 * x; }
C
cat > program.c <<'C'
#include <spoor.h>
int twice(int x);
int (*is_enabled)(void) = spoor_is_enabled;
int main(void) { return twice(21) != 42; }
C
clang=$LLVM_BINDIR/clang
# shellcheck disable=SC2046
"$clang" -O1 -fPIC $(flags --cflags spoor-instrumentation) -shared library.c -o libtwice.so \
	$(flags --libs spoor-instrumentation)
# shellcheck disable=SC2046
"$clang" -O1 $(flags --cflags spoor-instrumentation spoor) program.c -o program -L. -ltwice \
	$(flags --libs spoor-instrumentation spoor) -Wl,-rpath,"$work" -Wl,-rpath,"$work/stage$prefix/lib"

SPOOR_RUNTIME_MODE=off ./program
[ ! -e spoor.trace ]
./program

# One static file; builds with sanitizers have no archive.
if [ -e "$work/stage$prefix/lib/libspoor.a" ]; then
	# shellcheck disable=SC2046
	"$clang" -O1 -static $(flags --cflags spoor-instrumentation spoor) program.c library.c -o static \
		$(flags --static --libs spoor-instrumentation spoor) 2> static.log || { cat static.log >&2; exit 1; }
	SPOOR_RUNTIME_TRACE_PATH=static.trace ./static
	"$work/stage$prefix/bin/spoor" report --format=csv static.trace > static.csv
	grep -q '^twice,static,1,' static.csv
fi

"$work/stage$prefix/bin/spoor" report --format=csv > report.csv
grep -q '^main,program,1,' report.csv
grep -q '^twice,libtwice.so,1,' report.csv

# The same with GCC, if its plugin was built.
gcc_file=$(find stage -name spoor-gcc.pc)
if [ -n "$gcc_file" ]; then
	gcc=gcc-$(sed -n 's/.*instruments what GCC \([0-9]*\) compiles/\1/p' "$gcc_file")
	# shellcheck disable=SC2046
	"$gcc" -O1 $(flags --cflags spoor-gcc spoor) program.c library.c -o by_gcc \
		$(flags --libs spoor-gcc spoor) -Wl,-rpath,"$work/stage$prefix/lib"
	SPOOR_RUNTIME_TRACE_PATH=by_gcc.trace ./by_gcc
	"$work/stage$prefix/bin/spoor" report --format=csv by_gcc.trace > by_gcc.csv
	grep -q '^main,by_gcc,1,' by_gcc.csv
	grep -q '^twice,by_gcc,1,' by_gcc.csv
fi

# The installed drivers find the headers, and their programs find the runtime, with any prefix; also after the prefix
# was moved, and if the path has a character that would end an argument of -Wl.
cat > all.c <<'C'
#include <spoor.h>
#include <spoor/sdt.h>
#include <spoor/folly_sdt.h>
#include <spoor/scope.h>
#include <spoor_attributes.h>
#include <spoor_handler.h>
SPOOR_ALWAYS static int called(int x) { return x + 1; }
int main(void) { return called(spoor_is_enabled()) != 2; }
C
unset LD_LIBRARY_PATH PKG_CONFIG_PATH
mv stage 'moved, once'
if [ -n "$gcc_file" ]; then
	"$work/moved, once$prefix/bin/spoor-gcc" -O1 -fspoor-runtime all.c -o all
	rm -rf spoor.trace
	./all
	"$work/moved, once$prefix/bin/spoor" report --format=csv | grep -q '^called'
	cp all.c all.cc
	"$work/moved, once$prefix/bin/spoor-g++" -O1 -fspoor-runtime all.cc -o all
	./all
	major=${gcc#gcc-}
	if [ -x "$("$gcc" -print-prog-name=gnat1)" ] && command -v "gnatmake-$major" > /dev/null; then
		echo 'procedure Adas is begin null; end Adas;' > adas.adb
		SPOOR_GNATMAKE=gnatmake-$major "$work/moved, once$prefix/bin/spoor-gnat" -q -O0 -fspoor-runtime adas.adb
		rm -rf spoor.trace
		./adas
		"$work/moved, once$prefix/bin/spoor" report --format=csv | grep -q '^_ada_adas,'
	fi
fi
for driver in spoor-cc spoor-c++; do
	source=all.c
	[ $driver = spoor-cc ] || source=all.cc
	[ $driver = spoor-cc ] || cp all.c all.cc
	driver="$work/moved, once$prefix/bin/$driver"
	"$driver" -O1 -fspoor-runtime "$source" -o all
	rm -rf spoor.trace
	./all || { echo "$driver: status $?" >&2; exit 1; }
	"$work/moved, once$prefix/bin/spoor" report --format=csv | grep -q '^called'
	echo 'extern "C" int twice(int x) { return 2 * x; }' > library.cc
	"$driver" -O1 -fspoor-runtime -fPIC -shared library.${source#*.} -o libtwice.so
	rm -rf spoor.trace
	echo 'int twice(int x); int main(void) { return twice(21) != 42; }' > plain.c
	"$LLVM_BINDIR/clang" -O1 plain.c -o plain -L. -ltwice -Wl,-rpath,"$work"
	./plain
	"$work/moved, once$prefix/bin/spoor" report --format=csv | grep -q '^"*twice'
	"$driver" -O1 -fspoor-runtime -o all -- "$source"
	./all
	"$driver" -E "$source" > /dev/null
	# The user's headers come first, and clang's own headers still work.
	mkdir -p own
	echo '#error mine' > own/spoor.h
	! "$driver" -Iown -fsyntax-only "$source" 2> err
	grep -q mine err
	"$driver" -fspoor-runtime -Wl,-rpath,/first "$source" -o all
	readelf -d all | grep -qF "[/first:$work/moved, once$prefix/lib]"
done
