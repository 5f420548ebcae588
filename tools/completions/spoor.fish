# SPDX-License-Identifier: MIT
# spoor.fish - completion for fish. What there is comes from --help, so that it is never older
# than the program.

function __spoor_commands
    spoor --help 2>/dev/null | string replace -rf '^  ([a-z]+)  +(.*)' '$1\t$2'
end

function __spoor_options
    set -l words (commandline -opc)
    spoor $words[2] --help 2>/dev/null | string replace -rf '^ +(?:-[a-zA-Z], )?(--[a-z][a-z-]*)\S*(?: [A-Z]\S*)? +(.*)' '$1\t$2'
end

complete -c spoor -n '__fish_is_nth_token 1' -f -a '(__spoor_commands)'
complete -c spoor -n 'not __fish_is_nth_token 1; and string match -q -- "-*" (commandline -ct)' -f -a '(__spoor_options)'
complete -c spoor -n 'string match -q record -- (commandline -opc)[2]' -l mode -x -a 'log ring count order off'
complete -c spoor -n 'string match -q record -- (commandline -opc)[2]' -l pid -x -a '(__fish_complete_pids)'
