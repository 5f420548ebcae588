#!/bin/sh
# SPDX-License-Identifier: MIT
# containers.sh - a process in another root directory and other name spaces is recorded like any process, if spoor
# record --container starts it or spoor attaches to it. The trace has names even after the container is gone, and both
# process IDs. Nothing of spoor stays in the container.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
[ -z "$emulated" ] || skip "an emulator runs the traced programs"
program contained

# tree - makes the container: a folder with the program and its libraries.
tree()
{
	rm -rf jail
	mkdir -p jail/tmp
	cp contained jail/
	for file in $(ldd contained | grep -o '/[^ )]*'); do
		mkdir -p "jail${file%/*}"
		cp -L "$file" "jail$file"
	done
	find jail | sort > before
}

unshare="unshare -r -m -p -n -f --kill-child"
$unshare true 2> /dev/null || unshare=
if [ "$(id -u)" = 0 ]; then
	enter="chroot jail"
elif [ "$unshare" ]; then
	enter="unshare -r chroot jail"
else
	skip "entering a container requires root or user name spaces"
fi

# calls TRACE - prints the functions and the number of their calls.
calls()
{
	"$spoor" report --format=csv "$1" > table.csv || fail "$1: spoor report failed: $(cat err)"
	python3 -c 'import csv; print(sorted((row["function"], row["calls"]) for row in csv.DictReader(open("table.csv"))))'
}

unchanged()
{
	find jail | sort | diff before - || fail "$1: the files of the container changed (see the differences above)"
}

# seen TRACE - waits until the recorder has examined the process from outside, while the process runs.
seen()
{
	for i in $(seq 100); do
		! "$spoor" info "$1" 2> seen.err | grep -Eq '^  (root|outer_process) ' || break
		sleep 0.1
	done
}

# started NAME COMMAND... - records the command with --container, and checks that the trace has the same calls as
# outside.
started()
{
	name=$1
	shift
	tree
	status=0
	{ yes | head -n 3; seen "$name"; } | timeout 60 "$spoor" record -o "$name" --container=jail "$@" > out 2> err || status=$?
	[ "$status" = 7 ] || fail "$name: spoor record ended with status $status: $(cat err)"
	unchanged "$name"
	rm -rf jail
	[ "$(calls "$name")" = "$outside" ] ||
		fail "$name: the trace has $(calls "$name") instead of $outside: $(cat err)"
	grep -q ' 0 lost' err || fail "$name: the recorder lost events: $(cat err)"
	"$spoor" info "$name" > info
}

yes | head -n 3 | "$spoor" record -o outside ./contained > out 2> err || [ $? = 7 ] ||
	fail "spoor record outside of the container failed: $(cat err)"
outside=$(calls outside)
case $outside in
*"('branch', '30')"*"('leaf', '300')"*) ;;
*) fail "the trace outside of the container has other calls: $outside" ;;
esac

started chroot $enter /contained
if [ "$(id -u)" = 0 ]; then
	grep -q "^  root  *$PWD/jail\$" info ||
		fail "chroot: spoor info does not show the root directory $PWD/jail: $(cat info)"
fi
if [ "$unshare" ]; then
	started spaces $unshare chroot jail /contained
	[ "$(tail -n 1 out)" = 1 ] || fail "spaces: the program does not have process ID 1: $(cat out)"
	outer=$(sed -n 's/^process \([0-9]*\) .*/\1/p' info)
	[ "$outer" -gt 1 ] && [ -d "spaces/$outer" ] && grep -q "^  outer_process  *$outer\$" info &&
		grep -q '^  process  *1$' info && grep -q '^  namespaces .*mnt,pid,net,user' info ||
			fail "spaces: spoor info does not show both process IDs and the name spaces: $(cat info)"
	# The ID of the first thread is the ID of the process.
	grep -q "^    $outer " info || fail "spaces: spoor info shows no thread $outer: $(cat info)"
fi

# Without --container the loader names the missing library, and nothing stays in the container.
tree
yes | head -n 1 | "$spoor" record -o missing $enter /contained > out 2> err && fail "spoor record without" \
	"--container succeeded: $(cat out)"
grep -q 'libspoor.so' err && grep -q -- '--container' err ||
	fail "missing: the message does not name libspoor.so and --container: $(cat err)"
unchanged missing

# said STATUS PATTERN ARGUMENT... - checks that spoor record fails with STATUS and a message that matches, and leaves
# no trace.
said()
{
	wanted=$1 pattern=$2
	shift 2
	status=0
	"$spoor" record -o wrong "$@" > out 2> err || status=$?
	[ "$status" = "$wanted" ] && grep -q -- "$pattern" err ||
		fail "$*: status $status instead of $wanted, or no '$pattern' in the message: $(cat err)"
	[ ! -e wrong ] || fail "$*: a trace was left: $(ls wrong)"
}
said 1 '--container=nowhere: No such file' --container=nowhere true
said 2 '--pid excludes --container' --container --pid 1
mkdir -p "jail${libspoor%/*}"
echo other > "jail$libspoor"
said 1 'has a different .*libspoor.so' --container=jail true

# attached NAME COMMAND... - attaches to a running process in the container.
attached()
{
	name=$1
	shift
	tree
	rm -f input
	mkfifo input
	"$@" < input > out &
	job=$!
	exec 3> input
	echo first >&3
	for i in $(seq 200); do
		[ ! -s out ] || break
		sleep 0.05
	done
	pid=
	for exe in /proc/[0-9]*/exe; do
		[ "$(stat -Lc %d:%i "$exe" 2> /dev/null)" != "$(stat -c %d:%i jail/contained)" ] || pid=${exe#/proc/}
	done
	pid=${pid%/exe}
	[ "$pid" ] || fail "$name: the program does not run: $(cat out)"
	ls -l "/proc/$pid/fd" | awk '{ print $9, $10, $11 }' > descriptors
	"$spoor" doctor "$pid" > doctor || true
	grep -q 'contained: .* with sleds' doctor ||
		fail "$name: spoor doctor finds no sleds before the recording: $(cat doctor)"
	"$spoor" record -o "$name" --pid "$pid" > told 2>&1 &
	recorder=$!
	for i in $(seq 200); do
		! grep -qs 'are recorded' told || break
		kill -0 "$recorder" 2> /dev/null || fail "$name: the recorder ended: $(cat told)"
		sleep 0.05
	done
	"$spoor" ctl "$pid" status > status || fail "$name: spoor ctl status failed: $(cat status)"
	grep -q contained status || fail "$name: spoor ctl status does not show the module: $(cat status)"
	"$spoor" doctor "$pid" > doctor || true
	for i in 2 3; do
		echo again >&3
		for j in $(seq 200); do
			[ "$(wc -l < out)" -lt "$i" ] || break
			sleep 0.05
		done
	done
	kill -INT "$recorder"
	wait "$recorder" || fail "$name: the recorder failed: $(cat told)"
	ls -l "/proc/$pid/fd" | awk '{ print $9, $10, $11 }' | diff descriptors - ||
		fail "$name: the program's descriptors changed (see the differences above)"
	unchanged "$name"
	exec 3>&-
	status=0
	wait "$job" || status=$?
	[ "$status" = 7 ] || fail "$name: the program ended with status $status instead of 7"
	rm -rf jail
	case $(calls "$name") in
	*"('branch', '20')"*"('leaf', '200')"*) ;;
	*) fail "$name: the trace has other calls: $(calls "$name"): $(cat told)" ;;
	esac
	[ -d "$name/$pid" ] || fail "$name: the trace has no folder $pid: $(ls "$name")"
	"$spoor" info "$name" | grep -q "^process $pid " ||
		fail "$name: spoor info does not show process $pid: $("$spoor" info "$name")"
}

[ "$(id -u)" = 0 ] || [ "$(cat /proc/sys/kernel/yama/ptrace_scope 2> /dev/null || echo 0)" = 0 ] || exit 0
attached attached_root $enter /contained
if [ "$unshare" ]; then
	attached attached_spaces $unshare chroot jail /contained
	grep -q 'its ID there is 1)' doctor && grep -q 'another network namespace' doctor ||
		fail "spoor doctor does not show the process ID inside and the network name space: $(cat doctor)"
fi
