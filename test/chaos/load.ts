import { setTimeout as delay } from 'node:timers/promises';
import type { Installation } from '../stack/installation.ts';

/** Posts deposits without pause, each until it is acknowledged, and keeps count of those that were. */
export class Load {
  /** Screening by deposit, as acknowledged. */
  readonly acknowledged = new Map<string, string>();
  readonly #installation: Installation;
  readonly #posters: Promise<void>[];
  #next = 0;
  #stopped = false;

  constructor(installation: Installation, options: { posters: number; pauseMs: number; subjects: number }) {
    this.#installation = installation;
    this.#posters = Array.from({ length: options.posters }, async () => {
      while (!this.#stopped) {
        const n = this.#next++;
        await this.#postUntilAcknowledged(`load-${n}`, `0x${(n % options.subjects).toString(16).padStart(40, 'a')}`);
        await delay(options.pauseMs);
      }
    });
  }

  /** Stops when what is in hand is acknowledged: everything that was begun counts. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#posters);
  }

  async #postUntilAcknowledged(depositId: string, sender: string): Promise<void> {
    for (;;) {
      const answer = await this.#post(depositId, sender).catch(() => undefined);
      if (answer?.ok) {
        const body = (await answer.json().catch(() => undefined)) as { screening_id: string } | undefined;
        if (body !== undefined) {
          this.acknowledged.set(depositId, body.screening_id);
          return;
        }
      } else if (answer !== undefined && answer.status !== 503 && answer.status !== 500) {
        throw new Error(`deposit ${depositId} was refused with ${answer.status}: ${await answer.text()}`);
      }
      await delay(50);
    }
  }

  #post(depositId: string, sender: string): Promise<Response> {
    return fetch(`${this.#installation.url}/v1/deposits`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${this.#installation.token('ingest')}` },
      body: JSON.stringify({
        deposit_id: depositId,
        coin: 'ETH',
        from_address: sender,
        to_address: '0x28c6c06298d514db089934071355e5743bf21d60',
        amount: '1.25',
      }),
      signal: AbortSignal.timeout(5_000),
    });
  }
}
