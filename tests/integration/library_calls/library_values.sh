#!/bin/sh
# SPDX-License-Identifier: MIT
# library_values.sh - arguments and results of library functions are those that the program passed and got, through jump
# slots and through call slots, and with the names of the tables. Debian's gzip and lua5.4 make the same calls as strace and
# gdb see. Spoor says why it cannot record a value.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
sources=$victims/library
export LIBRARY_VALUES='from the environment'
calls='*,-vsnprintf,-fputs,-*_chk,-puts,-printf'
chosen='libc*,libm*,-libc*:vsnprintf,-libc*:fputs,-libc*:mem*'

# texts - replaces texts on stdin under an emulator, which cannot read the memory of a process for spoor.
texts()
{
	if [ -n "$emulated" ]; then
		sed 's/"[^"]*"/TEXT/g; s/<unreadable 0x[0-9a-f]*>/TEXT/g'
	else
		cat
	fi
}

# replayed TRACE - writes the calls of library functions to the file replay, without times and libraries.
replayed()
{
	"$spoor" replay --no-pager "$1" > raw 2> err || fail "replay: $(cat err)"
	sed -n 's/^ *[0-9.]* [nmu]*s  */ /; s/^[ |]*//; s/ lib[a-z]*\.so\.[0-9]*\( {\|;\)$//p' raw | texts > replay
}

# same NAME OPTION... - records the victim, which prints its calls: the replay has the same.
same()
{
	same_name=$1
	shift
	"$spoor" record -q -o "$same_name.trace" --args '*' --retval '*,getenv(:s)' "$@" "./$same_name" > expected 2> err ||
		fail "$same_name fails: $(cat err)"
	[ "$(wc -l < expected)" -ge 24 ] || fail "$same_name prints only $(cat expected)"
	replayed "$same_name.trace"
	texts < expected > printed
	cmp printed replay || fail "$same_name $*: $(diff printed replay)"
}

for how in '-Wl,-z,lazy' '-Wl,-z,now' '-no-pie'; do
	# shellcheck disable=SC2086
	build_once cc -w -O1 -fno-builtin $how -o values "$sources/library_values.c" -lm
	same values --library-calls "$chosen"
done
[ ! -s err ] || fail "messages: $(cat err)"
for how in '-O0' '-O2' '-O2 -flto -fuse-ld=lld'; do
	# shellcheck disable=SC2086
	traced_cc -w $how -fno-builtin "-fspoor-calls=$calls" -o slots "$sources/library_values.c" -lm
	same slots -m 'libc.so*,libm.so*' -f '*'
	# Once, if a jump slot leads to the function too.
	same slots -m 'libc.so*,libm.so*' -f '*' --library-calls "$chosen"
done

# Names and formats of the user, and a value that only some calls have.
cat > named.c << 'END_OF_FILE'
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
	char bytes[3000];
	int file = open("made", O_CREAT | O_RDWR, 0640);

	for (int i = 1; i <= 5; i++)
		if (write(file, bytes, 500 * i) < 0 || dlsym(RTLD_DEFAULT, "not_there"))
			return 1;
	free(malloc(77));
	return close(file);
}
END_OF_FILE
cc -w -O1 -fno-builtin -o named named.c
# The caller of the tests may have more descriptors.
exec 3>&- 4>&- 5>&- 6>&- 7>&-
"$spoor" record -q -o named.trace --library-calls 'libc*' --args 'open(path:s,flags:x,mode:x),write(file:d,,size:u),malloc' \
	--retval 'write(:x),dlsym' --cpu-time close --trigger 'write(size>=2000)' ./named 2> err || fail "named fails: $(cat err)"
grep -q 'of 1 function of .*libc.* (dlsym): the result is unknown, because the calls are recorded without duration' err ||
	fail "dlsym is not explained: $(cat err)"
# A pattern that matches neither a traced function nor a library function is named before the program runs. memcpy is a
# function that the loader chooses.
rm -f made
status=0
"$spoor" record -q -o typo.trace --library-calls 'libc*' --args 'memcpy,write' --retval 'raed,clos*' ./named 2> err || status=$?
equal "status of a pattern that matches nothing" $status 2
said_once err "--retval: no traced function and no library function of ./named matches 'raed': did you mean 'read'?"
[ ! -e made ] || fail "the program ran although a pattern matches nothing"
"$spoor" record -q -o typo.trace --library-calls 'libc*' --args 'raed' --allow-empty ./named 2> err || fail "--allow-empty: $(cat err)"
[ -e made ] || fail "--allow-empty: the program did not run"
replayed named.trace
grep -qx "open(path=$(echo '"made"' | texts), flags=0x42, mode=0x1a0)" replay || fail "open: $(cat replay)"
grep -qx 'write(file=3, size=1500) = 0x5dc' replay || fail "write: $(cat replay)"
grep -qx 'malloc(size=77)' replay || fail "malloc: $(cat replay)"
grep -qx 'dlsym()' replay || fail "dlsym: $(cat replay)"
[ "$("$spoor" info named.trace | grep -c "write libc.so.6 had the trigger's values")" = 2 ] ||
	fail "the trigger: $("$spoor" info named.trace)"
"$spoor" info named.trace | grep -q ' close libc.so.6  processor time' || fail "info: $("$spoor" info named.trace)"

# What reads records of values.
"$spoor" report --no-pager --by write.size --format csv named.trace > by || fail "report --by fails"
grep -q '2500' by || fail "report --by: $(cat by)"
"$spoor" replay --no-pager --where 'size > 1200' named.trace > where
[ "$(grep -c 'write(file' where)" = 3 ] || fail "--where: $(cat where)"
"$spoor" export --format json --flat -o named.json named.trace
python3 - << 'END_OF_FILE' || fail "export: $(cat named.json)"
import json
with open("named.json", encoding="utf-8") as file:
    events = [event for event in json.load(file)["events"] if event.get("function", "").startswith("write")]
assert events[0]["arguments"] == [{"name": "file", "value": "3"}, {"name": "size", "value": "500"}], events[0]
END_OF_FILE

# Functions that no table has: the calling module describes them, of a function with varying arguments the fixed ones.
cc -w -O2 -fPIC -shared -Wl,-soname,libvalues.so -o libvalues.so "$sources/slot_values_library.c"
for how in '-O0' '-O2 -flto -fuse-ld=lld'; do
	# shellcheck disable=SC2086
	traced_cc -w $how '-fspoor-calls=value_*' -o other "$sources/slot_values.c" -L. -lvalues "-Wl,-rpath,$PWD"
	"$spoor" record -q -o other.trace -m libvalues.so -f '*' --args '*' --retval '*' ./other > out 2> err || fail "other fails: $(cat err)"
	"$spoor" replay --no-pager other.trace | sed -n 's/^ *[0-9.]* [nmu]*s  */ /; s/^ *//; s/ libvalues.so;$//p' > replay
	grep -q '^value_narrow(arg1=-100, arg2=\(65535\|-1\)) = ' replay || fail "value_narrow: $(cat replay)"
	grep -q '^value_varying(arg1=7) = ' replay || fail "value_varying: $(cat replay)"
	grep -q '^value_varying(arg1=12) = ' replay || fail "value_varying: $(cat replay)"
	grep -q '^value_many(.*arg10=10.5, .*, arg12=11.5) = ' replay || fail "value_many: $(cat replay)"
done

# A function that is first called later, and another choice while the program runs.
cat > later.c << 'END_OF_FILE'
#include <dlfcn.h>
#include <spoor.h>
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
	void *plugin = dlopen("./plugin.so", RTLD_NOW);
	int (*call)(void) = (int (*)(void))dlsym(plugin, "plugin");

	call();
	spoor_arguments_choose("getpgid(who:d)");
	call();
	return getpgid(0) < 0;
}
END_OF_FILE
printf '#include <unistd.h>\n#include <stdlib.h>\nint plugin(void) { return getpgid(0) + abs(-3); }\n' > plugin.c
cc -w -O1 -fno-builtin -shared -fPIC -o plugin.so plugin.c
traced_cc -w -O1 -fspoor-runtime -o later later.c
"$spoor" record -q -o later.trace --library-calls 'libc*' --args 'abs,getpgid' ./later 2> err || fail "later fails: $(cat err)"
replayed later.trace
grep -v '^dl' replay > calls
printf '%s\n' 'getpgid(pid=0)' 'abs(x=-3)' 'getpgid(who=0)' 'abs()' 'getpgid(who=0)' > wanted
cmp wanted calls || fail "later: $(diff wanted calls)"

[ -z "$emulated" ] || exit 0

# gzip, as strace sees it after the loader's calls.
cp "$top_srcdir/libspoor/library_calls/known_libc.def" input
if command -v strace > /dev/null && strace -o gzip.strace -e trace=read,write gzip -c -1 input > plain; then
	"$spoor" record -q -o gzip.trace --library-calls 'libc*' --args 'read,write' --retval 'read,write' gzip -c -1 input > out 2> err ||
		fail "gzip fails: $(cat err)"
	cmp plain out || fail "gzip writes something else"
	replayed gzip.trace
	sed -n '/"\\177ELF/d; s/^\([a-z]*\)(\([0-9]*\), .*, \([0-9]*\)) *= \([-0-9]*\).*/\1 \2 \3 \4/p' gzip.strace > expected
	sed -n 's/^\([a-z]*\)(fd=\([0-9]*\), buf=0x[0-9a-f]*, count=\([0-9]*\)) = \([-0-9]*\)$/\1 \2 \3 \4/p' replay > got
	[ "$(wc -l < expected)" -ge 3 ] || fail "strace saw only $(cat gzip.strace)"
	cmp expected got || fail "gzip: strace and spoor differ: $(diff expected got)"
fi

# Lua, as gdb sees it.
cat > input.lua << 'END_OF_FILE'
local words = {}
for i = 1, 200 do words[i] = string.rep("x", i % 50) .. i end
table.sort(words)
print(#words, #table.concat(words))
io.open("input.lua"):close()
END_OF_FILE
export GDB_CALLS='realloc=,u free= fopen64=s,s fwrite=,u,u strtod=s' GDB_CALLS_OUT="$PWD/expected"
gdb -q -nx -batch -ex 'set startup-with-shell off' -x "$top_srcdir/tests/integration/library_calls/gdb_calls.py" \
	--args "$(command -v lua5.4)" input.lua > gdb.out 2>&1 || fail "gdb: $(cat gdb.out)"
"$spoor" record -q -o lua.trace --library-calls 'libc*' --args 'realloc(,n:),fopen64(:,:),fwrite(,:,:),strtod(:)' \
	"$(command -v lua5.4)" input.lua > out 2> err || fail "lua fails: $(cat err)"
replayed lua.trace
sed -n 's/^\(realloc\|free\|fopen64\|fwrite\|strtod\)(\(.*\))$/\1 \2/p' replay | sed 's/, / /g; s/\(arg[0-9]\|n\)=//g; s/"//g; s/ $//' > got
[ "$(wc -l < expected)" -ge 100 ] && grep -q '^fopen64 input.lua r' expected || fail "gdb saw only $(cat expected)"
cmp expected got || fail "lua: gdb and spoor differ: $(diff expected got | head -20)"
