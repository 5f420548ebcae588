-- SPDX-License-Identifier: MIT
--
-- create.sql - creates the tables for the output of spoor export --format=rowbinary.
--
--     clickhouse-client --query 'CREATE DATABASE run'
--     clickhouse-client --database run --multiquery < create.sql
--     spoor export --format=rowbinary TRACE | clickhouse-client --database run --query 'INSERT INTO rows FORMAT RowBinary'
--
-- One stream has the rows of all tables. `rows` stores nothing: each view below copies the rows of one
-- kind to the table of that kind. The views define the meaning of number_1 to number_3, text_1 and text_2.
--
-- The number of a process is unique over all hosts, and is the same each time the process is loaded.
-- Each table is partitioned by (session, process), except `functions` and `paths`: their rows do not
-- depend on the process.

CREATE TABLE IF NOT EXISTS rows
(
    kind UInt8,
    session UInt64,
    process UInt64,
    thread UInt32,
    function UInt64,
    path UInt64,
    depth UInt32,
    flags UInt8,
    what Int8,
    number_1 UInt64,
    number_2 UInt64,
    number_3 UInt64,
    text_1 String,
    text_2 String
) ENGINE = Null;

-- Times are in nanoseconds of CLOCK_MONOTONIC on the machine of the process. begin_ns and begin_realtime_ns
-- are the same moment on both clocks.
CREATE TABLE IF NOT EXISTS processes
(
    session UInt64,
    process UInt64,
    pid UInt64,
    name String,
    facts String,
    begin_ns UInt64,
    begin_realtime_ns UInt64
) ENGINE = MergeTree PARTITION BY (session, process) ORDER BY (session, process);

CREATE MATERIALIZED VIEW IF NOT EXISTS rows_to_processes TO processes AS
SELECT session, process, number_1 AS pid, text_1 AS name, text_2 AS facts, number_2 AS begin_ns,
    number_3 AS begin_realtime_ns
FROM rows WHERE kind = 1;

CREATE TABLE IF NOT EXISTS threads
(
    session UInt64,
    process UInt64,
    thread UInt32,
    name String
) ENGINE = MergeTree PARTITION BY (session, process) ORDER BY thread;

CREATE MATERIALIZED VIEW IF NOT EXISTS rows_to_threads TO threads AS
SELECT session, process, thread, text_1 AS name
FROM rows WHERE kind = 2;

-- The number of a function is a hash of its module's build, its module's path, and its place in the module.
-- `known` is 1 if a symbol table or the program itself named the function. If hosts differ, that name is shown.
CREATE TABLE IF NOT EXISTS functions
(
    function UInt64,
    function_id UInt64,
    known UInt8,
    name String,
    library String
) ENGINE = ReplacingMergeTree(known) ORDER BY function;

CREATE MATERIALIZED VIEW IF NOT EXISTS rows_to_functions TO functions AS
SELECT function, number_1 AS function_id, flags AS known, text_1 AS name, text_2 AS library
FROM rows WHERE kind = 3;

-- A path is a call and the calls around it. `stack` has their names, separated by semicolons, the outermost
-- first.
CREATE TABLE IF NOT EXISTS paths
(
    path UInt64,
    parent UInt64,
    depth UInt32,
    stack String
) ENGINE = ReplacingMergeTree ORDER BY path;

CREATE MATERIALIZED VIEW IF NOT EXISTS rows_to_paths TO paths AS
SELECT path, number_1 AS parent, depth, text_1 AS stack
FROM rows WHERE kind = 4;

-- duration_ns includes the functions that were called, self_ns excludes them. A call is
--   outermost   if no call of the same function is open around it
--   root        if it was open before recording began: it has no entry, and its begin is unknown
--   resumed     if it is the rest of a call after a switch of stacks, or a root
--   unreliable  if events were lost while it was open
-- `arguments` (`n=3, path="a.txt"`) and `result` are empty unless the recording captured them.
CREATE TABLE IF NOT EXISTS calls
(
    session UInt64,
    process UInt64,
    thread UInt32,
    function UInt64,
    path UInt64,
    depth UInt32,
    begin_ns UInt64,
    duration_ns UInt64,
    self_ns UInt64,
    outermost UInt8,
    root UInt8,
    resumed UInt8,
    unreliable UInt8,
    ending Enum8('exit' = 0, 'tail' = 1, 'unwound' = 2, 'set_aside' = 3, 'left' = 4, 'unrecorded' = 5, 'unfinished' = 6,
        'beyond' = 7),
    arguments String,
    result String
) ENGINE = MergeTree PARTITION BY (session, process) ORDER BY (function, begin_ns);

CREATE MATERIALIZED VIEW IF NOT EXISTS rows_to_calls TO calls AS
SELECT session, process, thread, function, path, depth, number_1 AS begin_ns, number_2 AS duration_ns, number_3 AS self_ns,
    bitAnd(flags, 1) AS outermost, bitAnd(bitShiftRight(flags, 1), 1) AS root,
    bitAnd(bitShiftRight(flags, 2), 1) AS resumed, bitAnd(bitShiftRight(flags, 3), 1) AS unreliable,
    CAST(what AS Enum8('exit' = 0, 'tail' = 1, 'unwound' = 2, 'set_aside' = 3, 'left' = 4, 'unrecorded' = 5,
        'unfinished' = 6, 'beyond' = 7)) AS ending,
    text_1 AS arguments, text_2 AS result
FROM rows WHERE kind = 5;

-- Events that are not calls: the program's events; hits of tracepoints, with the name in `type_name` and the
-- arguments in `string` (`i32 -5, ptr 0x10`); returns of functions without an entry in the trace; places with `count`
-- missing events. `path` is the path of the call around the event, or 0. A time in which a thread waited or was
-- preempted has its length in ns in `count`, and in `string` what the thread waited for. A system
-- call also has its length in `count`, and has `read(3) = 4096` in `string`.
CREATE TABLE IF NOT EXISTS events
(
    session UInt64,
    process UInt64,
    thread UInt32,
    time_ns UInt64,
    event Enum8('user' = 0, 'lost' = 1, 'lost_slices' = 2, 'lost_overwritten' = 3, 'unrecorded' = 4, 'exit' = 5,
        'tail_exit' = 6, 'tracepoint' = 7, 'wait' = 8, 'preempted' = 9, 'syscall' = 10),
    function UInt64,
    path UInt64,
    depth UInt32,
    count UInt64,
    type UInt32,
    type_name String,
    payload_1 UInt64,
    payload_2 UInt32,
    string String
) ENGINE = MergeTree PARTITION BY (session, process) ORDER BY (thread, time_ns);

CREATE MATERIALIZED VIEW IF NOT EXISTS rows_to_events TO events AS
SELECT session, process, thread, number_1 AS time_ns,
    CAST(what AS Enum8('user' = 0, 'lost' = 1, 'lost_slices' = 2, 'lost_overwritten' = 3, 'unrecorded' = 4, 'exit' = 5,
        'tail_exit' = 6, 'tracepoint' = 7, 'wait' = 8, 'preempted' = 9, 'syscall' = 10)) AS event,
    function, path, depth, if(what = 0, 0, number_2) AS count, toUInt32(bitShiftRight(number_3, 32)) AS type,
    text_1 AS type_name,
    if(what = 0, number_2, 0) AS payload_1, toUInt32(bitAnd(number_3, 4294967295)) AS payload_2, text_2 AS string
FROM rows WHERE kind = 6;

-- The notes at the end of a report, by account. 'cause': events that the runtime lost, by cause;
-- 'thread': events that each thread lost; 'calls': calls that were repaired or are unknown.
-- Thread 0 means no thread, or an unknown one.
CREATE TABLE IF NOT EXISTS notes
(
    session UInt64,
    process UInt64,
    thread UInt32,
    account String,
    what String,
    number UInt64
) ENGINE = MergeTree PARTITION BY (session, process) ORDER BY (account, thread);

CREATE MATERIALIZED VIEW IF NOT EXISTS rows_to_notes TO notes AS
SELECT session, process, thread, text_1 AS account, text_2 AS what, number_1 AS number
FROM rows WHERE kind = 7;

-- Calls of mode 'count', which have no times.
CREATE TABLE IF NOT EXISTS counts
(
    session UInt64,
    process UInt64,
    function UInt64,
    calls UInt64
) ENGINE = MergeTree PARTITION BY (session, process) ORDER BY function;

CREATE MATERIALIZED VIEW IF NOT EXISTS rows_to_counts TO counts AS
SELECT session, process, function, number_1 AS calls
FROM rows WHERE kind = 8;
