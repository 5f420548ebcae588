# SPDX-License-Identifier: MIT
# spoor.fish - completion for fish. Commands, options and values come from --help, so the completion
# always fits the program.

function __spoor_commands
    spoor --help 2>/dev/null | string replace -rf '^  ([a-z]+)  +(.*)' '$1\t$2'
end

function __spoor_options
    set -l words (commandline -opc)
    spoor $words[2] --help 2>/dev/null | string replace -rf '^ +(?:-[a-zA-Z], )?(--[a-z][a-z-]*)\S*(?: [A-Z]\S*)? +(.*)' '$1\t$2'
end

# Prints the values of --format or --mode: the words before the colons in the option's description.
function __spoor_values
    set -l words (commandline -opc)
    spoor $words[2] --help 2>/dev/null | awk -v option="--$argv[1]" '
		/^ +(-[a-zA-Z], )?--?[a-z]/ { found = index($0, option " ") > 0; sub(/^.*--[a-z-]+ [A-Z]+ +/, "") }
		found { text = text " " $0 }
		/^$/ { found = 0 }
		END {
			sub(/^ *((of|with) )?(status|--explain): /, "", text)
			for (n = split(text, parts, ";"); n > 0; n--) {
				sub(/:.*/, "", parts[n])
				gsub(/\(default\)/, "", parts[n])
				for (m = split(parts[n], names, /,| or /); m > 0; m--) {
					gsub(/^ +| +$/, "", names[m])
					if (names[m] ~ /^[a-z0-9]+$/)
						print names[m]
				}
			}
		}'
end

# Words after '--' belong to the recorded program.
complete -c spoor -n '__fish_is_nth_token 1' -f -a '(__spoor_commands)'
complete -c spoor -n 'not __fish_is_nth_token 1; and not contains -- -- (commandline -opc); and string match -q -- "-*" (commandline -ct)' -f -a '(__spoor_options)'
complete -c spoor -n 'string match -q record -- (commandline -opc)[2]' -l mode -x -a '(__spoor_values mode)'
complete -c spoor -n 'string match -qr "^(export|filters|flame|graph|report|symbols|tracepoints|tree)\$" -- (commandline -opc)[2]' -l format -x -a '(__spoor_values format)'
complete -c spoor -n 'string match -q record -- (commandline -opc)[2]' -l pid -x -a '(__fish_complete_pids)'
