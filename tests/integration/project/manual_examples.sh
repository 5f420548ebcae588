#!/bin/sh
# SPDX-License-Identifier: MIT
# manual_examples.sh - runs the examples of all manual pages one after the other: with a program in place of theirs, a
# process in place of process 4711, and this build in place of an installation.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

# The files that the examples mention.
mkdir bin project
cat > project/program.cc <<'SOURCE'
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#define KEPT __attribute__((noinline))
static volatile int sum;
extern "C" {
int look_up(int word), fetch(int word), foo(int word);
KEPT void leaf(int word) { sum = sum + word; }
KEPT void parse_words(int words) { for (int i = 0; i < words; i++) leaf(i); }
KEPT void do_file(int words) { parse_words(words); look_up(words); usleep(10); }
KEPT void handle_request(int words) { do_file(words); fetch(words); foo(words); if (words == 7) usleep(60000); }
}
namespace ranking { KEPT void rank(int words) { leaf(words); } }
int main(int argc, char **argv)
{
	do {
		for (int words = 0; words < 20; words++) {
			handle_request(words);
			ranking::rank(words);
		}
	} while (argc > 1 && strcmp(argv[1], "forever") == 0 && !usleep(1000));
	return sum < 0;
}
SOURCE
for library in index:look_up query:fetch foo:foo; do
	echo "volatile int kept_${library#*:}; int ${library#*:}(int word) { return kept_${library#*:} += word; }" > "project/${library%:*}.c"
done
echo '__attribute__((no_instrument_function)) int left_alone(int word); int left_alone(int word) { return word; }' >> project/foo.c
cat > project/configure <<'CONFIGURE'
#!/bin/sh
for word; do case $word in *=*) export "$word" ;; esac; done
sed "s,@CC@,${CC-cc},; s,@CXX@,${CXX-c++}," Makefile.in > Makefile
CONFIGURE
cat > project/Makefile.in <<'MAKEFILE'
CC = @CC@
CXX = @CXX@
CFLAGS = -O2
LIBRARIES = libindex.so libquery.so libfoo.so
program: program.cc $(LIBRARIES)
	$(CC) -x c++ $(CFLAGS) -o $@ program.cc -x none $(LDFLAGS) -L. -lindex -lquery -lfoo -Wl,-rpath,'$$ORIGIN'
	for name in shell server search; do ln -f program $$name; done
lib%.so: %.c
	$(CC) $(CFLAGS) -fPIC -shared -Wl,-soname,$@ -o $@ $<
clean:
	rm -f program shell server search $(LIBRARIES)
MAKEFILE
chmod +x project/configure
cat > project/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(example C CXX)
include(CheckIPOSupported)
check_ipo_supported()
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
add_library(index STATIC index.c)
CMAKE
echo 'int twice(int x) { return 2 * x; } int main(void) { return twice(0); }' > project/a.c
: > project/script.sh

# The programs that the examples call, as installed.
for tool in "$SPOOR_DRIVERS"/spoor-cc "$SPOOR_DRIVERS"/spoor-c++ "$SPOOR_DRIVERS"/spoor-gcc \
	"$SPOOR_DRIVERS"/spoor-g++ "$top_builddir/tools/spoor" "$top_builddir/pass/spoor_opt" \
	"$LLVM_BINDIR"/clang "$LLVM_BINDIR"/ld.lld; do
	printf '#!/bin/sh\nexec %s "$@"\n' "$tool" > "bin/${tool##*/}"
done
printf '#!/bin/sh\necho %s\n' "$LLVM_BINDIR" > bin/llvm-config-22
cat > bin/pkg-config <<TOOL
#!/bin/sh
sed 's,^plugin=.*,plugin=$top_builddir/pass/.libs/libspoor_instrumentation.so,; s,^stub=.*,stub=$stub,;
	s,^includedir=.*,includedir=$top_srcdir/libspoor/include,' "$top_builddir/pass/spoor-instrumentation.pc" > $work/spoor-instrumentation.pc
PKG_CONFIG_PATH=$work exec $(command -v pkg-config) "\$@"
TOOL
printf '#!/bin/sh\ngrep "^main.* [0-9]*$" | sed "s/^/<svg> /"\n' > bin/flamegraph.pl
printf '#!/bin/sh\ngrep "^digraph" > graph.svg\n' > bin/dot
printf '#!/bin/sh\nexec cat\n' > bin/less
cat > bin/served <<'TOOL'
#!/usr/bin/env python3
import signal, subprocess, sys
server = subprocess.Popen(["spoor", "view", "--serve", *sys.argv[1:]], stdout=subprocess.PIPE, text=True)
sys.stdout.write(server.stdout.readline())
server.send_signal(signal.SIGINT)
sys.exit(server.wait())
TOOL
chmod +x bin/*
PATH=$work/bin:$PATH
export PATH
cd project
./configure CC=spoor-cc CXX=spoor-c++ && make > ../make.out 2>&1 ||
	fail "the project does not build: $(cat ../make.out)"
spoor record -q -o before.trace ./program
spoor record -q -o after.trace ./program
spoor record -q ./program
cp -r before.trace before
cp -r after.trace after
SPOOR_RUNTIME_TRACE_PATH=$work/live LD_PRELOAD=$libspoor ./server forever &
server=$!
trap 'kill $server 2> /dev/null' EXIT
thread=$(spoor info | awk '/^ +threads/ { on = 1; next } on { print $1; exit }')

count=0
for page in "$top_srcdir"/tools/*.1 "$top_srcdir"/tools/*/*.1 "$top_srcdir"/pass/*.1 "$top_srcdir"/libspoor/*.3; do
	# Each page gets its own project, because some examples rebuild it.
	cd ..
	rm -rf page
	cp -Rp project page
	cd page
	python3 "$top_srcdir/tests/integration/readers/manual_examples.py" "$page" .. > ../names ||
		fail "$page: manual_examples.py found no examples"
	while read -r name; do
		case $name in
		spoor_sdt.3.*)		# a part of a source file
			{
				sed '/^SPOOR_SDT(/,$d' "../$name"
				echo 'struct request { int id; const char *path; }; int milliseconds_since(struct request *);'
				echo 'void serve(struct request *request); void serve(struct request *request) {'
				sed -n '/^SPOOR_SDT(/,$p' "../$name" | grep -v '^\.\.\.$'
				echo '}'
			} > sdt.c
			clang -Wall -Wextra -Werror -I"$top_srcdir/libspoor/include" -c sdt.c ||
				fail "$name: the example does not compile: $(cat sdt.c)"
			readelf -n sdt.o | grep -q request_end ||
				fail "$name: the compiled example has no tracepoint: $(readelf -n sdt.o)"
			count=$((count + 1))
			continue ;;
		spoor-gcc.1.2.*) continue ;;	# parallel_fortran.sh runs it, if there is Open MPI
		spoor-ctl.1.*) sed -i "s/4711/$server/; s/sleep 10/sleep 0.1/" "../$name" ;;
		spoor-view.1.*)
			sed -i "s/4711/$thread/; s/^spoor view --serve --port 8000/served/" "../$name" ;;
		spoor-tui.1.*) sed -i 's/^spoor tui/spoor tree/' "../$name" ;;	# not on a terminal
		spoor-top.1.*)		# for a limited time, and not on a terminal
			sed -i "s/\$(pidof server)/$server/; s/4711/$server/; s/--interval 5s/--interval 50ms/
				s/^spoor top \([0-9]*\)\$/spoor top --batch --interval 50ms --iterations 2 \1/; /^spoor record/d" "../$name" ;;
		esac
		sh -e "../$name" > "../$name.out" 2> "../$name.err" < /dev/null ||
			fail "$name: the example ended with status $?: $(cat "../$name" "../$name.err")"
		! grep -i 'no such\|not found\|unrecognized\|cannot\|Try ' "../$name.err" ||
			fail "$name: the example printed an error: $(cat "../$name" "../$name.err")"
		count=$((count + 1))
	done < ../names
done
kill -0 $server || fail "the example process has ended"
[ $count -ge 30 ] || fail "there are only $count examples"
grep -q leaf ../spoor-report.1.4.sh.out ||
	fail "the last example of spoor report does not show leaf: $(cat ../spoor-report.1.4.sh.out)"
