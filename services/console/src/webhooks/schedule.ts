/** Largest share added to a delay, so that concurrent failures do not retry together. */
const jitter = 0.1;

/**
 * Milliseconds until the next attempt after `attempts` of them; undefined to give up. The jitter derives from the event id, which is evenly
 * distributed.
 */
export function nextDelayMs(delaysMs: readonly number[], attempts: number, eventId: string): number | undefined {
  const delay = delaysMs[attempts - 1];
  return delay === undefined ? undefined : Math.round(delay * (1 + (jitter * Number.parseInt(eventId.slice(0, 8), 16)) / 2 ** 32));
}
