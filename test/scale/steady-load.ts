import { systemClock } from '@weir/clock';

/** Posts deposits at a steady rate to the replicas in turn, each until it is acknowledged. */
export class SteadyLoad {
  /** Screenings of the acknowledged deposits. */
  readonly acknowledged = new Set<string>();
  readonly #targets: () => readonly string[];
  readonly #token: string;
  readonly #open = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  readonly #pacer: Promise<void>;
  #turn = 0;

  constructor(options: { targets: () => readonly string[]; token: string; perSecond: number }) {
    this.#targets = options.targets;
    this.#token = options.token;
    this.#pacer = this.#pace(1_000 / options.perSecond);
  }

  /** Resolves when all started deposits are acknowledged. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#pacer;
    await Promise.all(this.#open);
  }

  async #pace(everyMs: number): Promise<void> {
    const began = systemClock.monotonic();
    for (let n = 0; !this.#stop.signal.aborted; n += 1) {
      const posting: Promise<void> = this.#post(n).finally(() => this.#open.delete(posting));
      this.#open.add(posting);
      await systemClock.sleep(Math.max(0, began + (n + 1) * everyMs - systemClock.monotonic()), this.#stop.signal);
    }
  }

  async #post(n: number): Promise<void> {
    for (;;) {
      const targets = this.#targets();
      const screening = await this.#attempt(targets[this.#turn++ % targets.length] ?? '', n).catch(() => undefined);
      if (screening !== undefined) return void this.acknowledged.add(screening);
      await systemClock.sleep(100);
    }
  }

  async #attempt(url: string, n: number): Promise<string | undefined> {
    const answer = await fetch(`${url}/v1/deposits`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${this.#token}` },
      body: JSON.stringify({
        deposit_id: `scale-${n}`,
        coin: 'ETH',
        // Each deposit needs its own lookup.
        from_address: `0xc${n.toString(16).padStart(39, '0')}`,
        to_address: '0x28c6c06298d514db089934071355e5743bf21d60',
        amount: '1.25',
      }),
      signal: AbortSignal.timeout(5_000),
    });
    const body = (await answer.json()) as { screening_id?: string };
    return answer.ok ? body.screening_id : undefined;
  }
}
