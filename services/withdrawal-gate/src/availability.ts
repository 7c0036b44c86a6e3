import { type Clock, within } from '@weir/clock';

/** The gate cannot know now whether a withdrawal may leave; nobody is told that it may. */
export class GateUnavailable extends Error {
  /** What callers are told. */
  readonly code: 'UNAVAILABLE' | 'DECISIONS_UNREAD';
  readonly retriable = true;

  constructor(message: string, options: ErrorOptions & { code?: GateUnavailable['code'] } = {}) {
    super(message, options);
    this.name = 'GateUnavailable';
    this.code = options.code ?? 'UNAVAILABLE';
  }
}

/** Awaits `work` for at most `ms` milliseconds. Rejects with `GateUnavailable` then. */
export async function answerWithin<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  const late = (): never => {
    throw new GateUnavailable('something the gate needs did not answer in time');
  };
  return within(clock, ms, work, { late });
}

/** Long enough for a broker far away, short enough for who waits at the gate. */
const lookLimitMs = 3_000;

interface Away {
  readonly name: string;
  readonly why: unknown;
}

/**
 * Whether everything is there by which a later decision would reach the gate, beside the database, which each answer needs anyhow. Looked at anew for whoever
 * asks: those who come while a look is under way share the next one.
 */
export class Availability {
  readonly #probes: ReadonlyMap<string, () => Promise<unknown>>;
  readonly #clock: Clock;
  /** A probe that has not come back is not sent again. */
  readonly #out = new Map<string, Promise<unknown>>();
  #running: Promise<readonly Away[]> | undefined;
  #next: Promise<readonly Away[]> | undefined;

  constructor(probes: Readonly<Record<string, () => Promise<unknown>>>, clock: Clock) {
    this.#probes = new Map(Object.entries(probes));
    this.#clock = clock;
  }

  /** Names of what is away. */
  async away(): Promise<readonly string[]> {
    return (await this.#fresh()).map(({ name }) => name);
  }

  /** Rejects with `GateUnavailable` when anything is away. */
  async require(): Promise<void> {
    const away = await this.#fresh();
    const [first] = away;
    if (first === undefined) return;
    if (first.why instanceof GateUnavailable) throw first.why;
    throw new GateUnavailable(`away: ${away.map(({ name }) => name).join(', ')}`, { cause: first.why });
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
    const away = await Promise.all(
      [...this.#probes].map(([name, probe]) =>
        answerWithin(this.#clock, lookLimitMs, this.#send(name, probe)).then(
          () => [],
          (why: unknown) => [{ name, why }],
        ),
      ),
    );
    return away.flat();
  }

  #send(name: string, probe: () => Promise<unknown>): Promise<unknown> {
    const before = this.#out.get(name);
    if (before !== undefined) return before;
    const sent = probe().finally(() => this.#out.delete(name));
    this.#out.set(name, sent);
    return sent;
  }
}
