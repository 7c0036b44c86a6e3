import type { LogRecord, OutgoingRecord } from '@weir/event-log';

/** Published events that were not read yet. Beyond these the oldest are forgotten. */
const mostEvents = 20_000;
const mostBytes = 32 * 1024 * 1024;

/**
 * Events that a stage of this process has handled before they were published, so that its reader passes over them. A forgotten one is handled
 * again, as a repeat.
 */
export class HandledEvents {
  readonly #byId = new Map<string, OutgoingRecord>();
  #bytes = 0;

  /** Call it before the event is published, or it may be read first. */
  add(record: OutgoingRecord): void {
    const id = idOf(record);
    if (id === undefined) return;
    this.#forget(id);
    this.#byId.set(id, record);
    this.#bytes += record.value.length;
    for (const oldest of this.#byId.keys()) {
      if (this.#byId.size <= mostEvents && this.#bytes <= mostBytes) break;
      this.#forget(oldest);
    }
  }

  /** Whether the record is one of them, and forgets it. Other content under its id is not. */
  take(record: LogRecord): boolean {
    const id = idOf(record);
    const handled = id === undefined ? undefined : this.#byId.get(id);
    if (id === undefined || handled === undefined) return false;
    if (handled.topic !== record.topic || handled.key !== record.key || !handled.value.equals(record.value)) return false;
    this.#forget(id);
    return true;
  }

  #forget(id: string): void {
    this.#bytes -= this.#byId.get(id)?.value.length ?? 0;
    this.#byId.delete(id);
  }
}

function idOf({ headers }: OutgoingRecord): string | undefined {
  return headers['ce_id'];
}
