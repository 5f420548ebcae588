#!/bin/sh
# SPDX-License-Identifier: MIT
# containers.sh - a process in another root directory, and in other name spaces, is recorded as it is
# outside: started by spoor record --container, and attached to. Names are there when the container is
# gone; processes are called as outside, and as inside too; nothing of ours stays in the container.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
[ -z "$emulated" ] || skip "an emulator runs what is traced"
program contained

# A tree with the program and what it is linked with.
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
	skip "neither root nor user name spaces"
fi

# calls TRACE - functions and how often they were called.
calls()
{
	"$spoor" report --format=csv "$1" > table.csv || fail "$1: $(cat err)"
	python3 -c 'import csv; print(sorted((row["function"], row["calls"]) for row in csv.DictReader(open("table.csv"))))'
}

unchanged()
{
	find jail | sort | diff before - || fail "$1: the container was changed"
}

# seen TRACE - waits until the recorder has looked at the process from outside, which it does while that runs.
seen()
{
	for i in $(seq 100); do
		! "$spoor" info "$1" 2> seen.err | grep -Eq '^  (root|outer_process) ' || break
		sleep 0.1
	done
}

# started NAME COMMAND... - the same functions as outside, the same number of times.
started()
{
	name=$1
	shift
	tree
	status=0
	{ yes | head -n 3; seen "$name"; } | timeout 60 "$spoor" record -o "$name" --container=jail "$@" > out 2> err || status=$?
	[ "$status" = 7 ] || fail "$name: status $status: $(cat err)"
	unchanged "$name"
	rm -rf jail
	[ "$(calls "$name")" = "$outside" ] || fail "$name: $(calls "$name") is not $outside: $(cat err)"
	grep -q ' 0 lost' err || fail "$name: $(cat err)"
	"$spoor" info "$name" > info
}

yes | head -n 3 | "$spoor" record -o outside ./contained > out 2> err || [ $? = 7 ] || fail "outside: $(cat err)"
outside=$(calls outside)
case $outside in
*"('branch', '30')"*"('leaf', '300')"*) ;;
*) fail "outside: $outside" ;;
esac

started chroot $enter /contained
if [ "$(id -u)" = 0 ]; then
	grep -q "^  root  *$PWD/jail\$" info || fail "chroot: $(cat info)"
fi
if [ "$unshare" ]; then
	started spaces $unshare chroot jail /contained
	[ "$(tail -n 1 out)" = 1 ] || fail "spaces: $(cat out)"
	outer=$(sed -n 's/^process \([0-9]*\) .*/\1/p' info)
	[ "$outer" -gt 1 ] && [ -d "spaces/$outer" ] && grep -q "^  outer_process  *$outer\$" info &&
		grep -q '^  process  *1$' info && grep -q '^  namespaces .*mnt,pid,net,user' info || fail "spaces: $(cat info)"
	# The first thread has the process's number.
	grep -q "^    $outer " info || fail "spaces: $(cat info)"
fi

# Without it: the loader says what is missing, and nothing stays.
tree
yes | head -n 1 | "$spoor" record -o missing $enter /contained > out 2> err && fail "missing: $(cat out)"
grep -q 'libspoor.so' err && grep -q -- '--container' err || fail "missing: $(cat err)"
unchanged missing

# What cannot be is said.
said()
{
	wanted=$1 pattern=$2
	shift 2
	status=0
	"$spoor" record -o wrong "$@" > out 2> err || status=$?
	[ "$status" = "$wanted" ] && grep -q -- "$pattern" err || fail "$*: status $status: $(cat err)"
	[ ! -e wrong ] || fail "$*: a trace stays"
}
said 1 '--container=nowhere: No such file' --container=nowhere true
said 2 '--container is for programs' --container --pid 1
mkdir -p "jail${libspoor%/*}"
echo other > "jail$libspoor"
said 1 'has another .*libspoor.so' --container=jail true

# attached NAME COMMAND... - to one that runs already.
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
	[ "$pid" ] || fail "$name: it does not run"
	ls -l "/proc/$pid/fd" | awk '{ print $9, $10, $11 }' > descriptors
	"$spoor" doctor "$pid" > doctor || true
	grep -q 'contained: .* with sleds' doctor || fail "$name: doctor, before: $(cat doctor)"
	"$spoor" record -o "$name" --pid "$pid" > told 2>&1 &
	recorder=$!
	for i in $(seq 200); do
		! grep -qs 'are recorded' told || break
		kill -0 "$recorder" 2> /dev/null || fail "$name: $(cat told)"
		sleep 0.05
	done
	"$spoor" ctl "$pid" status > status || fail "$name: ctl"
	grep -q contained status || fail "$name: $(cat status)"
	"$spoor" doctor "$pid" > doctor || true
	for i in 2 3; do
		echo again >&3
		for j in $(seq 200); do
			[ "$(wc -l < out)" -lt "$i" ] || break
			sleep 0.05
		done
	done
	kill -INT "$recorder"
	wait "$recorder" || fail "$name: $(cat told)"
	ls -l "/proc/$pid/fd" | awk '{ print $9, $10, $11 }' | diff descriptors - || fail "$name: descriptors"
	unchanged "$name"
	exec 3>&-
	status=0
	wait "$job" || status=$?
	[ "$status" = 7 ] || fail "$name: the program ended with $status"
	rm -rf jail
	case $(calls "$name") in
	*"('branch', '20')"*"('leaf', '200')"*) ;;
	*) fail "$name: $(calls "$name"): $(cat told)" ;;
	esac
	[ -d "$name/$pid" ] || fail "$name: $(ls "$name")"
	"$spoor" info "$name" | grep -q "^process $pid " || fail "$name: $("$spoor" info "$name")"
}

[ "$(id -u)" = 0 ] || [ "$(cat /proc/sys/kernel/yama/ptrace_scope 2> /dev/null || echo 0)" = 0 ] || exit 0
attached attached_root $enter /contained
if [ "$unshare" ]; then
	attached attached_spaces $unshare chroot jail /contained
	grep -q 'its ID there is 1)' doctor && grep -q 'another network namespace' doctor || fail "doctor: $(cat doctor)"
fi
