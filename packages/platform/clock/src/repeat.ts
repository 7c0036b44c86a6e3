import type { Clock } from './clock.ts';
import type { Signal } from './signal.ts';

export interface RepeatOptions {
  readonly clock: Clock;
  /** Milliseconds from the end of one run to the start of the next. */
  readonly every: number;
  /** Stops the loop. A run under way ends first. */
  readonly signal: AbortSignal;
  /** Told the error of a run; the next one comes after `every` all the same. Must not throw. */
  readonly onError: (error: unknown) => void;
  /** Milliseconds before the first run; 0 by default. */
  readonly firstAfter?: number;
  /** A notification ends the pause early, except after an error. */
  readonly wakeup?: Signal;
}

/**
 * Runs `work` again and again until stopped, one run at a time. A run that returns a number of milliseconds has that pause after it instead of
 * `every`: 0 runs again at once. Resolves when stopped; never rejects.
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
