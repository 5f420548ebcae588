#!/bin/sh
# SPDX-License-Identifier: MIT
# pack.sh - a packed trace gives the same output, byte for byte, if the traced files are missing or replaced by other
# builds. The packed files contain no code. spoor pack rejects a build that was not traced.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

# told TRACE FOLDER - writes the output of every reader to the folder.
told()
{
	mkdir -p "$2"
	for format in perfetto chrome csv json speedscope pprof callgrind; do
		"$spoor" export --format=$format -o "$2/$format" "$1" 2> "$2/$format.err" ||
			fail "spoor export --format=$format failed: $(cat "$2"/*.err)"
	done
	"$spoor" replay "$1" > "$2/replay" 2> "$2/replay.err"
	"$spoor" report "$1" > "$2/report" 2> "$2/report.err"
	"$spoor" report --no-demangle --columns=all --format=csv "$1" > "$2/report_csv" 2> "$2/csv.err"
	"$spoor" flame --format=folded "$1" > "$2/folded" 2> "$2/folded.err"
	"$spoor" info "$1" > "$2/info" 2> "$2/info.err"
}

# A stripped library, whose names are its dynamic symbols and the pass's descriptions; one without these descriptions;
# one without a build-id; one with hooks.
mkdir files
cat > parts.c <<'C'
__attribute__((noinline)) static int NAME(_inner)(int value) { return value + 1; }
__attribute__((noinline)) int NAME(_outer)(int value) { return NAME(_inner)(value) + 2; }
C
for name in stripped bare unmarked; do
	traced_cc -O0 -fPIC -shared "-DNAME(x)=$name##x" -o files/lib$name.so parts.c
done
strip files/libstripped.so
objcopy -S -R .spoor_symbols files/libbare.so
# The lines of these two are only in debug information.
traced_cc -O0 -g -fPIC -shared '-DNAME(x)=unmarked##x' -Wl,--build-id=none -o files/libunmarked.so parts.c
objcopy -R .spoor_symbols files/libunmarked.so
"$clang" -O0 -g -fPIC -shared -finstrument-functions '-DNAME(x)=hooked##x' -o files/libhooked.so parts.c
cat > whole.c <<'C'
int stripped_outer(int), bare_outer(int), unmarked_outer(int), hooked_outer(int);
int main(void) { return stripped_outer(1) + bare_outer(1) + unmarked_outer(1) + hooked_outer(1) - 16; }
C
traced_cc -O0 -o files/whole whole.c -Lfiles -lstripped -lbare -lunmarked -lhooked -Wl,-rpath,"$work/files"
"$spoor" record -q --no-symbols -o t files/whole || fail "the recorded program ended with status $?"
told t before
for name in stripped_inner unmarked_inner hooked_outer bare_outer; do
	grep -q "$name" before/replay || fail "the trace has no function $name: $(cat before/replay)"
done

for name in unmarked_inner hooked_outer; do
	grep -q "^$name,.*/parts.c,[12]," before/report_csv ||
		fail "the report has no line of $name: $(cat before/report_csv)"
done

# Packs a copy of the trace, then the trace itself.
"$spoor" pack -o packed t 2> err || fail "spoor pack failed: $(cat err)"
grep -q '^spoor: pack: 5 modules are packed in .*/packed/symbols$' err ||
	fail "spoor pack does not report five packed modules: $(cat err)"
equal "the trace that spoor pack -o copied" "$(ls t/symbols)" off
diff -r t packed > diff.out || equal "what a copy has besides" "$(sed 's/: .*//' diff.out | sort -u)" "$(printf 'Only in packed/symbols\nOnly in t/symbols')"
equal "modes" "$(stat -c %a packed/symbols packed/symbols/* | sort -u)" "$(printf '600\n700')"
"$spoor" pack t 2> err || fail "spoor pack failed: $(cat err)"
"$spoor" pack t 2> err || fail "spoor pack failed the second time: $(cat err)"
rm t/symbols/off
diff -r t packed || fail "the trace and its packed copy differ (see above)"
for file in packed/symbols/*; do
	readelf -SlW "$file" > sections 2> err
	[ ! -s err ] || fail "readelf of $file printed errors: $(cat err)"
	! grep -q ' AX \|\.text\|LOAD' sections || fail "$file contains code: $(cat sections)"
done
build_id=$(readelf -n files/whole | sed -n 's/.*Build ID: //p')
readelf -n "packed/symbols/$build_id" | grep -q "$build_id" || fail "packed/symbols/$build_id has another build-id"
"$spoor" record -q --no-symbols -o t files/whole || fail "the recorded program ended with status $?"
[ -d t.old/symbols ] || fail "a packed trace was not renamed completely: $(ls t.old)"
rm -rf t
mv t.old t

# On another machine: the files are missing, and then they are other builds.
mv files elsewhere
mv packed moved
for trace in t moved; do
	told $trace after
	diff -r before after > diff.out || fail "$trace, without its files: the output differs: $(cat diff.out)"
done
"$spoor" replay moved/[0-9]* 2> err | cmp - before/replay ||
	fail "the output for a single process differs: $(cat err)"
"$spoor" pack -o again moved 2> err || fail "packing a packed trace failed: $(cat err)"
diff -r moved again || fail "packing twice gives other files (see above)"
cp -r elsewhere files
sed -i s/value/other/g parts.c
traced_cc -O0 -fPIC -shared '-DNAME(x)=other##x' -o files/libstripped.so parts.c
told t after
diff -r before after || fail "with other files the output differs (see above)"

# Rejected: the output is the trace itself, which would be removed before it is read.
for same in t ./t/; do
	status=0
	"$spoor" pack -o $same t 2> err || status=$?
	equal "status of $same in its own place" "$status" 2
	grep -q 'is the trace itself' err || fail "the message does not say that the output is the trace: $(cat err)"
done
diff -r before after && [ ! -e t.old.1 ] || fail "the rejected command changed the trace: $(ls)"

# Rejected: another build, and a missing file; all other modules are packed.
cp -r t unpacked
rm unpacked/symbols/*
: > unpacked/symbols/off
status=0
"$spoor" pack -o part unpacked 2> err || status=$?
equal "status with another build" "$status" 1
grep -q 'libstripped.so: is not the file that was traced: its build-id differs' err ||
	fail "the message does not name the other build: $(cat err)"
equal "packed all the same" "$(ls part/symbols | wc -l)" 4
"$spoor" replay part 2> /dev/null | grep -q 'libstripped.so\[mismatch\]' || fail "another build gave names"
rm -r files
status=0
"$spoor" pack -o none unpacked 2> err || status=$?
equal "status without files" "$status" 1
equal "messages" "$(grep -c 'No such file' err)" 5

# A packed file of another module, or a damaged one, gives no names; nor does a link to another place.
cp moved/symbols/"$build_id" other
for file in moved/symbols/*; do [ "$file" = moved/symbols/"$build_id" ] || cp "$file" moved/symbols/"$build_id"; done
"$spoor" replay moved 2> err | grep -q 'whole\[missing\]' ||
	fail "the packed file of another module gave names: $(cat err)"
printf 'spoilt' > moved/symbols/"$build_id"
"$spoor" replay moved 2> err | grep -q 'whole\[missing\]' || fail "a damaged packed file gave names: $(cat err)"
ln -sf "$work/other" moved/symbols/"$build_id"
"$spoor" replay moved 2> err | grep -q 'whole\[missing\]' ||
	fail "a link in the packed trace was followed: $(cat err)"

# Invalid command lines.
for arguments in '--no-such-option' 'one two'; do
	status=0
	# shellcheck disable=SC2086
	"$spoor" pack $arguments 2> err || status=$?
	equal "status of pack $arguments" "$status" 2
done
status=0
"$spoor" pack there-is-none 2> err || status=$?
equal "status without a trace" "$status" 1
