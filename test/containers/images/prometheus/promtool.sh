#!/bin/bash
# Debian's promtool has no --http.config.file. It takes the user from the address, and the authority from the environment.
set -euo pipefail
args=()
for arg in "$@"; do
  case $arg in
    --http.config.file=*) config=${arg#*=} ;;
    *) args+=("$arg") ;;
  esac
done
if [ -n "${config:-}" ]; then
  of() { sed -n "s/^ *$1: //p" "$config"; }
  SSL_CERT_FILE=$(of ca_file)
  export SSL_CERT_FILE
  user=$(of username):$(cat "$(of password_file)")
  args=("${args[@]/#https:\/\//https://$user@}")
fi
exec /usr/libexec/promtool "${args[@]}"
