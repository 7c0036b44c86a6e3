#!/bin/bash
exec java -XX:TieredStopAtLevel=1 -Xmx64m -cp '/opt/kafka/libs/*' kafka.admin.ConfigCommand "$@"
