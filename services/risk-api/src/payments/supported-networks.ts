import { type Clock, within } from '@weir/clock';
import type { FacilitatorClient } from '@x402/core/http';
import type { SupportedResponse } from '@x402/core/types';

interface SupportedNetworksOptions {
  readonly clock: Clock;
  readonly limitMs: number;
  readonly complain: (error: unknown, what: string) => void;
}

/** The fee payer may change at any time, the networks only with the facilitator's configuration. */
const goodMs = 300_000;
const awayPauseMs = 1_000;

/** The networks on which a facilitator settles, each with its fee payer where known. */
export class SupportedNetworks {
  readonly #client: Pick<FacilitatorClient, 'getSupported'>;
  readonly #options: SupportedNetworksOptions;
  #known: { readonly networks: ReadonlyMap<string, string | undefined>; readonly until: number } | undefined;
  #asking: Promise<void> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(client: Pick<FacilitatorClient, 'getSupported'>, options: SupportedNetworksOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** Undefined while they are unknown. */
  async networks(): Promise<ReadonlyMap<string, string | undefined> | undefined> {
    const now = this.#options.clock.monotonic();
    if (this.#known === undefined || now > this.#known.until) {
      if (this.#asking === undefined && now - this.#askedAt >= awayPauseMs) this.#asking = this.#ask();
      // A known list serves until its refresh arrives.
      if (this.#known === undefined) await this.#asking;
    }
    return this.#known?.networks;
  }

  async #ask(): Promise<void> {
    const { clock, limitMs, complain } = this.#options;
    this.#askedAt = clock.monotonic();
    try {
      const supported = await within(clock, limitMs, this.#client.getSupported());
      this.#known = { networks: networksOf(supported), until: clock.monotonic() + goodMs };
    } catch (error) {
      complain(error, 'the facilitator does not say what it settles on');
    } finally {
      this.#asking = undefined;
    }
  }
}

function networksOf({ kinds }: SupportedResponse): ReadonlyMap<string, string | undefined> {
  const own = kinds.filter(({ x402Version, scheme }) => x402Version === 2 && scheme === 'exact');
  return new Map(own.map(({ network, extra }) => [network, typeof extra?.['feePayer'] === 'string' ? extra['feePayer'] : undefined]));
}
