/** Added at most to a delay, as a share of it: what failed together does not come back together. */
const jitter = 0.1;

/**
 * Milliseconds until an event's next attempt, after `attempts` of them; undefined when it is given up. Not by chance but by the event's id, which
 * is as evenly spread.
 */
export function nextDelayMs(delaysMs: readonly number[], attempts: number, eventId: string): number | undefined {
  const delay = delaysMs[attempts - 1];
  return delay === undefined ? undefined : Math.round(delay * (1 + (jitter * Number.parseInt(eventId.slice(0, 8), 16)) / 2 ** 32));
}
