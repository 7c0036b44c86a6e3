import { type Clock, repeat, Signal } from '@weir/clock';
import { commitWatermarks } from './commits.ts';
import type { Database } from './database.ts';
import type { Member } from './member.ts';
import { settings } from './settings.ts';

export interface CommitterOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly members: ReadonlySet<Member>;
  readonly onError: (error: unknown) => void;
}

/** Commits the watermarks of all members of this process together, shortly after records complete. */
export class Committer {
  readonly #options: CommitterOptions;
  readonly #wakeup: Signal;
  readonly #loop: Promise<void>;
  readonly #stop = new AbortController();
  #isQuiet = true;

  constructor(options: CommitterOptions) {
    this.#options = options;
    this.#wakeup = new Signal(options.clock);
    this.#loop = this.#run();
  }

  due(): void {
    this.#isQuiet = false;
    this.#wakeup.notify();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { clock, database, members } = this.#options;
    const { signal } = this.#stop;
    const onError = (error: unknown): void => {
      this.#options.onError(error);
      this.#wakeup.notify();
    };
    await repeat({ clock, every: settings.pauseMs, signal, onError }, async () => {
      await this.#wakeup.wait(settings.pollMs, signal);
      await this.#untilQuiet();
      await commitWatermarks(database, members);
      return 0;
    });
  }

  /** Records that complete one after the other share a commit. */
  async #untilQuiet(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stop;
    const latest = clock.monotonic() + settings.commitWithinMs;
    do {
      this.#isQuiet = true;
      await clock.sleep(settings.commitEveryMs, signal);
    } while (!this.#isQuiet && !signal.aborted && clock.monotonic() + settings.commitEveryMs <= latest);
  }
}
