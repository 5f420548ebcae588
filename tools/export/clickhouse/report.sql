-- SPDX-License-Identifier: MIT
--
-- report.sql - shows the columns of spoor report, for each session and for each of its processes.
--
--     SELECT * FROM report WHERE session = 4711 ORDER BY total_ns DESC LIMIT 20
--     SELECT pid, process_name, total_ns FROM report_by_process WHERE function = 'solve' ORDER BY total_ns DESC
--
-- avg_ns, min_ns and max_ns are NULL if a function has no calls with times, total_ns and self_ns if it has
-- no times at all. A call within a call of the same function adds no time to total_ns.

CREATE VIEW IF NOT EXISTS report AS
SELECT
    session,
    name AS function,
    library,
    timed + counted AS calls,
    if(timed + roots > 0, toNullable(outer_sum), NULL) AS total_ns,
    if(timed + roots > 0, toNullable(self_sum), NULL) AS self_ns,
    if(timed > 0, toNullable(intDiv(duration_sum, if(timed > 0, timed, 1))), NULL) AS avg_ns,
    if(timed > 0, toNullable(shortest), NULL) AS min_ns,
    if(timed > 0, toNullable(longest), NULL) AS max_ns,
    key
FROM
(
    SELECT session, key, sum(timed_1) AS timed, sum(counted_1) AS counted, sum(roots_1) AS roots, sum(outer_1) AS outer_sum,
        sum(self_1) AS self_sum, sum(sum_1) AS duration_sum, min(min_1) AS shortest, max(max_1) AS longest
    FROM
    (
        SELECT session, function AS key, countIf(root = 0 AND resumed = 0) AS timed_1, toUInt64(0) AS counted_1,
            countIf(root = 1) AS roots_1, sumIf(duration_ns, outermost = 1) AS outer_1, sum(self_ns) AS self_1,
            sumIf(duration_ns, root = 0) AS sum_1, minIf(duration_ns, root = 0) AS min_1, maxIf(duration_ns, root = 0) AS max_1
        FROM calls GROUP BY session, function
        UNION ALL
        SELECT session, function AS key, toUInt64(0) AS timed_1, sum(calls) AS counted_1, toUInt64(0) AS roots_1,
            toUInt64(0) AS outer_1, toUInt64(0) AS self_1, toUInt64(0) AS sum_1, toUInt64(18446744073709551615) AS min_1, toUInt64(0) AS max_1
        FROM counts GROUP BY session, function
    )
    GROUP BY session, key
) AS sums
ANY LEFT JOIN
(
    SELECT function AS key, argMax(name, known) AS name, argMax(library, known) AS library
    FROM functions GROUP BY function
) AS names USING key;


CREATE VIEW IF NOT EXISTS report_by_process AS
SELECT
    session,
    process,
    pid,
    process_name,
    name AS function,
    library,
    timed + counted AS calls,
    if(timed + roots > 0, toNullable(outer_sum), NULL) AS total_ns,
    if(timed + roots > 0, toNullable(self_sum), NULL) AS self_ns,
    if(timed > 0, toNullable(intDiv(duration_sum, if(timed > 0, timed, 1))), NULL) AS avg_ns,
    if(timed > 0, toNullable(shortest), NULL) AS min_ns,
    if(timed > 0, toNullable(longest), NULL) AS max_ns,
    key
FROM
(
    SELECT session, process, key, timed, counted, roots, outer_sum, self_sum, duration_sum, shortest, longest, name, library
    FROM
    (
        SELECT session, process, key, sum(timed_1) AS timed, sum(counted_1) AS counted, sum(roots_1) AS roots,
            sum(outer_1) AS outer_sum, sum(self_1) AS self_sum, sum(sum_1) AS duration_sum, min(min_1) AS shortest, max(max_1) AS longest
        FROM
        (
            SELECT session, process, function AS key, countIf(root = 0 AND resumed = 0) AS timed_1, toUInt64(0) AS counted_1,
                countIf(root = 1) AS roots_1, sumIf(duration_ns, outermost = 1) AS outer_1, sum(self_ns) AS self_1,
                sumIf(duration_ns, root = 0) AS sum_1, minIf(duration_ns, root = 0) AS min_1, maxIf(duration_ns, root = 0) AS max_1
            FROM calls GROUP BY session, process, function
            UNION ALL
            SELECT session, process, function AS key, toUInt64(0) AS timed_1, sum(calls) AS counted_1, toUInt64(0) AS roots_1,
                toUInt64(0) AS outer_1, toUInt64(0) AS self_1, toUInt64(0) AS sum_1, toUInt64(18446744073709551615) AS min_1,
                toUInt64(0) AS max_1
            FROM counts GROUP BY session, process, function
        )
        GROUP BY session, process, key
    ) AS sums
    ANY LEFT JOIN
    (
        SELECT function AS key, argMax(name, known) AS name, argMax(library, known) AS library
        FROM functions GROUP BY function
    ) AS names USING key
) AS sums
ANY LEFT JOIN (SELECT process, pid, name AS process_name FROM processes) AS whose USING process;
