#!/bin/sh
# SPDX-License-Identifier: MIT
# quiet_pipes.sh - a closed pipe ends the tools without a message, and a full disk gives a message.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

"$top_builddir/tests/unit/support/make_trace" t 300000 2 > /dev/null
# shellcheck disable=SC2086
for command in replay report info 'export --format=csv --flat' 'export --format=chrome' 'export --format=perfetto'; do
	status=0
	{ "$spoor" $command t 2> err || echo $? > status; } | head -c 10 > /dev/null
	grep -v 'No such file' err && fail "$command: a closed pipe gives a message (see above)"
	[ ! -e status ] || fail "$command: a closed pipe gives exit status $(cat status)"
	"$spoor" $command t > /dev/full 2> err && fail "$command: a full disk gives no error"
	grep -q 'cannot write: No space left' err && equal "$command: messages of a full disk" "$(grep -c 'No space left' err)" 1 ||
		fail "$command: a full disk does not give one message: $(cat err)"
done

# The output of --help must be written completely too.
for command in --help --version 'report --help'; do
	status=0
	# shellcheck disable=SC2086
	"$spoor" $command > /dev/full 2> err || status=$?
	equal "$command: status of a full disk" "$status" 1
	grep -q 'cannot write: No space left' err || fail "$command: a full disk gives no message: $(cat err)"
done

# If stdout or stderr is closed, the tool's own files do not take their place: no file gets the messages or the output
# of another one.
# shellcheck disable=SC2086
for command in replay 'export --format=firefox' 'export --format=csv --flat'; do
	status=0
	timeout 60 "$spoor" $command t 2> err >&- || status=$?
	equal "$command: status without stdout" "$status" 1
	grep -q 'cannot write: Bad file' err || fail "$command without stdout: no message: $(cat err)"
done
mkdir -p cut
cp -r t/* cut
for file in cut/*/events.spoor; do
	truncate -s -100 "$file"
done
status=0
"$spoor" export --format=chrome -o cut.json cut 2> err || status=$?
[ -s err ] || fail "a damaged trace gives no message"
equal "without stderr" "$("$spoor" export --format=chrome -o quiet.json cut 2>&- <&- >&- || echo $?)" "$status"
cmp cut.json quiet.json || fail "the output without stderr differs (see above)"

# A recorded program keeps closed descriptors closed.
cat > closed.c <<'END'
#include <fcntl.h>
__attribute__((noinline)) int is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }
int main(void) { return is_open(0) | is_open(1) << 1 | is_open(2) << 2; }
END
traced_cc -o closed closed.c
status=0
"$spoor" record -o of_closed ./closed <&- >&- 2>&- || status=$?
equal "descriptors of a recorded program" "$status" 0
