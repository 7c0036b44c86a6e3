#!/bin/bash
# Creates Kafka's missing users. Shares the broker's network, because the listener of a single broker's user is on loopback.
set -euo pipefail
configs() {
  /opt/kafka/bin/kafka-configs.sh --bootstrap-server "$BROKER_HOST:9094" --command-config /secrets/kafka/client.properties --entity-type users "$@"
}
known=$(configs --describe)
for file in /secrets/kafka/users/*; do
  user=$(basename "$file")
  # From a file, because other processes can read arguments.
  grep -q "'$user'" <<< "$known" || configs --alter --entity-name "$user" --add-config-file "$file"
done
