import { limits } from '../limits.ts';
import type { LogRecord, OutgoingRecord, PoisonRecord } from '../port.ts';

/** The record as it goes to `<topic>.dlq`: key, bytes and headers as they were, where it came from, and who could not process it and why. */
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

/** The detail may quote the unreadable record; what a log cannot store must not keep the record out of the DLQ for ever. */
function storable(text: string): string {
  return text.slice(0, limits.deadLetterDetail).replaceAll('\0', '\ufffd').toWellFormed();
}
