#!/bin/sh
# SPDX-License-Identifier: MIT
# tui.sh - spoor tui, in tmux: each key does what the manual says, the numbers are those of spoor report, and the
# terminal is restored at the end.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
command -v tmux > /dev/null || skip "tmux is not installed"

traced_cxx -O1 -pthread -o paths "$victims/calls/paths.cc"
"$spoor" record -q -o trace ./paths 20

status=0
"$spoor" tui trace > out 2> err < /dev/null || status=$?
! grep -q 'built without ncurses' err || skip "$(cat err)"
equal "status without a terminal" "$status" 2
grep -q "tui needs a terminal: 'spoor tree'" err || fail "no message without a terminal: $(cat err)"

export TMUX_TMPDIR=$work LC_ALL=C.UTF-8
unset TMUX
tmux=$(command -v tmux)
server=wide
tmux()
{
	"$tmux" -f /dev/null -L "$server$$" "$@"
}
trap 'tmux kill-server 2> /dev/null || true' EXIT

screen()
{
	tmux capture-pane -p -t run > screen 2> /dev/null
}

shows()
{
	screen && grep -q -e "$1" screen
}

# press KEY... - presses keys; see PATTERN - waits until the screen has a line like this.
press()
{
	tmux send-keys -t run "$@"
}
see()
{
	awaited "'$1' on the screen: $(cat screen 2> /dev/null)" shows "$1"
}

begin()
{
	rm -f screen
	tmux new-session -d -s run -x "$1" -y "$2" "exec sh"
	awaited "a shell" shows '[$#]'
	press "PS1='ready> '; clear; '$spoor' tui trace; echo status \$?" Enter
}

begin 100 30
see '^spoor  trace  tree'
see '^TOTAL%  *TOTAL  *SELF  *CALLS  FUNCTION'
see '^ *[1-9][0-9.]* .*- main  (paths)'
equal "lines of the screen" "$(wc -l < screen)" 30
cp screen first

# The functions have the numbers of the report.
press f
see '^spoor  trace  functions by self'
"$spoor" report --sort self --limit 1 --columns calls,total,self,function trace | sed -n '2s/  */ /gp' > reported
sed -n '3s/  */ /gp' screen > shown
# shellcheck disable=SC2046
set -- $(cat reported)
calls=$1 total="$2 $3" self="$4 $5" name=$6
grep -q " $total $self $calls $name" shown || fail "functions: '$(cat shown)' is not the report's '$(cat reported)'"
press o
see 'functions by total'
sed -n 3p screen | grep -q ' main  (paths)' || fail "by total: $(sed -n 3p screen)"
press o
see 'functions by calls'
most=$("$spoor" report --sort calls --limit 1 --format=csv trace | sed -n 2p | cut -d, -f 3)
sed -n 3p screen | tr -d , | grep -q " $most  " || fail "by calls: $(sed -n 3p screen), not $most"

# Search, callers, and the way back.
function=$("$spoor" report --format=csv --sort calls trace | sed -n 2p | cut -d, -f 1 | sed 's/(.*//; s/.*:://')
press / "$function" Enter
press c
see "^spoor  trace  callers of .*$function"
sed -n 3p screen | grep -q -e "- .*$function" || fail "callers: the first line is '$(sed -n 3p screen)'"
sed -n 4p screen | grep -q '[a-z]' || fail "callers: no caller is shown"
press '*'
see ' main  (paths)\| main$'

# Branches.
press t
see '^spoor  trace  tree'
press Home Left
see '+ main'
# The other thread begins with work.
equal "rows of a closed tree" "$(grep -c ' ms \| us \| ns ' screen)" 2
press Enter
see '- main'
press / no_such_name Enter
see "no function has 'no_such_name' in its name"

# The source of the chosen function.
press Home s
see 'paths\.cc:[0-9]'
grep -q 'int main' screen || fail "the source of main is not shown: $(cat screen)"
press s
press q
see '^status 0'
see 'ready>'

# A narrow terminal.
tmux kill-server
server=narrow
begin 80 24
see '^spoor  trace  tree'
see '- main'
awk 'length > 80 { exit 1 }' screen || fail "a line is longer than 80 characters"
tmux resize-window -t run -x 60 -y 12
see '^ t tree\|^t tree'
press q
see '^status 0'
