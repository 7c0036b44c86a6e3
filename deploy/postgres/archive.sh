#!/bin/bash
# The archive_command: keeps the file $1 of the WAL under the name $2. It is complete and on disk before PostgreSQL forgets the file. One that
# is there already must be the same, or another server writes to the archive.
set -euo pipefail
mkdir -p /backups/wal
target=/backups/wal/$2.gz
if [ -f "$target" ]; then
  gzip -dc "$target" | cmp -s - "$1"
else
  gzip -1 -c "$1" > "$target.new"
  sync "$target.new"
  mv "$target.new" "$target"
  sync /backups/wal
fi
