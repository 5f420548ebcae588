#!/bin/sh
# SPDX-License-Identifier: MIT
# rust_values.sh - arguments and results of Rust functions have the values that the program prints itself: structures and
# tuples in registers and by a hidden address, references, String, &str, slices and enumerations, at each optimisation
# level. A structure with a destructor is moved by its address.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
use_llvm "$LLVM_MAJOR" || fail "there is no plugin for LLVM $LLVM_MAJOR"
need_rust
"$spoor" doctor > doctor.out 2>&1 || true
! grep -q 'built without libdw' doctor.out || skip "this spoor was built without libdw: apt-get install libdw-dev"

# Each function prints its call as spoor replay shows it.
cat > values.rs << 'END'
use std::hint::black_box;
#[derive(Clone, Copy)]
pub struct Pair { a: i64, b: i32 }
#[derive(Clone, Copy)]
pub struct Three(u64, u64, u64);
#[derive(Clone, Copy)]
pub struct Big { a: i64, b: [i32; 4], c: u8, d: f64 }
#[derive(Clone, Copy)]
pub struct Nested { pair: Pair, three: Three, on: bool }
pub struct Owner { n: u32, at: Pair, more: Three }
#[derive(Clone, Copy, Debug)]
pub enum Mode { Read = 1, Write = 5 }
impl Drop for Owner { fn drop(&mut self) { self.n = 0; black_box(self); } }

fn of_pair(p: &Pair) -> String { format!("{{a={}, b={}}}", p.a, p.b) }
fn of_three(t: &Three) -> String { format!("{{__0={}, __1={}, __2={}}}", t.0, t.1, t.2) }
fn of_big(b: &Big) -> String { format!("{{a={}, b={:?}, c={}, d={}}}", b.a, b.b, b.c, b.d) }
fn of_nested(n: &Nested) -> String { format!("{{pair={}, three={}, on={}}}", of_pair(&n.pair), of_three(&n.three), n.on) }

#[inline(never)] #[no_mangle]
pub fn pair(p: Pair, n: i32) -> Pair {
    let r = black_box(Pair { a: p.a + 1, b: p.b - n });
    println!("pair(p={}, n={n}) = {}", of_pair(&p), of_pair(&r));
    r
}
#[inline(never)] #[no_mangle]
pub fn big(n: i32, b: Big, last: u8) -> Big {
    let mut r = black_box(b);
    r.a += n as i64;
    println!("big(n={n}, b={}, last={last}) = {}", of_big(&b), of_big(&r));
    r
}
#[inline(never)] #[no_mangle]
pub fn nested(x: f64, n: Nested, t: Three) -> Nested {
    let r = black_box(Nested { pair: n.pair, three: t, on: !n.on });
    println!("nested(x={x}, n={}, t={}) = {}", of_nested(&n), of_three(&t), of_nested(&r));
    r
}
#[inline(never)] #[no_mangle]
pub fn owned(o: Owner, n: u32) -> u32 {
    println!("owned(o={{n={}, at={}, more={}}}, n={n}) = {}", o.n, of_pair(&o.at), of_three(&o.more), o.n + n);
    o.n + n
}
#[inline(never)] #[no_mangle]
pub fn references(b: &Big, p: &mut Pair) -> i64 {
    println!("references(b={b:p}, p={p:p}) = {}", b.a + p.a);
    b.a + p.a
}
#[inline(never)] #[no_mangle]
pub fn text(s: String, t: &str, u: &String) -> String {
    let r = format!("{s}{t}{u}");
    println!("text(s={s:?}, t={t:?}, u={u:?}) = {r:?}");
    r
}
#[inline(never)] #[no_mangle]
pub fn slices(s: &[i32], b: &[u8], m: Mode) -> usize {
    println!("slices(s={{data_ptr={:?}, length={}}}, b={:?}, m={m:?}) = {}", s.as_ptr(), s.len(),
        std::str::from_utf8(b).unwrap(), s.len() + b.len());
    s.len() + b.len()
}
#[inline(never)] #[no_mangle]
pub fn tuples(t: (i32, f64, i64), u: (u8, i64)) -> (u8, i64, i64) {
    let r = black_box((u.0, t.0 as i64, t.2 - u.1));
    println!("tuples(t={{__0={}, __1={}, __2={}}}, u={{__0={}, __1={}}}) = {{__0={}, __1={}, __2={}}}", t.0, t.1, t.2, u.0, u.1,
        r.0, r.1, r.2);
    r
}
fn main() {
    for i in 1..4 {
        let b = black_box(Big { a: 5 * i, b: [1, -2, 3, 4 * i as i32], c: 200, d: 2.5 * i as f64 });
        let mut p = black_box(pair(black_box(Pair { a: 9, b: 8 }), black_box(i as i32)));
        let c = black_box(big(black_box(3), b, black_box(9)));
        let three = black_box(Three(9, 8, 7 + i as u64));
        black_box(nested(black_box(0.5), black_box(Nested { pair: p, three: Three(1, 2, 3), on: i == 2 }), three));
        black_box(owned(black_box(Owner { n: 70 + i as u32, at: p, more: three }), black_box(3)));
        black_box(references(&c, &mut p));
        black_box(text(black_box(format!("first{i}")), black_box("second"), &black_box(String::from("third"))));
        black_box(slices(black_box(&[1, 2, 3]), black_box(b"bytes"), black_box(if i == 1 { Mode::Write } else { Mode::Read })));
        black_box(tuples(black_box((1, 2.25, 8 * i)), black_box((7, -5))));
    }
}
END

# traced_rust LEVEL LINKER_LEVEL SOURCE - builds and runs the program, and writes its calls to the files printed and shown.
traced_rust()
{
	SPOOR_CC=$clang rustc -A warnings --edition 2021 -g -C "opt-level=$1" -C linker-plugin-lto -C linker="$driver_c" \
		-C link-arg=-fuse-ld="$llvm_bin/ld.lld" -C "link-arg=-Wl,--lto-O$2" -C link-arg=-Wl,--load-pass-plugin="$plugin" \
		"$3" -o values || fail "$3, level $1: rustc fails"
	SPOOR_RUNTIME_FUNCTIONS="$chosen" SPOOR_RUNTIME_ARGS='*' SPOOR_RUNTIME_RETVAL='*' \
		traced values.trace ./values > printed 2> err || fail "$3, level $1: status $?: $(cat err)"
	silent err
	[ "$(wc -l < printed)" = 24 ] || fail "$3, level $1: the program printed $(cat printed)"
	"$spoor" replay --no-pager values.trace 2> err | sed -n 's/^.*[0-9] [mnu]s *\(.*\) values;$/\1/p' > shown
	silent err
}

# The linker runs no pass at its own level 0.
chosen='pair,big,nested,owned,references,text,slices,tuples'
for levels in '0 1' '1 1' '2 2' '3 3' 's 2'; do
	traced_rust "${levels% *}" "${levels#* }" values.rs
	cmp -s printed shown || fail "level ${levels% *}: $(diff printed shown)"
done

# The optimiser changes local functions: at level 3 it makes the address of the result an argument. Structures keep their
# names and contents.
sed 's/ #\[no_mangle\]//' values.rs > local.rs
chosen='*::pair,*::big,*::nested,*::owned,*::references,*::text,*::slices,*::tuples'
structures=' [bp]={a=[^}]*}\| n={pair={[^}]*}, three={[^}]*}, on=[a-z]*}'
for level in 1 3; do
	traced_rust $level $level local.rs
	grep '^big(\|^nested(' printed | sed 's/ = .*//' | grep -o "$structures" > wanted
	grep 'big(\|nested(' shown | sed 's/ = .*//' | grep -o "$structures" > had
	[ "$(wc -l < wanted)" = 6 ] || fail "local, level $level: the program printed $(cat printed)"
	cmp -s wanted had || fail "local, level $level: $(diff wanted had; cat shown)"
done
