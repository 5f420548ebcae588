#!/bin/sh
# SPDX-License-Identifier: MIT
# symbols_section.sh - each object file describes its functions, and protoc reads the linked section: the whole
# program or library has the same descriptions as its parts, through archives, partial links, link-time optimisation,
# garbage collection, folding and strip. Functions have the described names.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
work_folder symbols_section
unset $(env | sed -n 's/^\(SPOOR_INSTRUMENTATION_[A-Z_]*\)=.*/\1/p') SOURCE_DATE_EPOCH
spoor=$top_builddir/tools/spoor
proto=$top_srcdir/libspoor/format/symbols.proto
command -v protoc > /dev/null || fail "protoc is missing: apt-get install protobuf-compiler"

cat > one.c <<'END_OF_SOURCE'
int used(int x);
volatile int sink;
__attribute__((noinline)) static int local(int x) { sink = x; return x + 1; }
__attribute__((noinline)) int folded_one(int x) { sink = x; return x * 5; }
int unused(int x) { return local(x) * 2; }
__attribute__((xray_never_instrument, noinline)) int never(int x) { sink = x; return x; }
int main(int argc, char **argv) { (void)argv; return local(argc) + used(argc) + folded_one(1) - 20 + never(0); }
END_OF_SOURCE
cat > two.c <<'END_OF_SOURCE'
extern volatile int sink;
__attribute__((noinline)) static int local(int x) { sink = x + 1; return x + 2; }
__attribute__((noinline)) int folded_two(int x) { sink = x; return x * 5; }
int used(int x) { return local(x) + folded_two(2); }
END_OF_SOURCE

# in_table FILE - prints the keys of the functions in the table.
in_table()
{
	table "$1" 2> err | python3 -c 'import sys
for line in sys.stdin: print(int(line.split()[1]) << 32 | int(line.split()[2]))' | sort
}

# described FILE - prints "KEY NAME" for each description in the section, by protoc.
described()
{
	"$llvm_bin/llvm-objcopy" --dump-section=.spoor_symbols=section "$1" /dev/null 2> err || return 0
	protoc --proto_path="${proto%/*}" --decode=spoor.Symbols symbols.proto < section |
		awk '/^ *key:/ { key = $2 } /^ *linkage_name:/ { gsub(/"/, ""); print key, $2 }' | sort
}

# whole FILE - checks that the file has the descriptions of both objects.
whole()
{
	described "$1" > got
	diff wanted got > differences || fail "LLVM $llvm, $1: the descriptions differ: $(cat differences)"
	"$llvm_bin/llvm-readelf" -SW "$1" 2> err | grep -q '\.spoor_symbols *PROGBITS *0000000000000000 .* 00 [^A]* ' ||
		fail "$1: the section is loaded: $("$llvm_bin/llvm-readelf" -SW "$1" | grep spoor_symbols)"
	# Each function of the table has a description.
	in_table "$1" > in_table
	cut -d' ' -f1 got | sort | comm -13 - in_table > missing
	[ ! -s missing ] || fail "LLVM $llvm, $1: functions without a description: $(cat missing)"
}

# names_in TRACE - prints the functions that were called.
names_in()
{
	"$spoor" report --format=csv "$1" | sed 1d | cut -d, -f1 | sort | tr '\n' ' '
}

llvms=$LLVM_MAJOR
[ -z "${SPOOR_LONG-}" ] || llvms=$(all_llvms)
for llvm in $llvms; do
	use_llvm "$llvm" || fail "there is no plugin for LLVM $llvm"
	compile="$clang -O1 -ffunction-sections -fPIC -fpass-plugin=$plugin"
	for unit in one two; do
		$compile -c $unit.c -o $unit.o
		$compile -c $unit.c -o again.o
		cmp $unit.o again.o || fail "LLVM $llvm: the same source gives other bytes (see above)"
	done
	{ described one.o; described two.o; } | sort > wanted
	[ "$(wc -l < wanted)" = 8 ] || fail "LLVM $llvm: not all eight functions are described: $(cat wanted)"

	for linker in bfd gold lld; do
		[ $linker != lld ] || linker=$llvm_bin/ld.lld
		link="$clang -fuse-ld=$linker -Wl,-u,spoor_dso_anchor"
		$link one.o two.o "$stub" -o program
		whole program
		$link -Wl,--gc-sections one.o two.o "$stub" -o collected
		whole collected
		./collected || fail "LLVM $llvm: the program ended with status $?"
		$link -r -nostdlib one.o two.o -o partial.o
		$link partial.o "$stub" -o of_partial
		whole of_partial
	done
	rm -f library.a
	"$llvm_bin/llvm-ar" rc library.a two.o
	$link one.o library.a "$stub" -o of_archive
	whole of_archive

	# With link-time optimisation a unit has the same functions at the same positions.
	for lto in full thin; do
		for unit in one two; do
			$compile -flto=$lto -c $unit.c -o $unit.$lto.o
		done
		$link -flto=$lto one.$lto.o two.$lto.o "$stub" -o of_$lto
		described of_$lto | cut -d' ' -f2 | sort > got
		cut -d' ' -f2 wanted | sort | diff - got > differences ||
			fail "LLVM $llvm, LTO $lto: the described functions differ: $(cat differences)"
		in_table of_$lto > in_table
		described of_$lto | cut -d' ' -f1 | sort | comm -13 - in_table > missing
		[ ! -s missing ] || fail "LLVM $llvm, LTO $lto: functions without a description: $(cat missing)"

		# The linker has the plugin, and the compiler of one unit did not have it.
		[ "$llvm" != 14 ] || continue
		$clang -O1 -fPIC -flto=$lto -c two.c -o two.plain.o
		$link -flto=$lto -Wl,--load-pass-plugin="$plugin" one.$lto.o two.plain.o "$stub" -o by_linker
		described by_linker | cut -d' ' -f2 | sort > got
		[ "$(grep -c . got)" = "$(sort -u got | grep -c .)" ] || [ "$(sort got | uniq -d)" = local ] ||
			fail "LLVM $llvm, LTO $lto: the linker describes functions twice: $(cat got)"
		in_table by_linker > in_table
		described by_linker | cut -d' ' -f1 | sort | comm -13 - in_table > missing
		[ ! -s missing ] ||
			fail "LLVM $llvm, LTO $lto: functions that the linker instrumented have no description:" \
				"$(cat missing)"
		names by_linker | grep -qx folded_two ||
			fail "LLVM $llvm, LTO $lto: the linker instruments no function: $(names by_linker)"
		./by_linker ||
			fail "LLVM $llvm, LTO $lto: the program that the linker instrumented ended with status $?"
	done
done
use_llvm "$LLVM_MAJOR"

# Two functions that were folded into one keep both descriptions.
$link -Wl,--icf=all one.o two.o "$stub" -o folded
whole folded
"$llvm_bin/llvm-nm" folded | grep ' folded_' | cut -d' ' -f1 | uniq | wc -l | grep -qx 1 ||
	fail "no function was folded, so the test proves nothing"

# With all symbols stripped functions keep their names; without the section they are shown by address.
all='folded_one folded_two local local main used '
for kept in "strip -s" "$llvm_bin/llvm-objcopy --strip-all --keep-section=.spoor_symbols"; do
	cp program stripped
	case $kept in
	strip*) $kept stripped ;;
	*) $kept program stripped ;;
	esac
	whole stripped
	! "$llvm_bin/llvm-nm" stripped 2> err | grep -q main || fail "$kept left symbols in the file"
	rm -rf spoor.trace
	"$spoor" record -q ./stripped
	[ "$(names_in spoor.trace)" = "$all" ] || fail "stripped: functions have other names: $(names_in spoor.trace)"
done
"$llvm_bin/llvm-strip" -s stripped
"$spoor" symbols stripped 2> err > out && fail "spoor symbols lists symbols of a file without the section: $(cat out)"
grep -q 'stripped: has no section .spoor_symbols' err || fail "the message does not name the section: $(cat err)"
rm -rf spoor.trace
"$spoor" record -q ./stripped
case $(names_in spoor.trace) in
*main* | *used*) fail "functions have names without symbols and section: $(names_in spoor.trace)" ;;
esac
# A separate debug file is found by its build-id.
strip --only-keep-debug program -o debug
whole debug

# spoor symbols lists the same as protoc, for objects, archives and programs, with all functions of a key.
for file in one.o library.a program; do
	"$spoor" symbols --format=csv $file | sed 1d | cut -d, -f1,3 | tr , ' ' | sort > listed
	case $file in
	program) cp wanted expected ;;
	one.o) described one.o > expected ;;
	*) described two.o > expected ;;
	esac
	diff expected listed || fail "spoor symbols $file (>) and protoc (<) list different functions (see above)"
done
"$spoor" symbols program | grep -q ' no  *never  one.c  (an attribute excludes the function)$' ||
	fail "spoor symbols does not give the reason: $("$spoor" symbols program)"
"$spoor" symbols --format=json program | python3 -c '
import json, sys
all = json.load(sys.stdin)
assert all["schema"] == "spoor.symbols/1" and len(all["functions"]) == 8, all
print("\n".join(sorted("%s %s" % (f["key"], f["linkage_name"]) for f in all["functions"])))' | diff wanted - ||
	fail "the JSON of spoor symbols differs (see above)"
"$spoor" symbols --format=spoor -o merged one.o two.o program
protoc --proto_path="${proto%/*}" --decode=spoor.Symbols symbols.proto < merged |
	awk '/^ *key:/ { key = $2 } /^ *linkage_name:/ { gsub(/"/, ""); print key, $2 }' | sort | diff wanted - ||
	fail "merging symbols files changes them (see above)"
"$spoor" symbols merged | diff - "$("$spoor" symbols one.o two.o > separate; echo separate)" ||
	fail "a merged file is listed differently (see above)"

# Two sources with the same name and functions with the same names clash: both are listed and marked.
echo 'volatile int sink; int main(void) { return 0; }' > last.c
$compile -c last.c -o last.o
for unit in one two; do
	mkdir -p $unit
	[ $unit = one ] || echo > $unit/same.c
	echo "extern volatile int sink; __attribute__((constructor)) static void starts(void) { sink = $(wc -c < $unit.c); }" >> $unit/same.c
	SPOOR_INSTRUMENTATION_MODULE_ID=same $compile -g -c $unit/same.c -o same_$unit.o
done
"$spoor" symbols same_one.o same_two.o > out 2> err
[ "$(grep -c '\[clash\]' out)" = 2 ] || fail "the clash is not marked: $(cat out)"
grep -q '1 key belongs to several functions' err || fail "no message about the clash: $(cat err)"
"$spoor" symbols same_one.o same_one.o 2>&1 | grep clash && fail "the same source given twice is marked as a clash" \
	"(see above)"
$link last.o same_one.o same_two.o "$stub" -o clashing
rm -rf spoor.trace
"$spoor" record -q ./clashing
[ "$(names_in spoor.trace)" = "main starts starts " ] ||
	fail "clashing functions have other names: $(names_in spoor.trace)"

# With a fixed date the files are reproducible; an unknown file does not stop the listing.
SOURCE_DATE_EPOCH=1600000000 $compile -c one.c -o dated.o
"$spoor" symbols --format=csv dated.o | sed 1d | cut -d, -f12 | sort -u | grep -qx 1600000000 ||
	fail "the symbols have another date than 1600000000"
status=0
"$spoor" symbols "$top_srcdir/README.md" /no/such one.o > out 2> err || status=$?
[ "$status" = 1 ] && [ "$(wc -l < out)" = 6 ] && [ "$(wc -l < err)" = 2 ] ||
	fail "unreadable files: status $status: $(cat out err)"
ar crT thin.a one.o two.o
status=0
"$spoor" symbols thin.a > out 2> err.thin || status=$?
[ "$status" = 1 ] && grep -q 'thin.a: is a thin archive' err.thin ||
	fail "a thin archive is not rejected: status $status: $(cat err.thin)"
grep -q 'README.md: is neither a symbols file nor' err && grep -q '/no/such: No such file' err ||
	fail "the messages do not name the unreadable files: $(cat err)"
status=0
"$spoor" symbols > out 2> err || status=$?
[ "$status" = 2 ] && grep -q 'no file: name' err || fail "spoor symbols without a file: status $status: $(cat err)"
