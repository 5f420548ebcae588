#!/bin/sh
# SPDX-License-Identifier: MIT
# damage.sh - a damaged trace causes one clear message, and the tools show the rest of it.
#
# Cuts each file of the golden trace and flips its bits: at intervals of many bytes here, at every byte and
# every bit under check-long (damage.py). A tool that reads the trace does not crash, hang or print without end.
# Each prints a message and exits with 1 if events are missing.
set -eu
spoor=$top_builddir/tools/spoor
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0

fail() {
	echo "$*"
	failed=1
}

# expect_message STATUS TEXT COMMAND... - checks the exit status, and that stderr is one line with this text.
expect_message() {
	expected=$1 text=$2
	shift 2
	status=0
	"$@" >out 2>err || status=$?
	[ "$status" = "$expected" ] || fail "$*: exit status $status, expected $expected"
	grep -q -e "$text" err || fail "$*: no '$text' in: $(cat err)"
	[ "$(wc -l <err)" = 1 ] || fail "$*: not one line: $(cat err)"
}

"$top_builddir/tests/golden/make_golden" whole "$top_builddir/tests/golden/libsample.so"

for command in replay report info "export --format=csv --flat"; do
	# shellcheck disable=SC2086
	{
		expect_message 1 'no such trace' "$spoor" $command missing
		mkdir -p empty
		expect_message 1 'not a trace: it contains no folder' "$spoor" $command empty
		expect_message 1 'not a trace' "$spoor" $command whole/4712/events.spoor
		mkdir -p other/4711
		echo text >other/4711/notes.txt
		expect_message 1 'not a trace: it contains no folder' "$spoor" $command other
		rm -rf alien
		mkdir -p alien/1
		head -c 100000 /dev/zero >alien/1/events.spoor
		cp whole/4712/process.spoor alien/1
		expect_message 1 'not a trace of spoor, or damaged' "$spoor" $command alien
		rm -rf newer
		cp -r whole/4712 newer
		python3 - newer/process.spoor newer/events.spoor <<-'PYTHON'
			import sys
			magic = bytes.fromhex("c853706f6f720d0a1a0a0000")
			for name in sys.argv[1:]:
			    data = open(name, "rb").read().replace(magic + b"\1", magic + b"\2")
			    open(name, "wb").write(data.replace(magic[:11] + b"\2\1", magic[:11] + b"\2\2"))
		PYTHON
		expect_message 1 'version 2, and this spoor reads version 1' "$spoor" $command newer
		rm -rf big
		cp -r whole/4712 big
		python3 - big/process.spoor big/events.spoor <<-'PYTHON'
			import sys
			magic = bytes.fromhex("c853706f6f720d0a1a0a")
			for name in sys.argv[1:]:
			    data = open(name, "rb").read().replace(magic + b"\0", magic + b"\1")
			    open(name, "wb").write(data)
		PYTHON
		expect_message 1 'big-endian' "$spoor" $command big
	}
done

# A folder without read permission is named. This needs a path that another user can reach.
cp -R whole closed
chmod -R a+rX closed
chmod 0 closed/4711
if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --clear-groups "$spoor" info closed 2> /dev/null | grep -q 4712; then
	for command in replay report info; do
		expect_message 1 "closed/4711: Permission denied" setpriv --reuid=65534 --clear-groups "$spoor" $command closed
	done
fi
chmod 700 closed/4711

python3 "$top_srcdir/tests/golden/damage.py" "$spoor" "$top_builddir/tests/golden/make_golden" "$top_builddir/tests/golden/libsample.so" \
	${SPOOR_LONG:+every} || failed=1
exit "$failed"
