#!/bin/bash
# Makes the standby a copy of the primary, if there is none yet, and starts it. A node
# that was promoted stays what it is: then postgres-1 must be made anew from it by hand.
set -euo pipefail
if [ ! -s "$PGDATA/PG_VERSION" ]; then
	mkdir -p -m 0700 "$PGDATA"
	# The password is in PGPASSFILE; -R writes how to follow, and that file's place.
	pg_basebackup -D "$PGDATA" -R -X stream -c fast -d "host=postgres-1 user=trillian application_name=postgres-2 passfile=$PGPASSFILE"
	echo "synchronous_standby_names = ''" >> "$PGDATA/postgresql.auto.conf"
fi
exec docker-entrypoint.sh "$@"
