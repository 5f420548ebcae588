#!/bin/sh
# SPDX-License-Identifier: MIT
# tracepoints.sh - spoor tracepoints lists the same as readelf: tracepoints of spoor/sdt.h and of SystemTap's header,
# by gcc and clang, at all levels, for both architectures, in the system's libraries, and in a process, whose files
# may be deleted. Malformed notes give messages.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
header=$top_srcdir/libspoor/include

# as_readelf FILE - prints "provider,name,address,semaphore,operands" from readelf.
as_readelf()
{
	readelf -nW "$1" 2> /dev/null | awk '
		/Provider:/ { provider = $NF }
		/ Name:/ { name = $NF }
		/Location:/ { gsub(/,/, ""); address = $2; semaphore = $6 }
		/Arguments:/ { sub(/.*Arguments: ?/, ""); print provider "," name "," address "," semaphore "," $0 }' |
		sed 's/0x0*\([0-9a-f]\)/0x\1/g; s/ *$//' | LC_ALL=C sort
}

# listed FILE - prints the same from spoor.
listed()
{
	"$spoor" tracepoints list --format csv "$1" 2> listed.err | python3 -c '
import csv, re, sys
for row in csv.DictReader(sys.stdin):
    row["semaphore"] = "0x0" if row["semaphore"] == "0" else row["semaphore"]
    operands = re.sub("0x0*([0-9a-f])", r"0x\1", row["operands"]).rstrip()
    print(row["provider"], row["name"], row["address"], row["semaphore"], operands, sep=",")' | LC_ALL=C sort
}

# same FILE [COUNT] - compares both lists, which must have at least COUNT lines.
same()
{
	as_readelf "$1" > wanted
	listed "$1" > got
	cmp wanted got || fail "$1: readelf (<) and spoor (>) differ: $(diff wanted got | head -n 6)"
	[ "$(wc -l < got)" -ge "${2-1}" ] || fail "$1: spoor lists only $(wc -l < got) tracepoints"
	[ ! -s listed.err ] || fail "$1: spoor printed messages: $(cat listed.err)"
}

for compiler in gcc "$clang"; do
	for level in -O0 -O2; do
		"$compiler" $level -I"$header" -o ours "$victims/tracepoints/probes.c"
		same ./ours 5
	done
	"$compiler" -O2 -DSYSTEMTAP -o theirs "$victims/tracepoints/probes.c"
	same ./theirs 4
done
"$spoor" tracepoints list ours > text
# Tracepoints with a semaphore of spoor/sdt.h call the recorder; all others need a breakpoint.
equal "ways" "$(sed -n 's/.*  \([a-z][a-z]*\) *victim:\([a-z]*\).*/\2 \1/p' text | sort -u | tr '\n' ' ')" \
	"asked semaphore dropped breakpoint few breakpoint many breakpoint none breakpoint "
equal "types" "$(sed -n 's/.*victim:few(\([^)]*\)).*/\1/p' text | head -n 1)" \
	"$(as_readelf ours | sed -n 's/^victim,few,[^,]*,[^,]*,//p' | head -n 1 | tr ' ' '\n' |
		sed -n 's/^-\([0-9]*\)@.*/i \1/p; s/^\([0-9]*\)@.*/u \1/p' | awk '{ printf "%s%s%d", (NR > 1 ? " " : ""), $1, $2 * 8 }')"

# Operands of the other architecture.
cat > other.c <<'END'
#include <spoor/sdt.h>
int table[4];
int probed(int x, long y, const char *z)
{
	SPOOR_SDT(other, probe, x, y, z, table[x & 3], 42, (unsigned char)x);
	return x;
}
END
for target in x86_64 aarch64; do
	"$clang" --target=$target-linux-gnu -O2 -I"$header" -fPIC -shared -nostdlib -fuse-ld=lld -o other.$target other.c
	same ./other.$target
	"$spoor" tracepoints list other.$target | grep -q 'other:probe(i32 i64 u64 i32 i32 u8) ' ||
		fail "$target: the types of the arguments differ: $("$spoor" tracepoints list other.$target)"
done

# Libraries of the system.
for library in /usr/lib/*-linux-gnu/libstdc++.so.6 /usr/lib/*-linux-gnu/libpython3.*.so.1.0 /usr/lib/debug/.build-id; do
	if [ -f "$library" ] && readelf -n "$library" 2> /dev/null | grep -q stapsdt; then
		same "$library"
		! "$spoor" tracepoints list "$library" | grep -q '?' ||
			fail "$library: an argument is unreadable:" \
				"$("$spoor" tracepoints list "$library" | grep -m 3 '?')"
	fi
done

# A process with a deleted file.
cat > waits.c <<'END'
#include <dlfcn.h>
#include <unistd.h>
int main(int count, char **words)
{
	char byte;

	if (!dlopen(words[count - 1], RTLD_NOW) || unlink(words[count - 1]) != 0 || write(1, "", 1) != 1)
		return 1;
	return read(0, &byte, 1) < 0;
}
END
gcc -o waits waits.c -ldl
gcc -O2 -fPIC -shared -I"$header" -o gone.so other.c
mkfifo in out
./waits ./gone.so < in > out &
waits=$!
exec 8> in 9< out
head -c 1 <&9 > begun
"$spoor" tracepoints list $waits > of.process 2> of.process.err ||
	fail "listing the tracepoints of a process failed: $(cat of.process.err)"
echo > /proc/$$/fd/8
exec 8>&- 9<&-
wait $waits
if [ "$(id -u)" = 0 ]; then	# only privileged users can read map_files
	grep -q 'gone.so (deleted):$' of.process && grep -q 'other:probe(' of.process ||
		fail "the list of a process does not have the deleted file: $(cat of.process of.process.err)"
fi

# Malformed files.
# refused STATUS TEXT FILE - checks the status and that there is one message with TEXT.
refused()
{
	status=0
	"$spoor" tracepoints list "$3" > refused.out 2> refused.err || status=$?
	equal "$3: status" $status "$1"
	said_once refused.err "$2"
}
refused 0 'has no static tracepoints' /bin/true
refused 1 'is not an ELF file' "$top_srcdir/tests/integration/tracepoints/tracepoints.sh"
refused 1 'No such file' missing
gcc -c -I"$header" -o object.o other.c
refused 1 'is not linked yet' object.o
corpus=$top_srcdir/tests/fuzz/corpus/sdt_notes
for name in other_version too_long cut outside; do
	refused 1 'omits [12] malformed notes of tracepoints' "$corpus/$name"
	[ ! -s refused.out ] || fail "$name: malformed notes are listed: $(cat refused.out)"
done
sed 's/-4@%eax 8@\$3/-4@%eax 3@$3/' "$corpus/one" > odd
refused 0 '1 of 1 tracepoints have arguments in an unknown format' odd
grep -q 'victim:some(i32 ?)  %eax \$3' refused.out ||
	fail "an unknown argument is not shown as '?': $(cat refused.out)"
refused 1 'process 4194304000: ' 4194304000
for words in '' 'show ours' 'list' 'list --format xml ours'; do
	status=0
	# shellcheck disable=SC2086
	"$spoor" tracepoints $words > out.txt 2> err || status=$?
	equal "'$words': status" $status 2
done
