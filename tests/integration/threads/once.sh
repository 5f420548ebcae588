#!/bin/sh
# SPDX-License-Identifier: MIT
# once.sh - under `spoor record` the program receives each signal once, as without it: ^C at the terminal, a signal to
# the process group, a signal to the recorder only.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

command -v python3 > /dev/null || fail "python3 is missing: apt-get install python3"
program counts_signals
cat > send.py <<'PYTHON'
import os, pty, signal, sys
how, command = sys.argv[1], sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGUSR1:
        signal.signal(number, signal.SIG_DFL)
    os.execv(command[0], command)
text = b""
sent = False
while True:
    try:
        text += os.read(terminal, 4096)
    except OSError:
        break
    if not sent and b"ready" in text:
        sent = True
        if how == "terminal":
            os.write(terminal, b"\x03")
        elif how == "group":
            os.killpg(pid, signal.SIGTERM)
        elif how == "twice":
            os.killpg(pid, signal.SIGTERM)
            os.killpg(pid, signal.SIGUSR1)
        else:
            os.kill(pid, signal.SIGTERM)
status = os.waitpid(pid, 0)[1]
print(text.decode()[text.decode().index("more"):].strip(), status)
PYTHON
# seen HOW FILE - prints the received signals. The order of two signals is undefined, so prints only their sum.
seen()
{
	if [ "$1" = twice ]; then
		awk '{ print "more", $2 + $3 + $4, $5 }' "$2"
	else
		cat "$2"
	fi
}

times=3
[ -z "${SPOOR_LONG-}" ] || times=100
ways="terminal group twice alone"
# each FILE COMMAND... - sends signals in all ways at the same time, because they mostly wait; the results are in
# FILE.WAY.
each()
{
	told=$1
	shift
	jobs=
	for how in $ways; do
		timeout 300 python3 send.py "$how" "$@" > "$told.$how" &
		jobs="$jobs $!"
	done
	for job in $jobs; do
		wait "$job" || fail "$told: send.py ended with status $?"
	done
}
cat > recorded <<SCRIPT
#!/bin/sh
exec "$top_builddir/tools/spoor" record -q -o "t.\$\$" "$work/counts_signals" 700
SCRIPT
chmod +x recorded
each wanted "$work/counts_signals" 700
i=0
while [ $i -lt $times ]; do
	each got ./recorded
	rm -rf t.*
	for how in $ways; do
		equal "$how: signals after the first" "$(seen $how got.$how)" "$(seen $how wanted.$how)"
	done
	i=$((i + 1))
done
[ "$(cat wanted.alone)" = "more 0 0 0 0" ] ||
	fail "a signal to one process did not arrive exactly once: $(cat wanted.alone)"
