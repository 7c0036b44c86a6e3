#!/bin/bash
# The public image's first start, as far as used here: create the data folder, run the scripts, then listen on TCP.
set -euo pipefail
# There may be no scripts.
shopt -s nullglob
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  mkdir -p "$PGDATA"
  initdb --pgdata="$PGDATA" --username=postgres --pwfile="$POSTGRES_PASSWORD_FILE" --auth-host=scram-sha-256 --auth-local=trust
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  pg_ctl --pgdata="$PGDATA" --wait --options="-c listen_addresses='' -c unix_socket_directories=/var/run/postgresql" start
  for script in /docker-entrypoint-initdb.d/*.sql; do
    psql --host=/var/run/postgresql --username=postgres --dbname=postgres --set=ON_ERROR_STOP=1 --file="$script"
  done
  pg_ctl --pgdata="$PGDATA" --wait --mode=fast stop
fi
exec "$@" -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql
