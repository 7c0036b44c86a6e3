import { createRequire } from 'node:module';

/** As much of kafkajs's queue of requests as is touched here. */
interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests: (this: RequestQueue) => void;
}

let isQuiet = false;

/**
 * kafkajs sets a timer for requests that wait also when none does, with a negative time, which Node.js takes for a millisecond and warns
 * of: an idle connection wakes a thousand times a second. Six idle subscriptions used 6 % of a core, and 3 % without that.
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
