#!/bin/bash
# Takes a base backup if the next is due, verifies it, and removes what is no longer kept. Then it waits until the next is due and ends, and
# the container starts anew. With `now` it takes one at once, and ends.
set -euo pipefail
shopt -s nullglob
trap 'exit 0' TERM INT
base=/backups/base
retry_s=900

for number in "$EVERY_HOURS" "$KEEP"; do
  [[ $number =~ ^[1-9][0-9]*$ ]] || { echo "WEIR_BACKUP_EVERY_HOURS and WEIR_BACKUP_KEEP must be at least 1, not $number" >&2; exit 1; }
done
# Read, not written into a command, and not seen among the processes.
PGPASSWORD=$(cat /secrets/backup/password)
export PGPASSWORD
mkdir -p "$base"

# Seconds; none or fewer: now. A backup is named by the time at which it was complete.
due_in() {
  local all=("$base"/*Z) name ended
  if ((${#all[@]} == 0)); then echo 0; return; fi
  name=${all[-1]##*/}
  ended=$(date -u -d "${name:0:4}-${name:4:2}-${name:6:2} ${name:9:2}:${name:11:2}:${name:13:2}" +%s)
  echo $((ended + EVERY_HOURS * 3600 - $(date +%s)))
}

# In the list of `weir jobs`, and in its metrics.
record() {
  psql -XqAt -o /dev/null -v ON_ERROR_STOP=1 -v hours="$EVERY_HOURS" -v problem="${2:-}" <<< "$1"
}

take() {
  local next=$base/next
  # Of a run that was killed.
  rm -rf "$next" &&
    pg_basebackup --no-password --pgdata="$next" --checkpoint=fast --wal-method=stream --manifest-checksums=SHA256 &&
    pg_verifybackup --quiet "$next" &&
    mv "$next" "$base/$(date -u +%Y%m%dT%H%M%SZ)" &&
    sync "$base" &&
    prune
}

# The WAL is kept from the start of the oldest backup on.
prune() {
  local all=("$base"/*Z) first
  if ((${#all[@]} > KEEP)); then
    rm -rf "${all[@]:0:${#all[@]}-KEEP}" || return
    all=("${all[@]: -KEEP}")
  fi
  first=$(sed -n 's/^START WAL LOCATION: .* (file \([0-9A-F]*\))$/\1/p' "${all[0]}/backup_label") || return
  mkdir -p /backups/wal && pg_archivecleanup -x .gz /backups/wal "$first"
}

# One run at a time takes a backup.
alone() {
  (flock --timeout 3600 9 && take) 9> "$base/.lock"
}

pause() {
  sleep "$1" &
  wait $!
}

if [ "${1:-}" = now ]; then seconds=0; else seconds=$(due_in); fi
if ((seconds <= 0)); then
  record 'SELECT backup.began(:hours)'
  if said=$(alone 2>&1); then
    record "SELECT backup.ended(NULL)"
    echo "a backup was taken and verified; $(find "$base" -maxdepth 1 -name '*Z' | wc -l) are kept"
  else
    echo "$said" >&2
    record "SELECT backup.ended(:'problem')" "$said"
    [ "${1:-}" = now ] || pause "$retry_s"
    exit 1
  fi
  if [ "${1:-}" = now ]; then exit 0; fi
  seconds=$(due_in)
fi
pause "$((seconds > 0 ? seconds : 0))"
