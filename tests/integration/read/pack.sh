#!/bin/sh
# SPDX-License-Identifier: MIT
# pack.sh - a packed trace says the same, byte for byte, where the traced files are gone or are
# other builds; what is packed has no code; a build that was not traced is refused.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

# told TRACE FOLDER - what every reader says of it.
told()
{
	mkdir -p "$2"
	for format in perfetto chrome csv json speedscope pprof callgrind; do
		"$spoor" export --format=$format -o "$2/$format" "$1" 2> "$2/$format.err" || fail "export $format: $(cat "$2"/*.err)"
	done
	"$spoor" replay "$1" > "$2/replay" 2> "$2/replay.err"
	"$spoor" report "$1" > "$2/report" 2> "$2/report.err"
	"$spoor" report --no-demangle --columns=all --format=csv "$1" > "$2/report_csv" 2> "$2/csv.err"
	"$spoor" flame --format=folded "$1" > "$2/folded" 2> "$2/folded.err"
	"$spoor" info "$1" > "$2/info" 2> "$2/info.err"
}

# A stripped library, whose names are its dynamic symbols and what the pass said; one
# without the latter; one without a build-id; one with hooks.
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
# The lines of these two are in debug information alone.
traced_cc -O0 -g -fPIC -shared '-DNAME(x)=unmarked##x' -Wl,--build-id=none -o files/libunmarked.so parts.c
objcopy -R .spoor_symbols files/libunmarked.so
"$clang" -O0 -g -fPIC -shared -finstrument-functions '-DNAME(x)=hooked##x' -o files/libhooked.so parts.c
cat > whole.c <<'C'
int stripped_outer(int), bare_outer(int), unmarked_outer(int), hooked_outer(int);
int main(void) { return stripped_outer(1) + bare_outer(1) + unmarked_outer(1) + hooked_outer(1) - 16; }
C
traced_cc -O0 -o files/whole whole.c -Lfiles -lstripped -lbare -lunmarked -lhooked -Wl,-rpath,"$work/files"
"$spoor" record -q -o t files/whole || fail "the program's status is $?"
told t before
for name in stripped_inner unmarked_inner hooked_outer bare_outer; do
	grep -q "$name" before/replay || fail "no $name in what was recorded: $(cat before/replay)"
done

for name in unmarked_inner hooked_outer; do
	grep -q "^$name,.*/parts.c,[12]," before/report_csv || fail "no line of $name: $(cat before/report_csv)"
done

# A copy, and the trace itself.
"$spoor" pack -o packed t 2> err || fail "pack: $(cat err)"
grep -q '^spoor: pack: 5 modules are packed in .*/packed/symbols$' err || fail "pack: $(cat err)"
[ ! -e t/symbols ] || fail "pack -o changed the trace"
diff -r t packed > diff.out || equal "what a copy has besides" "$(cat diff.out)" "Only in packed: symbols"
equal "modes" "$(stat -c %a packed/symbols packed/symbols/* | sort -u)" "$(printf '600\n700')"
"$spoor" pack t 2> err || fail "pack: $(cat err)"
"$spoor" pack t 2> err || fail "pack again: $(cat err)"
diff -r t packed || fail "the trace and its packed copy differ"
for file in packed/symbols/*; do
	readelf -SlW "$file" > sections 2> err
	[ ! -s err ] || fail "readelf of $file: $(cat err)"
	! grep -q ' AX \|\.text\|LOAD' sections || fail "$file has code: $(cat sections)"
done
build_id=$(readelf -n files/whole | sed -n 's/.*Build ID: //p')
readelf -n "packed/symbols/$build_id" | grep -q "$build_id" || fail "no build-id in packed/symbols/$build_id"
"$spoor" record -q -o t files/whole || fail "the program's status is $?"
[ -d t.old/symbols ] || fail "a packed trace is not kept aside whole"
rm -rf t
mv t.old t

# Another machine: the files are gone, and then they are others.
mv files elsewhere
mv packed moved
for trace in t moved; do
	told $trace after
	diff -r before after > diff.out || fail "$trace, without its files: $(cat diff.out)"
done
"$spoor" replay moved/[0-9]* 2> err | cmp - before/replay || fail "a single process: $(cat err)"
"$spoor" pack -o again moved 2> err || fail "packing what was packed: $(cat err)"
diff -r moved again || fail "packed twice"
cp -r elsewhere files
sed -i s/value/other/g parts.c
traced_cc -O0 -fPIC -shared '-DNAME(x)=other##x' -o files/libstripped.so parts.c
told t after
diff -r before after || fail "with other files"

# Refused: the trace in its own place, which would be gone before it is read.
for same in t ./t/; do
	status=0
	"$spoor" pack -o $same t 2> err || status=$?
	equal "status of $same in its own place" "$status" 2
	grep -q 'is the trace itself' err || fail "in its own place: $(cat err)"
done
diff -r before after && [ ! -e t.old.1 ] || fail "the trace has moved"

# Refused: another build, and what is gone; all else is packed.
cp -r t unpacked
rm -r unpacked/symbols
status=0
"$spoor" pack -o part unpacked 2> err || status=$?
equal "status with another build" "$status" 1
grep -q 'libstripped.so: is not the file that was traced: its build-id differs' err || fail "another build: $(cat err)"
equal "packed all the same" "$(ls part/symbols | wc -l)" 4
"$spoor" replay part 2> /dev/null | grep -q 'libstripped.so\[mismatch\]' || fail "another build gave names"
rm -r files
status=0
"$spoor" pack -o none unpacked 2> err || status=$?
equal "status without files" "$status" 1
equal "messages" "$(grep -c 'No such file' err)" 5

# A packed file that is another module's, or spoilt, names nothing; nor does a link elsewhere.
cp moved/symbols/"$build_id" other
for file in moved/symbols/*; do [ "$file" = moved/symbols/"$build_id" ] || cp "$file" moved/symbols/"$build_id"; done
"$spoor" replay moved 2> err | grep -q 'whole\[missing\]' || fail "another module's file gave names"
printf 'spoilt' > moved/symbols/"$build_id"
"$spoor" replay moved 2> err | grep -q 'whole\[missing\]' || fail "a spoilt file gave names"
ln -sf "$work/other" moved/symbols/"$build_id"
"$spoor" replay moved 2> err | grep -q 'whole\[missing\]' || fail "a link was followed"

# What it cannot do.
for arguments in '--no-such-option' 'one two'; do
	status=0
	# shellcheck disable=SC2086
	"$spoor" pack $arguments 2> err || status=$?
	equal "status of pack $arguments" "$status" 2
done
status=0
"$spoor" pack there-is-none 2> err || status=$?
equal "status without a trace" "$status" 1
