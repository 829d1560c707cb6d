#!/bin/bash
# What is made once, before a log's cluster serves anybody. Doing it again changes nothing.
#
#	init secrets      passwords and tokens, on their volumes
#	init log ORIGIN   the log, the directories of its front ends, and what these are served with
#
# It is root, and may write everywhere. So it touches the directories once, before a front end
# runs: one that was broken into could leave links there that lead to another one's keys.
set -euo pipefail
umask 077
trillian=trillian-log-server-1:8090,trillian-log-server-2:8090
register=http://etcd-1:2379,http://etcd-2:2379,http://etcd-3:2379
pakli_user=65532 postgres_user=999

random() { od -An -tx1 -N24 /dev/urandom | tr -d ' \n'; }

# give FILE USER writes what it reads to a file that this user alone can read. It is
# whole or not there.
give() { cat > "$1.new" && chown "$2" "$1.new" && mv "$1.new" "$1"; }

secrets() {
	chmod 0755 /secrets
	[ ! -s /secrets/made ] || return 0
	local password token
	password=$(random) token=$(random)
	give /secrets/postgres-password $postgres_user <<< "$password"
	give /secrets/postgres.pgpass $postgres_user <<< "*:*:*:trillian:$password"
	give /secrets/trillian.pgpass $pakli_user <<< "*:*:*:trillian:$password"
	give /secrets/init.pgpass 0 <<< "*:*:*:trillian:$password"
	give /secrets/operator-token $pakli_user <<< "$token"
	give /secrets/made 0 <<< yes
}

# synchronous lets every commit wait for the standby from now on.
synchronous() {
	export PGPASSFILE=/secrets/init.pgpass
	local ask=(psql -h postgres-1 -U trillian -d trillian -v ON_ERROR_STOP=1 -Atc)
	if [ "$("${ask[@]}" 'SELECT pg_is_in_recovery()')" = t ]; then return 0; fi
	until [ "$("${ask[@]}" 'SELECT count(*) FROM pg_stat_replication')" -gt 0 ]; do sleep 1; done
	"${ask[@]}" "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (*)'"
	"${ask[@]}" 'SELECT pg_reload_conf()'
}

# settings writes what the front ends are served with. They can read it, and not write there.
settings() {
	chmod 0755 /settings
	give /settings/operator-token $pakli_user < /secrets/operator-token
	printf 'data = /data\ntrillian = %s\ntrillian-tree = %s\nregister = %s\noperator-token-file = /settings/operator-token\n' "$trillian" "$(cat /secrets/tree)" "$register" | give /settings/cluster.conf $pakli_user
}

# directories makes those of the front ends.
directories() {
	# Its number is kept elsewhere than in the directory, which has to be empty.
	if [ ! -s /secrets/tree ]; then
		pakli cluster create --data /front-ends/1 --origin "$1" --trillian $trillian --register $register \
			--database "postgresql://trillian@postgres-1,postgres-2/trillian?sslmode=disable" > /secrets/tree.new
		mv /secrets/tree.new /secrets/tree
	fi
	if [ ! -e /front-ends/2/promise ]; then
		pakli cluster join --data /front-ends/2 --keys /front-ends/1 --trillian $trillian --trillian-tree "$(cat /secrets/tree)" --register $register
	fi
	chown -R $pakli_user:$pakli_user /front-ends/1 /front-ends/2
}

log() {
	synchronous
	[ -s /settings/cluster.conf ] || directories "$1"
	settings
}

"$@"
