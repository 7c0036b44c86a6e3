import type { KafkaMessage } from 'kafkajs';
import type { LogRecord } from '../port.ts';

/** Other writers may omit key or value and repeat headers; the last one counts. */
export function recordOf(topic: string, partition: number, message: KafkaMessage): LogRecord {
  return {
    topic,
    partition,
    offset: BigInt(message.offset),
    timestamp: Number(message.timestamp),
    key: message.key?.toString() ?? '',
    value: message.value ?? Buffer.alloc(0),
    headers: Object.fromEntries(Object.entries(message.headers ?? {}).map(([name, value]) => [name, headerText(value)])),
  };
}

function headerText(value: Buffer | string | (Buffer | string)[] | undefined): string {
  const last = Array.isArray(value) ? value.at(-1) : value;
  return last?.toString() ?? '';
}
