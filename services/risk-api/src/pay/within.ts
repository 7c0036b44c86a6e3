import type { Clock } from '@weir/clock';

/** The work, or a failure when it has not ended in time. It is not stopped by that. */
export async function within<T>(clock: Clock, limitMs: number, work: Promise<T>): Promise<T> {
  const done = new AbortController();
  const late = clock.sleep(limitMs, done.signal).then((): never => {
    throw new Error('it took too long');
  });
  // Whichever comes second has nobody left to tell.
  late.catch(() => undefined);
  work.catch(() => undefined);
  return Promise.race([work, late]).finally(() => done.abort());
}
