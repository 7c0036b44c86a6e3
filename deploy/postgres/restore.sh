#!/bin/bash
# Puts a backup in the place of the data folder, which it keeps aside. At its next start PostgreSQL replays the archived WAL: to its end, or
# to the time $1. docs/backup.md has the steps around it.
set -euo pipefail
shopt -s nullglob
to=${1:-}

answer=0
pg_isready --quiet --host=postgres --timeout=3 || answer=$?
if ((answer < 2)); then
  echo 'PostgreSQL is running: stop everything with `docker compose down` first' >&2
  exit 1
fi

latest=99991231T235959Z
if [ -n "$to" ]; then latest=$(date -u -d "$to" +%Y%m%dT%H%M%SZ); fi
chosen=
for backup in /backups/base/*Z; do
  if [[ ! ${backup##*/} > $latest ]]; then chosen=$backup; fi
done
if [ -z "$chosen" ]; then
  echo "there is no backup from ${to:-any time}${to:+ or before}" >&2
  exit 1
fi

rm -rf "$PGDATA.next"
mkdir -p "$(dirname "$PGDATA")"
cp -a "$chosen" "$PGDATA.next"
settings=$PGDATA.next/postgresql.auto.conf
# Of an earlier restore.
sed -i '/^restore_command = /d; /^recovery_target_/d' "$settings"
cat >> "$settings" << 'SETTINGS'
restore_command = 'test -f "/backups/wal/%f.gz" && gzip -dc "/backups/wal/%f.gz" > "%p"'
SETTINGS
if [ -n "$to" ]; then
  echo "recovery_target_time = '$(date -u -d "$to" '+%Y-%m-%d %H:%M:%S.%6N+00')'" >> "$settings"
  echo "recovery_target_action = 'promote'" >> "$settings"
fi
touch "$PGDATA.next/recovery.signal"
sync --file-system "$PGDATA.next"
if [ -d "$PGDATA" ]; then
  aside=$PGDATA.before-$(date -u +%Y%m%dT%H%M%SZ)
  mv "$PGDATA" "$aside"
  echo "the database that was there is in $aside of the volume"
fi
mv "$PGDATA.next" "$PGDATA"
echo "restored the backup ${chosen##*/}; PostgreSQL replays the WAL when it starts"
