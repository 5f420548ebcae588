#!/bin/sh
# SPDX-License-Identifier: MIT
# debug_files.sh - functions of a stripped library have the names and places that nm and addr2line find in the file
# before it was stripped: by .gnu_debuglink, by build-id in debug directories, by debuginfod. The tools reject a debug
# file of another build with a message.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
# The names come from the files under test, not from the trace.
export SPOOR_NO_SYMBOLS=1
spoor=$top_builddir/tools/spoor

cat > parts.c <<'C'
__attribute__((noinline)) static int hidden_part(int value)
{
	return value + 1;
}
int known_part(int value)
{
	return hidden_part(value) + 2;
}
C
echo 'int known_part(int); int main(void) { return known_part(1) - 4; }' > whole.c
traced_cc -O0 -fPIC -shared -o full.so parts.c
objcopy -R .spoor_symbols full.so
mkdir lib
objcopy --only-keep-debug full.so libparts.debug
strip -o lib/libparts.so full.so
objcopy --add-gnu-debuglink=libparts.debug lib/libparts.so
traced_cc -O0 -o whole whole.c -Llib -lparts -Wl,-rpath,"$work/lib"
"$spoor" record -q -o t ./whole || fail "the recorded program ended with status $?"
build_id=$(readelf -n full.so | sed -n 's/.*Build ID: //p')
by_id=.build-id/$(echo "$build_id" | cut -c 1-2)/$(echo "$build_id" | cut -c 3-)

# The oracle.
address=$(nm full.so | sed -n 's/ t hidden_part$//p')
[ -n "$address" ] || fail "nm does not list hidden_part: $(nm full.so)"
place=$(addr2line -e full.so "0x$address")
equal "the place, by addr2line" "$place" "$work/parts.c:2"

# named WHAT [OPTION...] - checks that the hidden function has its name and its place, without messages.
named()
{
	named_by=$1
	shift
	"$spoor" report --format=csv "$@" t > out 2> err || fail "$named_by: spoor report failed: $(cat err)"
	grep -q '^hidden_part,libparts.so,' out || fail "$named_by: the function has no name: $(cat out err)"
	"$spoor" export --format=chrome "$@" t > out 2>> err ||
		fail "$named_by: spoor export failed: $(cat err)"
	grep -q 'parts.c:2"' out || fail "$named_by: the function has no place: $(cat out)"
	[ ! -s err ] || fail "$named_by: the tools printed messages: $(cat err)"
}

# nameless WHAT MESSAGE [OPTION...] - checks that the function is shown by its address, and that the message gives the
# reason.
nameless()
{
	nameless_by=$1 nameless_says=$2
	shift 2
	"$spoor" report --format=csv "$@" t > out 2> err || fail "$nameless_by: spoor report failed: $(cat err)"
	grep -q "^libparts.so+0x$(echo "$address" | sed 's/^0*//'),libparts.so," out ||
		fail "$nameless_by: the function is not shown by its address: $(cat out)"
	if [ -n "$nameless_says" ]; then
		equal "messages of $nameless_by" "$(grep -c . err)" 1
		grep -q "$nameless_says" err ||
			fail "$nameless_by: the message does not contain '$nameless_says': $(cat err)"
	elif [ -s err ]; then
		fail "$nameless_by: spoor report printed messages: $(cat err)"
	fi
}

nameless "no debug file" ''

# By its link: next to the file, in .debug, below a debug directory.
cp libparts.debug lib/
named "a link beside"
mkdir lib/.debug
mv lib/libparts.debug lib/.debug/
named "a link in .debug"
mkdir -p "tree$work/lib"
mv lib/.debug/libparts.debug "tree$work/lib/"
nameless "another directory" ''
named "a link in a debug directory" --debug-directory tree
named "a second directory" --debug-directory lib --debug-directory "$work/tree"
"$spoor" pack --debug-directory tree -o packed t 2> err || fail "spoor pack failed: $(cat err)"
"$spoor" replay packed 2> err | grep -q 'hidden_part() libparts.so' ||
	fail "the packed trace has no name of the function: $(cat err)"
for command in 'flame --format=folded' graph replay 'export --format=json --flat' filters\ --suggest; do
	# shellcheck disable=SC2086
	"$spoor" $command --debug-directory tree t > out 2> err || fail "spoor $command failed: $(cat err)"
	[ "$command" = 'filters --suggest' ] || grep -q hidden_part out ||
		fail "spoor $command does not name the function: $(cat out)"
done

# A debug file that changed after the link was made.
cp libparts.debug lib/
printf x >> lib/libparts.debug
nameless "another CRC" "libparts.debug: is not the debug file of .*libparts.so: its CRC differs from .gnu_debuglink"
rm lib/libparts.debug

# By build-id; with compressed sections; of another library.
mkdir -p "tree2/$(dirname "$by_id")"
cp libparts.debug "tree2/$by_id.debug"
named "a build-id" --debug-directory tree2
for how in zlib zstd; do
	objcopy --compress-debug-sections=$how libparts.debug "tree2/$by_id.debug" 2> /dev/null || continue
	readelf -SW "tree2/$by_id.debug" | grep -q 'debug_line .* C ' || continue
	named "sections compressed by $how" --debug-directory tree2
done
sed 's/value + 1/value + 3 - 2/' parts.c > other.c
traced_cc -O0 -fPIC -shared -o other.so other.c
cp other.so "tree2/$by_id.debug"
nameless "another build-id" "$by_id.debug: is not the debug file of .*libparts.so: its build-id differs" \
	--debug-directory tree2
head -c 1000 libparts.debug > "tree2/$by_id.debug"
nameless "half a file" '' --debug-directory tree2
echo no ELF > "tree2/$by_id.debug"
nameless "no ELF file" "is not an ELF file" --debug-directory tree2
rm "tree2/$by_id.debug"

# The traced file itself: below another root, or by its build-id.
mkdir -p "root$work"
mv lib "root$work/lib"
"$spoor" replay t 2> err | grep -q 'libparts.so\[missing\]' || fail "a missing file is not marked: $(cat err)"
cp libparts.debug "root$work/lib/"
named "another root" --sysroot root
mkdir flat
cp full.so flat/libparts.so
named "a directory of files side by side" --sysroot flat
cp other.so flat/libparts.so
"$spoor" replay --sysroot flat t 2> err | grep -q 'libparts.so\[missing\]' ||
	fail "another build in the sysroot gave names: $(cat err)"
grep -q 'flat/libparts.so: is not the file that was traced: its build-id differs' err ||
	fail "the message does not name the other build: $(cat err)"
grep -q -e 'use --sysroot if the file was moved$' err || fail "the message does not advise --sysroot: $(cat err)"
cp other.so "tree2/$by_id"
"$spoor" replay --debug-directory tree2 t 2> err | grep -q 'libparts.so\[missing\]' ||
	fail "another build in the debug directory gave names: $(cat err)"
grep -q "$by_id: is not the file that was traced: its build-id differs" err ||
	fail "the message does not name the other build: $(cat err)"
cp full.so "tree2/$by_id"
named "a file by its build-id" --debug-directory tree2

# Invalid options.
for arguments in '--debug-directory none' '--sysroot none' '--debuginfod'; do
	status=0
	# shellcheck disable=SC2086
	DEBUGINFOD_URLS='' "$spoor" report $arguments t > out 2> err || status=$?
	equal "status of $arguments" "$status" 2
	grep -q 'No such file\|DEBUGINFOD_URLS names no server' err ||
		fail "$arguments: the message does not give the reason: $(cat err)"
done
mkdir empty
echo none > empty/libdebuginfod.so.1
status=0
LD_LIBRARY_PATH=$work/empty DEBUGINFOD_URLS=http://127.0.0.1:9 "$spoor" report --debuginfod t > out 2> err || status=$?
equal "status without the library" "$status" 2
grep -q 'libdebuginfod.so.1 cannot be loaded' err || fail "the message does not name the missing library: $(cat err)"
