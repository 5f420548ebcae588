#!/bin/sh
# SPDX-License-Identifier: MIT
# attach_throttled.sh - spoor record --pid and spoor ctl on processes that rarely run, are frozen, stopped or have a
# debugger: each request is finally served or rejected, no process is harmed, and the user reads the reason of each
# wait. The long form attaches a thousand times under a quota.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
rounds=1 idle_rounds=1 loops=1
[ -z "${SPOOR_LONG-}" ] || rounds=500 idle_rounds=10 loops=2

[ -z "$emulated" ] || skip "spoor cannot attach to threads under an emulator"
program throttled -I"$top_srcdir/libspoor/include"
busy=
group=

# Kills the processes that the test started.
finish()
{
	for one in $busy ${victim-} ${debugger-}; do kill -KILL "$one" 2> /dev/null || :; done
	if [ -n "$group" ]; then
		for _ in 1 2 3 4 5 6 7 8 9 10; do rmdir "$group" 2> /dev/null && break; sleep 0.1; done
	fi
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

# begin [ARGUMENT] - starts a victim, as $pinned says, and sets $victim.
begin()
{
	rm -f beat stop
	${pinned-} ./throttled beat stop "$@" &
	victim=$!
	awaited "the first round" test -s beat
}

goes_on()
{
	[ "$(cat beat)" != "$1" ]
}

# unharmed WHAT - checks that the victim continues, has unchanged signals, has no tracer, and ends normally.
unharmed()
{
	kill -0 "$victim" 2> /dev/null || { status=0; wait "$victim" || status=$?; victim=; fail "$1: the victim" \
		"ended with status $status: $(cat said)"; }
	awaited "$1: the next round" goes_on "$(cat beat)"
	equal "$1: signals that are blocked" "$(awk '/^SigBlk/ { print $2 }' /proc/"$victim"/status)" 0000000000000200
	equal "$1: tracer" "$(awk '/^TracerPid/ { print $2 }' /proc/"$victim"/status)" 0
	: > stop
	status=0
	wait "$victim" || status=$?
	victim=
	equal "$1: the victim's status ($(cat said))" $status 0
}

# recorded WHAT [OPTION...] - attaches to the victim for a short time.
recorded()
{
	recorded_what=$1
	shift
	rm -rf t
	status=0
	"$spoor" record -q -o t --duration 50ms "$@" --pid "$victim" > said 2>&1 || status=$?
	equal "$recorded_what: status ($(cat said))" $status 0
	! grep -v ': waiting until ' said ||
		fail "$recorded_what: spoor record printed more than notices of waiting: $(cat said)"
}

# controlled WHAT COMMAND... - runs a command of spoor ctl on the victim.
controlled()
{
	controlled_what=$1
	shift
	status=0
	"$spoor" ctl "$victim" "$@" > said 2>&1 || status=$?
	equal "$controlled_what, $*: status ($(cat said))" $status 0
	! grep '^spoor: ' said | grep -v ': waiting until ' ||
		fail "$controlled_what, $*: spoor ctl printed more than notices of waiting: $(cat said)"
}

# starved WHAT ROUNDS [MORE] - attaches to the victim ROUNDS times. If MORE is not "short", also controls the victim.
starved()
{
	for round in $(seq "$2"); do
		recorded "$1, $round"
		awaited "$1: the next round" goes_on "$(cat beat)"
	done
	[ "${3-}" != short ] || return 0
	recorded "$1, tracepoints" --tracepoint throttled:tick
	"$spoor" record -q -o t2 --pid "$victim" > said2 2>&1 &
	recorder=$!
	awaited "$1: events" sh -c '[ -n "$(find t2 -name events.spoor -size +0 2> /dev/null)" ]'
	for command in 'disable tick' 'enable tick' flush 'mode off'; do
		# shellcheck disable=SC2086
		controlled "$1" $command
	done
	timeout 60 "$spoor" top --iterations 1 --batch "$victim" > said 2>&1 || :
	! grep -q 'has ended' said || fail "$1: spoor top says that the victim has ended: $(cat said)"
	kill -INT $recorder
	status=0
	wait $recorder || status=$?
	equal "$1: the recorder's status ($(cat said2))" $status 0
	rm -rf t2
}

# Busy loops take a processor; the victim gets the rest of it.
pinned="taskset -c $(taskset -cp $$ | sed 's/.*[^0-9]//')"
for _ in $(seq "$loops"); do
	$pinned sh -c 'while :; do :; done' &
	busy="$busy $!"
done
if chrt -i 0 true 2> /dev/null; then
	for with in '' ${SPOOR_LONG:+threads}; do
		# shellcheck disable=SC2086
		begin $with
		for task in /proc/"$victim"/task/*; do chrt -i -p 0 "${task##*/}"; done
		starved "SCHED_IDLE $with" "$idle_rounds" "${SPOOR_LONG:-short}"
		for task in /proc/"$victim"/task/*; do chrt -o -p 0 "${task##*/}"; done
		unharmed "SCHED_IDLE $with"
	done
else
	echo "chrt cannot make a process SCHED_IDLE: not tested"
fi
for one in $busy; do kill -KILL "$one"; wait "$one" 2> /dev/null || :; done
busy= pinned=

# mounted TYPE OPTION - prints the mount point of control groups of this kind.
mounted()
{
	awk -v type="$1" -v option="$2" '{ at = index($0, " - "); split(substr($0, at + 3), after, " ")
		if (after[1] == type && (option == "" || ("," after[3] ",") ~ ("," option ","))) { print $5; exit } }' /proc/self/mountinfo
}

# make_group TYPE OPTION - makes a control group and sets $group.
make_group()
{
	group=$(mounted "$1" "$2")
	[ -n "$group" ] || return 1
	group=$group/spoor_throttled.$$
	mkdir "$group" 2> /dev/null || { group=; return 1; }
}

# limit_group PERIOD QUOTA - sets the limits of the group, in microseconds.
limit_group()
{
	if [ -e "$group/cpu.cfs_quota_us" ]; then
		echo -1 > "$group/cpu.cfs_quota_us"
		echo "$1" > "$group/cpu.cfs_period_us"
		echo "$2" > "$group/cpu.cfs_quota_us"
	else
		echo "$2 $1" > "$group/cpu.max"
	fi
}

# make_limited_group - makes a group and sets $group. Fails if no group can have a quota.
make_limited_group()
{
	make_group cgroup cpu || make_group cgroup2 '' || return 1
	(limit_group 100000 50000) 2> /dev/null && return 0
	rmdir "$group"
	group=
	return 1
}

if make_limited_group; then
	for with in '' threads; do
		# shellcheck disable=SC2086
		begin $with
		echo "$victim" > "$group/cgroup.procs"
		# The victim may wait 0.4 s each time that it stops.
		limit_group 400000 4000
		starved "a quota $with" "$rounds" short
		limit_group 100000 2000
		starved "a quota $with" 0
		echo "$victim" > "${group%/*}/cgroup.procs"
		unharmed "a quota $with"
	done
	rmdir "$group"
	group=
else
	echo "no group with a quota can be made: not tested"
fi

# set_freezer FROZEN|THAWED - sets the state of the group and waits until it is reached.
set_freezer()
{
	if [ -e "$group/freezer.state" ]; then
		echo "$1" > "$group/freezer.state"
		awaited "the state of the freezer" grep -q "$1" "$group/freezer.state"
	else
		case $1 in FROZEN) echo 1 ;; *) echo 0 ;; esac > "$group/cgroup.freeze"
		case $1 in FROZEN) awaited "the freezer" grep -q 'frozen 1' "$group/cgroup.events" ;; esac
	fi
}

for kind in 'cgroup freezer' 'cgroup2 '; do
	if ! make_group "${kind% *}" "${kind#* }"; then
		echo "no group of $kind can be made: not tested"
		continue
	elif [ ! -e "$group/freezer.state" ] && [ ! -e "$group/cgroup.freeze" ]; then
		rmdir "$group"
		group=
		continue
	fi
	# If the process is frozen at the start, the recorder gives up.
	begin
	echo "$victim" > "$group/cgroup.procs"
	set_freezer FROZEN
	status=0
	"$spoor" record -q -o t --duration 50ms --pid "$victim" > said 2>&1 || status=$?
	equal "$kind: status of attaching ($(cat said))" $status 1
	grep -q "process $victim is frozen: thaw its control group" said ||
		fail "$kind: the recorder does not say that the process is frozen: $(cat said)"
	grep -q ": waiting until .*: its control group is frozen: thaw it; interrupt to give up" said ||
		fail "$kind: the recorder printed no notice of waiting: $(cat said)"
	# An interrupt ends the wait. On a busy machine the wait may end by itself before the signal arrives: try again.
	for attempt in 1 2 3 4 5 6; do
		: > said
		"$spoor" record -q -o t --duration 50ms --pid "$victim" > said 2>&1 &
		recorder=$!
		awaited "$kind: a notice" grep -q ': waiting until ' said
		kill -TERM $recorder 2> /dev/null || :
		status=0
		wait $recorder || status=$?
		equal "$kind: status of the interrupted recorder ($(cat said))" $status 1
		! grep -q ': interrupted; the process continues unchanged' said || break
		[ "$attempt" != 6 ] || fail "$kind: the recorder does not confirm the interrupt: $(cat said)"
	done
	# If the process is frozen during the recording, the recorder waits at the end until the process is thawed.
	set_freezer THAWED
	rm -rf t said
	"$spoor" record -o t --pid "$victim" > said 2>&1 &
	recorder=$!
	awaited "$kind: the begin" grep -q 'functions are recorded' said
	set_freezer FROZEN
	kill -INT $recorder
	awaited "$kind: a notice at the end" grep -q 'waiting until .*: its control group is frozen: thaw it; interrupt again to leave' said
	kill -0 $recorder || fail "$kind: the recorder left a frozen process: $(cat said)"
	set_freezer THAWED
	status=0
	wait $recorder || status=$?
	equal "$kind: status of the recorder ($(cat said))" $status 0
	echo "$victim" > "${group%/*}/cgroup.procs"
	unharmed "$kind"
	rmdir "$group"
	group=
done

# A stopped process is recorded and stays stopped.
begin
kill -STOP "$victim"
awaited "the stop" state_is "$victim" T
: > said
recorded stopped
awaited "the stop, again" state_is "$victim" T
kill -CONT "$victim"
unharmed stopped

# A debugger attaches during the recording; at the end the recorder waits until the debugger detaches.
cat > seize.py <<'PYTHON'
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
if libc.ptrace(0x4206, int(sys.argv[1]), None, None) < 0:
    sys.exit(os.strerror(ctypes.get_errno()))
print("seized", flush=True)
sys.stdin.read()
PYTHON
begin
rm -rf t said
"$spoor" record -o t --pid "$victim" > said 2>&1 &
recorder=$!
awaited "the begin" grep -q 'functions are recorded' said
mkfifo go
python3 seize.py "$victim" < go > seized 2>&1 &
debugger=$!
exec 9> go
awaited "the debugger" grep -q seized seized
kill -INT $recorder
awaited "a notice" grep -q "waiting until process $debugger (a debugger, strace or another spoor) detaches" said
exec 9>&-
wait $debugger
debugger=
status=0
wait $recorder || status=$?
equal "debugger: status of the recorder ($(cat said))" $status 0
unharmed debugger
