-- SPDX-License-Identifier: MIT
--
-- flame.sql - shows where time is spent: call paths with their self time, as spoor flame.
--
--     SELECT concat(stack, ' ', toString(self_ns)) FROM flame WHERE session = 4711 AND self_ns > 0 FORMAT TSVRaw
--
-- prints the folded stacks that flamegraph.pl, speedscope and others read. flame_by_process has them by process.

CREATE VIEW IF NOT EXISTS flame AS
SELECT session, stack, depth, calls, own_ns AS self_ns
FROM
(
    SELECT session, path, countIf(resumed = 0) AS calls, sum(self_ns) AS own_ns FROM calls GROUP BY session, path
) AS sums
ANY LEFT JOIN (SELECT path, depth, stack FROM paths) AS stacks USING path;

CREATE VIEW IF NOT EXISTS flame_by_process AS
SELECT session, process, stack, depth, calls, own_ns AS self_ns
FROM
(
    SELECT session, process, path, countIf(resumed = 0) AS calls, sum(self_ns) AS own_ns
    FROM calls GROUP BY session, process, path
) AS sums
ANY LEFT JOIN (SELECT path, depth, stack FROM paths) AS stacks USING path;
