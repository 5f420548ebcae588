#!/bin/sh
# SPDX-License-Identifier: MIT
# manual.sh - the manual pages are well-formed, document exactly the options of the tools, and their examples work.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

for page in "$top_srcdir"/tools/*.1 "$top_srcdir"/tools/*/*.1 "$top_srcdir"/pass/*.1 "$top_srcdir"/libspoor/*.[37]; do
	mandoc -T lint -W warning "$page" || fail "mandoc finds errors in $page (see above)"
	# mandoc does not report conflict markers of a merge.
	! grep -n '^[<=>]\{7\}' "$page" || fail "$page has conflict markers of a merge (see above)"
	# A word of a heading may be a macro, as "In" is.
	mandoc -T utf8 -O width=200 "$page" | sed "s/.$(printf '\b')//g; s/^ *//; s/ *$//" > rendered
	sed -n 's/\\&//g; s/"//g; s/^\.S[hs] //p' "$page" > headings
	while read -r heading; do
		grep -qxF -e "$heading" rendered || fail "$page: the heading '$heading' is not rendered literally"
	done < headings
done

"$spoor" --help > main.help
for command in record replay report flame view graph order info pack top ctl doctor config export symbols filters tracepoints tree tui; do
	page=$(find "$top_srcdir/tools" -name "spoor-$command.1")
	"$spoor" "$command" --help | grep -o -- '--[a-z][a-z-]*' | sort -u > told
	# The page has an option as "Fl -name".
	{
		sed -n 's/^\.It Fl .*//; /^\.It/p; /^\.It Fl/p' "$page"
		grep '^\.It Fl' "$page" || true
	} | grep -o 'Fl -[a-z][a-z-]*' | sed 's/Fl -/--/' | sort -u > documented
	diff told documented || fail "the options in $command --help (<) and in its page (>) differ (see above)"
	for option in $(cat told); do
		case $option in
		--help) continue ;;
		esac
		status=0
		"$spoor" "$command" "$option" 2> err < /dev/null > out || status=$?
		grep -q 'unknown option' err && fail "$command rejects the option $option, which its help documents:" \
			"$(cat err)"
	done
	"$spoor" "$command" --no-such-option 2> err > out && fail "$command accepts an unknown option: $(cat out)"
	grep -q "Try 'spoor $command --help'" err ||
		fail "$command does not refer to --help after an unknown option: $(cat err)"
done
# spoor(1) lists each command, spoor-export(1) each event of the CSV format, spoor-replay(1) each note on missing
# events.
sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' main.help > commands
grep -q tracepoints commands || fail "spoor --help lists no commands: $(cat main.help)"
for command in $(cat commands); do
	grep -q "^\.It Sy $command$" "$top_srcdir/tools/spoor.1" || fail "spoor(1) does not list the command $command"
	sed '1,/^\.Sh SEE ALSO/d' "$top_srcdir/tools/spoor.1" | grep -q "^\.Xr spoor-$command 1" ||
		fail "spoor(1) does not refer to spoor-$command(1) in SEE ALSO"
done
words=$(sed -n '/^const char \*export_event_word/,/^}/s/"\([a-z_]*\)"/\n=\1\n/gp' "$top_srcdir/tools/export/recorded_events.c" | sed -n 's/^=//p')
equal "words of events" "$(echo "$words" | grep -c .)" 14
for word in $words; do
	grep -q "^\.Cm $word\( \|$\)" "$top_srcdir/tools/export/spoor-export.1" ||
		fail "spoor-export(1) does not document the event $word"
done
for note in 'slices of events missing' 'slices of events overwritten' 'a slice of events cannot be unpacked' \
	'recording continues here' 'trigger: .* took longer than' 'trigger: .* is taking longer than'; do
	grep -q "^\.It # .*$note" "$top_srcdir/tools/replay/spoor-replay.1" ||
		fail "spoor-replay(1) does not document the note '$note'"
done
"$top_builddir/pass/spoor_opt" --help | grep -o '^  --[a-z_]*' | sed 's/^ *//' | sort > told
grep -o '^\.It Fl -[a-z_]*' "$top_srcdir/pass/spoor_opt.1" | sed 's/.*Fl -/--/' | sort | diff told - ||
	fail "the options in spoor_opt --help (<) and in its page (>) differ (see above)"
"$spoor" --help | grep -q export || fail "spoor --help does not list its commands"
"$spoor" --version | grep -q '^spoor [0-9]' || fail "spoor --version prints no version: $("$spoor" --version)"
status=0
"$spoor" no-such-command 2> err || status=$?
equal "status of an unknown command" "$status" 2

# The examples of the pages, with another program in place of theirs. Its calls together take so long that an
# interruption of the program does not make them too small a part to be shown.
program recorded
"$spoor" record -q ./recorded many 100000
"$spoor" report | head | grep -q leaf
"$spoor" replay | grep -q 'leaf() recorded;'
"$spoor" replay -f branch -d 3 | grep -q 'branch() recorded {'
"$spoor" report --sort self --limit 10 | grep -q leaf
equal "calls by a script" "$("$spoor" report --format=csv --no-demangle | cut -d, -f1,3 | grep '^leaf')" leaf,100000
"$spoor" record -q -o after ./recorded many 200000
"$spoor" report --diff --threshold 1% --sort calls spoor.trace after | grep -q ' +100,000  *+100.0 %.*leaf$'
"$spoor" report --function 'leaf*' --columns +p50,p99 --histogram | grep -q '  from  '
"$spoor" flame -o before.svg && grep -q leaf before.svg
"$spoor" flame --diff spoor.trace -o what-changed.svg && grep -q 'red: more' what-changed.svg
"$spoor" view 2> err && [ -s view.html ]
"$spoor" view --max-size 200M -o detailed.html && grep -q DOCTYPE detailed.html
"$spoor" view --serve --port 0 > serve.out 2> err & server=$!
while [ ! -s serve.out ] && kill -0 "$server"; do sleep 0.1; done
kill "$server"
wait "$server" && grep -q '^http://127.0.0.1:' serve.out
"$spoor" graph --around 'leaf*' | grep -q "<- "
"$spoor" tree --function 'leaf*' --callers | grep -q leaf
"$spoor" tree --callers --limit 20 | grep -q leaf
"$spoor" graph --format=dot | grep -q "^digraph"
"$spoor" export --format=perfetto -o program.pftrace
protoc --decode_raw < program.pftrace | grep -q '"leaf"'
