import { backoff, type Clock } from '@weir/clock';
import { limits } from '../limits.ts';
import { type OutgoingRecord, PoisonRecord, type SubscribeOptions } from '../port.ts';
import { type Entry, keyRuns } from './assignment.ts';
import { deadLetterOf } from './dead-letter.ts';

export interface AttemptOptions extends Pick<SubscribeOptions, 'group' | 'handle' | 'onDeadLetter' | 'onError'> {
  readonly clock: Clock;
  publish(records: readonly OutgoingRecord[]): Promise<void>;
}

interface Failure {
  readonly error: unknown;
}

interface Call {
  readonly entries: readonly Entry[];
  readonly abort: AbortController;
}

/** Completes entries: handled, dead-lettered, or abandoned with their halted partition. */
export class Attempts {
  readonly #options: AttemptOptions;
  readonly #ended: (entry: Entry, complete: boolean) => void;
  readonly #calls = new Set<Call>();

  constructor(options: AttemptOptions, ended: (entry: Entry, complete: boolean) => void) {
    this.#options = options;
    this.#ended = ended;
  }

  /** Handles the batch as a whole and, if that fails, each key alone. `called` reports the whole, `released` the end of keys. */
  async batch(entries: readonly Entry[], called: (failed: boolean) => void, released: (keys: readonly string[]) => void): Promise<void> {
    const runs = keyRuns(entries);
    const failure = await this.#call(entries);
    called(failure !== undefined);
    const keyOf = (run: readonly Entry[]): string => run[0]?.record.key ?? '';
    if (failure === undefined) return released(runs.map(keyOf));
    if (entries.length > 1) this.#report(failure, entries);
    await Promise.all(
      runs.map(async (run) => {
        await this.#run(run, runs.length === 1 ? failure : undefined);
        released([keyOf(run)]);
      }),
    );
  }

  abortAbandoned(): void {
    for (const call of this.#calls) {
      if (call.entries.every((entry) => entry.assignment.abandoned)) call.abort.abort();
    }
  }

  async #run(run: readonly Entry[], failed: Failure | undefined): Promise<void> {
    const live = run.filter((entry) => !this.#givenUp(entry));
    const [only] = live;
    if (only === undefined) return;
    if (run.length === 1) return this.#single(only, failed);
    if (failed === undefined) {
      const failure = await this.#call(live);
      if (failure === undefined) return;
      if (live.length === 1) return this.#single(only, failure);
      this.#report(failure, live);
    }
    for (const entry of live) if (!this.#givenUp(entry)) await this.#single(entry, undefined);
  }

  async #single(entry: Entry, failed: Failure | undefined): Promise<void> {
    let failure = failed ?? (await this.#call([entry]));
    for (let attempt = 1; failure !== undefined; attempt++) {
      if (this.#givenUp(entry)) return;
      const poison = failure.error instanceof PoisonRecord ? failure.error : undefined;
      if (poison === undefined) this.#report(failure, [entry]);
      else if (await this.#bury(entry, poison)) return;
      await this.#options.clock.sleep(backoff(attempt, limits.retry), entry.assignment.halted);
      // If writing a dead letter failed, retry only the write.
      if (poison !== undefined) continue;
      if (this.#givenUp(entry)) return;
      failure = await this.#call([entry]);
    }
  }

  #givenUp(entry: Entry): boolean {
    if (!entry.assignment.halted.aborted) return false;
    this.#ended(entry, false);
    return true;
  }

  async #call(entries: readonly Entry[]): Promise<Failure | undefined> {
    const call: Call = { entries, abort: new AbortController() };
    this.#calls.add(call);
    for (const { assignment } of entries) assignment.started();
    try {
      const records = entries.map((entry) => entry.record);
      await this.#options.handle(records, { signal: call.abort.signal });
      for (const entry of entries) this.#ended(entry, true);
      return undefined;
    } catch (error) {
      return { error };
    } finally {
      this.#calls.delete(call);
      for (const { assignment } of entries) assignment.ended();
    }
  }

  async #bury(entry: Entry, poison: PoisonRecord): Promise<boolean> {
    entry.assignment.started();
    try {
      await this.#options.publish([deadLetterOf(entry.record, poison, this.#options.group)]);
      this.#ended(entry, true);
    } catch (error) {
      this.#report({ error }, [entry]);
      return false;
    } finally {
      entry.assignment.ended();
    }
    quietly(() => this.#options.onDeadLetter?.(entry.record, poison.reason.slice(0, limits.deadLetterDetail)));
    return true;
  }

  #report(failure: Failure, entries: readonly Entry[]): void {
    quietly(() =>
      this.#options.onError?.(
        failure.error,
        entries.map((entry) => entry.record),
      ),
    );
  }
}

/** A failing observer must not stop delivery. */
function quietly(observe: () => void): void {
  try {
    observe();
  } catch {
    // No receiver is left.
  }
}
