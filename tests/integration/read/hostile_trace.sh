#!/bin/sh
# SPDX-License-Identifier: MIT
# hostile_trace.sh - a hostile trace cannot harm its reader. The traces have overlapping modules, endless names, names
# with control sequences, lengths and clocks at the limits of integers, slices outside of the file, and endless
# stacks. Some files change while they are read. No sub-command crashes, hangs, writes to other places than requested,
# or fails without a message.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

spoor=$top_builddir/tools/spoor
command -v python3 > /dev/null || fail "python3 is missing: apt-get install python3"
# With this number of items, an algorithm of quadratic time takes minutes.
count=300000
kib=4000000		# limit of the address space
[ -z "${SPOOR_LONG-}" ] || count=2000000
# A sanitizer needs terabytes of address space, and more time.
if nm "$spoor" | grep -q ' U __[at]san_init\| T __asan_init'; then
	count=20000
	kib=unlimited
fi
mkdir traces
"$top_builddir/tests/integration/support/make_hostile" traces $count

# read_it TRACE COMMAND... - runs the command, which must succeed, or fail with a message.
read_it()
{
	what=$1
	shift
	status=0
	(ulimit -v $kib; timeout 60 "$spoor" "$@" "traces/$what" > out 2> err < /dev/null) || status=$?
	case $status in
	0) ;;
	1) grep -q '^spoor: ' err || fail "$what: $*: fails without a message" ;;
	124) fail "$what: $*: does not end" ;;
	*) fail "$what: $*: ended with status $status: $(tail -n 3 err)" ;;
	esac
	! grep -q 'Sanitizer\|runtime error' err ||
		fail "$what: $*: a sanitizer reports: $(grep -m 3 'Sanitizer\|runtime error' err)"
	# These formats are binary.
	case $* in *perfetto | *rowbinary) return 0 ;; esac
	[ "$(cat out err | LC_ALL=C tr -cd '\000-\010\013-\037\177' | wc -c)" = 0 ] ||
		fail "$what: $*: the output or a message has control characters: $(cat err)"
}

each_command()
{
	for command in info report "report --format=csv" replay "replay --merge" "replay --slowest 2" \
		"replay --time 1us..1s --min-duration 1us" "export --format=csv --flat" "export --format=chrome" \
		"export --format=perfetto" "export --format=rowbinary" "flame --format=folded"; do
		read_it "$1" $command
	done
	read_it "$1" flame -o flame.svg
	read_it "$1" view --max-size 5M -o view.html
	rm -f flame.svg view.html
}

# listed - prints all files with sizes and times, except this script's own.
listed()
{
	find . ! -name out ! -name err ! -name before ! -name after -type f -printf '%p %s %t\n' | LC_ALL=C sort
}
listed > before
for trace in traces/*; do
	each_command "${trace##*/}"
	# The valid parts are shown.
	case ${trace##*/} in
	lengths)
		read_it lengths report --format=csv
		grep -q 'unknown#1,[^,]*,9,' out || fail "valid blocks between damaged ones were lost: $(cat out err)"
		;;
	counts_*)
		read_it "${trace##*/}" report
		[ "$trace" = traces/counts_without_owner ] || grep -q 'counts are missing' err ||
			fail "$trace: the message does not say that counts are missing: $(cat err)"
		;;
	esac
done
listed > after
cmp -s before after || fail "a tool wrote files: $(diff before after)"

# Single files of version 0, and an empty one.
for file in traces/version0/*.spoor_trace; do
	read_it "version0/${file##*/}" info
done
: > traces/empty.spoor_trace
read_it empty.spoor_trace report
[ $status = 1 ] || fail "an empty file was read as a trace"

# Headers, offsets, lengths and file sizes change between check and use.
cp -R traces/slices traces/changing
cat > change.py << 'PYTHON'
import os, random, struct, sys
random.seed(4711)
pool, events = (os.open(os.path.join(sys.argv[1], name), os.O_RDWR) for name in ("pool.spoor", "events.spoor"))
good, bytes = os.pread(pool, 1 << 20, 0), os.pread(events, 1 << 20, 0)
size = os.fstat(pool).st_size
parent = os.getppid()
while os.getppid() == parent:
    what = random.randrange(6)
    if what == 0:
        os.pwrite(pool, struct.pack("<I", random.choice([0, 1, 64, 16384, 0xffffffff])), 16)
    elif what == 1:
        os.pwrite(pool, random.randbytes(64), 65536 + 64 * random.randrange(8))
    elif what == 2:
        os.ftruncate(pool, random.choice([0, 4096, 65536 + 100, size]))
    elif what == 3:
        os.ftruncate(events, random.randrange(len(bytes)))
    elif what == 4:
        os.pwrite(events, random.randbytes(8), random.randrange(len(bytes)))
    else:
        os.ftruncate(pool, size)
        os.pwrite(pool, good, 0)
        os.pwrite(events, bytes, 0)
PYTHON
python3 change.py traces/changing/1 > change.out 2>&1 &
changing=$!
rounds=4
[ -z "${SPOOR_LONG-}" ] || rounds=500
while [ $rounds -gt 0 ]; do
	each_command changing
	rounds=$((rounds - 1))
done
kill $changing 2> /dev/null || fail "the process that changes files has ended: $(cat change.out)"
wait $changing || :
