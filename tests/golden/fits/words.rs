// SPDX-License-Identifier: MIT
// words.rs - the program of rust.tar.xz, built by rustc 1.95 with the linker plugin of spoor-cc (-O -g).
use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;

#[inline(never)]
fn split<'a>(text: &'a str) -> impl Iterator<Item = &'a str> + 'a { text.split_whitespace().filter(|word| word.len() > 1) }

#[inline(never)]
fn count(text: &str) -> HashMap<String, Vec<usize>> {
    let mut places: HashMap<String, Vec<usize>> = HashMap::new();
    for (place, word) in split(text).enumerate() { places.entry(word.to_lowercase()).or_default().push(place); }
    places
}

#[inline(never)]
fn sorted<K: Ord + Clone, V: Clone>(map: &HashMap<K, V>) -> BTreeMap<K, V> {
    map.iter().map(|(key, value)| (key.clone(), value.clone())).collect()
}

trait Show { fn show(&self) -> String; }
struct Row<T>(T, usize);
impl<T: Display> Show for Row<T> {
    #[inline(never)]
    fn show(&self) -> String { format!("{:>8} {}", self.0, self.1) }
}

fn main() {
    let text = "The quick brown fox jumps over the lazy dog and the quick cat";
    let rows: Vec<Box<dyn Show>> = sorted(&count(text)).into_iter()
        .map(|(word, places)| Box::new(Row(word, places.len())) as Box<dyn Show>).collect();
    for row in rows.iter() { println!("{}", row.show()); }
}
