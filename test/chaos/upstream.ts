import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** `away`: connections are refused. `garbage`: invalid answers. `late`: tasks end after the deadlines. */
export type Mode = 'well' | 'away' | 'garbage' | 'late';

export interface Figures {
  readonly creates: number;
  /** After the first `since`. */
  readonly mostInSecond: number;
  /** Shortest time in which one create more than the limit arrived, after the first `since`. Below 1,000 the limit was exceeded. */
  readonly tightestMs: number | null;
  /** Answered with 429. */
  readonly limited: number;
  /** The longest stall since the last read. Arrivals during a stall are counted together. */
  readonly longestStallMs: number;
}

const answerLimitMs = 120_000;

export class ChaosUpstream {
  readonly url: string;
  readonly apiKey: string;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (value: unknown) => void>();
  /** Modes of the active faults. The last one applies; `well` returns when none is left. */
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

  /** Returns the function that ends it. */
  async disturb(mode: Mode): Promise<() => Promise<void>> {
    this.#modes.push(mode);
    await this.#call('set', mode);
    return async () => {
      this.#modes.splice(this.#modes.indexOf(mode), 1);
      await this.#call('set', this.#modes.at(-1) ?? 'well');
    };
  }

  /** Accepts `more` further creates today; null removes the limit. Returns the daily limit. */
  limitDay(more: number | null): Promise<number> {
    return this.#call('limitDay', more) as Promise<number>;
  }

  /** `since` leaves the first creates out of the figures per second. */
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
