#!/bin/sh
# SPDX-License-Identifier: MIT
# pkg_config.sh - plain clang with the flags of the installed pkg-config files makes
# what the drivers make: dormant by itself, traced with libspoor.so.
set -eu
work=$top_builddir/tests/work/pkg_config
rm -rf "$work"
mkdir -p "$work/stage"
cd "$work"
make -s -C "$top_builddir" install DESTDIR="$work/stage" > install.log 2>&1

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

# One file of everything; where sanitizers are built in there is no archive.
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
