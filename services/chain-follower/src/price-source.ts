import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { download, type Prices, priced, readPrices, type TransferRow, type Version } from '@weir/chain-import';
import type { Clock } from '@weir/clock';
import type { Jobs, Logger } from '@weir/service-kit';

export interface PriceSourceOptions {
  /** A file, or a URL with http or https. */
  readonly source: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

export const priceProblems = ['missing', 'stale', 'unreadable'] as const;
/** `missing`: no price is known. `stale`: the newest is too old. `unreadable`: the table cannot be read now. */
export interface PriceProblem {
  readonly problem: (typeof priceProblems)[number];
  /** For a person. */
  readonly words: string;
}

/** For the whole table. */
const limits = { limitMs: 60_000, largestBytes: 256 * 1_024 * 1_024 };

/** A table of prices that is read again when it has changed. While it cannot be read, the prices of before count. */
export class PriceSource {
  readonly #options: PriceSourceOptions;
  #prices: Prices | undefined;
  /** Of the table that was read. */
  #version: Version | undefined;
  #file = '';
  #problem: string | undefined;

  constructor(options: PriceSourceOptions) {
    this.#options = options;
  }

  valued(row: TransferRow): TransferRow {
    return this.#prices === undefined ? row : priced(row, this.#prices);
  }

  /** Undefined: no price is known. */
  ageMs(): number | undefined {
    const newest = this.#prices?.newest;
    return newest === undefined ? undefined : Math.max(0, this.#options.clock.now() - newest.getTime());
  }

  /** `maxAgeMs`: a newest price that is older is stale. */
  problems(maxAgeMs: number): PriceProblem[] {
    const [age, newest] = [this.ageMs(), this.#prices?.newest];
    const problems: PriceProblem[] = [];
    if (this.#problem !== undefined) problems.push({ problem: 'unreadable', words: `the price table cannot be read: ${this.#problem}` });
    if (age === undefined || newest === undefined) problems.push({ problem: 'missing', words: 'no price is known' });
    else if (age > maxAgeMs) problems.push({ problem: 'stale', words: `the prices are stale: the newest is of ${newest.toISOString()}` });
    return problems;
  }

  /** Reads the table if it has changed. Does not throw. */
  async read(): Promise<void> {
    await this.#read().catch((err: unknown) =>
      this.#options.logger.warn({ err }, 'the price table could not be read; the prices of before count'),
    );
  }

  async #read(): Promise<void> {
    const { source } = this.#options;
    try {
      await (/^https?:/i.test(source) ? this.#fetch(source) : this.#readFile(source));
      this.#problem = undefined;
    } catch (error) {
      if (this.#options.signal.aborted) return;
      // The message of a fault of the network has no address, which may be a secret.
      this.#problem = error instanceof Error ? error.message : 'failed';
      throw error;
    }
  }

  async keepReading(jobs: Jobs, everyMs: number): Promise<void> {
    await jobs.repeat({ service: 'chain-follower', name: 'read-prices', everyMs, signal: this.#options.signal }, () => this.#read());
  }

  async #readFile(path: string): Promise<void> {
    const { mtimeMs, size } = await stat(path);
    const file = `${mtimeMs} ${size}`;
    if (file === this.#file) return;
    this.#prices = await readPrices([{ path }]);
    this.#file = file;
  }

  async #fetch(url: string): Promise<void> {
    const { clock, signal } = this.#options;
    const folder = await mkdtemp(join(tmpdir(), 'weir-prices-'));
    try {
      const name = basename(new URL(url).pathname);
      // The ending says how it is packed.
      const path = join(folder, /^[\w-]+(\.[\w-]+)+$/.test(name) ? name : 'prices.csv');
      const fetched = await download({ url, path, known: this.#version, clock, signal, ...limits });
      if (fetched === undefined) return;
      this.#prices = await readPrices([{ path }]);
      this.#version = fetched;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}
