# SPDX-License-Identifier: MIT
# clickhouse.sh - runs a ClickHouse server for one script, on a free port of the loopback interface, in $work/server;
# scripts source this file after life.sh.

PATH=$PATH:/usr/sbin
command -v clickhouse-server > /dev/null && command -v clickhouse-client > /dev/null ||
	skip "ClickHouse is missing: apt-get install clickhouse-server clickhouse-client"

# begin_clickhouse - starts the server, and replaces clickhouse-client by a script that connects to the server.
begin_clickhouse()
{
	server=$work/server
	mkdir -p "$server/bin"
	# Two free ports. If another program takes one of them first, the server reports it.
	ports=$(python3 -c 'import socket
both = [socket.socket() for _ in range(2)]
for one in both:
    one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in both))')
	cat > "$server/config.xml" <<-END
		<?xml version="1.0"?>
		<yandex>
		    <logger><level>warning</level><log>$server/log</log><errorlog>$server/errors</errorlog></logger>
		    <listen_host>127.0.0.1</listen_host>
		    <tcp_port>${ports% *}</tcp_port>
		    <interserver_http_port>${ports#* }</interserver_http_port>
		    <path>$server/data/</path>
		    <tmp_path>$server/tmp/</tmp_path>
		    <mark_cache_size>67108864</mark_cache_size>
		    <timezone>UTC</timezone>
		    <users_config>users.xml</users_config>
		    <default_profile>default</default_profile>
		    <default_database>default</default_database>
		</yandex>
	END
	cat > "$server/users.xml" <<-END
		<?xml version="1.0"?>
		<yandex>
		    <profiles><default><max_memory_usage>4000000000</max_memory_usage></default></profiles>
		    <quotas><default></default></quotas>
		    <users><default>
		        <password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>
		    </default></users>
		</yandex>
	END
	client=$(command -v clickhouse-client)
	cat > "$server/bin/clickhouse-client" <<-END
		#!/bin/sh
		HOME=$server exec $client --host 127.0.0.1 --port ${ports% *} "\$@"
	END
	chmod +x "$server/bin/clickhouse-client"
	PATH=$server/bin:$PATH
	export PATH
	trap end_clickhouse EXIT
	# Newer servers start a watchdog process; this variable disables it.
	(cd "$server" && CLICKHOUSE_WATCHDOG_ENABLE=0 exec clickhouse-server --config-file="$server/config.xml") \
		> "$server/out" 2>&1 < /dev/null &
	server_process=$!
	for try in $(seq 120); do
		! clickhouse-client --query 'SELECT 1' > /dev/null 2>&1 || return 0
		kill -0 $server_process 2> /dev/null || break
		sleep 0.5
	done
	fail "the ClickHouse server does not answer: $(tail -n 5 "$server/out" "$server/errors")"
}

end_clickhouse()
{
	kill $server_process 2> /dev/null || :
	wait $server_process 2> /dev/null || :
	rm -rf "$server/data" "$server/tmp"
}

# ask DATABASE QUERY - prints the result of the query.
ask()
{
	clickhouse-client --database "$1" --query "$2" < /dev/null
}
