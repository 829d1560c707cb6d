#!/bin/bash
# Run once, on the new primary: the standby may copy it, with the password of all.
set -euo pipefail
echo "host replication trillian all scram-sha-256" >> "$PGDATA/pg_hba.conf"
