import type { Clock } from './clock.ts';
import type { Signal } from './signal.ts';

export interface RepeatOptions {
  readonly clock: Clock;
  /** Milliseconds between the end of one run and the start of the next. */
  readonly every: number;
  readonly signal: AbortSignal;
  /** Receives the error of a run; the loop goes on after `every`. Must not throw. */
  readonly onError: (error: unknown) => void;
  /** Milliseconds before the first run; default 0. */
  readonly firstAfter?: number;
  /** A notification ends the pause early, except after an error. */
  readonly wakeup?: Signal;
}

/**
 * Repeats `work` until stopped, one run at a time. A run may return the milliseconds until the next; 0 runs again at once. Resolves when
 * stopped; never rejects.
 */
export async function repeat(options: RepeatOptions, work: () => Promise<number | void> | number | void): Promise<void> {
  const { clock, every, signal, onError, firstAfter = 0, wakeup } = options;
  if (firstAfter > 0) await clock.sleep(firstAfter, signal);
  while (!signal.aborted) {
    try {
      const pauseMs = (await work()) ?? every;
      if (pauseMs > 0) await (wakeup === undefined ? clock.sleep(pauseMs, signal) : wakeup.wait(pauseMs, signal));
    } catch (error) {
      onError(error);
      await clock.sleep(every, signal);
    }
  }
}
