import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** `away`: nobody listens. `garbage`: answers that make no sense. `late`: tasks that end after the deadlines. */
export type Mode = 'well' | 'away' | 'garbage' | 'late';

/** What the upstream has counted since it was started. */
export interface Figures {
  readonly creates: number;
  /** Of those that were asked for. */
  readonly mostInSecond: number;
  /** The shortest time in which one more than a second's worth arrived, of those; below 1,000 the limit was exceeded. */
  readonly tightestMs: number | null;
  /** Creates it answered with 429: the budget was exceeded. */
  readonly limited: number;
  /** How long its process was kept from working at most since the last look; what arrived meanwhile was counted together. */
  readonly longestStallMs: number;
}

const answerLimitMs = 20_000;

/** The risk API of a chaos run, in a process of its own. */
export class ChaosUpstream {
  readonly url: string;
  readonly apiKey: string;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (value: unknown) => void>();
  /** Who has what amiss: the mode of the last one counts, and `well` returns when none is left. */
  readonly #modes: Mode[] = [];
  #next = 1;

  private constructor(child: ChildProcess, address: { url: string; apiKey: string }) {
    this.#child = child;
    this.url = address.url;
    this.apiKey = address.apiKey;
    child.on('message', ({ id, value }: { id: number; value: unknown }) => {
      this.#waiting.get(id)?.(value);
      this.#waiting.delete(id);
    });
  }

  static async start(perSecond: number): Promise<ChaosUpstream> {
    const child = fork(join(import.meta.dirname, 'upstream-process.ts'), [String(perSecond)]);
    const [{ value }] = (await once(child, 'message')) as [{ value: { url: string; apiKey: string } }];
    return new ChaosUpstream(child, value);
  }

  /** Returns what ends it. */
  async disturb(mode: Mode): Promise<() => Promise<void>> {
    this.#modes.push(mode);
    await this.#call('set', mode);
    return async () => {
      this.#modes.splice(this.#modes.indexOf(mode), 1);
      await this.#call('set', this.#modes.at(-1) ?? 'well');
    };
  }

  /** From now on it takes so many more today; null: as many as anybody likes. Returns the limit of the day that this makes. */
  limitDay(more: number | null): Promise<number> {
    return this.#call('limitDay', more) as Promise<number>;
  }

  /** `since`: how many of the first creates are left out of what is said of seconds. */
  figures(since = 0): Promise<Figures> {
    return this.#call('figures', since) as Promise<Figures>;
  }

  async close(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.disconnect();
    await gone;
  }

  #call(call: string, ...args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      const timer = setTimeout(() => reject(new Error(`the upstream did not answer to ${call}`)), answerLimitMs);
      this.#waiting.set(id, (value) => {
        clearTimeout(timer);
        resolve(value);
      });
      this.#child.send({ id, call, args });
    });
  }
}
