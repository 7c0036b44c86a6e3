import type { LogRecord } from '../port.ts';

export interface RecordRow {
  readonly record_offset: bigint;
  readonly appended_at_ms: bigint;
  readonly key: string;
  readonly headers: Record<string, string>;
  readonly value: Buffer;
}

export function recordOf(row: RecordRow, topic: string, partition: number): LogRecord {
  return {
    topic,
    partition,
    offset: row.record_offset,
    timestamp: Number(row.appended_at_ms),
    key: row.key,
    value: row.value,
    headers: row.headers,
  };
}
