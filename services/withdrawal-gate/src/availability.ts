import { type Clock, within } from '@weir/clock';

/** The gate cannot tell for now whether a withdrawal may leave, so it allows none. */
export class GateUnavailable extends Error {
  /** The code of the HTTP answer. */
  readonly code: 'UNAVAILABLE' | 'DECISIONS_UNREAD' | 'NOT_RECONCILED';
  readonly retriable = true;

  constructor(message: string, options: ErrorOptions & { code?: GateUnavailable['code'] } = {}) {
    super(message, options);
    this.name = 'GateUnavailable';
    this.code = options.code ?? 'UNAVAILABLE';
  }
}

/** Awaits `work` for at most `ms` milliseconds, then rejects with `GateUnavailable`. */
export async function answerWithin<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  const late = (): never => {
    throw new GateUnavailable('something the gate needs did not answer in time');
  };
  return within(clock, ms, work, { late });
}

/** Long enough for a distant broker, short enough for waiting callers. */
const lookLimitMs = 3_000;

interface Away {
  readonly name: string;
  readonly why: unknown;
}

/**
 * Checks each dependency through which a later decision reaches the gate. The database is left out, because each answer needs it anyway.
 * Each call gets a check that began after it; calls during a check share the next one.
 */
export class Availability {
  readonly #probes: ReadonlyMap<string, () => Promise<unknown>>;
  readonly #clock: Clock;
  /** A probe that hangs is not sent again. */
  readonly #out = new Map<string, Promise<unknown>>();
  #running: Promise<readonly Away[]> | undefined;
  #next: Promise<readonly Away[]> | undefined;

  constructor(probes: Readonly<Record<string, () => Promise<unknown>>>, clock: Clock) {
    this.#probes = new Map(Object.entries(probes));
    this.#clock = clock;
  }

  /** Names of the unavailable dependencies. */
  async unavailable(): Promise<readonly string[]> {
    return (await this.#fresh()).map(({ name }) => name);
  }

  /** Rejects with `GateUnavailable` when any dependency is unavailable. */
  async require(): Promise<void> {
    const unavailable = await this.#fresh();
    const [first] = unavailable;
    if (first === undefined) return;
    if (first.why instanceof GateUnavailable) throw first.why;
    throw new GateUnavailable(`away: ${unavailable.map(({ name }) => name).join(', ')}`, { cause: first.why });
  }

  #fresh(): Promise<readonly Away[]> {
    if (this.#running === undefined) return this.#begin();
    return (this.#next ??= this.#running.then(() => this.#begin()));
  }

  #begin(): Promise<readonly Away[]> {
    this.#next = undefined;
    const look = this.#look().finally(() => {
      if (this.#running === look) this.#running = undefined;
    });
    this.#running = look;
    return look;
  }

  async #look(): Promise<readonly Away[]> {
    const unavailable = await Promise.all(
      [...this.#probes].map(([name, probe]) =>
        answerWithin(this.#clock, lookLimitMs, this.#send(name, probe)).then(
          () => [],
          (why: unknown) => [{ name, why }],
        ),
      ),
    );
    return unavailable.flat();
  }

  #send(name: string, probe: () => Promise<unknown>): Promise<unknown> {
    const before = this.#out.get(name);
    if (before !== undefined) return before;
    const sent = probe().finally(() => this.#out.delete(name));
    this.#out.set(name, sent);
    return sent;
  }
}
