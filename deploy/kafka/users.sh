#!/bin/bash
# Gives Kafka the users that it does not have yet. It shares the broker's network, for the listener of the broker's own user is on loopback.
set -euo pipefail
configs() {
  /opt/kafka/bin/kafka-configs.sh --bootstrap-server localhost:9094 --command-config /secrets/kafka/client.properties --entity-type users "$@"
}
known=$(configs --describe)
for file in /secrets/kafka/users/*; do
  user=$(basename "$file")
  # From a file: arguments can be seen among the processes.
  grep -q "'$user'" <<< "$known" || configs --alter --entity-name "$user" --add-config-file "$file"
done
