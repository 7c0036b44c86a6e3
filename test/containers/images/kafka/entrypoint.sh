#!/bin/bash
set -euo pipefail
java -cp '/opt/kafka/libs/*' kafka.docker.KafkaDockerWrapper setup \
  --default-configs-dir /opt/kafka/defaults --mounted-configs-dir /mnt/shared/config --final-configs-dir /opt/kafka/config
exec java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC $KAFKA_HEAP_OPTS -cp '/opt/kafka/libs/*' kafka.Kafka /opt/kafka/config/server.properties
