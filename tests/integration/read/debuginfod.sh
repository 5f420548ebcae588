#!/bin/sh
# SPDX-License-Identifier: MIT
# debuginfod.sh - names, places and whole files come from a server, but only on request. If the server lacks a file or
# does not answer, the tools print a message and ask no other server.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
# The names come from the files under test, not from the trace.
export SPOOR_NO_SYMBOLS=1
spoor=$top_builddir/tools/spoor
command -v debuginfod > /dev/null || skip "debuginfod is missing: apt-get install debuginfod"

mkdir lib served
for name in first second; do
	cat > $name.c <<C
__attribute__((noinline)) static int hidden_$name(int value)
{
	return value + 1;
}
int known_$name(int value)
{
	return hidden_$name(value) + 2;
}
C
	traced_cc -O0 -fPIC -shared -o $name.so $name.c
	objcopy -R .spoor_symbols $name.so
	strip -o lib/lib$name.so $name.so
done
echo 'int known_first(int), known_second(int); int main(void) { return known_first(1) + known_second(1) - 8; }' > whole.c
traced_cc -O0 -o whole whole.c -Llib -lfirst -lsecond -Wl,-rpath,"$work/lib"
"$spoor" record -q -o t ./whole || fail "the recorded program ended with status $?"
build_id=$(readelf -n first.so | sed -n 's/.*Build ID: //p')
# The server has the debug file of one library, and the library itself.
objcopy --only-keep-debug first.so served/first.debug
cp lib/libfirst.so served/

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
export DEBUGINFOD_URLS= DEBUGINFOD_CACHE_PATH="$work/cache" HOME="$work"
debuginfod -F -p "$port" -d :memory: served > server.log 2>&1 &
server=$!
trap 'kill $server 2> /dev/null || true' EXIT
DEBUGINFOD_URLS=http://127.0.0.1:$port
python3 - "$DEBUGINFOD_URLS/buildid/$build_id" <<'P' || skip "debuginfod does not serve files here: $(tail -n 3 server.log)"
import sys, time, urllib.request
for what in ("debuginfo", "executable"):
    for attempt in range(300):
        try:
            urllib.request.urlopen(f"{sys.argv[1]}/{what}", timeout=5).read()
            break
        except OSError:
            time.sleep(0.1)
    else:
        sys.exit(1)
P

# Without the option no request is sent.
"$spoor" report --format=csv t > out 2> err
! grep -q hidden out && [ ! -e cache ] && [ ! -s err ] ||
	fail "spoor report sent a request without --debuginfod: $(cat out err)"

"$spoor" report --format=csv --debuginfod t > out 2> err || fail "spoor report --debuginfod failed: $(cat err)"
grep -q '^hidden_first,libfirst.so,' out || fail "the function has no name: $(cat out err)"
grep -q '^libsecond.so+0x[0-9a-f]*,libsecond.so,' out ||
	fail "the function of the other library is not shown by its address: $(cat out)"
equal "messages" "$(cat err)" "spoor: report: $work/lib/libsecond.so: no server in DEBUGINFOD_URLS has its debug file; \
functions without a symbol are shown by address"
cmp -s "cache/$build_id/debuginfo" served/first.debug ||
	fail "the downloaded file is not in the cache: $(ls -R cache)"
"$spoor" export --format=chrome --debuginfod t 2> err | grep -q 'first.c:2"' ||
	fail "the function has no place: $(cat err)"

# From the cache, without the server.
kill $server
wait $server 2> /dev/null || true
"$spoor" replay --debuginfod t 2> err | grep -q 'hidden_first() libfirst.so' ||
	fail "the name was not read from the cache: $(cat err)"

# Another build in the cache gives no names.
cp second.so "cache/$build_id/debuginfo" 2> /dev/null || { chmod u+w "cache/$build_id/debuginfo"; cp second.so "cache/$build_id/debuginfo"; }
"$spoor" report --format=csv --debuginfod t > out 2> err
! grep -q hidden out || fail "another build in the cache gave names: $(cat out)"
grep -q 'debuginfo: is not the debug file of .*: its build-id differs' err ||
	fail "the message does not name the other build: $(cat err)"

# No server answers: one message.
rm -r cache
"$spoor" report --format=csv --debuginfod t > out 2> err || fail "spoor report without a server failed: $(cat err)"
equal "messages without a server" "$(grep -c 'debuginfod: .*; no further files are requested$' err)" 1
# A server that accepts connections and never answers.
rm -rf cache
python3 -c '
import socket, sys, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(9)
print(s.getsockname()[1], flush=True)
time.sleep(600)' > deaf.port &
server=$!
while [ ! -s deaf.port ]; do sleep 0.1; done
DEBUGINFOD_URLS=http://127.0.0.1:$(cat deaf.port) DEBUGINFOD_TIMEOUT=1 "$spoor" report --format=csv --debuginfod t > out 2> err ||
	fail "spoor report failed with a server that does not answer: $(cat err)"
equal "messages with a deaf server" "$(grep -c . err)" 1
grep -q 'debuginfod: timed out after 1 seconds (DEBUGINFOD_TIMEOUT)' err ||
	fail "the message does not name the timeout: $(cat err)"
kill $server
