#!/bin/bash
# Makes this node a copy of the primary, if it has nothing yet, and starts it. A node that was promoted stays what it is: then
# the other one is made anew from it by "PRIMARY=postgres-2 standby anew", which removes what it has, and starts nothing.
set -euo pipefail
primary=${PRIMARY:-postgres-1}
if [ "$1" = anew ]; then rm -rf "${PGDATA:?}"; fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
	mkdir -p -m 0700 "$PGDATA"
	# The password is in PGPASSFILE; -R writes how to follow, and that file's place.
	pg_basebackup -D "$PGDATA" -R -X stream -c fast -d "host=$primary user=trillian application_name=standby-of-$primary passfile=$PGPASSFILE"
	echo "synchronous_standby_names = ''" >> "$PGDATA/postgresql.auto.conf"
fi
if [ "$1" != anew ]; then exec docker-entrypoint.sh "$@"; fi
