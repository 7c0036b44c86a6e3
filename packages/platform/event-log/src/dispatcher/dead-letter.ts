import { limits } from '../limits.ts';
import type { LogRecord, OutgoingRecord, PoisonRecord } from '../port.ts';

/** The record for `<topic>.dlq`: original key, bytes and headers, plus its origin, the group and the reason. */
export function deadLetterOf(record: LogRecord, poison: PoisonRecord, group: string): OutgoingRecord {
  return {
    topic: `${record.topic}.dlq`,
    key: record.key,
    value: record.value,
    headers: {
      ...record.headers,
      weir_reason: storable(poison.reason),
      weir_detail: storable(poison.detail),
      weir_group: group,
      weir_topic: record.topic,
      weir_partition: String(record.partition),
      weir_offset: String(record.offset),
    },
  };
}

/** The detail may quote an unreadable record, and an unstorable text must not block the DLQ. */
function storable(text: string): string {
  return text.slice(0, limits.deadLetterDetail).replaceAll('\0', '\ufffd').toWellFormed();
}
