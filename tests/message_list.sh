#!/bin/sh
# SPDX-License-Identifier: MIT
# message_list.sh - tests/messages.txt lists the texts that the sources contain today, so that all messages can be
# reviewed side by side.
#
# MESSAGES_TREE: another tree to check.
set -eu

tree=${MESSAGES_TREE:-$top_srcdir}
work=$top_builddir/tests/work/message_list
rm -rf "$work"
mkdir -p "$work"

fail()
{
	echo "message_list: $*" >&2
	exit 1
}

# differs LIST - prints the lines that are only in LIST (<) or only in the sources (>), and returns 0 if there are any.
differs()
{
	diff "$1" "$work/now" | grep '^[<>]'
}

python3 "$top_srcdir/tests/list_messages" "$tree" > "$work/now" || fail "tests/list_messages failed on $tree"
[ "$(wc -l < "$work/now")" -ge 1500 ] || fail "only $(wc -l < "$work/now") lines were found: is $tree the tree?"
if differs "$tree/tests/messages.txt" > "$work/difference"; then
	cat "$work/difference" >&2
	fail "tests/messages.txt is stale: run 'tests/list_messages > tests/messages.txt', and review the difference"
fi
# A list without one message, and with a changed one, is stale.
sed '/: out of memory$/d' "$tree/tests/messages.txt" > "$work/shorter"
differs "$work/shorter" | grep -q '^> .*: out of memory$' || fail "a message that is not in the list is not found"
sed 's/: out of memory$/: no memory/' "$tree/tests/messages.txt" > "$work/changed"
differs "$work/changed" | grep -q '^< .*: no memory$' || fail "a message that is only in the list is not found"

# The list has one text of each form that the sources use.
listed()
{
	grep -Fqx -- "$1" "$work/now" || fail "tests/list_messages does not find this text: $1"
}
cat > "$work/forms.c" << 'END'
#define COUNT 3
#define HELP "  -q  print " \
	"only problems\n"
/* message("in a comment"); */
static const char *const causes[] = { [0] = "out of memory", [1] = "gone" };
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Static_assert(COUNT == 3, "no text for a user");
static void f(int many, const char *path)
{
	message("cannot read %s: "
		"%s", path, causes[0]);
	message(many ? "several" : "single", path);
	message("%" PRIu64 " bytes of " UNIT "s\n", 4ul);
	message("a quote: \"%c\"", '"');
	open("/proc/self/maps", 0);
	asm("movq %rax, %rbx");
}
END
mkdir -p "$work/forms/tools"
mv "$work/forms.c" "$work/forms/tools"
python3 "$top_srcdir/tests/list_messages" "$work/forms" > "$work/now"
listed 'tools/forms.c:   -q  print only problems'
listed 'tools/forms.c: out of memory'
listed 'tools/forms.c: cannot read %s: %s'
listed 'tools/forms.c: several'
listed 'tools/forms.c: single'
listed 'tools/forms.c: %{PRIu64} bytes of {UNIT}s'
listed 'tools/forms.c: a quote: "%c"'
[ "$(wc -l < "$work/now")" = 7 ] || fail "tests/list_messages finds other texts, too: $(cat "$work/now")"
