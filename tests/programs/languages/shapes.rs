// SPDX-License-Identifier: MIT
// shapes.rs - traits, generics, closures, a panic that is caught, a thread. Each function
// counts its calls. At its end the program prints them as "NAME,CALLS".
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

#[allow(clippy::declare_interior_mutable_const)]
const NONE: AtomicUsize = AtomicUsize::new(0);
static CALLS: [AtomicUsize; 6] = [NONE; 6];

#[inline(always)]
fn count(which: usize) {
    CALLS[which].fetch_add(1, Relaxed);
}

mod geometry {
    pub trait Shape {
        fn area(&self) -> f64;
    }
    pub struct Square(pub f64);
    pub struct Circle(pub f64);
    impl Shape for Square {
        #[inline(never)]
        fn area(&self) -> f64 {
            super::count(0);
            self.0 * self.0
        }
    }
    impl Shape for Circle {
        #[inline(never)]
        fn area(&self) -> f64 {
            super::count(1);
            3.0 * self.0 * self.0
        }
    }
}
use geometry::*;

// Prevents the compiler from inlining a sum of whole numbers into a loop.
#[inline(never)]
fn fibonacci(n: u32) -> f64 {
    count(2);
    if n < 2 { n as f64 } else { fibonacci(n - 1) + fibonacci(n - 2) }
}

#[inline(never)]
fn total(all: &[Box<dyn Shape>]) -> f64 {
    count(3);
    all.iter().map(|shape| shape.area()).sum()
}

#[inline(never)]
fn panics(n: u32) -> u32 {
    count(4);
    if n > 3 {
        panic!("too many");
    }
    n
}

#[inline(never)]
fn calls_what_panics(n: u32) -> u32 {
    count(5);
    panics(n) + 1
}

fn main() {
    let all: Vec<Box<dyn Shape>> = vec![Box::new(Square(2.0)), Box::new(Circle(1.0)), Box::new(Square(3.0))];
    let mut words = HashMap::new();
    for word in "a b a c a".split(' ') {
        *words.entry(word).or_insert(0) += 1;
    }
    std::panic::set_hook(Box::new(|_| {}));
    let caught = std::panic::catch_unwind(|| calls_what_panics(4)).is_err();
    let other = std::thread::spawn(|| fibonacci(6)).join().unwrap();
    assert!(caught && other == 8.0 && words["a"] == 3 && total(&all) == 16.0 && fibonacci(5) == 5.0);
    assert!(calls_what_panics(1) == 2);
    let names = [
        "<shapes::geometry::Square as shapes::geometry::Shape>::area",
        "<shapes::geometry::Circle as shapes::geometry::Shape>::area",
        "shapes::fibonacci",
        "shapes::total",
        "shapes::panics",
        "shapes::calls_what_panics",
    ];
    for (name, calls) in names.iter().zip(CALLS.iter()) {
        println!("{},{}", name, calls.load(Relaxed));
    }
}
