#!/bin/sh
# SPDX-License-Identifier: MIT
# sdt.sh - gdb stops at each tracepoint of spoor/sdt.h, reads the values that the program prints, and enables
# tracepoints with a semaphore. gcc and clang compile them in C and C++, at all levels, position-independent and not,
# and with link-time optimisation. The notes equal the notes of SystemTap's header. Each tracepoint costs one
# instruction. A dropped section leaves no note.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
header=$top_srcdir/libspoor/include
cp "$victims/tracepoints/probes.c" probes.cc

# notes FILE - prints "PROVIDER NAME SIZE..." with the size of each argument.
notes()
{
	readelf -n "$1" 2> /dev/null | awk '
		/Provider:/ { provider = $2 } /Name:/ { name = $2 }
		/Arguments:/ { sub(/.*Arguments: ?/, ""); gsub(/@[^ ]*( [^-0-9 ][^ ]*)*/, ""); print provider, name, $0 }' |
		sed 's/ *$//' | LC_ALL=C sort -u
}

cat > stop.py <<'END'
"""Runs to each tracepoint; what the program has printed must be what gdb reads there."""
import gdb
gdb.execute("set pagination off")
gdb.execute("set confirm off")
names = "none", "many", "few", "asked"
for name in names:
    gdb.execute("break -probe-stap victim:" + name)
run_program()
stops = []
while gdb.selected_inferior().pid:
    count = int(gdb.parse_and_eval("$_probe_argc"))
    stops.append(" ".join(str(int(gdb.parse_and_eval("(long)$_probe_arg%d" % i))) for i in range(count)))
    gdb.execute("continue")
with open("stops", "w") as file:
    for stop in stops:
        file.write(stop + "\n")
END

# stops WHAT FILE - checks that gdb reads the values that the program prints, converted to long.
stops()
{
	rm -f printed stops
	debugged stop.py printed "$2" || fail "$1: gdb failed: $(tail -n 5 gdb.out)"
	sed 's/^[a-z]* *//' printed | awk '{ for (i = 1; i <= NF; i++) if ($i == "10000000000000000000") $i = "-8446744073709551616"; print }' > wanted
	cmp wanted stops || fail "$1: gdb reads other values: $(diff wanted stops)"
	equal "$1: stops" "$(wc -l < stops)" 5
}

compilers="gcc $clang"
[ -z "${SPOOR_LONG-}" ] || compilers="gcc $(ls /usr/lib/llvm-*/bin/clang)"
levels='-O0 -O2'
[ -z "${SPOOR_LONG-}" ] || levels='-O0 -O1 -O2 -O3 -Os'
for compiler in $compilers; do
	cxx=$(echo "$compiler" | sed 's/gcc$/g++/; s/clang$/clang++/')
	for level in $levels; do
		for flags in -fPIE '-fno-pie -no-pie' -static; do
			# The short form takes -O0 with one kind of program.
			[ $level = -O2 ] || [ "$flags" = -fPIE ] || [ -n "${SPOOR_LONG-}" ] || continue
			# shellcheck disable=SC2086
			"$compiler" $level $flags -g -Wall -Wextra -Werror -I"$header" -o c "$victims/tracepoints/probes.c"
			# shellcheck disable=SC2086
			"$cxx" $level $flags -g -Wall -Wextra -Werror -I"$header" -o cxx probes.cc
			stops "$compiler $level $flags, C" ./c
			stops "$compiler $level $flags, C++" ./cxx
		done
	done
done
gcc -O2 -flto -g -I"$header" -o lto "$victims/tracepoints/probes.c"
stops "gcc -flto" ./lto
for kind in thin full; do
	build_once "$clang" -O2 -flto=$kind -fuse-ld=lld -g -I"$header" -o lto "$victims/tracepoints/probes.c"
	stops "clang -flto=$kind" ./lto
done

# Compared with SystemTap's header.
for compiler in gcc "$clang"; do
	"$compiler" -O2 -DSYSTEMTAP -o theirs "$victims/tracepoints/probes.c"
	"$compiler" -O2 -I"$header" -o ours "$victims/tracepoints/probes.c"
	notes theirs > theirs.notes
	notes ours | grep -v ' asked' > ours.notes
	cmp theirs.notes ours.notes ||
		fail "$compiler: the notes differ from SystemTap's: $(diff theirs.notes ours.notes)"
	equal "notes" "$(wc -l < ours.notes)" 4
done

# One instruction, a nop, if the arguments are in registers.
cat > cost.c <<'END'
#ifdef PROBE
#include <spoor/sdt.h>
#else
#define SPOOR_SDT(...)
#endif
int cost(int a, long b, void *c)
{
	SPOOR_SDT(victim, cost, a, b, c);
	return a;
}
END
for compiler in gcc "$clang"; do
	"$compiler" -O2 -c -o without.o cost.c
	"$compiler" -O2 -DPROBE -I"$header" -c -o with.o cost.c
	for file in with without; do
		objdump -d --no-show-raw-insn $file.o | awk '/<cost>:/ { on = 1; next } on && NF > 1 { $1 = ""; print }' > $file.code
	done
	diff without.code with.code | grep '^[<>]' > more || true
	equal "$compiler: instructions more" "$(cat more)" ">  nop"
	[ "$(readelf -SW with.o | grep -c '\.eh_frame ')" = "$(readelf -SW without.o | grep -c '\.eh_frame ')" ] ||
		fail "$compiler: the tracepoint adds an unwind table"
done

# A dropped section leaves no note.
for linker in bfd lld; do
	for compiler in gcc "$clang"; do
		"$clang" --version > /dev/null
		"$compiler" -O2 -ffunction-sections -I"$header" -c -o sections.o "$victims/tracepoints/probes.c"
		"$clang" -fuse-ld=$linker -Wl,--gc-sections -o dropped sections.o
		! notes dropped | grep -q ' dropped' ||
			fail "$compiler, $linker: a dropped function left its note: $(notes dropped)"
		notes dropped | grep -q ' many' ||
			fail "$compiler, $linker: notes of other functions were dropped: $(notes dropped)"
	done
done

# In templates, whose types are unknown at the definition, and with nullptr.
cat > templates.cc <<'END'
#include <spoor/sdt.h>
SPOOR_SDT_DEFINE_SEMAPHORE(victim, asked);
template <typename T> __attribute__((noinline)) T each(T value)
{
	SPOOR_SDT(victim, each, value, sizeof(T), nullptr);
	SPOOR_SDT_WITH_SEMAPHORE(victim, asked, value, nullptr);
	return value;
}
int main() { return each<signed char>(0) + each(0) + (int)each(0ul) + (each((int *)nullptr) != nullptr); }
END
for compiler in g++ "$clang++"; do
	for standard in 11 20; do
		"$compiler" -std=c++$standard -O1 -Wall -Wextra -Wpedantic -Werror -I"$header" -o templates templates.cc
		equal "$compiler: notes of templates" "$(notes templates | sed 's/^victim //' | tr '\n' ';')" \
			'asked -1 8;asked -4 8;asked 8 8;each -1 8 8;each -4 8 8;each 8 8 8;'
	done
done

# C89.
printf '%s\n' '#include <spoor/sdt.h>' '#include <spoor/scope.h>' '#include <spoor.h>' \
	'int main(void) { int x = 1; SPOOR_SDT(victim, old, x); return 0; }' > old.c
for compiler in gcc "$clang"; do
	"$compiler" -std=c89 -O1 -Wall -Wextra -Werror -I"$header" -c -o old.o old.c
	equal "$compiler: notes of C89" "$(notes old.o)" 'victim old -4'
done

# Bit-fields have the sign of their type and are recorded with the program's values.
cat > bits.c <<'END'
#include <stdbool.h>
#include <spoor/sdt.h>
SPOOR_SDT_DEFINE_SEMAPHORE(victim, bits);
struct fields { unsigned a : 3; int b : 5; long long c : 40; bool d : 1; const volatile int e : 9; };
__attribute__((noinline)) static void hit(const struct fields *of)
{
	SPOOR_SDT(victim, unasked, of->a, of->b, of->c, of->d, of->e);
	SPOOR_SDT_WITH_SEMAPHORE(victim, bits, of->a, of->b, of->c, of->d, of->e);
}
int main(void)
{
	struct fields fields = { 5, -7, -123456789012, true, -200 };

	hit(&fields);
	return 0;
}
END
cp bits.c bits.cc
for compiler in gcc g++ "$clang" "$clang++"; do
	source=bits.c
	[ "$compiler" = "${compiler%++}" ] || source=bits.cc
	"$compiler" -O1 -Wall -Wextra -Wpedantic -Werror -I"$header" -o bits $source
	equal "$compiler: signs of bit-fields" "$(notes bits | sed 's/[1248]/n/g' | tr '\n' ';')" \
		'victim bits n -n -n n -n;victim unasked n -n -n n -n;'
	rm -rf bits.trace
	"$top_builddir/tools/spoor" record -q -o bits.trace --tracepoint victim:bits ./bits
	"$top_builddir/tools/spoor" replay bits.trace | grep -qF 'victim:bits(5, -7, -123456789012, 1, -200)' ||
		fail "$compiler: bit-fields are recorded with other values:" \
			"$("$top_builddir/tools/spoor" replay bits.trace)"
done

# Types that are no arguments do not compile.
for what in double 'struct { int a; }'; do
	printf '#include <spoor/sdt.h>\nint main(void)\n{\n\t%s value = { 0 };\n\tSPOOR_SDT(victim, wrong, value);\n}\n' "$what" > wrong.c
	cp wrong.c wrong.cc
	for compiler in gcc "$clang"; do
		! "$compiler" -I"$header" -c wrong.c 2> err || fail "$compiler: $what compiles as an argument"
	done
	! g++ -I"$header" -c wrong.cc 2> err || fail "g++: $what compiles as an argument"
done

# A semaphore in another module: one module defines it, others test it under the same name and see the same variable,
# not a copy. Two modules that both define the name each have their own. A definition or declaration needs no
# semicolon.
cat > owner.c <<'END'
#include <spoor/sdt.h>
SPOOR_SDT_DEFINE_SEMAPHORE(prov, gated)
SPOOR_SDT_DECLARE_SEMAPHORE(prov, gated)
void listen_to_it(int by);
int is_listened_to(void);
int hit(int value);
void listen_to_it(int by) { prov_gated_semaphore += (unsigned)by; }
int is_listened_to(void) { return SPOOR_SDT_IS_ENABLED(prov, gated); }
int hit(int value)
{
	int evaluated = 0;
	SPOOR_SDT_WITH_SEMAPHORE(prov, gated, evaluated = value);
	return evaluated;
}
END
sed 's/\(listen_to_it\|is_listened_to\|hit\)(/twin_&/' owner.c > twin.c
cat > asks.c <<'END'
#include <spoor/sdt.h>
SPOOR_SDT_DECLARE_SEMAPHORE(prov, gated);
#ifdef __cplusplus
extern "C" {
#endif
void listen_to_it(int by);
int is_listened_to(void);
int hit(int value);
int twin_is_listened_to(void);
int twin_hit(int value);
#ifdef __cplusplus
}
#endif
int asks(void);
int asks(void) { return SPOOR_SDT_IS_ENABLED(prov, gated); }
int main(void)
{
	int wrong = 0;

	wrong |= asks() || is_listened_to() || hit(5);
	listen_to_it(1);
	wrong |= 2 * (!asks() || !is_listened_to() || hit(5) != 5);
	wrong |= 4 * (twin_is_listened_to() || twin_hit(5));
	listen_to_it(-1);
	return wrong | 8 * (asks() || is_listened_to() || hit(5));
}
END
cp asks.c asks.cc
printf '#include <spoor/sdt.h>\nSPOOR_SDT_DECLARE_SEMAPHORE(prov, gated)\nint main(void) { SPOOR_SDT_WITH_SEMAPHORE(prov, gated, 1); return 0; }\n' > not_here.c
warnings="-Wall -Wextra -Wpedantic -Werror -I$header"
for compiler in gcc "$clang"; do
	cxx=$(echo "$compiler" | sed 's/gcc$/g++/; s/clang$/clang++/')
	# shellcheck disable=SC2086
	for linker in bfd lld; do
		# gcc for another machine finds no lld.
		[ -z "$emulated" ] || [ "$compiler$linker" != gcclld ] || continue
		for file in owner twin; do
			"$compiler" -O1 $warnings -fPIC -c -o $file.o $file.c
			"$clang" -fuse-ld=$linker -shared -o lib$file.so $file.o
		done
		for flags in -fPIE '-fno-pie -no-pie' '-fPIE -flto'; do
			case $flags in *lto) [ "$compiler$linker" = gccbfd ] || [ "$linker" = lld -a "$compiler" != gcc ] || continue ;; esac
			# The short form takes one level with each linker.
			linked_levels=-O0
			[ $linker = bfd ] || linked_levels=-O2
			[ -z "${SPOOR_LONG-}" ] || linked_levels='-O0 -O2'
			for level in $linked_levels; do
				"$compiler" $level $warnings $flags -fuse-ld=$linker -o asks asks.c -L. -lowner -ltwin -Wl,-rpath,"$work"
				./asks ||
					fail "$compiler, $linker $level $flags: the semaphore of another module is" \
						"wrong: status $?"
				"$cxx" $level $warnings $flags -fuse-ld=$linker -o asks asks.cc -L. -lowner -ltwin -Wl,-rpath,"$work"
				./asks ||
					fail "$cxx, $linker $level $flags: the semaphore of another module is" \
						"wrong: status $?"
				"$compiler" $level $warnings $flags -fuse-ld=$linker -o asks asks.c owner.c -L. -ltwin -Wl,-rpath,"$work"
				./asks ||
					fail "$compiler, $linker $level $flags: the semaphore of another file is" \
						"wrong: status $?"
			done
		done
		! "$compiler" -O1 $warnings -fuse-ld=$linker -o not_here not_here.c -L. -lowner 2> err ||
			fail "$compiler, $linker: a tracepoint links with the semaphore of another module"
		grep -q spoor_sdt_.*_prov_gated err ||
			fail "$compiler, $linker: the error does not name the semaphore: $(cat err)"
	done
done

# Code for folly's header, with one changed include.
cat > folly.cc <<'END'
#define FOLLY_SDT_ARG_CONSTRAINT "r"
#include HEADER
#include <cstdio>
FOLLY_SDT_DECLARE_SEMAPHORE(folly, seen)
FOLLY_SDT_DEFINE_SEMAPHORE(folly, seen)
namespace {
struct request { unsigned long id; const char *path; };
}
__attribute__((noinline)) static void serve(const request &request)
{
	FOLLY_SDT(folly, plain);
	FOLLY_SDT(folly, begin, request.id, request.path);
	if (FOLLY_SDT_IS_ENABLED(folly, seen))
		FOLLY_SDT_WITH_SEMAPHORE(folly, seen, request.id, -1);
}
int main() { for (unsigned long i = 0; i < 3; i++) serve({ i, "path" }); }
END
# With folly's constraint "r", clang for AArch64 warns of operands of 32 bits; and no recorder runs in an emulator.
for compiler in g++ "$clang++"; do
	[ -z "$emulated" ] || break
	"$compiler" -std=c++17 -O2 -Wall -Wextra -Wpedantic -Werror -I"$header" '-DHEADER=<spoor/folly_sdt.h>' -o folly folly.cc
	equal "$compiler: notes by folly's names" "$(notes folly | tr '\n' ';')" 'folly begin 8 8;folly plain;folly seen 8 -4;'
	rm -rf folly.trace
	"$top_builddir/tools/spoor" record -q -o folly.trace --tracepoint folly:seen ./folly
	equal "$compiler: hits by folly's names" "$("$top_builddir/tools/spoor" replay folly.trace | grep -c 'folly:seen([0-2], -1)')" 3
done
