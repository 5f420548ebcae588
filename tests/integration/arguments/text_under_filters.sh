#!/bin/sh
# SPDX-License-Identifier: MIT
# text_under_filters.sh - a program under a seccomp filter that rejects process_vm_readv, or that kills for it, runs as
# untraced. Constants are in its trace as texts; texts elsewhere are unreadable without transactions of the processor. A
# filter that permits the call changes nothing. The program starts under the filter, or installs it while it is traced.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

program pointers
plain seccomp
./seccomp perf true || skip "no seccomp filter can be installed here"

# shown NAME COMMAND... - writes the calls of the traced program to the file shown. The place of the stack's end decides
# if the text there needs the kernel.
shown()
{
	shown_of=$1
	shift
	SPOOR_RUNTIME_ARGS='show(text:s,number:)' SPOOR_RUNTIME_TRACE_PATH=$work/$shown_of GLIBC_TUNABLES=$tunables LD_PRELOAD='' \
		timeout 300 "$@" > out 2> err || fail "$shown_of: status $?: $(cat err)"
	silent err
	grep -qx survived out || fail "$shown_of: it printed: $(cat out)"
	"$top_builddir/tools/spoor" replay --no-pager "$shown_of" | sed -n 's/.* show(\(.*\)) .*pointers;$/\1/p' > all
	equal "$shown_of: calls beside another thread" "$(grep -c 'number=100' all)" 20000
	grep -v 'number=100' all | sed 's/0x[0-9a-f]\{9,\}/0xADDRESS/; /number=2$/d' > shown
}

tunables=glibc.cpu.hwcaps=-RTM
x=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
cat > readable << END
text="in the program", number=1
text="on the heap", number=3
text=NULL, number=4
text=<unreadable 0x10>, number=5
text=<unreadable 0xADDRESS>, number=6
text=<unreadable 0xADDRESS>, number=7
text="whole"..., number=8
text="null", number=9
text=<unreadable 0xADDRESS>, number=10
text="", number=11
text="a\\"b\\\\c\\n\\001é", number=12
text="$x", number=13
text="$x"..., number=14
END
sed 's/=".*, number=\(3\|8\|9\|13\|14\)$/=<unreadable 0xADDRESS>, number=\1/' readable > unreadable
equal "texts that need the kernel" "$(diff readable unreadable | grep -c '^>')" 5

shown permits ./seccomp perf env LD_PRELOAD="$libspoor" ./pointers
cmp -s readable shown || fail "permits: $(diff readable shown)"
for filter in read read-kill; do
	shown $filter ./seccomp $filter env LD_PRELOAD="$libspoor" ./pointers
	cmp -s unreadable shown || fail "$filter: $(diff unreadable shown)"
done
shown own env LD_PRELOAD="$libspoor" ./pointers forbid
cmp -s unreadable shown || fail "own: $(diff unreadable shown)"

# An interrupt ends a transaction, so a text may still need the kernel.
if grep -qw rtm /proc/cpuinfo; then
	tunables=
	shown transactions env LD_PRELOAD="$libspoor" ./pointers forbid
	sort -u readable unreadable > possible
	sort shown | comm -23 - possible > impossible
	silent impossible
	equal "the number of calls" "$(wc -l < shown)" "$(wc -l < readable)"
	diff unreadable shown | grep -q '^>' || fail "no text was read in a transaction"
fi
