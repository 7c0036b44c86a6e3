import { type Clock, repeat } from '@weir/clock';
import type { RiskClient } from '@weir/risk-client';

/** The readiness page is cheap, and an operator who has just imported labels looks for the warning to go. */
const pollMs = 5_000;

/** Follows the risk API's warnings: empty or stale chain data holds every transfer, and nothing else in the pipeline shows it. */
export class UpstreamWarnings {
  readonly #client: RiskClient;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  #warnings: readonly string[] = [];
  #loop: Promise<void> = Promise.resolve();

  constructor(client: RiskClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  start(): void {
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  warnings(): readonly string[] {
    return this.#warnings.map((warning) => `the risk API warns: ${warning}`);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    // While the API is unavailable its last warnings stand. Readiness shows the outage.
    const onError = (): void => undefined;
    await repeat({ clock: this.#clock, every: pollMs, signal, onError }, async () => {
      const answer = await this.#client.readiness(signal);
      if (answer.kind === 'ready') this.#warnings = answer.warnings;
    });
  }
}
