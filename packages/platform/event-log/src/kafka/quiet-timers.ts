import { createRequire } from 'node:module';

interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests: (this: RequestQueue) => void;
}

let isQuiet = false;

/**
 * kafkajs sets its queue timer without waiting requests, with a negative delay, so idle connections wake every millisecond. Six idle
 * subscriptions used 6 % of a core, and 3 % without it.
 */
export function quietTimers(): void {
  if (isQuiet) return;
  isQuiet = true;
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as { prototype: RequestQueue };
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
    if (this.pending.length > 0) schedule.call(this);
  };
}
