#!/bin/bash
# What is made once, before a log's cluster serves anybody. Doing it again does nothing.
#
#	init secrets      passwords and tokens, on their volumes
#	init log ORIGIN   the log, and the directories of its front ends
set -euo pipefail
umask 077
trillian=trillian-log-server-1:8090,trillian-log-server-2:8090
register=http://etcd-1:2379,http://etcd-2:2379,http://etcd-3:2379
pakli_user=65532 postgres_user=999

random() { od -An -tx1 -N24 /dev/urandom | tr -d ' \n'; }

# give NAME USER writes what it reads to a secret that this user alone can read. It is
# whole or not there.
give() { cat > "/secrets/$1.new" && chown "$2" "/secrets/$1.new" && mv "/secrets/$1.new" "/secrets/$1"; }

secrets() {
	chmod 0755 /secrets
	[ ! -s /secrets/made ] || return 0
	local password token
	password=$(random) token=$(random)
	give postgres-password $postgres_user <<< "$password"
	give postgres.pgpass $postgres_user <<< "*:*:*:trillian:$password"
	give trillian.pgpass $pakli_user <<< "*:*:*:trillian:$password"
	give init.pgpass 0 <<< "*:*:*:trillian:$password"
	give operator-token $pakli_user <<< "$token"
	give made 0 <<< yes
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

# settings N writes what the N-th front end is served with; it is the last thing that is
# made of a directory, and says that it is whole. Where others than this machine reach HAProxy, a person has to say
# who may begin tables.
settings() {
	local dir=/front-ends/$1 organisers=
	case ${PAKLI_BIND:-127.0.0.1} in 127.* | localhost | ::1 | "[::1]") organisers=anyone ;; esac
	cp /secrets/operator-token "$dir/operator-token"
	[ -s "$dir/cluster.conf" ] || chown -R $pakli_user:$pakli_user "$dir"
	printf 'data = /data\ntrillian = %s\ntrillian-tree = %s\nregister = %s\norganisers = %s\n' "$trillian" "$(cat /secrets/tree)" "$register" "$organisers" > "$dir/cluster.conf.new"
	chown $pakli_user:$pakli_user "$dir/cluster.conf.new" "$dir/operator-token"
	mv "$dir/cluster.conf.new" "$dir/cluster.conf"
}

log() {
	synchronous
	# Its number is kept elsewhere than in the directory, which has to be empty.
	if [ ! -s /secrets/tree ]; then
		pakli cluster create --data /front-ends/1 --origin "$1" --trillian $trillian --register $register \
			--database "postgresql://trillian@postgres-1,postgres-2/trillian?sslmode=disable" > /secrets/tree.new
		mv /secrets/tree.new /secrets/tree
	fi
	settings 1
	if [ ! -s /front-ends/2/cluster.conf ] && [ ! -e /front-ends/2/promise ]; then
		pakli cluster join --data /front-ends/2 --keys /front-ends/1 --trillian $trillian --trillian-tree "$(cat /secrets/tree)" --register $register
	fi
	settings 2
}

"$@"
