#!/bin/sh
# SPDX-License-Identifier: MIT
# completion.sh - bash completes spoor's commands, their options, modes and files, and the commands accept each
# completed option. zsh and fish do the same if they are installed.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
tools=$top_builddir/tools
completions=$top_srcdir/tools/completions
PATH=$tools:$PATH
export PATH
commands=$(spoor --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')

# completes WORD... - prints bash's completions of the last word, one on each line.
completes()
{
	bash -c '
		source "$0"
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_spoor "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
		printf "%s\n" "${COMPREPLY[@]}"' "$completions/spoor" "$@" | grep . | sort
}

equal "commands" "$(completes spoor '')" "$(echo "$commands" | sort)"
equal "one command" "$(completes spoor rep)" "$(printf '%s\n' replay report)"
equal "spoor's own options" "$(completes spoor --)" "$(printf '%s\n' --help --version)"
: > some.file
for command in $commands; do
	completes spoor "$command" -- > options
	grep -qx -- --help options || fail "$command: --help is not among the completed options: $(cat options)"
	while read -r option; do
		[ "$option" != --help ] || continue
		spoor "$command" "$option" > /dev/null 2> err < /dev/null || true
		! grep -q 'unknown option' err ||
			fail "$command rejects the completed option $option: $(cat err)"
	done < options
	completes spoor "$command" some | grep -qx some.file || fail "$command: file names are not completed"
done
equal "modes" "$(completes spoor record --mode o)" "$(printf '%s\n' off order)"
equal "modes after =" "$(completes spoor record --mode = o)" "$(printf '%s\n' off order)"
for command in export filters flame graph report symbols tracepoints tree; do
	completes spoor $command --format '' > formats
	[ -s formats ] || fail "$command: formats are not completed"
	while read -r format; do
		spoor $command --format="$format" nowhere > /dev/null 2> err < /dev/null || true
		! grep -q 'unknown format' err || fail "$command rejects the completed format $format: $(cat err)"
	done < formats
done
equal "formats" "$(completes spoor report --format '')" "$(printf '%s\n' csv json text)"
# Options of the recorded program are not completed.
for words in '-- ls' 'ls' '-o x ls' '--mode ring ls' '--mode = ring -q -- ls'; do
	# shellcheck disable=SC2086
	equal "options after $words" "$(completes spoor record $words --)" ""
done
completes spoor record --mode ring -- | grep -qx -- --pid ||
	fail "options of spoor record are not completed before the program"
completes spoor record --pid $$ | grep -qx $$ || fail "process IDs are not completed"

if command -v fish > /dev/null; then
	fish -c "source $completions/spoor.fish; complete -C 'spoor rep'" | cut -f 1 | sort > fish.out
	equal "fish: commands" "$(cat fish.out)" "$(printf '%s\n' replay report)"
	fish -c "source $completions/spoor.fish; complete -C 'spoor record --mo'" | cut -f 1 | sort > fish.out
	grep -qx -- --module fish.out && grep -qx -- --mode fish.out ||
		fail "fish does not complete --mo: $(cat fish.out)"
	fish -c "source $completions/spoor.fish; complete -C 'spoor report --'" 2>&1 | cut -f 1 | sort > fish.out
	grep -qx -- --sort fish.out && ! grep -qx -e '--mode' -e '--pid' fish.out ||
		fail "fish completes options of another command: $(cat fish.out)"
fi
if command -v zsh > /dev/null; then
	# Without a terminal: replaces the functions that show completions.
	zsh -f -c '
		_describe() { local name=${@[-1]}; print -l -- ${(P)name} }
		_files() { print files }
		words=(spoor rep) CURRENT=2
		source '"$completions"'/_spoor
		words=(spoor record --mo) CURRENT=3
		_spoor
		words=(spoor record x) CURRENT=3
		_spoor' > zsh.out 2> zsh.err || fail "zsh completion failed: $(cat zsh.err)"
	[ ! -s zsh.err ] || fail "zsh completion printed messages: $(cat zsh.err)"
	for line in 'record:run a program' 'graph:show which function' '--module:' '--mode:log (default): all events' files; do
		grep -q -- "^$line" zsh.out || fail "zsh does not complete '$line': $(cat zsh.out)"
	done
fi
