#!/bin/bash
set -euo pipefail
# Like the public image, accepts formatted storage.
said=$(java -cp '/opt/kafka/libs/*' kafka.docker.KafkaDockerWrapper setup \
  --default-configs-dir /opt/kafka/defaults --mounted-configs-dir /mnt/shared/config --final-configs-dir /opt/kafka/config 2>&1) ||
  grep -qi 'already formatted' <<< "$said" || { echo "$said"; exit 1; }
exec java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC $KAFKA_HEAP_OPTS -cp '/opt/kafka/libs/*' kafka.Kafka /opt/kafka/config/server.properties
