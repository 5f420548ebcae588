#!/bin/sh
# SPDX-License-Identifier: MIT
# configuration.sh - the file that SPOOR_RUNTIME_CONFIG_FILE names sets its keys, the environment overrides it, and
# `spoor config` shows both and prints a valid file. Each error gives one message with file, line and key, and the
# program runs untraced. With every setting of the pool all events are kept.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

program threads

# run TRACE ARGUMENT... - runs the command under libspoor.so, configured by the file only.
run()
{
	run_to=$1
	shift
	rm -rf "$run_to"
	SPOOR_RUNTIME_CONFIG_FILE=$work/spoor.toml LD_PRELOAD=$libspoor "$@" > "$run_to.out" 2> "$run_to.err"
}

# with LINE... - writes these lines to the file.
with()
{
	printf '%s\n' "$@" > spoor.toml
}

# traced_all TRACE - checks that the trace has 8 threads with 30,000 calls each.
traced_all()
{
	silent "$1.err"
	facts -n "$1"
	calls_are "$1" leaf 240000
	equal "lost in $1" "$(lost "$1")" 0
	"$reader" replay "$1" > /dev/null || fail "spoor replay cannot read $1"
}

# Keys of the file, each of which must have an effect.
with '# all of it' 'trace_path = "from_file"' 'modules = "threads"'
run from_file ./threads many 8 30000
traced_all from_file
with 'trace_path = "from_file"' 'functions = "-leaf"'
run from_file ./threads many 8 30000
[ ! -d from_file ] || { facts from_file; equal "calls of an excluded function" "$(entries from_file leaf)" 0; }

with 'trace_path = "${HERE}/$NAME$$"'
(export HERE="$work" NAME=x; run variables ./threads many 2 1)
[ -d 'x$' ] || fail "variables in the trace path are not replaced: $(ls)"
with 'trace_path = "~/home"'
(HOME=$work; export HOME; run home ./threads many 2 1)
[ -d home ] || fail "'~' in the trace path is not replaced: $(ls)"

with 'trace_path = "other"' 'mode = "log"'
(export SPOOR_RUNTIME_MODE=off; run off ./threads many 2 1)
[ ! -e other ] || fail "SPOOR_RUNTIME_MODE=off does not override the file: $(ls)"
# The environment also overrides the file under an alias of the key.
(export SPOOR_RUNTIME_TRACE_FILE_PATH=alias; run other ./threads many 8 30000)
[ ! -e other ] || fail "SPOOR_RUNTIME_TRACE_FILE_PATH does not override the file: $(ls)"
: > alias.err
traced_all alias

with 'trace_path = "packed"'
run packed ./threads many 8 30000
traced_all packed
with 'trace_path = "unpacked"' 'compression_strategy = "none"'
run unpacked ./threads many 8 30000
traced_all unpacked
bytes_packed=$(cat packed/*/events.spoor | wc -c)
bytes_unpacked=$(cat unpacked/*/events.spoor | wc -c)
[ "$bytes_unpacked" -gt $((480000 * 8 * 9 / 10)) ] || fail "compression 'none' takes only $bytes_unpacked bytes"
[ "$bytes_packed" -lt $((bytes_unpacked / 2)) ] ||
	fail "compression 'packed' takes $bytes_packed bytes, and 'none' $bytes_unpacked"
with 'trace_path = "snappy"' 'compression_strategy = "snappy"'
run snappy ./threads many 8 30000
traced_all snappy
[ "$(cat snappy/*/events.spoor | wc -c)" -lt $((bytes_unpacked / 2)) ] ||
	fail "compression 'snappy' takes $(cat snappy/*/events.spoor | wc -c) bytes, and 'none' $bytes_unpacked"
# The recorder uses the same settings.
with 'compression_strategy = "none"'
SPOOR_RUNTIME_CONFIG_FILE=spoor.toml "$spoor" record -q -o recorded ./threads many 8 30000 2> recorded.err
traced_all recorded
[ "$(cat recorded/*/events.spoor | wc -c)" -gt $((480000 * 8 * 9 / 10)) ] ||
	fail "the recorder compresses although compression_strategy is 'none'"
# spoor record accepts a folder whose name looks like a variable.
"$spoor" record -q -o 'dollar$HOME' ./threads many 2 1
[ -d 'dollar$HOME' ] || fail "spoor record replaced variables in the path: $(ls)"

# Slices of other sizes: the right number of blocks, and no lost event.
for size in 64 100 1000 4095; do
	with 'trace_path = "slices"' "max_dynamic_event_buffer_slice_capacity = $size"
	run slices ./threads many 8 30000
	traced_all slices
	most=$("$reader" export --format=csv --flat slices | awk -F, '$4 == "entry" { n++ } END { print n }')
	equal "entries in slices of $size" "$most" 240000
	blocks=$(grep -a -o 'Spoor' slices/*/events.spoor | wc -l)
	[ "$blocks" -ge $((480000 / size)) ] || fail "slices of $size events: only $blocks blocks"
done
with 'trace_path = "reserved"' 'reserved_event_pool_capacity = 2_000_000' \
	'max_reserved_event_buffer_slice_capacity = 1000'
run reserved ./threads many 8 30000
traced_all reserved
grep -a -o 'Spoor' reserved/*/events.spoor | wc -l | { read -r blocks; [ "$blocks" -ge 480 ]; } ||
	fail "the reserved part of the pool is not used first"
with 'trace_path = "attempts"' 'dynamic_event_slice_borrow_cas_attempts = 1' 'max_flush_buffer_to_file_attempts = 2'
run attempts ./threads many 8 30000
silent attempts.err
facts -n attempts
more=$(($(entries attempts leaf) + $(exits attempts leaf) + $(lost attempts) - 480000))
[ "$more" -ge 0 ] && [ "$more" -le 16 ] || fail "attempts: stored and lost events exceed the events of the calls by $more"

# Only one slice of a thread may wait for the drainer: further events are lost, with this cause.
with 'trace_path = "limited"' 'thread_event_buffer_capacity = 4096'
run limited ./threads many 4 300000
silent limited.err
facts -n limited
stored=$(($(entries limited leaf) + $(exits limited leaf)))
# Lost events may include the marks at the end of two threads.
more=$((stored + $(lost limited) - 2400000))
[ "$more" -ge 0 ] && [ "$more" -le 8 ] || fail "limited: stored and lost events exceed the events of the calls by $more"
if [ "$(lost limited)" -gt 0 ]; then
	"$reader" info limited | grep -q "too many events of the thread waited" ||
		fail "spoor info does not name the limit of a thread: $("$reader" info limited)"
fi

# spoor config shows the settings and their origin, and its output is a valid configuration.
with 'mode = "off"' '' 'modules = '"'"'lib*,-"x"'"'" 'session_id = 0xffffffffffffffff' 'trace_path = "a$$b"'
SPOOR_RUNTIME_CONFIG_FILE=spoor.toml SPOOR_RUNTIME_FUNCTIONS='f\,*' SPOOR_RUNTIME_HANDLER='/a$$b.so' \
	SPOOR_RUNTIME_TRIGGER_COUNT=0x1F SPOOR_RUNTIME_TRIGGER_BEFORE_MS=2K SPOOR_RUNTIME_TRIGGER_AFTER_MS=010 "$spoor" config > said
tell()
{
	grep -q -F -- "$1" said || fail "spoor config does not print '$1': $(cat said)"
}
tell 'mode = "off"  # spoor.toml:1'
tell 'modules = "lib*,-\"x\""  # spoor.toml:3'
tell 'trigger_before_ms = 2000  # SPOOR_RUNTIME_TRIGGER_BEFORE_MS'
tell 'functions = "f\\,*"  # SPOOR_RUNTIME_FUNCTIONS'
tell 'session_id = 18446744073709551615  # spoor.toml:4'
tell "trace_path = \"$work/a\$\$b\"  # spoor.toml:5"
tell 'handler = "/a$$b.so"  # SPOOR_RUNTIME_HANDLER'
tell 'trigger_count = 31  # SPOOR_RUNTIME_TRIGGER_COUNT'
tell 'trigger_after_ms = 10  # SPOOR_RUNTIME_TRIGGER_AFTER_MS'
tell 'compression_strategy = "packed"  # default'
SPOOR_RUNTIME_CONFIG_FILE=said "$spoor" config > again
sed 's/  # .*//; /^# File/d' said > said.values
sed 's/  # .*//; /^# File/d' again | cmp -s - said.values ||
	fail "the output of spoor config, used as a file, has other settings: $(diff said again)"
# A file that spoor config writes without any settings lets the environment set every mode.
"$spoor" config > said
for mode in log ring count order off; do
	SPOOR_RUNTIME_CONFIG_FILE=said SPOOR_RUNTIME_MODE=$mode "$spoor" config > again 2> err ||
		fail "SPOOR_RUNTIME_MODE=$mode with a file of spoor config failed: $(cat err)"
	grep -q "^mode = \"$mode\"  # SPOOR_RUNTIME_MODE" again ||
		fail "SPOOR_RUNTIME_MODE=$mode does not override the file: $(cat again)"
done
tell '# File: none'
tell '#session_id =  # default'
status=0
SPOOR_RUNTIME_MODE=x "$spoor" config > out 2> err || status=$?
equal "status of spoor config for a wrong value" "$status" 1
said_once err "SPOOR_RUNTIME_MODE=x is unknown"
status=0
"$spoor" config more 2> /dev/null || status=$?
equal "status of spoor config with an argument" "$status" 2

# refuses LINE TEXT - checks that the program runs untraced, with one message.
./threads many 2 1 > plain.out
refuses()
{
	rm -rf spoor.trace
	run refused ./threads many 2 1 || fail "'$1': the program ended with status $?: $(cat refused.err)"
	said_once refused.err "$2"
	grep -q 'the program runs untraced' refused.err ||
		fail "'$1': the message does not say that the program runs untraced: $(cat refused.err)"
	cmp -s refused.out plain.out || fail "'$1' changes the output of the program: $(diff plain.out refused.out)"
	[ ! -e spoor.trace ] || fail "'$1' left a trace: $(ls spoor.trace)"
}
while IFS='|' read -r line text; do
	with '# first' "$line"
	refuses "$line" "$work/spoor.toml:2: $text"
done << 'END'
zork = 1|zork is not a key of this version
MODE = "log"|MODE is not a key of this version
config_file = "x"|config_file is not a key of this version
handlers = "libx.so"|handlers is not a key of this version
mode = "loud"|mode = loud is unknown: use 'log', 'ring', 'count', 'order' or 'off'
mode = 1|mode = 1 is a whole number: use a string
flush_all_events = 0|flush_all_events = 0 is a whole number: use true or false
session_id = -1|session_id = -1 is not a whole number from 0
session_id = "1"|session_id = 1 is a string: use a whole number
compression_strategy = "zip"|compression_strategy = zip is unknown: use 'packed', 'snappy' or 'none'
trace_path = "$NOT_SET_AT_ALL"|trace_path = $NOT_SET_AT_ALL has a variable that is not set
trace_path = "~nobody/x"|trace_path = ~nobody/x has another user's home
modules = "["|modules = \[ is not a list of patterns
[table]|a table is not supported
mode = log|an invalid value: use a string
mode "log"|no '=' after the key
END
with 'mode = "log"' 'mode = "log"'
refuses twice 'spoor.toml:2: mode = log sets mode a second time'
with 'trace_path = "a"' 'trace_file_path = "b"'
refuses alias 'spoor.toml:2: trace_file_path = b sets trace_path a second time'
with 'mode = "ring"' 'flush_all_events = true'
refuses modes "mode 'ring' and flush_all_events true contradict each other"
with 'reserved_event_pool_capacity = 67108864'
refuses together 'the pool would have 20480 slices; the limit is 16384\|the pool would have'
# Programs without sleds get no message.
SPOOR_RUNTIME_MODE=Log LD_PRELOAD=$libspoor sh -c 'ls / > /dev/null' 2> bare.err ||
	fail "ls with a wrong mode ended with status $?: $(cat bare.err)"
silent bare.err
SPOOR_RUNTIME_MODE=Log LD_PRELOAD=$libspoor sh -c 'ls > /dev/null; ./threads many 2 1' > /dev/null 2> bare.err
said_once bare.err 'SPOOR_RUNTIME_MODE=Log is unknown'
rm spoor.toml
refuses absent 'SPOOR_RUNTIME_CONFIG_FILE=.* cannot be read: No such file'
mkdir spoor.toml
refuses directory 'cannot be read: Is a directory'
rmdir spoor.toml
mkfifo spoor.toml
refuses fifo 'cannot be read: it is not a regular file'
