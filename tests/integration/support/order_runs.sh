# SPDX-License-Identifier: MIT
# order_runs.sh - builds and runs a program of 900 functions, of which a third runs in shuffled order; order.sh and
# order_in_code.sh source this file. Scripts that build the program often set order_functions to a smaller number.

spoor=$top_builddir/tools/spoor
python3 "$victims/calls/shuffled.py" "${order_functions:=900}" $((order_functions / 3)) 7
order_noted=$((order_functions / 3 + 1))

# shuffled OPTION... - builds the program.
shuffled()
{
	traced_cc "$@" -ffunction-sections -fPIC -shared -Wl,-soname,libpart.so -o libpart.so library.c
	traced_cc "$@" -ffunction-sections -o program program.c -L. -lpart -Wl,-rpath,"$work" -rdynamic
}

# noted TRACE COMMAND... - runs the command in mode order.
noted()
{
	SPOOR_RUNTIME_MODE=order
	export SPOOR_RUNTIME_MODE
	noted_status=0
	traced "$@" || noted_status=$?
	unset SPOOR_RUNTIME_MODE
	return $noted_status
}

# ordered TRACE - writes the names of both modules, in the order of the trace.
ordered()
{
	rm -rf "$1.orders"
	"$spoor" order -o "$1.orders" "$1" 2> order.err || fail "$1: spoor order failed: $(cat order.err)"
	grep -v '^main$' "$1.orders/program.order" > "$1.program"
	cp "$1.orders/libpart.so.order" "$1.library"
}

# own FILE - splits the order that the program printed into functions of the program and of the library.
own()
{
	rm -f own.program own.library
	awk '/^f[0-9]+$/ { print > (substr($0, 2) % 3 ? "own.program" : "own.library") }' "$1"
}

# orders_agree - checks that the trace has the same order as the output of the program.
orders_agree()
{
	noted one ./program 2> said
	noted two ./program 2> said.again
	cmp said said.again
	"$spoor" record --mode order -o recorded -- ./program 2> record.err
	own said
	equal "functions that ran" "$(cat own.program own.library | wc -l)" $((order_functions / 3))
	for trace in one two recorded; do
		ordered $trace
		cmp own.program $trace.program && cmp own.library $trace.library ||
			fail "$trace: the order differs from the one that the program printed:" \
				"$(diff own.program $trace.program; diff own.library $trace.library)"
	done
	cmp one.orders/program.order two.orders/program.order
	head -n 1 one.orders/program.order | grep -qx main ||
		fail "main is not first in one.orders/program.order: $(head -n 1 one.orders/program.order)"
	grep -q "order of $order_noted functions" record.err ||
		fail "the recorder does not report the order of $order_noted functions: $(tail -n 1 record.err)"
	"$spoor" info one | grep -q "order  *of $order_noted functions" ||
		fail "spoor info does not report the order of $order_noted functions: $("$spoor" info one)"

	# If the program is killed, the trace has the functions that ran before.
	if noted killed ./program now 2> said; then
		fail "the program survived SIGKILL: $(cat said)"
	fi
	own said
	ordered killed
	cmp own.program killed.program && cmp own.library killed.library ||
		fail "killed: the order differs from the one that the program printed:" \
			"$(diff own.program killed.program; diff own.library killed.library)"
}

# once_each OPTION... - checks that a forked child continues the order, and that threads note no function twice.
once_each()
{
	program fork_order -I"$top_srcdir/libspoor/include" "$@"
	noted family ./fork_order
	equal "family" "$("$spoor" order family | tr '\n' ' ')" "main before in_child after "
	for round in 1 2 3 4 5; do
		noted crowd ./fork_order 16
		"$spoor" order crowd | sort > crowd.names
		equal "functions of 16 threads" "$(uniq -d crowd.names | wc -l) $(wc -l < crowd.names)" "0 67"
	done
}

# built OPTION... - builds the program for order mode by the options in $order, and checks the order that it notes.
built()
{
	shuffled $order "$@"
	./program 2> said || fail "$*: the program fails without libspoor.so: $(tail -n 3 said)"
	rm -rf built
	noted built ./program 2> said.noted || fail "$*: the program fails in mode order: $(tail -n 3 said.noted)"
	cmp said said.noted
	own said
	ordered built
	cmp own.program built.program && cmp own.library built.library ||
		fail "$*: the order differs from the one that the program printed:" \
			"$(diff own.program built.program; diff own.library built.library)"
}
