-- SPDX-License-Identifier: MIT
--
-- slowest.sql - shows the 1,000 longest calls of all sessions. For one session, add its number beside `root = 0`.
-- Calls that were open when recording began are excluded.
--
--     SELECT * FROM slowest ORDER BY duration_ns DESC LIMIT 20

CREATE VIEW IF NOT EXISTS slowest AS
SELECT session, process, pid, process_name, thread, begin_ns, duration_ns, self_ns, function, library, ending, unreliable,
    stack
FROM
(
    SELECT session, process, pid, process_name, thread, begin_ns, duration_ns, self_ns, name AS function, library, ending,
        unreliable, path
    FROM
    (
        SELECT session, process, pid, process_name, thread, key, path, begin_ns, duration_ns, self_ns, ending, unreliable
        FROM
        (
            SELECT session, process, thread, function AS key, path, begin_ns, duration_ns, self_ns, ending, unreliable
            FROM calls WHERE root = 0 ORDER BY duration_ns DESC LIMIT 1000
        ) AS sums
        ANY LEFT JOIN (SELECT process, pid, name AS process_name FROM processes) AS whose USING process
    ) AS sums
    ANY LEFT JOIN
    (
        SELECT function AS key, argMax(name, known) AS name, argMax(library, known) AS library
        FROM functions GROUP BY function
    ) AS names USING key
) AS sums
ANY LEFT JOIN (SELECT path, stack FROM paths) AS stacks USING path;
