import type { Clock } from '@weir/clock';
import { commitWatermarks } from './commits.ts';
import type { Database } from './database.ts';
import type { Member } from './member.ts';
import { settings } from './settings.ts';
import { Wakeup } from '../wakeup.ts';

export interface CommitterOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly members: ReadonlySet<Member>;
  readonly onError: (error: unknown) => void;
}

/** Commits the watermarks of all members of this process together, a little after records completed. */
export class Committer {
  readonly #options: CommitterOptions;
  readonly #wakeup: Wakeup;
  readonly #loop: Promise<void>;
  readonly #stop = new AbortController();

  constructor(options: CommitterOptions) {
    this.#options = options;
    this.#wakeup = new Wakeup(options.clock);
    this.#loop = this.#run();
  }

  /** Something completed. */
  due(): void {
    this.#wakeup.call();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wakeup.call();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { clock, database, members, onError } = this.#options;
    while (!this.#stop.signal.aborted) {
      await this.#wakeup.wait(settings.pollMs);
      await clock.sleep(settings.commitEveryMs, this.#stop.signal);
      await commitWatermarks(database, members).catch(async (error: unknown) => {
        onError(error);
        await clock.sleep(settings.pauseMs, this.#stop.signal);
        this.#wakeup.call();
      });
    }
  }
}
