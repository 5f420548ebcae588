-- SPDX-License-Identifier: MIT
-- workload.sql - a script for a traced SQLite shell, whose calls a second counter counts.
-- @rows is the number of cities. No result depends on time, chance or addresses.
.bail off
PRAGMA page_size = 4096;
PRAGMA cache_size = 500;
PRAGMA journal_mode = delete;
PRAGMA synchronous = off;
.load ./spellfix
.load ./percentile
.load ./closure

CREATE TABLE city(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, people INTEGER CHECK(people >= 0),
  country TEXT, area REAL, density REAL GENERATED ALWAYS AS (people / area) VIRTUAL
);
CREATE TABLE road(
  a INTEGER REFERENCES city(id), b INTEGER REFERENCES city(id), km REAL,
  PRIMARY KEY(a, b)
) WITHOUT ROWID;
CREATE TABLE log(n INTEGER PRIMARY KEY AUTOINCREMENT, what TEXT, who INTEGER);
CREATE INDEX city_country ON city(country, people DESC);
CREATE INDEX city_large ON city(people) WHERE people > 500000;
CREATE INDEX city_upper ON city(upper(name));
CREATE TRIGGER city_insert AFTER INSERT ON city BEGIN
  INSERT INTO log(what, who) VALUES('insert', new.id);
END;
CREATE TRIGGER city_update AFTER UPDATE OF people ON city WHEN new.people > old.people BEGIN
  INSERT INTO log(what, who) VALUES('growth', new.id);
END;
CREATE TRIGGER city_delete BEFORE DELETE ON city BEGIN
  DELETE FROM road WHERE a = old.id OR b = old.id;
  INSERT INTO log(what, who) VALUES('delete', old.id);
END;
CREATE VIEW large AS SELECT name, people, country FROM city WHERE people > 500000;

BEGIN;
WITH RECURSIVE n(i, x) AS (
  SELECT 1, 12345 UNION ALL
  SELECT i + 1, (x * 1103515245 + 12345) % 2147483648 FROM n WHERE i < @rows
)
INSERT INTO city(id, name, people, country, area)
SELECT i, printf('%s%s-%d', char(65 + x % 26), substr('aeiouylmnrst', 1 + x / 26 % 12, 3), i),
       x % 1000000, printf('C%02d', x / 1000 % 40), 1 + x % 977 / 7.0 FROM n;
WITH RECURSIVE n(i, x) AS (
  SELECT 1, 777 UNION ALL
  SELECT i + 1, (x * 1103515245 + 12345) % 2147483648 FROM n WHERE i < 2 * @rows
)
INSERT OR IGNORE INTO road SELECT 1 + x / 8 % @rows, 1 + x / 65536 % @rows, x % 5000 / 10.0 FROM n;
COMMIT;

SELECT count(*), sum(people), round(avg(density), 4), max(length(name)) FROM city;
SELECT country, count(*), substr(group_concat(name), 1, 40) FROM city
  GROUP BY country HAVING count(*) > 150 ORDER BY 2 DESC, 1 LIMIT 5;
SELECT a.name, b.name, round(km) FROM road JOIN city a ON a.id = road.a JOIN city b ON b.id = road.b
  WHERE a.country = b.country ORDER BY km DESC, a.name LIMIT 10;
SELECT count(*) FROM city a LEFT JOIN road ON road.a = a.id WHERE road.b IS NULL;
SELECT name, people, rank() OVER w, round(avg(people) OVER (w ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING))
  FROM large WINDOW w AS (PARTITION BY country ORDER BY people DESC, name) ORDER BY 3 DESC, 1 LIMIT 10;
WITH RECURSIVE reach(id, hops) AS (
  SELECT 17, 0 UNION SELECT road.b, hops + 1 FROM reach JOIN road ON road.a = reach.id WHERE hops < 6
)
SELECT hops, count(DISTINCT id) FROM reach GROUP BY hops;
SELECT name FROM city WHERE upper(name) LIKE 'QL%' ORDER BY name COLLATE NOCASE LIMIT 5;
SELECT name FROM city WHERE name GLOB '[XYZ]*-*99' ORDER BY length(name), name;
SELECT count(*) FROM (SELECT id FROM city WHERE people % 7 = 0 INTERSECT SELECT a FROM road
  EXCEPT SELECT b FROM road UNION SELECT id FROM city WHERE people IN (SELECT people FROM city WHERE id < 50));
EXPLAIN QUERY PLAN SELECT * FROM city WHERE country = 'C07' AND people > 1000 ORDER BY people DESC;

UPDATE city SET people = people + 1000 WHERE country BETWEEN 'C10' AND 'C19';
DELETE FROM city WHERE people < 5000;
INSERT INTO city(id, name, people, area) VALUES(1, 'Atlantis', 1, 1)
  ON CONFLICT(id) DO UPDATE SET people = people + excluded.people;
SAVEPOINT one;
UPDATE city SET name = name || '!' WHERE id % 3 = 0;
SAVEPOINT two;
DELETE FROM city;
ROLLBACK TO two;
RELEASE one;
SELECT what, count(*) FROM log GROUP BY what ORDER BY what;

-- Statements that fail must fail with the same message.
INSERT INTO city(id, name, people, area) VALUES(100000, 'Nowhere', -1, 1);
INSERT INTO city(id, name) VALUES(100001, 'Atlantis'), (100001, 'Atlantis');
SELECT no_such_column FROM city;
SELECT json_extract('{"a":[1,2', '$.a');
SELEC 1;

CREATE VIRTUAL TABLE text USING fts5(title, body, tokenize = 'porter unicode61');
INSERT INTO text(rowid, title, body)
  SELECT id, name, printf('%s lies in %s and has %d people on %d roads running through its hills',
    name, coalesce(country, 'no land'), people, (SELECT count(*) FROM road WHERE a = city.id)) FROM city WHERE id <= 1500;
INSERT INTO text(text) VALUES('optimize');
SELECT count(*) FROM text WHERE text MATCH 'run NOT c05';
SELECT title, snippet(text, 1, '[', ']', '..', 6) FROM text WHERE text MATCH 'hill AND c0*' ORDER BY bm25(text), title LIMIT 5;
CREATE VIRTUAL TABLE box USING rtree(id, x0, x1, y0, y1);
INSERT INTO box SELECT id, id % 100, id % 100 + people % 13, id / 100, id / 100 + people % 7 FROM city;
SELECT count(*), sum(id) FROM box WHERE x0 > 20 AND x1 < 60 AND y0 > 10 AND y1 < 30;

SELECT round(percentile(people, 50), 2), round(percentile(density, 95), 2) FROM city;
SELECT editdist3('kitten', 'sitting'), spellfix1_phonehash('Wellington'), spellfix1_editdist('Berlin', 'Bern');
CREATE VIRTUAL TABLE dictionary USING spellfix1;
INSERT INTO dictionary(word, rank) SELECT lower(substr(name, 1, 5)), count(*) FROM city WHERE id < 400 GROUP BY 1;
SELECT word, distance FROM dictionary WHERE word MATCH 'almmn' AND top = 4 ORDER BY distance, word;
CREATE TABLE family(id INTEGER PRIMARY KEY, parent INTEGER);
CREATE INDEX family_parent ON family(parent);
INSERT INTO family SELECT id, id / 3 FROM city WHERE id < 2000;
CREATE VIRTUAL TABLE tree USING transitive_closure(tablename = 'family', idcolumn = 'id', parentcolumn = 'parent');
SELECT count(*), max(depth) FROM tree WHERE root = 5 AND depth <= 4;

SELECT json_group_array(json_object('n', name, 'p', people)) FROM (SELECT * FROM city ORDER BY id LIMIT 5);
SELECT sum(value) FROM json_each((SELECT json_group_array(people) FROM city));
SELECT printf('%.10g %e %x %s %q', 1.0 / 3, 1e100, 255, 'text', 'it''s'), hex(zeroblob(4)), typeof(1.5), quote(x'00ff');
SELECT date('2024-02-28', '+1 day'), strftime('%W %j', '2021-12-31'), julianday('2000-01-01');
SELECT round(sqrt(2), 9), round(sin(1), 9), pow(2, 10), log2(1024);

ATTACH ':memory:' AS other;
CREATE TABLE other.copy AS SELECT * FROM city ORDER BY people DESC, id;
CREATE UNIQUE INDEX other.copy_id ON copy(id);
SELECT count(*) FROM other.copy JOIN main.city USING(id) WHERE copy.people = city.people;
ALTER TABLE other.copy RENAME COLUMN people TO inhabitants;
ALTER TABLE other.copy ADD COLUMN note DEFAULT 'none';
DROP TABLE log;
ANALYZE;
REINDEX;
VACUUM;
PRAGMA integrity_check;
PRAGMA foreign_key_check;
.mode csv
SELECT * FROM city WHERE id BETWEEN 500 AND 505;
.mode insert
SELECT id, name FROM city WHERE id BETWEEN 600 AND 603;
.schema road
.once dump.sql
.dump city
.backup copy.db
.open copy.db
SELECT count(*) FROM city;
