#!/bin/sh
# SPDX-License-Identifier: MIT
# text.sh - texts are in the trace up to their greatest length; pointers that lead nowhere are shown as unreadable, and
# the program does not notice, also while another thread unmaps the memory.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

program pointers
SPOOR_RUNTIME_ARGS='show(text:s,number:)' SPOOR_RUNTIME_RETVAL='show(:s)' \
	traced pointers.trace ./pointers > out 2> err || fail "status $?: $(cat err)"
silent err
grep -qx survived out || fail "it printed: $(cat out)"
"$top_builddir/tools/spoor" replay --no-pager pointers.trace | sed -n 's/.* show(\(.*\)) = \(.*\) pointers;$/\1 = \2/p' > shown
grep -v 'number=100' shown > few || fail "no call is in the trace"
end=$(sed -n 's/^end //p' out)
x=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
cat > expected << END
text="in the program", number=1 = "in the program"
text="on the stack", number=2 = "on the stack"
text="on the heap", number=3 = "on the heap"
text=NULL, number=4 = NULL
text=<unreadable 0x10>, number=5 = <unreadable 0x10>
text=<unreadable 0x1234567890abcdef>, number=6 = <unreadable 0x1234567890abcdef>
text=<unreadable 0xffffffffffffffff>, number=7 = <unreadable 0xffffffffffffffff>
text="whole"..., number=8 = "whole"...
text="null", number=9 = "null"
text=<unreadable $end>, number=10 = <unreadable $end>
text="", number=11 = ""
text="a\\"b\\\\c\\n\\001é", number=12 = "a\\"b\\\\c\\n\\001é"
text="$x", number=13 = "$x"
text="$x"..., number=14 = "$x"...
END
cmp -s expected few || fail "the texts differ: $(diff expected few)"
equal "calls beside another thread" "$(grep -c 'number=100' shown)" 20000

# A page of spoor view has the same texts.
"$top_builddir/tools/spoor" view -o pointers.html pointers.trace
PYTHONPATH=$top_srcdir/tests/integration/readers python3 - > in_page << 'PYTHON'
from view import Page
page = Page("pointers.html")
assert not page.texts_left_out
for thread, begin, end, node, flags, values in page.calls:
	if values:
		assert page.function(node) == "show" and [name for name, _ in values] == ["text", "number", ""], values
		print(", ".join(f"{name}={text}" for name, text in values[:2]) + " = " + values[2][1])
PYTHON
LC_ALL=C sort -o in_page in_page
LC_ALL=C sort shown | cmp - in_page || fail "the page has other texts: $(LC_ALL=C sort shown | diff - in_page | head)"
